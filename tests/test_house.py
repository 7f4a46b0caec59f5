# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Who may include whom: nobody above himself, and no two folders each other."""

import re
from collections import defaultdict

import pytest
from conftest import ROOT

CODE = {".c", ".h", ".cu", ".cuh", ".comp", ".glsl"}
PUBLIC = {path.name for path in (ROOT / "plugin").glob("*.h")}
# Each part, and those that it may know. Everybody knows the public headers.
MAY_KNOW = {
    "core": set(),
    "config": {"core"},
    "kernels": {"core", "config"},  # the settings of operators
    "vulkan": {"core", "config", "kernels"},
    "plugin": {"core", "config", "kernels", "vulkan"},
    "python": set(),  # public headers, as any program
    "sample_scene": set(),  # public headers, as any program
}
# The table of operators is data, for config as for kernels: an operator's settings stand in its own folder. It includes
# nothing but more of the same (test_tables_of_operators_are_data).
TABLE = ROOT / "kernels" / "operators.def"


def sources(part):
    return [path for path in (ROOT / part).rglob("*") if path.suffix in CODE and "cjson" not in path.parts]


def included(path):
    """The files of ours that one includes by its own words."""
    for name in re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.M):
        beside, from_root = path.parent / name, ROOT / name
        if from_root == TABLE or beside == TABLE:
            continue
        if beside.is_file():
            yield beside
        elif from_root.is_file():
            yield from_root
        else:
            assert name in PUBLIC or name.endswith((".inc", "cuda_host_ptx.h", "cuda_host_bytes.h", "bench_commit.h")), f"{path}: {name}"


def folder_of(path):
    return str(path.relative_to(ROOT).parent)


@pytest.mark.parametrize("part", sorted(MAY_KNOW))
def test_includes_run_downwards(part):
    parts = {(path.name, other.relative_to(ROOT).parts[0]) for path in sources(part) for other in included(path)}
    assert {known for known in parts if known[1] not in MAY_KNOW[part] | {part}} == set()


def test_adapters_know_the_public_headers_alone():
    """The folders of plugin/ that are for one engine; what the layer, the oldest, still knows besides is listed."""
    knows = {
        # fovea-run looks into operators' files as programs do, and runs no operator.
        "layer": {"config/settings.h", "kernels/operators_files.h",
                  "plugin/gaze/gaze_library.h", "plugin/gaze/gaze_source.h", "plugin/gaze/gaze_switch.h",
                  "vulkan/vk_format.h"},
        # Sources change for others while frames go on, as in the layer; the runtime's gaze is held like theirs, and tells like theirs how
        # far away both eyes look. Whether contexts take settings is asked once for the contexts of all swapchains, as engine/feed.h does
        # for its engines. Where an operator needs depths, and the program has none or such that a frame is
        # refused, it is left out.
        "openxr": {"kernels/chain/chain.h", "plugin/context/context_depth.h", "plugin/context/settings_take.h",
                   "plugin/gaze/gaze_hold.h", "plugin/gaze/gaze_source.h", "plugin/gaze/gaze_switch.h",
                   "plugin/gaze/gaze_vergence.h"},
        # It records the passes of operators, and shows frames to a source that looks at pictures, as plugin/frame does,
        # through an interface that is not Vulkan.
        "godot": {"kernels/operator/operator_glsl.h", "kernels/chain/chain.h",
                  "plugin/engine/feed.h", "plugin/engine/frustum.h", "plugin/gaze/gaze_source.h", "plugin/gaze/gaze_watch.h"},
        "unity": {"kernels/chain/chain.h", "plugin/engine/feed.h", "plugin/engine/frustum.h",
                  "plugin/frame/create/frame_settings.h"},
        # A frame that OpenGL refuses never comes to fovea_vk_foveate, whose record is to say so.
        "gl": {"plugin/frame/frame_journal.h"},
    }
    known = defaultdict(set)
    for folder in (ROOT / "plugin").iterdir():
        if folder.is_dir() and folder.name not in {"blobs_vk", "context", "engine", "frame", "gaze", "lightfield_vk", "present", "record", "recorder"}:
            for path in sources(f"plugin/{folder.name}"):
                known[folder.name] |= {other.relative_to(ROOT) for other in included(path) if folder not in other.parents}
    for folder, others in known.items():
        others = {str(path) for path in others if path.parts[0] != "core" and path.name not in PUBLIC}
        assert others == knows.get(folder, set()), folder


def test_headers_of_other_folders_are_included_by_their_path():
    wrong = []
    for part in MAY_KNOW:
        for path in sources(part):
            names = re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.M)
            wrong += [f"{path.name}: {name}" for name in names if "../" in name]
            wrong += [f"{path.name}: {name}" for name in names if "/" in name and (path.parent / name).is_file()]
    assert wrong == []


def test_machines_know_no_operator():
    """What operators share includes none of them."""
    operators = {path.parent for path in (ROOT / "kernels").glob("*/operator.def")}
    folders = [path for path in (ROOT / "kernels").iterdir() if path.is_dir() and path not in operators]
    assert {"chain", "gauss", "image"} <= {folder.name for folder in folders}
    wrong = [f"{path.name}: {other}" for folder in folders for path in sources(folder.relative_to(ROOT)) for other in included(path)
             if operators & set(other.parents)]
    assert wrong == []


def test_tables_of_operators_are_data():
    """Nothing but lines of operators, so that whoever includes them comes to know no code."""
    comment = re.compile(r"/\*.*?\*/", re.DOTALL)
    listed = re.findall(r'#include "(kernels/\w+/operator\.def)"\n', TABLE.read_text())
    assert listed
    for path in listed:
        words = re.sub(r'"[^"\n]*"', '""', comment.sub("", (ROOT / path).read_text()))
        assert re.fullmatch(r"(\s*OPERATOR(_NUMBER|_WORD|_FILE|_INSTEAD|_ONLY|_DEPTH|_LACKS)?\([^()]*\))+\s*", words), path
    rest = re.sub(r"#(ifndef|define|undef|endif|include)\b.*\n", "", comment.sub("", TABLE.read_text()))
    assert rest.strip() == ""


def arrows():
    """Folders, and for each the folders that its files include, with one file that does."""
    graph = defaultdict(dict)
    for part in MAY_KNOW:
        for path in sources(part):
            for other in included(path):
                if other.parent != path.parent:
                    graph[folder_of(path)].setdefault(folder_of(other), f"{path.name} -> {other.name}")
    return graph


def test_no_folders_include_each_other():
    graph = arrows()

    def reach(start):
        seen, todo = set(), [start]
        while todo:
            for following in graph.get(todo.pop(), {}):
                if following not in seen:
                    seen.add(following)
                    todo.append(following)
        return seen

    reached = {folder: reach(folder) for folder in graph}
    circles = sorted(f"{a} -> {b}: {graph[a][b]}" for a in graph for b in graph[a] if a in reached.get(b, ()))
    assert circles == []
