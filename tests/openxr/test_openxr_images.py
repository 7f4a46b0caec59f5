# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The images of programs for headsets: their formats, alpha, frusta and rectangles, how they come to the kernels, and those
that are shown as drawn."""

import re

import numpy
import pytest
from openxr_rig import (  # noqa: F401
    DIRECT,
    FRAMES,
    OURS,
    SIZE,
    alone,
    assert_as_drawn,
    assert_foveated,
    assert_view,
    expected,
    file_expected,
    foveated_view,
    hello,
    place,
)

pytestmark = pytest.mark.turns(3)


@pytest.mark.parametrize("centers", [{}, {"FOVEA_TEST_XR_CENTERS": "10,-5/10,-5", "XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA"}])
def test_frusta_that_change_in_every_frame_are_each_their_own(hello, centers, alone):
    """The centres of a runtime's foveation are over its own frusta, whatever the program draws."""
    before = alone("zooms")
    after = hello("zooms", program=OURS, fovea=True, **{"FOVEA_TEST_XR_GAZE": "10,-5", **centers}).check()
    for frame in range(FRAMES):
        for view in range(2):
            left, right, up, down = numpy.tan(numpy.radians([50, 42, 40, 48]) * (1 - 0.1 * frame))
            left, right = (right, left) if view else (left, right)
            tangents = {"left": left, "right": right, "up": up, "down": down}
            u, v, whole = place(10, -5, view)
            x = u * (whole["left"] + whole["right"]) - whole["left"]
            y = whole["up"] - v * (whole["up"] + whole["down"])
            drawn = before.picture(frame, view)
            wanted = expected(after.folder, drawn, ((x + left) / (left + right), (up - y) / (up + down)), tangents)
            far = numpy.abs(after.picture(frame, view) - wanted).max()
            assert far <= 3, f"frame {frame}, view {view}: {far} levels"


def test_an_image_that_is_shown_again_stays_as_it_was_foveated(hello, alone):
    """The second frame shows what the first has released, though the gaze is elsewhere."""
    before = alone("again")
    gazes = [(10, -5), (-12, 8), (-12, 8)]
    after = hello("again", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE=";".join(f"{x},{y}" for x, y in gazes)).check()
    assert_foveated(before, after, [gazes[0], gazes[0], gazes[2]])


def test_an_image_that_a_quad_alone_has_shown_is_as_drawn_afterwards(hello, alone):
    """The second frame's: the third shows it in projection layers, and not what was foveated in the first."""
    before = alone("leaves", 5)
    after = hello("leaves", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check(5)
    assert_foveated(before, after, [(10, -5)])
    assert_as_drawn(before, after, [2])


def assert_premultiplied(before, after, frame, view):
    drawn = before.picture(frame, view)
    wanted = foveated_view(after.folder, drawn, (10, -5), view, **{"foveation.alpha": "premultiplied"})
    kept = foveated_view(after.folder, drawn, (10, -5), view)
    assert numpy.abs(wanted - kept).max() > 20, "alpha does not matter here"
    assert numpy.abs(after.picture(frame, view) - wanted).max() <= 3, (frame, view)


def test_two_layers_of_the_same_views_are_foveated_both(hello, alone):
    """The second one is blended by its alpha, which is blurred for both."""
    before = alone("double", 4 * FRAMES)
    after = hello("double", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check(4 * FRAMES)
    for frame in range(FRAMES):
        for view in range(2):
            assert_premultiplied(before, after, frame, view)
            one, other = (after.folder / f"frame{frame}-layer{layer}-view{view}.raw" for layer in range(2))
            assert one.read_bytes() == other.read_bytes()


def test_alpha_that_a_layer_is_blended_by_is_blurred_with_its_colours(hello, alone):
    """Whatever foveation.alpha says. Else the left one of two colours would be seen through the right one's alpha."""
    before = alone("blended")
    after = hello("blended", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check()
    for frame in range(FRAMES):
        for view in range(2):
            assert_premultiplied(before, after, frame, view)


def decoded(folder, name, picture):
    """The pixels of a file in the format of that name, as numbers of about 8 bits."""
    bits = numpy.fromfile(folder / name, {"A2B10G10R10": "<u4", "RGBA16F": "<f2"}.get(picture, numpy.uint8))
    if picture == "A2B10G10R10":
        return numpy.stack([(bits >> shift & 1023) / 4 for shift in (0, 10, 20)])
    return bits.astype(float) * (255 if picture == "RGBA16F" else 1)


@pytest.mark.parametrize("direct", ["true", "false"])
@pytest.mark.parametrize("number, name", [(37, "RGBA8"), (50, "BGRA8"), (64, "A2B10G10R10"), (97, "RGBA16F")])
def test_pictures_of_other_formats_are_foveated(hello, number, name, direct):
    """VK_FORMAT_R8G8B8A8_UNORM, B8G8R8A8_SRGB, A2B10G10R10_UNORM_PACK32 and R16G16B16A16_SFLOAT."""
    more = {"FOVEA_TEST_XR_FORMAT": str(number), "FOVEA_TEST_XR_GAZE": "10,-5", **DIRECT}
    sets = f"foveation.model=paper,layer.direct={direct}"
    before = hello("separate", program=OURS, **more).check()
    after = hello("separate", program=OURS, fovea=True, FOVEA_SET=sets, **more).check()
    for view in range(2):
        x, y, tangents = place(10, -5, view)
        file = f"frame1-layer0-view{view}.raw"
        file_expected(after.folder, before.folder / file, SIZE, (x, y), tangents, *([] if number < 64 else [name]))
        drawn, shown = decoded(before.folder, file, name), decoded(after.folder, file, name)
        wanted = decoded(after.folder, "out.raw", name)
        assert numpy.abs(wanted - drawn).max() > 20, "the operator changes nothing here"
        assert numpy.abs(shown - wanted).max() <= 3


@pytest.mark.parametrize("refused, tries, line", [("0x40", 1, 0), ("0x20", 1, 0), ("0x4", 1, 0), ("0x8", 3, 2)])
def test_a_runtime_that_refuses_usages_has_views_copied_or_shown_as_drawn(hello, refused, tries, line, alone):
    """Mutable formats or sampled images, which the program's would be; stored to, the layer's; read, which one line says. What
    was refused for a format is not tried for the second swapchain."""
    before = alone("separate")
    more = {"FOVEA_TEST_XR_USAGE": refused, "FOVEA_TEST_XR_GAZE": "10,-5", **DIRECT}
    after = hello("separate", program=OURS, fovea=True, **more).check()
    assert after.calls.count("no usage") == tries, after.calls
    assert after.output.count("makes no images that can be read (XrResult -8): not foveated") == line, after.output
    if line == 0:
        assert_foveated(before, after, [(10, -5)] * FRAMES)
    else:
        assert_as_drawn(before, after, [0])


@pytest.mark.parametrize("kind", ["separate", "array"])
@pytest.mark.parametrize("ignored", ["0x40", "0x20", "0x4", "0x64"])
def test_images_that_were_not_made_as_asked_are_copied(hello, kind, ignored, alone):
    """Monado of 2022 takes mutable formats and storage, and makes images without."""
    before = alone(kind)
    more = {"FOVEA_TEST_XR_IGNORES": ignored, "FOVEA_TEST_XR_GAZE": "10,-5", **DIRECT}
    after = hello(kind, program=OURS, fovea=True, **more).check()
    assert after.output.count("nobody has seen the runtime make the images") == 1, after.output
    assert_foveated(before, after, [(10, -5)])


@pytest.mark.parametrize(
    "kind, fov", [("separate", "0,0,40,-48"), ("array", "-50,42,nan,-48"), ("atlas", "-89.9,42,40,-48"), ("separate", "-95,50,40,-40"),
                  ("separate", "-50,170,40,-40")]
)
def test_a_view_without_a_frustum_is_shown_as_drawn_and_the_others_are_foveated(hello, kind, fov, alone):
    """Of no width, not finite, with a tangent beyond 100 or an edge behind the eye: for one frame. Then the view is foveated again."""
    before = alone(kind)
    after = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", FOVEA_TEST_XR_FOV=f"1:{fov}").check()
    assert after.output.count("no frustum") == 1, after.output
    for frame in range(FRAMES):
        for view in range(2):
            if (frame, view) == (1, 0):
                assert_as_drawn(before, after, [frame], [view])
            else:
                assert_view(before, after, frame, view, (10, -5))


def test_a_view_that_overlaps_another_is_shown_as_drawn(hello, alone):
    before = alone("lapped")
    after = hello("lapped", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check()
    assert after.output.count("views overlap") == 1, after.output
    assert_foveated(before, after, [(10, -5)] * FRAMES, views=1)
    assert_as_drawn(before, after, views=[1])


@pytest.mark.parametrize("kind", ["separate", "array", "atlas"])
@pytest.mark.parametrize("direct", ["true", "false", "unseen"])
def test_kernels_see_images_where_they_are_or_they_are_copied(hello, kind, direct, alone):
    """Sampled and mutable (0x60) is the program's swapchain then, stored to and mutable (0x44) the layer's. Without Fovea's
    layer for Vulkan nobody sees how images are made, which one line says."""
    before = alone(kind)
    sets = f"foveation.model=paper,layer.direct={'true' if direct == 'unseen' else direct}"
    more = {} if direct == "unseen" else DIRECT
    after = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", FOVEA_SET=sets, **more).check()
    assert after.output.count("views are copied, as nobody tells") == (direct == "unseen"), after.output
    assert_foveated(before, after, [(10, -5)])
    usages = [int(usage, 16) for usage in re.findall(r"^swapchain \w+ \S+ usage (\w+)", after.calls, re.M)]
    assert any(usage & 0x60 == 0x60 for usage in usages) == (direct == "true"), usages
    assert any(usage & 0x44 == 0x44 for usage in usages) == (direct == "true"), usages


def test_a_depth_image_is_handed_over_as_it_is(hello):
    """It stays chained to its view, in the program's swapchain, which Fovea has not touched as no operator needs it."""
    done = hello("depth", program=OURS, fovea=True).check()
    depths = re.findall(r"depth frame \d view (\d) swapchain (\w+)", done.calls)
    made = re.findall(r"^swapchain (\w+) 160x176x1 usage (\w+)", done.calls, re.M)
    assert len(depths) == 2 * FRAMES
    assert {chain for _, chain in depths} == {chain for chain, usage in made if usage == "0x12"}
    assert not {chain for _, chain in depths} & (done.swapchains(0) | done.swapchains(1))


@pytest.mark.parametrize(
    "kind, why, times",
    [
        ("foreign", "a format that Fovea does not know", 2),
        ("mips", "has samples, faces or mip levels", 2),
        ("static", "is static or protected", 2),
        ("crowd", "more layers or views than Fovea takes", 1),
        ("many", "more layers or views than Fovea takes", 1),
        ("oldest", "Vulkan is 1.0", 1),
        ("uploaded", "is no colour attachment", 2),
    ],
)
def test_what_cannot_be_foveated_is_shown_as_drawn(hello, kind, why, times):
    """Without Vulkan's validation, the driver itself tells the version of Vulkan. Images that are no attachments are in the
    layout of one, as OpenXR has it, which validation does not take."""
    layers = {"VK_INSTANCE_LAYERS": ""} if kind in ("oldest", "uploaded") else {}
    before = hello(kind, program=OURS, **layers)
    after = hello(kind, program=OURS, fovea=True, **layers)
    assert before.code == after.code == 0 and "refused" not in after.calls, after.output
    assert layers or after.check({"crowd": 18, "many": 10}.get(kind, 2) * FRAMES)
    assert after.output.count(why) == times, after.output
    for frame in range(FRAMES):
        for view in range(2):
            name = f"frame{frame}-layer0-view{view}.raw"
            assert (before.folder / name).read_bytes() == (after.folder / name).read_bytes()


@pytest.mark.parametrize("kind, why, times", [("chained", "releases images of a swapchain of 160x176 with a structure", 2),
                                              ("secondary", "layers of a secondary view configuration", 1)])  # fmt: skip
def test_what_a_program_hands_over_in_chains_is_shown_as_drawn(hello, kind, why, times):
    """OpenXR's core validation knows neither. The first configuration's layers are foveated all the same."""
    only = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA", "FOVEA_TEST_XR_GAZE": "10,-5"}
    before = hello(kind, program=OURS, XR_ENABLE_API_LAYERS="").check()
    after = hello(kind, program=OURS, fovea=True, **only).check()
    assert after.output.count(why) == times, after.output
    if kind == "secondary":
        assert_foveated(before, after, [(10, -5)] * FRAMES)
    else:
        assert_as_drawn(before, after)


def test_a_swapchain_whose_images_are_not_named_is_shown_as_drawn(hello, alone):
    """The layer asks for the left eye's first."""
    before = alone("separate")
    script = {"FOVEA_TEST_XR_RESULT": "xrEnumerateSwapchainImages:1:-2", "FOVEA_TEST_XR_GAZE": "10,-5"}
    after = hello("separate", program=OURS, fovea=True, **script).check()
    assert after.output.count("does not name them: it is shown as drawn") == 1, after.output
    assert_as_drawn(before, after, views=[0])
    assert all((after.picture(frame, 1) != before.picture(frame, 1)).any() for frame in range(FRAMES))
