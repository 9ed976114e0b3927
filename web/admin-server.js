// What belongs to the server as a whole: its store, who may sign in, and its settings.

import { h } from "./render.js";
import { bytes, count, counted, isKnown, none, span, time } from "./admin-format.js";
import { badge, facts, head, items, looking, moment, operation, problemBox, section } from "./admin-parts.js";
import { matches, searched, searchField, table } from "./admin-table.js";
import { button, screen } from "./views-parts.js";

// The store

const survives = { disk: "a power cut", process: "the end of the process", none: "nothing" };

screen("Store", ({ store, problem, canBackUp }, act, children, context) =>
  h("div", { class: "page" },
    head("Store", store ? `The server keeps its sessions in ${kinds[store.kind] ?? store.kind}.` : "Where the server keeps its sessions.",
      canBackUp && operation(context, "Back up now", () => act("backUpTapped"))),
    problemBox(problem, Boolean(store)),
    store ? [
      store.isFailing && h("div", { class: "problem", role: "alert", key: "failing" },
        h("p", null, h("strong", null, "The store fails. "), "Sessions go on in memory. Answers from now on are lost when the process ends.")),
      h("div", { class: "columns", key: "facts" }, content(store), commits(store), backup(store)),
    ] : looking(problem)));

const kinds = { memory: "memory alone", sqlite: "SQLite", postgres: "PostgreSQL", postgresql: "PostgreSQL" };
const partNames = { main: "File", wal: "Write-ahead log", database: "In the database, estimated" };

const content = (store) => section("Content", undefined, facts([
  ["Sessions", count(store.sessions)],
  ...store.parts.map(({ id, bytes: size }) => [partNames[id] ?? id, bytes(size)]),
]));

const commits = (store) => section("Commits", "since the server’s start", facts([
  ["Commits", count(store.commits)],
  ["Failed", count(store.failedCommits)],
  ["Requests per commit", isKnown(store.requestsPerCommit) ? store.requestsPerCommit.toFixed(1) : none],
  ["p50", time(store.commitP50)],
  ["p99", time(store.commitP99)],
  ["An answer survives", survives[store.durability] ?? store.durability],
]));

const backup = ({ backup }) => section("Last backup", "by this process", backup
  ? facts([["Finished", moment(backup.time)], ["File", h("code", null, backup.file)], ["Size", bytes(backup.bytes)]])
  : h("p", { class: "note" }, "This process has made no backup."));

// Who may sign in

screen("SignIn", ({ signIn, problem, canRefetchKeys }, act, children, context) =>
  h("div", { class: "page" },
    head("Sign-in", !signIn ? "How clients sign in." : signIn.isUsed ? "Clients sign in with a credential."
      : "Clients do not sign in on this server.",
      canRefetchKeys && operation(context, "Fetch keys again", () => act("refetchKeysTapped"))),
    problemBox(problem, Boolean(signIn)),
    signIn ? [
      signIn.isUsed && section("Keys", isKnown(signIn.keysLoaded) ? ["loaded ", moment(signIn.keysLoaded)] : undefined, keys(signIn, context)),
      signIn.skippedKeys.length > 0 && section("Keys that are not used", undefined,
        items(signIn.skippedKeys, ({ id }) => id, ({ id, reason }) =>
          h("li", { class: "item" }, h("code", { class: "item-lead" }, id), h("span", null, reason)))),
      signIn.isUsed && section("Credential checks", "since the server’s start", outcomes(signIn, context)),
      section("Addresses that have to wait", "because they have sent too many wrong credentials",
        items(signIn.throttled, ({ id }) => id, (it) => throttled(it, act, context), "No address has to wait.")),
    ] : looking(problem)));

const keys = ({ keys }, context) => table(context, {
  name: "keys", label: "Keys", rows: keys, key: ({ id }) => id, order: { id: "id", isReversed: false },
  columns: [
    { id: "id", title: "Key", by: (it) => it.id, cell: (it) => h("code", null, it.id) },
    { id: "algorithm", title: "Algorithm", by: (it) => it.algorithm, cell: (it) => it.algorithm },
  ],
  none: "The authenticator reports no keys.",
});

const goodOutcomes = new Set(["accepted", "anonymous"]);

const outcomes = ({ outcomes }, context) => table(context, {
  name: "outcomes", label: "Credential checks", rows: outcomes, key: (it) => `${it.purpose}.${it.outcome}`,
  order: { id: "count", isReversed: true },
  columns: [
    { id: "outcome", title: "Outcome", by: (it) => it.outcome, cell: (it) => badge(it.outcome, goodOutcomes.has(it.outcome) ? "good" : "warn") },
    { id: "purpose", title: "The client wanted to", by: (it) => it.purpose, cell: (it) => it.purpose },
    { id: "count", title: "Count", isFigure: true, by: (it) => it.count, cell: (it) => count(it.count) },
  ],
  none: "No client has sent a credential yet.",
});

const throttled = ({ id, seconds }, act, context) =>
  h("li", { class: "item" },
    h("code", { class: "item-lead" }, id), h("span", null, `for ${span(seconds)} more`),
    operation(context, "Unblock", () => act({ unblockTapped: { address: id } }),
      { class: "button-small", "aria-label": `Unblock ${id}` }));

// The settings

/** Where a value comes from; one that somebody has set stands out. */
const origin = ({ source }) => (isKnown(source) ? badge(source, source === "default" ? undefined : "good") : none);

const settingColumns = [
  { id: "id", title: "Setting", by: (it) => it.id, cell: (it) => [h("code", null, it.id), h("span", { class: "cell-below" }, it.summary)] },
  {
    id: "value", title: "Value", by: (it) => it.value,
    cell: ({ value }) => (value === "" ? h("span", { class: "is-none" }, "none") : h("code", null, value)),
  },
  { id: "source", title: "From", by: (it) => it.source, cell: origin },
  {
    id: "restart", title: "A change needs", by: (it) => it.needsRestart,
    cell: (it) => (isKnown(it.needsRestart) ? (it.needsRestart ? "a restart" : "a reload") : none),
  },
];

screen("Settings", ({ settings, problem }, act, children, context) => {
  const text = searched("settings");
  const found = settings.filter((it) => matches([it.id, it.value, it.source, it.summary], text));
  return h("div", { class: "page" },
    head("Settings", settings.length > 0 ? `${counted(settings.length, "setting")} in force. Secrets are not shown.` : "The settings that are in force.",
      button("Refresh", () => act("refreshTapped"))),
    problemBox(problem, settings.length > 0),
    settings.length > 0 ? [
      h("div", { class: "filters", key: "filters" }, searchField(context, "settings", "Name, value, source or purpose")),
      table(context, {
        name: "settings", label: "Settings", columns: settingColumns, rows: found, key: ({ id }) => id,
        order: { id: "id", isReversed: false }, none: "No setting matches.",
      }),
    ] : looking(problem));
});

