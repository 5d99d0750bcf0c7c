// inference.js - serving: its inputs by subject, its sentence, its bars of memory and time.
import { alternatives } from './alternatives.js';
import { table } from './dom.js';
import { counted, number, quantity, roundMoney, seconds } from './number.js';
import { picture } from './picture.js';
import { byGroup } from './result.js';
import { roofline } from './sources.js';
import { choice, grouped, label, readable, say, text } from './words.js';

const gib = (value) => `${number(value, 3)} GiB`;

const asked = (reply, name) => reply.inputs[name]?.value ?? null;
const perUser = (value) => text('serving.tokens', { n: number(value, 3) });

/** The limits one may set: the input, its estimate, the phrase, and how a value is said. */
const LIMITS = {
  latency_p95: ['latency_p95_seconds', 'latency_p95_seconds_estimate', 'serving.latency', seconds],
  time_to_first_token: ['time_to_first_token_seconds_max', 'time_to_first_token_seconds', 'serving.first', seconds],
  tokens_per_second_per_user: ['tokens_per_second_per_user_min', 'output_tokens_per_second_per_user', 'serving.speed', perUser],
};

const met = (reply) => Object.values(LIMITS).filter(([name]) => asked(reply, name) !== null).map(([name, estimate, phrase, words], i) =>
  [i ? text('and') : ' ', say(phrase, { count: reply.gpu_count, estimate: words(reply[estimate]), limit: words(asked(reply, name)) })]);

/** What prevents it, and by how much; the reason is the API's own sentence. */
const missed = (reply) => [say('serving.slow', { count: reply.gpu_count }), reply.shortfall === null ? null
  : say('serving.slow.by', { by: quantity(reply.shortfall, reply.shortfall_unit, reply.currency, 3) }), '. ', readable(reply.reason ?? '')];

/** "16 GPUs (2 replicas of 8)", and the replicas that only read prompts. */
function design(reply) {
  const gpus = counted('gpus', reply.gpu_count), reading = reply.prefill_replica_count;
  const whole = reply.replica_count > 1 && !reading;
  return [say(whole ? 'serving.design' : 'serving.design.one', { gpus, replicas: counted('replicas', reply.replica_count),
    each: number(reply.gpu_count / reply.replica_count, 7) }), reading > 0 ? say('serving.readers', { replicas: counted('replicas', reading) }) : null];
}

const nearest = (reply) => ((reply.nearest_gpu_count ?? null) === null ? null
  : say('serving.nearest', { gpus: counted('gpus', reply.nearest_gpu_count) }));

function cost(reply) {
  const written = reply.cost_per_million_output_tokens, each = written ?? reply.cost_per_million_tokens;
  if (reply.cost_per_hour === null) return say('serving.cost.none');
  return say(each === null ? 'serving.cost' : written === null ? 'serving.cost.prompts' : 'serving.cost.tokens',
    { cost: roundMoney(reply.cost_per_hour, reply.currency), each: roundMoney(each, reply.currency) });
}

const good = (reply) => reply.fits && reply.meets_load !== false && reply.meets_latency !== false;

function verdict(reply) {
  if (!reply.fits)
    return [say('training.not', { needs: gib(reply.memory_per_gpu_gib), has: gib(reply.memory_capacity_gib), short: gib(reply.memory_shortfall_gib) }),
      nearest(reply), reply.narrower_weights_sentence && ` ${readable(reply.narrower_weights_sentence)}`];
  if (!good(reply)) return [design(reply), missed(reply), nearest(reply)];
  const kept = met(reply), reads = asked(reply, 'output_tokens') === 0; // then a token a request is counted
  return [design(reply), kept.length ? kept : [' ', say(reads ? 'serving.reads' : 'serving.plain', { count: reply.gpu_count,
    speed: perUser(reply.output_tokens_per_second * (reads ? asked(reply, 'input_tokens') : 1)) })], '.', cost(reply)];
}

/** The same in a line. */
const brief = (reply) => say(!good(reply) ? 'serving.brief.not' : reply.cost_per_hour === null ? 'serving.design.one' : 'serving.brief',
  { gpus: counted('gpus', reply.gpu_count), cost: roundMoney(reply.cost_per_hour, reply.currency) });

/** Inputs that fix the design. */
const FREE = Object.fromEntries(['gpu_count', 'replica_count', 'tensor_parallel', 'pipeline_parallel', 'expert_parallel',
  'prefill_replica_count'].map((name) => [name, null]));

const ways = (reply) => (good(reply) ? [] : [
  ...((reply.nearest_gpu_count ?? null) === null ? [] : [{ words: text('way.gpus', { count: number(reply.nearest_gpu_count, 7) }), values: FREE }]),
  { words: text('way.fit'), values: FREE }].slice(0, 1));

/** If even one request takes too long, a sentence that says so. */
const tooSlow = ({ detail }, query) => {
  const [, takes] = /even a single request, alone on a replica, takes ([\d.]+) seconds/.exec(detail) ?? [];
  const limit = Number(query.get('latency_p95_seconds'));
  return takes && limit ? say('serving.too_slow', { takes: seconds(Number(takes)), limit: seconds(limit) }) : null;
};

const drawing = (query) => `/v1/inference-sizing.svg?${query}`;

const charts = (reply, series, query) => [picture(drawing(query), text('serving.caption'), `/v1/inference-sizing/line-items.csv?${query}`)];

const lines = (reply) => byGroup(reply, { memory: text('training.lines.memory'), time: text(asked(reply, 'output_tokens') ? 'serving.lines.time' : 'serving.lines.read'), cost: text('other.hour') });

/** Which side of the GPU's ridge the design works on. */
const atRidge = (reply) => ({ part: 'memory-or-arithmetic', title: text('ridge.title'), load: async () => {
  const row = (name, unit) => [label(name), { number: unit ? quantity(reply[name], unit) : choice(reply[name]) }];
  return [roofline(reply.inputs.gpu.value), table(text('ridge.caption'),
    [text('table.figure'), { number: text('table.value') }], [{ rows: [row('arithmetic_intensity_flop_per_byte', 'FLOP/byte'),
      row('ridge_point_flop_per_byte', 'FLOP/byte'), row('ridge_batch_size', 'requests'), row('bound', '')] }])];
} });

const ranked = {
  own: ['replica_count', 'spare_replicas', 'prefill_replica_count', 'tensor_parallel', 'attention_data_parallel', 'pipeline_parallel',
    'expert_parallel', 'gpus_per_node', 'nvlink_bridge', 'network_gbit_per_second',
    'memory_bandwidth_gb_per_second', 'peak_tflops', 'link_gb_per_second', 'bandwidth_efficiency', 'link_latency_us',
    'replica_tokens_per_second', 'gpu_card_price'],
  caption: text('serving.ranked'),
  compared: 'serving.compared',
  figure: 'cost_per_hour',
  count: (options) => options.designs_considered,
  columns: [
    [text('other.many'), (option) => ({ number: number(option.gpu_count, 7) })],
    [text('other.weights'), (option) => choice(option.weight_dtype)],
    [text('other.within'), (option) => ({ number: option.meets_latency === false ? text('other.slow', { n: seconds(option.latency_p95_seconds_estimate) }) : seconds(option.latency_p95_seconds_estimate) })],
    [text('other.hour'), (option, currency) => ({
      number: roundMoney(option.cost_per_hour, currency) })],
  ],
};

export const inference = {
  name: 'inference-sizing',
  title: text('serving.title'),
  figure: 'gpu_count',
  start: { model: 'llama-2-70b', gpu: 'h100-sxm5-80gb', requests_per_minute: '1000', input_tokens: '512',
    output_tokens: '200', latency_p95_seconds: '10' },
  basic: ['model', 'gpu', 'requests_per_minute', 'input_tokens', 'output_tokens', 'latency_p95_seconds'],
  groups: grouped('serving.groups', [
    ['the-load-said-otherwise', `concurrent_requests batch_size tokens_per_day
      daily_users requests_per_user_per_day peak_load_ratio_max peak_to_average_ratio prefix_cache_ratio request_lengths image*
      input_tokens_cv output_tokens_cv`],
    ['other-limits', `time_to_first_token_seconds_max
      tokens_per_second_per_user_min power_budget_kw`],
    ['the-model', `parameters weight_dtype kv_cache_dtype bytes_per_weight`],
    ['the-design', `gpu_count replica_count spare_replicas tensor_parallel
      pipeline_parallel expert_parallel router engine* batching memory_utilization tokens_per_pass`],
    ['ways-of-serving', `attention_data_parallel speculative_* separate_prefill
      prefill_replica_count adapter* gpu_fraction mig_profile`],
    ['hardware', `gpus_per_node network_gbit_per_second nvlink_bridge
      memory_bandwidth_gb_per_second peak_tflops link_gb_per_second`],
    ['price', `purchase_option provider region price_per_gpu_hour
      provider_discounts cloud_credits*`],
    ['rules-of-thumb', `bandwidth_efficiency link_latency_us
      replica_tokens_per_second gpu_card_price`],
    ['your-own-run', `measured_* measurement_set use_measurements`],
    ['prices-and-version', `currency as_of model_version explain`],
  ]),
  figures: ['gpu_count', 'replica_count', 'latency_p95_seconds_estimate', 'time_to_first_token_seconds',
    'time_per_output_token_seconds', 'output_tokens_per_second', 'output_tokens_per_second_per_user',
    'requests_per_minute_within_limits', 'utilization', 'gpu_count_surviving_loss', 'weights_gib', 'kv_cache_gib', 'max_concurrent_requests',
    'cost_per_hour', 'cost_per_million_output_tokens', 'cost_per_million_tokens',
    'cost_per_million_input_tokens', 'cost_per_million_generated_tokens'],
  optional: ['time_per_output_token_seconds', 'output_tokens_per_second_per_user', 'cost_per_million_output_tokens',
    'cost_per_million_generated_tokens'],
  // A model that writes nothing has its requests counted instead.
  units: (reply) => (asked(reply, 'output_tokens') === 0 ? { output_tokens_per_second: 'requests/s' } : {}),
  note: text('training.note'),
  drawing,
  verdict,
  brief,
  ways,
  tooSlow,
  tone: (reply) => (good(reply) ? 'plain' : 'bad'),
  moved: { figures: ['cost_per_hour'], say: (cost, currency) => text('serving.moves', { cost: roundMoney(cost, currency) }) },
  charts,
  lines,
  explained: true,
  alternatives: (reply) => [...alternatives('inference-sizing', ranked), atRidge(reply)],
};
