// api.js - the only requests to the daemon.
import { number, roundMoney, short } from './number.js';
import { choice, learnLabels, learnNames, readable, text } from './words.js';

/** What the API refused, and why: RFC 9457. */
export class Problem extends Error {
  constructor(body) {
    super(readable(body.detail || body.title || ''));
    this.status = body.status;
    this.detail = body.detail ?? '';
    this.errors = body.errors || [];
  }
}

async function get(path, options) {
  let reply;
  try {
    reply = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem({ detail: text('error.unreachable'), status: 0 });
  }
  const body = await reply.json().catch(() => null);
  if (reply.ok && body) return body;
  throw new Problem(body || { detail: text('error.status', { status: reply.status }), status: reply.status });
}

/** Replaces each reference by its target, the same object each time. */
function inlined(root, node) {
  if (node?.$ref) return inlined(root, node.$ref.slice(2).split('/').reduce((at, key) => at[key], root));
  if (node instanceof Object) for (const key in node) node[key] = inlined(root, node[key]);
  return node;
}

/** The OpenAPI document, whole or for one path, with references inlined. Its labels are stored. */
export const description = async (path = '') => {
  const root = await get(`/openapi${path}.json`);
  const document_ = inlined(root, root);
  learnLabels(document_.paths);
  return document_;
};

/** Each GPU with its memory, year and rent; the list shows only name and rent. */
const gpuList = (rows) => rows.map(({ gpu, name, vendor, memory_gib: memory, launch_year: year,
  on_demand_price_per_gpu_hour: price }) => {
  const maker = choice(vendor), short_ = name.startsWith(`${maker} `) ? name.slice(maker.length + 1) : name;
  const cost = price === null ? null : roundMoney(price);
  return { value: gpu, name, group: maker, text: cost ? text('gpu.text', { name: short_, price: cost }) : short_,
    facts: [memory === null ? null : `${number(memory)} GiB`, year, cost && text('gpu.list', { price: cost })].filter(Boolean).join(', ') };
});

const modelList = (rows) => rows.map((row) => ({ value: row.model, name: row.name || row.model,
  text: text('model.text', { name: row.name || row.model, size: short(row.parameters) }), ...row }));

/** {gpu, model}: the choices of a form. */
export async function choices() {
  const [gpus, known] = await Promise.all([
    'gpus.json?fields=gpu,name,vendor,memory_gib,launch_year,on_demand_price_per_gpu_hour',
    'models.json?fields=model,name,aliases,parameters,layer_count,hidden_size,head_count,kv_head_count,vocabulary_size'].map((path) => get(`/v1/${path}`)));
  const lists = { gpu: gpuList(gpus.rows), model: modelList(known.rows) };
  Object.values(lists).forEach(learnNames);
  learnNames(known.rows.flatMap(({ aliases, model, name }) => (aliases ?? '').split(',').filter(Boolean).map((alias) => ({ value: alias, name: name || model }))));
  return lists;
}

/** The answer to a question; `query` is a URLSearchParams, `table` a part of it, such as "series". */
export const answer = (question, query, signal, table = '') =>
  get(`/v1/${question}${table ? '/' : ''}${table}.json?${query}`, { signal });

/** A list of the catalogue. */
export const list = (name, query, signal) => get(`/v1/${name}.json?${query}`, { signal });
/** Each figure of a GPU from each of its sources. */
export const figures = async (gpu) => (await get(`/v1/gpus/${gpu}.json`)).figures;
/** How much the catalogue holds. */
/** What the file of a benchmark or a training says. */
export const run = (file) => get('/v1/measured-run.json',
  { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ file }) });
export const index = () => get('/v1.json');
