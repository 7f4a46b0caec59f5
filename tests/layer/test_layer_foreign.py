# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Libraries that a program brings along, or puts before all others: the layer and fovea-run need none of them."""

import re

import pytest
from conftest import need_tool, run_program

# Other versions of what we have been linked with, without one function that we would call.
STUBS = {
    "libcjson.so.1": "const char *cJSON_Version(void); const char *cJSON_Version(void) { return \"0.1\"; }",
    "libfovea.so.0.2": "unsigned fovea_version(void); unsigned fovea_version(void) { return 1; }",
}
# Names of cJSON's, of our interface and of our inner functions, in a program that has some by that name: called by us,
# they end it with 99.
NAMES = ["cJSON_Parse", "cJSON_ParseWithLength", "cJSON_ParseWithLengthOpts", "cJSON_Delete", "cJSON_GetObjectItem",
         "cJSON_GetObjectItemCaseSensitive", "cJSON_GetArrayItem", "cJSON_GetArraySize", "cJSON_IsNumber",
         "json_parse", "json_member", "json_destroy", "fovea_config_create", "fovea_settings_default",
         "fovea_gaze_source_create", "fovea_vk_create", "config_scan", "foveate_plan_create"]  # fmt: skip
PRELOADED = """
#include <unistd.h>
void NAME(void);
void NAME(void)
{
    static const char said[] = "NAME of the program was called\\n";
    _exit(write(2, said, sizeof said - 1) > 0 ? 99 : 98);
}
"""


def compile_library(folder, file, text):
    folder.mkdir(exist_ok=True)
    source = folder / f"{file}.c"
    source.write_text(text)
    run_program(need_tool("cc"), "-shared", "-fPIC", f"-Wl,-soname,{file}", source, "-o", folder / file)
    return folder / file


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("foreign")
    for file, text in STUBS.items():
        compile_library(folder, file, text)
    return {"LD_LIBRARY_PATH": str(folder)}


@pytest.fixture(scope="module")
def preload(tmp_path_factory):
    text = "".join(PRELOADED.replace("NAME", name) for name in NAMES)
    return {"LD_PRELOAD": str(compile_library(tmp_path_factory.mktemp("preload"), "libgame.so", text))}


@pytest.fixture(params=["other versions", "the same names"])
def world(request, rig, stubs, preload):
    found = {"other versions": stubs, "the same names": preload}[request.param]
    if "LD_PRELOAD" in rig.sanitizers and "LD_PRELOAD" in found:
        found = {"LD_PRELOAD": f"{rig.sanitizers['LD_PRELOAD']}:{found['LD_PRELOAD']}"}
    return found


def test_the_stubs_end_who_needs_them(stubs, tmp_path):
    """What makes the tests below worth something."""
    source = tmp_path / "game.c"
    source.write_text("void *cJSON_Parse(const char *); int main(void) { return cJSON_Parse(\"1\") == 0; }")
    run_program(need_tool("cc"), source, "-o", tmp_path / "game", "-l:libcjson.so.1")
    run_program(tmp_path / "game")
    done = run_program(tmp_path / "game", check=False, env=stubs)
    assert done.returncode == 127 and "symbol lookup error" in done.stderr


def test_a_program_with_libraries_of_its_own_is_foveated(rig, world):
    settings = rig.folder / "foreign.json"
    settings.write_text('{"version": 1, "foveation": {"strength": 1.5}}')
    done = rig.case("plain", sets={"backend": "cpu"}, extra={**world, "FOVEA_CONFIG": str(settings)})
    assert done.code == 0, done.output + done.log
    assert done.foveated, done.log
    assert "of the program was called" not in done.output


def test_fovea_run_checks_and_starts_it(rig, build_dir, world):
    fovea_run = build_dir / "plugin" / "layer" / "run" / "fovea-run"
    done = rig.run(fovea_run, "--check", on=False, extra=world)
    assert re.search(r"^ +ok +configuration", done.output, re.M), done.output
    assert done.code == 0, done.output
    assert "of the program was called" not in done.output
    done = rig.run(fovea_run, rig.program, "plain", on=False, extra={**world, "XDG_DATA_HOME": None})
    assert done.code == 0, done.output
    assert done.foveated, done.log
