// The panel for the curious: what goes over the wire, what the page holds, and ways to make the link worse.
//
// It learns everything from the session's events, and while it is collapsed it does nothing but keep the texts of the
// last messages: nothing is parsed, nothing is drawn.

const KEPT_MESSAGES = 200;
const KEPT_CHARACTERS = 4_000_000;
const SHOWN_CHARACTERS = 20_000;
const FOLD = 50;

/** Makes an element of the page itself; what belongs to a session is made by render.js. */
function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// The link

/**
 * What the inspector does to the link. Events: "cut" when all connections are to end, and "travel" with
 * `{direction, duration}` when a message sets out.
 */
export class LinkControls extends EventTarget {
  /** Milliseconds that a message takes, each way. */
  delay = 0;
  /** Whether there is a link at all. */
  isOffline = false;
  /** The name of the transport that was used last. */
  transport = "";

  /** Ends the link, and refuses new ones until `goOnline()`. */
  goOffline() {
    this.isOffline = true;
    this.dispatchEvent(new Event("cut"));
  }

  /** Sessions come back at once when the browser says that it is online, instead of when they would try again. */
  goOnline() {
    this.isOffline = false;
    globalThis.dispatchEvent(new Event("online"));
  }

  travels(direction) {
    const detail = { direction, duration: this.delay };
    this.dispatchEvent(Object.assign(new Event("travel"), { detail }));
  }
}

/** Runs functions after the present delay, in the order in which they came, also if the delay becomes shorter. */
function delayLine(controls) {
  const waiting = [];
  let timer;
  const run = () => {
    timer = undefined;
    while (waiting.length > 0 && waiting[0].due <= performance.now()) waiting.shift().work();
    if (waiting.length > 0 && timer === undefined) timer = setTimeout(run, waiting[0].due - performance.now());
  };
  return {
    push(work) {
      if (waiting.length === 0 && controls.delay === 0) return work();
      waiting.push({ work, due: performance.now() + controls.delay });
      timer ??= setTimeout(run, controls.delay);
    },
    clear() {
      waiting.length = 0;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/**
 * A transport that takes as long as the controls say, and is cut when they say so.
 *
 * @param {string} name
 * @param {import("./riblet.js").Transport} transport
 * @param {LinkControls} controls
 * @returns {import("./riblet.js").Transport}
 */
export function throttled(name, transport, controls) {
  return (url, hello, on) => {
    const up = delayLine(controls);
    const down = delayLine(controls);
    let link;
    let isOver = false;
    const end = (code, reason) => {
      if (isOver) return;
      isOver = true;
      controls.removeEventListener("cut", cut);
      up.clear();
      down.clear();
      on.close(code, reason);
    };
    const cut = () => {
      link?.close();
      end(1006, "The inspector has cut the link.");
    };
    const begin = () => {
      controls.transport = name;
      link = transport(url, hello, {
        open: () => down.push(() => on.open()),
        message(text) {
          controls.travels("in");
          down.push(() => on.message(text));
        },
        close: (code, reason) => down.push(() => end(code, reason)),
      });
    };
    if (controls.isOffline) {
      setTimeout(cut);
    } else {
      controls.addEventListener("cut", cut);
      controls.travels("out");
      up.push(begin);
    }
    return {
      send(text) {
        // What this transport cannot do it says at once, and not when the message would have arrived.
        if (name === "SSE" && /^\{"t":"(check|share)"/.test(text)) return link.send(text);
        controls.travels("out");
        up.push(() => link.send(text));
      },
      close(code) {
        controls.removeEventListener("cut", cut);
        up.clear();
        if (link) link.close(code);
        else end(1006, "");
      },
    };
  };
}

// The wire

/** Both by hand: to load what formats by locale takes a browser fifty milliseconds, before anything is seen. */
const numberFormat = { format: (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",") };
const timeFormat = {
  format(time) {
    const date = new Date(time);
    const two = (number) => String(number).padStart(2, "0");
    const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
    return `${clock}.${String(date.getMilliseconds()).padStart(3, "0")}`;
  },
};

const actionName = (action) => (typeof action === "string" ? action : Object.keys(action ?? {})[0] ?? "");
const target = (to) => (typeof to === "number" ? `#${to}` : to === "" ? "root" : to);

const count = (items, name) => `${items.length} ${name}${items.length === 1 ? "" : "s"}`;

/** What a message is about, in a few characters. */
function gist(message) {
  switch (message.t) {
    case "act": return `${message.n} → ${target(message.to)} ${actionName(message.a)}`;
    case "back": return `${message.n} → ${target(message.to)}`;
    case "hello": return message.app ?? (message.resume ? `resume, try ${message.resume.try}` : "share");
    case "welcome": return `${message.resumed ? "resumed, " : ""}rev ${message.rev}, n ${message.n}`;
    case "snap": return `rev ${message.rev}, n ${message.n}`;
    case "patch": return `rev ${message.rev}, n ${message.n}, ${count(message.ops, "op")}`;
    case "nack": return `${message.n}, ${message.code}`;
    case "bye": return message.code ?? "";
    case "notice": return message.durability;
    default: return "";
  }
}

/** The kind of a text message and what it is about; a long one is not parsed for it. */
function describe(text) {
  if (text.length > 200_000) return { kind: /"t":"(\w+)"/.exec(text.slice(0, 200))?.[1] ?? "long", about: "" };
  try {
    const message = JSON.parse(text);
    if (!Array.isArray(message)) return { kind: String(message.t), about: gist(message) };
    const [first] = message;
    return { kind: `${first?.t} ×${message.length}`, about: first ? gist(first) : "" };
  } catch {
    return { kind: "text", about: "" };
  }
}

/** The last messages, newest first. */
class Wire {
  isPaused = false;
  #records = [];
  #characters = 0;
  #list;

  constructor(list) {
    this.#list = list;
    list.addEventListener("click", (event) => {
      const row = event.target.closest(".wire-row");
      if (row) this.#toggle(row);
    });
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
    const { kind, about } = record.text === undefined ? { kind: "…", about: "" } : describe(record.text);
    const isOut = record.direction === "out";
    const size = record.text === undefined ? record.length : new Blob([record.text]).size;
    const row = el("button", { type: "button", className: "wire-row", ariaExpanded: "false" },
      el("span", { className: `way ${isOut ? "way-out" : "way-in"}` }, el("span", { className: "visually-hidden" },
        isOut ? "Sent: " : "Received: "), kind), " ",
      el("span", { className: "wire-about" }, about), " ",
      el("span", { className: "wire-size" }, `${numberFormat.format(size)} B`), " ",
      el("time", { className: "wire-time" }, timeFormat.format(record.at)));
    return Object.assign(el("li", { className: "wire-item" }, row), { record });
  }

  #toggle(row) {
    const item = row.parentElement;
    const isOpen = row.ariaExpanded === "true";
    row.ariaExpanded = String(!isOpen);
    if (isOpen) item.lastElementChild.remove();
    else item.append(el("pre", { className: "json", tabIndex: 0 }, pretty(item.record.text)));
  }
}

function pretty(text) {
  if (text === undefined) return "Too much has come since: this one is no longer kept.";
  const long = text.length > 200_000 ? text : JSON.stringify(JSON.parse(text), null, 2);
  const rest = long.length - SHOWN_CHARACTERS;
  return rest > 0 ? `${long.slice(0, SHOWN_CHARACTERS)}\n… ${numberFormat.format(rest)} characters more` : long;
}

// The tree

/** Whether the child at an index of a route is in front, by its container's kind. */
function isActive({ kind, ids, selected }, index) {
  if (kind === "tabs") return index === selected;
  if (kind === "stack") return index === ids.length - 1;
  return true;
}

const routeName = (name) => el("span", { className: "tree-route" }, name);

/** Draws the riblets as nested lists, and lights up those that have changed. */
function drawTree(panel, view, changed) {
  if (!view) return panel.replaceChildren(el("p", { className: "note" }, "Nothing yet."));
  const item = (id, isFront, route) => {
    const node = view.nodes[id];
    const name = el("span", { className: changed.has(Number(id)) ? "tree-node is-changed" : "tree-node" },
      route ? routeName(route) : "", node.type, el("span", { className: "tree-id" }, ` #${id}`));
    const entry = el("li", { className: isFront ? "" : "is-behind" }, name);
    const children = Object.entries(node.children ?? {}).flatMap(([key, container]) => routeItems(key, container));
    if (children.length > 0) entry.append(el("ul", null, ...children));
    return entry;
  };
  const routeItems = (key, container) => {
    const ids = container.ids.map((id, index) => ({ id, index })).filter(({ id }) => id !== null);
    if (ids.length === 0) {
      return [el("li", { className: "is-empty" }, routeName(`${key} · ${container.kind}`), "none")];
    }
    return ids.map(({ id, index }) => item(id, isActive(container, index), `${key} · ${container.kind}`));
  };
  panel.replaceChildren(el("ul", { className: "tree" }, item(view.root, true, "")));
}

// The document

const isContainer = (value) => typeof value === "object" && value !== null;

/** A value as itself, or what it holds by their number. */
function gistOf(value) {
  if (Array.isArray(value)) return `[${numberFormat.format(value.length)}]`;
  return isContainer(value) ? `{${Object.keys(value).length}}` : JSON.stringify(value);
}

/**
 * A value of the document, as a line or as a part that unfolds.
 *
 * What is folded is not drawn, and what is the same object as before is not looked into: the view shares its structure
 * with the one before, so a patch costs as much as it is long.
 */
class Value {
  #value;
  #members = new Map();
  #body;
  #summary;
  #more;
  #shown = FOLD;

  constructor(key, value, isOpen = false) {
    this.key = key;
    this.#value = value;
    const name = el("span", { className: "json-key" }, key);
    this.#summary = el("span");
    if (isContainer(value)) {
      this.#body = el("div", { className: "json-body" });
      const summary = el("summary", null, name, " ", this.#summary);
      this.element = el("details", { className: "json-part", open: isOpen }, summary, this.#body);
      this.element.addEventListener("toggle", () => this.#draw());
      this.#draw();
    } else {
      this.element = el("div", { className: "json-line" }, name, " ", this.#summary);
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
      members.set(key, old?.update(this.#value[key]) ? old : new Value(key, this.#value[key]));
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
    this.#more ??= el("button", {
      type: "button", className: "button button-quiet",
      onclick: () => {
        this.#shown += FOLD * 2;
        this.#draw();
      },
    });
    this.#more.textContent = `${numberFormat.format(count)} more`;
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
  none: "none: answers survive nothing",
};

/** Measures how long an action's answer takes, and what `n` the answers have reached, by what leaves the outbox. */
class Answers {
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

function drawFacts(panel, session, key, links, answers) {
  const { welcome, view, revision, durability, pending } = session;
  const facts = {
    Session: short(welcome?.sid), Client: welcome?.cid, Epoch: short(welcome?.epoch), Revision: view && revision,
    "Answered up to": welcome && Math.max(answers.n, welcome.n), Waiting: pending.length,
    Durability: durabilities[durability], Transport: links.transport, "Resumed, tries": tries(key) ?? 0,
    "Round trip": answers.roundTrip === undefined ? undefined : `${answers.roundTrip.toFixed(1)} ms`,
    Server: welcome && `ribd ${welcome.build}`,
  };
  const rows = Object.entries(facts).map(([name, fact]) =>
    el("div", null, el("dt", null, name), el("dd", null, String(fact ?? "–"))));
  panel.replaceChildren(el("dl", { className: "facts" }, ...rows));
}

// The panel

const $ = (id) => document.getElementById(id);
const views = ["wire", "tree", "document", "facts"];

/** Shows the session in one of the views at a time; draws once a frame at most, and only what can be seen. */
class Panel {
  wire = new Wire($("wire"));
  #links;
  #active = views[0];
  #session;
  #key;
  #answers;
  #document;
  #changed = new Set();
  #isScheduled = false;
  #following;

  constructor(links) {
    this.#links = links;
  }

  get #isOpen() {
    return !$("inspector-body").hidden && this.#session !== undefined;
  }

  show(session, key) {
    this.#session = session;
    this.#key = key;
    const answers = (this.#answers = new Answers());
    this.#document = undefined;
    this.wire.clear();
    for (const name of ["tree", "document", "facts"]) $(`panel-${name}`).replaceChildren();
    session.addEventListener("message", ({ detail }) => {
      if (this.#session === session) this.wire.keep(detail);
    });
    session.addEventListener("pending", ({ detail }) => answers.note(detail.pending));
    this.follow();
  }

  select(name) {
    this.#active = name;
    this.#schedule();
  }

  /** Listens to what makes it draw, as long as it is open. */
  follow() {
    this.#following?.abort();
    if (!this.#isOpen) return;
    this.#following = new AbortController();
    const { signal } = this.#following;
    this.#session.addEventListener("change", ({ detail }) => {
      for (const id of detail.ids) this.#changed.add(id);
    }, { signal });
    for (const name of ["change", "pending", "status", "notice", "message"]) {
      this.#session.addEventListener(name, () => this.#schedule(), { signal });
    }
    this.#schedule();
  }

  #schedule() {
    if (this.#isScheduled || !this.#isOpen) return;
    this.#isScheduled = true;
    const draw = () => {
      this.#isScheduled = false;
      if (this.#isOpen) this.#draw();
      this.#changed.clear();
    };
    // After the frame that shows the app.
    requestAnimationFrame(() => setTimeout(draw));
  }

  #draw() {
    switch (this.#active) {
      case "wire": return this.wire.draw();
      case "tree": return drawTree($("panel-tree"), this.#session.view, this.#changed);
      case "document": return this.#drawDocument(this.#session.view);
      default: return drawFacts($("panel-facts"), this.#session, this.#key, this.#links, this.#answers);
    }
  }

  #drawDocument(view) {
    if (!view || this.#document?.update(view)) return;
    this.#document = new Value("view", view, true);
    $("panel-document").replaceChildren(this.#document.element);
  }
}

/** The tabs above the views, by click and by arrow keys. */
function bindTabs(select) {
  const choose = (name) => {
    for (const other of views) {
      const isOn = other === name;
      $(`tab-${other}`).ariaSelected = String(isOn);
      $(`tab-${other}`).tabIndex = isOn ? 0 : -1;
      $(`panel-${other}`).hidden = !isOn;
    }
    select(name);
  };
  const last = views.length - 1;
  for (const [index, name] of views.entries()) {
    const next = {
      ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index === 0 ? last : index - 1, Home: 0, End: last,
    };
    $(`tab-${name}`).addEventListener("click", () => choose(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      if (!(event.key in next)) return;
      event.preventDefault();
      choose(views[next[event.key]]);
      $(`tab-${views[next[event.key]]}`).focus();
    });
  }
}

/** The ways to make the link worse, and to draw otherwise. */
function bindControls(links, actions) {
  // After a reload a browser brings back what was chosen before, but the link is as good as new.
  for (const input of $("inspector-body").querySelectorAll("input")) input.checked = input.defaultChecked;
  $("drop").addEventListener("click", () => actions.drop());
  $("verify").addEventListener("click", () => actions.verify());
  $("anew").addEventListener("click", () => actions.beginAnew());
  $("offline").addEventListener("click", ({ currentTarget: button }) => {
    const isOffline = !links.isOffline;
    button.ariaPressed = String(isOffline);
    button.textContent = isOffline ? "Go online" : "Go offline";
    if (isOffline) links.goOffline();
    else links.goOnline();
  });
  for (const input of document.getElementsByName("latency")) {
    input.addEventListener("change", () => {
      links.delay = Number(input.value);
    });
  }
  for (const input of document.getElementsByName("transport")) {
    input.addEventListener("change", () => actions.setTransport(input.value));
  }
  $("optimistic").addEventListener("change", ({ target: box }) => actions.setOptimistic(box.checked));
  $("generic").addEventListener("change", ({ target: box }) => actions.setGeneric(box.checked));
}

function bindWire(wire) {
  $("wire-clear").addEventListener("click", () => wire.clear());
  $("wire-pause").addEventListener("click", ({ currentTarget: button }) => {
    wire.isPaused = !wire.isPaused;
    button.ariaPressed = String(wire.isPaused);
  });
}

/** Folds the inspector away, and unfolds it; at first it is open where there is room for it. */
function bindToggle(panel) {
  const expand = (isOpen) => {
    $("inspector-body").hidden = !isOpen;
    $("inspector-toggle").ariaExpanded = String(isOpen);
    $("inspector-toggle").firstElementChild.textContent = isOpen ? "Hide" : "Show";
    document.body.classList.toggle("without-inspector", !isOpen);
    panel.follow();
  };
  $("inspector-toggle").addEventListener("click", () => expand($("inspector-body").hidden));
  expand(matchMedia("(min-width: 68rem)").matches);
}

/**
 * Brings the inspector to life.
 *
 * @param {LinkControls} links
 * @param {object} actions what the page does for it: `drop()`, `verify()`, `beginAnew()`, `setTransport(name)`,
 *   `setGeneric(isOn)` and `setOptimistic(isOn)`.
 * @returns {{show(session: import("./riblet.js").Session, key: string): void}} shows another session, which is stored
 *   under this key.
 */
export function inspector(links, actions) {
  const panel = new Panel(links);
  bindToggle(panel);
  bindTabs((name) => panel.select(name));
  bindControls(links, actions);
  bindWire(panel.wire);
  return panel;
}
