# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The package's type hints, by mypy's strict mode with what pyproject.toml says of it."""

import os
import subprocess
import sys

import pytest
from places import PACKAGE

pytest.importorskip("mypy")
pytest.importorskip("torch")
pytest.importorskip("jax")
pytest.importorskip("gymnasium")


@pytest.mark.slow
def test_type_hints_hold(tmp_path):
    environment = {**os.environ, "MYPY_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=PACKAGE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "fovea" / "py.typed").exists()
