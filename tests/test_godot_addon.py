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
EXTENSION_LIST = ".godot/extension_list.cfg"  # an editor writes it too; without it a first start has no extension


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
    extension = "res://addons/fovea/fovea.gdextension"
    for part in ("plugin/godot/addon/.", "plugin/godot/example/.", "libfovea_godot.so", f"{extension} >", EXTENSION_LIST):
        assert part in script
    shutil.copytree(EXAMPLE, folder)
    shutil.copytree(ADDON, folder / "addons" / "fovea")
    machine = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    (folder / "addons" / "fovea" / "bin").mkdir()
    shutil.copy(
        build_dir / "plugin" / "godot" / "libfovea_godot.so",
        folder / "addons" / "fovea" / "bin" / f"libfovea_godot.{machine}.so",
    )
    (folder / EXTENSION_LIST).parent.mkdir()
    (folder / EXTENSION_LIST).write_text(f"{extension}\n")


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
        pytest.skip("there is no Godot here; docs/engines.md says how to come by one, GODOT names one")
    return found


@pytest.fixture
def project(build_dir, tmp_path):
    folder = tmp_path / "project"
    make_project(build_dir, folder)
    settings = folder / "project.godot"  # movies have the size that it says, from 4.6 on whatever the window's is
    settings.write_text(settings.read_text().replace("=1280", "=800").replace("=720", "=450"))
    return folder


def run_godot(godot, project, count, *arguments, method="forward_plus"):
    """What it prints in so many frames, or in those before the project ends itself."""
    command = [
        need_tool("xvfb-run"), "-a", "-s", "-screen 0 1280x720x24", godot, "--path", project, "--audio-driver", "Dummy",
        "--rendering-method", method, "--rendering-driver", "vulkan", "--resolution", "800x450",
        "--quit-after", str(count), *arguments,
    ]  # fmt: skip
    done = run_program(*command, timeout=600)
    printed = done.stdout + done.stderr
    for words in ("SCRIPT ERROR", "is not supported yet", "editor_help", "vkCreate"):
        assert words not in printed
    return printed


def grey(path):
    return np.asarray(Image.open(path).convert("L"), dtype=float)


def frames_of(godot, project, folder, count, *properties):
    """The pictures of the frames, and what was printed."""
    folder.mkdir()
    printed = run_godot(godot, project, count, "--fixed-fps", "30", "--write-movie", folder / "frame.png", "--", *properties)
    for words in ("Fovea:", "Fovea ", "FoveaEffect"):
        assert words not in printed
    return [grey(path) for path in sorted(folder.glob("frame*.png"))], printed


def detail(picture, x_uv, y_uv, half_px):
    """Of a square."""
    x, y = int(x_uv * picture.shape[1]), int(y_uv * picture.shape[0])
    return np.abs(np.diff(picture[y - half_px : y + half_px, x - half_px : x + half_px])).mean()


def is_sharp(picture, drawn, x_uv, y_uv):
    return detail(picture, x_uv, y_uv, 8) > 0.9 * detail(drawn, x_uv, y_uv, 8)


def is_blurred(picture, drawn):
    """In a corner, away from the gaze."""
    half_px = picture.shape[0] // 12
    return detail(picture, 0.9, 0.9, half_px) < 0.5 * detail(drawn, 0.9, 0.9, half_px)


SETTINGS = {"as it is": "", "scaled": "scaling_3d/scale=0.5", "own thread": "driver/threads/thread_model=2"}


@pytest.mark.parametrize("setting", SETTINGS)
def test_example_runs_in_godot(godot, project, tmp_path, setting):
    (project / "override.cfg").write_text(f"[rendering]\n\n{SETTINGS[setting]}\n")
    gaze = "gaze_uv=Vector2(0.5, 0.6)"
    drawn = frames_of(godot, project, tmp_path / "drawn", 8, gaze, "strength=0.0")[0][-1]
    foveated = frames_of(godot, project, tmp_path / "foveated", 8, gaze, "strength=2.0")[0][-1]
    assert drawn.shape == foveated.shape
    assert is_sharp(foveated, drawn, 0.5, 0.6)
    assert is_blurred(foveated, drawn)


@pytest.mark.parametrize("setting", ["", "anti_aliasing/quality/msaa_3d=2\nscaling_3d/scale=0.75"])
def test_focus_follows_the_gaze_in_godot(godot, project, tmp_path, setting):
    """Of a near box and a far one."""
    (project / "override.cfg").write_text(f"[rendering]\n\n{setting}\n")
    places = {"near": (0.5, 0.6), "far": (0.645, 0.507)}
    lens = ["dof_focal_mm=100.0", "dof_f_number=0.5"]

    def picture(name, place, operators):
        gaze = f"gaze_uv=Vector2({place[0]}, {place[1]})"
        return frames_of(godot, project, tmp_path / name, 6, gaze, f'operators="{operators}"', "strength=0.0", *lens)[0][-1]

    drawn = picture("drawn", places["near"], "foveate")
    for name, place in places.items():
        focused = picture(name, place, "dof")
        for at in places.values():
            kept = detail(focused, *at, 8) / detail(drawn, *at, 8)
            assert kept > 0.7 if at == place else kept < 0.5


def test_effect_lives_in_godot(godot, project, tmp_path):
    """tests/godot/trial.gd changes size, scale, viewports, settings and the effect itself, and ends the program."""
    shutil.copy(ROOT / "tests" / "godot" / "trial.gd", project)
    (project / "override.cfg").write_text('[autoload]\n\nTrial="*res://trial.gd"\n')
    gaze = "gaze_uv=Vector2(0.5, 0.6)"
    drawn, _ = frames_of(godot, project, tmp_path / "drawn", 200, gaze, "strength=0.0")
    drawn_view = grey(project / "view.png")
    foveated, printed = frames_of(godot, project, tmp_path / "foveated", 200, gaze, "strength=2.0")
    assert 40 < len(drawn) == len(foveated) < 50
    assert "The window is (902.0, 504.0)." in printed
    resized, chosen, off = 8, 23, 38
    for at in range(3, len(drawn), 5):
        assert is_blurred(foveated[at], drawn[at]) == (at != off)
    assert is_sharp(foveated[resized], drawn[resized], 0.5, 0.6)
    assert is_sharp(foveated[chosen], drawn[chosen], 0.4, 0.55)
    beside_panel = np.s_[:, 400:]
    assert (foveated[off][beside_panel] == drawn[off][beside_panel]).all()
    assert is_blurred(grey(project / "view.png"), drawn_view)
    assert "leaked" not in printed
    assert printed.index("The gaze is lost.") < printed.index("The gaze is found.")


def test_effect_without_a_compositor_says_so_in_godot(godot, project):
    """From 4.5 on, after 200 frames of the main loop."""
    (project / "main.gd").write_text(
        'extends Node3D\n\nvar effect = ClassDB.instantiate("FoveaEffect")\n\n'
        "func _process(_delta: float) -> void:\n\tOS.delay_msec(12)\n"
    )
    (project / "main.tscn").write_text(
        '[gd_scene format=3]\n\n[ext_resource type="Script" path="res://main.gd" id="1"]\n\n'
        '[node name="Main" type="Node3D"]\nscript = ExtResource("1")\n'
    )
    assert run_godot(godot, project, 260).count("Fovea: ") == 1


def test_mobile_renderer_is_refused_in_godot(godot, project):
    assert run_godot(godot, project, 10, method="mobile").count("needs the Forward+ renderer, not Mobile") == 1
