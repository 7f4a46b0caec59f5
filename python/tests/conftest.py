# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The package is tested as it lies here, against the library that FOVEA_LIB names or that the build folder holds."""

import importlib
import os
import pathlib
import sys

import pytest
from places import PACKAGE, ROOT

if "FOVEA_LIB" not in os.environ:
    build = pathlib.Path(os.environ.get("FOVEA_BUILD_DIR", ROOT / "build"))
    os.environ["FOVEA_LIB"] = str(build.resolve() / "plugin" / "libfovea.so")
sys.path.insert(0, str(PACKAGE))


# A module that is listed for a run and does not load any more is no reason to skip.
if os.environ.get("FOVEA_REQUIRE_FRAMEWORKS") == "1":  # requirements-frameworks.txt; these need a GPU, or are larger
    REQUIRED, UNLISTED = None, {"sapien", "mani_skill"}
else:  # tests/requirements.txt
    REQUIRED, UNLISTED = {"auditwheel", "gymnasium", "numpy", "PIL"} if os.environ.get("CI") == "true" else set(), set()
skip_without = pytest.importorskip


def import_or_skip(name, *arguments, **options):
    package = name.split(".")[0]
    if package in UNLISTED or (REQUIRED is not None and package not in REQUIRED):
        return skip_without(name, *arguments, **options)
    return importlib.import_module(name)


pytest.importorskip = import_or_skip


def pytest_plugin_registered(plugin):
    """Where ../../tests are collected, too, their modules import their conftest by that name. Those here do not."""
    if getattr(plugin, "__name__", "") == "conftest" and plugin.__file__ != __file__:
        sys.modules["conftest"] = plugin


def _blurred(image, sigma):
    """The definition: each pixel of (rows, columns) is a Gaussian of its own sigma; beyond an edge is the edge's pixel."""
    import numpy as np

    reach = int(4 * sigma.max()) + 1
    padded, places, out = np.pad(image.astype(float), reach, mode="edge"), np.arange(-reach, reach + 1), image.astype(float)
    for y, x in np.argwhere(sigma > 0.05):
        weights = np.exp(-((places / sigma[y, x]) ** 2) / 2)
        weights /= weights.sum()
        out[y, x] = weights @ padded[y : y + 2 * reach + 1, x : x + 2 * reach + 1] @ weights
    return out


@pytest.fixture
def blurred():
    return _blurred


@pytest.fixture
def jax_on_cpu():
    """Where JAX has a GPU, arrays and programs go there unless somebody says otherwise."""
    jax = pytest.importorskip("jax", minversion="0.5")
    before = jax.config.jax_default_device
    jax.config.update("jax_default_device", jax.devices("cpu")[0])
    yield jax
    jax.config.update("jax_default_device", before)
