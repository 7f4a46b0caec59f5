# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What libfovea.so shows to the world and what it asks of it."""

import os
import re
import sys

from conftest import ROOT, need_tool, run_program

NEEDED_AT_MOST = {"libc.so.6", "libm.so.6", "libcjson.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def declared_functions():
    text = "".join((ROOT / "plugin" / name).read_text() for name in ["fovea.h", "fovea_vulkan.h"])
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return set(re.findall(r"FOVEA_API[^;(]*?\b(\w+)\s*\(", text))


def exported_symbols(library):
    lines = run_program(need_tool("nm"), "-D", "--defined-only", library).stdout.splitlines()
    return {line.split()[2].split("@")[0] for line in lines}


def dynamic_entries(library, kind):
    text = run_program(need_tool("readelf"), "-dW", library).stdout
    return set(re.findall(rf"\({kind}\).*\[(.*?)\]", text))


def test_only_fovea_symbols_are_exported(library):
    foreign = {name for name in exported_symbols(library) if not name.startswith("fovea_")}
    assert foreign == set()


def test_exports_are_the_public_headers(library):
    declared = declared_functions()
    assert len(declared) > 20
    assert exported_symbols(library) == declared


def test_no_driver_and_no_loader_is_linked(library):
    needed = dynamic_entries(library, "NEEDED")
    assert needed - NEEDED_AT_MOST == set(), "loaded at run time or not at all"


def test_soname_carries_the_major_version(library):
    assert dynamic_entries(library, "SONAME") == {"libfovea.so.0.1"}


def test_no_path_of_the_build_is_searched(library):
    assert dynamic_entries(library, "RPATH") == set()


def test_library_loads_with_nothing_else_installed(library):
    """All symbols bound at once, no library path, no driver to be found."""
    script = (
        "import ctypes, os, sys\n"
        "library = ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)\n"
        "library.fovea_version.restype = ctypes.c_uint32\n"
        "library.fovea_result_name.restype = ctypes.c_char_p\n"
        "print(library.fovea_version(), library.fovea_result_name(-3).decode())\n"
        "print([l.split()[-1] for l in open('/proc/self/maps') if 'libcuda' in l or 'libvulkan' in l])\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    done = run_program(sys.executable, "-c", script, library, env=environment)
    assert done.stdout.splitlines() == ["1000 FOVEA_ERROR_UNSUPPORTED", "[]"]
