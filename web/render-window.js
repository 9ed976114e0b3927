// Long lists. Of the rows of an `each` with `window` the page has those that are seen, about as many before and after them, and the one that has
// the focus. What is missing between them are gaps, as high as the rows would be.

import { h } from "./render-tree.js";

/** Rows at first, before it is known how many are seen; rows more at either side, at least; rows in all, at most. */
const initial = 30, least = 10, most = 240;
/** A row's height, in pixels, before one was measured. */
const guess = 40;

/** Stands among the items for rows that are not in the page. */
class Gap {
  constructor(number, height) {
    // No key of an item's.
    this.key = Symbol.for(`riblet gap ${number}`);
    this.height = height;
  }
}

/** The windows of the page. */
const windows = new Set();

function look({ target }) {
  for (const it of windows) if (it.roots.includes(target) || !target.contains || target.contains(it.list) || it.list.contains(target)) it.moved();
}

const listeners = [["scroll", { capture: true, passive: true }], ["focusin"]];

/** The roots that an element is in, from the inside: the events of a shadow tree do not all leave it. */
function rootsOf(element) {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? [root, ...rootsOf(root.host)] : [root];
}

// The same listener of a root is there once, for all windows.
function watch(it) {
  if (!windows.size) addEventListener("resize", look);
  windows.add(it);
  it.roots = rootsOf(it.list);
  for (const root of it.roots) for (const [type, options] of listeners) root.addEventListener(type, look, options);
}

function forget(it) {
  if (!windows.delete(it)) return;
  const left = new Set([...windows].flatMap(({ roots }) => roots));
  for (const root of it.roots.filter((root) => !left.has(root))) {
    for (const [type, options] of listeners) root.removeEventListener(type, look, options);
  }
  if (!windows.size) removeEventListener("resize", look);
}

export class RowWindow {
  /** The instance of `each`; the element that its rows are in. */
  #it;
  list;
  /** The document, or the shadow roots and the document, that the list is in. */
  roots = [];
  #redraw;
  #what;
  #items = [];
  #keyOf;
  #from = 0;
  #to = initial;
  #height = guess;
  /** For what width the height was measured. */
  #width;
  #gaps = [];
  /** The place of each row that is drawn among all; none for gaps. */
  #places = [];
  #resized;
  /** How often it was drawn again at one go: rows of unequal heights could go on for ever. */
  #turns = 0;

  constructor(it, redraw) {
    this.#it = it;
    this.list = it.dom.parentNode;
    this.#redraw = redraw;
  }

  /** Begins to look after what is seen. */
  open() {
    watch(this);
    // At the next frame: what changes a size in the callback is an error.
    this.#resized = new ResizeObserver(() => requestAnimationFrame(() => this.moved()));
    this.#resized.observe(this.list);
  }

  close() {
    forget(this);
    this.#resized?.disconnect();
    const table = this.list.closest(tables);
    table?.removeAttribute("aria-rowcount");
    for (const row of this.#head(table)) row.removeAttribute("aria-rowindex");
    for (const { dom } of this.#it.kids) for (const name of told) dom.removeAttribute?.(name);
  }

  /** The rows and gaps to draw of a description. */
  choose(what) {
    const { items, keyOf, row } = what;
    if (what !== this.#what) this.#turns = 0;
    this.#what = what;
    this.#items = items;
    this.#keyOf = keyOf;
    const chosen = this.#chosen(), gaps = this.#gaps;
    const drawn = [];
    this.#gaps = [];
    this.#places = [];
    let next = 0;
    for (const place of [...chosen, items.length]) {
      if (place > next) {
        const number = this.#gaps.length, height = (place - next) * this.#height;
        // One that stays the same is not drawn again.
        const gap = gaps[number]?.height === height ? gaps[number] : new Gap(number, height);
        drawn.push(gap);
        this.#gaps.push(gap);
        this.#places.push(undefined);
      }
      next = place + 1;
      if (place === items.length) break;
      drawn.push(items[place]);
      this.#places.push(place);
    }
    const isGap = (item) => item instanceof Gap;
    return {
      items: drawn,
      keyOf: (item) => (isGap(item) ? item.key : keyOf(item)),
      row: (item) => (isGap(item) ? this.#gap(item) : row(item)),
    };
  }

  /** The places of the rows to draw, in order. */
  #chosen() {
    const { length } = this.#items;
    const from = Math.max(0, Math.min(this.#from, length - (this.#to - this.#from)));
    const to = Math.min(length, from + this.#to - this.#from);
    const places = Array.from({ length: to - from }, (_, index) => from + index);
    const focused = this.#focused();
    return [...focused.filter((place) => place < from), ...places, ...focused.filter((place) => place >= to)];
  }

  /** The places, among the items as they are now, of the row that has the focus and of those beside it, which are where Tab goes. */
  #focused() {
    const { activeElement } = this.list.getRootNode();
    if (!this.list.contains(activeElement)) return [];
    const { kids } = this.#it;
    const index = kids.findIndex(({ dom }) => dom.contains(activeElement));
    const { item, key } = kids[index] ?? {};
    if (!item || item instanceof Gap) return [];
    const place = this.#items[this.#places[index]] === item ? this.#places[index]
      : this.#items.findIndex((other) => this.#keyOf(other) === key);
    const isPlace = (other) => place >= 0 && other >= 0 && other < this.#items.length;
    return [place - 1, place, place + 1].filter(isPlace);
  }

  #gap({ height }) {
    const { localName } = this.list;
    const isTable = /^(table|tbody|thead|tfoot)$/.test(localName);
    const tag = isTable ? "tr" : /^(ul|ol|menu)$/.test(localName) ? "li" : "div";
    // Rules for rows are not for gaps, and the browser does not hold on to one that scrolls.
    const style = `${isTable ? "" : "all: unset; display: block; "}height: ${height}px; overflow-anchor: none`;
    return h(tag, { "aria-hidden": "true", style });
  }

  /** Says to screen readers how many rows there are, and which these are. */
  drawn() {
    const count = this.#items.length;
    const table = this.list.closest(tables);
    const head = this.#head(table);
    for (const [index, row] of head.entries()) set(row, "aria-rowindex", index + 1);
    if (table) set(table, "aria-rowcount", head.length + count);
    const [size, position] = table ? [[], "aria-rowindex"] : [["aria-setsize"], "aria-posinset"];
    for (const [index, { dom, item }] of this.#it.kids.entries()) {
      if (item instanceof Gap) continue;
      if (!(dom instanceof Element)) throw new TypeError("A row of a list with a window is one element.");
      for (const name of size) set(dom, name, count);
      set(dom, position, head.length + this.#places[index] + 1);
    }
  }

  /** The rows of a table before these, which are counted too. */
  #head(table) {
    const first = this.#it.kids[0]?.dom;
    const isBefore = (row) => !first || row.compareDocumentPosition(first) === Node.DOCUMENT_POSITION_FOLLOWING;
    return table ? [...table.querySelectorAll("tr, [role=row]")].filter(isBefore) : [];
  }

  /** Looks anew at what is seen: it was scrolled, resized, or another row has the focus. */
  moved() {
    this.#turns = 0;
    this.look();
  }

  /** Draws other rows, if those that are seen are no longer well within those that are drawn. */
  look() {
    if (!this.list.isConnected || !this.list.getClientRects().length) return;
    const hasMeasured = this.#measure();
    const { length } = this.#items;
    const [top, bottom] = this.#seen();
    const from = Math.min(length, Math.max(0, Math.floor(top / this.#height)));
    const to = Math.min(length, Math.max(from, Math.ceil(bottom / this.#height)));
    const more = Math.max(0, Math.min(Math.max(least, to - from), (most - to + from) >> 1));
    const wanted = [Math.max(0, from - (more >> 1)), Math.min(length, to + (more >> 1)) - 1, ...this.#focused()];
    const drawn = new Set(this.#places);
    if (!hasMeasured && wanted.every((place) => place < 0 || place >= length || drawn.has(place))) return;
    if (++this.#turns > 3) return;
    this.#from = Math.max(0, from - more);
    this.#to = Math.max(Math.min(length, to + more), this.#from + least);
    this.#redraw();
  }

  /** Finds out how high a row is, once for each width of the list; whether it is another height. */
  #measure() {
    const { width } = this.list.getBoundingClientRect();
    if (width === this.#width) return false;
    const last = this.#places.findLastIndex((place, index) => place > 0 && this.#places[index - 1] === place - 1);
    if (last < 0) return false;
    let head = last;
    while (this.#places[head - 1] === this.#places[head] - 1) head--;
    const [one, other] = [head, last].map((index) => this.#it.kids[index].dom.getBoundingClientRect().top);
    const height = (other - one) / (last - head);
    this.#width = width;
    if (!(height > 0) || Math.abs(height - this.#height) < 0.01) return false;
    this.#height = height;
    return true;
  }

  /** Where what is seen of the list begins and ends, in pixels below its first row. */
  #seen() {
    let top = 0, bottom = innerHeight;
    for (let it = this.list; it && it !== document.body; it = it.parentElement) {
      if (getComputedStyle(it).overflowY === "visible") continue;
      const box = it.getBoundingClientRect();
      top = Math.max(top, box.top);
      bottom = Math.min(bottom, box.bottom);
    }
    const { kids } = this.#it;
    const start = kids.length ? kids[0].dom.getBoundingClientRect().top : 0;
    return [top - start, bottom - start];
  }
}

const tables = "table, [role=table], [role=grid], [role=treegrid]", told = ["aria-setsize", "aria-posinset", "aria-rowindex"];

function set(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}
