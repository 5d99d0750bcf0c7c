// picture.js - the API's charts with links to their data, and a cursor that reads values off a chart of
// curves.
import { el, svg } from './dom.js';
import { semicolons } from './number.js';
import { keep, kept } from './state.js';
import { say, text as phrase } from './words.js';

/** Narrow screens get a narrower chart in which the font size stays the same. */
const NARROW = [['screen and (max-width: 30rem)', 320], ['screen and (max-width: 50rem)', 480]];

/** The address of the chart with numbers as the reader writes them. */
const local = (path) => (semicolons ? path.replace('.svg?', '.svg?dialect=excel-eu&') : path);

const across = (path, width) => local(path.replace('.svg?', `.svg?width=${width}&`));

/** The address of the chart for this screen. */
function fitted(path) {
  const found = NARROW.find(([screen]) => matchMedia(screen).matches);
  return found ? across(path, found[1]) : local(path);
}

/** The chart for this screen. The address is set last, as the wide one would be loaded otherwise. */
function image(path, words) {
  const shown = el('img', { alt: words });
  const whole = el('picture', {}, NARROW.map(([media, width]) => el('source', { media, srcset: across(path, width) })), shown);
  shown.src = local(path);
  return [shown, whole];
}

const frame = (...nodes) => el('div', { class: 'picture' }, nodes);

const caption = (path, words, table) => el('figcaption', {}, words, ' ', say('picture.download',
  { chart: el('a', { href: local(path) }, phrase('picture.chart')), data: el('a', { href: table }, phrase('picture.data')) }));

/** `table` is the address of its data if that is not the chart's own. */
export const picture = (path, words, table = path.replace('.svg?', '.csv?')) => el('figure', {},
  frame(image(path, words)[1]), caption(path, words, table));

/** Load a chart while its answer is being calculated, so that both are shown at once. */
export function ahead(path) {
  if (!path) return null;
  const early = new Image();
  early.src = fitted(path);
  return early.decode().catch(() => null);
}

/** Wait until the images below a node can be shown, so that nothing flickers. */
export const drawn = (node) => Promise.all([...node.querySelectorAll('img')].map((each) => each.decode().catch(() => null)));

/** The points of the first curve and the limits of the plot area, read from the file of the chart: the
 * content security policy does not allow it, with its style, inside the document. */
async function geometry(path) {
  const text = await (await fetch(path)).text();
  const [, box] = /viewBox="([^"]+)"/.exec(text);
  const [, points] = /<polyline[^>]* points="([^"]+)"/.exec(text);
  const [, top, bottom] = /<line class="at"[^>]* y1="(\d+)" y2="(\d+)"/.exec(text);
  return { box, top, bottom, x: points.trim().split(' ').map((each) => Number(each.split(',')[0])) };
}

/** A chart of curves with a native slider that reads them off, so that keys and screen readers can move
 * it; so does a pointer over the chart. `read(index)` is the text for one of `count` points. */
export function readable(path, words, { count, start, read }) {
  const [shown, drawing] = image(path, words);
  const cursor = svg('line', { class: 'cursor' });
  const layer = svg('svg', { class: 'layer', 'aria-hidden': 'true' }, cursor);
  const reading = el('output', { for: 'chart-month' });
  let places = null;
  const slider = el('input', { type: 'range', id: 'chart-month', min: 0, max: count - 1,
    value: kept('month') ?? start, oninput: () => show(), onchange: () => keep('month', slider.value) });
  const show = () => {
    const text = read(Number(slider.value));
    reading.textContent = text;
    slider.setAttribute('aria-valuetext', text);
    const x = places?.x[Number(slider.value)];
    if (x !== undefined) ['x1', 'x2'].forEach((name) => cursor.setAttribute(name, x));
  };
  layer.addEventListener('pointermove', ({ clientX }) => {
    if (!places) return;
    const { left, width } = layer.getBoundingClientRect();
    const at = ((clientX - left) / width) * Number(places.box.split(' ')[2]);
    slider.value = places.x.reduce((best, x, i) => (Math.abs(x - at) < Math.abs(places.x[best] - at) ? i : best), 0);
    show();
  });
  shown.addEventListener('load', () => geometry(shown.currentSrc).then((found) => {
    places = found;
    layer.setAttribute('viewBox', found.box);
    cursor.setAttribute('y1', found.top);
    cursor.setAttribute('y2', found.bottom);
    show();
  }).catch(() => layer.remove()));
  show();
  return el('figure', {}, frame(drawing, layer),
    el('div', { class: 'reader' }, el('label', { for: 'chart-month' }, phrase('picture.month')), slider, reading),
    caption(path, words, path.replace('.svg?', '.csv?')));
}

/** The days at the ends of a chart's axis, and their positions. */
async function daysOf(path) {
  const reply = await fetch(path);
  const text = await reply.text();
  if (!reply.ok) throw new Error(JSON.parse(text).detail);
  const [, from, to, x1, x2, bottom] =
    /data-from="([^"]+)" data-to="([^"]+)" x1="([^"]+)" x2="([^"]+)" y1="([^"]+)"/.exec(text);
  const [, box] = /viewBox="([^"]+)"/.exec(text);
  return { box, bottom, first: Date.parse(from), last: Date.parse(to), x1: Number(x1), x2: Number(x2) };
}

/** A chart over days in which dragging selects a part: `onselect(from, to)`, yyyy-mm-dd. */
export function selectable(path, words, onselect) {
  const [shown, drawing] = image(path, words);
  const mark = svg('rect', { class: 'selected', y: 0 });
  const layer = svg('svg', { class: 'layer', 'aria-hidden': 'true' }, mark);
  const node = el('figure', {}, frame(drawing, layer), caption(path, words, path.replace('.svg?', '.csv?')));
  let places = null, start = null;
  const at = ({ clientX }) => {
    const { left, width } = layer.getBoundingClientRect();
    const x = ((clientX - left) / width) * Number(places.box.split(' ')[2]);
    return Math.min(Math.max(x, places.x1), places.x2);
  };
  const day = (x) => new Date(places.first + ((x - places.x1) / (places.x2 - places.x1)) * (places.last - places.first))
    .toISOString().slice(0, 10);
  const draw = (x) => {
    mark.setAttribute('x', Math.min(start, x));
    mark.setAttribute('width', Math.abs(x - start));
  };
  layer.addEventListener('pointerdown', (event) => {
    if (!places || event.button) return;
    event.preventDefault();
    layer.setPointerCapture(event.pointerId);
    start = at(event);
  });
  layer.addEventListener('pointermove', (event) => start !== null && draw(at(event)));
  layer.addEventListener('pointercancel', () => {
    start = null;
    mark.setAttribute('width', 0);
  });
  layer.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const ends = [start, at(event)].sort((a, b) => a - b);
    start = null;
    if (day(ends[0]) === day(ends[1])) mark.setAttribute('width', 0);
    else onselect(...ends.map(day));
  });
  const measure = () => daysOf(shown.currentSrc || fitted(path)).then((found) => {
    places = found;
    layer.setAttribute('viewBox', found.box);
    mark.setAttribute('height', found.bottom);
  }).catch((error) => node.replaceChildren(el('p', { class: 'error' }, phrase('error.picture', { why: error.message }))));
  ['load', 'error'].forEach((event) => shown.addEventListener(event, measure));
  return node;
}
