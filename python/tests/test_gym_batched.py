# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Environments whose observations are batches of tensors, with the shapes, strides and manners of ManiSkill and Isaac
Lab, on the CPU and, where there is a GPU, in its memory."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
torch = pytest.importorskip("torch")

from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

import fovea  # noqa: E402
import fovea.gym  # noqa: E402

COUNT, HEIGHT, WIDTH = 5, 40, 56
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]
RGB = gymnasium.spaces.Box(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
ARM = gymnasium.spaces.Box(-1, 1, (7,), np.float32)


class Renderer:
    """Writes every frame into the same buffer of r8g8b8a8, as renderers on a GPU do."""

    def __init__(self, device):
        self.random = torch.Generator(device)
        self.buffer = torch.zeros((COUNT, HEIGHT, WIDTH, 4), dtype=torch.uint8, device=device)

    def rgb(self):
        self.buffer.random_(0, 256, generator=self.random)
        return self.buffer[..., :3]


class ManiSkill(gymnasium.Env):
    """No VectorEnv; leaves resets to its caller, who names the environments; observations are Dicts in Dicts."""

    render_mode = "rgb_array"

    def __init__(self, device="cpu"):
        self.device, self.num_envs = torch.device(device), COUNT
        cameras = {name: gymnasium.spaces.Dict({"rgb": RGB}) for name in ("base_camera", "hand_camera")}
        self.single_observation_space = gymnasium.spaces.Dict(
            {"agent": ARM, "sensor_data": gymnasium.spaces.Dict(cameras)}
        )
        self.single_action_space = ARM
        self.observation_space = batch_space(self.single_observation_space, COUNT)
        self.action_space = batch_space(ARM, COUNT)
        self.renderers = {name: Renderer(device) for name in cameras}
        self.age = torch.zeros(COUNT, dtype=torch.int32, device=device)
        self.length = torch.arange(2, 2 + COUNT, device=device)

    def _observe(self):
        cameras = {name: {"rgb": renderer.rgb()} for name, renderer in self.renderers.items()}
        return {"agent": torch.zeros((COUNT, 7), device=self.device), "sensor_data": cameras}

    def reset(self, *, seed=None, options=None):
        which = (options or {}).get("env_idx", torch.arange(COUNT, device=self.device))
        self.age[which] = 0
        return self._observe(), {"reconfigure": False}

    def step(self, action):
        assert action.shape == (COUNT, 7)
        self.age += 1
        truncated = self.age >= self.length
        return self._observe(), torch.zeros(COUNT, device=self.device), truncated & False, truncated, {}

    def render(self):
        return torch.full((COUNT, 2 * HEIGHT, 2 * WIDTH, 3), 40, dtype=torch.uint8, device=self.device)


class ManiSkillVector(VectorEnv):
    """Resets in the same step, says so nowhere, and has the whole batch before that as `final_observation`."""

    def __init__(self, device="cpu"):
        self.base, self.num_envs = ManiSkill(device), COUNT
        for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
            setattr(self, name, getattr(self.base, name))

    def reset(self, *, seed=None, options=None):
        return self.base.reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.base.step(action)
        if truncated.any():
            cameras = {name: {"rgb": part["rgb"].clone()} for name, part in observation["sensor_data"].items()}
            self.last = {**observation, "sensor_data": cameras}
            observation, info = self.base.reset(options={"env_idx": truncated.nonzero()[:, 0]})
            info.update(final_observation=self.last, final_info={}, _final_observation=truncated)
        return observation, reward, terminated, truncated, info


class IsaacLab(gymnasium.Env):
    """No VectorEnv; resets in the same step; its batched space is without the group "policy" that observations have;
    `extras` is one dict for ever. Nothing in a step waits for the device."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, device="cpu", final=True):
        self.num_envs, self.device, self.final, self.extras = COUNT, torch.device(device), final, {}
        self.single_observation_space = gymnasium.spaces.Dict({"policy": RGB})
        self.single_action_space = ARM
        self.observation_space, self.action_space = batch_space(RGB, COUNT), batch_space(ARM, COUNT)
        self.renderer = Renderer(device)
        self.age = torch.zeros(COUNT, dtype=torch.int32, device=device)
        self.length = torch.arange(2, 2 + COUNT, device=device)

    def reset(self, *, seed=None, options=None):
        self.age.zero_()
        return {"policy": self.renderer.rgb()}, self.extras

    def step(self, action):
        self.age += 1
        truncated = self.age >= self.length
        self.age.mul_(~truncated)
        if self.final:
            self.last = {"policy": self.renderer.rgb().clone()}
            self.extras["final_obs"] = self.last
        return {"policy": self.renderer.rgb()}, self.age * 0.0, truncated & False, truncated, self.extras


CAMERA = "sensor_data/base_camera/rgb"


def seen_of(observation):
    return observation["sensor_data"]["base_camera"]["rgb"]


def actions_of(env, device, gaze):
    return {"motor_action": torch.zeros((COUNT, 7), device=device), "sensory_action": gaze}


def places(device):
    """Random ones whose differences have no rounding."""
    return torch.randint(1, 64, (COUNT, 2), device=device) / 64


def foveated(image, gaze):
    """What is to be seen, from a copy without gaps."""
    return fovea.foveate(image.contiguous(), gaze)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("key", [CAMERA, ("sensor_data", "base_camera", "rgb")])
def test_an_image_in_dicts_in_dicts_is_foveated(device, key):
    env = fovea.gym.FoveatedObservation(ManiSkill(device), {"foveation.strength": 0.3}, gaze=(0.2, 0.7), key=key)
    raw = env.unwrapped.renderers["base_camera"].buffer
    observation, info = env.reset(seed=3)
    seen = seen_of(observation)
    assert seen.device == raw.device and seen.is_contiguous() and seen.shape == (COUNT, HEIGHT, WIDTH, 3)
    assert torch.equal(seen, fovea.foveate(raw[..., :3].contiguous(), (0.2, 0.7), config={"foveation.strength": 0.3}))
    assert torch.is_tensor(info["gaze"]) and info["gaze"].device == raw.device and info["gaze"].shape == (COUNT, 2)
    other = env.unwrapped.renderers["hand_camera"].buffer
    assert observation["sensor_data"]["hand_camera"]["rgb"].data_ptr() == other.data_ptr()
    kept = seen.clone()
    env.step(torch.zeros((COUNT, 7), device=device))
    assert torch.equal(seen, kept), "the simulator's next frame does not change what was seen"


@pytest.mark.parametrize("device", DEVICES)
def test_several_images_have_one_gaze(device):
    keys = [CAMERA, "sensor_data/hand_camera/rgb"]
    env = fovea.gym.FoveatedObservation(ManiSkill(device), gaze=fovea.gaze.RandomSaccades(), key=keys)
    observation, info = env.reset(seed=3)
    assert info["gaze"].unique(dim=0).shape == (COUNT, 2)
    for name, renderer in env.unwrapped.renderers.items():
        seen = observation["sensor_data"][name]["rgb"]
        assert torch.equal(seen, foveated(renderer.buffer[..., :3], info["gaze"])), name
    pictures = env.render()
    assert pictures.shape == (COUNT, 2 * HEIGHT, 6 * WIDTH, 3) and (pictures[:, :, 2 * WIDTH :] != 40).mean() > 0.9


@pytest.mark.parametrize("device", DEVICES)
def test_the_caller_resets_some(device):
    env = fovea.gym.ActiveGaze(ManiSkill(device), key=CAMERA)
    assert env.action_space.contains(env.action_space.sample())
    assert env.action_space["sensory_action"].shape == (COUNT, 2)
    env.reset(seed=3)
    gaze = places(device)
    for _ in range(3):
        observation, _, _, truncated, info = env.step(actions_of(env, device, gaze))
        assert torch.equal(info["gaze"], gaze), "an episode's last observation is seen with its own gaze"
        raw = env.unwrapped.renderers["base_camera"].buffer[..., :3]
        assert torch.equal(seen_of(observation), foveated(raw, gaze))
    which = truncated.nonzero()[:, 0]
    assert 0 < len(which) < COUNT
    _, info = env.reset(options={"env_idx": which})
    assert (info["gaze"][truncated] == 0.5).all() and torch.equal(info["gaze"][~truncated], gaze[~truncated])


@pytest.mark.parametrize("device", DEVICES)
def test_some_are_reset_with_a_seed(device):
    env = fovea.gym.ActiveGaze(ManiSkill(device), key=CAMERA)
    env.reset(seed=3)
    gaze = places(device)
    env.step(actions_of(env, device, gaze))
    _, info = env.reset(seed=7, options={"env_idx": torch.tensor([0, 2], device=device)})
    assert (info["gaze"][[0, 2]] == 0.5).all() and torch.equal(info["gaze"][[1, 3, 4]], gaze[[1, 3, 4]])


@pytest.mark.parametrize("device", DEVICES)
def test_a_vector_env_that_does_not_say_that_it_resets_in_the_same_step(device):
    env = fovea.gym.ActiveGaze(ManiSkillVector(device), key=CAMERA)
    env.reset(seed=3)
    gaze = places(device)
    ends = 0
    for _ in range(9):
        observation, _, _, truncated, info = env.step(actions_of(env, device, gaze))
        assert (info["gaze"][truncated] == 0.5).all() and torch.equal(info["gaze"][~truncated], gaze[~truncated])
        raw = env.env.base.renderers["base_camera"].buffer[..., :3]
        assert torch.equal(seen_of(observation), foveated(raw, info["gaze"]))
        if truncated.any():
            ends += 1
            last = env.env.last["sensor_data"]["base_camera"]["rgb"]
            assert torch.equal(seen_of(info["final_observation"]), foveated(last, gaze))
            final = info["final_info"]
            assert torch.equal(final["gaze"], gaze) and torch.equal(final["_gaze"], truncated)
    assert ends > 3


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("final", [False, True])
def test_an_env_that_resets_in_the_same_step(device, final):
    env = fovea.gym.ActiveGaze(IsaacLab(device, final), mode="relative", max_step_uv=0.25, key="policy")
    env.reset(seed=3)
    before = env.gaze
    step = torch.full((COUNT, 2), 0.5, device=device)
    for _ in range(9):
        observation, _, _, truncated, info = env.step(actions_of(env, device, step))
        moved = (before + 0.125).clip(0, 1)
        expected = torch.where(truncated[:, None], torch.full_like(moved, 0.5), moved)
        assert torch.equal(info["gaze"], expected)
        raw = env.unwrapped.renderer.buffer[..., :3]
        assert torch.equal(observation["policy"], foveated(raw, info["gaze"]))
        if final:
            assert torch.equal(info["final_obs"]["policy"], foveated(env.unwrapped.last["policy"], moved))
            assert torch.equal(info["final_info"]["gaze"], moved) and torch.equal(info["final_info"]["_gaze"], truncated)
            assert info is not env.unwrapped.extras and env.unwrapped.extras["final_obs"] is env.unwrapped.last
        assert ("final_obs" in info) == final
        before = info["gaze"]


@pytest.mark.parametrize("device", DEVICES)
def test_the_same_seed_gives_the_same_gazes(device):
    def gazes(seed):
        env = fovea.gym.FoveatedObservation(IsaacLab(device), gaze=fovea.gaze.RandomSaccades(2), key="policy")
        found = [env.reset(seed=seed)[1]["gaze"]]
        for _ in range(6):
            found.append(env.step(torch.zeros((COUNT, 7), device=device))[-1]["gaze"])
        return torch.stack(found)

    assert torch.equal(gazes(3), gazes(3)) and not torch.equal(gazes(3), gazes(4))
    assert ((gazes(3) > 0.0999) & (gazes(3) < 0.9001)).all()


class Pictures(gymnasium.Env):
    observation_space, action_space = RGB, gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.raw = self.np_random.integers(0, 256, RGB.shape, dtype=np.uint8)
        return self.raw, {}

    def step(self, action):
        self.raw = self.np_random.integers(0, 256, RGB.shape, dtype=np.uint8)
        return self.raw, 0.0, False, False, {}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("several", [False, True])
def test_gymnasiums_environments_of_tensors(several, device):
    pytest.importorskip("array_api_compat", reason="Gymnasium's wrappers of tensors need it")
    wrappers = gymnasium.wrappers.vector if several else gymnasium.wrappers
    env = SyncVectorEnv([Pictures] * 2) if several else Pictures()
    env = fovea.gym.ActiveGaze(wrappers.NumpyToTorch(env, device=device))
    env.reset(seed=3)
    gaze = torch.tensor([[0.2, 0.7], [0.6, 0.1]] if several else [0.2, 0.7], device=device)
    motor = torch.ones(2, dtype=torch.int64) if several else torch.tensor(1)
    seen, *_, info = env.step({"motor_action": motor, "sensory_action": gaze})
    raw = np.stack([one.raw for one in env.unwrapped.envs]) if several else env.unwrapped.raw
    assert seen.device.type == device and torch.allclose(info["gaze"], gaze)
    assert torch.equal(seen, fovea.foveate(torch.tensor(raw, device=device), info["gaze"]))


def test_one_environment_may_say_a_plain_bool():
    env = IsaacLab(final=False)
    step = env.step
    env.step = lambda action: (*step(action)[:2], True, False, {})
    env = fovea.gym.ActiveGaze(env, key="policy")
    env.reset(seed=3)
    assert (env.step(actions_of(env, "cpu", torch.rand(COUNT, 2)))[-1]["gaze"] == 0.5).all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("mode", ["absolute", "relative", "velocity", "grid", fovea.gaze.RandomSaccades(2), fovea.gaze.Generator()])
def test_a_step_does_not_wait_for_the_gpu(mode):
    if not isinstance(mode, str):
        env = fovea.gym.FoveatedObservation(IsaacLab("cuda"), gaze=mode, key="policy")
        action = torch.zeros((COUNT, 7), device="cuda")
    else:
        env = fovea.gym.ActiveGaze(IsaacLab("cuda"), mode=mode, key="policy")
        action = actions_of(env, "cuda", torch.ones((COUNT, 2), device="cuda"))
    env.reset(seed=3)
    env.step(action)
    torch.cuda.set_sync_debug_mode("error")
    try:
        for _ in range(5):
            env.step(action)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize(
    "key, text",
    [("sensor_data/front/rgb", "front"), (None, "Box"), ("agent", "two or three"), (["agent", CAMERA], "two or three")],
)
def test_a_wrong_key_is_said(key, text):
    with pytest.raises(ValueError, match=text):
        fovea.gym.FoveatedObservation(ManiSkill(), key=key)
