/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "model.h"

#include "kernels/gauss/plan/ladder.h"
#include "kernels/operator/operator.h"

#include <math.h>

#define RADIANS (M_PI / 180.0)
#define CORNERS 4

bool foveate_model_projected(const struct foveate_model *model)
{
    return model->foveation.model == FOVEA_MODEL_MAP
               ? model->foveation.map.degrees == FOVEA_MAP_DEGREES_VIEW
               : model->foveation.model == FOVEA_MODEL_PHYSICAL ||
                     model->foveation.model == FOVEA_MODEL_CURVE;
}

bool foveate_model_by_law(const struct foveate_model *model)
{
    return model->foveation.method == FOVEA_METHOD_SMOOTH ||
           model->foveation.model != FOVEA_MODEL_PAPER;
}

/* A Gaussian of sigma lets exp(-2 (pi sigma f)^2) of the amplitude through: set to the gain at the
 * cutoff and solved for sigma times f. */
static double kappa_of(double gain)
{
    return sqrt(-2.0 * log(gain)) / (2.0 * M_PI);
}

/* The relative model has no half diagonal in its formula: it ends where the picture does. */
double foveate_model_farthest_px(const struct foveate_model *model)
{
    return foveate_model_is_relative(model) ? 2.0 * model->d_max_px : model->d_max_px;
}

/* A map's samples are not looked at again for it: its smallest anywhere stands for those in
 * reach. */
static double sigma_to_check_px(const struct foveate_model *model)
{
    return foveate_model_is_map(model)
               ? foveate_model_applied_px(model, foveate_model_law_bound(model) *
                                                     foveate_model_px_per_unit_max(model))
               : foveate_model_sigma_max_px(model);
}

bool foveate_model_init(struct foveate_model *model, const struct fovea_foveation *foveation,
                        uint32_t width_px, uint32_t height_px)
{
    if (width_px < 1 || width_px > OPERATOR_MAX_SIZE_PX || height_px < 1 ||
        height_px > OPERATOR_MAX_SIZE_PX) {
        return false;
    }
    if (foveation != &model->foveation) {
        model->foveation = *foveation;
    }
    model->width_px = width_px;
    model->height_px = height_px;
    model->kappa = kappa_of(foveation->cutoff_gain);
    model->d_max_px = 0.5 * hypot(width_px, height_px);
    model->half_short_px = 0.5 * fmin(width_px, height_px);
    model->view = (struct foveate_view){0};
    model->map = (struct foveate_map){0};
    if (foveate_model_projected(model)) {
        model->view = foveate_view_of(&foveation->geometry, width_px, height_px);
    }
    if (foveate_model_is_map(model) && !foveate_map_init(&model->map, &foveation->map)) {
        return false;
    }
    return foveate_model_is_relative(model) || sigma_to_check_px(model) <= GAUSS_MAX_SIGMA_PX;
}

/* ---- Cutoffs */

/* Contrast threshold CT0 exp(alpha f (e + e2) / e2), Geisler and Perry 1998, set to 1 and solved
 * for f. */
static double geisler_perry_cpd(double ct0, double alpha, double e2_deg, double e_deg)
{
    return e2_deg / (alpha * (e_deg + e2_deg)) * log(1.0 / ct0);
}

/* Cycles a pixel: f_max is put at Nyquist. */
static double paper_cutoff_cpp(const struct foveate_model *model, double distance_px)
{
    const struct fovea_paper *paper = &model->foveation.paper;
    const double e_deg = paper->e_max_deg * fmin(distance_px, model->d_max_px) / model->d_max_px;
    const double cpd = geisler_perry_cpd(paper->ct0, paper->alpha, paper->e2_deg, e_deg);
    return 0.5 * fmin(cpd, paper->f_max_cpd) / paper->f_max_cpd;
}

static double curve_cutoff_cpd(const struct fovea_curve *curve, double e_deg)
{
    if (e_deg <= curve->eccentricity_deg[0]) {
        return curve->cutoff_cpd[0];
    }
    for (uint32_t i = 1; i < curve->count; i++) {
        const double from_deg = curve->eccentricity_deg[i - 1];
        const double to_deg = curve->eccentricity_deg[i];
        if (e_deg < to_deg) {
            const double part = (e_deg - from_deg) / (to_deg - from_deg);
            return curve->cutoff_cpd[i - 1] +
                   part * (curve->cutoff_cpd[i] - curve->cutoff_cpd[i - 1]);
        }
    }
    return curve->cutoff_cpd[curve->count - 1];
}

/* Cycles a pixel: 0.5 / (1 + (d - sharp) / halving), which goes on rising within `sharp`, to 1. No
 * picture is so long and thin that it would ask for more blur than there is. */
static double relative_cutoff_cpp(const struct foveate_model *model, double distance_px)
{
    const struct fovea_relative *relative = &model->foveation.relative;
    const double beyond =
        (distance_px / model->half_short_px - relative->sharp) / relative->halving;
    const double least = model->kappa * fmax(model->foveation.strength, 1e-3) / GAUSS_MAX_SIGMA_PX;
    return fmax(0.5 / fmax(1.0 + beyond, 0.5), least);
}

static double cutoff(const struct foveate_model *model, double place)
{
    const struct fovea_physical *physical = &model->foveation.physical;
    switch (model->foveation.model) {
    case FOVEA_MODEL_PHYSICAL:
        return geisler_perry_cpd(physical->ct0, physical->alpha, physical->e2_deg, place);
    case FOVEA_MODEL_CURVE:
        return curve_cutoff_cpd(&model->foveation.curve, place);
    case FOVEA_MODEL_RELATIVE:
        return relative_cutoff_cpp(model, place);
    case FOVEA_MODEL_MAP: /* by foveate_model_map_law */
    case FOVEA_MODEL_PAPER:
        break;
    }
    return paper_cutoff_cpp(model, place);
}

/* May lie above what the image has; what is beyond Nyquist is copied. */
static double map_cutoff_cpd(const struct foveate_model *model, double sample)
{
    const struct fovea_foveation *foveation = &model->foveation;
    const struct fovea_paper *paper = &foveation->paper;
    const struct foveate_map *map = &model->map;
    if (foveation->map.law == FOVEA_MAP_LAW_LINEAR) {
        const double part = (map->largest - sample) / (map->largest - map->smallest);
        return geisler_perry_cpd(paper->ct0, paper->alpha, paper->e2_deg, part * paper->e_max_deg);
    }
    double cutoff_cpd = foveation->map.cutoff_cpd;
    if (cutoff_cpd == 0.0) {
        cutoff_cpd = map->kind == FOVEA_MAP_HUMAN ? FOVEATE_MAP_HUMAN_CPD : paper->f_max_cpd;
    }
    return cutoff_cpd * sqrt(sample / map->largest);
}

double foveate_model_map_law(const struct foveate_model *model, double sample)
{
    const double law_deg = model->kappa / map_cutoff_cpd(model, sample);
    return foveate_model_projected(model) ? law_deg
                                          : law_deg * 2.0 * model->foveation.paper.f_max_cpd;
}

/* The law at two samples says it everywhere: it is linear in them, or its inverse square is and is
 * 0 at 0. */
struct foveate_map_line foveate_model_map_line(const struct foveate_model *model)
{
    const struct foveate_map *map = &model->map;
    const double least = foveate_model_map_law(model, map->largest);
    if (model->foveation.map.law == FOVEA_MAP_LAW_SQRT) {
        return (struct foveate_map_line){
            .root = true, .floor = map->floor, .per_sample = 1.0 / (least * least * map->largest)};
    }
    const double most = foveate_model_map_law(model, map->smallest);
    const double per_sample = (least - most) / (map->largest - map->smallest);
    return (struct foveate_map_line){.at_zero = least - per_sample * map->largest,
                                     .per_sample = per_sample};
}

double foveate_model_map_per_unit(const struct foveate_model *model)
{
    const double per_deg = 1.0 / model->map.deg_per_sample;
    return foveate_model_projected(model)
               ? per_deg
               : per_deg * model->foveation.paper.e_max_deg / model->d_max_px;
}

double foveate_model_law(const struct foveate_model *model, double place)
{
    return model->kappa / cutoff(model, place);
}

/* ---- sigma */

double foveate_model_applied_px(const struct foveate_model *model, double law_sigma_px)
{
    const double sharp_px = 2.0 * model->kappa;
    double applied_px = law_sigma_px;
    if (law_sigma_px <= sharp_px) {
        applied_px = 0.0;
    } else if (law_sigma_px < 2.0 * sharp_px) {
        applied_px = 2.0 * (law_sigma_px - sharp_px);
    }
    return model->foveation.strength * applied_px;
}

struct ray {
    double x, y;
};

static struct ray ray_of(const struct foveate_model *model, struct foveate_place at)
{
    const struct foveate_view *view = &model->view;
    return (struct ray){.x = view->tan_x0 + (at.x_px - 0.5) * view->tan_x_per_px,
                        .y = view->tan_y0 + (at.y_px - 0.5) * view->tan_y_per_px};
}

static struct ray corner_ray(const struct foveate_model *model, int corner)
{
    return ray_of(model, (struct foveate_place){corner & 1 ? model->width_px : 0.0,
                                                corner & 2 ? model->height_px : 0.0});
}

static double angle_deg(struct ray a, struct ray b)
{
    const double cross = hypot(hypot(a.y - b.y, b.x - a.x), a.x * b.y - a.y * b.x);
    return atan2(cross, a.x * b.x + a.y * b.y + 1.0) / RADIANS;
}

/* A law may fall again with the eccentricity where a curve says so: between its points kappa /
 * cutoff has no maximum of its own, so the points and the end are enough. */
static double largest_law(const struct foveate_model *model, double up_to_deg)
{
    if (foveate_model_is_map(model)) {
        return foveate_model_map_law(
            model, foveate_map_smallest_within(&model->map, up_to_deg, up_to_deg));
    }
    double largest = fmax(foveate_model_law(model, 0.0), foveate_model_law(model, up_to_deg));
    const struct fovea_curve *curve = &model->foveation.curve;
    if (model->foveation.model == FOVEA_MODEL_CURVE) {
        for (uint32_t i = 0; i < curve->count && curve->eccentricity_deg[i] < up_to_deg; i++) {
            largest = fmax(largest, model->kappa / curve->cutoff_cpd[i]);
        }
    }
    return largest;
}

/* Pixels a degree are most, and eccentricity is, where pixel and gaze are in corners. */
static double projected_max_px(const struct foveate_model *model)
{
    double largest_px = 0.0;
    for (int pixel = 0; pixel < CORNERS; pixel++) {
        const struct ray at = corner_ray(model, pixel);
        double e_deg = 0.0;
        for (int gaze = 0; gaze < CORNERS; gaze++) {
            e_deg = fmax(e_deg, angle_deg(at, corner_ray(model, gaze)));
        }
        const double law_rad = largest_law(model, e_deg) * RADIANS;
        largest_px =
            fmax(largest_px, law_rad * foveate_view_px_per_radian(&model->view, at.x, at.y));
    }
    return largest_px;
}

/* In pixels the gaze and what is farthest from it are the picture's width and height apart. */
static double map_max_px(const struct foveate_model *model)
{
    const double deg_per_px = model->foveation.paper.e_max_deg / model->d_max_px;
    return foveate_model_map_law(model, foveate_map_smallest_within(&model->map,
                                                                    model->width_px * deg_per_px,
                                                                    model->height_px * deg_per_px));
}

static double unprojected_max_px(const struct foveate_model *model)
{
    return foveate_model_is_map(model) ? map_max_px(model)
                                       : foveate_model_law(model, foveate_model_farthest_px(model));
}

double foveate_model_sigma_max_px(const struct foveate_model *model)
{
    if (!foveate_model_by_law(model)) {
        return model->foveation.strength * foveate_model_law(model, model->d_max_px);
    }
    return foveate_model_applied_px(model, foveate_model_projected(model)
                                               ? projected_max_px(model)
                                               : unprojected_max_px(model));
}

/* The angle to a gaze outside the picture may be anything below 180 degrees. */
double foveate_model_law_bound(const struct foveate_model *model)
{
    if (foveate_model_is_map(model)) {
        return foveate_model_map_law(model, model->map.smallest);
    }
    return largest_law(model,
                       foveate_model_projected(model) ? 180.0 : foveate_model_farthest_px(model));
}

double foveate_model_px_per_unit_max(const struct foveate_model *model)
{
    double largest = foveate_model_projected(model) ? 0.0 : 1.0;
    for (int i = 0; i < CORNERS && foveate_model_projected(model); i++) {
        const struct ray at = corner_ray(model, i);
        largest = fmax(largest, RADIANS * foveate_view_px_per_radian(&model->view, at.x, at.y));
    }
    return largest;
}

/* ---- Places */

double foveate_model_distance_px(const struct foveate_model *model, double eccentricity_deg)
{
    if (foveate_model_is_relative(model)) {
        return eccentricity_deg * model->half_short_px;
    }
    if (!foveate_model_projected(model)) {
        return eccentricity_deg / model->foveation.paper.e_max_deg * model->d_max_px;
    }
    return eccentricity_deg < 90.0 ? tan(eccentricity_deg * RADIANS) / model->view.tan_x_per_px
                                   : -1.0;
}

/* The ray of the gaze G and a step D of a pixel: the angle between G and G + s D is the one whose
 * tangent is s |G x D| / (G G + s G D), solved for s. It grows with s towards the angle between G
 * and D. */
double foveate_model_reach_px(const struct foveate_model *model, struct foveate_place gaze,
                              struct foveate_place toward, double eccentricity_deg)
{
    if (!foveate_model_projected(model)) {
        return foveate_model_distance_px(model, eccentricity_deg);
    }
    const struct ray g = ray_of(model, gaze);
    const double dx = toward.x_px * model->view.tan_x_per_px;
    const double dy = toward.y_px * model->view.tan_y_per_px;
    const double cross = hypot(hypot(dx, dy), g.x * dy - g.y * dx);
    const double e = eccentricity_deg * RADIANS;
    const double left = cross * cos(e) - (g.x * dx + g.y * dy) * sin(e);
    return e < M_PI && left > 1e-12 * cross ? (1.0 + g.x * g.x + g.y * g.y) * sin(e) / left : -1.0;
}

double foveate_model_eccentricity_deg(const struct foveate_model *model, struct foveate_place gaze,
                                      struct foveate_place at)
{
    if (foveate_model_projected(model)) {
        return angle_deg(ray_of(model, at), ray_of(model, gaze));
    }
    const double distance_px = hypot(at.x_px - gaze.x_px, at.y_px - gaze.y_px);
    if (foveate_model_is_relative(model)) {
        return distance_px / model->half_short_px;
    }
    return model->foveation.paper.e_max_deg * fmin(distance_px / model->d_max_px, 1.0);
}

/* A step u of a pixel on the sphere around the eye is a vector of M = J'J, where J takes pixels to
 * the directions of rays; a grating of a cycle a radian has 1 / sqrt(u M^-1 u) cycles a pixel along
 * u. */
double foveate_model_px_per_deg(const struct foveate_model *model, struct foveate_place at,
                                struct foveate_place toward)
{
    if (foveate_model_is_relative(model)) {
        return model->half_short_px;
    }
    if (!foveate_model_projected(model)) {
        return 2.0 * model->foveation.paper.f_max_cpd; /* which are half a cycle a pixel */
    }
    const struct ray ray = ray_of(model, at);
    const double x = toward.x_px / model->view.tan_x_per_px;
    const double y = toward.y_px / model->view.tan_y_per_px;
    const double along = ray.x * x + ray.y * y;
    return RADIANS * sqrt((1.0 + ray.x * ray.x + ray.y * ray.y) * (x * x + y * y + along * along));
}
