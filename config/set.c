/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "apply.h"

#include "core/log.h"
#include "key.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

struct span {
    const char *bytes;
    size_t count;
};

static struct span trim(struct span span)
{
    while (span.count > 0 && (uint8_t)span.bytes[0] <= ' ') {
        span.bytes++;
        span.count--;
    }
    while (span.count > 0 && (uint8_t)span.bytes[span.count - 1] <= ' ') {
        span.count--;
    }
    return span;
}

static bool is_json(struct span value, bool wants_text)
{
    bool literal = (value.count == 4 && !strncmp(value.bytes, "true", 4)) ||
                   (value.count == 4 && !strncmp(value.bytes, "null", 4)) ||
                   (value.count == 5 && !strncmp(value.bytes, "false", 5));
    bool number = value.count > 0 && strchr("-0123456789", value.bytes[0]);
    bool marked = value.count > 0 && strchr("\"{[", value.bytes[0]);
    return marked || (!wants_text && (number || literal));
}

/* A bare word stands for the string of its letters. */
static enum fovea_result apply_word(const struct config_text *text, const char *path,
                                    struct fovea_settings *settings)
{
    char *word = strndup(text->bytes, text->count);
    if (!word) {
        log_error(text->log, "%s: out of memory", text->name);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    cJSON item = {.type = cJSON_String, .valuestring = word};
    struct json_spot spot = {.end = (uint32_t)text->count, .next = 1};
    struct config_document document = {
        .text = *text, .root = &item, .spots = &spot, .spot_count = 1};
    enum fovea_result result = config_apply_at(&document, path, settings);
    free(word);
    return result;
}

static enum fovea_result apply_json(const struct config_text *text, const char *path,
                                    struct fovea_settings *settings)
{
    struct config_document document;
    FOVEA_TRY(config_document_parse(text, &document));
    enum fovea_result result = config_apply_at(&document, path, settings);
    config_document_finish(&document);
    return result;
}

/* If it does not exist, cuts the path behind the first name that is wrong: the message is about
 * that one. */
static bool path_is_known(char *path)
{
    size_t end = strcspn(path, ".");
    for (;;) {
        char after = path[end];
        path[end] = 0;
        const struct config_key *key = config_key_find(path);
        bool holds_value = key && key->type > CONFIG_APPS;
        if (holds_value && after) {
            path[end] = after;
            path[end + 1 + strcspn(path + end + 1, ".")] = 0;
            return false;
        }
        if (!holds_value && (key || !path[0] || !config_group_first(path))) {
            return false;
        }
        if (!after) {
            return true;
        }
        path[end] = after;
        end += 1 + strcspn(path + end + 1, ".");
    }
}

static enum fovea_result apply_pair(const struct config_text *text, struct span name,
                                    struct fovea_settings *settings)
{
    char path[256];
    config_words_copy(path, sizeof path, name.bytes, name.count);
    if (!path_is_known(path)) {
        return config_unknown_key(text, 0, path, 0, false);
    }
    const struct config_key *key = config_key_find(path);
    bool wants_text = key && (key->type == CONFIG_STRING || key->type == CONFIG_PATH ||
                              key->type == CONFIG_KEYS || key->type == CONFIG_ENUM);
    struct span value = {text->bytes, text->count};
    return is_json(value, wants_text) ? apply_json(text, path, settings)
                                      : apply_word(text, path, settings);
}

enum fovea_result config_apply_value(const char *path, const char *value, const char *said_by,
                                     struct fovea_log log, struct fovea_settings *settings)
{
    char name[192] = "";
    const struct span shown = trim((struct span){value, strlen(value)});
    config_words_add(name, sizeof name, "%s \"%s=%s\"", said_by,
                     config_quote(path, strlen(path)).text,
                     config_quote(shown.bytes, shown.count).text);
    const struct config_text text = {
        .name = name, .directory = "", .bytes = shown.bytes, .count = shown.count, .log = log};
    if (shown.count > CONFIG_TEXT_MAX_BYTES) {
        return config_text_fail(&text, 0, "", "expected at most %u bytes", CONFIG_TEXT_MAX_BYTES);
    }
    return apply_pair(&text, (struct span){path, strlen(path)}, settings);
}

#define WANTED "expected key.path=value"

/* wanted: what is said where there is no =. */
static enum fovea_result apply_set(const char *set, size_t count, const char *said_by,
                                   const char *wanted, struct fovea_log log,
                                   struct fovea_settings *settings)
{
    char name[128] = "";
    struct span all = trim((struct span){set, count});
    config_words_add(name, sizeof name, "%s \"%s\"", said_by,
                     config_quote(all.bytes, all.count).text);
    const char *equals = memchr(all.bytes, '=', all.count);
    struct config_text text = {.name = name, .directory = "", .bytes = all.bytes, .log = log};
    if (all.count > CONFIG_TEXT_MAX_BYTES) {
        return config_text_fail(&text, 0, "", "expected at most %u bytes", CONFIG_TEXT_MAX_BYTES);
    }
    if (!equals || equals == all.bytes) {
        return config_text_fail(&text, 0, "", "%s", wanted);
    }
    struct span path = trim((struct span){all.bytes, (size_t)(equals - all.bytes)});
    struct span value =
        trim((struct span){equals + 1, all.count - (size_t)(equals + 1 - all.bytes)});
    text.bytes = value.bytes;
    text.count = value.count;
    return apply_pair(&text, path, settings);
}

enum fovea_result config_apply_set(const char *set, size_t count, const char *said_by,
                                   struct fovea_log log, struct fovea_settings *settings)
{
    return apply_set(set, count, said_by, WANTED, log, settings);
}

/* Bytes of the first setting of a list: up to a comma that is in no string, array or object. */
static size_t first_length(const char *sets)
{
    size_t depth = 0;
    bool string = false;
    size_t i = 0;
    for (; sets[i] && (sets[i] != ',' || string || depth > 0); i++) {
        char c = sets[i];
        if (c == '\\' && string && sets[i + 1]) {
            i++;
        } else if (c == '"') {
            string = !string;
        } else if (!string && (c == '{' || c == '[')) {
            depth++;
        } else if (!string && (c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return i;
}

enum fovea_result config_apply_set_list(const char *sets, const char *said_by, struct fovea_log log,
                                        struct fovea_settings *settings)
{
    const char *wanted = WANTED;
    for (;;) {
        size_t length = first_length(sets);
        FOVEA_TRY(apply_set(sets, length, said_by, wanted, log, settings));
        if (!sets[length]) {
            return FOVEA_OK;
        }
        sets += length + 1;
        wanted = WANTED "; a value with a comma needs quotes or brackets here";
    }
}
