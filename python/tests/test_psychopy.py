# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The example's window in PsychoPy itself, on a display of X11: the user's, or one of Xvfb's."""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import fovea
import fovea.gl

pytest.importorskip("psychopy")
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "examples"))

MODEL = {"foveation.model": "relative", "foveation.strength": 2}


@pytest.fixture(scope="module", autouse=True)
def display():
    if os.environ.get("DISPLAY"):
        yield
        return
    if not shutil.which("Xvfb"):
        pytest.skip("there is no display, and no Xvfb")
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL) as server:
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            os.environ["DISPLAY"] = ":" + pipe.readline().strip()
        yield
        del os.environ["DISPLAY"]
        server.terminate()


def texture(window):
    """The framebuffer's, from the top."""
    from pyglet import gl

    width, height = (int(n) for n in window.size)
    pixels = np.empty((height, width, 4), np.float32)
    gl.glBindTexture(gl.GL_TEXTURE_2D, window.frameTexture)
    gl.glGetTexImage(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, gl.GL_FLOAT, pixels.ctypes.data_as(ctypes.c_void_p))
    gl.glBindTexture(gl.GL_TEXTURE_2D, 0)
    return pixels[::-1]


@pytest.mark.parametrize("way,most", [("copied", 0), ("shared", 2 / 255)])
def test_the_windows_frames_are_foveated(way, most):
    import psychopy_window
    from PIL import ImageGrab
    from psychopy import visual

    seen = {}

    class Window(psychopy_window.FoveatedWindow):
        def _startOfFlip(self):
            seen["drawn"] = texture(self)
            flips = super()._startOfFlip()
            seen["foveated"] = texture(self)
            return flips

    try:
        window = Window(MODEL, way=way, size=(480, 320), allowGUI=False, waitBlanking=False)
    except fovea.UnsupportedError as error:
        pytest.skip(str(error))
    try:
        stimuli = [visual.GratingStim(window, pos=(x, y), size=150, sf=0.2) for x in (-150, 0, 150) for y in (-80, 80)]
        stimuli.append(visual.TextStim(window, "Look here, not there", height=30, pos=(0, 120)))
        for gaze in [(-120, 80), (100.5, -30)]:
            for stimulus in stimuli:
                stimulus.draw()
            window.gaze = gaze
            window.flip()
            uv = (0.5 + gaze[0] / 480, 0.5 - gaze[1] / 320)
            expected = fovea.foveate(np.ascontiguousarray(seen["drawn"]), uv, config=MODEL)
            assert abs(expected - seen["drawn"]).max() > 0.2
            assert abs(expected - seen["foveated"]).max() <= most
            left, top = (int(n) for n in window.pos)
            shown = np.asarray(ImageGrab.grab((left, top, left + 480, top + 320)).convert("RGB"), np.float32)
            assert expected[..., :3].max() <= 1 + 1e-6  # blends of floats are rounded
            inside = expected[..., :3] <= 1  # Mesa's llvmpipe shows any colour where a float texture is the next number above 1
            assert (abs(shown / 255 - np.clip(expected[..., :3], 0, 1)) * inside).max() <= most + 1.01 / 255
    finally:
        window.close()
