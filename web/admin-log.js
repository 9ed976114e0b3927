// What the server has written, and what processes have died of.

import { each, h } from "./render.js";
import { bytes, clock, counted, stamp } from "./admin-format.js";
import { badge, empty, head, looking, moment, operation, problemBox, section, sessionLink } from "./admin-parts.js";
import { activity } from "./admin-session.js";
import { matches, searched, searchField, table } from "./admin-table.js";
import { screen } from "./views-parts.js";

// The log

const tones = { critical: "bad", error: "bad", warning: "warn", notice: undefined };

// Fewer lines are of no use for long, and those of trace too many.
const writable = ["debug", "info"];

const isWritten = ({ name, secondsLeft }) =>
  `The program writes ${name} and above${secondsLeft ? `, for ${counted(Math.ceil(secondsLeft / 60), "more minute", "more minutes")}` : ""}.`;

screen("Log", ({ level, levels, lines, problem, written, choices }, act, children, context) => {
  const text = searched("log");
  const found = lines.filter((it) => matches([it.level, it.logger, it.message, it.metadata], text));
  return h("div", { class: "page" },
    head("Log", `The last lines at level ${level === "critical" ? "critical" : `${level} and above`}, newest first.${written ? ` ${isWritten(written)}` : ""}`,
      choices.filter((name) => writable.includes(name)).map((name) =>
        operation(context, `Write ${name} lines for ten minutes`, () => act({ writeTapped: name }), { key: name }))),
    h("div", { class: "filters" },
      h("fieldset", { class: "choice" }, h("legend", null, "Lowest level"),
        h("div", { class: "segments" }, levels.map((name) => h("label", { key: name },
          h("input", { type: "radio", name: "level", value: name, checked: name === level, onchange: () => act({ levelChosen: name }) }),
          h("span", null, name))))),
      searchField(context, "log", "Search the lines")),
    problemBox(problem, lines.length > 0),
    found.length > 0
      ? h("div", { class: "scroll scroll-tall", role: "region", tabindex: "0", "aria-label": "Lines of the log" },
        h("ol", { class: "log" }, each(found.toReversed(), ({ id }) => id, line)))
      : !problem && empty(lines.length > 0 ? "No line matches." : "The log has no line at this level."));
});

const line = ({ time, level, logger, message, metadata }) =>
  h("li", { class: `log-line log-${level}` },
    h("time", { class: "log-time", datetime: new Date(time).toISOString(), title: stamp(time / 1000) }, clock(time)),
    badge(level, tones[level]),
    h("p", { class: "log-message" }, message,
      metadata && h("code", { class: "log-metadata" }, ` ${metadata}`), h("span", { class: "cell-note" }, ` ${logger}`)));

// Crashes

screen("Crashes", ({ crashes, problem }, act, children, context) =>
  h("div", { class: "page" },
    head("Crashes", !crashes ? "Activities that ran when a process died." : crashes.found === 0 ? "The previous process did not die while an activity ran."
      : `The previous process died while ${counted(crashes.found, "activity", "activities")} ran.`),
    problemBox(problem, Boolean(crashes)),
    crashes ? [
      section("Not run again", "because processes died while it ran", poison(crashes, act, context)),
      section("Reports", "newest first", crashes.reports.length === 0
        ? empty("There is no report: no process has died, or reports are turned off.")
        : h("ul", { class: "reports" }, each(crashes.reports, ({ id }) => id, report))),
    ] : looking(problem)));

const poison = ({ poison }, act, context) => table(context, {
  name: "poison", label: "Activities that are not run again", rows: poison, key: (it) => `${it.session}.${it.client}.${it.number}`,
  columns: [
    { id: "session", title: "Session", by: (it) => it.session, cell: (it) => sessionLink(it.session) },
    { id: "app", title: "App", by: (it) => it.app, cell: (it) => it.app || "–" },
    { id: "activity", title: "Activity", by: activity, cell: activity },
    { id: "count", title: "Deaths", isFigure: true, by: (it) => it.count, cell: (it) => String(it.count) },
    {
      id: "acts", title: "Operations",
      cell: (it) => operation(context, "Run again", () => act({ liftTapped: { session: it.session } }),
        { class: "button-small", "aria-label": `Run again: set-aside activities of session ${it.session}` }) || "–",
    },
  ],
  none: "No activity is set aside.",
});

const report = ({ id, time, bytes: size, head }) =>
  h("li", null,
    h("details", { class: "json-details" },
      h("summary", null, h("code", null, id), " ", h("span", { class: "cell-note" }, bytes(size), ", ", moment(time))),
      h("pre", { class: "json", tabindex: "0", "aria-label": `The beginning of ${id}` }, head)));
