/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* exit() is called while another thread of the program's is in one of Fovea's calls and, within it,
 * in the driver. What exit() does after Fovea's handler takes the driver down, so that call must be
 * over by then, and no other may begin. Each in a process of its own: this program again, with the
 * name of a call. */

#include "calls.h"
#include "clock.h"
#include "cmocka_all.h"
#include "rig.h"

#include <stdatomic.h>
#include <sys/wait.h>

#define SLOW_MS 300
#define IN_THE_DRIVER 90 /* the status of a program whose thread still is, when drivers go */
#define NOT_REFUSED 91
#define NEVER_CAME 92

static struct {
    struct engine engine;
    struct fovea_settings settings;
    struct fovea_vk_desc desc;
    struct fovea_vk *fovea;
    struct fovea_vk_image *image;

} program;

static const char *_Atomic slow; /* the driver's function that takes its time, once */
static atomic_bool in_driver, came;

static void take_time(const char *name)
{
    const char *wanted = atomic_load(&slow);
    if (wanted && strcmp(wanted, name) == 0 &&
        atomic_compare_exchange_strong(&slow, &wanted, NULL)) {
        atomic_store(&in_driver, true);
        atomic_store(&came, true);
        rest_ms(SLOW_MS);
        atomic_store(&in_driver, false);
    }
}

#define SLOW(X)                                                                                    \
    X(VkResult, WaitForFences,                                                                     \
      (VkDevice d, uint32_t n, const VkFence *f, VkBool32 all, uint64_t ns), (d, n, f, all, ns))   \
    X(VkResult, CreateImage,                                                                       \
      (VkDevice d, const VkImageCreateInfo *i, const VkAllocationCallbacks *a, VkImage *o),        \
      (d, i, a, o))                                                                                \
    X(VkResult, CreateFence,                                                                       \
      (VkDevice d, const VkFenceCreateInfo *i, const VkAllocationCallbacks *a, VkFence *o),        \
      (d, i, a, o))                                                                                \
    X(VkResult, CreateBuffer,                                                                      \
      (VkDevice d, const VkBufferCreateInfo *i, const VkAllocationCallbacks *a, VkBuffer *o),      \
      (d, i, a, o))                                                                                \
    X(void, DestroyImage, (VkDevice d, VkImage i, const VkAllocationCallbacks *a), (d, i, a))      \
    X(void, DestroyFence, (VkDevice d, VkFence f, const VkAllocationCallbacks *a), (d, f, a))

#define DEFINE(type, name, parameters, arguments)                                                  \
    static VKAPI_ATTR type VKAPI_CALL shim_##name parameters                                       \
    {                                                                                              \
        take_time("vk" #name);                                                                     \
        return vk##name arguments;                                                                 \
    }
SLOW(DEFINE)
#undef DEFINE

#define SLOW_SHIM(type, name, parameters, arguments) SHIM(name),
static const struct shim shims[] = {SLOW(SLOW_SHIM) NO_MORE_SHIMS};

/* ---- The program ---- */

static enum fovea_result make_image(struct fovea_vk_image **out_image)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                                             .width_px = 64,
                                             .height_px = 48};
    return fovea_vk_image_create(program.fovea, &desc, out_image);
}

static void create(void)
{
    (void)!fovea_vk_create(&program.desc, &program.fovea);
}

static void destroy(void)
{
    fovea_vk_destroy(&program.fovea);
}

static void wait_for_frames(void)
{
    fovea_vk_wait(program.fovea);
}

static void create_image(void)
{
    struct fovea_vk_image *image = NULL;
    (void)!make_image(&image);
}

static void destroy_image(void)
{
    fovea_vk_image_destroy(&program.image);
}

static enum fovea_result find_gaze(void)
{
    const struct fovea_point_uv middle = {0.5, 0.5};
    struct fovea_point_uv gaze;
    struct fovea_vk_view view;
    fovea_vk_view_init(&view);
    view.width_px = 96; /* of no frame */
    view.height_px = 64;
    return fovea_vk_gaze_at(program.fovea, &view, middle, &gaze);
}

static void gaze_at(void)
{
    (void)!find_gaze();
}

static const struct call {
    const char *name;
    void (*run)(void);
    const char *slow;
} calls[] = {
    {"create", create, "vkCreateFence"},
    {"destroy", destroy, "vkDestroyFence"},
    {"wait", wait_for_frames, "vkWaitForFences"},
    {"create-image", create_image, "vkCreateImage"},
    {"destroy-image", destroy_image, "vkDestroyImage"},
    {"gaze-at", gaze_at, "vkCreateBuffer"},
};
#define CALL_COUNT (sizeof calls / sizeof calls[0])

/* A handler of exit() that runs after Fovea's, as drivers' do. */
static void see_who_is_there(void)
{
    struct fovea_vk_image *image = NULL;
    struct fovea_vk *other = NULL;
    if (atomic_load(&in_driver)) {
        _exit(IN_THE_DRIVER);
    }
    if ((program.fovea && (make_image(&image) != FOVEA_ERROR_INVALID_STATE ||
                           find_gaze() != FOVEA_ERROR_INVALID_STATE)) ||
        fovea_vk_create(&program.desc, &other) != FOVEA_ERROR_INVALID_STATE) {
        _exit(NOT_REFUSED);
    }
    _exit(0);
}

static void draw_once(void)
{
    const struct fovea_vk_frame_target end = {.made = program.image,
                                              .layout_before = VK_IMAGE_LAYOUT_UNDEFINED,
                                              .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                              .queue_family = VK_QUEUE_FAMILY_IGNORED};
    struct fovea_vk_frame frame = {
        .struct_bytes = sizeof frame, .src = end, .dst = end, .gaze = rig_gaze(0.5, 0.5)};
    VkImageLayout layout;
    assert_ok(fovea_vk_image_acquire(program.image, &layout));
    frame.src.layout_before = VK_IMAGE_LAYOUT_GENERAL;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_GENERAL;
    VkCommandBuffer commands = engine_begin(&program.engine);
    engine_record_barrier(commands, fovea_vk_image_handle(program.image), layout,
                          VK_IMAGE_LAYOUT_GENERAL);
    engine_submit(&program.engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    assert_ok(fovea_vk_foveate(program.fovea, &frame));
    engine_idle(&program.engine);
}

static void *run_call(void *user)
{
    const struct call *call = user;
    atomic_store(&slow, call->slow);
    call->run();
    return NULL;
}

static int run_as(const char *name)
{
    const struct call *call = calls;
    while (strcmp(call->name, name) != 0) {
        call++;
    }
    const struct engine_options options = {.no_validation = true, .host_signals = true};
    assert_true(engine_open(&program.engine, &options));
    program.settings = rig_settings();
    program.desc = engine_fovea_desc(&program.engine, &program.settings);
    program.desc.get_instance_proc_addr = shims_first(shims);
    assert_int_equal(atexit(see_who_is_there), 0);
    if (call->run != create) {
        create();
        assert_ok(make_image(&program.image));
        draw_once();
    }
    test_thread(run_call, (void *)call);
    for (int ms = 0; ms < 20000 && !atomic_load(&came); ms++) {
        rest_ms(1);
    }
    if (!atomic_load(&came)) {
        _exit(NEVER_CAME);
    }
    exit(0);
}

/* ---- The test ---- */

TEST(exit_waits_for_calls_and_lets_none_begin)
{
    for (size_t i = 0; i < CALL_COUNT; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            char *const arguments[] = {"test_frame_gate", (char *)rig_backend_name(),
                                       (char *)calls[i].name, NULL};
            execv("/proc/self/exe", arguments);
            _exit(95);
        }
        const int status = test_status_of(child);
        assert_that(status == 0, "%s: ends with %d", calls[i].name, status);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        return rig_choose_backend(argc, argv) ? run_as(argv[2]) : 2;
    }
    return rig_run_tests(argc, argv);
}
