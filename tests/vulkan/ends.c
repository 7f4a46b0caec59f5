/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "ends.h"
#include "clock.h"

#include "cmocka_all.h"
#include "sanitized.h"
#include "stand_in.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/wait.h>

#if TEST_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

#define WIDTH_PX 320
#define HEIGHT_PX 200
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(99);                                                                             \
        }                                                                                          \
    } while (0)

/* ---- The program ---- */

static struct {
    struct engine engine;
    struct fovea_settings settings;
    struct fovea_vk *fovea;
    struct engine_image image;
    struct fovea_vk_image *made; /* or NULL */
    bool bare; /* without Fovea: it only submits */
    const char *exits_at; /* a part of a message: the log calls exit() there */
} program;

static void say(void *user, enum fovea_log_level level, const char *message)
{
    if (program.exits_at && strstr(message, program.exits_at)) {
        program.exits_at = NULL;
        exit(0);
    }
}

static struct fovea_vk_desc open_engine(void)
{
    const enum fovea_backend backend = rig_backend();
    const struct engine_options options = {.no_validation = true,
                                           .nvidia = backend == FOVEA_BACKEND_CUDA ||
                                                     strcmp(rig_backend_name(), "nvidia") == 0,
                                           .no_timeline = strcmp(rig_backend_name(), "binary") == 0,
                                           .host_signals = backend == FOVEA_BACKEND_CPU};
    MUST(engine_open(&program.engine, &options));
    program.settings = rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&program.engine, &program.settings);
    desc.log = (struct fovea_log){say, NULL, FOVEA_LOG_DEBUG};
    return desc;
}

static struct fovea_vk_frame frame_in_place(void)
{
    struct fovea_vk_frame frame = rig_frame_in_place(&program.image);
    frame.gaze = rig_gaze(0.4, 0.5);
    return frame;
}

static void make_image(void)
{
    struct engine *engine = &program.engine;
    program.image = engine_image_create(engine, VK_FORMAT_R8G8B8A8_UNORM, WIDTH_PX, HEIGHT_PX);
    VkCommandBuffer commands = engine_begin(engine);
    engine_record_barrier(commands, program.image.image, VK_IMAGE_LAYOUT_UNDEFINED,
                          VK_IMAGE_LAYOUT_GENERAL);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(engine);
}

/* Whether it is taken or there are too many on their way. */
static void draw(void)
{
    if (program.bare) {
        struct engine *engine = &program.engine;
        engine_submit(engine, engine_begin(engine), VK_NULL_HANDLE, VK_NULL_HANDLE);
        return;
    }
    const struct fovea_vk_frame frame = frame_in_place();
    const enum fovea_result result = fovea_vk_foveate(program.fovea, &frame);
    MUST(result == FOVEA_OK || result == FOVEA_NOT_READY);
}

static void draw_some(void)
{
    for (int i = 0; i < 10; i++) {
        draw();
        engine_idle(&program.engine);
    }
    if (program.bare) {
        return;
    }
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    MUST(fovea_vk_get_stats(program.fovea, &stats) == FOVEA_OK);
    MUST(stats.frames == 10 && stats.backend == rig_backend());
}

static void open_program(void)
{
    const struct fovea_vk_desc desc = open_engine();
    MUST(program.bare || fovea_vk_create(&desc, &program.fovea) == FOVEA_OK);
    make_image();
    draw_some();
}

static void close_program(void)
{
    engine_idle(&program.engine);
    fovea_vk_destroy(&program.fovea);
    engine_image_destroy(&program.engine, &program.image);
    engine_close(&program.engine);
}

/* ---- How it ends ---- */

static void clean(void)
{
    open_program();
    close_program();
}

static void return_from_main(void)
{
    open_program();
}

static void exit_here(void)
{
    open_program();
    exit(0);
}

static void exit_with_frames_under_way(void)
{
    open_program();
    draw();
    draw();
    exit(0);
}

static void *leave(void *user)
{
    rest_ms(30);
    exit(0);
}

/* While this one draws. */
static void exit_in_another_thread(void)
{
    open_program();
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, leave, NULL) == 0);
    while (true) {
        draw();
    }
}

static void *push_samples(void *user)
{
    struct fovea_gaze_source *source = user;
    while (true) {
        const struct fovea_gaze_sample sample = {
            .x = 0.5, .y = 0.5, .t_ns = fovea_time_ns(), .confidence = 1};
        (void)!fovea_gaze_source_push(source, &sample);
    }
    return NULL;
}

static struct fovea_gaze_source *open_with_late_gazes(void)
{
    const struct fovea_vk_desc desc = open_engine();
    program.settings.gaze.late = true;
    MUST(fovea_vk_create(&desc, &program.fovea) == FOVEA_OK);
    make_image();
    struct fovea_gaze_settings gaze = fovea_settings_default().gaze;
    gaze.kind = FOVEA_GAZE_MOUSE;
    struct fovea_gaze_source *source = NULL;
    MUST(gaze_source_open(&gaze, desc.log, &source) == FOVEA_OK);
    MUST(fovea_vk_follow_gaze(program.fovea, source) == FOVEA_OK);
    return source;
}

/* A thread writes gazes into the memory that the GPU reads. */
static void exit_while_gazes_come(void)
{
    struct fovea_gaze_source *source = open_with_late_gazes();
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, push_samples, source) == 0);
    draw_some();
    exit(0);
}

static struct fovea_gaze_source *looking; /* still the program's when it exits */

static void open_with_pictures(void)
{
    const struct fovea_vk_desc desc = open_engine();
    MUST(fovea_vk_create(&desc, &program.fovea) == FOVEA_OK);
    make_image();
    struct fovea_gaze_settings gaze = fovea_settings_default().gaze;
    gaze.kind = FOVEA_GAZE_SALIENCY;
    gaze.saliency_rate_hz = 120;
    MUST(gaze_source_open(&gaze, desc.log, &looking) == FOVEA_OK);
    MUST(fovea_vk_show_frames(program.fovea, looking, false) == FOVEA_OK);
    draw_some();
}

/* A thread reads pictures from memory that a driver has mapped. */
static void exit_while_pictures_come(void)
{
    open_with_pictures();
    exit(0);
}

static void exit_at_once(void)
{
    open_program();
    draw();
    _exit(0);
}

static void end_by_abort(void)
{
    open_program();
    draw();
    abort();
}

static void end_by_signal(void)
{
    open_program();
    draw();
    raise(SIGTERM);
}

static void device_first(void)
{
    open_program();
    struct engine *engine = &program.engine;
    engine_idle(engine);
    vkDestroyDevice(engine->device, NULL);
    vkDestroyInstance(engine->instance, NULL);
    rest_ms(400); /* longer than a watchdog sleeps */
}

static void instance_first(void)
{
    open_program();
    engine_idle(&program.engine);
    vkDestroyInstance(program.engine.instance, NULL);
    rest_ms(400);
}

/* A program may call exit() wherever it is called. */
static void exit_in_a_message(void)
{
    const struct fovea_vk_desc desc = open_engine();
    program.exits_at = "backend ";
    (void)!fovea_vk_create(&desc, &program.fovea);
}

/* Destroyed by a handler that was registered before Fovea's, as objects are that live as long as
 * the program. */
static void destroyed_by_a_handler(void)
{
    MUST(atexit(close_program) == 0);
    open_program();
    draw();
    draw();
    exit(0);
}

static void draw_into_made(void)
{
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                                             .width_px = WIDTH_PX,
                                             .height_px = HEIGHT_PX,
                                             .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    MUST(fovea_vk_image_create(program.fovea, &desc, &program.made) == FOVEA_OK);
    struct fovea_vk_frame frame = frame_in_place();
    frame.dst = (struct fovea_vk_frame_target){.made = program.made,
                                               .layout_before = VK_IMAGE_LAYOUT_UNDEFINED,
                                               .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                               .queue_family = VK_QUEUE_FAMILY_IGNORED};
    MUST(fovea_vk_foveate(program.fovea, &frame) == FOVEA_OK);
}

static void destroy_fovea(void)
{
    fovea_vk_wait(program.fovea);
    fovea_vk_image_destroy(&program.made);
    fovea_vk_destroy(&program.fovea);
}

/* Fovea alone, which the program leaves to an object of its own; the engine leaves its device to
 * the process. */
static void fovea_destroyed_by_a_handler(void)
{
    MUST(atexit(destroy_fovea) == 0);
    open_program();
    draw_into_made();
    draw();
    exit(0);
}

/* ---- Fork ---- */

static bool is_child;

#if TEST_SANITIZED
/* The parent's threads are not in the child, and what only their stacks referred to would be called
 * lost there; so would be what fovea_vk_destroy leaves to the parent. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void)
{
    return is_child;
}
#endif

static void expect_child(pid_t child)
{
    int status = 0;
    MUST(waitpid(child, &status, 0) == child);
    MUST(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void run_in_a_child(void (*run)(void))
{
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
        is_child = true;
        alarm(30);
        run();
        _exit(98);
    }
    expect_child(child);
}

static void fork_and(void (*run)(void))
{
    open_program();
    draw();
    run_in_a_child(run);
    engine_idle(&program.engine);
    draw();
    close_program();
}

static void leave_by_exit(void)
{
    exit(0);
}

/* Leaves by _exit: what a driver's handler of exit() does in the child of a fork is told by
 * fork-exit. */
static void destroy_and_leave(void)
{
    fovea_vk_wait(program.fovea);
    fovea_vk_destroy(&program.fovea);
    MUST(!program.fovea);
    _exit(0);
}

static void destroy_all_and_leave(void)
{
    fovea_vk_image_destroy(&program.made);
    MUST(!program.made);
    destroy_and_leave();
}

/* Until the event is set the queue gets no further. Not where there is no peer: a device of the
 * host's then does its work within the submit, which would not return. */
static VkEvent hold_queue_up(void)
{
    struct engine *engine = &program.engine;
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event = VK_NULL_HANDLE;
    MUST(vkCreateEvent(engine->device, &info, NULL, &event) == VK_SUCCESS);
    if (rig_backend() == FOVEA_BACKEND_VULKAN) {
        MUST(vkSetEvent(engine->device, event) == VK_SUCCESS);
    }
    VkCommandBuffer commands = engine_begin(engine);
    vkCmdWaitEvents(commands, 1, &event, VK_PIPELINE_STAGE_HOST_BIT,
                    VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, NULL, 0, NULL, 0, NULL);
    engine_submit(engine, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    return event;
}

/* A frame that uses the image is under way at the fork: in the child it is so for ever. */
static void fork_whose_child_destroys_images(void)
{
    open_program();
    const VkEvent event = hold_queue_up();
    draw_into_made();
    run_in_a_child(destroy_all_and_leave);
    MUST(vkSetEvent(program.engine.device, event) == VK_SUCCESS);
    engine_idle(&program.engine);
    fovea_vk_image_destroy(&program.made);
    vkDestroyEvent(program.engine.device, event, NULL);
    close_program();
}

/* Everything that would use the parent's driver. */
static void go_on_and_leave(void)
{
    const struct fovea_vk_frame frame = frame_in_place();
    const struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                                             .width_px = WIDTH_PX,
                                             .height_px = HEIGHT_PX};
    const struct fovea_vk_view view = {
        .struct_bytes = sizeof view, .width_px = WIDTH_PX, .height_px = HEIGHT_PX};
    struct fovea_point_uv gaze;
    struct fovea_vk_image *image = NULL;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    MUST(fovea_vk_foveate(program.fovea, &frame) == FOVEA_ERROR_INVALID_STATE);
    MUST(fovea_vk_set_settings(program.fovea, &program.settings) == FOVEA_ERROR_INVALID_STATE);
    MUST(fovea_vk_gaze_at(program.fovea, &view, (struct fovea_point_uv){0.5, 0.5}, &gaze) ==
         FOVEA_ERROR_INVALID_STATE);
    MUST(fovea_vk_image_create(program.fovea, &desc, &image) == FOVEA_ERROR_INVALID_STATE);
    MUST(!image);
    MUST(fovea_vk_image_acquire(program.made, &layout) == FOVEA_ERROR_INVALID_STATE);
    MUST(fovea_vk_image_release(program.made, VK_IMAGE_LAYOUT_GENERAL) ==
         FOVEA_ERROR_INVALID_STATE);
    destroy_all_and_leave();
}

/* The image is the engine's at the first fork and Fovea's at the second: a parent could release it,
 * or acquire it. */
static void fork_whose_child_goes_on(void)
{
    open_program();
    draw_into_made();
    engine_idle(&program.engine);
    run_in_a_child(go_on_and_leave);
    MUST(fovea_vk_image_release(program.made, VK_IMAGE_LAYOUT_GENERAL) == FOVEA_OK);
    run_in_a_child(go_on_and_leave);
    draw();
    engine_idle(&program.engine);
    close_program();
}

static void leave_gaze_and_exit(void)
{
    MUST(fovea_vk_follow_gaze(program.fovea, NULL) == FOVEA_OK);
    destroy_and_leave();
}

static void fork_here(void *user, const struct fovea_gaze_sample *sample)
{
    run_in_a_child(leave_gaze_and_exit);
}

/* Listeners are being called at the fork: in the child nobody says that this is over. */
static void fork_while_a_gaze_comes(void)
{
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = open_with_late_gazes();
    struct gaze_listener listener = {.heard = fork_here};
    MUST(gaze_source_listen(source, &listener) == FOVEA_OK);
    const struct fovea_gaze_sample sample = {
        .x = 0.5, .y = 0.5, .t_ns = fovea_time_ns(), .confidence = 1};
    MUST(fovea_gaze_source_push(source, &sample) == FOVEA_OK);
    gaze_source_unlisten(source, &listener);
    close_program();
}

static void destroy_looking_and_leave(void)
{
    fovea_gaze_source_destroy(&looking);
    _exit(0);
}

/* The thread that looks is the parent's alone. */
static void fork_while_pictures_come(void)
{
    open_with_pictures();
    run_in_a_child(destroy_looking_and_leave);
    fovea_gaze_source_destroy(&looking);
    close_program();
}

static void become_another(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

static void fork_whose_child_exits(void)
{
    fork_and(leave_by_exit);
}

static void fork_whose_child_destroys(void)
{
    fork_and(destroy_and_leave);
}

static void fork_whose_child_execs(void)
{
    fork_and(become_another);
}

/* ---- With a peer that is broken ---- */

static void open_with_stand_in(enum fault fault, double watchdog_ms)
{
    struct fovea_vk_desc desc = open_engine();
    program.settings.watchdog_ms = watchdog_ms;
    static enum fault the_fault;
    the_fault = fault;
    MUST(frame_create(&desc, make_stand_in, &the_fault, &program.fovea) == FOVEA_OK);
    make_image();
}

/* Within the watchdog's message; a handler destroys what its peer still holds up. */
static void exit_in_the_watchdogs_message(void)
{
    MUST(atexit(close_program) == 0);
    open_with_stand_in(NEVER_SIGNALS, 20);
    program.exits_at = "cut loose";
    draw();
    rest_ms(20000);
    _exit(97);
}

static void exit_while_the_peer_is_stuck(void)
{
    MUST(atexit(close_program) == 0);
    open_with_stand_in(NEVER_SIGNALS, 60000);
    draw();
    exit(0);
}

/* Somebody else stops it in the middle of each job, for longer than its watchdog's patience. */
static void stopped(void)
{
    open_with_stand_in(IS_SLOW, 100);
    for (int i = 0; i < END_STOPS; i++) {
        draw();
        engine_idle(&program.engine);
    }
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    MUST(fovea_vk_get_stats(program.fovea, &stats) == FOVEA_OK);
    MUST(stats.backend == FOVEA_BACKEND_CPU && stats.frames == END_STOPS);
    close_program();
}

const struct ending endings[] = {
    {"clean", clean, 0, ENDS_ALIKE},
    {"return", return_from_main, 0, ENDS_ALIKE},
    {"exit", exit_here, 0, ENDS_ALIKE},
    {"exit-under-way", exit_with_frames_under_way, 0, ENDS_ALIKE},
    {"exit-in-a-thread", exit_in_another_thread, 0, ENDS_ALIKE},
    {"exit-while-gazes-come", exit_while_gazes_come, 0, ENDS_FOVEA},
    {"exit-while-pictures-come", exit_while_pictures_come, 0, ENDS_FOVEA},
    {"exit-in-a-message", exit_in_a_message, 0, ENDS_FOVEA},
    {"destroyed-by-a-handler", destroyed_by_a_handler, 0, ENDS_ALIKE},
    {"fovea-destroyed-by-a-handler", fovea_destroyed_by_a_handler, 0, ENDS_FOVEA},
    {"_exit", exit_at_once, 0, ENDS_ALIKE},
    {"abort", end_by_abort, -SIGABRT, ENDS_ALIKE},
    {"signal", end_by_signal, -SIGTERM, ENDS_ALIKE},
    {"device-first", device_first, 0, ENDS_ALIKE},
    {"instance-first", instance_first, 0, ENDS_ALIKE},
    {"fork-exit", fork_whose_child_exits, 0, ENDS_ALIKE},
    {"fork-destroy", fork_whose_child_destroys, 0, ENDS_FOVEA},
    {"fork-destroy-images", fork_whose_child_destroys_images, 0, ENDS_FOVEA},
    {"fork-goes-on", fork_whose_child_goes_on, 0, ENDS_FOVEA},
    {"fork-while-a-gaze-comes", fork_while_a_gaze_comes, 0, ENDS_FOVEA},
    {"fork-while-pictures-come", fork_while_pictures_come, 0, ENDS_FOVEA},
    {"fork-exec", fork_whose_child_execs, 0, ENDS_ALIKE},
    {"exit-in-the-watchdog", exit_in_the_watchdogs_message, 0, ENDS_STAND_IN},
    {"exit-stuck", exit_while_the_peer_is_stuck, 0, ENDS_STAND_IN},
    {"stopped", stopped, 0, ENDS_STAND_IN},
    {NULL, NULL, 0, ENDS_FOVEA},
};

/* Says on standard error where the program has crashed, and lets it. */
static void say_where(int number)
{
    void *calls[64];
    backtrace_symbols_fd(calls, backtrace(calls, 64), STDERR_FILENO);
}

/* A sanitizer says more, with a handler of its own. */
static void expect_crashes(void)
{
    struct sigaction before;
    if (sigaction(SIGSEGV, NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
        void *first[1];
        (void)backtrace(first, 1); /* loads what it needs */
        const struct sigaction action = {.sa_handler = say_where, .sa_flags = (int)SA_RESETHAND};
        (void)sigaction(SIGSEGV, &action, NULL);
    }
}

int end_as(const char *name)
{
    expect_crashes();
    for (const struct ending *ending = endings; ending->name; ending++) {
        if (strcmp(ending->name, name) == 0) {
            ending->run();
            return 0;
        }
    }
    return 96;
}

int end_bare_as(const char *name)
{
    program.bare = true;
    return end_as(name);
}
