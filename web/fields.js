// Controls that are bound to the state of a node: what their users make of them is sent, kept for the next page, and shown by the rule of
// field.js. Without DOM: render.js, riblet-react.js and riblet-vue.js bind them.

import { Field } from "./field.js";

/** Milliseconds without an edit after which edits are sent. */
const pause = 150;
/** Milliseconds after which what the user has made is kept for the next page. */
const keepingPause = 100;

// A field's edits are held, and not sent, until an event ends the hold. From the weakest hold to the strongest; an event also ends weaker holds:
//
// | event    | what is held                                                    |
// | "status" | edits that the session does not take in its present status      |
// | "action" | edits for a node whose id may name another one now              |
// | "edit"   | a text that was refused, and a text whose `send` acts later     |
const strengths = ["status", "action", "edit"];

/** Holds a field's edits until an event, if no stronger hold is there. */
function hold(it, event) {
  if (strengths.indexOf(event) > strengths.indexOf(it.held)) it.held = event;
}

/** Ends the holds of fields that an event ends. */
function release(fields, event) {
  for (const it of fields) if (strengths.indexOf(it.held) <= strengths.indexOf(event)) it.held = undefined;
}

/** Tells those that show a field. */
const tell = ({ listeners }) => listeners.forEach((listener) => listener());

/** Fields by session and node. */
const known = new WeakMap();
const find = (session, id) => known.get(session)?.get(id === "" ? session.view?.root : id);

/**
 * The bound fields of a node. Edits are sent after a pause, when the user leaves, and before any other action of the node. They wait as long as
 * another action of the node has no answer: the action may change what they are based on.
 *
 * A field of a node has a name, by which the page after a reload finds it.
 */
export class Fields {
  #session;
  #id;
  #type;
  #all = new Map();
  /** The node's actions that wait, with their edits, for the answer to another one. */
  #queue = [];
  /** Whether a field sends: an action of the node is then the field's, and does not wait. */
  #isSending = false;
  /** Whether the session has not taken the action, as its node is not there yet or any more. */
  #isUnsent = false;
  /** Whether the node is gone. */
  #isOver = false;
  #willLook = false;
  #keeping;

  /** The fields of a node. */
  static of(session, node) {
    const id = node === "" || node === undefined ? session.view?.root : node;
    const nodes = known.get(session) ?? known.set(session, new Map()).get(session);
    const fields = nodes.get(id);
    if (fields && fields.#isOfNode) return fields;
    if (fields) fields.#end();
    return nodes.set(id, new Fields(session, id)).get(id);
  }

  constructor(session, id) {
    this.#session = session;
    this.#id = id;
    this.#type = session.node(id)?.type;
    for (const [name, listener] of Object.entries(this.#listeners)) session.addEventListener(name, listener);
    // The page outlives sessions.
    const fields = new WeakRef(this);
    const leave = () => (fields.deref() ? fields.deref().#leavePage() : removeEventListener("pagehide", leave));
    globalThis.addEventListener?.("pagehide", (this.#leave = leave));
  }

  #leave;
  #listeners = {
    outcome: ({ detail }) => this.#hear(detail),
    pending: () => this.#lookSoon(),
    change: ({ detail }) => this.#change(detail?.ops),
    status: () => this.#releaseUnsent(),
    // The id may name another node from then on.
    lost: () => this.#hold(),
    anew: () => this.#hold(),
  };

  /** Whether they are the fields of the node that has the id now. */
  get #isOfNode() {
    const node = this.#session.node(this.#id);
    this.#type ??= node?.type;
    return node?.type === this.#type;
  }

  #change(ops) {
    if (!this.#session.node(this.#id) || !this.#isOfNode) return this.#end();
    this.#serve(this.#session.node(this.#id).state);
    if (!ops) this.#lookSoon();
  }

  #releaseUnsent() {
    release(this.#all.values(), "status");
    this.#lookSoon();
  }

  /** Holds the edits, and gives up the actions that wait: the id may name another node. */
  #hold() {
    for (const it of this.#all.values()) hold(it, "action");
    this.#giveUpQueue("The server has lost what this action waited for.");
    this.#keepSoon();
  }

  #giveUpQueue(message) {
    for (const { description, resolve } of this.#queue.splice(0)) resolve(this.#unsent(description, message));
  }

  #unsent(description, message) {
    const outcome = { status: "unsent", message };
    this.#session.dispatchEvent(Object.assign(new Event("outcome"), { detail: { ...description, ...outcome } }));
    return outcome;
  }

  #end() {
    this.#isOver = true;
    for (const [name, listener] of Object.entries(this.#listeners)) this.#session.removeEventListener(name, listener);
    globalThis.removeEventListener?.("pagehide", this.#leave);
    const nodes = known.get(this.#session);
    if (nodes.get(this.#id) === this) nodes.delete(this.#id);
    this.#giveUpQueue("The riblet of this action is gone.");
    for (const { timer } of this.#all.values()) clearTimeout(timer);
    clearTimeout(this.#keeping);
    this.#session.keepDraft(this.#id);
  }

  /**
   * The control with a name, and the server's value for it.
   *
   * @param {string} name
   * @param {object} kind - one of {@link kinds}.
   * @param {object} bound - `value`, or `select(state)`, which finds it in the node's state, and is asked before any answer is heard; `send(value)`,
   *   which acts; `clearedBy`, the names of actions that clear the field; `isSecret`.
   */
  bind(name, kind, bound) {
    let it = this.#all.get(name);
    const node = this.#session.node(this.#id), value = bound.select ? node && bound.select(node.state) : bound.value;
    if (it) {
      it.bound = bound;
      if (bound.isSecret && !it.isSecret) this.#keepSoon();
      // A password that is shown is one.
      it.isSecret ||= Boolean(bound.isSecret);
      it.isMeant = false;
      it.field.serve(value);
      return it;
    }
    const drafts = this.#session.draft(this.#id) ?? {};
    const kept = !bound.isSecret && Object.hasOwn(drafts, name) ? this.#revived(drafts[name]) : undefined;
    it = { name, kind, bound, field: new Field(value, kind, kept), timer: undefined, listeners: new Set() };
    Object.assign(it, { held: kept?.held, isMeant: false, isSecret: Boolean(bound.isSecret) });
    this.#all.set(name, it);
    if (kept) {
      // Answers that came before the view was drawn.
      for (const action of it.field.sent) if (!this.#isPending(action)) this.#answer(it, this.#session.earlier.get(action.n));
      this.#lookSoon();
    }
    return it;
  }

  #serve(state) {
    for (const it of this.#all.values()) {
      if (!it.bound.select) continue;
      const { shown } = it.field;
      it.field.serve(it.bound.select(state));
      if (it.field.shown !== shown) tell(it);
    }
  }

  /** Takes what the user has made of a control, and sends it after a pause. */
  edit(it, shown, caret) {
    it.field.edit(shown, caret);
    release([it], "edit");
    tell(it);
    this.#keepSoon();
    this.#sendSoon(it);
  }

  /** Takes note that a composition begins or ends: nothing is sent of it before its end. */
  compose(it, isComposing) {
    it.field.compose(isComposing);
    if (!isComposing) this.#lookSoon();
  }

  /** Sends what is not sent yet, as the user leaves a control. */
  flush() {
    for (const it of this.#all.values()) {
      // Not each browser says that a composition ends with its element.
      if (it.field.isComposing) this.compose(it, false);
      this.#send(it);
    }
  }

  /** Sends what is not sent, as nothing shows a field any more. What waits then goes on waiting until the field is bound again. */
  leave(it) {
    this.flush();
    if (it.bound.select) return;
    if (!it.field.isUsers) {
      this.#all.delete(it.name);
      // The next field of the name begins with what is kept.
      return this.#keep();
    }
    it.field.leave();
    // An action that waits means what was shown.
    it.isMeant = this.#queue.length > 0;
  }

  /** Does an action of a node, behind the edits of its fields if it has some. */
  static act(session, id, action, options) {
    const name = typeof action === "string" ? action : Object.keys(action ?? {})[0];
    // Events never have the content of a secret action.
    const description = options?.secret ? { to: id, secret: true } : { to: id, action };
    return Fields.#behind(session, description, name, () => session.act(id, action, options));
  }

  /** Leaves a node, behind the edits of its fields if it has some. */
  static back(session, id) {
    return Fields.#behind(session, { to: id, back: true }, undefined, () => session.back(id));
  }

  static #behind(session, description, name, run) {
    const fields = find(session, description.to);
    return fields ? fields.#do(description, name, run) : run();
  }

  #do(description, name, run) {
    if (this.#isSending) {
      // A control that sends an edit drops the promise.
      return run().catch((error) => {
        if (!(error instanceof RangeError)) throw error;
        return this.#unsent(description, error.message);
      });
    }
    return new Promise((resolve, reject) => {
      // The action takes along the edits that were made before it.
      release(this.#all.values(), "action");
      this.#queue.push({ description, name, resolve, run: () => run().then(resolve, reject) });
      this.#runQueue();
    });
  }

  #runQueue() {
    while (this.#queue.length) {
      const edited = [...this.#all.values()].filter((it) => it.field.isEdited && !it.held);
      if (edited.length && (this.#areOthersPending || edited.some(({ field }) => field.isComposing))) return;
      this.flush();
      const { name, run } = this.#queue.shift();
      const acted = this.#actionOf(run);
      for (const it of this.#all.values()) {
        if (!acted || !it.kind.isText || !it.bound.clearedBy?.includes(name)) continue;
        it.field.clear(acted);
        tell(it);
      }
      this.#keepSoon();
    }
  }

  /** Runs something that may act, and returns its action. The action's number is another one after the server has lost some. */
  #actionOf(run) {
    const before = this.#session.pending.at(-1);
    run();
    const after = this.#session.pending.at(-1);
    return after === before ? undefined : after;
  }

  #sendSoon(it) {
    clearTimeout(it.timer);
    it.timer = setTimeout(() => this.#send(it), pause);
  }

  #send(it) {
    clearTimeout(it.timer);
    it.timer = undefined;
    const { field } = it;
    const isAway = field.isAway && !it.isMeant;
    if (this.#isOver || !field.isEdited || field.isComposing || isAway || it.held || this.#areOthersPending) return;
    const value = it.kind.read(field.shown);
    if (value === undefined) return;
    this.#isSending = true;
    this.#isUnsent = false;
    try {
      const action = this.#actionOf(() => it.bound.send(value));
      if (action) field.send(action);
      // If it acts later, that action waits for the field, and would have it send again.
      else hold(it, this.#isUnsent ? "status" : "edit");
    } finally {
      this.#isSending = false;
    }
    // With the action: a page that goes on with one alone would merge the text with itself.
    this.#keep();
  }

  #isPending(action) {
    return this.#session.pending.includes(action);
  }

  /** Whether an action has no answer: of a node but for the edits of its fields, or of any node. */
  static isPending(session, id) {
    const { pending = [], view } = session;
    if (id === undefined) return pending.length > 0;
    const fields = find(session, id);
    const isEdit = (action) => fields && (fields.#isEdit(action) || (fields.#isSending && action === pending.at(-1)));
    return pending.some((action) => (action.to === id || (action.to === "" && view?.root === id)) && !isEdit(action));
  }

  #isEdit(action) {
    return [...this.#all.values()].some(({ field }) => field.sentEdits.includes(action));
  }

  /** Whether other actions of the node have no answer. */
  get #areOthersPending() {
    const { pending, view } = this.#session;
    const own = new Set([...this.#all.values()].flatMap(({ field }) => field.sent));
    return pending.some((action) => (action.to === this.#id || (action.to === "" && view?.root === this.#id)) && !own.has(action));
  }

  #hear({ n, to, action, status }) {
    this.#isUnsent ||= status === "unsent";
    for (const it of this.#all.values()) {
      const [sent] = it.field.sent;
      // An action that the server has lost may have had the number.
      if (n === undefined || sent?.n !== n || sent.to !== to || sent.action !== action) continue;
      this.#answer(it, status);
      if (it.field.isAway && !it.field.isUsers) this.#all.delete(it.name);
      tell(it);
    }
    this.#keep();
    this.#lookSoon();
  }

  /** Takes the answer to a field's first action that has none. */
  #answer(it, status) {
    const { field } = it;
    // Edits that the user has made since are sent.
    if (status === "refused" && !field.isClearing && !field.isEdited && field.sent.length === 1) hold(it, "edit");
    if (status === "unknown") hold(it, "action");
    field.answer(status === "applied");
  }

  /** Looks what can be sent now, once all answers of a message are heard. */
  #lookSoon() {
    if (this.#willLook) return;
    this.#willLook = true;
    queueMicrotask(() => {
      this.#willLook = false;
      for (const it of this.#all.values()) {
        // The server has lost the action.
        while (it.field.sent.length && !this.#isPending(it.field.sent[0])) this.#answer(it);
        tell(it);
        if (it.field.isEdited && !it.timer) this.#sendSoon(it);
      }
      this.#runQueue();
    });
  }

  /** The page may not come back: what waits for a pause goes now. */
  #leavePage() {
    for (const { field } of this.#all.values()) field.compose(false);
    this.flush();
    this.#keep();
  }

  #keepSoon() {
    this.#keeping ??= setTimeout(() => this.#keep(), keepingPause);
  }

  #keep() {
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    if (this.#isOver) return;
    const users = [...this.#all.values()].filter((it) => it.field.isUsers && !it.isSecret);
    const keep = ({ name, held, field: { kept } }) => {
      const sent = kept.sent.map((it) => ({ ...it, action: it.action.n }));
      // The session of the next page has another status.
      return [name, { ...kept, sent, held: held === "status" ? undefined : held, epoch: this.#epoch }];
    };
    this.#session.keepDraft(this.#id, users.length ? Object.fromEntries(users.map(keep)) : undefined);
  }

  /** The life of the tree: in another one ids may name other nodes. */
  get #epoch() {
    return this.#session.welcome?.epoch;
  }

  /** What was kept of a field, with the actions themselves for their numbers. */
  #revived(kept) {
    const sent = Array.isArray(kept?.sent) ? kept.sent : [];
    const find = (number) => this.#session.pending.find(({ n }) => n === number) ?? { n: number };
    // The server may have lost actions before this page had a view.
    const held = strengths.find((event) => event === kept?.held) ?? (kept?.epoch === this.#epoch ? undefined : "action");
    return { ...kept, held, sent: sent.map((it) => ({ ...it, action: find(it?.action) })) };
  }
}
