/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Rows of two operators, which the tests of rows compare with the two one after the other. */
#pragma once

#include "config/settings.h"

static const struct operator_row {
    struct fovea_operators first, second, row;
} rows[] = {{{1, {FOVEA_OPERATOR_foveate}},
             {1, {FOVEA_OPERATOR_blur}},
             {2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_blur}}},
            {{1, {FOVEA_OPERATOR_blur}},
             {1, {FOVEA_OPERATOR_foveate}},
             {2, {FOVEA_OPERATOR_blur, FOVEA_OPERATOR_foveate}}},
            {{1, {FOVEA_OPERATOR_foveate}},
             {1, {FOVEA_OPERATOR_lens}},
             {2, {FOVEA_OPERATOR_foveate, FOVEA_OPERATOR_lens}}}};
#define ROW_COUNT (sizeof rows / sizeof rows[0])
