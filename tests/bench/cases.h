/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This lists what is measured: sizes x modes x gazes, and the pictures for it. */
#pragma once

#include "config/settings.h"

/* So many pictures take turns, so that none is found in a cache by chance. */
#define BENCH_PICTURES 8

struct bench_size {
    const char *name;
    uint32_t width_px;
    uint32_t height_px;
};

/* Foveation comes first and then the mode's operator: as a row, or each by itself; or the operator
 * first, as a row. */
enum bench_row { BENCH_ALONE, BENCH_ROW, BENCH_APART, BENCH_BEFORE };

/* Depths for dof, as mode->of_operator has them: what is seen from over a ground, with things that
 * stand before the focus; no such things and nothing before it; all in focus. */
enum bench_depths {
    BENCH_DEPTHS_NEAR,
    BENCH_DEPTHS_FAR,
    BENCH_DEPTHS_IN_FOCUS,
    BENCH_DEPTHS_KINDS,
};

struct bench_mode {
    const char *name;
    const char *words; /* what it is, for the reader of the table */
    enum fovea_method method;
    enum fovea_model model;
    enum fovea_light light;
    double strength;
    uint32_t fragment_px;
    enum fovea_format format;
    bool series; /* for the plot over strength: 1080p and 4K, the centre, no more */
    enum fovea_operator op; /* others than foveation on GPUs alone */
    /* blur: sigma in px, or less than 0 a radius of the engine fft, and with 1000 for each engine
     * before it another one's; lens: what is added to r2 for red, or which other one from 1 on;
     * dof: enum bench_depths */
    double of_operator;
    enum bench_row row;
};

struct bench_gaze {
    const char *name;
    bool centre; /* else CORNER_PX from the left and the top */
};

struct bench_case {
    const struct bench_size *size;
    const struct bench_mode *mode;
    const struct bench_gaze *gaze;
};

/* Not every mode is measured everywhere. */
bool bench_case_exists(const struct bench_case *c);
/* Runs on CUDA alone. */
bool bench_is_fft(const struct bench_mode *mode);

extern const struct bench_mode bench_modes[];
extern const size_t bench_mode_count;
extern const struct bench_gaze bench_gazes[];
extern const size_t bench_gaze_count;

/* The sizes that are wished for: 720p to 8K, or with quick one that takes no time. */
const struct bench_size *bench_sizes(bool quick, size_t *out_count);
const struct bench_size *bench_size_named(const char *name); /* NULL: none */

struct fovea_foveation bench_foveation(const struct bench_mode *mode);
/* Its operator, or row, and all that belongs to it. */
struct fovea_settings bench_settings(const struct bench_mode *mode);
struct fovea_point_uv bench_gaze_uv(const struct bench_gaze *gaze, const struct bench_size *size);
const char *bench_format_name(enum fovea_format format);
size_t bench_image_bytes(const struct bench_size *size, enum fovea_format format);
/* Rows without gaps, nothing behind them. */
struct fovea_image bench_image(const struct bench_size *size, enum fovea_format format,
                               enum fovea_memory memory, void *data);

/* A depth buffer of 32-bit floats, reversed, whose near plane is at BENCH_NEAR_M. */
#define BENCH_NEAR_M 0.1
void bench_draw_depths(const struct bench_size *size, enum bench_depths depths, float *out);

/* x and y for each image of a batch, all over it. */
void bench_place_gazes(float *gazes, uint32_t count);

/* Whether pictures of RGBA8 have an alpha that varies from now on; else they are opaque, as frames
 * of engines are. */
void bench_draw_alpha(bool varies);
/* Shades with noise; halves and floats within 0..1. */
void bench_draw(void *pixels, size_t bytes, enum fovea_format format);
