/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures to test with, in every format and layout, and their pixels as numbers. The codec here is
 * written from the formats' definitions and shares nothing with the one under test. */
#pragma once

#include "config/settings.h"
#include "owned.h"

enum image_pattern {
    IMAGE_RANDOM, /* every channel of every pixel for itself */
    IMAGE_CHECKER, /* one pixel black, one white; other sizes and phases in other channels */
    IMAGE_ZONE_PLATE, /* every frequency up to Nyquist */
    IMAGE_STROKES, /* thin dark strokes on white, like a page of text */
    IMAGE_PHOTO, /* smooth shades, edges and a little noise */
    IMAGE_PATTERN_COUNT,
};

/* Patterns for image_draw_contrast: those above, and what shows tails far from white. */
enum image_contrast {
    IMAGE_HALF = IMAGE_PATTERN_COUNT, /* black, and white on the right */
    IMAGE_POINTS, /* white squares of 4 pixels far apart on black */
    IMAGE_CONTRAST_COUNT,
    /* Saturated patches on gradients: the colours' luminance is not the largest of them. */
    IMAGE_COLORS = IMAGE_CONTRAST_COUNT,
    IMAGE_LIGHTS, /* pixels, some 28 of 32x32, unlike bright, on black */
};

const char *image_pattern_name(enum image_pattern pattern);

/* All that is stored for one picture: guards before and behind it, gaps in it. */
struct test_image {
    struct fovea_image view;
    unsigned char *memory;
    size_t memory_bytes;
};

struct image_layout {
    bool bottom_up; /* negative row stride */
    uint32_t row_gap; /* pixels between a row's end and the next row */
    uint32_t pixel_gap; /* channel sizes between a pixel and the next */
};

/* Makes an image in host memory; every byte is the canary. Never fails: a test without memory may
 * abort. */
struct test_image image_make(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                             struct image_layout layout);
struct test_image image_make_packed(uint32_t width_px, uint32_t height_px,
                                    enum fovea_format format);
void image_free(struct test_image *image);
/* One that its block frees. */
#define OWNED_IMAGE OWNED(image_free) struct test_image

/* The bytes that belong to no pixel are still the canary. */
bool image_guards_intact(const struct test_image *image);

void image_draw(const struct fovea_image *image, enum image_pattern pattern, uint64_t seed);
/* A packed one with it. */
struct test_image image_drawn(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                              enum image_pattern pattern, uint64_t seed);
void image_draw_contrast(const struct fovea_image *image, int pattern); /* of either enum */
void image_fill(const struct fovea_image *image,
                double value); /* every channel, in levels or floats */
void image_mirror(const struct fovea_image *src, const struct fovea_image *dst, bool x, bool y);

/* ---- Pixels as numbers: levels of UNORM formats (alpha of A2B10G10R10: 0..3), values of floats */

uint32_t image_bytes(enum fovea_format format); /* of a pixel */
uint32_t image_channels(enum fovea_format format);
bool image_is_float(enum fovea_format format);
bool image_is_half(enum fovea_format format);
/* Returns what patterns draw as white; alpha of float formats has 1. */
double image_white(enum fovea_format format, uint32_t channel);

/* A map of sigmas with two peaks and no symmetry. */
#define IMAGE_MAP_WIDTH 7
#define IMAGE_MAP_HEIGHT 5
extern const float image_map[IMAGE_MAP_WIDTH * IMAGE_MAP_HEIGHT];

unsigned char *image_pixel(const struct fovea_image *image, uint32_t x, uint32_t y);
double image_get(const struct fovea_image *image, uint32_t x, uint32_t y, uint32_t channel);
/* Rounds to the nearest the format has. */
void image_set(const struct fovea_image *image, uint32_t x, uint32_t y, uint32_t channel,
               double value);

/* Rows without gaps, image_channels a pixel. The caller frees it. */
double *image_to_doubles(const struct fovea_image *image);
