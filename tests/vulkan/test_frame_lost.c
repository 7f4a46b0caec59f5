/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A kernel that goes wrong in Fovea's own CUDA context, on a GPU: frames go on by vulkan. And whose
 * memory pictures may lie in.
 *
 * What becomes of the program's CUDA, in the primary context beside it, is the driver's to say, and
 * reported: NVIDIA's 580 ends all contexts of the process. So each case with a loss is a process of
 * its own.
 *
 * The frames are on a queue that has no graphics: on those that have, a driver may do nothing any
 * more for any process once a kernel has gone wrong, Fovea or not. What it does is reported. */

#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame.h"
#include "rig.h"
#include "stuck.h"
#include "vulkan/interop/peer_cuda_state.h"
#include "vulkan/vk_check.h"

/* How long the driver may take to end Vulkan's own work after a loss: it recovers, or gives a queue
 * up, after 20 s. */
#define PATIENCE_MS 25000
/* The same where a process has just waited for that long in vain: a queue that goes on takes a
 * millisecond. */
#define PATIENCE_AGAIN_MS 2000
/* Longer than everything that a step waits for by right. */
#define STUCK_S 60.0

#define WIDTH_PX 320
#define HEIGHT_PX 200
#define BYTES 4096
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

/* Validation has waits of its own, of 10 s each, and may be why a step takes long: a run of its own
 * has it. */
static bool validated;
static bool graphics; /* frames are on a queue that has it */
static uint64_t patience_ms = PATIENCE_MS;
static bool queue_stopped; /* the driver does the engine's own work no more */

/* Address 8 is nobody's. */
static const char stores_nowhere[] = ".version 7.0\n"
                                     ".target sm_75\n"
                                     ".address_size 64\n"
                                     ".visible .entry store_nowhere()\n"
                                     "{\n"
                                     "    .reg .b32 %r<2>;\n"
                                     "    .reg .b64 %rd<2>;\n"
                                     "    mov.u64 %rd1, 8;\n"
                                     "    mov.u32 %r1, 1;\n"
                                     "    st.global.u32 [%rd1], %r1;\n"
                                     "    ret;\n"
                                     "}\n";

/* The program has this of CUDA itself. */
struct program {
    struct cuda_device *device;
    CUdeviceptr memory;
};

struct bench {
    struct rig rig;
    struct program program;
    struct test_image src;
    struct test_image dst;
    double *expected;
};

static struct cuda_peer *peer_of(struct bench *bench)
{
    return (struct cuda_peer *)bench->rig.fovea->peer;
}

#define MUST(call) assert_int_equal((call), CUDA_SUCCESS)

static void fill(const struct program *program, unsigned char value)
{
    const struct cuda_driver *cu = program->device->cu;
    assert_ok(cuda_device_push(program->device));
    MUST(cu->MemsetD8(program->memory, value, BYTES));
    cuda_device_pop(program->device);
}

static void assert_filled(const struct program *program, unsigned char value)
{
    const struct cuda_driver *cu = program->device->cu;
    unsigned char bytes[BYTES];
    assert_ok(cuda_device_push(program->device));
    MUST(cu->MemcpyDtoH(bytes, program->memory, BYTES));
    cuda_device_pop(program->device);
    for (int i = 0; i < BYTES; i++) {
        assert_int_equal(bytes[i], value);
    }
}

static void open_program(struct program *program, int ordinal)
{
    assert_ok(cuda_device_create(ordinal, (struct fovea_log){0}, &program->device));
    assert_ok(cuda_device_push(program->device));
    MUST(program->device->cu->MemAlloc(&program->memory, BYTES));
    cuda_device_pop(program->device);
    fill(program, 1);
}

/* Its memory goes with its context, if that was lost. */
static void close_program(struct program *program)
{
    assert_ok(cuda_device_push(program->device));
    (void)program->device->cu->MemFree(program->memory);
    cuda_device_pop(program->device);
    cuda_device_destroy(&program->device);
}

static void tell_of_program(const struct program *program)
{
    unsigned char bytes[BYTES];
    stuck_step("the program's memory is read");
    assert_ok(cuda_device_push(program->device));
    const CUresult result = program->device->cu->MemcpyDtoH(bytes, program->memory, BYTES);
    cuda_device_pop(program->device);
    printf(
        "report: after a kernel has gone wrong in Fovea's own context a copy in the program's, the "
        "primary one, ends with %d\n",
        (int)result);
}

static void open_bench(struct bench *bench)
{
    *bench = (struct bench){0};
    const struct engine_options options = {.nvidia = true,
                                           .without_graphics = !graphics,
                                           .no_validation = !validated,
                                           .host_signals = true};
    stuck_step("devices and contexts are made");
    assert_true(engine_open(&bench->rig.engine, &options));
    bench->rig.settings = rig_settings();
    bench->rig.settings.backend = FOVEA_BACKEND_CUDA;
    bench->rig.settings.cuda_context = FOVEA_CUDA_CONTEXT_OWN;
    bench->rig.settings.watchdog_ms = 1000;
    const struct fovea_vk_desc desc = engine_fovea_desc(&bench->rig.engine, &bench->rig.settings);
    assert_ok(fovea_vk_create(&desc, &bench->rig.fovea));
    assert_true(peer_of(bench)->device->loss.own);
    open_program(&bench->program, peer_of(bench)->device->ordinal);
    assert_ptr_not_equal(bench->program.device->context, peer_of(bench)->device->context);
    bench->src = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    bench->dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    image_draw(&bench->src.view, IMAGE_RANDOM, 3);
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    assert_ok(foveate_plan_create(&bench->rig.settings.foveation, WIDTH_PX, HEIGHT_PX, &plan));
    const struct gauss_frame frame = gauss_frame_make(plan, (struct fovea_point_uv){0.5, 0.5});
    bench->expected = compare_expected(&bench->rig.settings.foveation, &bench->src.view, &frame);
}

static void close_bench(struct bench *bench)
{
    stuck_step("fovea, then the Vulkan device are destroyed");
    rig_close(&bench->rig);
    stuck_step("the program's CUDA is destroyed");
    close_program(&bench->program);
    stuck_step("the next case");
    image_free(&bench->src);
    image_free(&bench->dst);
    free(bench->expected);
}

static enum fovea_result run(struct bench *bench, enum rig_path path)
{
    return rig_frame(&bench->rig, path, format, &bench->src.view, rig_gaze(0.5, 0.5),
                     &bench->dst.view);
}

static void assert_foveated(struct bench *bench, enum rig_path path, enum fovea_backend backend)
{
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    stuck_step("a frame by %s, %s", fovea_backend_name(backend), rig_path_name(path));
    assert_ok(run(bench, path));
    assert_ok(fovea_vk_get_stats(bench->rig.fovea, &stats));
    assert_int_equal(stats.backend, backend);
    for (uint32_t i = 0; i < WIDTH_PX * HEIGHT_PX * 4; i++) {
        const uint32_t x = i / 4 % WIDTH_PX, y = i / 4 / WIDTH_PX;
        const double off = image_get(&bench->dst.view, x, y, i % 4) - bench->expected[i];
        assert_that(off <= 1.0 && off >= -1.0, "%s: x %u, y %u, channel %u is off by %.3f",
                    rig_path_name(path), x, y, i % 4, off);
    }
}

static void launch_on(const struct cuda_device *device, CUstream stream)
{
    const struct cuda_driver *cu = device->cu;
    CUmodule module = NULL;
    CUfunction kernel = NULL;
    assert_ok(cuda_device_push(device));
    MUST(cu->ModuleLoadData(&module, stores_nowhere));
    MUST(cu->ModuleGetFunction(&kernel, module, "store_nowhere"));
    MUST(cu->LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    cuda_device_pop(device);
}

static void launch_what_goes_wrong(struct bench *bench)
{
    launch_on(peer_of(bench)->device, peer_of(bench)->stream);
}

/* The kernel that was launched has gone wrong by then. */
static void assert_lost(const struct cuda_device *device, CUstream stream)
{
    stuck_step("cuStreamSynchronize says that a kernel went wrong");
    assert_ok(cuda_device_push(device));
    assert_int_equal(device->cu->StreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    cuda_device_pop(device);
}

/* ---- Vulkan's own work ---- */

struct plain {
    VkResult result;
    double ms;
};

static struct plain submit_and_wait(struct engine *engine, VkCommandBuffer commands)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkSubmitInfo batch = vulkan_submit_info(&commands);
    VkFence fence = VK_NULL_HANDLE;
    assert_int_equal(vkCreateFence(engine->device, &info, NULL, &fence), VK_SUCCESS);
    assert_int_equal(vkEndCommandBuffer(commands), VK_SUCCESS);
    const int64_t begin_ns = fovea_time_ns();
    VkResult result = vkQueueSubmit(engine->queue, 1, &batch, fence);
    if (result == VK_SUCCESS) {
        result =
            vkWaitForFences(engine->device, 1, &fence, VK_TRUE, patience_ms * UINT64_C(1000000));
    }
    if (result != VK_TIMEOUT) { /* of a queue that hangs it is in use */
        vkDestroyFence(engine->device, fence, NULL);
    }
    return (struct plain){result, (double)(fovea_time_ns() - begin_ns) * 1e-6};
}

static struct plain fill_buffer(struct engine *engine)
{
    struct engine_buffer buffer = engine_buffer_create(engine, BYTES);
    VkCommandBuffer commands = engine_begin(engine);
    vkCmdFillBuffer(commands, buffer.buffer, 0, VK_WHOLE_SIZE, 7);
    const struct plain done = submit_and_wait(engine, commands);
    if (done.result == VK_SUCCESS) {
        engine_buffer_destroy(engine, &buffer);
    }
    return done;
}

/* The driver gives it to another part of the GPU than it gives fills and uploads to. */
static struct plain copy_image(struct engine *engine)
{
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageCopy region = {
        .srcSubresource = layer, .dstSubresource = layer, .extent = {WIDTH_PX, HEIGHT_PX, 1}};
    struct engine_image images[2];
    VkCommandBuffer commands = engine_begin(engine);
    for (int i = 0; i < 2; i++) {
        images[i] = engine_image_create(engine, format, WIDTH_PX, HEIGHT_PX);
        engine_record_barrier(commands, images[i].image, VK_IMAGE_LAYOUT_UNDEFINED, general);
    }
    vkCmdCopyImage(commands, images[0].image, general, images[1].image, general, 1, &region);
    const struct plain done = submit_and_wait(engine, commands);
    for (int i = 0; i < 2 && done.result == VK_SUCCESS; i++) {
        engine_image_destroy(engine, &images[i]);
    }
    return done;
}

/* If the driver does not do the engine's own work any more no frame can go on: that is told, and
 * the context goes, of which nothing is under way. The device cannot be destroyed. */
static bool engine_goes_on(struct bench *bench)
{
    stuck_step("the engine's own work, which has nothing of Fovea");
    const struct plain done = copy_image(&bench->rig.engine);
    if (done.result == VK_SUCCESS) {
        return true;
    }
    printf("report: %s queue: the engine's own copy of an image, after a kernel of CUDA's has gone "
           "wrong, ends with %s after %.0f ms; no frame is tried\n",
           graphics ? "graphics" : "compute", vk_result_name(done.result), done.ms);
    queue_stopped = true;
    stuck_step("fovea is destroyed");
    fovea_vk_destroy(&bench->rig.fovea);
    tell_of_program(&bench->program);
    close_program(&bench->program);
    image_free(&bench->src);
    image_free(&bench->dst);
    free(bench->expected);
    return false;
}

static void assert_frames_go_on(struct bench *bench)
{
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        assert_foveated(bench, (enum rig_path)path, FOVEA_BACKEND_VULKAN);
    }
    tell_of_program(&bench->program);
}

static void a_frame_after_the_loss_passes_and_frames_go_on(void **state)
{
    struct bench bench;
    open_bench(&bench);
    if (!engine_goes_on(&bench)) { /* a case before, or a process, has seen to that */
        return;
    }
    for (int path = 0; path < RIG_PATH_COUNT; path++) {
        assert_foveated(&bench, (enum rig_path)path, FOVEA_BACKEND_CUDA);
    }
    stuck_step("the kernel that goes wrong is launched");
    launch_what_goes_wrong(&bench);
    assert_lost(peer_of(&bench)->device, peer_of(&bench)->stream);
    if (!engine_goes_on(&bench)) {
        return;
    }
    stuck_step("the frame that meets the loss");
    assert_int_equal(run(&bench, RIG_ENGINE_IN_PLACE), FOVEA_PASSED_THROUGH);
    compare_assert_all_same(&bench.dst.view, &bench.src.view, "the engine's image");
    assert_frames_go_on(&bench);
    close_bench(&bench);
}

/* Whether its frame meets the loss or the queue waits for a signal that will not come: no longer
 * than for the watchdog. */
static void a_frame_during_the_loss_ends_and_frames_go_on(void **state)
{
    OWNED(close_bench) struct bench bench;
    open_bench(&bench);
    assert_foveated(&bench, RIG_MADE_TO_MADE, FOVEA_BACKEND_CUDA);
    stuck_step("the kernel that goes wrong is launched");
    launch_what_goes_wrong(&bench);
    const int64_t start_ns = fovea_time_ns();
    stuck_step("a frame during the loss");
    assert_true(run(&bench, RIG_MADE_TO_MADE) >= 0);
    stuck_step("another one");
    (void)run(&bench, RIG_MADE_TO_MADE);
    assert_true(fovea_time_ns() - start_ns < 10 * INT64_C(1000000000));
    assert_frames_go_on(&bench);
}

static enum fovea_result run_picture(struct fovea_context *context, CUdeviceptr memory)
{
    const struct fovea_image src = {.data = (void *)(uintptr_t)memory,
                                    .width_px = 16,
                                    .height_px = 16,
                                    .format = FOVEA_FORMAT_RGBA8,
                                    .memory = FOVEA_MEMORY_CUDA,
                                    .row_stride_bytes = 64};
    struct fovea_image dst = src;
    dst.data = (void *)(uintptr_t)(memory + BYTES / 2);
    return fovea_context_run(context, &src, &dst, (struct fovea_point_uv){0.5, 0.5}, NULL);
}

TEST(pictures_are_of_the_primary_context)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    struct fovea_context *context = NULL;
    struct program program;
    struct cuda_device *other = NULL;
    CUdeviceptr memory = 0;
    open_program(&program, 0);
    assert_ok(fovea_context_create(&desc, &context));
    assert_ok(run_picture(context, program.memory));
    assert_ok(cuda_device_create_own(0, (struct fovea_log){0}, &other));
    assert_ok(cuda_device_push(other));
    MUST(other->cu->MemAlloc(&memory, BYTES));
    cuda_device_pop(other);
    assert_int_equal(run_picture(context, memory), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_ok(run_picture(context, program.memory));
    cuda_device_destroy(&other); /* its memory too */
    fovea_context_destroy(&context);
    fill(&program, 7);
    assert_filled(&program, 7);
    close_program(&program);
}

/* ---- Vulkan without Fovea ---- */

static void lose_a_context(void)
{
    struct cuda_device *device = NULL;
    CUstream stream = NULL;
    assert_ok(cuda_device_create_own(0, (struct fovea_log){0}, &device));
    assert_ok(cuda_device_push(device));
    assert_ok(cuda_device_create_stream(device, &stream));
    cuda_device_pop(device);
    launch_on(device, stream);
    assert_lost(device, stream);
}

/* A process whose queue hangs has this status. */
#define HANGS 3

/* In a process of its own, which may not get away from its queue otherwise. */
static void plain_vulkan(const char *queue)
{
    const struct engine_options options = {
        .nvidia = true, .without_graphics = strcmp(queue, "compute") == 0, .no_validation = true};
    struct engine engine;
    stuck_step("plain Vulkan, %s queue", queue);
    assert_true(engine_open(&engine, &options));
    const struct plain before = copy_image(&engine);
    lose_a_context();
    stuck_step("plain Vulkan, %s queue, a buffer is filled after the loss", queue);
    const struct plain filled = fill_buffer(&engine);
    stuck_step("plain Vulkan, %s queue, an image is copied after the loss", queue);
    const struct plain copied =
        filled.result == VK_SUCCESS ? copy_image(&engine) : (struct plain){VK_TIMEOUT, 0.0};
    printf("report: %s queue, nothing of Fovea: a copy of an image ends with %s after %.1f ms; "
           "after a kernel of CUDA's has gone wrong a fill with %s after %.1f ms, a copy with %s "
           "after %.1f ms\n",
           queue, vk_result_name(before.result), before.ms, vk_result_name(filled.result),
           filled.ms, vk_result_name(copied.result), copied.ms);
    fflush(stdout);
    _exit(before.result == VK_TIMEOUT ? HANGS : 0);
}

/* ---- Processes ---- */

/* Runs this program with other arguments; returns its status. */
static int status_of_process(const char *what)
{
    stuck_step("a process of its own: %s", what);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_frame_lost", "cuda", what, validated ? "validated" : NULL,
              (char *)NULL);
        _exit(95);
    }
    return test_status_of(child);
}

static void run_process(const char *what)
{
    assert_int_equal(status_of_process(what), 0);
}

TEST(frames_go_on_after_a_loss)
{
    run_process("after");
}

TEST(frames_go_on_during_a_loss)
{
    run_process("during");
}

static bool graphics_hang;

TEST(what_queues_do_without_fovea_is_told)
{
    run_process("compute");
    const int status = status_of_process("graphics");
    assert_true(status == 0 || status == HANGS);
    graphics_hang = status == HANGS;
}

/* Engines have such queues. */
TEST(a_graphics_queue_goes_on_where_the_driver_does)
{
    run_process(graphics_hang ? "after-graphics-hang" : "after-graphics");
}

static int run_child(int argc, char **argv)
{
    const char *what = argv[2];
    const struct CMUnitTest after[] = {
        cmocka_unit_test(a_frame_after_the_loss_passes_and_frames_go_on)};
    const struct CMUnitTest during[] = {
        cmocka_unit_test(a_frame_during_the_loss_ends_and_frames_go_on)};
    if (strcmp(what, "compute") == 0 || strcmp(what, "graphics") == 0) {
        plain_vulkan(what);
    }
    graphics = strncmp(what, "after-graphics", 14) == 0;
    patience_ms = strcmp(what, "after-graphics-hang") == 0 ? PATIENCE_AGAIN_MS : PATIENCE_MS;
    const int failed = rig_run(argc, argv, strcmp(what, "during") == 0 ? during : after, 1);
    if (queue_stopped) { /* what the driver does at exit() waits for that queue for ever */
        fflush(NULL);
        _exit(failed);
    }
    return failed;
}

/* "cuda", and behind it "validated", or what a process of its own does. */
int main(int argc, char **argv)
{
    stuck_watch(STUCK_S);
    validated = argc > 2 && strcmp(argv[argc - 1], "validated") == 0;
    if (argc > 3 || (argc > 2 && !validated)) {
        return run_child(argc, argv);
    }
    return rig_run(argc, argv, test_list.tests, validated ? 3 : test_list.count);
}
