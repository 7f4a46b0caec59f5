/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header of version 0.2 without its comments: programs that were built with it still run.
 * It stays as it is (tests/test_abi.py). */
#ifndef FOVEA_IMAGE_H
#define FOVEA_IMAGE_H
#include "fovea_settings.h"
#ifdef __cplusplus
extern "C" {
#endif
enum fovea_format {
    FOVEA_FORMAT_NONE = 0,
    FOVEA_FORMAT_RGBA8 = 1,
    FOVEA_FORMAT_RGB8 = 2,
    FOVEA_FORMAT_R8 = 3,
    FOVEA_FORMAT_A2B10G10R10 = 4,
    FOVEA_FORMAT_B10G11R11F = 5,
    FOVEA_FORMAT_RGBA16F = 6,
    FOVEA_FORMAT_RGBA32F = 7,
    FOVEA_FORMAT_RGB16F = 8,
    FOVEA_FORMAT_R16F = 9,
    FOVEA_FORMAT_RGB32F = 10,
    FOVEA_FORMAT_R32F = 11,
};
enum fovea_memory {
    FOVEA_MEMORY_CPU = 0,
    FOVEA_MEMORY_CUDA = 1,
};
struct fovea_image {
    void *data;
    uint32_t width_px;
    uint32_t height_px;
    enum fovea_format format;
    enum fovea_memory memory;
    ptrdiff_t row_stride_bytes;
    ptrdiff_t pixel_stride_bytes;
};
FOVEA_API size_t fovea_format_bytes(enum fovea_format format);
struct fovea_context_desc {
    size_t struct_bytes;
    const struct fovea_settings *settings;
    int cuda_device;
    uint32_t reserved;
    struct fovea_log log;
};
static inline void fovea_context_desc_init(struct fovea_context_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}
struct fovea_context;
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_create(
    const struct fovea_context_desc *desc, struct fovea_context **out_context);
FOVEA_API void fovea_context_destroy(struct fovea_context **context);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_set_settings(
    struct fovea_context *context, const struct fovea_settings *settings);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run(struct fovea_context *context,
                                                               const struct fovea_image *src,
                                                               const struct fovea_image *dst,
                                                               struct fovea_point_uv gaze,
                                                               void *cuda_stream);
struct fovea_batch {
    size_t struct_bytes;
    uint32_t count;
    enum fovea_memory gazes_memory;
    struct fovea_image src;
    struct fovea_image dst;
    ptrdiff_t src_next_bytes;
    ptrdiff_t dst_next_bytes;
    const float *gazes_uv;
};
static inline void fovea_batch_init(struct fovea_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->struct_bytes = sizeof *batch;
}
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run_batch(
    struct fovea_context *context, const struct fovea_batch *batch, void *cuda_stream);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_sigma_map(const struct fovea_settings *settings,
                                                             uint32_t width_px, uint32_t height_px,
                                                             struct fovea_point_uv gaze,
                                                             float *out_sigma_px);
FOVEA_API double fovea_eccentricity_px(const struct fovea_settings *settings, uint32_t width_px,
                                       uint32_t height_px, struct fovea_point_uv gaze,
                                       double direction_deg, double eccentricity_deg);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_eccentricity_map(
    const struct fovea_settings *settings, uint32_t width_px, uint32_t height_px,
    struct fovea_point_uv gaze, float *out_deg);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_cutoff_map(const struct fovea_settings *settings,
                                                              uint32_t width_px, uint32_t height_px,
                                                              struct fovea_point_uv gaze,
                                                              float *out_cpd);
struct fovea_grating {
    double cycles_per_deg;
    double direction_deg;
};
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gain_map(const struct fovea_settings *settings,
                                                            uint32_t width_px, uint32_t height_px,
                                                            struct fovea_point_uv gaze,
                                                            const struct fovea_grating *grating,
                                                            float *out_gain);
#ifdef __cplusplus
}
#endif
#endif
