/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_record.h"

#include "core/log.h"
#include "godot_show.h"
#include "kernels/chain/chain.h"

#include <string.h>

#define FORMAT FOVEA_FORMAT_RGBA16F
#define PASSES_MAX                                                                                 \
    (OPERATOR_CHAIN_PASSES + 4) /* with both copies, what is drawn, and a small picture */
_Static_assert(PASSES_MAX <= GODOT_PIPELINES_MAX, "those of a view are there at the same time");

/* A pass with what it binds. */
struct dispatch {
    const struct godot_pipeline *pipeline;
    struct godot_rid set;
    struct godot_rid bound[GODOT_SPIRV_BINDINGS];
    const struct operator_pass *pass; /* groups, constants, barrier */
};

struct dispatches {
    struct operator_pass passes[PASSES_MAX];
    struct dispatch all[PASSES_MAX];
    uint32_t count;
};

/* ---- What is bound */

static struct godot_rid either(struct godot_rid wanted, struct godot_rid other)
{
    return wanted.id ? wanted : other;
}

static void bind_step(const struct godot_render *render, const struct godot_view *view,
                      uint32_t step, struct godot_rid bound[GODOT_SPIRV_BINDINGS])
{
    const struct godot_plan *plan = view->plan;
    const struct operator_step *images = &plan->steps[step];
    bound[0] = view->target->images[images->reads];
    bound[1] = view->target->images[images->writes];
    bound[2] = plan->tables[step];
    bound[3] = either(plan->scratch, render->no_storage);
    bound[4] = render->no_text;
    bound[5] = render->no_uniforms;
    bound[6] = view->depth; /* of the steps that have depths; the others declare none */
    bound[7] = view->focus;
}

static enum fovea_result add(struct godot_render *render, struct dispatches *list,
                             const struct godot_rid bound[GODOT_SPIRV_BINDINGS])
{
    struct dispatch *dispatch = &list->all[list->count];
    dispatch->pass = &list->passes[list->count];
    dispatch->pipeline =
        godot_shaders_find(&render->shaders, render->device, &dispatch->pass->shader);
    if (!dispatch->pipeline) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    memcpy(dispatch->bound, bound, sizeof dispatch->bound);
    dispatch->set = godot_render_set(render, dispatch->pipeline, bound);
    list->count++;
    return dispatch->set.id ? FOVEA_OK : FOVEA_ERROR_INTERNAL;
}

static enum fovea_result add_copy(struct godot_render *render, const struct godot_view *view,
                                  struct dispatches *list, bool in)
{
    struct operator_pass *pass = &list->passes[list->count];
    const struct godot_rid words = view->target->images[in ? OPERATOR_SOURCE : OPERATOR_RESULT];
    const struct godot_rid bound[GODOT_SPIRV_BINDINGS] = {in ? view->colour : words,
                                                          in ? words : view->colour};
    *pass = (struct operator_pass){.shader.shader =
                                       in ? &godot_shader_from_colour : &godot_shader_to_colour};
    shader_pixel_groups((uint32_t)view->frame.width_px, (uint32_t)view->frame.height_px,
                        pass->groups);
    return add(render, list, bound);
}

static enum fovea_result add_shown(struct godot_render *render, const struct godot_view *view,
                                   struct dispatches *list)
{
    const struct godot_rid bound[GODOT_SPIRV_BINDINGS] = {
        view->target->images[OPERATOR_SOURCE], {0}, {0}, godot_show_buffer(render)};
    godot_show_pass(render, (uint32_t)view->frame.width_px, (uint32_t)view->frame.height_px,
                    &list->passes[list->count]);
    return add(render, list, bound);
}

static enum fovea_result add_passes(struct godot_render *render, const struct godot_view *view,
                                    struct dispatches *list)
{
    struct operator_pass *first = &list->passes[list->count];
    uint32_t count = chain_operator.glsl->passes(view->plan->glsl, &view->frame, FORMAT, first);
    if (view->marked && count > 0 && chain_operator.glsl->draws(view->plan->glsl)) {
        first[count - 1].barrier = true;
        chain_operator.glsl->draw(view->plan->glsl, &view->frame, &view->marks, &first[count++]);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct godot_rid bound[GODOT_SPIRV_BINDINGS] = {{0}};
        bind_step(render, view, first[i].step, bound);
        FOVEA_TRY(add(render, list, bound));
    }
    return FOVEA_OK;
}

/* ---- Lists */

#define USES_MAX (2 * GODOT_SPIRV_BINDINGS)

/* The resources that a list's passes use, and how they use them. */
struct uses {
    struct {
        uint64_t id;
        uint32_t how;
    } all[USES_MAX];
    uint32_t count;
};

static uint32_t how_used(const struct godot_pipeline *pipeline, int binding)
{
    return 2 * (uint32_t)pipeline->declared.bindings[binding].type +
           (pipeline->declared.bindings[binding].writable ? 1 : 0);
}

/* False: the list has no room for it, or uses something of it in another way. */
static bool fits(struct uses *uses, const struct dispatch *dispatch)
{
    for (int i = 0; i < GODOT_SPIRV_BINDINGS; i++) {
        const uint64_t id = dispatch->bound[i].id;
        const uint32_t how = how_used(dispatch->pipeline, i);
        uint32_t at = 0;
        if (dispatch->pipeline->declared.bindings[i].type == GODOT_UNIFORM_NONE) {
            continue;
        }
        while (at < uses->count && uses->all[at].id != id) {
            at++;
        }
        if (at == USES_MAX || (at < uses->count && uses->all[at].how != how)) {
            return false;
        }
        if (at == uses->count) {
            uses->all[uses->count].id = id;
            uses->all[uses->count++].how = how;
        }
    }
    return true;
}

static void record_constants(struct godot_render *render, const struct dispatch *dispatch,
                             int64_t list)
{
    const int64_t bytes = dispatch->pipeline->declared.constant_bytes;
    if (bytes == 0) {
        return;
    }
    uint8_t *to = godot.packed_byte_array_operator_index(&render->constants, 0);
    memset(to, 0, OPERATOR_CONSTANT_BYTES);
    memcpy(to, dispatch->pass->constants, dispatch->pass->constant_bytes);
    GODOT_CALL(RenderingDevice_compute_list_set_push_constant, render->device, NULL, &list,
               &render->constants, &bytes);
}

static void record_dispatch(struct godot_render *render, const struct dispatch *dispatch,
                            int64_t list)
{
    static const int64_t set_index = 0;
    const int64_t groups[3] = {dispatch->pass->groups[0], dispatch->pass->groups[1], 1};
    GODOT_CALL(RenderingDevice_compute_list_bind_compute_pipeline, render->device, NULL, &list,
               &dispatch->pipeline->rid);
    GODOT_CALL(RenderingDevice_compute_list_bind_uniform_set, render->device, NULL, &list,
               &dispatch->set, &set_index);
    record_constants(render, dispatch, list);
    GODOT_CALL(RenderingDevice_compute_list_dispatch, render->device, NULL, &list, &groups[0],
               &groups[1], &groups[2]);
}

static void record_lists(struct godot_render *render, const struct dispatches *dispatches)
{
    struct uses uses = {.count = 0};
    int64_t list = 0;
    bool open = false;
    bool barrier = false;
    for (uint32_t i = 0; i < dispatches->count; i++) {
        const struct dispatch *dispatch = &dispatches->all[i];
        if (open && !fits(&uses, dispatch)) {
            GODOT_GET(RenderingDevice_compute_list_end, render->device, NULL);
            open = barrier = false;
        }
        if (!open) {
            uses.count = 0;
            fits(&uses, dispatch);
            GODOT_GET(RenderingDevice_compute_list_begin, render->device, &list);
            open = true;
        }
        if (barrier) {
            GODOT_CALL(RenderingDevice_compute_list_add_barrier, render->device, NULL, &list);
        }
        record_dispatch(render, dispatch, list);
        barrier = dispatch->pass->barrier;
    }
    if (open) {
        GODOT_GET(RenderingDevice_compute_list_end, render->device, NULL);
    }
}

enum fovea_result godot_record_view(struct godot_render *render, const struct godot_view *view)
{
    struct dispatches dispatches;
    dispatches.count = 0;
    render->shaders.view++;
    FOVEA_TRY(add_copy(render, view, &dispatches, true));
    if (view->shown) {
        FOVEA_TRY(add_shown(render, view, &dispatches));
    }
    FOVEA_TRY(add_passes(render, view, &dispatches));
    FOVEA_TRY(add_copy(render, view, &dispatches, false));
    record_lists(render, &dispatches);
    return FOVEA_OK;
}
