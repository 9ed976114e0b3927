// A world in which the tests decide what time it is, what chance brings, and what the server says.

import { connect } from "../../web/riblet.js";

export class World {
  time = 0;
  /** What was thrown where nobody catches it. */
  errors = [];
  #timers = new Map();
  #last = 0;
  #undo = [];

  /** Puts the world in the place of the real one, until the test ends. */
  constructor(test, { chance = 0.5 } = {}) {
    this.chance = chance;
    this.page = Object.assign(new EventTarget(), { hidden: false });
    this.window = new EventTarget();
    this.navigator = { onLine: true };
    const late = () => {
      throw new Error("The test waits for what does not come.");
    };
    const alarm = setTimeout(late, 10_000);
    this.#undo.push(() => clearTimeout(alarm));
    this.#replace(globalThis, "setTimeout", (fn, delay = 0) => {
      this.#timers.set(++this.#last, { fn, due: this.time + delay });
      return this.#last;
    });
    this.#replace(globalThis, "clearTimeout", (timer) => this.#timers.delete(timer));
    this.#replace(performance, "now", () => this.time);
    this.#replace(Date, "now", () => this.time);
    this.#replace(Math, "random", () => this.chance);
    this.#replace(globalThis, "queueMicrotask", (fn) => {
      try {
        fn();
      } catch ({ message }) {
        this.errors.push(message);
      }
    });
    this.#replace(globalThis, "document", this.page);
    this.#replace(globalThis, "navigator", this.navigator);
    for (const name of ["addEventListener", "removeEventListener"]) {
      this.#replace(globalThis, name, this.window[name].bind(this.window));
    }
    test.after(() => this.#undo.reverse().forEach((undo) => undo()));
  }

  #replace(object, name, value) {
    const old = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
    this.#undo.push(() => (old ? Object.defineProperty(object, name, old) : delete object[name]));
  }

  /** Lets the time pass, and timers fire. */
  pass(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const next = [...this.#timers].sort(([, a], [, b]) => a.due - b.due)[0];
      if (!next || next[1].due > end) break;
      this.#timers.delete(next[0]);
      this.time = Math.max(this.time, next[1].due);
      next[1].fn();
    }
    this.time = end;
  }

  /** In how many milliseconds the next timer fires. */
  get nextTimer() {
    return Math.min(...[...this.#timers.values()].map(({ due }) => due)) - this.time;
  }

  hide(isHidden) {
    this.page.hidden = isHidden;
    this.page.dispatchEvent(new Event("visibilitychange"));
  }

  goOnline(isOnline) {
    this.navigator.onLine = isOnline;
    this.window.dispatchEvent(new Event(isOnline ? "online" : "offline"));
  }
}

/** The other end of each connection of a session. */
export class Server {
  /** The hellos, in order. */
  hellos = [];
  /** What was sent on the last connection, and not looked at. */
  sent = [];
  isOpen = false;

  transport = (url, hello, on) => {
    this.hellos.push(hello);
    this.on = on;
    this.sent = [];
    this.isOpen = true;
    on.open();
    return {
      send: (text) => this.sent.push(...[JSON.parse(text)].flat()),
      close: () => (this.isOpen = false),
    };
  };

  say(...messages) {
    for (const message of messages) this.on.message(JSON.stringify(message));
  }

  cut(code = 1006, reason = "") {
    this.isOpen = false;
    this.on.close(code, reason);
  }

  /** What was sent since this was asked last. */
  take() {
    return this.sent.splice(0);
  }

  welcome(more = {}) {
    const resumed = this.hellos.at(-1).resume !== undefined;
    this.say({
      t: "welcome", sid: "S", cid: 1, token: "T", epoch: "E", rev: 1, n: 0, nacks: [], resumed,
      durability: "disk", build: "0", ttl: 1000, heartbeat: 25_000,
      limits: { messageBytes: 200, actionsPerSecond: 50, actionBurst: 100 }, ...more,
    });
  }

  snap(view, more = {}) {
    this.say({ t: "snap", epoch: "E", rev: 1, n: 0, view, ...more });
  }

  patch(rev, n, ...ops) {
    this.say({ t: "patch", rev, base: ops.length ? rev - 1 : rev, n, ops });
  }
}

/** A view with two counters under a root. */
export const view = {
  root: 1,
  nodes: {
    1: { type: "Root", state: {}, children: { tabs: { kind: "tabs", ids: [2, 3], selected: 0 } } },
    2: { type: "Counter", state: { count: 0 } },
    3: { type: "Counter", state: { count: 10 } },
  },
};

export const count = (id, value) => ({ op: "replace", path: `/nodes/${id}/state/count`, value });

/** A session whose server is a fake; with what it tells, by the names of events. */
export function begin(options = {}) {
  const server = new Server();
  const session = connect("http://example.test/", { app: "a", transports: [server.transport], ...options });
  const told = { status: [], change: [], pending: [], outcome: [], notice: [], lost: [], message: [], stored: [] };
  for (const [name, list] of Object.entries(told)) session.addEventListener(name, ({ detail }) => list.push(detail));
  return { server, session, told };
}

/** A session that is live, and shows the view. */
export function show(options) {
  const all = begin(options);
  all.server.welcome();
  all.server.snap(view);
  return all;
}

export class MemoryStorage {
  entries = new Map();
  getItem = (key) => this.entries.get(key) ?? null;
  removeItem = (key) => this.entries.delete(key);
  setItem = (key, value) => this.entries.set(key, value);

  /** What a duplicated tab has of it, or one after a crash. */
  copy() {
    const copy = new MemoryStorage();
    copy.entries = new Map(this.entries);
    return copy;
  }

  get entry() {
    const [text] = this.entries.values();
    return text && JSON.parse(text);
  }
}

/** Locks as a browser has them, of all its tabs. */
export class Locks {
  held;
  /** Whether the browser takes its time to give a lock that nobody has. */
  isSlow = false;
  #waiting = [];

  /** `held` names the locks that other pages have. */
  constructor(...held) {
    this.held = new Set(held);
  }

  async request(name, { signal, ifAvailable }, hold) {
    if (ifAvailable) {
      if (this.held.has(name)) return hold(null);
      this.held.add(name);
    } else {
      await new Promise((resolve, reject) => {
        this.#waiting.push({ name, resolve, signal });
        signal.addEventListener("abort", () => reject(new Error("AbortError")));
        if (!this.isSlow) this.grant();
      });
    }
    await hold({ name });
    this.held.delete(name);
    this.grant();
  }

  /** Gives each lock that nobody has to whoever has waited longest for it. */
  grant() {
    const granted = this.#waiting.filter(({ name, signal }) => {
      const isGranted = !signal.aborted && !this.held.has(name);
      if (isGranted) this.held.add(name);
      return isGranted;
    });
    this.#waiting = this.#waiting.filter((it) => !granted.includes(it));
    for (const { resolve } of granted) resolve();
  }

  async query() {
    return { held: [...this.held].map((name) => ({ name })) };
  }
}

/** Lets promises settle. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Gives the browser these locks, until the test ends. */
export function withNavigator(t, locks) {
  const old = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  t.after(() => (old ? Object.defineProperty(globalThis, "navigator", old) : delete globalThis.navigator));
  return locks;
}

/** The names of the places that an origin's pages have for streams. */
export const places = [0, 1, 2, "shared"].map((name) => `riblet-events:${name}`);

/** A server of the HTTP twin, whose answers the test gives. */
export class HttpServer {
  requests = [];

  constructor(t) {
    t.mock.method(globalThis, "fetch", (url, { method, headers, body, signal }) => {
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const { pathname: path, search: query } = new URL(url);
        this.requests.push({ method, path, query, headers, signal, body: body && JSON.parse(body), resolve, reject });
      });
    });
  }

  /** Answers the last request. */
  async answer(status, body = {}, headers = {}) {
    const hasBody = status !== 204 && status !== 304;
    this.requests.at(-1).resolve(new Response(hasBody ? JSON.stringify(body) : undefined, { status, headers }));
    await settle();
  }

  /** Begins to answer the last request with events. */
  async stream() {
    const body = new ReadableStream({ start: (controller) => (this.controller = controller) });
    this.requests.at(-1).resolve(new Response(body));
    await settle();
  }

  async write(text) {
    this.controller.enqueue(new TextEncoder().encode(text));
    await settle();
  }
}
