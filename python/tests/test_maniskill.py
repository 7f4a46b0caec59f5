# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""ManiSkill 3 itself, rendering on a GPU. Its wheel and SAPIEN's are no part of CI: they need Vulkan on a GPU."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("sapien", exc_type=ImportError)
pytest.importorskip("mani_skill", exc_type=ImportError)
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import mani_skill.envs  # noqa: E402, F401

import fovea  # noqa: E402
import fovea.gym  # noqa: E402

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "maniskill_cameras.py"
KEY = "sensor_data/base_camera/rgb"
MODEL = {"foveation.strength": 0.5}


@pytest.fixture
def env():
    made = gymnasium.make("PushCube-v1", obs_mode="rgb", sim_backend="cpu", render_backend="gpu")
    yield made
    made.close()


def image(observation):
    return observation["sensor_data"]["base_camera"]["rgb"]


def test_the_camera_of_an_environment_is_foveated_on_its_device(env):
    plain, _ = env.reset(seed=1)
    assert image(plain).is_cuda and not image(plain).is_contiguous()  # a view of RGBA
    wrapped = fovea.gym.ActiveGaze(env, MODEL, key=KEY)
    seen, info = wrapped.reset(seed=1)
    assert image(seen).is_cuda and info["gaze"].is_cuda
    assert torch.equal(image(seen), fovea.foveate(image(plain), (0.5, 0.5), config=MODEL))
    action = wrapped.action_space.sample()
    action["sensory_action"] = np.array([[0.25, 0.75]], np.float32).reshape(action["sensory_action"].shape)
    seen, _, terminated, truncated, info = wrapped.step(action)
    assert torch.allclose(info["gaze"].cpu(), torch.tensor([[0.25, 0.75]]))
    assert image(seen).shape == image(plain).shape and image(seen).dtype == torch.uint8
    assert not terminated.any() and not truncated.any()


def test_a_batch_of_cameras_as_the_example_has_it(tmp_path):
    picture = tmp_path / "cameras.png"
    command = [sys.executable, str(EXAMPLE), "--cameras", "8", "--out", str(picture)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "8 pictures of 192 x 192 on cuda" in done.stdout and picture.stat().st_size > 10_000
