"""Caddy, as config/Caddyfile has it: a present one, and Debian's, which is older."""

import subprocess
import sys
import unittest
from pathlib import Path

from proxies import Checks, Proxy
from support import could_not_run, free_port, is_long, tool


class Caddy(Proxy):
    name = "Caddyfile"
    program = Path(sys.executable).with_name("caddy")
    changes: list[tuple[str, str]] = []

    def configure(self):
        could_not_run("certificates of Let's Encrypt, which nobody gives to a machine that cannot be reached; Caddy had one of the test's.")
        [server] = self.servers
        site = self.shipped(
            ("reverse_proxy 127.0.0.1:8080 {", f"reverse_proxy {server} {{"),
            ("\napp.example.com {\n",
             f"\napp.example.com {{\n  bind 127.0.0.1\n  tls {self.directory}/cert.pem {self.directory}/key.pem\n"),
            *self.changes)
        # Of its own accord Caddy would redirect from port 80, and be told what to do at a port of all users'.
        (self.directory / "Caddyfile").write_text(
            f"{{\n  admin unix/{self.directory}/admin.sock\n  http_port {free_port()}\n  https_port {self.port}\n"
            f"  auto_https disable_redirects\n  storage file_system {self.directory}/storage\n}}\n{site}")
        # Where it would keep what it was told last.
        self.environment = {"HOME": str(self.directory)}
        self.command = [self.program, "run", "--config", self.directory / "Caddyfile", "--adapter", "caddyfile"]

    def check(self) -> list:
        return [self.program, "validate", "--config", self.directory / "Caddyfile", "--adapter", "caddyfile"]

    def reload(self):
        subprocess.run(
            [self.program, "reload", "--force", "--config", self.directory / "Caddyfile", "--adapter", "caddyfile",
             "--address", f"unix/{self.directory}/admin.sock"], check=True, capture_output=True)


class DebianCaddy(Caddy):
    program = property(lambda self: tool("caddy"))
    changes = [("    stream_close_delay 1h\n", "")]


class CaddyTest(Checks, unittest.TestCase):
    make_proxy = Caddy


@is_long
class CaddyUnixTest(Checks, unittest.TestCase):
    class make_proxy(Caddy):
        def __init__(self, directory, servers):
            super().__init__(directory, [server.replace("unix:", "unix/") for server in servers])

    host = "unix:{}/http.sock"


@is_long
class DebianCaddyTest(Checks, unittest.TestCase):
    make_proxy = DebianCaddy
    # The first word after a reload is lost with the connection.
    connections_over_reload = 2


if __name__ == "__main__":
    unittest.main()
