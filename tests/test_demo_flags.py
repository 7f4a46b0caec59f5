# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Every flag of the demo, from end to end, on tiny pictures."""

import hashlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy
import pytest
from conftest import need_tool, run_program
from PIL import Image

LAYER = Path("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")
TINY = ["--size", "160x90", "--frames", "3"]


@pytest.fixture
def run_demo(demo, tmp_path):
    def run(*flags, folder="out", check=True, **options):
        flags = [*TINY, "--no-video", "--output", tmp_path / folder, *flags]
        return run_program(demo, *flags, check=check, **options)

    return run


def pixels(path):
    return numpy.asarray(Image.open(path)).astype(int)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def table(text):
    return dict(re.findall(r"^  (\w[\w ]*?)  +(\S.*)$", text, re.MULTILINE))


def test_default_run_writes_what_it_says(run_demo, tmp_path):
    done = run_demo()
    out = tmp_path / "out"
    assert sorted(p.name for p in out.iterdir()) == ["demo.png"] + [f"frame_00{i}.png" for i in range(3)]
    for i in range(3):
        assert Image.open(out / f"frame_00{i}.png").size == (160, 90)
        assert pixels(out / f"frame_00{i}.png").std() > 20
    panels = Image.open(out / "demo.png")
    assert panels.size[0] > 2 * 160 and panels.size[1] > 2 * 90
    rows = table(done.stdout)
    assert set(rows) >= {"backend", "device", "frames", "images", "speed", "foveation", "CPU time", "gaze", "files"}
    assert rows["frames"].startswith("3 of 160x90") and "3 foveated" in rows["frames"]
    assert ": " in rows["backend"] and rows["gaze"].startswith("scanpath") and rows["files"] == str(out)


def test_same_seed_same_frames(run_demo, tmp_path):
    for name, seed in [("a", "5"), ("b", "5"), ("c", "6")]:
        run_demo("--seed", seed, folder=name)
    for frame in ["frame_000.png", "frame_002.png"]:
        assert digest(tmp_path / "a" / frame) == digest(tmp_path / "b" / frame)
        assert digest(tmp_path / "a" / frame) != digest(tmp_path / "c" / frame)


def test_the_camera_moves(run_demo, tmp_path):
    run_demo("--frames", "60", "--gaze", "0.5,0.5")
    assert digest(tmp_path / "out" / "frame_000.png") != digest(tmp_path / "out" / "frame_059.png")


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_backends_and_paths_give_the_same_picture(run_demo, tmp_path, backend):
    made = run_demo("--backend", backend, folder="made")
    copy = run_demo("--backend", backend, "--path", "copy", folder="copy")
    assert table(made.stdout)["backend"].startswith(backend + ":")
    assert "no copy" in table(made.stdout)["images"] and "copied in and out" in table(copy.stdout)["images"]
    assert digest(tmp_path / "made" / "frame_002.png") == digest(tmp_path / "copy" / "frame_002.png")


def test_gaze_decides_where_it_is_sharp(run_demo, tmp_path):
    def detail(picture):
        return numpy.abs(numpy.diff(picture, axis=1)).mean()

    ratios = []
    for name, gaze in [("left", "0.1,0.5"), ("right", "0.9,0.5")]:
        done = run_demo("--gaze", gaze, "--frames", "1", folder=name)
        assert table(done.stdout)["gaze"].startswith("fixed")
        picture = pixels(tmp_path / name / "frame_000.png")
        ratios.append(detail(picture[:, :60]) / detail(picture[:, 100:]))
    assert ratios[0] > 1.5 * ratios[1], ratios


def test_both_eyes_of_a_headset_look_at_one_place(run_demo, tmp_path):
    """Where Fovea puts its marker in each eye's picture."""
    flags = ["--hmd", "--size", "640x360", "--frames", "1", "--gaze", "0.5,0.5", "--set", "foveation.strength=0"]
    flags += ["--set", "operators=foveate"]
    run_demo(*flags, folder="drawn", *(["--validate"] if LAYER.exists() else []))
    run_demo(*flags, "--set", "overlay.marker=true", folder="marked")
    drawn, marked = (pixels(tmp_path / name / "frame_000.png") for name in ("drawn", "marked"))
    assert numpy.abs(drawn[:, :320] - drawn[:, 320:]).mean() > 3
    middles = [numpy.argwhere((drawn != marked)[:, x : x + 320].any(axis=2)).mean(axis=0) for x in (0, 320)]
    # Each eye's axis lies towards the nose, 1.19 of 2.09; eyes 63 mm apart meet at 4 m.
    off_px = 320 * 0.063 / 2 / 4 / 2.09
    assert numpy.allclose(middles, [[180, 320 * 1.19 / 2.09 + off_px], [180, 320 * 0.90 / 2.09 - off_px]], atol=1.5)


def test_a_headsets_eyes_are_sharp_where_they_look(run_demo, tmp_path):
    flags = ["--hmd", "--size", "640x360", "--frames", "1", "--gaze", "0.2,0.5", "--set", "operators=foveate"]
    for strength in ("0", "1"):
        run_demo(*flags, "--set", f"foveation.strength={strength}", folder=strength)
    drawn, seen = (pixels(tmp_path / strength / "frame_000.png") for strength in ("0", "1"))
    lost = numpy.abs(drawn - seen).sum(axis=2)
    for eye, x in ((0, 86), (320, 43)):
        assert lost[160:200, eye + x - 15 : eye + x + 15].mean() < 0.6 * lost[160:200, eye + 200 : eye + 300].mean()
    panels = Image.open(tmp_path / "1" / "demo.png")
    assert panels.size[0] < 2 * 640 and panels.size[1] > 3 * 360


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_a_headsets_lenses_are_undone(run_demo, tmp_path, backend):
    """Each lens's axis is its frustum's: what is shown lies around it, smaller towards the edges, and black beyond."""
    run_demo("--hmd", "--size", "640x360", "--frames", "1", "--gaze", "0.5,0.5", "--backend", backend)
    shown = pixels(tmp_path / "out" / "frame_000.png").sum(axis=2)
    row = shown[180]
    for eye, towards_left in ((0, 1.19), (320, 0.90)):
        seen = numpy.nonzero(row[eye : eye + 320] > 30)[0]
        left, right = (320 * towards_left / 2.09 - seen[0], seen[-1] + 1 - 320 * towards_left / 2.09)
        # Half of the height, 180 px, has r = 1; the source is at r (1 + 0.22 r^2 + 0.24 r^4).
        for r, tan in ((left / 180, towards_left), (right / 180, 2.09 - towards_left)):
            assert abs(r * (1 + 0.22 * r**2 + 0.24 * r**4) * 180 - 320 * tan / 2.09) < 8, (eye, left, right)
    assert shown[:4].max() == 0 and shown[-4:].max() == 0


def test_a_headsets_lens_is_a_default(run_demo, tmp_path):
    """Files and FOVEA_SET count more."""
    named = tmp_path / "named.json"
    named.write_text('{"version": 1, "operators": ["foveate", "lens"], "lens": {"r2": 0, "r4": 0, "red_r2": 0, "blue_r2": 0}}')
    flags = ["--hmd", "--size", "320x180", "--frames", "1", "--gaze", "0.5,0.5", "--set", "foveation.strength=0"]
    shown, said = {}, {}
    for name, added, environment in (
        ("lens", [], {}),
        ("without", ["--set", "operators=foveate"], {}),
        ("set", [], {"FOVEA_SET": 'operators=["foveate"]'}),
        ("file", [], {"FOVEA_CONFIG": str(named)}),
        ("config", ["--config", str(named)], {}),
    ):
        said[name] = run_demo(*flags, *added, folder=name, env={**os.environ, **environment}).stdout
        shown[name] = pixels(tmp_path / name / "frame_000.png")
    assert (shown["lens"] != shown["without"]).any()
    assert table(said["lens"])["operators"] == "foveate, lens" and "operators" not in table(said["without"])
    for name in ("set", "file", "config"):
        assert (shown[name] == shown["without"]).all(), name


@pytest.mark.parametrize("over", ["drawn", "shown"])
def test_a_gaze_lies_on_the_picture_that_the_settings_name(run_demo, tmp_path, over):
    """Fovea's marker is around the place that shows it."""
    flags = ["--size", "640x360", "--frames", "1", "--gaze", "0.8,0.3", "--set", "foveation.strength=0"]
    flags += ["--set", "operators=foveate,lens", "--set", f"gaze.over={over}"]
    run_demo(*flags, folder="plain")
    run_demo(*flags, "--set", "overlay.marker=true", folder="marked")
    plain, marked = (pixels(tmp_path / name / "frame_000.png") for name in ("plain", "marked"))
    middle = numpy.argwhere((plain != marked).any(axis=2)).mean(axis=0)
    if over == "drawn":  # r of the default lens is 1 at half the width
        x, y = 0.8 * 640 - 320, 0.3 * 360 - 180
        shown = min(numpy.linspace(0.5, 1, 5001), key=lambda s: abs(s * (1 + 0.2054 * s**2 * (x**2 + y**2) / 320**2) - 1))
        assert numpy.allclose(middle, [180 + y * shown, 320 + x * shown], atol=1.5), middle
    else:
        assert numpy.allclose(middle, [0.3 * 360, 0.8 * 640], atol=1.5), middle


def test_each_eye_of_a_headset_has_the_lens_of_a_calibration(run_demo, tmp_path):
    """The left one's copies; the right one's, about its picture's middle, leaves all beyond an ellipse blank."""
    lens = '{"polynomial": {"center": [0.5, 0.5], "unit": "half-height", "green": [%s]}}'
    path = tmp_path / "eyes.json"
    path.write_text(f'{{"fovea-lens": 1, "left": {lens % "1, 0, 0, 0, 0"}, "right": {lens % "1, 0, 1, 0, 0"}}}')
    flags = ["--hmd", "--size", "320x180", "--frames", "1", "--gaze", "0.5,0.5", "--backend", "vulkan"]
    run_demo(*flags, "--set", f"lens.file={path}")
    blank = pixels(tmp_path / "out" / "frame_000.png").sum(axis=2) == 0
    assert blank[:, :160].mean() < 0.02
    # From the middle up and down r (1 + r^2) is 1 at 0.682 of the half height.
    column = numpy.nonzero(~blank[:, 240])[0]
    assert abs(column[0] - 90 * (1 - 0.682)) < 3 and abs(column[-1] - 90 * (1 + 0.682)) < 3, column


def test_both_eyes_of_a_headset_are_equally_wide(run_demo):
    done = run_demo("--hmd", "--size", "161x90", check=False)
    assert done.returncode == 2 and "--size 161x90" in done.stderr and "even" in done.stderr
    done = run_demo("--hmd", "--size", "8x2000", check=False)
    assert done.returncode == 2 and "--size 8x2000" in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_set_and_config(run_demo, tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"version": 1, "foveation": {"strength": 0}, "gaze": {"source": "saccades"}}))
    plain = run_demo("--config", file, folder="plain")
    assert table(plain.stdout)["gaze"].startswith("saccades")
    run_demo("--config", file, "--set", "foveation.strength=1", folder="set")
    assert digest(tmp_path / "plain" / "frame_002.png") != digest(tmp_path / "set" / "frame_002.png")
    environment = {**os.environ, "FOVEA_CONFIG": str(file)}
    run_demo(folder="environment", env=environment)
    assert digest(tmp_path / "plain" / "frame_002.png") == digest(tmp_path / "environment" / "frame_002.png")


def test_files_are_searched_for_as_the_documentation_says(demo, tmp_path):
    """demo.json only where nothing is found; what was read is said."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FOVEA_")}
    environment |= {"HOME": str(home), "XDG_CONFIG_HOME": ""}

    def run(**more):
        done = run_program(demo, *TINY, "--no-video", "--output", tmp_path / "out", cwd=tmp_path, env={**environment, **more})
        said = re.findall(r"configuration: defaults(.*)", done.stderr)
        return table(done.stdout), said[0]

    if not Path("/etc/fovea/fovea.json").exists():
        rows, said = run()
        assert rows["gaze"].startswith("scanpath") and said.endswith("sample_scene/demo.json")
    settings = {"gaze": {"source": "saccades"}}
    for folder, variable in [(".config/fovea", {}), ("xdg/fovea", {"XDG_CONFIG_HOME": str(home / "xdg")})]:
        file = home / folder / "fovea.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings))
        rows, said = run(**variable)
        assert rows["gaze"].startswith("saccades") and str(file) in said and "demo.json" not in said
        file.unlink()
    (tmp_path / "fovea.json").write_text(json.dumps({"foveation": {"strength": 0.5}}))
    rows, said = run()
    assert rows["gaze"].startswith("fixed") and "strength 0.5" in rows["method"] and "./fovea.json" in said


def test_a_set_may_be_long(run_demo):
    run_demo("--set", "foveation.strength=1" + " " * 3000)


def test_the_summary_tells_maps_apart(run_demo, tmp_path):
    Image.linear_gradient("L").save(tmp_path / "mine.png")
    flags = ["--set", "foveation.model=map"]
    left = table(run_demo(*flags, "--set", "foveation.map.eye=left").stdout)["model"]
    assert left.startswith("map human, left eye, law sqrt")
    own = ["--set", "foveation.map.kind=file", "--set", f"foveation.map.file={tmp_path / 'mine.png'}"]
    done = run_demo(*flags, *own, "--set", "foveation.map.law=linear")
    assert table(done.stdout)["model"].startswith("map mine.png, law linear")


LIGHTS = [
    (["foveation.light=auto"], "rgba8", "linear light"),
    (["foveation.light=auto", "foveation.method=blockwise"], "rgba8", "encoded values"),
    (["foveation.light=encoded"], "rgba8", "encoded values"),
    (["foveation.light=linear"], "rgba8", "linear light"),
    (["foveation.light=gamma", "foveation.display.gamma=2.5"], "rgba8", "light by gamma 2.5"),
    (["foveation.light=table", "foveation.display.table=[0,0.2,1]"], "rgba8", "light by a table of 3"),
    (["foveation.light=encoded"], "rgba16f", "light as stored"),
]


@pytest.mark.parametrize("sets,form,words", LIGHTS, ids=lambda v: " ".join(v) if isinstance(v, list) else v)
def test_the_summary_says_what_is_averaged(run_demo, sets, form, words):
    flags = [word for one in sets for word in ("--set", one)]
    done = run_demo("--frames", "1", "--format", form, *flags)
    assert f", {words}, strength" in table(done.stdout)["method"]


@pytest.mark.parametrize("name", "rgba8-srgb bgra8 rgba8 rgba16f rgb10a2 bgr10a2 rg11b10f".split())
def test_formats_look_alike(run_demo, tmp_path, name):
    run_demo("--frames", "1", "--set", "foveation.strength=0", folder="srgb")
    done = run_demo("--frames", "1", "--set", "foveation.strength=0", "--format", name, check=False)
    if done.returncode == 1 and "cannot draw in it" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    difference = numpy.abs(pixels(tmp_path / "out" / "frame_000.png") - pixels(tmp_path / "srgb" / "frame_000.png"))
    assert difference.mean() < 3 and difference.max() <= 24


def test_video(demo, tmp_path):
    need_tool("ffmpeg")
    run_program(demo, "--size", "161x91", "--frames", "4", "--output", tmp_path)
    probe = run_program("ffmpeg", "-v", "error", "-i", tmp_path / "demo.mp4", "-f", "rawvideo", "-pix_fmt", "gray", "-y",
                        tmp_path / "frames.raw")  # fmt: skip
    assert probe.stderr == ""
    assert (tmp_path / "frames.raw").stat().st_size == 4 * 322 * 92


def test_without_ffmpeg_there_is_one_line_and_no_video(demo, tmp_path):
    done = run_program(demo, *TINY, "--output", tmp_path, env={**os.environ, "PATH": str(tmp_path)})
    assert done.stderr.count("ffmpeg") == 1
    assert not (tmp_path / "demo.mp4").exists() and (tmp_path / "demo.png").exists()


def test_ffmpeg_that_fails_is_told(demo, tmp_path):
    tool = tmp_path / "ffmpeg"
    tool.write_text("#!/bin/sh\nexit 3\n")
    tool.chmod(0o755)
    done = run_program(demo, *TINY, "--output", tmp_path, check=False,
                       env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})  # fmt: skip
    assert done.returncode == 1 and "ffmpeg failed" in done.stderr
    assert (tmp_path / "demo.png").exists()


def test_list_devices(demo):
    done = run_program(demo, "--list-devices")
    lines = done.stdout.splitlines()
    assert lines and all(re.match(r"\d+  .+ \(.*Vulkan \d+\.\d+\.\d+\)  backends: ", line) for line in lines)
    assert lines[0].startswith("0  ")


def test_device_can_be_chosen(run_demo, demo):
    first = run_program(demo, "--list-devices").stdout.splitlines()[0]
    assert table(run_demo("--device", "0").stdout)["device"] in first


def test_help_names_every_flag(demo, root):
    done = run_program(demo, "--help")
    source = (root / "sample_scene" / "options.c").read_text()
    flags = re.findall(r'\{"([a-z-]+)", (?:no|required)_argument', source)
    assert len(flags) > 15
    assert [flag for flag in flags if f"--{flag}" not in done.stdout] == []
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


WRONG = [
    (["--nope"], "--nope"),
    (["-x"], "-x"),
    (["word"], "word"),
    (["--frames"], "--frames needs"),
    (["--frames", "0"], "--frames 0"),
    (["--frames", "many"], "--frames many"),
    (["--frames", "-3"], "--frames -3"),
    (["--size", "160"], "--size 160"),
    (["--size", "0x90"], "--size 0x90"),
    (["--size", "160x90x1"], "--size 160x90x1"),
    (["--size", "99999x2"], "--size 99999x2"),
    (["--gaze", "0.5"], "--gaze 0.5"),
    (["--gaze", "nan,0"], "--gaze nan,0"),
    (["--gaze", "0,0,0"], "--gaze 0,0,0"),
    (["--gaze", "1.5,0.5"], "--gaze 1.5,0.5"),
    (["--backend", "gpu"], "--backend gpu"),
    (["--set", "foveation.strength"], "--set foveation.strength"),
    (["--path", "fast"], "--path fast"),
    (["--format", "jpeg"], "--format jpeg"),
    (["--device", "first"], "--device first"),
    (["--seed", "1e3"], "--seed 1e3"),
    (["--quiet=yes"], "--quiet takes no value"),
    (["--output", ""], "--output"),
]


@pytest.mark.parametrize("flags,named", WRONG, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_wrong_flags_are_named(demo, flags, named):
    done = run_program(demo, *flags, check=False)
    assert done.returncode == 2
    assert named in done.stderr and done.stderr.count("\n") == 1


FAILS = [
    (["--config", "/no/such/file.json"], "/no/such/file.json"),
    (["--set", "foveation.strenth=1"], "strength"),
    (["--set", "foveation.paper.fragment_px=1000"], "fragment_px"),
    (["--device", "99"], "--device 99"),
    (["--output", "/dev/null/folder"], "/dev/null"),
    (["--set", "gaze.source=scanpath", "--set", "gaze.scanpath.file=/no/such.csv"], "/no/such.csv"),
]


@pytest.mark.parametrize("flags,named", FAILS, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_what_cannot_be_done_is_told(run_demo, flags, named):
    done = run_demo(*flags, check=False)
    assert done.returncode == 1
    assert named in done.stderr


def test_a_map_that_cannot_be_read_is_no_fault_of_the_backend(run_demo):
    flags = ["foveation.model=map", "foveation.map.kind=file", "foveation.map.file=/no/such.png"]
    done = run_demo(*(word for flag in flags for word in ("--set", flag)), check=False)
    assert done.returncode == 1 and "/no/such.png" in done.stderr
    assert "the settings cannot be taken" in done.stderr and "backend" not in done.stderr


def test_without_a_vulkan_device(run_demo, tmp_path):
    nowhere = {**os.environ, "VK_DRIVER_FILES": str(tmp_path / "none.json"), "VK_ICD_FILENAMES": str(tmp_path / "none.json")}
    done = run_demo(check=False, env=nowhere)
    assert done.returncode == 1 and "error" in done.stderr


def test_window_without_a_display(run_demo):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = run_demo("--window", check=False, env={**environment, "SDL_VIDEODRIVER": "x11"})
    assert done.returncode == 1 and "--window" in done.stderr


def test_quiet_says_nothing_but_the_table(run_demo):
    done = run_demo("--quiet")
    assert done.stderr == "" and "backend" in done.stdout


def test_progress_in_a_pipe_is_lines(run_demo):
    done = run_demo("--frames", "20")
    assert "\r" not in done.stderr
    shares = [int(share) for share in re.findall(r"^ *(\d+) %", done.stderr, re.MULTILINE)]
    assert shares == sorted(shares) and shares[-1] == 100 and 10 <= len(shares) <= 12


def test_progress_on_a_terminal_is_a_bar(demo, tmp_path):
    ours, theirs = pty.openpty()
    with subprocess.Popen([demo, *TINY, "--no-video", "--output", tmp_path], stdout=subprocess.PIPE, stderr=theirs) as run:
        os.close(theirs)
        seen = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:
                break
            if not more:
                break
            seen += more
        assert run.wait(60) == 0
    os.close(ours)
    assert b"\r  [" in seen and b"100 %" in seen


@pytest.mark.parametrize("video", [False, True])
def test_interrupt_writes_what_there_is(demo, tmp_path, video):
    if video:
        need_tool("ffmpeg")
    flags = ["--size", "160x90", "--frames", "100000", "--output", tmp_path] + ([] if video else ["--no-video"])
    with subprocess.Popen([demo, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        end = time.monotonic() + 60
        while not (tmp_path / "frame_000.png").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "backend" in out and Image.open(tmp_path / "demo.png").size[0] > 320
    if video:
        assert (tmp_path / "demo.mp4").stat().st_size > 500


def test_without_usable_gaze_frames_pass_through(run_demo, tmp_path):
    lost = run_demo("--set", "gaze.source=mouse", "--set", "gaze.validity.fallback=none", folder="lost")
    assert "3 passed through" in table(lost.stdout)["frames"]
    run_demo("--set", "foveation.strength=0", folder="drawn")
    assert digest(tmp_path / "lost" / "frame_001.png") == digest(tmp_path / "drawn" / "frame_001.png")


def test_settings_that_no_frame_can_be_foveated_with_are_an_error(run_demo, tmp_path):
    """The lens folds back within the picture."""
    sets = ["--set", 'operators=["foveate","lens"]', "--set", "lens.r2=-1"]
    done = run_demo(*sets, folder="folded", check=False)
    assert done.returncode == 1 and "folds back" in done.stderr and "no frame was foveated" in done.stderr, done.stderr
    assert (tmp_path / "folded" / "demo.png").exists() and "3 passed through" in table(done.stdout)["frames"]


def test_a_lens_by_its_terms_has_none_of_the_headsets(run_demo, tmp_path):
    """A row of lens.md's table, by settings and as a file."""
    sets = {"lens.r3": 0.01, "lens.r2": 0.2, "lens.r1": 0.02, "lens.r0": 0.77, "lens.unit": "half-short"}
    run_demo("--hmd", *(word for name, value in sets.items() for word in ("--set", f"{name}={value}")), folder="set")
    lens = {"fovea-lens": 1, "polynomial": {"unit": "half-short", "green": [0.77, 0.02, 0.2, 0.01, 0]}}
    (tmp_path / "lens.json").write_text(json.dumps(lens))
    run_demo("--hmd", "--set", f"lens.file={tmp_path / 'lens.json'}", folder="file")
    run_demo("--hmd", folder="demos")
    pictures = [digest(tmp_path / folder / "frame_001.png") for folder in ("set", "file", "demos")]
    assert pictures[0] == pictures[1] != pictures[2]


def test_frames_that_fovea_refuses_are_shown_as_drawn(run_demo, build_dir, tmp_path):
    shim = build_dir / "tests" / "libdemo_failing_fovea.so"
    assert shim.exists(), f"{shim} was not built"
    preload = [os.environ[k] for k in ("LD_PRELOAD",) if os.environ.get(k)]
    failed = run_demo(folder="failed", check=False, env={**os.environ, "LD_PRELOAD": ":".join([*preload, str(shim)])})
    assert failed.returncode == 1
    assert failed.stderr.count("could not take a frame") == 1
    assert "3 were not taken" in failed.stdout
    run_demo("--set", "foveation.strength=0", folder="drawn")
    for i in range(3):
        assert digest(tmp_path / "failed" / f"frame_00{i}.png") == digest(tmp_path / "drawn" / f"frame_00{i}.png")


def test_a_lost_frame_ends_the_demo(run_demo, build_dir, tmp_path):
    shim = build_dir / "tests" / "libdemo_losing_fovea.so"
    assert shim.exists(), f"{shim} was not built"
    preload = [os.environ[k] for k in ("LD_PRELOAD",) if os.environ.get(k)]
    env = {**os.environ, "LD_PRELOAD": ":".join([*preload, str(shim)]), "FOVEA_TEST_LOSES": "1"}
    done = run_demo(folder="lost", check=False, env=env)
    assert done.returncode == 1 and done.stderr.count("FRAME_LOST") == 1
    assert "could not take a frame" not in done.stderr
    assert (tmp_path / "lost" / "frame_000.png").exists()
    assert not (tmp_path / "lost" / "frame_001.png").exists()


@pytest.mark.parametrize("backend,path", [("vulkan", "made"), ("vulkan", "copy"), ("cpu", "made")])
def test_validation_layer_is_silent(run_demo, backend, path):
    if not LAYER.exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("the validation layer is not here")
    done = run_demo("--validate", "--frames", "8", "--backend", backend, "--path", path)
    assert "validation" not in done.stderr


def test_panels_show_marks_and_heat(run_demo, tmp_path):
    run_demo("--gaze", "0.5,0.5", "--size", "320x180", "--frames", "1")
    panels = pixels(tmp_path / "out" / "demo.png")
    colors = {tuple(c) for c in panels[::3, ::3].reshape(-1, 3)}
    assert len(colors) > 500
    # viridis: the dark end at the gaze and the bright end in the corners of the third panel
    assert (numpy.abs(panels - numpy.array([68, 1, 84])).sum(axis=2) < 40).any()
    assert (numpy.abs(panels - numpy.array([253, 231, 37])).sum(axis=2) < 40).any()


def test_demo_needs_nothing_beside_itself(demo, tmp_path):
    """Run from another folder, with the configuration of no user."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    run_program(demo, *TINY, "--no-video", cwd=tmp_path, env=environment)
    assert (tmp_path / "out" / "demo.png").exists()
    shutil.rmtree(tmp_path / "out")
