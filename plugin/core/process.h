/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whose process this is. The child of a fork has what its parent has made and none of the threads,
 * and drivers do not work there. */
#ifndef FOVEA_CORE_PROCESS_H
#define FOVEA_CORE_PROCESS_H

#include <stdbool.h>
#include <unistd.h>

/* Of what was made in the process `maker`. */
static inline bool process_is_child_of(pid_t maker)
{
    return getpid() != maker;
}

#endif
