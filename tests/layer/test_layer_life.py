# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Things that come and go under the layer, and programs that are not quite right."""

import json
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


def test_gaze_sources_change_under_threads_that_present(rig):
    """Which one is followed, by whom and by how many."""
    sources = [{"source": "udp", "udp": {"port": 0}}, {"source": "saccades"}, {"source": "mouse"}, {"source": "fixed"}]
    file = rig.folder / "changing.json"
    file.write_text('{"version": 1}')
    extra = {"FOVEA_CONFIG": str(file), "FOVEA_SET": "backend=cpu,log.level=debug"}
    process, run = rig.start(rig.program, "three-threads", extra=extra)
    for i in range(8):
        gaze = {**sources[i % 4], "late": i % 3 != 2}
        (rig.folder / "changed.json").write_text(json.dumps({"version": 1, "gaze": gaze}))
        (rig.folder / "changed.json").replace(file)
        time.sleep(0.6)
    done = rig.done(process, run)
    assert done.code == 0, done.output + done.log
    assert "cannot be" not in done.log, done.log


def test_auto_begins_at_once_where_a_cpu_draws(rig):
    done = rig.case("plain", sets={"backend": "auto"}, extra={"XDG_CACHE_HOME": str(rig.folder / "empty cache")})
    assert done.code == 0 and "threads are faster" in done.log, done.log
    assert "measured" not in done.log, done.log


def test_a_program_that_is_killed_leaves_nothing_that_hinders_the_next(rig):
    process, run = rig.start(rig.program, "endless", sets=VULKAN)
    time.sleep(1)
    assert process.poll() is None, (run / "output.txt").read_text()
    process.send_signal(signal.SIGKILL)
    assert rig.done(process, run).code == -signal.SIGKILL
    assert rig.case("plain", sets=VULKAN).code == 0
