"""Validates messages against docs/riblet.v1.schema.json with PyPI's jsonschema.

usage: validate.py < LINES
Each line is {"from":"C","message":…} for what a client sends, or "S" for what the server sends; an array of messages
counts as its messages. Prints how many are valid; or the first ten violations, and ends with 1.
"""
import json
import pathlib
import sys

import jsonschema

path = pathlib.Path(__file__).parents[2] / "docs/riblet.v1.schema.json"
schema = json.loads(path.read_text(encoding="utf-8"))
definitions = schema["$defs"]
jsonschema.Draft202012Validator.check_schema(schema)


def validators(side: str) -> dict:
    """One for each kind of message: "not valid under any of the given schemas" would help nobody."""
    names = [choice["$ref"].rpartition("/")[2] for choice in definitions[side]["oneOf"]]
    return {
        definitions[name]["properties"]["t"]["const"]: jsonschema.Draft202012Validator(
            {"$ref": f"#/$defs/{name}", "$defs": definitions})
        for name in names
    }


kinds = {"C": validators("client"), "S": validators("server")}
count = 0
violations = []
for number, line in enumerate(sys.stdin, 1):
    if not line.strip():
        continue
    entry = json.loads(line)
    messages = entry["message"] if isinstance(entry["message"], list) else [entry["message"]]
    for message in messages:
        count += 1
        place = f"line {number}, {entry['from']} {json.dumps(message, ensure_ascii=False)[:200]}"
        kind = message.get("t") if isinstance(message, dict) else None
        if not isinstance(kind, str) or kind not in kinds[entry["from"]]:
            violations.append(f"{place}\n  no message has the t {json.dumps(kind)}")
            continue
        for error in kinds[entry["from"]][kind].iter_errors(message):
            violations.append(f"{place}\n  at {error.json_path}: {error.message[:200]}")
if violations:
    more = f"\n… and {len(violations) - 10} more" if len(violations) > 10 else ""
    sys.exit("\n".join(violations[:10]) + more)
print(count)
