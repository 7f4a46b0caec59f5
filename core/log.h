/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Writing to a fovea_log, and checking results. */
#pragma once

#include "fovea.h"

#include <stdio.h>

/* Each message goes out as one line of UTF-8, whatever bytes its arguments hold. */
__attribute__((format(printf, 3, 4))) void log_write(struct fovea_log log,
                                                     enum fovea_log_level level, const char *format,
                                                     ...);

#define log_debug(log, ...) log_write((log), FOVEA_LOG_DEBUG, __VA_ARGS__)
#define log_info(log, ...) log_write((log), FOVEA_LOG_INFO, __VA_ARGS__)
#define log_warning(log, ...) log_write((log), FOVEA_LOG_WARNING, __VA_ARGS__)
#define log_error(log, ...) log_write((log), FOVEA_LOG_ERROR, __VA_ARGS__)

/* Returns from the calling function with the result of expr when that is an error. */
#define FOVEA_TRY(expr)                                                                            \
    do {                                                                                           \
        enum fovea_result try_result_ = (expr);                                                    \
        if (try_result_ < 0) {                                                                     \
            return try_result_;                                                                    \
        }                                                                                          \
    } while (0)

/* The same for memory that was asked for: NULL is none. */
#define FOVEA_TRY_MEMORY(memory) FOVEA_TRY((memory) ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY)
