// result.js - an answer on the page: figures, charts, tables, the inputs used.
import { el, strong, svg, table } from './dom.js';
import { money, quantity, roundMoney } from './number.js';
import { partName } from './state.js';
import { choice, label, readable, text, unitOf, word } from './words.js';

const link = (address, words = text('source')) => el('a', { href: address }, words);

/** A source: our own or a web address as a link, anything else as text. */
export function reference(words) {
  if (!words || !/^(\/|https?:)/.test(words)) return readable(words ?? '');
  const [address, ...more] = words.split(', ');
  return [link(address), more.map((each) => `, ${each}`)];
}

/** Whether the low and high of a figure are those of the prices, and not an 80% interval of the estimate. */
const byPrices = (unit) => unit.startsWith('currency') || ['months', 'ratio/year'].includes(unit);

/** One card per figure: value with unit, interval, description, source. Unknown `optional` figures are left out. */
export function figures(names, reply, fields, { note, statuses = {}, optional = [], units }) {
  const shown = names.filter((name) => reply[name] !== undefined && (reply[name] !== null || !optional.includes(name)));
  return [el('dl', { class: 'figures' }, shown.map((name) => {
    const { 'x-unit': own = '', description } = fields[name] || {}, unit = units?.(reply)[name] ?? own;
    const say = (value) => (unit === 'currency' ? roundMoney(value, reply.currency) : quantity(value, unit, reply.currency, 3));
    const [low, high] = ['low', 'high'].map((end) => say(reply[`${name}_${end}`] ?? null));
    const open = reply[`${name}_high`] === null, prices = open && unit === 'months' ? 'interval.open' : 'interval.prices';
    const interval = low !== high ? el('dd', { class: 'interval' }, text(byPrices(unit) ? prices : open ? 'interval.above' : 'interval', { low, high })) : null;
    const value = reply[name] === null && statuses[name] ? choice(reply[statuses[name]])
      : quantity(reply[name], unit, reply.currency);
    return el('div', {}, el('dt', {}, label(name)),
      el('dd', { class: 'value', 'data-field': name }, value), interval,
      el('dd', { class: 'hint' }, readable(description ?? '')));
  })), el('p', { class: 'note' }, note)];
}

/** What a line comes to, whatever its table calls it. */
const amountOf = (line) => line.amount ?? line.value;

/** The ledger's lines by group, each group under its title. */
export const byGroup = (reply, titles) => Object.entries(titles).map(([group, title]) =>
  ({ title, rows: reply.line_items.filter((line) => line.group === group) }));

/** The ledger: [{title, rows}] of lines, costs apart from other figures; lines at zero are
 * folded. */
export function lineItems(bodies, currency) {
  const name = (line) => [label(line.key), line.formula ? el('small', {}, readable(line.formula)) : null];
  const times = (line) => ((line.quantity ?? null) === null ? '' : quantity(line.quantity, line.unit));
  const price = (line) => ((line.unit_price ?? null) === null ? '' : money(line.unit_price, currency));
  const bill = { caption: text('lines.bill'),
    heads: [text('table.line'), ...['quantity', 'unit_price', 'amount'].map((each) => ({ number: text(`table.${each}`) }))],
    cells: (line) => [name(line), ...[times(line), price(line), money(line.amount, currency)].map((number) => ({ number }))] };
  const other = { caption: text('lines.plain'), heads: [text('table.line'), { number: text('table.value') }],
    cells: (line) => [name(line), { number: quantity(amountOf(line), line.unit, currency) }] };
  const paid = (line) => 'unit_price' in line && (line.value ?? null) === null;
  const rows = bodies.flatMap((body) => body.rows);
  const zero = rows.filter((line) => amountOf(line) === 0);
  const kept = (want) => bodies.map(({ title, rows: lines }) => ({ title,
    rows: lines.filter((line) => paid(line) === want && amountOf(line) !== 0) })).filter((body) => body.rows.length);
  const draw = ({ caption, heads, cells }, groups) => (groups.length
    ? table(caption, heads, groups.map(({ title, rows: lines }) => ({ title, rows: lines.map(cells) }))) : null);
  return [draw(other, kept(false)), draw(bill, kept(true)),
    zero.length ? el('details', { 'data-part': 'lines-at-zero' }, el('summary', {}, text('lines.zero', { n: zero.length })), el('ul', {},
      zero.map((line) => el('li', {}, name(line))))) : null];
}

/** Adds to each figure how it was calculated. */
export function showWhy(body, rows) {
  for (const row of rows) {
    const value = body.querySelector(`.figures [data-field="${row.key}"]`);
    value?.parentNode.append(el('dd', {}, el('details', { class: 'why', 'data-part': `why-${partName(row.key)}` },
      el('summary', {}, text('why'), el('span', { class: 'hidden' }, ` ${label(row.key)}`)), el('p', {}, formula(row.formula)),
      el('p', {}, formula(row.substitution || row.inputs)), el('p', {}, linked(row.source)))));
  }
}

export const rules = (rows, currency) => table(text('rules.caption'),
  [text('rules.rule'), { number: text('rules.says') }, text('rules.formula'), text('rules.leaves_out')],
  [{ rows: rows.filter((rule) => rule.value !== null).map((rule) =>
    [label(rule.key), { number: quantity(rule.value, rule.unit, currency) }, formula(rule.formula), readable(rule.leaves_out)]) }]);

/** Words with the addresses of ours in them as links. */
const linked = (sentence) => sentence.split(/(\/v1\/[^\s;,)]+)/).map((part) => (part.startsWith('/v1/') ? link(part) : readable(part)));

/** A formula and its symbols, with − and × for - and *. */
const formula = (sentence) => readable(sentence ?? '').replaceAll(' * ', ' × ').replaceAll(' - ', ' − ');

export const why = (rows, currency) => table(text('why.caption'),
  [text('table.figure'), { number: text('table.value') }, text('why.how')],
  [{ rows: rows.map((row) => [label(row.key), { number: quantity(row.value, row.unit, currency) },
    [formula(row.formula), el('small', {}, formula(row.substitution || row.inputs)), el('small', {}, linked(row.source))]]) }], { class: 'stack' });

export const offers = (rows, currency) => table(text('offers.caption'),
  [...['provider', 'region'].map((each) => text(`offers.${each}`)), { number: text('offers.price') }, text('offers.seen'), text('offers.stale'), text('table.reference')],
  [{ rows: rows.map((offer) => [word(offer.provider), offer.region || '',
    { number: money(offer.price_per_gpu_hour, currency) }, offer.observed_date || text('offers.undated'), offer.stale ? strong(text('yes')) : text('no'), reference(offer.source_url)]) }]);

/** A cell of a table: yes or no, or a text in words; '' for anything else. */
const cell = (value) => (typeof value === 'boolean' ? text(value ? 'yes' : 'no') : typeof value !== 'string' ? '' : readable(word(value)));

/** Published runs near the question, and its own estimate and run among them, drawn on one scale. */
export function nearest(caption, rows, reply) {
  const key = rows[0].quantity;
  const all = [...rows, { own: true, quantity: key, measured: reply.inputs[`measured_${key}`]?.value, estimated: reply[key],
    low: reply[`${key}_low`], high: reply[`${key}_high`] }].filter((row) => row.quantity === key && row.estimated);
  const ends = (row) => [row.measured, row.estimated, row.low, row.high].filter(Boolean);
  const logs = all.flatMap(ends).map(Math.log), least = Math.min(...logs), span = Math.max(...logs) - least || 1;
  const x = (value) => `${4 + 92 * (Math.log(value) - least) / span}%`;
  const bar = (from, to, kind) => (from && to ? svg('line', { class: kind, x1: x(from), x2: x(to), y1: '50%', y2: '50%' }) : null);
  const dot = (value, kind) => (value ? svg('circle', { class: kind, cx: x(value), cy: '50%', r: 5 }) : null);
  const time = (value) => ({ number: value ? quantity(value, 's', 'USD', 3) : '' });
  return [table(caption, [text('nearest.run'), label('difference'), ...['measured', 'estimated'].map((each) => ({ number: label(each) })), text('nearest.scale'), text('table.reference')],
    [{ rows: all.map((row) => [row.own ? strong(text('nearest.own')) : [row.model ? word(row.model) : row.id.replaceAll('_', ' '), el('small', {}, `${quantity(row.gpu_count, 'GPUs')} ${word(row.gpu)} ${word(row.engine || '')}`)],
      row.difference ?? '', time(row.measured), time(row.estimated),
      svg('svg', { class: 'scale', 'aria-hidden': 'true' }, bar(row.low, row.high, 'interval'), bar(row.measured, row.estimated), dot(row.measured), dot(row.estimated, 'estimated')),
      row.source_url ? reference(row.source_url) : '']) }]), el('p', { class: 'note' }, text('nearest.note'))];
}

/** Any other table of an answer, as it comes. */
export function plain(title, rows, fields = {}, currency = 'USD') {
  const names = Object.keys(rows[0]);
  const unit = (name) => fields[name]?.['x-unit'] || '';
  return table(title, names.map((name) => label(name)),
    [{ rows: rows.map((row) => names.map((name) => (typeof row[name] === 'number'
      ? { number: quantity(row[name], unit(name), currency) } : cell(row[name])))) }]);
}

/** The value of an input as it is said. */
export const shown = (name, { value, unit }, currency) => (typeof value === 'string' ? value.split(',').map((each) => choice(each)).join(', ')
  : quantity(value, unitOf(name, unit), currency));

export const inputsInForce = (inputs, currency) => table(text('inputs.caption'),
  [text('table.input'), { number: text('table.value') }, text('table.from'), text('table.reference')],
  [{ rows: Object.entries(inputs).filter(([, input]) => input.value !== null).map(([name, input]) =>
    [label(name), { number: shown(name, input, currency) }, text(`form.source.${input.source}`), reference(input.reference)]) }]);

/** On paper, where no form is: what was asked. */
export const asked = (inputs, currency) => el('p', { class: 'printed' }, text('asked', { inputs: Object.entries(inputs)
  .filter(([, { source, value }]) => source === 'request' && value !== null)
  .map(([name, input]) => `${label(name)} ${shown(name, input, currency)}`).join(', ') }));

export const warnings = (list) => el('ul', {}, list.map(({ code, detail }) =>
  el('li', { 'data-code': code }, sentence(readable(detail)))));

/** It begins with a capital and ends with a stop. */
const sentence = (words) => words.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/[^.]$/, '$&.');
