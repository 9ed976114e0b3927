// The showcase page: the list of apps, one session for the app that is shown, and what is said about both.
//
// There is one connection at a time. The session of an app that is left is closed without a word, and goes on when
// the app is shown again, as it does after a reload: what resumes it is in the tab's session storage.

import { connect, eventStream, webSocket } from "./riblet.js";
import { mount } from "./render.js";
import { apps, predictions } from "./apps.js";
import { element } from "./elements.js";
import { focusKeeper } from "./focus.js";
import { LinkControls, throttled } from "./inspector-link.js";
import { drawTravel } from "./link-line.js";
import { openWindow } from "./second-window.js";
import { Person } from "./sign-in.js";
import { Stage, stageViews } from "./stage.js";
import { failures, types } from "./views-parts.js";

const $ = (id) => document.getElementById(id);
const links = new LinkControls();
const transports = {
  webSocket: throttled("WebSocket", webSocket, links),
  eventStream: throttled("SSE", eventStream, links),
};
/** What is tried, by what was chosen: without WebSocket the page goes on over HTTP. */
const order = { webSocket: [transports.webSocket, transports.eventStream], eventStream: [transports.eventStream] };
const settings = { transport: "webSocket", isGeneric: false, isOptimistic: true };

/** Where a reload finds the sessions; a browser that keeps nothing of sites throws when it is asked. */
const storage = (() => {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
})();

/** The page's user, and the apps that require one to sign in; of other apps this is learned when they are opened. */
const person = new Person(storage);
const wanting = new Set(Object.keys(apps).filter((name) => apps[name].wantsPerson));

/** What draws the apps: `{generic}`. The page opens on the stage, which does without. */
let drawing;
/** What is beside an app: `{panel, sent, dialog, showCode, markTab}`, the inspector, what was sent, the dialog to hand off, the code and the tabs. */
let tools;
/** What the session that is shown has exchanged before there was an inspector. */
let earlier = [];

/** Loads what the stage does without; all modules at once, as each that asks for others would take a round trip more. */
function load() {
  load.attempt ??= begin().catch(({ message }) => {
    load.attempt = undefined;
    // A server that is away has no modules: the next attempt is made when the session is back.
    if (load.hasFailed) say(`A part of the page could not be loaded: ${message}. Load the page again.`, "failure");
    load.hasFailed = true;
  });
  async function begin() {
    const others = Promise.all([
      import("./inspector.js"), import("./compose.js"), import("./handoff.js"), import("./code.js"),
      import("./inspector-parts.js"), import("./inspector-views.js"), import("./inspector-wire.js"),
    ]);
    // It is waited for below, and its failure must not be one that nobody waits for.
    others.catch(() => {});
    const [{ generic }] = await Promise.all([
      import("./generic.js"), import("./views-catalog.js"), import("./views-navigation.js"), import("./views-services.js"),
    ]);
    drawing = { generic };
    if (!shown.isStaged) draw();
    useTools(await others);
  }
}

/** The stage shows this app: one session on two screens. */
const staged = "counter";

/** The app that is shown, and its session: `{app, key, isJoined, isStaged, session, mounted}`. */
let shown;

// The address: /#/ for the stage, /#/counter, /#/counter?share=TOKEN to join, /#/counter?joined afterwards.

function address() {
  const [, app, query] = /^#\/([^?]+)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const parameters = new URLSearchParams(query);
  return { app: app && decoded(app), share: parameters.get("share"), isJoined: parameters.has("joined") };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const addressOf = (app) => `#/${encodeURIComponent(app)}`;

const keyOf = (app, isJoined) => `riblet:showcase:${isJoined ? "joined:" : ""}${app}`;

// Sessions

/** The hooks ask each time: prediction can be turned off while a session is shown. */
const optimistic = Object.fromEntries(Object.entries(predictions).map(([type, predict]) =>
  [type, (state, action) => (settings.isOptimistic ? predict(state, action) : state)]));

function open(app, share, isJoined, isStaged = false) {
  earlier = [];
  const key = keyOf(app, isJoined);
  let isKnown = false;
  const session = connect(location.origin, {
    ...(share ? { share } : isJoined ? {} : { app }),
    storage,
    key,
    // The stage shows what the server has answered, and what waits beside it.
    optimistic: isStaged ? {} : optimistic,
    auth: () => (wanting.has(app) ? person.token(isKnown) : null),
    client: { name: "showcase", locale: navigator.language },
    features: ["clients"],
    transports: order[settings.transport],
  });
  session.addEventListener("change", () => (isKnown = true), { once: true });
  session.addEventListener("status", () => isShown(session) && isUp(session.status) && load.hasFailed && !tools && load());
  session.addEventListener("message", ({ detail }) => {
    if (isShown(session) && !tools && earlier.push(detail) > 200) earlier.shift();
  });
  shown = { app, key, isJoined, isStaged, session };
  for (const name of ["status", "notice", "stored"]) session.addEventListener(name, () => isShown(session) && drawStatus());
  for (const name of ["status", "clients"]) session.addEventListener(name, () => isShown(session) && drawCompany());
  session.addEventListener("status", () => isShown(session) && sayStatus(session));
  session.addEventListener("pending", () => isShown(session) && drawPending(session));
  // After all that listens to the change has drawn it.
  session.addEventListener("change", () => queueMicrotask(keepFocus));
  session.addEventListener("outcome", ({ detail }) => isShown(session) && sayOutcome(detail));
  session.addEventListener("stored", ({ detail }) => {
    if (detail.reason === "damaged") {
      say("The page cannot read what it has stored. A new session begins, and unsent actions are lost.", "failure");
    } else if (detail.reason === "full") {
      say("The browser’s storage is full. A reload loses the session and its unsent actions.", "failure");
    }
  });
  session.addEventListener("lost", ({ detail }) => {
    say(`The server has lost ${detail.count} of your actions in a crash. Its store does not survive such a crash.`, "failure");
  });
  draw();
  if (isStaged) stage.show(session);
  tools?.sent.follow(session);
  tools?.panel.show(session, { key });
  drawStatus();
  drawCompany();
  drawPending(session);
  drawEnding(session);
}

const isShown = (session) => shown?.session === session;

function close() {
  const { mounted, session, isStaged } = shown ?? {};
  // First: what the session says while it is closed is not shown any more.
  shown = undefined;
  if (isStaged) stage.hide();
  mounted?.unmount();
  session?.close();
}

function reopen() {
  const { app, isJoined, isStaged } = shown;
  close();
  open(app, undefined, isJoined, isStaged);
}

async function beginAnew() {
  const { session, app, isStaged } = shown;
  // Without a link nobody can be told: the session then ends by itself, when its time is over.
  await Promise.race([session.end(), new Promise((resolve) => setTimeout(resolve, 1500))]).catch(() => {});
  if (!isShown(session)) return;
  close();
  if (!isStaged && location.hash !== addressOf(app)) history.replaceState(null, "", addressOf(app));
  open(app, undefined, false, isStaged);
}

function draw() {
  const { session } = shown;
  shown.mounted?.unmount();
  if (session.status === "signedOut" && !wasEnded(session)) return askWho(session.reason);
  if (shown.isStaged) return (shown.mounted = mount(session, $("screen"), { views: stageViews }));
  if (!drawing) return load();
  const fallback = drawing.generic({ app: shown.app });
  const views = settings.isGeneric ? Object.fromEntries(types.map((type) => [type, fallback])) : {};
  shown.mounted = mount(session, $("screen"), { views, fallback, history: true });
}

/** Whether the session was ended by the server: nobody has signed in on this page, so that nobody was signed out. */
function wasEnded({ status, reason }) {
  // Decided once: the form to sign in forgets who the user was.
  if (status === "signedOut") shown.wasEnded ??= reason?.code === "revoked" && !person.isKnown;
  return shown.wasEnded === true;
}

/** Shows the form to sign in, in the place of the app. */
function askWho(reason) {
  const { app } = shown;
  if (!wanting.has(app)) {
    wanting.add(app);
    if (person.isKnown) return reopen();
  }
  shown.mounted = person.ask($("screen"), reason, reopen);
}

/** Shows what the address says. */
function follow() {
  const { app = staged, share, isJoined } = address();
  const isStaged = address().app === undefined;
  if (share) {
    // The token opens a session: it is neither left in the history nor in what is copied from the address bar.
    history.replaceState(null, "", `${addressOf(app)}?joined`);
    storage?.removeItem(keyOf(app, true));
  }
  const joins = share || (isJoined && storage?.getItem(keyOf(app, true)) != null);
  if (shown?.app === app && shown.isStaged === isStaged && shown.isJoined === Boolean(joins) && !share) return;
  if (shown) scrollTo(0, 0);
  close();
  clearNotices();
  tools?.dialog.close();
  // Each app begins with its own view.
  settings.isGeneric = false;
  tools?.markTab(false);
  // First, as the answer takes a while.
  open(app, share, Boolean(joins), isStaged);
  drawApp(app, isStaged);
  document.body.classList.remove("is-opening");
}

// What is said

const statusWords = {
  connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", resumed: "Live, resumed",
  reset: "Live, new session", signedOut: "Signed out", ended: "Ended",
};
const durabilityWords = { disk: "kept on disk", process: "survives kill -9", none: "kept in memory only" };
const isUp = (status) => ["live", "resumed", "reset"].includes(status);
const isOver = (status) => ["signedOut", "ended"].includes(status);

function drawStatus() {
  const { status, durability, stored } = shown.session;
  const words = [statusWords[wasEnded(shown.session) ? "ended" : status] ?? status];
  if (isUp(status) && durability) words.push(durabilityWords[durability] ?? durability);
  if (isUp(status) && storage && !stored) words.push("lost if you reload");
  const text = words.join(" · ");
  if ($("status-words").textContent !== text) $("status-words").textContent = text;
  $("status").dataset.status = isUp(status) ? "live" : status;
  $("status").dataset.durability = durability ?? "";
  $("link").dataset.link = isUp(status) ? "up" : isOver(status) ? "ended" : "down";
}

/** Says whose session it is, what this page may do in it, and who else is there. */
function drawCompany() {
  const { isJoined, isStaged, session: { welcome, scope, clients, status } } = shown;
  $("screen").dataset.scope = scope;
  // The second screen would be taken for another person’s client.
  if (isStaged && stage.isJoining) return;
  const words = [];
  if (isJoined && welcome && !isOver(status)) {
    words.push(scope === "view" ? "You may only look at this session. Its owner acts, so you cannot press anything here."
      : "You have joined another person’s session. Your actions change their screen too.");
  }
  const own = [welcome?.cid, stage.secondClient];
  const others = isOver(status) ? [] : clients.filter(({ cid }) => !own.includes(cid));
  const looking = others.filter((client) => client.scope === "view").length;
  if (others.length) {
    const who = others.length === 1 ? "Another client is here" : `${others.length} other clients are here`;
    const how = looking === others.length ? " and may only look" : looking ? `, and ${looking} of them may only look` : "";
    words.push(`${who}${how}.`);
  }
  const text = words.join(" ");
  if ($("company").textContent !== text) $("company").textContent = text;
}

function sayStatus(session) {
  if (session.status === "reset") {
    say("The server no longer knew the old session. This is a new session.", "failure");
  }
  if (session.status === "signedOut" && !wasEnded(session)) {
    draw();
    keepFocus();
  }
  drawEnding(session);
}

const endings = {
  taken: "The session continues elsewhere", denied: "This link no longer works", full: "The server has no room for another session",
};

/** Says, in the app's place, that there is no such app, or below what it was, that the session is over: nothing can be pressed any more. */
function drawEnding(session) {
  const { status, reason } = session;
  const isOver = wasEnded(session) || (status === "ended" && reason?.code !== "closed");
  $("screen").inert = isOver;
  // Nothing is locked in with what is over.
  if (isOver) for (const dialog of $("screen").querySelectorAll("dialog[open]")) dialog.close();
  $("ending").hidden = !isOver;
  if (!isOver) return $("ending").replaceChildren();
  const again = element("button", { type: "button", className: "button button-primary", textContent: "Start a new session" });
  again.addEventListener("click", beginAnew);
  if (reason?.code === "unknown_app") {
    const names = [...$("apps").querySelectorAll("a")].map((link) => element("li", {}, element("a", {
      href: link.getAttribute("href"), textContent: link.querySelector(".app-title").textContent,
    })));
    return $("ending").replaceChildren(
      element("h3", { className: "screen-title" }, `This server has no app “${shown.app}”`),
      element("p", { className: "note" }, "The server has these apps:"), element("ul", { className: "ending-apps" }, ...names));
  }
  const why = reason?.code === "ended" ? "" : reason?.message;
  $("ending").replaceChildren(
    element("h3", { className: "screen-title" }, endings[reason?.code] ?? "The session has ended"),
    element("p", { className: "note" }, why || "The session was ended here, or on another screen."), again);
}

let patience;

/** How many actions wait is seen at once, and said only if it lasts: each click would be spoken otherwise. */
function drawPending({ pending }) {
  const count = pending.length;
  $("status-pending").textContent = `${count} waiting`;
  $("status").classList.toggle("has-pending", count > 0);
  clearTimeout(patience);
  if (count === 0) $("status-patience").textContent = "";
  else patience = setTimeout(() => ($("status-patience").textContent = `, ${count} waiting for an answer`), 1000);
}

/** Shows a message below the app until it is dismissed, or three newer ones have come. */
function say(text, kind = "", action) {
  const notice = element("div", { className: `notice ${kind ? `notice-${kind}` : ""}` }, element("p", { textContent: text }));
  const add = (label, run, className = "button button-quiet") => {
    const button = element("button", { type: "button", className, textContent: label });
    button.addEventListener("click", () => {
      notice.remove();
      run?.();
    });
    notice.append(button);
  };
  if (action) add(action.text, action.run, "button");
  add("Dismiss");
  $("notices").append(notice);
  while ($("notices").childElementCount > 3) $("notices").firstElementChild.remove();
  notice.scrollIntoView({ block: "nearest" });
}

const clearNotices = () => $("notices").replaceChildren();

/** Says what has become of an action, unless it was done. The generic renderer says so itself, beside the form, unless a
 *  reload has come between. */
function sayOutcome({ action = "back", secret, status, nack, message }) {
  const name = secret ? "your input" : typeof action === "string" ? action : Object.keys(action)[0];
  const isSaidElsewhere = settings.isGeneric && nack?.code !== "lost_body";
  if (status === "unsent") say(`Not sent: ${name}. ${message}`, "failure");
  if (status === "unknown") say(`Unknown: ${name} may have been done or not.`, "failure");
  if (status === "refused" && !isSaidElsewhere) say(`Refused: ${name}. ${nack.message}`, "failure");
}

failures.addEventListener("unsent", ({ detail: { session, message } }) => {
  if (isShown(session)) say(`Not sent: ${message}`, "failure");
});

// The list of apps

/** The apps that the server has said it has. */
let served;

const stageText = {
  title: "One session on two screens. Now kill the server.",
  more: "The counter runs on the server, and both screens draw it. The server does each click once, even if it dies in between.",
};

function drawApp(name, isStaged = false) {
  drawTab();
  const known = isStaged ? stageText : apps[name];
  const title = known?.title ?? name;
  document.title = isStaged ? "RibServer" : `${title} – RibServer showcase`;
  $("app-title").textContent = title;
  const isMissing = served && !served.includes(name);
  $("app-about").textContent = isMissing ? "The server has no app of this name."
    : known?.more ?? "This page has no view for the app, and draws it from the app’s schema.";
  $("screen").dataset.app = name;
  tools?.showCode($("code"), apps[name]?.code);
  for (const link of $("apps").querySelectorAll("a")) {
    if (link.dataset.app === (isStaged ? "" : name)) {
      link.setAttribute("aria-current", "page");
      requestAnimationFrame(() => {
        const top = scrollY;
        link.scrollIntoView({ block: "nearest", inline: "center" });
        // The list alone, and not the page.
        scrollTo(scrollX, top);
      });
    } else {
      link.removeAttribute("aria-current");
    }
  }
}

const stageItem = { title: "Two screens", about: "One session, and a button that kills its server" };

/** Shows what belongs to the tab: what was sent, or the app's code. */
function drawTab() {
  const isComposing = settings.isGeneric && !shown.isStaged;
  $("sent").hidden = !isComposing;
  $("code").hidden = isComposing || !apps[shown.app]?.code;
  tools?.sent.draw();
}

/** The item of an app; of the stage, which is no app, without a name. */
function appItem(name) {
  const { title = name, about = "drawn from its schema" } = name === "" ? stageItem : apps[name] ?? {};
  const link = element("a", { href: name === "" ? "#/" : addressOf(name), className: "app" },
    element("span", { className: "app-title", textContent: title }), " ",
    element("span", { className: "app-about", textContent: about }));
  link.dataset.app = name;
  return element("li", {}, link);
}

function drawApps(apps) {
  const names = ["", ...apps];
  const drawn = [...$("apps").querySelectorAll("a")].map((link) => link.dataset.app);
  if (drawn.join() !== names.join()) $("apps").replaceChildren(...names.map(appItem));
}

/** The server says which apps there are; what it adds to those that are known comes at the end. */
async function loadApps() {
  try {
    const answer = await fetch("/v1/apps");
    const { apps: names } = await answer.json();
    served = names;
    drawApps([...Object.keys(apps).filter((name) => names.includes(name)), ...names.filter((name) => !(name in apps))]);
    if (shown) drawApp(shown.app, shown.isStaged);
  } catch {
    say("The server does not answer. The page continues as soon as the server answers.");
  }
}

// The part of the address after # is the app's, so a link within the page moves the focus by itself.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("main").focus();
});

/** Brings to life what is beside an app. */
function useTools([{ mountInspector }, { bindAppTabs, SentActions }, { handoff }, { showCode }]) {
  const panel = mountInspector($("inspector"), {
    links,
    async verify() {
      try {
        const isSame = await shown.session.check();
        if (isSame) say("Verified: the page and the server have the same document.");
        else say("The page’s document was not the server’s. The page has fetched it again.", "failure");
      } catch (error) {
        say(`Not verified: ${error.message}`, "failure");
      }
    },
    beginAnew,
    setTransport(name) {
      settings.transport = name;
      reopen();
    },
    elementsOf: (id) => shown.mounted?.elementsOf?.(id) ?? [],
    predicted: "the counter",
    setOptimistic(isOn) {
      settings.isOptimistic = isOn;
    },
  });
  const sent = new SentActions($("sent-list"));
  const markTab = bindAppTabs($("app-tabs"), (isComposing) => {
    settings.isGeneric = isComposing;
    drawTab();
    draw();
  });
  tools = { panel, sent, dialog: handoff(() => shown), showCode, markTab };
  const { session, key, app } = shown;
  sent.follow(session);
  panel.show(session, { key, earlier });
  showCode($("code"), apps[app]?.code);
}

// All of it

const keepFocus = focusKeeper($("screen"));
const stage = new Stage(links, storage, () => shown && drawCompany());
drawTravel($("link-line"), links);
for (const id of ["window-open", "handoff-window"]) {
  $(id).addEventListener("click", () => {
    tools?.dialog.close();
    openWindow(shown).catch(({ message }) => say(`The second window did not open: ${message}`, "failure"));
  });
}

drawApps(Object.keys(apps));
addEventListener("hashchange", follow);
follow();
loadApps();
// Once the first screen is there: what comes with the next app is here then, and the code below is shown.
shown.session.addEventListener("change", () => setTimeout(load, 200), { once: true });
