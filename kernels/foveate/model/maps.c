/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Maps of what foveation does to an image; they need no image. */

#include "core/log.h"
#include "kernels/foveate/foveate.h"
#include "map_copy.h"
#include "model.h"

#include <math.h>
#include <string.h>

/* A plan may use a program's array where it lies; only a file has to be read. */
static enum fovea_result make_plan(struct fovea_foveation foveation, uint32_t width_px,
                                   uint32_t height_px, struct gauss_plan **out_plan)
{
    struct foveate_map_copy none = {0};
    struct foveate_map_copy read = {0};
    foveation.map.serial = 0; /* nothing of it is a copy of ours */
    foveation.map.ready = NULL;
    if (foveation.model == FOVEA_MODEL_MAP && foveation.map.kind == FOVEA_MAP_FILE) {
        if (strnlen(foveation.map.file, FOVEA_PATH_MAX) == FOVEA_PATH_MAX) {
            return FOVEA_ERROR_INVALID_ARGUMENT; /* it has no end */
        }
        FOVEA_TRY(foveate_map_copy_make(&foveation.map, &none, (struct fovea_log){0}, &read));
    }
    const enum fovea_result result = foveate_plan_create(&foveation, width_px, height_px, out_plan);
    foveate_map_copy_finish(&read);
    return result;
}

static enum fovea_result sigma_px(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                                  float *out)
{
    struct gauss_plan *plan = NULL;
    FOVEA_TRY(make_plan(desc->settings->foveation, desc->width_px, desc->height_px, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, gaze);
    for (int32_t y = 0; y < frame.height_px; y++) {
        for (int32_t x = 0; x < frame.width_px; x++) {
            *out++ = gauss_sigma_at(plan, &frame, x, y);
        }
    }
    foveate_plan_destroy(&plan);
    return FOVEA_OK;
}

/* ---- How far it is sharp */

/* Every so many pixels of a row and of a column are looked at, in all of the picture, then beyond
 * the farthest that was found: what is farther lies between four of these. A law by distance or
 * eccentricity has no small parts that are sharp far from others; a map may. */
#define COARSE_STEP_PX 16
#define FINE_STEP_PX 4
_Static_assert(2 * FINE_STEP_PX * FINE_STEP_PX <= OPERATOR_SHARP_STEP_PX * OPERATOR_SHARP_STEP_PX,
               "a square's diagonal");

struct sharp {
    const struct gauss_plan *plan;
    struct gauss_frame frame;
    struct foveate_place gaze;
    const double *sigmas_px;
    double squares[OPERATOR_SHARP_SIGMAS]; /* of distances, of the farthest */
};

static void look_at(struct sharp *sharp, int32_t x, int32_t y,
                    const double limits[OPERATOR_SHARP_SIGMAS])
{
    const double right_px = x + 0.5 - sharp->gaze.x_px;
    const double down_px = y + 0.5 - sharp->gaze.y_px;
    const double square = right_px * right_px + down_px * down_px;
    double sigma_px = -1.0;
    for (int i = 0; i < OPERATOR_SHARP_SIGMAS; i++) {
        if (square > sharp->squares[i] && square <= limits[i]) {
            sigma_px = sigma_px < 0.0 ? (double)gauss_sigma_at(sharp->plan, &sharp->frame, x, y)
                                      : sigma_px;
            sharp->squares[i] = sigma_px < sharp->sigmas_px[i] ? square : sharp->squares[i];
        }
    }
}

/* Looks up to so far beyond what was found before. The last row and column are among them. */
static void find_sharp(struct sharp *sharp, int32_t step_px, double beyond_px)
{
    const int32_t last_x = sharp->frame.width_px - 1;
    const int32_t last_y = sharp->frame.height_px - 1;
    double limits[OPERATOR_SHARP_SIGMAS];
    for (int i = 0; i < OPERATOR_SHARP_SIGMAS; i++) {
        const double limit_px = sqrt(sharp->squares[i]) + beyond_px;
        limits[i] = limit_px * limit_px;
    }
    for (int32_t y = 0; y < last_y + step_px; y += step_px) {
        for (int32_t x = 0; x < last_x + step_px; x += step_px) {
            look_at(sharp, x < last_x ? x : last_x, y < last_y ? y : last_y, limits);
        }
    }
}

static enum fovea_result sharp_px(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                                  const double sigmas_px[OPERATOR_SHARP_SIGMAS],
                                  double out_px[OPERATOR_SHARP_SIGMAS])
{
    const bool is_map = desc->settings->foveation.model == FOVEA_MODEL_MAP;
    struct gauss_plan *plan = NULL;
    FOVEA_TRY(make_plan(desc->settings->foveation, desc->width_px, desc->height_px, &plan));
    struct sharp sharp = {.plan = plan,
                          .frame = gauss_frame_make(plan, gaze),
                          .gaze = {gaze.x_uv * desc->width_px, gaze.y_uv * desc->height_px},
                          .sigmas_px = sigmas_px};
    find_sharp(&sharp, is_map ? 1 : COARSE_STEP_PX, (double)desc->width_px + desc->height_px);
    if (!is_map) {
        find_sharp(&sharp, FINE_STEP_PX, M_SQRT2 * COARSE_STEP_PX);
    }
    for (int i = 0; i < OPERATOR_SHARP_SIGMAS; i++) {
        out_px[i] = sqrt(sharp.squares[i]) + (is_map ? 0.0 : M_SQRT2 * FINE_STEP_PX);
    }
    foveate_plan_destroy(&plan);
    return FOVEA_OK;
}

/* ---- Places */

/* All maps have a degree at the same place: the smallest map serves, so that nothing is
 * allocated. */
static bool make_places(const struct operator_plan_desc *desc, struct foveate_model *model)
{
    static const float samples[] = {1.0f, 1.0f, 1.0f, 0.5f};
    struct fovea_foveation places = desc->settings->foveation;
    places.map.kind = FOVEA_MAP_ARRAY;
    places.map.values = samples;
    places.map.width = 2;
    places.map.height = 2;
    places.map.width_deg = 1.0;
    return foveate_model_init(model, &places, desc->width_px, desc->height_px);
}

static struct foveate_place place_of(const struct foveate_model *model, struct fovea_point_uv uv)
{
    return (struct foveate_place){uv.x_uv * model->width_px, uv.y_uv * model->height_px};
}

static struct foveate_place direction_of(double degrees)
{
    const double radians = degrees * M_PI / 180.0;
    return (struct foveate_place){cos(radians), sin(radians)};
}

static double reach_px(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                       double direction_deg, double eccentricity_deg)
{
    struct foveate_model model;
    return make_places(desc, &model)
               ? foveate_model_reach_px(&model, place_of(&model, gaze), direction_of(direction_deg),
                                        eccentricity_deg)
               : -1.0;
}

static enum fovea_result eccentricity_deg(const struct operator_plan_desc *desc,
                                          struct fovea_point_uv gaze, float *out)
{
    struct foveate_model model;
    if (!make_places(desc, &model)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const struct foveate_place from = place_of(&model, gaze);
    for (uint32_t y = 0; y < desc->height_px; y++) {
        for (uint32_t x = 0; x < desc->width_px; x++) {
            const struct foveate_place at = {x + 0.5, y + 0.5};
            *out++ = (float)foveate_model_eccentricity_deg(&model, from, at);
        }
    }
    return FOVEA_OK;
}

/* ---- Frequencies */

/* kappa over the law's sigma is cycles a pixel, those along the side that the law counts by: a
 * model with a view has foveate_view_px_per_radian pixels a radian there. */
static double cutoff_at(const struct gauss_plan *plan, const struct gauss_frame *frame,
                        const struct foveate_model *model, int32_t x, int32_t y)
{
    const struct gauss_law *law = &plan->law;
    const float x_px = (float)x + 0.5f;
    const float y_px = (float)y + 0.5f;
    const double plain_px = (double)gauss_law_plain_at(law, plan->law_table, x_px, y_px,
                                                       (float)frame->gaze_x_q8 / 256.0f,
                                                       (float)frame->gaze_y_q8 / 256.0f);
    double px_per_deg = 2.0 * model->foveation.paper.f_max_cpd;
    if (model->foveation.model == FOVEA_MODEL_RELATIVE) {
        return fmin(model->kappa / plain_px, 0.5) * model->half_short_px; /* its law falls on */
    }
    if (foveate_model_projected(model)) {
        const struct gauss_ray ray = gauss_law_ray(law, x_px - 0.5f, y_px - 0.5f);
        px_per_deg = (double)gauss_law_px_per_radian(law, ray) * M_PI / 180.0;
    }
    return model->kappa / plain_px * px_per_deg;
}

/* The gain of Gaussian weights at whole pixels that sum to 1. From a sigma of a few pixels on the
 * transform's next period adds next to nothing, and this is the Gaussian's own gain. */
static double gain_of_weights(double sigma_px, double cycles_per_px)
{
    const int reach = (int)ceil(6.0 * sigma_px);
    double sum = 1.0;
    double wave = 1.0;
    for (int i = 1; i <= reach; i++) {
        const double weight = 2.0 * exp(-0.5 * i * i / (sigma_px * sigma_px));
        sum += weight;
        wave += weight * cos(2.0 * M_PI * cycles_per_px * i);
    }
    return fmax(wave / sum, 0.0); /* what was cut off may leave less than nothing */
}

/* Blockwise plans of the paper's rings have no law by the pixel: the smooth method's law is the
 * same. */
static enum fovea_result cutoff_cpd(const struct operator_plan_desc *desc,
                                    struct fovea_point_uv gaze, float *out)
{
    struct foveate_model model;
    struct fovea_foveation smooth = desc->settings->foveation;
    struct gauss_plan *plan = NULL;
    if (!make_places(desc, &model)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    smooth.method = FOVEA_METHOD_SMOOTH;
    FOVEA_TRY(make_plan(smooth, desc->width_px, desc->height_px, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, gaze);
    for (int32_t y = 0; y < frame.height_px; y++) {
        for (int32_t x = 0; x < frame.width_px; x++) {
            *out++ = (float)cutoff_at(plan, &frame, &model, x, y);
        }
    }
    foveate_plan_destroy(&plan);
    return FOVEA_OK;
}

static enum fovea_result gain(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                              const struct fovea_grating *grating, float *out)
{
    struct foveate_model model;
    if (!make_places(desc, &model)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(sigma_px(desc, gaze, out));
    const struct foveate_place toward = direction_of(grating->direction_deg);
    for (uint32_t y = 0; y < desc->height_px; y++) {
        for (uint32_t x = 0; x < desc->width_px; x++) {
            const struct foveate_place at = {x + 0.5, y + 0.5};
            const double per_px =
                grating->cycles_per_deg / foveate_model_px_per_deg(&model, at, toward);
            const double of_pixel_px = (double)*out;
            *out++ = (float)(gain_of_weights(of_pixel_px, per_px * toward.x_px) *
                             gain_of_weights(of_pixel_px, per_px * toward.y_px));
        }
    }
    return FOVEA_OK;
}

const struct operator_maps_api foveate_maps = {
    .sigma_px = sigma_px,
    .eccentricity_deg = eccentricity_deg,
    .cutoff_cpd = cutoff_cpd,
    .gain = gain,
    .sharp_px = sharp_px,
    .reach_px = reach_px,
};
