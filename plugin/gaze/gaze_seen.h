/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Small pictures in, places to look at out: blobs of a picture, and on request of what has changed
 * since the one before. One thread at a time. */
#pragma once

#include "gaze_path.h"

#include "fovea_image.h"

#define GAZE_SEEN_SIDE_MIN_PX 16

/* A picture of so many pixels is reduced to this: the settings' width, and a height of its shape
 * where that is 16 pixels to twice the width; no side is larger than the picture's. */
struct gaze_seen_size {
    uint32_t width_px;
    uint32_t height_px;
};
struct gaze_seen_size gaze_seen_size_of(const struct fovea_gaze_settings *settings,
                                        uint32_t width_px, uint32_t height_px);

struct gaze_seen;

FOVEA_MUST_CHECK enum fovea_result gaze_seen_create(const struct fovea_gaze_settings *settings,
                                                    struct gaze_seen **out_seen);
void gaze_seen_destroy(struct gaze_seen **seen);

/* Its pixels, for the next picture, which gaze_seen_look reads: rows without gaps, of bytes red,
 * green, blue and one that does not count. */
uint32_t *gaze_seen_pixels(struct gaze_seen *seen);
/* The same from an image in CPU memory of any format, by the mean of each cell. The image is
 * right. */
void gaze_seen_reduce(struct gaze_seen *seen, const struct fovea_image *image,
                      struct gaze_seen_size size);

/* Blobs of the pixels, of that size. Allocates where the size is another than before. On failure
 * there are none. */
FOVEA_MUST_CHECK enum fovea_result gaze_seen_look(struct gaze_seen *seen,
                                                  struct gaze_seen_size size,
                                                  struct gaze_proposals *out_proposals);
