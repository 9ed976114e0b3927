"""Plays every operation of the HTTP twin, right and wrong, and validates what comes back against its own description.

usage: twin.py PORT
The description is the one that the server serves. Prints, for each operation, the statuses that were seen; ends with 1 and
the first answer that is not as described.
"""
import http.client
import json
import sys

import jsonschema

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=300)
connection.request("GET", "/v1/openapi.json")
description = json.load(connection.getresponse())
seen: dict[str, set[int]] = {}


def resolved(value: dict) -> dict:
    """What a reference in the description stands for."""
    while "$ref" in value:
        path, value = value["$ref"], description
        for part in path.removeprefix("#/").split("/"):
            value = value[part]
    return value


def check(schema: dict, value, place: str) -> None:
    whole = {**schema, "components": description["components"]}
    for error in jsonschema.Draft202012Validator(whole).iter_errors(value):
        sys.exit(f"{place}: at {error.json_path}: {error.message[:300]}\n{json.dumps(value)[:400]}")


def play(path: str, method: str, expected: int, sid="", body=None, **headers):
    """Sends a request, and validates the answer; its JSON, and the answer."""
    operation = description["paths"][path][method]
    if body is not None and expected < 400:
        check(resolved(operation["requestBody"])["content"]["application/json"]["schema"], body, f"{method} {path}")
    text = None if body is None else json.dumps(body)
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method.upper(), path.replace("{sid}", sid).replace("{app}", sid), text, fields)
    answer = connection.getresponse()
    place = f"{method} {path}: {answer.status}"
    if answer.status != expected:
        sys.exit(f"{place} instead of {expected}: {answer.read()[:300]!r}")
    described = resolved(operation["responses"].get(str(answer.status)) or operation["responses"]["default"])
    seen.setdefault(f"{method} {path}", set()).add(answer.status)
    for name, header in described.get("headers", {}).items():
        if answer.headers[name] is None:
            sys.exit(f"{place}: there is no {name}")
        check(resolved(header).get("schema", {}), answer.headers[name], f"{place}: {name}")
    content = described.get("content")
    if content is None:
        if answer.read():
            sys.exit(f"{place}: it has a body")
        return None, answer
    media = (answer.headers["Content-Type"] or "").split(";")[0]
    if media not in content:
        sys.exit(f"{place}: the body is {media}")
    if media == "text/event-stream":
        return None, answer
    value = json.loads(answer.read())
    check(content[media]["schema"], value, place)
    return value, answer


apps, schema, sessions, session, actions, view, auth, events, joined = description["paths"]
for app in play(apps, "get", 200)[0]["apps"]:
    if app == "members":  # for who has signed in, which nobody can here
        play(sessions, "post", 401, body={"app": app})
        continue
    shown = play(sessions, "post", 201, body={"app": app})[0]["view"]
    types = play(schema, "get", 200, app)[0]["types"]
    for node in shown["nodes"].values():
        for part in types[node["type"]].values():
            jsonschema.Draft202012Validator.check_schema(part)
        jsonschema.validate(node["state"], types[node["type"]]["state"], jsonschema.Draft202012Validator)
play(schema, "get", 404, "none")
taken = play(schema, "get", 200, "counter")[0]["types"]["Counter"]["action"]
for action, is_taken in [("increment", True), ({"increment": {}}, True), ({"increment": 1}, False), ("explode", False)]:
    if jsonschema.Draft202012Validator(taken).is_valid(action) != is_taken:
        sys.exit(f"the schema of counter's actions is wrong about {action}")
increment = {"to": 1, "a": "increment"}
made, _ = play(sessions, "post", 201, body={"app": "counter", "client": {"name": "twin.py"}})
sid, token = made["sid"], {"Riblet-Token": made['token']}
for body, status in [({"app": "none"}, 404), ({"share": f"{sid}.x"}, 403), ([], 400), ({"app": "x" * 70_000}, 413)]:
    play(sessions, "post", status, body=body)
acts = [increment, {"to": 7, "a": "increment"}, {"t": "back", "to": 1}]
done, _ = play(actions, "post", 200, sid, acts, Idempotency_Key='"1"', **token)
if (done["n"], [nack["code"] for nack in done["nacks"]]) != (3, ["gone"]):
    sys.exit(f"{done}")
play(actions, "post", 400, sid, {"a": 1}, Idempotency_Key='"4"', **token)
play(actions, "post", 409, sid, increment, Idempotency_Key='"9"', **token)
play(actions, "post", 413, sid, [increment] * 300, Idempotency_Key='"4"', **token)
_, shown = play(view, "get", 200, sid, **token)
play(view, "get", 304, sid, If_None_Match=shown.headers["ETag"], **token)
# This server does not want to know who anybody is.
play(auth, "put", 401, sid, {"auth": "x"})
play(auth, "put", 404, sid, {"auth": "x"}, **token)
for path, method in [(view, "get"), (events, "get"), (session, "delete")]:
    play(path, method, 401, sid)
    play(path, method, 404, "none", **token)
play(actions, "post", 401, sid, increment, Idempotency_Key='"4"')
play(actions, "post", 404, "none", increment, Idempotency_Key='"4"', **token)
_, stream = play(events, "get", 200, sid, **token)
for _ in range(2):
    lines = iter(lambda: stream.readline().decode().rstrip("\n"), "")
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    check({"$ref": "#/components/schemas/server"}, json.loads(data[0]), "an event")
connection.close()
_, stream = play(joined, "post", 200, body={"resume": [{"sid": sid, "token": made["token"]}]})
lines = [stream.readline().decode().rstrip("\n") for _ in range(2)]
if lines[0] != "event: 0":
    sys.exit(f"the first event begins with {lines[0]}")
check({"$ref": "#/components/schemas/server"}, json.loads(lines[1].removeprefix("data: ")), "a joined event")
connection.close()
play(joined, "post", 400, body={"resume": []})
play(session, "delete", 204, sid, **token)
for operation, statuses in sorted(seen.items()):
    print(operation, *sorted(statuses))
