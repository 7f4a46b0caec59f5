/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The table of settings as programs see it. */

#include "object.h"

#include "core/struct_bytes.h"

#include <string.h>

/* Keys that say how a file is read, and those of single programs, belong to a file and not to the
 * settings. */
static bool is_setting(const struct config_key *key)
{
    return key->type > CONFIG_APPS;
}

static const struct config_key *setting_at(size_t index)
{
    for (size_t i = 0; i < config_key_count; i++) {
        if (is_setting(&config_keys[i]) && index-- == 0) {
            return &config_keys[i];
        }
    }
    return NULL;
}

/* Names end in their unit. */
static const char *unit_of(const char *path)
{
    static const struct {
        const char *end;
        const char *unit;
    } units[] = {
        {"_px", "px"},   {"_deg", "deg"}, {"_cpd", "cpd"},         {"_cd_m2", "cd/m2"},
        {".ppd", "ppd"}, {"_ms", "ms"},   {"_per_minute", "/min"}, {"_m", "m"},
        {"_mm", "mm"},   {"_s", "s"},     {"_diopters", "D"},
    };
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t end = strlen(units[i].end);
        if (length > end && strcmp(path + length - end, units[i].end) == 0) {
            return units[i].unit;
        }
    }
    return "";
}

static enum fovea_setting_type type_of(enum config_type type)
{
    switch (type) {
    case CONFIG_BOOL:
        return FOVEA_SETTING_BOOL;
    case CONFIG_U16:
    case CONFIG_U32:
    case CONFIG_U64:
        return FOVEA_SETTING_INTEGER;
    case CONFIG_DOUBLE:
        return FOVEA_SETTING_NUMBER;
    case CONFIG_ENUM:
        return FOVEA_SETTING_WORD;
    case CONFIG_PATH:
        return FOVEA_SETTING_FILE;
    case CONFIG_KEYS:
        return FOVEA_SETTING_KEYS;
    case CONFIG_OPERATORS:
        return FOVEA_SETTING_WORDS;
    case CONFIG_CURVE:
    case CONFIG_TABLE:
        return FOVEA_SETTING_LIST;
    default:
        return FOVEA_SETTING_TEXT;
    }
}

size_t fovea_setting_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        count += is_setting(&config_keys[i]) ? 1 : 0;
    }
    return count;
}

static void fill(const struct config_key *key, struct fovea_setting *setting)
{
    const struct fovea_settings *defaults = config_settings_standard();
    *setting = (struct fovea_setting){.path = key->path,
                                      .help = key->help,
                                      .unit = unit_of(key->path),
                                      .type = type_of(key->type),
                                      .elements = (uint32_t)config_key_elements(key),
                                      .least = key->min,
                                      .most = key->max,
                                      .above_least = key->min_excluded,
                                      .below_most = key->max_excluded,
                                      .or_zero = key->or_zero,
                                      .words = key->names};
    const struct config_words expected = config_key_expectation(key);
    _Static_assert(sizeof setting->expected >= sizeof expected.text, "words may be cut");
    memcpy(setting->expected, expected.text, sizeof expected.text);
    /* Defaults are short; a test asks for all of them. */
    if (!config_value_text(key, defaults, setting->default_text, sizeof setting->default_text)) {
        setting->default_text[0] = '\0';
    }
}

STRUCT_ENDS_WITH(struct fovea_setting, default_text);

enum fovea_result fovea_setting_info(size_t index, struct fovea_setting *out_setting)
{
    const struct config_key *key = setting_at(index);
    struct fovea_setting setting;
    if (!key || !out_setting) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    fill(key, &setting);
    return struct_give(out_setting, &setting, sizeof setting) ? FOVEA_OK
                                                              : FOVEA_ERROR_INVALID_ARGUMENT;
}
