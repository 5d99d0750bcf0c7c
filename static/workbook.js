// workbook.js - the workbook of api/sheets as downloaded from the page: it queries the address that served the page, and
// the sheet of the question holds the page's inputs.

import { named } from './words.js';

/** The sheet of a question; a recommendation has none. */
const TITLES = { 'training-plan': 'Training plan', 'inference-sizing': 'Inference sizing', 'break-even': 'Break-even' };
const LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50;

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** The files of an archive without compression: [name, bytes]. */
function unpacked(bytes) {
  const view = new DataView(bytes.buffer), files = [];
  for (let at = 0; view.getUint32(at, true) === LOCAL;) {
    const size = view.getUint32(at + 18, true), named = view.getUint16(at + 26, true);
    const name = at + 30, start = name + named + view.getUint16(at + 28, true);
    files.push([decoder.decode(bytes.subarray(name, name + named)), bytes.subarray(start, start + size)]);
    at = start + size;
  }
  return files;
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
const checksum = (bytes) => ~bytes.reduce((crc, byte) => CRC[(crc ^ byte) & 255] ^ (crc >>> 8), -1) >>> 0;

/** Little-endian numbers: [value, bytes]. */
const record = (fields) => Uint8Array.from(fields.flatMap(([value, size]) =>
  Array.from({ length: size }, (_, i) => (value / 256 ** i) & 255)));

/** An archive of files, without compression. */
function packed(files) {
  const parts = [], directory = [];
  let at = 0;
  for (const [name, bytes] of files) {
    const title = encoder.encode(name);
    // Version, flags, method, time, and the first day of 1980.
    const about = [[10, 2], [0, 2], [0, 2], [0, 2], [0x21, 2], [checksum(bytes), 4], [bytes.length, 4], [bytes.length, 4], [title.length, 2], [0, 2]];
    const head = record([[LOCAL, 4], ...about]);
    directory.push(record([[CENTRAL, 4], [10, 2], ...about, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), title);
    parts.push(head, title, bytes);
    at += head.length + title.length + bytes.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  return new Blob([...parts, ...directory, record([[END, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]])]);
}

const isNumber = (value) => value.trim() !== '' && Number.isFinite(Number(value));
const textOf = (cell) => cell?.textContent ?? '';

/** How each format stores its sheets and cells; columns are counted from 0. */
const FORMATS = {
  xlsx: {
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    part: (title, files) => {
      const [, book] = files.find(([name]) => name === 'xl/workbook.xml');
      const titles = [...decoder.decode(book).matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name);
      return `xl/worksheets/sheet${titles.indexOf(title) + 1}.xml`;
    },
    rows: (sheet) => [...sheet.getElementsByTagName('row')],
    cells: (row) => {
      const cells = [];
      for (const cell of row.children) cells[columnOf(cell.getAttribute('r'))] = cell;
      return cells;
    },
    formula: textOf,
    set: (cell, value) => {
      const make = (name, content) => {
        const node = cell.ownerDocument.createElementNS(cell.namespaceURI, name);
        node.append(content);
        return node;
      };
      cell.removeAttribute('t');
      cell.replaceChildren();
      if (isNumber(value)) cell.append(make('v', value));
      else if (value) {
        cell.setAttribute('t', 'inlineStr');
        cell.append(make('is', make('t', value)));
      }
    },
  },
  ods: {
    type: 'application/vnd.oasis.opendocument.spreadsheet',
    part: () => 'content.xml',
    rows: (content, title) => [...[...content.getElementsByTagName('table:table')].find((each) =>
      each.getAttribute('table:name') === title).getElementsByTagName('table:table-row')],
    cells: (row) => [...row.children],
    formula: (cell) => cell.getAttribute('table:formula') ?? '',
    set: (cell, value) => {
      const space = (prefix) => cell.lookupNamespaceURI(prefix);
      ['office:value', 'office:value-type'].forEach((name) => cell.removeAttribute(name));
      cell.replaceChildren();
      if (!value) return;
      cell.setAttributeNS(space('office'), 'office:value-type', isNumber(value) ? 'float' : 'string');
      if (isNumber(value)) return void cell.setAttributeNS(space('office'), 'office:value', value);
      const text = cell.ownerDocument.createElementNS(space('text'), 'text:p');
      text.append(value);
      cell.append(text);
    },
  },
};

/** The column of AB12, counted from 0. */
function columnOf(at) {
  return [...at.replace(/\d+/, '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** The label of a list's entry: its head is above the labels, the names are to the right of them. */
function labelsOf(lists) {
  const heads = lists[0].map(textOf);
  return (list, name) => {
    const at = heads.indexOf(list);
    return textOf(lists.find((cells, i) => i && textOf(cells[at + 1]) === name)?.[at]) || named(name);
  };
}

const LABEL = 0, VALUE = 1, NAME = 6, SENT = 7;

/** Put the inputs in their rows, and empty the rows of those not given. Others go to the free rows, and the rest
 * as a query to the row for them. */
function fill(rows, inputs, others, { set, formula }, label) {
  const left = new Map(inputs), free = [];
  let i = rows.findIndex((cells) => textOf(cells[LABEL]) === 'Input') + 1;
  for (; textOf(rows[i][LABEL]) !== 'As in an address'; i++) {
    const cells = rows[i], name = textOf(cells[LABEL]) && textOf(cells[NAME]);
    if (!name) {
      free.push(cells);
      continue;
    }
    const value = left.get(name) ?? '', [, list] = formula(cells[SENT]).match(/(\w+)_labels/) ?? [];
    set(cells[VALUE], value && list ? label(list, value) : value);
    left.delete(name);
  }
  for (const cells of free) {
    const [name, value] = left.entries().next().value ?? ['', ''];
    set(cells[LABEL], name && label(others, name));
    set(cells[VALUE], value && label('word', value));
    left.delete(name);
  }
  set(rows[i][VALUE], String(new URLSearchParams([...left])));
}

/** The workbook with that address and the inputs of the question, as a Blob. */
export async function workbook(format, origin, question, query) {
  const kind = FORMATS[format];
  const reply = await fetch(`/gpuplan.${format}`);
  if (!reply.ok) throw new Error(String(reply.status));
  const files = unpacked(new Uint8Array(await reply.arrayBuffer()));
  const inputs = new Map(new URLSearchParams(query));
  const common = new Map([['Address of gpuplan', origin], ['Currency', inputs.get('currency') ?? 'USD'], ['Day of the prices', inputs.get('as_of') ?? '']]);
  ['currency', 'as_of'].forEach((name) => inputs.delete(name));
  const fileOf = (title) => files.find(([name]) => name === kind.part(title, files));
  const parsed = (title) => new DOMParser().parseFromString(decoder.decode(fileOf(title)[1]), 'application/xml');
  const cells = (xml, title) => kind.rows(xml, title).map(kind.cells);
  const edit = (title, change) => {
    const xml = parsed(title);
    change(cells(xml, title));
    fileOf(title)[1] = encoder.encode(new XMLSerializer().serializeToString(xml));
  };
  edit('Start', (rows) => rows.filter(([first]) => common.has(textOf(first))).forEach((row) => kind.set(row[VALUE], common.get(textOf(row[LABEL])))));
  if (TITLES[question]) {
    const label = labelsOf(cells(parsed('Lists'), 'Lists'));
    edit(TITLES[question], (rows) => fill(rows, inputs, `${question.replaceAll('-', '_')}_others`, kind, label));
  }
  return new Blob([packed(files)], { type: kind.type });
}

/** Have the browser save it. */
export async function save(format, question, query) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await workbook(format, location.origin, question, query));
  link.download = `gpuplan.${format}`;
  link.click();
  URL.revokeObjectURL(link.href);
}
