/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tables of Kim, Yang and Kim 2022, which bench/lens_paper/ has as a comparison: what the paper
 * says of them, and Fovea's operator against them. */

#include "bench/lens_paper/tables.h"
#include "kernels/lens/lens.h"
#include "kernels/lens/place.h"
#include "operators/lens_scenes.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct thread_pool *pool;

/* Wider than high, as wide as high, higher than wide. */
static const struct lens_paper_size sizes[] = {{320, 180}, {211, 211}, {120, 333}};

static struct lens_paper_tables tables_of(struct lens_paper_size size, double k1, double k2)
{
    const struct lens_paper_lens lens = {k1, k2, size.width_px / 2.0};
    struct lens_paper_tables tables;
    assert_true(lens_paper_tables_make(pool, size, &lens, &tables));
    return tables;
}

/* Equation 2 is no address, and yet equation 3 finds the pixel again: the shorter side's number is
 * always less than what it is divided by. */
TEST(one_number_holds_a_pixel)
{
    static const struct lens_paper_size all[] = {{1280, 720},  {1920, 1080}, {3840, 2160},
                                                 {7680, 4320}, {4320, 7680}, {1080, 1920},
                                                 {2048, 2048}, {16384, 1},   {1, 16384}};
    uint32_t noise = 1;
    for (size_t i = 0; i < COUNT(all); i++) {
        const struct lens_paper_pixel last = {all[i].width_px - 1, all[i].height_px - 1};
        assert_true(lens_paper_key(all[i], last) > 0);
        for (int k = 0; k < 100000; k++) {
            struct lens_paper_pixel at = last;
            if (k > 0) {
                noise = noise * 1664525u + 1013904223u;
                at.x = (int32_t)((noise >> 8) % (uint32_t)all[i].width_px);
                noise = noise * 1664525u + 1013904223u;
                at.y = (int32_t)((noise >> 8) % (uint32_t)all[i].height_px);
            }
            const int32_t key = lens_paper_key(all[i], at);
            const struct lens_paper_pixel back = lens_paper_pixel_of(all[i], key);
            assert_true(key >= 0 && back.x == at.x && back.y == at.y);
        }
    }
    const struct lens_paper_size largest = {7680, 4320};
    assert_int_equal(lens_paper_key(largest, (struct lens_paper_pixel){7679, 4319}), 58979039);
}

TEST(all_tables_say_the_same)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        OWNED(lens_paper_tables_free)
        struct lens_paper_tables t = tables_of(sizes[i], LENS_PAPER_K1, 0.03);
        for (int32_t k = 0; k < sizes[i].width_px * sizes[i].height_px; k++) {
            if (t.x[k] == LENS_PAPER_NOWHERE) {
                assert_true(t.y[k] == t.x[k] && t.key[k] == t.x[k] && t.address[k] == t.x[k]);
                continue;
            }
            const struct lens_paper_pixel from = lens_paper_pixel_of(sizes[i], t.key[k]);
            assert_true(from.x == t.x[k] && from.y == t.y[k]);
            assert_int_equal(t.address[k], t.y[k] * sizes[i].width_px + t.x[k]);
        }
    }
}

static void run(const struct operator_scene *scene, const struct fovea_image *src,
                const struct fovea_image *dst)
{
    scene_run_on_host(pool, scene, &(struct operator_images){.count = 1, .src = src, .dst = dst});
}

static struct operator_scene scene_of(struct lens_paper_size size, enum fovea_format format,
                                      uint32_t filter)
{
    struct operator_scene scene = {.of = &lens_under_test,
                                   .settings = fovea_settings_default(),
                                   .format = format,
                                   .width_px = (uint32_t)size.width_px,
                                   .height_px = (uint32_t)size.height_px};
    scene.settings.own.lens_filter = filter;
    scene.settings.foveation.light = FOVEA_LIGHT_ENCODED;
    return scene;
}

/* The tie rule: where a place is within 0.001 px of the line between two pixels, either is right.
 */
static bool is_tie(const struct lens_paper_tables *t, int32_t x, int32_t y)
{
    double px[2];
    lens_paper_source(t->size, &t->lens, x + 0.5, y + 0.5, px);
    return fabs(px[0] - round(px[0])) < 1e-3 || fabs(px[1] - round(px[1])) < 1e-3;
}

TEST(nearest_is_the_table)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        OWNED(lens_paper_tables_free)
        struct lens_paper_tables t = tables_of(sizes[i], LENS_PAPER_K1, 0.0);
        const struct operator_scene scene = scene_of(sizes[i], FOVEA_FORMAT_RGBA8, 0);
        OWNED_IMAGE src = image_make_packed(scene.width_px, scene.height_px, FOVEA_FORMAT_RGBA8);
        OWNED_IMAGE dst = image_make_packed(scene.width_px, scene.height_px, FOVEA_FORMAT_RGBA8);
        int ties = 0;
        image_draw(&src.view, IMAGE_RANDOM, 5);
        run(&scene, &src.view, &dst.view);
        for (int32_t y = 0; y < sizes[i].height_px; y++) {
            for (int32_t x = 0; x < sizes[i].width_px; x++) {
                const int32_t k = y * sizes[i].width_px + x;
                const uint32_t blank = 0xff000000u;
                const void *expected =
                    t.x[k] == LENS_PAPER_NOWHERE
                        ? (const void *)&blank
                        : image_pixel(&src.view, (uint32_t)t.x[k], (uint32_t)t.y[k]);
                ties += is_tie(&t, x, y);
                assert_true(is_tie(&t, x, y) ||
                            memcmp(image_pixel(&dst.view, (uint32_t)x, (uint32_t)y), expected, 4) ==
                                0);
            }
        }
        assert_true(ties < sizes[i].width_px * sizes[i].height_px / 100);
    }
}

/* 22.21 % of the pixels have no source, so the backward way makes as many fewer copies: of those of
 * the forward way, which makes one for each pixel of the source. Neighbours come nearer to each
 * other everywhere, so none leaves a hole; where a lens draws them apart, some do. */
TEST(forward_copies_more_and_leaves_holes_where_it_draws_apart)
{
    struct lens_paper_tables t =
        tables_of((struct lens_paper_size){1920, 1080}, LENS_PAPER_K1, 0.0);
    struct lens_paper_counts counts = lens_paper_count(&t);
    assert_int_equal(counts.copies, 1920 * 1080);
    assert_true(fabs(1.0 - (double)counts.inside / (double)counts.copies - 0.2221) < 0.0005);
    assert_int_equal(counts.holes, 0);
    assert_true(counts.strays < counts.inside / 1000);
    lens_paper_tables_free(&t);
    t = tables_of((struct lens_paper_size){320, 180}, -0.1, 0.0);
    counts = lens_paper_count(&t);
    assert_int_equal(counts.inside, 320 * 180);
    assert_true(counts.holes > counts.inside / 100);
    lens_paper_tables_free(&t);
}

/* The place in floats, which every backend works with, against doubles. */
TEST(places_are_exact)
{
    const struct lens_paper_size size = {3840, 2160};
    const struct lens_paper_lens lens = {LENS_PAPER_K1, 0.0, size.width_px / 2.0};
    const struct operator_scene scene = scene_of(size, FOVEA_FORMAT_RGBA8, 1);
    struct operator_plan *plan = scene_plan(&scene);
    const struct lens_shape shape = lens_shape_of(lens_plan_of(plan), FOVEA_FORMAT_RGBA8, false);
    double worst_px = 0.0;
    for (int32_t y = 0; y < size.height_px; y += 7) {
        for (int32_t x = 0; x < size.width_px; x += 7) {
            const struct lens_place place =
                lens_source_beside(&shape, NULL, LENS_AXIS, x, y, (struct lens_offset){0.0f, 0.0f});
            double px[2];
            lens_paper_source(size, &lens, x + 0.5, y + 0.5, px);
            worst_px = fmax(worst_px, fabs(place.at_x + (double)place.part_x + 0.5 - px[0]));
            worst_px = fmax(worst_px, fabs(place.at_y + (double)place.part_y + 0.5 - px[1]));
        }
    }
    assert_true(worst_px > 0.0 && worst_px < 5e-4);
    lens_under_test.api->plan_destroy(&plan);
}

/* ---- What lies between pixels */

/* Fields of one pixel each, as fine as a picture can be, and rings that grow as fine. */
static void draw(struct test_image *image, bool rings)
{
    for (uint32_t y = 0; y < image->view.height_px; y++) {
        for (uint32_t x = 0; x < image->view.width_px; x++) {
            const double dx = x - image->view.width_px / 2.0;
            const double dy = y - image->view.height_px / 2.0;
            const double wave = cos(M_PI * (dx * dx + dy * dy) / image->view.width_px);
            unsigned char *pixel = image_pixel(&image->view, x, y);
            pixel[0] =
                rings ? (unsigned char)(127.5 + 127.5 * wave) : (unsigned char)((x + y) % 2 * 255);
        }
    }
}

/* How far pixels are from what the picture has there, in the mean: of rings. */
static double off_rings(const struct fovea_image *made, const struct lens_paper_tables *t)
{
    double sum = 0.0;
    int count = 0;
    for (int32_t y = 0; y < t->size.height_px; y++) {
        for (int32_t x = 0; x < t->size.width_px; x++) {
            double px[2];
            lens_paper_source(t->size, &t->lens, x + 0.5, y + 0.5, px);
            const double dx = px[0] - 0.5 - t->size.width_px / 2.0;
            const double dy = px[1] - 0.5 - t->size.height_px / 2.0;
            if (hypot(dx, dy) < t->size.width_px / 6.0) { /* where they are still coarse */
                const double wave = cos(M_PI * (dx * dx + dy * dy) / t->size.width_px);
                sum += fabs(image_get(made, (uint32_t)x, (uint32_t)y, 0) - 127.5 - 127.5 * wave);
                count++;
            }
        }
    }
    return sum / count;
}

static double spread(const struct fovea_image *made)
{
    double squares = 0.0;
    int count = 0;
    for (uint32_t y = made->height_px / 3; y < made->height_px * 2 / 3; y++) {
        for (uint32_t x = made->width_px / 3; x < made->width_px * 2 / 3; x++) {
            const double off = image_get(made, x, y, 0) - 127.5;
            squares += off * off;
            count++;
        }
    }
    return sqrt(squares / count);
}

/* The table takes whole pixels: a field stays black or white, at the wrong place. Between pixels
 * it may be any grey, but none beyond them, and coarse rings come out nearer to what they are. */
TEST(between_pixels_is_nearer_than_the_table)
{
    const struct lens_paper_size size = {320, 240};
    OWNED(lens_paper_tables_free) struct lens_paper_tables t = tables_of(size, LENS_PAPER_K1, 0.0);
    OWNED_IMAGE src = image_make_packed(320, 240, FOVEA_FORMAT_R8);
    struct test_image made[2];
    double off[2];
    double spreads[2];
    for (uint32_t filter = 0; filter < 2; filter++) {
        const struct operator_scene scene = scene_of(size, FOVEA_FORMAT_R8, filter);
        made[filter] = image_make_packed(320, 240, FOVEA_FORMAT_R8);
        draw(&src, true);
        run(&scene, &src.view, &made[filter].view);
        off[filter] = off_rings(&made[filter].view, &t);
        draw(&src, false);
        run(&scene, &src.view, &made[filter].view);
        spreads[filter] = spread(&made[filter].view);
        image_free(&made[filter]);
    }
    assert_true(spreads[0] == 127.5);
    assert_true(spreads[1] < 100.0);
    assert_true(off[1] < 0.5 * off[0]);
}

int main(void)
{
    if (thread_pool_create(3, &pool) < 0) {
        return 1;
    }
    thread_pool_grow(pool, 3);
    const int failed = tests_run(NULL, NULL);
    thread_pool_destroy(&pool);
    return failed;
}
