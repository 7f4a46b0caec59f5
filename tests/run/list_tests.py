# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""ctest's list of tests (--show-only=json-v1, standard input) as lines for a shell:
name, labels, seconds allowed, command line. RUN_SERIAL becomes the label "alone". With a folder as
argument the programs are taken from there instead of from the build folder. Where caches lie is the
caller's to say: the build folder may not be on the machine that runs a bundle, and NVIDIA's driver
then compiles each shader anew."""

import json
import os
import shlex
import sys


def main(folder):
    for test in json.load(sys.stdin)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test["properties"]}
        program, *arguments = test["command"]
        if folder:
            program = os.path.join(".", folder, os.path.basename(program))
        environment = [entry for entry in properties.get("ENVIRONMENT", []) if entry]
        environment = [entry for entry in environment if not entry.startswith("XDG_CACHE_HOME=")]
        line = shlex.join(["env", *environment, program, *arguments])
        seconds = round(properties.get("TIMEOUT", 300))
        labels = properties.get("LABELS", []) + ["alone"] * bool(properties.get("RUN_SERIAL"))
        print(test["name"], ",".join(labels), seconds, line, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
