// Fields of a session whose server is a fake: what is typed for a riblet goes to no other riblet.

import assert from "node:assert/strict";
import { test } from "node:test";
import { kinds } from "../../web/field.js";
import { Fields } from "../../web/fields.js";
import { MemoryStorage, settle, show, view, World } from "./riblet.support.js";

/** Milliseconds after which edits are sent. */
const pause = 200;

const { queueMicrotask } = globalThis;

/** A world in which microtasks are those of the machine. */
function makeWorld(t) {
  const world = new World(t);
  globalThis.queueMicrotask = queueMicrotask;
  return world;
}

/** A field of a node; `type` says what its user types. */
function field(session, id = 2, name = "text") {
  const fields = Fields.of(session, id), send = (value) => Fields.act(session, id, { typed: value });
  const it = fields.bind(name, kinds.text, { value: "", send });
  return { fields, it, type: (text) => fields.edit(it, text, text.length) };
}

/** The server begins another session, and shows its first view. */
async function beginAnew(world, server, between = () => {}) {
  await settle();
  world.pass(50);
  server.welcome({ sid: "S2", epoch: "F" });
  between();
  await settle();
  server.snap(view, { epoch: "F" });
  await settle();
  world.pass(1000);
  await settle();
}

const lose = (server) => server.say({ t: "bye", code: "gone", message: "" });

/** Moments between the loss of a session and the first view of another one, at which the user types. */
const moments = [
  ["before the loss", (type) => type("a"), () => {}, () => {}],
  ["after the loss", () => {}, (type) => type("a"), () => {}],
  ["after the loss, and waits", () => {}, (type, world) => (type("a"), world.pass(pause)), () => {}],
  ["before the first view", () => {}, () => {}, (type) => type("a")],
  ["before the first view, and waits", () => {}, () => {}, (type, world) => (type("a"), world.pass(pause))],
];

for (const [name, before, after, between] of moments) {
  for (const isPressed of [false, true]) {
    test(`what is typed ${name} goes to no riblet of another session${isPressed ? ", also if a stale button is pressed" : ""}`, async (t) => {
      const world = makeWorld(t), { server, session } = show(), { it, type } = field(session);
      before(type);
      lose(server);
      after(type, world);
      if (isPressed) Fields.act(session, 2, "stale");
      await beginAnew(world, server, () => between(type, world));
      assert.deepEqual(server.take().filter(({ t }) => t === "act"), []);
      assert.equal(it.field.shown, "a");
      Fields.act(session, 2, "submit");
      assert.deepEqual(server.take().map(({ a }) => a), [{ typed: "a" }, "submit"], "the user goes on");
    });
  }
}

test("an action that waits for another one goes to no riblet of another session", async (t) => {
  const world = makeWorld(t), { server, session, told } = show(), { type } = field(session, 1);
  session.act("", "other");
  type("a");
  const waiting = Fields.act(session, "", { login: { password: "p" } }, { secret: true });
  lose(server);
  assert.deepEqual((await waiting).status, "unsent");
  const { message, ...unsent } = told.outcome.find(({ status }) => status === "unsent");
  assert.deepEqual(unsent, { to: "", secret: true, status: "unsent" });
  assert.match(message, /lost/);
  await beginAnew(world, server);
  assert.deepEqual(server.take().filter(({ t }) => t === "act"), []);
});

test("a session says twice that ids name other riblets, and only if another session begins", async (t) => {
  const world = makeWorld(t), { server, session } = show();
  const told = [];
  session.addEventListener("anew", () => told.push(session.revision));
  lose(server);
  assert.equal(told.length, 1);
  await beginAnew(world, server, () => assert.equal(told.length, 1));
  assert.equal(told.length, 2);
  server.patch(2, 0);
  server.cut();
  world.pass(10_000);
  server.welcome({ sid: "S2", epoch: "F", rev: 2 });
  assert.equal(told.length, 2);
  session.end();
  lose(server);
  assert.equal(session.status, "ended");
  assert.equal(told.length, 2);
});

test("what was typed while a session was over is sent when it goes on", async (t) => {
  const world = makeWorld(t), { server, session } = show(), { type } = field(session);
  server.cut(4400);
  assert.equal(session.status, "ended");
  type("a");
  world.pass(pause);
  session.reconnect();
  await settle();
  server.welcome();
  world.pass(pause);
  assert.deepEqual(server.take().map(({ a }) => a), [{ typed: "a" }]);
});

test("an edit that is too long is told once, and rejects no promise", async (t) => {
  const world = makeWorld(t), { session, told } = show();
  const fields = Fields.of(session, 2);
  let sent;
  const send = (value) => (sent = Fields.act(session, 2, { password: value }, { secret: true }));
  const it = fields.bind("text", kinds.text, { value: "", send });
  fields.edit(it, "x".repeat(500), 500);
  world.pass(pause);
  assert.equal((await sent).status, "unsent");
  assert.deepEqual(told.outcome, [{ to: 2, secret: true, status: "unsent", message: "The server takes messages of 200 bytes." }]);
});
