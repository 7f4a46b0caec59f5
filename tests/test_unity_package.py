# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The package for Unity: its files, its scripts against signatures of ours (unity/stubs), and what they say to the native
plugin. No Unity is needed, and none has run it."""

import json
import os
import re
import struct

import pytest
from conftest import ROOT, need_tool, run_program

PACKAGE = ROOT / "plugin" / "unity" / "package"
STUBS = ROOT / "tests" / "unity" / "stubs"
PLUGIN = "Runtime/Plugins/Linux/x86_64/libGfxPluginFovea.so"
# Fields that Unity's inspector fills are assigned by nobody.
COMPILER = ["-warnaserror", "-warn:4", "-nowarn:0649,0414,0169"]
RUNTIME = sorted((PACKAGE / "Runtime").glob("*.cs"))


def pipeline_scripts(kind):
    """kind: "Universal" or "HighDefinition". Also what both pipelines share, and the stub of this one."""
    return [*RUNTIME, *(path for folder in ("RenderPipelines", kind) for path in (PACKAGE / "Runtime" / folder).glob("*.cs")),
            STUBS / f"{kind}.cs"]  # fmt: skip


def assets():
    """What Unity imports: all but folders that end in ~. The native library is there after the build."""
    paths = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.suffix != ".meta"]
    return {str(path) for path in paths if not any(part.endswith("~") for part in path.parts)} | {PLUGIN}


def test_every_asset_has_a_fixed_guid_and_none_twice():
    metas = {str(path.relative_to(PACKAGE))[: -len(".meta")]: path.read_text() for path in PACKAGE.rglob("*.meta")}
    assert set(metas) == assets()
    guids = [re.search(r"^guid: ([0-9a-f]{32})$", text, re.M)[1] for text in metas.values()]
    assert len(set(guids)) == len(guids)


def test_the_native_plugin_is_loaded_at_unitys_start():
    meta = (PACKAGE / f"{PLUGIN}.meta").read_text()
    assert "isPreloaded: 1" in meta
    assert PLUGIN.split("/")[-1].startswith("libGfxPlugin")


def test_the_package_says_what_it_is():
    package = json.loads((PACKAGE / "package.json").read_text())
    version = re.search(r"project\(fovea VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert (package["name"], package["version"]) == ("com.fovea.unity", version)
    assert f"## {version}\n" in (PACKAGE / "CHANGELOG.md").read_text()
    assert (PACKAGE / "LICENSE.md").read_text() == (ROOT / "LICENSE").read_text()
    for sample in package["samples"]:
        assert (PACKAGE / sample["path"]).is_dir()
    for path in PACKAGE.rglob("*.asmdef"):
        assert json.loads(path.read_text())["name"] == path.stem


def test_the_changelog_names_what_scripts_and_the_plugin_agree_on():
    changes = " ".join((PACKAGE / "CHANGELOG.md").read_text().split())
    block = re.search(r"uint Version = (\d+);", (PACKAGE / "Runtime" / "Native.cs").read_text())[1]
    header = (ROOT / "plugin" / "unity" / "fovea_unity.h").read_text()
    assert f"#define FOVEA_UNITY_VERSION {block}\n" in header
    assert f"block of a frame is of version {block}:" in changes


def compile_scripts(out, *sources, defines=()):
    kind = "library" if out.suffix == ".dll" else "exe"
    run_program(need_tool("mcs"), f"-target:{kind}", *COMPILER, f"-out:{out}", *[f"-define:{d}" for d in defines], *sources)


@pytest.mark.parametrize("defines", [["ENABLE_LEGACY_INPUT_MANAGER"], ["ENABLE_INPUT_SYSTEM"]], ids=["manager", "system"])
def test_the_scripts_compile_without_a_render_pipeline(defines, tmp_path):
    scripts = [*RUNTIME, *(PACKAGE / "Editor").glob("*.cs"), *(PACKAGE / "Samples~").rglob("*.cs")]
    compile_scripts(tmp_path / "fovea.dll", STUBS / "UnityEngine.cs", STUBS / "UnityEditor.cs", *scripts, defines=defines)


@pytest.mark.parametrize("defines", [["FOVEA_URP"], ["FOVEA_URP", "FOVEA_URP_17"]], ids=["2022.3", "6"])
def test_the_scripts_compile_with_the_universal_render_pipeline(defines, tmp_path):
    compile_scripts(tmp_path / "fovea.dll", STUBS / "UnityEngine.cs", *pipeline_scripts("Universal"), defines=defines)


def test_the_scripts_compile_with_the_high_definition_render_pipeline(tmp_path):
    compile_scripts(tmp_path / "fovea.dll", STUBS / "UnityEngine.cs", *pipeline_scripts("HighDefinition"),
                    defines=["FOVEA_HDRP"])  # fmt: skip


def run_scripts(folder, libraries):
    program = folder / "program.exe"
    compile_scripts(program, STUBS / "UnityEngine.cs", *RUNTIME, ROOT / "tests" / "unity" / "Program.cs")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FOVEA_")}
    environment |= {"LD_LIBRARY_PATH": str(libraries), "XDG_CONFIG_HOME": str(folder), "HOME": str(folder)}
    return run_program(need_tool("mono"), program, cwd=folder, env=environment).stdout.splitlines()


def test_the_scripts_and_the_native_plugin_understand_each_other(build_dir, tmp_path):
    """fovea_unity.h asserts the same sizes."""
    if "-fsanitize=" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("mono is not built for sanitizers")
    said = run_scripts(tmp_path, build_dir / "plugin" / "unity")
    assert said[:8] == ["eye 40", "depth 48 at 128", "block 176", "texture 16", "left 40", "usable 32", "stats 40", "ready False"]
    assert said[8:10] == ["right True ", "strength 2"]
    assert re.match(r"wrong False JSON:1:28: foveation.strength: .*0 to 8", said[10])
    assert said[11:14] == ["set True", "strength 0.5", "none True"]
    assert any(line.startswith("error Fovea: JSON:1:28") for line in said[14:])


def run_frames(folder, pipeline, defines=(), by_queue=False, depth=False):
    """The frames of unity/Frames.cs on a plugin that does nothing: each thing that Unity is told, blocks as numbers."""
    library = folder / "libGfxPluginFovea.so"
    run_program(need_tool("gcc"), "-shared", "-fPIC", "-I", ROOT, "-I", ROOT / "plugin",
                ROOT / "tests" / "unity" / "fake_plugin.c", "-o", library)  # fmt: skip
    kind = "HighDefinition" if "FOVEA_HDRP" in defines else "Universal"
    scripts = pipeline_scripts(kind) if defines else RUNTIME
    compile_scripts(folder / "frames.exe", STUBS / "UnityEngine.cs", *scripts, ROOT / "tests" / "unity" / "Frames.cs",
                    defines=defines)  # fmt: skip
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)} | ({"FOVEA_TEST_QUEUE": "1"} if by_queue else {})
    environment |= {"FOVEA_TEST_DEPTH": "1"} if depth else {}
    said = run_program(need_tool("mono"), folder / "frames.exe", pipeline, env=environment).stdout.splitlines()
    return [(line.split()[0], line) if "event" not in line else event(line) for line in said]


def event(line):
    """fovea_unity_block."""
    _, number, data = line.split()
    data = bytes.fromhex(data)
    head = dict(zip(("bytes", "version", "camera", "texture", "width", "height", "eyes", "flags"),
                    struct.unpack("<IIQQIIII", data[:40])))  # fmt: skip
    head["strength"] = struct.unpack("<d", data[120:128])[0]
    head["depth"] = struct.unpack("<QIIdddd", data[128:176])
    return int(number) - 700, head | {"eye": [struct.unpack("<dd4fII", data[at : at + 40]) for at in (40, 80)]}


FRUSTUM = (1.0, 3.0, 0.5, 1.5)


def test_the_built_in_pipelines_frame(tmp_path):
    said = run_frames(tmp_path, "built-in")
    kinds = [kind for kind, _ in said]
    assert kinds == ["texture", *["blit", 3, "blit"] * 3, 4]
    assert said[0][1] == "texture 320x200x1 R16G16B16A16_SFloat"
    assert {line for kind, line in said if kind == "blit"} == {"blit -1 1"}
    first, last, gone = said[2][1], said[8][1], said[10][1]
    assert (first["bytes"], first["version"], first["eyes"], first["flags"]) == (176, 2, 1, 4)
    assert first["depth"] == (0,) * 7
    assert first["texture"] != 0 and first["camera"] == gone["camera"] != 0
    assert first["eye"][0] == (0.25, 0.875, *FRUSTUM, 1, 0)  # from the upper left corner
    assert last["flags"] == 6 and last["eye"][0][6] == 0


def test_each_pass_of_multi_pass_xr_says_whose_eye_it_is(tmp_path):
    blocks = [block for kind, block in run_frames(tmp_path, "multi-pass") if kind == 3]
    assert [block["flags"] for block in blocks] == [4 | 8, 4 | 16]
    assert [block["strength"] for block in blocks] == [2.5, 2.5]
    assert blocks[0]["camera"] != blocks[1]["camera"]


def test_another_configuration_counts_at_run_time(tmp_path):
    said = [line for kind, line in run_frames(tmp_path, "configuration") if kind == "configure"]
    assert said == ["configure first", "configure second", "configure third"]


def test_an_events_data_stay_until_the_render_thread_has_read_them(tmp_path):
    said = run_frames(tmp_path, "late")
    late = [int(line.split()[1]) for kind, line in said if kind == "late"]
    issued = [block["camera"] for kind, block in said if isinstance(kind, int)]
    assert late == issued[: len(late)] and len(late) == 42 and len(set(late)) == 2
    assert 42 <= int(said[-1][1].split()[1]) < 60  # they are used again, whatever Unity's frame numbers do


@pytest.mark.parametrize("by_queue", [False, True], ids=["record", "queue"])
@pytest.mark.parametrize("defines", [["FOVEA_URP"], ["FOVEA_URP", "FOVEA_URP_17"]], ids=["2022.3", "6"])
def test_the_universal_render_pipelines_frame(defines, by_queue, tmp_path):
    said = run_frames(tmp_path, "universal", defines, by_queue)
    events = [0, 1, 2] if by_queue else [3]
    assert [kind for kind, _ in said] == ["texture", *["blit", *events, "blit"] * 3, 4]
    assert said[0][1] == "texture 64x48x2 B10G11R11_UFloatPack32"
    blocks = [block for kind, block in said if kind in (0, 3)]
    assert [block["eyes"] for block in blocks] == [2, 2, 2]
    assert blocks[0]["eye"] == [(0.25, 0.875, *FRUSTUM, 1, 0), (0.75, 0.5, *FRUSTUM, 1, 0)]
    assert [block for kind, block in said if kind in (1, 2)] == [block for block in blocks for _ in range(2)] * by_queue


@pytest.mark.parametrize("pipeline, defines", [
    ("built-in", []), ("orthographic", []), ("universal", ["FOVEA_URP"]), ("universal", ["FOVEA_URP", "FOVEA_URP_17"]),
    ("high-definition", ["FOVEA_HDRP"]),
])  # fmt: skip
def test_depths_are_given_where_the_operators_need_them(pipeline, defines, tmp_path):
    """Reversed z between 0.5 and 2 m, in a texture of their own that is turned as the picture is; the pipeline is asked for them."""
    said = run_frames(tmp_path, pipeline, defines, depth=True)
    textures = [line.split()[1:] for kind, line in said if kind == "texture"]
    assert [size for size, _ in textures] == [textures[0][0]] * 2 and textures[1][1] == "R32_SFloat"
    kinds = [kind for kind, _ in said if kind in ("blit", 3)]
    assert kinds == ["blit", "blit", 3, "blit"] * 3
    asked = {"built-in": "depths Depth", "orthographic": "depths Depth", "universal": "input Depth"}.get(pipeline)
    assert asked in [line for _, line in said] + [None]
    blits = [line for kind, line in said if kind == "blit"]
    assert blits[0] == blits[1]
    blocks = [block for kind, block in said if kind == 3]
    for block, elapsed in zip(blocks, [0.0, 0.25, 1e-6], strict=True):
        texture, linear, reserved, zero_m, one_m, focus_m, elapsed_s = block["depth"]
        assert texture not in (0, block["texture"]) and (linear, reserved, focus_m) == (pipeline == "orthographic", 0, 0)
        assert (zero_m, one_m, elapsed_s) == pytest.approx((2.0, 0.5, elapsed), rel=1e-5)


@pytest.mark.parametrize("both_eyes", [False, True], ids=["mono", "both eyes"])
def test_the_high_definition_render_pipelines_frame(both_eyes, tmp_path):
    """The camera has a part of the pipeline's buffer, and its texture is of that part's size."""
    said = run_frames(tmp_path, "high-definition-xr" if both_eyes else "high-definition", ["FOVEA_HDRP"])
    assert [kind for kind, _ in said if kind != "texture"] == [*["blit", 3, "blit"] * 3, 4]
    own = f"texture 64x48x{2 if both_eyes else 1} B10G11R11_UFloatPack32"
    assert [line for kind, line in said if kind == "texture"] == [own]
    blits = [line for kind, line in said if kind == "blit"]
    assert blits == ["blit 0.5 -0.75 0 0.75", "blit 1 -1 0 1"] * 3
    blocks = [block for kind, block in said if kind == 3]
    assert [block["eyes"] for block in blocks] == [2 if both_eyes else 1] * 3
    assert blocks[0]["eye"][0] == (0.25, 0.875, *FRUSTUM, 1, 0)
    if both_eyes:
        assert blocks[0]["eye"][1] == (0.75, 0.5, FRUSTUM[1], FRUSTUM[0], *FRUSTUM[2:], 1, 0)


def test_without_the_native_plugin_the_scripts_say_so_once(tmp_path):
    said = run_scripts(tmp_path, tmp_path)
    assert len([line for line in said if line.startswith("error")]) == 1
    assert "right False libGfxPluginFovea.so is missing" in said


def test_the_command_overwrites_nothing_else(tmp_path):
    done = run_program(ROOT / "run", "--no-install", "--build-dir", tmp_path / "build", "unity-package", tmp_path, check=False)
    assert done.returncode != 0 and "no package of Fovea's" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
def test_the_command_builds_the_plugin_into_the_package(tmp_path):
    """Without what makes the library fast: the package has the same files."""
    folder = tmp_path / "package"
    quick = ["-DFOVEA_CPU_VECTORS=OFF", "-DFOVEA_CUDA=OFF", "-DBUILD_TESTING=OFF", "-DFOVEA_SAMPLE_SCENE=OFF"]
    run_program("cmake", "-S", ROOT, "-B", tmp_path / "build" / "unity", "-G", "Ninja", "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0",
                *quick)  # fmt: skip
    for _ in range(2):  # over an older one, too
        run_program(ROOT / "run", "--no-install", "--no-cuda", "--build-dir", tmp_path / "build", "unity-package", folder,
                    timeout=900)  # fmt: skip
        written = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        wanted = {str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*")} | {PLUGIN}
        assert written == wanted
