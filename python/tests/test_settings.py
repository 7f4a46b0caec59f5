# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What settings take, and what is said of those that are wrong."""

import errno
import os
import warnings

import numpy as np
import pytest

import fovea


def test_a_missing_file_is_python_s_own_error(tmp_path):
    for name in ("nope.json", str(tmp_path / "nope")):
        with pytest.raises(FileNotFoundError) as caught:
            fovea.Foveator(name)
        assert caught.value.errno == errno.ENOENT and caught.value.filename.endswith(name)
    with pytest.raises(IsADirectoryError):
        fovea.Foveator(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(OSError, match=r"^[^:]*pipe\.json: expected a file; found a pipe"):
        fovea.Foveator(tmp_path / "pipe.json")
    with pytest.raises(OSError, match="it is not a file"):
        fovea.Foveator({"operators": "lens", "lens.file": tmp_path / "pipe.json"}).open()


@pytest.mark.parametrize(
    "config, text",
    [
        ({"foveation.strenght": 2}, 'foveation.strenght: unknown key; did you mean "strength"?'),
        ({"foveation": {"strenght": 'a": b'}}, 'foveation.strenght: unknown key; did you mean "strength"?'),
        ({"lens.file": "/\udcff"}, "lens.file: '/\\udcff' is not UTF-8, as settings are"),
        ({"foveation.strength": -1}, "foveation.strength: expected a number, 0 to 8; found -1"),
    ],
)
def test_what_is_wrong_is_said_once(config, text):
    with pytest.raises(fovea.ConfigError) as caught:
        fovea.Foveator(config)
    assert str(caught.value) == text


def test_a_file_says_where_it_is_wrong_once(tmp_path):
    (tmp_path / "a.json").write_text('{"foveation": {"strenght": 2}}')
    with pytest.raises(fovea.ConfigError) as caught:
        fovea.Foveator(tmp_path / "a.json")
    assert str(caught.value) == f'{tmp_path / "a.json"}:1:16: foveation.strenght: unknown key; did you mean "strength"?'


def test_a_name_that_is_no_model_may_have_been_a_file():
    for make in (fovea.Foveator, lambda name: fovea.foveate(np.zeros((8, 8, 3), np.uint8), config=name)):
        with pytest.raises(fovea.ConfigError, match=r'found "my_config" \(or a file: a path, or a name ending in .json\)'):
            make("my_config")
    with pytest.raises(fovea.ConfigError) as caught:
        fovea.Foveator({"foveation.model": "my_config"})
    assert "a file" not in str(caught.value)


def test_numpy_s_values_are_settings():
    given = {"foveation.strength": np.float32(0.5), "cpu_threads": np.int64(2), "overlay": {"marker": np.bool_(True)}}
    wanted = {"foveation.strength": 0.5, "cpu_threads": 2, "overlay.marker": True}
    assert fovea.Foveator(given) == fovea.Foveator(wanted)
    points, view = [[0, 2], [10, 0.5]], {"foveation.model": "curve", "foveation.geometry.ppd": 4}
    maps = [fovea.Foveator({**view, "foveation.curve": curve}).sigma_map((99, 9)) for curve in (np.array(points), points)]
    assert maps[0].max() > 1 and (maps[0] == maps[1]).all()
    with pytest.raises(fovea.ConfigError, match=r"foveation.strength: expected a number, 0 to 8; found \[0.0"):
        fovea.Foveator({"foveation.strength": np.zeros(3)})
    with pytest.raises(TypeError, match="foveation.strength: .* is nothing that JSON holds"):
        fovea.Foveator({"foveation.strength": 1j})


def test_tracers_are_no_settings():
    jax = pytest.importorskip("jax", minversion="0.5")
    with pytest.raises(TypeError, match="foveation.strength: settings are constants of a program"):
        jax.jit(lambda strength: fovea.Foveator({"foveation.strength": strength}) and strength)(2.0)


@pytest.mark.parametrize(
    "config, said",
    [
        ({"blur.edge": 0.1, "blur.file": "nowhere.txt"}, 'blur.edge (blur.engine "diffusion" would), blur.file (blur.engine "fft" would)'),
        ({"blur.edge": 0.2, "blur.engine": "diffusion"}, None),
        ({"foveation.physical.alpha": 0.2}, 'foveation.model "relative" does not use foveation.physical.alpha'),
        ({"foveation.strength": 2}, None),
    ],
)
def test_settings_that_do_nothing_are_said_once(config, said):
    config = {"operators": ["foveate", "blur"], **config}
    for count in (1, 0):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fovea.Foveator(config)
        assert len(caught) == (count if said else 0)
        assert all(said in str(one.message) and one.filename == __file__ for one in caught)
