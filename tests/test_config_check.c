/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_settings_check: settings that a program has filled in itself. */
#include "test_config_support.h"

#include "key.h"

#include <math.h>

static void assert_wrong(const struct fovea_settings *settings, const char *message)
{
    struct recorded recorded = {0};
    assert_result(fovea_settings_check(settings, recorded_log(&recorded)),
                  FOVEA_ERROR_INVALID_ARGUMENT);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], message);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
}

static void assert_right(const struct fovea_settings *settings)
{
    struct recorded recorded = {0};
    enum fovea_result result = fovea_settings_check(settings, recorded_log(&recorded));
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
}

static void the_defaults_are_right(void **state)
{
    (void)state;
    struct fovea_settings settings = fovea_settings_default();
    assert_right(&settings);
    struct fovea_log silent = {0};
    assert_result(fovea_settings_check(&settings, silent), FOVEA_OK);
}

static void null_is_wrong(void **state)
{
    (void)state;
    assert_wrong(NULL, "settings is NULL");
    struct fovea_log silent = {0};
    assert_result(fovea_settings_check(NULL, silent), FOVEA_ERROR_INVALID_ARGUMENT);
}

static void the_wrong_setting_is_named(void **state)
{
    (void)state;
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.paper.fragment_px = 3;
    assert_wrong(&settings, "foveation.paper.fragment_px is 3; it must be 4 to 128");

    settings = fovea_settings_default();
    settings.foveation.paper.ct0 = 1;
    assert_wrong(&settings, "foveation.paper.ct0 is 1; it must be above 0, below 1");

    settings = fovea_settings_default();
    settings.foveation.strength = NAN;
    assert_wrong(&settings, "foveation.strength is nan; it must be 0 to 8");

    settings = fovea_settings_default();
    settings.gaze.fixed.y_uv = INFINITY;
    assert_wrong(&settings, "gaze.fixed.y is inf; it must be -1000000 to 1000000");

    settings = fovea_settings_default();
    settings.backend = (enum fovea_backend)7;
    assert_wrong(&settings,
                 "backend is 7; it must be one of \"auto\", \"cuda\", \"vulkan\", \"cpu\"");

    settings = fovea_settings_default();
    settings.gaze.screen_px[1] = 70000;
    assert_wrong(&settings, "gaze.screen_px is [0, 70000]; it must be 0 to 65536");

    settings = fovea_settings_default();
    memset(settings.gaze.udp_bind, 'x', sizeof settings.gaze.udp_bind);
    assert_wrong(&settings, "gaze.udp.bind is "
                            "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"; "
                            "it must be at most 63 bytes");

    settings = fovea_settings_default();
    memset(&settings.overlay.hud, 0x55, sizeof settings.overlay.hud);
    assert_wrong(&settings, "overlay.hud is not a bool; it must be true or false");
}

static void set_number(struct fovea_settings *settings, const struct config_key *key, double value)
{
    unsigned char *member = (unsigned char *)settings + key->offset;
    if (key->type == CONFIG_DOUBLE) {
        memcpy(member, &value, sizeof value);
    } else {
        uint32_t u32 = (uint32_t)value;
        memcpy(member, &u32, sizeof u32);
    }
}

static double outside(const struct config_key *key, double bound, double direction)
{
    return key->type == CONFIG_DOUBLE ? nextafter(bound, direction)
                                      : bound + copysign(1, direction);
}

static void check_number(const struct config_key *key, double value, bool right)
{
    struct fovea_settings settings = fovea_settings_default();
    set_number(&settings, key, value);
    struct fovea_log silent = {0};
    print_message("%s = %.17g\n", key->path, value);
    assert_result(fovea_settings_check(&settings, silent),
                  right ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT);
}

static void ranges_end_where_they_say(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        if (key->type != CONFIG_DOUBLE && key->type != CONFIG_U32) {
            continue;
        }
        count++;
        check_number(key, key->min, !key->min_excluded);
        check_number(key, key->max, !key->max_excluded);
        check_number(key, outside(key, key->max, INFINITY), false);
        if (key->type == CONFIG_DOUBLE || key->min > 0) {
            check_number(key, outside(key, key->min, -INFINITY), false);
        }
        if (key->type == CONFIG_DOUBLE) {
            check_number(key, nextafter(key->min, INFINITY), true);
            check_number(key, nextafter(key->max, -INFINITY), true);
            check_number(key, NAN, false);
            check_number(key, INFINITY, false);
            check_number(key, -INFINITY, false);
        }
    }
    assert_in_range(count, 20, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_right),
        cmocka_unit_test(null_is_wrong),
        cmocka_unit_test(the_wrong_setting_is_named),
        cmocka_unit_test(ranges_end_where_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
