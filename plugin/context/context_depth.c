/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_depth.h"

#include "core/log.h"
#include "core/struct_bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

STRUCT_ENDS_WITH(struct fovea_depth, vergence_m);

/* ---- What values mean */

static bool check_format(const struct fovea_depth *depth, char *out)
{
    switch (depth->format) {
    case FOVEA_DEPTH_FORMAT_D16:
    case FOVEA_DEPTH_FORMAT_D24:
    case FOVEA_DEPTH_FORMAT_R32F:
    case FOVEA_DEPTH_FORMAT_R16F:
        return true;
    case FOVEA_DEPTH_FORMAT_NONE:
        break;
    }
    return CONTEXT_PROBLEM(out, "depth.format is %d, which is no format of depths",
                           (int)depth->format);
}

#define LEAST_END_M 1e-6
#define MOST_END_M 1e9 /* of linear depths, which kernels divide by */

/* Kernels have 1 / distance in floats: what is farther away than any float is infinitely far. */
static bool is_end(double distance_m)
{
    return fabs(distance_m) >= LEAST_END_M;
}

/* Distances of the values 0 and 1. */
static bool check_distances(const struct fovea_depth *depth, char *out)
{
    const double zero_m = depth->zero_m;
    const double one_m = depth->one_m;
    switch (depth->kind) {
    case FOVEA_DEPTH_LINEAR:
        if (!(fabs(zero_m) <= MOST_END_M) || !(fabs(one_m) <= MOST_END_M)) {
            return CONTEXT_PROBLEM(out,
                                   "depth.zero_m is %g and depth.one_m %g; of linear depths both "
                                   "are finite, at most 1e9",
                                   zero_m, one_m);
        }
        break;
    case FOVEA_DEPTH_PERSPECTIVE:
        if (!is_end(zero_m) || !is_end(one_m) || !(zero_m > 0.0 || one_m > 0.0)) {
            return CONTEXT_PROBLEM(
                out,
                "depth.zero_m is %g and depth.one_m %g; of perspectives one at least is above 0,"
                " and both are 1e-6 or more",
                zero_m, one_m);
        }
        break;
    default:
        return CONTEXT_PROBLEM(out, "depth.kind is %d, which is no kind of depth",
                               (int)depth->kind);
    }
    return zero_m != one_m ||
           CONTEXT_PROBLEM(out,
                           "depth.zero_m and depth.one_m are both %g: all pixels would have"
                           " one depth",
                           zero_m);
}

static bool check_times(const struct fovea_depth *depth, char *out)
{
    if (!(depth->focus_m >= 0.0)) {
        return CONTEXT_PROBLEM(out, "depth.focus_m is %g; it must be 0 or more", depth->focus_m);
    }
    if (!(depth->vergence_m >= 0.0)) {
        return CONTEXT_PROBLEM(out, "depth.vergence_m is %g; it must be 0 or more",
                               depth->vergence_m);
    }
    if (!(depth->elapsed_s >= 0.0)) {
        return CONTEXT_PROBLEM(out, "depth.elapsed_s is %g; it must be 0 or more",
                               depth->elapsed_s);
    }
    return depth->reserved == 0 || CONTEXT_PROBLEM(out, "depth.reserved is not 0");
}

bool context_depth_check_values(const struct fovea_depth *depth,
                                char out_problem[CONTEXT_PROBLEM_BYTES])
{
    return check_distances(depth, out_problem) && check_times(depth, out_problem);
}

bool context_depth_take(const struct fovea_depth *given, struct fovea_depth *out_depth,
                        char out_problem[CONTEXT_PROBLEM_BYTES])
{
    *out_depth = (struct fovea_depth){0};
    if (!given) {
        return true;
    }
    if (!struct_take(out_depth, sizeof *out_depth, given)) {
        return CONTEXT_PROBLEM(out_problem, "depth: %s", struct_refusal(given));
    }
    if (!out_depth->data) {
        return CONTEXT_PROBLEM(out_problem, "depth.data is NULL");
    }
    return check_format(out_depth, out_problem) &&
           context_depth_check_values(out_depth, out_problem);
}

struct fovea_image context_depth_image(const struct fovea_depth *depth)
{
    const bool is_short =
        depth->format == FOVEA_DEPTH_FORMAT_D16 || depth->format == FOVEA_DEPTH_FORMAT_R16F;
    struct fovea_image image = {.width_px = depth->width_px,
                                .height_px = depth->height_px,
                                .format = is_short ? FOVEA_FORMAT_R16F : FOVEA_FORMAT_R32F,
                                .memory = depth->memory,
                                .row_stride_bytes = depth->row_stride_bytes,
                                .pixel_stride_bytes = depth->pixel_stride_bytes};
    memcpy(&image.data, &depth->data, sizeof image.data); /* nobody writes through it */
    return image;
}

/* ---- Focus */

enum fovea_result context_focuses_grow(struct context_focuses *focuses, uint32_t count)
{
    if (count <= focuses->count) {
        return FOVEA_OK;
    }
    struct operator_focus *of = realloc(focuses->of, count * sizeof *of);
    FOVEA_TRY_MEMORY(of);
    memset(of + focuses->count, 0, (count - focuses->count) * sizeof *of);
    focuses->of = of;
    focuses->count = count;
    return FOVEA_OK;
}

void context_focuses_finish(struct context_focuses *focuses)
{
    free(focuses->of);
    *focuses = (struct context_focuses){0};
}
