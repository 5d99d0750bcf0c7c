// alternatives.js - what else would do it: every kind of GPU ranked, and what moves the answer. The
// pictures are the API's own, as in a wiki or a mail; the rows beside them say the same.
import { answer } from './api.js';
import { el, table } from './dom.js';
import { number } from './number.js';

const picture = (path, words) => el('figure', {}, el('img', { class: 'picture', src: path, alt: words }),
  el('figcaption', {}, words, ' ', el('a', { href: path }, 'This picture'), ' or ',
    el('a', { href: path.replace('.svg?', '.csv?') }, 'its figures as CSV'), '.'));

function without(asked, names) {
  const query = new URLSearchParams(asked);
  names.forEach((name) => query.delete(name));
  return query;
}

const name = (option) => (option.plan
  ? el('a', { href: option.plan.replace('/v1/', '/') }, option.gpu) : option.gpu);

/** The ranking of one question: `own` are inputs that say how one kind of GPU is used, chosen anew for
 * each; `limit` completes the query; `columns` are [head, option => cell]. */
async function ranking(question, asked, { own, limit, caption, what, count, columns }) {
  const query = without(asked, [...own, 'gpu', 'gpu_count', 'price_per_gpu_hour', 'field']);
  limit?.(query);
  const reply = await answer(question, query, undefined, 'options');
  return [picture(`/v1/${question}/options.svg?${query}`, caption),
    el('p', {}, `${number(count(reply), 9)} ${what} compared on ${reply.gpus_considered} kinds of GPU.`),
    table('The best of each kind of GPU; a name leads to its plan',
      ['GPU', ...columns.map(([head]) => head), 'Waits for', 'On the frontier'],
      [{ rows: reply.options.map((option) => [name(option),
        ...columns.map(([, cell]) => cell(option, reply.currency)), option.bound,
        option.on_frontier ? 'yes' : 'no']) }]),
    table('Ruled out', ['GPU', 'Why'], [{ rows: reply.ruled_out.map((row) => [row.gpu, row.sentence]) }])];
}

/** Parts of the page that are asked for when they are opened. */
export const alternatives = (question, ranked) => [
  { title: 'On other GPUs', load: (asked) => ranking(question, asked, ranked) },
  { title: 'What moves the cost', load: (asked) => [picture(
    `/v1/${question}/sensitivity.svg?${without(asked, ['field'])}`,
    'What the cost would be with one input at its low and at its high end, the others as they are.')] },
];
