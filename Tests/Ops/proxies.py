"""What the tests of proxies share: real ones in front of real daemons, a site that clients see at https://app.example.com, and what is true of
it whichever proxy is there.
"""

import asyncio
import http.client
import json
import os
import random
import signal
import socket
import ssl
import statistics
import string
import subprocess
import tempfile
import time
from pathlib import Path

import websockets

from support import PATIENCE, REPOSITORY, Daemon, free_port, together, wait_until

HOST = "app.example.com"
ORIGIN = f"https://{HOST}"


def children(pid: int) -> set[str]:
    return set(Path(f"/proc/{pid}/task/{pid}/children").read_text().split())


class Proxy:
    """A proxy as a shipped configuration has it, but for addresses and files."""

    # The file in config/.
    name: str
    # What the program is started with.
    command: list
    # What the program has in its environment besides.
    environment: dict[str, str] = {}

    def __init__(self, directory: Path, servers: list[str]):
        self.directory, self.servers, self.port = directory, servers, free_port()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
             "-keyout", directory / "key.pem", "-out", directory / "cert.pem", "-subj", f"/CN={HOST}",
             "-addext", f"subjectAltName=DNS:{HOST}"],
            check=True, capture_output=True)
        self.configure()
        checked = subprocess.run(self.check(), capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        self.log = open(directory / "proxy.log", "w+")
        self.process = subprocess.Popen(
            self.command, stdout=self.log, stderr=self.log, env={**os.environ, **self.environment})
        wait_until(self.is_open, "the proxy")

    def is_open(self) -> bool:
        assert self.process.poll() is None, (self.directory / "proxy.log").read_text()
        socket.create_connection(("127.0.0.1", self.port)).close()
        return True

    def shipped(self, *changes: tuple[str, str]) -> str:
        """The shipped file with changes, each of which has one place there."""
        text = (REPOSITORY / "config" / self.name).read_text()
        for old, new in changes:
            assert text.count(old) == 1, f"config/{self.name} has {old} {text.count(old)} times"
            text = text.replace(old, new)
        return text

    def configure(self):
        """Writes the configuration."""
        raise NotImplementedError

    def check(self) -> list:
        """The command by which the program itself reads the configuration."""
        raise NotImplementedError

    def reload(self):
        """Has the program read its configuration anew, and waits until it has."""
        raise NotImplementedError

    def reload_workers(self, number: signal.Signals):
        """Reloads a program whose workers are followed by new ones."""
        workers = children(self.process.pid)
        self.process.send_signal(number)
        wait_until(lambda: children(self.process.pid) - workers, "new workers")

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


class Client:
    """A client of an app by WebSocket, which comes back if it is cut off."""

    def __init__(self, site: "Site", app: str = "counter"):
        self.site, self.app = site, app
        self.sent = self.connections = 0
        self.snapshot = None

    async def __aenter__(self):
        await self.connect({"app": self.app})
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def connect(self, hello: dict):
        self.connections += 1
        self.socket = await self.site.connect()
        await self.socket.send(json.dumps({"t": "hello", **hello}))
        welcome = json.loads(await self.socket.recv())
        assert welcome["t"] == "welcome", welcome
        self.welcome = welcome
        self.snapshot = json.loads(await self.socket.recv())
        assert self.snapshot["t"] == "snap", self.snapshot

    async def come_back(self):
        old = self.welcome
        # Without an epoch: the whole view is sent.
        await self.connect({"resume": {
            "sid": old["sid"], "cid": old["cid"], "token": old["token"], "try": self.connections, "epoch": "0", "rev": 0}})

    async def act(self, action="increment"):
        """Acts, and waits until that is done; once, however often the client has to come back."""
        self.sent += 1
        is_done = is_to_leave = False
        while not is_done:
            try:
                await self.socket.send(json.dumps({"t": "act", "n": self.sent, "to": 1, "a": action}))
                while (answer := json.loads(await self.socket.recv()))["t"] in ("drain", "bye"):
                    is_to_leave = True
                assert answer["t"] == "patch" and answer["n"] == self.sent, str(answer)[:500]
                is_done = True
            except websockets.ConnectionClosed:
                await self.come_back()
                is_done, is_to_leave = self.welcome["n"] == self.sent, False
        if is_to_leave:
            await self.socket.close()
            await self.come_back()


class Connection(http.client.HTTPSConnection):
    """A connection to the proxy on this machine, whatever the name says."""

    def __init__(self, site: "Site", source: str):
        super().__init__(HOST, site.proxy.port, context=site.context(), timeout=PATIENCE)
        self.source = source

    def connect(self):
        raw = socket.create_connection(("127.0.0.1", self.port), self.timeout, (self.source, 0))
        # An action is sent in two pieces, the second of which would wait for an acknowledgement of the first.
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = self.socket = self._context.wrap_socket(raw, server_hostname=HOST)


class Site:
    """Daemons behind a proxy, as clients see them."""

    def __init__(self, make_proxy, *settings: str, count: int = 1, host: str | None = None):
        self.directory = tempfile.TemporaryDirectory()
        path = Path(self.directory.name)
        # Of one state directory: what ends in one of them goes on in another one.
        settings = ("--public-url", ORIGIN, "--state-dir", path / "state", *settings)
        if host:
            settings += ("--host", host.format(path))
        self.connections = []
        self.daemons = [Daemon(*settings) for _ in range(count)]
        try:
            self.proxy = make_proxy(path, [daemon.url.removeprefix("http://") for daemon in self.daemons])
        except BaseException:
            self.stop_daemons()
            raise

    def stop_daemons(self):
        for daemon in self.daemons:
            if daemon.process.returncode is None:
                daemon.stop()

    def stop(self):
        for connection in self.connections:
            connection.close()
        self.proxy.stop()
        self.stop_daemons()
        self.directory.cleanup()

    def context(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.proxy.directory / "cert.pem")

    def connection(self, source: str = "127.0.0.1") -> Connection:
        self.connections.append(Connection(self, source))
        return self.connections[-1]

    def ask(self, method: str, path: str, body=None, connection=None, **fields):
        """A request and its answer, with the name alone in Host, as a browser sends it for the scheme's own port."""
        headers = {"Host": HOST, "Content-Type": "application/json"}
        headers |= {name.replace("_", "-"): value for name, value in fields.items()}
        connection = connection or self.connection()
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()

    def connect(self, origin: str = ORIGIN):
        return websockets.connect(
            f"wss://{HOST}/v1/socket", host="127.0.0.1", port=self.proxy.port, ssl=self.context(), origin=origin,
            subprotocols=["riblet.v1.json"], ping_interval=None, max_size=None, open_timeout=PATIENCE)

    def begin(self, **fields):
        """A session of the HTTP twin: its path, and its token."""
        made = self.ask("POST", "/v1/sessions", {"app": "counter"}, Origin=ORIGIN, **fields)
        assert made.status == 201, (made.status, made.read())
        welcome = json.load(made)
        return made, f"/v1/sessions/{welcome['sid']}", welcome["token"]

    def connected(self, transport: str) -> int:
        """How many connections the daemons have, by their own account."""
        line = f'ribserver_connections{{transport="{transport}"}} '
        texts = [daemon.ask_admin("/metrics")[1] for daemon in self.daemons]
        return sum(int(text.split(line)[1].split("\n")[0]) for text in texts)


class Checks:
    """What clients may expect of a site, whichever proxy is in front: tests of a `unittest.TestCase`."""

    # What makes the proxy, and how many daemons there are, with which settings.
    make_proxy: type[Proxy]
    count = 1
    host: str | None = None
    settings: tuple[str, ...] = ()
    # How often each client connects if the proxy's configuration is read anew while it is connected.
    connections_over_reload = 1

    def open(self, *settings: str) -> Site:
        site = Site(self.make_proxy, *self.settings, *settings, count=self.count, host=self.host)
        self.addCleanup(site.stop)
        return site

    def test_pages_of_other_origins_are_kept_out(self):
        site = self.open()

        async def come_from(origin: str):
            async with site.connect(origin):
                pass

        together(come_from(ORIGIN))
        with self.assertRaises(websockets.InvalidStatus) as caught:
            together(come_from("https://evil.example"))
        self.assertEqual(caught.exception.response.status_code, 403)

    def test_clients_outlive_a_new_configuration(self):
        site = self.open("--limits-new-sessions-per-minute", "0")

        async def check():
            clients = [Client(site) for _ in range(100)]
            for client in clients:
                await client.__aenter__()
                await client.act()
            await asyncio.to_thread(site.proxy.reload)
            for client in clients:
                await client.act()
                await client.act()
            # New ones come in as well.
            async with Client(site) as newcomer:
                await newcomer.act()
            for client in clients:
                await client.__aexit__()
            return {(client.sent, client.connections) for client in clients}

        [seen] = together(check())
        self.assertEqual(seen, {(3, self.connections_over_reload)})

    def test_events_come_at_once(self):
        site = self.open()
        made, session, token = site.begin()
        self.assertEqual(made.headers["Strict-Transport-Security"], "max-age=63072000")
        stream = site.ask("GET", f"{session}/events", Riblet_Token=token)
        self.assertEqual((stream.status, stream.headers["Content-Type"]), (200, "text/event-stream"))

        def data() -> dict:
            return json.loads(next(line for line in iter(stream.readline, b"") if line.startswith(b"data: "))[6:])

        self.assertEqual([data()["t"], data()["t"]], ["welcome", "snap"])
        connection, times = site.connection(), []
        for n in range(1, 22):
            start = time.monotonic()
            done = site.ask(
                "POST", f"{session}/actions", {"to": "", "a": "increment"}, connection, Riblet_Token=token,
                Idempotency_Key=f'"{n}"')
            # It has come, though the stream goes on: nobody on the way has kept it back.
            self.assertEqual((data()["t"], done.status, json.load(done)["n"]), ("patch", 200, n))
            times.append(time.monotonic() - start)
        stream.close()
        print(f"events {statistics.median(times) * 1000:.1f} ms ", end="", flush=True)
        # The middle one: other programs use the machine, too. One that gathers events for a second or more is no proxy for a view.
        self.assertLessEqual(statistics.median(times), 0.8)

    def test_clients_that_leave_are_noticed(self):
        # By what the proxy says, and not by a heartbeat that nobody answers.
        site = self.open("--timeouts-heartbeat-seconds", "3600")
        _, session, token = site.begin()
        connection = site.connection()
        stream = site.ask("GET", f"{session}/events", None, connection, Riblet_Token=token)
        stream.readline()

        async def look():
            async with Client(site):
                return await asyncio.to_thread(lambda: (site.connected("events"), site.connected("websocket")))

        self.assertEqual(together(look()), [(1, 1)])
        connection.socket.shutdown(socket.SHUT_RDWR)
        stream.close()
        wait_until(lambda: site.connected("events") == 0, "the end of the stream")
        wait_until(lambda: site.connected("websocket") == 0, "the end of the WebSocket")

    def test_forged_addresses_are_not_believed(self):
        # Of all daemons together.
        site = self.open("--limits-new-sessions-per-minute", str(20 // self.count))

        def begin(n: int, source: str) -> int:
            connection = site.connection(source)
            answer = site.ask(
                "POST", "/v1/sessions", {"app": "counter"}, connection, X_Forwarded_For=f"198.51.100.{n}",
                Forwarded=f"for=198.51.100.{n}", X_Real_IP=f"198.51.100.{n}", X_Forwarded_Proto="http")
            connection.close()
            return answer.status

        statuses = [begin(n, "127.0.0.1") for n in range(40)]
        self.assertEqual(set(statuses), {201, 429})
        self.assertLess(statuses.count(201), 30)
        # Addresses that are not forged are told apart.
        self.assertEqual(begin(1, "127.0.0.2"), 201)

    def test_http2_is_spoken(self):
        site = self.open()

        def ask(*arguments) -> str:
            return subprocess.run(
                ["curl", "-s", "-o", "/dev/null", "-w", "%{http_version} %{http_code}", "--cacert",
                 site.proxy.directory / "cert.pem", "--resolve", f"{HOST}:{site.proxy.port}:127.0.0.1", "-H", f"Host: {HOST}",
                 *arguments], check=True, capture_output=True, text=True).stdout

        url = f"https://{HOST}:{site.proxy.port}"
        self.assertEqual(ask(f"{url}/"), "2 200")
        made = ask("-H", "Content-Type: application/json", "-H", f"Origin: {ORIGIN}", "-d", '{"app":"counter"}',
                   f"{url}/v1/sessions")
        self.assertEqual(made, "2 201")

    def test_largest_view_arrives_whole(self):
        site = self.open("--limits-message-bytes", "6000000")
        letters = random.Random(1)
        # Nearly the four mebibytes that a view may have, and nothing that compression makes much smaller.
        text = "".join(letters.choices(string.ascii_letters + string.digits, k=(4 << 20) - 1024))

        async def look():
            async with Client(site, "search") as client:
                await client.act({"updateSearchText": text})
                await client.socket.close()
                await client.come_back()
                return client.snapshot, client.welcome

        [(snapshot, welcome)] = together(look())
        self.assertTrue(snapshot["view"]["nodes"]["1"]["state"]["text"] == text)
        # Such views use up what a client may cost: over a connection that others share it is told when to ask.
        deadline = time.monotonic() + 60
        while True:
            view = site.ask("GET", f"/v1/sessions/{welcome['sid']}/view", Riblet_Token=welcome["token"])
            if view.status != 429 or time.monotonic() > deadline:
                break
            time.sleep(int(view.headers["Retry-After"]))
        self.assertEqual(view.status, 200)
        self.assertTrue(text.encode() in view.read())
