/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/foveate/limits.h"
#include "model.h"

#include <math.h>

static bool positive(double value)
{
    return isfinite(value) && value > 0.0;
}

static bool within(double value, double lowest, double highest)
{
    return value >= lowest && value <= highest;
}

static bool fragments_valid(const struct fovea_paper *paper)
{
    return paper->fragment_px >= FOVEATE_MIN_FRAGMENT_PX &&
           paper->fragment_px <= FOVEATE_MAX_FRAGMENT_PX &&
           (paper->filter_length == FOVEA_FILTER_LENGTH_CODE ||
            paper->filter_length == FOVEA_FILTER_LENGTH_PRINTED);
}

static bool paper_valid(const struct fovea_paper *paper)
{
    return positive(paper->ct0) && paper->ct0 < 1.0 && positive(paper->alpha) &&
           positive(paper->e2_deg) && positive(paper->e_max_deg) && positive(paper->f_max_cpd) &&
           fragments_valid(paper);
}

static bool physical_valid(const struct fovea_physical *physical)
{
    return positive(physical->ct0) && physical->ct0 < 1.0 && positive(physical->alpha) &&
           positive(physical->e2_deg);
}

static bool relative_valid(const struct fovea_relative *relative)
{
    return within(relative->sharp, 0.0, FOVEATE_MAX_RELATIVE) &&
           within(relative->halving, FOVEATE_MIN_RELATIVE_HALVING, FOVEATE_MAX_RELATIVE);
}

static bool curve_valid(const struct fovea_curve *curve)
{
    if (curve->count < 1 || curve->count > FOVEA_CURVE_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < curve->count; i++) {
        if (!within(curve->eccentricity_deg[i], 0.0, 180.0) || !positive(curve->cutoff_cpd[i]) ||
            (i > 0 && curve->eccentricity_deg[i] <= curve->eccentricity_deg[i - 1])) {
            return false;
        }
    }
    return true;
}

static bool projection_valid(const struct fovea_geometry *geometry)
{
    const double tangents[] = {geometry->tan_left, geometry->tan_right, geometry->tan_up,
                               geometry->tan_down};
    for (int i = 0; i < 4; i++) {
        if (!within(tangents[i], -FOVEATE_MAX_TANGENT, FOVEATE_MAX_TANGENT)) {
            return false;
        }
    }
    return geometry->tan_left + geometry->tan_right > 0.0 &&
           geometry->tan_up + geometry->tan_down > 0.0;
}

static bool geometry_valid(const struct fovea_geometry *geometry)
{
    if (foveate_view_given_as_projection(geometry)) {
        return projection_valid(geometry);
    }
    if (geometry->ppd != 0.0) {
        return within(geometry->ppd, FOVEATE_MIN_PPD, FOVEATE_MAX_PPD);
    }
    return positive(geometry->screen_width_m) && positive(geometry->distance_m) &&
           geometry->screen_width_m / geometry->distance_m <= 2.0 * FOVEATE_MAX_TANGENT;
}

/* The samples of an array are checked where a model is made of them. */
static bool map_source_valid(const struct fovea_map *map)
{
    switch (map->kind) {
    case FOVEA_MAP_HUMAN:
    case FOVEA_MAP_KANGAROO:
    case FOVEA_MAP_HAWK:
    case FOVEA_MAP_DOG:
        return map->eye == FOVEA_MAP_EYE_BOTH || map->eye == FOVEA_MAP_EYE_LEFT ||
               map->eye == FOVEA_MAP_EYE_RIGHT;
    case FOVEA_MAP_STREAK:
        return true;
    case FOVEA_MAP_ARRAY:
        return map->values && map->width >= FOVEATE_MIN_MAP_SIDE &&
               map->width <= FOVEATE_MAX_MAP_SIDE && map->height >= FOVEATE_MIN_MAP_SIDE &&
               map->height <= FOVEATE_MAX_MAP_SIDE && positive(map->width_deg);
    case FOVEA_MAP_FILE:
        break;
    }
    return false;
}

static bool map_valid(const struct fovea_foveation *foveation)
{
    const struct fovea_map *map = &foveation->map;
    if (map->law != FOVEA_MAP_LAW_LINEAR &&
        !(map->law == FOVEA_MAP_LAW_SQRT && within(map->cutoff_cpd, 0.0, FOVEATE_MAX_MAP_CPD) &&
          within(map->floor, FOVEATE_MIN_MAP_FLOOR, 1.0))) {
        return false;
    }
    return map_source_valid(map) && paper_valid(&foveation->paper) &&
           (map->degrees == FOVEA_MAP_DEGREES_PAPER ||
            (map->degrees == FOVEA_MAP_DEGREES_VIEW && geometry_valid(&foveation->geometry)));
}

static bool model_valid(const struct fovea_foveation *foveation)
{
    switch (foveation->model) {
    case FOVEA_MODEL_PAPER:
        return paper_valid(&foveation->paper);
    case FOVEA_MODEL_PHYSICAL:
        return physical_valid(&foveation->physical) && geometry_valid(&foveation->geometry);
    case FOVEA_MODEL_CURVE:
        return curve_valid(&foveation->curve) && geometry_valid(&foveation->geometry);
    case FOVEA_MODEL_MAP:
        return map_valid(foveation);
    case FOVEA_MODEL_RELATIVE:
        return relative_valid(&foveation->relative);
    }
    return false;
}

static bool method_valid(const struct fovea_foveation *foveation)
{
    return foveation->method == FOVEA_METHOD_SMOOTH ||
           (foveation->method == FOVEA_METHOD_BLOCKWISE && fragments_valid(&foveation->paper));
}

static bool table_valid(const struct fovea_display *display)
{
    const uint32_t count = display->table_count;
    if (count < 2 || count > FOVEA_DISPLAY_MAX ||
        !(display->table[count - 1] > display->table[0])) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(display->table[i]) || display->table[i] < (i ? display->table[i - 1] : 0)) {
            return false;
        }
    }
    return true;
}

static bool display_valid(const struct fovea_foveation *foveation)
{
    const struct fovea_display *display = &foveation->display;
    return (display->hlg_peak_cd_m2 == 0.0 ||
            within(display->hlg_peak_cd_m2, FOVEATE_MIN_PEAK_CD_M2, FOVEATE_MAX_PEAK_CD_M2)) &&
           (display->gamma == 0.0 ||
            within(display->gamma, FOVEATE_MIN_GAMMA, FOVEATE_MAX_GAMMA)) &&
           (foveation->light != FOVEA_LIGHT_TABLE || table_valid(display));
}

static bool light_valid(enum fovea_light light)
{
    return light == FOVEA_LIGHT_AUTO || light == FOVEA_LIGHT_ENCODED ||
           light == FOVEA_LIGHT_LINEAR || light == FOVEA_LIGHT_GAMMA || light == FOVEA_LIGHT_TABLE;
}

bool foveate_model_settings_valid(const struct fovea_foveation *foveation)
{
    return method_valid(foveation) && light_valid(foveation->light) &&
           (foveation->transfer == FOVEA_TRANSFER_SRGB ||
            foveation->transfer == FOVEA_TRANSFER_PQ ||
            foveation->transfer == FOVEA_TRANSFER_HLG) &&
           display_valid(foveation) &&
           (foveation->alpha == FOVEA_ALPHA_KEEP ||
            foveation->alpha == FOVEA_ALPHA_PREMULTIPLIED) &&
           within(foveation->strength, 0.0, FOVEATE_MAX_STRENGTH) &&
           within(foveation->cutoff_gain, FOVEATE_MIN_CUTOFF_GAIN, FOVEATE_MAX_CUTOFF_GAIN) &&
           model_valid(foveation);
}
