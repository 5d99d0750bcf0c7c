// use.js - the panel "Use this result in…": a figure's address as each client writes it.
import { el } from './dom.js';
import { locale, semicolons } from './number.js';
import { keep, kept } from './state.js';
import { text as phrase } from './words.js';

/** The names of the two functions in each language, and the separator of arguments. */
const SPEECHES = {
  comma: { label: 'English (0.7)', separator: ',', number: 'NUMBERVALUE', fetch: 'WEBSERVICE' },
  semicolon: { label: 'English (0,7)', separator: ';', number: 'NUMBERVALUE', fetch: 'WEBSERVICE' },
  de: { label: 'Deutsch (0,7)', separator: ';', number: 'ZAHLENWERT', fetch: 'WEBDIENST' },
};

/** The language in the address, else the reader's. */
function spoken() {
  if (Object.hasOwn(SPEECHES, kept('speech') ?? '')) return kept('speech');
  return locale.startsWith('de') ? 'de' : semicolons ? 'semicolon' : 'comma';
}

/** A string in a formula: Excel allows at most 255 characters between quotes. */
const quoted = (text) => text.match(/.{1,255}/g).map((part) => `"${part}"`).join('&');

const shell = ([name, value]) => (/^[\w.,:-]+$/.test(value) ? ` \\\n  -d ${name}=${value}`
  : ` \\\n  --data-urlencode '${name}=${value.replaceAll("'", "'\\''")}'`);

/** A record key in Power Query: a name that is not a plain word is written #"…". */
const record = (pairs) => `[${pairs.map(([name, value]) => `${name} = "${value.replaceAll('"', '""')}"`).join(', ')}]`;

/** The ways to fetch `field` of a question; `query` is pinned to a day and a version. */
export function waysTo(origin, question, query, field, speech) {
  const path = `/v1/${question}`;
  const text = `${origin}${path}.txt?${query}&field=${field}`;
  const { separator, number, fetch } = SPEECHES[speech];
  const call = (between) => `=${number}(${fetch}(${quoted(text)})${between}"."${between}",")`;
  const inputs = [...new URLSearchParams(query)];
  // The third argument says that the numbers are English, whatever the sheet is.
  const english = separator === ';' ? ';",";"en_US"' : '';
  return [
    [phrase('use.link'), `${origin}/${question}?${query}`],
    ['curl', `curl --fail-with-body -sS -G ${origin}${path}.txt${[...inputs, ['field', field]].map(shell).join('')}`],
    ['Excel (Windows)', call(separator)],
    ['LibreOffice', call(';')],
    ['Google Sheets', `=IMPORTDATA("${origin}${path}.csv?${query}&fields=${field}&header=0"${english})`],
    ['Power Query', `Number.FromText(Text.FromBinary(Web.Contents("${origin}", [RelativePath = "${path.slice(1)}.txt",\n`
      + `  Query = ${record([...inputs, ['field', field]])}])), "en-US")`],
    ['Grafana (Infinity, JSON)', `${origin}${path}.json?${query}`],
    [phrase('use.workbook'), [['OpenDocument', '/gpuplan.ods', 'ods'], ['Excel', '/gpuplan.xlsx', 'xlsx']]],
    [phrase('use.whole'), ['xlsx', 'json', 'csv', 'tsv', 'xml', 'txt'].map((format) => [format, `${path}.${format}?${query}`])],
  ];
}

/** The pinned address, with the day of the prices and the version of the formulas. */
export function pinned(query, reply) {
  const fixed = new URLSearchParams(query);
  fixed.set('as_of', reply.as_of);
  fixed.set('model_version', reply.model_version);
  return fixed.toString();
}

function copyButton(text, what, oncopy) {
  const button = el('button', { type: 'button', 'aria-label': phrase('use.copy.what', { what }) }, phrase('use.copy'));
  button.addEventListener('click', async () => {
    oncopy();
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = phrase('use.copied');
    } catch {
      button.textContent = phrase('use.failed');
    }
  });
  return button;
}

/** A link; that of the workbook saves it with the page's inputs, or without them if that fails. */
function link([name, address, format], onsave) {
  const saved = (event) => {
    event.preventDefault();
    onsave(format).catch(() => { location.href = address; });
  };
  return [el('a', { href: address, ...(format ? { onclick: saved } : {}) }, name), ' '];
}

function way([title, value], { oncopy, onsave }) {
  if (Array.isArray(value)) return [el('dt', {}, title), el('dd', {}, value.flatMap((each) => link(each, onsave)))];
  return [el('dt', {}, title), el('dd', {},
    el('pre', { tabindex: '0', role: 'region', 'aria-label': title }, el('code', {}, value)), copyButton(value, title, oncopy))];
}

function choice(id, label, options, chosen, onchange) {
  const pick = el('select', { id }, options.map(([value, text]) => el('option', { value }, text)));
  pick.value = chosen;
  pick.addEventListener('change', () => onchange(pick.value));
  return el('div', { class: 'field' }, el('label', { for: id }, label), pick);
}

/** The panel. `fields` are [name, label] of the figures; `chosen` survives redrawing; `asked` is the query not pinned. */
export function usePanel(question, query, fields, chosen, { asked, onchoose, oncopy }) {
  const onsave = (format) => import('./workbook.js').then(({ save }) => save(format, question, asked));
  const list = el('dl', { class: 'ways' });
  let field = chosen;
  const show = () => list.replaceChildren(...waysTo(location.origin, question, query, field, spoken())
    .flatMap((each) => way(each, { oncopy, onsave })));
  show();
  return [
    choice('use-field', phrase('table.figure'), fields, chosen, (name) => {
      field = name;
      onchoose(name);
      show();
    }),
    choice('use-speech', phrase('use.speech'), Object.entries(SPEECHES).map(([name, { label }]) => [name, label]), spoken(),
      (name) => {
        keep('speech', name);
        show();
      }),
    list,
    el('p', { class: 'hint' }, phrase('use.hint'))];
}
