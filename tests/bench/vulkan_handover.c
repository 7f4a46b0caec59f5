/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The way from Vulkan's queue to a CUDA kernel and back, without Fovea but by the same means: a
 * timeline semaphore of Vulkan's, imported by CUDA. A submit with enough work that everything
 * behind it is queued before it is over, a timestamp, a signal; a kernel that reads the GPU's
 * clock, a signal; a submit with a timestamp. NVIDIA's Vulkan timestamps and %globaltimer are one
 * clock; where they turn out not to be, that is said and nothing else. Both ways together are
 * measured on Vulkan's alone. %globaltimer may count in steps of up to a microsecond. */

#include "vulkan_bench.h"

#include "cuda_bench.h"
#include "plugin/frame/frame.h"
#include "vulkan/vk_semaphore.h"

#define ROUNDS 200
#define ROUNDS_QUICK 5
#define WARM_UP 10
#define WORK_US                                                                                    \
    4000.0 /* before the signal: more than the CPU takes to queue what comes behind it */
#define COPIES_AT_MOST 2000

enum stamp { WORK_BEGINS, BEFORE_SIGNAL, BEHIND_WAIT };

struct handover {
    struct vulkan_bench *b;
    struct fovea_vk *fovea; /* its device makes the semaphore */
    VkSemaphore semaphore;
    uint64_t value; /* even: Vulkan's turn */
    struct engine_image images[2];
    int copies; /* that are the work */
    struct cuda_device *device;
    const struct cuda_driver *cu;
    CUexternalSemaphore imported;
    CUstream stream;
    CUmodule module;
    CUfunction clock;
    CUdeviceptr now;
};

#define MUST(h, call) bench_must(CU_CHECK((h)->device->log, (h)->cu, call), #call)

/* ---- Vulkan ---------------------------------------------------------------------------------- */

static void submit(struct handover *h, VkCommandBuffer commands, uint64_t wait, uint64_t signal)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = wait ? 1 : 0,
        .pWaitSemaphoreValues = &wait,
        .signalSemaphoreValueCount = signal ? 1 : 0,
        .pSignalSemaphoreValues = &signal};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = wait ? 1 : 0,
                               .pWaitSemaphores = &h->semaphore,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = signal ? 1 : 0,
                               .pSignalSemaphores = &h->semaphore};
    VULKAN_MUST(vkEndCommandBuffer(commands));
    VULKAN_MUST(vkQueueSubmit(h->b->engine.queue, 1, &info, VK_NULL_HANDLE));
}

static void record_work(struct handover *h, VkCommandBuffer commands, int count)
{
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {.srcSubresource = layer,
                                .dstSubresource = layer,
                                .extent = {h->images[0].width_px, h->images[0].height_px, 1}};
    for (int i = 0; i < count; i++) {
        vkCmdCopyImage(commands, h->images[0].image, VK_IMAGE_LAYOUT_GENERAL, h->images[1].image,
                       VK_IMAGE_LAYOUT_GENERAL, 1, &region);
        vulkan_barrier(commands);
    }
}

static void find_copies(struct handover *h)
{
    struct engine *engine = &h->b->engine;
    const int few = 8;
    double us = 0.0;
    for (int i = 0; i < 3; i++) {
        VkCommandBuffer commands = engine_begin(engine);
        vulkan_stamp(h->b, commands, WORK_BEGINS);
        record_work(h, commands, few);
        vulkan_stamp(h->b, commands, BEFORE_SIGNAL);
        engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
        engine_idle(engine);
        us = vulkan_between_us(h->b, WORK_BEGINS, BEFORE_SIGNAL) / few;
    }
    const double count = us > 0.0 ? WORK_US / us + 1.0 : COPIES_AT_MOST;
    h->copies = count < COPIES_AT_MOST ? (int)count : COPIES_AT_MOST;
}

static void make_images(struct handover *h)
{
    struct engine *engine = &h->b->engine;
    VkCommandBuffer commands = engine_begin(engine);
    for (int i = 0; i < 2; i++) {
        h->images[i] = engine_image_create(engine, VK_FORMAT_R8G8B8A8_UNORM, 1920, 1080);
        engine_record_barrier(commands, h->images[i].image, VK_IMAGE_LAYOUT_UNDEFINED,
                              VK_IMAGE_LAYOUT_GENERAL);
    }
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
}

/* ---- CUDA ------------------------------------------------------------------------------------ */

static void import_semaphore(struct handover *h)
{
    struct os_handle handle = OS_HANDLE_INVALID;
    bench_must(vk_semaphore_create(&h->fovea->device, true, true, &h->semaphore), "semaphore");
    bench_must(vk_semaphore_export(&h->fovea->device, h->semaphore, &handle), "semaphore");
    const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD, .handle.fd = handle.fd};
    MUST(h, h->cu->ImportExternalSemaphore(&h->imported, &desc));
}

static void open_cuda(struct handover *h)
{
    int ordinal = 0;
    bench_must(cuda_device_find(h->fovea->device.uuid, bench_log(), &ordinal), "cuda");
    bench_must(cuda_device_create(ordinal, bench_log(), &h->device), "cuda");
    bench_must(cuda_device_push(h->device), "cuda");
    h->cu = h->device->cu;
    bench_must(cuda_device_create_stream(h->device, &h->stream), "cuda");
    MUST(h, h->cu->ModuleLoadData(&h->module, bench_kernels_ptx));
    MUST(h, h->cu->ModuleGetFunction(&h->clock, h->module, "bench_clock"));
    MUST(h, h->cu->FuncLoad(h->clock));
    MUST(h, h->cu->MemAlloc(&h->now, sizeof(uint64_t)));
    import_semaphore(h);
}

static void close_cuda(struct handover *h)
{
    MUST(h, h->cu->DestroyExternalSemaphore(h->imported));
    MUST(h, h->cu->MemFree(h->now));
    MUST(h, h->cu->ModuleUnload(h->module));
    MUST(h, h->cu->StreamDestroy(h->stream));
    cuda_device_pop(h->device);
    cuda_device_destroy(&h->device);
}

static void enqueue_clock(struct handover *h)
{
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.params.fence.value = h->value + 1};
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.params.fence.value = h->value + 2};
    void *params[] = {&h->now};
    MUST(h, h->cu->WaitExternalSemaphoresAsync(&h->imported, &wait, 1, h->stream));
    MUST(h, h->cu->LaunchKernel(h->clock, 1, 1, 1, 1, 1, 1, 0, h->stream, params, NULL));
    MUST(h, h->cu->SignalExternalSemaphoresAsync(&h->imported, &signal, 1, h->stream));
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* In ticks of a nanosecond. */
static uint64_t stamp_ns(struct handover *h, enum stamp which)
{
    uint64_t ticks = 0;
    VULKAN_MUST(vkGetQueryPoolResults(h->b->engine.device, h->b->queries, which, 1, sizeof ticks,
                                      &ticks, sizeof ticks,
                                      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    return ticks;
}

struct round {
    double to_us;
    double from_us;
    double both_us;
    bool one_clock;
    bool in_time; /* everything was queued before the work was over */
};

static struct round run_round(struct handover *h)
{
    struct engine *engine = &h->b->engine;
    uint64_t now_ns = 0;
    VkCommandBuffer before = engine_begin(engine);
    VkCommandBuffer behind = engine_begin(engine);
    vulkan_stamp(h->b, before, WORK_BEGINS);
    record_work(h, before, h->copies);
    vulkan_stamp(h->b, before, BEFORE_SIGNAL);
    vulkan_stamp(h->b, behind, BEHIND_WAIT);
    const int64_t start_ns = fovea_time_ns();
    submit(h, before, 0, h->value + 1);
    enqueue_clock(h);
    submit(h, behind, h->value + 2, 0);
    const double submit_us = (double)(fovea_time_ns() - start_ns) * 1e-3;
    engine_idle(engine);
    MUST(h, h->cu->StreamSynchronize(h->stream));
    MUST(h, h->cu->MemcpyDtoH(&now_ns, h->now, sizeof now_ns));
    h->value += 2;
    const uint64_t begin_ns = stamp_ns(h, BEFORE_SIGNAL);
    const uint64_t end_ns = stamp_ns(h, BEHIND_WAIT);
    return (struct round){.to_us = (double)(int64_t)(now_ns - begin_ns) * 1e-3,
                          .from_us = (double)(int64_t)(end_ns - now_ns) * 1e-3,
                          .both_us = (double)(int64_t)(end_ns - begin_ns) * 1e-3,
                          .one_clock = begin_ns <= now_ns && now_ns <= end_ns,
                          .in_time =
                              submit_us < vulkan_between_us(h->b, WORK_BEGINS, BEFORE_SIGNAL)};
}

static void add_result(struct handover *h, const struct round *rounds, size_t count)
{
    double to_us[ROUNDS];
    double from_us[ROUNDS];
    double both_us[ROUNDS];
    for (size_t i = 0; i < count; i++) {
        to_us[i] = rounds[i].to_us;
        from_us[i] = rounds[i].from_us;
        both_us[i] = rounds[i].both_us;
    }
    h->b->bench->results.handover =
        (struct handover_result){.measured = true,
                                 .to_kernel = bench_times_of(to_us, count),
                                 .from_kernel = bench_times_of(from_us, count),
                                 .both = bench_times_of(both_us, count)};
}

static void measure(struct handover *h)
{
    struct results *results = &h->b->bench->results;
    struct round rounds[ROUNDS];
    const size_t wanted = h->b->bench->wishes.quick ? ROUNDS_QUICK : ROUNDS;
    size_t count = 0;
    bool one_clock = h->fovea->device.properties.limits.timestampPeriod == 1.0f;
    find_copies(h);
    for (int i = 0; one_clock && i < WARM_UP; i++) {
        run_round(h);
    }
    for (size_t i = 0; one_clock && i < wanted; i++) {
        rounds[count] = run_round(h);
        one_clock = rounds[count].one_clock;
        count += rounds[count].in_time;
    }
    if (!one_clock) {
        results_absent(results, "hand-over", "Vulkan and CUDA do not read the same clock");
    } else if (count < wanted / 4) {
        results_absent(results, "hand-over", "the CPU queues more slowly than the GPU works");
    } else {
        add_result(h, rounds, count);
    }
}

bool vulkan_handover(struct vulkan_bench *b)
{
    struct handover h = {.b = b};
    if (!bench_wants(b->bench, "handover")) {
        return true;
    }
    if (!vulkan_open(b)) {
        return false;
    }
    if (b->engine.needs.timeline_semaphore) {
        h.fovea = vulkan_fovea(b, &bench_modes[0], FOVEA_BACKEND_CUDA);
    }
    if (!h.fovea || !vk_semaphore_exportable(&h.fovea->device, true)) {
        fovea_vk_destroy(&h.fovea);
        results_absent(&b->bench->results, "hand-over", "no timelines shared with CUDA");
        return true;
    }
    bench_say("handover");
    make_images(&h);
    open_cuda(&h);
    measure(&h);
    close_cuda(&h);
    vkDestroySemaphore(b->engine.device, h.semaphore, NULL);
    engine_image_destroy(&b->engine, &h.images[0]);
    engine_image_destroy(&b->engine, &h.images[1]);
    fovea_vk_destroy(&h.fovea);
    return true;
}
