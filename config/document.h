/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One text in JSON with comments: where it came from, its tree by cJSON, and where in the text each
 * value stands, which cJSON does not tell.
 *
 * core/json_scan.h walks the text first. It is stricter than cJSON (numbers, control characters,
 * trailing commas, depth), says what is wrong where, notes the place of every value, and puts
 * spaces for comments into a copy, which cJSON then reads. So cJSON meets only texts it accepts. */
#pragma once

#include "core/json_scan.h"
#include "fovea.h"
#include "json.h"

#define CONFIG_TEXT_MAX_BYTES (1024u * 1024u)

/* The log and the subject of messages, for everything that reads a text. */
struct config_text {
    const char *name; /* for messages; printable */
    const char *directory; /* that relative paths in it refer to, with a '/' at the end; or "" */
    const char *bytes;
    size_t count;
    bool local; /* a fovea.json that nobody has named: local.h */
    bool lines; /* messages say line and column */
    struct fovea_log log;
};

struct config_document {
    struct config_text text; /* everything in it is the caller's */
    cJSON *root;
    struct json_spot *spots;
    size_t spot_count;
};

/* On failure the document is empty. The text must outlive the document. */
FOVEA_MUST_CHECK enum fovea_result config_document_parse(const struct config_text *text,
                                                         struct config_document *out_document);
void config_document_finish(struct config_document *document);

/* Logs "name:line:column: path: message" as an error; path may be "". Returns
 * FOVEA_ERROR_CONFIG. */
__attribute__((format(printf, 4, 5))) enum fovea_result config_text_fail(
    const struct config_text *text, size_t offset, const char *path, const char *format, ...);
