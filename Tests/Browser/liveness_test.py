"""How soon a page notices that nothing gets through, and what it does then."""

import time
import unittest

from network import Network
from support import BrowserTest, expect

# More than the rules say, for a machine that is busy: it is still far less than a heartbeat.
SLACK = 6


class LivenessTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.network = Network(self.daemon.port)
        self.addCleanup(self.network.close)

    @property
    def status(self):
        return self.page.get_by_role("status", name="Connection")

    def show(self):
        self.page.goto(f"{self.network.url}/#/counter")
        expect(self.page.locator("#status")).to_have_attribute("data-status", "live")

    def click(self):
        self.page.locator("#screen").get_by_role("button", name="Increment").click()

    def expect_settled(self, count):
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        expect(self.page.locator("#screen").get_by_label("Count")).to_have_text(str(count))

    def seconds_until(self, text):
        start = time.monotonic()
        expect(self.status).to_contain_text(text)
        return time.monotonic() - start

    def test_dead_link_is_left_within_eight_seconds_of_a_click(self):
        self.show()
        self.network.swallow()
        self.click()
        seconds = self.seconds_until("Reconnecting")
        print(f"a dead link is noticed {seconds:.1f} s after a click")
        self.assertLess(seconds, 8 + SLACK)
        self.network.work()
        expect(self.status).to_contain_text("resumed")
        self.expect_settled(1)

    def test_dead_link_is_left_within_five_seconds_of_coming_back(self):
        for event in ["window.dispatchEvent(new Event('online'))", "document.dispatchEvent(new Event('visibilitychange'))"]:
            with self.subTest(event):
                self.show()
                self.network.swallow()
                self.page.evaluate(event)
                seconds = self.seconds_until("Reconnecting")
                print(f"a dead link is noticed {seconds:.1f} s after {event}")
                self.assertLess(seconds, 5 + SLACK)
                self.network.work()
                expect(self.status).to_contain_text("resumed")
                # Once something has come, the next link is as good as new.
                self.click()
                expect(self.page.locator("#status-pending")).to_have_text("0 waiting")

    def test_swallowed_upgrade_falls_back_to_events_within_six_seconds(self):
        self.network.swallows_sockets = True
        start = time.monotonic()
        self.show()
        seconds = time.monotonic() - start
        print(f"events take the place of a WebSocket that does not open after {seconds:.1f} s")
        self.assertLess(seconds, 6 + SLACK)
        self.click()
        self.expect_settled(1)
        # The next page begins with what has worked.
        start = time.monotonic()
        count = len([link for link in self.network.links if link.is_socket])
        self.page.reload()
        expect(self.status).to_contain_text("resumed")
        self.expect_settled(1)
        self.assertEqual(len([link for link in self.network.links if link.is_socket]), count)

    def test_connection_that_is_closed_politely_is_a_cut(self):
        self.show()
        self.click()
        self.expect_settled(1)
        self.network.close_politely()
        expect(self.status).to_contain_text("resumed")
        self.click()
        self.expect_settled(2)

    def test_hidden_page_sends_what_waits(self):
        self.page.add_init_script(
            "let isHidden = false; Object.defineProperty(document, 'hidden', { get: () => isHidden });"
            "window.hide = (it) => { isHidden = it; document.dispatchEvent(new Event('visibilitychange')); }")
        self.show()
        self.network.swallow()
        self.page.evaluate(
            "hide(true); document.querySelector('#screen button[aria-label=Increment]').click()")
        self.network.work()
        # A page that is hidden is drawn all the same here.
        expect(self.status).to_contain_text("resumed")
        self.expect_settled(1)


if __name__ == "__main__":
    unittest.main()
