// Controls of a page: elements whose value, or tick, the user changes as well. field.js decides what they show. They are set when all else is
// drawn, as a value may depend on options, limits, and other controls of its group.

import { Field, kinds } from "./field.js";
import { Fields } from "./fields.js";

/** A value, and what sends another one: see render.d.ts. */
class Bound {
  constructor(value, send, options) {
    Object.assign(this, options, { value, send });
  }
}

/** @type {typeof import("./render.d.ts").bind} */
export const bind = (value, send, options) => new Bound(value, send, options);

/** A group of radio buttons has an element for its value. */
const radio = { show: (element) => element, stands: (shown, element) => shown === element, read: (shown) => shown?.value };

/** A text that came back may be one of these, which a page has sent unseen, as from a timer. */
const mostTyped = 100;

/** Instances whose control was drawn and is to be set. */
const drawn = new Set();
/** Selects without the option that they are to show: a child may draw it later. */
const lacking = new Set();
const lacksOption = ({ dom, control }) => dom.localName === "select" && !dom.multiple && dom.value !== String(control.field.shown ?? "");
/** The controls of elements. */
const controls = new WeakMap();
/** Groups of radio buttons by name, by the form or the root that they are in. */
const groups = new WeakMap();

const isTicked = ({ type }) => type === "checkbox" || type === "radio";
const isEditable = (dom) => /^(|true|plaintext-only)$/.test(dom.getAttribute("contenteditable") ?? "no");

/** Whether a property of an element is its control's. */
export function isControls(dom, name) {
  if (name === "checked") return dom.localName === "input" && isTicked(dom);
  if (name !== "value") return false;
  if (dom.localName === "input") return !/^(checkbox|radio|button|submit|reset|image|hidden|file)$/.test(dom.type);
  return /^(textarea|select)$/.test(dom.localName) || isEditable(dom);
}

function kindOf(dom) {
  if (dom.type === "number" || dom.type === "range") return kinds.number;
  if (dom.type === "checkbox" || dom.localName === "select" || /^(date|time|month|week|datetime-local|color)$/.test(dom.type)) return kinds.choice;
  return kinds.text;
}

function read(dom) {
  if (isTicked(dom)) return dom.checked;
  if (dom.localName === "select" && dom.multiple) return [...dom.selectedOptions].map(({ value }) => value);
  // A number that is not whole yet has no value.
  if (dom.validity?.badInput) return "?";
  return isEditable(dom) ? dom.textContent : dom.value;
}

/** Puts a value into an element; caret and selection stay between the same characters. */
function write(dom, value, places) {
  const isFocused = dom.getRootNode().activeElement === dom, at = (place) => places?.[place] ?? place;
  if (isTicked(dom)) {
    dom.checked = Boolean(value);
  } else if (dom.localName === "select" && dom.multiple) {
    const chosen = new Set([value ?? []].flat().map(String));
    for (const option of dom.options) option.selected = chosen.has(option.value);
  } else if (isEditable(dom)) {
    const place = isFocused ? caretOf(dom) : undefined;
    dom.textContent = value;
    if (place !== undefined && dom.firstChild) getSelection().collapse(dom.firstChild, Math.min(at(place), value.length));
  } else {
    // Only inputs of text have a selection.
    const { selectionStart: start, selectionEnd: end, selectionDirection: direction } = dom;
    dom.value = value ?? "";
    if (start != null && isFocused) dom.setSelectionRange(at(start), at(end), direction);
  }
}

/** Where the caret is in a text. */
function caretOf(dom) {
  if (!isEditable(dom)) return dom.selectionEnd ?? undefined;
  const { focusNode, focusOffset } = getSelection();
  if (!dom.contains(focusNode)) return undefined;
  const range = document.createRange();
  range.setStart(dom, 0);
  range.setEnd(focusNode, focusOffset);
  return String(range).length;
}

const isSame = (one, other) => (Array.isArray(one) ? JSON.stringify(one) === JSON.stringify(other) : one === other);

/** What shows a field: one element. */
class Control {
  dom;
  kind;
  #field;
  /** The node's fields, and the one of them that it is, if it is bound. */
  #fields;
  #it;
  #served;
  #typed = [];
  /** What an element was given last, and had then. */
  #given = new WeakMap();
  #show = () => this.show();

  constructor(dom, kind) {
    this.dom = dom;
    this.kind = kind;
  }

  get field() {
    return this.#it?.field ?? this.#field;
  }

  /** Its elements, and what each has to show. */
  get parts() {
    return [[this.dom, this.field.shown]];
  }

  /** Takes what is drawn. `key` is a name for what has none. */
  serve(value, { session, id }, key) {
    if (value instanceof Bound) {
      this.#fields = Fields.of(session, id);
      value.isSecret ||= this.dom.type === "password";
      const it = this.#fields.bind(value.name || this.dom.name || this.dom.id || key, value.kind ? kinds[value.kind] : this.kind, value);
      if (it !== this.#it) this.#it?.listeners.delete(this.#show);
      this.#it = it;
      it.listeners.add(this.#show);
    } else if (!this.#field) {
      this.#field = new Field(value, this.kind);
    } else if (!this.#isEcho(value)) {
      this.#field.serve(value);
    }
    this.#served = value;
    this.show();
  }

  /** Whether a text that was typed comes back though it was not seen as it was sent. */
  #isEcho(value) {
    const { isEdited, sent } = this.#field;
    if (!isEdited) this.#typed = [];
    const place = this.kind.isText && !sent.length && value !== this.#served ? this.#typed.indexOf(this.kind.show(value)) : -1;
    if (place < 0) return false;
    this.#typed.splice(0, place + 1);
    this.#field.rebase(value);
    return true;
  }

  show() {
    for (const [dom] of this.parts) {
      // The page has changed it by itself, as a form does that is reset.
      const given = this.#given.get(dom);
      if (given && this.kind.isText && read(dom) !== given.had) this.hear(dom);
    }
    for (const [dom, value] of this.parts) {
      const given = this.#given.get(dom);
      // An element may keep a text in another form: line ends, for one.
      if (!isSame(read(dom), value) && !(given?.value === value && this.kind.isText)) write(dom, value, this.field.places);
      this.#given.set(dom, { value, had: read(dom) });
    }
    this.field.places = undefined;
  }

  /** Takes what the user has made of an element. */
  hear(dom) {
    const shown = read(dom);
    this.#given.set(dom, { value: shown, had: shown });
    this.edit(shown, this.kind.isText ? caretOf(dom) : undefined);
  }

  edit(shown, caret) {
    if (this.#it) this.#fields.edit(this.#it, shown, caret);
    else this.#field.edit(shown, caret);
    if (this.#typed.push(shown) > mostTyped) this.#typed.shift();
  }

  /** Its element is removed. */
  leave() {
    if (!this.#it) return;
    this.#it.listeners.delete(this.#show);
    if (this.#it.listeners.size) this.#fields.flush();
    else this.#fields.leave(this.#it);
  }

  compose(isComposing) {
    if (this.#it) this.#fields.compose(this.#it, isComposing);
    else this.#field.compose(isComposing);
  }

  flush() {
    this.#fields?.flush();
  }

  /** Whether an action has what is shown. */
  isIn(action) {
    const { shown } = this.field, { kind } = this;
    const isShown = (part) => part === shown || (kind === kinds.number && typeof part === "number" && part === Number(shown));
    const find = (part) => isShown(part) || (typeof part === "object" && part !== null && Object.values(part).some(find));
    return find(action);
  }

  /** The page has sent what is shown by itself. Returns what to call with the answer. */
  send() {
    if (this.#it) return () => {};
    this.#field.send();
    this.#typed = [];
    return (isTaken) => {
      this.#field.answer(isTaken);
      this.show();
    };
  }
}

/** The radio buttons of a name. Its value is the chosen one's; or that element, if each says by itself whether it is chosen. */
class Group extends Control {
  members = new Map();

  constructor(dom, isBound) {
    super(dom, isBound ? kinds.choice : radio);
  }

  get parts() {
    const { shown } = this.field;
    return [...this.members.keys()].map((dom) => [dom, this.kind === radio ? dom === shown : dom.value === String(shown)]);
  }

  hear(dom) {
    if (dom.checked) this.edit(this.kind === radio ? dom : dom.value);
  }

  leave() {
    for (const [dom, it] of this.members) if (it.isGone) this.members.delete(dom);
    if (this.members.size) return;
    super.leave();
    this.forget();
  }

  serveAll() {
    const its = [...this.members.values()];
    if (!its.length) return;
    const [it] = its, isBound = it.served instanceof Bound;
    this.serve(isBound ? it.served : its.find(({ served }) => served)?.dom, it.controlOwner, it.key);
  }
}

function groupOf(it) {
  const { dom } = it, root = dom.form ?? dom.getRootNode();
  const names = groups.get(root) ?? groups.set(root, new Map()).get(root);
  const name = dom.name ? JSON.stringify([it.controlOwner.id ?? null, dom.name]) : dom;
  let group = names.get(name);
  if (!group) {
    const others = dom.name && [...names.values()].some((other) => other.dom.name === dom.name);
    if (others) console.warn(`Radio buttons of two nodes have the name "${dom.name}", and the browser takes them for one group. Put each into a form.`);
    names.set(name, (group = new Group(dom, it.served instanceof Bound)));
    group.forget = () => names.delete(name);
  }
  group.members.set(dom, it);
  return group;
}

/** Takes what is drawn for an instance's control; `owner` is the node. */
export function drawControl(it, value, owner) {
  it.served = value;
  it.controlOwner = owner.mount ? { session: owner.mount.session, id: owner.id } : owner;
  drawn.add(it);
}

/** Sets the controls that were drawn, now that all else is. */
export function setControls() {
  const touched = new Set();
  for (const it of drawn) {
    if (it.isGone) continue;
    if (it.dom.type === "radio") {
      touched.add((it.control = groupOf(it)));
    } else {
      it.control ??= new Control(it.dom, kindOf(it.dom));
      it.control.serve(it.served, it.controlOwner, it.key);
      if (lacksOption(it)) lacking.add(it);
    }
    controls.set(it.dom, it.control);
  }
  drawn.clear();
  for (const group of touched) group.serveAll();
  for (const it of lacking) {
    if (!it.isGone) it.control.show();
    if (it.isGone || !lacksOption(it)) lacking.delete(it);
  }
}

/** The controls of a form, one of which may have the name "elements". */
const elementsOf = (form) => Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements").get.call(form);

/** The events that tell of what the user does to a control. */
export const controlEvents = ["input", "change", "blur", "compositionstart", "compositionend"];

/** Takes an event of an element before the page does. */
export function hearControl({ control, dom }, { type, target }) {
  if (!control || target !== dom) return;
  if (type === "compositionstart") control.compose(true);
  else if (type === "input" || (type === "change" && isTicked(dom))) control.hear(dom);
}

/** Takes an event of an element after the page. */
export function heardControl({ control, dom }, { type, target }) {
  if (!control || target !== dom) return;
  if (type === "compositionend") {
    control.hear(dom);
    control.compose(false);
    control.show();
  } else if (type === "change" || type === "blur") {
    control.flush();
  }
}

/**
 * The controls whose values the page sends with an action: the one whose handler sends it, if it tells of a change or the action has the
 * value; and those of a form that is submitted. Returns what to call with the answer.
 */
export function sendControls(it, type, action) {
  const { control, dom } = it ?? {};
  const sent = [];
  if (control && (type === "input" || type === "change" || control.isIn(action))) sent.push(control);
  if (dom?.localName === "form" && type === "submit") {
    for (const element of elementsOf(dom)) if (controls.get(element)?.field.isEdited) sent.push(controls.get(element));
  }
  const answers = [...new Set(sent)].map((control) => control.send());
  return (isTaken) => {
    for (const answer of answers) answer(isTaken);
  };
}
