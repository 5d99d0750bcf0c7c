// catalogue.js - the catalogue as tables, filtered and sorted by the API: rows side by side, the sources of each row, and
// rental prices over time as a chart and a table, for days chosen by button, by date or by dragging over the chart. All of it
// is in the address.
import { Problem, choices, description, list } from './api.js';
import { el, table } from './dom.js';
import { figuresOf, inputsOf } from './fields.js';
import { Form } from './form.js';
import { bare, money, number, quantity } from './number.js';
import { selectable } from './picture.js';
import { reference } from './result.js';
import { sources } from './sources.js';
import { Parts, kept } from './state.js';
import { choice, label, text, unitWords, word } from './words.js';

const SPANS = [['month', 1], ['quarter', 3], ['year', 12], ['all', null]];
const MOST = 1000; // rows of the table
const FIRST = '2000-01-01'; // while one types a year it is 0002, 0020 and 0202 first

/** The day this number of months earlier, as yyyy-mm-dd; in a shorter month its last day. */
function before(day, months) {
  const [year, month, date] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 - months, Math.min(date, last))).toISOString().slice(0, 10);
}

/** The query for the API: the list's filters, and the days. */
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

/** The section. `days` are {from, to}, '' if open; `today` is the day of the list; `change(days)` is called with
 * the days chosen and returns their section; `parts` are the folded parts of the page. */
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

const PAUSE_MS = 150;
/** The lists: the key of a row, the filters shown at first, the first columns, and whether the rows of one GPU
 * have a history. `bare` are numbers that are names, such as years. */
const LISTS = {
  gpus: {
    title: text('catalogue.gpus'), keys: ['gpu'], filters: ['q', 'vendor', 'min_memory_gib', 'datacenter'], bare: ['launch_year'],
    columns: ['name', 'launch_year', 'memory_gib', 'memory_bandwidth_gb_per_second', 'peak_bf16_dense_tflops',
      'peak_fp8_dense_tflops', 'tdp_w', 'card_price', 'on_demand_price_per_gpu_hour', 'tflops_per_1000_usd'],
  },
  offers: {
    title: text('catalogue.offers'), keys: ['offer_id'],
    filters: ['gpu', 'provider', 'region', 'purchase_option', 'min_gpu_count', 'max_price_per_gpu_hour'],
    columns: ['provider', 'gpu', 'gpu_count', 'purchase_option', 'price_per_gpu_hour', 'price_per_hour', 'region',
      'observed_date', 'stale'],
    history: true,
  },
  'price-summary': {
    title: text('catalogue.price-summary'), keys: ['gpu', 'purchase_option'], filters: ['gpu', 'purchase_option', 'provider', 'region'],
    columns: ['gpu', 'purchase_option', 'min_price_per_gpu_hour', 'median_price_per_gpu_hour',
      'max_price_per_gpu_hour', 'provider_count', 'newest_observed_date', 'stale'],
  },
  hardware: {
    title: text('catalogue.hardware'), keys: ['hardware_id'], filters: ['gpu', 'kind'],
    columns: ['seller', 'gpu', 'kind', 'gpu_count', 'price', 'price_per_gpu', 'observed_date'],
  },
  models: {
    title: text('catalogue.models'), keys: ['model'], filters: ['q', 'attention', 'mixture_of_experts', 'min_parameters', 'max_parameters'],
    columns: ['name', 'parameters', 'active_parameters', 'kv_cache_bytes_per_token', 'layer_count', 'hidden_size',
      'attention', 'max_position_tokens', 'expert_count'],
  },
  assumptions: {
    title: text('catalogue.assumptions'), keys: ['key', 'scope'], filters: ['q', 'group'],
    columns: ['key', 'scope', 'unit', 'low', 'default', 'high', 'applies_to', 'source_date'],
  },
};
/** Parameters of the page's address that are not the API's. */
const OWN = ['list', 'open', 'compare', 'sources', 'sort', 'from_date', 'to_date'];
/** What no filter is. */
const NO_FILTERS = ['explain', 'model_version'];

class Catalogue {
  constructor(name, document_, lists) {
    this.name = name;
    this.kind = LISTS[this.name];
    const path = `/v1/${this.name}`;
    this.fields = figuresOf(document_, path).rows.items.properties;
    const inputs = inputsOf(document_, path);
    NO_FILTERS.forEach((name) => inputs.delete(name));
    this.form = new Form(document.querySelector('form'), inputs,
      { basic: this.kind.filters, groups: [], legend: text('form.filter') }, lists);
    this.chosen = new Set();
    this.parts = new Parts(document.querySelector('main'));
    this.status = document.querySelector('.verdict');
    this.body = document.querySelector('.answer');
    document.querySelector('h1').textContent = this.kind.title;
    document.title = `${this.kind.title} gpuplan`;
    document.querySelector(`.lists a[href$="list=${this.name}"]`).setAttribute('aria-current', 'page');
    this.#listen();
  }

  #listen() {
    let timer;
    this.form.node.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#go(), PAUSE_MS);
    });
    this.form.node.addEventListener('submit', (event) => event.preventDefault());
    addEventListener('popstate', () => this.open());
  }

  /** Write the state to the address and show it. */
  #go() {
    const address = this.#address();
    if (!this.form.problem) history.pushState(null, '', address);
    return this.ask();
  }

  open() {
    const query = new URLSearchParams(location.search);
    this.chosen = new Set(query.get('compare')?.split(' '));
    this.opened = new Set(query.get('sources')?.split(' '));
    this.days = { from: query.get('from_date') ?? '', to: query.get('to_date') ?? '' };
    this.sort = query.get('sort') ?? '';
    OWN.forEach((name) => query.delete(name));
    this.parts.read();
    this.form.write(query, this.parts);
    return this.ask();
  }

  async ask() {
    this.running?.abort();
    this.running = new AbortController();
    const query = this.#query();
    document.querySelector('main').setAttribute('aria-busy', 'true');
    try {
      if (this.form.problem) throw this.form.problem;
      const reply = await list(this.name, new URLSearchParams([...query, ['count', '1']]), this.running.signal);
      this.form.showProblem(null);
      this.#show(reply, query);
      performance.mark('answered');
    } catch (error) {
      if (error.name === 'AbortError') return;
      this.form.showProblem(error);
      this.status.textContent = text('catalogue.refused');
      this.body.replaceChildren();
      if (!(error instanceof Problem)) throw error;
    }
    document.querySelector('main').removeAttribute('aria-busy');
  }

  #show({ rows, count, currency, as_of: today, next_cursor: next }, query) {
    const { name, kind } = this;
    this.rows = rows;
    this.currency = currency;
    const more = count > rows.length;
    this.status.textContent = text(!rows.length ? 'catalogue.none' : more ? 'catalogue.first' : 'catalogue.rows',
      { count: rows.length, n: number(rows.length), all: number(count) });
    const formats = ['xlsx', 'csv', 'tsv', 'json', 'xml'].map((format) =>
      [el('a', { href: `/v1/${name}.${format}?${query}` }, format), ' ']);
    this.beside = el('div', { 'aria-live': 'polite' });
    this.body.replaceChildren(...[this.beside,
      kind.history && query.get('gpu') ? this.#history(query, today) : null, rows.length ? this.#table() : null,
      el('p', {}, text('catalogue.download'), formats)].filter(Boolean));
    if (next) this.body.append(this.#next(query, next));
    this.#compare();
  }

  /** The rows after those shown are put below them. */
  #next(query, cursor) {
    const button = el('button', { type: 'button', class: 'more', onclick: async () => {
      button.disabled = true;
      const reply = await list(this.name, new URLSearchParams([...query, ['count', '1'], ['cursor', cursor]]));
      this.#show({ ...reply, rows: [...this.rows, ...reply.rows] }, query);
      this.body.querySelector('.more')?.focus();
    } }, text('catalogue.more', { n: number(this.rows.length) }));
    return button;
  }

  /** Its prices during the days in the address. */
  #history(query, today) {
    return priceHistory(query, this.days, today, this.parts, (days) => {
      this.days = days;
      history.pushState(null, '', this.#address());
      return this.#history(query, today);
    });
  }

  #unit(name) {
    return this.fields[name]?.['x-unit'] || '';
  }

  #heading(name) {
    const named = label(name).replaceAll(',', ''), unit = unitWords(this.#unit(name), this.currency);
    const [what, per] = unit.split(/ (?=per )/); // which the name may have said
    return [label(name), unit && !named.endsWith(unit) ? el('span', { class: 'unit' }, ` ${named.endsWith(per) ? what : unit}`) : ''];
  }

  #say(row, name) {
    const value = row[name] ?? null;
    if (value === null) return [].concat(this.fields[name]?.type).includes('number') ? { number: '–' } : '–';
    if (typeof value !== 'number')
      return typeof value === 'boolean' ? quantity(value, '') : word(value);
    const unit = this.#unit(name); // the heading says it, but of money and shares
    return { number: this.kind.bare?.includes(name) ? String(value)
      : bare(value, /^currency|^ratio$/.test(unit) ? unit : '', this.currency) };
  }

  #table() {
    const { kind } = this;
    const heads = kind.columns.map((name) => this.#head(name));
    const node = table(kind.title, [...heads, text('table.reference')],
      [{ rows: this.rows.map((row) => [this.#pick(row), ...kind.columns.slice(1).map((name) => this.#say(row, name)),
        this.#source(row)]) }]);
    node.querySelectorAll('thead button').forEach((button) => {
      if (button.dataset.order) button.parentNode.setAttribute('aria-sort', button.dataset.order);
    });
    return node;
  }

  #head(name) {
    const order = { [name]: 'ascending', [`-${name}`]: 'descending' }[this.sort] ?? null;
    const [named, unit] = this.#heading(name);
    const short = unit ? `${named} (${unit.textContent.trim()})` : named; // before each value on a phone
    const button = el('button', { type: 'button', class: 'sort', 'data-order': order, 'data-name': short, onclick: () => {
      this.sort = order === 'ascending' ? `-${name}` : name;
      this.#go();
    } }, [named, unit], el('span', { 'aria-hidden': 'true' }, { ascending: ' ▲', descending: ' ▼' }[order] ?? ''));
    return this.fields[name]?.type?.includes?.('number') ? { number: button } : button;
  }

  #id(row) {
    return this.kind.keys.map((name) => row[name]).join('/');
  }

  #pick(row) {
    const id = this.#id(row);
    const box = el('input', { type: 'checkbox', onchange: () => {
      this.chosen[box.checked ? 'add' : 'delete'](id);
      history.replaceState(null, '', this.#address());
      this.#compare();
    } });
    box.checked = this.chosen.has(id);
    return el('label', { class: 'pick' }, box, ' ', word(row[this.kind.columns[0]] || id));
  }

  /** What the API is asked. */
  #query() {
    const query = this.form.read();
    if (this.sort) query.set('sort', this.sort);
    return query;
  }

  #address() {
    const query = new URLSearchParams([['list', this.name], ...this.#query()]);
    if (this.chosen.size) query.set('compare', [...this.chosen].join(' '));
    if (this.opened.size) query.set('sources', [...this.opened].join(' '));
    if (kept('open')) query.set('open', kept('open'));
    if (this.days.from) query.set('from_date', this.days.from);
    if (this.days.to) query.set('to_date', this.days.to);
    return `${location.pathname}?${query}`;
  }

  /** Two or more chosen rows as columns; what differs comes first. */
  #compare() {
    const { kind } = this;
    const rows = this.rows.filter((row) => this.chosen.has(this.#id(row)));
    if (rows.length < 2) return this.beside.replaceChildren();
    const names = Object.keys(this.fields).filter((name) => rows.some((row) => (row[name] ?? null) !== null)
      && name !== kind.columns[0]);
    const same = (name) => rows.every((row) => row[name] === rows[0][name]);
    const lines = (wanted) => names.filter((name) => same(name) === wanted).map((name) =>
      [this.#heading(name), ...rows.map((row) => this.#say(row, name)).map((cell) => ({ number: cell.number ?? cell }))]);
    return this.beside.replaceChildren(el('h2', {}, text('catalogue.beside')),
      table(text('catalogue.chosen'), [text('table.figure'), ...rows.map((row) => ({ number: word(row[kind.columns[0]]) }))],
        [{ title: text('catalogue.differs'), rows: lines(false) }, { title: text('catalogue.same'), rows: lines(true) }]));
  }

  /** A button that opens a row below with the sources of this row's figures. */
  #source(row) {
    const id = this.#id(row);
    const button = el('button', { type: 'button', 'aria-expanded': 'false',
      'aria-label': text('catalogue.source', { row: word(row[this.kind.columns[0]] || id) }), onclick: () => {
        const open = button.getAttribute('aria-expanded') === 'true';
        this.opened[open ? 'delete' : 'add'](id);
        history.replaceState(null, '', this.#address());
        if (!open) return this.#openSource(row, button);
        button.setAttribute('aria-expanded', 'false');
        return button.closest('tr').nextSibling.remove();
      } }, text('table.reference'));
    if (this.opened.has(id)) queueMicrotask(() => this.#openSource(row, button));
    return button;
  }

  async #openSource(row, button) {
    const cell = el('td', { colspan: this.kind.columns.length + 1, role: 'cell' }, el('p', { role: 'status' }, text('waiting')));
    button.setAttribute('aria-expanded', 'true');
    button.closest('tr').after(el('tr', { class: 'behind' }, cell));
    cell.replaceChildren(...await sources(this.name, row, this.fields));
  }
}

async function begin() {
  try {
    const asked = new URLSearchParams(location.search).get('list');
    const name = Object.hasOwn(LISTS, asked ?? '') ? asked : 'gpus';
    const [document_, lists] = await Promise.all([description(`/v1/${name}`), choices()]);
    await new Catalogue(name, document_, lists).open();
  } catch (error) {
    document.querySelector('.verdict').textContent = text('catalogue.failed', { why: error.message });
    throw error;
  }
}

begin();
