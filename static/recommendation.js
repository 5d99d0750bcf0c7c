// recommendation.js - the question "which GPUs should you use": from workload and budget to a shortlist; each option
// links to its plans and shows its figures next to their limits.
import { el, strong, table } from './dom.js';
import { hosted } from './hosted.js';
import { counted, number, roundMoney, seconds, timeRange } from './number.js';
import { picture } from './picture.js';
import { choice, label, named, grouped, readable, say, text } from './words.js';

const WORKLOADS = ['train', 'finetune', 'serve'];

/** "4 × NVIDIA H200 NVL". */
const gpus = (option, workload) => `${number(option[`${workload}_gpu_count`], 7)} × ${named(option[`${workload}_gpu`])}`;
const done = (option) => WORKLOADS.filter((workload) => option[`${workload}_gpu`]);
const jobs = (option) => done(option).map((workload, i) => {
  const said = say(`recommendation.${workload}`, { gpus: gpus(option, workload) });
  return i ? ['; ', typeof said[0] === 'string' ? said[0].replace(/^./, (letter) => letter.toLowerCase()) : said[0], ...said.slice(1)] : said;
});
const best = (reply) => reply.options.find(({ rank }) => rank === reply.recommended_rank);

/** A budget without a workload: what it pays for, without options. */
const alone = (reply) => !reply.options.length && !reply.inputs.workload?.value;

/** How much more buys how much time: the cheapest of the options listed for their speed that are faster by a tenth and more. */
function trade(reply, option) {
  if (option.days === null) return null;
  const [faster] = reply.options.filter((each) => each.days !== null && each.days < option.days * 0.9 && each.total_cost > option.total_cost
    && /fastest|best_value/.test(each.roles) && each.within_budget !== false).sort((a, b) => a.total_cost - b.total_cost);
  return faster ? say('recommendation.faster', { more: roundMoney(faster.total_cost - option.total_cost, reply.currency),
    time: timeRange(null, option.days - faster.days, null),
    option: done(faster).map((workload) => [gpus(faster, workload), text(`recommendation.to.${workload}`)].join('')).join(', ') }) : null;
}

function verdict(reply) {
  const option = best(reply);
  if (alone(reply)) return [readable(reply.recommended_sentence ?? reply.warnings.find(({ code }) => code === 'no_option').detail)];
  if (!option) return [say('recommendation.none'), hosted(reply)];
  return [jobs(option), ` (${how(option).toLowerCase()}). `,
    option.days === null ? null : say('recommendation.days', { time: timeRange(option.days_low, option.days, option.days_high) }),
    option.latency_p95_seconds_estimate === null ? null : say('recommendation.latency', { time: seconds(option.latency_p95_seconds_estimate) }),
    say(option.months_served === null ? 'recommendation.cost.jobs' : 'recommendation.cost', {
      payments: roundMoney(option.payments, reply.currency), total: roundMoney(option.total_cost, reply.currency),
      range: option.total_cost_low < option.total_cost_high ? text('recommendation.cost.range', {
        low: roundMoney(option.total_cost_low, reply.currency), high: roundMoney(option.total_cost_high, reply.currency) }) : '',
      horizon: text('months', { count: reply.inputs.horizon_months.value, n: number(reply.inputs.horizon_months.value) }) }), trade(reply, option), hosted(reply)];
}

/** The same in a line. */
function brief(reply) {
  const option = best(reply);
  if (alone(reply) && reply.recommended_gpu) return [`${number(reply.recommended_gpu_count)} × ${named(reply.recommended_gpu)}: `, strong(roundMoney(reply.recommended_total_cost, reply.currency))];
  if (!option) return text('recommendation.none.brief');
  return [done(option).map((workload) => gpus(option, workload)).join(', '), ': ', strong(roundMoney(option.total_cost, reply.currency))];
}

/** "Rent", and for how long if it is by contract. */
function how(option) {
  const terms = new Set(done(option).map((workload) => option[`${workload}_purchase_option`]).filter((term) => term?.startsWith('reserved')));
  return [choice(option.acquisition), ...[...terms].map((term) => choice(term).toLowerCase())].join(', ');
}

const page = (address, words) => (address ? el('a', { href: address.replace('/v1/', '/') }, words) : words);

/** For a hosted API, in place of GPUs: the provider. */
const providers = ({ hosted_provider_count: count, inputs }) => (count === null ? null
  : el('a', { href: inputs.hosted_input_price_per_million_tokens.reference }, counted('hosted.at', count)));

/** 4 × H100 to train, 1 × H100 to serve: each leads to its plan. */
const plans = (option, reply) => (option.acquisition === 'hosted' ? providers(reply) : done(option).map((workload) =>
  el('div', {}, page(option[`${workload}_plan`], gpus(option, workload)), text(`recommendation.to.${workload}`))));

const time = (option) => [
  option.days === null ? null : el('div', { class: 'day' }, timeRange(option.days_low, option.days, option.days_high)),
  option.latency_p95_seconds_estimate === null ? null
    : el('div', { class: 'day' }, text('recommendation.within', { time: seconds(option.latency_p95_seconds_estimate) }))];

const roles = (option) => option.roles.split(',').map(choice).join(', ');

const options = (reply) => table(text('recommendation.caption'),
  [...['role', 'gpus', 'how', 'time'].map((each) => text(`recommendation.${each}`)), { number: text('recommendation.paid') },
    { number: text('recommendation.total') }],
  [{ rows: reply.options.map((option) => [[`${option.rank}. ${roles(option)}`, option === best(reply) ? strong(` ${text('recommendation.recommended')}`) : null],
    plans(option, reply), page(option.break_even, how(option)), time(option),
    { number: roundMoney(option.payments, reply.currency) },
    { number: roundMoney(option.total_cost, reply.currency) }]) }], { class: 'stack' });

/** The figures of each option, one a line, and below them the limits that they are compared with. */
const lines = (reply) => reply.options.filter(({ acquisition }) => acquisition !== 'hosted').map((option) => ({
  title: `${option.rank}. ${roles(option)}`,
  rows: reply.reasons.filter((reason) => reason.option === option.rank && reason.value !== null)
    .map(({ code, sentence, value, unit }) => ({ key: `option_${code}`, formula: readable(sentence.replace(/^.*?; /, '')), value, unit })) }));

/** A budget alone has no picture. */
const drawing = (asked) => (/\b(workload|model|parameters)=/.test(asked) ? `/v1/recommendation.svg?${asked}` : null);

/** What the budget pays for, confirmed prices and the most arithmetic first. */
const affordable = (reply) => table(label('affordable'), [text('recommendation.gpus'), text('recommendation.how'),
  { number: text('recommendation.paid') }, { number: text('recommendation.total') }], [{ rows: [...reply.affordable].sort((a, b) => b.confirmed - a.confirmed).slice(0, 20).map((row) => [
  [page(row.plan, `${number(row.gpu_count, 7)} × ${named(row.gpu)}`), row.confirmed ? null : ` (${choice('unconfirmed').toLowerCase()})`],
  choice(row.acquisition === 'buy' ? 'buy' : row.purchase_option), { number: roundMoney(row.payments, reply.currency) },
  { number: roundMoney(row.total_cost, reply.currency) }]) }], { class: 'stack' });

const charts = (reply, series, asked) => (alone(reply) ? reply.affordable.length ? [affordable(reply)] : [] : [picture(drawing(asked),
  text(reply.recommended_days === null ? 'recommendation.chart.serve' : 'recommendation.chart')), options(reply)]);

export const recommendation = {
  name: 'recommendation',
  title: text('recommendation.title'),
  figure: 'recommended_total_cost',
  start: { workload: 'train,serve', model: 'llama-2-13b', budget: '2000000', daily_users: '50000',
    requests_per_user_per_day: '10' },
  basic: ['workload', 'model', 'budget', 'daily_users', 'requests_per_user_per_day', 'latency_p95_seconds'],
  many: { workload: WORKLOADS, purchase_options: ['on_demand', 'reserved_1yr', 'reserved_3yr', 'spot', 'owned'] },
  groups: grouped('recommendation.groups', [
    ['jobs', `parameters tokens tokens_per_parameter finetune_tokens method
      precision sequence_tokens global_batch_sequences stack objective completion_* critic_* experiment_ratio repeated_run_ratio training_staff_fte setup_seconds`],
    ['the-service', `requests_per_minute tokens_per_day concurrent_requests
      peak_load_ratio_max peak_to_average_ratio input_tokens* output_tokens* weight_dtype engine router growth_ratio_per_month rent_schedule
      min_replicas service_start_seconds billing_minimum_seconds active_hours_per_day active_days_per_week
      request_lengths image* quantized prefix_cache_ratio adapter* gpu_fraction mig_profile tokens_per_pass
      migration_*`],
    ['hosted-api', `hosted hosted_* cached_input_ratio`],
    ['other-limits', `deadline_days budget_per_month horizon_months
      fast_enough_days delay_cost_per_month time_to_first_token_seconds_max tokens_per_second_per_user_min
      power_budget_kw`],
    ['what-may-be-chosen', `gpu gpu_vendor datacenter_only min_gpu_memory_gb
      gpu_count_max purchase_options gpus_owned provider region condition used_age_months provider_discounts
      cloud_credits*`],
    ['the-ledger', `housing country electricity_price_per_kwh cost_of_capital
      annual_value_retention rent_price_decline_ratio rental_overhead_ratio carbon_price_per_tonne
      grid_carbon_kg_per_kwh`],
    ['prices-and-version', `measurement_set use_measurements currency as_of
      model_version explain`],
  ]),
  figures: ['recommended_gpu_count', 'recommended_days', 'recommended_latency_p95_seconds_estimate',
    'recommended_payments', 'recommended_total_cost', 'hosted_total_cost', 'hosted_cost_per_month', 'combinations_considered', 'combinations_within_limits',
    'gpus_considered', 'gpus_ruled_out'],
  optional: ['recommended_days', 'recommended_latency_p95_seconds_estimate'],
  note: text('recommendation.note'),
  drawing,
  verdict,
  brief,
  tone: (reply) => (reply.recommended_gpu === null ? 'bad' : 'plain'),
  charts,
  lines,
};
