/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "random.h"
#include "textures.h"
#include "vec.h"

struct paint texture_bark(uint32_t seed, float u, float v)
{
    float bend = 0.06f * noise_fbm(seed + 3, u, v, 4, 3);
    float ridge = noise_tile(seed, u + bend, v, 26, 9);
    float fine = noise_tile(seed + 2, u + bend, v, 90, 34);
    float shade = 0.20f + 0.42f * smoothstep_f(0.25f, 0.7f, ridge) + 0.2f * (fine - 0.5f);
    float moss = smoothstep_f(0.62f, 0.8f, noise_fbm(seed + 9, u, v, 4, 4));
    struct paint bark = {shade, shade * 0.84f, shade * 0.68f, 0.0f};
    struct paint green = {shade * 0.7f, shade * 0.85f, shade * 0.4f, 0.0f};
    return paint_mix(bark, green, moss * 0.7f);
}

static void clear(struct canvas *canvas, struct paint paint)
{
    for (int y = 0; y < TEXTURE_SIDE_PX; y++) {
        for (int x = 0; x < TEXTURE_SIDE_PX; x++) {
            canvas_put(canvas, x, y, paint);
        }
    }
}

struct leaf {
    float x, y; /* of the stem, px */
    float cos_a, sin_a;
    float length_px;
    float width_px;
    struct paint paint;
};

/* A pointed ellipse with a lighter midrib. */
static void draw_leaf(struct canvas *canvas, const struct leaf *leaf)
{
    int reach = (int)leaf->length_px + 1;
    for (int y = (int)leaf->y - reach; y <= (int)leaf->y + reach; y++) {
        for (int x = (int)leaf->x - reach; x <= (int)leaf->x + reach; x++) {
            if (x < 0 || y < 0 || x >= TEXTURE_SIDE_PX || y >= TEXTURE_SIDE_PX) {
                continue;
            }
            float dx = (float)x - leaf->x;
            float dy = (float)y - leaf->y;
            float along = (dx * leaf->cos_a + dy * leaf->sin_a) / leaf->length_px;
            float across = (-dx * leaf->sin_a + dy * leaf->cos_a) / leaf->width_px;
            if (along < 0.0f || along > 1.0f ||
                fabsf(across) > 2.0f * along * (1.0f - along) + 0.06f) {
                continue;
            }
            float rib = fabsf(across) < 0.07f ? 1.18f : 1.0f - 0.25f * fabsf(across);
            canvas_put(canvas, x, y, paint_shade(leaf->paint, rib * (0.85f + 0.25f * along)));
        }
    }
}

static struct leaf random_leaf(struct random *random, float age)
{
    float radius = 228.0f * sqrtf(random_range(random, 0.0f, 1.0f));
    float angle = random_range(random, 0.0f, 2.0f * SCENE_PI);
    float turn = angle + random_range(random, -1.3f, 1.3f);
    float light = 0.45f + 0.55f * age;
    float hue = random_range(random, 0.0f, 1.0f);
    return (struct leaf){
        .x = 256.0f + radius * cosf(angle),
        .y = 256.0f + radius * sinf(angle),
        .cos_a = cosf(turn),
        .sin_a = sinf(turn),
        .length_px = random_range(random, 28.0f, 46.0f),
        .width_px = random_range(random, 15.0f, 22.0f),
        .paint = {light * mix_f(0.40f, 0.62f, hue), light * mix_f(0.58f, 0.70f, hue),
                  light * mix_f(0.20f, 0.22f, hue), 1.0f},
    };
}

void texture_leaves(struct canvas *canvas, uint32_t seed)
{
    struct random random = random_make(seed, 1);
    clear(canvas, (struct paint){0.26f, 0.36f, 0.13f, 0.0f});
    for (int i = 0; i < 260; i++) {
        struct leaf leaf = random_leaf(&random, (float)i / 260.0f);
        draw_leaf(canvas, &leaf);
    }
}

/* A fir branch: a stem along the middle, twigs, and needles on them. */
void texture_needles(struct canvas *canvas, uint32_t seed)
{
    struct random random = random_make(seed, 2);
    clear(canvas, (struct paint){0.14f, 0.24f, 0.12f, 0.0f});
    for (int i = 0; i < 1500; i++) {
        float along = sqrtf(random_range(&random, 0.0f, 1.0f));
        float half = 210.0f * (1.0f - along) + 26.0f;
        float side = random_range(&random, -1.0f, 1.0f);
        float turn = SCENE_PI * 0.5f - side * 0.9f + random_range(&random, -0.5f, 0.5f);
        float light = 0.4f + 0.6f * (float)i / 1500.0f;
        struct leaf needle = {.x = 256.0f + side * half,
                              .y = 20.0f + along * 420.0f + fabsf(side) * 40.0f,
                              .cos_a = cosf(turn),
                              .sin_a = sinf(turn),
                              .length_px = random_range(&random, 26.0f, 44.0f),
                              .width_px = 8.0f,
                              .paint = {0.30f * light, 0.48f * light, 0.26f * light, 1.0f}};
        draw_leaf(canvas, &needle);
    }
}

void texture_blades(struct canvas *canvas, uint32_t seed)
{
    struct random random = random_make(seed, 3);
    clear(canvas, (struct paint){0.30f, 0.42f, 0.14f, 0.0f});
    for (int i = 0; i < 150; i++) {
        float light = 0.55f + 0.45f * (float)i / 150.0f;
        float turn = -SCENE_PI * 0.5f + random_range(&random, -0.45f, 0.45f);
        bool seeds = random_index(&random, 8) == 0;
        struct leaf blade = {.x = random_range(&random, 40.0f, 470.0f),
                             .y = 511.0f,
                             .cos_a = cosf(turn),
                             .sin_a = sinf(turn),
                             .length_px = random_range(&random, 180.0f, 480.0f),
                             .width_px = seeds ? 6.0f : 13.0f,
                             .paint = {0.46f * light, 0.60f * light, 0.20f * light, 1.0f}};
        if (seeds) {
            blade.paint = (struct paint){0.72f * light, 0.66f * light, 0.36f * light, 1.0f};
        }
        draw_leaf(canvas, &blade);
    }
}
