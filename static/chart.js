// chart.js - two charts as inline SVG: parts of a whole against a limit, and curves over months.
// Real text, no colour that says anything alone, drawn for the width there is.
import { el, svg } from './dom.js';

let serial = 0;

function picture(width, height, title, description) {
  const id = `chart-${(serial += 1)}`;
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-labelledby': `${id}-title ${id}-description`, class: 'chart' },
  svg('title', { id: `${id}-title` }, title), svg('desc', { id: `${id}-description` }, description));
}

const words = (x, y, text, attributes = {}) => svg('text', { x, y, ...attributes }, text);

/** One bar per part, each beginning where the one before it ended, then the whole. `chart`:
 * {title, description, parts: [{label, value, text}], whole: {label, value, text},
 * limit: {label, value} or null}. */
export function partsChart(chart, width) {
  const { parts, whole, limit } = chart;
  const row = 42, top = 6, bottom = limit ? 30 : 6;
  const height = top + (parts.length + 1) * row + bottom;
  const most = Math.max(whole.value, limit?.value || 0, ...parts.map((part) => part.value)) || 1;
  const scale = (value) => (value / most) * (width - 2) + 1;
  const image = picture(width, height, chart.title, chart.description);
  let start = 0;
  [...parts, { ...whole, whole: true }].forEach((part, i) => {
    const y = top + i * row;
    const from = part.whole ? 0 : start;
    start += part.whole ? 0 : part.value;
    const over = part.whole && limit && part.value > limit.value;
    image.append(
      words(0, y + 14, part.label, { class: part.whole ? 'whole' : null }),
      words(width, y + 14, part.text, { 'text-anchor': 'end', class: part.whole ? 'whole' : null }),
      svg('rect', { x: scale(from), y: y + 20, height: 14,
        width: Math.max(scale(from + part.value) - scale(from), 2),
        class: part.whole ? (over ? 'bar over' : 'bar whole') : 'bar' }));
  });
  if (limit) {
    const x = scale(limit.value), end = x > width / 2;
    // Beside each bar only: a line all the way down would cross the figures.
    for (let y = top; y < height - bottom; y += row)
      image.append(svg('line', { x1: x, x2: x, y1: y + 17, y2: y + 37, class: 'limit' }));
    image.append(words(x, height - 10, limit.label, { 'text-anchor': end ? 'end' : 'start', class: 'limit' }));
  }
  return image;
}

/** Round steps for an axis up to `most`. */
function ticks(most, wanted) {
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

function monthTicks(months, width) {
  const step = [1, 2, 3, 6, 12, 24].find((each) => (months / each) * 44 <= width) || 24;
  return Array.from({ length: Math.floor(months / step) + 1 }, (_, i) => i * step);
}

/** Curves over months. `chart`: {title, description, points: [{month, values: []}], names: [],
 * money: (number) => text, marks: [{month, label, value or null}]}. The cursor is a line that
 * `image.moveTo(index)` puts on a point. */
export function curvesChart(chart, width) {
  const { points, names } = chart;
  const height = Math.round(Math.min(Math.max(width * 0.55, 220), 380));
  const left = 58, right = 12, top = 34, bottom = 40;
  const months = points.at(-1).month || 1;
  const most = Math.max(...points.flatMap((point) => point.values), 1);
  const least = Math.min(...points.flatMap((point) => point.values), 0);
  const x = (month) => left + (month / months) * (width - left - right);
  const y = (value) => height - bottom - ((value - least) / (most - least)) * (height - top - bottom);
  const image = picture(width, height, chart.title, chart.description);

  for (const value of ticks(most, 5))
    image.append(svg('line', { x1: left, x2: width - right, y1: y(value), y2: y(value), class: 'grid' }),
      words(left - 6, y(value) + 4, chart.money(value), { 'text-anchor': 'end' }));
  for (const month of monthTicks(months, width - left - right))
    image.append(words(x(month), height - bottom + 18, month, { 'text-anchor': 'middle' }));
  image.append(words((left + width - right) / 2, height - 4, 'months', { 'text-anchor': 'middle' }));

  for (const { month, label, value } of chart.marks) {
    const end = x(month) > width * 0.6;
    image.append(svg('line', { x1: x(month), x2: x(month), y1: top, y2: height - bottom, class: 'mark' }),
      words(x(month) + (end ? -6 : 6), value === null ? height - bottom - 8 : top + 12, label,
        { 'text-anchor': end ? 'end' : 'start', class: 'mark' }));
    if (value !== null) image.append(svg('circle', { cx: x(month), cy: y(value), r: 5, class: 'mark' }));
  }
  names.forEach((name, i) => {
    const path = points.map(({ month, values }, at) =>
      `${at ? 'L' : 'M'}${x(month).toFixed(1)} ${y(values[i]).toFixed(1)}`);
    const from = left + i * Math.min(130, (width - left) / names.length);
    image.append(svg('path', { d: path.join(' '), class: `curve curve-${i}` }),
      svg('line', { x1: from, x2: from + 28, y1: 12, y2: 12, class: `curve curve-${i}` }),
      words(from + 34, 16, name));
  });
  const cursor = svg('line', { y1: top, y2: height - bottom, class: 'cursor' });
  image.append(cursor);
  image.moveTo = (index) => {
    cursor.setAttribute('x1', x(points[index].month));
    cursor.setAttribute('x2', x(points[index].month));
  };
  return image;
}

/** Put a chart into a box and draw it anew when the box's width changes. */
export function place(box, draw) {
  let width = 0;
  const fit = () => {
    const now = Math.floor(box.clientWidth);
    if (now && now !== width) {
      width = now;
      box.replaceChildren(draw(width));
    }
  };
  new ResizeObserver(fit).observe(box);
  fit();
}

/** The curves with a slider that reads them off: native, so keys and screen readers move it. */
export function readableCurves(chart) {
  const box = el('div', { class: 'canvas' });
  const reading = el('output', { for: 'chart-month' });
  const slider = el('input', { type: 'range', id: 'chart-month', min: 0, max: chart.points.length - 1,
    value: chart.points.findIndex((point) => point.month === chart.start), oninput: () => read() });
  let image;
  const read = () => {
    const text = chart.read(chart.points[Number(slider.value)]);
    reading.textContent = text;
    slider.setAttribute('aria-valuetext', text);
    image?.moveTo(Number(slider.value));
  };
  place(box, (width) => {
    image = curvesChart(chart, width);
    read();
    return image;
  });
  return [box, el('div', { class: 'reader' }, el('label', { for: 'chart-month' }, 'Read off a month'),
    slider, reading)];
}
