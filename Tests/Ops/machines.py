"""Tests on a machine of their own, on which systemd runs: the script `machine` boots it in namespaces."""

import os
import subprocess
import unittest
from pathlib import Path

from support import PATIENCE, wait_until, want

MACHINE = Path(__file__).with_name("machine")


class MachineTest(unittest.TestCase):
    """Boots a machine for each test, and skips all of them where none can be booted."""

    @classmethod
    def setUpClass(cls):
        checked = subprocess.run([MACHINE, "--check"], capture_output=True, text=True, timeout=PATIENCE)
        reason = " ".join(checked.stderr.split()) if checked.returncode != 0 else None
        want(f"{cls.__name__}, which boots systemd in namespaces", reason)

    def boot(self, *arguments: str | Path):
        """Boots a machine; the arguments are those of the script."""
        # It ends with the tests, however they end.
        command = ["setpriv", "--pdeathsig", "TERM", MACHINE, *arguments]
        self.machine = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.shut_down)
        self.pid = self.machine.stdout.readline().strip()
        self.assertTrue(self.pid, "the machine has ended")
        wait_until(lambda: self.run_inside("systemctl", "is-system-running").stdout == "running\n", "the machine")

    def shut_down(self):
        self.machine.terminate()
        self.machine.wait(PATIENCE)
        self.machine.stdout.close()

    def inside(self, *command: str | Path) -> list:
        """The command that runs a command on the machine."""
        return ["nsenter", "--target", self.pid, "--mount", "--uts", "--ipc", "--cgroup", "--pid", *command]

    def run_inside(self, *command: str | Path, **variables: str | Path) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.inside(*command), env={**os.environ, **variables}, capture_output=True, text=True, timeout=PATIENCE)

    def do(self, *command: str | Path) -> str:
        done = self.run_inside(*command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def show(self, unit: str, name: str) -> str:
        return self.do("systemctl", "show", f"--property={name}", "--value", unit).strip()
