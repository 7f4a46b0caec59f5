# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The frame dump: what it writes, and where it ends."""

import gzip
import time
from pathlib import Path

import pytest
from conftest import need_tool

COMMAND = ["vkcube", "--width", "160", "--height", "120", "--suppress_popups", "--c", "24"]
SETS = {"backend": "cpu", "foveation.method": "blockwise"}
KEYS = {"width", "height", "format", "color_space", "image", "frame", "window", "result",
        "gaze_x", "gaze_y", "gaze_usable"}  # fmt: skip


def dumped(rig, **extra):
    need_tool("vkcube")
    done = rig.run(*COMMAND, sets=SETS, dump=True, extra=extra)
    assert done.code == 0, done.output + done.log
    return done


def test_a_frame_is_two_pictures_and_a_text_and_a_line_of_a_record(rig):
    base = rig.folder / "sub-01_task-cube"
    need_tool("vkcube")
    done = rig.run(*COMMAND, sets={**SETS, "record.file": base}, dump=True)
    assert done.code == 0, done.output + done.log
    assert len(done.frames) == 24
    names = {path.name for path in (done.run / "frames").iterdir()}
    assert names == {f"{i:06}{end}" for i in range(1, 25) for end in ("-before.raw", "-after.raw", ".txt")}
    assert all(set(frame) == KEYS and frame.is_whole() for frame in done.frames)
    tables = [Path(f"{base}_run-1_recording-eye1_physio.tsv.gz"), Path(f"{base}_run-1_events.tsv")]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in [*tables, *(done.run / "frames").iterdir()])
    lines = [line.split("\t") for line in gzip.decompress(tables[0].read_bytes()).decode().splitlines()]
    assert [int(line[3]) for line in lines] == list(range(1, 25))
    assert [float(n) for line in lines for n in line[4:6]] == pytest.approx(
        [float(frame[axis]) for frame in done.frames for axis in ("gaze_x", "gaze_y")], abs=1e-12)  # fmt: skip


@pytest.mark.parametrize("sets", [
    {"foveation.strength": 0}, {"gaze.source": "udp", "gaze.udp.port": 0, "gaze.validity.fallback": "none"},
])  # fmt: skip
def test_a_record_has_frames_that_are_shown_as_drawn(rig, sets):
    """A control condition, and nobody who looks. They are recorded without pictures of them."""
    base = rig.folder / f"sub-02_task-{len(sets)}"
    done = rig.case("plain", sets={"backend": "cpu", "record.file": base, **sets})
    assert done.code == 0, done.output + done.log
    lines = gzip.decompress(Path(f"{base}_run-1_recording-eye1_physio.tsv.gz").read_bytes()).decode().splitlines()
    assert [int(line.split("\t")[3]) for line in lines] == list(range(1, 7))


@pytest.mark.parametrize("limit, frames", [("1", 7), ("0", 24), ("nonsense", 24), ("2", 14)])
def test_it_ends_when_as_much_is_written_as_may_be(rig, limit, frames):
    """A frame has 153,600 bytes of pictures and some of text; the one that goes beyond is whole."""
    done = dumped(rig, FOVEA_LAYER_DUMP_MAX_MB=limit)
    assert len(done.frames) == frames
    assert all(frame.is_whole() for frame in done.frames)
    assert done.log.count("no more frames will be") == (frames < 24)
    assert "24 frames foveated" in done.log


def test_frames_of_threads_that_present_at_once_keep_their_numbers(rig):
    """No text is written over another, and each lies beside the pictures of its frame."""
    process, run = rig.start(rig.program, "three-threads", sets={"backend": "vulkan"}, dump=True)
    time.sleep(3)
    done = rig.done(process, run)
    assert done.code == 0, done.output + done.log
    frames = rig.frames(run)
    assert len(frames) == sum(done.foveations) > 5
    for text in (run / "frames").glob("*.txt"):
        assert all(text.with_name(text.stem + suffix).exists() for suffix in ("-before.raw", "-after.raw"))


def test_nothing_is_written_where_it_is_not_asked_for(rig):
    need_tool("vkcube")
    done = rig.run(*COMMAND, sets=SETS)
    assert done.foveated
    assert {path.name for path in done.run.iterdir()} == {"fovea.log", "output.txt"}
