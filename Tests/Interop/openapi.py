"""Validates the description of the HTTP twin with PyPI's openapi-spec-validator, and compares it with the schema of the messages.

usage: openapi.py
A schema that the description of the HTTP twin takes from the messages' has their name and is the same. Prints how many
there are; ends with 1 and the first that differs.
"""
import json
import pathlib
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator

docs = pathlib.Path(__file__).parents[2] / "docs"
description = json.loads((docs.parent / "Sources/RibServer/HTTP/openapi.json").read_text(encoding="utf-8"))
messages = json.loads((docs / "riblet.v1.schema.json").read_text(encoding="utf-8"))["$defs"]


def moved(schema):
    """A schema of the messages' as it stands in the description."""
    if isinstance(schema, list):
        return [moved(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: moved(value) for key, value in schema.items()}
    if isinstance(schema.get("$ref"), str):
        schema["$ref"] = schema["$ref"].replace("#/$defs/", "#/components/schemas/")
    return schema


for error in OpenAPIV31SpecValidator(description).iter_errors():
    sys.exit(f"openapi.json: {error}")
shared = [name for name in description["components"]["schemas"] if name in messages]
for name in shared:
    if description["components"]["schemas"][name] != moved(messages[name]):
        sys.exit(f'openapi.json: the schema "{name}" differs from the messages\'')
hello = moved(messages["hello"])["properties"]
for key, schema in description["components"]["schemas"]["NewSession"]["properties"].items():
    if schema != hello.get(key):
        sys.exit(f'openapi.json: "{key}" of NewSession differs from hello\'s')
print(len(shared))
