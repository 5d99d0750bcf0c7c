// history.js - rental prices of a kind of GPU over time: the API's picture of the days one chooses, by
// buttons, by dates or by dragging over it, and its observations as a table.
import { list } from './api.js';
import { el, table } from './dom.js';
import { money } from './number.js';
import { selectable } from './picture.js';
import { reference } from './result.js';
import { choice, text, word } from './words.js';

const SPANS = [['month', 1], ['quarter', 3], ['year', 12], ['all', null]];
const MOST = 1000; // rows of the table
const FIRST = '2000-01-01'; // while one types a year it is 0002, 0020 and 0202 first

/** A day so many months before, as yyyy-mm-dd; of a shorter month its last. */
function before(day, months) {
  const [year, month, date] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 - months, Math.min(date, last))).toISOString().slice(0, 10);
}

/** What the API is asked: the filters of the list, and the days. */
function queryOf(filters, { from, to }) {
  const query = new URLSearchParams([...filters].filter(([name]) => name !== 'sort'));
  if (from) query.set('from_date', from);
  if (to) query.set('to_date', to);
  return query;
}

function observations({ rows, count, currency }) {
  const shown = table(text('history.caption'), [text('history.day'), text('offers.provider'), text('history.how'), { number: text('other.many') },
    { number: text('offers.price') }, text('table.reference')],
    [{ rows: rows.map((row) => [row.observed_date ?? text('offers.undated'), word(row.provider), choice(row.purchase_option), { number: row.gpu_count },
      { number: money(row.price_per_gpu_hour, currency) }, reference(row.source_url)]) }]);
  if (!rows.length) return [el('p', {}, text('history.none'))];
  return [el('details', { 'data-part': 'observations' }, el('summary', {}, text('history.count', { n: count })), shown,
    count > rows.length ? el('p', {}, text('history.latest', { n: rows.length, all: count })) : null)];
}

/** The section. `days` are {from, to}, '' where open; `today` is the day of the list; `change(days)` is
 * told what was chosen and gives the section of those; `parts` are the folded ones of the page. */
export function priceHistory(filters, days, today, parts, change) {
  const query = queryOf(filters, days);
  const section = el('section', { class: 'history' }, el('h2', {}, text('history.title')));
  const go = (chosen, focus) => {
    const next = change(chosen);
    section.replaceWith(next);
    next.querySelector(focus)?.focus();
  };
  const span = ([words, months], i) => {
    const from = months ? before(today, months) : '';
    return el('button', { type: 'button', 'data-span': i, 'aria-pressed': String(days.from === from && !days.to),
      onclick: () => go({ from, to: '' }, `[data-span="${i}"]`) }, text(`history.${words}`));
  };
  const date = (name, words, other) => {
    const box = el('input', { type: 'date', id: `history-${name}`, min: other || FIRST, max: today, onchange: () =>
      box.validity.valid && go({ ...days, [name]: box.value }, `#history-${name}`) });
    box.value = days[name];
    return el('div', { class: 'field' }, el('label', { for: box.id }, words), box);
  };
  const rows = el('div', {}, el('p', { role: 'status' }, text('waiting')));
  section.append(el('div', { class: 'spans', role: 'group', 'aria-label': text('history.days') }, SPANS.map(span),
    date('from', text('table.from')), date('to', text('history.to'), days.from)),
  selectable(`/v1/offers/history.svg?${query}`, text('history.words'), (from, to) => go({ from, to }, '#history-from')), rows);
  const latest = new URLSearchParams([...query, ['sort', '-observed_date'], ['limit', MOST], ['count', '1']]);
  list('offers/history', latest).then((reply) => {
    rows.replaceChildren(...observations(reply));
    parts.show(rows);
  }, (error) => rows.replaceChildren(el('p', { class: 'error' }, text('history.failed', { why: error.errors?.[0]?.detail ?? error.message }))));
  return section;
}
