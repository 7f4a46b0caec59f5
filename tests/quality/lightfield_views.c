/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_views.h"

#include "picture.h"
#include "progress.h"

#include "config/settings.h"

#include <math.h>
#include <stdio.h>

#define LENS_PX 4 /* pixels of a picture for each lens */
#define ASIDE 0.25 /* views are so far from the middle, pitches */
#define VIEW_RADIUS_PX 1.5
#define SUM_RADIUS 0.4 /* pitches */
#define REFOCUS_LENSES 8.0 /* by which the outermost views move at most: microscopes' do */

static bool write_one(const struct views_wishes *wishes, struct picture *picture,
                      const struct fovea_lightfield_sum *sum, const char *name)
{
    char path[FOVEA_PATH_MAX];
    const struct fovea_image image = {.data = picture->rgba,
                                      .width_px = (uint32_t)picture->width_px,
                                      .height_px = (uint32_t)picture->height_px,
                                      .format = FOVEA_FORMAT_RGBA8,
                                      .row_stride_bytes = 4 * (ptrdiff_t)picture->width_px};
    snprintf(path, sizeof path, "%s/%s.png", wishes->output, name);
    return fovea_lightfield_sum_views(wishes->field, wishes->raw, sum, &image, NULL) == FOVEA_OK &&
           picture_write_png(picture, path);
}

static bool write_views(const struct views_wishes *wishes, struct picture *picture)
{
    static const struct {
        const char *name;
        double x, y;
    } views[] = {{"view", 0.0, 0.0},
                 {"view-left", -ASIDE, 0.0},
                 {"view-right", ASIDE, 0.0},
                 {"view-above", 0.0, -ASIDE},
                 {"view-below", 0.0, ASIDE}};
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof views / sizeof views[0]; i++) {
        struct fovea_lightfield_sum sum;
        fovea_lightfield_sum_init(&sum);
        sum.radius_px = VIEW_RADIUS_PX;
        sum.view_x_px = views[i].x * wishes->geometry->pitch_x_px;
        sum.view_y_px = views[i].y * wishes->geometry->pitch_x_px;
        fine = write_one(wishes, picture, &sum, views[i].name);
    }
    return fine;
}

static bool write_sum(const struct views_wishes *wishes, struct picture *picture, double lenses,
                      const char *name)
{
    struct fovea_lightfield_sum sum;
    fovea_lightfield_sum_init(&sum);
    sum.radius_px = SUM_RADIUS * wishes->geometry->pitch_x_px;
    sum.shift = fmax(-1.0, fmin(1.0, lenses / sum.radius_px));
    return write_one(wishes, picture, &sum, name);
}

static bool write_frames(const struct views_wishes *wishes, struct picture *picture)
{
    struct progress progress = progress_start(LIGHTFIELD_FRAMES, true);
    progress.what = "refocused picture";
    bool fine = true;
    for (int i = 0; fine && i < LIGHTFIELD_FRAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "refocus-%02d", i);
        fine = write_sum(wishes, picture, REFOCUS_LENSES * cos(2.0 * M_PI * i / LIGHTFIELD_FRAMES),
                         name);
        progress_update(&progress, (uint64_t)i + 1);
    }
    progress_end(&progress);
    return fine;
}

bool views_write(const struct views_wishes *wishes)
{
    const struct fovea_lightfield_geometry *geometry = wishes->geometry;
    const double tall = geometry->pitch_y_px / geometry->pitch_x_px;
    struct picture picture;
    if (!picture_init(&picture, LENS_PX * (int)geometry->columns,
                      (int)lround(LENS_PX * tall * geometry->rows))) {
        return false;
    }
    const bool fine = write_views(wishes, &picture) && write_sum(wishes, &picture, 0.0, "sum") &&
                      write_frames(wishes, &picture);
    picture_finish(&picture);
    return fine;
}
