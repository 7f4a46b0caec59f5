# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Ray: a local cluster of several worker processes."""

import os
import pickle

import numpy as np
import pytest
from places import PACKAGE

import fovea
import fovea.ray

MODEL = {"foveation.strength": 2}
RNG = np.random.default_rng(11)


def pictures(*shape):
    return RNG.integers(0, 256, shape, dtype=np.uint8)


def test_a_batch_keeps_its_other_columns():
    images, gazes = pictures(4, 24, 32, 3), RNG.random((4, 2), np.float32)
    images.flags.writeable = False
    foveate = pickle.loads(pickle.dumps(fovea.ray.FoveateBatch(MODEL, gaze_column="look", output_column="seen")))
    seen = foveate({"image": images, "look": gazes, "label": np.arange(4)})
    assert seen["image"] is images and np.array_equal(seen["label"], np.arange(4))
    assert np.array_equal(seen["seen"], fovea.foveate(images, gazes, config=MODEL))
    lists = np.empty(4, object)
    lists[:] = [list(gaze) for gaze in gazes]
    assert np.array_equal(foveate({"image": images, "look": lists})["seen"], seen["seen"])
    grey = fovea.ray.FoveateBatch(MODEL)({"image": images[..., 0]})["image"]
    assert np.array_equal(grey, fovea.foveate(images[..., 0], config=MODEL, layout="NHW"))


def test_images_of_different_sizes_are_an_array_of_objects():
    images = np.empty(3, object)
    images[:] = [pictures(20, 24, 3), pictures(30, 16, 3), pictures(12, 12)]
    seen = fovea.ray.FoveateBatch(MODEL, gaze=(0.2, 0.8))({"image": images})["image"]
    for one, before, layout in zip(seen, images, ("NHWC", "NHWC", "NHW")):
        assert np.array_equal(one, fovea.foveate(before, (0.2, 0.8), config=MODEL, layout=layout))


@pytest.mark.parametrize(
    "batch, kind, text",
    [
        ({"picture": pictures(1, 8, 8, 3)}, KeyError, "'picture' has no column 'image'"),
        ({"image": np.array([b"png", b"jpg"], object)}, TypeError, "bytes"),
        ({"image": pictures(1, 8, 8, 3).astype(np.int64)}, TypeError, "int64"),
    ],
)
def test_what_is_wrong_is_said(batch, kind, text):
    with pytest.raises(kind, match=text):
        fovea.ray.FoveateBatch()(batch)


def test_a_batch_goes_to_the_gpu_and_back():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    images, gazes = pictures(4, 40, 40, 3), RNG.random((4, 2), np.float32)
    seen = fovea.ray.FoveateBatch(MODEL, gaze_column="gaze", device="cuda")({"image": images, "gaze": gazes})["image"]
    assert np.abs(seen.astype(int) - fovea.foveate(images, gazes, config=MODEL)).max() <= 2


def test_a_batch_for_a_gpu_that_is_not_there_is_unsupported(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(fovea.UnsupportedError, match="num_gpus"):
        fovea.ray.FoveateBatch(device="cuda")({"image": pictures(1, 8, 8, 3)})


class Pictures:
    """Makes an environment; module level, for other processes."""

    def __new__(cls, size=24):
        gymnasium = pytest.importorskip("gymnasium")

        class Env(gymnasium.Env):
            observation_space = gymnasium.spaces.Box(0, 255, (size, size, 3), np.uint8)
            action_space = gymnasium.spaces.Discrete(2)

            def reset(self, *, seed=None, options=None):
                return np.arange(size * size * 3, dtype=np.uint8).reshape(size, size, 3), {}

            def step(self, action):
                return self.reset()[0], 0.0, False, False, {}

        return Env()


class Reach:
    """Ends after eight steps; the first action is worth a point."""

    def __new__(cls):
        gymnasium = pytest.importorskip("gymnasium")

        class Env(gymnasium.Env):
            observation_space = gymnasium.spaces.Box(0, 255, (16, 16, 3), np.uint8)
            action_space = gymnasium.spaces.Discrete(2)

            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                self.steps = 0
                return self.observation_space.sample(), {}

            def step(self, action):
                self.steps += 1
                return self.observation_space.sample(), float(action == 0), self.steps == 8, False, {}

        return Env()


def test_environments_are_made_of_a_configuration():
    gymnasium = pytest.importorskip("gymnasium")
    env = fovea.ray.make_env({"env": Pictures, "env_args": {"size": 32}, "config": MODEL, "gaze": (0.1, 0.1)})
    raw = Pictures(32).reset()[0]
    assert np.array_equal(env.reset()[0], fovea.foveate(raw, (0.1, 0.1), config=MODEL))
    active = fovea.ray.make_env({"env": Pictures, "mode": "relative", "max_step_uv": 0.2})
    assert set(active.action_space.spaces) == {"motor_action", "sensory_action"}
    gymnasium.register("fovea_tests/Pictures-v0", entry_point=Pictures)
    assert fovea.ray.make_env({"env": "fovea_tests/Pictures-v0"}).reset()[0].shape == (24, 24, 3)
    with pytest.raises(KeyError, match="env_config has no"):
        fovea.ray.make_env({"config": MODEL})
    with pytest.raises(TypeError, match="gase"):
        fovea.ray.make_env({"env": Pictures, "gase": (0, 0)})


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    path = os.pathsep.join([str(PACKAGE), str(PACKAGE / "tests")])
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")  # else Ray keeps a token in the home folder
    ray.init(
        num_cpus=4, num_gpus=0, include_dashboard=False, log_to_driver=False, configure_logging=False,
        runtime_env={"env_vars": {"PYTHONPATH": path, "FOVEA_LIB": os.environ["FOVEA_LIB"]}},
    )  # fmt: skip
    yield ray
    ray.shutdown()


def test_ray_data_foveates_in_several_processes(cluster):
    data = pytest.importorskip("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    images = pictures(24, 20, 28, 3)
    gazes = RNG.random((24, 2), np.float32)

    class Foveate(fovea.ray.FoveateBatch):
        def __call__(self, batch):
            return {**super().__call__(batch), "process": np.full(len(batch["id"]), os.getpid())}

    rows = [{"id": i, "image": images[i], "gaze": gazes[i]} for i in range(24)]
    dataset = data.from_items(rows).repartition(6)
    seen = dataset.map_batches(  # fmt: skip
        Foveate, fn_constructor_kwargs={"config": MODEL, "gaze_column": "gaze"}, batch_size=4,
        compute=data.ActorPoolStrategy(size=2), zero_copy_batch=True,
    ).take_all()
    expected = fovea.foveate(images, gazes, config=MODEL)
    assert sorted(row["id"] for row in seen) == list(range(24))
    assert all(np.array_equal(row["image"], expected[row["id"]]) for row in seen)
    processes = {int(row["process"]) for row in seen}
    assert os.getpid() not in processes and processes


def test_environments_run_in_actors(cluster):
    """As RLlib's runners do it: the creator is found by its registered name in another process."""
    tune = pytest.importorskip("ray.tune")
    tune.register_env("foveated", fovea.ray.make_env)

    @cluster.remote
    class Runner:
        def __init__(self, env_config):
            from ray.tune.registry import ENV_CREATOR, _global_registry

            self.env = _global_registry.get(ENV_CREATOR, "foveated")(env_config)

        def first(self):
            return os.getpid(), self.env.reset()[0]

    runners = [Runner.remote({"env": Pictures, "config": MODEL}) for _ in range(2)]
    (one, first), (two, second) = cluster.get([runner.first.remote() for runner in runners])
    assert len({one, two, os.getpid()}) == 3
    assert np.array_equal(first, second) and np.array_equal(first, fovea.foveate(Pictures().reset()[0], config=MODEL))


def foveated_floats(env_config):
    """RLlib's networks take floats."""
    wrappers = pytest.importorskip("gymnasium.wrappers")
    env = fovea.ray.make_env(env_config)
    space = type(env.observation_space)(0, 1, env.observation_space.shape, np.float32)
    return wrappers.TransformObservation(env, lambda image: image.astype(np.float32) / 255, space)


@pytest.mark.slow
@pytest.mark.parametrize("mode, runners", [("relative", 0), (None, 1)])
def test_rllibs_ppo_trains(cluster, mode, runners):
    """Two iterations, in this process with where to look as a part of the action, and with a runner of its own."""
    pytest.importorskip("torch")
    ppo = pytest.importorskip("ray.rllib.algorithms.ppo")
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.tune import register_env

    register_env("foveated", foveated_floats)
    config = (
        ppo.PPOConfig()
        .environment("foveated", env_config={"env": Reach, "config": MODEL, "mode": mode})
        .env_runners(num_env_runners=runners, rollout_fragment_length=64)
        .fault_tolerance(restart_failed_env_runners=False)
        .learners(num_learners=0)
        .training(train_batch_size_per_learner=64, minibatch_size=32, num_epochs=1)
        .rl_module(model_config=DefaultModelConfig(conv_filters=[[4, 4, 4], [8, 4, 4]], head_fcnet_hiddens=[16]))
    )
    algorithm = config.build_algo()
    try:
        results = [algorithm.train() for _ in range(2)]
    finally:
        algorithm.stop()
    assert [result["training_iteration"] for result in results] == [1, 2]
    played = results[-1]["env_runners"]
    assert played["num_env_steps_sampled_lifetime"] >= 128 and 0 < played["episode_return_mean"] < 8
    assert np.isfinite(results[-1]["learners"]["default_policy"]["total_loss"])
