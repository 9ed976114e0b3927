// Properties of elements. What the user edits is the user's: see `setEdited`.

import { current } from "./render-tree.js";

/** What is no property of the element. */
const own = new Set(["key", "ref", "drawn", "transition", "local"]);

/** The element whose event is being handled. */
export let acting;

export function setProp(it, name, value, old) {
  const { dom } = it;
  if (own.has(name)) return;
  if (name === "value" || name === "checked" || name === "selected" || name === "open") {
    setEdited(it, name, value, old);
  } else if (name.startsWith("on")) {
    // An event of a custom element may have capitals: "on:MyEvent".
    const type = name[2] === ":" ? name.slice(3) : name.slice(2).toLowerCase();
    listen(it, type)[type] = value || undefined;
  } else if (value === old) {
    return;
  } else if ([value, old].some((it) => typeof it === "object" && it) && name !== "style" && dom.localName.includes("-")) {
    // What a custom element takes, it takes as it is.
    dom[name] = value ?? null;
  } else if (links.test(name) && /^[\u0000-\u0020]*javascript:/i.test(String(value).replace(/[\t\n\r]/g, ""))) {
    dom.removeAttribute(name);
    reportError(new TypeError(`A ${name} does not run a program.`));
  } else if (name === "style" && (typeof value === "string" || typeof old === "string")) {
    const isText = typeof value === "string";
    dom.style.cssText = isText ? value : "";
    if (!isText) for (const key in value) setStyle(dom.style, key, value[key] ?? "");
  } else if (name === "style") {
    for (const key in old) if (!(key in (value ?? {}))) setStyle(dom.style, key, "");
    for (const key in value) if (value[key] !== old?.[key]) setStyle(dom.style, key, value[key] ?? "");
  } else if (value == null || (value === false && !/^(aria|data)-/.test(name))) {
    dom.removeAttribute(name === "className" ? "class" : name);
  } else {
    dom.setAttribute(name === "className" ? "class" : name, value === true && !/^(aria|data)-/.test(name) ? "" : value);
  }
}

const links = /^(href|src|action|formaction|xlink:href)$/i;

const setStyle = (style, key, value) => (key.startsWith("--") ? style.setProperty(key, value) : (style[key] = value));

/** Later texts than the last hundred have come back, or never will. */
const mostTyped = 100;

/** One listener object per element stays for good; drawing only replaces the functions it calls. */
function listen(it, type) {
  it.handlers ??= { handleEvent(event) {
    const outer = acting;
    if (event.type === "compositionstart") it.isComposing = true;
    if (event.type === "compositionend") it.isComposing = false;
    acting = it;
    try {
      this[event.type]?.call(it.dom, event);
    } finally {
      acting = outer;
    }
    // A field whose typing nobody listens to sends no text that could come back.
    if (event.type === "input" && this.input && it.typed?.push(it.dom.value) > mostTyped) it.typed.shift();
    if (event.type === "blur" || event.type === "compositionend") settleEdited(it);
  } };
  it.dom.addEventListener(type, it.handlers);  // Once: it is the same object each time.
  return it.handlers;
}

/**
 * Sets what the user can change too. An element that has the focus keeps what the user made of it until another value
 * is drawn, and a value that comes back late, as it was a few keys ago, is no other value: `typed` holds what was typed,
 * was sent, and has not come back yet. Once all that a field has sent is answered, it shows what is drawn: see `settleEdited`.
 */
function setEdited(it, name, value, old) {
  const { dom } = it, isValue = name === "value";
  if (isValue) it.typed ??= (["input", "blur", "compositionstart", "compositionend"].forEach((type) => listen(it, type)), []);
  const next = isValue ? String(value ?? "") : Boolean(value);
  if (name === "open" && value === old) return;
  if (dom.getRootNode().activeElement === dom && next !== dom[name]) {
    if (it.isComposing || (value === old && !(current.force && !isValue))) return;
    const echo = isValue ? it.typed.indexOf(next) : -1;
    if (echo >= 0) return void it.typed.splice(0, echo + 1);
  }
  if (isValue) it.typed = [];
  if ((isValue ? String(dom.value) : dom[name]) !== next) isValue ? setValue(dom, next) : (dom[name] = next);
}

/**
 * Shows what is drawn in a field that sends what is typed, when all of it is answered, or the user leaves: the server may have made another
 * text of it. A text that was not sent is the user's.
 */
export function settleEdited(it) {
  if (it.isGone || it.waiting || it.isComposing || it.dom.value !== it.sentText || !("value" in it.what.props)) return;
  const next = String(it.what.props.value ?? "");
  it.typed = [];
  if (it.dom.value !== next) setValue(it.dom, next);
}

/** Sets a text, and leaves the caret and what is selected where they were. */
function setValue(dom, value) {
  // Other inputs than those of text have no selection.
  const { selectionStart: start, selectionEnd: end, selectionDirection: direction } = dom;
  dom.value = value;
  if (start != null && dom.getRootNode().activeElement === dom) dom.setSelectionRange(start, end, direction);
}
