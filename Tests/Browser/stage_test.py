"""The stage: one session on two screens, and buttons that kill its server, cut its link and deploy another version."""

import base64
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import unittest
import urllib.request

from support import BrowserTest, Daemon, expect


# The one kills the server, the other signs tokens.
APPS_OF_SUPERVISOR = ["demo", "issuer"]


class Demo(Daemon):
    """`ribd demo`: a supervisor, and the server that it starts."""

    def __init__(self, *arguments, web=None):
        super().__init__(*arguments, web=web, command="demo")

    @property
    def server(self):
        """The number of the server's process; None if there is none at the moment."""
        pid = self.process.pid
        children = [pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text("ascii") for task in os.listdir(f"/proc/{pid}/task")]
        return next((int(child) for child in " ".join(children).split()), None)


def meta(url):
    """Where a page finds the app that kills its server: a URL and a token; empty for none."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        page = answer.read().decode()
    return re.search(r'<meta name="demo" content="([^"]*)">', page)[1].partition("#")[::2]


def hello(url, token, app="demo", **headers):
    """The first message that a WebSocket client gets that says hello to an app of the supervisor, or the status of an upgrade that is refused."""
    port = int(url.rpartition(":")[2])
    fields = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
              "Sec-WebSocket-Key": base64.b64encode(bytes(16)).decode(), "Sec-WebSocket-Protocol": "riblet.v1.json", **headers}
    # With a name, so that the message is longer than what has its length in the first two bytes of a frame.
    message = json.dumps({"t": "hello", "app": app, "client": {"name": "x" * 100}} | ({"auth": token} if token else {})).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link, link.makefile("rb") as answer:
        link.sendall("".join(["GET /v1/socket HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in fields.items()), "\r\n"]).encode())
        status = int(answer.readline().split()[1])
        if status != 101:
            return status
        while answer.readline().strip():
            pass
        link.sendall(bytes([0x81, 0x80 | 126]) + len(message).to_bytes(2, "big") + bytes(4) + message)
        _, length = answer.read(2)
        return json.loads(answer.read(int.from_bytes(answer.read(2), "big") if length == 126 else length))


class StageTest(BrowserTest):
    make_daemon = Demo
    # A page of a directory may connect to its own server alone, and not to the supervisor's.
    web = None

    def setUp(self):
        super().setUp()
        self.page.goto(self.daemon.url)
        self.first = self.page.locator("#screen")
        self.second = self.page.locator("#duo-screen")
        for screen in (self.first, self.second):
            expect(screen.get_by_label("Count")).to_be_visible()
        self.expect_rest()
        self.begin = int(self.first.get_by_label("Count").inner_text())

    def expect_rest(self):
        """Nothing waits, and both screens show the same."""
        for number in (1, 2):
            expect(self.page.locator(f"#duo-waiting-{number}")).to_have_text("")
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")

    def click(self, screen, times, name="Increment"):
        for _ in range(times):
            screen.get_by_role("button", name=name, exact=True).click()

    def expect_count(self, count):
        for screen in (self.first, self.second):
            expect(screen.get_by_label("Count")).to_have_text(str(count).replace("-", "−"))

    def kill(self):
        self.page.get_by_role("button", name="Kill the server").click()
        expect(self.page.locator("#duo-server")).to_contain_text("is dead")

    def test_both_screens_show_one_session(self):
        self.click(self.first, 2)
        self.expect_count(self.begin + 2)
        self.click(self.second, 3)
        self.expect_count(self.begin + 5)
        wire = self.page.locator("#duo-wire")
        expect(wire.locator('[data-way="out"][data-side="second"][data-state="done"]').first).to_contain_text("increment")
        expect(wire.locator('[data-way="in"][data-side="both"]').first).to_contain_text(f"count {self.begin + 5}")
        self.page.reload()
        self.expect_count(self.begin + 5)
        self.assertEqual(self.page.evaluate("document.querySelectorAll('#duo-screen .figure').length"), 1)

    def test_killed_server_does_each_waiting_click_once(self):
        self.click(self.first, 1)
        self.expect_count(self.begin + 1)
        old = self.daemon.server
        self.kill()
        self.assertIsNone(self.daemon.server, "the process is not dead")
        self.click(self.first, 8)
        self.click(self.second, 4)
        expect(self.page.locator("#duo-waiting-1")).to_have_text("8 waiting")
        expect(self.page.locator("#duo-wire [data-state=waiting]").first).to_contain_text("4 waiting")
        expect(self.page.locator("#duo-wire [data-state=waiting]").last).to_contain_text("8 waiting")
        # The count is the server's: nothing is shown as done that is not.
        self.expect_count(self.begin + 1)
        self.keep_picture(self.page, "stage-killed")
        expect(self.page.locator("#duo-result")).to_contain_text(
            f"12 actions were waiting. Each was done once: {self.begin + 1} + 12 = {self.begin + 13}.".replace("-", "−"))
        expect(self.page.locator("#duo-result")).to_contain_text("The page was back")
        self.expect_count(self.begin + 13)
        self.expect_rest()
        self.keep_picture(self.page, "stage-back")
        self.assertNotIn(self.daemon.server, (old, None))

    def test_dead_server_is_started_at_once(self):
        self.kill()
        self.page.get_by_role("button", name="Start it now").click()
        expect(self.page.locator("#duo-server")).not_to_contain_text("dead")
        expect(self.page.locator("#duo-result")).to_contain_text("Nothing was lost.")

    def test_server_that_others_kill_comes_back(self):
        os.kill(self.daemon.server, signal.SIGKILL)
        self.click(self.first, 3)
        # It is back within two seconds, which some of the clicks may come after.
        expect(self.page.locator("#duo-result")).to_contain_text(re.compile("(was|were) waiting|Nothing was lost"))
        self.expect_count(self.begin + 3)

    def test_cut_link_holds_what_the_first_screen_does(self):
        cut = self.page.locator("#duo-cut")
        expect(cut).to_have_text("Cut the left link")
        cut.click()
        expect(self.page.locator("#status")).to_have_attribute("data-status", "reconnecting")
        self.click(self.first, 5)
        self.click(self.second, 2)
        expect(self.second.get_by_label("Count")).to_have_text(str(self.begin + 2).replace("-", "−"))
        expect(self.page.locator("#duo-waiting-1")).to_have_text("5 waiting")
        expect(cut).to_have_text("Join the left link")
        cut.click()
        self.expect_count(self.begin + 7)
        expect(self.page.locator("#duo-result")).to_contain_text("5 actions were waiting. Each was done once")
        expect(self.page.locator("#duo-result")).to_contain_text("The link was cut for")

    def test_slow_link_shows_actions_on_their_way(self):
        slow = self.page.get_by_role("button", name="Slow left link: 500 ms")
        slow.click()
        # In one turn of the page: a slow test would see the first answers before its last click.
        self.page.evaluate("""() => {
          const waiting = document.getElementById("duo-waiting-1");
          window.shown = [];
          new MutationObserver(() => shown.push(waiting.textContent)).observe(waiting, { childList: true });
          for (let count = 0; count < 4; count++) document.querySelector("#screen .button-primary").click();
        }""")
        self.expect_count(self.begin + 4)
        self.assertIn("4 waiting", self.page.evaluate("shown"))
        slow.click()
        expect(slow).to_have_attribute("aria-pressed", "false")

    def test_clicks_of_the_second_screen_wait_while_another_app_is_shown(self):
        self.kill()
        self.click(self.second, 4)
        expect(self.page.locator("#duo-waiting-2")).to_have_text("4 waiting")
        self.page.locator('.apps a[data-app="room"]').click()
        expect(self.page.locator("#duo-kill")).to_be_hidden()
        self.page.go_back()
        self.expect_count(self.begin + 4)
        self.expect_rest()

    def test_stage_that_is_left_leaves_the_link_as_it_was(self):
        self.page.get_by_role("button", name="Cut the left link").click()
        expect(self.page.locator("#status")).to_have_attribute("data-status", "reconnecting")
        self.page.locator('.apps a[data-app="counter"]').click()
        expect(self.page.locator("#status")).to_have_attribute("data-status", "live")
        expect(self.page.locator("#inspector")).to_be_visible()
        expect(self.page.locator("#duo-kill")).to_be_hidden()
        self.page.go_back()
        expect(self.second.get_by_label("Count")).to_be_visible()


class DemoTest(BrowserTest):
    make_daemon = Demo
    # A page of a directory may connect to its own server alone, and not to the supervisor's.
    web = None

    def test_user_is_signed_in_and_can_be_another(self):
        surface = self.open("members")
        expect(surface.get_by_role("heading")).to_have_text("Signed in as ada")
        surface.get_by_role("textbox", name="Notice").fill("Tea is ready")
        surface.get_by_role("button", name="Post").click()
        expect(surface.get_by_role("list", name="Notices")).to_contain_text("Tea is ready")
        surface.get_by_role("button", name="Sign out everywhere").click()
        surface.get_by_role("textbox", name="Name").fill("bert")
        surface.get_by_role("button", name="Sign in").click()
        expect(surface.get_by_role("heading")).to_have_text("Signed in as bert")
        self.page.reload()
        expect(surface.get_by_role("heading")).to_have_text("Signed in as bert")

    def test_each_app_shows_its_code(self):
        for app, line, count in [("counter", "struct Counter: Riblet {", 3), ("ledger", "struct Ledger", 2)]:
            self.open(app)
            self.page.locator("#code").scroll_into_view_if_needed()
            listings = self.page.locator(".code-listing")
            expect(listings).to_have_count(count)
            if count > 2:
                expect(listings.nth(1)).to_contain_text("struct CounterVersion2: Riblet {")
            swift, view = listings.first, listings.last
            expect(swift).to_contain_text(line)
            expect(view).to_contain_text('screen("')
        self.assertEqual(swift.locator("code").inner_text().count("\n"), 39)
        swift.get_by_role("button", name="Show all").click()
        expect(swift).to_contain_text("func view(")
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        swift.get_by_role("button", name="Copy").click()
        expect(swift.get_by_role("button", name="Copied")).to_be_visible()
        source = pathlib.Path(__file__).parents[2] / "Sources/Showcase/Ledger/Ledger.swift"
        self.assertEqual(self.page.evaluate("navigator.clipboard.readText()"), source.read_text().rstrip())

    def test_composer_makes_actions_from_the_schema_and_keeps_those_that_were_sent(self):
        self.open("counter")
        self.page.get_by_role("tab", name="Compose").click()
        self.page.locator("#screen").get_by_role("button", name="Increment").click()
        sent = self.page.get_by_role("list", name="Actions, newest first")
        expect(sent.get_by_role("listitem").first).to_contain_text("done")
        expect(sent.get_by_role("listitem").first).to_contain_text('"increment"')
        sent.get_by_role("button", name="again").first.click()
        expect(sent.get_by_role("listitem")).to_have_count(2)
        self.page.get_by_role("tab", name="App").click()
        expect(self.page.locator("#screen").get_by_label("Count")).to_have_text("2")
        expect(sent).to_be_hidden()
        self.page.get_by_role("tab", name="App").press("ArrowRight")
        expect(self.page.get_by_role("tab", name="Compose")).to_be_focused()
        expect(sent).to_be_visible()


class DeployTest(BrowserTest):
    make_daemon = Demo
    # A page of a directory may connect to its own server alone, and not to the supervisor's.
    web = None

    def test_new_version_takes_the_session_over(self):
        page = self.page
        page.goto(self.daemon.url)
        first, second = page.locator("#screen"), page.locator("#duo-screen")
        expect(second.get_by_label("Count")).to_be_visible()
        for _ in range(3):
            first.get_by_role("button", name="Increment").click()
        expect(second.get_by_label("Count")).to_have_text("3")
        page.get_by_role("button", name="Deploy version 2").click()
        first.get_by_role("button", name="Increment").click()
        expect(page.locator("#duo-result")).to_contain_text("Version 2 runs now.")
        for screen in (first, second):
            screen.get_by_role("button", name="Add ten").click()
        for screen in (first, second):
            expect(screen.get_by_label("Count")).to_have_text("24")
        expect(page.get_by_role("button", name="Version 2 is deployed")).to_be_disabled()
        self.keep_picture(page, "stage-deployed")
        # What has sessions of the second version starts with it again.
        old = self.daemon.server
        self.daemon.kill()
        expect(page.locator("#duo-server")).to_have_text("The supervisor does not answer")
        expect(page.locator("#duo-kill")).to_be_disabled()
        # A supervisor that was started by hand has another address, and the page finds it.
        self.daemon.start()
        self.assertNotEqual(self.daemon.server, old)
        expect(page.locator("#duo-server")).to_have_text(f"Server · process {self.daemon.server} · version 2")
        page.get_by_role("button", name="Kill the server").click()
        expect(page.locator("#duo-server")).to_contain_text("is dead")
        page.get_by_role("button", name="Start it now").click()
        expect(page.locator("#duo-server")).to_contain_text("version 2")
        page.reload()
        expect(page.locator("#duo-server")).to_contain_text("version 2")
        expect(first.get_by_label("Count")).to_have_text("24")


    def test_new_version_is_shown_also_if_nobody_clicks(self):
        demo = Demo()
        self.addCleanup(demo.close)
        # Something else than a file may have the name of the record's draft.
        os.mkfifo(f"{demo.directory}/demo-version.new")
        self.page.goto(demo.url)
        screens = [self.page.locator("#screen"), self.page.locator("#duo-screen")]
        screens[1].get_by_role("button", name="Increment").click()
        for screen in screens:
            expect(screen.get_by_label("Count")).to_have_text("1")
        self.page.get_by_role("button", name="Deploy version 2").click()
        for screen in screens:
            expect(screen.get_by_role("button", name="Add ten")).to_be_visible()
        self.assertEqual(pathlib.Path(f"{demo.directory}/demo-version").read_text(), "2\n")


class EndTest(BrowserTest):
    """How a supervisor ends while its server is none that runs."""

    make_daemon = Demo
    web = None

    def setUp(self):
        super().setUp()
        self.page.goto(self.daemon.url)
        expect(self.page.get_by_role("button", name="Kill the server")).to_be_enabled()

    def tearDown(self):
        super().tearDown()
        if self.daemon.process.poll() is not None:
            self.daemon.process.stdout.close()
            self.daemon.start()

    def press(self, button, phase):
        self.page.get_by_role("button", name=button).click()
        expect(self.page.locator("#duo-server")).to_contain_text(phase)

    def expect_end(self, name):
        self.daemon.process.send_signal(name)
        self.assertEqual(self.daemon.process.wait(60), 0)
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", self.daemon.port))

    def test_supervisor_ends_while_its_server_is_dead(self):
        self.press("Kill the server", "is dead")
        self.expect_end(signal.SIGTERM)

    def test_supervisor_that_ends_deploys_nothing(self):
        self.press("Deploy version 2", "stops")
        self.expect_end(signal.SIGTERM)
        self.assertFalse(os.path.exists(f"{self.daemon.directory}/demo-version"))

    def test_supervisor_ends_with_its_terminal(self):
        self.daemon.kill()
        terminal, output = os.openpty()
        command = [*self.daemon.program, "--port", str(self.daemon.port), "--state-dir", self.daemon.directory]
        self.daemon.process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        os.close(output)
        with os.fdopen(terminal) as lines:
            Daemon.port_in(lines.readline())
            self.daemon.process.stdout = lines
            self.page.reload()
            self.press("Kill the server", "is dead")
        self.expect_end(signal.SIGHUP)


class SupervisorTest(unittest.TestCase):
    """Who may press the buttons."""

    @classmethod
    def setUpClass(cls):
        cls.demo = Demo()
        cls.addClassCleanup(cls.demo.close)
        cls.url, cls.token = meta(cls.demo.url)

    def test_only_the_page_of_the_demo_gets_in(self):
        port = self.demo.port
        for origin in (f"http://127.0.0.1:{port}", f"http://localhost:{port}"):
            self.assertEqual(hello(self.url, self.token, Origin=origin)["t"], "welcome")
        for origin in ("http://127.0.0.1:1", "http://example.com", "null", f"http://192.168.0.1:{port}"):
            self.assertEqual(hello(self.url, self.token, Origin=origin), 403, origin)
        self.assertEqual(hello(self.url, self.token, Host="example.com", Origin=f"http://127.0.0.1:{port}"), 421)
        # A client without an Origin is refused, and so is a page of the supervisor's own address.
        for headers in ({}, {"Origin": self.url}):
            for app in APPS_OF_SUPERVISOR:
                self.assertEqual(hello(self.url, self.token, app, **headers)["code"], "unauthenticated", app)

    def test_token_is_wanted(self):
        origin = f"http://127.0.0.1:{self.demo.port}"
        for app in APPS_OF_SUPERVISOR:
            self.assertEqual(hello(self.url, self.token, app, Origin=origin)["t"], "welcome")
            for token in (None, "", self.token[:-1], self.token + "0"):
                self.assertEqual(hello(self.url, token, app, Origin=origin)["code"], "unauthenticated", f"{app}, {token}")

    def test_supervisor_listens_on_loopback_alone(self):
        port = int(self.url.rpartition(":")[2])
        addresses = pathlib.Path("/proc/net/tcp").read_text("ascii") + pathlib.Path("/proc/net/tcp6").read_text("ascii")
        listening = [line.split()[1] for line in addresses.splitlines() if line.split()[3] == "0A"]
        self.assertEqual([it for it in listening if it.endswith(f":{port:04X}")], [f"0100007F:{port:04X}"])

    def test_server_without_a_supervisor_has_no_such_button(self):
        daemon = Daemon()
        self.addCleanup(daemon.close)
        self.assertEqual(meta(daemon.url), ("", ""))

    def test_server_ends_with_its_supervisor(self):
        demo = Demo()
        self.addCleanup(demo.close)
        server = demo.server
        demo.kill()
        # A process whose parent is gone is another's child, and ends by itself: its port is free again.
        demo.start()
        self.assertNotEqual(demo.server, server)

    def test_supervisor_stops_its_server_in_order(self):
        demo = Demo()
        self.addCleanup(demo.close)
        demo.process.send_signal(signal.SIGTERM)
        self.assertEqual(demo.process.wait(60), 0)
        demo.process.stdout.close()
        self.assertIn("Stopped.", pathlib.Path(demo.log).read_text())

    def test_server_that_cannot_start_ends_the_supervisor(self):
        demo = Demo()
        self.addCleanup(demo.close)
        command = [*demo.program, "--port", str(demo.port), "--state-dir", f"{demo.directory}/other"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("listen on", done.stderr)


if __name__ == "__main__":
    unittest.main()
