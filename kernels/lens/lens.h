/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator lens: a picture for a display behind a lens, warped so that the lens undoes it.
 *
 *     out(p) = in(c + (p - c) (r0 + r1 r + r2 r^2 + r3 r^3 + r4 r^4)),   r = |p - c| / unit
 *
 * It is the backward map, so nothing is solved. UNORM formats are interpolated as light or as
 * stored, as "foveation.light" says. */
#pragma once

#include "kernels/image/light.h"
#include "kernels/image/pixel_light.h"
#include "kernels/operator/operator.h"
#include "shape.h"

struct lens_calibration;
struct lens_map;

/* Immutable once made; may be read from any thread. */
struct lens_plan {
    struct operator_plan base;
    /* Settings and a size come to this, all of which a plan that fits has alike. */
    int32_t filter; /* LENS_NEAREST..; nearest where nothing is moved */
    int32_t samples_across; /* a pixel is the mean of so many places either way; 1 where the filter
                               is nearest */
    int32_t light; /* IMAGE_LIGHT_* of images whose first colour is red, as what UNORM pixels are
                      interpolated; STORED where the filter is nearest */
    float light_value; /* struct pixel_transfer's */
    uint32_t sample_count; /* of a display's table; else 0 */
    float most; /* A spline's floats that were levels are clamped to 0 .. most. 0: they are not */
    bool averages_alpha; /* else it is the nearest pixel's */
    bool colored; /* colours come from different places */
    struct lens_shape shape; /* of images whose first colour is red; blank in 0..1 */
    struct lens_calibration *calibration; /* a share; NULL: the settings are all */
    const struct lens_map *map; /* in it, of the plan's eye */
    /* How far the source lies from each point of a grid, x and y in pixels, by rows: of green, or
     * of red, green and blue. NULL: it is a polynomial. */
    float *moves;
    size_t move_count; /* floats */
    float samples[]; /* FOVEA_DISPLAY_MAX */
};

static inline const struct lens_plan *lens_plan_of(const struct operator_plan *plan)
{
    return (const struct lens_plan *)plan;
}

/* FOVEA_ERROR_INVALID_ARGUMENT: the map folds the picture over, or the calibration has a lens for
 * each eye and the view is of neither; lens_complain says which. */
FOVEA_MUST_CHECK enum fovea_result lens_plan_create(const struct operator_plan_desc *desc,
                                                    struct operator_plan **out_plan);
void lens_plan_destroy(struct operator_plan **plan);
bool lens_plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc);
/* True: `out` says what is wrong. */
bool lens_complain(const struct operator_plan_desc *desc, char *out, size_t bytes);

/* Does as operator_api.place_before. */
struct fovea_point_uv lens_place_before(const struct operator_plan *plan,
                                        struct fovea_point_uv place);

/* The shape for images of that format and order of colours. */
struct lens_shape lens_shape_of(const struct lens_plan *plan, enum fovea_format format,
                                bool blue_first);

/* Its parts in the table of operators; CUDA's is there where FOVEA_HAVE_CUDA is 1. */
extern const struct operator_host_api lens_operator_host;
extern const struct operator_glsl_api lens_operator_glsl;
extern const struct operator_cuda_api lens_operator_cuda;

/* The definition in double precision, which shares nothing with what runs but the settings: src and
 * dst are rows of `channels` doubles without gaps, dst apart from src. A value whose place lies
 * outside the picture is 0, and outside[] true. */
struct lens_reference {
    const struct fovea_operator_settings *own;
    const struct fovea_geometry *view;
    enum fovea_map_eye eye;
    bool averages_alpha;
    bool blue_first;
    double off_x_px; /* added to every place: how far a result may be off there */
    double off_y_px;
    uint32_t width_px;
    uint32_t height_px;
    uint32_t channels; /* 1, 3 or 4 */
};
void lens_reference(const struct lens_reference *reference, const double *src, double *dst,
                    bool *outside);
