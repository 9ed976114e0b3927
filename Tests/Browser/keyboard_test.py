"""The showcase by keyboard alone, and the browser's back button."""

import unittest

from support import BrowserTest, expect


class KeyboardTest(BrowserTest):
    def tab_to(self, locator, limit=60):
        """Presses Tab until an element has the focus."""
        for _ in range(limit):
            if locator.evaluate("(element) => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        self.fail(f"{limit} times Tab do not lead to {locator}")

    def test_skip_link_leads_to_the_app(self):
        self.open("counter")
        self.page.keyboard.press("Tab")
        skip = self.page.get_by_role("link", name="Skip to the app")
        expect(skip).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("main")).to_be_focused()
        self.page.keyboard.press("Tab")
        expect(self.page.get_by_role("tab", name="App")).to_be_focused()
        self.page.keyboard.press("Tab")
        expect(self.page.locator("#screen").get_by_role("button", name="Decrement")).to_be_focused()

    def test_counter(self):
        surface = self.open("counter")
        self.tab_to(surface.get_by_role("button", name="Increment"))
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Space")
        expect(surface.get_by_label("Count")).to_have_text("2")
        # Whatever was patched, the focus is where it was.
        expect(surface.get_by_role("button", name="Increment")).to_be_focused()

    def test_tabs_and_stack(self):
        surface = self.open("tabs")
        self.tab_to(surface.get_by_role("tab", name="Home"))
        self.page.keyboard.press("ArrowRight")
        expect(surface.get_by_role("tab", name="Finance")).to_be_focused()
        expect(surface.get_by_role("heading", name="Finance")).to_be_visible()
        self.page.keyboard.press("End")
        expect(surface.get_by_role("tab", name="Profile", selected=True)).to_be_focused()
        self.page.keyboard.press("ArrowRight")
        expect(surface.get_by_role("tab", name="Home", selected=True)).to_be_focused()
        self.tab_to(surface.get_by_role("button", name="Transport"))
        self.page.keyboard.press("Enter")
        expect(surface.get_by_role("heading", name="Transport")).to_be_focused()
        self.page.keyboard.press("Shift+Tab")
        expect(surface.get_by_role("button", name="Back to Home")).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(surface.get_by_role("heading", name="Home")).to_be_focused()

    def test_modal_takes_the_focus_and_gives_it_back(self):
        surface = self.open("home-detail")
        self.tab_to(surface.get_by_role("button", name="Open home"))
        self.page.keyboard.press("Enter")
        opener = surface.get_by_role("button", name="Show detail")
        expect(opener).to_be_visible()
        self.tab_to(opener)
        self.page.keyboard.press("Enter")
        dialog = self.page.get_by_role("dialog", name="Detail")
        expect(dialog).to_be_visible()
        self.assertTrue(dialog.evaluate("(dialog) => dialog.contains(document.activeElement)"))
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(opener).to_be_focused()

    def test_text_that_is_typed_survives_patches(self):
        surface = self.open("search")
        self.page.get_by_role("radio", name="100", exact=True).check()
        field = surface.get_by_role("searchbox")
        self.tab_to(field)
        self.page.keyboard.type("pineapple", delay=35)
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        expect(field).to_have_value("pineapple")
        expect(field).to_be_focused()
        self.page.keyboard.press("Enter")
        expect(surface.locator(".results").get_by_role("status")).to_contain_text("found")

    def test_catalog_rows_by_arrows(self):
        surface = self.open("catalog")
        boxes = surface.locator(".catalog-row input")
        self.tab_to(boxes.first)
        self.page.keyboard.press("ArrowDown")
        expect(boxes.nth(1)).to_be_focused()
        self.page.keyboard.press("Space")
        expect(boxes.nth(1)).to_be_checked()
        expect(boxes.nth(1)).to_be_focused()

    def test_catalog_by_keys_far_beyond_what_was_drawn(self):
        surface = self.open("catalog")
        self.tab_to(surface.locator(".catalog-row input").first)
        for _ in range(120):
            self.page.keyboard.press("ArrowDown")
        expect(surface.get_by_role("checkbox", name="Row 00121", exact=True)).to_be_focused()
        expect(surface.locator('.catalog-row[data-id="121"]')).to_be_in_viewport()
        # Far away by the wheel; the keys go on from where the focus is.
        surface.locator(".catalog-rows").evaluate("(list) => list.scrollTo(0, 9_000 * 44)")
        expect(surface.get_by_text("Row 09001", exact=True)).to_be_in_viewport()
        self.page.keyboard.press("ArrowUp")
        expect(surface.get_by_role("checkbox", name="Row 00120", exact=True)).to_be_focused()
        expect(surface.locator('.catalog-row[data-id="120"]')).to_be_in_viewport()
        self.page.keyboard.press("End")
        expect(surface.get_by_role("checkbox", name="Row 10000", exact=True)).to_be_focused()
        self.page.keyboard.press("ArrowUp")
        expect(surface.get_by_role("checkbox", name="Row 09999", exact=True)).to_be_focused()
        self.page.keyboard.press("Home")
        expect(surface.get_by_role("checkbox", name="Row 00001", exact=True)).to_be_focused()
        self.page.keyboard.press("Control+f")
        expect(surface.get_by_role("searchbox")).to_be_focused()
        self.page.keyboard.type("09999")
        expect(surface.locator(".catalog-row")).to_have_count(1)
        self.page.keyboard.type("x")
        expect(surface.locator(".catalog-row")).to_have_count(0)
        expect(surface.get_by_text("No row has “09999x” in its title.")).to_be_visible()

    def test_app_is_chosen_and_handed_off(self):
        self.open("counter")
        self.tab_to(self.page.get_by_role("navigation").get_by_role("link").filter(has_text="Tabs"))
        self.page.keyboard.press("Enter")
        expect(self.page.locator('[data-app="tabs"]').get_by_role("tab").first).to_be_visible()
        self.page.get_by_role("button", name="Hand off").focus()
        self.page.keyboard.press("Enter")
        dialog = self.page.get_by_role("dialog", name="Hand off this session")
        expect(dialog.get_by_role("textbox", name="Link")).not_to_have_value("")
        self.page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(self.page.get_by_role("button", name="Hand off")).to_be_focused()


class HistoryTest(BrowserTest):
    has_windows = True

    def test_back_button_leaves_a_page_of_the_stack(self):
        surface = self.open("tabs")
        surface.get_by_role("button", name="Transport").click()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()
        self.page.go_back()
        expect(surface.get_by_role("heading", name="Home")).to_be_visible()
        expect(surface.get_by_role("heading", name="Transport")).to_have_count(0)
        self.assertTrue(self.page.url.endswith("#/tabs"))

    def test_back_button_closes_what_is_in_front_first(self):
        surface = self.open("home-detail")
        surface.get_by_role("button", name="Open home").click()
        surface.get_by_role("button", name="Show detail").click()
        expect(self.page.get_by_role("dialog", name="Detail")).to_be_visible()
        self.page.go_back()
        expect(self.page.get_by_role("dialog", name="Detail")).to_have_count(0)
        expect(surface.get_by_role("button", name="Show detail")).to_be_visible()
        self.page.go_back()
        expect(surface.get_by_role("button", name="Open home")).to_be_visible()

    def test_level_that_the_page_closes_itself_leaves_the_history(self):
        self.open("counter")
        surface = self.open("tabs")
        surface.get_by_role("button", name="Transport").click()
        surface.get_by_role("button", name="Close").click()
        expect(surface.get_by_role("heading", name="Home")).to_be_visible()
        self.page.wait_for_function("() => history.state?.riblet?.level === 0")
        self.page.go_back()
        expect(self.page.locator('[data-app="counter"]').get_by_label("Count")).to_be_visible()

    def test_back_button_after_a_reload(self):
        surface = self.open("tabs")
        surface.get_by_role("button", name="Transport").click()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()
        self.page.reload()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()
        self.page.go_back()
        expect(surface.get_by_role("heading", name="Home")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
