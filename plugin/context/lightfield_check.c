/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A problem is said with the name of the field. */

#include "lightfield_check.h"

#include "context_image.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/image/pixel.h"
#include "kernels/lightfield/calibrate/white.h"

#include <math.h>

#define SIGMA_PARTS_MAX 24.0
#define SIGMA_MAX_PX 1e6
#define RING_MAX_PX 1e6
#define SECONDS_MAX 1e6
#define STRIDE_MAX_BYTES ((ptrdiff_t)1 << 40)

enum fovea_result lightfield_refuse(struct fovea_log log, const char *problem)
{
    log_error(log, "light field: %s", problem);
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

enum fovea_result lightfield_take_geometry(const struct fovea_lightfield_desc *desc,
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

/* ---- Pictures */

static bool is_mosaic(enum fovea_lightfield_bayer bayer)
{
    return bayer > FOVEA_LIGHTFIELD_BAYER_NONE && bayer <= FOVEA_LIGHTFIELD_BAYER_BGGR;
}

static bool is_grey(enum fovea_lightfield_format format)
{
    return white_channels(format) == 1;
}

static uint32_t channel_bytes(enum fovea_lightfield_format format)
{
    return white_is_16_bit(format) ? 2 : 1;
}

static bool check_kind(const struct fovea_lightfield_raw *raw, const char *name, char *out)
{
    if (!raw->data) {
        return CONTEXT_PROBLEM(out, "%s.data is NULL", name);
    }
    if (raw->format <= FOVEA_LIGHTFIELD_FORMAT_NONE ||
        raw->format > FOVEA_LIGHTFIELD_FORMAT_RGBA16) {
        return CONTEXT_PROBLEM(out, "%s.format is %d, which is no format", name, (int)raw->format);
    }
    if (raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE && !is_mosaic(raw->bayer)) {
        return CONTEXT_PROBLEM(out, "%s.bayer is %d, which is no mosaic", name, (int)raw->bayer);
    }
    if (is_mosaic(raw->bayer) && !is_grey(raw->format)) {
        return CONTEXT_PROBLEM(out, "%s.bayer is for the formats R8 and R16", name);
    }
    if (raw->memory != FOVEA_MEMORY_CPU && raw->memory != FOVEA_MEMORY_CUDA) {
        return CONTEXT_PROBLEM(out, "%s.memory is %d, which is no memory", name, (int)raw->memory);
    }
    return true;
}

static bool is_side(uint32_t length_px)
{
    return length_px >= LIGHTFIELD_RAW_LEAST_PX && length_px <= LIGHTFIELD_RAW_MOST_PX;
}

static bool check_size(const struct fovea_lightfield_raw *raw, const char *name, char *out)
{
    return (is_side(raw->width_px) && is_side(raw->height_px)) ||
           CONTEXT_PROBLEM(out, "%s.width_px and %s.height_px are %ux%u, not %d .. %d", name, name,
                           raw->width_px, raw->height_px, LIGHTFIELD_RAW_LEAST_PX,
                           LIGHTFIELD_RAW_MOST_PX);
}

static bool check_maximum(struct fovea_lightfield_raw *raw, const char *name, char *out)
{
    const uint32_t most = white_is_16_bit(raw->format) ? 65535 : 255;
    raw->maximum = raw->maximum == 0 ? most : raw->maximum;
    if (!white_is_16_bit(raw->format) && raw->maximum != most) {
        return CONTEXT_PROBLEM(out, "%s.maximum is %u; of 8 bits it is 0 or 255", name,
                               raw->maximum);
    }
    return raw->maximum <= most ||
           CONTEXT_PROBLEM(out, "%s.maximum is %u; of 16 bits it is 65535 at most", name,
                           raw->maximum);
}

static bool check_rows(const struct fovea_lightfield_raw *raw, const char *name, char *out)
{
    const uint32_t align = channel_bytes(raw->format);
    const int64_t row_bytes = (int64_t)raw->width_px * white_channels(raw->format) * align;
    const ptrdiff_t stride = raw->row_stride_bytes;
    if (stride > STRIDE_MAX_BYTES || stride < -STRIDE_MAX_BYTES ||
        (stride < 0 ? -stride : stride) < row_bytes) {
        return CONTEXT_PROBLEM(out, "%s.row_stride_bytes is %td, but a row has %lld bytes", name,
                               stride, (long long)row_bytes);
    }
    return ((uintptr_t)raw->data % align == 0 && stride % (ptrdiff_t)align == 0) ||
           CONTEXT_PROBLEM(out, "%s.data or %s.row_stride_bytes is not aligned to %u bytes", name,
                           name, align);
}

enum fovea_result lightfield_take_raw(struct fovea_log log, const char *name,
                                      const struct fovea_lightfield_raw *given,
                                      struct fovea_lightfield_raw *out)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    if (!struct_take(out, sizeof *out, given)) {
        log_error(log, "light field: %s: %s", name, struct_refusal(given));
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return check_kind(out, name, problem) && check_size(out, name, problem) &&
                   check_maximum(out, name, problem) && check_rows(out, name, problem)
               ? FOVEA_OK
               : lightfield_refuse(log, problem);
}

enum fovea_result lightfield_take_raw_of(const struct fovea_lightfield_geometry *geometry,
                                         struct fovea_log log,
                                         const struct fovea_lightfield_raw *given,
                                         struct fovea_lightfield_raw *out)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    FOVEA_TRY(lightfield_take_raw(log, "raw", given, out));
    if (out->width_px != geometry->raw_width_px || out->height_px != geometry->raw_height_px) {
        snprintf(problem, sizeof problem,
                 "raw.width_px and raw.height_px are %ux%u, but the geometry is of %ux%u pixels",
                 out->width_px, out->height_px, geometry->raw_width_px, geometry->raw_height_px);
        return lightfield_refuse(log, problem);
    }
    return FOVEA_OK;
}

enum fovea_result lightfield_take_raw_on_cpu(struct fovea_log log, const char *name,
                                             const struct fovea_lightfield_raw *given,
                                             struct fovea_lightfield_raw *out)
{
    FOVEA_TRY(lightfield_take_raw(log, name, given, out));
    if (out->memory != FOVEA_MEMORY_CPU) {
        log_error(log, "light field: %s is in CUDA memory, and this version reads CPU memory alone",
                  name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

/* In the memory that the raw picture lies in. */
static enum fovea_result take_image(struct fovea_log log, const struct fovea_lightfield_raw *raw,
                                    const char *name, const struct fovea_image *given,
                                    struct fovea_image *out)
{
    static const char *const memories[] = {"CPU", "CUDA"};
    char problem[CONTEXT_PROBLEM_BYTES];
    *out = *given;
    if (!context_image_check(out, name, problem)) {
        return lightfield_refuse(log, problem);
    }
    if (context_image_lacks_kernels(out, name, problem)) {
        log_error(log, "light field: %s", problem);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (out->memory != raw->memory) {
        snprintf(problem, sizeof problem, "%s is in %s memory, but the raw picture is in %s memory",
                 name, memories[out->memory == FOVEA_MEMORY_CUDA],
                 memories[raw->memory == FOVEA_MEMORY_CUDA]);
        return lightfield_refuse(log, problem);
    }
    return FOVEA_OK;
}

enum fovea_result lightfield_take_picture(struct fovea_log log,
                                          const struct fovea_lightfield_raw *raw,
                                          const struct fovea_image *given, struct fovea_image *out)
{
    FOVEA_TRY(take_image(log, raw, "dst", given, out));
    if (pixel_codec_of(out->format)->color_channels == 1 &&
        !(is_grey(raw->format) && raw->bayer == FOVEA_LIGHTFIELD_BAYER_NONE)) {
        return lightfield_refuse(log, "dst.format has one channel, but raw.format has colours");
    }
    return FOVEA_OK;
}

enum fovea_result lightfield_take_floats(struct fovea_log log,
                                         const struct fovea_lightfield_raw *raw, const char *name,
                                         const struct fovea_image *given,
                                         const struct fovea_image *picture, struct fovea_image *out)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    FOVEA_TRY(take_image(log, raw, name, given, out));
    if (out->format != FOVEA_FORMAT_R32F) {
        snprintf(problem, sizeof problem, "%s.format is not R32F", name);
        return lightfield_refuse(log, problem);
    }
    if (picture && (out->width_px != picture->width_px || out->height_px != picture->height_px)) {
        snprintf(problem, sizeof problem, "%s is %ux%u, but the picture is %ux%u", name,
                 out->width_px, out->height_px, picture->width_px, picture->height_px);
        return lightfield_refuse(log, problem);
    }
    return FOVEA_OK;
}

/* ---- What is made of them */

static bool in_range(double value, double low, double high)
{
    return value >= low && value <= high;
}

const char *lightfield_refusal(const struct fovea_lightfield_rendering *rendering, double pitch_px)
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
    return rendering->foveation && (rendering->view_x_px != 0.0 || rendering->view_y_px != 0.0)
               ? "foveation is set, and view_x_px or view_y_px is not 0"
               : NULL;
}

enum fovea_result lightfield_take_foveation(struct fovea_log log,
                                            const struct fovea_lightfield_foveation **given,
                                            struct fovea_lightfield_foveation *out)
{
    if (!*given) {
        return FOVEA_OK;
    }
    if (!struct_take(out, sizeof *out, *given)) {
        log_error(log, "light field: foveation: %s", struct_refusal(*given));
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(out->gaze.x_uv) || !isfinite(out->gaze.y_uv)) {
        return lightfield_refuse(log, "foveation.gaze is not finite");
    }
    if (!in_range(out->full_px, 0.0, RING_MAX_PX) ||
        !in_range(out->next_px, out->full_px, RING_MAX_PX)) {
        return lightfield_refuse(log, "foveation.full_px and foveation.next_px are not 0 .. 1e6, "
                                      "the first no more than the second");
    }
    *given = out;
    return FOVEA_OK;
}

const char *lightfield_refusal_of_matching(const struct fovea_lightfield_matching *matching,
                                           const struct fovea_lightfield_geometry *geometry)
{
    if (!in_range(matching->first_px, 1.0, geometry->pitch_x_px) ||
        !in_range(matching->last_px, matching->first_px, geometry->pitch_x_px)) {
        return "first_px and last_px are not 1 .. pitch_x_px, the first no more than the last";
    }
    if (lightfield_size_count(matching) == 0) {
        return "step_px is not above 0, or infinite, or there are more than 256 patch sizes";
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
    if (matching->box && matching->foveation) {
        return "foveation is set, and box is not 0";
    }
    return geometry->columns * geometry->rows < 2 ? "columns and rows: one lens has no depths"
                                                  : NULL;
}

const char *lightfield_refusal_of_refocusing(const struct fovea_lightfield_refocusing *refocusing,
                                             const struct fovea_lightfield_geometry *geometry)
{
    const struct fovea_lightfield_matching matching = lightfield_matching_of(refocusing);
    const struct fovea_lightfield_rendering rendering = lightfield_rendering_of(refocusing);
    const char *why = lightfield_refusal_of_matching(&matching, geometry);
    if (why || (why = lightfield_refusal(&rendering, geometry->pitch_x_px))) {
        return why;
    }
    if (!in_range(refocusing->elapsed_s, 0.0, SECONDS_MAX) ||
        !in_range(refocusing->focus_time_s, 0.0, SECONDS_MAX)) {
        return "elapsed_s or focus_time_s is not 0 .. 1e6";
    }
    if (!in_range(refocusing->focus_hysteresis_px, 0.0, geometry->pitch_x_px)) {
        return "focus_hysteresis_px is not 0 .. pitch_x_px";
    }
    if (refocusing->window_px < 1 || refocusing->window_px > LIGHTFIELD_WINDOW_MAX_PX) {
        return "window_px is not 1 .. 63";
    }
    return refocusing->reserved != 0 ? "reserved is not 0" : NULL;
}

const char *lightfield_refusal_of_sum(const struct fovea_lightfield_sum *sum, double pitch_px)
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
