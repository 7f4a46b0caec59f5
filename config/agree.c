/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "agree.h"

#include "combo.h"
#include "map.h"
#include "value.h"
#include "words.h"

#include <math.h>

#define MIN_CUTOFF_CPD 0.1
#define MAX_CUTOFF_CPD 1000.0
#define MIN_PICTURE_TAN 0.001 /* a width or height of 0.06 degrees */
#define MAX_SCREEN_RATIO 200.0 /* width by distance: 179 degrees */

#define COMPLAIN(complaint, ...)                                                                   \
    config_words_add((complaint)->text, sizeof(complaint)->text, __VA_ARGS__)

static bool physical_sees_something(const struct fovea_physical *physical,
                                    struct config_words *complaint)
{
    double cutoff_cpd = -log(physical->ct0) / physical->alpha;
    if (cutoff_cpd >= MIN_CUTOFF_CPD && cutoff_cpd <= MAX_CUTOFF_CPD) {
        return true;
    }
    COMPLAIN(complaint,
             "foveation.physical.ct0 is %s and foveation.physical.alpha is %s, a cutoff of %.4g "
             "cycles per degree at the gaze; it must be %g to %g",
             config_number(physical->ct0).text, config_number(physical->alpha).text, cutoff_cpd,
             MIN_CUTOFF_CPD, MAX_CUTOFF_CPD);
    return false;
}

static bool tangents_are_all_given(const struct fovea_geometry *geometry,
                                   struct config_words *complaint)
{
    const struct {
        const char *name;
        double value;
    } tangents[] = {{"left", geometry->tan_left},
                    {"right", geometry->tan_right},
                    {"up", geometry->tan_up},
                    {"down", geometry->tan_down}};
    for (size_t i = 0; i < sizeof tangents / sizeof tangents[0]; i++) {
        if (tangents[i].value == 0) {
            COMPLAIN(complaint,
                     "foveation.geometry.tan_%s is 0 and others are not; give all four tangents or "
                     "none (1e-9 is an edge on the view axis)",
                     tangents[i].name);
            return false;
        }
    }
    return true;
}

static bool has_extent(const char *names, double extent_tan, struct config_words *complaint)
{
    if (extent_tan < MIN_PICTURE_TAN) {
        COMPLAIN(complaint, "foveation.geometry: %s is %.6g; it must be at least %g", names,
                 extent_tan, MIN_PICTURE_TAN);
        return false;
    }
    return true;
}

static bool projection_is_a_view(const struct fovea_geometry *geometry,
                                 struct config_words *complaint)
{
    bool given = geometry->tan_left != 0 || geometry->tan_right != 0 || geometry->tan_up != 0 ||
                 geometry->tan_down != 0;
    return !given ||
           (tangents_are_all_given(geometry, complaint) &&
            has_extent("tan_left + tan_right", geometry->tan_left + geometry->tan_right,
                       complaint) &&
            has_extent("tan_up + tan_down", geometry->tan_up + geometry->tan_down, complaint));
}

static bool screen_is_a_view(const struct fovea_geometry *geometry, struct config_words *complaint)
{
    if (geometry->screen_width_m <= MAX_SCREEN_RATIO * geometry->distance_m) {
        return true;
    }
    COMPLAIN(complaint,
             "foveation.geometry.screen_width_m is %s and foveation.geometry.distance_m is %s; the "
             "width must be at most %g times the distance",
             config_number(geometry->screen_width_m).text, config_number(geometry->distance_m).text,
             MAX_SCREEN_RATIO);
    return false;
}

static bool transfer_is_known(enum fovea_transfer transfer, struct config_words *complaint)
{
    if (transfer == FOVEA_TRANSFER_SRGB || transfer == FOVEA_TRANSFER_PQ ||
        transfer == FOVEA_TRANSFER_HLG) {
        return true;
    }
    COMPLAIN(complaint, "foveation.transfer is %d; it must be a number of enum fovea_transfer",
             (int)transfer);
    return false;
}

static bool table_is_given(const struct fovea_foveation *foveation, struct config_words *complaint)
{
    if (foveation->light != FOVEA_LIGHT_TABLE || foveation->display.table_count > 0) {
        return true;
    }
    COMPLAIN(complaint, "foveation.light is \"table\" and there is no foveation.display.table");
    return false;
}

bool config_geometry_agrees(const struct fovea_geometry *geometry,
                            struct config_words *out_complaint)
{
    *out_complaint = (struct config_words){0};
    return projection_is_a_view(geometry, out_complaint) &&
           screen_is_a_view(geometry, out_complaint);
}

bool config_foveation_agrees(const struct fovea_foveation *foveation,
                             struct config_words *out_complaint)
{
    *out_complaint = (struct config_words){0};
    return transfer_is_known(foveation->transfer, out_complaint) &&
           table_is_given(foveation, out_complaint) &&
           physical_sees_something(&foveation->physical, out_complaint) &&
           config_geometry_agrees(&foveation->geometry, out_complaint) &&
           (foveation->model != FOVEA_MODEL_MAP ||
            config_map_agrees(&foveation->map, out_complaint));
}

bool config_settings_agree(const struct fovea_settings *settings,
                           struct config_words *out_complaint)
{
    return config_foveation_agrees(&settings->foveation, out_complaint) &&
           config_combos_agree(settings, out_complaint);
}
