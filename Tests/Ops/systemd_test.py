"""The daemon under systemd: sockets that outlive processes, and a supervisor that is told how the daemon is.

Its own `systemd-socket-activate` hands over the sockets, and its own analyzers read the units. `deploy_test` and `walk_test` have a systemd that runs.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

from support import PATIENCE, RIBD, REPOSITORY, free_port, wait_until


def answers(url: str) -> bool:
    with urllib.request.urlopen(url + "/healthz", timeout=PATIENCE) as answer:
        return answer.status == 200


class SocketTest(unittest.TestCase):
    def test_socket_is_taken_from_the_supervisor(self):
        port = free_port()
        with tempfile.TemporaryDirectory() as directory:
            process = subprocess.Popen(
                ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", "--fdname=http", RIBD, "--port", "1",
                 "--state-dir", f"{directory}/state"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                # The first connection starts the daemon, and waits for it.
                wait_until(lambda: answers(f"http://127.0.0.1:{port}"), "an answer")
                self.assertIn(f"listens on http://127.0.0.1:{port}", process.stdout.readline())
            finally:
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(PATIENCE), 0)
                process.stdout.close()

    def test_unix_socket_is_taken_from_the_supervisor(self):
        with tempfile.TemporaryDirectory() as directory:
            path = f"{directory}/socket"
            process = subprocess.Popen(
                ["systemd-socket-activate", "-l", path, "--fdname=http", RIBD, "--state-dir", f"{directory}/state"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                wait_until(lambda: Path(path).is_socket(), "the socket")
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.settimeout(PATIENCE)
                    peer.connect(path)
                    peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    answer = b"".join(iter(lambda: peer.recv(4096), b""))
                self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
                self.assertIn(f"listens on unix:{path}", process.stdout.readline())
            finally:
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(PATIENCE), 0)
                process.stdout.close()
                # The supervisor's socket is not the daemon's to remove.
                self.assertTrue(Path(path).is_socket())

    def test_nobody_is_refused_while_one_process_follows_the_other(self):
        """The socket stays open over restarts: two hundred clients connect meanwhile, and each is answered."""
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen(4096)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with tempfile.TemporaryDirectory() as directory:

            def start() -> subprocess.Popen:
                # What systemd does: the socket as descriptor 3, and the variables of this very process.
                script = f'exec env LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http {RIBD} --state-dir {directory}/state'
                return subprocess.Popen(
                    ["bash", "-c", f"exec 3<&{listener.fileno()}; {script}"], pass_fds=[listener.fileno()],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

            process = start()
            failures, count, is_over = [], [0], threading.Event()

            def ask():
                while not is_over.is_set():
                    try:
                        if not answers(url):
                            failures.append("not 200")
                    except OSError as error:
                        failures.append(repr(error))
                    count[0] += 1

            wait_until(lambda: answers(url), "an answer")
            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for _ in range(3):
                asked = count[0]
                wait_until(lambda: count[0] > asked + 70, "clients")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(PATIENCE), 0)
                process = start()
            asked = count[0]
            wait_until(lambda: count[0] > asked + 70, "clients")
            is_over.set()
            for thread in threads:
                thread.join()
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0)
            self.assertGreater(count[0], 200)
            self.assertEqual(failures, [])


class NotifyTest(unittest.TestCase):
    def test_supervisor_hears_that_it_is_ready_lives_and_stops(self):
        with tempfile.TemporaryDirectory() as directory:
            inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.addCleanup(inbox.close)
            inbox.bind(f"{directory}/notify")
            inbox.settimeout(PATIENCE)
            process = subprocess.Popen(
                [RIBD, "--port", "0", "--state-dir", f"{directory}/state"], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "NOTIFY_SOCKET": f"{directory}/notify", "WATCHDOG_USEC": "1000000"})
            self.addCleanup(lambda: process.poll() is None and process.kill())
            self.assertEqual(inbox.recv(1000), b"READY=1\nSTATUS=Listens.")
            for _ in range(3):
                self.assertEqual(inbox.recv(1000), b"WATCHDOG=1")
            process.send_signal(signal.SIGTERM)
            while (said := inbox.recv(1000)) == b"WATCHDOG=1":
                pass
            self.assertRegex(said.decode(), r"^STOPPING=1\n")
            self.assertEqual(process.wait(PATIENCE), 0)


class UnitTest(unittest.TestCase):
    """The units, by systemd's own analyzers."""

    UNITS = ["ribd.service", "ribd.socket", "ribd-admin.socket", "ribd@.service"]

    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        units = self.root / "etc/systemd/system"
        units.mkdir(parents=True)
        for name in self.UNITS:
            shutil.copy(REPOSITORY / "config" / name, units / name)
        for path in ["usr/local/bin/ribd", "usr/local/lib/ribd/a/ribd", "bin/kill"]:
            program = self.root / path
            program.parent.mkdir(parents=True)
            program.write_text("#!/bin/sh\n")
            program.chmod(0o755)
        for shipped in Path("/usr/lib/systemd/system").glob("*"):
            if shipped.suffix in (".target", ".slice") and shipped.is_file():
                target = self.root / "usr/lib/systemd/system" / shipped.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(shipped, target)

    def test_units_are_right(self):
        for name in ["ribd.service", "ribd.socket", "ribd-admin.socket", "ribd@a.service"]:
            verified = subprocess.run(
                ["systemd-analyze", "verify", f"--root={self.root}", "--man=no", name], capture_output=True, text=True)
            self.assertEqual((verified.returncode, verified.stdout + verified.stderr), (0, ""), name)

    def test_services_may_do_little(self):
        for name in ["ribd.service", "ribd@a.service"]:
            judged = subprocess.run(
                ["systemd-analyze", "security", f"--root={self.root}", "--offline=true", "--threshold=10", name],
                capture_output=True, text=True)
            level = re.search(r"Overall exposure level for \S+: ([\d.]+)", judged.stdout)
            self.assertEqual(judged.returncode, 0, f"{name}: {level and level[1]}\n{judged.stdout}")


if __name__ == "__main__":
    unittest.main()
