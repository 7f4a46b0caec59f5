# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the layer does to frames: what is presented is Fovea's operator applied to what the program drew, and
that is what the X server shows."""

import os
import signal

import numpy
import pytest
from conftest import need_tool
from demo_window import screen_picture
from layer_rig import wait_until

pytestmark = pytest.mark.turns(2)

SIZE = ("--width", "240", "--height", "180")
BLOCKWISE = {"foveation.method": "blockwise"}
SMOOTH = {"foveation.method": "smooth"}
# Levels of 255. Both methods are rounded once; the smooth one sums halves of other levels on a GPU.
BOUNDS = {"blockwise": 1, "smooth": 3}


def assert_is_the_operator(rig, frame, sets):
    before, after = frame.before, frame.after
    far = numpy.abs(after - rig.expected(frame, sets)).max()
    assert far <= BOUNDS[dict(sets)["foveation.method"]], f"{far} levels\n{dict(frame)}"
    assert (before != after).any(), "the picture is as the program drew it"
    assert frame["result"] == "FOVEA_OK", dict(frame)


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
@pytest.mark.parametrize("method", ["blockwise", "smooth"])
def test_vkcube_is_our_operator(rig, backend, method):
    need_tool("vkcube")
    sets = {"backend": backend, "foveation.method": method}
    done = rig.run("vkcube", *SIZE, "--c", "20", "--suppress_popups", dump=True, sets=sets)
    assert done.code == 0, done.output + done.log
    assert len(done.frames) == 20, done.log
    for frame in done.frames[::6] + done.frames[-1:]:
        assert (float(frame["gaze_x"]), float(frame["gaze_y"])) == (0.3, 0.4)
        assert_is_the_operator(rig, frame, sets)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("plain", 6),
        ("no-wait", 8),
        ("three-waits", 8),
        ("two-swapchains", 16),
        ("thread", 8),
        ("srgb", 8),
        ("srgb-mutable", 8),
        ("deferred", 8),
        ("two-devices", 15),
        ("instances-in-turn", 15),
        ("instances-at-once", 15),
        ("retired", 11),
    ],
)
def test_every_frame_is_our_operator(rig, name, count):
    sets = {"backend": "vulkan", **BLOCKWISE}
    done = rig.case(name, dump=True, sets=sets)
    assert done.code == 0, done.output + done.log
    assert len(done.frames) == count, done.log
    for frame in done.frames:
        assert_is_the_operator(rig, frame, sets)


def test_a_source_that_looks_at_pictures_sees_a_windows(rig):
    """The gaze jumps, and stays for some frames."""
    need_tool("vkcube")
    sets = {"backend": "vulkan", "gaze.source": "saliency", "gaze.saliency.rate_hz": 60}
    done = rig.run("vkcube", *SIZE, "--c", "40", "--suppress_popups", dump=True, sets=sets)
    assert done.code == 0 and "sees pictures" in done.log, done.output + done.log
    places = [(float(frame["gaze_x"]), float(frame["gaze_y"])) for frame in done.frames]
    assert 1 < len(set(places)) < len(places), places
    assert all(frame["result"] == "FOVEA_OK" for frame in done.frames)


def test_strength_0_is_of_foveate_alone(rig):
    sets = {"backend": "cpu", "operators": "blur", "blur.sigma_px": 4, "foveation.strength": 0, **BLOCKWISE}
    done = rig.case("plain", dump=True, sets=sets)
    assert done.code == 0 and len(done.frames) == 6, done.output + done.log
    assert_is_the_operator(rig, done.frames[-1], sets)


def test_a_game_has_no_depths_to_give(rig):
    """An operator that needs them is told once, and frames are shown as they were drawn."""
    done = rig.case("plain", sets={"backend": "vulkan", "operators": '"dof,foveate"'})
    assert done.code == 0, done.output + done.log
    assert done.log.count("one of them needs a picture of depths") == 1, done.log
    assert done.log.count("a frame is presented as it is") == 1, done.log


def test_pictures_of_every_size(rig):
    sets = {"backend": "vulkan", **BLOCKWISE}
    done = rig.case("resize", dump=True, sets=sets)
    assert done.code == 0, done.output + done.log
    sizes = {(frame.width, frame.height): frame for frame in done.frames}
    assert set(sizes) == {(160, 120), (320, 200), (64, 64), (301, 77), (1, 1), (2, 600)}
    assert sum(done.foveations) == len(done.frames), done.log  # each is counted once
    for size, frame in sizes.items():
        assert numpy.abs(frame.after - rig.expected(frame, sets)).max() <= 1, size


def shown(display, frame, picture):
    """Whether the frame's window shows that picture."""
    screen = screen_picture(display, frame["window"])
    return screen.shape[:2] == picture.shape[:2] and (screen == picture[:, :, :3]).all()


@pytest.mark.parametrize(("name", "on"), [("hold", True), ("regions", True), ("hold", False)])
def test_the_screen_shows_what_was_presented(rig, name, on):
    """The hints of `regions` speak of a corner; the frame is shown whole all the same."""
    need_tool("xwd")
    process, run = rig.start(rig.program, name, dump=True, on=on, sets={"backend": "vulkan", **BLOCKWISE})
    try:
        assert wait_until(lambda: "ready" in (run / "output.txt").read_text(), 30), (run / "output.txt").read_text()
        if on:
            last = rig.frames(run)[-1]
            assert wait_until(lambda: shown(rig.display, last, last.after)), "the screen shows something else"
            assert not shown(rig.display, last, last.before)
        else:
            assert not rig.frames(run), "the layer was there although nobody asked for it"
    finally:
        done = rig.done(process, run)
    assert done.code == 0, done.output


def test_the_screen_shows_vkcube_foveated(rig):
    """Stopped at some moment: what is shown is one of the last frames, as it was presented."""
    need_tool("vkcube")
    need_tool("xwd")
    process, run = rig.start("vkcube", *SIZE, "--suppress_popups", dump=True, sets={"backend": "vulkan", **BLOCKWISE})
    try:
        assert wait_until(lambda: len(rig.frames(run)) > 10, 30), (run / "output.txt").read_text()
        os.kill(process.pid, signal.SIGSTOP)
        last = [frame for frame in rig.frames(run)[-6:] if frame.is_whole()]
        assert any(shown(rig.display, frame, frame.after) for frame in last), "no frame of the last ones is shown"
    finally:
        process.kill()
        rig.done(process, run)
