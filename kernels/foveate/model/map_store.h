/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The samples of maps, read and decoded or evaluated before settings with them are taken: on the
 * thread that reads saved settings, so that no frame waits for it. The process keeps those of the
 * four files and formulas prepared last, whichever struct fovea_config named them, and lets go of
 * those that no context uses when settings with neither are saved. */
#ifndef FOVEA_KERNELS_FOVEATE_MODEL_MAP_STORE_H
#define FOVEA_KERNELS_FOVEATE_MODEL_MAP_STORE_H

#include "map_copy.h"

/* Shared by the store and by copies of it. */
struct foveate_map_samples;

/* A config_prepare_fn. Settings with a map's file get the serial of its samples in the store; what
 * is there already is neither decoded nor evaluated again. */
FOVEA_MUST_CHECK enum fovea_result foveate_map_store_prepare(struct fovea_settings *settings,
                                                             struct fovea_log log);

/* True: the samples of these settings are there, and *out_copy has a share of them.
 * Waits for nothing but looks at the store that others take at the same time. */
bool foveate_map_store_find(const struct fovea_map *map, struct foveate_map_copy *out_copy);
void foveate_map_samples_release(struct foveate_map_samples **samples);

#endif
