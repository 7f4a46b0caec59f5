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


@pytest.fixture(scope="module")
def godot():
    found = os.environ.get("GODOT") or shutil.which("godot") or shutil.which("godot4")
    if not found:
        pytest.skip("there is no Godot here; no registry has one, GODOT names one")
    return found


@pytest.fixture
def project(build_dir, tmp_path):
    """As an editor leaves it that has been started once; builds without an editor run it, too."""
    folder = tmp_path / "project"
    make_project(build_dir, folder)
    (folder / ".godot").mkdir()
    (folder / ".godot" / "extension_list.cfg").write_text("res://addons/fovea/fovea.gdextension\n")
    return folder


def frames_of(godot, project, folder, count, *properties):
    """The pictures of so many frames of the example, or of those before it ends itself."""
    folder.mkdir()
    command = [
        need_tool("xvfb-run"), "-a", "-s", "-screen 0 1280x720x24", godot, "--path", project, "--audio-driver", "Dummy",
        "--rendering-method", "forward_plus", "--rendering-driver", "vulkan", "--fixed-fps", "30",
        "--quit-after", str(count), "--write-movie", folder / "frame.png", "--", *properties,
    ]  # fmt: skip
    done = run_program(*command, timeout=600)
    for words in ("Fovea:", "Fovea ", "FoveaEffect", "SCRIPT ERROR", "is not supported yet"):
        assert words not in done.stdout + done.stderr
    return [np.asarray(Image.open(path).convert("L"), dtype=float) for path in sorted(folder.glob("frame*.png"))]


def detail(picture, x_uv, y_uv):
    """Of a square of 80 pixels."""
    x, y = int(x_uv * picture.shape[1]), int(y_uv * picture.shape[0])
    return np.abs(np.diff(picture[y - 40 : y + 40, x - 40 : x + 40])).mean()


SETTINGS = {"as it is": "", "scaled": "scaling_3d/scale=0.5", "own thread": "driver/threads/thread_model=2"}


@pytest.mark.parametrize("setting", SETTINGS)
def test_example_runs_in_godot(godot, project, tmp_path, setting):
    (project / "override.cfg").write_text(f"[rendering]\n\n{SETTINGS[setting]}\n")
    gaze = "gaze_uv=Vector2(0.5, 0.6)"
    drawn = frames_of(godot, project, tmp_path / "drawn", 10, gaze, "strength=0.0")[-1]
    foveated = frames_of(godot, project, tmp_path / "foveated", 10, gaze, "strength=2.0")[-1]
    assert drawn.shape == foveated.shape
    assert detail(foveated, 0.5, 0.6) > 0.9 * detail(drawn, 0.5, 0.6)
    assert detail(foveated, 0.9, 0.9) < 0.5 * detail(drawn, 0.9, 0.9)


def test_effect_lives_in_godot(godot, project, tmp_path):
    """tests/godot/trial.gd changes size, scale, viewports, settings and the effect itself, and ends the program."""
    shutil.copy(ROOT / "tests" / "godot" / "trial.gd", project)
    (project / "override.cfg").write_text('[autoload]\n\nTrial="*res://trial.gd"\n')
    gaze = "gaze_uv=Vector2(0.5, 0.6)"
    drawn = frames_of(godot, project, tmp_path / "drawn", 200, gaze, "strength=0.0")
    foveated = frames_of(godot, project, tmp_path / "foveated", 200, gaze, "strength=2.0")
    assert 60 < len(drawn) == len(foveated) < 80
    assert len({picture.shape for picture in drawn}) == 2
    for at in (8, 18, 28, 38, 48, 68):
        assert detail(foveated[at], 0.9, 0.9) < 0.5 * detail(drawn[at], 0.9, 0.9)
    assert detail(foveated[58], 0.9, 0.9) > 0.9 * detail(drawn[58], 0.9, 0.9)  # the effect is off
