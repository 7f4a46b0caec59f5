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

static void check(struct rig *rig, size_t i, enum rig_path path, VkFormat format)
{
    const enum fovea_format pixel = rig_pixel_format(format);
    struct test_image images[4]; /* the source, after one, after two, after the row */
    const char *what = test_text("row %zu, %s, format %d, %s", i, rig_backend_name(), (int)format,
                                 rig_path_name(path));
    for (int k = 0; k < 4; k++) {
        images[k] = image_make_packed(131, 83, pixel);
    }
    image_draw(&images[0].view, IMAGE_PHOTO, 3);
    run(rig, &rows[i].first, path, format, &images[0], &images[1]);
    run(rig, &rows[i].second, path, format, &images[1], &images[2]);
    run(rig, &rows[i].row, path, format, &images[0], &images[3]);
    compare_assert_all_same(&images[3].view, &images[2].view, what);
    for (int k = 0; k < 4; k++) {
        image_free(&images[k]);
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
                for (int path = 0; path < RIG_PATH_COUNT; path++) {
                    if (test_turn(path, RIG_PATH_COUNT, 4)) {
                        check(&rig, i, (enum rig_path)path, formats[f]);
                    }
                }
            }
        }
    }
}
