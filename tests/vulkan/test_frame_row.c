/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Frames through several operators: bit for bit the same as one after the other. */

#include "cmocka_all.h"
#include "compare.h"
#include "operator_rows.h"
#include "rig.h"
#include "sanitized.h"

static const VkFormat formats[] = {
    VK_FORMAT_R8G8B8A8_SRGB,
    VK_FORMAT_B8G8R8A8_UNORM,
    VK_FORMAT_A2B10G10R10_UNORM_PACK32,
    VK_FORMAT_B10G11R11_UFLOAT_PACK32,
    VK_FORMAT_R16G16B16A16_SFLOAT,
};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof formats[0]))

static void run(struct rig *rig, const struct fovea_operators *operators, enum rig_path path,
                VkFormat format, const struct test_image *src, const struct test_image *dst)
{
    rig->settings.operators = *operators;
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
    assert_ok(rig_frame(rig, path, format, &src->view, rig_gaze(0.3, 0.6), &dst->view));
}

/* The two on one path: that each is right on all of them is test_frame_operators' to say. */
static void check(struct rig *rig, size_t i, VkFormat format)
{
    const enum fovea_format pixel = rig_pixel_format(format);
    OWNED_IMAGE src = image_drawn(131, 83, pixel, IMAGE_PHOTO, 3);
    OWNED_IMAGE one = image_make_packed(131, 83, pixel);
    OWNED_IMAGE both = image_make_packed(131, 83, pixel);
    run(rig, &rows[i].first, RIG_ENGINE_TO_ENGINE, format, &src, &one);
    run(rig, &rows[i].second, RIG_ENGINE_TO_ENGINE, format, &one, &both);
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        if (test_turn(path, RIG_PATH_COUNT, 4)) {
            OWNED_IMAGE row = image_make_packed(131, 83, pixel);
            run(rig, &rows[i].row, (enum rig_path)path, format, &src, &row);
            compare_assert_all_same(&row.view, &both.view,
                                    test_text("row %zu, %s, format %d, %s", i, rig_backend_name(),
                                              (int)format, rig_path_name((enum rig_path)path)));
        }
    }
}

/* Settings come and go between the frames: each is made with what holds then. A sample has few of
 * the formats, as each has shaders of its own, which a CPU takes seconds for. */
TEST(a_row_is_its_operators_one_after_the_other)
{
    for (int f = test_first(FORMAT_COUNT); f < FORMAT_COUNT; f += TEST_STEP(f)) {
        for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
            struct fovea_settings settings = rig_settings();
            settings.foveation.method = (enum fovea_method)method;
            settings.own.lens_r2 = 0.3;
            settings.own.lens_filter = (uint32_t)f % 3;
            RIG(rig, &settings);
            for (size_t i = 0; i < ROW_COUNT; i++) {
                check(&rig, i, formats[f]);
            }
        }
    }
}

static uint64_t count_different(const struct test_image *a, const struct test_image *b)
{
    uint64_t count = 0;
    for (uint32_t y = 0; y < a->view.height_px; y++) {
        for (uint32_t x = 0; x < a->view.width_px; x++) {
            count += memcmp(image_pixel(&a->view, x, y), image_pixel(&b->view, x, y), 4) != 0;
        }
    }
    return count;
}

/* The marks of foveation are drawn with its own tables, over what the last operator made. */
TEST(marks_are_drawn_over_the_rows_result)
{
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    RIG(rig, NULL);
    OWNED_IMAGE src = image_drawn(200, 150, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, 3);
    OWNED_IMAGE plain = image_make_packed(200, 150, FOVEA_FORMAT_RGBA8);
    OWNED_IMAGE marked = image_make_packed(200, 150, FOVEA_FORMAT_RGBA8);
    for (int i = 0; i < 2; i++) {
        rig.settings.overlay = (struct fovea_overlay){0};
        run(&rig, &rows[i].row, RIG_MADE_TO_MADE, format, &src, &plain);
        rig.settings.overlay.marker = true;
        run(&rig, &rows[i].row, RIG_MADE_TO_MADE, format, &src, &marked);
        assert_in_range(count_different(&marked, &plain), 20, 3000);
        rig.settings.overlay.hud = true;
        run(&rig, &rows[i].row, RIG_MADE_TO_MADE, format, &src, &marked);
    }
}
