// What the page has of a session: the tree of its riblets, the view as a document, and facts about the link.

import { element, grouped } from "./elements.js";

const FOLD = 50;

// The tree

/** Whether the child at an index of a route is in front, by its container's kind. */
function isActive({ kind, ids, selected }, index) {
  if (kind === "tabs") return index === selected;
  if (kind === "stack") return index === ids.length - 1;
  return true;
}

const routeName = (name) => element("span", { className: "tree-route" }, name);

/** A few values of a state, as far as they are short. */
function glimpse(state) {
  const entries = Object.entries(state ?? {}).map(([key, value]) => `${key} ${gistOf(value)}`);
  const text = entries.join(", ");
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Draws the riblets as nested lists, and lights up those that have changed. */
export function drawTree(panel, view, changed) {
  if (!view) return panel.replaceChildren(element("p", { className: "inspector-hint" }, "There is no view yet."));
  const item = (id, isFront, route) => {
    const node = view.nodes[id];
    const className = changed.has(Number(id)) ? "tree-node is-changed" : "tree-node";
    const name = element("button", { type: "button", className, "data-node": id },
      route ? routeName(route) : "", node.type, element("span", { className: "tree-id" }, ` #${id}`),
      element("span", { className: "tree-state" }, glimpse(node.state)));
    const entry = element("li", { className: isFront ? "" : "is-behind" }, name);
    const children = Object.entries(node.children ?? {}).flatMap(([key, container]) => routeItems(key, container));
    if (children.length > 0) entry.append(element("ul", null, ...children));
    return entry;
  };
  const routeItems = (key, container) => {
    const ids = container.ids.map((id, index) => ({ id, index })).filter(({ id }) => id !== null);
    if (ids.length === 0) {
      return [element("li", { className: "is-empty" }, routeName(`${key} · ${container.kind}`), "none")];
    }
    return ids.map(({ id, index }) => item(id, isActive(container, index), `${key} · ${container.kind}`));
  };
  const focused = panel.contains(document.activeElement) && document.activeElement.dataset.node;
  panel.replaceChildren(element("ul", { className: "inspector-tree" }, item(view.root, true, "")));
  // All of it is another, and whoever goes through it by keys is to go on.
  if (focused) panel.querySelector(`[data-node="${focused}"]`)?.focus();
}

// The document

const isContainer = (value) => typeof value === "object" && value !== null;

/** A value as itself, or what it holds by their number. */
function gistOf(value) {
  if (Array.isArray(value)) return `[${grouped(value.length)}]`;
  return isContainer(value) ? `{${Object.keys(value).length}}` : JSON.stringify(value);
}

/**
 * A value of the document, as a line or as a part that unfolds.
 *
 * What is folded is not drawn, and what is the same object as before is not looked into: the view shares its structure
 * with the one before, so a patch costs as much as it is long.
 */
export class Value {
  #value;
  #members = new Map();
  #body;
  #summary;
  #more;
  #shown = FOLD;
  #path;

  /** With the keys of what is unfolded in it at first; null is folded itself. */
  constructor(key, value, path = null) {
    this.key = key;
    this.#path = path;
    this.#value = value;
    const name = element("span", { className: "json-key" }, key);
    this.#summary = element("span");
    if (isContainer(value)) {
      this.#body = element("div", { className: "json-body" });
      const summary = element("summary", null, name, " ", this.#summary);
      this.element = element("details", { className: "json-part", open: path !== null }, summary, this.#body);
      this.element.addEventListener("toggle", () => this.#draw());
      this.#draw();
    } else {
      this.element = element("div", { className: "json-line" }, name, " ", this.#summary);
    }
    this.#summarise();
  }

  /** Takes the new value, if it is of the old one's kind. */
  update(value) {
    if (value === this.#value) return true;
    if (isContainer(value) !== isContainer(this.#value)) return false;
    this.#value = value;
    this.#summarise();
    this.#draw();
    flash(this.#summary);
    return true;
  }

  #pathOf(key) {
    const [next, ...rest] = this.#path ?? [];
    return next === key ? rest : null;
  }

  #summarise() {
    this.#summary.className = isContainer(this.#value) ? "json-count" : "json-value";
    this.#summary.textContent = gistOf(this.#value);
  }

  #draw() {
    if (!this.#body || !this.element.open) return;
    const keys = Object.keys(this.#value);
    const shown = keys.slice(0, this.#shown);
    const members = new Map();
    for (const key of shown) {
      const old = this.#members.get(key);
      members.set(key, old?.update(this.#value[key]) ? old : new Value(key, this.#value[key], this.#pathOf(key)));
    }
    for (const [key, old] of this.#members) if (members.get(key) !== old) old.element.remove();
    this.#members = members;
    let place = this.#body.firstChild;
    for (const { element } of members.values()) {
      if (element === place) place = place.nextSibling;
      else this.#body.insertBefore(element, place);
    }
    this.#drawMore(keys.length - shown.length);
  }

  /** The button stays the same one, last in the body, so that it keeps the focus. */
  #drawMore(count) {
    this.#more ??= element("button", {
      type: "button", className: "inspector-button is-quiet",
      onclick: () => {
        this.#shown += FOLD * 2;
        this.#draw();
      },
    });
    this.#more.textContent = `${grouped(count)} more`;
    if (count === 0) this.#more.remove();
    else if (!this.#more.isConnected) this.#body.append(this.#more);
  }
}

function flash(element) {
  element.classList.remove("is-changed");
  requestAnimationFrame(() => element.classList.add("is-changed"));
}

// The facts

const durabilities = {
  disk: "disk: answers survive a power cut",
  process: "process: answers survive kill -9",
  none: "none: answers are lost when the process ends",
};

/** Measures how long an action's answer takes, and what `n` the answers have reached, by what leaves the outbox. */
export class Answers {
  roundTrip;
  n = 0;
  #since = new Map();

  note(pending) {
    const now = performance.now();
    const left = new Set(pending.map(({ n }) => n));
    for (const [n, since] of this.#since) {
      if (left.has(n)) continue;
      this.#since.delete(n);
      this.roundTrip = now - since;
      this.n = Math.max(this.n, n);
    }
    for (const n of left) if (!this.#since.has(n)) this.#since.set(n, now);
  }
}

function tries(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}").try;
  } catch {
    return undefined;
  }
}

const short = (text) => (text && text.length > 12 ? `${text.slice(0, 8)}…` : text);

/** The session's facts; those that need the entry's key in `sessionStorage`, or the controls of the link, only with them. */
export function drawFacts(panel, session, answers, key, links) {
  const { welcome, view, revision, durability, pending } = session;
  const facts = {
    Session: short(welcome?.sid), Client: welcome?.cid, Epoch: short(welcome?.epoch), Revision: view && revision,
    "Last answered action": welcome && Math.max(answers.n, welcome.n), "Waiting actions": pending.length,
    Durability: durabilities[durability], ...(links && { Transport: links.transport }), ...(key && { "Tries to resume": tries(key) ?? 0 }),
    "Round trip": answers.roundTrip === undefined ? undefined : `${answers.roundTrip.toFixed(1)} ms`,
    Server: welcome && `ribd ${welcome.build}`,
  };
  const rows = Object.entries(facts).map(([name, fact]) =>
    element("div", null, element("dt", null, name), element("dd", null, String(fact ?? "–"))));
  panel.replaceChildren(element("dl", { className: "inspector-facts" }, ...rows));
}
