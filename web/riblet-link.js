// When to connect and over which transport, when to ask whether the server is there, and when to give it up.

/** How long what may take, in milliseconds. */
export const times = {
  /** The page has got a credential. */
  credential: 30_000,
  /** A transport has opened a connection; twice as long each time that all transports were tried. */
  open: 4000,
  /** The server has greeted: its authenticator has 10 s. */
  welcome: 15_000,
  /** The server has answered an action; then it is asked whether it is there. */
  answer: 3000,
  /** The server has answered that question; twice as long after each time that it has not, until more than a welcome has come. */
  patience: 5000,
  /** The server has answered a ping that was only due for the silence, or said anything after as long a silence of its own [heartbeat]. */
  grace: 10_000,
  /** The first transport is tried again, after another one has worked. */
  retry: 300_000,
};

/** When to come back after a connection that ended with this code. A 1000 without `bye` is not the server's: a proxy may end an idle connection so. */
export function returns(code, hasSaidBye = false) {
  if ([1002, 1003, 1007, 1009, 4400].includes(code)) return "asked";
  if (code === 1000 && hasSaidBye) return "never";
  return { 41: "later", 42: "anew", 43: "known", 44: "never" }[Math.floor(code / 100)] ?? "soon";
}

/**
 * The rules of a connection without connection, clock and timers: what happens goes in, with its time, and `step` says what is to be
 * done once the time is `due`.
 *
 * | state    | until                            | then                                    |
 * |----------|----------------------------------|-----------------------------------------|
 * | away     | the next attempt is due          | `open`                                  |
 * | asked    | the page has got a credential    | `giveUp`                                |
 * | opening  | the transport has said hello     | `giveUp`, and the next transport's turn |
 * | greeting | the server has welcomed          | `giveUp`, and the next transport's turn |
 * | live     | a ping is due                    | `ping`                                  |
 * | asking   | anything has come from the server | `giveUp`                               |
 */
export class Link {
  state = "away";
  /** Which transport it is, and which one has worked last. */
  transport = 0;
  #working;
  /** When another than the first was found to work. */
  #movedAt = 0;
  /** What speaks against the transport since it has worked, and how many were given up since one has. */
  #misses = 0;
  #moves = 0;
  #ceiling = 50;
  /** Whether the server has not answered since it was there last: then its first answer is a reason to come back at once. */
  #wasAway = false;
  #until = Infinity;
  #heartbeat = 25_000;
  #heardAt = 0;
  #sentAt = 0;
  #pingedAt = 0;
  /** The last answered action; since when the next one has no answer, and after how long a silence that is doubted. */
  #answered;
  #since;
  #doubt;
  #patience = times.patience;

  constructor(transports, { working, time = 0 } = {}) {
    this.count = transports;
    if (!Number.isInteger(working) || working < 0 || working >= transports) return;
    this.transport = this.#working = working;
    this.#movedAt = time;
  }

  /** The transport that a page after this one should begin with. */
  get working() {
    return this.#working;
  }

  /** When `step` has something to say. */
  get due() {
    if (this.state !== "live") return this.#until;
    const beat = Math.max(this.#pingedAt, Math.min(this.#heardAt, this.#sentAt)) + this.#heartbeat;
    return Math.min(beat, this.#doubtAt, this.#until);
  }

  get #doubtAt() {
    return this.#since === undefined ? Infinity : Math.max(this.#since, this.#heardAt, this.#pingedAt) + this.#doubt;
  }

  /** The page is asked for a credential: nothing else begins meanwhile. */
  ask(time) {
    this.state = "asked";
    this.#until = time + times.credential;
  }

  /** An attempt begins. */
  begin(time) {
    if (this.transport && time - this.#movedAt >= times.retry) {
      this.#movedAt = time;
      this.#misses = this.transport = 0;
    }
    this.state = "opening";
    this.#since = undefined;
    this.#heardAt = this.#sentAt = this.#pingedAt = time;
    this.#until = time + this.#patient(times.open);
  }

  #patient(limit) {
    return Math.min(limit * 2 ** Math.floor(this.#moves / this.count), 30_000);
  }

  /** The transport has a connection, and hello is said on it. */
  opened(time) {
    if (this.state !== "opening") return;
    this.state = "greeting";
    this.#until = time + this.#patient(times.welcome);
  }

  welcomed(time, heartbeat) {
    if (this.transport !== this.#working) this.#movedAt = time;
    this.#working = this.transport;
    this.#misses = this.#moves = 0;
    this.#ceiling = 50;
    this.#wasAway = false;
    this.#heartbeat = heartbeat || 25_000;
    this.state = "live";
    this.#until = Infinity;
    this.#heardAt = time;
  }

  heard(time) {
    this.#heardAt = time;
    if (!/live|asking/.test(this.state)) return;
    this.#patience = times.patience;
    if (this.state === "asking") this.#until = Infinity;
    this.state = "live";
  }

  sent(time) {
    this.#sentAt = time;
  }

  /** Up to action n all is answered, and after it nothing, or something is not. */
  answered(n, isAll, time) {
    if (isAll) {
      this.#since = undefined;
    } else if (this.#since === undefined || n !== this.#answered) {
      this.#since = time;
      this.#doubt = times.answer;
      if (this.state === "asking") this.#until = Math.min(this.#until, time + times.answer + this.#patience);
    }
    this.#answered = n;
  }

  /** Milliseconds until the next attempt; undefined if none is due. */
  wait(time) {
    return this.state === "away" && this.#until < Infinity ? Math.max(0, this.#until - time) : undefined;
  }

  /** The page is seen again, or the network is there: what was may be long over. */
  woke(time) {
    if (this.state === "away") this.#until = time;
    if (/opening|greeting/.test(this.state)) this.#until = Math.min(this.#until, time + this.#patient(times.open));
    if (this.state === "asking") this.#until = Math.min(this.#until, time + this.#patience);
    if (this.state === "live" && time > this.#heardAt) this.#until = time;
  }

  /** What is to be done now: `open`, `ping`, `giveUp` or nothing. */
  step(time) {
    if (time < this.due) return undefined;
    if (this.state === "away") {
      this.#until = Infinity;
      return "open";
    }
    if (this.state !== "live") return "giveUp";
    const isUrgent = time >= this.#until || time >= this.#doubtAt;
    if (time >= this.#doubtAt) this.#doubt = Math.min(2 * this.#doubt, this.#heartbeat);
    this.state = "asking";
    this.#until = isUrgent ? time + this.#patience : Math.max(time, this.#heardAt + this.#heartbeat) + times.grace;
    this.#pingedAt = time;
    return "ping";
  }

  /** The connection has ended, or was given up at its time; what the code says of coming back is done. */
  closed(code, time) {
    const isOver = time >= this.#until;
    // A long view may be on its way, for which what comes after it waits.
    if (this.state === "asking" && isOver) this.#patience = Math.min(2 * this.#patience, this.#heartbeat + times.grace);
    // What the server says of coming back, and what the page does, is no fault of the transport.
    const moves = /opening|greeting/.test(this.state) && (isOver || code < 4000) && this.#fail(isOver);
    this.state = "away";
    const floor = returns(code) === "later" ? 1000 : 0;
    const hasAnswered = code >= 4000;
    if (hasAnswered && this.#wasAway) this.#ceiling = 50;
    this.#wasAway = !hasAnswered;
    this.#ceiling = Math.max(this.#ceiling, 2 * floor);
    // The next transport has not had its turn.
    this.#until = time + (moves && isOver ? 0 : floor + Math.random() * (this.#ceiling - floor));
    if (!moves || !isOver) this.#ceiling = Math.min(2 * this.#ceiling, 30_000);
  }

  /** One that has worked is given up late: as a rule it is the server that is away. Returns whether it is the next one's turn. */
  #fail(isOver) {
    const hasWorked = this.transport === this.#working;
    this.#misses += isOver ? (hasWorked ? 4 : 2) : 1;
    if (this.#misses < (hasWorked ? 16 : 2)) return false;
    this.#misses = 0;
    this.#moves++;
    this.transport = (this.transport + 1) % this.count;
    return this.count > 1;
  }

  /** There is no next attempt, but for one that is asked for. */
  rest() {
    this.state = "away";
    this.#until = Infinity;
  }
}
