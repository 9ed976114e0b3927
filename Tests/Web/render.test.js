// The parts of render.js that need no page.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { each, h, increasing, levels } from "../../web/render.js";

describe("h", () => {
  test("has a key, props and children", () => {
    const { tag, key, props, children } = h("li", { key: 3, class: "row" }, "a", ["b"]);
    assert.deepEqual([tag, key, props, children], ["li", 3, { key: 3, class: "row" }, ["a", ["b"]]]);
  });

  test("does without props", () => assert.deepEqual(h("p", null).props, {}));

  test("rows are not made before they are drawn", () => {
    each([1], () => assert.fail(), () => assert.fail());
  });
});

describe("increasing", () => {
  /** The longest by trying all subsequences. */
  function longest(numbers) {
    let best = 0;
    for (let mask = 0; mask < 1 << numbers.length; mask++) {
      const chosen = numbers.filter((number, place) => mask & (1 << place));
      const isRight = chosen.every((number, place) => number >= 0 && (place === 0 || chosen[place - 1] < number));
      if (isRight) best = Math.max(best, chosen.length);
    }
    return best;
  }

  test("finds the places that can stay", () => {
    assert.deepEqual([...increasing([2, 0, 1, 3])].sort(), [1, 2, 3]);
    assert.deepEqual([...increasing([])], []);
    assert.deepEqual([...increasing([-1, -1])], []);
    assert.deepEqual([...increasing([-1, 0, -1, 1])].sort(), [1, 3]);
  });

  test("finds a longest one among any numbers", () => {
    // Of the day, as in the other tests: RIB_SEED repeats one.
    const day = Number(process.env.RIB_SEED ?? Math.floor(Date.now() / 86_400_000));
    let seed = 1 + (day % 2147483646);
    const random = (count) => (seed = (seed * 48271) % 2147483647) % count;
    for (let run = 0; run < 300; run++) {
      const numbers = Array.from({ length: random(11) }, (_, index) => (random(5) ? index : -1));
      for (let index = numbers.length - 1; index > 0; index--) {
        const other = random(index + 1);
        [numbers[index], numbers[other]] = [numbers[other], numbers[index]];
      }
      const places = [...increasing(numbers)].sort((a, b) => a - b);
      const chosen = places.map((place) => numbers[place]);
      const isRight = chosen.every((number, at) => number >= 0 && (at === 0 || chosen[at - 1] < number));
      assert.ok(isRight, `RIB_SEED=${day}, ${numbers}: ${chosen}`);
      assert.equal(places.length, longest(numbers), `RIB_SEED=${day}, ${numbers}`);
    }
  });
});

describe("levels", () => {
  /** A view whose root has these routes, and whose other nodes have the routes given by id. */
  const view = (children, others = {}) => ({
    root: 1,
    nodes: {
      1: { type: "T", state: {}, children },
      ...Object.fromEntries([2, 3, 4, 5, 6].map((id) => [id, { type: "T", state: {}, children: others[id] }])),
    },
  });
  const slot = (...ids) => ({ kind: "slot", ids });
  const stack = (...ids) => ({ kind: "stack", ids });
  const rows = (...ids) => ({ kind: "list", ids });
  const tabs = (selected, ...ids) => ({ kind: "tabs", ids, selected });

  for (const [name, count, children, others] of [
    ["no children", 0, undefined],
    ["an empty slot", 0, { a: slot() }],
    ["an open slot", 1, { a: slot(2) }],
    ["two open slots", 2, { a: slot(2), b: slot(3) }],
    ["a slot in a slot", 2, { a: slot(2) }, { 2: { b: slot(3) } }],
    ["an empty stack", 0, { a: stack() }],
    ["one page", 0, { a: stack(2) }],
    ["three pages", 2, { a: stack(2, 3, 4) }],
    ["a slot of a page that is covered", 1, { a: stack(2, 3) }, { 2: { b: slot(4) } }],
    ["a slot of the page in front", 2, { a: stack(2, 3) }, { 3: { b: slot(4) } }],
    ["rows", 0, { a: rows(2, 3) }],
    ["slots of rows", 2, { a: rows(2, 3) }, { 2: { b: slot(4) }, 3: { b: slot(5) } }],
    ["a kind that is not known", 1, { a: { kind: "grid", ids: [2] } }, { 2: { b: slot(3) } }],
    ["the tab in front", 1, { a: tabs(1, 2, 3) }, { 3: { b: slot(4) } }],
    ["another tab", 0, { a: tabs(0, 2, 3) }, { 3: { b: stack(4, 5) } }],
    ["children that are not attached", 0, { a: slot(null), b: stack(2, null) }],
    ["pages below a child without a view", 2, { a: slot(null), "a/b": stack(2, 3) }],
    ["pages below a tab without a view, in front", 1, { a: tabs(1, 2, null), "a[1]/b": stack(3, 4) }],
    ["pages below a tab without a view, not in front", 0, { a: tabs(0, 2, null), "a[1]/b": stack(3, 4) }],
    ["a page without a view on top of another one", 2, { a: stack(2, null), "a[1]/b": slot(3) }, { 2: { c: slot(4) } }],
  ]) test(`${name}: ${count}`, () => assert.equal(levels(view(children, others)), count));
});
