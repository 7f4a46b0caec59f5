/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map.h"

#include "words.h"

#include <math.h>

#define MIN_SIDE 2
#define MAX_SIDE 4096

#define COMPLAIN(complaint, ...)                                                                   \
    config_words_add((complaint)->text, sizeof(complaint)->text, __VA_ARGS__)

static bool side_is_right(const char *name, uint32_t samples, struct config_words *complaint)
{
    if (samples >= MIN_SIDE && samples <= MAX_SIDE) {
        return true;
    }
    COMPLAIN(complaint, "foveation.map.%s is %u; it must be %d to %d", name, samples, MIN_SIDE,
             MAX_SIDE);
    return false;
}

static bool values_differ(enum fovea_map_law law, float smallest, float largest,
                          struct config_words *complaint)
{
    if (largest == 0.0f) {
        COMPLAIN(complaint, "foveation.map.values are all 0; one must be above");
        return false;
    }
    if (law == FOVEA_MAP_LAW_LINEAR && smallest == largest) {
        COMPLAIN(complaint,
                 "foveation.map.values are all %s; with foveation.map.law \"linear\" they must "
                 "not all be the same",
                 config_number((double)largest).text);
        return false;
    }
    return true;
}

static bool values_are_right(const struct fovea_map *map, struct config_words *complaint)
{
    float smallest = INFINITY;
    float largest = 0.0f;
    const size_t count = (size_t)map->width * map->height;
    for (size_t i = 0; i < count; i++) {
        const float value = map->values[i];
        if (!(value >= 0.0f && value < INFINITY)) {
            COMPLAIN(complaint,
                     "foveation.map.values: column %zu of row %zu is %g; it must be finite and "
                     "not negative",
                     i % map->width, i / map->width, (double)value);
            return false;
        }
        smallest = fminf(smallest, value);
        largest = fmaxf(largest, value);
    }
    return values_differ(map->law, smallest, largest, complaint);
}

static bool array_is_right(const struct fovea_map *map, struct config_words *complaint)
{
    if (!map->values) {
        COMPLAIN(complaint, "foveation.map.kind is \"array\" and foveation.map.values is NULL; "
                            "arrays are given by programs");
        return false;
    }
    return side_is_right("width", map->width, complaint) &&
           side_is_right("height", map->height, complaint) && values_are_right(map, complaint);
}

bool config_map_agrees(const struct fovea_map *map, struct config_words *complaint)
{
    if (map->kind == FOVEA_MAP_FILE && !map->file[0]) {
        COMPLAIN(complaint, "foveation.map.kind is \"file\" and foveation.map.file is empty; it "
                            "must name a PNG picture");
        return false;
    }
    return map->kind != FOVEA_MAP_ARRAY || array_is_right(map, complaint);
}
