// What a program in TypeScript may say to the client, and what it may not: checked, and never run.

import { connect, webSocket, type Outcome, type Session } from "../../web/riblet.js";
import { define, detail, each, h, list, modal, mount, stack, tabs } from "../../web/render.js";
import { generic } from "../../web/generic.js";
import { Riblet, SessionProvider, useAct, useNode } from "../../web/riblet-react.js";
import * as vue from "../../web/riblet-vue.js";
import { indexedDBStorage } from "../../web/riblet-indexeddb.js";
import { LinkControls, mountInspector, throttled } from "../../web/inspector.js";

const session: Session = connect("http://127.0.0.1:8080", {
  app: "counter",
  params: { start: 1 },
  storage: sessionStorage,
  transports: [webSocket],
  optimistic: { Counter: (state, action) => (action === "increment" ? { count: state.count + 1 } : state) },
});

connect("http://127.0.0.1:8080", { app: "counter", storage: indexedDBStorage("app") });
const entries = new Map<string, string>();
connect("http://127.0.0.1:8080", {
  app: "counter",
  storage: {
    getItem: (key) => entries.get(key),
    setItem: async (key, text) => entries.set(key, text),
    removeItem: (key) => entries.delete(key),
  },
});
// @ts-expect-error: a text is what is kept
connect("http://127.0.0.1:8080", { app: "counter", storage: { ...indexedDBStorage(), getItem: () => 1 } });

const stop: () => void = session.subscribe(1, (node, change) => node?.state ?? change.ids.size);
session.subscribe("/nodes/1/state/count", (count) => count);
session.addEventListener("outcome", ({ detail }) => detail.status === "refused" && detail.nack.code);
session.addEventListener("status", { handleEvent: stop });

const outcome: Promise<Outcome> = session.act("", { select: { _0: 1 } });
session.act(2, { signIn: "swordfish" }, { secret: true });
const kept = session.pending.map((it) => ("secret" in it ? it.secret : it.n));
outcome.then((it) => (it.status === "refused" ? it.nack.message : it.status === "unsent" ? it.message : it.n));

define("Home", (state, act, children, { id }) => h("ul", { onclick: () => act("tapped", { secret: kept.length > 0 }) },
  each([1, 2], (item) => item, (item) => h("li", { transition: { move: 200 } }, String(item + id), state.title), { window: true }),
  detail(children.a), list(children.b), modal(children.c, { label: "C" }),
  stack(children.d, { title: (node) => node.type }),
  tabs(children.e, { titles: ["One"], select: (index) => act({ select: index }), label: "Tabs" })));
mount(session, document.body, { history: true, fallback: generic({ app: "counter" }) }).unmount();

SessionProvider({ session, views: { Counter: ({ state, act }) => (act("increment"), state.count) }, children: Riblet({ id: 1 }) });
useAct(1)({ select: 1 }).then((it) => it.status);
const type: string | undefined = useNode()?.type ?? vue.useNode(() => 2).value?.type;
vue.riblets.install(type, { session, views: {} });

const links = new LinkControls();
connect("http://127.0.0.1:8080", { app: "counter", transports: [throttled("WebSocket", webSocket, links)] });
const inspector = mountInspector(document.body, { links, beginAnew: () => session.end(), elementsOf: () => document.querySelectorAll("p") });
inspector.show(session, { key: "riblet:counter", earlier: [{ direction: "in", text: "{}" }] });
inspector.unmount();
// @ts-expect-error: a transport is named as riblet.js names it.
mountInspector(document.body, { setTransport: (name) => name === "SSE" });

// @ts-expect-error: whom an action is for is a number or a path.
session.act({}, "increment");
// @ts-expect-error: there is no such option of an action.
session.act(1, "increment", { isSecret: true });
// @ts-expect-error: there is no such option.
connect("http://127.0.0.1:8080", { apps: "counter" });
// @ts-expect-error: not every outcome has a refusal.
outcome.then((it) => it.nack);
