/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_seen.h"

#include "core/bounds.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "kernels/image/pixel.h"
#include "kernels/saliency/cpu/saliency_cpu.h"

#include <stdlib.h>

#define COLOR_BLOBS 64
#define MOTION_BLOBS (GAZE_PROPOSALS_MAX - COLOR_BLOBS)
/* 2 to 16 px; blobs are found at all scales but the first and the last. At a width of 160 px of
 * 47.7 degrees they are discs of 1 to 5 degrees. */
#define SCALES 11
#define SIGMA_MIN_PX 2.0
/* Weak ones hardly ever count, as the path squares strengths; grey pictures have no others. */
#define THRESHOLD 0.05
#define OVERLAP 0.5
#define RADIUS_SIGMAS 1.41421356f
#define CHANGE_GAIN 4 /* a change of a quarter of the range is as much as any */
#define SAMPLES_MAX 4 /* of a cell, along an axis */

/* A detector of pictures of one size. */
struct finder {
    struct saliency_numbers numbers;
    struct saliency_plan *plan;
    struct saliency_cpu *cpu;
    uint32_t channels;
};

struct gaze_seen {
    double motion;
    struct thread_pool *pool;
    struct finder color;
    struct finder change;
    uint32_t *pixels;
    unsigned char *planes; /* the memory of the three below */
    unsigned char *grey; /* of the picture, */
    unsigned char *grey_before; /* and of the one before */
    unsigned char *changed;
    struct gaze_seen_size before; /* 0: there was none */
};

/* ---- Sizes ---- */

struct gaze_seen_size gaze_seen_size_of(const struct fovea_gaze_settings *settings,
                                        uint32_t width_px, uint32_t height_px)
{
    const uint32_t width = settings->saliency_width_px;
    const uint64_t of_shape =
        ((uint64_t)width * height_px + width_px / 2) / (width_px ? width_px : 1);
    uint32_t height = of_shape > 2 * width ? 2 * width : (uint32_t)of_shape;
    height = height < GAZE_SEEN_SIDE_MIN_PX ? GAZE_SEEN_SIDE_MIN_PX : height;
    return (struct gaze_seen_size){bounds_smaller_u32(width, width_px),
                                   bounds_smaller_u32(height, height_px)};
}

/* ---- Create and destroy ---- */

static struct finder finder_of(uint32_t channels, uint32_t blob_max)
{
    return (struct finder){.channels = channels,
                           .numbers = {.scale_count = SCALES,
                                       .blob_max = blob_max,
                                       .sigma_min_px = SIGMA_MIN_PX,
                                       .threshold = THRESHOLD,
                                       .overlap = OVERLAP}};
}

static void forget_size(struct finder *finder)
{
    saliency_cpu_destroy(&finder->cpu);
    saliency_plan_destroy(&finder->plan);
}

static enum fovea_result make(struct gaze_seen *seen, const struct fovea_gaze_settings *settings)
{
    const size_t most = 2 * (size_t)settings->saliency_width_px * settings->saliency_width_px;
    seen->motion = settings->saliency_motion;
    seen->color = finder_of(SALIENCY_CHANNELS, COLOR_BLOBS);
    seen->change = finder_of(1, MOTION_BLOBS);
    seen->pixels = calloc(most, sizeof *seen->pixels);
    seen->planes = calloc(3 * most, 1);
    FOVEA_TRY_MEMORY(seen->pixels && seen->planes);
    seen->grey = seen->planes;
    seen->grey_before = seen->planes + most;
    seen->changed = seen->planes + 2 * most;
    return thread_pool_create(1, &seen->pool);
}

enum fovea_result gaze_seen_create(const struct fovea_gaze_settings *settings,
                                   struct gaze_seen **out_seen)
{
    *out_seen = calloc(1, sizeof **out_seen);
    FOVEA_TRY_MEMORY(*out_seen);
    const enum fovea_result result = make(*out_seen, settings);
    if (result < 0) {
        gaze_seen_destroy(out_seen);
    }
    return result;
}

void gaze_seen_destroy(struct gaze_seen **seen)
{
    struct gaze_seen *own = *seen;
    *seen = NULL;
    if (!own) {
        return;
    }
    forget_size(&own->color);
    forget_size(&own->change);
    thread_pool_destroy(&own->pool);
    free(own->planes);
    free(own->pixels);
    free(own);
}

/* ---- A picture ---- */

uint32_t *gaze_seen_pixels(struct gaze_seen *seen)
{
    return seen->pixels;
}

static uint32_t to_byte(float value, float most)
{
    const float scaled = value * (255.0f / most) + 0.5f;
    return scaled >= 255.0f ? 255u : scaled > 0.0f ? (uint32_t)scaled : 0u; /* NaN is 0 */
}

/* A cell begins at pixel i * size / cells; of it so many samples, evenly. */
static int32_t sample_of(uint32_t cell, uint32_t sample, uint32_t samples, uint32_t size_px,
                         uint32_t cells)
{
    const uint64_t at = (2 * ((uint64_t)cell * samples + sample) + 1) * size_px;
    return (int32_t)(at / (2 * (uint64_t)samples * cells));
}

static uint32_t samples_of(uint32_t size_px, uint32_t cells)
{
    return bounds_smaller_u32((size_px + cells - 1) / cells, SAMPLES_MAX);
}

static uint32_t mean_of(const struct fovea_image *image, const struct pixel_codec *codec,
                        struct gaze_seen_size size, uint32_t x, uint32_t y)
{
    const uint32_t across = samples_of(image->width_px, size.width_px);
    const uint32_t down = samples_of(image->height_px, size.height_px);
    float sum[3] = {0};
    for (uint32_t i = 0; i < across * down; i++) {
        const int32_t x_px = sample_of(x, i % across, across, image->width_px, size.width_px);
        const int32_t y_px = sample_of(y, i / across, down, image->height_px, size.height_px);
        const struct pixel_row pixel = pixel_row_of(image, codec, x_px, y_px, 1);
        float color[4] = {0};
        codec->decode(&pixel, codec->color_channels, color);
        for (uint32_t c = 0; c < 3; c++) {
            sum[c] += color[codec->color_channels == 1 ? 0 : c];
        }
    }
    const float most = pixel_white(image->format) * (float)(across * down);
    return to_byte(sum[0], most) | to_byte(sum[1], most) << 8 | to_byte(sum[2], most) << 16;
}

void gaze_seen_reduce(struct gaze_seen *seen, const struct fovea_image *image,
                      struct gaze_seen_size size)
{
    const struct pixel_codec *codec = pixel_codec_of(image->format);
    for (uint32_t i = 0; i < size.width_px * size.height_px; i++) {
        seen->pixels[i] = mean_of(image, codec, size, i % size.width_px, i / size.width_px);
    }
}

/* ---- Blobs ---- */

static enum fovea_result be_of_size(struct finder *finder, struct thread_pool *pool,
                                    struct gaze_seen_size size)
{
    if (finder->plan && finder->plan->width_px == (int32_t)size.width_px &&
        finder->plan->height_px == (int32_t)size.height_px) {
        return FOVEA_OK;
    }
    forget_size(finder);
    FOVEA_TRY(saliency_plan_create(&finder->numbers, size.width_px, size.height_px, &finder->plan));
    const enum fovea_result result =
        saliency_cpu_create(finder->plan, pool, finder->channels, &finder->cpu);
    if (result < 0) {
        forget_size(finder);
    }
    return result;
}

static void propose(const struct fovea_blob *blobs, uint32_t count, struct gaze_seen_size size,
                    double weight, struct gaze_proposals *proposals)
{
    const float width = (float)size.width_px;
    const float height = (float)size.height_px;
    for (uint32_t i = 0; i < count && proposals->count < GAZE_PROPOSALS_MAX; i++) {
        proposals->of[proposals->count++] =
            (struct gaze_proposal){.x_uv = (blobs[i].x_px + 0.5f) / width,
                                   .y_uv = (blobs[i].y_px + 0.5f) / height,
                                   .radius_uv = RADIUS_SIGMAS * blobs[i].sigma_px / width,
                                   .strength = (float)weight * blobs[i].strength};
    }
}

static enum fovea_result find(struct gaze_seen *seen, struct finder *finder, void *pixels,
                              struct gaze_seen_size size, double weight,
                              struct gaze_proposals *proposals)
{
    FOVEA_TRY(be_of_size(finder, seen->pool, size));
    const bool grey = finder->channels == 1;
    const ptrdiff_t pixel_bytes = grey ? 1 : sizeof(uint32_t);
    const struct fovea_image image = {.data = pixels,
                                      .width_px = size.width_px,
                                      .height_px = size.height_px,
                                      .format = grey ? FOVEA_FORMAT_R8 : FOVEA_FORMAT_RGBA8,
                                      .pixel_stride_bytes = pixel_bytes,
                                      .row_stride_bytes = pixel_bytes * (ptrdiff_t)size.width_px};
    struct fovea_blob blobs[COLOR_BLOBS];
    const uint32_t count = saliency_cpu_run(finder->cpu, &image, blobs);
    propose(blobs, count, size, weight, proposals);
    return FOVEA_OK;
}

static void make_grey(struct gaze_seen *seen, uint32_t count)
{
    unsigned char *before = seen->grey_before;
    seen->grey_before = seen->grey;
    seen->grey = before;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rgb = seen->pixels[i];
        seen->grey[i] = (unsigned char)(((rgb & 255) + (rgb >> 8 & 255) + (rgb >> 16 & 255)) / 3);
    }
}

static bool follows(struct gaze_seen *seen, struct gaze_seen_size size)
{
    const bool is_of_size =
        seen->before.width_px == size.width_px && seen->before.height_px == size.height_px;
    seen->before = size;
    return is_of_size;
}

/* There is one channel, whose strengths are a third of a colour picture's. */
static enum fovea_result find_changes(struct gaze_seen *seen, struct gaze_seen_size size,
                                      struct gaze_proposals *proposals)
{
    const uint32_t count = size.width_px * size.height_px;
    make_grey(seen, count);
    if (!follows(seen, size)) {
        return FOVEA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int change = CHANGE_GAIN * abs(seen->grey[i] - seen->grey_before[i]);
        seen->changed[i] = (unsigned char)(change > 255 ? 255 : change);
    }
    return find(seen, &seen->change, seen->changed, size, SALIENCY_CHANNELS * seen->motion,
                proposals);
}

enum fovea_result gaze_seen_look(struct gaze_seen *seen, struct gaze_seen_size size,
                                 struct gaze_proposals *out_proposals)
{
    out_proposals->count = 0;
    FOVEA_TRY(find(seen, &seen->color, seen->pixels, size, 1.0, out_proposals));
    const enum fovea_result result =
        seen->motion > 0 ? find_changes(seen, size, out_proposals) : FOVEA_OK;
    out_proposals->count = result < 0 ? 0 : out_proposals->count;
    return result;
}
