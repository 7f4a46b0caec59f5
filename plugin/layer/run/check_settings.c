/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "check.h"

#include "plugin/gaze/gaze_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Messages of the library as lines of the list. */
static void on_log(void *user, enum fovea_log_level level, const char *message)
{
    static const char head[] = "configuration: ";
    const bool repeats = strncmp(message, head, sizeof head - 1) == 0;
    const enum mark mark = level == FOVEA_LOG_ERROR     ? MARK_MISSING
                           : level == FOVEA_LOG_WARNING ? MARK_NOTE
                                                        : MARK_OK;
    check_line(user, mark, "configuration", "%s", repeats ? message + sizeof head - 1 : message);
}

static void on_gaze_log(void *user, enum fovea_log_level level, const char *message)
{
    check_line(user, level == FOVEA_LOG_ERROR ? MARK_MISSING : MARK_NOTE, "gaze", "%s", message);
}

/* Opened as the layer opens it, and closed again. */
static void check_gaze(struct checklist *list, const struct fovea_gaze_settings *gaze)
{
    if (gaze->kind == FOVEA_GAZE_OPENXR) {
        check_line(list, MARK_NOTE, "gaze",
                   "openxr is the source of programs for headsets; others are shown as drawn");
        return;
    }
    const struct fovea_log log = {.fn = on_gaze_log, .user = list, .min_level = FOVEA_LOG_WARNING};
    const unsigned before = list->missing;
    struct fovea_gaze_source *source = NULL;
    const enum fovea_result result = gaze_source_open(gaze, log, &source);
    fovea_gaze_source_destroy(&source);
    if (result == FOVEA_OK) {
        char line[FOVEA_PATH_MAX + 64];
        gaze_describe(gaze, line, sizeof line);
        check_line(list, MARK_OK, "gaze", "%s", line);
    } else if (list->missing == before) {
        check_line(list, MARK_MISSING, "gaze", "the source %s cannot be opened: %s",
                   gaze_kind_name(gaze->kind), fovea_result_name(result));
    }
}

/* The program's frames will say what is in them. A source's own is opened below. */
static void check_files(struct checklist *list, const struct fovea_settings *settings)
{
    char path[FOVEA_PATH_MAX];
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        struct fovea_setting setting;
        fovea_setting_init(&setting);
        if (fovea_setting_info(i, &setting) == FOVEA_OK && setting.type == FOVEA_SETTING_FILE &&
            strncmp(setting.path, "gaze.", 5) != 0 &&
            fovea_settings_get(settings, setting.path, path, sizeof path) == FOVEA_OK && path[0] &&
            access(path, R_OK) != 0) {
            check_line(list, MARK_MISSING, setting.path, "%s: %s", path, strerrordesc_np(errno));
        }
    }
}

void check_settings(struct checklist *list)
{
    const struct fovea_log log = {.fn = on_log, .user = list, .min_level = FOVEA_LOG_INFO};
    const unsigned before = list->missing;
    struct fovea_config *config = settings_read(list->options, log);
    if (!config) {
        if (list->missing == before) {
            check_line(list, MARK_MISSING, "configuration", "it cannot be read");
        }
        return;
    }
    const struct fovea_settings *settings = fovea_config_settings(config);
    list->pointer_wanted = settings->gaze.kind == FOVEA_GAZE_MOUSE;
    list->cuda_wanted = settings->backend == FOVEA_BACKEND_CUDA;
    check_files(list, settings);
    check_gaze(list, &settings->gaze);
    fovea_config_destroy(&config);
}
