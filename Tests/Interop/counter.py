"""A client that knows nothing of RibServer but its wire: PyPI's websockets and jsonpatch.

usage: counter.py PORT ACTIONS
Two sessions side by side; each sends its actions and applies every patch. A repeated last action makes the server say
its present revision; a fresh snapshot is not needed to compare, for the count is known.
"""
import asyncio
import json
import sys

import jsonpatch
import websockets


async def session(port: str, actions: int, case: str) -> dict:
    async with websockets.connect(f"ws://127.0.0.1:{port}/v1/socket", subprotocols=["riblet.v1.json"]) as socket:
        assert socket.subprotocol == "riblet.v1.json"
        await socket.send(json.dumps({"t": "hello", "app": "counter"}))
        welcome = json.loads(await socket.recv())
        assert welcome["t"] == "welcome" and welcome["rev"] == 1, welcome
        snap = json.loads(await socket.recv())
        assert snap["t"] == "snap" and snap["epoch"] == welcome["epoch"], snap
        view, revision = snap["view"], snap["rev"]
        for n in range(1, actions + 1):
            await socket.send(json.dumps({"t": "act", "n": n, "to": 1, "a": {case: {}}}))
        covered = 0
        while covered < actions:
            patch = json.loads(await socket.recv())
            assert patch["t"] == "patch" and patch["base"] == revision and patch["n"] == covered + 1, patch
            view = jsonpatch.apply_patch(view, patch["ops"])
            revision, covered = patch["rev"], patch["n"]
        await socket.send(json.dumps({"t": "bye"}))
        bye = json.loads(await socket.recv())
        assert bye == {"t": "bye", "code": "ended", "message": "Goodbye."}, bye
        try:
            await socket.recv()
            raise AssertionError("a bye is followed by the close")
        except websockets.ConnectionClosedOK:
            pass
        return {"sid": welcome["sid"], "view": view}


async def main() -> None:
    port, actions = sys.argv[1], int(sys.argv[2])
    up, down = await asyncio.gather(session(port, actions, "increment"), session(port, actions, "decrement"))
    assert up["sid"] != down["sid"]
    print(json.dumps({"up": up["view"], "down": down["view"]}, sort_keys=True, separators=(",", ":")))


asyncio.run(main())
