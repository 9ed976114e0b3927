// A user who types, a server that changes what was typed, and a link between them that is slow, is cut, and outlives the page. The server may lose
// actions, or the session: ids then name other riblets.

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
  constructor(pending, drafts, act) {
    super();
    Object.assign(this, { pending, drafts, act });
  }
  node = () => ({});
  tell = (type, detail) => this.dispatchEvent(Object.assign(new Event(type), { detail }));
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

  const empty = { text: "", messages: [], done: 0 };
  const server = { ...empty, messages: [], outcomes: new Map(), committed: empty, epoch: 1 };
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
  /** The server goes back to an earlier state of its own. */
  const revert = (state) => {
    const said = ({ text, messages }) => text + messages.join("");
    noteRemoved(said(server), said(state));
    Object.assign(server, state, { messages: [...state.messages], committed: state, epoch: server.epoch + 1 });
    for (const n of server.outcomes.keys()) if (n > state.done) server.outcomes.delete(n);
  };

  // Numbered actions, each done once and in order, as the protocol has it.
  const drafts = new Map();
  let outbox = [], lastNumber = 0, link = 0, isUp = true, version = 0, heard = 0, page;
  /** Whether the session takes no actions: it is over, and will go on; or it is gone, and the view is still its own. */
  let isOver = false, isGone = false;
  /** Whether the server has lost actions, which the page does not know yet. */
  let isBack = false;
  /** Whether the control has what was made for another riblet, and the actions that wait for one. */
  let isOthers = false;
  const stale = new Set();
  /** The last text, if it was refused; null if another action came after it. */
  let refused;
  /** What was sent that is not to be sent. */
  let wrong;
  const send = (action) => {
    if (!isUp || action.isSent) return;
    action.isSent = true;
    const mine = link;
    clock.set(latency / 2, () => {
      if (mine !== link || action.n !== server.done + 1) return;
      server.done = action.n;
      server.outcomes.set(action.n, reduce(action));
      const { text, messages, done } = server;
      if (chance(0.5)) server.committed = { text, messages: [...messages], done };
      say();
    });
  };
  /** The server's view and answers, which may come some together. */
  const say = () => {
    const mine = link, { text, done } = server, mark = ++version;
    clock.set(latency / 2 + (chance(0.3) ? next() * 50 : 0), () => {
      if (mine !== link || mark < heard || isGone) return;
      heard = mark;
      hear(text, done, chance(0.2));
    });
  };
  const wait = (actions) => {
    outbox = page.session.pending = actions;
    page.session.tell("pending");
  };
  /** The page hears answers, with a patch or a whole view. */
  const hear = (text, done, isWhole) => {
    const answered = outbox.filter(({ n }) => n <= done);
    wait(outbox.filter(({ n }) => n > done));
    page.draw(text);
    page.session.tell("change", { ops: isWhole ? null : [] });
    noteRefused(answered);
    for (const action of answered) page.session.tell("outcome", { ...action, status: server.outcomes.get(action.n) });
  };
  const noteRefused = (answered) => {
    const isEdit = ({ kind }) => kind === "edit", edit = answered.findLast(isEdit);
    if (!edit || outbox.some(isEdit) || server.outcomes.get(edit.n) !== "refused") return;
    refused = edit === answered.at(-1) && !outbox.length ? edit.text : null;
  };
  /** The page hears that the server has lost actions, or the session; a new page hears the first of it before it draws. */
  const drop = (type) => {
    isOthers = true;
    for (const action of page.waiting) stale.add(action);
    const told = outbox.map((action) => ({ ...action, status: server.outcomes.get(action.n) ?? "unknown" }));
    if (type === "anew") page.session.tell(type);
    const dropped = outbox;
    wait([]);
    noteRefused(dropped);
    for (const detail of told) page.fields ? page.session.tell("outcome", detail) : page.session.earlier.set(detail.n, detail.status);
    if (type === "lost") page.session.tell(type);
    lastNumber = server.done;
  };
  const act = (to, body) => {
    const [action] = Object.values(body);
    page.waiting.delete(action);
    if (isOver || isGone) {
      page.session.tell("outcome", { to, status: "unsent" });
      return Promise.resolve({ status: "unsent" });
    }
    const isEdit = action.kind === "edit";
    if (stale.has(action)) wrong = "an action goes to another riblet";
    if (isEdit && isOthers) wrong = "an edit goes to another riblet unasked";
    if (isEdit && action.text === refused) wrong = "a refused text is sent again unasked";
    action.n = ++lastNumber;
    action.to = to;
    wait([...outbox, action]);
    send(action);
    return Promise.resolve();
  };

  class Page {
    /** Whether the control is not drawn for now. */
    isAway = false;
    /** The user's actions that wait for edits: they mean what is shown, whatever the server makes of it meanwhile. */
    waiting = new Set();
    constructor() {
      hiding.clear();
      this.session = new ModelSession(outbox, drafts, act);
      this.session.addEventListener("outcome", ({ detail: { status, action } }) => {
        if (status === "unsent" && action) this.waiting.delete(Object.values(action)[0]);
      });
    }
    draw(value) {
      this.value = value;
      if (this.isAway) return;
      this.fields ??= Fields.of(this.session, 1);
      const clearedBy = isDeclared ? ["submit"] : undefined;
      const send = (text) => Fields.act(this.session, 1, { edit: { kind: "edit", text } });
      this.it = this.fields.bind("draft", kinds.text, { value, send, clearedBy });
    }
    get shown() {
      return this.it.field.shown;
    }
  }
  page = new Page();
  page.session.welcome = { epoch: server.epoch };
  page.draw("");

  const cut = () => {
    isUp = false;
    link++;
    for (const action of outbox) action.isSent = false;
  };
  const connect = () => {
    const mine = ++link;
    isUp = true;
    isOver = false;
    page.session.tell("status");
    page.session.welcome = { epoch: server.epoch };
    if (isGone) return void clock.set(latency / 2, () => mine === link && beginAnew());
    if (isBack) drop("lost");
    isBack = false;
    hear(server.text, server.done, true);
    for (const action of outbox) {
      action.isSent = false;
      send(action);
    }
  };
  /** The session is over, and goes on with the next connection. */
  const end = () => {
    cut();
    isOver = !isGone;
    page.session.tell("status");
  };
  const crash = () => {
    if (isGone) return;
    cut();
    revert(server.committed);
    isBack = true;
  };
  const lose = () => {
    if (isOver) return;
    cut();
    revert(empty);
    drop("anew");
    isGone = true;
    isBack = false;
    drafts.clear();
    page.session.tell("status");
  };
  /** The first view of another session. */
  const beginAnew = () => {
    isOthers = true;
    for (const action of page.waiting) stale.add(action);
    isGone = false;
    page.session.tell("anew");
    hear(server.text, server.done, true);
  };
  const reload = () => {
    // With the view, nothing of a session that is gone is kept.
    if (isGone) return;
    for (const hide of hiding) hide();
    page = new Page();
    // What is answered before the view is drawn.
    for (const { n } of outbox) if (n <= server.done) page.session.earlier.set(n, server.outcomes.get(n));
    connect();
  };

  const appear = (isThere) => {
    if (page.isAway !== isThere || (!isThere && page.waiting.size)) return;
    page.isAway = !isThere;
    if (isThere) return page.draw(page.value);
    page.fields.leave(page.it);
  };

  let caret = 0, composed;
  const type = () => {
    appear(true);
    const { shown, fields, it } = page;
    composed = undefined;
    isOthers = false;
    refused = undefined;
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
    isOthers = false;
    page.waiting.add(action);
    Fields.act(page.session, 1, { [action.kind]: action });
  };
  const submit = () => {
    appear(true);
    // A browser ends the composition first.
    compose(false);
    const meant = idsOf(page.shown);
    press({ kind: "submit", meant });
  };
  const steps = [
    [0.64, type], [0.1, submit], [0.03, () => page.fields.flush()], [0.03, others],
    [0.02, () => press({ kind: "other" })], [0.02, cut], [0.05, () => isUp || connect()],
    [0.01, end], [0.01, crash], [0.01, lose], [0.02, () => page.isAway || compose(chance(0.5))], [0.03, reload], [0.03, () => appear(page.isAway)],
  ];

  const check = () => {
    assert.equal(wrong, undefined);
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
    const wait = async () => {
      for (let round = 0; round < 3; round++) {
        await after();
        page.fields.flush();
        await clock.run(clock.now + 100_000, after);
      }
    };
    await wait();
    if (!isOthers && refused === undefined) assert.equal(page.shown, server.text, "the control differs from the server");
    type();
    await wait();
    assert.equal(page.shown, server.text, "the control differs from the server as the user goes on");
  } catch (error) {
    error.message = `seed ${seed}: ${error.message}`;
    throw error;
  } finally {
    Object.assign(globalThis, real);
  }
}
