# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Rules of the house that no compiler and no linter checks."""

import re
import subprocess

import pytest
from conftest import PUBLIC_HEADERS, ROOT

SOURCES = {".c", ".h", ".cu", ".cuh", ".comp", ".glsl", ".vert", ".frag", ".py", ".sh", ".cmake"}
LINES_AT_MOST = 900


def our_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode != 0:
        pytest.skip("no git repository")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def our_sources():
    """cJSON is compiled in as it came."""
    return [path for path in our_files() if path.suffix in SOURCES and path.parent != ROOT / "config" / "cjson"]


def named(paths):
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def test_every_source_says_its_licence():
    def says(path):
        head = path.read_text(errors="replace").split("\n", 4)[:4]
        return any("SPDX-License-Identifier: MIT" in line for line in head)

    assert named(path for path in our_sources() if not says(path)) == []


def test_files_stay_short():
    manuals = set(PUBLIC_HEADERS)

    def is_long(path):
        return path.name not in manuals and path.read_text(errors="replace").count("\n") > LINES_AT_MOST

    assert named(path for path in our_sources() if is_long(path)) == []


def test_build_lists_its_files():
    globbing = [path for path in our_files() if path.name == "CMakeLists.txt" or path.suffix == ".cmake"]
    assert named(path for path in globbing if re.search(r"file\s*\(\s*GLOB", path.read_text())) == []


def with_its_headers(path):
    text = path.read_text()
    for name in re.findall(r'#include "([\w/]+\.cuh)"', text):
        text += with_its_headers(ROOT / name if "/" in name else path.parent / name)
    return text


def test_code_for_an_architecture_is_compiled_for_it():
    """__CUDA_ARCH__ is only what the build lists: one PTX serves all architectures up to the next.
    CUDA's own __vi functions ask it for 90."""
    build = (ROOT / "kernels" / "cuda.cmake").read_text()
    listed = set(re.search(r"foreach\(older ([\d ]+)\)", build).group(1).split())
    kernels = list((ROOT / "kernels").rglob("*.cu"))
    assert len(kernels) >= 11
    for path in kernels:
        text = with_its_headers(path)
        asked = set(re.findall(r"__CUDA_ARCH__ *[<>=]+ *(\d+)0\b", text))
        asked |= {"90"} if re.search(r"\b__vi\w+\(", text) else set()
        assert asked <= listed, path.name


def test_top_level_stays_small():
    allowed = {"CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "run", "config", "core", "docs",
               "kernels", "plugin", "python", "sample_scene", "tests", "vulkan"}  # fmt: skip
    top = {path.relative_to(ROOT).parts[0] for path in our_files()}
    assert {name for name in top if not name.startswith(".")} - allowed == set()


def test_nobody_knows_an_operator_by_name():
    """Contexts, peers, the frame loop and Vulkan run what kernels/operators.def lists, through operator.h."""
    folders = [path.parent for path in (ROOT / "kernels").glob("*/operator.def")]
    table = (ROOT / "kernels" / "operators.def").read_text()
    listed = re.findall(r'^#include "kernels/(\w+)/operator.def"$', table, re.MULTILINE)
    assert folders
    assert sorted(folder.name for folder in folders) == sorted(listed)
    for folder in folders:
        thing = rf"\b{folder.name}_operator|kernels/{folder.name}/|OPERATOR_{folder.name}\b"
        anything = re.compile(rf"{thing}|\b{folder.name}_", re.IGNORECASE)
        thing = re.compile(thing, re.IGNORECASE)
        places = {}
        for path in our_sources():
            inside = folder in path.parents or path.relative_to(ROOT).parts[0] in ("tests", "docs")
            if not inside and path.suffix not in {".py", ".sh", ".cmake"}:
                # Parts of another operator, and of the machine, may have the name: foveation blurs, too.
                machine = folder.name == "blur" and ROOT / "kernels" / "gauss" in path.parents
                name = thing if machine or any(other in path.parents for other in folders) else anything
                lines = [line for line in path.read_text().splitlines() if name.search(line)]
                if lines:
                    places[str(path.relative_to(ROOT))] = lines
        assert places == {}


def test_comments_begin_with_a_subject():
    """A clause that begins so is of something that is not there."""
    begins = re.compile(r"(?:/\*|//) *(?:Of|What|Which) ")
    found = []
    for path in our_sources():
        if path.suffix not in {".py", ".sh", ".cmake"}:
            found += [f"{path.name}: {line.strip()}" for line in path.read_text().splitlines() if begins.search(line)]
    assert found == []


# Our own words of old, and the field's terms that took their places.
HOME_MADE = {
    "bent": "curved",
    "endless": "clamped to the edge",
    "enlarge": "upsample",
    "finding": "stats, classified",
    "fourth": "quadrant",
    "meeting": "barrier",
    "piece": "operand, chunk",
    "raised": "biased",
    "rest": "residual",
    "room": "scratch, capacity",
    "scout": "classifier warp",
    "steepest": "max slope",
    "turned": "transposed",
}


def test_kernels_speak_the_terms_of_the_field():
    """In names of files and in code; comments may say that there is room."""
    comment = re.compile(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', re.DOTALL)
    found = []
    for path in our_sources():
        if ROOT / "kernels" in path.parents and path.suffix not in {".py", ".cmake"}:
            for name in re.findall(r"[A-Za-z]\w*", path.stem + " " + comment.sub(" ", path.read_text())):
                words = {re.sub("s$", "", word) for word in name.lower().split("_")}
                found += [f"{path.name}: {name}: {HOME_MADE[word]}" for word in words & set(HOME_MADE)]
    assert sorted(set(found)) == []
