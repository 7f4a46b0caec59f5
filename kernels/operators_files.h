/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files among the settings of operators (OPERATOR_FILE of operators.def), apart from what runs
 * operators: who only looks whether a file is right needs no more. Any thread; nothing is kept. */
#pragma once

#include "kernels/operator/operator.h"

#include "core/shared_data.h"

#include <sys/stat.h>

enum operators_file_number {
#define OPERATOR_FILE(name, setting, help) OPERATORS_FILE_##name,
#include "kernels/operators.def"
    OPERATORS_FILE_COUNT
};

struct operators_file {
    enum fovea_operator operator_name;
    const char *setting;
    size_t path_at; /* in struct fovea_settings */
    size_t data_at;
    /* Makes of the content what plans take, with one share of the caller's. FOVEA_ERROR_CONFIG:
     * out_problem says what is wrong, after "line:column: " where there is a place. */
    enum fovea_result (*read_file)(const char *bytes, size_t count,
                                   char out_problem[OPERATOR_PROBLEM_BYTES],
                                   struct shared_data **out_data);
    /* Does as operator_api.plan_complain. */
    bool (*complain)(const struct operator_plan_desc *desc, char *out, size_t bytes);
};

extern const struct operators_file operators_files[OPERATORS_FILE_COUNT];

/* Opens a regular file that is not too large; the caller closes *out_fd. FOVEA_ERROR_IO, which the
 * log has: it is none, and *out_fd is -1. */
FOVEA_MUST_CHECK enum fovea_result operators_file_open(const struct operators_file *file,
                                                       const char *path, struct fovea_log log,
                                                       int *out_fd, struct stat *out_status);

/* Reads what operators_file_open has opened, with one share of the caller's; NULL where the result
 * is an error, which the log has: FOVEA_ERROR_CONFIG, it is no file that the operator knows. */
FOVEA_MUST_CHECK enum fovea_result operators_file_read(const struct operators_file *file,
                                                       const char *path, struct fovea_log log,
                                                       int fd, const struct stat *status,
                                                       struct shared_data **out_data);
