// What the stage says when a screen is back: how many actions waited, and what became of them.

import { nameOf } from "./stage-wire.js";

const steps = { increment: 1, decrement: -1, addTen: 10 };
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const signed = (number) => String(number).replace("-", "−");

/** One absence of the stage's screens, from the first loss until everything is answered; without DOM. */
export class Absence {
  /** The actions that had no answer at some time of the absence: by client and number, `{name, outcome}`. */
  #actions = new Map();
  #start;
  /** When the server ran again; undefined if it has run all the time, or if no supervisor tells. */
  #serverStart;
  #back;
  /** Whether the session was replaced: the outcomes of its actions are unknown. */
  #isReset = false;

  /**
   * @param {{now: number, count: number | undefined, isCut: boolean, version?: number}} what the count that the server had answered last, whether the
   *   page has cut the link, and the server's version.
   */
  constructor({ now, count, isCut, version }) {
    this.#start = now;
    this.count = count;
    this.isCut = isCut;
    this.version = version;
  }

  /** How many actions waited. */
  get size() {
    return this.#actions.size;
  }

  /** Notes which actions of a client have no answer. */
  notePending(client, pending) {
    for (const { n, action } of pending) {
      const key = `${client} ${n}`;
      if (!this.#actions.has(key)) this.#actions.set(key, { name: nameOf(action) });
    }
  }

  /** Notes what became of an action, if it is one of those that waited. */
  noteOutcome(client, n, outcome) {
    const action = this.#actions.get(`${client} ${n}`);
    if (action) action.outcome = outcome;
  }

  noteReset() {
    this.#isReset = true;
  }

  noteServer(now) {
    this.#serverStart ??= now;
  }

  /** Notes that the screens are connected again. */
  noteBack(now) {
    this.#back ??= now;
  }

  /**
   * What became of it, in a sentence or two.
   *
   * @param {number | undefined} after the count.
   * @param {number | undefined} version the server's version.
   */
  sentence(after, version) {
    return [version > this.version && this.#deployed(version), this.#outcome(after), this.#time()].filter(Boolean).join(" ");
  }

  #deployed(version) {
    return `Version ${version} runs now. Its state has another shape${this.#isReset ? "." : ", and the session goes on."}`;
  }

  #outcome(after) {
    const waited = this.size === 1 ? "One action was waiting." : `${this.size} actions were waiting.`;
    const isOne = this.size === 1;
    const lost = this.size ? ` ${waited} ${isOne ? "It" : "They"} may be lost.` : "";
    if (this.#isReset) return `The server no longer knew the session, and a new one has begun.${lost}`;
    if (this.size === 0) return "Nothing was lost.";
    const outcomes = [...this.#actions.values()].map(({ outcome }) => outcome);
    const [done, refused] = ["applied", "refused"].map((wanted) => outcomes.filter((outcome) => outcome === wanted).length);
    if (done === this.size) return `${waited} ${isOne ? "It was" : "Each was"} done once${this.#sum(after)}.`;
    if (isOne) return `${waited} ${refused ? "It was refused" : "Nobody knows whether it was done"}.`;
    return [
      waited, done > 0 && `${done} ${done === 1 ? "was" : "were"} done once.`, refused > 0 && `${refused} ${refused === 1 ? "was" : "were"} refused.`,
      done + refused < this.size && `Of ${this.size - done - refused} nobody knows whether ${this.size - done - refused === 1 ? "it was" : "they were"} done.`,
    ].filter(Boolean).join(" ");
  }

  /** The sum, if it is right: other windows may have acted meanwhile. */
  #sum(after) {
    const all = [...this.#actions.values()].map(({ name }) => steps[name]);
    if (all.includes(undefined) || this.count === undefined) return "";
    const up = all.filter((step) => step > 0).reduce((sum, step) => sum + step, 0);
    const down = all.filter((step) => step < 0).reduce((sum, step) => sum - step, 0);
    if (this.count + up - down !== after) return "";
    return `: ${signed(this.count)}${up ? ` + ${up}` : ""}${down ? ` − ${down}` : ""} = ${signed(after)}`;
  }

  #time() {
    const away = (this.#back ?? this.#start) - this.#start;
    // A link that was cut before the server died says nothing of the server.
    if (this.isCut || this.#serverStart === undefined) return `${this.isCut ? "The link was cut" : "The page had no connection"} for ${seconds(away)}.`;
    const server = seconds(this.#serverStart - this.#start);
    const page = seconds(Math.max(this.#back - this.#serverStart, 0));
    return `The server was away for ${server}. The page was back ${page} after its start.`;
  }
}
