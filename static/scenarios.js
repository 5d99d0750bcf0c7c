// scenarios.js - answers saved under a name in this browser, taken out and in as a file, two to six side by side.
import { answer } from './api.js';
import { sideBySide } from './compare.js';
import { el, table } from './dom.js';
import { quantity } from './number.js';
import { shown } from './result.js';
import { label, text } from './words.js';

const KEY = 'gpuplan.scenarios', MOST = 6;

const valid = (each) => ['name', 'question', 'query'].every((key) => typeof each?.[key] === 'string') && each.name.trim() !== ''
  && /^[a-z-]+$/.test(each.question);

function saved() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]').filter(valid);
  } catch {
    return [];
  }
}

/** One of a name replaces that of before. */
const merged = (old, added) => [...old.filter((each) => !added.some(({ name, question }) => name === each.name && question === each.question)), ...added];

export class Scenarios {
  #chosen = new Set();

  /** `fields` are the figures of the question's answers. */
  constructor(question, fields) {
    this.question = question;
    this.fields = fields;
    this.box = el('div', { class: 'scenarios' });
    this.said = el('p', { role: 'status' });
    this.result = el('div');
    this.nodes = [this.box, this.said, this.result];
    addEventListener('storage', () => this.#draw());
  }

  /** `query` is that of the answer on the page, pinned. */
  show(query) {
    this.query = query;
    if (!this.box.children.length) this.#draw();
  }

  #keep(list) {
    try {
      localStorage.setItem(KEY, JSON.stringify(list));
      this.said.textContent = '';
    } catch {
      this.said.textContent = text('scenario.full');
    }
    this.#draw();
  }

  get #own() {
    return saved().filter(({ question }) => question === this.question.name);
  }

  #draw() {
    const own = this.#own;
    const name = el('input', { type: 'text', id: 'scenario-name', autocomplete: 'off', maxlength: 80, value: text('scenario.number', { n: own.length + 1 }) });
    const save = el('button', { type: 'button', onclick: () => {
      if (!name.value.trim()) return name.focus();
      return this.#keep(merged(saved(), [{ name: name.value.trim(), question: this.question.name, query: this.query }]));
    } }, text('scenario.save'));
    const file = el('input', { type: 'file', id: 'scenario-file', hidden: true, accept: '.json,application/json', onchange: () => this.#take(file.files[0]) });
    const list = JSON.stringify(saved(), null, 1);
    this.box.replaceChildren(el('label', { for: name.id }, text('scenario.name')), el('div', { class: 'entry' }, name, save),
      el('p', { class: 'hint' }, text('scenario.hint')),
      own.length ? el('fieldset', {}, el('legend', {}, text('scenario.list')), own.map((each) => this.#row(each))) : el('p', {}, text('scenario.none')),
      el('p', { class: 'tools' }, own.length ? el('a', { download: 'gpuplan-scenarios.json',
        href: `data:application/json,${encodeURIComponent(list)}` }, text('scenario.export')) : '',
      el('button', { type: 'button', onclick: () => file.click() }, text('scenario.import')), file));
    return this.#compare();
  }

  #row(each) {
    const box = el('input', { type: 'checkbox', checked: this.#chosen.has(each.name), onchange: () => {
      if (box.checked && this.#chosen.size === MOST) {
        box.checked = false;
        this.said.textContent = text('scenario.many');
        return null;
      }
      this.#chosen[box.checked ? 'add' : 'delete'](each.name);
      this.said.textContent = '';
      return this.#compare();
    } });
    return el('div', { class: 'tools' }, el('label', { class: 'pick' }, box, ' ', each.name), el('a', { href: `/${each.question}?${each.query}`,
      'aria-label': text('scenario.open', { name: each.name }) }, text('scenario.open.short')),
    el('button', { type: 'button', 'aria-label': text('scenario.delete', { name: each.name }), onclick: () => {
      this.#chosen.delete(each.name);
      this.#keep(saved().filter(({ name, question }) => name !== each.name || question !== each.question));
    } }, text('scenario.delete.short')));
  }

  async #take(file) {
    const list = await file.text().then(JSON.parse).catch(() => null);
    const added = Array.isArray(list) ? list.filter(valid).map(({ name, question, query }) =>
      ({ name: name.trim().slice(0, 80), question, query: new URLSearchParams(query).toString() })) : [];
    if (added.length) this.#keep(merged(saved(), added));
    this.said.textContent = added.length ? text('scenario.added', { n: added.length }) : text('scenario.bad');
  }

  async #compare() {
    const chosen = this.#own.filter(({ name }) => this.#chosen.has(name)), { question } = this;
    const mine = this.turn = Symbol('turn');
    if (chosen.length < 2) return this.result.replaceChildren();
    const replies = await Promise.all(chosen.map(({ query }) => answer(question.name, query).catch((error) => error)));
    const steps = chosen.length === 2 && !replies.some((each) => each instanceof Error)
      ? await answer('compare', new URLSearchParams(chosen.map(({ query }, i) => ['ab'[i], `/v1/${question.name}?${query}`]))).then(sideBySide, () => []) : [];
    return this.turn === mine && this.result.replaceChildren(...[this.#table(chosen, replies), ...steps].filter(Boolean));
  }

  #table(chosen, replies) {
    const cells = (say) => replies.map((reply) => (reply instanceof Error ? '–' : say(reply)));
    const input = (name) => cells((reply) => (reply.inputs[name] && reply.inputs[name].value !== null ? shown(reply.inputs[name], reply.currency) : '–'));
    const names = [...new Set(replies.flatMap((reply) => Object.keys(reply.inputs ?? {})))].filter((name) => new Set(input(name)).size > 1);
    const figure = (name) => cells((reply) => quantity(reply[name] ?? null, this.fields[name]?.['x-unit'] ?? '', reply.currency));
    const result = replies.map((reply) => (reply instanceof Error ? text('scenario.failed', { why: reply.message })
      : [this.question.brief(reply)].flat(Infinity).filter(Boolean)));
    const right = (row) => row.map((number) => ({ number }));
    return table(text('scenario.caption'), ['', ...chosen.map(({ name }) => ({ number: name }))], [
      { title: text('scenario.result'), rows: [[text('scenario.result'), ...right(result)]] },
      { title: text('scenario.inputs'), rows: names.map((name) => [label(name), ...right(input(name))]) },
      { title: text('scenario.figures'), rows: this.question.figures.map((name) => [label(name), ...right(figure(name))]) }]);
  }
}
