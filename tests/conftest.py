# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the Python tests share: where the sources and the build are, and how to run a program."""

import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PUBLIC_HEADERS = ["fovea.h", "fovea_base.h", "fovea_blobs.h", "fovea_blobs_vk.h", "fovea_gaze.h", "fovea_gl.h", "fovea_image.h", "fovea_lightfield.h", "fovea_lightfield_vk.h", "fovea_present.h", "fovea_record.h", "fovea_settings.h", "fovea_vulkan.h"]


def run_program(*command, check=True, **options):
    """Runs it with its output captured; a failure shows the command and all that it printed."""
    options.setdefault("timeout", 300)
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options
    )
    if check and done.returncode != 0:
        pytest.fail(f"{done.args}\nended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def cases(kept, more):
    """Parameters of a test: those of every run, and behind them those that `./run test --all-cases` adds."""
    return [*kept, *more] if os.environ.get("FOVEA_TEST_CASES") == "all" else [*kept]


def pytest_collection_modifyitems(config, items):
    """Of those with the mark turns(n), a commit has one in n of each file; `./run test --quick` half of that, and
    `--all-cases`, as whoever names none of it (FOVEA_TEST_COMMIT), all."""
    commit = os.environ.get("FOVEA_TEST_COMMIT")
    if commit is None or os.environ.get("FOVEA_TEST_CASES") == "all":
        return
    places, chosen, others = {}, [], []
    for item in items:
        mark = item.get_closest_marker("turns")
        turns = mark.args[0] * int(os.environ.get("FOVEA_TEST_TURNS", "1")) if mark else 1
        place = places[item.path] = places.get(item.path, -1) + bool(mark)
        (others if (place + int(commit)) % turns else chosen).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


if os.environ.get("CI") == "true":
    # tests/requirements.txt lists these, so a module that does not load any more is no reason to skip.
    pytest.importorskip = lambda name, *_, **__: importlib.import_module(name)


def need_tool(name):
    """The path of a tool. Where it is missing the test is skipped; in CI that is a failure."""
    path = shutil.which(name)
    if path is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{name} is not here")
    return path


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """What backends cost is measured and kept; not where the person who runs the tests keeps it."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def build_dir():
    """The build that is tested; ./run test sets FOVEA_BUILD_DIR."""
    folder = Path(os.environ.get("FOVEA_BUILD_DIR", ROOT / "build" / "gcc"))
    if not (folder / "CMakeCache.txt").exists():
        pytest.fail(f"{folder} is no build; use ./run test, or set FOVEA_BUILD_DIR")
    return folder


@pytest.fixture(scope="session")
def library(build_dir):
    path = build_dir / "plugin" / "libfovea.so"
    assert path.exists(), f"{path} was not built"
    return path


@pytest.fixture(scope="session")
def demo(build_dir):
    path = build_dir / "sample_scene" / "fovea_demo"
    assert path.exists(), f"{path} was not built"
    return path


@pytest.fixture(scope="module")
def rig(build_dir, tmp_path_factory):
    """Programs under the Vulkan layer, on a display of their own."""
    from demo_window import virtual_display  # numpy need not be there for the tests that do without
    from layer_rig import Rig

    need_tool("Xvfb")
    with virtual_display() as display:
        yield Rig(build_dir, display, tmp_path_factory.mktemp("layer"))
