# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the layer asks a runtime for: not more than it needs, and with a refusal the program has what it would have without
the layer."""

import re
import subprocess

import pytest
from conftest import ROOT
from openxr_rig import CORE_VALIDATION, FRAMES, OURS, Steps, alone, assert_as_drawn, assert_foveated, hello, same  # noqa: F401

pytestmark = pytest.mark.turns(3)


def trackers(done):
    return re.findall("^eye tracker.*", (done.folder / "calls.txt").read_text(), re.M)


@pytest.mark.parametrize("kind, sets", [("oldest", "gaze.late=false"), ("foreign", "gaze.late=false"),
                                        ("separate", "foveation.strength=0")])  # fmt: skip
def test_eyes_are_not_tracked_where_nothing_is_foveated_around_them(hello, kind, sets):  # noqa: F811
    """Vulkan is 1.0, no swapchain has a format that Fovea knows, or pictures are the same wherever the eyes look."""
    layers = {"VK_INSTANCE_LAYERS": ""} if kind == "oldest" else {}
    done = hello(kind, program=OURS, fovea=True, FOVEA_TEST_XR_EYES="14,-4/7,-6", FOVEA_SET=sets, **layers)
    assert done.code == 0 and "refused" not in done.calls, done.output
    assert trackers(done) == [] and "gaze is the runtime's" not in done.output, done.output


def test_eyes_are_tracked_where_the_gaze_is_marked_alone(hello):  # noqa: F811
    sets = "foveation.strength=0,overlay.marker=true"
    done = hello("separate", program=OURS, fovea=True, FOVEA_TEST_XR_EYES="14,-4/7,-6", FOVEA_SET=sets).check()
    assert trackers(done) == ["eye tracker"]


def test_eyes_are_tracked_no_longer_once_pictures_do_not_need_them(hello):  # noqa: F811
    steps = Steps(hello, {"foveation": {"strength": 1}}, FOVEA_TEST_XR_EYES="14,-4/7,-6")
    first = steps.show()
    assert trackers(steps) == ["eye tracker"]
    steps.write({"foveation": {"strength": 0}})
    drawn = steps.show_until(lambda pictures: (pictures[0] != first[0]).any())
    assert trackers(steps) == ["eye tracker", "eye tracker gone"]
    steps.write({"foveation": {"strength": 1}})
    again = steps.show_until(lambda pictures: (pictures[0] != drawn[0]).any())
    assert trackers(steps) == ["eye tracker", "eye tracker gone", "eye tracker"]
    assert same(again, first)
    steps.end()


@pytest.mark.parametrize(
    "kind, call, gaze",
    [
        ("separate", "xrAttachSessionActionSets:1", None),
        ("looks", "xrAttachSessionActionSets:1", (10, -5)),
        ("looks", "xrSuggestInteractionProfileBindings:2", (10, -5)),
        ("looks", "xrSyncActions:1", (10, -5)),
    ],
)
def test_actions_of_the_programs_are_taken_though_the_layers_are_refused(hello, kind, call, gaze, alone):  # noqa: F811
    """The program's own action for the eyes tells the gaze then. The layer's own bindings are suggested first."""
    drawn = alone(kind)
    script = {"FOVEA_TEST_XR_RESULT": f"{call}:-1", "FOVEA_TEST_XR_GAZE": "10,-5"}
    done = hello(kind, program=OURS, fovea=True, **script).check()
    assert f"scripted {call.replace(':', ' ')} -1" in done.calls, done.calls
    assert "no actions" not in done.output and done.output.count("the runtime refuses the layer's") == 1, done.output
    assert_foveated(drawn, done, [gaze] * FRAMES)


@pytest.mark.parametrize(
    "refusal", [{"FOVEA_TEST_XR_RESULT": "xrCreateVulkanInstanceKHR:1:-2"}, {"FOVEA_TEST_XR_VULKAN_1_0": "yes"}]
)
def test_a_program_of_vulkan_1_0_starts_though_1_1_is_refused(hello, refusal, alone):  # noqa: F811
    """By the runtime or by the driver. Vulkan's validation hides what the driver has: nobody says that it is 1.1."""
    drawn = alone("separate")
    done = hello("separate", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5", **refusal).check()
    assert "scripted xrCreateVulkanInstance" in done.calls or "no Vulkan 1.1" in done.calls, done.calls
    assert done.output.count("Vulkan is 1.0") == 1, done.output
    assert_as_drawn(drawn, done, [0])


def test_an_image_of_the_layers_own_that_cannot_be_released_is_not_shown(hello, alone):  # noqa: F811
    """The right eye's, which comes first: its views are shown as drawn, and one line says so."""
    drawn = alone("separate")
    script = {"FOVEA_TEST_XR_RESULT": "xrReleaseSwapchainImage:1:-2", "FOVEA_TEST_XR_GAZE": "10,-5"}
    done = hello("separate", program=OURS, fovea=True, **script).check()
    assert done.output.count("the runtime refuses the release of an image of the layer's own") == 1, done.output
    assert_foveated(drawn, done, [(10, -5)] * FRAMES, views=1)
    assert_as_drawn(drawn, done, views=[1])


@pytest.mark.parametrize("below, refusals", [("", 0), (f":{CORE_VALIDATION}", 0), (":XR_APILAYER_FOVEA_TEST_above", 1)])
@pytest.mark.parametrize("gaze", ["10,-5", "none"])
def test_an_instance_is_made_once_where_the_runtime_lists_what_it_has(hello, below, refusals, gaze):  # noqa: F811
    """A layer below may offer a gaze that the runtime has not, but for those of validation."""
    layers = {"XR_ENABLE_API_LAYERS": f"XR_APILAYER_FOVEA{below}", "FOVEA_TEST_XR_GAZE": gaze}
    done = hello("separate", program=OURS, fovea=True, **layers).check()
    assert done.calls.count("no extension") == refusals, done.calls
    assert ("\nextension XR_EXT_eye_gaze_interaction\n" in done.calls) == (gaze != "none")


def test_what_is_not_there_is_refused_as_without_the_layer(hello):  # noqa: F811
    """OpenXR's core validation would refuse it before the runtime does."""
    bare = {"XR_ENABLE_API_LAYERS": ""}
    drawn = hello("nulls", program=OURS, **bare)
    done = hello("nulls", program=OURS, fovea=True, **{**bare, "XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA"}, FOVEA_TEST_XR_GAZE="10,-5")
    assert drawn.code == done.code == 0, done.output
    assert drawn.calls.count("refused") == done.calls.count("refused") == 10, done.calls
    assert_foveated(drawn, done, [(10, -5)] * FRAMES)


@pytest.mark.parametrize("answer, line, drawn_views", [
    ("xrEnumerateSwapchainImages:2:64", "does not name them: it is shown as drawn", [0]),
    ("xrEnumerateSwapchainImages:2:none", "does not name them: it is shown as drawn", [0]),
    ("xrEnumerateSwapchainImages:8:none", "no image of the layer's own", [1]),
    ("xrAcquireSwapchainImage:3:100", "no image of the layer's own", [1]),
])  # fmt: skip
def test_answers_that_no_runtime_may_give_leave_views_as_drawn(hello, answer, line, drawn_views, alone):  # noqa: F811
    """More images than there are, none, or one that there is not: of the left eye's swapchain, or of the layer's for the right one."""
    only = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA", "FOVEA_TEST_XR_GAZE": "10,-5", "FOVEA_TEST_XR_ANSWER": answer}
    drawn = alone("separate")
    done = hello("separate", program=OURS, fovea=True, **only).check()
    assert "scripted" in done.calls and done.output.count(line) == 1, done.output
    for view in range(2):
        as_drawn = (done.picture(1, view) == drawn.picture(1, view)).all()
        assert as_drawn == (view in drawn_views), (view, done.output)


@pytest.mark.parametrize("words", [["nothing"], ["separate", "array"]])
def test_the_program_names_its_kinds_where_it_knows_none_of_that_name(words):
    done = subprocess.run([*OURS, *words], capture_output=True, text=True, timeout=60)
    text = (ROOT / "tests" / "openxr" / "program.c").read_text()
    described = re.findall(r"(\w+): ", text[text.index("without one") : text.index("#include")])
    assert done.returncode == 2 and sorted(done.stderr.partition(":")[2].split()) == sorted(described), done.stderr
