// lists.js - the accelerators and the models as choices of a form.
import { accelerators, models } from './api.js';
import { number, short } from './number.js';

const gpuList = (rows) => rows.map(({ gpu, name, vendor, memory_gib: memory }) => ({ value: gpu,
  text: memory === null || name.includes('GB') ? name : `${name}, ${number(memory)} GiB`, group: vendor }));

const modelList = (rows) => rows.map((row) => ({ value: row.model,
  text: `${row.name || row.model}, ${short(row.parameters)} parameters` }));

/** {gpu, model}: what a form offers where it asks for one. */
export async function choices() {
  const [gpus, known] = await Promise.all([accelerators(), models()]);
  return { gpu: gpuList(gpus), model: modelList(known) };
}
