/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "document.h"

#include "core/log.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

struct config_place config_text_place(const struct config_text *text, size_t offset)
{
    struct config_place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < offset && i < text->count; i++) {
        if (text->bytes[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((uint8_t)text->bytes[i] & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

enum fovea_result config_text_fail(const struct config_text *text, size_t offset, const char *path,
                                   const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *colon = path[0] ? ": " : "";
    if (text->lines) {
        struct config_place place = config_text_place(text, offset);
        log_error(text->log, "%s:%u:%u: %s%s%s", text->name, place.line, place.column, path, colon,
                  message);
    } else {
        log_error(text->log, "%s: %s%s%s", text->name, path, colon, message);
    }
    return FOVEA_ERROR_CONFIG;
}

enum fovea_result config_document_parse(const struct config_text *text,
                                        struct config_document *out_document)
{
    *out_document = (struct config_document){0};
    struct config_scan scan;
    FOVEA_TRY(config_scan(text, &scan));
    /* The scanner accepts nothing that cJSON refuses: what is left is memory. */
    cJSON *root = json_parse(scan.plain, text->count + 1, NULL, true);
    free(scan.plain);
    if (!root) {
        free(scan.spots);
        log_error(text->log, "%s: out of memory", text->name);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *out_document = (struct config_document){
        .text = *text, .root = root, .spots = scan.spots, .spot_count = scan.spot_count};
    return FOVEA_OK;
}

void config_document_finish(struct config_document *document)
{
    cJSON_Delete(document->root);
    free(document->spots);
    *document = (struct config_document){0};
}
