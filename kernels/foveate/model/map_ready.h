/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The parts of a plan that depend on an array's samples and its law, whatever the picture's size.
 * They are made once, when a map is taken, so that no frame looks through a large one. Plans
 * without them make their own, with the same result. */
#pragma once

#include "core/shared_data.h"
#include "kernels/gauss/plan/slope.h"
#include "model.h"

#define FOVEATE_MAP_BLOCK 16 /* samples each way */

/* May be read from any thread. */
struct fovea_map_ready {
    struct shared_data base;
    uint64_t serial; /* of the samples */
    float largest;
    float smallest;
    int32_t block_columns;
    float *smallest_of_blocks; /* by rows */
    struct foveate_map_line line; /* that the table goes by */
    float *table; /* of struct gauss_law, for every size and strength that it does not limit */
    struct gauss_extremes extremes; /* of the table */
};

/* The settings are of the map model, in range, with the samples of an array and their serial.
 * The caller owns one share of the result. FOVEA_ERROR_INVALID_ARGUMENT: no plan can be made of
 * them. */
FOVEA_MUST_CHECK enum fovea_result foveate_map_ready_make(const struct fovea_foveation *foveation,
                                                          struct fovea_map_ready **out_ready);
/* True if the one made for these settings would be the same. NULL fits nothing. */
bool foveate_map_ready_fits(struct fovea_map_ready *ready, const struct fovea_foveation *foveation);

/* Another share; NULL has none. */
struct fovea_map_ready *foveate_map_ready_share(struct fovea_map_ready *ready);
/* The last one frees it. */
void foveate_map_ready_release(struct fovea_map_ready **ready);

/* The table for a model of these samples; NULL: the one that there is goes by another law, or is
 * limited. */
float *foveate_map_ready_table(const struct foveate_model *model, double highest);
/* (width + 2) * (height + 2) entries, none of which means more than `highest`. */
void foveate_map_fill_table(const struct foveate_model *model, double highest, float *out_entries);
