"""Clients that keep account of what they were promised: of `scripts/faults`, by the standard library alone.

A `Book` is what the clients of one session may rely on. Each action is numbered, kept until it is answered, and sent again as it
was. What was answered with the durability `disk` has to be there for ever; what was answered with less may be lost by a
server that ends, and by nothing else. A deviation is a sentence in `faults`.
"""
import base64, hashlib, http.client, json, os, socket, struct, threading, time
from urllib.parse import urlsplit

# What is asked for, and with which word it is refused; None if it is to be done.
COUNT, EXPLODE, RUN_AWAY = ("", "count", None), ("", "explode", "bad_action"), ("", "runAway", "failed")
OPEN, CLOSE, TAP, LATE_TAP = ("", "openPage", None), ("", "closePage", None), ("page", "tap", None), ("page", "tap", "gone")
INCREMENT = ("", "increment", None)
# Refused as the process died of it twice: only where processes are killed while they work.
POISONED = "poisoned"
# Of all accounts, which can be copied therefore.
LOCK = threading.RLock()


def pay(number):
    return ("", {"pay": number}, None)


class Gone(Exception):
    """The session is no more."""


class OutOfTime(Exception):
    """Not all was answered in the time that there is."""


class Book:
    """What the clients of a session have asked for."""

    def __init__(self, app):
        self.app, self.clients = app, []
        self.sid, self.is_durable, self.is_weak, self.may_be_poisoned = None, False, False, False
        self.payments, self.faults, self.lost, self.lives = 0, [], 0, 1

    def fault(self, text):
        with LOCK:
            self.faults.append(f"{self.app} {self.sid}: {text}")

    def done(self):
        """The actions that are done, as far as clients were told."""
        return [act for client in self.clients for act in client.acts if act["is"] == "done"]

    def next_payment(self):
        self.payments += 1
        return pay(self.payments)


class Client:
    """A client's account: its actions by their numbers, and what it was told of them."""

    def __init__(self, book, name, urls):
        self.book, self.name, self.urls, self.turn = book, name, urls, 0
        self.cid = self.token = None
        self.acts, self.told, self.durable, self.attempt = [], 0, 0, 0
        # Whether it was told that the server has it on disk.
        self.is_known, self.silences = False, 0
        self.deadline = time.monotonic() + 60
        book.clients.append(self)

    def url(self):
        """Where the server is; another one of them each time."""
        while True:
            urls = self.urls()
            if urls:
                self.turn += 1
                return urls[self.turn % len(urls)]
            self.pause(0.05)

    def pause(self, seconds):
        if time.monotonic() + seconds > self.deadline:
            raise OutOfTime(f"{self.name}: {len(self.acts) - self.told} actions are not answered")
        time.sleep(seconds)

    def ask(self, *acts):
        self.acts += [{"to": to, "a": a, "word": word, "is": None} for to, a, word in acts]

    def fault(self, text):
        self.book.fault(f"{self.name}: {text}")

    def begin_again(self):
        """The session is gone: what was asked for in it is asked for in another one."""
        book = self.book
        with LOCK:
            if book.is_durable:
                book.faults.append(f"{book.app} {book.sid}: {self.name}: a session that was told to be on disk is gone")
                raise Gone()
            book.lives += 1
            for client in book.clients:
                book.lost += client.told
                client.acts = [{**act, "is": None} for act in client.acts]
                client.told = client.durable = client.attempt = 0
                client.cid = client.token = None
                client.is_known = False
            book.sid, book.is_weak = None, True

    def note(self, n, nacks, durability):
        """Takes note of an answer."""
        book = self.book
        with LOCK:
            if durability != "disk":
                book.is_weak = True
            else:
                book.is_durable = self.is_known = True
            if n > len(self.acts):
                book.faults.append(f"{self.name} was told of action {n}, and has asked for {len(self.acts)}")
                return
            if n < self.told:
                # An answer to what was asked before it was told is none of these: it asks for one thing at a time.
                self._went_back(n)
                if n < self.told:
                    return
            for nack in nacks:
                self._refuse(nack)
            for number in range(self.told + 1, n + 1):
                act = self.acts[number - 1]
                if act["is"] is None:
                    act["is"] = "done"
                    if act["word"] is not None:
                        book.faults.append(f"{self.name}: action {number}, {act['a']}, is done, and had to be refused")
            self.told = max(self.told, n)
            if durability == "disk":
                self.durable = max(self.durable, n)

    def _refuse(self, nack):
        number, book = nack["n"], self.book
        if not 1 <= number <= len(self.acts):
            return book.faults.append(f"{self.name}: {nack} is of no action")
        act = self.acts[number - 1]
        if act["is"] == "done":
            book.faults.append(f"{self.name}: action {number} was done, and is refused: {nack}")
        if nack["code"] != act["word"] and not (nack["code"] == POISONED and book.may_be_poisoned):
            book.faults.append(f"{self.name}: action {number}, {act['a']}, is refused: {nack}")
        act["is"] = "refused"

    def _went_back(self, n):
        book = self.book
        if n < self.durable:
            # Its word is not taken: what was on disk stays asked for.
            self.close()
            return book.faults.append(
                f"{book.app} {book.sid}: {self.name} was told on disk that {self.durable} actions are done, and now that {n} are")
        book.is_weak = True
        book.lost += self.told - n
        # What was lost is not asked for again; what was not answered is, under other numbers.
        self.acts = self.acts[:n] + self.acts[self.told:]
        self.told, self.durable = n, min(self.durable, n)


class Twin(Client):
    """A client of the HTTP twin."""

    def __init__(self, book, name, urls, host=None):
        super().__init__(book, name, urls)
        # Who invites it; nobody into a session of its own.
        self.host, self.connection = host, None

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def request(self, method, path, body=None, **headers):
        """One answer: its status, its JSON and its headers; None if there was none."""
        if self.token:
            headers["Riblet-Token"] = self.token
        text = None if body is None else json.dumps(body)
        try:
            if self.connection is None:
                place = urlsplit(self.url())
                self.connection = http.client.HTTPConnection(place.hostname, place.port, timeout=2.5)
            began = time.monotonic()
            self.connection.request(method, path, text, {k.replace("_", "-"): v for k, v in headers.items()})
            answer = self.connection.getresponse()
            data = answer.read()
            if answer.will_close:
                self.close()
            return answer.status, json.loads(data) if data else None, answer.headers
        except TimeoutError:
            self.silences += 1
            self.close()
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
        self.pause(0.05)
        return None

    def insist(self, method, path, body=None, **headers):
        """Asks until there is an answer that is no 503."""
        while True:
            answer = self.request(method, path, body, **headers)
            if answer and answer[0] != 503:
                return answer
            if answer:
                self.close()
                self.pause(0.1)

    def begin(self):
        while True:
            # An invitation works once; whether it was used when no answer came, nobody has said.
            body = {"share": self.host.invite()} if self.host else {"app": self.book.app}
            answer = self.request("POST", "/v1/sessions", body)
            if answer and answer[0] == 201:
                break
            if answer and answer[0] != 503 and not (self.host and answer[0] in (403, 404)):
                self.fault(f"a new client is answered {answer[0]}: {answer[1]}")
                raise Gone()
            self.close()
            self.pause(0.1)
        made = answer[1]
        self.book.sid, self.cid, self.token = made["sid"], made["cid"], made["token"]
        self.note(made["n"], made["nacks"], made["durability"])

    def look(self):
        """Learns how many of its actions are done, without another one."""
        self._post(1, [])

    def run(self, batch=1):
        """Has all that was asked for done."""
        if self.token is None:
            self.begin()
        while self.told < len(self.acts):
            first = self.told + 1
            acts = self.acts[self.told:self.told + batch]
            self._post(first, [{"to": act["to"], "a": act["a"]} for act in acts])

    def _post(self, first, acts):
        body = acts[0] if len(acts) == 1 else acts
        path = f"/v1/sessions/{self.book.sid}/actions"
        while True:
            answer = self.request("POST", path, body, Idempotency_Key=f'"{first}"')
            if answer is None:
                continue
            status, said, _ = answer
            if status == 200:
                return self.note(said["n"], said["nacks"], said.get("durability", "disk"))
            if status == 503:
                self.close()
                self.pause(0.1)
            elif status == 409 and first > 1:
                # What was answered from memory alone is lost: it goes on from where the server is.
                self.pause(0.05)
                return self._post(1, [])
            elif status == 404:
                self.begin_again()
                return self.begin()
            elif status == 401 and self.host and not self.is_known:
                # That it was let in is lost.
                self.book.lost += self.told
                self.acts, self.told = [{**act, "is": None} for act in self.acts], 0
                return self.begin()
            else:
                self.fault(f"action {first} is answered {status}: {said}")
                raise Gone()

    def view(self):
        status, view, headers = self.insist("GET", f"/v1/sessions/{self.book.sid}/view")
        if status != 200:
            self.fault(f"the view is answered {status}: {view}")
            raise Gone()
        return view

    def listen(self):
        """Opens the events for a moment, each time with a greater number."""
        place = urlsplit(self.url())
        self.attempt += 1
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=2.5)
        try:
            connection.request("GET", f"/v1/sessions/{self.book.sid}/events", headers={
                "Riblet-Token": self.token, "Riblet-Try": str(self.attempt)})
            answer = connection.getresponse()
            if answer.status != 200:
                if answer.status not in (503, 401, 404):
                    self.fault(f"events of try {self.attempt} are answered {answer.status}: {answer.read()[:200]}")
                return
            for line in iter(answer.readline, b""):
                if line.startswith(b"data: "):
                    said = json.loads(line[6:])
                    if said["t"] == "welcome":
                        self.note(said["n"], said["nacks"], said["durability"])
                    break
        except TimeoutError:
            self.silences += 1
        except (OSError, http.client.HTTPException, ValueError):
            pass
        finally:
            connection.close()


class Cut(Exception):
    """The connection is over."""


class Socket(Client):
    """A client by WebSocket, with a mirror of the view."""

    def __init__(self, book, name, urls):
        super().__init__(book, name, urls)
        self.peer, self.data, self.sent, self.durability = None, b"", 0, "disk"
        self.view, self.epoch, self.rev, self.hash, self.invitation = None, "", None, None, None
        self.resyncs = 0

    def begin_again(self):
        super().begin_again()
        self.view, self.epoch, self.rev = None, "", None

    def close(self):
        if self.peer:
            self.peer.close()
        self.peer, self.data = None, b""

    def say(self, **message):
        data, mask = json.dumps(message).encode(), os.urandom(4)
        size = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else struct.pack("!BBH", 0x81, 0xFE, size)
        if self.peer is None:
            raise Cut()
        try:
            self.peer.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))
        except OSError:
            raise Cut()

    def _exactly(self, count, until):
        while len(self.data) < count:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError()
            if self.peer is None:
                raise Cut()
            self.peer.settimeout(left)
            try:
                more = self.peer.recv(65536)
            except TimeoutError:
                raise
            except OSError:
                raise Cut()
            if not more:
                raise Cut()
            self.data += more
        part, self.data = self.data[:count], self.data[count:]
        return part

    def hear(self, seconds=2.5):
        """Takes the next frame's messages; raises TimeoutError if none comes."""
        until = time.monotonic() + seconds
        head = self._exactly(2, until)
        size = head[1] & 0x7F
        if size == 126:
            size = struct.unpack("!H", self._exactly(2, until))[0]
        elif size == 127:
            size = struct.unpack("!Q", self._exactly(8, until))[0]
        data = self._exactly(size, until)
        code = head[0] & 0x0F
        if code == 8:
            raise Cut()
        if code == 1:
            said = json.loads(data)
            for message in said if isinstance(said, list) else [said]:
                self.take(message)

    def connect(self):
        """Comes in, until it is welcome."""
        while True:
            self.close()
            place = urlsplit(self.url())
            try:
                self.peer = socket.create_connection((place.hostname, place.port), timeout=2.5)
                self.peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                key = base64.b64encode(os.urandom(16)).decode()
                self.peer.sendall((
                    f"GET /v1/socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                    f"Sec-WebSocket-Protocol: riblet.v1.json\r\n\r\n").encode())
                until = time.monotonic() + 2.5
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    head += self._exactly(1, until)
                if b" 101 " not in head.split(b"\r\n")[0]:
                    if b" 503 " not in head.split(b"\r\n")[0]:
                        self.fault(f"the upgrade is answered {head.splitlines()[0]!r}")
                    raise Cut()
                self.is_welcome = False
                if self.token:
                    self.attempt += 1
                    self.say(t="hello", resume={
                        "sid": self.book.sid, "cid": self.cid, "token": self.token, "try": self.attempt,
                        "epoch": self.epoch, "rev": self.rev or 0})
                else:
                    self.say(t="hello", app=self.book.app)
                while not self.is_welcome:
                    self.hear()
                return
            except TimeoutError:
                self.silences += 1
            except (OSError, Cut):
                pass
            self.pause(0.05)

    def take(self, message):
        kind = message["t"]
        if kind == "welcome":
            self.book.sid, self.cid, self.token = message["sid"], message["cid"], message["token"]
            self.durability = message["durability"]
            self.note(message["n"], message["nacks"], self.durability)
            self.sent, self.is_welcome = self.told, True
            if message["epoch"] != self.epoch:
                self.epoch, self.rev = message["epoch"], None
        elif kind == "snap":
            self.view, self.epoch, self.rev = message["view"], message["epoch"], message["rev"]
            self.note(message["n"], [], self.durability)
        elif kind == "patch":
            self.note(message["n"], [], self.durability)
            self._patch(message)
        elif kind == "nack":
            self.note(message["n"], [message], self.durability)
        elif kind == "notice":
            self.durability = message["durability"]
            if self.durability == "disk":
                self.durable = self.told
        elif kind == "share":
            self.invitation = message["token"]
        elif kind == "bye":
            self._leave(message)

    def _leave(self, message):
        code = message["code"]
        if code == "gone":
            self.begin_again()
        elif code in ("full", "unavailable"):
            self.pause(0.1)
        elif code not in ("ended", "shutdown", "silent", "moved", "no_hello"):
            self.fault(f"bye {message}")
            raise Gone()
        raise Cut()

    def _patch(self, message):
        if "hash" in message:
            self.hash = (message["hash"], hashlib.sha256(
                json.dumps(self.view, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest())
        if self.rev is None:
            return
        if message["base"] != self.rev:
            self.resyncs += 1
            self.fault(f"a patch for revision {message['base']} came at {self.rev}")
            self.rev = None
            return self.say(t="resync")
        self.view = patched(self.view, message["ops"])
        self.rev = message["rev"]

    def run(self, window=3):
        """Has all that was asked for done."""
        def act():
            while self.told < len(self.acts):
                while self.sent < min(len(self.acts), self.told + window):
                    act = self.acts[self.sent]
                    self.sent += 1
                    self.say(t="act", n=self.sent, to=act["to"], a=act["a"],
                             ack={"rev": self.rev or 0, "n": self.told})
                self.hear()

        self.keep_on(act)

    def until(self, is_so, *messages):
        """Says something, and hears until something is so; over again after a cut."""
        def ask():
            for message in messages:
                self.say(**message)
            while not is_so():
                self.hear()

        self.keep_on(ask)

    def keep_on(self, body):
        """Does something on a connection; over again on another one after a cut, or after a silence."""
        while True:
            try:
                if self.peer is None:
                    self.connect()
                return body()
            except TimeoutError:
                self.silences += 1
                self.close()
            except (Cut, OSError):
                self.close()
            self.pause(0.05)

    def invite(self):
        """A token with which another client may act."""
        self.invitation = None
        self.until(lambda: self.invitation is not None, {"t": "share", "scope": "act"})
        return self.invitation

    def check(self):
        """Whether the mirror is what the server has."""
        self.until(lambda: self.rev is not None)
        self.hash = None
        self.until(lambda: self.hash is not None and self.rev is not None, {"t": "check"})
        if self.hash[0] != self.hash[1]:
            self.fault(f"the view's hash is {self.hash[0]}, and {self.hash[1]} that of {self.view}")


def patched(document, ops):
    """RFC 6902, as far as the protocol has it."""
    document = json.loads(json.dumps(document))
    for op in ops:
        if op["op"] == "move":
            parent, key = _place(document, op["from"])
            value = parent.pop(key)
            _add(document, op["path"], value)
        elif op["op"] == "add":
            _add(document, op["path"], op["value"])
        elif op["op"] == "remove":
            parent, key = _place(document, op["path"])
            parent.pop(key)
        elif op["path"] == "":
            document = op["value"]
        else:
            parent, key = _place(document, op["path"])
            parent[key] = op["value"]
    return document


def _place(document, path):
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    for part in parts[:-1]:
        document = document[int(part) if isinstance(document, list) else part]
    return document, int(parts[-1]) if isinstance(document, list) and parts[-1] != "-" else parts[-1]


def _add(document, path, value):
    parent, key = _place(document, path)
    if isinstance(parent, list):
        parent.insert(len(parent) if key == "-" else key, value)
    else:
        parent[key] = value
