import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical } from "../../web/riblet-check.js";
import { applyPatch, connect, webSocket } from "../../web/riblet.js";
import { MemoryStorage, World, begin, count, settle, show, view } from "./riblet.support.js";

const increment = { increment: {} };
const predictions = { Counter: (state, action) => ("increment" in action ? { count: state.count + 1 } : state) };

async function outcomeOf(promise) {
  let outcome = "open";
  promise.then((value) => (outcome = value), (error) => (outcome = error));
  await settle();
  return outcome;
}

// ---- Greeting and outcomes

test("a session says hello, and is live with the welcome", (t) => {
  new World(t);
  const { server, session, told } = begin({ params: { x: 1 }, client: { name: "web" } });
  assert.deepEqual(server.hellos.map((hello) => JSON.stringify(hello)), [
    '{"t":"hello","app":"a","params":{"x":1},"client":{"name":"web"}}',
  ]);
  assert.equal(session.status, "connecting");
  server.welcome();
  assert.equal(session.status, "live");
  assert.equal(session.durability, "disk");
  assert.equal(session.welcome.sid, "S");
  assert.equal(session.node(), undefined);
  server.snap(view);
  assert.deepEqual(session.view, view);
  assert.equal(session.revision, 1);
  assert.equal(session.node().type, "Root");
  assert.equal(session.node(2), session.view.nodes[2]);
  assert.deepEqual(told.change.map(({ ids, ops }) => [[...ids], ops]), [[[1, 2, 3], null]]);
  session.act(2, "x");
  assert.deepEqual(told.message.map(({ direction, text }) => [direction, JSON.parse(text).t]), [
    ["in", "welcome"], ["in", "snap"], ["out", "act"],
  ]);
});

test("promises have the outcomes", async (t) => {
  new World(t);
  const { server, session, told } = show();
  const applied = session.act(2, increment);
  const refused = session.act(2, "explode");
  const back = session.back();
  assert.deepEqual(server.take(), [
    { t: "act", n: 1, to: 2, a: increment, ack: { rev: 1, n: 0 } },
    { t: "act", n: 2, to: 2, a: "explode", ack: { rev: 1, n: 0 } },
    { t: "back", n: 3, to: 1, ack: { rev: 1, n: 0 } },
  ]);
  assert.deepEqual(session.pending, [
    { n: 1, to: 2, action: increment },
    { n: 2, to: 2, action: "explode" },
    { n: 3, to: 1, back: true },
  ]);
  assert.equal(await outcomeOf(applied), "open");
  server.patch(2, 1, count(2, 1));
  assert.deepEqual(await applied, { status: "applied", n: 1 });
  assert.equal(await outcomeOf(refused), "open");
  const nack = { n: 2, code: "bad_action", message: "no" };
  server.say({ t: "nack", ...nack });
  assert.deepEqual(await refused, { status: "refused", n: 2, nack });
  server.patch(2, 3);
  assert.deepEqual(await back, { status: "applied", n: 3 });
  assert.deepEqual(session.pending, []);
  assert.deepEqual(told.outcome, [
    { n: 1, to: 2, action: increment, status: "applied" },
    { n: 2, to: 2, action: "explode", status: "refused", nack },
    { n: 3, to: 1, back: true, status: "applied" },
  ]);
  assert.deepEqual(told.pending.map(({ pending }) => pending.length), [1, 2, 3, 2, 1, 0]);
});

test("an action is copied", (t) => {
  new World(t);
  const { server, session } = begin();
  const action = { select: { _0: 1 } };
  session.act("", action);
  action.select._0 = 2;
  server.welcome();
  assert.deepEqual(server.take(), [{ t: "act", n: 1, to: "", a: { select: { _0: 1 } } }]);
});

test("the caller's mistakes are rejected, and use no number", async (t) => {
  new World(t);
  const { server, session } = show();
  for (const to of [undefined, null, -1, 1.5, NaN, {}, 2 ** 53]) await assert.rejects(session.act(to, "x"), TypeError);
  await assert.rejects(session.act(1, undefined), SyntaxError);
  await assert.rejects(session.act(1, 1n), TypeError);
  assert.deepEqual(session.pending, []);
  session.act(1, "x");
  assert.equal(server.take()[0].n, 1);
});

test("a message that is too long is rejected, in bytes, and uses no number", async (t) => {
  new World(t);
  const { server, session } = show();
  const frame = JSON.stringify({ t: "act", n: 1, to: 1, a: "", ack: { rev: 1, n: 0 } }).length;
  await assert.rejects(session.act(1, "x".repeat(201 - frame)), RangeError);
  await assert.rejects(session.act(1, "\u00e9".repeat(101 - frame / 2)), RangeError);
  assert.deepEqual(server.take(), []);
  session.act(1, "x".repeat(200 - frame));
  assert.equal(server.take()[0].n, 1);
});

test("actions before the welcome are numbered at once, and sent after it", (t) => {
  new World(t);
  const { server, session } = begin();
  session.act(1, "a");
  session.back(2);
  assert.deepEqual(session.pending.map(({ n }) => n), [1, 2]);
  assert.deepEqual(server.take(), []);
  server.welcome();
  session.act(1, "c");
  assert.deepEqual(server.take(), [
    { t: "act", n: 1, to: 1, a: "a" },
    { t: "back", n: 2, to: 2 },
    { t: "act", n: 3, to: 1, a: "c", ack: { rev: 0, n: 0 } },
  ]);
});

test("of actions before the welcome those that turn out to be too long are rejected, and leave no gap", async (t) => {
  new World(t);
  const { server, session, told } = begin();
  const first = session.act(1, "a");
  const long = session.act(1, "x".repeat(200));
  const last = session.act(1, "c");
  const rejected = assert.rejects(long, RangeError);
  server.welcome();
  await rejected;
  assert.deepEqual(server.take().map(({ n, a }) => [n, a]), [[1, "a"], [2, "c"]]);
  server.patch(1, 2);
  assert.deepEqual(await Promise.all([first, last]), [{ status: "applied", n: 1 }, { status: "applied", n: 2 }]);
  assert.equal(told.outcome.length, 2);
});

test("actions while away are sent after what is sent again", (t) => {
  const world = new World(t);
  const { server, session } = show();
  session.act(1, "a");
  session.act(1, "b");
  server.cut();
  session.act(1, "c");
  world.pass(50);
  assert.deepEqual(server.hellos.at(-1).resume, { sid: "S", cid: 1, token: "T", try: 1, epoch: "E", rev: 1 });
  session.act(1, "d");
  assert.deepEqual(server.take(), []);
  server.welcome({ n: 1 });
  assert.deepEqual(server.take(), [2, 3, 4].map((n) => ({ t: "act", n, to: 1, a: "abcd"[n - 1] })));
  assert.equal(session.status, "resumed");
});

test("what was sent is sent again, whatever the limit is by now", (t) => {
  const world = new World(t);
  const { server, session } = show();
  session.act(1, "x".repeat(100));
  server.cut();
  world.pass(50);
  server.welcome({ limits: { messageBytes: 100 } });
  assert.equal(server.take().length, 1);
});

test("a view of another epoch is shown, and not acknowledged", (t) => {
  const world = new World(t);
  const { server, session } = show();
  server.cut();
  world.pass(50);
  server.welcome({ epoch: "F" });
  assert.deepEqual(session.view, view);
  session.act(1, "a");
  assert.deepEqual(server.take()[0].ack, { rev: 0, n: 0 });
});

test("lost actions: what is left is numbered anew, promises follow", async (t) => {
  const world = new World(t);
  const { server, session, told } = show();
  session.act(1, "a");
  session.act(1, "b");
  server.patch(1, 2);
  const dropped = session.act(3, "c");
  const kept = session.act(1, "d");
  server.cut();
  world.pass(50);
  server.welcome({ n: 0, epoch: "F" });
  assert.deepEqual(told.lost, [{ count: 3 }]);
  assert.deepEqual(await dropped, { status: "unknown", n: 3 });
  assert.deepEqual(server.take(), [{ t: "act", n: 1, to: 1, a: "d" }]);
  server.snap(view, { epoch: "F", n: 1 });
  assert.deepEqual(await kept, { status: "applied", n: 1 });
});

// ---- Subscriptions

test("subscriptions by id, pointer and type are called for what they name", (t) => {
  new World(t);
  const { server, session } = show();
  const calls = [];
  session.subscribe(2, (node, { ids }) => calls.push(["id", node?.state.count, [...ids]]));
  session.subscribe("/nodes/2/state/count", (value) => calls.push(["pointer", value]));
  session.subscribe("/root", (value) => calls.push(["root", value]));
  session.subscribe("Counter", (node, { id }) => calls.push(["type", node?.state.count, id]));
  session.subscribe("Root", () => calls.push(["other type"]));
  const other = session.view.nodes[3];
  server.patch(2, 0, count(2, 5));
  assert.deepEqual(calls.splice(0), [["id", 5, [2]], ["pointer", 5], ["type", 5, 2]]);
  assert.equal(session.node(3), other);
  server.patch(3, 0, count(3, 11));
  assert.deepEqual(calls.splice(0), [["type", 11, 3]]);
  const value = { type: "Counter", state: { count: 7 } };
  server.patch(4, 0, { op: "remove", path: "/nodes/2" }, { op: "add", path: "/nodes/4", value });
  assert.deepEqual(calls.splice(0), [
    ["id", undefined, [2, 4]],
    ["pointer", undefined],
    ["type", undefined, 2],
    ["type", 7, 4],
  ]);
  server.patch(4, 0);
  assert.deepEqual(calls, []);
});

test("a pointer is called for another value only, also if the same is written anew", (t) => {
  new World(t);
  const { server, session } = show();
  const values = [];
  session.subscribe("/nodes/2/state", (state) => values.push(state));
  session.subscribe("/nodes/2/state/count", (value) => values.push(value));
  server.patch(2, 0, count(2, 0));
  assert.deepEqual(values, [{ count: 0 }]);
});

test("subscriptions see the whole patch, end when they are told to, and may fail", (t) => {
  const world = new World(t);
  const { server, session } = show();
  const seen = [];
  const end = session.subscribe(2, () => {
    throw new Error("the page's");
  });
  const endOther = session.subscribe(2, () => seen.push("other"));
  const endLast = session.subscribe(3, () => seen.push("never"));
  session.subscribe(2, (node) => {
    seen.push([node.state.count, session.node(3).state.count]);
    endOther();
    endLast();
  });
  server.patch(2, 0, count(2, 1), count(3, 2));
  end();
  server.patch(3, 0, count(2, 3), count(3, 4));
  assert.deepEqual(seen, ["other", [1, 2], [3, 4]]);
  assert.deepEqual(world.errors, ["the page's"]);
  assert.equal(session.status, "live");
});

test("what is subscribed at a place is called for what is there, and below it", (t) => {
  new World(t);
  const { server, session } = show();
  const calls = [];
  for (const target of ["", "/root", "/nodes", "/nodes/2", "/nodes/3", "/nodes/02", "/nodes/2/state/count", "/x"]) {
    session.subscribe(target, () => calls.push(target));
  }
  server.patch(2, 0, count(2, 1));
  assert.deepEqual(calls, ["/nodes/2", "/nodes/2/state/count", "", "/nodes"]);
});

test("an action made by a subscription is sent after the patch was taken", (t) => {
  new World(t);
  const { server, session } = show();
  session.subscribe("Counter", (node, { id }) => node.state.count === 1 && session.act(id, "more"));
  server.patch(2, 0, count(2, 1));
  assert.deepEqual(server.take(), [{ t: "act", n: 1, to: 2, a: "more", ack: { rev: 2, n: 0 } }]);
});

test("what is named is left once, and what is gone by then counts as left", async (t) => {
  new World(t);
  const { server, session, told } = show();
  const outcomes = [session.back(2), session.back(2), session.back(3), session.back(), session.back(1), session.back(2)];
  assert.deepEqual(server.take().map(({ to }) => to), [2, 3, 1, 1]);
  server.patch(2, 1, { op: "remove", path: "/nodes/2" });
  server.say({ t: "nack", n: 2, code: "gone", message: "There is no node 3." });
  server.say({ t: "nack", n: 3, code: "forbidden", message: "no" });
  server.patch(2, 4);
  const settled = (await Promise.all(outcomes)).map(({ status, n }) => [status, n]);
  assert.deepEqual(settled, [["applied", 1], ["applied", 1], ["applied", 2], ["refused", 3], ["applied", 4], ["applied", 1]]);
  assert.deepEqual(told.outcome.map(({ status }) => status), ["applied", "applied", "refused", "applied"]);
  // Once it is answered, it may be asked for again.
  session.back(2);
  assert.equal(server.take().length, 1);
});

// ---- Prediction

test("a predicted state is shown until the answer", (t) => {
  new World(t);
  const { server, session, told } = show({ optimistic: predictions });
  const counts = [];
  session.subscribe("/nodes/2/state/count", (value, { ops }) => counts.push([value, ops === null]));
  session.act(2, increment);
  session.act(2, increment);
  assert.equal(session.node(2).state.count, 2);
  assert.equal(session.view.nodes[2].state.count, 0);
  const node = session.node(2);
  server.patch(2, 0, count(3, 1));
  assert.equal(session.node(2), node);
  server.patch(3, 1, count(2, 10));
  assert.equal(session.node(2).state.count, 11);
  server.say({ t: "nack", n: 2, code: "failed", message: "" });
  assert.equal(session.node(2).state.count, 10);
  assert.equal(session.node(2), session.view.nodes[2]);
  assert.deepEqual(counts, [[1, true], [2, true], [11, false], [10, true]]);
  assert.deepEqual(told.change.slice(1).map(({ ids }) => [...ids]), [[2], [2], [3], [2], [2]]);
});

test("what is not predicted is shown as it is", (t) => {
  new World(t);
  const { session, told } = show({ optimistic: predictions });
  session.back(2);
  session.act("tabs[0]", increment);
  session.act(1, increment);
  session.act(99, increment);
  assert.equal(session.node(2), session.view.nodes[2]);
  assert.equal(told.change.length, 1);
});

test("who may only look predicts nothing", (t) => {
  const world = new World(t);
  const { server, session } = show({ optimistic: predictions });
  assert.equal(session.scope, "act");
  server.cut();
  world.pass(1000);
  server.welcome({ resumed: true, scope: "view" });
  assert.equal(session.scope, "view");
  session.act(2, increment);
  assert.equal(session.node(2).state.count, 0);
  assert.equal(session.pending.length, 1);
});

test("a prediction that fails is not the session's", async (t) => {
  const world = new World(t);
  const { server, session } = show({ optimistic: { Counter: () => { throw new Error("the page's"); } } });
  const outcome = session.act(2, increment);
  assert.equal(session.node(2).state.count, 0);
  server.patch(2, 1, count(2, 1));
  assert.deepEqual(await outcome, { status: "applied", n: 1 });
  assert.deepEqual(world.errors, ["the page's"]);
});

// ---- Coming back

test("the back-off doubles, is random, and begins anew with a welcome", (t) => {
  const world = new World(t, { chance: 1 });
  const { server, session } = show();
  const waits = [];
  server.cut();
  for (let attempt = 0; attempt < 12; attempt++) {
    waits.push(world.nextTimer);
    world.pass(world.nextTimer);
    server.cut();
  }
  assert.deepEqual(waits, [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  world.chance = 0.25;
  world.pass(30_000);
  server.cut();
  assert.equal(world.nextTimer, 7500);
  world.pass(7500);
  server.welcome();
  world.chance = 1;
  server.cut();
  assert.equal(world.nextTimer, 50);
  assert.equal(session.status, "reconnecting");
  assert.deepEqual(session.reason, { code: "1006", message: "" });
  assert.deepEqual(server.hellos.map(({ resume }) => resume?.try ?? 0), [...server.hellos.keys()]);
});

for (const [chance, wait] of [[0, 1000], [1, 2000]]) {
  test(`a server that is full is left for a while: ${wait}`, (t) => {
    const world = new World(t, { chance });
    const { server } = show();
    server.cut(4100);
    assert.equal(world.nextTimer, wait);
    world.pass(wait);
    server.cut(4101);
    assert.equal(world.nextTimer, chance ? 4000 : 1000);
  });
}

for (const code of [4000, 4001, 4002, 4008, 4099, 1000, 1001, 1005, 1006, 1011, 3000, 4300, 4500]) {
  test(`after ${code} the session is resumed`, (t) => {
    const world = new World(t, { chance: 1 });
    const { server, session } = show();
    server.cut(code);
    assert.equal(session.status, "reconnecting");
    assert.equal(world.nextTimer, 50);
  });
}

for (const code of [4401, 4403, 4404, 4409, 4410, 4499]) {
  test(`after ${code} the session is over`, async (t) => {
    const world = new World(t);
    const storage = new MemoryStorage();
    const { server, session, told } = show({ storage });
    const outcome = session.act(1, "a");
    server.cut(code, "why");
    assert.deepEqual(told.status.at(-1), { status: "ended", reason: { code: String(code), message: "why" } });
    assert.deepEqual(await outcome, { status: "unknown", n: 1 });
    assert.equal(world.nextTimer, Infinity);
    assert.equal(storage.entry, undefined);
    const unsent = { status: "unsent", message: "The session has ended." };
    assert.deepEqual(await session.act(1, "b"), unsent);
    assert.deepEqual(told.outcome.at(-1), { to: 1, action: "b", ...unsent });
    assert.deepEqual(await session.act(1, "secret", { secret: true }), unsent);
    assert.deepEqual(told.outcome.at(-1), { to: 1, secret: true, ...unsent });
    assert.deepEqual(session.view, view);
  });
}

test("a word is as good as its number", (t) => {
  const world = new World(t);
  const { server, session } = show();
  server.say({ t: "bye", code: "taken", message: "elsewhere" });
  assert.deepEqual([session.status, session.reason], ["ended", { code: "taken", message: "elsewhere" }]);
  assert.equal(server.isOpen, false);
  assert.equal(world.nextTimer, Infinity);
});

test("a word of a later version waits for its number", (t) => {
  new World(t);
  const { server, session } = show();
  server.say({ t: "bye", code: "eclipse", message: "dark" });
  assert.equal(session.status, "live");
  server.cut(4499, "dark");
  assert.deepEqual([session.status, session.reason], ["ended", { code: "4499", message: "dark" }]);
});

test("a session that is gone is begun anew", async (t) => {
  const world = new World(t);
  const { server, session, told } = show();
  const outcome = session.act(2, "a");
  server.say({ t: "bye", code: "gone", message: "" });
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  assert.deepEqual(session.view, view);
  assert.equal((await session.act(2, "b")).status, "unsent");
  const kept = session.act("", "c");
  world.pass(50);
  assert.equal(server.hellos.at(-1).resume, undefined);
  server.welcome({ sid: "S2", epoch: "F" });
  assert.deepEqual(server.take(), [{ t: "act", n: 1, to: "", a: "c" }]);
  server.snap({ root: 1, nodes: { 1: { type: "Root", state: {} } } }, { n: 1, epoch: "F" });
  assert.deepEqual(await kept, { status: "applied", n: 1 });
  assert.deepEqual(told.status.map(({ status }) => status), ["live", "reconnecting", "reset"]);
  assert.deepEqual([...told.change.at(-1).ids], [1, 2, 3]);
});

test("a joined session that is gone is over", (t) => {
  new World(t);
  const { server, session } = show({ app: undefined, share: "J" });
  assert.equal(server.hellos[0].share, "J");
  server.cut(4200);
  assert.equal(session.status, "ended");
});

test("a server that breaks the protocol is left for a second", (t) => {
  const world = new World(t, { chance: 0 });
  const patch = '{"t":"patch","rev":2,"base":1,"n":5,"ops":[]}';
  for (const text of ["{", "7", "null", "{}", patch, '{"t":"snap","epoch":"E","rev":1,"n":0}']) {
    const { server, session } = show();
    server.on.message(text);
    assert.equal(session.reason.code, "bad_server", text);
    assert.equal(server.isOpen, false);
    assert.equal(world.nextTimer, 1000);
    world.pass(1000);
    assert.equal(server.hellos.at(-1).resume.try, 1);
    server.cut(4401);
  }
});

test("what an earlier connection still says is not heard", (t) => {
  const world = new World(t);
  const { server, session } = show();
  const { on } = server;
  session.reconnect();
  on.message(JSON.stringify({ t: "patch", rev: 2, base: 1, n: 0, ops: [count(2, 9)] }));
  on.close(4400, "");
  assert.equal(session.status, "reconnecting");
  world.pass(50);
  on.close(4400, "");
  server.welcome();
  assert.equal(session.status, "resumed");
  assert.equal(session.node(2).state.count, 0);
});

test("a hidden page connects while something waits", (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = show();
  world.hide(true);
  session.act(2, "x");
  server.cut();
  world.pass(0);
  assert.equal(server.hellos.length, 2);
  server.welcome({ n: 1 });
  server.cut();
  world.pass(60_000);
  assert.equal(server.hellos.length, 2, "nothing waits");
  session.act(2, "y");
  assert.equal(server.hellos.length, 3);
});

test("a hidden page comes back when the server moves its session, and only then", (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = show();
  world.hide(true);
  server.cut(4002);
  world.pass(0);
  assert.equal(server.hellos.length, 2);
  server.welcome();
  assert.equal(session.status, "resumed");
  server.cut();
  world.pass(60_000);
  assert.equal(server.hellos.length, 2);
});

test("nothing else is attempted while the page is hidden", (t) => {
  const world = new World(t);
  world.hide(true);
  const { server, session } = begin();
  assert.equal(server.hellos.length, 0);
  world.hide(false);
  assert.equal(server.hellos.length, 1);
  server.welcome();
  world.hide(true);
  server.cut();
  world.pass(60_000);
  assert.equal(server.hellos.length, 1);
  world.hide(false);
  assert.equal(server.hellos.length, 2);
  server.welcome();
  assert.equal(session.status, "resumed");
});

test("without a network it goes on trying, for the server may be this machine, and at once with it", (t) => {
  const world = new World(t, { chance: 1 });
  const { server } = show();
  world.navigator.onLine = false;
  server.cut();
  world.pass(50);
  assert.equal(server.hellos.length, 2);
  server.cut();
  world.goOnline(true);
  assert.equal(server.hellos.length, 3);
  // The timer of the attempt that was waited for is not left.
  world.pass(1000);
  assert.equal(server.hellos.length, 3);
});

test("a drained server is left within its time", (t) => {
  const world = new World(t, { chance: 0.5 });
  const { server, session } = show();
  server.say({ t: "drain", within: 4000 });
  session.act(1, "a");
  world.pass(1999);
  assert.equal(server.isOpen, true);
  server.patch(1, 1);
  world.pass(1);
  assert.equal(server.isOpen, false);
  world.pass(50);
  server.welcome({ n: 1 });
  assert.equal(session.status, "resumed");
});

test("a drain is forgotten with its connection", (t) => {
  const world = new World(t, { chance: 0.5 });
  const { server } = show();
  server.say({ t: "drain", within: 4000 });
  server.cut();
  world.pass(100);
  server.welcome();
  world.pass(10_000);
  assert.equal(server.hellos.length, 2);
  assert.equal(server.isOpen, true);
});

test("a transport that fails twice gives way to the next, until one has worked", (t) => {
  const world = new World(t, { chance: 0 });
  const tried = [];
  const transport = (name) => (url, hello, on) => {
    tried.push(name);
    on.open();
    last = on;
    return { send() {}, close() {} };
  };
  let last;
  begin({ transports: [transport("a"), transport("b")] });
  const fail = () => {
    last.close(1006, "");
    world.pass(0);
  };
  for (let time = 0; time < 6; time++) fail();
  assert.deepEqual(tried, ["a", "a", "b", "b", "a", "a", "b"]);
  last.message('{"t":"welcome","sid":"S","cid":1,"token":"T","epoch":"E","n":0,"nacks":[],"limits":{}}');
  for (let time = 0; time < 3; time++) fail();
  assert.deepEqual(tried.slice(7), ["b", "b", "b"]);
  for (let time = 0; time < 14; time++) fail();
  assert.deepEqual(tried.slice(-2), ["b", "a"]);
});

test("a transport that cannot even begin has failed", (t) => {
  const world = new World(t, { chance: 1 });
  let times = 0;
  const { session } = begin({ transports: [() => { times++; throw new Error("no WebSocket"); }] });
  world.pass(50);
  assert.equal(times, 2);
  assert.equal(session.status, "connecting");
});

test("what a listener does at the welcome comes after what is sent again", (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = show();
  server.cut();
  session.act(1, "a");
  session.act(1, "b");
  session.addEventListener("status", ({ detail }) => detail.status === "resumed" && session.act(1, "c"));
  session.addEventListener("pending", () => session.pending.length === 3 || session.act(1, "c"), { once: true });
  world.pass(0);
  server.take();
  server.welcome();
  assert.deepEqual(server.take().map(({ n }) => n), [1, 2, 3, 4].slice(0, session.pending.length));
});

test("end comes after what is sent again", async (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = show();
  server.cut();
  session.act(1, "a");
  session.end();
  world.pass(0);
  server.take();
  server.welcome();
  assert.deepEqual(server.take().map(({ t }) => t), ["act", "bye"]);
});

// ---- The URL

/** A network on which each WebSocket opens when the test says so. */
class Network {
  dialled = [];
  /** What was said on the sockets, in order. */
  hellos = [];

  constructor(t) {
    const network = this;
    const value = class {
      constructor(url, subprotocol) {
        network.dialled.push([url, subprotocol]);
        network.socket = this;
      }
      send(text) {
        network.hellos.push(JSON.parse(text));
      }
      close() {}
    };
    const own = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
    Object.defineProperty(globalThis, "WebSocket", { value, configurable: true, writable: true });
    t.after(() => (own ? Object.defineProperty(globalThis, "WebSocket", own) : delete globalThis.WebSocket));
  }

  message(data) {
    this.socket.onmessage({ data });
  }

  close(code, reason) {
    this.socket.onclose({ code, reason });
  }

  /** The URLs that were dialled since this was asked last. */
  take() {
    return this.dialled.splice(0).map(([url]) => url);
  }
}

test("the URL of a new session has no query, and that of a session that is resumed names it", (t) => {
  const world = new World(t, { chance: 0 });
  const network = new Network(t);
  const { server, session } = begin({ transports: [webSocket] });
  Object.assign(server, { on: network, hellos: network.hellos });
  assert.deepEqual(network.dialled, [["ws://example.test/v1/socket", "riblet.v1.json"]]);
  // Before a welcome there is no session to come back to.
  server.cut();
  world.pass(0);
  assert.deepEqual(network.take(), Array(2).fill("ws://example.test/v1/socket"));
  network.socket.onopen();
  server.welcome();
  assert.equal(session.status, "live");
  for (const status of ["reconnecting", "resumed"]) {
    server.cut();
    world.pass(0);
    assert.deepEqual(network.take(), ["ws://example.test/v1/socket?sid=S"]);
    network.socket.onopen();
    if (status === "resumed") server.welcome();
    assert.equal(session.status, status);
  }
  // The session is gone, and this is a new one.
  server.cut(4200);
  world.pass(0);
  assert.deepEqual(network.take(), ["ws://example.test/v1/socket"]);
});

test("the URL names the session that a page goes on with after a reload", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  show({ storage }).session.close();
  const network = new Network(t);
  begin({ storage, transports: [webSocket] });
  assert.deepEqual(network.take(), ["ws://example.test/v1/socket?sid=S"]);
});

test("the URL names the session that a share token is for, and has nothing of a text that is no such token", (t) => {
  new World(t);
  const network = new Network(t);
  const queries = [
    ["76da5f6e.02d66127", "?sid=76da5f6e"], ["a.b.c", "?sid=a"], ["a b&c=\u00e9#/?.d", "?sid=a+b%26c%3D%C3%A9%23%2F%3F"],
    ["\ud800.d", "?sid=%EF%BF%BD"], ["secret", ""], [".secret", ""],
  ];
  for (const [share, query] of queries) {
    const { session } = begin({ app: undefined, share, transports: [webSocket] });
    assert.deepEqual(network.take(), [`ws://example.test/v1/socket${query}`]);
    session.close();
  }
});

// ---- Heartbeat

test("a silent client pings, with an ack if there is something new", (t) => {
  const world = new World(t);
  const { server, session } = show();
  world.pass(24_999);
  assert.deepEqual(server.take(), []);
  world.pass(1);
  assert.deepEqual(server.take(), [{ t: "ack", rev: 1, n: 0 }, { t: "ping" }]);
  server.say({ t: "pong" });
  world.pass(25_000);
  assert.deepEqual(server.take(), [{ t: "ping" }]);
  server.patch(2, 0, count(2, 1));
  world.pass(25_000);
  assert.deepEqual(server.take(), [{ t: "ack", rev: 2, n: 0 }, { t: "ping" }]);
  server.say({ t: "pong" });
  session.act(1, "a");
  server.patch(2, 1);
  world.pass(20_000);
  server.patch(2, 1);
  world.pass(5000);
  // It has heard, but not said anything.
  assert.deepEqual(server.take().at(-1), { t: "ping" });
});

test("a silent server is given up", (t) => {
  const world = new World(t);
  const { server, session } = show();
  world.pass(34_999);
  assert.equal(session.status, "live");
  world.pass(1);
  assert.equal(session.status, "reconnecting");
  assert.equal(session.reason.code, "silent");
  assert.equal(server.isOpen, false);
});

test("a server that does not greet is given up, and not pinged", (t) => {
  const world = new World(t);
  const { server } = begin();
  world.pass(14_999);
  assert.deepEqual(server.take(), []);
  assert.equal(server.isOpen, true);
  world.pass(1);
  assert.equal(server.isOpen, false);
});

test("a page whose timers are late asks before it gives up", (t) => {
  const world = new World(t);
  const { server, session } = show();
  world.hide(true);
  world.time += 60_000;
  world.pass(0);
  assert.deepEqual(server.take().at(-1), { t: "ping" });
  assert.equal(session.status, "live");
  world.pass(9999);
  assert.equal(session.status, "live");
  world.pass(1);
  assert.equal(session.status, "reconnecting");
});

for (const event of ["shown", "online"]) {
  test(`a page that is ${event} again asks at once, and waits five seconds`, (t) => {
    const world = new World(t, { chance: 0 });
    const { server, session } = show();
    world.time += 60_000;
    if (event === "shown") world.hide(false);
    else world.goOnline(true);
    assert.deepEqual(server.take().at(-1), { t: "ping" });
    world.pass(4999);
    assert.equal(session.status, "live");
    world.pass(1);
    assert.equal(session.reason.code, "silent");
  });
}

test("a page whose network is gone knows so at once", (t) => {
  const world = new World(t, { chance: 0.5 });
  const { server, session, told } = show();
  world.goOnline(false);
  assert.equal(session.status, "reconnecting");
  assert.equal(session.reason.code, "offline");
  assert.equal(server.isOpen, false);
  world.pass(60_000);
  assert.equal(server.isOpen, true, "a server on the same machine needs no network");
});

test("a page that waits for its next attempt says how long, and tries at once when it is told to", (t) => {
  const world = new World(t, { chance: 0.5 });
  const { server, session } = show();
  const attempts = [];
  session.addEventListener("attempt", ({ detail: { wait } }) => attempts.push(wait));
  for (let count = 0; count < 8; count++) {
    server.cut();
    if (count < 7) world.pass(session.nextAttempt);
  }
  assert.equal(session.nextAttempt, 3200);
  assert.equal(attempts.at(-1), 3200);
  world.pass(200);
  assert.equal(session.nextAttempt, 3000);
  const { length } = server.hellos;
  session.reconnect();
  assert.equal(server.hellos.length, length + 1);
  assert.equal(session.nextAttempt, undefined);
  assert.equal(attempts.at(-1), undefined);
});

test("a page that waits is told when there is no next attempt", (t) => {
  const world = new World(t, { chance: 0.5 });
  const { server, session } = show();
  const attempts = [];
  session.addEventListener("attempt", ({ detail: { wait } }) => attempts.push(wait));
  server.cut();
  world.pass(10);
  session.close();
  assert.equal(attempts.at(-1), undefined);
  assert.equal(session.nextAttempt, undefined);
});

test("an option that is undefined is one that is left out", (t) => {
  new World(t);
  const { WebSocket } = globalThis, opened = [];
  t.after(() => Object.assign(globalThis, { WebSocket }));
  globalThis.WebSocket = class {
    constructor(url) {
      opened.push(url);
    }
    close() {}
  };
  connect("http://example.test", { app: "a", transports: undefined }).close();
  assert.equal(opened.length, 1);
});

test("a page comes back within a second after the server has answered that the session is gone", (t) => {
  const world = new World(t, { chance: 1 });
  const { server, session } = show();
  for (let count = 0; count < 9; count++) {
    server.cut();
    world.pass(session.nextAttempt);
  }
  server.cut(4200);
  assert.ok(session.nextAttempt <= 50, `${session.nextAttempt}`);
  // A server that goes on saying so is left more and more time.
  world.pass(50);
  for (let count = 0; count < 6; count++) {
    server.cut(4200);
    world.pass(session.nextAttempt);
  }
  server.cut(4200);
  assert.ok(session.nextAttempt > 1000, `${session.nextAttempt}`);
});

test("a clock that stands still while the computer sleeps is no excuse", (t) => {
  const world = new World(t);
  const { server } = show();
  let asleep = 0;
  Date.now = () => world.time + asleep;
  world.pass(1000);
  asleep = 60_000;
  world.hide(false);
  assert.deepEqual(server.take().at(-1), { t: "ping" });
});

test("a link that swallows an action is left within eight seconds, and the action sent again", async (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = show();
  world.pass(10_000);
  const outcome = session.act(2, "x");
  world.pass(2999);
  assert.deepEqual(server.take().map(({ t }) => t), ["act"]);
  world.pass(1);
  assert.deepEqual(server.take().map(({ t }) => t), ["ping"]);
  world.pass(5000);
  assert.equal(session.reason.code, "silent");
  world.pass(0);
  server.welcome();
  assert.deepEqual(server.take().map(({ t, n }) => [t, n]), [["act", 1]]);
  server.patch(2, 1, count(2, 1));
  assert.equal((await outcome).status, "applied");
});

test("what has come is heard before the time is said to be over", (t) => {
  const world = new World(t);
  const { server, session } = show();
  world.pass(25_000);
  // The page was busy: its timer is due, and behind it the answer.
  const timer = globalThis.setTimeout;
  globalThis.setTimeout = (fn, delay) => {
    if (!delay) server.say({ t: "pong" });
    return timer(fn, delay);
  };
  world.pass(10_000);
  assert.equal(session.status, "live");
});

test("a hidden page with something to send connects when there is a network again, and one that is to end ends", async (t) => {
  const world = new World(t, { chance: 1 });
  const { server, session } = show();
  world.hide(true);
  session.act(1, "x");
  for (let time = 0; time < 5; time++) {
    server.cut();
    world.pass(world.nextTimer);
  }
  server.cut();
  const count = server.hellos.length;
  world.goOnline(true);
  assert.equal(server.hellos.length, count + 1);
  server.welcome({ n: 1 });
  server.cut();
  world.pass(60_000);
  session.end();
  assert.equal(server.hellos.length, count + 2);
  server.welcome({ n: 1 });
  assert.deepEqual(server.take().at(-1), { t: "bye" });
});

test("a word of a later version with a 1000 is the server's last all the same", (t) => {
  new World(t);
  const { server, session } = show();
  server.say({ t: "bye", code: "eclipse", message: "dark" });
  server.cut(1000, "dark");
  assert.equal(session.status, "ended");
});

// ---- Sessions that are closed from within

const closings = {
  "as an action is taken": ({ server, session }) => {
    session.addEventListener("pending", () => session.close());
    session.act(1, "a");
  },
  "as a message is sent": ({ session }) => {
    session.addEventListener("message", ({ detail }) => detail.direction === "out" && session.close());
    session.act(1, "a");
  },
  "as a view is drawn": ({ server, session }) => {
    session.addEventListener("change", () => session.close());
    server.patch(2, 0, count(2, 1));
  },
  "as a ping is sent": ({ session, world }) => {
    session.addEventListener("message", ({ detail }) => {
      if (detail.direction !== "out") return;
      session.act(1, "a").catch(() => {});
      session.close();
    });
    world.pass(25_000);
  },
  "as it connects": ({ server, session, world }) => {
    session.addEventListener("message", ({ detail }) => detail.text.includes("hello") && session.close());
    server.cut();
    world.pass(50);
  },
};
for (const [name, close] of Object.entries(closings)) {
  test(`a session that is closed ${name} stays closed`, (t) => {
    const world = new World(t);
    const all = show();
    close({ ...all, world });
    const { server, session, told } = all;
    const count = server.hellos.length;
    world.pass(200_000);
    world.goOnline(true);
    assert.equal(session.status, "ended");
    assert.equal(told.status.at(-1).status, "ended");
    assert.equal(server.hellos.length, count);
    assert.equal(server.isOpen, false);
    assert.equal(world.nextTimer, Infinity);
  });
}

test("no event has a token", async (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session, told } = begin({ app: undefined, share: "invited-secret" });
  server.welcome({ token: "client-secret" });
  const shared = session.share("view");
  server.say({ t: "share", token: "share-secret", expires: 1 });
  assert.equal((await shared).token, "share-secret");
  server.cut();
  world.pass(0);
  assert.equal(server.hellos[0].share, "invited-secret");
  assert.equal(server.hellos[1].resume.token, "client-secret");
  const texts = told.message.map(({ text }) => text).join();
  assert.doesNotMatch(texts, /secret/);
  assert.match(texts, /"t":"share","token":"…"/);
  assert.match(texts, /"cid":1,"token":"…","try":1/);
});

// ---- Questions

test("share is answered, or rejected when the connection ends", async (t) => {
  new World(t);
  const { server, session } = begin();
  await assert.rejects(session.share("view"));
  server.welcome();
  const answered = session.share("view");
  const unanswered = session.share("act");
  assert.deepEqual(server.take(), [{ t: "share", scope: "view" }, { t: "share", scope: "act" }]);
  server.say({ t: "share", token: "J", expires: 600_000 });
  assert.deepEqual(await answered, { token: "J", expires: 600_000 });
  server.cut();
  await assert.rejects(unanswered);
});

test("check compares hashes, and asks for the view if they differ", async (t) => {
  new World(t);
  const { server, session } = show();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(view)));
  const good = session.check();
  await settle();
  assert.deepEqual(server.take(), [{ t: "check" }]);
  server.say({ t: "patch", rev: 1, base: 1, n: 0, ops: [], hash: Buffer.from(digest).toString("hex") });
  assert.equal(await good, true);
  assert.deepEqual(server.take(), []);
  const bad = session.check();
  await settle();
  server.take();
  server.say({ t: "patch", rev: 1, base: 1, n: 0, ops: [], hash: "0f" });
  assert.equal(await bad, false);
  assert.deepEqual(server.take(), [{ t: "resync" }]);
  server.patch(2, 0, count(2, 7));
  assert.equal(session.node(2).state.count, 0);
  server.snap(applyPatch(view, [count(2, 7)]), { rev: 2 });
  assert.equal(session.node(2).state.count, 7);
});

test("the seventh resync within a minute is not sent", (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = show();
  for (let time = 1; time <= 6; time++) {
    server.patch(9, 0, count(2, 1));
    server.patch(10, 0, count(2, 1));
    assert.deepEqual(server.take(), [{ t: "resync" }]);
    server.snap(view);
  }
  server.patch(9, 0, count(2, 1));
  assert.equal(session.reason.code, "bad_server");
  world.pass(59_999);
  server.welcome();
  server.snap(view);
  server.patch(9, 0, count(2, 1));
  assert.equal(session.status, "reconnecting");
  world.pass(2000);
  server.welcome();
  server.snap(view);
  server.patch(9, 0, count(2, 1));
  assert.deepEqual(server.take(), [{ t: "resync" }]);
});

test("end says bye, and resolves when it is answered", async (t) => {
  const world = new World(t);
  const { server, session } = show();
  let isOver = false;
  const over = session.end().then(() => (isOver = true));
  assert.deepEqual(server.take(), [{ t: "bye" }]);
  server.cut();
  await settle();
  assert.equal(isOver, false);
  world.pass(50);
  server.welcome();
  assert.deepEqual(server.take(), [{ t: "bye" }]);
  server.say({ t: "bye", code: "ended", message: "Goodbye." });
  await over;
  assert.deepEqual(session.reason, { code: "ended", message: "Goodbye." });
  await session.end();
});

test("a session that is gone while it ends is not begun anew", async (t) => {
  new World(t);
  const { server, session } = show();
  const over = session.end();
  server.cut(4200);
  await over;
  assert.equal(session.status, "ended");
});

test("close leaves without a word", async (t) => {
  const world = new World(t);
  const { server, session, told } = show();
  const outcome = session.act(1, "a");
  server.take();
  session.close();
  assert.equal(server.isOpen, false);
  assert.deepEqual(server.take(), []);
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  assert.deepEqual(told.status.at(-1), { status: "ended", reason: { code: "closed", message: "" } });
  world.goOnline(true);
  world.hide(false);
  world.pass(60_000);
  assert.equal(server.hellos.length, 1);
});

test("who is connected is told to whoever asks for it", (t) => {
  new World(t);
  const { server, session } = show({ features: ["clients"] });
  const told = [];
  session.addEventListener("clients", ({ detail }) => told.push(detail.clients));
  assert.deepEqual(server.hellos[0].features, ["clients"]);
  assert.deepEqual(session.clients, []);
  const clients = [{ cid: 1, scope: "act" }, { cid: 2, scope: "view" }];
  server.say({ t: "clients", clients });
  assert.deepEqual(session.clients, clients);
  assert.deepEqual(told, [clients]);
});

test("notices are told", (t) => {
  new World(t);
  const { server, session, told } = show();
  server.say({ t: "notice", durability: "none" });
  assert.equal(session.durability, "none");
  assert.deepEqual(told.notice, [{ durability: "none" }]);
});

test("a path of more than 256 bytes is a mistake of the page's, and takes no number", async (t) => {
  new World(t);
  const { session } = begin();
  await assert.rejects(session.act("ä".repeat(129), 0), { name: "RangeError", message: /256 bytes/ });
  assert.deepEqual(session.pending, []);
  session.act("ä".repeat(128), 0);
  assert.deepEqual(session.pending.map(({ n }) => n), [1]);
});
