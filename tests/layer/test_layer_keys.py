# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Keys of a real keyboard (XTest) through the layer, in programs whose windows come and go."""

import json
import os
import re
import subprocess
import time

import numpy
import pytest
from conftest import ROOT, need_tool
from demo_window import screen_picture
from layer_rig import wait_until

pytestmark = pytest.mark.turns(2)

# By number: xdotool puts the left Shift before some names.
KEYCODES = {"Shift_R": "62", "F2": "68", "F4": "70", "Page_Up": "112", "Insert": "118", "F3": "69", "End": "115"}


HUD_PX = 8  # from the left and from the top


def letters(text):
    """As the overlay's font has them, height x width, true where a letter is."""
    source = (ROOT / "kernels" / "foveate" / "overlay" / "overlay_font.glsl").read_text()
    words = numpy.array([int(word, 16) for word in re.findall(r"0x([0-9a-f]{8})u", source)], "<u4")
    rows = numpy.unpackbits(words.view(numpy.uint8), bitorder="little").reshape(-1, 16, 8).astype(bool)
    return numpy.hstack([rows[ord(letter) - ord(" ")] for letter in text])


class Running:
    """A program whose window has the pointer, and with it the focus; its stages go on when they are told to."""

    def __init__(self, rig, name, extra=(), **sets):
        need_tool("xdotool")
        self.rig = rig
        self.xdotool("mousemove", "30", "40")
        self.process, self.run = rig.start(
            rig.program,
            name,
            dump=True,
            sets={"backend": "cpu", **sets},
            extra={"FOVEA_LAYER_DUMP_PICTURES": "0", **dict(extra)},
        )
        self.is_at_stage(1)

    def xdotool(self, *words):
        subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": self.rig.display}, check=True, timeout=30)

    def is_at_stage(self, number):
        said = wait_until(lambda: f"stage {number}\n" in (self.run / "output.txt").read_text())
        assert said, (self.run / "output.txt").read_text()

    def go_to_stage(self, number):
        self.process.stdin.write(b".")
        self.process.stdin.flush()
        self.is_at_stage(number)
        time.sleep(0.3)

    def press(self, key):
        time.sleep(0.2)
        self.xdotool("keydown", KEYCODES["Shift_R"], "keydown", KEYCODES[key])
        time.sleep(0.2)
        self.xdotool("keyup", KEYCODES[key], "keyup", KEYCODES["Shift_R"])

    @property
    def frames(self):
        return sum(1 for _ in (self.run / "frames").glob("*.txt"))

    def draws(self):
        before = self.frames
        return wait_until(lambda: self.frames > before + 1, 10)

    @property
    def windows(self):
        return re.search(r"windows (\d+) (\d+)", (self.run / "output.txt").read_text()).groups()

    def shows(self, window, row, text):
        """Waits until the row of the HUD begins so; what does not fit into the window does not count."""
        wanted = letters(text)

        def is_shown():
            y_px = HUD_PX + row * wanted.shape[0]
            picture = screen_picture(self.rig.display, window)[y_px : y_px + wanted.shape[0], HUD_PX:]
            width_px = min(picture.shape[1], wanted.shape[1])
            return ((picture[:, :width_px] == 255).all(axis=2) == wanted[: len(picture), :width_px]).all()

        assert wait_until(is_shown, 60), (window, text)  # a pipeline for each is made first

    def says_nothing(self, window, row):
        """Waits until nothing of the HUD is in that row."""

        def is_empty():
            y_px = HUD_PX + row * 16
            picture = screen_picture(self.rig.display, window)[y_px : y_px + 16, HUD_PX:]
            return not (picture == 255).all(axis=2).any()

        assert wait_until(is_empty, 60), window

    def has_gaze(self, window, point):
        """In the last frame of that window that is written, as near as the layer asks for (MOVED_UV)."""
        frames = [frame for frame in self.rig.frames(self.run)[-40:] if frame.get("window") == window]
        frames = [frame for frame in frames if "gaze_usable" in frame]
        gaze = [float(frames[-1][name]) for name in ("gaze_x", "gaze_y")] if frames else [numpy.inf] * 2
        return numpy.allclose(gaze, point, rtol=0, atol=0.0006)

    def rests(self):
        """Waits until nothing is drawn any more."""

        def is_quiet():
            before = self.frames
            time.sleep(0.4)
            return self.frames == before

        return wait_until(is_quiet, 10)

    def end(self):
        done = self.rig.done(self.process, self.run)
        assert done.code == 0, done.output + done.log


@pytest.mark.parametrize("asked", [True, False])
def test_a_program_that_draws_on_change_is_asked_to(rig, asked):
    """For the pointer, keys and a saved file; at rest it is left alone, and where layer.redraw is false."""
    file = rig.folder / f"redraw-{asked}.json"
    file.write_text('{"version": 1}')
    sets = "backend=cpu,foveation.model=paper,gaze.validity.hold_ms=300"
    extra = {"FOVEA_CONFIG": str(file), "FOVEA_SET": f"{sets},layer.redraw={json.dumps(asked)}"}
    program = Running(rig, "on-expose", extra=extra)
    window = rig.frames(program.run)[0]["window"]
    assert program.rests()

    def assert_drawn_after(change, is_done=lambda: True):
        before = program.frames
        change()
        drawn = wait_until(lambda: program.frames > before and is_done(), 10 if asked else 1)
        assert drawn == asked and program.rests(), (before, program.frames)

    def point(x, y):
        program.xdotool("mousemove", str(x), str(y))

    def save(**settings):
        (rig.folder / "saved.json").write_text(json.dumps({"version": 1, **settings}))
        (rig.folder / "saved.json").replace(file)

    for x in 60, 90:
        assert_drawn_after(lambda: point(x, 40), lambda: program.has_gaze(window, [(x + 0.5) / 160, 40.5 / 120]))
    assert_drawn_after(lambda: program.press("F3"))
    assert_drawn_after(lambda: save(foveation={"strength": 0.5}))
    assert_drawn_after(lambda: point(700, 500), lambda: program.has_gaze(window, [0.5, 0.5]))  # it is lost
    before, start = program.frames, time.monotonic()
    for i in range(40):
        point(20 + 3 * i, 40)
    took = time.monotonic() - start
    assert (program.frames - before > 3) == asked and program.frames - before <= 60 * took + 2, took
    if asked:  # no operator looks at the gaze
        assert_drawn_after(lambda: save(operators=["blur"]))
        before = program.frames
        point(100, 60)
        assert program.rests() and program.frames == before
    program.end()


def test_a_program_that_starts_with_strength_0_can_be_switched_on(rig):
    program = Running(rig, "window-after-window", **{"foveation.strength": 0})
    assert program.rests() and program.frames == 0
    program.press("Page_Up")
    assert program.draws()
    program.press("F2")
    assert program.rests()
    program.end()


def test_a_program_that_is_off_can_be_switched_on_in_another_window(rig):
    program = Running(rig, "window-after-window")
    assert program.draws()
    program.press("F2")
    assert program.rests()
    program.go_to_stage(2)
    assert program.rests()
    program.press("F2")
    assert program.draws()
    program.end()


def test_keys_go_back_to_a_window_when_a_newer_one_is_gone(rig):
    program = Running(rig, "window-for-a-while")
    assert program.draws()
    program.go_to_stage(2)
    program.press("F2")
    assert program.rests()
    program.press("F2")
    assert program.draws()
    program.go_to_stage(3)
    program.press("F2")
    assert program.rests()
    program.press("F2")
    assert program.draws()
    program.end()


def test_the_hud_says_where_the_pointer_is(rig):
    """Of the gaze's line as much as the windows show."""
    need_tool("xwd")
    sets = {"gaze.source": "mouse", "gaze.validity.hold_ms": 100, "overlay.hud": "true"}
    program = Running(rig, "two-windows", **sets)
    first, second = program.windows
    program.xdotool("windowmove", second, "300", "200")
    for x, y, in_first, in_second in [
        (80, 110, "gaze tracked  0.50", "pointer outside  0.500 "),
        (302, 270, "pointer outside  0.", "gaze tracked  0.01"),
        (302, 310, "pointer outside  0.", "pointer outside  0.500 "),
    ]:
        program.xdotool("mousemove", str(x), str(y))
        program.shows(first, 4, in_first)
        program.shows(second, 4, in_second)
    program.end()


def test_the_model_is_a_desks_until_its_key_is_pressed(rig):
    need_tool("xwd")
    program = Running(rig, "two-windows", **{"foveation.model": None, "overlay.hud": "true"})
    window, other = program.windows
    program.xdotool("windowmove", other, "300", "200")
    program.shows(window, 3, "smooth physical  linear")
    program.press("Insert")
    program.shows(window, 3, "smooth paper  linear")
    program.press("Insert")
    program.shows(window, 3, "smooth physical  linear")
    program.end()


def test_what_is_off_says_so_in_the_hud(rig):
    need_tool("xwd")
    program = Running(rig, "two-windows", **{"overlay.hud": "true", "overlay.heatmap": "true"})
    window, other = program.windows
    program.xdotool("windowmove", other, "300", "200")
    program.shows(window, 3, "smooth paper  linear")
    program.shows(window, 2, "cpu cores ")
    program.says_nothing(window, 5)
    program.press("F2")
    program.shows(window, 5, "off: Shift_R+F2")
    assert program.draws()
    program.press("F2")
    program.says_nothing(window, 5)
    program.end()


def test_no_operator_is_at_work_where_a_key_asks_for_the_picture_as_drawn(rig):
    """Here one without foveation, whose settings nobody has looked at: its map is not there."""
    need_tool("xwd")
    no_map = {"foveation.model": "map", "foveation.map.kind": "file", "foveation.map.file": "nope.png"}
    program = Running(rig, "two-windows", **{"overlay.hud": "true", "operators": "blur", "blur.sigma_px": 8, **no_map})
    window, other = program.windows

    def detail():
        """Of the rows below the HUD."""
        return numpy.abs(numpy.diff(screen_picture(rig.display, window)[104:].astype(int), axis=1)).mean()

    program.xdotool("windowmove", other, "300", "200")
    assert program.draws()
    blurred = detail()
    program.xdotool("keydown", KEYCODES["Shift_R"], "keydown", KEYCODES["F4"])
    assert wait_until(lambda: detail() > 4 * blurred)
    program.xdotool("keyup", KEYCODES["F4"], "keyup", KEYCODES["Shift_R"])
    assert wait_until(lambda: detail() < 1.5 * blurred)
    program.press("F2")
    program.shows(window, 5, "off: Shift_R+F2")
    assert detail() > 4 * blurred
    program.end()


def test_what_keys_have_changed_stays_until_the_files_say_otherwise(rig, tmp_path):
    need_tool("xwd")
    file = tmp_path / "fovea.json"

    def write(model, hud):
        new = file.with_suffix(".new")
        new.write_text(f'{{"foveation": {{"model": "{model}"}}, "overlay": {{"hud": {hud}}}}}')
        new.rename(file)

    write("paper", "false")
    program = Running(rig, "two-windows", {"FOVEA_CONFIG": str(file)}, **{"foveation.model": None})
    window, other = program.windows
    program.xdotool("windowmove", other, "300", "200")
    program.press("F3")
    program.shows(window, 3, "smooth paper  linear")
    program.press("End")
    time.sleep(1)
    program.shows(window, 3, "smooth paper  linear")
    write("physical", "false")
    program.shows(window, 3, "smooth physical  linear")
    write("physical", "true")
    time.sleep(1)
    write("physical", "false")
    program.says_nothing(window, 3)
    program.end()


def test_keys_and_pointer_follow_the_window(rig):
    program = Running(rig, "two-windows", **{"gaze.source": "mouse", "gaze.validity.hold_ms": 100})
    first, second = program.windows
    program.xdotool("windowmove", second, "300", "200")
    # Without a window manager the focus is where the pointer is.
    for x, y, gaze, other in [(40, 30, first, second), (350, 220, second, first), (40, 30, first, second)]:
        program.xdotool("mousemove", str(x), str(y))
        wanted = (40.5 / 160, 30.5 / 120) if gaze == first else (50.5 / 200, 20.5 / 80)
        assert wait_until(lambda: program.has_gaze(gaze, wanted) and program.has_gaze(other, (0.5, 0.5)))
        program.press("F2")
        assert program.rests()
        program.press("F2")
        assert program.draws()
    program.end()


def test_what_is_frozen_knows_neither_keys_nor_files(rig, tmp_path):
    need_tool("xwd")
    file = tmp_path / "fovea.json"
    file.write_text('{"version": 1}')
    program = Running(rig, "two-windows", {"FOVEA_CONFIG": str(file)}, **{"layer.frozen": "true"})
    window, other = program.windows
    program.xdotool("windowmove", other, "300", "200")
    program.press("F3")
    program.says_nothing(window, 0)
    file.write_text('{"overlay": {"hud": true}}')
    time.sleep(1.2)
    program.press("End")  # as the key that reads files again
    time.sleep(0.5)
    program.says_nothing(window, 0)
    program.end()
