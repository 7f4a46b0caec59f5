# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""hello_xr, which Debian has, on a runtime of our own: under OpenXR's core validation and Vulkan's validation, with and
without Fovea's layer."""

import gzip
import json
import re
import socket
import subprocess
import sys
import time

import numpy
import pytest
from conftest import ROOT, cases
from openxr_rig import (  # noqa: F401
    ABOVE,
    BUILD,
    CORE_VALIDATION,
    FRAMES,
    LAYERS,
    OURS,
    Steps,
    alone,
    assert_as_drawn,
    assert_eyes,
    assert_foveated,
    before,
    drawn,
    expected,
    foveated_view,
    hello,
    place,
    same,
    straight_ahead,
)

pytestmark = pytest.mark.turns(3)


@pytest.mark.parametrize("graphics", ["Vulkan", "Vulkan2"])
def test_the_runtime_shows_what_hello_xr_draws(hello, graphics):
    done = hello(graphics).check()
    for view in range(2):
        picture = done.picture(FRAMES - 1, view)
        assert len(numpy.unique(picture.reshape(-1, 4), axis=0)) > 4, "nothing but a background"
    assert (done.picture(FRAMES - 1, 0) != done.picture(FRAMES - 1, 1)).any(), "both eyes see the same"


def test_each_eye_is_foveated_around_the_gaze_of_the_runtime(hello, before):
    gazes = [(10, -5), (-20, 12), (0, 0)]
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_GAZE=";".join(f"{x},{y}" for x, y in gazes)).check()
    assert after.output.count("the gaze is the runtime's") == 1, after.output
    assert_foveated(before, after, gazes)


@pytest.mark.parametrize("why", ["none", "refused", "-"])
def test_without_a_gaze_each_eye_looks_straight_ahead(hello, before, why):
    """No such extension, no eye tracker or no permission, an eye that is not seen."""
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_GAZE=why).check()
    assert after.output.count("tells no gaze") == 1, after.output
    assert_eyes(before, after, 1, (None, None))


def diopters(left, right):
    """1 over the distance at which lines of sight of these directions cross, 64 mm apart: in the plane of both eyes and the middle."""
    yaws, pitches = numpy.radians([[left[0], right[0]], [left[1], right[1]]])
    ways = numpy.array([numpy.sin(yaws) * numpy.cos(pitches), numpy.sin(pitches), numpy.cos(yaws) * numpy.cos(pitches)])
    ahead = ways.sum(axis=1) * (0, 1, 1)
    ahead /= numpy.linalg.norm(ahead)
    across = ways[0] / (ahead @ ways)
    return (across[0] - across[1]) / 0.064 / ahead[2]


def test_each_view_follows_its_own_eye(hello, before, tmp_path):
    """Three frames with a gaze of each eye, though the runtime has one of both eyes, too. The record says where they cross, if they do."""
    eyes = [((12, -4), (6, -5)), ((-20, 10), (-14, 12)), ((0, 0), (3, 3))]
    text = ";".join("/".join(f"{x},{y},0.9" for x, y in pair) for pair in eyes)
    sets = f"foveation.model=paper,gaze.vergence.ipd_mm=63,gaze.vergence.smooth_ms=0,record.file={tmp_path / 'look'}"
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_EYES=text, FOVEA_TEST_XR_GAZE="25,25", FOVEA_SET=sets).check()
    tables = [gzip.decompress(table.read_bytes()).decode() for table in tmp_path.glob("look*physio.tsv.gz")]
    assert tables
    for table in tables:
        told = [float(line.split("\t")[20]) for line in table.splitlines()]
        assert told[1:] == [0, 0] and abs(told[0] - diopters(*eyes[0])) < 1e-4, told
    assert after.output.count("the gaze is the runtime's, one of each eye") == 1, after.output
    assert "one of both eyes" not in after.output
    for frame, pair in enumerate(eyes):
        assert_eyes(before, after, frame, pair)


def test_a_record_has_the_gaze_of_frames_that_are_shown_as_drawn(hello, alone, tmp_path):
    """A control condition, foveation.strength 0, beside the other one."""
    drawn, gazes = alone("separate"), {}
    for strength in 1, 0:
        sets = f"foveation.strength={strength},record.file={tmp_path / f'look{strength}'}"
        done = hello("separate", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", FOVEA_SET=sets).check()
        tables = sorted(tmp_path.glob(f"look{strength}*physio.tsv.gz"))
        lines = [gzip.decompress(table.read_bytes()).decode().splitlines() for table in tables]
        gazes[strength] = [[line.split("\t")[4:6] for line in table] for table in lines]
    assert gazes[0] == gazes[1] and [len(table) for table in gazes[0]] == [FRAMES] * 2, gazes
    for frame in range(FRAMES):
        for view in range(2):
            assert (done.picture(frame, view) == drawn.picture(frame, view)).all()


@pytest.mark.parametrize("kind", ["array", "quad"])
def test_each_of_more_views_follows_its_own_eye(hello, kind, alone):
    views, pair = KINDS[kind], ((12, -4), (6, -5))
    drawn = alone(kind, views * FRAMES)
    done = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_EYES="12,-4/6,-5").check(views * FRAMES)
    for frame in range(FRAMES):
        assert_eyes(drawn, done, frame, pair, views)


# OpenXR's core validation of Debian does not know the extension's structures.
CENTERS = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA", "FOVEA_TEST_XR_GAZE": "25,25", "FOVEA_TEST_XR_EYES": "-25,-25/-25,-25"}


@pytest.mark.parametrize("kind, more", [("separate", {}), ("quad", {"FOVEA_TEST_XR_HEAD": "30,-20,15;-140,50,-80"}), ("rotated", {})])
def test_the_centres_of_a_runtimes_foveation_come_first(hello, kind, more, alone):
    """Each view follows its eye's, though the runtime has gazes of both eyes and of each eye, too; however the head or the space
    is rotated."""
    pairs, views = [((12, -4), (6, -5)), ((-20, 10), (-14, 12)), ((0, 0), (3, 3))], KINDS[kind]
    text = ";".join("/".join(f"{x},{y}" for x, y in pair) for pair in pairs)
    drawn = alone(kind, views * FRAMES)
    done = hello(kind, program=OURS, fovea=True, **CENTERS, FOVEA_TEST_XR_CENTERS=text, **more).check(views * FRAMES)
    assert done.output.count("the gaze is the runtime's, the centre of each eye's foveation") == 1, done.output
    assert done.calls.count("eye tracker") == 0 and done.calls.count("\nfoveation\n") == 1, done.calls
    for frame, pair in enumerate(pairs):
        assert_eyes(drawn, done, frame, pair, views)


def test_a_blink_holds_the_centres_and_other_gazes_stand_in_before_the_first(hello, drawn):
    """Without a centre yet the gaze of each eye counts, whose tracker ends then; with the settings that need no gaze all of it."""
    more = {**CENTERS, "FOVEA_TEST_XR_EYES": "10,-5/10,-5", "FOVEA_TEST_XR_CENTERS": "-;14,-4/7,-6;-"}
    steps = Steps(hello, {"gaze": {"validity": {"hold_ms": 1e4}}}, **more)
    wanted = {gaze: eyes_picture(steps.folder, drawn, gaze) for gaze in (BOTH, LEFT, RIGHT)}
    for frame, pair in enumerate([(BOTH, BOTH), (LEFT, RIGHT), (LEFT, RIGHT), (LEFT, RIGHT)]):
        assert_near(steps.show(), [wanted[gaze][view] for view, gaze in enumerate(pair)], f"frame {frame}")
    assert re.findall("^eye tracker.*|^foveation.*", (steps.folder / "calls.txt").read_text(), re.M) == [
        "foveation", "eye tracker", "eye tracker gone"]  # fmt: skip
    steps.write({"foveation": {"strength": 0}})
    steps.show_until(lambda pictures: (pictures[0] == drawn[0]).all())
    assert "foveation gone" in steps.end().calls


def test_centres_that_are_refused_leave_the_gaze_of_each_eye(hello, alone):
    drawn = alone("separate")
    more = {**CENTERS, "FOVEA_TEST_XR_EYES": "14,-4/7,-6", "FOVEA_TEST_XR_CENTERS": "refused"}
    done = hello("separate", program=OURS, fovea=True, **more).check()
    assert done.output.count("gives no centre of its foveation (-8)") == 1, done.output
    assert_eyes(drawn, done, 1, (LEFT, RIGHT))


AT_ONCE = {"hold_ms": 0, "return_ms": 0}  # a gaze that is not told is at the fallback
BOTH = (10, -5)  # the runtime's gaze of both eyes
LEFT, RIGHT = (14, -4), (7, -6)
SEEN = [  # with a frame each: what the runtime tells of each eye; where the eyes look with a gaze of both, and without one
    ("14,-4,0.5/-", (LEFT, BOTH), (LEFT, LEFT)),
    ("-/7,-6,0.5", (BOTH, RIGHT), (RIGHT, RIGHT)),
    ("14,-4,0.49/7,-6", (BOTH, RIGHT), (RIGHT, RIGHT)),
    ("14,-4,0/7,-6,0", (BOTH, BOTH), (None, None)),
    ("14,-4,nan/7,-6", (BOTH, RIGHT), (RIGHT, RIGHT)),
    ("nan/nan", (BOTH, BOTH), (None, None)),  # a pose that is none, though valid
    ("14,-4/7,-6", (LEFT, RIGHT), (LEFT, RIGHT)),
    ("-/-", (BOTH, BOTH), (None, None)),
]


@pytest.mark.parametrize("both", ["10,-5", "none"])
def test_an_eye_that_is_not_seen_looks_where_both_do_or_the_other(hello, both, drawn):
    eyes = ";".join(text for text, *_ in SEEN)
    steps = Steps(hello, {"gaze": {"validity": AT_ONCE}}, FOVEA_TEST_XR_EYES=eyes, FOVEA_TEST_XR_GAZE=both)
    wanted = {gaze: eyes_picture(steps.folder, drawn, gaze) for gaze in (BOTH, LEFT, RIGHT, None)}
    for text, with_both, without in SEEN:
        pair = without if both == "none" else with_both
        assert_near(steps.show(), [wanted[gaze][view] for view, gaze in enumerate(pair)], text)
    steps.end()


def eyes_picture(folder, drawn, gaze):
    return [foveated_view(folder, drawn[view], gaze, view) for view in range(2)]


@pytest.mark.parametrize("eyes, script, result", [("14,-4/7,-6", "xrCreateEyeTrackerFB:1:-2", -2), ("refused", "", -8)])
def test_a_tracker_that_is_refused_leaves_the_gaze_of_both_eyes(hello, before, eyes, script, result):
    """As without permission, or without eye tracking. One line says so."""
    more = {"FOVEA_TEST_XR_EYES": eyes, "FOVEA_TEST_XR_RESULT": script}
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_GAZE="10,-5", **more).check()
    assert after.output.count(f"gives no gaze of each eye ({result})") == 1, after.output
    assert_eyes(before, after, 1, (BOTH, BOTH))


@pytest.mark.parametrize("norm", ["1", "1.009", "0.991"])
@pytest.mark.parametrize("eyes", ["12,-4/6,-5", ""])
def test_a_gaze_is_the_same_however_the_head_is_rotated(hello, eyes, norm, alone):
    """Yaw, pitch and roll, upside down too; the last frame has no gaze, and holds the one before, with the head. OpenXR lets
    orientations be up to 1 % longer or shorter than 1."""
    head = "30,-20,15;-140,50,-80;200,10,175"
    gaze = {"FOVEA_TEST_XR_EYES": f"{eyes};{eyes};-", "FOVEA_TEST_XR_GAZE": "none"} if eyes else {
        "FOVEA_TEST_XR_GAZE": "10,-5;10,-5;-"}  # fmt: skip
    drawn = alone("quad", 4 * FRAMES)
    after = hello("quad", program=OURS, fovea=True, FOVEA_TEST_XR_HEAD=head, FOVEA_TEST_XR_NORM=norm, **gaze).check(4 * FRAMES)
    for frame in range(FRAMES):
        assert_eyes(drawn, after, frame, ((12, -4), (6, -5)) if eyes else (BOTH, BOTH), 4)


def test_a_program_that_asks_for_the_eyes_itself_is_foveated(hello, alone):
    """Its action set has a higher priority than the layer's, whose action is not told the gaze then. Another set of its own
    is destroyed before that one is attached."""
    drawn = alone("looks")
    after = hello("looks", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check()
    assert after.output.count("the gaze is the runtime's, one of both eyes") == 1, after.output
    for frame in range(FRAMES):
        assert_eyes(drawn, after, frame, (BOTH, BOTH))


def test_a_gaze_of_each_eye_needs_no_actions(hello, alone):
    """A program that attaches no action sets has no gaze of both eyes."""
    drawn = alone("silent")
    each = hello("silent", program=OURS, fovea=True, FOVEA_TEST_XR_EYES="14,-4/7,-6", FOVEA_TEST_XR_GAZE="10,-5").check()
    both = hello("silent", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check()
    assert both.output.count("has attached no actions") == 1, both.output
    for frame in range(FRAMES):
        assert_eyes(drawn, each, frame, (LEFT, RIGHT))
        assert_eyes(drawn, both, frame, (None, None))


def test_a_session_that_is_lost_while_the_eyes_are_asked_for_ends_as_without_fovea(hello):
    alone = hello("Vulkan2", FOVEA_TEST_XR_RESULT=f"xrReleaseSwapchainImage:3:{LOST}")
    script = {"FOVEA_TEST_XR_EYES": "14,-4/7,-6", "FOVEA_TEST_XR_RESULT": f"xrGetEyeGazesFB:2:{LOST}"}
    done = hello("Vulkan2", fovea=True, **script)
    assert "scripted xrGetEyeGazesFB" in done.calls and "refused" not in done.calls, done.calls
    assert done.code == alone.code, done.output


def test_a_session_that_is_about_to_be_lost_tells_its_eyes(hello, before):
    script = {"FOVEA_TEST_XR_EYES": "14,-4/7,-6", "FOVEA_TEST_XR_RESULT": f"xrGetEyeGazesFB:2:{LOSS_PENDING}"}
    after = hello("Vulkan2", fovea=True, **script).check()
    for frame in range(FRAMES):
        assert_eyes(before, after, frame, (LEFT, RIGHT))


@pytest.mark.parametrize("when", ["before", "across", "middle"])
def test_an_instance_of_a_layer_above_leaves_the_programs_as_it_is(hello, when, alone):
    """It is made and destroyed before the program's, around its creation, or in a frame."""
    drawn = alone("separate")
    layers = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA_TEST_above:XR_APILAYER_FOVEA", "FOVEA_TEST_XR_ABOVE": when}
    more = {"FOVEA_TEST_XR_INSTANCES": "2", "FOVEA_TEST_XR_GAZE": "10,-5"}
    done = hello("separate", program=OURS, fovea=True, **layers, **more).check()
    assert re.findall("^instance.*", done.calls, re.M).count("instance") == 2, done.calls
    assert_foveated(drawn, done, [(10, -5)] * FRAMES)


@pytest.mark.parametrize("between", [[], ["XR_APILAYER_FOVEA_TEST_above"]])
def test_two_names_are_one_layer(hello, tmp_path, between, alone):
    """Two manifests give them to it, and so two places in the loader's chain, where another layer may lie between."""
    names, text = ["XR_APILAYER_FOVEA", "XR_APILAYER_FOVEA_again"], (LAYERS / "XrApiLayer_FOVEA.json").read_text()
    (tmp_path / "again.json").write_text(text.replace(*(f'"{name}"' for name in names)))
    order = [names[0], *between, names[1]]
    layers = {"XR_ENABLE_API_LAYERS": ":".join(order), "XR_API_LAYER_PATH": f"{LAYERS}:{ABOVE}:{tmp_path}"}
    done = hello("separate", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", **layers).check()
    assert_foveated(alone("separate"), done, [(10, -5)] * FRAMES)


def test_a_session_that_is_lost_in_mid_run_ends_as_without_fovea(hello):
    alone = hello("Vulkan2", FOVEA_TEST_XR_LOST="2")
    done = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_LOST="2")
    assert done.code == alone.code
    assert done.calls.count("view frame") == alone.calls.count("view frame") == 4


def test_the_instance_of_a_runtime_that_lacks_a_function_is_destroyed(hello):
    # OpenXR's core validation has all functions, and crashes in those that the runtime lacks.
    script = {"FOVEA_TEST_XR_LACKS": "xrLocateSpace", "XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA"}
    done = hello("separate", program=OURS, fovea=True, **script)
    assert done.code == 1 and "the runtime lacks a function" in done.output, done.output
    assert re.findall("^instance.*", done.calls, re.M) == ["instance", "instance gone"], done.calls


LOSS_PENDING, TIMEOUT, LOST = 3, 1, -17


@pytest.mark.parametrize(
    "call",
    cases(
        ["xrReleaseSwapchainImage:1", "xrEndFrame:2", "xrAcquireSwapchainImage:3", "xrWaitSwapchainImage:3",
         "xrCreateSwapchain:3", "xrCreateSession:1"],
        [
            "xrReleaseSwapchainImage:2",
            "xrEndFrame:1",
            *(f"xrAcquireSwapchainImage:{nth}" for nth in (1, 4)),
            *(f"xrWaitSwapchainImage:{nth}" for nth in (1, 4)),
            *(f"xrCreateSwapchain:{nth}" for nth in (1, 4)),
        ],
    ),
)
def test_a_session_that_is_about_to_be_lost_goes_on(hello, before, call):
    """The runtime's XR_SESSION_LOSS_PENDING says that the call has done its work."""
    # OpenXR's core validation forgets what is made with this result.
    layers = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA"} if "Create" in call else {}
    script = f"{call}:{LOSS_PENDING}"
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_RESULT=script, FOVEA_TEST_XR_GAZE="10,-5", **layers)
    assert "scripted" in after.check().calls
    assert_foveated(before, after, [(10, -5)] * FRAMES)


@pytest.mark.parametrize(
    "call",
    cases(
        [*(f"xrReleaseSwapchainImage:{nth}" for nth in (1, 4)), "xrEndFrame:2", "xrAcquireSwapchainImage:3",
         "xrWaitSwapchainImage:4", "xrCreateSwapchain:3"],
        [*(f"xrReleaseSwapchainImage:{nth}" for nth in (2, 3, 5, 6)), "xrCreateSwapchain:4", "xrAcquireSwapchainImage:8"],
    ),
)
def test_a_session_that_is_lost_in_mid_frame_ends_as_without_fovea(hello, call):
    alone = hello("Vulkan2", FOVEA_TEST_XR_RESULT=f"xrReleaseSwapchainImage:3:{LOST}")
    done = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_RESULT=f"{call}:{LOST}")
    assert "scripted" in done.calls and "refused" not in done.calls, done.calls
    assert done.code == alone.code, done.output


@pytest.mark.parametrize("call, fov, lost_frames", [(2, "", 0), (3, "0:0,0,40,-48", 1)])
def test_a_frame_is_ended_though_a_release_in_it_fails(hello, call, fov, lost_frames, alone):
    """The right eye's image, which is foveated all the same; the left eye's where its view has no frustum: it is the first one,
    and no layer may show its swapchain. The release is tried again before the next image is acquired."""
    drawn = alone("separate")
    script = {"FOVEA_TEST_XR_RESULT": f"xrReleaseSwapchainImage:{call}:-2", "FOVEA_TEST_XR_FOV": fov}
    done = hello("stubborn", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", **script)
    done.check(2 * (FRAMES - lost_frames))
    assert done.output.count("xrEndFrame has failed: -2") == 1, done.output
    assert done.output.count("the runtime refuses the release of an image (XrResult -2)") == 1, done.output
    assert_foveated(drawn, done, [(10, -5)] * (FRAMES - lost_frames), first=lost_frames)


def test_an_image_of_its_own_that_comes_late_is_waited_for_again(hello, before):
    script = f"xrWaitSwapchainImage:3:{TIMEOUT}"  # the first is the program's for one view, the second for the other
    after = hello("Vulkan2", fovea=True, FOVEA_TEST_XR_RESULT=script, FOVEA_TEST_XR_GAZE="10,-5").check()
    as_drawn = [(after.picture(0, view) == before.picture(0, view)).all() for view in range(2)]
    assert sorted(as_drawn) == [False, True]
    assert_foveated(before, after, [(10, -5)], first=1)


def test_hello_xr_with_vulkan_1_0_is_shown_as_drawn(hello):
    """It asks for that, whatever the least version is, and for Vulkan's validation, which hides it."""
    before = hello("Vulkan").check()
    after = hello("Vulkan", fovea=True).check()
    assert after.output.count("Vulkan is 1.0") == 1, after.output
    assert_as_drawn(before, after)


KINDS = {"separate": 2, "array": 2, "atlas": 2, "inset": 2, "quad": 4, "depth": 2, "after": 2, "beside": 2, "early": 2, "idle": 2,
         "rotated": 2}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_is_foveated_wherever_it_lies(hello, kind, alone):
    """Two layers, two rectangles of an image, four views, beside depth, in two sessions, in a space that is rotated."""
    views, gazes = KINDS[kind], [(10, -5), (-12, 8), (0, 0)]
    sessions = 2 if kind in ("after", "beside") else 1
    shown = views * FRAMES * sessions
    before = alone(kind, shown)
    gaze = ";".join(f"{x},{y}" for x, y in gazes)
    after = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_GAZE=gaze).check(shown)
    assert after.output.count("the gaze is the runtime's") == sessions, after.output
    assert_foveated(before, after, gazes, views)
    chains = {"array": 1, "atlas": 1, "inset": 1}.get(kind, views)
    assert len(after.swapchains(0) | after.swapchains(1)) >= min(chains, 2)


def test_a_quad_layer_is_handed_on_as_it_is(hello, alone):
    """It shows the left eye's swapchain, whose view is foveated in the same frame."""
    before = alone("panel", 3 * FRAMES)
    after = hello("panel", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check(3 * FRAMES)
    assert_foveated(before, after, [(10, -5)] * FRAMES)
    for frame in range(FRAMES):
        name = f"frame{frame}-layer1-view0.raw"
        assert (before.folder / name).read_bytes() == (after.folder / name).read_bytes()


def test_a_second_release_is_refused_as_by_a_runtime(hello):
    before = hello("twice", program=OURS)
    after = hello("twice", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5")
    assert before.code == after.code == 0, after.output
    assert_foveated(before, after, [(10, -5)] * FRAMES)


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_a_backend_that_programs_make_no_device_for_is_replaced(hello, before, backend):
    sets = f"foveation.model=paper,backend={backend}"
    after = hello("Vulkan2", fovea=True, FOVEA_SET=sets, FOVEA_TEST_XR_GAZE="10,-5").check()
    assert after.output.count(f"backend {backend} needs ") == 1, after.output
    assert_foveated(before, after, [(10, -5)] * FRAMES)


def test_the_model_is_physical_where_nothing_is_said(hello):
    said = [hello("separate", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", FOVEA_SET=sets).check()
            for sets in ("foveation.model=physical", "gaze.late=false")]  # fmt: skip
    assert same(said[0].pictures(2), said[1].pictures(2))


@pytest.mark.parametrize("kind", ["eager", "ahead"])
def test_images_are_shown_as_drawn_where_the_program_waits_for_the_next_before_the_frame_ends(hello, kind, alone):
    """The runtime takes no wait for the next one before the release of the former one. One line for each eye's, whose
    first one is released in the program's wait and further ones before its xrAcquireSwapchainImage."""
    before = alone(kind)
    after = hello(kind, program=OURS, fovea=True).check()
    assert after.output.count("goes on with a swapchain of 160x176 before xrEndFrame") == 2, after.output
    late = "with the next image acquired"
    ahead = 0 if kind == "eager" else 2 * FRAMES
    assert before.calls.count(late) == ahead and after.calls.count(late) == (ahead or 2), after.calls
    assert_as_drawn(before, after)


def test_the_only_image_is_released_before_the_next_is_acquired(hello, alone):
    """The runtime would refuse the program its next image otherwise."""
    before = alone("early")
    after = hello("early", program=OURS, fovea=True, FOVEA_TEST_XR_IMAGES="1").check()
    assert_as_drawn(before, after)


@pytest.mark.parametrize("kind", ["hello_xr", "old", "oldest"])
def test_fovea_run_has_programs_that_make_their_own_vulkan_foveated(hello, kind):
    """With XR_KHR_vulkan_enable, for Vulkan 1.0, and under Vulkan's validation. Fovea's layer for Vulkan, which
    fovea-run enables, stands above it, raises the version and tells the one for OpenXR."""
    run = (str(BUILD / "plugin" / "layer" / "run" / "fovea-run"),)
    bare = {"XR_ENABLE_API_LAYERS": CORE_VALIDATION, "XR_API_LAYER_PATH": "/usr/share/openxr/1/api_layers/explicit.d"}
    graphics, program = ("Vulkan", ("hello_xr", "-g")) if kind == "hello_xr" else (kind, OURS)
    before = hello(graphics, program=program).check()
    after = hello(graphics, program=run + program, FOVEA_TEST_XR_GAZE="10,-5", **bare).check()
    assert_foveated(before, after, [(10, -5)] * FRAMES)


@pytest.mark.parametrize("minor", [0, 1, 3])
def test_programs_are_told_to_make_vulkan_1_1_at_least_where_the_runtime_takes_it(hello, minor):
    before = hello("modest", program=OURS, VK_INSTANCE_LAYERS="")
    more = {"FOVEA_TEST_XR_GAZE": "10,-5", "FOVEA_TEST_XR_VULKAN_MINOR": str(minor)}
    after = hello("modest", program=OURS, fovea=True, VK_INSTANCE_LAYERS="", **more)
    assert before.code == after.code == 0 and after.output.count("Vulkan is 1.0") == (minor == 0), after.output
    if minor > 0:
        assert_foveated(before, after, [(10, -5)])


def test_vulkan_1_1_of_the_programs_own_is_foveated(hello):
    before = hello("old", program=OURS, VK_INSTANCE_LAYERS="")
    after = hello("old", program=OURS, fovea=True, VK_INSTANCE_LAYERS="", FOVEA_TEST_XR_GAZE="10,-5")
    assert before.code == after.code == 0, after.output
    assert_foveated(before, after, [(10, -5)] * FRAMES)


def test_a_gaze_of_one_frame_counts_for_that_frame_where_none_is_held(hello, alone):
    before = alone("separate")
    sets = "foveation.model=paper,gaze.validity.hold_ms=0,gaze.validity.return_ms=0"
    after = hello("separate", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="-;10,-5;-", FOVEA_SET=sets).check()
    # A gaze that comes and goes is said once each: what was said before, only if it lasts.
    assert after.output.count("tells no gaze") == 1 and after.output.count("the gaze is the runtime's") == 1
    assert_foveated(before, after, [None, (10, -5), None])


FRAME_MS = 1000 / 90  # of the tests' runtime


def on_the_way(view, part):
    """A place so far from BOTH to straight ahead, over tangents."""
    x, y, tangents = place(*BOTH, view)
    ahead_x, ahead_y, _ = straight_ahead(view)
    return x + (ahead_x - x) * part, y + (ahead_y - y) * part, tangents


@pytest.mark.parametrize("told", ["both", "each"])
@pytest.mark.parametrize("fallback, last_line", [("center", "straight ahead"), ("last", "stays where it was")])
def test_a_gaze_that_is_not_told_is_held_and_then_at_the_fallback(hello, told, fallback, last_line, alone):
    """A blink of two frames and more: held for 2.5 frames, then 4 frames on the way."""
    drawn = alone("separate")
    validity = {"hold_ms": 2.5 * FRAME_MS, "return_ms": 4 * FRAME_MS, "fallback": fallback}
    gaze = {"FOVEA_TEST_XR_EYES": "10,-5/10,-5;-", "FOVEA_TEST_XR_GAZE": "none"} if told == "each" else {
        "FOVEA_TEST_XR_GAZE": "10,-5;-"}  # fmt: skip
    steps = Steps(hello, {"gaze": {"validity": validity}}, **gaze)
    for frame in range(9):
        x = min(max((frame - 2.5) / 4, 0), 1)
        part = x * x * (3 - 2 * x) if fallback == "center" else 0
        wanted = []
        for view in range(2):
            at_x, at_y, tangents = on_the_way(view, part)
            wanted.append(expected(steps.folder, drawn.picture(0, view), (at_x, at_y), tangents))
        assert_near(steps.show(), wanted, f"frame {frame}")
    assert steps.end().output.count(f"the runtime tells no gaze; each view's {'is ' if fallback == 'center' else ''}{last_line}") == 1


def test_a_gaze_beside_the_picture_is_held_too(hello):
    """75 degrees off the left view's axis, and 65 off the right one's."""
    steps = Steps(hello, {"gaze": {"validity": {"hold_ms": 1e4}}}, FOVEA_TEST_XR_GAZE="70,0;-")
    told, held = steps.show(), steps.show()
    assert same(told, held)
    steps.end()


def test_without_a_fallback_views_are_shown_as_drawn_once_no_gaze_is_held(hello, alone):
    drawn = alone("separate")
    validity = {"hold_ms": 1.5 * FRAME_MS, "fallback": "none"}
    steps = Steps(hello, {"gaze": {"validity": validity}}, FOVEA_TEST_XR_GAZE="10,-5;-")
    for frame in range(4):
        for view, shown in enumerate(steps.show()):
            as_drawn = (shown == drawn.picture(0, view)).all()
            assert as_drawn == (frame > 1), (frame, view)
    assert steps.end().output.count("the runtime tells no gaze; views are shown as drawn") == 1


def test_an_eye_counts_from_the_confidence_that_the_settings_have(hello, before):
    sets = "foveation.model=paper,gaze.validity.min_confidence=0.2"
    more = {"FOVEA_TEST_XR_EYES": "14,-4,0.25/7,-6,0.15", "FOVEA_TEST_XR_GAZE": "none", "FOVEA_SET": sets}
    after = hello("Vulkan2", fovea=True, **more).check()
    assert_eyes(before, after, 1, (LEFT, LEFT))


PYOPENXR = (sys.executable, str(ROOT / "tests" / "openxr" / "pyopenxr_program.py"))


def test_a_program_with_pyopenxr_is_foveated(hello):
    """Under a newer loader than Debian's, which Debian's core validation cannot be used with. It draws nothing, but the
    runtime is handed Fovea's own images."""
    pytest.importorskip("xr")
    before = hello("Vulkan", program=PYOPENXR, XR_ENABLE_API_LAYERS="").check()
    only = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA"}
    after = hello("Vulkan", program=PYOPENXR, FOVEA_TEST_XR_GAZE="10,-5", **only).check()
    assert after.output.count("the gaze is the runtime's") == 1, after.output
    for done, wanted in ((before, 2), (after, 4)):
        made = re.findall(r"^swapchain (\w+) ", done.calls, re.M)
        assert len(made) == wanted and done.swapchains(0) | done.swapchains(1) == set(made[-2:]), done.calls


def test_a_session_without_vulkan_is_left_alone(hello):
    """pyopenxr's own examples are of OpenGL, or without graphics, as this one."""
    pytest.importorskip("xr")
    only = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA"}
    after = hello("headless", program=PYOPENXR, FOVEA_TEST_XR_GAZE="10,-5", **only)
    assert after.code == 0 and "all frames were shown" in after.output and "refused" not in after.calls, after.output
    assert re.findall("fovea: .*", after.output) == ["fovea: openxr: the session is not of Vulkan and is not foveated"]


def assert_near(pictures, wanted, why=""):
    for picture, want in zip(pictures, wanted, strict=True):
        assert numpy.abs(picture - want).max() <= 3, why


def sources_picture(folder, drawn, u, v):
    """Views foveated around a place of the picture between both eyes."""
    half = (numpy.tan(numpy.radians(50)) + numpy.tan(numpy.radians(42))) / 2
    up, down = numpy.tan(numpy.radians([40, 48]))
    x, y = (2 * u - 1) * half, up - v * (up + down)
    return eyes_picture(folder, drawn, numpy.degrees((numpy.arctan(x), numpy.arctan2(y, numpy.hypot(x, 1)))).tolist())


@pytest.mark.parametrize("operators", ['["foveate","lens"]', "lens"])
def test_the_operator_lens_is_left_to_the_runtime(hello, before, operators):
    """Which undoes the headset's lens. Where nothing is left, pictures are shown as drawn."""
    sets = f"foveation.model=paper,operators={operators}"
    after = hello("Vulkan2", fovea=True, FOVEA_SET=sets, FOVEA_TEST_XR_GAZE="10,-5").check()
    assert after.output.count("lens is among the operators") == 1, after.output
    if operators == "lens":
        assert_as_drawn(before, after)
    else:
        assert_foveated(before, after, [(10, -5)] * FRAMES)


@pytest.mark.parametrize("gaze", ["10,-5", "none"])
def test_a_source_that_is_named_takes_the_place_of_the_runtimes_gaze(hello, before, gaze):
    sets = "foveation.model=paper,gaze.source=fixed,gaze.fixed.x=0.7,gaze.fixed.y=0.35"
    more = {"FOVEA_TEST_XR_GAZE": gaze, "FOVEA_TEST_XR_EYES": "14,-4/7,-6"}
    after = hello("Vulkan2", fovea=True, FOVEA_SET=sets, **more).check()
    assert "eye tracker" not in after.calls, "the eyes are tracked for nothing"
    assert after.output.count("the gaze is the configuration's: fixed") == 1, after.output
    assert "the gaze is the runtime's" not in after.output and "tells no gaze" not in after.output
    for frame in range(FRAMES):
        assert_near(after.pictures(frame), sources_picture(after.folder, before.pictures(frame), 0.7, 0.35))


def test_a_tracker_that_sends_datagrams_is_followed(hello, drawn):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    steps = Steps(hello, {"gaze": {"source": "udp", "udp": {"port": port}}})
    wanted = sources_picture(steps.folder, drawn, 0.3, 0.6)

    def is_there(pictures):
        tracker.sendto(json.dumps({"x": 0.3, "y": 0.6}).encode(), ("127.0.0.1", port))
        return all(numpy.abs(a - b).max() <= 3 for a, b in zip(pictures, wanted, strict=True))

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tracker:
        steps.show_until(is_there)
    steps.end()


def test_a_source_may_change_while_a_session_runs(hello, drawn):
    steps = Steps(hello, {"gaze": {"source": "openxr"}}, FOVEA_TEST_XR_EYES="14,-4/7,-6")

    def trackers():
        return re.findall("^eye tracker.*", (steps.folder / "calls.txt").read_text(), re.M)

    runtimes = steps.show()
    assert "the gaze is the runtime's" in steps.said() and trackers() == ["eye tracker"]

    steps.write({"gaze": {"source": "fixed", "fixed": {"x": 0.7, "y": 0.35}}})
    fixed = steps.show_until(lambda pictures: (pictures[0] != runtimes[0]).any())
    assert_near(fixed, sources_picture(steps.folder, drawn, 0.7, 0.35))
    assert trackers() == ["eye tracker", "eye tracker gone"]

    # A recording that is not there leaves the source that there was.
    steps.write({"gaze": {"source": "scanpath", "scanpath": {"file": "no.csv"}}})
    steps.show_until(lambda _: "the gaze source scanpath cannot be opened" in steps.said())
    assert same(steps.show(), fixed)

    steps.write({"gaze": {"source": "mouse"}})
    again = steps.show_until(lambda pictures: (pictures[0] != fixed[0]).any())
    assert same(again, runtimes)
    assert steps.said().count("a headset has no pointer") == 1, steps.said()
    assert trackers() == ["eye tracker", "eye tracker gone", "eye tracker"]
    steps.end()


def test_a_changed_file_counts_for_the_frames_that_follow(hello, drawn):
    steps = Steps(hello, {"foveation": {"strength": 1}})

    def wanted(strength):
        return [foveated_view(steps.folder, drawn[view], (10, -5), view, **{"foveation.strength": strength}) for view in range(2)]

    first = steps.show()
    assert_near(first, wanted(1))
    steps.write({"backend": "auto", "foveation": {"strength": 3}})
    second = steps.show_until(lambda pictures: (pictures[0] != first[0]).any())
    assert_near(second, wanted(3))
    assert max(numpy.abs(a - b).max() for a, b in zip(first, second, strict=True)) > 20

    steps.write("{ broken")
    steps.show_until(lambda _: "last good settings" in steps.said())
    until = time.monotonic() + 1
    while time.monotonic() < until:
        assert same(steps.show(), second)
        time.sleep(0.05)
    assert steps.said().count("last good settings") == 1 and steps.said().count("found broken") == 1, steps.said()

    steps.write({"foveation": {"strength": 1}})
    mended = steps.show_until(lambda pictures: (pictures[0] != second[0]).any())
    assert same(mended, first)
    steps.end()


def test_fovea_run_starts_programs_for_headsets(hello, before):
    run = BUILD / "plugin" / "layer" / "run" / "fovea-run"
    bare = {"XR_ENABLE_API_LAYERS": CORE_VALIDATION, "XR_API_LAYER_PATH": "/usr/share/openxr/1/api_layers/explicit.d"}
    after = hello("Vulkan2", program=(str(run), "hello_xr", "-g"), FOVEA_TEST_XR_GAZE="10,-5", **bare).check()
    assert_foveated(before, after, [(10, -5)] * FRAMES)


@pytest.mark.parametrize(
    "gaze, mark, text",
    [
        ({"FOVEA_TEST_XR_EYES": "0,0/0,0"}, "ok", "each eye (XR_FB_eye_tracking_social) and of both"),
        ({"FOVEA_TEST_XR_CENTERS": "0,0/0,0"}, "ok", "each eye (XR_META_foveation_eye_tracked) and of both"),
        ({}, "ok", "a gaze of both (XR_EXT_eye_gaze_interaction)"),
        ({"FOVEA_TEST_XR_GAZE": "none"}, "note", "has no extension for a gaze"),
        ({"XR_RUNTIME_JSON": "/nowhere.json"}, "note", "OpenXR's loader finds no runtime"),
    ],
)
def test_fovea_run_tells_what_the_runtime_has_for_gaze(hello, gaze, mark, text):
    run = BUILD / "plugin" / "layer" / "run" / "fovea-run"
    _, call = hello.prepare("--check", False, (str(run),), gaze)
    output = subprocess.run(**call, capture_output=True, timeout=120).stdout
    assert re.search(rf"^  {mark} +eyes +.*{re.escape(text)}", output, re.M), output


def test_a_program_of_two_threads_is_foveated(hello, alone):
    """One draws frames and ends them while the other waits for the next one, makes swapchains and destroys them."""
    drawn = alone("separate")
    done = hello("pipelined", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check()
    assert_foveated(drawn, done, [(10, -5)] * FRAMES)
