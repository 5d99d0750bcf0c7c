// alternatives.js - what else would train it: every kind of GPU ranked, and what moves the answer.
// Both pictures are the API's own, as in a wiki or a mail; the rows beside them say the same.
import { answer } from './api.js';
import { el, table } from './dom.js';
import { number, roundMoney, timeRange } from './number.js';

/** Inputs that say how one kind of GPU is used: the ranking chooses them anew for each. */
const OWN = ['gpu', 'gpu_count', 'gpus_per_node', 'power_limit_w', 'network_gbit_per_second', 'tensor_parallel',
  'pipeline_parallel', 'virtual_stages', 'context_parallel', 'expert_parallel', 'data_parallel', 'data_parallel_shard',
  'zero_stage', 'micro_batch_sequences', 'recompute', 'sequence_parallel', 'model_flops_utilization',
  'price_per_gpu_hour', 'precision', 'duration_days', 'duration_hours', 'hours_per_day', 'field'];

const picture = (path, words) => el('figure', {}, el('img', { class: 'picture', src: path, alt: words }),
  el('figcaption', {}, words, ' ', el('a', { href: path }, 'This picture'), ' or ',
    el('a', { href: path.replace('.svg?', '.csv?') }, 'its figures as CSV'), '.'));

function without(asked, names) {
  const query = new URLSearchParams(asked);
  names.forEach((name) => query.delete(name));
  return query;
}

const page = (plan) => plan.replace('/v1/', '/');

function ranking(reply) {
  const rows = reply.options.map((option) => [
    option.plan ? el('a', { href: page(option.plan) }, option.gpu) : option.gpu,
    { number: number(option.gpu_count, 7) },
    { number: timeRange(option.days_low, option.days, option.days_high) },
    { number: option.total_cost === null ? 'unknown' : roundMoney(option.total_cost, reply.currency) },
    option.bound, option.on_frontier ? 'yes' : 'no']);
  return table('The best of each kind of GPU; a name leads to its plan',
    ['GPU', 'How many', 'Time', 'Cost', 'Waits for', 'On the frontier'], [{ rows }]);
}

/** Those that are as fast as this plan, where no other limit is set. */
async function others(asked, days) {
  const query = without(asked, OWN);
  if (!query.has('deadline_days') && !query.has('budget')) query.set('deadline_days', Math.ceil(days));
  const reply = await answer('training-plan', query, undefined, 'options');
  const limit = reply.inputs.deadline_days?.value ?? null;
  return [picture(`/v1/training-plan/options.svg?${query}`,
    'Cost against days: the best of each kind of GPU, and as a line what no other beats in both.'),
  el('p', {}, `${number(reply.strategies_considered, 9)} strategies compared on ${reply.gpus_considered} kinds of GPU.`,
    limit === null ? '' : ` Those that end within ${number(limit)} days come first.`),
  ranking(reply),
  table('Ruled out', ['GPU', 'Why'], [{ rows: reply.ruled_out.map((row) => [row.gpu, row.sentence]) }])];
}

const moves = (asked) => [picture(`/v1/training-plan/sensitivity.svg?${without(asked, ['field'])}`,
  'What the total cost would be with one input at its low and at its high end, the others as they are.')];

/** Parts of the page that are asked for when they are opened. */
export const alternatives = (reply) => (reply.tokens === null ? [] : [
  { title: 'On other GPUs', load: (asked) => others(asked, reply.days) },
  { title: 'What moves the cost', load: moves },
]);
