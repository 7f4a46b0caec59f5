# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Records of frames that Python shows, and runs that are the same again."""

import gzip
import json
import os
import re
import resource
import runpy
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from places import PACKAGE, ROOT

import fovea

IMAGE = np.random.default_rng(3).integers(0, 256, (60, 80, 3), dtype=np.uint8)
CONFIG = {"foveation.model": "paper", "foveation.strength": 1}


def rows_of(file, run=1):
    side = json.loads((file.parent / f"{file.name}_run-{run}_recording-eye1_physio.json").read_text())
    with gzip.open(file.parent / f"{file.name}_run-{run}_recording-eye1_physio.tsv.gz", "rt") as table:
        return side, [dict(zip(side["Columns"], line.rstrip("\n").split("\t"))) for line in table]


def test_a_loop_is_recorded_and_played_again(tmp_path):
    file, foveator = tmp_path / "sub-01_task-look", fovea.Foveator(CONFIG)
    foveator(IMAGE)  # starts its threads
    before = len(os.listdir("/proc/self/task"))
    seen, places = [], np.random.default_rng(1).random((6, 2))
    with fovea.Gaze("mouse") as gaze, fovea.Record(file, foveator) as record:
        for x, y in places:
            gaze.push(x, y)
            sample = gaze.read()._replace(vergence_m=0.8)
            seen.append(foveator(IMAGE, sample))
            at = time.monotonic_ns() if len(seen) == 1 else at + 20_000_000
            record.add(sample, IMAGE.shape, presented_t_ns=at, took_s=0.002, refresh_s=0.01)
        record.set_config({**CONFIG, "foveation.strength": 2})
        record.add(None, np.array(IMAGE.shape[:2]), foveated=False, refused=2, dropped=True)
        record.add((0.25, 0.5), (30, 40))
    assert record.closed and len(os.listdir("/proc/self/task")) == before
    side, rows = rows_of(file)
    assert side["FoveaLines"] == {"written": 8, "lost": 0} and side["FoveaPresented"] == "as the program says"
    assert len(side["FoveaSettings"]) == 2
    assert [(row["gaze_x"], row["gaze_y"]) for row in rows[:6]] == [(repr(float(x)), repr(float(y))) for x, y in places]
    assert {(row["state"], row["usable"], row["gpu_time"], row["settings"]) for row in rows[:6]} == {("0", "1", "0.002000000", "1")}
    assert all(float(row["presented"]) > float(row["timestamp"]) > 0 for row in rows[:6])
    lost, last = rows[6:]
    assert [(row["repeated"], row["dropped"]) for row in rows] == [("n/a", "0"), *[("1", "0")] * 5, ("n/a", "1"), ("n/a", "n/a")]
    assert [row["vergence"] for row in rows] == ["1.25"] * 6 + ["n/a"] * 2
    assert (lost["foveated"], lost["refused"], lost["usable"], lost["x_coordinate"], lost["presented"]) == ("0", "2", "0", "n/a", "n/a")
    assert (last["x_coordinate"], last["y_coordinate"], last["settings"], last["frame"]) == ("10", "15", "2", "8")
    replay = {"gaze.source": "replay", "gaze.scanpath.file": f"{file}_run-1_recording-eye1_physio.tsv.gz"}
    with fovea.Gaze(replay) as gaze:
        assert all(np.array_equal(foveator(IMAGE, gaze), frame) for frame in seen)
        assert not any(gaze.read().usable for _ in range(3)), "two frames that were refused, and their line's"
        assert gaze.read().uv == (0.25, 0.5)
    with fovea.Gaze(replay) as gaze:
        assert gaze.read().vergence_m == 0.8
    with fovea.Record(file, foveator):
        pass
    assert rows_of(file, 2)[0]["FoveaSettings"] == side["FoveaSettings"][:1]


def test_what_is_wrong_with_a_record_is_said(tmp_path):
    with pytest.raises(OSError, match="record.file: .*No such file or directory"):
        fovea.Record(tmp_path / "nowhere" / "sub-01")
    for name, text in (("", "record.file is empty"), (f"{tmp_path}/", "record.file is .*, a folder"), (tmp_path, "record.file is .*, a folder")):
        with pytest.raises(fovea.ConfigError, match=text):
            fovea.Record(name)
    record = fovea.Record(tmp_path / "sub-01")
    for shape in ((0, 5), (5,), (2**32 + 5, 5), None, 5):
        with pytest.raises(ValueError, match="shape"):
            record.add((0.5, 0.5), shape)
    for name, value in (
        ("refused", -1), ("t_ns", 2**64), ("presented_t_ns", float("nan")), ("presented_t_ns", -1), ("took_s", float("inf")), ("took_s", -1), ("refresh_s", -1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"{name} .*is"):
            record.add((0.5, 0.5), (5, 5), **{name: value})
    for gaze in ((0.5, 0.5), fovea.Gaze("fixed").read()):
        with pytest.raises(ValueError, match="presented_t_ns is .*it is in nanoseconds"):
            record.add(gaze, (5, 5), presented_t_ns=time.monotonic())
    for gaze, text in ((0.5, "gaze is x and y"), (np.ma.array([0.5, 0.5]), "gaze is a masked array")):
        with pytest.raises(TypeError, match=text):
            record.add(gaze, (5, 5))
    with pytest.raises(ValueError, match="looks like pixels"):
        record.add((400, 300), (600, 800))
    record.add((float("nan"), 0.5), (5, 5))
    record.close()
    assert rows_of(tmp_path / "sub-01")[1][0]["usable"] == "0" and len(rows_of(tmp_path / "sub-01")[1]) == 1
    record.close()
    with pytest.raises(ValueError, match="it is closed"):
        record.add((0.5, 0.5), (5, 5))


def test_lines_that_are_lost_are_told(tmp_path):
    limits, record = resource.getrlimit(resource.RLIMIT_FSIZE), fovea.Record(tmp_path / "sub-01")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, limits[1]))  # as a disk that is full
    try:
        record.add((0.5, 0.5), (5, 5))
        with pytest.warns(UserWarning, match="File too large; lines are lost"):
            record.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_the_page_s_example_runs(tmp_path):
    """And is the one of the page."""
    example = ROOT / "docs" / "examples" / "experiment.py"
    body = re.sub(r"^(# SPDX.*\n)+", "", example.read_text())
    assert f"```python\n{body}```" in (ROOT / "docs" / "experiments.md").read_text()
    done = subprocess.run(
        [sys.executable, example, tmp_path / "sub-01"], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr and done.stdout.startswith("corner: 26.8 degrees"), done
    side, rows = rows_of(tmp_path / "sub-01")
    assert len(rows) == 30 and all(float(row["gpu_time"]) > 0 and row["state"] == "0" for row in rows)


def test_accuracy_and_precision_of_a_tracker():
    """One that is half a degree off, of noise of 0.1 degrees along each axis, of which each fifth sample is lost."""
    example = runpy.run_path(str(ROOT / "docs" / "examples" / "gaze_quality.py"))
    half = np.tan(np.radians(example["SCREEN_DEG"]) / 2)
    as_uv = lambda degrees: 0.5 + np.tan(np.radians(degrees)) / half / 2  # noqa: E731
    for target in ((3.0, -2.0), (0.0, 9.0)):
        looked = np.array(target) + (0.5, 0) + np.random.default_rng(1).normal(0, 0.1, (20000, 2))
        assert example["quality"](as_uv(looked), as_uv(np.array(target))) == pytest.approx((0.5, 0.1 * 2**0.5, 0.2), rel=0.03)
    with fovea.Gaze("mouse") as gaze:
        done = threading.Event()

        def send():
            for i in range(100):
                gaze.push(i / 100, 0.5, blink=i % 5 == 4)
                if done.wait(0.01):
                    break

        sender = threading.Thread(target=send)
        sender.start()
        places, lost = example["look"](gaze, 0.4)
        done.set()
        sender.join()
    assert len(set(places)) == len(places) > 4 and lost > 0


def test_gratings_and_a_zone_plate_are_what_the_page_says():
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "examples" / "validate.py"], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr and done.stdout.count(" expected ") == 12, done
    assert "16.7 degrees: 0.724, expected 0.724" in done.stdout and "28.9 degrees: 0.391, expected 0.392" in done.stdout
