/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Reads what JSON's text is made of: characters, places and numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_place {
    uint32_t line; /* from 1 */
    uint32_t column; /* from 1, in characters */
};
struct json_place json_place_of(const char *bytes, size_t count, size_t at);

/* Bytes of the UTF-8 character that bytes begins with; 0 where that is none. */
size_t json_utf8_length(const char *bytes, size_t count);
/* All of the bytes are a number as JSON writes it. */
bool json_is_number(const char *bytes, size_t count);
/* A number as text has it that is not JSON's, too: 0.5, .5, +3. It is the nearest double, of two
 * the even one, and infinity beyond the largest. Returns where it ends; NULL: there is none. */
const char *json_decimal(const char *at, const char *end, double *out_number);
