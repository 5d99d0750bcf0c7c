// api.js - the daemon's answers. Everything the page knows it asks here.
import { number, short } from './number.js';

/** What the API refused, and why: RFC 9457. */
export class Problem extends Error {
  constructor(body) {
    super(body.detail || body.title);
    this.status = body.status;
    this.errors = body.errors || [];
  }
}

async function get(path, options) {
  let reply;
  try {
    reply = await fetch(path, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem({ detail: 'The service does not answer. Is it running?', status: 0 });
  }
  const body = await reply.json().catch(() => null);
  if (reply.ok && body) return body;
  throw new Problem(body || { detail: `The service answered ${reply.status}.`, status: reply.status });
}

/** In place of each reference what it points to: the same object wherever it is. */
function inlined(root, node) {
  if (node?.$ref) return inlined(root, node.$ref.slice(2).split('/').reduce((at, key) => at[key], root));
  if (node instanceof Object) for (const key in node) node[key] = inlined(root, node[key]);
  return node;
}

/** The OpenAPI document, whole or of one path, without references. */
export const description = async (path = '') => {
  const root = await get(`/openapi${path}.json`);
  return inlined(root, root);
};

const gpuList = (rows) => rows.map(({ gpu, name, vendor, memory_gib: memory }) => ({ value: gpu,
  text: memory === null || name.includes('GB') ? name : `${name}, ${number(memory)} GiB`, group: vendor }));

const modelList = (rows) => rows.map((row) => ({ value: row.model,
  text: `${row.name || row.model}, ${short(row.parameters)} parameters` }));

/** {gpu, model}: what a form offers where it asks for one. */
export async function choices() {
  const [gpus, known] = await Promise.all(
    ['gpus.json?fields=gpu,name,vendor,memory_gib', 'models.json?fields=model,name,parameters'].map((path) => get(`/v1/${path}`)));
  return { gpu: gpuList(gpus.rows), model: modelList(known.rows) };
}

/** The answer to a question; `query` is a URLSearchParams, `table` a part of it as "series". */
export const answer = (question, query, signal, table = '') =>
  get(`/v1/${question}${table ? '/' : ''}${table}.json?${query}`, { signal });

/** A list of the catalogue, whole; every figure of a GPU as its sources give it. */
export const list = (name, query, signal) => get(`/v1/${name}.json?${query}`, { signal });
export const figures = async (gpu) => (await get(`/v1/gpus/${gpu}.json`)).figures;
