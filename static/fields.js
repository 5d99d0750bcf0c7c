// fields.js - what the OpenAPI document says of each input and figure.
import { label, unitOf } from './words.js';

/** Parameters that say how an answer is delivered, not what is asked. */
const DELIVERY = ['format', 'field', 'fields', 'header', 'layout', 'dialect', 'download', 'on_error',
  'nocache', 'width'];
/** Which rows of a list are shown: no fields of a form; an address may have them. */
const PAGING = ['sort', 'limit', 'cursor', 'count'];

/** The inputs of a path, by name, in the document's order. */
export function inputsOf(document, path) {
  const inputs = new Map();
  for (const { name, required, schema } of document.paths[path].get.parameters) {
    if (DELIVERY.includes(name) || PAGING.includes(name)) continue;
    const unit = unitOf(name, schema['x-unit'] || '');
    const percent = unit === 'ratio';
    const flag = schema.type === 'integer' && schema.maximum === 1;
    inputs.set(name, { name, hint: schema['x-hint'] ?? schema.description, unit, percent, flag, required: Boolean(required),
      numeric: schema.type === 'number' || schema.type === 'integer', choices: schema.enum || null,
      minimum: schema.minimum, maximum: schema.maximum, label: label(name) });
  }
  return inputs;
}

/** The figures of an answer, by name: {type, unit, description}. */
export function figuresOf(document, path) {
  return document.paths[path].get.responses['200'].content['application/json'].schema.properties;
}

export const delivery = (name) => DELIVERY.includes(name);
