"""Holds docs/client.py against views as deep as the server shows them, and against a server that cannot read a message.

usage: content.py URL APP
"""
import asyncio, importlib.util, json, pathlib, sys

path = pathlib.Path(__file__).parents[2] / "docs/client.py"
spec = importlib.util.spec_from_file_location("client", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


async def settle(client, running):
    while not client.is_settled():
        assert not running.done(), f"the client has ended: {running.result()}"
        client.changed.clear()
        await asyncio.wait_for(client.changed.wait(), 60)


def depth(value):
    levels = 0
    while isinstance(value, list): value, levels = value[0], levels + 1
    return levels


async def main(url, app):
    client = module.Client(url, app=app)
    running = asyncio.ensure_future(client.run())
    for levels in (60, 500):
        await client.act({"nest": levels})
        await client.act("increment")
        await settle(client, running)
        assert depth(client.view["nodes"]["1"]["state"]["content"]) == levels, levels
    assert not client.refused, client.refused
    # What the server cannot read ends two connections, and then costs its action alone.
    await client.act("increment")
    await client.act("increment")
    await settle(client, running)
    client.outbox[client.given + 1] = '{"t":"act"'
    client.given += 1
    await client.flush()
    assert await running == 4400 and client.session and len(client.outbox) == 1
    assert await client.run() == 4400 and client.session and len(client.outbox) == 1
    running = asyncio.ensure_future(client.run())
    await settle(client, running)
    assert [nack["code"] for nack in client.refused] == ["gone"], client.refused
    # Of two that come together the good one is done: what is blamed is what comes after it.
    client.given += 2
    client.outbox[client.given - 1] = json.dumps({"t": "act", "n": client.given - 1, "to": "", "a": "increment"})
    client.outbox[client.given] = '{"t":"act"'
    await client.flush()
    for _ in range(2):
        assert await running == 4400 and client.session and client.given in client.outbox, client.outbox
        running = asyncio.ensure_future(client.run())
    await settle(client, running)
    assert [nack["code"] for nack in client.refused] == ["gone", "gone"], client.refused
    await client.act("increment")
    await settle(client, running)
    assert client.view["nodes"]["1"]["state"]["count"] == 6, client.view["nodes"]["1"]["state"]["count"]
    print(json.dumps({"refused": len(client.refused), "unknown": len(client.unknown)}))
    await client.say('{"t":"bye"}')
    await asyncio.wait([running], timeout=2)


asyncio.run(main(sys.argv[1], sys.argv[2]))
