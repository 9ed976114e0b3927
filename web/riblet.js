// The web client of RibServer: riblet.d.ts documents it. Names in brackets are rules of PROTOCOL.md.

// Documents

const isContainer = (value) => typeof value === "object" && value !== null;

const has = (parent, key) =>
  isContainer(parent) && Object.hasOwn(parent, key) && !(Array.isArray(parent) && key === "length");

function get(parent, key) {
  if (has(parent, key)) return parent[key];
  throw new RangeError(`There is no ${key}.`);
}

/** The tokens of a JSON Pointer, with an empty one before the first slash: the document is the member "" of a box. */
function parse(pointer) {
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

/** RFC 8785. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (!isContainer(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}`;
}

const bytesOf = (text) => new TextEncoder().encode(text);

async function hashOf(view) {
  const hash = await crypto.subtle.digest("SHA-256", bytesOf(canonical(view)));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The protocol, without I/O

const closeCodes = {
  ended: 1000, shutdown: 4000, silent: 4001, moved: 4002, no_hello: 4008, full: 4100, unavailable: 4101, quota: 4102, busy: 4103,
  gone: 4200, poisoned: 4201, expired: 4300, unauthenticated: 4301, bad_message: 4400, denied: 4401, revoked: 4402, failed: 4403,
  unknown_app: 4404, forbidden: 4405, taken: 4409, stale: 4410,
};

/** When to come back after a connection that ended with this code. */
function returns(code) {
  if ([1000, 1002, 1003, 1007, 1009].includes(code)) return "never";
  return { 41: "later", 42: "anew", 43: "known", 44: "never" }[Math.floor(code / 100)] ?? "soon";
}

/** In which states of the client a message may come. */
const turns = {
  __proto__: null, welcome: "greeting", snap: "live", patch: "live", nack: "live", share: "live", notice: "live", auth: "live",
  drain: "greeting, live", bye: "greeting, live",
};

const lostBody = { code: "lost_body", message: "It was not sent before the page was loaded anew. Enter it again." };

/** The content of secret actions, by action: it is neither stored nor in an event. */
const secrets = new WeakMap();

const isLost = (action) => action.secret && !secrets.has(action);

/** A message; if it has a secret, `shown` is the same without the secret, for inspectors. Of a lost action only the number is left. */
function messageOf(action, ack) {
  const { n, to, back, secret } = action;
  // No node has the id 0: the server refuses the message, unless it has done the action before.
  if (isLost(action)) return { t: "act", n, to: 0, a: null, ack };
  const message = { t: back ? "back" : "act", n, to, a: secret ? secrets.get(action) : action.action, ack };
  return secret ? Object.defineProperty(message, "shown", { value: { ...message, a: null } }) : message;
}

/** A message; if it has the secret member `key`, `shown` is the same without the secret, for inspectors. */
const shownWithout = (key, message) =>
  message[key] === undefined ? message : Object.defineProperty(message, "shown", { value: { ...message, [key]: "…" } });

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
  #resyncs = [];
  #events = [];

  #tell(...event) {
    this.#events.push(event);
  }

  #told() {
    return this.#events.splice(0);
  }

  hello({ app, params, client = {}, share }, auth) {
    this.state = "greeting";
    if (!this.session) return shownWithout("auth", { t: "hello", app, params, client, share, auth });
    if (!this.#isInStep || !this.view) this.revision = 0;
    this.#isInStep = true;
    const resume = { ...this.session, try: ++this.#tried, epoch: this.epoch, rev: this.revision };
    return shownWithout("auth", { t: "hello", app, client, resume, auth });
  }

  stored() {
    return { ...this.session, try: this.#tried, n: this.covered, outbox: this.pending };
  }

  restore({ sid, cid, token, try: tried, n, outbox }) {
    this.session = { sid, cid, token };
    this.#tried = tried;
    this.covered = n;
    this.#sent = this.#restored = n + outbox.length;
    this.#renumber([...outbox, ...this.pending]);
  }

  /** Numbers an action, and keeps it. Returns it, and its message if it may be sent now. */
  take({ body, ...target }) {
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

  ack() {
    this.#acknowledged = canonical(this.#seen);
    return { t: "ack", ...this.#seen };
  }

  /** An ack that says nothing new would wake a session that rests [ack]. */
  ping() {
    const ping = { t: "ping" };
    return this.#acknowledged === canonical(this.#seen) ? ping : [this.ack(), ping];
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
      const reason = nack?.code === "gone" && isLost(action) ? { ...nack, ...lostBody } : nack;
      this.#tell("settled", action, { status, n: action.n, ...(reason && { nack: reason }) });
    }
  }

  disconnected(code) {
    if (/anew|never/.test(returns(code))) return this.abandon();
    if (this.state !== "ended") this.state = this.session ? "away" : "new";
    return [];
  }

  abandon() {
    this.state = "ended";
    this.session = undefined;
    this.#settle("unknown", () => true);
    return this.#told();
  }
}

// The session

const now = () => performance.now();

/** Runs the page's code, whose errors are not the connection's. */
function call(fn, ...values) {
  try {
    return fn(...values);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export const connect = (url, options) => new Session(url, options);

export class Session extends EventTarget {
  status = "connecting";
  reason;
  welcome;
  durability;
  #core = new Core();
  #url;
  #options;
  #key;
  /** What the page was told of; drawn is the view with predicted nodes. */
  #shown = { pending: this.#core.pending };
  /** An action's promise, and the node that is predicted from another. */
  #kept = new WeakMap();
  #subscriptions = new Set();
  #questions = { share: [], check: [], auth: [] };
  #connection;
  /** Which connection it is: what an earlier one says is not heard. */
  #attempt = 0;
  /** Attempts without a welcome, the transport that had the last one, and the one that is tried now. */
  #failures = 0;
  #working = 0;
  #tried = 0;
  #ceiling = 50;
  #timer;
  /** The timer for the next credential, and how many connections have ended for want of a valid one since the last welcome. */
  #renewal;
  #refusals = 0;
  #heardAt;
  #sentAt;
  #pingedAt;
  #unlock;
  #isReset = false;
  #isLeaving = false;

  constructor(url, options) {
    super();
    this.#url = String(url).replace(/\/+$/, "");
    this.#options = { transports: [webSocket, eventStream], ...options };
    this.#key = options.key ?? `riblet:${this.#url}:${options.app ?? options.share}`;
    globalThis.document?.addEventListener("visibilitychange", this.#wake);
    globalThis.addEventListener?.("online", this.#wake);
    this.#start();
  }

  async #start() {
    const { storage, app } = this.#options;
    let entry;
    try {
      entry = JSON.parse(storage.getItem(this.#key));
    } catch {
      // No storage, or nothing that can be read.
    }
    if (entry?.app === app && entry?.sid && (await this.#lock(entry))) this.#core.restore(entry);
    const hasBegun = app || this.#options.share || this.#core.session;
    // Who has just called has no listeners yet.
    if (!hasBegun) await null;
    if (this.#isOver) this.#unlock?.();
    else if (hasBegun) this.#open();
    else {
      this.#carryOut(this.#core.abandon());
      const message = entry ? "The session is open in another tab." : "There is no session to go on with.";
      this.#finish({ code: entry ? "taken" : "gone", message });
    }
  }

  /** Whether no other tab goes on with the session: a duplicated one has a copy of the entry [newest]. */
  #lock({ sid, cid }) {
    const locks = globalThis.navigator?.locks;
    if (!this.#options.storage || !locks) return true;
    const name = `riblet:${sid}:${cid}`;
    // The page that is being reloaded lets go in a moment.
    const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload" && now() < 5000;
    return new Promise((resolve) => {
      const waiting = new AbortController();
      let timer;
      const look = async () => {
        const { held } = await locks.query().catch(() => ({ held: undefined }));
        // A lock that nobody has comes, however slow the browser is.
        if (!held || held.some((lock) => lock.name === name)) waiting.abort();
        else if (!waiting.signal.aborted) timer = setTimeout(look, 500);
      };
      timer = setTimeout(look, isReload ? 5000 : 500);
      // A session that is over before the lock is given lets it go at once.
      const over = new Promise((release) => (this.#unlock = release));
      const hold = () => {
        clearTimeout(timer);
        resolve(true);
        return over;
      };
      locks.request(name, { signal: waiting.signal }, hold).catch(() => {
        waiting.abort();
        clearTimeout(timer);
        resolve(false);
      });
    });
  }

  /** Whether another page could go on now. */
  #save() {
    const { storage, app } = this.#options;
    if (!this.#attempt) return false; // the entry is not read yet
    try {
      // Without room for the new entry the old one must not stay: it would use numbers again.
      storage.removeItem(this.#key);
      if (this.#core.session) storage.setItem(this.#key, JSON.stringify({ ...this.#core.stored(), app }));
      return Boolean(this.#core.session);
    } catch {
      return false;
    }
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

  node(id = this.view?.root) {
    return this.#shown.drawn?.nodes[id];
  }

  subscribe(target, fn) {
    const subscription = { target, fn, value: this.#read(target) };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /** What is at a place; types have none. */
  #read(target) {
    if (typeof target === "number") return this.node(target);
    if (!/^(\/|$)/.test(target)) return undefined;
    const step = (parent, key) => (has(parent, key) ? parent[key] : undefined);
    return parse(target).reduce(step, { "": this.#shown.drawn });
  }

  /** Tells the page what has changed since it was told last. */
  #update(ops = null) {
    const before = this.#shown;
    // After a reset the old view stays until the new one comes.
    const { pending, view = before.view } = this.#core;
    const drawn = this.#predict(view, pending);
    this.#shown = { pending, view, drawn };
    if (pending !== before.pending) this.#emit("pending", { pending });
    const old = before.drawn?.nodes;
    const isOther = (id) => drawn?.nodes[id] !== old?.[id];
    const all = drawn === before.drawn ? [] : Object.keys({ ...old, ...drawn.nodes });
    const ids = new Set(all.filter(isOther).map(Number));
    if (!ids.size && view === before.view) return;
    const change = { ids, ops, view };
    for (const subscription of this.#subscriptions) {
      const { target, fn, value } = subscription;
      subscription.value = this.#read(target);
      if (subscription.value !== value) call(fn, subscription.value, change);
      for (const id of ids) {
        const node = this.node(id);
        if ((node ?? old[id])?.type === target) call(fn, node, { ...change, id });
      }
    }
    this.#emit("change", change);
  }

  #predict(view, pending) {
    let drawn = view;
    for (const action of pending) {
      const id = action.to === "" ? view?.root : action.to;
      const node = drawn?.nodes[id];
      const rule = this.#options.optimistic?.[node?.type];
      if (!rule || action.back || action.secret) continue;
      const kept = this.#kept.get(action) ?? {};
      // Made once: nodes keep their identity while nothing changes them.
      if (kept.from !== node) {
        kept.from = node;
        kept.node = { ...node, state: call(rule, node.state, action.action) ?? node.state };
        this.#kept.set(action, kept);
      }
      drawn = { ...drawn, nodes: { ...drawn.nodes, [id]: kept.node } };
    }
    return drawn;
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
    return this.#take(to, () => ({ to, back: true }));
  }

  #take(to, describe) {
    return new Promise((resolve, reject) => {
      const isId = Number.isSafeInteger(to) && to >= 0;
      if (!isId && typeof to !== "string") throw new TypeError("An action is for a node's id or a path.");
      // After a reset the ids on the screen mean nothing.
      if (this.#isOver || (isId && this.view !== this.#core.view)) throw new Error("The session has ended.");
      const [action, message] = this.#core.take(describe());
      this.#kept.set(action, { resolve, reject });
      this.#carryOut(message ? [["send", message]] : []);
    });
  }

  share(scope) {
    return this.#ask({ t: "share", scope });
  }

  async check() {
    if (!globalThis.crypto?.subtle) throw new Error("A check needs crypto.subtle.");
    return this.#ask({ t: "check" });
  }

  #ask(message) {
    return new Promise((resolve, reject) => {
      if (this.#core.state !== "live") throw new Error("There is no connection.");
      this.#send(message);
      this.#questions[message.t].push({ resolve, reject });
    });
  }

  end() {
    this.#isLeaving = true;
    if (this.#core.state === "live") this.#send({ t: "bye" });
    return new Promise((resolve) => {
      const look = () => this.#isOver && resolve();
      this.addEventListener("status", look);
      look();
    });
  }

  close() {
    if (this.#isOver) return;
    if (!this.#save()) this.#carryOut(this.#core.abandon());
    this.#leave();
    this.#finish({ code: "closed", message: "" });
  }

  reconnect() {
    if (this.#connection) this.#closed(undefined, { code: "reconnect", message: "" });
  }

  #wake = () => {
    if (this.#connection) this.#beat();
    else if (this.#attempt) this.#open();
  };

  async #open() {
    clearTimeout(this.#timer);
    const attempt = ++this.#attempt;
    if (globalThis.document?.hidden) return; // until it wakes
    let auth;
    if (this.#options.auth) {
      try {
        auth = (await this.#options.auth()) ?? undefined;
      } catch ({ message }) {
        if (attempt === this.#attempt) this.#closed(closeCodes.busy, { code: "busy", message });
        return;
      }
      if (attempt !== this.#attempt) return;
      if (auth === undefined && this.#refusals) return this.#signedOut({ code: "unauthenticated", message: "" });
    }
    const { transports } = this.#options;
    // One that has worked is given up late: as a rule it is the server that is away.
    this.#tried = this.#working + (this.#failures >> (this.welcome ? 4 : 1));
    const transport = transports[this.#tried % transports.length];
    const hello = this.#core.hello(this.#options, auth);
    this.#save();
    this.#heardAt = this.#sentAt = this.#pingedAt = now();
    const hear = (text) => {
      this.#heardAt = now();
      this.#emit("message", { direction: "in", text });
      for (const message of [JSON.parse(text)].flat()) {
        if (attempt === this.#attempt) this.#carryOut(this.#core.receive(message, now()), message.ops);
      }
    };
    const close = (code, message) => this.#closed(code, { code: String(code), message });
    const guard = (listen) => (...values) => attempt === this.#attempt && this.#go(() => listen(...values));
    const open = () => this.#emit("message", { direction: "out", text: JSON.stringify(hello.shown ?? hello) });
    try {
      this.#connection = transport(this.#url, hello, { open: guard(open), message: guard(hear), close: guard(close) });
      this.#beat();
    } catch (error) {
      close(1006, error.message);
    }
  }

  /** A server that breaks the protocol might do so again at once: it is left for a second. */
  #go(step) {
    try {
      step();
    } catch ({ message }) {
      this.#closed(4100, { code: "bad_server", message });
    }
  }

  #send(message) {
    const text = JSON.stringify(message);
    this.#sentAt = now();
    this.#connection?.send(text);
    this.#emit("message", { direction: "out", text: message.shown ? JSON.stringify(message.shown) : text });
  }

  #carryOut(events, ops) {
    // Before anything is sent: what is sent but not stored a reload would lose.
    if (this.#core.pending !== this.#shown.pending) this.#save();
    // Before anybody hears of it: an action that a listener takes comes after those that are sent again.
    for (const [name, message] of events) if (name === "send") this.#send(message);
    this.#update(ops);
    for (const [name, ...values] of events) if (name !== "send") this.#on[name](...values);
  }

  #on = {
    live: (welcome) => {
      // Somebody who was told first has left.
      if (!this.#connection) return;
      this.#failures = 0;
      this.#refusals = 0;
      this.#working = this.#tried;
      this.welcome = welcome;
      this.durability = welcome.durability;
      this.#ceiling = 50;
      if (!welcome.resumed) this.#lock(welcome);
      this.#save();
      this.#beat();
      this.#renewIn(welcome.auth?.expires);
      this.#become(welcome.resumed ? "resumed" : this.#isReset ? "reset" : "live");
      if (this.#isLeaving) this.#send({ t: "bye" });
    },
    settled: (action, outcome) => {
      this.#kept.get(action)?.resolve?.(outcome);
      this.#emit("outcome", { ...action, ...outcome });
    },
    tooLong: (action) => this.#kept.get(action)?.reject?.(this.#core.tooLong()),
    lost: (count, dropped) => {
      for (const action of dropped) this.#on.settled(action, { status: "unknown", n: action.n });
      this.#emit("lost", { count });
    },
    hash: async (hash, view) => {
      const question = this.#questions.check.shift();
      const isSame = view && (await hashOf(view)) === hash;
      if (!isSame) this.#go(() => this.#carryOut(this.#core.diverged(now())));
      question?.resolve(isSame);
    },
    share: ({ token, expires }) => this.#questions.share.shift()?.resolve({ token, expires }),
    auth: ({ expires }) => {
      this.#save();
      this.#renewIn(expires);
      for (const { resolve } of this.#questions.auth.splice(0)) resolve();
    },
    notice: ({ durability }) => {
      this.durability = durability;
      this.#emit("notice", { durability });
    },
    drain: ({ within }) => {
      const attempt = this.#attempt;
      setTimeout(() => attempt === this.#attempt && this.reconnect(), Math.random() * within);
    },
    // A word of a later version has its number in the close frame.
    bye: ({ code, message }) => closeCodes[code] && this.#closed(closeCodes[code], { code, message }),
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
    return this.#ask(shownWithout("token", { t: "auth", token }));
  }

  /** Ends this object but keeps the session: with storage, another page can go on with it once the user has signed in. */
  #signedOut(reason) {
    this.#leave();
    if (!this.#save()) this.#carryOut(this.#core.abandon());
    this.#finish(reason, "signedOut");
  }

  /** [heartbeat] */
  #beat() {
    clearTimeout(this.#timer);
    const heartbeat = this.welcome?.heartbeat || 25_000;
    // The timers of a hidden page are late: it gives the server time to answer.
    const end = () => Math.max(this.#heardAt + heartbeat, globalThis.document?.hidden ? this.#pingedAt : 0) + 10_000;
    const due = () => Math.max(this.#pingedAt, Math.min(this.#heardAt, this.#sentAt)) + heartbeat;
    if (now() >= due()) {
      this.#pingedAt = now();
      if (this.#core.state === "live") this.#send(this.#core.ping());
    }
    if (now() >= end()) return this.#closed(undefined, { code: "silent", message: "" });
    this.#timer = setTimeout(() => this.#beat(), Math.min(due(), end()) - now());
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

  #closed(code, reason) {
    this.#leave();
    if (this.#core.state === "greeting" && (code ?? 1006) === 1006) this.#failures++;
    const when = returns(code);
    this.#carryOut(this.#core.disconnected(code));
    if (when === "never" || (when === "anew" && (this.#isLeaving || !this.#options.app))) {
      this.#save();
      return this.#finish(reason, code === closeCodes.revoked ? "signedOut" : "ended");
    }
    if (when === "known" && ++this.#refusals >= 3) return this.#signedOut(reason);
    if (when === "anew") {
      this.#isReset = true;
      this.#unlock?.();
      this.#core = new Core();
    }
    if (this.status !== "connecting") this.#become("reconnecting", reason);
    const floor = when === "later" ? 1000 : 0;
    this.#ceiling = Math.max(this.#ceiling, 2 * floor);
    this.#timer = setTimeout(() => this.#open(), floor + Math.random() * (this.#ceiling - floor));
    this.#ceiling = Math.min(2 * this.#ceiling, 30_000);
  }

  #finish(reason, status = "ended") {
    globalThis.document?.removeEventListener("visibilitychange", this.#wake);
    globalThis.removeEventListener?.("online", this.#wake);
    this.#unlock?.();
    this.#become(status, reason);
  }

  get #isOver() {
    return /ended|signedOut/.test(this.status);
  }
}

// Transports

export function webSocket(url, hello, on) {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/socket`, "riblet.v1.json");
  socket.onopen = () => {
    socket.send(JSON.stringify(hello));
    on.open();
  };
  socket.onmessage = ({ data }) => on.message(data);
  socket.onclose = ({ code, reason }) => on.close(code, reason);
  return socket;
}

const statusCodes = { 400: 4400, 401: 4401, 403: 4401, 404: 4200, 409: 4400, 413: 4400, 415: 4400, 421: 4400, 429: 4102, 503: 4100 };

export function eventStream(url, { t, resume, auth, ...hello }, on) {
  const abort = new AbortController();
  let session = resume;
  let credential = auth;
  let isOpen = false;
  let queue = [];
  /** The last action of the request in flight, and when that is given up. */
  let awaited = 0;
  let patience;

  const close = () => {
    clearTimeout(patience);
    abort.abort();
  };

  const end = (code = 1006, reason = "") => {
    if (abort.signal.aborted) return;
    close();
    on.close(code, reason);
  };

  async function request(method, path, body, headers) {
    const response = await fetch(`${url}/v1/sessions${path}`, {
      method,
      body: JSON.stringify(body),
      headers: {
        "Content-Type": "application/json", ...(session && { "Riblet-Token": session.token }),
        ...(credential && { Authorization: `Bearer ${credential}` }), ...headers,
      },
      signal: abort.signal,
    });
    if (response.ok) return response;
    const { detail, code } = await response.json();
    // No app of this name will be there later either, and no root of it.
    const codes = !path ? { 404: 4404, 500: 4403 } : method === "GET" && { 409: 4410 };
    // The challenge says which is missing or wrong: the person's credential, or the client's token.
    const isPerson = response.headers?.get("WWW-Authenticate")?.startsWith("Bearer");
    end(closeCodes[code] ?? (isPerson ? closeCodes.unauthenticated : { ...statusCodes, ...codes }[response.status]), detail);
    throw new Error(detail);
  }

  // What becomes of actions the stream says, in order with the view. So answers are not read; and as a request
  // acknowledges the refusals before it [http-nacks], it waits until the stream has told them.
  async function post() {
    if (awaited || !isOpen || !queue.length || abort.signal.aborted) return;
    patience = setTimeout(() => end(1006), 35_000);
    if (queue[0].t === "bye") {
      awaited = Infinity;
      return request("DELETE", `/${session.sid}`);
    }
    const last = queue.findIndex(({ t }, place) => t === "bye" || place === 15);
    const batch = queue.splice(0, last < 0 ? queue.length : last);
    awaited = batch.at(-1).n;
    const actions = batch.map(({ t, to, a }) => (t === "back" ? { t, to } : { to, a }));
    await request("POST", `/${session.sid}/actions`, actions, { "Idempotency-Key": `"${batch[0].n}"` });
  }

  async function authenticate(token) {
    const answer = await (await request("PUT", `/${session.sid}/auth`, { auth: token })).json();
    credential = token;
    if (answer.token) session = { ...session, token: answer.token };
    on.message(JSON.stringify(answer));
  }

  async function listen() {
    if (!resume) {
      const { view, ...welcome } = await (await request("POST", "", hello)).json();
      session = welcome;
      on.open();
      on.message(JSON.stringify([welcome, { ...welcome, t: "snap", view }]));
    }
    const { epoch, rev } = session;
    const known = { ...(rev && { "Last-Event-ID": `${epoch}.${rev}` }), ...(resume && { "Riblet-Try": resume.try }) };
    const { body } = await request("GET", `/${session.sid}/events`, undefined, known);
    isOpen = true;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let chunk = {}; !chunk.done; chunk = await reader.read()) {
      const events = (text + (chunk.value ?? "")).split("\n\n");
      text = events.pop();
      for (const event of events) {
        // Comments only say that the server is there.
        const line = event.split("\n").find((line) => line.startsWith("data: "));
        const data = line?.slice(6) ?? '{"t":"pong"}';
        const message = JSON.parse(data);
        // A new session has had its welcome.
        if (resume || message.t !== "welcome") on.message(data);
        if (message.n >= awaited) {
          awaited = 0;
          clearTimeout(patience);
        }
        run(post);
      }
    }
    end();
  }

  const run = (step) => step().catch(() => end());
  run(listen);
  return {
    send(text) {
      for (const message of [JSON.parse(text)].flat()) {
        if (/act$|back|bye/.test(message.t)) queue.push(message);
        if (/check|share/.test(message.t)) throw new Error(`There is no ${message.t} over HTTP.`);
        if (message.t === "resync") end();
        if (message.t === "auth") run(() => authenticate(message.token));
      }
      run(post);
    },
    close,
  };
}
