# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""When Vulkan fails the program goes on with its own frames; and when Fovea itself was wrong, the other tests
would notice. A layer below Fovea's (tests/layer/fault) does the one and the other."""

import re
import time
from pathlib import Path

import pytest
from conftest import run_program
from layer_rig import wait_until

pytestmark = pytest.mark.turns(2)


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


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
@pytest.mark.parametrize(("case", "frames"), [("twelve-images", 40), ("more-images", 42)])
def test_as_many_frames_are_in_flight_as_there_are_images(rig, backend, case, frames):
    """What is said to be finished eleven presents later, as a GPU says that is that far behind. Frames that found no
    place would be shown as they were drawn, and those around them foveated: that flickers."""
    done = rig.case(case, fault="late-fences", sets={"backend": backend})
    assert done.code == 0 and "swapchain of 12 images" in done.log, done.output + done.log
    assert done.foveations == (frames, 0), done.log
    assert "presented as it is" not in done.log, done.log


# Case, fault, presents, submits with the vulkan backend and with cpu, frames foveated. One submit gives semaphores back.
PRESENTS = [
    ("present-out-of-memory", "present", 8, 9, 17, 8),
    ("present-again", "present", 9, 9, 17, 8),
    ("present-again", "present-device", 9, 9, 17, 8),
    ("present-again", "present-twice", 10, 9, 17, 8),
    ("present-again", "present-stuck", 9, 10, 18, 8),  # nothing can be given back: two submits are refused
    ("present-again-no-wait", "present", 9, 9, 17, 8),
    ("present-again-no-wait", "present-stuck", 9, 10, 18, 8),
    ("present-again-twelve-waits", "present", 9, 17, 25, 8),
    ("present-again-both", "present", 9, 17, 33, 16),
    ("present-again-both", "present-stuck", 9, 18, 34, 16),
    ("present-again-apart", "present", 10, 17, 33, 16),
    ("present-drawn-again", "present", 9, 10, 19, 9),  # two pictures for one image
    ("present-released", "present-khr", 9, 10, 19, 9),  # likewise, after the image went back and came again
    ("present-released", "present-ext", 9, 10, 19, 9),
    ("present-outdated", "present-outdated", 8, 8, 16, 8),  # such a present has taken what it waits for
    ("present-outdated", "present-surface", 8, 8, 16, 8),
]


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
@pytest.mark.parametrize(("case", "fault", "presents", "vulkan", "cpu", "foveated"), PRESENTS)
def test_a_present_that_failed_is_tried_again(rig, backend, case, fault, presents, vulkan, cpu, foveated):
    """It ends; each picture is foveated once; and the queue is not given what validation minds."""
    validate = backend == "vulkan"
    done = rig.case(case, fault=fault, validate=validate, sets={"backend": backend}, timeout=30)
    assert done.code == 0, done.output + done.log
    assert done.counts == (presents, vulkan if validate else cpu), done.output + done.log
    assert done.foveations == (foveated, 0), done.log
    assert "presented as it is" not in done.log, done.log
    if validate:
        alone = rig.case(case, on=False, fault=fault, validate=True)
        assert alone.code == 0, alone.output
        assert done.new_messages(alone) == []


@pytest.mark.parametrize("failing", ["nth:60:2:-1", "nth:60:3:-2"])
def test_a_context_without_memory_is_tried_again(rig, failing):
    """Every two seconds, whatever the settings are; the log says it once."""
    begun = time.monotonic()
    process, run = rig.start(rig.program, "until-told", fault=failing, sets={"backend": "vulkan"})
    log = run / "fovea.log"
    assert wait_until(lambda: log.exists() and "backend vulkan on" in log.read_text(), 15)
    took_s = time.monotonic() - begun
    done = rig.done(process, run)
    assert done.code == 0 and done.foveated, done.output + done.log
    assert took_s > 2 * int(failing.split(":")[2]) - 0.5, done.log
    assert done.log.count("frames are presented as they are: FOVEA_ERROR_OUT_OF_MEMORY") == 1, done.log
    assert done.log.count("error: vulkan: VK_ERROR_OUT_OF_") == 1, done.log


@pytest.mark.parametrize("on", [True, False])
def test_a_present_that_is_tried_again_speaks_of_no_regions(rig, on):
    """Fovea's frame has changed all of the image, in the present that failed as in the one that is tried again."""
    done = rig.case("regions", on=on, fault="present", sets={"backend": "vulkan"}, timeout=30)
    assert done.code == 0, done.output + done.log
    presents, with_regions = map(int, re.search(r"(\d+) presents, .*\n.*?(\d+) presents with", done.output).groups())
    assert presents > 3 and with_regions == (0 if on else presents), done.output


def test_a_device_that_is_lost_for_the_second_submit_alone_leaves_nobody_waiting(rig):
    """The first one has taken what the present waits for, and the present goes down without that."""
    done = rig.case("plain", fault="lost-half", sets={"backend": "cpu"}, timeout=30)
    assert done.code == 0 and done.counts == (6, 4), done.output + done.log
    assert done.log.count("a frame is presented as it is: FOVEA_ERROR_FRAME_LOST") == 1, done.log


def test_a_present_after_a_lost_frame_is_tried_again(rig):
    """Its semaphores are given back although nothing of Fovea's stands for them: a fifth submit's refusal, then one."""
    done = rig.case("present-again", fault="fifth-present", sets={"backend": "cpu"}, timeout=30)
    assert done.code == 0 and done.counts == (9, 6), done.output + done.log
    assert done.log.count("a frame is presented as it is: FOVEA_ERROR_FRAME_LOST") == 1, done.log


@pytest.mark.parametrize(("frozen", "submits"), [("true", 32), ("false", 40)])
def test_where_layer_frozen_names_a_backend_no_other_one_takes_its_place(rig, frozen, submits):
    """Threads have no images to work on here. Shaders, with one submit a frame, are seen at the second look."""
    done = rig.case("twelve-images", fault="mapped", sets={"backend": "cpu", "layer.frozen": frozen})
    assert done.code == 0 and done.counts == (40, submits), done.output + done.log
    assert "the vulkan backend takes over" in done.log, done.log
    assert done.log.count("layer.frozen: the cpu backend is lost") == (frozen == "true"), done.log


def test_layer_frozen_needs_the_name_of_a_backend(rig):
    done = rig.case("plain", fault="nothing", sets={"backend": "auto", "layer.frozen": "true"})
    assert done.code == 0 and done.counts == (6, 0), done.output + done.log
    assert done.log.count("layer.frozen needs the name of a backend") == 1, done.log


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_a_lost_device_is_said_once(rig, backend):
    done = rig.case("hold", fault="lost", validate=backend == "vulkan", sets={"backend": backend})
    assert done.code == 0 and done.counts[0] == 8, done.output + done.log
    assert done.log.count("a frame is presented as it is") == 1, done.log
    assert not done.messages, done.validation


@pytest.mark.parametrize("failing", ["1:1", "2:1", "3:1", "1:2", "1:1000000", "2:1000000"])
def test_memory_for_the_layer_never_decides_whether_a_program_starts(rig, failing):
    """What it must keep of an instance and of a device are its first two allocations."""
    extra = {"LD_PRELOAD": rig.preload, "FOVEA_STORM_ALLOCATION": failing}
    done = rig.run(rig.program, "instances-in-turn", fault="nothing", sets={"backend": "cpu"}, extra=extra)
    assert done.code == 0, done.output + done.log
    assert "allocations of the layer" in done.output
    if failing == "1:1":
        assert "this program is left alone: out of memory" in done.log + done.output


@pytest.mark.slow
def test_validation_is_not_held_up_by_the_watchdog(rig):
    """Validation 1.3.239 stands still for ten seconds where a thread asks for a timeline's value while another one signals
    it: within four seconds, when the watchdog asked all the time."""
    process, folder = rig.start(rig.program, "endless", validate=True, sets={"backend": "cpu"})
    time.sleep(16)
    process.terminate()
    done = rig.done(process, folder)
    done.assert_validated()
    assert done.foveated and not done.standstills, done.validation[-500:]


def test_devices_are_made_one_after_the_other(rig):
    """Fovea switches a feature on in the program's structure for the time of the call, and two threads may have one:
    Vulkan's loader lets one of them in at a time."""
    done = rig.case("two-threads", fault="overlap", sets={"backend": "vulkan"})
    assert done.code == 0, done.output + done.log
    assert "cannot be made with what Fovea needs" not in done.log, done.log
