# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""When kernels are compiled: while a program makes its swapchains, and in no frame that shows one in projection layers
first."""

import re

import pytest
from openxr_rig import OURS, alone, assert_foveated, hello, over_faults  # noqa: F401

pytestmark = pytest.mark.turns(3)

FIRST_FRAME = "the gaze is the runtime's"  # the layer says so in the first xrEndFrame
PIPELINE = re.compile(r"fault: call (\d+), vkCreateComputePipelines$")


@pytest.fixture
def watched(hello, tmp_path_factory):  # noqa: F811
    """Runs our own program over the layer of faults (tests/layer/fault/fault.h)."""
    folder = tmp_path_factory.mktemp("fault")

    def run(kind, fault="names", **more):
        more = {"FOVEA_TEST_XR_GAZE": "10,-5", **over_faults(folder, fault), **more}
        return hello(kind, program=OURS, fovea=True, **more)

    return run


def contexts(done):
    """How many were made: each has one set of queries, for its times."""
    return len(re.findall(r"fault: call \d+, vkCreateQueryPool$", done.output, re.M))


def split(done):
    """The calls that make pipelines, by their numbers: before the first frame, and from there on."""
    lines = done.output.splitlines()
    first = next(i for i, line in enumerate(lines) if FIRST_FRAME in line)
    return [[int(m[1]) for m in map(PIPELINE.match, part) if m] for part in (lines[:first], lines[first:])]


@pytest.mark.parametrize("kind", ["separate", "array", "atlas", "quad"])
@pytest.mark.parametrize("model", ["paper", "physical"])
@pytest.mark.parametrize("direct", ["true", "false"])
def test_no_frame_compiles_kernels(watched, kind, model, direct):
    done = watched(kind, FOVEA_SET=f"foveation.model={model},layer.direct={direct}").check(12 if kind == "quad" else 6)
    before, after = split(done)
    assert before and not after, (len(before), len(after))


def test_kernels_that_cannot_be_compiled_before_are_in_the_first_frame(watched, alone):  # noqa: F811
    """Out of memory while the program loads: the refusal is logged, and frames try again."""
    drawn = alone("separate")
    before, _ = split(watched("separate").check())
    done = watched("separate", f"nth:{before[0]}:1:-1").check()
    assert_foveated(drawn, done, [(10, -5)] * 3)
    assert "vkCreateComputePipelines, fails" in done.output
    assert "as drawn" not in done.output


def test_a_swapchain_that_projection_layers_show_later_is_foveated_then(watched, alone):  # noqa: F811
    """The first frame shows it in a quad layer alone: its context goes and is made again."""
    drawn = alone("menu", 5)
    done = watched("menu").check(5)
    assert (done.picture(0, 0) == drawn.picture(0, 0)).all()
    assert_foveated(drawn, done, [(10, -5)] * 2, first=1)
    assert contexts(done) == 3  # two eyes, and the left one again


@pytest.mark.parametrize("size", ["160x96", "128x176"])
def test_swapchains_much_smaller_than_an_eyes_are_not_prepared(watched, size):
    """The program makes three of 64x48 beside each frame, and shows none of them: not wide enough, or not high enough."""
    done = watched("pipelined", FOVEA_TEST_XR_SIZE=size).check()
    assert contexts(done) == 2
