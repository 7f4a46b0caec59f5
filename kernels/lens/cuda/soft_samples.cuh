/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Several places a pixel (lens.samples) of a source as soft.cuh has it: a texture gives the light
 * at each place, and near the gaze bytes are decoded by arithmetic. Alpha, and whether there is a
 * source at all, the pixel's centre says. */
#ifndef FOVEA_KERNELS_LENS_CUDA_SOFT_SAMPLES_CUH
#define FOVEA_KERNELS_LENS_CUDA_SOFT_SAMPLES_CUH

#include "samples.cuh"
#include "soft.cuh"

/* ---- Places in a pixel ----------------------------------------------------------------------- */

/* By the polynomial, which has the 1 in soft.terms. */
struct lens_soft_formula_in {
    typedef lens_formula_places_in sharp;

    const lens_frame &frame;
    const lens_soft &soft;
    float from_x_px;
    float from_y_px;

    __device__ __forceinline__ lens_soft_formula_in(const lens_frame &frame, const lens_soft &soft,
                                                    int x, int y)
        : frame(frame), soft(soft), from_x_px((float)x + frame.fixed.first_x_px),
          from_y_px((float)y + frame.fixed.first_y_px)
    {
    }
    __device__ __forceinline__ lens_soft_place at(int color, float beside_x_px,
                                                  float beside_y_px) const
    {
        const float x_px = from_x_px + beside_x_px;
        const float y_px = from_y_px + beside_y_px;
        const float square = fmaf(y_px, y_px, x_px * x_px);
        const float *terms = soft.terms + color * LENS_POWERS;
        const float scale = frame.fixed.is_simple ? lens_polynomial<true>(terms, square)
                                                  : lens_polynomial<false>(terms, square);
        return {fmaf(x_px, scale, soft.center_x_px), fmaf(y_px, scale, soft.center_y_px)};
    }
};

/* Among a grid's points, from steps. */
template <int COUNT> struct lens_soft_points_in {
    typedef lens_grid_places_in<COUNT> sharp;

    sharp places;
    float px_a_step;

    __device__ __forceinline__ lens_soft_points_in(const lens_frame &frame, const lens_soft &soft,
                                                   int x, int y)
        : places(frame, x, y), px_a_step(soft.px_a_step)
    {
    }
    __device__ __forceinline__ lens_soft_place at(int color, float beside_x_px,
                                                  float beside_y_px) const
    {
        const lens_spot spot = places.at(color, beside_x_px, beside_y_px);
        return {fmaf((float)spot.x, px_a_step, 0.5f), fmaf((float)spot.y, px_a_step, 0.5f)};
    }
};

/* ---- Sums near the gaze ---------------------------------------------------------------------- */

/* Takes what lens_light_sums takes, and needs no table. */
struct lens_halves_sums : lens_sums_of_four {
    static const int AT = lens_light_level::AT;
    typedef lens_light_halves bytes;
    static const bool IN_TURN = true;

    float light[3];
    float share;

    __device__ __forceinline__ lens_halves_sums(const lens_light_halves &, int count)
        : light{0.0f, 0.0f, 0.0f}, share(1.0f / (float)count)
    {
    }
    template <int CHANNEL>
    __device__ __forceinline__ void add_one(const lens_four &four, const lens_parts &parts)
    {
        light[CHANNEL] +=
            lens_light_halves::light<CHANNEL>(four, lens_light_halves::weights_of(parts));
    }
    __device__ __forceinline__ void add(const lens_four &four, const lens_parts &parts)
    {
        add_one<0>(four, parts);
        add_one<1>(four, parts);
        add_one<2>(four, parts);
    }
    template <int CHANNEL> __device__ __forceinline__ uint32_t mean() const
    {
        return lens_light_level::of(light[CHANNEL] * share);
    }
    __device__ __forceinline__ uint32_t mean_of_alpha() const
    {
        return 0; /* alpha that is interpolated has no texture */
    }
};

static __device__ __forceinline__ void lens_add_alpha(lens_halves_sums &, const lens_four &,
                                                      const lens_parts &, bool)
{
}

/* Few threads take it: it is a call, so that the others' registers hold nothing of it. */
template <bool COLORED, typename Places, typename Params>
static __device__ __noinline__ uint32_t lens_sharp_word(const Params &params, int x, int y)
{
    const lens_frame &frame = params.frame;
    const auto src = lens_bytes_of(frame, params.src, 0);
    return lens_sampled_word<COLORED, lens_halves_sums, Places>(frame, src, lens_light_halves(), x,
                                                                y);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Returns the mean of a pixel's places. COLORED: each colour has its own. */
template <bool COLORED, typename Places, typename Source>
static __device__ __forceinline__ float3 lens_soft_mean(const lens_frame &frame,
                                                        const lens_soft &soft, const Places &places,
                                                        const Source &source)
{
    const int across = frame.samples_across;
    const float share = 1.0f / (float)across;
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll 1
    for (int j = 0; j < across; j++) {
        const float y_px = lens_offset_px(j, share);
#pragma unroll 2
        for (int i = 0; i < across; i++) {
            const float x_px = lens_offset_px(i, share);
            const float4 axis = lens_soft_light(soft, source, places.at(LENS_AXIS, x_px, y_px));
            sum.y += axis.y;
            sum.x += COLORED ? lens_soft_light(soft, source, places.at(0, x_px, y_px)).x : axis.x;
            sum.z += COLORED ? lens_soft_light(soft, source, places.at(2, x_px, y_px)).z : axis.z;
        }
    }
    const float each = share * share;
    return make_float3(sum.x * each, sum.y * each, sum.z * each);
}

template <bool COLORED, typename Places>
static __device__ __forceinline__ bool lens_samples_are_near(const lens_soft &soft,
                                                             const Places &places)
{
    const float2 gaze = lens_gaze_of(soft);
    bool near = false;
#pragma unroll
    for (int i = 0; i < LENS_COLORS; i++) {
        if (COLORED || i == LENS_AXIS) {
            near |= lens_is_near(soft, gaze, places.at(i, -0.5f, -0.5f), places.at(i, 0.5f, 0.5f));
        }
    }
    return near;
}

template <bool COLORED, typename Places, typename Params, typename Image>
static __device__ __forceinline__ uint32_t lens_soft_word(const Params &params, const Image &src,
                                                          int x, int y)
{
    const lens_frame &frame = params.frame;
    const lens_soft &soft = params.soft;
    const uint32_t blank = frame.fixed.blank;
    const Places places(frame, soft, x, y);
    const lens_soft_place centre = places.at(LENS_AXIS, 0.0f, 0.0f);
    const bool shown = lens_is_shown(soft, centre);
    const bool red = COLORED ? lens_is_shown(soft, places.at(0, 0.0f, 0.0f)) : shown;
    const bool blue = COLORED ? lens_is_shown(soft, places.at(2, 0.0f, 0.0f)) : shown;
    if (!(shown | red | blue)) {
        return blank;
    }
    if (lens_samples_are_near<COLORED>(soft, places)) {
        return lens_sharp_word<COLORED, typename Places::sharp>(params, x, y);
    }
    const float3 mean = lens_soft_mean<COLORED>(frame, soft, places, lens_soft_source(src));
    const int TO = 8 * lens_light_level::AT; /* where a level lies */
    return lens_word_by<lens_light_level::AT>(
        red ? lens_light_level::of(mean.x) : (blank & 0xffu) << TO,
        shown ? lens_light_level::of(mean.y) : (blank >> 8 & 0xffu) << TO,
        blue ? lens_light_level::of(mean.z) : (blank >> 16 & 0xffu) << TO,
        shown ? lens_soft_alpha(frame, src, centre) : blank);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

template <bool COLORED, typename Places, typename Params>
static __device__ __forceinline__ void lens_make_soft_samples(const Params &params)
{
    const lens_frame &frame = params.frame;
    const auto src = lens_bytes_of(frame, params.src, 0);
    const auto dst = lens_bytes_of(frame, params.dst, 0);
    typedef lens_image_in<Params> image;
    const int x = blockIdx.x * image::SIDE_X + threadIdx.x;
    int y = blockIdx.y * (image::SIDE_Y * LENS_BYTE_ROWS) + threadIdx.y;
    if (x >= frame.shape.width_px) {
        return;
    }
#pragma unroll 1
    for (int i = 0; i < LENS_BYTE_ROWS && y < frame.shape.height_px; i++, y += image::SIDE_Y) {
        dst.store(dst.spot_at(x, y), 0, lens_soft_word<COLORED, Places>(params, src, x, y));
    }
}

struct lens_soft_samples_by_formula {
    template <bool COLORED, typename Params> static __device__ void make(const Params &params)
    {
        lens_make_soft_samples<COLORED, lens_soft_formula_in>(params);
    }
};

struct lens_soft_samples_by_grid {
    template <bool COLORED, typename Params> static __device__ void make(const Params &params)
    {
        if (params.frame.shape.grid.quadratic) {
            lens_make_soft_samples<COLORED, lens_soft_points_in<3>>(params);
        } else {
            lens_make_soft_samples<COLORED, lens_soft_points_in<2>>(params);
        }
    }
};

#endif
