"""How the page looks, whom it shuts out, and what a patch costs it."""

import json
import statistics
import unittest

from looks import PICTURES
from support import APPS, ARTIFACTS, BrowserTest, browser_with, expect


def keep_figures(name, figures):
    """Keeps what was measured for whoever wants to know; it is the machine's as much as the page's, and is not judged."""
    if not ARTIFACTS:
        return
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    file = ARTIFACTS / "figures.json"
    all_figures = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps({**all_figures, name: figures}, indent=2) + "\n")


class LookTest(BrowserTest):
    """Pictures of every app, light and dark, narrow and wide; none may be wider than the window."""

    def test_pictures(self):
        browser = browser_with(PICTURES)
        for width, height in [(320, 640), (1280, 900)]:
            context = self.new_context(
                browser, viewport={"width": width, "height": height}, device_scale_factor=1, reduced_motion="reduce")
            page = self.new_page(context)
            for app in APPS:
                self.open(app, page)
                for scheme in ["light", "dark"]:
                    self.draw_in(scheme, page)
                    self.keep_picture(page, f"{app}-{scheme}-{width}")
                    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(overflow, 0, f"{app} is wider than {width} pixels")
            context.close()


class CostTest(BrowserTest):
    """What a patch touches, and how long it takes to be seen."""

    OBSERVE = """
      (target) => {
        window.touched = new Set();
        window.observer = new MutationObserver((records) => {
          for (const { type, target, attributeName, addedNodes, removedNodes } of records) {
            // That an element waits for an answer no patch says.
            if (attributeName === "data-pending") continue;
            if (type !== "childList") touched.add(target);
            for (const node of [...addedNodes, ...removedNodes]) touched.add(node);
          }
        });
        observer.observe(document.querySelector(target), { subtree: true, childList: true, attributes: true, characterData: true });
      }
    """

    def touched(self):
        return self.page.evaluate("() => { observer.takeRecords(); return [...touched].map((it) => it.outerHTML ?? it.data); }")

    def test_toggle_in_ten_thousand_rows_touches_one(self):
        surface = self.open("catalog")
        # What the wheel does in one go, a finger does in a few seconds.
        surface.locator(".catalog-rows").evaluate("(list) => list.scrollTo(0, 4_999 * 44)")
        row = surface.locator('.catalog-row[data-id="5000"]')
        expect(row).to_be_in_viewport()
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        self.page.evaluate(self.OBSERVE, "#screen")
        row.get_by_role("checkbox").click()
        expect(row).to_have_class("catalog-row is-done")
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        touched = self.touched()
        self.assertEqual(len(touched), 1, touched)
        self.assertIn("Row 05000", touched[0])

    # When the first row was seen, and all tasks that took the page's thread longer than 50 ms.
    WATCH = """
      window.tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
        .observe({ type: "longtask", buffered: true });
      const look = () => document.querySelector(".catalog-row")
        ? requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now()))) : requestAnimationFrame(look);
      look();
    """

    def test_ten_thousand_rows_are_drawn_in_a_window(self):
        self.page.add_init_script(self.WATCH)
        surface = self.open("catalog")
        rows = surface.locator(".catalog-row")
        expect(rows.first).to_be_visible()
        expect(surface.get_by_role("status")).to_have_text("10,000 rows")
        self.assertLess(rows.count(), 300)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        painted, tasks = self.page.evaluate("[window.painted, window.tasks]")
        self.page.evaluate("() => tasks.length = 0")
        surface.get_by_role("searchbox").fill("9")
        expect(surface.get_by_role("status")).to_have_text("3,439 of 10,000 rows")
        surface.get_by_role("searchbox").fill("")
        expect(rows.first).to_contain_text("Row 00001")
        keep_figures("the catalog", {"painted": round(painted), "longest task": round(max(tasks, default=0)),
                                     "longest task to filter": round(max(self.page.evaluate("tasks"), default=0))})

    def test_count_touches_its_text(self):
        surface = self.open("counter")
        self.page.evaluate(self.OBSERVE, "#screen")
        surface.get_by_role("button", name="Increment").click()
        expect(surface.get_by_label("Count")).to_have_text("1")
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        touched = self.touched()
        self.assertEqual(touched, ["1"])

    def test_what_no_patch_names_stays_where_it_is(self):
        surface = self.open("counter")
        # The count itself is centred, and the log of messages grows at its top: both are what has changed.
        self.page.evaluate("""
          () => {
            window.shifted = [];
            new PerformanceObserver((list) => {
              for (const { sources } of list.getEntries()) {
                for (const { node } of sources) {
                  // What is gone by now has not moved.
                  const element = node instanceof Element ? node : node?.parentElement;
                  if (element && !element.closest("#screen .figure, .wire")) shifted.push(element.outerHTML.slice(0, 100));
                }
              }
            }).observe({ type: "layout-shift" });
          }
        """)
        # By script: what follows soon after a real click does not count as a shift.
        for name in ["Increment"] * 12 + ["Decrement", "Reset"]:
            surface.get_by_role("button", name=name).evaluate("(button) => button.click()")
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        expect(surface.get_by_label("Count")).to_have_text("0")
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertEqual(self.page.evaluate("shifted"), [])

    TIMES = """
      async (turns) => {
        const button = [...document.querySelectorAll("#screen button")].find((it) => it.ariaLabel === "Increment");
        const output = document.querySelector("#screen [aria-label=Count]");
        const times = [];
        for (let turn = 0; turn < turns; turn++) {
          const start = performance.now();
          const changed = new Promise((done) => new MutationObserver((_, observer) => { observer.disconnect(); done(); })
            .observe(output, { characterData: true, childList: true, subtree: true }));
          button.click();
          await changed;
          const applied = performance.now();
          // The frame that shows it has been handed on when the next one begins to be made.
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
          times.push([applied - start, performance.now() - start]);
        }
        return times;
      }
    """

    # Counts what changes of the inspector: each attribute, text and list of children, and each node that comes or goes.
    CHANGES = """
      () => {
        window.inspectorChanges = 0;
        const count = (records) => {
          for (const { addedNodes, removedNodes } of records) {
            window.inspectorChanges += 1 + addedNodes.length + removedNodes.length;
          }
        };
        const all = { attributes: true, characterData: true, childList: true, subtree: true };
        new MutationObserver(count).observe(document.getElementById("inspector"), all);
      }
    """

    def test_action_costs_the_inspector_no_more_than_the_first_ones(self):
        """How much is drawn is judged. The times are kept only: they are the machine's as much as the page's."""
        surface = self.open("counter")
        self.page.get_by_role("switch", name="Predict the counter").uncheck()
        self.page.evaluate(self.CHANGES)
        changes = []

        def measure(turns):
            times = []
            for _ in range(turns):
                before = self.page.evaluate("inspectorChanges")
                times += self.page.evaluate(self.TIMES, 100)
                changes.append(self.page.evaluate("inspectorChanges") - before)
            cuts = [statistics.quantiles(values, n=100) for values in zip(*times)]
            names = ["milliseconds to changed document", "milliseconds to painted change"]
            return {name: {"p50": round(cut[49], 2), "p99": round(cut[98], 2)} for name, cut in zip(names, cuts)}

        figures = {"with the inspector": measure(3)}
        # A list that is full loses a row for each that it gets.
        self.assertGreater(changes[0], 100)
        self.assertLess(changes[2], 2 * changes[0] + 200)
        self.page.get_by_role("button", name="Hide the inspector").click()
        figures["without it"] = measure(1)
        expect(surface.get_by_label("Count")).to_have_text("400")
        keep_figures("a click", figures)


if __name__ == "__main__":
    unittest.main()
