/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Memory for a program that cannot go on without it. */
#pragma once

#include <stdlib.h>

/* Zeroed; aborts where there is none. */
static inline void *memory_make(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (!memory) {
        abort();
    }
    return memory;
}
