// form.js - the form of one question: made from the fields, filled from an address, read back into one.
import { Problem } from './api.js';
import { benchmarkBox, boxes, lookup, select } from './choice.js';
import { el } from './dom.js';
import { delivery } from './fields.js';
import { percent, quantity, readNumber, roundMoney, shifted, written } from './number.js';
import { partName } from './state.js';
import { choice, named, readable, text, unitWords } from './words.js';

/** The list an input is chosen from, if it is one of those that the catalogue has. */
const listOf = (name) => ['model', 'gpu'].find((each) => name === each || name.endsWith(`_${each}`));

export class Form {
  /** `node` is the <form> of the page, `inputs` its fields, `layout` {basic: [name], groups: [{part, title, names}],
   * legend, many: {name: [choice]} of inputs that take several}, `lists` {gpu, model}: arrays of {value, text, group}.
   * names are words; one that ends in * is all that begin so. */
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

  /** Say the units in the fields, of money in that currency. */
  #nameUnits(currency) {
    for (const [name, { unit }] of this.controls) {
      const input = this.inputs.get(name);
      unit.textContent = input.percent ? '%' : unitWords(input.unit, currency);
    }
  }

  #sections({ basic, groups, legend = text('form.legend'), start, many = {} }) {
    const left = new Set(this.inputs.keys());
    const all = (name) => (name.endsWith('*') ? [...left].filter((each) => each.startsWith(name.slice(0, -1))) : [name]);
    const take = (names) => names.flatMap(all).filter((name) => left.delete(name))
      .map((name) => this.#field(this.inputs.get(name), many[name]));
    const first = el('fieldset', { class: 'basic' }, el('legend', {}, legend), take(basic));
    if (start) first.append(el('p', { class: 'tools' }, el('button', { type: 'button', id: 'reset', onclick: () => this.#reset(start) }, text('form.reset'))));
    const folded = groups.map(({ part, title, names }) => this.#group(part, title, take(names.split(/\s+/))));
    const more = [...folded, this.#group('more', text('form.more'), take([...left]))].filter(Boolean);
    return [first, groups.length ? this.#finder(more) : null, ...more].filter(Boolean);
  }

  #group(part, title, fields) {
    if (!fields.length) return null;
    const count = el('span', { class: 'count' });
    return el('details', { class: 'group', 'data-part': `inputs-${partName(part)}` },
      el('summary', {}, title, ' ', count), el('div', { class: 'fields' }, fields));
  }

  /** A box that filters the inputs of all groups by label or hint. */
  #finder(groups) {
    const said = el('span', { class: 'hint', role: 'status' });
    const box = el('input', { type: 'search', id: 'find-input', oninput: (event) => {
      event.stopPropagation();
      const wanted = box.value.trim().toLowerCase();
      let found = 0;
      for (const group of groups) {
        const fields = [...group.querySelectorAll('.field')];
        fields.forEach((field) => {
          field.hidden = wanted !== '' && !field.dataset.words.includes(wanted);
          found += !field.hidden;
        });
        group.hidden = fields.every((field) => field.hidden);
        if (wanted) group.open = !group.hidden;
      }
      said.textContent = !wanted ? '' : found ? text('form.find.some', { n: found }) : text('form.find.none');
    }, onchange: (event) => event.stopPropagation() });
    return el('div', { class: 'field finder' }, el('label', { for: box.id }, text('form.find')), box, said);
  }

  #field(input, several_) {
    const { name } = input;
    const { control, before = null, after = null, shown = control } = this.#control(input, several_);
    const unit = el('span', { class: 'unit', id: `${name}-unit` });
    const hint = el('p', { class: 'hint', id: `${name}-hint` }, several_ ? text('form.several') : input.hint);
    const error = el('p', { class: 'error', id: `${name}-error`, hidden: true });
    const source = el('p', { class: 'source', id: `${name}-source` });
    const moves = el('p', { class: 'moves', id: `${name}-moves` });
    const described = `${name}-error ${name}-unit ${name}-hint ${name}-source ${name}-moves`;
    this.controls.set(name, { control, error, source, moves, unit });
    const words = `${input.label} ${input.hint}`.toLowerCase();
    const kind = { class: 'field', 'data-words': words };
    if (several_)
      return el('fieldset', { ...kind, 'aria-describedby': described }, el('legend', {}, input.label), hint, error, shown, unit, source, moves);
    control.setAttribute('aria-describedby', described);
    return el('div', kind, el('label', { for: name }, input.label), hint, error, before,
      el('div', { class: 'entry' }, shown, unit), after, source, moves);
  }

  #control(input, several_) {
    const { name } = input;
    const list = listOf(name);
    if (several_) return boxes(name, several_);
    if (list && this.lists[list]) return lookup(name, this.lists[list], list);
    if (input.choices) return { control: select(name, input.choices.map((value) => ({ value, text: choice(value, name) }))) };
    if (input.flag) return { control: select(name, [{ value: '1', text: text('yes') }, { value: '0', text: text('no') }]) };
    const control = el('input', { type: 'text', id: name, name, autocomplete: 'off', spellcheck: 'false', inputmode: input.numeric ? 'decimal' : null });
    return { control, before: /^measured_(time_per_output_token|step)_seconds$/.test(name) ? benchmarkBox((values) => this.set(values)) : null };
  }

  /** Back to what the view begins with. */
  #reset(start) {
    this.write(new URLSearchParams(start));
    this.#changed();
  }

  #changed() {
    this.node.dispatchEvent(new Event('input', { bubbles: true }));
    this.node.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /** Fill in one more input, as if it had been typed; null takes it out. */
  set(values) {
    for (const [name, value] of Object.entries(values).filter(([each]) => this.controls.has(each))) {
      const entry = this.controls.get(name);
      delete entry.given;
      if (value === null) entry.control.value = '';
      else this.#show(this.inputs.get(name), entry, String(value));
    }
    this.#changed();
  }

  /** What is filled in, as the API takes it. A number that cannot be read is left out and put in `problem`. */
  read() {
    const query = new URLSearchParams(), errors = [];
    for (const [name, { control, given }] of this.controls) {
      const typed = control.value.trim();
      const { value, refusal } = given ? { value: given } : this.#sent(this.inputs.get(name), typed);
      if (refusal) errors.push({ parameter: name, refusal });
      else if (typed !== '') query.append(name, value);
    }
    for (const [name, value] of this.carried) query.append(name, value);
    this.problem = errors.length ? new Problem({ errors }) : null;
    return query;
  }

  #sent({ name, numeric, flag, percent: share, unit }, typed) {
    if (!numeric || flag || typed === '') return { value: typed };
    return readNumber(typed, { percent: share, whole: name.endsWith('_count'), currency: unit.startsWith('currency') ? this.#currency : null });
  }

  get #currency() {
    return this.controls.get('currency')?.control.value.trim().toUpperCase() || 'USD';
  }

  /** Fill in from an address. Groups that hold a value are open by default. */
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
      if ([...group.querySelectorAll('[name]')].some((each) => each.value)) parts?.open(group.dataset.part);
    parts?.show(this.node);
  }

  #show(input, entry, value) {
    const { control } = entry;
    const plain = value.trim() !== '' && Number.isFinite(Number(value));
    if (control.tagName === 'SELECT') {
      if (![...control.options].some((option) => option.value === value))
        control.add(new Option(named(value), value)); // another name, or unknown: kept, so that the API can say so
      control.value = value;
    } else if (input.numeric && plain) {
      control.value = written(input.percent ? shifted(Number(value), 2) : Number(value));
    } else {
      control.value = value;
      entry.given = value; // no number as the API writes them, nor to be read as one typed here: it will object
    }
  }

  /** Show the default of each empty input, and its source. */
  showInForce(inputs, currency) {
    this.#nameUnits(currency);
    for (const [name, { control, source }] of this.controls) {
      const input = this.inputs.get(name);
      const known = inputs?.[name];
      const said = known && known.value !== null ? this.#shown(input, known.value, currency) : '';
      const mine = known?.source === 'request';
      if (control.tagName === 'SELECT') control.options[0].textContent = said && !mine ? said : '–';
      else control.placeholder = said && !mine ? this.#bare(input, known.value) : '';
      const facts = this.lists[listOf(name)]?.find(({ value }) => value === control.value)?.facts;
      const used = name === 'gpu' && (inputs?.price_per_gpu_hour ?? inputs?.rent_price_per_gpu_hour)?.value;
      source.replaceChildren(...(facts ? [facts, used ? text('gpu.used', { price: roundMoney(used, currency) }) : ''] : this.#sourceText(known, said, mine)));
    }
    for (const group of this.node.querySelectorAll('details.group')) {
      const set = [...group.querySelectorAll('[name]')].filter((each) => each.value).length;
      group.querySelector('.count').textContent = set ? text('form.set', { n: set }) : '';
    }
  }

  /** Show next to each input how it moves the answer, with a slider over that range; `moves` are {nodes, moved, low, high, value}. */
  showMoves(moves) {
    for (const [name, entry] of this.controls) {
      const { nodes = [], moved, low, high, value } = moves.get(name) ?? {};
      entry.moves.replaceChildren(...nodes);
      if (entry.control.tagName === 'INPUT') this.#slide(this.inputs.get(name), entry, moved && low < high && typeof value === 'number', { low, high, value });
    }
  }

  /** The slider stays as it is while it is moved. */
  #slide(input, entry, wanted, { low, high, value }) {
    if (!wanted) return entry.slider?.remove();
    entry.slider ??= el('input', { type: 'range', step: 'any', 'aria-label': text('form.slide', { name: input.label }), oninput: () => {
      const at = Number(entry.slider.value);
      this.#show(input, entry, String(input.name.endsWith('_count') ? Math.round(at) : Number(at.toPrecision(3))));
    } });
    if (document.activeElement === entry.slider) return null;
    Object.assign(entry.slider, { min: Math.min(low, value), max: Math.max(high, value) });
    entry.slider.value = value;
    return entry.moves.before(entry.slider);
  }

  #sourceText(known, value, mine) {
    if (!known || mine) return [];
    if (!value) return [text('form.none')];
    const source = text(`form.source.${known.source}`);
    const where = !known.reference ? source : known.reference.startsWith('/')
      ? el('a', { href: known.reference }, source) : `${source}, ${readable(known.reference)}`;
    const [before, after] = text('form.default', { value, source: '\0' }).split('\0');
    return [before, where, after];
  }

  #shown(input, value, currency) {
    if (input.flag) return text(value ? 'yes' : 'no');
    if (typeof value === 'string') return value.split(',').map(choice).join(', ');
    return quantity(value, input.unit, currency);
  }

  #bare(input, value) {
    if (typeof value !== 'number') return choice(value);
    const rounded = Number(value.toPrecision(6)); // of a number that is shown, not sent
    return written(input.percent ? shifted(rounded, 2) : rounded);
  }

  /** Show a problem at its fields and in a summary that links to them; null clears it. The previous answer's
   * notes at the fields are removed. */
  showProblem(problem) {
    for (const { control, error, source, moves } of this.controls.values()) {
      control.removeAttribute('aria-invalid');
      error.hidden = true;
      if (problem) moves.replaceChildren();
      if (problem && control.value) source.replaceChildren();
    }
    this.summary.hidden = !problem?.errors?.length;
    if (this.summary.hidden) return;
    this.summary.replaceChildren(el('h2', {}, text('error.title')), el('ul', {}, problem.errors.map((each) => this.#culprit(each))));
  }

  #culprit({ parameter: name, refusal, detail, code, minimum, maximum }) {
    const entry = this.controls.get(name);
    const input = this.inputs.get(name);
    if (!entry) {
      const remove = el('button', { type: 'button', onclick: () => this.#drop(name) }, text('error.remove'));
      return el('li', {}, `${name}: ${detail} `, name ? remove : null);
    }
    const said = refusal ?? (input.percent && code === 'out_of_range' && maximum !== undefined
      ? text('error.between', { low: percent(minimum), high: percent(maximum) }) : readable(detail));
    entry.control.setAttribute('aria-invalid', 'true');
    entry.error.textContent = `${input.label}: ${said}`;
    entry.error.hidden = false;
    return el('li', {}, el('a', { href: `#${name}`, onclick: (event) => this.#go(event, name) },
      `${input.label}: ${said}`));
  }

  #go(event, name) {
    event.preventDefault();
    const { control } = this.controls.get(name);
    const group = control.closest('details');
    if (group) group.open = true;
    (control.type === 'hidden' ? control.parentNode.querySelector('input[type="checkbox"]') : control).focus();
  }

  #drop(name) {
    this.carried = this.carried.filter(([each]) => each !== name);
    this.#changed();
  }
}
