/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "textures.h"

#include "say.h"
#include "signs.h"
#include "vec.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct layer_recipe {
    struct paint (*fill)(uint32_t seed, float u, float v);
    void (*draw)(struct canvas *canvas, uint32_t seed);
};

static struct paint paint_plain(uint32_t seed, float u, float v)
{
    (void)seed, (void)u, (void)v;
    return (struct paint){1.0f, 1.0f, 1.0f, 0.0f};
}

static const struct layer_recipe recipes[LAYER_SIGNS] = {
    [LAYER_PLAIN] = {.fill = paint_plain},           [LAYER_GRASS] = {.fill = texture_grass},
    [LAYER_MEADOW] = {.fill = texture_meadow},       [LAYER_GRAVEL] = {.fill = texture_gravel},
    [LAYER_ROCK] = {.fill = texture_rock},           [LAYER_COBBLE] = {.fill = texture_cobble},
    [LAYER_PAVEMENT] = {.fill = texture_pavement},   [LAYER_BRICK] = {.fill = texture_brick},
    [LAYER_PLASTER] = {.fill = texture_plaster},     [LAYER_STONE] = {.fill = texture_stone},
    [LAYER_ROOF] = {.fill = texture_roof},           [LAYER_WOOD] = {.fill = texture_wood},
    [LAYER_BARK] = {.fill = texture_bark},           [LAYER_WINDOW] = {.fill = texture_window},
    [LAYER_SHOPFRONT] = {.fill = texture_shopfront}, [LAYER_DOOR] = {.fill = texture_door},
    [LAYER_STRIPES] = {.fill = texture_stripes},     [LAYER_CLOUDS] = {.fill = texture_clouds},
    [LAYER_LEAVES] = {.draw = texture_leaves},       [LAYER_NEEDLES] = {.draw = texture_needles},
    [LAYER_BLADES] = {.draw = texture_blades},
};

void canvas_put(struct canvas *canvas, int x, int y, struct paint paint)
{
    uint8_t *texel = canvas->texels[y][x];
    texel[0] = (uint8_t)(clamp_f(paint.r, 0.0f, 1.0f) * 255.0f + 0.5f);
    texel[1] = (uint8_t)(clamp_f(paint.g, 0.0f, 1.0f) * 255.0f + 0.5f);
    texel[2] = (uint8_t)(clamp_f(paint.b, 0.0f, 1.0f) * 255.0f + 0.5f);
    texel[3] = (uint8_t)(clamp_f(paint.a, 0.0f, 1.0f) * 255.0f + 0.5f);
}

void canvas_fill(struct canvas *canvas, uint32_t seed,
                 struct paint (*fn)(uint32_t seed, float u, float v))
{
    for (int y = 0; y < TEXTURE_SIDE_PX; y++) {
        for (int x = 0; x < TEXTURE_SIDE_PX; x++) {
            float u = ((float)x + 0.5f) / TEXTURE_SIDE_PX;
            float v = ((float)y + 0.5f) / TEXTURE_SIDE_PX;
            canvas_put(canvas, x, y, fn(seed, u, v));
        }
    }
}

static size_t layer_bytes(uint32_t level)
{
    size_t side_px = TEXTURE_SIDE_PX >> level;
    return side_px * side_px * 4;
}

size_t textures_level_offset(uint32_t level)
{
    size_t offset = 0;
    for (uint32_t above = 0; above < level; above++) {
        offset += layer_bytes(above) * LAYER_COUNT;
    }
    return offset;
}

size_t textures_total_bytes(void)
{
    return textures_level_offset(TEXTURE_LEVELS);
}

/* ---- Mip levels: averaged as light, not as sRGB numbers ---- */

struct gamma_tables {
    float to_light[256];
    uint8_t from_light[4097];
};

static void gamma_fill(struct gamma_tables *tables)
{
    for (int i = 0; i < 256; i++) {
        float s = (float)i / 255.0f;
        tables->to_light[i] = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
    }
    for (int i = 0; i <= 4096; i++) {
        float l = (float)i / 4096.0f;
        float s = l <= 0.0031308f ? l * 12.92f : 1.055f * powf(l, 1.0f / 2.4f) - 0.055f;
        tables->from_light[i] = (uint8_t)(s * 255.0f + 0.5f);
    }
}

/* Four texels to one; the colour of a texel counts by its alpha where the layer is cut out. */
static void reduce_texel(const struct gamma_tables *tables, const uint8_t *const from[4],
                         bool cut_out, uint8_t *to)
{
    float sum[4] = {0};
    float weights = 0.0f;
    for (int i = 0; i < 4; i++) {
        float weight = cut_out ? (float)from[i][3] + 0.5f : 1.0f;
        for (int c = 0; c < 3; c++) {
            sum[c] += weight * tables->to_light[from[i][c]];
        }
        sum[3] += (float)from[i][3];
        weights += weight;
    }
    for (int c = 0; c < 3; c++) {
        to[c] = tables->from_light[(int)(sum[c] / weights * 4096.0f + 0.5f)];
    }
    to[3] = (uint8_t)(sum[3] * 0.25f + 0.5f);
}

static void reduce_level(const struct gamma_tables *tables, const uint8_t *from, uint8_t *to,
                         size_t to_side_px, bool cut_out)
{
    size_t pitch = to_side_px * 2 * 4;
    for (size_t y = 0; y < to_side_px; y++) {
        for (size_t x = 0; x < to_side_px; x++) {
            const uint8_t *corner = from + 2 * y * pitch + 2 * x * 4;
            const uint8_t *const four[4] = {corner, corner + 4, corner + pitch, corner + pitch + 4};
            reduce_texel(tables, four, cut_out, to + (y * to_side_px + x) * 4);
        }
    }
}

static float covered(const uint8_t *texels, size_t count, float gain)
{
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        inside += (float)texels[i * 4 + 3] * gain >= 127.5f;
    }
    return (float)inside / (float)count;
}

/* Averaging thins foliage out with distance; scale alpha so that as much passes the test as
 * before. */
static void keep_coverage(uint8_t *texels, size_t count, float wanted)
{
    float low = 0.25f;
    float high = 8.0f;
    for (int step = 0; step < 10; step++) {
        float middle = 0.5f * (low + high);
        *(covered(texels, count, middle) < wanted ? &low : &high) = middle;
    }
    for (size_t i = 0; i < count; i++) {
        float alpha = (float)texels[i * 4 + 3] * high;
        texels[i * 4 + 3] = (uint8_t)(alpha > 255.0f ? 255.0f : alpha);
    }
}

static void make_levels(const struct gamma_tables *tables, uint32_t layer, uint8_t *texels)
{
    bool cut_out = layer >= LAYER_LEAVES && layer < LAYER_SIGNS;
    const uint8_t *from = texels + layer * layer_bytes(0);
    float wanted = cut_out ? covered(from, layer_bytes(0) / 4, 1.0f) : 0.0f;
    for (uint32_t level = 1; level < TEXTURE_LEVELS; level++) {
        uint8_t *to = texels + textures_level_offset(level) + layer * layer_bytes(level);
        size_t side_px = TEXTURE_SIDE_PX >> level;
        reduce_level(tables, from, to, side_px, cut_out);
        if (cut_out) {
            keep_coverage(to, side_px * side_px, wanted);
        }
        from = to;
    }
}

/* ---- All layers, on two threads ---- */

struct paint_job {
    uint32_t seed;
    uint8_t *texels;
    struct gamma_tables gamma;
    const struct sign_font *font;
    atomic_uint next_layer;
    atomic_bool failed;
};

static void paint_layer(struct paint_job *job, uint32_t layer)
{
    struct canvas *canvas = (struct canvas *)(job->texels + layer * layer_bytes(0));
    uint32_t seed = job->seed + layer * 101u;
    if (layer >= LAYER_SIGNS) {
        if (!signs_paint_layer(canvas, layer - LAYER_SIGNS, job->font)) {
            atomic_store(&job->failed, true);
        }
    } else if (recipes[layer].fill) {
        canvas_fill(canvas, seed, recipes[layer].fill);
    } else {
        recipes[layer].draw(canvas, seed);
    }
    make_levels(&job->gamma, layer, job->texels);
}

static void *paint_thread(void *argument)
{
    struct paint_job *job = argument;
    for (;;) {
        uint32_t layer = atomic_fetch_add(&job->next_layer, 1u);
        if (layer >= LAYER_COUNT) {
            return NULL;
        }
        paint_layer(job, layer);
    }
}

bool textures_paint(uint32_t seed, uint8_t *out_texels)
{
    struct paint_job *job = calloc(1, sizeof *job);
    if (!job) {
        say_error("out of memory");
        return false;
    }
    struct sign_font *font = sign_font_find(true);
    job->seed = seed;
    job->texels = out_texels;
    job->font = font;
    gamma_fill(&job->gamma);
    pthread_t helper;
    sigset_t all;
    sigset_t before;
    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool helped = pthread_create(&helper, NULL, paint_thread, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    paint_thread(job);
    if (helped) {
        pthread_join(helper, NULL);
    }
    bool painted = !atomic_load(&job->failed);
    if (!painted) {
        say_error("out of memory while painting signs");
    }
    sign_font_destroy(&font);
    free(job);
    return painted;
}
