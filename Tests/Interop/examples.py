"""Holds the examples of PROTOCOL.md against a server.

usage: examples.py PORT [NUMBER…]
Replays the blocks of the document, or those with these numbers, counted from 1; PROTOCOL.md says what is compared and
what is filled in. Prints all messages as validate.py reads them; ends with 1 and the first line that differs.
"""
import asyncio
import json
import pathlib
import re
import sys

from websockets.asyncio.client import connect

PROTOCOL = pathlib.Path(__file__).parents[2] / "PROTOCOL.md"
DIFFERENT = {"sid", "token", "epoch", "build", "durability", "message"}
FILLED_IN = {"sid", "token", "epoch", "share"}


def comparable(value):
    """A message without what differs from run to run."""
    if isinstance(value, list):
        return [comparable(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        key: "…" if key in DIFFERENT and isinstance(member, str) else comparable(member)
        for key, member in value.items()
    }


def filled_in(value, said: dict):
    """A client's message with what the server has said."""
    if isinstance(value, list):
        return [filled_in(element, said) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        key: said[key] if key in FILLED_IN and isinstance(member, str) else filled_in(member, said)
        for key, member in value.items()
    }


def remember(message: dict, said: dict) -> None:
    if message.get("t") == "share":
        said["share"] = message["token"]
    else:
        said.update({key: message[key] for key in FILLED_IN & message.keys()})


async def replay(url: str, lines: list[str]) -> None:
    said: dict = {}
    socket = await connect(url, subprotocols=["riblet.v1.json"])
    for line in lines:
        if line == "--":
            await socket.close(1001)
            socket = await connect(url, subprotocols=["riblet.v1.json"])
            continue
        side, text = line[0], json.loads(line[2:])
        if side == "C":
            message = filled_in(text, said)
            await socket.send(json.dumps(message))
        else:
            message = json.loads(await asyncio.wait_for(socket.recv(), 10))
            if comparable(message) != comparable(text):
                sys.exit(f"the document has {line}\nthe server said {json.dumps(message, ensure_ascii=False)}")
            remember(message, said)
        print(json.dumps({"from": side, "message": message}))
    await socket.close()


async def main(port: str, *numbers: str) -> None:
    blocks = re.findall(r"^```text\n(.*?)^```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for number, block in enumerate(blocks, 1):
        if not numbers or str(number) in numbers:
            await replay(f"ws://127.0.0.1:{port}/v1/socket", block.splitlines())


asyncio.run(main(*sys.argv[1:]))
