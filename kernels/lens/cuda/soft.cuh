/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RGBA8 in sRGB's light, bilinear, of a source that is blurred but for a surrounding of the gaze: a
 * texture has the source's light, and the device interpolates it. What a texture is off by, weights
 * of 8 bits and light within half a level, shows where neighbours differ much; so a thread some of
 * whose pixels come from near the gaze makes them as pixels.cuh does, and works out the light of
 * each byte. A run that has a texture has one image: no image of a batch is looked for. */
#ifndef FOVEA_KERNELS_LENS_CUDA_SOFT_CUH
#define FOVEA_KERNELS_LENS_CUDA_SOFT_CUH

#include "grid.cuh"
#include "pixels.cuh"

/* ---- Places in the texture ------------------------------------------------------------------- */

/* It counts from the view's upper left corner. */
struct lens_soft_place {
    float x;
    float y;
};

/* Says whether it lies within the picture's edges: bits of a float that is not negative are in the
 * order of their values, and those of a negative one are more. */
static __device__ __forceinline__ bool lens_is_shown(const lens_soft &soft,
                                                     const lens_soft_place &place)
{
    return (__float_as_uint(place.x) < soft.width_bits) &
           (__float_as_uint(place.y) < soft.height_bits);
}

/* The polynomial in floats: what a texture's coordinates keep of a place is 8 bits behind the
 * point. */
template <bool EVEN> struct lens_soft_formula {
    const lens_soft &soft;
    float from_x_px;
    float from_y_px;
    float square_x;

    __device__ __forceinline__ lens_soft_formula(const lens_frame &frame, const lens_soft &soft,
                                                 int x, int y)
        : soft(soft), from_x_px((float)x + frame.fixed.first_x_px),
          from_y_px((float)y + frame.fixed.first_y_px), square_x(from_x_px * from_x_px)
    {
    }
    __device__ __forceinline__ lens_soft_place at(int color, int down) const
    {
        const float y_px = down == 0 ? from_y_px : from_y_px + (float)down;
        const float scale =
            lens_polynomial<EVEN>(soft.terms + color * LENS_POWERS, fmaf(y_px, y_px, square_x));
        return {fmaf(from_x_px, scale, soft.center_x_px), fmaf(y_px, scale, soft.center_y_px)};
    }
};

/* Places among points, from steps. */
template <typename Column> struct lens_soft_points {
    Column own;
    float px_a_step;

    __device__ __forceinline__ lens_soft_place at(int color, int down) const
    {
        const lens_spot spot = own.at(color, down);
        return {fmaf((float)spot.x, px_a_step, 0.5f), fmaf((float)spot.y, px_a_step, 0.5f)};
    }
};

/* ---- What the device interpolates ------------------------------------------------------------ */

/* A source that begins where the texture does, and ends there. */
struct lens_soft_linear {
    static __device__ __forceinline__ bool is_whole(const lens_soft &)
    {
        return true;
    }
    static __device__ __forceinline__ lens_soft_place in_texture(const lens_soft &,
                                                                 const lens_soft_place &place)
    {
        return place;
    }
};

/* A view of a texture that may go on around it. */
struct lens_soft_surface {
    static __device__ __forceinline__ bool is_whole(const lens_soft &soft)
    {
        return soft.is_whole;
    }
    static __device__ __forceinline__ lens_soft_place in_texture(const lens_soft &soft,
                                                                 const lens_soft_place &place)
    {
        return {moved(place.x, soft.last_x_px, soft.rounded_x_px),
                moved(place.y, soft.last_y_px, soft.rounded_y_px)};
    }

  private:
    /* Coordinates have eight bits behind the point, and so have floats from 2^15 to 2^16. What is
     * rounded before the origin is added is the same at every origin. */
    static __device__ __forceinline__ float moved(float at, float last, float rounded)
    {
        return fminf(fmaxf(at, 0.5f), last) + LENS_SOFT_ROUNDS - rounded;
    }
};

template <typename Source>
static __device__ __forceinline__ float4 lens_soft_light(const lens_soft &soft, const Source &,
                                                         const lens_soft_place &place)
{
    const lens_soft_place in = Source::in_texture(soft, place);
    return ptx_texture(soft.texture, in.x, in.y);
}

/* Reads so many, and asks once whether the texture is the view. */
template <int COUNT, typename Source>
static __device__ __forceinline__ void lens_soft_lights(const lens_soft &soft, const Source &source,
                                                        const lens_soft_place (&places)[COUNT],
                                                        float4 (&light)[COUNT])
{
    lens_soft_place in[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        in[i] = places[i];
    }
    if (!source.is_whole(soft)) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            in[i] = source.in_texture(soft, places[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        light[i] = ptx_texture(soft.texture, in[i].x, in[i].y);
    }
}

static __device__ __forceinline__ lens_soft_linear lens_soft_source(const lens_packed_image &)
{
    return {};
}
static __device__ __forceinline__ lens_soft_surface lens_soft_source(const lens_surface_image &)
{
    return {};
}

/* ---- Where the source is sharp --------------------------------------------------------------- */

/* Few frames have one: it is a call, which costs the others nothing. */
static __device__ __noinline__ float2 lens_late_gaze_of(uint64_t gazes)
{
    const int32_t *q8 = (const int32_t *)gazes;
    return make_float2((float)__ldg(q8) * (2.0f / 256.0f), (float)__ldg(q8 + 1) * (2.0f / 256.0f));
}

/* Returns it twice over, as soft.gaze_x_2px. */
static __device__ __forceinline__ float2 lens_gaze_of(const lens_soft &soft)
{
    return soft.is_late ? lens_late_gaze_of(soft.gazes)
                        : make_float2(soft.gaze_x_2px, soft.gaze_y_2px);
}

/* Says whether a column of places between these comes near the gaze. It may swing by what
 * soft.from_2px has more than the source asks for. */
static __device__ __forceinline__ bool lens_is_near(const lens_soft &soft, const float2 &gaze,
                                                    const lens_soft_place &first,
                                                    const lens_soft_place &last)
{
    const float across = first.x + last.x - gaze.x;
    const float down = first.y + last.y - gaze.y;
    return (fabsf(across) < soft.from_2px + fabsf(last.x - first.x)) &
           (fabsf(down) < soft.from_2px + fabsf(last.y - first.y));
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* The bits of 1. Those of numbers from 0 to 1, and-ed, are these only where each is 1. */
#define LENS_SOFT_OPAQUE 0x3f800000u

/* Returns a word whose uppermost byte is alpha, which is the nearest pixel's. */
template <typename Image>
static __device__ __forceinline__ uint32_t lens_soft_alpha(const lens_frame &frame,
                                                           const Image &src,
                                                           const lens_soft_place &place)
{
    return src.load(min(max((int)place.x, 0), frame.shape.width_px - 1),
                    min(max((int)place.y, 0), frame.shape.height_px - 1));
}

/* Makes levels as lens_light_level does, in fewer instructions where alpha is 255. Blue is a
 * negative number, whose sign becomes alpha's bits. The slope of sRGB's line, as a constant, would
 * be loaded anew for each colour. */
struct lens_soft_level {
    static const int TO = 8 * lens_light_level::AT; /* where a level lies */

    float line;

    __device__ __forceinline__ lens_soft_level(const lens_soft &soft) : line(12.92f * soft.white)
    {
    }
    __device__ __forceinline__ uint32_t of(float light) const
    {
        return lens_light_level::by_line<1>(light, line);
    }
    __device__ __forceinline__ uint32_t blue_of(float light) const
    {
        return lens_light_level::by_line<-1>(light, line);
    }
    /* Likewise of a pixel's own levels. */
    static __device__ __forceinline__ uint32_t red_in(uint32_t word)
    {
        return (word & 0xffu) << TO;
    }
    static __device__ __forceinline__ uint32_t green_in(uint32_t word)
    {
        return (word >> 8 & 0xffu) << TO;
    }
    static __device__ __forceinline__ uint32_t blue_in(uint32_t word)
    {
        return (word >> 16 & 0xffu) << TO | 0x80000000u;
    }
    /* Byte 1 of each, and the sign of blue's uppermost one. */
    static __device__ __forceinline__ uint32_t opaque(uint32_t red, uint32_t green, uint32_t blue)
    {
        return ptx_bytes(ptx_bytes(red, green, 0x51), blue, 0xf510);
    }
};

/* Pixels whose colours have one place, one below the other. */
struct lens_soft_plain {
    static const int ROWS = LENS_SOFT_ROWS;

    lens_soft_place places[ROWS];
    bool shown[ROWS];

    template <int STEP, typename Column>
    __device__ __forceinline__ void find(const lens_soft &soft, const Column &column)
    {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            places[i] = column.at(LENS_AXIS, i * STEP);
            shown[i] = lens_is_shown(soft, places[i]);
        }
    }
    __device__ __forceinline__ bool is_shown() const
    {
        bool any = false;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            any = any | shown[i];
        }
        return any;
    }
    __device__ __forceinline__ bool is_near(const lens_soft &soft, const float2 &gaze) const
    {
        return lens_is_near(soft, gaze, places[0], places[ROWS - 1]);
    }
    template <typename Source, typename Image>
    __device__ __forceinline__ void make(const lens_frame &frame, const lens_soft &soft,
                                         const Source &source, const Image &src,
                                         uint32_t (&words)[ROWS]) const
    {
        const lens_soft_level level(soft);
        float4 light[ROWS];
        uint32_t alphas = LENS_SOFT_OPAQUE;
        lens_soft_lights(soft, source, places, light);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            alphas = alphas & __float_as_uint(light[i].w);
            words[i] =
                level.opaque(level.of(light[i].x), level.of(light[i].y), level.blue_of(light[i].z));
        }
        if (alphas != LENS_SOFT_OPAQUE) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                words[i] = __byte_perm(words[i], lens_soft_alpha(frame, src, places[i]), 0x7210);
            }
        }
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            words[i] = shown[i] ? words[i] : frame.fixed.blank;
        }
    }
};

/* Pixels each of whose colours has its own. */
struct lens_soft_colored {
    static const int ROWS = LENS_SOFT_COLORED_ROWS;

    lens_soft_place places[ROWS * LENS_COLORS]; /* a row's three together */
    bool shown[ROWS * LENS_COLORS];

    template <int STEP, typename Column>
    __device__ __forceinline__ void find(const lens_soft &soft, const Column &column)
    {
#pragma unroll
        for (int i = 0; i < ROWS * LENS_COLORS; i++) {
            places[i] = column.at(i % LENS_COLORS, i / LENS_COLORS * STEP);
            shown[i] = lens_is_shown(soft, places[i]);
        }
    }
    __device__ __forceinline__ bool is_shown() const
    {
        bool any = false;
#pragma unroll
        for (int i = 0; i < ROWS * LENS_COLORS; i++) {
            any = any | shown[i];
        }
        return any;
    }
    __device__ __forceinline__ bool is_near(const lens_soft &soft, const float2 &gaze) const
    {
        const lens_soft_place *last = places + (ROWS - 1) * LENS_COLORS;
        return lens_is_near(soft, gaze, places[0], last[0]) |
               lens_is_near(soft, gaze, places[1], last[1]) |
               lens_is_near(soft, gaze, places[2], last[2]);
    }
    template <typename Source, typename Image>
    __device__ __forceinline__ void make(const lens_frame &frame, const lens_soft &soft,
                                         const Source &source, const Image &src,
                                         uint32_t (&words)[ROWS]) const
    {
        const uint32_t blank = frame.fixed.blank;
        const lens_soft_level level(soft);
        float4 light[ROWS * LENS_COLORS];
        uint32_t alphas = LENS_SOFT_OPAQUE;
        lens_soft_lights(soft, source, places, light);
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            alphas = alphas & __float_as_uint(light[i * LENS_COLORS + LENS_AXIS].w);
            const uint32_t red = level.of(light[i * LENS_COLORS].x);
            const uint32_t green = level.of(light[i * LENS_COLORS + 1].y);
            const uint32_t blue = level.blue_of(light[i * LENS_COLORS + 2].z);
            words[i] = level.opaque(shown[i * LENS_COLORS] ? red : level.red_in(blank),
                                    shown[i * LENS_COLORS + 1] ? green : level.green_in(blank),
                                    shown[i * LENS_COLORS + 2] ? blue : level.blue_in(blank));
        }
        if (alphas != LENS_SOFT_OPAQUE) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                const uint32_t alpha =
                    lens_soft_alpha(frame, src, places[i * LENS_COLORS + LENS_AXIS]);
                words[i] = __byte_perm(words[i], shown[i * LENS_COLORS + LENS_AXIS] ? alpha : blank,
                                       0x7210);
            }
        }
    }
};

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Stores a column from `to` on, of which the picture has so many rows. */
template <int COUNT, typename Image>
static __device__ __forceinline__ void lens_store_column(const Image &dst, typename Image::spot to,
                                                         int rows, const uint32_t (&words)[COUNT])
{
    if ((COUNT - 1) * Image::SIDE_Y < rows) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            dst.store(to, 0, words[i]);
            to = dst.below(to, Image::SIDE_Y);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT - 1; i++) {
        if (i * Image::SIDE_Y < rows) {
            dst.store(to, 0, words[i]);
            to = dst.below(to, Image::SIDE_Y);
        }
    }
}

/* Returns false where pixels come from near the gaze. */
template <typename Own, typename Column, typename Image>
static __device__ __forceinline__ bool lens_make_soft(const lens_frame &frame,
                                                      const lens_soft &soft, const Column &column,
                                                      const Image &src, const Image &dst, int x,
                                                      int first)
{
    uint32_t words[Own::ROWS];
    Own own;
    own.template find<Image::SIDE_Y>(soft, column);
    if (own.is_near(soft, lens_gaze_of(soft))) {
        return false;
    }
    if (own.is_shown()) {
        own.make(frame, soft, lens_soft_source(src), src, words);
    } else {
#pragma unroll
        for (int i = 0; i < Own::ROWS; i++) {
            words[i] = frame.fixed.blank;
        }
    }
    lens_store_column(dst, dst.spot_at(x, first), frame.shape.height_px - first, words);
    return true;
}

struct lens_soft_by_formula {
    typedef lens_by_formula sharp;

    template <typename Own, typename Image>
    static __device__ __forceinline__ bool make(const lens_frame &frame, const lens_soft &soft,
                                                const Image &src, const Image &dst, int x,
                                                int first)
    {
        return frame.fixed.is_simple
                   ? lens_make_soft<Own>(frame, soft,
                                         lens_soft_formula<true>(frame, soft, x, first), src, dst,
                                         x, first)
                   : lens_make_soft<Own>(frame, soft,
                                         lens_soft_formula<false>(frame, soft, x, first), src, dst,
                                         x, first);
    }
};

struct lens_soft_by_grid {
    typedef lens_by_grid sharp;

    template <typename Own, typename Column, typename Image>
    static __device__ __forceinline__ bool make_of(const lens_frame &frame, const lens_soft &soft,
                                                   const Column &column, const Image &src,
                                                   const Image &dst, int x, int first)
    {
        const lens_soft_points<Column> points = {column, soft.px_a_step};
        return lens_make_soft<Own>(frame, soft, points, src, dst, x, first);
    }

    template <typename Own, typename Image>
    static __device__ __forceinline__ bool make(const lens_frame &frame, const lens_soft &soft,
                                                const Image &src, const Image &dst, int x,
                                                int first)
    {
        if (frame.fixed.points == LENS_POINTS_DENSE) {
            return make_of<Own>(frame, soft, lens_dense_column<false>{frame, x, first}, src, dst, x,
                                first);
        }
        if (frame.fixed.points == LENS_POINTS_QUADRATIC) {
            return make_of<Own>(frame, soft, lens_grid_column<3, false>(frame, x, first), src, dst,
                                x, first);
        }
        return make_of<Own>(frame, soft, lens_grid_column<2, false>(frame, x, first), src, dst, x,
                            first);
    }
};

/* Makes a thread's pixels from bytes. Few threads do: it is a call, so that the others' registers
 * hold nothing of it. */
template <typename By, typename Own, template <typename> class Pixel, typename Params>
static __device__ __noinline__ void lens_make_sharp(const Params &params, int x, int first)
{
    const lens_frame &frame = params.frame;
    const auto src = lens_bytes_of(frame, params.src, 0);
    const auto dst = lens_bytes_of(frame, params.dst, 0);
    const int rows_px = LENS_BYTE_ROWS * lens_image_in<Params>::SIDE_Y;
    for (int row = 0; row < Own::ROWS; row += LENS_BYTE_ROWS, first += rows_px) {
        if (first < frame.shape.height_px) {
            By::template make_some<Pixel>(frame, src, dst, lens_light_halves(), x, first,
                                          frame.fixed.blank);
        }
    }
}

template <typename By, typename Own, template <typename> class Pixel, typename Params>
static __device__ __forceinline__ void lens_make_soft_picture(const Params &params)
{
    typedef lens_image_in<Params> image;
    const lens_frame &frame = params.frame;
    const int x = blockIdx.x * image::SIDE_X + threadIdx.x;
    const int first = blockIdx.y * (image::SIDE_Y * Own::ROWS) + threadIdx.y;
    if (x >= frame.shape.width_px || first >= frame.shape.height_px) {
        return;
    }
    if (!By::template make<Own>(frame, params.soft, lens_bytes_of(frame, params.src, 0),
                                lens_bytes_of(frame, params.dst, 0), x, first)) {
        lens_make_sharp<typename By::sharp, Own, Pixel>(params, x, first);
    }
}

#endif
