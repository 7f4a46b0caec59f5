/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fovea_lightfield.h"

#include "context_image.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "core/thread_pool.h"
#include "kernels/image/pixel.h"
#include "kernels/lightfield/cpu/lightfield_cpu.h"

#include <math.h>
#include <stdlib.h>

STRUCT_ENDS_WITH(struct fovea_lightfield_geometry, rotation_deg);
STRUCT_ENDS_WITH(struct fovea_lightfield_raw, row_stride_bytes);
STRUCT_ENDS_WITH(struct fovea_lightfield_desc, log);
STRUCT_ENDS_WITH(struct fovea_lightfield_rendering, patches);
STRUCT_ENDS_WITH(struct fovea_lightfield_matching, reserved);
STRUCT_ENDS_WITH(struct fovea_lightfield_sum, view_y_px);

#define SIGMA_PARTS_MAX 24.0
#define SIGMA_MAX_PX 1e6
#define STRIDE_MAX_BYTES ((ptrdiff_t)1 << 40)

struct fovea_lightfield {
    struct thread_pool *pool;
    struct lightfield_cpu *cpu;
    struct fovea_log log;
};

/* ---- Create and destroy */

static enum fovea_result take_geometry(const struct fovea_lightfield_desc *desc,
                                       struct fovea_lightfield_geometry *out)
{
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    if (!desc->geometry || !struct_take(out, sizeof *out, desc->geometry)) {
        log_error(desc->log, "fovea_lightfield_desc: geometry %s",
                  desc->geometry ? struct_refusal(desc->geometry) : "is NULL");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!lightfield_geometry_check(out, problem)) {
        log_error(desc->log, "fovea_lightfield_geometry: %s", problem);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (desc->reserved != 0) {
        log_error(desc->log, "fovea_lightfield_desc: reserved is not 0");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

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
    FOVEA_TRY(take_geometry(&own, &geometry));
    struct fovea_lightfield *field = calloc(1, sizeof *field);
    if (!field) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
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
    if ((*field)->cpu) {
        lightfield_cpu_destroy(&(*field)->cpu);
    }
    thread_pool_destroy(&(*field)->pool);
    free(*field);
    *field = NULL;
}

size_t fovea_lightfield_bytes(const struct fovea_lightfield *field)
{
    return field ? sizeof *field + lightfield_cpu_bytes(field->cpu) : 0;
}

/* ---- Checks. A problem is said with the name of the field. */

static enum fovea_result refuse(const struct fovea_lightfield *field, const char *problem)
{
    log_error(field->log, "light field: %s", problem);
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

static bool is_mosaic(enum fovea_lightfield_bayer bayer)
{
    return bayer > FOVEA_LIGHTFIELD_BAYER_NONE && bayer <= FOVEA_LIGHTFIELD_BAYER_BGGR;
}

static bool is_grey(enum fovea_lightfield_format format)
{
    return format == FOVEA_LIGHTFIELD_FORMAT_R8 || format == FOVEA_LIGHTFIELD_FORMAT_R16;
}

static uint32_t channel_bytes(enum fovea_lightfield_format format)
{
    return format >= FOVEA_LIGHTFIELD_FORMAT_R16 ? 2 : 1;
}

static int64_t pixel_bytes(enum fovea_lightfield_format format)
{
    static const int64_t bytes[] = {0, 1, 3, 4, 2, 6, 8};
    return bytes[format];
}

static bool check_kind(const struct fovea_lightfield_raw *raw, char *out)
{
    if (!raw->data) {
        return CONTEXT_PROBLEM(out, "raw.data is NULL");
    }
    if (raw->format <= FOVEA_LIGHTFIELD_FORMAT_NONE ||
        raw->format > FOVEA_LIGHTFIELD_FORMAT_RGBA16) {
        return CONTEXT_PROBLEM(out, "raw.format is %d, which is no format", (int)raw->format);
    }
    if (raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE && !is_mosaic(raw->bayer)) {
        return CONTEXT_PROBLEM(out, "raw.bayer is %d, which is no mosaic", (int)raw->bayer);
    }
    if (is_mosaic(raw->bayer) && !is_grey(raw->format)) {
        return CONTEXT_PROBLEM(out, "raw.bayer is for the formats R8 and R16");
    }
    if (raw->memory != FOVEA_MEMORY_CPU && raw->memory != FOVEA_MEMORY_CUDA) {
        return CONTEXT_PROBLEM(out, "raw.memory is %d, which is no memory", (int)raw->memory);
    }
    return true;
}

static bool check_maximum(struct fovea_lightfield_raw *raw, char *out)
{
    const uint32_t most = channel_bytes(raw->format) == 2 ? 65535 : 255;
    raw->maximum = raw->maximum == 0 ? most : raw->maximum;
    if (channel_bytes(raw->format) == 1 && raw->maximum != most) {
        return CONTEXT_PROBLEM(out, "raw.maximum is %u; of 8 bits it is 0 or 255", raw->maximum);
    }
    return raw->maximum <= most ||
           CONTEXT_PROBLEM(out, "raw.maximum is %u; of 16 bits it is 65535 at most", raw->maximum);
}

static bool check_rows(const struct fovea_lightfield_raw *raw, char *out)
{
    const int64_t row_bytes = raw->width_px * pixel_bytes(raw->format);
    const ptrdiff_t stride = raw->row_stride_bytes;
    const uint32_t align = channel_bytes(raw->format);
    if (stride > STRIDE_MAX_BYTES || stride < -STRIDE_MAX_BYTES ||
        (stride < 0 ? -stride : stride) < row_bytes) {
        return CONTEXT_PROBLEM(out, "raw.row_stride_bytes is %td, but a row has %lld bytes", stride,
                               (long long)row_bytes);
    }
    return ((uintptr_t)raw->data % align == 0 && stride % (ptrdiff_t)align == 0) ||
           CONTEXT_PROBLEM(out, "raw.data or raw.row_stride_bytes is not aligned to %u bytes",
                           align);
}

/* Fills in the maximum. */
static bool check_raw(struct fovea_lightfield_raw *raw, char *out)
{
    return check_kind(raw, out) && check_maximum(raw, out) && check_rows(raw, out);
}

static enum fovea_result take_raw(const struct fovea_lightfield *field,
                                  const struct fovea_lightfield_raw *given,
                                  struct fovea_lightfield_raw *out)
{
    const struct fovea_lightfield_geometry *geometry = &field->cpu->geometry;
    char problem[CONTEXT_PROBLEM_BYTES];
    if (!struct_take(out, sizeof *out, given)) {
        return refuse(field, struct_refusal(given));
    }
    if (!check_raw(out, problem)) {
        return refuse(field, problem);
    }
    if (out->width_px != geometry->raw_width_px || out->height_px != geometry->raw_height_px) {
        snprintf(problem, sizeof problem,
                 "raw.width_px and raw.height_px are %ux%u, but the geometry is of %ux%u pixels",
                 out->width_px, out->height_px, geometry->raw_width_px, geometry->raw_height_px);
        return refuse(field, problem);
    }
    if (out->memory != FOVEA_MEMORY_CPU) {
        log_error(field->log, "light field: this version reads raw pictures in CPU memory alone");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

/* In CPU memory, apart from the raw picture. */
static enum fovea_result take_image(const struct fovea_lightfield *field, const char *name,
                                    const struct fovea_image *given, struct fovea_image *out)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    *out = *given;
    if (!context_image_check(out, name, problem)) {
        return refuse(field, problem);
    }
    if (out->memory != FOVEA_MEMORY_CPU) {
        log_error(field->log,
                  "light field: %s is in CUDA memory, and this version writes and reads "
                  "CPU memory alone",
                  name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

static enum fovea_result take_picture(const struct fovea_lightfield *field,
                                      const struct fovea_lightfield_raw *raw,
                                      const struct fovea_image *given, struct fovea_image *out)
{
    FOVEA_TRY(take_image(field, "dst", given, out));
    if (pixel_codec_of(out->format)->color_channels == 1 &&
        !(is_grey(raw->format) && raw->bayer == FOVEA_LIGHTFIELD_BAYER_NONE)) {
        return refuse(field, "dst.format has one channel, but raw.format has colours");
    }
    return FOVEA_OK;
}

/* One number a pixel, of the picture's size. */
static enum fovea_result take_floats(const struct fovea_lightfield *field, const char *name,
                                     const struct fovea_image *given,
                                     const struct fovea_image *picture, struct fovea_image *out)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    FOVEA_TRY(take_image(field, name, given, out));
    if (out->format != FOVEA_FORMAT_R32F) {
        snprintf(problem, sizeof problem, "%s.format is not R32F", name);
        return refuse(field, problem);
    }
    if (picture && (out->width_px != picture->width_px || out->height_px != picture->height_px)) {
        snprintf(problem, sizeof problem, "%s is %ux%u, but the picture is %ux%u", name,
                 out->width_px, out->height_px, picture->width_px, picture->height_px);
        return refuse(field, problem);
    }
    return FOVEA_OK;
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

static bool in_range(double value, double low, double high)
{
    return value >= low && value <= high;
}

/* ---- Pictures */

static const char *refusal(const struct fovea_lightfield_rendering *rendering, double pitch_px)
{
    if (!in_range(rendering->patch_px, 1.0, pitch_px)) {
        return "patch_px is not 1 .. pitch_x_px";
    }
    if (rendering->range > LIGHTFIELD_RANGE_MAX) {
        return "range is more than 5";
    }
    if (rendering->filter != FOVEA_LIGHTFIELD_FILTER_LINEAR &&
        rendering->filter != FOVEA_LIGHTFIELD_FILTER_NEAREST) {
        return "filter is none of them";
    }
    if (rendering->sigma_px != 0.0 &&
        !in_range(rendering->sigma_px, pitch_px / SIGMA_PARTS_MAX, SIGMA_MAX_PX)) {
        return "sigma_px is not pitch_x_px / 24 .. 1e6";
    }
    if (!in_range(fabs(rendering->view_x_px), 0.0, pitch_px / 2.0) ||
        !in_range(fabs(rendering->view_y_px), 0.0, pitch_px / 2.0)) {
        return "view_x_px or view_y_px is more than half of pitch_x_px";
    }
    return NULL;
}

enum fovea_result fovea_lightfield_render(struct fovea_lightfield *field,
                                          const struct fovea_lightfield_raw *raw,
                                          const struct fovea_lightfield_rendering *rendering,
                                          const struct fovea_image *dst, void *cuda_stream)
{
    struct fovea_lightfield_raw own_raw;
    struct fovea_lightfield_rendering own;
    struct fovea_image picture;
    struct fovea_image patches;
    (void)cuda_stream;
    if (!field || !raw || !rendering || !dst) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, rendering)) {
        return refuse(field, struct_refusal(rendering));
    }
    const char *why = refusal(&own, field->cpu->geometry.pitch_x_px);
    if (why) {
        return refuse(field, why);
    }
    FOVEA_TRY(take_raw(field, raw, &own_raw));
    FOVEA_TRY(take_picture(field, &own_raw, dst, &picture));
    if (own.patches) {
        FOVEA_TRY(take_floats(field, "patches", own.patches, &picture, &patches));
        own.patches = &patches;
    }
    FOVEA_TRY(reserve(field, picture.width_px, 0));
    lightfield_cpu_render(field->cpu, &own_raw, &own, &picture);
    return FOVEA_OK;
}

static const char *refusal_of_matching(const struct fovea_lightfield_matching *matching,
                                       const struct fovea_lightfield_geometry *geometry)
{
    const double span = matching->last_px - matching->first_px;
    if (!in_range(matching->first_px, 1.0, geometry->pitch_x_px) ||
        !in_range(matching->last_px, matching->first_px, geometry->pitch_x_px)) {
        return "first_px and last_px are not 1 .. pitch_x_px, the first no more than the last";
    }
    if (!(matching->step_px > 0.0 && span / matching->step_px < LIGHTFIELD_SIZES_MAX)) {
        return "step_px is not above 0, or there are more than 256 patch sizes";
    }
    if (matching->range < 1 || matching->range > LIGHTFIELD_RANGE_MAX) {
        return "range is not 1 .. 5";
    }
    if (matching->filter != FOVEA_LIGHTFIELD_FILTER_LINEAR &&
        matching->filter != FOVEA_LIGHTFIELD_FILTER_NEAREST) {
        return "filter is none of them";
    }
    if (matching->box > 1 || matching->reserved != 0) {
        return "box is not 0 or 1, or reserved not 0";
    }
    return geometry->columns * geometry->rows < 2 ? "columns and rows: one lens has no depths"
                                                  : NULL;
}

enum fovea_result fovea_lightfield_depth(struct fovea_lightfield *field,
                                         const struct fovea_lightfield_raw *raw,
                                         const struct fovea_lightfield_matching *matching,
                                         const struct fovea_image *depth,
                                         const struct fovea_image *confidence, void *cuda_stream)
{
    struct fovea_lightfield_raw own_raw;
    struct fovea_lightfield_matching own;
    struct fovea_image own_depth;
    struct fovea_image own_confidence;
    (void)cuda_stream;
    if (!field || !raw || !matching || !depth) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, matching)) {
        return refuse(field, struct_refusal(matching));
    }
    const char *why = refusal_of_matching(&own, &field->cpu->geometry);
    if (why) {
        return refuse(field, why);
    }
    FOVEA_TRY(take_raw(field, raw, &own_raw));
    FOVEA_TRY(take_floats(field, "depth", depth, NULL, &own_depth));
    if (confidence) {
        FOVEA_TRY(take_floats(field, "confidence", confidence, &own_depth, &own_confidence));
    }
    FOVEA_TRY(reserve(field, own_depth.width_px, lightfield_size_count(&own)));
    lightfield_cpu_depth(field->cpu, &own_raw, &own, &own_depth,
                         confidence ? &own_confidence : NULL);
    return FOVEA_OK;
}

static const char *refusal_of_sum(const struct fovea_lightfield_sum *sum, double pitch_px)
{
    if (!in_range(sum->shift, -1.0, 1.0)) {
        return "shift is not -1 .. 1";
    }
    if (!in_range(sum->radius_px, 0.0, pitch_px / 2.0)) {
        return "radius_px is not 0 .. half of pitch_x_px";
    }
    return in_range(fabs(sum->view_x_px), 0.0, pitch_px / 2.0) &&
                   in_range(fabs(sum->view_y_px), 0.0, pitch_px / 2.0)
               ? NULL
               : "view_x_px or view_y_px is more than half of pitch_x_px";
}

enum fovea_result fovea_lightfield_sum_views(struct fovea_lightfield *field,
                                             const struct fovea_lightfield_raw *raw,
                                             const struct fovea_lightfield_sum *sum,
                                             const struct fovea_image *dst, void *cuda_stream)
{
    struct fovea_lightfield_raw own_raw;
    struct fovea_lightfield_sum own;
    struct fovea_image picture;
    (void)cuda_stream;
    if (!field || !raw || !sum || !dst) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, sum)) {
        return refuse(field, struct_refusal(sum));
    }
    const char *why = refusal_of_sum(&own, field->cpu->geometry.pitch_x_px);
    if (why) {
        return refuse(field, why);
    }
    FOVEA_TRY(take_raw(field, raw, &own_raw));
    FOVEA_TRY(take_picture(field, &own_raw, dst, &picture));
    FOVEA_TRY(reserve(field, picture.width_px, 0));
    lightfield_cpu_sum(field->cpu, &own_raw, &own, &picture);
    return FOVEA_OK;
}
