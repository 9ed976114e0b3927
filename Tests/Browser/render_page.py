"""A page with render.js and generic.js, and a session without a server, for the tests of both."""

import functools
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import PATIENCE, Chromium

ROOT = Path(__file__).resolve().parents[2]
ORIGIN = "http://render.test"
POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; require-trusted-types-for 'script'"
PAGE = """<!doctype html><html lang="en"><title>Test</title><body>
<button id="outside">Outside</button><div id="app"></div><script type="module" src="/page.js"></script>"""
FILES = {
    "/page.js": ROOT / "Tests/Browser/render_page.js",
    **{f"/{file.name}": file for file in [*ROOT.glob("web/render*.js"), *ROOT.glob("web/field*.js"), ROOT / "web/generic.js"]},
}


class Handler(BaseHTTPRequestHandler):
    """Answers a request of the page, under the policy of the real pages."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        if path in FILES:
            self.answer(200, "text/javascript", FILES[path].read_bytes())
        elif path in ("/", "/elsewhere"):
            self.answer(200, "text/html", PAGE.encode(), {"Content-Security-Policy": POLICY})
        else:
            self.answer(404, "text/plain", b"")

    def answer(self, status, kind, body, headers=None):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


@functools.cache
def serve():
    """
    Serves the page for as long as the process lives, and returns the port.

    The browser itself asks there: each request that is answered through the driver would take milliseconds.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


class RenderTest(Chromium, unittest.TestCase):
    """A page of its own for each test."""

    @classmethod
    def setUpClass(cls):
        cls.launch(f"--host-resolver-rules=MAP render.test 127.0.0.1:{serve()}")

    def setUp(self):
        self.context = self.new_context()
        self.addCleanup(self.context.close)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
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
