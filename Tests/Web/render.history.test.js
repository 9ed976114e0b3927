// The browser's back button, in a tab that is a fake. Tests/Browser/render_test.py has a real one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keepHistory } from "../../web/render-history.js";
import { settle, World } from "./riblet.support.js";

/** A tab with our page, and another one before it if it is told so. It takes steps one after the other, when the test lets it. */
class Tab {
  entries = [];
  index = 0;
  /** Whether the user has told the browser to stay, as it asked before it left the page. */
  stays = false;
  #steps = [];

  constructor(t, { hasPageBefore = false, state = null } = {}) {
    this.world = new World(t);
    if (hasPageBefore) this.entries.push({ page: "before" });
    this.index = this.entries.push({ page: "ours", state }) - 1;
    globalThis.history = {
      get state() { return tab.entries[tab.index].state; },
      get length() { return tab.entries.length; },
      pushState: (state) => (this.index = this.entries.splice(++this.index, Infinity, { page: "ours", state }) && this.index),
      replaceState: (state) => (this.entries[this.index].state = state),
      go: (delta) => this.#steps.push(delta),
      forward: () => this.#steps.push(1),
    };
    const tab = this;
    t.after(() => delete globalThis.history);
  }

  get page() {
    return this.entries[this.index].page;
  }

  get level() {
    return this.entries[this.index].state?.riblet?.level;
  }

  /** The user takes a step; then all steps are taken, and all answers heard. */
  async go(delta) {
    if (delta) this.#steps.push(delta);
    for (;;) {
      await settle();
      if (!this.#steps.length) return;
      const step = this.#steps.shift(), from = this.page, target = this.entries[this.index + step];
      if (!target || (target.page !== from && this.stays)) continue;
      this.index += step;
      if (from === "ours" && this.page === "ours") this.world.window.dispatchEvent(new Event("popstate"));
      // Our page is kept as it was, with its script.
      else this.world.window.dispatchEvent(Object.assign(new Event(from === "ours" ? "pagehide" : "pageshow"), { persisted: true }));
    }
  }
}

const page = { type: "Page", state: {} };

/** A session whose view is a stack of pages, and `isFixed` a child that is always there. */
class Session extends EventTarget {
  pending = [];
  asked = 0;
  isFixed = false;
  /** What the server does with a step back. */
  server = () => {
    if (this.ids.length > 1) this.show(...this.ids.slice(0, -1));
  };

  constructor(...ids) {
    super();
    this.show(...ids);
  }

  show(...ids) {
    this.ids = ids;
    const children = { pages: { kind: "stack", ids }, ...(this.isFixed && { child: { kind: "slot", ids: [99] } }) };
    const nodes = Object.fromEntries([...ids, 99].map((id) => [id, page]));
    this.view = { root: 1, nodes: { 1: { type: "Root", state: {}, children }, ...nodes } };
    this.dispatchEvent(Object.assign(new Event("change"), { detail: { ops: null } }));
  }

  async back() {
    this.asked++;
    await this.server();
    return { status: "applied" };
  }
}

/** A page with three levels, of which the last one is always there. */
async function stuck(t, options) {
  const tab = new Tab(t, options), session = new Session(2, 3);
  session.isFixed = true;
  session.show(2, 3, 4);
  keepHistory(session);
  session.server = () => {};
  return { tab, session };
}

test("a step that leaves nothing goes on to the page before", async (t) => {
  const { tab, session } = await stuck(t, { hasPageBefore: true });
  await tab.go(-1);
  assert.deepEqual([tab.page, session.asked], ["before", 1]);
});

for (const [name, options, happen] of [
  ["there is no page before", {}, async () => {}],
  ["the user has stayed on the page", { hasPageBefore: true }, (tab) => (tab.stays = true)],
  ["the browser has brought the page back as it was", { hasPageBefore: true }, (tab) => (tab.isBack = true)],
]) {
  test(`the next step back counts: ${name}`, async (t) => {
    const { tab, session } = await stuck(t, options);
    happen(tab);
    await tab.go(-1);
    if (tab.isBack) await tab.go(3);
    assert.equal(tab.page, "ours");
    tab.stays = false;
    session.server = () => session.show(...session.ids.slice(0, -1));
    const { level } = tab;
    await tab.go(-1);
    assert.deepEqual([session.asked, tab.page, tab.level, session.ids.length], [2, "ours", level - 1, 2]);
  });
}

test("the way back from an entry of the page's own is no step", async (t) => {
  const tab = new Tab(t, { state: { mine: "before" } }), session = new Session(2, 3);
  history.pushState(null);
  session.isFixed = true;
  session.show(2, 3, 4);
  keepHistory(session);
  session.server = () => {};
  await tab.go(-1);
  assert.equal(history.state.mine, "before");
  await tab.go(1);
  assert.deepEqual([session.asked, session.ids.length], [1, 3]);
});

test("a step whose answer comes late does not leave the page", async (t) => {
  for (const [late, expected] of [[2900, "before"], [3100, "ours"]]) {
    const { tab, session } = await stuck(t, { hasPageBefore: true });
    session.server = () => tab.world.pass(late);
    await tab.go(-1);
    assert.equal(tab.page, expected, `${late} ms`);
  }
});

test("an entry of an earlier version, without its index, is gone on from", async (t) => {
  const tab = new Tab(t, { state: { riblet: { key: "k", level: 0 } } }), session = new Session(2, 3);
  keepHistory(session);
  assert.equal(tab.level, 1);
  await tab.go(-1);
  assert.deepEqual([session.asked, tab.level, session.ids.length], [1, 0, 1]);
  session.show(2, 4);
  assert.equal(tab.level, 1);
});
