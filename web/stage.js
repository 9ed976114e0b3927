// The stage: one session on two screens, what goes between them and the server, and buttons that make it hard for them.
//
// The first screen is the page's own, of the app "counter"; the second joins its session as another client. The server is killed by an app of
// its supervisor, which only the page of "ribd demo" knows, and only on the machine where it runs.

import { element } from "./elements.js";
import { connect, webSocket } from "./riblet.js";
import { h, mount } from "./render.js";
import { LinkControls, throttled } from "./inspector-link.js";
import { drawTravel } from "./link-line.js";
import { Absence } from "./stage-return.js";
import { StageLog, StageWire } from "./stage-wire.js";
import { findSupervisor, isSupervised, supervisor } from "./supervisor.js";

const $ = (id) => document.getElementById(id);
const KEY = "riblet:showcase:stage";
const HURRY = 150;
const isUp = ({ status }) => ["live", "resumed", "reset"].includes(status);
const countOf = ({ view }) => view?.nodes[view.root]?.state.count;

const button = (text, name, act, props) =>
  h("button", { type: "button", class: "button", "aria-label": name, onclick: act, ...props }, text);

/** A counter as both screens draw it. The number changes when the server has answered; how many actions wait is below. */
function counter({ count, isNegative, presses }, act) {
  const send = (action) => act(action).catch(() => {});
  return h("div", { class: "duo-counter" },
    h("output", { class: isNegative ? "figure is-negative" : "figure", "aria-label": "Count", style: { "--digits": String(count).length } },
      String(count).replace("-", "−")),
    h("div", { class: "counter-buttons" },
      button("−", "Decrement", () => send("decrement")),
      button("+", "Increment", () => send("increment"), { class: "button button-primary" }),
      presses !== undefined && button("+10", "Add ten", () => send("addTen"))),
    presses !== undefined && h("p", { class: "note" }, `Version 2 · ${presses} ${presses === 1 ? "press" : "presses"}`));
}

/** The views of both screens. */
export const stageViews = { Counter: counter };

/** The part of the page that only the stage has. */
export class Stage {
  #links;
  #secondLinks = new LinkControls();
  #storage;
  #secondChanged;
  #first;
  #second;
  #mounted;
  #control;
  /** Each supervisor has a token of its own. */
  #controlToken;
  #log = new StageLog();
  #wire = new StageWire($("duo-wire"));
  #absence;
  #isScheduled = false;
  /** How often the second screen has joined since it was connected last. */
  #joins = 0;
  #isJoining = false;

  /**
   * @param {import("./inspector-link.js").LinkControls} links - what the first screen's messages go through.
   * @param {Storage | undefined} storage
   * @param {() => void} secondChanged - called when the second screen's client is another one.
   */
  constructor(links, storage, secondChanged) {
    this.#links = links;
    this.#storage = storage;
    this.#secondChanged = secondChanged;
    drawTravel($("duo-line"), this.#secondLinks);
    $("duo-cut").addEventListener("click", () => this.#setCut(!links.isOffline));
    $("duo-slow").addEventListener("click", () => this.#setSlow(links.delay === 0));
    $("duo-kill").addEventListener("click", ({ detail }) => {
      // The second press of a double click does not take back the first.
      if (detail < 2) this.#tell(this.#server?.phase === "dead" ? "start" : "kill");
    });
    $("duo-deploy").addEventListener("click", () => this.#tell("deploy"));
    for (const id of ["duo-kill", "duo-deploy"]) $(id).hidden = !supervisor;
    $("duo-alone").hidden = Boolean(supervisor);
    if (isSupervised) $("duo-alone").textContent = "The button that kills the server is on the computer where the server runs.";
  }

  /** Shows the stage beside a session of the app "counter". */
  show(session) {
    document.body.classList.add("on-stage");
    this.#first = session;
    this.#log.clear();
    this.#joins = 0;
    this.#say("");
    this.#follow("first", session);
    session.addEventListener("status", () => {
      if (!isUp(session)) return;
      this.#join();
      this.#seek();
    });
    if (isUp(session)) this.#join();
    if (supervisor) this.#listen(supervisor);
    this.#schedule();
  }

  hide() {
    document.body.classList.remove("on-stage");
    this.#setCut(false);
    this.#setSlow(false);
    this.#leave();
    this.#control?.close();
    this.#control = this.#first = this.#absence = undefined;
  }

  // The second screen

  /** Joins the first screen's session, unless the second screen is in it already. */
  async #join() {
    const first = this.#first;
    const isJoining = this.#isJoining || this.#second?.status === "connecting";
    if (isJoining || this.#second?.welcome?.sid === first.welcome.sid || this.#joins > 3) return;
    const isStored = !this.#second && this.#storage?.getItem(KEY) != null;
    this.#leave(!isStored);
    this.#joins++;
    this.#isJoining = true;
    try {
      const { token } = isStored ? {} : await first.share("act");
      if (this.#first === first && !this.#second) this.#open(first, token);
    } catch {
      // The first screen's link is gone: its return comes here again.
    } finally {
      this.#isJoining = false;
    }
  }

  #open(first, share) {
    const session = connect(location.origin, {
      ...(share && { share }), storage: this.#storage, key: KEY, client: { name: "stage", locale: navigator.language },
      transports: [throttled("WebSocket", webSocket, this.#secondLinks)],
    });
    this.#second = session;
    this.#follow("second", session);
    session.addEventListener("status", () => {
      if (this.#second !== session) return;
      this.#secondChanged();
      if (isUp(session)) this.#joins = 0;
      const isOther = isUp(session) && isUp(first) && session.welcome.sid !== first.welcome.sid;
      if (session.status === "ended" || session.status === "signedOut" || isOther) {
        this.#leave(true);
        if (isUp(first)) this.#join();
      }
    });
    this.#mounted = mount(session, $("duo-screen"), { views: stageViews });
  }

  #leave(forgets = false) {
    const [second, mounted] = [this.#second, this.#mounted];
    // First: the session says that it has ended, and what waits in it is kept.
    this.#second = this.#mounted = undefined;
    mounted?.unmount();
    second?.close();
    if (!forgets) return;
    this.#storage?.removeItem(KEY);
    this.#log.renew("second");
  }

  /** The number of the second screen's client; undefined without one. */
  get secondClient() {
    return this.#second?.welcome?.cid;
  }

  /** Whether the second screen is on its way into the session, and its client’s number is not known. */
  get isJoining() {
    return this.#isJoining || (this.#second !== undefined && !isUp(this.#second));
  }

  // What happens

  get #sessions() {
    return [this.#first, this.#second].filter(Boolean);
  }

  #follow(side, session) {
    const isShown = () => this.#sessions.includes(session);
    const on = (name, run) => session.addEventListener(name, ({ detail }) => {
      if (!isShown()) return;
      run(detail);
      this.#schedule();
    });
    on("message", ({ direction, text }) => direction === "in" && this.#log.noteMessage(side, text));
    on("pending", ({ pending }) => {
      this.#log.notePending(side, pending);
      this.#noteWaiting(side, pending);
    });
    on("outcome", ({ n, status }) => {
      this.#log.noteOutcome(side, n, status);
      this.#absence?.noteOutcome(side, n, status);
    });
    on("change", () => {});
    on("status", ({ status }) => {
      if (status === "reconnecting") this.#lose(side, session);
      // Not when it is drawn: a hidden page draws nothing.
      if (this.#sessions.every(isUp)) this.#absence?.noteBack(performance.now());
      if (status !== "reset") return;
      this.#log.clear();
      this.#absence?.noteReset();
    });
    this.#log.notePending(side, session.pending);
  }

  #lose(side, session) {
    if (this.#absence || (this.#links.isOffline && side !== "first")) return;
    this.#absence = new Absence({
      now: performance.now(), count: countOf(session), isCut: this.#links.isOffline, version: this.#server?.version,
    });
    for (const [index, { pending }] of this.#sessions.entries()) this.#noteWaiting(["first", "second"][index], pending);
    this.#say("");
  }

  /** Notes what waits in an absence; only the first screen's link is cut by the page. */
  #noteWaiting(side, pending) {
    if (side === "first" || !this.#absence?.isCut) this.#absence?.notePending(side, pending);
  }

  /** Says what became of an absence, once both screens are back and everything is answered. */
  #conclude() {
    if (!this.#absence || !this.#sessions.every(isUp)) return;
    if (this.#sessions.some(({ pending }) => pending.length > 0)) return;
    const [first, second] = this.#sessions.map(countOf);
    if (second !== undefined && second !== first) return;
    this.#say(this.#absence.sentence(first, this.#server?.version));
    this.#absence = undefined;
  }

  // The supervisor

  /** The supervisor's word on the server; undefined if there is no supervisor, or it does not answer. */
  get #server() {
    const view = this.#control && isUp(this.#control) ? this.#control.view : undefined;
    return view?.nodes[view.root]?.state;
  }

  #listen({ url, token }) {
    this.#controlToken = token;
    const control = (this.#control = connect(url, { app: "demo", auth: () => token, client: { name: "stage" } }));
    let last;
    const look = () => {
      const server = this.#server;
      if (server?.phase === "running" && last && last !== server.process) {
        this.#absence?.noteServer(performance.now());
        this.#hurry();
      }
      if (server?.phase === "running") last = server.process;
      this.#schedule();
    };
    for (const name of ["change", "status"]) control.addEventListener(name, () => this.#control === control && look());
    control.addEventListener("attempt", ({ detail: { wait } }) => wait !== undefined && this.#control === control && this.#seek());
  }

  /** Asks the server for its supervisor if that does not answer: it is at another address once it was started again by hand. */
  async #seek() {
    const control = this.#control;
    if (!control || control.nextAttempt === undefined || !isUp(this.#first)) return;
    await findSupervisor().catch(() => {});
    if (this.#control !== control || !supervisor || supervisor.token === this.#controlToken) return;
    control.close();
    this.#listen(supervisor);
  }

  #tell(action) {
    // Not later: what the button says is of now.
    if (this.#server) this.#control.act("", action).catch(() => {});
  }

  /** Has the screens try at once, and often, as the server is known to start. */
  #hurry(tries = 40) {
    const waiting = this.#sessions.filter((session) => session.nextAttempt !== undefined);
    for (const session of waiting) session.reconnect();
    if (tries > 0 && this.#sessions.some((session) => !isUp(session))) setTimeout(() => this.#hurry(tries - 1), HURRY);
  }

  // The link of the first screen

  #setCut(isCut) {
    if (isCut === this.#links.isOffline) return;
    if (isCut) this.#links.goOffline();
    else this.#links.goOnline();
    this.#schedule();
  }

  #setSlow(isSlow) {
    this.#links.delay = isSlow ? 500 : 0;
    this.#schedule();
  }

  // Drawing

  /** Says what has happened. Lines end between sentences where they can, and never in a sum. */
  #say(text) {
    const sentences = text.replaceAll(/ ([+−=]) /g, "\u00a0$1\u00a0").split(/(?<=\.) /).filter(Boolean);
    $("duo-result").replaceChildren(...sentences.flatMap((sentence) => [element("span", {}, sentence), " "]));
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (this.#first) this.#draw();
    });
  }

  #draw() {
    this.#conclude();
    this.#wire.draw(this.#log, 8);
    const server = this.#server;
    const isAlive = server ? server.phase === "running" : this.#isFirstAttempt || this.#sessions.some(isUp);
    $("duo-server").dataset.phase = isAlive ? "running" : "dead";
    $("duo-server").textContent = this.#serverWords(server, isAlive);
    const isDead = server?.phase === "dead";
    $("duo-kill").textContent = isDead ? `Start it now${server.secondsLeft ? ` (${server.secondsLeft} s)` : ""}` : "Kill the server";
    $("duo-kill").classList.toggle("button-start", isDead);
    $("duo-kill").disabled = !server || ["starting", "stopping"].includes(server.phase);
    $("duo-deploy").disabled = server?.phase !== "running" || server.version > 1;
    $("duo-deploy").textContent = server?.version > 1 ? "Version 2 is deployed" : "Deploy version 2";
    $("duo-cut").textContent = this.#links.isOffline ? "Join the left link" : "Cut the left link";
    $("duo-slow").setAttribute("aria-pressed", String(this.#links.delay > 0));
    for (const [id, session] of [["duo-waiting-1", this.#first], ["duo-waiting-2", this.#second]]) {
      const count = session?.pending.length ?? 0;
      $(id).textContent = count ? `${count} waiting` : "";
    }
    $("duo-link").dataset.link = this.#second && isUp(this.#second) ? "up" : "down";
  }

  /** Whether the page waits for the first answer, so that nothing is known of the server. */
  get #isFirstAttempt() {
    const { status, nextAttempt } = this.#control ?? this.#first;
    return status === "connecting" && nextAttempt === undefined;
  }

  #serverWords(server, isAlive) {
    if (!server && this.#isFirstAttempt) return "Server";
    if (!server && supervisor) return "The supervisor does not answer";
    if (!server) return isAlive ? "The server runs" : "The server does not answer";
    const { phase, process, version, secondsLeft } = server;
    if (phase === "running") return `Server · process ${process}${version > 1 ? ` · version ${version}` : ""}`;
    if (phase === "stopping") return `Process ${process} stops`;
    if (phase === "starting") return `Process ${process} starts`;
    return `Process ${process} is dead${secondsLeft ? ` · restart in ${secondsLeft} s` : ""}`;
  }
}
