/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How a camera was held, as its pictures say in Exif. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the orientation in a PNG or JPEG file's bytes: 1 .. 8; 1, as the picture lies, where it
 * says none. */
uint32_t orientation_of(const uint8_t *bytes, size_t count);
/* Whether the upright picture is as wide as the other is high. */
bool orientation_swaps_axes(uint32_t orientation);
/* Writes the upright picture of one without gaps. */
void orientation_apply(uint32_t orientation, const uint32_t *in, uint32_t width_px,
                       uint32_t height_px, uint32_t *out);
