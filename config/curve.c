/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "curve.h"

#include "words.h"

#include <math.h>

static double number_at(const cJSON *point, int index)
{
    bool pair = cJSON_IsArray(point) && cJSON_GetArraySize(point) == 2;
    const cJSON *item = pair ? cJSON_GetArrayItem(point, index) : NULL;
    return item && cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

struct fovea_curve config_curve_parse(const cJSON *item)
{
    struct fovea_curve curve = {0};
    if (!cJSON_IsArray(item)) {
        return curve;
    }
    for (const cJSON *point = item->child; point; point = point->next) {
        if (curve.count < FOVEA_CURVE_MAX) {
            curve.eccentricity_deg[curve.count] = number_at(point, 0);
            curve.cutoff_cpd[curve.count] = number_at(point, 1);
        }
        curve.count++;
    }
    return curve;
}

static bool point_is_right(const struct fovea_curve *curve, uint32_t i)
{
    double degrees = curve->eccentricity_deg[i];
    double cpd = curve->cutoff_cpd[i];
    bool rises = i == 0 || degrees > curve->eccentricity_deg[i - 1];
    return rises && degrees >= 0 && degrees <= CONFIG_CURVE_MAX_DEG &&
           cpd >= CONFIG_CURVE_MIN_CPD && cpd <= CONFIG_CURVE_MAX_CPD;
}

uint32_t config_curve_wrong_point(const struct fovea_curve *curve)
{
    for (uint32_t i = 0; i < curve->count; i++) {
        if (i == FOVEA_CURVE_MAX || !point_is_right(curve, i)) {
            return i + 1;
        }
    }
    return curve->count == 0 ? 1 : 0;
}

struct config_words config_curve_words(const struct fovea_curve *curve)
{
    struct config_words words = {0};
    config_words_add(words.text, sizeof words.text, "[");
    for (uint32_t i = 0; i < curve->count && i < FOVEA_CURVE_MAX; i++) {
        config_words_add(words.text, sizeof words.text, "%s[%s, %s]", i ? ", " : "",
                         config_number(curve->eccentricity_deg[i]).text,
                         config_number(curve->cutoff_cpd[i]).text);
    }
    config_words_add(words.text, sizeof words.text, "]");
    return words;
}
