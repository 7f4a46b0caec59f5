/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The samples of a map as a context keeps them: a program's array copied, a file read, a formula
 * evaluated. Kernels know no files, so settings that were taken have the copy as their array; those
 * of a formula keep their kind, and plans find its samples made. */
#pragma once

#include "config/settings.h"
#include "core/shared_data.h"

#include <sys/stat.h>

/* Nobody changes them once others have a share. */
struct foveate_map_samples {
    struct shared_data base;
    float *values;
    enum fovea_map_kind kind; /* of the settings that asked for them */
    uint32_t width;
    uint32_t height;
    uint64_t serial; /* of no other samples in this process */
    char file[FOVEA_PATH_MAX]; /* that was read; "": none */
};

/* All 0: none. */
struct foveate_map_copy {
    struct foveate_map_samples *samples; /* a share */
    struct fovea_map_ready *ready; /* a share of what plans take of them; NULL: there is none */
    struct stat status; /* of the file, as it was when it was looked at */
};

/* Copies what the map of these settings needs: *out_fresh, with a serial of its own; or nothing,
 * because *old has it already, which then learns that its file was touched. `map` then has the
 * samples of whichever it is. *out_fresh may have something ready for *old's, too. On failure it is
 * as it was. FOVEA_ERROR_IO: a file cannot be read; FOVEA_ERROR_CONFIG: it is no map. */
FOVEA_MUST_CHECK enum fovea_result foveate_map_copy_make(struct fovea_map *map,
                                                         struct foveate_map_copy *old,
                                                         struct fovea_log log,
                                                         struct foveate_map_copy *out_fresh);
void foveate_map_copy_finish(struct foveate_map_copy *copy);

/* Its samples are the same whoever evaluates them. */
static inline bool foveate_map_copy_is_formula(enum fovea_map_kind kind)
{
    return kind != FOVEA_MAP_FILE && kind != FOVEA_MAP_ARRAY;
}

/* True: both have samples, and they are the same. */
bool foveate_map_copy_same_values(const struct foveate_map_copy *a,
                                  const struct foveate_map_copy *b);

/* Makes ready the values that plans of these settings take of an array's or a file's samples. It
 * makes none where memory is short or *ready has them already: plans then make them for
 * themselves. */
void foveate_map_copy_make_ready(const struct foveate_map_copy *copy,
                                 const struct fovea_foveation *foveation,
                                 struct fovea_map_ready **ready);

uint64_t foveate_map_copy_next_serial(void);

/* The samples of a map's formula; or of its file, which may be used with its law: nothing where
 * they are those of *old. They have no serial. On failure *out_fresh is to be finished too. */
FOVEA_MUST_CHECK enum fovea_result foveate_map_copy_read(const struct fovea_map *map,
                                                         const struct foveate_map_copy *old,
                                                         struct fovea_log log,
                                                         struct foveate_map_copy *out_fresh);

/* ---- The store -------------------------------------------------------------------------------
 *
 * The samples of maps, read and decoded or evaluated before settings with them are taken: on the
 * thread that reads saved settings, so that no frame waits for it. The process keeps those of the
 * four files and formulas prepared last, whichever struct fovea_config named them, and lets go of
 * those that no context uses when settings with neither are saved. */

/* A config_prepare_fn. Settings with a map's file get the serial of its samples in the store; what
 * is there already is neither decoded nor evaluated again. */
FOVEA_MUST_CHECK enum fovea_result foveate_map_store_prepare(struct fovea_settings *settings,
                                                             struct fovea_log log);

/* True: the samples of these settings are there, and *out_copy has a share of them.
 * Waits for nothing but looks at the store that others take at the same time. */
bool foveate_map_store_find(const struct fovea_map *map, struct foveate_map_copy *out_copy);
