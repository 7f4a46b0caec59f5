/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The measurements of the thesis's ways share this: a way is a list of launches between buffers. */
#pragma once

#include "blur_thesis.h"
#include "exact.h"
#include "papers/cuda_ways.h"

#define THESIS_SRC 0 /* the picture that is read, the one that is written, and others */
#define THESIS_DST 1
#define THESIS_A 2 /* of the picture's size; C is the reference's of SSIM, too */
#define THESIS_B 3
#define THESIS_C 4
#define THESIS_BUFFERS 40

struct thesis_buffer {
    CUdeviceptr memory; /* float4[] */
    CUtexObject texture; /* 0: there is none */
    int32_t width_px, height_px;
};

struct thesis {
    struct cuda_ways ways;
    CUmodule module;
    CUmodule tables;
    CUmodule textures; /* NULL: the driver has no textures */
    int32_t side_px; /* pictures are square */
    float *src; /* the pictures' pixels */
    uint8_t *gaussian; /* the last Gaussian picture that SSIM took, in bytes, or NULL */
    double gaussian_px;
    struct thesis_buffer buffers[THESIS_BUFFERS];
    int buffer_count;
    CUtexObject pictures[BENCH_PICTURES];
    CUdeviceptr weights; /* float[], and a texture of them */
    CUtexObject weights_texture;
    const struct bench_size *counts; /* only how many ways of that size are wanted; else NULL */
    int wanted;
};

/* One launch, or what call does instead. */
struct thesis_step {
    CUfunction kernel;
    struct blur_thesis_params params; /* src and dst are filled in */
    unsigned grid[2], block[2];
    unsigned shared_bytes;
    int from, to; /* buffers */
    bool texture; /* from is read through its texture */
    enum fovea_result (*call)(struct cuda_bench *b, const struct thesis_step *step);
    void *call_user;
};

struct thesis_way {
    struct thesis *t;
    struct thesis_step *steps;
    size_t count;
    const char *what;
    double sigma_px; /* of its kernel, by second moments */
    struct exact_blur exact; /* what it is to make */
    bool timed_once;
};

/* ---- thesis.c: buffers and steps */

/* Opens what all ways of a size share. */
void thesis_open(struct thesis *t, const struct bench_size *size);
void thesis_close(struct thesis *t);
int thesis_add_buffer(struct thesis *t, int32_t width_px, int32_t height_px);
/* Constant memory of both files, and weights in memory. */
void thesis_set_weights(struct thesis *t, const float *weights, size_t count);
void thesis_set_links(struct thesis *t, const int32_t *links, size_t count);

struct thesis_way thesis_begin(struct thesis *t, const char *what, double sigma_px);
/* Adds a launch that writes all of a buffer, a thread a pixel in blocks of 16x16; the step is the
 * caller's to change until the next one is added. Its kernel is of
 * blur_thesis.cu or blur_tables.cu; texture: of blur_textures.cu. */
struct thesis_step *thesis_add(struct thesis_way *way, const char *kernel, int from, int to);
struct thesis_step *thesis_add_texture(struct thesis_way *way, const char *kernel, int from,
                                       int to);
/* Blocks of another shape, as many as cover what is written. */
void thesis_shape(struct thesis_way *way, struct thesis_step *step, unsigned width,
                  unsigned height);
/* Looks at it, times it, adds its row, frees its steps. */
void thesis_end(struct thesis_way *way);
/* Drops a way without a row. */
void thesis_drop(struct thesis_way *way);
enum fovea_result thesis_enqueue(struct cuda_bench *b, void *user, uint32_t picture);
bool thesis_want(struct thesis *t, const char *what);

/* ---- thesis_check.c */

bool thesis_check(void *user, const void *made, char *words, size_t bytes);
/* Writes how like the Gaussian of sigma another picture of the same size is. */
void thesis_words_of_quality(struct thesis *t, double sigma_px, const float *made, char *words,
                             size_t bytes);

/* ---- Ways, by chapter */

void thesis_convolutions(struct thesis *t);
void thesis_pyramids(struct thesis *t);
void thesis_tables(struct thesis *t); /* summed-area tables, boxes, spreading */
void thesis_diffusions(struct thesis *t);
void thesis_transforms(struct thesis *t);
