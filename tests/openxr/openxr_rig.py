# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""How tests run programs on the runtime of our own, and what those did there."""

import functools
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import numpy
import pytest
from conftest import ROOT

BUILD = Path(os.environ.get("FOVEA_BUILD_DIR", ROOT / "build"))
RUNTIME = BUILD / "tests" / "openxr" / "runtime.json"
LAYERS = BUILD / "plugin" / "openxr" / "api_layers"
ABOVE = BUILD / "tests" / "openxr" / "above"
OURS = (str(BUILD / "tests" / "openxr_program"),)
VULKAN_LAYER = BUILD / "plugin" / "layer" / "run" / "share" / "vulkan" / "implicit_layer.d"
# Fovea's layer for Vulkan sees how images are made: only then kernels see them where they are.
DIRECT = {
    "VK_ADD_LAYER_PATH": str(VULKAN_LAYER),
    "VK_INSTANCE_LAYERS": "VK_LAYER_FOVEA_foveation:VK_LAYER_KHRONOS_validation",
}
CORE_VALIDATION = "XR_APILAYER_LUNARG_core_validation"
FRAMES = 3
SIZE = (176, 160)  # of a view: each frame of two is drawn by the CPU, too
VALIDATION = """\
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = {log}
"""


def size_of(view):
    """Height and width; the inner views of four are half as large."""
    return SIZE if view < 2 else (SIZE[0] // 2, SIZE[1] // 2)


class Done:
    """What a program did: its frames as the runtime was handed them, what was said and refused."""

    def __init__(self, folder, code, output):
        self.folder, self.code, self.output = folder, code, output
        self.calls = (folder / "calls.txt").read_text()
        log = folder / "validation.txt"
        self.validation = log.read_text() if log.exists() else ""

    def picture(self, frame, view):
        data = numpy.fromfile(self.folder / f"frame{frame}-layer0-view{view}.raw", numpy.uint8)
        return data.reshape(*size_of(view), 4).astype(int)

    def pictures(self, frame):
        return [self.picture(frame, view) for view in range(2)]

    def swapchains(self, view):
        return set(re.findall(rf"view frame \d+ layer 0 view {view} swapchain (\w+)", self.calls))

    def check(self, views=2 * FRAMES):
        assert self.code == 0, self.output
        assert "refused" not in self.calls, self.calls
        assert "VALID_ERROR" not in self.output and "VALID_WARNING" not in self.output, self.output
        assert "Current Enables" in self.validation, "Vulkan's validation was not there"
        assert not re.search(r"Validation (Error|Warning)", self.validation), self.validation
        assert self.calls.count("view frame") == views, self.calls
        return self


def runner(place):
    """Runs hello_xr, or a program of our own, each time in a folder of its own."""
    if not RUNTIME.exists() or not shutil.which("hello_xr"):
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("no hello_xr, or OpenXR was not built")

    def prepare(graphics, fovea, program, more):
        folder = place / str(len(list(place.iterdir())))
        folder.mkdir()
        settings = folder / "settings.txt"
        settings.write_text(VALIDATION.format(log=folder / "validation.txt"))
        env = {k: v for k, v in os.environ.items() if not k.startswith(("FOVEA_", "XR_"))}
        env.update(
            XR_RUNTIME_JSON=str(RUNTIME),
            XR_API_LAYER_PATH=f"{LAYERS}:{ABOVE}:/usr/share/openxr/1/api_layers/explicit.d",
            XR_ENABLE_API_LAYERS=":".join((["XR_APILAYER_FOVEA"] if fovea else []) + [CORE_VALIDATION]),
            XR_CORE_VALIDATION_EXPORT_TYPE="text",
            VK_DRIVER_FILES="/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
            VK_LAYER_SETTINGS_PATH=str(settings),
            XDG_CONFIG_HOME=str(folder),
            XDG_CACHE_HOME=str(folder),
            FOVEA_TEST_XR_OUT=str(folder),
            FOVEA_TEST_XR_FRAMES=str(FRAMES),
            FOVEA_TEST_XR_SIZE=f"{SIZE[1]}x{SIZE[0]}",
            FOVEA_SET="foveation.model=paper",
        )
        env.update({"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation", **more})
        return folder, {"args": [*program, graphics], "env": env, "cwd": folder, "text": True}

    def run(graphics, fovea=False, program=("hello_xr", "-g"), **more):
        folder, call = prepare(graphics, fovea, program, more)
        # A key ends it, the end of its input too: it gets neither.
        read, write = os.pipe()
        try:
            done = subprocess.run(**call, stdin=read, capture_output=True, timeout=120)
        finally:
            os.close(read)
            os.close(write)
        return Done(folder, done.returncode, done.stdout + done.stderr)

    run.prepare = prepare
    return run


class Steps:
    """Our own program, which shows a frame when it is told to."""

    def __init__(self, hello, config=None, **more):
        more = {"FOVEA_TEST_XR_FRAMES": "0", "FOVEA_TEST_XR_GAZE": "10,-5", **more}
        self.folder, call = hello.prepare("steps", True, OURS, more)
        self.file = self.folder / "fovea.json"
        self.frames = 0
        self.errors = open(self.folder / "errors.txt", "w+")  # noqa: SIM115
        if config is not None:
            self.write(config)
        self.process = subprocess.Popen(**call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.process.stdout.readline()

    def write(self, text):
        self.file.with_suffix(".new").write_text(text if isinstance(text, str) else json.dumps({"version": 1, **text}))
        self.file.with_suffix(".new").rename(self.file)

    def said(self):
        return (self.folder / "errors.txt").read_text()

    def show(self, words=""):
        """The next frame's views."""
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline(), self.said()
        self.frames += 1
        return [Done.picture(self, self.frames - 1, view) for view in range(2)]

    def show_until(self, holds):
        until = time.monotonic() + 30
        while not holds(pictures := self.show()):
            assert time.monotonic() < until, self.said()
            time.sleep(0.05)
        return pictures

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        self.errors.close()
        return Done(self.folder, code, self.process.stdout.read() + self.said()).check(2 * self.frames)


def place(yaw_deg, pitch_deg, view):
    """Where a direction of the head's is in a view of the runtime's (runtime_views.c), and the view's tangents. The
    views 2 and 3 are the inner ones of four."""
    out, inner, up, down = numpy.radians([22, 18, 17, 21] if view > 1 else [50, 42, 40, 48])
    left, right, turn = (inner, out, 5) if view % 2 else (out, inner, -5)
    turn = numpy.radians(turn)
    tangents = {"left": numpy.tan(left), "right": numpy.tan(right)}
    tangents.update(up=numpy.tan(up), down=numpy.tan(down))
    yaw, pitch = numpy.radians(yaw_deg) - turn, numpy.radians(pitch_deg)
    x, y = numpy.tan(yaw), numpy.tan(pitch) / numpy.cos(yaw)
    uv = (x + tangents["left"]) / (tangents["left"] + tangents["right"])
    return uv, (tangents["up"] - y) / (tangents["up"] + tangents["down"]), tangents


def straight_ahead(view):
    """Where a view's frustum has its axis, and its tangents."""
    _, _, tangents = place(0, 0, view)
    x = tangents["left"] / (tangents["left"] + tangents["right"])
    return x, tangents["up"] / (tangents["up"] + tangents["down"]), tangents


def file_expected(folder, drawn, size, uv, tangents, *words_after, **more):
    """The file that the library's CPU call makes of a file of that height and width, of RGBA8 or the format of that name;
    further words are what layer_expect takes."""
    sets = {"foveation.model": "paper", **{f"foveation.geometry.tan_{k}": v for k, v in tangents.items()}, **more}
    env = {k: v for k, v in os.environ.items() if not k.startswith("FOVEA_")}
    env.update(FOVEA_SET=",".join(f"{k}={v}" for k, v in sets.items()), XDG_CONFIG_HOME=str(folder / "none"))
    words = [BUILD / "tests" / "layer_expect", drawn, folder / "out.raw", *reversed(size), *uv, *words_after]
    subprocess.run([str(word) for word in words], env=env, check=True, timeout=60)
    return folder / "out.raw"


def expected(folder, before, uv, tangents, **more):
    """What the library's CPU call makes of a picture."""
    before.astype(numpy.uint8).tofile(folder / "before.raw")
    out = file_expected(folder, folder / "before.raw", before.shape[:2], uv, tangents, **more)
    return numpy.fromfile(out, numpy.uint8).reshape(before.shape).astype(int)


def foveated_view(folder, drawn, gaze, view, **more):
    """A view as it is around a gaze of the head's; None: straight ahead."""
    x, y, tangents = place(*gaze, view) if gaze else straight_ahead(view)
    return expected(folder, drawn, (x, y), tangents, **more)


def assert_view(before, after, frame, view, gaze):
    drawn = before.picture(frame, view)
    wanted = foveated_view(after.folder, drawn, gaze, view)
    assert numpy.abs(wanted - drawn).max() > 20, "the operator changes nothing here"
    far = numpy.abs(after.picture(frame, view) - wanted).max()
    assert far <= 3, f"frame {frame}, view {view}: {far} levels"


def assert_eyes(before, after, frame, eyes, views=2):
    """Left views are foveated around the left eye's gaze, right ones around the right eye's."""
    for view in range(views):
        assert_view(before, after, frame, view, eyes[view % 2])


def assert_foveated(before, after, gazes, views=2, first=0):
    """From the frame `first` on, one for each gaze."""
    for frame, gaze in enumerate(gazes, first):
        assert_eyes(before, after, frame, (gaze, gaze), views)


def same(pictures, others):
    return all((a == b).all() for a, b in zip(pictures, others, strict=True))


def assert_as_drawn(before, after, frames=range(FRAMES), views=range(2)):
    for frame in frames:
        for view in views:
            assert (after.picture(frame, view) == before.picture(frame, view)).all(), f"frame {frame}, view {view}"


def over_faults(folder, fault):
    """-> the variables that put the layer of faults (tests/layer/fault/fault.h) below; its manifest goes into the folder."""
    layer = {
        "name": "VK_LAYER_FOVEA_fault",
        "type": "GLOBAL",
        "library_path": str(BUILD / "tests" / "VkLayer_fovea_fault.so"),
        "api_version": "1.3.239",
        "implementation_version": "1",
        "description": "for tests",
    }
    (folder / "fault.json").write_text(json.dumps({"file_format_version": "1.2.0", "layer": layer}))
    layers = f"VK_LAYER_FOVEA_fault:{DIRECT['VK_INSTANCE_LAYERS']}"
    return {"FOVEA_FAULT": fault, "VK_ADD_LAYER_PATH": f"{folder}:{VULKAN_LAYER}", "VK_INSTANCE_LAYERS": layers}


def without_memory_while(path):
    """-> the variables with which all allocations of the layer's on the program's threads fail while there is such a file."""
    preload = BUILD / "tests" / "fovea_storm_preload.so"
    return {"LD_PRELOAD": str(preload), "FOVEA_STORM_LAYER": "libXrApiLayer_fovea.so", "FOVEA_STORM_WHILE": str(path)}


@pytest.fixture
def hello(tmp_path):
    return runner(tmp_path)


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return runner(tmp_path_factory.mktemp("before"))("Vulkan2").check()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What our own program of a kind shows without Fovea, so many pictures; it runs once."""

    @functools.cache
    def run(kind, pictures=2 * FRAMES):
        return runner(tmp_path_factory.mktemp(kind))(kind, program=OURS).check(pictures)

    return run


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The views of a frame of Steps before they are foveated."""
    steps = Steps(runner(tmp_path_factory.mktemp("drawn")), {"foveation": {"strength": 0}})
    pictures = steps.show()
    steps.end()
    return pictures
