# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The C library as ctypes sees it."""

import ctypes
import os
import re
import shutil
import subprocess
import sys

import pytest
from places import PACKAGE, ROOT

from fovea import _gaze_source, _library, _live, _record, _shape, gl

STRUCTS = {
    "fovea_log": _library.Log,
    "fovea_image": _library.Image,
    "fovea_depth": _library.Depth,
    "fovea_batch": _library.Batch,
    "fovea_batch_gradient": _library.BatchGradient,
    "fovea_context_desc": _library.ContextDesc,
    "fovea_blobs_desc": _library.BlobsDesc,
    "fovea_lightfield_geometry": _library.LightFieldGeometry,
    "fovea_lightfield_raw": _library.LightFieldRaw,
    "fovea_lightfield_desc": _library.LightFieldDesc,
    "fovea_lightfield_rendering": _library.LightFieldRendering,
    "fovea_lightfield_matching": _library.LightFieldMatching,
    "fovea_lightfield_foveation": _library.LightFieldFoveation,
    "fovea_lightfield_refocusing": _library.LightFieldRefocusing,
    "fovea_lightfield_sum": _library.LightFieldSum,
    "fovea_config_desc": _library.ConfigDesc,
    "fovea_setting": _library.SettingInfo,
    "fovea_field": _library.Field,
    "fovea_grating": _library.Grating,
    "fovea_gaze": _gaze_source.Gaze,
    "fovea_gaze_source_desc": _gaze_source.GazeSourceDesc,
    "fovea_gaze_sample": _live._Sample,
    "fovea_record_desc": _record._Desc,
    "fovea_record_frame": _record._Frame,
    "fovea_gl_desc": gl.Desc,
    "fovea_gl_texture": gl.Texture,
    "fovea_gl_frame": gl.Frame,
}


def test_structs_are_those_of_the_headers(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "this test asks a C compiler"
    lines = []
    for name, struct in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field, *_ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof(struct {name}, {field}));')
    source = tmp_path / "places.c"
    source.write_text('#include <fovea.h>\n#include <fovea_blobs.h>\n#include <fovea_gl.h>\n#include <fovea_lightfield.h>\n#include <fovea_record.h>\n#include <stdio.h>\nint main(void)\n{\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
    program = tmp_path / "places"
    subprocess.run([compiler, "-I", ROOT / "plugin", source, "-o", program], check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    expected = {}
    for name, struct in STRUCTS.items():
        expected[name] = ctypes.sizeof(struct)
        for field, *_ in struct._fields_:
            expected[f"{name}.{field}"] = getattr(struct, field).offset
    assert dict((name, int(number)) for name, number in (line.split() for line in said.splitlines())) == expected


def test_formats_of_types_and_colours_are_one_table():
    """What Python gives the library, what XLA's handlers give it, and the header's numbers."""
    header, handlers = ((ROOT / name).read_text() for name in ("plugin/fovea_image.h", "python/native/xla.c"))
    numbers = {name: int(number) for name, number in re.findall(r"(FOVEA_FORMAT_\w+) = (\d+),", header)}
    types = {"U8": "uint8", "U16": "uint16", "F16": "float16", "F32": "float32"}
    found = {}
    for kind, row in re.findall(r"\{XLA_(\w+), \{(.*?)\}\}", handlers):
        for colours, name in re.findall(r"\[(\d)\] = (\w+)", row):
            found[types[kind], int(colours)] = numbers[name]
    assert found == _shape._FORMATS and len(found) == 12


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment}, capture_output=True, text=True
    )


def test_importing_opens_no_library():
    assert run_python("import fovea", FOVEA_LIB="/nowhere/libfovea.so").returncode == 0


def test_modules_are_imported_when_they_are_used():
    used = run_python("import sys, fovea; assert 'jax' not in sys.modules and 'gymnasium' not in sys.modules; fovea.gym.ActiveGaze")
    assert used.returncode == 0 or "No module named 'gymnasium'" in used.stderr, used.stderr
    lacking = run_python(
        "import sys; sys.modules['gymnasium'] = None; import fovea\n"
        "assert not hasattr(fovea, 'gym') and not hasattr(fovea, 'gmy') and fovea.data.Foveate\n"
        "assert {'bench', 'data', 'gaze', 'gl', 'gym', 'jax', 'ray', 'torchrl'} <= set(dir(fovea))\n"
        "fovea.gym"
    )
    assert "AttributeError: fovea.gym cannot be imported: fovea.gym needs Gymnasium: pip install gymnasium" in lacking.stderr
    asked = run_python("import sys; sys.modules['gymnasium'] = None; from fovea import gym")
    assert "Error: fovea.gym needs Gymnasium: pip install gymnasium" in asked.stderr


def test_a_missing_library_is_an_import_error_that_says_where_it_was_looked_for():
    found = run_python("import fovea; fovea.version()", FOVEA_LIB="/nowhere/libfovea.so")
    assert "LibraryError" in found.stderr and "/nowhere/libfovea.so" in found.stderr and "FOVEA_LIB" in found.stderr


def test_a_library_that_is_another_one_is_refused(tmp_path):
    (tmp_path / "other.c").write_text("int other(void) { return 0; }\n")
    other = tmp_path / "libother.so"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "other.c", "-o", other], check=True)
    found = run_python("import fovea; fovea.version()", FOVEA_LIB=str(other))
    assert "LibraryError" in found.stderr and "is no library of Fovea's" in found.stderr


def test_a_library_of_another_version_is_refused(tmp_path):
    (tmp_path / "old.c").write_text("unsigned fovea_version(void) { return 1003000; }\n")
    old = tmp_path / "libold.so"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "old.c", "-o", old], check=True)
    found = run_python("import fovea; fovea.version()", FOVEA_LIB=str(old))
    assert "LibraryError" in found.stderr and "Fovea 1.3" in found.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--info"], ["--settings"], ["--version"]])
def test_the_command_says_what_there_is(arguments):
    said = subprocess.run(
        [sys.executable, "-m", "fovea", *arguments], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True
    )
    assert said.returncode == 0 and said.stdout and not said.stderr


def test_the_command_foveates_files_and_folders(tmp_path):
    image = pytest.importorskip("PIL.Image")
    folder = tmp_path / "in"
    folder.mkdir()
    for i in range(3):
        image.effect_noise((64, 48), 90).convert("RGB").save(folder / f"{i}.png")
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    command = [sys.executable, "-m", "fovea"]
    subprocess.run([*command, folder, "-o", tmp_path / "out", "--set", "foveation.strength=3"], env=environment, check=True)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["0.png", "1.png", "2.png"]
    assert image.open(tmp_path / "out" / "0.png").tobytes() != image.open(folder / "0.png").tobytes()
    wrong = subprocess.run([*command, folder, "--set", "foveation.strenght=3"], env=environment, capture_output=True, text=True)
    assert wrong.returncode == 1 and 'did you mean "strength"' in wrong.stderr and "Traceback" not in wrong.stderr


def test_opening_cuda_where_there_is_none_is_unsupported():
    found = run_python(
        "import fovea\nfoveator = fovea.Foveator()\nfoveator.open()\n"
        "try:\n    foveator.open('cuda')\nexcept fovea.UnsupportedError as error:\n    print(error)",
        CUDA_VISIBLE_DEVICES="",
    )
    assert found.returncode == 0 and "cuda" in found.stdout.lower(), found.stderr
