// How long riblets take: by type and action while somebody looks, and the slow ones.

import { h } from "./render.js";
import { clock, count, isKnown, time } from "./admin-format.js";
import { head, looking, moment, problemBox, section, sessionLink } from "./admin-parts.js";
import { matches, searched, searchField, table } from "./admin-table.js";
import { screen } from "./views-parts.js";

const figures = [
  { id: "riblet", title: "Riblet", by: (it) => `${it.riblet} ${it.action}`, cell: (it) => it.riblet },
  { id: "action", title: "Action", by: (it) => it.action, cell: (it) => h("code", null, actionName(it.action)) },
  { id: "count", title: "Count", isFigure: true, by: (it) => it.count, cell: (it) => count(it.count) },
  { id: "refused", title: "Refused", isFigure: true, by: (it) => it.refused, cell: (it) => count(it.refused) },
  { id: "p50", title: "p50", isFigure: true, by: (it) => it.p50, cell: (it) => time(it.p50) },
  { id: "p95", title: "p95", isFigure: true, by: (it) => it.p95, cell: (it) => time(it.p95) },
  { id: "max", title: "Longest", isFigure: true, by: (it) => it.max, cell: (it) => time(it.max) },
];

const slowOnes = [
  {
    id: "time", title: "Ended", by: (it) => it.time,
    cell: (it) => [moment(it.time / 1000), h("span", { class: "cell-note" }, ` ${clock(it.time)}`)],
  },
  { id: "riblet", title: "Riblet", by: (it) => it.riblet, cell: (it) => it.riblet },
  { id: "app", title: "App", by: (it) => it.app, cell: (it) => it.app },
  { id: "duration", title: "Took", isFigure: true, by: (it) => it.duration, cell: (it) => time(it.duration) },
  { id: "session", title: "Session", by: (it) => it.session, cell: (it) => sessionLink(it.session) },
];

/** An action as the report names it, in words where that is a sign. */
const actionName = (action) => ({ "←": "back", "…": "from an effect" })[action] ?? action;

screen("Riblets", ({ since, actions, slow, problem }, act, children, context) => {
  const text = searched("actions");
  const found = actions.filter((it) => matches([it.riblet, actionName(it.action)], text));
  return h("div", { class: "page" },
    head("Riblets", isKnown(since) ? ["The server measures actions while this page is open. It began ", moment(since), "."] : "How long actions take."),
    problemBox(problem, isKnown(since)),
    isKnown(since) ? [
      section("Actions", "how long each action kept its loop busy",
        actions.length > 0 && h("div", { class: "filters" }, searchField(context, "actions", "Riblet or action")),
        table(context, {
          name: "actions", label: "Actions by riblet", columns: figures, rows: found, key: (it) => `${it.riblet}.${it.action}`,
          order: { id: "max", isReversed: true },
          none: actions.length > 0 ? "No riblet or action has this name." : "No action since this page was opened.",
        })),
      section("Slow transactions", "of 10 ms or more, also from before this page was opened",
        table(context, {
          name: "slow", label: "Slow transactions", columns: slowOnes, rows: slow, key: ({ id }) => id,
          order: { id: "time", isReversed: true }, none: "No transaction was slow.",
        })),
    ] : looking(problem));
});
