/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Layers of halves as the machine's nodes (gauss/cuda/nodes/) read and write them, and their
 * sigmas. */
#pragma once

#include "kernels/gauss/cuda/nodes/picture.cuh"
#include "memory.cuh"

typedef pixel<FOVEA_FORMAT_RGBA16F> layer_pixel;
#define LAYER_CHANNELS 4
#define MEANS_CHANNELS 2 /* of the layer that means are made of */

/* A block's layer. Means are made where the near layer is. */
struct dof_layer_place {
    int image;
    int which;
    int pair; /* its number, or the near layer's, among all pairs */

    MEMBER dof_layer_place(const dof_cuda_nodes_params &params)
        : image((int)blockIdx.z / params.layers),
          which(params.layers == 1 ? (int)DOF_MEANS : (int)blockIdx.z % params.layers),
          pair(2 * image + (which == DOF_BEHIND ? DOF_BEHIND : DOF_NEAR))
    {
    }
    MEMBER const uint8_t *reads(const dof_cuda_frame &frame) const
    {
        return reads_of(frame, image, pair % 2);
    }
    MEMBER char *levels(const gauss_nodes &nodes) const
    {
        return (char *)(nodes.samples + (3 * image + which) * nodes.next_bytes);
    }
};

/* ---- What the machine reads, made as it is read. Four pixels begin at a multiple of four */

/* dof_nearness and dof_weight_behind of two pixels. */
DEVICE __half2 near_coverages(uint32_t two_offsets)
{
    const __half2 before = half2_of(two_offsets ^ 0x80008000u);
    return __hmin2(__hmax2(before, __float2half2_rn(0.0f)), __float2half2_rn(DOF_LAYER_PX));
}

DEVICE __half2 coverages_behind(uint32_t two_offsets)
{
    const __half2 one = __float2half2_rn(DOF_LAYER_PX);
    const __half2 far = __hmin2(half2_of(two_offsets), one);
    return __hmul2(__hsub2(one, near_coverages(two_offsets)),
                   __hmax2(far, __float2half2_rn(DOF_LEAST_BEHIND)));
}
static_assert(DOF_LAYER_PX == 1.0f, "a coverage is a sigma in pixels");

/* The layer that means are made of: sums of w n, then w, from the offsets. Of the sums t is made.
 */
struct means_image {
    dof_values<false> offsets;
    dof_values<false> near;
    const dof_cuda_frame &own;

    typedef uint2 word;

    MEMBER means_image(const dof_cuda_frame &frame, const dof_layer_place &layer)
        : offsets(frame, frame.memory.offsets, layer.image),
          near(frame, frame.memory.sigmas, 2 * layer.image + DOF_NEAR), own(frame)
    {
    }
    /* Two pixels. */
    DEVICE void words_of(uint32_t two_offsets, word &first, word &second)
    {
        const __half2 coverages = near_coverages(two_offsets);
        const __half2 sums = __hmul2(coverages, half2_of(two_offsets ^ 0x80008000u));
        first = make_uint2(__byte_perm(bits_of(sums), bits_of(coverages), 0x5410), 0);
        second = make_uint2(__byte_perm(bits_of(sums), bits_of(coverages), 0x7632), 0);
    }
    MEMBER word load(int x, int y) const
    {
        word first, second;
        words_of(__ldg(offsets.at(x, y)), first, second);
        return first;
    }
    MEMBER node_run<layer_pixel> four(int x, int y) const
    {
        const uint2 bits = __ldg((const uint2 *)offsets.at(x, y));
        node_run<layer_pixel> run;
        words_of(bits.x, run.of[0], run.of[1]);
        words_of(bits.y, run.of[2], run.of[3]);
        run.first = x;
        return run;
    }
    __device__ void store(int x, int y, word sums) const
    {
        const float2 two = __half22float2(half2_of(sums.x));
        near.store(
            x, y,
            dof_near_sigma(dof_number(offsets.bits(x, y)), two.x, two.y, reach_at(own, x, y)));
    }
};

/* A layer of colours, weighted as their offsets say; what is made of it. */
struct layer_image {
    dof_layer<false> colours;
    dof_layer<false> made;
    int which;

    typedef uint2 word;

    MEMBER layer_image(const dof_cuda_frame &frame, const dof_layer_place &layer)
        : colours(colours_of(frame, layer.image)),
          made(frame, frame.memory.made, 2 * layer.image + layer.which), which(layer.which)
    {
    }
    DEVICE word word_of(uint2 bits, uint32_t by, uint32_t mask)
    {
        const uint32_t blue_and_one = (bits.y & 0xffffu) | 0x3c000000u;
        return make_uint2(bits_of(__hmul2(half2_of(bits.x), half2_of(by))) & mask,
                          bits_of(__hmul2(half2_of(blue_and_one), half2_of(by))) & mask);
    }
    /* Two pixels. One that the layer has nothing of does not get into it, though it be no number.
     */
    MEMBER void words_of(uint2 left, uint2 right, word &first, word &second) const
    {
        const uint32_t offsets = __byte_perm(left.y, right.y, 0x7632);
        const uint32_t by =
            bits_of(which == DOF_NEAR ? near_coverages(offsets) : coverages_behind(offsets));
        const uint32_t mask = ~__hle2_mask(half2_of(by), __float2half2_rn(0.0f));
        first = word_of(left, __byte_perm(by, 0, 0x1010), __byte_perm(mask, 0, 0x1010));
        second = word_of(right, __byte_perm(by, 0, 0x3232), __byte_perm(mask, 0, 0x3232));
    }
    MEMBER word load(int x, int y) const
    {
        const uint2 bits = __ldg(colours.at(x, y));
        word first, second;
        words_of(bits, bits, first, second);
        return first;
    }
    MEMBER node_run<layer_pixel> four(int x, int y) const
    {
        const uint4 *from = (const uint4 *)colours.at(x, y);
        const uint4 left = __ldg(from);
        const uint4 right = __ldg(from + 1);
        node_run<layer_pixel> run;
        words_of(make_uint2(left.x, left.y), make_uint2(left.z, left.w), run.of[0], run.of[1]);
        words_of(make_uint2(right.x, right.y), make_uint2(right.z, right.w), run.of[2], run.of[3]);
        run.first = x;
        return run;
    }
    __device__ void store(int x, int y, word sums) const
    {
        *made.at(x, y) = sums;
    }
};

#define IMAGE_OF_LAYERS(image_type)                                                                \
    DEVICE bool is_even(const image_type &, int width)                                             \
    {                                                                                              \
        return width % 4 == 0;                                                                     \
    }                                                                                              \
    DEVICE node_run<layer_pixel> load_even(const image_type &image, int x, int row)                \
    {                                                                                              \
        return image.four(x, row);                                                                 \
    }                                                                                              \
    DEVICE bool load_run(const image_type &image, int x, int row, int width,                       \
                         node_run<layer_pixel> &run)                                               \
    {                                                                                              \
        const bool has_four = x >= 0 && x % 4 == 0 && x + 4 <= width;                              \
        if (has_four) {                                                                            \
            run = image.four(x, row);                                                              \
        }                                                                                          \
        return has_four;                                                                           \
    }
IMAGE_OF_LAYERS(means_image)
IMAGE_OF_LAYERS(layer_image)

/* ---- Sigmas of a lane's pixels: a plan of nodes for find_places and sum_tile */

/* Values of a lane's pixels, or of the nearest ones in the picture. */
DEVICE void lane_values(const dof_values<false> &values, const gauss_frame &frame,
                        const node_tile &tile, float (&out)[NODES_PIXELS])
{
    const int x = tile.column(0);
    uint16_t bits[NODES_PIXELS];
    if (x + 4 <= frame.width_px) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const uint2 four =
                *(const uint2 *)values.at(x, min(tile.row(2 * r), frame.height_px - 1));
            bits[2 * r] = (uint16_t)four.x;
            bits[2 * r + 1] = (uint16_t)(four.x >> 16);
            bits[2 * r + 4] = (uint16_t)four.y;
            bits[2 * r + 5] = (uint16_t)(four.y >> 16);
        }
    } else {
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            bits[i] = values.bits(min(tile.column(i), frame.width_px - 1),
                                  min(tile.row(i), frame.height_px - 1));
        }
    }
#pragma unroll
    for (int i = 0; i < NODES_PIXELS; i++) {
        out[i] = dof_number(bits[i]);
    }
}

/* d. A lane's pixels lie between the same tiles. */
struct means_plan {
    const dof_cuda_frame &own;
    int32_t level_count;
    float end;
    dof_layer_place layer;
    bool reached;

    MEMBER void find(const gauss_frame &frame, const node_tile &tile,
                     float (&sigmas)[NODES_PIXELS]) const
    {
        const float *tiles = tiles_at(own, own.memory.reaches);
        const between_tiles x(min(tile.column(0), frame.width_px - 1), own.columns);
        const between_tiles y(min(tile.row(0), frame.height_px - 1), own.rows);
        const float *upper = tiles + y.first * own.columns;
        const float *lower = tiles + y.second * own.columns;
        const float corners[4] = {upper[x.first], upper[x.second], lower[x.first], lower[x.second]};
#pragma unroll
        for (int i = 0; i < NODES_PIXELS; i++) {
            const between_tiles across(min(tile.column(i), frame.width_px - 1), own.columns);
            const between_tiles down(min(tile.row(i), frame.height_px - 1), own.rows);
            const float first = corners[0] + across.part * (corners[1] - corners[0]);
            const float second = corners[2] + across.part * (corners[3] - corners[2]);
            sigmas[i] = first + down.part * (second - first);
        }
    }
    __device__ float of_pixel(const gauss_frame &, int x, int y) const
    {
        return reach_at(own, x, y);
    }
};

/* t of what is near, u of what is behind. */
struct layer_plan {
    const dof_cuda_frame &own;
    int32_t level_count;
    float end;
    dof_layer_place layer;
    bool reached;

    MEMBER dof_values<false> near() const
    {
        return {own, own.memory.sigmas, 2 * layer.image + DOF_NEAR};
    }
    MEMBER dof_values<false> offsets() const
    {
        return {own, own.memory.offsets, layer.image};
    }
    MEMBER void find(const gauss_frame &frame, const node_tile &tile,
                     float (&sigmas)[NODES_PIXELS]) const
    {
        if (reached) {
            lane_values(near(), frame, tile, sigmas);
        }
        if (layer.which == DOF_BEHIND) {
            float offsets_px[NODES_PIXELS];
            lane_values(offsets(), frame, tile, offsets_px);
#pragma unroll
            for (int i = 0; i < NODES_PIXELS; i++) {
                sigmas[i] = dof_sigma_behind(offsets_px[i], reached ? sigmas[i] : 0.0f);
            }
        }
    }
    __device__ float of_pixel(const gauss_frame &, int x, int y) const
    {
        const float near_px = reached ? dof_number(near().bits(x, y)) : 0.0f;
        return layer.which == DOF_NEAR
                   ? near_px
                   : dof_sigma_behind(dof_number(offsets().bits(x, y)), near_px);
    }
};

#define PLAN_OF_LAYERS(plan_type)                                                                  \
    DEVICE void find_sigmas(const gauss_frame &frame, const plan_type &plan,                       \
                            const node_tile &tile, float(&sigmas)[NODES_PIXELS])                   \
    {                                                                                              \
        plan.find(frame, tile, sigmas);                                                            \
        _Pragma("unroll") for (int i = 0; i < NODES_PIXELS; i++)                                   \
        {                                                                                          \
            sigmas[i] = gauss_law_pictured(sigmas[i], plan.own.sigma_max_px);                      \
        }                                                                                          \
    }                                                                                              \
    DEVICE float sigma_of_pixel(const gauss_frame &frame, const plan_type &plan, int x, int y)     \
    {                                                                                              \
        return gauss_law_pictured(plan.of_pixel(frame, x, y), plan.own.sigma_max_px);              \
    }
PLAN_OF_LAYERS(means_plan)
PLAN_OF_LAYERS(layer_plan)
