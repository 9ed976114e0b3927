"""The commands that look at settings and at a daemon: check and health."""

import json
import os
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import PATIENCE, RIBD, Daemon


class CommandTest(unittest.TestCase):
    def run_ribd(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [RIBD, *arguments], env={**os.environ, **variables}, capture_output=True, text=True, timeout=PATIENCE)

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name)

    def test_check_says_where_each_value_comes_from(self):
        file = self.path / "ribd.json"
        file.write_text('{"limits": {"sessions": 5, "connections": 6}, "storeURL": "postgresql://ribs:pass@db/ribs"}')
        state = str(self.path / "state")
        arguments = ["check", "--config", str(file), "--limits-connections", "7", "--state-dir", state]
        variables = {"RIBD_LIMITS_SESSIONS": "8", "RIBD_ORIGINS": "https://a.example.com,https://b.example.com"}
        table = self.run_ribd(*arguments, **variables)
        self.assertEqual((table.returncode, table.stderr), (0, ""))
        self.assertRegex(table.stdout, r"limits\.connections +7 +--limits-connections\n")
        self.assertRegex(table.stdout, r"limits\.sessions +8 +RIBD_LIMITS_SESSIONS\n")
        self.assertRegex(table.stdout, rf"storeURL +set +{file}\n")
        self.assertNotIn("pass@", table.stdout)
        self.assertRegex(table.stdout, r"port +8080 +default\n")
        self.assertTrue(table.stdout.endswith("The settings are right.\n"))
        told = json.loads(self.run_ribd(*arguments, "--json", **variables).stdout)
        self.assertTrue(told["ok"])
        settings = {setting["name"]: setting for setting in told["settings"]}
        self.assertEqual(settings["origins"], {
            "name": "origins", "value": "https://a.example.com, https://b.example.com", "source": "RIBD_ORIGINS",
            "live": True})
        self.assertEqual(settings["port"]["live"], False)
        self.assertFalse((self.path / "state").exists())

    def test_check_finds_what_a_start_would(self):
        (self.path / "file").write_text("nothing")
        (self.path / "bad.json").write_text('{"limit": {"conections": 1}}')
        file = str(self.path / "file")
        jwt = ["--auth-mode", "jwt", "--auth-issuer", "i", "--auth-audience", "a"]
        for arguments, says in [
            (["--config", str(self.path / "bad.json")], 'the nearest is "limits.connections"'),
            (["--config", file], "cannot be read: unexpected character, at byte "), (["--config", "/nowhere"], "there is no such file"),
            (["--port", "99999"], "must be from 0 to 65535"),
            (["--host", "203.0.113.1"], "203.0.113.1"),
            (["--host", "unix:/nowhere/at/all.sock"], "in a directory that can be written in"),
            (["--state-dir", file], "stateDir"), (["--state-dir", f"{file}/more"], "stateDir"),
            (["--record", f"{file}/more"], "record"), (["--web", "/nowhere"], "/nowhere"),
            (["--admin-listen", "127.0.0.1:0", "--admin-token-file", file], "Line 1 of the tokens in admin.tokenFile"),
            (["--admin-listen", "127.0.0.1:0", "--admin-token-file", "/nowhere"], "/nowhere"),
            (["--admin-listen", "0.0.0.0:0"], "unless admin.tokenFile names who may look"),
            (["--admin-listen", "127.0.0.1:0"], "without a terminal needs admin.tokenFile"),
            ([*jwt, "--auth-keys-url", "https://ada:mark@id.example.com/keys"], "https://…@id.example.com/keys"),
            ([*jwt, "--auth-keys-file", file], file), ([*jwt, "--auth-secret-file", "/nowhere"], "/nowhere"),
            (["--store", "postgres"], "no store in PostgreSQL"), (["--log-level", "loud"], "There is no log level"),
        ]:
            with self.subTest(arguments):
                checked = self.run_ribd("check", "--state-dir", str(self.path / "state"), *arguments)
                self.assertEqual(checked.returncode, 1)
                self.assertIn(says, checked.stderr)
                told = self.run_ribd("check", "--json", "--state-dir", str(self.path / "state"), *arguments)
                self.assertEqual((told.returncode, told.stderr), (1, ""))
                self.assertIn(says, json.loads(told.stdout)["fault"])

    def test_subcommand_that_would_not_see_its_flags_is_refused(self):
        checked = self.run_ribd("--port", "1", "check")
        self.assertNotEqual(checked.returncode, 0)
        self.assertIn("check comes first", checked.stderr)

    def test_health_is_asked_where_the_settings_say(self):
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        port = daemon.url.rsplit(":", 1)[1]
        for arguments in [["--port", port], ["--host", "0.0.0.0", "--port", port], ["--ready", "--port", port]]:
            well = self.run_ribd("health", *arguments)
            self.assertEqual((well.returncode, well.stderr), (0, ""), arguments)
            word = "ready" if "--ready" in arguments else "live"
            self.assertIn(f"says {word}.", well.stdout)
        self.assertEqual(self.run_ribd("health", RIBD_PORT=port).returncode, 0)
        self.assertIn("picked its port", self.run_ribd("health", "--port", "0").stderr)

    def test_health_by_a_socket_and_behind_a_proxy(self):
        path = f"unix:{self.path}/ribd.sock"
        settings = ["--host", path, "--proxies-protocol", "required"]
        process = subprocess.Popen(
            [RIBD, *settings, "--state-dir", self.path / "state"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        try:
            self.assertIn("listens on", process.stdout.readline())
            self.assertEqual(self.run_ribd("health", *settings).returncode, 0)
        finally:
            process.terminate()
            self.assertEqual(process.wait(PATIENCE), 0)
            process.stdout.close()
        ill = self.run_ribd("health", *settings)
        self.assertEqual(ill.returncode, 1)
        self.assertIn("cannot be reached", ill.stderr)

    def test_server_that_does_not_answer_is_not_waited_for(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            begin = time.monotonic()
            ill = self.run_ribd("health", "--port", str(listener.getsockname()[1]))
            self.assertEqual(ill.returncode, 1)
            self.assertIn("does not answer", ill.stderr)
            # Three seconds is what the command promises; a machine that is slow may take longer, and none less.
            self.assertGreater(time.monotonic() - begin, 2)


if __name__ == "__main__":
    unittest.main()
