# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What is loaded into other people's programs: what libfovea.so, the layer and fovea-run show to the world and what
they ask of it. A program brings libraries of its own along, also older ones of the same names."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from conftest import PUBLIC_HEADERS, ROOT, need_tool, run_program

# The C library, which the program has to have in a version that its own parts agree with. Before glibc 2.34
# threads and dlopen were libraries of their own.
NEEDED_AT_MOST = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libpthread.so.0",
                  "libdl.so.2"}  # fmt: skip
# Weak, of compilers; nobody has to have them.
NOT_OF_THE_C_LIBRARY = {"_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__"}


@pytest.fixture(params=["libfovea.so", "libVkLayer_fovea.so", "fovea-run", "libGfxPluginFovea.so"])
def foreign(request, library, layer_library, fovea_run, unity_plugin):
    """What runs in a process, or with a library path, that is not ours."""
    return {"libfovea.so": library, "libVkLayer_fovea.so": layer_library, "fovea-run": fovea_run,
            "libGfxPluginFovea.so": unity_plugin}[request.param]  # fmt: skip


@pytest.fixture(scope="session")
def layer_library(build_dir):
    path = build_dir / "plugin" / "layer" / "libVkLayer_fovea.so"
    assert path.exists(), f"{path} was not built"
    return path


@pytest.fixture(scope="session")
def fovea_run(build_dir):
    path = build_dir / "plugin" / "layer" / "run" / "fovea-run"
    assert path.exists(), f"{path} was not built"
    return path


@pytest.fixture(scope="session")
def unity_plugin(build_dir):
    path = build_dir / "plugin" / "unity" / "libGfxPluginFovea.so"
    assert path.exists(), f"{path} was not built"
    return path


def declared_functions():
    text = "".join((ROOT / "plugin" / name).read_text() for name in PUBLIC_HEADERS)
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


def test_what_defines_a_public_function_is_built_as_the_library(build_dir):
    """As fovea_base.h promises: elsewhere than on ELF, that is what exports it. Nobody else says that he builds it."""
    defines = re.compile(rf"^[a-z][\w *]*\b({'|'.join(declared_functions())})\(", re.M)
    public, built = set(), set()
    for entry in json.loads((build_dir / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.suffix == ".c" and path.is_relative_to(ROOT) and "tests" not in path.relative_to(ROOT).parts:
            public |= {path} if defines.search(path.read_text()) else set()
            built |= {path} if "-DFOVEA_BUILDING" in entry["command"] else set()
    assert len(public) > 10 and public - built == set()
    assert {path for path in built if "sample_scene" in path.parts} == set()


def test_the_layer_shows_the_loaders_one_function(layer_library):
    assert exported_symbols(layer_library) == {"vkNegotiateLoaderLayerInterfaceVersion"}


def test_the_unity_plugin_shows_its_header_and_unitys_two_functions(unity_plugin):
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "plugin" / "unity" / "fovea_unity.h").read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"\b(fovea_unity_\w+)\(", header))
    assert len(declared) > 8
    assert exported_symbols(unity_plugin) == declared | {"UnityPluginLoad", "UnityPluginUnload"}


def test_fovea_run_shows_nothing_of_ours(fovea_run):
    """What is left is what the C library's start code asks of every program."""
    ours = {name for name in exported_symbols(fovea_run) if re.match("fovea|json|cJSON|config|gaze", name)}
    assert ours == set()


def test_nothing_but_the_c_library_is_linked(foreign):
    needed = dynamic_entries(foreign, "NEEDED")
    assert "libc.so.6" in needed
    assert needed - NEEDED_AT_MOST == set(), "loaded at run time or not at all"


def test_every_function_from_elsewhere_is_the_c_librarys(foreign):
    lines = run_program(need_tool("nm"), "-D", "--undefined-only", foreign).stdout.splitlines()
    names = {line.split()[-1] for line in lines}
    assert "malloc@GLIBC_2.2.5" in names or "malloc@GLIBC_2.17" in names
    assert {name for name in names if "@GLIBC_" not in name} - NOT_OF_THE_C_LIBRARY == set()


def test_what_is_missing_is_found_out_at_load(foreign):
    """Lazily, it would end the program in the middle of a frame; and the table of addresses cannot be written to."""
    flags = run_program(need_tool("readelf"), "-dW", foreign).stdout
    assert re.search(r"\(FLAGS_1\) +Flags:.*\bNOW\b", flags)
    assert "GNU_RELRO" in run_program(need_tool("readelf"), "-lW", foreign).stdout


def test_the_libraries_stay_loaded(library, layer_library, unity_plugin):
    """Threads of theirs may still be waiting when a program or the loader lets them go."""
    for stays in (library, layer_library, unity_plugin):
        flags = run_program(need_tool("readelf"), "-dW", stays).stdout
        assert re.search(r"\(FLAGS_1\) +Flags:.*\bNODELETE\b", flags), stays


def test_soname_carries_the_major_version(library):
    assert dynamic_entries(library, "SONAME") == {"libfovea.so.0.2"}


def test_no_path_of_the_build_is_searched(foreign):
    assert dynamic_entries(foreign, "RPATH") == set()
    assert dynamic_entries(foreign, "RUNPATH") == set()


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
    assert done.stdout.splitlines() == ["2000 FOVEA_ERROR_UNSUPPORTED", "[]"]


# These end a program, but for the programs' own start code.
ENDS = {"abort", "__assert", "__assert_fail", "__assert_perror_fail", "exit", "_exit", "_Exit", "quick_exit", "raise",
        "kill", "tgkill"}  # fmt: skip


def test_nothing_of_ours_ends_the_program(build_dir, library, layer_library, unity_plugin):
    """Assertions are for those who work on Fovea: builds for debugging have them."""
    debugging = re.search(r"^CMAKE_BUILD_TYPE:\w+=Debug$", (build_dir / "CMakeCache.txt").read_text(), re.M)
    allowed = {"__assert_fail"} if debugging else set()
    for loaded in (library, layer_library, unity_plugin):
        lines = run_program(need_tool("nm"), "-D", "--undefined-only", loaded).stdout.splitlines()
        names = {line.split()[-1].split("@")[0] for line in lines}
        assert names & ENDS - allowed == set(), loaded


@pytest.mark.parametrize("kind,asserts", [("None", False), ("Release", False), ("Debug", True)])
def test_only_builds_for_debugging_assert(tmp_path, kind, asserts):
    """Distributions build as "None", for which CMake itself says nothing of assertions."""
    flags = ["-G", "Ninja", f"-DCMAKE_BUILD_TYPE={kind}", "-DFOVEA_CUDA=OFF", "-DBUILD_TESTING=OFF"]
    run_program("cmake", "-S", ROOT, "-B", tmp_path, "-DFOVEA_SAMPLE_SCENE=OFF", *flags)
    commands = [e["command"] for e in json.loads((tmp_path / "compile_commands.json").read_text())]
    assert len(commands) > 100
    assert {"-DNDEBUG" not in command.split() for command in commands} == {asserts}
