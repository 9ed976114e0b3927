"""A client of riblet.v1.json (PROTOCOL.md): no action is lost, and none is done twice.

usage: client.py ws://127.0.0.1:8080/v1/socket APP COUNT
Does "increment" COUNT times; prints the view and what was refused, is unknown or was lost, as a line of JSON.
"""
import asyncio, json, random, sys, time
import jsonpatch
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException


class Client:
    def __init__(self, url, **hello):  # hello is app="counter", and params={…} if it has some; or share="…"
        self.url, self.hello, self.socket = url, hello, None
        self.refused, self.unknown, self.lost = [], [], 0  # what to tell the user
        self.changed, self.delay, self.resyncs = asyncio.Event(), 0.1, []
        self.begin_anew()

    def begin_anew(self):
        self.session, self.attempt = None, 0
        self.view, self.epoch, self.rev, self.newest = None, "", 0, 1  # rev 0: there is no view, and a snap will come
        self.outbox, self.given, self.sent, self.covered = {}, 0, 0, 0  # the last numbers given, sent and answered

    async def until(self, condition):
        while not condition():
            self.changed.clear()
            await self.changed.wait()

    async def act(self, action, to=""):
        await self.until(lambda: len(self.outbox) < 64)
        self.given += 1
        self.outbox[self.given] = {"to": to, "a": action}
        self.changed.set()

    def is_settled(self):
        return not self.outbox and self.rev >= self.newest

    async def run(self):
        """Connects, and again whenever the connection ends, until a close code says not to."""
        while True:
            code = 0  # of a cut
            try:
                options = {"max_size": None, "ping_interval": None, "close_timeout": 1}
                async with connect(self.url, subprotocols=["riblet.v1.json"], **options) as self.socket:
                    await self.converse()
            except ConnectionClosed as end:
                code = end.rcvd.code if end.rcvd else 0
            except (OSError, WebSocketException, asyncio.TimeoutError):
                pass
            comes_back = code not in (1000, 1002, 1003, 1007, 1009) and code // 100 != 44
            if code // 100 == 42 or not comes_back:  # the session is gone, or nobody's to go on with
                self.unknown += self.outbox.values()
                self.begin_anew()
            if not comes_back:
                return code
            await asyncio.sleep(random.uniform(0, self.delay) + (5 if code // 100 == 41 else 0))
            self.delay = min(self.delay * 2, 10)

    async def converse(self):
        hello, silence, tasks = self.hello, 20, []
        if self.session:
            self.attempt += 1
            hello = {"resume": {**self.session, "try": self.attempt, "epoch": self.epoch, "rev": self.rev}}
        await self.say({"t": "hello", **hello})
        try:
            while True:
                received = json.loads(await asyncio.wait_for(self.socket.recv(), silence))
                for message in received if isinstance(received, list) else [received]:
                    await self.receive(message)
                    if message["t"] == "welcome":
                        heartbeat = message["heartbeat"] / 1000
                        silence = heartbeat + 10
                        tasks = [asyncio.ensure_future(self.send()), asyncio.ensure_future(self.ping(heartbeat))]
                self.changed.set()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def say(self, message):
        await self.socket.send(json.dumps(message))

    async def send(self):
        """Sends, in order, what is in the outbox and was not sent on this connection."""
        while True:
            await self.until(lambda: self.sent < self.given)
            self.sent += 1
            seen = {"rev": self.rev, "n": self.covered}
            await self.say({"t": "act", "n": self.sent, **self.outbox[self.sent], "ack": seen})

    async def ping(self, heartbeat):
        while True:
            await asyncio.sleep(heartbeat)
            await self.say([{"t": "ack", "rev": self.rev, "n": self.covered}, {"t": "ping"}])

    async def receive(self, m):
        if m["t"] == "welcome":
            self.resume(m)
        elif m["t"] == "nack":
            self.refuse(m)
        elif m["t"] == "snap":
            self.view, self.epoch, self.rev = m["view"], m["epoch"], m["rev"]
        elif m["t"] == "patch" and self.rev:
            await self.apply(m)
        elif m["t"] == "drain":
            asyncio.get_running_loop().call_later(random.uniform(0, m["within"] / 1000), self.leave, self.socket)
        if "n" in m:  # actions up to n are done, unless they were refused before
            self.covered = max(self.covered, m["n"])
            self.outbox = {n: act for n, act in self.outbox.items() if n > self.covered}

    def resume(self, welcome):
        if welcome["n"] < self.covered:  # the server has lost more than its durability covers
            self.lost, self.covered = self.lost + self.covered - welcome["n"], welcome["n"]
            self.outbox = dict(enumerate(self.outbox.values(), self.covered + 1))
            self.given = self.covered + len(self.outbox)
        self.session = {key: welcome[key] for key in ("sid", "cid", "token")}
        self.rev = self.rev if welcome["epoch"] == self.epoch else 0
        self.newest, self.sent, self.delay = welcome["rev"], welcome["n"], 0.1
        for nack in welcome["nacks"]:
            self.refuse(nack)

    def refuse(self, nack):
        if act := self.outbox.pop(nack["n"], None):
            self.refused.append({**act, "code": nack["code"], "message": nack["message"]})

    async def apply(self, patch):
        try:
            if patch["base"] != self.rev:
                raise jsonpatch.JsonPatchException("a patch is missing")
            self.view, self.rev = jsonpatch.apply_patch(self.view, patch["ops"]), patch["rev"]
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
            self.rev, now = 0, time.monotonic()  # so one resync is outstanding
            self.resyncs = [then for then in self.resyncs if now - then < 60] + [now]
            if len(self.resyncs) > 6:
                raise
            await self.say({"t": "resync"})

    def leave(self, socket):
        asyncio.ensure_future(socket.close(1001))


async def main(url, app, count):
    client = Client(url, app=app)

    async def work():
        for _ in range(count):
            await client.act("increment")
        await client.until(client.is_settled)

    running, working = asyncio.ensure_future(client.run()), asyncio.ensure_future(work())
    await asyncio.wait([running, working], return_when=asyncio.FIRST_COMPLETED)
    result = {"view": client.view, "refused": client.refused, "unknown": client.unknown, "lost": client.lost}
    print(json.dumps(result, sort_keys=True), flush=True)
    working.cancel()
    if not running.done():
        try:
            await client.say({"t": "bye"})
            await asyncio.wait_for(running, 2)
        except (ConnectionClosed, asyncio.TimeoutError):
            running.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
