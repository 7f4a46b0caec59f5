# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""./run: what it says, and that it calls a package manager only when it may and must."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, need_tool, run_program

sys.path.insert(0, str(ROOT / "tests" / "run"))
import choose_tests  # noqa: E402

pytestmark = pytest.mark.turns(2)

COMMANDS = [
    "demo",
    "test",
    "quality",
    "compare",
    "blobs",
    "lightfield",
    "bench",
    "gpu-test",
    "gpu-bundle",
    "unity-package",
    "build",
    "format",
    "clean",
]


def heed_signals():
    """What was ignored when the tests began, as by nohup or for a shell's job in the background, bash cannot trap."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Machine:
    """./run in a world where apt-get, dpkg-query and sudo are only looked at."""

    def __init__(self, folder, tools):
        """tools: a folder of links to this machine's own, which is not changed."""
        self.bin = folder / "bin"
        self.calls = folder / "calls"
        self.build = folder / "build"
        self.bin.mkdir()
        self.calls.touch()
        self.tools = tools
        self.fake("sudo", 'exec "$@"')
        self.fake("apt-get", f'echo "apt-get $*" >>"{self.calls}"')
        self.fake("dpkg-query", "exit 1")
        path = f"{self.bin}:{tools}"
        self.environment = {"PATH": path, "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", "BUILD": str(self.build)}

    def fake(self, name, script):
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(f"#!/bin/bash\n{script}\n")
        (self.bin / name).chmod(0o755)

    def without(self, *names):
        """All others move into a folder of this machine's alone."""
        for tool in self.tools.iterdir():
            if not (self.bin / tool.name).exists():
                (self.bin / tool.name).symlink_to(tool.readlink())
        for tool in list(self.bin.iterdir()):
            if any(tool.name == name or tool.name.startswith(f"{name}-") for name in names):
                tool.unlink()
        self.environment["PATH"] = str(self.bin)

    def command(self, *arguments):
        return [self.tools / "bash", ROOT / "run", "--build-dir", self.build, *arguments]

    def run(self, *arguments):
        return run_program(*self.command(*arguments), check=False, env=self.environment)

    def start(self, *arguments, stdout=subprocess.DEVNULL):
        return subprocess.Popen(self.command(*arguments), env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=stdout, stderr=subprocess.DEVNULL, preexec_fn=heed_signals)  # fmt: skip

    def apt_calls(self):
        return self.calls.read_text().splitlines()


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tools")
    for path in [Path(p) for p in ("/usr/bin", "/bin", "/usr/local/bin")]:
        for tool in path.iterdir():
            link = folder / tool.name
            if not link.is_symlink():
                link.symlink_to(tool)
    return folder


@pytest.fixture
def machine(tmp_path, tools):
    return Machine(tmp_path, tools)


def run(*arguments, **options):
    return run_program(ROOT / "run", *arguments, check=False, **options)


def test_alone_it_says_what_it_can_do():
    done = run()
    assert done.returncode == 0
    assert done.stderr == ""
    for command in COMMANDS:
        assert f"./run {command}" in done.stdout
    assert "--no-install" in done.stdout
    assert "\x1b" not in done.stdout, "no colours in a pipe"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(command):
    asked = run("help", command)
    assert asked.returncode == 0
    assert asked.stdout.startswith(f"./run {command}") or command == "gpu-bundle"
    assert run(command, "--help").stdout == asked.stdout


@pytest.mark.parametrize(
    "arguments",
    [["no-such-command"], ["help", "no-such-command"], ["test", "--no-such-flag"], ["test", "--only", "nothing"],
     ["test", "--only"], ["bench", "--peers", "--engines"], ["build", "more"], ["clean", "more"], ["gpu-bundle"], ["--build-dir"]],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_ends_with_2_and_says_why(arguments, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"run: .+\n", done.stderr)


def test_stages_are_listed():
    done = run("test", "--list")
    assert done.returncode == 0
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["format", "gcc", "pytest", "storms", "asan", "fuzz", "tsan", "tidy", "frameworks"]


def format_quickly(machine):
    """Sources are looked at by the stage format."""
    for name in [tool.name for tool in machine.tools.glob("clang-format*")]:
        machine.fake(name, f'[[ $1 != --version ]] || exec "{machine.tools}/{name}" --version')


def test_nothing_missing_means_no_package_manager(machine):
    machine.fake("dpkg-query", "echo installed")
    format_quickly(machine)
    machine.run("format", "--check")
    assert machine.apt_calls() == []


def test_what_dpkg_does_not_know_is_looked_for_on_the_machine(machine):
    need_tool("clang-format")
    format_quickly(machine)
    assert machine.run("format", "--check").returncode == 0
    assert machine.apt_calls() == []


def test_no_install_never_calls_a_package_manager(machine):
    machine.without("clang-format")
    done = machine.run("--no-install", "format", "--check")
    assert done.returncode == 1
    assert machine.apt_calls() == []
    assert re.search(r"clang-format +checks the layout of the sources", done.stderr)
    assert "apt-get install clang-format" in done.stderr


def test_no_install_may_stand_after_the_command(machine):
    machine.without("clang-format")
    assert machine.run("format", "--check", "--no-install").returncode == 1
    assert machine.apt_calls() == []


def test_missing_packages_are_named_with_their_reason_and_installed(machine):
    machine.without("clang-format")
    done = machine.run("format", "--check")
    update, install = machine.apt_calls()
    assert update.endswith(" update")
    assert install.endswith(" install --no-install-recommends clang-format")
    assert re.search(r"clang-format +checks the layout of the sources", done.stdout)


def test_failing_installation_stops_with_the_log(machine):
    machine.without("clang-format")
    machine.fake("apt-get", 'echo "E: no such thing"; exit 100')
    done = machine.run("format", "--check")
    assert done.returncode == 1
    assert "E: no such thing" in done.stderr
    assert "packages.log" in done.stderr


def test_other_systems_are_told_what_is_needed(machine):
    machine.without("clang-format", "apt-get", "dpkg-query")
    done = machine.run("format", "--check")
    assert done.returncode == 1
    assert "this is no Debian system" in done.stderr


def test_gpu_test_without_a_gpu_says_so(machine):
    machine.fake("nvidia-smi", "exit 9")
    done = machine.run("gpu-test")
    assert done.returncode == 1
    assert "no NVIDIA GPU" in done.stderr
    assert machine.apt_calls() == []


# Says when it began and ended; a test of a pair ends when the other one has begun, or fails.
BUNDLED_TEST = """
echo "begin $1" >>times
case $1 in
*_pair_*) for i in {1..100}; do [[ $(grep -c "^begin .*_pair_" times) -ge 2 ]] && break; sleep 0.1; done
    [[ $(grep -c "^begin .*_pair_" times) -ge 2 ]] || exit 3 ;;
*_fails) exit 1 ;;
*_slow) sleep 30 ;;
*_search_*) echo "report: search, cuda: seed 5, 60 points" ;;
*) sleep 0.5 ;;
esac
echo "[       OK ] $1_case"
echo "end $1" >>times
"""


class Bundle:
    """What ./run gpu-bundle would leave, of tests that only keep times."""

    def __init__(self, machine, *tests):
        self.machine = machine
        self.folder = machine.bin.parent / "bundle"
        (self.folder / "bin").mkdir(parents=True)
        (self.folder / "fallback").mkdir()
        (self.folder / "facts").write_text("commit\tabcdef\n")
        program = self.folder / "bin" / "program"
        program.write_text(f"#!/bin/bash\ncd {machine.bin.parent}\n{BUNDLED_TEST}")
        program.chmod(0o755)
        rows = [f"{name}\tgpu{labels}\t{seconds}\tenv ./bin/program {name}\n" for name, labels, seconds in tests]
        (self.folder / "tests.tsv").write_text("".join(rows))
        machine.fake("nvidia-smi", 'echo "GPU 0: made up"')

    def run(self, *arguments):
        return self.machine.run("gpu-test", "--no-install", "--bundle", self.folder, *arguments)

    def times(self):
        return [line.split() for line in (self.machine.bin.parent / "times").read_text().splitlines()]


def rows_of(report):
    return re.findall(r"^\| (\S+) \| (.+?) \| (\d+) \| [\d.]+ \|$", report, re.M)


def test_gpu_tests_run_beside_each_other_and_are_reported_in_their_order(machine):
    bundle = Bundle(machine, ("test_one_pair_a", "", 60), ("test_alone_b", ",alone", 60), ("test_pair_c", "", 60))
    done = bundle.run("--jobs", "2", "--no-sanitizer")
    assert done.returncode == 0, done.stdout + done.stderr
    assert rows_of(done.stdout) == [
        ("test_one_pair_a", "passed", "1"), ("test_alone_b", "passed", "1"), ("test_pair_c", "passed", "1")]  # fmt: skip
    assert bundle.times()[-2:] == [["begin", "test_alone_b"], ["end", "test_alone_b"]]
    assert "Everything passed; nothing was skipped." in done.stdout
    assert "| at a time | 2;" in done.stdout


def test_gpu_tests_that_took_long_begin_first_and_those_that_may_break_the_gpu_last(machine):
    took = dict(line.split("\t") for line in (ROOT / "tests/run/gpu_seconds.tsv").read_text().splitlines())
    slow, fast = max(took, key=lambda name: float(took[name])), min(took, key=lambda name: float(took[name]))
    bundle = Bundle(machine, ("test_breaks", ",alone,last", 1), (fast, "", 600), ("test_alone_b", ",alone", 90),
                    ("test_alone_a", ",alone", 60), (slow, "", 60))  # fmt: skip
    done = bundle.run("--jobs", "1", "--no-sanitizer")
    assert done.returncode == 0, done.stdout + done.stderr
    begun = [name for what, name in bundle.times() if what == "begin"]
    assert begun == [slow, fast, "test_alone_a", "test_alone_b", "test_breaks"]


def test_gpu_tests_that_fail_beside_others_are_named(machine):
    bundle = Bundle(machine, ("test_fails", "", 60), ("test_slow", "", 1), ("test_good", "", 60))
    done = bundle.run("--jobs", "3", "--no-sanitizer")
    assert done.returncode == 1
    assert rows_of(done.stdout) == [
        ("test_fails", "FAILED: status 1", "0"), ("test_slow", "FAILED: out of time", "0"),
        ("test_good", "passed", "1")]  # fmt: skip
    assert "**Something failed.**" in done.stdout


def test_gpu_tests_of_python_are_skipped_with_their_reason(machine):
    bundle = Bundle(machine, ("test_a", "", 60))
    line = 'test_python\tgpu,python\t60\tenv FOVEA_LIB="$PWD/lib/none" bash "$FOVEA_SOURCE_DIR/tests/run/python_on_gpu.sh"\n'
    with open(bundle.folder / "tests.tsv", "a") as file:
        file.write(line)
    machine.fake("python3", 'echo "torch"')  # is what it prints of all modules that are asked for
    done = bundle.run("--no-sanitizer")
    assert done.returncode == 0, done.stdout + done.stderr
    assert rows_of(done.stdout)[1] == ("test_python", "skipped: this machine's Python has no torch", "0")
    assert "**Everything passed; skipped: 1, for the reasons in the table.**" in done.stdout


def test_sanitizers_run_beside_the_tests(machine):
    bundle = Bundle(machine, ("test_pair_a", ",kernel", 60), ("test_b", "", 60), ("test_search_c", ",memcheck", 60))
    machine.fake("compute-sanitizer", """
[[ $1 == --version ]] && { echo "Version 1"; exit; }
[[ $FOVEA_TEST_QUICK == 1 ]] || exit 4
while [[ $1 != env ]]; do shift; done
"$@" && echo "========= ERROR SUMMARY: 0 errors"
""")  # fmt: skip
    done = bundle.run("--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    tools = re.findall(r"^\| (\w+) \| test_pair_a \| ERROR SUMMARY: 0 errors \|", done.stdout, re.M)
    assert tools == ["memcheck", "racecheck", "initcheck", "synccheck"]
    assert re.findall(r"^\| (\w+) \| test_search_c \| ERROR", done.stdout, re.M) == ["memcheck"]
    assert re.findall(r"^- cuda: seed 5, .*$", done.stdout, re.M) == ["- cuda: seed 5, 60 points"] * 2


def test_gpu_test_wants_a_number_of_jobs(machine):
    for wrong in ["0", "many", ""]:
        assert machine.run("gpu-test", "--jobs", wrong).returncode == 2


@pytest.mark.parametrize("command, said", [
    (["quality", "--quick"], ["--quick"]),
    (["compare", "a.png", "--output", "here"], ["compare", "a.png", "--output", "here"]),
    (["compare", "a.png", "--out", "here"], ["compare", "a.png", "--out", "here"]),
    (["blobs", "a.png"], ["blobs", "a.png", "--output", str(ROOT / "out" / "blobs")]),
    (["compare", "a.png"], ["compare", "a.png", "--output", str(ROOT / "out" / "compare")]),
    (["bench", "--quick"], ["--quick"]),
])  # fmt: skip
def test_what_a_bundle_has_is_run_without_a_build(machine, command, said):
    bundle = Bundle(machine)
    for name in ["fovea_quality", "fovea_bench"]:
        (bundle.folder / "bin" / name).write_text('#!/bin/bash\nprintf "%s\\n" "$0" "$VK_LAYER_PATH" "$@"\n')
        (bundle.folder / "bin" / name).chmod(0o644)
    machine.fake("cmake", "exit 1")
    done = machine.run(*command, "--bundle", bundle.folder)
    assert done.returncode == 0, done.stderr
    program, layers, *arguments = done.stdout.splitlines()
    assert Path(program).parent == bundle.folder / "bin"
    assert Path(layers) == bundle.folder / "layers"
    assert arguments == said
    assert machine.apt_calls() == []


def test_a_picture_that_is_not_there_is_told_before_a_build(machine):
    machine.fake("cmake", "exit 1")
    for command in (["compare"], ["compare", "--blur"], ["blobs"]):
        done = machine.run(*command)
        assert (done.returncode, f"{command[0]} needs" in done.stderr) == (2, True)
    for command in (["compare", "cat.jpg", "--blur"], ["blobs", "--map", "cat.jpg"], ["lightfield", "cat.jpg"],
                    ["compare", "--gaze", "0.5,0.5", "--output", ".", "cat.jpg"]):
        done = machine.run(*command)
        assert (done.returncode, "no such file is there: cat.jpg" in done.stderr) == (1, True)
    assert machine.apt_calls() == []


def test_a_name_that_looks_like_a_flag_is_a_file_after_two_dashes(machine, tmp_path, monkeypatch):
    bundle = Bundle(machine)
    program = bundle.folder / "bin" / "fovea_quality"
    program.write_text('#!/bin/bash\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x.png").touch()
    done = machine.run("compare", "--bundle", bundle.folder, "--output", "here", "--", "-x.png", "-y.png")
    assert done.stdout.splitlines() == ["compare", "--output", "here", "./-x.png", "-y.png"], done.stderr


def test_videos_lie_where_the_pictures_do(machine, tmp_path):
    bundle = Bundle(machine)
    program = bundle.folder / "bin" / "fovea_quality"
    program.write_text("#!/bin/bash\n")
    program.chmod(0o755)
    for name in ("raw.png", "refocus-00.png"):
        (tmp_path / name).touch()
    machine.fake("ffmpeg", "exit 0")
    done = machine.run("lightfield", tmp_path / "raw.png", "--out", tmp_path, "--bundle", bundle.folder)
    assert done.stdout.splitlines() == [f"{tmp_path}/refocus.mp4"], done.stderr


@pytest.mark.parametrize("folder, status", [("missing", 1), ("50%d, it's", 0)])
def test_frames_of_a_video_lie_in_a_folder_of_their_own(machine, tmp_path, folder, status):
    """Without one they would lie in /in."""
    bundle = Bundle(machine)
    program = bundle.folder / "bin" / "fovea_quality"
    program.write_text("#!/bin/bash\n")
    program.chmod(0o755)
    (tmp_path / "x.mp4").touch()
    (tmp_path / "50%d, it's").mkdir()
    machine.fake("ffprobe", "echo 25/1")
    machine.fake("ffmpeg", f'for word; do [[ $word != */%06d* ]] || echo "$word" >>"{machine.calls}"; done')
    machine.environment["TMPDIR"] = str(tmp_path / folder)
    done = machine.run("blobs", tmp_path / "x.mp4", "--output", tmp_path / "out", "--bundle", bundle.folder)
    assert done.returncode == status, done.stderr
    patterns = machine.apt_calls()
    assert len(patterns) == (0 if status else 2) and all("50%%d, it's/" in pattern for pattern in patterns), patterns
    assert status == 0 or folder in done.stderr, done.stderr
    assert list((tmp_path / "50%d, it's").iterdir()) == []


@pytest.mark.parametrize("command", ["quality", "compare", "bench"])
def test_a_folder_that_is_no_bundle_is_refused(machine, tmp_path, command):
    done = machine.run(command, "--bundle", tmp_path)
    assert done.returncode == 1
    assert "is no bundle" in done.stderr
    assert machine.run(command, "--bundle").returncode == 2


def test_demo_that_cannot_be_configured_names_its_log(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", 'echo "CMake Error: broken on purpose" >&2; exit 1')
    done = machine.run("demo")
    assert done.returncode == 1
    assert "broken on purpose" in done.stderr
    assert str(machine.build / "logs" / "demo-configure.log") in done.stderr


@pytest.mark.parametrize("smi, cuda, wanted, said", [
    ("exit 9", "AUTO", None, "no NVIDIA GPU is here"),
    ("echo '[N/A]'", "AUTO", None, "no NVIDIA GPU is here"),
    ("exit 9", "ON", "75;80;86;90", "which takes minutes"),
    ("echo 9.0", "AUTO", "90", "90, those of this machine's GPUs"),
    ("echo 8.9; echo 7.5; echo 8.9", "AUTO", "75;89", "75 89"),
    ("echo 12.0", "ON", "90", "90, those"),
])  # fmt: skip
def test_kernels_are_built_for_the_gpus_that_are_here(machine, tmp_path, smi, cuda, wanted, said):
    machine.fake("nvidia-smi", smi)
    (tmp_path / "ask.cmake").write_text(f"""
cmake_policy(VERSION 3.25)
include({ROOT}/kernels/cuda_architectures.cmake)
fovea_cuda_is_wanted(wanted)
if(wanted)
    fovea_cuda_architectures(list 75 80 86 89 90)
    message(STATUS "list: ${{list}}")
endif()
""")
    done = run_program(need_tool("cmake"), f"-DFOVEA_CUDA={cuda}", "-P", tmp_path / "ask.cmake", env=machine.environment)
    assert said in done.stdout
    assert re.findall("list: (.*)", done.stdout) == ([wanted] if wanted else [])


# ninja prints a line for each that is finished where nobody looks.
BUILD_OF_THREE = """
[[ $1 == --build ]] || exit 0
echo "[1/3] Building C object one.c.o"
echo "[2/3] Building C object two.c.o"
printf "[3/3] Lin"
sleep 2.5
echo "king"
"""


def test_build_says_how_far_it_is(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", BUILD_OF_THREE)
    machine.environment["FOVEA_PROGRESS_SECONDS"] = "1"
    done = machine.run("build")
    told = r"^Building ... \n(    2 of 3 done, \d s\n)+(    3 of 3 done, \d s\n)?ok \(\d s\)$"
    assert re.search(told, done.stdout, re.M)
    assert "[3/3] Linking\n" in (machine.build / "logs" / "release-build.log").read_text()


def test_failed_build_shows_the_compiler(machine):
    """What others have printed in the meantime does not push it away."""
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", """
[[ $1 == --build ]] || exit 0
echo "[1/90] Building C object one.c.o"
echo "FAILED: two.c.o"
echo "two.c:1:1: error: broken on purpose"
for i in {2..50}; do echo "[$i/90] Building C object $i.c.o"; done
exit 1
""")  # fmt: skip
    done = machine.run("build")
    assert done.returncode == 1
    assert "error: broken on purpose" in done.stderr
    assert "one.c.o" not in done.stderr
    assert str(machine.build / "logs" / "release-build.log") in done.stderr


def test_stage_that_cannot_be_built_fails(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 1")
    machine.fake("ctest", 'echo "100% tests passed, 0 tests failed out of 9"')
    done = machine.run("test", "--only", "gcc")
    assert done.returncode == 1
    assert re.search(r"gcc +failed", done.stdout)
    assert "tests passed" not in done.stdout


@pytest.mark.parametrize("size, left", [("--quick", "leaves out sanitizers"), ("--nightly", "")])
def test_the_first_line_says_what_it_takes_and_leaves_out(machine, size, left):
    machine.without("cmake")  # it says so and ends
    first = machine.run("--no-install", "test", size).stdout.splitlines()[0]
    assert re.match(r"This takes about \d+ min\. \(guessed", first)
    assert left in first and ("left out" in first or "leaves out" in first) == bool(left)


# A test that fails beside others is tried a second time, and named, only if it is a known race.
RACE = """
[[ $* == *--show-only* ]] && {{ echo '{{"tests": []}}'; exit; }}
[[ $* == *--rerun-failed* ]] && exit 0
mkdir -p "$2/Testing/Temporary"
touch "$2/Testing/Temporary/LastTest.log"
printf '\t  7 - {test} (Failed)\n'
exit 8
"""


@pytest.mark.parametrize("test, passes", [("test_layer_keys", True), ("test_config_text", False)])
def test_only_known_races_are_tried_again(machine, test, passes):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 0")
    machine.fake("ctest", RACE.format(test=test))
    done = machine.run("test", "--only", "gcc")
    assert (done.returncode == 0) == passes
    assert (f"gcc: {test}" in done.stdout) == passes


def test_what_takes_turns_runs_within_a_few_commits():
    names = [("vulkan", f"test_frame_{i}_{way}") for i in range(7) for way in ("vulkan", "recorded", "cpu")]
    names += [(label, f"test_{kind}_{i}") for kind, label in [("emulated", "unit"), ("config", "unit"), ("device", "gpu")] for i in range(7)]
    names += [("unit", name) for name in sorted(choose_tests.LONG)] + [("vulkan", f"test_paper_bench_{i}-paper") for i in range(7)]
    tests = [{"name": name, "properties": [{"name": "LABELS", "value": [label]}]} for label, name in names]

    def run(size, stage, commit, kind):
        chosen = {name for _, name, why in choose_tests.choose(tests, size, stage, commit, False) if not why}
        return chosen & choose_tests.LONG if kind == "long" else {name for name in chosen if name.startswith(f"test_{kind}_")}

    def all_of(size, stage, commits, kind):
        return set().union(*(run(size, stage, commit, kind) for commit in range(commits)))

    for commit in range(4):
        gcc, asan = (run("full", stage, commit, "frame") for stage in ("gcc", "asan"))
        assert len(gcc) in (6, 9)
        assert asan <= gcc and len(asan) in (3, 6)  # all of a program's, whose shaders it finds made
        gcc, asan = (run("full", stage, commit, "long") for stage in ("gcc", "asan"))
        assert gcc | asan == choose_tests.LONG and not gcc & asan and len(asan) in (len(choose_tests.LONG) // 4, len(choose_tests.LONG) // 4 + 1)
        assert len(run("full", "gcc", commit, "config")) == len(run("full", "asan", commit, "config")) == 7
        assert not run("full", "gcc", commit, "device")
        assert len(run("nightly", "asan", commit, "frame")) == 21
    assert len(all_of("full", "gcc", 3, "frame")) == len(all_of("quick", "gcc", 6, "frame")) == 21
    assert len(all_of("full", "asan", 6, "frame")) == 21
    assert all_of("full", "asan", 4, "long") == all_of("quick", "gcc", 3, "long") == choose_tests.LONG
    assert len(all_of("full", "gcc", 5, "emulated")) == len(all_of("full", "asan", 30, "paper")) == 7


def test_what_takes_turns_in_python_does_too():
    """Where nobody says which commit it is, all of it runs."""
    def names(**more):
        environment = {**{k: v for k, v in os.environ.items() if not k.startswith("FOVEA_TEST_")}, **more}
        command = [sys.executable, "-m", "pytest", "-c", ROOT / "tests/pytest.ini", "--collect-only", "-q", ROOT / "tests/test_headers.py"]
        return set(re.findall(r"^\S+::\S+", run_program(*command, env=environment).stdout, re.MULTILINE))

    halves = [names(FOVEA_TEST_COMMIT=commit) for commit in "01"]
    assert halves[0] | halves[1] == names() == names(FOVEA_TEST_COMMIT="1", FOVEA_TEST_CASES="all")
    assert not halves[0] & halves[1] and abs(len(halves[0]) - len(halves[1])) < 2
    assert names(FOVEA_TEST_COMMIT="1", FOVEA_TEST_TURNS="2") < halves[1]


def test_failing_tests_fail_the_stage(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 0")
    machine.fake("ctest", FAILING)
    done = machine.run("test", "--only", "gcc")
    assert done.returncode == 1
    assert "== test_one: test_one\nend of one\n\n1 passed, 1 failed" in done.stdout


def test_what_later_stages_read_is_read_while_tests_wait(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 0")
    machine.fake("ctest", WAITING)
    for tool in ["chrt", "renice"]:  # an idle process gets no time where others want all of it
        machine.fake(tool, "exit 0")
    machine.fake("run-clang-tidy", 'touch "$BUILD/read"; echo "warning: one"; exit 1')
    (machine.build / "gcc").mkdir(parents=True)
    (machine.build / "gcc" / "compile_commands.json").write_text("[]")
    done = machine.run("test", "--only", "gcc,tidy")
    assert done.returncode == 1
    assert re.search(r"gcc +passed", done.stdout) and re.search(r"tidy +failed", done.stdout), done.stdout
    assert "Failed: tidy\nwarning: one\n" in done.stdout


def test_stages_before_gccs_prepare_themselves(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 0")
    machine.fake("ctest", PASSING)
    machine.fake("run-clang-tidy", "exit 0")
    (machine.build / "gcc").mkdir(parents=True)
    (machine.build / "gcc" / "compile_commands.json").write_text("[]")
    process = machine.start("test", "--only", "tidy,gcc")
    try:
        assert process.wait(120) == 0
    finally:
        process.terminate()


def test_fuzzing_waits_for_the_build_that_is_made_beside(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("clang", "exit 0")
    machine.fake("ctest", PASSING)
    machine.fake("cmake", '[[ $2 == */asan ]] || exit 0; mkdir "$BUILD/one" || exit 1; sleep 2; rmdir "$BUILD/one"')
    folder = machine.build / "asan" / "fuzz"
    folder.mkdir(parents=True)
    (folder.parent / "build.ninja").touch()
    (folder.parent / "tests").mkdir()
    (folder.parent / "tests" / "CTestTestfile.cmake").touch()
    machine.fake("good", FUZZ.format(many="", unit="", again=0))
    (machine.bin / "good").rename(folder / "fuzz_good")
    done = machine.run("--no-cuda", "test", "--only", "gcc,fuzz,asan")
    assert done.returncode == 0, done.stdout


def test_a_library_that_is_named_is_compared_without_a_build(machine, tmp_path):
    machine.fake("cmake", "exit 1")
    machine.fake("python3", 'echo "$FOVEA_LIB" "${@:2}"')
    machine.environment["FOVEA_LIB"] = str(tmp_path / "calls")
    done = machine.run("bench", "--peers", "--only", "blur")
    assert done.stdout == f"{tmp_path}/calls --commit  --only blur\n", done.stderr
    assert machine.apt_calls() == []


PASSING = """
[[ $* == *--output-junit* ]] || { echo '{"tests": []}'; exit; }
mkdir -p "$2/Testing/Temporary" && touch "$2/Testing/Temporary/LastTest.log"
"""
# For less than the time that run_program gives.
WAITING = PASSING + """
for ((i = 0; i < 2500; i++)); do [[ ! -e $BUILD/read ]] || exit 0; sleep 0.1; done
exit 8
"""
# CI shows the end of everything: what failed is there.
FAILING = PASSING + """
for ((i = 0; i < 200; i++)); do echo "the log goes on"; done
cat >"$BUILD/logs/gcc.junit.xml" <<XML
<testsuite><testcase classname="test_one" name="test_one" status="fail"><failure message=""/><system-out>end of one
[       OK ] others</system-out></testcase><testcase classname="test_two" name="test_two" status="run"/></testsuite>
XML
exit 8
"""
FUZZ = """
alone=$BUILD/logs/${{0##*/}}-alone
[[ $* == *artifact_prefix* ]] || {{ touch "$alone"; exit {again}; }}
unit=$BUILD/logs/${{0##*/}}-{unit}
printf 'INFO: Seed: 77\n{many}stat::number_of_executed_units: 50\nstat::average_exec_per_sec: 8\n'
[[ -n '{unit}' && ! -e $alone ]] || exit 0
printf input >"$unit"
printf '==1== ERROR: libFuzzer: broken\nSUMMARY: libFuzzer: broken\nTest unit written to %s' "$unit"
exit 77
"""


def test_fuzz_targets_that_fail_say_all_at_the_end(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 0")
    machine.fake("clang", "exit 0")
    folder = machine.build / "asan" / "fuzz"
    folder.mkdir(parents=True)
    (folder.parent / "build.ninja").touch()
    for name, unit, again in [("slow", "timeout-1", 70), ("crash", "crash-1", 0), ("paused", "timeout-1", 0), ("good", "", 0)]:
        machine.fake(name, FUZZ.format(many="a line\\n" * 200, unit=unit, again=again))
        (machine.bin / name).rename(folder / f"fuzz_{name}")
    done = machine.run("test", "--only", "fuzz")
    assert done.returncode == 1
    assert "fuzz: fuzz_paused" in done.stdout and (machine.build / "logs" / "fuzz_crash-crash-1").exists()
    assert "\nfuzz_good: 50 runs, 8 a second\n" in done.stdout
    crash, slow = done.stdout.split("Failed: fuzz\n")[1].split("\n== ")
    for text, name in [(crash, "== fuzz_crash"), (slow, "fuzz_slow")]:
        lines = text.splitlines()
        assert lines[0] == f"{name}: failed with status 77, seed: 77"
        assert lines[2] == "SUMMARY: libFuzzer: broken"
        input_of = re.search(r"base64 .*", lines[3])[0]
        assert run_program(machine.tools / "bash", "-c", input_of).stdout == "input"


def is_running(pid):
    """A zombie that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# One as a compiler is, one in a group of its own as ninja has them, one that does not want to end.
SLOW_BUILD = """
[[ $1 == --build ]] || exit 0
sleep 600 & one=$!
setsid sleep 600 & two=$!
bash -c 'trap "" TERM; sleep 600; sleep 600' & three=$!
echo $$ $one $two $three >"{pids}.new"
mv "{pids}.new" "{pids}"
wait
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_who_ends_it_ends_what_it_has_started(machine, tmp_path, number):
    pids = tmp_path / "pids"
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", SLOW_BUILD.format(pids=pids))
    process = machine.start("build")
    wait_until(pids.exists)
    started = [int(pid) for pid in pids.read_text().split()]
    assert len(started) == 4 and all(is_running(pid) for pid in started)
    try:
        process.send_signal(number)
        assert process.wait(20) == -number
        wait_until(lambda: not any(is_running(pid) for pid in started), 2)
    finally:
        for pid in [process.pid, *started]:
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)


def test_clean_keeps_folders_that_it_did_not_make(machine):
    machine.build.mkdir()
    (machine.build / "thesis.tex").touch()
    assert "was not made by ./run" in run_clean(machine).stderr
    assert (machine.build / "thesis.tex").exists()


def test_clean_removes_what_it_made(machine):
    machine.fake("dpkg-query", "echo installed")
    machine.fake("cmake", "exit 1")
    machine.run("build")
    assert machine.build.exists()
    run_clean(machine)
    assert not machine.build.exists()


def run_clean(machine):
    """From a copy of the script: the tree that is tested keeps its out/."""
    copy = machine.bin.parent / "copy"
    shutil.copytree(ROOT / "tests" / "run", copy / "tests" / "run")
    shutil.copy(ROOT / "run", copy / "run")
    return run_program(copy / "run", "clean", "--build-dir", machine.build)


def test_scripts_pass_shellcheck():
    tool = need_tool("shellcheck")
    scripts = [ROOT / "run", ROOT / ".ci" / "run", *sorted((ROOT / "tests" / "run").glob("*.sh"))]
    # Sourced parts use each other's variables, which shellcheck cannot see.
    run_program(tool, "-e", "SC2034,SC2153,SC1090,SC1091", *scripts)
