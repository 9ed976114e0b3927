// The web client of RibServer: riblet.d.ts documents it. Names in brackets are rules of PROTOCOL.md.

import { applyPatch, closeCodes, Core, queryOf, withoutSecrets } from "./riblet-core.js";
import { Entry } from "./riblet-entry.js";
import { Link, returns } from "./riblet-link.js";
import { Shown } from "./riblet-shown.js";

export { applyPatch, Core };

// The session

/** Milliseconds that do not go back, and go on while the computer sleeps: in some browsers performance.now() does not. */
function makeClock() {
  let base = [performance.now(), Date.now()];
  let time = 0;
  return () => {
    const passed = [performance.now() - base[0], Date.now() - base[1]];
    // The other clock counts only where it has gone on alone: it may be set, and its steps are coarse.
    if (Math.abs(passed[1] - passed[0]) < 1000) return time + passed[0];
    base = [performance.now(), Date.now()];
    return (time += Math.max(passed[0], passed[1], 0));
  };
}

const noCredential = { code: "busy", message: "The page has got no credential in time." };

export const connect = (url, options) => new Session(url, options);

/** The longest draft of a node that is kept, in characters of JSON. */
const mostKept = 2 ** 19;

export class Session extends EventTarget {
  status = "connecting";
  reason;
  welcome;
  durability;
  clients = [];
  #core = new Core();
  #url;
  #options;
  #entry;
  #makeEntry;
  #shown;
  /** What the entry was written with. */
  #saved = { pending: this.#core.pending };
  /** Outcomes of actions of the page before, by number. */
  earlier = new Map();
  /** What the user has made of fields and the server does not have, by node. */
  #drafts = {};
  /** How to settle an action's promise. */
  #promises = new WeakMap();
  #questions = { share: [], check: [], auth: [] };
  #now = makeClock();
  #link;
  #connection;
  /** Which connection it is: what an earlier one says is not heard. */
  #attempt = 0;
  #timer;
  /** Whether the next attempt waits until the page is seen, or has something to send. */
  #isHeld = false;
  /** The timer for the next credential, and how many connections have ended for want of a valid one since the last welcome. */
  #renewal;
  #refusals = 0;
  #hashOf;
  /** Outcomes of `back`, by the node that it names. */
  #leaving = new Map();
  /** What the page believes: that all is kept, until it is told otherwise, and why. */
  #toldStored = true;
  #isReset = false;
  /** Whether the view on the screen is the one of a session that is gone. */
  #isOldView = false;
  /** The connection on which the server has said `bye`. */
  #dismissed;
  #isLeaving = false;
  #isClosed = false;
  /** Whether the last connection ended with `moved`: a hidden page comes back from it, too. */
  #isMoved = false;

  constructor(url, options) {
    super();
    this.#url = String(url).replace(/\/+$/, "");
    this.#options = { ...options, transports: options.transports ?? [webSocket, eventStream] };
    const { storage, app, share, key = `riblet:${this.#url}:${app ?? share}` } = options;
    this.#shown = new Shown(this.#core.pending, options.optimistic);
    this.#makeEntry = () => new Entry(storage, key, app, () => this.#tellKept());
    this.#begin();
    this.#start();
  }

  /** Looks for an entry from the first one on, and listens to what happens to the page. */
  #begin() {
    this.#entry = this.#makeEntry();
    globalThis.document?.addEventListener("visibilitychange", this.#wake);
    globalThis.addEventListener?.("online", this.#wake);
    globalThis.addEventListener?.("offline", this.#lose);
  }

  async #start() {
    const { app, share, transports } = this.#options;
    let entry = this.#entry.find();
    if (entry instanceof Promise) entry = await entry;
    if (entry) {
      this.#core.restore(entry);
      this.#drafts = entry.drafts ?? {};
    }
    this.#link = new Link(transports.length, { working: entry?.via, time: this.#now() });
    const hasBegun = app || share || entry;
    // Who has just called has no listeners yet.
    if (!hasBegun || this.#entry.isDamaged) await null;
    if (this.#isOver) return this.#entry.release();
    if (this.#entry.isDamaged) this.#tellStored(false, "damaged");
    if (this.#isOver) return;
    if (hasBegun) return this.#open();
    this.#carryOut(this.#core.abandon());
    const message = this.#entry.isTaken ? "The session is open in another tab." : "There is no session to go on with.";
    this.#finish({ code: this.#entry.isTaken ? "taken" : "gone", message });
  }

  /** What this client may do. */
  get scope() {
    return this.welcome?.scope ?? "act";
  }

  /** Whether another page could go on now. */
  get stored() {
    return this.#entry.isKept;
  }

  #save() {
    if (!this.#attempt) return; // the entry is not read yet
    this.#saved = { pending: this.#core.pending, session: this.#core.session };
    const drafts = Object.keys(this.#drafts).length ? this.#drafts : undefined;
    this.#entry.write(this.#core.session && { ...this.#core.stored(), via: this.#link.working }, drafts);
  }

  #tellKept() {
    if (this.#core.session && !this.#isOver) this.#tellStored(this.stored, "full");
  }

  #tellStored(stored, reason) {
    const told = stored || reason;
    if (told === this.#toldStored) return;
    this.#toldStored = told;
    this.#emit("stored", stored ? { stored } : { stored, reason });
  }

  get view() {
    return this.#shown.view;
  }

  get revision() {
    return this.#core.revision;
  }

  get pending() {
    return this.#core.pending;
  }

  node(id) {
    return this.#shown.node(id);
  }

  draft(id) {
    return this.#drafts[id];
  }

  keepDraft(id, draft) {
    // It is not to use up the room of the session's own entry.
    if (draft !== undefined && JSON.stringify(draft).length > mostKept) draft = undefined;
    if (draft === undefined && !(id in this.#drafts)) return;
    if (draft === undefined) delete this.#drafts[id];
    else this.#drafts[id] = draft;
    if (!this.#isOver) this.#save();
  }

  subscribe(target, fn) {
    return this.#shown.subscribe(target, fn);
  }

  /** Tells the page what has changed since it was told last. */
  #update(ops = null) {
    const shown = this.#shown;
    const before = shown.pending;
    // After a reset the old view stays until the new one comes.
    const { pending, view = shown.view } = this.#core;
    if (this.#isOldView && this.#core.view) {
      this.#isOldView = false;
      // Before the page draws: a control that is removed sends its edits.
      this.#emit("anew");
    }
    // What is refused is not predicted.
    const changed = shown.show(view, pending, this.scope !== "view");
    if (pending !== before) this.#emit("pending", { pending });
    if (!changed) return;
    const change = { ids: changed.ids, ops, view };
    shown.tell(change, changed.before);
    this.#emit("change", change);
  }

  #emit(type, detail) {
    this.dispatchEvent(Object.assign(new Event(type), { detail }));
  }

  #become(status, reason) {
    if (status === this.status) return;
    this.status = status;
    this.reason = reason;
    this.#emit("status", { status, reason });
  }

  act(to, action, { secret = false } = {}) {
    return this.#take(to, () => {
      const body = JSON.parse(JSON.stringify(action));
      return secret ? { to, secret: true, body } : { to, action: body };
    });
  }

  back(to = this.view?.root ?? "") {
    const isNamed = to !== "" && to !== this.view?.root;
    // Whoever presses twice wants to leave what is in front, and not what comes after it as well.
    if (isNamed && this.#leaving.has(to)) return this.#leaving.get(to);
    const outcome = this.#take(to, () => ({ to, back: true }));
    const forget = () => this.#leaving.delete(to);
    if (isNamed) {
      this.#leaving.set(to, outcome);
      outcome.then(forget, forget);
    }
    return outcome;
  }

  #take(to, describe) {
    return new Promise((resolve, reject) => {
      const isId = Number.isSafeInteger(to) && to >= 0;
      if (!isId && typeof to !== "string") throw new TypeError("An action is for a node's id or a path.");
      const description = describe();
      // After a reset the ids on the screen mean nothing.
      if (this.#isOver || (isId && this.view !== this.#core.view)) return resolve(this.#unsent(description));
      const [action, message] = this.#core.take(description);
      this.#promises.set(action, { resolve, reject });
      this.#carryOut(message ? [["send", message]] : []);
      if (this.#isHeld) this.#open();
      else if (this.#core.state === "live") this.#look();
    });
  }

  /** To press a button of a session that is over is no mistake of the page's. */
  #unsent({ body, ...action }) {
    const outcome = { status: "unsent", message: "The session has ended." };
    this.#emit("outcome", { ...action, ...outcome });
    return outcome;
  }

  share(scope) {
    return this.#ask({ t: "share", scope });
  }

  async check() {
    if (!globalThis.crypto?.subtle) throw new Error("A check needs crypto.subtle.");
    ({ hashOf: this.#hashOf } = await import("./riblet-check.js"));
    return this.#ask({ t: "check" });
  }

  #ask(message) {
    return new Promise((resolve, reject) => {
      if (this.#core.state !== "live") throw new Error("There is no connection.");
      // Nothing of it is kept.
      this.#sendNow(message);
      this.#questions[message.t].push({ resolve, reject });
    });
  }

  end() {
    this.#isLeaving = true;
    if (this.#waitsToBeAsked) this.#goOn();
    if (this.#core.state === "live") this.#send({ t: "bye" });
    if (this.#isHeld) this.#open();
    return new Promise((resolve) => {
      const look = () => this.#isOver && resolve();
      this.addEventListener("status", look);
      look();
    });
  }

  close() {
    this.#isClosed = true;
    if (this.#isOver) return this.#abandonUnlessStored();
    // Of a session that was to end nothing is kept.
    if (this.#isLeaving) this.#carryOut(this.#core.abandon());
    this.#save();
    this.#leave();
    this.#abandonUnlessStored();
    this.#finish({ code: "closed", message: "" });
  }

  reconnect() {
    if (this.#waitsToBeAsked) this.#goOn();
    if (this.#connection) this.#closed(undefined, { code: "reconnect", message: "" });
    else if (this.nextAttempt !== undefined) this.#open();
  }

  get nextAttempt() {
    return this.#link?.wait(this.#now());
  }

  /** Whether the session has not ended with its connection [not-read]. */
  get #waitsToBeAsked() {
    return this.status === "ended" && this.#core.state === "away" && !this.#isClosed;
  }

  /** Comes back to a session that has not ended with this object, unless another page has done so meanwhile. */
  async #goOn() {
    const { stored } = this;
    this.#become("reconnecting", this.reason);
    this.#begin();
    const mine = this.#core.stored();
    const isAnothers = (entry) => ["sid", "cid", "try"].some((name) => entry[name] !== mine[name]);
    let found;
    while ((found = await this.#entry.find()) && isAnothers(found)) this.#entry.pass();
    if (this.#isOver) return this.#entry.release();
    if (found || !stored) return this.#open();
    this.#carryOut(this.#core.abandon());
    this.#finish({ code: "taken", message: "The session is open in another page." });
  }

  #wake = () => {
    if (!this.#attempt || !this.#isWanted) return;
    this.#link.woke(this.#now());
    this.#look();
  };

  /** The browser has no network: the connection is over, whether or not anybody says so. */
  #lose = () => {
    if (this.#connection) this.#closed(undefined, { code: "offline", message: "" });
  };

  /** Whether there should be a connection: a page that nobody sees, and that has nothing to say, does without. */
  get #isWanted() {
    return !globalThis.document?.hidden || this.#core.pending.length > 0 || this.#isLeaving || this.#isMoved;
  }

  /** Does what the link says is to be done by now. */
  #look() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const step = this.#link.step(this.#now());
    if (step === "open") return this.#open();
    if (step === "giveUp" && this.#link.state === "asked") return this.#closed(closeCodes.busy, noCredential);
    if (step === "giveUp") return this.#closed(undefined, { code: "silent", message: "" });
    // What is acknowledged has to be stored before.
    if (step === "ping") this.#go(() => this.#sendNow(this.#entry.isWriting ? { t: "ping" } : this.#core.ping()));
    const { due } = this.#link;
    clearTimeout(this.#timer);
    // What came while the page was busy is heard before the time is said to be over.
    const look = () => (this.#timer = setTimeout(() => this.#look()));
    if (due < Infinity && !this.#isOver) this.#timer = setTimeout(look, Math.min(due - this.#now(), 2 ** 31 - 1));
  }

  async #open() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const attempt = ++this.#attempt;
    this.#link.rest();
    this.#emit("attempt", { wait: undefined });
    this.#isHeld = !this.#isWanted;
    if (this.#isHeld) return;
    let auth;
    if (this.#options.auth) {
      this.#link.ask(this.#now());
      this.#look();
      try {
        auth = (await this.#options.auth()) ?? undefined;
      } catch (error) {
        if (attempt === this.#attempt) this.#closed(closeCodes.busy, { code: "busy", message: String(error?.message ?? error) });
        return;
      }
      if (attempt !== this.#attempt) return;
      if (auth === undefined && this.#refusals) return this.#signedOut({ code: "unauthenticated", message: "" });
    }
    const hello = this.#core.hello(this.#options, auth);
    this.#save();
    // Whoever was told that it is not kept may have closed the session.
    this.#entry.afterWriting(() => attempt === this.#attempt && this.#say(hello, attempt));
  }

  /** Says hello over the transport whose turn it is. */
  #say(hello, attempt) {
    this.#link.begin(this.#now());
    const transport = this.#options.transports[this.#link.transport];
    const hear = (text) => {
      this.#link.heard(this.#now());
      const messages = this.#parse(text);
      for (const message of messages) {
        if (attempt === this.#attempt) this.#carryOut(this.#core.receive(message, this.#now()), message.ops);
      }
      if (attempt === this.#attempt) this.#look();
    };
    const close = (code, message) => this.#closed(code, { code: String(code), message }, this.#dismissed === attempt);
    const guard = (listen) => (...values) => attempt === this.#attempt && this.#go(() => listen(...values));
    const open = () => {
      this.#link.opened(this.#now());
      this.#look();
      this.#emit("message", { direction: "out", text: JSON.stringify(hello.shown ?? hello) });
    };
    try {
      const connection = transport(this.#url, hello, { open: guard(open), message: guard(hear), close: guard(close) });
      if (attempt !== this.#attempt) return connection.close();
      this.#connection = connection;
      this.#look();
    } catch (error) {
      if (attempt === this.#attempt) close(1006, String(error?.message ?? error));
    }
  }

  /** The messages of a text, of which inspectors are told without tokens: whoever sees one, on a screen that is shared, is this client. */
  #parse(text) {
    let shown = text;
    try {
      const value = JSON.parse(text);
      const hide = (message) => (message?.token === undefined ? message : withoutSecrets(message, "token").shown);
      const messages = [value].flat();
      if (messages.some((message) => message?.token !== undefined)) {
        shown = JSON.stringify(Array.isArray(value) ? value.map(hide) : hide(value));
      }
      return messages;
    } finally {
      this.#emit("message", { direction: "in", text: shown });
    }
  }

  /** A server that breaks the protocol might do so again at once: it is left for a second. */
  #go(step) {
    try {
      step();
    } catch (error) {
      this.#closed(4100, { code: "bad_server", message: String(error?.message ?? error) });
    }
  }

  /** What is sent but not stored a reload would lose. */
  #send(message) {
    const attempt = this.#attempt;
    let waits = false;
    const send = () => attempt === this.#attempt && this.#sendNow(message);
    this.#entry.afterWriting(() => (waits ? this.#go(send) : send()));
    waits = true;
  }

  #sendNow(message) {
    const text = JSON.stringify(message);
    this.#link.sent(this.#now());
    this.#connection?.send(text);
    this.#emit("message", { direction: "out", text: message.shown ? JSON.stringify(message.shown) : text });
  }

  #carryOut(events, ops) {
    const { pending, session } = this.#core;
    if (pending !== this.#saved.pending || session !== this.#saved.session) this.#save();
    // Before anybody hears of it: an action that a listener takes comes after those that are sent again.
    for (const [name, message] of events) if (name === "send") this.#send(message);
    if (this.#core.state === "live") {
      this.#link.answered(this.#core.covered, !this.#core.pending.length, this.#now());
    }
    this.#update(ops);
    for (const [name, ...values] of events) if (name !== "send") this.#on[name](...values);
  }

  #on = {
    live: (welcome) => {
      // Somebody who was told first has left.
      if (!this.#connection) return;
      this.#refusals = 0;
      this.#link.welcomed(this.#now(), welcome.heartbeat);
      this.welcome = welcome;
      this.durability = welcome.durability;
      if (!welcome.resumed) this.#entry.claim(welcome);
      this.#save();
      this.#renewIn(welcome.auth?.expires);
      this.#become(welcome.resumed ? "resumed" : this.#isReset ? "reset" : "live");
      if (this.#isLeaving) this.#send({ t: "bye" });
    },
    settled: (action, result) => {
      // What was to be left is not there any more.
      const isLeft = action.back && result.nack?.code === "gone";
      const outcome = isLeft ? { status: "applied", n: action.n } : result;
      const promise = this.#promises.get(action);
      if (!promise) this.earlier.set(action.n, outcome.status);
      promise?.resolve(outcome);
      this.#emit("outcome", { ...action, ...outcome });
    },
    tooLong: (action) => this.#promises.get(action)?.reject?.(this.#core.tooLong()),
    lost: (count, dropped) => {
      for (const action of dropped) this.#on.settled(action, { status: "unknown", n: action.n });
      this.#emit("lost", { count });
    },
    hash: async (hash, view) => {
      const question = this.#questions.check.shift();
      const isSame = view && (await this.#hashOf?.(view)) === hash;
      if (!isSame) this.#go(() => this.#carryOut(this.#core.diverged(this.#now())));
      question?.resolve(isSame);
    },
    share: ({ token, expires }) => this.#questions.share.shift()?.resolve({ token, expires }),
    auth: ({ expires }) => {
      this.#renewIn(expires);
      for (const { resolve } of this.#questions.auth.splice(0)) resolve();
    },
    notice: ({ durability }) => {
      this.durability = durability;
      this.#emit("notice", { durability });
    },
    clients: ({ clients }) => {
      this.clients = clients;
      this.#emit("clients", { clients });
    },
    drain: ({ within }) => {
      const attempt = this.#attempt;
      setTimeout(() => attempt === this.#attempt && this.reconnect(), Math.random() * within);
    },
    // A word of a later version has its number in the close frame.
    bye: ({ code, message }) => {
      this.#dismissed = this.#attempt;
      if (closeCodes[code]) this.#closed(closeCodes[code], { code, message }, true);
    },
  };

  /** [renew] After four fifths of the time, and not all clients of a server at once. */
  #renewIn(expires) {
    clearTimeout(this.#renewal);
    if (expires === undefined || !this.#options.auth) return;
    const time = Math.max(expires * (0.75 + Math.random() / 10), 10_000);
    this.#renewal = setTimeout(() => this.authenticate().catch(() => this.#renewIn(0)), Math.min(time, 2 ** 31 - 1));
  }

  async authenticate() {
    const attempt = this.#attempt;
    const token = await this.#options.auth?.();
    if (token === undefined || token === null) throw new Error("There is no credential.");
    if (attempt !== this.#attempt || !this.welcome?.features?.includes("auth")) throw new Error("It cannot be shown here.");
    return this.#ask(withoutSecrets({ t: "auth", token }, "token"));
  }

  /** Ends this object but keeps the session: with storage, another page can go on with it once the user has signed in. */
  #signedOut(reason) {
    this.#leave();
    this.#save();
    this.#abandonUnlessStored();
    this.#finish(reason, "signedOut");
  }

  /** Keeps the session for the person it belongs to. The current person resumes a session of their own, or begins one. */
  #leaveToAnother(reason) {
    const own = this.#core.part();
    this.#save();
    // A view that is shown is the other person's, and with a link nothing else was asked for.
    if (this.welcome || !this.#options.app) {
      this.#abandonUnlessStored();
      this.#finish(reason);
      for (const [, ...settled] of own.abandon()) this.#on.settled(...settled);
      return;
    }
    this.#entry.pass();
    this.#drafts = {};
    this.earlier.clear();
    this.#core = own;
    this.#start();
  }

  #abandonUnlessStored() {
    this.#entry.afterWriting(() => this.stored || this.#carryOut(this.#core.abandon()));
  }

  #leave() {
    this.#attempt++;
    clearTimeout(this.#timer);
    clearTimeout(this.#renewal);
    this.#connection?.close();
    this.#connection = undefined;
    const questions = Object.values(this.#questions).flatMap((waiting) => waiting.splice(0));
    for (const { reject } of questions) reject(new Error("The connection has ended."));
  }

  #closed(code, reason, hasSaidBye) {
    if (this.#isOver) return;
    this.#leave();
    this.#link.closed(code, this.#now());
    this.#isMoved = code === closeCodes.moved;
    if (code === closeCodes.forbidden && this.#core.session) return this.#leaveToAnother(reason);
    const when = returns(code, hasSaidBye);
    const beginsAnew = () => when === "anew" && !this.#isLeaving && this.#options.app;
    // Before the outcomes: a listener may send edits.
    if (beginsAnew()) this.#emit("anew");
    this.#carryOut(this.#core.disconnected(code, hasSaidBye));
    if (when === "never" || (when === "anew" && !beginsAnew())) {
      this.#save();
      return this.#finish(reason, code === closeCodes.revoked ? "signedOut" : "ended");
    }
    if (when === "asked") {
      if (this.#isLeaving) this.#carryOut(this.#core.abandon());
      this.#save();
      return this.#finish(reason);
    }
    if (when === "known" && ++this.#refusals >= 3) return this.#signedOut(reason);
    if (when === "anew") {
      this.#isReset = this.#isOldView = true;
      if (this.clients.length) this.#on.clients({ clients: [] });
      this.#entry.unlock();
      this.#leaving.clear();
      this.#drafts = {};
      this.earlier.clear();
      this.#core = new Core();
    }
    if (this.status !== "connecting") this.#become("reconnecting", reason);
    this.#look();
    this.#emit("attempt", { wait: this.nextAttempt });
  }

  #finish(reason, status = "ended") {
    globalThis.document?.removeEventListener("visibilitychange", this.#wake);
    globalThis.removeEventListener?.("online", this.#wake);
    globalThis.removeEventListener?.("offline", this.#lose);
    clearTimeout(this.#timer);
    this.#link?.rest();
    this.#emit("attempt", { wait: undefined });
    this.#entry.release();
    this.#become(status, reason);
  }

  get #isOver() {
    return /ended|signedOut/.test(this.status);
  }
}

// Transports

export function webSocket(url, hello, on) {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/socket${queryOf(hello)}`, "riblet.v1.json");
  socket.onopen = () => {
    socket.send(JSON.stringify(hello));
    on.open();
  };
  socket.onmessage = ({ data }) => on.message(data);
  socket.onclose = ({ code, reason }) => on.close(code, reason);
  return socket;
}

let failedImports = 0;

/** The HTTP twin, loaded when it is needed. */
export function eventStream(url, hello, on) {
  let stream;
  let isClosed = false;
  // What could not be loaded once, some browsers do not try to load again under that name.
  const load = failedImports ? import(`./riblet-events.js?${failedImports}`) : import("./riblet-events.js");
  load.then(
    ({ open }) => {
      if (!isClosed) stream = open(url, hello, on);
      if (isClosed) stream?.close();
    },
    ({ message }) => {
      failedImports++;
      if (!isClosed) on.close(1006, message);
    },
  );
  return {
    send: (text) => stream.send(text),
    close() {
      isClosed = true;
      stream?.close();
    },
  };
}
