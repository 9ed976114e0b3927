// What the views of the showcase's riblets have in common: one view per type, by the names that the server gives them.
//
// A view is a function of the node's state. It keeps nothing: what is typed, opened or chosen is on the server, and
// comes back as a patch. Only what the catalog's rows are filtered by, and which was removed last, is the page's own business.

import { define, h } from "./render.js";

/** Tells of actions that could not be sent: events "unsent" whose `detail` is `{session, message}`. */
export const failures = new EventTarget();

/** What becomes of an action that was sent is the session's to tell, in one place for all views. */
function sent(session, answer) {
  answer.catch(({ message }) => {
    failures.dispatchEvent(Object.assign(new Event("unsent"), { detail: { session, message } }));
  });
}

/** The types that there are views for. */
export const types = [];

/** Defines a type's view, whose `act` has nothing to wait for. `act.root` is for the root instead. */
export function screen(type, view) {
  types.push(type);
  define(type, (state, act, children, context) => {
    const { session } = context;
    const send = (action, options) => sent(session, act(action, options));
    send.root = (action) => sent(session, session.act("", action));
    return view(state, send, children, context);
  });
}

// Parts

export const button = (text, onclick, props) => h("button", { type: "button", class: "button", onclick, ...props }, text);
export const primary = (text, onclick, props) => button(text, onclick, { class: "button button-primary", ...props });
export const heading = (text) => h("h3", { class: "screen-title", tabindex: "-1" }, text);
export const note = (text) => h("p", { class: "note" }, text);
export const isOpen = (route) => route?.ids.some((id) => id !== null) ?? false;

/** A number with a button at either side. */
export function stepper(label, value, { minus, plus, add = "Increment", subtract = "Decrement" }) {
  return h("div", { class: "stepper", role: "group", "aria-label": label },
    h("span", { class: "stepper-label" }, label),
    minus && button("−", minus, { class: "button button-round", "aria-label": subtract }),
    h("output", { class: "stepper-value", "aria-label": label }, String(value)),
    plus && button("+", plus, { class: "button button-round", "aria-label": add }));
}

/** A line that leads somewhere. */
export function link(text, onclick, hint) {
  return h("li", null,
    h("button", { type: "button", class: "line", onclick },
      h("span", null, text), hint && " ", hint && h("small", null, hint),
      h("span", { class: "line-arrow", "aria-hidden": "true" }, "›")));
}
