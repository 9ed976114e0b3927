// The inspector's own riblet: the list of pages, what is in front, and the question above it.

import { h, modal } from "./render.js";
import { addressOf } from "./admin-place.js";
import { isOpen, screen } from "./views-parts.js";

/** The pages by name: what a person calls them. */
export const titles = {
  overview: "Overview", sessions: "Sessions", riblets: "Riblets", store: "Store", signIn: "Sign-in", settings: "Settings", log: "Log",
  crashes: "Crashes",
};

screen("Inspector", ({ page, pages }, act, children, { session }) => {
  const hasSession = isOpen(children.session);
  const [question] = children.confirm?.ids ?? [];
  return h("div", { class: "desk" },
    h("nav", { class: "pages", "aria-label": "Pages", drawn: (nav) => reveal(nav, `${page} ${children.session?.ids[0] ?? ""}`) },
      h("ul", { class: "pages-list" }, pages.map((name) => h("li", { key: name },
        h("a", {
          class: "page-link", href: addressOf({ page: name }),
          "aria-current": name !== page ? null : hasSession ? "true" : "page",
        }, titles[name] ?? name))))),
    h("div", { class: "sheet" },
      hasSession ? h("div", { key: "session", class: "sheet-page" }, children.session)
        : h("div", { key: page, class: "sheet-page" }, children.page)),
    isOpen(children.confirm) && modal(children.confirm, { label: session.node(question)?.state.question ?? "Confirm" }));
});

/** What the list of pages, by its element, was drawn for last. */
const revealed = new WeakMap();

/** Brings the page that is another one now into sight in the list, and its beginning into the window. */
function reveal(nav, what) {
  const before = revealed.get(nav);
  revealed.set(nav, what);
  if (before === what) return;
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  if (before !== undefined) scrollTo(0, 0);
}

/** What the button says that does it, by the operation. */
const verbs = {
  reconnect: "Reconnect the client", signOut: "Sign out", end: "End the session", record: "Record the session", lift: "Run again",
  backUp: "Back up", drain: "Stop the server", reload: "Reload", refetchKeys: "Fetch the keys", unblock: "Unblock",
  writeLog: "Write more lines",
};

/**
 * The name of an operation, as the server writes it: a text, or an object with one member.
 *
 * @param {string | Record<string, unknown>} operation
 */
export const operationName = (operation) => (typeof operation === "string" ? operation : Object.keys(operation)[0]);

screen("Confirm", ({ operation, question, consequence, isDestructive, step, result }, act) => {
  const isOver = step === "done" || step === "failed";
  const close = () => act("closeTapped");
  const label = isOver ? "Close" : step === "running" ? "Working…" : verbs[operationName(operation)] ?? "Confirm";
  return h("div", { class: "confirm" },
    h("h2", { class: "confirm-title" }, question),
    h("p", null, consequence),
    h("p", { class: `confirm-result confirm-${step}`, role: "status" }, result ?? (step === "running" ? "The server is working on it." : "")),
    h("div", { class: "button-row confirm-buttons" },
      !isOver && h("button", {
        type: "button", class: "button", key: "cancel", onclick: close, autofocus: true, disabled: step === "running",
      }, "Cancel"),
      // One and the same, so that it keeps the focus.
      h("button", {
        type: "button", key: "do", "aria-disabled": String(step === "running"),
        class: isOver ? "button" : `button ${isDestructive ? "button-destroy" : "button-primary"}`,
        onclick: () => (isOver ? close() : step === "asking" && act("confirmTapped")),
      }, label)));
});
