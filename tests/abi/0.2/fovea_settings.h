/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header of version 0.2 without its comments: programs that were built with it still run.
 * It stays as it is (tests/test_abi.py). */
#ifndef FOVEA_SETTINGS_H
#define FOVEA_SETTINGS_H
#include "fovea_base.h"
#ifdef __cplusplus
extern "C" {
#endif
struct fovea_settings;
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_create(
    struct fovea_settings **out_settings);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_copy(
    const struct fovea_settings *settings, struct fovea_settings **out_copy);
FOVEA_API void fovea_settings_destroy(struct fovea_settings **settings);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set(struct fovea_settings *settings,
                                                                const char *path, const char *value,
                                                                struct fovea_log log);
#define FOVEA_SETTING_TEXT_MAX 32768
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_get(
    const struct fovea_settings *settings, const char *path, char *out_text, size_t size);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_double(
    struct fovea_settings *settings, const char *path, double value, struct fovea_log log);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_get_double(
    const struct fovea_settings *settings, const char *path, double *out_value);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_check(
    const struct fovea_settings *settings, struct fovea_log log);
enum fovea_transfer {
    FOVEA_TRANSFER_SRGB = 0,
    FOVEA_TRANSFER_PQ = 1,
    FOVEA_TRANSFER_HLG = 2,
};
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_transfer(
    struct fovea_settings *settings, enum fovea_transfer transfer);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_map(struct fovea_settings *settings,
                                                                    const float *values,
                                                                    uint32_t width,
                                                                    uint32_t height);
enum fovea_setting_type {
    FOVEA_SETTING_BOOL = 0,
    FOVEA_SETTING_INTEGER = 1,
    FOVEA_SETTING_NUMBER = 2,
    FOVEA_SETTING_WORD = 3,
    FOVEA_SETTING_TEXT = 4,
    FOVEA_SETTING_FILE = 5,
    FOVEA_SETTING_KEYS = 6,
    FOVEA_SETTING_LIST = 7,
};
struct fovea_setting {
    size_t struct_bytes;
    const char *path;
    const char *help;
    const char *unit;
    enum fovea_setting_type type;
    uint32_t elements;
    double least;
    double most;
    bool above_least;
    bool below_most;
    bool or_zero;
    uint8_t reserved[5];
    const char *const *words;
    char expected[384];
    char default_text[384];
};
static inline void fovea_setting_init(struct fovea_setting *setting)
{
    memset(setting, 0, sizeof *setting);
    setting->struct_bytes = sizeof *setting;
}
FOVEA_API size_t fovea_setting_count(void);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_setting_info(size_t index,
                                                                struct fovea_setting *out_setting);
enum fovea_backend {
    FOVEA_BACKEND_AUTO = 0,
    FOVEA_BACKEND_CUDA = 1,
    FOVEA_BACKEND_VULKAN = 2,
    FOVEA_BACKEND_CPU = 3,
};
FOVEA_API const char *fovea_backend_name(enum fovea_backend backend);
struct fovea_geometry {
    double tan_left;
    double tan_right;
    double tan_up;
    double tan_down;
    double ppd;
    double screen_width_m;
    double distance_m;
};
enum fovea_map_eye {
    FOVEA_MAP_EYE_BOTH = 0,
    FOVEA_MAP_EYE_LEFT = 1,
    FOVEA_MAP_EYE_RIGHT = 2,
};
struct fovea_config_desc {
    size_t struct_bytes;
    const char *file;
    const char *const *sets;
    size_t set_count;
    const char *program_name;
    bool ignore_environment;
    bool ignore_changes;
    bool defaults_if_wrong;
    uint8_t reserved[5];
    const struct fovea_settings *defaults;
    struct fovea_log log;
};
static inline void fovea_config_desc_init(struct fovea_config_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}
struct fovea_config;
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_create(
    const struct fovea_config_desc *desc, struct fovea_config **out_config);
FOVEA_API void fovea_config_destroy(struct fovea_config **config);
FOVEA_API const struct fovea_settings *fovea_config_settings(const struct fovea_config *config);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_poll(struct fovea_config *config);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_reload(struct fovea_config *config);
#ifdef __cplusplus
}
#endif
#endif
