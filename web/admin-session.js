// One session: what it costs, who is connected, its tree, and what happens in it while somebody looks.

import { each, h } from "./render.js";
import { bytes, clock, count, counted, isKnown, time } from "./admin-format.js";
import { badge, empty, facts, head, items, looking, mayOperate, moment, operation, problemBox, section } from "./admin-parts.js";
import { whereabouts } from "./admin-sessions.js";
import { table } from "./admin-table.js";
import { screen } from "./views-parts.js";

screen("Session", (state, act, children, context) => {
  const { id, detail, isElsewhere, problem } = state;
  const operations = detail && [
    state.canRecord && (detail.isRecorded ? badge("recorded") : operation(context, "Record from now on", () => act("recordTapped"))),
    operation(context, "End the session", () => act("endTapped"), { class: "button-danger" }),
  ];
  return h("div", { class: "page" },
    h("button", { type: "button", class: "back", onclick: () => act("closeTapped") }, "Back"),
    head("Session", h("code", { class: "session-id" }, id), operations),
    problemBox(problem, Boolean(detail)),
    detail ? whole(state, act, context)
      : isElsewhere ? empty("This session is not in memory on this server.", h("p", null,
        "The session may be at rest without a client, in another process, or over. This page shows the session once it is in memory here."))
        : looking(problem));
});

const whole = ({ detail, showsState }, act, context) => [
  h("p", { class: "session-gist", key: "gist" },
    whereabouts(detail.row.state), badge(detail.row.app || "unknown app"),
    detail.row.subject && h("span", { class: "tag" }, detail.row.subject),
    detail.isCommitted ? badge("fully stored", "good") : badge("not fully stored", "warn"),
    h("span", null, "Loaded into memory ", moment(detail.row.since), ", last changed ", moment(detail.row.changed), ".")),
  crashes(detail, act, context),
  costs(detail),
  clients(detail, act, context),
  h("div", { class: "columns", key: "inside" }, tree(detail), transactions(detail)),
  refusals(detail),
  states(detail, showsState),
];

const costs = ({ cost, row }) => section("Cost", "since the session came into memory", facts([
  ["Actions", count(cost.actions)],
  ["Loop busy", time(cost.busy), cost.actions > 0 ? `${time(cost.busy / cost.actions)} an action` : undefined],
  ["Longest transaction", time(cost.longest), cost.slow > 0 ? `${count(cost.slow)} of 10 ms or more` : undefined],
  ["Patches", bytes(cost.patchBytes), `${counted(cost.snapshots, "view")} sent whole`],
  ["Written to the store", bytes(cost.commitBytes)],
  ["Memory, estimated", bytes(cost.memory)],
  ["Memory of the view", bytes(cost.viewBytes)],
  ["Memory of saved states", bytes(cost.stateBytes)],
  ["Memory of patches to repeat", bytes(cost.historyBytes)],
  ["Memory of client queues", bytes(cost.queueBytes)],
  ["Tree", counted(row.nodes, "node"), `revision ${count(row.revision)}`],
]));

// Clients

const transports = { websocket: "WebSocket", events: "events", none: "away" };

/** How a client is, in badges. */
const condition = ({ transport, isRetired, isCongested, mayAct }) => h("span", { class: "tags" },
  badge(transports[transport] ?? transport, transport === "none" ? undefined : "good"),
  !mayAct && badge("may only look"), isCongested && badge("does not read", "warn"), isRetired && badge("cannot come back", "bad"));

const person = ({ subject, issuer, roles }) => (isKnown(subject)
  ? h("span", { title: issuer }, subject, roles.length > 0 && h("div", { class: "cell-note" }, roles.join(", "))) : "not signed in");

function clients({ clients }, act, context) {
  const columns = [
    { id: "id", title: "Client", cell: (it) => String(it.id) },
    { id: "condition", title: "Connected by", cell: condition },
    { id: "person", title: "Person", cell: person },
    { id: "expires", title: "Signed in until", cell: (it) => moment(it.expires, "until") },
    { id: "address", title: "Address and program", cell: (it) => [it.address ?? "–", it.program && h("div", { class: "cell-note" }, it.program)] },
    { id: "number", title: "Last action", isFigure: true, cell: (it) => count(it.number) },
    { id: "queue", title: "Queue", isFigure: true, cell: (it) => bytes(it.queueBytes) },
  ];
  if (mayOperate(context)) {
    columns.push({
      id: "acts", title: "Operations",
      cell: ({ id, transport, isRetired }) => !isRetired && h("span", { class: "button-row row-actions" },
        transport !== "none" && operation(context, "Reconnect", () => act({ reconnectTapped: { client: id } }),
          { class: "button-small", "aria-label": `Ask client ${id} to reconnect` }),
        operation(context, "Sign out", () => act({ signOutTapped: { client: id } }),
          { class: "button-small button-danger", "aria-label": `Sign out client ${id}` })),
    });
  }
  return section("Clients", undefined, table(context, {
    name: "clients", label: "Clients", columns, rows: clients, key: ({ id }) => id, none: "No client has connected yet.",
  }));
}

// The tree

/**
 * Nodes with their children: `{node, children}`; those whose parent is left out are at the top.
 *
 * @param {{id: number, parent?: number | null}[]} nodes
 */
export function nested(nodes) {
  const all = new Map(nodes.map((node) => [node.id, { node, children: [] }]));
  const top = [];
  for (const it of all.values()) (all.get(it.node.parent)?.children ?? top).push(it);
  return top;
}

const branch = ({ node, children }) =>
  h("li", { key: node.id, class: node.isActive ? "" : "is-behind" },
    h("div", { class: "tree-line" },
      h("span", { class: "tree-type" }, node.type), h("span", { class: "tree-id" }, `#${node.id}`),
      node.route && h("span", { class: "tree-note" }, node.route),
      !node.isActive && h("span", { class: "tree-note" }, "inactive"),
      node.stateVersion > 1 && h("span", { class: "tree-note" }, `state version ${node.stateVersion}`),
      node.effects.length > 0 && h("span", { class: "tree-effects" },
        `runs ${node.effects.map((name) => name || "an unnamed effect").join(", ")}`)),
    children.length > 0 && h("ul", null, children.map(branch)));

const tree = ({ nodes, row, effects }) => {
  const running = effects === 0 ? "no effect runs" : `${counted(effects, "effect")} ${effects === 1 ? "runs" : "run"}`;
  const about = `${counted(row.nodes, "node")}, ${running}`;
  return section("Tree", nodes.length < row.nodes ? `${about}; ${count(nodes.length)} are shown` : about,
    nodes.length === 0 ? empty("The session is not in memory, or its tree has no nodes yet.")
      : h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Nodes of the tree" },
        h("ul", { class: "tree" }, nested(nodes).map(branch))));
};

// What happens

const transactions = ({ events }) => section("Live", "transactions since you opened this page, newest first",
  events.length === 0 ? empty("No activity since you opened this page.")
    : h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Transactions" },
      h("ol", { class: "events" }, each(events.toReversed(), ({ id }) => id, happening))));

const happening = ({ time: at, kind, riblet, text, duration }) =>
  h("li", { class: `event event-${kind}` },
    h("span", { class: "event-time" }, clock(at)),
    h("span", { class: "event-kind" }, kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
    h("span", { class: "event-text" }, riblet && h("strong", null, `${riblet} `), text),
    h("span", { class: (duration ?? 0) >= 10_000 ? "event-duration is-slow" : "event-duration" }, isKnown(duration) ? time(duration) : ""));

const refusals = ({ refusals }) => refusals.length > 0 && section("Refusals", "not yet confirmed by their clients",
  items(refusals.toReversed(), ({ client, number }) => `${client}.${number}`, ({ client, number, code, message }) =>
    h("li", { class: "item" },
      h("span", { class: "item-lead" }, `Client ${client}, action ${number}`), badge(code, "warn"), isKnown(message) && h("span", null, message))));

const crashes = ({ crashes }, act, context) => crashes.length > 0 && section("Crashes", "of processes while they ran this session",
  items(crashes, ({ client, number, count, isPoisoned }) => `${client}.${number}.${count}.${isPoisoned}`, (it) =>
    h("li", { class: "item" },
      h("span", { class: "item-lead" }, activity(it)), `${counted(it.count, "crash", "crashes")} `,
      it.isPoisoned ? badge("not run again", "bad") : badge("tried again", "warn"))),
  crashes.some(({ isPoisoned }) => isPoisoned) && h("div", null, operation(context, "Run again", () => act("liftTapped"))));

/** What a process has died of, in words. */
export function activity({ client, number }) {
  if (client > 0) return `Action ${number} of client ${client}`;
  return number === 0 ? "Loading the session into memory" : `Effect ${number}`;
}

// What is in it

const states = ({ view, states }, showsState) => section("View and states", undefined,
  !showsState
    ? h("p", { class: "note" }, "Hidden, because they may contain what users have typed. The setting ", h("code", null, "admin.showsState"),
      " shows them. The audit log then has a line for each look.")
    : [jsonPart("View", view), jsonPart("States", states)]);

const jsonPart = (title, text) => h("details", { class: "json-details", key: title },
  h("summary", null, title, " ", h("span", { class: "cell-note" }, isKnown(text) ? bytes(new Blob([text]).size) : "none")),
  h("pre", { class: "json", tabindex: "0", "aria-label": title }, isKnown(text) ? pretty(text) : "There is no data."));

/** A JSON text with a line for each member; as it is if it cannot be read. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

