/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The program's messages to its user, one line each. Errors and notes go to stderr. */
#pragma once

#include "fovea.h"

/* Notes are left out. */
void say_quietly(void);

__attribute__((format(printf, 1, 2))) void say_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);

/* Prints Fovea's warnings and errors the same way, and its notes with `min_level` INFO. */
struct fovea_log say_log(enum fovea_log_level min_level);
