// The server at a glance: whether something is wrong, how quick it is, and what it has.

import { h } from "./render.js";
import { tile } from "./admin-chart.js";
import { bytes, count, counted, isKnown, none, percent, rate, time } from "./admin-format.js";
import { facts, head, looking, moment, operation, problemBox, section } from "./admin-parts.js";
import { screen } from "./views-parts.js";

screen("Overview", ({ overview, problem, canDrain, canReload }, act, children, context) =>
  h("div", { class: "page" },
    head("Overview", overview ? ["Version ", overview.version, ", started ", moment(overview.started)] : "The state of the server.",
      canReload && operation(context, "Reload settings", () => act("reloadTapped")),
      canDrain && operation(context, "Stop the server", () => act("drainTapped"), { class: "button-danger" })),
    problemBox(problem, Boolean(overview)),
    overview ? [alarms(overview), tiles(overview), inventory(overview)] : looking(problem)));

/**
 * What is wrong with a server, the worst first: `{text, tone, page}`, where the page has more of it.
 *
 * @param {any} overview
 */
export function alarmsOf(overview) {
  const found = [];
  const { silentLoops, loops, descriptors, descriptorLimit } = overview;
  if (silentLoops > 0) {
    const verb = silentLoops === 1 ? "does" : "do";
    found.push({ tone: "bad", text: `${silentLoops} of ${counted(loops, "loop")} ${verb} not answer. Clients on such a loop wait.` });
  }
  if (overview.isStoreFailing) {
    found.push({ tone: "bad", text: "The session store fails. Answers are lost when the process ends.", page: "store" });
  }
  if (overview.isOverMemory) {
    found.push({ tone: "bad", text: "The process uses more memory than its limit. The server puts sessions to rest." });
  }
  if (overview.isDraining) {
    found.push({ tone: "warn", text: "The server is about to stop. It asks its clients to connect elsewhere." });
  }
  if (descriptorLimit > 0 && descriptors > descriptorLimit * 0.8) {
    found.push({ tone: "warn", text: `${count(descriptors)} of ${count(descriptorLimit)} descriptors are open.` });
  }
  if (overview.crashesFound > 0) {
    const ran = counted(overview.crashesFound, "activity", "activities");
    found.push({ tone: "warn", text: `The previous process died while ${ran} ran.`, page: "crashes" });
  }
  return found;
}

/** What is wrong, or that nothing is. */
function alarms(overview) {
  const found = alarmsOf(overview);
  const rows = found.length > 0 ? found : [{ tone: "good", text: "All loops answer, and the store works." }];
  return h("div", { role: "status", "aria-label": "Problems", key: "alarms" },
    h("ul", { class: "alarms" }, rows.map(({ text, tone, page }) =>
      h("li", { key: text, class: `alarm alarm-${tone}` },
        h("span", { class: "alarm-mark", "aria-hidden": "true" }, tone === "good" ? "✓" : "!"),
        h("span", null, text), page && h("a", { href: `#/${page}` }, "See more")))));
}

const tiles = ({ samples }) =>
  h("div", { class: "tiles", key: "tiles" },
    tile({
      title: "Actions a second", samples, figure: (it) => it.actionsPerSecond, show: rate, floor: 1,
      also: { title: "refused", figure: (it) => it.refusalsPerSecond },
    }),
    tile({
      title: "Answers, p50", samples, figure: (it) => it.answerP50, show: time, floor: 1000,
      also: { title: "p99", figure: (it) => it.answerP99 },
    }),
    tile({ title: "Loop lag, p99", samples, figure: (it) => it.lagP99, show: time, floor: 1000 }),
    tile({ title: "Commits, p99", samples, figure: (it) => it.commitP99, show: time, floor: 1000 }),
    tile({ title: "Processor", samples, figure: (it) => it.processorPercent, show: percent, floor: 100, note: "100 % is one core" }),
    tile({ title: "Memory", samples, figure: (it) => it.residentBytes, show: bytes, floor: 1 }),
    tile({ title: "Sessions awake", samples, figure: (it) => it.awake, show: count, floor: 1 }),
    tile({ title: "Connections", samples, figure: (it) => it.connections, show: count, floor: 1 }));

const inventory = (overview) => {
  const { sessions, connections } = overview;
  return h("div", { class: "columns", key: "inventory" },
    section("Sessions", undefined, facts([
      ["In memory", count(sessions.awake)],
      ["At rest, with a client here", count(sessions.asleep)],
      ["In the store", isKnown(sessions.stored) ? count(sessions.stored) : none],
    ])),
    section("Connections", undefined, facts([
      ["WebSocket", count(connections.websocket)],
      ["Event streams", count(connections.events)],
      ["HTTP", count(connections.http)],
    ])),
    section("Process", undefined, facts([
      ["Loops", count(overview.loops)],
      ["Running effects", count(overview.effects)],
      ["Descriptors", count(overview.descriptors), `of ${count(overview.descriptorLimit)}`],
    ])));
};
