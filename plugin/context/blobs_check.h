/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This copies and checks what a program asks of blobs. */
#pragma once

#include "kernels/saliency/saliency.h"

/* The log names the field that is wrong; NULL: the desc's own. */
FOVEA_MUST_CHECK enum fovea_result blobs_take_desc(const struct fovea_blobs_desc *given,
                                                   const struct fovea_log *log,
                                                   struct fovea_blobs_desc *out,
                                                   struct saliency_numbers *out_numbers);
