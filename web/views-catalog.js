// The list of ten thousand rows.

import { grouped } from "./elements.js";
import { each, h } from "./render.js";
import { button, primary, screen } from "./views-parts.js";

/** By session: what the rows are filtered by, and the row that was removed last, which can be put back. */
const pages = new WeakMap();

screen("Catalog", (state, act, children, { redraw, session, id: node }) => {
  const { rows } = state;
  // A session that has begun anew has another tree.
  const key = `${session.welcome?.sid} ${node}`;
  if (pages.get(session)?.key !== key) pages.set(session, { key, filter: "", removed: undefined });
  const page = pages.get(session), { filter, removed } = page;
  const found = filter ? rows.filter((row) => row.title.toLowerCase().includes(filter)) : rows;
  // One listener for all rows, and for those that come as the list is scrolled.
  const onclick = (event) => {
    const name = event.target.dataset.act;
    const id = Number(event.target.closest(".catalog-row")?.dataset.id);
    if (name === "top") act({ move: { id, to: 0 } });
    if (name === "up") act({ move: { id, to: Math.max(0, rows.findIndex((row) => row.id === id) - 1) } });
    if (name === "remove") {
      page.removed = rows.find((row) => row.id === id);
      act({ remove: { id } });
      redraw();
    }
  };
  const onchange = (event) => act({ toggle: { id: Number(event.target.closest(".catalog-row").dataset.id) } });
  const restore = () => {
    page.removed = undefined;
    act({ restore: { id: removed.id } });
    redraw();
  };
  const oninput = (event) => {
    page.filter = event.target.value.trim().toLowerCase();
    redraw();
  };
  const all = `${grouped(rows.length)} rows`;
  return h("div", { class: "catalog", onkeydown: findInList },
    h("div", { class: "catalog-head" },
      h("label", { class: "field" },
        h("span", null, "Find rows"),
        h("input", {
          type: "search", autocomplete: "off", "aria-keyshortcuts": "Control+F", oninput, value: filter, local: true,
        })),
      h("div", { class: "button-row" },
        primary("Insert at the top", () => act({ insert: { at: 0 } })),
        button("Sort", () => act("sort")),
        removed && button(`Undo: remove ${removed.title}`, restore, { class: "button button-quiet undo", key: "undo" }),
        h("p", { class: "badge", role: "status", key: "count" }, filter ? `${grouped(found.length)} of ${all}` : all))),
    h("a", { class: "skip skip-list", href: "#inspector", onclick: leaveList }, "Skip the rows"),
    found.length === 0 && h("p", { class: "note", key: "none" }, filter ? `No row has “${filter}” in its title.` : "All rows are removed."),
    h("ul", { class: "catalog-rows", "aria-label": "Rows", hidden: found.length === 0, onclick, onchange, onkeydown: moveAmongRows },
      each(found, (row) => row.id, catalogRow, { window: true })));
});

const rowButton = (name, sign, label) =>
  h("button", { type: "button", class: "row-button", "data-act": name, "aria-label": label, title: label }, sign);

function catalogRow(row) {
  return h("li", { class: row.isDone ? "catalog-row is-done" : "catalog-row", "data-id": row.id },
    h("label", null, h("input", { type: "checkbox", checked: row.isDone }), row.title),
    rowButton("up", "↑", `Move ${row.title} up`),
    rowButton("top", "⤒", `Move ${row.title} to the top`),
    rowButton("remove", "×", `Remove ${row.title}`));
}

/** The browser's own search finds only the rows that are on the page; whoever wants it asks once more. */
function findInList(event) {
  const field = event.currentTarget.querySelector("input[type=search]");
  if (event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey) || event.target === field) return;
  event.preventDefault();
  field.select();
}

/** The address holds the app's name, so the link moves the focus by itself. */
function leaveList(event) {
  event.preventDefault();
  // What comes after the list on the page.
  document.querySelector(":is(#sent, #code):not([hidden]), .footer a").focus();
}

/** Up and down go to the same control of the next row: by Tab alone the way would be long. */
function moveAmongRows(event) {
  const row = event.target.closest(".catalog-row"), list = event.currentTarget, controls = "input, button";
  if (!row) return;
  const place = [...row.querySelectorAll(controls)].indexOf(event.target);
  const focus = (next) => next.querySelectorAll(controls)[place].focus();
  const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
  const next = step && row[step];
  if (next?.matches(".catalog-row")) {
    event.preventDefault();
    focus(next);
  } else if (event.key === "Home" || event.key === "End") {
    event.preventDefault();
    const isEnd = event.key === "End";
    list.scrollTo(0, isEnd ? list.scrollHeight : 0);
    // The rows there are drawn with the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const place = isEnd ? row.getAttribute("aria-setsize") : "1";
      const rows = [...list.querySelectorAll(".catalog-row")];
      focus(rows.find((it) => it.getAttribute("aria-posinset") === place) ?? rows.at(isEnd ? -1 : 0));
    }));
  }
}
