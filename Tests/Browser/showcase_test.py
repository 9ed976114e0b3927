"""Every app of the showcase, clicked through."""

import re
import unittest
import urllib.request

from support import BrowserTest, expect


class ShowcaseTest(BrowserTest):
    has_windows = True

    def new_page(self, context=None):
        """Nothing glides on it: of a press while a dialog rises, one half may miss what the other one has met, where the machine is slow."""
        page = super().new_page(context)
        page.emulate_media(reduced_motion="reduce")
        return page

    def test_the_list_names_all_apps_and_leads_to_them(self):
        self.open("counter")
        links = self.page.get_by_role("navigation").get_by_role("link")
        # The apps, and the stage.
        expect(links).to_have_count(14)
        links.filter(has_text="Ten thousand").click()
        expect(self.page).to_have_url(re.compile("#/catalog$"))
        expect(self.page.locator('[data-app="catalog"] .catalog-row').first).to_be_visible()
        expect(links.filter(has_text="Ten thousand")).to_have_attribute("aria-current", "page")

    def test_counter(self):
        for app in ["counter", "counter-riv"]:
            with self.subTest(app):
                surface = self.open(app)
                count = surface.get_by_label("Count")
                expect(count).to_have_text("0")
                surface.get_by_role("button", name="Decrement").click()
                expect(count).to_have_text("−1")
                for _ in range(3):
                    surface.get_by_role("button", name="Increment").click()
                expect(count).to_have_text("2")
                surface.get_by_role("button", name="Reset").click()
                expect(count).to_have_text("0")

    def test_home_detail(self):
        surface = self.open("home-detail")
        surface.get_by_role("button", name="Open home").click()
        for _ in range(2):
            surface.get_by_role("button", name="Increment").click()
        surface.get_by_role("button", name="Decrement").click()
        expect(surface.get_by_role("status", name="Count")).to_have_text("1")
        surface.get_by_role("button", name="Show detail").click()
        detail = self.page.get_by_role("dialog", name="Detail")
        expect(detail).to_be_visible()
        expect(detail.locator(".figure")).to_have_text("1")
        detail.get_by_role("button", name="Close").click()
        expect(detail).to_have_count(0)
        surface.get_by_role("button", name="Close home").click()
        expect(surface.get_by_role("button", name="Open home")).to_be_visible()

    def test_tabs(self):
        surface = self.open("tabs")
        surface.get_by_role("button", name="Transport").click()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()
        surface.get_by_role("tab", name="Finance").click()
        expect(surface.get_by_role("heading", name="Finance")).to_be_visible()
        expect(surface.get_by_role("heading", name="Transport")).to_be_hidden()
        surface.get_by_role("tab", name="Home").click()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()
        surface.get_by_role("button", name="Back to Home").click()
        expect(surface.get_by_role("heading", name="Home")).to_be_visible()
        surface.get_by_role("tab", name="Profile").click()
        expect(surface.get_by_role("heading", name="Profile")).to_be_visible()

    def test_search(self):
        surface = self.open("search")
        field = surface.get_by_role("searchbox")
        field.fill("an")
        surface.get_by_role("button", name="Search", exact=True).click()
        results = surface.locator(".results")
        expect(results.get_by_role("status")).to_have_text(re.compile(r"^\d+ found$"))
        expect(field).to_have_value("an")
        first = results.get_by_role("button").first
        name = first.locator("span").first.inner_text()
        first.click()
        item = self.page.get_by_role("dialog", name="Item")
        expect(item.get_by_role("heading", name=name)).to_be_visible()
        item.get_by_role("button", name="Close").click()
        surface.get_by_role("button", name="Show the search text").click()
        alert = self.page.get_by_role("alertdialog", name="Search")
        expect(alert).to_contain_text("“an”")
        alert.get_by_role("button", name="OK").click()
        expect(alert).to_have_count(0)
        field.fill("fail")
        field.press("Enter")
        expect(results.get_by_role("alert")).to_be_visible()
        surface.get_by_role("button", name="Clear", exact=True).click()
        expect(field).to_have_value("")
        surface.get_by_role("button", name="Show all").click()
        expect(results.get_by_role("status")).to_have_text(re.compile(r"^\d+ found$"))

    def test_profile(self):
        surface = self.open("profile")
        surface.get_by_role("button", name="User 42").click()
        expect(surface.get_by_role("heading", name="User 42")).to_be_visible()
        surface.get_by_role("button", name="Settings").locator("visible=true").click()
        expect(surface.get_by_role("heading", name="Settings")).to_be_visible()
        surface.get_by_role("button", name="Dismiss").locator("visible=true").click()
        surface.get_by_role("button", name="Back to Profile").click()
        expect(surface.get_by_role("heading", name="Profile")).to_be_visible()

    def test_login(self):
        surface = self.open("login")
        button = surface.get_by_role("button", name="Log in")
        # It is busy for half a second: too short for a test that looks now and then, so the page notes it.
        self.page.locator("#screen").evaluate(
            """surface => {
              window.busy = [];
              new MutationObserver(() => {
                for (const element of surface.querySelectorAll('[aria-busy="true"]')) busy.push(element.textContent);
              }).observe(surface, { subtree: true, childList: true, characterData: true, attributes: true });
            }"""
        )
        button.click()
        expect(surface.get_by_role("alert")).to_contain_text("Try again")
        self.assertIn("Logging in…", self.page.evaluate("busy"))
        button.click()
        expect(surface.get_by_role("heading", name="Hello, Blob")).to_be_visible()
        surface.get_by_role("button", name="Log out").click()
        expect(button).to_be_visible()

    def sign_in(self, surface, password):
        surface.get_by_label("Name").fill("Ada")
        surface.get_by_label("Password").fill(password)
        surface.get_by_role("button", name="Sign in").click()

    def test_login_with_a_password(self):
        surface = self.open("login")
        field = surface.get_by_label("Password")
        expect(field).to_have_attribute("type", "password")
        self.sign_in(surface, "tuna")
        expect(field).to_have_value("")
        expect(surface.get_by_role("alert")).to_have_text("Name or password is wrong.")
        self.sign_in(surface, "swordfish")
        expect(surface.get_by_role("heading", name="Hello, Ada")).to_be_visible()

    def test_password_that_a_reload_loses_is_asked_for_again(self):
        surface = self.open("login")
        self.page.evaluate(
            """() => {
              window.stored = [];
              const { setItem } = Storage.prototype;
              Storage.prototype.setItem = function (key, text) {
                stored.push(text);
                setItem.call(this, key, text);
              };
            }"""
        )
        # Sent, and not heard: the connection is gone.
        self.page.get_by_role("button", name="Go offline").click()
        self.sign_in(surface, "swordfish")
        stored = self.page.evaluate("stored")
        self.assertTrue(any('"secret":true' in text for text in stored))
        self.assertFalse(any("swordfish" in text for text in stored))
        self.page.reload()
        expect(self.page.locator("#notices")).to_contain_text("Enter it again.")
        self.sign_in(surface, "swordfish")
        expect(surface.get_by_role("heading", name="Hello, Ada")).to_be_visible()

    def test_boundaries(self):
        surface = self.open("boundaries")
        total = surface.get_by_role("status", name="Total")
        surface.get_by_role("button", name="Increment").click()
        expect(total).to_have_text("1")
        for _ in range(2):
            surface.get_by_role("button", name="Add row").click()
        expect(surface.get_by_role("listitem")).to_have_count(2)
        row = surface.get_by_role("listitem").nth(1)
        row.get_by_role("button", name="Increment").click()
        expect(total).to_have_text("2")
        row.get_by_role("button", name="Finish").click()
        expect(surface.get_by_role("listitem")).to_have_count(1)
        expect(total).to_have_text("1")
        surface.get_by_role("button", name="Show sheet").click()
        sheet = self.page.get_by_role("dialog", name="Sheet")
        sheet.get_by_role("button", name="Increment").click()
        sheet.get_by_role("button", name="Finish").click()
        expect(sheet).to_have_count(0)
        expect(surface.locator(".finished")).to_contain_text("row 2: 1, sheet: 1")

    def test_screens(self):
        surface = self.open("screens")
        switch = surface.get_by_role("switch", name="Sub-view 1")
        switch.click()
        expect(surface.get_by_text("Screen 1, sub-view 1")).to_be_visible()
        expect(switch).to_have_attribute("aria-checked", "true")
        switch.click()
        expect(surface.get_by_text("Screen 1, sub-view 1")).to_have_count(0)
        own = surface.get_by_role("group", name="This session")
        own.get_by_role("button", name="Increment").click()
        expect(own.get_by_role("status")).to_have_text("1")
        surface.get_by_role("button", name="Next screen").click()
        surface.get_by_role("button", name="Sub-route 2").click()
        dialog = self.page.get_by_role("dialog", name="Sub-route 2")
        dialog.get_by_role("button", name="Done").click()
        expect(dialog).to_have_count(0)
        surface.get_by_role("button", name="Close").click()
        expect(surface.get_by_role("heading", name="Screen 1")).to_be_visible()
        expect(own.get_by_role("status")).to_have_text("1")

    def test_screens_share_a_count_between_sessions(self):
        one = self.open("screens")
        other = self.open("screens", self.new_page(self.new_context()))
        group = one.get_by_role("group", name="All sessions")
        before = int(group.get_by_role("status").inner_text())
        group.get_by_role("button", name="Increment").click()
        expect(other.get_by_role("group", name="All sessions").get_by_role("status")).to_have_text(str(before + 1))

    def test_room(self):
        one = self.open("room")
        context = self.new_context()
        other = self.open("room", self.new_page(context))
        for surface in [one, other]:
            expect(surface.get_by_role("button", name="2 here")).to_be_visible()
        one.get_by_label("Message", exact=True).fill("Hello")
        one.get_by_role("button", name="Send").click()
        for surface in [one, other]:
            expect(surface.get_by_role("list", name="Messages")).to_contain_text("Hello")
        expect(one.get_by_label("Message", exact=True)).to_have_value("")
        expect(other.get_by_role("button", name="Remove Hello")).to_have_count(0)
        one.get_by_role("button", name="Remove Hello").click()
        expect(other.get_by_text("Hello")).to_have_count(0)
        context.close()
        expect(one.get_by_role("button", name="1 here")).to_be_visible()

    def test_catalog(self):
        surface = self.open("catalog")
        rows = surface.locator(".catalog-row")
        count = surface.get_by_role("status")
        expect(count).to_have_text("10,000 rows")
        rows.first.get_by_role("checkbox").check()
        expect(rows.first).to_have_class(re.compile("is-done"))
        surface.get_by_role("button", name="Insert at the top").click()
        expect(rows.first).to_contain_text("Row 10001")
        surface.get_by_role("button", name="Move Row 00002 to the top").click()
        expect(rows.first).to_contain_text("Row 00002")
        surface.get_by_role("button", name="Remove Row 00001").click()
        expect(count).to_have_text("10,000 rows")
        expect(rows.nth(2)).to_contain_text("Row 00003")
        surface.get_by_role("searchbox").fill("00777")
        expect(rows).to_have_count(1)
        expect(count).to_have_text("1 of 10,000 rows")
        surface.get_by_role("searchbox").fill("")
        surface.get_by_role("button", name="Sort").click()
        expect(rows.first).to_contain_text("Row 00002")
        expect(rows.nth(1)).to_contain_text("Row 00003")

    def test_ledger(self):
        surface = self.open("ledger")
        surface.get_by_role("button", name=re.compile("^Pay")).click()
        expect(surface.locator(".figures")).to_contain_text(re.compile(r"Paid\s*1"))
        surface.get_by_role("button", name="Open a page").click()
        surface.get_by_role("button", name="Tap").click()
        expect(surface.locator(".figures")).to_contain_text(re.compile(r"Actions\s*3"))
        surface.get_by_role("button", name="Run away").click()
        notice = self.page.get_by_role("status", name="Messages")
        expect(notice).to_contain_text("Refused: runAway.")
        expect(surface.locator(".figures")).to_contain_text(re.compile(r"Actions\s*3"))

    def test_unknown_app_is_refused_in_words(self):
        self.page.goto(f"{self.daemon.url}/#/nothing")
        ending = self.page.get_by_role("alert").filter(has_text="This server has no app “nothing”")
        expect(self.page.locator("#app-about")).to_have_text("The server has no app of this name.")
        ending.get_by_role("link", name="Counter", exact=True).click()
        expect(self.page.locator('[data-app="counter"]').get_by_label("Count")).to_have_text("0")
        expect(ending).to_be_hidden()

    def test_session_that_is_over_can_be_read_and_begun_anew(self):
        surface = self.open("counter")
        surface.get_by_role("button", name="Increment").click()
        expect(surface.get_by_label("Count")).to_have_text("1")
        self.page.get_by_role("button", name="Hand off").click()
        link = self.page.get_by_role("dialog", name="Hand off this session").get_by_role("textbox", name="Link")
        expect(link).to_have_value(re.compile("share="))
        context = self.new_context()
        guest = self.new_page(context)
        guest.goto(link.input_value())
        seen = guest.locator("#screen")
        expect(seen.get_by_label("Count")).to_have_text("1")
        self.page.keyboard.press("Escape")
        self.page.get_by_role("button", name="New session").click()
        expect(surface.get_by_label("Count")).to_have_text("0")
        ending = guest.get_by_role("alert").filter(has_text="The session has ended")
        expect(ending).to_be_visible()
        expect(seen.locator("output")).to_have_text("1")
        expect(seen).to_have_js_property("inert", True)
        ending.get_by_role("button", name="Start a new session").click()
        expect(seen.get_by_label("Count")).to_have_text("0")
        seen.get_by_role("button", name="Increment").click()
        expect(seen.get_by_label("Count")).to_have_text("1")
        context.close()

    def test_alert_of_a_session_that_is_over_is_out_of_the_way(self):
        surface = self.open("search")
        surface.get_by_role("searchbox").fill("apple")
        surface.get_by_role("button", name="Show the search text").click()
        expect(self.page.get_by_role("alertdialog")).to_be_visible()
        # It ends as another page of the same user ends it.
        entry = self.page.evaluate("() => JSON.parse(sessionStorage['riblet:showcase:search'])")
        request = urllib.request.Request(
            f"{self.daemon.url}/v1/sessions/{entry['sid']}", method="DELETE", headers={"Riblet-Token": entry["token"]})
        urllib.request.urlopen(request).close()
        expect(self.page.get_by_role("alert").filter(has_text="The session has ended")).to_be_visible()
        expect(self.page.get_by_role("alertdialog")).to_have_count(0)
        self.page.get_by_role("button", name="Start a new session").click()
        expect(surface.get_by_role("searchbox")).to_have_value("")

    def test_undo_brings_back_the_row_that_was_removed(self):
        surface = self.open("catalog")
        surface.get_by_role("button", name="Remove Row 00002").click()
        expect(surface.locator(".catalog-row").nth(1)).to_contain_text("Row 00003")
        surface.get_by_role("button", name="Undo: remove Row 00002").click()
        expect(surface.locator(".catalog-row").nth(1)).to_contain_text("Row 00002")
        expect(surface.get_by_role("button", name="Undo")).to_have_count(0)

    def test_inspector_ties_an_action_to_its_answer_and_a_riblet_to_the_page(self):
        surface = self.open("home-detail")
        surface.get_by_role("button", name="Open home").click()
        act = self.page.locator(".wire-item").filter(has_text="homeTapped → #1")
        expect(act).to_contain_text(re.compile(r"n 1, \d+ ms"))
        act.get_by_role("button").hover()
        expect(self.page.locator(".wire-item.is-partner")).to_have_count(2)
        self.page.get_by_role("tab", name="Tree").click()
        home = self.page.get_by_role("tabpanel", name="Tree").get_by_role("button", name="Home #2")
        expect(home).to_contain_text("count 0")
        home.hover()
        spot, card = self.page.locator(".inspector-spot"), surface.locator(".card")
        expect(spot).to_be_visible()
        self.assertEqual([round(n) for n in spot.bounding_box().values()][:2], [round(n) for n in card.bounding_box().values()][:2])
        self.page.mouse.move(5, 5)
        expect(spot).to_be_hidden()
        self.page.get_by_role("tab", name="Document").click()
        expect(self.page.get_by_role("tabpanel", name="Document").get_by_text("children")).to_be_visible()

    def test_generic_renderer_draws_and_acts_by_the_schema(self):
        surface = self.open("counter")
        self.page.get_by_role("tab", name="Compose").click()
        surface.get_by_role("button", name="Increment").click()
        expect(surface.locator("dd").first).to_have_text("1")
        surface = self.open("profile")
        expect(surface.get_by_role("heading", name="Profile")).to_be_visible()
        expect(self.page.get_by_role("tab", name="App")).to_have_attribute("aria-selected", "true")
        self.page.get_by_role("tab", name="Compose").click()
        form = surface.get_by_role("group", name="Show details")
        form.get_by_label(re.compile("User")).fill("99")
        form.get_by_role("button", name="Send").click()
        expect(surface.get_by_text("99").first).to_be_visible()


if __name__ == "__main__":
    unittest.main()
