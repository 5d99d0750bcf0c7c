// training.js - the question "what does it take to train it": its inputs by subject, its sentence,
// its bars of memory and time.
import { alternatives } from './alternatives.js';
import { counted, number, percent, roundMoney, timeRange } from './number.js';
import { picture } from './picture.js';
import { byGroup } from './result.js';
import { choice, grouped, readable, say, text } from './words.js';

const gib = (value) => `${number(value, 3)} GiB`;

function verdict(reply) {
  const gpus = counted('gpus', reply.gpu_count), time = reply.days === null ? null : timeRange(reply.days_low, reply.days, reply.days_high);
  const cost = reply.total_cost === null ? null : roundMoney(reply.total_cost, reply.currency);
  const share = reply.model_flops_utilization;
  if (!reply.fits)
    return [say('training.not', { needs: gib(reply.memory_required_gib), has: gib(reply.memory_capacity_gib), short: gib(reply.shortfall_gib) }),
      reply.nearest_fit ? say('training.nearest', { setup: readable(reply.nearest_fit) }) : null];
  return [say(!time ? 'training.verdict.no_time' : cost ? 'training.verdict' : 'training.verdict.no_cost', { gpus, time, cost }),
    share ? say('training.speed', { share: percent(share), bound: choice(reply.bound).toLowerCase() }) : null];
}

/** The same in a line. */
const brief = (reply) => {
  const gpus = counted('gpus', reply.gpu_count);
  if (!reply.fits) return [gpus, say('training.brief.not', { short: gib(reply.shortfall_gib) })];
  return [gpus, reply.days === null ? null : `, ${timeRange(reply.days_low, reply.days, reply.days_high)}`,
    reply.total_cost === null ? null : `, ${roundMoney(reply.total_cost, reply.currency)}`];
};

/** What to do if it does not fit: inputs to change, and the label of that. */
const ways = (reply) => {
  const found = reply.nearest_fit_gpu_count;
  return reply.fits || !found ? [] : [{ words: text('way.gpus', { count: number(found, 7) }), values: { gpu_count: String(found), ...FREE } },
    { words: text('way.fit'), values: { gpu_count: null, ...FREE } }];
};

/** Inputs that fix the parallelism. */
const FREE = Object.fromEntries(['tensor_parallel', 'pipeline_parallel', 'context_parallel', 'expert_parallel', 'data_parallel',
  'zero_stage', 'micro_batch_sequences', 'recompute'].map((name) => [name, null]));

const drawing = (asked) => `/v1/training-plan.svg?${asked}`;

const charts = (reply, series, asked) => [picture(drawing(asked), text('training.caption'), `/v1/training-plan/line-items.csv?${asked}`)];

const lines = (reply) => byGroup(reply, { memory: text('training.lines.memory'), time: text('training.lines.time'),
  cost: text('other.cost') });

/** Other GPUs must be as fast as this plan if no other limit is set. */
const ranked = (reply) => ({
  own: ['gpus_per_node', 'power_limit_w', 'network_gbit_per_second', 'tensor_parallel', 'pipeline_parallel',
    'virtual_stages', 'context_parallel', 'expert_parallel', 'data_parallel', 'data_parallel_shard', 'zero_stage',
    'micro_batch_sequences', 'recompute', 'sequence_parallel', 'model_flops_utilization', 'precision',
    'duration_days', 'duration_hours', 'hours_per_day'],
  limit: (query) => {
    if (!query.has('deadline_days') && !query.has('budget')) query.set('deadline_days', Math.ceil(reply.days));
  },
  caption: text('training.ranked'),
  compared: 'training.compared',
  figure: 'total_cost',
  count: (options) => options.strategies_considered,
  columns: [
    [text('other.many'), (option) => ({ number: number(option.gpu_count, 7) })],
    [text('other.time'), (option) => ({ number: timeRange(option.days_low, option.days, option.days_high) })],
    [text('other.cost'), (option, currency) => ({
      number: roundMoney(option.total_cost, currency) })],
  ],
});

export const training = {
  name: 'training-plan',
  title: text('training.title'),
  figure: 'total_cost',
  start: { model: 'llama-2-70b', gpu: 'a100-sxm4-80gb', gpu_count: '2048', tokens: '2000000000000', method: 'pretrain' },
  basic: ['model', 'method', 'tokens', 'gpu', 'gpu_count', 'precision'],
  groups: grouped('training.groups', [
    ['the-model', `parameters compute_flop trainable_ratio frozen_layers
      sequence_tokens global_batch_sequences objective completion_* critic_*`],
    ['optimizer', `optimizer* gradient_dtype master_weights chunked_loss`],
    ['strategy', `micro_batch_sequences tensor_parallel pipeline_* virtual_stages
      context_parallel expert_parallel data_* zero_stage recompute* sequence_parallel cpu_offload
      activation_offload torch_compile`],
    ['hardware-and-software', `gpus_per_node network_gbit_per_second power_limit_w
      flash_attention native_attention communication_overlap tensor_overlap expert_* stack model_flops_utilization pue power_load_ratio country
      grid_carbon_kg_per_kwh`],
    ['failures', `goodput failures_per_1000_gpu_days checkpoint_seconds
      restart_seconds setup_seconds calendar_ratio spot_interruptions_per_instance_month`],
    ['price', `purchase_option provider region price_per_gpu_hour
      provider_discounts utilization cloud_credits* experiment_ratio repeated_run_ratio checkpoints_kept
      dataset_bytes_per_token storage_price_per_gb_month egress_* training_staff_fte staff_cost_per_fte_year`],
    ['limits', `deadline_days budget duration_* hours_per_day power_budget_kw`],
    ['your-own-run', `measured_* measurement_set use_measurements`],
    ['prices-and-version', `currency as_of model_version explain`],
  ]),
  figures: ['days', 'gpu_hours', 'total_cost', 'step_seconds', 'model_flops_utilization',
    'hardware_flops_utilization', 'model_tflops_per_gpu', 'tokens_per_second_per_gpu',
    'memory_required_gib', 'memory_capacity_gib', 'compute_flop'],
  note: text('training.note'),
  drawing,
  verdict,
  brief,
  ways,
  elsewhere: true,
  tone: (reply) => (reply.fits ? 'plain' : 'bad'),
  moved: { figures: ['total_cost'], say: (cost, currency) => text('training.moves', { cost: roundMoney(cost, currency) }) },
  charts,
  lines,
  explained: true,
  alternatives: (reply) => (reply.tokens === null ? [] : alternatives('training-plan', ranked(reply))),
};
