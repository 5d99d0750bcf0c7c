// home.js - the first view: what it can say at once, a question in plain words, and how fresh the catalogue is.
import { answer, choices, description, index, list } from './api.js';
import { breakEven } from './break-even.js';
import { el } from './dom.js';
import { inputsOf } from './fields.js';
import { inference } from './inference.js';
import { counted, day, number, quantity, roundMoney, seconds, short, timeRange } from './number.js';
import { understand } from './plain-words.js';
import { recommendation } from './recommendation.js';
import { training } from './training.js';
import { choice, label, named, say, text } from './words.js';

const SERVED = { model: 'meta-llama-3-70b', daily_users: '1000', requests_per_user_per_day: '20', input_tokens: '512', output_tokens: '200',
  gpu: 'h100-sxm5-80gb', latency_p95_seconds: '10' };

/** What each card asks, and its sentence. */
const STORIES = [
  { question: training, asks: { ...training.start, gpu: 'h100-sxm5-80gb', gpu_count: '512' }, open: 'start.train.open', tell: (reply) => say('start.train',
    { gpus: counted('gpus', reply.gpu_count), days: timeRange(reply.days_low, reply.days, reply.days_high), cost: roundMoney(reply.total_cost) }) },
  { question: inference, asks: SERVED, open: 'start.serve.open', tell: (reply) => say('start.serve', { gpus: counted('gpus', reply.gpu_count),
    cost: roundMoney(reply.cost_per_hour), p95: text('start.serve.p95', { time: seconds(reply.latency_p95_seconds_estimate) }) }) },
  { question: breakEven, asks: breakEven.start, open: 'start.buy.open', tell: (reply) => (reply.buy_saving === null ? text('start.none')
    : say(`start.buy.${reply.verdict}`, { saving: roundMoney(Math.abs(reply.buy_saving)) })) },
];

function story({ question: { name }, asks, open, tell }) {
  const query = new URLSearchParams(asks), said = el('p', { class: 'told', 'aria-busy': 'true' }, text('waiting'));
  answer(name, query).then((reply) => said.replaceChildren(...[tell(reply)].flat(Infinity)),
    (error) => { said.textContent = text('start.failed', { why: error.message }); }).finally(() => said.removeAttribute('aria-busy'));
  return el('li', {}, el('h2', {}, el('a', { href: `/${name}?${query}` }, text(`start.story.${name}`))), said, el('p', { class: 'hint' }, text(open)));
}

async function freshness(box) {
  const [held, { rows }] = await Promise.all([index(), list('price-summary', 'fields=gpu,newest_observed_date,stale')]);
  const newest = rows.map((row) => row.newest_observed_date).filter(Boolean).sort().at(-1);
  const stale = new Set(rows.filter((row) => row.stale).map(({ gpu }) => gpu)).size;
  box.replaceChildren(...say('start.fresh', { gpus: number(held.gpu_count), models: number(held.model_count), offers: number(held.offer_count),
    hardware: number(held.hardware_count), assumptions: number(held.assumption_count), newest: day(newest),
    ago: number(Math.round((Date.parse(held.as_of) - Date.parse(newest)) / 864e5)) }),
  text(stale ? 'start.stale' : 'start.current', { stale, gpus: number(held.gpu_count) }));
}

/** What was understood, item by item; assumed values are marked. */
function told({ question, task, values, assumed, ignored }, fields) {
  const value = (name, each) => (typeof each === 'string' ? each.split(',').map((one) => (named(one) === one ? choice(one) : named(one))).join(', ')
    : fields.get(name)?.unit === 'ratio' ? quantity(each, 'ratio') : each >= 1e6 ? short(each) : number(each));
  const items = Object.entries(values).map(([name, each]) => {
    const what = `${label(name)} ${value(name, each)}`;
    return el('li', {}, assumed.includes(name) ? text('ask.assumed', { what }) : el('strong', {}, what));
  });
  const query = new URLSearchParams(values);
  return [el('p', {}, text('ask.understood'), el('strong', {}, text(`ask.task.${task}`))), el('ul', {}, items),
    el('p', {}, ignored.length ? text('ask.ignored', { words: ignored.map(label).join(', ') }) : '',
      el('a', { class: 'go', href: `/${question}?${query}` }, text('ask.go')))];
}

/** What is needed to understand a sentence; loaded on first focus. */
async function knowledge() {
  const questions = [training, inference, breakEven, recommendation].map(({ name }) => `/v1/${name}`);
  const [lists, grids, ...documents] = await Promise.all([choices(), list('carbon', 'fields=country'), ...questions.map(description)]);
  return { lists: { ...lists, country: grids.rows.map((row) => row.country) }, fields: new Map(questions.flatMap((path, i) => [...inputsOf(documents[i], path)])) };
}

function ask(form) {
  const said = form.querySelector('output'), box = form.querySelector('input');
  let known = null;
  const show = async () => {
    const { lists, fields } = await (known ??= knowledge());
    const meant = box.value.trim() && understand(box.value, lists);
    said.replaceChildren(...(meant ? told(meant, fields) : box.value.trim() ? [text('ask.none', { example: box.placeholder })] : []));
    return meant;
  };
  box.addEventListener('focus', show, { once: true });
  box.addEventListener('input', show);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const meant = await show();
    if (meant) location.assign(`/${meant.question}?${new URLSearchParams(meant.values)}`);
  });
}

export function home() {
  const section = document.getElementById('start');
  section.querySelector('.stories').replaceChildren(...STORIES.map(story));
  const box = section.querySelector('.fresh');
  freshness(box).catch((error) => { box.textContent = text('start.failed', { why: error.message }); });
  ask(section.querySelector('form'));
}
