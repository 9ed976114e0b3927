// What the stage keeps of its two screens' messages, and what it says when they are back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Absence } from "../../web/stage-return.js";
import { StageLog } from "../../web/stage-wire.js";

const acts = (...numbers) => numbers.map((n) => ({ n, to: 1, action: "increment" }));
const patch = (rev, count) => JSON.stringify({ t: "patch", rev, base: rev - 1, n: 1, ops: [{ op: "replace", path: "/nodes/1/state/count", value: count }] });
const outline = (log) => log.rows.map((row) => (row.sides ? `${[...row.sides.keys()].join("+")} ${row.patches}: ${row.count}` : `${row.side} ${row.first}–${row.last} ${row.name} ${row.open > 0 ? "waiting" : row.refused + row.unknown > 0 ? `${row.refused} refused, ${row.unknown} unknown` : "done"}`));

test("actions without an answer are one row, with their numbers", () => {
  const log = new StageLog();
  log.notePending("first", acts(6));
  log.notePending("first", acts(6, 7));
  log.notePending("first", acts(6, 7, 8));
  assert.deepEqual(outline(log), ["first 6–8 increment waiting"]);
  assert.equal(log.rows[0].open, 3);
  log.notePending("first", acts(8));
  assert.equal(log.rows[0].open, 1);
  log.notePending("first", []);
  assert.deepEqual(outline(log), ["first 6–8 increment done"]);
});

test("actions of the other screen, with another name or after an answer have rows of their own", () => {
  const log = new StageLog();
  log.notePending("first", acts(1));
  log.notePending("second", acts(1));
  log.notePending("first", [...acts(1), { n: 2, to: 1, action: "reset" }]);
  log.notePending("first", []);
  log.notePending("first", acts(3));
  assert.deepEqual(outline(log), [
    "first 1–1 increment done", "second 1–1 increment waiting", "first 2–2 reset done", "first 3–3 increment waiting",
  ]);
});

test("a change that both screens get is one row, and so are changes that follow one another", () => {
  const log = new StageLog();
  log.noteMessage("first", patch(2, 1));
  log.noteMessage("second", `[${patch(2, 1)}]`);
  assert.deepEqual(outline(log), ["first+second 1: 1"]);
  log.noteMessage("first", patch(3, 2));
  log.noteMessage("first", JSON.stringify({ t: "pong" }));
  assert.deepEqual(outline(log), ["first+second 2: 2"]);
  assert.deepEqual([...log.rows[0].sides], [["first", 3], ["second", 2]]);
  log.notePending("first", acts(1));
  log.noteMessage("second", patch(3, 2));
  log.noteMessage("second", patch(4, 3));
  assert.deepEqual(outline(log), ["first+second 2: 2", "first 1–1 increment waiting", "second 1: 3"]);
});

test("a state that comes as a whole has a count, too", () => {
  const log = new StageLog();
  log.noteMessage("first", JSON.stringify({ t: "patch", rev: 2, base: 1, n: 1, ops: [{ op: "replace", path: "/nodes/1/state", value: { count: 7 } }] }));
  log.noteMessage("first", JSON.stringify({ t: "patch", rev: 3, base: 2, n: 2, ops: [] }));
  assert.deepEqual(outline(log), ["first 1: 7"]);
});

test("a refusal is shown at its action", () => {
  const log = new StageLog();
  log.notePending("first", acts(1));
  log.notePending("first", []);
  log.noteOutcome("first", 1, "refused");
  assert.deepEqual(outline(log), ["first 1–1 increment 1 refused, 0 unknown"]);
});

test("another session numbers its actions from 1", () => {
  const log = new StageLog();
  log.notePending("first", acts(1, 2));
  log.clear();
  log.notePending("first", acts(1));
  assert.deepEqual(outline(log), ["first 1–1 increment waiting"]);
});

test("another client of a side numbers its actions from 1", () => {
  const log = new StageLog();
  log.notePending("second", acts(1, 2));
  log.renew("second");
  log.notePending("second", acts(1));
  assert.deepEqual(outline(log), ["second 1–2 increment 0 refused, 2 unknown", "second 1–1 increment waiting"]);
});

test("few rows are kept", () => {
  const log = new StageLog();
  for (let n = 1; n <= 1000; n++) {
    log.notePending("first", acts(n));
    log.noteMessage("first", patch(n, n));
  }
  assert.equal(log.rows.length, 40);
  assert.equal(log.rows.at(-1).count, 1000);
});

const applied = (absence, client, ...numbers) => numbers.forEach((n) => absence.noteOutcome(client, n, "applied"));

test("the sentence has the sum", () => {
  const absence = new Absence({ now: 1000, count: 5, isCut: false, version: 1 });
  absence.notePending("first", acts(6, 7, 8));
  absence.notePending("first", acts(6, 7, 8, 9));
  absence.notePending("second", [{ n: 1, action: "decrement" }, { n: 2, action: { addTen: {} } }]);
  applied(absence, "first", 6, 7, 8, 9);
  applied(absence, "second", 1, 2);
  absence.noteServer(6200);
  absence.noteBack(6400);
  assert.equal(absence.sentence(18, 1),
    "6 actions were waiting. Each was done once: 5 + 14 − 1 = 18. The server was away for 5.2 s. The page was back 0.2 s after its start.");
});

test("the sentence has no sum that is wrong", () => {
  const absence = new Absence({ now: 0, count: 5, isCut: false });
  absence.notePending("first", acts(6));
  applied(absence, "first", 6);
  absence.noteBack(1500);
  assert.equal(absence.sentence(9), "One action was waiting. It was done once. The page had no connection for 1.5 s.");
  absence.notePending("first", [{ n: 7, to: 1, action: "reset" }]);
  applied(absence, "first", 7);
  assert.equal(absence.sentence(0), "2 actions were waiting. Each was done once. The page had no connection for 1.5 s.");
});

test("the sentence says what was not done", () => {
  const absence = new Absence({ now: 0, count: 5, isCut: false });
  absence.notePending("first", acts(6, 7, 8));
  applied(absence, "first", 6, 7);
  absence.noteOutcome("first", 8, "refused");
  absence.noteOutcome("first", 9, "applied");
  absence.noteBack(100);
  assert.equal(absence.sentence(7), "3 actions were waiting. 2 were done once. 1 was refused. The page had no connection for 0.1 s.");
  absence.notePending("first", acts(10, 11));
  assert.equal(absence.sentence(7),
    "5 actions were waiting. 2 were done once. 1 was refused. Of 2 nobody knows whether they were done. The page had no connection for 0.1 s.");
  absence.noteReset();
  assert.equal(absence.sentence(0),
    "The server no longer knew the session, and a new one has begun. 5 actions were waiting. They may be lost. The page had no connection for 0.1 s.");
});

test("one action has sentences of its own", () => {
  const absence = new Absence({ now: 0, count: 5, isCut: false });
  absence.notePending("first", acts(6));
  absence.noteBack(100);
  const rest = "The page had no connection for 0.1 s.";
  assert.equal(absence.sentence(5), `One action was waiting. Nobody knows whether it was done. ${rest}`);
  absence.noteOutcome("first", 6, "refused");
  assert.equal(absence.sentence(5), `One action was waiting. It was refused. ${rest}`);
  absence.noteReset();
  assert.equal(absence.sentence(0), `The server no longer knew the session, and a new one has begun. One action was waiting. It may be lost. ${rest}`);
});

test("a server that died while the link was cut was not away since the cut", () => {
  const cut = new Absence({ now: 0, count: 0, isCut: true, version: 1 });
  cut.noteServer(25_000);
  cut.noteBack(27_000);
  assert.equal(cut.sentence(0, 1), "Nothing was lost. The link was cut for 27.0 s.");
});

test("a cut and a deploy have words of their own", () => {
  const cut = new Absence({ now: 0, count: 0, isCut: true, version: 1 });
  cut.noteBack(2000);
  assert.equal(cut.sentence(0, 1), "Nothing was lost. The link was cut for 2.0 s.");
  const deployed = new Absence({ now: 0, count: -3, isCut: false, version: 1 });
  deployed.notePending("first", acts(1));
  applied(deployed, "first", 1);
  deployed.noteServer(300);
  deployed.noteBack(400);
  assert.equal(deployed.sentence(-2, 2), "Version 2 runs now. Its state has another shape, and the session goes on. "
    + "One action was waiting. It was done once: −3 + 1 = −2. The server was away for 0.3 s. The page was back 0.1 s after its start.");
});
