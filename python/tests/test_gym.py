# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Wrappers for Gymnasium, with its own checkers."""

import re

import numpy as np
import pytest
from places import ROOT

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import fovea  # noqa: E402
import fovea.gym  # noqa: E402

SHAPES = {"NHWC": (36, 48, 3), "NCHW": (2, 36, 48), "NHW": (36, 48)}


class Pictures(gymnasium.Env):
    """Random pictures; an episode has `length` of them."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}

    def __init__(self, layout="NHWC", length=3, nested=False, render_mode="rgb_array"):
        self.render_mode, self.length, self.nested = render_mode, length, nested
        box = gymnasium.spaces.Box(0, 255, SHAPES[layout], np.uint8)
        self.observation_space = gymnasium.spaces.Dict({"screen": box, "age": gymnasium.spaces.Discrete(100)}) if nested else box
        self.action_space = gymnasium.spaces.Discrete(3)
        self._shape = SHAPES[layout]

    def _picture(self):
        self.raw = self.np_random.integers(0, 256, self._shape, dtype=np.uint8)
        return {"screen": self.raw, "age": self.age} if self.nested else self.raw

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.age = 0
        return self._picture(), {"fresh": True}

    def step(self, action):
        assert self.action_space.contains(action)
        self.age += 1
        return self._picture(), 1.0, self.age >= self.length, False, {}

    def render(self):
        return np.full((72, 96, 3), 40, np.uint8)


gymnasium.register("FoveaPictures-v0", entry_point=Pictures)


@pytest.mark.parametrize("layout", list(SHAPES))
@pytest.mark.parametrize("wrap", [fovea.gym.FoveatedObservation, fovea.gym.ActiveGaze])
def test_gymnasiums_checker_finds_nothing(wrap, layout):
    check_env(wrap(Pictures(layout)), skip_render_check=True)


def test_observations_are_foveated_and_keep_their_space():
    env = fovea.gym.FoveatedObservation(Pictures(), {"foveation.strength": 2}, gaze=(0.2, 0.7))
    observation, info = env.reset(seed=1)
    expected = fovea.foveate(env.unwrapped.raw, (0.2, 0.7), config={"foveation.strength": 2})
    assert np.array_equal(observation, expected) and env.observation_space == env.unwrapped.observation_space
    assert np.allclose(info["gaze"], (0.2, 0.7)) and info["fresh"]


@pytest.mark.parametrize("make", [Pictures, lambda: SyncVectorEnv([Pictures] * 2)])
def test_somebody_before_the_screen_may_be_the_gaze(make):
    with fovea.Gaze({"gaze.source": "mouse"}) as gaze:
        env = fovea.gym.FoveatedObservation(make(), gaze=gaze)
        gaze.push(0.2, 0.7)
        _, info = env.reset(seed=1)
        assert np.allclose(info["gaze"], (0.2, 0.7))


def test_an_entry_of_a_dict_is_foveated():
    env = fovea.gym.FoveatedObservation(Pictures(nested=True), key="screen")
    observation, _ = env.reset(seed=1)
    assert np.array_equal(observation["screen"], fovea.foveate(env.unwrapped.raw)) and observation["age"] == 0
    with pytest.raises(ValueError, match="eyes"):
        fovea.gym.FoveatedObservation(Pictures(nested=True), key="eyes")


@pytest.mark.parametrize(
    "mode, action, expected",
    [
        ("absolute", (0.9, 0.1), (0.7, 0.3)),  # the speed limit: 0.4 of the way's 0.57
        ("relative", (1, 0), (0.9, 0.5)),
        ("velocity", (1, 0), (0.6, 0.5)),
        ("grid", (3, 2), (0.875, 0.625)),
    ],
)
def test_actions_move_the_gaze(mode, action, expected):
    env = fovea.gym.ActiveGaze(Pictures(), mode=mode, max_step_uv=0.4)
    env.reset(seed=1)
    sensory = np.asarray(action, env.action_space["sensory_action"].dtype)
    observation, *_, info = env.step({"motor_action": 1, "sensory_action": sensory})
    start = np.array([0.5, 0.5])
    if mode == "absolute":
        way = np.array([0.4, -0.4])
        expected = start + way * 0.4 / np.linalg.norm(way)
    assert np.allclose(info["gaze"], expected, atol=1e-6)
    assert np.array_equal(observation, fovea.foveate(env.unwrapped.raw, info["gaze"]))
    _, info = env.reset()
    assert np.allclose(info["gaze"], start)


def test_wrappers_are_made_again_from_their_spec():
    env = fovea.gym.ActiveGaze(gymnasium.make("FoveaPictures-v0", disable_env_checker=True), mode="grid", grid=(3, 2))
    again = gymnasium.make(env.spec, disable_env_checker=True)
    assert isinstance(again, fovea.gym.ActiveGazeEnv) and again.action_space == env.action_space


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("active", [False, True])
def test_several_environments_reset_in_every_mode(mode, active):
    def make(i):
        return lambda: Pictures(length=2 + i)

    env = SyncVectorEnv([make(i) for i in range(3)], autoreset_mode=mode)
    env = fovea.gym.ActiveGaze(env) if active else fovea.gym.FoveatedObservation(env, gaze=fovea.gaze.RandomSaccades(2))
    observations, infos = env.reset(seed=5)
    env.action_space.seed(5)
    assert env.observation_space.contains(observations)
    done = np.zeros(3, bool)
    for _ in range(12):
        if mode == AutoresetMode.DISABLED and done.any():
            observations, infos = env.reset(options={"reset_mask": done})
            if active:
                assert np.allclose(infos["gaze"][done], 0.5)
        before = env.gaze
        observations, _, terminations, truncations, infos = env.step(env.action_space.sample())
        for i in range(3):
            assert np.array_equal(observations[i], fovea.foveate(env.unwrapped.envs[i].raw, infos["gaze"][i]))
        fresh = done if mode == AutoresetMode.NEXT_STEP else terminations if mode == AutoresetMode.SAME_STEP else None
        if active and fresh is not None:
            assert np.allclose(infos["gaze"][fresh], 0.5)
        if mode == AutoresetMode.SAME_STEP and terminations.any():
            for i in np.flatnonzero(terminations):
                last = infos["final_obs"][i]
                assert last.shape == observations[i].shape and not np.array_equal(last, observations[i])
                if not active:
                    assert before.shape == (3, 2)
        done = terminations | truncations
    env.close()


@pytest.mark.parametrize("layout", list(SHAPES))
@pytest.mark.parametrize("several", [False, True])
def test_blobs_are_those_of_the_picture_as_it_was_made(layout, several):
    made = SyncVectorEnv([lambda: Pictures(layout, length=50)] * 2) if several else Pictures(layout, length=50)
    env = fovea.gym.FoveatedObservation(made, {"foveation.strength": 8}, gaze=fovea.gaze.Blobs(1))
    env.reset(seed=5)
    raw = made.envs[0].raw if several else made.raw
    raw = {"NHWC": raw, "NCHW": raw[-1], "NHW": raw}[layout]
    found = fovea.blobs(raw, max_count=64, threshold=0.05, scales=11)
    gaze = np.reshape(env.step(env.action_space.sample())[4]["gaze"], (-1, 2))[0]
    places = np.stack([found["x_px"] + 0.5, found["y_px"] + 0.5], 1) / (48, 36)
    assert np.isclose(places, gaze, atol=1e-6).all(1).any()
    env.close()


@pytest.mark.parametrize("seed", [7, [7]])
def test_the_gaze_is_not_drawn_from_the_environments_own_random_numbers(seed):
    env = fovea.gym.FoveatedObservation(SyncVectorEnv([Pictures]), gaze=fovea.gaze.RandomSaccades(margin_uv=0))
    _, infos = env.reset(seed=seed)
    same, _ = gymnasium.utils.seeding.np_random(7)
    assert env.unwrapped.envs[0].np_random_seed == 7
    assert not np.isclose(infos["gaze"], same.random((1, 2), np.float32)).any()
    assert np.array_equal(infos["gaze"], env.reset(seed=seed)[1]["gaze"])


def test_a_last_observation_has_its_gaze_as_workers_say_it():
    def run(env):
        env.reset(seed=1)
        env.action_space.seed(1)
        return [env.step(env.action_space.sample())[-1] for _ in range(4)]

    makes = [lambda i=i: Pictures(length=2 + i) for i in range(3)]
    workers = [lambda make=make: fovea.gym.ActiveGaze(make()) for make in makes]
    inside = run(SyncVectorEnv(workers, autoreset_mode=AutoresetMode.SAME_STEP))
    for infos, expected in zip(run(fovea.gym.ActiveGaze(SyncVectorEnv(makes, autoreset_mode=AutoresetMode.SAME_STEP))), inside):
        assert np.array_equal(infos["gaze"], expected["gaze"]) and ("final_info" in infos) == ("final_info" in expected)
        if "final_info" in infos:
            ended = infos["_final_obs"]
            found, expected = infos["final_info"], expected["final_info"]
            assert np.array_equal(found["_gaze"], ended) and np.array_equal(expected["_gaze"], ended)
            assert np.array_equal(found["gaze"][ended], expected["gaze"][ended]) and (found["gaze"][ended] != 0.5).all()
    assert ended.tolist() == [True, False, True]


@pytest.mark.parametrize("options", [{"env_idx": 3}, {"reset_mask": [True, False, True]}])
def test_one_environments_options_are_its_own(options):
    env = fovea.gym.ActiveGaze(Pictures())
    env.reset(seed=1)
    env.step(env.action_space.sample())
    assert (env.reset(options=options)[1]["gaze"] == 0.5).all()


@pytest.mark.parametrize("make", [Pictures, lambda: SyncVectorEnv([Pictures] * 2)])
def test_there_is_no_gaze_before_a_reset(make):
    with pytest.raises(RuntimeError, match="before reset"):
        fovea.gym.FoveatedObservation(make()).gaze


@pytest.mark.parametrize("active", [False, True])
def test_a_mask_resets_those_gazes_alone(active):
    env = SyncVectorEnv([Pictures] * 3, autoreset_mode=AutoresetMode.DISABLED)
    env = fovea.gym.ActiveGaze(env) if active else fovea.gym.FoveatedObservation(env, gaze=fovea.gaze.RandomSaccades())
    which, options = np.array([False, True, False]), {"reset_mask": np.array([False, True, False])}
    env.reset(seed=1)
    env.action_space.seed(1)
    before = env.step(env.action_space.sample())[-1]["gaze"]
    observations, infos = env.reset(options=options)
    assert (infos["gaze"] == before)[~which].all() and (infos["gaze"] != before)[which].all()
    for i in range(3):
        assert np.array_equal(observations[i], fovea.foveate(env.unwrapped.envs[i].raw, infos["gaze"][i]))
    assert list(options) == ["reset_mask"], "the caller's options stay as they are"


def test_render_shows_the_full_view_beside_what_is_seen():
    env = fovea.gym.ActiveGaze(Pictures())
    env.reset(seed=1)
    for _ in range(3):
        env.step(env.action_space.sample())
    picture = env.render()
    assert picture.shape == (72, 96 + 96, 3) and picture.dtype == np.uint8
    assert (picture[:, :96] != 40).any() and (picture[:, 96:] != 40).mean() > 0.9


def test_stable_baselines3_takes_them_as_images():
    space = fovea.gym.FoveatedObservation(Pictures()).observation_space
    assert space.dtype == np.uint8 and len(space.shape) == 3 and (space.low == 0).all() and (space.high == 255).all()


def test_four_channels_are_colours_or_frames_as_somebody_says():
    class Stacked(gymnasium.ObservationWrapper):
        def __init__(self, env):
            super().__init__(env)
            self.observation_space = gymnasium.spaces.Box(0, 255, (72, 96, 4), np.uint8)

        def observation(self, observation):
            return np.repeat(observation[..., :1], 4, -1) ^ np.arange(4, dtype=np.uint8)

    for make in (fovea.gym.FoveatedObservation, fovea.gym.ActiveGaze):
        with pytest.raises(ValueError, match="'NHWC' or 'NHWF'"):
            make(Stacked(Pictures()))
    seen, plain = (env.reset(seed=1)[0] for env in (fovea.gym.FoveatedObservation(Stacked(Pictures()), layout="NHWF"), Stacked(Pictures())))
    assert np.array_equal(seen, fovea.foveate(plain, layout="NHWF")) and seen.shape == plain.shape


@pytest.mark.parametrize("count, shape", [(None, (2, 1)), (None, (3,)), (None, ()), (3, (2, 3)), (3, (2,)), (3, (6,)), (3, (4, 2))])
def test_actions_of_another_shape_are_refused(count, shape):
    env = fovea.gym.ActiveGaze(SyncVectorEnv([Pictures] * count) if count else Pictures())
    env.reset(seed=1)
    action = env.action_space.sample()
    for one in (list, np.asarray):
        sensory = one(np.full(shape, 0.3, np.float32)) if shape else 0.3
        with pytest.raises(ValueError, match="sensory_action"):
            env.step({**action, "sensory_action": sensory})


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: fovea.gym.ActiveGaze(Pictures(), mode="wild"), "wild"),
        (lambda: fovea.gym.ActiveGaze(Pictures(), max_step_uv=0), "max_step_uv"),
        (lambda: fovea.gym.FoveatedObservation(Pictures(), {"foveation.strenght": 1}), "strength"),
        (lambda: fovea.gaze.RandomSaccades(0.5), "fixation_steps"),
    ],
)
def test_what_is_wrong_is_said(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize("page", ["README.md", "docs/rl.md"])
def test_a_pages_code_runs_as_it_is_written(page):
    given = {"images": np.zeros((5, 36, 48, 3), np.uint8), "gaze": np.full((5, 2), 0.5, np.float32)}
    blocks = re.findall("```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    for block in blocks:
        given["env"] = Pictures()
        exec(block, given)
        given["env"].reset()
        given["env"].step(given["env"].action_space.sample())
    assert len(blocks) == (1 if page == "README.md" else 2)
