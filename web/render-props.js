// Properties of elements. What the user edits is the user's: see render-fields.js.

import { controlEvents, drawControl, hearControl, heardControl, isControls } from "./render-fields.js";
import { current } from "./render-tree.js";

/** What is no property of the element. */
const own = new Set(["key", "ref", "drawn", "transition", "local"]);

/** The instance whose event is being handled, and the event. */
export let acting;

export function setProp(it, name, value, old) {
  const { dom } = it;
  if (own.has(name)) return;
  if (isControls(dom, name)) {
    for (const type of it.served === undefined ? controlEvents : []) listen(it, type);
    drawControl(it, value, current);
  } else if (name === "selected" || name === "open") {
    // What the user has made of it stays until another value is drawn.
    if (value !== old || (name === "selected" && current.force)) dom[name] = Boolean(value);
  } else if (name.startsWith("on")) {
    // An event of a custom element may have capitals: "on:MyEvent".
    const type = name[2] === ":" ? name.slice(3) : name.slice(2).toLowerCase();
    listen(it, type)[type] = value || undefined;
  } else if (value === old) {
    return;
  } else if ([value, old].some(isWhole) && name !== "style" && dom.localName.includes("-")) {
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

/** Whether a custom element takes a value as it is, and not as a text. */
const isWhole = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

const links = /^(href|src|action|formaction|xlink:href)$/i;

const setStyle = (style, key, value) => (key.startsWith("--") ? style.setProperty(key, value) : (style[key] = value));

/** One listener object per element stays for good; drawing only replaces the functions it calls. */
function listen(it, type) {
  it.handlers ??= { handleEvent(event) {
    const outer = acting;
    hearControl(it, event);
    acting = { it, event };
    try {
      this[event.type]?.call(it.dom, event);
    } finally {
      acting = outer;
    }
    heardControl(it, event);
  } };
  it.dom.addEventListener(type, it.handlers);  // Once: it is the same object each time.
  return it.handlers;
}
