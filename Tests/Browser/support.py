"""What the browser tests share: a daemon that can be killed, a headless Chromium, and waiting for what is to happen."""

import atexit
import base64
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import axe
from looks import environment_with, look_of
from playwright.sync_api import expect, sync_playwright

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# Where pictures and figures of the pages go, for whoever wants to look at them; None makes none.
ARTIFACTS = REPOSITORY / os.environ["RIB_ARTIFACTS"] if os.environ.get("RIB_ARTIFACTS") else None

# All that need no sign-in.
APPS = [
    "boundaries", "catalog", "counter", "counter-riv", "home-detail", "ledger", "login", "profile", "room", "screens",
    "search", "tabs",
]

# How long a page may take for anything, in milliseconds. Most takes a tenth of a second, and many times that where other tests have both
# processors: the limit only ends what hangs.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


def browser_options(font, *arguments, has_windows=False):
    """How to launch a browser that finds one kind of font: the system's, not one that comes with the driver, if there is one."""
    names = [os.environ.get("RIB_CHROMIUM"), None if has_windows else "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    path = next((path for path in map(shutil.which, filter(None, names)) if path), None)
    program = {"executable_path": path} if path else {"channel": "chromium"} if has_windows else {}
    # Without its sandbox, for CI runs as root in a container; no page of others is ever opened.
    return {**program, "args": ["--no-sandbox", *arguments], "env": environment_with(font)}


@functools.cache
def driver():
    """What drives all browsers of the process."""
    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    return playwright


@functools.cache
def browser_with(font, *arguments, has_windows=False):
    """The browser of all tests of the process that want one like it; what one page stores, pages of other contexts do not see."""
    return driver().chromium.launch(**browser_options(font, *arguments, has_windows=has_windows))


class Chromium:
    """A browser in which pages have the look of the tests' file."""

    # Whether it is the browser that people have. The one without windows has the same engine, and takes a third of the time.
    has_windows = False

    @classmethod
    def launch(cls, *arguments):
        cls.font, cls.scale = look_of(cls.__module__)
        print(f"{cls.__qualname__}: RIB_LOOK={cls.font},{cls.scale}", file=sys.stderr)
        cls.browser = browser_with(cls.font, *arguments, has_windows=cls.has_windows)

    def new_context(self, browser=None, **options):
        """Pages that know nothing of others, in the scale of the look."""
        return (browser or self.browser).new_context(**{"device_scale_factor": self.scale, **options})


class Daemon:
    """ribd on a port of 127.0.0.1, stopped by its process id; its sessions are in a directory that outlives it."""

    def __init__(self, *arguments, web=None, command=None):
        self.program = [os.environ["RIBD"]] + ([command] if command else [])
        self.arguments = arguments if web is None else (*arguments, "--web", web)
        self.directory = tempfile.mkdtemp(prefix="rib-browser-")
        self.port = 0
        self.process = None
        self.start()

    def start(self):
        command = [*self.program, "--port", str(self.port), "--state-dir", self.directory, *self.arguments]
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        # One that says nothing would hold up all the tests.
        timer = threading.Timer(60, self.process.kill)
        timer.start()
        self.read_addresses()
        timer.cancel()

    def read_addresses(self):
        """Reads where the daemon listens from what it says."""
        self.port = self.port_in(self.process.stdout.readline())

    @staticmethod
    def port_in(line):
        """The port in a line with an address."""
        address = re.search(r":(\d+)/?\s*$", line)
        assert address, f"ribd said no address within a minute, but {line!r}"
        return int(address[1])

    @property
    def log(self):
        """The file that has what it logs."""
        return os.path.join(self.directory, "log")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def restart(self):
        self.kill()
        self.start()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class BrowserTest(Chromium, unittest.TestCase):
    """A daemon for all tests of a class, a page of its own for each."""

    arguments = ("--limits-actions-per-second", "0")
    # The directory of the page; None for the page that is in the program.
    web = os.environ.get("RIB_WEB")
    # What serves the page.
    make_daemon = Daemon

    @classmethod
    def setUpClass(cls):
        cls.daemon = cls.make_daemon(*cls.arguments, web=cls.web)
        cls.addClassCleanup(cls.daemon.close)
        cls.launch()

    def run(self, result=None):
        """Says what the daemon has logged if a test fails: it may know why."""
        begin = os.path.getsize(self.daemon.log)
        result = super().run(result)
        failed = [getattr(test, "test_case", test) for test, _ in result.failures + result.errors] if result else []
        if self in failed:
            print(pathlib.Path(self.daemon.log).read_bytes()[begin:].decode(errors="replace"), file=sys.stderr)
        return result

    def setUp(self):
        self.context = self.new_context(viewport={"width": 1280, "height": 900})
        self.addCleanup(self.context.close)
        self.problems = []
        self.page = self.new_page()

    def new_page(self, context=None):
        """A page whose uncaught errors fail the test."""
        page = (context or self.context).new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.note(message))
        return page

    def wait_until(self, expression, page=None):
        """Waits until an expression is true in a page, by the protocol: Playwright's own way needs an `eval`, which pages forbid."""
        deadline = time.monotonic() + PATIENCE / 1000
        while not (page or self.page).evaluate(f"async () => Boolean({expression})"):
            self.assertLess(time.monotonic(), deadline, f"never true: {expression}")
            # The page has to have the time to become so.
            (page or self.page).wait_for_timeout(20)

    def draw_in(self, scheme, page, **media):
        """Has a page drawn in other colours, and nothing glide to them: to load it anew would take many times as long."""
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce", **media)
        page.evaluate(f"async () => {{ {axe.SETTLE} }}")

    def keep_picture(self, page, name, is_whole=False):
        """Keeps a picture of a page, or of what its window shows of it: by the protocol, as Playwright's own way takes four times as long."""
        if not ARTIFACTS:
            return
        options = {"optimizeForSpeed": True}
        if is_whole:
            width, height = page.evaluate("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
            options |= {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        picture = page.context.new_cdp_session(page).send("Page.captureScreenshot", options)["data"]
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        (ARTIFACTS / f"{name}.png").write_bytes(base64.b64decode(picture))

    def note(self, message):
        # A server that is away or stops, or has no such session any more, is what the tests are about.
        place = message.location["url"]
        is_expected = any(it in message.text for it in ("net::ERR_", "WebSocket", "status of 503")) or "/v1/" in place
        # Browsers ask for an icon that a sample need not have.
        is_expected = is_expected or place.endswith("/favicon.ico")
        if message.type == "error" and not is_expected:
            self.problems.append(message.text)

    def tearDown(self):
        self.assertEqual(self.problems, [])

    def open(self, app, page=None):
        """Opens an app of the showcase, and waits until the app and the inspector are drawn."""
        page = page or self.page
        page.goto(f"{self.daemon.url}/#/{app}")
        surface = page.locator(f'[data-app="{app}"]')
        expect(page.locator("#status")).to_have_attribute("data-status", "live")
        expect(surface.locator("*").first).to_be_attached()
        expect(page.locator("#inspector > *")).to_be_attached()
        return surface
