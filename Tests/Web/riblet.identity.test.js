import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStorage, World, begin, settle, view } from "./riblet.support.js";

const features = ["auth"];

/** A source of credentials that says how often it was asked. */
function source(...credentials) {
  const auth = async () => {
    auth.count++;
    const next = credentials.length > 1 ? credentials.shift() : credentials[0];
    if (next instanceof Error) throw next;
    return next;
  };
  auth.count = 0;
  return auth;
}

/** Lets time pass on a connection where each ping is answered. */
async function idle(world, server, milliseconds) {
  for (let left = milliseconds; left > 0; left -= 20_000) {
    world.pass(Math.min(left, 20_000));
    await settle();
    server.say({ t: "pong" });
  }
}

async function live(t, auth, options = {}) {
  const world = new World(t);
  const { server, session, told } = begin({ auth, ...options });
  await settle();
  server.welcome({ features, auth: { expires: 100_000 } });
  server.snap(view);
  return { world, server, session, told };
}

test("each hello has a credential of its own, which no event shows and no storage keeps", async (t) => {
  const storage = new MemoryStorage();
  const { world, server, session, told } = await live(t, source("first-secret", "second-secret"), { storage });
  assert.equal(server.hellos[0].auth, "first-secret");
  server.cut();
  world.pass(50);
  await settle();
  assert.equal(server.hellos[1].auth, "second-secret");
  assert.equal(server.hellos[1].resume.try, 1);
  server.welcome({ features });
  assert.equal(session.status, "resumed");
  assert.doesNotMatch(JSON.stringify([told.message, storage.entry]), /-secret/);
});

test("nobody's session begins without a credential", async (t) => {
  new World(t);
  const { server } = begin({ auth: source(null) });
  await settle();
  assert.deepEqual(JSON.parse(JSON.stringify(server.hellos)), [{ t: "hello", app: "a", client: {} }]);
});

test("a credential that cannot be got is got later", async (t) => {
  const world = new World(t, { chance: 0 });
  const { server, session } = begin({ auth: source(new Error("offline"), "late") });
  await settle();
  assert.equal(server.hellos.length, 0);
  assert.equal(world.nextTimer, 1000);
  world.pass(1000);
  await settle();
  assert.equal(server.hellos[0].auth, "late");
  server.welcome();
  assert.equal(session.status, "live");
});

test("a page that gets no credential is not waited for for ever, and not asked twice meanwhile", async (t) => {
  const world = new World(t, { chance: 0 });
  let count = 0, give;
  const auth = () => {
    count++;
    return new Promise((resolve) => (give = resolve));
  };
  const { server, session, told } = begin({ auth });
  world.hide(false);
  world.goOnline(true);
  world.pass(29_999);
  assert.equal(count, 1);
  const late = give;
  world.pass(1);
  world.pass(1000);
  assert.equal(count, 2);
  late("late");
  await settle();
  assert.equal(server.hellos.length, 0, "of an attempt that is over");
  give("good");
  await settle();
  assert.equal(server.hellos[0].auth, "good");
  server.welcome();
  assert.equal(session.status, "live");
});

test("whatever the page throws for a credential, it is asked again", async (t) => {
  const world = new World(t, { chance: 0 });
  let count = 0;
  const { server } = begin({ auth: () => (count++ ? "good" : Promise.reject()) });
  await settle();
  world.pass(1000);
  await settle();
  assert.equal(server.hellos[0].auth, "good");
});

test("after four fifths of the time the credential is shown anew", async (t) => {
  const auth = source("a", "b", "c");
  const { world, server } = await live(t, auth);
  await idle(world, server, 74_000);
  assert.deepEqual(server.take().filter(({ t }) => t === "auth"), []);
  await idle(world, server, 11_000);
  assert.deepEqual(server.take().filter(({ t }) => t === "auth"), [{ t: "auth", token: "b" }]);
  // Not more often than every ten seconds, whatever the server says.
  server.say({ t: "auth", expires: 1 });
  world.pass(9_000);
  await settle();
  assert.equal(auth.count, 2);
  world.pass(1_001);
  await settle();
  assert.deepEqual(server.take().filter(({ t }) => t === "auth"), [{ t: "auth", token: "c" }]);
  server.say({ t: "auth" });
  await idle(world, server, 1_000_000);
  assert.equal(auth.count, 3);
});

test("a server that does not want to know is not told", async (t) => {
  const { world, server, session } = await live(t, source("a"));
  server.cut();
  world.pass(50);
  await settle();
  server.welcome({ auth: { expires: 20_000 } });
  await idle(world, server, 30_000);
  assert.deepEqual(server.take().filter(({ t }) => t === "auth"), []);
  await assert.rejects(session.authenticate(), /cannot be shown/);
});

test("who signs in has a new token", async (t) => {
  const storage = new MemoryStorage();
  const { world, server, session } = await live(t, source(null, "ada"), { storage });
  const signedIn = session.authenticate();
  await settle();
  assert.deepEqual(server.take(), [{ t: "auth", token: "ada" }]);
  server.say({ t: "auth", expires: 50_000, token: "N" });
  await signedIn;
  server.cut();
  world.pass(50);
  await settle();
  assert.equal(server.hellos[1].resume.token, "N");
});

for (const code of [4300, 4301, 4399]) {
  test(`after ${code} the client comes back with a new credential, and loses nothing`, async (t) => {
    const { world, server, session } = await live(t, source("old", "new"));
    const outcome = session.act(2, "x");
    server.cut(code);
    assert.equal(session.status, "reconnecting");
    world.pass(50);
    await settle();
    assert.equal(server.hellos[1].auth, "new");
    server.welcome({ features });
    assert.deepEqual(server.take(), [{ t: "act", n: 1, to: 2, a: "x" }]);
    server.patch(1, 1);
    assert.deepEqual(await outcome, { status: "applied", n: 1 });
  });
}

test("without a credential the user is signed out, and goes on after signing in", async (t) => {
  const storage = new MemoryStorage();
  const { world, server, session, told } = await live(t, source("old", null), { storage });
  session.act(2, "x");
  server.cut(4300, "over");
  world.pass(50);
  await settle();
  assert.equal(session.status, "signedOut");
  assert.deepEqual(told.status.at(-1), { status: "signedOut", reason: { code: "unauthenticated", message: "" } });
  assert.equal(server.hellos.length, 1);
  const again = begin({ auth: source("new"), storage });
  await settle();
  assert.equal(again.server.hellos[0].resume.sid, "S");
  again.server.welcome({ features });
  assert.deepEqual(again.server.take().map(({ t, n }) => [t, n]), [["act", 1]]);
});

test("three credentials in a row that are not taken are enough", async (t) => {
  const auth = source("bad");
  const { world, server, session } = await live(t, auth);
  for (let attempt = 1; attempt <= 3; attempt++) {
    assert.notEqual(session.status, "signedOut");
    server.cut(4301);
    world.pass(30_000);
    await settle();
  }
  assert.equal(session.status, "signedOut");
  assert.equal(auth.count, 3);
});

/** What Ada's page leaves when her credential has ended: a session with an action that was not answered. */
async function leaveOne(t) {
  const storage = new MemoryStorage();
  const { world, server, session } = await live(t, source("ada", null), { storage });
  session.act(2, "ada's");
  server.cut(4300);
  world.pass(50);
  await settle();
  assert.equal(session.status, "signedOut");
  return { world, storage };
}

/** A page of somebody else's in the same tab, whom the server refuses Ada's session. */
async function refuse(options) {
  const all = begin({ auth: source("bob"), ...options });
  all.early = all.session.act("", "bob's");
  await settle();
  assert.equal(all.server.hellos[0].resume.sid, "S");
  all.server.say({ t: "bye", code: "forbidden", message: "another's" });
  await settle();
  return all;
}

test("an entry of another person is kept for them, with what they have done", async (t) => {
  const { storage } = await leaveOne(t);
  const bob = await refuse({ storage });
  assert.equal(bob.session.status, "connecting");
  assert.equal(bob.server.hellos[1].resume, undefined);
  bob.server.welcome({ sid: "B", features });
  assert.deepEqual(bob.server.take().map(({ n, a }) => [n, a]), [[1, "bob's"]]);
  bob.server.say({ t: "snap", epoch: "E", rev: 1, n: 1, view });
  assert.deepEqual(await bob.early, { status: "applied", n: 1 });
  bob.session.close();
  const ada = begin({ auth: source("ada"), storage });
  await settle();
  assert.equal(ada.server.hellos[0].resume.sid, "S");
  ada.server.welcome({ features });
  assert.deepEqual(ada.server.take().map(({ n, a }) => [n, a]), [[1, "ada's"]]);
  ada.server.snap(view, { n: 1 });
  ada.session.close();
  // And Bob's is there for him.
  const again = await refuse({ storage });
  assert.equal(again.server.hellos[1].resume.sid, "B");
  again.session.end();
  again.session.close();
  assert.deepEqual([...storage.entries.values()].map((text) => JSON.parse(text).sid), ["S"], "nothing is kept of what was to end");
});

test("whose session becomes another's while it is shown, it ends, and is kept", async (t) => {
  const storage = new MemoryStorage();
  const { world, server, session, told } = await live(t, source("ada", "bob"), { storage });
  session.act(2, "ada's");
  server.cut();
  world.pass(50);
  await settle();
  server.say({ t: "bye", code: "forbidden", message: "another's" });
  assert.deepEqual([session.status, session.reason.code], ["ended", "forbidden"]);
  assert.deepEqual(told.outcome, []);
  assert.deepEqual(storage.entry.outbox.map(({ action }) => action), ["ada's"]);
});

test("without a storage what another person had done is unknown", async (t) => {
  const { world, server, session } = await live(t, source("ada", "bob"));
  const outcome = session.act(2, "ada's");
  server.cut();
  world.pass(50);
  await settle();
  server.say({ t: "bye", code: "forbidden", message: "another's" });
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
});

test("a link that belongs to another person ends, and is kept for them", async (t) => {
  const { storage } = await leaveOne(t);
  const entry = JSON.parse(storage.entries.get("riblet:http://example.test:a"));
  const { app, ...joined } = entry;
  storage.entries.set("joined", JSON.stringify(joined));
  const { session, early } = await refuse({ storage, app: undefined, key: "joined" });
  assert.deepEqual([session.status, session.reason.code], ["ended", "forbidden"]);
  assert.equal((await early).status, "unknown");
  assert.deepEqual(JSON.parse(storage.entries.get("joined")).outbox.map(({ action }) => action), ["ada's"]);
});

test("a person who may not use the app is told so", async (t) => {
  const { storage } = await leaveOne(t);
  const { session, server } = await refuse({ storage });
  server.say({ t: "bye", code: "forbidden", message: "no" });
  assert.deepEqual([session.status, session.reason.message], ["ended", "no"]);
  assert.equal(storage.entry.sid, "S");
});

test("who was signed out everywhere is signed out, and that session is gone", async (t) => {
  const storage = new MemoryStorage();
  const { server, session } = await live(t, source("a"), { storage });
  const outcome = session.act(2, "x");
  server.say({ t: "bye", code: "revoked", message: "out" });
  assert.equal(session.status, "signedOut");
  assert.equal(session.reason.code, "revoked");
  assert.deepEqual(await outcome, { status: "unknown", n: 1 });
  assert.equal(storage.entry, undefined);
});

test("a page that is closed while it gets a credential says no more", async (t) => {
  new World(t);
  let give;
  const { server, session } = begin({ auth: () => new Promise((resolve) => (give = resolve)) });
  session.close();
  give("late");
  await settle();
  assert.equal(server.hellos.length, 0);
});
