# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Fovea adds to what a swapchain's images can do. Programs that say elsewhere what these can do stay valid, and so do
layers below that add to them too: validation stands below them all and finds nothing that it does not find without Fovea."""

import os
import re
from pathlib import Path

import pytest
from layer_rig import VALIDATION, Rig
from test_layer_programs import ITS_MISTAKES

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
    mistakes = ITS_MISTAKES if "srgb" in name else []
    assert [m for m in done.messages if m not in mistakes] == [], done.validation


def test_framebuffers_without_images_are_not_for_kernels(rig):
    """Only where the feature is on; images in a swapchain's memory are made as that has been."""
    for name, how in [("imageless", "copied by vkCmdCopyImage"), ("alias", "seen by kernels")]:
        assert how in rig.case(name, sets=SETS).log


def test_srgb_is_validations_mistake_where_the_driver_says_so(rig):
    """VUID-VkSwapchainCreateInfoKHR-imageFormat-01778 asks for what vkGetPhysicalDeviceImageFormatProperties says of the
    flags that a swapchain of several formats implies: MUTABLE_FORMAT and EXTENDED_USAGE. The driver says yes. Validation
    1.3.239 asks for the format's own features, as if there were no flags, of which it says no."""
    asked = rig.case("ask-of-srgb", on=False)
    assert asked.code == 0 and asked.output.split()[:4] == ["several_formats", "0", "one_format", "-11"], asked.output
    seen = rig.case("srgb", validate=True, sets=SETS)
    assert "seen by kernels" in seen.log and list(seen.messages) == ITS_MISTAKES, seen.log + seen.validation
    copied = rig.case("srgb", validate=True, sets={**SETS, "layer.direct": "false"})
    assert copied.foveations == (8, 0) and not copied.messages, copied.log + copied.validation


def test_srgb_is_copied_where_the_driver_says_no(rig):
    done = rig.case("srgb", fault="format", validate=True, sets=SETS)
    assert done.code == 0 and "copied by vkCmdCopyImage" in done.log and not done.messages, done.log + done.validation


def below(rig, folder, layer):
    """The environment with a layer between Fovea's and validation."""
    Rig.write(folder, "lists.json", LISTS, rig.build_dir / "tests" / "VkLayer_test_lists.so", environment=False)
    places = [folder, "/usr/share/vulkan/implicit_layer.d", "/usr/share/vulkan/explicit_layer.d"]
    return {"VK_ADD_LAYER_PATH": ":".join(map(str, places)), "VK_INSTANCE_LAYERS": f"{layer}:{VALIDATION}"}


@pytest.mark.parametrize(("layer", "file"), [(LISTS, "VkLayer_test_lists"), (BASALT, "libvkbasalt")])
def test_below_a_layer_with_formats_of_its_own(rig, tmp_path, layer, file):
    """By its name, without the variable that switches it on."""
    if layer == BASALT and not Path("/usr/share/vulkan/implicit_layer.d/vkBasalt.json").exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("vkBasalt is not here")
    extra = below(rig, tmp_path, layer)
    alone = rig.case("plain", on=False, validate=True, extra=extra)
    assert alone.code == 0, alone.output
    done = rig.case("plain", validate=True, sets=SETS, extra=extra)
    done.assert_validated()
    assert done.code == 0 and done.foveations == (6, 0), done.output + done.log
    assert "copied by vkCmdCopyImage" in done.log and re.search(f"{file}.* stands below", done.log), done.log
    assert done.new_messages(alone) == []


def test_above_it_kernels_see_the_images(rig, tmp_path):
    """Known layers do not stand in the way: the tests' own and validation."""
    done = rig.case("plain", validate=True, fault="nothing", sets=SETS)
    assert done.code == 0 and "seen by kernels" in done.log and "stands below" not in done.log, done.log
