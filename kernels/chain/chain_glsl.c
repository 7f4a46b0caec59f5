/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A chain on Vulkan: the passes of its operators one after the other. Each operator is a step, with
 * tables of its own in the chain's buffer; what passes leave for each other is one buffer for all,
 * the largest that one of them needs. */

#include "chain_plan.h"

#include "core/log.h"
#include "kernels/operator/gaze.h"

/* Every device can bind a storage buffer at this: minStorageBufferOffsetAlignment is 256 at most.
 */
#define OFFSET_BYTES 256

struct chain_glsl {
    struct operator_glsl base;
    struct operator_glsl *parts[FOVEA_OPERATOR_COUNT];
    struct operator_step steps[OPERATOR_MAX_STEPS];
    uint64_t table_bytes;
};

static const struct chain_glsl *own(const struct operator_glsl *glsl)
{
    return (const struct chain_glsl *)glsl;
}

static const struct chain_plan *plan_of(const struct chain_glsl *chain)
{
    return chain_plan_of(chain->base.plan);
}

static const struct operator_glsl_api *api_of(const struct chain_glsl *chain, uint32_t part)
{
    return chain->parts[part]->api;
}

static void destroy(struct operator_glsl **glsl)
{
    struct chain_glsl *chain = (struct chain_glsl *)*glsl;
    for (uint32_t i = 0; chain && i < plan_of(chain)->count; i++) {
        if (chain->parts[i]) {
            api_of(chain, i)->destroy(&chain->parts[i]);
        }
    }
    operator_glsl_free(glsl);
}

/* ---- Steps */

static void place_steps(struct chain_glsl *chain)
{
    const uint32_t count = plan_of(chain)->count;
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t bytes = api_of(chain, i)->table_bytes(chain->parts[i]);
        chain->steps[i] = (struct operator_step){
            .reads = i == 0 ? OPERATOR_SOURCE : OPERATOR_BETWEEN + chain_between(i - 1),
            .writes = i + 1 == count ? OPERATOR_RESULT : OPERATOR_BETWEEN + chain_between(i),
            .reads_depths = plan_of(chain)->parts[i].api->needs_depth,
            .tables = {end, bytes}};
        chain->table_bytes = end + bytes;
        end += (bytes + OFFSET_BYTES - 1) / OFFSET_BYTES * OFFSET_BYTES;
    }
}

static enum fovea_result make(const struct operator_glsl_limits *limits, struct chain_glsl *chain)
{
    for (uint32_t i = 0; i < plan_of(chain)->count; i++) {
        char words[OPERATOR_DESCRIPTION_BYTES];
        const struct chain_part *part = &plan_of(chain)->parts[i];
        const struct operator_glsl_api *api = part->api->glsl;
        if (!api || chain_part_lacks(part, FOVEA_BACKEND_VULKAN, words, sizeof words)) {
            return FOVEA_ERROR_UNSUPPORTED;
        }
        FOVEA_TRY(api->create(part->plan, limits, &chain->parts[i]));
    }
    place_steps(chain);
    return FOVEA_OK;
}

static enum fovea_result create(const struct operator_plan *plan,
                                const struct operator_glsl_limits *limits,
                                struct operator_glsl **out_glsl)
{
    FOVEA_TRY(operator_glsl_make(plan, sizeof(struct chain_glsl), out_glsl));
    const enum fovea_result result = make(limits, (struct chain_glsl *)*out_glsl);
    if (result < 0) {
        destroy(out_glsl);
    }
    return result;
}

/* ---- Memory */

static uint64_t table_bytes(const struct operator_glsl *glsl)
{
    return own(glsl)->table_bytes;
}

static void fill(struct operator_glsl *glsl, void *tables)
{
    struct chain_glsl *chain = (struct chain_glsl *)glsl;
    for (uint32_t i = 0; i < plan_of(chain)->count; i++) {
        api_of(chain, i)->fill(chain->parts[i], (char *)tables + chain->steps[i].tables.offset);
    }
}

static uint64_t scratch_bytes(const struct operator_glsl *glsl, enum fovea_format format)
{
    const struct chain_glsl *chain = own(glsl);
    uint64_t largest = 0;
    for (uint32_t i = 0; i < plan_of(chain)->count; i++) {
        const uint64_t bytes = api_of(chain, i)->scratch_bytes(chain->parts[i], format);
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/* ---- Passes */

/* An operator reads the image that the one before it wrote, and writes over its scratch. */
static uint32_t passes(const struct operator_glsl *glsl, const struct operator_frame *frame,
                       enum fovea_format format, struct operator_pass *out_passes)
{
    const struct chain_glsl *chain = own(glsl);
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan_of(chain)->count; i++) {
        const uint32_t first = count;
        if (frame->blind && plan_of(chain)->parts[i].api->looks_at_gaze) {
            /* a copy, since bindings do not change with the gaze */
            operator_pass_copies(frame, &out_passes[count++]);
        } else {
            count += api_of(chain, i)->passes(chain->parts[i], frame, format, out_passes + first);
        }
        for (uint32_t j = first; j < count; j++) {
            out_passes[j].step = i;
            out_passes[j].barrier |= j + 1 == count && i + 1 < plan_of(chain)->count;
        }
    }
    return count;
}

/* ---- What is drawn */

/* The first that has something to show; the chain's count where none has. */
static uint32_t drawing_part(const struct chain_glsl *chain)
{
    uint32_t part = 0;
    while (part < plan_of(chain)->count && !api_of(chain, part)->draw) {
        part++;
    }
    return part;
}

static const struct shader *draws(const struct operator_glsl *glsl)
{
    const struct chain_glsl *chain = own(glsl);
    const uint32_t part = drawing_part(chain);
    return part < plan_of(chain)->count ? api_of(chain, part)->draws(chain->parts[part]) : NULL;
}

/* With the tables of its operator, and over the result of all, around the place that shows the
 * gaze. Around it everything has the distances of the picture before later operators
 * (docs/lens.md). */
static uint32_t steps(const struct operator_glsl *glsl,
                      struct operator_step out_steps[OPERATOR_MAX_STEPS])
{
    const struct chain_glsl *chain = own(glsl);
    const uint32_t count = plan_of(chain)->count;
    const uint32_t part = drawing_part(chain);
    for (uint32_t i = 0; i < count; i++) {
        out_steps[i] = chain->steps[i];
    }
    if (count == 1 || part == count) {
        return count;
    }
    out_steps[count] = chain->steps[part];
    out_steps[count].reads = OPERATOR_SOURCE;
    out_steps[count].writes = OPERATOR_RESULT;
    return count + 1;
}

static void set_shown(const struct chain_plan *plan, const struct operator_frame *frame,
                      int32_t *x_q8, int32_t *y_q8)
{
    const struct fovea_point_uv seen = {*x_q8 / (256.0 * frame->width_px),
                                        *y_q8 / (256.0 * frame->height_px)};
    const struct fovea_point_uv place = chain_place_of(&plan->base, seen);
    *x_q8 = gaze_to_q8(place.x_uv, frame->width_px);
    *y_q8 = gaze_to_q8(place.y_uv, frame->height_px);
}

/* A gaze that comes late is not known here: marks are where it is in the picture before. */
static struct operator_frame frame_as_shown(const struct chain_plan *plan,
                                            const struct operator_frame *frame)
{
    struct operator_frame shown = *frame;
    set_shown(plan, frame, &shown.gaze_x_q8, &shown.gaze_y_q8);
    for (int32_t k = 0; k < shown.others.count; k++) {
        set_shown(plan, frame, &shown.others.q8[k][0], &shown.others.q8[k][1]);
    }
    return shown;
}

static void draw(const struct operator_glsl *glsl, const struct operator_frame *frame,
                 const struct operator_marks *marks, struct operator_pass *out_pass)
{
    const struct chain_glsl *chain = own(glsl);
    const uint32_t part = drawing_part(chain);
    const struct operator_frame shown = frame_as_shown(plan_of(chain), frame);
    api_of(chain, part)->draw(chain->parts[part], &shown, marks, out_pass);
    out_pass->step = plan_of(chain)->count == 1 ? 0 : plan_of(chain)->count;
}

const struct operator_glsl_api chain_operator_glsl = {.create = create,
                                                      .destroy = destroy,
                                                      .table_bytes = table_bytes,
                                                      .fill = fill,
                                                      .scratch_bytes = scratch_bytes,
                                                      .passes = passes,
                                                      .draw = draw,
                                                      .draws = draws,
                                                      .steps = steps};
