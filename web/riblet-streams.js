// The events of several clients in one answer: a browser has six connections for each server, and a stream holds one for good.

/** How many streams of an origin have a client to themselves. One more is shared; what is left is for requests. */
const ownStreams = 3;
/** How long clients are waited for that are to share a stream, in milliseconds: those of the last one come back within 50. */
const gathering = 100;

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

/** The places of this page's own streams, where the browser cannot tell of other pages. */
const free = new Set(Array.from({ length: ownStreams }, (_, index) => index));

/**
 * Takes a place for a stream of a client's own, until the signal is aborted.
 *
 * @returns whether there was one: at once, or a promise of it.
 */
export function takeOwnPlace(signal) {
  if (globalThis.navigator?.locks) return takePlace([...Array(ownStreams).keys()], signal);
  // All streams of all pages are the worker's.
  if (globalThis.SharedWorker || !free.size) return false;
  const [place] = free;
  free.delete(place);
  signal.addEventListener("abort", () => free.add(place));
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
 * Streams that clients share, one for each server and credential. Who comes or goes has the stream made anew, with those who are there then:
 * all others are told to come back at once, as if their connection had been cut.
 */
export class SharedStreams {
  #streams = new Map();

  /**
   * @param client what the request says of the client: `url`, `credential`, `features`, and `resume` with `sid`, `token`, `try`, `epoch`, `rev`.
   * @param on is told: `open()`, `event(fields)`, `answer(status, problem, challenge)` of a refusal, `close(code)`.
   * @returns a function that ends the client's part.
   */
  join({ url, credential, features, resume }, on) {
    const key = JSON.stringify([url, credential, features]);
    if (!this.#streams.has(key)) this.#streams.set(key, new SharedStream(url, credential, features, () => this.#streams.delete(key)));
    return this.#streams.get(key).join(resume, on);
  }
}

class SharedStream {
  #waiting = new Set();
  /** The members of the stream that is open, in the order of its request; those that have ended are undefined. */
  #members = [];
  #abort;
  #timer;

  constructor(url, credential, features, done) {
    Object.assign(this, { url, credential, features, done });
  }

  join(resume, on) {
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

  /** Has all come back, and waits for them. */
  #dissolve() {
    const members = this.#members.splice(0);
    this.#abort?.abort();
    for (const member of members) member?.on.close(4002);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), gathering);
  }

  async #open() {
    const members = (this.#members = [...this.#waiting]);
    this.#waiting.clear();
    if (!members.length) return this.done();
    const abort = (this.#abort = new AbortController());
    const end = (tell) => {
      if (abort.signal.aborted) return;
      abort.abort();
      for (const member of members.splice(0)) if (member) tell(member.on);
    };
    try {
      const response = await fetch(`${this.url}/v1/events`, {
        method: "POST",
        body: JSON.stringify({ resume: members.map(({ resume }) => resume), ...(this.features && { features: this.features }) }),
        headers: { "Content-Type": "application/json", ...(this.credential && { Authorization: `Bearer ${this.credential}` }) },
        signal: abort.signal,
      });
      if (!response.ok) {
        const problem = await response.json();
        return end((on) => on.answer(response.status, problem, response.headers.get("WWW-Authenticate")));
      }
      for (const member of members) member?.on.open();
      await readEvents(response.body, (event) => {
        // A comment is for all.
        if (event?.event === undefined) for (const member of members) member?.on.event(event);
        else members[event.event]?.on.event(event);
      });
    } catch {
      // As a cut.
    }
    end((on) => on.close(1006));
  }
}

/** The streams that all pages of an origin share, if the browser has shared workers; else those of this page. */
let shared;

/** Whether this page may hold the origin's only shared stream; known once it was asked for. */
let pagePlace;

/**
 * Joins a client to a shared stream, as {@link SharedStreams} does, until the signal is aborted.
 *
 * @returns whether there was a connection left for that.
 */
export async function share(client, on, signal) {
  shared ??= openWorker() ?? new SharedStreams();
  if (shared instanceof SharedStreams && globalThis.navigator?.locks) {
    pagePlace ??= takePlace(["shared"], new AbortController().signal);
    if (!(await pagePlace)) {
      pagePlace = undefined;
      return false;
    }
  }
  if (signal.aborted) return true;
  const leave = shared instanceof SharedStreams ? shared.join(client, on) : joinWorker(shared, client, on);
  signal.addEventListener("abort", leave);
  return true;
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

/** How often a worker asks whether a page is there. */
export const asking = 20_000;

/** Joins a client through a worker, which speaks with this page over a port of its own. */
function joinWorker(worker, client, on) {
  const { port1: port, port2 } = new MessageChannel();
  let timer = setTimeout(() => on.close(1006), 3 * asking);
  port.onmessage = ({ data: [name, ...values] }) => {
    clearTimeout(timer);
    timer = setTimeout(() => on.close(1006), 3 * asking);
    if (name === "ask") port.postMessage("here");
    else on[name](...values);
  };
  worker.port.start();
  worker.port.postMessage(client, [port2]);
  return () => {
    clearTimeout(timer);
    port.postMessage("leave");
    port.close();
  };
}
