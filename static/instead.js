// instead.js - where an answer is no: buttons to what works.
import { ownRun, without } from './alternatives.js';
import { answer, list } from './api.js';
import { el } from './dom.js';
import { number, quantity, roundMoney } from './number.js';
import { label, named, text } from './words.js';

/** A button per way: {words, values}, the inputs that it sets. */
export const buttons = (ways, form, title = 'ways.title') => el('section', { class: 'ways-on' }, el('p', {}, text(title)),
  el('p', { class: 'tools' }, ways.map(({ words, values }) =>
    el('button', { type: 'button', onclick: () => form.set(values) }, words))));

/** Where people wait and nobody said how long they may: the limits usual in a conversation. */
export async function usualLimits({ warnings, inputs }) {
  if (inputs.output_tokens?.value === 0 || !warnings.some(({ code }) => code === 'no_latency_limit')) return [];
  const { rows } = await list('assumptions', new URLSearchParams({ scope: 'conversation' }));
  return [{ words: text('way.limits', { limits: rows.map((row) => `${label(row.key)} ${quantity(row.default, row.unit)}`).join(', ') }),
    values: Object.fromEntries(rows.map((row) => [row.key, row.default])) }];
}

/** Where this kind of GPU cannot do it: the kinds that can, cheapest first, asked of the API. */
export function instead({ name }, query, form) {
  const box = el('div', { role: 'status' }, el('p', {}, text('way.looking')));
  const rest = without(query, [...ownRun(query), 'gpu', 'gpu_count', 'replica_count', 'tensor_parallel', 'pipeline_parallel', 'field', 'price_per_gpu_hour']);
  const show = ({ options, currency }) => {
    const cost = ({ cost_per_hour: hourly, total_cost: total }) => (hourly === undefined ? roundMoney(total, currency) : text('gpu.price', { price: roundMoney(hourly, currency) }));
    const refused = ownRun(query).length ? new URLSearchParams(query).get('gpu') : ''; // by the run, which the list does not know
    const ways = options.filter((each) => each.gpu !== refused && (each.cost_per_hour ?? each.total_cost ?? null) !== null).slice(0, 4).map(({ gpu, gpu_count: count, plan, ...each }) => ({
      words: `${text('way.gpu', { gpu: `${number(count, 7)} × ${named(gpu)}` })}, ${cost(each)}`,
      values: Object.fromEntries(without(plan.split('?')[1], ['as_of', 'model_version'])) }));
    box.replaceChildren(ways.length ? buttons(ways, form) : '');
  };
  answer(name, rest, undefined, 'options').then(show, (error) => box.replaceChildren(el('p', {}, error.message)));
  return box;
}
