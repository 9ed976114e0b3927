// A banner that says when the connection is lost, what waits meanwhile, when the next attempt is, and what has become of what waited.
// riblet-banner.d.ts documents it.

const seconds = (milliseconds) => Math.max(1, Math.ceil(milliseconds / 1000));
const count = (number, one, many) => (number === 1 ? `1 ${one}` : `${number} ${many}`);

/** @type {import("./riblet-banner.d.ts").Words} */
const english = {
  lost: "Connection lost.",
  offline: "This device has no network.",
  waiting: (number) => `${count(number, "action is", "actions are")} saved.`,
  connecting: "Connecting…",
  next: (seconds) => `Next attempt in ${seconds} s.`,
  tryNow: "Try now",
  back: "Connected again.",
  done: (number) => (number === 1 ? "1 action was waiting. It was done once." : `${number} actions were waiting. Each was done once.`),
  mixed: (done, refused, unknown) => [
    done && `${count(done, "action", "actions")} done.`, refused && `${refused} refused.`, unknown && `${unknown} may have been done or not.`,
  ].filter(Boolean).join(" "),
  signedOut: "You are signed out.",
  ended: "The session has ended.",
};

const style = `
  :host { position: sticky; inset-block-start: 0; z-index: 10; display: block; }
  :host([hidden]) { display: none; }
  div {
    display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; padding: .5rem 1rem;
    background: var(--riblet-banner-background, light-dark(#3b2a00, #ffe9a8));
    color: var(--riblet-banner-color, light-dark(#fff6dd, #2b1f00));
    font: .9375rem/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  }
  :host([data-state=back]) div {
    background: var(--riblet-banner-back-background, light-dark(#0b4a34, #b9f0d6));
    color: var(--riblet-banner-back-color, light-dark(#eafff5, #06281b));
  }
  p { margin: 0; }
  .words { flex: 1 1 12rem; }
  button { padding: .25rem .75rem; border: 1px solid; border-radius: .375rem; background: none; color: inherit; font: inherit; cursor: pointer; }
  button:focus-visible { outline: 2px solid; outline-offset: 2px; }
  @media (forced-colors: active) { div { border: 1px solid; } }
`;

/** Milliseconds after which a lost connection is worth a word, and for which it is said that it is back. */
const [delay, stay] = [800, 6000];

/** @type {typeof import("./riblet-banner.d.ts").banner} */
export function banner(session, parent = document.body, words = {}) {
  const say = { ...english, ...words };
  const host = document.createElement("riblet-banner");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [new CSSStyleSheet()];
  root.adoptedStyleSheets[0].replaceSync(style);
  const [box, status, time, button] = ["div", "p", "p", "button"].map((name) => document.createElement(name));
  status.className = "words";
  status.setAttribute("role", "status");
  // It would be spoken each second.
  time.setAttribute("aria-hidden", "true");
  Object.assign(button, { type: "button", textContent: say.tryNow, onclick: () => session.reconnect() });
  box.append(status, time, button);
  root.append(box);
  host.hidden = true;
  parent.prepend(host);

  /** `up`, `lost`, `back` or `over`. */
  let state = "up";
  /** Whether it is lost for long enough to say so. */
  let isSaid = false;
  /** What waited as the connection came back, and what has become of it. */
  let waiting = new Set(), outcomes = [];
  let timer, ticker;

  function draw() {
    clearTimeout(ticker);
    const { status: link, reason, pending, nextAttempt } = session;
    host.dataset.state = state;
    host.hidden = state === "up" || (state === "lost" && !isSaid);
    if (host.hidden) return;
    const isAway = state === "lost";
    const said = {
      lost: () => [navigator.onLine === false ? say.offline : say.lost, pending.length > 0 && say.waiting(pending.length)],
      back: () => [say.back, outcomes.length > 0 && outcomeWords()],
      over: () => [link === "signedOut" ? say.signedOut : say.ended, reason?.message],
    }[state]().filter(Boolean).join(" ");
    if (status.textContent !== said) status.textContent = said;
    time.textContent = !isAway ? "" : nextAttempt === undefined ? say.connecting : say.next(seconds(nextAttempt));
    // It keeps the focus while an attempt is under way.
    button.hidden = !isAway;
    if (isAway && nextAttempt !== undefined) ticker = setTimeout(draw, nextAttempt % 1000 || 1000);
  }

  function outcomeWords() {
    const [done, refused, unknown] = ["applied", "refused", "unknown"].map((status) => outcomes.filter((it) => it === status).length);
    return refused || unknown ? say.mixed(done, refused, unknown) : say.done(done);
  }

  function become(next, after, then) {
    clearTimeout(timer);
    state = next;
    if (then) timer = setTimeout(then, after);
    draw();
  }

  const changed = () => {
    const { status: link } = session;
    if (/^(ended|signedOut)$/.test(link)) {
      become(session.reason?.code === "closed" ? "up" : "over");
    } else if (/^(reconnecting|connecting)$/.test(link)) {
      if (state === "lost") return draw();
      isSaid = false;
      become("lost", delay, () => {
        isSaid = true;
        draw();
      });
    } else if (state === "lost" && isSaid) {
      waiting = new Set(session.pending);
      outcomes = [];
      if (waiting.size) become("back");
      else become("back", stay / 2, () => become("up"));
    } else if (state !== "back") {
      become("up");
    }
  };
  const answered = ({ detail }) => {
    if (state !== "back" || !waiting.size) return;
    const it = [...waiting].find(({ n }) => n === detail.n);
    if (!it) return;
    waiting.delete(it);
    outcomes.push(detail.status);
    // All at once, and not one number after the other.
    if (!waiting.size) become("back", stay, () => become("up"));
  };
  const listeners = { status: changed, outcome: answered, pending: draw, attempt: draw };
  for (const [type, listener] of Object.entries(listeners)) session.addEventListener(type, listener);
  changed();
  return () => {
    for (const [type, listener] of Object.entries(listeners)) session.removeEventListener(type, listener);
    clearTimeout(timer);
    clearTimeout(ticker);
    host.remove();
  };
}
