import assert from "node:assert/strict";
import { test } from "node:test";
import { Locks, MemoryStorage, World, begin, settle, show, view } from "./riblet.support.js";

/** A world in which tabs lock each other out, and what one of them has stored. */
function withLocks(t) {
  const world = new World(t);
  const locks = new Locks();
  world.navigator.locks = locks;
  return { world, locks, storage: new MemoryStorage() };
}

test("what is to be sent is stored before", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  const { on } = server;
  assert.deepEqual([...storage.entries.keys()], ["riblet:http://example.test:a"]);
  const sentWith = [];
  server.sent.push = () => sentWith.push(storage.entry.outbox.length);
  session.act(1, "a");
  session.act(1, "b");
  assert.deepEqual(sentWith, [1, 2]);
  assert.deepEqual(storage.entry, {
    sid: "S", cid: 1, token: "T", try: 0, n: 0, v: 1, app: "a", via: 0,
    outbox: [{ n: 1, to: 1, action: "a" }, { n: 2, to: 1, action: "b" }],
  });
  on.message('{"t":"patch","rev":1,"base":1,"n":1,"ops":[]}');
  assert.deepEqual([storage.entry.n, storage.entry.outbox.length], [1, 1]);
});

test("the attempt is stored before hello is said", (t) => {
  const world = new World(t);
  const storage = new MemoryStorage();
  const { server } = show({ storage });
  const tries = [];
  server.hellos.push = (hello) => tries.push([hello.resume.try, storage.entry.try]);
  server.cut();
  world.pass(50);
  assert.deepEqual(tries, [[1, 1]]);
});

test("a reload goes on", async (t) => {
  const world = new World(t);
  const storage = new MemoryStorage();
  const before = show({ storage });
  before.session.act(1, "a");
  before.server.patch(1, 1);
  before.session.act(1, "b");
  before.session.act(2, "c");
  before.server.cut();
  world.pass(50);
  before.session.close();
  const { server, session, told } = begin({ storage });
  await settle();
  assert.deepEqual(server.hellos[0].resume, { sid: "S", cid: 1, token: "T", try: 2, epoch: "", rev: 0 });
  assert.deepEqual(session.pending.map(({ n }) => n), [2, 3]);
  const mine = session.act(1, "d");
  server.welcome({ n: 2, nacks: [{ n: 2, code: "failed", message: "" }] });
  assert.equal(session.status, "resumed");
  assert.deepEqual(server.take(), [{ t: "act", n: 3, to: 2, a: "c" }, { t: "act", n: 4, to: 1, a: "d" }]);
  server.snap(view, { n: 4 });
  assert.deepEqual(await mine, { status: "applied", n: 4 });
  assert.deepEqual(told.outcome.map(({ n, action, status }) => [n, action, status]), [
    [2, "b", "refused"], [3, "c", "applied"], [4, "d", "applied"],
  ]);
});

test("numbers go on after a reload without an outbox", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const before = show({ storage });
  before.session.act(1, "a");
  before.server.patch(1, 1);
  before.session.close();
  const { server, session } = begin({ storage });
  session.act(1, "b");
  await settle();
  assert.deepEqual(session.pending.map(({ n }) => n), [2]);
  server.welcome({ n: 1 });
  assert.deepEqual(server.take(), [{ t: "act", n: 2, to: 1, a: "b" }]);
});

for (const [code, status] of [["gone", "reset"], ["poisoned", "reset"], ["denied", "ended"], ["stale", "ended"]]) {
  test(`a stored session that is ${code} leaves outcomes unknown`, async (t) => {
    const world = new World(t);
    const storage = new MemoryStorage();
    const before = show({ storage });
    before.session.act(1, "a");
    before.session.close();
    const { server, session, told } = begin({ storage });
    await settle();
    server.say({ t: "bye", code, message: "" });
    assert.deepEqual(told.outcome, [{ n: 1, to: 1, action: "a", status: "unknown" }]);
    world.pass(50);
    assert.equal(storage.entry, undefined);
    if (status === "reset") server.welcome({ sid: "S2" });
    assert.equal(session.status, status);
    assert.equal(storage.entry?.sid, status === "reset" ? "S2" : undefined);
  });
}

test("an entry of another app, or one that is none, is not gone on with", async (t) => {
  new World(t);
  for (const text of ["{", "null", "7", "{}", '{"app":"b","sid":"S","cid":1,"token":"T","try":0,"n":0,"outbox":[]}']) {
    const storage = new MemoryStorage();
    storage.setItem("k", text);
    const { server } = begin({ storage, key: "k" });
    await settle();
    assert.equal(server.hellos[0].resume, undefined, text);
  }
});

test("a storage without room leaves the session as it is, and nothing old behind", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session } = show({ storage });
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  session.act(1, "a");
  assert.equal(server.take().length, 1);
  assert.equal(session.status, "live");
  assert.equal(storage.entry, undefined);
});

test("a storage that may not be used is none", (t) => {
  new World(t);
  const refuse = () => {
    throw new Error("SecurityError");
  };
  const { session } = show({ storage: { getItem: refuse, setItem: refuse, removeItem: refuse } });
  assert.equal(session.status, "live");
});

test("a duplicated tab begins a session of its own", async (t) => {
  const { world, locks, storage } = withLocks(t);
  const original = show({ storage });
  original.session.act(1, "a");
  assert.deepEqual([...locks.held], ["riblet:S:1"]);
  const copy = storage.copy();
  const { server, session } = begin({ storage: copy });
  const mine = session.act("", "b");
  await settle();
  assert.equal(server.hellos.length, 0);
  world.pass(500);
  await settle();
  assert.equal(server.hellos[0].resume, undefined);
  assert.equal(copy.entry, undefined);
  server.welcome({ sid: "S2" });
  assert.deepEqual(server.take(), [{ t: "act", n: 1, to: "", a: "b" }]);
  assert.deepEqual([...locks.held], ["riblet:S:1", "riblet:S2:1"]);
  server.patch(1, 1);
  assert.deepEqual(await mine, { status: "applied", n: 1 });
  assert.equal(session.status, "live");
});

test("a reloaded tab takes the lock that was let go, and a session that ends lets it go", async (t) => {
  const { world, locks, storage } = withLocks(t);
  show({ storage }).session.close();
  await settle();
  assert.deepEqual([...locks.held], []);
  const { server, session } = begin({ storage });
  session.act(1, "a");
  // Nothing is stored anew, or forgotten, until it is known whose the entry is.
  assert.equal(storage.entry.sid, "S");
  await settle();
  assert.equal(server.hellos[0].resume.sid, "S");
  assert.deepEqual([...locks.held], ["riblet:S:1"]);
  server.welcome();
  server.cut(4409);
  await settle();
  assert.deepEqual([...locks.held], []);
});

test("a lock that nobody has is waited for, however slow the browser is", async (t) => {
  const { world, locks, storage } = withLocks(t);
  show({ storage }).session.close();
  await settle();
  locks.isSlow = true;
  const { server } = begin({ storage });
  for (let times = 0; times < 20; times += 1) {
    world.pass(1000);
    await settle();
  }
  assert.equal(server.hellos.length, 0);
  locks.grant();
  await settle();
  assert.equal(server.hellos[0].resume.sid, "S");
});

test("a session that is gone lets its lock go", async (t) => {
  const world = new World(t);
  const locks = new Locks();
  world.navigator.locks = locks;
  const { server } = show({ storage: new MemoryStorage() });
  server.cut(4200);
  await settle();
  assert.deepEqual([...locks.held], []);
  world.pass(50);
  server.welcome({ sid: "S2" });
  assert.deepEqual([...locks.held], ["riblet:S2:1"]);
});

test("a session that is closed while it waits for the lock does not go on", async (t) => {
  const { world, locks, storage } = withLocks(t);
  show({ storage }).session.close();
  await settle();
  const { server, session } = begin({ storage });
  session.close();
  await settle();
  assert.equal(server.hellos.length, 0);
  assert.deepEqual([...locks.held], []);
  assert.equal(storage.entry.sid, "S");
});

test("an entry that is older than what was sent says nothing of its actions", async (t) => {
  const world = new World(t, { chance: 0 });
  const storage = new MemoryStorage();
  const first = show({ storage });
  first.server.cut();
  first.session.act(1, "a");
  const { server, session } = begin({ storage: storage.copy() });
  await settle();
  const outcomes = [];
  session.addEventListener("outcome", ({ detail }) => outcomes.push(`${detail.action} ${detail.status}`));
  session.act("", "b");
  server.take();
  server.welcome({ n: 4, resumed: true });
  assert.deepEqual(outcomes, ["a unknown"]);
  assert.deepEqual(server.take().map(({ n, a }) => [n, a]), [[5, "b"]]);
});

test("a joined session that another tab holds is not begun anew", async (t) => {
  const { world, locks, storage } = withLocks(t);
  const first = begin({ app: undefined, share: "S.x", storage, key: "joined" });
  await settle();
  first.server.welcome();
  await settle();
  const { server, session } = begin({ app: undefined, storage: storage.copy(), key: "joined" });
  await settle();
  world.pass(1000);
  await settle();
  assert.equal(session.status, "ended");
  assert.equal(session.reason.code, "taken");
  assert.equal(server.hellos.length, 0);
});

// ---- What cannot be read, or written

const good = { v: 1, app: "a", sid: "S", cid: 1, token: "T", try: 0, n: 0, outbox: [{ n: 1, to: 1, action: "x" }] };

test("an entry of the first version, or of this one, is gone on with", async (t) => {
  for (const entry of [good, { ...good, v: undefined }, { ...good, via: 1 }, { ...good, via: "?" }]) {
    new World(t);
    const storage = new MemoryStorage();
    storage.setItem("k", JSON.stringify(entry));
    const { server, session, told } = begin({ storage, key: "k" });
    await settle();
    assert.equal(server.hellos[0].resume.sid, "S");
    assert.equal(session.pending.length, 1);
    assert.equal(session.stored, true);
    assert.deepEqual(told.stored, [], "It was kept before, and is.");
  }
});

const damaged = {
  "half an entry": { ...good, outbox: undefined },
  "no list of actions": { ...good, outbox: {} },
  "an action for nobody": { ...good, outbox: [{ n: 1, action: "x" }] },
  "an action that does nothing": { ...good, outbox: [{ n: 1, to: 1 }] },
  "an action that is none": { ...good, outbox: [null] },
  "no token": { ...good, token: "" },
  "no session": { app: "a" },
  "a number that is none": { ...good, n: "1" },
  "a negative number": { ...good, try: -1 },
  "a later version": { ...good, v: 2 },
  "a list": [good],
  "null": null,
};
for (const [name, entry] of Object.entries(damaged)) {
  test(`an entry with ${name} does no harm, and the page is told`, async (t) => {
    new World(t);
    const storage = new MemoryStorage();
    storage.setItem("k", JSON.stringify(entry));
    const { server, session, told } = begin({ storage, key: "k" });
    await settle();
    assert.equal(server.hellos[0].resume, undefined);
    assert.deepEqual(told.stored, [{ stored: false, reason: "damaged" }]);
    server.welcome({ sid: "S2" });
    assert.deepEqual(told.stored.slice(1), [{ stored: true }]);
    assert.equal(session.stored, true);
    assert.equal(storage.entry.sid, "S2");
  });
}

test("half a text is a damaged entry", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  storage.setItem("k", JSON.stringify(good).slice(0, 40));
  const { told } = begin({ storage, key: "k" });
  await settle();
  assert.deepEqual(told.stored, [{ stored: false, reason: "damaged" }]);
});

test("a new entry is written before the old one goes", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { session } = show({ storage });
  storage.removeItem = () => assert.fail("There was an entry.");
  session.act(1, "a");
  assert.equal(storage.entry.outbox.length, 1);
});

test("a page that is not kept is told, and told again when there is room", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { server, session, told } = show({ storage });
  assert.equal(session.stored, true);
  const { setItem } = storage;
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  session.act(1, "a");
  session.act(1, "b");
  assert.deepEqual(told.stored, [{ stored: false, reason: "full" }]);
  assert.equal(session.stored, false);
  storage.setItem = setItem;
  server.patch(1, 1);
  assert.deepEqual(told.stored.slice(1), [{ stored: true }]);
  assert.equal(storage.entry.outbox.length, 1);
});

test("the room of the old entry may be enough for the new one", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { session, told } = show({ storage });
  const { setItem } = storage;
  storage.setItem = (key, value) => {
    if (storage.entries.size) throw new Error("QuotaExceededError");
    setItem(key, value);
  };
  session.act(1, "a");
  assert.equal(storage.entry.outbox.length, 1);
  assert.deepEqual(told.stored, []);
});

test("without room for drafts the session is kept without them", (t) => {
  new World(t);
  const storage = new MemoryStorage();
  const { session, told } = show({ storage });
  const { setItem } = storage;
  storage.setItem = (key, value) => {
    if (value.length > 2000) throw new Error("QuotaExceededError");
    setItem(key, value);
  };
  session.keepDraft(1, { text: "x".repeat(3000) });
  session.act(1, "a");
  assert.equal(storage.entry.outbox.length, 1);
  assert.equal(storage.entry.drafts, undefined);
  assert.equal(session.stored, true);
  session.keepDraft(1, { text: "short" });
  assert.deepEqual(storage.entry.drafts, { 1: { text: "short" } });
  session.keepDraft(1, { text: "x".repeat(2 ** 19) });
  assert.equal(storage.entry.drafts, undefined, "nor is what is longer than any message");
  assert.deepEqual(told.stored, []);
});

test("a page with more sessions than a storage has places for is told", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  let last;
  for (let number = 0; number < 65; number++) {
    last = begin({ storage });
    last.server.welcome({ sid: `S${number}` });
  }
  assert.deepEqual(last.told.stored, [{ stored: false, reason: "full" }]);
});

test("a session that is closed while it looks for its entry leaves it to the next", async (t) => {
  const { world, storage } = withTabs(t);
  const tab = new Tab(world, storage.entries);
  const before = await tab.open("S1");
  before.session.close();
  await settle();
  begin({ storage: tab.storage, key: "k" }).session.close();
  assert.equal((await tab.open()).server.hellos[0].resume.sid, "S1");
});

test("without a storage nothing is kept, and nothing is told of it", (t) => {
  new World(t);
  const { session, told } = show();
  assert.equal(session.stored, false);
  assert.deepEqual(told.stored, []);
});

// ---- Several sessions with one key

test("two sessions of one page have an entry each", async (t) => {
  const { storage } = withLocks(t);
  const one = show({ storage });
  const two = begin({ storage });
  await settle();
  two.server.welcome({ sid: "S2" });
  one.session.act(1, "a");
  two.session.act(1, "b");
  const names = ["riblet:http://example.test:a", "riblet:http://example.test:a#2"];
  assert.deepEqual([...storage.entries.keys()], names);
  one.session.close();
  two.session.close();
  await settle();
  const again = [begin({ storage }), begin({ storage })];
  await settle();
  assert.deepEqual(again.map(({ server }) => server.hellos[0].resume.sid), ["S", "S2"]);
});

test("two tabs with one storage have an entry each, and go on with it", async (t) => {
  const { world, locks, storage } = withLocks(t);
  const tabs = [0, 1].map(() => Object.assign(new MemoryStorage(), { entries: storage.entries, isShared: true }));
  const one = begin({ storage: tabs[0] });
  await settle();
  one.server.welcome();
  const two = begin({ storage: tabs[1] });
  await settle();
  // The first slot was asked for, and then the second.
  for (let time = 0; time < 2; time++) {
    world.pass(500);
    await settle();
  }
  assert.equal(two.server.hellos[0].resume, undefined);
  two.server.welcome({ sid: "S2" });
  assert.deepEqual([...storage.entries.values()].map((text) => JSON.parse(text).sid), ["S", "S2"]);
  assert.deepEqual([...locks.held], ["riblet:riblet:http://example.test:a", "riblet:riblet:http://example.test:a#2"]);
  one.session.close();
  await settle();
  // Whoever comes now goes on with what nobody has.
  const three = begin({ storage: Object.assign(new MemoryStorage(), { entries: storage.entries, isShared: true }) });
  await settle();
  assert.equal(three.server.hellos[0].resume.sid, "S");
});

/** A tab: its own storage for the session, and one that it has with others. */
class Tab {
  constructor(world, shared = new Map()) {
    this.own = new MemoryStorage();
    this.storage = Object.assign(new MemoryStorage(), { entries: shared, isShared: true });
    this.world = world;
  }

  async open(sid) {
    globalThis.sessionStorage = this.own;
    const all = begin({ storage: this.storage, key: "k" });
    for (let time = 0; time < 3; time++) await settle();
    if (sid) all.server.welcome({ sid });
    return all;
  }
}

const withTabs = (t) => {
  const all = withLocks(t);
  t.after(() => delete globalThis.sessionStorage);
  return all;
};

test("a tab goes on with what another has left, before it begins anew in an empty place", async (t) => {
  const { world, storage } = withTabs(t);
  const tabs = [0, 1, 2].map(() => new Tab(world, storage.entries));
  const one = await tabs[0].open("S1"), two = await tabs[1].open("S2");
  one.server.say({ t: "bye", code: "ended", message: "" });
  two.server.cut();
  two.session.act(1, "left");
  two.session.close();
  await settle();
  const three = await tabs[2].open();
  assert.equal(three.server.hellos[0].resume.sid, "S2");
  assert.deepEqual(three.session.pending.map(({ action }) => action), ["left"]);
});

test("what was written while a tab waited for its entry is not lost", async (t) => {
  const { world, storage } = withTabs(t);
  const tab = new Tab(world, storage.entries);
  const before = await tab.open("S1");
  // The page after it has begun already, as after a reload.
  const next = new Tab(world, storage.entries);
  next.own = tab.own;
  globalThis.sessionStorage = tab.own;
  const other = Object.assign(new MemoryStorage(), { entries: storage.entries, isShared: true });
  const after = begin({ storage: other, key: "k" });
  await settle();
  before.server.cut();
  before.session.act(1, "late");
  before.session.close();
  for (let time = 0; time < 3; time++) await settle();
  assert.deepEqual(after.session.pending.map(({ action }) => action), ["late"]);
  assert.equal(after.server.hellos[0].resume.sid, "S1");
});

test("two sessions of one page with a storage of all tabs are the same after each reload", async (t) => {
  const { world, storage } = withTabs(t);
  const tab = new Tab(world, storage.entries);
  for (const sid of ["A", "B"]) await tab.open(sid);
  for (let reload = 0; reload < 3; reload++) {
    const sessions = [];
    // A page that goes takes its claims with it: another storage object stands for another page.
    tab.storage = Object.assign(new MemoryStorage(), { entries: storage.entries, isShared: true });
    world.navigator.locks = new Locks();
    for (let number = 0; number < 2; number++) sessions.push(await tab.open());
    assert.deepEqual(sessions.map(({ server }) => server.hellos[0].resume.sid), ["A", "B"]);
  }
});

test("without locks each tab has an entry of its own, and goes on with it", async (t) => {
  const world = new World(t);
  t.after(() => delete globalThis.sessionStorage);
  const shared = new Map();
  const tabs = [0, 1].map(() => new Tab(world, shared));
  await tabs[0].open("S1");
  world.chance = 0.25;
  await tabs[1].open("S2");
  assert.deepEqual([...shared.values()].map((text) => JSON.parse(text).sid), ["S1", "S2"]);
  for (const [tab, sid] of [[tabs[1], "S2"], [tabs[0], "S1"]]) {
    tab.storage = Object.assign(new MemoryStorage(), { entries: shared, isShared: true });
    assert.equal((await tab.open()).server.hellos[0].resume.sid, sid);
  }
});

test("the second session of a page waits for the page before as long as the first", async (t) => {
  const { world, locks, storage } = withLocks(t);
  t.mock.method(performance, "getEntriesByType", () => [{ type: "reload" }]);
  const pages = [begin({ storage }), begin({ storage })];
  await settle();
  pages.forEach(({ server }, number) => server.welcome({ sid: `S${number}` }));
  const next = storage.copy();
  const after = [begin({ storage: next }), begin({ storage: next })];
  await settle();
  world.pass(1000);
  await settle();
  for (const { session } of pages) session.close();
  for (let time = 0; time < 3; time++) await settle();
  assert.deepEqual(after.map(({ server }) => server.hellos[0].resume?.sid), ["S0", "S1"]);
});

test("an entry that cannot be read and a storage without room are both told", async (t) => {
  new World(t);
  const storage = new MemoryStorage();
  storage.setItem("k", "{");
  const { server, told } = begin({ storage, key: "k" });
  storage.setItem = () => {
    throw new Error("QuotaExceededError");
  };
  await settle();
  server.welcome();
  assert.deepEqual(told.stored.map(({ reason }) => reason), ["damaged", "full"]);
});

test("who closes the session when told that it is not kept has closed it", async (t) => {
  const world = new World(t);
  const storage = new MemoryStorage();
  storage.setItem("k", "{");
  const { server, session } = begin({ storage, key: "k" });
  session.addEventListener("stored", () => session.close());
  await settle();
  world.pass(100_000);
  assert.equal(session.status, "ended");
  assert.equal(server.hellos.length, 0);
});
