import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { open } from "../../web/riblet-events.js";
import { connect, eventStream } from "../../web/riblet.js";
import { HttpServer, Locks, places, settle, withNavigator } from "./riblet.support.js";

const welcome = {
  t: "welcome", sid: "S", cid: 1, token: "T", epoch: "E", rev: 1, n: 0, nacks: [], resumed: false, limits: {},
};
const resume = { sid: "S", cid: 1, token: "T", try: 1, epoch: "E", rev: 4 };

/** A server of the HTTP twin, and a connection to it. */
class Twin extends HttpServer {
  heard = [];

  constructor(t) {
    super(t);
    t.after(() => this.connection?.close());
  }

  connect(hello) {
    this.connection = open("http://example.test", hello, {
      open: () => this.heard.push("open"),
      message: (text) => this.heard.push(...[JSON.parse(text)].flat()),
      close: (code, reason) => this.heard.push([code, reason]),
    });
    assert.deepEqual(this.take(), ["open"]);
  }

  take() {
    return this.heard.splice(0);
  }

  say(message) {
    return this.write(`id: E.1\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async resumed() {
    this.connect({ t: "hello", resume });
    await this.stream();
    await this.say({ ...welcome, resumed: true });
    this.take();
  }

  send(...messages) {
    for (const message of messages) this.connection.send(JSON.stringify(message));
  }
}

test("a new session is made by a request, and then listened to", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", app: "a", params: { x: 1 }, client: {} });
  const [made] = twin.requests;
  assert.deepEqual([made.method, made.path], ["POST", "/v1/sessions"]);
  assert.deepEqual(made.body, { app: "a", params: { x: 1 }, client: {} });
  await twin.answer(201, { ...welcome, view: { root: 1, nodes: {} } });
  const [first, snap] = twin.take();
  assert.deepEqual(first, welcome);
  assert.deepEqual([snap.t, snap.epoch, snap.rev, snap.n, snap.view], ["snap", "E", 1, 0, { root: 1, nodes: {} }]);
  const { method, path, headers } = twin.requests[1];
  assert.deepEqual([method, path], ["GET", "/v1/sessions/S/events"]);
  assert.deepEqual([headers["Riblet-Token"], headers["Last-Event-ID"]], ["T", "E.1"]);
  await twin.stream();
  await twin.say({ ...welcome, resumed: true });
  assert.deepEqual(twin.take(), []);
  await twin.say({ t: "patch", rev: 2, base: 1, n: 0, ops: [] });
  assert.deepEqual(twin.take(), [{ t: "patch", rev: 2, base: 1, n: 0, ops: [] }]);
});

test("the request that joins a session names it in its query, and no other request has one", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", share: "S&1.secret", client: {} });
  await twin.answer(201, { ...welcome, view: { root: 1, nodes: {} } });
  await twin.stream();
  twin.send({ t: "act", n: 1, to: 1, a: "a" });
  assert.deepEqual(twin.requests.map(({ method, path, query }) => [method, path, query]), [
    ["POST", "/v1/sessions", "?sid=S%261"], ["GET", "/v1/sessions/S/events", ""], ["POST", "/v1/sessions/S/actions", ""],
  ]);
  assert.equal(twin.requests[0].body.share, "S&1.secret");
});

test("a request that begins a session has no query", (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", app: "a", client: {} });
  assert.equal(twin.requests[0].query, "");
});

test("a session is resumed by listening, after the last event", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", resume });
  assert.equal(twin.requests[0].headers["Last-Event-ID"], "E.4");
  assert.equal(twin.requests[0].headers["Riblet-Try"], 1);
  assert.equal("Riblet-Features" in twin.requests[0].headers, false);
  await twin.stream();
  await twin.say({ ...welcome, resumed: true });
  assert.equal(twin.take()[0].t, "welcome");
});

test("what to be told is said by a header", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", resume, features: ["clients"] });
  assert.equal(twin.requests[0].headers["Riblet-Features"], "clients");
});

test("a stream that was overtaken by a later attempt does not come back", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", resume });
  await twin.answer(409, { detail: "no" });
  assert.deepEqual(twin.take(), [[4410, "no"]]);
});

test("without a view there is no last event", (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", resume: { ...resume, epoch: "", rev: 0 } });
  assert.equal(twin.requests[0].headers["Last-Event-ID"], undefined);
});

test("events come in pieces, and comments are a sign of life", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  await twin.write(':\n\nid: E.2\ndata: {"t":"not');
  assert.deepEqual(twin.take(), [{ t: "pong" }]);
  await twin.write('ice","durability":"none"}\n');
  assert.deepEqual(twin.take(), []);
  await twin.write('\ndata: {"t":"drain","within":1}\n\n');
  assert.deepEqual(twin.take(), [{ t: "notice", durability: "none" }, { t: "drain", within: 1 }]);
});

test("actions go one request at a time, and the next waits for what the stream says", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  twin.send({ t: "act", n: 5, to: 1, a: "a", ack: { rev: 4, n: 4 } });
  twin.send({ t: "back", n: 6, to: 7 }, { t: "act", n: 7, to: "", a: null });
  const posts = () => twin.requests.slice(1).map(({ headers, body }) => [headers["Idempotency-Key"], body]);
  assert.deepEqual(posts(), [['"5"', [{ to: 1, a: "a" }]]]);
  await twin.answer(200, { rev: 5, n: 5, nacks: [] });
  assert.equal(posts().length, 1);
  await twin.say({ t: "patch", rev: 5, base: 4, n: 4, ops: [] });
  assert.equal(posts().length, 1);
  await twin.say({ t: "patch", rev: 6, base: 5, n: 5, ops: [] });
  assert.deepEqual(posts()[1], ['"6"', [{ t: "back", to: 7 }, { to: "", a: null }]]);
});

test("actions wait for the stream", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", app: "a", client: {} });
  await twin.answer(201, { ...welcome, view: {} });
  twin.send({ t: "act", n: 1, to: 1, a: "a" });
  assert.equal(twin.requests.length, 2);
  await twin.stream();
  await twin.say(welcome);
  assert.equal(twin.requests[2].path, "/v1/sessions/S/actions");
});

test("a request holds as many actions as its body has room for", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  const actions = Array.from({ length: 40 }, (_, index) => ({ t: "act", n: index + 1, to: 1, a: index }));
  twin.send(...actions);
  for (const n of [1, 16, 31]) await twin.say({ t: "patch", rev: 4, base: 4, n, ops: [] });
  assert.deepEqual(twin.requests.slice(1).map(({ body }) => body.length), [1, 15, 15, 9]);
});

for (const status of [400, 413]) {
  test(`actions that are refused together by ${status} go one by one, so that only what cannot be read is`, async (t) => {
    const twin = new Twin(t);
    await twin.resumed();
    twin.send({ t: "act", n: 1, to: 1, a: 1 }, { t: "act", n: 2, to: 1, a: 2 }, { t: "act", n: 3, to: 1, a: 3 });
    const posts = () => twin.requests.slice(1).map(({ headers, body }) => [headers["Idempotency-Key"], body.map(({ a }) => a)]);
    await twin.answer(200);
    await twin.say({ t: "patch", rev: 5, base: 4, n: 1, ops: [] });
    await twin.answer(status, { detail: "no" });
    await twin.answer(200);
    await twin.say({ t: "patch", rev: 6, base: 5, n: 2, ops: [] });
    twin.take();
    await twin.answer(status, { detail: "no" });
    assert.deepEqual(posts(), [['"1"', [1]], ['"2"', [2, 3]], ['"2"', [2]], ['"3"', [3]]]);
    assert.deepEqual(twin.take(), [[4400, "no"]]);
  });
}

const codes = { 400: 4400, 401: 4401, 403: 4401, 404: 4200, 409: 4400, 413: 4400, 502: 1006, 503: 4100 };
for (const [status, code] of Object.entries(codes)) {
  test(`status ${status} is the close code ${code}`, async (t) => {
    const twin = new Twin(t);
    await twin.resumed();
    twin.send({ t: "act", n: 1, to: 1, a: "a" });
    await twin.answer(Number(status), { title: "no", detail: "why" });
    const [[closed, reason], ...others] = twin.take();
    assert.deepEqual([closed, others], [code, []]);
    if (code !== 1006) assert.equal(reason, "why");
  });
}

for (const [status, word, code] of [[403, "revoked", 4402], [503, "busy", 4103], [404, "poisoned", 4201], [401, "expired", 4300]]) {
  test(`status ${status} with the code ${word} is the close code ${code}`, async (t) => {
    const twin = new Twin(t);
    await twin.resumed();
    twin.send({ t: "act", n: 1, to: 1, a: "a" });
    await twin.answer(status, { detail: "why", code: word });
    assert.deepEqual(twin.take(), [[code, "why"]]);
  });
}

for (const status of [200, 401]) {
  test(`a ping is a request, and the answer ${status} the pong`, async (t) => {
    const twin = new Twin(t);
    await twin.resumed();
    twin.connection.send('[{"t":"ack","rev":1,"n":0},{"t":"ping"}]');
    assert.equal(twin.requests.at(-1).path, "/v1/apps");
    await twin.answer(status);
    assert.deepEqual(twin.take(), [{ t: "pong" }]);
    twin.send({ t: "ping" });
    twin.requests.at(-1).reject(new TypeError("no network"));
    await settle();
    assert.deepEqual(twin.take(), [[1006, ""]]);
  });
}

/** The timers that are set, by their numbers; none goes off by itself. */
function timersOf(t) {
  const timers = new Map();
  let last = 0;
  t.mock.method(globalThis, "setTimeout", (fn, delay) => timers.set(++last, { fn, delay }) && last);
  t.mock.method(globalThis, "clearTimeout", (number) => timers.delete(number));
  return timers;
}

test("a stream that says nothing is a cut, however alive the server is", async (t) => {
  const timers = timersOf(t);
  const twin = new Twin(t);
  await twin.resumed();
  const [first] = timers.keys();
  await twin.write(":\n\n");
  const [[number, { fn, delay }], ...others] = timers;
  assert.deepEqual([number > first, delay, others], [true, 35_000, []]);
  twin.take();
  fn();
  assert.deepEqual(twin.take(), [[1006, ""]]);
  assert.equal(timers.size, 0);
});

test("a stream that does not tell of what was done is a cut", async (t) => {
  const timers = timersOf(t);
  const twin = new Twin(t);
  await twin.resumed();
  twin.send({ t: "act", n: 1, to: 1, a: "a" });
  assert.deepEqual([...timers.values()].map(({ delay }) => delay), [35_000, 35_000]);
  await twin.answer(200);
  const { fn } = [...timers.values()].find(({ delay }) => delay === 5000);
  fn();
  assert.deepEqual(twin.take(), [[1006, ""]]);
  await twin.resumed();
  twin.send({ t: "act", n: 1, to: 1, a: "a" });
  await twin.answer(200);
  await twin.say({ t: "patch", rev: 5, base: 4, n: 1, ops: [] });
  assert.deepEqual([...timers.values()].map(({ delay }) => delay), [35_000], "it has told");
});

test("an app that is not there ends the session", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", app: "x", client: {} });
  await twin.answer(404, { detail: "no app" });
  assert.deepEqual(twin.take(), [[4404, "no app"]]);
});

test("a request that fails, and a stream that ends, is a cut", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  twin.send({ t: "act", n: 1, to: 1, a: "a" });
  twin.requests.at(-1).reject(new TypeError("no network"));
  await settle();
  assert.deepEqual(twin.take(), [[1006, ""]]);
  await twin.resumed();
  twin.controller.close();
  await settle();
  assert.deepEqual(twin.take(), [[1006, ""]]);
});

test("what HTTP does not have", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  assert.throws(() => twin.send({ t: "check" }), /HTTP/);
  assert.throws(() => twin.send({ t: "share", scope: "view" }), /HTTP/);
  twin.connection.send('[{"t":"ack","rev":1,"n":0}]');
  assert.equal(twin.requests.length, 1);
  twin.send({ t: "resync" });
  assert.deepEqual(twin.take(), [[1006, ""]]);
});

test("bye is a request, and a closed connection says nothing more", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  twin.send({ t: "bye" });
  assert.deepEqual([twin.requests[1].method, twin.requests[1].path], ["DELETE", "/v1/sessions/S"]);
  await twin.answer(200);
  await twin.say({ t: "bye", code: "ended", message: "" });
  assert.equal(twin.take()[0].t, "bye");
  twin.connection.close();
  await settle();
  assert.deepEqual(twin.take(), []);
});

test("bye waits for the actions before it", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  twin.send({ t: "act", n: 1, to: 1, a: "x" }, { t: "act", n: 2, to: 1, a: "y" }, { t: "bye" });
  assert.deepEqual(twin.requests.slice(1).map(({ method, body }) => [method, body?.length]), [["POST", 1]]);
  await twin.answer(200);
  await twin.say({ t: "patch", rev: 5, base: 4, n: 1, ops: [] });
  assert.deepEqual(twin.requests[2].body.map(({ a }) => a), ["y"]);
  await twin.answer(200);
  await twin.say({ t: "patch", rev: 6, base: 5, n: 2, ops: [] });
  assert.equal(twin.requests[3].method, "DELETE");
});

test("what other languages end lines with ends no event", async (t) => {
  const twin = new Twin(t);
  await twin.resumed();
  const text = "a\u2028data: b\u2029c";
  await twin.write(`data: {"t":"nack","n":1,"code":"failed","message":"${text}"}\n\n`);
  assert.deepEqual(twin.take().map(({ message }) => message), [text]);
});

test("a request that is never answered is a cut", async (t) => {
  const timers = timersOf(t);
  const twin = new Twin(t);
  await twin.resumed();
  const before = timers.size;
  twin.send({ t: "act", n: 1, to: 1, a: "x" });
  const { fn, delay } = [...timers.values()][before];
  assert.equal(delay, 35_000);
  fn();
  assert.deepEqual(twin.take(), [[1006, ""]]);
});

test("a root that cannot be built is not tried again", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", app: "counter" });
  await twin.answer(500, { detail: "no root" });
  assert.deepEqual(twin.take(), [[4403, "no root"]]);
});

const ribd = process.env.RIBD;

const skip = !ribd && process.env.RIB_REQUIRE_ALL !== "1" && "RIBD does not name the daemon";
test("a session over HTTP with ribd", { skip, timeout: 20_000 }, async (t) => {
  const daemon = spawn(ribd, ["--port", "0", "--store", "memory"], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => daemon.kill("SIGKILL"));
  let output = "";
  while (!/listens on (\S+)/.test(output)) output += (await once(daemon.stdout, "data"))[0];
  const session = connect(/listens on (\S+)/.exec(output)[1], { app: "counter", transports: [eventStream] });
  t.after(() => session.close());
  assert.deepEqual(await session.act("", "increment"), { status: "applied", n: 1 });
  assert.equal(session.node().state.count, 1);
  const actions = ["increment", "explode", "increment"];
  const outcomes = await Promise.all(actions.map((action) => session.act(1, action)));
  assert.deepEqual(outcomes.map(({ status, n }) => [status, n]), [["applied", 2], ["refused", 3], ["applied", 4]]);
  session.reconnect();
  const kept = Array.from({ length: 40 }, () => session.act(1, "increment"));
  assert.deepEqual(new Set((await Promise.all(kept)).map(({ status }) => status)), new Set(["applied"]));
  assert.equal(session.status, "resumed");
  assert.equal(session.node().state.count, 43);
  await assert.rejects(session.check(), /HTTP/);
  await assert.rejects(session.share("view"), /HTTP/);
  await session.end();
  assert.equal(session.reason.code, "ended");
});

test("the person's credential goes with each request, and is renewed by one of its own", async (t) => {
  const twin = new Twin(t);
  twin.connect({ t: "hello", resume, auth: "one" });
  await twin.stream();
  await twin.say({ ...welcome, resumed: true });
  assert.equal(twin.requests[0].headers.Authorization, "Bearer one");
  assert.equal(twin.requests[0].body, undefined);
  twin.take();
  twin.send({ t: "auth", token: "two" });
  await settle();
  const { method, path, headers, body } = twin.requests.at(-1);
  assert.deepEqual([method, path, body], ["PUT", "/v1/sessions/S/auth", { auth: "two" }]);
  assert.equal(headers["Riblet-Token"], "T");
  await twin.answer(200, { t: "auth", expires: 5, token: "N" });
  assert.deepEqual(twin.take(), [{ t: "auth", expires: 5, token: "N" }]);
  twin.send({ t: "act", n: 1, to: "", a: "x" });
  await settle();
  assert.deepEqual(
    [twin.requests.at(-1).headers.Authorization, twin.requests.at(-1).headers["Riblet-Token"]], ["Bearer two", "N"]);
});

for (const [challenge, code] of [["Bearer error=\"invalid_token\"", 4301], ["Riblet-Token", 4401]]) {
  test(`401 of ${challenge} is ${code}`, async (t) => {
    const twin = new Twin(t);
    twin.connect({ t: "hello", resume, auth: "one" });
    const headers = { "WWW-Authenticate": challenge };
    twin.requests[0].resolve(new Response(JSON.stringify({ detail: "no" }), { status: 401, headers }));
    await settle();
    await settle();
    assert.deepEqual(twin.take(), [[code, "no"]]);
  });
}

test("three streams of an origin are their clients' own, and a place is free again when its client goes", async (t) => {
  const locks = withNavigator(t, new Locks(...places.slice(0, 2)));
  const twin = new Twin(t);
  twin.connect({ t: "hello", resume });
  await settle();
  assert.equal(twin.requests[0].path, "/v1/sessions/S/events");
  assert.deepEqual([...locks.held], places.slice(0, 3));
  twin.connection.close();
  await settle();
  assert.equal(locks.held.size, 2);
});

test("a request that comes too early is sent again as it was, when it may", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const twin = new Twin(t);
  await twin.resumed();
  twin.send({ t: "act", n: 1, to: 1, a: "a" });
  twin.requests.at(-1).resolve(new Response("{}", { status: 429, headers: { "Retry-After": "3" } }));
  await settle();
  const [early] = twin.requests.slice(-1);
  t.mock.timers.tick(2999);
  await settle();
  assert.equal(twin.requests.at(-1), early);
  t.mock.timers.tick(1);
  await settle();
  const again = twin.requests.at(-1);
  assert.notEqual(again, early);
  assert.deepEqual([again.method, again.path, again.body, again.headers], [early.method, early.path, early.body, early.headers]);
  await twin.answer(200);
  await twin.say({ t: "patch", rev: 5, base: 4, n: 1, ops: [] });
  assert.deepEqual(twin.take(), [{ t: "patch", rev: 5, base: 4, n: 1, ops: [] }]);
});

test("where the browser refuses its locks, a client asks for its view", async (t) => {
  withNavigator(t, { request: () => Promise.reject(new Error("SecurityError")) });
  const twin = new Twin(t);
  twin.connect({ t: "hello", app: "a", client: {} });
  await twin.answer(201, { ...welcome, view: 1 });
  assert.deepEqual(twin.requests.map(({ path }) => path), ["/v1/sessions", "/v1/sessions/S/view"]);
  assert.deepEqual(twin.take().map(({ t }) => t), ["welcome", "snap"]);
});
