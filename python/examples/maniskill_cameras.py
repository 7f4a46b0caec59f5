# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Cameras round a ManiSkill scene, rendered as a batch and foveated where they lie, each around the cube it looks past.

    python python/examples/maniskill_cameras.py --cameras 16 --out cameras.png

The pictures never leave the GPU before the last line saves a few. Needs a GPU with Vulkan, and
pip install torch mani_skill pillow
"""

import argparse

import gymnasium
import mani_skill.envs  # noqa: F401  it registers the environments
import numpy as np
import sapien
import torch
from mani_skill.utils import sapien_utils
from PIL import Image

import fovea


def place_cameras(scene, count, size_px):
    """In a half circle round the table, all looking at its middle."""
    cameras = []
    for i in range(count):
        angle = np.pi * (i + 0.5) / count - np.pi / 2
        eye = (0.9 * np.cos(angle), 0.9 * np.sin(angle), 0.7)
        camera = scene.add_camera(f"round-{i}", size_px, size_px, 1.0, 0.01, 10)
        camera.entity.set_pose(sapien_utils.look_at(eye, (-0.2, 0, 0.25)).sp)
        cameras.append(camera)
    return cameras


def gaze_at(camera, point_m):
    """Where a point of the world is in a camera's picture, in uv."""
    seen = camera.get_extrinsic_matrix()[:3] @ np.append(point_m, 1)
    x, y, depth = camera.get_intrinsic_matrix() @ seen
    return x / depth / camera.width, y / depth / camera.height


class Cameras:
    """A batch of cameras of one scene: `pictures()` is (N, H, W, 4) uint8 on the GPU, written anew each time."""

    def __init__(self, scene, cameras):
        self.scene = scene
        self._systems = sapien.render.RenderSystemGroup([scene.render_system])
        self._group = self._systems.create_camera_group(cameras, ["Color"])

    def pictures(self):
        self.scene.update_render()
        self._group.take_picture()
        pictures = self._group.get_picture_cuda("Color").torch()
        # ManiSkill's "minimal" shader makes bytes, SAPIEN's own ones floats.
        return pictures if pictures.dtype == torch.uint8 else (pictures.clamp(0, 1) * 255).to(torch.uint8)


def milliseconds(work, times=20):
    """Of the GPU, on average, after a first time."""
    work()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--cameras", type=int, default=16)
    parser.add_argument("--size", type=int, default=192, help="of a picture, in pixels each way")
    parser.add_argument("--strength", type=float, default=0.5)
    parser.add_argument("--out", default="cameras.png", help="four cameras: above as rendered, below as foveated")
    arguments = parser.parse_args()

    env = gymnasium.make("PushCube-v1", obs_mode="rgb", sim_backend="cpu", render_backend="gpu")
    env.reset(seed=3)
    scene = env.unwrapped.scene.sub_scenes[0]
    cameras = place_cameras(scene, arguments.cameras, arguments.size)
    cube_m = env.unwrapped.obj.pose.p[0].cpu().numpy()
    gazes = torch.tensor([gaze_at(camera, cube_m) for camera in cameras], dtype=torch.float32, device="cuda")

    batch = Cameras(scene, cameras)
    foveator = fovea.Foveator({"foveation.strength": arguments.strength})
    full = batch.pictures()[..., :3]  # a view of four bytes a pixel: no copy
    seen = foveator(full, gazes)
    print(f"{len(cameras)} pictures of {arguments.size} x {arguments.size} on {full.device}: "
          f"rendered in {milliseconds(batch.pictures):.2f} ms, foveated in {milliseconds(lambda: foveator(full, gazes)):.3f} ms")
    few = [round(i) for i in np.linspace(0, len(cameras) - 1, min(4, len(cameras)))]
    rows = [torch.cat(list(pictures[few]), 1) for pictures in (full, seen)]
    Image.fromarray(torch.cat(rows).cpu().numpy()).save(arguments.out, optimize=True)
    env.close()


if __name__ == "__main__":
    main()
