# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Environments that people train in: ViZDoom, EnvPool's Atari and ViZDoom, MuJoCo; and Stable-Baselines3 on top.

requirements-frameworks.txt names the packages. MuJoCo renders by EGL, which Debian's libegl1 and Mesa do without a GPU.
"""

import copy
import ctypes.util
import functools
import multiprocessing
import os
import sys
import types
from concurrent import futures

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv  # noqa: E402

import fovea  # noqa: E402
import fovea.gym  # noqa: E402

MODEL = {"foveation.strength": 0.3}
WRAPPERS = [fovea.gym.FoveatedObservation, fovea.gym.ActiveGaze]


class Spy(gymnasium.vector.VectorWrapper):
    """Keeps a copy of what the environments said."""

    def reset(self, *, seed=None, options=None):
        result = self.env.reset(seed=seed, options=options)
        self.raw = copy.deepcopy(result[0])
        return result

    def step(self, actions):
        result = self.env.step(actions)
        self.raw = copy.deepcopy(result[0])
        return result


def doom(*, wrap=None, width=160, colours="RGB24", **options):
    """Module level, so that workers that are spawned find it."""
    import vizdoom
    import vizdoom.gymnasium_wrapper  # noqa: F401

    env = gymnasium.make(
        "VizdoomHealthGathering-v1",
        frame_skip=4,
        screen_resolution=getattr(vizdoom.ScreenResolution, f"RES_{width}X{width * 3 // 4}"),
        screen_format=getattr(vizdoom.ScreenFormat, colours),
        render_mode="rgb_array",
        disable_env_checker=True,
        **options,
    )
    return env if wrap is None else wrap(env, MODEL, key="screen")


@pytest.fixture
def doom_folder(monkeypatch, tmp_path):
    """ViZDoom leaves a file and a folder where it starts. Several make the folder at once, and one of them fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "_vizdoom").mkdir()


@pytest.fixture
def vizdoom(doom_folder):
    return pytest.importorskip("vizdoom")


@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize("colours", ["RGB24", "GRAY8"])
def test_vizdoom(vizdoom, wrap, colours):
    env = doom(wrap=wrap, colours=colours)
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(5):
        raw = env.unwrapped.state.screen_buffer
        raw = raw if colours == "RGB24" else raw[..., None]
        assert np.array_equal(observation["screen"], fovea.foveate(raw, info["gaze"], config=MODEL))
        assert not np.array_equal(observation["screen"], raw) and env.observation_space.contains(observation)
        observation, *_, info = env.step(env.action_space.sample())
    assert env.render().shape == (120, 320, 3)
    env.close()


@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize("make", [SyncVectorEnv, functools.partial(AsyncVectorEnv, context="spawn"),
                                  functools.partial(AsyncVectorEnv, context="fork")], ids=["sync", "spawn", "fork"])
def test_several_vizdooms(vizdoom, make, wrap):
    env = wrap(Spy(make([doom] * 2)), MODEL, key="screen")
    observations, infos = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(5):
        expected = fovea.foveate(env.env.raw["screen"], infos["gaze"], config=MODEL)
        assert np.array_equal(observations["screen"], expected) and env.observation_space.contains(observations)
        observations, *_, infos = env.step(env.action_space.sample())
    env.close()


@pytest.mark.parametrize("context", ["spawn", "fork"])
def test_workers_foveate(vizdoom, context):
    """The wrapper in each worker; this process has a context open when it forks."""
    fovea.foveate(np.zeros((8, 8, 3), np.uint8), config=MODEL)
    make = functools.partial(doom, wrap=fovea.gym.FoveatedObservation)
    env = AsyncVectorEnv([make] * 2, context=context)
    observations, infos = env.reset(seed=[3, 4])
    for i, seed in enumerate([3, 4]):
        alone = make()
        assert np.array_equal(observations["screen"][i], alone.reset(seed=seed)[0]["screen"])
        alone.close()
    _, _, _, _, infos = env.step(env.action_space.sample())
    assert np.array_equal(infos["gaze"], np.full((2, 2), 0.5, np.float32))
    env.close()


@pytest.mark.parametrize("wrap", WRAPPERS)
@pytest.mark.parametrize("name, shape", [("Pong-v5", (4, 84, 84)), ("HealthGathering-v1", (12, 84, 84))])
def test_envpool(name, shape, wrap, doom_folder):
    """Frames in NCHW, stacked: each plane has its image's gaze. It resets in the next step."""
    envpool = pytest.importorskip("envpool")
    length = 12
    raw = Spy(envpool.make(name, env_type="gymnasium", num_envs=3, seed=1, max_episode_steps=length))
    env = wrap(raw, MODEL)
    observations, infos = env.reset()
    assert env.single_observation_space.shape == shape
    rng, fresh, ended, ends = np.random.default_rng(1), np.zeros(3, bool), np.zeros(3, bool), 0
    for _ in range(2 * length + 4):
        expected = fovea.foveate(raw.raw, infos["gaze"], config=MODEL, layout="NCHW")
        assert observations.dtype == np.uint8 and np.array_equal(observations, expected)
        if wrap is fovea.gym.ActiveGaze:
            assert (infos["gaze"][fresh] == 0.5).all()
        actions = np.zeros((3, *raw.single_action_space.shape), raw.single_action_space.dtype)
        if wrap is fovea.gym.ActiveGaze:
            actions = {"motor_action": actions, "sensory_action": rng.random((3, 2), np.float32)}
        observations, _, terminated, truncated, infos = env.step(actions)
        fresh, ended = ended, terminated | truncated
        ends += ended.any()
    assert ends > 1
    env.close()


def see_mujoco(wrap):
    os.environ.setdefault("MUJOCO_GL", "egl")
    env = gymnasium.make("InvertedPendulum-v5", render_mode="rgb_array", width=96, height=64)
    env = gymnasium.wrappers.AddRenderObservation(env, render_only=False, render_key="pixels", obs_key="state")
    env = wrap(env, MODEL, key="pixels")
    observation, info = env.reset(seed=1)
    expected = fovea.foveate(env.unwrapped.render(), info["gaze"], config=MODEL)
    assert np.array_equal(observation["pixels"], expected) and expected.std() > 5
    observation = env.step(env.action_space.sample())[0]
    assert env.observation_space.contains(observation)
    env.close()


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_mujoco_rendered_without_a_gpu(wrap):
    """In a process of its own: Mesa's LLVM and that of Triton, which PyTorch imports, crash in one."""
    pytest.importorskip("mujoco")
    if ctypes.util.find_library("EGL") is None:
        pytest.skip("libEGL is not installed (Debian: libegl1)")
    with futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(see_mujoco, wrap).result(120)


# ---- Stable-Baselines3


def discrete(env):
    """Stable-Baselines3 takes no Dict actions: a MultiDiscrete of the motor's and the grid's column and row."""
    motor, grid = env.action_space["motor_action"], env.action_space["sensory_action"]
    space = gymnasium.spaces.MultiDiscrete([motor.n, *grid.nvec])
    split = lambda action: {"motor_action": action[0], "sensory_action": action[1:]}  # noqa: E731
    return gymnasium.wrappers.TransformAction(env, split, space)


def moving(env, config, key):
    return discrete(fovea.gym.ActiveGaze(env, config, mode="grid", key=key))


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [fovea.gym.FoveatedObservation, moving])
def test_stable_baselines3_trains(vizdoom, wrap):
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO
    from stable_baselines3.common import env_checker
    from stable_baselines3.common.preprocessing import is_image_space
    from stable_baselines3.common.vec_env import DummyVecEnv, VecTransposeImage

    env = doom(wrap=wrap)
    assert is_image_space(env.observation_space["screen"])
    env_checker.check_env(env)
    several = VecTransposeImage(DummyVecEnv([lambda: env]))
    observation = several.reset()["screen"]
    raw = env.unwrapped.state.screen_buffer
    assert observation.shape == (1, 3, 120, 160)
    assert np.array_equal(observation[0].transpose(1, 2, 0), fovea.foveate(raw, config=MODEL))
    agent = PPO("MultiInputPolicy", several, n_steps=8, batch_size=8, n_epochs=1, seed=1)
    before = [parameter.detach().clone() for parameter in agent.policy.parameters()]
    agent.learn(16)
    assert any((a != b).any() for a, b in zip(before, agent.policy.parameters()))
    env.close()


# ---- Videos


def fake_moviepy(monkeypatch):
    """An encoder that keeps the frames: what RecordVideo imports of moviepy."""
    clips = []

    class ImageSequenceClip:
        def __init__(self, frames, fps):
            clips.append(frames)

        def write_videofile(self, path, logger=None):
            pass

    for name in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["moviepy.video.io.ImageSequenceClip"].ImageSequenceClip = ImageSequenceClip
    return clips


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")
@pytest.mark.parametrize("several", [False, True])
def test_record_video(vizdoom, several, monkeypatch, tmp_path):
    clips = fake_moviepy(monkeypatch)
    if several:
        record = functools.partial(gymnasium.wrappers.vector.RecordVideo, record_first_only=True)
        env = fovea.gym.ActiveGaze(SyncVectorEnv([doom] * 2), key="screen")
    else:
        record, env = gymnasium.wrappers.RecordVideo, doom(wrap=fovea.gym.ActiveGaze)
    env = record(env, str(tmp_path), video_length=4)
    env.reset(seed=1)
    for _ in range(5):
        env.step(env.action_space.sample())
    env.close()
    assert clips and all(np.shape(frame) == (120, 320, 3) for frame in clips[0])


# ---- The table of environments


def test_the_benchmarks_rows(vizdoom, monkeypatch):
    from fovea import _bench_environments as bench

    monkeypatch.setattr(bench, "SCREENS", {"84x84x1": bench.SCREENS["84x84x1"]})
    monkeypatch.setattr(bench, "COUNT", 2)
    found = list(bench.wrapper_rows(rounds=1))
    assert {row["environments"] for row in found} == {1, 2} and all(row["bare_us"] > 0 for row in found)
    found = list(bench.vizdoom_rows(rounds=1, seconds=0.1))
    assert [row["in"] for row in found] == ["AsyncVectorEnv", "SyncVectorEnv"]
    assert all(0 < row["foveated_steps_s"] < 1e5 and 0 < row["plain_steps_s"] < 1e5 for row in found)
