/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The files that operators have among their settings (OPERATOR_FILE of kernels/operators.def), read
 * and made into what plans take. The process keeps the last few, so that a file which was read when
 * settings were saved is only looked at when they are taken. */
#pragma once

#include "config/settings.h"
#include "core/shared_data.h"
#include "kernels/operators_files.h"

/* All NULL: none. */
struct operator_files {
    struct shared_data *data[OPERATORS_FILE_COUNT]; /* shares */
};

/* Takes what a program gave instead of files, and the files of the operators that the settings
 * list. The settings then have what was made of each, for as long as *out_files, which is empty on
 * failure: FOVEA_ERROR_IO, a file cannot be read; FOVEA_ERROR_CONFIG, it is none of those that its
 * operator knows. */
FOVEA_MUST_CHECK enum fovea_result operator_files_take(struct fovea_settings *settings,
                                                       struct fovea_log log,
                                                       struct operator_files *out_files);
void operator_files_finish(struct operator_files *gone);
