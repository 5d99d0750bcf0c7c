// sources.js - the sources of the figures in a row of the catalogue.
import { figures } from './api.js';
import { el, table } from './dom.js';
import { quantity } from './number.js';
import { picture } from './picture.js';
import { choice, label, text } from './words.js';

/** The source of a row, whatever its list calls it. */
const SAID = ['source', 'source_url', 'source_date', 'observed_date', 'observed_text', 'normalization_note', 'note', 'instance',
  'valid_until_date', 'stale', 'undated', 'usable'];

const address = (words) => (/^https?:/.test(words) ? el('a', { href: words }, words) : words);

/** Every figure of a GPU from each of its sources, including those not used. */
const ofGpu = (rows) => table(text('sources.caption'),
  [text('table.figure'), { number: text('table.value') }, text('sources.used'), text('table.reference'), text('sources.date'), text('sources.note')],
  [{ rows: rows.map((row) => [label([row.figure, row.sparsity].filter(Boolean).join('_')),
    { number: quantity(row.value, row.unit) }, choice(row.trust), address(row.source), row.source_date, row.note]) }]);

/** Its roofline: operations per second over operations per byte read. */
export const roofline = (gpu) => picture(`/v1/gpus/${gpu}.svg?`, text('sources.roofline'));

export async function sources(list, row, fields) {
  if (list === 'gpus') return [roofline(row.gpu), ofGpu(await figures(row.gpu))];
  const known = SAID.filter((name) => name in fields && (row[name] ?? '') !== '');
  const offers = list === 'price-summary' ? [el('p', {}, el('a', { href: `/catalogue?${new URLSearchParams({ list: 'offers',
    gpu: row.gpu, purchase_option: row.purchase_option })}` }, text('sources.offers')))] : [];
  return [el('dl', { class: 'behind' }, known.map((name) => [el('dt', {}, label(name)),
    el('dd', {}, typeof row[name] === 'boolean' ? quantity(row[name], '') : address(String(row[name])))])), ...offers];
}
