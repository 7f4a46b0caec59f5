#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What layers cost a Vulkan program: CPU time and wall time a frame, as a table in Markdown.

    tests/layer/cost.py build/plugin/layer/libVkLayer_fovea.so

runs vkcube (or --program) on the X display (DISPLAY, or an Xvfb of its own) with each of the layers in turn,
round after round, so that a busy moment of the machine hits all of them. A run is made twice, with few frames
and with many, and the difference divided by the frames between: what starting costs is not in it. Given are
medians over the rounds, for each row the median of what it is above "no layer" of the same round with the
quartiles of that, and the least CPU time of all rounds, which a busy machine disturbs the least. On a software
Vulkan device the GPU's work is CPU time of the same process, and is in both.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from layer_manifest import FILE, manifest

FEW_FRAMES = 20
# The published model, whose blur is the dearest.
FOVEA = "gaze.source=fixed,gaze.fixed.x=0.3,gaze.fixed.y=0.3,overlay.hud=false,foveation.model=paper"
BLOCKWISE = "foveation.method=blockwise"
LOST = "gaze.source=udp,gaze.udp.port=0,gaze.validity.fallback=none"

# name -> (environment, part of the frames: dear ones get fewer)
VARIANTS = {
    "no layer": ({}, 1.0),
    "Fovea installed, off": ({"INSTALLED": "1"}, 1.0),
    "MangoHud": ({"MANGOHUD": "1"}, 1.0),
    "vkBasalt, cas": ({"ENABLE_VKBASALT": "1"}, 0.1),
    "Fovea, strength 0": ({"FOVEA_ENABLE": "1", "FOVEA_SET": f"{FOVEA},backend=vulkan,foveation.strength=0"}, 1.0),
    "Fovea, gaze lost": ({"FOVEA_ENABLE": "1", "FOVEA_SET": f"backend=vulkan,{LOST}"}, 1.0),
    "Fovea, vulkan backend": ({"FOVEA_ENABLE": "1", "FOVEA_SET": f"{FOVEA},backend=vulkan"}, 0.01),
    "Fovea, cpu backend": ({"FOVEA_ENABLE": "1", "FOVEA_SET": f"{FOVEA},backend=cpu"}, 0.05),
    "Fovea, cpu, blockwise": ({"FOVEA_ENABLE": "1", "FOVEA_SET": f"{FOVEA},{BLOCKWISE},backend=cpu"}, 0.1),
}


def prepare(folder, library):
    layers = folder / "installed" / "vulkan" / "implicit_layer.d"
    layers.mkdir(parents=True)
    (layers / FILE).write_text(manifest(library))
    (folder / "empty").mkdir()
    (folder / "vkBasalt.conf").write_text("effects = cas\n")


def environment(folder, variables):
    installed = "INSTALLED" in variables or "FOVEA_ENABLE" in variables
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FOVEA_", "MANGOHUD", "ENABLE_VKBASALT"))}
    env["XDG_DATA_HOME"] = str(folder / ("installed" if installed else "empty"))
    env["XDG_CACHE_HOME"] = str(folder / "cache")
    env["VKBASALT_CONFIG_FILE"] = str(folder / "vkBasalt.conf")
    return env | variables


def run(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}: {done.stderr[-500:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(arguments, folder, name):
    """-> ms of wall time and of CPU time a frame"""
    variables, part = VARIANTS[name]
    env = environment(folder, variables)
    frames = max(int(arguments.frames * part), 5)
    few = max(int(FEW_FRAMES * part), 3)
    times = []
    for count in (few, few + frames):
        command = [word.replace("{frames}", str(count)) for word in arguments.program.split()]
        times.append(run(command, env))
    return [1e3 * (many - few) / frames for few, many in zip(*times)]


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
    return low, middle, high


def percent(base, values):
    low, middle, high = (100 * q for q in quartiles([v / b - 1 for b, v in zip(base, values)]))
    return f"{middle:+.1f} % ({low:+.1f} to {high:+.1f})"


def table(results):
    lines = [
        "| | frame, ms | above no layer, quartiles | CPU time a frame, ms | above no layer, quartiles | least, ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    wall_0, cpu_0 = zip(*results["no layer"])
    for name, rows in results.items():
        wall, cpu = zip(*rows)
        lines.append(
            f"| {name} | {statistics.median(wall):.3f} | {percent(wall_0, wall)} "
            f"| {statistics.median(cpu):.3f} | {percent(cpu_0, cpu)} | {min(cpu):.3f} |"
        )
    return "\n".join(lines)


def start_display():
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x800x24"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    with os.fdopen(read_end) as numbers:
        os.environ["DISPLAY"] = ":" + numbers.readline().strip()
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("library", type=Path, help="libVkLayer_fovea.so")
    parser.add_argument("--program", default="vkcube --c {frames} --present_mode 0")
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help="names of rows, semicolons between; 'no layer' is always one")
    arguments = parser.parse_args()
    names = [n for n in VARIANTS if n == "no layer" or not arguments.only or n in arguments.only.split(";")]
    server = None if os.environ.get("DISPLAY") else start_display()
    folder = Path(tempfile.mkdtemp(prefix="fovea-cost-"))
    try:
        prepare(folder, arguments.library.resolve(strict=True))
        results = {name: [] for name in names}
        for turn in range(arguments.rounds):
            # Every other round backwards: what comes first after a pause is not always the same.
            for name in names if turn % 2 == 0 else reversed(names):
                results[name].append(measure(arguments, folder, name))
            print(f"round {turn + 1} of {arguments.rounds}", file=sys.stderr)
        print(table(results))
    finally:
        shutil.rmtree(folder)
        if server:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
