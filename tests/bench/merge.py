#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Puts the rows of some runs of fovea_bench into one file, where a run is split by --only and --seconds.

    python3 tests/bench/merge.py docs/bench/blur-thesis.json 256.json 512.json ...

A row takes the place of the one of the same case; a case that was not timed takes none. What the file says of the machine becomes what
the last run says, and a row of another commit than that has its own.
"""

import json
import pathlib
import sys

CASE = ("table", "backend", "size", "mode", "format", "gaze", "pictures")


def merged(first, second):
    """The rows of both, by case, with the machine of the second."""
    rows = {}
    for data in (first, second):
        for row in data["rows"]:
            case = tuple(row.get(key) for key in CASE)
            if row["us"] > 0 or case not in rows:
                rows[case] = {"commit": data["machine"]["commit"], **row}
    machine = {**first["machine"], **second["machine"]}
    for row in rows.values():
        if row["commit"] == machine["commit"]:
            del row["commit"]
    return {**first, "machine": machine, "rows": list(rows.values()), "absent": {**first["absent"], **second["absent"]}}


def main():
    target = pathlib.Path(sys.argv[1])
    data = json.loads(target.read_text()) if target.exists() else None
    for name in sys.argv[2:]:
        own = json.loads(pathlib.Path(name).read_text())
        data = merged(data, own) if data else own
    target.write_text(json.dumps(data, indent="\t") + "\n")


if __name__ == "__main__":
    main()
