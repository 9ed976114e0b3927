// What is drawn, and how it becomes something else: descriptions (`h`, `each`), the instances that are drawn from them, and the nodes of a view
// among them.

import { Fields } from "./fields.js";
import { sendControls } from "./render-fields.js";
import { acting, setProp } from "./render-props.js";
import { plain, Route } from "./render-routes.js";
import { enter, glide, leave } from "./render-transitions.js";
import { RowWindow } from "./render-window.js";

/** @typedef {typeof import("./render.d.ts")} R */

const svg = "http://www.w3.org/2000/svg";
/** Tags of what is no element: the rows of `each`, and a node of the view. */
const EACH = Symbol("each"), NODE = Symbol("node");
/** View functions by type. */
const registry = new Map();
/** The node that is being drawn. */
export let current;
/** Whether something else than a drawing has taken texts out of the page. */
let isDisplaced = false;
/** Whether rows are drawn because others are seen. */
let isScrolling = false;
/** What waits until all that is drawn is in the document. */
export const effects = [];

/** What `h` and `each` make. An object of a view state is none, whatever its members are. */
class Description {
  constructor(tag, props, children) {
    Object.assign(this, { tag, props: props ?? {}, children, key: props?.key });
  }
}

/** @type {R["h"]} */
export const h = (tag, props, ...children) => new Description(tag, props, children);

/** @type {R["each"]} */
export const each = (items, keyOf, row, options) =>
  Object.assign(new Description(EACH), { items, keyOf, row, hasWindow: options?.window === true });

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
    else if (typeof child === "object" && !(child instanceof Description)) throw new TypeError(foreign(child));
    else if (typeof child.tag === "function") {
      flatten([child.tag(child.props, current.act, child.children, current.context)], key + ".", keys, list);
    } else {
      keys.push(key);
      list.push(typeof child === "object" ? child : String(child));
    }
  });
  return { keys, list };
}

const foreign = (it) => `An object among the children is not made by h or each. Its members are: ${Object.keys(it).join(", ")}.`;

// What is drawn is an instance: `dom` is its element or text; for EACH and NODE, which have any number of elements, the
// empty text after them. `start` is the empty text before a node's: what is between can be cleared whatever happened.

const first = (it) => (it.start ? it.start : it.tag === EACH && it.kids.length ? first(it.kids[0]) : it.dom);

export function create(what, key, parent, before) {
  const it = { key, tag: what.tag, what, kids: [] };
  if (it.tag === NODE || it.tag === EACH) {
    if (it.tag === NODE) insert(parent, (it.start = new Text()), before);
    insert(parent, (it.dom = new Text()), before);
    it.tag === NODE ? attach(it, what) : patchRows(it);
  } else if (it.tag) {
    const namespace = it.tag === "svg" ? svg : parent.localName === "foreignObject" ? null : parent.namespaceURI;
    it.dom = namespace === svg ? document.createElementNS(svg, it.tag) : document.createElement(it.tag);
    if (what.props.ref) effects.push(() => it.isGone || what.props.ref(it.dom));
    // What comes with an element around it comes as a part of that.
    if (what.props.transition && parent.isConnected && !isScrolling) effects.push(() => it.isGone || enter(it.dom));
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
export function patch(it, what) {
  if (it.what === what && !current?.force) return it;
  if (it.tag !== what.tag || it.id !== what.id) {
    const other = create(what, it.key, it.dom.parentNode, first(it));
    remove(it);
    return other;
  }
  const old = it.what;
  it.what = what;
  if (it.tag === EACH) patchRows(it);
  else if (it.tag === NODE) draw(it);
  else if (it.tag) patchElement(it, what, old.props);
  else {
    if (it.dom.data !== what) it.dom.data = what;
    // A translator has put another text in its place.
    if (!it.dom.parentNode || it.dom.parentNode.localName === "font") isDisplaced = true;
  }
  return it;
}

function patchElement(it, { props, children }, old) {
  for (const name in old) if (!(name in props)) setProp(it, name, undefined, old[name]);
  // What a value is depends on the type; a select's means something once it has its options.
  if ("type" in props) setProp(it, "type", props.type, old.type);
  for (const name in props) if (name !== "value" && name !== "type") setProp(it, name, props[name], old[name]);
  patchKids(it, it.dom, children, null);
  if ("value" in props) setProp(it, "value", props.value, old.value);
  if (controls.has(it.tag)) disable(it, props);
  if (props.drawn) effects.push(() => it.isGone || props.drawn(it.dom));
  if (props.transition || old.transition) effects.push(() => it.isGone || glide(it.dom, it.what.props.transition?.move));
}

const controls = new Set(["button", "input", "select", "textarea"]);

/** Who may only look can use none but those that need no server. */
function disable(it, props) {
  const isLooking = current.mount.session.scope === "view" && !props.local;
  if (isLooking) it.dom.disabled = true;
  else if (it.isLooking) it.dom.disabled = Boolean(props.disabled);
  it.isLooking = isLooking;
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
function patchRows(it) {
  const old = it.rows?.items ?? [];
  it.rows = windowOf(it)?.choose(it.what) ?? it.what;
  const { items, keyOf, row } = it.rows;
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
  it.window?.drawn();
}

/** What says which of the rows are in the page, if it is not all of them. */
function windowOf(it) {
  if (!it.what.hasWindow) {
    it.window?.close();
    return (it.window = undefined);
  }
  if (!it.window) {
    it.owner = current;
    const made = (it.window = new RowWindow(it, () => it.owner.mount.commit(() => redrawRows(it))));
    // If what is being drawn fails, nobody would close it.
    effects.push(() => it.window === made && made.open());
  }
  effects.push(() => it.window?.look());
  return it.window;
}

/** Draws the rows again because others are seen. */
function redrawRows(it) {
  if (it.isGone) return;
  const outer = current;
  current = it.owner;
  isDisplaced = false;
  // That a row is not seen any more is no leave-taking.
  isScrolling = true;
  try {
    patchRows(it);
  } catch (error) {
    isDisplaced = true;
    reportError(error);
  } finally {
    current = outer;
    isScrolling = false;
  }
  if (isDisplaced) draw(it.owner, true);
}

/** Brings instances into the order of `keys`, before `end`: as few as possible are moved, none is made anew. */
export function arrange(parent, old, keys, end, draw) {
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
export function range(it) {
  const nodes = [first(it)];
  if (nodes[0].parentNode !== it.dom.parentNode) return drawnNodes(it);
  while (nodes.at(-1) !== it.dom) nodes.push(nodes.at(-1).nextSibling);
  return nodes;
}

/** `moveBefore` keeps focus, scroll positions and frames; where it is missing, `commit` brings back the focus. */
function move(parent, it, before) {
  for (const node of range(it)) parent.moveBefore ? parent.moveBefore(node, before) : parent.insertBefore(node, before);
}

export function remove(it) {
  if (!it.dom.parentNode) isDisplaced = true;
  dispose(it);
  if (it.what.props?.transition && !isScrolling && leave(it.dom)) return;
  for (const node of range(it)) node.remove();
}

function dispose(it) {
  it.isGone = true;
  if (it.dom instanceof Element) glide(it.dom, 0);
  try {
    it.what.props?.ref?.(null, it.dom);
  } catch (error) {
    // The page's: what it was told of goes all the same.
    reportError(error);
  }
  if (it.tag === NODE) detach(it);
  it.control?.leave();
  it.window?.close();
  it.window = undefined;
  it.kids.forEach(dispose);
}

// Nodes

/** How many actions without an answer the user has sent with an element. */
const pending = new WeakMap();

/** The element that the user has touched, which may be in the one that hears of it. */
function touchedBy({ target }, heard) {
  const inner = target instanceof Element ? target.closest("a, button, input, select, summary, textarea, [role], [tabindex]") : null;
  return inner && heard.contains(inner) ? inner : heard;
}

function attach(it, { id, mount }) {
  const { session } = mount;
  Object.assign(it, { id, mount, owner: current, redraw: () => mount.commit(() => draw(it, true)) });
  /** Sends something for the node; until it is answered, the element that the user has touched says that it waits. */
  it.send = async (send, action) => {
    const touched = acting && touchedBy(acting.event, acting.it.dom);
    const answered = sendControls(acting?.it, acting?.event.type, action);
    let outcome;
    if (touched) {
      pending.set(touched, (pending.get(touched) ?? 0) + 1);
      touched.setAttribute("data-pending", "");
    }
    try {
      return outcome = await send();
    } finally {
      if (touched) {
        pending.set(touched, pending.get(touched) - 1);
        if (!pending.get(touched)) touched.removeAttribute("data-pending");
      }
      answered(outcome?.status === "applied");
      // What the user did to a checkbox is undone as well, though nothing in the view has changed.
      if (outcome?.status !== "applied") it.redraw();
    }
  };
  it.act = (action, options) => it.send(() => Fields.act(session, id, action, options), action);
  it.act.back = () => it.send(() => Fields.back(session, id));
  mount.nodes.set(id, (mount.nodes.get(id) ?? new Set()).add(it));
  draw(it);
}

const isPending = ({ id, mount: { session } }) => Fields.isPending(session, id);

/** Draws a node again if its view has asked whether an action waits, and the answer is another one now. */
export function drawPending(it) {
  if (it.shownPending !== undefined && it.shownPending !== isPending(it)) draw(it, true);
}

/** A value of a node that the page alone knows. */
function localOf(it, initial, name) {
  if (current === it && it.askedLocals.has(name)) {
    throw new Error(`context.local is called twice${name && ` for "${name}"`}. A node has one local value of a name: context.local(initial, "name").`);
  }
  it.askedLocals.add(name);
  it.locals ??= new Map();
  if (!it.locals.has(name)) {
    it.locals.set(name, { value: initial, set(value) {
      if (current === it) throw new Error("A view does not set a local value while it is drawn.");
      this.value = value;
      it.redraw();
    } });
  }
  return it.locals.get(name);
}

function detach(it) {
  const same = it.mount.nodes.get(it.id);
  if (same?.delete(it) && !same.size) it.mount.nodes.delete(it.id);
  it.isGone = true;
}

/** Runs a node's view function, if the node is another object than the one that was drawn. */
export function draw(it, force = false) {
  const { session, options } = it.mount;
  const node = session.node(it.id);
  if (!node || it.isGone || (node === it.node && !force)) return;
  it.node = node;
  it.force = force;
  const mayAct = session.scope !== "view";
  it.shownPending = undefined;
  it.askedLocals = new Set();
  it.context = {
    id: it.id, type: node.type, session, node, mayAct, redraw: it.redraw,
    get pending() { return (it.shownPending = isPending(it)); },
    local: (initial, name = "") => localOf(it, initial, name),
  };
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

export const nodeOf = (mount, id) => Object.assign(new Description(NODE, { key: id }, []), { id, mount });
