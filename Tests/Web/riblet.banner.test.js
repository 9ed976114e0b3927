// What the banner says, on a page that is a fake. Tests/Browser has a real one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { banner } from "../../web/riblet-banner.js";
import { begin, MemoryStorage, show, World } from "./riblet.support.js";

/** An element, as far as the banner asks for one. */
class FakeElement {
  dataset = {};
  kids = [];
  classes = new Set();
  classList = { toggle: (name, isThere) => (isThere ? this.classes.add(name) : this.classes.delete(name)) };
  textContent = "";
  attachShadow = () => (this.root = new FakeElement());
  setAttribute() {}
  append(...kids) {
    this.kids.push(...kids);
  }
  prepend(kid) {
    this.kids.unshift(kid);
  }
  remove() {
    this.isGone = true;
  }
}

function makeWorld(t) {
  const world = new World(t);
  world.page.createElement = () => new FakeElement();
  const old = globalThis.CSSStyleSheet;
  globalThis.CSSStyleSheet = class { replaceSync() {} };
  t.after(() => (globalThis.CSSStyleSheet = old));
  return world;
}

/** A banner of a session; `said` is what it says. */
function shown(session, words) {
  const parent = new FakeElement(), remove = banner(session, parent, words), [host] = parent.kids, [box] = host.root.kids;
  return { host, remove, get said() { return box.kids[0].textContent; } };
}

/** Milliseconds of a loss that is worth a word. */
const long = 1000;

/** A session with a storage that is cut, with two actions that wait. */
function cut(t) {
  const world = makeWorld(t), storage = new MemoryStorage(), all = show({ storage });
  const box = shown(all.session);
  for (const action of ["a", "b"]) all.session.act(2, action);
  all.server.cut();
  return { world, storage, box, ...all };
}

/** Lets the client connect again. */
function comeBack({ world, server }, welcome) {
  while (!server.isOpen) world.pass(100);
  server.welcome(welcome);
}

const refusal = (n) => ({ n, code: "refused", message: "" });

test("the banner says how many actions wait, and what has become of them", (t) => {
  const all = cut(t), { world, box, server } = all;
  assert.equal(box.said, "", "a short loss is worth no word");
  world.pass(long);
  assert.equal(box.said, "Connection lost. 2 actions are saved.");
  comeBack(all);
  assert.equal(box.said, "Connected again.");
  server.patch(1, 1);
  assert.equal(box.said, "Connected again.");
  server.say({ t: "nack", ...refusal(2) });
  assert.equal(box.said, "Connected again. 1 action done. 1 refused.");
  world.pass(10_000);
  assert.equal(box.said, "");
});

test("answers that come inside the welcome are said", (t) => {
  const all = cut(t);
  all.world.pass(long);
  comeBack(all, { n: 2, nacks: [refusal(2)] });
  assert.equal(all.box.said, "Connected again. 1 action done. 1 refused.");
});

test("a reload while the connection is lost forgets no outcome", (t) => {
  const { world, storage, session } = cut(t);
  session.close();
  for (const isInside of [true, false]) {
    const next = begin({ storage: storage.copy() }), box = shown(next.session);
    next.server.cut();
    world.pass(long);
    assert.equal(box.said, "No connection yet. 2 actions are saved.");
    comeBack({ world, server: next.server }, isInside ? { n: 2, nacks: [refusal(2)] } : {});
    if (!isInside) next.server.say({ t: "nack", ...refusal(2) });
    assert.equal(box.said, "Connected again. 1 action done. 1 refused.");
    next.session.close();
  }
});

test("a first connection for which nothing waited is no news", (t) => {
  const world = makeWorld(t), { server, session } = begin(), box = shown(session);
  world.pass(long);
  assert.equal(box.said, "No connection yet.");
  server.welcome();
  assert.equal(box.said, "");
});

test("actions that no storage keeps wait, and are not saved", (t) => {
  const world = makeWorld(t), { server, session } = show(), box = shown(session);
  session.act(2, "a");
  server.cut();
  world.pass(long);
  assert.equal(box.said, "Connection lost. 1 action waits.");
});

for (const gap of [100, long]) {
  test(`a second loss of ${gap} ms forgets no outcome of the first`, (t) => {
    const all = cut(t), { world, box, server } = all;
    world.pass(long);
    comeBack(all);
    server.say({ t: "nack", ...refusal(1) });
    server.cut();
    assert.equal(box.said, "Connection lost. 1 action is saved.", "the banner is there already");
    world.pass(gap);
    comeBack(all, { n: 1 });
    assert.equal(box.said, "Connected again.");
    server.patch(1, 2);
    assert.equal(box.said, "Connected again. 1 action done. 1 refused.");
    world.pass(10_000);
    // The next loss begins with nothing.
    server.cut();
    world.pass(long);
    comeBack(all, { n: 2 });
    assert.equal(box.said, "Connected again.");
  });
}

test("a banner that is removed says nothing any more", (t) => {
  const { world, box } = cut(t);
  box.remove();
  world.pass(long);
  assert.equal(box.said, "");
  assert.ok(box.host.isGone);
});
