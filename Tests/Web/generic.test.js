// The parts of generic.js that need no page: a schema becomes forms, what is entered in them becomes actions.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { actionForms, humanize, schemaSource, tableColumns, toAction } from "../../web/generic.js";

const caseOf = (name, properties = {}, required = Object.keys(properties)) => ({
  title: name,
  type: "object",
  properties: { [name]: { type: "object", properties, required, additionalProperties: false } },
  required: [name],
  additionalProperties: false,
});

const formOf = (properties, required) => actionForms({ oneOf: [caseOf("act", properties, required)] })[0];

/** What is sent when one field of a schema is filled in. */
const read = (schema, text, required) => toAction(formOf({ it: schema }, required), [text]);
const value = (schema, text, required) => read(schema, text, required).action.act.it;

describe("humanize", () => {
  for (const [name, label] of [
    ["didSetGlobalCount", "Did set global count"], ["increment", "Increment"], ["userId", "User id"],
    ["openURL", "Open URL"], ["URLOpened", "URL opened"], ["screen1Shown", "Screen1 shown"],
    ["AppRoot", "App root"], ["snake_case", "Snake case"], ["", ""],
  ]) test(`${name} is "${label}"`, () => assert.equal(humanize(name), label));
});

describe("actionForms", () => {
  test("a riblet without actions has none", () => {
    assert.deepEqual(actionForms(false), []);
    assert.deepEqual(actionForms(undefined), []);
  });

  test("an enum of strings is a button each, and is sent as the bare string", () => {
    const forms = actionForms({ enum: ["showSheet", "addRow"] });
    assert.deepEqual(forms.map(({ label, fields }) => [label, fields.length]), [["Show sheet", 0], ["Add row", 0]]);
    assert.deepEqual(toAction(forms[1], []), { action: "addRow" });
  });

  test("the long forms of an enum of strings are no further choices", () => {
    const both = { enum: ["showSheet", "addRow", { showSheet: {} }, { addRow: {} }] };
    assert.deepEqual(actionForms(both).map(({ name }) => name), ["showSheet", "addRow"]);
    assert.deepEqual(formOf({ it: both }).fields[0].options, ["showSheet", "addRow"]);
    assert.deepEqual(formOf({ it: { enum: [{ a: 1 }, "b"] } }).fields[0].options, [{ a: 1 }, "b"]);
  });

  test("the short forms of cases have no forms of their own", () => {
    const short = { title: "Short forms", anyOf: [{ enum: ["open"] }, { properties: { say: { type: "string" } } }] };
    const forms = actionForms({ oneOf: [caseOf("open"), caseOf("say", { _0: { type: "string" } }), short] });
    assert.deepEqual(forms.map((form) => toAction(form, ["a"]).action), [{ open: {} }, { say: { _0: "a" } }]);
  });

  test("a case without payload is a button, and is sent as an object", () => {
    const [form] = actionForms({ oneOf: [caseOf("increment")] });
    assert.deepEqual(form.fields, []);
    assert.deepEqual(toAction(form, []), { action: { increment: {} } });
  });

  test("cases and bare names may stand side by side", () => {
    const forms = actionForms({ oneOf: [{ const: "reset" }, caseOf("select", { _0: { type: "integer" } })] });
    assert.deepEqual(forms.map((form) => toAction(form, ["3"]).action), ["reset", { select: { _0: 3 } }]);
  });

  test("the order of cases and fields is the schema's", () => {
    const move = caseOf("move", { to: { type: "integer" }, id: { type: "integer" } });
    const forms = actionForms({ oneOf: [move, caseOf("a")] });
    assert.deepEqual(forms.map((form) => form.name), ["move", "a"]);
    assert.deepEqual(forms[0].fields.map((field) => field.label), ["To", "Id"]);
  });

  test("values without a label are numbered from the second", () => {
    const form = formOf({ _0: { type: "string" }, _1: { type: "string" } });
    assert.deepEqual(form.fields.map((field) => field.label), ["Value", "Value 2"]);
    assert.deepEqual(toAction(form, ["a", "b"]), { action: { act: { _0: "a", _1: "b" } } });
  });

  test("an action that the schema does not describe is entered whole, as JSON", () => {
    const partly = { oneOf: [caseOf("a"), { type: "array" }] };
    for (const schema of [{ $comment: "recursive" }, {}, partly, { type: "string" }]) {
      const forms = actionForms(schema);
      assert.equal(forms.length, 1, JSON.stringify(schema));
      assert.deepEqual(toAction(forms[0], ['{"select":{"_0":1}}']), { action: { select: { _0: 1 } } });
    }
  });

  test("a payload that the schema does not describe is entered whole, as JSON", () => {
    const [form] = actionForms({ oneOf: [{ type: "object", properties: { set: { $comment: "unknown" } } }] });
    assert.equal(form.label, "Set");
    assert.deepEqual(toAction(form, ['{"_0":[1]}']), { action: { set: { _0: [1] } } });
    assert.match(toAction(form, ["{"]).errors[0], /^This is not JSON/);
  });

  for (const [kind, schema] of [
    ["integer", { type: "integer" }], ["number", { type: "number" }], ["boolean", { type: "boolean" }],
    ["string", { type: "string" }], ["date-time", { type: "string", format: "date-time" }],
    ["uri", { type: "string", format: "uri" }], ["uuid", { type: "string", format: "uuid" }],
    ["uri", { type: "string", format: "uri-reference" }], ["string", { type: ["string", "number"], pattern: "^[0-9]+$" }],
    ["string", { type: "string", contentEncoding: "base64" }], ["select", { enum: ["a", "b"] }],
    ["select", { type: "string", enum: ["a", "b"] }], ["json", { type: "array", items: { type: "integer" } }],
    ["json", { type: "object", properties: {} }], ["json", { $comment: "unknown" }], ["json", {}],
    ["integer", { type: ["integer", "null"] }],
    ["uri", { anyOf: [{ type: "string", format: "uri" }, { type: "null" }] }],
    ["json", { type: ["integer", "string"] }],
  ]) {
    test(`${JSON.stringify(schema)} is entered as ${kind}`, () => {
      assert.equal(formOf({ it: schema }).fields[0].kind, kind);
    });
  }
});

describe("toAction", () => {
  test("labelled values are sent by their names", () => {
    const form = actionForms({ oneOf: [caseOf("move", { id: { type: "integer" }, to: { type: "integer" } })] })[0];
    assert.deepEqual(toAction(form, ["3", "0"]), { action: { move: { id: 3, to: 0 } } });
  });

  test("whole numbers", () => {
    assert.equal(value({ type: "integer" }, "-7"), -7);
    assert.equal(value({ type: "integer" }, " 9007199254740991 "), 9007199254740991);
    for (const text of ["1.5", "x", "9007199254740993", "1e999", "?"]) {
      assert.deepEqual(read({ type: "integer" }, text).errors, { 0: "Enter a whole number." }, text);
    }
  });

  test("numbers", () => {
    assert.equal(value({ type: "number" }, "1.5e3"), 1500);
    for (const text of ["x", "1e999", "1,5"]) {
      assert.deepEqual(read({ type: "number" }, text).errors, { 0: "Enter a number." }, text);
    }
  });

  test("bounds of numbers", () => {
    const byte = { type: "integer", minimum: 0, maximum: 255 };
    assert.equal(value(byte, "0"), 0);
    assert.equal(value(byte, "255"), 255);
    assert.deepEqual(read(byte, "-1").errors, { 0: "Enter 0 or more." });
    assert.deepEqual(read(byte, "256").errors, { 0: "Enter 255 or less." });
  });

  test("booleans", () => {
    assert.equal(value({ type: "boolean" }, true), true);
    assert.equal(value({ type: "boolean" }, false), false);
  });

  test("text is sent as it is, also empty", () => {
    assert.equal(value({ type: "string" }, " a "), " a ");
    assert.equal(value({ type: "string" }, ""), "");
  });

  test("dates are sent in UTC and without fractions", () => {
    const date = new Date("2024-05-06T07:08:09").toISOString().replace(".000", "");
    assert.equal(value({ type: "string", format: "date-time" }, "2024-05-06T07:08:09"), date);
    assert.match(date, /^2024-05-0\dT\d\d:08:09Z$/);
    assert.ok(read({ type: "string", format: "date-time" }, "soon").errors);
  });

  test("URLs and UUIDs are checked", () => {
    assert.equal(value({ type: "string", format: "uri" }, "https://example.com/a "), "https://example.com/a");
    assert.ok(read({ type: "string", format: "uri" }, "example").errors);
    const id = "123E4567-e89b-12d3-a456-426614174000";
    assert.equal(value({ type: "string", format: "uuid" }, id), id);
    assert.ok(read({ type: "string", format: "uuid" }, `${id}0`).errors);
  });

  test("of choices the chosen one is sent, whatever its type", () => {
    assert.equal(value({ enum: ["a", "b"] }, "1"), "b");
    assert.equal(value({ enum: [10, 20] }, "0"), 10);
    assert.equal(value({ type: "boolean" }, "1", []), false);
  });

  test("JSON is checked for its type", () => {
    assert.deepEqual(value({ type: "array" }, "[1, 2]"), [1, 2]);
    assert.match(read({ type: "array" }, "{}").errors[0], /array/);
    assert.deepEqual(value({ type: "object" }, '{"a":1}'), { a: 1 });
    assert.match(read({ type: "object" }, "[]").errors[0], /object/);
    assert.match(read({}, "nil").errors[0], /^This is not JSON/);
    assert.equal(value({}, "null"), null);
  });

  test("optional values are left out when they are empty", () => {
    for (const schema of [{ type: "string" }, { type: "integer" }, { enum: ["a"] }, {}, { type: "boolean" },
      { type: "string", format: "uri" }]) {
      assert.deepEqual(read(schema, "", []), { action: { act: {} } }, JSON.stringify(schema));
    }
    assert.equal(formOf({ it: { type: "string" } }, []).fields[0].isRequired, false);
  });

  test("required values are asked for", () => {
    for (const schema of [{ type: "integer" }, { type: "number" }, {}, { type: "string", format: "uuid" }]) {
      assert.deepEqual(read(schema, " "), { errors: { 0: "Enter a value." } }, JSON.stringify(schema));
    }
  });

  test("each wrong field has its own message", () => {
    const form = formOf({ a: { type: "integer" }, b: { type: "integer" }, c: { type: "integer" } });
    assert.deepEqual(Object.keys(toAction(form, ["x", "1", ""]).errors), ["0", "2"]);
  });
});

describe("secrets", () => {
  const secret = { type: "string", writeOnly: true };

  test("a field that is only written is a secret one, and sent as it is", () => {
    const form = formOf({ name: { type: "string" }, password: secret });
    assert.deepEqual(form.fields.map(({ kind }) => kind), ["string", "secret"]);
    assert.deepEqual(toAction(form, ["Ada", " x "]), { action: { act: { name: "Ada", password: " x " } } });
    assert.deepEqual(toAction(form, ["Ada", ""]), { action: { act: { name: "Ada", password: "" } } });
  });

  test("an optional one may be left out", () => {
    const form = formOf({ it: { anyOf: [secret, { type: "null" }] } }, []);
    assert.equal(form.fields[0].kind, "secret");
    assert.deepEqual(toAction(form, [""]), { action: { act: {} } });
  });

  test("an action is secret if a part of it is, however deep", () => {
    const deep = { type: "object", properties: { pins: { type: "array", items: secret } } };
    assert.equal(formOf({ it: secret }).isSecret, true);
    assert.equal(formOf({ it: { type: "integer", writeOnly: true } }).isSecret, true);
    assert.equal(formOf({ it: deep }).isSecret, true);
    assert.equal(formOf({ writeOnly: { type: "boolean" } }).isSecret, undefined);
    assert.equal(formOf({ it: { enum: ["writeOnly"] } }).isSecret, undefined);
  });
});

describe("tableColumns", () => {
  test("objects of plain values make a table, also if some members are absent", () => {
    assert.deepEqual(tableColumns([{ id: 1, a: "x" }, { id: 2, b: null }]), ["id", "a", "b"]);
  });

  test("nested values, mixed values and many members do not", () => {
    assert.equal(tableColumns([{ id: 1, tags: [] }]), undefined);
    assert.equal(tableColumns([{ id: 1 }, 2]), undefined);
    assert.equal(tableColumns([{ id: 1 }, null]), undefined);
    assert.equal(tableColumns([{}]), undefined);
    assert.deepEqual(tableColumns([{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }])?.length, 6);
    assert.equal(tableColumns([{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }]), undefined);
  });
});

describe("schemaSource", () => {
  const counter = { action: false };

  /** A server whose answers the test gives, and a clock that it turns. */
  function setUp() {
    const world = { time: 0, requests: [] };
    const load = () => new Promise((resolve, reject) => world.requests.push({ resolve, reject }));
    world.source = schemaSource(load, () => world.time);
    /** Requests are made a moment later. */
    world.settled = () => new Promise((resolve) => setImmediate(resolve));
    return world;
  }

  test("is asked once, for all who wait", async () => {
    const { source, requests, settled } = setUp();
    const both = Promise.all([source("Counter"), source("Other")]);
    await settled();
    assert.equal(requests.length, 1);
    requests[0].resolve({ types: { Counter: counter } });
    assert.deepEqual(await both, [counter, undefined]);
    assert.equal(source("Counter"), counter);
  });

  test("an unknown type is asked for again after five seconds, not before", async () => {
    const world = setUp();
    const first = world.source("Late");
    await world.settled();
    world.requests[0].resolve({ types: { Counter: counter } });
    assert.equal(await first, undefined);
    await world.settled();
    world.time = 4999;
    assert.equal(world.source("Late"), undefined);
    world.time = 5000;
    const second = world.source("Late");
    await world.settled();
    world.requests[1].resolve({ types: { Counter: counter, Late: counter } });
    assert.equal(await second, counter);
    assert.equal(world.requests.length, 2);
  });

  test("another unknown type does not have to wait for the first", async () => {
    const world = setUp();
    const first = world.source("A");
    await world.settled();
    world.requests[0].resolve({ types: {} });
    await first;
    await world.settled();
    assert.ok(world.source("B") instanceof Promise);
  });

  test("a server that does not answer is asked again later", async () => {
    const world = setUp();
    const first = world.source("Counter");
    await world.settled();
    world.requests[0].reject(new Error("away"));
    assert.equal(await first, undefined);
    await world.settled();
    assert.equal(world.source("Counter"), undefined);
    world.time = 5000;
    assert.ok(world.source("Counter") instanceof Promise);
  });

  test("a type may be called like what all objects have", async () => {
    const world = setUp();
    const first = world.source("constructor");
    await world.settled();
    world.requests[0].resolve({ types: {} });
    assert.equal(await first, undefined);
  });
});
