# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Programs of our own that do what few do, under the layer: they run as without it, are foveated, and
validation finds nothing that it does not find in the program alone."""

import pytest

CASES = [
    "plain",
    "version-1-0",
    "version-1-0-by-instance",
    "no-application-info",
    "enabled-features",
    "features2",
    "vulkan12-features",
    "constant-features",
    "timeline-features-off",
    "timeline-features-khr",
    "queue2",
    "no-wait",
    "three-waits",
    "twelve-waits",
    "two-swapchains",
    "thread",
    "regions",
    "srgb",
    "srgb-mutable",
    "resize",
    "outgrown",
    "hidden",
    "two-devices",
    "instances-in-turn",
    "instances-at-once",
]


# Validation 1.3.239 does not know that swapchains of VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR have images of extended
# usage, and asks of their own format alone what only a view of another one needs.
ITS_MISTAKES = ["VUID-VkSwapchainCreateInfoKHR-imageFormat-01778"]


@pytest.mark.parametrize("name", CASES)
def test_a_program_is_foveated_and_valid(rig, name):
    alone = rig.case(name, on=False, validate=True)
    if alone.code == 77:
        pytest.skip(alone.output)
    assert alone.code == 0, alone.output + alone.validation
    done = rig.case(name, validate=True, sets={"backend": "vulkan"})
    assert done.code == 0, done.output + done.log
    assert done.foveated, done.log
    done.assert_validated()
    mistakes = ITS_MISTAKES if "srgb" in name else []
    assert [m for m in done.new_messages(alone) if not any(known in m for known in mistakes)] == []
