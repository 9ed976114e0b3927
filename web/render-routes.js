// Routes, and the containers that they are drawn in.

import { each, h, nodeOf } from "./render-tree.js";

/** @typedef {typeof import("./render.d.ts")} R */

/** What is drawn for a type that nobody has a view for. */
export function plain(state, act, children, { type }) {
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const entries = Object.entries(state ?? {}).map(([name, value]) => [h("dt", null, name), h("dd", null, text(value))]);
  return h("section", { class: "rib-node" }, h("h2", null, type), h("dl", null, entries), topmost(children));
}

/** The routes but for those below a child without a view, which are drawn in its place. */
const topmost = (routes) => Object.values(routes).filter((route) => !route.name.includes("/"));

/** The names of the routes below a child without a view: `tabs[2]/pages`, or `detail/pages` of an only child. */
export function below(children, name, index) {
  const prefix = children[name].ids.length > 1 ? `${name}[${index}]/` : `${name}/`;
  return Object.keys(children).filter((other) => other.startsWith(prefix) && !other.slice(prefix.length).includes("/"));
}

export class Route {
  constructor(owner, name, { kind, ids, selected }) {
    Object.assign(this, { owner, name, kind, ids, selected });
  }

  /** What is drawn for the child at an index: nothing for one that is not attached. */
  at(index) {
    const { routes } = this.owner, id = this.ids[index];
    return id != null ? [this.node(id)] : below(routes, this.name, index).map((name) => routes[name]);
  }

  node(id) { return nodeOf(this.owner.mount, id); }

  nodes() { return this.ids.flatMap((_, index) => this.at(index)); }

  /** The children that there is something to draw of. */
  entries() {
    return this.ids.map((id, index) => ({ id, index, key: id ?? `at ${index}`, nodes: this.at(index) }))
      .filter((entry) => entry.nodes.length);
  }

  draw() { return ({ slot: detail, stack, tabs }[this.kind] ?? list)(this); }

  back(id) {
    const { id: owner, mount: { session } } = this.owner;
    if (session.scope !== "view") this.owner.send(() => session.back(id ?? owner));
  }
}

// Containers

/** @type {R["detail"]} */
export function detail(route) {
  const nodes = route.nodes();
  return nodes.length ? h("section", { class: "rib-detail", transition: true }, nodes) : null;
}

/** @type {R["list"]} */
export function list(route) {
  // Ids can be compared with those drawn before, so that of many children only the new ones are looked at.
  const items = route.ids.includes(null) ? route.entries() : route.ids;
  const row = (item) => h("li", null, item.nodes ?? route.node(item));
  return h("ul", { class: "rib-list" }, each(items, (item) => item.key ?? item, row));
}

/** The dialogs on the page, outer ones before inner ones; and whether what is beside each is shut out. */
const dialogs = new Map();

/** One on a page that is hidden is closed as long: an open dialog takes the focus from all others, seen or not. */
export function showDialogs() {
  for (const dialog of dialogs.keys()) {
    const isShown = !dialog.closest("[hidden], [inert]");
    // Who may only look can close none, and is not to be locked in.
    if (isShown && !dialog.open) dialogs.get(dialog)() ? dialog.showModal() : dialog.setAttribute("open", "");
    if (!isShown && dialog.open) dialog.close();
  }
}

/** Before it is removed, so that the browser gives the focus back to the opener. */
function closeDialog(dialog) {
  dialogs.delete(dialog);
  dialog.close();
}

/** @type {R["modal"]} */
export function modal(route, { label }) {
  const [entry] = route.entries();
  if (!entry) return null;
  const leave = () => route.back(entry.id), isModal = () => route.owner.mount.session.scope !== "view";
  const isOutside = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return event.target === event.currentTarget && (event.clientX < box.left || event.clientX > box.right
      || event.clientY < box.top || event.clientY > box.bottom);
  };
  return h("dialog", {
    key: entry.key, class: "rib-modal", "aria-label": label,
    ref: (dialog, gone) => (dialog ? dialogs.set(dialog, isModal) : closeDialog(gone)),
    oncancel(event) {
      if (event.target !== this) return;
      event.preventDefault();
      leave();
    },
    // A browser closes it without asking at the second Esc in a row, but whether it is open is the server's to say.
    onclose: showDialogs,
    // A press that began inside, to select text, and ended outside is no click on the backdrop.
    onpointerdown(event) { this.ribPressed = isOutside(event); },
    onclick(event) { if (this.ribPressed && isOutside(event)) leave(); },
  }, entry.nodes);
}

/** The front page of each stack or tabs, and the scroll positions around it for each page; by node and route name. */
const turned = new WeakMap();

/**
 * Saves the scroll positions before the next page is drawn, as a shorter page changes them. Returns the `drawn` hook, which restores them and
 * calls `turn`, unless the focus is elsewhere on the page.
 */
function keepScroll({ owner, name }, front, keys, turn) {
  const routes = turned.get(owner) ?? turned.set(owner, new Map()).get(owner);
  const it = routes.get(name) ?? { front, positions: new Map() };
  routes.set(name, it);
  const hasTurned = it.front !== undefined && it.front !== front;
  if (hasTurned && it.element?.isConnected) it.positions.set(it.front, positionsAround(it.element));
  for (const key of it.positions.keys()) if (!keys.includes(key)) it.positions.delete(key);
  it.front = front;
  return (element) => {
    it.element = element;
    const { activeElement } = document;
    // Whoever is busy elsewhere on the page stays there, also if somebody else has turned the page.
    if (!hasTurned || (activeElement !== document.body && !element.contains(activeElement))) return;
    const positions = it.positions.get(front);
    turn?.(element, positions !== undefined);
    for (const [around, left, top] of positions ?? []) around.scrollTo({ left, top, behavior: "instant" });
  };
}

function positionsAround({ parentNode }) {
  const positions = [];
  for (let it = parentNode; it; it = it.parentNode ?? it.host) if (it instanceof Element) positions.push([it, it.scrollLeft, it.scrollTop]);
  return positions;
}

/** @type {R["stack"]} */
export function stack(route, { title } = {}) {
  const pages = route.entries(), front = pages.at(-1), under = pages.at(-2);
  const node = under && title && route.owner.mount.session.node(under.id);
  const drawn = keepScroll(route, front?.key, pages.map(({ key }) => key), (element, preventScroll) => {
    if (front) focusHeading(element.lastElementChild, preventScroll);
  });
  return h("div", { class: "rib-stack", drawn },
    under && h("button", { type: "button", class: "rib-back", onclick: () => route.back(front.id) },
      node ? `Back to ${title(node)}` : "Back"),
    pages.map((page) => h("div", { key: page.key, class: "rib-page", hidden: page !== front }, page.nodes)));
}

function focusHeading(page, preventScroll) {
  const headings = [...page.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")];
  const target = headings.find((heading) => !heading.closest("[hidden]")) ?? page;
  if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.focus({ preventScroll });
}

/** @type {R["tabs"]} */
export function tabs(route, { titles, select, label } = {}) {
  const { owner, name, ids, selected } = route;
  titles ??= owner.node.state?.titles ?? [];
  select ??= (index) => owner.act({ select: index });
  const id = (part, index) => `${owner.mount.name}-${owner.id}-${name}-${part}-${index}`;
  const keys = { ArrowRight: 1, ArrowLeft: -1, Home: -ids.length, End: ids.length };
  const onkeydown = function (event) {
    const step = keys[event.key], from = [...this.children].indexOf(event.target);
    if (!step || from < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const isArrow = Math.abs(step) === 1, last = ids.length - 1;
    const to = isArrow ? (from + step + ids.length) % ids.length : step < 0 ? 0 : last;
    this.children[to].focus();
    select(to);
  };
  const panels = ids.map((child, index) => child ?? `at ${index}`);
  return h("div", { class: "rib-tabs", drawn: keepScroll(route, panels[selected], panels) },
    h("div", { class: "rib-tablist", role: "tablist", "aria-label": label ?? name, onkeydown },
      ids.map((child, index) => h("button", {
        key: panels[index], class: "rib-tab", type: "button", role: "tab", id: id("tab", index),
        "aria-selected": index === selected, "aria-controls": id("panel", index), tabindex: index === selected ? 0 : -1,
        onclick: () => select(index),
      }, titles[index] ?? owner.mount.session.node(child ?? NaN)?.type ?? `Tab ${index + 1}`))),
    ids.map((child, index) => h("div", {
      key: panels[index], role: "tabpanel", class: "rib-panel", id: id("panel", index),
      "aria-labelledby": id("tab", index), tabindex: 0, hidden: index !== selected,
    }, route.at(index))));
}
