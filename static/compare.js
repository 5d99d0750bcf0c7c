// compare.js - an answer kept as A, and what the one on the page differs in from it, and why. The
// address holds A, so that a link shows the comparison.
import { Problem, answer } from './api.js';
import { el, table } from './dom.js';
import { quantity } from './number.js';
import { keep, kept } from './state.js';
import { choice, label, readable, text } from './words.js';

/** The parameter of the page's address that A stands in: itself an address of the API, pinned. */
const KEPT = 'a';

const differs = (row) => row.difference || row.text_a !== row.text_b
  || (row.a === null) !== (row.b === null);

/** Both answers in tables: the way from A to B, then what differs, figure by figure and line by line. */
export function sideBySide(reply) {
  const say = (value, unit) => ({ number: quantity(value, unit ?? '', reply.currency) });
  const word = (row) => Boolean(row.text_a || row.text_b);
  const pair = (row) => (word(row) ? [row.text_a ?? '', row.text_b ?? '', ''].map((each) => ({ number: choice(each) }))
    : ['a', 'b', 'difference'].map((name) => say(row[name], row.unit)));
  const columns = [{ number: 'A' }, { number: 'B' }, { number: text('compare.difference') }];
  const steps = reply.why.map((step) => [step.name.split(',').map(label).join(', '), readable(step.sentence),
    say(step.effect, reply.unit)]);
  const figures = reply.figures.filter(differs).map((row) => [label(row.key), ...pair(row)]);
  const lines = reply.line_items.map((row) =>
    [[row.side ? `${choice(row.side)}: ` : '', label(row.key)].join(''), ...pair(row)]);
  return [el('p', { class: 'summary' }, readable(reply.summary)),
    steps.length ? table(text('compare.steps'), [text('compare.changed'), text('compare.does'), { number: text('compare.effect') }], [{ rows: steps }]) : null,
    figures.length ? table(text('compare.figures'), [text('table.figure'), ...columns], [{ rows: figures }]) : null,
    lines.length ? table(text('compare.lines'), [text('table.line'), ...columns], [{ rows: lines }]) : null];
}

/** Where an answer is kept as A or, where one is, set against it; `address` is that of the answer,
 * pinned. What was last compared is shown until the next is there. */
export class Comparison {
  constructor() {
    this.controls = el('p');
    this.result = el('div', { role: 'status' });
    this.nodes = [this.controls, this.result];
  }

  async show(address) {
    const a = kept(KEPT);
    const button = (words, which) => el('button', { type: 'button', onclick: () => {
      keep(KEPT, which, 'pushState');
      this.show(address);
    } }, words);
    this.address = address;
    if (!a) this.controls.replaceChildren(button(text('compare.keep'), address), text('compare.keep.hint'));
    else this.controls.replaceChildren(a === address ? text('compare.kept') : '',
      el('a', { href: a.replace('/v1/', '/') }, text('compare.open')), ' ', button(text('compare.forget'), null));
    if (!a || a === address) return this.result.replaceChildren();
    const nodes = await answer('compare', new URLSearchParams({ a, b: address })).then(sideBySide, (error) => {
      if (!(error instanceof Problem)) throw error;
      return [el('p', { class: 'error' }, text('compare.failed', { why: error.message }))];
    });
    return this.address === address && kept(KEPT) && this.result.replaceChildren(...nodes.filter(Boolean));
  }
}
