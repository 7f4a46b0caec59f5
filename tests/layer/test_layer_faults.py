# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""When Vulkan fails the program goes on with its own frames; and when Fovea itself was wrong, the other tests
would notice. A layer below Fovea's (tests/layer/fault) does the one and the other."""

from pathlib import Path

import pytest
from conftest import run_program


@pytest.mark.parametrize(("backend", "submits"), [("vulkan", 6), ("cpu", 12)])
def test_how_many_submits_a_frame_takes(rig, backend, submits):
    done = rig.case("plain", fault="nothing", sets={"backend": backend})
    assert done.code == 0 and done.counts == (6, submits), done.output + done.log


def test_frames_without_a_gaze_take_no_submit(rig):
    """But the first, after which the log says why."""
    sets = {"backend": "vulkan", "gaze.source": "udp", "gaze.udp.port": 0, "gaze.validity.fallback": "none"}
    done = rig.case("two-swapchains", fault="nothing", validate=True, sets=sets)
    assert done.code == 0 and done.counts == (10, 2), done.output + done.log
    assert "no usable gaze" in done.log and not done.messages, done.log + done.validation


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        ("signal", "VUID-vkQueuePresentKHR-pWaitSemaphores-03268"),
        ("wait", "UNASSIGNED-CoreValidation-DrawState-QueueForwardProgress"),
        ("layout", "UNASSIGNED-CoreValidation-DrawState-InvalidImageLayout"),
    ],
)
def test_a_mistake_of_foveas_is_noticed(rig, mistake, message):
    done = rig.case("plain", fault=mistake, validate=True, sets={"backend": "vulkan"}, timeout=5)
    done.assert_validated()
    assert message in done.messages, (done.code, done.messages, done.output)


def test_no_device_starts_cuda(rig, tmp_path):
    """Not even one that it could share images with, where no frame is CUDA's."""
    source = Path(__file__).parent / "fake_cuda_driver.c"
    run_program("cc", "-shared", "-fPIC", source, "-o", tmp_path / "libcuda.so.1")
    extra = {"LD_LIBRARY_PATH": str(tmp_path), "FAKE_CUDA_MARK": str(tmp_path / "mark")}
    done = rig.case("plain", fault="sharing", sets={"backend": "vulkan"}, extra=extra)
    assert done.code == 0, done.output + done.log
    assert done.foveated and not (tmp_path / "mark").exists(), done.log


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("device", "cannot be made with what Fovea needs"),
        ("usage", "a swapchain is left alone: its images cannot be copied"),
        ("swapchain", "a swapchain is left alone"),
        ("semaphore", "a swapchain is left alone"),
        ("instance", ""),
    ],
)
def test_what_cannot_be_made_is_done_without(rig, fault, words):
    done = rig.case("plain", fault=fault, validate=True, dump=True, sets={"backend": "vulkan"})
    assert done.code == 0, done.output + done.log
    assert done.counts[0] == 6 and not done.frames, done.output
    assert done.log.count(words) == 1 or not words, done.log
    assert not done.messages, done.validation


def test_frames_go_on_when_submits_fail(rig):
    """Two runs, since a dump's own submits count too."""
    done = rig.case("hold", fault="submit", validate=True, sets={"backend": "vulkan"})
    assert done.code == 0 and done.counts[0] == 8, done.output + done.log
    assert done.log.count("a frame is presented as it is") == 1, done.log
    assert done.log.count("out of memory") == 1 or "OUT_OF_MEMORY" in done.log, done.log
    assert not done.messages, done.validation


@pytest.mark.parametrize(("fault", "passed"), [("submit", 3), ("fourth", 1)])
def test_frames_with_many_waits_go_on_when_submits_fail(rig, fault, passed):
    """Twelve semaphores are gathered by a submit of its own (the third to fifth fail), of which a frame that
    fails afterwards (the fourth submit) leaves one to wait for."""
    done = rig.case("twelve-waits", fault=fault, validate=True, sets={"backend": "vulkan"})
    assert done.code == 0 and done.counts == (8, 2 * 8 - (passed if fault == "submit" else 0)), done.output
    assert done.log.count("a frame is presented as it is") == 1, done.log
    assert not done.messages, done.validation


def test_the_second_of_two_submits_is_tried_twice(rig):
    done = rig.case("plain", fault="fourth", validate=True, sets={"backend": "cpu"})
    assert done.code == 0 and done.counts == (6, 13), done.output + done.log
    assert "a frame is presented as it is" not in done.log, done.log
    assert not done.messages, done.validation


def test_a_frame_that_is_lost_half_way_is_presented_without_waits(rig):
    """What the program's present waits for is taken by the first of the frame's two submits. The image is in
    the layout that this one has left it in; waiting again would hang the queue. Validation 1.3.239 waits ten seconds for
    the host's signal now and then."""
    done = rig.case("plain", fault="fifth", validate=True, sets={"backend": "cpu"}, timeout=60)
    assert done.code == 0 and done.counts == (6, 5), done.output + done.log
    assert done.log.count("a frame is presented as it is: FOVEA_ERROR_FRAME_LOST") == 1, done.log
    assert set(done.messages) <= {"VUID-VkPresentInfoKHR-pImageIndices-01296"}, done.validation


def test_a_present_out_of_memory_ends_foveation_of_its_swapchain(rig):
    """Nobody waits any more for what Fovea has signalled for that image."""
    alone = rig.case("present-out-of-memory", on=False, fault="present", validate=True)
    done = rig.case("present-out-of-memory", fault="present", validate=True, sets={"backend": "vulkan"})
    assert done.code == 0 and done.counts == (8, 3), done.output + done.log
    assert done.new_messages(alone) == []


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_a_lost_device_is_said_once(rig, backend):
    done = rig.case("hold", fault="lost", validate=backend == "vulkan", sets={"backend": backend})
    assert done.code == 0 and done.counts[0] == 8, done.output + done.log
    assert done.log.count("a frame is presented as it is") == 1, done.log
    assert not done.messages, done.validation
