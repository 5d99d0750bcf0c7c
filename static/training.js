// training.js - the question "what does it take to train it": its inputs by subject, its sentence,
// its bars of memory and time.
import { alternatives } from './alternatives.js';
import { strong } from './dom.js';
import { number, percent, roundMoney, timeRange } from './number.js';
import { picture } from './picture.js';
import { byGroup } from './result.js';

const gib = (value) => `${number(value, 3)} GiB`;

function verdict(reply) {
  const gpus = strong(`${number(reply.gpu_count, 7)} GPU${reply.gpu_count === 1 ? '' : 's'}`);
  const cost = reply.total_cost === null ? ', cost unknown'
    : [', about ', strong(roundMoney(reply.total_cost, reply.currency))];
  const time = reply.days === null ? null : [' for ', strong(timeRange(reply.days_low, reply.days, reply.days_high))];
  const share = reply.model_flops_utilization;
  const speed = share ? ` Each GPU does ${percent(share)} of its peak; a step waits mostly for ${reply.bound}.` : '';
  if (!reply.fits)
    return ['It does not fit: each GPU needs ', strong(gib(reply.memory_required_gib)), ' and has ',
      strong(gib(reply.memory_capacity_gib)), ', ', strong(gib(reply.shortfall_gib)), ' too little.',
      reply.nearest_fit ? [' The nearest that fits: ', strong(reply.nearest_fit), '.'] : null];
  return ['Needs ', gpus, time, cost, '.', speed];
}

/** The same in a line. */
const brief = (reply) => [strong(`${number(reply.gpu_count, 7)} GPU${reply.gpu_count === 1 ? '' : 's'}`),
  ...(reply.fits ? [reply.days === null ? null : `, ${timeRange(reply.days_low, reply.days, reply.days_high)}`,
    reply.total_cost === null ? null : [', ', strong(roundMoney(reply.total_cost, reply.currency))]]
    : [': does not fit, ', strong(gib(reply.shortfall_gib)), ' too little'])];

const drawing = (asked) => `/v1/training-plan.svg?${asked}`;

const charts = (reply, series, asked) => [picture(drawing(asked),
  'What fills the memory of a GPU, and where the time of a step goes.', `/v1/training-plan/line-items.csv?${asked}`)];

const lines = (reply) => byGroup(reply, { memory: 'Memory per GPU', time: 'Time of one step', cost: 'Cost' });

/** Other GPUs are to be as fast as this plan, where no other limit is set. */
const ranked = (reply) => ({
  own: ['gpus_per_node', 'power_limit_w', 'network_gbit_per_second', 'tensor_parallel', 'pipeline_parallel',
    'virtual_stages', 'context_parallel', 'expert_parallel', 'data_parallel', 'data_parallel_shard', 'zero_stage',
    'micro_batch_sequences', 'recompute', 'sequence_parallel', 'model_flops_utilization', 'precision',
    'duration_days', 'duration_hours', 'hours_per_day'],
  limit: (query) => {
    if (!query.has('deadline_days') && !query.has('budget')) query.set('deadline_days', Math.ceil(reply.days));
  },
  caption: 'Cost against days: the best of each kind of GPU, and as a line what no other beats in both.',
  what: 'strategies',
  figure: 'total_cost',
  count: (options) => options.strategies_considered,
  columns: [
    ['How many', (option) => ({ number: number(option.gpu_count, 7) })],
    ['Time', (option) => ({ number: timeRange(option.days_low, option.days, option.days_high) })],
    ['Cost', (option, currency) => ({
      number: option.total_cost === null ? 'unknown' : roundMoney(option.total_cost, currency) })],
  ],
});

export const training = {
  name: 'training-plan',
  title: 'What does it take to train it?',
  figure: 'total_cost',
  start: { model: 'llama-2-70b', gpu: 'a100-sxm4-80gb', gpu_count: '2048', tokens: '2000000000000', method: 'pretrain' },
  basic: ['model', 'method', 'tokens', 'gpu', 'gpu_count', 'precision'],
  groups: [
    { title: 'The model', names: ['parameters', 'compute_flop', 'trainable_ratio', 'frozen_layers', 'sequence_tokens',
      'global_batch_sequences'] },
    { title: 'Optimizer', names: ['optimizer', 'gradient_dtype', 'optimizer_dtype', 'master_weights',
      'optimizer_in_backward', 'chunked_loss'] },
    { title: 'Strategy', names: ['micro_batch_sequences', 'tensor_parallel', 'pipeline_parallel', 'virtual_stages',
      'pipeline_schedule', 'context_parallel', 'expert_parallel', 'data_parallel', 'zero_stage', 'data_parallel_shard',
      'recompute', 'sequence_parallel', 'cpu_offload', 'activation_offload'] },
    { title: 'Hardware and software', names: ['gpus_per_node', 'network_gbit_per_second', 'power_limit_w',
      'flash_attention', 'communication_overlap', 'stack', 'model_flops_utilization'] },
    { title: 'Failures', names: ['goodput', 'failures_per_1000_gpu_days', 'checkpoint_seconds', 'restart_seconds'] },
    { title: 'Price', names: ['purchase_option', 'provider', 'region', 'price_per_gpu_hour'] },
    { title: 'Limits', names: ['deadline_days', 'budget', 'duration_days', 'duration_hours', 'hours_per_day'] },
    { title: 'Prices and version', names: ['currency', 'as_of', 'model_version'] },
  ],
  figures: ['days', 'gpu_hours', 'total_cost', 'step_seconds', 'model_flops_utilization',
    'hardware_flops_utilization', 'model_tflops_per_gpu', 'tokens_per_second_per_gpu',
    'memory_required_gib', 'memory_capacity_gib', 'compute_flop'],
  note: 'Estimates by the formulas line by line below; their intervals come from measured runs. Money is at '
    + 'one price per GPU-hour: see the inputs used.',
  drawing,
  verdict,
  brief,
  tone: (reply) => (reply.fits ? 'plain' : 'bad'),
  moved: { figures: ['total_cost'], say: (cost, currency) => `it costs ${roundMoney(cost, currency)}` },
  charts,
  lines,
  explained: true,
  alternatives: (reply) => (reply.tokens === null ? [] : alternatives('training-plan', ranked(reply))),
};
