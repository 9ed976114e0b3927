"""The settings of a daemon that runs: SIGHUP."""

import asyncio
import base64
import hashlib
import hmac
import http.server
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from joserfc import jwt
from joserfc.jwk import ECKey
from support import PATIENCE, RIBD, Counter, Daemon, together, wait_until

GAUGE = "ribserver_config_last_reload_successful"


def begin(url: str, fields: dict) -> tuple[int, dict]:
    """The answer to a request to begin a session."""
    request = urllib.request.Request(
        url + "/v1/sessions", b'{"app":"counter"}', {"Content-Type": "application/json", **fields})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.status, json.load(answer)


def welcome(url: str) -> dict:
    """What a client is told that begins a session."""
    return begin(url, {})[1]


def status(url: str, **fields: str) -> int:
    """The status of a request to begin a session."""
    try:
        return begin(url, fields)[0]
    except urllib.error.HTTPError as error:
        return error.code


def token(secret: str) -> str:
    """A token of the issuer, for a minute."""
    now = int(time.time())
    parts = [{"alg": "HS256", "typ": "JWT"}, {"iss": "us", "aud": "ribs", "sub": "ada", "iat": now, "exp": now + 60}]
    text = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return text + "." + base64.urlsafe_b64encode(signature).decode().rstrip("=")


class Issuer:
    """A server on this machine that publishes a key, and signs tokens with it."""

    def __init__(self):
        self.key = ECKey.generate_key("P-256", {"kid": "one", "alg": "ES256", "use": "sig"})
        body = json.dumps({"keys": [self.key.as_dict(private=False)]}).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/jwk-set+json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/keys"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def token(self) -> str:
        now = int(time.time())
        claims = {"iss": "us", "aud": "ribs", "sub": "ada", "iat": now, "exp": now + 60}
        return jwt.encode({"alg": "ES256", "kid": "one", "typ": "JWT"}, claims, self.key)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class HangUpTest(unittest.TestCase):
    """A daemon with a file of settings that is written anew."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name)
        self.file = self.path / "ribd.json"

    def start(self, settings: dict) -> Daemon:
        self.file.write_text(json.dumps(settings))
        daemon = Daemon("--config", str(self.file))
        self.addCleanup(daemon.stop)
        return daemon

    def log(self, daemon: Daemon) -> str:
        return (daemon.path / "log").read_text()

    def reload(self, daemon: Daemon, settings: dict | str, *, works: bool = True):
        """Writes the file anew, and waits until the daemon has read it."""
        line = "The settings were reloaded." if works else "The settings were not reloaded"
        before = self.log(daemon).count(line)
        self.file.write_text(settings if isinstance(settings, str) else json.dumps(settings))
        daemon.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.log(daemon).count(line) > before, line)

    def gauge(self, daemon: Daemon, name: str = GAUGE) -> float:
        return float(re.search(rf"^{name} (\S+)$", daemon.ask_admin("/metrics")[1], re.MULTILINE)[1])

    def test_origins_and_hosts_are_taken_over(self):
        daemon = self.start({})
        page = {"Host": "api.example.com", "Origin": "https://app.example.com"}
        self.assertEqual(status(daemon.url, **page), 421)
        self.reload(daemon, {"hosts": ["*"]})
        self.assertEqual(status(daemon.url, **page), 403)
        self.reload(daemon, {"hosts": ["*"], "origins": ["https://app.example.com"]})
        self.assertEqual(status(daemon.url, **page), 201)

    def test_limits_are_taken_over_and_connections_go_on(self):
        daemon = self.start({})

        async def act():
            async with Counter(daemon.url) as counter:
                await counter.act()
                self.reload(daemon, {"limits": {"sessions": 1}})
                await counter.act()
                self.assertEqual(status(daemon.url), 503)
                self.reload(daemon, {"limits": {"sessions": 10}})
                await counter.act()
                self.assertEqual(status(daemon.url), 201)

        together(act())

    def test_a_thousand_signals_lose_nothing(self):
        daemon = self.start({"limits": {"actionsPerSecond": 0}})

        async def act():
            async with Counter(daemon.url) as counter:
                for _ in range(300):
                    await counter.act()

        async def signals():
            for number in range(1000):
                self.file.write_text(json.dumps({"limits": {"actionsPerSecond": 0, "sessions": 100 + number}}))
                daemon.process.send_signal(signal.SIGHUP)
                await asyncio.sleep(0)

        together(signals(), *(act() for _ in range(4)))
        # The last one counts, however many were one to the system; a file that was read while it was written has changed nothing.
        self.file.write_text('{"limits": {"actionBurst": 77}}')
        daemon.process.send_signal(signal.SIGHUP)
        wait_until(lambda: welcome(daemon.url)["limits"]["actionBurst"] == 77, "the last settings")

    def test_level_and_format_of_the_log_are_taken_over(self):
        daemon = self.start({"logLevel": "info"})
        self.assertNotIn(" debug ", self.log(daemon))
        self.reload(daemon, {"logLevel": "debug"})

        async def come():
            async with Counter(daemon.url) as counter:
                await counter.act()

        together(come())
        wait_until(lambda: " debug " in self.log(daemon), "a line at debug")
        self.reload(daemon, {"logLevel": "info", "logFormat": "json"})
        last = json.loads(self.log(daemon).splitlines()[-1])
        self.assertEqual((last["level"], last["msg"]), ("info", "The settings were reloaded."))

    def test_tokens_of_operators_are_read_anew(self):
        daemon = self.start({})
        self.assertEqual(daemon.ask_admin("/livez")[0], 200)
        (daemon.path / "tokens").write_text(f"others:look:{hashlib.sha256(b'another').hexdigest()}\n")
        self.reload(daemon, {})
        self.assertEqual(daemon.ask_admin("/livez")[0], 401)
        # A file that cannot be read leaves the tokens as they are.
        (daemon.path / "tokens").write_text("nothing\n")
        self.reload(daemon, {}, works=False)
        daemon.TOKEN = "another"
        self.assertEqual(daemon.ask_admin("/livez")[0], 200)
        self.assertEqual(self.gauge(daemon), 0)

    def test_secret_of_the_issuer_is_read_anew(self):
        secret = self.path / "secret"
        secret.write_text("one secret of thirty-two bytes ..")
        auth = {"mode": "jwt", "issuer": "us", "audience": "ribs", "secretFile": str(secret)}
        daemon = self.start({"auth": auth})
        one, two = token("one secret of thirty-two bytes .."), token("two secrets of thirty-two bytes .")
        statuses = lambda: [status(daemon.url, Authorization=f"Bearer {text}") for text in (one, two)]
        self.assertEqual(statuses(), [201, 401])
        secret.write_text("two secrets of thirty-two bytes .")
        self.reload(daemon, {"auth": auth})
        self.assertEqual(statuses(), [401, 201])
        # Another audience: the same file of settings, and another reader of tokens.
        self.reload(daemon, {"auth": {**auth, "audience": "others"}})
        self.assertEqual(statuses(), [401, 401])
        # Keys that cannot be had leave the secret in use.
        self.reload(daemon, {"auth": {**auth, "secretFile": str(self.path / "none")}}, works=False)
        self.reload(daemon, {"auth": {
            "mode": "jwt", "issuer": "us", "audience": "ribs", "keysURL": "http://127.0.0.1:9/keys"}}, works=False)
        self.reload(daemon, {"auth": auth})
        self.assertEqual(statuses(), [401, 201])

    def test_keys_of_another_url_are_taken_over(self):
        one, two = Issuer(), Issuer()
        self.addCleanup(two.stop)
        auth = {"mode": "jwt", "issuer": "us", "audience": "ribs"}
        daemon = self.start({"auth": {**auth, "keysURL": one.url}})
        statuses = lambda: [status(daemon.url, Authorization=f"Bearer {issuer.token()}") for issuer in (one, two)]
        self.assertEqual(statuses(), [201, 401])
        # Keys that were loaded are kept by settings that are the same, also if their issuer is away.
        one.stop()
        self.reload(daemon, {"auth": {**auth, "keysURL": one.url}, "limits": {"sessions": 50}})
        self.assertEqual(statuses(), [201, 401])
        self.reload(daemon, {"auth": {**auth, "keysURL": two.url}})
        self.assertEqual(statuses(), [401, 201])
        # Nobody could sign in with those.
        self.reload(daemon, {"auth": {**auth, "keysURL": one.url}}, works=False)
        self.assertEqual(statuses(), [401, 201])

    def test_file_that_is_broken_changes_nothing(self):
        daemon = self.start({"limits": {"sessions": 1}})
        self.assertEqual((status(daemon.url), self.gauge(daemon)), (201, 1))
        since = self.gauge(daemon, "ribserver_config_last_reload_success_timestamp_seconds")
        for settings, says in [
            ('{"limits": {', "cannot be read"),
            ({"limits": {"sessions": 0}}, '\\"limits.sessions\\" is 0'),
            ({"limits": {"session": 5}}, "limits.sessions"),
            ({"logLevel": "loud", "limits": {"sessions": 5}}, "There is no log level"),
            ({"auth": {"issuer": "us"}, "limits": {"sessions": 5}}, "auth.issuer is set"),
        ]:
            self.reload(daemon, settings, works=False)
            self.assertIn(says, self.log(daemon).splitlines()[-1])
            self.assertIn(" error ", self.log(daemon).splitlines()[-1])
            self.assertEqual((status(daemon.url), self.gauge(daemon)), (503, 0))
        self.assertEqual(self.gauge(daemon, "ribserver_config_last_reload_success_timestamp_seconds"), since)
        self.reload(daemon, {"limits": {"sessions": 5}})
        self.assertEqual((status(daemon.url), self.gauge(daemon)), (201, 1))

    def test_settings_that_need_a_restart_are_named(self):
        daemon = self.start({})
        self.reload(daemon, {"loops": 7, "lingerMilliseconds": 9, "web": str(self.path)})
        wait_until(lambda: "web" in self.log(daemon).splitlines()[-1], "a notice")
        said = [line for line in self.log(daemon).splitlines() if "need a restart" in line]
        self.assertEqual(len(said), 2)
        self.assertIn('settings="loops, lingerMilliseconds"', said[0])
        self.assertIn("settings=web", said[1])

    def test_flags_go_before_the_file(self):
        self.file.write_text("{}")
        daemon = Daemon("--config", str(self.file), "--limits-sessions", "1")
        self.addCleanup(daemon.stop)
        self.reload(daemon, {"limits": {"sessions": 10}})
        self.assertEqual([status(daemon.url), status(daemon.url)], [201, 503])

    def test_supervisor_is_told(self):
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
            inbox.bind(f"{directory}/notify")
            inbox.settimeout(PATIENCE)
            process = subprocess.Popen(
                [RIBD, "--port", "0", "--state-dir", f"{directory}/state"],
                env={**os.environ, "NOTIFY_SOCKET": f"{directory}/notify"}, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            try:
                self.assertIn("READY=1", inbox.recv(1000).decode())
                before = time.monotonic_ns() // 1000
                process.send_signal(signal.SIGHUP)
                said = inbox.recv(1000).decode()
                self.assertRegex(said, r"\ARELOADING=1\nMONOTONIC_USEC=\d+\Z")
                self.assertTrue(before <= int(said.rsplit("=", 1)[1]) <= time.monotonic_ns() // 1000)
                self.assertIn("READY=1", inbox.recv(1000).decode())
            finally:
                process.terminate()
                self.assertEqual(process.wait(PATIENCE), 0)

    def test_signal_before_the_server_is_up_does_no_harm(self):
        """The signal comes as soon as the daemon listens to it, which is the first thing that it does."""
        with open(self.path / "log", "w") as log:
            process = subprocess.Popen(
                [RIBD, "--port", "0", "--state-dir", self.path / "state"], stdout=subprocess.PIPE, stderr=log, text=True)

        def traps() -> bool:
            status = Path(f"/proc/{process.pid}/status").read_text()
            # Signals are blocked while a process is made: that says nothing of the daemon.
            return int(re.search(r"^SigCgt:\s+(\w+)$", status, re.MULTILINE)[1], 16) & 1 == 1

        try:
            wait_until(lambda: process.poll() is not None or traps(), "the daemon that listens to signals")
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGHUP)
            self.assertIn("listens on", process.stdout.readline())
            # It is kept until then.
            wait_until(lambda: "The settings were reloaded." in (self.path / "log").read_text(), "the reload")
        finally:
            process.terminate()
            self.assertEqual(process.wait(PATIENCE), 0)
            process.stdout.close()

    def test_daemon_ends_with_its_terminal(self):
        """Otherwise whoever closes a window would leave a daemon behind."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [RIBD, "--port", "0", "--state-dir", self.path / "state"], stdin=theirs, stdout=theirs, stderr=theirs,
            start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))
        os.close(theirs)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        text = b""

        def read_until(word: bytes):
            nonlocal text
            end = time.monotonic() + PATIENCE
            while word not in text:
                is_readable = select.select([ours], [], [], max(end - time.monotonic(), 0))[0]
                self.assertTrue(is_readable, f"{word} has not come within {PATIENCE} s: {text}")
                text += os.read(ours, 1000)

        read_until(b"listens on")
        # A signal from elsewhere is no end of the terminal.
        process.send_signal(signal.SIGHUP)
        read_until(b"The settings were reloaded.")
        os.close(ours)
        self.assertEqual(process.wait(PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
