"""Elements that are seen to come, go and move, and widgets of others that live in the page."""

import unittest

from render_page import RenderTest

SETUP = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("@keyframes fade { to { opacity: 0 } } [data-leaving], [data-entering] { animation: fade 10s linear }"
    + ".endless { animation: fade 1s infinite }");
  document.adoptedStyleSheets = [sheet];
  define("T", ({ rows, endless }) => h("ul", { class: "list" }, each(rows, (row) => row, (row) =>
    h("li", { transition: { move: 10_000 }, class: endless && "endless" }, h("button", null, row)))));
  window.show = (...rows) => session.show({ 1: { type: "T", state: { rows } } });
  window.rows = () => [...app.querySelectorAll("li")].map((li) =>
    li.textContent + ("leaving" in li.dataset ? "-" : "") + ("entering" in li.dataset ? "+" : ""));
  window.finish = async () => {
    for (const animation of document.getAnimations()) animation.finish();
    await new Promise((done) => setTimeout(done));
  };
  show("a", "b", "c");
  mount(session, app);
}"""


class TransitionTest(RenderTest):
    def rows(self):
        return self.run_js("() => rows()")

    def test_what_comes_and_goes_is_marked_while_it_is_animated(self):
        self.run_js(SETUP)
        self.assertEqual(self.rows(), ["a", "b", "c"])
        self.run_js("() => show('a', 'c', 'd')")
        self.assertEqual(self.rows(), ["a", "b-", "c", "d+"])
        self.assertEqual(self.run_js("() => app.querySelectorAll('li')[1].inert"), True)
        # It comes again while the old one goes.
        self.run_js("() => show('b', 'a', 'c', 'd')")
        self.assertEqual(self.rows(), ["b+", "a", "b-", "c", "d+"])
        self.run_js("() => finish()")
        self.assertEqual(self.rows(), ["b", "a", "c", "d"])
        self.run_js("() => session.show({ 1: { type: 'Other', state: {} } })")
        self.assertEqual(self.rows(), [])
        self.no_errors()

    def test_without_an_animation_it_goes_at_once(self):
        self.run_js(SETUP)
        self.run_js("() => { document.adoptedStyleSheets = []; show('a', 'c', 'd'); }")
        self.assertEqual(self.rows(), ["a", "c", "d"])
        self.no_errors()

    def test_animation_that_never_ends_keeps_nothing(self):
        self.run_js(SETUP)
        self.run_js("""() => {
          document.adoptedStyleSheets[0].replaceSync("@keyframes fade { to { opacity: 0 } } li { animation: fade 1s infinite }");
          show("a", "c");
        }""")
        self.assertEqual(self.rows(), ["a", "c"])

    def test_less_motion_is_none(self):
        self.page.emulate_media(reduced_motion="reduce")
        self.run_js(SETUP)
        self.run_js("() => show('c', 'a', 'd')")
        self.assertEqual(self.rows(), ["c", "a", "d"])
        self.assertEqual(self.run_js("() => document.getAnimations().length"), 0)

    def test_what_is_moved_glides(self):
        self.run_js(SETUP)
        moved = self.run_js("""() => {
          const top = (text) => Math.round([...app.querySelectorAll("li")].find((li) => li.textContent === text).getBoundingClientRect().top);
          const before = top("c");
          show("c", "a", "b");
          return [before, top("c"), document.getAnimations().length];
        }""")
        self.assertEqual(moved, [moved[0], moved[0], 3])
        self.run_js("() => finish()")
        self.assertEqual(self.rows(), ["c", "a", "b"])
        self.assertEqual(self.run_js("() => { show('c', 'a', 'b'); return document.getAnimations().length; }"), 0)
        self.no_errors()

    def test_widget_keeps_what_it_has_made(self):
        result = self.run_js("""() => {
          const log = [];
          const hooks = { ref: (element, gone) => log.push(element ? `made ${element.isConnected}` : `gone ${gone.isConnected}`),
            drawn: (element) => log.push(`drawn ${element.dataset.value}`) };
          define("T", ({ value }) => h("div", null, h("p", null, value),
            value < 3 && h("div", { ...hooks, class: "widget", "data-value": value })));
          session.show({ 1: { type: "T", state: { value: 1 } } });
          mount(session, app);
          const widget = app.querySelector(".widget");
          widget.append(document.createElement("canvas"), "text");
          widget.classList.add("is-ready");
          session.show({ 1: { type: "T", state: { value: 2 } } });
          const kept = widget.outerHTML;
          session.show({ 1: { type: "T", state: { value: 3 } } });
          return [log, kept];
        }""")
        self.assertEqual(result[0], ["made true", "drawn 1", "drawn 2", "gone true"])
        self.assertEqual(result[1], '<div class="widget is-ready" data-value="2"><canvas></canvas>text</div>')
        self.no_errors()


if __name__ == "__main__":
    unittest.main()
