# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Fovea installed into a folder, and a small program that finds it there in both usual ways."""

import json
import os
import shlex
from pathlib import Path

import pytest
from conftest import PUBLIC_HEADERS, need_tool, run_program

PROGRAM = """\
#include <fovea.h>
#include <stdio.h>

int main(void)
{
    struct fovea_settings *settings = NULL;
    struct fovea_log silent = {0};
    enum fovea_result result = fovea_settings_create(&settings);
    if (result == FOVEA_OK) {
        result = fovea_settings_check(settings, silent);
    }
    fovea_settings_destroy(&settings);
    printf("%u %s\\n", fovea_version(), fovea_result_name(result));
    return result == FOVEA_OK ? 0 : 1;
}
"""
CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(fovea 0.2 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE fovea::fovea)
"""


@pytest.fixture(scope="module")
def prefix(build_dir, tmp_path_factory):
    folder = tmp_path_factory.mktemp("install") / "with space"
    run_program("cmake", "--install", build_dir, "--prefix", folder)
    return folder


@pytest.fixture
def user(tmp_path):
    (tmp_path / "user.c").write_text(PROGRAM)
    return tmp_path


def library_folder(prefix):
    return next(prefix.rglob("libfovea.so")).parent


def check_program(program, prefix):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library_folder(prefix))}
    assert run_program(program, env=environment).stdout == "2000 FOVEA_OK\n"


OPENXR_HEADER = Path("/usr/include/openxr/openxr.h")
OPENXR_LAYER = ["libXrApiLayer_fovea.so", "XrApiLayer_FOVEA.json"]


def test_everything_is_installed_and_nothing_else(prefix):
    names = {path.name for path in prefix.rglob("*") if not path.is_dir()}
    names = {name for name in names if not name.startswith("foveaTargets-")}
    assert names == {
        *PUBLIC_HEADERS, "fovea.pc", "foveaConfig.cmake", "foveaConfigVersion.cmake",
        "foveaTargets.cmake", "libfovea.so", "libfovea.so.0.2", "libfovea.so.0.2.0", "default.json",
        "schema.json", "LICENSE", "fovea-run", "libVkLayer_fovea.so", "VkLayer_FOVEA_foveation.json",
        *(OPENXR_LAYER if OPENXR_HEADER.exists() else []),
    }  # fmt: skip


def test_installed_configuration_names_its_schema(prefix):
    data = prefix / "share" / "fovea"
    schema = json.loads((data / "schema.json").read_text())
    assert "//json-schema.org/" in schema["$schema"]
    assert '"$schema"' in (data / "default.json").read_text()


def test_manifest_names_the_installed_layer(prefix):
    manifest = prefix / "share" / "vulkan" / "implicit_layer.d" / "VkLayer_FOVEA_foveation.json"
    layer = json.loads(manifest.read_text())["layer"]
    assert layer["library_path"] == str(library_folder(prefix) / "libVkLayer_fovea.so")
    assert layer["implementation_version"] == "2000" and os.path.exists(layer["library_path"])


def test_installed_fovea_run_finds_library_and_layer(prefix, tmp_path):
    """With nothing in the environment that shows them."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("FOVEA_", "XDG_", "LD_"))}
    environment["HOME"] = str(tmp_path)
    program = prefix / "bin" / "fovea-run"
    shown = run_program(program, "--print-env", env=environment).stdout
    assert f":{prefix / 'share'}'" in shown
    system = run_program(program, "--install", env={**environment, "XDG_DATA_DIRS": str(prefix / "share")})
    assert "nothing to do" in system.stdout
    run_program(program, "--install", env=environment)
    installed = tmp_path / ".local/share/vulkan/implicit_layer.d/VkLayer_FOVEA_foveation.json"
    assert str(library_folder(prefix) / "libVkLayer_fovea.so") in installed.read_text()
    assert "layer         " in run_program(program, "--check", env=environment).stdout


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_program_is_built_with_pkg_config(prefix, user, compiler):
    pkg_config = need_tool("pkg-config")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library_folder(prefix) / "pkgconfig")}
    flags = run_program(pkg_config, "--cflags", "--libs", "fovea", env=environment).stdout
    run_program(need_tool(compiler), "-std=c11", "-Wall", "-Werror", user / "user.c", "-o", user / "user",
                *shlex.split(flags))  # fmt: skip
    check_program(user / "user", prefix)


def test_pkg_config_knows_version_and_files(prefix):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(library_folder(prefix) / "pkgconfig")}
    assert run_program("pkg-config", "--modversion", "fovea", env=environment).stdout.strip() == "0.2.0"
    folder = run_program("pkg-config", "--variable=configdir", "fovea", env=environment).stdout.strip()
    assert folder.replace("\\", "").endswith("with space/share/fovea")


def test_program_is_built_with_find_package(prefix, user):
    (user / "CMakeLists.txt").write_text(CMAKE_LISTS)
    run_program("cmake", "-S", user, "-B", user / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run_program("cmake", "--build", user / "build")
    check_program(user / "build" / "user", prefix)


def test_package_of_another_minor_version_is_refused(prefix, user):
    (user / "CMakeLists.txt").write_text(CMAKE_LISTS.replace("fovea 0.2", "fovea 0.1"))
    done = run_program("cmake", "-S", user, "-B", user / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
                       check=False)  # fmt: skip
    assert done.returncode != 0
    assert "0.2.0" in done.stderr
