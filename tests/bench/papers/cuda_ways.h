/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Comparisons with published ways share this on a CUDA device: a way is looked at before it is
 * timed, against what double precision makes, and becomes a row. */
#pragma once

#include "cuda_bench.h"

struct cuda_ways {
    struct cuda_bench *b;
    enum result_kind kind;
    const char *name; /* of the comparison, in the names of its cases */
};

/* Checks the first picture as a way has made it, which lies in the device's memory where the
 * pictures do; words are for the table. False: it is not what it was to be. */
typedef bool (*cuda_ways_check_fn)(void *user, const void *made, char *words, size_t bytes);

struct cuda_way {
    const char *what;
    cuda_enqueue_fn enqueue;
    void *user;
    cuda_ways_check_fn check; /* NULL: it is not looked at */
    void *check_user;
    double ours_us; /* 0: nothing of ours is compared with it */
    /* Makes what user is anew, before each further use (cuda_lens_way). NULL: nothing to do. */
    void (*renew)(struct cuda_bench *b, void *user);
    bool once; /* no time with one picture again and again */
};

/* Pictures of that kind, and a copy of them as a row. */
void cuda_ways_pictures(struct cuda_ways *ways, const struct bench_size *size,
                        enum fovea_format format);
void cuda_ways_case_name(const struct cuda_ways *ways, const struct bench_size *size,
                         const char *what, char *out, size_t bytes);
/* True: the case is wished for. */
bool cuda_ways_want(const struct cuda_ways *ways, const char *what);
/* Its time as a row; 0 where its picture is wrong, which is a row, too. */
double cuda_ways_measure(struct cuda_ways *ways, const struct cuda_way *way);
/* A row of what was timed by the clock of the host. */
void cuda_ways_clocked(struct cuda_ways *ways, const char *what, double *us, size_t count,
                       double ours_us);
/* A row without a time: what double precision, or a count, says. */
void cuda_ways_note(struct cuda_ways *ways, const char *what, const char *words);

/* Returns the time of a row of this size; 0: it was not measured. */
double cuda_ways_measured_us(const struct cuda_ways *ways, const char *what);

/* Puts a function of the driver that the library does not call into a pointer to one; false: it is
 * not there, and the pointer is NULL. */
bool cuda_ways_find(const char *name, void *out_function);
/* Starts a kernel of one argument on the bench's stream. */
enum fovea_result cuda_ways_launch(struct cuda_bench *b, CUfunction kernel, const unsigned grid[2],
                                   const unsigned block[2], unsigned shared_bytes, void *params);
/* The same with as many blocks as cover so many pixels. */
enum fovea_result cuda_ways_launch_over(struct cuda_bench *b, CUfunction kernel, int32_t width_px,
                                        int32_t height_px, const unsigned block[2], void *params);
/* The variable of constant memory, and how large it is. */
CUdeviceptr cuda_ways_constant(struct cuda_bench *b, CUmodule module, const char *name,
                               size_t *out_bytes);
/* Device memory that has it; NULL data: all zeros. */
CUdeviceptr cuda_ways_upload(struct cuda_bench *b, const void *data, size_t bytes);

bool cuda_ways_has_textures(void);
/* Rows of texels in device memory, one every so many bytes. */
CUDA_RESOURCE_DESC cuda_ways_rows(CUdeviceptr memory, CUarray_format format, unsigned channels,
                                  size_t width, size_t height, size_t row_bytes);
/* Values between texels are interpolated, but in memory of one dimension; beyond the edge lies the
 * edge. */
CUtexObject cuda_ways_texture(struct cuda_bench *b, const CUDA_RESOURCE_DESC *resource);
CUtexObject cuda_ways_texture_as(struct cuda_bench *b, const CUDA_RESOURCE_DESC *resource,
                                 CUDA_TEXTURE_DESC how);
void cuda_ways_free_texture(struct cuda_bench *b, CUtexObject texture); /* 0: there is none */
