/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fovea.h"

#include "context_backend.h"
#include "context_batch.h"
#include "context_depth.h"
#include "context_gradient.h"
#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/chain/chain.h"
#include "kernels/image/pixel.h"
#include "settings_take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes (and settings) that are kept: a stereo pair, a window and a thumbnail. */
#define CACHE_ENTRIES 4

static const struct context_backend *const backends[] = {
    &context_backend_cpu,
#if FOVEA_HAVE_CUDA
    &context_backend_cuda,
#endif
};
#define BACKEND_COUNT (sizeof backends / sizeof *backends)

struct slot {
    struct context_device *device;
    bool tried;
    enum fovea_result result; /* of opening it: what failed once is not tried again each frame */
};

struct entry {
    size_t backend; /* index into backends */
    struct operator_plan *plan; /* NULL: the entry is free */
    struct context_op *op;
    uint64_t last_used;
};

struct fovea_context {
    struct fovea_settings settings; /* as they were taken: a map is one of ours */
    struct fovea_settings fresh; /* of a call that sets them */
    struct settings_kept kept;
    struct fovea_log log;
    struct context_device_desc device_desc;
    struct slot slots[BACKEND_COUNT];
    struct entry entries[CACHE_ENTRIES];
    struct context_focuses focuses; /* of pictures with depths */
    uint64_t use_count;
    bool described; /* the settings' view, in the log */
    char problem[CONTEXT_PROBLEM_BYTES]; /* logged last and still there */
};

/* ---- Problems */

/* The context's own log, and its backends': the same problem frame after frame is said once. */
static void say_once(void *user, enum fovea_log_level level, const char *message)
{
    struct fovea_context *context = user;
    if (level >= FOVEA_LOG_WARNING) {
        if (strncmp(message, context->problem, sizeof context->problem - 1) == 0) {
            return;
        }
        snprintf(context->problem, sizeof context->problem, "%s", message);
    }
    context->log.fn(context->log.user, level, message);
}

static struct fovea_log own_log(struct fovea_context *context)
{
    return (struct fovea_log){.fn = context->log.fn ? say_once : NULL,
                              .user = context,
                              .min_level = context->log.min_level};
}

static enum fovea_result refuse(struct fovea_context *context, enum fovea_result result,
                                const char *problem)
{
    log_error(context->device_desc.log, "%s", problem);
    return result;
}

/* ---- Create and destroy */

static enum fovea_result open_slot(struct fovea_context *context, size_t index)
{
    struct slot *slot = &context->slots[index];
    if (!slot->tried) {
        slot->result = backends[index]->open(&context->device_desc, &slot->device);
        slot->tried = slot->result != FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return slot->result;
}

/* A backend that the settings name is opened now, so that the program learns now. */
static enum fovea_result open_named(struct fovea_context *context)
{
    const enum fovea_backend named = context->settings.backend;
    if (named == FOVEA_BACKEND_AUTO) {
        return FOVEA_OK;
    }
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        if (backends[i]->backend == named) {
            return open_slot(context, i);
        }
    }
    log_error(context->device_desc.log,
              named == FOVEA_BACKEND_VULKAN
                  ? "backend vulkan is for Vulkan images: see fovea_vulkan.h"
                  : "this build of Fovea has no backend %s",
              fovea_backend_name(named));
    return FOVEA_ERROR_UNSUPPORTED;
}

STRUCT_ENDS_WITH(struct fovea_context_desc, log);
STRUCT_ENDS_WITH(struct fovea_batch, reserved);
STRUCT_ENDS_WITH(struct fovea_batch_gradient, d_sigmas);

enum fovea_result fovea_context_create(const struct fovea_context_desc *desc,
                                       struct fovea_context **out_context)
{
    if (!out_context) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_context = NULL;
    struct fovea_context_desc taken;
    if (!desc || !struct_take(&taken, sizeof taken, desc) || taken.reserved != 0) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_context *context = calloc(1, sizeof *context);
    if (!context) {
        log_error(taken.log, "out of memory");
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    context->settings = *(taken.settings ? taken.settings : config_settings_standard());
    context->log = taken.log;
    context->device_desc =
        (struct context_device_desc){.cuda_device = taken.cuda_device, .log = own_log(context)};
    enum fovea_result result = settings_take(&context->settings, &context->kept, taken.log);
    if (result == FOVEA_OK) {
        result = open_named(context);
    }
    if (result < 0) {
        fovea_context_destroy(&context);
        return result;
    }
    *out_context = context;
    return FOVEA_OK;
}

static void forget_entry(struct fovea_context *context, struct entry *entry)
{
    if (entry->op) {
        backends[entry->backend]->destroy_op(context->slots[entry->backend].device, &entry->op);
    }
    chain_operator.plan_destroy(&entry->plan);
    *entry = (struct entry){0};
}

void fovea_context_destroy(struct fovea_context **context)
{
    if (!context || !*context) {
        return;
    }
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        forget_entry(*context, &(*context)->entries[i]);
    }
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        if ((*context)->slots[i].device) {
            backends[i]->close(&(*context)->slots[i].device);
        }
    }
    settings_kept_finish(&(*context)->kept);
    context_focuses_finish(&(*context)->focuses);
    free(*context);
    *context = NULL;
}

/* The entries of the old settings stay until newer ones need their place: a program that switches
 * back and forth pays once. */
enum fovea_result fovea_context_set_settings(struct fovea_context *context,
                                             const struct fovea_settings *settings)
{
    if (!context || !settings) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct fovea_settings *taken = &context->fresh;
    *taken = context->settings;
    taken->foveation = settings->foveation;
    taken->operators = settings->operators;
    taken->own = settings->own;
    FOVEA_TRY(settings_take(taken, &context->kept, context->log));
    context->settings = *taken;
    context->described = false;
    return FOVEA_OK;
}

/* ---- Plans */

static struct entry *oldest_entry(struct fovea_context *context)
{
    struct entry *oldest = &context->entries[0];
    for (size_t i = 1; i < CACHE_ENTRIES; i++) {
        if (context->entries[i].last_used < oldest->last_used) {
            oldest = &context->entries[i];
        }
    }
    return oldest;
}

static struct operator_plan_desc plan_desc(const struct fovea_context *context,
                                           const struct fovea_image *image, bool has_sigmas)
{
    return (struct operator_plan_desc){.settings = &context->settings,
                                       .width_px = image->width_px,
                                       .height_px = image->height_px,
                                       .has_sigmas = has_sigmas,
                                       .of_16_bits = pixel_has_16_bit_levels(image->format)};
}

static struct entry *find_entry(struct fovea_context *context, size_t backend,
                                const struct operator_plan_desc *desc)
{
    for (size_t i = 0; i < CACHE_ENTRIES; i++) {
        struct entry *entry = &context->entries[i];
        if (entry->plan && entry->backend == backend &&
            chain_operator.plan_fits(entry->plan, desc)) {
            return entry;
        }
    }
    return NULL;
}

/* A real view looks mild, so what it comes to is said once: with the first image, whose size it
 * needs. */
static void describe(struct fovea_context *context, const struct operator_plan *plan)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    if (!context->described && chain_operator.plan_describe(plan, words, sizeof words)) {
        log_info(context->device_desc.log, "%s", words);
    }
    context->described = true;
}

static enum fovea_result refuse_plan(struct fovea_context *context, enum fovea_result result,
                                     const struct operator_plan_desc *desc)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    if (result != FOVEA_ERROR_INVALID_ARGUMENT) {
        return refuse(context, result, "cannot make the filters of this image");
    }
    return refuse(context, result,
                  chain_operator.plan_complain(desc, words, sizeof words)
                      ? words
                      : "foveation: for this image the settings together ask for a blur that no "
                        "image needs");
}

static enum fovea_result fill_entry(struct fovea_context *context, size_t backend,
                                    const struct operator_plan_desc *desc, struct entry *entry)
{
    entry->backend = backend;
    const enum fovea_result result = chain_operator.plan_create(desc, &entry->plan);
    if (result < 0) {
        return refuse_plan(context, result, desc);
    }
    char words[OPERATOR_DESCRIPTION_BYTES];
    if (chain_operator.plan_lacks(entry->plan, backends[backend]->backend, words, sizeof words)) {
        return refuse(context, FOVEA_ERROR_UNSUPPORTED, words);
    }
    describe(context, entry->plan);
    return backends[backend]->create_op(context->slots[backend].device, entry->plan,
                                        context->settings.cpu_threads, &entry->op);
}

static enum fovea_result get_entry(struct fovea_context *context, size_t backend,
                                   const struct operator_plan_desc *desc, struct entry **out_entry)
{
    struct entry *entry = find_entry(context, backend, desc);
    if (!entry) {
        entry = oldest_entry(context);
        forget_entry(context, entry);
        const enum fovea_result result = fill_entry(context, backend, desc, entry);
        if (result < 0) {
            forget_entry(context, entry);
            return result;
        }
    }
    entry->last_used = ++context->use_count;
    *out_entry = entry;
    return FOVEA_OK;
}

/* ---- A frame */

static enum fovea_result choose_backend(struct fovea_context *context, enum fovea_memory memory,
                                        size_t *out_index)
{
    const enum fovea_backend named = context->settings.backend;
    const char *problem = "this build of Fovea has no CUDA: images in CUDA memory cannot be used";
    for (size_t i = 0; i < BACKEND_COUNT; i++) {
        if (backends[i]->memory != memory) {
            continue;
        }
        if (named == FOVEA_BACKEND_AUTO || named == backends[i]->backend) {
            *out_index = i;
            return open_slot(context, i);
        }
        problem = memory == FOVEA_MEMORY_CUDA
                      ? "the settings name a backend that takes no images in CUDA memory"
                      : "the settings name a backend that takes no images in CPU memory";
    }
    return refuse(context, FOVEA_ERROR_UNSUPPORTED, problem);
}

static bool is_place(struct fovea_point_uv gaze)
{
    return isfinite(gaze.x_uv) && isfinite(gaze.y_uv);
}

/* Depths come where an operator needs them, and nowhere else. */
static enum fovea_result take_focuses(struct fovea_context *context, struct context_frame *frame)
{
    const bool needs = chain_needs_depth(&context->settings.operators);
    if (needs != (frame->depth.data != NULL)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT,
                      needs ? "an operator of the row needs a picture of depths: fovea_batch.depth"
                            : "depth is given, and no operator of the row takes it");
    }
    if (!needs || frame->src.memory == FOVEA_MEMORY_CUDA) {
        return FOVEA_OK; /* on a device the backend keeps them */
    }
    if (context_focuses_grow(&context->focuses, frame->count) < 0) {
        return refuse(context, FOVEA_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    frame->focuses = context->focuses.of;
    return FOVEA_OK;
}

/* Sets the other foveas of a batch of one, whose gaze is the view's. */
static void set_others(struct context_frame *frame)
{
    struct fovea_point_uv places[FOVEA_FOVEAS_MAX - 1];
    const uint32_t count = frame->others_uv ? frame->fovea_count - 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        places[i].x_uv = (double)frame->others_uv[2 * (size_t)i];
        places[i].y_uv = (double)frame->others_uv[2 * (size_t)i + 1];
    }
    operator_frame_set_others(&frame->view, places, count);
}

/* A frame that was checked. */
static enum fovea_result run_frame(struct fovea_context *context, struct context_frame *frame,
                                   struct fovea_point_uv gaze)
{
    size_t backend = 0;
    struct entry *entry = NULL;
    const struct operator_plan_desc desc =
        plan_desc(context, &frame->src, frame->sigmas.data != NULL);
    FOVEA_TRY(take_focuses(context, frame));
    FOVEA_TRY(choose_backend(context, frame->src.memory, &backend));
    FOVEA_TRY(get_entry(context, backend, &desc, &entry));
    const struct fovea_point_uv middle = {0.5, 0.5};
    const bool blind = !is_place(gaze);
    frame->view =
        operator_frame_make(frame->src.width_px, frame->src.height_px, blind ? middle : gaze);
    frame->view.blind = blind;
    set_others(frame);
    FOVEA_TRY(backends[backend]->run(context->slots[backend].device, entry->op, frame));
    context->problem[0] = '\0';
    return FOVEA_OK;
}

enum fovea_result fovea_context_run(struct fovea_context *context, const struct fovea_image *src,
                                    const struct fovea_image *dst, struct fovea_point_uv gaze,
                                    void *cuda_stream)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    if (!context) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!src || !dst) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, src ? "dst is NULL" : "src is NULL");
    }
    struct context_frame frame = {.count = 1, .src = *src, .dst = *dst, .cuda_stream = cuda_stream};
    if (!context_batch_check_images(&frame, problem)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, problem);
    }
    if (!is_place(gaze) && !chain_runs_blind(&context->settings.operators)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, "the gaze is not finite");
    }
    return run_frame(context, &frame, gaze);
}

static bool takes_sigmas(struct fovea_context *context, const struct fovea_image *sigmas)
{
    const bool takes = !sigmas->data || chain_takes_sigmas(&context->settings.operators);
    return takes || refuse(context, FOVEA_ERROR_INVALID_ARGUMENT,
                           "sigmas is given, and no operator of the row takes it") == FOVEA_OK;
}

enum fovea_result fovea_context_run_batch(struct fovea_context *context,
                                          const struct fovea_batch *batch, void *cuda_stream)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    struct context_frame frame;
    struct fovea_point_uv gaze = {0.5, 0.5}; /* of no image, but for a batch of one, or of none */
    if (!context) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!batch) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, "batch is NULL");
    }
    struct fovea_batch taken;
    if (!struct_take(&taken, sizeof taken, batch)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, struct_refusal(batch));
    }
    if (!context_batch_take(&taken, chain_runs_blind(&context->settings.operators), &frame,
                            problem)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, problem);
    }
    if (!takes_sigmas(context, &frame.sigmas)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    frame.cuda_stream = cuda_stream;
    if (!frame.gazes_uv) {
        gaze.x_uv = (double)NAN;
    } else if (frame.count == 1 && frame.gazes_memory == FOVEA_MEMORY_CPU) {
        gaze = (struct fovea_point_uv){(double)frame.gazes_uv[0], (double)frame.gazes_uv[1]};
        frame.others_uv = frame.gazes_uv + 2;
        frame.gazes_uv = NULL;
    }
    return run_frame(context, &frame, gaze);
}

static enum fovea_result run_gradient(struct fovea_context *context,
                                      const struct context_gradient *gradient)
{
    size_t backend = 0;
    struct entry *entry = NULL;
    const struct operator_plan_desc desc =
        plan_desc(context, &gradient->d_dst, gradient->sigmas.data != NULL);
    FOVEA_TRY(choose_backend(context, gradient->d_dst.memory, &backend));
    FOVEA_TRY(get_entry(context, backend, &desc, &entry));
    FOVEA_TRY(backends[backend]->run_gradient(context->slots[backend].device, entry->op, gradient));
    context->problem[0] = '\0';
    return FOVEA_OK;
}

enum fovea_result fovea_context_run_batch_gradient(struct fovea_context *context,
                                                   const struct fovea_batch_gradient *batch,
                                                   void *cuda_stream)
{
    char problem[CONTEXT_PROBLEM_BYTES];
    struct context_gradient gradient;
    struct fovea_batch_gradient taken;
    if (!context) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!batch) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, "batch is NULL");
    }
    if (!struct_take(&taken, sizeof taken, batch)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, struct_refusal(batch));
    }
    if (!context_gradient_take(&taken, chain_runs_blind(&context->settings.operators), &gradient,
                               problem)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT, problem);
    }
    if (!takes_sigmas(context, &gradient.sigmas)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (gradient.d_sigmas && !chain_takes_sigmas(&context->settings.operators)) {
        return refuse(context, FOVEA_ERROR_INVALID_ARGUMENT,
                      "d_sigmas is given, and no operator of the row takes sigmas");
    }
    if (!context_gradient_has_format(gradient.d_dst.format)) {
        return refuse(context, FOVEA_ERROR_UNSUPPORTED,
                      "gradients are of formats of 16 and 32-bit floats");
    }
    gradient.cuda_stream = cuda_stream;
    return run_gradient(context, &gradient);
}
