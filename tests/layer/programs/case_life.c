/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How long things live: swapchains, windows, devices and instances come and go. */

#include "clock.h"
#include "process_counts.h"
#include "program.h"

#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#define FRAMES 5

static void show_some(struct stand *stand)
{
    stand_open_all(stand);
    frame_run(&stand->screen, FRAMES);
}

/* The old swapchain's last presents may be on their way while the new one is made out of it. */
static void recreate(struct screen *screen)
{
    struct program *program = screen->program;
    struct screen old = *screen;
    screen_open_swapchain(screen, old.swapchain);
    frame_run(screen, 1);
    program_check(program->vk.DeviceWaitIdle(program->device), "vkDeviceWaitIdle");
    screen_close_frames(&old);
    program->vk.DestroySwapchainKHR(program->device, old.swapchain, NULL);
}

static void resize(void)
{
    STAND(stand);
    frame_run(&stand.screen, FRAMES);
    static const uint32_t sizes[][2] = {{320, 200}, {64, 64}, {301, 77}, {1, 1}, {2, 600}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        screen_resize_window(&stand.screen, sizes[i][0], sizes[i][1]);
        recreate(&stand.screen);
        frame_run(&stand.screen, FRAMES);
    }
}

/* Presents to a window that has another size by now, until the swapchain says so. */
static void outgrown(void)
{
    STAND(stand);
    struct screen *screen = &stand.screen;
    frame_run(screen, FRAMES);
    const uint32_t width_px = screen->width_px, height_px = screen->height_px;
    screen_resize_window(screen, 300, 300);
    screen->width_px = width_px; /* of the pictures, still */
    screen->height_px = height_px;
    VkResult result = VK_SUCCESS;
    for (int i = 0; i < 10 && result >= 0; i++) {
        result = frame_draw(screen) ? frame_present(&screen, 1, NULL) : VK_ERROR_OUT_OF_DATE_KHR;
    }
    if (result < 0 && result != VK_ERROR_OUT_OF_DATE_KHR) {
        program_check(result, "vkQueuePresentKHR");
    }
    recreate(screen);
    frame_run(screen, FRAMES);
}

static void hidden(void)
{
    STAND(stand);
    frame_run(&stand.screen, FRAMES);
    screen_show_window(&stand.screen, false);
    frame_run(&stand.screen, FRAMES);
    screen_show_window(&stand.screen, true);
    frame_run(&stand.screen, FRAMES);
}

/* Its fences say that the images are as they were drawn; nothing says when a present is over. */
static void own_fences(void)
{
    STAND(stand);
    struct screen *screen = &stand.screen;
    struct program *program = &stand.program;
    for (int i = 0; i < 3; i++) {
        frame_run(screen, FRAMES);
        struct screen old = *screen;
        for (uint32_t k = 0; k < PROGRAM_SLOTS; k++) {
            program_check(program->vk.WaitForFences(program->device, 1, &screen->slots[k].fence,
                                                    VK_TRUE, UINT64_MAX),
                          "vkWaitForFences");
        }
        program->vk.DestroySwapchainKHR(program->device, old.swapchain, NULL);
        screen_open_swapchain(screen, VK_NULL_HANDLE);
        program_check(program->vk.DeviceWaitIdle(program->device), "vkDeviceWaitIdle");
        screen_close_frames(&old);
    }
}

static void nothing_destroyed(void)
{
    OWNED(program_close_instance) struct program program = program_default();
    program_open(&program, NULL, NULL);
    program.vk.DestroySwapchainKHR(program.device, VK_NULL_HANDLE, NULL);
    program.vk.DestroySurfaceKHR(program.instance, VK_NULL_HANDLE, NULL);
    program.vk.DestroyDevice(VK_NULL_HANDLE, NULL);
    program_close_device(&program);
    program.vk.DestroyInstance(VK_NULL_HANDLE, NULL);
}

static void never_presents(void)
{
    STAND(stand);
}

/* The device goes before its swapchain: wrong, and seen. */
static void forgets_its_swapchain(void)
{
    struct stand stand;
    show_some(&stand);
    program_check(stand.program.vk.DeviceWaitIdle(stand.program.device), "vkDeviceWaitIdle");
    screen_close_frames(&stand.screen);
    program_close(&stand.program);
}

/* ---- Ends against the rules, or without a word ---- */

/* Longer than any thread of a layer sleeps that may trip over what is gone. */
static void live_on(void)
{
    rest_ms(400);
}

static void instance_first(void)
{
    struct stand stand;
    show_some(&stand);
    program_check(stand.program.vk.DeviceWaitIdle(stand.program.device), "vkDeviceWaitIdle");
    stand.program.vk.DestroyInstance(stand.program.instance, NULL);
    live_on();
}

static void device_left(void)
{
    struct stand stand;
    show_some(&stand);
    program_check(stand.program.vk.DeviceWaitIdle(stand.program.device), "vkDeviceWaitIdle");
    screen_close(&stand.screen);
    stand.program.vk.DestroyInstance(stand.program.instance, NULL);
    live_on();
}

static void returns(void)
{
    static struct stand stand;
    show_some(&stand);
}

static void *leave_soon(void *user)
{
    rest_ms(30);
    exit(0);
}

/* Some frames come first: a program that ends while lavapipe compiles a kernel of the first one is
 * crashed by LLVM, which takes itself down in handlers of exit() that it registers as it
 * compiles. */
static void exits_in_a_thread(void)
{
    static struct stand stand;
    show_some(&stand);
    program_check(stand.program.vk.DeviceWaitIdle(stand.program.device), "vkDeviceWaitIdle");
    pthread_t thread;
    program_need(pthread_create(&thread, NULL, leave_soon, NULL) == 0, "pthread_create");
    while (true) {
        frame_run(&stand.screen, 1);
    }
}

static void exits_at_once(void)
{
    struct stand stand;
    show_some(&stand);
    _exit(0);
}

static void aborts(void)
{
    struct stand stand;
    show_some(&stand);
    abort();
}

/* A child of fork may do this: of devices and instances drivers join threads, which are the
 * parent's. */
static void fork_whose_child(bool destroys)
{
    STAND(stand);
    frame_run(&stand.screen, FRAMES);
    const pid_t child = fork();
    if (child == 0 && !destroys) {
        exit(0);
    }
    if (child == 0) {
        alarm(10);
        stand.program.vk.DestroySwapchainKHR(stand.program.device, stand.screen.swapchain, NULL);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        program_fail("the child", status);
    }
    frame_run(&stand.screen, FRAMES);
}

static void fork_whose_child_exits(void)
{
    fork_whose_child(false);
}

static void fork_whose_child_destroys(void)
{
    fork_whose_child(true);
}

/* By turns; the first one goes while the second one still presents. */
static void two_devices(void)
{
    struct stand stand;
    stand_open_all(&stand);
    OWNED(program_close) struct program other = stand.program;
    program_open_device(&other, NULL, NULL);
    OWNED(screen_close) struct screen second = screen_default(&other, 90, 210);
    screen_open(&second);
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame_run(&stand.screen, 1);
        frame_run(&second, 1);
    }
    screen_close(&stand.screen);
    program_close_device(&stand.program);
    frame_run(&second, FRAMES);
}

/* One after the other: layers are unloaded and loaded between them. */
static void instances_in_turn(void)
{
    for (int i = 0; i < 3; i++) {
        STAND(stand);
        frame_run(&stand.screen, FRAMES);
    }
}

static void instances_at_once(void)
{
    struct stand one, two;
    stand_open_all(&one);
    stand_open_all(&two);
    frame_run(&one.screen, FRAMES);
    frame_run(&two.screen, FRAMES);
    stand_close(&one);
    frame_run(&two.screen, FRAMES);
    stand_close(&two);
}

/* -> how it goes on: "stage NUMBER" on stdout, and a byte on stdin for the next one. */
static void run_stage(int number, struct screen *one, struct screen *two)
{
    printf("stage %d\n", number);
    fflush(stdout);
    while (!program_is_asked()) {
        if (one) {
            frame_run(one, 1);
        }
        if (two) {
            frame_run(two, 1);
        }
    }
}

/* A second window comes and goes. */
static void window_for_a_while(void)
{
    STAND(stand);
    run_stage(1, &stand.screen, NULL);
    struct screen second = screen_default(&stand.program, 200, 80);
    screen_open(&second);
    run_stage(2, &stand.screen, &second);
    screen_close(&second);
    run_stage(3, &stand.screen, NULL);
}

/* Each has the pointer and the focus in turn. */
static void two_windows(void)
{
    STAND(stand);
    OWNED(screen_close) struct screen second = screen_default(&stand.program, 200, 80);
    screen_open(&second);
    printf("windows %u %u\n", stand.screen.window, second.window);
    run_stage(1, &stand.screen, &second);
}

/* Programs that go full screen do this. */
static void window_after_window(void)
{
    STAND(stand);
    run_stage(1, &stand.screen, NULL);
    struct screen second = screen_default(&stand.program, 200, 80);
    screen_open(&second); /* while the first one is there: it gets another number */
    screen_close(&stand.screen);
    stand.screen = second;
    run_stage(2, &stand.screen, NULL);
}

static struct process_counts print_counts(const char *when)
{
    const struct process_counts counts = process_count();
    printf("%s: threads %ld, descriptors %ld, memory_kb %ld\n", when, counts.threads,
           counts.descriptors, counts.memory_kb);
    return counts;
}

/* Prints what the process has, after the first third and at the end. */
static void many_swapchains(void)
{
    const int rounds = 90;
    STAND(stand);
    for (int i = 0; i < rounds; i++) {
        screen_resize_window(&stand.screen, 160 + (uint32_t)(i % 3) * 16, 120);
        recreate(&stand.screen);
        if (i == rounds / 3 || i == rounds - 1) {
            print_counts(i == rounds - 1 ? "end" : "warm");
        }
    }
}

/* The edge of a window is dragged: a size that never was for each frame. Then it rests, of the size
 * that it had at the start. */
static void drag(void)
{
    STAND(stand);
    frame_run(&stand.screen, 10);
    print_counts("start");
    long most = 0;
    for (uint32_t i = 0; i < 60; i++) {
        screen_resize_window(&stand.screen, 200 + 3 * i, 150 + 2 * i);
        recreate(&stand.screen);
        const long threads = process_count().threads;
        most = threads > most ? threads : most;
    }
    printf("most: threads %ld\n", most);
    print_counts("dragged");
    screen_resize_window(&stand.screen, STAND_WIDTH_PX, STAND_HEIGHT_PX);
    recreate(&stand.screen);
    frame_run(&stand.screen, 330);
    print_counts("rested");
}

/* The next byte of stdin: 'r' for another size of the window. 0: none has come; 'q': the end. */
static char order(void)
{
    char byte = 'q';
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&in, 1, 0) <= 0) {
        return 0;
    }
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : 'q';
}

/* Frames, and sizes on demand, until stdin says or is the end. Prints how many, and the longest
 * that one took. */
static void until_told(void)
{
    STAND(stand);
    frame_run(&stand.screen, FRAMES);
    printf("ready\n");
    fflush(stdout);
    uint32_t frames = FRAMES;
    uint32_t random = 1;
    double longest_ms = 0.0;
    for (char byte = order(); byte != 'q'; byte = order()) {
        const double begin_ms = now_ms();
        if (byte == 'r') {
            random = random * 1664525u + 1013904223u;
            screen_resize_window(&stand.screen, 1 + (random >> 8) % 300, 1 + (random >> 20) % 200);
            recreate(&stand.screen);
            frames++;
        }
        frame_run(&stand.screen, 1);
        frames++;
        const double took_ms = now_ms() - begin_ms;
        longest_ms = took_ms > longest_ms ? took_ms : longest_ms;
    }
    printf("frames %u, longest %.1f ms\n", frames, longest_ms);
}

/* Images that were acquired before the next swapchain was made are presented after that. */
static void retired(void)
{
    STAND(stand);
    struct screen *screen = &stand.screen;
    frame_run(screen, FRAMES);
    for (int i = 0; i < 3; i++) {
        program_need(frame_draw(screen), "the swapchain fits no longer");
        struct screen old = *screen, *shown = &old;
        screen_open_swapchain(screen, old.swapchain);
        program_check(frame_present(&shown, 1, NULL), "vkQueuePresentKHR");
        frame_run(screen, 1);
        program_check(stand.program.vk.DeviceWaitIdle(stand.program.device), "vkDeviceWaitIdle");
        screen_close_frames(&old);
        stand.program.vk.DestroySwapchainKHR(stand.program.device, old.swapchain, NULL);
    }
}

/* A runtime of OpenXR presents on a device of its own, in the process of a program that has begun a
 * session on another one: Fovea's layer for OpenXR has asked for that one's version. */
static void beside_openxr(void)
{
    struct stand program, runtime;
    stand_open_all(&program);
    stand_open_all(&runtime);
    frame_run(&runtime.screen, 1);
    uint32_t(VKAPI_PTR * version_of)(VkDevice) =
        (uint32_t(VKAPI_PTR *)(VkDevice))program.program.vk.GetDeviceProcAddr(
            program.program.device, "vkFoveaInstanceVersion");
    if (version_of) {
        (void)version_of(program.program.device);
    }
    frame_run(&runtime.screen, FRAMES);
    frame_run(&program.screen, FRAMES);
    stand_close(&runtime);
    stand_close(&program);
}

/* Draws when its window is exposed, and at no other time, until stdin ends. It misses the first
 * four events, as a program does that is busy: it must be asked on. */
static void on_expose(void)
{
    int missed = 4;
    STAND(stand);
    struct screen *screen = &stand.screen;
    const uint32_t mask = XCB_EVENT_MASK_EXPOSURE;
    xcb_change_window_attributes(screen->connection, screen->window, XCB_CW_EVENT_MASK, &mask);
    xcb_flush(screen->connection);
    frame_run(screen, 1);
    printf("stage 1\n");
    fflush(stdout);
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = xcb_get_file_descriptor(screen->connection), .events = POLLIN}};
    while (poll(fds, 2, -1) > 0 && !program_is_asked()) {
        bool exposed = false;
        xcb_generic_event_t *event;
        while ((event = xcb_poll_for_event(screen->connection)) != NULL) {
            exposed |= (event->response_type & 0x7f) == XCB_EXPOSE;
            free(event);
        }
        if (exposed && missed > 0) {
            missed--;
        } else if (exposed) {
            frame_run(screen, 1);
        }
    }
    printf("frames %u\n", screen->frame);
}

static void *present_some(void *screen)
{
    frame_run(screen, FRAMES);
    return NULL;
}

/* All of the stack, with what the C library has on it; drivers need half of that. */
static void small_stack(void)
{
    STAND(stand);
    OWNED(pthread_attr_destroy) pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    program_need(pthread_attr_setstacksize(&attributes, 32768) == 0 &&
                     pthread_create(&thread, &attributes, present_some, &stand.screen) == 0 &&
                     pthread_join(thread, NULL) == 0,
                 "the thread");
}

const struct program_case life_cases[] = {
    {"resize", resize},
    {"outgrown", outgrown},
    {"hidden", hidden},
    {"own-fences", own_fences},
    {"nothing-destroyed", nothing_destroyed},
    {"never-presents", never_presents},
    {"forgets-its-swapchain", forgets_its_swapchain},
    {"instance-first", instance_first},
    {"device-left", device_left},
    {"returns", returns},
    {"exits-in-a-thread", exits_in_a_thread},
    {"fork-exit", fork_whose_child_exits},
    {"exits-at-once", exits_at_once},
    {"aborts", aborts},
    {"fork-destroy", fork_whose_child_destroys},
    {"two-devices", two_devices},
    {"instances-in-turn", instances_in_turn},
    {"instances-at-once", instances_at_once},
    {"many-swapchains", many_swapchains},
    {"drag", drag},
    {"window-for-a-while", window_for_a_while},
    {"two-windows", two_windows},
    {"window-after-window", window_after_window},
    {"until-told", until_told},
    {"small-stack", small_stack},
    {"on-expose", on_expose},
    {"retired", retired},
    {"beside-openxr", beside_openxr},
    {NULL, NULL},
};
