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

    def test_what_is_moved_again_glides_on_from_where_it_is_seen(self):
        self.run_js(SETUP)
        tops = self.run_js("""async () => {
          const top = () => [...app.querySelectorAll("li")].find((li) => li.textContent === "c").getBoundingClientRect().top;
          const tops = [top()];
          show("c", "a", "b");
          for (const animation of document.getAnimations()) { animation.pause(); animation.currentTime = 5_000; }
          tops.push(top());
          show("a", "c", "b");
          tops.push(top());
          for (const animation of document.getAnimations()) animation.finish();
          tops.push(top());
          return tops.map((it) => Math.round(it));
        }""")
        self.assertLess(tops[1], tops[0])
        self.assertEqual(tops[2], tops[1])
        row = self.run_js("() => app.querySelector('li').getBoundingClientRect().height")
        self.assertEqual(tops[3], round(tops[0] - row))
        self.no_errors()

    def test_what_is_taken_along_does_not_glide_twice(self):
        moved = self.run_js("""() => {
          define("T", ({ before }) => h("div", null, before && h("p", { style: "height: 50px; margin: 0" }),
            h("section", { transition: { move: 1000 } }, h("b", { transition: { move: 1000 } }, "x"))));
          const show = (before) => session.show({ 1: { type: "T", state: { before } } });
          show(false);
          mount(session, app);
          const top = () => app.querySelector("b").getBoundingClientRect().top;
          const old = top();
          show(true);
          return [top() - old, document.getAnimations().length];
        }""")
        self.assertEqual(moved, [0, 1])

    def test_rows_that_are_scrolled_out_of_sight_take_no_leave(self):
        marked = self.run_js("""async () => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync("@keyframes fade { to { opacity: 0 } } [data-leaving], [data-entering] { animation: fade 10s linear }");
          document.adoptedStyleSheets = [sheet];
          define("T", ({ rows }) => h("ul", { id: "list", style: "height: 240px; overflow: auto" }, each(rows, (row) => row, (row) =>
            h("li", { transition: true, style: "height: 24px" }, row), { window: true })));
          session.show({ 1: { type: "T", state: { rows: Array.from({ length: 10_000 }, (_, row) => row) } } });
          mount(session, app);
          const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          await frames();
          for (const top of [300, 900, 120_000, 0]) {
            document.querySelector("#list").scrollTop = top;
            await frames();
          }
          return app.querySelectorAll("[data-leaving], [data-entering]:not(ul)").length;
        }""")
        self.assertEqual(marked, 0)
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
