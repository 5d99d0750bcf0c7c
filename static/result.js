// result.js - an answer on the page: figures, charts, tables, inputs in force.
import { el, strong, table } from './dom.js';
import { label } from './fields.js';
import { money, quantity, roundMoney } from './number.js';
import { partName } from './state.js';

const words = (key) => label(key, '');

const link = (address, text = 'source') => el('a', { href: address }, text);

/** Where something came from: an address of ours or of the web as a link, else the words. */
export function reference(text) {
  if (!text || !/^(\/|https?:)/.test(text)) return text ?? '';
  const [address, ...words_] = text.split(', ');
  return [link(address), words_.map((each) => `, ${each}`)];
}

/** One card per figure: value with unit, interval, what it is, where from. */
export function figures(names, reply, fields, { note, statuses = {} }) {
  const shown = names.filter((name) => reply[name] !== undefined);
  return [el('dl', { class: 'figures' }, shown.map((name) => {
    const { 'x-unit': unit = '', description } = fields[name] || {};
    const say = (value) => (unit === 'currency' ? roundMoney(value, reply.currency) : quantity(value, unit, reply.currency, 3));
    const [low, high] = ['low', 'high'].map((end) => say(reply[`${name}_${end}`] ?? null));
    const interval = low !== high ? el('dd', { class: 'interval' }, `${low} to ${high} (80 % interval)`) : null;
    const value = reply[name] === null && statuses[name] ? reply[statuses[name]].replaceAll('_', ' ')
      : quantity(reply[name], unit, reply.currency);
    const title = label(name, unit); // its unit stands beside the value, but a name needs two words
    return el('div', {}, el('dt', {}, title.includes(' ') ? title : words(name)),
      el('dd', { class: 'value', 'data-field': name }, value), interval,
      el('dd', { class: 'hint' }, description));
  })), el('p', { class: 'note' }, note)];
}

/** What a line comes to, whatever its table calls it. */
const amountOf = (line) => line.amount ?? line.value;

/** The ledger's lines by group, each group under its title. */
export const byGroup = (reply, titles) => Object.entries(titles).map(([group, title]) =>
  ({ title, rows: reply.line_items.filter((line) => line.group === group) }));

/** The ledger: [{title, rows}] of lines, what is paid for apart from what is not; lines at zero are
 * folded, not hidden. */
export function lineItems(bodies, currency) {
  const name = (line) => [words(line.key), line.formula ? el('small', {}, line.formula) : null];
  const times = (line) => ((line.quantity ?? null) === null ? '' : quantity(line.quantity, line.unit));
  const price = (line) => ((line.unit_price ?? null) === null ? '' : money(line.unit_price, currency));
  const bill = { caption: 'The bill',
    heads: ['Line', { number: 'Quantity' }, { number: 'Unit price' }, { number: 'Amount' }],
    cells: (line) => [name(line), ...[times(line), price(line), money(line.amount, currency)].map((number) => ({ number }))] };
  const plain = { caption: 'Every line', heads: ['Line', { number: 'Value' }],
    cells: (line) => [name(line), { number: quantity(amountOf(line), line.unit, currency) }] };
  const paid = (line) => 'unit_price' in line && (line.value ?? null) === null;
  const rows = bodies.flatMap((body) => body.rows);
  const zero = rows.filter((line) => amountOf(line) === 0);
  const kept = (want) => bodies.map(({ title, rows: lines }) => ({ title,
    rows: lines.filter((line) => paid(line) === want && amountOf(line) !== 0) })).filter((body) => body.rows.length);
  const draw = ({ caption, heads, cells }, groups) => (groups.length
    ? table(caption, heads, groups.map(({ title, rows: lines }) => ({ title, rows: lines.map(cells) }))) : null);
  return [draw(plain, kept(false)), draw(bill, kept(true)),
    zero.length ? el('details', { 'data-part': 'lines-at-zero' }, el('summary', {}, zero.length === 1 ? '1 line at zero' : `${zero.length} lines at zero`), el('ul', {},
      zero.map((line) => el('li', {}, name(line))))) : null];
}

/** Beside each figure, in place, how it came about. */
export function showWhy(body, rows) {
  for (const row of rows) {
    const value = body.querySelector(`.figures [data-field="${row.key}"]`);
    value?.parentNode.append(el('dd', {}, el('details', { class: 'why', 'data-part': `why-${partName(row.key)}` },
      el('summary', {}, 'Why', el('span', { class: 'hidden' }, ` ${words(row.key)}`)), el('p', {}, row.formula),
      el('p', {}, row.substitution || row.inputs), el('p', {}, linked(row.source)))));
  }
}

export const rules = (rows, currency) => table('What the usual formula says, and what it leaves out',
  ['Rule', { number: 'It says' }, 'Formula', 'What it leaves out'],
  [{ rows: rows.filter((rule) => rule.value !== null).map((rule) =>
    [words(rule.key), { number: quantity(rule.value, rule.unit, currency) }, rule.formula, rule.leaves_out]) }]);

/** Words with the addresses of ours in them as links. */
const linked = (text) => text.split(/(\/v1\/[^\s;,]+)/).map((part) => (part.startsWith('/v1/') ? link(part, part) : part));

export const why = (rows, currency) => table('The formula of each figure, the numbers put in, and where they are from',
  ['Figure', { number: 'Value' }, 'How and where from'],
  [{ rows: rows.map((row) => [[words(row.key), el('small', {}, row.key)], { number: quantity(row.value, row.unit, currency) },
    [row.formula, el('small', {}, row.substitution || row.inputs), el('small', {}, linked(row.source))]]) }], { class: 'stack' });

export const offers = (rows, currency) => table('The offers behind the catalogue price',
  ['Provider', 'Region', { number: 'Per GPU-hour' }, 'Seen', 'Stale', 'Source'],
  [{ rows: rows.map((offer) => [offer.provider, offer.region || '',
    { number: money(offer.price_per_gpu_hour, currency) }, offer.observed_date || 'undated', offer.stale ? strong('yes') : 'no', reference(offer.source_url)]) }]);

/** Any other table of an answer, as it comes. */
export function plain(title, rows, fields = {}, currency = 'USD') {
  const names = Object.keys(rows[0]);
  const unit = (name) => fields[name]?.['x-unit'] || '';
  return table(title, names.map((name) => label(name, unit(name))),
    [{ rows: rows.map((row) => names.map((name) => (typeof row[name] === 'number'
      ? { number: quantity(row[name], unit(name), currency) } : row[name] ?? ''))) }]);
}

export const inputsInForce = (inputs, currency) => table('Every input used, and its source',
  ['Input', { number: 'Value' }, 'From', 'Reference'],
  [{ rows: Object.entries(inputs).filter(([, input]) => input.value !== null).map(([name, input]) =>
    [[label(name, input.unit), el('small', {}, name)], { number: quantity(input.value, input.unit, currency) },
      input.source, reference(input.reference)]) }]);

/** On paper, where no form is: what was asked. */
export const asked = (inputs, currency) => el('p', { class: 'printed' }, 'Asked: ', Object.entries(inputs)
  .filter(([, { source, value }]) => source === 'request' && value !== null)
  .map(([name, { value, unit }]) => `${label(name, unit)} ${quantity(value, unit, currency)}`).join(', '), '.');

export const warnings = (list) => el('ul', {}, list.map(({ code, detail }) =>
  el('li', { 'data-code': code }, detail)));
