import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as field from "../../web/field.js";
import { Fields } from "../../web/fields.js";
import { runSchedule } from "./field.model.js";

const { Field, kinds } = field;

/** What a text field shows whose user makes these of it, before the server says another text. */
function merged(base, steps, next) {
  const it = new Field(base);
  for (const [shown, caret] of steps) it.edit(shown, caret);
  it.serve(next);
  return it.shown;
}

const merges = [
  ["cleared", "abc", [["abcsecond", 9]], "", "second"],
  ["cleared, and the same letters typed again", "abc", [["", 0], ["c", 1], ["cb", 2]], "", "cb"],
  ["capitals", "hello", [["hexllo", 3]], "HELLO", "HExLLO"],
  ["digits removed", "a1b2c", [["a1b2xc", 5]], "abc", "abxc"],
  ["both begin", "", [["abc", 3]], "zz", "zzabc"],
  ["another word of it", "before", [["", 0], ["hi", 2]], "other", "otherhi"],
  ["both append", "abc", [["abcd", 4]], "abcx", "abcxd"],
  ["one removes, one appends", "abc", [["ab", 2]], "abcd", "abd"],
  ["one replaces, one appends", "abcdef", [["abxdef", 3]], "abcdefgh", "abxdefgh"],
  ["the end is removed behind what is typed", "one two", [["one  two", 4], ["one 1 two", 5]], "one", "one 1"],
  ["two places", "abc", [["xabc", 1], ["xabcy", 5]], "", "xy"],
  ["one of equal letters", "aa", [["aaa", 2]], "", "a"],
];

for (const [name, base, steps, next, expected] of merges) {
  test(`text is merged: ${name}`, () => assert.equal(merged(base, steps, next), expected));
}

test("a number is shown as the user writes it", () => {
  const it = new Field(null, kinds.number);
  for (const [shown, value] of [["1", 1], ["1.", 1], ["1.0", 1], ["1.05", 1.05], ["-", undefined], ["12x", undefined], ["", null]]) {
    it.edit(shown);
    assert.equal(kinds.number.read(shown), value);
    if (value === undefined) continue;
    it.send(1);
    it.serve(value);
    it.answer(true);
    assert.equal(it.shown, shown);
  }
  it.edit("9");
  it.send(2);
  it.serve(5);
  it.answer(true);
  assert.equal(it.shown, "5", "the server has made another number of it");
});

test("a choice is the user's until all is answered, and the server's if it is refused", () => {
  const it = new Field("a", kinds.choice);
  it.edit("b");
  it.send(1);
  it.edit("c");
  it.send(2);
  it.serve("b");
  it.answer(true);
  assert.equal(it.shown, "c");
  it.answer(false);
  assert.equal(it.shown, "b");
});

test("a choice that is made after one that is refused is kept", () => {
  const it = new Field("a", kinds.choice);
  it.edit("b");
  it.send(1);
  it.edit("c");
  it.answer(false);
  assert.equal(it.shown, "c");
});

test("characters of two code units stay whole", () => {
  for (const [base, shown, caret, next, expected] of [["x😀y", "x😁y", 3, "xy", "x😁y"], ["😀", "😁", 2, "🤀x", "🤀x😁"]]) {
    assert.equal(merged(base, [[shown, caret]], next), expected);
  }
});

test("a long text is pasted", () => assert.equal(merged("", [["x".repeat(300_000), 300_000]], "y").length, 300_001));

test("what another version of the page has kept is no reason to fail", () => {
  for (const kept of [{ edits: {} }, "text", [], { shown: "x", sent: [] }, { shown: "x", sent: [], edits: { base: "", origin: [5] } }]) {
    assert.equal(new Field("value", kinds.text, kept).shown, "value");
  }
});

test("the places of a text say where the caret is after a merge", () => {
  const it = new Field("abc");
  it.edit("abcdef", 6);
  it.serve("");
  assert.equal(it.shown, "def");
  assert.deepEqual([0, 3, 4, 6].map((place) => it.places[place]), [0, 0, 1, 3]);
});

test("a caret is where it was after two merges at once", () => {
  const it = new Field("abcdef");
  it.edit("abcdefx", 7);
  it.serve("bcdef");
  it.serve("bcdf");
  assert.equal(it.shown, "bcdfx");
  assert.equal(it.places[4], 3);
});

test("what is kept of a long text takes little more than the text", () => {
  const text = "a".repeat(65_536), it = new Field(text);
  it.edit(`${text.slice(0, 100)}b${text.slice(100)}`, 101);
  const kept = JSON.parse(JSON.stringify(it.kept));
  assert.ok(JSON.stringify(kept).length < 2.01 * text.length);
  assert.equal(new Field(text, kinds.text, kept).shown, it.shown);
  for (const runs of [[0], [0, 1], [0, 0, -1, 65_537], [-2, 65_537], [1, 65_537], [0, 1e9], "x", [0, 65_536, -1, 1.5]]) {
    const damaged = { ...kept, edits: { ...kept.edits, runs } };
    assert.equal(new Field(text, kinds.text, damaged).shown, text);
  }
});

/** A session whose answers the test gives. */
class Session extends EventTarget {
  view = { root: 1 };
  pending = [];
  earlier = new Map();
  drafts = {};
  type = "Room";
  node = () => ({ type: this.type, state: {} });
  draft = (id) => this.drafts[id];
  keepDraft = (id, draft) => void (this.drafts[id] = draft && JSON.parse(JSON.stringify(draft)));
  act = (to, action) => {
    this.pending = [...this.pending, { n: (this.pending.at(-1)?.n ?? 0) + 1, to: 1, action }];
    return Promise.resolve();
  };
  answer(status) {
    const [first, ...rest] = this.pending;
    this.pending = rest;
    this.dispatchEvent(Object.assign(new Event("outcome"), { detail: { ...first, status } }));
  }
  get actions() {
    return this.pending.map(({ action }) => action);
  }
}

test("an action keeps its answer when the server has lost others and it has another number", () => {
  const session = new Session(), fields = Fields.of(session, 1);
  const bind = (name) => fields.bind(name, kinds.choice, { value: "-", send: (value) => session.act(1, value) });
  const [one, other] = [bind("one"), bind("other")];
  fields.edit(one, "a");
  fields.flush();
  fields.edit(other, "b");
  fields.flush();
  session.pending = session.pending.slice(1);
  session.pending[0].n = 1;
  session.answer("applied");
  assert.equal(other.field.isUsers, false);
  assert.deepEqual(one.field.sent.map(({ action }) => action), ["a"]);
});

test("a field whose `send` acts later does not send again and again", async () => {
  const session = new Session(), fields = Fields.of(session, 1);
  let sent = 0;
  const send = async (value) => {
    if (++sent > 5) return;
    await null;
    await Fields.act(session, 1, value);
  };
  const it = fields.bind("text", kinds.text, { value: "", send });
  fields.edit(it, "a", 1);
  fields.flush();
  await new Promise(setImmediate);
  assert.equal(sent, 1);
  assert.deepEqual(session.actions, ["a"]);
  fields.edit(it, "ab", 2);
  while (session.pending.length) session.answer("applied");
  fields.flush();
  await new Promise(setImmediate);
  assert.equal(sent, 2);
});

test("a page that is left sends what it has not sent", () => {
  const { addEventListener } = globalThis, hiding = [];
  globalThis.addEventListener = (type, fn) => type === "pagehide" && hiding.push(fn);
  try {
    const session = new Session(), fields = Fields.of(session, 1);
    const it = fields.bind("text", kinds.text, { value: "", send: (value) => session.act(1, value) });
    fields.edit(it, "a", 1);
    fields.compose(it, true);
    fields.edit(it, "ab", 2);
    for (const hide of hiding) hide();
    assert.deepEqual(session.actions, ["ab"]);
    assert.equal(session.drafts[1].text.sent[0].action, 1);
  } finally {
    globalThis.addEventListener = addEventListener;
  }
});

test("a control that is removed sends no text that is based on an old value", () => {
  const session = new Session(), fields = Fields.of(session, 1);
  const it = fields.bind("text", kinds.text, { value: "", send: (value) => session.act(1, value) });
  session.act(1, "other");
  fields.edit(it, "abc", 3);
  fields.leave(it);
  session.answer("applied");
  fields.flush();
  assert.deepEqual(session.actions, []);
  fields.bind("text", kinds.text, { value: "xyz", send: (value) => session.act(1, value) });
  fields.flush();
  assert.deepEqual(session.actions, ["xyzabc"]);
});

/** Fields of a session with one that has an edit and has sent another one. */
function begun(session, name = "text") {
  const fields = Fields.of(session, 1), send = (value) => session.act(1, value);
  const bind = (options) => fields.bind(name, kinds.text, { value: "", send, ...options });
  const it = bind();
  fields.edit(it, "a", 1);
  fields.flush();
  fields.edit(it, "ab", 2);
  return { fields, it, bind };
}

for (const [name, tell] of [
  ["the server has lost actions", (session) => session.dispatchEvent(new Event("lost"))],
  ["the session is another one", (session) => session.dispatchEvent(new Event("anew"))],
]) {
  test(`what was typed is sent to no other node by itself: ${name}`, async () => {
    const session = new Session(), { fields, it } = begun(session);
    session.pending = [];
    tell(session);
    session.dispatchEvent(new Event("pending"));
    await new Promise(setImmediate);
    session.dispatchEvent(Object.assign(new Event("change"), { detail: { ops: null } }));
    await new Promise(setImmediate);
    fields.flush();
    assert.deepEqual(session.actions, []);
    assert.equal(it.field.shown, "ab");
    Fields.act(session, 1, "submit");
    assert.deepEqual(session.actions, ["ab", "submit"], "the user goes on");
  });
}

test("a refused text is not sent with another action after the server has lost actions", () => {
  const session = new Session(), fields = Fields.of(session, 1);
  const it = fields.bind("text", kinds.text, { value: "", send: (value) => session.act(1, value) });
  fields.edit(it, "a", 1);
  fields.flush();
  session.answer("refused");
  session.dispatchEvent(new Event("lost"));
  Fields.act(session, 1, "submit");
  assert.deepEqual(session.actions, ["submit"]);
  fields.edit(it, "ab", 2);
  session.answer("applied");
  fields.flush();
  assert.deepEqual(session.actions, ["ab"]);
});

/** Another page of a session, after a reload. */
function reloaded(session) {
  const next = new Session();
  return Object.assign(next, { drafts: session.drafts, pending: session.pending, earlier: session.earlier });
}

for (const [name, isSentWithAction, happen] of [
  ["a refused text", false, (session) => session.answer("refused")],
  ["a text that is refused before the view is drawn", false, (session) => {
    session.pending = [];
    session.earlier.set(1, "refused");
  }],
  ["a text for a riblet that may be gone", true, (session) => {
    session.pending = [];
    session.dispatchEvent(new Event("lost"));
  }],
  ["a text whose outcome is unknown", true, (session) => {
    session.pending = [];
    session.earlier.set(1, "unknown");
  }],
]) {
  test(`${name} is not sent by a reload`, async () => {
    const { addEventListener } = globalThis, hiding = [];
    globalThis.addEventListener = (type, fn) => type === "pagehide" && hiding.push(fn);
    let session = new Session(), fields = Fields.of(session, 1);
    try {
      const send = (value) => session.act(1, value), bind = () => fields.bind("text", kinds.text, { value: "", send });
      const it = bind();
      fields.edit(it, "a", 1);
      fields.flush();
      happen(session);
      for (const hide of hiding) hide();
      session = reloaded(session);
      fields = Fields.of(session, 1);
      assert.equal(bind().field.shown, "a");
      await new Promise(setImmediate);
      fields.flush();
      assert.deepEqual(session.actions, []);
      Fields.act(session, 1, "submit");
      assert.deepEqual(session.actions, isSentWithAction ? ["a", "submit"] : ["submit"]);
    } finally {
      globalThis.addEventListener = addEventListener;
    }
  });
}

test("an action that waits is not done for a node that may be another one", async () => {
  const session = new Session(), { fields } = begun(session), told = [];
  session.act(1, "other");
  const outcome = Fields.act(session, 1, "submit");
  session.addEventListener("outcome", ({ detail }) => told.push(detail));
  session.pending = [];
  session.dispatchEvent(new Event("lost"));
  assert.equal((await outcome).status, "unsent");
  assert.deepEqual(told.map(({ action, status }) => [action, status]), [["submit", "unsent"]]);
  session.dispatchEvent(new Event("pending"));
  await new Promise(setImmediate);
  assert.deepEqual(session.actions, []);
});

test("what waits for a node that is gone is told as it was, without secrets", async () => {
  const session = new Session(), told = [];
  begun(session);
  session.addEventListener("outcome", ({ detail }) => told.push(detail));
  session.act(1, "other");
  const outcomes = [Fields.act(session, 1, { login: { password: "p" } }, { secret: true }), Fields.act(session, 1, "submit"), Fields.back(session, 1)];
  session.node = () => undefined;
  session.dispatchEvent(Object.assign(new Event("change"), { detail: { ops: [] } }));
  const unsent = { status: "unsent", message: "The riblet of this action is gone." };
  assert.deepEqual(told, [{ to: 1, secret: true }, { to: 1, action: "submit" }, { to: 1, back: true }].map((it) => ({ ...it, ...unsent })));
  assert.deepEqual(await Promise.all(outcomes), [unsent, unsent, unsent]);
});

test("a node that is gone has no fields any more", () => {
  const session = new Session(), { fields } = begun(session);
  session.node = () => undefined;
  session.dispatchEvent(Object.assign(new Event("change"), { detail: { ops: null } }));
  assert.equal(session.drafts[1], undefined);
  session.node = () => ({ type: "Room", state: {} });
  assert.notEqual(Fields.of(session, 1), fields);
});

test("a field says what is too long to be sent", async () => {
  const session = new Session(), fields = Fields.of(session, 1), told = [];
  session.addEventListener("outcome", ({ detail }) => told.push(detail));
  session.act = () => Promise.reject(new RangeError("too long"));
  let outcome;
  const send = (value) => (outcome = Fields.act(session, 1, { password: value }, { secret: true }));
  const it = fields.bind("text", kinds.text, { value: "", send });
  fields.edit(it, "a", 1);
  fields.flush();
  await new Promise(setImmediate);
  assert.deepEqual(told, [{ to: 1, secret: true, status: "unsent", message: "too long" }]);
  assert.deepEqual(await outcome, { status: "unsent", message: "too long" }, "no promise is rejected that no one has");
});

test("a node of another type has fields of its own", () => {
  const session = new Session(), { fields } = begun(session);
  session.type = "Public";
  assert.notEqual(Fields.of(session, 1), fields);
  fields.flush();
  assert.equal(Fields.of(session, 1).bind("text", kinds.text, { value: "", send() {} }).field.shown, "");
  assert.equal(session.drafts[1], undefined);
});

test("what the session does not take is tried again when its status is another one", async () => {
  const session = new Session(), fields = Fields.of(session, 1);
  let tries = 0;
  const unsent = () => {
    tries++;
    session.dispatchEvent(Object.assign(new Event("outcome"), { detail: { to: 1, status: "unsent" } }));
    return Promise.resolve({ status: "unsent" });
  };
  let send = unsent;
  const it = fields.bind("text", kinds.text, { value: "", send: (value) => send(value) });
  fields.edit(it, "a", 1);
  fields.flush();
  for (let round = 0; round < 3; round++) {
    await new Promise(setImmediate);
    fields.flush();
  }
  assert.equal(tries, 1);
  send = (value) => session.act(1, value);
  session.dispatchEvent(Object.assign(new Event("change"), { detail: { ops: null } }));
  fields.flush();
  assert.deepEqual(session.actions, [], "a view says nothing of that");
  session.dispatchEvent(new Event("status"));
  fields.flush();
  assert.deepEqual(session.actions, ["a"]);
});

test("edits are no action that a node waits for", () => {
  const session = new Session(), { fields, bind } = begun(session);
  const seen = [];
  session.dispatchEvent(new Event("pending"));
  seen.push(Fields.isPending(session, 1));
  bind({ clearedBy: ["submit"] });
  Fields.act(session, 1, "submit");
  seen.push(Fields.isPending(session, 1), Fields.isPending(session, 2), Fields.isPending(session));
  assert.deepEqual(seen, [false, true, false, true]);
  let during;
  const other = fields.bind("other", kinds.text, { value: "", send: (value) => (session.act(1, value), (during = Fields.isPending(session, 1))) });
  while (session.pending.length) session.answer("applied");
  fields.edit(other, "x", 1);
  fields.flush();
  assert.equal(during, false, "also as it is sent");
});

test("a password that is shown is not kept", () => {
  const session = new Session(), { fields, it, bind } = begun(session);
  bind({ isSecret: true });
  bind({ isSecret: false });
  fields.edit(it, "abc", 3);
  fields.leave(it);
  session.answer("applied");
  assert.equal(session.drafts[1], undefined);
});

test("a field that nothing shows is forgotten when all is answered", () => {
  const session = new Session(), { fields, it, bind } = begun(session);
  fields.flush();
  fields.leave(it);
  assert.equal(bind(), it);
  fields.leave(it);
  while (session.pending.length) session.answer("applied");
  assert.notEqual(bind(), it);
});

test("a field that nothing shows leaves no draft of an answered edit behind", () => {
  const session = new Session(), fields = Fields.of(session, 1);
  const bind = (value) => fields.bind("text", kinds.text, { value, send: (value) => session.act(1, value) });
  const it = bind("");
  fields.edit(it, "a", 1);
  fields.flush();
  fields.compose(it, true);
  session.answer("applied");
  bind("A");
  fields.leave(it);
  assert.equal(bind("A").field.shown, "A");
});

/** How many schedules: 100,000 take four minutes. */
const schedules = Number(process.env.RIB_SCHEDULES ?? 1500);

test(`no character is lost or doubled in ${schedules} schedules`, async () => {
  for (let seed = 1; seed <= schedules; seed++) await runSchedule({ Fields, kinds }, seed);
});

// Each rule is broken by itself; the schedules find it.
const broken = [
  ["a value that comes while something waits is shown", "field.js", "if (this.#sent.length || this.isComposing ||", "if (this.isComposing ||"],
  ["a composition is disturbed", "field.js", "if (this.#sent.length || this.isComposing ||", "if (this.#sent.length ||"],
  ["what is not sent is not merged", "field.js", "this.shown = text;\n      this.#edits = edits;", "this.shown = next;\n      this.#edits = new Edits(next);"],
  ["what the server removes stays", "field.js", "if (kept[from] >= 0) take(kept[from] + 1);", "if (kept[from] >= 0) take(kept[from] + 1);\n        else { made.push(-1); merged += text[place]; }"],
  ["a refused text is taken for the server's", "field.js", "else this.#edits = it.edits.with(this.#edits);", ""],
  ["a cleared text that is refused is lost", "field.js", "else this.#restore(it);\n    } else if", "\n    } else if"],
  ["a cleared text that the server has only in part is lost", "field.js", "if (isTaken) this.#bringBack(it.edits.typedIn(it.text));", "if (isTaken) ;"],
  ["edits are based on the text before they were sent", "field.js", "    if (this.#edits) this.#edits = new Edits(this.shown);\n  }\n\n  /** Clears", "  }\n\n  /** Clears"],
  ["edits do not wait for the node's other actions", "fields.js", "it.held || this.#areOthersPending) return;", "it.held) return;"],
  ["an action does not wait for edits that wait", "fields.js", "if (edited.length && (this.#areOthersPending", "if (edited.length && (false"],
  ["an action comes before the edits", "fields.js", "      this.flush();\n      const { name", "      const { name"],
  ["a control that is not drawn takes an old value for the server's", "field.js", "this.isAway = true;", ""],
  ["a reload forgets what is not sent", "fields.js", "globalThis.addEventListener?.(\"pagehide\", (this.#leave = leave));", ""],
  ["edits go to another riblet after a loss of actions", "fields.js", "lost: () => this.#hold(),", ""],
  ["edits go to a riblet of another session", "fields.js", "anew: () => this.#hold(),", ""],
  ["an action that waits goes to another riblet", "fields.js", "this.#giveUpQueue(\"The server has lost what this action waited for.\");", ""],
  ["a refused text is sent again", "fields.js", "field.sent.length === 1) hold(it, \"edit\");", "field.sent.length === 1);"],
  ["an action leaves edits behind that wait for it", "fields.js", "release(this.#all.values(), \"action\");", ""],
  ["what the session has not taken is not tried again", "fields.js", "release(this.#all.values(), \"status\");", ""],
  ["what the session has not taken is sent to another riblet", "fields.js", "hold(it, this.#isUnsent ? \"status\" : \"edit\")", "hold(it, \"edit\")"],
  ["a reload forgets a hold", "fields.js", "const held = strengths.find((event) => event === kept?.held) ??", "const held ="],
  ["a reload forgets that the server has lost actions", "fields.js", "kept?.epoch === this.#epoch ? undefined : \"action\"", "undefined"],
];

for (const [index, [name, file, rule, instead]] of broken.entries()) {
  test(`a broken rule is found: ${name}`, async () => {
    const directory = mkdtempSync(join(tmpdir(), "field-"));
    try {
      for (const each of ["field.js", "fields.js"]) {
        const text = readFileSync(new URL(`../../web/${each}`, import.meta.url), "utf8");
        assert.equal(text.split(rule).length, each === file ? 2 : 1, `the rule is in one place of ${file}`);
        writeFileSync(join(directory, each), text.replace(rule, () => instead));
      }
      writeFileSync(join(directory, "package.json"), '{"type": "module"}');
      const load = (name) => import(pathToFileURL(join(directory, name)));
      const [rules, { Fields }] = [await load("field.js"), await load("fields.js")];
      const search = async () => {
        for (let seed = 1; seed <= 4000; seed++) await runSchedule({ Fields, kinds: rules.kinds }, seed);
      };
      await assert.rejects(search, /^AssertionError|seed \d+/, `rule ${index + 1} is missed by nothing`);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}
