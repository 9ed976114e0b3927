"""Several nodes on this machine, and clients of theirs: what scripts/cluster-figures measures."""
import contextlib, json, os, signal, socket, subprocess, sys, time, urllib.request

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# All clients come from one address, and some as fast as they can.
unlimited = [
    "--limits-actions-per-second", "0", "--limits-connections-per-address", "0", "--limits-new-sessions-per-minute", "0",
    "--limits-sessions-per-address", "0", "--limits-connections", "30000", "--limits-sessions", "100000", "--log-level", "notice"]


def until(condition, seconds=120, pause=0.05):
    """Waits until a condition holds, and returns what it has returned; ends the run if that takes too long."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError("what was waited for did not happen within %d s" % seconds)
        time.sleep(pause)


def processor_seconds(pid):
    """User and system time of a process that runs, all threads."""
    return time.clock_gettime((~pid << 3) | 2)


def resident(pid):
    """KiB of memory."""
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def children(pid):
    """The processes that a process has begun."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open("/proc/%s/stat" % entry) as stat:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry))
    return found


def database_seconds(pid):
    """User and system time of a PostgreSQL, also of its processes that have ended."""
    def ticks(pid, fields):
        with contextlib.suppress(OSError), open("/proc/%d/stat" % pid) as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:11 + fields]))
        return 0

    return (ticks(pid, 4) + sum(ticks(child, 2) for child in children(pid))) / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_ready(port):
    with contextlib.suppress(OSError):
        return urllib.request.urlopen("http://127.0.0.1:%d/readyz" % port, timeout=2).status == 200
    return False


def end(process, number=signal.SIGTERM):
    if process.poll() is None:
        process.send_signal(number)
    return process.wait(60)


class Crowd:
    """Clients, as Benchmarks/crowd.c has them."""

    # Where it was compiled to.
    program = None
    # What they were told that was not so, and that they have lost.
    faults = []

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [self.program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)

    def tell(self, *lines):
        self.process.stdin.writelines(line + "\n" for line in lines)
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return json.loads(self.process.stdout.readline())

    def await_live(self, count):
        until(lambda: self.ask("status")["live"] == count)

    def await_calm(self, seconds=120):
        """Waits until nobody is cut off any more, for two seconds."""
        since = [time.monotonic()]

        def is_calm():
            if self.ask("status")["out"]:
                since[0] = time.monotonic()
            return time.monotonic() - since[0] > 2

        until(is_calm, seconds)

    def measure(self, seconds, *pids):
        """What was done, and the CPU seconds of processes meanwhile."""
        before = sum(map(processor_seconds, pids))
        self.tell("mark")
        time.sleep(seconds)
        report = self.report("a measurement")
        return report, sum(map(processor_seconds, pids)) - before

    def report(self, where):
        report = self.ask("report")
        for fault in ("lost", "taken_back", "wrong", "nacks"):
            if report[fault]:
                self.faults.append("%s: %d %s" % (where, report[fault], fault))
        return report


class Node:
    """A process of scripts/cluster's, which can be started anew as it was."""

    def __init__(self, pid, port, log):
        self.pid, self.port, self.log, self.process = pid, port, log, None
        with open("/proc/%d/cmdline" % pid, "rb") as line, open("/proc/%d/environ" % pid, "rb") as variables:
            self.command = line.read().rstrip(b"\0").decode().split("\0")
            self.environment = dict(entry.split("=", 1) for entry in variables.read().decode().split("\0") if entry)
        self.command[self.command.index("--port") + 1] = str(port)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.pid = self.process.pid

    def kill(self, number=signal.SIGKILL):
        os.kill(self.pid, number)

    def await_end(self, seconds=60):
        def has_ended():
            if self.process:
                return self.process.poll() is not None
            with contextlib.suppress(OSError), open("/proc/%d/stat" % self.pid) as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
            return True

        until(has_ended, seconds)


class Cluster:
    """What scripts/cluster runs."""

    def __init__(self, program, *options, flags=()):
        self.port = free_port()
        self.nodes, self.databases, self.balancers = [], [], []
        self.process = subprocess.Popen(
            [root + "/scripts/cluster", "--port", str(self.port), "--connections", "9900", *options, program, *unlimited, *flags],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            words = line.replace(",", "").split()
            if line.startswith("node "):
                self.nodes.append(Node(int(words[3]), int(words[4].rsplit(":", 1)[1]), words[6]))
            elif "process" in line:
                self.databases.insert(0, (int(words[2]), words[3]))
            elif line.startswith("the cluster"):
                break
        else:
            sys.exit("the cluster does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for balancer in self.balancers:
            end(balancer)
        for node in self.nodes:
            if node.process:
                end(node.process)
        self.process.stdin.close()
        self.process.wait(60)

    def add_balancer(self):
        """Starts a second haproxy like the first one, and returns its port: each has as many connections as a process may have descriptors for."""
        directory, port = os.path.dirname(self.nodes[0].log), free_port()
        with open(directory + "/haproxy.cfg") as first, open(directory + "/haproxy2.cfg", "w") as second:
            second.write(first.read().replace("127.0.0.1:%d" % self.port, "127.0.0.1:%d" % port))
        self.balancers.append(subprocess.Popen([root + "/.tools/haproxy", "-db", "-f", second.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        until(lambda: is_ready(port))
        return port

    def await_ready(self):
        """Waits until all nodes are, and haproxy has seen that."""
        until(lambda: all(is_ready(node.port) for node in self.nodes))
        time.sleep(3)

    def postgres(self, program, database, *arguments):
        """What one of PostgreSQL's programs prints."""
        version = max(filter(str.isdigit, os.listdir("/usr/lib/postgresql")), key=int)
        command = ["/usr/lib/postgresql/%s/bin/%s" % (version, program), "-h", database, "-U", "ribs", *arguments, "postgres"]
        return subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL).strip()

    def query(self, sql, database):
        return self.postgres("psql", database, "-qXAt", "-c", sql)
