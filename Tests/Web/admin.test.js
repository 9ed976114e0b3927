// The parts of the inspector's page that need no page.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { range, runs } from "../../web/admin-chart.js";
import { ago, bytes, clock, count, counted, percent, rate, short, span, stamp, time, until } from "../../web/admin-format.js";
import { alarmsOf } from "../../web/admin-overview.js";
import { actionFor, addressOf, placeIn, placeOf } from "../../web/admin-place.js";
import { operationName, titles } from "../../web/admin-root.js";
import { activity, nested, pretty } from "../../web/admin-session.js";
import { summary } from "../../web/admin-sessions.js";
import { compare, matches, ordered, turned } from "../../web/admin-table.js";
import { problemOf, problems } from "../../web/admin-token.js";

/** Each row of a table: what goes in, and what comes out. */
const rows = (name, fn, table) => test(name, () => {
  for (const [input, output] of table) assert.equal(fn(...[input].flat()), output, JSON.stringify(input));
});

describe("figures", () => {
  rows("bytes", bytes, [
    [0, "0 B"], [1023, "1023 B"], [1024, "1 KiB"], [1536, "1.5 KiB"], [1023 * 1024, "1023 KiB"], [1024 ** 2 - 1, "1 MiB"],
    [96_000_000, "91.6 MiB"], [5 * 1024 ** 4, "5 TiB"], [5000 * 1024 ** 4, "5000 TiB"], [undefined, "–"], [null, "–"],
  ]);
  rows("times", time, [
    [0, "0 µs"], [999, "999 µs"], [1000, "1 ms"], [1250, "1.3 ms"], [999_499, "999 ms"], [999_500, "1 s"], [59_940_000, "59.9 s"],
    [61_000_000, "1 min 1 s"], [undefined, "–"],
  ]);
  rows("counts", count, [[0, "0"], [1234567, "1,234,567"], [12.6, "13"], [null, "–"]]);
  rows("counted things", counted, [[[1, "client"], "1 client"], [[0, "client"], "0 clients"], [[2, "activity", "activities"], "2 activities"]]);
  rows("rates", rate, [[0, "0"], [0.04, "0"], [3.14, "3.1"], [9.94, "9.9"], [9.95, "10"], [1234.4, "1,234"], [undefined, "–"]]);
  rows("percents", percent, [[0, "0 %"], [33.333, "33.3 %"], [120, "120 %"], [undefined, "–"]]);
  rows("spans", span, [
    [0, "0 s"], [-3, "0 s"], [8, "8 s"], [60, "1 min"], [61, "1 min 1 s"], [3600, "1 h"], [7322, "2 h 2 min"], [86_400 * 3 + 50, "3 d"],
    [86_400 * 3 + 3600 * 4, "3 d 4 h"],
  ]);
  rows("times ago", ago, [
    [[100, 100], "now"], [[200, 100], "now"], [[100, 102], "2 s ago"], [[100, 159.9], "59 s ago"], [[100, 280], "3 min ago"],
    [[100, 100 + 86_400 * 2], "2 d ago"],
  ]);
  rows("times to come", until, [[[160, 100], "in 1 min"], [[100, 130], "30 s ago"]]);
  rows("names of sessions", short, [["0123456789abcdef", "0123456789…"], ["abc", "abc"]]);

  test("times of the day are the browser's", () => {
    const date = new Date(2026, 10, 27, 4, 5, 6, 78);
    assert.equal(clock(date.getTime()), "04:05:06.078");
    assert.equal(stamp(date.getTime() / 1000), "2026-11-27 04:05:06");
  });
});

describe("places", () => {
  const view = (children) => ({
    root: 1, nodes: { 1: { type: "Inspector", state: { page: "log" }, children }, 7: { type: "Session", state: { id: "a/b" } } },
  });

  test("an address leads to its place, and back", () => {
    for (const place of [{ page: "sessions" }, { session: "5d1c" }, { session: "a/b %?#ü" }]) {
      assert.deepEqual(placeOf(addressOf(place)), place);
    }
  });

  test("what is no address leads nowhere", () => {
    for (const hash of ["", "#", "#log", "#/", "#/log/x", "#/session/", "#/session", "#/session/%E0%A4%A", "#/a b"]) {
      assert.equal(placeOf(hash), undefined, hash);
    }
  });

  test("a view is at its session, or else at its page", () => {
    assert.equal(placeIn(undefined), undefined);
    assert.deepEqual(placeIn(view({ page: { kind: "slot", ids: [2] }, session: { kind: "slot", ids: [] } })), { page: "log" });
    assert.deepEqual(placeIn(view({ session: { kind: "slot", ids: [7] } })), { session: "a/b" });
    // A session that is not attached yet is not shown.
    assert.deepEqual(placeIn(view({ session: { kind: "slot", ids: [null] } })), { page: "log" });
  });

  test("the root is asked to go there", () => {
    assert.deepEqual(actionFor({ page: "log" }), { pageTapped: "log" });
    assert.deepEqual(actionFor({ session: "x" }), { sessionEntered: { id: "x" } });
  });

  test("each page has a title", () => {
    for (const page of ["overview", "sessions", "riblets", "store", "signIn", "settings", "log", "crashes"]) assert.ok(titles[page]);
  });
});

describe("sparklines", () => {
  const figure = ({ value }) => value;
  const samples = (...pairs) => pairs.map(([time, value]) => ({ time, value }));

  test("time goes to the right and figures down from the top", () => {
    assert.deepEqual(runs(samples([1000, 0], [1150, 5], [1300, 10]), figure, 10).flat(), [[0, 1], [0.5, 0.5], [1, 0]]);
  });

  test("what is older than five minutes is left out", () => {
    assert.deepEqual(runs(samples([999, 1], [1300, 1]), figure, 1), [[[1, 0]]]);
  });

  test("nothing is drawn across a time without onlookers, nor where nothing was measured", () => {
    const lengths = (...pairs) => runs(samples(...pairs), figure, 1).map((run) => run.length);
    assert.deepEqual(lengths([1, 1], [2, 1], [60, 1], [61, 1], [62, 1]), [2, 3]);
    assert.deepEqual(lengths([1, 1], [2, undefined], [3, 1]), [2]);
    assert.deepEqual(lengths([1, null], [2, undefined]), []);
    assert.deepEqual(lengths(), []);
  });

  test("a range is of what is known", () => {
    assert.deepEqual(range(samples([1, 3], [2, undefined], [3, 1]), figure), { least: 1, greatest: 3, last: 1 });
    assert.equal(range(samples([1, undefined]), figure), undefined);
  });
});

describe("tables", () => {
  const column = { id: "size", isFigure: true, by: ({ size }) => size };

  test("rows are ordered either way; what is not known comes last", () => {
    const sizes = (isReversed) => ordered([{ size: 2 }, {}, { size: 10 }, { size: null }, { size: 1 }], column, isReversed).map(({ size }) => size);
    assert.deepEqual(sizes(false), [1, 2, 10, undefined, null]);
    assert.deepEqual(sizes(true), [10, 2, 1, undefined, null]);
  });

  test("the rows that are given stay as they are", () => {
    const given = [{ size: 2 }, { size: 1 }];
    ordered(given, column, false);
    assert.deepEqual(given, [{ size: 2 }, { size: 1 }]);
    assert.equal(ordered(given, undefined, false), given);
    assert.equal(ordered(given, { id: "x" }, false), given);
  });

  test("texts are compared as a person reads them", () => {
    assert.ok(compare("client 9", "client 10", false) < 0);
    assert.ok(compare("b", "a", false) > 0);
    assert.ok(compare("", "a", false) > 0 && compare("", "a", true) > 0);
    assert.ok(compare(true, false, false) > 0);
  });

  test("a head that is pressed orders, and then the other way round", () => {
    const first = turned({ id: "name", isReversed: false }, column);
    assert.deepEqual(first, { id: "size", isReversed: true });
    assert.deepEqual(turned(first, column), { id: "size", isReversed: false });
    assert.deepEqual(turned(first, { id: "name" }), { id: "name", isReversed: false });
  });

  test("each word is looked for, in any value", () => {
    assert.ok(matches(["Cart", "addTapped", undefined], "tapped CART"));
    assert.ok(!matches(["Cart", "addTapped"], "cart remove"));
    assert.ok(matches(["Cart"], "  "));
    // A word does not go from one value to the next.
    assert.ok(!matches(["ab", "cd"], "bc"));
  });
});

describe("words", () => {
  test("a server that is well alarms nobody", () => {
    const well = { loops: 2, silentLoops: 0, descriptors: 10, descriptorLimit: 100, crashesFound: 0 };
    assert.deepEqual(alarmsOf(well), []);
    const found = (change) => alarmsOf({ ...well, ...change }).map(({ tone, page }) => [tone, page]);
    assert.deepEqual(found({ silentLoops: 1 }), [["bad", undefined]]);
    assert.deepEqual(found({ isStoreFailing: true, crashesFound: 2 }), [["bad", "store"], ["warn", "crashes"]]);
    assert.deepEqual(found({ isOverMemory: true, isDraining: true, descriptors: 81 }).map(([tone]) => tone), ["bad", "warn", "warn"]);
    assert.deepEqual(found({ descriptors: 80 }), []);
  });

  test("how many sessions are shown", () => {
    assert.equal(summary(0, 0, 0), "No session is in memory, or at rest with a client here.");
    assert.equal(summary(1, 1, 1), "1 session in memory, or at rest with a client here.");
    assert.equal(summary(50, 1546, 1546), "1,546 sessions in memory, or at rest with a client here; the first 50 are shown.");
    assert.equal(summary(3, 3, 20), "3 of 20 sessions in memory, or at rest with a client here.");
  });

  test("what a process has died of", () => {
    assert.equal(activity({ client: 1, number: 17 }), "Action 17 of client 1");
    assert.equal(activity({ client: 0, number: 0 }), "Loading the session into memory");
    assert.equal(activity({ client: 0, number: 3 }), "Effect 3");
  });

  test("an operation has a name with and without details", () => {
    assert.equal(operationName("drain"), "drain");
    assert.equal(operationName({ end: { session: "x" } }), "end");
  });
});

describe("a session", () => {
  test("nodes are in their parents, and those without one at the top", () => {
    const shape = (list) => list.map(({ node, children }) => [node.id, shape(children)]);
    const nodes = [{ id: 1 }, { id: 4, parent: 2 }, { id: 2, parent: 1 }, { id: 3, parent: 1 }, { id: 9, parent: 8 }];
    assert.deepEqual(shape(nested(nodes)), [[1, [[2, [[4, []]]], [3, []]]], [9, []]]);
  });

  test("JSON is written in lines, and what is none as it is", () => {
    assert.equal(pretty('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
    assert.equal(pretty("{cut"), "{cut");
  });
});

describe("a token", () => {
  const server = (status) => async (path, { headers }) => {
    assert.equal(path, "/livez");
    assert.deepEqual(headers, { Authorization: "Bearer abc" });
    return { status };
  };

  test("is shown to the server in a header, and the answer says whether it is good", async () => {
    assert.equal(await problemOf("abc", server(200)), undefined);
    // The server is not well, and knows the token.
    assert.equal(await problemOf("abc", server(503)), undefined);
    assert.equal(await problemOf("abc", server(401)), "wrong");
    assert.equal(await problemOf("abc", () => Promise.reject(new TypeError("cut"))), "away");
  });

  test("that cannot be in a header is not sent", async () => {
    for (const token of ["", "a b", "ä", "a\nb"]) assert.equal(await problemOf(token, () => assert.fail()), "malformed");
  });

  test("each problem has words", () => {
    for (const problem of ["malformed", "wrong", "over", "away"]) assert.match(problems[problem], /\.$|\?$/);
  });
});
