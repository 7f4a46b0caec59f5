/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A cache directory of a test's own: $XDG_CACHE_HOME, with no HOME beside it. */
#pragma once

#include <stddef.h>

#define CACHE_FILE "fovea/backends"

/* Setup and teardown of a test; the process forgets what it knows. */
int cache_folder_enter(void **state);
int cache_folder_leave(void **state);

const char *cache_folder(void);
/* Returns a path below it, until the next call. */
const char *cache_folder_path(const char *name);
void cache_folder_write(const char *name, const void *bytes, size_t count);
/* Reads it as a string; 0: there is no such file. */
size_t cache_folder_read(const char *name, char *text, size_t bytes);
