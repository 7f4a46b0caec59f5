/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RGBA8, bilinear, with several places a pixel (lens.samples). Each place is read and summed like
 * pixels.cuh's, into sums that all of a pixel share, so that a place costs less than a pixel with
 * one. Alpha that is kept, and whether there is a source at all, the pixel's centre says. */
#ifndef FOVEA_KERNELS_LENS_CUDA_SAMPLES_CUH
#define FOVEA_KERNELS_LENS_CUDA_SAMPLES_CUH

#include "bytes.cuh"
#include "grid.cuh"

/* ---- Reading --------------------------------------------------------------------------------- */

/* Places of a pixel whose centre has a source may lie outside of the picture, and those of another
 * colour as far as they like. */
template <typename Image>
static __device__ lens_four lens_load_clamped(const lens_frame &frame, const Image &src,
                                              const lens_spot &spot)
{
    const int last_x = frame.shape.width_px - 1;
    const int last_y = frame.shape.height_px - 1;
    const int x = spot.x >> frame.fixed.bits;
    const int y = spot.y >> frame.fixed.bits;
    const int left = min(max(x, 0), last_x);
    const int right = min(max(x + 1, 0), last_x);
    const int above = min(max(y, 0), last_y);
    const int below = min(max(y + 1, 0), last_y);
    return {{src.load(left, above), src.load(right, above)},
            {src.load(left, below), src.load(right, below)}};
}

template <typename Image>
static __device__ __forceinline__ lens_four lens_load_sample(const lens_frame &frame,
                                                             const Image &src,
                                                             const lens_spot &spot)
{
    return lens_has_four(frame, spot) ? lens_load_four(frame, src, spot)
                                      : lens_load_clamped(frame, src, spot);
}

/* ---- Sums of a pixel ------------------------------------------------------------------------- */

/* They take the four pixels around a place. */
struct lens_sums_of_four {
    typedef lens_four taps;
    static const bool IN_TURN = false; /* colours: all are read before the first sum */

    template <typename Image>
    static __device__ __forceinline__ lens_four load(const lens_frame &frame, const Image &src,
                                                     const lens_spot &spot)
    {
        return lens_load_sample(frame, src, spot);
    }
};

/* Bytes as they are stored: whole numbers, of 65536 a level and place. */
struct lens_stored_sums : lens_sums_of_four {
    static const int AT = lens_stored_bytes::AT;
    typedef lens_stored_bytes bytes;

    uint32_t sums[4];
    uint32_t share; /* of a place, times 2^32 */

    __device__ __forceinline__ lens_stored_sums(const lens_stored_bytes &, int count)
        : share(0xffffffffu / (uint32_t)count + 1u)
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sums[i] = (uint32_t)count << 15; /* half a level, so that the mean is rounded */
        }
    }
    /* Takes colour CHANNEL alone. */
    template <int CHANNEL>
    __device__ __forceinline__ void add_one(const lens_four &four, const lens_parts &parts)
    {
        const uint32_t of = CHANNEL | (CHANNEL + 4) << 4;
        const lens_stored_bytes::weights w = lens_stored_bytes::weights_of(parts);
        sums[CHANNEL] =
            __dp2a_lo(w.above, __byte_perm(four.above[0], four.above[1], of), sums[CHANNEL]);
        sums[CHANNEL] =
            __dp2a_lo(w.below, __byte_perm(four.below[0], four.below[1], of), sums[CHANNEL]);
    }
    __device__ __forceinline__ void add(const lens_four &four, const lens_parts &parts)
    {
        const lens_stored_bytes::weights w = lens_stored_bytes::weights_of(parts);
        add_row(w.above, four.above);
        add_row(w.below, four.below);
    }
    __device__ __forceinline__ void add_row(uint32_t weights, const uint32_t (&pair)[2])
    {
        const uint32_t low = __byte_perm(pair[0], pair[1], 0x5140);
        const uint32_t high = __byte_perm(pair[0], pair[1], 0x7362);
        sums[0] = __dp2a_lo(weights, low, sums[0]);
        sums[1] = __dp2a_hi(weights, low, sums[1]);
        sums[2] = __dp2a_lo(weights, high, sums[2]);
        sums[3] = __dp2a_hi(weights, high, sums[3]);
    }
    /* Returns a word whose byte AT is the mean. */
    template <int CHANNEL> __device__ __forceinline__ uint32_t mean() const
    {
        return __umulhi(sums[CHANNEL], share);
    }
    /* Returns a word whose uppermost byte it is. */
    __device__ __forceinline__ uint32_t mean_of_alpha() const
    {
        return mean<3>() << 8;
    }
};

/* Bytes as sRGB's light. Alpha is no light, and summed as it is stored. */
struct lens_light_sums : lens_sums_of_four {
    static const int AT = lens_light_level::AT;
    typedef lens_light_table bytes;

    const lens_light_table &table;
    float light[3];
    float share;
    uint32_t alpha;
    uint32_t alpha_share;

    __device__ __forceinline__ lens_light_sums(const lens_light_table &table, int count)
        : table(table), light{0.0f, 0.0f, 0.0f}, share(1.0f / (float)count),
          alpha((uint32_t)count << 15), alpha_share(0xffffffffu / (uint32_t)count + 1u)
    {
    }
    template <int CHANNEL>
    __device__ __forceinline__ void add_light(const lens_four &four, const float4 &w)
    {
        light[CHANNEL] +=
            w.x * table.at<CHANNEL>(four.above[0]) + w.y * table.at<CHANNEL>(four.above[1]) +
            w.z * table.at<CHANNEL>(four.below[0]) + w.w * table.at<CHANNEL>(four.below[1]);
    }
    template <int CHANNEL>
    __device__ __forceinline__ void add_one(const lens_four &four, const lens_parts &parts)
    {
        add_light<CHANNEL>(four, lens_weights_of(parts));
    }
    __device__ __forceinline__ void add(const lens_four &four, const lens_parts &parts)
    {
        const float4 w = lens_weights_of(parts);
        add_light<0>(four, w);
        add_light<1>(four, w);
        add_light<2>(four, w);
    }
    __device__ __forceinline__ void add_alpha(const lens_four &four, const lens_parts &parts)
    {
        const lens_stored_bytes::weights w = lens_stored_bytes::weights_of(parts);
        alpha = __dp2a_hi(w.above, __byte_perm(four.above[0], four.above[1], 0x7362), alpha);
        alpha = __dp2a_hi(w.below, __byte_perm(four.below[0], four.below[1], 0x7362), alpha);
    }
    template <int CHANNEL> __device__ __forceinline__ uint32_t mean() const
    {
        return lens_light_level::of(light[CHANNEL] * share);
    }
    __device__ __forceinline__ uint32_t mean_of_alpha() const
    {
        return __umulhi(alpha, alpha_share) << 8;
    }
};

/* Alpha that is averaged: as stored it is a sum beside the colours', which `add` has taken. */
static __device__ __forceinline__ void lens_add_alpha(lens_stored_sums &sums, const lens_four &four,
                                                      const lens_parts &parts, bool alone)
{
    if (alone) {
        sums.add_one<3>(four, parts);
    }
}

static __device__ __forceinline__ void lens_add_alpha(lens_light_sums &sums, const lens_four &four,
                                                      const lens_parts &parts, bool)
{
    sums.add_alpha(four, parts);
}

/* ---- Places in a pixel ----------------------------------------------------------------------- */

static __device__ __forceinline__ float lens_offset_px(int i, float share)
{
    return ((float)i + 0.5f) * share - 0.5f;
}

/* By the polynomial. */
struct lens_formula_places_in {
    const lens_frame &frame;
    lens_column centre;

    __device__ __forceinline__ lens_formula_places_in(const lens_frame &frame, int x, int y)
        : frame(frame), centre(lens_column_at<false>(frame, x, y))
    {
    }
    __device__ __forceinline__ lens_spot at(int color, float beside_x_px, float beside_y_px) const
    {
        const float from_x_px = centre.from_x_px + beside_x_px;
        const float from_y_px = centre.from_y_px + beside_y_px;
        const float square = fmaf(from_y_px, from_y_px, from_x_px * from_x_px);
        const float *terms = frame.fixed.terms + color * LENS_POWERS;
        const float steps = frame.fixed.is_simple ? lens_polynomial<true>(terms, square)
                                                  : lens_polynomial<false>(terms, square);
        const float a_px = frame.fixed.steps_a_px;
        return {lens_steps_after<false>(fmaf(from_x_px, steps, beside_x_px * a_px), centre.x),
                lens_steps_after<false>(fmaf(from_y_px, steps, beside_y_px * a_px), centre.y)};
    }
};

/* Among a grid's points, COUNT an axis: a dense map's too, whose places lie between its points. */
template <int COUNT> struct lens_grid_places_in {
    const lens_frame &frame;
    float x_px; /* the centre */
    float y_px;
    int32_t x; /* lens_steps_before */
    int32_t y;

    __device__ __forceinline__ lens_grid_places_in(const lens_frame &frame, int x, int y)
        : frame(frame), x_px((float)x + 0.5f), y_px((float)y + 0.5f),
          x(lens_steps_before<false>(frame.fixed, x)), y(lens_steps_before<false>(frame.fixed, y))
    {
    }
    __device__ __forceinline__ lens_spot at(int color, float beside_x_px, float beside_y_px) const
    {
        const lens_grid &grid = frame.shape.grid;
        const float a_px = frame.fixed.steps_a_px;
        const lens_points_near<COUNT> across = lens_near(grid, x_px + beside_x_px, grid.per_px_x,
                                                         grid.columns, lens_points_near<COUNT>());
        const lens_points_near<COUNT> along = lens_near(grid, y_px + beside_y_px, grid.per_px_y,
                                                        grid.rows, lens_points_near<COUNT>());
        const float2 *first = (const float2 *)frame.ways +
                              (grid.first[color] + along.from * grid.columns + across.from);
        const float2 way = lens_way_among(first, grid.columns, across.weights, along.weights);
        return {lens_steps_after<false>((way.x + beside_x_px) * a_px, x),
                lens_steps_after<false>((way.y + beside_y_px) * a_px, y)};
    }
};

/* ---- Pixels ---------------------------------------------------------------------------------- */

template <int CHANNEL, typename Sums, typename Image>
static __device__ __forceinline__ void lens_sum_color(const lens_frame &frame, const Image &src,
                                                      const lens_spot &spot, Sums &sums)
{
    sums.template add_one<CHANNEL>(Sums::load(frame, src, spot), lens_parts_of(frame, spot));
}

/* COLORED: green comes from the axis's places, and red and blue do not. */
template <bool COLORED, typename Sums, typename Places, typename Image>
static __device__ __forceinline__ void lens_sum_places(const lens_frame &frame, const Image &src,
                                                       const Places &places, Sums &sums)
{
    const int across = frame.samples_across;
    const float share = 1.0f / (float)across;
#pragma unroll 1
    for (int j = 0; j < across; j++) {
        const float y_px = lens_offset_px(j, share);
#pragma unroll 2
        for (int i = 0; i < across; i++) {
            const float x_px = lens_offset_px(i, share);
            const lens_spot axis = places.at(LENS_AXIS, x_px, y_px);
            const typename Sums::taps taps = Sums::load(frame, src, axis);
            if (!COLORED) {
                sums.add(taps, lens_parts_of(frame, axis));
            } else if (Sums::IN_TURN) {
                sums.template add_one<1>(taps, lens_parts_of(frame, axis));
                lens_sum_color<0>(frame, src, places.at(0, x_px, y_px), sums);
                lens_sum_color<2>(frame, src, places.at(2, x_px, y_px), sums);
            } else {
                const lens_spot red = places.at(0, x_px, y_px);
                const lens_spot blue = places.at(2, x_px, y_px);
                const typename Sums::taps red_taps = Sums::load(frame, src, red);
                const typename Sums::taps blue_taps = Sums::load(frame, src, blue);
                sums.template add_one<0>(red_taps, lens_parts_of(frame, red));
                sums.template add_one<1>(taps, lens_parts_of(frame, axis));
                sums.template add_one<2>(blue_taps, lens_parts_of(frame, blue));
            }
            if (frame.averages_alpha) {
                lens_add_alpha(sums, taps, lens_parts_of(frame, axis), COLORED);
            }
        }
    }
}

/* A colour is blank if its centre has no source. */
template <bool COLORED, typename Sums, typename Places, typename Image>
static __device__ __forceinline__ uint32_t lens_sampled_word(const lens_frame &frame,
                                                             const Image &src,
                                                             const typename Sums::bytes &bytes,
                                                             int x, int y)
{
    const Places places(frame, x, y);
    const lens_spot centre = places.at(LENS_AXIS, 0.0f, 0.0f);
    const bool inside = lens_is_inside(frame, centre);
    bool red_inside = inside;
    bool blue_inside = inside;
    if (COLORED) {
        red_inside = lens_is_inside(frame, places.at(0, 0.0f, 0.0f));
        blue_inside = lens_is_inside(frame, places.at(2, 0.0f, 0.0f));
    }
    const uint32_t blank = frame.fixed.blank;
    if (!(inside | red_inside | blue_inside)) {
        return blank;
    }
    Sums sums(bytes, frame.samples_across * frame.samples_across);
    lens_sum_places<COLORED>(frame, src, places, sums);
    const int TO = 8 * Sums::AT; /* where the bytes of a mean lie */
    uint32_t alpha = blank;
    if (inside) {
        const lens_parts parts = lens_parts_of(frame, centre);
        alpha = frame.averages_alpha ? sums.mean_of_alpha()
                                     : src.load((centre.x >> frame.fixed.bits) + parts.right(),
                                                (centre.y >> frame.fixed.bits) + parts.below());
    }
    return lens_word_by<Sums::AT>(
        red_inside ? sums.template mean<0>() : (blank & 0xffu) << TO,
        inside ? sums.template mean<1>() : (blank >> 8 & 0xffu) << TO,
        blue_inside ? sums.template mean<2>() : (blank >> 16 & 0xffu) << TO, alpha);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

template <bool COLORED, typename Sums, typename Places, typename Image>
static __device__ __forceinline__ void lens_make_sampled(const lens_frame &frame, const Image &src,
                                                         const Image &dst,
                                                         const typename Sums::bytes &bytes,
                                                         int passes)
{
    const int x = blockIdx.x * Image::SIDE_X + threadIdx.x;
    int y = blockIdx.y * (Image::SIDE_Y * passes) + threadIdx.y;
    if (x >= frame.shape.width_px) {
        return;
    }
#pragma unroll 1
    for (int i = 0; i < passes && y < frame.shape.height_px; i++, y += Image::SIDE_Y) {
        dst.store(dst.spot_at(x, y), 0,
                  lens_sampled_word<COLORED, Sums, Places>(frame, src, bytes, x, y));
    }
}

/* These two call the above with the places of a file's kernels. */
struct lens_samples_by_formula {
    template <bool COLORED, typename Sums, typename Image>
    static __device__ __forceinline__ void make(const lens_frame &frame, const Image &src,
                                                const Image &dst, const typename Sums::bytes &bytes,
                                                int passes)
    {
        lens_make_sampled<COLORED, Sums, lens_formula_places_in>(frame, src, dst, bytes, passes);
    }
};

struct lens_samples_by_grid {
    template <bool COLORED, typename Sums, typename Image>
    static __device__ __forceinline__ void make(const lens_frame &frame, const Image &src,
                                                const Image &dst, const typename Sums::bytes &bytes,
                                                int passes)
    {
        if (frame.shape.grid.quadratic) {
            lens_make_sampled<COLORED, Sums, lens_grid_places_in<3>>(frame, src, dst, bytes,
                                                                     passes);
        } else {
            lens_make_sampled<COLORED, Sums, lens_grid_places_in<2>>(frame, src, dst, bytes,
                                                                     passes);
        }
    }
};

template <typename By, typename Sums, bool COLORED, typename Image>
static __device__ __forceinline__ void lens_make_stored_samples(const lens_frame &frame,
                                                                const Image &src, const Image &dst)
{
    By::template make<COLORED, Sums>(frame, src, dst, lens_stored_bytes(), LENS_BYTE_ROWS);
}

template <typename By, typename Sums, bool COLORED, typename Image>
static __device__ __forceinline__ void lens_make_light_samples(const lens_frame &frame,
                                                               const Image &src, const Image &dst)
{
    __shared__ float levels[lens_light_table::LEVELS * lens_light_table::LANES];
    const uint32_t thread = threadIdx.y * Image::SIDE_X + threadIdx.x;
    lens_light_table::fill(levels, thread);
    __syncthreads();
    By::template make<COLORED, Sums>(frame, src, dst, lens_light_table(levels, thread % 32 * 4u),
                                     LENS_BYTE_ROWS * LENS_TABLE_PASSES);
}

#endif
