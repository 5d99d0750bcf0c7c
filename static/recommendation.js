// recommendation.js - the question "what to train and serve it on": from workloads and money to a
// short list; each option leads to its plans, and its figures stand beside what they are held against.
import { el, strong, table } from './dom.js';
import { number, roundMoney, seconds, timeRange } from './number.js';
import { picture } from './picture.js';

const ACQUISITIONS = { rent: 'rented', buy: 'bought', rent_and_buy: 'rented and bought', in_hand: 'on GPUs in hand' };
const WORKLOADS = { train: 'train', finetune: 'fine-tune', serve: 'serve' };

function verdict(reply) {
  if (reply.recommended_rank === null)
    return [strong('Nothing keeps every limit.'), ' What comes nearest is listed below, and why each GPU will not do.'];
  const option = reply.options.find(({ rank }) => rank === reply.recommended_rank);
  const jobs = Object.entries(WORKLOADS).filter(([name]) => option[`${name}_gpu`]).map(([name, verb], i) => [i ? '; ' : '',
    i ? verb : verb.replace(/^./, (letter) => letter.toUpperCase()), ' on ',
    strong(`${number(option[`${name}_gpu_count`], 7)} × ${option[`${name}_gpu`]}`)]);
  return [jobs, `, ${ACQUISITIONS[option.acquisition]}. `,
    option.days === null ? null : ['The jobs take ', strong(timeRange(option.days_low, option.days, option.days_high)), '. '],
    option.latency_p95_seconds_estimate === null ? null
      : ['95 of 100 answers within ', strong(seconds(option.latency_p95_seconds_estimate)), '. '],
    strong(roundMoney(option.payments, reply.currency)), ' are paid in all, ', strong(roundMoney(option.total_cost, reply.currency)),
    ' with cost of capital and resale.'];
}

/** The same in a line. */
function brief(reply) {
  const option = reply.options.find(({ rank }) => rank === reply.recommended_rank);
  if (!option) return 'Nothing keeps every limit.';
  const jobs = Object.keys(WORKLOADS).filter((name) => option[`${name}_gpu`]).map((name, i) =>
    `${i ? ', ' : ''}${number(option[`${name}_gpu_count`], 7)} × ${option[`${name}_gpu`]}`);
  return [...jobs, ': ', strong(roundMoney(option.total_cost, reply.currency))];
}

const page = (address, text) => (address ? el('a', { href: address.replace('/v1/', '/') }, text) : text);

/** 4 × h100 to train, 1 × h100 to serve: each leads to its plan. */
const gpus = (option) => Object.entries(WORKLOADS).filter(([name]) => option[`${name}_gpu`]).map(([name, verb]) =>
  el('div', {}, page(option[`${name}_plan`],
    `${number(option[`${name}_gpu_count`], 7)} × ${option[`${name}_gpu`]}`), ` to ${verb}`));

const time = (option) => [
  option.days === null ? null : el('div', {}, timeRange(option.days_low, option.days, option.days_high)),
  option.latency_p95_seconds_estimate === null ? null
    : el('div', {}, `95 of 100 within ${seconds(option.latency_p95_seconds_estimate)}`)];

const options = (reply) => table('The short list, cheapest first; a number of GPUs leads to its plan',
  ['Why', 'GPUs', 'How', 'Time', { number: 'Paid' }, { number: 'Total with capital and resale' }],
  [{ rows: reply.options.map((option) => [option.roles.replaceAll(',', ', ').replaceAll('_', ' '), gpus(option),
    page(option.break_even, option.acquisition.replaceAll('_', ' ')), time(option),
    { number: roundMoney(option.payments, reply.currency) },
    { number: roundMoney(option.total_cost, reply.currency) }]) }], { class: 'stack' });

/** The figures of each option, each a line whose formula is its sentence. */
const lines = (reply) => reply.options.map((option) => ({
  title: `${option.rank}. ${option.roles.replaceAll(',', ', ').replaceAll('_', ' ')}`,
  rows: reply.reasons.filter((reason) => reason.option === option.rank && reason.value !== null)
    .map(({ code, sentence, value, unit }) => ({ key: code, formula: sentence, value, unit })) }));

const drawing = (asked) => `/v1/recommendation.svg?${asked}`;

const charts = (reply, series, asked) => [options(reply),
  picture(drawing(asked), 'What each option costs, and how long its jobs take.')];

export const recommendation = {
  name: 'recommendation',
  title: 'What to train and serve it on?',
  figure: 'recommended_total_cost',
  start: { workload: 'train,serve', model: 'llama-2-13b', budget: '2000000', daily_users: '50000',
    requests_per_user_per_day: '10' },
  basic: ['workload', 'model', 'budget', 'daily_users', 'requests_per_user_per_day', 'latency_p95_seconds'],
  groups: [
    { title: 'Jobs', names: ['parameters', 'tokens', 'tokens_per_parameter', 'finetune_tokens', 'method', 'precision',
      'sequence_tokens', 'global_batch_sequences'] },
    { title: 'The service', names: ['requests_per_minute', 'tokens_per_day', 'concurrent_requests',
      'peak_to_average_ratio', 'input_tokens', 'output_tokens', 'weight_dtype', 'growth_ratio_per_month'] },
    { title: 'Other limits', names: ['deadline_days', 'budget_per_month', 'horizon_months', 'fast_enough_days',
      'time_to_first_token_seconds_max', 'tokens_per_second_per_user_min'] },
    { title: 'What may be chosen', names: ['gpu', 'gpu_vendor', 'datacenter_only', 'min_gpu_memory_gb',
      'gpu_count_max', 'purchase_options', 'gpus_owned', 'provider', 'region'] },
    { title: 'The ledger', names: ['hosting', 'electricity_price_per_kwh', 'cost_of_capital', 'annual_value_retention',
      'rent_price_decline_ratio', 'rental_overhead_ratio'] },
    { title: 'Prices and version', names: ['currency', 'as_of', 'model_version'] },
  ],
  figures: ['recommended_gpu_count', 'recommended_days', 'recommended_latency_p95_seconds_estimate',
    'recommended_payments', 'recommended_total_cost', 'combinations_considered', 'combinations_within_limits',
    'gpus_considered', 'gpus_ruled_out'],
  note: 'Every combination of GPUs, numbers and ways to come by them is priced by the ledger of buy or rent; '
    + 'the times are those of the plans behind each option.',
  drawing,
  verdict,
  brief,
  tone: (reply) => (reply.recommended_rank === null ? 'bad' : 'plain'),
  charts,
  lines,
};
