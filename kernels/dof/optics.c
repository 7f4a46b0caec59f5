/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "dof.h"

#include "kernels/image/pixel_float.h"

#include <string.h>

#define PI 3.14159265358979323846

enum { LENS_CAMERA, LENS_EYE }; /* dof.lens */
enum { FOCUS_GAZE, FOCUS_FIXED, FOCUS_VERGENCE }; /* dof.focus */

/* Takes the picture for flat, as foveation does. */
static double px_per_rad_of(const struct fovea_geometry *view, uint32_t width_px)
{
    const double tangents = view->tan_left + view->tan_right;
    if (tangents > 0.0) {
        return width_px / tangents;
    }
    if (view->ppd > 0.0) {
        return view->ppd * 180.0 / PI;
    }
    return width_px * view->distance_m / view->screen_width_m;
}

struct dof_optics dof_optics_of(const struct fovea_settings *settings, uint32_t width_px)
{
    const struct fovea_operator_settings *own = &settings->own;
    const bool is_eye = own->dof_lens == LENS_EYE;
    const double focal_m = 1e-3 * own->dof_focal_mm;
    return (struct dof_optics){
        .is_eye = is_eye,
        .aperture_m = is_eye ? 1e-3 * own->dof_pupil_mm : focal_m / own->dof_f_number,
        .focal_m = is_eye ? 0.0 : focal_m,
        .px_per_m = is_eye ? 0.0 : width_px / (1e-3 * own->dof_sensor_mm),
        .px_per_rad = is_eye ? px_per_rad_of(&settings->foveation.geometry, width_px) : 0.0,
        .is_fixed = own->dof_focus == FOCUS_FIXED,
        .takes_vergence = own->dof_focus == FOCUS_VERGENCE,
        .has_discs = own->dof_bokeh == DOF_BOKEH_DISC,
        .focus_m = own->dof_focus_m,
        .focus_time_s = own->dof_focus_time_s,
        .focus_hysteresis_diopters = own->dof_focus_hysteresis_diopters,
        .sigma_max_px = own->dof_sigma_max_px,
    };
}

bool dof_optics_same(const struct dof_optics *a, const struct dof_optics *b)
{
    return a->is_eye == b->is_eye && a->aperture_m == b->aperture_m && a->focal_m == b->focal_m &&
           a->px_per_m == b->px_per_m && a->px_per_rad == b->px_per_rad &&
           a->is_fixed == b->is_fixed && a->takes_vergence == b->takes_vergence &&
           a->has_discs == b->has_discs && a->focus_m == b->focus_m &&
           a->focus_time_s == b->focus_time_s &&
           a->focus_hysteresis_diopters == b->focus_hysteresis_diopters &&
           a->sigma_max_px == b->sigma_max_px;
}

struct dof_scale dof_scale_of(const struct fovea_depth *depth)
{
    const bool is_distance = depth->kind == FOVEA_DEPTH_LINEAR;
    const double start = is_distance ? depth->zero_m : 1.0 / depth->zero_m;
    const double end = is_distance ? depth->one_m : 1.0 / depth->one_m;
    return (struct dof_scale){.is_distance = is_distance, .start = start, .step = end - start};
}

/* ---- Values */

static ptrdiff_t value_bytes(const struct fovea_depth *depth)
{
    const bool is_short =
        depth->format == FOVEA_DEPTH_FORMAT_D16 || depth->format == FOVEA_DEPTH_FORMAT_R16F;
    return is_short ? 2 : 4;
}

static ptrdiff_t stride_of(const struct fovea_depth *depth)
{
    return depth->pixel_stride_bytes ? depth->pixel_stride_bytes : value_bytes(depth);
}

static float value_of(enum fovea_depth_format format, const void *at)
{
    uint16_t half = 0;
    uint32_t word = 0;
    float value = 0.0f;
    switch (format) {
    case FOVEA_DEPTH_FORMAT_D16:
        memcpy(&half, at, sizeof half);
        return (float)half / 65535.0f;
    case FOVEA_DEPTH_FORMAT_D24:
        memcpy(&word, at, sizeof word);
        return (float)(word & 0xffffffu) / 16777215.0f;
    case FOVEA_DEPTH_FORMAT_R16F:
        memcpy(&half, at, sizeof half);
        return pixel_half_to_float(half);
    case FOVEA_DEPTH_FORMAT_R32F:
    case FOVEA_DEPTH_FORMAT_NONE:
        break;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

float dof_depth_value(const struct fovea_depth *depth, int32_t x_px, int32_t y_px)
{
    const char *row = (const char *)depth->data + y_px * depth->row_stride_bytes;
    return value_of(depth->format, row + x_px * stride_of(depth));
}

void dof_depth_row(const struct fovea_depth *depth, int32_t y_px, float *out)
{
    const char *at = (const char *)depth->data + y_px * depth->row_stride_bytes;
    const ptrdiff_t stride = stride_of(depth);
    for (uint32_t x = 0; x < depth->width_px; x++, at += stride) {
        out[x] = value_of(depth->format, at);
    }
}
