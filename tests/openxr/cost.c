/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/*     openxr_cost [--quick]
 *
 * What the OpenXR layer adds to a frame of two views, in the tests' runtime, as a table in
 * Markdown: of views that stay as they are, of frusta and of rectangles that are others in every
 * frame. The manifests of the runtime and the layers lie in the folder openxr beside the program.
 *
 * CPU: the time in the frame's calls of OpenXR, which the runtime makes nothing of. GPU: from the
 * program's last drawing to the end of what the frame has submitted. The queue is held back until
 * all of it is there, so that the time is the GPU's own; before that it copies images to and fro,
 * since a GPU that rests between frames lowers its clock. */

#include "program.h"

#include "tests/engines/costs.h"
#include "tests/support/clock.h"
#include "tests/support/vulkan_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUSY_COPIES 4
#define BUSY_PX 4096 /* a side: some ten milliseconds on the graphics queue of an H100 */

struct meter {
    const struct gpu *gpu;
    VkCommandBuffer commands[2]; /* before and after what is measured */
    VkQueryPool times;
    VkEvent go; /* the queue waits for it */
    VkImage busy[2]; /* copied to and fro */
    VkDeviceMemory busy_memory[2];
    uint32_t busy_px;
    double us_per_tick;
    uint64_t mask; /* of the ticks that count */
};

/* This changes from frame to frame, beside the gaze. */
enum change { NOTHING, FRUSTA, RECTANGLES };

struct medians {
    double begin_us; /* of the session and its swapchains */
    double first_us; /* of the CPU's, in the first frame */
    double cpu_us;
    double cpu_99_us; /* the 99th percentile */
    double gpu_us;
};

static uint32_t local_memory(const struct gpu *gpu, uint32_t bits)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu->physical_device, &memory);
    return vulkan_memory_type(&memory, bits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

static void make_busy(struct meter *meter, uint32_t i)
{
    const struct gpu *gpu = meter->gpu;
    const VkImageCreateInfo image =
        vulkan_image_info(VK_FORMAT_R16G16B16A16_SFLOAT, meter->busy_px, meter->busy_px,
                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    VkMemoryRequirements needs;
    MUST(vkCreateImage(gpu->device, &image, NULL, &meter->busy[i]));
    vkGetImageMemoryRequirements(gpu->device, meter->busy[i], &needs);
    const VkMemoryAllocateInfo memory =
        vulkan_memory_info(needs.size, local_memory(gpu, needs.memoryTypeBits));
    MUST(vkAllocateMemory(gpu->device, &memory, NULL, &meter->busy_memory[i]));
    MUST(vkBindImageMemory(gpu->device, meter->busy[i], meter->busy_memory[i], 0));
}

static void keep_in_general(VkCommandBuffer commands, VkImage image, VkImageLayout before)
{
    vulkan_record_layout(commands, image, VK_IMAGE_ASPECT_COLOR_BIT, before,
                         VK_IMAGE_LAYOUT_GENERAL);
}

static void record_busy(const struct meter *meter, VkCommandBuffer commands)
{
    const VkImageSubresourceLayers whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {.srcSubresource = whole,
                                .dstSubresource = whole,
                                .extent = {meter->busy_px, meter->busy_px, 1}};
    for (uint32_t i = 0; i < BUSY_COPIES; i++) {
        for (uint32_t j = 0; j < 2; j++) {
            keep_in_general(commands, meter->busy[j],
                            i ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED);
        }
        vkCmdCopyImage(commands, meter->busy[i % 2], VK_IMAGE_LAYOUT_GENERAL,
                       meter->busy[(i + 1) % 2], VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
}

static void record(const struct meter *meter, uint32_t which)
{
    VkCommandBuffer commands = meter->commands[which];
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    MUST(vkBeginCommandBuffer(commands, &info));
    if (which == 0) {
        vkCmdResetQueryPool(commands, meter->times, 0, 2);
        record_busy(meter, commands);
        vkCmdWaitEvents(commands, 1, &meter->go, VK_PIPELINE_STAGE_HOST_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
    }
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, meter->times, which);
    MUST(vkEndCommandBuffer(commands));
}

static void take_clock(struct meter *meter)
{
    VkQueueFamilyProperties family;
    VkPhysicalDeviceProperties properties;
    uint32_t count = 1;
    vkGetPhysicalDeviceQueueFamilyProperties(meter->gpu->physical_device, &count, &family);
    vkGetPhysicalDeviceProperties(meter->gpu->physical_device, &properties);
    if (family.timestampValidBits == 0) {
        fprintf(stderr, "openxr_cost: the queue has no clock\n");
        exit(1);
    }
    meter->us_per_tick = (double)properties.limits.timestampPeriod / 1e3;
    meter->mask = UINT64_MAX >> (64 - family.timestampValidBits);
}

static void make_meter(const struct gpu *gpu, uint32_t busy_px, struct meter *meter)
{
    const VkCommandBufferAllocateInfo commands = vulkan_commands_info(gpu->pool, 2);
    const VkQueryPoolCreateInfo times = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 2};
    const VkEventCreateInfo go = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    *meter = (struct meter){.gpu = gpu, .busy_px = busy_px};
    MUST(vkAllocateCommandBuffers(gpu->device, &commands, meter->commands));
    MUST(vkCreateQueryPool(gpu->device, &times, NULL, &meter->times));
    MUST(vkCreateEvent(gpu->device, &go, NULL, &meter->go));
    make_busy(meter, 0);
    make_busy(meter, 1);
    take_clock(meter);
    record(meter, 0);
    record(meter, 1);
}

static void drop_meter(const struct meter *meter)
{
    for (uint32_t i = 0; i < 2; i++) {
        vkDestroyImage(meter->gpu->device, meter->busy[i], NULL);
        vkFreeMemory(meter->gpu->device, meter->busy_memory[i], NULL);
    }
    vkDestroyEvent(meter->gpu->device, meter->go, NULL);
    vkDestroyQueryPool(meter->gpu->device, meter->times, NULL);
}

static void submit(const struct meter *meter, uint32_t which)
{
    const VkSubmitInfo info = vulkan_submit_info(&meter->commands[which]);
    MUST(vkQueueSubmit(meter->gpu->queue, 1, &info, VK_NULL_HANDLE));
}

static double gpu_us(const struct meter *meter)
{
    uint64_t ticks[2];
    MUST(vkGetQueryPoolResults(meter->gpu->device, meter->times, 0, 2, sizeof ticks, ticks,
                               sizeof ticks[0], VK_QUERY_RESULT_64_BIT));
    return (double)((ticks[1] - ticks[0]) & meter->mask) * meter->us_per_tick;
}

/* A queue that is held back would never end what the layer waits for in its first frames, nor what
 * software Vulkan waits for where it is asked for times. */
static void show(const struct program_session *session, const struct meter *meter, bool held_back,
                 double *out_cpu_us, double *out_gpu_us)
{
    uint32_t images[PROGRAM_VIEWS];
    MUST(vkResetEvent(meter->gpu->device, meter->go));
    double from_us = now_us();
    const XrTime time = program_begin_frame(session);
    for (uint32_t i = 0; i < session->chain_count; i++) {
        images[i] = program_next_image(session->chains[i].handle);
    }
    *out_cpu_us = now_us() - from_us;
    for (uint32_t i = 0; i < session->chain_count; i++) {
        gpu_draw(meter->gpu, session->chains[i].images[images[i]], &session->places[i].imageRect,
                 0);
    }
    if (!held_back) {
        MUST(vkSetEvent(meter->gpu->device, meter->go));
    }
    submit(meter, 0);
    from_us = now_us();
    for (uint32_t i = 0; i < session->chain_count; i++) {
        MUST(xrReleaseSwapchainImage(session->chains[i].handle, NULL));
    }
    program_end_frame(session, time);
    *out_cpu_us += now_us() - from_us;
    submit(meter, 1);
    MUST(vkSetEvent(meter->gpu->device, meter->go));
    MUST(vkQueueWaitIdle(meter->gpu->queue));
    *out_gpu_us = gpu_us(meter);
}

/* The eyes move in every frame: on a circle about straight ahead. The runtime reads it there. */
static void look(uint32_t frame)
{
    static char text[64] = "FOVEA_TEST_XR_GAZE=0,0";
    const double turn = (double)frame * 0.1;
    snprintf(text, sizeof text, "FOVEA_TEST_XR_GAZE=%.3f,%.3f", 12 * cos(turn), 8 * sin(turn));
    MUST(-putenv(text));
}

/* Frusta are narrowed, and rectangles made smaller, by up to a third, as inner views that follow
 * the gaze and dynamic resolution do; no two frames have the same. */
static void change(struct program_session *session, enum change what, uint32_t frame)
{
    const double part = 1.0 - (double)frame / (3.0 * (COSTS_WARM_UP + COSTS_FRAMES));
    if (what == FRUSTA) {
        session->frusta_part = (float)part;
    }
    for (uint32_t i = 0; what == RECTANGLES && i < session->view_count; i++) {
        XrExtent2Di *size = &session->places[i].imageRect.extent;
        size->width = (int32_t)lround(session->whole.width * part);
        size->height = (int32_t)lround(session->whole.height * part);
    }
}

static struct medians measure(const char *layer, enum change what, bool quick, bool head)
{
    static double cpu[COSTS_FRAMES];
    static double gpu[COSTS_FRAMES];
    const uint32_t warm_up = quick ? 4 : COSTS_WARM_UP;
    const uint32_t frames = costs_frames(quick);
    struct program program = {.kind = "separate", .layer = layer};
    struct program_session session = {0};
    struct meter meter;
    program_start(&program);
    const double from_us = now_us();
    program_begin(&program, &session);
    const double begin_us = now_us() - from_us;
    make_meter(&program.gpu, quick ? 64 : BUSY_PX, &meter);
    program_paint(&session, 0, 0);
    double first_us = 0;
    for (uint32_t i = 0; i < warm_up + frames; i++) {
        const uint32_t at = i < warm_up ? 0 : i - warm_up;
        look(i);
        change(&session, what, i);
        show(&session, &meter, !quick && i >= warm_up, &cpu[at], &gpu[at]);
        first_us = i == 0 ? cpu[at] : first_us;
    }
    if (head) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(program.gpu.physical_device, &properties);
        printf("%s, %u views of %dx%d\n\n", properties.deviceName, session.view_count,
               session.places[0].imageRect.extent.width, session.places[0].imageRect.extent.height);
    }
    drop_meter(&meter);
    program_finish(&session);
    MUST(xrDestroyInstance(program.instance));
    gpu_drop(&program.gpu);
    return (struct medians){.begin_us = begin_us,
                            .first_us = first_us,
                            .cpu_us = costs_percentile(cpu, frames, 50),
                            .cpu_99_us = costs_percentile(cpu, frames, 99),
                            .gpu_us = costs_percentile(gpu, frames, 50)};
}

/* The loaders are shown our own runtime and layers, whatever this machine has. */
static void choose_manifests(void)
{
    char program[2048];
    char path[2200];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    MUST(length);
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    snprintf(path, sizeof path, "%s/openxr/api_layers", program);
    MUST(setenv("XR_API_LAYER_PATH", path, 1));
    snprintf(path, sizeof path, "%s/openxr/runtime.json", program);
    MUST(setenv("XR_RUNTIME_JSON", path, 1));
    MUST(unsetenv("XR_ENABLE_API_LAYERS"));
    snprintf(path, sizeof path, "%s/openxr/vulkan_layers", program);
    MUST(setenv("VK_ADD_LAYER_PATH", path, 1));
    MUST(setenv("VK_INSTANCE_LAYERS", "VK_LAYER_FOVEA_foveation", 1));
}

struct layered {
    const char *name;
    const char *settings; /* FOVEA_SET */
    enum change what;
};

int main(int count, char **arguments)
{
    static const struct layered cases[] = {
        {"Fovea, paper", "foveation.model=paper", NOTHING},
        {"Fovea, physical", "foveation.model=physical", NOTHING},
        {"Fovea, physical; frusta change", "foveation.model=physical", FRUSTA},
        {"Fovea, physical; rectangles change", "foveation.model=physical", RECTANGLES},
        {"Fovea, physical; copied", "layer.direct=false", NOTHING},
        {"Fovea, physical; copied, rectangles change", "layer.direct=false", RECTANGLES}};
    bool quick = false;
    bool right = true;
    if (!costs_arguments(count, arguments, &quick)) {
        fprintf(stderr, "openxr_cost [--quick]\n");
        return 2;
    }
    choose_manifests();
    MUST(setenv("FOVEA_TEST_XR_SIZE", quick ? "128x96" : "2064x2208", 1));
    const struct medians off = measure(NULL, NOTHING, quick, true);
    printf("| layer | session and swapchains, CPU, ms | first frame, CPU, ms | CPU, us | CPU, 99 "
           "of 100 below "
           "| it "
           "adds | GPU, us | it adds |\n");
    printf("|---|---|---|---|---|---|---|---|\n");
    printf("| none | %.1f | %.1f | %.1f | %.1f | | %.1f | |\n", off.begin_us * 1e-3,
           off.first_us * 1e-3, off.cpu_us, off.cpu_99_us, off.gpu_us);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        MUST(setenv("FOVEA_SET", cases[i].settings, 1));
        const struct medians on = measure("XR_APILAYER_FOVEA", cases[i].what, quick, false);
        printf("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", cases[i].name,
               on.begin_us * 1e-3, on.first_us * 1e-3, on.cpu_us, on.cpu_99_us,
               on.cpu_us - off.cpu_us, on.gpu_us, on.gpu_us - off.gpu_us);
        fflush(stdout);
        right &= on.gpu_us > off.gpu_us;
    }
    if (!right) {
        fprintf(stderr, "openxr_cost: a layer that takes no time of the GPU has done nothing\n");
    }
    return right ? 0 : 1;
}
