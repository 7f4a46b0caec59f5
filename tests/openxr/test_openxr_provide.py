# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Programs of a runtime without a gaze are given the source's: pyopenxr's, under its loader, and one in C under Debian's."""

import json
import sys

import numpy
import pytest
from conftest import ROOT
from openxr_rig import BUILD, OURS, alone, assert_as_drawn, assert_foveated, before, hello, without_memory_while  # noqa: F401

GAZE = (sys.executable, str(ROOT / "tests" / "openxr" / "pyopenxr_gaze.py"))
pytestmark = pytest.mark.turns(3)

EXTENSION = "extension XR_EXT_eye_gaze_interaction"
PROFILE = "/interaction_profiles/ext/eye_gaze_interaction"
FIXED = "gaze.source=fixed,gaze.fixed.x=0.7,gaze.fixed.y=0.35"
VALID, TRACKED = 3, 12  # orientation and position of each
OFFERS = "the program has its gaze from gaze.source"


@pytest.fixture
def told(hello):  # noqa: F811
    def run(provide, sets=FIXED, runtimes="none", word="", **more):
        pytest.importorskip("xr")
        more = {"XR_ENABLE_API_LAYERS": "XR_APILAYER_FOVEA", "FOVEA_TEST_XR_GAZE": runtimes, "FOVEA_TEST_XR_FRAMES": "0", **more}
        done = hello(word, program=GAZE, FOVEA_SET=f"layer.provide_gaze={provide},{sets}", **more)
        assert done.code == 0, done.output
        line = next(line for line in done.output.splitlines() if line.startswith("{"))
        return done, json.loads(line)

    return run


def turned(turn, to):
    """A vector as a quaternion x, y, z, w turns it."""
    axis, w = numpy.array(turn[:3]), turn[3]
    t = 2 * numpy.cross(axis, to)
    return to + w * t + numpy.cross(axis, t)


def back(turn):
    return [-turn[0], -turn[1], -turn[2], turn[3]]


def ahead_at(u, v):
    """The direction of a place in the picture between the eyes (runtime_views.c has the frusta)."""
    out, inner, up, down = numpy.tan(numpy.radians([50, 42, 40, 48]))
    to = numpy.array([(2 * u - 1) * (out + inner) / 2, up - v * (up + down), -1])
    return to / numpy.linalg.norm(to)


AHEAD = numpy.array([0, 0, -1])


@pytest.mark.parametrize("head", ["0,0,0", "30,-20,15"])
def test_a_program_of_a_runtime_without_eyes_is_told_the_sources_gaze(told, head):
    done, said = told("missing", FOVEA_TEST_XR_HEAD=head)
    assert OFFERS in done.output and EXTENSION not in done.calls and said["listed"] and said["supports"]
    wanted = ahead_at(0.7, 0.35)
    view, local, turn_of_head = said["view"], said["local"], said["head"]["turn"]
    assert view["flags"] == local["flags"] == VALID | TRACKED
    assert numpy.abs(turned(view["turn"], AHEAD) - wanted).max() < 1e-6
    assert numpy.abs(turned(local["turn"], AHEAD) - turned(turn_of_head, wanted)).max() < 1e-6
    assert numpy.abs(turned(said["turned"]["turn"], wanted) - AHEAD).max() < 1e-6, "the head, seen from the gaze"
    assert numpy.abs(numpy.array(said["off"]["at"]) - (0, 0, -2)).max() < 1e-6, "beside itself"
    sampled = view["sample"] - 7_000_000_000  # the runtime's clock
    assert said["now"][0] <= sampled <= said["now"][1], said
    for eye, place in enumerate(said["views"]):
        at = turned(turn_of_head, turned(view["turn"], place["at"]))  # the runtime's head turns its eyes in place
        assert numpy.abs(at - ((-0.032, 0.032)[eye], 0, 0)).max() < 1e-6, place
        assert place["flags"] == VALID | TRACKED
    (gaze, room, off), (seen,) = said["all"]
    assert gaze["turn"] == view["turn"] and seen["turn"] == said["turned"]["turn"] and room["turn"] == pytest.approx(back(turn_of_head))
    assert off["at"] == pytest.approx(2 * wanted, abs=1e-6)


def test_a_program_that_asks_for_the_eyes_has_each_result_of_the_specification(told):
    done, said = told("missing")
    assert set(said["actions"].values()) == {"SUCCESS"}
    assert said["suggested"] == {"path": "ERROR_PATH_UNSUPPORTED", "null": "ERROR_PATH_INVALID", "handle": "ERROR_HANDLE_INVALID",
                                 "replaced": "SUCCESS", "eyes": "SUCCESS", "hand": "SUCCESS"}
    early = "ERROR_ACTIONSET_NOT_ATTACHED"
    assert said["unattached"] == {"profile": early, "name": [early] * 3, "sync": early}
    assert said["attached"] == {"suggest": "ERROR_ACTIONSETS_ALREADY_ATTACHED", "profile": ""}
    assert said["refused"] == {"press": "ERROR_ACTION_TYPE_MISMATCH", "absent": "ERROR_PATH_UNSUPPORTED"}
    assert said["untimed"] == "ERROR_TIME_INVALID" and said["pressed"] == ["SUCCESS", False]
    assert said["unsynced"] is False and said["synced"] == ["SUCCESS", PROFILE, 1, 0]
    assert said["active"] == [True, True, False, True, False, False, "ERROR_PATH_UNSUPPORTED"]
    assert said["second"] == [0, "SUCCESS", VALID | TRACKED, VALID | TRACKED]
    assert said["idle"] == ["SUCCESS", False, 0] and said["destroyed"] == said["other"] == VALID | TRACKED
    (eyes, both, press), path = said["sources"]
    short = ["SUCCESS", "ERROR_SIZE_INSUFFICIENT", "SUCCESS"]
    assert eyes == [["SUCCESS"] * 3, [path]] and both == [short, [1, path]] and press == [["SUCCESS"] * 3, []]
    assert said["names"] == [[short, "Eyes Fovea Gaze"], [short, "Gaze"], [["ERROR_VALIDATION_FAILURE"] * 3, ""]]
    assert len(done.calls.split("refused")) == 5, done.calls  # the four above that are the runtime's


def test_degrees_are_from_straight_ahead_wherever_the_middle_of_a_picture_is(told, hello, before):  # noqa: F811
    sets = "gaze.source=fixed,gaze.space=degrees,gaze.origin=center,gaze.screen_deg=[60,40],gaze.fixed.x=12,gaze.fixed.y=-7"
    _, said = told("missing", sets)
    wanted = numpy.array([*numpy.tan(numpy.radians([12, -7])), -1])
    assert numpy.abs(turned(said["view"]["turn"], AHEAD) - wanted / numpy.linalg.norm(wanted)).max() < 1e-6
    pitch = numpy.degrees(numpy.arctan(wanted[1] * numpy.cos(numpy.radians(12))))
    after = hello("Vulkan2", fovea=True, FOVEA_SET=f"foveation.model=paper,{sets}", FOVEA_TEST_XR_GAZE="none").check()
    assert_foveated(before, after, [(12, pitch)])


@pytest.mark.parametrize("empty", [False, True])
def test_an_action_that_is_bound_to_a_hand_too_follows_it_while_there_is_one(told, empty):
    _, said = told("missing", **({"FOVEA_TEST_XR_EMPTY_HAND": "1"} if empty else {}))
    assert said["early"]["at"] == ([0, 0, 0] if empty else [-0.25, -0.5, -0.125]) and bool(said["early"]["sample"]) == empty
    assert said["early"]["turn"] == (said["view"]["turn"] if empty else [0, 0, 0, 1])


def test_the_gaze_is_not_read_for_a_hand_that_is_not_there(told, tmp_path):
    """Each reading is the next line of the record."""
    line = "1.5\t1\t1\t{}\t{}\t0.5\tn/a\tn/a\t0\t1\t0\t60\tn/a\tn/a\tn/a\tn/a\t1\t0\tn/a\t1\n"
    path = tmp_path / "record.tsv"
    path.write_text("".join(line.format(i + 1, (i + 1) / 100) for i in range(90)))
    _, said = told("missing", f"gaze.source=replay,gaze.scanpath.file={path}", FOVEA_TEST_XR_EMPTY_HAND="1")
    first, *_, last = (turned(turn, AHEAD) for turn in said["reads"])
    slope = [to[0] / -to[2] for to in (first, last, ahead_at(0.02, 0.5), ahead_at(0.01, 0.5))]
    assert slope[1] - slope[0] == pytest.approx(slope[2] - slope[3], rel=1e-3), "one line after the other"


@pytest.mark.parametrize("provide, runtimes, sets, supports, provided", [
    ("missing", "10,-5", FIXED, True, False),
    ("always", "10,-5", FIXED, True, True),
    ("missing", "refused", FIXED, True, True),
    ("no", "refused", FIXED, False, False),
    ("no", "none", FIXED, False, False),
    ("missing", "none", "gaze.source=openxr", False, False),
    ("missing", "none", "gaze.source=mouse", False, False),
])  # fmt: skip
def test_the_runtimes_own_gaze_counts_where_there_is_one(told, provide, runtimes, sets, supports, provided):
    done, said = told(provide, sets, runtimes)
    assert (OFFERS in done.output) == provided and said["listed"] and said["supports"] == supports
    assert (EXTENSION in done.calls) == (runtimes != "none" and provide != "always")
    wanted = ahead_at(0.7, 0.35) if provided else turned([0, 0, 0, 1], AHEAD)
    if supports and not provided:
        yaw, pitch = numpy.radians([10, -5])
        wanted = numpy.array([numpy.sin(yaw) * numpy.cos(pitch), numpy.sin(pitch), -numpy.cos(yaw) * numpy.cos(pitch)])
    assert bool(said["view"]["flags"]) == supports and said["active"][0] == supports
    assert numpy.abs(turned(said["view"]["turn"], AHEAD) - wanted).max() < 1e-6
    if provide == "missing" and not supports:
        assert "gaze.source names none" in done.output


@pytest.mark.parametrize("hold_ms, flags", [(60000, VALID), (0, 0)])
def test_a_gaze_that_is_held_is_valid_and_not_tracked_and_one_that_is_lost_is_neither(told, tmp_path, hold_ms, flags):
    path = tmp_path / "blink.csv"
    path.write_text("t,x,y,confidence\n0,0.7,0.35,1\n0.000001,0.1,0.1,0\n60,0.1,0.1,0\n")
    sets = f"gaze.source=scanpath,gaze.scanpath.file={path},gaze.validity.hold_ms={hold_ms},gaze.validity.return_ms=0"
    _, said = told("missing", sets)
    assert said["supports"] and said["view"]["flags"] == flags and bool(said["view"]["sample"]) == bool(flags)
    assert said["active"][1] == bool(flags)


def test_a_gaze_whose_movements_are_told_is_tracked(told, tmp_path):
    """In a fixation."""
    path = tmp_path / "steady.csv"
    path.write_text("t,x,y,confidence\n0,0.7,0.35,1\n0.1,0.7,0.35,1\n60,0.7,0.35,1\n")
    sets = f"gaze.source=scanpath,gaze.scanpath.file={path},gaze.filter.velocity_deg_s=40,gaze.screen_deg=[60,40]"
    assert told("missing", sets)[1]["view"]["flags"] == VALID | TRACKED


def test_a_program_that_does_not_ask_has_nothing_of_it(told):
    done, said = told("missing", word="unasked")
    absent = "ERROR_PATH_UNSUPPORTED"
    assert said == {"listed": True, "actions": {"eyes": absent, "both": "SUCCESS"}, "suggested": absent, "unsynced": absent,
                    "profile": absent, "refused": [absent, absent]}
    assert OFFERS not in done.output


@pytest.mark.parametrize("kind, looks", [("looks", 3), ("glances", 6)])
def test_a_foveated_program_is_told_the_gaze_that_its_picture_has(hello, kind, looks):  # noqa: F811
    """In C, under Debian's loader and validation, in its frames and while another thread ends them."""
    more = {"FOVEA_TEST_XR_GAZE": "none", "FOVEA_SET": f"foveation.model=paper,layer.provide_gaze=missing,{FIXED}"}
    done = hello(kind, program=OURS, fovea=True, **more).check()
    assert OFFERS in done.output and EXTENSION not in done.calls and "the gaze is the configuration's: fixed" in done.output
    assert done.output.count(f"the gaze: {VALID | TRACKED}\n") == looks, done.output


def test_without_memory_the_program_goes_on_without_a_gaze(hello, tmp_path):  # noqa: F811
    always = tmp_path / "always"
    always.touch()
    more = {"FOVEA_TEST_XR_GAZE": "none", "FOVEA_SET": f"layer.provide_gaze=missing,{FIXED}", **without_memory_while(always)}
    done = hello("looks", program=OURS, fovea=True, **more).check()
    assert "no memory" in done.output and done.output.count("the gaze: 0\n") == 3, done.output


def test_fovea_run_provides_a_gaze_and_leaves_pictures_as_drawn(hello, alone):  # noqa: F811
    pytest.importorskip("xr")
    run = str(BUILD / "plugin" / "layer" / "run" / "fovea-run")
    bare = {"XR_ENABLE_API_LAYERS": "", "XR_API_LAYER_PATH": "/none", "FOVEA_TEST_XR_GAZE": "none", "FOVEA_SET": FIXED}
    done = hello("", program=(run, "--provide-gaze", *GAZE), FOVEA_TEST_XR_FRAMES="0", **bare)
    assert done.code == 0 and OFFERS in done.output, done.output
    assert json.loads(done.output.splitlines()[0])["view"]["flags"] == VALID | TRACKED
    drawn = alone("separate")
    done = hello("separate", program=(run, "--provide-gaze", *OURS), **bare).check()
    assert_as_drawn(drawn, done, [2])
