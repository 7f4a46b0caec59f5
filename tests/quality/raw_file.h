/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Raw pictures from files, with all of their bits. */
#pragma once

#include "fovea_lightfield.h"

/* The whole file, for free(); NULL with errno, which is 0 where it is empty or too large. */
uint8_t *raw_file_read(const char *path, size_t *out_count);

/* A PNG file of 8 or 16 bits, a JPEG file, or a TIFF file without compression, as the
 * sensor has it: Exif does not turn it. False with a message. raw->data is free()d by raw_free. */
bool raw_load(const char *path, struct fovea_lightfield_raw *out);
void raw_free(struct fovea_lightfield_raw *raw);

/* A TIFF file's bytes: grey or RGB of 8 or 16 bits in strips, not compressed. NULL, or what is
 * wrong. */
const char *raw_tiff(const uint8_t *bytes, size_t count, struct fovea_lightfield_raw *out);

/* Finds the orientation in a TIFF file's first directory, or in that of Exif, which is one: 1 .. 8;
 * 1 where it says nothing that is. */
uint32_t raw_tiff_orientation(const uint8_t *bytes, size_t count);

/* White becomes the brightest of a thousandth of the pixels of 16 bits: sensors have 10 to 14. */
void raw_choose_maximum(struct fovea_lightfield_raw *raw);
