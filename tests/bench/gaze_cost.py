#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the gaze source saliency costs the demo's frames, as a table in Markdown.

    tests/bench/gaze_cost.py build/release/sample_scene/fovea_demo --size 1920x1080 --frames 1500

A gaze that moves has other tiles than one that rests, so three are told apart: one that rests in the middle; the
path that the source has gone, replayed frame by frame from a record, so that nobody looks at pictures; and the source
itself, at 0.1 pictures a second (the path, and one picture), 5 and 60. They take turns, round after round. Given are
medians over the rounds: frames a second, how much more than the replay of its round a frame took, processor time of
all threads a frame, which is all there is on a software device, and of it what the source's thread had: the one that
has given way to the others (its nice value).
"""

import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

RECORD = "_run-1_recording-eye1_physio.tsv.gz"
RATES = (0.1, 5, 60)


def variants(record):
    yield "rests", ["--gaze", "0.5,0.5"]
    yield "replayed", ["--gaze", f"replay:{record}{RECORD}"]
    for rate in RATES:
        yield f"saliency, {rate} a second", ["--gaze", "saliency", "--set", f"gaze.saliency.rate_hz={rate}"]


def thread_times(pid):
    """Seconds of processor time of each thread so far, and its nice value."""
    times = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            nice = int((task / "stat").read_text().rsplit(")", 1)[1].split()[16])
            times[task.name] = (int((task / "schedstat").read_text().split()[0]) * 1e-9, nice)
        except OSError:
            pass  # it has ended
    return times


def run(arguments, extra, folder):
    command = [arguments.demo, "--size", arguments.size, "--frames", str(arguments.frames), "--no-video", "--quiet"]
    command += ["--backend", arguments.backend, "--output", f"{folder}/out", *extra]
    environment = os.environ | {"FOVEA_CONFIG": f"{folder}/fovea.json"}
    with open(f"{folder}/said", "w+") as said:
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environment)
        times = {}
        while child.poll() is None:
            times.update(thread_times(child.pid))
            time.sleep(0.02)
        said.seek(0)
        text = said.read()
    speed = re.search(r"speed +([\d.]+) fps", text)
    if child.returncode != 0 or not speed:
        raise SystemExit(f"{' '.join(command)}: {text}")
    frame_ms = 1e3 / arguments.frames
    everything = sum(seconds for seconds, _ in times.values()) * frame_ms
    looking = sum(seconds for seconds, nice in times.values() if nice > 0) * frame_ms
    return 1e3 / float(speed[1]), everything, looking


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demo")
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--frames", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backend", default="auto")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "fovea.json").write_text('{"version": 1}')
        record = f"{folder}/path"
        run(arguments, ["--gaze", "saliency", "--set", f"record.file={record}"], folder)
        rounds = [{name: run(arguments, extra, folder) for name, extra in variants(record)}
                  for _ in range(arguments.rounds)]
    print("| gaze | frames a second | a frame, than replayed | processor, ms a frame | of it the source's thread |")
    print("|---|---|---|---|---|")
    for name in rounds[0]:
        frame, everything, looking = (statistics.median(r[name][i] for r in rounds) for i in range(3))
        more = statistics.median(r[name][0] / r["replayed"][0] - 1 for r in rounds)
        print(f"| {name} | {1e3 / frame:.1f} | {more:+.1%} | {everything:.3f} | {looking:.3f} |")


if __name__ == "__main__":
    main()
