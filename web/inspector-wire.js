// What goes over the wire: the last messages, each with what it is about, and which patch answers which action.

import { element, grouped } from "./elements.js";

const KEPT_MESSAGES = 200;
const KEPT_CHARACTERS = 4_000_000;
const SHOWN_CHARACTERS = 20_000;

/** By hand, as in `grouped`. */
function clock(time) {
  const date = new Date(time);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0"));
  return `${parts.join(":")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

const actionName = (action) => (typeof action === "string" ? action : Object.keys(action ?? {})[0] ?? "");
const target = (to) => (typeof to === "number" ? `#${to}` : to === "" ? "root" : to);
const count = (items, name) => `${items.length} ${name}${items.length === 1 ? "" : "s"}`;

/** What a message is about, in a few characters. */
function gist(message) {
  switch (message.t) {
    case "act": return `${actionName(message.a) || "(hidden)"} → ${target(message.to)}`;
    case "back": return `→ ${target(message.to)}`;
    case "hello": return message.resume ? `resume, try ${message.resume.try}` : message.app ?? "share";
    case "welcome": return `${message.resumed ? "resumed, " : ""}rev ${message.rev}, n ${message.n}`;
    case "snap": return `the whole view, rev ${message.rev}`;
    case "patch": return `rev ${message.rev}, ${count(message.ops, "op")}`;
    case "nack": return `n ${message.n}, ${message.code}`;
    case "bye": return message.code ?? "";
    case "notice": return message.durability;
    case "clients": return count(message.clients, "client");
    default: return "";
  }
}

/** The messages of a text; a long one is not parsed for its kind. */
function messagesOf(text) {
  if (text.length > 200_000) return [{ t: /"t":"(\w+)"/.exec(text.slice(0, 200))?.[1] ?? "long", isLong: true }];
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return [{ t: "text", isLong: true }];
  }
}

function pretty(text) {
  if (text === undefined) return "The page no longer keeps this message: too many newer ones have come.";
  const long = text.length > 200_000 ? text : JSON.stringify(JSON.parse(text), null, 2);
  const rest = long.length - SHOWN_CHARACTERS;
  return rest > 0 ? `${long.slice(0, SHOWN_CHARACTERS)}\n… ${grouped(rest)} more characters` : long;
}

/** The last messages, newest first. */
export class Wire {
  isPaused = false;
  #records = [];
  #characters = 0;
  #list;
  /** The rows of actions that have no answer yet, with their numbers. */
  #unanswered = [];

  constructor(list) {
    this.#list = list;
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".wire-row");
      if (row) this.#toggle(row);
    });
    for (const type of ["pointerover", "focusin"]) list.addEventListener(type, ({ target }) => this.#point(target.closest(".wire-item")));
    for (const type of ["pointerleave", "focusout"]) list.addEventListener(type, () => this.#point());
  }

  keep({ direction, text }) {
    if (this.isPaused) return;
    this.#records.push({ direction, text, length: text.length, at: Date.now() });
    this.#characters += text.length;
    while (this.#records.length > KEPT_MESSAGES) this.#forget(this.#records.shift());
    for (const record of this.#records.slice(0, -1)) {
      if (this.#characters <= KEPT_CHARACTERS) break;
      this.#forget(record);
    }
  }

  #forget(record) {
    if (record.text === undefined) return;
    this.#characters -= record.length;
    record.text = undefined;
  }

  clear() {
    this.#records = [];
    this.#characters = 0;
    this.#unanswered = [];
    this.#list.replaceChildren();
  }

  /** Draws what has come since the last time. */
  draw() {
    const drawn = this.#list.firstElementChild?.record;
    const rows = this.#records.slice(this.#records.indexOf(drawn) + 1).map((record) => this.#row(record));
    this.#list.prepend(...rows.reverse());
    while (this.#list.childElementCount > KEPT_MESSAGES) this.#list.lastElementChild.remove();
  }

  #row(record) {
    const { text, direction, length, at } = record;
    const messages = text === undefined ? [{ t: "…", isLong: true }] : messagesOf(text);
    const [message] = messages;
    const isOut = direction === "out";
    const figure = element("span", { className: "wire-figure" }, `${grouped(text === undefined ? length : new Blob([text]).size)} B`);
    const kind = messages.length > 1 ? `${message.t} ×${messages.length}` : message.t;
    const row = element("button", { type: "button", className: "wire-row", ariaExpanded: "false", title: `${clock(at)}, ${figure.textContent}` },
      element("span", { className: `inspector-way ${isOut ? "is-out" : "is-in"}` },
        element("span", { className: "inspector-unseen" }, isOut ? "Sent: " : "Received: "), kind), " ",
      element("span", { className: "wire-about" }, message.isLong ? "" : gist(message)), " ", figure);
    const item = Object.assign(element("li", { className: "wire-item" }, row), { record });
    for (const each of messages) this.#tie(each, item, figure, isOut);
    return item;
  }

  /** Ties an action to the message that answers it: the first one that covers its number. */
  #tie({ t, n, resumed }, item, figure, isOut) {
    // Another session counts from the beginning.
    if (t === "welcome" && !resumed) this.#unanswered = [];
    if (isOut && /^(act|back)$/.test(t)) {
      figure.textContent = `n ${n}`;
      this.#unanswered.push({ n, item, figure });
    } else if (!isOut && /^(patch|nack|snap|welcome)$/.test(t)) {
      const isAnswered = (waiting) => waiting.n <= n;
      const answered = this.#unanswered.filter(isAnswered);
      if (!answered.length) return;
      this.#unanswered = this.#unanswered.filter((waiting) => !isAnswered(waiting));
      item.partners = answered.map((waiting) => waiting.item);
      for (const waiting of answered) {
        waiting.item.partners = [item];
        waiting.figure.textContent = `n ${waiting.n}, ${item.record.at - waiting.item.record.at} ms`;
      }
    }
  }

  /** Shows what belongs to a row. */
  #point(item) {
    for (const other of this.#list.querySelectorAll(".is-partner")) other.classList.remove("is-partner");
    for (const other of item?.partners ? [item, ...item.partners] : []) other.classList.add("is-partner");
  }

  #toggle(row) {
    const item = row.parentElement;
    const isOpen = row.ariaExpanded === "true";
    row.ariaExpanded = String(!isOpen);
    if (isOpen) return item.lastElementChild.remove();
    item.append(element("div", { className: "wire-whole" }, element("p", { className: "inspector-hint" }, row.title),
      element("pre", { className: "inspector-json", tabIndex: 0 }, pretty(item.record.text))));
  }
}
