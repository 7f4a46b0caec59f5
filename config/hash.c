/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "hash.h"

#include "core/log.h"
#include "object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH_START UINT64_C(14695981039346656037)
#define HASH_FACTOR UINT64_C(1099511628211)

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * HASH_FACTOR;
    }
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_bytes(hash, text, strlen(text));
}

static bool counts(const struct config_key *key)
{
    return key->type > CONFIG_APPS && strncmp(key->path, "record.", strlen("record.")) != 0 &&
           strncmp(key->path, "log.", strlen("log.")) != 0;
}

static uint64_t hash_map(uint64_t hash, const struct fovea_map *map)
{
    if (map->kind != FOVEA_MAP_ARRAY || !map->values) {
        return hash;
    }
    hash = hash_bytes(hash, &map->width, sizeof map->width);
    hash = hash_bytes(hash, &map->height, sizeof map->height);
    return hash_bytes(hash, map->values, (size_t)map->width * map->height * sizeof map->values[0]);
}

/* No file says it, and what a file gives back has the file's hash: sRGB adds nothing. */
static uint64_t hash_transfer(uint64_t hash, enum fovea_transfer transfer)
{
    const uint32_t number = (uint32_t)transfer;
    return transfer == FOVEA_TRANSFER_SRGB ? hash : hash_bytes(hash, &number, sizeof number);
}

/* A file is the same from wherever its settings are read. False: there is no such name. */
static bool find_file(const char *path, char *out, size_t bytes)
{
    char folder[FOVEA_PATH_MAX] = "";
    const bool is_near = path[0] != '\0' && path[0] != '/';
    if (is_near && !getcwd(folder, sizeof folder)) {
        return false;
    }
    const int length = snprintf(out, bytes, "%s%s%s", folder, is_near ? "/" : "", path);
    return length >= 0 && (size_t)length < bytes;
}

/* Does as config_value_text, but for files. */
static bool write_value(const struct config_key *key, const struct fovea_settings *settings,
                        char *out, size_t bytes)
{
    return key->type == CONFIG_PATH ? find_file((const char *)settings + key->offset, out, bytes)
                                    : config_value_text(key, settings, out, bytes);
}

enum fovea_result config_settings_hash(const struct fovea_settings *settings, uint64_t *out_hash)
{
    uint64_t hash = HASH_START;
    char *text = malloc(FOVEA_SETTING_TEXT_MAX);
    FOVEA_TRY_MEMORY(text);
    for (size_t i = 0; i < config_key_count; i++) {
        if (counts(&config_keys[i]) &&
            write_value(&config_keys[i], settings, text, FOVEA_SETTING_TEXT_MAX)) {
            hash = hash_text(hash, config_keys[i].path);
            hash = hash_text(hash_text(hash_text(hash, "="), text), "\n");
        }
    }
    free(text);
    hash = hash_transfer(hash, settings->foveation.transfer);
    *out_hash = hash_map(hash, &settings->foveation.map);
    return FOVEA_OK;
}

enum fovea_result fovea_settings_hash(const struct fovea_settings *settings, uint64_t *out_hash)
{
    if (!settings || !out_hash) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return config_settings_hash(settings, out_hash);
}

/* ---- A file of them ---- */

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        const unsigned char code = (unsigned char)*text;
        if (code < ' ') {
            fprintf(file, "\\u%04x", code);
        } else {
            fprintf(file, code == '"' || code == '\\' ? "\\%c" : "%c", code);
        }
    }
    fputc('"', file);
}

/* "foveate,blur" as an array of strings. */
static void put_operators(FILE *file, const char *text)
{
    fputs("[\"", file);
    for (; *text; text++) {
        fputs(*text == ',' ? "\", \"" : (const char[]){*text, '\0'}, file);
    }
    fputs("\"]", file);
}

/* Writes what config_value_text gave as JSON. */
static void put_value(FILE *file, const struct config_key *key,
                      const struct fovea_settings *settings, const char *text)
{
    switch (key->type) {
    case CONFIG_PATH:
        put_string(file, text);
        break;
    case CONFIG_STRING:
    case CONFIG_KEYS:
        put_string(file, (const char *)settings + key->offset);
        break;
    case CONFIG_ENUM:
        put_string(file, text);
        break;
    case CONFIG_OPERATORS:
        put_operators(file, text);
        break;
    case CONFIG_TABLE:
        fputs(text[0] ? text : "\"\"", file);
        break;
    default:
        fputs(text, file);
    }
}

/* Groups are objects, as keys of one group follow each other in the table. Returns how many names
 * the two paths begin with together, of which the last of either is no group. */
static size_t shared_groups(const char *before, const char *path)
{
    size_t groups = 0;
    for (size_t i = 0; path[i] && path[i] == before[i]; i++) {
        groups += path[i] == '.';
    }
    return groups;
}

static size_t groups_of(const char *path)
{
    size_t groups = 0;
    for (; *path; path++) {
        groups += *path == '.';
    }
    return groups;
}

static void put_indent(FILE *file, size_t depth)
{
    fprintf(file, "\n%*s", 4 * (int)(depth + 1), "");
}

/* Closes the groups that end and opens those that begin; leaves the file before the value. */
static void put_path(FILE *file, const char *before, const char *path)
{
    const size_t shared = shared_groups(before, path);
    size_t depth = 0;
    for (size_t open = groups_of(before); open > shared; open--) {
        put_indent(file, open - 1);
        fputc('}', file);
    }
    fputc(',', file);
    for (const char *name = path; *name; depth++) {
        const size_t length = strcspn(name, ".");
        const bool group = name[length] == '.';
        if (depth >= shared || !group) {
            put_indent(file, depth);
            fprintf(file, "\"%.*s\": %s", (int)length, name, group ? "{" : "");
        }
        name += length + (group ? 1 : 0);
        name += group ? 0 : strlen(name);
    }
}

static void put_settings(FILE *file, const struct fovea_settings *settings, uint64_t hash,
                         char *text)
{
    const char *before = "";
    fprintf(file, "// Settings of Fovea %d.%d.%d, hash %016llx\n{\n    \"version\": 1",
            FOVEA_VERSION_MAJOR, FOVEA_VERSION_MINOR, FOVEA_VERSION_PATCH,
            (unsigned long long)hash);
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        if (key->type > CONFIG_APPS && strncmp(key->path, "record.", strlen("record.")) != 0 &&
            write_value(key, settings, text, FOVEA_SETTING_TEXT_MAX)) {
            put_path(file, before, key->path);
            put_value(file, key, settings, text);
            before = key->path;
        }
    }
    for (size_t open = groups_of(before); open > 0; open--) {
        put_indent(file, open - 1);
        fputc('}', file);
    }
    fputs("\n}\n", file);
}

static bool write_file(const struct fovea_settings *settings, const char *name, uint64_t hash,
                       char *text)
{
    FILE *file = fopen(name, "we");
    if (!file) {
        return false;
    }
    put_settings(file, settings, hash, text);
    bool good = !ferror(file);
    good = fflush(file) == 0 && good;
    const int error = errno;
    good = fclose(file) == 0 && good;
    errno = errno ? errno : error;
    return good;
}

enum fovea_result fovea_settings_save(const struct fovea_settings *settings, const char *file,
                                      struct fovea_log log)
{
    uint64_t hash = 0;
    if (!settings || !file) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    char *text = malloc(FOVEA_SETTING_TEXT_MAX);
    enum fovea_result result =
        text ? config_settings_hash(settings, &hash) : FOVEA_ERROR_OUT_OF_MEMORY;
    if (result == FOVEA_OK && !write_file(settings, file, hash, text)) {
        log_error(log, "%s: %s", file, strerror(errno));
        result = FOVEA_ERROR_IO;
    }
    free(text);
    return result;
}
