# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Each public header compiles alone, and after itself, in every language that users have."""

import re
import shutil

import pytest
from conftest import PUBLIC_HEADERS, ROOT, need_tool, run_program

pytestmark = pytest.mark.turns(2)

HEADERS = PUBLIC_HEADERS
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
COMPILERS = {
    "gcc-c11": ["gcc", "-std=c11", *WARNINGS, "-Wstrict-prototypes", "-x", "c"],
    "clang-c11": ["clang", "-std=c11", *WARNINGS, "-Wstrict-prototypes", "-x", "c"],
    "g++-c++17": ["g++", "-std=c++17", *WARNINGS, "-x", "c++"],
    "clang++-c++17": ["clang++", "-std=c++17", *WARNINGS, "-x", "c++"],
}


def source_file(folder, headers, suffix):
    path = folder / f"alone{suffix}"
    path.write_text("".join(f"#include <{header}>\n" for header in headers) + "int used_by_nobody;\n")
    return path


@pytest.mark.parametrize("headers", [[h] for h in HEADERS] + [[h, h] for h in HEADERS] + [HEADERS], ids="+".join)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_header_compiles_alone(compiler, headers, tmp_path):
    program, *flags = COMPILERS[compiler]
    path = source_file(tmp_path, headers, ".c")
    run_program(need_tool(program), *flags, "-I", ROOT / "plugin", "-fsyntax-only", path)


@pytest.mark.parametrize("header", HEADERS)
def test_header_compiles_alone_as_cuda(header, tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not here")
    path = source_file(tmp_path, [header], ".cu")
    run_program(nvcc, "-std=c++17", "-Werror", "all-warnings", "-I", ROOT / "plugin", "-c", path,
                "-o", tmp_path / "alone.o")  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
def test_structs_that_grow_have_no_padding(header, tmp_path):
    """A member that a later version puts where padding was lies inside the size that an older program says, and what is
    in padding nobody knows."""
    path = source_file(tmp_path, [header], ".c")
    lines = (ROOT / "plugin" / header).read_text().splitlines()
    done = run_program(need_tool("gcc"), "-std=c11", "-Wpadded", "-I", ROOT / "plugin", "-fsyntax-only", path)
    padded = []
    for line in re.findall(rf"/plugin/{header}:(\d+):\d+: warning: padding struct", done.stderr):
        first = max(i for i in range(int(line)) if lines[i].startswith("struct "))
        if "struct_bytes;" in lines[first + 1]:
            padded.append(f"{line}: {lines[first]}")
    assert padded == []


@pytest.mark.parametrize("header", HEADERS)
def test_header_includes_only_what_users_have(header):
    text = (ROOT / "plugin" / header).read_text()
    included = set(re.findall(r'^\s*#\s*include\s+[<"](.*?)[>"]', text, re.MULTILINE))
    assert included <= {"stdbool.h", "stddef.h", "stdint.h", "string.h", "vulkan/vulkan_core.h", *HEADERS}


def test_version_is_written_once():
    header = (ROOT / "plugin" / "fovea_base.h").read_text()
    in_header = ".".join(re.search(rf"FOVEA_VERSION_{part} (\d+)", header)[1] for part in ["MAJOR", "MINOR", "PATCH"])
    in_build = re.search(r"project\(fovea VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert in_header == in_build
