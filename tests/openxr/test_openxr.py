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
