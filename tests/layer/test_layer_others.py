# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Programs and layers that nobody here wrote, unmodified: vkcube, mpv, and OpenGL programs through Mesa's Zink.
Under validation they cause no message that they do not cause alone; their frames are foveated."""

import json
import os
import shutil
import re
import subprocess
import time
from pathlib import Path

import numpy
import pytest
from conftest import need_tool
from layer_rig import wait_until

SIZE = "160x120"
SETS = {"backend": "vulkan", "foveation.method": "blockwise"}
ZINK = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "LIBGL_ALWAYS_SOFTWARE": "1"}


def cube():
    width, height = SIZE.split("x")
    return ["vkcube", "--c", "20", "--width", width, "--height", height, "--suppress_popups"]


def mpv():
    """It takes a Vulkan device of software only by its name."""
    listed = subprocess.run(["mpv", "--vulkan-device=help"], capture_output=True, text=True, timeout=30).stdout
    name = re.search(r"'(.*?)' \(GPU", listed)
    if not name:
        pytest.skip(listed)
    flags = ["--no-config", "--vo=gpu", "--gpu-api=vulkan", "--gpu-context=x11vk", "--no-audio", f"--geometry={SIZE}"]
    return ["mpv", *flags, f"--vulkan-device={name[1]}", f"av://lavfi:testsrc2=size={SIZE}:rate=10:duration=1"]


def glmark2():
    return ["glmark2", "-s", SIZE, "-b", "build:nframes=12"]


def glxgears():
    return ["glxgears", "-geometry", SIZE]


PROGRAMS = {"vkcube": (cube, {}), "mpv": (mpv, {}), "glmark2": (glmark2, ZINK), "glxgears": (glxgears, ZINK)}
ENDLESS = "glxgears"
# mpv (libplacebo 4.208) destroys the semaphores that its last presents wait for without waiting for those
# presents. That is a driver's matter alone, and of a submit, which validation sees, where Fovea waits for them.
ITS_OWN = {"mpv": ["VUID-vkDestroySemaphore-semaphore-01137"]}


def has_drawn(rig, folder, options):
    """As far as can be seen from outside: alone it is believed."""
    if options.get("dump"):
        return sum(frame.is_whole() for frame in rig.frames(folder)) >= 5
    log = folder / "fovea.log"
    return not options.get("on", True) or (log.exists() and "backend" in log.read_text())


def run(rig, name, extra=(), **options):
    need_tool(name)
    command, environment = PROGRAMS[name]
    options["extra"] = {**environment, **dict(extra)}
    if name != ENDLESS:
        done = rig.run(*command(), **options)
        assert done.code == 0, done.output + done.log
        return done
    process, folder = rig.start(*command(), **options)
    time.sleep(3)
    assert wait_until(lambda: has_drawn(rig, folder, options), 60), (folder / "output.txt").read_text()
    assert process.poll() is None, (folder / "output.txt").read_text()
    process.terminate()
    done = rig.done(process, folder)
    done.frames = [frame for frame in rig.frames(folder) if frame.is_whole()]
    return done


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_frames_are_foveated(rig, name):
    done = run(rig, name, sets=SETS, dump=True)
    assert len(done.frames) >= 5, done.output + done.log
    for frame in (done.frames[1], done.frames[-1]):
        assert numpy.abs(frame.after - rig.expected(frame, SETS)).max() <= 1
    assert any((frame.after != frame.before).any() for frame in done.frames)


@pytest.mark.parametrize(("name", "backend"), [("vkcube", "cpu"), *((name, "vulkan") for name in PROGRAMS)])
def test_validation_finds_nothing_of_foveas(rig, name, backend):
    alone = run(rig, name, on=False, validate=True)
    done = run(rig, name, sets={"backend": backend}, validate=True)
    alone.assert_validated()
    done.assert_validated()
    assert done.foveated, done.log
    assert [m for m in done.new_messages(alone) if not any(known in m for known in ITS_OWN.get(name, []))] == []


WINDOWS = r"""
#include <windows.h>
int main(void)
{
    const int application[12] = {0}, info[16] = {1};
    void *instance = 0;
    const HMODULE vulkan = LoadLibraryA("vulkan-1.dll");
    int (*create)(const void *, const void *, void *) = (void *)GetProcAddress(vulkan, "vkCreateInstance");
    return create ? create(info, 0, &instance) + application[0] : 99;
}
"""


def test_programs_under_wine_have_their_own_names(rig, tmp_path):
    """Wine puts their command lines over its own."""
    wine = shutil.which("wine64") or "/usr/lib/wine/wine64"
    compiler = shutil.which("x86_64-w64-mingw32-gcc")
    if not compiler or not Path(wine).exists():
        pytest.skip("no wine64, or no gcc-mingw-w64-x86-64")
    (tmp_path / "program.c").write_text(WINDOWS)
    drive = tmp_path / "wine" / "drive_c"
    drive.mkdir(parents=True)
    subprocess.run([compiler, tmp_path / "program.c", "-o", drive / "d9.exe"], check=True)
    shutil.copy(drive / "d9.exe", drive / "explorer.exe")
    extra = {"WINEPREFIX": str(tmp_path / "wine"), "HOME": str(tmp_path), "WINEDEBUG": "-all"}
    for program in r"C:\d9.exe", drive / "d9.exe", r"C:\windows\..\d9.exe":
        done = rig.run(wine, program, extra=extra, timeout=180)
        assert done.code == 0 and 'apps know this program as "d9.exe"' in done.log, done.output + done.log
    assert "it is on the list" in rig.run(wine, r"C:\explorer.exe", extra=extra, timeout=180).log


@pytest.mark.parametrize(("layer", "switch"), [("MangoHud", "MANGOHUD"), ("vkBasalt", "ENABLE_VKBASALT")])
def test_beside_another_layer(rig, layer, switch):
    """Its own messages are the same without Fovea."""
    if not Path(f"/usr/share/vulkan/implicit_layer.d/{layer}.json").exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{layer} is not here")
    extra = {switch: "1"}
    alone = run(rig, "vkcube", on=False, validate=True, extra=extra)
    done = run(rig, "vkcube", sets=SETS, validate=True, extra=extra)
    assert done.foveated, done.log
    assert layer.lower() in done.output.lower(), f"{layer} was not there\n{done.output}"
    assert done.new_messages(alone) == []


@pytest.mark.parametrize("switch", ["MANGOHUD", "ENABLE_VKBASALT"])
def test_below_another_layer(rig, switch, tmp_path):
    """The other layer is found first and so stands above: it looks vkCreateDevice up without an instance, and
    vkBasalt holds a lock around it."""
    found = [p for p in Path("/usr/share/vulkan/implicit_layer.d").glob("*.json") if switch in p.read_text()]
    if not found:
        pytest.skip(f"no layer with {switch}")
    folder = tmp_path / "vulkan" / "implicit_layer.d"
    folder.mkdir(parents=True)
    shutil.copy(found[0], folder)
    drivers = ":".join(map(str, sorted(Path("/usr/share/vulkan/icd.d").glob("lvp*.json"))))
    # If a layer is found twice the loader may take the second: the first must be the only one.
    place = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path / "none"), "VK_ICD_FILENAMES": drivers}
    done = run(rig, "vkcube", sets=SETS, dump=True, extra={switch: "1", "VK_LOADER_DEBUG": "layer", **place})
    stack = (done.output + done.log).split("vkCreateDevice layer callstack")[1]
    other = json.loads(found[0].read_text())["layer"]["name"]
    assert stack.index(other) < stack.index("VK_LAYER_FOVEA_foveation")
    assert done.foveated, done.log
    assert len(done.frames) >= 5
    assert numpy.abs(done.frames[-1].after - rig.expected(done.frames[-1], SETS)).max() <= 1
