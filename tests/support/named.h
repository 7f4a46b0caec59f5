/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Functions by their names, as loaders and engines ask for them. */
#pragma once

#include <stddef.h>
#include <string.h>

typedef void (*named_fn)(void);

struct named_function {
    const char *name;
    named_fn function;
};

/* NULL: no row has the name. */
static inline named_fn named_find(const struct named_function *rows, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(rows[i].name, name) != 0) {
        i++;
    }
    return i < count ? rows[i].function : NULL;
}

#define NAMED(rows, name) named_find(rows, sizeof(rows) / sizeof((rows)[0]), name)
