# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The documentation says what is so."""

import re

import pytest
from conftest import ROOT, run_program

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def needed_packages():
    script = (ROOT / "tests" / "run" / "packages.sh").read_text()
    return set(re.findall(r"^([a-z0-9+-]+)\|\w", script, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    broken = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert broken == []


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
