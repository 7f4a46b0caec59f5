/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* RIDs and what they need, the device itself, buffers. */

#include "rd.h"
#include "resources.h"

#include "cmocka_all.h"

#define CHECK(call) assert_int_equal((call), VK_SUCCESS)

static struct resource *alive, *freed;
static uint64_t last_rid;
static struct engine_buffer staging[256];
static uint32_t staging_count;
static VkCommandBuffer commands;

bool device_open(void)
{
    const struct engine_options options = {.no_sharing = true,
                                           .no_validation = the_host.options.times};
    alive = freed = NULL;
    last_rid = 0x100000;
    commands = VK_NULL_HANDLE;
    if (!engine_open(&the_host.engine, &options)) {
        return false;
    }
    rd_lists_open();
    if (the_host.options.busy_px > 0) {
        the_host.busy = engine_busy_create(&the_host.engine, the_host.options.busy_px);
    }
    return true;
}

void device_close(void)
{
    device_end_frame();
    while (alive) {
        rd_forget(alive->rid);
    }
    rd_destroy_freed();
    rd_lists_close();
    if (the_host.options.busy_px > 0) {
        engine_busy_destroy(&the_host.engine, &the_host.busy);
    }
    engine_close(&the_host.engine);
}

/* ---- RIDs ---- */

struct resource *rd_new(enum rd_kind kind)
{
    struct resource *made = calloc(1, sizeof *made);
    made->kind = kind;
    made->rid = ++last_rid << 8 | (uint64_t)kind;
    made->next = alive;
    alive = made;
    return made;
}

bool rd_is(uint64_t rid, enum rd_kind kind)
{
    const struct resource *found = alive;
    while (found && found->rid != rid) {
        found = found->next;
    }
    return found && found->kind == kind;
}

struct resource *rd_find(uint64_t rid, enum rd_kind kind)
{
    static const char *const names[] = {"",       "texture",  "buffer",
                                        "shader", "pipeline", "uniform set"};
    struct resource *found = alive;
    while (found && (found->rid != rid || found->kind != kind)) {
        found = found->next;
    }
    if (!found) {
        engine_error("RID %llu is no %s", (unsigned long long)rid, names[kind]);
    }
    return found;
}

void rd_needs(struct resource *resource, uint64_t rid)
{
    if (resource->need_count < BINDINGS_AT_MOST) {
        resource->needs[resource->need_count++] = rid;
    }
}

static struct resource *who_needs(uint64_t rid)
{
    for (struct resource *found = alive; found; found = found->next) {
        for (uint32_t i = 0; i < found->need_count; i++) {
            if (found->needs[i] == rid) {
                return found;
            }
        }
    }
    return NULL;
}

void rd_forget(uint64_t rid)
{
    struct resource *user = NULL;
    while ((user = who_needs(rid))) {
        rd_forget(user->rid);
    }
    struct resource **link = &alive;
    while (*link && (*link)->rid != rid) {
        link = &(*link)->next;
    }
    struct resource *gone = *link;
    if (!gone) {
        return;
    }
    *link = gone->next;
    gone->next = NULL;
    struct resource **last = &freed; /* users before what they use */
    while (*last) {
        last = &(*last)->next;
    }
    *last = gone;
}

uint32_t device_rids(void)
{
    uint32_t count = 0;
    for (const struct resource *found = alive; found; found = found->next) {
        count += !found->of_engine;
    }
    return count;
}

void device_name_leaks(void)
{
    for (const struct resource *found = alive; found; found = found->next) {
        if (!found->of_engine) {
            console_add("LEAK: RID %llu of kind %d\n", (unsigned long long)found->rid, found->kind);
        }
    }
}

static void destroy(struct resource *gone)
{
    VkDevice device = the_host.engine.device;
    switch (gone->kind) {
    case RD_TEXTURE:
        vkDestroyImageView(device, gone->texture.view, NULL);
        if (gone->texture.root == gone) {
            vkDestroyImage(device, gone->texture.image, NULL);
            vkFreeMemory(device, gone->texture.memory, NULL);
            free(gone->texture.layouts);
            free(gone->texture.uses);
        }
        break;
    case RD_BUFFER:
        vkDestroyBuffer(device, gone->buffer.handle, NULL);
        vkFreeMemory(device, gone->buffer.memory, NULL);
        break;
    case RD_SHADER:
        vkDestroyPipelineLayout(device, gone->shader.layout, NULL);
        for (uint32_t i = 0; i < SETS_AT_MOST; i++) {
            vkDestroyDescriptorSetLayout(device, gone->shader.sets[i], NULL);
        }
        vkDestroyShaderModule(device, gone->shader.module, NULL);
        break;
    case RD_PIPELINE:
        vkDestroyPipeline(device, gone->pipeline.handle, NULL);
        break;
    case RD_SET:
        vkDestroyDescriptorPool(device, gone->set.pool, NULL);
        break;
    default:
        break;
    }
    free(gone);
}

void rd_destroy_freed(void)
{
    while (freed) {
        struct resource *next = freed->next;
        destroy(freed);
        freed = next;
    }
}

void method_rd_free(struct call *call)
{
    const uint64_t rid = call->args[0].rid;
    const struct resource *found = alive;
    while (found && found->rid != rid) {
        found = found->next;
    }
    if (!found || found->of_engine) {
        engine_error("Attempted to free invalid ID: %llu", (unsigned long long)rid);
        return;
    }
    rd_forget(rid);
}

void method_is_valid(struct call *call)
{
    call->ret.b = rd_is(call->args[0].rid, (enum rd_kind)call->method->field);
}

/* ---- The frame's commands ---- */

VkCommandBuffer rd_commands(void)
{
    if (!commands) {
        commands = engine_begin(&the_host.engine);
    }
    return commands;
}

struct engine_buffer rd_staging(VkDeviceSize bytes)
{
    assert_true(staging_count < sizeof staging / sizeof staging[0]);
    struct engine_buffer made = engine_buffer_create(&the_host.engine, bytes);
    staging[staging_count++] = made;
    return made;
}

void rd_flush(void)
{
    if (commands) {
        engine_submit(&the_host.engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        engine_idle(&the_host.engine);
        commands = VK_NULL_HANDLE;
    }
}

static void answer_requests(void);

void device_end_frame(void)
{
    rd_lists_end_frame();
    rd_flush();
    rd_lists_read_times();
    answer_requests();
    for (uint32_t i = 0; i < staging_count; i++) {
        engine_buffer_destroy(&the_host.engine, &staging[i]);
    }
    staging_count = 0;
    rd_destroy_freed();
}

VkDeviceMemory rd_allocate(VkMemoryRequirements needs)
{
    return engine_allocate(&the_host.engine, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

/* ---- Buffers ---- */

void rd_barrier(void)
{
    const VkMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                  .dstAccessMask =
                                      VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(rd_commands(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &info, 0, NULL, 0, NULL);
}

static void write_buffer(struct resource *buffer, const uint8_t *data, int64_t offset, int64_t size)
{
    const struct engine_buffer from = rd_staging((VkDeviceSize)size);
    memcpy(from.mapped, data, (size_t)size);
    const VkBufferCopy region = {0, (VkDeviceSize)offset, (VkDeviceSize)size};
    rd_barrier();
    vkCmdCopyBuffer(rd_commands(), from.buffer, buffer->buffer.handle, 1, &region);
}

void method_buffer_create(struct call *call)
{
    const int64_t size = call->args[0].i;
    const struct bytes *data = call->args[1].opaque;
    const bool storage = call->method->field == 1;
    if (size <= 0 || (bytes_size(data) != 0 && bytes_size(data) != size)) {
        engine_error("a buffer of %lld bytes with data of %lld", (long long)size,
                     (long long)bytes_size(data));
        return;
    }
    struct resource *made = rd_new(RD_BUFFER);
    made->buffer.bytes = (uint32_t)size;
    made->buffer.storage = storage;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = (VkDeviceSize)size,
        .usage =
            VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
            (storage ? VK_BUFFER_USAGE_STORAGE_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT) |
            (storage && (call->args[2].i & 1) ? VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT : 0)};
    CHECK(vkCreateBuffer(the_host.engine.device, &info, NULL, &made->buffer.handle));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(the_host.engine.device, made->buffer.handle, &needs);
    made->buffer.memory = rd_allocate(needs);
    CHECK(vkBindBufferMemory(the_host.engine.device, made->buffer.handle, made->buffer.memory, 0));
    if (bytes_size(data) > 0) {
        write_buffer(made, data->data, 0, size);
    }
    call->ret.rid = made->rid;
}

/* Buffers whose bytes somebody waits for; he is called when the frame is over. */
static struct request {
    struct engine_buffer copy;
    int64_t bytes;
    struct callable callable;
} requests[8];
static uint32_t request_count;

void method_buffer_get_async(struct call *call)
{
    struct resource *buffer = rd_find(call->args[0].rid, RD_BUFFER);
    const int64_t offset = call->args[2].i, bytes = call->args[3].i;
    if (!buffer || offset < 0 || bytes <= 0 || offset + bytes > buffer->buffer.bytes ||
        rd_list_is_open("buffer_get_data_async")) {
        engine_error("buffer_get_data_async of %lld bytes", (long long)bytes);
        call->ret.i = 31; /* ERR_INVALID_PARAMETER */
        return;
    }
    assert_true(request_count < sizeof requests / sizeof requests[0]);
    struct request *request = &requests[request_count++];
    *request = (struct request){.copy = rd_staging((VkDeviceSize)bytes), .bytes = bytes};
    value_copy(GD_CALLABLE, &request->callable, call->args[1].opaque);
    const VkBufferCopy region = {(VkDeviceSize)offset, 0, (VkDeviceSize)bytes};
    rd_barrier();
    vkCmdCopyBuffer(rd_commands(), buffer->buffer.handle, request->copy.buffer, 1, &region);
}

static void answer_requests(void)
{
    for (uint32_t i = 0; i < request_count; i++) {
        struct bytes bytes = {0};
        struct variant argument;
        bytes_resize(&bytes, requests[i].bytes);
        memcpy(bytes.data, requests[i].copy.mapped, (size_t)requests[i].bytes);
        variant_from(&argument, GD_PACKED_BYTE_ARRAY, &bytes);
        value_finish(GD_PACKED_BYTE_ARRAY, &bytes);
        if (!callable_call(&requests[i].callable, &argument)) {
            engine_error("buffer_get_data_async: the callback failed");
        }
        variant_finish(&argument);
        value_finish(GD_CALLABLE, &requests[i].callable);
    }
    request_count = 0;
}

/* ---- The rest ---- */

void method_limit(struct call *call)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(the_host.engine.physical, &properties);
    const VkPhysicalDeviceLimits *limits = &properties.limits;
    const int64_t compute[] = {
        limits->maxComputeSharedMemorySize,     limits->maxComputeWorkGroupCount[0],
        limits->maxComputeWorkGroupCount[1],    limits->maxComputeWorkGroupCount[2],
        limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0],
        limits->maxComputeWorkGroupSize[1],     limits->maxComputeWorkGroupSize[2]};
    const int64_t which = call->args[0].i;
    if (which >= 27 && which <= 34) {
        call->ret.i = compute[which - 27];
    } else if (which == 20) {
        call->ret.i = PUSH_BYTES_AT_MOST;
    } else if (which == 12) {
        call->ret.i = limits->maxImageDimension2D;
    } else {
        engine_error("limit %lld is not in the host", (long long)which);
    }
}
