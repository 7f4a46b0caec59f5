/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "check.h"

#include "kernels/operators_files.h"
#include "plugin/gaze/gaze_library.h"
#include "plugin/gaze/gaze_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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
    gaze_library_look();
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

/* ---- Files of operators ---------------------------------------------------------------------- */

struct file_log {
    struct checklist *list;
    const char *setting;
};

static void on_file_log(void *user, enum fovea_log_level level, const char *message)
{
    const struct file_log *log = user;
    const size_t head = strlen(log->setting);
    const bool repeats = strncmp(message, log->setting, head) == 0 && message[head] == ':';
    check_line(log->list, level == FOVEA_LOG_ERROR ? MARK_MISSING : MARK_NOTE, log->setting, "%s",
               repeats ? message + head + strspn(message + head, ": ") : message);
}

static bool read_operator_file(struct checklist *list, const struct fovea_settings *settings,
                               size_t file, struct shared_data **out_data)
{
    int fd;
    struct stat status;
    struct file_log user = {list, operators_files[file].setting};
    const struct fovea_log log = {.fn = on_file_log, .user = &user, .min_level = FOVEA_LOG_WARNING};
    const char *path = (const char *)settings + operators_files[file].path_at;
    *out_data = NULL;
    if (operators_file_open(&operators_files[file], path, log, &fd, &status) < 0) {
        return false;
    }
    const enum fovea_result result =
        operators_file_read(&operators_files[file], path, log, fd, &status, out_data);
    close(fd);
    return result == FOVEA_OK;
}

static bool has_file(const struct fovea_settings *settings, size_t file)
{
    return *((const char *)settings + operators_files[file].path_at);
}

/* Frames of every size will say it. A program for headsets names the eyes of its views. */
static void check_complaint(struct checklist *list, struct fovea_settings settings, size_t file,
                            struct shared_data *data)
{
    static const uint32_t sizes[][2] = {{1920, 1080}, /* whose words are shown */
                                        {OPERATOR_MAX_SIZE_PX, 1},
                                        {1, OPERATOR_MAX_SIZE_PX},
                                        {1080, 1080}};
    const size_t count = sizeof sizes / sizeof sizes[0];
    char words[OPERATOR_DESCRIPTION_BYTES];
    size_t complaints = 0;
    memcpy((char *)&settings + operators_files[file].data_at, &data, sizeof data);
    if (settings.gaze.kind == FOVEA_GAZE_OPENXR &&
        settings.foveation.map.eye == FOVEA_MAP_EYE_BOTH) {
        settings.foveation.map.eye = FOVEA_MAP_EYE_LEFT;
    }
    for (size_t i = count; i-- > 0;) {
        const struct operator_plan_desc desc = {
            .settings = &settings, .width_px = sizes[i][0], .height_px = sizes[i][1]};
        complaints += operators_files[file].complain(&desc, words, sizeof words);
    }
    if (complaints == count) {
        check_line(list, MARK_MISSING,
                   has_file(&settings, file) ? operators_files[file].setting : "operators", "%s",
                   words);
    }
}

static bool is_run(const struct fovea_settings *settings, size_t file)
{
    return config_operators_have(&settings->operators, operators_files[file].operator_name);
}

static void check_operator_files(struct checklist *list, const struct fovea_settings *settings)
{
    for (size_t i = 0; i < OPERATORS_FILE_COUNT; i++) {
        struct shared_data *data = NULL;
        if (is_run(settings, i) &&
            (!has_file(settings, i) || read_operator_file(list, settings, i, &data))) {
            check_complaint(list, *settings, i, data);
        }
        shared_data_release(&data);
    }
}

static bool was_read(const struct fovea_settings *settings, const char *setting)
{
    bool read = false;
    for (size_t i = 0; i < OPERATORS_FILE_COUNT; i++) {
        read = read || (is_run(settings, i) && has_file(settings, i) &&
                        strcmp(operators_files[i].setting, setting) == 0);
    }
    return read;
}

/* A name that others begin with is no file's. */
static bool is_record(const char *setting)
{
    return strcmp(setting, "record.file") == 0;
}

/* The program's frames will say what is in others. A source's own is opened below. */
static void check_files(struct checklist *list, const struct fovea_settings *settings)
{
    char path[FOVEA_PATH_MAX];
    for (size_t i = 0; i < fovea_setting_count(); i++) {
        struct fovea_setting setting;
        fovea_setting_init(&setting);
        if (fovea_setting_info(i, &setting) == FOVEA_OK && setting.type == FOVEA_SETTING_FILE &&
            strncmp(setting.path, "gaze.", 5) != 0 && !is_record(setting.path) &&
            !was_read(settings, setting.path) &&
            fovea_settings_get(settings, setting.path, path, sizeof path) == FOVEA_OK && path[0] &&
            access(path, R_OK) != 0) {
            check_line(list, MARK_MISSING, setting.path, "%s: %s", path, strerrordesc_np(errno));
        }
    }
}

/* ---- What keeps frames as drawn -------------------------------------------------------------- */

/* Nothing is made: each run of a program has files of its own. */
static void check_record(struct checklist *list, const char *name)
{
    char folder[FOVEA_PATH_MAX];
    const char *slash = strrchr(name, '/');
    struct stat status;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) + 1 : 2,
             slash ? name : "./");
    if (!name[0]) {
        return;
    }
    if ((slash && !slash[1]) || (stat(name, &status) == 0 && S_ISDIR(status.st_mode))) {
        check_line(list, MARK_MISSING, "record.file",
                   "%s is a folder; names of files begin with it, as with data/sub-01_task-look",
                   name);
    } else if (access(folder, W_OK | X_OK) != 0) {
        check_line(list, MARK_MISSING, "record.file", "%s: %s", folder, strerrordesc_np(errno));
    } else {
        check_line(list, MARK_OK, "record.file", "%s: a line a frame, with the gaze", name);
    }
}

/* A program for headsets may hand depths to its runtime. */
static void check_depth(struct checklist *list, const struct fovea_settings *settings,
                        enum fovea_operator name, const char *word)
{
    if (config_operators_have(&settings->operators, name)) {
        check_line(list, settings->gaze.kind == FOVEA_GAZE_OPENXR ? MARK_NOTE : MARK_MISSING,
                   "operators",
                   "%s needs depths: programs for headsets may give some, and frames in windows "
                   "stay as drawn",
                   word);
    }
}

typedef bool lacks_fn(const struct operator_plan_desc *desc, enum fovea_backend backend, char *out,
                      size_t bytes);

/* Frames need a way on Vulkan, whatever the backend: it goes on where another one is lost. */
static void check_lack(struct checklist *list, const struct fovea_settings *settings,
                       enum fovea_operator name, lacks_fn *lacks)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    const struct operator_plan_desc desc = {
        .settings = settings, .width_px = 1920, .height_px = 1080};
    if (config_operators_have(&settings->operators, name) &&
        lacks(&desc, FOVEA_BACKEND_VULKAN, words, sizeof words)) {
        check_line(list, MARK_MISSING, "operators", "%s: frames stay as drawn", words);
    }
}

static void check_operators(struct checklist *list, const struct fovea_settings *settings)
{
#define OPERATOR_DEPTH(name) check_depth(list, settings, FOVEA_OPERATOR_##name, #name);
#define OPERATOR_LACKS(name) check_lack(list, settings, FOVEA_OPERATOR_##name, name##_lacks);
#include "kernels/operators.def"
}

static void check_frozen(struct checklist *list, const struct fovea_settings *settings)
{
    if (settings->layer.frozen && settings->backend == FOVEA_BACKEND_AUTO) {
        check_line(list, MARK_MISSING, "layer.frozen",
                   "the backend is to be named, as in --set backend=vulkan");
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

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
    check_operators(list, settings);
    check_operator_files(list, settings);
    check_files(list, settings);
    check_record(list, settings->record.file);
    check_frozen(list, settings);
    check_gaze(list, &settings->gaze);
    fovea_config_destroy(&config);
}
