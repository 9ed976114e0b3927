import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical } from "../../web/riblet-check.js";
import { applyPatch } from "../../web/riblet.js";

const add = (path, value) => ({ op: "add", path, value });
const replace = (path, value) => ({ op: "replace", path, value });
const remove = (path) => ({ op: "remove", path });
const move = (from, path) => ({ op: "move", from, path });

const fitting = [
  ["add a member", { a: 1 }, [add("/b", 2)], { a: 1, b: 2 }],
  ["add over a member", { a: 1 }, [add("/a", null)], { a: null }],
  ["add an element", [1, 3], [add("/1", 2)], [1, 2, 3]],
  ["add at the end", [1], [add("/1", 2)], [1, 2]],
  ["add after the end", [1], [add("/-", 2), add("/-", 3)], [1, 2, 3]],
  ["add the whole", { a: 1 }, [add("", [])], []],
  ["replace a member", { a: { b: 1, c: 2 } }, [replace("/a/b", [])], { a: { b: [], c: 2 } }],
  ["replace an element", [1, 2, 3], [replace("/1", "x")], [1, "x", 3]],
  ["replace the whole", { a: 1 }, [replace("", 7)], 7],
  ["remove a member", { a: 1, b: 2 }, [remove("/a")], { b: 2 }],
  ["remove an element", [1, 2, 3], [remove("/0")], [2, 3]],
  ["move a member", { a: 1, b: {} }, [move("/a", "/b/c")], { b: { c: 1 } }],
  ["move an element down", [1, 2, 3], [move("/0", "/2")], [2, 3, 1]],
  ["move an element up", [1, 2, 3], [move("/2", "/0")], [3, 1, 2]],
  ["move to itself", { a: 1 }, [move("/a", "/a")], { a: 1 }],
  ["move next to a namesake", { a: 1, ab: {} }, [move("/a", "/ab/x")], { ab: { x: 1 } }],
  ["one after the other", {}, [add("/a", []), add("/a/0", 1), replace("/a/0", 2)], { a: [2] }],
  ["an empty key", { "": { "": 1 } }, [replace("//", 2)], { "": { "": 2 } }],
  ["a slash and a tilde", { "a/b": 1, "c~d": 2, "~1": 3 }, [remove("/a~1b"), remove("/c~0d"), remove("/~01")], {}],
  ["a line break", { "a\nb": 1 }, [remove("/a\nb")], {}],
  ["a key like an index", { 0: "a" }, [replace("/0", "b")], { 0: "b" }],
  ["no operations", { a: 1 }, [], { a: 1 }],
];

for (const [name, document, ops, expected] of fitting) {
  test(`fits: ${name}`, () => {
    const before = structuredClone(document);
    assert.deepEqual(applyPatch(document, ops), expected);
    assert.deepEqual(document, before);
  });
}

const unfitting = [
  ["remove what is not there", remove("/x")],
  ["replace what is not there", replace("/x", 1)],
  ["move what is not there", move("/x", "/y")],
  ["add below what is not there", add("/x/y", 1)],
  ["add below a number", add("/n/y", 1)],
  ["add below a text", add("/s/0", 1)],
  ["add below null", add("/z/y", 1)],
  ["add beyond the end", add("/list/3", 1)],
  ["replace at the end", replace("/list/2", 1)],
  ["replace after the end", replace("/list/-", 1)],
  ["remove after the end", remove("/list/-")],
  ["an index with a leading zero", replace("/list/01", 1)],
  ["a new index with a leading zero", add("/list/02", 1)],
  ["a negative index", replace("/list/-1", 1)],
  ["an index with a fraction", replace("/list/1.0", 1)],
  ["an index with a blank", add("/list/ 1", 1)],
  ["an array's length", replace("/list/length", 0)],
  ["an array's length, taken away", remove("/list/length")],
  ["a member that every object inherits", remove("/toString")],
  ["a place in a member that every object inherits", add("/constructor/x", 1)],
  ["the prototype", add("/__proto__/x", 1)],
  ["a text's length", remove("/s/length")],
  ["move into itself", move("/o", "/o/p/q")],
  ["move into what takes its place", move("/rows/0", "/rows/0/x")],
  ["a pointer without a slash", remove("n")],
  ["a tilde that escapes nothing", remove("/~2")],
  ["a tilde at the end", add("/~", 1)],
  ["an operation that patches do not have", { op: "test", path: "/n", value: 1 }],
  ["an operation that is none", { op: "toString", path: "/n" }],
  ["no path", { op: "remove" }],
  ["add without a value", { op: "add", path: "/n" }],
  ["replace without a value", { op: "replace", path: "/n" }],
  ["remove the whole", remove("")],
];

for (const [name, operation] of unfitting) {
  test(`does not fit: ${name}`, () => {
    const document = { n: 1, s: "ab", z: null, list: [1, 2], rows: [{}, {}], o: { p: {} } };
    const before = structuredClone(document);
    const patch = [replace("/n", 2), add("/list/-", 3), remove("/o/p"), add("/o/p", {}), remove("/list/2"), operation];
    assert.throws(() => applyPatch(document, patch));
    assert.deepEqual(document, before);
  });
}

test("what is not named keeps its identity", () => {
  const document = { a: { b: { n: 1 }, c: [{}, {}] }, d: {} };
  const next = applyPatch(document, [replace("/a/b/n", 2), replace("/a/c/1", 3)]);
  assert.notEqual(next, document);
  assert.notEqual(next.a, document.a);
  assert.notEqual(next.a.b, document.a.b);
  assert.notEqual(next.a.c, document.a.c);
  assert.equal(next.a.c[0], document.a.c[0]);
  assert.equal(next.d, document.d);
  assert.equal(applyPatch(document, []), document);
});

test("what is moved keeps its identity", () => {
  const document = { rows: [{ id: 1 }, { id: 2 }] };
  const next = applyPatch(document, [move("/rows/1", "/rows/0")]);
  assert.equal(next.rows[0], document.rows[1]);
  assert.equal(next.rows[1], document.rows[0]);
});

test("a patch's own values are not changed by its later operations", () => {
  const ops = [add("/a", { list: [] }), add("/a/list/-", 1)];
  assert.deepEqual(applyPatch({}, ops), { a: { list: [1] } });
  assert.deepEqual(ops[0].value, { list: [] });
});

test("__proto__ is a member like any other", () => {
  const document = applyPatch({}, [add("/__proto__", { x: 1 }), replace("/__proto__/x", 2)]);
  assert.equal(JSON.stringify(document), '{"__proto__":{"x":2}}');
  assert.equal(document.x, undefined);
  assert.equal(Object.prototype.x, undefined);
  assert.equal(JSON.stringify(applyPatch(document, [add("/a", 1)])), '{"__proto__":{"x":2},"a":1}');
});

test("canonical form", () => {
  // RFC 8785, §3.2.2 and §3.2.3.
  const numbers = [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0];
  assert.equal(canonical(numbers), "[333333333.3333333,1e+30,4.5,0.002,1e-27,0]");
  const keys = {
    "\u20ac": 1, "\r": 2, "\ufb33": 3, 1: 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7, b: { d: 1, c: null },
  };
  assert.equal(
    canonical(keys),
    '{"\\r":2,"1":4,"b":{"c":null,"d":1},"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
  );
  assert.equal(canonical("\u20ac$\u000f\nA'B\"\\\""), '"\u20ac$\\u000f\\nA\'B\\"\\\\\\""');
  assert.equal(canonical([[], {}, true, false, null]), "[[],{},true,false,null]");
});
