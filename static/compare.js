// compare.js - an answer kept as A, and what the one now on the page differs in from it, and why.
import { Problem, answer } from './api.js';
import { el, table } from './dom.js';
import { label } from './fields.js';
import { quantity } from './number.js';

/** The address of A, pinned; kept while the page is open. */
let kept = null;

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

/** Where an answer is kept as A or, where one is, compared with it; `address` is that of the answer, pinned. */
export function compareBox(address) {
  const result = el('div', { role: 'status' });
  const controls = el('p');
  const button = (text, onclick) => [el('button', { type: 'button', onclick }, text), ' '];
  const keep = (which) => {
    kept = which;
    result.replaceChildren();
    draw();
  };
  const compare = async () => {
    try {
      const reply = await answer('compare', new URLSearchParams({ a: kept, b: address }));
      result.replaceChildren(...sideBySide(reply).filter(Boolean));
    } catch (error) {
      result.replaceChildren(el('p', { class: 'error' }, `No comparison: ${error.message}`));
      if (!(error instanceof Problem)) throw error;
    }
  };
  const draw = () => controls.replaceChildren(...(!kept ? button('Compare with another', () => keep(address))
    : [kept === address ? 'This answer is kept as A: change an input, then compare here. '
      : button('Compare with A', compare), el('a', { href: kept }, 'A as it was'), ' ',
    button('Forget A', () => keep(null))].flat()));
  draw();
  return [controls, result];
}
