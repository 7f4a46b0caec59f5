# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Names the tests that failed, of JUnit's files, and shows how each ended. Fails if none did."""

import sys
import xml.etree.ElementTree as tree
from pathlib import Path

LINES = 60  # of all tests that failed, of which so many are shown
TESTS = 12
COLUMNS = 160


def end_of(text, lines):
    """A sanitizer's picture of the memory and cases that passed say nothing."""
    kept, in_shadow = [], False
    for line in text.splitlines():
        in_shadow = (in_shadow or line.startswith("Shadow bytes")) and not line.startswith("==")
        if line.strip() and not in_shadow and not line.startswith(("[ RUN      ]", "[       OK ]")):
            kept.append(line[:COLUMNS])
    return kept[-lines:]


def main():
    failed = {}
    for path in filter(Path.exists, map(Path, sys.argv[1:])):
        for case in tree.parse(path).iter("testcase"):
            wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
            if wrong is not None:
                failed[f"{case.get('classname')}: {case.get('name')}"] = wrong.text or case.findtext("system-out") or ""
    names = list(failed)
    for name in names[:TESTS]:
        print(f"== {name}", *end_of(failed[name], LINES // len(names[:TESTS])), sep="\n")
    if names[TESTS:]:
        print(f"== {len(names) - TESTS} more:", ", ".join(names[TESTS:])[:1000])
    return not failed


if __name__ == "__main__":
    sys.exit(main())
