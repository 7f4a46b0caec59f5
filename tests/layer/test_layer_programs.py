# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Programs of our own that do what few do, under the layer: they run as without it, are foveated, and
validation finds nothing that it does not find in the program alone."""

import pytest

pytestmark = pytest.mark.turns(2)

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
    "srgb-drawn",
    "retired",
    "resize",
    "outgrown",
    "hidden",
    "two-devices",
    "instances-in-turn",
    "instances-at-once",
    "own-fences",
]


@pytest.mark.parametrize(("name", "backend"), [*((name, "vulkan") for name in CASES), ("own-fences", "cpu")])
def test_a_program_is_foveated_and_valid(rig, name, backend):
    alone = rig.case(name, on=False, validate=True)
    if alone.code == 77:
        pytest.skip(alone.output)
    assert alone.code == 0, alone.output + alone.validation
    done = rig.case(name, validate=True, sets={"backend": backend})
    assert done.code == 0, done.output + done.log
    assert done.foveated, done.log
    done.assert_validated()
    assert done.new_messages(alone) == []
