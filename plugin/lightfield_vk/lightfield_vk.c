/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_vk.h"

#include "core/log.h"
#include "core/struct_bytes.h"
#include "plugin/context/lightfield_check.h"

#include <stdlib.h>

#define COSTS_MOST_BYTES (UINT64_C(64) << 20)
#define BOX_ROWS (2 * LIGHTFIELD_BOX_REACH + 1)
#define SEARCH_OFFSET 256 /* of costs, behind the focus: every device can bind there */

_Static_assert(FOVEA_LIGHTFIELD_VK_FOCUS_BYTES == LIGHTFIELD_FOCUS_BYTES, "as shaders have it");

/* ---- Create and destroy */

static enum fovea_result create_tables(struct fovea_lightfield_vk *field)
{
    struct vk_device *device = &field->recorder.device;
    FOVEA_TRY(vk_buffer_init_shared(&field->tables, device,
                                    lightfield_glsl_table_bytes(&field->glsl),
                                    VK_BUFFER_READ_BY_KERNELS));
    lightfield_glsl_fill(&field->glsl, field->tables.mapped);
    FOVEA_TRY(vk_buffer_init_shared(&field->focus, device, SEARCH_OFFSET + LIGHTFIELD_COST_BYTES,
                                    VK_BUFFER_READ_BY_KERNELS));
    memset(field->focus.mapped, 0, SEARCH_OFFSET);
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_vk_create(const struct fovea_lightfield_vk_desc *desc,
                                             struct fovea_lightfield_vk **out_field)
{
    struct recorder_desc own;
    struct lightfield_glsl glsl;
    if (!out_field) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_field = NULL;
    FOVEA_TRY(lightfield_vk_take_desc(desc, &own, &glsl));
    struct fovea_lightfield_vk *field = calloc(1, sizeof *field);
    FOVEA_TRY_MEMORY(field);
    field->glsl = glsl;
    enum fovea_result result = recorder_init(&field->recorder, &own);
    if (result < 0) {
        free(field);
        return result;
    }
    result = create_tables(field);
    if (result < 0) {
        fovea_lightfield_vk_destroy(&field);
        return result;
    }
    *out_field = field;
    return FOVEA_OK;
}

void fovea_lightfield_vk_destroy(struct fovea_lightfield_vk **field)
{
    if (!field || !*field) {
        return;
    }
    struct vk_device *device = &(*field)->recorder.device;
    vk_buffer_finish(&(*field)->costs, device);
    vk_buffer_finish(&(*field)->focus, device);
    vk_buffer_finish(&(*field)->tables, device);
    recorder_finish(&(*field)->recorder);
    free(*field);
    *field = NULL;
}

/* ---- What a call binds */

struct bindings {
    VkDescriptorImageInfo raw, result, patches; /* what is none is not bound */
    VkDescriptorBufferInfo costs, focus;
};

static VkDescriptorImageInfo image_of(const struct fovea_lightfield_vk_image *image)
{
    return (VkDescriptorImageInfo){.imageView = image->view, .imageLayout = image->layout};
}

/* The bindings of operator/shaders.h. Shaders name all that are written here, though they may not
 * look at them: in place of patch sizes the raw picture will do. */
static void write_set(struct fovea_lightfield_vk *field, VkDescriptorSet set,
                      const struct bindings *bindings)
{
    const struct vk_compute_set all = {
        .images = {[0] = bindings->raw, [1] = bindings->result, [6] = bindings->patches},
        .buffers = {[2] = {field->tables.handle, 0, VK_WHOLE_SIZE},
                    [3] = bindings->costs,
                    [7] = bindings->focus}};
    vk_compute_write(&field->recorder.device, set, &all);
}

/* ---- Pictures */

/* The one pass of a picture. */
static enum fovea_result record_picture(struct fovea_lightfield_vk *field,
                                        const struct fovea_vk_recording *into,
                                        const struct bindings *bindings,
                                        const struct operator_pass *pass)
{
    struct recorder_call *call = NULL;
    FOVEA_TRY(recorder_prepare(&field->recorder, pass, 1));
    if (recorder_take_call(&field->recorder, into, &call) != FOVEA_OK) {
        return FOVEA_NOT_READY;
    }
    write_set(field, call->sets[0], bindings);
    recorder_begin(&field->recorder, into->commands);
    recorder_dispatch(&field->recorder, into->commands, pass, call->sets[0], true);
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_vk_render(struct fovea_lightfield_vk *field,
                                             const struct fovea_vk_recording *recording,
                                             const struct fovea_lightfield_vk_raw *raw,
                                             const struct fovea_lightfield_rendering *rendering,
                                             const struct fovea_lightfield_vk_image *patches,
                                             const struct fovea_lightfield_vk_image *dst)
{
    struct fovea_vk_recording into;
    struct lightfield_vk_raw own_raw;
    struct fovea_lightfield_rendering own;
    struct fovea_lightfield_foveation foveation;
    struct lightfield_glsl_picture picture;
    struct operator_pass pass;
    if (!field || !rendering) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, rendering)) {
        return recorder_refuse(&field->recorder, "rendering: %s", struct_refusal(rendering));
    }
    const char *why = lightfield_refusal(&own, field->glsl.geometry.pitch_x_px);
    if (why || own.patches) {
        return recorder_refuse(&field->recorder, "%s",
                               why ? why : "rendering.patches is set, which is no image here");
    }
    FOVEA_TRY(lightfield_take_foveation(field->recorder.device.log, &own.foveation, &foveation));
    FOVEA_TRY(recorder_take_recording(&field->recorder, recording, &into));
    FOVEA_TRY(lightfield_vk_take_raw(field, raw, &own_raw));
    FOVEA_TRY(lightfield_vk_take_picture(field, dst, &picture));
    if (patches) {
        FOVEA_TRY(lightfield_vk_check_floats(field, "patches", patches, true));
        picture.has_patches = true;
    }
    lightfield_glsl_render(&field->glsl, &own_raw.kind, &own, &picture, &pass);
    const struct bindings bindings = {
        .raw = own_raw.image,
        .result = image_of(dst),
        .patches = patches ? image_of(patches) : own_raw.image,
        .focus = {field->focus.handle, 0, LIGHTFIELD_FOCUS_BYTES},
    };
    return record_picture(field, &into, &bindings, &pass);
}

enum fovea_result fovea_lightfield_vk_sum_views(struct fovea_lightfield_vk *field,
                                                const struct fovea_vk_recording *recording,
                                                const struct fovea_lightfield_vk_raw *raw,
                                                const struct fovea_lightfield_sum *sum,
                                                const struct fovea_lightfield_vk_image *dst)
{
    struct fovea_vk_recording into;
    struct lightfield_vk_raw own_raw;
    struct fovea_lightfield_sum own;
    struct lightfield_glsl_picture picture;
    struct operator_pass pass;
    if (!field || !sum) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, sum)) {
        return recorder_refuse(&field->recorder, "sum: %s", struct_refusal(sum));
    }
    const char *why = lightfield_refusal_of_sum(&own, field->glsl.geometry.pitch_x_px);
    if (why) {
        return recorder_refuse(&field->recorder, "%s", why);
    }
    FOVEA_TRY(recorder_take_recording(&field->recorder, recording, &into));
    FOVEA_TRY(lightfield_vk_take_raw(field, raw, &own_raw));
    FOVEA_TRY(lightfield_vk_take_picture(field, dst, &picture));
    lightfield_glsl_sum(&field->glsl, &own_raw.kind, &own, &picture, &pass);
    const struct bindings bindings = {.raw = own_raw.image, .result = image_of(dst)};
    return record_picture(field, &into, &bindings, &pass);
}

static enum fovea_result take_focus(struct fovea_lightfield_vk *field,
                                    const struct fovea_lightfield_vk_focus *given,
                                    VkDescriptorBufferInfo *out)
{
    *out = (VkDescriptorBufferInfo){field->focus.handle, 0, LIGHTFIELD_FOCUS_BYTES};
    if (given) {
        if (!given->buffer || given->offset % 256 != 0) {
            return recorder_refuse(&field->recorder,
                                   "focus.buffer is NULL, or focus.offset is no multiple of 256");
        }
        out->buffer = given->buffer;
        out->offset = given->offset;
    }
    return FOVEA_OK;
}

enum fovea_result fovea_lightfield_vk_refocus(struct fovea_lightfield_vk *field,
                                              const struct fovea_vk_recording *recording,
                                              const struct fovea_lightfield_vk_raw *raw,
                                              const struct fovea_lightfield_refocusing *refocusing,
                                              const struct fovea_lightfield_vk_image *dst,
                                              const struct fovea_lightfield_vk_focus *focus)
{
    struct fovea_vk_recording into;
    struct lightfield_vk_raw own_raw;
    struct fovea_lightfield_refocusing own;
    struct fovea_lightfield_foveation foveation;
    struct lightfield_glsl_picture picture;
    struct recorder_call *call = NULL;
    struct operator_pass passes[LIGHTFIELD_GLSL_REFOCUS_PASSES];
    struct bindings bindings = {0};
    if (!field || !refocusing) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, refocusing)) {
        return recorder_refuse(&field->recorder, "refocusing: %s", struct_refusal(refocusing));
    }
    const char *why = lightfield_refusal_of_refocusing(&own, &field->glsl.geometry);
    if (why || own.focus) {
        return recorder_refuse(&field->recorder, "%s",
                               why ? why : "refocusing.focus is set, which is no image here");
    }
    FOVEA_TRY(lightfield_take_foveation(field->recorder.device.log, &own.foveation, &foveation));
    FOVEA_TRY(recorder_take_recording(&field->recorder, recording, &into));
    FOVEA_TRY(lightfield_vk_take_raw(field, raw, &own_raw));
    FOVEA_TRY(lightfield_vk_take_picture(field, dst, &picture));
    FOVEA_TRY(take_focus(field, focus, &bindings.focus));
    lightfield_glsl_refocus(&field->glsl, &own_raw.kind, &own, &picture, passes);
    FOVEA_TRY(recorder_prepare(&field->recorder, passes, LIGHTFIELD_GLSL_REFOCUS_PASSES));
    if (recorder_take_call(&field->recorder, &into, &call) != FOVEA_OK) {
        return FOVEA_NOT_READY;
    }
    bindings.raw = bindings.patches = own_raw.image;
    bindings.result = image_of(dst);
    bindings.costs =
        (VkDescriptorBufferInfo){field->focus.handle, SEARCH_OFFSET, LIGHTFIELD_COST_BYTES};
    write_set(field, call->sets[0], &bindings);
    recorder_begin(&field->recorder, into.commands);
    for (uint32_t i = 0; i < LIGHTFIELD_GLSL_REFOCUS_PASSES; i++) {
        recorder_dispatch(&field->recorder, into.commands, &passes[i], call->sets[0],
                          i == LIGHTFIELD_GLSL_REFOCUS_PASSES - 1);
    }
    return FOVEA_OK;
}

/* ---- Depths */

/* Room for any depths of the object, in as many parts as that makes of a picture. */
static enum fovea_result reserve_costs(struct fovea_lightfield_vk *field)
{
    const uint64_t row = sizeof(float) * LIGHTFIELD_SIZES_MAX * (uint64_t)field->glsl.width_px;
    const uint64_t all = row * field->glsl.height_px;
    const uint64_t most = all < COSTS_MOST_BYTES ? all : COSTS_MOST_BYTES;
    return field->costs.handle
               ? FOVEA_OK
               : vk_buffer_init_local(&field->costs, &field->recorder.device,
                                      most > BOX_ROWS * row ? most : BOX_ROWS * row);
}

struct depth_work {
    struct bindings bindings;
    const struct fovea_lightfield_matching *matching;
    struct lightfield_glsl_raw raw;
    bool keeps, is_sure; /* costs; a confidence is wanted */
};

/* The passes of some rows; returns how many. */
#define DEPTH_PASSES 3
static uint32_t depth_passes(const struct fovea_lightfield_vk *field, const struct depth_work *work,
                             const struct lightfield_glsl_rows *rows,
                             struct operator_pass out_passes[DEPTH_PASSES])
{
    uint32_t count = 1;
    lightfield_glsl_match(&field->glsl, &work->raw, work->matching, rows, work->keeps,
                          &out_passes[0]);
    if (work->keeps) {
        lightfield_glsl_choose(&field->glsl, work->matching, rows, LIGHTFIELD_GLSL_DEPTH,
                               &out_passes[count++]);
    }
    if (work->is_sure) {
        lightfield_glsl_choose(&field->glsl, work->matching, rows, LIGHTFIELD_GLSL_CONFIDENCE,
                               &out_passes[count++]);
    }
    return count;
}

static uint32_t rows_at_once(const struct fovea_lightfield_vk *field, const struct depth_work *work)
{
    const uint64_t bytes = lightfield_glsl_row_bytes(&field->glsl, work->matching);
    return work->keeps && bytes > 0 ? (uint32_t)(field->costs.bytes / bytes)
                                    : field->glsl.height_px;
}

static void record_depth(struct fovea_lightfield_vk *field, VkCommandBuffer commands,
                         const struct depth_work *work, const struct recorder_call *call)
{
    const uint32_t height_px = field->glsl.height_px;
    const uint32_t at_once = rows_at_once(field, work);
    struct operator_pass passes[DEPTH_PASSES];
    struct lightfield_glsl_rows rows = {0};
    recorder_begin(&field->recorder, commands);
    for (uint32_t first = 0; first < height_px; first += rows.count) {
        rows = lightfield_glsl_rows_from(&field->glsl, work->matching, first, at_once);
        const uint32_t count = depth_passes(field, work, &rows, passes);
        const bool is_end = first + rows.count == height_px;
        for (uint32_t i = 0; i < count; i++) {
            recorder_dispatch(&field->recorder, commands, &passes[i], call->sets[i == 2],
                              is_end && i == count - 1);
        }
    }
}

enum fovea_result fovea_lightfield_vk_depth(struct fovea_lightfield_vk *field,
                                            const struct fovea_vk_recording *recording,
                                            const struct fovea_lightfield_vk_raw *raw,
                                            const struct fovea_lightfield_matching *matching,
                                            const struct fovea_lightfield_vk_image *depth,
                                            const struct fovea_lightfield_vk_image *confidence)
{
    struct fovea_vk_recording into;
    struct lightfield_vk_raw own_raw;
    struct fovea_lightfield_matching own;
    struct fovea_lightfield_foveation foveation;
    struct recorder_call *call = NULL;
    struct operator_pass passes[DEPTH_PASSES];
    if (!field || !matching) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!struct_take(&own, sizeof own, matching)) {
        return recorder_refuse(&field->recorder, "matching: %s", struct_refusal(matching));
    }
    const char *why = lightfield_refusal_of_matching(&own, &field->glsl.geometry);
    if (why) {
        return recorder_refuse(&field->recorder, "%s", why);
    }
    FOVEA_TRY(lightfield_take_foveation(field->recorder.device.log, &own.foveation, &foveation));
    FOVEA_TRY(recorder_take_recording(&field->recorder, recording, &into));
    FOVEA_TRY(lightfield_vk_take_raw(field, raw, &own_raw));
    FOVEA_TRY(lightfield_vk_check_floats(field, "depth", depth, false));
    if (confidence) {
        FOVEA_TRY(lightfield_vk_check_floats(field, "confidence", confidence, false));
    }
    struct depth_work work = {
        .bindings = {.raw = own_raw.image, .result = image_of(depth)},
        .matching = &own,
        .raw = own_raw.kind,
        .keeps = lightfield_glsl_keeps(&own, confidence != NULL),
        .is_sure = confidence != NULL,
    };
    if (work.keeps) {
        FOVEA_TRY(reserve_costs(field));
    }
    const struct lightfield_glsl_rows all = {0, field->glsl.height_px, 0, field->glsl.height_px};
    FOVEA_TRY(recorder_prepare(&field->recorder, passes, depth_passes(field, &work, &all, passes)));
    if (recorder_take_call(&field->recorder, &into, &call) != FOVEA_OK) {
        return FOVEA_NOT_READY;
    }
    /* If nothing is kept, any buffer will do. */
    const VkBuffer costs = work.keeps ? field->costs.handle : field->focus.handle;
    work.bindings.costs = (VkDescriptorBufferInfo){costs, 0, VK_WHOLE_SIZE};
    write_set(field, call->sets[0], &work.bindings);
    if (confidence) {
        work.bindings.result = image_of(confidence);
        write_set(field, call->sets[1], &work.bindings);
    }
    record_depth(field, into.commands, &work, call);
    return FOVEA_OK;
}
