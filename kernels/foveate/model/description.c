/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RADIANS (M_PI / 180.0)

const char *const foveate_model_names[] = {[FOVEA_MODEL_PAPER] = "paper",
                                           [FOVEA_MODEL_PHYSICAL] = "physical",
                                           [FOVEA_MODEL_CURVE] = "curve",
                                           [FOVEA_MODEL_MAP] = "map",
                                           [FOVEA_MODEL_RELATIVE] = "relative"};

/* Directions from the gaze for which sigma is described. */
struct toward {
    double right, down; /* one of them is 0, the other 1 or -1 */
};

/* Returns the law's sigma before the ramp one degree of the view on in that direction. */
static double law_toward(const struct foveate_model *model, double e_deg, struct toward to)
{
    if (foveate_model_is_map(model)) {
        return foveate_model_map_law(
            model, foveate_map_at(&model->map, e_deg * to.right, e_deg * to.down));
    }
    return foveate_model_law(
        model, foveate_model_projected(model) ? e_deg : foveate_model_distance_px(model, e_deg));
}

static double axis_sigma_px(const struct foveate_model *model, double e_deg, struct toward to)
{
    double px_per_unit = 1.0;
    if (foveate_model_projected(model)) {
        const double off_axis = tan(e_deg * RADIANS);
        px_per_unit = RADIANS * foveate_view_px_per_radian(&model->view, off_axis * to.right,
                                                           off_axis * to.down);
    }
    return foveate_model_applied_px(model, law_toward(model, e_deg, to) * px_per_unit);
}

static void describe_view(const struct foveate_model *model, char *out, size_t bytes)
{
    const struct fovea_geometry *geometry = &model->foveation.geometry;
    if (foveate_model_is_relative(model)) {
        snprintf(out, bytes,
                 "sharp up to %g, half of it %g beyond, in halves of the shorter side of",
                 model->foveation.relative.sharp, model->foveation.relative.halving);
    } else if (!foveate_model_projected(model)) {
        snprintf(out, bytes, "%g degrees over half the diagonal of",
                 model->foveation.paper.e_max_deg);
    } else if (foveate_view_given_as_projection(geometry)) {
        snprintf(out, bytes, "tangents left %g right %g up %g down %g,", geometry->tan_left,
                 geometry->tan_right, geometry->tan_up, geometry->tan_down);
    } else if (geometry->ppd != 0.0) {
        snprintf(out, bytes, "%g pixels a degree,", geometry->ppd);
    } else {
        snprintf(out, bytes, "a screen of %g m at %g m,", geometry->screen_width_m,
                 geometry->distance_m);
    }
}

/* "map human, 801x801 samples of 0.25 degrees"; of a file its name, the last of a long one. */
static void describe_map(const struct foveate_model *model, char *out, size_t bytes)
{
    static const char *const kinds[] = {"human",    "streak", "file", "array",
                                        "kangaroo", "hawk",   "dog"};
    const struct fovea_map *settings = &model->foveation.map;
    const bool from_file = model->map.kind == FOVEA_MAP_ARRAY && settings->file[0];
    const char *name = from_file ? settings->file : kinds[model->map.kind];
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    snprintf(out, bytes, "map %.40s, %dx%d samples of %g degrees", name, model->map.width,
             model->map.height, model->map.deg_per_sample);
}

static void describe_model(const struct foveate_model *model, char *out, size_t bytes)
{
    if (foveate_model_is_map(model)) {
        describe_map(model, out, bytes);
    } else {
        snprintf(out, bytes, "%s", foveate_model_names[model->foveation.model]);
    }
}

/* sigma at 5, 10, 20 and 40 degrees, or at those parts of the relative model's unit. */
static void describe_sigma(const struct foveate_model *model, struct toward to, char *out,
                           size_t bytes)
{
    const double unit = foveate_model_is_relative(model) ? 0.05 : 1.0;
    snprintf(out, bytes, "%.2f, %.2f, %.2f, %.2f px", axis_sigma_px(model, 5.0 * unit, to),
             axis_sigma_px(model, 10.0 * unit, to), axis_sigma_px(model, 20.0 * unit, to),
             axis_sigma_px(model, 40.0 * unit, to));
}

/* Describes the map in other directions, if they differ from the right. */
static void describe_other_ways(const struct foveate_model *model, const char *right, char *out,
                                size_t bytes)
{
    static const struct toward ways[] = {{-1.0, 0.0}, {0.0, -1.0}, {0.0, 1.0}};
    static const char *const names[] = {"left", "up", "down"};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < 3 && foveate_model_is_map(model) && used < bytes; i++) {
        char sigma[64];
        describe_sigma(model, ways[i], sigma, sizeof sigma);
        if (strcmp(sigma, right) != 0) {
            used += (size_t)snprintf(out + used, bytes - used, "; %s: %s", names[i], sigma);
        }
    }
}

void foveate_model_describe(const struct foveate_model *model, char *out, size_t bytes)
{
    char name[128];
    char view[128];
    char right[64];
    char others[192];
    describe_model(model, name, sizeof name);
    describe_view(model, view, sizeof view);
    describe_sigma(model, (struct toward){1.0, 0.0}, right, sizeof right);
    describe_other_ways(model, right, others, sizeof others);
    snprintf(out, bytes,
             "model %s: %s %ux%u px, gain at the cutoff %.3g, strength %g; sigma with the gaze on "
             "the axis at %s: %s%s%s",
             name, view, (unsigned)model->width_px, (unsigned)model->height_px,
             model->foveation.cutoff_gain, model->foveation.strength,
             foveate_model_is_relative(model) ? "0.25, 0.5, 1, 2 of it" : "5, 10, 20, 40 degrees",
             others[0] ? "right: " : "", right, others);
}
