/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields: what the definition and the backends share, which is numbers alone. README.md has
 * the formulas. This is no operator: a raw picture goes in, and a picture of another size comes
 * out. */
#pragma once

#include "fovea_lightfield.h"

#include <math.h>

#define LIGHTFIELD_RANGE_MAX 5
#define LIGHTFIELD_SIZES_MAX 256
#define LIGHTFIELD_RAW_LEAST_PX 8
#define LIGHTFIELD_RAW_MOST_PX 16384
#define LIGHTFIELD_SIGMA_PARTS 6.0 /* sigma 0 is such a part of a pitch */
#define LIGHTFIELD_BOX_REACH 2
#define LIGHTFIELD_PROBLEM_BYTES 256
#define LIGHTFIELD_WINDOW_MAX_PX 63

/* Neither side of a whole ratio depends on rounding. */
static inline double lightfield_reach_px(double pitch_px)
{
    return pitch_px * (1.0 + 1e-6);
}

/* Says whether lenses so far away have a place of a patch in their micro-image. */
static inline bool lightfield_in_range(uint32_t away, double patch_px, double pitch_px)
{
    return (2.0 * away + 1.0) * patch_px <= lightfield_reach_px(pitch_px);
}

/* Lenses to each side of which any counts. */
static inline uint32_t lightfield_range_of(const struct fovea_lightfield_rendering *rendering,
                                           double pitch_px)
{
    uint32_t range = rendering->range;
    while (!rendering->patches && range > 0 &&
           !lightfield_in_range(range, rendering->patch_px, pitch_px)) {
        range--;
    }
    return range;
}

/* Returns sigma of the weights around the view. */
static inline double lightfield_sigma_of(const struct fovea_lightfield_rendering *rendering,
                                         double pitch_px)
{
    return rendering->sigma_px > 0.0 ? rendering->sigma_px : pitch_px / LIGHTFIELD_SIGMA_PARTS;
}

/* Says what pixels of a picture are made of, by their nearest lens's place in it. */
struct lightfield_rings {
    double gaze_x_px, gaze_y_px; /* in the picture */
    double full_px, next_px;
    bool is_on; /* false: all of them have all */
};

static inline struct lightfield_rings lightfield_rings_of(
    const struct fovea_lightfield_foveation *foveation, uint32_t width_px, uint32_t height_px)
{
    struct lightfield_rings rings = {.is_on = foveation != NULL};
    if (foveation) {
        rings.gaze_x_px = foveation->gaze.x_uv * width_px;
        rings.gaze_y_px = foveation->gaze.y_uv * height_px;
        rings.full_px = foveation->full_px;
        rings.next_px = foveation->next_px;
    }
    return rings;
}

/* The number of patch sizes of a matching with first_px <= last_px; 0: its step is not above 0, or
 * infinite, or there are more than LIGHTFIELD_SIZES_MAX. */
static inline uint32_t lightfield_size_count(const struct fovea_lightfield_matching *matching)
{
    const double steps = (matching->last_px - matching->first_px) / matching->step_px + 1e-6;
    const bool is_step = matching->step_px > 0.0 && isfinite(matching->step_px);
    return is_step && steps < LIGHTFIELD_SIZES_MAX ? (uint32_t)steps + 1 : 0;
}

/* Counts the steps that are a pixel or more together, up to `most`. */
static inline int32_t lightfield_steps_apart(double step_px, int32_t most)
{
    int32_t steps = 0;
    while (steps < most && steps * step_px <= 1.0 - 1e-6) {
        steps++;
    }
    return steps;
}

/* The search of a refocusing. */
static inline struct fovea_lightfield_matching lightfield_matching_of(
    const struct fovea_lightfield_refocusing *refocusing)
{
    struct fovea_lightfield_matching matching;
    fovea_lightfield_matching_init(&matching);
    matching.first_px = refocusing->first_px;
    matching.last_px = refocusing->last_px;
    matching.step_px = refocusing->step_px;
    matching.range = refocusing->range;
    matching.filter = refocusing->filter;
    return matching;
}

/* The picture of a refocusing, but for the patch size. */
static inline struct fovea_lightfield_rendering lightfield_rendering_of(
    const struct fovea_lightfield_refocusing *refocusing)
{
    struct fovea_lightfield_rendering rendering;
    fovea_lightfield_rendering_init(&rendering);
    rendering.patch_px = refocusing->first_px;
    rendering.range = refocusing->range;
    rendering.filter = refocusing->filter;
    rendering.sigma_px = refocusing->sigma_px;
    rendering.foveation = refocusing->foveation;
    return rendering;
}

/* Pixels first .. end of a row or column of them that a square around a gaze has. */
static inline void lightfield_window(double gaze_uv, uint32_t pixels, uint32_t side_px,
                                     int32_t out[2])
{
    const double at = gaze_uv * pixels;
    const int32_t middle = at < 0.0 ? 0 : at >= pixels ? (int32_t)pixels - 1 : (int32_t)at;
    const int32_t first = middle - (int32_t)(side_px / 2);
    const int32_t end = first + (int32_t)side_px;
    out[0] = first > 0 ? first : 0;
    out[1] = end < (int32_t)pixels ? end : (int32_t)pixels;
}

static inline bool lightfield_row_is_shifted(const struct fovea_lightfield_geometry *geometry,
                                             int32_t row)
{
    return geometry->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL && (row & 1) != 0;
}

/* ---- Geometry */

/* False: out_problem names the field. */
bool lightfield_geometry_check(const struct fovea_lightfield_geometry *geometry,
                               char out_problem[LIGHTFIELD_PROBLEM_BYTES]);
/* The centre of a lens in the raw picture. */
void lightfield_lens_center(const struct fovea_lightfield_geometry *geometry, int32_t column,
                            int32_t row, double out_px[2]);

/* Bytes of a file; false: out_problem says what is wrong, and begins with its line and column. */
bool lightfield_geometry_parse(const char *bytes, size_t count,
                               struct fovea_lightfield_geometry *out,
                               char out_problem[LIGHTFIELD_PROBLEM_BYTES]);

/* ---- The definition in double precision, for tests; shares nothing with the backends */

struct lightfield_levels {
    const double *levels; /* `colors` a pixel: 1 or 3 */
    uint32_t width_px, height_px, colors;
    enum fovea_lightfield_bayer bayer; /* 1 color is there, and 3 come out */
};

struct lightfield_size {
    uint32_t width_px, height_px;
};

/* out: the colours of each pixel. */
void lightfield_reference_render(const struct lightfield_levels *raw,
                                 const struct fovea_lightfield_geometry *geometry,
                                 const struct fovea_lightfield_rendering *rendering,
                                 struct lightfield_size size, const double *patches, double *out);
/* costs: of each patch size a picture of the mean difference. */
void lightfield_reference_costs(const struct lightfield_levels *raw,
                                const struct fovea_lightfield_geometry *geometry,
                                const struct fovea_lightfield_matching *matching,
                                struct lightfield_size size, double *costs);
/* Patch sizes and confidences, of such costs. */
void lightfield_reference_choose(const struct fovea_lightfield_matching *matching,
                                 struct lightfield_size size, const double *costs, double *depths,
                                 double *confidences);
/* Returns what is seen under the gaze of a refocusing, a patch size; NaN: nothing is. */
double lightfield_reference_seen(const struct lightfield_levels *raw,
                                 const struct fovea_lightfield_geometry *geometry,
                                 const struct fovea_lightfield_refocusing *refocusing,
                                 struct lightfield_size size);
void lightfield_reference_sum(const struct lightfield_levels *raw,
                              const struct fovea_lightfield_geometry *geometry,
                              const struct fovea_lightfield_sum *sum, struct lightfield_size size,
                              double *out);
