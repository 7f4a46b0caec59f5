# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The Transform for TorchRL, with TorchRL's own checker, alone and under ParallelEnv."""

import functools

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from tensordict import TensorDict  # noqa: E402
from torchrl.envs import GymWrapper, ParallelEnv, SerialEnv, ToTensorImage, TransformedEnv  # noqa: E402
from torchrl.envs.utils import check_env_specs  # noqa: E402

import fovea  # noqa: E402
import fovea.torchrl  # noqa: E402

MODEL = {"foveation.strength": 0.3}
HEIGHT, WIDTH = 24, 32
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]


class Pictures(gymnasium.Env):
    """Random pictures; an episode has `length` of them."""

    def __init__(self, length=3):
        self.length = length
        box = gymnasium.spaces.Box(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
        self.observation_space = gymnasium.spaces.Dict({"pixels": box})
        self.action_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)

    def _picture(self):
        return {"pixels": self.np_random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.age = 0
        return self._picture(), {}

    def step(self, action):
        self.age += 1
        return self._picture(), 1.0, self.age >= self.length, False, {}


def pictures(length=3, transform=None, device="cpu"):
    env = GymWrapper(Pictures(length), device=device)
    return env if transform is None else TransformedEnv(env, transform())


def check_seen(found, raw="pixels", seen="seen"):
    """What is seen is the raw picture around the gaze beside it, at every step."""
    for part in (found, found["next"]):
        expected = fovea.foveate(part[raw], part["gaze"], config=MODEL)
        assert torch.equal(part[seen], expected) and not torch.equal(part[seen], part[raw])


def rollout(env, seed):
    torch.manual_seed(seed)
    env.set_seed(seed)
    return env.rollout(8, break_when_any_done=False)


WAYS = {
    "middle": {},
    "place": {"gaze": (0.2, 0.7)},
    "saccades": {"gaze": fovea.gaze.RandomSaccades(2)},
    **{mode: {"action_key": "sensory_action", "mode": mode} for mode in ("absolute", "relative", "velocity", "grid")},
    "nested": {"action_key": ("eyes", "action")},
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("way", list(WAYS))
def test_torchrls_checker_finds_nothing(way, device):
    env = TransformedEnv(pictures(device=device), fovea.torchrl.FoveatedTransform(["pixels"], ["seen"], MODEL, **WAYS[way]))
    check_env_specs(env)
    assert env.observation_spec["seen"] == env.observation_spec["pixels"] == env.base_env.observation_spec["pixels"]
    found = rollout(env, 3)
    check_seen(found)
    assert torch.equal(found["next", "gaze"], rollout(env, 3)["next", "gaze"]), "the seed says where the gaze goes"
    gaze = found["next", "gaze"]
    if way in ("middle", "place"):
        assert torch.allclose(gaze, torch.tensor(WAYS[way].get("gaze", (0.5, 0.5)), device=device))
    else:
        assert gaze.unique(dim=0).shape[0] > 2
    if way == "absolute":
        assert torch.allclose(gaze, found["sensory_action"], atol=1e-6)
    if "action_key" in WAYS[way]:
        assert (found["gaze"][::3] == 0.5).all()


@pytest.mark.parametrize("device", DEVICES)
def test_images_keep_their_spec_in_place(device):
    plain = pictures(device=device)
    env = TransformedEnv(plain, fovea.torchrl.FoveatedTransform(["pixels"], config=MODEL, gaze_key=None))
    check_env_specs(env)
    assert env.observation_spec == plain.observation_spec and env.action_spec == plain.action_spec
    env.append_transform(ToTensorImage(in_keys=["pixels"]))
    check_env_specs(env)
    chw = TransformedEnv(pictures(), ToTensorImage(in_keys=["pixels"]))
    chw.append_transform(fovea.torchrl.FoveatedTransform(["pixels"], ["seen"], MODEL))
    check_env_specs(chw)
    found = chw.rollout(3)
    assert torch.equal(found["seen"], fovea.foveate(found["pixels"], config=MODEL, layout="NCHW"))


@pytest.mark.parametrize(
    "kind, way, inside",
    [
        (SerialEnv, "saccades", False),
        (SerialEnv, "relative", False),
        (SerialEnv, "relative", True),
        pytest.param(ParallelEnv, "relative", False, marks=pytest.mark.slow),
        pytest.param(ParallelEnv, "relative", True, marks=pytest.mark.slow),
    ],
)
def test_several_environments(kind, way, inside):
    transform = functools.partial(fovea.torchrl.FoveatedTransform, ["pixels"], ["seen"], MODEL, **WAYS[way])
    lengths = (2, 3)
    make = [functools.partial(pictures, length, transform if inside else None) for length in lengths]
    env = kind(len(lengths), make)
    env = env if inside else TransformedEnv(env, transform())
    try:
        check_env_specs(env)
        found = rollout(env, 3)
        check_seen(found)
        assert found.batch_size == (2, 8)
        for i, length in enumerate(lengths):
            assert found["next", "done"][i, length - 1 :: length].all()
            if way == "relative":
                assert (found["gaze"][i, ::length] == 0.5).all(), "an episode's gaze begins with it"
                assert not (found["next", "gaze"][i] == 0.5).all(-1).any(), "and ends with it"
    finally:
        env.close()


@pytest.mark.parametrize("way", ["absolute", "relative", "velocity"])
@pytest.mark.parametrize("images", ["uint8", "float32"])
def test_a_gaze_has_no_gradient_of_the_actions_that_move_it(images, way):
    env = pictures()
    if images == "float32":
        env = TransformedEnv(env, ToTensorImage(in_keys=["pixels"]))
    env = TransformedEnv(env, fovea.torchrl.FoveatedTransform(["pixels"], config=MODEL, **WAYS[way]))
    found = env.reset()
    for _ in range(2):
        found["action"] = torch.zeros(2)
        found["sensory_action"] = torch.full((2,), 0.25, requires_grad=True)
        found = env.step(found)["next"]
        assert not found["gaze"].requires_grad and not found["pixels"].requires_grad
        assert (found["gaze"] != 0.5).all()


@pytest.mark.parametrize("way", ["absolute", "relative", "saccades"])
def test_a_step_goes_on_from_the_gaze_in_the_tensordict(way):
    options = {"gaze": fovea.gaze.RandomSaccades(20)} if way == "saccades" else {**WAYS[way], "max_step_uv": 0.1}
    transform = fovea.torchrl.FoveatedTransform(["pixels"], ["seen"], MODEL, **options)
    env = TransformedEnv(SerialEnv(2, [functools.partial(pictures, 99)] * 2), transform)
    start = env.rand_action(env.reset(seed=3))
    gazes = []
    for _ in range(4):
        torch.manual_seed(5)
        found = env.step(start.clone())["next"]
        gazes.append(found["gaze"])
        assert torch.equal(found["seen"], fovea.foveate(found["pixels"], found["gaze"], config=MODEL))
        for _ in range(20):
            found = env.rand_step(found.exclude("reward"))["next"]
    for gaze in gazes:
        assert torch.equal(gaze, gazes[0])


def test_a_replay_buffers_images_are_foveated():
    images = torch.randint(0, 256, (5, HEIGHT, WIDTH, 3), dtype=torch.uint8)
    gaze = torch.rand((5, 2))
    transform = fovea.torchrl.FoveatedTransform(["pixels"], ["seen"], MODEL, gaze=fovea.gaze.RandomSaccades())
    found = transform(TensorDict({"pixels": images, "gaze": gaze}, [5]))
    assert torch.equal(found["seen"], fovea.foveate(images, gaze, config=MODEL))
    with pytest.raises(KeyError, match="gaze"):
        transform(TensorDict({"pixels": images}, [5]))
    fixed = fovea.torchrl.FoveatedTransform(["pixels"], config=MODEL)
    assert torch.equal(fixed(TensorDict({"pixels": images}, [5]))["pixels"], fovea.foveate(images, config=MODEL))


@pytest.mark.parametrize(
    "options, text", [({"gaze": (0.5, 0.5), "action_key": "a"}, "both"), ({"mode": "grid"}, "mode"), ({"action_key": "a", "mode": "wild"}, "wild")]
)
def test_what_is_wrong_is_said(options, text):
    with pytest.raises((TypeError, ValueError), match=text):
        fovea.torchrl.FoveatedTransform(["pixels"], **options)


def test_one_key_is_a_str():
    env = TransformedEnv(pictures(), fovea.torchrl.FoveatedTransform("pixels", "seen", MODEL, gaze=(0.2, 0.7)))
    check_env_specs(env)
    check_seen(env.rollout(2))


@pytest.mark.parametrize("use", [lambda env: env.reset(), lambda env: env.observation_spec, lambda env: env.rollout(2)])
def test_a_key_that_is_not_there_is_said(use):
    env = TransformedEnv(pictures(), fovea.torchrl.FoveatedTransform(["pixel"]))
    with pytest.raises(ValueError, match="no entry 'pixel'; there are .*'pixels'"):
        use(env)
    batch = TensorDict({"pixels": torch.zeros((5, HEIGHT, WIDTH, 3)), "a": TensorDict({"b": torch.zeros(5)}, [5])}, [5])
    with pytest.raises(ValueError, match=r"no entry 'pixel'; there are 'pixels', \('a', 'b'\)"):
        env.transform(batch)


@pytest.mark.parametrize("options", [{"gian": 1}, {"gian": 1, "action_key": "a"}, {"gian": 1, "mode": "grid", "action_key": "a"}])
def test_an_option_that_is_not_there_is_said(options):
    with pytest.raises(TypeError, match="FoveatedTransform has no option 'gian'; .*velocity_gain") as said:
        fovea.torchrl.FoveatedTransform(["pixels"], **options)
    assert "Eye" not in str(said.value)


def test_each_image_goes_to_one_key():
    with pytest.raises(ValueError, match="out_keys are 2, in_keys 1"):
        fovea.torchrl.FoveatedTransform("pixels", ["a", "b"])


def test_an_action_that_is_not_finite_does_not_spoil_the_gaze():
    env = TransformedEnv(pictures(), fovea.torchrl.FoveatedTransform("pixels", config=MODEL, **WAYS["relative"]))
    start = env.rand_action(env.reset())
    start["sensory_action"] = torch.tensor([float("nan"), 0])
    with pytest.raises(ValueError, match="sensory_action is not finite"):
        env.step(start)
    start["sensory_action"] = torch.tensor([0.25, 0])
    assert torch.equal(env.step(start)["next", "gaze"], torch.tensor([0.75, 0.5]))
