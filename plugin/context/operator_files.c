/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_files.h"

#include "config/unused.h"
#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/operator/operator_file.h"
#include "kernels/operators.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT_MAX 4
#define FIELD_MAX (OPERATOR_MAX_SIZE_PX + 1) /* points each way */

/* ---- What was read */

struct kept {
    char path[FOVEA_PATH_MAX];
    struct stat status;
    struct shared_data *data; /* NULL: the place is free */
};

/* Held for a look, never while anything is read or freed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept kept[KEPT_MAX];
static uint32_t next_place;

static bool same_file(const struct kept *entry, const char *path, const struct stat *status)
{
    return entry->data && strcmp(entry->path, path) == 0 &&
           operator_file_same(&entry->status, status);
}

static struct shared_data *find(const char *path, const struct stat *status)
{
    struct shared_data *found = NULL;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; !found && i < KEPT_MAX; i++) {
        found = same_file(&kept[i], path, status) ? shared_data_share(kept[i].data) : NULL;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep(const char *path, const struct stat *status, struct shared_data *data)
{
    pthread_mutex_lock(&lock);
    struct kept *place = &kept[next_place++ % KEPT_MAX];
    struct shared_data *gone = place->data;
    snprintf(place->path, sizeof place->path, "%s", path);
    place->status = *status;
    place->data = shared_data_share(data);
    pthread_mutex_unlock(&lock);
    shared_data_release(&gone);
}

/* ---- Reading */

static enum fovea_result take_open(const struct operators_file *file, const char *path,
                                   struct fovea_log log, int fd, const struct stat *status,
                                   struct shared_data **out_data)
{
    *out_data = find(path, status);
    if (*out_data) {
        return FOVEA_OK;
    }
    FOVEA_TRY(operators_file_read(file, path, log, fd, status, out_data));
    keep(path, status, *out_data);
    return FOVEA_OK;
}

static enum fovea_result take_file(const struct operators_file *file, const char *path,
                                   struct fovea_log log, struct shared_data **out_data)
{
    int fd;
    struct stat status;
    FOVEA_TRY(operators_file_open(file, path, log, &fd, &status));
    const enum fovea_result result = take_open(file, path, log, fd, &status, out_data);
    close(fd);
    return result;
}

/* ---- All of them */

void operator_files_finish(struct operator_files *gone)
{
    for (size_t i = 0; i < OPERATORS_FILE_COUNT; i++) {
        shared_data_release(&gone->data[i]);
    }
}

enum fovea_result operator_files_take(struct fovea_settings *settings, struct fovea_log log,
                                      struct operator_files *out_files)
{
    *out_files = (struct operator_files){{NULL}};
    for (size_t i = 0; i < OPERATORS_FILE_COUNT; i++) {
        const char *path = (const char *)settings + operators_files[i].path_at;
        struct shared_data *given = NULL; /* by the program */
        memcpy(&given, (const char *)settings + operators_files[i].data_at, sizeof given);
        out_files->data[i] = shared_data_share(given);
        if (!given && path[0] &&
            config_operators_have(&settings->operators, operators_files[i].operator_name) &&
            !config_unused_by_word(operators_files[i].setting, settings)) {
            const enum fovea_result result =
                take_file(&operators_files[i], path, log, &out_files->data[i]);
            if (result < 0) {
                operator_files_finish(out_files);
                return result;
            }
        }
        memcpy((char *)settings + operators_files[i].data_at, &out_files->data[i], sizeof(void *));
    }
    return FOVEA_OK;
}

/* ---- Fields of programs */

STRUCT_ENDS_WITH(struct fovea_field, layer_bytes);

static bool take_field(const struct fovea_field *given, struct fovea_field *field,
                       const char **out_problem)
{
    *out_problem = NULL;
    if (!struct_take(field, sizeof *field, given)) {
        *out_problem = struct_refusal(given);
    } else if (!struct_bytes_are_0(field->reserved, sizeof field->reserved)) {
        *out_problem = "reserved is not 0";
    } else if (!field->xy) {
        *out_problem = "xy is NULL";
    } else if (field->layers != 1 && field->layers != 2 && field->layers != 3 &&
               field->layers != 6) {
        *out_problem = "layers are 1, 2, 3 or 6";
    } else if (field->width < 2 || field->width > FIELD_MAX || field->height < 2 ||
               field->height > FIELD_MAX) { /* more have no strides in a ptrdiff_t */
        *out_problem = "width and height are 2 to 16385 points";
    }
    if (*out_problem) {
        return false;
    }
    const ptrdiff_t point = field->point_bytes ? field->point_bytes : 2 * (ptrdiff_t)sizeof(float);
    const ptrdiff_t row = field->row_bytes ? field->row_bytes : point * (ptrdiff_t)field->width;
    field->point_bytes = point;
    field->row_bytes = row;
    field->layer_bytes = field->layer_bytes ? field->layer_bytes : row * (ptrdiff_t)field->height;
    return true;
}

static enum fovea_result read_field(const struct fovea_field *field, size_t file,
                                    struct fovea_log log, struct shared_data **out_data)
{
    const struct operator_api *api = operators_at(operators_files[file].operator_name);
    char problem[OPERATOR_PROBLEM_BYTES] = "it has no use for fields";
    const enum fovea_result result =
        api->read_field ? api->read_field(field, problem, out_data) : FOVEA_ERROR_CONFIG;
    if (result < 0) {
        log_error(log, "%s: the field: %s", operators_files[file].setting, problem);
    }
    return result;
}

enum fovea_result fovea_settings_set_field(struct fovea_settings *settings, const char *path,
                                           const struct fovea_field *field, struct fovea_log log)
{
    size_t file = 0;
    struct fovea_field taken;
    const char *problem = NULL;
    struct shared_data *data = NULL;
    if (!settings || !path) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    while (file < OPERATORS_FILE_COUNT && strcmp(operators_files[file].setting, path) != 0) {
        file++;
    }
    if (file == OPERATORS_FILE_COUNT) {
        log_error(log,
                  "fovea_settings_set_field: there is no setting %.64s that is a file of an "
                  "operator",
                  path);
        return FOVEA_ERROR_CONFIG;
    }
    if (field && !take_field(field, &taken, &problem)) {
        log_error(log, "%s: the field: %s", operators_files[file].setting, problem);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (field) {
        FOVEA_TRY(read_field(&taken, file, log, &data));
    }
    struct shared_data *former = NULL;
    char *at = (char *)settings + operators_files[file].data_at;
    memcpy(&former, at, sizeof former);
    memcpy(at, &data, sizeof data);
    shared_data_release(&former);
    return FOVEA_OK;
}
