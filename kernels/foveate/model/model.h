/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The law from place to blur, in double precision: what plans are made from. A model is a case in
 * foveate/model/model.c and, for what it is made of, in foveate/plan/law.c. */
#pragma once

#include "map.h"

/* A flat picture before the eye: the tangents of the angles of its pixels' centres from the view
 * axis, right and down positive. All 0 for models without a view. */
struct foveate_view {
    double tan_x0;
    double tan_x_per_px;
    double tan_y0;
    double tan_y_per_px;
};

struct foveate_model {
    struct fovea_foveation foveation;
    uint32_t width_px;
    uint32_t height_px;
    double kappa; /* sigma times the cutoff */
    double d_max_px; /* half the image's diagonal, whatever the gaze */
    double half_short_px; /* half the image's shorter side */
    struct foveate_view view;
    struct foveate_map map; /* of the map model */
};

static inline bool foveate_model_is_map(const struct foveate_model *model)
{
    return model->foveation.model == FOVEA_MODEL_MAP;
}

static inline bool foveate_model_is_relative(const struct foveate_model *model)
{
    return model->foveation.model == FOVEA_MODEL_RELATIVE;
}

/* The settings are such as config_foveation_check lets through. False if there is no such picture,
 * if an array's samples cannot be used, or if all together ask for more than GAUSS_MAX_SIGMA_PX
 * where the gaze is in the picture. */
bool foveate_model_init(struct foveate_model *model, const struct fovea_foveation *foveation,
                        uint32_t width_px, uint32_t height_px);

/* The model has a view: its law goes by eccentricity instead of pixels. */
bool foveate_model_projected(const struct foveate_model *model);

/* sigma is the law's at a place, with its ramp; the alternative is the paper's own: rings by
 * distance, which have none. */
bool foveate_model_by_law(const struct foveate_model *model);

/* kappa / cutoff: pixels over the distance in pixels, or degrees over the eccentricity in degrees,
 * whichever the model goes by. Strength is not in it, nor the ramp. Where the relative model keeps
 * all resolution it goes on falling, so that a line of a table between two places has no kink where
 * blur begins. */
double foveate_model_law(const struct foveate_model *model, double place);
/* The same for a map, which goes by its samples: pixels, or degrees where it has a view. */
double foveate_model_map_law(const struct foveate_model *model, double sample);
/* The tables of a map's line in plans, linear in the samples: sigma, or 1 / sigma^2 where it is
 * root. */
struct foveate_map_line {
    bool root;
    double floor; /* samples below count as this */
    double at_zero;
    double per_sample;
};
struct foveate_map_line foveate_model_map_line(const struct foveate_model *model);
/* Samples of a map a pixel, or a degree where it has a view. */
double foveate_model_map_per_unit(const struct foveate_model *model);

/* Distance from the gaze, of models that go by distance in pixels, from where on sigma stays. */
double foveate_model_farthest_px(const struct foveate_model *model);

/* The largest sigma anywhere while the gaze is in the picture, by the settings' method. */
double foveate_model_sigma_max_px(const struct foveate_model *model);

/* The largest foveate_model_law of any gaze, however far outside the picture; and how many pixels
 * of sigma one of its units is where it is most. */
double foveate_model_law_bound(const struct foveate_model *model);
double foveate_model_px_per_unit_max(const struct foveate_model *model);

/* sigma as it is applied, for a law's sigma: ramp and strength. */
double foveate_model_applied_px(const struct foveate_model *model, double law_sigma_px);

/* Distance from the gaze at which the model puts an eccentricity; the relative model has no
 * degrees, and half the picture's shorter side stands for one, here and below; for models with a
 * view, from the axis along the horizontal while the gaze is on the axis. Negative: nowhere on a
 * flat picture. */
double foveate_model_distance_px(const struct foveate_model *model, double eccentricity_deg);

/* A place, or a direction, in pixels right and down from the picture's top left corner. */
struct foveate_place {
    double x_px, y_px;
};

/* The same from a gaze anywhere, in the direction of a vector of length 1. */
double foveate_model_reach_px(const struct foveate_model *model, struct foveate_place gaze,
                              struct foveate_place toward, double eccentricity_deg);
/* The eccentricity of a place in degrees, by the model's own degrees. */
double foveate_model_eccentricity_deg(const struct foveate_model *model, struct foveate_place gaze,
                                      struct foveate_place at);
/* Pixels a degree at a place for a grating that varies in the direction of a vector of length 1:
 * cycles a degree over cycles a pixel. A model without a view has the same everywhere. */
double foveate_model_px_per_deg(const struct foveate_model *model, struct foveate_place at,
                                struct foveate_place toward);

/* ---- A view ---------------------------------------------------------------------------------- */

struct foveate_view foveate_view_of(const struct fovea_geometry *geometry, uint32_t width_px,
                                    uint32_t height_px);
/* True if the geometry is given by the four tangents. */
bool foveate_view_given_as_projection(const struct fovea_geometry *geometry);
/* Pixels a radian at that place of the picture, in the direction in which it covers the fewest. */
double foveate_view_px_per_radian(const struct foveate_view *view, double tan_x, double tan_y);

/* ---- In words -------------------------------------------------------------------------------- */

/* The setting's words, by enum fovea_model. */
extern const char *const foveate_model_names[];

/* Describes the model and its strength: "model physical: 1920x1080 px on 0.53 m at 0.6 m, 37.9
 * pixels a degree; sigma at 5, 10, 20, 40 degrees: ...". Writes at most `bytes`, with the NUL. */
void foveate_model_describe(const struct foveate_model *model, char *out, size_t bytes);
