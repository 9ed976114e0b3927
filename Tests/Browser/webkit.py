"""WebKit, as Debian's webkit2gtk-driver drives it (WebDriver), on a screen that is in memory."""

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from engine import PATIENCE, Engine, Screen

def webkit_path():
    """The browser that comes with the driver, if all that it needs is there."""
    if not shutil.which("WebKitWebDriver") or not shutil.which("Xvfb"):
        return None
    return next(iter(sorted(glob.glob("/usr/lib/*/webkit2gtk-*/MiniBrowser"), reverse=True)), None)


class WebKit(Engine):
    """A browser with one page."""

    # The window has buttons beside the page, and is as wide as they are.
    narrowest = 480

    def __init__(self, environment, _scale):
        # Of this one the scale is a whole number, and the screen would be too small for two.
        self.screen = Screen()
        # Without its sandbox, for CI runs as root in a container; no page of others is ever opened.
        environment = {**environment, **self.screen.environment, "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        # A session of its own, so that what it starts can be ended with it.
        self.driver = subprocess.Popen(
            ["WebKitWebDriver", f"--port={port}"], env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
        self.url = f"http://127.0.0.1:{port}/session"
        self.problems = []
        options = {"webkitgtk:browserOptions": {"binary": webkit_path(), "args": ["--automation"]}}
        try:
            self.url += "/" + self.begin({"capabilities": {"alwaysMatch": options}})["sessionId"]
        except BaseException:
            self.close()
            raise
        self.send("POST", "/timeouts", {"script": PATIENCE * 1000})

    def begin(self, wishes):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.send("POST", "", wishes)
            except urllib.error.URLError:
                # The driver says nothing when it listens.
                assert time.monotonic() < deadline and self.driver.poll() is None, "The driver does not answer"

    def send(self, method, path, body=None):
        """A command's result."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {json.load(error)['value']}") from None

    def open(self, url):
        self.hear_problems()
        self.send("POST", "/url", {"url": url})
        self.listen()

    def reload(self):
        self.hear_problems()
        self.send("POST", "/refresh", {})
        self.listen()

    def listen(self):
        """Keeps what nobody catches once the page is there: of errors before, the driver does not tell."""
        self.run("""(() => {
            window.problems = [];
            addEventListener("error", ({ message }) => problems.push(message));
            addEventListener("unhandledrejection", ({ reason }) => problems.push(String(reason)));
        })()""")

    def hear_problems(self):
        self.problems += self.run("window.problems?.splice(0) ?? []")

    def resize(self, width, height):
        """Gives the page this size, whatever the window has around it."""
        deadline = time.monotonic() + PATIENCE
        while (inner := self.run("[innerWidth, innerHeight]")) != [width, height]:
            assert time.monotonic() < deadline, f"a page of {inner} will not be {[width, height]}"
            rect = self.send("GET", "/window/rect")
            # No window is smaller than its page, also if the page did not know of the last change yet.
            self.send("POST", "/window/rect", {
                "width": max(rect["width"] + width - inner[0], width), "height": max(rect["height"] + height - inner[1], height)})
            # The page is told later, and not what was asked for if the window has something else around it by then.
            self.run(f"""new Promise((done) => {{
                const end = performance.now() + 2000;
                const timer = setInterval(() => {{
                    if ((innerWidth !== {width} || innerHeight !== {height}) && performance.now() < end) return;
                    clearInterval(timer);
                    done();
                }}, 20);
            }})""")

    def run(self, expression):
        """What an expression is, which may be awaited, as JSON has it."""
        text = f"""const done = arguments[arguments.length - 1];
            (async () => JSON.stringify(await ({expression})) ?? "null")().then((it) => done([it]), (error) => done([null, String(error)]))"""
        value, *error = self.send("POST", "/execute/async", {"script": text, "args": []})
        assert not error, f"{expression}: {error}"
        return json.loads(value)

    def act(self, kind, actions, **more):
        self.send("POST", "/actions", {"actions": [{"type": kind, "id": kind, "actions": actions, **more}]})

    def back(self):
        self.send("POST", "/back", {})

    def close(self):
        # As with the screen: it may have been told to ignore any other signal.
        os.killpg(self.driver.pid, signal.SIGKILL)
        self.driver.wait()
        self.screen.close()
