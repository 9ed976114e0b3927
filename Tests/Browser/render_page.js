// What the tests of render.js have in their page: the modules, and a session without a server.
import * as render from "/render.js";
import * as generic from "/generic.js";

/** The newer value, made of the older one's objects where they are equal, as a patch leaves them. */
function share(old, value) {
  if ([old, value].some((it) => typeof it !== "object" || it === null)) return value;
  const keys = Object.keys(value);
  const copy = Array.isArray(value) ? [] : {};
  let isSame = Array.isArray(old) === Array.isArray(value) && Object.keys(old).length === keys.length;
  for (const key of keys) {
    copy[key] = share(old[key], value[key]);
    isSame &&= key in old && copy[key] === old[key];
  }
  return isSame ? old : copy;
}

class FakeSession extends EventTarget {
  /** Each action and each `back` that was sent, in order, with `answer(outcome)`. */
  sent = [];
  /** Answers at once what is sent: called with what was sent, returns an outcome. */
  server = undefined;
  view = undefined;
  pending = [];
  earlier = new Map();
  drafts = {};
  #last = 0;

  draft(id) { return this.drafts[id]; }

  keepDraft(id, draft) { this.drafts[id] = draft; }

  node(id = this.view?.root) { return this.view?.nodes[id]; }

  subscribe() { return () => {}; }

  act(to, action, options) { return this.#send({ to, action, ...options }); }

  back(to) { return this.#send({ to, back: true }); }

  #wait(pending) {
    this.pending = pending;
    this.dispatchEvent(new Event("pending"));
  }

  #send(message) {
    return new Promise((resolve) => {
      const action = { n: ++this.#last, ...message };
      this.#wait([...this.pending, action]);
      const answer = (outcome) => {
        this.#wait(this.pending.filter((it) => it !== action));
        resolve(outcome);
        this.dispatchEvent(Object.assign(new Event("outcome"), { detail: { ...action, ...outcome } }));
      };
      this.sent.push({ ...message, answer });
      // A server's answer never comes before its sender has gone on.
      if (this.server) setTimeout(() => answer(this.server(message) ?? { status: "applied" }), 5);
    });
  }

  /** Shows another view; with `isWhole` without saying what has changed. */
  show(nodes, { root = 1, isWhole = false } = {}) {
    const old = this.view?.nodes ?? {};
    this.view = { root, nodes: share(old, nodes) };
    const ids = new Set(), ops = [];
    for (const id of new Set([...Object.keys(old), ...Object.keys(nodes)])) {
      const before = old[id], after = this.view.nodes[id];
      if (before === after) continue;
      ids.add(Number(id));
      const isState = before && after && before.children === after.children && before.type === after.type;
      ops.push({ op: "replace", path: `/nodes/${id}${isState ? "/state" : ""}` });
    }
    const event = new Event("change");
    event.detail = { ids, ops: isWhole ? null : ops, view: this.view };
    this.dispatchEvent(event);
  }

  /** Shows the view with some nodes replaced, or without them if they are null. */
  merge(nodes) {
    const all = { ...this.view.nodes, ...nodes };
    for (const id of Object.keys(all)) if (all[id] === null) delete all[id];
    this.show(all, { root: this.view.root });
  }
}

/** How many nodes were added and removed, attributes and texts changed, while `change` ran. */
function mutations(element, change) {
  const observer = new MutationObserver(() => {});
  observer.observe(element, { subtree: true, childList: true, attributes: true, characterData: true });
  change();
  const counts = { added: 0, removed: 0, attributes: 0, texts: 0 };
  for (const record of observer.takeRecords()) {
    counts.added += record.addedNodes.length;
    counts.removed += record.removedNodes.length;
    counts.attributes += record.type === "attributes";
    counts.texts += record.type === "characterData";
  }
  observer.disconnect();
  return counts;
}

const app = document.querySelector("#app");
const errors = [];
addEventListener("error", (event) => { errors.push(event.message); event.preventDefault(); });
addEventListener("unhandledrejection", (event) => { errors.push(String(event.reason)); event.preventDefault(); });
document.addEventListener("securitypolicyviolation", (event) => errors.push("policy: " + event.violatedDirective));
Object.assign(window, render, generic, { FakeSession, mutations, app, errors });
window.isReady = true;
