// app.js - one page, an address per question: builds the form of the question the address asks, asks the
// API while one types, and keeps address, form and answer the same.
import { Problem, answer, description } from './api.js';
import { breakEven } from './break-even.js';
import { Comparison, KEPT, addressed } from './compare.js';
import { el } from './dom.js';
import { figuresOf, inputsOf, label } from './fields.js';
import { Form } from './form.js';
import { inference } from './inference.js';
import { choices } from './lists.js';
import { moves } from './moves.js';
import { ahead, drawn } from './picture.js';
import { recommendation } from './recommendation.js';
import * as result from './result.js';
import { training } from './training.js';
import { pinned, usePanel } from './use.js';

const PAUSE_MS = 150;
const TABLES = ['line_items', 'rule_of_thumb', 'offers_used', 'series', 'explanations', 'options', 'reasons'];

class Page {
  constructor(question, document_, lists) {
    const path = `/v1/${question.name}`;
    this.question = question;
    this.fields = figuresOf(document_, path);
    this.section = document.getElementById(question.name);
    this.verdict = this.section.querySelector('output');
    this.caveats = this.section.querySelector('.warnings');
    this.body = this.section.querySelector('.answer');
    this.doubt = el('p', { class: 'doubt', 'aria-live': 'polite' });
    if (question.doubt) this.verdict.after(this.doubt);
    this.form = new Form(this.section.querySelector('form'), inputsOf(document_, path), question, lists);
    this.field = question.figure;
    this.opened = new Set();
    this.comparison = new Comparison();
    this.#listen();
  }

  #listen() {
    const { node } = this.form;
    let timer, editing = false;
    node.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // The first change of an edit makes a new entry to go back from; the rest replace it.
        this.#address(editing ? 'replaceState' : 'pushState');
        editing = true;
        this.ask();
      }, PAUSE_MS);
    });
    node.addEventListener('change', () => {
      clearTimeout(timer);
      this.#address(editing ? 'replaceState' : 'pushState');
      editing = false;
      this.ask();
    });
    node.addEventListener('submit', (event) => event.preventDefault());
    addEventListener('popstate', () => {
      this.#fill();
      this.ask();
    });
  }

  #address(how) {
    const address = addressed(this.form.read());
    if (address !== location.pathname + location.search) history[how](null, '', address);
  }

  /** Fill in from the address, or where it says nothing from the example. */
  open() {
    if (!location.search) {
      history.replaceState(null, '', `${location.pathname}?${new URLSearchParams(this.question.start)}`);
    }
    this.#fill();
    return this.ask();
  }

  #fill() {
    const query = new URLSearchParams(location.search);
    query.delete(KEPT);
    this.form.write(query);
  }

  async ask() {
    const query = this.form.read();
    if (query.toString() === this.asked) return;
    this.asked = query.toString();
    this.running?.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    this.section.setAttribute('aria-busy', 'true');
    try {
      const { name, series, drawing } = this.question;
      const [reply, curves] = await Promise.all([
        answer(name, query, signal), series ? answer(name, query, signal, 'series') : null, ahead(drawing(query))]);
      await this.#show(reply, curves?.series, signal);
      if (signal.aborted) return;
    } catch (error) {
      if (error.name === 'AbortError') return;
      this.asked = null;
      this.#refuse(error);
      if (!(error instanceof Problem)) throw error;
    }
    this.section.removeAttribute('aria-busy');
  }

  #refuse(problem) {
    this.form.showProblem(problem);
    this.section.dataset.tone = 'bad';
    const count = problem.errors?.length;
    this.verdict.textContent = count ? `No answer: ${count} input${count > 1 ? 's need' : ' needs'} another value.`
      : `No answer: ${problem.message}`;
    this.caveats.replaceChildren();
    this.doubt.replaceChildren();
    this.body.replaceChildren();
  }

  /** The former answer stands until all of this one can be shown. */
  async #show(reply, series, signal) {
    const { question } = this;
    this.waiting = [];
    const parts = el('div', {}, this.#parts(reply, series));
    await Promise.all(this.waiting);
    await drawn(parts);
    if (signal.aborted) return;
    performance.mark('answered');
    this.form.showProblem(null);
    this.form.showInForce(reply.inputs, reply.currency);
    this.section.dataset.tone = question.tone(reply);
    this.verdict.replaceChildren(...question.verdict(reply).flat(Infinity).filter(Boolean));
    this.caveats.replaceChildren(this.#stamp(reply), reply.warnings.length ? result.warnings(reply.warnings) : '');
    parts.querySelector('.compare').append(...this.comparison.nodes);
    this.body.replaceChildren(...parts.children);
    this.comparison.show(`/v1/${question.name}?${pinned(this.asked, reply)}`, this.asked);
    this.#ponder(reply);
  }

  /** What the answer does not wait for: how sure it is, and how each input moves it. What was said of
   * the former answer stands until then. */
  #ponder(reply) {
    const { asked, question: { name, doubt, moved, explained, why }, running: { signal } } = this;
    const later = (promise, nothing, show) => promise.catch(() => nothing)
      .then((said) => signal.aborted || show(said));
    if (doubt) later(doubt(asked, signal), '', (text) => { this.doubt.textContent = text; });
    if (explained) later(answer(name, asked, signal, 'explanations'), { explanations: [] },
      ({ explanations }) => result.showWhy(this.body, explanations));
    else if (why) result.showWhy(this.body, why(reply));
    if (moved) later(moves(name, asked, moved, signal), new Map(), (said) => this.form.showMoves(said));
  }

  #parts(reply, series) {
    const { question, fields } = this;
    const part = (title, ...nodes) => el('section', {}, el('h2', {}, title), nodes);
    const others = Object.keys(reply).filter((key) => Array.isArray(reply[key]) && reply[key].length
      && key !== 'warnings' && !TABLES.includes(key));
    const lines = result.lineItems(question.lines(reply), reply.currency);
    return [
      part('At a glance', question.charts(reply, series, this.asked)),
      question.summary ? part('In short', question.summary(reply)) : null,
      part('Key figures', result.figures(question.figures, reply, fields, question)),
      question.summary ? this.#folded('Line by line', lines) : part('Line by line', lines),
      ...(question.alternatives?.(reply) ?? []).map(({ title, load }) => this.#later(title, load)),
      question.explained ? this.#later('How each figure came about', async (asked) => {
        const { explanations, currency } = await answer(question.name, asked, undefined, 'explanations');
        return [result.why(explanations, currency)];
      }) : null,
      reply.rule_of_thumb?.length ? this.#folded('Rules of thumb', result.rules(reply.rule_of_thumb, reply.currency)) : null,
      reply.offers_used?.length
        ? this.#folded('Prices used', result.offers(reply.offers_used, reply.currency)) : null,
      ...others.map((key) => this.#folded(label(key, ''),
        result.plain(label(key, ''), reply[key], fields[key]?.items.properties, reply.currency))),
      this.#folded('Inputs in force', result.inputsInForce(reply.inputs, reply.currency)),
      el('section', { class: 'compare' }, el('h2', {}, 'Compare')),
      el('section', { class: 'use' }, el('h2', {}, 'Use this number in…'), this.#use(reply)),
    ].filter(Boolean);
  }

  #use(reply) {
    const query = pinned(this.asked, reply);
    const names = Object.keys(this.fields).filter((name) => typeof reply[name] === 'number' || name === this.field);
    const options = names.map((name) => [name, `${label(name, '')} (${name})`]);
    return usePanel(this.question.name, query, options, this.field, (name) => { this.field = name; });
  }

  /** A folded part stays as it was when the answer changes. */
  #folded(title, ...nodes) {
    const details = el('details', { class: 'part', open: this.opened.has(title) },
      el('summary', {}, el('h2', {}, title)), nodes);
    details.addEventListener('toggle', () => this.opened[details.open ? 'add' : 'delete'](title));
    return details;
  }

  /** A folded part that asks the API when it is opened; where it is, the answer waits for it. */
  #later(title, load) {
    const box = el('div', {}, el('p', { role: 'status' }, 'One moment…'));
    const details = this.#folded(title, box);
    const { asked } = this;
    const fill = async () => {
      delete details.dataset.unasked;
      try {
        box.replaceChildren(...await load(asked));
      } catch (error) {
        box.replaceChildren(el('p', { class: 'error' }, `No answer: ${error.message}`));
        if (!(error instanceof Problem)) throw error;
      }
    };
    if (details.open) {
      this.waiting.push(fill());
    } else {
      details.dataset.unasked = '';
      details.addEventListener('toggle', fill, { once: true });
    }
    return details;
  }

  #stamp(reply) {
    const address = `${location.origin}/${this.question.name}?${pinned(this.asked, reply)}`;
    return el('p', { class: 'stamp' }, `Prices of ${reply.as_of}, catalogue ${reply.catalog_version}, `
      + `formulas ${reply.model_version}. `, el('a', { href: address }, 'Link to exactly this answer'),
    el('span', { class: 'printed' }, ` ${address}`));
  }
}

/** Paper shows all that is there: fold out before printing, fold back after. */
function unfoldForPrint() {
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('.answer details:not([open], [data-unasked], .why)')];
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => folded.forEach((details) => { details.open = false; }));
}

async function begin() {
  const name = document.documentElement.dataset.question;
  const question = [breakEven, training, inference, recommendation].find((each) => each.name === name);
  document.querySelector(`nav a[href="/${name}"]`)?.setAttribute('aria-current', 'page');
  if (!question) return;
  document.title = `${question.title} gpuplan`;
  document.querySelectorAll('main > section').forEach((section) => section.id !== name && section.remove());
  unfoldForPrint();
  try {
    const [document_, lists] = await Promise.all([description(`/v1/${name}`), choices()]);
    await new Page(question, document_, lists).open();
  } catch (error) {
    document.querySelector(`#${name} output`).textContent = `The page could not start: ${error.message}`;
    throw error;
  }
}

begin();
