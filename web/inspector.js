// The panel for the curious: what goes over the wire, what the page holds, and ways to make the link worse. inspector.d.ts documents it.
//
// The inspector learns everything from the session's events. While it is folded it only keeps the texts of the last messages: it parses
// nothing, and draws nothing.

import { makeParts } from "./inspector-parts.js";
import { Answers, drawFacts, drawTree, Value } from "./inspector-views.js";
import { Wire } from "./inspector-wire.js";

export { LinkControls, throttled } from "./inspector-link.js";

/** How many inspectors the page has had. */
let count = 0;

/** Shows the session in one of the views at a time; draws once a frame at most, and only what can be seen. */
class Inspector {
  #options;
  #parts;
  #wire;
  /** The index of the tab in front. */
  #active = 0;
  #session;
  #key;
  #answers;
  #document;
  #changed = new Set();
  #isScheduled = false;
  /** Ends all that the inspector listens to outside of its elements: until it is unmounted, while a session is shown, and while it is open. */
  #mounted = new AbortController();
  #showing;
  #following;

  constructor(parent, options) {
    this.#options = options;
    this.#parts = makeParts(`inspector-${++count}`, options);
    this.#wire = new Wire(this.#parts.wire);
    this.#bindToggle();
    this.#bindTabs();
    this.#bindWire();
    this.#bindOperations();
    if (options.links) this.#bindLinks(options.links);
    if (options.elementsOf) this.#bindTree(options.elementsOf);
    parent.append(this.#parts.root);
  }

  get #isOpen() {
    return !this.#parts.body.hidden && this.#session !== undefined;
  }

  show(session, { key, earlier = [] } = {}) {
    this.#session = session;
    this.#key = key;
    const answers = (this.#answers = new Answers());
    this.#document = undefined;
    this.#wire.clear();
    this.#say("");
    for (const name of ["tree", "document", "facts"]) this.#parts[name].replaceChildren();
    for (const message of earlier) this.#wire.keep(message);
    this.#showing?.abort();
    this.#showing = new AbortController();
    const { signal } = this.#showing;
    session.addEventListener("message", ({ detail }) => this.#wire.keep(detail), { signal });
    session.addEventListener("pending", ({ detail }) => answers.note(detail.pending), { signal });
    this.#follow();
  }

  unmount() {
    for (const controller of [this.#mounted, this.#showing, this.#following]) controller?.abort();
    this.#session = undefined;
    this.#parts.root.remove();
    this.#parts.spot.remove();
  }

  /** Listens to what makes it draw, as long as it is open. */
  #follow() {
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
    const { tree, facts } = this.#parts;
    const session = this.#session;
    const draws = [
      () => this.#wire.draw(),
      () => drawTree(tree, session.view, this.#changed),
      () => this.#drawDocument(session.view),
      () => drawFacts(facts, session, this.#answers, this.#key, this.#options.links),
    ];
    draws[this.#active]();
  }

  #drawDocument(view) {
    if (!view || this.#document?.update(view)) return;
    this.#document = new Value("view", view, ["nodes", String(view.root), "state"]);
    this.#parts.document.replaceChildren(this.#document.element);
  }

  /** Folds the inspector away, and unfolds it; at first it is open where there is room for it. */
  #bindToggle() {
    const { root, toggle, word, body } = this.#parts;
    const expand = (isOpen) => {
      body.hidden = !isOpen;
      toggle.ariaExpanded = String(isOpen);
      word.textContent = isOpen ? "Hide" : "Show";
      root.classList.toggle("is-folded", !isOpen);
      this.#follow();
    };
    toggle.addEventListener("click", () => expand(body.hidden));
    expand(this.#options.isOpen ?? matchMedia("(min-width: 68rem)").matches);
  }

  /** The tabs above the views, by click and by arrow keys. */
  #bindTabs() {
    const { tabs, panels } = this.#parts;
    const choose = (chosen) => {
      for (const [index, tab] of tabs.entries()) {
        tab.ariaSelected = String(index === chosen);
        tab.tabIndex = index === chosen ? 0 : -1;
        panels[index].hidden = index !== chosen;
      }
      this.#active = chosen;
      this.#schedule();
    };
    const last = tabs.length - 1;
    for (const [index, tab] of tabs.entries()) {
      const next = { ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index === 0 ? last : index - 1, Home: 0, End: last };
      tab.addEventListener("click", () => choose(index));
      tab.addEventListener("keydown", (event) => {
        if (!(event.key in next)) return;
        event.preventDefault();
        choose(next[event.key]);
        tabs[next[event.key]].focus();
      });
    }
    choose(0);
  }

  #bindWire() {
    const { pause, clear } = this.#parts;
    clear.addEventListener("click", () => this.#wire.clear());
    pause.addEventListener("click", () => {
      this.#wire.isPaused = !this.#wire.isPaused;
      pause.ariaPressed = String(this.#wire.isPaused);
    });
  }

  /** What is done to the session, by the page where it has a way of its own. */
  #bindOperations() {
    const { drop, verify, anew, transports = [], optimistic } = this.#parts;
    const options = this.#options;
    drop.addEventListener("click", () => (options.drop ? options.drop() : this.#session?.reconnect()));
    verify.addEventListener("click", () => (options.verify ? options.verify() : this.#verify()));
    anew?.addEventListener("click", () => options.beginAnew());
    for (const input of transports) input.addEventListener("change", () => options.setTransport(input.value));
    optimistic?.addEventListener("change", () => options.setOptimistic(optimistic.checked));
  }

  async #verify() {
    const session = this.#session;
    if (!session) return;
    const say = (text) => session === this.#session && this.#say(text);
    try {
      const isSame = await session.check();
      if (isSame) say("Verified: the page and the server have the same document.");
      else say("The page’s document was not the server’s. The page has fetched it again.");
    } catch ({ message }) {
      say(`Not verified: ${message}`);
    }
  }

  #say(text) {
    if (this.#parts.outcome) this.#parts.outcome.textContent = text;
  }

  /** The ways to make the link worse. */
  #bindLinks(links) {
    const { offline, latencies } = this.#parts;
    offline.addEventListener("click", () => (links.isOffline ? links.goOnline() : links.goOffline()));
    for (const input of latencies) {
      input.addEventListener("change", () => {
        links.delay = Number(input.value);
      });
    }
    const draw = () => {
      offline.ariaPressed = String(links.isOffline);
      offline.textContent = links.isOffline ? "Go online" : "Go offline";
      for (const input of latencies) input.checked = Number(input.value) === links.delay;
    };
    links.addEventListener("change", draw, { signal: this.#mounted.signal });
    draw();
  }

  /** Frames on the page what the node is drawn as that is pointed at in the tree. */
  #bindTree(elementsOf) {
    const { tree, spot } = this.#parts;
    const hide = () => (spot.hidden = true);
    const show = ({ target }) => {
      const id = target.closest("[data-node]")?.dataset.node;
      const boxes = (id ? [...elementsOf(Number(id))] : []).map((it) => it.getBoundingClientRect()).filter(({ width }) => width > 0);
      spot.hidden = boxes.length === 0;
      if (spot.hidden) return;
      const [left, top] = ["left", "top"].map((side) => Math.min(...boxes.map((box) => box[side])));
      const [right, bottom] = ["right", "bottom"].map((side) => Math.max(...boxes.map((box) => box[side])));
      Object.assign(spot.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
    };
    for (const type of ["pointerover", "focusin"]) tree.addEventListener(type, show);
    for (const type of ["pointerleave", "focusout"]) tree.addEventListener(type, hide);
    document.addEventListener("scroll", hide, { capture: true, passive: true, signal: this.#mounted.signal });
    document.body.append(spot);
  }
}

/**
 * Adds an inspector to an element.
 *
 * @param {Element} parent
 * @param {import("./inspector.d.ts").InspectorOptions} [options]
 * @returns {import("./inspector.d.ts").Inspector}
 */
export function mountInspector(parent, options = {}) {
  return new Inspector(parent, options);
}
