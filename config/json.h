/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* cJSON's parser, for any thread of a process that is not ours. By itself it reads numbers as the
 * program's locale writes them, "0,5" in many, and every call writes to one static variable. */
#pragma once

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stddef.h>

/* Does what cJSON_ParseWithLengthOpts does: NULL if it is not JSON or memory is short. Any thread;
 * one at a time. */
cJSON *json_parse(const char *text, size_t bytes, const char **out_end, bool to_the_end);
