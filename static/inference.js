// inference.js - serving: its inputs by subject, its sentence, its bars of memory and time.
import { alternatives } from './alternatives.js';
import { strong, table } from './dom.js';
import { label } from './fields.js';
import { number, quantity, roundMoney, seconds } from './number.js';
import { picture } from './picture.js';
import { byGroup } from './result.js';
import { roofline } from './sources.js';

const gib = (value) => `${number(value, 3)} GiB`;
const many = (count, word) => strong(`${number(count, 7)} ${word}${count === 1 ? '' : 's'}`);

const asked = (reply, name) => reply.inputs[name]?.value ?? null;

/** The limits one may set: what each is about, its estimate, and how it is said. */
const LIMITS = {
  latency_p95: ['latency_p95_seconds', 'latency_p95_seconds_estimate',
    (limit) => `p95 under ${seconds(limit)}`, seconds],
  time_to_first_token: ['time_to_first_token_seconds_max', 'time_to_first_token_seconds',
    (limit) => `a first token within ${seconds(limit)}`, seconds],
  tokens_per_second_per_user: ['tokens_per_second_per_user_min', 'output_tokens_per_second_per_user',
    (limit) => `${number(limit, 3)} tokens per second for each user`, (value) => `${number(value, 3)} tokens/s`],
};

function met(reply) {
  return Object.values(LIMITS).filter(([name]) => asked(reply, name) !== null).map(([name, estimate, words, say], i) =>
    [i ? ' and ' : ' meet ', words(asked(reply, name)), ': estimated ', strong(say(reply[estimate]))]);
}

/** What stands in the way, and by how much; the reason is the API's own sentence. */
function missed(reply) {
  const [name, , words] = LIMITS[reply.binding_constraint] || [];
  const what = name && asked(reply, name) !== null ? words(asked(reply, name)) : 'the load';
  const by = reply.shortfall === null ? null : [', by ', strong(quantity(reply.shortfall, reply.shortfall_unit))];
  return [' do not meet ', what, by, '. ', reply.reason];
}

/** Replicas that only read prompts, where there are any. */
const readers = (count) => (count > 0
  ? [' to write and ', many(count, 'replica'), ' to read prompts'] : null);

function nearest(reply) {
  const { nearest_gpu_count: gpus, nearest_replica_count: replicas } = reply;
  return gpus === null || gpus === undefined ? null
    : [' The smallest that does: ', many(gpus, 'GPU'), ' in ', many(replicas, 'replica'),
      readers(reply.nearest_prefill_replica_count),
      ` (tensor parallel ${reply.nearest_tensor_parallel}, pipeline parallel ${reply.nearest_pipeline_parallel}).`];
}

function cost(reply) {
  if (reply.cost_per_hour === null) return ' Its cost is unknown: give a price below.';
  const per = reply.cost_per_million_output_tokens;
  return [' About ', strong(roundMoney(reply.cost_per_hour, reply.currency)), ' an hour',
    per === null ? null : [', ', strong(roundMoney(per, reply.currency)), ' per million output tokens'], '.'];
}

const good = (reply) => reply.fits && reply.meets_load !== false && reply.meets_latency !== false;

function verdict(reply) {
  const design = [many(reply.gpu_count, 'GPU'), ' in ', many(reply.replica_count, 'replica'),
    readers(reply.prefill_replica_count)];
  if (!reply.fits)
    return ['It does not fit: of ', design, ' each GPU needs ', strong(gib(reply.memory_per_gpu_gib)), ' and has ',
      strong(gib(reply.memory_capacity_gib)), ', ', strong(gib(reply.memory_shortfall_gib)), ' too little.',
      nearest(reply)];
  if (!good(reply)) return [design, missed(reply), nearest(reply)];
  const kept = met(reply);
  return [design, kept.length ? kept : [' serve it, writing ',
    strong(`${number(reply.output_tokens_per_second, 3)} tokens per second`)], '.', cost(reply)];
}

/** The same in a line. */
const brief = (reply) => [many(reply.gpu_count, 'GPU'), ' in ', many(reply.replica_count, 'replica'),
  !reply.fits ? ': do not fit' : good(reply) ? null : ': not enough',
  reply.cost_per_hour === null ? null : [', ', strong(roundMoney(reply.cost_per_hour, reply.currency)), ' an hour']];

const drawing = (asked) => `/v1/inference-sizing.svg?${asked}`;

const charts = (reply, series, asked) => [picture(drawing(asked),
  'What fills the memory of a GPU, and where the time of an output token goes.', `/v1/inference-sizing/line-items.csv?${asked}`)];

const lines = (reply) => byGroup(reply,
  { memory: 'Memory of one GPU', time: 'Time of one output token', cost: 'Cost of an hour' });

/** Which side of the GPU's ridge the design works on. */
const atRidge = (reply) => ({ title: 'Memory or arithmetic', load: async () => {
  const row = (name, unit) => [label(name, ''), { number: quantity(reply[name], unit) }];
  return [roofline(reply.inputs.gpu.value), table('Where this design works',
    ['Figure', { number: 'Value' }], [{ rows: [row('arithmetic_intensity_flop_per_byte', 'FLOP/byte'),
      row('ridge_point_flop_per_byte', 'FLOP/byte'), row('ridge_batch_size', 'requests'), row('bound', '')] }])];
} });

const ranked = {
  own: ['replica_count', 'spare_replicas', 'prefill_replica_count', 'tensor_parallel', 'attention_data_parallel', 'pipeline_parallel',
    'expert_parallel', 'gpus_per_node', 'nvlink_bridge', 'network_gbit_per_second',
    'memory_bandwidth_gb_per_second', 'peak_tflops', 'link_gb_per_second', 'bandwidth_efficiency', 'link_latency_us',
    'replica_tokens_per_second', 'gpu_card_price'],
  caption: 'Cost of an hour against the latency of 95 of 100 requests: the best of each kind of GPU, and as a line '
    + 'what no other beats in both.',
  what: 'designs',
  figure: 'cost_per_hour',
  count: (options) => options.designs_considered,
  columns: [
    ['How many', (option) => ({ number: number(option.gpu_count, 7) })],
    ['Weights', (option) => option.weight_dtype],
    ['95 of 100 within', (option) => ({ number: seconds(option.latency_p95_seconds_estimate) })],
    ['Cost of an hour', (option, currency) => ({
      number: option.cost_per_hour === null ? 'unknown' : roundMoney(option.cost_per_hour, currency) })],
  ],
};

export const inference = {
  name: 'inference-sizing',
  title: 'What does it take to serve it?',
  figure: 'gpu_count',
  start: { model: 'llama-2-70b', gpu: 'h100-sxm5-80gb', requests_per_minute: '1000', input_tokens: '512',
    output_tokens: '200', latency_p95_seconds: '5' },
  basic: ['model', 'gpu', 'requests_per_minute', 'input_tokens', 'output_tokens', 'latency_p95_seconds'],
  groups: [
    { title: 'The load, said otherwise', names: ['concurrent_requests', 'batch_size', 'tokens_per_day',
      'daily_users', 'requests_per_user_per_day', 'peak_to_average_ratio', 'prefix_cache_ratio'] },
    { title: 'Other limits', names: ['time_to_first_token_seconds_max', 'tokens_per_second_per_user_min'] },
    { title: 'The model', names: ['parameters', 'weight_dtype', 'kv_cache_dtype', 'bytes_per_weight'] },
    { title: 'The design', names: ['gpu_count', 'replica_count', 'spare_replicas', 'tensor_parallel',
      'pipeline_parallel', 'expert_parallel', 'engine', 'batching', 'memory_utilization'] },
    { title: 'Ways of serving', names: ['attention_data_parallel', 'speculative_tokens',
      'speculative_acceptance_rate', 'speculative_draft_cost_ratio', 'separate_prefill', 'prefill_replica_count'] },
    { title: 'Hardware', names: ['gpus_per_node', 'network_gbit_per_second', 'nvlink_bridge',
      'memory_bandwidth_gb_per_second', 'peak_tflops', 'link_gb_per_second'] },
    { title: 'Price', names: ['purchase_option', 'provider', 'region', 'price_per_gpu_hour'] },
    { title: 'Rules of thumb', names: ['bandwidth_efficiency', 'link_latency_us', 'replica_tokens_per_second',
      'gpu_card_price'] },
    { title: 'Prices and version', names: ['currency', 'as_of', 'model_version'] },
  ],
  figures: ['gpu_count', 'replica_count', 'latency_p95_seconds_estimate', 'time_to_first_token_seconds',
    'time_per_output_token_seconds', 'output_tokens_per_second', 'output_tokens_per_second_per_user',
    'requests_per_minute_within_limits', 'utilization', 'gpu_count_surviving_loss', 'weights_gib', 'kv_cache_gib', 'max_concurrent_requests',
    'cost_per_hour', 'cost_per_million_output_tokens', 'cost_per_million_tokens',
    'cost_per_million_input_tokens', 'cost_per_million_generated_tokens'],
  note: 'Estimates by the formulas line by line below; their intervals come from measured runs. Money is at '
    + 'one price per GPU-hour: see the inputs used.',
  drawing,
  verdict,
  brief,
  tone: (reply) => (good(reply) ? 'plain' : 'bad'),
  moved: { figures: ['cost_per_hour'], say: (cost, currency) => `an hour costs ${roundMoney(cost, currency)}` },
  charts,
  lines,
  explained: true,
  alternatives: (reply) => [...alternatives('inference-sizing', ranked), atRidge(reply)],
};
