"""What a session survives: a server that is killed, a link that is cut, a page that is reloaded; and two pages on one."""

import io
import re
import unittest

import zxingcpp
from PIL import Image
from support import BrowserTest, expect

# Clicks a button again and again, as fast as timers go, until it is told to stop; says how often it has.
CLICKING = """
  (name) => {
    const button = [...document.querySelectorAll("#screen button")].find((it) => it.ariaLabel === name);
    window.clicks = 0;
    window.clicking = setInterval(() => { button.click(); window.clicks++; }, 7);
  }
"""
STOP = "() => { clearInterval(window.clicking); return window.clicks; }"


class ResilienceTest(BrowserTest):
    # A name of this machine by which others would reach it, too.
    arguments = (*BrowserTest.arguments, "--hosts", "127.0.0.1,phone.test")

    @classmethod
    def launch(cls, *arguments):
        super().launch("--host-resolver-rules=MAP phone.test 127.0.0.1", *arguments)

    def counter(self, page=None):
        return self.open("counter", page).get_by_label("Count")

    def status(self, page=None):
        return (page or self.page).get_by_role("status", name="Connection")

    def click(self, times, name="Increment", page=None):
        for _ in range(times):
            (page or self.page).locator("#screen").get_by_role("button", name=name).click()

    def expect_settled(self, count, page=None):
        """The count is the server's: nothing waits for an answer any more."""
        page = page or self.page
        expect(page.locator("#status-pending")).to_have_text("0 waiting")
        expect(page.locator("#screen").get_by_label("Count")).to_have_text(str(count))

    def test_killed_server_loses_and_doubles_no_click(self):
        self.counter()
        self.page.evaluate(CLICKING, "Increment")
        for _ in range(4):
            before = self.page.evaluate("window.clicks")
            self.page.wait_for_function("(n) => window.clicks > n + 20", arg=before)
            self.daemon.kill()
            killed = self.page.evaluate("window.clicks")
            self.page.wait_for_function("(n) => window.clicks > n + 10", arg=killed)
            self.daemon.start()
            expect(self.status()).to_contain_text("resumed")
        clicks = self.page.evaluate(STOP)
        self.assertGreater(clicks, 100)
        self.expect_settled(clicks)

    def test_killed_server_is_noticed_and_the_page_goes_on(self):
        surface = self.open("tabs")
        surface.get_by_role("button", name="Transport").click()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()
        self.daemon.kill()
        expect(self.status()).to_contain_text("Reconnecting")
        surface.get_by_role("tab", name="Finance").click()
        self.daemon.start()
        expect(self.status()).to_contain_text("resumed")
        expect(surface.get_by_role("heading", name="Finance")).to_be_visible()
        surface.get_by_role("tab", name="Home").click()
        expect(surface.get_by_role("heading", name="Transport")).to_be_visible()

    def test_offline_and_back(self):
        self.counter()
        self.click(1)
        self.expect_settled(1)
        self.context.set_offline(True)
        # An open connection may outlive the browser's being offline; a new one is not to be had.
        self.page.get_by_role("button", name="Drop the link").click()
        expect(self.status()).to_contain_text("Reconnecting")
        self.click(3)
        expect(self.page.locator("#status-pending")).to_have_text("3 waiting")
        expect(self.page.locator("#screen").get_by_label("Count")).to_have_text("4")
        self.context.set_offline(False)
        expect(self.status()).to_contain_text("resumed")
        self.expect_settled(4)

    def test_reload_sends_what_was_not_answered(self):
        self.counter()
        self.click(2)
        self.expect_settled(2)
        self.page.get_by_role("button", name="Go offline").click()
        expect(self.status()).to_contain_text("Reconnecting")
        self.click(3)
        expect(self.page.locator("#status-pending")).to_have_text("3 waiting")
        self.page.reload()
        expect(self.status()).to_contain_text("resumed")
        self.expect_settled(5)

    def test_page_of_a_session_that_is_gone_begins_anew_and_says_so(self):
        self.counter()
        self.click(1)
        self.expect_settled(1)
        self.page.get_by_role("button", name="Go offline").click()
        expect(self.status()).to_contain_text("Reconnecting")
        self.click(2)
        entry = "JSON.parse(sessionStorage.getItem('riblet:showcase:counter'))"
        answer = self.page.evaluate(
            f"() => {{ const it = {entry}; return fetch('/v1/sessions/' + it.sid, "
            "{ method: 'DELETE', headers: { 'Riblet-Token': it.token } }).then((it) => it.status); }")
        self.assertEqual(answer, 204)
        self.page.get_by_role("button", name="Go online").click()
        expect(self.status()).to_contain_text("new session")
        messages = self.page.get_by_role("status", name="Messages")
        expect(messages).to_contain_text("Unknown: increment may have been done or not.")
        self.expect_settled(0)

    def test_two_pages_share_a_session_by_a_link_that_works_once(self):
        self.counter()
        self.click(2)
        self.page.get_by_role("button", name="Hand off").click()
        dialog = self.page.get_by_role("dialog", name="Hand off this session")
        link = dialog.get_by_role("textbox", name="Link")
        # The first one is only to look on; one to act is not made before it is asked for.
        expect(link).to_have_value(re.compile(r"#/counter\?share="))
        dialog.get_by_role("radio", name="may act").check()
        expect(dialog.get_by_role("status")).to_contain_text("can do all that you can do")
        expect(link).to_have_value("")
        # Pressed twice, it makes one, also if the answer is there before the second click.
        self.page.evaluate("() => { window.asked = 0; const send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) { "
                           "asked += /\"t\":\"share\"/.test(text); send.call(this, text); }; }")
        button = dialog.locator("#handoff-new")
        box = button.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.click(x, y)
        expect(link).to_have_value(re.compile(r"#/counter\?share="))
        self.page.mouse.down(click_count=2)
        self.page.mouse.up(click_count=2)
        self.assertEqual(self.page.evaluate("asked"), 1)
        url = link.input_value()
        other = self.new_page(self.new_context())
        other.goto(url)
        expect(other.locator("#screen").get_by_label("Count")).to_have_text("2")
        # The token is not left where it could be copied from.
        self.assertNotIn("share", other.url)
        self.click(1, page=other)
        expect(self.page.locator("#screen").get_by_label("Count")).to_have_text("3")
        dialog.get_by_role("button", name="Close").click()
        self.click(1, "Decrement")
        expect(other.locator("#screen").get_by_label("Count")).to_have_text("2")
        other.reload()
        expect(self.status(other)).to_contain_text("resumed")
        expect(other.locator("#screen").get_by_label("Count")).to_have_text("2")
        third = self.new_page(self.new_context())
        third.goto(url)
        expect(self.status(third)).to_contain_text("Ended")
        expect(third.get_by_role("alert").filter(has_text="This link no longer works")).to_be_visible()

    def test_code_has_the_link_where_another_device_can_open_it(self):
        self.page.goto(f"http://phone.test:{self.daemon.port}/#/counter")
        expect(self.status()).to_contain_text("Live")
        self.page.get_by_role("button", name="Hand off").click()
        dialog = self.page.get_by_role("dialog", name="Hand off this session")
        picture = Image.open(io.BytesIO(dialog.get_by_role("img", name="QR code").screenshot()))
        url = dialog.get_by_role("textbox", name="Link").input_value()
        self.assertTrue(url.startswith("http://phone.test:"), url)
        self.assertEqual([code.text for code in zxingcpp.read_barcodes(picture)], [url])
        expect(dialog.locator("#handoff-local")).to_be_hidden()

    def test_page_of_this_machine_alone_says_how_a_phone_gets_in(self):
        self.counter()
        self.page.get_by_role("button", name="Hand off").click()
        dialog = self.page.get_by_role("dialog", name="Hand off this session")
        expect(dialog.get_by_role("textbox", name="Link")).to_have_value(re.compile("share="))
        expect(dialog.locator("#handoff-local")).to_contain_text("--lan")
        expect(dialog.get_by_role("img", name="QR code")).to_have_count(0)

    def test_second_window_has_the_same_session(self):
        self.counter()
        self.click(2)
        for opened, inside in [("Second window", None), ("Hand off", "Open a second window")]:
            with self.context.expect_page() as window:
                self.page.get_by_role("button", name=opened).click()
                if inside:
                    self.page.get_by_role("button", name=inside).click()
            other = window.value
            expect(other.locator("#screen").get_by_label("Count")).to_have_text("2")
            self.assertNotIn("share", other.url)
            other.close()
        expect(self.page.get_by_role("dialog", name="Hand off this session")).to_be_hidden()

    def guest_who_may_only_look(self):
        """A page that has joined the session of this one's by such a link."""
        self.page.get_by_role("button", name="Hand off").click()
        dialog = self.page.get_by_role("dialog", name="Hand off this session")
        link = dialog.get_by_role("textbox", name="Link")
        expect(link).to_have_value(re.compile("share="))
        guest = self.new_page(self.new_context())
        guest.goto(link.input_value())
        return guest

    def test_guest_who_may_only_look_is_told_so_and_can_press_nothing(self):
        self.counter()
        self.click(3)
        self.expect_settled(3)
        company = self.page.get_by_role("status", name="Who is here")
        expect(company).to_have_text("")
        guest = self.guest_who_may_only_look()
        self.page.keyboard.press("Escape")
        surface = guest.locator("#screen")
        expect(surface.get_by_label("Count")).to_have_text("3")
        expect(guest.get_by_role("status", name="Who is here")).to_have_text(
            "You may only look at this session. Its owner acts, so you cannot press anything here. Another client is here.")
        for button in surface.get_by_role("button").all():
            expect(button).to_be_disabled()
        expect(company).to_have_text("Another client is here and may only look.")
        self.click(1)
        expect(surface.get_by_label("Count")).to_have_text("4")
        # What is sent all the same is not predicted, and refused.
        increment = surface.get_by_role("button", name="Increment")
        increment.evaluate("(button) => { button.disabled = false; button.click(); }")
        expect(surface.get_by_label("Count")).to_have_text("4")
        expect(guest.get_by_role("status", name="Messages")).to_contain_text("Refused: increment.")
        self.expect_settled(4, guest)
        # It can let others look, and no more.
        guest.get_by_role("button", name="Hand off").click()
        expect(guest.get_by_role("radio", name="may act")).to_be_disabled()
        # A reload is still a guest.
        guest.reload()
        expect(increment).to_be_disabled()
        guest.context.close()
        expect(company).to_have_text("")

    def test_modal_of_the_owners_does_not_lock_a_guest_in(self):
        surface = self.open("home-detail")
        surface.get_by_role("button", name="Open home").click()
        surface.get_by_role("button", name="Show detail").click()
        expect(self.page.get_by_role("dialog", name="Detail")).to_be_visible()
        self.page.keyboard.press("Escape")
        guest = self.guest_who_may_only_look()
        self.page.keyboard.press("Escape")
        expect(guest.locator("#screen").get_by_role("button", name="Show detail")).to_be_disabled()
        surface.get_by_role("button", name="Show detail").click()
        dialog = guest.get_by_role("dialog", name="Detail")
        expect(dialog).to_be_visible()
        self.assertEqual(guest.evaluate("document.querySelector('dialog.rib-modal').matches(':modal')"), False)
        guest.get_by_role("button", name="Hand off").click()
        expect(guest.get_by_role("dialog", name="Hand off this session")).to_be_visible()
        guest.keyboard.press("Escape")
        # When it is over, it is out of the way as well.
        self.page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        surface.get_by_role("button", name="Show detail").click()
        expect(dialog).to_be_visible()
        guest.get_by_role("navigation").get_by_role("link", name="A number, up and down").click()
        expect(guest.locator('[data-app="counter"]').get_by_label("Count")).to_have_text("0")
        guest.context.close()

    def test_guest_who_may_act_is_told_whose_session_it_is(self):
        self.counter()
        self.page.get_by_role("button", name="Hand off").click()
        dialog = self.page.get_by_role("dialog", name="Hand off this session")
        dialog.get_by_role("radio", name="may act").check(force=True)
        dialog.get_by_role("button", name="Make the link").click()
        link = dialog.get_by_role("textbox", name="Link")
        expect(link).to_have_value(re.compile("share="))
        guest = self.new_page(self.new_context())
        guest.goto(link.input_value())
        expect(guest.get_by_role("status", name="Who is here")).to_contain_text("You have joined another person’s session.")
        expect(self.page.get_by_role("status", name="Who is here")).to_have_text("Another client is here.")
        self.click(1, page=guest)
        self.expect_settled(1, guest)
        guest.context.close()

    def test_duplicated_tab_begins_a_session_of_its_own(self):
        self.counter()
        self.click(2)
        self.expect_settled(2)
        with self.context.expect_page() as opened:
            # The new tab gets a copy of this one's session storage.
            self.page.evaluate("window.open(location.href)")
        copy = opened.value
        expect(copy.locator("#screen").get_by_label("Count")).to_have_text("0")
        self.click(1, page=copy)
        self.click(1)
        self.expect_settled(3)
        self.expect_settled(1, copy)

    def test_server_sent_events_do_what_a_websocket_does(self):
        self.counter()
        self.page.get_by_role("radio", name="SSE").check()
        expect(self.status()).to_contain_text("resumed")
        self.click(5)
        self.expect_settled(5)
        self.daemon.restart()
        self.click(2)
        expect(self.status()).to_contain_text("resumed")
        self.expect_settled(7)

    def test_page_falls_back_to_events_where_websockets_do_not_pass(self):
        self.page.add_init_script(
            "window.WebSocket = class { constructor() { setTimeout(() => this.onclose({ code: 1006, reason: '' })); } "
            "close() {} send() {} }")
        self.counter()
        self.click(3)
        self.expect_settled(3)
        surface = self.open("tabs")
        surface.get_by_role("button", name="Transport").click()
        surface.get_by_role("button", name="Back to Home").click()
        expect(surface.get_by_role("heading", name="Home")).to_be_visible()

    def test_view_is_verified_with_the_server(self):
        self.open("catalog")
        self.page.get_by_role("button", name="Verify").click()
        messages = self.page.get_by_role("status", name="Messages")
        expect(messages).to_contain_text("Verified")

    def go_offline(self, page):
        page.get_by_role("button", name="Go offline").click()
        expect(self.status(page)).to_contain_text("Reconnecting")

    def expect_predicted(self, count, page):
        """The count is the page's own: the server has heard of no action yet."""
        expect(page.locator("#screen").get_by_label("Count")).to_have_text(str(count))
        expect(page.locator("#status-pending")).to_have_text("1 waiting")

    def test_prediction_is_shown_before_the_server_has_heard_of_it(self):
        self.counter()
        self.go_offline(self.page)
        self.click(1)
        self.expect_predicted(1, self.page)
        self.page.get_by_role("button", name="Go online").click()
        self.expect_settled(1)


if __name__ == "__main__":
    unittest.main()
