// alternatives.js - every GPU ranked, how each input moves the answer and, where the answer is no, buttons to what works.
import { answer, list } from './api.js';
import { el, svg, table } from './dom.js';
import { bare, number, quantity, roundMoney, short } from './number.js';
import { picture } from './picture.js';
import { reference } from './result.js';
import { keep, kept } from './state.js';
import { choice, label, named, readable, text, unitOf } from './words.js';

export function without(asked, names) {
  const query = new URLSearchParams(asked);
  names.forEach((name) => query.delete(name));
  return query;
}

/** Inputs that describe the user's own run: it says nothing about other GPUs. A stored set holds runs by GPU. */
export const ownRun = (asked) => [...new URLSearchParams(asked).keys()].filter((name) => name.startsWith('measured_'));

const name = (option) => (option.plan
  ? el('a', { href: option.plan.replace('/v1/', '/') }, named(option.gpu)) : named(option.gpu));

/** The ranking for one question. `own` names the inputs that are chosen again for each GPU; `limit`
 * completes the query; `columns` are [head, option => cell]. */
async function ranking(question, asked, { own, limit, caption, compared, count, columns }) {
  const query = without(asked, [...own, ...ownRun(asked), 'gpu', 'gpu_count', 'price_per_gpu_hour', 'field']);
  limit?.(query);
  const reply = await answer(question, query, undefined, 'options');
  return [picture(`/v1/${question}/options.svg?${query}`, caption),
    el('p', {}, text(compared, { n: number(count(reply), 9), gpus: reply.gpus_considered }),
      ownRun(asked).length ? ` ${text('other.no_run')}` : ''),
    table(text('other.caption'),
      [text('table.gpu'), ...columns.map(([head]) => head), text('other.bound'), text('other.frontier')],
      [{ rows: reply.options.map((option) => [[name(option), option.confirmed ? null : ` (${choice('unconfirmed').toLowerCase()})`],
        ...columns.map(([, cell]) => cell(option, reply.currency)), choice(option.bound ?? ''),
        text(option.on_frontier ? 'yes' : 'no')]) }]),
    table(text('part.ruled_out'), [text('table.gpu'), text('why')],
      [{ rows: reply.ruled_out.map((row) => [named(row.gpu), readable(row.sentence)]) }])];
}

/** The answer with one input at its low and at its high end. */
export const movers = (question, what, figure) => ({ part: 'what-moves-the-cost', title: text('moves.title'), load: async (asked) => {
  const query = without(asked, ['field']);
  const { effects, currency } = await answer(question, query, undefined, 'sensitivity');
  const at = (value, unit) => ({ number: bare(value, unit, currency) });
  return [picture(`/v1/${question}/sensitivity.svg?${query}`,
    text('moves.caption', { what })),
  table(what, [text('table.input'), ...['low', 'high', 'at_low', 'at_high'].map((each) => ({ number: text(`moves.${each}`) })), text('moves.basis')],
    [{ rows: effects.map((row) => [label(row.input), ...['low', 'high'].map((each) => at(row[each], unitOf(row.input, row.unit))),
      at(row[`${figure}_at_low`], 'currency'), at(row[`${figure}_at_high`], 'currency'), reference(row.basis)]) }])];
} });

/** For each input the value at which the verdict changes, and a two-way table of two inputs. */
export const turns = (question, inputs, what) => ({ part: 'what-turns-the-verdict', title: text('turns.title'), load: async (asked) => {
  const query = (more) => new URLSearchParams([...without(asked, ['field', ...Object.keys(more)]), ...Object.entries(more)]);
  const replies = await Promise.all(inputs.map((vary) =>
    answer(question, query({ vary }), undefined, 'sensitivity').catch(() => null)));
  const known = inputs.flatMap((vary, i) => (replies[i] ? [[vary, replies[i], replies[i].inputs[vary].unit]] : []));
  const pick = (words, name, at) => {
    const select = el('select', { onchange: () => {
      keep(name, select.value);
      draw();
    } },
      known.map(([vary]) => el('option', { value: vary }, label(vary))));
    select.value = kept(name);
    if (select.selectedIndex < 0) select.selectedIndex = at;
    return el('label', {}, words, select);
  };
  const choices = [pick(text('turns.x'), 'vary', 0), pick(text('turns.y'), 'vary_2', 1)];
  const box = el('div');
  const draw = () => {
    const [vary, vary_2] = choices.map((choice_) => choice_.control.value);
    box.replaceChildren(vary === vary_2 ? el('p', {}, text('turns.same'))
      : picture(`/v1/${question}/sensitivity.svg?${query({ vary, vary_2 })}`, what));
  };
  draw();
  return [table(text('turns.caption'),
    [text('table.input'), { number: text('turns.now') }, { number: text('turns.at') }, text('turns.past')],
    [{ rows: known.map(([vary, reply, unit]) => [label(vary), { number: quantity(reply.value, unit, reply.currency) },
      { number: reply.turning_point === null ? choice(reply.turning_point_status)
        : quantity(reply.turning_point, unit, reply.currency) }, reply.turning_verdict
        ? text(`turns.${reply.turning_point < reply.value ? 'below' : 'above'}`, { verdict: choice(reply.turning_verdict) }) : '']) }]),
  el('div', { class: 'field' }, choices), box];
} });

/** Parts of the page that are loaded when opened. */
export const alternatives = (question, ranked) => [
  { part: 'on-other-gpus', title: text('other.title'), load: (asked) => ranking(question, asked, ranked) },
  movers(question, text('moves.cost'), ranked.figure),
];

const end = (value, unit, currency) => (Math.abs(value) >= 1e6 ? short(value)
  : quantity(value, unit, currency, 3).replace(/[.,]00(?!\d)/, ''));

/** The common range of all strips. */
function scale(values) {
  const least = Math.min(...values), most = Math.max(...values);
  return (value) => (most > least ? ((value - least) / (most - least)) * 98 + 1 : 50);
}

/** A bar over the range of the answer, with a stroke at its present value. */
function strip(place, low, high, present) {
  const from = Math.min(place(low), place(high)), to = Math.max(place(low), place(high));
  return svg('svg', { class: 'strip', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'whole', width: 100, y: 2.5, height: 1 }),
    svg('rect', { x: from, width: Math.max(to - from, 0.5), height: 6 }),
    svg('rect', { class: 'at', x: place(present) - 0.5, width: 1, height: 6 }));
}

/** For each input, the text to show next to it and the range of its slider. `moved` is {figures, say}: the first figure
 * that is known is used. */
export async function moves(question, asked, { figures, say }, signal) {
  const reply = await answer(question, without(asked, ['side', 'lines', 'field']), signal, 'sensitivity');
  const figure = figures.find((name) => (reply[name] ?? null) !== null);
  const known = reply.effects.map((effect) => ({ ...effect, ends: [effect[`${figure}_at_low`], effect[`${figure}_at_high`]] }))
    .filter(({ ends }) => ends.every(Number.isFinite));
  const place = scale([reply[figure], ...known.flatMap(({ ends }) => ends)]);
  return new Map(known.map(({ input, unit, low, high, value, ends }) => {
    const [first, last] = ends.map((value) => say(value, reply.currency));
    const worded = (value) => end(value, unitOf(input, unit), reply.currency);
    const words = text(first === last ? 'moves.none' : 'moves.ends',
      { low: worded(low), high: worded(high), first, last });
    return [input, { nodes: [el('span', {}, words), strip(place, ...ends, reply[figure])], low, high, value, moved: first !== last }];
  }));
}

/** A button for each alternative {words, values}; it sets these inputs. */
export const buttons = (ways, form, title = 'ways.title') => el('section', { class: 'ways-on' }, el('p', {}, text(title)),
  el('p', { class: 'tools' }, ways.map(({ words, values }) =>
    el('button', { type: 'button', onclick: () => form.set(values) }, words))));

/** Limits usual in a conversation, used if people wait for the answer and no limit is given. */
export async function usualLimits({ warnings, inputs }) {
  if (inputs.output_tokens?.value === 0 || !warnings.some(({ code }) => code === 'no_latency_limit')) return [];
  const { rows } = await list('assumptions', new URLSearchParams({ scope: 'conversation' }));
  return [{ words: text('way.limits', { limits: rows.map((row) => `${label(row.key)} ${quantity(row.default, row.unit)}`).join(', ') }),
    values: Object.fromEntries(rows.map((row) => [row.key, row.default])) }];
}

/** If this GPU cannot do it: the GPUs that can, cheapest first, from the API. */
export function instead({ name }, query, form) {
  const box = el('div', { role: 'status' }, el('p', {}, text('way.looking')));
  const rest = without(query, [...ownRun(query), 'gpu', 'gpu_count', 'replica_count', 'tensor_parallel', 'pipeline_parallel', 'field', 'price_per_gpu_hour']);
  const show = ({ options, currency }) => {
    const cost = ({ cost_per_hour: hourly, total_cost: total }) => (hourly === undefined ? roundMoney(total, currency) : text('gpu.price', { price: roundMoney(hourly, currency) }));
    const refused = ownRun(query).length ? new URLSearchParams(query).get('gpu') : ''; // by the run, which the list does not know
    const ways = options.filter((each) => each.gpu !== refused && each.meets_latency !== false && (each.cost_per_hour ?? each.total_cost ?? null) !== null).slice(0, 4).map(({ gpu, gpu_count: count, plan, ...each }) => ({
      words: `${text('way.gpu', { gpu: `${number(count, 7)} × ${named(gpu)}` })}, ${cost(each)}`,
      values: Object.fromEntries(without(plan.split('?')[1], ['as_of', 'model_version'])) }));
    box.replaceChildren(ways.length ? buttons(ways, form) : el('p', {}, text('ways.none')));
  };
  answer(name, rest, undefined, 'options').then(show, (error) => box.replaceChildren(el('p', {}, error.message)));
  return box;
}
