/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Every pixel is written, at every gaze, and nothing else is. A flat picture stays flat, so that
 * one byte that differs is a pixel left out or a filter that does not sum to one. */

#include "test_foveate_support.h"

#include "compare.h"
#include "images.h"

#define FLAT 77

static void check_flat(const struct test_image *dst, unsigned char level, const char *what)
{
    const struct fovea_image *view = &dst->view;
    for (uint32_t y = 0; y < view->height_px; y++) {
        for (uint32_t x = 0; x < view->width_px; x++) {
            if (*image_pixel(view, x, y) != level) {
                fail_msg("%s: pixel x %u, y %u is %u, expected %u", what, x, y,
                         *image_pixel(view, x, y), level);
            }
        }
    }
}

struct cover {
    struct rig rig;
    struct test_image src;
    struct test_image dst;
};

static struct cover cover_make(uint32_t width_px, uint32_t height_px, uint32_t fragment_px)
{
    struct cover cover = {
        .rig = rig_make(paper_settings(fragment_px), width_px, height_px),
        .src = image_make_packed(width_px, height_px, FOVEA_FORMAT_R8),
        .dst =
            image_make(width_px, height_px, FOVEA_FORMAT_R8, (struct image_layout){.row_gap = 1}),
    };
    image_fill(&cover.src.view, FLAT);
    return cover;
}

static void cover_finish(struct cover *cover)
{
    assert_true(image_guards_intact(&cover->dst));
    rig_finish(&cover->rig);
    image_free(&cover->src);
    image_free(&cover->dst);
}

static void cover_check(struct cover *cover, double gaze_x_px, double gaze_y_px)
{
    char what[96];
    snprintf(what, sizeof what, "%ux%u, fragment %u, gaze %g,%g", cover->src.view.width_px,
             cover->src.view.height_px, cover->rig.plan->fragment_px, gaze_x_px, gaze_y_px);
    memset(image_pixel(&cover->dst.view, 0, 0), 0xa5,
           (size_t)cover->dst.view.row_stride_bytes * cover->dst.view.height_px);
    rig_run(&cover->rig, &cover->src.view, &cover->dst.view, gaze_x_px, gaze_y_px);
    check_flat(&cover->dst, FLAT, what);
}

/* The published program leaves rows and columns out at 48 of these 64 positions on each axis. */
TEST(all_64_by_64_gaze_positions_write_every_pixel)
{
    struct cover cover = cover_make(71, 67, 32);
    for (int y = 0; y < 64; y++) {
        for (int x = 0; x < 64; x++) {
            cover_check(&cover, x, y);
        }
    }
    cover_finish(&cover);
}

TEST(fractions_of_a_pixel_write_every_pixel)
{
    struct cover cover = cover_make(41, 37, 5);
    for (int q8 = -2 * 5 * 256; q8 <= 2 * 5 * 256; q8 += 3) {
        cover_check(&cover, 20 + q8 / 256.0, 18 - q8 / 256.0);
    }
    cover_finish(&cover);
}

TEST(gaze_outside_every_edge_writes_every_pixel)
{
    struct cover cover = cover_make(65, 49, 16);
    for (int along = -40; along <= 100; along += 7) {
        cover_check(&cover, along, 0);
        cover_check(&cover, along, 49);
        cover_check(&cover, along, -1000);
        cover_check(&cover, along, 1000);
        cover_check(&cover, 0, along);
        cover_check(&cover, 65, along);
        cover_check(&cover, -1000.25, along);
        cover_check(&cover, 1e6, along);
    }
    cover_finish(&cover);
}

TEST(every_size_with_every_fragment_writes_every_pixel)
{
    static const uint32_t sizes[][2] = {{1, 1},   {3, 5},   {31, 33}, {1, 300},
                                        {300, 1}, {64, 64}, {97, 83}, {641, 359}};
    static const uint32_t sides[] = {4, 5, 7, 8, 16, 31, 32, 64, 128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t f = 0; f < sizeof sides / sizeof *sides; f++) {
            struct cover cover = cover_make(sizes[s][0], sizes[s][1], sides[f]);
            for (int i = 0; i < 9; i++) {
                cover_check(&cover, sizes[s][0] * i / 8.0 + i, sizes[s][1] * (8 - i) / 8.0 - i);
            }
            cover_finish(&cover);
        }
    }
}

TEST(all_256_levels_stay_what_they_are)
{
    struct cover cover = cover_make(160, 120, 8);
    for (int level = 0; level < 256; level++) {
        image_fill(&cover.src.view, level);
        rig_run(&cover.rig, &cover.src.view, &cover.dst.view, 33, 77);
        check_flat(&cover.dst, (unsigned char)level, "flat");
    }
    cover_finish(&cover);
}

TEST(the_largest_sigma_there_is_keeps_a_flat_picture)
{
    struct fovea_foveation settings = paper_settings(32);
    settings.paper.f_max_cpd = 30.0 * 11.8;
    settings.strength = 8.0;
    struct rig rig = rig_make(settings, 40, 30);
    assert_in_range(rig.plan->sigma_bound_px, 800, 1024);
    struct test_image src = image_make_packed(40, 30, FOVEA_FORMAT_RGBA8);
    struct test_image dst = image_make_packed(40, 30, FOVEA_FORMAT_RGBA8);
    image_fill(&src.view, 201);
    rig_run(&rig, &src.view, &dst.view, 0, 0);
    compare_assert_all_same(&dst.view, &src.view, "flat");
    rig_finish(&rig);
    image_free(&src);
    image_free(&dst);
}
