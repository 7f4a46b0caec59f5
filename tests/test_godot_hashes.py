# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Every method hash of plugin/godot follows from its signature, by the engine's own rule.

Godot looks a method up by name and hash, and refuses a hash that it does not know: a wrong one would be found out in
somebody's game. The rule is MethodBind::get_hash of core/object/method_bind.cpp."""

import re

from conftest import ROOT

TABLE = ROOT / "plugin" / "godot" / "api" / "godot_methods.def"
WORD = 0xFFFFFFFF
SEED = 0x07F07C65
TYPES = {
    "Variant": 0, "bool": 1, "int": 2, "float": 3, "String": 4, "Vector2": 5, "Vector2i": 6, "Vector3": 9,
    "Transform3D": 18, "Projection": 19, "Color": 20, "StringName": 21, "RID": 23, "Callable": 25, "Array": 28,
    "PackedByteArray": 29,
}  # fmt: skip
OBJECT = 24


def rotate(word, bits):
    return (word << bits | word >> 32 - bits) & WORD


def murmur(word, seed=SEED):
    word = rotate(word * 0xCC9E2D51 & WORD, 15) * 0x1B873593 & WORD
    return (rotate(seed ^ word, 13) * 5 + 0xE6546B64) & WORD


def finish(word):
    word = (word ^ word >> 16) * 0x85EBCA6B & WORD
    word = (word ^ word >> 13) * 0xC2B2AE35 & WORD
    return word ^ word >> 16


def of_text(text):
    value = 5381
    for byte in text.encode():
        value = (value * 33 + byte) & WORD
    return value


def of_integer(value):
    """Thomas Wang's, from 64 bits to 32."""
    word = (1 << 64) - 1
    value = (~value + (value << 18)) & word
    value = (value ^ value >> 31) * 21 & word
    value ^= value >> 11
    value = (value + (value << 6)) & word
    return (value ^ value >> 22) & WORD


DEFAULTS = {"false": 0, "0": of_integer(0), "[]": finish(murmur(28)), '""': of_text(""), "none": murmur(0, murmur(0))}


def of_signature(signature):
    arguments, const, vararg, result = re.fullmatch(r"\((.*)\)( const)?( vararg)?(?: -> (.+))?", signature).groups()
    arguments = [argument.split(" = ") for argument in arguments.split(", ")] if arguments else []
    value = murmur(len(arguments), murmur(1 if result else 0))
    for name in ([result] if result else []) + [argument[0] for argument in arguments]:
        number = 2 if name.startswith("enum ") else TYPES.get(name, OBJECT)
        value = murmur(number, value)
        if name not in TYPES:
            value = murmur(of_text(name.removeprefix("enum ")), value)
    defaults = [argument[1] for argument in arguments if len(argument) > 1]
    value = murmur(len(defaults), value)
    for default in defaults:
        value = murmur(DEFAULTS[default], value)
    return finish(murmur(1 if vararg else 0, murmur(1 if const else 0, value)))


def rows():
    """Pairs of a signature and the hash that the table says."""
    text = re.sub(r"/\*.*?\*/", "", TABLE.read_text(), flags=re.DOTALL)
    text = re.sub(r'(?<!\\)"\s+"', "", text)  # strings in two parts
    for class_name, method, rest in re.findall(r"GODOT_METHOD\w*\((\w+), (\w+),(.*?\d)\)\n", text, re.DOTALL):
        pairs = re.findall(r'"((?:[^"\\]|\\.)*)",\s*(\d+)', rest)
        assert pairs, method
        for signature, number in pairs:
            yield f"{class_name}.{method}", signature.replace('\\"', '"'), int(number)


def test_hashes_that_bindings_of_the_engine_have():
    """Numbers that the generated bindings of Godot 4.3 and later carry."""
    assert of_signature("(int) const -> Projection") == 3179846605
    assert of_signature("() -> RID") == 529393457
    assert of_signature("(StringName) vararg -> enum Error") == 4047867050
    assert of_signature("(enum RenderingDevice.ShaderStage, PackedByteArray)") == 3514097977


def test_every_hash_follows_from_its_signature():
    table = list(rows())
    assert len(table) > 40
    wrong = [(name, number, of_signature(signature)) for name, signature, number in table
             if of_signature(signature) != number]
    assert wrong == []


def test_every_line_of_the_table_was_read():
    lines = re.findall(r"^GODOT_METHOD(_OR)?", TABLE.read_text(), re.MULTILINE)
    assert len(list(rows())) == len(lines) + sum(1 for newer in lines if newer)
