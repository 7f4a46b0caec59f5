# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A swapchain's images are seen by kernels where they may be, and copied by vkCmdCopyImage otherwise: what is presented
is the same, and the log says which it is."""

import numpy
import pytest

pytestmark = pytest.mark.turns(2)

SETS = {"backend": "vulkan", "foveation.method": "blockwise"}


@pytest.mark.parametrize(
    ("fault", "extra", "how"),
    [
        ("nothing", {}, "seen by kernels"),
        ("storage", {}, "copied by vkCmdCopyImage"),
        ("format", {}, "copied by vkCmdCopyImage"),
        ("mutable", {}, "copied by vkCmdCopyImage"),
        ("view", {}, "copied by vkCmdCopyImage"),
        ("nothing", {"layer.direct": "false"}, "copied by vkCmdCopyImage"),
    ],
)
@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_frames_are_our_operator_however_they_are_copied(rig, backend, fault, extra, how):
    sets = {**SETS, **extra, "backend": backend}
    valid = rig.case("plain", fault=fault, validate=True, sets=sets)
    assert valid.code == 0 and not valid.messages, valid.output + valid.validation
    done = rig.case("plain", fault=fault, dump=True, sets=sets)
    assert done.code == 0 and len(done.frames) == 6, done.output + done.log
    assert done.log.count(how) == 1 and done.log.count("swapchain of") == 1, done.log
    for frame in done.frames:
        assert numpy.abs(frame.after - rig.expected(frame, sets)).max() <= 1, dict(frame)
        assert (frame.before != frame.after).any()


def test_images_without_memory_are_copied(rig):
    """They cannot have views before they are acquired."""
    done = rig.case("deferred", sets=SETS)
    assert done.code == 0 and "copied by vkCmdCopyImage" in done.log, done.log
