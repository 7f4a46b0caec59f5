/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program without a display under Fovea's layer, and what starts it. The program is the test
 * itself, started again with an environment in which Vulkan's loader finds the layers:
 *
 *     stand_start.c    the environment, and what came of it
 *     stand_program.c  the program: instance, device, swapchain
 *     stand_frame.c    its frames: a moving picture, drawn and presented
 *     stand_look.c     what was presented beside Fovea's operator on the CPU
 *     stand_cost.c     how long it took
 */
#pragma once

#include "images.h"
#include "screenless.h"

#define STAND_SKIPPED 77

/* ---- The program ----------------------------------------------------------------------------- */

/* Synchronisation checks of 1.3.239 wait for threads that signal, with a lock held that those
 * need. */
enum stand_validation {
    STAND_VALIDATE_NOTHING,
    STAND_VALIDATE_WITHOUT_SYNCHRONISATION,
    STAND_VALIDATE_ALL,
};

/* The command line gives these: "key=value". */
struct stand_options {
    uint32_t width, height, frames;
    uint32_t format, space; /* VkFormat, VkColorSpaceKHR */
    uint32_t mutable_format; /* the swapchain's images may be seen as UNORM and SRGB */
    uint32_t images; /* of the swapchain; SCREENLESS_IMAGES */
    /* the GPU begins when all images were presented, and does so again each time */
    uint32_t gate;
    uint32_t waits; /* of a present; 1 */
    uint32_t look; /* every frame is compared */
    uint32_t logged; /* gazes are taken from what the layer has written, not from the settings */
    uint32_t foveated; /* 1; 0: frames must be as they were drawn */
    uint32_t
        queue; /* 1: presents from a queue for computing alone, 2: from one for copying alone */
    uint32_t validate; /* enum stand_validation */
    uint32_t nvidia; /* the device */
    uint32_t mailbox; /* the swapchain's mode */
    uint32_t leave; /* the program ends with everything alive */
    uint32_t remake; /* the swapchain is replaced after half of the frames */
    uint32_t ids; /* the device has present_id and present_wait, and presents have numbers */
    uint32_t cuda; /* the frames are made by it: validation does not see its signals */
};

#define STAND_SLOTS 3
#define STAND_MOVES_PX 64 /* how far the picture moves, in both directions */
#define STAND_MAX_WAITS 32

struct stand_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
};

struct stand_slot {
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkSemaphore acquired;
};

struct stand {
    struct stand_options options;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    uint32_t messages;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t families[2];
    VkQueue queue, present_queue;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkImage images[SCREENLESS_MAX_IMAGES];
    VkSemaphore drawn[SCREENLESS_MAX_IMAGES][STAND_MAX_WAITS];
    VkSemaphore gate; /* a timeline; its value is how often it was opened */
    uint32_t slot_count; /* STAND_SLOTS, or one for each image */
    struct stand_slot slots[SCREENLESS_MAX_IMAGES];
    struct test_image picture; /* larger than the frames */
    struct stand_buffer source; /* the same on the GPU */
    uint32_t image_of[2]; /* the images of the last two frames */
    screenless_picture_fn picture_of;
    screenless_times_fn times_of;
};

int stand_program(int argc, char **argv);

_Noreturn void stand_fail(const char *what, long code);
void stand_check(VkResult result, const char *what);

void stand_open_frames(struct stand *stand);
void stand_close_frames(struct stand *stand);
/* Work that is submitted from now on waits until the gate is opened for that time. */
void stand_close_gate(const struct stand *stand, uint64_t time);
void stand_open_gate(const struct stand *stand, uint64_t time);
/* -> the swapchain's image that it was drawn to. */
uint32_t stand_frame(struct stand *stand, uint32_t number);
/* Returns the part of the picture that that frame was drawn with. */
struct fovea_image stand_drawn(const struct stand *stand, uint32_t number);

struct stand_look;
struct stand_look *stand_look_open(const struct stand *stand);
void stand_look_at(struct stand_look *look, const struct stand *stand, uint32_t number,
                   uint32_t image);
void stand_look_close(struct stand_look *look); /* and says how far the worst frame was off */

void stand_cost_begin(void);
void stand_cost_frame(const struct stand *stand, uint32_t image);
void stand_cost_end(uint32_t frames);

/* ---- Starting it ----------------------------------------------------------------------------- */

enum stand_layer {
    STAND_NO_LAYER,
    STAND_INSTALLED, /* FOVEA_ENABLE is not set */
    STAND_FOVEA,
};

struct stand_start {
    enum stand_layer layer;
    const char *sets; /* of FOVEA_SET */
    const char *options; /* of the program, blanks between */
    enum stand_validation validate; /* where the validation layer is there */
    bool logged;
    bool times;
    bool costs; /* nothing is copied for the program */
    const char *clock; /* of SCREENLESS_CLOCK; NULL: none */
};

struct stand_result {
    int status; /* of the program */
    char output[1 << 16];
    char log[1 << 16]; /* of the layer */
};

/* The layers are looked for beside this program and where the build or a bundle has them. */
void stand_run(const struct stand_start *start, struct stand_result *out_result);
bool stand_has_validation(void);
/* The number after `name` in the program's output; fails the test where it is not. */
double stand_number(const struct stand_result *result, const char *name);
