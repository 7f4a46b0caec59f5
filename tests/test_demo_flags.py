# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The demo from end to end, on tiny pictures."""

import contextlib
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import numpy
import pytest
from conftest import need_tool, run_program
from PIL import Image

pytestmark = pytest.mark.turns(3)

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
    # viridis: the dark end at the gaze and the bright end in the corners of the third panel
    for end in ([68, 1, 84], [253, 231, 37]):
        assert (numpy.abs(pixels(out / "demo.png") - numpy.array(end)).sum(axis=2) < 40).any()


@pytest.mark.parametrize("operators, rows, bright", [("blur", {"blur"}, (0.7, 1)), ("dof", {"dof"}, (0, 0.2)),
                                                     ("dof,foveate", {"dof", "model", "method"}, (0, 0.2))])
def test_the_panel_of_blur_is_of_the_operators_in_force(run_demo, tmp_path, operators, rows, bright):
    flags = ["--set", f"operators={operators}", "--gaze", "0.5,0.5", "--frames", "1"]
    done = run_demo(*flags, *(["--validate"] if LAYER.exists() else []))
    assert set(table(done.stdout)) & {"blur", "dof", "model", "method"} == rows
    sheet = pixels(tmp_path / "out" / "demo.png")
    heat = sheet[sheet.shape[0] // 2 : sheet.shape[0] // 2 + 60, 10:120]
    # viridis: one sigma everywhere is the largest, and what is in focus, or far from it, is not
    share = (numpy.abs(heat - numpy.array([253, 231, 37])).sum(axis=2) < 40).mean()
    assert bright[0] <= share <= bright[1]


def test_without_a_font_there_are_no_letters(demo, tmp_path):
    program = tmp_path / "demo"
    program.write_bytes(demo.read_bytes().replace(b"/usr/share/fonts/", b"/usr/share/no-no/"))
    program.chmod(0o755)
    done = run_program(program, *TINY, "--no-video", "--output", tmp_path / "out")
    assert done.stderr.count("no letters: cannot read the font /usr/share/no-no/") == 1, done.stderr
    assert (tmp_path / "out" / "demo.png").exists()


def test_same_seed_same_frames(run_demo, tmp_path):
    for name, seed in [("a", "5"), ("b", "5"), ("c", "6")]:
        run_demo("--seed", seed, "--gaze", "0.5,0.5", "--frames", "20", folder=name)
    first, later = "frame_000.png", "frame_019.png"
    assert digest(tmp_path / "a" / later) == digest(tmp_path / "b" / later)
    assert len({digest(tmp_path / name / frame) for name in "ac" for frame in (first, later)}) == 4  # the camera moves


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


def test_a_light_field_is_in_focus_where_the_gaze_is(run_demo, tmp_path):
    """A near disc, and the wall beside it: patch sizes as they were drawn; the disc's picture is sharper if it is in focus."""
    flags = ["--lightfield", "drawn", "--size", "320x180", "--set", "foveation.strength=0", "--frames", "1"]
    sharp = {}
    for name, gaze, size, path, backend in [("disc", "0.72,0.58", 12, "made", "cpu"), ("wall", "0.9,0.1", 6, "copy", "vulkan")]:
        done = run_demo(*flags, "--path", path, "--gaze", gaze, "--backend", backend, folder=name)
        assert table(done.stdout)["backend"].startswith(backend)
        focus = re.fullmatch(r"64x36 lenses; patch size ([0-9.]+) px, ([0-9.]+) dioptres, in focus", table(done.stdout)["light field"])
        assert abs(float(focus[1]) - size) < 0.3 and "1 foveated" in table(done.stdout)["frames"]
        sharp[name] = numpy.abs(numpy.diff(pixels(tmp_path / name / "frame_000.png")[85:125, 210:250], axis=1)).mean()
    assert sharp["disc"] > 1.5 * sharp["wall"]


def test_a_light_field_refocuses_in_its_time_and_is_foveated(run_demo, tmp_path):
    """A gaze that jumps: the focus is on its way a tenth of a second later, and far from the gaze it is blurred."""
    gazes = ["t,x,y"] + [f"{i / 60},{0.9 if i < 3 else 0.72},{0.1 if i < 3 else 0.58}" for i in range(30)]
    (tmp_path / "gaze.csv").write_text("\n".join(gazes) + "\n")
    flags = ["--lightfield", "drawn", "--size", "320x180", "--frames", "9", "--focus", "1.2m,0.45m"]
    done = run_demo(*flags, "--set", "gaze.source=scanpath", "--set", f"gaze.scanpath.file={tmp_path}/gaze.csv")
    size = float(re.search(r"patch size ([0-9.]+) px", table(done.stdout)["light field"])[1])
    assert 6.3 < size < 11
    last = numpy.abs(numpy.diff(pixels(tmp_path / "out" / "frame_008.png"), axis=1))
    assert last[100:110, 225:235].mean() > 1.5 * last[150:, :60].mean()


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


def test_a_headsets_lenses_are_undone(run_demo, tmp_path):
    """Each lens's axis is its frustum's: what is shown lies around it, smaller towards the edges, and black beyond."""
    run_demo("--hmd", "--size", "640x360", "--frames", "1", "--gaze", "0.5,0.5")
    shown = pixels(tmp_path / "out" / "frame_000.png").sum(axis=2)
    row = shown[180]
    for eye, towards_left in ((0, 1.19), (320, 0.90)):
        seen = numpy.nonzero(row[eye : eye + 320] > 30)[0]
        left, right = (320 * towards_left / 2.09 - seen[0], seen[-1] + 1 - 320 * towards_left / 2.09)
        # Half of the height, 180 px, has r = 1; the source is at r (1 + 0.22 r^2 + 0.24 r^4).
        for r, tan in ((left / 180, towards_left), (right / 180, 2.09 - towards_left)):
            assert abs(r * (1 + 0.22 * r**2 + 0.24 * r**4) * 180 - 320 * tan / 2.09) < 8, (eye, left, right)
    assert shown[:4].max() == 0 and shown[-4:].max() == 0


def test_files_are_searched_for_as_the_documentation_says(demo, tmp_path):
    """demo.json only where nothing is found; what was read is said."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("FOVEA_")}
    environment |= {"HOME": str(home), "XDG_CONFIG_HOME": ""}

    def run(*flags, **more):
        done = run_program(demo, *TINY, *flags, "--no-video", "--output", tmp_path / "out", cwd=tmp_path, env={**environment, **more})
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
    assert rows["gaze"].startswith("fixed, no rate of its own;") and "strength 0.5" in rows["method"] and "./fovea.json" in said
    named = tmp_path / "named.json"
    named.write_text(json.dumps({"foveation": {"strength": 2}, **settings}))
    rows, said = run("--set", "foveation.strength=1" + " " * 3000, FOVEA_CONFIG=str(named))
    assert rows["gaze"].startswith("saccades") and "strength 1" in rows["method"] and str(named) in said


def lines_of(base, run=1):
    text = gzip.decompress(Path(f"{base}_run-{run}_recording-eye1_physio.tsv.gz").read_bytes()).decode()
    side = json.loads(Path(f"{base}_run-{run}_recording-eye1_physio.json").read_text())
    return [dict(zip(side["Columns"], line.split("\t"), strict=True)) for line in text.splitlines()], side


def send_gazes(source, server, stop):
    """A tracker of 500 Hz that wanders; one of datagrams has the number of the server's port."""
    line = '<REC BPOGX="%.17g" BPOGY="%.17g" BPOGV="1" />\r\n' if source == "opengaze" else '{"x": %.17g, "y": %.17g}'
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) if source == "udp" else server.accept()[0] as out:
        if source == "udp":
            out.connect(server.getsockname())
        place = numpy.array([0.3, 0.4])
        while not stop.wait(0.002):
            place = (place + [0.00731, 0.01177]) % 1
            with contextlib.suppress(OSError):  # nobody is there yet, or any more
                out.send((line % tuple(place)).encode())


@pytest.mark.parametrize("backend, source", [("vulkan", "udp"), ("cpu", "opengaze")])
def test_a_replay_makes_the_same_pictures_bit_for_bit(run_demo, tmp_path, backend, source):
    """Of a run with a live tracker and late gaze, by the settings that it has exported."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(60)
    port = server.getsockname()[1]
    stop = threading.Event()
    tracker = threading.Thread(target=send_gazes, args=(source, server, stop))
    tracker.start()
    flags = ["--backend", backend, "--frames", "8", "--frozen"]
    record = ["--set", f"record.file={tmp_path}/sub-01_task-look"]
    try:
        live = run_demo(*flags, *record, "--gaze", source, "--set", f"gaze.{source}.port={port}", "--set",
                        "gaze.late=true", "--export-settings", tmp_path / "live.json", folder="live")  # fmt: skip
    finally:
        stop.set()
        tracker.join()
        server.close()
    base = tmp_path / "sub-01_task-look"
    first, side = lines_of(base)
    assert len(first) == 8 and "late" not in live.stderr
    assert [int(line["frame"]) for line in first] == list(range(1, 9))
    assert any(line["late_x"] != "n/a" for line in first) and len({line["x_coordinate"] for line in first}) > 3
    assert side["FoveaSettings"][0] in (tmp_path / "live.json").read_text().splitlines()[0]
    replay = ["--config", tmp_path / "live.json", "--gaze", f"replay:{base}_run-1_recording-eye1_physio.tsv.gz"]
    run_demo(*flags, *record, *replay, folder="replay")
    assert [line["x_coordinate"] for line in lines_of(base, 2)[0]] == [line["x_coordinate"] for line in first]
    names = sorted(path.name for path in (tmp_path / "live").glob("frame_*.png"))
    assert len(names) > 3
    for name in names:
        assert digest(tmp_path / "live" / name) == digest(tmp_path / "replay" / name), name


def test_messages_do_not_get_into_a_record_where_stderr_is_closed(run_demo, tmp_path):
    run_demo("--set", f"record.file={tmp_path}/sub-01_task-look", preexec_fn=lambda: os.close(2))
    lines, _ = lines_of(tmp_path / "sub-01_task-look")
    assert [int(line["frame"]) for line in lines] == [1, 2, 3]


def test_a_record_is_valid_bids(run_demo, tmp_path):
    """By the official validator, where somebody has installed it: pip install bids-validator-deno."""
    validator = shutil.which("bids-validator-deno")
    if validator is None:
        pytest.skip("bids-validator-deno is not here")
    (tmp_path / "data" / "sub-01" / "beh").mkdir(parents=True)
    run_demo("--set", f"record.file={tmp_path}/data/sub-01/beh/sub-01_task-look")
    about = {"Name": "A test", "BIDSVersion": "1.11.1", "Authors": ["A"], "License": "CC0", "DatasetType": "raw"}
    (tmp_path / "data" / "dataset_description.json").write_text(json.dumps(about))
    (tmp_path / "data" / "participants.tsv").write_text("participant_id\nsub-01\n")
    (tmp_path / "data" / "README").write_text("A record of three frames.\n")
    done = subprocess.run([validator, tmp_path / "data", "--json"], capture_output=True, text=True, timeout=120)
    issues = json.loads(done.stdout)["issues"]["issues"]
    assert done.returncode == 0 and [issue for issue in issues if issue["severity"] == "error"] == []


def test_exported_settings_have_their_hash_again(run_demo, tmp_path):
    """Also what is a list, a text or a large number."""
    run_demo("--set", "foveation.model=curve", "--set", "foveation.curve=[[0,60],[7.3,11]]", "--set", "operators=foveate,blur",
             "--set", "gaze.saccades.seed=18446744073709551615", "--set", "gaze.lsl.name=a \"b\" \\ c", "--set",
             "foveation.display.table=[0, 0.1, 1]", "--export-settings", tmp_path / "a.json", folder="a")  # fmt: skip
    more = ["--set", "foveation.strength=0.9999", "--device", "99"]
    for name, flags, check in [("b", [], True), ("c", more, False)]:  # with no such device nothing is drawn
        run_demo("--config", tmp_path / "a.json", *flags, "--export-settings", tmp_path / f"{name}.json", check=check)
    text = (tmp_path / "a.json").read_text()
    assert text == (tmp_path / "b.json").read_text()
    assert re.search(r"hash [0-9a-f]{16}$", text.splitlines()[0]) and '"seed": 18446744073709551615' in text
    assert text.splitlines()[0] != (tmp_path / "c.json").read_text().splitlines()[0]


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


def test_devices_are_listed_and_chosen(run_demo, demo):
    lines = run_program(demo, "--list-devices").stdout.splitlines()
    assert lines and all(re.match(r"\d+  .+ \(.*Vulkan \d+\.\d+\.\d+\)  backends: ", line) for line in lines)
    assert lines[0].startswith("0  ")
    assert table(run_demo("--device", "0", "--quiet").stdout)["device"] in lines[0]


def test_the_summary_says_what_is_averaged(run_demo):
    sets = ["foveation.model=map", "foveation.map.eye=left", "foveation.light=gamma", "foveation.display.gamma=2.5"]
    done = run_demo("--quiet", *(word for one in sets for word in ("--set", one)))
    assert done.stderr == "" and table(done.stdout)["model"].startswith("map human, left eye, law sqrt")
    assert ", light by gamma 2.5, strength" in table(done.stdout)["method"]


@pytest.mark.parametrize("name", ["rgba16f", "bgr10a2"])
def test_formats_look_alike(run_demo, tmp_path, name):
    run_demo("--frames", "1", "--set", "foveation.strength=0", folder="srgb")
    done = run_demo("--frames", "1", "--set", "foveation.strength=0", "--format", name, check=False)
    if done.returncode == 1 and "cannot draw in it" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    difference = numpy.abs(pixels(tmp_path / "out" / "frame_000.png") - pixels(tmp_path / "srgb" / "frame_000.png"))
    assert difference.mean() < 3 and difference.max() <= 24


def test_help_names_every_flag(demo, root):
    done = run_program(demo, "--help")
    source = (root / "sample_scene" / "options.c").read_text()
    flags = re.findall(r'\{"([a-z-]+)", (?:no|required)_argument', source)
    assert len(flags) > 15
    assert [flag for flag in flags if f"--{flag}" not in done.stdout] == []
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


WRONG = [
    (2, ["--nope"], "--nope"),
    (2, ["word"], "word"),
    (2, ["--frames"], "--frames needs"),
    (2, ["--size", "160x90x1"], "--size 160x90x1"),
    (2, ["--gaze", "nan,0"], "--gaze nan,0"),
    (2, ["--hmd", "--size", "161x90"], "--size 161x90"),
    (1, ["--set", "foveation.strenth=1"], "strength"),
    (1, ["--device", "99"], "--device 99"),
    (1, ["--frozen"], "--frozen: name the backend"),
    (1, ["--set", "record.file=/no/such/sub-01"], "/no/such/sub-01_run-1"),
    (1, ["--gaze", "mouse"], "gaze.source is mouse, which needs --window"),
    (1, ["--gaze", "replay:/no/such.tsv"], "/no/such.tsv"),
    (1, ["--gaze", "scanpath:/no/such.csv"], "/no/such.csv"),
    (1, ["--export-settings", "/no/such/a.json"], "--export-settings /no/such/a.json"),
    (2, ["--gaze", "replay:a.tsv", "--hmd"], "--gaze replay"),
    (2, ["--lightfield", "raw.png"], "--geometry FILE go together"),
    (2, ["--lightfield", "drawn", "--hmd"], "not with --hmd"),
    (2, ["--lightfield", "drawn", "--focus", "7"], "--focus 7"),
    (1, ["--lightfield", "drawn", "--focus", "20D,40D"], "20 dioptres"),
    (1, ["--set", "gaze.source=scanpath", "--set", "gaze.scanpath.file=/no/such.csv"], "/no/such.csv"),
]


@pytest.mark.parametrize("status,flags,named", WRONG, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_wrong_flags_are_named(demo, tmp_path, status, flags, named):
    done = run_program(demo, "--output", tmp_path, *flags, check=False)
    assert done.returncode == status and named in done.stderr
    assert status == 1 or done.stderr.count("\n") == 1


def test_without_a_vulkan_device(run_demo, tmp_path):
    nowhere = {**os.environ, "VK_DRIVER_FILES": str(tmp_path / "none.json"), "VK_ICD_FILENAMES": str(tmp_path / "none.json")}
    done = run_demo(check=False, env=nowhere)
    assert done.returncode == 1 and "error" in done.stderr


def test_window_without_a_display(run_demo):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = run_demo("--window", check=False, env={**environment, "SDL_VIDEODRIVER": "x11"})
    assert done.returncode == 1 and "--window" in done.stderr


def test_progress_in_a_pipe_is_lines(run_demo):
    done = run_demo("--frames", "20")
    assert "\r" not in done.stderr
    shares = [int(share) for share in re.findall(r"^ *(\d+) %", done.stderr, re.MULTILINE)]
    assert shares == sorted(shares) and shares[-1] == 100 and 10 <= len(shares) <= 12


def test_interrupt_writes_what_there_is(demo, tmp_path):
    need_tool("ffmpeg")
    flags = ["--size", "160x90", "--frames", "100000", "--output", tmp_path]
    with subprocess.Popen([demo, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        end = time.monotonic() + 60
        while not (tmp_path / "frame_000.png").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "backend" in out and Image.open(tmp_path / "demo.png").size[0] > 320
    assert (tmp_path / "demo.mp4").stat().st_size > 500


def test_without_usable_gaze_frames_pass_through(run_demo, tmp_path):
    lost = run_demo("--gaze", "udp", "--set", "gaze.udp.port=0", "--set", "gaze.validity.fallback=none", folder="lost")
    assert "3 passed through" in table(lost.stdout)["frames"] and "no samples came" in table(lost.stdout)["gaze"]
    sets = ["--set", "foveation.strength=0", "--set", "gaze.filter.smooth=median"]
    drawn = run_demo("--gaze", "saccades", *sets, folder="drawn")
    assert "gaze.filter has no effect: gaze.source saccades" in drawn.stderr
    assert digest(tmp_path / "lost" / "frame_001.png") == digest(tmp_path / "drawn" / "frame_001.png")


def test_settings_that_no_frame_can_be_foveated_with_are_an_error(run_demo, tmp_path):
    """The lens folds back within the picture."""
    sets = ["--set", 'operators=["foveate","lens"]', "--set", "lens.r2=-1"]
    done = run_demo(*sets, folder="folded", check=False)
    assert done.returncode == 1 and "folds back" in done.stderr and "no frame was foveated" in done.stderr, done.stderr
    assert (tmp_path / "folded" / "demo.png").exists() and "3 passed through" in table(done.stdout)["frames"]


def preloaded(build_dir, name, **more):
    """The environment of a demo whose Fovea fails."""
    shim = build_dir / "tests" / f"lib{name}.so"
    assert shim.exists(), f"{shim} was not built"
    before = [os.environ["LD_PRELOAD"]] if os.environ.get("LD_PRELOAD") else []
    return {**os.environ, "LD_PRELOAD": ":".join([*before, str(shim)]), **more}


def test_frames_that_fovea_refuses_are_shown_as_drawn(run_demo, build_dir, tmp_path):
    failed = run_demo(folder="failed", check=False, env=preloaded(build_dir, "demo_failing_fovea"))
    assert failed.returncode == 1
    assert failed.stderr.count("could not take a frame") == 1
    assert "3 were not taken" in failed.stdout
    run_demo("--set", "foveation.strength=0", folder="drawn")
    for i in range(3):
        assert digest(tmp_path / "failed" / f"frame_00{i}.png") == digest(tmp_path / "drawn" / f"frame_00{i}.png")


def test_a_lost_frame_ends_the_demo(run_demo, build_dir, tmp_path):
    env = preloaded(build_dir, "demo_losing_fovea", FOVEA_TEST_LOSES="1")
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
