/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Structs that grow (fovea.h): the first member says how large the struct is for the program, which
 * may have been built with an older version's header, or a newer one's. */
#ifndef FOVEA_CORE_STRUCT_BYTES_H
#define FOVEA_CORE_STRUCT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* More is no size that anybody has set. */
#define STRUCT_BYTES_MAX 65536

static inline size_t struct_bytes_of(const void *given)
{
    size_t bytes = 0;
    memcpy(&bytes, given, sizeof bytes);
    return bytes;
}

/* The program's struct as ours: what it does not have is 0. False, and *own is not written: no
 * size, or the program asks for something that we do not know. */
static inline bool struct_take(void *own, size_t own_bytes, const void *given)
{
    const unsigned char *from = (const unsigned char *)given;
    const size_t bytes = struct_bytes_of(given);
    if (bytes < sizeof bytes || bytes > STRUCT_BYTES_MAX) {
        return false;
    }
    for (size_t i = own_bytes; i < bytes; i++) {
        /* The analyser does not know that `bytes` is what the struct says of itself.
         * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        if (from[i] != 0) {
            return false;
        }
    }
    memset(own, 0, own_bytes);
    memcpy(own, given, bytes < own_bytes ? bytes : own_bytes);
    memcpy(own, &own_bytes, sizeof own_bytes);
    return true;
}

/* Ours into the program's: what we do not know is 0 there. False, and nothing is written: no
 * size. */
static inline bool struct_give(void *given, const void *own, size_t own_bytes)
{
    const size_t bytes = struct_bytes_of(given);
    if (bytes < sizeof bytes || bytes > STRUCT_BYTES_MAX) {
        return false;
    }
    memset(given, 0, bytes);
    memcpy(given, own, bytes < own_bytes ? bytes : own_bytes);
    memcpy(given, &bytes, sizeof bytes);
    return true;
}

#endif
