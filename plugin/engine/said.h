/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Trouble that comes with every frame is said once, and again only after frames have been right. */
#ifndef FOVEA_ENGINE_SAID_H
#define FOVEA_ENGINE_SAID_H

#include "fovea_base.h"

struct engine_said {
    uint32_t kinds; /* a bit each */
};

/* kind: 0 to 31, of an enum of the caller's. */
__attribute__((format(printf, 4, 5))) void engine_say_once(struct engine_said *said, uint32_t kind,
                                                           struct fovea_log log, const char *format,
                                                           ...);

/* All is well again. */
static inline void engine_said_clear(struct engine_said *said)
{
    said->kinds = 0;
}

#endif
