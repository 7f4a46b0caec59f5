/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fovea_lightfield.h"

#include "lightfield_check.h"
#include "lightfield_on_cuda.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "core/thread_pool.h"
#include "kernels/lightfield/cpu/lightfield_cpu.h"

#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_lightfield_geometry, reserved);
STRUCT_ENDS_WITH(struct fovea_lightfield_raw, row_stride_bytes);
STRUCT_ENDS_WITH(struct fovea_lightfield_desc, log);
STRUCT_ENDS_WITH(struct fovea_lightfield_foveation, next_px);
STRUCT_ENDS_WITH(struct fovea_lightfield_rendering, foveation);
STRUCT_ENDS_WITH(struct fovea_lightfield_matching, foveation);
STRUCT_ENDS_WITH(struct fovea_lightfield_refocusing, focus);
STRUCT_ENDS_WITH(struct fovea_lightfield_sum, view_y_px);

struct fovea_lightfield {
    struct thread_pool *pool;
    struct lightfield_cpu *cpu;
    struct lightfield_cuda *cuda; /* NULL: nothing needed it yet */
    struct fovea_log log;
};

/* ---- Create and destroy */

enum fovea_result fovea_lightfield_create(const struct fovea_lightfield_desc *desc,
                                          struct fovea_lightfield **out_field)
{
    struct fovea_lightfield_desc own;
    struct fovea_lightfield_geometry geometry;
    if (!out_field) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_field = NULL;
    if (!desc || !struct_take(&own, sizeof own, desc)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(lightfield_take_geometry(&own, &geometry));
    struct fovea_lightfield *field = calloc(1, sizeof *field);
    FOVEA_TRY_MEMORY(field);
    field->log = own.log;
    enum fovea_result result = thread_pool_create(own.cpu_threads, &field->pool);
    if (result >= 0) {
        result = lightfield_cpu_create(&geometry, field->pool, &field->cpu);
    }
    if (result < 0) {
        fovea_lightfield_destroy(&field);
        return result;
    }
    *out_field = field;
    return FOVEA_OK;
}

void fovea_lightfield_destroy(struct fovea_lightfield **field)
{
    if (!field || !*field) {
        return;
    }
    lightfield_on_cuda_destroy(&(*field)->cuda);
    lightfield_cpu_destroy(&(*field)->cpu);
    thread_pool_destroy(&(*field)->pool);
    free(*field);
    *field = NULL;
}

size_t fovea_lightfield_bytes(const struct fovea_lightfield *field)
{
    return field ? sizeof *field + lightfield_cpu_bytes(field->cpu) : 0;
}

/* A sum of shifted views has places for all columns, also where the picture is narrower. */
static enum fovea_result reserve(const struct fovea_lightfield *field, uint32_t width_px,
                                 uint32_t sizes)
{
    const uint32_t columns = field->cpu->geometry.columns;
    const enum fovea_result result =
        lightfield_cpu_reserve(field->cpu, width_px > columns ? width_px : columns, sizes);
    if (result < 0) {
        log_error(field->log, "light field: no memory for a picture of %u columns", width_px);
    }
    return result;
}

/* ---- Pictures */

static enum fovea_result run_on_cuda(struct fovea_lightfield *field,
                                     const struct lightfield_work *work, void *cuda_stream)
{
    const struct lightfield_on_cuda of = {&field->cuda, &field->cpu->geometry, cuda_stream,
                                          field->log};
    return lightfield_on_cuda_run(&of, work);
}

enum fovea_result fovea_lightfield_render(struct fovea_lightfield *field,
                                          const struct fovea_lightfield_raw *raw,
                                          const struct fovea_lightfield_rendering *rendering,
                                          const struct fovea_image *dst, void *cuda_stream)
{
    struct fovea_lightfield_rendering own;
    struct lightfield_work work = {.rendering = &own};
    struct fovea_lightfield_foveation foveation;
    struct fovea_image patches;
    if (!field || !raw || !rendering || !dst) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, rendering)) {
        return lightfield_refuse(field->log, struct_refusal(rendering));
    }
    const char *why = lightfield_refusal(&own, field->cpu->geometry.pitch_x_px);
    if (why) {
        return lightfield_refuse(field->log, why);
    }
    FOVEA_TRY(lightfield_take_foveation(field->log, &own.foveation, &foveation));
    FOVEA_TRY(lightfield_take_raw_of(&field->cpu->geometry, field->log, raw, &work.raw));
    FOVEA_TRY(lightfield_take_picture(field->log, &work.raw, dst, &work.dst));
    if (own.patches) {
        FOVEA_TRY(lightfield_take_floats(field->log, &work.raw, "patches", own.patches, &work.dst,
                                         &patches));
        own.patches = work.beside = &patches;
    }
    if (work.raw.memory == FOVEA_MEMORY_CUDA) {
        return run_on_cuda(field, &work, cuda_stream);
    }
    FOVEA_TRY(reserve(field, work.dst.width_px, 0));
    lightfield_cpu_render(field->cpu, &work.raw, &own, &work.dst);
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_depth(struct fovea_lightfield *field,
                                         const struct fovea_lightfield_raw *raw,
                                         const struct fovea_lightfield_matching *matching,
                                         const struct fovea_image *depth,
                                         const struct fovea_image *confidence, void *cuda_stream)
{
    struct fovea_lightfield_matching own;
    struct lightfield_work work = {.matching = &own};
    struct fovea_lightfield_foveation foveation;
    struct fovea_image own_confidence;
    if (!field || !raw || !matching || !depth) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, matching)) {
        return lightfield_refuse(field->log, struct_refusal(matching));
    }
    const char *why = lightfield_refusal_of_matching(&own, &field->cpu->geometry);
    if (why) {
        return lightfield_refuse(field->log, why);
    }
    FOVEA_TRY(lightfield_take_foveation(field->log, &own.foveation, &foveation));
    FOVEA_TRY(lightfield_take_raw_of(&field->cpu->geometry, field->log, raw, &work.raw));
    FOVEA_TRY(lightfield_take_floats(field->log, &work.raw, "depth", depth, NULL, &work.dst));
    if (confidence) {
        FOVEA_TRY(lightfield_take_floats(field->log, &work.raw, "confidence", confidence, &work.dst,
                                         &own_confidence));
        work.beside = &own_confidence;
    }
    if (work.raw.memory == FOVEA_MEMORY_CUDA) {
        return run_on_cuda(field, &work, cuda_stream);
    }
    FOVEA_TRY(reserve(field, work.dst.width_px, lightfield_size_count(&own)));
    lightfield_cpu_depth(field->cpu, &work.raw, &own, &work.dst, work.beside);
    return FOVEA_OK;
}

/* One pixel. */
static void write_focus(const struct fovea_image *focus, double patch_px)
{
    const float value = (float)patch_px;
    if (focus) {
        memcpy(focus->data, &value, sizeof value);
    }
}

enum fovea_result fovea_lightfield_refocus(struct fovea_lightfield *field,
                                           const struct fovea_lightfield_raw *raw,
                                           const struct fovea_lightfield_refocusing *refocusing,
                                           const struct fovea_image *dst, void *cuda_stream)
{
    static const struct fovea_image one = {.width_px = 1, .height_px = 1};
    struct fovea_lightfield_refocusing own;
    struct lightfield_work work = {.refocusing = &own};
    struct fovea_lightfield_foveation foveation;
    struct fovea_image focus;
    if (!field || !raw || !refocusing || !dst) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, refocusing)) {
        return lightfield_refuse(field->log, struct_refusal(refocusing));
    }
    const char *why = lightfield_refusal_of_refocusing(&own, &field->cpu->geometry);
    if (why) {
        return lightfield_refuse(field->log, why);
    }
    FOVEA_TRY(lightfield_take_foveation(field->log, &own.foveation, &foveation));
    FOVEA_TRY(lightfield_take_raw_of(&field->cpu->geometry, field->log, raw, &work.raw));
    FOVEA_TRY(lightfield_take_picture(field->log, &work.raw, dst, &work.dst));
    if (own.focus) {
        FOVEA_TRY(lightfield_take_floats(field->log, &work.raw, "focus", own.focus, &one, &focus));
        own.focus = work.beside = &focus;
    }
    if (work.raw.memory == FOVEA_MEMORY_CUDA) {
        return run_on_cuda(field, &work, cuda_stream);
    }
    struct fovea_lightfield_rendering rendering = lightfield_rendering_of(&own);
    FOVEA_TRY(reserve(field, work.dst.width_px, 0));
    rendering.patch_px = lightfield_cpu_focus(field->cpu, &work.raw, &own, &work.dst);
    lightfield_cpu_render(field->cpu, &work.raw, &rendering, &work.dst);
    write_focus(own.focus, rendering.patch_px);
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_sum_views(struct fovea_lightfield *field,
                                             const struct fovea_lightfield_raw *raw,
                                             const struct fovea_lightfield_sum *sum,
                                             const struct fovea_image *dst, void *cuda_stream)
{
    struct fovea_lightfield_sum own;
    struct lightfield_work work = {.sum = &own};
    if (!field || !raw || !sum || !dst) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, sum)) {
        return lightfield_refuse(field->log, struct_refusal(sum));
    }
    const char *why = lightfield_refusal_of_sum(&own, field->cpu->geometry.pitch_x_px);
    if (why) {
        return lightfield_refuse(field->log, why);
    }
    FOVEA_TRY(lightfield_take_raw_of(&field->cpu->geometry, field->log, raw, &work.raw));
    FOVEA_TRY(lightfield_take_picture(field->log, &work.raw, dst, &work.dst));
    if (work.raw.memory == FOVEA_MEMORY_CUDA) {
        return run_on_cuda(field, &work, cuda_stream);
    }
    FOVEA_TRY(reserve(field, work.dst.width_px, 0));
    lightfield_cpu_sum(field->cpu, &work.raw, &own, &work.dst);
    return FOVEA_OK;
}
