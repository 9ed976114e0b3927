"""The inspector's page: an operator shows a token, looks at a server, finds a session, and ends it."""

import hashlib
import pathlib
import re
import shutil
import tempfile
import unittest

import access_test
import axe
from support import BrowserTest, Daemon, expect

PAGES = ["Overview", "Sessions", "Riblets", "Store", "Sign-in", "Settings", "Log", "Crashes"]
# The tokens of two operators: one may act, the other one look.
OPERATOR, ONLOOKER = "operator-0123456789abcdef", "onlooker-0123456789abcdef"
WIDTHS = [320, 1280]
STORED = "JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage), document.cookie])"


class InspectedDaemon(Daemon):
    """A daemon with an admin listener, which has the same port in each life."""

    def __init__(self, *arguments, web=None):
        self.secrets = pathlib.Path(tempfile.mkdtemp(prefix="rib-tokens-"))
        self.tokens = self.secrets / "tokens"
        self.admin_port = 0
        self.everybody = {"ada": ("operate", OPERATOR), "bob": ("look", ONLOOKER)}
        self.own = arguments if web is None else (*arguments, "--web", web)
        self.let_in(**self.everybody)
        super().__init__()

    def let_in(self, **operators):
        """Says who has a token: by name, the role and the token."""
        lines = [f"{name}:{role}:{hashlib.sha256(token.encode()).hexdigest()}" for name, (role, token) in operators.items()]
        self.tokens.write_text("\n".join(lines) + "\n")

    def start(self):
        self.arguments = (*self.own, "--admin-listen", f"127.0.0.1:{self.admin_port}", "--admin-token-file", str(self.tokens))
        super().start()

    def read_addresses(self):
        # In whichever order.
        for line in [self.process.stdout.readline(), self.process.stdout.readline()]:
            if line.startswith("Operators"):
                self.admin_port = self.port_in(line)
            else:
                self.port = self.port_in(line)

    @property
    def admin(self):
        return f"http://127.0.0.1:{self.admin_port}"

    def close(self):
        super().close()
        shutil.rmtree(self.secrets, ignore_errors=True)


class InspectorTest(BrowserTest):
    make_daemon = InspectedDaemon

    def new_page(self, context=None):
        page = super().new_page(context)
        if self.web:
            page.route(f"{self.daemon.admin}/**", self.serve)
        return page

    def serve(self, route):
        """Hands out a file of web/ as it is, with what the daemon says about it."""
        name = route.request.url.removeprefix(f"{self.daemon.admin}/") or "admin.html"
        file = pathlib.Path(self.web) / name
        if not file.is_file():
            return route.continue_()
        answer = route.fetch()
        headers = {key: value for key, value in answer.headers.items() if key not in ("content-encoding", "content-length", "etag")}
        route.fulfill(status=200, headers=headers, body=file.read_bytes())

    def note(self, message):
        # A token that is not known is tried at a path of its own.
        if not message.location["url"].endswith("/livez"):
            super().note(message)

    def show_token(self, token, page=None):
        page = page or self.page
        page.get_by_role("textbox", name="Token").fill(token)
        page.get_by_role("button", name="Open the inspector").click()

    def enter(self, token=OPERATOR, page=None, place=""):
        """Opens the page with a token, and waits until it is drawn."""
        page = page or self.page
        page.goto(f"{self.daemon.admin}/{place}")
        self.show_token(token, page)
        expect(page.get_by_role("status", name="Connection")).to_have_text("Live")
        expect(self.title(page)).to_be_visible()

    def title(self, page=None):
        return (page or self.page).get_by_role("heading", level=2)

    def go(self, name, page=None):
        page = page or self.page
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=name, exact=True).click()
        expect(self.title(page)).to_have_text(name)

    def begin_counter(self):
        """A page of the showcase with a session, and the session's id."""
        page = self.new_page(self.new_context())
        self.addCleanup(page.context.close)
        self.open("counter", page)
        return page, page.evaluate("JSON.parse(sessionStorage['riblet:showcase:counter']).sid")

    def find(self, sid, page=None):
        """Looks for a session by the beginning of its id, and opens it."""
        page = page or self.page
        self.go("Sessions", page)
        page.get_by_role("searchbox").fill(sid[:12])
        rows = page.get_by_role("region", name="Sessions").locator("tbody tr")
        expect(rows).to_have_count(1)
        rows.get_by_role("link", name=f"Session {sid}").click()
        expect(self.title(page)).to_have_text("Session")
        expect(page.locator(".session-id")).to_have_text(sid)


class TokenTest(InspectorTest):
    def test_wrong_token_is_said_to_be_wrong(self):
        self.page.goto(self.daemon.admin)
        expect(self.title()).to_have_text("Enter your admin token")
        field = self.page.get_by_role("textbox", name="Token")
        expect(field).to_be_focused()
        for token, words in [("wrong", "does not know this token"), ("two words", "This is not a token")]:
            self.show_token(token)
            expect(self.page.get_by_role("alert")).to_contain_text(words)
            expect(field).to_be_focused()
        self.assertNotIn("wrong", self.page.evaluate(STORED))
        self.show_token(OPERATOR)
        expect(self.title()).to_have_text("Overview")
        expect(self.page.locator("#who")).to_have_text("ada, may operate")

    def test_token_is_in_the_tab_alone_until_the_operator_leaves(self):
        asked = []
        self.page.on("request", lambda request: asked.append(request.url))
        self.enter()
        self.assertIn(OPERATOR, self.page.evaluate("JSON.stringify(Object.values(sessionStorage))"))
        self.assertEqual(self.page.evaluate("JSON.stringify([Object.keys(localStorage), document.cookie])"), '[[],""]')
        self.go("Log")
        self.page.get_by_role("button", name="Leave").click()
        expect(self.title()).to_have_text("Enter your admin token")
        self.assertNotIn(OPERATOR, self.page.evaluate(STORED))
        self.assertEqual([url for url in [*asked, self.page.url] if OPERATOR in url], [])
        self.page.reload()
        expect(self.title()).to_have_text("Enter your admin token")

    def test_public_listener_has_no_page(self):
        if not self.web:
            self.assertEqual(self.page.request.get(f"{self.daemon.url}/admin.js").status, 404)
        answer = self.page.request.get(self.daemon.admin)
        self.assertRegex(answer.headers["content-security-policy"], "^default-src 'none'; script-src 'self'; .*trusted-types 'none'$")
        self.assertEqual(self.page.request.get(f"{self.daemon.admin}/v1/apps").status, 401)


class LookTest(InspectorTest):
    """Each page, light and dark, narrow and wide: axe finds nothing, and no page is wider than the window."""

    def check(self, page, where, rules):
        self.assertEqual(axe.violations(page.evaluate, rules), [], where)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, where)
        self.keep_picture(page, f"admin-{where}", is_whole=True)

    def test_each_page(self):
        _, sid = self.begin_counter()
        for width in WIDTHS:
            page = self.new_page(self.new_context(viewport={"width": width, "height": 800}, reduced_motion="reduce"))

            def check(name):
                # In other colours it is the same page.
                for scheme, rules in [("light", None), ("dark", axe.COLORS)]:
                    self.draw_in(scheme, page)
                    self.check(page, f"{name}-{scheme}-{width}", rules)

            page.goto(self.daemon.admin)
            expect(self.title(page)).to_have_text("Enter your admin token")
            check("token")
            self.enter(page=page)
            for name in PAGES:
                self.go(name, page)
                expect(page.get_by_text("Loading…")).to_have_count(0)
                check(name.lower())
            self.find(sid, page)
            expect(page.get_by_role("region", name="Clients")).to_be_visible()
            check("session")
            page.get_by_role("button", name="End the session").click()
            expect(page.get_by_role("dialog")).to_be_visible()
            check("confirm")
            page.get_by_role("button", name="Cancel").click()
            expect(page.get_by_role("dialog")).to_have_count(0)
            page.context.close()

    def test_keyboard_reaches_everything(self):
        _, sid = self.begin_counter()
        self.enter()
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 700})
            for name in ["Overview", "Sessions", "Settings", "Log"]:
                self.go(name)
                expect(self.page.get_by_text("Loading…")).to_have_count(0)
                self.walk(f"{name}, {width}")
            self.find(sid)
            expect(self.page.get_by_role("region", name="Clients")).to_be_visible()
            self.walk(f"a session, {width}")

    def walk(self, where):
        """Tab leads to all that can be used, and back out; wherever the focus is, it is seen, and says what it is."""
        self.page.evaluate("() => { window.walked = new Set(); document.querySelector('.skip').focus(); }")
        for step in range(200):
            if step:
                self.page.keyboard.press("Tab")
            focused = self.page.evaluate(access_test.WalkTest.FOCUSED)
            if focused is None:
                break
            # What a script has given the focus has no mark.
            for quality in ["isSeen", "isInFront", "name"] + ["isMarked"] * (step > 0):
                self.assertTrue(focused[quality], f"{where}: {quality} of {focused}")
        self.assertIsNone(focused, f"{where}: Tab does not lead out")
        self.assertEqual(self.page.evaluate(access_test.WalkTest.MISSED), [], where)

    def test_figures_have_words(self):
        self.enter()
        charts = self.page.get_by_role("img")
        expect(charts).to_have_count(8)
        for chart in charts.all():
            self.assertRegex(chart.get_attribute("aria-label"), r"in the last 5 minutes: now .*\.$|no data in the last 5 minutes\.$")
        # Somebody looks, so something is measured.
        expect(self.page.get_by_role("img", name=re.compile("^Memory in the last 5 minutes: now .* MiB"))).to_be_visible()

    def test_tables_are_ordered_and_filtered(self):
        self.enter(place="#/settings")
        expect(self.title()).to_have_text("Settings")
        table = self.page.get_by_role("region", name="Settings")
        names = table.locator("tbody th code")
        everything = names.all_inner_texts()
        self.assertEqual(everything, sorted(everything, key=str.lower))
        table.get_by_role("button", name="Setting", exact=True).click()
        expect(table.get_by_role("columnheader", name="Setting", exact=True)).to_have_attribute("aria-sort", "descending")
        self.assertEqual(names.all_inner_texts(), everything[::-1])
        self.page.get_by_role("searchbox").fill("admin.listen")
        expect(names).to_have_count(1)
        self.page.get_by_role("searchbox").fill("there is no such thing")
        expect(self.page.get_by_text("No setting matches.")).to_be_visible()


    def test_sessions_hold_still(self):
        _, sid = self.begin_counter()
        self.enter(place="#/sessions")
        link = self.page.get_by_role("link", name=f"Session {sid}")
        expect(link).to_be_visible()
        hold = self.page.get_by_role("button", name="Pause updates")
        hold.click()
        expect(hold).to_have_attribute("aria-pressed", "true")
        _, other = self.begin_counter()
        # Somebody else sees the later one.
        beside = self.new_page(self.new_context())
        self.addCleanup(beside.context.close)
        self.enter(page=beside, place="#/sessions")
        expect(beside.get_by_role("link", name=f"Session {other}")).to_be_visible()
        later = self.page.get_by_role("link", name=f"Session {other}")
        expect(later).to_have_count(0)
        expect(link).to_be_visible()
        hold.click()
        expect(later).to_be_visible()


class SessionTest(InspectorTest):
    def test_session_is_found_watched_and_ended(self):
        counter, sid = self.begin_counter()
        self.enter()
        self.find(sid)
        expect(self.page.locator(".tree-type")).to_have_text("Counter")
        expect(self.page.get_by_role("region", name="Clients").locator("tbody tr")).to_have_count(1)
        counter.locator("#screen").get_by_role("button", name="Increment").click()
        happened = self.page.get_by_role("region", name="Transactions")
        expect(happened.locator(".event-action")).to_contain_text("increment")

        self.page.get_by_role("button", name="End the session").click()
        dialog = self.page.get_by_role("dialog", name=f"End session {sid}?")
        expect(dialog).to_contain_text("deleted, also from the store")
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        # Nothing beside the question can be reached.
        for _ in range(5):
            self.page.keyboard.press("Tab")
            self.assertTrue(self.page.evaluate("document.activeElement === document.body || document.activeElement.closest('dialog') !== null"))
        self.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(self.page.get_by_role("button", name="End the session")).to_be_focused()
        expect(counter.locator("#status")).to_have_attribute("data-status", "live")

        self.page.get_by_role("button", name="End the session").click()
        dialog.get_by_role("button", name="End the session").click()
        expect(dialog.get_by_role("button", name="Close")).to_be_focused()
        # Its clients cannot come back.
        expect(counter.locator("#status")).to_have_attribute("data-status", re.compile("^(ended|signedOut)$"))
        # Nobody had signed in, so nobody was signed out.
        expect(counter.locator("#status-words")).to_have_text("Ended")
        expect(counter.locator("#ending")).to_contain_text("The session has ended")
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_have_count(0)
        expect(self.page.get_by_text("This session is not in memory on this server.")).to_be_visible()

    def test_more_of_the_log_is_written_for_a_while(self):
        self.enter()
        self.go("Log")
        expect(self.page.get_by_text("The program writes info and above.")).to_be_visible()
        self.page.get_by_role("button", name="Write debug lines for ten minutes").click()
        dialog = self.page.get_by_role("dialog", name="Write log lines at level debug and above?")
        dialog.get_by_role("button", name="Write more lines").click()
        expect(dialog).to_contain_text("The log is written from debug on, for ten minutes.")
        dialog.get_by_role("button", name="Close").click()
        expect(self.page.get_by_text("The program writes debug and above, for 10 more minutes.")).to_be_visible()

    def test_whoever_may_look_sees_no_operation(self):
        _, sid = self.begin_counter()
        self.enter(ONLOOKER)
        expect(self.page.locator("#who")).to_have_text("bob, may look")
        operations = self.page.locator("main [aria-haspopup=dialog]")
        for name in PAGES:
            self.go(name)
            expect(self.page.get_by_text("Loading…")).to_have_count(0)
            expect(operations).to_have_count(0)
        self.find(sid)
        expect(self.page.get_by_role("region", name="Clients").locator("tbody tr")).to_have_count(1)
        expect(operations).to_have_count(0)
        expect(self.page.get_by_role("columnheader", name="Operations")).to_have_count(0)

    def test_states_are_hidden(self):
        _, sid = self.begin_counter()
        self.enter()
        self.find(sid)
        expect(self.page.get_by_text("Hidden, because they may contain what users have typed.")).to_be_visible()
        expect(self.page.locator("pre")).to_have_count(0)


class PlaceTest(InspectorTest):
    def test_reload_keeps_the_place(self):
        _, sid = self.begin_counter()
        self.enter()
        self.go("Log")
        self.page.get_by_role("radio", name="warning").check()
        expect(self.page.get_by_role("radio", name="warning")).to_be_checked()
        self.page.reload()
        expect(self.title()).to_have_text("Log")
        expect(self.page.get_by_role("radio", name="warning")).to_be_checked()
        self.find(sid)
        self.page.reload()
        expect(self.page.locator(".session-id")).to_have_text(sid)

    def test_back_button_and_address(self):
        _, sid = self.begin_counter()
        self.enter()
        self.go("Sessions")
        self.page.get_by_role("link", name=f"Session {sid}").click()
        expect(self.title()).to_have_text("Session")
        self.assertTrue(self.page.url.endswith(f"/#/session/{sid}"))
        self.page.go_back()
        expect(self.title()).to_have_text("Sessions")
        self.page.go_back()
        expect(self.title()).to_have_text("Overview")
        self.page.go_forward()
        expect(self.title()).to_have_text("Sessions")
        self.page.goto(f"{self.daemon.admin}/#/session/{sid}")
        expect(self.page.locator(".session-id")).to_have_text(sid)
        self.page.get_by_role("button", name="Back").click()
        expect(self.title()).to_have_text("Sessions")
        # There is no such page: the address says again where the operator is.
        self.page.evaluate("location.hash = '#/nothing'")
        self.wait_until("location.hash === '#/sessions'")

    def test_server_that_is_away_is_said_to_be(self):
        self.enter()
        self.go("Store")
        self.daemon.kill()
        away = self.page.get_by_role("status", name="Age of the figures")
        expect(away).to_contain_text("No connection since")
        expect(self.title()).to_have_text("Store")
        self.daemon.start()
        # The inspector's own sessions are in memory: the page begins another one, at the place where it was.
        expect(away).to_be_empty()
        expect(self.page.get_by_role("status", name="Connection")).to_have_text("Live")
        expect(self.title()).to_have_text("Store")

    def test_token_that_is_taken_away_is_asked_for_again(self):
        # In the other order, once the test is over.
        self.addCleanup(self.daemon.restart)
        self.addCleanup(self.daemon.let_in, **self.daemon.everybody)
        self.enter()
        self.daemon.let_in(bob=("look", ONLOOKER))
        self.daemon.restart()
        expect(self.title()).to_have_text("Enter your admin token")
        expect(self.page.get_by_role("alert")).to_contain_text("no longer accepts this token")
        self.assertNotIn(OPERATOR, self.page.evaluate(STORED))
        self.show_token(ONLOOKER)
        expect(self.title()).to_have_text("Overview")


if __name__ == "__main__":
    unittest.main()
