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


PATHS = sorted(leaves(default_settings()))


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


# The table of keys, of which test_config_table compares all with the schema, does not say this.
WRONG = [
    ("version", 2),
    ("operators", ["foveate", "foveate"]),
    ("foveation.curve", [["0", 60]]),
    ("foveation.map.values", [1, 2]),
    ("layer.keys.hud", "Shift_R+"),
    ("layer.keys.hud", "+F2"),
    ("layer.keys.hud", "F1+F2+F3+F4+F5"),
    ("layer.mouse", True),
    ("apps", {"mygame": {}}),
    ("apps", {"exe:": {}}),
    ("apps", {"exe:mygame": {"version": 1}}),
    ("apps", {"exe:mygame": {"foveation": {"strength": 9}}}),
    ("apps", {f"exe:{i}": {} for i in range(257)}),
]
RIGHT = [
    ("foveation.curve", [[i, 1000] for i in range(32)]),
    ("layer.keys.hud", ""),
    ("layer.keys.hud", "F9"),
    ("layer.keys.hud", "Control_L+Alt_L+Shift_L+h"),
]


@pytest.mark.parametrize("key, value, right", [(*row, False) for row in WRONG] + [(*row, True) for row in RIGHT])
def test_values_are_taken_or_refused(key, value, right):
    for part in reversed(key.split(".")):
        value = {part: value}
    assert (errors(value) == []) == right


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
