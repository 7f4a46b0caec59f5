/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "apply.h"

#include "core/log.h"
#include "key.h"
#include "value.h"
#include "words.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define APPS_MAX 256

struct walk {
    const struct config_document *document;
    struct fovea_settings *settings;
    bool top; /* "version", "apps" and "$schema" may come */
    /* The value at hand, for messages; the key's own path begins at key_at, behind the entry of
     * "apps" it lies in. */
    char path[512];
    size_t key_at;
};

static enum fovea_result apply_member(struct walk *walk, const cJSON *item, size_t number);

/* Returns the length to go back to with pop. */
static size_t push(struct walk *walk, const char *name)
{
    size_t length = strlen(walk->path);
    char shown[FOVEA_NAME_MAX];
    config_words_copy(shown, sizeof shown, name, strlen(name));
    config_words_add(walk->path, sizeof walk->path, "%s%s", length ? "." : "",
                     shown[0] ? shown : "\"\"");
    return length;
}

static void pop(struct walk *walk, size_t length)
{
    walk->path[length] = 0;
}

static enum fovea_result check_not_twice(const struct walk *walk, const cJSON *object,
                                         size_t object_number, const cJSON *item, size_t number)
{
    const struct config_document *document = walk->document;
    size_t earlier = object_number + 1;
    for (const cJSON *other = object->child; other != item; other = other->next) {
        if (strcmp(other->string, item->string) == 0) {
            size_t first = document->spots[earlier].name;
            return config_text_fail(
                &document->text, document->spots[number].name, walk->path,
                "given twice; first on line %u",
                json_place_of(document->text.bytes, document->text.count, first).line);
        }
        earlier = document->spots[earlier].next;
    }
    return FOVEA_OK;
}

static enum fovea_result apply_object(struct walk *walk, const cJSON *object, size_t number)
{
    size_t child_number = number + 1;
    for (const cJSON *item = object->child; item; item = item->next) {
        size_t length = push(walk, item->string);
        FOVEA_TRY(check_not_twice(walk, object, number, item, child_number));
        FOVEA_TRY(apply_member(walk, item, child_number));
        pop(walk, length);
        child_number = walk->document->spots[child_number].next;
    }
    return FOVEA_OK;
}

static enum fovea_result apply_key(struct walk *walk, const struct config_key *key,
                                   const cJSON *item, size_t number)
{
    const struct config_text *text = &walk->document->text;
    const struct json_spot *spot = &walk->document->spots[number];
    struct config_value value = {.item = item,
                                 .bytes = text->bytes + spot->begin,
                                 .count = spot->end - spot->begin,
                                 .local = text->local};
    struct config_words complaint;
    if (!config_value_store(key, &value, text->directory, walk->settings, &complaint)) {
        return config_text_fail(text, spot->begin, walk->path, "%s", complaint.text);
    }
    return FOVEA_OK;
}

static enum fovea_result apply_group(struct walk *walk, const cJSON *item, size_t number)
{
    if (!cJSON_IsObject(item)) {
        const struct config_text *text = &walk->document->text;
        const struct json_spot *spot = &walk->document->spots[number];
        struct config_quote quote =
            config_quote(text->bytes + spot->begin, spot->end - spot->begin);
        const char *group = walk->path + walk->key_at;
        const char *first = *group ? config_group_first(group) : NULL;
        return config_text_fail(text, spot->begin, walk->path, "expected an object; found %s%s%s",
                                quote.text, first ? "; one of its keys is " : "",
                                first ? first : "");
    }
    return apply_object(walk, item, number);
}

static enum fovea_result apply_member(struct walk *walk, const cJSON *item, size_t number)
{
    const struct config_document *document = walk->document;
    const char *path = walk->path + walk->key_at;
    bool dotted = item->string && strchr(item->string, '.');
    const struct config_key *key = dotted ? NULL : config_key_find(path);
    if (key && (key->type > CONFIG_APPS || walk->top)) {
        return apply_key(walk, key, item, number);
    }
    if (dotted) {
        return config_text_fail(&document->text, document->spots[number].name, walk->path,
                                "unknown key; write objects in each other instead of dots");
    }
    if (key || !config_group_first(path)) {
        return config_unknown_key(&document->text, document->spots[number].name, walk->path,
                                  walk->key_at, walk->top);
    }
    return apply_group(walk, item, number);
}

enum fovea_result config_apply_file(const struct config_document *document,
                                    struct fovea_settings *settings)
{
    struct walk walk = {.document = document, .settings = settings, .top = true};
    return apply_member(&walk, document->root, 0);
}

enum fovea_result config_apply_at(const struct config_document *document, const char *path,
                                  struct fovea_settings *settings)
{
    struct walk walk = {.document = document, .settings = settings};
    config_words_copy(walk.path, sizeof walk.path, path, strlen(path));
    return apply_member(&walk, document->root, 0);
}

static bool is_of_program(const char *pattern, const struct program_names *names)
{
    return fnmatch(pattern, names->name, 0) == 0 ||
           (names->script[0] && fnmatch(pattern, names->script, 0) == 0);
}

/* Entries that do not match are checked too: a slip shows before the program comes. */
static enum fovea_result apply_entry(const struct walk *walk, const cJSON *entry, size_t number,
                                     const struct program_names *names, size_t *match_count)
{
    static const char prefix[] = "exe:";
    const char *pattern = entry->string + sizeof prefix - 1;
    if (strncmp(entry->string, prefix, sizeof prefix - 1) != 0 || !*pattern) {
        return config_text_fail(&walk->document->text, walk->document->spots[number].name,
                                walk->path, "expected \"exe:\" and a pattern of a program's name");
    }
    struct fovea_settings *scratch = malloc(sizeof *scratch);
    if (!scratch) {
        log_error(walk->document->text.log, "configuration: out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *scratch = *walk->settings;
    struct walk inner = *walk;
    inner.settings = scratch;
    inner.key_at = strlen(inner.path) + 1;
    const enum fovea_result result = apply_group(&inner, entry, number);
    if (result == FOVEA_OK && is_of_program(pattern, names)) {
        *walk->settings = *scratch;
        *match_count += 1;
    }
    free(scratch);
    return result;
}

static enum fovea_result apply_entries(struct walk *walk, const cJSON *apps, size_t number,
                                       const struct program_names *names, size_t *match_count)
{
    size_t entry_number = number + 1;
    size_t count = 0;
    for (const cJSON *entry = apps->child; entry; entry = entry->next) {
        size_t length = push(walk, entry->string);
        if (++count > APPS_MAX) {
            return config_text_fail(&walk->document->text, walk->document->spots[entry_number].name,
                                    walk->path, "expected at most %d entries", APPS_MAX);
        }
        FOVEA_TRY(check_not_twice(walk, apps, number, entry, entry_number));
        FOVEA_TRY(apply_entry(walk, entry, entry_number, names, match_count));
        pop(walk, length);
        entry_number = walk->document->spots[entry_number].next;
    }
    return FOVEA_OK;
}

enum fovea_result config_apply_apps(const struct config_document *document,
                                    const struct program_names *names,
                                    struct fovea_settings *settings, size_t *match_count)
{
    struct walk walk = {.document = document, .settings = settings};
    size_t number = 1;
    for (const cJSON *item = document->root->child; item; item = item->next) {
        if (strcmp(item->string, "apps") == 0) {
            push(&walk, item->string);
            return apply_entries(&walk, item, number, names, match_count);
        }
        number = document->spots[number].next;
    }
    return FOVEA_OK;
}
