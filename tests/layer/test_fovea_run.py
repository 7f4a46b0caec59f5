# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea-run: what a program gets, and what is said when something is missing (run_world.py)."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from conftest import need_tool, run_program
from run_world import FILE, HERE, NAME, PLACE, VERSION, line_of, bare, layer, make_layer, template, world  # noqa: F401

pytestmark = pytest.mark.turns(2)

# ---- The manifest ------------------------------------------------------------------------------------


def test_manifest_says_what_the_loader_wants(template, library):
    manifest = json.loads(template("/some/where.so"))
    layer = manifest["layer"]
    assert manifest["file_format_version"] == "1.2.0"
    assert (layer["name"], layer["type"], layer["library_path"]) == (NAME, "GLOBAL", "/some/where.so")
    assert layer["enable_environment"] == {"FOVEA_ENABLE": "1"}
    assert layer["disable_environment"] == {"FOVEA_DISABLE": "1"}
    assert re.fullmatch(r"1\.3\.\d+", layer["api_version"]) and len(layer["description"]) < 256


def test_manifest_of_the_build_is_of_its_version(build_dir):
    path = build_dir / "plugin" / "layer" / "run" / "share" / PLACE / FILE
    layer = json.loads(path.read_text())["layer"]
    assert layer["implementation_version"] == str(VERSION)
    assert Path(layer["library_path"]).name == "libVkLayer_fovea.so"


# ---- Starting a program --------------------------------------------------------------------------------


def test_program_gets_the_layer(world):
    world.good(need_tool("vulkaninfo"), "--summary")
    assert set(world.was_there()) == {"here"}


def test_folder_with_spaces(bare, layer, tmp_path):
    moved = tmp_path / "with a space"
    bare.place(bare.prefix / "share", layer)
    bare.prefix.rename(moved)
    bare.program = moved / "bin" / "fovea-run"
    bare.good(need_tool("vulkaninfo"), "--summary")
    assert bare.was_there()


def test_only_what_is_needed_changes(world):
    before = world.variables(), {**world.environment}
    assert {k for k in before[0] if k not in before[1]} - {"_", "PWD", "SHLVL"} == {"FOVEA_ENABLE", "XDG_DATA_DIRS"}
    assert before[0]["XDG_DATA_DIRS"] == f"/usr/local/share:/usr/share:{world.prefix / 'share'}"
    assert world.variables(XDG_DATA_DIRS="/x")["XDG_DATA_DIRS"] == f"/x:{world.prefix / 'share'}"


def test_the_layer_for_headsets_is_enabled_beside_others(world):
    place = Path("openxr/1/api_layers/explicit.d")
    own = world.prefix / "share" / place
    assert not [name for name in world.variables() if name.startswith("XR_")]
    mark, text = line_of(world.run("--check"), "headsets")
    assert mark == "note" and "libopenxr-dev" in text
    own.mkdir(parents=True)
    (own / "XrApiLayer_FOVEA.json").write_text("{}")
    assert line_of(world.run("--check"), "headsets") == ("ok", f"XR_APILAYER_FOVEA, {own}/XrApiLayer_FOVEA.json")
    found = world.variables()
    folders = found["XR_API_LAYER_PATH"].split(":")
    assert found["XR_ENABLE_API_LAYERS"] == "XR_APILAYER_FOVEA"
    assert folders[-1] == str(own) and f"/usr/share/{place}" in folders  # where the loader looks without the variable
    found = world.variables(XDG_CONFIG_DIRS="/conf:/more", XDG_DATA_DIRS="/data", XDG_DATA_HOME="/home/own")
    places = ["/conf", "/more", "/etc", "/data", "/home/own"]
    assert found["XR_API_LAYER_PATH"].split(":") == [f"{place}/openxr/1/api_layers/explicit.d" for place in places] + [str(own)]
    found = world.variables(XR_API_LAYER_PATH="/x", XR_ENABLE_API_LAYERS="XR_other")
    assert found["XR_API_LAYER_PATH"] == f"/x:{own}"
    assert found["XR_ENABLE_API_LAYERS"] == "XR_APILAYER_FOVEA:XR_other"
    for others in ("XR_APILAYER_FOVEA_debug", "MY_XR_APILAYER_FOVEA:XR_other"):
        assert world.variables(XR_ENABLE_API_LAYERS=others)["XR_ENABLE_API_LAYERS"] == f"XR_APILAYER_FOVEA:{others}"
    for enabled in ("XR_APILAYER_FOVEA", "XR_other:XR_APILAYER_FOVEA", "XR_APILAYER_FOVEA:XR_APILAYER_FOVEA_debug"):
        assert world.variables(XR_ENABLE_API_LAYERS=enabled).get("XR_ENABLE_API_LAYERS", enabled) == enabled


def test_manifest_that_the_loader_finds_is_enough(world, make_layer):
    world.place(world.home / ".local" / "share", make_layer("users"))
    assert "XDG_DATA_DIRS" not in world.variables()
    world.good(need_tool("vulkaninfo"), "--summary")
    assert set(world.was_there()) == {"users"}


def test_stale_manifest_does_not_stand_in_the_way(world):
    world.place(world.home / ".local" / "share", "/nowhere/libVkLayer_fovea.so")
    world.good(need_tool("vulkaninfo"), "--summary")
    assert set(world.was_there()) == {"here"}


def test_wrong_value_of_the_switch_is_set_right(world):
    assert world.variables(FOVEA_ENABLE="yes")["FOVEA_ENABLE"] == "1"


def test_arguments_and_input_are_the_programs_own(world):
    done = world.good("--", "sh", "-c", 'printf "<%s>" "$@"; pwd', "sh", "--check", "--set", "a b", "")
    assert done.stdout == f"<--check><--set><a b><>{world.home}\n"
    assert "GNU" in world.good("env", "--version").stdout


def test_process_status_and_signals_are_the_programs_own(world):
    assert world.run("sh", "-c", "exit 7").returncode == 7
    assert world.run("sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    with subprocess.Popen(["env", "--default-signal=INT", world.program, "sh", "-c", "echo $$; read line"],
                          env=world.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:  # fmt: skip
        assert int(program.stdout.readline()) == program.pid
        program.send_signal(signal.SIGINT)
        assert program.wait(10) == -signal.SIGINT


def test_no_file_of_ours_stays_open_in_the_program(world):
    plain = run_program("ls", "/proc/self/fd", env=world.environment)
    assert world.good("ls", "/proc/self/fd").stdout == plain.stdout


# ---- Settings ------------------------------------------------------------------------------------------


def test_config_is_handed_on_with_its_whole_path(world):
    (world.home / "my own.json").write_text('{"version": 1}')
    assert world.variables("--config", "my own.json")["FOVEA_CONFIG"] == f"{world.home}/my own.json"
    assert world.variables("--config", f"{world.home}/my own.json", FOVEA_CONFIG="/no/such")["FOVEA_CONFIG"] == (
        f"{world.home}/my own.json")  # fmt: skip


def test_sets_are_appended(world):
    given = world.variables("--set", "foveation.strength=2", "--set", "gaze.fixed={\"x\": 0, \"y\": 1}",
                            FOVEA_SET="overlay.hud=true")  # fmt: skip
    assert given["FOVEA_SET"] == 'overlay.hud=true,foveation.strength=2,gaze.fixed={"x": 0, "y": 1}'
    assert world.variables("--set", "overlay.hud=true", FOVEA_SET="")["FOVEA_SET"] == "overlay.hud=true"
    assert "FOVEA_SET" not in world.variables()
    assert world.variables("--frozen", "--set", "backend=cpu")["FOVEA_SET"] == "layer.frozen=true,backend=cpu"


@pytest.mark.parametrize("word", ["a,b.csv", "b[a", "a]{,b", 'a"b', "a\\b,c", "über, uns.csv", "a=b", "a b"])
def test_bare_words_come_through_a_list(world, word):
    """What the library makes of FOVEA_SET is what --set said: the file's name, in its complaint."""
    sets = ["--set", "gaze.source=scanpath", "--set", f"gaze.scanpath.file={word}", "--set", "foveation.strength=2"]
    handed = world.variables(*sets)["FOVEA_SET"]
    done = world.run("--check", FOVEA_SET=handed)
    assert line_of(done, "configuration")[1] == "defaults, FOVEA_SET"
    assert line_of(done, "gaze") == line_of(world.run("--check", *sets), "gaze")
    assert word.split('"')[0].split("\\")[0] in line_of(done, "gaze")[1]


@pytest.mark.parametrize("words, said", [
    (["--config", "/no/such.json"], "/no/such.json: No such file or directory"),
    (["--config", "wrong.json"], "wrong.json:1:"),
    (["--config", "."], "fovea-run: "),
    (["--set", "foveation.strenght=2"], 'did you mean "strength"?'),
    (["--set", "foveation.strength=99"], "foveation.strength"),
    (["--set", "foveation.strength"], "expected key.path=value"),
    (["--set", "=1"], "expected key.path=value"),
    (["--config"], "--config needs a value"),
    (["--config="], "--config needs a file"),
    (["--set"], "--set needs a value"),
    (["--check=yes"], "--check=yes: this flag takes no value"),
    (["--nope"], "there is no flag --nope"),
    (["-x"], "there is no flag -x"),
    (["--check", "--install"], "--check and --install do not go together"),
    (["--install"], "--install takes neither settings nor a program"),
    (["--provide-gaze"], "--provide-gaze: there is no XrApiLayer_FOVEA.json"),
    (["--print-env"], "--print-env starts no program"),
    (["--frozen"], "name the backend, as in --set backend=vulkan"),
])  # fmt: skip
def test_wrong_command_lines_start_nothing(world, words, said):
    (world.home / "wrong.json").write_text('{"foveation": {"strength": "much"}}')
    done = world.run(*words, *([] if words in (["--config"], ["--set"]) else ["touch", "started"]))
    assert done.returncode == 125
    assert said in done.stderr and done.stdout == ""
    assert all(line.startswith("fovea-run: ") for line in done.stderr.splitlines())
    assert not (world.home / "started").exists()


def test_settings_for_single_programs_are_looked_at_before_they_start(world):
    (world.home / "fovea.json").write_text('{"apps": {"exe:game*": {"backend": "cdua"}}}')
    done = world.run("true")
    assert done.returncode == 125 and "cdua" in done.stderr


def test_without_a_program(world):
    for words in [[], ["--"], ["--set", "overlay.hud=true"]]:
        done = world.run(*words)
        assert done.returncode == 125 and "which program?" in done.stderr


def test_programs_that_cannot_be_started_end_as_with_env(world):
    (world.home / "text").write_text("no program")
    for name, status in [("no-such-program", 127), ("./no-such", 127), ("./text", 126), (world.home, 126)]:
        done = world.run(name)
        assert done.returncode == status == world.run("env", name).returncode
        assert done.stderr.startswith(f"fovea-run: {name}: ") and done.stderr.count("\n") == 1


def test_without_a_layer_nothing_is_started(bare):
    done = bare.run("touch", "started")
    assert done.returncode == 125 and "the layer is not there" in done.stderr
    assert not (bare.home / "started").exists()
    bare.place(bare.prefix / "share", "/nowhere/libVkLayer_fovea.so")
    done = bare.run("true")
    assert done.returncode == 125 and "/nowhere/libVkLayer_fovea.so: No such file" in done.stderr


def test_folders_that_no_list_can_hold_are_told(bare, layer):
    bare.place(bare.prefix / "share", layer)
    bare.program = bare.prefix.rename(bare.home / "a:b") / "bin" / "fovea-run"
    done = bare.run("true")
    assert done.returncode == 125 and "fovea-run --install mends it" in done.stderr
    bare.good("--install")
    bare.good("true")


def test_what_is_no_regular_file_is_not_waited_for(world):
    world.users.parent.mkdir(parents=True)
    os.mkfifo(world.users)
    os.mkfifo(world.home / "config")
    assert world.good("echo", "started").stdout == "started\n"
    done = world.run("--config", "config", "true")
    assert done.returncode == 125 and "config" in done.stderr
    assert world.run("--install").returncode == 1


def test_working_directory_that_is_gone_is_told(world):
    (world.home / "config").write_text("{}")
    script = f'mkdir gone && cd gone && rmdir ../gone && exec {world.program} --config ../config true'
    done = run_program("sh", "-c", script, env=world.environment, cwd=world.home, check=False)
    assert done.returncode == 125 and done.stderr.startswith("fovea-run: ")


@pytest.mark.parametrize("variables, said", [
    ({"FOVEA_DISABLE": "1"}, "FOVEA_DISABLE is set"),
    ({"VK_LOADER_LAYERS_DISABLE": "x,~implicit~"}, "~implicit~"),
    ({"VK_LOADER_LAYERS_DISABLE": "*fovea*"}, "*fovea*"),
    ({"VK_LOADER_LAYERS_DISABLE": "~all~", "VK_LOADER_LAYERS_ENABLE": NAME}, ""),
    ({"VK_LOADER_LAYERS_DISABLE": "~explicit~,*MANGO*"}, ""),
])  # fmt: skip
def test_what_switches_the_layer_off_is_told(world, variables, said):
    done = world.good(need_tool("vulkaninfo"), "--summary", **variables)
    ours = [line for line in done.stderr.splitlines() if line.startswith("fovea-run: ")]
    assert len(ours) == (1 if said else 0) and said in "".join(ours)
    assert bool(world.was_there()) == (not said)


def test_set_user_id_is_told(world):
    program = shutil.copy(shutil.which("true"), world.home / "mine")
    program.chmod(0o4755)
    done = world.good("./mine")
    assert "another user" in done.stderr
    assert line_of(world.run("--check", "./mine"), "program")[0] == "NO"


@pytest.mark.parametrize("name", ["steam", "kwin_wayland", "gamescope-wl", "fovea_demo"])
def test_programs_that_the_layer_stays_out_of_are_told(world, name):
    """By the same list as the layer's."""
    shutil.copy(shutil.which("true"), world.home / name)
    mark, text = line_of(world.run("--check", f"./{name}"), "program")
    assert mark == "NO" and "stays out of" in text
    shutil.copy(shutil.which("true"), world.home / f"my{name}")
    assert line_of(world.run("--check", f"./my{name}"), "program")[0] == "note"


def test_scripts_are_known_by_their_own_name(world):
    script = world.home / "lutris"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    for command in ["./lutris"], ["python3", "-u", "./lutris"]:
        assert "stays out of" in line_of(world.run("--check", *command), "program")[1], command
    assert line_of(world.run("--check", "python3", "./game", "lutris"), "program")[0] == "note"


# ---- Other modes ---------------------------------------------------------------------------------------


def test_print_env_is_for_a_shell(world):
    shown = world.good("--print-env", "--set", "gaze.scanpath.file=it's").stdout
    script = f"{shown}\nprintf '%s|' \"$FOVEA_ENABLE\" \"$FOVEA_SET\" \"$XDG_DATA_DIRS\"; vulkaninfo --summary >/dev/null"
    done = run_program("sh", "-c", script, env=world.environment)
    assert done.stdout == f"1|gaze.scanpath.file=it's|/usr/local/share:/usr/share:{world.prefix / 'share'}|"
    assert world.was_there()
    assert world.run("--print-env", "--set", "nonsense=1").returncode == 125


def test_help_names_every_flag(world, root):
    text = world.good("--help").stdout
    source = (root / "plugin" / "layer" / "run" / "options.c").read_text()
    flags = re.findall(r'\{"([a-z-]+)", (?:no|required)_argument', source)
    assert len(flags) == 12
    assert [flag for flag in flags if f"--{flag}" not in text] == []
    assert max(len(line) for line in text.splitlines()) <= 100
    assert world.good("--version").stdout == "fovea-run 0.2.0\n"


def test_output_that_cannot_be_written_is_told(world):
    with open("/dev/full", "w") as full:
        done = subprocess.run([world.program, "--version"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 125 and "standard output" in done.stderr


# ---- --check -------------------------------------------------------------------------------------------


def test_check_of_what_is_as_it_should_be(world, layer):
    world.good("--install")
    done = world.good("--check", "vulkaninfo")
    assert done.stdout.endswith("\nA Vulkan program that fovea-run starts is foveated.\n")
    mark, text = line_of(done, "loader")
    assert mark == "ok" and re.fullmatch(r"Vulkan 1\.\d+\.\d+, /\S+libvulkan\.so\.1", text)
    assert line_of(done, "manifest") == ("ok", str(world.users))
    assert line_of(done, "layer") == ("ok", f"{layer}, loaded")
    assert line_of(done, "device")[0] in ("ok", "note") and "(" in line_of(done, "device")[1]
    assert line_of(done, "configuration") == ("ok", "defaults")
    assert line_of(done, "gaze") == ("ok", "the pointer")
    assert line_of(done, "program") == ("ok", shutil.which("vulkaninfo"))
    assert line_of(done, "cuda")[0] in ("ok", "note")
    assert done.stderr == "" and " version " not in done.stdout
    assert world.was_there()


def test_check_of_an_installation_that_the_loader_does_not_find(world):
    mark, text = line_of(world.good("--check"), "manifest")
    assert mark == "ok" and str(world.prefix) in text and "fovea-run --install" in text
    assert world.was_there()


def absent(done, what, said):
    assert done.returncode == 1
    mark, text = line_of(done, what)
    assert mark == "NO" and said in text, text
    end = done.stdout.splitlines()[-1]
    if what == "program" and len(re.findall(r"^  NO  ", done.stdout, re.MULTILINE)) == 1:
        assert re.fullmatch(r"\S+ would not be foveated; other Vulkan programs would be\.", end), end
    else:
        assert end.startswith("No program is foveated: ")


def noted(done, what, said):
    assert done.returncode == 0, done.stdout
    assert re.search(rf"^  note +{re.escape(what)} .*{re.escape(said)}", done.stdout, re.MULTILINE), done.stdout


def test_check_without_a_layer(bare, tmp_path):
    absent(bare.run("--check"), "manifest", "nor beside fovea-run")
    bare.place(bare.prefix / "share", "/nowhere/libVkLayer_fovea.so")
    absent(bare.run("--check"), "manifest", "/nowhere/libVkLayer_fovea.so: No such file")
    text = tmp_path / "libVkLayer_fovea.so"
    text.write_text("no library")
    bare.place(bare.prefix / "share", text)
    absent(bare.run("--check"), "layer", "its library cannot be used: ")
    run_program("cc", "-shared", "-x", "c", "/dev/null", "-o", text)
    absent(bare.run("--check"), "layer", "it is no Vulkan layer")


def test_check_of_a_layer_that_crashes(bare, make_layer):
    bare.place(bare.prefix / "share", make_layer("crash", VERSION, "-DSTAND_IN_CRASHES"))
    absent(bare.run("--check"), "loader", f"signal {int(signal.SIGABRT)}")


def test_check_of_a_manifest_that_cannot_be_switched(world, layer):
    path = world.place(world.home / ".local" / "share", layer)
    path.write_text(path.read_text().replace("FOVEA_DISABLE", "OTHER_DISABLE"))
    noted(world.run("--check"), "manifest", "not switched off by FOVEA_DISABLE")
    path.write_text(world.text(layer).replace('"FOVEA_ENABLE": "1"', '"FOVEA_ENABLE": "yes"'))
    noted(world.run("--check"), "manifest", "not switched on by FOVEA_ENABLE=1")


def test_check_tells_other_versions(bare, make_layer):
    bare.place(bare.prefix / "share", make_layer("old", 7), version=VERSION)
    noted(bare.run("--check"), "version", "the manifest is of version 2000, its library of 7")
    bare.place(bare.prefix / "share", make_layer("old", 7), version=7)
    noted(bare.run("--check"), "version", "the layer is of version 7, fovea-run of 2000")


def test_check_tells_a_second_fovea(world, layer, make_layer):
    data = [world.home / "a", world.home / "b"]
    environment = {"XDG_DATA_DIRS": f"{data[0]}:{data[1]}:{data[0]}"}
    world.place(data[0], layer)
    assert world.good("--check", **environment).stdout.count(" manifest ") == 1
    world.place(data[1], layer)
    noted(world.run("--check", **environment), "manifest", "names the same library again")
    other = make_layer("other")
    world.place(data[1], other)
    noted(world.run("--check", **environment), "manifest", f"{data[1] / PLACE / FILE} is a second Fovea, with {other}")
    world.place(data[0], "/gone.so", name="old.json")
    noted(world.run("--check", **environment), "manifest", "/gone.so: No such file or directory; remove it")


@pytest.mark.parametrize("variables, what, said", [
    ({"FOVEA_DISABLE": "0"}, "layer", "FOVEA_DISABLE is set"),
    ({"VK_LOADER_LAYERS_DISABLE": "~implicit~"}, "layer", "VK_LOADER_LAYERS_DISABLE has ~implicit~"),
    ({"VK_DRIVER_FILES": "/no.json", "VK_ICD_FILENAMES": "/no.json"}, "layer", "Vulkan makes no instance"),
    ({"VK_DRIVER_FILES": "/no.json", "VK_ICD_FILENAMES": "/no.json"}, "device", "Vulkan finds none"),
    ({"FOVEA_SET": "backend=cuda", "LD_LIBRARY_PATH": "."}, "cuda", "backend is cuda"),
    ({"FOVEA_SET": "backend=cdua"}, "configuration", "cdua"),
    ({"FOVEA_CONFIG": "/no/such.json"}, "configuration", "/no/such.json"),
    ({"FOVEA_SET": "gaze.source=scanpath,gaze.scanpath.file=/no.csv"}, "gaze", "/no.csv"),
    ({"FOVEA_SET": "lens.file=/no.json"}, "lens.file", "/no.json: No such file"),
    ({"FOVEA_SET": "record.file=/no/look"}, "record.file", "/no/: No such file"),
    ({"FOVEA_SET": "record.file=/tmp"}, "record.file", "/tmp is a folder"),
    ({"FOVEA_SET": "layer.frozen=true"}, "layer.frozen", "the backend is to be named"),
    ({"FOVEA_SET": "operators=dof"}, "operators", "dof needs depths"),
    ({"FOVEA_SET": "operators=blur,blur.engine=fft"}, "operators", "blur.engine fft does not run on the vulkan backend"),
    ({"FOVEA_SET": "operators=blur,blur.engine=diffusion,blur.sigma_px=9"}, "operators", "diffusion goes up to 8 on"),
    ({"FOVEA_SET": "operators=lens,lens.r2=-1"}, "operators", "fold"),
])  # fmt: skip
def test_check_tells_what_stands_in_the_way(world, variables, what, said):
    if what == "cuda":
        broken = world.home / "libcuda.so.1"
        run_program("cc", "-shared", "-x", "c", "/dev/null", "-o", broken)  # where there is a driver too
    absent(world.run("--check", **variables), what, said)


def test_check_of_a_record_makes_no_file(world):
    look = world.home / "sub-01_task-look"
    done = world.good("--check", "--set", f"record.file={look}")
    assert line_of(done, "record.file")[0] == "ok" and not list(world.home.glob("sub-01*")), done.stdout


@pytest.mark.parametrize("text, said", [
    ('{"fovea-lens": 1, "polynomial": {"green": [1, 0, 0]}}', "lens:1:52: there are 3 numbers; there must be 5"),
    ("", "lens:1:1: expected "),
    (None, "lens cannot be read: No such file or directory"),
    ("i w8 h8 a0 b-0.5 c0", "the map folds back"),
])  # fmt: skip
def test_check_reads_a_lens(world, text, said):
    if text is not None:
        (world.home / "lens").write_text(text)
    file = ["--set", f"lens.file={world.home}/lens"]
    absent(world.run("--check", *file, "--set", "operators=foveate,lens"), "lens.file", said)
    assert text is None or world.good("--check", *file)  # the operators do not list it


def test_check_reads_a_lens_that_is_right(world):
    lens = '{"polynomial": {"green": [1, 0, 0.1, 0, 0]}}'
    (world.home / "both").write_text("i w8 h8 a0 b0.02 c0")
    (world.home / "each").write_text(f'{{"fovea-lens": 1, "left": {lens}, "right": {lens}}}')
    sets = ["--set", "operators=foveate,lens", "--set"]
    assert "lens.file" not in world.good("--check", *sets, f"lens.file={world.home}/both").stdout
    sets.append(f"lens.file={world.home}/each")
    absent(world.run("--check", *sets), "lens.file", "a lens for each eye; a view's eye says which one counts")
    assert "lens.file" not in world.good("--check", *sets, "--set", "foveation.map.eye=right").stdout
    assert "lens.file" not in world.good("--check", *sets, "--set", "gaze.source=openxr").stdout


@pytest.mark.parametrize("variables, what, said", [
    ({"FOVEA_ENABLE": "yes"}, "FOVEA_ENABLE", 'is "yes"; only 1'),
    ({"VK_IMPLICIT_LAYER_PATH": "/x"}, "loader", "VK_IMPLICIT_LAYER_PATH"),
    ({}, "pointer, keys", "DISPLAY is not set"),
    ({"DISPLAY": ":4242"}, "pointer, keys", "no X server answers there; the gaze stays in the middle"),
    ({"WAYLAND_DISPLAY": "wayland-0"}, "pointer, keys", "there is Wayland only"),
    ({"FOVEA_SET": "gaze.source=openxr"}, "gaze", "openxr is the source of programs for headsets"),
])  # fmt: skip
def test_check_tells_what_is_worth_knowing(world, variables, what, said):
    noted(world.run("--check", **variables), what, said)


def test_check_takes_settings_as_a_program_gets_them(world):
    (world.home / "fovea.json").write_text('{"apps": {"exe:game*": {"gaze": {"source": "saccades"}}}}')
    game, script, wine = (shutil.copy(shutil.which("true"), world.home / name) for name in ("game-1", "game.py", "wine"))
    script.write_text("#!/usr/bin/env python3\n")
    for command in [game], [script], ["python3", "-u", script], [wine, r"C:\my\game.exe"]:
        assert line_of(world.good("--check", *command), "gaze")[1] == "saccades, made up", command
    assert line_of(world.good("--check", "python3", "-c", "game"), "gaze")[1] == "the pointer"
    assert line_of(world.good("--check"), "gaze")[1] == "the pointer"
    fixed = ["--set", "gaze.source=fixed", "--set", "gaze.fixed.x=0.25"]
    assert line_of(world.good(*fixed, "--check"), "gaze")[1] == "fixed at 0.25, 0.5"


def test_check_of_a_port(world):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        sets = ["--set", "gaze.source=udp", "--set", f"gaze.udp.port={port}"]
        absent(world.run("--check", *sets), "gaze", str(port))
    assert line_of(world.good("--check", *sets), "gaze")[1] == f"datagrams at 127.0.0.1, UDP port {port}"


def test_check_of_programs(world):
    absent(world.run("--check", "no-such-program"), "program", "no-such-program is not there")
    (world.home / "text").write_text("no program")
    absent(world.run("--check", "./text"), "program", "./text cannot be executed")
    narrow = world.home / "narrow"
    narrow.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(64))
    narrow.chmod(0o755)
    absent(world.run("--check", "./narrow"), "program", "another word size")
    narrow.write_bytes(b"MZ" + bytes(64))
    absent(world.run("--check", "./narrow"), "program", "Wine runs it: fovea-run wine ./narrow")
    noted(world.good("--check", "true"), "program", "does not say what it draws with")
    assert line_of(world.good("--check", "vkcube"), "program")[0] == "ok"


def test_check_of_an_x_server(world):
    ours, theirs = os.pipe()
    with subprocess.Popen([need_tool("Xvfb"), "-displayfd", str(theirs)], pass_fds=[theirs], stderr=subprocess.DEVNULL) as x:
        os.close(theirs)
        display = ":" + os.read(ours, 16).decode().strip()
        try:
            assert line_of(world.good("--check", DISPLAY=display), "pointer, keys") == ("ok", f"X server {display}")
            noted(world.run("--check", DISPLAY=display, WAYLAND_DISPLAY="w"), "pointer, keys", "windows of Wayland")
            x.send_signal(signal.SIGSTOP)  # Mesa's choice of a device, a layer, would ask it too
            noted(world.run("--check", DISPLAY=display, NODEVICE_SELECT="1"), "pointer, keys", "does not answer within")
        finally:
            x.send_signal(signal.SIGCONT)
            x.terminate()
            os.close(ours)


def test_check_of_cuda(world):
    """By a driver that says what it is told."""
    if "built without it" in line_of(world.good("--check"), "cuda")[1]:
        pytest.skip("this build is without CUDA")
    run_program("cc", "-shared", "-fPIC", HERE / "fake_cuda_driver.c", "-o", world.home / "libcuda.so.1")
    shown = run_program(need_tool("vulkaninfo"), "--summary", env=world.environment).stdout
    uuid = re.search(r"deviceUUID += ([0-9a-f-]+)", shown)[1].replace("-", "")

    def cuda(**more):
        return line_of(world.good("--check", LD_LIBRARY_PATH=world.home, **more), "cuda")

    same = "driver for CUDA 12.8, Pretended GPU is also Vulkan's (same UUID)"
    assert cuda(FAKE_CUDA_UUID=uuid) == ("ok", same)
    for other in [uuid[::-1], "0" * 32]:
        mark, text = cuda(FAKE_CUDA_UUID=other)
        assert mark == "note" and "Pretended GPU is not among Vulkan's devices" in text
    assert "CUresult 100" in cuda(FAKE_CUDA_INIT="100")[1]


# ---- Programs that draw with OpenGL --------------------------------------------------------------------


@pytest.fixture
def build(tmp_path):
    """A program, or with a soname a library, that needs others of this folder."""
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")

    def make(name, *needed, soname=True):
        flags = ["-shared", "-fPIC", f"-Wl,-soname,{name}"] if soname else []
        run_program(need_tool("cc"), tmp_path / "main.c", *flags, "-o", tmp_path / name, "-Wl,--no-as-needed",
                    *(tmp_path / one for one in needed), "-Wl,-rpath,$ORIGIN")  # fmt: skip
        return tmp_path / name

    for name in ["libGL.so.1", "libEGL.so.1", "libvulkan.so.1"]:
        make(name)
    make("libtools.so.1", "libGL.so.1")
    make("libSDL2-2.0.so.0", "libEGL.so.1")
    return make


@pytest.mark.parametrize("needed, mark, said", [
    (["libGL.so.1"], "NO", "draws with OpenGL (libGL.so.1), of which"),
    (["libtools.so.1"], "NO", "draws with OpenGL (libGL.so.1 through libtools.so.1), of which"),
    (["libSDL2-2.0.so.0"], "note", "needs OpenGL (libEGL.so.1 through libSDL2-2.0.so.0) and may"),
    (["libGL.so.1", "libvulkan.so.1"], "ok", "game"),
    ([], "note", "does not say what it draws with"),
])  # fmt: skip
def test_what_a_program_needs_is_told(world, build, needed, mark, said):
    program = build("game", *needed, soname=False)
    done = world.run("--check", program)
    found = line_of(done, "program")
    assert found[0] == mark and said in found[1]
    assert done.returncode == (1 if mark == "NO" else 0)
    assert (f"fovea-run --zink {program}" in found[1]) == (mark != "ok")
    told = world.run(program)
    assert told.returncode == 0
    assert ("fovea-run --zink" in told.stderr) == (mark == "NO"), told.stderr
    for asked in [{"MESA_LOADER_DRIVER_OVERRIDE": "zink"}, {}]:
        flags = [] if asked else ["--zink"]
        assert line_of(world.run(*flags, "--check", program, **asked), "program")[0] == "ok"
        assert "OpenGL" not in world.run(*flags, program, **asked).stderr


def test_a_script_needs_what_its_interpreter_does(world, build, tmp_path):
    interpreter = build("draw", "libGL.so.1", soname=False)
    script = tmp_path / "script"
    script.write_text(f"#! {interpreter} -x\n")
    script.chmod(0o755)
    assert line_of(world.run("--check", script), "program")[0] == "NO"


def test_a_broken_program_is_nobodys_end(world, build, tmp_path):
    whole = build("game", "libGL.so.1", soname=False).read_bytes()
    for i in range(60):
        data = bytearray(whole[: len(whole) * i // 59])
        for k in range(i % 7):
            place = (i * 7919 + k * 104729) % min(len(data), 1200) if data else None
            if place is not None:
                data[place] ^= 0xFF
        broken = tmp_path / "broken"
        broken.write_bytes(bytes(data))
        broken.chmod(0o644)  # is looked at, and never started
        assert world.run(broken).returncode == 126


def test_zink_is_asked_for_in_the_environment(world):
    given = world.variables("--zink")
    assert given["MESA_LOADER_DRIVER_OVERRIDE"] == "zink" and given["__GLX_VENDOR_LIBRARY_NAME"] == "mesa"
    assert given["LIBGL_ALWAYS_SOFTWARE"] == "1" or LAVAPIPE_IS_NOT_ALONE
    assert "MESA_LOADER_DRIVER_OVERRIDE" not in world.variables()


LAVAPIPE_IS_NOT_ALONE = "lvp" not in os.environ.get("VK_DRIVER_FILES", "lvp")


# ---- Which layer ---------------------------------------------------------------------------------------


def test_another_layer_than_the_one_beside_is_told(world, make_layer):
    assert "beside" not in world.run("true").stderr
    other = make_layer("users")
    place = world.place(world.home / ".local" / "share", other)
    assert f"the layer is {other}, not the one beside this fovea-run" in world.run("true").stderr
    done = world.run("--check")
    assert done.returncode == 0
    assert re.search(r"^  note +layer +this is not the one beside fovea-run", done.stdout, re.MULTILINE), done.stdout
    place.unlink()
    assert "beside" not in world.run("--check").stdout + world.run("true").stderr


def test_help_names_the_frame_dump(world):
    assert "FOVEA_LAYER_DUMP" in world.good("--help").stdout


# ---- The order of layers -------------------------------------------------------------------------------


def test_above_puts_the_folder_of_the_layer_first(world, make_layer, tmp_path):
    own = world.prefix / "share"
    assert world.variables("--above")["XDG_DATA_DIRS"] == f"{own}:/usr/local/share:/usr/share"
    assert world.variables("--above", XDG_DATA_DIRS=f"/x:{own}:/y")["XDG_DATA_DIRS"] == f"{own}:/x:/y"
    other = tmp_path / "other"
    world.place(other, make_layer("installed"))
    assert world.variables("--above", XDG_DATA_DIRS=f"/x:{other}")["XDG_DATA_DIRS"] == f"{other}:/x"
    assert world.variables(XDG_DATA_DIRS=f"/x:{other}")["XDG_DATA_DIRS"] == f"/x:{other}"
    world.place(world.home / ".local" / "share", make_layer("users"))  # is searched before them all
    assert "XDG_DATA_DIRS" not in world.variables("--above")


@pytest.mark.parametrize("flags, order", [([], ["MANGOHUD", "FOVEA"]), (["--above"], ["FOVEA", "MANGOHUD"])])
def test_above_is_above_mangohud(world, flags, order):
    if not Path("/usr/share/vulkan/implicit_layer.d/MangoHud.json").exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("MangoHud is not here")
    done = world.run(*flags, need_tool("vulkaninfo"), MANGOHUD="1", VK_LOADER_DEBUG="layer")
    stack = done.stderr.split("vkCreateInstance layer callstack")[1]
    stack = stack[: stack.index("<Drivers>")] if "<Drivers>" in stack else stack[:1500]
    places = [stack.index(f"VK_LAYER_{name}") for name in order]
    assert places == sorted(places), stack
