// Tables that are ordered by their columns' heads, and scroll within themselves. Some are ordered by the server, which has more rows than it
// shows; of the others the page has all rows.

import { each, h } from "./render.js";
import { empty } from "./admin-parts.js";

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} title
 * @property {boolean} [isFigure] whether it is to the right, as figures are.
 * @property {string} [hint] what the figure is, in a few words.
 * @property {(row: any) => string | number | boolean | null | undefined} [by] the value to order by; without it the column orders nothing.
 * @property {(row: any) => import("./render.d.ts").Child} cell
 */

/** How the tables of this page are ordered, and what is looked for in them, by their names. */
const orders = new Map(), searches = new Map();

/** Compares two values of a column: what is not known comes last either way. */
export function compare(one, other, isReversed) {
  const isMissing = (value) => value === undefined || value === null || value === "";
  if (isMissing(one) || isMissing(other)) return Number(isMissing(one)) - Number(isMissing(other));
  const order = typeof one === "string" ? one.localeCompare(other, "en", { numeric: true }) : Number(one) - Number(other);
  return isReversed ? -order : order;
}

/**
 * Rows in the order of a column; of equal ones in the order in which they came.
 *
 * @template T
 * @param {T[]} rows
 * @param {Column | undefined} column
 * @param {boolean} isReversed
 * @returns {T[]}
 */
export const ordered = (rows, column, isReversed) =>
  (column?.by ? rows.toSorted((one, other) => compare(column.by(one), column.by(other), isReversed)) : rows);

/** Whether each word of a text is somewhere in the values; in capitals or not. */
export function matches(values, text) {
  const whole = values.filter((value) => value !== undefined && value !== null).join("\n").toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => whole.includes(word));
}

/** What is looked for in a table of this page. */
export const searched = (name) => searches.get(name) ?? "";

/** A field for what is looked for in a table of which the page has all rows. */
export const searchField = (context, name, label) =>
  h("label", { class: "field field-search" }, h("span", null, label),
    h("input", {
      type: "search", name, value: searched(name), autocomplete: "off", spellcheck: "false", local: true,
      oninput(event) {
        searches.set(name, event.target.value);
        context.redraw();
      },
    }));

/** The order after the head of a column was pressed: figures begin with the greatest. */
export const turned = (order, column) => (order.id === column.id
  ? { id: column.id, isReversed: !order.isReversed } : { id: column.id, isReversed: column.isFigure === true });

/**
 * A table.
 *
 * @param {import("./render.d.ts").Context} context
 * @param {{
 *   name: string,
 *   label: string,
 *   columns: Column[],
 *   rows: any[],
 *   key: (row: any) => string | number,
 *   none: import("./render.d.ts").Child,
 *   order?: {id: string, isReversed: boolean},
 *   choose?: (id: string) => void,
 *   orders?: string[],
 * }} options `name` tells it from others of the page. `order` is how it is ordered at first; with `choose` the server orders it by the
 *   columns `orders`, and it says how it is ordered now. `none` stands in its place if there are no rows.
 */
export function table(context, { name, label, columns, rows, key, none, order = {}, choose, orders: served }) {
  if (rows.length === 0) return typeof none === "string" ? empty(none) : none;
  const now = choose ? order : orders.get(name) ?? order;
  const column = columns.find(({ id }) => id === now.id);
  const shown = choose ? rows : ordered(rows, column, now.isReversed);
  const press = (column) => {
    if (choose) return choose(column.id);
    orders.set(name, turned(now, column));
    context.redraw();
  };
  const title = (column) => {
    const { id, isFigure, hint } = column;
    const isOrdering = choose ? served.includes(id) : Boolean(column.by);
    const direction = now.isReversed ? "descending" : "ascending";
    return h("th", {
      key: id, scope: "col", class: isFigure ? "is-figure" : "", title: hint,
      "aria-sort": isOrdering && now.id === id ? direction : null,
    }, isOrdering
      ? h("button", { type: "button", class: "th-button", local: !choose, onclick: () => press(column) }, column.title)
      : column.title);
  };
  return h("div", { class: "table-scroll", role: "region", "aria-label": label, tabindex: "0" },
    h("table", { class: "table" },
      h("caption", { class: "visually-hidden" }, label),
      h("thead", null, h("tr", null, columns.map(title))),
      h("tbody", null, each(shown, key, (row) =>
        h("tr", null, columns.map((column, index) =>
          h(index === 0 ? "th" : "td", {
            key: column.id, scope: index === 0 ? "row" : null, class: column.isFigure ? "is-figure" : "",
          }, column.cell(row))))))));
}
