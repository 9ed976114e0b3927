import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "../../web/riblet-events.js";
import { SharedStreams } from "../../web/riblet-streams.js";
import { HttpServer, Locks, places, settle, withNavigator } from "./riblet.support.js";

/** A server whose answers the test gives, and timers that it has go off. */
class Server extends HttpServer {
  timers = new Map();

  constructor(t) {
    super(t);
    let last = 0;
    t.mock.method(globalThis, "setTimeout", (fn, delay) => this.timers.set(++last, { fn, delay }) && last);
    t.mock.method(globalThis, "clearTimeout", (number) => this.timers.delete(number));
  }

  async fire(delay) {
    for (const [number, timer] of [...this.timers]) {
      if (timer.delay !== delay) continue;
      this.timers.delete(number);
      timer.fn();
    }
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
    full: () => heard.push("full"),
  };
  const leave = streams.join({ url: "http://example.test", credential, resume: { sid, token: `T${sid}` } }, on);
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
  assert.deepEqual(request.body, { resume: [{ sid: "a", token: "Ta" }, { sid: "b", token: "Tb" }] });
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

/** The clients of each request. */
const clientsOf = ({ requests }) => requests.map(({ body }) => body.resume.map(({ sid }) => sid).join(""));

test("clients whose page takes long to get a credential are waited for", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  for (const sid of ["a", "b"]) client(streams, sid);
  await server.fire(100);
  await server.stream();
  const c = client(streams, "c");
  for (let turn = 0; turn < 3; turn++) await server.fire(100);
  client(streams, "b");
  await server.fire(100);
  client(streams, "a");
  assert.deepEqual(clientsOf(server), ["ab"]);
  await server.fire(100);
  assert.deepEqual(clientsOf(server), ["ab", "cba"]);
  await server.stream();
  assert.deepEqual(c.take(), ["open"]);
});

test("a client that does not come back is waited for in vain for half a second, and twice as long the next time", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  client(streams, "a");
  await server.fire(100);
  await server.stream();
  client(streams, "b");
  for (const [sid, turns] of [["c", 5], ["d", 10], ["e", 20], ["f", 40], ["g", 80], ["h", 80]]) {
    const count = server.requests.length;
    for (let turn = 1; turn < turns; turn++) await server.fire(100);
    assert.equal(server.requests.length, count, `${turns} turns`);
    await server.fire(100);
    assert.equal(server.requests.length, count + 1, `${turns} turns`);
    await server.stream();
    client(streams, sid);
  }
  assert.deepEqual(clientsOf(server), ["a", "b", "c", "d", "e", "f", "g"]);
});

test("a client with another credential finds the stream full, until it is empty", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const one = client(streams, "a", { credential: "one" });
  const two = client(streams, "b", { credential: "two" });
  assert.deepEqual([one.take(), two.take()], [[], ["full"]]);
  await server.fire(100);
  await server.stream();
  assert.deepEqual(client(streams, "b", { credential: "two" }).take(), ["full"]);
  assert.deepEqual(one.take(), ["open"]);
  two.leave();
  one.leave();
  assert.deepEqual(client(streams, "b", { credential: "two" }).take(), []);
  await server.fire(100);
  assert.deepEqual(server.requests.map(({ headers }) => headers.Authorization), ["Bearer one", "Bearer two"]);
});

test("nobody waits for a client that has found the stream full", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  for (const sid of ["a", "b"]) client(streams, sid, { credential: "one" });
  await server.fire(100);
  await server.stream();
  client(streams, "c", { credential: "one" });
  client(streams, "a", { credential: "one" });
  assert.deepEqual(client(streams, "b", { credential: "two" }).take(), ["full"]);
  await server.fire(100);
  assert.deepEqual(clientsOf(server), ["ab", "ca"]);
});

test("a stream has 32 clients at most", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const join = (_, index) => client(streams, `${index} `);
  const clients = Array.from({ length: 33 }, join);
  assert.deepEqual(clients.map(({ heard }) => heard.length), [...Array(32).fill(0), 1]);
  await server.fire(100);
  assert.equal(server.requests[0].body.resume.length, 32);
  await server.stream();
  assert.deepEqual(client(streams, "more").take(), ["full"]);
  assert.deepEqual(clients[0].take(), ["open"]);
});

test("a server that has no shared streams costs no session", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const both = ["a", "b"].map((sid) => client(streams, sid));
  await server.fire(100);
  await server.answer(404, { detail: "no such path" });
  for (const { heard } of both) assert.deepEqual(heard, ["full"]);
});

test("a client that is refused leaves the others their stream", async (t) => {
  const server = new Server(t);
  const streams = new SharedStreams();
  const [a, b] = ["a", "b"].map((sid) => client(streams, sid));
  await server.fire(100);
  await server.stream();
  await server.write('event: 0\ndata: {"t":"bye","code":"denied","message":""}\n\n');
  a.leave();
  await server.write("event: 1\ndata: 7\n\n:\n\n");
  assert.deepEqual(a.take(), ["open", '{"t":"bye","code":"denied","message":""}', 1006]);
  assert.deepEqual(b.take(), ["open", "7", "comment"]);
  assert.equal(server.requests[0].signal.aborted, false);
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

test("a client without a connection for a stream asks for its view, and acts", async (t) => {
  withNavigator(t, new Locks(...places));
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
  withNavigator(t, new Locks(...places));
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

/** A client that no connection is left for, and its view. */
async function poll(t) {
  withNavigator(t, new Locks(...places));
  const server = new Server(t);
  const heard = [];
  const connection = open("http://example.test", { t: "hello", app: "a" }, {
    open: () => {}, message: (text) => heard.push(...[JSON.parse(text)].flat()), close: (...values) => heard.push(values),
  });
  t.after(() => connection.close());
  await server.answer(201, { t: "welcome", sid: "S", token: "T", epoch: "E", rev: 1, n: 0, durability: "disk", view: 1 });
  await server.answer(304);
  heard.length = 0;
  const send = (...numbers) => {
    for (const n of numbers) connection.send(JSON.stringify({ t: "act", n, to: 1, a: n }));
    return settle();
  };
  return { server, send, take: () => heard.splice(0) };
}

test("a request of a client without a stream that has no answer is a cut", async (t) => {
  const { server, send, take } = await poll(t);
  await send(1);
  await server.fire(35_000);
  assert.deepEqual(take(), [[1006, ""]]);
  assert.ok(server.requests.at(-1).signal.aborted);
});

test("a client without a stream is told what answers survive", async (t) => {
  const { server, send, take } = await poll(t);
  for (const [n, durability, ...notices] of [[1, "none", "none"], [2, "none"], [3, undefined, "disk"], [4, undefined]]) {
    await send(n);
    await server.answer(200, { rev: 1, n, nacks: [], durability });
    await server.answer(304);
    const told = take().filter(({ t }) => t === "notice");
    assert.deepEqual(told, notices.map((durability) => ({ t: "notice", durability })), `action ${n}`);
  }
});

test("actions that are refused together go one by one without a stream", async (t) => {
  const { server, send, take } = await poll(t);
  await send(1, 2);
  await server.answer(400, { detail: "no" });
  await server.answer(200, { rev: 1, n: 1, nacks: [] });
  await server.answer(304);
  assert.deepEqual(take(), [{ t: "patch", rev: 1, base: 1, n: 1, ops: [] }]);
  await server.answer(400, { detail: "no" });
  const actions = server.requests.filter(({ path }) => path.endsWith("/actions"));
  assert.deepEqual(actions.map(({ body }) => body.map(({ a }) => a)), [[1, 2], [1], [2]]);
  assert.deepEqual(take(), [[4400, "no"]]);
});
