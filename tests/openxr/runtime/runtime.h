/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An OpenXR runtime without a headset: for tests, on any Vulkan device. It refuses what the
 * specification refuses and writes down what it was handed. The environment rules it:
 *
 * - FOVEA_TEST_XR_OUT: a folder: calls.txt, and one file for each view of each frame
 * - FOVEA_TEST_XR_INSTANCES: how many there may be at once; otherwise one
 * - FOVEA_TEST_XR_FRAMES: after so many the session is asked to stop; 0: never
 * - FOVEA_TEST_XR_SIZE: of a view, "320x352"
 * - FOVEA_TEST_XR_GAZE: "yaw,pitch" in degrees (right and up positive), one for each frame between
 *   semicolons, the last one stays; "-": not tracked; "none": no such extension; "refused": the
 *   extension is there, the device has no eye tracker
 * - FOVEA_TEST_XR_EYES: "yaw,pitch,confidence/yaw,pitch,confidence" of the left eye and of the
 *   right one, for each frame likewise (runtime_eyes.c); "refused": as above; not set: no such
 *   extension
 * - FOVEA_TEST_XR_CENTERS: "yaw,pitch/yaw,pitch" likewise, where each eye's foveation has its
 * centre (runtime_foveation.c)
 * - FOVEA_TEST_XR_EMPTY_HAND: set: an action that is bound to a hand's pose is not active by that
 * - FOVEA_TEST_XR_FOV: "1:left,right,up,down": in the frame 1 the left view's edges are there, in
 *   degrees
 * - FOVEA_TEST_XR_NORM: the length of the orientations of views and eyes; otherwise 1
 * - FOVEA_TEST_XR_UNCHECKED: set: depths are taken whatever is said of them, and not read
 * - FOVEA_TEST_XR_USAGE: 0x44: swapchains with one of these usages are refused
 * - FOVEA_TEST_XR_IMAGES: of a swapchain, 1 to 3; otherwise 3
 * - FOVEA_TEST_XR_IGNORES: 0x44: these usages are taken, and images made without
 * - FOVEA_TEST_XR_VULKAN_MINOR: 1: the latest version of Vulkan that it takes is 1.1; otherwise 1.3
 * - FOVEA_TEST_XR_VULKAN_1_0: set: there is no later Vulkan, as the driver's VkResult says
 * - FOVEA_TEST_XR_LACKS: a function that it does not have
 * - FOVEA_TEST_XR_LOST: the session is lost in that frame
 * - FOVEA_TEST_XR_RESULT: "xrEndFrame:2:3": the function's second call ends with the result 3;
 *   several between semicolons. One that is positive has done its work, but for that of a wait that
 *   ran out; after the loss of a session every call has this result
 * - FOVEA_TEST_XR_ANSWER: likewise, what no runtime may answer: "xrAcquireSwapchainImage:3:100", an
 *   index; "xrEnumerateSwapchainImages:2:64", a number of images; or "none", images that are none
 */
#pragma once

#include "plugin/openxr/openxr_eye_tracking.h"
#include "plugin/openxr/openxr_loader.h"

#include <stdbool.h>
#include <stddef.h>

/* Programs call a session from several threads: each of its functions has the runtime for itself.
 */
#define RUNTIME_LOCKED                                                                             \
    __attribute__((cleanup(runtime_unlock), unused)) const int runtime_locked = runtime_lock()

#define RUNTIME_IMAGES 3
#define RUNTIME_INSTANCES 2

struct session;

struct swapchain {
    struct session *session;
    struct swapchain *next;
    XrSwapchainCreateInfo info;
    VkImage images[RUNTIME_IMAGES];
    VkDeviceMemory memory[RUNTIME_IMAGES];
    uint32_t image_count;
    uint32_t laid_out; /* so many of them are in their layout */
    uint32_t acquired_from; /* of those acquired, the oldest */
    uint32_t acquired_count;
    bool waited; /* the oldest one was waited for */
    bool static_taken;
    bool foveated; /* made for foveation */
    int32_t released; /* the newest; -1: none yet */
};

struct session {
    struct session *next;
    uint32_t of; /* its instance */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    VkCommandPool pool;
    XrSessionState state;
    XrViewConfigurationType views;
    bool running;
    bool attached;
    bool synced;
    bool looks; /* its foveation follows the eyes, and was updated last in that frame: */
    uint32_t looked_in;
    bool waited; /* xrWaitFrame without its xrBeginFrame */
    bool begun;
    uint32_t frames;
    XrTime display_time;
};

/* ---- runtime_say.c ---- */
int runtime_lock(void);
void runtime_unlock(const int *locked);
void runtime_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the refusal down; its result is `result`. */
XrResult runtime_refuse(XrResult result, const char *function, const char *why);
/* Returns what FOVEA_TEST_XR_RESULT says of this call; XR_SUCCESS: nothing. */
XrResult runtime_scripted(const char *function);
/* Returns what FOVEA_TEST_XR_ANSWER says of it then; NULL: nothing. */
const char *runtime_answer(const char *function);
uint32_t runtime_number(const char *name, uint32_t otherwise);
void runtime_size(uint32_t *out_width_px, uint32_t *out_height_px);
/* False: not tracked in that frame. */
bool runtime_gaze(uint32_t frame, double *out_yaw_deg, double *out_pitch_deg);
bool runtime_gaze_is(const char *word);
const char *runtime_out(void); /* NULL: nowhere */

/* ---- runtime_instance.c ---- */
uint32_t runtime_instance_index(XrInstance instance);
bool runtime_headless(void); /* sessions may be without graphics */

/* A structure of that type is in the chain. */
bool runtime_chains(const void *chain, XrStructureType type);

/* ---- runtime_views.c ---- */
uint32_t runtime_view_count(XrViewConfigurationType type); /* 0: there is no such configuration */
XrView runtime_view(XrViewConfigurationType type, uint32_t index);
/* Changes the left view of that frame as FOVEA_TEST_XR_FOV says. */
void runtime_change_fov(uint32_t frame, XrFovf *fov);
/* Its extent, which the inner views of four have smaller. */
void runtime_view_size(uint32_t index, uint32_t *out_width_px, uint32_t *out_height_px);
XrQuaternionf runtime_turn(double yaw_deg, double pitch_deg);
/* Returns where a direction of the head's is in that view, each way from -1 to 1, right and down.
 */
XrVector2f runtime_center(XrViewConfigurationType type, uint32_t index, double yaw_deg,
                          double pitch_deg);
/* An orientation in the head's frame as it is in the room, where FOVEA_TEST_XR_HEAD turns the head:
 * "yaw,pitch,roll" in degrees for each frame. */
XrQuaternionf runtime_with_head(uint32_t frame, XrQuaternionf in_head);

/* A pose as it is in a space that has that pose itself. */
XrPosef runtime_seen_from(const XrPosef *space, const XrPosef *pose);

/* ---- runtime_session.c ---- */
bool runtime_is_session(XrSession handle);
XrResult runtime_poll(XrEventDataBuffer *event);

/* ---- runtime_swapchain.c ---- */
struct swapchain *runtime_swapchain_of(XrSwapchain handle);
bool runtime_has_depths(const XrSwapchainSubImage *image);
void runtime_swapchains_gone(struct session *session);
/* Writes into the folder what the runtime would show of it; view NULL: it is one of depths. */
void runtime_write(struct session *session, const XrSwapchainSubImage *image, const XrView *view,
                   uint32_t layer, uint32_t index);

/* ---- runtime_input.c ---- */
/* Bindings go with their instance, the rest goes with the last one. */
void runtime_input_gone(uint32_t instance, bool last);
/* Finds where a reference space is; false: it is none of that session's. */
bool runtime_space_from(XrSpace handle, const struct session *session, XrPosef *out_pose);

/* ---- runtime_eyes.c ---- */
bool runtime_has_eyes(void); /* the extension */
void runtime_eyes_enable(bool on);

/* ---- runtime_foveation.c ---- */
bool runtime_has_foveation(void); /* the extensions */
void runtime_foveation_enable(bool on);

/* ---- runtime_vulkan.c ---- */
/* The program has asked for the graphics requirements of that instance, as it must. */
bool runtime_vulkan_asked(void);
void runtime_vulkan_gone(void);

/* ---- Functions of the runtime's ---- */

/* Defines one and adds it to those that runtime_find knows: for as long as *RUNTIME_WHEN holds,
 * which a file defines before this header. */
#ifndef RUNTIME_WHEN
#define RUNTIME_WHEN NULL
#endif
#define RUNTIME_ADD(name, call)                                                                    \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        runtime_add(#name, (PFN_xrVoidFunction)(call), RUNTIME_WHEN);                              \
    }
#define RUNTIME_CALL(name, ...)                                                                    \
    static XrResult name##_(__VA_ARGS__);                                                          \
    RUNTIME_ADD(name, name##_)                                                                     \
    static XrResult name##_(__VA_ARGS__)
/* Within one: leaves it with that result, unless it is XR_SUCCESS or another that is no error. */
#define RUNTIME_TRY(call)                                                                          \
    do {                                                                                           \
        const XrResult tried = call;                                                               \
        if (tried < 0) {                                                                           \
            return tried;                                                                          \
        }                                                                                          \
    } while (0)
#define RUNTIME_REFUSE_IF(condition, result, why)                                                  \
    do {                                                                                           \
        if (condition) {                                                                           \
            return runtime_refuse(result, __func__, why);                                          \
        }                                                                                          \
    } while (0)
void runtime_add(const char *name, PFN_xrVoidFunction function, const bool *when);
PFN_xrVoidFunction runtime_find(const char *name);
