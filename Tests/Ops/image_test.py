"""The image: buildah builds it from the Dockerfile, and what is in it runs with the rights of a container.

No registry is reached and no container engine runs: the Dockerfile's first stages, which compile, are a directory with a binary that was built
here, its base is made by debootstrap, and namespaces do what an engine would. `scripts/debian-root` makes the root directory for all of it.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import PATIENCE, REPOSITORY, TOOLS, could_not_run, is_long, wait_until, want

ROOT = TOOLS / "debian"
# Not by a name that begins with RIBD_: ribd would take it for a setting.
STATIC = Path(os.environ.get("RIB_STATIC", REPOSITORY / ".build/release/ribd"))
BASE = "docker.io/library/debian:bookworm-slim"

# What makes the root directory one for buildah, in mounts that end with the process.
MOUNTS = """
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs sys sys
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mkdir -p mnt/context
mount --bind "$context" mnt/context
touch mnt/debian.tar
mount --bind "$root.tar" mnt/debian.tar
cp /etc/resolv.conf etc/resolv.conf
"""


def backtracer() -> Path:
    """The program that writes backtraces, which is beside the compiler."""
    bin = Path(shutil.which("swift")).resolve().parent
    return bin.parent / "libexec/swift/linux/swift-backtrace-static"


@is_long
class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        want("the image", cls.obstacle())
        assert (ROOT / "usr/bin/buildah").exists(), "there is no buildah: scripts/debian-root gets it"
        assert STATIC.exists(), f"there is no {STATIC}: swift build -c release --product ribd --static-swift-stdlib"
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.context = Path(directory.name)
        (cls.context / "config").mkdir()
        shutil.copy(REPOSITORY / "Dockerfile", cls.context)
        shutil.copy(REPOSITORY / "config/ribd.json", cls.context / "config")
        # What the stages that compile would have.
        for file, place in [(STATIC, "out/ribd"), (backtracer(), "usr/libexec/swift/linux/swift-backtrace-static")]:
            (cls.context / "built" / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, cls.context / "built" / place)
        cls.buildah(
            # Of a run that was ended.
            f"buildah rm --all >/dev/null; buildah rmi --force ribd >/dev/null 2>&1 || true\n"
            f"if ! buildah inspect --type image {BASE} >/dev/null 2>&1; then\n"
            f"  made=$(buildah from scratch); buildah add --quiet $made /mnt/debian.tar /\n"
            f"  buildah commit --quiet $made {BASE}; buildah rm $made\n"
            f"fi")
        # docker is the format that has health checks.
        cls.buildah(
            "cd /mnt/context; buildah build --format docker --pull-never --build-context sources=/mnt/context/built"
            " --build-context build-ribd=/mnt/context/built --tag ribd .")
        cls.addClassCleanup(cls.buildah, "buildah rm --all; buildah rmi --force ribd")
        cls.config = json.loads(cls.buildah("buildah inspect --type image ribd"))["Docker"]["config"]
        container = cls.buildah("buildah from --pull-never ribd").strip()
        # Where the container's files are, seen from here.
        cls.files = ROOT / cls.buildah(f"buildah mount {container}").strip().lstrip("/")
        cls.volume = cls.context / "volume"
        cls.volume.mkdir(mode=0o700)
        user, group = (int(number) for number in cls.config["User"].split(":"))
        os.chown(cls.volume, user, group)
        could_not_run("the image's first stages, FROM swift:6.3-bookworm, and a container engine: the binary was compiled here, and namespaces have run it.")

    @staticmethod
    def obstacle() -> str | None:
        """Why nothing can be built and run here; none if it can."""
        if os.geteuid() != 0:
            return "its root directory and its namespaces want root"
        made = subprocess.run(["unshare", "--mount", "--net", "true"], capture_output=True, text=True)
        return made.stderr.strip() if made.returncode else None

    @classmethod
    def buildah(cls, script: str) -> str:
        """What a script with buildah prints."""
        environment = {**os.environ, "root": str(ROOT), "context": str(cls.context), "BUILDAH_ISOLATION": "chroot",
                       "HOME": "/root"}
        # Files that are seen from outside of the mounts, too.
        script = 'buildah() { command buildah --storage-driver vfs "$@"; }\n' + script
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "bash", "-euc", MOUNTS + 'exec chroot "$root" bash -euc "$1"',
             "-", script], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run_in_container(self, command: list[str]) -> subprocess.Popen:
        """Runs a command as a container would: its files read-only, its volume, its user, no rights, and a network of its own."""
        user, group = self.config["User"].split(":")
        script = f"""
        mount --bind {self.files} {self.files}
        mount --bind {self.volume} {self.files}/var/lib/ribd
        mount -t proc proc {self.files}/proc
        mount --bind /dev {self.files}/dev
        mount -o remount,bind,ro {self.files}
        ip link set lo up
        exec setpriv --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid --inh-caps=-all \\
          chroot --userspec={user}:{group} --groups= {self.files} env -i "$@"
        """
        variables = [*self.config["Env"], "HOME=/"]
        directory = ["sh", "-c", f'cd {self.config["WorkingDir"]} && exec "$@"', "-"]
        return subprocess.Popen(
            ["unshare", "--mount", "--net", "--propagation", "private", "bash", "-euc", script, "-", *variables, *directory,
             *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def said(self, *command: str) -> tuple[int, str]:
        process = self.run_in_container(list(command))
        output = process.communicate(timeout=PATIENCE)[0]
        return process.returncode, output

    def test_image_says_how_it_is_run(self):
        self.assertEqual(self.config["User"], "10001:10001")
        self.assertEqual(list(self.config["Volumes"]), [self.config["WorkingDir"]])
        self.assertEqual(list(self.config["ExposedPorts"]), ["8080/tcp"])
        self.assertEqual(self.config["Healthcheck"]["Test"][0], "CMD")

    def test_user_has_no_rights(self):
        status, output = self.said("sh", "-c", "id -u; id -g; grep -E '^(Cap|NoNewPrivs)' /proc/self/status; touch /etc/x /tmp/x")
        self.assertNotEqual(status, 0)
        self.assertTrue(output.startswith("10001\n10001\n"), output)
        for line in ["CapPrm", "CapEff", "CapAmb"]:
            self.assertRegex(output, rf"{line}:\t0+\n")
        self.assertRegex(output, r"NoNewPrivs:\t1\n")
        self.assertEqual(output.count("Read-only file system"), 2, output)

    def test_libraries_are_all_there(self):
        for program in ["/usr/local/bin/ribd", "/usr/local/libexec/swift-backtrace-static"]:
            _, output = self.said("ldd", program)
            self.assertNotIn("not found", output)
            self.assertNotIn("libswift", output)

    def start(self) -> subprocess.Popen:
        process = self.run_in_container(self.config["Entrypoint"])
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.addCleanup(process.stdout.close)

        def is_well() -> bool:
            assert process.poll() is None, process.stdout.read()
            return self.beside(process, *self.config["Healthcheck"]["Test"][1:]).returncode == 0

        wait_until(is_well, "health")
        return process

    def beside(self, process: subprocess.Popen, *command: str) -> subprocess.CompletedProcess:
        """Runs a command of the image's where a process is: the health check, as an engine does it."""
        user, group = self.config["User"].split(":")
        return subprocess.run(
            ["nsenter", f"--target={process.pid}", "--mount", "--net", "chroot", f"--userspec={user}:{group}",
             str(self.files), "env", "-i", *self.config["Env"], *command], capture_output=True, text=True, timeout=PATIENCE)

    def ask(self, process: subprocess.Popen, path: str, *arguments: str):
        """A request from where the process is."""
        done = subprocess.run(
            ["nsenter", f"--target={process.pid}", "--net", "curl", "-sS", "--fail", *arguments,
             f"http://127.0.0.1:8080{path}"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_sessions_outlive_the_container(self):
        process = self.start()
        json_body = ["-H", "Content-Type: application/json"]
        welcome = self.ask(process, "/v1/sessions", *json_body, "-d", '{"app":"counter"}')
        session, token = f"/v1/sessions/{welcome['sid']}", ["-H", f"Riblet-Token: {welcome['token']}"]
        done = self.ask(
            process, f"{session}/actions", *json_body, *token, "-H", 'Idempotency-Key: "1"', "-d", '{"to":"","a":"increment"}')
        self.assertEqual(done["n"], 1)
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, 0, output)
        # Nobody answers any more, and the check says so.
        self.assertNotEqual(self.said(*self.config["Healthcheck"]["Test"][1:])[0], 0)
        process = self.start()
        self.assertIn('"count":1', json.dumps(self.ask(process, f"{session}/view", *token), separators=(",", ":")))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)

    def test_crash_leaves_a_report_beside_the_sessions(self):
        process = self.start()
        process.send_signal(signal.SIGSEGV)

        def report() -> str | None:
            texts = [path.read_text() for path in Path(self.volume, "crashes").glob("ribd-*.log")]
            return next((text for text in texts if "Backtrace took" in text), None)

        output = wait_until(report, "a report")
        # Nothing was wrong with the program, which would go on. Another such signal may end it by halves.
        process.kill()
        process.wait(PATIENCE)
        self.assertRegex(output, r"Thread 0 .*crashed")
        # The lines name functions of the program, and no registers, in which may be what users typed.
        self.assertRegex(output, r"in .* at /|in .*ribd")
        self.assertNotRegex(output, r"\brip\b|\brax\b")


if __name__ == "__main__":
    unittest.main()
