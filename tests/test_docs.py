# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The documentation says what is so."""

import json
import re
import sys

import pytest
from conftest import ROOT, run_program

sys.path.insert(0, str(ROOT / "tests" / "bench"))
import tables  # noqa: E402

PAGES = [ROOT / "README.md", *(ROOT / "kernels" / name / "README.md" for name in (".", "foveate", "gauss")), *sorted((ROOT / "docs").glob("**/*.md"))]


def needed_packages():
    script = (ROOT / "tests" / "run" / "packages.sh").read_text()
    return set(re.findall(r"^([a-z0-9+-]+)\|\w", script, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    broken = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert broken == []


def sections_of(page):
    """As GitHub names them in links."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    headings = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE))
    return {re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_sections_that_are_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s:]*\.md)?#([^)\s]+)\)", text)
    broken = [(name, section) for name, section in targets if section not in sections_of(page.parent / name if name else page)]
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_that_are_named_exist(page):
    """From the root or from the page's folder; the notebook tells of its time."""
    if "notebook" in page.parts:
        return
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    named = set(re.findall(r"`((?:\w[\w.-]*/)+[\w.*-]*)`", text))
    named = {name for name in named if not re.match("build/|out/|vulkan/implicit_layer.d", name)}  # made; the loader's
    folders = [ROOT, page.parent]
    ours = {name for name in named if any((folder / name.split("/")[0]).is_dir() for folder in folders)}
    missing = {name for name in ours if not any(any(folder.glob(name.rstrip("/"))) for folder in folders)}
    assert missing == set()


@pytest.mark.parametrize("name, page", [("integration.c", "README.md"), ("images.c", "docs/images.md"),
                                        ("stereo.c", "docs/stereo.md")])
def test_examples_of_the_pages_are_those_that_compile(name, page):
    example = (ROOT / "docs" / "examples" / name).read_text()
    body = re.sub(r"^(/\* SPDX.*?\*/\n)+\s*", "", example)
    blocks = re.findall(r"```c\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks == [body]


def test_every_package_is_explained():
    table = (ROOT / "docs" / "dependencies.md").read_text()
    explained = set(re.findall(r"^\| `?([a-z0-9+.-]+)`? \|", table, re.MULTILINE))
    assert needed_packages() - explained == set()


def test_commands_of_the_documentation_exist():
    usage = run_program(ROOT / "run").stdout
    for page in PAGES:
        for command in re.findall(r"\./run ([a-z][a-z-]*)", page.read_text()):
            known = f"./run {command}" in usage or command == "help"
            assert known, f"{page.name} speaks of ./run {command}"


@pytest.mark.parametrize("page", tables.PAGES)
def test_figures_are_those_that_were_measured(page):
    text = (ROOT / page).read_text()
    assert "<!-- bench " in text
    assert tables.fill(text) == text, "python3 tests/bench/tables.py writes them"


def test_a_figure_that_was_not_measured_is_noticed():
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    measured = tables.time(tables.picture("cuda", "1080p", tables.DEFAULT, "centre")["us"])
    changed = page.replace(measured, "1.00 us", 1)  # in a table; the same figure may stand in the text
    assert tables.fill(changed) == page != changed


@pytest.mark.parametrize("file", sorted(tables.DATA.glob("*.json")), ids=lambda file: file.name)
def test_measurements_are_of_a_commit(file):
    """Not of somebody's working tree."""
    assert re.fullmatch("[0-9a-f]{12}", json.loads(file.read_text())["machine"]["commit"])


def test_accuracy_begins_as_its_program_writes_it():
    source = (ROOT / "tests" / "quality" / "report_preface.c").read_text()
    preface = "".join(json.loads(string) for string in re.findall(r'"(?:[^"\\]|\\.)*"', source.split("[] =")[1]))
    assert (ROOT / "docs" / "quality.md").read_text().startswith(preface)


def test_constants_of_the_machine_are_those_of_its_sources():
    folder = ROOT / "kernels" / "gauss"
    headers = "\n".join(path.read_text() for path in folder.rglob("*.h"))
    rows = re.findall(r"^\| (`GAUSS_[^|]*) \| ([^|]*) \|", (folder / "README.md").read_text(), re.MULTILINE)
    assert len(rows) > 5
    for names, values in rows:
        for name, value in zip(re.findall(r"\w+", names), values.split(", "), strict=True):
            defined = re.search(rf"#define {name} ([0-9.]+)f?$", headers, re.MULTILINE)
            assert defined and float(defined[1]) == float(value), name


def choices(path, function, pattern):
    text = (ROOT / "kernels" / "gauss" / path).read_text()
    body = text[text.index(function) :]
    return re.findall(pattern, body[: body.index("\n}")])


def test_routing_tables_list_what_the_sources_choose():
    """In the order in which they choose."""
    page = (ROOT / "kernels" / "gauss" / "README.md").read_text()
    for heading, ways, found in (
        ("cpu", {"copy_rows": "run.c", "make_tiles": "tiles/", "make_blended": "nodes/"},
         choices("cpu/run.c", "\nstatic void add_pixels(", r"rows_fn = (\w+)")),
        ("cuda", {"TILES": "cuda/tiles/", "NODES": "cuda/nodes/", "LIGHT": "nodes_wide/light", "WIDE": "nodes_wide/wide"},
         choices("cuda/ways.h", "enum gauss_cuda_way_name {", r"\bGAUSS_CUDA_(\w+)")),
        ("vulkan", {"copies": "raw_copy.comp", "tiles": "smooth_tile_", "nodes": "smooth_nodes"},
         choices("operator/operator_glsl.c", "\nuint32_t gauss_glsl_passes(", r"\b(?:add_(?=tiles|nodes)|operator_pass_(?=copies))(\w+)")),
    ):  # fmt: skip
        assert found == list(ways), heading
        section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        rows = [line.split(" | ")[-1] for line in re.findall(r"^\| .*$", section, re.MULTILINE)[1:]]
        for row, file in zip(rows, ways.values()):
            assert file in row, f"{heading}: {row}"
