/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Structs that grow (fovea.h): the first member says how large the struct is for the program, which
 * may have been built with an older version's header, or a newer one's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* More is no size that anybody has set. */
#define STRUCT_BYTES_MAX 65536

/* `last` ends where the struct does: no member that a later version adds lies within this one's
 * size, where an older program leaves what was there. */
#define STRUCT_ENDS_WITH(type, last)                                                               \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type),               \
                   #type " ends in padding: give it a member `reserved`")

static inline size_t struct_bytes_of(const void *given)
{
    size_t bytes = 0;
    memcpy(&bytes, given, sizeof bytes);
    return bytes;
}

/* A struct that begins with a size_t is a multiple of it long, and no such length cuts a pointer.
 */
static inline bool struct_has_size(const void *given)
{
    const size_t bytes = struct_bytes_of(given);
    return bytes >= sizeof bytes && bytes % sizeof bytes == 0 && bytes <= STRUCT_BYTES_MAX;
}

/* Members called reserved are checked by it, too. */
static inline bool struct_bytes_are_0(const void *member, size_t bytes)
{
    const unsigned char *from = (const unsigned char *)member;
    for (size_t i = 0; i < bytes; i++) {
        /* The analyser does not know that a struct is as large as it says.
         * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        if (from[i] != 0) {
            return false;
        }
    }
    return true;
}

/* The program's struct as ours: what it does not have is 0. False, and *own is not written: no
 * size, or the program asks for something that we do not know. */
static inline bool struct_take(void *own, size_t own_bytes, const void *given)
{
    const size_t bytes = struct_bytes_of(given);
    if (!struct_has_size(given) ||
        (bytes > own_bytes &&
         !struct_bytes_are_0((const char *)given + own_bytes, bytes - own_bytes))) {
        return false;
    }
    memset(own, 0, own_bytes);
    memcpy(own, given, bytes < own_bytes ? bytes : own_bytes);
    memcpy(own, &own_bytes, sizeof own_bytes);
    return true;
}

/* Why struct_take has refused it. */
static inline const char *struct_refusal(const void *given)
{
    return struct_has_size(given)
               ? "it is a newer version's and sets members that this one does not know"
               : "struct_bytes is not set to the size of the struct";
}

/* Ours into the program's. What we do not know stays as it was, 0 since its X_init: so no more is
 * written than we have, whatever stands in struct_bytes. False, and nothing is written: no size. */
static inline bool struct_give(void *given, const void *own, size_t own_bytes)
{
    const size_t bytes = struct_bytes_of(given);
    if (!struct_has_size(given)) {
        return false;
    }
    memcpy(given, own, bytes < own_bytes ? bytes : own_bytes);
    memcpy(given, &bytes, sizeof bytes);
    return true;
}
