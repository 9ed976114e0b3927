"""Applies patches with PyPI's jsonpatch.

usage: patches.py FILE
Each line of the file is an array: a view, then by turns the operations of a patch and the view that they must make of
the one before. Views are compared as text, with sorted keys. Prints how many patches were applied; ends with 1 and the
first line that differs.
"""
import json
import sys

import jsonpatch


def text(value) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


applied = 0
with open(sys.argv[1], encoding="utf-8") as lines:
    for number, line in enumerate(lines, 1):
        view, *steps = json.loads(line)
        for operations, expected in zip(steps[::2], steps[1::2]):
            before = text(view)
            view = jsonpatch.apply_patch(view, operations)
            if text(view) != text(expected):
                sys.exit(f"line {number}: {before}\nby {text(operations)}\nis {text(view)}\nnot {text(expected)}")
            applied += 1
print(applied)
