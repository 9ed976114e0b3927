// The inspector's page: a token, one session of the app "inspector" on the admin listener, and what is said about both.

import { connect } from "./riblet.js";
import { mount } from "./render.js";
import { element } from "./elements.js";
import { focusKeeper } from "./focus.js";
import { clock, short } from "./admin-format.js";
import { keepTime } from "./admin-parts.js";
import { actionFor, addressOf, placeIn, placeOf } from "./admin-place.js";
import { titles } from "./admin-root.js";
import { Door, Token } from "./admin-token.js";
import { failures } from "./views-parts.js";
import "./admin-overview.js";
import "./admin-sessions.js";
import "./admin-session.js";
import "./admin-riblets.js";
import "./admin-server.js";
import "./admin-log.js";

const $ = (id) => document.getElementById(id);
const key = "ribserver:inspector";

/** Where a reload finds the token and the session; a browser that keeps nothing of sites throws when it is asked. */
const storage = (() => {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
})();

const token = new Token(storage);
const door = new Door((value) => {
  token.keep(value);
  open();
});

/** What is shown: `{session, mounted, mayOperate, hasPlace, isLeaving}`; nothing while the operator is asked for a token. */
let shown;
/** The address that the server was asked to go to, and has not answered yet; and the one that the page has heard of. */
let goal, known;

// The session

function open() {
  const session = connect(location.origin, {
    app: "inspector", storage, key, auth: () => token.value ?? null, client: { name: "inspector", locale: navigator.language },
  });
  shown = { session, hasPlace: false };
  session.addEventListener("status", () => isShown(session) && follow(session));
  session.addEventListener("change", () => {
    if (!isShown(session)) return;
    drawOperator(session);
    followView();
    // After all that listens to the change has drawn it.
    queueMicrotask(keepFocus);
  });
  session.addEventListener("outcome", ({ detail }) => isShown(session) && sayOutcome(detail));
  $("operator").hidden = false;
  $("ending").hidden = true;
  draw();
  follow(session);
}

const isShown = (session) => shown?.session === session;

function draw() {
  shown.mounted?.unmount();
  shown.mounted = mount(shown.session, $("screen"));
}

function close() {
  const { mounted, session } = shown ?? {};
  // First: what the session says while it is closed is not shown any more.
  shown = goal = undefined;
  mounted?.unmount();
  session?.close();
  $("operator").hidden = $("ending").hidden = true;
  $("away").replaceChildren();
  $("notices").replaceChildren();
  document.body.classList.remove("is-away");
}

/** Forgets the token and the session, and asks for another token. */
function leave(problem) {
  close();
  token.forget();
  storage?.removeItem(key);
  document.title = "RibServer inspector";
  door.show(problem);
}

$("leave").addEventListener("click", async () => {
  const { session } = shown;
  // That it ends is no news.
  shown.isLeaving = true;
  // Without a link nobody can be told: the session then ends by itself, when its time is over.
  await Promise.race([session.end(), new Promise((resolve) => setTimeout(resolve, 1000))]).catch(() => {});
  if (isShown(session)) leave();
});

// What is said

const words = {
  connecting: "Connecting…", live: "Live", resumed: "Live", reset: "Live", reconnecting: "Reconnecting…", signedOut: "Signed out", ended: "Ended",
};

function follow(session) {
  const { status, reason } = session;
  if (shown.isLeaving) return;
  const isUp = ["live", "resumed", "reset"].includes(status);
  $("status-words").textContent = words[status] ?? status;
  $("status").dataset.status = isUp ? "live" : status;
  if (status === "reset") shown.hasPlace = false;
  if (status === "signedOut") return leave("over");
  document.body.classList.toggle("is-away", !isUp && Boolean(session.view));
  drawAway(isUp, session);
  if (status === "ended") drawEnding(reason);
}

/** Says since when the figures are old. */
function drawAway(isUp, { status, view }) {
  if (isUp || !view || status === "ended") return $("away").replaceChildren();
  if ($("away").hasChildNodes()) return;
  $("away").replaceChildren(element("p", {},
    element("strong", {}, `No connection since ${clock(Date.now()).slice(0, 8)}. `),
    "The figures below are from then. The page updates as soon as the server answers."));
}

const endings = {
  taken: "This session of the inspector continues in another tab", full: "The admin listener has no room for another session",
  unknown_app: "This server has no inspector",
};
const reasons = {
  taken: "Only one tab at a time can show a session.", ended: "The session was ended elsewhere.", full: "Close another session of the inspector, or wait a moment.",
  unknown_app: "This server was built without the inspector: see RibInspector.",
};

function drawEnding({ code, message } = {}) {
  shown.mounted?.unmount();
  shown.mounted = undefined;
  document.body.classList.remove("is-away");
  const again = element("button", { type: "button", className: "button button-primary", textContent: "Start a new session" });
  again.addEventListener("click", () => {
    close();
    storage?.removeItem(key);
    open();
  });
  $("ending").hidden = false;
  $("ending").replaceChildren(
    element("h2", { className: "door-title" }, endings[code] ?? "This session of the inspector has ended"),
    element("p", {}, reasons[code] ?? message ?? ""), again);
}

function drawOperator(session) {
  const { name, mayOperate } = session.node()?.state ?? {};
  const text = name === undefined ? "" : `${name || "An operator"}, ${mayOperate ? "may operate" : "may look"}`;
  if ($("who").textContent !== text) $("who").textContent = text;
  // Rows have buttons, or none, and are drawn again only if they change.
  if (shown.mayOperate !== undefined && shown.mayOperate !== mayOperate) draw();
  shown.mayOperate = mayOperate;
}

/** Shows a message until it is dismissed, or two newer ones have come. */
function say(text) {
  const dismiss = element("button", { type: "button", className: "button button-quiet", textContent: "Dismiss" });
  const notice = element("div", { className: "notice notice-failure" }, element("p", {}, text), dismiss);
  dismiss.addEventListener("click", () => notice.remove());
  $("notices").append(notice);
  while ($("notices").childElementCount > 2) $("notices").firstElementChild.remove();
  notice.scrollIntoView({ block: "nearest" });
}

/** Says what has become of an action, unless it was done. */
function sayOutcome({ status, nack, message }) {
  if (status === "refused") say(`Refused: ${nack.message}`);
  if (status === "unsent") say(`Not done: ${message}`);
  if (status === "unknown") say("The connection ended before the answer came. Check whether the action was done.");
}

failures.addEventListener("unsent", ({ detail: { session, message } }) => isShown(session) && say(`Not done: ${message}`));

// Where the operator is

/** Asks the server to go to a place, and has the address follow it. */
async function go(place) {
  const { session } = shown;
  const address = goal = addressOf(place);
  await session.act("", actionFor(place)).catch(() => {});
  if (goal !== address) return;
  goal = undefined;
  if (isShown(session)) followView();
}

/** The page that an address names, if there is one. */
function wanted() {
  const place = placeOf(location.hash);
  return place?.session !== undefined || shown.session.node()?.state.pages.includes(place?.page) ? place : undefined;
}

/** Has the address say what the view shows; at first it is the other way round. */
function followView() {
  const { session, hasPlace } = shown;
  const place = placeIn(session.view);
  if (!place) return;
  document.title = `${titles[place.page] ?? `Session ${short(place.session ?? "")}`} – RibServer inspector`;
  if (!hasPlace) {
    shown.hasPlace = true;
    known = location.hash;
    const first = wanted();
    if (first && addressOf(first) !== addressOf(place)) return go(first);
  }
  // The user has moved, and the page is about to be told: what the view shows is older than that.
  if (goal !== undefined || (hasPlace && location.hash !== known)) return;
  const address = addressOf(place);
  if (location.hash !== address) history[hasPlace && wanted() ? "pushState" : "replaceState"](null, "", address);
  known = location.hash;
}

addEventListener("hashchange", () => {
  known = location.hash;
  if (!shown?.hasPlace) return;
  const place = wanted();
  if (place) go(place);
  else followView();
});

// The part of the address after # is the place, so a link within the page moves the focus by itself.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus();
});

const keepFocus = focusKeeper($("screen"));
keepTime();
if (token.value === undefined) door.show();
else open();
