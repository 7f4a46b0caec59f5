/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lens.h"

#include "calibration.h"
#include "place.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "kernels/image/levels.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The settings as a polynomial */

struct model {
    struct lens_polynomial polynomial;
    double center_px[2];
    double unit_px;
    double farthest; /* r of the corner that is farthest from the centre */
};

static const struct lens_calibration *calibration_of(const struct operator_plan_desc *desc)
{
    return (const struct lens_calibration *)desc->settings->own.lens_file_data;
}

/* NULL: the settings are all, or the calibration has none for an eye that is not named. */
static const struct lens_map *map_of(const struct operator_plan_desc *desc)
{
    const struct lens_calibration *calibration = calibration_of(desc);
    return calibration ? lens_calibration_map(calibration, desc->settings->foveation.map.eye)
                       : NULL;
}

static bool is_grid(const struct operator_plan_desc *desc)
{
    const struct lens_map *map = map_of(desc);
    return map && lens_map_is_grid(map, desc->width_px, desc->height_px);
}

static struct lens_polynomial polynomial_of(const struct fovea_operator_settings *own)
{
    struct lens_polynomial polynomial = {
        .terms = {{own->lens_red_r0, own->lens_red_r1, own->lens_red_r2, own->lens_red_r3,
                   own->lens_red_r4},
                  {own->lens_r0, own->lens_r1, own->lens_r2, own->lens_r3, own->lens_r4},
                  {own->lens_blue_r0, own->lens_blue_r1, own->lens_blue_r2, own->lens_blue_r3,
                   own->lens_blue_r4}},
        .unit = own->lens_unit};
    for (int i = 0; i < LENS_POWERS; i++) {
        polynomial.terms[0][i] += polynomial.terms[LENS_AXIS][i];
        polynomial.terms[2][i] += polynomial.terms[LENS_AXIS][i];
    }
    return polynomial;
}

/* The part of the picture that lies before the frustum's axis. */
static double part_before(double tan_before, double tan_after)
{
    return tan_before == 0.0 && tan_after == 0.0 ? 0.5 : tan_before / (tan_before + tan_after);
}

/* A polynomial, or the settings of one where a grid has its place. */
static struct model model_of(const struct operator_plan_desc *desc)
{
    const struct lens_map *map = map_of(desc);
    const struct fovea_operator_settings *own = &desc->settings->own;
    const struct fovea_geometry *view = &desc->settings->foveation.geometry;
    const double size_px[] = {desc->width_px, desc->height_px};
    const double units_px[] = {size_px[0] / 2, size_px[1] / 2, hypot(size_px[0], size_px[1]) / 2,
                               fmin(size_px[0], size_px[1]) / 2};
    const double center_uv[] = {part_before(view->tan_left, view->tan_right) + own->lens_shift_x,
                                part_before(view->tan_up, view->tan_down) + own->lens_shift_y};
    double far_px[2];
    struct model model = {.polynomial =
                              map && !is_grid(desc) ? map->polynomial : polynomial_of(own)};
    for (int i = 0; i < 2; i++) {
        const double uv = model.polynomial.centered ? model.polynomial.center_uv[i] : center_uv[i];
        model.center_px[i] = uv * size_px[i];
        far_px[i] = fmax(fabs(model.center_px[i]), fabs(size_px[i] - model.center_px[i]));
    }
    model.unit_px = units_px[model.polynomial.unit];
    model.farthest = hypot(far_px[0], far_px[1]) / model.unit_px;
    return model;
}

/* ---- Maps that fold */

static void say_fold(const struct operator_plan_desc *desc, const struct model *model, int color,
                     double fold, char *out, size_t bytes)
{
    static const char *const units[] = {"half widths", "half heights", "half diagonals",
                                        "halves of the short side"};
    const struct lens_calibration *calibration = calibration_of(desc);
    const enum fovea_map_eye eye = desc->settings->foveation.map.eye;
    const double(*terms)[LENS_POWERS] = model->polynomial.terms;
    const bool colored = memcmp(terms[0], terms[1], sizeof terms[0]) != 0 ||
                         memcmp(terms[2], terms[1], sizeof terms[0]) != 0;
    const char *eye_name = !calibration || calibration->eye_count == 1 ? ""
                           : eye == FOVEA_MAP_EYE_LEFT                 ? "the left eye's "
                                                                       : "the right eye's ";
    const char *cure =
        fold > 0.0 ? "terms that are nearer to 0 do, or another unit" : "at r = 0 that is r0 alone";
    snprintf(out, bytes,
             "lens: from r = %.4g %s on %s%s folds back: r0 + 2 r1 r + 3 r2 r^2 + 4 r3 r^3 + "
             "5 r4 r^4 must be above 0 up to the picture's farthest corner, r = %.4g; %s",
             fold, units[model->polynomial.unit], eye_name,
             colored ? lens_color_names[color] : "the map", model->farthest, cure);
}

bool lens_complain(const struct operator_plan_desc *desc, char *out, size_t bytes)
{
    const struct model model = model_of(desc);
    if (calibration_of(desc) && !map_of(desc)) {
        snprintf(out, bytes,
                 "lens: the calibration has a lens for each eye; a view's eye says which one "
                 "counts, or foveation.map.eye, left or right");
        return true;
    }
    for (int color = 0; color < LENS_COLORS && !is_grid(desc); color++) {
        const double fold = lens_fold_of(model.polynomial.terms[color], model.farthest);
        if (fold <= model.farthest) {
            say_fold(desc, &model, color, fold, out, bytes);
            return true;
        }
    }
    return false;
}

/* ---- Plans */

static void set_grid(const struct operator_plan_desc *desc, struct lens_plan *plan)
{
    const struct lens_points *points = &map_of(desc)->points;
    const int32_t count = (int32_t)(points->columns * points->rows);
    plan->colored = points->places_uv[0] != points->places_uv[LENS_AXIS] ||
                    points->places_uv[2] != points->places_uv[LENS_AXIS];
    plan->shape.grid =
        (struct lens_grid){.columns = (int32_t)points->columns,
                           .rows = (int32_t)points->rows,
                           .per_px_x = (float)(1.0 / (points->step_uv[0] * desc->width_px)),
                           .per_px_y = (float)(1.0 / (points->step_uv[1] * desc->height_px)),
                           .quadratic = points->quadratic,
                           .start = (float)points->start};
    for (int32_t color = 0; plan->colored && color < LENS_COLORS; color++) {
        plan->shape.grid.first[color] = color * count;
    }
}

/* Returns whether anything is moved. */
static bool set_terms_of_shape(const struct model *model, struct lens_plan *plan)
{
    bool moves = false;
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        const int power = i % LENS_POWERS;
        const double term = model->polynomial.terms[i / LENS_POWERS][power];
        plan->shape.terms[i] = (float)(term - (power == 0 ? 1.0 : 0.0));
        plan->colored = plan->colored || term != model->polynomial.terms[LENS_AXIS][power];
        moves = moves || plan->shape.terms[i] != 0.0f;
    }
    return moves;
}

/* All that is compared where it is asked whether a plan fits. Where nothing is moved pixels are
 * copied bit by bit, as the nearest ones are. */
static void set_up(const struct operator_plan_desc *desc, struct lens_plan *plan)
{
    const struct fovea_operator_settings *own = &desc->settings->own;
    const struct fovea_foveation *foveation = &desc->settings->foveation;
    const struct model model = model_of(desc);
    bool moves = true;
    plan->calibration = (struct lens_calibration *)own->lens_file_data;
    plan->map = map_of(desc);
    plan->shape =
        (struct lens_shape){.width_px = (int32_t)desc->width_px,
                            .height_px = (int32_t)desc->height_px,
                            .center_x_px = (float)model.center_px[0],
                            .center_y_px = (float)model.center_px[1],
                            .per_px = (float)(1.0 / model.unit_px),
                            .blank = {(float)own->lens_blank_red, (float)own->lens_blank_green,
                                      (float)own->lens_blank_blue}};
    if (desc->levels) {
        levels_light_of_color(desc->levels, plan->shape.blank);
    }
    if (is_grid(desc)) {
        set_grid(desc, plan);
    } else {
        moves = set_terms_of_shape(&model, plan);
    }
    plan->filter = moves ? (int32_t)own->lens_filter : LENS_NEAREST;
    plan->samples_across = 1;
    plan->most = desc->levels && plan->filter == LENS_BICUBIC ? levels_light_most(desc->levels) : 0;
    if (plan->filter != LENS_NEAREST) {
        plan->samples_across = (int32_t)own->lens_samples + 1;
        plan->averages_alpha = foveation->alpha == FOVEA_ALPHA_PREMULTIPLIED;
        plan->light = pixel_light_of(foveation->light, foveation->transfer);
        plan->light_value = pixel_light_value(plan->light, &foveation->display);
        plan->sample_count = pixel_light_samples(plan->light, &foveation->display);
    }
}

/* The difference of two doubles, so that a float has all of what matters. */
static void set_moves(const struct operator_plan_desc *desc, const float *places_uv, float *moves)
{
    const struct lens_points *points = &map_of(desc)->points;
    const double size_px[] = {desc->width_px, desc->height_px};
    for (uint32_t j = 0; j < points->rows; j++) {
        for (uint32_t i = 0; i < points->columns; i++) {
            const double at_uv[] = {(i + points->start) * points->step_uv[0],
                                    (j + points->start) * points->step_uv[1]};
            for (int axis = 0; axis < 2; axis++) {
                *moves++ = (float)(((double)*places_uv++ - at_uv[axis]) * size_px[axis]);
            }
        }
    }
}

static enum fovea_result make_moves(const struct operator_plan_desc *desc, struct lens_plan *plan)
{
    const struct lens_points *points = &map_of(desc)->points;
    const size_t each = 2 * (size_t)points->columns * points->rows;
    plan->move_count = each * (plan->colored ? LENS_COLORS : 1);
    plan->moves = large_memory_make(plan->move_count, sizeof *plan->moves);
    FOVEA_TRY_MEMORY(plan->moves);
    for (int color = 0; color < LENS_COLORS; color++) {
        if (plan->colored || color == LENS_AXIS) {
            set_moves(desc, points->places_uv[color],
                      plan->moves + (plan->colored ? (size_t)color * each : 0));
        }
    }
    return FOVEA_OK;
}

enum fovea_result lens_plan_create(const struct operator_plan_desc *desc,
                                   struct operator_plan **out_plan)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    *out_plan = NULL;
    if (lens_complain(desc, words, sizeof words)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct lens_plan *plan = calloc(1, sizeof *plan + FOVEA_DISPLAY_MAX * sizeof *plan->samples);
    FOVEA_TRY_MEMORY(plan);
    set_up(desc, plan);
    pixel_light_fill_samples(plan->light, &desc->settings->foveation.display, plan->samples);
    (void)shared_data_share(desc->settings->own.lens_file_data);
    *out_plan = &plan->base;
    if (is_grid(desc) && make_moves(desc, plan) < 0) {
        lens_plan_destroy(out_plan);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    plan->base.cuda_bytes = plan->move_count * sizeof *plan->moves;
    return FOVEA_OK;
}

void lens_plan_destroy(struct operator_plan **plan)
{
    struct lens_plan *lens = (struct lens_plan *)*plan;
    if (lens) {
        struct shared_data *calibration = (struct shared_data *)lens->calibration;
        shared_data_release(&calibration);
        large_memory_free(lens->moves);
    }
    free(*plan);
    *plan = NULL;
}

/* The settings of a plan were no cause to complain when it was made. */
bool lens_plan_fits(const struct operator_plan *made, const struct operator_plan_desc *desc)
{
    const struct lens_plan *plan = lens_plan_of(made);
    struct lens_plan other;
    memset(&other, 0, sizeof other);
    set_up(desc, &other);
    return memcmp(&plan->filter, &other.filter,
                  offsetof(struct lens_plan, moves) - offsetof(struct lens_plan, filter)) == 0 &&
           pixel_light_fills_samples(plan->light, &desc->settings->foveation.display,
                                     plan->samples);
}

/* ---- Places */

static int32_t pixel_at(double at_px, int32_t count)
{
    const int32_t pixel = (int32_t)at_px;
    return pixel < count ? pixel : count - 1; /* the edge itself is in the last one */
}

struct fovea_point_uv lens_place_before(const struct operator_plan *plan,
                                        struct fovea_point_uv place)
{
    const struct lens_plan *lens = lens_plan_of(plan);
    const struct lens_shape *shape = &lens->shape;
    const double at_x = place.x_uv * shape->width_px;
    const double at_y = place.y_uv * shape->height_px;
    const int32_t x = pixel_at(at_x, shape->width_px);
    const int32_t y = pixel_at(at_y, shape->height_px);
    const struct lens_offset offset = {(float)(at_x - x - 0.5), (float)(at_y - y - 0.5)};
    const struct lens_place from = lens_source_beside(shape, lens->moves, LENS_AXIS, x, y, offset);
    return (struct fovea_point_uv){(from.at_x + 0.5 + (double)from.part_x) / shape->width_px,
                                   (from.at_y + 0.5 + (double)from.part_y) / shape->height_px};
}

/* ---- Formats */

struct lens_shape lens_shape_of(const struct lens_plan *plan, enum fovea_format format,
                                bool blue_first)
{
    const float white = pixel_white(format);
    const bool grey = pixel_codec_of(format)->color_channels == 1;
    struct lens_shape shape = plan->shape;
    for (size_t i = 0; i < LENS_COLORS; i++) {
        /* a grey image's only channel is as green */
        const size_t from = grey ? LENS_AXIS : blue_first ? LENS_COLORS - 1 - i : i;
        const float blank = plan->shape.blank[from] * white;
        shape.blank[i] = white > 1.0f ? floorf(blank + 0.5f) : blank;
        if (plan->moves) {
            shape.grid.first[i] = plan->shape.grid.first[from];
        } else {
            memcpy(shape.terms + i * LENS_POWERS, plan->shape.terms + from * LENS_POWERS,
                   LENS_POWERS * sizeof *shape.terms);
        }
    }
    return shape;
}
