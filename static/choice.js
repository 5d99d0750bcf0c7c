// choice.js - controls to choose with: one of a few, one of many by searching, several.
import { el } from './dom.js';
import { choice, text } from './words.js';

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
  const matching = (words) => list.filter((each) => words.every((word) => `${each.text} ${each.value} ${each.group ?? ''}`.toLowerCase().includes(word)));
  const box = el('input', { type: 'search', class: 'search', 'aria-label': text(`form.search.${kind}`), autocomplete: 'off', spellcheck: 'false',
    placeholder: text(kind === 'gpu' ? 'form.search.hint' : 'form.search.hint.model'), oninput: (event) => {
      event.stopPropagation();
      const words = box.value.toLowerCase().split(/[\s,]+/).filter(Boolean), left = matching(words);
      fill(control, left.some(({ value }) => value === control.value) ? left : [...left, ...list.filter(({ value }) => value === control.value)]);
      said.textContent = words.length ? text('form.search.some', { n: left.length, all: list.length }) : '';
    }, onchange: (event) => event.stopPropagation(), onkeydown: (event) => {
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
  return { control, before: el('div', { class: 'finding' }, box, said) };
}

/** Several of a few: boxes to tick, and a hidden input that holds them as the API takes them. */
export function boxes(name, values) {
  const control = el('input', { type: 'hidden', id: name, name });
  const ticks = values.map((value) => el('input', { type: 'checkbox', value, onchange: (event) => {
    event.stopPropagation();
    held.set.call(control, ticks.filter((each) => each.checked).map((each) => each.value).join(','));
    changed(control);
  }, oninput: (event) => event.stopPropagation() }));
  const held = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  Object.defineProperty(control, 'value', { get() { return held.get.call(this); }, set(given) {
    held.set.call(this, given);
    const chosen = given.split(',');
    ticks.forEach((each) => { each.checked = chosen.includes(each.value); });
  } });
  return { control, shown: el('div', { class: 'boxes' }, ticks.map((each) => el('label', {}, each, ' ', choice(each.value))), control) };
}
