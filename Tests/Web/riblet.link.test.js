import assert from "node:assert/strict";
import { test } from "node:test";
import { Link, returns, times } from "../../web/riblet-link.js";

const { open, welcome, answer, patience, grace, retry } = times;
const heartbeat = 25_000;

/** A link of some transports that is at the present time, and what it has said is to be done since. */
class Run {
  time = 0;

  constructor(t, count = 2, options) {
    t.mock.method(Math, "random", () => 0);
    this.link = new Link(count, options);
  }

  /** Until something is to be done: what, and after how long. */
  next() {
    const begin = this.time;
    this.time = Math.max(this.time, this.link.due);
    return [this.link.step(this.time), this.time - begin];
  }

  pass(milliseconds) {
    this.time += milliseconds;
    return this.link.step(this.time);
  }

  begin() {
    this.link.begin(this.time);
    return this.link.transport;
  }

  fail(code = 1006) {
    this.link.closed(code, this.time);
  }

  /** Begins, and is welcomed. */
  live() {
    this.begin();
    this.link.opened(this.time);
    this.link.welcomed(this.time, heartbeat);
  }
}

// ---- Transports

test("a transport that does not open has four seconds, and then the next one its turn at once", (t) => {
  const run = new Run(t);
  assert.equal(run.begin(), 0);
  assert.deepEqual(run.next(), ["giveUp", open]);
  run.fail();
  assert.deepEqual(run.next(), ["open", 0]);
  assert.equal(run.begin(), 1);
  assert.deepEqual(run.next(), ["giveUp", open]);
  run.fail();
  assert.deepEqual(run.next(), ["open", 0]);
  // All were tried: the network may be slow.
  assert.equal(run.begin(), 0);
  assert.deepEqual(run.next(), ["giveUp", 2 * open]);
});

test("however slow the network is, a transport is given up after half a minute", (t) => {
  const run = new Run(t, 1);
  for (let time = 0; time < 10; time++) {
    run.begin();
    run.next();
    run.fail();
    run.next();
  }
  run.begin();
  assert.deepEqual(run.next(), ["giveUp", 30_000]);
});

test("a server that does not greet has time for its authenticator", (t) => {
  const run = new Run(t);
  run.begin();
  run.pass(open - 1);
  run.link.opened(run.time);
  assert.deepEqual(run.next(), ["giveUp", welcome]);
  assert.ok(welcome > 10_000);
});

test("a transport that is cut at once has two attempts, and waits before the second", (t) => {
  const run = new Run(t);
  t.mock.method(Math, "random", () => 1);
  const tried = [];
  for (let time = 0; time < 5; time++) {
    tried.push(run.begin());
    run.fail();
    const [step, wait] = run.next();
    assert.deepEqual([step, wait], ["open", 50 * 2 ** time]);
  }
  assert.deepEqual(tried, [0, 0, 1, 1, 0]);
});

test("a transport that has worked is given up late", (t) => {
  const run = new Run(t);
  run.live();
  run.fail();
  for (let time = 0; time < 3; time++) {
    run.next();
    assert.equal(run.begin(), 0);
    assert.deepEqual(run.next(), ["giveUp", open]);
    run.fail();
  }
  for (let time = 0; time < 4; time++) {
    run.next();
    assert.equal(run.begin(), 0);
    run.fail();
  }
  run.next();
  assert.equal(run.begin(), 1);
});

test("a middlebox that closes before the welcome, with whatever code, speaks against the transport", (t) => {
  for (const code of [1000, 1001, 1005, 1006, 1011, 1013]) {
    const run = new Run(t);
    for (const transport of [0, 0, 1]) {
      assert.equal(run.begin(), transport, String(code));
      run.link.opened(run.time);
      run.fail(code);
      run.next();
    }
  }
});

test("what the server says of coming back, and what the page does, speaks against no transport", (t) => {
  const run = new Run(t);
  for (const code of [4100, 4001, 4300, undefined, 4200]) {
    assert.equal(run.begin(), 0);
    run.fail(code);
    run.next();
  }
  assert.equal(run.begin(), 0);
});

test("the first transport is tried again some minutes after another has worked, and that one again if it fails", (t) => {
  const run = new Run(t);
  run.begin();
  run.next();
  run.fail();
  run.next();
  run.live();
  assert.equal(run.link.working, 1);
  run.pass(retry - 1);
  run.fail();
  run.next();
  assert.equal(run.begin(), 1, "too early");
  run.link.opened(run.time);
  run.link.welcomed(run.time, heartbeat);
  run.pass(1);
  run.fail();
  run.next();
  assert.equal(run.begin(), 0);
  run.next();
  run.fail();
  assert.deepEqual(run.next(), ["open", 0]);
  assert.equal(run.begin(), 1);
  run.fail();
  run.next();
  assert.equal(run.begin(), 1, "it is the one that works");
});

test("the next page begins with the transport that has worked, if there is such a one", (t) => {
  for (const [working, first] of [[1, 1], [0, 0], [undefined, 0], [2, 0], [-1, 0], ["1", 0], [1.5, 0], [null, 0]]) {
    assert.equal(new Run(t, 2, { working }).begin(), first, String(working));
  }
});

// ---- Liveness

test("a live link pings after a heartbeat without a word of the client's, or of the server's", (t) => {
  const run = new Run(t);
  run.live();
  run.pass(20_000);
  run.link.heard(run.time);
  assert.deepEqual(run.next(), ["ping", 5000]);
  run.link.heard(run.time);
  assert.deepEqual(run.next(), ["ping", heartbeat]);
  run.link.heard(run.time);
  run.pass(20_000);
  run.link.sent(run.time);
  assert.deepEqual(run.next(), ["ping", 5000]);
});

test("a server that is silent is given up ten seconds after a heartbeat", (t) => {
  const run = new Run(t);
  run.live();
  run.pass(15_000);
  run.link.heard(run.time);
  assert.deepEqual(run.next(), ["ping", 10_000]);
  assert.deepEqual(run.next(), ["giveUp", 15_000 + grace]);
});

test("a timer that is late asks before it gives up", (t) => {
  const run = new Run(t);
  run.live();
  assert.equal(run.pass(3_600_000), "ping");
  assert.deepEqual(run.next(), ["giveUp", grace]);
});

test("an action without an answer is doubted after three seconds, and the link given up five later", (t) => {
  const run = new Run(t);
  run.live();
  run.pass(10_000);
  run.link.sent(run.time);
  run.link.answered(0, false, run.time);
  assert.deepEqual(run.next(), ["ping", answer]);
  assert.deepEqual(run.next(), ["giveUp", patience]);
});

test("an action while a ping is out has no more time than any", (t) => {
  const run = new Run(t);
  run.live();
  run.next();
  run.link.answered(0, false, run.time);
  assert.deepEqual(run.next(), ["giveUp", answer + patience]);
});

test("a server that takes its time is asked less and less often", (t) => {
  const run = new Run(t);
  run.live();
  run.link.answered(0, false, run.time);
  for (const wait of [answer, 2 * answer, 4 * answer, 8 * answer, heartbeat, heartbeat]) {
    assert.deepEqual(run.next(), ["ping", wait]);
    run.link.heard(run.time);
  }
  // Another action has its answer: the next one is another matter.
  run.link.answered(1, false, run.time);
  assert.deepEqual(run.next(), ["ping", answer]);
});

test("what is heard shows that the server is there, and an answer that there is nothing to doubt", (t) => {
  const run = new Run(t);
  run.live();
  run.link.answered(0, false, run.time);
  run.pass(answer - 1);
  run.link.heard(run.time);
  assert.deepEqual(run.next(), ["ping", answer]);
  run.link.heard(run.time);
  run.link.answered(1, true, run.time);
  assert.deepEqual(run.next(), ["ping", heartbeat]);
});

test("whoever comes back asks at once, and waits five seconds", (t) => {
  const run = new Run(t);
  run.live();
  run.time += 3_600_000;
  run.link.woke(run.time);
  assert.deepEqual(run.next(), ["ping", 0]);
  assert.deepEqual(run.next(), ["giveUp", patience]);
});

test("whoever comes back while a ping is out waits no longer than that", (t) => {
  const run = new Run(t);
  run.live();
  run.next();
  run.link.woke(run.time);
  assert.deepEqual(run.next(), ["giveUp", patience]);
});

test("whoever comes back without a connection connects at once", (t) => {
  const run = new Run(t);
  t.mock.method(Math, "random", () => 1);
  run.live();
  run.fail(4100);
  run.link.woke(run.time);
  assert.deepEqual(run.next(), ["open", 0]);
});

test("whoever comes back while an attempt is under way waits no longer than for a new one", (t) => {
  const run = new Run(t);
  run.begin();
  run.link.opened(run.time);
  run.pass(1000);
  run.link.woke(run.time);
  assert.deepEqual(run.next(), ["giveUp", open]);
});

test("a page that is asked for a credential has half a minute, whoever comes back", (t) => {
  const run = new Run(t);
  run.link.ask(run.time);
  run.pass(10_000);
  run.link.woke(run.time);
  assert.deepEqual(run.next(), ["giveUp", 20_000]);
  run.fail(4103);
  run.next();
  assert.equal(run.begin(), 0);
});

test("a link on which a long view takes its time is given more time, until it has answered", (t) => {
  const run = new Run(t);
  for (const limit of [5000, 10_000, 20_000, 35_000, 35_000]) {
    run.live();
    run.link.answered(0, false, run.time);
    assert.deepEqual(run.next(), ["ping", answer]);
    assert.deepEqual(run.next(), ["giveUp", limit]);
    run.fail();
    run.next();
  }
  run.live();
  run.link.answered(0, false, run.time);
  run.next();
  run.link.heard(run.time);
  assert.deepEqual(run.next(), ["ping", 2 * answer]);
  assert.deepEqual(run.next(), ["giveUp", patience]);
});

test("an attempt that a sleep has outlasted is given up at once", (t) => {
  const run = new Run(t);
  run.begin();
  run.time += 3_600_000;
  run.link.woke(run.time);
  assert.equal(run.link.step(run.time), "giveUp");
});

test("a link that rests does nothing by itself", (t) => {
  const run = new Run(t);
  run.live();
  run.link.rest();
  assert.equal(run.link.due, Infinity);
  run.link.woke(run.time);
  assert.deepEqual(run.next(), ["open", 0]);
});

// ---- Coming back

test("a 1000 ends a session only after a bye", () => {
  assert.deepEqual([returns(1000), returns(1000, true)], ["soon", "never"]);
});
