/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_gaze_support.h"

struct fovea_gaze_settings gaze_settings(enum fovea_gaze_kind kind)
{
    struct fovea_gaze_settings settings = fovea_settings_default().gaze;
    settings.kind = kind;
    settings.udp_port = settings.osc_port = 0;
    return settings;
}

struct fovea_gaze_settings gaze_filtering(enum fovea_gaze_smooth smooth, double velocity_deg_s)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_MOUSE);
    settings.screen_deg[0] = 48;
    settings.screen_deg[1] = 28;
    settings.filter_smooth = smooth;
    settings.filter_velocity_deg_s = velocity_deg_s;
    return settings;
}

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;

static void record(void *user, enum fovea_log_level level, const char *message)
{
    struct gaze_logged *logged = user;
    pthread_mutex_lock(&log_mutex);
    logged->count[level]++;
    snprintf(logged->last[level], sizeof logged->last[level], "%s", message);
    pthread_mutex_unlock(&log_mutex);
}

struct fovea_log gaze_logged_log(struct gaze_logged *logged)
{
    memset(logged, 0, sizeof *logged);
    return (struct fovea_log){.fn = record, .user = logged};
}

struct fovea_gaze_source *gaze_open(const struct fovea_gaze_settings *settings)
{
    static struct gaze_logged logged; /* the source's thread writes to it after this returns */
    struct fovea_gaze_source *source = NULL;
    const enum fovea_result result = gaze_source_open(settings, gaze_logged_log(&logged), &source);
    assert_that(result == FOVEA_OK && source, "create returned %d: %s", result,
                logged.last[FOVEA_LOG_ERROR]);
    return source;
}

struct fovea_gaze gaze_at(struct fovea_gaze_source *source, int64_t t_ns)
{
    struct fovea_gaze gaze = {.age_ns = -1};
    assert_ok(fovea_gaze_source_read(source, t_ns, 1280, 720, &gaze));
    assert_that(isfinite(gaze.point.x_uv) && isfinite(gaze.point.y_uv) && gaze.age_ns >= 0,
                "gaze %g, %g of age %lld", gaze.point.x_uv, gaze.point.y_uv,
                (long long)gaze.age_ns);
    return gaze;
}

const char *gaze_temporary(const char *name)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/fovea_%ld_%s", folder ? folder : "/tmp", (long)getpid(), name);
    return path;
}

void gaze_write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

void gaze_assert_near(const char *what, double value, double wanted, double tolerance,
                      const char *file, int line)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        print_error("%s is %.12g; wanted %.12g within %g\n", what, value, wanted, tolerance);
        _fail(file, line);
    }
}

void gaze_assert_contains(const char *text, const char *part, const char *file, int line)
{
    if (!text || !strstr(text, part)) {
        print_error("\"%s\" is not in \"%s\"\n", part, text ? text : "");
        _fail(file, line);
    }
}
