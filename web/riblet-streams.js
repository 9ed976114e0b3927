// The events of several clients in one answer: a browser has six connections for each server, and a stream holds one for good.

/** How many streams of an origin have a client to themselves. One more is shared; what is left is for requests. */
const ownStreams = 3;
/** Milliseconds to wait for more clients before a stream is opened. Clients of an ended stream reconnect within 50. */
const gathering = 100;
/** How many times `gathering` a stream waits for clients of the one before, at first and at most. Their pages may need time for a credential. */
const [shortestWait, longestWait] = [5, 80];
/** How many clients the server takes in one stream [joined-events]. */
const mostClients = 32;

/** Calls back with the fields of each event, or with none for a comment; ends with the body. */
export async function readEvents(body, tell) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let chunk = {}; !chunk.done; chunk = await reader.read()) {
    const events = (text + (chunk.value ?? "")).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const fields = event.split("\n").map((line) => line.split(/: (.*)/s, 2));
      tell(Object.fromEntries(fields.filter(([name]) => name)));
    }
    if (chunk.value) tell();
  }
}

/** Whether this page may have a stream, where the browser cannot tell of other pages. */
let isFree = true;

/**
 * Takes a place for a stream of a client's own, until the signal is aborted.
 *
 * @returns whether there was one: at once, or a promise of it.
 */
export function takeOwnPlace(signal) {
  if (globalThis.navigator?.locks) return takePlace([...Array(ownStreams).keys()], signal);
  // All streams of all pages are the worker's.
  const hasWorker = globalThis.SharedWorker && !(shared instanceof SharedStreams);
  if (hasWorker || !isFree) return false;
  isFree = false;
  signal.addEventListener("abort", () => (isFree = true));
  return true;
}

/** Takes one of the origin's places for a stream, as a lock that no other page has, until the signal is aborted. */
async function takePlace(names, signal) {
  for (const name of names) {
    const isTaken = await new Promise((resolve) => {
      const hold = (lock) => {
        resolve(Boolean(lock));
        return lock && new Promise((release) => (signal.aborted ? release() : signal.addEventListener("abort", release)));
      };
      navigator.locks.request(`riblet-events:${name}`, { ifAvailable: true }, hold).catch(() => resolve(false));
    });
    if (isTaken) return true;
  }
  return false;
}

/**
 * Streams that clients share: one for each server. A client that joins or leaves ends its stream. The other clients reconnect at once and
 * share the next one. A client with another credential than the others, or one too many, is told that the stream is full.
 */
export class SharedStreams {
  #streams = new Map();

  /**
   * @param client what the request says of the client: `url`, `credential`, `features`, and `resume` with `sid`, `token`, `try`, `epoch`, `rev`.
   * @param on is told: `open()`, `event(fields)`, `answer(status, problem, challenge)` of a refusal, `close(code)`, `full()`.
   * @returns a function that ends the client's part.
   */
  join({ url, ...client }, on) {
    if (!this.#streams.has(url)) this.#streams.set(url, new SharedStream(url, () => this.#streams.delete(url)));
    return this.#streams.get(url).join(client, on);
  }
}

class SharedStream {
  #waiting = new Set();
  /** The members of the stream that is open, in the order of its request; those that have ended are undefined. */
  #members = [];
  /** Tokens of clients that were told to reconnect and have not yet, and how many more turns the next stream waits for them. */
  #awaited = new Set();
  #turns = 0;
  #wait = shortestWait;
  #abort;
  #timer;

  constructor(url, done) {
    Object.assign(this, { url, done });
  }

  join({ credential, features, resume }, on) {
    this.#awaited.delete(resume.token);
    const key = JSON.stringify([credential, features]);
    const count = this.#waiting.size + this.#members.filter(Boolean).length;
    if (!count) Object.assign(this, { key, credential, features });
    if (count === mostClients || key !== this.key) {
      on.full();
      return () => {};
    }
    const member = { resume, on };
    this.#waiting.add(member);
    this.#dissolve();
    return () => this.#leave(member);
  }

  #leave(member) {
    if (this.#waiting.delete(member)) return;
    const index = this.#members.indexOf(member);
    if (index < 0) return;
    this.#members[index] = undefined;
    this.#dissolve();
  }

  /** Ends the stream, and waits for its clients to reconnect. */
  #dissolve() {
    const members = this.#members.splice(0).filter(Boolean);
    this.#abort?.abort();
    if (members.length) this.#turns = this.#wait;
    for (const { resume, on } of members) {
      this.#awaited.add(resume.token);
      on.close(4002);
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), gathering);
  }

  async #open() {
    if (this.#awaited.size && --this.#turns > 0) {
      this.#timer = setTimeout(() => this.#open(), gathering);
      return;
    }
    // A client that comes too late ends the stream again. The next stream then waits longer.
    this.#wait = this.#awaited.size ? Math.min(2 * this.#wait, longestWait) : shortestWait;
    this.#awaited.clear();
    const members = (this.#members = [...this.#waiting]);
    this.#waiting.clear();
    if (!members.length) return this.done();
    const abort = (this.#abort = new AbortController());
    const end = (tell) => {
      if (abort.signal.aborted) return;
      abort.abort();
      this.done();
      for (const member of members.splice(0)) if (member) tell(member.on);
    };
    const hear = (event) => {
      const member = members[event.event];
      if (!event.data?.startsWith('{"t":"bye"')) return member?.on.event(event);
      // The client's part is over, and the others go on [joined-events].
      members[event.event] = undefined;
      member?.on.event(event);
      member?.on.close(1006);
    };
    try {
      const response = await fetch(`${this.url}/v1/events`, {
        method: "POST",
        body: JSON.stringify({ resume: members.map(({ resume }) => resume), ...(this.features && { features: this.features }) }),
        headers: { "Content-Type": "application/json", ...(this.credential && { Authorization: `Bearer ${this.credential}` }) },
        signal: abort.signal,
      });
      // A server of an earlier version has no shared streams.
      if (response.status === 404) return end((on) => on.full());
      if (!response.ok) {
        const problem = await response.json();
        return end((on) => on.answer(response.status, problem, response.headers.get("WWW-Authenticate")));
      }
      for (const member of members) member?.on.open();
      await readEvents(response.body, (event) => {
        // A comment is for all.
        if (event?.event === undefined) for (const member of members) member?.on.event(event);
        else hear(event);
      });
    } catch {
      // As a cut.
    }
    end((on) => on.close(1006));
  }
}

/** The streams that all pages of an origin share, if the browser has shared workers; else those of this page. */
let shared;

/** This page's hold on the origin's only shared stream, where there is no worker, and how many clients use it. */
let place;

/**
 * Joins a client to a shared stream, as {@link SharedStreams} does, until the signal is aborted.
 *
 * @returns whether there was a connection left for that.
 */
export async function share(client, on, signal) {
  if (signal.aborted) return true;
  shared ??= openWorker() ?? new SharedStreams();
  const streams = shared;
  if (streams instanceof SharedStreams && !(await usePlace(signal))) return false;
  if (signal.aborted) return true;
  const leave = streams instanceof SharedStreams ? streams.join(client, on) : joinWorker(streams, client, on, signal);
  signal.addEventListener("abort", leave);
  return true;
}

/** Takes the origin's only shared stream for this page, until the last of the page's clients has left. */
async function usePlace(signal) {
  // Only a lock tells whether another page has the place.
  if (!globalThis.navigator?.locks) return false;
  place ??= { users: 0, hold: new AbortController() };
  const ours = place;
  const letGo = () => {
    ours.hold.abort();
    if (place === ours) place = undefined;
  };
  ours.users++;
  signal.addEventListener("abort", () => --ours.users || letGo());
  ours.isTaken ??= takePlace(["shared"], ours.hold.signal);
  const isTaken = await ours.isTaken;
  if (!isTaken) letGo();
  return isTaken;
}

function openWorker() {
  try {
    const worker = new SharedWorker(new URL("./riblet-worker.js", import.meta.url), { type: "module", name: "riblet" });
    worker.onerror = () => (shared = new SharedStreams());
    return worker;
  } catch {
    return undefined;
  }
}

/** How often a worker asks whether a page is there, and how long it may take to ask for the first time, in milliseconds. */
export const asking = 20_000;
const starting = 5000;

/** Joins a client through a worker, which speaks with this page over a port of its own. */
function joinWorker(worker, client, on, signal) {
  const { port1: port, port2 } = new MessageChannel();
  const cut = () => on.close(1006);
  const lose = () => {
    if (shared === worker) shared = undefined;
    cut();
  };
  let timer = setTimeout(lose, starting);
  port.onmessage = ({ data: [name, ...values] }) => {
    clearTimeout(timer);
    timer = setTimeout(lose, 3 * asking);
    if (name === "ask") port.postMessage("here");
    else on[name](...values);
  };
  worker.addEventListener("error", cut, { signal });
  // The worker learns at once that the page is gone. A page that comes back reconnects.
  globalThis.addEventListener?.("pagehide", cut, { signal });
  worker.port.start();
  worker.port.postMessage(client, [port2]);
  return () => {
    clearTimeout(timer);
    port.postMessage("leave");
    port.close();
  };
}
