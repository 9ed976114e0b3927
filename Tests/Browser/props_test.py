"""What an element may be told: styles, events, objects, links; and what it tells of itself."""

import unittest

from render_page import RenderTest


class Props(RenderTest):
    def draw(self, view, state="{}"):
        """Draws a type by a view function, and says what is there."""
        return self.run_js(
            f"""() => {{
              define("T", {view});
              window.say = (state) => session.show({{1: {{type: "T", state}}}});
              say({state});
              mount(session, app);
              return app.innerHTML;
            }}""")

    def test_a_style_may_be_a_text(self):
        self.draw('({style}) => h("p", {style})', '{style: "color: red; top: 1px"}')
        styles = self.run_js("""() => ["color: blue", {color: "green"}, "top: 2px", undefined].map((style) => {
          say({style});
          return app.querySelector("p").style.cssText;
        })""")
        self.assertEqual(styles, ["color: blue;", "color: green;", "top: 2px;", ""])
        self.no_errors()

    def test_events_with_capitals_are_heard(self):
        heard = self.run_js("""() => {
          const heard = [];
          define("T", ({on}) => h("x-part", on ? {"on:PartMoved": (event) => heard.push(event.detail)} : null));
          window.say = (on) => session.show({1: {type: "T", state: {on}}});
          say(true);
          mount(session, app);
          const tell = (detail) => app.querySelector("x-part").dispatchEvent(new CustomEvent("PartMoved", {detail}));
          tell(1);
          say(false);
          tell(2);
          return heard;
        }""")
        self.assertEqual(heard, [1])

    def test_a_custom_element_gets_objects_as_they_are(self):
        got = self.run_js("""() => {
          const items = [1, 2];
          define("T", () => h("x-list", {items, label: "L", options: {deep: true}}));
          session.show({1: {type: "T", state: {}}});
          mount(session, app);
          const list = app.querySelector("x-list");
          return [list.items === items, list.options, list.getAttribute("label"), list.hasAttribute("items")];
        }""")
        self.assertEqual(got, [True, {"deep": True}, "L", False])

    def test_a_custom_element_gets_a_function_as_it_is(self):
        got = self.run_js("""() => {
          const format = (it) => `<${it}>`;
          define("T", ({has}) => h("x-list", {format: has ? format : null}));
          window.say = (has) => session.show({1: {type: "T", state: {has}}});
          say(true);
          mount(session, app);
          const list = app.querySelector("x-list"), got = [list.format === format, list.hasAttribute("format")];
          say(false);
          return [...got, list.format];
        }""")
        self.assertEqual(got, [True, False, None])

    def test_a_custom_elements_object_goes_when_it_is_drawn_no_more(self):
        got = self.run_js("""() => {
          define("T", ({items}) => h("x-list", {items}));
          window.say = (items) => session.show({1: {type: "T", state: {items}}});
          say([1]);
          mount(session, app);
          const list = app.querySelector("x-list"), got = [list.items];
          for (const items of [undefined, [2], null]) {
            say(items);
            got.push(list.items);
          }
          return got;
        }""")
        self.assertEqual(got, [[1], None, [2], None])

    def test_no_link_runs_a_program(self):
        html = self.draw(
            '({urls}) => urls.map((href) => h("a", {href}, "x"))',
            '{urls: ["javascript:alert(1)", " JaVa\\tScRiPt:alert(1)", "https://a.example/javascript:", "#javascript:"]}')
        self.assertEqual(html, '<a>x</a><a>x</a><a href="https://a.example/javascript:">x</a><a href="#javascript:">x</a>')
        self.assertEqual(len(self.run_js("() => errors")), 2)

    def test_an_element_is_pending_until_what_it_sent_is_answered(self):
        self.draw('(state, act) => [h("button", {id: "one", onclick: () => { act("a"); act("b"); }}), h("button", {id: "two", onclick: () => act("c")})]')
        pending = "() => [...app.querySelectorAll('[data-pending]')].map((it) => it.id)"
        self.page.evaluate("() => { one.click(); two.click(); }")
        self.assertEqual(self.run_js(pending), ["one", "two"])
        self.run_js("() => session.sent.splice(0, 1)[0].answer({status: 'applied'})")
        self.assertEqual(self.run_js(pending), ["one", "two"])
        self.run_js("() => session.sent.splice(0, 1)[0].answer({status: 'refused', nack: {code: 'forbidden', message: ''}})")
        self.assertEqual(self.run_js(pending), ["two"])
        self.run_js("() => session.sent.splice(0, 1)[0].answer({status: 'unsent', message: ''})")
        self.assertEqual(self.run_js(pending), [])

    def test_a_view_knows_whether_an_action_waits(self):
        self.draw('(state, act, children, context) => h("button", {id: "one", onclick: () => act("a")}, context.pending ? "waits" : "rests")')
        text = "() => one.textContent"
        self.assertEqual(self.run_js(text), "rests")
        self.run_js("() => one.click()")
        self.assertEqual(self.run_js(text), "waits")
        self.run_js("() => session.sent.shift().answer({status: 'applied'})")
        self.assertEqual(self.run_js(text), "rests")

    def test_a_node_has_a_value_that_only_the_page_knows(self):
        self.draw('''({n}, act, children, context) => {
          const clicks = context.local(1);
          return h("button", {id: "one", onclick: () => clicks.set(clicks.value + 1)}, `${n} ${clicks.value}`);
        }''', "{n: 7}")
        text = "() => one.textContent"
        self.run_js("() => { one.click(); one.click(); }")
        self.assertEqual(self.run_js(text), "7 3")
        self.run_js("() => say({n: 8})")
        self.assertEqual(self.run_js(text), "8 3", "it stays as long as the node is drawn")

    def test_values_of_a_node_have_names(self):
        self.draw('''(state, act, children, context) => {
          const [one, other] = [context.local(1, "one"), context.local(2, "other")];
          return h("button", {id: "one", onclick: () => one.set(one.value + 10)}, `${one.value} ${other.value}`);
        }''')
        self.run_js("() => one.click()")
        self.assertEqual(self.run_js("() => one.textContent"), "11 2")
        self.draw('''(state, act, children, context) => { context.local(1); return context.local(2).value; }''')
        self.assertIn("A node has one local value of a name", self.text())
        self.draw('''(state, act, children, context) => { context.local(1).set(2); }''')
        self.assertIn("does not set a local value while it is drawn", self.text())
        self.assertEqual(len(self.run_js("() => errors")), 2)

    def test_a_page_says_what_stands_in_the_place_of_a_view_that_throws(self):
        shown = self.run_js("""() => {
          define("P", (state, act, {all}) => h("main", null, all));
          define("C", ({n}) => { if (n < 0) throw new Error(`no ${n}`); return h("b", null, n); });
          const view = (a, b) => ({1: {type: "P", state: {}, children: {all: {kind: "list", ids: [2, 3]}}},
            2: {type: "C", state: {n: a}}, 3: {type: "C", state: {n: b}}});
          session.show(view(-1, 7));
          mount(session, app, {error: (error, {type, id}) => {
            if (error.message === "no -2") throw new Error("worse");
            return h("i", null, `${type} ${id}: ${error.message}`);
          }});
          const shown = [app.textContent];
          session.show(view(1, -2));
          shown.push(app.textContent);
          session.show(view(1, 2));
          return [...shown, app.textContent];
        }""")
        self.assertEqual(shown, ["C 2: no -17", "1C: no -2", "12"])
        self.assertEqual(len(self.run_js("() => errors")), 3)

    def test_who_may_only_look_can_use_what_needs_no_server(self):
        result = self.run_js("""() => {
          define("T", ({ isOff }, act, children, { mayAct }) => h("div", { "data-may": mayAct },
            h("button", { id: "a" }, "a"), h("button", { id: "b", disabled: isOff }, "b"), h("input", { id: "c" }),
            h("input", { id: "d", local: true }), h("select", { id: "e" }), h("textarea", { id: "f" }), h("a", { id: "g", href: "#" }, "g")));
          const off = () => [...app.querySelectorAll("[id]")].filter((it) => it.disabled).map((it) => it.id).join("");
          const may = () => app.firstElementChild.dataset.may;
          const results = [];
          session.scope = "view";
          session.show({ 1: { type: "T", state: { isOff: false } } });
          mount(session, app);
          results.push(off());
          session.show({ 1: { type: "T", state: { isOff: true } } });
          session.show({ 1: { type: "T", state: { isOff: false } } });
          results.push(off(), app.querySelector("[data-may]").dataset.may);
          // It has begun a session of its own.
          session.scope = "act";
          session.show({ 1: { type: "T", state: { isOff: true } } });
          results.push(off(), app.querySelector("[data-may]").dataset.may);
          session.show({ 1: { type: "T", state: { isOff: false } } });
          return [...results, off()];
        }""")
        self.assertEqual(result, ["abcef", "abcef", "false", "b", "true", ""])
        self.no_errors()


if __name__ == "__main__":
    unittest.main()
