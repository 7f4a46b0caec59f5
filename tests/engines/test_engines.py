# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Renderers that others wrote, foveated through fovea_vulkan.h by the examples of docs/embedding.md: what comes out is
Fovea's operator applied to what the engine drew, and validation finds nothing."""

import os
import subprocess
import sys
import time

import numpy
import pytest
from conftest import ROOT
from demo_window import screen_picture
from PIL import Image

sys.path.insert(0, str(ROOT / "tests" / "layer"))
from layer_rig import GAZE, SETS, wait_until  # noqa: E402

# Levels of 255, as for programs under the layer.
BOUNDS = {"blockwise": 1, "smooth": 3}
SCENE = ROOT / "docs" / "examples" / "engine_qtquick.qml"
XCB = {"QT_QPA_PLATFORM": "xcb"}
CASES = [("vulkan", "smooth"), ("vulkan", "blockwise")]


def example(rig, name):
    program = rig.build_dir / "tests" / name
    if not program.exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{name} was not built: its engine is not here")
    return program


def expected(rig, before, sets):
    """What the library's CPU call makes of a picture."""
    height, width, _ = before.shape
    source, out = rig.folder / "before.raw", rig.folder / "expected.raw"
    before.astype(numpy.uint8).tofile(source)
    wanted = {**SETS, **sets}
    wanted.pop("backend", None)
    env = {k: v for k, v in os.environ.items() if not k.startswith("FOVEA_")}
    env["FOVEA_SET"] = ",".join(f"{key}={value}" for key, value in wanted.items())
    env["XDG_CONFIG_HOME"] = str(rig.folder / "none")
    words = (rig.build_dir / "tests" / "layer_expect", source, out, width, height, *GAZE)
    subprocess.run([str(word) for word in words], env=env, check=True, timeout=60)
    return numpy.fromfile(out, numpy.uint8).reshape(height, width, 4).astype(int)


def picture(path):
    return numpy.asarray(Image.open(path).convert("RGBA")).astype(int)


def run(rig, *command, sets, **options):
    return rig.run(*command, *GAZE, on=False, validate=True, sets=sets, **options)


def assert_is_the_operator(rig, done, sets, mistake=None):
    """mistake: what validation says of the engine itself."""
    assert done.code == 0, done.output
    assert f"backend {sets.get('backend', '')}" in done.output, done.output
    done.assert_validated()
    lines = done.validation.splitlines()
    done.validation = "\n".join(line for line in lines if not mistake or mistake not in line)
    assert done.messages == {}, done.validation
    before, after = picture(done.run / "before.png"), picture(done.run / "after.png")
    assert before.std() > 20, "the engine drew nothing"
    far = numpy.abs(after - expected(rig, before, sets)).max()
    assert far <= BOUNDS[sets["foveation.method"]], f"{far} levels"
    assert numpy.abs(after - before).max() > 20, "the picture is as the engine drew it"


@pytest.mark.parametrize("backend, method", CASES)
def test_libplacebo_is_foveated(rig, backend, method):
    sets = {"backend": backend, "foveation.method": method}
    program = example(rig, "engine_libplacebo")
    done = run(rig, program, ROOT / "docs" / "rl.png", "before.png", "after.png", sets=sets)
    # It names its objects although nobody has enabled VK_EXT_debug_utils; Fovea calls nothing of that.
    assert_is_the_operator(rig, done, sets, mistake="DebugUtils")


@pytest.mark.parametrize("backend, method", CASES)
def test_qtquick_is_foveated(rig, backend, method):
    sets = {"backend": backend, "foveation.method": method}
    done = run(rig, example(rig, "engine_qtquick"), SCENE, "before.png", "after.png", sets=sets, extra=XCB)
    assert_is_the_operator(rig, done, sets)


def test_a_window_of_qtquick_is_foveated(rig):
    """By commands that are recorded into Qt's: compute shaders do it, with the library's own settings."""
    program, scene = example(rig, "engine_qtwindow"), SCENE.with_name("engine_qtwindow.qml")
    done = run(rig, program, scene, "before.png", "after.png", sets={}, extra=XCB)
    assert_is_the_operator(rig, done, {"foveation.method": "smooth"})


def test_a_window_of_qtquick_follows_size_and_pointer(rig):
    program, scene = example(rig, "engine_qtwindow"), SCENE.with_name("engine_qtwindow.qml")
    process, folder = rig.start(program, scene, on=False, validate=True, extra=XCB)
    display = {**os.environ, "DISPLAY": rig.display}

    def xdotool(*words):
        return subprocess.run(["xdotool", *words], env=display, capture_output=True, text=True, timeout=30).stdout

    def corner_is_sharp():
        picture = screen_picture(rig.display, window)
        if picture.shape[:2] != size:
            return None
        return numpy.abs(numpy.diff(picture[5:55, 5:55], axis=1)).max() > 20

    try:
        assert wait_until(lambda: "backend" in (folder / "output.txt").read_text())
        window = xdotool("search", "--onlyvisible", "--name", "^Fovea in Qt Quick").split()[-1]
        for size, pointer in ((300, 500), (20, 20)), ((400, 640), (600, 380)), ((400, 640), (20, 20)):
            xdotool("windowsize", "--sync", window, str(size[1]), str(size[0]))
            xdotool("mousemove", "--window", window, "200", "200")
            time.sleep(0.3)  # a pointer that has just entered has not moved yet
            xdotool("mousemove", "--window", window, *map(str, pointer))
            assert wait_until(lambda: corner_is_sharp() == (pointer == (20, 20))), (size, pointer)
            assert process.poll() is None
    finally:
        process.terminate()
    done = rig.done(process, folder)
    done.assert_validated()
    assert done.messages == {}, done.validation


@pytest.mark.parametrize("words, answer", [
    ([], "usage:"),
    (["missing.png", "before.png", "after.png"], "IN.png cannot be read"),
    ([ROOT / "docs" / "rl.png", "before.png", "missing/after.png"], "a picture cannot be written"),
])  # fmt: skip
def test_libplacebo_says_what_is_wrong(rig, words, answer):
    gaze = GAZE if words else ()
    done = rig.run(example(rig, "engine_libplacebo"), *words, *gaze, on=False)
    assert done.code == 1 and answer in done.output, done.output


@pytest.mark.parametrize("words, answer", [
    ([], "usage:"),
    (["missing.qml", "before.png", "after.png"], "No such file or directory"),
    ([SCENE, "missing/before.png", "after.png"], "a picture cannot be written"),
])  # fmt: skip
def test_qtquick_says_what_is_wrong(rig, words, answer):
    gaze = GAZE if words else ()
    done = rig.run(example(rig, "engine_qtquick"), *words, *gaze, on=False, extra=XCB)
    assert done.code == 1 and answer in done.output, done.output


def test_qtquick_needs_a_platform_with_vulkan(rig):
    words = (SCENE, "before.png", "after.png", *GAZE)
    done = rig.run(example(rig, "engine_qtquick"), *words, on=False, extra={"QT_QPA_PLATFORM": "offscreen"})
    assert done.code == 1 and "has no Vulkan" in done.output, done.output
