/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* foveation.display.table: a list of numbers, or the name of a file of them, which is read where
 * the setting is; in the settings an array. */
#pragma once

#include "key.h"

#include <cjson/cJSON.h>

struct config_table {
    uint32_t count; /* of all that there are, also of those beyond FOVEA_DISPLAY_MAX */
    float samples[FOVEA_DISPLAY_MAX];
    const char *problem; /* in words; NULL: it was read */
};

/* `directory` is put before a relative file's name. `local`: the text is a fovea.json that nobody
 * has named, and a file outside of the directory is a problem and is not opened. */
void config_table_parse(const cJSON *item, const char *directory, bool local,
                        struct config_table *out_table);

/* The first sample that is no number, negative or less than the one before, counted from 1, or
 * where the last is not above the first that one; also a single sample and one too many. 0: the
 * table is right, or there is none. */
uint32_t config_table_wrong_sample(const float *samples, uint32_t count);

/* "[0, 0.5, 1]", or "\"\"" where there is none, cut where it does not fit. */
struct config_words config_table_words(const float *samples, uint32_t count);
