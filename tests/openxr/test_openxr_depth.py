# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Depths of programs, by which the operator dof makes depth of field around the gaze."""

import re

import numpy
import pytest
from openxr_rig import (  # noqa: F401
    DIRECT,
    FRAMES,
    OURS,
    SIZE,
    Steps,
    alone,
    assert_as_drawn,
    assert_foveated,
    file_expected,
    hello,
    place,
    same,
)

pytestmark = pytest.mark.turns(3)

STRIPES_M = [2.0, 0.8, 8.0]  # as tests/openxr/program_depth.c draws them
GAZES = [(10, -5), (-18, 8), (-18, 8)]
DOF = {"dof.f_number": "0.7", "dof.sensor_mm": "10", "dof.focus_hysteresis_diopters": "0"}
BOTH = '["dof","foveate"]'
PERIOD_S = 0.011111111  # of the runtime's frames
ONLY = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA", "FOVEA_TEST_XR_UNCHECKED": "1"}  # validation refuses what is wrong, too


def sets_of(operators, **more):
    return ",".join(f"{name}={value}" for name, value in {"foveation.model": "paper", "operators": operators, **DOF, **more}.items())


def metres(view):
    """What is where in a view."""
    columns = [STRIPES_M[(4 * x // SIZE[1] + 2 * view) % 3] for x in range(SIZE[1])]
    return numpy.tile(numpy.float32(columns), (SIZE[0], 1))


def under(gaze, view):
    x, y, _ = place(*gaze, view)
    return float(metres(view)[int(y * SIZE[0]), int(x * SIZE[1])])


def focuses(gazes):
    """What both eyes focus on in each frame: at first what the left one looks at, and then on the way to it."""
    seen = [1 / under(gaze, 0) for gaze in gazes]
    in_focus = [seen[0]]
    for diopters in seen[1:]:
        in_focus.append(diopters + numpy.exp(-PERIOD_S / 0.3) * (in_focus[-1] - diopters))
    return [1 / diopters for diopters in in_focus]


def wanted_of(done, drawn, gaze, view, focus_m, operators):
    x, y, tangents = place(*gaze, view)
    drawn.astype(numpy.uint8).tofile(done.folder / "before.raw")
    metres(view).tofile(done.folder / "metres.raw")
    out = file_expected(done.folder, done.folder / "before.raw", SIZE, (x, y), tangents, "RGBA8", done.folder / "metres.raw",
                        focus_m, operators=operators, **DOF)  # fmt: skip
    return numpy.fromfile(out, numpy.uint8).reshape(drawn.shape).astype(int)


def assert_focused(before, after, operators="dof", most=3):
    for frame, focus_m in enumerate(focuses(GAZES)):
        for view in range(2):
            drawn = before.picture(frame, view)
            wanted = wanted_of(after, drawn, GAZES[frame], view, focus_m, operators)
            assert numpy.abs(wanted - drawn).max() > 20, "dof changes nothing here"
            far = numpy.abs(after.picture(frame, view) - wanted).max()
            assert far <= most, f"frame {frame}, view {view}: {far} levels"


def run(hello, kind="separate", depth="yes", operators="dof", fovea=True, **more):  # noqa: F811
    gaze = ";".join(f"{x},{y}" for x, y in GAZES)
    return hello(kind, program=OURS, fovea=fovea, **{"FOVEA_TEST_XR_DEPTH": depth, "FOVEA_TEST_XR_GAZE": gaze,
                                                     "FOVEA_SET": sets_of(operators), **more})  # fmt: skip


def depths(done):
    """What the runtime was told of them, and what their images hold."""
    said = re.sub(r"swapchain \w+", "", "\n".join(re.findall(r"^depth frame.*", done.calls, re.M)))
    return said, [path.read_bytes() for path in sorted(done.folder.glob("*-depth?.raw"))]


def test_the_left_eyes_gaze_focuses_both_eyes():
    """Else the comparisons below would be the same with a focus for each eye."""
    assert under(GAZES[0], 0) != under(GAZES[0], 1) and under(GAZES[0], 0) != under(GAZES[1], 0)


def assert_depths_are_read_before_they_go(done):
    """In each frame the runtime is told of their release after that of all colours, the layer's own among them."""
    for part in re.split(r"^depth frame \d view 0.*", done.calls, flags=re.M)[:FRAMES]:
        are_depths = [chain in re.findall(r"^depth frame.*swapchain (\w+)", done.calls, re.M)
                      for chain in re.findall(r"^released (\w+)", part, re.M)]  # fmt: skip
        assert any(are_depths) and are_depths == sorted(are_depths), part


@pytest.mark.parametrize("kind", ["separate", "array", "atlas", "inset"])
@pytest.mark.parametrize("direct", [{}, DIRECT], ids=["copied", "direct"])
def test_both_eyes_have_one_focus_wherever_their_depths_lie(hello, kind, direct):  # noqa: F811
    """Two swapchains, two layers, two rectangles. The runtime is told what it would be, and finds the same depths in their layout."""
    before = run(hello, kind, fovea=False).check()
    after = run(hello, kind, **direct).check()
    assert_focused(before, after)
    said, held = depths(after)
    assert (said, held) == depths(before) and len(held) == 2 * FRAMES, said
    assert_depths_are_read_before_they_go(after)


@pytest.mark.parametrize("number, words", [(124, "yes"), (126, "reversed,infinite"), (129, "reversed,largest,part"), (130, "infinite"), (126, "distant")])
def test_depths_of_all_formats_and_ranges_are_read(hello, number, words):  # noqa: F811
    """VK_FORMAT_D16_UNORM, D32_SFLOAT, D24_UNORM_S8_UINT and D32_SFLOAT_S8_UINT."""
    more = {"FOVEA_TEST_XR_DEPTH_FORMAT": str(number), "depth": words}
    before, after = (run(hello, fovea=fovea, **more).check() for fovea in (False, True))
    assert_focused(before, after, most=5 if number == 124 else 3)
    assert depths(after) == depths(before)


def test_what_is_focused_is_foveated_too(hello):  # noqa: F811
    before = run(hello, fovea=False).check()
    assert_focused(before, run(hello, operators=BOTH).check(), BOTH, most=4)


WRONG = {
    "null": "of the depths' swapchain Fovea reads no images",
    "outside": "depths of 160x176 at 1000, 0 of layer 0 are not inside their image",
    "layer": "depths of 160x176 at 0, 0 of layer 7 are not inside their image",
    "small": "depths are 80x176, which is not the view's size",
    "equal": "depths from 0 to 1 say 0.1 m to 0.1 m, which is no perspective",
    "behind": "depths from 0 to 1 say -1 m to 100 m, which is no perspective",
    "tiny": "depths from 0 to 1 say 1e-09 m to 100 m, which is no perspective",
    "empty": "depths from 0 to 0 say 0.1 m to 100 m, which is no perspective",
    "one": "the program gives no depths (XR_KHR_composition_layer_depth)",
}


@pytest.mark.parametrize("word", WRONG)
def test_depths_that_are_wrong_are_said_once_and_views_are_foveated_alone(hello, word):  # noqa: F811
    before = run(hello, depth=word, fovea=False, **{**ONLY, "XR_ENABLE_API_LAYERS": ""})
    after = run(hello, depth=word, operators=BOTH, **ONLY)
    assert after.code == 0 and after.output.count(WRONG[word]) == after.output.count("views of such layers") == 1, after.output
    assert_foveated(before, after, GAZES)


@pytest.mark.parametrize("kind", ["separate", "looks"])
def test_a_program_without_depths_is_foveated_alone(hello, kind, alone):  # noqa: F811
    """That enables the extension or not."""
    before = alone(kind)
    gaze = ";".join(f"{x},{y}" for x, y in GAZES)
    after = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_GAZE=gaze, FOVEA_SET=sets_of(BOTH)).check()
    assert after.output.count("the program gives no depths (XR_KHR_composition_layer_depth)") == 1, after.output
    assert_foveated(before, after, GAZES)
    alone = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_GAZE=gaze, FOVEA_SET=sets_of("dof")).check()
    assert_as_drawn(before, alone)


def test_an_image_of_depths_that_is_not_new_is_not_read(hello):  # noqa: F811
    """The runtime may be using it: frames after the first are foveated alone."""
    before = run(hello, depth="old", fovea=False).check()
    after = run(hello, depth="old", operators=BOTH).check()
    assert after.output.count("no image of depths was released for the frame") == 1, after.output
    assert_foveated(before, after, GAZES[1:], first=1)
    assert depths(after) == depths(before)


def test_a_program_that_waits_for_its_next_image_of_depths_early_keeps_its_order(hello):  # noqa: F811
    before = run(hello, depth="early", fovea=False).check()
    after = run(hello, depth="early", operators=BOTH).check()
    assert after.output.count("images that it does so with are no depths to Fovea") == 2, after.output
    assert_foveated(before, after, GAZES)


@pytest.mark.parametrize("how, line", [
    ("USAGE", "the runtime makes no depths that can be read (XrResult -8): they are not read"),
    ("IGNORES", "the runtime made depths of 160x176 that cannot be sampled"),
])  # fmt: skip
def test_a_runtime_that_makes_no_depths_to_be_sampled_has_views_foveated_alone(hello, how, line):  # noqa: F811
    """It refuses them, or makes others, which Fovea's layer for Vulkan sees. Colours need no such usage where they are copied."""
    more = {f"FOVEA_TEST_XR_{how}": "0x20", **DIRECT}
    before = run(hello, fovea=False).check()
    after = run(hello, operators=BOTH, **more).check()
    assert after.output.count(line) == 2 and after.output.count("of the depths' swapchain") == 1, after.output
    assert_foveated(before, after, GAZES)


def test_depth_of_field_comes_and_goes_with_the_settings(hello):  # noqa: F811
    """A session that began with it has depths to read."""
    own = {name.split(".")[1]: float(value) for name, value in DOF.items()}
    steps = Steps(hello, {"operators": ["dof"], "dof": own}, FOVEA_SET="", FOVEA_TEST_XR_DEPTH="yes")
    focused = steps.show()
    steps.write({"operators": ["foveate"], "foveation": {"strength": 0}})
    drawn = steps.show_until(lambda pictures: (pictures[0] != focused[0]).any())
    steps.write({"operators": ["dof"], "dof": own})
    again = steps.show_until(lambda pictures: (pictures[0] != drawn[0]).any())
    assert same(again, focused)
    assert "depths" not in steps.end().output
