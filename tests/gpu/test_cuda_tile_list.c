/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How long the list of tiles is, for any gaze: long enough for those near
 * it, and not much longer. */

#include "cmocka_all.h"
#include "kernels/gauss/cuda/tiles/tiles.h"

#include "kernels/foveate/foveate.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* 1280x720, 1920x1080 and what is no multiple of a tile. */
static const uint32_t sizes_px[][2] = {{1280, 720}, {1920, 1080}, {1999, 1111}};
static const struct fovea_point_uv gazes[] = {{0.5, 0.5}, {0.0, 0.0},  {0.01, 0.97},
                                              {0.7, 0.3}, {1.2, -0.4}, {-9.0, 40.0}};

static struct gauss_plan *make_plan(uint32_t width_px, uint32_t height_px)
{
    struct gauss_plan *plan = NULL;
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.method = FOVEA_METHOD_SMOOTH;
    foveation.light = FOVEA_LIGHT_ENCODED;
    assert_ok(foveate_plan_create(&foveation, width_px, height_px, &plan));
    return plan;
}

/* The least sigma of each subtile, asked at its pixels. */
struct least {
    uint32_t columns, rows;
    float of[(1999 / GAUSS_TILE_PX + 1) * (1111 / GAUSS_TILE_PX + 1) * GAUSS_TILE_SUBTILES];
};

static void find_least(const struct gauss_plan *plan, const struct gauss_frame *frame,
                       struct least *out)
{
    const uint32_t px = GAUSS_TILE_SUBTILE_PX;
    out->columns = (plan->width_px / GAUSS_TILE_PX + 1) * GAUSS_TILE_ACROSS;
    out->rows = (plan->height_px / GAUSS_TILE_PX + 1) * GAUSS_TILE_ACROSS;
    assert_true(out->columns * out->rows <= COUNT(out->of));
    for (uint32_t k = 0; k < out->columns * out->rows; k++) {
        out->of[k] = INFINITY;
        for (uint32_t i = 0; i < px * px; i++) {
            const uint32_t x = k % out->columns * px + i % px;
            const uint32_t y = k / out->columns * px + i / px;
            out->of[k] = fminf(out->of[k], gauss_sigma_at(plan, frame, (int32_t)x, (int32_t)y));
        }
    }
}

/* Counts squares of so many subtiles across that somewhere have less than that sigma. */
static int32_t count_below(const struct gauss_plan *plan, const struct least *least,
                           uint32_t across, float sigma_px)
{
    const uint32_t side_px = across * GAUSS_TILE_SUBTILE_PX;
    int32_t count = 0;
    for (uint32_t y = 0; y * side_px < plan->height_px; y++) {
        for (uint32_t x = 0; x * side_px < plan->width_px; x++) {
            bool below = false;
            for (uint32_t i = 0; i < across * across; i++) {
                const uint32_t row = y * across + i / across;
                below =
                    below || least->of[row * least->columns + x * across + i % across] < sigma_px;
            }
            count += below;
        }
    }
    return count;
}

/* The tiles are a launch's, with the gaze there. */
static void check_gaze(const struct gauss_plan *plan, const struct gauss_frame *frame,
                       const struct least *least, const struct gauss_tiles *all)
{
    struct gauss_tiles tiles = *all;
    gauss_cuda_tile_list_widen(&tiles.grid, 1 + frame->others.count);
    const struct gauss_tile_grid room = tiles.grid;
    gauss_cuda_tile_list_fit(&tiles, frame);
    const struct gauss_tile_grid *grid = &tiles.grid;
    const int32_t subtiles = GAUSS_TILE_SUBTILES;
    const int32_t split = count_below(plan, least, GAUSS_TILE_ACROSS, gauss_tile_sigma_from(2));
    const int32_t near = count_below(plan, least, GAUSS_TILE_ACROSS, gauss_tile_sigma_from(1));
    /* Tiles between are four entries, where sigma changes little in them. */
    const int32_t asked = near * (subtiles - 1) + (split - near) * 3;
    assert_in_range(grid->split_count, asked, room.split_count);
    assert_true(frame->others.count > 0 ||
                grid->split_count <= (split + 8 + split / 3) * (subtiles - 1));
    assert_int_equal(grid->entry_count, grid->columns * grid->rows + grid->split_count);
}

/* The other foveas lie at the next gazes. */
static struct gauss_frame with_others(const struct gauss_plan *plan, struct gauss_frame frame,
                                      size_t k)
{
    for (size_t i = 0; i < GAZE_OTHERS_MAX; i++) {
        const struct gauss_frame there = gauss_frame_make(plan, gazes[(k + 1 + i) % COUNT(gazes)]);
        frame.others.q8[i][0] = there.gaze_x_q8;
        frame.others.q8[i][1] = there.gaze_y_q8;
    }
    frame.others.count = GAZE_OTHERS_MAX;
    return frame;
}

TEST(the_list_fits_any_gaze)
{
    for (size_t i = 0; i < COUNT(sizes_px); i++) {
        OWNED(foveate_plan_destroy)
        struct gauss_plan *plan = make_plan(sizes_px[i][0], sizes_px[i][1]);
        struct gauss_tiles all;
        assert_true(gauss_cuda_tiles_plan(plan, GAUSS_TILE_MAX_SLOPE, &all));
        for (size_t k = 0; k < COUNT(gazes); k++) {
            const struct gauss_frame frame = gauss_frame_make(plan, gazes[k]);
            static struct least least;
            find_least(plan, &frame, &least);
            check_gaze(plan, &frame, &least, &all);
            const struct gauss_frame several = with_others(plan, frame, k);
            find_least(plan, &several, &least);
            check_gaze(plan, &several, &least, &all);
        }
    }
}
