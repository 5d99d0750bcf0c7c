// number.js - numbers as people write them, as the API takes them, and as the page shows them.
import { text as phrase, unitWords } from './words.js';

/** The reader's locale, with the digits 0 to 9, which the API takes too. */
export const locale = new Intl.Locale(navigator.language || 'en', { numberingSystem: 'latn' }).toString();

export const decimalSign = (1.1).toLocaleString(locale).replace(/\d/g, '');

/** Whether the reader's locale has decimal commas, and so semicolons between a formula's arguments. */
export const semicolons = decimalSign === ',';

const partsOf = (value, options) => new Intl.NumberFormat(locale, options).formatToParts(value);

/** Every space is one, every apostrophe, every minus. */
const alike = (text) => text.replace(/[\s_]/g, ' ').replace('−', '-').replaceAll('’', "'");

/** Numbers and money as the page writes them; some locales separate the two differently. */
const shown = [...partsOf(123456789.5), ...partsOf(123456789.5, { style: 'currency', currency: 'USD' })];
const marks = (kind) => shown.filter(({ type }) => type === kind).map(({ value }) => alike(value));
const decimals = marks('decimal');

/** Spaces and apostrophes are accepted as grouping everywhere: no locale has them as decimal sign. */
const groupings = [' ', "'", ...marks('group')].filter((mark) => !decimals.includes(mark));

const THREES = /^[1-9]\d{0,2}( \d{3})+$/, INDIAN = /^[1-9]\d?( \d\d)* \d{3}$/;
const sizes = marks('integer').at(-2).length === 2 ? [THREES, INDIAN] : [THREES];

/** Digits with that decimal sign, grouped by one of the marks: [[whole, fraction]], or [] if they are not. */
function divided(digits, decimal, among, patterns) {
  const [whole, fraction = '', ...more] = digits.split(decimal), [mark] = /\D/.exec(whole) ?? [];
  const grouped = whole.replaceAll(mark, ' ');
  if (more.length || /\D/.test(fraction) || (mark && !(among.includes(mark) && patterns.some((each) => each.test(grouped))))) return [];
  return [[grouped.replaceAll(' ', ''), fraction]];
}

const signOf = (currency, speech) => new Intl.NumberFormat(speech, { style: 'currency', currency }).formatToParts(1)
  .find(({ type }) => type === 'currency').value;

/** Why a sign next to a number is wrong; '' if it is right. `currency`: the number is an amount in it. */
function foreign(sign, currency) {
  const names = (speech) => (code) => code === sign.toUpperCase() || signOf(code, speech) === sign;
  const all = Intl.supportedValuesOf('currency'), first = all.filter((code) => code === currency);
  const meant = currency && ([...first, ...all].find(names(locale)) ?? all.find(names('en')));
  if (!meant) return phrase('number.without', { sign });
  return meant === currency ? '' : phrase('number.currency', { currency, meant });
}

const SCALES = { k: 3, m: 6, b: 9, g: 9, t: 12 };
const SIGN = String.raw`(\p{L}*\p{Sc}(?: ?\p{L}+)?|\p{L}{3}|%)?`;
const TYPED = new RegExp(String.raw`^(-|\+)? ?${SIGN} ?(\d[\d.,' ]*|[.,]\d+)((?:e[+-]?\d+)?) ?([kmbgt]?) ?${SIGN}$`, 'iu');

/** What was typed as a number: {value}; or {refusal}, a sentence, as a text that can be read in two ways is not
 * guessed. `percent`: 70 is 0.7. `whole`: a count. `currency`: it is an amount in this currency. */
export function readNumber(text, { percent, whole, currency } = {}) {
  const [, minus = '', before, typed = '', exponent, scale, after] = TYPED.exec(alike(text.trim())) ?? [];
  const digits = typed.trim();
  const why = [before, after].map((sign) => sign && !(percent && sign === '%') && foreign(sign, currency)).find(Boolean);
  if (why) return { refusal: why };
  const [read] = decimals.flatMap((decimal) => divided(digits, decimal, groupings, sizes));
  const others = new Set(['.', ','].flatMap((decimal) => divided(digits, decimal, ".,' ", [THREES, INDIAN]))
    .map((each) => Number(each.join('.'))).filter((each) => /\D/.test(digits) && (!whole || Number.isInteger(each))));
  // Where the comma is the decimal sign 1,000 GPUs are hardly meant as 1.
  const doubtful = whole && read?.[1].length === 3 && !exponent && !scale;
  if (digits && read && !(doubtful && others.size)) {
    const power = Number(exponent.slice(1)) + (SCALES[scale.toLowerCase()] ?? 0) - (percent ? 2 : 0);
    const value = Number(`${minus}${read[0] || 0}.${read[1] || 0}e${power}`);
    if (Number.isFinite(value)) return { value };
  }
  const ways = [...others].map((each) => minus + String(each).replace('.', decimalSign) + exponent + scale);
  return { refusal: phrase(ways.length > 1 ? 'number.two' : 'number.not',
    { text, ways: ways.join(phrase('or')) || phrase('number.like', { example: formatted(0.5) }) }) };
}

/** A number moved by powers of ten without binary rounding: 0.07 by 2 is 7. */
export function shifted(value, by) {
  const [digits, exponent = 0] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + by}`);
}

/** A number for a text box, in the reader's own decimal sign: 12.5, 2T. */
export function written(value) {
  for (const [letter, power] of [['T', 12], ['B', 9], ['M', 6]]) {
    const scaled = shifted(value, -power);
    if (Math.abs(scaled) >= 1 && String(scaled).length <= 5)
      return String(scaled).replace('.', decimalSign) + letter;
  }
  return String(value).replace('.', decimalSign);
}

const formats = new Map();

/** A number in the reader's locale. */
export function formatted(value, options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale, options));
  return formats.get(key).format(value);
}

const UNKNOWN = phrase('unknown');

/** 8.6E23 as 8.6 × 10²³. */
const powerOfTen = (text) => text.replace(/E(\d+)$/, (_, power) => ` × 10${[...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('')}`);

/** Up to `digits` significant digits, whole numbers in full. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return UNKNOWN;
  if (Math.abs(value) >= 1e15) return powerOfTen(formatted(value, { notation: 'scientific', maximumSignificantDigits: digits }));
  const whole = Number.isInteger(value) || Math.abs(value) >= 10 ** digits;
  return formatted(value, whole ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: digits });
}

/** Money to the cent; rates below 100 keep up to four decimals. */
export function money(value, currency = 'USD') {
  if (value === null || value === undefined) return UNKNOWN;
  const fine = Math.abs(value) < 100 && Math.round(value * 100) / 100 !== value;
  return formatted(value, { style: 'currency', currency, minimumFractionDigits: 2,
    maximumFractionDigits: fine ? 4 : 2 });
}

const THOUSANDS = [['', ''], ['K', ' thousand'], ['M', ' million'], ['B', ' billion'], ['T', ' trillion']];

/** Three digits in the reader's locale, then the power of a thousand in English. */
function compact(value, options = {}, inFull = false) {
  const rounded = Number(value.toPrecision(3)), power = rounded ? Math.floor(Math.log10(Math.abs(rounded)) / 3) : 0;
  const at = Math.min(Math.max(power, 0), THOUSANDS.length - 1);
  const parts = partsOf(shifted(rounded, -3 * at), { ...options, maximumSignificantDigits: 3 });
  const last = parts.findLastIndex(({ type }) => ['integer', 'fraction'].includes(type));
  return parts.map(({ value: part }, i) => (i === last ? part + THOUSANDS[at][Number(inFull)] : part)).join('');
}

/** Money for a sentence or an axis: $2.6M, $37,702, $3.70. */
export function roundMoney(value, currency = 'USD') {
  if (value === null || value === undefined) return UNKNOWN;
  const size = Math.abs(value);
  const options = { style: 'currency', currency };
  if (size >= 1e6) return compact(value, options);
  if (size && size < 0.01) return money(value, currency);
  return formatted(value, size >= 100 || value === 0 ? { ...options, maximumFractionDigits: 0 } : options);
}

/** The reader's digits; the sign as in English. */
export const percent = (ratio, digits = 1) =>
  ratio === null || ratio === undefined ? UNKNOWN
    : `${formatted(ratio, { style: 'percent', maximumFractionDigits: digits }).replace(/\s*%\s*/, '')}%`;

/** Seconds in the unit that reads best. */
export function seconds(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return value < 1 ? `${number(value * 1000, 3)} ms` : `${number(value, 3)} s`;
}

/** Counts too long to read in full: 2T, 98.6M. */
export const short = (value) =>
  value === null || value === undefined ? UNKNOWN : compact(value);

/** As 1.37 billion. */
export const inWords = (value) => compact(value, {}, true);

/** A quantity in its unit, as the field tables name units: money is in `currency` or says which. */
export function quantity(value, unit, currency = 'USD', digits = 4) {
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value === 'boolean') return phrase(value ? 'yes' : 'no');
  if (typeof value !== 'number') return value;
  if (unit === 'ratio') return percent(value, 2);
  if (unit === 'seconds' || unit === 's') return seconds(value);
  const of = ['currency', currency].find((code) => unit?.startsWith(code));
  if (of) return money(Math.abs(value) < 1 ? value : Math.round(value * 100) / 100, currency) + unit.slice(of.length).replace('/', ' per ');
  const figure = number(value, digits);
  if (value === 1 && /^([A-Za-z-]{4,}|GPU)s$/.test(unit)) return `${figure} ${unit.slice(0, -1)}`;
  return unit ? `${figure} ${unitWords(unit)}` : figure;
}

/** A number of things in words: "8 GPUs". */
export const counted = (key, count) => phrase(key, { count, n: number(count, 7) });

/** A day in English, in the order of the reader's English: 22 Nov 2026. */
export const day = (date) => new Date(date).toLocaleDateString(locale.startsWith('en') ? locale : 'en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** The same without its "per …", for a column whose row says that. */
export const bare = (value, unit, currency) =>
  quantity(value ?? null, unit?.startsWith('currency') || unit?.startsWith(currency) ? 'currency' : unit, currency);

/** 21 to 30, in days or, under two of them, hours. */
export function timeRange(low, middle, high) {
  const [scale, unit] = middle < 2 ? [24, 'hours'] : [1, 'days'];
  const say = (value) => number(value * scale, 2);
  return low === null || high === null || say(low) === say(high)
    ? `${say(middle)} ${unit}` : `${say(low)} to ${say(high)} ${unit}`;
}
