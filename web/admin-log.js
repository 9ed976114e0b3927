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
    head("Log", `The last lines of ${level === "critical" ? "critical" : `${level} and above`}, the newest first.${written ? ` ${isWritten(written)}` : ""}`,
      choices.filter((name) => writable.includes(name)).map((name) =>
        operation(context, `Write ${name} for ten minutes`, () => act({ writeTapped: name }), { key: name }))),
    h("div", { class: "filters" },
      h("fieldset", { class: "choice" }, h("legend", null, "From the level"),
        h("div", { class: "segments" }, levels.map((name) => h("label", { key: name },
          h("input", { type: "radio", name: "level", value: name, checked: name === level, onchange: () => act({ levelChosen: name }) }),
          h("span", null, name))))),
      searchField(context, "log", "In the lines")),
    problemBox(problem, lines.length > 0),
    found.length > 0
      ? h("div", { class: "scroll scroll-tall", role: "region", tabindex: "0", "aria-label": "Lines of the log" },
        h("ol", { class: "log" }, each(found.toReversed(), ({ id }) => id, line)))
      : !problem && empty(lines.length > 0 ? "No line has that." : "Nothing of this level was written."));
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
    head("Crashes", !crashes ? "What processes have died of." : crashes.found === 0 ? "The process before this one did not die of anything."
      : `The process before this one died: ${counted(crashes.found, "activity", "activities")} ran then.`),
    problemBox(problem, Boolean(crashes)),
    crashes ? [
      section("Not run again", "as processes have died of it", poison(crashes, act, context)),
      section("Reports", "the newest first", crashes.reports.length === 0
        ? empty("There is no report: no process has died, or none is to be written.")
        : h("ul", { class: "reports" }, each(crashes.reports, ({ id }) => id, report))),
    ] : looking(problem)));

const poison = ({ poison }, act, context) => table(context, {
  name: "poison", label: "What is not run again", rows: poison, key: (it) => `${it.session}.${it.client}.${it.number}`,
  columns: [
    { id: "session", title: "Session", by: (it) => it.session, cell: (it) => sessionLink(it.session) },
    { id: "app", title: "App", by: (it) => it.app, cell: (it) => it.app || "–" },
    { id: "activity", title: "What", by: activity, cell: activity },
    { id: "count", title: "Deaths", isFigure: true, by: (it) => it.count, cell: (it) => String(it.count) },
    {
      id: "acts", title: "Operations",
      cell: (it) => operation(context, "Run it again", () => act({ liftTapped: { session: it.session } }),
        { class: "button-small", "aria-label": `Run again what is set aside of session ${it.session}` }) || "–",
    },
  ],
  none: "Everything is run.",
});

const report = ({ id, time, bytes: size, head }) =>
  h("li", null,
    h("details", { class: "json-details" },
      h("summary", null, h("code", null, id), " ", h("span", { class: "cell-note" }, bytes(size), ", ", moment(time))),
      h("pre", { class: "json", tabindex: "0", "aria-label": `The beginning of ${id}` }, head)));
