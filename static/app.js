// app.js - builds the form, asks the API, and keeps address, form and answer in step.
import { buttons, instead, moves, usualLimits } from './alternatives.js';
import { Problem, answer, choices, description } from './api.js';
import { breakEven } from './break-even.js';
import { brief, printSheet } from './brief.js';
import { el } from './dom.js';
import { figuresOf, inputsOf } from './fields.js';
import { Form } from './form.js';
import { inference } from './inference.js';
import { day, number } from './number.js';
import { ahead, drawn } from './picture.js';
import { recommendation } from './recommendation.js';
import * as result from './result.js';
import { Comparison, Scenarios } from './scenarios.js';
import { Parts, addressed, inputs, keep, kept, partName } from './state.js';
import { training } from './training.js';
import { pinned, usePanel } from './use.js';
import { label, text } from './words.js';

const PAUSE_MS = 150;
const SLOW_MS = 700; // an answer that takes longer shows how long, and can be stopped
const UNREAD_MS = 800; // half a number is not refused while the rest of it is typed
const NARROW = matchMedia('(max-width: 60rem)');
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
    this.top = el('div', { class: 'answer' }); // on a phone the chart stands before the form
    this.caveats.after(this.top);
    this.doubt = el('p', { class: 'doubt', 'aria-live': 'polite' });
    this.progress = el('p', { class: 'progress tools', 'aria-live': 'polite' });
    this.verdict.after(this.progress);
    if (question.doubt) this.progress.after(this.doubt);
    this.#repeat();
    this.form = new Form(this.section.querySelector('form'), inputsOf(document_, path), question, lists);
    this.lists = lists;
    this.parts = new Parts(this.section);
    this.comparison = new Comparison();
    this.scenarios = new Scenarios(question, this.fields);
    this.#listen();
  }

  /** The verdict in short, at the top of the window while the verdict is out of sight. Hidden from screen
   * readers, which have read the verdict. */
  #repeat() {
    this.brief = el('p', { class: 'brief', 'aria-hidden': 'true' });
    this.section.append(this.brief);
    new IntersectionObserver(([{ isIntersecting, boundingClientRect: { top } }]) => {
      this.section.classList.toggle('away', !isIntersecting && top < 0);
    }).observe(this.verdict);
  }

  #listen() {
    const { node } = this.form;
    let timer, editing = false;
    node.addEventListener('input', () => {
      clearTimeout(timer);
      this.form.read();
      timer = setTimeout(() => {
        // The first change of an edit makes a new entry to go back from; the rest replace it.
        this.#address(editing ? 'replaceState' : 'pushState');
        editing ||= !this.form.problem;
        this.ask();
      }, this.form.problem ? UNREAD_MS : PAUSE_MS);
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
      this.asked = null; // what is chosen in the answer's parts may be another
      this.ask();
    });
    addEventListener('kept', () => this.#link());
  }

  #address(how) {
    const address = addressed(this.form.read());
    if (!this.form.problem && address !== location.pathname + location.search) history[how](null, '', address);
  }

  /** Fill in from the address, or from the example if the address is empty. */
  open() {
    if (!inputs().toString()) history.replaceState(null, '', addressed(this.question.start));
    this.#fill();
    return this.ask();
  }

  #fill() {
    this.parts.read();
    this.form.write(inputs(), this.parts);
  }

  /** The figure that the panel gives: the address's, if the answer has it. */
  get field() {
    return Object.hasOwn(this.fields, kept('field') ?? '') ? kept('field') : this.question.figure;
  }

  async ask() {
    const query = this.form.read(), { problem } = this.form;
    if (!problem && query.toString() === this.asked) return;
    this.asked = query.toString();
    this.running?.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    this.section.setAttribute('aria-busy', 'true');
    this.#count(signal);
    try {
      if (problem) throw problem;
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
    this.progress.replaceChildren();
  }

  /** During a long calculation: the time it has taken, and a button to stop it. */
  #count(signal) {
    const begun = performance.now(), seconds = el('span', {});
    const tick = () => {
      const passed = performance.now() - begun;
      if (signal.aborted || this.running.signal !== signal || !this.section.hasAttribute('aria-busy')) return;
      if (passed > SLOW_MS && !seconds.isConnected)
        this.progress.replaceChildren(el('progress', { 'aria-hidden': 'true' }), seconds, el('button', { type: 'button', onclick: () => this.#stop() }, text('progress.stop')));
      seconds.textContent = text('progress', { n: number(Math.floor(passed / 1000), 3) });
      setTimeout(tick, 250);
    };
    this.progress.replaceChildren();
    setTimeout(tick, SLOW_MS + 1);
  }

  #stop() {
    this.running.abort();
    this.asked = null;
    this.section.removeAttribute('aria-busy');
    this.progress.replaceChildren(text('progress.stopped'), el('button', { type: 'button', onclick: () => this.ask() }, text('progress.again')));
  }

  #refuse(problem) {
    this.form.showProblem(problem);
    this.section.dataset.tone = 'bad';
    const count = problem.errors?.length, query = this.form.read();
    const slow = problem instanceof Problem && this.question.tooSlow?.(problem, query);
    this.verdict.replaceChildren(...(slow || [count ? text('error.fix', { n: count }) : text('error.none', { why: problem.message })]));
    this.brief.textContent = this.verdict.textContent;
    this.caveats.replaceChildren(...(slow ? [instead(this.question, query, this.form)] : []));
    this.doubt.replaceChildren();
    this.top.replaceChildren();
    this.body.replaceChildren();
  }

  /** The previous answer stays until all of this one can be shown. */
  async #show(reply, series, signal) {
    const { question } = this;
    this.waiting = [];
    const parts = el('div', {}, this.#parts(reply, series));
    await Promise.all(this.waiting);
    const limits = await usualLimits(reply);
    await drawn(parts);
    if (signal.aborted) return;
    performance.mark('answered');
    this.form.showProblem(null);
    this.form.showInForce(reply.inputs, reply.currency);
    this.section.dataset.tone = question.tone(reply);
    this.verdict.replaceChildren(...question.verdict(reply).flat(Infinity).filter(Boolean));
    this.caveats.replaceChildren(result.asked(reply.inputs, reply.currency), this.#stamp(reply), reply.warnings.length ? result.warnings(reply.warnings) : '');
    const ways = question.ways?.(reply) ?? [];
    if (limits.length) this.caveats.prepend(buttons(limits, this.form, 'ways.no_limit'));
    if (ways.length) this.caveats.prepend(buttons(ways, this.form));
    else if (question.elsewhere && question.tone(reply) === 'bad') this.caveats.prepend(instead(question, this.form.read(), this.form));
    parts.querySelector('.compare').append(...this.scenarios.nodes, ...this.comparison.nodes);
    this.parts.show(parts);
    this.top.replaceChildren(...(NARROW.matches ? [parts.firstElementChild] : []));
    this.body.replaceChildren(...parts.children);
    this.brief.replaceChildren(...[question.brief(reply)].flat(Infinity).filter(Boolean));
    this.comparison.show(`/v1/${question.name}?${pinned(this.asked, reply)}`);
    this.scenarios.show(pinned(this.asked, reply));
    this.#ponder(reply);
  }

  /** Parts that arrive after the answer: how certain it is, and how each input moves it. Until then those of
   * the previous answer stay. */
  #ponder(reply) {
    const { asked, question: { name, doubt, moved, explained, why }, running: { signal } } = this;
    const later = (promise, nothing, show) => promise.catch(() => nothing)
      .then((said) => signal.aborted || show(said));
    if (doubt) later(doubt(asked, signal), '', (text) => { this.doubt.textContent = text; });
    if (explained) later(answer(name, asked, signal, 'explanations'), { explanations: [] },
      ({ explanations }) => this.#why(explanations));
    else if (why) this.#why(why(reply));
    if (moved) later(moves(name, asked, moved, signal), new Map(), (said) => this.form.showMoves(said));
  }

  #why(rows) {
    result.showWhy(this.body, rows);
    this.parts.show(this.body);
  }

  #parts(reply, series) {
    const { question, fields } = this;
    const part = (key, ...nodes) => el('section', {}, el('h2', {}, text(`part.${key}`)), nodes);
    const folded = (part_, key, ...nodes) => this.#folded(part_, text(`part.${key}`), ...nodes);
    const others = Object.keys(reply).filter((key) => Array.isArray(reply[key]) && reply[key].length
      && key !== 'warnings' && !TABLES.includes(key));
    const lines = result.lineItems(question.lines(reply), reply.currency);
    return [
      part('chart', question.charts(reply, series, this.asked)),
      question.summary ? part('summary', question.summary(reply)) : null,
      part('figures', result.figures(question.figures, reply, fields, question)),
      question.summary ? folded('line-by-line', 'lines', lines) : part('lines', lines),
      ...(question.alternatives?.(reply) ?? []).map(({ part: name, title, load }) => this.#later(name, title, load)),
      question.explained ? this.#later('how-each-figure-came-about', text('part.why'), async (asked) => {
        const { explanations, currency } = await answer(question.name, asked, undefined, 'explanations');
        return [result.why(explanations, currency)];
      }) : null,
      folded('inputs-in-force', 'inputs', result.inputsInForce(reply.inputs, reply.currency)),
      reply.offers_used?.length
        ? folded('prices-used', 'offers', result.offers(reply.offers_used, reply.currency)) : null,
      ...others.map((key) => this.#folded(partName(key), titled(key),
        key === 'nearest_measurements' ? result.nearest(titled(key), reply[key], reply)
          : result.plain(titled(key), reply[key], fields[key]?.items.properties, reply.currency))),
      reply.rule_of_thumb?.length ? folded('rules-of-thumb', 'rules', result.rules(reply.rule_of_thumb, reply.currency)) : null,
      el('section', { class: 'compare' }, el('h2', {}, text('part.scenarios'))),
      this.#brief(reply),
      el('section', { class: 'use' }, el('h2', {}, text('part.use')), this.#use(reply)),
    ].filter(Boolean);
  }

  /** A one-page brief for those who sign, with a pinned link. */
  #brief(reply) {
    const link = `${location.origin}/${this.question.name}?${pinned(this.asked, reply)}`;
    return this.#folded('brief', text('part.brief'), el('p', { class: 'tools' },
      el('button', { type: 'button', onclick: printSheet }, text('brief.print')),
      el('a', { href: `/v1/${this.question.name}.xlsx?${pinned(this.asked, reply)}`, download: '' }, text('brief.workbook'))),
      brief(this.question, reply, this.fields, this.asked, link));
  }

  #use(reply) {
    const query = pinned(this.asked, reply);
    const names = Object.keys(this.fields).filter((name) => typeof reply[name] === 'number' || name === this.field);
    const options = names.map((name) => [name, label(name)]);
    return usePanel(this.question.name, query, options, this.field, { asked: this.asked,
      onchoose: (name) => keep('field', name), oncopy: () => this.#archive(query) });
  }

  /** Replies to pinned addresses are archived: request what the page will request when the copied address is
   * opened. Without that the address works until the formulas change. */
  #archive(query) {
    const { name, series } = this.question;
    Promise.all([answer(name, query), series ? answer(name, query, undefined, 'series') : null]).catch(() => {});
  }

  /** A folded part stays as it was when the answer changes. */
  #folded(part, title, ...nodes) {
    return el('details', { class: 'part', 'data-part': part, open: this.parts.has(part) },
      el('summary', {}, el('h2', {}, title)), nodes);
  }

  /** A folded part that asks the API when it is opened; if it is open, the answer waits for it. */
  #later(part, title, load) {
    const box = el('div', {}, el('p', { role: 'status' }, text('waiting')));
    const details = this.#folded(part, title, box);
    const { asked } = this;
    const fill = async () => {
      delete details.dataset.unasked;
      try {
        box.replaceChildren(...await load(asked, this.lists));
      } catch (error) {
        box.replaceChildren(el('p', { class: 'error' }, text('error.none', { why: error.message })));
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
    this.pinned = pinned(this.asked, reply);
    this.link = el('a', {}, text('stamp.link'));
    this.#link();
    return el('p', { class: 'stamp' }, text('stamp', { day: day(reply.as_of), catalogue: reply.catalog_version,
      formulas: reply.model_version }), this.link,
    el('span', { class: 'printed' }, ` ${location.origin}/${this.question.name}?${this.pinned}`));
  }

  /** The link holds what is open and chosen, too. */
  #link() {
    if (this.link) this.link.href = location.origin + addressed(this.pinned);
  }
}

/** Printing opens the folded parts and closes them again afterwards. */
function unfoldForPrint() {
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = [...document.querySelectorAll('.answer details:not([open], [data-unasked], .why, [data-part="rules-of-thumb"])')];
    folded.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => folded.forEach((details) => { details.open = false; }));
}

const titled = (key) => text(`part.${key}`) || label(key);

async function begin() {
  const name = document.documentElement.dataset.question;
  const question = [breakEven, training, inference, recommendation].find((each) => each.name === name);
  document.querySelector(`nav a[href="/${name}"]`)?.setAttribute('aria-current', 'page');
  if (!question) return import('./home.js').then(({ home }) => home());
  document.title = `${question.title} gpuplan`;
  document.querySelectorAll('main > section').forEach((section) => section.id !== name && section.remove());
  unfoldForPrint();
  try {
    const [document_, lists] = await Promise.all([description(`/v1/${name}`), choices()]);
    await new Page(question, document_, lists).open();
  } catch (error) {
    document.querySelector(`#${name} output`).textContent = text('error.start', { why: error.message });
    throw error;
  }
}

begin();
