# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea-run --install and --uninstall: what lies where afterwards, and what is left alone (run_world.py)."""

import json
import os
import shutil
import stat

import pytest
from conftest import need_tool, run_program
from run_world import FILE, PLACE, line_of, bare, layer, make_layer, template, world  # noqa: F401

# ---- --install and --uninstall ---------------------------------------------------------------------------


def test_install_lets_the_loader_find_the_layer(world, layer):
    done = world.good("--install")
    assert f"installed {world.users}" in done.stdout and str(layer) in done.stdout
    manifest = json.loads(world.users.read_text())
    wanted = json.loads(world.text(layer))
    manifest.pop("fovea_run_made_folders")
    assert manifest["layer"].pop("description").startswith(wanted["layer"].pop("description"))
    assert manifest == wanted
    run_program(need_tool("vulkaninfo"), "--summary", env={**world.environment, "FOVEA_ENABLE": "1"})
    assert world.was_there()
    assert stat.S_IMODE(world.users.stat().st_mode) == 0o644 and os.listdir(world.users.parent) == [FILE]
    assert "renewed" in world.good("--install").stdout
    assert world.good("--uninstall").stdout == f"took away {world.users}\n"
    assert not world.users.exists()
    assert "nothing to do" in world.good("--uninstall").stdout


def test_install_follows_the_users_folder_of_data(world):
    world.good("--install", XDG_DATA_HOME=world.home / "data", HOME=None)
    path = world.home / "data" / PLACE / FILE
    assert path.exists()
    world.good("--uninstall", XDG_DATA_HOME=world.home / "data", HOME=None)
    assert not path.exists()


def test_uninstall_takes_away_the_folders_that_install_has_made(world):
    data = world.home / "one" / "two"
    data.parent.mkdir()
    place = data / PLACE
    for others in [None, place / "other.json", place.parent / "other.json"]:
        world.good("--install", XDG_DATA_HOME=data)
        assert place.exists()
        if others:
            others.touch()
        world.good("--install", XDG_DATA_HOME=data)
        world.good("--uninstall", XDG_DATA_HOME=data)
        assert not (place / FILE).exists()
        if others:
            assert others.exists() and list(data.rglob("*.json")) == [others]
            assert place.exists() == (others.parent == place)
            shutil.rmtree(data)
        else:
            assert not data.exists()
        assert data.parent.exists(), "it was there before"


def test_uninstall_leaves_folders_that_were_there(world):
    world.users.parent.mkdir(parents=True)
    world.good("--install")
    world.good("--uninstall")
    assert world.users.parent.exists() and os.listdir(world.users.parent) == []


@pytest.mark.parametrize("count", [-1, 1e9, "many", None, 64])
def test_uninstall_takes_no_folder_with_something_in_it(world, count):
    world.users.parent.mkdir(parents=True)
    world.good("--install")
    manifest = json.loads(world.users.read_text())
    world.users.write_text(json.dumps({**manifest, "fovea_run_made_folders": count}))
    (world.home / "letter").touch()
    world.good("--uninstall")
    assert (world.home / "letter").exists() and not world.users.exists()
    assert world.users.parent.exists() == (count != 64)


def test_install_makes_libraries_absolute(world, layer):
    relative = world.place(world.prefix / "share", "../../../lib/libVkLayer_fovea.so")
    (world.prefix / "lib").mkdir()
    shutil.copy(layer, world.prefix / "lib")
    world.good("--install")
    installed = json.loads(world.users.read_text())["layer"]["library_path"]
    assert installed == str((relative.parent / "../../../lib/libVkLayer_fovea.so").resolve())


def test_install_renews_what_is_stale(world, layer):
    world.good("--install")
    text = world.users.read_text()
    world.users.write_text(text.replace(str(layer), "/nowhere.so"))
    assert "renews" in line_of(world.run("--check"), "manifest")[1]
    world.good("--install")
    assert world.users.read_text() == text


@pytest.mark.parametrize("variables, said", [
    ({"HOME": None}, "neither XDG_DATA_HOME nor HOME"),
    ({"HOME": ""}, "neither XDG_DATA_HOME nor HOME"),
    ({"HOME": "relative"}, "neither XDG_DATA_HOME nor HOME"),
    ({"XDG_DATA_HOME": "data"}, "no absolute path"),
    ({"XDG_DATA_HOME": "/dev/null"}, "/dev/null"),
    ({"XDG_DATA_HOME": "/proc/nowhere"}, "/proc/nowhere"),
    ({"XDG_DATA_HOME": "/" + "x" * 5000}, ""),
])  # fmt: skip
def test_places_that_cannot_be_are_told(world, variables, said):
    done = world.run("--install", **variables)
    assert done.returncode == 1 and said in done.stderr and done.stdout == ""
    if "/proc" not in said and said:
        assert world.run("--uninstall", **variables).returncode == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_must_not_be_written_is_told(world):
    world.users.parent.mkdir(parents=True)
    world.users.parent.chmod(0o555)
    done = world.run("--install")
    assert done.returncode == 1 and "cannot be written: Permission denied" in done.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"layer": {"name": "VK_LAYER_OTHER"}}', "manifest", "x" * (2 << 20)])
def test_files_of_others_are_left_alone(world, layer, text):
    """Also a manifest of ours that somebody else has put there, as a package would."""
    text = world.text(layer) if text == "manifest" else text
    world.users.parent.mkdir(parents=True)
    world.users.write_text(text)
    for flag in ["--install", "--uninstall"]:
        done = world.run(flag)
        assert done.returncode == 1 and "not from fovea-run; it is left as it is" in done.stderr
        assert world.users.read_text() == text


@pytest.mark.parametrize("target", ["there", "dangling", "folder"])
def test_links_are_left_alone(world, target):
    world.good("--install")
    aim = world.home / "aim"
    if target == "there":
        world.users.rename(aim)
    elif target == "folder":
        aim.mkdir()
    world.users.unlink(missing_ok=True)
    world.users.symlink_to(aim)
    for flag in ["--install", "--uninstall"]:
        done = world.run(flag)
        assert done.returncode == 1 and "symbolic link" in done.stderr
        assert world.users.is_symlink() and aim.exists() == (target != "dangling")


def test_installation_that_the_loader_finds_needs_no_second(world):
    done = world.good("--install", XDG_DATA_DIRS=world.prefix / "share")
    assert "nothing to do" in done.stdout and not world.users.exists()


def test_installation_in_the_users_folder_is_not_ours_to_take_away(bare, layer):
    """cmake --install --prefix ~/.local writes to the same place."""
    bare.prefix.rename(bare.home / ".local")
    bare.program = bare.home / ".local" / "bin" / "fovea-run"
    bare.place(bare.home / ".local" / "share", layer)
    assert "nothing to do" in bare.good("--install").stdout
    assert bare.run("--uninstall").returncode == 1 and bare.users.exists()


def test_nothing_to_install(bare):
    done = bare.run("--install")
    assert done.returncode == 1 and "not installed as a whole" in done.stderr
    bare.place(bare.prefix / "share", "/nowhere/libVkLayer_fovea.so")
    done = bare.run("--install")
    assert done.returncode == 1 and "/nowhere/libVkLayer_fovea.so" in done.stderr
