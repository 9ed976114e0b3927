"""Controls that the user and the server change at the same time: each kind, focused and left, bound and not."""

import unittest

from render_page import RenderTest


class Controls(RenderTest):
    def show(self, view, state):
        self.run_js(f"""() => {{
          define("T", {view});
          window.say = (state) => session.show({{1: {{type: "T", state}}}});
          window.answer = (status = "applied") => session.sent.shift().answer({{status, ...(status === "refused" && {{nack: {{code: "refused"}}}})}});
          say({state});
          mount(session, app);
        }}""")

    def leave(self):
        self.page.locator("#outside").focus()

    def value(self, selector="#field"):
        return self.page.locator(selector).input_value()

    RADIOS = """({kind, n}, act) => h("form", {title: n}, ["a", "b", "c"].map((it) => h("input",
      {type: "radio", name: "kind", value: it, id: it, checked: it === kind, onchange: () => act({kind: it})})))"""

    def chosen(self):
        return self.run_js("() => app.querySelector(':checked')?.id ?? ''")

    def test_radio_group_shows_the_users_choice_until_it_is_answered(self):
        for leaves in (False, True):
            with self.subTest(leaves=leaves):
                self.show(self.RADIOS, "{kind: 'a', n: 0}")
                self.page.locator("#b").click()
                if leaves:
                    self.leave()
                self.run_js("() => say({kind: 'a', n: 1})")
                self.assertEqual(self.chosen(), "b", "another member of the state has changed")
                self.run_js("() => { say({kind: 'c', n: 2}); answer(); }")
                self.assertEqual(self.chosen(), "c", "the server has decided otherwise")
                self.page.locator("#a").click()
                self.run_js("() => answer('refused')")
                self.assertEqual(self.chosen(), "c", "what is refused is undone")
                self.open()

    def test_bound_radio_group_sends_its_value(self):
        self.show("""({kind}, act) => ["a", "b"].map((it) => h("input", {type: "radio", name: "kind", value: it, id: it,
          checked: bind(kind, (kind) => act({kind}))}))""", "{kind: 'a'}")
        self.page.locator("#b").click()
        self.assertEqual(self.run_js("() => session.sent.map(({action}) => action)"), [{"kind": "b"}])
        self.run_js("() => say({kind: 'a', n: 1})")
        self.assertEqual(self.chosen(), "b")
        self.run_js("() => { say({kind: 'b'}); answer(); }")
        self.assertEqual(self.chosen(), "b")

    def test_select_keeps_its_value_as_a_child_draws_the_option_later(self):
        self.run_js("""() => {
          define("Choice", ({value}, act, {options}) => h("select", {id: "field", value}, options));
          define("Option", ({name}) => h("option", {value: name}, name));
          window.say = (names) => {
            const nodes = {1: {type: "Choice", state: window.state ??= {value: "b"}, children: {options: {kind: "list", ids: [2, 3].slice(0, names.length)}}}};
            names.forEach((name, index) => { nodes[index + 2] = {type: "Option", state: {name}}; });
            session.show(nodes);
          };
          say(["a", "x"]);
          mount(session, app);
          say(["a", "b"]);
        }""")
        self.assertEqual(self.value(), "b")
        self.page.locator("#field").select_option("a")
        self.run_js("() => say(['a', 'c'])")
        self.assertEqual(self.value(), "a")

    def test_radio_buttons_of_two_nodes_act_for_their_own(self):
        self.run_js("""() => {
          define("List", (state, act, {rows}) => h("div", null, rows));
          define("Row", ({size}, act, children, {id}) => ["a", "b"].map((it) => h("input", {type: "radio", name: "size", value: it, id: it + id,
            checked: bind(size, (set) => act({set}))})));
          const nodes = {1: {type: "List", state: {}, children: {rows: {kind: "list", ids: [2, 3]}}}};
          for (const id of [2, 3]) nodes[id] = {type: "Row", state: {size: ""}};
          session.show(nodes);
          mount(session, app);
        }""")
        self.page.locator("#b3").click()
        self.page.locator("#a2").click()
        self.assertEqual(self.run_js("() => session.sent.map(({to, action}) => [to, action.set])"), [[3, "b"], [2, "a"]])

    def test_radio_buttons_that_are_removed_are_forgotten(self):
        client = self.context.new_cdp_session(self.page)
        self.run_js("""() => {
          define("T", ({n}, act) => h("section", {key: n}, h("input", {type: "radio", name: "kind", value: "a", checked: bind("a", act)})));
          window.removed = [];
          session.show({1: {type: "T", state: {n: 0}}});
          mount(session, app);
          for (let n = 1; n <= 50; n++) {
            removed.push(new WeakRef(app.querySelector("section")));
            session.show({1: {type: "T", state: {n}}});
          }
        }""")
        client.send("HeapProfiler.collectGarbage")
        self.assertLess(self.run_js("() => removed.filter((it) => it.deref()).length"), 5)

    def test_type_of_a_control_may_come_after_its_value(self):
        self.show("""({on}, act) => h("input", {id: "field", checked: bind(on, (on) => act({on})), type: "checkbox"})""", "{on: false}")
        self.assertFalse(self.page.locator("#field").is_checked())
        self.page.locator("#field").click()
        self.assertEqual(self.run_js("() => session.sent.map(({action}) => action)"), [{"on": True}])

    def test_form_may_have_a_control_named_elements(self):
        self.show("""({}, act) => h("form", {onsubmit: (event) => { event.preventDefault(); act("save"); }},
          h("input", {name: "elements", id: "field", value: ""}), h("button", {id: "save"}))""", "{}")
        self.page.locator("#save").click()
        self.assertEqual(self.run_js("() => session.sent.map(({action}) => action)"), ["save"])
        self.no_errors()

    SELECT = """({value, options, n}, act) => h("select", {id: "field", title: n, value, onchange: ({target}) => act({value: target.value})},
      options.map((it) => h("option", {key: it, value: it}, it)))"""

    def test_select_keeps_its_value_as_options_come(self):
        self.show(self.SELECT, "{value: 'b', options: []}")
        self.run_js("() => say({value: 'b', options: ['a', 'b']})")
        self.assertEqual(self.value(), "b", "the options come later")
        self.run_js("() => say({value: 'b', options: ['x', 'a', 'b']})")
        self.assertEqual(self.value(), "b", "one more is in front")
        self.page.locator("#field").select_option("a")
        self.leave()
        self.run_js("() => say({value: 'b', options: ['y', 'x', 'a', 'b'], n: 1})")
        self.assertEqual(self.value(), "a", "the user's choice is not answered")
        self.run_js("() => { say({value: 'x', options: ['x', 'a', 'b']}); answer(); }")
        self.assertEqual(self.value(), "x")

    def test_select_of_several_keeps_the_users_choice(self):
        self.show("""({values, n}, act) => h("select", {id: "field", multiple: true, title: n,
          value: bind(values, (values) => act({values}))}, ["a", "b", "c"].map((it) => h("option", {value: it}, it)))""", "{values: ['a']}")
        chosen = "() => [...field.selectedOptions].map(({value}) => value)"
        self.page.locator("#field").select_option(["a", "c"])
        self.assertEqual(self.run_js("() => session.sent.map(({action}) => action.values)"), [["a", "c"]])
        self.run_js("() => say({values: ['a'], n: 1})")
        self.assertEqual(self.run_js(chosen), ["a", "c"])
        self.run_js("() => { say({values: ['b', 'c']}); answer(); }")
        self.assertEqual(self.run_js(chosen), ["b", "c"])

    def test_checkbox_that_was_left_keeps_the_users_tick_until_it_is_answered(self):
        self.show("""({on, n}, act) => h("input", {id: "field", type: "checkbox", title: n, checked: on,
          onchange: ({target}) => act({on: target.checked})})""", "{on: false, n: 0}")
        ticked = "() => field.checked"
        self.page.locator("#field").click()
        self.leave()
        self.run_js("() => say({on: false, n: 1})")
        self.assertTrue(self.run_js(ticked))
        self.run_js("() => { say({on: false, n: 2}); answer(); }")
        self.assertFalse(self.run_js(ticked), "the server has decided otherwise")

    def test_range_goes_back_to_its_value_as_its_limit_rises(self):
        self.show("({max}) => h('input', {id: 'field', type: 'range', value: 50, max})", "{max: 40}")
        self.assertEqual(self.value(), "40")
        self.run_js("() => say({max: 100})")
        self.assertEqual(self.value(), "50")

    def test_progress_may_be_unknown_again(self):
        self.show("({value}) => h('progress', {id: 'bar', value, max: 10})", "{value: null}")
        position = "() => bar.position"
        self.assertEqual(self.run_js(position), -1)
        self.run_js("() => say({value: 5})")
        self.assertEqual(self.run_js(position), 0.5)
        self.run_js("() => say({value: null})")
        self.assertEqual(self.run_js(position), -1)

    def test_decimal_is_kept_as_it_is_typed(self):
        for kind in ("number", "text"):
            with self.subTest(kind=kind):
                self.show("""({value}, act) => h("input", {id: "field", type: "%s", value: bind(value, (value) => act({value}), {kind: "number"})})"""
                          % kind, "{value: null}")
                self.page.locator("#field").click()
                self.page.keyboard.type("1.05", delay=200)
                self.page.wait_for_function("""() => {
                  while (session.sent.length) { say({value: session.sent[0].action.value}); answer(); }
                  return session.view.nodes[1].state.value === 1.05;
                }""")
                self.assertEqual(self.value(), "1.05")
                self.open()

    def test_decimal_that_is_sent_at_each_key_is_kept(self):
        self.show("""({value}, act) => h("input", {id: "field", type: "number", step: "any", value,
          oninput: ({target}) => act({value: target.value === "" ? null : Number(target.value)})})""", "{value: 7}")
        self.page.locator("#field").fill("")
        self.run_js("() => { say({value: null}); answer(); }")
        for key in "1.05":
            self.page.keyboard.type(key)
            self.run_js("() => { while (session.sent.length) { say({value: session.sent[0].action.value}); answer(); } }")
        self.assertEqual(self.value(), "1.05")

    def test_date_that_is_typed_is_not_taken_away(self):
        self.show("""({on, n}, act) => h("input", {id: "field", type: "date", title: n, value: bind(on, (on) => act({on}))})""", "{on: ''}")
        self.page.locator("#field").fill("2026-11-30")
        self.run_js("() => say({on: '', n: 1})")
        self.assertEqual(self.value(), "2026-11-30")
        self.leave()
        self.run_js("() => { say({on: '2026-12-01'}); answer(); }")
        self.assertEqual(self.value(), "2026-12-01")

    def test_editable_element_keeps_its_caret(self):
        self.show("""({text}, act) => h("div", {id: "field", contenteditable: "true", value: bind(text, (text) => act({text}))})""", "{text: 'hello'}")
        self.page.locator("#field").click()
        self.run_js("() => getSelection().collapse(field.firstChild, 2)")
        self.page.keyboard.type("x")
        self.page.wait_for_function("() => session.sent.length")
        self.run_js("() => { say({text: 'HEXLLO'}); answer(); }")
        self.assertEqual(self.run_js("() => [field.textContent, getSelection().focusOffset]"), ["HEXLLO", 3])
        self.page.keyboard.type("y")
        self.assertEqual(self.run_js("() => field.textContent"), "HEXyLLO")

    CHAT = """({draft, said}, act) => h("form", {onsubmit: (event) => { event.preventDefault(); act("send"); }},
      h("input", {id: "field", name: "draft", value: bind(draft, (draft) => act({draft}), OPTIONS)}), h("p", null, said.join("|")))"""

    def test_text_that_is_typed_while_the_last_one_is_submitted_is_whole(self):
        for options in ("{}", "{clearedBy: ['send']}"):
            with self.subTest(options=options):
                self.show(self.CHAT.replace("OPTIONS", options), "{draft: '', said: []}")
                self.run_js("""() => {
                  let state = {draft: "", said: []};
                  window.serve = () => {
                    const {action} = session.sent[0];
                    state = action === "send" ? {draft: "", said: [...state.said, state.draft]} : {...state, draft: action.draft};
                    say(state);
                    answer();
                  };
                }""")
                self.page.locator("#field").click()
                self.page.keyboard.type("first")
                self.page.keyboard.press("Enter")
                self.page.keyboard.type("second message", delay=20)
                self.run_js("() => { serve(); serve(); }")
                self.assertEqual(self.value(), "second message")
                self.page.keyboard.press("Enter")
                self.page.wait_for_function("() => session.sent.length >= 2")
                self.run_js("() => { while (session.sent.length) serve(); }")
                self.assertEqual(self.page.locator("p").text_content(), "first|second message")
                self.assertEqual(self.value(), "")
                self.open()

    def test_edit_is_sent_before_another_action_of_the_node(self):
        self.show("""({draft}, act) => [h("input", {id: "field", name: "draft", value: bind(draft, (draft) => act({draft}))}),
          h("button", {id: "other", onclick: () => act("other")})]""", "{draft: ''}")
        self.page.locator("#field").click()
        self.page.keyboard.type("abc")
        self.run_js("() => other.click()")
        self.assertEqual(self.run_js("() => session.sent.map(({action}) => action)"), [{"draft": "abc"}, "other"])

    def test_element_that_the_user_has_touched_is_pending(self):
        self.show("""(state, act) => h("ul", {id: "list", onclick: ({target}) => act({toggle: target.closest("li").id})},
          ["a", "b"].map((it) => h("li", {id: it}, h("button", null, it))))""", "{}")
        self.page.locator("#b button").click()
        self.assertEqual(self.run_js("() => [...document.querySelectorAll('[data-pending]')].map((it) => it.textContent)"), ["b"])
        self.run_js("() => answer()")
        self.assertEqual(self.run_js("() => document.querySelectorAll('[data-pending]').length"), 0)


if __name__ == "__main__":
    unittest.main()
