# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The world that fovea-run is tried in: a stand-in for the layer (stand_in_layer.c) that only says that it was there,
so that nothing here depends on what the real one does; the loader is Debian's."""

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import need_tool, run_program
from layer_manifest import FILE, manifest

HERE = Path(__file__).resolve().parent
NAME = "VK_LAYER_FOVEA_foveation"
PLACE = Path("vulkan/implicit_layer.d")
VERSION = 2000  # fovea_version() of 0.2.0
LAVAPIPE = Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")


@pytest.fixture(scope="session")
def make_layer(tmp_path_factory):
    """A library that is a layer of Fovea's name and leaves word in the file of STAND_IN_LOG."""

    def make(word="here", version=VERSION, *flags):
        folder = tmp_path_factory.mktemp(word)
        run_program(need_tool("cc"), "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *flags,
                    f"-DSTAND_IN_VERSION={version}", f'-DSTAND_IN_WORD="{word}"', HERE / "stand_in_layer.c",
                    "-o", folder / "libVkLayer_fovea.so")  # fmt: skip
        return folder / "libVkLayer_fovea.so"

    return make


@pytest.fixture(scope="session")
def layer(make_layer):
    return make_layer()


@pytest.fixture(scope="session")
def template():
    return lambda library, version=VERSION: manifest(library, version)


class World:
    """An installation of fovea-run in a folder of its own, and a user of whom nothing else is known."""

    def __init__(self, folder, program, text):
        self.prefix, self.home, self.log = folder / "prefix", folder / "home", folder / "log"
        self.text = text
        self.home.mkdir()
        (self.prefix / "bin").mkdir(parents=True)
        self.program = shutil.copy(program, self.prefix / "bin" / "fovea-run")
        drivers = os.environ.get("VK_DRIVER_FILES", str(LAVAPIPE))
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "STAND_IN_LOG": str(self.log),
                            "VK_DRIVER_FILES": drivers, "VK_ICD_FILENAMES": drivers}  # fmt: skip

    def place(self, folder, library, version=VERSION, name=FILE):
        path = Path(folder) / PLACE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(library, version))
        return path

    @property
    def users(self):
        return self.home / ".local" / "share" / PLACE / FILE

    def run(self, *words, **more):
        environment = {k: str(v) for k, v in {**self.environment, **more}.items() if v is not None}
        return run_program(self.program, *words, check=False, env=environment, cwd=self.home)

    def good(self, *words, **more):
        done = self.run(*words, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def variables(self, *words, **more):
        """Those that a program gets."""
        lines = self.good(*words, "env", "-0", **more).stdout.split("\0")
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def was_there(self):
        """What layers have left word since the last time."""
        said = self.log.read_text().split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return said


@pytest.fixture
def bare(tmp_path, build_dir, template):
    """Without any layer."""
    program = build_dir / "plugin" / "layer" / "run" / "fovea-run"
    assert program.exists(), f"{program} was not built"
    return World(tmp_path, program, template)


@pytest.fixture
def world(bare, layer):
    bare.place(bare.prefix / "share", layer)
    return bare


def line_of(done, what):
    """The mark and the text of the first line that --check has about it."""
    found = re.search(rf"^  (ok|note|NO) +{re.escape(what)} +(.*)$", done.stdout, re.MULTILINE)
    assert found, f"nothing about {what} in\n{done.stdout}{done.stderr}"
    return found.groups()
