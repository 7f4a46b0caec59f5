/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All sources share opening, closing and bad arguments; and there is the fixed source. */
#include "plugin/gaze/gaze_library.h"
#include "support/clock.h"
#include "test_gaze_support.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>

TEST(kinds_are_named_as_in_the_configuration)
{
    static const char *const names[] = {"fixed",  "mouse",    "scanpath", "saccades", "udp",
                                        "openxr", "saliency", "lsl",      "opengaze", "osc",
                                        "pupil",  "replay",   "neon"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_string_equal(gaze_kind_name((enum fovea_gaze_kind)i), names[i]);
    }
    assert_non_null(gaze_kind_name((enum fovea_gaze_kind)13));
    assert_non_null(gaze_kind_name((enum fovea_gaze_kind) - 1));
}

TEST(fixed_gaze_stays_for_ever)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
    settings.fixed = (struct fovea_point_uv){.x_uv = 0.25, .y_uv = 1.5};
    struct fovea_gaze_source *source = gaze_open(&settings);
    static const int64_t times[] = {0, 1, -5, INT64_MAX, INT64_MIN, 0};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        const struct fovea_gaze gaze = gaze_at(source, times[i]);
        assert_near(gaze.point.x_uv, 0.25, 0);
        assert_near(gaze.point.y_uv, 1.5, 0);
        assert_int_equal(gaze.state, FOVEA_GAZE_TRACKED);
        assert_true(gaze.usable);
        assert_int_equal(gaze.age_ns, 0);
        assert_near(gaze.rate_hz, 0, 0);
        assert_int_equal(gaze.sample_count + gaze.rejected_count, 0);
    }
    fovea_gaze_source_destroy(&source);
    assert_null(source);
}

TEST(missing_arguments_are_refused)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
    struct fovea_gaze_source *source = (struct fovea_gaze_source *)&source;
    const struct fovea_settings all = {.gaze = settings};
    struct fovea_gaze_source_desc desc;
    fovea_gaze_source_desc_init(&desc);
    assert_int_equal(fovea_gaze_source_create(NULL, &source), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(source);
    assert_int_equal(fovea_gaze_source_create(&desc, &source), FOVEA_ERROR_INVALID_ARGUMENT);
    desc.settings = &all;
    assert_int_equal(fovea_gaze_source_create(&desc, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    desc.struct_bytes = 0;
    assert_int_equal(fovea_gaze_source_create(&desc, &source), FOVEA_ERROR_INVALID_ARGUMENT);

    source = gaze_open(&settings);
    struct fovea_gaze gaze = {.age_ns = 77};
    assert_int_equal(fovea_gaze_source_read(NULL, 0, 1, 1, &gaze), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gaze_source_read(source, 0, 0, 1, &gaze), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gaze_source_read(source, 0, 1, 0, &gaze), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gaze_source_read(source, 0, 1, 1, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gaze.age_ns, 77);
    const struct fovea_gaze_sample sample = {.confidence = 1};
    assert_int_equal(fovea_gaze_source_push(NULL, &sample), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gaze_source_push(source, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gaze_source_udp_port(NULL), 0);
    fovea_gaze_source_destroy(&source);
    fovea_gaze_source_destroy(&source);
    fovea_gaze_source_destroy(NULL);
}

TEST(only_mouse_sources_take_samples)
{
    const struct fovea_gaze_sample sample = {.x = 0.5, .y = 0.5, .confidence = 1};
    static const enum fovea_gaze_kind kinds[] = {FOVEA_GAZE_FIXED, FOVEA_GAZE_SACCADES,
                                                 FOVEA_GAZE_UDP};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const struct fovea_gaze_settings settings = gaze_settings(kinds[i]);
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = gaze_open(&settings);
        assert_int_equal(fovea_gaze_source_push(source, &sample), FOVEA_ERROR_INVALID_STATE);
        const bool has_port = fovea_gaze_source_udp_port(source) != 0;
        assert_int_equal(has_port, kinds[i] == FOVEA_GAZE_UDP);
    }
}

static void assert_refused_as(enum fovea_result result, const struct fovea_gaze_settings *settings,
                              const char *name)
{
    struct gaze_logged logged;
    struct fovea_gaze_source *source = NULL;
    assert_int_equal(gaze_source_open(settings, gaze_logged_log(&logged), &source), result);
    assert_null(source);
    assert_int_equal(logged.count[FOVEA_LOG_ERROR], 1);
    assert_contains(logged.last[FOVEA_LOG_ERROR], name);
}

static void assert_refused(const struct fovea_gaze_settings *settings, const char *name)
{
    assert_refused_as(FOVEA_ERROR_INVALID_ARGUMENT, settings, name);
}

/* The last arguments make a kind's settings bad ones. */
#define REFUSED(kind, name, ...)                                                                   \
    do {                                                                                           \
        struct fovea_gaze_settings settings = gaze_settings(kind);                                 \
        __VA_ARGS__;                                                                               \
        assert_refused(&settings, name);                                                           \
    } while (0)

struct bad_setting {
    const char *name;
    size_t offset;
    double value;
};

#define BAD(name, field, value)                                                                    \
    {                                                                                              \
        name, offsetof(struct fovea_gaze_settings, field), value                                   \
    }

static const struct bad_setting BAD_NUMBERS[] = {
    BAD("gaze.validity.hold_ms", hold_ms, -1),
    BAD("gaze.validity.hold_ms", hold_ms, 60001),
    BAD("gaze.validity.hold_ms", hold_ms, NAN),
    BAD("gaze.validity.return_ms", return_ms, -0.001),
    BAD("gaze.validity.return_ms", return_ms, INFINITY),
    BAD("gaze.validity.min_confidence", min_confidence, 1.01),
    BAD("gaze.saccades.fixation_ms", saccades_fixation_ms, 49),
    BAD("gaze.saccades.amplitude_deg", saccades_amplitude_deg, 0),
    BAD("gaze.saccades.width_deg", saccades_width_deg, 181),
    BAD("gaze.saccades.blinks_per_minute", saccades_blinks_per_minute, -1),
    BAD("gaze.saliency.rate_hz", saliency_rate_hz, 0),
    BAD("gaze.saliency.dwell_ms", saliency_dwell_ms, 49),
    BAD("gaze.saliency.amplitude_deg", saliency_amplitude_deg, NAN),
    BAD("gaze.saliency.width_deg", saliency_width_deg, 171),
    BAD("gaze.saliency.inhibition_s", saliency_inhibition_s, 11),
    BAD("gaze.saliency.inhibition_deg", saliency_inhibition_deg, -1),
    BAD("gaze.saliency.center_deg", saliency_center_deg, 181),
    BAD("gaze.saliency.motion", saliency_motion, -1),
    BAD("gaze.fixed", fixed.x_uv, NAN),
    BAD("gaze.fixed", fixed.y_uv, INFINITY),
};

TEST(numbers_out_of_range_are_named)
{
    for (size_t i = 0; i < COUNT_OF(BAD_NUMBERS); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
        memcpy((char *)&settings + BAD_NUMBERS[i].offset, &BAD_NUMBERS[i].value, sizeof(double));
        assert_refused(&settings, BAD_NUMBERS[i].name);
    }
}

TEST(unknown_choices_are_named)
{
    REFUSED((enum fovea_gaze_kind)99, "gaze.source", (void)settings);
    REFUSED(FOVEA_GAZE_FIXED, "gaze.space", settings.space = (enum fovea_gaze_space)3);
    REFUSED(FOVEA_GAZE_FIXED, "gaze.origin", settings.origin = (enum fovea_gaze_origin) - 1);
    REFUSED(FOVEA_GAZE_FIXED, "gaze.over", settings.over = (enum fovea_gaze_over)2);
    REFUSED(FOVEA_GAZE_FIXED, "gaze.validity.fallback",
            settings.fallback = (enum fovea_gaze_fallback)4);
}

TEST(the_gaze_of_openxr_is_its_layers_alone)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_OPENXR);
    assert_refused_as(FOVEA_ERROR_UNSUPPORTED, &settings, "which only the OpenXR layer has");
}

TEST(text_without_end_or_content_is_named)
{
    REFUSED(FOVEA_GAZE_SCANPATH, "gaze.scanpath.file is empty", (void)settings);
    REFUSED(FOVEA_GAZE_SCANPATH, "gaze.scanpath.file",
            memset(settings.scanpath_file, 'a', sizeof settings.scanpath_file));
    REFUSED(FOVEA_GAZE_UDP, "gaze.screen_deg", settings.udp_format = FOVEA_UDP_OPENTRACK);
    REFUSED(FOVEA_GAZE_OSC, "gaze.source osc brings angles", (void)settings);
    REFUSED(FOVEA_GAZE_UDP, "gaze.udp.bind is empty", settings.udp_bind[0] = '\0');
    REFUSED(FOVEA_GAZE_UDP, "gaze.udp.bind",
            memset(settings.udp_bind, '1', sizeof settings.udp_bind));
}

/* Takes the place of the C library's: names are found out by nobody, and late. */
static atomic_int asked;
static atomic_int answered;

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's are reserved */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    if (hints->ai_flags & AI_NUMERICHOST) {
        *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
        return real(node, service, hints, found);
    }
    atomic_fetch_add(&asked, 1);
    rest_ms(300);
    atomic_fetch_add(&answered, 1);
    return EAI_AGAIN;
}

TEST(addresses_of_trackers_that_cannot_be_any_are_named)
{
    static const char *const bad[] = {"192.168.1.20:4242", "", "two words", "1.2.3.4.5", "::zz"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        REFUSED(FOVEA_GAZE_OPENGAZE, "gaze.opengaze.address",
                strcpy(settings.opengaze_address, bad[i]));
    }
}

TEST(nobody_waits_for_a_name)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_OPENGAZE);
    strcpy(settings.opengaze_address, "tracker.invalid");
    const int64_t start_ns = fovea_time_ns();
    struct fovea_gaze_source *source = gaze_open(&settings);
    for (int i = 0; i < 100 && atomic_load(&asked) == 0; i++) {
        (void)gaze_at(source, fovea_time_ns());
        rest_ms(1);
    }
    fovea_gaze_source_destroy(&source);
    assert_true(fovea_time_ns() - start_ns < INT64_C(250000000));
    assert_int_equal(atomic_load(&asked), 1);
    assert_int_equal(atomic_load(&answered), 0);
    while (atomic_load(&answered) == 0) { /* its thread is still in the library of C */
        rest_ms(10);
    }
}

TEST(one_sample_that_cannot_be_uv_is_warned_of)
{
    static const struct {
        enum fovea_gaze_space space;
        enum fovea_gaze_origin origin;
        double y;
        unsigned warnings;
    } cases[] = {
        {FOVEA_GAZE_SPACE_UV, FOVEA_GAZE_ORIGIN_TOP_LEFT, 3.01, 1},
        {FOVEA_GAZE_SPACE_UV, FOVEA_GAZE_ORIGIN_TOP_LEFT, 2.99, 0},
        {FOVEA_GAZE_SPACE_UV, FOVEA_GAZE_ORIGIN_BOTTOM_LEFT, -2.01, 1},
        {FOVEA_GAZE_SPACE_UV, FOVEA_GAZE_ORIGIN_CENTER, 2.51, 1},
        {FOVEA_GAZE_SPACE_PIXELS, FOVEA_GAZE_ORIGIN_TOP_LEFT, 540, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
        settings.space = cases[i].space;
        settings.origin = cases[i].origin;
        struct gaze_logged logged;
        OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = NULL;
        assert_ok(gaze_source_open(&settings, gaze_logged_log(&logged), &source));
        const struct fovea_gaze_sample closed = {.y = 1e6, .confidence = 1, .blink = true};
        const struct fovea_gaze_sample sample = {.y = cases[i].y, .confidence = 1};
        assert_ok(fovea_gaze_source_push(source, &closed));
        assert_ok(fovea_gaze_source_push(source, &sample));
        assert_ok(fovea_gaze_source_push(source, &sample));
        assert_int_equal(logged.count[FOVEA_LOG_WARNING], cases[i].warnings);
        assert_true(!cases[i].warnings || strstr(logged.last[FOVEA_LOG_WARNING], "gaze.space"));
    }
}

TEST(a_library_that_is_missing_is_one_clear_message)
{
    static const struct {
        enum fovea_gaze_kind kind;
        const char *variable;
        const char *message;
    } cases[] = {{FOVEA_GAZE_LSL, "PYLSL_LIB", "pip install pylsl"},
                 {FOVEA_GAZE_PUPIL, "FOVEA_LIBZMQ", "install libzmq5"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(setenv(cases[i].variable, "/no/such/library.so", 1), 0);
        gaze_library_look();
        const struct fovea_gaze_settings settings = gaze_settings(cases[i].kind);
        assert_refused_as(FOVEA_ERROR_UNSUPPORTED, &settings, cases[i].message);
    }
}
