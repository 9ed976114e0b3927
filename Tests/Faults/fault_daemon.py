"""A daemon that system calls fail for: of `scripts/faults`."""
import os, re, resource, shutil, signal, sqlite3, subprocess, tempfile, time

# The apps' sessions leave memory as soon as nothing happens, so that they are loaded again and again; what waits does not wait long.
FLAGS = ["--port", "0", "--loops", "1", "--durability", "disk", "--sessions-rest-seconds", "0", "--sessions-idle-rest-seconds", "0",
         "--limits-actions-per-second", "0", "--timeouts-drain-seconds", "0", "--timeouts-closing-seconds", "1",
         "--timeouts-store-seconds", "3", "--timeouts-watchdog-seconds", "10"]
STORE = ["sessions.sqlite", "sessions.sqlite-wal", "sessions.sqlite-shm", "sessions.sqlite-journal", "flight-0", "flight-lock"]
DOCUMENTED = re.compile(
    r"cannot be opened|SQLite: |The session store|The disk|cannot be made|open |lock |resize |map |epoll_c|eventfd|listen|bind|"
    r"socket|cannot be read")
# How Swift's runtime ends a process that gets no memory: with a word, or on a null pointer.
RUNTIME_ENDS = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGILL, -signal.SIGTRAP}
TRAP = re.compile("Fatal error: (?!failed to allocate)")


class Death(Exception):
    """The daemon has ended."""


class Daemon:
    """A `ribd` on a state directory."""

    def __init__(self, program, directory, name, limits=(), flags=()):
        self.directory, self.name, self.url, self.strace = directory, name, None, None
        self.state, self.log, self.trace = f"{directory}/state", f"{directory}/{name}.log", f"{directory}/{name}.strace"
        self.out = f"{directory}/{name}.out"
        self.program, self.limits, self.flags = program, limits, list(flags)
        self.process = None
        # Whether it is to do with less memory than it takes.
        self.is_starved = any(limit == resource.RLIMIT_AS for limit, _ in limits)
        # Whether there is no memory for as long as that, so that who waits for it waits for ever.
        self.stays_starved = self.is_starved
        # Whether libdispatch may not be able to begin.
        self.may_lose_dispatch = any(limit == resource.RLIMIT_NOFILE for limit, _ in limits)

    def start(self, fault=None):
        """Starts it; with a fault that counts from its first call on."""
        def prepare():
            for limit, value in self.limits:
                resource.setrlimit(limit, (value, value))
        command = [self.program, *FLAGS, *self.flags, "--state-dir", self.state]
        if fault:
            # It stands still before it begins, so that the tracer is there in time.
            command = ["/bin/sh", "-c", 'kill -STOP $$; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=open(self.out, "w"), stderr=open(self.log, "w"), preexec_fn=prepare if self.limits else None,
            env={**os.environ, "RIBD_LEDGER": f"{self.directory}/book", "SWIFT_BACKTRACE": "enable=no"})
        if fault:
            self._await(lambda: self._status("State").startswith("T"), 5)
            self.attach(fault)
            os.kill(self.process.pid, signal.SIGCONT)

    def listens(self, seconds=15):
        """Whether it says where it listens, in time; False if it has ended before."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = re.search(r"listens on (http://\S+)", self.text(self.out))
            if found:
                self.url = found[1]
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.01)
        raise Death("it neither listens nor ends")

    def attach(self, fault):
        """Lets calls fail from now on, counted by the thread."""
        paths = [part for path in fault.paths(self) for part in ("-P", path)]
        self.strace = subprocess.Popen(
            ["strace", "-f", "-qq", "-e", f"trace={fault.call}", "-e", "signal=none", *paths,
             "-e", f"inject={fault.call}:error={fault.error}:when={fault.when}", "-o", self.trace, "-p", str(self.process.pid)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(f"{self.trace}.err", "w"))
        def traced():
            if self.strace.poll() is not None:
                raise Death(f"strace does not begin: {self.text(f'{self.trace}.err').strip()[:300]}")
            try:
                tasks = os.listdir(f"/proc/{self.process.pid}/task")
                return all(self._status("TracerPid", task) not in ("0", "") for task in tasks)
            except OSError:
                return True
        self._await(traced, 5)

    def detach(self):
        """Ends the fault."""
        if self.strace and self.strace.poll() is None:
            self.strace.send_signal(signal.SIGINT)
            self.strace.wait(10)

    def _status(self, field, task=None):
        try:
            with open(f"/proc/{self.process.pid}/task/{task or self.process.pid}/status") as status:
                return re.search(rf"^{field}:\s*(.*)$", status.read(), re.M)[1]
        except (OSError, TypeError):
            return ""

    def number(self, field):
        """A number of the process's status, in bytes."""
        return int(self._status(field).split()[0]) << 10

    def _await(self, is_so, seconds):
        until = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > until:
                raise Death("the tracer did not come")
            time.sleep(0.005)

    @property
    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def end(self, how=signal.SIGTERM, seconds=15):
        """Has it end; returns its status, or None if it refuses to."""
        if self.is_alive:
            self.process.send_signal(how)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None if not self.waits_for_memory() else -signal.SIGKILL
            self.note_threads()
            self.process.kill()
            self.process.wait()
        else:
            status = self.process.returncode
        if self.strace:
            try:
                self.strace.wait(5)
            except subprocess.TimeoutExpired:
                self.strace.kill()
                self.strace.wait()
        return status

    def waits_for_memory(self):
        """Whether it stands still because libdispatch cannot make a thread, and sleeps until it can."""
        if not (self.is_starved and self.stays_starved):
            return False
        waits = [self.text(f"/proc/{self.process.pid}/task/{task}/wchan") for task in os.listdir(f"/proc/{self.process.pid}/task")]
        return "hrtimer_nanosleep" in waits

    def note_threads(self):
        """What its threads wait for, for who looks into it."""
        with open(f"{self.directory}/{self.name}.threads", "w") as file:
            for task in os.listdir(f"/proc/{self.process.pid}/task"):
                for what in ("comm", "wchan", "syscall", "status"):
                    file.write(f"{task} {what} {self.text(f'/proc/{self.process.pid}/task/{task}/{what}')[:300]}\n")

    def hits(self):
        """How many calls were made to fail."""
        return self.text(self.trace).count("(INJECTED)")

    def refused(self):
        """The calls that were made to fail, whole also where strace has written them in two parts."""
        begun, calls = {}, []
        for line in self.text(self.trace).splitlines():
            thread, _, call = line.partition(" ")
            if call.endswith("<unfinished ...>"):
                begun[thread] = call
            elif "(INJECTED)" in call:
                calls.append(begun.pop(thread, "") + call if "resumed>" in call else call)
        return calls

    @staticmethod
    def text(path):
        try:
            with open(path, errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def last_lines(self, count=4):
        return " | ".join(self.text(self.log).strip().splitlines()[-count:])[-700:]

    @property
    def has_trapped(self):
        """Whether its log has a fatal error, other than that it gets no memory."""
        return bool(TRAP.search(self.text(self.log)))

    def death(self, status, is_start):
        """A documented end by the status it had, as a word; None for any other."""
        log = self.text(self.log)
        if status == 0:
            return "ended"
        if status == 1 and is_start and DOCUMENTED.search(log):
            return "clear error"
        if status == 1 and ("The session store fails." in log or "The session store does not answer." in log):
            return "unclean stop"
        if status == -signal.SIGABRT and "A loop hangs" in log:
            return "watchdog"
        if self.is_starved and status in RUNTIME_ENDS | {-signal.SIGKILL} and not self.has_trapped:
            return "no memory"
        if self.may_lose_dispatch and is_start and status == -signal.SIGILL and not log:
            return "no libdispatch"
        return None


def integrity(state):
    """What SQLite finds wrong with a copy of the store; empty if it is whole."""
    with tempfile.TemporaryDirectory() as copy:
        for name in ("sessions.sqlite", "sessions.sqlite-wal"):
            if os.path.exists(f"{state}/{name}"):
                shutil.copy(f"{state}/{name}", copy)
        database = sqlite3.connect(f"{copy}/sessions.sqlite")
        try:
            rows = [row[0] for row in database.execute("PRAGMA integrity_check")] + [
                f"foreign key {row}" for row in database.execute("PRAGMA foreign_key_check")]
            return [] if rows == ["ok"] else rows
        except sqlite3.Error as error:
            return [str(error)]
        finally:
            database.close()
