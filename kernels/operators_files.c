/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operators_files.h"

#include "core/log.h"
#include "kernels/operator/operator_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((int64_t)64 << 20) /* of a grid of points 8 px apart in 8K it is half */

const struct operators_file operators_files[OPERATORS_FILE_COUNT] = {
#define OPERATOR_FILE(name, setting, help)                                                         \
    {FOVEA_OPERATOR_##name,                                                                        \
     #name "." #setting,                                                                           \
     offsetof(struct fovea_settings, own.name##_##setting),                                        \
     offsetof(struct fovea_settings, own.name##_##setting##_data),                                 \
     name##_read_file,                                                                             \
     name##_complain},
#include "operators.def"
};

static struct operator_file file_of(const struct operators_file *file, const char *path,
                                    struct fovea_log log)
{
    return (struct operator_file){file->setting, path, MOST_BYTES, log};
}

enum fovea_result operators_file_open(const struct operators_file *file, const char *path,
                                      struct fovea_log log, int *out_fd, struct stat *out_status)
{
    const struct operator_file own = file_of(file, path, log);
    return operator_file_open(&own, out_fd, out_status);
}

enum fovea_result operators_file_read(const struct operators_file *file, const char *path,
                                      struct fovea_log log, int fd, const struct stat *status,
                                      struct shared_data **out_data)
{
    const struct operator_file own = file_of(file, path, log);
    char problem[OPERATOR_PROBLEM_BYTES];
    char *bytes = NULL;
    *out_data = NULL;
    FOVEA_TRY(operator_file_read(&own, fd, status, &bytes));
    const enum fovea_result result =
        file->read_file(bytes, (size_t)status->st_size, problem, out_data);
    if (result < 0) {
        /* "path:line:column: what" where there is a line. */
        const bool has_line = problem[strspn(problem, "0123456789")] == ':';
        log_error(log, "%s: %s:%s%s", file->setting, path, has_line ? "" : " ", problem);
    }
    free(bytes);
    return result;
}
