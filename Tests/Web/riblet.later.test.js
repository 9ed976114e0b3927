import assert from "node:assert/strict";
import { test } from "node:test";
import { Locks, MemoryStorage, World, begin, count, settle, view } from "./riblet.support.js";

/** A storage that does what it is called for when the test says so, in order. */
class LaterStorage {
  isShared = true;
  kept = new MemoryStorage();
  /** What was called for and is not done. */
  begun = [];
  /** Whether there is no room for what is written from now on; whether nothing can be read. */
  isFull = false;
  isLocked = false;

  getItem = (key) => this.#do("get", () => {
    if (this.isLocked) throw new Error("UnknownError");
    return this.kept.getItem(key);
  });
  removeItem = (key) => this.#do("remove", () => this.kept.removeItem(key));
  setItem = (key, value) => this.#do("set", () => {
    if (this.isFull) throw new Error("QuotaExceededError");
    this.kept.setItem(key, value);
  });

  #do(name, work) {
    return new Promise((resolve, reject) => this.begun.push({ name, work, resolve, reject }));
  }

  /** Does the first of what was begun, or as many. */
  async finish(count = 1) {
    for (const { work, resolve, reject } of this.begun.splice(0, count)) {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    }
    await settle();
  }

  async finishAll() {
    do await this.finish(Infinity); while (this.begun.length);
  }

  get outbox() {
    return this.kept.entry?.outbox.map(({ action }) => action);
  }
}

/** A world with such a storage. */
function withStorage(t) {
  const world = new World(t);
  world.navigator.locks = new Locks();
  t.after(() => delete globalThis.sessionStorage);
  globalThis.sessionStorage = new MemoryStorage();
  return { world, storage: new LaterStorage() };
}

/** A session with such a storage, that is live and shows a view. */
async function show(t) {
  const { world, storage } = withStorage(t);
  const all = begin({ storage });
  await settle();
  await storage.finishAll();
  all.server.welcome();
  await storage.finishAll();
  all.server.snap(view);
  await storage.finishAll();
  all.server.take();
  return { world, storage, ...all };
}

/** A session that has found its entry, and has not written to it yet. */
async function beginAgain(storage) {
  const again = begin({ storage });
  await settle();
  while (storage.begun[0].name === "get") await storage.finish();
  return again;
}

/** Lets the time pass in steps, so that what waits for one another goes on. */
async function pass(world, milliseconds) {
  for (const end = world.time + milliseconds; world.time < end; ) {
    world.pass(100);
    await settle();
  }
}

const numbers = (messages) => messages.map(({ t, n }) => (n === undefined ? t : n));

test("an action is sent once it is kept", async (t) => {
  const { storage, server, session } = await show(t);
  session.act(1, "a");
  assert.equal(session.pending.length, 1);
  await settle();
  assert.deepEqual(server.take(), []);
  await storage.finish();
  assert.deepEqual(numbers(server.take()), [1]);
  assert.deepEqual(storage.outbox, ["a"]);
});

test("what is sent waits for its own write, and comes in order", async (t) => {
  const { storage, server, session } = await show(t);
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
  const { storage, server, session } = await show(t);
  server.cut();
  session.act(1, "a");
  session.close();
  await storage.finishAll();
  const again = await beginAgain(storage);
  assert.equal(again.server.hellos.length, 0);
  await storage.finish();
  assert.equal(again.server.hellos[0].resume.try, storage.kept.entry.try);
  assert.deepEqual(again.session.pending.map(({ action }) => action), ["a"]);
});

test("an attempt that is over before its hello was kept says none", async (t) => {
  const { world, storage, server, session } = await show(t);
  server.cut();
  world.pass(50);
  world.goOnline(true);
  await settle();
  session.close();
  await storage.finishAll();
  assert.equal(server.hellos.length, 1);
});

test("actions that were taken before the session began are sent once they are kept with it", async (t) => {
  const { storage } = withStorage(t);
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
  const { storage, server, session, told } = await show(t);
  storage.isFull = true;
  session.act(1, "a");
  await storage.finishAll();
  assert.equal(session.stored, false);
  assert.deepEqual(told.stored, [{ stored: false, reason: "full" }]);
  assert.equal(storage.kept.entry, undefined);
  assert.deepEqual(numbers(server.take()), [1]);
  // Who was told waits for nothing.
  session.act(1, "b");
  assert.deepEqual(numbers(server.take()), [2]);
  storage.isFull = false;
  server.patch(1, 2);
  await storage.finishAll();
  assert.deepEqual(told.stored.at(-1), { stored: true });
  session.act(1, "c");
  assert.deepEqual(server.take(), []);
});

test("the room of the old entry may be enough", async (t) => {
  const { storage, server, session, told } = await show(t);
  storage.isFull = true;
  session.act(1, "a");
  await storage.finish();
  storage.isFull = false;
  await storage.finishAll();
  assert.deepEqual(storage.outbox, ["a"]);
  assert.deepEqual(told.stored, []);
  assert.deepEqual(numbers(server.take()), [1]);
});

test("what failed neither undoes what was written since, nor lets anything out", async (t) => {
  const { storage, server, session, told } = await show(t);
  storage.isFull = true;
  session.act(1, "a");
  session.act(1, "b");
  await storage.finish();
  storage.isFull = false;
  assert.deepEqual(server.take(), []);
  await storage.finishAll();
  assert.deepEqual(storage.outbox, ["a", "b"]);
  assert.deepEqual(told.stored, []);
  assert.deepEqual(numbers(server.take()), [1, 2]);
  // Nor does what was to be written anew.
  storage.isFull = true;
  session.act(1, "c");
  await storage.finish();
  storage.isFull = false;
  session.act(1, "d");
  await storage.finishAll();
  assert.deepEqual(storage.outbox, ["a", "b", "c", "d"]);
  assert.deepEqual(numbers(server.take()), [3, 4]);
});

test("what waits is not sent on a later connection", async (t) => {
  const { world, storage, server, session, told } = await show(t);
  session.act(1, "a");
  server.cut();
  await pass(world, 100);
  await storage.finishAll();
  server.welcome();
  await storage.finishAll();
  assert.deepEqual(numbers(server.take()), [1]);
  assert.equal(told.message.filter(({ text }) => text.includes('"t":"act"')).length, 1);
});

test("a session that is closed while its first entry is written is kept", async (t) => {
  const { storage, server, session, told } = await show(t);
  server.cut();
  session.act(1, "a");
  session.close();
  await storage.finishAll();
  const again = await beginAgain(storage);
  again.session.close();
  await storage.finishAll();
  assert.deepEqual(storage.outbox, ["a"]);
  assert.deepEqual([...told.outcome, ...again.told.outcome], []);
});

test("what cannot be kept of a session that is closed has an outcome", async (t) => {
  const { storage, session, told } = await show(t);
  storage.isFull = true;
  const outcome = session.act(1, "a");
  session.close();
  await storage.finishAll();
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  assert.equal(told.outcome.length, 1);
  assert.equal(storage.kept.entry, undefined);
});

test("an entry that cannot be read is left alone, and the page is told", async (t) => {
  const { storage, server, session } = await show(t);
  server.cut();
  session.act(1, "a");
  session.close();
  await storage.finishAll();
  storage.isLocked = true;
  const again = begin({ storage });
  await settle();
  await storage.finishAll();
  assert.equal(again.server.hellos[0].resume, undefined);
  again.server.welcome({ sid: "S2" });
  assert.deepEqual(again.told.stored, [{ stored: false, reason: "full" }]);
  assert.deepEqual(storage.outbox, ["a"]);
  again.session.close();
  storage.isLocked = false;
  const third = begin({ storage });
  await settle();
  await storage.finishAll();
  assert.equal(third.server.hellos[0].resume.sid, "S");
});

test("the next page waits until this one has written its last", async (t) => {
  const { storage, session } = await show(t);
  const next = begin({ storage: Object.create(storage, { isShared: { value: true } }) });
  await settle();
  await storage.finishAll();
  storage.isFull = true;
  session.act(1, "a");
  session.close();
  await storage.finish(2);
  storage.isFull = false;
  await storage.finishAll();
  assert.deepEqual(next.session.pending.map(({ action }) => action), ["a"]);
  assert.deepEqual(storage.outbox, ["a"]);
  assert.equal(storage.kept.entry.try, next.server.hellos[0].resume.try);
});

test("a storage that does not answer is given up, and the connection is not", async (t) => {
  const { world, storage, server, session, told } = await show(t);
  session.act(1, "a");
  server.patch(2, 0, count(2, 1));
  await pass(world, 3900);
  // Nothing is acknowledged of which the next page might not know.
  assert.deepEqual(numbers(server.take()), ["ping"]);
  server.say({ t: "pong" });
  await pass(world, 200);
  assert.deepEqual(numbers(server.take()), [1]);
  assert.deepEqual(told.stored, [{ stored: false, reason: "full" }]);
  assert.equal(server.hellos.length, 1);
  // Once it does, it is kept again.
  session.act(1, "b");
  await storage.finishAll();
  assert.deepEqual(told.stored.at(-1), { stored: true });
  assert.deepEqual(storage.outbox, ["a", "b"]);
});

test("what a storage has not kept is written again by itself", async (t) => {
  for (const failure of ["hangs", "is full"]) {
    await t.test(`the storage ${failure}`, async (t) => {
      const { world, storage, server, session, told } = await show(t);
      storage.isFull = failure === "is full";
      session.act(1, "a");
      await (storage.isFull ? storage.finishAll() : pass(world, 4100));
      assert.deepEqual(told.stored, [{ stored: false, reason: "full" }]);
      storage.begun.splice(0);
      storage.isFull = false;
      // The server is there, and has nothing to say.
      for (let second = 0; second < 10; second++) {
        await pass(world, 1000);
        server.say({ t: "pong" });
      }
      assert.deepEqual(storage.begun.map(({ name }) => name), ["set"]);
      await storage.finishAll();
      assert.deepEqual(told.stored.at(-1), { stored: true });
      assert.deepEqual(storage.outbox, ["a"]);
      // Nothing waits for it meanwhile, and what was written since is not written over.
      server.cut();
      storage.isFull = true;
      session.act(1, "b");
      await storage.finishAll();
      await pass(world, 5_000);
      storage.isFull = false;
      session.act(1, "c");
      await storage.finishAll();
      await pass(world, 10_000);
      await storage.finishAll();
      assert.deepEqual(storage.outbox, ["a", "b", "c"]);
    });
  }
});

test("what is written late of another person's entry stays with that entry", async (t) => {
  const { world, storage, server, session } = await show(t);
  server.cut();
  session.act(1, "a");
  session.close();
  await storage.finishAll();
  const other = await beginAgain(storage);
  await storage.finishAll();
  storage.isFull = true;
  other.server.say({ t: "bye", code: "forbidden", message: "another's" });
  await settle();
  while (storage.begun.length) await storage.finish();
  storage.isFull = false;
  await pass(world, 11_000);
  while (storage.begun.length) await storage.finish();
  assert.equal(other.server.hellos.at(-1).resume, undefined);
  other.server.welcome({ sid: "B" });
  await storage.finishAll();
  const entries = [...storage.kept.entries].map(([name, text]) => [name, JSON.parse(text).sid]);
  assert.deepEqual(entries.filter(([, sid]) => sid === "B").map(([name]) => name), ["riblet:http://example.test:a#2"]);
  assert.equal(other.session.stored, true);
});

test("a page whose storage never answers is live all the same", async (t) => {
  const { world, storage } = withStorage(t);
  const { server, session, told } = begin({ storage });
  await pass(world, 8100);
  assert.equal(server.hellos.length, 1);
  server.welcome();
  session.act("", "a");
  assert.deepEqual(numbers(server.take()), [1]);
  assert.deepEqual(told.stored, [{ stored: false, reason: "full" }]);
});

test("what has not to be kept does not wait, and says why it cannot be", async (t) => {
  const { server, session } = await show(t);
  session.act(1, "a");
  session.share("view");
  assert.deepEqual(numbers(server.take()), ["share"]);
  server.sent.push = () => {
    throw new Error("There is no share over HTTP.");
  };
  await assert.rejects(session.share("view"), /no share over HTTP/);
});

test("a connection that does not take what has waited is given up", async (t) => {
  const { storage, server, session, told } = await show(t);
  session.act(1, "a");
  server.sent.push = () => {
    throw new Error("InvalidStateError");
  };
  await storage.finishAll();
  assert.equal(told.status.at(-1).reason.code, "bad_server");
});

test("a storage that returns promises is one of all tabs", async (t) => {
  const { storage } = withStorage(t);
  delete storage.isShared;
  const pages = [];
  for (let reload = 0; reload < 2; reload++) {
    pages.push(begin({ storage }));
    await settle();
    await storage.finishAll();
    pages.at(-1).server.welcome();
    await storage.finishAll();
    pages.at(-1).session.close();
    await storage.finishAll();
  }
  assert.equal(pages[1].server.hellos[0].resume.sid, "S");
  assert.deepEqual(pages[0].told.stored, []);
});

test("sessions that begin at once have a place each", async (t) => {
  const { storage } = withStorage(t);
  const pages = [begin({ storage }), begin({ storage })];
  await settle();
  await storage.finishAll();
  pages.forEach(({ server }, number) => server.welcome({ sid: `S${number}` }));
  await storage.finishAll();
  assert.deepEqual([...storage.kept.entries.values()].map((text) => JSON.parse(text).sid), ["S0", "S1"]);
});
