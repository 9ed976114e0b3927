"""The showcase for those who use it otherwise: with a screen reader, by keyboard, enlarged, or in colours of their own."""

import time
import unittest

import axe
from support import APPS, PATIENCE, BrowserTest, browser_with, expect


class AccessibilityTest(BrowserTest):
    """axe finds nothing serious, in any app, theme or width."""

    def check(self, page, where, rules=None):
        self.assertEqual(axe.violations(page.evaluate, rules), [], where)

    def test_apps(self):
        page = self.new_page(self.new_context(reduced_motion="reduce"))
        for app in APPS:
            self.open(app, page)
            # In other colours it is the same page.
            for scheme, rules in [("light", None), ("dark", axe.COLORS)]:
                self.draw_in(scheme, page)
                self.check(page, f"{app}, {scheme}", rules)

    def test_dialogs_and_narrow_windows(self):
        context = self.new_context(viewport={"width": 320, "height": 640}, reduced_motion="reduce")
        page = self.new_page(context)
        surface = self.open("home-detail", page)
        surface.get_by_role("button", name="Open home").click()
        surface.get_by_role("button", name="Show detail").click()
        expect(page.get_by_role("dialog", name="Detail")).to_be_visible()
        self.check(page, "a modal")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Hand off").click()
        expect(page.get_by_role("textbox", name="Link")).not_to_have_value("")
        self.check(page, "the hand-off")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Show the inspector").click()
        for tab in ["Tree", "Document", "Facts", "Wire"]:
            page.get_by_role("tab", name=tab).click()
            self.check(page, f"the inspector's {tab}")
        context.close()

    def test_generic_renderer(self):
        for app in ["search", "boundaries", "profile"]:
            self.open(app)
            self.page.get_by_role("tab", name="Compose").click()
            expect(self.page.locator("#screen .rib-button").first).to_be_visible()
            self.check(self.page, f"{app}, drawn by its schema")


class WalkTest(BrowserTest):
    """Tab leads to all that can be used, in each app, and back out; wherever the focus is, it is seen, and says what it is."""

    # What has the focus, as a person finds it: whether it can be seen, what marks it, and what it is called.
    FOCUSED = """
      () => {
        const it = document.activeElement;
        if (it === document.body) return null;
        window.walked ??= new Set();
        walked.add(it);
        // What is drawn of a radio button or a switch is beside it.
        const shown = it.matches("[type=radio], [type=checkbox]") && it.getBoundingClientRect().width < 8 ? it.nextElementSibling : it;
        const { left, top, right, bottom, width, height } = shown.getBoundingClientRect();
        const { outlineStyle, outlineWidth } = getComputedStyle(shown);
        const middle = (from, to, end) => (Math.max(from, 0) + Math.min(to, end)) / 2;
        const inFront = document.elementFromPoint(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
        return {
          html: it.outerHTML.slice(0, 160),
          isSeen: width > 0 && height > 0 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
          isInFront: Boolean(inFront) && (shown.contains(inFront) || inFront.contains(shown) || it.labels?.[0]?.contains(inFront)),
          isMarked: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
          name: it.ariaLabel ?? it.labels?.[0]?.textContent ?? document.getElementById(it.getAttribute("aria-labelledby"))?.textContent
            ?? (it.title || it.textContent.trim()),
        };
      }
    """
    # All that a click does something to, and Tab has not come to; of radio buttons it comes to one of each group, and of ten thousand rows to a way past.
    MISSED = """
      () => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
        .filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.disabled && it.tabIndex >= 0 && !walked.has(it) && !it.closest('.catalog-row'))
        .filter((it) => !(it.type === "radio" && [...walked].some((other) => other.name === it.name)))
        .map((it) => it.outerHTML.slice(0, 160))
    """

    def walk(self, where):
        # The code comes when the user is near it: before, Tab would go past.
        self.page.locator("#code").scroll_into_view_if_needed()
        expect(self.page.locator(".code-listing").last).to_be_visible()
        self.page.evaluate("scrollTo(0, 0)")
        self.page.evaluate("() => { window.walked = new Set(); document.querySelector('.skip').focus(); }")
        for step in range(150):
            if step:
                self.page.keyboard.press("Tab")
            focused = self.page.evaluate(self.FOCUSED)
            if focused is None:
                break
            if focused["html"].startswith('<a class="skip skip-list"'):
                self.page.keyboard.press("Enter")
                self.page.evaluate(self.FOCUSED)
            # What a script has given the focus after a click has no mark.
            for quality in ["isSeen", "isInFront", "name"] + ["isMarked"] * (step > 0):
                self.assertTrue(focused[quality], f"{where}: {quality} of {focused}")
        self.assertIsNone(focused, f"{where}: Tab does not lead out")
        self.assertEqual(self.page.evaluate(self.MISSED), [], where)

    def test_each_app(self):
        for app in APPS:
            self.open(app)
            self.walk(app)

    def test_narrow_and_with_the_inspector(self):
        self.page.set_viewport_size({"width": 320, "height": 640})
        self.open("home-detail")
        self.page.get_by_role("button", name="Show the inspector").click()
        for tab in ["Tree", "Document", "Facts", "Wire"]:
            self.page.get_by_role("tab", name=tab).click()
            self.walk(tab)


class EnlargedTest(BrowserTest):
    """Nothing is cut off or has to be scrolled for in two directions at twice the size: of everything, or of the text alone."""

    # Texts that are cut off where nothing says so, and that cannot be scrolled to.
    CUT = """
      () => {
        const cut = new Set();
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          const { parentElement: holder } = text;
          if (!text.data.trim() || !holder.checkVisibility({ visibilityProperty: true })) continue;
          const range = document.createRange();
          range.selectNodeContents(text);
          const { left, right } = range.getBoundingClientRect();
          for (let it = holder; it && it !== document.body; it = it.parentElement) {
            const { overflowX, textOverflow, clip, clipPath } = getComputedStyle(it);
            // Those for screen readers are cut off on purpose.
            if (/auto|scroll/.test(overflowX) || textOverflow === "ellipsis" || clip !== "auto" || clipPath !== "none") break;
            const box = it.getBoundingClientRect();
            if (/hidden|clip/.test(overflowX) && (right > box.right + 1 || left < box.left - 1)) cut.add(holder);
          }
        }
        return [...cut].map((it) => it.outerHTML.slice(0, 160));
      }
    """

    def check(self, page, app):
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, app)
        self.assertEqual(page.evaluate(self.CUT), [], app)

    def test_everything(self):
        # What a window of 1280 by 900 has at 200 %, and at 400 %.
        for factor in [2, 4]:
            context = self.new_context(viewport={"width": 1280 // factor, "height": 900 // factor}, device_scale_factor=factor)
            page = self.new_page(context)
            for app in APPS:
                self.open(app, page)
                self.check(page, f"{app} at {factor}00 %")
                self.keep_picture(page, f"enlarged-{factor}-{app}")
            context.close()

    def test_text_alone(self):
        # As somebody has it who has chosen letters of 32 pixels for all pages.
        browser = browser_with(self.font, "--blink-settings=defaultFontSize=32")
        page = self.new_page(self.new_context(browser, viewport={"width": 1280, "height": 900}))
        for app in APPS:
            self.open(app, page)
            self.assertEqual(page.evaluate("getComputedStyle(document.documentElement).fontSize"), "32px")
            self.check(page, f"{app}, text at 200 %")
            self.keep_picture(page, f"text-{app}")


class ForcedColorsTest(BrowserTest):
    """In the colours that a person has chosen for all programs, what can be used has an edge, and what is chosen is told by more than its colour."""

    # What can be used, and has neither an edge nor a line under it that the colours leave; links in a text are underlined or coloured as links.
    WITHOUT_EDGE = """
      () => [...document.querySelectorAll("button, input, select, textarea")].filter((it) => {
        if (!it.checkVisibility({ visibilityProperty: true }) || it.getBoundingClientRect().width < 8) return false;
        if (["radio", "checkbox", "range"].includes(it.type)) return false;
        const { borderTopWidth, borderBottomWidth, outlineStyle, textDecorationLine } = getComputedStyle(it);
        return parseFloat(borderTopWidth) + parseFloat(borderBottomWidth) === 0 && outlineStyle === "none" && textDecorationLine === "none";
      }).map((it) => it.outerHTML.slice(0, 160))
    """

    def test_each_app(self):
        page = self.new_page(self.new_context(forced_colors="active", reduced_motion="reduce"))
        for app in APPS:
            self.open(app, page)
            for scheme in ["light", "dark"]:
                self.draw_in(scheme, page, forced_colors="active")
                self.assertEqual(page.evaluate(self.WITHOUT_EDGE), [], f"{app}, {scheme}")
                self.keep_picture(page, f"forced-{scheme}-{app}")

    def test_what_is_chosen_looks_otherwise(self):
        page = self.new_page(self.new_context(forced_colors="active", reduced_motion="reduce"))
        surface = self.open("screens", page)
        tab = page.get_by_role("tab", name="Tree")
        switch = surface.get_by_role("switch", name="Sub-view 1")
        radio = page.get_by_role("radio", name="500", exact=True)
        latency = radio.locator("xpath=following-sibling::span")
        for element, choose in [(tab, tab.click), (switch, switch.click), (latency, radio.check)]:
            color = "(it) => getComputedStyle(it, it.matches('.toggle') ? '::before' : null).backgroundColor"
            before = element.evaluate(color)
            choose()
            deadline = time.monotonic() + PATIENCE / 1000
            while element.evaluate(color) == before:
                self.assertLess(time.monotonic(), deadline, element)


if __name__ == "__main__":
    unittest.main()
