// The elements of an inspector. Their ids, and the names of their radio buttons, begin with a prefix that no other inspector of the page has.

import { element } from "./elements.js";

/** The tabs, by the names of their views. */
const tabs = { wire: "Wire", tree: "Tree", document: "Document", facts: "Facts" };

/** The words in the types of messages; code stands between backticks. */
const terms = {
  act: "Your action, with its number `n`. The server does each number once.",
  patch: "The change of the view, from one revision (`rev`) to the next. It answers your actions up to number `n`.",
  nack: "A refusal. The server did not do the action, and says why.",
  snap: "The whole view. The server sends it at the beginning, or if patches are not enough.",
  "hello, welcome": "The connection begins. The messages name the session, and the last action that the server knows.",
  "ping, ack": "A ping checks the connection. An ack says which revision the page has.",
};

/** The buttons of the link, with what the hint below says of each. */
const operations = {
  drop: ["Drop the link", "“Drop the link” cuts the connection, and the page connects again at once."],
  offline: ["Go offline", "“Go offline” cuts it until you press “Go online”. Your clicks wait meanwhile."],
  verify: ["Verify", "“Verify” compares the page’s view with the server’s by their hashes."],
  anew: ["New session", "“New session” ends this session and starts another."],
};

const hint = (...children) => element("p", { className: "inspector-hint" }, ...children);
const way = (direction, text) => element("span", { className: `inspector-way is-${direction}` }, text);
const button = (text, properties, className = "") =>
  element("button", { type: "button", className: `inspector-button ${className}`, ...properties }, text);
const quietButton = (text, properties) => button(text, properties, "is-quiet");
const withCode = (text) => text.split("`").map((part, index) => (index % 2 ? element("code", null, part) : part));

/** A group of radio buttons, by the texts of their values; the first one is chosen. */
function choice(legend, name, texts) {
  const inputs = Object.keys(texts).map((value, index) => element("input", { type: "radio", name, value, checked: index === 0 }));
  const labels = inputs.map((input) => element("label", null, input, element("span", null, texts[input.value])));
  const group = element("fieldset", { className: "inspector-choice" },
    element("legend", null, legend), element("div", { className: "inspector-segments" }, ...labels));
  return { group, inputs };
}

function makeHead(id) {
  const word = element("span");
  const toggle = quietButton(word, { "aria-controls": id("body") });
  toggle.append(" ", element("span", { className: "inspector-unseen" }, "the inspector"));
  const head = element("div", { className: "inspector-head" },
    element("h2", { className: "inspector-heading", id: id("heading") }, "Inspector"), toggle);
  return { head, toggle, word };
}

function makeWire() {
  const pause = quietButton("Pause", { ariaPressed: "false" });
  const clear = quietButton("Clear");
  const wire = element("ol", { className: "wire", ariaLabel: "Messages, newest first" });
  const explained = Object.entries(terms).flatMap(([term, text]) => [element("dt", null, term), element("dd", null, ...withCode(text))]);
  const content = [
    hint("This list shows each ", way("out", "action"), " that goes to the server, and each ", way("in", "patch"),
      " that comes back. Point at an action to see its patch."),
    element("div", { className: "wire-tools" },
      element("details", { className: "inspector-terms" }, element("summary", null, "Terms"), element("dl", null, ...explained)), pause, clear),
    wire,
  ];
  return { content, wire, pause, clear };
}

/** The tabs and their panels, with what is in them. */
function makeTabs(id, contents) {
  const buttons = Object.entries(tabs).map(([name, text]) =>
    element("button", { type: "button", role: "tab", id: id(`tab-${name}`), "aria-controls": id(`panel-${name}`) }, text));
  const panels = Object.keys(tabs).map((name) => element("div", {
    className: "inspector-panel", role: "tabpanel", id: id(`panel-${name}`), "aria-labelledby": id(`tab-${name}`), tabIndex: 0,
  }, ...contents[name]));
  const list = element("div", { className: "inspector-tabs", role: "tablist", ariaLabel: "What to inspect" }, ...buttons);
  return { list, buttons, panels };
}

/** What makes the link worse, and has the page draw otherwise: what the options are for. */
function makeLink(id, { links, verify, beginAnew, setTransport, setOptimistic, predicted = "states" }) {
  const names = ["drop", links && "offline", "verify", beginAnew && "anew"].filter(Boolean);
  const buttons = Object.fromEntries(names.map((name) => [name, button(operations[name][0], { "data-operation": name })]));
  const latency = links && choice("Latency each way, in ms", id("latency"), { 0: "0", 100: "100", 500: "500", 2000: "2000" });
  const transport = setTransport && choice("Transport", id("transport"), { webSocket: "WebSocket", eventStream: "SSE" });
  const optimistic = setOptimistic && element("input", { type: "checkbox", role: "switch", checked: true });
  // What is said here is spoken.
  const outcome = verify ? undefined : element("p", { className: "inspector-outcome", role: "status" });
  const parts = [
    element("h3", { id: id("link") }, "The link"),
    element("div", { className: "inspector-buttons" }, ...Object.values(buttons)),
    hint(names.map((name) => operations[name][1]).join(" ")),
    outcome, latency?.group, transport?.group,
    optimistic && element("label", { className: "inspector-switch" }, optimistic,
      element("span", null, `Predict ${predicted} `, element("small", null, "before the server has answered"))),
  ];
  const section = element("section", { className: "inspector-link", "aria-labelledby": id("link") }, ...parts.filter(Boolean));
  return { section, ...buttons, latencies: latency?.inputs, transports: transport?.inputs, optimistic, outcome };
}

/**
 * Makes all elements of an inspector.
 *
 * @param {string} prefix - of ids, and of names of radio buttons.
 * @param {import("./inspector.d.ts").InspectorOptions} options
 */
export function makeParts(prefix, options) {
  const id = (name) => `${prefix}-${name}`;
  const { head, toggle, word } = makeHead(id);
  const { content, ...wireParts } = makeWire();
  const [tree, document, facts] = [0, 0, 0].map(() => element("div"));
  const { list, buttons, panels } = makeTabs(id, {
    wire: content,
    tree: [hint("The riblets of this session on the server.", options.elementsOf ? " Point at a riblet to see it on the page." : ""), tree],
    document: [hint("The page’s copy of the view. Patches change this copy."), document],
    facts: [hint("What the page and the server know about the session and the link."), facts],
  });
  const { section, ...linkParts } = makeLink(id, options);
  const body = element("div", { className: "inspector-body", id: id("body") }, list, ...panels, section);
  const root = element("aside", { className: "inspector", "aria-labelledby": id("heading") }, head, body);
  const spot = element("div", { className: "inspector-spot", hidden: true });
  return { root, toggle, word, body, tabs: buttons, panels, tree, document, facts, spot, ...wireParts, ...linkParts };
}
