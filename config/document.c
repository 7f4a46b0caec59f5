/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "document.h"

#include "core/log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* cJSON 1.7 reads at most 63 characters of a number. */
#define NUMBER_MAX_BYTES 60
#define PROBLEM_BYTES 768

enum fovea_result config_text_fail(const struct config_text *text, size_t offset, const char *path,
                                   const char *format, ...)
{
    char message[PROBLEM_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *colon = path[0] ? ": " : "";
    if (text->lines) {
        const struct json_place place = json_place_of(text->bytes, text->count, offset);
        log_error(text->log, "%s:%u:%u: %s%s%s", text->name, place.line, place.column, path, colon,
                  message);
    } else {
        log_error(text->log, "%s: %s%s%s", text->name, path, colon, message);
    }
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result out_of_memory(const struct config_text *text)
{
    log_error(text->log, "%s: out of memory", text->name);
    return FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result check_bytes(const struct config_text *text)
{
    if (text->count > CONFIG_TEXT_MAX_BYTES) {
        return config_text_fail(text, 0, "", "expected at most %u bytes; found %zu",
                                CONFIG_TEXT_MAX_BYTES, text->count);
    }
    if (text->count >= 3 && memcmp(text->bytes, "\xef\xbb\xbf", 3) == 0) {
        return config_text_fail(text, 0, "", "expected UTF-8 without a byte order mark; found one");
    }
    for (size_t i = 0; i < text->count;) {
        size_t length = json_utf8_length(text->bytes + i, text->count - i);
        if (length == 0 || text->bytes[i] == 0) {
            return config_text_fail(text, i, "", "expected text in UTF-8; found the byte 0x%02x",
                                    (unsigned)(uint8_t)text->bytes[i]);
        }
        i += length;
    }
    return FOVEA_OK;
}

static bool numbers_are_short(struct json_scan *scan)
{
    for (size_t i = 0; i < scan->spots->count; i++) {
        const struct json_spot *spot = &scan->spots->all[i];
        if (spot->end - spot->begin > NUMBER_MAX_BYTES &&
            strchr("-0123456789", scan->bytes[spot->begin])) {
            return json_fail_at(scan, spot->begin, "expected a number of at most %d characters",
                                NUMBER_MAX_BYTES);
        }
    }
    return true;
}

static bool pass_text(struct json_scan *scan)
{
    if (json_space(scan) && scan->at == scan->count) {
        return json_fail_at(scan, 0, "expected at least {}; found nothing");
    }
    return json_pass(scan) && json_end(scan) && numbers_are_short(scan);
}

/* Finds the values' places, and puts spaces for the comments of `plain`. */
static enum fovea_result find_spots(const struct config_text *text, char *plain,
                                    struct json_spots *spots)
{
    char problem[PROBLEM_BYTES] = "";
    struct json_scan scan = {.bytes = text->bytes,
                             .count = text->count,
                             .plain = plain,
                             .spots = spots,
                             .has_places = text->lines,
                             .problem = problem,
                             .problem_bytes = sizeof problem};
    if (pass_text(&scan)) {
        return FOVEA_OK;
    }
    if (spots->no_memory) {
        return out_of_memory(text);
    }
    log_error(text->log, "%s:%s%s", text->name, text->lines ? "" : " ", problem);
    return FOVEA_ERROR_CONFIG;
}

static enum fovea_result parse(const struct config_text *text, char *plain,
                               struct config_document *document)
{
    struct json_spots spots = {0};
    enum fovea_result result = find_spots(text, plain, &spots);
    if (result == FOVEA_OK) {
        /* The scanner accepts nothing that cJSON refuses: what is left is memory. */
        document->root = json_parse(plain, text->count + 1, NULL, true);
        result = document->root ? FOVEA_OK : out_of_memory(text);
    }
    if (result < 0) {
        free(spots.all);
        return result;
    }
    document->text = *text;
    document->spots = spots.all;
    document->spot_count = spots.count;
    return FOVEA_OK;
}

enum fovea_result config_document_parse(const struct config_text *text,
                                        struct config_document *out_document)
{
    *out_document = (struct config_document){0};
    FOVEA_TRY(check_bytes(text));
    char *plain = malloc(text->count + 1);
    if (!plain) {
        return out_of_memory(text);
    }
    memcpy(plain, text->bytes, text->count);
    plain[text->count] = 0;
    const enum fovea_result result = parse(text, plain, out_document);
    free(plain);
    return result;
}

void config_document_finish(struct config_document *document)
{
    cJSON_Delete(document->root);
    free(document->spots);
    *document = (struct config_document){0};
}
