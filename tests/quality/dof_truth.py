#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Depth of field against a real aperture; prints the tables of docs/dof.md, and one of both blurs.

    python3 tests/quality/dof_truth.py [FOLDER]

Mitsuba 3 renders five small scenes through a thin lens, which is the truth, and through a pinhole, with the depth of every pixel
beside that. The operator dof and others that make depth of field of a picture and its depths are given the latter. Errors are of
stored values (a power of 1/2.2); edges are where depths are apart, as far as circles of confusion reach. FOLDER gets the pictures.

Needs mitsuba and numpy of the Python package index, and the package fovea with FOVEA_LIB. Takes five minutes on two cores.
"""

import pathlib
import sys

import mitsuba as mi
import numpy as np

import fovea

mi.set_variant("scalar_rgb")
WIDTH, HEIGHT = 192, 128
FIELD_DEG = 40.0
PX = WIDTH / 2 / np.tan(np.radians(FIELD_DEG / 2))  # of a tangent
SAMPLES = 1024
PINHOLE_SAMPLES = 64

# ---- Scenes: flat things that shine, so that no light but the lens's makes noise


def texture(kind, seed, side=128, lights=40):
    chance = np.random.default_rng(seed)
    y, x = np.mgrid[0:side, 0:side]
    if kind == "checker":
        values = ((x // 8 + y // 8) % 2)[..., None] * np.array([0.8, 0.7, 0.5]) + 0.1
    elif kind == "noise":
        values = np.kron(chance.random((side // 4, side // 4, 3)), np.ones((4, 4, 1))) * 0.8 + 0.05
    elif kind == "lines":
        values = (((x + y // 2) // 4) % 2)[..., None] * np.array([0.3, 0.6, 0.9]) + 0.05
    elif kind == "highlights":
        values = np.full((side, side, 3), 0.04)
        for _ in range(26):
            at_x, at_y = chance.integers(4, side - 4, 2)
            values[(x - at_x) ** 2 + (y - at_y) ** 2 <= 2] = chance.random(3) * 12 + 4
    elif kind == "lights":
        values = np.kron(chance.random((side // 8, side // 8, 3)), np.ones((8, 8, 1))) * 0.2 + 0.03
        for _ in range(lights):
            at_x, at_y = chance.integers(4, side - 4, 2)
            values[at_y, at_x] = chance.random(3) * 20 + 20
    else:
        values = np.ones((side, side, 3)) * [0.8, 0.1, 0.05]
        values[(x // 16) % 2 == 0] *= 0.6
    return {"type": "bitmap", "bitmap": mi.Bitmap(values.astype(np.float32)), "raw": True, "filter_type": "nearest"}


def shape(kind, place, size, picture, lying=False):
    to_world = mi.ScalarTransform4f().translate(place)
    if lying:
        to_world = to_world @ mi.ScalarTransform4f().rotate([1, 0, 0], 90)
    to_world = to_world @ mi.ScalarTransform4f().scale([*size, 1]) @ mi.ScalarTransform4f().rotate([0, 1, 0], 180)
    return {"type": kind, "to_world": to_world, "light": {"type": "area", "radiance": picture}}


def rectangle(place, size, picture, lying=False):
    return shape("rectangle", place, size, picture, lying)


def disk(place, size, picture):
    return shape("disk", place, (size, size), picture)


# Things, the distance that is in focus and the radius of the aperture, in metres.
SCENES = {
    "near over focus": (
        [
            rectangle([0, 0, 2], (1, 1), texture("checker", 1)),
            rectangle([-0.15, 0, 0.7], (0.03, 0.5), texture("red", 2)),
            disk([0.13, 0.05, 0.6], 0.06, texture("noise", 3)),
        ],
        2.0,
        0.05,
    ),
    "focus over far": (
        [
            rectangle([0, 0, 6], (3, 3), texture("highlights", 4)),
            disk([-0.12, 0, 1], 0.15, texture("noise", 5)),
            rectangle([0.18, 0, 1], (0.02, 0.5), texture("checker", 6)),
            rectangle([0.25, 0.1, 1], (0.08, 0.012), texture("red", 7)),
        ],
        1.0,
        0.05,
    ),
    "many depths": (
        [
            rectangle([0, -0.35, 4], (3, 4), texture("checker", 8), lying=True),
            rectangle([0, 0, 8], (4, 3), texture("lines", 9)),
            disk([-0.2, -0.05, 0.8], 0.12, texture("red", 1)),
            disk([0.05, 0, 1.5], 0.2, texture("noise", 2)),
            disk([0.7, 0.2, 3], 0.35, texture("checker", 3)),
            disk([-0.9, 0.3, 5], 0.5, texture("highlights", 10)),
        ],
        1.5,
        0.06,
    ),
    "lights": (
        [
            rectangle([0, 0, 6], (2.6, 2.6), texture("lights", 4)),
            disk([0.02, 0.05, 1.2], 0.2, texture("noise", 5)),
            rectangle([-0.14, 0, 0.7], (0.06, 0.5), texture("lights", 9, lights=20)),
        ],
        1.2,
        0.05,
    ),
    "slope": (
        [
            rectangle([0, -0.35, 4], (3, 4), texture("checker", 8, 256), lying=True),
            rectangle([0, 0, 8], (4, 3), texture("lines", 9)),
            disk([-0.2, -0.05, 0.7], 0.08, texture("red", 1)),
            disk([-0.25, 0.1, 1.2], 0.16, texture("noise", 2)),
            disk([0.7, 0.1, 3], 0.35, texture("checker", 3)),
        ],
        3.0,
        0.06,
    ),
}


def scene_of(things, camera=None):
    scene = {"type": "scene", "integrator": {"type": "path", "max_depth": 1}}
    scene.update({f"thing{i}": thing for i, thing in enumerate(things)})
    if camera:
        scene["sensor"] = camera
    return mi.load_dict(scene)


def camera_of(samples, pixel_format="rgb", **lens):
    return {
        "type": "thinlens" if lens else "perspective",
        "fov": FIELD_DEG,
        "fov_axis": "x",
        "near_clip": 0.05,
        "far_clip": 100,
        "to_world": mi.ScalarTransform4f().look_at([0, 0, 0], [0, 0, 1], [0, 1, 0]),
        "film": {
            "type": "hdrfilm",
            "width": WIDTH,
            "height": HEIGHT,
            "rfilter": {"type": "box"},
            "pixel_format": pixel_format,
            "component_format": "float32",
        },
        "sampler": {"type": "multijitter", "sample_count": samples},
        **lens,
    }


def sigma_of(depths, focus_m, aperture_m):
    """Of the Gaussian that has the circle's variance, in pixels, below 0 before the focus."""
    return PX * aperture_m * (1 / focus_m - 1 / depths) / 2


def depths_of(things):
    """The distance along the view axis at the middle of every pixel."""
    scene = scene_of(things)
    depths = np.full((HEIGHT, WIDTH), np.inf)
    for y, x in np.ndindex(HEIGHT, WIDTH):
        way = np.array([-(x + 0.5 - WIDTH / 2) / PX, -(y + 0.5 - HEIGHT / 2) / PX, 1.0])
        hit = scene.ray_intersect(mi.Ray3f([0, 0, 0], (way / np.linalg.norm(way)).tolist()))
        if hit.is_valid():
            depths[y, x] = float(hit.t) / np.linalg.norm(way)
    return depths


# ---- Others, each with the Gaussian that dof has, and one as engines ship it, with discs


def shifted(picture, dx, dy):
    y = np.clip(np.arange(HEIGHT) + dy, 0, HEIGHT - 1)
    x = np.clip(np.arange(WIDTH) + dx, 0, WIDTH - 1)
    return picture[y][:, x]


def places(reach):
    reach = int(np.ceil(reach))
    return [(x, y) for y in range(-reach, reach + 1) for x in range(-reach, reach + 1)]


def gathered(picture, sigma):
    """Each pixel by the Gaussian of its own sigma."""
    out, sums = np.zeros_like(picture), np.zeros(sigma.shape)
    variance = np.maximum(sigma, 1e-6) ** 2
    for dx, dy in places(3.5 * sigma.max()):
        weight = np.exp(-(dx * dx + dy * dy) / (2 * variance))
        if weight.max() > 1e-4:
            out += weight[..., None] * shifted(picture, dx, dy)
            sums += weight
    return out / sums[..., None]


def plain(picture, sigma, depths):
    return gathered(picture, np.abs(sigma))


def scattered(picture, sigma, depths, disc=True):
    """A pixel counts where its own disc, or Gaussian, covers another; what lies behind spreads no farther than that one."""
    own = np.maximum(np.abs(sigma), 0.25)
    out, sums = np.zeros_like(picture), np.zeros(sigma.shape)
    for dx, dy in places((2 if disc else 3.5) * own.max()):
        other = shifted(own, dx, dy)
        other = np.where(shifted(depths, dx, dy) > depths, np.minimum(other, own), other)
        if disc:
            weight = np.clip(2 * other - np.hypot(dx, dy) + 0.5, 0, 1) / (4 * other**2)
        else:
            weight = np.exp(-(dx * dx + dy * dy) / (2 * other**2)) / other**2
        out += weight[..., None] * shifted(picture, dx, dy)
        sums += weight
    return out / sums[..., None]


def by_quasi(values, sigma_px):
    """Each channel by quasi-convolution, Fovea's own."""
    config = {"operators": "blur", "blur.engine": "quasi", "blur.sigma_px": sigma_px, "foveation.alpha": "premultiplied"}
    return fovea.foveate(values.astype(np.float32), config=config).astype(float)


def by_gaussian(values, sigma_px):
    return gathered(values, np.full(values.shape[:2], sigma_px))


def layered(count):
    """Layers of one sigma each, among which pixels are shared, composed from the front (Kraus and Strengert 2007)."""

    def run(picture, sigma, depths):
        out, open_part = np.zeros_like(picture), np.ones(sigma.shape)
        levels = np.linspace(sigma.min(), sigma.max(), count)
        for level in levels:
            share = np.clip(1 - np.abs(sigma - level) / (levels[1] - levels[0]), 0, 1)[..., None]
            layer = gathered(np.concatenate([picture * share, share], -1), np.full(sigma.shape, abs(level)))
            out += open_part[..., None] * layer[..., :3]
            open_part *= 1 - np.clip(layer[..., 3], 0, 1)
        return out / np.maximum(1 - open_part, 1e-3)[..., None]

    return run


def peels_of(things):
    """What depth peeling gives: at each pixel what its middle's ray meets, from the front, as colours, and depths."""
    fragments = []
    for thing in things:
        film = np.array(mi.render(scene_of([thing], camera_of(PINHOLE_SAMPLES, pixel_format="rgba")))).astype(float)
        fragments.append((depths_of([thing]), film[..., :3] / np.maximum(film[..., 3:], 1e-6)))
    depths = np.stack([depth for depth, _ in fragments])
    order = np.argsort(depths, axis=0, kind="stable")
    colours = np.stack([colour for _, colour in fragments])
    return np.take_along_axis(colours, order[..., None], 0), np.take_along_axis(depths, order, 0)


def by_layers(count, blur, colours, depths, focus_m, aperture_m):
    """Schedl and Wimmer 2012: fragments of all peels are shared among layers of one sigma each, which are blurred and composed.

    A fragment has all that is left of it in the last layer that it is in: without blur the picture is what it was.
    """
    there = np.isfinite(depths)
    sigma = np.where(there, sigma_of(np.where(there, depths, focus_m), focus_m, aperture_m), 0)
    levels = np.linspace(sigma.min(), sigma.max(), count)
    place = np.clip((sigma - levels[0]) / (levels[1] - levels[0]), 0, count - 1)
    first = np.minimum(place.astype(int), count - 2)
    out, open_part = np.zeros(colours.shape[1:]), np.ones(depths.shape[1:])
    for number, level in enumerate(levels):
        layer = np.zeros((*depths.shape[1:], 4))
        for peel, colour in enumerate(colours):
            part = np.where(first[peel] == number, 1 - (place - first)[peel], first[peel] + 1 == number) * there[peel]
            part = (part * (1 - layer[..., 3]))[..., None]
            layer += part * np.concatenate([colour, np.ones_like(part)], -1)
        layer = blur(layer, abs(level))
        out += open_part[..., None] * layer[..., :3]
        open_part *= 1 - np.clip(layer[..., 3], 0, 1)
    return out / np.maximum(1 - open_part, 1e-3)[..., None]


def of_fovea(picture, sigma, depths, focus_m, aperture_m, bokeh="gaussian"):
    """A lens of that aperture whose picture is as wide as the camera's at the focus."""
    focal_mm = 100.0
    image_mm = 1 / (1 / focal_mm - 1 / (1000 * focus_m))
    config = {
        "operators": "dof",
        "dof.focus": "fixed",
        "dof.focus_m": focus_m,
        "dof.focal_mm": focal_mm,
        "dof.f_number": focal_mm / (2000 * aperture_m),
        "dof.sensor_mm": image_mm * WIDTH / PX,
        "dof.bokeh": bokeh,
    }
    return fovea.foveate(picture.astype(np.float32), config=config, depth=fovea.Depth(depths.astype(np.float32)))


# ---- Both blurs: what an eye does not resolve of the lens's picture, by one Gaussian of so many pixels

EYE_PX = 4.0


def reaching(near, side=8):
    """d of kernels/dof/dof.h."""
    rows, columns = HEIGHT // side, WIDTH // side
    tiles = near.reshape(rows, side, columns, side).max((1, 3))
    y, x = np.mgrid[0:rows, 0:columns]
    reached = np.zeros_like(tiles)
    for (row, column), sigma in np.ndenumerate(tiles):
        left = 4 * sigma - side * np.maximum(np.hypot(y - row, x - column) - 1.5, 0)
        reached = np.maximum(reached, np.clip(left, 0, sigma))
    for axis, count in ((0, rows), (1, columns)):
        at = np.clip((np.arange(count * side) + 0.5) / side - 0.5, 0, count - 1)
        first = np.minimum(at.astype(int), count - 2)
        part = (at - first).reshape([-1, 1] if axis == 0 else [1, -1])
        reached = reached.take(first, axis) * (1 - part) + reached.take(first + 1, axis) * part
    return reached


def one_field(picture, sigma):
    """The formulas of kernels/dof/dof.h, with the variance of the eye's blur added to each of both layers."""
    near, far = np.maximum(-sigma, 0), np.maximum(sigma, 0)
    share = np.clip(near, 0, 1)
    reach = reaching(near)
    means = gathered(np.stack([share * near, share], -1), reach)
    mean = np.minimum(means[..., 0] / np.maximum(means[..., 1], 1e-4), reach)
    near_sigma = (1 - share) * mean + share * near
    weight = (1 - share) * np.clip(np.hypot(far, EYE_PX), 1 / 32, 1)
    layers = [
        gathered(np.concatenate([picture * part[..., None], part[..., None]], -1), np.hypot(own, EYE_PX))
        for part, own in ((share, near_sigma), (weight, (1 - share) * far + share * near_sigma))
    ]
    behind = layers[1][..., :3] / np.maximum(layers[1][..., 3:], 1e-3)
    return layers[0][..., :3] + (1 - layers[0][..., 3:]) * behind


def seen(picture):
    return gathered(picture, np.full((HEIGHT, WIDTH), EYE_PX))


# ---- Errors


def stored(picture):
    return np.clip(picture, 0, 1) ** (1 / 2.2)


def similarity(a, b):
    def mean(values):
        return gathered(values, np.full(values.shape[:2], 1.5))

    mean_a, mean_b = mean(a), mean(b)
    both = mean(a * b) - mean_a * mean_b
    variances = mean(a * a) - mean_a**2 + mean(b * b) - mean_b**2
    return (2 * mean_a * mean_b + 1e-4) * (2 * both + 9e-4) / ((mean_a**2 + mean_b**2 + 1e-4) * (variances + 9e-4))


def edges_of(depths, sigma):
    diopters = 1 / depths
    edges = np.zeros(depths.shape, bool)
    edges[:, 1:] |= np.abs(np.diff(diopters, axis=1)) > 0.02
    edges[1:] |= np.abs(np.diff(diopters, axis=0)) > 0.02
    found = edges.copy()
    reach = 2 * np.abs(sigma).max()
    for dx, dy in places(reach):
        if dx * dx + dy * dy <= reach * reach:
            found |= shifted(edges, dx, dy)
    return found


def errors(result, truth, edges):
    squares = (stored(result) - stored(truth)) ** 2
    alike = similarity(stored(result), stored(truth))
    return f"{np.sqrt(squares.mean()):.4f} | {alike.mean():.3f} | {np.sqrt(squares[edges].mean()):.4f} | {alike[edges].mean():.3f}"


def of_layers(picture, depths, things, focus_m, aperture_m):
    """The layers of Ernst 2013, of one picture and of peels, by Gaussians and by quasi-convolution."""
    inputs = {"one picture": (picture[None], depths[None]), "peels": peels_of(things)}
    blurs = {"Gaussians": by_gaussian, "quasi": by_quasi}
    return {
        f"{count} layers of {what}, {how}": by_layers(count, blur, *given, focus_m, aperture_m)
        for what, given in inputs.items()
        for count in (8, 16)
        for how, blur in blurs.items()
    }


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    tables = {"lens": [], "layers": [], "quasi beside Gaussians": [], "lens and eye": []}
    for name, (things, focus_m, aperture_m) in SCENES.items():
        lens = {"aperture_radius": aperture_m, "focus_distance": focus_m}
        truth = np.array(mi.render(scene_of(things, camera_of(SAMPLES, **lens)))).astype(float)
        picture = np.array(mi.render(scene_of(things, camera_of(PINHOLE_SAMPLES)))).astype(float)
        depths = depths_of(things)
        sigma = sigma_of(depths, focus_m, aperture_m)
        edges = edges_of(depths, sigma)
        made = {
            "the picture as it is": picture,
            "plain gather": plain(picture, sigma, depths),
            "scatter as gather": scattered(picture, sigma, depths, disc=False),
            "16 layers": layered(16)(picture, sigma, depths),
            "**dof**": of_fovea(picture, sigma, depths, focus_m, aperture_m),
            "**dof**, `disc`": of_fovea(picture, sigma, depths, focus_m, aperture_m, "disc"),
            "scatter as gather, discs": scattered(picture, sigma, depths),
        }
        both = {
            "`dof`, then the eye": seen(made["**dof**"].astype(float)),
            "the eye, then `dof`": of_fovea(seen(picture), sigma, depths, focus_m, aperture_m),
            "one field of sigmas": one_field(picture, sigma),
        }
        tables["lens"] += [f"| {name} | {how} | {errors(result, truth, edges)} |" for how, result in made.items()]
        layers = of_layers(picture, depths, things, focus_m, aperture_m)
        tables["layers"] += [f"| {name} | {how} | {errors(result, truth, edges)} |" for how, result in layers.items()]
        for how in [how for how in layers if how.endswith("quasi")]:
            a, b = layers[how], layers[how.replace("quasi", "Gaussians")]
            levels = np.abs(stored(a) - stored(b)).max() * 255
            tables["quasi beside Gaussians"] += [f"| {name} | {how}, {levels:.1f} levels at most | {errors(a, b, edges)} |"]
        tables["lens and eye"] += [f"| {name} | {how} | {errors(result, seen(truth), edges)} |" for how, result in both.items()]
        if folder:
            row = np.hstack([stored(each) for each in (picture, truth, *made.values())])
            mi.Bitmap((row * 255 + 0.5).astype(np.uint8)).write(str(folder / f"{name.replace(' ', '-')}.png"))
    for what, lines in tables.items():
        print(f"{what}\n\n| scene | how | RMSE | SSIM | RMSE at edges | SSIM at edges |\n|---|---|---|---|---|---|")
        print("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
