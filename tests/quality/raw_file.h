/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Raw pictures from files, with all of their bits. */
#pragma once

#include "fovea_lightfield.h"

/* A PNG file of 8 or 16 bits, a JPEG file, or a TIFF file without compression. False with a
 * message. raw->data is free()d by raw_free. */
bool raw_load(const char *path, struct fovea_lightfield_raw *out);
void raw_free(struct fovea_lightfield_raw *raw);

/* A TIFF file's bytes: grey or RGB of 8 or 16 bits in strips, not compressed. NULL, or what is
 * wrong. */
const char *raw_tiff(const uint8_t *bytes, size_t count, struct fovea_lightfield_raw *out);

/* White becomes the brightest of a thousandth of the pixels of 16 bits: sensors have 10 to 14. */
void raw_choose_maximum(struct fovea_lightfield_raw *raw);
