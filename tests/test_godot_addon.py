# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The addon for Godot: what its folder has, and that the example and the page speak of properties that there are.

Where there is a Godot 4 (on PATH, or GODOT names it), the example runs in it."""

import configparser
import os
import re
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import ROOT, need_tool, run_program
from PIL import Image

ADDON = ROOT / "plugin" / "godot" / "addon"
EXAMPLE = ROOT / "plugin" / "godot" / "example"
PAGE = ROOT / "docs" / "godot.md"


@pytest.fixture(scope="module")
def reference(build_dir):
    """The class reference, as the editor gets it."""
    return ElementTree.fromstring(run_program(build_dir / "tests" / "godot_help").stdout)


@pytest.fixture(scope="module")
def properties(reference):
    return {member.get("name"): member.get("type") for member in reference.iter("member")}


def test_every_property_is_described_once(reference):
    members = list(reference.iter("member"))
    assert len(members) > 50
    assert len({member.get("name") for member in members}) == len(members)
    assert [member.get("name") for member in members if len(member.text) < 8] == []
    assert [member.get("name") for member in members if not member.get("name").isidentifier()] == []


def test_settings_of_other_programs_are_no_properties(properties):
    assert [name for name in properties if name.startswith(("layer", "overlay", "backend", "log", "light"))] == []
    assert properties["gaze_uv"] == "Vector2"
    assert properties["strength"] == "float"


def test_page_lists_every_property(properties):
    text = PAGE.read_text()
    assert [name for name in properties if f"`{name}`" not in text] == []


def test_example_sets_properties_that_there_are(properties):
    text = "".join(path.read_text() for path in EXAMPLE.glob("*.gd"))
    shown = re.findall(r'"(\w+)"', re.search(r"SHOWN: [^=]*= (\[[^\]]*\])", text)[1])
    used = set(re.findall(r"effect\.(gaze_uv|gaze_valid|[a-z]+_[a-z_]+) ?=", text)) | set(shown)
    assert used and used - set(properties) == set()


def test_example_names_files_and_parts_that_there_are():
    scene = (EXAMPLE / "main.tscn").read_text()
    assert [name for name in re.findall(r'path="res://([^"]+)"', scene) if not (EXAMPLE / name).is_file()] == []
    for kind in ("Sub", "Ext"):
        declared = set(re.findall(rf'\[{kind.lower()}_resource [^\]]*\bid="(\w+)"', scene))
        assert set(re.findall(rf'{kind}Resource\("(\w+)"\)', scene)) == declared
    project = (EXAMPLE / "project.godot").read_text()
    assert 'run/main_scene="res://main.tscn"' in project


def test_extension_file_names_what_the_library_has():
    parser = configparser.ConfigParser()
    parser.read(ADDON / "fovea.gdextension")
    symbol = parser["configuration"]["entry_symbol"].strip('"')
    assert f"uint8_t {symbol}(" in (ROOT / "plugin" / "godot" / "godot_init.c").read_text()
    assert f"{symbol};" in (ROOT / "plugin" / "godot" / "godot.map").read_text()
    assert parser["configuration"]["compatibility_minimum"] == '"4.4"'
    assert (ADDON / parser["icons"]["foveaeffect"].strip('"')).is_file()


def make_project(build_dir, folder):
    """As ./run godot-addon --example does, with the library of the build that is tested."""
    script = (ROOT / "tests" / "run" / "godot.sh").read_text()
    for part in ("plugin/godot/addon/.", "plugin/godot/example/.", "libfovea_godot.so"):
        assert part in script
    shutil.copytree(EXAMPLE, folder)
    shutil.copytree(ADDON, folder / "addons" / "fovea")
    machine = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    (folder / "addons" / "fovea" / "bin").mkdir()
    shutil.copy(
        build_dir / "plugin" / "godot" / "libfovea_godot.so",
        folder / "addons" / "fovea" / "bin" / f"libfovea_godot.{machine}.so",
    )


def test_library_exports_its_entry_alone(build_dir):
    if "-fsanitize=" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("a sanitizer has symbols of its own")
    library = build_dir / "plugin" / "godot" / "libfovea_godot.so"
    exported = run_program(need_tool("nm"), "-D", "--defined-only", library).stdout.split()[2::3]
    assert exported == ["fovea_godot_init"]
    needed = run_program(need_tool("readelf"), "-d", library).stdout
    assert "libvulkan" not in needed


def last_frame(godot, project, folder, *properties):
    """The last picture of a few frames of the example."""
    folder.mkdir()
    command = [
        need_tool("xvfb-run"), "-a", "-s", "-screen 0 1280x720x24", godot, "--path", project, "--audio-driver", "Dummy",
        "--rendering-method", "forward_plus", "--rendering-driver", "vulkan", "--fixed-fps", "30", "--quit-after", "10",
        "--write-movie", folder / "frame.png", "--", *properties,
    ]  # fmt: skip
    done = run_program(*command, timeout=300)
    assert "Fovea:" not in done.stdout + done.stderr
    assert "SCRIPT ERROR" not in done.stdout + done.stderr
    return np.asarray(Image.open(sorted(folder.glob("frame*.png"))[-1]).convert("L"), dtype=float)


def detail(picture, x_uv, y_uv):
    """Of a square of 80 pixels."""
    x, y = int(x_uv * picture.shape[1]), int(y_uv * picture.shape[0])
    return np.abs(np.diff(picture[y - 40 : y + 40, x - 40 : x + 40])).mean()


def test_example_runs_in_godot(build_dir, tmp_path):
    godot = os.environ.get("GODOT") or shutil.which("godot") or shutil.which("godot4")
    if not godot:
        pytest.skip("there is no Godot here; no registry has one, GODOT names one")
    project = tmp_path / "project"
    make_project(build_dir, project)
    run_program(godot, "--path", project, "--headless", "--import", timeout=300)
    gaze = "gaze_uv=Vector2(0.5, 0.6)"
    drawn = last_frame(godot, project, tmp_path / "drawn", gaze, "strength=0.0")
    foveated = last_frame(godot, project, tmp_path / "foveated", gaze, "strength=2.0")
    assert drawn.shape == foveated.shape
    assert detail(foveated, 0.5, 0.6) > 0.9 * detail(drawn, 0.5, 0.6)
    assert detail(foveated, 0.9, 0.9) < 0.5 * detail(drawn, 0.9, 0.9)
