/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cases.h"

#include "backends.h"
#include "compare.h"
#include "memory.h"

#include <math.h>

#define BLOCKWISE FOVEA_METHOD_BLOCKWISE
#define SMOOTH FOVEA_METHOD_SMOOTH
#define ENCODED FOVEA_LIGHT_ENCODED
#define LINEAR FOVEA_LIGHT_LINEAR
#define NO_MAP FOVEA_MAP_HUMAN
#define HUMAN_CPD 65.4 /* of the human map, where it is densest */

/* Those of worse eyes blur as much as `paper` does, so that an error has where to show. */
const struct quality_case quality_cases[] = {
    {"blockwise, paper, 32 px", BLOCKWISE, FOVEA_MODEL_PAPER, ENCODED, 32, 0.0, 1.0, NO_MAP, false},
    {"blockwise, paper, 16 px", BLOCKWISE, FOVEA_MODEL_PAPER, ENCODED, 16, 0.0, 1.0, NO_MAP, false},
    {"blockwise, paper, 8 px", BLOCKWISE, FOVEA_MODEL_PAPER, ENCODED, 8, 0.0, 1.0, NO_MAP, false},
    {"smooth, paper, encoded", SMOOTH, FOVEA_MODEL_PAPER, ENCODED, 32, 0.0, 1.0, NO_MAP, true},
    {"smooth, paper, linear", SMOOTH, FOVEA_MODEL_PAPER, LINEAR, 32, 0.0, 1.0, NO_MAP, true},
    {"smooth, physical, 10 ppd", SMOOTH, FOVEA_MODEL_PHYSICAL, LINEAR, 32, 10.0, 1.0, NO_MAP, true},
    {"smooth, physical, 30 ppd, cutoffs / 6", SMOOTH, FOVEA_MODEL_PHYSICAL, LINEAR, 32, 30.0, 6.0,
     NO_MAP, false},
    {"smooth, curve, 30 ppd, cutoffs / 6", SMOOTH, FOVEA_MODEL_CURVE, LINEAR, 32, 30.0, 6.0, NO_MAP,
     false},
    {"blockwise, physical, 30 ppd, cutoffs / 6, 32 px", BLOCKWISE, FOVEA_MODEL_PHYSICAL, ENCODED,
     32, 30.0, 6.0, NO_MAP, false},
    {"blockwise, map human, 30 ppd, cutoffs / 6, 8 px", BLOCKWISE, FOVEA_MODEL_MAP, ENCODED, 8,
     30.0, 6.0, FOVEA_MAP_HUMAN, false},
    {"smooth, map human, 30 ppd, cutoffs / 6", SMOOTH, FOVEA_MODEL_MAP, LINEAR, 32, 30.0, 6.0,
     FOVEA_MAP_HUMAN, false},
    {"smooth, map streak", SMOOTH, FOVEA_MODEL_MAP, LINEAR, 32, 0.0, 1.0, FOVEA_MAP_STREAK, false},
    {"smooth, physical, 30 ppd, cutoffs / 2", SMOOTH, FOVEA_MODEL_PHYSICAL, LINEAR, 32, 30.0, 2.0,
     NO_MAP, true},
    {"smooth, map human, 30 ppd", SMOOTH, FOVEA_MODEL_MAP, LINEAR, 32, 30.0, 1.0, FOVEA_MAP_HUMAN,
     true},
};
const size_t quality_case_count = sizeof quality_cases / sizeof quality_cases[0];

const struct quality_size quality_sizes[SIZE_COUNT] = {{640, 360}, {1280, 720}};
const struct quality_size quality_paper = {1920, 1080};

const struct quality_gaze quality_gazes[GAZE_COUNT] = {
    {"centre", {0.5, 0.5}},
    {"corner", {0.04, 0.93}},
};

struct fovea_foveation quality_foveation(const struct quality_case *c)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.method = c->method;
    foveation.model = c->model;
    foveation.light = c->light;
    foveation.physical.alpha *= c->worse;
    for (uint32_t i = 0; i < foveation.curve.count; i++) {
        foveation.curve.cutoff_cpd[i] /= c->worse;
    }
    foveation.map.kind = c->map;
    if (c->model == FOVEA_MODEL_MAP && c->ppd != 0.0) {
        foveation.map.degrees = FOVEA_MAP_DEGREES_VIEW;
        foveation.map.cutoff_cpd = HUMAN_CPD / c->worse;
    }
    foveation.paper.fragment_px = c->fragment_px;
    foveation.geometry.ppd = c->ppd;
    return foveation;
}

static struct gauss_frame frame_of(const struct fovea_foveation *foveation,
                                   const struct fovea_image *src, struct fovea_point_uv gaze)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    backend_must(foveate_plan_create(foveation, src->width_px, src->height_px, &plan), "the plan");
    const struct gauss_frame frame = gauss_frame_make(plan, gaze);
    return frame;
}

static bool is_grey(const struct fovea_image *image)
{
    const unsigned char *pixel = image->data;
    bool grey = true;
    for (size_t i = 0; grey && i < (size_t)image->width_px * image->height_px; i++, pixel += 4) {
        grey = pixel[0] == pixel[1] && pixel[0] == pixel[2];
    }
    return grey;
}

/* One colour stands for three: the same numbers in a third of the time. */
static double *grey_levels(const struct fovea_foveation *foveation, const struct fovea_image *src,
                           const struct gauss_frame *frame)
{
    const size_t count = (size_t)src->width_px * src->height_px;
    const unsigned char *pixels = src->data;
    OWNED_IMAGE grey = image_make_packed(src->width_px, src->height_px, FOVEA_FORMAT_R8);
    unsigned char *values = grey.view.data;
    for (size_t i = 0; i < count; i++) {
        values[i] = pixels[4 * i];
    }
    OWNED(owned_free) double *one = compare_expected(foveation, &grey.view, frame);
    double *levels = memory_make(count * 4, sizeof *levels);
    for (size_t i = 0; i < count; i++) {
        levels[4 * i] = levels[4 * i + 1] = levels[4 * i + 2] = one[i];
        levels[4 * i + 3] = pixels[4 * i + 3];
    }
    return levels;
}

double *exact_levels(const struct fovea_foveation *foveation, const struct fovea_image *src,
                     struct fovea_point_uv gaze)
{
    const struct gauss_frame frame = frame_of(foveation, src, gaze);
    return foveation->alpha == FOVEA_ALPHA_KEEP && is_grey(src)
               ? grey_levels(foveation, src, &frame)
               : compare_expected(foveation, src, &frame);
}

size_t exact_round(const double *levels, const struct fovea_image *actual, double tie_levels,
                   const struct fovea_image *dst)
{
    const unsigned char *other = actual ? actual->data : NULL;
    unsigned char *out = dst->data;
    size_t ties = 0;
    for (size_t i = 0; i < (size_t)dst->width_px * dst->height_px * 4; i++) {
        const double level = fmin(fmax(levels[i], 0.0), 255.0);
        out[i] = (unsigned char)floor(level + 0.5);
        if (other && other[i] != out[i] && fabs(level - other[i]) < 0.5 + tie_levels) {
            out[i] = other[i];
            ties++;
        }
    }
    return ties;
}
