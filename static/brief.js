// brief.js - the answer as one page for sign-off: proposal, assumptions, and their sources as footnotes.
import { el, table } from './dom.js';
import { day, quantity } from './number.js';
import { picture } from './picture.js';
import { reference, shown, warnings } from './result.js';
import { label, text } from './words.js';

/** Inputs with numbered sources: [rows, notes]. */
function assumptions(reply) {
  const notes = [];
  const mark = ({ source, reference: said }) => {
    if (source === 'request' || !said) return text(`form.source.${source}`);
    if (!notes.includes(said)) notes.push(said);
    return el('sup', {}, `[${notes.indexOf(said) + 1}]`);
  };
  const known = Object.entries(reply.inputs).filter(([, { value }]) => value !== null && value !== 0);
  const order = [...known.filter(([, { source }]) => source === 'request'), ...known.filter(([, { source, value }]) => source !== 'request' && value !== 'none')];
  return [order.map(([name, input]) => [label(name), { number: shown(name, input, reply.currency) }, mark(input)]), notes];
}

/** The sheet of an answer; `link` is its pinned address. */
export function brief(question, reply, fields, asked, link) {
  const [rows, notes] = assumptions(reply);
  const half = Math.ceil(rows.length / 2);
  const heads = [text('table.input'), { number: text('table.value') }, text('table.reference')];
  const figures = question.figures.filter((name) => (reply[name] ?? null) !== null).slice(0, 8);
  return el('article', { class: 'sheet' }, el('h2', {}, question.title), el('p', { class: 'proposal' }, question.verdict(reply).flat(Infinity).filter(Boolean)),
    el('div', { class: 'two' }, question.drawing(asked) && picture(question.drawing(asked), question.title),
      table(text('part.figures'), [text('table.figure'), { number: text('table.value') }],
        [{ rows: figures.map((name) => [label(name), { number: quantity(reply[name], fields[name]?.['x-unit'] ?? '', reply.currency) }]) }])),
    reply.warnings.length ? warnings(reply.warnings) : '',
    el('h3', {}, text('brief.assumptions')),
    el('div', { class: 'two' }, [rows.slice(0, half), rows.slice(half)].filter((each) => each.length).map((each, i) =>
      table(text(i ? 'brief.assumptions.more' : 'brief.assumptions'), heads, [{ rows: each }]))),
    el('h3', {}, text('brief.sources')), el('p', { class: 'printed' }, text('brief.origin', { origin: location.origin })), el('ol', { class: 'notes' }, notes.map((each) => el('li', {}, noted(each)))),
    el('p', { class: 'stamp' }, text('stamp', { day: day(reply.as_of), catalogue: reply.catalog_version, formulas: reply.model_version }),
      el('a', { href: link }, text('stamp.link')), el('span', { class: 'printed' }, ` ${link}`)),
    el('p', { class: 'sign' }, text('brief.sign')));
}

/** On paper an address is read, not followed. */
const noted = (words) => (/^(\/|https?:)/.test(words) ? [el('span', { class: 'screen' }, reference(words)), el('span', { class: 'printed' }, words)] : words);

/** Print nothing but the sheet. */
export function printSheet() {
  document.documentElement.dataset.paper = 'brief';
  addEventListener('afterprint', () => { delete document.documentElement.dataset.paper; }, { once: true });
  print();
}
