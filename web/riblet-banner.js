// A banner that says when the connection is lost, what waits meanwhile, when the next attempt is, and what has become of what waited.
// riblet-banner.d.ts documents it.

const seconds = (milliseconds) => Math.max(1, Math.ceil(milliseconds / 1000));
const count = (number, one, many) => (number === 1 ? `1 ${one}` : `${number} ${many}`);

/** @type {import("./riblet-banner.d.ts").Words} */
const english = {
  none: "No connection yet.",
  lost: "Connection lost.",
  offline: "This device has no network.",
  waiting: (number, isStored) => (isStored ? `${count(number, "action is", "actions are")} saved.` : `${count(number, "action waits", "actions wait")}.`),
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

// The box is there before it says something, so that what it says is spoken.
const style = `
  :host { position: sticky; inset-block-start: 0; z-index: 10; display: block; }
  div {
    display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; padding: .5rem 1rem;
    background: var(--riblet-banner-background, light-dark(#3b2a00, #ffe9a8));
    color: var(--riblet-banner-color, light-dark(#fff6dd, #2b1f00));
    font: .9375rem/1.4 system-ui, sans-serif; font-variant-numeric: tabular-nums;
  }
  div.is-empty { padding: 0; background: none; border: 0 !important; }
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
  parent.prepend(host);

  /** `up`, `lost`, `back` or `over`. */
  let state = "up";
  /** Whether it is lost for long enough to say so, and whether it was ever there. */
  let isSaid = false, wasUp = false;
  /** What has become of what waited since the connection was lost, and how many actions still wait for an answer. */
  let outcomes = [], left = 0;
  let timer, ticker;

  function draw() {
    clearTimeout(ticker);
    const { status: link, reason, pending, nextAttempt, stored } = session;
    const isShown = state !== "up" && (state !== "lost" || isSaid), isAway = isShown && state === "lost";
    host.dataset.state = state;
    box.classList.toggle("is-empty", !isShown);
    const said = !isShown ? "" : {
      lost: () => [navigator.onLine === false ? say.offline : wasUp ? say.lost : say.none, pending.length > 0 && say.waiting(pending.length, stored)],
      back: () => [say.back, left === 0 && outcomes.length > 0 && outcomeWords()],
      over: () => [link === "signedOut" ? say.signedOut : say.ended, reason?.message],
    }[state]().filter(Boolean).join(" ");
    if (status.textContent !== said) status.textContent = said;
    time.textContent = !isAway ? "" : nextAttempt === undefined ? say.connecting : say.next(seconds(nextAttempt));
    // It keeps the focus while an attempt is under way.
    button.hidden = time.hidden = !isAway;
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

  /** Says what has become of what waited, for a while, once all of it is answered: all at once, and not one number after the other. */
  function sayBack() {
    if (left > 0) become("back");
    else become("back", outcomes.length ? stay : stay / 2, () => become("up"));
  }

  const changed = () => {
    const { status: link } = session;
    if (/^(ended|signedOut)$/.test(link)) {
      become(session.reason?.code === "closed" ? "up" : "over");
    } else if (/^(reconnecting|connecting)$/.test(link)) {
      if (state === "lost") return draw();
      // The connection is lost again before all outcomes are there: they are kept, and the banner stays.
      isSaid = state === "back" && left > 0;
      if (!isSaid) outcomes = [];
      become("lost", delay, () => {
        isSaid = true;
        draw();
      });
    } else {
      // The first connection is news only if actions waited for it, as after a reload.
      const isNews = state === "lost" && isSaid && (wasUp || session.pending.length + outcomes.length > 0);
      wasUp = true;
      left = isNews ? session.pending.length : 0;
      if (isNews) sayBack();
      else if (state !== "back") become("up");
    }
  };
  const answered = ({ detail }) => {
    // Answers come in the order of the actions, so the first ones are those of what waited.
    if (detail.status === "unsent" || (state !== "lost" && left === 0)) return;
    outcomes.push(detail.status);
    if (state === "back" && --left === 0) sayBack();
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
