// The panel for the curious: what goes over the wire, what the page holds, and ways to make the link worse.
//
// It learns everything from the session's events, and while it is collapsed it does nothing but keep the texts of the
// last messages: nothing is parsed, nothing is drawn.

import { Answers, drawFacts, drawTree, Value } from "./inspector-views.js";
import { Wire } from "./inspector-wire.js";

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

  show(session, key, earlier) {
    this.#session = session;
    this.#key = key;
    const answers = (this.#answers = new Answers());
    this.#document = undefined;
    this.wire.clear();
    for (const name of ["tree", "document", "facts"]) $(name).replaceChildren();
    for (const message of earlier) this.wire.keep(message);
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
      case "tree": return drawTree($("tree"), this.#session.view, this.#changed);
      case "document": return this.#drawDocument(this.#session.view);
      default: return drawFacts($("facts"), this.#session, this.#key, this.#links, this.#answers);
    }
  }

  #drawDocument(view) {
    if (!view || this.#document?.update(view)) return;
    this.#document = new Value("view", view, ["nodes", String(view.root), "state"]);
    $("document").replaceChildren(this.#document.element);
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
}

/** Frames on the page what the node is drawn as that is pointed at in the tree. */
function bindTree(elementsOf) {
  const spot = $("spot");
  const hide = () => (spot.hidden = true);
  const show = ({ target }) => {
    const id = target.closest("[data-node]")?.dataset.node;
    const boxes = (id ? elementsOf(Number(id)) : []).map((it) => it.getBoundingClientRect()).filter(({ width }) => width > 0);
    spot.hidden = boxes.length === 0;
    if (spot.hidden) return;
    const [left, top] = ["left", "top"].map((side) => Math.min(...boxes.map((box) => box[side])));
    const [right, bottom] = ["right", "bottom"].map((side) => Math.max(...boxes.map((box) => box[side])));
    Object.assign(spot.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  };
  for (const type of ["pointerover", "focusin"]) $("tree").addEventListener(type, show);
  for (const type of ["pointerleave", "focusout"]) $("tree").addEventListener(type, hide);
  document.addEventListener("scroll", hide, { capture: true, passive: true });
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
 *   `setOptimistic(isOn)` and `elementsOf(id)`, as what a node is drawn.
 * @returns {{show(session: import("./riblet.js").Session, key: string, earlier: {direction: string, text: string}[]): void}} shows
 *   another session, which is stored under this key, with the messages that it has exchanged earlier.
 */
export function inspector(links, actions) {
  const panel = new Panel(links);
  bindToggle(panel);
  bindTabs((name) => panel.select(name));
  bindControls(links, actions);
  bindWire(panel.wire);
  bindTree(actions.elementsOf);
  return panel;
}
