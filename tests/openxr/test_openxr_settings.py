# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Settings that cannot be taken: the log says so once, and they count once they are right. And what the log says of those
that are."""

import re
import shutil

import pytest
from conftest import ROOT
from openxr_rig import FRAMES, OURS, Steps, alone, hello, over_faults, same, without_memory_while  # noqa: F401

pytestmark = pytest.mark.turns(3)

GOOD = {"foveation": {"model": "paper", "strength": 2}}
MAP = {"foveation": {"model": "map", "map": {"kind": "file", "file": "map.png"}}}
PICTURE = ROOT / "tests" / "fuzz" / "seeds" / "fuzz_map_png" / "grey8.png"
BROKEN = {  # by what the log says once
    "map.png cannot be read": MAP,
    "it is not a PNG picture": {"foveation": {"model": "map", "map": {"kind": "file", "file": "fovea.json"}}},
    "ask for a blur that no image needs": {"foveation": {"model": "paper", "paper": {"ct0": 0.99, "e_max_deg": 90}}},
    "foveation.model: expected one of": {"foveation": {"model": "none"}},
    "no.csv cannot be read": {**GOOD, "gaze": {"source": "scanpath", "scanpath": {"file": "no.csv"}}},
    "expected a key in double quotes": "{ broken",
}


def first_frame(hello, config, **more):  # noqa: F811
    """Of a session that begins with these settings."""
    steps = Steps(hello, config, FOVEA_SET="", **more)
    pictures = steps.show()
    steps.end()
    return pictures


@pytest.mark.parametrize("words", BROKEN)
def test_a_file_that_cannot_be_taken_at_first_counts_once_it_is_repaired(hello, words):  # noqa: F811
    """Until then what is right without it does; of a gaze source that is all but the gaze, else the defaults."""
    until, repaired = (first_frame(hello, config) for config in (GOOD if "csv" in words else {}, {"foveation": {"model": "paper"}}))
    steps = Steps(hello, BROKEN[words], FOVEA_SET="")
    for _ in range(3):
        assert same(steps.show(), until), steps.said()
    steps.write({"foveation": {"model": "paper"}})
    steps.show_until(lambda pictures: same(pictures, repaired))
    said = steps.end().output
    assert said.count(words) == 1 and "swapchain" not in said and "as drawn" not in said, said
    assert said.count("the defaults are in force") == ("csv" not in words), said


def test_a_map_that_comes_later_counts_when_the_file_is_saved_again(hello, tmp_path):  # noqa: F811
    """Its picture is where the file says, and as in a session that begins with it."""
    place = tmp_path / "later.png"
    config = {"foveation": {"model": "map", "map": {"kind": "file", "file": str(place)}}}
    named = {"FOVEA_CONFIG": "fovea.json"}  # such a file may name pictures of any folder
    steps = Steps(hello, config, FOVEA_SET="", **named)
    without = steps.show()
    shutil.copy(PICTURE, place)
    steps.write(config)
    shown = steps.show_until(lambda pictures: not same(pictures, without))
    steps.end()
    assert same(shown, first_frame(hello, config, **named))


def test_new_settings_that_cannot_be_taken_leave_those_before_them(hello):  # noqa: F811
    """Each of them right, and not all of them together, which is known when they are taken. One line is the file's."""
    steps = Steps(hello, GOOD, FOVEA_SET="")
    first = steps.show()
    steps.write(BROKEN["ask for a blur that no image needs"])
    steps.show_until(lambda _: "ask for a blur" in steps.said())
    assert same(steps.show(), first)
    steps.write({"foveation": {"model": "paper"}})
    steps.show_until(lambda pictures: not same(pictures, first))
    said = steps.end().output
    assert said.count("ask for a blur that no image needs") == said.count("the new settings are not taken") == 1, said


@pytest.mark.parametrize(("code", "words"), [(-1, "there is memory"), (-3, "the settings change")])
def test_a_context_that_cannot_be_made_is_tried_again(hello, tmp_path_factory, code, words):  # noqa: F811
    """When the program makes its two swapchains, and in their first frame, nothing can be made. Until then they are as drawn.
    Out of memory they are tried again every two seconds, else with the next settings."""
    fault = over_faults(tmp_path_factory.mktemp("fault"), f"nth:1:{6 if code == -1 else 4}:{code}")
    drawn, foveated = (first_frame(hello, config) for config in ({"foveation": {"strength": 0}}, GOOD))
    steps = Steps(hello, {**GOOD, "layer": {"direct": False}}, FOVEA_SET="", **fault)
    for _ in range(3):
        assert same(steps.show(), drawn), steps.said()
    if code != -1:
        steps.write({**GOOD, "layer": {"direct": False}})
    steps.show_until(lambda pictures: same(pictures, foveated))
    said = steps.end().output
    assert said.count(f"is shown as drawn until {words}") == 2 and said.count("vulkan: VK_ERROR_") == 4, said


def test_settings_for_which_there_is_no_memory_are_taken_in_the_next_frame(hello, tmp_path):  # noqa: F811
    """Here alpha, which is blurred with the colours from the frame on that is blended by it."""
    short = tmp_path / "short"
    wanted = hello("blended", program=OURS, fovea=True, FOVEA_TEST_XR_GAZE="10,-5").check().pictures(0)
    steps = Steps(hello, {"foveation": {"model": "paper"}}, FOVEA_SET="", **without_memory_while(short))
    steps.show()
    short.touch()
    assert not same(steps.show("blended"), wanted), "alpha does not matter here"
    short.unlink()
    assert same(steps.show(), wanted)
    said = steps.end().output
    assert "not taken" not in said and "as drawn" not in said and said.count("out of memory") <= 2, said


LEFT_OUT = {"cuda": "needs a device that programs of OpenXR do not make", "cpu": "needs timeline semaphores"}


@pytest.mark.parametrize("backend", ["", "auto", "vulkan", *LEFT_OUT])
def test_one_line_says_which_backend_there_is_and_why(hello, backend):  # noqa: F811
    """Of both swapchains' contexts. The settings have asked for it where they name it alone."""
    sets = "foveation.model=paper" + (f",backend={backend}" if backend else "")
    said = hello("separate", program=OURS, fovea=True, FOVEA_SET=sets, FOVEA_TEST_XR_GAZE="10,-5").check().output
    told = re.findall("fovea: openxr: backend vulkan .*", said)
    assert len(told) == 1 and told[0].endswith("(the settings ask for it)") == (backend == "vulkan"), said
    left_out = f"fovea: openxr: backend {backend} {LEFT_OUT.get(backend)}"
    assert said.count("vulkan is used") == said.count(left_out) == (backend in LEFT_OUT), said


@pytest.mark.parametrize("sets", ["operators=lens", "foveation.strength=0", 'operators=["blur"]'])
def test_no_line_is_of_a_gaze_or_model_that_counts_for_nothing(hello, sets, alone):  # noqa: F811
    """Where nothing is left to do the runtime is handed the program's own images; the blur of blur is the same everywhere."""
    drawn = alone("separate")
    done = hello("separate", program=OURS, fovea=True, FOVEA_SET=sets, FOVEA_TEST_XR_GAZE="10,-5").check()
    said = [line for line in done.output.splitlines() if "fovea: " in line]
    blurs = "blur" in sets
    assert not any("gaze" in line or ("model physical: " in line and not blurs) for line in said), said
    assert len(set(re.findall(r"^swapchain (\w+) ", done.calls, re.M))) == (4 if blurs else 2), done.calls
    for frame in range(FRAMES):
        for view in range(2):
            assert (done.picture(frame, view) == drawn.picture(frame, view)).all() != blurs


def test_a_square_for_a_photodiode_is_all_that_a_control_condition_shows(hello, alone):  # noqa: F811
    drawn = alone("separate")
    sets = "foveation.strength=0,overlay.patch=frame"
    done = hello("separate", program=OURS, fovea=True, FOVEA_SET=sets).check()
    for frame in range(FRAMES):
        for view in range(2):
            differs = (done.picture(frame, view) != drawn.picture(frame, view)).any(axis=-1)
            side = round(0.1 * differs.shape[0])
            assert differs[-side:, :side].any() and differs.sum() == differs[-side:, :side].sum()


def test_a_source_that_looks_at_pictures_is_shown_the_first_view(hello):  # noqa: F811
    steps = Steps(hello, {"gaze": {"source": "saliency", "saliency": {"rate_hz": 60}}}, FOVEA_SET="")
    steps.show_until(lambda _: "sees pictures, 160x176 pixels" in steps.said())
    steps.end()
