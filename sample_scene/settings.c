/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "settings.h"

#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_live(enum fovea_gaze_kind kind)
{
    return kind == FOVEA_GAZE_MOUSE || kind == FOVEA_GAZE_UDP;
}

static bool is_there(const char *folder, const char *file)
{
    char path[FOVEA_PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

/* In one of the places where Fovea looks; docs/configuration.md. */
static bool user_has_file(void)
{
    const char *named = getenv("FOVEA_CONFIG");
    const char *base = getenv("XDG_CONFIG_HOME");
    const char *file = "fovea/fovea.json";
    if (!base || base[0] != '/') {
        base = getenv("HOME");
        file = ".config/fovea/fovea.json";
    }
    return (named && *named) || is_there(".", "fovea.json") ||
           (base && base[0] == '/' && is_there(base, file)) || is_there("/etc", "fovea/fovea.json");
}

/* NULL: what Fovea finds. Where that is nothing, pictures have a scanpath, and a window its
 * mouse. */
static const char *config_file(const struct options *options)
{
    if (options->config) {
        return options->config;
    }
    return options->window || user_has_file() ? NULL : DEMO_CONFIG;
}

/* In a window the mouse is at hand: better than the default, a gaze that stays in the middle. */
static bool prefer_mouse(const struct options *options, const struct fovea_gaze_settings *gaze)
{
    return options->window && !options->gaze_given && !options->config &&
           gaze->kind == FOVEA_GAZE_FIXED;
}

static bool open_config(const struct options *options, struct fovea_config **out_config)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.file = config_file(options);
    desc.sets = options->sets;
    desc.set_count = options->set_count;
    desc.program_name = "fovea_demo";
    desc.ignore_changes = !options->window;
    desc.log = say_log(FOVEA_LOG_INFO); /* also which files were read */
    return fovea_config_create(&desc, out_config) >= 0;
}

bool settings_init(struct settings *settings, const struct options *options)
{
    if (!open_config(options, &settings->config)) {
        return false;
    }
    settings->now = *fovea_config_settings(settings->config);
    settings->file_gaze = settings->now.gaze;
    if (prefer_mouse(options, &settings->now.gaze)) {
        settings->now.gaze.kind = FOVEA_GAZE_MOUSE;
    }
    return settings_open_gaze(settings);
}

/* A source goes on undisturbed when the files say the same about the gaze as before. */
static void take_files(struct settings *settings)
{
    struct fovea_gaze_settings gaze = settings->now.gaze;
    settings->now = *fovea_config_settings(settings->config);
    struct fovea_gaze_settings file_gaze = settings->now.gaze;
    bool same = memcmp(&file_gaze, &settings->file_gaze, sizeof file_gaze) == 0;
    if (same || !settings_open_gaze(settings)) {
        settings->now.gaze = gaze;
    }
    settings->file_gaze = file_gaze;
}

bool settings_poll(struct settings *settings)
{
    if (fovea_config_poll(settings->config) != FOVEA_OK) {
        return false; /* unchanged; or wrong, and the log has said why */
    }
    take_files(settings);
    say_note("new settings are in force");
    return true;
}

bool settings_reload(struct settings *settings, const struct options *options)
{
    struct fovea_config *config = NULL;
    if (!open_config(options, &config)) {
        return false;
    }
    fovea_config_destroy(&settings->config);
    settings->config = config;
    take_files(settings);
    say_note("the settings were read again");
    return true;
}

void settings_finish(struct settings *settings)
{
    fovea_gaze_source_destroy(&settings->source);
    fovea_config_destroy(&settings->config);
}

void settings_follow(struct settings *settings, struct foveation *follower)
{
    if (settings->follower) {
        foveation_follow(settings->follower, NULL);
    }
    settings->follower = follower;
    if (follower && settings->live) {
        foveation_follow(follower, settings->source);
    }
}

struct gaze_name settings_gaze_name(const struct fovea_settings *settings)
{
    struct gaze_name name = {"?"};
    const enum fovea_result result =
        fovea_settings_get(settings, "gaze.source", name.text, sizeof name.text);
    (void)result; /* there is such a setting */
    return name;
}

bool settings_open_gaze(struct settings *settings)
{
    struct fovea_gaze_source *source = NULL;
    if (settings->now.gaze.kind ==
        FOVEA_GAZE_MOUSE) { /* what the window pushes is uv, whatever the rest */
        settings->now.gaze.space = FOVEA_GAZE_SPACE_UV;
        settings->now.gaze.origin = FOVEA_GAZE_ORIGIN_TOP_LEFT;
    }
    if (settings->now.gaze.kind == FOVEA_GAZE_SCANPATH && !*settings->now.gaze.scanpath_file) {
        snprintf(settings->now.gaze.scanpath_file, FOVEA_PATH_MAX, "%s", DEMO_SCANPATH);
    }
    struct fovea_gaze_source_desc desc;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = &settings->now;
    desc.log = say_log(settings->now.log_level);
    enum fovea_result result = fovea_gaze_source_create(&desc, &source);
    if (result < 0) {
        say_error("the gaze source %s cannot be opened: %s",
                  settings_gaze_name(&settings->now).text, fovea_result_name(result));
        return false;
    }
    struct foveation *follower = settings->follower;
    settings_follow(settings, NULL);
    fovea_gaze_source_destroy(&settings->source);
    settings->source = source;
    settings->live = is_live(settings->now.gaze.kind);
    settings_follow(settings, follower);
    return true;
}

struct fovea_gaze settings_gaze(struct settings *settings, int64_t scene_ns, uint32_t width_px,
                                uint32_t height_px)
{
    struct fovea_gaze gaze;
    int64_t t_ns = settings->live ? fovea_time_ns() : scene_ns;
    if (fovea_gaze_source_read(settings->source, t_ns, width_px, height_px, &gaze) != FOVEA_OK) {
        return (struct fovea_gaze){.point = {0.5, 0.5}, .state = FOVEA_GAZE_LOST};
    }
    return gaze;
}
