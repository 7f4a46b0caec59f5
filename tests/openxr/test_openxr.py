# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""hello_xr, which Debian has, on a runtime of our own: under OpenXR's core validation and Vulkan's validation, with and
without Fovea's layer."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest
from conftest import ROOT

BUILD = Path(os.environ.get("FOVEA_BUILD_DIR", ROOT / "build"))
RUNTIME = BUILD / "tests" / "openxr" / "runtime.json"
LAYERS = BUILD / "plugin" / "openxr" / "api_layers"
CORE_VALIDATION = "XR_APILAYER_LUNARG_core_validation"
FRAMES = 3
SIZE = (352, 320)
VALIDATION = """\
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = {log}
"""


class Done:
    """What a program did: its frames as the runtime was handed them, what was said and refused."""

    def __init__(self, folder, code, output):
        self.folder, self.code, self.output = folder, code, output
        self.calls = (folder / "calls.txt").read_text()
        self.validation = (folder / "validation.txt").read_text()

    def picture(self, frame, view):
        data = numpy.fromfile(self.folder / f"frame{frame}-layer0-view{view}.raw", numpy.uint8)
        return data.reshape(*SIZE, 4).astype(int)

    def swapchains(self, view):
        return set(re.findall(rf"view frame \d+ layer 0 view {view} swapchain (\w+)", self.calls))

    def check(self):
        assert self.code == 0, self.output
        assert "refused" not in self.calls, self.calls
        assert "VALID_ERROR" not in self.output and "VALID_WARNING" not in self.output, self.output
        assert "Current Enables" in self.validation, "Vulkan's validation was not there"
        assert not re.search(r"Validation (Error|Warning)", self.validation), self.validation
        assert self.calls.count("view frame") == 2 * FRAMES, self.calls
        return self


@pytest.fixture
def hello(tmp_path):
    if not RUNTIME.exists() or not shutil.which("hello_xr"):
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("no hello_xr, or OpenXR was not built")

    def run(graphics, fovea=False, **more):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        settings = folder / "settings.txt"
        settings.write_text(VALIDATION.format(log=folder / "validation.txt"))
        env = {k: v for k, v in os.environ.items() if not k.startswith(("FOVEA_", "XR_"))}
        env.update(
            XR_RUNTIME_JSON=str(RUNTIME),
            XR_API_LAYER_PATH=f"{LAYERS}:/usr/share/openxr/1/api_layers/explicit.d",
            XR_ENABLE_API_LAYERS=":".join((["XR_APILAYER_FOVEA"] if fovea else []) + [CORE_VALIDATION]),
            XR_CORE_VALIDATION_EXPORT_TYPE="text",
            VK_DRIVER_FILES="/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
            VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation",
            VK_LAYER_SETTINGS_PATH=str(settings),
            XDG_CONFIG_HOME=str(folder),
            XDG_CACHE_HOME=str(folder),
            FOVEA_TEST_XR_OUT=str(folder),
            FOVEA_TEST_XR_FRAMES=str(FRAMES),
            FOVEA_SET="foveation.model=paper",
            **more,
        )
        # A key ends it, the end of its input too: it gets neither.
        read, write = os.pipe()
        try:
            done = subprocess.run(
                ["hello_xr", "-g", graphics], env=env, cwd=folder, stdin=read, capture_output=True, timeout=120, text=True
            )
        finally:
            os.close(read)
            os.close(write)
        return Done(folder, done.returncode, done.stdout + done.stderr)

    return run


@pytest.mark.parametrize("graphics", ["Vulkan", "Vulkan2"])
def test_the_runtime_shows_what_hello_xr_draws(hello, graphics):
    done = hello(graphics).check()
    for view in range(2):
        picture = done.picture(FRAMES - 1, view)
        assert len(numpy.unique(picture.reshape(-1, 4), axis=0)) > 4, "nothing but a background"
    assert (done.picture(FRAMES - 1, 0) != done.picture(FRAMES - 1, 1)).any(), "both eyes see the same"


def place(yaw_deg, pitch_deg, view):
    """Where a direction of the head's is in a view of the runtime's (runtime_views.c), and the view's tangents."""
    out, inner, turn = numpy.radians([50, 42, 5])
    left, right, turn = (inner, out, turn) if view else (out, inner, -turn)
    tangents = {"left": numpy.tan(left), "right": numpy.tan(right)}
    tangents.update(up=numpy.tan(numpy.radians(40)), down=numpy.tan(numpy.radians(48)))
    yaw, pitch = numpy.radians(yaw_deg) - turn, numpy.radians(pitch_deg)
    x, y = numpy.tan(yaw), numpy.tan(pitch) / numpy.cos(yaw)
    uv = (x + tangents["left"]) / (tangents["left"] + tangents["right"])
    return uv, (tangents["up"] - y) / (tangents["up"] + tangents["down"]), tangents


def expected(folder, before, uv, tangents):
    """What the library's CPU call makes of a picture."""
    before.astype(numpy.uint8).tofile(folder / "before.raw")
    sets = {"foveation.model": "paper", **{f"foveation.geometry.tan_{k}": v for k, v in tangents.items()}}
    env = {k: v for k, v in os.environ.items() if not k.startswith("FOVEA_")}
    env.update(FOVEA_SET=",".join(f"{k}={v}" for k, v in sets.items()), XDG_CONFIG_HOME=str(folder / "none"))
    words = (BUILD / "tests" / "layer_expect", folder / "before.raw", folder / "out.raw", SIZE[1], SIZE[0], *uv)
    subprocess.run([str(word) for word in words], env=env, check=True, timeout=60)
    return numpy.fromfile(folder / "out.raw", numpy.uint8).reshape(*SIZE, 4).astype(int)


def assert_foveated(before, after, gazes):
    for frame, gaze in enumerate(gazes):
        for view in range(2):
            x, y, tangents = place(*gaze, view)
            drawn = before.picture(frame, view)
            wanted = expected(after.folder, drawn, (x, y), tangents)
            assert numpy.abs(wanted - drawn).max() > 20, "the operator changes nothing here"
            far = numpy.abs(after.picture(frame, view) - wanted).max()
            assert far <= 3, f"frame {frame}, view {view}: {far} levels"


def test_each_eye_is_foveated_around_the_gaze_of_the_runtime(hello):
    gazes = [(10, -5), (-20, 12), (0, 0)]
    before = hello("Vulkan2").check()
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_GAZE=";".join(f"{x},{y}" for x, y in gazes)).check()
    assert after.output.count("the gaze is the runtime's") == 1, after.output
    assert_foveated(before, after, gazes)


@pytest.mark.parametrize("why", ["none", "refused", "-"])
def test_without_a_gaze_each_eye_looks_straight_ahead(hello, why):
    """No such extension, no eye tracker or no permission, an eye that is not seen."""
    before = hello("Vulkan2").check()
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_GAZE=why).check()
    assert after.output.count("tells no gaze") == 1, after.output
    for view in range(2):
        _, _, tangents = place(0, 0, view)
        uv = (
            tangents["left"] / (tangents["left"] + tangents["right"]),
            tangents["up"] / (tangents["up"] + tangents["down"]),
        )
        wanted = expected(after.folder, before.picture(1, view), uv, tangents)
        assert numpy.abs(after.picture(1, view) - wanted).max() <= 3


def test_a_session_that_is_lost_in_mid_run_ends_as_without_fovea(hello):
    alone = hello("Vulkan2", FOVEA_TEST_XR_LOST="2")
    done = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_LOST="2")
    assert done.code == alone.code
    assert done.calls.count("view frame") == alone.calls.count("view frame") == 4
