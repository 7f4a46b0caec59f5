# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The demo's window: keys, mouse, resizing, live settings."""

import json
import os
import re
import subprocess
import time

import numpy
import pytest
from conftest import need_tool
from demo_window import DemoWindow, detail, virtual_display

pytestmark = pytest.mark.turns(2)


@pytest.fixture(scope="module")
def display():
    for tool in ["Xvfb", "xdotool", "xwd"]:
        need_tool(tool)
    with virtual_display() as name:
        yield name


@pytest.fixture
def open_window(display, demo, tmp_path):
    opened = []

    def start(*flags, preload=()):
        opened.append(DemoWindow(demo, display, ["--size", "320x180", *flags], tmp_path, preload))
        window = opened[-1]
        window.until(lambda: "fps" in window.title(), "no frame was shown")
        return window

    yield start
    for window in opened:
        window.close()


def paused(window):
    window.key("p")
    window.until(lambda: "paused" in window.title(), "P does not pause")


def differs(picture, other, by=8):
    return picture.shape != other.shape or numpy.abs(picture - other).max() > by


def changes(window, before, failure):
    """The next picture that differs from `before`; the scene stands still."""

    def look():
        now = window.picture()
        return [now] if differs(now, before) else None

    return window.until(look, failure)[0]


def test_keys_change_what_is_shown(open_window):
    window = open_window("--gaze", "0,0.5")
    paused(window)
    foveated = window.picture()
    for name, key in [("heat map", "h"), ("rings", "r"), ("marker", "m"), ("HUD", "u")]:
        window.key(key)
        changes(window, foveated, f"{key} shows no {name}")
        window.key(key)
        window.until(lambda: not differs(window.picture(), foveated), f"the {name} does not go away")
    code, text = window.end("Escape")
    assert code == 0, text


def test_compare_and_wipe_show_the_engines_image(open_window):
    window = open_window("--gaze", "0,0.5")
    paused(window)
    foveated = window.picture()
    half = foveated.shape[1] // 2
    window.xdotool("keydown", "--window", window.window, "space")
    drawn = changes(window, foveated, "SPACE does not compare")
    window.xdotool("keyup", "--window", window.window, "space")
    assert detail(drawn[:, half:]) > 2 * detail(foveated[:, half:])
    window.until(lambda: not differs(window.picture(), foveated), "SPACE is not let go")
    window.key("w")
    wiped = changes(window, foveated, "W does not wipe")
    left, right = slice(10, half - 10), slice(half + 10, None)
    assert not differs(wiped[:, left], drawn[:, left])
    assert not differs(wiped[:, right], foveated[:, right])
    window.key("Left", "Left", "Left", "Left", "Left")
    changes(window, wiped, "the arrow keys do not move the wipe")
    code, text = window.end()
    assert code == 0, text


def test_title_strength_and_gaze_sources(open_window):
    window = open_window()
    assert re.search(r"Fovea demo: (cuda|vulkan|cpu), [0-9.]+ fps, strength 1\.00, gaze mouse", window.title())
    window.key("plus", "plus", "minus")
    window.until(lambda: "strength 1.25" in window.title(), "+ and - do not change the strength")
    for source in ["scanpath", "saccades"]:
        window.key("g")
        window.until(lambda: f"gaze {source}" in window.title(), f"G does not go to {source}")
    window.key("F1")
    window.until(lambda: "SPACE or C" in window.text(), "F1 prints no help")
    code, text = window.end()
    assert code == 0, text
    assert "backend" in text and "saccades" in text


def test_mouse_is_the_gaze(open_window):
    window = open_window("--set", "overlay.marker=true")
    paused(window)
    places = []
    for x in (60, 260):
        before = window.picture()
        window.xdotool("mousemove", "--window", window.window, str(x), "90")
        changes(window, before, "the mouse does not move the gaze")
        time.sleep(0.3)  # frames in flight have the old gaze
        places.append(window.picture())
    sharp = [detail(p[:, :120]) / detail(p[:, 200:]) for p in places]
    assert sharp[0] > 1.5 * sharp[1], sharp


def test_the_mouse_points_at_what_the_lens_shows(open_window, tmp_path):
    """What is sharp is what lies below the pointer: the picture is that of the gaze there, before the lens."""
    file = tmp_path / "lens.json"

    def save(gaze):
        settings = {"version": 1, "operators": ["foveate", "lens"], "foveation": {"strength": 2}, "gaze": gaze}
        file.write_text(json.dumps(settings))

    save({"source": "mouse"})
    window = open_window("--config", str(file))
    paused(window)
    before = window.picture()
    window.xdotool("mousemove", "--window", window.window, "287", "40")
    changes(window, before, "the mouse does not move the gaze")
    time.sleep(0.3)  # frames in flight have the old gaze
    pointed = window.picture()

    x, y = (287.5 - 160) / 160, (40.5 - 90) / 160  # of the lens's unit, half the width
    factor = 1 + 0.2054 * (x * x + y * y)
    save({"source": "fixed", "fixed": {"x": 287.5 / 320, "y": 40.5 / 180}})
    changes(window, pointed, "the gaze of the place itself gives the same picture")
    save({"source": "fixed", "fixed": {"x": 0.5 + x * factor / 2, "y": 0.5 + y * factor * 80 / 90}})
    window.until(lambda: not differs(window.picture(), pointed, by=3), "the gaze before the lens gives another picture")

    pointed = window.picture()
    window.key("m")
    marked = numpy.abs(changes(window, pointed, "M shows no marker") - pointed).max(axis=2) > 8
    rows, columns = marked.any(axis=1).nonzero()[0], marked.any(axis=0).nonzero()[0]
    assert abs((rows[0] + rows[-1]) / 2 - 40) <= 2 and abs((columns[0] + columns[-1]) / 2 - 287) <= 2


def test_the_mouse_refocuses_a_light_field(open_window):
    """Over the near disc, then over the wall, in a window of another size."""
    window = open_window("--lightfield", "drawn", "--validate")
    for width, x, y, size in [(320, 230, 104, 12), (240, 15, 8, 6)]:
        window.xdotool("windowsize", window.window, str(width), "180")
        window.until(lambda: window.picture().shape[1] == width, "the window keeps its size")
        window.xdotool("mousemove", "--window", window.window, str(x), str(y))
        focus = lambda: float(re.search(r"patch size ([0-9.]+) px", window.title())[1])
        window.until(lambda: abs(focus() - size) < 0.5, "what is under the mouse does not get into focus")
    code, text = window.end()
    assert code == 0 and "light field" in text, text


def test_window_can_be_resized(open_window):
    window = open_window("--validate")
    for width, height in [(420, 260), (201, 97), (320, 180)]:
        window.xdotool("windowsize", window.window, str(width), str(height))
        window.until(lambda: window.picture().shape[:2] == (height, width), "the window keeps its size")
        window.until(lambda: window.picture().std() > 5, "nothing is drawn at this size")
    code, text = window.end()
    assert code == 0, text
    assert "320x180" in text


def test_both_eyes_follow_the_mouse_over_either(open_window):
    """Over the left part of the right eye's picture; then over the right part of the left one's; at an odd width, too."""
    window = open_window("--hmd", "--validate", "--set", "foveation.strength=2", "--set", "operators=foveate")
    paused(window)
    for width in (320, 321):
        window.xdotool("windowsize", window.window, str(width), "180")
        window.until(lambda: window.picture().shape[1] == width, "the window keeps its size")
        half, shares = width // 2, []
        for x in (half + 30, half - 30):
            before = window.picture()
            window.xdotool("mousemove", "--window", window.window, str(x), "90")
            changes(window, before, "the mouse does not move the gaze")
            time.sleep(0.3)  # frames in flight have the old gaze
            now = window.picture()
            eyes = now[:, :half], now[:, half : 2 * half]
            shares.append([detail(eye[:, : half // 2]) / detail(eye[:, half // 2 :]) for eye in eyes])
        for left_sharp, right_sharp in zip(*shares, strict=True):
            assert left_sharp > 1.3 * right_sharp, shares
    code, text = window.end()
    assert code == 0 and "321x180" in text, text


@pytest.fixture
def window_manager(display):
    need_tool("openbox")
    environment = {**os.environ, "DISPLAY": display}
    ask = ["xdotool", "get_num_desktops"]
    with subprocess.Popen(["openbox", "--config-file", "/dev/null"], env=environment, stderr=subprocess.DEVNULL) as manager:
        end = time.monotonic() + 30
        while subprocess.run(ask, env=environment, capture_output=True, check=False).returncode != 0:
            assert time.monotonic() < end, "openbox does not begin"
            time.sleep(0.1)
        yield
        manager.terminate()


def test_the_window_fills_the_screen_and_does_not(window_manager, open_window):
    window = open_window("--fullscreen", "--validate")
    window.until(lambda: window.picture().shape[:2] == (600, 800), "it does not fill the screen")
    window.key("F11")
    window.until(lambda: window.picture().shape[:2] == (180, 320), "F11 does not make it smaller")
    window.key("F11")
    window.until(lambda: window.picture().shape[:2] == (600, 800), "F11 does not make it larger")
    code, text = window.end()
    assert code == 0, text


def test_saved_settings_come_into_force(open_window, tmp_path):
    settings = {"version": 1, "gaze": {"source": "fixed", "fixed": {"x": 0, "y": 0.5}}, "overlay": {"heatmap": False}}
    file = tmp_path / "live.json"
    file.write_text(json.dumps(settings))
    window = open_window("--config", str(file))
    paused(window)
    before = window.picture()
    settings["overlay"]["heatmap"] = True
    file.write_text(json.dumps(settings))
    heat = changes(window, before, "the saved file does not come into force")
    file.write_text('{"overlay": {"heatmap": 3}}')
    window.until(lambda: "heatmap" in window.text(), "a wrong file is not told")
    assert not differs(window.picture(), heat)
    code, text = window.end()
    assert code == 0, text


def test_frames_end_the_window(open_window, demo, display, tmp_path):
    window = DemoWindow(demo, display, ["--size", "160x90", "--frames", "40", "--path", "copy", "--validate"], tmp_path)
    try:
        assert window.process.wait(60) == 0, window.text()
        assert "40 of 160x90" in window.text()
    finally:
        window.close()


def test_window_shows_what_fovea_refuses(open_window, build_dir):
    shim = build_dir / "tests" / "libdemo_failing_fovea.so"
    drawn = open_window("--gaze", "0,0.5", "--set", "foveation.strength=0", "--frames", "100000")
    sharp = detail(drawn.picture())
    assert drawn.end()[0] == 0
    window = open_window("--gaze", "0,0.5", "--validate", preload=[shim])
    assert abs(detail(window.picture()) / sharp - 1) < 0.3
    code, text = window.end()
    assert code == 1 and text.count("could not take a frame") == 1 and "validation" not in text


def test_a_lost_frame_is_not_shown(open_window, build_dir, monkeypatch):
    """Its image's semaphore is taken: who waits for it again waits for ever, and validation says so."""
    monkeypatch.setenv("FOVEA_TEST_LOSES", "60")
    shim = build_dir / "tests" / "libdemo_losing_fovea.so"
    window = open_window("--gaze", "0,0.5", "--validate", preload=[shim])
    assert window.process.wait(60) == 1, window.text()
    assert window.text().count("FRAME_LOST") == 1 and "validation" not in window.text()
