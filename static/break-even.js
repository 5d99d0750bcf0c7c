// break-even.js - the question "buy or rent": its inputs by subject, its sentence, how sure that is, its curves.
import { movers, turns, without } from './alternatives.js';
import { answer } from './api.js';
import { el, strong, table } from './dom.js';
import { gpuTypes } from './gpu-types.js';
import { hosted } from './hosted.js';
import { bare, counted, money, number, percent, quantity, roundMoney } from './number.js';
import { picture, readable } from './picture.js';
import { reference } from './result.js';
import { grouped, label, say, text } from './words.js';

const months = (value) => text('months', { count: value, n: number(value, 3) });
const cheaper = (saving) => (saving < 0 ? 'rent' : 'buy');

/** Who is cheaper, and by how much. */
const saves = (saving, currency) => text(`rent.saves.${cheaper(saving)}`, { saving: roundMoney(Math.abs(saving), currency) });

/** What would turn the verdict: utilization and rent. */
function thresholds(reply, word) {
  const at = [];
  if (reply.break_even_utilization !== null)
    at.push(say(`rent.turn.utilization.${word}`, { share: percent(reply.break_even_utilization) }));
  if (reply.break_even_rent_price_per_gpu_hour !== null)
    at.push(say(`rent.turn.rent.${word}`, { price: roundMoney(reply.break_even_rent_price_per_gpu_hour, reply.currency) }));
  return at.length === 2 ? [at[0], text('or'), at[1]] : at;
}

/** The plan that the GPUs and their use come from. */
const plan = (reply) => (reply.workload ? say('rent.plan', { gpus: counted('gpus', reply.gpu_count),
  plan: el('a', { href: reply.workload_plan.slice(3) }, text(`rent.plan.${reply.workload === 'train' ? 'train' : 'serve'}`)) }) : null);

const verdict = (reply) => [plan(reply), buyOrRent(reply), hosted(reply)];

/** What to do before one signs, if published rents alone turn the verdict. */
const derived = (reply) => (reply.warnings.some(({ code }) => code === 'derived_price_turns_verdict') ? say('rent.derived') : null);

/** Renting alone, where buying is ruled out. */
const rented = (reply) => say('rent.ruled', { cost: roundMoney(reply.rent_total_cost, reply.currency), horizon: months(reply.horizon_months) });

/** The same in a line. */
const brief = (reply) => (reply.buy_saving === null ? text('rent.none') : reply.buy_ruled_out ? rented(reply) : [say(`rent.brief.${reply.verdict}`,
  { saving: roundMoney(Math.abs(reply.buy_saving), reply.currency), horizon: months(reply.horizon_months) }), derived(reply)]);

function buyOrRent(reply) {
  if (reply.verdict !== 'buy' && reply.verdict !== 'rent') return say('rent.none');
  if (reply.buy_ruled_out) return rented(reply);
  const used = reply.inputs.utilization?.value ?? null, buy = reply.verdict === 'buy', month = reply.break_even_months;
  const turn = thresholds(reply, buy ? 'below' : 'above');
  const phrase = buy ? (month > 0 ? 'rent.buy' : reply.break_even_status.startsWith('not') ? 'rent.buy.late' : 'rent.buy.start') : month === null ? 'rent.rent' : 'rent.rent.late';
  return [say(phrase, { months: months(month ?? reply.search_months), at: used === null ? '' : text('rent.at', { share: percent(used) }),
    horizon: months(reply.horizon_months), saving: roundMoney(Math.abs(reply.buy_saving), reply.currency) }),
  turn.length ? say(`rent.${reply.verdict}.turn`, { turn }) : null, derived(reply)];
}

/** What of the question moves its risk. */
const risked = (asked) => without(asked, ['side', 'lines', 'field']);

async function doubt(asked, signal) {
  const reply = await answer('break-even', risked(asked), signal, 'risk');
  const saving = (amount) => text(`rent.saving.${cheaper(amount)}`, { saving: roundMoney(Math.abs(amount), reply.currency) });
  const share = reply.probability_buy_cheaper;
  if (share === null) return '';
  return text('rent.doubt', { share: share < 0.001 ? text('rent.doubt.few') : percent(share), low: saving(reply.buy_saving_p05),
    high: saving(reply.buy_saving_p95), factor: label(reply.drawn_inputs[0].key) });
}

const distribution = { part: 'how-sure-it-is', title: text('risk.title'), load: async (asked) => {
  const reply = await answer('break-even', risked(asked), undefined, 'risk');
  const outcome = (end) => [text(`risk.${end}`), { number: money(reply[`buy_saving_${end}`], reply.currency) }];
  return [picture(`/v1/break-even/risk.svg?${risked(asked)}`, text('risk.caption')),
    table(text('risk.saves'), [text('risk.outcome'), { number: text('risk.saving') }], [{ rows: ['p05', 'p50', 'p95'].map(outcome) }]),
    table(text('risk.uncertain'), [text('table.input'), { number: text('moves.low') }, { number: text('risk.mode') }, { number: text('moves.high') },
      { number: text('risk.share') }, text('moves.basis')],
    [{ rows: reply.drawn_inputs.map((row) => [label(row.key),
      ...['low', 'mode', 'high'].map((name) => ({ number: bare(row[name], row.unit, reply.currency) })),
      { number: percent(row.variance_share) }, reference(row.basis)]) }])];
} };

const drawing = (asked) => `/v1/break-even/series.svg?${asked}`;

/** The curves, and what each month says. */
function chart(reply, series, asked) {
  const cash = (value) => money(value, reply.currency);
  const read = (index) => {
    const { month, buy_cumulative_cost: buy, rent_cumulative_cost: rent, hosted_cumulative_cost: api } = series[index];
    return [text('rent.read', { month, buy: cash(buy), rent: cash(rent) }),
      buy === rent ? text('rent.read.same') : text(`rent.read.${buy < rent ? 'buy' : 'rent'}`, { difference: cash(Math.abs(rent - buy)) }),
      (api ?? null) === null ? '' : text('rent.read.hosted', { cost: cash(api) })].join('');
  };
  return readable(drawing(asked), text('rent.caption'),
    { count: series.length, start: series.findIndex(({ month }) => month === reply.horizon_months), read });
}

const COSTS = [['initial', 'cost'], ['recurring', 'cost'], ['opportunity', 'cost'], ['proceeds', '']];

/** Each side's cost by group: upfront, monthly, cost of capital and resale. */
function summary(reply) {
  const cash = (amount) => ({ number: money(amount ?? null, reply.currency) });
  const side = (which, group, ending) => cash(reply[[which, group, ending].filter(Boolean).join('_')]);
  const rows = COSTS.map(([group, ending]) => [text(`rent.${group}`), side('buy', group, ending), side('rent', group, ending)]);
  const total = [text('rent.total'), cash(reply.buy_total_cost), cash(reply.rent_total_cost)];
  const third = reply.hosted_total_cost === null ? null
    : el('p', {}, text('rent.hosted.total', { cost: money(reply.hosted_total_cost, reply.currency) }));
  return [table(text('rent.summary', { horizon: months(reply.horizon_months) }),
    [text('other.cost'), { number: text('rent.buying') }, { number: text('rent.renting') }],
    [{ rows: [...rows, total.map((cell) => (cell.number ? { number: strong(cell.number) } : strong(cell)))] }]), third];
}

/** How the totals are calculated; the ledger has each line with its own formula. */
function why(reply) {
  const cash = (amount) => money(amount, reply.currency);
  const total = (side) => ({ key: `${side}_total_cost`, formula: COSTS.map(([group, ending]) =>
    [side, group, ending].filter(Boolean).join('_')).join(' + ') });
  const perHour = (side) => ({ key: `${side}_cost_per_useful_gpu_hour`, formula: `${side}_total_cost / useful_gpu_hours` });
  const put = (formula) => formula.replace(/\w+/g, (name) => (name === 'useful_gpu_hours' ? number(reply[name], 9) : cash(reply[name])));
  return [total('buy'), total('rent'), { key: 'buy_saving', formula: 'rent_total_cost - buy_total_cost' },
    perHour('buy'), perHour('rent')].filter(({ key }) => reply[key] !== null)
    .map((row) => ({ ...row, substitution: put(row.formula), source: text('rent.sums') }));
}

/** The ledger by side and group, each with its total. */
function lines(reply) {
  const sum = (amount) => money(amount, reply.currency);
  return [...['buy', 'rent'].flatMap((side) => COSTS.map(([group, ending]) => ({
    title: text('rent.group', { group: text(`rent.${group}`), side: text(side === 'buy' ? 'rent.buying' : 'rent.renting').toLowerCase(),
      amount: sum(reply[[side, group, ending].filter(Boolean).join('_')]) }),
    rows: reply.line_items.filter((line) => line.side === side && line.group === group) }))),
  { title: text('rent.hosted.total', { cost: sum(reply.hosted_total_cost) }), rows: reply.line_items.filter((line) => line.side === 'hosted') }];
}

export const breakEven = {
  name: 'break-even',
  title: text('rent.title'),
  figure: 'buy_total_cost',
  start: { gpu: 'h100-sxm5-80gb', gpu_count: '8', utilization: '0.7', horizon_months: '36' },
  basic: ['gpu', 'gpu_count', 'utilization', 'horizon_months', 'rent_price_per_gpu_hour', 'server_price'],
  groups: grouped('rent.groups', [
    ['from-a-workload', `workload model parameters measurement_set daily_users
      requests_per_* tokens_per_day concurrent_requests input_tokens* output_tokens* peak_*
      latency_p95_seconds time_to_first_token_seconds_max tokens_per_second_per_user_min weight_dtype engine
      prefix_cache_ratio rent_schedule min_replicas service_start_seconds billing_minimum_seconds active_* tokens
      deadline_days runs_per_year method request_lengths image* kv_cache_dtype adapter* gpu_fraction mig_profile
      tokens_per_pass precision sequence_tokens global_batch_sequences experiment_ratio repeated_run_ratio
      training_staff_fte setup_seconds`],
    ['hosted-api', `hosted hosted_* cached_input_ratio`],
    ['rent-terms', `purchase_option provider region commitment_*
      spot_discount_ratio spot_overhead_ratio rent_price_decline_ratio rental_overhead_ratio storage_tb
      storage_price_per_gb_month egress_* support_uplift_ratio goodput_uplift_ratio setup_cost debugging_cost_year
      capacity_reservation_idle_ratio connected_gpu_count provider_discounts cloud_credits*
      training_other_cost_month`],
    ['hardware', `owned_gpu_count gpus_per_node gpu_card_price host_share
      fabric_cost_ratio nodes_per_rack management_network_cost rack_and_pdu_cost storage_cost liquid_cooling_cost
      spares_ratio freight_install_ratio import_duty_ratio vat_ratio software_* procurement_project_cost
      lead_time_months maintenance_ratio gpu_annual_failure_ratio gpu_replacement_ratio condition used_age_months`],
    ['power-and-space', `gpu_tdp_w node_power_kw power_load_ratio idle_power_ratio
      country electricity_* pue demand_charge_per_kw_month housing colocation_* facility_fitout_cost
      cooling_cost_year remote_hands_cost_month cross_connect_cost_month internet_transit_cost_month
      carbon_price_per_tonne grid_carbon_kg_per_kwh water_cost_month power_budget_kw`],
    ['people', `staff_* training_cost_year security_compliance_cost_year
      monitoring_backup_cost_year`],
    ['finance', `cost_of_capital financing financing_interest_ratio loan_* lease_*
      second_* useful_life_months replace_servers annual_value_retention resale_* residual_value decommissioning_ratio
      depreciation_method tax_* bonus_depreciation_ratio insurance_ratio property_tax_ratio inflation gpu_release_*`],
    ['use-of-the-gpus', `gpu_hours_per_month rented_ratio first_phase_* goodput
      tokens_per_second`],
    ['what-is-shown', `side lines ledger_* fiscal_year_start explain`],
    ['comparisons', `spot_price_per_gpu_hour reference_*`],
    ['prices-and-version', `currency as_of model_version`],
  ]),
  figures: ['break_even_months', 'break_even_utilization', 'break_even_rent_price_per_gpu_hour',
    'buy_total_cost', 'rent_total_cost', 'buy_saving', 'buy_cost_per_useful_gpu_hour',
    'rent_cost_per_useful_gpu_hour', 'idle_cost'],
  note: text('rent.note'),
  statuses: { break_even_months: 'break_even_status', break_even_utilization: 'break_even_utilization_status',
    break_even_rent_price_per_gpu_hour: 'break_even_rent_price_status' },
  series: true,
  drawing,
  verdict,
  brief,
  tone: (reply) => (reply.verdict === 'buy' || reply.verdict === 'rent' ? 'plain' : 'bad'),
  charts: (reply, series, asked) => [chart(reply, series, asked)],
  doubt,
  moved: { figures: ['buy_saving'], say: saves },
  alternatives: () => [gpuTypes, distribution, movers('break-even', text('moves.saving'), 'buy_saving'),
    turns('break-even', ['utilization', 'rent_price_per_gpu_hour', 'server_price', 'horizon_months', 'staff_fte',
      'electricity_price_per_kwh', 'cost_of_capital', 'annual_value_retention', 'rent_price_decline_ratio'],
    text('turns.saving'))],
  summary,
  why,
  lines,
};
