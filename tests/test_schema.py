# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""config/schema.json, by which editors check a configuration, and the table of docs/configuration.md say what the library's table
of settings says. To write the page's table anew: python3 tests/test_schema.py build/gcc/plugin/libfovea.so"""

import copy
import ctypes
import json
import os
import re
import sys

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


def resolved(node):
    return SCHEMA["definitions"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node


def schema_leaves(node, path=()):
    node = resolved(node)
    assert node.get("additionalProperties", False) is False or path == ("apps",)
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
    source = (ROOT / "config" / "key.c").read_text()
    assert all(f'"{key}", {json.dumps(SCHEMA["properties"][key]["description"])}' in source for key in ("$schema", "version", "apps"))
    assert schema_leaves(SCHEMA) == set(PATHS) == table_leaves()


# ---- The library's table of settings

BOOL, INTEGER, NUMBER, WORD, TEXT, FILE, KEYS, LIST, WORDS = range(9)  # enum fovea_setting_type
FORMS = ["boolean", "integer", "number", "string", "string", "string", "string", "array", "array"]
LIMITS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "anyOf", "minItems", "maxItems", "maxLength", "enum"}


def package(library):
    os.environ["FOVEA_LIB"] = str(library)
    sys.path.insert(0, str(ROOT / "python"))
    from fovea import _library, _settings

    return _library, _settings


def read_table(library):
    _library, _ = package(library)
    own = _library.library()
    rows = [_library.SettingInfo(struct_bytes=ctypes.sizeof(_library.SettingInfo)) for _ in range(own.fovea_setting_count())]
    assert all(own.fovea_setting_info(index, ctypes.byref(row)) == _library.OK for index, row in enumerate(rows))
    return {row.path.decode(): row for row in rows}


@pytest.fixture(scope="module")
def table(library):
    return read_table(library)


def words_of(setting):
    count = next(i for i, word in enumerate(setting.words) if not word)
    return [word.decode() for word in setting.words[:count]]


def range_of(setting):
    limits = {"exclusiveMinimum" if setting.above_least else "minimum": setting.least,
              "exclusiveMaximum" if setting.below_most else "maximum": min(setting.most, 2**64 - 1)}  # fmt: skip
    return {"anyOf": [{"const": 0}, limits]} if setting.or_zero else limits


def default_of(setting):
    text = setting.default_text.decode()
    if setting.type == WORDS:
        return text.split(",")
    return json.loads(text) if setting.type in (BOOL, INTEGER, NUMBER) or text.startswith("[") else text


def items_of_list(path, least, most):
    """Of points [degrees, cycles per degree], or of samples, which a file may have."""
    if path == "foveation.curve":
        both = [{"type": "number", "minimum": low, "maximum": high} for low, high in zip(least, most)]
        return {"items": {"type": "array", "minItems": 2, "maxItems": 2, "items": both}}
    return {"type": ["string", "array"], "items": {"type": "number", "minimum": least[0]}}


def node_of(path, setting):
    """What the schema says of a setting."""
    node = {"type": FORMS[setting.type]}
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", setting.expected.decode())]
    if setting.type in (INTEGER, NUMBER):
        node |= range_of(setting)
        if setting.elements > 1:
            node = {"type": "array", "items": node, "minItems": setting.elements, "maxItems": setting.elements}
    elif setting.type == WORD:
        node["enum"] = words_of(setting)
    elif setting.type == WORDS:
        node |= {"items": {"type": "string", "enum": words_of(setting)}, "minItems": 1, "uniqueItems": True}
    elif setting.type in (TEXT, FILE):
        node["maxLength"] = numbers[0]  # "a string, at most 63 bytes"
    elif setting.type == KEYS:
        node["maxLength"] = 63  # as test_config_table has it
    elif setting.type == LIST:
        # "an array, 1 to 32 points [degrees, cycles per degree]; degrees rise from 0 or more to 180 or less, cycles are 0.01 to 1000"
        node |= {"minItems": numbers[0], "maxItems": numbers[1], **items_of_list(path, numbers[2::2], numbers[3::2])}
    return {**node, "description": setting.help.decode(), "default": default_of(setting)}


def without_words(node):
    """Descriptions of what a list holds are the schema's own."""
    if isinstance(node, list):
        return [without_words(part) for part in node]
    return {key: without_words(value) if key == "items" else value for key, value in node.items() if key != "description"}


def schema_of(path, node=SCHEMA):
    for name in path.split("."):
        node = resolved(node["properties"][name])
    return node


def test_the_schema_describes_every_setting_as_the_table_does(table):
    for path, setting in table.items():
        wanted, node = node_of(path, setting), schema_of(path)
        found = {key: value for key, value in node.items() if key in wanted or key in LIMITS}
        if "items" in found:
            found["items"] = without_words(found["items"])
        assert found == wanted, path
        assert schema_of(path, SCHEMA["definitions"]["entry"]) is node


def test_units_are_those_of_the_names(table):
    units = {"fragment_px": "px", "ppd": "ppd", "distance_m": "m", "hold_ms": "ms", "e2_deg": "deg", "cutoff_cpd": "cpd", "strength": ""}
    found = {name: setting.unit.decode() for path, setting in table.items() if (name := path.split(".")[-1]) in units}
    assert found == units


def test_entries_have_the_same_keys_but_those_of_the_file():
    assert schema_leaves(SCHEMA["definitions"]["entry"]) == schema_leaves(SCHEMA) - {("$schema",), ("version",), ("apps",)}


# ---- The page's table


def rows_of(table):
    """The lines of docs/configuration.md."""
    def help_of(key):
        return SCHEMA["properties"][key]["description"]

    rows = [f"| `$schema` | any |  | {help_of('$schema')} |", f"| `version` | 1 |  | {help_of('version')} |"]
    for path, setting in table.items():
        takes = re.sub(r"^an? (string|array|number|whole number), ", "", setting.expected.decode())
        takes = re.sub(r"^an array of 2 (number|whole number)s, each ", "two of ", takes)
        default = setting.default_text.decode()
        if setting.type not in (BOOL, INTEGER, NUMBER, LIST) or not default:
            default = json.dumps(default_of(setting))
        rows.append(f"| `{path}` | {takes} | `{default}` | {setting.help.decode()} |")
    return [*rows, f"| `apps` | \"exe:pattern\": settings |  | {help_of('apps')} |"]


def test_the_page_has_a_row_for_every_key_in_order(table):
    page = (ROOT / "docs" / "configuration.md").read_text()
    found = page.split("| Key | Values | Default | Meaning |\n| --- | --- | --- | --- |\n")[1].split("\n\n")[0]
    assert found.splitlines() == rows_of(table)


# ---- What is taken

# The table of settings does not say this.
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


def test_examples_of_the_page_are_valid_and_load(library, tmp_path):
    _, _settings = package(library)
    examples = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "configuration.md").read_text(), re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        assert errors(json.loads(plain(example))) == []
        (tmp_path / "example.json").write_text(example)
        assert _settings.Settings((("", str(tmp_path / "example.json")),)).pointer


if __name__ == "__main__":
    print("\n".join(rows_of(read_table(sys.argv[1]))))
