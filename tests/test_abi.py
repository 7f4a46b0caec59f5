# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A program that was built with the headers of 0.2 (tests/abi/0.2, which stay as they are) runs with this library."""

import os
import re

import pytest
from conftest import ROOT, need_tool, run_program

EXAMPLE = ROOT / "docs" / "examples" / "minimal_cpu.c"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def is_sharp_at_the_gaze_alone(path):
    picture = path.read_bytes()[-640 * 480 * 3:]
    gaze, corner = (picture[(y * 640 + x) * 3] for x, y in [(162, 242), (636, 4)])
    assert gaze in (0, 255) and 64 < corner < 250


@pytest.mark.parametrize("headers", ["plugin", "tests/abi/0.2"])
def test_the_example_of_cpu_memory_runs(headers, library, tmp_path):
    program = tmp_path / "program"
    run_program(need_tool("gcc"), "-std=c11", *WARNINGS, "-I", ROOT / headers, EXAMPLE, library,
                f"-Wl,-rpath,{library.parent}", "-o", program)  # fmt: skip
    run_program(program, tmp_path / "out.ppm")
    is_sharp_at_the_gaze_alone(tmp_path / "out.ppm")


@pytest.mark.parametrize("headers", ["plugin", "tests/abi/0.2"])
def test_the_example_of_vulkan_runs(headers, library, tmp_path):
    """Validation has nothing to say of it."""
    program = tmp_path / "program"
    source = ROOT / "docs" / "examples" / "minimal_vulkan.c"
    assert source.read_text().count("\n") < 250
    run_program(need_tool("gcc"), "-std=c11", *WARNINGS, "-I", ROOT / headers, source, library, "-lvulkan",
                f"-Wl,-rpath,{library.parent}", "-o", program)  # fmt: skip
    validated = {**os.environ, "VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"}
    done = run_program(program, tmp_path / "out.ppm", env=validated)
    assert "VUID" not in done.stdout + done.stderr
    is_sharp_at_the_gaze_alone(tmp_path / "out.ppm")


def run_vulkan_example(name, library, tmp_path, *arguments):
    """Validation has nothing to say of it; what it prints."""
    run_program(need_tool("gcc"), "-std=c11", *WARNINGS, "-I", ROOT / "plugin", ROOT / "docs" / "examples" / f"{name}.c",
                library, "-lvulkan", "-lm", f"-Wl,-rpath,{library.parent}", "-o", tmp_path / "program")  # fmt: skip
    validated = {**os.environ, "VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation"}
    done = run_program(tmp_path / "program", *arguments, env=validated)
    assert "VUID" not in done.stdout + done.stderr
    return done.stdout


def test_the_example_of_light_fields_on_vulkan_runs(library, tmp_path):
    """The plane is in focus, so that its squares of 8.75 pixels are dark and bright."""
    run_vulkan_example("lightfield_vulkan", library, tmp_path, tmp_path / "out.ppm")
    picture = (tmp_path / "out.ppm").read_bytes()[-168 * 126 * 3:]
    for column, row in [(5, 5), (6, 5), (7, 6), (8, 7)]:  # within the first ring
        level = picture[(int((row + 0.5) * 8.75) * 168 + int((column + 0.5) * 8.75)) * 3]
        assert abs(level - (240 if (column + row) % 2 else 30)) <= 2


def test_the_example_of_blobs_on_vulkan_runs(library, tmp_path):
    """Each disc is found, with its radius over sqrt(2) as its sigma."""
    lines = run_vulkan_example("blobs_vulkan", library, tmp_path).splitlines()
    found = [[float(word) for word in line.split()] for line in lines[:3]]
    for x, y, radius in [(40, 30, 6), (110, 40, 9), (60, 90, 9)]:
        assert any(abs(blob[0] - x) < 1 and abs(blob[1] - y) < 1 and abs(blob[2] * 2**0.5 / radius - 1) < 0.2 for blob in found), lines


@pytest.mark.parametrize("headers", ["plugin", "tests/abi/0.2"])
def test_the_example_of_cuda_runs(headers, library, build_dir, tmp_path):
    """On the driver whose device is the host (emulated/driver.c); test_cuda_example runs it on a GPU."""
    driver = build_dir / "tests" / "emulated_cuda" / "libcuda.so.1"
    cuda = re.search(r"^FOVEA_CUDA_INCLUDE:\w+=(.*)", (build_dir / "CMakeCache.txt").read_text(), re.M)
    if not driver.exists() or not cuda:
        pytest.skip("this build is without CUDA")
    source = ROOT / "docs" / "examples" / "minimal_cuda.c"
    assert source.read_text().count("\n") < 250
    run_program(need_tool("gcc"), "-std=c11", *WARNINGS, "-I", ROOT / headers, "-isystem", cuda[1], source, library, driver,
                f"-Wl,-rpath,{library.parent}:{driver.parent}", f"-Wl,-rpath-link,{driver.parent.parent}",
                "-o", tmp_path / "program")  # fmt: skip
    search = {**os.environ, "LD_LIBRARY_PATH": str(driver.parent)}
    run_program(tmp_path / "program", tmp_path / "out.ppm", env=search)
    is_sharp_at_the_gaze_alone(tmp_path / "out.ppm")


OLDER = """\
#include <fovea.h>

/* This program is of a version whose desc ended before the device's number. */
int main(void)
{
    struct fovea_context_desc desc;
    struct fovea_context *context = NULL;
    memset(&desc, 0xff, sizeof desc);
    desc.struct_bytes = offsetof(struct fovea_context_desc, cuda_device);
    desc.settings = NULL;
    enum fovea_result result = fovea_context_create(&desc, &context);
    fovea_context_destroy(&context);
    return result != FOVEA_OK;
}
"""


def test_an_older_programs_smaller_struct_is_understood(library, tmp_path):
    """What lies behind it is not read: here no log function and no device."""
    (tmp_path / "older.c").write_text(OLDER)
    run_program(need_tool("gcc"), "-std=c11", *WARNINGS, "-I", ROOT / "tests/abi/0.2", tmp_path / "older.c", library,
                f"-Wl,-rpath,{library.parent}", "-o", tmp_path / "older")  # fmt: skip
    run_program(tmp_path / "older")
