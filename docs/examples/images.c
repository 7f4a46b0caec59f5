/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include <fovea.h>

/* Once: the library's defaults, or what desc.settings says. */
static inline bool open_context(struct fovea_context **out_context)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    return fovea_context_create(&desc, out_context) == FOVEA_OK;
}

/* Pictures in CPU memory, one after the other; done when it returns. src is the first, dst where
 * the first goes. */
static inline bool foveate_pictures(struct fovea_context *context, struct fovea_image src,
                                    struct fovea_image dst, const float *gazes_uv, uint32_t count)
{
    ptrdiff_t next_bytes = src.row_stride_bytes * (ptrdiff_t)src.height_px;
    struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                .count = count,
                                .src = src,
                                .dst = dst,
                                .src_next_bytes = next_bytes,
                                .dst_next_bytes = next_bytes,
                                .gazes_uv = gazes_uv};
    return fovea_context_run_batch(context, &batch, NULL) == FOVEA_OK;
}

/* The agents of a simulator see pictures, one after the other in CUDA memory, and where each of
 * them looks is also there: x and y from 0 to 1. Enqueued on the simulator's stream, nothing waits.
 */
static inline bool foveate_agents(struct fovea_context *context, void *seen, void *foveated,
                                  const float *gazes_uv, uint32_t count, void *cuda_stream)
{
    struct fovea_image src = {.data = seen,
                              .width_px = 128,
                              .height_px = 128,
                              .format = FOVEA_FORMAT_RGB8,
                              .memory = FOVEA_MEMORY_CUDA,
                              .row_stride_bytes = 128 * 3};
    struct fovea_image dst = src;
    dst.data = foveated;
    struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                .count = count,
                                .src = src,
                                .dst = dst,
                                .src_next_bytes = 128 * 128 * 3,
                                .dst_next_bytes = 128 * 128 * 3,
                                .gazes_uv = gazes_uv,
                                .gazes_memory = FOVEA_MEMORY_CUDA};
    return fovea_context_run_batch(context, &batch, cuda_stream) == FOVEA_OK;
}

/* A stereo pair side by side in one image: the next eye begins half a row on. */
static inline bool foveate_stereo(struct fovea_context *context, struct fovea_image src,
                                  struct fovea_image dst, struct fovea_point_uv left,
                                  struct fovea_point_uv right)
{
    float gazes_uv[] = {(float)left.x_uv, (float)left.y_uv, (float)right.x_uv, (float)right.y_uv};
    ptrdiff_t half = (ptrdiff_t)(src.width_px / 2 * fovea_format_bytes(src.format));
    src.width_px /= 2;
    dst.width_px /= 2;
    struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                .count = 2,
                                .src = src,
                                .dst = dst,
                                .src_next_bytes = half,
                                .dst_next_bytes = half,
                                .gazes_uv = gazes_uv};
    return fovea_context_run_batch(context, &batch, NULL) == FOVEA_OK;
}

/* Blurs each pixel by its own sigma: R32F or R16F, as large as src. The context's "operators" is
 * blur, which looks at no gaze. */
static inline bool blur_by_sigmas(struct fovea_context *context, struct fovea_image src,
                                  struct fovea_image dst, struct fovea_image sigmas)
{
    struct fovea_batch batch = {
        .struct_bytes = sizeof batch, .count = 1, .src = src, .dst = dst, .sigmas = sigmas};
    return fovea_context_run_batch(context, &batch, NULL) == FOVEA_OK;
}
