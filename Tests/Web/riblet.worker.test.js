// Streams of an origin in a shared worker, and those of a page where there is none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpServer, Locks, places, settle, withNavigator } from "./riblet.support.js";

let copies = 0;

/** Lets messages between page and worker arrive. */
async function deliver() {
  for (let turn = 0; turn < 10; turn++) await settle();
}

/** A worker whose program is loaded when the test says so. */
class Worker extends EventTarget {
  constructor() {
    super();
    const { port1, port2 } = new MessageChannel();
    [this.port, this.inside] = [port1, port2];
  }

  async load() {
    await import(`../../web/riblet-worker.js?${++copies}`);
    globalThis.onconnect({ ports: [this.inside] });
    delete globalThis.onconnect;
    await deliver();
  }

  fail() {
    const event = new Event("error");
    this.onerror(event);
    this.dispatchEvent(event);
  }

  /** Ends as if the browser had killed it. */
  close() {
    this.port.close();
    this.inside.close();
  }
}

/** A page in a browser with shared workers, or without; and a server. */
async function openPage(t, { hasWorkers = true } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const workers = [];
  const window = new EventTarget();
  globalThis.addEventListener = window.addEventListener.bind(window);
  if (hasWorkers) {
    globalThis.SharedWorker = class extends Worker {
      constructor() {
        super();
        workers.push(this);
      }
    };
  }
  const page = await import(`../../web/riblet-streams.js?${++copies}`);
  const parts = [];
  t.after(async () => {
    for (const part of parts) part.abort();
    await deliver();
    for (const worker of workers) worker.close();
    delete globalThis.addEventListener;
    delete globalThis.SharedWorker;
  });
  const join = async (sid) => {
    const heard = [];
    const part = new AbortController();
    parts.push(part);
    const note = (name) => (value) => {
      if (name !== "event" || value) heard.push(name === "event" ? value.data : (value ?? name));
      // As a client does it.
      if (name === "close") part.abort();
    };
    const on = Object.fromEntries(["open", "event", "answer", "close", "full"].map((name) => [name, note(name)]));
    const client = { url: "http://example.test", resume: { sid, token: `T${sid}` } };
    const isShared = await page.share(client, on, part.signal);
    await deliver();
    return { isShared, take: () => heard.splice(0), leave: () => part.abort() };
  };
  const tick = async (milliseconds) => {
    t.mock.timers.tick(milliseconds);
    await deliver();
  };
  return { server: new HttpServer(t), workers, window, page, join, tick };
}

const clientsOf = ({ body }) => body.resume.map(({ sid }) => sid).join("");

test("clients of a page share the worker's stream, until they leave", async (t) => {
  const { server, workers, join, tick } = await openPage(t);
  const both = [await join("a"), await join("b")];
  await workers[0].load();
  await tick(100);
  assert.deepEqual(server.requests.map(clientsOf), ["ab"]);
  await server.stream();
  await server.write("event: 1\ndata: 7\n\n");
  await deliver();
  assert.deepEqual(both.map(({ take }) => take()), [["open"], ["open", "7"]]);
  // The worker asks, and the page answers.
  for (let turn = 0; turn < 5; turn++) await tick(20_000);
  both[0].leave();
  await deliver();
  assert.ok(server.requests[0].signal.aborted);
  assert.deepEqual(both.map(({ take }) => take()), [[], [4002]]);
  assert.equal(workers.length, 1);
});

test("a page whose worker cannot be loaded tells its clients at once, and has a stream of its own", async (t) => {
  withNavigator(t, new Locks());
  const { server, workers, join, tick } = await openPage(t);
  const first = await join("a");
  workers[0].fail();
  assert.deepEqual(first.take(), [1006]);
  const second = await join("a");
  await tick(100);
  await server.stream();
  assert.deepEqual([second.isShared, second.take(), workers.length], [true, ["open"], 1]);
});

test("a client whose worker does not answer is cut after five seconds, and the next one has another worker", async (t) => {
  const { workers, join, tick } = await openPage(t);
  const first = await join("a");
  await tick(4999);
  assert.deepEqual(first.take(), []);
  await tick(1);
  assert.deepEqual(first.take(), [1006]);
  const second = await join("a");
  assert.equal(workers.length, 2);
  await workers[1].load();
  await tick(5000);
  assert.deepEqual(second.take(), []);
});

test("a client whose worker falls silent is cut after a minute, and the next one has another worker", async (t) => {
  const { workers, join, tick } = await openPage(t);
  const first = await join("a");
  workers[0].inside.onmessage = ({ ports: [port] }) => port.postMessage(["open"]);
  await deliver();
  await tick(59_999);
  assert.deepEqual(first.take(), ["open"]);
  await tick(1);
  assert.deepEqual(first.take(), [1006]);
  await join("a");
  assert.equal(workers.length, 2);
});

test("the worker ends a page's part after three questions without an answer, and says so", async (t) => {
  const { server, workers, page, tick } = await openPage(t);
  const worker = new globalThis.SharedWorker();
  const { port1: port, port2 } = new MessageChannel();
  const heard = [];
  port.onmessage = ({ data }) => heard.push(data);
  worker.port.postMessage({ url: "http://example.test", resume: { sid: "a", token: "T" } }, [port2]);
  await workers[0].load();
  assert.deepEqual(heard.splice(0), [["ask"]]);
  await tick(100);
  await tick(page.asking - 100);
  await tick(page.asking);
  assert.deepEqual(heard.splice(0), [["ask"], ["ask"]]);
  assert.equal(server.requests[0].signal.aborted, false);
  await tick(page.asking);
  assert.deepEqual(heard.splice(0), [["close", 1006]]);
  assert.ok(server.requests[0].signal.aborted);
  port.close();
});

test("a page that goes takes its clients from the stream", async (t) => {
  const { server, workers, window, join, tick } = await openPage(t);
  const client = await join("a");
  await workers[0].load();
  await tick(100);
  await server.stream();
  await deliver();
  window.dispatchEvent(new Event("pagehide"));
  await deliver();
  assert.deepEqual(client.take(), ["open", 1006]);
  assert.ok(server.requests[0].signal.aborted);
});

test("a page without workers lets go of the shared stream's place after its last client", async (t) => {
  const locks = withNavigator(t, new Locks());
  const { join } = await openPage(t, { hasWorkers: false });
  const both = [await join("a"), await join("b")];
  assert.deepEqual([...locks.held], [places[3]]);
  both[0].leave();
  await deliver();
  assert.deepEqual([...locks.held], [places[3]]);
  both[1].leave();
  await deliver();
  assert.deepEqual([...locks.held], []);
  assert.equal((await join("a")).isShared, true);
  assert.deepEqual([...locks.held], [places[3]]);
});

test("a page without workers, whose place another page has, takes it once it is free", async (t) => {
  const locks = withNavigator(t, new Locks(places[3]));
  const { join } = await openPage(t, { hasWorkers: false });
  assert.equal((await join("a")).isShared, false);
  locks.held.clear();
  assert.equal((await join("b")).isShared, true);
});

for (const hasWorkers of [false, true]) {
  test(`a page without locks ${hasWorkers ? "whose worker cannot be loaded" : "and workers"} has one stream`, async (t) => {
    const { page, workers, join } = await openPage(t, { hasWorkers });
    if (hasWorkers) {
      await join("a");
      workers[0].fail();
    }
    const first = new AbortController();
    const take = () => page.takeOwnPlace(new AbortController().signal);
    assert.deepEqual([page.takeOwnPlace(first.signal), take(), (await join("b")).isShared], [true, false, false]);
    first.abort();
    assert.equal(take(), true);
  });
}
