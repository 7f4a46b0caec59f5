/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "settings.h"
#include "headset.h"

#include "say.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024

/* Its samples come from outside, with times of our clock; others go by the scene's. */
static bool is_live(const struct fovea_settings *settings)
{
    static const char *const others[] = {"fixed", "scanpath", "saccades", "saliency", "replay"};
    bool is = true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        is = is && !value_is(settings, "gaze.source", others[i]);
    }
    return is;
}

static bool is_there(const char *folder, const char *file)
{
    char path[PATH_BYTES];
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
static bool prefer_mouse(const struct options *options, const struct fovea_settings *settings)
{
    return options->window && !options->gaze_given && !options->config &&
           value_is(settings, "gaze.source", "fixed");
}

/* A headset's display shows pictures behind a lens of the kind that Kim, Yang and Kim (2022) have,
 * which bends blue more than red. */
static void set_headset_lens(struct fovea_settings *settings)
{
    value_set(settings, "lens.unit", "half-height");
    value_set_number(settings, "lens.r2", 0.22);
    value_set_number(settings, "lens.r4", 0.24);
    value_set_number(settings, "lens.red_r2", -0.02);
    value_set_number(settings, "lens.blue_r2", 0.02);
}

/* In force where nobody says otherwise. NULL with a message. */
static struct fovea_settings *defaults_of(const struct options *options, bool own_lens)
{
    struct fovea_settings *defaults = NULL;
    if (fovea_settings_create(&defaults) < 0) {
        say_error("out of memory");
        return NULL;
    }
    if (options->hmd) {
        value_set(defaults, "operators", "[\"foveate\", \"lens\"]");
    }
    if (options->hmd && own_lens) {
        set_headset_lens(defaults);
    }
    return defaults;
}

/* Returns whether a setting says which lens it is, and not how pictures are warped for it. */
static bool is_of_a_lens(const char *path)
{
    static const char *const others[] = {"lens.file", "lens.filter", "lens.samples", "lens.blank_"};
    bool is = strncmp(path, "lens.", strlen("lens.")) == 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        is = is && strncmp(path, others[i], strlen(others[i])) != 0;
    }
    return is;
}

static bool has_lens_of(const struct fovea_settings *a, const struct fovea_settings *b)
{
    bool same = true;
    for (size_t i = 0; i < fovea_setting_count() && same; i++) {
        struct fovea_setting info;
        char texts[2][64];
        fovea_setting_init(&info);
        same = fovea_setting_info(i, &info) < 0 || !is_of_a_lens(info.path) ||
               (fovea_settings_get(a, info.path, texts[0], sizeof texts[0]) >= 0 &&
                fovea_settings_get(b, info.path, texts[1], sizeof texts[1]) >= 0 &&
                strcmp(texts[0], texts[1]) == 0);
    }
    return same;
}

/* Whoever sets a term of a lens has one of his own: no term of the demo's is to be left in it. */
static bool takes_demos_lens(const struct fovea_config_desc *wanted)
{
    struct fovea_config_desc desc = *wanted;
    struct fovea_config *config = NULL;
    desc.log = (struct fovea_log){0}; /* what is wrong is said when it is opened */
    const bool taken = fovea_config_create(&desc, &config) < 0 ||
                       has_lens_of(fovea_config_settings(config), desc.defaults);
    fovea_config_destroy(&config);
    return taken;
}

static bool open_config(const struct options *options, struct fovea_config **out_config)
{
    struct fovea_settings *defaults = defaults_of(options, true);
    if (!defaults) {
        return false;
    }
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.defaults = defaults;
    desc.file = config_file(options);
    desc.sets = options->sets;
    desc.set_count = options->set_count;
    desc.program_name = "fovea_demo";
    desc.ignore_changes = !options->window || options->frozen;
    desc.log = say_log(FOVEA_LOG_INFO); /* also which files were read */
    if (options->hmd && !takes_demos_lens(&desc)) {
        fovea_settings_destroy(&defaults);
        defaults = defaults_of(options, false);
        desc.defaults = defaults;
    }
    const bool opened = defaults && fovea_config_create(&desc, out_config) >= 0;
    fovea_settings_destroy(&defaults);
    return opened;
}

static bool copy_of(const struct fovea_settings *settings, struct fovea_settings **out_copy)
{
    if (fovea_settings_copy(settings, out_copy) < 0) {
        say_error("out of memory");
    }
    return *out_copy != NULL;
}

/* Exports the settings that are in force when the first frame comes. */
static bool export_settings(const struct fovea_settings *settings, const char *file)
{
    uint64_t hash = 0;
    if (fovea_settings_save(settings, file, say_log(FOVEA_LOG_INFO)) < 0 ||
        fovea_settings_hash(settings, &hash) < 0) {
        say_error("--export-settings %s: the settings cannot be written", file);
        return false;
    }
    say_note("%s has all settings, hash %016llx", file, (unsigned long long)hash);
    return true;
}

/* auto may choose another backend the next time, or on another machine. */
static bool is_frozen_well(const struct options *options, const struct fovea_settings *settings)
{
    const bool chosen = !options->frozen || value_backend(settings) != FOVEA_BACKEND_AUTO;
    if (!chosen) {
        say_error("--frozen: name the backend, as in --backend vulkan");
    }
    return chosen;
}

bool settings_init(struct settings *settings, const struct options *options)
{
    if (!open_config(options, &settings->config) ||
        !copy_of(fovea_config_settings(settings->config), &settings->now) ||
        !copy_of(settings->now, &settings->files)) {
        return false;
    }
    if (prefer_mouse(options, settings->now)) {
        value_set(settings->now, "gaze.source", "mouse");
    }
    if (!options->window && value_is(settings->now, "gaze.source", "mouse")) {
        say_error("gaze.source is mouse, which needs --window; without one there is --gaze x,y, or "
                  "the name of another source, such as saccades");
        return false;
    }
    settings->hmd = options->hmd;
    settings->frozen = options->frozen;
    return is_frozen_well(options, settings->now) && settings_open_gaze(settings) &&
           (!options->export_settings || export_settings(settings->now, options->export_settings));
}

/* A source goes on undisturbed when the files say the same about the gaze as before. */
static void take_files(struct settings *settings)
{
    struct fovea_settings *before = settings->now;
    struct fovea_settings *files = NULL;
    struct fovea_settings *now = NULL;
    if (!copy_of(fovea_config_settings(settings->config), &files) || !copy_of(files, &now)) {
        fovea_settings_destroy(&files);
        return;
    }
    const bool same = values_are_the_same(files, settings->files, "gaze.");
    settings->now = now;
    if (same || !settings_open_gaze(settings)) {
        values_copy(before, now, "gaze.");
    }
    fovea_settings_destroy(&before);
    fovea_settings_destroy(&settings->files);
    settings->files = files;
}

bool settings_poll(struct settings *settings)
{
    if (settings->frozen || fovea_config_poll(settings->config) != FOVEA_OK) {
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
    fovea_settings_destroy(&settings->now);
    fovea_settings_destroy(&settings->files);
}

void settings_follow(struct settings *settings, struct foveation *follower)
{
    if (settings->follower) {
        foveation_follow(settings->follower, NULL);
        foveation_show(settings->follower, NULL);
    }
    settings->follower = follower;
    if (follower) {
        foveation_show(follower, settings->source);
    }
    if (follower && settings->live) {
        foveation_follow(follower, settings->source);
    }
}

/* The window pushes gazes over the drawn picture. */
static bool is_over_shown(const struct settings *settings)
{
    const bool shown = value_is(settings->now, "gaze.over", "shown") &&
                       !value_is(settings->now, "gaze.source", "mouse");
    if (shown && settings->hmd) {
        say_note("gaze.over shown: not with --hmd, where each eye is shown another picture");
    }
    return shown && !settings->hmd;
}

/* The window pushes uv, whatever the rest of the settings says; a scanpath needs a file. */
static void complete_gaze(struct fovea_settings *now)
{
    if (value_is(now, "gaze.source", "mouse")) {
        value_set(now, "gaze.space", "uv");
        value_set(now, "gaze.origin", "top-left");
    }
    if (value_is(now, "gaze.source", "scanpath") && value_is(now, "gaze.scanpath.file", "")) {
        value_set(now, "gaze.scanpath.file", DEMO_SCANPATH);
    }
}

bool settings_open_gaze(struct settings *settings)
{
    struct fovea_gaze_source *source = NULL;
    complete_gaze(settings->now);
    struct fovea_gaze_source_desc desc;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = settings->now;
    desc.log = say_log(value_log_level(settings->now));
    desc.movements = true;
    enum fovea_result result = fovea_gaze_source_create(&desc, &source);
    if (result < 0) {
        say_error("the gaze source %s cannot be opened: %s",
                  value_words(settings->now, "gaze.source").text, fovea_result_name(result));
        return false;
    }
    struct foveation *follower = settings->follower;
    settings_follow(settings, NULL);
    fovea_gaze_source_destroy(&settings->source);
    settings->source = source;
    settings->live = is_live(settings->now);
    settings->shown = is_over_shown(settings);
    settings->sees = value_is(settings->now, "gaze.source", "saliency") ||
                     value_is(settings->now, "gaze.validity.fallback", "saliency");
    settings_follow(settings, follower);
    return true;
}

/* The saliency source sees the first eye's picture, and stands in for another one that is lost. */
static bool is_over_first_eye(const struct settings *settings, const struct fovea_gaze *gaze)
{
    return settings->hmd && settings->sees &&
           (gaze->state == FOVEA_GAZE_LOST || value_is(settings->now, "gaze.source", "saliency"));
}

struct fovea_gaze settings_gaze(struct settings *settings, int64_t scene_ns, uint32_t width_px,
                                uint32_t height_px)
{
    struct fovea_gaze gaze;
    int64_t t_ns = settings->live ? fovea_time_ns() : scene_ns;
    if (fovea_gaze_source_read(settings->source, t_ns, width_px, height_px, &gaze) != FOVEA_OK) {
        return (struct fovea_gaze){.point = {0.5, 0.5}, .state = FOVEA_GAZE_LOST};
    }
    if (is_over_first_eye(settings, &gaze)) {
        gaze.point.x_uv = headset_shared_x_uv(gaze.point.x_uv, 0, 2, width_px, height_px);
    }
    if (settings->shown && settings->follower) {
        const VkExtent2D extent = {width_px, height_px};
        gaze.point = foveation_gaze_at(settings->follower, extent, 0, NULL, gaze.point);
    }
    return gaze;
}

double settings_vergence_m(struct settings *settings, int64_t scene_ns)
{
    return fovea_gaze_source_vergence_m(settings->source,
                                        settings->live ? fovea_time_ns() : scene_ns);
}

bool settings_kept_backend(const struct settings *settings, enum fovea_backend made)
{
    if (!settings->frozen || made == value_backend(settings->now)) {
        return true;
    }
    say_error("--frozen: the vulkan backend has made frames in the place of the one that was "
              "named, for the reason above");
    return false;
}
