// form.js - the form of one question: made from the fields, filled from an address, read back into one.
import { Problem } from './api.js';
import { el } from './dom.js';
import { delivery, labelUnit } from './fields.js';
import { quantity, readNumber, shifted, written } from './number.js';
import { partName } from './state.js';

const SOURCES = { default: 'default', catalog: 'from the catalogue', chosen: 'chosen for you' };

export class Form {
  /** `node` is the <form> of the page, `inputs` its fields, `layout` {basic: [name], groups:
   * [{title, names}], legend}, `lists` {gpu, model}: arrays of {value, text, group}. */
  constructor(node, inputs, layout, lists) {
    this.node = node;
    this.inputs = inputs;
    this.lists = lists;
    this.controls = new Map();
    this.problem = null; // what is filled in and cannot be read
    this.carried = []; // parameters of the address that have no field here: the API will object
    this.summary = el('div', { class: 'problems', id: 'problems', 'aria-live': 'polite', hidden: true });
    node.replaceChildren(this.summary, ...this.#sections(layout));
    node.addEventListener('input', ({ target }) => { delete this.controls.get(target.name)?.given; });
    this.#nameUnits('USD');
  }

  /** Say the units beside the labels, of money in that currency. */
  #nameUnits(currency) {
    for (const [name, { unit }] of this.controls) {
      const input = this.inputs.get(name);
      const text = labelUnit(name, input.unit, input.percent).replace(/^currency/, currency);
      unit.textContent = text && ` ${text}`;
    }
  }

  #sections({ basic, groups, legend = 'The question' }) {
    const left = new Set(this.inputs.keys());
    const take = (names) => names.filter((name) => left.delete(name))
      .map((name) => this.#field(this.inputs.get(name)));
    const first = el('fieldset', { class: 'basic' }, el('legend', {}, legend), take(basic));
    const folded = groups.map(({ title, names }) => this.#group(title, take(names)));
    return [first, ...folded, this.#group('More', take([...left]))].filter(Boolean);
  }

  #group(title, fields) {
    if (!fields.length) return null;
    const count = el('span', { class: 'count' });
    return el('details', { class: 'group', 'data-part': `inputs-${partName(title)}` },
      el('summary', {}, title, ' ', count), el('div', { class: 'fields' }, fields));
  }

  #field(input) {
    const { name } = input;
    const control = this.#control(input);
    const unit = el('span', { class: 'unit' });
    const reset = el('button', { type: 'button', class: 'reset', hidden: true,
      'aria-label': `Reset ${input.label}`, onclick: () => this.#reset(name) }, 'Reset');
    const hint = el('p', { class: 'hint', id: `${name}-hint` }, input.description);
    const error = el('p', { class: 'error', id: `${name}-error`, hidden: true });
    const source = el('p', { class: 'source', id: `${name}-source` });
    const moves = el('p', { class: 'moves', id: `${name}-moves` });
    control.setAttribute('aria-describedby', `${name}-error ${name}-hint ${name}-source ${name}-moves`);
    this.controls.set(name, { control, reset, error, source, moves, unit });
    return el('div', { class: 'field' },
      el('label', { for: name }, input.label, unit),
      hint, error, el('div', { class: 'entry' }, control, reset), source, moves);
  }

  #control(input) {
    const { name } = input;
    const list = name === 'model' || name.endsWith('_model') ? this.lists.model
      : name === 'gpu' || name.endsWith('_gpu') ? this.lists.gpu : null;
    if (list) return select(name, list);
    if (input.choices)
      return select(name, input.choices.map((value) => ({ value, text: value.replaceAll('_', ' ') })));
    if (input.flag) return select(name, [{ value: '1', text: 'yes' }, { value: '0', text: 'no' }]);
    return el('input', { type: 'text', id: name, name, autocomplete: 'off', spellcheck: 'false',
      inputmode: input.numeric ? 'decimal' : null });
  }

  #reset(name) {
    const { control } = this.controls.get(name);
    control.value = '';
    control.dispatchEvent(new Event('input', { bubbles: true }));
    control.dispatchEvent(new Event('change', { bubbles: true }));
    control.focus();
  }

  /** What is filled in, as the API takes it. A number that cannot be read is left out and put in `problem`. */
  read() {
    const query = new URLSearchParams(), errors = [];
    for (const [name, { control, reset, given }] of this.controls) {
      const typed = control.value.trim();
      reset.hidden = typed === '';
      const { value, refusal } = given ? { value: given } : this.#sent(this.inputs.get(name), typed);
      if (refusal) errors.push({ parameter: name, detail: refusal });
      else if (typed !== '') query.append(name, value);
    }
    for (const [name, value] of this.carried) query.append(name, value);
    this.problem = errors.length ? new Problem({ errors }) : null;
    return query;
  }

  #sent({ name, numeric, flag, percent, unit }, typed) {
    if (!numeric || flag || typed === '') return { value: typed };
    return readNumber(typed, { percent, whole: name.endsWith('_count'), currency: unit.startsWith('currency') ? this.#currency : null });
  }

  get #currency() {
    return this.controls.get('currency')?.control.value.trim().toUpperCase() || 'USD';
  }

  /** Fill in from an address. Of the groups those that hold something are open as usual. */
  write(query, parts) {
    for (const entry of this.controls.values()) {
      entry.control.value = '';
      delete entry.given;
    }
    this.carried = [];
    for (const [name, value] of query) {
      const entry = this.controls.get(name);
      if (!entry) {
        if (!delivery(name)) this.carried.push([name, value]);
      } else {
        this.#show(this.inputs.get(name), entry, value);
      }
    }
    for (const group of this.node.querySelectorAll('details'))
      if ([...group.querySelectorAll('input, select')].some((each) => each.value)) parts?.open(group.dataset.part);
    parts?.show(this.node);
  }

  #show(input, entry, value) {
    const { control } = entry;
    const plain = value.trim() !== '' && Number.isFinite(Number(value));
    if (control.tagName === 'SELECT') {
      if (![...control.options].some((option) => option.value === value))
        control.add(new Option(value, value)); // unknown: kept, so that the API can say so
      control.value = value;
    } else if (input.numeric && plain) {
      control.value = written(input.percent ? shifted(Number(value), 2) : Number(value));
    } else {
      control.value = value;
      entry.given = value; // no number as the API writes them, nor to be read as one typed here: it will object
    }
  }

  /** Say what stands where nothing is filled in, and where it is from. */
  showInForce(inputs, currency) {
    this.#nameUnits(currency);
    for (const [name, { control, source }] of this.controls) {
      const input = this.inputs.get(name);
      const known = inputs?.[name];
      const text = known && known.value !== null ? this.#shown(input, known.value, currency) : '';
      const mine = known?.source === 'request';
      if (control.tagName === 'SELECT') control.options[0].textContent = text && !mine ? text : '–';
      else control.placeholder = text && !mine ? this.#bare(input, known.value) : '';
      source.replaceChildren(...this.#sourceText(known, text, mine));
    }
    for (const group of this.node.querySelectorAll('details.group')) {
      const set = [...group.querySelectorAll('input, select')].filter((each) => each.value).length;
      group.querySelector('.count').textContent = set ? `${set} set` : '';
    }
  }

  /** Say beside each input how it moves the answer; `moves` are nodes by name. */
  showMoves(moves) {
    for (const [name, entry] of this.controls) entry.moves.replaceChildren(...moves.get(name) ?? []);
  }

  #sourceText(known, text, mine) {
    if (!known || mine) return [];
    const words = text ? `${text}, ${SOURCES[known.source]}` : 'not set';
    return known.reference?.startsWith('/')
      ? [`${words}: `, el('a', { href: known.reference }, 'source')]
      : [known.reference ? `${words}: ${known.reference}` : words];
  }

  #shown(input, value, currency) {
    if (input.flag) return value ? 'yes' : 'no';
    if (typeof value === 'string')
      return (this.#textOf(input.name, value) || value).replaceAll(input.choices ? '_' : '\0', ' ');
    return quantity(value, input.unit, currency);
  }

  #textOf(name, value) {
    const { control } = this.controls.get(name);
    return [...(control.options || [])].find((option) => option.value === value)?.textContent;
  }

  #bare(input, value) {
    return typeof value === 'number' ? written(input.percent ? shifted(value, 2) : value) : value;
  }

  /** Show a problem at its fields and in a summary that links to them; null clears. What was said beside the
   * fields of the answer before goes. */
  showProblem(problem) {
    for (const { control, error, source, moves } of this.controls.values()) {
      control.removeAttribute('aria-invalid');
      error.hidden = true;
      if (problem) moves.replaceChildren();
      if (problem && control.value) source.replaceChildren();
    }
    this.summary.hidden = !problem;
    if (!problem) return;
    const items = problem.errors.map((each) => this.#culprit(each));
    this.summary.replaceChildren(el('h2', {}, 'There is a problem'),
      items.length ? el('ul', {}, items) : el('p', {}, problem.message));
  }

  #culprit({ parameter: name, detail, code, minimum, maximum }) {
    const entry = this.controls.get(name);
    const input = this.inputs.get(name);
    if (!entry) {
      const remove = el('button', { type: 'button', onclick: () => this.#drop(name) }, 'Remove it');
      return el('li', {}, `${name}: ${detail} `, name ? remove : null);
    }
    const text = input.percent && code === 'out_of_range' && maximum !== undefined
      ? `must be between ${shifted(minimum, 2)}\u00a0% and ${shifted(maximum, 2)}\u00a0%` : detail;
    entry.control.setAttribute('aria-invalid', 'true');
    entry.error.textContent = `${input.label}: ${text}`;
    entry.error.hidden = false;
    return el('li', {}, el('a', { href: `#${name}`, onclick: (event) => this.#go(event, name) },
      `${input.label}: ${text}`));
  }

  #go(event, name) {
    event.preventDefault();
    const { control } = this.controls.get(name);
    const group = control.closest('details');
    if (group) group.open = true;
    control.focus();
  }

  #drop(name) {
    this.carried = this.carried.filter(([each]) => each !== name);
    this.node.dispatchEvent(new Event('input', { bubbles: true }));
    this.node.dispatchEvent(new Event('change', { bubbles: true }));
  }
}

function select(name, list) {
  const control = el('select', { id: name, name }, el('option', { value: '' }, '–'));
  const groups = new Map();
  for (const { value, text, group } of list) {
    if (group && !groups.has(group)) groups.set(group, control.appendChild(el('optgroup', { label: group })));
    (groups.get(group) || control).append(el('option', { value }, text));
  }
  return control;
}
