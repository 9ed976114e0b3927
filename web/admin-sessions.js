// The sessions that come first in some order, of those that are looked for. The server orders and looks: it has more than a page could take.

import { bind, h } from "./render.js";
import { bytes, count, counted, isKnown, time } from "./admin-format.js";
import { badge, empty, head, looking, moment, problemBox, sessionLink } from "./admin-parts.js";
import { addressOf } from "./admin-place.js";
import { table } from "./admin-table.js";
import { button, screen } from "./views-parts.js";

const where = {
  awake: ["in memory"], resting: ["going to rest"], asleep: ["at rest"], elsewhere: ["not here", "warn"],
};

/** Where a session is, as a badge. */
export const whereabouts = (state) => badge(...(where[state] ?? [state]));

/** A figure that a session at rest does not have. */
const awake = (show) => (row) => (row.state === "asleep" ? "–" : show(row));

/** Those with `isExtra` are shown when they are asked for, or ordered by: all of them do not fit on most screens. */
const columns = [
  { id: "id", title: "Session", cell: ({ id }) => sessionLink(id) },
  { id: "app", title: "App", cell: ({ app }) => app || "–" },
  { id: "subject", title: "Person", cell: ({ subject }) => subject ?? "–" },
  { id: "state", title: "Where", cell: ({ state }) => whereabouts(state) },
  { id: "clients", title: "Clients", isFigure: true, hint: "Connected clients", cell: ({ clients }) => count(clients) },
  { id: "age", isExtra: true, title: "Awake", isFigure: true, hint: "When the session came into memory", cell: ({ since }) => moment(since) },
  { id: "idle", title: "Changed", isFigure: true, hint: "When the session last changed", cell: ({ changed }) => moment(changed) },
  { id: "memory", title: "Memory", isFigure: true, hint: "Estimated memory of the session", cell: awake(({ memory }) => bytes(memory)) },
  {
    id: "actions", title: "Actions", isFigure: true, hint: "In the last minute",
    cell: awake(({ actionsPerMinute }) => `${count(actionsPerMinute)}/min`),
  },
  {
    id: "patches", title: "Patches", isFigure: true, hint: "In the last minute",
    cell: awake(({ patchBytesPerMinute }) => `${bytes(patchBytesPerMinute)}/min`),
  },
  { id: "busy", title: "Busy", isFigure: true, hint: "How long the session kept its loop busy", cell: awake(({ busy }) => time(busy)) },
  { id: "longest", isExtra: true, title: "Longest", isFigure: true, hint: "The longest transaction", cell: awake(({ longest }) => time(longest)) },
  { id: "slow", isExtra: true, title: "Slow", isFigure: true, hint: "Transactions of 10 ms or more", cell: awake(({ slow }) => count(slow)) },
  { id: "nodes", isExtra: true, title: "Nodes", isFigure: true, hint: "Nodes of the session’s tree", cell: awake(({ nodes }) => count(nodes)) },
  { id: "revision", isExtra: true, title: "Revision", isFigure: true, hint: "Revision of the session’s view", cell: awake(({ revision }) => count(revision)) },
];

/** How many rows there may be; the server has a limit of its own. */
const counts = [25, 50, 100, 200];

/** The view state that is kept in sight, and its node: rows that change places each second are hard to read, and to hit. */
let held, holder;

screen("Sessions", (state, send, children, context) => {
  // A page that was left holds nothing when it is opened again.
  if (holder !== context.id) held = undefined;
  holder = context.id;
  const { query, orders, apps, rows, matchCount, totalCount, problem } = held ?? state;
  const more = context.local(false, "more columns");
  const shown = columns.filter(({ id, isExtra }) => more.value || !isExtra || id === query.order);
  const hold = (state) => {
    held = state;
    context.redraw();
  };
  // Whoever asks for other sessions wants to see them.
  const act = (action) => {
    if (held) hold(undefined);
    send(action);
  };
  return h("div", { class: "page" },
    head("Sessions", isKnown(matchCount) ? summary(rows.length, matchCount, totalCount) : "Sessions in memory, or at rest with a client here.",
      button("Pause updates", () => hold(held ? undefined : state), { "aria-pressed": String(held !== undefined), local: true }),
      button("More columns", () => more.set(!more.value), { "aria-pressed": String(more.value), local: true })),
    h("form", { class: "filters", role: "search", "aria-label": "Sessions", onsubmit: (event) => event.preventDefault() },
      h("label", { class: "field field-search" }, h("span", null, "Person, or the beginning of an id"),
        h("input", {
          type: "search", name: "text", autocomplete: "off", spellcheck: "false", maxlength: 100,
          value: bind(query.text, (text) => act({ textChanged: text })),
        })),
      choice("App", "app", query.app ?? "", [["", "All"], ...apps.map((app) => [app, app])], (app) => act({ appChosen: app })),
      choice("Rows", "count", query.count, counts.map((number) => [number, number]), (number) => act({ countChosen: Number(number) }))),
    problemBox(problem, isKnown(matchCount)),
    isKnown(matchCount) ? table(context, {
      name: "sessions", label: "Sessions", columns: shown, rows, key: ({ id }) => id, orders,
      order: { id: query.order, isReversed: !query.isReversed }, choose: (order) => act({ orderTapped: order }),
      none: nobody(query, totalCount, act),
    }) : looking(problem));
});

/** A list to choose from. */
function choice(label, name, value, options, choose) {
  return h("label", { class: "field" }, h("span", null, label),
    h("select", { name, value: String(value), onchange: (event) => choose(event.target.value) },
      options.map(([value, text]) => h("option", { key: value, value: String(value) }, String(text)))));
}

/** How many sessions there are, and how many of them are shown. */
export function summary(shown, matching, total) {
  if (total === 0) return "No session is in memory, or at rest with a client here.";
  const found = matching === total ? counted(total, "session") : `${count(matching)} of ${counted(total, "session")}`;
  const rows = shown < matching ? `; the first ${count(shown)} are shown` : "";
  return `${found} in memory, or at rest with a client here${rows}.`;
}

/** Says why there is no row, and leads to a session that is not in memory. */
function nobody(query, totalCount, act) {
  if (totalCount === 0) return empty("No session is in memory here. A session appears here when a client opens an app.");
  const isName = /^[0-9a-f]{32}$/i.test(query.text.trim());
  return empty(isName ? "No session in memory here has this id." : "No session in memory here matches.",
    isName && h("p", null, h("a", { href: addressOf({ session: query.text.trim() }) }, "Open the page of this session anyway")),
    (query.text || query.app) && button("Show all", () => {
      act({ textChanged: "" });
      act({ appChosen: "" });
    }));
}
