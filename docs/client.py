"""A whole client: no action is lost or done twice, however often the connection or the server dies.

usage: client.py ws://127.0.0.1:8080/v1/socket APP COUNT
"""
import asyncio, json, random, sys
from urllib.parse import quote, urlsplit
import jsonpatch
from websockets.asyncio.client import connect


class Client:
    def __init__(self, url, auth=None, **hello):  # app="counter", and params={…} if it has some; or share="…"
        self.url, self.auth, self.hello, self.socket, self.delay = url, auth, hello, None, 0.1  # await auth(): a credential
        self.refusals = 0  # attempts in a row whose credential was not taken
        self.refused, self.unknown, self.changed = [], [], asyncio.Event()  # what to tell the user
        self.begin()

    def begin(self):  # rev is None as long as there is no view that a patch could be for
        self.session, self.attempt, self.given, self.sent, self.outbox = None, 0, 0, 0, {}
        self.view, self.epoch, self.rev, self.newest, self.limit = None, "", None, 1, 65_536
        self.blamed = 0  # the action over which the server has probably ended a connection
        self.has_ended = False  # a close frame 1000 without a bye is a proxy's

    async def act(self, action, to=""):
        text = json.dumps({"t": "act", "n": self.given + 1, "to": to, "a": action})
        if 0 < self.limit < len(text.encode()): raise ValueError(f"the server takes messages of {self.limit} bytes")
        self.given += 1
        self.outbox[self.given] = text
        await self.flush()

    def is_settled(self):  # whether all is answered, and the view shows it
        return not self.outbox and self.rev is not None and self.rev >= self.newest

    async def flush(self):  # the only one that sends actions: in order, what is above the last sent
        while self.socket and (number := min((k for k in self.outbox if k > self.sent), default=0)):
            self.sent = number
            await self.say(self.outbox[number])

    async def say(self, text):
        try:
            if self.socket: await self.socket.send(text)
        except Exception: self.socket = None  # what is in the outbox is said again after the next welcome

    async def run(self):
        while True:
            code, self.is_live = 1006, False
            try:  # WebSocket's own pings find out who is silent
                async with connect(self.address(), subprotocols=["riblet.v1.json"], max_size=None) as socket:
                    await socket.send(json.dumps({"t": "hello", **(self.resume() or self.hello), **await self.credential("auth")}))
                    async for text in socket:
                        for message in (said if isinstance(said := json.loads(text), list) else [said]):
                            await self.receive(message, socket)
                    code = socket.close_code or 1006
            except Exception as error: code = getattr(getattr(error, "rcvd", None), "code", 1006)
            is_unread = code in (4400, 1002, 1003, 1007, 1009)  # all is kept: who calls run() again goes on with it
            if is_unread and self.is_live and self.outbox: self.blame(min(self.outbox))
            self.socket = None
            is_over = 4400 < code < 4500 or code == 1000 and self.has_ended
            if is_over or 4200 <= code < 4300:  # the session is gone: done or not, nobody can say
                self.unknown += map(json.loads, self.outbox.values())
                self.begin()
            self.refusals += 4300 <= code < 4400
            if is_over or is_unread or self.refusals == 3: return code
            self.delay = min(2 * self.delay, 10)
            await asyncio.sleep(random.uniform(0, self.delay) + (2 if 4100 <= code < 4200 else 0))

    def blame(self, number):  # of the action that is there the second time only the number is sent again
        if number == self.blamed: self.outbox[number] = json.dumps({"t": "act", "n": number, "to": 0, "a": None})
        self.blamed = number

    def address(self):  # names the session, if there is one already: a load balancer may choose the server by it
        id, dot, _ = str(self.hello.get("share", "")).partition(".")
        sid = self.session["sid"] if self.session else id if dot else ""
        if not sid: return self.url
        url = urlsplit(self.url)
        kept = [part for part in url.query.split("&") if part and part.partition("=")[0] != "sid"]
        return url._replace(query="&".join([*kept, "sid=" + quote(sid, safe="", errors="replace")])).geturl()

    async def credential(self, key): return {key: await self.auth()} if self.auth else {}

    async def renew(self, socket, expires):  # at four fifths of the time, and not all clients at once
        await asyncio.sleep(max(expires / 1000 * random.uniform(0.75, 0.85), 10))
        if self.socket is socket: await self.say(json.dumps({"t": "auth", **await self.credential("token")}))

    def resume(self):
        if not self.session: return {}
        self.attempt += 1
        return {"resume": {**self.session, "try": self.attempt, "epoch": self.epoch, "rev": self.rev or 0}}

    async def receive(self, message, socket):
        kind, n = message["t"], message.get("n", 0)
        for nack in message.get("nacks", []) + [message] * (kind == "nack"):  # before n covers what it refuses
            if self.outbox.pop(nack["n"], None): self.refused.append(nack)
        if message.get("nacksOmitted"):  # refused or done: the server does not know it any more
            told = min([nack["n"] for nack in message["nacks"]], default=n + 1)
            self.unknown += [json.loads(self.outbox.pop(k)) for k in sorted(self.outbox) if k < told and k <= n]
        expires = message.get("auth", message if kind == "auth" else {}).get("expires")
        if self.auth and expires is not None: asyncio.ensure_future(self.renew(socket, expires))
        if kind == "auth" and "token" in message: self.session["token"] = message["token"]
        for done in [number for number in self.outbox if number <= n]: del self.outbox[done]
        if kind == "welcome":
            self.session, self.delay = {key: message[key] for key in ("sid", "cid", "token")}, 0.1
            self.refusals, self.is_live = 0, True
            self.socket, self.sent, self.newest = socket, n, message["rev"]
            self.limit = message["limits"]["messageBytes"]
            if message["epoch"] != self.epoch: self.rev = None
            await self.flush()
        elif kind == "bye": self.has_ended = True
        elif kind == "snap": self.view, self.epoch, self.rev = message["view"], message["epoch"], message["rev"]
        elif kind == "patch" and self.rev is not None:
            try:
                if message["base"] != self.rev: raise jsonpatch.JsonPatchException("a patch is missing")
                copy = json.loads(json.dumps(self.view))  # jsonpatch's own copy takes less deep views than the server sends
                self.view, self.rev = jsonpatch.apply_patch(copy, message["ops"], in_place=True), message["rev"]
            except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
                self.rev = None  # so one is outstanding at most
                await self.say('{"t":"resync"}')
        if kind in ("patch", "nack"): await self.say(json.dumps({"t": "ack", "rev": self.rev or 0, "n": n}))
        self.changed.set()


async def main(url, app, count):
    client = Client(url, app=app)
    running = asyncio.ensure_future(client.run())
    for number in range(count):
        await client.act("increment")
        while not running.done() and (len(client.outbox) > 64 or number + 1 == count and not client.is_settled()):
            client.changed.clear()
            await asyncio.wait([running, asyncio.ensure_future(client.changed.wait())], return_when="FIRST_COMPLETED")
    print(json.dumps({"view": client.view, "refused": client.refused, "unknown": client.unknown}, sort_keys=True))
    await client.say('{"t":"bye"}')
    await asyncio.wait([running], timeout=2)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
