/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "sheet.h"

static struct test_image make_all(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                                  enum sheet_order order)
{
    const struct image_layout layout = {.bottom_up = order == SHEET_BOTTOM_UP,
                                        .row_gap = order == SHEET_GAPS ? 3 : 0,
                                        .pixel_gap = order == SHEET_GAPS ? 1 : 0};
    return image_make(width_px, height_px, format, layout);
}

struct sheet sheet_make(uint32_t count, uint32_t width_px, uint32_t height_px,
                        enum fovea_format format, enum sheet_order order)
{
    struct sheet sheet = {.count = count};
    const uint32_t last_y = order == SHEET_UPWARD ? (count - 1) * height_px : 0;
    const bool row = order == SHEET_SIDE_BY_SIDE || order == SHEET_GAPS;
    sheet.all = make_all(row ? count * width_px : width_px, row ? height_px : count * height_px,
                         format, order);
    sheet.first = sheet.all.view;
    sheet.first.width_px = width_px;
    sheet.first.height_px = height_px;
    sheet.first.data = image_pixel(&sheet.all.view, 0, last_y);
    sheet.next_bytes = (ptrdiff_t)height_px * sheet.first.row_stride_bytes;
    if (order == SHEET_UPWARD) {
        sheet.next_bytes = -sheet.next_bytes;
    } else if (row && count > 1) {
        sheet.next_bytes =
            image_pixel(&sheet.all.view, width_px, 0) - image_pixel(&sheet.all.view, 0, 0);
    }
    return sheet;
}

void sheet_free(struct sheet *sheet)
{
    image_free(&sheet->all);
}

struct fovea_image sheet_image(const struct sheet *sheet, uint32_t index)
{
    struct fovea_image image = sheet->first;
    image.data = (unsigned char *)image.data + (ptrdiff_t)index * sheet->next_bytes;
    return image;
}

void sheet_draw(const struct sheet *sheet, enum image_pattern pattern, uint64_t seed)
{
    for (uint32_t i = 0; i < sheet->count; i++) {
        const struct fovea_image image = sheet_image(sheet, i);
        image_draw(&image, pattern, seed + i);
    }
}

void sheet_gazes(float *out_gazes_uv, uint32_t count, uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    for (uint32_t i = 0; i < 2 * count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        out_gazes_uv[i] = (float)(state >> 40) * 0x1p-24f * 1.5f - 0.25f;
    }
}
