// number.js - numbers as people write them, as the API takes them, and as the page shows them.

export const locale = navigator.language || 'en';

const decimalSign = (1.1).toLocaleString(locale).replace(/\d/g, '');

/** Whether a formula's arguments are separated by semicolons where the reader is. */
export const semicolons = decimalSign === ',';

const scales = { k: 3, m: 6, b: 9, g: 9, t: 12 };

/** The decimal sign and the grouping taken out of digits with dots and commas; null where they can
 * be read two ways: 1,000 is a thousand or one. */
function plainDigits(digits) {
  const marks = digits.replace(/\d/g, '');
  if (/^\d*\.?\d*$/.test(digits)) {
    const grouped = /^[1-9]\d{0,2}\.\d{3}$/.test(digits);
    return grouped && decimalSign === ',' ? null : digits;
  }
  if (/^\d*,\d*$/.test(digits))
    return /^[1-9]\d{0,2},\d{3}$/.test(digits) ? null : digits.replace(',', '.');
  if (/^\d{1,3}(,\d{3})+(\.\d*)?$/.test(digits)) return digits.replaceAll(',', '');
  if (/^\d{1,3}(\.\d{3})+(,\d*)?$/.test(digits))
    return digits.replaceAll('.', '').replace(',', '.');
  return marks ? null : digits;
}

/** What was typed as a number: 0.7 and 0,7; 2T; 1 000 000; 1e9; a leading $ and a trailing %.
 * `shift` moves the decimal sign, -2 for percent. NaN where it is not plainly one number. */
export function readNumber(text, shift = 0) {
  const bare = text.trim().replace(/[\s\u00a0\u202f'’_]/g, '').replace(/^[$€£]|%$/g, '');
  const parts = /^([+-]?)([\d.,]+)(?:e([+-]?\d+))?([kmbgt]?)$/i.exec(bare);
  const digits = parts && plainDigits(parts[2]);
  if (!digits || !/\d/.test(digits)) return NaN;
  const exponent = Number(parts[3] || 0) + (scales[parts[4].toLowerCase()] || 0) + shift;
  return Number(`${parts[1]}${digits}e${exponent}`);
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

function formatted(value, options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale, options));
  return formats.get(key).format(value);
}

const UNKNOWN = 'unknown';

/** Up to `digits` significant digits, whole numbers in full. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return UNKNOWN;
  if (Math.abs(value) >= 1e15) return formatted(value, { notation: 'scientific', maximumSignificantDigits: digits });
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

/** Money for a sentence or an axis: $2.6M, $37,702, $3.70. */
export function roundMoney(value, currency = 'USD') {
  if (value === null || value === undefined) return UNKNOWN;
  const size = Math.abs(value);
  const options = { style: 'currency', currency };
  if (size >= 1e6) Object.assign(options, { notation: 'compact', maximumSignificantDigits: 3 });
  else if (size >= 100 || value === 0) options.maximumFractionDigits = 0;
  return formatted(value, options);
}

export const percent = (ratio, digits = 1) =>
  ratio === null || ratio === undefined ? UNKNOWN
    : formatted(ratio, { style: 'percent', maximumFractionDigits: digits });

/** Seconds in the unit that reads best. */
export function seconds(value) {
  if (value === null || value === undefined) return UNKNOWN;
  return value < 1 ? `${number(value * 1000, 3)} ms` : `${number(value, 3)} s`;
}

/** Counts too long to read in full: 2T, 98.6M. */
export const short = (value) =>
  value === null || value === undefined ? UNKNOWN
    : formatted(value, { notation: 'compact', maximumSignificantDigits: 3 });

/** A quantity in its unit, as the field tables name units: money is in `currency` or says which. */
export function quantity(value, unit, currency = 'USD', digits = 4) {
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return value;
  if (unit === 'ratio') return percent(value, 2);
  if (unit === 'seconds' || unit === 's') return seconds(value);
  const of = ['currency', currency].find((code) => unit?.startsWith(code));
  if (of) return money(value, currency) + unit.slice(of.length).replace('/', ' per ');
  const figure = number(value, digits);
  if (value === 1 && /^[A-Za-z-]{4,}s$/.test(unit)) return `${figure} ${unit.slice(0, -1)}`;
  return unit ? `${figure} ${unit}` : figure;
}

/** The same without what it is per: for a column whose row says so. */
export const bare = (value, unit, currency) =>
  quantity(value ?? null, unit?.startsWith('currency') || unit?.startsWith(currency) ? 'currency' : unit, currency);

/** 21 to 30, in days or, under two of them, hours. */
export function timeRange(low, middle, high) {
  const [scale, unit] = middle < 2 ? [24, 'hours'] : [1, 'days'];
  const say = (value) => number(value * scale, 2);
  return low === null || high === null || say(low) === say(high)
    ? `${say(middle)} ${unit}` : `${say(low)} to ${say(high)} ${unit}`;
}
