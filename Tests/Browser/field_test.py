"""Fields whose server makes another text of what was typed, and pages that something else than their views has touched."""

import unittest

from render_page import RenderTest

# A field that sends each key, and a server that answers with what `make` makes of it; nothing is drawn where that is what was there.
FIELD = """() => {
  window.make = (text) => MAKE;
  define("T", ({text}, act) => h("input", {id: "field", value: text, oninput: (event) => act({text: event.target.value})}));
  window.say = (text) => session.show({1: {type: "T", state: {text}}});
  window.answer = () => {
    const { action, answer } = session.sent.shift();
    say(make(action.text));
    answer({status: "applied"});
  };
  say("");
  mount(session, app);
}"""

# As a browser's translation does: a text is taken out, and another one is there in an element of the translator's.
TRANSLATE = """() => {
  const walker = document.createTreeWalker(app, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (walker.currentNode.data.trim()) texts.push(walker.currentNode);
  for (const text of texts) {
    const font = document.createElement("font");
    font.append(Object.assign(document.createElement("font"), { textContent: `[${text.data}]` }));
    text.replaceWith(font);
  }
}"""


class Fields(RenderTest):
    def show(self, make):
        self.run_js(FIELD.replace("MAKE", make))
        self.page.locator("#field").click()

    def value(self):
        return self.page.locator("#field").input_value()

    def caret(self):
        return self.run_js("() => [field.selectionStart, field.selectionEnd]")

    def answer(self, times):
        for _ in range(times):
            self.run_js("() => answer()")

    def test_text_that_the_server_cuts_is_shown_as_it_is_once_all_is_answered(self):
        self.show("text.slice(0, 4)")
        self.page.keyboard.type("12345678")
        self.answer(7)
        self.assertEqual(self.value(), "12345678", "what is typed is not taken away while something waits")
        self.answer(1)
        self.assertEqual(self.value(), "1234")

    DRAFT = """() => {
      define("T", ({text, n}, act) => h("input", {id: "field", title: n, value: text,
        onkeydown: ({key, target}) => key === "Enter" && act({said: target.value})}));
      window.say = (text, n) => session.show({1: {type: "T", state: {text, n}}});
      say("", 0);
      mount(session, app);
    }"""

    def test_draft_that_was_not_sent_is_not_taken_away_by_an_answer_or_by_leaving(self):
        self.run_js(self.DRAFT)
        self.page.locator("#field").click()
        self.page.keyboard.type("one")
        self.page.keyboard.press("Enter")
        self.page.keyboard.type(" and more")
        self.run_js("() => { say('', 1); session.sent.shift().answer({status: 'applied'}); }")
        self.assertEqual(self.value(), " and more", "what was sent is the server's, and the server has no text")
        self.page.locator("#outside").focus()
        self.assertEqual(self.value(), " and more")

    def test_key_that_does_something_else_takes_no_text_away(self):
        self.run_js("""() => {
          define("T", ({text, n}, act) => h("input", {id: "field", title: n, value: text,
            onkeydown: ({key}) => key === "ArrowDown" && act("next")}));
          window.say = (text, n) => session.show({1: {type: "T", state: {text, n}}});
          say("", 0);
          mount(session, app);
        }""")
        self.page.locator("#field").click()
        self.page.keyboard.type("one")
        self.page.keyboard.press("ArrowDown")
        self.run_js("() => { say('', 1); session.sent.shift().answer({status: 'applied'}); }")
        self.assertEqual(self.value(), "one")

    def test_late_echo_of_a_field_that_sends_after_a_while_is_no_other_value(self):
        self.run_js("""() => {
          define("T", ({text}, act) => h("input", {id: "field", value: text,
            oninput: (event) => { const text = event.target.value; setTimeout(() => act({text}), 1); }}));
          window.say = (text) => session.show({1: {type: "T", state: {text}}});
          say("");
          mount(session, app);
        }""")
        self.page.locator("#field").click()
        self.page.keyboard.type("abc")
        self.page.wait_for_function("() => session.sent.length === 3")
        self.run_js("() => say('ab')")
        self.assertEqual(self.value(), "abc")

    def test_field_that_is_left_while_it_waits_keeps_what_was_typed(self):
        self.show("text.toUpperCase()")
        self.page.keyboard.type("ab")
        self.answer(1)
        self.page.locator("#outside").focus()
        self.assertEqual(self.value(), "ab", "all that was sent has to be answered first")
        self.answer(1)
        self.assertEqual(self.value(), "AB")

    def test_caret_stays_where_it_was(self):
        self.show("text.toUpperCase()")
        self.page.keyboard.type("hello")
        self.answer(5)
        self.assertEqual(self.value(), "HELLO")
        self.run_js("() => field.setSelectionRange(2, 2)")
        self.page.keyboard.type("x")
        self.answer(1)
        self.assertEqual((self.value(), self.caret()), ("HEXLLO", [3, 3]))
        self.run_js("() => { field.setSelectionRange(1, 4, 'backward'); say('changed'); }")
        self.assertEqual((self.value(), self.caret()), ("changed", [1, 4]))

    def test_field_that_a_form_sends_is_the_users_until_that_is_answered(self):
        self.run_js("""() => {
          define("T", ({text, n}, act) => h("form", {title: n, onsubmit: (event) => { event.preventDefault(); act({said: field.value}); }},
            h("input", {id: "field", value: text})));
          window.say = (text, n) => session.show({1: {type: "T", state: {text, n}}});
          say("before", 0);
          mount(session, app);
        }""")
        self.page.locator("#field").fill("")
        self.page.keyboard.type("hi")
        self.run_js("() => say('other', 1)")
        self.assertEqual(self.value(), "otherhi", "nothing was sent: both have written something")
        self.page.locator("#field").fill("hi")
        self.page.keyboard.press("Enter")
        self.run_js("() => { say('', 2); session.sent.shift().answer({status: 'applied'}); }")
        self.assertEqual(self.value(), "")
        self.page.keyboard.type("again")
        self.run_js("() => say('', 3)")
        self.page.locator("#outside").focus()
        self.page.locator("#field").focus()
        self.assertEqual(self.value(), "again", "nothing was sent, so nothing is taken back")

    def test_composition_is_not_disturbed(self):
        self.show("text.toUpperCase()")
        session = self.context.new_cdp_session(self.page)
        session.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
        self.page.wait_for_function("() => session.sent.length > 0")
        while self.run_js("() => session.sent.length"):
            self.answer(1)
        self.assertEqual(self.value(), "ni")
        session.send("Input.insertText", {"text": "nihao"})
        self.page.wait_for_function("() => session.sent.length > 0")
        while self.run_js("() => session.sent.length"):
            self.answer(1)
        self.assertEqual(self.value(), "NIHAO")
        self.no_errors()


class Touched(RenderTest):
    def test_rows_have_as_many_elements_as_they_like(self):
        self.run_js("""() => {
          define("T", ({rows}) => h("dl", null, each(rows, (row) => row.id, (row) =>
            [h("dt", null, row.id), row.text && h("dd", null, row.text), h("dd", null, "!")])));
          window.say = (...rows) => session.show({1: {type: "T", state: {rows}}});
          say({id: 1, text: "a"}, {id: 2, text: "b"});
          mount(session, app);
          for (const element of app.querySelectorAll("dt")) element.mark = element.textContent;
        }""")
        def shown():
            return self.run_js("() => [...app.querySelector('dl').children].map((it) => it.textContent).join(' ')")
        self.assertEqual(shown(), "1 a ! 2 b !")
        self.run_js("() => say({id: 3, text: 'c'}, {id: 2, text: 'b'}, {id: 1, text: ''})")
        self.assertEqual(shown(), "3 c ! 2 b ! 1 !")
        marks = self.run_js("() => [...app.querySelectorAll('dt')].map((it) => it.mark ?? '')")
        self.assertEqual(marks, ["", "2", "1"])
        self.run_js("() => say({id: 1, text: 'd'})")
        self.assertEqual(shown(), "1 d !")
        self.run_js("() => say()")
        self.assertEqual(shown(), "")
        self.no_errors()

    def test_translated_page_goes_on(self):
        self.run_js("""() => {
          define("T", ({count, name, rows}, act) => h("main", null, "Count: ", count, name && h("b", null, name), " of ", h("i", null, "ten"),
            h("button", {onclick: () => act("more")}, `More than ${count}`), h("ul", null, each(rows, (it) => it, (it) => h("li", null, it)))));
          window.say = (count, name, ...rows) => session.show({1: {type: "T", state: {count, name, rows}}});
          say(0, null, "x", "y");
          mount(session, app);
        }""")
        self.run_js(TRANSLATE)
        self.assertEqual(self.run_js("() => app.textContent"), "[Count: ][0][ of ][ten][More than 0][x][y]")
        for count in (1, 2):
            self.run_js("(count) => say(count, null, 'x', 'y')", count)
            self.assertEqual(self.run_js("() => app.querySelector('button').textContent"), f"More than {count}")
            self.assertIn(f"Count: {count}", self.run_js("() => app.textContent"))
        self.run_js(TRANSLATE)
        # An element comes before a text that is not there any more, another one goes.
        self.run_js("() => say(2, 'Ada', 'z', 'y')")
        text = self.run_js("() => app.querySelector('main').firstChild.parentNode.textContent")
        self.assertEqual(text.replace("[", "").replace("]", ""), "Count: 2Ada of tenMore than 2zy")
        self.run_js("() => say(3, null)")
        text = self.run_js("() => app.textContent")
        self.assertEqual(text.replace("[", "").replace("]", ""), "Count: 3 of tenMore than 3")
        self.no_errors()

    def test_focus_is_kept_where_a_text_is_put_back(self):
        self.run_js("""() => {
          define("T", ({n}) => h("p", null, "n: ", n, h("input", {id: "field"}), " end"));
          window.say = (n) => session.show({1: {type: "T", state: {n}}});
          say(0);
          mount(session, app);
        }""")
        self.page.locator("#field").click()
        self.page.keyboard.type("abc")
        self.run_js(TRANSLATE)
        self.run_js("() => say(1)")
        self.assertIn("n: 1", self.run_js("() => app.textContent"))
        self.assertEqual(self.run_js("() => document.activeElement.id + field.value"), "fieldabc")

    def test_ref_that_throws_leaves_nothing_behind(self):
        self.run_js("""() => {
          define("T", ({on}) => h("p", null, on && h("b", {ref: (element) => { if (!element) throw new Error("the page's"); }}), h("i")));
          window.say = (on) => session.show({1: {type: "T", state: {on}}});
          say(true);
          mount(session, app);
          say(false);
        }""")
        self.assertEqual(self.run_js("() => app.innerHTML"), "<p><i></i></p>")
        self.assertEqual(len(self.run_js("() => errors")), 1)


if __name__ == "__main__":
    unittest.main()
