/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Trouble that comes with every frame is said once, and again only after frames have been right.
 * Any threads. */
#pragma once

#include "log.h"

#include <stdatomic.h>

/* Zeroed: nothing was said. */
struct said {
    _Atomic uint32_t kinds; /* a bit each */
};

/* kind: 0 to 31, of an enum of the caller's. True: whoever asks is the first to say it. */
static inline bool said_first(struct said *said, uint32_t kind)
{
    const uint32_t bit = UINT32_C(1) << kind;
    return !(atomic_load(&said->kinds) & bit) && !(atomic_fetch_or(&said->kinds, bit) & bit);
}

/* All is well again. */
static inline void said_clear(struct said *said)
{
    atomic_store(&said->kinds, 0);
}

#define log_once(said, kind, level, log, ...)                                                      \
    do {                                                                                           \
        if (said_first((said), (kind))) {                                                          \
            log_write((log), (level), __VA_ARGS__);                                                \
        }                                                                                          \
    } while (0)
