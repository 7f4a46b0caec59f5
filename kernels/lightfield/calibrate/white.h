/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Raw pictures as numbers: a white one as levels of one colour, and as gains to multiply with. */
#pragma once

#include "kernels/lightfield/lightfield.h"

#define WHITE_GAIN_ONE 4096 /* gains are parts of it, and below 16 */

uint32_t white_channels(enum fovea_lightfield_format format);
bool white_is_16_bit(enum fovea_lightfield_format format);

/* Levels 0 .. 1, the mean of the colours; of a mosaic those of each colour are made as bright as
 * the others. Returns the part of pixels that are as bright as can be. */
double white_levels(const struct fovea_lightfield_raw *white, float *levels);

/* A gain for each channel that is a colour; false where some colour is dark. scratch: 65536 counts
 * for each of four colours. */
bool white_gains(const struct fovea_lightfield_raw *white, double black, double gain_max,
                 uint32_t *scratch, uint16_t *gains);

void white_divide(const struct fovea_lightfield_raw *raw, double black, const uint16_t *gains,
                  void *out, ptrdiff_t out_stride_bytes);
