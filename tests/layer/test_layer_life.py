# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Things that come and go under the layer, and programs that are not quite right."""

import re
import signal
import time

import pytest
from conftest import need_tool
from demo_window import virtual_display
from layer_rig import Rig

VULKAN = {"backend": "vulkan"}


@pytest.fixture(scope="module")
def rig(build_dir, tmp_path_factory):
    need_tool("Xvfb")
    with virtual_display() as display:
        yield Rig(build_dir, display, tmp_path_factory.mktemp("layer"))


@pytest.mark.parametrize("name", ["never-presents", "nothing-destroyed", "functions", "deferred"])
def test_a_program_ends_well(rig, name):
    done = rig.case(name, sets=VULKAN)
    assert done.code == 0, done.output + done.log


def test_a_forgotten_swapchain_does_not_matter(rig):
    """The program is wrong, and leaks; Fovea frees what is its own all the same."""
    alone = rig.run(rig.program, "forgets-its-swapchain", on=False, validate=True)
    done = rig.run(rig.program, "forgets-its-swapchain", validate=True, sets=VULKAN)
    assert done.code == alone.code == 0, done.output + done.log
    assert set(done.messages) <= set(alone.messages), done.validation


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_memory_does_not_grow_with_swapchains(rig, backend):
    done = rig.case("many-swapchains", sets={"backend": backend})
    assert done.code == 0, done.output + done.log
    first, last = (int(number) for number in re.findall(r"resident_kb (\d+)", done.output))
    assert last - first < 6000, (first, last)


def test_a_program_that_is_killed_leaves_nothing_that_hinders_the_next(rig):
    process, run = rig.start(rig.program, "endless", sets=VULKAN)
    time.sleep(1)
    assert process.poll() is None, (run / "output.txt").read_text()
    process.send_signal(signal.SIGKILL)
    assert rig.done(process, run).code == -signal.SIGKILL
    assert rig.case("plain", sets=VULKAN).code == 0
