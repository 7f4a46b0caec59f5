/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pictures that exactness is measured on: the same on every machine, each hard in a way of its
 * own. RGBA8, alpha 255. */
#pragma once

#include "images.h"

#define PICTURE_NAME_MAX 64

struct sample {
    char name[PICTURE_NAME_MAX];
    struct test_image image;
};

/* How many are drawn, without those from files. */
size_t samples_count(bool quick);
const char *sample_name(size_t index);
/* Draws number `index`. False where the font of a page of text is not there. */
bool sample_draw(size_t index, uint32_t width_px, uint32_t height_px, struct sample *out_sample);
/* A PNG or JPEG file, upright as its Exif says. False with a message. */
bool sample_load(const char *path, struct sample *out_sample);
void sample_free(struct sample *sample);
