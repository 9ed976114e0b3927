"""A page with render.js and generic.js, and a session without a server, for the tests of both."""

import unittest
from pathlib import Path

from support import PATIENCE, Chromium

ROOT = Path(__file__).resolve().parents[2]
ORIGIN = "http://render.test"
POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; require-trusted-types-for 'script'"
PAGE = """<!doctype html><html lang="en"><title>Test</title><body>
<button id="outside">Outside</button><div id="app"></div><script type="module" src="/page.js"></script>"""
FILES = {
    "/page.js": ROOT / "Tests/Browser/render_page.js",
    **{f"/{file.name}": file for file in [*ROOT.glob("web/render*.js"), ROOT / "web/generic.js"]},
}


def serve(route):
    """Answers a request of the page, under the policy of the real pages."""
    path = route.request.url.removeprefix(ORIGIN).split("?")[0]
    if path in FILES:
        route.fulfill(body=FILES[path].read_text(), content_type="text/javascript")
    elif path in ("/", "/elsewhere"):
        route.fulfill(body=PAGE, content_type="text/html", headers={"Content-Security-Policy": POLICY})
    else:
        route.fulfill(status=404)


class RenderTest(Chromium, unittest.TestCase):
    """A page of its own for each test, in one browser."""

    @classmethod
    def setUpClass(cls):
        cls.launch()

    def setUp(self):
        self.context = self.new_context()
        self.addCleanup(self.context.close)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.route(f"{ORIGIN}/**", serve)
        self.open()

    def open(self, path="/"):
        """Loads the page, with a session that has no view yet."""
        self.page.goto(ORIGIN + path)
        self.page.wait_for_function("window.isReady")
        self.run_js("() => { window.session = new FakeSession(); }")

    def run_js(self, function, argument=None):
        """Calls a function in the page."""
        return self.page.evaluate(function, argument)

    def text(self, selector="#app"):
        """What an element shows."""
        return self.page.locator(selector).inner_text()

    def no_errors(self):
        """Nothing went wrong unnoticed, and the policy was kept."""
        self.assertEqual(self.run_js("() => errors"), [])
