/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Work for the GPU before what is timed: until all of a frame has been submitted, and so that it
 * does not rest between frames. One that rests lowers its clock: an H100 from 1980 to 345 MHz, at
 * which everything takes five times as long. */
#pragma once

#include "engine.h"

struct engine_busy {
    struct engine_image images[2]; /* copied to and fro */
};

#define ENGINE_BUSY_PX 4096 /* a side: some ten milliseconds on the graphics queue of an H100 */

struct engine_busy engine_busy_create(struct engine *engine, uint32_t side_px);
void engine_busy_record(const struct engine_busy *busy, VkCommandBuffer commands);
void engine_busy_destroy(struct engine *engine, struct engine_busy *busy);
