// docs.js - the reference of the API: a group per tag and a part per path, made from /openapi.json.
import { description, Problem } from './api.js';
import { el, table } from './dom.js';
import { Parts, partName } from './state.js';
import { text } from './words.js';

const FORMATS = ['json', 'csv', 'tsv', 'xml', 'txt', 'html', 'xlsx'];
const LIST = ['sort', 'limit', 'cursor', 'count'];

/** Example values for the braces of a path; quotes and own runs have none. */
const NAMES = { '{gpu}': 'h100-sxm5-80gb', '{model}': 'llama-2-70b' };

const anchor = (path) => path.slice(1).replace(/\W+/g, '-');

function fallback({ schema, required }) {
  if (required) return text('docs.required');
  if (schema['x-default'] === 'auto') return text('docs.auto');
  if (schema['x-default']) return text('docs.assumption');
  return schema.default === undefined ? '' : String(schema.default);
}

function range({ schema: { enum: words, minimum, maximum, format } }) {
  if (words) return words.join(' ');
  return minimum === undefined && maximum === undefined ? format || '' : text('docs.to', { low: minimum ?? '', high: maximum ?? '' });
}

const heads = (...names) => names.map((name) => text(`docs.${name}`));

const inputTable = (title, list) => table(title, heads('name', 'unit', 'default', 'range', 'what'),
  [{ rows: list.map((each) => [el('code', {}, each.name), each.schema['x-unit'] || '', fallback(each),
    range(each), each.schema.description]) }], { class: 'stack' });

const fieldTable = (title, properties) => table(title, heads('name', 'unit', 'what'),
  [{ rows: Object.entries(properties).filter(([, field]) => field.description).map(([name, field]) =>
    [el('code', {}, name), field['x-unit'] || (field.type === 'array' ? text('docs.rows') : ''), field.description]) }], { class: 'stack' });

/** The published examples of an operation: {summary, request}, the request being an address. */
const published = ({ responses }) => Object.values(responses[200].content).flatMap(({ examples = {} }) =>
  Object.values(examples).map(({ summary, description: request }) => ({ summary, request: request.replace(/^GET /, '') })));

const quoted = (words) => `'${words.replaceAll("'", "'\\''")}'`;

const code = (...words) => el('pre', { tabindex: '0' }, el('code', {}, words));

/** A folded part, whose contents may be made when it is opened. */
function folded(name, title, content) {
  const box = el('details', { 'data-part': name }, el('summary', {}, title));
  if (typeof content !== 'function') box.append(content);
  else box.addEventListener('toggle', () => content().then((node) => box.append(node)), { once: true });
  return box;
}

/** The daemon's own reply. Examples are pinned to a day, so that the reply stays the same. */
async function reply(request) {
  const answer = await fetch(request).then((each) => each.text(), () => text('error.unreachable'));
  return code(request.includes('.json') ? JSON.stringify(JSON.parse(answer), null, 1) : answer);
}

/** The example to start from: one of the path in JSON, another, that of the path above, or the path alone. */
function basic(path, paths) {
  const filled = path.replace(/\{\w+\}/, (name) => NAMES[name] || name);
  const examples = published(paths[path].get), above = paths[path.slice(0, path.lastIndexOf('/'))];
  const [own] = examples.filter(({ request }) => request.includes('.json')).concat(examples);
  if (own || filled.includes('{')) return own?.request;
  const [of] = above ? published(above.get).filter(({ request }) => request.includes('.json')) : [];
  const query = of?.request.split('?')[1] ?? (paths[path].get.parameters.some(({ name }) => name === 'limit') ? 'limit=3' : '');
  return `${filled}.json${query && '?'}${query}`;
}

/** How to ask a path: with curl, in each format, and the reply. */
function asked(path, paths) {
  const request = basic(path, paths);
  if (!request) return null;
  const [, stem, query] = /^([^?]*?)\.\w+(\?.*)?$/.exec(request.replace(/([?&])fields?=[^&]*&?/, '$1'));
  const examples = published(paths[path].get);
  const samples = examples.length ? examples : [{ request }];
  return [code(`curl ${quoted(location.origin + request)}`),
    el('p', {}, text('docs.formats'), FORMATS.map((format) => [el('a', { href: `${stem}.${format}${query ?? ''}` }, `.${format}`), ' '])),
    samples.map((each, i) => folded(partName(`${path}-sample${i || ''}`),
      each.summary ? text('docs.sample.of', { what: each.summary }) : text('docs.sample'), async () => el('div', {},
        each.request === request ? '' : code(`curl ${quoted(location.origin + each.request)}`), await reply(each.request))))];
}

/** What else the path takes than GET. */
function posted(path, { post }) {
  const body = post?.requestBody.content['application/json'];
  if (!body) return null;
  const examples = Object.values(body.examples ?? {});
  return examples.map(({ value }) => code(`curl ${post.security ? '-H "Authorization: Bearer $token" ' : ''}-H 'Content-Type: application/json' `
    + `-d ${quoted(JSON.stringify(value))} ${quoted(location.origin + path)}`));
}

function part(path, paths, shared) {
  const { get, post } = paths[path];
  const own = get.parameters.filter((each) => !shared.includes(each));
  const body = !post ? '' : post.requestBody.content['application/json'].schema.properties && !post.security
    ? text('docs.also.json') : text('docs.also.of', { what: post.summary });
  return el('section', { id: anchor(path), class: 'path', 'data-words': [path, get.summary, ...own.flatMap((each) =>
    [each.name, each.schema.description, each.schema['x-label']])].join(' ').toLowerCase() },
  el('h3', {}, el('code', {}, path)), el('p', { class: 'what' }, `${get.summary}.`, post ? text('docs.also', { method: 'POST', body }) : ''),
  asked(path, paths), posted(path, paths[path]),
  own.length ? folded(partName(`${path}-parameters`), text('docs.inputs', { n: own.length }), inputTable(text('docs.inputs.of', { path }), own)) : null,
  folded(partName(`${path}-fields`), text('docs.fields'), fieldTable(text('docs.fields.of', { path }),
    get.responses[200].content['application/json'].schema.properties)));
}

const group = ({ name, description: about }, parts) => el('section', { class: 'tag', id: partName(name) },
  el('h2', {}, name), el('p', {}, `${about}.`), parts);

/** A box that filters the paths by the words typed. */
function finder(reference) {
  const said = el('span', { class: 'hint', role: 'status' });
  const box = el('input', { type: 'search', id: 'find', 'aria-describedby': 'find-hint', oninput: () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const parts = [...reference.querySelectorAll('.path')];
    parts.forEach((each) => { each.hidden = !words.every((word) => each.dataset.words.includes(word)); });
    reference.querySelectorAll('.tag').forEach((each) => { each.hidden = !each.querySelector('.path:not([hidden])'); });
    reference.querySelectorAll('.contents a').forEach((each) => {
      each.parentNode.hidden = document.getElementById(each.hash.slice(1)).hidden;
    });
    const found = parts.filter((each) => !each.hidden).length;
    said.textContent = !words.length ? '' : found ? text('docs.found', { n: found }) : text('docs.none');
  } });
  return el('div', { class: 'field' }, el('label', { for: 'find' }, text('docs.find')), el('p', { class: 'hint', id: 'find-hint' }, text('docs.find.hint')), box, said);
}

async function begin() {
  const reference = document.getElementById('reference');
  document.querySelectorAll('.origin').forEach((each) => { each.textContent = location.origin; });
  try {
    const { paths, tags, components } = await description();
    const ofEvery = paths['/v1'].get.parameters, ofLists = LIST.map((name) => components.parameters[name]);
    const shared = [...ofEvery, ...ofLists];
    const groups = tags.map((tag) => [tag, Object.keys(paths).filter((path) => paths[path].get.tags.includes(tag.name))]);
    reference.replaceChildren(finder(reference),
      el('div', { class: 'contents' }, groups.map(([{ name }, list]) => el('div', {}, el('a', { href: `#${partName(name)}` }, name),
        el('ul', {}, list.map((path) => el('li', {}, el('a', { href: `#${anchor(path)}` }, path))))))),
      ...groups.map(([tag, list]) => group(tag, list.map((path) => part(path, paths, shared)))),
      el('section', {}, el('h2', {}, text('docs.common')), inputTable(text('docs.common'), ofEvery),
        el('h2', {}, text('docs.lists')), inputTable(text('docs.lists'), ofLists)));
    new Parts(reference).read();
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    reference.textContent = text('docs.failed', { why: error.message });
    if (!(error instanceof Problem)) throw error;
  }
}

begin();
