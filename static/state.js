// state.js - what the address holds in addition to the inputs of a question: scenario A, which parts are
// open, and what is chosen in them. A link or the back button restores all of it.

/** Parameters of the page. `gpus`, `rent_prices` and `server_prices` belong to the comparison of GPUs,
 * `vary` and `vary_2` to the two-way table; `month` is the position of the cursor. */
const OWN = ['a', 'open', 'field', 'speech', 'month', 'gpus', 'rent_prices', 'server_prices', 'vary', 'vary_2'];

export const kept = (name) => new URLSearchParams(location.search).get(name);

/** The part of the address that goes to the API. */
export function inputs() {
  const query = new URLSearchParams(location.search);
  OWN.forEach((name) => query.delete(name));
  return query;
}

/** An address of the page for a question that keeps the page's own parameters. */
export function addressed(query) {
  const all = new URLSearchParams(query);
  OWN.forEach((name) => kept(name) !== null && all.set(name, kept(name)));
  return `${location.pathname}?${all}`;
}

/** Set a parameter in the address; null removes it. */
export function keep(name, value, how = 'replaceState') {
  const all = new URLSearchParams(location.search);
  if (value === null || value === '') all.delete(name);
  else all.set(name, value);
  const address = `${location.pathname}?${all}${location.hash}`;
  if (address !== location.pathname + location.search + location.hash) {
    history[how](null, '', address);
    dispatchEvent(new Event('kept'));
  }
}

/** A title as the name of a part: "What moves the cost" is what-moves-the-cost. */
export const partName = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-');

/** The folded parts below a node, each a <details> with data-part; the address says which are open. Parts
 * that are open by default are declared by open(). */
export class Parts {
  #open = new Set();
  #usual = new Set();

  constructor(node) {
    this.node = node;
    node.addEventListener('toggle', ({ target }) => this.#toggled(target), true);
  }

  /** Read the address. */
  read() {
    this.said = kept('open') !== null;
    this.#usual.clear();
    this.#open = new Set((kept('open') ?? '').split(' ').filter((name) => name && name !== 'nothing'));
    this.show();
  }

  /** Open a part by default, unless the address says otherwise. */
  open(name) {
    this.#usual.add(name);
    if (!this.said) this.#open.add(name);
  }

  has(name) {
    return this.#open.has(name);
  }

  /** Open and fold what is below the node. */
  show(node = this.node) {
    node.querySelectorAll('details[data-part]').forEach((each) => { each.open = this.has(each.dataset.part); });
  }

  #toggled({ open, dataset: { part } }) {
    if (!part || this.has(part) === open) return;
    this.#open[open ? 'add' : 'delete'](part);
    this.said = this.#open.size !== this.#usual.size || [...this.#open].some((each) => !this.#usual.has(each));
    keep('open', this.said ? [...this.#open].join(' ') || 'nothing' : null);
  }
}
