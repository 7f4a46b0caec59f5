# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Calls of the layer's that a runtime refuses: the program has what it would have without the layer."""

from openxr_rig import FRAMES, OURS, assert_foveated, hello  # noqa: F401


def test_an_image_of_the_layers_own_that_cannot_be_released_is_not_shown(hello):  # noqa: F811
    """The right eye's, which comes first: its views are shown as drawn, and one line says so."""
    drawn = hello("separate", program=OURS).check()
    script = {"FOVEA_TEST_XR_RESULT": "xrReleaseSwapchainImage:1:-2", "FOVEA_TEST_XR_GAZE": "10,-5"}
    done = hello("separate", program=OURS, fovea=True, **script).check()
    assert done.output.count("the runtime refuses the release of an image of the layer's own") == 1, done.output
    assert_foveated(drawn, done, [(10, -5)] * FRAMES, views=1)
    assert all((done.picture(frame, 1) == drawn.picture(frame, 1)).all() for frame in range(FRAMES))
