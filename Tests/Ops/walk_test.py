"""The walk of an operator who has docs/Operations.md and nothing else: its commands, as they stand there, on a machine with systemd.

The ports are others, and so is the directory of the root user. What compiles, gets certificates or wants the network is left out.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from machines import MachineTest
from support import PATIENCE, REPOSITORY, RIBCTL, RIBD, could_not_run, free_port, is_long, wait_until
from visitors import Session, Visitors

PAGE = (REPOSITORY / "docs/Operations.md").read_text()


def chapter(heading: str) -> str:
    """The text of a chapter, without the chapters below it."""
    [text] = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return text


def blocks(text: str, language: str = "sh") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@is_long
class WalkTest(MachineTest):
    def setUp(self):
        self.assertTrue(RIBCTL.exists(), f"there is no {RIBCTL}: swift build --product ribctl")
        directory = tempfile.TemporaryDirectory(dir="/tmp")
        self.addCleanup(directory.cleanup)
        # The clone of an operator, in which the programs are built already.
        self.home = Path(directory.name)
        self.clone = self.home / "clone"
        self.ports = {"8080": str(free_port()), "9464": str(free_port())}
        shutil.copytree(REPOSITORY / "config", self.clone / "config")
        for unit in self.clone.glob("config/*.socket"):
            unit.write_text(self.with_ports(unit.read_text()))
        (self.clone / "scripts").mkdir()
        shutil.copy(REPOSITORY / "scripts/deploy", self.clone / "scripts")
        os.symlink(RIBD, self.clone / "ribd")
        (self.clone / "swift-backtrace-static").write_text("#!/bin/sh\n")
        self.url = f"http://127.0.0.1:{self.ports['8080']}"
        self.boot()
        self.do("install", RIBCTL, "/usr/local/bin/ribctl")

    def with_ports(self, text: str) -> str:
        for shipped, port in self.ports.items():
            text = text.replace(shipped, port)
        return text

    def follow(self, commands: str, succeeds: bool = True) -> str:
        """Runs a block of the page, and returns what it has printed."""
        script = f"cd {self.clone}; {self.with_ports(commands)}"
        done = self.run_inside("bash", "-euo", "pipefail", "-c", script, HOME=self.home, LANG="C.UTF-8")
        self.assertEqual(done.returncode == 0, succeeds, f"{commands}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def install(self) -> list[str]:
        """Follows the first chapter, and returns what its blocks have printed."""
        compiling, *others = blocks(chapter("Install"))
        self.assertIn("swift build", compiling)
        return [self.follow(block) for block in others]

    def test_server_is_installed_upgraded_and_restored(self):
        could_not_run("of the operator's walk: Caddy's certificate from Let's Encrypt, and the block that compiles.")
        *_, seen = self.install()
        self.assertTrue(seen.startswith("ready\n"), seen)
        self.assertIn('{"status":"ready"', seen)
        tokens = self.do("stat", "--format=%U %a", "/etc/ribd/admin.tokens")
        self.assertEqual(tokens, "ribd 600\n")
        session = Session(self.url)
        session.click()
        first, *_ = blocks(chapter("Backup and restore"))
        self.follow(first)
        self.follow("ribd-deploy ./ribd")
        self.assertEqual(self.show("ribd@b", "ActiveState"), "active")
        session.click()
        self.assertEqual(session.count(), 2)
        # Clients knock all the time; one that systemd let in would have the server started in the midst of it.
        [restoring] = blocks(chapter("Put a copy back"))
        with Visitors(self.url):
            restored = self.follow(restoring)
            self.assertRegex(restored, "Put back to .*: 1 sessions")
            self.assertEqual(session.count(), 1)
        self.assertEqual([self.show(f"ribd@{name}", "ActiveState") for name in "ab"], ["inactive", "active"])

    def test_way_back_is_that_of_the_page(self):
        self.install()
        session = Session(self.url)
        session.click()
        self.follow("ribd-deploy ./ribd")
        session.click()
        backup = self.do("bash", "-c", "echo /var/backups/ribd/ribd-*.sqlite").strip()
        [commands] = blocks(chapter("The way back"))
        self.follow(commands.replace("/var/backups/ribd/ribd-TIME.sqlite", backup))
        self.assertEqual([self.show(f"ribd@{name}", "ActiveState") for name in "ab"], ["active", "inactive"])
        self.assertEqual(session.count(), 1)

    def test_service_without_a_socket_becomes_one_of_two_instances(self):
        settings = self.clone / "config/ribd.json"
        settings.write_text(self.with_ports(settings.read_text()))
        self.follow("""
            install -m 0755 ./ribd /usr/local/bin/ribd
            install -d /etc/ribd && cp config/ribd.json /etc/ribd/
            cp config/ribd.service /etc/systemd/system/
            systemctl daemon-reload && systemctl enable --now ribd""")
        session = Session(self.url)
        session.click()
        [commands] = blocks(chapter("With systemd"))
        # Its settings have no admin listener.
        for socket in [" config/ribd-admin.socket", " ribd-admin.socket"]:
            commands = commands.replace(socket, "")
        self.follow("\n".join(line for line in commands.splitlines() if "admin" not in line))
        self.assertEqual(self.show("ribd@a", "ActiveState"), "active")
        self.assertEqual(session.count(), 1)
        self.follow("ribd health --ready --config /etc/ribd/ribd.json")

    def test_nightly_backup_is_made_and_old_ones_go(self):
        self.install()
        Session(self.url)
        [table] = [block for block in blocks(chapter("Backup and restore"), "text") if "PATH=" in block]
        path, *lines = table.splitlines()
        old, mine = "2020-01-01.sqlite", "/var/backups/ribd/ribd-20200101T000000Z.sqlite"
        inspector = "/var/lib/ribd/ribd-state/backups"
        for _ in range(2):
            for line in lines:
                command = re.fullmatch(r"\d+ 3 \* \* \* root (.*)", line)[1].replace("\\%", "%")
                # Cron's shell, and what cron has in its environment.
                done = self.run_inside("env", "-i", path, "HOME=/root", "sh", "-c", command)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), command)
            kept = self.do("find", "/var/backups/ribd-nightly", "-type", "f").split()
            self.assertEqual([Path(file).name for file in kept], [time.strftime("%Y-%m-%d.sqlite")])
            self.do("bash", "-euc", f"""
                rm {kept[0]}; mkdir -p {inspector} /var/backups/ribd
                touch --date '20 days ago' /var/backups/ribd-nightly/{old} {inspector}/{old} {mine}""")
        self.do("test", "-e", mine)
        self.assertEqual(self.do("find", inspector, "-type", "f"), f"{inspector}/{old}\n")

    def test_prometheus_gets_a_token_of_its_own(self):
        self.install()
        self.do("bash", "-euc", "useradd --system prometheus; mkdir -p /etc/prometheus")
        block, *_ = blocks(chapter("See how it is"))
        self.follow(block)
        self.assertEqual(self.do("stat", "--format=%U %a", "/etc/prometheus/ribserver.token"), "prometheus 600\n")
        token = self.do("cat", "/etc/prometheus/ribserver.token")
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports['9464']}/metrics", headers={"Authorization": f"Bearer {token}"})

        def scrape() -> bool:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return b"ribserver_build_info" in answer.read()

        # The signal is on its way.
        wait_until(scrape, "a scrape")

    def test_users_sign_in(self):
        self.install()
        # The page's block of settings belongs among the others; the issuer is the test's.
        [settings] = blocks(chapter("Sign-in"), "json")
        auth = json.loads("{" + settings + "}")["auth"]
        self.assertEqual(auth.pop("keysURL"), "discover")
        secret = "a secret of thirty-two bytes ...."
        file = json.loads(self.do("cat", "/etc/ribd/ribd.json"))
        file["auth"] = {**auth, "secretFile": "/etc/ribd/secret"}
        (self.clone / "ribd.json").write_text(json.dumps(file))
        self.follow(f"printf %s '{secret}' >secret; install -o ribd -g ribd -m 0600 secret /etc/ribd/secret; cp ribd.json /etc/ribd/")
        [block] = blocks(chapter("Sign-in"))
        self.assertTrue(self.follow(block).endswith("401\n"))
        now = int(time.time())
        claims = {"iss": auth["issuer"], "aud": auth["audience"], "sub": "ada", "iat": now, "exp": now + 60}
        encode = lambda data: base64.urlsafe_b64encode(data).decode().rstrip("=")
        text = ".".join(encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
        token = text + "." + encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())
        request = urllib.request.Request(
            self.url + "/v1/sessions", b'{"app":"counter"}', {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            self.assertEqual(answer.status, 201)

    def test_slow_session_is_found_and_ended(self):
        self.install()
        quick, slow = Session(self.url), Session(self.url, "search")
        quick.click()
        for number in range(1, 4):
            text = json.dumps({"to": "", "a": {"updateSearchText": "letters " * 4000 + str(number)}})
            slow.ask("POST", "/actions", text, **{"Idempotency-Key": f'"{number}"'})
        [conversation] = blocks(chapter("The session that is slow"), "text")
        command, *lines = conversation.splitlines()
        answers = ["totalCount: 2", '"order":"longest"', "detail:", 'step: "asking"', 'step: "done"']
        self.assertEqual(len(lines), len(answers))
        ribctl = subprocess.Popen(
            self.inside("bash", "-c", "exec " + self.with_ports(command.removeprefix("$ "))), env={**os.environ, "HOME": str(self.home)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.extend(ribctl.stdout))
        reader.start()
        try:
            sid = slow.path.rpartition("/")[2]
            for line, answer in zip(lines, answers):
                before = len(said)
                if "ID" in line:
                    rows = [text for text in said if "rows: [{" in text]
                    first = json.loads(rows[-1].partition("rows: ")[2])[0]["id"]
                    self.assertEqual(first, sid)
                    line = line.replace("ID", first)
                ribctl.stdin.write(line + "\n")
                ribctl.stdin.flush()
                wait_until(lambda: any(answer in text for text in said[before:]), f"{answer} after {line}")
            # Nobody on this machine has seen the token.
            secret = (self.home / "ribd.token").read_text().strip()
            running = self.do("ps", "-eo", "args")
            self.assertIn("--app inspector", running)
            self.assertNotIn(secret, running)
        finally:
            ribctl.stdin.close()
            ribctl.wait(PATIENCE)
            reader.join()
            ribctl.stdout.close()
        with self.assertRaises(urllib.error.HTTPError) as gone:
            urllib.request.urlopen(urllib.request.Request(f"{slow.path}/view", headers=slow.headers))
        gone.exception.close()
        self.assertEqual(gone.exception.code, 404)
        self.assertEqual(quick.count(), 1)


class PageTest(unittest.TestCase):
    def test_links_within_the_page_lead_somewhere(self):
        text = without_code(PAGE)
        headings = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
        self.assertEqual(set(re.findall(r"\]\(#([^)]*)\)", text)) - headings, set())

    def test_no_token_is_an_argument(self):
        for page in ["README.md", "docs/Operations.md", "web/admin.html"]:
            for line in (REPOSITORY / page).read_text().splitlines():
                self.assertNotRegex(line, r"ribctl .*--auth [^`]|-H \"Authorization: Bearer \$\(cat", page)


if __name__ == "__main__":
    unittest.main()
