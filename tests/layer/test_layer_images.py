# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Fovea adds to what a swapchain's images can do. Programs that say elsewhere what these can do stay valid, and so do
layers below that add to them too: validation stands below them all and finds nothing that it does not find without Fovea."""

import os
import re
from pathlib import Path

import pytest
from layer_rig import VALIDATION, Rig

pytestmark = pytest.mark.turns(2)

LISTS = "VK_LAYER_TEST_lists"
BASALT = "VK_LAYER_VKBASALT_post_processing"
DIRECT = pytest.mark.parametrize("direct", ["true", "false"])
SETS = {"backend": "vulkan", "foveation.method": "blockwise"}


@DIRECT
@pytest.mark.parametrize("name", ["imageless", "imageless-alone", "alias", "alias-srgb", "alias-mutable"])
def test_what_fits_the_images_stays_valid(rig, name, direct):
    alone = rig.case(name, on=False, validate=True)
    assert alone.code == 0 and not alone.messages, alone.output + alone.validation
    done = rig.case(name, validate=True, sets={**SETS, "layer.direct": direct})
    done.assert_validated()
    assert done.code == 0 and done.foveations == (5, 0), done.output + done.log
    assert not done.messages, done.validation


def test_framebuffers_without_images_are_not_for_kernels(rig):
    """Only where the feature is on; images in a swapchain's memory are made as that has been."""
    for name, how in [("imageless", "copied by vkCmdCopyImage"), ("alias", "seen by kernels")]:
        assert how in rig.case(name, sets=SETS).log


SRGB_DRAWN = [218, 188, 124, 255]  # B, G, R of light 0.7, 0.5, 0.2


@pytest.mark.parametrize(("name", "how"), [("srgb-drawn", "seen by kernels"), ("srgb", "copied by vkCmdCopyImage")])
def test_srgb_is_seen_where_programs_draw_into_views_alone(rig, name, how):
    """The images are of the plain format then: what is drawn is encoded all the same, and validation has nothing to say."""
    valid = rig.case(name, validate=True, sets=SETS)
    assert valid.code == 0 and not valid.messages and how in valid.log, valid.log + valid.validation
    done = rig.case(name, dump=True, sets=SETS)
    assert name == "srgb" or all((frame.before == SRGB_DRAWN).all() for frame in done.frames), done.frames[0].before
    assert all(int(frame["format"]) == 50 for frame in done.frames) and done.foveated


def test_srgb_is_copied_where_the_driver_says_no(rig):
    done = rig.case("srgb-drawn", fault="format", validate=True, sets=SETS)
    assert done.code == 0 and "copied by vkCmdCopyImage" in done.log and not done.messages, done.log + done.validation


def below(rig, folder, layer):
    """The environment with a layer between Fovea's and validation."""
    Rig.write(folder, "lists.json", LISTS, rig.build_dir / "tests" / "VkLayer_test_lists.so", environment=False)
    places = [folder, "/usr/share/vulkan/implicit_layer.d", "/usr/share/vulkan/explicit_layer.d"]
    return {"VK_ADD_LAYER_PATH": ":".join(map(str, places)), "VK_INSTANCE_LAYERS": f"{layer}:{VALIDATION}"}


@pytest.mark.parametrize(
    ("layer", "file", "backend"),
    [(LISTS, "VkLayer_test_lists", "vulkan"), (LISTS, "VkLayer_test_lists", "cpu"), (BASALT, "libvkbasalt", "vulkan")],
)
def test_below_a_layer_with_formats_of_its_own(rig, tmp_path, layer, file, backend):
    """By its name, without the variable that switches it on. The tests' own holds a lock while it presents, which a frame
    of the cpu backend would wait for."""
    if layer == BASALT and not Path("/usr/share/vulkan/implicit_layer.d/vkBasalt.json").exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("vkBasalt is not here")
    extra = below(rig, tmp_path, layer)
    alone = rig.case("plain", on=False, validate=True, extra=extra)
    assert alone.code == 0, alone.output
    done = rig.case("plain", validate=True, sets={**SETS, "backend": backend}, extra=extra)
    done.assert_validated()
    assert done.code == 0 and done.foveations == (6, 0), done.output + done.log
    assert "copied by vkCmdCopyImage" in done.log and re.search(f"{file}.* stands below", done.log), done.log
    assert done.new_messages(alone) == []


def test_above_it_kernels_see_the_images(rig, tmp_path):
    """Known layers do not stand in the way: the tests' own and validation."""
    done = rig.case("plain", validate=True, fault="nothing", sets=SETS)
    assert done.code == 0 and "seen by kernels" in done.log and "stands below" not in done.log, done.log
