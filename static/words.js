// words.js - the page's phrases filled in, and people's names for inputs, figures, GPUs, models and choices.
import { el } from './dom.js';
import { decimalSign, formatted, roundMoney } from './number.js';
import { language, phrases } from './phrases.js';

const plural = new Intl.PluralRules(language);
const template = (key, values) => {
  const phrase = phrases[key] ?? '';
  return typeof phrase === 'object' ? phrase[plural.select(Number(values.count ?? values.n))] ?? phrase.other : phrase;
};
const filled = (text, values) => text.split(/\{(\w+)\}/).map((part, i) => (i % 2 ? values[part] ?? '' : part)).filter((part) => part !== '');

/** A phrase as nodes; `values` are texts, nodes or lists of them. `count` chooses the form where {n} is written out. */
export const say = (key, values = {}) => template(key, values).split('*').map((part, i) =>
  (i % 2 ? el('strong', {}, filled(part, values)) : filled(part, values))).flat(Infinity);

/** A phrase as a text. */
export const text = (key, values = {}) => filled(template(key, values), values).join('').replaceAll('*', '');

/** Groups of inputs: their titles, and for each [part, names]. */
export const grouped = (key, rows) => rows.map(([part, names], i) => ({ part, title: phrases[key][i], names }));

// ---- Names that the contract and the catalogue give ------------------------------------------------

const labels = new Map(), names = new Map(), factors = new Set();

/** Store the labels of an OpenAPI document whose references are inlined. */
export function learnLabels(document_) {
  const seen = new Set();
  const visit = (node, name) => {
    if (!(node instanceof Object) || seen.has(node)) return;
    seen.add(node);
    if (node['x-label']) labels.set(name, node['x-label']);
    if (node['x-unit'] === 'ratio' && node.minimum >= 1) factors.add(name);
    for (const key in node) visit(node[key], key === 'schema' && node.name ? node.name : key);
  };
  visit(document_, '');
}

/** Store the names of GPUs and models: {value, name}. */
export const learnNames = (list) => list.forEach(({ value, name }) => names.set(value, name));

const SPELT = { gpu: 'GPU', gpus: 'GPUs', pue: 'PUE', kv: 'KV', kwh: 'kWh', kw: 'kW', gb: 'GB', gib: 'GiB', flop: 'FLOP',
  flops: 'FLOPs', tflops: 'TFLOP/s', mfu: 'MFU', it: 'IT', pcie: 'PCIe', usd: 'USD', '2nd': '2ND', '4nd': '4ND', '6nd': '6ND', '8nd': '8ND', zero: 'ZeRO',
  dpo: 'DPO', grpo: 'GRPO', ppo: 'PPO' };

const spelt = (name) => {
  const words = name.split('_').map((word) => SPELT[word] ?? word).join(' ');
  return words.replace(/^./, (letter) => letter.toUpperCase());
};

/** The label of an input, a figure or a line. */
export const label = (name) => labels.get(name) ?? phrases.line[name] ?? spelt(name);

/** The unit of an input on the page: percent for a share, but not for a factor of 1 and more (PUE). */
export const unitOf = (name, unit) => (factors.has(name) ? '' : unit);

/** The name of a GPU or a model. */
export const named = (slug) => names.get(slug) ?? slug;

/** The label of a choice, which may depend on the input. */
export const choice = (value, of = '') => phrases.value[`${of}.${value}`] ?? phrases.value[value] ?? names.get(value) ?? (/^[a-z0-9]+(_[a-z0-9]+)*$/.test(value) ? spelt(value) : value);

/** A text of the catalogue: names for programs are put in words, other names stay. */
export const word = (value) => phrases.provider[value] ?? (value in phrases.value || names.has(value) || /^[a-z0-9]+(_[a-z0-9]+)+$/.test(value) ? choice(value) : value);

const flags = [phrases.no, phrases.yes];
const currencies = new Set(Intl.supportedValuesOf('currency'));

/** What precedes digits that are not a decimal number: a product's version, or text to type. */
const VERBATIM = /([:=/-]|[A-Z]\w* |capability.*|such as )$/;

/** A number in the API's sentences (750,184, 750184 USD, 2.49) as the reader writes it; large amounts rounded. */
const spoken = (all, whole, part = '', code, at, sentence) => (whole.length > 3 && currencies.has(code) ? roundMoney(Number(whole.replaceAll(',', '') + part), code)
  : whole.includes(',') ? all.replace(/[\d,.]*\d/, formatted(Number(whole.replaceAll(',', '') + part)))
    : VERBATIM.test(sentence.slice(0, at)) ? all : all.replace('.', decimalSign));

/** The API's own sentence without the names that programs use. */
export const readable = (sentence) => sentence
  .replace(/\/v1\/([a-z-]+)[^\s;,)]*(?<!\.)/g, (path, list) => phrases.list[list] ?? path)
  .replace(/\b([a-z][a-z_]*)=([a-z][a-z0-9_]*|[01]\b(?!\.\d))/g, (all, name, value) => (labels.has(name) ? `“${label(name)}: ${flags[value] ?? choice(value)}”` : all))
  .replace(/(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+(?:e[+-]?\d+)?(?!\w|[.-]\w))?(?: ([A-Z]{3})\b)?/g, spoken)
  .replace(/[a-z0-9]+(?:[-.][a-z0-9]+)*/g, (slug) => named(slug))
  .replace(/\b(?:pue|npv)\b/g, (name) => `“${label(name)}”`)
  .replace(/\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g, (name) => (labels.has(name) ? `“${label(name)}”`
    : choice(name).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())))
  .replaceAll(' x ', ' × ');

/** A unit in words: "USD per GPU-hour"; engineering units stay: "GB/s". */
export const unitWords = (unit, currency = 'USD') => (phrases.unit[unit] ?? unit).replace(/^currency/, currency)
  .replace(/\/(?=minute|hour|day|month|year|GPU|GB|kWh|kW|MW|t$)/, ' per ').replace(/ t$/, ' tonne');
