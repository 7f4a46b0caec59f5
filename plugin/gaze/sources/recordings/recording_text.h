/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A text of lines and fields, read from the front to the back, and messages that say where what is
 * wrong stands. All readers of recordings share it. */
#pragma once

#include "core/log.h"

#include <locale.h>
#include <stddef.h>

#define RECORDING_QUOTE_BYTES 40

/* A part of the text. */
struct span {
    const char *begin;
    const char *end;
};

struct recording_text {
    const char *name; /* the file's */
    struct fovea_log log;
    locale_t c_locale; /* the program's may write numbers with a comma */
    struct span rest;
    struct span line; /* the line being read, without its end */
    size_t line_number;
    char delimiter; /* of fields; where it is no comma, numbers may have one */
};

size_t recording_span_bytes(struct span span);
/* Upper and lower case of ASCII are the same. */
bool recording_span_is(struct span span, const char *text);

/* FOVEA_ERROR_CONFIG, with name:line:column in the log. */
enum fovea_result recording_wrong(const struct recording_text *text, const char *where,
                                  const char *what);
/* <name> is "<field>"; it must be <expected> */
enum fovea_result recording_wrong_field(const struct recording_text *text, struct span field,
                                        const char *name, const char *expected);

/* Goes to the next line that is neither empty nor a comment; false at the end. */
bool recording_next_line(struct recording_text *text);
/* Tabs, semicolons or commas: what the line has most of. */
char recording_delimiter_of(struct span line);
/* Takes the first field out of *fields, whose begin is NULL after the last one. A field in
 * quotation marks may have delimiters. */
bool recording_next_field(const struct recording_text *text, struct span *fields,
                          struct span *out_field);
/* Takes the first word, which spaces or tabs end, out of *words; empty after the last one. */
struct span recording_next_word(struct span *words);

/* False: it is no finite number. */
bool recording_number(const struct recording_text *text, struct span field, double *out_number);
/* Nothing, a point, nan or n/a: a tracker that saw no eye. */
bool recording_is_lost(struct span field);
