# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The examples run, for a few steps."""

import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("vizdoom")
pytest.importorskip("cv2")

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "ppo_vizdoom.py"


def run(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLE.parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
    # ViZDoom leaves its own files in the working folder.
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *arguments], capture_output=True, text=True, timeout=240, env=environment, cwd=folder
    )


@pytest.mark.parametrize("view", ["full", "active"])
def test_the_agent_trains_and_writes_its_returns(tmp_path, view):
    # Episodes end after 75 steps at the latest: there are some within 80 steps of 2 environments.
    done = run(tmp_path, "train", "--view", view, "--steps", "160", "--environments", "2", "--rollout", "80", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / f"{view}-1.csv").read_text().splitlines()
    assert rows[0] == "steps,episodes,return,seconds" and len(rows) == 2 and rows[1].startswith("160,")
    assert (tmp_path / f"{view}-1.pt").exists()


def test_curves_of_several_seeds_are_one_picture(tmp_path):
    pytest.importorskip("matplotlib")
    for seed in (1, 2):
        lines = [f"{100 * i},1,{-100 + 10 * i + seed},{i}" for i in range(1, 20)]
        (tmp_path / f"centre-{seed}.csv").write_text("\n".join(["steps,episodes,return,seconds", *lines]) + "\n")
    out = tmp_path / "curves.png"
    done = run(tmp_path, "plot", str(tmp_path), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "centre: last" in done.stdout and out.stat().st_size > 1000
