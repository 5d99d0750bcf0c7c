// compare.js - an answer kept as A, and what the one on the page differs in from it, and why. The
// address holds A, so that a link shows the comparison.
import { Problem, answer } from './api.js';
import { el, table } from './dom.js';
import { label } from './fields.js';
import { quantity } from './number.js';
import { keep, kept } from './state.js';

/** The parameter of the page's address that A stands in: itself an address of the API, pinned. */
const KEPT = 'a';

const differs = (row) => row.difference || row.text_a !== row.text_b
  || (row.a === null) !== (row.b === null);

/** Both answers in tables: the way from A to B, then what differs, figure by figure and line by line. */
function sideBySide(reply) {
  const say = (value, unit) => ({ number: quantity(value, unit ?? '', reply.currency) });
  const word = (row) => Boolean(row.text_a || row.text_b);
  const pair = (row) => (word(row) ? [row.text_a ?? '', row.text_b ?? '', ''].map((number) => ({ number }))
    : ['a', 'b', 'difference'].map((name) => say(row[name], row.unit)));
  const columns = [{ number: 'A' }, { number: 'B' }, { number: 'Difference' }];
  const steps = reply.why.map((step) => [step.name.split(',').map((name) => label(name, '')).join(', '), step.sentence,
    say(step.effect, reply.unit)]);
  const figures = reply.figures.filter(differs).map((row) => [label(row.key, row.unit), ...pair(row)]);
  const lines = reply.line_items.map((row) =>
    [label([row.side, row.key].filter(Boolean).join('_'), ''), ...pair(row)]);
  return [el('p', { class: 'summary' }, reply.summary),
    steps.length ? table('Why, a change at a time', ['Changed', 'What it does', { number: 'Effect' }], [{ rows: steps }]) : null,
    figures.length ? table('Figures that differ', ['Figure', ...columns], [{ rows: figures }]) : null,
    lines.length ? table('Lines that differ', ['Line', ...columns], [{ rows: lines }]) : null];
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
    const button = (text, which) => el('button', { type: 'button', onclick: () => {
      keep(KEPT, which, 'pushState');
      this.show(address);
    } }, text);
    this.address = address;
    if (!a) this.controls.replaceChildren(button('Keep this as A', address), ' and change an input to see what differs.');
    else this.controls.replaceChildren(a === address ? 'This answer is kept as A: change an input to see what differs. ' : '',
      el('a', { href: a.replace('/v1/', '/') }, 'A as it was'), ' ', button('Forget A', null));
    if (!a || a === address) return this.result.replaceChildren();
    const nodes = await answer('compare', new URLSearchParams({ a, b: address })).then(sideBySide, (error) => {
      if (!(error instanceof Problem)) throw error;
      return [el('p', { class: 'error' }, `No comparison: ${error.message}`)];
    });
    return this.address === address && kept(KEPT) && this.result.replaceChildren(...nodes.filter(Boolean));
  }
}
