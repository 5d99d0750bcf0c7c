// choice.js - controls to choose one of a few, one of many by searching, or several; and boxes for a pasted file that fills in
// inputs: a model's config.json, the result of a benchmark or the log of a training run.
import { run } from './api.js';
import { el } from './dom.js';
import { choice, text } from './words.js';

/** Text typed to search a list is not an input of the question. */
const quiet = (event) => event.stopPropagation();

function fill(control, list) {
  const groups = new Map(), { value } = control;
  const unset = control.options[0];
  control.replaceChildren(unset);
  for (const { value: each, text: words, group } of list) {
    if (group && !groups.has(group)) groups.set(group, control.appendChild(el('optgroup', { label: group })));
    (groups.get(group) || control).append(el('option', { value: each }, words));
  }
  control.value = value;
}

export function select(name, list) {
  const control = el('select', { id: name, name }, el('option', { value: '' }, '–'));
  fill(control, list);
  return control;
}

const changed = (control) => ['input', 'change'].forEach((name) => control.dispatchEvent(new Event(name, { bubbles: true })));

/** A list with a box above that leaves of it what has all the words typed; Enter takes the first. What is chosen
 * stays in the list. */
export function lookup(name, list, kind) {
  const control = select(name, list);
  const said = el('span', { class: 'hint', role: 'status' });
  const matching = (words) => list.filter((each) => words.every((word) => `${each.text} ${each.value} ${each.group ?? ''} ${each.facts ?? ''}`.toLowerCase().includes(word)));
  const box = el('input', { type: 'search', class: 'search', 'aria-label': text(`form.search.${kind}`), autocomplete: 'off', spellcheck: 'false',
    placeholder: text(kind === 'gpu' ? 'form.search.hint' : 'form.search.hint.model'), oninput: (event) => {
      event.stopPropagation();
      const words = box.value.toLowerCase().split(/[\s,]+/).filter(Boolean), left = matching(words);
      fill(control, left.some(({ value }) => value === control.value) ? left : [...left, ...list.filter(({ value }) => value === control.value)]);
      said.textContent = words.length ? text('form.search.some', { n: left.length, all: list.length }) : '';
    }, onchange: quiet, onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      const [first] = matching(box.value.toLowerCase().split(/[\s,]+/).filter(Boolean));
      if (!first || !box.value.trim()) return;
      box.value = '';
      said.textContent = '';
      fill(control, list);
      control.value = first.value;
      changed(control);
    } });
  return { control, before: el('div', { class: 'finding' }, box, said), after: kind === 'model' ? pasted(name, list, control) : null };
}

/** What distinguishes models, in the catalogue and in a config.json. */
const SHAPE = { layer_count: 'num_hidden_layers', hidden_size: 'hidden_size', head_count: 'num_attention_heads',
  kv_head_count: 'num_key_value_heads', vocabulary_size: 'vocab_size' };

/** A box for a config.json: chooses the listed model of that shape. */
function pasted(name, list, control) {
  const box = el('textarea', { rows: 4, id: `${name}-config`, spellcheck: 'false', 'aria-describedby': `${name}-config-hint`,
    oninput: quiet, onchange: quiet });
  const said = el('p', { role: 'status' });
  const use = () => {
    let config;
    try {
      config = JSON.parse(box.value);
    } catch {
      config = null;
    }
    const shape = config?.text_config ?? config, layers = shape?.num_hidden_layers;
    if (!layers || !shape.hidden_size) return text('config.bad');
    const same = list.find((each) => Object.entries(SHAPE).every(([ours, theirs]) =>
      (shape[theirs] ?? (ours === 'kv_head_count' ? shape.num_attention_heads : undefined)) === each[ours]));
    if (!same) return text('config.none');
    control.value = same.value;
    changed(control);
    return text('config.found', { name: same.name });
  };
  return el('details', { class: 'config' }, el('summary', {}, text('config.label')), el('label', { for: box.id, class: 'hint', id: `${name}-config-hint` },
    text('config.hint')), box, el('p', { class: 'tools' }, el('button', { type: 'button', onclick: () => { said.textContent = use(); } }, text('config.use'))), said);
}

/** Several of a few: checkboxes, and a hidden input with the API's value. */
export function boxes(name, values) {
  const control = el('input', { type: 'hidden', id: name, name });
  const ticks = values.map((value) => el('input', { type: 'checkbox', value, onchange: (event) => {
    event.stopPropagation();
    held.set.call(control, ticks.filter((each) => each.checked).map((each) => each.value).join(','));
    changed(control);
  }, oninput: quiet }));
  const held = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  Object.defineProperty(control, 'value', { get() { return held.get.call(this); }, set(given) {
    held.set.call(this, given);
    const chosen = given.split(',');
    ticks.forEach((each) => { each.checked = chosen.includes(each.value); });
  } });
  return { control, shown: el('div', { class: 'boxes' }, ticks.map((each) => el('label', {}, each, ' ', choice(each.value))), control) };
}

/** The text, small enough for a request: of JSON without lists of single requests, of a log the beginning and the end. */
export function shortened(words) {
  const most = 48000;
  if (words.length < most) return words;
  try {
    return JSON.stringify(JSON.parse(words), (key, value) => (Array.isArray(value) && !(value[0] instanceof Object) ? undefined : value));
  } catch {
    return `${words.slice(0, most / 3)}\n${words.slice(-most / 2)}`;
  }
}

/** A box to paste the file into, or to choose it; `set` takes the inputs that the daemon reads in it. */
export function benchmarkBox(set) {
  const box = el('textarea', { rows: 4, id: 'benchmark', spellcheck: 'false', oninput: quiet, onchange: quiet });
  const said = el('p', { role: 'status' });
  const use = async () => {
    try {
      const { question, warnings } = await run(shortened(box.value)), [path, query] = question.slice(3).split('?');
      const here = location.pathname === path;
      if (here) set(Object.fromEntries(new URLSearchParams(query)));
      said.replaceChildren(here ? text('benchmark.used') : el('a', { href: question.slice(3) }, text('benchmark.other')),
        ...warnings.map((each) => ` ${each.detail}`));
    } catch (problem) {
      said.textContent = problem.message;
    }
  };
  const file = el('input', { type: 'file', hidden: true, oninput: quiet, onchange: async (event) => {
    quiet(event);
    box.value = await file.files[0].text();
    use();
  } });
  return el('details', { class: 'config' }, el('summary', {}, text('benchmark.label')), el('label', { for: box.id, class: 'hint' }, text('benchmark.hint')), box,
    el('p', { class: 'tools' }, el('button', { type: 'button', onclick: use }, text('benchmark.use')),
      el('button', { type: 'button', onclick: () => file.click() }, text('benchmark.file')), file), said);
}
