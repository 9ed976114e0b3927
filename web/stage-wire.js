// What went over the wires of the stage's two screens: actions one way, patches the other.

import { element } from "./elements.js";

const KEPT = 40;

/** The name of an action, as the page shows it. */
export const nameOf = (action) => (typeof action === "string" ? action : Object.keys(action ?? {})[0] ?? "action");

/** What a patch or a view says of the count; undefined if it says nothing. */
function countIn(message) {
  if (message.t === "snap") return message.view.nodes[message.view.root]?.state.count;
  // A state that has changed in most of its members is one operation.
  const { path, value } = message.ops.findLast(({ path }) => path.endsWith("/state") || path.endsWith("/state/count")) ?? {};
  return path?.endsWith("/state") ? value?.count : value;
}

/**
 * The last messages of both screens, without DOM. Actions that follow one another are one row: `{side, name, first, last, open, refused, unknown}`, where
 * `open` is how many have no answer, and `unknown` how many may have been done or not. So are patches: `{patches, count, revision, sides}`, where `sides` has the
 * last revision that each screen has got.
 */
export class StageLog {
  /** Newest last. */
  rows = [];
  /** The greatest number of an action of each side that has a row. */
  #greatest = new Map();

  /** Notes which actions of a side have no answer. */
  notePending(side, pending) {
    for (const { n, action = "action" } of pending) {
      if (n > (this.#greatest.get(side) ?? 0)) this.#add(side, n, nameOf(action));
    }
    const open = new Set(pending.map(({ n }) => n));
    for (const row of this.rows) if (row.side === side && row.open > 0) row.open = countOpen(row, open);
  }

  #add(side, n, name) {
    this.#greatest.set(side, n);
    const last = this.rows.at(-1);
    if (last?.side === side && last.open > 0 && last.name === name && last.last === n - 1) last.last = n;
    else this.#push({ side, name, first: n, last: n, open: 1, refused: 0, unknown: 0 });
  }

  /** Notes what became of an action. */
  noteOutcome(side, n, outcome) {
    const row = this.rows.findLast((row) => row.side === side && row.first <= n && n <= row.last);
    if (row && outcome !== "applied") row[outcome === "refused" ? "refused" : "unknown"]++;
  }

  /** Notes a message that a side has got. */
  noteMessage(side, text) {
    if (text.length > 100_000) return;
    for (const message of [JSON.parse(text)].flat()) {
      if (message.t !== "patch" && message.t !== "snap") continue;
      const count = countIn(message);
      if (count !== undefined) this.#notePatch(side, message.rev, count);
    }
  }

  #notePatch(side, revision, count) {
    const last = this.rows.findLast((row) => row.sides);
    if (last && revision <= last.revision) last.sides.set(side, revision);
    else if (last && last === this.rows.at(-1)) {
      last.patches++;
      Object.assign(last, { revision, count }).sides.set(side, revision);
    } else this.#push({ patches: 1, count, revision, sides: new Map([[side, revision]]) });
  }

  /** Begins anew: another session numbers its actions from 1. */
  clear() {
    this.rows = [];
    this.#greatest.clear();
  }

  /** Has a side's next actions be those of another client, which numbers them from 1. */
  renew(side) {
    this.#greatest.delete(side);
    for (const row of this.rows.filter((row) => row.side === side)) {
      row.unknown += row.open;
      row.open = 0;
    }
  }

  #push(row) {
    this.rows.push(row);
    if (this.rows.length > KEPT) this.rows.shift();
  }
}

const countOpen = ({ first, last }, open) => {
  let count = 0;
  for (let n = first; n <= last; n++) count += open.has(n);
  return count;
};

/** What became of a row's actions, as the page says it. */
function wordsOf({ first, last, open, refused, unknown }) {
  if (open > 0) return open > 1 ? `${open} waiting` : "waiting";
  if (first === last) return refused ? "refused" : unknown ? "perhaps done" : "done";
  return [refused > 0 && `${refused} refused`, unknown > 0 && `${unknown} perhaps done`].filter(Boolean).join(", ") || "done";
}

/** Draws the log, newest first. A row keeps its element as long as it is shown. */
export class StageWire {
  #list;
  #elements = new WeakMap();

  constructor(list) {
    this.#list = list;
  }

  draw(log, limit) {
    const items = log.rows.slice(-limit).reverse().map((row) => this.#update(row));
    for (const item of [...this.#list.children]) if (!items.includes(item)) item.remove();
    // A row that was put in again would rise again.
    items.forEach((item, index) => {
      const other = this.#list.children[index];
      if (other !== item) this.#list.insertBefore(item, other ?? null);
    });
  }

  #update(row) {
    let item = this.#elements.get(row);
    if (!item) this.#elements.set(row, item = element("li", { className: "duo-row" }));
    if (row.sides) {
      item.dataset.way = "in";
      const sides = [...row.sides].filter(([, revision]) => revision === row.revision).map(([side]) => side);
      item.dataset.side = sides.length > 1 ? "both" : sides[0];
      item.replaceChildren(element("span", {}, row.patches > 1 ? `${row.patches} patches` : "patch"), element("b", {}, `count ${row.count}`));
      return item;
    }
    item.dataset.way = "out";
    item.dataset.side = row.side;
    item.dataset.state = row.open > 0 ? "waiting" : row.refused + row.unknown > 0 ? "refused" : "done";
    const numbers = row.first === row.last ? `${row.first}` : `${row.first}–${row.last}`;
    item.replaceChildren(element("b", {}, numbers), element("span", {}, row.name), element("i", {}, wordsOf(row)));
    return item;
  }
}
