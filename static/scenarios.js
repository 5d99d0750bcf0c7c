// scenarios.js - answers side by side. Two: one is kept as A in the address, so that a link shows the comparison and what
// accounts for the difference. Two to six: saved under a name in this browser, exported and imported as a file.
import { Problem, answer } from './api.js';
import { el, svg, table } from './dom.js';
import { number, quantity } from './number.js';
import { shown } from './result.js';
import { keep, kept } from './state.js';
import { choice, label, readable, text } from './words.js';

/** The parameter that holds A, which is itself a pinned address of the API. */
const KEPT = 'a';

const differs = (row) => row.difference || row.text_a !== row.text_b
  || (row.a === null) !== (row.b === null);

/** From A to B in bars: what each change adds or takes. The table below says the same. */
function waterfall({ a, b, why, unit, currency, figure }) {
  // On a phone the name of a bar stands above it.
  const above = matchMedia('(max-width: 40rem)').matches;
  const [ROW, NAMES, WIDE, END, TOP] = above ? [46, 0, 215, 340, 20] : [34, 190, 560, 700, 6];
  let at = a;
  const bars = [['A', 0, a], ...why.map(({ name, effect }) => {
    const bar = [name.split(',').map(label).join(', '), at, at + effect];
    at += effect;
    return bar;
  }), ['B', 0, b]];
  const ends = bars.flatMap(([, from, to]) => [from, to]), low = Math.min(0, ...ends), high = Math.max(0, ...ends);
  const x = (value) => NAMES + ((value - low) / (high - low || 1)) * (WIDE - NAMES);
  const short = (words) => (words.length > 26 ? `${words.slice(0, 25)}…` : words);
  const caption = text('compare.waterfall', { figure: label(figure) });
  return el('figure', {}, el('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': caption }, svg('svg', { class: 'waterfall', role: 'img', 'aria-label': caption,
    viewBox: `0 0 ${END} ${bars.length * ROW}` }, svg('line', { x1: x(0), x2: x(0), y1: 0, y2: bars.length * ROW }),
  bars.map(([name, from, to], i) => {
    const whole = i === 0 || i === bars.length - 1;
    return [svg('text', { x: 0, y: i * ROW + (above ? 15 : 22) }, short(name)),
      svg('rect', { class: whole ? 'whole' : to > from ? 'more' : 'less', x: Math.min(x(from), x(to)), y: i * ROW + TOP, width: Math.max(Math.abs(x(to) - x(from)), 1), height: 22 }),
      svg('text', { x: Math.max(x(from), x(to)) + 6, y: i * ROW + TOP + 16 }, `${!whole && to > from ? '+' : ''}${quantity(whole ? to : to - from, unit ?? '', currency, 3)}`)];
  }))), el('figcaption', {}, caption));
}

/** A step in words, which begins with the names of its inputs. */
const told = ({ name, sentence }) => readable(name.split(',').reduce((words, each) =>
  words.replace(new RegExp(`(^|, )${each} `), (all, before) => `${before}“${label(each)}” `), sentence));

/** Texts with more letters are broken into lines. */
const LONG = 30;

/** Both answers in tables: the steps from A to B, then the differences by figure and by line. */
export function sideBySide(reply) {
  const say = (value, unit) => ({ number: quantity(value, unit ?? '', reply.currency) });
  const change = ({ difference, unit }) => (unit === 'ratio' && difference !== null
    ? { number: text('compare.points', { n: number(100 * difference, 4) }) } : say(difference, unit));
  const word = (row) => Boolean(row.text_a || row.text_b);
  const worded = (each) => (each.length > LONG ? readable(each) : { number: choice(each) });
  const pair = (row) => (word(row) ? [row.text_a ?? '', row.text_b ?? '', ''].map(worded)
    : [say(row.a, row.unit), say(row.b, row.unit), change(row)]);
  const columns = [{ number: 'A' }, { number: 'B' }, { number: text('compare.difference') }];
  const steps = reply.why.map((step) => [step.name.split(',').map(label).join(', '), told(step),
    say(step.effect, reply.unit)]);
  const figures = reply.figures.filter(differs).map((row) => [label(row.key), ...pair(row)]);
  const lines = reply.line_items.map((row) =>
    [[row.side ? `${choice(row.side)}: ` : '', label(row.key)].join(''), ...pair(row)]);
  const known = Number.isFinite(reply.difference) && reply.difference !== 0 && reply.main_cause;
  const amount = (value) => quantity(value, reply.unit ?? '', reply.currency, 3);
  return [el('p', { class: 'summary' }, known ? text(reply.difference > 0 ? 'compare.summary.more' : 'compare.summary.less', { figure: label(reply.figure),
    b: amount(reply.b), difference: amount(Math.abs(reply.difference)), cause: reply.main_cause.split(',').map(label).join(', ') }) : readable(reply.summary)),
    reply.why.length && Number.isFinite(reply.a) && Number.isFinite(reply.b) ? waterfall(reply) : null,
    steps.length ? table(text('compare.steps'), [text('compare.changed'), text('compare.does'), { number: text('compare.effect') }], [{ rows: steps }]) : null,
    figures.length ? table(text('compare.figures'), [text('table.figure'), ...columns], [{ rows: figures }]) : null,
    lines.length ? table(text('compare.lines'), [text('table.line'), ...columns], [{ rows: lines }]) : null];
}

/** Keeps an answer as A, or compares it with A; `address` is the pinned address of the answer. The last
 * comparison is shown until the next one arrives. */
export class Comparison {
  constructor() {
    this.controls = el('p');
    this.result = el('div', { role: 'status' });
    this.nodes = [this.controls, this.result];
  }

  async show(address) {
    const a = kept(KEPT);
    const button = (words, which) => el('button', { type: 'button', onclick: () => {
      keep(KEPT, which, 'pushState');
      this.show(address);
    } }, words);
    this.address = address;
    if (!a) this.controls.replaceChildren(button(text('compare.keep'), address), text('compare.keep.hint'));
    else this.controls.replaceChildren(a === address ? text('compare.kept') : '',
      el('a', { href: a.replace('/v1/', '/') }, text('compare.open')), ' ', button(text('compare.forget'), null));
    if (!a || a === address) return this.result.replaceChildren();
    const nodes = await answer('compare', new URLSearchParams({ a, b: address })).then(sideBySide, (error) => {
      if (!(error instanceof Problem)) throw error;
      return [el('p', { class: 'error' }, text('compare.failed', { why: error.message }))];
    });
    return this.address === address && kept(KEPT) && this.result.replaceChildren(...nodes.filter(Boolean));
  }
}

const KEY = 'gpuplan.scenarios', MOST = 6;

const valid = (each) => ['name', 'question', 'query'].every((key) => typeof each?.[key] === 'string') && each.name.trim() !== ''
  && /^[a-z-]+$/.test(each.question);

function saved() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]').filter(valid);
  } catch {
    return [];
  }
}

/** Replaces an earlier one of the same name. */
const merged = (old, added) => [...old.filter((each) => !added.some(({ name, question }) => name === each.name && question === each.question)), ...added];

export class Scenarios {
  #chosen = new Set();

  /** `fields` are the figures of the question's answers. */
  constructor(question, fields) {
    this.question = question;
    this.fields = fields;
    this.box = el('div', { class: 'scenarios' });
    this.said = el('p', { role: 'status' });
    this.result = el('div');
    this.nodes = [this.box, this.said, this.result];
    addEventListener('storage', () => this.#draw());
  }

  /** `query` is that of the answer on the page, pinned. */
  show(query) {
    this.query = query;
    if (!this.box.children.length) this.#draw();
  }

  #keep(list) {
    try {
      localStorage.setItem(KEY, JSON.stringify(list));
      this.said.textContent = '';
    } catch {
      this.said.textContent = text('scenario.full');
    }
    this.#draw();
  }

  get #own() {
    return saved().filter(({ question }) => question === this.question.name);
  }

  #draw() {
    const own = this.#own;
    const name = el('input', { type: 'text', id: 'scenario-name', autocomplete: 'off', maxlength: 80, value: text('scenario.number', { n: own.length + 1 }) });
    const save = el('button', { type: 'button', onclick: () => {
      if (!name.value.trim()) return name.focus();
      return this.#keep(merged(saved(), [{ name: name.value.trim(), question: this.question.name, query: this.query }]));
    } }, text('scenario.save'));
    const file = el('input', { type: 'file', id: 'scenario-file', hidden: true, accept: '.json,application/json', onchange: () => this.#take(file.files[0]) });
    const list = JSON.stringify(saved(), null, 1);
    this.box.replaceChildren(el('label', { for: name.id }, text('scenario.name')), el('div', { class: 'entry' }, name, save),
      el('p', { class: 'hint' }, text('scenario.hint')),
      own.length ? el('fieldset', {}, el('legend', {}, text('scenario.list')), own.map((each) => this.#row(each))) : el('p', {}, text('scenario.none')),
      el('p', { class: 'tools' }, own.length ? el('a', { download: 'gpuplan-scenarios.json',
        href: `data:application/json,${encodeURIComponent(list)}` }, text('scenario.export')) : '',
      el('button', { type: 'button', onclick: () => file.click() }, text('scenario.import')), file));
    return this.#compare();
  }

  #row(each) {
    const box = el('input', { type: 'checkbox', checked: this.#chosen.has(each.name), onchange: () => {
      if (box.checked && this.#chosen.size === MOST) {
        box.checked = false;
        this.said.textContent = text('scenario.many');
        return null;
      }
      this.#chosen[box.checked ? 'add' : 'delete'](each.name);
      this.said.textContent = '';
      return this.#compare();
    } });
    return el('div', { class: 'tools' }, el('label', { class: 'pick' }, box, ' ', each.name), el('a', { href: `/${each.question}?${each.query}`,
      'aria-label': text('scenario.open', { name: each.name }) }, text('scenario.open.short')),
    el('button', { type: 'button', 'aria-label': text('scenario.delete', { name: each.name }), onclick: () => {
      this.#chosen.delete(each.name);
      this.#keep(saved().filter(({ name, question }) => name !== each.name || question !== each.question));
    } }, text('scenario.delete.short')));
  }

  async #take(file) {
    const list = await file.text().then(JSON.parse).catch(() => null);
    const added = Array.isArray(list) ? list.filter(valid).map(({ name, question, query }) =>
      ({ name: name.trim().slice(0, 80), question, query: new URLSearchParams(query).toString() })) : [];
    if (added.length) this.#keep(merged(saved(), added));
    this.said.textContent = added.length ? text('scenario.added', { n: added.length }) : text('scenario.bad');
  }

  async #compare() {
    const chosen = this.#own.filter(({ name }) => this.#chosen.has(name)), { question } = this;
    const mine = this.turn = Symbol('turn');
    if (chosen.length < 2) return this.result.replaceChildren();
    const replies = await Promise.all(chosen.map(({ query }) => answer(question.name, query).catch((error) => error)));
    const steps = chosen.length === 2 && !replies.some((each) => each instanceof Error)
      ? await answer('compare', new URLSearchParams(chosen.map(({ query }, i) => ['ab'[i], `/v1/${question.name}?${query}`]))).then(sideBySide, () => []) : [];
    return this.turn === mine && this.result.replaceChildren(...[this.#table(chosen, replies), ...steps].filter(Boolean));
  }

  #table(chosen, replies) {
    const cells = (say) => replies.map((reply) => (reply instanceof Error ? '–' : say(reply)));
    const input = (name) => cells((reply) => (reply.inputs[name] && reply.inputs[name].value !== null ? shown(name, reply.inputs[name], reply.currency) : '–'));
    const names = [...new Set(replies.flatMap((reply) => Object.keys(reply.inputs ?? {})))].filter((name) => new Set(input(name)).size > 1);
    const figure = (name) => cells((reply) => quantity(reply[name] ?? null, this.fields[name]?.['x-unit'] ?? '', reply.currency));
    const result = replies.map((reply) => (reply instanceof Error ? text('scenario.failed', { why: reply.message })
      : [this.question.brief(reply)].flat(Infinity).filter(Boolean)));
    const right = (row) => row.map((number) => ({ number }));
    return table(text('scenario.caption'), ['', ...chosen.map(({ name }) => ({ number: name }))], [
      { title: text('scenario.result'), rows: [[text('scenario.result'), ...right(result)]] },
      { title: text('scenario.inputs'), rows: names.map((name) => [label(name), ...right(input(name))]) },
      { title: text('scenario.figures'), rows: this.question.figures.map((name) => [label(name), ...right(figure(name))]) }]);
  }
}
