// benchmark.js - a result of `vllm bench serve` or of sglang.bench_serving as inputs of a sizing.
import { el } from './dom.js';
import { text } from './words.js';

const positive = (value) => (Number.isFinite(value) && value > 0 ? value : undefined);

/** The JSON of a file, of lines of JSON the last. */
function parsed(words) {
  for (const each of [words, words.trim().split('\n').at(-1)]) {
    try {
      return JSON.parse(each);
    } catch { /* the next */ }
  }
  return null;
}

/** {input: value} of the means, null where the text is no steady result. Requests in flight are those
 * counted, else by Little's law: arrivals per second times seconds in the service. */
export function measured(words) {
  const run = parsed(words), requests = positive(run?.completed);
  const first = positive(run?.mean_ttft_ms), token = positive(run?.mean_tpot_ms);
  if (!requests || !first || !token) return null;
  const input = run.total_input_tokens / requests, output = run.total_output_tokens / requests;
  const stay = (positive(run.mean_e2el_ms) ?? positive(run.mean_e2e_latency_ms) ?? first + token * (output - 1)) / 1000;
  const flight = positive(run.concurrency) ?? requests / run.duration * stay;
  if (requests < 2 * flight) return null;
  const whole = (value) => (positive(value) ? Math.max(Math.round(value), 1) : undefined);
  const found = { measured_time_per_output_token_seconds: token / 1000, measured_time_to_first_token_seconds: first / 1000,
    measured_concurrent_requests: whole(flight), measured_input_tokens: whole(input), measured_output_tokens: whole(output) };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** A box to paste the file into, or to choose it; `set` takes the inputs. */
export function benchmarkBox(set) {
  const quiet = (event) => event.stopPropagation();
  const box = el('textarea', { rows: 4, id: 'benchmark', spellcheck: 'false', oninput: quiet, onchange: quiet });
  const said = el('p', { role: 'status' });
  const use = () => {
    const values = measured(box.value);
    if (values) set(values);
    said.textContent = values ? text('benchmark.used') : text('benchmark.bad');
  };
  const file = el('input', { type: 'file', hidden: true, accept: '.json,.jsonl', oninput: quiet, onchange: async (event) => {
    quiet(event);
    box.value = await file.files[0].text();
    use();
  } });
  return el('details', { class: 'config' }, el('summary', {}, text('benchmark.label')), el('label', { for: box.id, class: 'hint' }, text('benchmark.hint')), box,
    el('p', { class: 'tools' }, el('button', { type: 'button', onclick: use }, text('benchmark.use')),
      el('button', { type: 'button', onclick: () => file.click() }, text('benchmark.file')), file), said);
}
