import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../web/riblet-events.js";
import { SharedStreams } from "../../web/riblet-streams.js";
import { settle } from "./riblet.support.js";

/** A server whose answers the test gives, and timers that it has go off. */
class Server {
  requests = [];
  timers = new Map();

  constructor(t) {
    let last = 0;
    t.mock.method(globalThis, "setTimeout", (fn, delay) => this.timers.set(++last, { fn, delay }) && last);
    t.mock.method(globalThis, "clearTimeout", (number) => this.timers.delete(number));
    t.mock.method(globalThis, "fetch", (url, { method, headers, body, signal }) => {
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const request = { method, path: new URL(url).pathname, headers, signal, body: body && JSON.parse(body), resolve };
        this.requests.push(request);
      });
    });
  }

  async fire(delay) {
    for (const [number, timer] of [...this.timers]) {
      if (timer.delay !== delay) continue;
      this.timers.delete(number);
      timer.fn();
    }
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

  async answer(status, body, headers = {}) {
    this.requests.at(-1).resolve(new Response(body && JSON.stringify(body), { status, headers }));
    await settle();
  }
}

/** A client of shared streams, and what it is told. */
function client(streams, sid, { credential } = {}) {
  const heard = [];
  const on = {
    open: () => heard.push("open"),
    event: (event) => event && heard.push(event.data ?? "comment"),
    answer: (status, { detail }) => heard.push([status, detail]),
    close: (code) => heard.push(code),
  };
  const leave = streams.join({ url: "http://example.test", credential, resume: { sid, token: "T" } }, on);
  return { heard, leave, take: () => heard.splice(0) };
}

test("clients that come together share one stream, each with its own events", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const [a, b] = ["a", "b"].map((sid) => client(streams, sid));
  assert.equal(server.requests.length, 0);
  await server.fire(100);
  const [request, ...others] = server.requests;
  assert.deepEqual([request.method, request.path, others], ["POST", "/v1/events", []]);
  assert.deepEqual(request.body, { resume: [{ sid: "a", token: "T" }, { sid: "b", token: "T" }] });
  await server.stream();
  await server.write("event: 1\nid: E.1\nda");
  await server.write('ta: {"x":"event: 0"}\n\n:\n\nevent: 0\ndata: 7\n\nevent: 9\ndata: 8\n\n');
  assert.deepEqual(a.take(), ["open", "comment", "7"]);
  assert.deepEqual(b.take(), ["open", '{"x":"event: 0"}', "comment"]);
});

test("a client that comes later has all others come back, and they share the next stream", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const a = client(streams, "a");
  await server.fire(100);
  await server.stream();
  const b = client(streams, "b");
  assert.deepEqual(a.take(), ["open", 4002]);
  assert.ok(server.requests[0].signal.aborted);
  client(streams, "a");
  await server.fire(100);
  assert.deepEqual(server.requests[1].body.resume.map(({ sid }) => sid), ["b", "a"]);
  await server.stream();
  assert.deepEqual(b.take(), ["open"]);
});

test("a client that leaves is not in the next stream, and the last one ends it", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const [a, b] = ["a", "b"].map((sid) => client(streams, sid));
  await server.fire(100);
  await server.stream();
  a.leave();
  assert.deepEqual([a.take(), b.take()], [["open"], ["open", 4002]]);
  const again = client(streams, "b");
  await server.fire(100);
  assert.deepEqual(server.requests[1].body.resume.map(({ sid }) => sid), ["b"]);
  await server.stream();
  again.leave();
  assert.ok(server.requests[1].signal.aborted);
  await server.fire(100);
  assert.equal(server.requests.length, 2);
  // One that leaves before its stream is opened was never in it.
  client(streams, "c").leave();
  await server.fire(100);
  assert.equal(server.requests.length, 2);
});

test("clients of different persons do not share a stream", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  client(streams, "a", { credential: "one" });
  client(streams, "b", { credential: "two" });
  await server.fire(100);
  assert.deepEqual(server.requests.map(({ headers }) => headers.Authorization), ["Bearer one", "Bearer two"]);
});

test("a refusal, and the end of the stream, is told to all", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const both = ["a", "b"].map((sid) => client(streams, sid));
  await server.fire(100);
  await server.answer(503, { detail: "later" });
  for (const { heard } of both) assert.deepEqual(heard, [[503, "later"]]);
  const next = client(streams, "c");
  await server.fire(100);
  await server.stream();
  server.controller.close();
  await settle();
  assert.deepEqual(next.heard, ["open", 1006]);
});

/** All connections that may be held are those of other pages. */
function withoutPlaces(t) {
  const locks = { request: (name, options, use) => Promise.resolve(use(null)) };
  const old = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  t.after(() => (old ? Object.defineProperty(globalThis, "navigator", old) : delete globalThis.navigator));
}

test("a client without a connection for a stream asks for its view, and acts", async (t) => {
  withoutPlaces(t);
  const server = new Server(t);
  const heard = [];
  const take = () => heard.splice(0);
  const connection = open("http://example.test", { t: "hello", app: "a" }, {
    open: () => {}, message: (text) => heard.push(...[JSON.parse(text)].flat()), close: (...values) => heard.push(values),
  });
  t.after(() => connection.close());
  await server.answer(201, { t: "welcome", sid: "S", token: "T", epoch: "E", rev: 1, n: 0, view: 1 });
  assert.deepEqual(take().map(({ t }) => t), ["welcome", "snap"]);
  assert.deepEqual([server.requests[1].path, server.requests[1].headers["If-None-Match"]], ["/v1/sessions/S/view", '"E.1"']);
  await server.answer(304);
  assert.deepEqual(take(), [{ t: "pong" }]);
  connection.send(JSON.stringify({ t: "act", n: 1, to: 1, a: "a" }));
  await settle();
  assert.deepEqual([server.requests[2].path, server.requests[2].body], ["/v1/sessions/S/actions", [{ to: 1, a: "a" }]]);
  await server.answer(200, { rev: 2, n: 1, nacks: [] });
  await server.answer(200, 2, { ETag: '"E.2"' });
  assert.deepEqual(take(), [{ t: "snap", epoch: "E", rev: 2, n: 1, view: 2 }]);
  // A refusal comes before what covers it, also if nothing has changed.
  connection.send(JSON.stringify({ t: "act", n: 2, to: 1, a: "b" }));
  await settle();
  await server.answer(200, { rev: 2, n: 2, nacks: [{ n: 2, code: "gone", message: "" }] });
  await server.answer(304, undefined, { ETag: '"E.2"' });
  assert.deepEqual(take(), [
    { t: "nack", n: 2, code: "gone", message: "" }, { t: "patch", rev: 2, base: 2, n: 2, ops: [] },
  ]);
  // What others have changed.
  await server.fire(300);
  await server.answer(200, 3, { ETag: '"F.3"' });
  assert.deepEqual(take(), [{ t: "snap", epoch: "F", rev: 3, n: 2, view: 3 }]);
  connection.send(JSON.stringify({ t: "bye" }));
  await settle();
  assert.equal(server.requests.at(-1).method, "DELETE");
  await server.answer(200);
  assert.deepEqual(take(), [{ t: "bye", code: "ended", message: "" }, [1000, ""]]);
});

test("a client that comes back without a stream is welcomed by a short one", async (t) => {
  withoutPlaces(t);
  const server = new Server(t);
  const heard = [];
  const resume = { sid: "S", token: "T", try: 3, epoch: "E", rev: 4 };
  const connection = open("http://example.test", { t: "hello", resume }, {
    open: () => {}, message: (text) => heard.push(JSON.parse(text)), close: (...values) => heard.push(values),
  });
  t.after(() => connection.close());
  for (let turn = 0; turn < 20; turn++) await settle();
  const { path, headers, signal } = server.requests[0];
  assert.deepEqual([path, headers["Last-Event-ID"], headers["Riblet-Try"]], ["/v1/sessions/S/events", "E.4", 3]);
  await server.stream();
  await server.write('data: {"t":"welcome","epoch":"E","rev":6,"n":7,"nacks":[]}\n\nid: E.5\ndata: {"t":"patch","rev":5,"base":4,"n":7,"ops":[]}\n\n');
  assert.ok(!signal.aborted);
  await server.write('id: E.6\ndata: {"t":"patch","rev":6,"base":5,"n":7,"ops":[]}\n\n');
  assert.ok(signal.aborted);
  assert.deepEqual(heard.map(({ t, rev }) => [t, rev]), [["welcome", 6], ["patch", 5], ["patch", 6]]);
  for (let turn = 0; turn < 20; turn++) await settle();
  assert.deepEqual([server.requests[1].path, server.requests[1].headers["If-None-Match"]], ["/v1/sessions/S/view", '"E.6"']);
});
