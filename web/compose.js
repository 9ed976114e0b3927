// The tab "Compose": what was sent in this session, beside the generic renderer's forms, which make actions from the app's schema.

import { element } from "./elements.js";

const KEPT = 20;

const words = { applied: "done", refused: "refused", unknown: "may have been done", unsent: "not sent" };

/** The actions of the page's sessions, newest first: each can be sent again. */
export class SentActions {
  #list;
  #session;
  /** Newest first: `{n, to, action, secret, back, state}`. */
  #sent = [];

  /** @param {HTMLElement} list */
  constructor(list) {
    this.#list = list;
  }

  /** Shows the actions of a session from now on. */
  follow(session) {
    this.#session = session;
    this.#sent = [];
    const isShown = () => this.#session === session;
    const notePending = (pending) => {
      const newest = this.#sent[0]?.n ?? 0;
      for (const action of pending) if (action.n > newest) this.#sent.unshift({ ...action, state: "waiting" });
      this.#sent.length = Math.min(this.#sent.length, KEPT);
      this.draw();
    };
    session.addEventListener("pending", ({ detail }) => isShown() && notePending(detail.pending));
    session.addEventListener("outcome", ({ detail: { n, status, nack } }) => {
      const sent = isShown() && this.#sent.find((sent) => sent.n === n);
      if (!sent) return;
      sent.state = nack ? `${words[status]}: ${nack.message}` : words[status];
      this.draw();
    });
    // Another session numbers its actions from 1.
    session.addEventListener("status", () => {
      if (isShown() && session.status === "reset") this.#sent = [];
    });
    notePending(session.pending);
  }

  /** Draws the list, if the tab shows it. A hidden list is empty, so that a search in the page does not find its texts. */
  draw() {
    if (this.#list.closest("[hidden]")) return this.#list.replaceChildren();
    const session = this.#session;
    this.#list.replaceChildren(...this.#sent.map(({ n, to, action, state }) => {
      const isWhole = action !== undefined;
      const row = element("li", { className: "sent-row" },
        element("code", {}, `${n} → ${to === "" ? "root" : typeof to === "number" ? `#${to}` : to}  ${isWhole ? JSON.stringify(action) : "(no content)"}`),
        element("span", { className: "sent-state" }, state));
      if (isWhole) {
        const again = element("button", { type: "button", className: "button button-quiet", ariaLabel: `Send ${n} again` }, "Send again");
        // What becomes of it is in the list.
        again.addEventListener("click", () => session.act(to, action).catch(() => {}));
        row.append(again);
      }
      return row;
    }));
  }
}

/**
 * Has the tabs above an app choose how it is drawn.
 *
 * @param {HTMLElement} tabs
 * @param {(isComposing: boolean) => void} choose
 * @returns {(isComposing: boolean) => void} Marks a tab as the chosen one.
 */
export function bindAppTabs(tabs, choose) {
  const [app, compose] = tabs.children;
  const mark = (isComposing) => {
    for (const [tab, isOn] of [[app, !isComposing], [compose, isComposing]]) {
      tab.ariaSelected = String(isOn);
      tab.tabIndex = isOn ? 0 : -1;
    }
  };
  const select = (isComposing) => {
    mark(isComposing);
    choose(isComposing);
  };
  app.addEventListener("click", () => select(false));
  compose.addEventListener("click", () => select(true));
  tabs.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const other = event.key === "Home" ? app : event.key === "End" ? compose : event.target === app ? compose : app;
    other.click();
    other.focus();
  });
  return mark;
}
