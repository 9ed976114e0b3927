// Replays Tests/Conversations: what a client does and shows when a server says what ribd has said.
// Tests/Conversations/README.md has the form of the files.

import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { canonical } from "../../web/riblet-check.js";
import { Core } from "../../web/riblet.js";
import { Server, World, begin, settle } from "./riblet.support.js";

const folder = new URL("../Conversations/", import.meta.url);
const conversations = fs.readdirSync(folder).filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(fs.readFileSync(new URL(name, folder), "utf8")));
const asJSON = (value) => JSON.parse(JSON.stringify(value));
const nameOf = (step) => Object.keys(step)[0];
const summary = ({ status, n, nack }) => [status, n, nack?.code].filter((part) => part !== undefined).join(" ");

/** Plays the user, and the driver that sends what the core wants to be sent. */
class CorePlayer {
  core = new Core();
  written = [];
  outcomes = [];

  carryOut(events) {
    for (const [name, ...values] of events) this[name]?.(...values);
  }

  send(message) {
    this.written.push(...[message].flat());
  }

  settled(action, outcome) {
    assert.equal(action.n, outcome.n);
    this.outcomes.push(outcome);
  }

  lost(number) {
    this.lostCount = number;
  }

  bye({ code }) {
    this.ended = code;
    const codes = {
      ended: 1000, shutdown: 4000, gone: 4200, bad_message: 4400, denied: 4401, unknown_app: 4404, taken: 4409,
    };
    this.carryOut(this.core.disconnected(codes[code]));
  }

  async hash(hash, view) {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(view)));
    if (Buffer.from(digest).toString("hex") !== hash) this.carryOut(this.core.diverged(0));
  }

  take(target) {
    this.send(this.core.take(target)[1]);
  }

  steps = {
    connect: (options) => {
      this.options = options;
      this.send(this.core.hello(options));
    },
    S: (messages) => [messages].flat().forEach((message) => this.carryOut(this.core.receive(message, 0))),
    act: ({ to, a }) => this.take({ to, action: a }),
    back: ({ to }) => this.take({ to, back: true }),
    ack: () => this.send(this.core.ack()),
    ping: () => this.send(this.core.ping()),
    check: () => this.send({ t: "check" }),
    share: (scope) => this.send({ t: "share", scope }),
    end: () => this.send({ t: "bye" }),
    cut: (code) => this.carryOut(this.core.disconnected(code ?? undefined)),
  };

  get view() {
    return this.core.view;
  }

  get pending() {
    return this.core.pending;
  }

  throws(messages) {
    assert.throws(() => this.steps.S(messages));
  }

  takeWritten() {
    return asJSON(this.written.splice(0));
  }

  /** Opens the next connection. */
  comeBack() {
    if (this.core.state === "away") this.send(this.core.hello(this.options));
  }
}

/** Plays the user and the server of a whole session. */
class SessionPlayer {
  outcomes = [];

  constructor(world) {
    this.world = world;
  }

  steps = {
    connect: (options) => {
      Object.assign(this, begin({ app: undefined, ...options }));
      this.session.addEventListener("outcome", ({ detail }) => this.outcomes.push(detail));
      this.session.addEventListener("lost", ({ detail }) => {
        this.lostCount = detail.count;
        // A session also says of each outstanding action that it is among the lost ones.
        this.outcomes = this.outcomes.filter(({ status }) => status !== "unknown");
      });
    },
    S: (messages) => {
      this.server.say(messages);
      for (const message of [messages].flat()) if (message.t === "bye") this.ended = message.code;
    },
    act: ({ to, a }) => void this.session.act(to, a),
    back: ({ to }) => void this.session.back(to),
    check: () => void this.session.check().catch(() => {}),
    share: (scope) => void this.session.share(scope).catch(() => {}),
    end: () => void this.session.end(),
    cut: (code) => this.server.cut(code ?? 1006),
  };

  takeWritten() {
    return asJSON([...this.server.hellos.splice(0), ...this.server.take()]);
  }

  get view() {
    return this.session.view;
  }

  get pending() {
    return this.session.pending;
  }

  throws(messages) {
    this.server.say(messages);
    assert.equal(this.server.isOpen, false);
  }

  comeBack() {
    if (this.session.status === "ended") this.session.reconnect();
    if (this.session.status === "reconnecting") this.world.pass(2000);
  }
}

/** What neither reaches the client nor comes from it concerns the server alone. */
const isOfClient = ({ S, other, server, isLost }) => !other && !server && !(S && isLost);

async function replay(conversation, player) {
  const steps = conversation.steps.filter(isOfClient);
  const isDoing = (step) => step && !["C", "view", "outcomes", "pending", "lost", "ended"].includes(nameOf(step));
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    const name = nameOf(step);
    const value = step[name];
    const where = `step ${index}: ${JSON.stringify(step).slice(0, 200)}`;
    if (name === "C") {
      const expected = [value];
      while (steps[index + 1]?.C) expected.push(steps[++index].C);
      if (expected[0].t === "hello") player.comeBack();
      let written = player.takeWritten();
      // A hash takes its time, on a thread of its own.
      const end = Date.now() + 10_000;
      for (; !written.length && Date.now() < end; written = player.takeWritten()) await settle();
      assert.deepEqual(written, expected, where);
    } else if (step.throws) {
      player.throws(value);
    } else if (player.steps[name]) {
      player.steps[name](value);
      if (isDoing(steps[index + 1])) assert.deepEqual(player.takeWritten(), [], where);
    } else if (name === "outcomes") {
      assert.deepEqual(player.outcomes.splice(0).map(summary), value, where);
    } else if (name === "pending") {
      assert.deepEqual(player.pending.map(({ n }) => n), value, where);
    } else {
      assert.deepEqual({ view: player.view, lost: player.lostCount, ended: player.ended }[name], value, where);
    }
  }
}

test("there are conversations", () => assert.ok(conversations.length >= 18));

for (const conversation of conversations) {
  test(`core: ${conversation.name}`, () => replay(conversation, new CorePlayer()));

  // A session acknowledges and pings by itself, when it is time.
  if (!conversation.steps.some((step) => step.ack || step.ping)) {
    test(`session: ${conversation.name}`, (t) => replay(conversation, new SessionPlayer(new World(t))));
  }
}
