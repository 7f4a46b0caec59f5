# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea_bench: that its tables and its JSON have the shape that docs/benchmarks.md explains."""

import json
import re
import subprocess

import pytest
from conftest import run_program

MODES = {"smooth", "smooth-linear", "smooth-mild", "smooth-strong", "blockwise-32", "blockwise-16", "blockwise-8",
         "smooth-rgba16f"}  # fmt: skip


@pytest.fixture(scope="session")
def bench(build_dir):
    path = build_dir / "tests" / "fovea_bench"
    assert path.exists(), f"{path} was not built"
    return path


@pytest.fixture(scope="session")
def cpu_run(bench, tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "bench.json"
    text = run_program(bench, "--quick", "--backend", "cpu", "--json", file).stdout
    return text, json.loads(file.read_text())


def test_json_says_what_was_measured_where(cpu_run):
    machine = cpu_run[1]["machine"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", machine["date"])
    assert re.match(r"[0-9a-f]{12}|unknown", machine["commit"])
    assert re.search(r"\d+ cores", machine["processor"])


def test_json_has_every_mode_and_gaze(cpu_run):
    rows = cpu_run[1]["rows"]
    measured = {(row["mode"], row.get("gaze")) for row in rows}
    assert measured == {(mode, gaze) for mode in MODES for gaze in ("centre", "corner")} | {("copy", None)}
    assert {row["format"] for row in rows if row["mode"] == "copy"} == {"RGBA8", "RGBA16F"}


def test_numbers_agree_with_each_other(cpu_run):
    rows = cpu_run[1]["rows"]
    copies = {row["format"]: row["us"] for row in rows if row["mode"] == "copy"}
    largest = next(row for row in rows if row["mode"] == "copy" and row["format"] == "RGBA16F")
    for row in rows:
        pixel_bytes = {"RGBA8": 4, "RGBA16F": 8}[row["format"]]
        moved = 2 * pixel_bytes * row["width_px"] * row["height_px"]
        assert row["us_p10"] <= row["us"] <= row["us_p90"]
        assert row["repetitions"] >= 3
        assert row["x_copy"] == pytest.approx(row["us"] / copies[row["format"]])
        assert row["gb_per_s"] == pytest.approx(moved / row["us"] / 1e3)
        assert row["ps_per_pixel"] == pytest.approx(row["us"] * 1e6 / (row["width_px"] * row["height_px"]))
        assert row["percent_of_copy"] == pytest.approx(100 * row["gb_per_s"] / largest["gb_per_s"])


def test_table_has_a_line_for_each_row(cpu_run):
    text, data = cpu_run
    lines = [line for line in text.splitlines() if line.startswith("| cpu |")]
    assert len(lines) == len(data["rows"])
    for line, row in zip(lines, data["rows"]):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 12
        assert cells[1:4] == [row["size"], row["mode"], row.get("gaze", "")]
        assert float(cells[5]) == pytest.approx(row["us"], rel=0.01)


def test_only_takes_what_matches(bench):
    text = run_program(bench, "--quick", "--backend", "cpu", "--only", "/blockwise-32/centre$").stdout
    assert [line.split(" | ")[2] for line in text.splitlines() if line.startswith("| cpu |")] == [
        "copy",
        "blockwise-32",
    ]


def test_list_names_cases_and_measures_nothing(bench):
    names = run_program(bench, "--backend", "cpu", "--list").stdout.split()
    assert len(names) == len(set(names)) == 2 * len(MODES) * 2 + 2
    assert {"cpu/1080p/smooth/centre", "cpu/1080p/smooth-x0.5/centre", "cpu/1080p/smooth-x4/centre"} <= set(names)


def test_lens_ways_make_the_pictures_that_they_are_to_make(bench, tmp_path):
    file = tmp_path / "lens.json"
    text = run_program(bench, "--quick", "--backend", "cpu", "--lens-paper", "--json", file).stdout
    rows = {row["mode"]: row for row in json.loads(file.read_text())["rows"]}
    tables = ["CPU_LUT, two tables", "one table of equation 2", "one table of addresses", "CPU_naive in doubles"]
    assert {row["table"] for row in rows.values()} == {"lens"}
    assert [rows[name]["note"] for name in tables] == ["equal to the table"] * len(tables)
    assert all(rows[name]["x_fovea"] > 0 for name in tables)
    assert len([line for line in text.splitlines() if line.startswith("| cpu | 180p |")]) == len(rows)


def domain(bench, tmp_path, *flags):
    file = tmp_path / "domain.json"
    text = run_program(bench, "--quick", "--backend", "cpu", "--domain", "--json", file, *flags).stdout
    return text, json.loads(file.read_text())["domain"]


def test_domain_times_random_points_against_bounds(bench, tmp_path):
    text, rows = domain(bench, tmp_path, "--points", "12")
    assert [row["point"] for row in rows] == list(range(12))
    assert len({(row["width_px"], row["height_px"]) for row in rows}) > 8
    for row in rows:
        if "refused" not in row:
            assert row["us"] > 0 and row["bound_us"] > 0
            assert row["x_copy"] == pytest.approx(row["us"] / row["copy_us"])
            assert row["of_bound"] == pytest.approx(row["us"] / row["bound_us"])
    worst = max((row for row in rows if "refused" not in row), key=lambda row: row["of_bound"])
    assert text.split("part of it |")[-1].splitlines()[2].startswith(f"| {worst['point']} | {worst['words']} |")
    assert "cpu: 12 random points of the domain, seed 1." in text


def test_domain_tells_and_keeps_each_point_as_it_goes(bench, tmp_path):
    file = tmp_path / "domain.json"
    command = [bench, "--quick", "--backend", "cpu", "--domain", "--points", "100000", "--json", file]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        told = [re.fullmatch(r"fovea_bench: cpu/domain/(\d+): .*: (refused|[\d.]+ us, [\d.]+ x copy, [\d.]+ of its bound)",
                             line.strip()) for line in (process.stderr.readline() for _ in range(20))]  # fmt: skip
        process.terminate()
    numbers = [int(match[1]) for match in told if match]
    assert len(numbers) >= 9 and numbers == list(range(len(numbers)))
    assert [row["point"] for row in json.loads(file.read_text())["domain"]][: len(numbers) - 1] == numbers[:-1]


def test_domain_takes_the_points_that_match(bench, tmp_path):
    _, rows = domain(bench, tmp_path, "--only", "cpu/domain/(2|5):")
    assert [row["point"] for row in rows] == [2, 5]


def test_domain_has_the_same_points_for_the_same_seed(bench, tmp_path):
    first, again, other = (run_program(bench, "--backend", "cpu", "--domain", "--list", *flags).stdout.split("\n")
                           for flags in ([], [], ["--seed", "2"]))  # fmt: skip
    assert first == again and len(set(first)) == 61
    assert not set(first[:-1]) & set(other[:-1])


@pytest.mark.parametrize("flags", [["--no-such-flag"], ["--backend", "none"], ["--only", "("], ["--threads", "0"], ["--points", "0"], ["--seed", "-1"],
                                   ["more"]], ids=" ".join)  # fmt: skip
def test_wrong_usage_ends_with_2(bench, flags):
    assert run_program(bench, *flags, check=False).returncode == 2


def test_help_names_every_flag(bench):
    text = run_program(bench, "--help").stdout
    for flag in ("--json", "--only", "--backend", "--quick", "--list", "--launches", "--alpha", "--threads",
                 "--domain", "--points", "--seed"):
        assert flag in text


def test_output_that_cannot_be_written_is_told(bench):
    with open("/dev/full", "w") as full:
        done = subprocess.run([bench, "--list"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output" in done.stderr
