// use.js - the panel "Use this number in...": the address of a figure as each client writes it.
import { el } from './dom.js';
import { semicolons } from './number.js';

/** The ways to fetch `field` of a question; `query` is pinned to a day and a version. */
export function waysTo(origin, question, query, field) {
  const path = `/v1/${question}`;
  const text = `${origin}${path}.txt?${query}&field=${field}`;
  const comma = semicolons ? ';' : ',';
  const call = (separator) => `=NUMBERVALUE(WEBSERVICE("${text}")${separator}"."${separator}",")`;
  const arguments_ = [...new URLSearchParams(query), ['field', field]]
    .map(([name, value]) => (/^[\w.,:-]+$/.test(value) ? ` \\\n  -d ${name}=${value}`
      : ` \\\n  --data-urlencode '${name}=${value.replaceAll("'", "'\\''")}'`));
  return [
    ['Link to this page, pinned to the day', `${origin}/${question}?${query}`],
    ['curl', `curl --fail-with-body -sS -G ${origin}${path}.txt${arguments_.join('')}`],
    ['Excel (Windows)', call(comma)],
    ['LibreOffice', call(';')],
    ['Google Sheets', `=IMPORTDATA("${origin}${path}.csv?${query}&fields=${field}&header=0")`],
    ['The whole answer', ['json', 'csv', 'tsv', 'xml', 'txt'].map((format) => [format, `${path}.${format}?${query}`])],
  ];
}

/** The address pinned: the day of the prices and the version of the formulas said outright. */
export function pinned(query, reply) {
  const fixed = new URLSearchParams(query);
  fixed.set('as_of', reply.as_of);
  fixed.set('model_version', reply.model_version);
  return fixed.toString();
}

function copyButton(text, what) {
  const button = el('button', { type: 'button', 'aria-label': `Copy: ${what}` }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Select and copy by hand';
    }
  });
  return button;
}

function way([title, value]) {
  if (Array.isArray(value))
    return [el('dt', {}, title), el('dd', {}, value.flatMap(([name, address]) =>
      [el('a', { href: address }, name), ' ']))];
  return [el('dt', {}, title), el('dd', {},
    el('pre', { tabindex: '0', role: 'region', 'aria-label': title }, el('code', {}, value)), copyButton(value, title))];
}

/** The panel. `fields` are [name, label] of the figures one may take; `chosen` survives redrawing. */
export function usePanel(question, query, fields, chosen, onchoose) {
  const list = el('dl', { class: 'ways' });
  const pick = el('select', { id: 'use-field' },
    fields.map(([name, label]) => el('option', { value: name }, label)));
  const show = () => list.replaceChildren(
    ...waysTo(location.origin, question, query, pick.value).flatMap(way));
  pick.value = chosen;
  pick.addEventListener('change', () => {
    onchoose(pick.value);
    show();
  });
  show();
  return [el('div', { class: 'field' }, el('label', { for: 'use-field' }, 'The figure'), pick), list,
    el('p', { class: 'hint' }, 'A link is pinned to the day of its prices, so that it always gives the same figures. '
      + 'Take as_of out to follow the prices. Where Excel or LibreOffice speaks another language it has its own '
      + 'names for the two functions, in German ZAHLENWERT and WEBDIENST. Google Sheets reaches only addresses '
      + 'that are open to the internet.')];
}
