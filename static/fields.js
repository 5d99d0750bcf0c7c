// fields.js - what the OpenAPI document says of each input and figure, in the page's words.

/** Parameters that say how an answer is delivered, not what is asked. */
const DELIVERY = ['format', 'field', 'fields', 'header', 'layout', 'dialect', 'download', 'on_error',
  'nocache'];

const WORDS = { gpu: 'GPU', gpus: 'GPUs', pue: 'PUE', kv: 'KV', vat: 'VAT', fte: 'FTE', kwh: 'kWh',
  kw: 'kW', mw: 'MW', tdp: 'TDP', gb: 'GB', tb: 'TB', gib: 'GiB', zero: 'ZeRO', flop: 'FLOP',
  tflops: 'TFLOP/s', flops: 'FLOPs', pdu: 'PDU', gbit: 'Gbit', w: 'W', it: 'IT',
  mfu: 'MFU', mha: 'MHA', q: 'search', bf16: 'BF16', fp16: 'FP16', fp32: 'FP32', fp8: 'FP8', fp4: 'FP4', tf32: 'TF32',
  int8: 'INT8', usd: 'USD', pcie: 'PCIe', '6nd': '6ND', '8nd': '8ND' };

/** Endings of a name that its unit repeats. */
const ENDINGS = { months: /_months$/, days: /_days$/, seconds: /_seconds(?=_|$)/, s: /_seconds(?=_|$)/, h: /_hours$/,
  ratio: /_ratio$/,
  GiB: /_gib$/, kW: /_kw$/, W: /_w$/, TB: /_tb(?=_|$)/, FTE: /_fte$/, us: /_us$/, 'TFLOP/s': /_tflops$/,
  'currency/month': /_month$/, 'currency/year': /_year$/ };
const ending = (unit) => ENDINGS[unit?.replace(/^[A-Z]{3}\//, 'currency/')];

/** A name as a label: rent_price_per_gpu_hour becomes "Rent price per GPU hour". */
export function label(name, unit) {
  const words = name.replace(ending(unit) || '', '').split('_').map((word) => WORDS[word] || word).join(' ');
  return words[0].toUpperCase() + words.slice(1);
}

/** The unit to write after a label, none where the name says it: "Input tokens". */
export function labelUnit(name, unit, percent) {
  if (percent) return '%';
  const [money, per] = unit.split('/');
  if (label(name, unit).endsWith(unit)) return '';
  if (per && /^([A-Z]{3}|currency)$/.test(money) && name.endsWith(`per_${per.toLowerCase().replace('-', '_')}`)) return money;
  const said = unit.toLowerCase().replace('/s', '_per_second').replace('/', '_per_').replace('-', '_');
  const spoken = !ending(unit) && (name.includes(said) || name.endsWith('_count'));
  return spoken || unit === 'ratio' ? '' : unit;
}

/** The inputs of a path, by name, in the document's order. */
export function inputsOf(document, path) {
  const inputs = new Map();
  for (const { name, required, schema } of document.paths[path].get.parameters) {
    if (DELIVERY.includes(name)) continue;
    const unit = schema['x-unit'] || '';
    // A share is entered as percent; what is a factor by nature (PUE, 1 and more) is not.
    const percent = unit === 'ratio' && !(schema.minimum >= 1);
    const flag = schema.type === 'integer' && schema.maximum === 1;
    inputs.set(name, { name, description: schema.description, unit, percent, flag, required: Boolean(required),
      numeric: schema.type === 'number' || schema.type === 'integer', choices: schema.enum || null,
      minimum: schema.minimum, maximum: schema.maximum, label: label(name, unit) });
  }
  return inputs;
}

/** The figures of an answer, by name: {type, unit, description}. */
export function figuresOf(document, path) {
  return document.paths[path].get.responses['200'].content['application/json'].schema.properties;
}

export const delivery = (name) => DELIVERY.includes(name);
