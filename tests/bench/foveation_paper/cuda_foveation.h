/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The measurements of the paper's kernel share this. */
#pragma once

#include "papers/cuda_ways.h"
#include "plan.h"

#define FOVEATION_GAZES 3 /* in the centre, at the left edge, in the corner */

struct cuda_foveation {
    struct cuda_ways ways;
    CUmodule module;
    CUmodule mips; /* NULL: not loaded */
    uint8_t *src; /* the pictures' pixels */
};

/* A case: what is foveated, and how. */
struct foveation_case {
    int32_t fragment_px; /* 0: each pixel by itself */
    double strength;
    int gaze;
    bool shuffled;
    bool fixed;
};

/* The paper's kernel, or a sibling, ready for the pictures that are there. */
struct foveation_kernel {
    struct cuda_foveation *own;
    struct foveation_plan plan;
    struct foveation_paper_params params;
    CUfunction function;
    unsigned block[2];
    unsigned grid[2];
    unsigned shared_bytes;
    CUdeviceptr memory[4]; /* grid, weights, starts, scratch */
    bool ready; /* false: it does not fit; words say why */
    char words[RESULT_TEXT_BYTES];
};

/* Fovea's, ready for them. */
struct foveation_ours {
    struct fovea_foveation settings;
    struct fovea_point_uv gaze;
    struct cuda_prepared prepared;
};

const char *foveation_gaze_name(int gaze);
struct foveation_plan_desc foveation_desc_of(const struct cuda_foveation *own,
                                             const struct foveation_case *c);
int32_t foveation_pixel_bytes(const struct cuda_foveation *own);

/* cuda_foveation_kernel.c */
void foveation_kernel_make(struct cuda_foveation *own, const char *name, unsigned width,
                           unsigned height, const struct foveation_case *c,
                           struct foveation_kernel *out);
void foveation_kernel_free(struct foveation_kernel *kernel);
enum fovea_result foveation_kernel_enqueue(struct cuda_bench *b, void *user, uint32_t picture);
/* How far the first picture is from the plan's, or from each pixel's own filter, at every 13th
 * pixel of every 13th row; as words, and whether that is at most so much. */
double foveation_off_levels(const struct foveation_kernel *kernel, bool pixelwise,
                            const uint8_t *made);
bool foveation_judge(double worst, double most, char *words, size_t bytes);
bool foveation_check_blocks(void *user, const void *made, char *words, size_t bytes);
bool foveation_check_pixels(void *user, const void *made, char *words, size_t bytes);

/* Fovea's of that case, by the paper's printed numbers. */
void foveation_ours_make(struct cuda_foveation *own, const struct foveation_case *c,
                         struct foveation_ours *out);
void foveation_ours_free(struct cuda_bench *b, struct foveation_ours *ours);
/* `prepared` is ours'. A plan that a capture has used is that capture's: the next one needs
 * another.
 */
void foveation_ours_renew(struct cuda_bench *b, void *prepared);

/* The reference of the paper's Figure 3, as its own kernel. */
struct foveation_pixelwise {
    CUfunction function;
    struct foveation_pixelwise_params params;
};
struct foveation_pixelwise foveation_pixelwise_make(struct cuda_foveation *own,
                                                    const struct foveation_case *c);
enum fovea_result foveation_pixelwise_enqueue(struct cuda_bench *b, void *user, uint32_t picture);

/* Files of their own: a pyramid of mip levels; from memory of the CPU to memory of the CPU; SSIM.
 */
void cuda_foveation_mips(struct cuda_foveation *own);
void cuda_foveation_memory(struct cuda_foveation *own);
void cuda_foveation_ssim(struct cuda_foveation *own);
