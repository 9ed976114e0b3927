// What is left of a session whose connection has ended because the server could not read a message [not-read].

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage, World, begin, count, settle, show, view } from "./riblet.support.js";

const act = (n, a) => ({ t: "act", n, to: 2, a });
const withdrawn = (n) => ({ t: "act", n, to: 0, a: null });

async function isOpen(promise) {
  let isOpen = true;
  promise.then(() => (isOpen = false));
  await settle();
  return isOpen;
}

for (const code of [1002, 1003, 1007, 1009, 4400]) {
  for (const storage of [undefined, new MemoryStorage()]) {
    test(`after ${code} the session is kept ${storage ? "in a storage" : "in memory"}, and waits to be asked`, async (t) => {
      const world = new World(t);
      const { server, session, told } = show({ storage });
      const outcome = session.act(2, "a");
      server.cut(code, "why");
      assert.deepEqual(told.status.at(-1), { status: "ended", reason: { code: String(code), message: "why" } });
      assert.equal(world.nextTimer, Infinity);
      assert.equal(await isOpen(outcome), true);
      assert.deepEqual(session.pending.map(({ n }) => n), [1]);
      assert.equal((await session.act(2, "b")).status, "unsent");
      if (storage) assert.deepEqual(storage.entry.outbox, [{ n: 1, to: 2, action: "a" }]);
      session.reconnect();
      await settle();
      assert.equal(session.status, "reconnecting");
      assert.deepEqual(server.hellos.at(-1).resume, { sid: "S", cid: 1, token: "T", try: 1, epoch: "E", rev: 1 });
      server.welcome();
      assert.equal(session.status, "resumed");
      assert.deepEqual(server.take(), [act(1, "a")]);
      server.patch(2, 1, count(2, 1));
      assert.deepEqual(await outcome, { status: "applied", n: 1 });
      assert.deepEqual(told.status.map(({ status }) => status), ["live", "ended", "reconnecting", "resumed"]);
      session.close();
    });
  }
}

test("a reload goes on with the session", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  session.act(2, "a");
  server.say({ t: "bye", code: "bad_message", message: "why" });
  server.cut(4400);
  const next = begin({ storage });
  await settle();
  assert.equal(next.server.hellos[0].resume.sid, "S");
  next.server.welcome();
  assert.deepEqual(next.server.take(), [act(1, "a")]);
  // The page before comes too late.
  session.reconnect();
  await settle();
  assert.deepEqual([session.status, session.reason.code], ["ended", "taken"]);
  next.session.close();
});

for (const reloads of [false, true]) {
  test(`what ends two connections costs its action alone, ${reloads ? "over reloads" : "in one page"}`, async (t) => {
    new World(t);
    const storage = reloads ? new MemoryStorage() : undefined;
    let { server, session, told } = show({ storage });
    const outcomes = [session.act(2, "a"), session.act(2, "b")];
    for (const expected of [[act(1, "a"), act(2, "b")], [withdrawn(1), act(2, "b")]]) {
      server.take();
      server.cut(4400);
      if (reloads) ({ server, session, told } = begin({ storage }));
      else session.reconnect();
      await settle();
      server.welcome();
      assert.deepEqual(server.take(), expected);
    }
    server.say({ t: "nack", n: 1, code: "gone", message: "There is no node 0." });
    server.say({ t: "patch", rev: 1, base: 1, n: 2, ops: [] });
    const refusal = { status: "refused", n: 1, nack: { n: 1, code: "bad_action", message: "The server could not read it." } };
    if (!reloads) assert.deepEqual(await outcomes[0], refusal);
    assert.deepEqual(told.outcome.map(({ status, n }) => [status, n]), [["refused", 1], ["applied", 2]]);
    assert.deepEqual(told.outcome[0].nack, refusal.nack);
    session.close();
  });
}

test("an action that was answered between two ends is not withdrawn", async (t) => {
  new World(t);
  const { server, session } = show();
  session.act(2, "a");
  session.act(2, "b");
  server.cut(4400);
  session.reconnect();
  await settle();
  server.welcome();
  server.say({ t: "patch", rev: 1, base: 1, n: 1, ops: [] });
  server.cut(4400);
  session.reconnect();
  await settle();
  server.welcome({ n: 1 });
  assert.deepEqual(server.take(), [act(2, "b")]);
});

test("an end before the welcome blames no action", async (t) => {
  const world = new World(t);
  const { server, session } = show();
  session.act(2, "a");
  server.cut();
  world.pass(50);
  for (let round = 0; round < 3; round++) {
    server.cut(4400);
    session.reconnect();
    await settle();
  }
  assert.equal(server.hellos.length, 5);
  server.welcome();
  assert.deepEqual(server.take(), [act(1, "a")]);
});

test("a session that was kept in memory is given up by close", async (t) => {
  new World(t);
  const { server, session, told } = show();
  const outcome = session.act(2, "a");
  server.cut(4400);
  session.close();
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  session.reconnect();
  await settle();
  assert.equal(server.hellos.length, 1);
  assert.deepEqual(told.status.map(({ status }) => status), ["live", "ended"]);
});

test("a session that is over is not gone on with", async (t) => {
  new World(t);
  const { server, session } = show();
  server.cut(4401);
  session.reconnect();
  await settle();
  assert.equal(session.status, "ended");
  assert.equal(server.hellos.length, 1);
});

test("an end before the first welcome gives the actions up, as there is no session to come back to", async (t) => {
  const world = new World(t);
  const { server, session, told } = begin();
  const outcome = session.act("", "a");
  server.say({ t: "bye", code: "bad_message", message: "why" });
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  assert.deepEqual(session.pending, []);
  assert.deepEqual(told.status, [{ status: "ended", reason: { code: "bad_message", message: "why" } }]);
  session.reconnect();
  await settle();
  assert.deepEqual([server.hellos.length, world.nextTimer], [1, Infinity]);
});

test("a session that has ended goes on until the server has heard that it is left", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  session.act(2, "a");
  server.cut(4400);
  const ended = session.end();
  await settle();
  assert.equal(session.status, "reconnecting");
  server.welcome();
  assert.deepEqual(server.take().map(({ t }) => t), ["act", "bye"]);
  server.say({ t: "bye", code: "ended", message: "" });
  await ended;
  assert.deepEqual([session.status, session.reason.code, storage.entries.size], ["ended", "ended", 0]);
});

test("of a session that is left nothing is kept after another end", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  const outcome = session.act(2, "a");
  server.cut(4400);
  const ended = session.end();
  await settle();
  server.welcome();
  server.cut(4400);
  await ended;
  session.close();
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  assert.equal(storage.entries.size, 0);
});

test("of a session that is left and closed at once nothing is kept", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  server.cut(4400);
  session.end();
  await settle();
  session.close();
  assert.equal(storage.entries.size, 0);
});

test("a closed session does not come back, and its entry is for another one", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  server.cut(4400);
  session.close();
  session.reconnect();
  await session.end();
  await settle();
  assert.deepEqual([session.status, server.hellos.length], ["ended", 1]);
  assert.equal(storage.entry.sid, "S");
});

test("two sessions of one key that have ended come back in any order", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const both = ["A", "B"].map((sid) => {
    const it = begin({ storage });
    it.server.welcome({ sid });
    it.server.snap(view);
    return it;
  });
  const outcomes = both.map(({ session }) => session.act(2, "a"));
  for (const { server } of both) server.cut(4400);
  for (const { server, session } of both.toReversed()) {
    session.reconnect();
    await settle();
    server.welcome({ sid: server.hellos.at(-1).resume?.sid });
    server.patch(2, 1, count(2, 1));
  }
  assert.deepEqual(both.map(({ server }) => server.hellos.at(-1).resume?.sid), ["A", "B"]);
  for (const outcome of outcomes) assert.deepEqual(await outcome, { status: "applied", n: 1 });
  assert.deepEqual([...storage.entries.values()].map((text) => JSON.parse(text).sid), ["A", "B"]);
});
