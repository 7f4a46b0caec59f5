/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Compute lists: recorded, checked, and put into the frame's commands when they end. A texture has
 * one layout in a list, as the engine's graph has it: what is sampled cannot be written, too. */

#include "rd.h"

#include "cmocka_all.h"

#define OPS_AT_MOST 1024
#define TIMES_AT_MOST 64

enum op_kind { OP_PIPELINE, OP_SET, OP_PUSH, OP_DISPATCH, OP_INDIRECT, OP_BARRIER };
struct op {
    enum op_kind kind;
    struct resource *resource;
    uint32_t numbers[3];
    uint8_t push[PUSH_BYTES_AT_MOST];
};

static struct {
    bool open;
    struct op ops[OPS_AT_MOST];
    uint32_t count;
    struct resource *pipeline;
    struct resource *sets[SETS_AT_MOST];
    bool pushed, broken; /* broken: two usages; it is not run */
} list;

/* Before a frame's first dispatch, and after each. */
static struct {
    VkQueryPool pool;
    uint32_t count;
} marks;

#define LIST_ID ((int64_t)0x51)

bool rd_list_is_open(const char *what)
{
    if (list.open) {
        engine_error("%s while a compute list is recorded", what);
    }
    return list.open;
}

static struct op *add(int64_t id, enum op_kind kind)
{
    static struct op nowhere;
    if (!list.open || id != LIST_ID || list.count == OPS_AT_MOST) {
        engine_error("no such compute list, or too long");
        nowhere = (struct op){0};
        return &nowhere;
    }
    struct op *made = &list.ops[list.count++];
    *made = (struct op){.kind = kind};
    return made;
}

void method_list_begin(struct call *call)
{
    if (!rd_list_is_open("compute_list_begin")) {
        memset(&list, 0, sizeof list);
        list.open = true;
        call->ret.i = LIST_ID;
    }
}

void method_list_pipeline(struct call *call)
{
    struct resource *pipeline = rd_find(call->args[1].rid, RD_PIPELINE);
    if (pipeline) {
        add(call->args[0].i, OP_PIPELINE)->resource = pipeline;
        list.pipeline = pipeline;
        list.pushed = false;
    }
}

/* Says how a list uses a texture or a buffer: sampled or uniform, read, written. */
static uint8_t how_of(const struct set_binding *binding)
{
    const bool stored = binding->type == UNIFORM_IMAGE || binding->type == UNIFORM_STORAGE_BUFFER;
    return binding->writable ? 3 : stored ? 2 : 1;
}

static bool take_use(uint8_t *used, uint8_t how)
{
    if (*used && *used != how) {
        engine_error("Tracker can't have more than one type of usage in the same compute list.");
        return false;
    }
    *used = how;
    return true;
}

static bool use(const struct resource *texture, uint8_t how)
{
    const struct rd_texture *part = &texture->texture, *root = &part->root->texture;
    for (uint32_t l = part->first_layer; l < part->first_layer + part->layers; l++) {
        for (uint32_t m = part->first_mip; m < part->first_mip + part->mips; m++) {
            if (!take_use(&root->uses[l * root->mips + m], how)) {
                return false;
            }
        }
    }
    return true;
}

void method_list_set(struct call *call)
{
    struct resource *set = rd_find(call->args[1].rid, RD_SET);
    const int64_t index = call->args[2].i;
    if (!set || index < 0 || index >= SETS_AT_MOST || index != set->set.index) {
        engine_error("compute_list_bind_uniform_set: no set, or at another index");
        return;
    }
    struct op *made = add(call->args[0].i, OP_SET);
    made->resource = set;
    made->numbers[0] = (uint32_t)index;
    list.sets[index] = set;
    for (uint32_t i = 0; list.open && i < set->set.count; i++) {
        const struct set_binding *binding = &set->set.bindings[i];
        const uint8_t how = how_of(binding);
        if ((binding->texture && !use(binding->texture, how)) ||
            (binding->buffer && !take_use(&binding->buffer->buffer.use, how))) {
            list.broken = true;
        }
    }
}

void method_list_push(struct call *call)
{
    const struct bytes *data = call->args[1].opaque;
    const int64_t size = call->args[2].i;
    const uint32_t wanted =
        list.pipeline ? list.pipeline->pipeline.shader->shader.reflection.push_bytes : 0;
    if (!list.pipeline || size != wanted || size > bytes_size(data)) {
        engine_error("This compute pipeline requires (%u) bytes of push constant data, supplied: "
                     "(%lld)",
                     wanted, (long long)size);
        return;
    }
    struct op *made = add(call->args[0].i, OP_PUSH);
    made->numbers[0] = wanted;
    memcpy(made->push, data->data, wanted);
    list.pushed = true;
}

/* Checks what a dispatch needs, as the engine's debug builds do. */
static bool may_dispatch(void)
{
    if (!list.pipeline) {
        engine_error("No compute pipeline was set before attempting to draw.");
        return false;
    }
    const struct resource *shader = list.pipeline->pipeline.shader;
    const struct shader_reflection *reflection = &shader->shader.reflection;
    for (uint32_t i = 0; i < reflection->binding_count; i++) {
        const struct resource *set = list.sets[reflection->bindings[i].set];
        if (!set || !rd_is(set->rid, RD_SET) || set->set.shader != shader) {
            engine_error("Uniforms were never supplied for set (%u), or are another shader's",
                         reflection->bindings[i].set);
            return false;
        }
    }
    if (reflection->push_bytes && !list.pushed) {
        engine_error("The shader in this pipeline requires a push constant to be set before "
                     "drawing, but it's not present.");
        return false;
    }
    return true;
}

void method_list_dispatch(struct call *call)
{
    bool right = may_dispatch();
    for (int i = 1; i <= 3; i++) {
        if (call->args[i].i <= 0 || call->args[i].i > 65535) {
            engine_error("Dispatch amount of groups (%lld) is zero or above the limit",
                         (long long)call->args[i].i);
            right = false;
        }
    }
    if (right) {
        struct op *made = add(call->args[0].i, OP_DISPATCH);
        for (int i = 0; i < 3; i++) {
            made->numbers[i] = (uint32_t)call->args[1 + i].i;
        }
        the_host.counts.dispatches++;
    }
}

void method_list_barrier(struct call *call)
{
    add(call->args[0].i, OP_BARRIER);
}

/* ---- Into the frame ---- */

static void barrier(void)
{
    if (!the_host.options.no_barriers) {
        rd_barrier();
    }
}

static void mark(void)
{
    if (!the_host.options.times || marks.count == TIMES_AT_MOST) {
        return;
    }
    if (marks.count == 0) {
        vkCmdResetQueryPool(rd_commands(), marks.pool, 0, TIMES_AT_MOST);
    }
    vkCmdWriteTimestamp(rd_commands(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, marks.pool,
                        marks.count++);
}

static void transition_set(const struct resource *set)
{
    for (uint32_t i = 0; i < set->set.count; i++) {
        const struct set_binding *binding = &set->set.bindings[i];
        if (binding->texture) {
            rd_transition(binding->texture, binding->type == UNIFORM_IMAGE
                                                ? VK_IMAGE_LAYOUT_GENERAL
                                                : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        }
    }
}

static void forget_uses(const struct resource *set)
{
    for (uint32_t i = 0; i < set->set.count; i++) {
        const struct resource *texture = set->set.bindings[i].texture;
        if (texture) {
            const struct rd_texture *root = &texture->texture.root->texture;
            memset(root->uses, 0, (size_t)root->layers * root->mips);
        }
        if (set->set.bindings[i].buffer) {
            set->set.bindings[i].buffer->buffer.use = 0;
        }
    }
}

static void play(const struct op *op, const struct resource **shader)
{
    VkCommandBuffer into = rd_commands();
    switch (op->kind) {
    case OP_PIPELINE:
        *shader = op->resource->pipeline.shader;
        vkCmdBindPipeline(into, VK_PIPELINE_BIND_POINT_COMPUTE, op->resource->pipeline.handle);
        break;
    case OP_SET:
        vkCmdBindDescriptorSets(into, VK_PIPELINE_BIND_POINT_COMPUTE,
                                op->resource->set.shader->shader.layout, op->numbers[0], 1,
                                &op->resource->set.handle, 0, NULL);
        break;
    case OP_PUSH:
        vkCmdPushConstants(into, (*shader)->shader.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           op->numbers[0], op->push);
        break;
    case OP_DISPATCH:
        vkCmdDispatch(into, op->numbers[0], op->numbers[1], op->numbers[2]);
        mark();
        break;
    case OP_INDIRECT:
        vkCmdDispatchIndirect(into, op->resource->buffer.handle, op->numbers[0]);
        break;
    case OP_BARRIER:
        barrier();
        break;
    }
}

void method_list_end(struct call *call)
{
    const struct resource *shader = NULL;
    if (!list.open) {
        engine_error("compute_list_end without a list");
        return;
    }
    list.open = false;
    if (marks.count == 0) {
        mark();
    }
    barrier();
    for (uint32_t i = 0; i < list.count && !list.broken; i++) {
        if (list.ops[i].kind == OP_SET) {
            transition_set(list.ops[i].resource);
        }
    }
    for (uint32_t i = 0; i < list.count && !list.broken; i++) {
        play(&list.ops[i], &shader);
    }
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.ops[i].kind == OP_SET) {
            forget_uses(list.ops[i].resource);
        }
    }
}

/* ---- Timestamps: those of a frame are read when it has run ---- */

void rd_lists_open(void)
{
    memset(&list, 0, sizeof list);
    memset(&marks, 0, sizeof marks);
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = TIMES_AT_MOST};
    assert_int_equal(vkCreateQueryPool(the_host.engine.device, &info, NULL, &marks.pool),
                     VK_SUCCESS);
}

void rd_lists_close(void)
{
    vkDestroyQueryPool(the_host.engine.device, marks.pool, NULL);
}

void rd_lists_end_frame(void)
{
    if (list.open) {
        engine_error("the frame ends while a compute list is recorded");
        list.open = false;
    }
}

static double tick_ns(void)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(the_host.engine.physical, &properties);
    return (double)properties.limits.timestampPeriod;
}

void rd_lists_read_times(void)
{
    uint64_t at[TIMES_AT_MOST];
    const uint32_t last = marks.count > 0 ? marks.count - 1 : 0;
    the_host.counts.gpu_ns = the_host.counts.kernels_ns = 0;
    if (last >= 2) {
        vkGetQueryPoolResults(the_host.engine.device, marks.pool, 0, marks.count, sizeof at, at, 8,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        the_host.counts.gpu_ns = (int64_t)((double)(at[last] - at[0]) * tick_ns());
        the_host.counts.kernels_ns = (int64_t)((double)(at[last - 1] - at[1]) * tick_ns());
    }
    marks.count = 0;
}
