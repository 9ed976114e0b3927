"""generic.js in Chromium: any state, forms for any action, and what the server says of them."""

import unittest

from render_page import RenderTest


class States(RenderTest):
    """A view state, whatever it is."""

    def draw(self, state):
        """Draws a state, and returns the page's lines."""
        self.run_js(
            """(state) => {
              window.mounted?.unmount();
              window.session = new FakeSession();
              session.show({1: {type: "AppRoot", state}});
              window.mounted = mount(session, app, {fallback: generic()});
            }""",
            state,
        )
        self.no_errors()
        return self.page.locator("#app")

    def test_a_riblet_has_its_name_and_members(self):
        page = self.draw({"isLoading": False, "count": 3, "userName": "Ann", "note": "", "gone": None})
        self.assertEqual(page.get_by_role("heading").inner_text(), "App root")
        self.assertEqual(page.locator("dt").all_inner_texts(), ["Is loading", "Count", "User name", "Note", "Gone"])
        self.assertEqual(page.locator("dd").all_inner_texts(), ["false", "3", "Ann", "empty", "none"])
        self.assertEqual(
            self.run_js("() => [...app.querySelectorAll('dd > *')].map((it) => it.className)"),
            ["rib-boolean", "rib-number", "rib-string", "rib-empty", "rib-null"],
        )

    def test_an_empty_state_is_no_list(self):
        self.assertEqual(self.draw({}).locator("dl").count(), 0)

    def test_a_case_and_what_it_carries(self):
        page = self.draw({"results": {"loaded": ["a", "b"]}, "other": {"idle": {}}, "third": {"failed": {"_0": "no"}}})
        self.assertEqual(page.locator(".rib-tag").all_inner_texts(), ["Loaded", "Idle", "Failed"])
        self.assertEqual(page.locator("li").all_inner_texts(), ["a", "b"])
        self.assertEqual(page.locator(".rib-case .rib-string").all_inner_texts(), ["a", "b", "no"])
        self.assertEqual(page.locator(".rib-case dl").count(), 0)

    def test_objects_of_plain_values_are_a_table(self):
        page = self.draw({"rows": [{"id": 1, "isDone": True}, {"id": 2, "title": "x"}]})
        self.assertEqual(page.get_by_role("columnheader").all_inner_texts(), ["Id", "Is done", "Title"])
        self.assertEqual(page.get_by_role("cell").all_inner_texts(), ["1", "true", "none", "2", "none", "x"])

    def test_a_new_column_is_drawn_in_all_rows(self):
        self.draw({"rows": [{"id": 1}, {"id": 2}]})
        self.run_js("""() => session.show({1: {type: "AppRoot", state: {rows: [{id: 1}, {id: 2, title: "x"}]}}})""")
        self.assertEqual(self.page.get_by_role("cell").all_inner_texts(), ["1", "none", "2", "x"])

    def test_other_arrays_are_lists(self):
        page = self.draw({"mixed": [1, {"a": {"b": [2]}}], "none": []})
        self.assertEqual(page.locator("li").count(), 3)
        self.assertEqual(page.locator(".rib-empty").all_inner_texts(), ["none"])

    def test_rows_that_share_an_id_or_have_none_are_all_shown(self):
        page = self.draw({"rows": [{"id": 1}, {"id": 1}], "names": ["a", "b", "c"]})
        self.assertEqual(page.get_by_role("cell").count(), 2)
        for names in [["x", "b"], ["b", "n", "x", "b"], ["b", "b"]]:
            self.run_js("(names) => session.show({1: {type: 'AppRoot', state: {names}}})", names)
            self.assertEqual(page.locator("li").all_inner_texts(), names)

    def test_ten_thousand_rows_and_the_one_that_changed(self):
        result = self.run_js("""() => {
          const ids = Array.from({length: 10000}, (_, index) => index + 1);
          const rows = ids.map((id) => ({id, title: `Row ${id}`, isDone: false}));
          const view = (rows) => ({1: {type: "Catalog", state: {rows}}});
          session.show(view(rows));
          mount(session, app, {fallback: generic()});
          const next = rows.map((row) => row.id === 5000 ? {...row, isDone: true} : row);
          const counts = mutations(app, () => session.show(view(next)));
          const other = [{id: 0, title: "New", isDone: false}, ...next.filter((row) => row.id !== 7)];
          const moves = mutations(app.querySelector("[role=table]"), () => session.show(view(other)));
          return {counts, moves: [moves.added, moves.removed, moves.texts],
            rows: app.querySelectorAll("[role=row].rib-lazy").length,
            columns: app.querySelector(".rib-long").style.getPropertyValue("--rib-columns"),
            text: app.querySelectorAll("[role=row]")[5000].textContent};
        }""")
        self.assertEqual(
            result,
            {
                "counts": {"added": 0, "removed": 0, "attributes": 0, "texts": 1},
                "moves": [1, 1, 0],
                "rows": 10000,
                "columns": "3",
                "text": "5000Row 5000true",
            },
        )
        self.assertEqual(self.page.get_by_role("columnheader").all_inner_texts(), ["Id", "Title", "Is done"])
        self.no_errors()

    def test_long_lists_are_lazy_too(self):
        page = self.draw({"names": [f"n{index}" for index in range(100)]})
        self.assertEqual(page.locator("li.rib-lazy").count(), 100)

    def test_children_are_drawn_by_their_kind(self):
        self.run_js("""() => {
          session.show({1: {type: "A", state: {}, children: {
              mainTabs: {kind: "tabs", ids: [null, 2], selected: 0}, "mainTabs[0]/pages": {kind: "stack", ids: [3, 4]},
              sheet: {kind: "slot", ids: []}, rows: {kind: "list", ids: [5]}}},
            2: {type: "B", state: {}}, 3: {type: "C", state: {}}, 4: {type: "D", state: {}},
            5: {type: "E", state: {}}});
          mount(session, app, {fallback: generic()});
        }""")
        self.assertEqual(self.page.locator(".rib-route-name").all_inner_texts(), ["Main tabs", "Rows"])
        self.assertEqual(self.page.locator("h2:visible").all_inner_texts(), ["A", "D", "E"])
        self.assertEqual(self.page.get_by_role("button", name="Back").count(), 1)


class Forms(RenderTest):
    """Actions, as the schema has them."""

    SETUP = """(action) => {
      window.loads = 0;
      window.types = {T: {state: {}, action}};
      session.server = () => window.outcome ?? {status: "applied", n: 1};
      session.show({1: {type: "T", state: {n: 0}}});
      mount(session, app, {fallback: generic({schema: async () => { loads++; return {types}; }})});
    }"""

    CASES = {
        "oneOf": [
            {"properties": {"increment": {"type": "object", "properties": {}}}},
            {"properties": {"move": {
                "type": "object",
                "required": ["id", "to", "isSlow", "mode", "tags"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1},
                    "to": {"type": "number"},
                    "isSlow": {"type": "boolean"},
                    "mode": {"enum": ["theFirst", "theSecond"]},
                    "tags": {"type": "array"},
                    "note": {"type": "string"},
                },
            }}},
        ]
    }

    def sent(self):
        """The actions so far, once there is one at least."""
        self.page.wait_for_function("() => session.sent.length > 0")
        return self.run_js("() => session.sent.map(({to, action}) => [to, action])")

    def fill(self, **values):
        for label, value in values.items():
            self.page.get_by_label(label, exact=False).fill(value)

    def test_a_name_is_a_button(self):
        self.run_js(self.SETUP, {"enum": ["showSheet", "addRow"]})
        self.page.get_by_role("button", name="Add row").click()
        self.assertEqual(self.sent(), [[1, "addRow"]])
        self.assertEqual(self.page.locator("#app button").count(), 2)
        self.no_errors()

    def test_a_case_without_payload_is_a_button(self):
        self.run_js(self.SETUP, self.CASES)
        self.page.get_by_role("button", name="Increment").click()
        self.assertEqual(self.sent(), [[1, {"increment": {}}]])

    def test_a_riblet_without_actions_has_no_forms(self):
        self.run_js(self.SETUP, False)
        self.page.wait_for_function("() => loads === 1")
        self.assertEqual(self.page.locator("#app form, #app button").count(), 0)

    def test_a_payload_is_a_form(self):
        self.run_js(self.SETUP, self.CASES)
        group = self.page.get_by_role("group", name="Move")
        group.get_by_label("Id").fill("3")
        group.get_by_label("To").fill("0.5")
        group.get_by_label("Is slow").check()
        group.get_by_label("Mode").select_option("The second")
        group.get_by_label("Tags").fill("[1]")
        group.get_by_role("button", name="Send").click()
        move = {"id": 3, "to": 0.5, "isSlow": True, "mode": "theSecond", "tags": [1]}
        self.assertEqual(self.sent(), [[1, {"move": move}]])
        self.assertEqual(group.get_by_label("Id").input_value(), "3")
        self.assertEqual(
            self.run_js("() => { const {type, step, min} = app.querySelector('input'); return [type, step, min]; }"),
            ["number", "1", "1"])
        self.no_errors()

    def test_what_is_wrong_is_said_and_not_sent(self):
        self.run_js(self.SETUP, self.CASES)
        self.page.get_by_label("Id").fill("3")
        self.page.get_by_label("To").focus()
        self.page.keyboard.type("1e")
        self.page.get_by_label("Tags").fill("[")
        self.page.keyboard.press("Tab")
        self.page.get_by_role("button", name="Send").click()
        invalid = self.page.locator("[aria-invalid=true]")
        self.assertEqual(invalid.count(), 2)
        self.assertEqual(self.run_js("() => document.activeElement.labels[0].textContent"), "To")
        described = self.run_js("() => document.activeElement.getAttribute('aria-describedby')")
        self.assertEqual(self.text(f"#{described}"), "Enter a number.")
        self.assertEqual(self.run_js("() => session.sent.length"), 0)
        self.page.get_by_label("To").fill("1")
        self.page.get_by_label("Tags").fill("[]")
        self.page.keyboard.press("Tab")
        self.page.get_by_role("button", name="Send").click()
        self.assertEqual(self.sent()[0][1]["move"]["to"], 1)
        self.assertEqual(invalid.count(), 0)
        self.assertEqual(self.page.locator(".rib-error-text").count(), 0)

    def test_a_secret_is_entered_as_a_password_and_does_not_stay(self):
        fields = {"name": {"type": "string"}, "code": {"type": "string", "writeOnly": True}}
        payload = {"type": "object", "required": ["name", "code"], "properties": fields}
        self.run_js(self.SETUP, {"oneOf": [{"properties": {"signIn": payload}}, {"properties": {"leave": {"properties": {}}}}]})
        code = self.page.get_by_label("Code")
        self.assertEqual(code.get_attribute("type"), "password")
        self.fill(Name="Ada", Code="swordfish")
        self.page.get_by_role("button", name="Send").click()
        self.assertEqual(self.sent(), [[1, {"signIn": {"name": "Ada", "code": "swordfish"}}]])
        self.assertEqual([self.page.get_by_label("Name").input_value(), code.input_value()], ["Ada", ""])
        self.page.get_by_role("button", name="Leave").click()
        self.assertEqual(self.run_js("() => session.sent.map(({secret}) => Boolean(secret))"), [True, False])
        self.no_errors()

    def test_a_refusal_is_said_beside_its_form(self):
        self.run_js(self.SETUP, self.CASES)
        self.run_js("() => { outcome = {status: 'refused', nack: {n: 1, code: 'failed', message: 'Not now.'}}; }")
        self.page.get_by_role("button", name="Increment").click()
        alert = self.page.get_by_role("alert")
        alert.wait_for()
        self.assertEqual(alert.inner_text(), "Not now.")
        self.assertEqual(self.page.locator(".rib-action [role=alert]").count(), 1)
        self.run_js("() => { outcome = undefined; }")
        self.page.get_by_role("button", name="Increment").click()
        alert.wait_for(state="detached")

    def test_a_refusal_leaves_what_was_entered(self):
        self.run_js(self.SETUP, {"oneOf": [{"properties": {"set": {"properties": {"_0": {"type": "string"}}}}}]})
        self.run_js("() => { outcome = {status: 'refused', nack: {n: 1, code: 'failed', message: 'Not now.'}}; }")
        self.page.get_by_label("Value").fill("mine")
        self.page.keyboard.press("Enter")
        self.page.locator("form [role=alert]").wait_for()
        self.assertEqual(self.page.get_by_label("Value").input_value(), "mine")
        self.assertEqual(self.sent(), [[1, {"set": {"_0": "mine"}}]])

    def test_what_is_not_known_is_said(self):
        self.run_js(self.SETUP, {"enum": ["go"]})
        self.run_js("() => { outcome = {status: 'unknown', n: 1}; }")
        self.page.get_by_role("button", name="Go").click()
        self.assertEqual(self.page.get_by_role("alert").inner_text(), "The server may or may not have done this.")
        self.run_js("() => { session.act = () => Promise.reject(new RangeError('Too long.')); }")
        self.page.get_by_role("button", name="Go").click()
        self.page.get_by_text("Too long.").wait_for()
        self.no_errors()

    def test_labels_name_their_own_fields(self):
        self.run_js("""() => {
          const set = {properties: {set: {properties: {_0: {type: "string"}}, required: ["_0"]}}};
          session.show({1: {type: "P", state: {}, children: {all: {kind: "list", ids: [2, 3]}}},
            2: {type: "T", state: {}}, 3: {type: "T", state: {}}});
          mount(session, app, {fallback: generic({schema: () => ({types: {T: {action: {oneOf: [set, set]}}}})})});
        }""")
        self.page.locator("form").nth(3).wait_for()
        ids = self.run_js("() => [...app.querySelectorAll('label')].map((label) => label.control?.id)")
        self.assertEqual(len(set(ids)), 4)
        self.assertNotIn(None, ids)

    def test_an_unknown_type_is_asked_for_again(self):
        self.run_js("() => { window.time = 0; Date.now = () => window.time; }")
        self.run_js(self.SETUP, False)
        self.page.wait_for_function("() => loads === 1")
        self.run_js("() => session.show({1: {type: 'U', state: {}}})")
        self.page.wait_for_function("() => loads === 2")
        self.run_js("() => new Promise((resolve) => setTimeout(resolve))")
        self.run_js("""() => { types = {...types, U: {action: {enum: ["late"]}}}; time = 4000;
          session.show({1: {type: "U", state: {n: 1}}}); }""")
        self.assertEqual(self.page.locator("#app button").count(), 0)
        self.run_js("() => { time = 5000; session.show({1: {type: 'U', state: {n: 2}}}); }")
        self.page.get_by_role("button", name="Late").wait_for()
        self.assertEqual(self.run_js("() => loads"), 3)

    def test_the_schema_is_the_servers(self):
        asked = []

        def answer(route):
            asked.append(route.request.url)
            if len(asked) > 1:
                route.fulfill(status=503, json={"title": "Unavailable"})
            else:
                route.fulfill(json={"app": "a/b", "types": {"T": {"state": {}, "action": {"enum": ["go"]}}}})

        self.page.route("**/v1/apps/**", answer)
        self.run_js("""() => { session.show({1: {type: "T", state: {}}});
          mount(session, app, {fallback: generic({app: "a/b"})}); }""")
        go = self.page.get_by_role("button", name="Go")
        go.wait_for()
        self.assertEqual(asked, ["http://render.test/v1/apps/a%2Fb/schema"])
        # A server that is in trouble does not take away what is known.
        with self.page.expect_response("**/v1/apps/**"):
            self.run_js("() => session.show({1: {type: 'U', state: {}}})")
        self.run_js("() => new Promise((resolve) => setTimeout(resolve, 50))")
        self.run_js("() => session.show({1: {type: 'T', state: {}}})")
        self.assertEqual(go.count(), 1)

    def test_without_a_schema_the_rest_is_drawn(self):
        self.run_js("""() => { session.show({1: {type: "T", state: {n: 1}}});
          mount(session, app, {fallback: generic({app: "gone"})}); }""")
        self.page.wait_for_load_state("networkidle")
        self.assertEqual(self.text("dd"), "1")
        self.no_errors()


if __name__ == "__main__":
    unittest.main()
