/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "object.h"

#include "apply.h"
#include "core/log.h"
#include "core/shared_data.h"
#include "value.h"
#include "words.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MAP_SIDE_MAX 4096

/* NULL: there are none, or there is no memory for them. */
static float *copy_values(const struct fovea_map *map)
{
    const bool usable = map->width <= MAP_SIDE_MAX && map->height <= MAP_SIDE_MAX;
    /* else the check says so */
    const size_t count = usable ? (size_t)map->width * map->height : 0;
    float *values = map->values ? malloc((count > 0 ? count : 1) * sizeof *values) : NULL;
    if (values) {
        memcpy(values, map->values, count * sizeof *values);
    }
    return values;
}

/* ---- What programs gave operators */

static const size_t data_at[] = {
#define OPERATOR_FILE(name, setting, help)                                                         \
    offsetof(struct fovea_settings, own.name##_##setting##_data),
#include "kernels/operators.def"
};

static struct shared_data **data_of(struct fovea_settings *settings, size_t index)
{
    return (struct shared_data **)(void *)((char *)settings + data_at[index]);
}

void config_settings_take(struct fovea_settings *owner, const struct fovea_settings *settings)
{
    struct shared_data *kept[sizeof data_at / sizeof data_at[0]];
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        kept[i] = *data_of(owner, i);
    }
    *owner = *settings;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        *data_of(owner, i) = kept[i];
    }
}

static void share_data(struct fovea_settings *settings)
{
    for (size_t i = 0; i < sizeof data_at / sizeof data_at[0]; i++) {
        shared_data_share(*data_of(settings, i));
    }
}

void config_settings_release(struct fovea_settings *settings)
{
    free(settings->foveation.map.own_values);
    settings->foveation.map.own_values = NULL;
    for (size_t i = 0; i < sizeof data_at / sizeof data_at[0]; i++) {
        shared_data_release(data_of(settings, i));
    }
}

/* ---- Create and destroy */

enum fovea_result config_settings_hold(struct fovea_settings *out_settings,
                                       const struct fovea_settings *settings)
{
    *out_settings = settings ? *settings : *config_settings_standard();
    struct fovea_map *map = &out_settings->foveation.map;
    map->own_values = copy_values(map);
    if (map->values && !map->own_values) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    map->values = map->own_values;
    share_data(out_settings);
    return FOVEA_OK;
}

static enum fovea_result make(const struct fovea_settings *settings,
                              struct fovea_settings **out_settings)
{
    struct fovea_settings *made = malloc(sizeof *made);
    FOVEA_TRY_MEMORY(made);
    const enum fovea_result result = config_settings_hold(made, settings);
    if (result < 0) {
        free(made);
        return result;
    }
    *out_settings = made;
    return FOVEA_OK;
}

enum fovea_result fovea_settings_create(struct fovea_settings **out_settings)
{
    if (!out_settings) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_settings = NULL;
    return make(NULL, out_settings);
}

enum fovea_result fovea_settings_copy(const struct fovea_settings *settings,
                                      struct fovea_settings **out_copy)
{
    if (!out_copy) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_copy = NULL;
    return settings ? make(settings, out_copy) : FOVEA_ERROR_INVALID_ARGUMENT;
}

void fovea_settings_destroy(struct fovea_settings **settings)
{
    if (!settings || !*settings) {
        return;
    }
    config_settings_release(*settings);
    free(*settings);
    *settings = NULL;
}

/* ---- Set and get */

enum fovea_result fovea_settings_set(struct fovea_settings *settings, const char *path,
                                     const char *value, struct fovea_log log)
{
    if (!settings || !path || !value) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_settings *fresh = malloc(sizeof *fresh);
    if (!fresh) {
        log_error(log, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *fresh = *settings;
    const enum fovea_result result =
        config_apply_value(path, value, "fovea_settings_set", log, fresh);
    if (result == FOVEA_OK) {
        *settings = *fresh;
    }
    free(fresh);
    return result;
}

static const struct config_key *find_setting(const char *path)
{
    const struct config_key *key = path ? config_key_find(path) : NULL;
    return key && key->type > CONFIG_APPS ? key : NULL;
}

enum fovea_result fovea_settings_get(const struct fovea_settings *settings, const char *path,
                                     char *out_text, size_t size)
{
    if (!settings || !path || !out_text || size == 0) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    out_text[0] = '\0';
    const struct config_key *key = find_setting(path);
    if (!key) {
        return FOVEA_ERROR_CONFIG;
    }
    if (!config_value_text(key, settings, out_text, size)) {
        out_text[0] = '\0';
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

static bool is_one_number(const struct config_key *key)
{
    return key->type >= CONFIG_BOOL && key->type <= CONFIG_DOUBLE && config_key_elements(key) == 1;
}

enum fovea_result fovea_settings_set_double(struct fovea_settings *settings, const char *path,
                                            double value, struct fovea_log log)
{
    const struct config_key *key = find_setting(path);
    if (!settings || !path || !isfinite(value)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (key && !is_one_number(key)) {
        log_error(log, "%s is not a number", path);
        return FOVEA_ERROR_CONFIG;
    }
    const bool is_bool = key && key->type == CONFIG_BOOL && (value == 0.0 || value == 1.0);
    return is_bool ? fovea_settings_set(settings, path, value == 0.0 ? "false" : "true", log)
                   : fovea_settings_set(settings, path, config_number(value).text, log);
}

enum fovea_result fovea_settings_get_double(const struct fovea_settings *settings, const char *path,
                                            double *out_value)
{
    const struct config_key *key = find_setting(path);
    if (!settings || !path || !out_value) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!key || !is_one_number(key)) {
        return FOVEA_ERROR_CONFIG;
    }
    *out_value = config_value_number(key, settings);
    return FOVEA_OK;
}

/* ---- What no text says */

enum fovea_result fovea_settings_set_transfer(struct fovea_settings *settings,
                                              enum fovea_transfer transfer)
{
    if (!settings || (unsigned)transfer > FOVEA_TRANSFER_HLG) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    settings->foveation.transfer = transfer;
    return FOVEA_OK;
}

enum fovea_result fovea_settings_set_map(struct fovea_settings *settings, const float *values,
                                         uint32_t width, uint32_t height)
{
    if (!settings || !values || width < 2 || width > MAP_SIDE_MAX || height < 2 ||
        height > MAP_SIDE_MAX) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_map *map = &settings->foveation.map;
    const struct fovea_map given = {.values = values, .width = width, .height = height};
    float *copy = copy_values(&given);
    FOVEA_TRY_MEMORY(copy);
    free(map->own_values);
    map->own_values = copy;
    map->kind = FOVEA_MAP_ARRAY;
    map->values = copy;
    map->width = width;
    map->height = height;
    return FOVEA_OK;
}
