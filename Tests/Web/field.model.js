// A user who types, a server that changes what was typed, and a link between them that is slow, is cut, and outlives the page.

import assert from "node:assert/strict";

/** A generator of numbers between 0 and 1 (mulberry32). */
const generator = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

// Each typed character is one of its own. A capital is the same character in another form.
const first = 0x4e00, capitals = 0x2000;
const idOf = (character) => (character.charCodeAt(0) - first) % capitals;
const idsOf = (text) => [...text].map(idOf);
const upper = (text) => [...text].map((it) => String.fromCharCode(first + idOf(it) + capitals)).join("");

const normalisers = {
  none: (text) => text,
  upper,
  strip: (text) => [...text].filter((it) => idOf(it) % 7).join(""),
  cut: (text) => text.slice(0, 12),
};

/** The time of one schedule: timers of the page and of the link run in its order. */
class Clock {
  now = 0;
  #timers = [];
  #last = 0;

  set(delay, fn) {
    const timer = { time: this.now + delay, number: ++this.#last, fn };
    this.#timers.push(timer);
    return timer;
  }

  clear(timer) {
    const index = this.#timers.indexOf(timer);
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Runs the timers up to a time, and `after` behind each. */
  async run(until, after) {
    for (;;) {
      let next;
      for (const timer of this.#timers) {
        if (!next || timer.time < next.time || (timer.time === next.time && timer.number < next.number)) next = timer;
      }
      if (!next || next.time > until) break;
      this.clear(next);
      this.now = Math.max(this.now, next.time);
      next.fn();
      await after();
    }
    this.now = Math.max(this.now, until);
  }
}

/** What a page knows of its session. */
class ModelSession extends EventTarget {
  view = { root: 1 };
  earlier = new Map();
  constructor(pending, drafts) {
    super();
    this.pending = pending;
    this.drafts = drafts;
  }
  node = () => ({});
  draft = (id) => this.drafts.get(id);
  keepDraft(id, value) {
    if (value) this.drafts.set(id, JSON.parse(JSON.stringify(value)));
    else this.drafts.delete(id);
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Runs the schedule of a seed; rejects where a character is lost or doubled, or the control differs from the server in the end. */
export async function runSchedule({ Fields, kinds }, seed) {
  const next = generator(seed);
  const pick = (count) => Math.floor(next() * count), chance = (share) => next() < share;
  const isDeclared = chance(0.5), refuses = chance(0.2), latency = [0, 40, 100, 500, 2000][pick(5)];
  const normaliser = Object.keys(normalisers)[pick(4)];
  const clock = new Clock(), real = { setTimeout, clearTimeout, addEventListener: globalThis.addEventListener };
  const hiding = new Set();
  Object.assign(globalThis, {
    // The timers of a page are gone with it.
    setTimeout: (fn, delay) => {
      const mine = page;
      return clock.set(delay, () => mine === page && fn());
    },
    clearTimeout: (timer) => clock.clear(timer),
    addEventListener: (type, fn) => type === "pagehide" && hiding.add(fn),
  });

  const typed = new Set(), erased = new Set(), removed = new Set();
  /** Takes note of what the server removes on purpose. */
  const noteRemoved = (before, after) => {
    const left = new Set(idsOf(after));
    for (const id of idsOf(before)) if (!left.has(id)) removed.add(id);
  };
  let lastID = 0, isEnding = false, missed;
  const fresh = () => String.fromCharCode(first + ++lastID);

  const server = { text: "", messages: [], done: 0, outcomes: new Map() };
  const change = (text) => {
    const made = normalisers[normaliser](text);
    noteRemoved(text, made);
    noteRemoved(server.text, made);
    server.text = made;
  };
  const reduce = ({ kind, text, meant }) => {
    const refusesNow = refuses && !isEnding;
    if (kind === "edit") {
      if (refusesNow && text.length % 5 === 4) return "refused";
      change(text);
    } else if (kind === "submit") {
      if (!server.text || (refusesNow && server.text.length % 3 === 2)) return "refused";
      server.messages.push(server.text);
      const said = new Set(idsOf(server.messages.join("")));
      const isMissed = (id) => typed.has(id) && !said.has(id) && !removed.has(id) && !erased.has(id);
      // What was refused as an edit is not said.
      missed = refuses ? undefined : meant.find(isMissed);
      server.text = "";
    }
    return "applied";
  };

  // Numbered actions, each done once and in order, as the protocol has it.
  const drafts = new Map();
  let outbox = [], lastNumber = 0, link = 0, isUp = true, version = 0, heard = 0, page;
  const send = (action) => {
    if (!isUp || action.isSent) return;
    action.isSent = true;
    const mine = link;
    clock.set(latency / 2, () => {
      if (mine !== link || action.n !== server.done + 1) return;
      server.done = action.n;
      server.outcomes.set(action.n, reduce(action));
      say();
    });
  };
  /** The server's view and answers, which may come some together. */
  const say = () => {
    const mine = link, { text, done } = server, mark = ++version;
    clock.set(latency / 2 + (chance(0.3) ? next() * 50 : 0), () => {
      if (mine !== link || mark < heard) return;
      heard = mark;
      hear(text, done);
    });
  };
  const hear = (text, done) => {
    const answered = outbox.filter(({ n }) => n <= done);
    outbox = page.session.pending = outbox.filter(({ n }) => n > done);
    page.draw(text);
    for (const action of answered) {
      page.session.dispatchEvent(Object.assign(new Event("outcome"), { detail: { ...action, status: server.outcomes.get(action.n) } }));
    }
  };
  const act = (action) => {
    action.n = ++lastNumber;
    action.to = 1;
    outbox = page.session.pending = [...outbox, action];
    send(action);
    return Promise.resolve();
  };

  class Page {
    /** Whether the control is not drawn for now. */
    isAway = false;
    /** How many actions of the user wait for edits: they mean what is shown, whatever the server makes of it meanwhile. */
    waiting = 0;
    constructor() {
      hiding.clear();
      this.session = new ModelSession(outbox, drafts);
      this.session.act = (to, action) => {
        this.waiting--;
        return act(Object.values(action)[0]);
      };
    }
    draw(value) {
      this.value = value;
      if (this.isAway) return;
      this.fields ??= Fields.of(this.session, 1);
      const clearedBy = isDeclared ? ["submit"] : undefined;
      this.it = this.fields.bind("draft", kinds.text, { value, send: (text) => act({ kind: "edit", text }), clearedBy });
    }
    get shown() {
      return this.it.field.shown;
    }
  }
  page = new Page();
  page.draw("");

  const cut = () => {
    isUp = false;
    link++;
    for (const action of outbox) action.isSent = false;
  };
  const connect = () => {
    link++;
    isUp = true;
    hear(server.text, server.done);
    for (const action of outbox) {
      action.isSent = false;
      send(action);
    }
  };
  const reload = () => {
    for (const hide of hiding) hide();
    page = new Page();
    // What is answered before the view is drawn.
    for (const { n } of outbox) if (n <= server.done) page.session.earlier.set(n, server.outcomes.get(n));
    connect();
  };

  const appear = (isThere) => {
    if (page.isAway !== isThere || (!isThere && page.waiting)) return;
    page.isAway = !isThere;
    if (isThere) return page.draw(page.value);
    page.fields.leave(page.it);
  };

  let caret = 0, composed;
  const type = () => {
    appear(true);
    const { shown, fields, it } = page;
    composed = undefined;
    caret = chance(0.85) ? shown.length : pick(shown.length + 1);
    if (chance(0.1) && caret > 0) {
      erased.add(idOf(shown[caret - 1]));
      fields.edit(it, shown.slice(0, caret - 1) + shown.slice(caret), caret - 1);
    } else {
      const character = fresh();
      typed.add(idOf(character));
      fields.edit(it, shown.slice(0, caret) + character + shown.slice(caret), caret + 1);
    }
  };
  const others = () => {
    const before = server.text;
    server.text = chance(0.5) ? before.slice(1) : fresh() + before;
    noteRemoved(before, server.text);
    if (isUp) say();
  };
  const compose = (isComposing) => {
    composed = undefined;
    page.fields.compose(page.it, isComposing);
  };
  const press = (action) => {
    const mine = page;
    mine.waiting++;
    Fields.act(mine.session, 1, { [action.kind]: action });
  };
  const submit = () => {
    appear(true);
    // A browser ends the composition first.
    compose(false);
    const meant = idsOf(page.shown);
    press({ kind: "submit", meant });
  };
  const steps = [
    [0.67, type], [0.1, submit], [0.03, () => page.fields.flush()], [0.03, others],
    [0.02, () => press({ kind: "other" })], [0.02, cut], [0.05, () => isUp || connect()],
    [0.02, () => page.isAway || compose(chance(0.5))], [0.03, reload], [0.03, () => appear(page.isAway)],
  ];

  const check = () => {
    assert.equal(missed, undefined, "a character that was shown as the text was submitted is not in it");
    const { shown, it } = page;
    const texts = [shown, server.text, ...server.messages];
    // A text that was cleared here is shown no more, and comes back if the server does not take it.
    if (isDeclared) {
      texts.push(...outbox.map(({ text = "" }) => text));
      for (const { text, cleared } of it.field.kept.sent) texts.push(text, cleared?.text ?? "");
    }
    if (it.field.isComposing) assert.equal(composed ??= shown, shown, "a composition is disturbed");
    const there = new Set(texts.flatMap(idsOf));
    for (const id of typed) if (!there.has(id) && !removed.has(id) && !erased.has(id)) assert.fail(`character ${id} is lost`);
    for (const text of [server.messages.join(""), shown]) {
      const ids = idsOf(text);
      assert.equal(new Set(ids).size, ids.length, `a character is doubled: ${ids}`);
    }
  };
  const after = async () => {
    await settled();
    check();
  };

  try {
    for (let count = 20 + pick(40); count > 0; count--) {
      let share = next();
      for (const [part, step] of steps) {
        share -= part;
        if (share >= 0) continue;
        step();
        break;
      }
      await after();
      await clock.run(clock.now + [10, 60, 120, 200, 1000, 3000][pick(6)], after);
    }
    isEnding = true;
    appear(true);
    compose(false);
    connect();
    for (let round = 0; round < 3; round++) {
      await after();
      page.it.held = undefined;
      page.fields.flush();
      await clock.run(clock.now + 100_000, after);
    }
    assert.equal(page.shown, server.text, "the control differs from the server");
  } catch (error) {
    error.message = `seed ${seed}: ${error.message}`;
    throw error;
  } finally {
    Object.assign(globalThis, real);
  }
}
