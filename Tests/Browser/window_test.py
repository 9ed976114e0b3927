"""Long lists: which of their rows are in the page, and that scrolling, the keyboard and screen readers have all of them."""

import unittest

from render_page import RenderTest

SETUP = """({ count = 10_000, tag = "ul", height = 24, hasHead = false }) => {
  // A table's row is as high as what is in it: that is to be lower than the row, in any font.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("#list :is(label, input, button) { font: 10px/10px sans-serif; height: 10px; margin: 0; padding: 0; border: 0 }"
    + "#list :is(tr, td, th) { line-height: 10px; padding: 0 }");
  document.adoptedStyleSheets = [sheet];
  window.drawn = 0;
  const row = ({ id, text }) => {
    drawn++;
    const content = [h("label", null, h("input", { type: "checkbox" }), text ?? `Row ${id}`), h("button", { type: "button" }, "x")];
    return tag === "table"
      ? h("tr", { id: `r${id}`, style: `height: ${height}px` }, content.map((it) => h("td", null, it)))
      : h(tag === "ul" ? "li" : "div", { id: `r${id}`, style: `height: ${height}px; overflow: hidden` }, content);
  };
  define("T", ({ rows, isShort }) => {
    const list = each(rows, ({ id }) => id, row, { window: !isShort });
    const style = "height: 240px; overflow: auto; margin: 0; padding: 0";
    if (tag === "table") return h("div", { id: "list", style }, h("table", { style: "border-spacing: 0" },
      hasHead && h("thead", null, h("tr", { id: "head" }, h("th", null, "Row"))), h("tbody", null, list)));
    return h(tag, { id: "list", style }, list);
  });
  window.rows = Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
  window.node = (rows, isShort = false) => ({ type: "T", state: { rows, isShort } });
  session.show({ 1: node(rows) });
  mount(session, document.querySelector("#app"));
  window.list = document.querySelector("#list");
  window.ids = () => [...list.querySelectorAll("[id^=r]")].map(({ id }) => Number(id.slice(1)));
  /** The row at a number of pixels below the list's top, near its left side: a table is no wider than its rows. */
  window.at = (y) => {
    const { left, top } = list.getBoundingClientRect();
    return document.elementFromPoint(left + 4, top + y)?.closest("[id^=r]")?.id;
  };
  /** Lets two frames pass: the one that scrolls, and the one that shows. */
  window.frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  window.scroll = async (top) => {
    list.scrollTop = top;
    await frames();
  };
}"""


class WindowTest(RenderTest):
    def begin(self, **options):
        self.run_js(SETUP, options)
        self.run_js("() => frames()")

    def ids(self):
        return self.run_js("() => ids()")

    def scroll(self, top):
        self.run_js("(top) => scroll(top)", top)

    def test_list_in_a_shadow_root_has_what_is_seen(self):
        result = self.run_js("""async () => {
          define("T", ({rows}) => h("ul", {id: "list", style: "height: 240px; overflow: auto; margin: 0; padding: 0"},
            each(rows, ({id}) => id, ({id}) => h("li", {style: "height: 24px", id: `r${id}`}, `Row ${id}`), {window: true})));
          session.show({1: {type: "T", state: {rows: Array.from({length: 10_000}, (_, index) => ({id: index + 1}))}}});
          const outer = app.attachShadow({mode: "open"}), host = outer.appendChild(document.createElement("div"));
          const root = host.attachShadow({mode: "open"});
          const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          const mounted = mount(session, root.appendChild(document.createElement("div")));
          const list = root.querySelector("#list"), shown = [];
          const rows = () => [...list.querySelectorAll("[id^=r]")].map(({id}) => Number(id.slice(1)));
          for (const top of [120_000, 0]) {
            list.scrollTop = top;
            await frames();
            shown.push(rows().includes(top / 24 + 5));
          }
          mounted.unmount();
          return shown;
        }""")
        self.assertEqual(result, [True, True])
        self.no_errors()

    def test_page_has_what_is_seen(self):
        for tag in ["ul", "div", "table"]:
            with self.subTest(tag):
                self.open()
                self.begin(tag=tag)
                self.assertEqual(self.run_js("() => list.scrollHeight"), 240_000)
                self.assertEqual(self.ids()[:11], list(range(1, 12)))
                self.assertLess(len(self.ids()), 60)
                self.scroll(120_000)
                self.assertEqual(self.run_js("() => [at(1), at(238)]"), ["r5001", "r5010"])
                self.assertLess(len(self.ids()), 60)
                self.assertEqual(self.run_js("() => list.scrollHeight"), 240_000)
                self.scroll(240_000)
                self.assertEqual(self.run_js("() => [at(1), at(238)]"), ["r9991", "r10000"])
                self.scroll(0)
                self.assertEqual(self.run_js("() => [at(1), at(238)]"), ["r1", "r10"])
                self.no_errors()

    def test_scrolling_by_some_rows_draws_only_new_ones(self):
        self.begin()
        self.scroll(24_000)
        before = self.run_js("() => { window.kept = document.querySelector('#r1005'); return drawn; }")
        for top in range(24_000, 25_200, 24):
            self.scroll(top)
            self.assertEqual(self.run_js("(y) => [at(1), at(238)]", None), [f"r{top // 24 + 1}", f"r{top // 24 + 10}"])
        self.assertLess(self.run_js("() => drawn") - before, 80)
        self.scroll(24_000)
        self.no_errors()

    def test_row_that_changes_is_drawn_alone(self):
        self.begin()
        self.scroll(120_000)
        drawn = self.run_js("""() => {
          drawn = 0;
          session.show({ 1: node(rows.map((row) => (row.id === 5003 ? { id: 5003, text: "other" } : row))) });
          return drawn;
        }""")
        self.assertEqual(drawn, 1)
        self.assertEqual(self.text("#r5003 label"), "other")
        drawn = self.run_js("""() => {
          drawn = 0;
          session.show({ 1: node(session.node().state.rows.map((row) => (row.id === 9 ? { id: 9, text: "unseen" } : row))) });
          return drawn;
        }""")
        self.assertEqual(drawn, 0)
        self.scroll(0)
        self.assertEqual(self.text("#r9 label"), "unseen")

    def test_what_is_seen_stays_where_rows_come_above(self):
        self.begin()
        self.scroll(120_000)
        for others in [1, 3, 1]:
            before = self.run_js("() => at(1)")
            self.run_js("""async (others) => {
              const more = Array.from({ length: others }, () => ({ id: rows.length * 2 + Math.floor(Math.random() * 1e9) }));
              session.show({ 1: node([...more, ...session.node().state.rows]) });
              await frames();
            }""", others)
            self.assertEqual(self.run_js("() => at(1)"), before)

    def test_shorter_list_and_longer_one_again(self):
        self.begin()
        self.scroll(200_000)
        self.run_js("() => { session.show({ 1: node(rows.filter(({ id }) => id % 1000 === 0)) }); return frames(); }")
        self.assertEqual(self.ids(), [1000 * number for number in range(1, 11)])
        self.run_js("() => { session.show({ 1: node([]) }); return frames(); }")
        self.assertEqual(self.ids(), [])
        self.assertEqual(self.run_js("() => list.childElementCount"), 0)
        self.run_js("() => { session.show({ 1: node(rows) }); return frames(); }")
        self.assertEqual(self.run_js("() => [at(1), at(238)]"), ["r1", "r10"])
        self.assertEqual(self.run_js("() => list.scrollHeight"), 240_000)
        self.no_errors()

    def test_row_with_the_focus_stays_and_tab_goes_on_from_it(self):
        self.begin()
        self.run_js("() => { document.querySelector('#r5 button').focus(); }")
        self.scroll(120_000)
        self.assertEqual(self.run_js("() => document.activeElement.closest('li').id"), "r5")
        self.assertEqual(self.ids()[:4], [4, 5, 6, self.ids()[3]])
        self.assertGreater(self.ids()[3], 4900)
        self.assertEqual(self.run_js("() => at(1)"), "r5001")
        # Another row above it: it is the sixth now.
        self.run_js("() => { session.show({ 1: node([{ id: 0 }, ...rows]) }); return frames(); }")
        self.assertEqual(self.ids()[:3], [4, 5, 6])
        self.assertEqual(self.run_js("() => document.activeElement.closest('li').getAttribute('aria-posinset')"), "6")
        self.page.keyboard.press("Tab")
        self.run_js("() => frames()")
        self.assertEqual(self.run_js("() => document.activeElement.closest('li').id"), "r6")
        self.assertIn("r6", self.run_js("() => [at(1), at(50), at(120), at(190), at(238), at(214), at(166), at(144), at(100)]"))
        self.page.keyboard.press("Shift+Tab")
        self.page.keyboard.press("Shift+Tab")
        self.assertEqual(self.run_js("() => document.activeElement.closest('li').id"), "r5")
        self.no_errors()

    def test_tab_goes_through_all_rows(self):
        self.begin(count=200)
        self.run_js("() => { document.querySelector('#r1 input').focus(); }")
        for number in range(1, 400):
            self.page.keyboard.press("Tab")
            row = self.run_js("() => document.activeElement.closest('li')?.id")
            self.assertEqual(row, f"r{number // 2 + 1}")
        self.no_errors()

    def test_page_keys_scroll(self):
        self.begin()
        self.run_js("() => { list.tabIndex = 0; list.focus(); }")
        for key, seen in [("End", [239_760, "r9991", "r10000"]), ("Home", [0, "r1", "r10"])]:
            # Chromium takes no key that comes as the scrolling by another one ends.
            self.run_js("() => { window.ended = new Promise((done) => list.addEventListener('scrollend', done, { once: true })); }")
            self.page.keyboard.press(key)
            self.assertEqual(self.run_js("() => ended.then(frames).then(() => [list.scrollTop, at(1), at(238)])"), seen)

    def test_screen_readers_are_told(self):
        self.begin()
        self.scroll(120_000)
        told = "() => { const row = document.querySelector('#r5001'); return [row.ariaPosInSet, row.ariaSetSize, row.ariaRowIndex]; }"
        self.assertEqual(self.run_js(told), ["5001", "10000", None])
        hidden = self.run_js("() => [...list.children].filter((it) => !it.id).map((it) => it.ariaHidden)")
        self.assertEqual(hidden, ["true", "true"])
        self.open()
        self.begin(tag="table", hasHead=True)
        self.scroll(120_000)
        # The head is the first row.
        self.assertEqual(self.run_js(told), [None, None, "5002"])
        self.assertEqual(self.run_js("() => [document.querySelector('table').ariaRowCount, head.ariaRowIndex]"), ["10001", "1"])

    def test_list_that_is_shown_later(self):
        self.run_js("() => { document.querySelector('#app').hidden = true; }")
        self.begin()
        self.assertLess(len(self.ids()), 60)
        self.run_js("() => { document.querySelector('#app').hidden = false; return frames(); }")
        self.scroll(120_000)
        self.assertEqual(self.run_js("() => [at(1), at(238)]"), ["r5001", "r5010"])
        self.no_errors()

    def test_list_that_scrolls_with_the_page(self):
        self.begin()
        self.run_js("() => { list.style = 'margin: 0; padding: 0'; return frames(); }")
        self.run_js("() => { window.scrollTo(0, 120_000); return frames(); }")
        seen = self.run_js("() => ids().length")
        self.assertTrue(20 < seen < 250, seen)
        place = self.run_js("() => Math.round((innerHeight / 2 - list.getBoundingClientRect().top) / 24)")
        self.assertIn(place, self.ids())

    def test_rows_of_another_height(self):
        self.begin(height=10)
        self.assertEqual(self.run_js("() => list.scrollHeight"), 100_000)
        self.scroll(50_000)
        self.assertEqual(self.run_js("() => [at(1), at(238)]"), ["r5001", "r5024"])
        # A narrower list has its lines broken.
        self.run_js("""() => {
          const style = document.createElement("style");
          list.style.width = "200px";
          for (const row of list.children) if (row.id) row.style.height = "48px";
          return frames();
        }""")
        self.assertLess(len(self.ids()), 100)
        self.no_errors()

    def test_rows_of_unequal_heights_do_not_keep_the_page_busy(self):
        self.begin()
        self.run_js("""() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync("#list li:not([aria-hidden]):nth-child(odd) { height: 3px !important }"
            + "#list li:not([aria-hidden]):nth-child(3n) { height: 400px !important }");
          document.adoptedStyleSheets = [sheet];
          return frames();
        }""")
        for top in range(0, 120_000, 7_777):
            self.scroll(top)
        self.scroll(0)
        self.assertEqual(self.run_js("() => at(1)"), "r1")
        self.no_errors()

    def test_window_comes_and_goes(self):
        self.begin(count=100)
        self.assertLess(len(self.ids()), 60)
        self.run_js("() => session.show({ 1: node(rows, true) })")
        self.assertEqual(self.ids(), list(range(1, 101)))
        self.assertEqual(self.run_js("() => app.querySelectorAll('[aria-posinset], [aria-setsize]').length"), 0)
        self.run_js("() => session.show({ 1: node(rows) })")
        self.assertLess(len(self.ids()), 60)
        self.no_errors()

    def test_view_that_fails_again_and_again_leaves_no_list_behind(self):
        listeners = self.run_js("""() => {
          let count = 0;
          for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
            const real = document[name].bind(document);
            document[name] = (type, ...rest) => { if (type === "scroll") count += step; return real(type, ...rest); };
          }
          define("T", ({ number }) => h("ul", null, each([number], (it) => it, () => { throw new Error("no"); }, { window: true })));
          const show = (number) => session.show({ 1: { type: "T", state: { number } } });
          show(0);
          const mounted = mount(session, app);
          for (let number = 1; number < 5; number++) show(number);
          mounted.unmount();
          return count;
        }""")
        self.assertEqual(listeners, 0)

    def test_nothing_is_left_of_a_list_that_is_gone(self):
        self.begin()
        self.run_js("() => { session.show({ 1: { type: 'Other', state: {} } }); return frames(); }")
        self.run_js("() => { document.dispatchEvent(new Event('scroll')); window.dispatchEvent(new Event('resize')); return frames(); }")
        self.no_errors()

    def test_row_that_cannot_be_drawn_has_the_nodes_error(self):
        self.run_js("""() => {
          define("T", ({ rows }) => h("ul", { id: "list", style: "height: 240px; overflow: auto" },
            each(rows, (id) => id, (id) => { if (id === 5000) throw new Error("No row."); return h("li", { style: "height: 24px" }, id); },
              { window: true })));
          session.show({ 1: { type: "T", state: { rows: Array.from({ length: 10_000 }, (_, id) => id) } } });
          mount(session, document.querySelector("#app"));
          window.frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""")
        self.run_js("async () => { await frames(); document.querySelector('#list').scrollTop = 120_000; await frames(); }")
        self.assertIn("T: No row.", self.text())

    def test_row_of_two_elements_is_refused(self):
        self.run_js("""() => {
          define("T", ({ rows }) => h("dl", null, each(rows, (id) => id, (id) => [h("dt", null, id), h("dd", null, id)], { window: true })));
          session.show({ 1: { type: "T", state: { rows: [1, 2, 3] } } });
          mount(session, document.querySelector("#app"));
        }""")
        self.assertIn("A row of a list with a window is one element.", self.text())


if __name__ == "__main__":
    unittest.main()
