# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""When the layer is there and when it is not, and beside which others."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import need_tool
from layer_rig import FAULT, FOVEA, VALIDATION, wait_until

DEVICE_SELECT = "VK_LAYER_MESA_device_select"


def run_cube(rig, **options):
    need_tool("vkcube")
    options.setdefault("sets", {"backend": "vulkan"})
    done = rig.run("vkcube", "--c", "3", "--width", "120", "--height", "90", "--suppress_popups", **options)
    assert done.code == 0, done.output + done.log
    return done


def chain(done):
    """The layers from the program to the driver, as the loader names them."""
    text = done.output[: done.output.index("<Drivers>")]
    return re.findall(r"VK_LAYER_\w+", text[text.rindex("<Application>") :])


@pytest.mark.parametrize(
    ("environment", "foveated"),
    [
        ({}, False),
        ({"FOVEA_ENABLE": "1"}, True),
        ({"FOVEA_ENABLE": "yes"}, False),
        ({"FOVEA_ENABLE": "0"}, False),
        ({"FOVEA_ENABLE": ""}, False),
        ({"FOVEA_ENABLE": "1", "FOVEA_DISABLE": "1"}, False),
        ({"FOVEA_ENABLE": "1", "FOVEA_DISABLE": "0"}, False),
        ({"FOVEA_ENABLE": "1", "VK_LOADER_LAYERS_DISABLE": "~implicit~"}, False),
        ({"FOVEA_ENABLE": "1", "VK_LOADER_LAYERS_DISABLE": "~all~", "VK_LOADER_LAYERS_ENABLE": "*fovea*"}, True),
        ({"VK_LOADER_LAYERS_ENABLE": "*FOVEA*"}, True),
        ({"VK_INSTANCE_LAYERS": VALIDATION}, False),
    ],
)
def test_the_environment_decides(rig, environment, foveated):
    done = run_cube(rig, on=False, extra=environment)
    assert done.foveated == foveated, done.log + done.output
    assert foveated or not done.log


def test_a_backend_that_is_not_there(rig):
    """A swapchain is seen, but none of its frames is foveated."""
    done = run_cube(rig, sets={"backend": "cuda"})
    assert "frames are presented as they are" in done.log, done.log
    assert not done.foveated


def test_as_an_explicit_layer(rig):
    extra = {"VK_LAYER_PATH": rig.folder / "explicit", "VK_INSTANCE_LAYERS": FOVEA, "XDG_DATA_HOME": rig.folder}
    done = run_cube(rig, on=False, extra={key: str(value) for key, value in extra.items()})
    assert done.foveated, done.log + done.output
    extra["FOVEA_DISABLE"] = "0"
    done = run_cube(rig, on=False, dump=True, extra={key: str(value) for key, value in extra.items()})
    assert "left alone: FOVEA_DISABLE is set" in done.log and not done.frames, done.log + done.output


@pytest.mark.parametrize("above", [True, False])
def test_beside_mesas_device_selection_in_either_order(rig, above):
    file = "/usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json"
    folder = rig.folder / f"order{above}"
    folder.mkdir()
    extra = {"VK_LOADER_DEBUG": "layer", "VK_LAYER_PATH": str(folder)}
    if above:  # Mesa's as an explicit layer below ours
        shutil.copy(file, folder)
        extra["VK_INSTANCE_LAYERS"] = DEVICE_SELECT
        extra["NODEVICE_SELECT"] = None
    else:
        shutil.copy(rig.folder / "explicit" / "fovea.json", folder)
        extra.update(VK_INSTANCE_LAYERS=FOVEA, XDG_DATA_HOME=str(rig.folder))
    done = run_cube(rig, on=above, extra=extra)
    layers = chain(done)
    assert FOVEA in layers and DEVICE_SELECT in layers, done.output
    assert (layers.index(FOVEA) < layers.index(DEVICE_SELECT)) == above, layers
    assert done.foveated


def test_two_manifests_are_one_layer(rig):
    folder = rig.folder / "twice"
    shutil.copytree(rig.folder / "data", folder)
    implicit = folder / "vulkan" / "implicit_layer.d"
    shutil.copy(implicit / "fovea.json", implicit / "another.json")
    done = run_cube(rig, fault="nothing", extra={"XDG_DATA_HOME": str(folder)})
    assert done.counts == (3, 3), done.output


@pytest.mark.parametrize("between", [[], [DEVICE_SELECT]])
def test_two_names_are_one_layer(rig, between):
    """Two manifests give them to it, and so two places in the loader's chain, where another layer may lie between."""
    again, mesas = "VK_LAYER_FOVEA_again", "/usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json"
    folders = [rig.folder / name for name in ("between", "again", "fault")]  # the loader's order is theirs
    rig.write(folders[1], "again.json", again, rig.library)
    folders[0].mkdir(exist_ok=True)
    shutil.copy(mesas, folders[0])
    layers = [*between, again, FAULT]
    extra = {"VK_ADD_LAYER_PATH": ":".join(map(str, folders)), "VK_INSTANCE_LAYERS": ":".join(layers)}
    done = run_cube(rig, fault="nothing", extra={**extra, "VK_LOADER_DEBUG": "layer"})
    assert [layer for layer in chain(done) if layer in [FOVEA, *layers]] == [FOVEA, *layers], done.output
    assert done.counts == (3, 3), done.output


def test_a_library_that_is_not_there(rig):
    folder = rig.folder / "gone" / "vulkan" / "implicit_layer.d"
    rig.write(folder, "fovea.json", FOVEA, rig.folder / "no-such-library.so")
    done = run_cube(rig, extra={"XDG_DATA_HOME": str(rig.folder / "gone")})
    assert not done.log


@pytest.mark.parametrize("log", ["/no/such/folder/log", "/proc/self/mem/log", ""])
def test_a_log_that_cannot_be_written(rig, log):
    done = run_cube(rig, extra={"FOVEA_LOG_FILE": log})
    assert ("FOVEA_LOG_FILE is not a file" in done.output) == (log != ""), done.output


@pytest.mark.parametrize("setting", ["FOVEA_CONFIG=/no/such/file", "FOVEA_CONFIG=/dev/zero", "FOVEA_SET=?"])
def test_settings_that_are_wrong(rig, setting):
    done = run_cube(rig, extra=[setting.split("=")])
    assert "the configuration cannot be taken; the defaults are in force" in done.log, done.log
    assert done.foveated


def test_a_closed_stderr(rig):
    """Its number is then some other file's, of which nothing may be written to."""
    command = ["sh", "-c", 'exec "$0" plain 2>&-', rig.program]
    for extra in {"FOVEA_LOG_FILE": None, "FOVEA_SET": "?"}, {"FOVEA_LOG_FILE": "stderr"}:
        done = rig.run(*command, dump=True, extra=extra)
        said = [line for line in done.output.splitlines() if not line.startswith("at the end:")]  # the program's own
        assert done.code == 0 and done.frames and not said, done.output


def on_the_screen(rig):
    command = ["xwd", "-silent", "-root", "-display", rig.display]
    return subprocess.run(command, capture_output=True, timeout=30, check=True).stdout


def held(rig, *command, **options):
    """-> the maps of a program that shows its last picture, and the screen"""
    process, run = rig.start(*command, **options)
    assert wait_until(lambda: "ready" in (run / "output.txt").read_text(), 30), (run / "output.txt").read_text()
    time.sleep(0.2)
    maps, screen = Path(f"/proc/{process.pid}/maps").read_text(), on_the_screen(rig)
    done = rig.done(process, run)
    assert done.code == 0, done.output
    return maps, screen


def setuid_counts(folder):
    """Root may mount, and neither the file system nor the process keeps setuid from working."""
    mount = ["unshare", "-m", "mount", "--bind", folder, "/usr/local/share"]
    return (
        os.geteuid() == 0
        and not os.statvfs(folder).f_flag & os.ST_NOSUID
        and re.search(r"NoNewPrivs:\s*0", Path("/proc/self/status").read_text())
        and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    )


def test_a_setuid_program_is_left_alone(rig):
    """The loader takes it along all the same, from folders of the system: one of those is replaced for the
    program alone, which is root's and runs as somebody else."""
    need_tool("xwd")
    if rig.sanitizers or not setuid_counts(rig.folder):
        pytest.skip("only for root, who may mount, where setuid counts")
    share = rig.folder / "share"
    rig.write(share / "vulkan" / "implicit_layer.d", "fovea.json", FOVEA, "/usr/local/share/libVkLayer_fovea.so")
    shutil.copy(rig.library, share)
    shutil.copy(rig.program, share / "program")
    for path in [share, *share.rglob("*")]:
        path.chmod(0o755)
    inside = 'mount --bind "$0" /usr/local/share && exec setpriv --reuid=65534 --regid=65534 --clear-groups'
    command = ["unshare", "-m", "sh", "-c", f"{inside} /usr/local/share/program hold", share]
    nowhere = {"XDG_DATA_HOME": str(rig.folder / "none")}
    foveated, plain = held(rig, *command, extra=nowhere), held(rig, *command, on=False, extra=nowhere)
    assert "libVkLayer_fovea" in foveated[0] and foveated[1] != plain[1], "the layer does not work there at all"
    (share / "program").chmod(0o4755)
    setuid = held(rig, *command, extra=nowhere)
    assert "libVkLayer_fovea" in setuid[0], "the loader has not taken it along"
    assert setuid[1] == plain[1], "it was foveated"


def test_programs_to_stay_out_of(rig):
    """By the name of the program's file."""
    program = rig.folder / "steam"
    shutil.copy(need_tool("vkcube"), program)
    done = rig.run(program, "--c", "3", "--suppress_popups", dump=True)
    assert done.code == 0 and "left alone" in done.log and not done.frames, done.log


SCRIPT = """\
#!/usr/bin/python3 -u
import ctypes, sys
loader = ctypes.CDLL("libvulkan.so.1")
info, instance = (ctypes.c_uint64 * 8)(1), ctypes.c_void_p()
sys.exit(loader.vkCreateInstance(info, None, ctypes.byref(instance)))
"""


@pytest.mark.parametrize(("name", "stays_out"), [("lutris", True), ("a-game", False)])
def test_scripts_to_stay_out_of(rig, name, stays_out):
    """By the name of the script's file, whatever runs it."""
    script = rig.folder / name
    script.write_text(SCRIPT)
    script.chmod(0o755)
    done = rig.run(script, "steam")
    assert done.code == 0 and ("left alone" in done.log) == stays_out, done.log + done.output
