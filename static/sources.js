// sources.js - where the figures of a row of the catalogue are from.
import { figures } from './api.js';
import { el, table } from './dom.js';
import { label } from './fields.js';
import { quantity } from './number.js';
import { picture } from './picture.js';

/** What a row says of where it is from, whatever its list calls it. */
const SAID = ['source', 'source_url', 'source_date', 'observed_date', 'observed_text', 'normalization_note', 'note', 'instance',
  'valid_until_date', 'stale', 'undated', 'usable'];

const address = (text) => (/^https?:/.test(text) ? el('a', { href: text }, text) : text);

/** Every figure of a GPU as its sources give it, those that were not taken among them. */
const ofGpu = (rows) => table('Every figure, its source and date, and whether it is used',
  ['Figure', { number: 'Value' }, 'Used', 'Source', 'Date', 'Note'],
  [{ rows: rows.map((row) => [label([row.figure, row.sparsity].filter(Boolean).join('_'), ''),
    { number: quantity(row.value, row.unit) }, row.trust.replaceAll('_', ' '), address(row.source), row.source_date, row.note]) }]);

/** The work it can do over the work there is for each byte read. */
export const roofline = (gpu) => picture(`/v1/gpus/${gpu}.svg?`, 'What it does at most: to the left of its ridge memory limits it.');

export async function sources(list, row, fields) {
  if (list === 'gpus') return [roofline(row.gpu), ofGpu(await figures(row.gpu))];
  const known = SAID.filter((name) => name in fields && (row[name] ?? '') !== '');
  const offers = list === 'price-summary' ? [el('p', {}, el('a', { href: `/catalogue?${new URLSearchParams({ list: 'offers',
    gpu: row.gpu, purchase_option: row.purchase_option })}` }, 'The offers it is made of'))] : [];
  return [el('dl', { class: 'behind' }, known.map((name) => [el('dt', {}, label(name, '')),
    el('dd', {}, typeof row[name] === 'boolean' ? quantity(row[name], '') : address(String(row[name])))])), ...offers];
}
