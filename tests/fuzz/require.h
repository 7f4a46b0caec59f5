/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fuzz targets share this. One ends the program where something does not hold, which the fuzzer
 * reports. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The bytes, which the caller frees, without room at the end, so that a sanitizer sees each step
 * over it. */
static inline void *exact_copy(const uint8_t *data, size_t size)
{
    void *bytes = malloc(size ? size : 1);
    REQUIRE(bytes);
    memcpy(bytes, data, size);
    return bytes;
}
