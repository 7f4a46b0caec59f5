/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Text for messages, in buffers of fixed size: cut where it does not fit, always terminated, always
 * printable UTF-8. */
#pragma once

#include <stddef.h>

/* Appends. What is appended must be printable already. */
__attribute__((format(printf, 3, 4))) void config_words_add(char *text, size_t size,
                                                            const char *format, ...);

/* Copies what somebody else wrote: control characters and bytes that are not UTF-8 become '?', and
 * what is too long is cut and ends in "...". */
void config_words_copy(char *text, size_t size, const char *bytes, size_t count);

struct config_quote {
    char text[64];
};
/* A piece of somebody's text, short enough for a message. */
struct config_quote config_quote(const char *bytes, size_t count);

struct config_number {
    char text[40];
};
/* The shortest way to write a number that reads back the same, whatever the locale. */
struct config_number config_number(double value);
