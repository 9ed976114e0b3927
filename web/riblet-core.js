// The documents and the protocol of riblet.js, without I/O. Names in brackets are rules of PROTOCOL.md.

import { returns } from "./riblet-link.js";

// Documents

const isContainer = (value) => typeof value === "object" && value !== null;

export const has = (parent, key) =>
  isContainer(parent) && Object.hasOwn(parent, key) && !(Array.isArray(parent) && key === "length");

function get(parent, key) {
  if (has(parent, key)) return parent[key];
  throw new RangeError(`There is no ${key}.`);
}

/** The tokens of a JSON Pointer, with an empty one before the first slash: the document is the member "" of a box. */
export function parse(pointer) {
  if (!/^(\/([^~]|~[01])*)?$/.test(pointer)) throw new RangeError(`${pointer} is no JSON Pointer.`);
  return pointer.split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function applyPatch(document, ops) {
  const box = { "": document };
  const copies = new Set();
  const copyOf = (parent, key) => {
    const value = get(parent, key);
    if (!isContainer(value) || copies.has(value)) return value;
    parent[key] = Array.isArray(value) ? [...value] : { ...value };
    copies.add(parent[key]);
    return parent[key];
  };
  const find = (pointer) => {
    const path = parse(pointer);
    const key = path.pop();
    return { parent: path.reduce(copyOf, box), key };
  };
  // An assignment to "__proto__" would make no member.
  const set = (parent, key, value) =>
    Object.defineProperty(parent, key, { value, configurable: true, enumerable: true, writable: true });

  const add = (pointer, value) => {
    const { parent, key } = find(pointer);
    if (Array.isArray(parent)) {
      const index = key === "-" ? parent.length : key;
      if (String(index) !== String(parent.length)) get(parent, key);
      parent.splice(index, 0, value);
    } else {
      set(parent, key, value);
    }
  };
  const remove = (pointer) => {
    const { parent, key } = find(pointer);
    const value = get(parent, key);
    if (Array.isArray(parent)) parent.splice(key, 1);
    else delete parent[key];
    return value;
  };
  for (const { op, path, from, value } of ops) {
    if (op === "remove") {
      remove(path);
    } else if (op === "move" && !path.startsWith(`${from}/`)) {
      add(path, remove(from));
    } else if (op === "add" && value !== undefined) {
      add(path, value);
    } else if (op === "replace" && value !== undefined) {
      const { parent, key } = find(path);
      get(parent, key);
      set(parent, key, value);
    } else {
      throw new RangeError(`${op} cannot be done at ${path}.`);
    }
  }
  return get(box, "");
}

const bytesOf = (text) => new TextEncoder().encode(text);

// The protocol, without I/O

export const closeCodes = {
  ended: 1000, shutdown: 4000, silent: 4001, moved: 4002, no_hello: 4008, full: 4100, unavailable: 4101, quota: 4102, busy: 4103,
  gone: 4200, poisoned: 4201, expired: 4300, unauthenticated: 4301, bad_message: 4400, denied: 4401, revoked: 4402, failed: 4403,
  unknown_app: 4404, forbidden: 4405, taken: 4409, stale: 4410,
};

/** In which states of the client a message may come. */
const turns = {
  __proto__: null, welcome: "greeting", snap: "live", patch: "live", nack: "live", share: "live", notice: "live", clients: "live",
  auth: "live",
  drain: "greeting, live", bye: "greeting, live",
};

const lostBody = { code: "lost_body", message: "It was not sent before the page was loaded anew. Enter it again." };

/** The content of secret actions, by action: it is neither stored nor in an event. */
const secrets = new WeakMap();

const isLost = (action) => action.secret && !secrets.has(action);

const unread = { code: "bad_action", message: "The server could not read it." };

/** A message; if it has a secret, `shown` is the same without the secret, for inspectors. Of a lost action only the number is left. */
function messageOf(action, ack) {
  const { n, to, back, secret } = action;
  // No node has the id 0: the server refuses the message, unless it has done the action before.
  if (action.withdrawn || isLost(action)) return { t: "act", n, to: 0, a: null, ack };
  const message = { t: back ? "back" : "act", n, to, a: secret ? secrets.get(action) : action.action, ack };
  return secret ? Object.defineProperty(message, "shown", { value: { ...message, a: null } }) : message;
}

/** A message; if it has secrets, `shown` is the same without them, for inspectors. */
export function withoutSecrets(message, ...keys) {
  const hidden = keys.filter((key) => message[key] !== undefined).map((key) => [key, "…"]);
  if (message.resume) hidden.push(["resume", { ...message.resume, token: "…" }]);
  if (!hidden.length) return message;
  return Object.defineProperty(message, "shown", { value: { ...message, ...Object.fromEntries(hidden) } });
}

/** The query of the URL that a connection with this hello is opened at: the id of a session that there is already [by-session]. */
export function queryOf({ resume, share }) {
  // What has no dot is no share token, and may be a secret: others log URLs.
  const sid = resume?.sid ?? /^[^.]+(?=\.)/.exec(share)?.[0];
  return sid ? `?${new URLSearchParams({ sid })}` : "";
}

export class Core {
  /** At first new; then greeting, live and away by turns; at last ended. */
  state = "new";
  session;
  pending = [];
  view;
  epoch = "";
  revision = 0;
  covered = 0;
  #last = 0;
  /** What is above was never sent, and may be too long. */
  #sent = 0;
  #limit = 0;
  #tried = 0;
  #isInStep = true;
  /** The last action of a stored session, until its first welcome. */
  #restored = Infinity;
  #acknowledged;
  /** The action over which the server has probably ended a connection [not-read]. */
  #blamed;
  #resyncs = [];
  #events = [];

  #tell(...event) {
    this.#events.push(event);
  }

  #told() {
    return this.#events.splice(0);
  }

  hello({ app, params, client = {}, features, share }, auth) {
    this.state = "greeting";
    if (!this.session) return withoutSecrets({ t: "hello", app, params, client, features, share, auth }, "auth", "share");
    if (!this.#isInStep || !this.view) this.revision = 0;
    this.#isInStep = true;
    const resume = { ...this.session, try: ++this.#tried, epoch: this.epoch, rev: this.revision };
    return withoutSecrets({ t: "hello", app, client, features, resume, auth }, "auth");
  }

  stored() {
    return { ...this.session, try: this.#tried, n: this.covered, outbox: this.pending, blamed: this.#blamed };
  }

  restore({ sid, cid, token, try: tried, n, outbox, blamed }) {
    this.session = { sid, cid, token };
    this.#tried = tried;
    this.#blamed = blamed;
    this.covered = n;
    this.#sent = this.#restored = n + outbox.length;
    this.#renumber([...outbox, ...this.pending]);
  }

  /**
   * Splits off a new session for the current person, as the restored one belongs to another person. Actions taken since the restore move to
   * the new session.
   */
  part() {
    const next = new Core(), isOwn = ({ n }) => n > this.#restored;
    const own = this.pending.filter(isOwn);
    this.pending = this.pending.filter((action) => !isOwn(action));
    next.#renumber(own);
    return next;
  }

  /** Numbers an action, and keeps it. Returns it, and its message if it may be sent now. */
  take({ body, ...target }) {
    if (bytesOf(target.to).length > 256) throw new RangeError("A path has at most 256 bytes.");
    const action = { n: this.#last + 1, ...target };
    if (action.secret) secrets.set(action, body);
    const isLive = this.state === "live";
    const message = messageOf(action, isLive ? this.#seen : undefined);
    if (this.#isTooLong(message)) throw this.tooLong();
    this.#last = action.n;
    this.pending = [...this.pending, action];
    if (!isLive) return [action];
    this.#sent = action.n;
    this.ack();
    return [action, message];
  }

  #isTooLong(message) {
    return this.#limit && bytesOf(JSON.stringify(message)).length > this.#limit;
  }

  tooLong() {
    return new RangeError(`The server takes messages of ${this.#limit} bytes.`);
  }

  get #seen() {
    return { rev: this.revision, n: this.covered };
  }

  get #place() {
    return `${this.revision} ${this.covered}`;
  }

  ack() {
    this.#acknowledged = this.#place;
    return { t: "ack", ...this.#seen };
  }

  /** An ack that says nothing new would wake a session that rests [ack]. */
  ping() {
    const ping = { t: "ping" };
    return this.#acknowledged === this.#place ? ping : [this.ack(), ping];
  }

  /** Returns what happened, as lists of a name and what belongs to it. */
  receive(message, time) {
    const { t, n } = message;
    if (typeof t !== "string") throw new Error("A message has no kind.");
    if (!(t in turns)) return [];
    if (!turns[t].includes(this.state)) throw new Error(`A message came out of turn: ${t}.`);
    if (t === "welcome") {
      this.#begin(message);
    } else if (t === "snap") {
      if (!isContainer(message.view)) throw new Error("A snap without a view.");
      this.#isInStep = true;
      this.view = message.view;
      this.epoch = message.epoch;
      this.revision = message.rev;
      this.#cover(n);
    } else if (t === "patch") {
      this.#patch(message, time);
    } else if (t === "nack") {
      // Answers come in order: what was sent before is done.
      this.#cover(Math.max(this.covered, n - 1));
      this.#refuse(message);
      this.#cover(n);
    } else {
      // A client that has signed in gets a new token.
      if (t === "auth" && message.token) this.session = { ...this.session, token: message.token };
      this.#tell(t, message);
    }
    return this.#told();
  }

  #begin(welcome) {
    const { sid, cid, token, epoch, n, limits } = welcome;
    if (this.session && !(welcome.resumed && sid === this.session.sid && cid === this.session.cid)) {
      throw new Error("This is another session.");
    }
    this.state = "live";
    this.session = { sid, cid, token };
    // Another life of the tree counts on from what was committed: one that is behind the view has lost some of it.
    const isBehind = epoch !== this.epoch && welcome.rev < this.revision;
    if (epoch !== this.epoch) this.revision = 0;
    if (!this.view) this.epoch = epoch;
    this.#limit = limits.messageBytes;
    this.#acknowledged = undefined;
    if (n > this.#restored) {
      // A browser that crashed may have kept an older entry than what was sent: whether its actions are among those is not known.
      this.#settle("unknown", (action) => action.n <= this.#restored);
      this.covered = n;
      this.#renumber(this.pending);
    }
    this.#restored = Infinity;
    welcome.nacks.forEach((nack) => this.#refuse(nack));
    // Refused or done: the server does not know it any more [nacks-omitted].
    const told = welcome.nacks[0]?.n ?? n + 1;
    if (welcome.nacksOmitted) this.#settle("unknown", (action) => action.n < told && action.n <= n);
    const isBack = n < this.covered;
    if (!isBack) this.#cover(n);
    if (isBack || isBehind) this.#goBack(n);
    const isLong = (action) => action.n > this.#sent && this.#isTooLong(messageOf(action));
    const long = this.pending.filter(isLong);
    for (const action of long) this.#tell("tooLong", action);
    if (long.length) this.#renumber(this.pending.filter((action) => !long.includes(action)));
    this.#sent = this.#last;
    this.#tell("live", welcome);
    for (const action of this.pending) this.#tell("send", messageOf(action));
  }

  /** [n-back]: ids that were given since are given again, to other nodes. */
  #goBack(n) {
    const isSafe = ({ to }) => typeof to === "string" || to === this.view?.root;
    const dropped = this.pending.filter((action) => !isSafe(action));
    const count = this.covered - n + dropped.length;
    if (count) this.#tell("lost", count, dropped);
    this.covered = n;
    this.#blamed = undefined;
    this.#renumber(this.pending.filter(isSafe));
  }

  #renumber(pending) {
    this.#last = this.covered;
    for (const action of pending) action.n = ++this.#last;
    this.pending = pending;
  }

  #patch({ ops, base, rev, n, hash }, time) {
    if (this.#isInStep) {
      try {
        if (base !== this.revision) throw new RangeError("The patch is for another view.");
        this.view = applyPatch(this.view, ops);
        this.revision = rev;
      } catch {
        this.#resync(time);
      }
    }
    this.#cover(n);
    if (hash) this.#tell("hash", hash, this.#isInStep && this.view);
  }

  /** The view has another hash than the server's. */
  diverged(time) {
    if (this.state === "live" && this.#isInStep) this.#resync(time);
    return this.#told();
  }

  #resync(time) {
    this.#isInStep = false;
    this.#resyncs = this.#resyncs.filter((earlier) => time - earlier < 60_000);
    if (this.#resyncs.push(time) > 6) throw new Error("Patches do not fit, again and again.");
    this.#tell("send", { t: "resync" });
  }

  #cover(n) {
    if (!(n >= this.covered && n <= this.#last)) {
      throw new Error(`n is ${n}, after ${this.covered}; the last action is ${this.#last}.`);
    }
    this.covered = n;
    this.#settle("applied", (action) => action.n <= n);
  }

  #refuse({ n, code, message }) {
    this.#settle("refused", (action) => action.n === n, { n, code, message });
  }

  #settle(status, isSettled, nack) {
    const settled = this.pending.filter(isSettled);
    if (settled.length) this.pending = this.pending.filter((action) => !isSettled(action));
    for (const action of settled) {
      const own = nack?.code === "gone" && (action.withdrawn ? unread : isLost(action) && lostBody);
      const reason = own ? { ...nack, ...own } : nack;
      this.#tell("settled", action, { status, n: action.n, ...(reason && { nack: reason }) });
    }
  }

  disconnected(code, hasSaidBye) {
    const when = returns(code, hasSaidBye);
    if (/anew|never/.test(when) || (when === "asked" && !this.session)) return this.abandon();
    if (when === "asked") this.#blameFirst();
    if (this.state !== "ended") this.state = this.session ? "away" : "new";
    return [];
  }

  /** [not-read] Of the action that is there the second time only the number is sent again. */
  #blameFirst() {
    const [first] = this.pending;
    if (this.state !== "live" || !first) return;
    if (first.n === this.#blamed) {
      first.withdrawn = true;
      this.pending = [...this.pending];
    }
    this.#blamed = first.n;
  }

  abandon() {
    this.state = "ended";
    this.session = undefined;
    this.#settle("unknown", () => true);
    return this.#told();
  }
}
