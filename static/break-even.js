// break-even.js - the question "buy or rent": its inputs by subject, its sentence, how sure that is, its curves.
import { movers, turns, without } from './alternatives.js';
import { answer } from './api.js';
import { el, strong, table } from './dom.js';
import { label } from './fields.js';
import { gpuTypes } from './gpu-types.js';
import { bare, money, number, percent, quantity, roundMoney } from './number.js';
import { picture, readable } from './picture.js';
import { reference } from './result.js';

const months = (value) => `${number(value, 3)} months`;

/** Who is cheaper, and by how much. */
const saves = (saving, currency) =>
  `${saving < 0 ? 'renting' : 'buying'} saves ${roundMoney(Math.abs(saving), currency)}`;

/** What would turn the verdict: utilization and rent. */
function thresholds(reply, word) {
  const at = [];
  if (reply.break_even_utilization !== null)
    at.push([word === 'below' ? 'below ' : 'above ', strong(percent(reply.break_even_utilization)), ' utilization']);
  if (reply.break_even_rent_price_per_gpu_hour !== null)
    at.push([word === 'below' ? 'below a rent of ' : 'above a rent of ',
      strong(roundMoney(reply.break_even_rent_price_per_gpu_hour, reply.currency)), ' per GPU-hour']);
  return at.length === 2 ? [at[0], ' or ', at[1]] : at;
}

/** The plan that the GPUs and their use come from. */
const plan = (reply) => (reply.workload ? [strong(`${reply.gpu_count} GPU${reply.gpu_count === 1 ? '' : 's'}`), ' by the ',
  el('a', { href: reply.workload_plan.slice(3) }, reply.workload === 'train' ? 'training plan' : 'sizing'), '. '] : null);

/** The third way to pay. */
function hosted(reply) {
  if (reply.hosted_total_cost === null) return null;
  const volume = reply.break_even_tokens_per_day;
  return [' The hosted API costs ', strong(roundMoney(reply.hosted_total_cost, reply.currency)), '.',
    volume === null ? null : [' Buying first costs no more at ', strong(quantity(volume, 'tokens/day')), '.']];
}

const verdict = (reply) => [plan(reply), buyOrRent(reply), hosted(reply)];

/** The same in a line. */
const brief = (reply) => (reply.buy_saving === null ? 'No verdict: a price is unknown.'
  : [reply.verdict === 'buy' ? 'Buy' : 'Rent', ': saves ', strong(roundMoney(Math.abs(reply.buy_saving), reply.currency)),
    ` over ${months(reply.horizon_months)}`]);

function buyOrRent(reply) {
  const horizon = months(reply.horizon_months);
  const saving = reply.buy_saving === null ? null : strong(roundMoney(Math.abs(reply.buy_saving), reply.currency));
  const used = reply.inputs.utilization?.value;
  const at = used === null || used === undefined ? '' : ` at ${percent(used)} utilization`;
  const turn = thresholds(reply, reply.verdict === 'buy' ? 'below' : 'above');
  if (reply.verdict === 'buy') {
    const when = reply.break_even_months > 0 ? ['after ', strong(months(reply.break_even_months))] : 'from the start';
    return ['Buying is cheaper ', reply.break_even_months === null ? null : when, `${at}; over ${horizon} it saves `,
      saving, '. ', turn.length ? ['Renting stays cheaper ', turn, '.'] : null];
  }
  if (reply.verdict === 'rent') {
    const late = reply.break_even_months !== null;
    const when = late ? ['Buying pays off only after ', strong(months(reply.break_even_months)), at, '; over ']
      : ['Renting stays cheaper for all ', strong(months(reply.search_months)), at, '; over '];
    return [when, horizon, ' renting saves ', saving, '. ',
      turn.length ? ['Buying would be cheaper ', turn, '.'] : null];
  }
  return ['No verdict: a price is unknown. Give the rent or the price of a server below.'];
}

/** What of the question moves its risk. */
const risked = (asked) => without(asked, ['side', 'lines', 'field']);

async function doubt(asked, signal) {
  const reply = await answer('break-even', risked(asked), signal, 'risk');
  const saving = (amount) => `${amount < 0 ? 'renting' : 'buying'} saving ${roundMoney(Math.abs(amount), reply.currency)}`;
  if (reply.probability_buy_cheaper === null) return '';
  return `Prices are uncertain: buying is cheaper with a probability of ${percent(reply.probability_buy_cheaper)}. 90 of `
    + `100 outcomes lie from ${saving(reply.buy_saving_p05)} to ${saving(reply.buy_saving_p95)}. `
    + `What matters most: ${label(reply.drawn_inputs[0].key, '')}.`;
}

const distribution = { title: 'How sure it is', load: async (asked) => {
  const reply = await answer('break-even', risked(asked), undefined, 'risk');
  const outcome = (name, words) => [words, { number: money(reply[name], reply.currency) }];
  return [picture(`/v1/break-even/risk.svg?${risked(asked)}`,
    'What buying saves while prices are uncertain; left of zero renting is cheaper.'),
  table('What buying saves', ['Outcome', { number: 'Saving' }], [{ rows: [outcome('buy_saving_p05', '5 of 100 are lower'),
    outcome('buy_saving_p50', 'Half are lower'), outcome('buy_saving_p95', '5 of 100 are higher')] }]),
  table('What is uncertain', ['Input', { number: 'Low' }, { number: 'Likeliest' }, { number: 'High' },
    { number: 'Share of the uncertainty' }, 'These ends are'],
  [{ rows: reply.drawn_inputs.map((row) => [label(row.key, row.unit),
    ...['low', 'mode', 'high'].map((name) => ({ number: bare(row[name], row.unit, reply.currency) })),
    { number: percent(row.variance_share) }, reference(row.basis)]) }])];
} };

const drawing = (asked) => `/v1/break-even/series.svg?${asked}`;

/** The curves, and what each month says. */
function chart(reply, series, asked) {
  const cash = (value) => money(value, reply.currency);
  const read = (index) => {
    const { month, buy_cumulative_cost: buy, rent_cumulative_cost: rent, hosted_cumulative_cost: api } = series[index];
    return `Month ${month}: buying ${cash(buy)}, renting ${cash(rent)}; `
      + (buy === rent ? 'the same.' : `${buy < rent ? 'buying' : 'renting'} is ${cash(Math.abs(rent - buy))} cheaper.`)
      + ((api ?? null) === null ? '' : ` The hosted API: ${cash(api)}.`);
  };
  return readable(drawing(asked), 'Cumulative cost, resale and cost of capital included.',
    { count: series.length, start: series.findIndex(({ month }) => month === reply.horizon_months), read });
}

const GROUPS = [['initial', 'cost', 'Paid at the start'], ['recurring', 'cost', 'Paid month by month'],
  ['opportunity', 'cost', 'Cost of capital'], ['proceeds', '', 'Got back at the end']];

/** Each side's cost by group: what is paid at once, month by month, given up, and got back. */
function summary(reply) {
  const cash = (amount) => ({ number: money(amount ?? null, reply.currency) });
  const side = (which, group, ending) => cash(reply[[which, group, ending].filter(Boolean).join('_')]);
  const rows = GROUPS.map(([group, ending, title]) => [title, side('buy', group, ending), side('rent', group, ending)]);
  const total = ['Total', cash(reply.buy_total_cost), cash(reply.rent_total_cost)];
  const third = reply.hosted_total_cost === null ? null
    : el('p', {}, `Hosted API: ${money(reply.hosted_total_cost, reply.currency)}`);
  return [table(`Cost over ${months(reply.horizon_months)}`, ['Cost', { number: 'Buying' }, { number: 'Renting' }],
    [{ rows: [...rows, total.map((cell) => (cell.number ? { number: strong(cell.number) } : strong(cell)))] }]), third];
}

/** How the totals come about; every line of them is in the ledger, with its own formula. */
function why(reply) {
  const cash = (amount) => money(amount, reply.currency);
  const total = (side) => ({ key: `${side}_total_cost`, formula: GROUPS.map(([group, ending]) =>
    [side, group, ending].filter(Boolean).join('_')).join(' + ') });
  const perHour = (side) => ({ key: `${side}_cost_per_useful_gpu_hour`, formula: `${side}_total_cost / useful_gpu_hours` });
  const put = (formula) => formula.replace(/\w+/g, (name) => (name === 'useful_gpu_hours' ? number(reply[name], 9) : cash(reply[name])));
  return [total('buy'), total('rent'), { key: 'buy_saving', formula: 'rent_total_cost - buy_total_cost' },
    perHour('buy'), perHour('rent')].filter(({ key }) => reply[key] !== null)
    .map((row) => ({ ...row, substitution: put(row.formula), source: 'sums of the rounded lines below' }));
}

/** The ledger by side and group, each with its total. */
function lines(reply) {
  return [...['buy', 'rent'].flatMap((side) => GROUPS.map(([group, ending]) => {
    const total = reply[[side, group, ending].filter(Boolean).join('_')];
    const rows = reply.line_items.filter((line) => line.side === side && line.group === group);
    return { title: `${side === 'buy' ? 'Buying' : 'Renting'}, ${group}: ${money(total, reply.currency)}`, rows };
  })), { title: `Hosted API: ${money(reply.hosted_total_cost, reply.currency)}`,
    rows: reply.line_items.filter((line) => line.side === 'hosted') }];
}

export const breakEven = {
  name: 'break-even',
  title: 'Buy or rent?',
  figure: 'buy_total_cost',
  start: { gpu: 'h100-sxm5-80gb', gpu_count: '8', utilization: '0.7', horizon_months: '36' },
  basic: ['gpu', 'gpu_count', 'utilization', 'horizon_months', 'rent_price_per_gpu_hour', 'server_price'],
  groups: [
    { title: 'From a workload', names: ['workload', 'model', 'parameters', 'daily_users',
      'requests_per_user_per_day', 'requests_per_minute', 'tokens_per_day', 'concurrent_requests',
      'input_tokens', 'output_tokens', 'peak_to_average_ratio', 'latency_p95_seconds',
      'time_to_first_token_seconds_max', 'tokens_per_second_per_user_min', 'weight_dtype',
      'engine', 'prefix_cache_ratio', 'tokens', 'deadline_days', 'runs_per_year', 'method'] },
    { title: 'Hosted API', names: ['hosted_input_price_per_million_tokens',
      'hosted_output_price_per_million_tokens', 'hosted_cached_input_price_per_million_tokens',
      'hosted_price_decline_ratio'] },
    { title: 'Rent terms', names: ['purchase_option', 'provider', 'region', 'commitment_discount_ratio',
      'spot_discount_ratio', 'spot_overhead_ratio', 'rent_price_decline_ratio', 'rental_overhead_ratio',
      'storage_tb', 'storage_price_per_gb_month', 'egress_tb_per_month', 'egress_price_per_gb',
      'support_uplift_ratio', 'goodput_uplift_ratio', 'setup_cost', 'debugging_cost_year',
      'capacity_reservation_idle_ratio'] },
    { title: 'Hardware', names: ['gpus_per_node', 'gpu_card_price', 'host_share', 'fabric_cost_ratio',
      'nodes_per_rack', 'management_network_cost', 'rack_and_pdu_cost', 'storage_cost', 'liquid_cooling_cost',
      'spares_ratio', 'freight_install_ratio', 'import_duty_ratio', 'vat_ratio', 'software_perpetual_cost',
      'procurement_project_cost', 'lead_time_months', 'maintenance_ratio', 'gpu_annual_failure_ratio',
      'gpu_replacement_ratio', 'software_subscription_per_gpu_year'] },
    { title: 'Power and space', names: ['gpu_tdp_w', 'node_power_kw', 'power_load_ratio', 'idle_power_ratio',
      'electricity_price_per_kwh', 'electricity_escalation_ratio', 'pue', 'demand_charge_per_kw_month',
      'housing', 'colocation_price_per_kw_month', 'colocation_escalator_ratio', 'facility_fitout_cost',
      'cooling_cost_year', 'remote_hands_cost_month', 'cross_connect_cost_month',
      'internet_transit_cost_month', 'carbon_price_per_tonne', 'grid_carbon_kg_per_kwh',
      'water_cost_month'] },
    { title: 'People', names: ['staff_fte', 'staff_cost_per_fte_year', 'staff_escalation_ratio',
      'training_cost_year', 'security_compliance_cost_year', 'monitoring_backup_cost_year'] },
    { title: 'Finance', names: ['cost_of_capital', 'financing', 'financing_interest_ratio',
      'loan_months', 'loan_down_payment_ratio', 'lease_months', 'lease_payment_month', 'lease_end',
      'lease_residual_ratio', 'second_gpu_count', 'second_purchase_month',
      'useful_life_months', 'annual_value_retention', 'resale_condition_factor', 'resale_fee_ratio',
      'residual_value', 'decommissioning_ratio', 'depreciation_method', 'tax_rate', 'tax_depreciation',
      'insurance_ratio', 'property_tax_ratio', 'inflation'] },
    { title: 'Use of the GPUs', names: ['gpu_hours_per_month', 'first_phase_months',
      'first_phase_utilization', 'goodput', 'tokens_per_second'] },
    { title: 'What is shown', names: ['side', 'lines'] },
    { title: 'Comparisons', names: ['spot_price_per_gpu_hour', 'reference_gpu',
      'reference_tokens_per_second', 'reference_card_price',
      'reference_rent_price_per_gpu_hour'] },
    { title: 'Prices and version', names: ['currency', 'as_of', 'model_version'] },
  ],
  figures: ['break_even_months', 'break_even_utilization', 'break_even_rent_price_per_gpu_hour',
    'buy_total_cost', 'rent_total_cost', 'buy_saving', 'buy_cost_per_useful_gpu_hour',
    'rent_cost_per_useful_gpu_hour', 'idle_cost'],
  note: 'All of it is worked out from the ledger below, to the cent; each input says where it is from.',
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
  alternatives: () => [gpuTypes, distribution, movers('break-even', 'What buying would save', 'buy_saving'),
    turns('break-even', ['utilization', 'rent_price_per_gpu_hour', 'server_price', 'horizon_months', 'staff_fte',
      'electricity_price_per_kwh', 'cost_of_capital', 'annual_value_retention', 'rent_price_decline_ratio'],
    'What buying saves at each pair of values; below zero renting is cheaper.')],
  summary,
  why,
  lines,
};
