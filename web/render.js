/**
 * Draws a session's view: `h` describes elements, a view function per type of riblet describes its node, `mount` keeps
 * the page as they say. A change costs what it names: a node is drawn again if its own object is another one, a row of
 * `each` if its item is, and what is kept keeps its elements, with their focus, selection and scroll position.
 * @typedef {typeof import("./render.d.ts")} R
 */

const svg = "http://www.w3.org/2000/svg";
/** Tags of what is no element: the rows of `each`, and a node of the view. */
const EACH = Symbol("each"), NODE = Symbol("node");
/** A prop that is called with the element after each time it was drawn. */
const DRAWN = Symbol("drawn");
const registry = new Map();
/** The node that is being drawn; how many mounts there were; what waits until all is in the document. */
let current, mounts = 0;
/** The element whose event is being handled, and whether something else than a drawing has taken texts out of the page. */
let acting, isDisplaced = false;
const effects = [];

/** @type {R["h"]} */
export const h = (tag, props, ...children) => ({ tag, props: props ?? {}, children, key: props?.key });

/** @type {R["each"]} */
export const each = (items, key, row) => ({ tag: EACH, items, keyOf: key, row });

/** @type {R["define"]} */
export const define = (type, view) => void registry.set(type, view);

// Children become two lists, of keys and of what to draw. A child without a key is known by its place, in nested lists
// by a path; what is left out (null, false) holds its place, so that its neighbours stay who they are.

function flatten(children, path = "", keys = [], list = []) {
  children.forEach((child, place) => {
    if (child == null || typeof child === "boolean") return;
    const key = path + (child.key != null ? ":" + child.key : place);
    if (Array.isArray(child)) flatten(child, key + ".", keys, list);
    else if (child instanceof Route) flatten([child.draw()], key + ".", keys, list);
    else if (typeof child.tag === "function") {
      flatten([child.tag(child.props, current.act, child.children, current.context)], key + ".", keys, list);
    } else {
      keys.push(key);
      list.push(typeof child === "object" ? child : String(child));
    }
  });
  return { keys, list };
}

// What is drawn is an instance: `dom` is its element or text; for EACH and NODE, which have any number of elements, the
// empty text after them. `start` is the empty text before a node's: what is between can be cleared whatever happened.

const first = (it) => (it.start ? it.start : it.tag === EACH && it.kids.length ? first(it.kids[0]) : it.dom);

function create(what, key, parent, before) {
  const it = { key, tag: what.tag, what, kids: [] };
  if (it.tag === NODE || it.tag === EACH) {
    if (it.tag === NODE) insert(parent, (it.start = new Text()), before);
    insert(parent, (it.dom = new Text()), before);
    it.tag === NODE ? attach(it, what) : patchRows(it, what, []);
  } else if (it.tag) {
    const namespace = it.tag === "svg" ? svg : parent.localName === "foreignObject" ? null : parent.namespaceURI;
    it.dom = namespace === svg ? document.createElementNS(svg, it.tag) : document.createElement(it.tag);
    if (what.props.ref) effects.push(() => it.isGone || what.props.ref(it.dom));
    patchElement(it, what, {});
    insert(parent, it.dom, before);
  } else {
    insert(parent, (it.dom = new Text(what)), before);
  }
  return it;
}

function insert(parent, node, before) {
  if (before && before.parentNode !== parent) isDisplaced = true;
  parent.insertBefore(node, isDisplaced && before?.parentNode !== parent ? null : before);
}

/** Draws `what` where `it` is: in place if they are of a kind, else instead of it. */
function patch(it, what) {
  if (it.what === what && !current?.force) return it;
  if (it.tag !== what.tag || it.id !== what.id) {
    const other = create(what, it.key, it.dom.parentNode, first(it));
    remove(it);
    return other;
  }
  const old = it.what;
  it.what = what;
  if (it.tag === EACH) patchRows(it, what, old.items);
  else if (it.tag === NODE) draw(it);
  else if (it.tag) patchElement(it, what, old.props);
  else {
    it.dom.data = what;
    // A translator has put another text in its place.
    if (!it.dom.parentNode || it.dom.parentNode.localName === "font") isDisplaced = true;
  }
  return it;
}

function patchElement(it, { props, children }, old) {
  for (const name in old) if (!(name in props)) setProp(it, name, undefined, old[name]);
  // A select's value means something once it has its options.
  for (const name in props) if (name !== "value") setProp(it, name, props[name], old[name]);
  patchKids(it, it.dom, children, null);
  if ("value" in props) setProp(it, "value", props.value, old.value);
  if (props[DRAWN]) effects.push(() => props[DRAWN](it.dom));
}

function patchKids(it, parent, children, end) {
  const { keys, list } = flatten(children), outer = isDisplaced;
  isDisplaced = false;
  it.kids = arrange(parent, it.kids, keys, end, (index, kid, before) =>
    kid ? patch(kid, list[index]) : create(list[index], keys[index], parent, before));
  if (isDisplaced) putBack(it, parent, end);
  isDisplaced = outer;
}

/** Takes out what is not drawn by this page, such as a translator's, and puts what is drawn back in its place; nothing else is moved. */
function putBack(it, parent, end) {
  const drawn = it.kids.flatMap(drawnNodes);
  const kept = new Set(drawn);
  let next = it.tag === NODE ? it.start.nextSibling : parent.firstChild;
  for (const node of [...drawn, end]) {
    while (next && next !== end && !kept.has(next)) {
      const other = next;
      next = next.nextSibling;
      other.remove();
    }
    if (node === next) next = next?.nextSibling;
    else parent.insertBefore(node, next);
  }
}

/** Rows at both ends whose items are the same are not looked at any further: there may be ten thousand. */
function patchRows(it, { items, keyOf, row }, old) {
  let head = 0, tail = 0;
  const shorter = current.force ? 0 : Math.min(items.length, old.length);
  while (head < shorter && items[head] === old[head]) head++;
  while (tail < shorter - head && items.at(-1 - tail) === old.at(-1 - tail)) tail++;
  const middle = items.slice(head, items.length - tail);
  const kids = it.kids, after = kids.slice(kids.length - tail);
  const drawRow = (item, key, kid, before) => {
    const described = row(item);
    const { keys, list } = flatten([described]);
    // A row of several elements is drawn as rows of its own.
    const parts = Array.isArray(described) && list.map((what, place) => ({ what, key: keys[place] }));
    const what = parts ? each(parts, ({ key }) => key, ({ what }) => what) : list[0] ?? "";
    const made = kid ? patch(kid, what) : create(what, key, it.dom.parentNode, before);
    made.item = item;
    return made;
  };
  const keys = middle.map((item) => keyOf(item)), end = after.length ? first(after[0]) : it.dom;
  const changed = arrange(it.dom.parentNode, kids.slice(head, kids.length - tail), keys, end, (index, kid, before) =>
    kid && kid.item === middle[index] && !current.force ? kid : drawRow(middle[index], keys[index], kid, before));
  it.kids = kids.slice(0, head).concat(changed, after);
}

/** Brings instances into the order of `keys`, before `end`: as few as possible are moved, none is made anew. */
function arrange(parent, old, keys, end, draw) {
  const kids = new Array(keys.length);
  let head = 0, oldEnd = old.length, newEnd = keys.length;
  for (; head < oldEnd && head < newEnd && old[head].key === keys[head]; head++) kids[head] = draw(head, old[head]);
  while (oldEnd > head && newEnd > head && old[oldEnd - 1].key === keys[newEnd - 1]) {
    kids[--newEnd] = draw(newEnd, old[--oldEnd]);
  }
  if (head === oldEnd) {
    const before = newEnd < keys.length ? first(kids[newEnd]) : end;
    for (; head < newEnd; head++) kids[head] = draw(head, undefined, before);
    return kids;
  }
  const places = new Map();
  for (let index = head; index < oldEnd; index++) places.set(old[index].key, index);
  const sources = [];
  for (let index = head; index < newEnd; index++) {
    sources.push(places.get(keys[index]) ?? -1);
    places.delete(keys[index]);  // The second of two that share a key is made anew.
  }
  const kept = new Set(sources);
  for (let index = head; index < oldEnd; index++) if (!kept.has(index)) remove(old[index]);
  const still = increasing(sources);
  for (let index = newEnd - 1; index >= head; index--) {
    const before = index + 1 < keys.length ? first(kids[index + 1]) : end;
    const source = sources[index - head];
    kids[index] = draw(index, old[source], before);
    if (source >= 0 && !still.has(index - head)) move(parent, kids[index], before);
  }
  return kids;
}

/** The places of a longest increasing subsequence, without those that are -1. */
export function increasing(numbers) {
  const ends = [], previous = [];
  numbers.forEach((number, place) => {
    if (number < 0) return;
    let low = 0, high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1; else high = middle;
    }
    previous[place] = ends[low - 1];
    ends[low] = place;
  });
  const places = new Set();
  for (let place = ends.at(-1); place !== undefined; place = previous[place]) places.add(place);
  return places;
}

/** The DOM nodes of an instance, as far as they were drawn. */
const drawnNodes = (it) =>
  it.tag === NODE || it.tag === EACH ? [it.start ?? [], it.kids.flatMap(drawnNodes), it.dom].flat() : [it.dom];

/** The DOM nodes of an instance, from the first to the last. */
function range(it) {
  const nodes = [first(it)];
  if (nodes[0].parentNode !== it.dom.parentNode) return drawnNodes(it);
  while (nodes.at(-1) !== it.dom) nodes.push(nodes.at(-1).nextSibling);
  return nodes;
}

/** `moveBefore` keeps focus, scroll positions and frames; where it is missing, `commit` brings back the focus. */
function move(parent, it, before) {
  for (const node of range(it)) parent.moveBefore ? parent.moveBefore(node, before) : parent.insertBefore(node, before);
}

function remove(it) {
  if (!it.dom.parentNode) isDisplaced = true;
  dispose(it);
  for (const node of range(it)) node.remove();
}

function dispose(it) {
  it.isGone = true;
  try {
    it.what.props?.ref?.(null, it.dom);
  } catch (error) {
    // The page's: what it was told of goes all the same.
    reportError(error);
  }
  if (it.tag === NODE) detach(it);
  it.kids.forEach(dispose);
}

// Properties. What the user edits is the user's: see `setEdited`.

function setProp(it, name, value, old) {
  const { dom } = it;
  if (name === "key" || name === "ref" || name === DRAWN) return;
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
function settleEdited(it) {
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

// Nodes

function attach(it, { id, mount }) {
  const { session } = mount;
  Object.assign(it, { id, mount, owner: current, redraw: () => mount.commit(() => draw(it, true)) });
  it.act = async (action, options) => {
    const field = acting;
    let outcome;
    if (field) {
      field.sentText = field.dom.value;
      field.waiting = (field.waiting ?? 0) + 1;
      field.dom.setAttribute("data-pending", "");
    }
    try {
      return outcome = await session.act(id, action, options);
    } finally {
      if (field && !--field.waiting) {
        field.dom.removeAttribute("data-pending");
        settleEdited(field);
      }
      // What the user did to a checkbox is undone as well, though nothing in the view has changed.
      if (outcome?.status !== "applied") it.redraw();
    }
  };
  it.act.back = () => session.back(id);
  mount.nodes.set(id, (mount.nodes.get(id) ?? new Set()).add(it));
  draw(it);
}

function detach(it) {
  const same = it.mount.nodes.get(it.id);
  if (same?.delete(it) && !same.size) it.mount.nodes.delete(it.id);
  it.isGone = true;
}

/** Runs a node's view function, if the node is another object than the one that was drawn. */
function draw(it, force = false) {
  const { session, options } = it.mount;
  const node = session.node(it.id);
  if (!node || it.isGone || (node === it.node && !force)) return;
  it.node = node;
  it.force = force;
  it.context = { id: it.id, type: node.type, session, node, redraw: it.redraw };
  it.routes = Object.fromEntries(
    Object.entries(node.children ?? {}).map(([name, route]) => [name, new Route(it, name, route)]));
  const own = Object.hasOwn(options.views ?? {}, node.type) && options.views[node.type];
  const view = own || registry.get(node.type) || options.fallback || plain;
  const outer = current, waiting = effects.length;
  current = it;
  try {
    patchKids(it, it.dom.parentNode, [view(node.state, it.act, it.routes, it.context)], it.dom);
  } catch (error) {
    effects.length = waiting;
    clear(it);
    reportError(error);
    patchKids(it, it.dom.parentNode, [errorBox(it, node, error)], it.dom);
  } finally {
    current = outer;
    it.force = false;
  }
}

/** What stands in the place of a node whose view has thrown: what the page has for that, or a box with the error. */
function errorBox(it, { type }, error) {
  const { options } = it.mount;
  try {
    if (options.error) return options.error(error, it.context);
  } catch (other) {
    reportError(other);
  }
  return h("div", { role: "alert", class: "rib-error" }, `${type}: ${error?.message ?? error}`);
}

/** Takes out all that a node has drawn, also what a view that failed half-way has left behind. */
function clear(it) {
  it.kids.forEach(dispose);
  it.kids = [];
  while (it.start.nextSibling !== it.dom) it.start.nextSibling.remove();
  const isBelow = (other) => other.owner && (other.owner === it || isBelow(other.owner));
  for (const same of [...it.mount.nodes.values()]) for (const other of [...same]) if (isBelow(other)) detach(other);
}

/** What is drawn for a type that nobody has a view for. */
function plain(state, act, children, { type }) {
  const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const entries = Object.entries(state ?? {}).map(([name, value]) => [h("dt", null, name), h("dd", null, text(value))]);
  return h("section", { class: "rib-node" }, h("h2", null, type), h("dl", null, entries), topmost(children));
}

/** The routes but for those below a child without a view, which are drawn in its place. */
const topmost = (routes) => Object.values(routes).filter((route) => !route.name.includes("/"));

/** The names of the routes below a child without a view: `tabs[2]/pages`, or `detail/pages` of an only child. */
function below(children, name, index) {
  const prefix = children[name].ids.length > 1 ? `${name}[${index}]/` : `${name}/`;
  return Object.keys(children).filter((other) => other.startsWith(prefix) && !other.slice(prefix.length).includes("/"));
}

const nodeOf = (mount, id) => ({ ...h(NODE, { key: id }), id, mount });

class Route {
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

  back(id) { this.owner.mount.session.back(id ?? this.owner.id); }
}

// Containers

/** @type {R["detail"]} */
export function detail(route) {
  const nodes = route.nodes();
  return nodes.length ? h("section", { class: "rib-detail" }, nodes) : null;
}

/** @type {R["list"]} */
export function list(route) {
  // Ids can be compared with those drawn before, so that of many children only the new ones are looked at.
  const items = route.ids.includes(null) ? route.entries() : route.ids;
  const row = (item) => h("li", null, item.nodes ?? route.node(item));
  return h("ul", { class: "rib-list" }, each(items, (item) => item.key ?? item, row));
}

/** The dialogs on the page, outer ones before inner ones. */
const dialogs = new Set();

/** One on a page that is hidden is closed as long: an open dialog takes the focus from all others, seen or not. */
function showDialogs() {
  for (const dialog of dialogs) {
    const isShown = !dialog.closest("[hidden]");
    if (isShown && !dialog.open) dialog.showModal();
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
  const leave = () => route.back(entry.id);
  const isOutside = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return event.target === event.currentTarget && (event.clientX < box.left || event.clientX > box.right
      || event.clientY < box.top || event.clientY > box.bottom);
  };
  return h("dialog", {
    key: entry.key, class: "rib-modal", "aria-label": label,
    ref: (dialog, gone) => (dialog ? dialogs.add(dialog) : closeDialog(gone)),
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

/** The page in front, by the stack's element. */
const fronts = new WeakMap();

/** @type {R["stack"]} */
export function stack(route, { title } = {}) {
  const pages = route.entries(), front = pages.at(-1), under = pages.at(-2);
  const node = under && title && route.owner.mount.session.node(under.id);
  const drawn = (element) => {
    const before = fronts.get(element);
    fronts.set(element, front?.key);
    const { activeElement } = document;
    // Whoever is busy elsewhere on the page stays there, also if somebody else has turned the page.
    const isHere = activeElement === document.body || element.contains(activeElement);
    if (isHere && before !== undefined && front && before !== front.key) focusHeading(element.lastElementChild);
  };
  return h("div", { class: "rib-stack", [DRAWN]: drawn },
    under && h("button", { type: "button", class: "rib-back", onclick: () => route.back(front.id) },
      node ? `Back to ${title(node)}` : "Back"),
    pages.map((page) => h("div", { key: page.key, class: "rib-page", hidden: page !== front }, page.nodes)));
}

function focusHeading(page) {
  const headings = [...page.querySelectorAll("h1, h2, h3, h4, h5, h6, [role=heading]")];
  const target = headings.find((heading) => !heading.closest("[hidden]")) ?? page;
  if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
  target.focus();
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
  return h("div", { class: "rib-tabs" },
    h("div", { class: "rib-tablist", role: "tablist", "aria-label": label ?? name, onkeydown },
      ids.map((child, index) => h("button", {
        key: child ?? `at ${index}`, class: "rib-tab", type: "button", role: "tab", id: id("tab", index),
        "aria-selected": index === selected, "aria-controls": id("panel", index), tabindex: index === selected ? 0 : -1,
        onclick: () => select(index),
      }, titles[index] ?? owner.mount.session.node(child ?? NaN)?.type ?? `Tab ${index + 1}`))),
    ids.map((child, index) => h("div", {
      key: child ?? `at ${index}`, role: "tabpanel", class: "rib-panel", id: id("panel", index),
      "aria-labelledby": id("tab", index), tabindex: 0, hidden: index !== selected,
    }, route.at(index))));
}

// The page

/** @type {R["mount"]} */
export function mount(session, element, options = {}) {
  const it = { session, options, nodes: new Map(), name: `rib${++mounts}`, commit };
  const queue = [];
  let kids = [], isBusy = false;

  /** Changes the page. What comes up while it is changed (a handler of `blur` that acts) has to wait its turn. */
  function commit(change) {
    queue.push(change);
    if (isBusy) return;
    isBusy = true;
    try {
      for (const next of queue) keepingFocus(next);
    } finally {
      queue.length = 0;
      isBusy = false;
    }
  }

  function update(ids) {
    const root = session.view?.root;
    kids = arrange(element, kids, root === undefined ? [] : [root], null, (_, kid, before) =>
      kid ? patch(kid, nodeOf(it, root)) : create(nodeOf(it, root), root, element, before));
    for (const id of ids) for (const node of [...it.nodes.get(id) ?? []]) draw(node);
  }

  const changed = ({ detail: { ids, ops } }) => commit(() => update(ops ? ids : it.nodes.keys()));
  commit(() => update([]));
  session.addEventListener("change", changed);
  const forget = options.history ? keepHistory(session) : () => {};
  return {
    unmount() {
      forget();
      session.removeEventListener("change", changed);
      kids.forEach(remove);
      kids = [];
    },
  };
}

/** Changes the page, and gives the focus back to an element that lost it as it was moved. */
function keepingFocus(change) {
  const active = document.activeElement;
  const { selectionStart, selectionEnd, selectionDirection } = active ?? {};
  change();
  if (active !== document.activeElement && document.activeElement === document.body && active.isConnected) {
    active.focus({ preventScroll: true });
    if (selectionStart != null) active.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
  }
  for (const effect of [...effects.splice(0), showDialogs]) {
    try { effect(); } catch (error) { reportError(error); }
  }
}

/** How many times the user can go back in a view: the open slots and the pages above the first, of what is in front. */
export function levels({ root, nodes }) {
  let count = 0;
  const visit = (children, names) => {
    for (const name of names) {
      const { kind, ids, selected } = children[name];
      let shown = [...ids.keys()].filter((index) => ids[index] != null || below(children, name, index).length);
      count += kind === "slot" ? shown.length : kind === "stack" ? Math.max(0, shown.length - 1) : 0;
      if (kind === "stack") shown = shown.slice(-1);
      if (kind === "tabs") shown = shown.filter((index) => index === selected);
      for (const index of shown) {
        if (ids[index] == null) visit(children, below(children, name, index));
        else visitNode(ids[index]);
      }
    }
  };
  const visitNode = (id) => {
    const children = nodes[id]?.children;
    if (children) visit(children, Object.keys(children).filter((name) => !name.includes("/")));
  };
  visitNode(root);
  return count;
}

/** Browsers keep 50 entries or so; deeper levels share the last of ours. */
const mostEntries = 40;

/**
 * Keeps one history entry a level, numbered from 0; `position` is the number of the one that the browser shows.
 *
 * Two things move it. The user: each step back is one `back` to the server. And we, once every `back` is answered and
 * no step of ours is under way: we push entries until `position` is as high as the view has levels, or step back if the
 * server, or a button on the page, has closed some. A popstate does not say whose step it was, so steps are counted: of
 * those that it tells, the first `ours` are ours. It does not matter which of them really were, only how many.
 * - A `back` that took nothing away (a child that is always there, a client that may only view) leaves the levels
 *   without an entry (`stuck`), or the user could never leave the page.
 * - A step back for which there is nothing to leave, as each level is being left already, says nothing.
 * - A step forward opens nothing again; it is stepped back.
 * - Entries without our `key` are the page's own; nothing is moved while one of them is shown.
 * - A reload finds the number in `history.state`, and goes on when the view is there.
 */
function keepHistory(session) {
  const entry = () => history.state?.riblet;
  const key = entry()?.key ?? `${Date.now()} ${Math.random()}`;
  const state = (level) => ({ ...history.state, riblet: { key, level } });
  let position = entry()?.level ?? 0;
  let ours = 0, unanswered = 0, stuck = 0, seen = [];
  if (!entry()) history.replaceState(state(0), "");

  function settle() {
    if (!session.view || ours || unanswered || entry()?.key !== key) return;
    const depth = levels(session.view);
    stuck = Math.min(stuck, depth);
    const goal = Math.min(depth - stuck, mostEntries);
    while (position < goal) history.pushState(state(++position), "");
    ours = position - goal;
    if (ours) history.go(-ours);
  }

  async function leave() {
    // For all that the user sees in front there is a `back` under way.
    if (session.view && (session.pending ?? []).filter(({ back }) => back).length >= levels(session.view)) return;
    if (!unanswered++) seen = Object.keys(session.view?.nodes ?? {});
    // An answer that never comes (the session is over) has taken nothing away.
    try { await session.back(session.view?.root); } catch {}
    unanswered--;
    const { nodes } = session.view ?? { nodes: {} };
    if (session.view && seen.every((id) => id in nodes)) stuck = Math.max(0, levels(session.view) - position);
    seen = Object.keys(nodes);
    settle();
  }

  function moved() {
    if (entry()?.key !== key) return;
    const steps = position - entry().level;
    position = entry().level;
    const mine = Math.max(0, Math.min(steps, ours));
    ours -= mine;
    for (let left = steps - mine; left > 0; left--) leave();
    settle();
  }

  // What changes a state only cannot change the levels.
  const isState = ({ path, from = path }) => [path, from].every((it) => /^\/nodes\/[^/]*\/state/.test(it));
  const changed = ({ detail: { ops } }) => { if (!ops?.every(isState)) settle(); };
  addEventListener("popstate", moved);
  session.addEventListener("change", changed);
  settle();
  return () => {
    removeEventListener("popstate", moved);
    session.removeEventListener("change", changed);
  };
}
