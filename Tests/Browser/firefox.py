"""Firefox, driven by its own protocol (WebDriver BiDi), as Debian's has no other driver."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading

from engine import PATIENCE, Engine
from websockets.sync.client import connect


def firefox_path():
    names = [os.environ.get("RIB_FIREFOX", ""), "firefox-esr", "firefox"]
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


class Firefox(Engine):
    """A headless Firefox with one page."""

    def __init__(self, environment, scale):
        self.profile = tempfile.mkdtemp(prefix="rib-firefox-")
        pathlib.Path(self.profile, "user.js").write_text(f'user_pref("layout.css.devPixelsPerPx", "{scale}");\n')
        command = [firefox_path(), "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0", "about:blank"]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        address = None
        while address is None:
            line = self.process.stderr.readline()
            assert line, "Firefox has ended"
            address = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
        timer.cancel()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = connect(f"{address[1]}/session", max_size=None)
        self.last = 0
        self.problems = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        # In the first window the keys are for its address.
        self.context = self.send("browsingContext.create", type="window")["context"]
        self.send("browsingContext.activate", context=self.context)

    def send(self, method, **params):
        """A command's result."""
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("method") == "log.entryAdded":
                self.note(message["params"])
            elif message.get("id") == self.last:
                assert message["type"] == "success", f"{method}: {message.get('message')}"
                return message["result"]

    def note(self, entry):
        # Only what nobody has caught: a server that is away is what the tests are about.
        is_away = "establish a connection" in entry["text"] or "was interrupted" in entry["text"]
        if entry["type"] == "javascript" and entry["level"] == "error" and not is_away:
            self.problems.append(entry["text"])

    def hear_problems(self):
        # They come before the next answer.
        self.run("0")

    def open(self, url):
        self.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def reload(self):
        self.send("browsingContext.reload", context=self.context, wait="complete")

    def resize(self, width, height):
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def run(self, expression):
        """What an expression is, which may be awaited, as JSON has it."""
        text = f"(async () => JSON.stringify(await ({expression})) ?? 'null')()"
        result = self.send(
            "script.evaluate", expression=text, target={"context": self.context}, awaitPromise=True, resultOwnership="none")
        assert result["type"] == "success", f"{expression}: {result.get('exceptionDetails', {}).get('text')}"
        return json.loads(result["result"]["value"])

    def act(self, kind, actions, **more):
        self.send("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, "actions": actions, **more}])

    def back(self):
        self.send("browsingContext.traverseHistory", context=self.context, delta=-1)

    def close(self):
        self.socket.close()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
