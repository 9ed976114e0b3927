import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage, World, begin, settle, show, view } from "./riblet.support.js";

const password = "swordfish";
const signIn = { signIn: { name: "Ada", password } };
/** What is sent in the place of an action that a reload has lost. */
const placeholder = (n) => ({ t: "act", n, to: 0, a: null });
const texts = (...things) => JSON.stringify(things);

test("a secret action is sent whole, and is nowhere else", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session, told } = show({ storage });
  const outcome = session.act(2, signIn, { secret: true });
  assert.deepEqual(server.sent.map(({ n, to, a }) => ({ n, to, a })), [{ n: 1, to: 2, a: signIn }]);
  assert.deepEqual(storage.entry.outbox, [{ n: 1, to: 2, secret: true }]);
  assert.deepEqual(session.pending, [{ n: 1, to: 2, secret: true }]);
  assert.deepEqual(JSON.parse(told.message.at(-1).text), { t: "act", n: 1, to: 2, a: null, ack: { rev: 1, n: 0 } });
  server.say({ t: "nack", n: 1, code: "refused", message: "Wrong." });
  assert.deepEqual(await outcome, { status: "refused", n: 1, nack: { n: 1, code: "refused", message: "Wrong." } });
  assert.doesNotMatch(texts(told, [...storage.entries]), /swordfish/);
});

test("other actions are kept as before", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { session } = show({ storage });
  session.act(2, "a");
  session.act(2, "b", {});
  session.act(2, "c", { secret: false });
  assert.deepEqual(storage.entry.outbox.map(({ action, secret }) => [action, secret]), [
    ["a", undefined], ["b", undefined], ["c", undefined],
  ]);
});

test("without a reload a cut loses nothing", async (t) => {
  const world = new World(t);
  const storage = new MemoryStorage();
  const { server, session, told } = show({ storage });
  session.act("", "a");
  const outcome = session.act("", signIn, { secret: true });
  server.cut();
  world.pass(50);
  server.welcome();
  assert.deepEqual(server.take().map(({ n, a }) => [n, a]), [[1, "a"], [2, signIn]]);
  server.snap(view, { n: 2 });
  assert.deepEqual(await outcome, { status: "applied", n: 2 });
  assert.doesNotMatch(texts(told, [...storage.entries]), /swordfish/);
});

test("before the first connection it waits in memory", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = begin({ storage });
  session.act("", signIn, { secret: true });
  server.welcome();
  assert.deepEqual(server.take(), [{ t: "act", n: 1, to: "", a: signIn }]);
  assert.deepEqual(storage.entry.outbox, [{ n: 1, to: "", secret: true }]);
});

/** A session whose page was loaded anew while a secret action, between two others, had no answer. */
async function reloaded(t) {
  new World(t);
  const storage = new MemoryStorage();
  const before = show({ storage });
  before.session.act(1, "a");
  before.session.act(2, signIn, { secret: true });
  before.session.act(1, "b");
  before.session.close();
  const all = begin({ storage });
  await settle();
  return { ...all, storage };
}

test("after a reload its number is used for what the server is sure to refuse", async (t) => {
  const { server, session, told } = await reloaded(t);
  assert.deepEqual(session.pending.map(({ n }) => n), [1, 2, 3]);
  server.welcome();
  assert.deepEqual(server.take().slice(-3), [
    { t: "act", n: 1, to: 1, a: "a" }, placeholder(2), { t: "act", n: 3, to: 1, a: "b" },
  ]);
  server.say({ t: "nack", n: 2, code: "gone", message: "There is no node 0." });
  server.snap(view, { n: 3 });
  assert.deepEqual(told.outcome.map(({ n, status, nack }) => [n, status, nack?.code]), [
    [1, "applied", undefined], [2, "refused", "lost_body"], [3, "applied", undefined],
  ]);
  assert.match(told.outcome[1].nack.message, /Enter it again/);
});

test("what the server had before the reload has its own outcome", async (t) => {
  const { server, told } = await reloaded(t);
  server.welcome({ n: 2, nacks: [{ n: 2, code: "refused", message: "Wrong." }] });
  assert.deepEqual(server.take(), [{ t: "act", n: 3, to: 1, a: "b" }]);
  assert.deepEqual(told.outcome.map(({ n, status, nack }) => [n, status, nack?.message]), [
    [2, "refused", "Wrong."], [1, "applied", undefined],
  ]);
});

test("what the server takes while the page comes back is done", async (t) => {
  const { server, told } = await reloaded(t);
  server.welcome();
  server.snap(view, { n: 3 });
  assert.deepEqual(told.outcome.map(({ n, status }) => [n, status]), [[1, "applied"], [2, "applied"], [3, "applied"]]);
});

test("after a second reload it is still refused as lost", async (t) => {
  const { server, session, storage } = await reloaded(t);
  server.welcome();
  server.take();
  session.close();
  const again = begin({ storage });
  await settle();
  again.server.welcome({ n: 2, nacks: [{ n: 2, code: "gone", message: "There is no node 0." }] });
  assert.deepEqual(again.told.outcome.map(({ n, nack }) => [n, nack?.code]), [[2, "lost_body"], [1, undefined]]);
});

test("a new secret action after a reload is sent whole", async (t) => {
  const { server, session } = await reloaded(t);
  session.act("", signIn, { secret: true });
  server.welcome();
  assert.deepEqual(server.take().slice(-1), [{ t: "act", n: 4, to: "", a: signIn }]);
});

test("it is not predicted", (t) => {
  new World(t);
  const seen = [];
  const rule = (state, action) => {
    seen.push(action);
    return state;
  };
  const { session } = show({ optimistic: { Counter: rule } });
  session.act(2, signIn, { secret: true });
  session.act(2, "a");
  assert.deepEqual(seen, ["a"]);
});

test("one that is too long is rejected, and is not kept", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { session } = show({ storage });
  await assert.rejects(session.act(2, { signIn: password.repeat(50) }, { secret: true }), RangeError);
  assert.deepEqual(session.pending, []);
  assert.doesNotMatch(texts([...storage.entries]), /swordfish/);
});
