// dom.js - elements made in one expression. Text is always text: nothing is parsed as HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element: el('p', {class: 'hint'}, 'text', otherElement). */
export const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/** An SVG element, likewise. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const strong = (text) => el('strong', {}, text);

/** A table; one of three columns and more has a block for each row on a phone. `rows` are arrays of cells; a
 * cell is text, an element, or {number: text} for one that is set flush right. */
export function table(caption, heads, bodies, attributes = {}) {
  const cell = (value, tag, head) => {
    const numeric = value?.number !== undefined;
    const above = head?.number ?? head;
    const header = tag === 'th' ? { scope: 'col' } : { 'data-head': above?.dataset?.name ?? above?.textContent ?? above };
    const kind = numeric ? 'number' : /^\d{4}-\d\d-\d\d$/.test(value) ? 'day' : null;
    return el(tag, { ...header, class: kind }, numeric ? value.number : value);
  };
  const row = (cells, first) =>
    el('tr', {}, cells.map((value, i) =>
      i === 0 && first === 'th' ? el('th', { scope: 'row' }, value?.number ?? value) : cell(value, 'td', heads[i])));
  const grid = el('table', { class: heads.length > 2 ? 'wide stack' : null, ...attributes },
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, heads.map((head) => cell(head, 'th')))),
    bodies.map(({ title, rows }) => el('tbody', {},
      title ? el('tr', {}, el('th', { colspan: heads.length, scope: 'rowgroup', class: 'group' }, title)) : null,
      rows.map((cells) => row(cells, 'th')))));
  return el('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': caption }, grid);
}
