// What the stage says when a screen is back: how many actions waited, and that each was done once.

import { nameOf } from "./stage-wire.js";

const steps = { increment: 1, decrement: -1, addTen: 10 };
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
const signed = (number) => String(number).replace("-", "−");

/** One absence of the stage's screens, from the first loss until everything is answered; without DOM. */
export class Absence {
  /** By side and number: the actions that had no answer at some time of the absence. */
  #actions = new Map();
  #start;
  /** When the server ran again; undefined as long as it does not, or if nobody says so. */
  #serverStart;
  #back;

  /**
   * @param {{now: number, count: number | undefined, why: "cut" | "killed" | "deployed"}} what the count that the server had answered last.
   */
  constructor({ now, count, why }) {
    this.#start = now;
    this.count = count;
    this.why = why;
  }

  /** How many actions waited. */
  get size() {
    return this.#actions.size;
  }

  notePending(side, pending) {
    for (const { n, action } of pending) this.#actions.set(`${side} ${n}`, nameOf(action));
  }

  noteServer(now) {
    this.#serverStart ??= now;
  }

  /** Notes that the screens are connected again. */
  noteBack(now) {
    this.#back ??= now;
  }

  /** What became of it, in a sentence or two, as the count is `after`. */
  sentence(after) {
    const waited = this.size === 0 ? "Nothing was lost."
      : this.size === 1 ? `One action was waiting. It was done once${this.#sum(after)}.`
        : `${this.size} actions were waiting. Each was done once${this.#sum(after)}.`;
    return [this.#what(), waited, this.#time()].filter(Boolean).join(" ");
  }

  #what() {
    return this.why === "deployed" ? "Version 2 runs now. Its state has another shape, and the session goes on." : "";
  }

  /** The sum, if it is right: other windows may have acted meanwhile. */
  #sum(after) {
    const all = [...this.#actions.values()].map((name) => steps[name]);
    if (all.includes(undefined) || this.count === undefined) return "";
    const up = all.filter((step) => step > 0).reduce((sum, step) => sum + step, 0);
    const down = all.filter((step) => step < 0).reduce((sum, step) => sum - step, 0);
    if (this.count + up - down !== after) return "";
    return `: ${signed(this.count)}${up ? ` + ${up}` : ""}${down ? ` − ${down}` : ""} = ${signed(after)}`;
  }

  #time() {
    const away = (this.#back ?? this.#start) - this.#start;
    if (this.why === "cut") return `The link was cut for ${seconds(away)}.`;
    if (this.#serverStart === undefined) return `The server was away for ${seconds(away)}.`;
    const server = seconds(this.#serverStart - this.#start);
    const page = seconds(Math.max(this.#back - this.#serverStart, 0));
    return `The server was dead for ${server}. The page was back ${page} after its start.`;
  }
}
