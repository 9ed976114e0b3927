"""Upgrades by scripts/deploy: with systemd itself and the units as they are shipped, and with processes that the script starts on its own."""

import fcntl
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from machines import MachineTest
from support import PATIENCE, RIBD, REPOSITORY, free_port, is_long, wait_until
from visitors import Session, Visitors

DEPLOY = REPOSITORY / "scripts/deploy"


class ProcessTest(unittest.TestCase):
    """The script starts and ends the processes itself."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name)
        self.listener = socket.socket()
        self.addCleanup(self.listener.close)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(4096)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.addCleanup(self.end)

    def end(self):
        for instance in "ab":
            if pid := self.pid(instance):
                os.kill(pid, signal.SIGTERM)
                wait_until(lambda: not self.pid(instance), f"the end of {instance}")

    def pid(self, instance: str) -> int | None:
        """The process of an instance; none if it has ended."""
        try:
            pid = (self.path / f"run/{instance}.pid").read_text().split()[0]
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            return None
        return None if state in "ZX" else int(pid)

    def command(self, *arguments, shares: bool = True, settings: tuple = ()) -> list:
        # What a supervisor does: the socket as descriptor 3, and the variables of this very process.
        handed = f"exec 3<&{self.listener.fileno()}; export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=http; " if shares else ""
        return [
            "bash", "-c", f'{handed}exec "$0" "$@"', DEPLOY, "--without-systemd", "--programs", self.path / "programs",
            "--backups", self.path / "kept backups", "--run", self.path / "run", *arguments, "--", "--state-dir",
            self.path / "state", "--timeouts-drain-seconds", "1", *([] if shares else ["--host", "127.0.0.1"]), *settings]

    def deploy(self, *arguments, **options) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.command(*arguments, **options), pass_fds=[self.listener.fileno()], capture_output=True, text=True,
            timeout=PATIENCE)

    def begin(self, *arguments) -> subprocess.Popen:
        """An upgrade that goes on by itself."""
        upgrade = subprocess.Popen(
            self.command(*arguments), pass_fds=[self.listener.fileno()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(upgrade.wait, PATIENCE)
        self.addCleanup(upgrade.stdout.close)
        return upgrade

    def kept(self) -> str:
        """The instance that operators call, and that starts with the machine."""
        return os.readlink(self.path / "programs/current")

    def succeed(self, *arguments, **options) -> str:
        done = self.deploy(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + self.logs())
        return done.stdout

    def logs(self) -> str:
        return "".join(log.read_text() for log in (self.path / "run").glob("*.log"))

    def program(self, name: str, script: str) -> Path:
        """The daemon, but for what a script does before it becomes the daemon."""
        program = self.path / name
        program.write_text(f'#!/bin/bash\nribd={RIBD}\n{script}\nexec "$ribd" "$@"\n')
        program.chmod(0o755)
        return program

    def ends_with(self, old: int) -> str:
        """The script of a server that ends once another process has."""
        return f"""
            if [[ ${{1-}} == --state-dir ]]; then
              "$ribd" "$@" & server=$!
              while kill -0 {old} 2>/dev/null && [[ $(ps -o stat= -p {old}) != Z* ]]; do read -rt 0.05 <> <(:) || :; done
              kill -KILL $server
              exit 1
            fi"""

    def test_instances_take_turns_and_refuse_nobody(self):
        self.succeed(RIBD)
        session = Session(self.url)
        session.click()
        with Visitors(self.url) as visitors:
            for old, new in ["ab", "ba", "ab"]:
                running, asked = self.pid(old), visitors.count
                told = self.succeed(RIBD)
                self.assertIn(f"Instance {old} has stopped: its clients are at {new}.", told)
                self.assertIsNone(self.pid(old))
                self.assertNotIn(self.pid(new), [None, running])
                session.click()
                self.assertEqual(session.count(), session.clicks)
                self.assertGreater(visitors.count, asked)
        self.assertEqual(visitors.failures, [])
        self.assertEqual(len(list((self.path / "kept backups").iterdir())), 3)

    def test_instances_have_ports_of_their_own_behind_a_balancer(self):
        ports = [free_port(), free_port()]
        options = ["--port-a", str(ports[0]), "--port-b", str(ports[1]), "--settle-seconds", "0"]
        self.succeed(*options, RIBD, shares=False)
        session = Session(f"http://127.0.0.1:{ports[0]}")
        session.click()
        # Without a program, the one that runs is started anew.
        self.succeed(*options, shares=False)
        session.path = session.path.replace(str(ports[0]), str(ports[1]))
        self.assertEqual(session.count(), 1)

    def test_old_instance_goes_on_if_a_step_fails(self):
        self.succeed(RIBD)
        session = Session(self.url)
        session.click()
        old = self.pid("a")
        fails = 'if [[ ${1-} == %s ]]; then echo "no luck" >&2; exit 1; fi'
        steps = [
            ("check", fails % "check", [], "The settings are not right"),
            ("check-state", fails % "check-state", [], "The new version cannot read all that is stored"),
            ("start", "if [[ ${1-} == --state-dir ]]; then exit 3; fi", [], "Instance b has not said"),
            ("hang", "if [[ ${1-} == --state-dir ]]; then exec sleep 1000; fi", ["--ready-seconds", "1"], "Instance b has not said"),
            ("verify", self.ends_with(old), [], "Instance b was not well after a had stopped"),
        ]
        for name, script, options, reason in steps:
            with self.subTest(name):
                done = self.deploy(*options, self.program(name, script))
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertIn("Instance a serves as before.", done.stderr)
                self.assertEqual((self.pid("b"), self.kept()), (None, "a"))
                self.assertEqual(self.pid("a") == old, name != "verify")
                session.click()
                self.assertEqual(session.count(), session.clicks)
        # Nothing is left of it for the next upgrade.
        self.succeed(RIBD)
        self.assertEqual(session.count(), session.clicks)

    def test_connection_that_is_lost_ends_an_upgrade_in_order(self):
        self.succeed(RIBD)
        old = self.pid("a")
        hanging = self.program("hangs", "if [[ ${1-} == --state-dir ]]; then exec sleep 1000; fi")
        upgrade = self.begin(hanging)
        wait_until(lambda: self.pid("b"), "the new instance")
        upgrade.send_signal(signal.SIGHUP)
        self.assertEqual(upgrade.wait(PATIENCE), 1)
        self.assertEqual((self.pid("a"), self.pid("b"), self.kept()), (old, None, "a"))
        # Nobody reads any more what the upgrade says.
        upgrade = self.begin(RIBD)
        upgrade.stdout.close()
        self.assertEqual(upgrade.wait(PATIENCE), 0)
        self.assertEqual((self.pid("a"), self.kept()), (None, "b"))
        self.assertIsNotNone(self.pid("b"))

    def test_new_instance_is_named_before_the_old_one_stops(self):
        """From then on no end of the upgrade, however sudden, leaves none or the wrong one to start with the machine."""
        tells = f"""
            if [[ ${{1-}} == --state-dir ]]; then
              trap 'readlink {self.path}/programs/current >{self.path}/told; kill -TERM "$server"' TERM
              (export LISTEN_PID=$BASHPID; exec "$ribd" "$@") & server=$!
              wait "$server"; wait "$server"
              exit
            fi"""
        self.succeed(self.program("tells", tells))
        self.succeed(RIBD)
        self.assertEqual((self.path / "told").read_text(), "b\n")

    def test_upgrade_that_cannot_name_its_instance_fails(self):
        self.succeed(RIBD)
        old, current = self.pid("a"), self.path / "programs/current"
        current.unlink()
        current.mkdir()
        done = self.deploy(RIBD)
        self.assertEqual((done.returncode, self.pid("a"), self.pid("b")), (1, old, None), done.stdout)
        self.assertIn("does not point to b", done.stderr)

    def test_upgrade_wants_a_backup(self):
        self.succeed(RIBD)
        old = self.pid("a")
        (self.path / "kept backups").write_text("a file where the directory is to be")
        done = self.deploy(RIBD)
        self.assertEqual((done.returncode, self.pid("a"), self.pid("b")), (1, old, None), done.stderr)
        self.assertRegex(done.stderr, "The directory for backups, .*, cannot be made")
        self.succeed("--without-backup", RIBD)

    def test_losses_are_for_the_operator_to_accept(self):
        self.succeed(RIBD)
        program = self.program("loses", "if [[ ${1-} == check-state ]]; then exit 1; fi")
        self.assertIn("which is accepted", self.succeed("--accept-losses", program))
        # Exit code 2 says that nothing was looked at, so that nobody knows what is lost; 139 is a crash.
        for status in [2, 139]:
            program = self.program("looks-not", f"if [[ ${{1-}} == check-state ]]; then exit {status}; fi")
            done = self.deploy("--accept-losses", program)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(f"The new version has not checked what is stored (exit code {status})", done.stderr)

    def test_readiness_is_asked_as_the_settings_say(self):
        settings = ("--proxies-protocol", "required")
        for _ in range(2):
            self.succeed(RIBD, settings=settings)
        # On a path, whichever the settings have: what the script is handed counts.
        path = str(self.path / "http.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.listener.close)
        self.listener.bind(path)
        self.listener.listen(4096)
        self.end()
        self.succeed(RIBD, settings=settings)

    def test_each_instance_has_an_admin_listener_of_its_own(self):
        ports = [free_port(), free_port(), free_port()]
        settings = ("--admin-listen", f"127.0.0.1:{ports[0]}", "--admin-token-file", str(self.path / "tokens"))
        (self.path / "tokens").write_text(f"me:look:{64 * 'a'}\n")
        done = self.deploy(RIBD, settings=settings)
        self.assertEqual((done.returncode, self.pid("a")), (1, None), done.stdout)
        self.assertIn(f"Both instances cannot have their admin listener at 127.0.0.1:{ports[0]}", done.stderr)
        options = ["--admin-a", f"127.0.0.1:{ports[1]}", "--admin-b", f"127.0.0.1:{ports[2]}"]
        for port in ports[1:]:
            self.succeed(*options, RIBD, settings=settings)
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/livez", timeout=PATIENCE)
            refused.exception.close()
            self.assertEqual(refused.exception.code, 401)

    def test_stopped_instance_is_followed_like_one_that_runs(self):
        self.succeed(RIBD)
        session = Session(self.url)
        session.click()
        self.end()
        told = self.succeed(RIBD)
        self.assertIn("The backup is", told)
        self.assertIsNone(self.pid("a"))
        self.assertEqual(session.count(), 1)

    def test_instance_without_a_program_is_followed_by_the_other_one(self):
        """As systemd has it where a client has come to the socket before the first upgrade."""
        (self.path / "run").mkdir()
        waiting = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(waiting.wait)
        self.addCleanup(waiting.kill)
        fields = Path(f"/proc/{waiting.pid}/stat").read_text().rpartition(")")[2].split()
        (self.path / "run/a.pid").write_text(f"{waiting.pid} {fields[19]}\n")
        told = self.succeed(RIBD)
        self.assertIn("Instance a has stopped: its clients are at b.", told)
        self.assertEqual(waiting.wait(PATIENCE), -signal.SIGTERM)
        self.assertIsNotNone(self.pid("b"))

    def test_way_back_is_told_where_the_old_instance_cannot_start_again(self):
        """As after a new version that has changed the store's tables."""
        once = self.path / "once"
        starts_once = f"if [[ ${{1-}} == --state-dir ]]; then [[ ! -e {once} ]] || exit 3; touch {once}; fi"
        self.succeed(self.program("starts-once", starts_once))
        session = Session(self.url)
        session.click()
        done = self.deploy(self.program("ends", self.ends_with(self.pid("a"))))
        self.assertEqual((done.returncode, self.pid("a"), self.pid("b")), (1, None, None), done.stdout)
        self.assertIn("Instance a could not be started again, and b is not well", done.stderr)
        [told] = [line for line in done.stderr.splitlines() if " restore " in line]
        restored = subprocess.run(["bash", "-c", told], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        self.assertIn("1 sessions", restored.stdout)
        once.unlink()
        self.succeed("--without-backup", self.path / "programs/a/ribd")
        self.assertEqual(session.count(), 1)

    def test_new_instance_has_time_to_be_ready(self):
        self.succeed(RIBD)
        asked = self.path / "asked"
        busy = f"if [[ ${{1-}} == health ]]; then echo >>{asked}; (($(wc -l <{asked}) % 3 == 0)) || exit 1; fi"
        self.succeed(self.program("busy", busy))
        self.assertIsNotNone(self.pid("b"))
        self.assertEqual(len(asked.read_text()), 6)

    def test_oldest_backups_go(self):
        self.succeed(RIBD)
        backups = self.path / "kept backups"
        backups.mkdir()
        for day in range(1, 4):
            (backups / f"ribd-2020010{day}T000000Z.sqlite").touch()
        (backups / "mine.sqlite").touch()
        # What a backup leaves that is killed; the other one is under way.
        for name, age in [("old123", 2 * 86400), ("new123", 0)]:
            part = backups / f"ribd-20200101T000000Z.sqlite.{name}"
            part.touch()
            os.utime(part, (time.time() - age,) * 2)
        # Also those of upgrades that fail.
        done = self.deploy("--keep", "2", self.program("fails", "if [[ ${1-} == check-state ]]; then exit 1; fi"))
        self.assertEqual(done.returncode, 1, done.stdout)
        kept = sorted(path.name for path in backups.iterdir())
        self.assertEqual(kept[:3], ["mine.sqlite", "ribd-20200101T000000Z.sqlite.new123", "ribd-20200103T000000Z.sqlite"])
        self.assertEqual(len(kept), 4)

    def test_backup_has_a_name_of_its_own(self):
        self.succeed(RIBD)
        backups = self.path / "kept backups"
        backups.mkdir()
        # Those of upgrades that have failed within the same second, whichever of the next ones that is.
        now = time.time()
        for second in range(60):
            name = time.strftime("ribd-%Y%m%dT%H%M%SZ.sqlite", time.gmtime(now + second))
            (backups / name).touch()
        self.succeed("--keep", "100", RIBD)
        self.assertEqual(len(list(backups.iterdir())), 61)

    def test_two_upgrades_do_not_mix(self):
        staged = self.path / "programs/a/ribd.next"
        staged.parent.mkdir(parents=True)
        staged.write_text("the program of the upgrade that is under way")
        with open(self.path / "programs/lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = self.deploy(RIBD)
            self.assertEqual(done.returncode, 1)
            self.assertIn("Another upgrade is under way", done.stderr)
            self.assertTrue(staged.exists())
        # A process that the script has started does not keep the lock.
        self.succeed(RIBD)
        self.succeed(RIBD)

    def test_options_that_are_none_are_said(self):
        for arguments, reason in [
            (["--what"], "There is no option --what"), (["--keep", "x", RIBD], "--keep wants a number"),
            (["--keep"], "--keep wants a value"), ([RIBD, "other"], "There is one program"),
            ([], "there has to be a program"), (["/nowhere"], '"/nowhere" is no program'),
        ]:
            done = subprocess.run(
                [DEPLOY, "--without-systemd", "--port-a", "1", "--port-b", "2", "--programs", self.path / "programs",
                 "--run", self.path / "run", *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)


class SystemdTest(MachineTest):
    """systemd itself, with the units as they are shipped, but for the port."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        drop_in = Path(directory.name) / "ribd.socket.d/port.conf"
        drop_in.parent.mkdir()
        drop_in.write_text(f"[Socket]\nListenStream=\nListenStream=127.0.0.1:{port}\n")
        self.boot(REPOSITORY / "config", directory.name)
        self.do("mkdir", "-p", "/etc/ribd")
        self.do("cp", REPOSITORY / "config/ribd.json", "/etc/ribd/ribd.json")
        self.do("systemctl", "enable", "--now", "ribd.socket")

    def ends(self, instance: str) -> tuple[str, str, str]:
        """How an instance has ended: its state, systemd's word for the reason, and the exit code or the number of the signal."""
        state, result, status = (self.show(f"ribd@{instance}", name) for name in ("ActiveState", "Result", "ExecMainStatus"))
        return state, result, status

    def test_upgrade_refuses_nobody_and_outlives_a_boot(self):
        self.do(DEPLOY, RIBD)
        session = Session(self.url)
        session.click()
        with Visitors(self.url) as visitors:
            for old, new in ["ab", "ba"]:
                asked = visitors.count
                self.do(DEPLOY, RIBD)
                session.click()
                self.assertEqual(session.count(), session.clicks)
                # A client that connects wakes the one that has stopped no more.
                wait_until(lambda: visitors.count > asked + 20, "visitors")
                self.assertEqual(self.ends(old), ("inactive", "success", "0"))
                self.assertEqual(self.show(f"ribd@{new}", "ActiveState"), "active")
                self.assertEqual(self.run_inside("systemctl", "is-enabled", f"ribd@{old}", f"ribd@{new}").stdout, "disabled\nenabled\n")
        self.assertEqual(visitors.failures, [])

    def test_program_that_does_not_start_is_stopped(self):
        self.do(DEPLOY, RIBD)
        session = Session(self.url)
        session.click()
        pid = self.show("ribd@a", "MainPID")
        with tempfile.TemporaryDirectory(dir="/tmp") as directory:
            # The service does not see this machine's /tmp.
            ribd = Path("/usr/local/lib/ribd/a/ribd")
            program = self.program(directory, 'if [[ ${1-} == --config ]]; then exit 3; fi', ribd)
            done = self.run_inside(DEPLOY, program)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("Instance a serves as before.", done.stderr)
        self.assertEqual((self.show("ribd@a", "MainPID"), self.show("ribd@b", "ActiveState")), (pid, "inactive"))
        # The socket is one for all processes, with its flags: a loop of the instance that goes on would wait in accept(2) for ever, if another loop was quicker.
        flags = int(self.do("sed", "-n", "s/^flags:\t//p", f"/proc/{pid}/fdinfo/3"), 8)
        self.assertEqual(flags & os.O_NONBLOCK, os.O_NONBLOCK)
        self.assertEqual(session.count(), 1)
        # If the machine or the process fails now, the old program comes back.
        self.do("systemctl", "kill", "--signal=KILL", "ribd@a")
        self.assertEqual(session.count(), 1)
        wait_until(lambda: self.show("ribd@a", "MainPID") not in ["0", pid], "the restart")

    @is_long
    def test_instance_that_systemd_kills_is_said_to_be(self):
        # The process ends, and the service does not.
        stays = """
            if [[ ${1-} == --config ]]; then
              trap '' TERM
              (trap - TERM; export LISTEN_PID=$BASHPID; exec /usr/local/libexec/ribd "$@")
              exec sleep 1000
            fi"""
        impatient = "[Service]\\nTimeoutStopSec=1\\nNotifyAccess=all\\n"
        self.do("bash", "-euc", f"""
            install -D {RIBD} /usr/local/libexec/ribd
            mkdir /etc/systemd/system/ribd@a.service.d
            printf '{impatient}' >/etc/systemd/system/ribd@a.service.d/stop.conf
            systemctl daemon-reload""")
        with tempfile.TemporaryDirectory(dir="/tmp") as directory:
            self.do(DEPLOY, self.program(directory, stays, Path("/usr/local/libexec/ribd")))
        done = self.run_inside(DEPLOY, RIBD)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Instance a has not ended within the TimeoutStopSec", done.stderr)
        self.assertEqual(self.show("ribd@b", "ActiveState"), "active")

    def program(self, directory: str, script: str, ribd: Path = RIBD) -> Path:
        """The daemon, but for what a script does before it becomes the daemon."""
        program = Path(directory) / "ribd"
        program.write_text(f'#!/bin/bash\n{script}\nexec {ribd} "$@"\n')
        program.chmod(0o755)
        return program

    @is_long
    def test_instance_that_crashes_again_and_again_is_followed(self):
        self.do(DEPLOY, RIBD)
        session = Session(self.url)
        session.click()
        with tempfile.TemporaryDirectory(dir="/tmp") as directory:
            crashing = self.program(directory, 'if [[ ${1-} == --config ]]; then exit 3; fi')
            self.do("install", crashing, "/usr/local/lib/ribd/a/ribd")
        self.do("systemctl", "kill", "--signal=KILL", "ribd@a")
        wait_until(lambda: self.show("ribd@a", "SubState") == "auto-restart" and self.show("ribd@a", "NRestarts") > "1", "a crash loop")
        told = self.do(DEPLOY, RIBD)
        self.assertIn("The backup is", told)
        # A process that has crashed as it was stopped leaves its unit failed.
        self.assertIn(self.show("ribd@a", "ActiveState"), ["inactive", "failed"])
        self.assertEqual(self.show("ribd@b", "ActiveState"), "active")
        self.assertEqual(self.run_inside("systemctl", "is-enabled", "ribd@a", "ribd@b").stdout, "disabled\nenabled\n")
        self.assertEqual(session.count(), 1)

    @is_long
    def test_stopped_instance_does_not_come_back(self):
        """An instance that was stopped by hand is not started again by a boot or by a client, once another one has followed it."""
        self.do(DEPLOY, RIBD)
        self.do("systemctl", "stop", "ribd@a")
        self.do(DEPLOY, RIBD)
        self.assertEqual(self.run_inside("systemctl", "is-enabled", "ribd@a", "ribd@b").stdout, "disabled\nenabled\n")
        self.do("systemctl", "stop", "ribd.socket", "ribd@*")
        # As in a boot: the socket is there first, and a client comes before the instance is started.
        self.do("systemctl", "start", "ribd.socket")
        Session(self.url).click()
        self.assertEqual([self.show(f"ribd@{unit}", "ActiveState") for unit in "ab"], ["inactive", "active"])

    @is_long
    def test_apps_of_the_new_version_are_run_as_the_service(self):
        self.do(DEPLOY, RIBD)
        Session(self.url)
        with tempfile.TemporaryDirectory(dir="/tmp") as directory:
            # The service does not see this machine's /tmp.
            script = "if [[ ${1-} == check-state ]]; then echo user $(id -u) $(id -g); id -G; fi"
            program = self.program(directory, script, ribd=Path("/usr/local/lib/ribd/a/ribd"))
            # As where a program was built: nobody but root gets there.
            os.chmod(directory, 0o700)
            told = self.do(DEPLOY, program)
        owner = self.do("stat", "-Lc", "%u %g", "/var/lib/ribd").strip()
        self.assertNotEqual(owner, "0 0")
        self.assertIn(f"user {owner}\n{owner.split()[1]}\n", told)
        self.assertIn("Checked 1 of 1 sessions.", told)
        kept = self.do("bash", "-c", "stat -c '%u %g %a' /var/backups/ribd/*")
        self.assertEqual(kept, "0 0 600\n")


if __name__ == "__main__":
    unittest.main()
