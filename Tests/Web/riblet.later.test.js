import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage, World, begin, settle, view } from "./riblet.support.js";

/** A storage that does what it is called for when the test says so, in order. */
class LaterStorage {
  isShared = true;
  kept = new MemoryStorage();
  #begun = [];
  /** Whether what is done from now on fails. */
  isFull = false;

  getItem = (key) => Promise.resolve(this.kept.getItem(key));
  removeItem = (key) => this.#do(() => this.kept.removeItem(key));
  setItem = (key, value) => this.#do(() => {
    if (this.isFull) throw new Error("QuotaExceededError");
    this.kept.setItem(key, value);
  });

  #do(work) {
    return new Promise((resolve, reject) => this.#begun.push({ work, resolve, reject }));
  }

  get waiting() {
    return this.#begun.length;
  }

  /** Does the first of what was begun, or as many. */
  async finish(count = 1) {
    for (const { work, resolve, reject } of this.#begun.splice(0, count)) {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    }
    await settle();
  }

  async finishAll() {
    do await this.finish(Infinity); while (this.waiting);
  }
}

/** A session with such a storage, that is live and shows a view. */
async function later(t) {
  new World(t);
  t.after(() => delete globalThis.sessionStorage);
  globalThis.sessionStorage = new MemoryStorage();
  const storage = new LaterStorage();
  const all = begin({ storage });
  await settle();
  await storage.finishAll();
  all.server.welcome();
  await storage.finishAll();
  all.server.snap(view);
  await storage.finishAll();
  all.server.take();
  return { storage, ...all };
}

const numbers = (messages) => messages.map(({ t, n }) => (n === undefined ? t : n));

test("an action is sent once it is kept", async (t) => {
  const { storage, server, session } = await later(t);
  session.act(1, "a");
  assert.equal(session.pending.length, 1);
  await settle();
  assert.deepEqual(server.take(), []);
  await storage.finish();
  assert.deepEqual(numbers(server.take()), [1]);
  assert.deepEqual(storage.kept.entry.outbox.map(({ action }) => action), ["a"]);
});

test("what is sent waits for its own write, and comes in order", async (t) => {
  const { storage, server, session } = await later(t);
  session.act(1, "a");
  session.act(1, "b");
  await storage.finish();
  assert.deepEqual(numbers(server.take()), [1]);
  session.act(1, "c");
  await storage.finish();
  assert.deepEqual(numbers(server.take()), [2]);
  await storage.finish();
  assert.deepEqual(numbers(server.take()), [3]);
});

test("hello is said once its attempt is kept", async (t) => {
  const { storage, server, session } = await later(t);
  server.cut();
  session.act(1, "a");
  session.close();
  await storage.finishAll();
  const again = begin({ storage });
  await settle();
  assert.equal(storage.waiting, 1);
  assert.equal(again.server.hellos.length, 0);
  await storage.finish();
  assert.equal(again.server.hellos[0].resume.try, storage.kept.entry.try);
  assert.deepEqual(again.session.pending.map(({ action }) => action), ["a"]);
});

test("actions that were taken before the session began are sent once they are kept with it", async (t) => {
  new World(t);
  const storage = new LaterStorage();
  const { server, session } = begin({ storage });
  session.act("", "a");
  await settle();
  await storage.finishAll();
  server.welcome();
  await settle();
  assert.deepEqual(server.take(), []);
  await storage.finish();
  assert.deepEqual(numbers(server.take()), [1]);
  assert.equal(storage.kept.entry.sid, "S");
});

test("without room it is told, and goes on; the old entry does not stay", async (t) => {
  const { storage, server, session, told } = await later(t);
  storage.isFull = true;
  session.act(1, "a");
  await storage.finishAll();
  assert.equal(session.stored, false);
  assert.deepEqual(told.stored, [{ stored: false, reason: "full" }]);
  assert.equal(storage.kept.entry, undefined);
  assert.deepEqual(numbers(server.take()), [1]);
  storage.isFull = false;
  server.patch(1, 1);
  await storage.finishAll();
  assert.deepEqual(told.stored.at(-1), { stored: true });
});

test("the room of the old entry may be enough", async (t) => {
  const { storage, server, session, told } = await later(t);
  storage.isFull = true;
  session.act(1, "a");
  await storage.finish();
  storage.isFull = false;
  await storage.finishAll();
  assert.deepEqual(storage.kept.entry.outbox.map(({ action }) => action), ["a"]);
  assert.deepEqual(told.stored, []);
  assert.deepEqual(numbers(server.take()), [1]);
});

test("what failed does not undo what was written since", async (t) => {
  const { storage, server, session, told } = await later(t);
  storage.isFull = true;
  session.act(1, "a");
  session.act(1, "b");
  await storage.finish();
  storage.isFull = false;
  await storage.finishAll();
  assert.deepEqual(storage.kept.entry.outbox.map(({ action }) => action), ["a", "b"]);
  assert.deepEqual(told.stored, []);
  assert.deepEqual(numbers(server.take()), [1, 2]);
});

test("what waits is not sent on a later connection", async (t) => {
  const { storage, server, session } = await later(t);
  session.act(1, "a");
  session.close();
  await storage.finishAll();
  assert.deepEqual(server.take(), []);
  assert.deepEqual(storage.kept.entry.outbox.map(({ action }) => action), ["a"]);
});
