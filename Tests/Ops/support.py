"""What the tests of operations share: a daemon as an operator runs it, and clients that count what they say."""

import asyncio
import atexit
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import websockets

REPOSITORY = Path(__file__).parents[2]
RIBD = Path(os.environ.get("RIBD", REPOSITORY / ".build/debug/ribd"))
# Not by a name that begins with RIBD_: ribd would take it for a setting.
RIBCTL = Path(os.environ.get("RIBCTL", RIBD.with_name("ribctl")))
TOOLS = REPOSITORY / ".tools"
# Nothing here takes long; whatever is waited for this long never comes.
PATIENCE = 120

# What a run leaves out that is to be short.
is_long = unittest.skipIf(os.environ.get("RIB_OPS") == "short", "RIB_OPS=short")


# A dictionary keeps the order, and has each text once.
not_run: dict[str, None] = {}
atexit.register(lambda: [print(f"Not run here: {what}") for what in not_run])


def could_not_run(what: str):
    """Has the end of all tests say what is not tested, and why: to be called where a test does without it, and not before."""
    not_run[what] = None


def want(what: str, reason: str | None):
    """Skips the tests of what cannot run here, if there is a reason. A long run that may skip nothing fails instead: it has a machine that can do all."""
    if reason is None:
        return
    is_required = os.environ.get("RIB_REQUIRE_ALL") == "1" and os.environ.get("RIB_OPS") != "short"
    assert not is_required, f"{what}: {reason}"
    could_not_run(f"{what}: {reason}.")
    raise unittest.SkipTest(reason)


def tool(name: str, package: str | None = None) -> Path:
    """A program of a package below .tools, which scripts/setup --tests puts there."""
    path = (TOOLS / (package or name)).resolve().with_name(name)
    assert os.access(path, os.X_OK), f"there is no {name}: scripts/setup --tests gets it"
    return path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(is_true, what: str):
    """Asks again and again until there is an answer, and returns it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if answer := is_true():
                return answer
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(0.02)
    raise AssertionError(f"{what} has not come within {PATIENCE} s")


class Daemon:
    """A daemon with an admin listener, on a port and a state directory of its own."""

    TOKEN = "token of the tests"

    def __init__(self, *arguments: str, environment: dict[str, str] | None = None):
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name)
        hashed = hashlib.sha256(self.TOKEN.encode()).hexdigest()
        (self.path / "tokens").write_text(f"tests:operate:{hashed}\n")
        self.log = open(self.path / "log", "w+")
        self.process = subprocess.Popen(
            [RIBD, "--port", "0", "--state-dir", self.path / "state", "--admin-listen", "127.0.0.1:0",
             "--admin-token-file", self.path / "tokens", *arguments],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **(environment or {})})
        self.url = self.admin = None
        while not (self.url and self.admin):
            line = self.process.stdout.readline()
            assert line, f"ribd has ended: {(self.path / 'log').read_text()}"
            if found := re.search(r"listens on (\S+)", line):
                self.url = found[1]
            if found := re.search(r"Operators look at (http://\S+)", line):
                self.admin = found[1]

    def ask_admin(self, path: str) -> tuple[int, str]:
        request = urllib.request.Request(self.admin + path, headers={"Authorization": f"Bearer {self.TOKEN}"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.log.close()
        self.directory.cleanup()
        assert code == 0, f"ribd has ended with {code}"


class Counter:
    """A client of the counter: it counts what it does."""

    def __init__(self, url: str):
        self.url = url.replace("http", "ws") + "/v1/socket"
        self.sent = 0

    async def __aenter__(self):
        self.socket = await websockets.connect(self.url, subprotocols=["riblet.v1.json"])
        await self.socket.send('{"t":"hello","app":"counter"}')
        assert json.loads(await self.socket.recv())["t"] == "welcome"
        assert json.loads(await self.socket.recv())["t"] == "snap"
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def act(self):
        self.sent += 1
        await self.socket.send(json.dumps({"t": "act", "n": self.sent, "to": 1, "a": "increment"}))
        answer = json.loads(await self.socket.recv())
        assert answer["t"] == "patch", answer


def together(*coroutines):
    """Runs coroutines side by side to their ends."""

    async def run():
        return await asyncio.gather(*coroutines)

    return asyncio.run(run())
