# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the wrappers for Gymnasium say of what is wrong, and when."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import SyncVectorEnv  # noqa: E402

import fovea  # noqa: E402
import fovea.gym  # noqa: E402
from fovea import _gazes  # noqa: E402

MODES = ("absolute", "relative", "velocity", "grid")
PACKAGE = str(Path(fovea.__file__).parent.parent)
NAN, INF = float("nan"), float("inf")


class Still(gymnasium.Env):
    """Counts its steps."""

    def __init__(self, space=None):
        self.observation_space = space or gymnasium.spaces.Box(0, 255, (12, 16, 3), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.seen = 0, self.observation_space.sample()
        return self.seen, {}

    def step(self, action):
        self.steps += 1
        return self.seen, 0.0, False, False, {}


def stills():
    return SyncVectorEnv([Still] * 2)


def action(sensory, motor=1):
    return {"motor_action": motor, "sensory_action": sensory}


@pytest.mark.parametrize("make", [list, np.asarray, lambda values: pytest.importorskip("torch").tensor(values)])
@pytest.mark.parametrize("bad", [[NAN, 0], [0, INF], [-INF, NAN]])
@pytest.mark.parametrize("mode", MODES)
def test_an_action_that_is_not_finite_is_refused_before_anything_moves(mode, bad, make):
    env = fovea.gym.ActiveGaze(Still(), mode=mode)
    env.reset(seed=1)
    env.step(action([1, 1]))
    before = env.gaze
    with pytest.raises(ValueError, match="sensory_action is not finite"):
        env.step(action(make(bad)))
    assert env.unwrapped.steps == 1 and np.array_equal(env.gaze, before)
    assert np.isfinite(env.step(action([0, 1]))[-1]["gaze"]).all()


def test_an_action_of_several_that_is_not_finite_is_refused():
    env = fovea.gym.ActiveGaze(stills(), mode="relative")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="sensory_action is not finite"):
        env.step(action([[0, 0], [NAN, 0]], [0, 0]))
    with pytest.raises(ValueError, match="sensory_action has shape"):
        env.step(action([0, 0], [0, 0]))
    assert [one.steps for one in env.unwrapped.envs] == [0, 0]


@pytest.mark.parametrize("bad", [None, "left", [[0, 0], [0]]])
def test_an_action_that_is_no_number_is_named(bad):
    env = fovea.gym.ActiveGaze(Still())
    env.reset(seed=1)
    with pytest.raises(ValueError, match="sensory_action"):
        env.step(action(bad))
    assert env.unwrapped.steps == 0


@pytest.mark.parametrize("bad", [[9, 9], [-1, 0], [0, 3], [1.5, 0]])
def test_an_action_outside_the_grid_is_refused(bad):
    env = fovea.gym.ActiveGaze(Still(), mode="grid", grid=(4, 3))
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"sensory_action is .*column.* 0 to 3.*row.* 0 to 2"):
        env.step(action(np.array(bad)))
    assert env.unwrapped.steps == 0
    assert np.allclose(env.step(action(np.array([3, 2])))[-1]["gaze"], (0.875, 2.5 / 3))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("mode", ["absolute", "relative", "velocity"])
def test_the_largest_action_moves_as_far_as_a_step(mode, library):
    rng = np.random.default_rng(1) if library == "numpy" else pytest.importorskip("torch").Generator()
    eye = _gazes.Eye(mode, max_step_uv=0.25)
    eye.reset(2, rng)
    found = np.asarray(eye.move(eye.checked([[1e20, 0], [-3e38, 3e38]])))
    assert found.dtype == np.float32 and np.allclose(found, [[0.75, 0.5], [0.5 - 0.25 / 2**0.5, 0.5 + 0.25 / 2**0.5]])


def check_on_device(device):
    """Actions on a device are not looked at: what is wrong with them may not spoil the gaze."""
    torch = pytest.importorskip("torch")
    for mode in MODES:
        eye = _gazes.Eye(mode, velocity_gain=8)
        eye.reset(6, torch.Generator(device))
        given = torch.tensor([[NAN, 0], [0, INF], [-INF, NAN], [3e38, 3e38], [9, -9], [1.5, 0]], device=device)
        found = eye.move(eye.checked(given)).cpu()
        assert torch.isfinite(found).all() and (found[[0, 2]] == 0.5).all(), mode
        if mode == "grid":
            assert torch.equal(found[1], torch.tensor([0.125, 0.875])), "beyond the grid is its edge"
            assert torch.equal(found[4:], torch.tensor([[0.875, 0.125], [0.375, 0.125]]))
        else:
            assert (found[1] == 0.5).all(), mode
        found = eye.move(eye.checked(torch.ones((6, 2), device=device))).cpu()
        assert torch.isfinite(found).all() and (found[[0, 2]] != 0.5).all(), mode


def test_tensors_on_a_device_do_not_spoil_the_gaze(monkeypatch):
    monkeypatch.setattr(_gazes, "_is_on_device", lambda array: True)
    check_on_device("cpu")


def test_tensors_on_a_gpu_do_not_spoil_the_gaze():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    check_on_device("cuda")


@pytest.mark.parametrize("grid", [4, (4,), (4, 0), (2.5, 2), "44", None])
def test_what_is_no_grid_is_said(grid):
    with pytest.raises(ValueError, match=r"grid is .*columns and rows.*\(4, 4\)"):
        fovea.gym.ActiveGaze(Still(), mode="grid", grid=grid)


@pytest.mark.parametrize("options", [{"max_step_uv": INF}, {"max_step_uv": NAN}, {"velocity_gain": NAN}, {"velocity_gain": INF}, {"velocity_gain": 1e300}])
def test_numbers_that_would_spoil_the_gaze_are_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} is .*must be"):
        fovea.gym.ActiveGaze(Still(), mode="velocity", **options)


@pytest.mark.parametrize("make", [Still, stills])
@pytest.mark.parametrize("active", [False, True])
def test_a_step_before_a_reset_is_said(make, active):
    env = (fovea.gym.ActiveGaze if active else fovea.gym.FoveatedObservation)(make())
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(env.action_space.sample())


IMAGE = gymnasium.spaces.Box(0, 255, (12, 16, 3), np.uint8)
TREE = gymnasium.spaces.Dict(
    {
        "screen": IMAGE,
        "age": gymnasium.spaces.Discrete(9),
        "hands": gymnasium.spaces.Dict({"left": IMAGE, "arm": gymnasium.spaces.Box(-1, 1, (7,), np.float32)}),
    }
)


def kinds(space):
    """Environments of a space: one, and several."""
    return [Still(space), SyncVectorEnv([lambda: Still(space)] * 2)]


@pytest.mark.parametrize("wrap", [fovea.gym.FoveatedObservation, fovea.gym.ActiveGaze])
@pytest.mark.parametrize("dtype, cure", [(np.float64, "np.float32"), (np.int64, "np.uint8"), (np.uint16, "np.float32")])
def test_images_of_another_type_are_refused_with_the_cure(wrap, dtype, cure):
    space = gymnasium.spaces.Box(0, 1000 if dtype == np.uint16 else 255, (12, 16, 3), dtype)
    for env in kinds(space):
        with pytest.raises(TypeError, match=rf"{np.dtype(dtype)}; .*DtypeObservation\(env, {cure}\)"):
            wrap(env)
    for env in kinds(gymnasium.spaces.Dict({"screen": space})):
        with pytest.raises(TypeError, match="'screen' is"):
            wrap(env, key="screen")


def test_the_cure_cures():
    env = gymnasium.wrappers.DtypeObservation(Still(gymnasium.spaces.Box(0, 1, (12, 16, 3), np.float64)), np.float32)
    seen, _ = fovea.gym.FoveatedObservation(env).reset(seed=1)
    assert seen.dtype == np.float32


@pytest.mark.parametrize(
    "space, key, text",
    [
        (gymnasium.spaces.Dict({"screen": IMAGE, "age": gymnasium.spaces.Discrete(9)}), None, "a Dict: say key='screen'"),
        (TREE, None, "a Dict: say key='hands/left' or 'screen'"),
        (TREE, "hands", "'hands' is a Dict: say key='hands/left'"),
        (gymnasium.spaces.Dict({"age": gymnasium.spaces.Discrete(9)}), None, "a Dict without an image"),
        (TREE, "eyes", "no entry 'eyes'; there are 'age', 'hands/arm', 'hands/left', 'screen'$"),
        (TREE, "hands/right", "no entry 'hands/right'; there are 'age'"),
        (TREE, ("hands", "right"), "no entry 'hands/right'; there are 'age'"),
        (TREE, "screen/rgb", "no entry 'screen/rgb'; there are 'age'"),
        (TREE, ["screen", "eyes"], "no entry 'eyes'; there are 'age'"),
        (TREE, "age", "'age' is Discrete.*two or three dimensions"),
        (IMAGE, "screen", "no entry 'screen'; observations are Box"),
    ],
)
def test_a_key_that_is_missing_or_wrong_is_said(space, key, text):
    for env in kinds(space):
        with pytest.raises(ValueError, match=text):
            fovea.gym.FoveatedObservation(env, key=key)


def test_gymnasium_is_asked_for():
    code = "import sys; sys.modules['gymnasium'] = None; import fovea.gym"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": PACKAGE})
    assert "ImportError: fovea.gym needs Gymnasium: pip install gymnasium" in said.stderr
