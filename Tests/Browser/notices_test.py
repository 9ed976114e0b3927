"""Notices: wherever one is, what can be pressed is not below it."""

import unittest

from admin_test import OPERATOR, PAGES, InspectorTest
from looks import FONTS
from support import APPS, BrowserTest, browser_with, expect

# Windows, and by how much all in them is enlarged.
SIZES = [(width, height, zoom) for width, height in [(320, 640), (768, 1024), (1280, 900)] for zoom in [1, 1.5, 2]]
LONGEST = "The page cannot read what it has stored. A new session begins, and unsent actions are lost."
# What can be pressed, and is below a notice, wherever the page is scrolled to.
COVERED = """
  (text) => {
    const notices = [...document.querySelectorAll(".notice")];
    for (const notice of notices) notice.querySelector("p").textContent = text;
    const isBelow = (it, notice) => {
      let { left, top, right, bottom } = notice.getBoundingClientRect();
      // What is scrolled out of a box on the page is seen nowhere.
      for (let at = it; at && at !== document.body; at = at.parentElement) {
        if (at !== it && getComputedStyle(at).overflow === "visible") continue;
        const box = at.getBoundingClientRect();
        [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
        [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      return left < right && top < bottom && notice.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    };
    const found = new Set();
    for (const part of [0, 0.5, 1]) {
      scrollTo(0, part * (document.documentElement.scrollHeight - innerHeight));
      for (const it of document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")) {
        if (it.closest(".notice") || !it.checkVisibility({ visibilityProperty: true })) continue;
        if (notices.some((notice) => isBelow(it, notice))) found.add(it.outerHTML.slice(0, 120));
      }
    }
    return [...found];
  }
"""
SEEN = "() => { const { top, bottom } = [...document.querySelectorAll('.notice')].at(-1).getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }"


def check_all_sizes(test, page, where):
    """Nothing is covered, in each window."""
    control = page.context.new_cdp_session(page)
    for width, height, zoom in SIZES:
        metrics = {"width": round(width / zoom), "height": round(height / zoom), "deviceScaleFactor": zoom, "mobile": False}
        control.send("Emulation.setDeviceMetricsOverride", metrics)
        test.assertEqual(page.evaluate(COVERED, LONGEST), [], f"{where}, {width} by {height} at {round(zoom * 100)} %")


class NoticesTest(BrowserTest):
    def test_notices_cover_nothing_that_can_be_pressed(self):
        for font in FONTS:
            page = self.new_page(self.new_context(browser_with(font), reduced_motion="reduce"))
            # Where notices are does not depend on the app, and what they would cover does not depend on the font.
            for app in APPS if font == self.font else ["boundaries", "login"]:
                self.open(app, page)
                page.evaluate("() => { for (let turn = 0; turn < 3; turn++) document.querySelector('[data-operation=verify]').click(); }")
                expect(page.locator(".notice")).to_have_count(3)
                check_all_sizes(self, page, f"{app} in {font}")
            page.context.close()

    def test_notice_that_comes_below_the_window_is_scrolled_to(self):
        page = self.new_page(self.new_context(viewport={"width": 320, "height": 568}))
        surface = self.open("ledger", page)
        surface.get_by_role("button", name="Run away").click()
        expect(page.locator(".notice")).to_contain_text("Refused")
        self.wait_until(f"({SEEN})()", page)

    def test_short_notice_moves_nothing(self):
        self.open("counter")
        expect(self.page.locator(".code-listings > *").first).to_be_visible()
        height = "() => document.documentElement.scrollHeight"
        before = self.page.evaluate(height)
        self.page.evaluate("() => document.querySelector('#notices').append(document.createElement('div'))")
        self.page.evaluate("() => { const it = document.querySelector('#notices').lastChild; it.className = 'notice'; it.innerText = 'Refused.'; }")
        self.assertEqual(self.page.evaluate(height), before)


class OperatorsNoticesTest(InspectorTest):
    def test_notices_cover_nothing_that_can_be_pressed(self):
        self.enter(OPERATOR)
        self.begin_counter()
        for name in PAGES:
            self.go(name)
            # As the page makes them of what was refused.
            self.page.evaluate("""() => document.querySelector("#notices").replaceChildren(...[1, 2].map(() => {
              const [notice, text, button] = ["div", "p", "button"].map((tag) => document.createElement(tag));
              notice.className = "notice notice-failure";
              button.className = "button button-quiet";
              button.textContent = "Dismiss";
              notice.append(text, button);
              return notice;
            }))""")
            check_all_sizes(self, self.page, name)


# Their tests are those of their own module.
del InspectorTest


if __name__ == "__main__":
    unittest.main()
