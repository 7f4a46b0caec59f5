/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The table of a display, of which only so many values as it has mean something. */
#pragma once

#include "settings.h"

static inline bool display_same_table(const struct fovea_display *a, const struct fovea_display *b)
{
    const uint32_t count = a->table_count < FOVEA_DISPLAY_MAX ? a->table_count : FOVEA_DISPLAY_MAX;
    for (uint32_t i = 0; i < count && a->table_count == b->table_count; i++) {
        if (a->table[i] != b->table[i]) {
            return false;
        }
    }
    return a->table_count == b->table_count;
}
