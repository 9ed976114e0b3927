"""riblet-react.js and riblet-vue.js with the frameworks themselves, on a session with a real server."""

import functools
import importlib.util
import os
import pathlib
import re
import unittest

from support import REPOSITORY, BrowserTest, expect

REACT = pathlib.Path("/usr/share/nodejs")
# The page's policy lets no inline script in, and an import map is one: by its nonce.
PAGE = """<!doctype html><html lang="en"><title>Bindings</title><body><div id="app"></div>
<script type="importmap" nonce="map">{"imports": {"react": "/lib/react.js", "react-dom": "/lib/react-dom.js", "react-dom/client": "/lib/react-dom.js", "vue": "/lib/vue.js"}}</script>
<script type="module" src="/page.js"></script>"""

REACT_PAGE = """
import { createElement as e, StrictMode, useState, startTransition } from "react";
import { createRoot } from "react-dom";
import { connect } from "/riblet.js";
import { Children, Riblet, SessionProvider, useNode, usePending, useSession, useStatus } from "/riblet-react.js";

const session = (window.session = connect(location.origin, { app: APP, storage: sessionStorage }));
window.renders = {};
const count = (name) => (renders[name] = (renders[name] ?? 0) + 1);
const button = (text, onClick) => e("button", { onClick }, text);

function Status() {
  return e("p", { id: "status" }, `${useStatus()}, ${useSession() === session}, ${usePending()}`);
}
const views = {
  Counter: ({ id, state, act }) => (count("Counter"), e("p", null, e("output", null, state.count), `${usePending(id)}`, button("+", () => act("increment")))),
  Root: ({ node, act }) => (count("Root"), e("section", null, button("open", () => act("homeTapped")), e(Children, { of: node, name: "home" }))),
  Home: ({ node, state, act }) => (count("Home"), e("section", null, e("output", null, state.count), button("+", () => act("plusTapped")),
    button("close", () => act.back()), e(Children, { of: node, name: "detail" }))),
};
// Reads a node that may be gone, in a tree that is drawn in parts.
function Reader() {
  const [id, setId] = useState(1);
  const node = useNode(id);
  return e("p", { id: "reader" }, button("next", () => startTransition(() => setId(id + 1))), node ? node.type : "none");
}
window.root = createRoot(document.querySelector("#app"));
root.render(e(StrictMode, null, e(SessionProvider, { session, views, fallback: ({ node }) => e("i", null, node.type) },
  e(Status), e(Reader), e(Riblet))));
"""

VUE_PAGE = """
import { createApp, h, ref } from "vue";
import { connect } from "/riblet.js";
import { Children, Riblet, riblets, useNode, usePending, useSession, useStatus } from "/riblet-vue.js";

const session = (window.session = connect(location.origin, { app: APP, storage: sessionStorage }));
window.renders = {};
const count = (name) => (renders[name] = (renders[name] ?? 0) + 1);
const button = (text, onClick) => h("button", { onClick }, text);
const view = (draw, setup = () => ({})) => ({ props: ["id", "node", "state", "act"], setup, render() { return draw(this); } });

const Status = { setup() {
  const status = useStatus(), pending = usePending(), own = useSession();
  return () => h("p", { id: "status" }, `${status.value}, ${own === session}, ${pending.value}`);
} };
const views = {
  Counter: view(({ state, act, pending }) => (count("Counter"), h("p", null, [h("output", null, state.count), `${pending}`, button("+", () => act("increment"))])),
    (props) => ({ pending: usePending(() => props.id) })),
  Root: view(({ node, act }) => (count("Root"), h("section", null, [button("open", () => act("homeTapped")), h(Children, { of: node, name: "home" })]))),
  Home: view(({ node, state, act }) => (count("Home"), h("section", null, [h("output", null, state.count), button("+", () => act("plusTapped")),
    button("close", () => act.back()), h(Children, { of: node, name: "detail" })]))),
};
const Reader = { setup() {
  const id = ref(1), node = useNode(id);
  return () => h("p", { id: "reader" }, [button("next", () => id.value++), node.value ? node.value.type : "none"]);
} };
window.root = createApp({ render: () => [h(Status), h(Reader), h(Riblet)] });
root.use(riblets, { session, views, fallback: ({ node }) => h("i", null, node.type) });
root.mount("#app");
"""


# The room with an input that is bound, on a link that takes its time.
SLOW = """
const slow = (delay) => (url, hello, on) => {
  const later = (fn) => (...values) => setTimeout(fn, delay / 2, ...values);
  const socket = webSocket(url, hello, { open: on.open, message: later(on.message), close: on.close });
  return { send: later((text) => socket.readyState === 1 && socket.send(text)), close: () => socket.close() };
};
const delay = Number(new URLSearchParams(location.search).get("delay"));
const session = (window.session = connect(location.origin, { app: APP, storage: sessionStorage, transports: [slow(delay)] }));
"""
REACT_ROOM = """
import { createElement as e, StrictMode } from "react";
import { createRoot } from "react-dom";
import { connect, webSocket } from "/riblet.js";
import { Riblet, SessionProvider, useField } from "/riblet-react.js";
""" + SLOW + """
function Room({ id, state, act }) {
  const draft = useField(id, "draft", (state) => state.draft, (text) => act({ draftChanged: text }), OPTIONS);
  const onSubmit = (event) => { event.preventDefault(); act("sendTapped"); };
  return e("form", { onSubmit }, e("input", { id: "draft", autoComplete: "off", ...draft.props }),
    e("ul", null, state.messages.map(({ id, text }) => e("li", { key: id }, text))));
}
createRoot(document.querySelector("#app")).render(e(StrictMode, null, e(SessionProvider, { session, views: { Room } }, e(Riblet))));
"""
VUE_ROOM = """
import { createApp, h } from "vue";
import { connect, webSocket } from "/riblet.js";
import { Riblet, riblets, useField } from "/riblet-vue.js";
""" + SLOW + """
const Room = { props: ["id", "node", "state", "act"], setup(props) {
  const draft = useField(props.id, "draft", (state) => state.draft, (text) => props.act({ draftChanged: text }), OPTIONS);
  const onSubmit = (event) => { event.preventDefault(); props.act("sendTapped"); };
  return () => h("form", { onSubmit }, [h("input", { id: "draft", autocomplete: "off", ...draft.props.value }),
    h("ul", props.state.messages.map(({ id, text }) => h("li", { key: id }, text)))]);
} };
createApp({ render: () => h(Riblet) }).use(riblets, { session, views: { Room } }).mount("#app");
"""


def module(text, name, exports):
    """A library's script for pages as a module."""
    return f"{text}\nexport const {{ {exports} }} = {name};\n"


def library(name):
    """React from Debian, Vue from a package of PyPI that ships it; None if it is not here."""
    if name == "vue":
        found = importlib.util.find_spec("trame_client")
        file = found and pathlib.Path(found.origin).parent / "module/vue3-www/vue.global.js"
        names = "computed, createApp, defineComponent, h, inject, onScopeDispose, ref, shallowRef, toValue, watch"
        return module(file.read_text(), "Vue", names) if file and file.exists() else None
    file = REACT / f"{name}/umd/{name}.development.js"
    if not file.exists():
        return None
    if name == "react":
        names = "createContext, createElement, StrictMode, startTransition, useCallback, useContext, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore"
        return module(file.read_text(), "globalThis.React", names)
    return module('import "react";\n' + file.read_text(), "globalThis.ReactDOM", "createRoot")


class BindingTest(BrowserTest):
    """What both have to do; a binding names its page and its libraries."""

    script = None
    libraries = ()

    @classmethod
    def launch(cls, *arguments):
        # A page that the driver answers for has no address, and the browser keeps it from the WebSockets of this machine.
        super().launch(*arguments, "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets")

    @classmethod
    def setUpClass(cls):
        if cls.script is None:
            raise unittest.SkipTest("This is what the bindings have in common.")
        cls.modules = {name: library(name) for name in cls.libraries}
        if not all(cls.modules.values()):
            if os.environ.get("RIB_REQUIRE_ALL") == "1":
                raise AssertionError(f"{cls.libraries} are not here: scripts/setup --tests installs them")
            raise unittest.SkipTest(f"{cls.libraries} are not here")
        super().setUpClass()

    def serve(self, app, script=None, query=""):
        url = self.daemon.url
        policy = "default-src 'self'; script-src 'self' 'nonce-map'"
        self.page.route(re.compile(r"/page\.html"), lambda route: route.fulfill(
            body=PAGE, content_type="text/html", headers={"Content-Security-Policy": policy}))
        scripts = {f"lib/{name}": text for name, text in self.modules.items()}
        for name, text in {**scripts, "page": f"const APP = {app!r};\n{script or self.script}"}.items():
            self.page.route(f"{url}/{name}.js", functools.partial(self.answer, text))
        self.page.goto(f"{url}/page.html{query}")

    @staticmethod
    def answer(text, route, request):
        route.fulfill(body=text, content_type="text/javascript")

    def test_counter_is_drawn_and_acts(self):
        self.serve("counter")
        count = self.page.locator("output")
        expect(count).to_have_text("0")
        for _ in range(20):
            self.page.get_by_role("button", name="+").click()
        expect(count).to_have_text("20")
        expect(self.page.locator("#status")).to_have_text("live, true, false")
        self.page.evaluate("session.reconnect()")
        expect(self.page.locator("#status")).to_have_text("resumed, true, false")
        self.page.reload()
        expect(count).to_have_text("20")

    def test_what_waits_says_so(self):
        self.serve("counter")
        expect(self.page.locator("output")).to_have_text("0")
        self.page.evaluate("() => { session.act(1, 'increment'); }")
        expect(self.page.locator("output")).to_have_text("1")
        self.daemon.kill()
        self.page.get_by_role("button", name="+").click()
        expect(self.page.locator("p").filter(has_text="+")).to_contain_text("true")
        expect(self.page.locator("#status")).to_contain_text("true, true")
        self.daemon.start()
        expect(self.page.locator("output")).to_have_text("2")
        expect(self.page.locator("#status")).to_contain_text("true, false")

    def test_children_come_and_go_and_only_what_changes_is_drawn(self):
        self.serve("home-detail")
        self.page.get_by_role("button", name="open").click()
        count = self.page.locator("output")
        expect(count).to_have_text("0")
        before = self.page.evaluate("({ ...renders })")
        for _ in range(3):
            self.page.get_by_role("button", name="+").click()
        expect(count).to_have_text("3")
        after = self.page.evaluate("({ ...renders })")
        self.assertEqual(after["Root"], before["Root"])
        self.assertGreater(after["Home"], before["Home"])
        self.page.get_by_role("button", name="close").click()
        expect(count).to_have_count(0)
        # Another id is another node, one that is not there none.
        reader = self.page.locator("#reader")
        expect(reader).to_contain_text("Root")
        reader.get_by_role("button").click()
        expect(reader).to_contain_text("none")
        self.page.get_by_role("button", name="open").click()
        reader.get_by_role("button").click()
        expect(reader).to_contain_text("Home")

    def test_sample_of_the_guide_runs(self):
        blocks = re.findall(r"```js\n(.*?)```", (REPOSITORY / "docs/WebClient.md").read_text(), re.S)
        sample, = [block for block in blocks if f'from "/riblet-{self.name}.js"' in block]
        self.serve("", sample)
        self.page.get_by_role("button", name="Home").click()
        for number in range(2):
            self.page.get_by_role("button", name=f"Count {number}").click()
        expect(self.page.get_by_role("button", name="Count 2")).to_be_visible()

    def said(self):
        return self.page.locator("li").all_text_contents()

    def type_two(self, delay, options):
        self.serve("room", self.room.replace("OPTIONS", options), f"?delay={delay}")
        draft = self.page.locator("#draft")
        expect(draft).to_be_visible()
        before = len(self.said())
        draft.click()
        self.page.keyboard.type("the quick brown fox", delay=60)
        self.page.keyboard.press("Enter")
        self.page.keyboard.type("jumps over", delay=40)
        self.page.keyboard.type(" the lazy dog", delay=90)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("li")).to_have_count(before + 2)
        expect(draft).to_have_value("")
        self.assertEqual(self.said()[before:], ["the quick brown fox", "jumps over the lazy dog"])

    def test_what_is_typed_on_a_slow_link_is_whole(self):
        for delay in (0, 100, 500, 2000):
            for options in ("{ clearedBy: ['sendTapped'] }", "{}"):
                with self.subTest(delay=delay, options=options):
                    self.type_two(delay, options)

    def test_what_is_typed_as_the_server_is_killed_is_whole(self):
        self.serve("room", self.room.replace("OPTIONS", "{ clearedBy: ['sendTapped'] }"), "?delay=100")
        self.page.locator("#draft").click()
        self.page.keyboard.type("the quick brown", delay=60)
        self.daemon.kill()
        self.page.keyboard.type(" fox", delay=60)
        self.daemon.start()
        self.page.keyboard.type(" jumps", delay=60)
        self.page.keyboard.press("Enter")
        # The room itself forgets its messages.
        expect(self.page.locator("li")).to_have_text(["the quick brown fox jumps"])
        expect(self.page.locator("#draft")).to_have_value("")

    def test_caret_stays_where_the_user_types(self):
        self.serve("room", self.room.replace("OPTIONS", "{}"), "?delay=300")
        draft = self.page.locator("#draft")
        expect(draft).to_be_visible()
        draft.click()
        self.page.keyboard.type("hello", delay=30)
        for _ in range(3):
            self.page.keyboard.press("ArrowLeft")
        self.page.keyboard.type("xyz", delay=150)
        expect(draft).to_have_value("hexyzllo")
        self.page.wait_for_function("() => session.pending.length === 0")
        self.assertEqual(self.page.evaluate("document.querySelector('#draft').selectionEnd"), 5)

    def test_types_without_a_view_have_the_fallback(self):
        self.serve("screens")
        expect(self.page.locator("i")).to_have_text("Main")

    def test_unmounting_leaves_nothing_behind(self):
        self.serve("counter")
        expect(self.page.locator("output")).to_have_text("0")
        self.page.evaluate("root.unmount()")
        before = self.page.evaluate("({ ...renders })")
        self.assertEqual(self.page.evaluate("session.act(1, 'increment').then(({ status }) => status)"), "applied")
        self.assertEqual(self.page.evaluate("({ ...renders })"), before)
        expect(self.page.locator("#app")).to_be_empty()


class ReactTest(BindingTest):
    name = "react"
    script = REACT_PAGE
    room = REACT_ROOM
    libraries = ("react", "react-dom")


class VueTest(BindingTest):
    name = "vue"
    script = VUE_PAGE
    room = VUE_ROOM
    libraries = ("vue",)


if __name__ == "__main__":
    unittest.main()
