// moves.js - how each input moves the answer: what it would be at the input's low and at its high
// end, beside the input.
import { without } from './alternatives.js';
import { answer } from './api.js';
import { el, svg } from './dom.js';
import { quantity, short } from './number.js';

const end = (value, unit, currency) => (Math.abs(value) >= 1e6 ? short(value) : quantity(value, unit, currency, 3));

/** The range of a figure that every strip is drawn to. */
function scale(values) {
  const least = Math.min(...values), most = Math.max(...values);
  return (value) => (most > least ? ((value - least) / (most - least)) * 98 + 1 : 50);
}

/** A bar over the range of the answer, and a stroke where it is. */
function strip(place, low, high, present) {
  const from = Math.min(place(low), place(high)), to = Math.max(place(low), place(high));
  return svg('svg', { class: 'strip', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'whole', width: 100, y: 2.5, height: 1 }),
    svg('rect', { x: from, width: Math.max(to - from, 0.5), height: 6 }),
    svg('rect', { class: 'at', x: place(present) - 0.5, width: 1, height: 6 }));
}

/** By input, what to show beside it. `moved` is {figures, say}: the first of the figures that the API
 * knows is said. */
export async function moves(question, asked, { figures, say }, signal) {
  const reply = await answer(question, without(asked, ['side', 'lines', 'field']), signal, 'sensitivity');
  const figure = figures.find((name) => (reply[name] ?? null) !== null);
  const known = reply.effects.map((effect) => ({ ...effect, ends: [effect[`${figure}_at_low`], effect[`${figure}_at_high`]] }))
    .filter(({ ends }) => ends.every(Number.isFinite));
  const place = scale([reply[figure], ...known.flatMap(({ ends }) => ends)]);
  return new Map(known.map(({ input, unit, low, high, ends }) => {
    const [first, last] = ends.map((value) => say(value, reply.currency));
    const words = first === last ? `No effect from ${end(low, unit, reply.currency)} to ${end(high, unit, reply.currency)}`
      : `At ${end(low, unit, reply.currency)}: ${first}; at ${end(high, unit, reply.currency)}: ${last}`;
    return [input, [el('span', {}, `${words}.`), strip(place, ...ends, reply[figure])]];
  }));
}
