// docs.js - the reference of the API, a part per path, made from /openapi.json.
import { description } from './api.js';
import { el, table } from './dom.js';
import { Parts, partName } from './state.js';

const FORMATS = ['json', 'csv', 'tsv', 'xml', 'txt', 'html'];

/** Inputs that give an answer, per path; elsewhere the path alone does. */
const EXAMPLES = {
  '/v1/training-plan': 'model=llama-2-70b&tokens=2e12&gpu=a100-sxm4-80gb&gpu_count=2048',
  '/v1/inference-sizing': 'model=llama-2-70b&gpu=h100-sxm5-80gb&requests_per_minute=1000'
    + '&input_tokens=512&output_tokens=200&latency_p95_seconds=10',
  '/v1/break-even': 'gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&horizon_months=36',
  '/v1/compare': 'a=%2Fv1%2Fbreak-even%3Fgpu%3Dh100-sxm5-80gb%26utilization%3D0.7%26as_of%3D2025-11-03'
    + '&b=%2Fv1%2Fbreak-even%3Fgpu%3Dh100-sxm5-80gb%26utilization%3D0.9',
  '/v1/recommendation': 'workload=serve&model=llama-2-7b&requests_per_minute=60',
};
const NAMES = { '{gpu}': 'h100-sxm5-80gb', '{model}': 'llama-2-70b' };

const LIST = ['sort', 'limit', 'cursor', 'count'];

function fallback(parameter) {
  const { schema, required } = parameter;
  if (required) return 'required';
  if (schema['x-default'] === 'auto') return 'chosen';
  if (schema['x-default']) return 'an assumption';
  return schema.default === undefined ? '' : String(schema.default);
}

function range({ schema }) {
  if (schema.enum) return schema.enum.join(' ');
  const { minimum, maximum } = schema;
  if (minimum === undefined && maximum === undefined) return schema.format || '';
  return `${minimum ?? ''} to ${maximum ?? ''}`;
}

const ofEveryPath = ({ paths }) => paths['/v1'].get.parameters;
const ofLists = ({ components }) => LIST.map((name) => components.parameters[name]);

const parameterTable = (path, list) => table(`Parameters of ${path}`,
  ['Name', 'Unit', 'Default', 'Range', 'What it is'],
  [{ rows: list.map((each) => [el('code', {}, each.name), each.schema['x-unit'] || '', fallback(each),
    range(each), each.schema.description]) }], { class: 'stack' });

function fieldTable(path, properties) {
  const rows = Object.entries(properties).filter(([, field]) => field.description).map(([name, field]) =>
    [el('code', {}, name), field['x-unit'] || (field.type === 'array' ? 'rows' : ''), field.description]);
  return table(`Fields of the answer of ${path}`, ['Name', 'Unit', 'What it is'], [{ rows }], { class: 'stack' });
}

function examples(path) {
  const base = Object.keys(EXAMPLES).find((each) => path.startsWith(each));
  const query = base ? `?${EXAMPLES[base]}` : '';
  const filled = path.replace(/\{\w+\}/, (name) => NAMES[name] || name);
  if (filled.includes('{')) return null; // what a team writes itself has no example
  return el('p', {}, 'An example: ', FORMATS.map((format) =>
    [el('a', { href: `${filled}.${format}${query}` }, `.${format}`), ' ']));
}

function part(document_, path, operations) {
  const { get, post } = operations;
  const ofAll = [...ofEveryPath(document_), ...ofLists(document_)];
  const own = get.parameters.filter((each) => !ofAll.includes(each));
  const answer = get.responses['200'].content['application/json'].schema;
  const folded = (name, title, content) => el('details', { 'data-part': partName(`${path}-${name}`) }, el('summary', {}, title), content);
  return el('section', { id: path.slice(1).replace(/\W+/g, '-') },
    el('h2', {}, el('code', {}, path)), el('p', {}, `${get.summary}.`,
      post ? [' Also ', el('code', {}, 'POST'), post.requestBody.content['application/json'].schema.properties
        ? ' with the same names as JSON.' : ` of ${post.summary.toLowerCase()}.`] : null),
    examples(path),
    own.length ? folded('parameters', `${own.length} parameters`, parameterTable(path, own)) : null,
    folded('fields', 'Fields of the answer', fieldTable(path, answer.properties)));
}

function shared(document_) {
  return el('section', {}, el('h2', {}, 'What every path takes'), parameterTable('every path', ofEveryPath(document_)),
    el('h2', {}, 'What every list takes'), parameterTable('lists', ofLists(document_)));
}

async function begin() {
  const reference = document.getElementById('reference');
  try {
    const document_ = await description();
    reference.replaceChildren(
      el('ul', { class: 'contents' }, Object.keys(document_.paths).map((path) =>
        el('li', {}, el('a', { href: `#${path.slice(1).replace(/\W+/g, '-')}` }, path)))),
      ...Object.entries(document_.paths).map(([path, operations]) => part(document_, path, operations)),
      shared(document_));
    new Parts(reference).read();
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    reference.textContent = `The reference could not be made: ${error.message}`;
    throw error;
  }
}

begin();
