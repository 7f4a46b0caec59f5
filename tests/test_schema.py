# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""config/schema.json: what an editor says of a configuration."""

import copy
import json
import re

import jsonschema
import pytest
from conftest import ROOT

SCHEMA = json.loads((ROOT / "config" / "schema.json").read_text())
COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)


def plain(text):
    """JSON with its comments blanked out; strings stay as they are."""
    return COMMENT.sub(lambda match: match[1] or " ", text)


def default_settings():
    return json.loads(plain((ROOT / "config" / "default.json").read_text()))


def errors(instance):
    return [error.message for error in jsonschema.Draft7Validator(SCHEMA).iter_errors(instance)]


def leaves(tree, path=()):
    """Paths of all settings: values that are no object, and "apps"."""
    for key, value in tree.items():
        if isinstance(value, dict) and key != "apps":
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def schema_leaves(node, path=()):
    if "$ref" in node:
        node = SCHEMA["definitions"][node["$ref"].rsplit("/", 1)[1]]
    if "properties" not in node:
        return {path}
    return {leaf for key, child in node["properties"].items() for leaf in schema_leaves(child, (*path, key))}


def table_leaves():
    rows = re.findall(r'^    \{"([^"]+)", "', (ROOT / "config" / "key.c").read_text(), re.MULTILINE)
    own = [re.findall(r"^OPERATOR_(?:NUMBER|WORD|FILE)\((\w+), (\w+),", path.read_text(), re.MULTILINE)
           for path in (ROOT / "kernels").glob("*/operator.def")]  # fmt: skip
    return {tuple(row.split(".")) for row in rows} | {setting for settings in own for setting in settings}


def nested(path, value):
    for key in reversed(path):
        value = {key: value}
    return value


def at(path):
    node = default_settings()
    for key in path:
        node = node[key]
    return node


PATHS = sorted(leaves(default_settings()))


def name(path):
    return ".".join(path)


def test_settings_that_the_demo_names_exist():
    named = set()
    for path in (ROOT / "sample_scene").glob("*.c"):
        named |= set(re.findall(r'\b(?:value\w*|toggle_setting)\([^;"]*"(\w+(?:\.\w+)+)"', path.read_text()))
    assert len(named) > 20 and named <= {".".join(leaf) for leaf in table_leaves()}


def test_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_default_json_is_valid():
    assert errors(default_settings()) == []


def test_nothing_is_required():
    assert errors({}) == []


def test_same_keys_in_schema_table_and_default_json():
    assert schema_leaves(SCHEMA) == set(PATHS) == table_leaves()


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_wrong_types_are_refused(path):
    good = at(path)
    wrong = {str: 1, bool: 1, int: "1", float: "1", list: "1", dict: "1"}[type(good)]
    assert errors(nested(path, good)) == []
    for value in (wrong, None, [], [[]]):
        assert errors(nested(path, value)) != [], f"{name(path)}: {value!r}"


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_misspelt_keys_are_refused(path):
    assert errors(nested((*path[:-1], path[-1] + "x"), at(path))) != []


@pytest.mark.parametrize(
    "key, value",
    [
        ("version", 2),
        ("backend", "opengl"),
        ("backend", "CPU"),
        ("backend_measure", "sometimes"),
        ("operators", ["foveat"]),
        ("operators", ["foveate", "foveate"]),
        ("blur.sigma_px", -0.1),
        ("blur.sigma_px", 257),
        ("cpu_threads", -1),
        ("cpu_threads", 257),
        ("cpu_threads", 1.5),
        ("watchdog_ms", 9.9),
        ("foveation.strength", 8.1),
        ("foveation.model", "maps"),
        ("foveation.method", "ring"),
        ("foveation.light", "srgb"),
        ("foveation.display.gamma", 0.9),
        ("foveation.display.gamma", 3.1),
        ("foveation.display.hlg_peak_cd_m2", 99),
        ("foveation.display.table", [1]),
        ("foveation.display.table", [0, -1]),
        ("foveation.cutoff_gain", 0),
        ("foveation.cutoff_gain", 1),
        ("foveation.physical.ct0", 0),
        ("foveation.physical.alpha", 0),
        ("foveation.physical.e2_deg", 0),
        ("foveation.curve", [0, 60]),
        ("foveation.curve", [[0]]),
        ("foveation.curve", [[0, 60, 1]]),
        ("foveation.curve", [[0, 0]]),
        ("foveation.curve", [[0, 1001]]),
        ("foveation.curve", [[-1, 60]]),
        ("foveation.curve", [[181, 1]]),
        ("foveation.curve", [["0", 60]]),
        ("foveation.curve", [[i, 1] for i in range(33)]),
        ("foveation.geometry.tan_left", 101),
        ("foveation.geometry.ppd", 0.5),
        ("foveation.geometry.ppd", 1001),
        ("foveation.geometry.ppd", -1),
        ("foveation.geometry.screen_width_m", 0),
        ("foveation.geometry.distance_m", 0),
        ("foveation.map.kind", "bitmap"),
        ("foveation.map.law", "cubic"),
        ("foveation.map.degrees", "image"),
        ("foveation.map.eye", "third"),
        ("foveation.map.width_deg", 0.9),
        ("foveation.map.cutoff_cpd", 0.09),
        ("foveation.map.floor", 0),
        ("foveation.map.file", "x" * 1024),
        ("foveation.map.values", [1, 2]),
        ("foveation.paper.ct0", 0),
        ("foveation.paper.ct0", 1),
        ("foveation.paper.e2_deg", 0),
        ("foveation.paper.fragment_px", 3),
        ("foveation.paper.fragment_px", 129),
        ("gaze.screen_px", [1920]),
        ("gaze.screen_px", [1920, 1080, 1]),
        ("gaze.screen_px", [1920, -1]),
        ("gaze.saccades.seed", -1),
        ("gaze.saccades.seed", 2**64),
        ("gaze.udp.port", 65536),
        ("gaze.udp.bind", "x" * 64),
        ("gaze.scanpath.file", "x" * 1024),
        ("overlay.wipe", 1.01),
        ("layer.keys.hud", "Shift_R+"),
        ("layer.keys.hud", "+F2"),
        ("layer.keys.hud", "F1+F2+F3+F4+F5"),
        ("layer.keys.hud", "x" * 64),
        ("layer.mouse", True),
        ("apps", {"mygame": {}}),
        ("apps", {"exe:": {}}),
        ("apps", {"exe:mygame": {"version": 1}}),
        ("apps", {"exe:mygame": {"foveation": {"strength": 9}}}),
        ("apps", {f"exe:{i}": {} for i in range(257)}),
    ],
)
def test_wrong_values_are_refused(key, value):
    assert errors(nested(key.split("."), value)) != []


@pytest.mark.parametrize(
    "key, value",
    [
        ("operators", ["blur", "foveate"]),
        ("foveation.model", "curve"),
        ("foveation.model", "map"),
        ("foveation.map.cutoff_cpd", 0),
        ("foveation.map.file", "retina.png"),
        ("foveation.light", "linear"),
        ("foveation.curve", [[0, 60]]),
        ("foveation.curve", [[i, 1000] for i in range(32)]),
        ("foveation.geometry.ppd", 0),
        ("foveation.geometry.ppd", 1),
        ("foveation.geometry.ppd", 37.8),
        ("foveation.geometry.tan_down", -0.5),
        ("layer.keys.hud", ""),
        ("layer.keys.hud", "F9"),
        ("layer.keys.hud", "Control_L+Alt_L+Shift_L+h"),
    ],
)
def test_right_values_are_taken(key, value):
    assert errors(nested(key.split("."), value)) == []


def test_entries_of_apps_take_the_settings():
    entry = copy.deepcopy(default_settings())
    for of_a_file in ("$schema", "version", "apps"):
        del entry[of_a_file]
    assert errors({"apps": {"exe:my*": entry, "exe:[ab]": {}}}) == []


def test_examples_of_the_page_are_valid():
    examples = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "configuration.md").read_text(), re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        assert errors(json.loads(plain(example))) == []
