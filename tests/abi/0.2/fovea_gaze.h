/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header of version 0.2 without its comments: programs that were built with it still run.
 * It stays as it is (tests/test_abi.py). */
#ifndef FOVEA_GAZE_H
#define FOVEA_GAZE_H
#include "fovea_settings.h"
#ifdef __cplusplus
extern "C" {
#endif
struct fovea_gaze_sample {
    double x;
    double y;
    int64_t t_ns;
    double confidence;
    bool blink;
};
enum fovea_gaze_state {
    FOVEA_GAZE_TRACKED = 0,
    FOVEA_GAZE_HELD = 1,
    FOVEA_GAZE_LOST = 2,
};
struct fovea_gaze {
    struct fovea_point_uv point;
    enum fovea_gaze_state state;
    bool usable;
    int64_t age_ns;
    double rate_hz;
    uint64_t sample_count;
    uint64_t rejected_count;
};
struct fovea_gaze_source_desc {
    size_t struct_bytes;
    const struct fovea_settings *settings;
    struct fovea_log log;
};
static inline void fovea_gaze_source_desc_init(struct fovea_gaze_source_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}
struct fovea_gaze_source;
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_create(
    const struct fovea_gaze_source_desc *desc, struct fovea_gaze_source **out_source);
FOVEA_API void fovea_gaze_source_destroy(struct fovea_gaze_source **source);
FOVEA_API uint16_t fovea_gaze_source_udp_port(const struct fovea_gaze_source *source);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_push(
    struct fovea_gaze_source *source, const struct fovea_gaze_sample *sample);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_read(
    struct fovea_gaze_source *source, int64_t t_ns, uint32_t width_px, uint32_t height_px,
    struct fovea_gaze *out_gaze);
#ifdef __cplusplus
}
#endif
#endif
