/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A tile from the picture itself, where sigma is below two pixels or so. Nothing can be decimated there, and
 * a Gaussian of its own for every pixel costs more in weights than in samples. So few Gaussians are
 * applied to all pixels, as products with banded matrices on tensor cores, rows and then columns without
 * leaving the registers; a pixel blends the two whose sigma lie around its own. Blending pictures that
 * are blurred in both directions already, it is right however fast sigma changes; the Gaussians only have
 * to lie close (foveate_tile_nodes.cuh).
 *
 * A warp makes a patch of 16 x 16 pixels. The window lies in shared memory, a plane of halves for each
 * channel. Pixels that the law leaves alone are copied bit by bit.
 *
 *     foveate_tile_near_window.cuh   the window
 *     foveate_tile_near_patch.cuh    a patch of it, blurred
 *     foveate_tile_near_writer.cuh   the patch into the picture */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_NEAR_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_NEAR_CUH

#include "foveate_tile_near_patch.cuh"
#include "foveate_tile_near_window.cuh"
#include "foveate_tile_near_writer.cuh"

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_patch(const near_writer<FORMAT, Image> &writer,
                                                  const near_memory &memory, const near_tile &tile,
                                                  int x, int y)
{
    const tile_work<FORMAT, Image> &work = writer.work;
    near_weights &weights = memory.weights[near_thread() / 32];
    const int channels = work.frame.blur_alpha ? 4 : 3;
    const near_nodes nodes = find_nodes(memory.sigmas, weights, x, y, work.frame.light != 0);
    uint32_t copied = 0;
    const near_pixels places = nodes.exact
                                   ? exact_places(work.law, nodes, tile.x0 + x, tile.y0 + y, copied)
                                   : places_between(weights);
    near_pixels out[4] = {};
    if (tile.halo == 4) {
        blur_patch<4>(nodes, weights, memory.planes, x, y, channels, places, out);
    } else if (tile.halo == 8) {
        blur_patch<8>(nodes, weights, memory.planes, x, y, channels, places, out);
    } else {
        blur_patch<12>(nodes, weights, memory.planes, x, y, channels, places, out);
    }
    writer(tile.x0 + x, tile.y0 + y, out, copied, nodes.exact);
    __syncwarp();
}

template <enum fovea_format FORMAT, typename Image>
static __device__ __forceinline__ void make_near(const tile_work<FORMAT, Image> &work,
                                                 const near_tile &tile)
{
    const foveate_frame &frame = work.frame;
    const bool light = frame.light != 0;
    const near_memory memory(work.shared);
    fill_light<pixel<FORMAT>>(memory.light, light, FOVEATE_TILE_THREADS);
    tile_sample base = zero_sample();
    if (light) {
        __syncthreads();
    } else {
        const tile_decoder<FORMAT> plain(false, nullptr);
        base = plain(work.src.load(min(tile.x0 + tile.side / 2, frame.width_px - 1),
                                   min(tile.y0 + tile.side / 2, frame.height_px - 1)));
    }
    tile_decoder<FORMAT> decode(light, memory.light);
    decode.zero = decode.zero + base;
    const near_loader<FORMAT, Image> load = {work,
                                             memory,
                                             tile,
                                             decode,
                                             near_fours(tile),
                                             frame.blur_alpha != 0,
                                             foveate_tile_plane(tile.halo),
                                             FOVEATE_TILE_NEAR_PITCH(tile.halo)};
    const near_seen seen = load();
    if (light) {
        keep_least(seen.least, memory.least);
    }
    const bool opaque = __syncthreads_and(seen.all >= tile_pixel<FORMAT>::opaque) != 0;
    if (light) {
        base = rebase_planes(memory, foveate_tile_plane(tile.halo), frame.blur_alpha ? 4 : 3);
    }
    const near_writer<FORMAT, Image> writer = {work, tile_encoder<FORMAT>(base, light),
                                               needs_alpha<FORMAT>(frame) && !opaque};
    const int patches = (tile.side + NEAR_PATCH - 1) / NEAR_PATCH;
#pragma unroll 1
    for (int i = near_thread() / 32; i < patches * patches; i += FOVEATE_TILE_WARPS) {
        const int x = patch_at(i % patches, tile.side);
        const int y = patch_at(i / patches, tile.side);
        if (tile.x0 + x < frame.width_px && tile.y0 + y < frame.height_px) {
            make_patch(writer, memory, tile, x, y);
        }
    }
}

#endif
