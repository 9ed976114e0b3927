// What the inspector's pages have in common: heads, facts, times that go on, and what is shown where there is nothing.

import { each, h } from "./render.js";
import { ago, isKnown, none, short, stamp, until } from "./admin-format.js";
import { addressOf } from "./admin-place.js";
import { button } from "./views-parts.js";

/** Whether the operator may act, and not only look. */
export const mayOperate = ({ session }) => session.node()?.state.mayOperate === true;

/**
 * The head of a page.
 *
 * @param {string} title
 * @param {import("./render.d.ts").Child} about what stands below the title.
 * @param {...import("./render.d.ts").Child} actions
 */
export const head = (title, about, ...actions) =>
  h("div", { class: "page-head" },
    h("div", { class: "page-words" },
      h("h2", { class: "page-title", tabindex: "-1" }, title),
      h("p", { class: "page-about" }, about)),
    h("div", { class: "button-row page-actions" }, actions));

/** A button that leads to a question, and is there only for those who may act. */
export const operation = (context, text, onclick, props) =>
  mayOperate(context) && button(text, onclick, { ...props, class: `button ${props?.class ?? ""}`, "aria-haspopup": "dialog" });

/**
 * Why nothing could be seen the last time; nothing if it went well.
 *
 * @param {string | null | undefined} problem
 * @param {boolean} isOld whether what was seen before is still shown.
 */
export const problemBox = (problem, isOld) =>
  problem && h("div", { class: "problem", role: "alert", key: "problem" },
    h("p", null, h("strong", null, "The inspector cannot show this. "), problem),
    isOld && h("p", null, "The data below is older."));

/** Stands where something is to come, or where there is nothing; says why. */
export const empty = (text, ...more) => h("div", { class: "nothing" }, h("p", null, text), more);

/** Stands in the place of a page that was not looked at yet. */
export const looking = (problem) => !problem && h("p", { class: "looking", role: "status", key: "looking" }, "Loading…");

/**
 * Names and values.
 *
 * @param {[name: string, value: import("./render.d.ts").Child, note?: string][]} rows
 */
export const facts = (rows) =>
  h("dl", { class: "facts" }, rows.map(([name, value, note]) =>
    h("div", { key: name }, h("dt", null, name), h("dd", null, value, note && h("span", { class: "fact-note" }, ` ${note}`)))));

/** A part of a page with a heading. */
export const section = (title, about, ...children) =>
  h("section", { class: "section" },
    h("div", { class: "section-head" }, h("h3", null, title), about && h("p", { class: "section-about" }, about)), children);

/** A word about the state of a thing; `tone` is `good`, `warn`, `bad` or nothing. */
export const badge = (text, tone) => h("span", { class: tone ? `tag tag-${tone}` : "tag" }, text);

/** A session's name as a link to it. */
export const sessionLink = (id) =>
  h("a", { class: "session-link", href: addressOf({ session: id }), title: id, "aria-label": `Session ${id}` }, short(id));

// Times go on though nothing in the view changes: their text is the clock's, and not drawn.

const readings = { ago, until };

/**
 * A moment, as how long ago it was, or how long it is until then.
 *
 * @param {number | null | undefined} at in seconds since 1970.
 * @param {"ago" | "until"} [reading]
 */
export const moment = (at, reading = "ago") => (!isKnown(at) || at === 0 ? none
  : h("time", {
    datetime: new Date(at * 1000).toISOString(), title: stamp(at), "data-at": at, "data-reading": reading, drawn: tell,
  }));

/** Writes how long ago a moment was. */
function tell(it) {
  const text = readings[it.dataset.reading](Number(it.dataset.at));
  if (it.textContent !== text) it.textContent = text;
}

/** Lets the times of the page go on, once a second while it is seen. */
export function keepTime() {
  setInterval(() => {
    if (!document.hidden) document.querySelectorAll("time[data-at]").forEach(tell);
  }, 1000);
}

/** Items of a list, or why there are none. */
export const items = (rows, key, row, why) =>
  (rows.length === 0 ? empty(why) : h("ul", { class: "items" }, each(rows, key, row)));
