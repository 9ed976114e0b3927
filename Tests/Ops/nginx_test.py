"""nginx, as config/nginx.conf and config/nginx-cluster.conf have it."""

import collections
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from proxies import HOST, Checks, Proxy
from support import REPOSITORY, is_long, tool


class Nginx(Proxy):
    name = "nginx.conf"

    def configure(self):
        [server] = self.servers
        (self.directory / "ribd.conf").write_text(self.shipped(
            ("server 127.0.0.1:8080;", f"server {server};"),
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
            ("/etc/ssl/app.example.com/fullchain.pem", str(self.directory / "cert.pem")),
            ("/etc/ssl/app.example.com/privkey.pem", str(self.directory / "key.pem")),
        ))
        temporary = " ".join(
            f"{name}_temp_path {self.directory}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # Workers of root's are another user's, who may not open a socket of the daemon's.
        user = "user root;" if os.geteuid() == 0 else ""
        (self.directory / "nginx.conf").write_text(
            f"{user} daemon off; worker_processes 2; worker_shutdown_timeout 1h; pid {self.directory}/nginx.pid;"
            f" error_log {self.directory}/error.log; events {{ worker_connections 1024; }}"
            f" http {{ access_log off; {temporary} include {self.directory}/ribd.conf; }}\n")
        self.command = [tool("nginx"), "-c", self.directory / "nginx.conf", "-e", self.directory / "error.log"]

    def check(self) -> list:
        return [*self.command, "-t", "-q"]

    def reload(self):
        self.reload_workers(signal.SIGHUP)


class NginxTest(Checks, unittest.TestCase):
    make_proxy = Nginx

    def test_floods_are_held_up(self):
        """One address may ask a hundred times a second, and two hundred times at once; others do not suffer from it."""
        site = self.open()
        url = f"https://{HOST}:{site.proxy.port}/healthz?[1-2000]"
        flood = subprocess.Popen(
            ["curl", "-s", "-Z", "--parallel-max", "50", "-w", "%{http_code}\n", "-o", "/dev/null", "--cacert",
             site.proxy.directory / "cert.pem", "--resolve", f"{HOST}:{site.proxy.port}:127.0.0.1", "-H", f"Host: {HOST}",
             url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        connection, others = site.connection("127.0.0.2"), []
        for _ in range(50):
            answer = site.ask("GET", "/healthz", None, connection)
            answer.read()
            others.append(answer.status)
        statuses = collections.Counter(flood.communicate()[0].split())
        self.assertEqual(set(statuses), {"200", "429"})
        self.assertEqual(statuses.total(), 2000)
        self.assertGreaterEqual(statuses["200"], 200)
        self.assertEqual(set(others), {200})


@is_long
class NginxUnixTest(Checks, unittest.TestCase):
    """The same over a unix socket, which has no ports that could run out."""

    make_proxy = Nginx
    host = "unix:{}/http.sock"


class LintTest(unittest.TestCase):
    def test_gixy_has_nothing_to_say(self):
        for name in ["nginx.conf", "nginx-cluster.conf"]:
            judged = subprocess.run(
                [Path(sys.executable).with_name("gixy"), REPOSITORY / "config" / name], capture_output=True, text=True)
            self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
            self.assertIn("No issues found", judged.stdout)


if __name__ == "__main__":
    unittest.main()
