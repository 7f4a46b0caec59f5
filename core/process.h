/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whose process this is. The child of a fork has what its parent has made and none of the threads,
 * and drivers do not work there. */
#pragma once

#include <stdbool.h>
#include <unistd.h>

/* True where what the process `owner` has made was inherited by a fork. */
static inline bool process_is_child_of(pid_t owner)
{
    return getpid() != owner;
}
