/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* VK_LAYER_FOVEA_foveation: Fovea in any Vulkan program, unmodified. The layer sits between the
 * program and the driver, and foveates what the program presents:
 *
 *     layer_entry.c      what the loader asks for: which functions are ours
 *     layer_instance.c   instances: a copy of the program's wishes with what Fovea needs
 *     layer_device.c     devices likewise (layer_features.c)
 *     layer_surface.c    surfaces and their windows, for the pointer
 *     layer_swapchain.c  swapchains: their images
 *     layer_direct.c     what makes kernels see those where they are
 *     layer_alias.c      images of the program's own in their memory
 *     layer_made.c       how images were made, for Fovea's layer for OpenXR
 *     layer_context.c    contexts of Fovea's (fovea_vulkan.h), which outlive swapchains
 *     layer_gather.c     presents that wait for many semaphores
 *     layer_present.c    the frame: foveated in place, on the program's own queue, before it is
 *                        presented
 *     layer_timing.c     when frames are on the screen, for the record
 *     layer_retry.c      presents that run out of memory and are tried again
 *     layer_session.c    what the process has once: settings, gaze, pointer and keys
 *     layer_choices.c    what files and keys have made of the settings
 *     layer_redraw.c     whether the program is asked to draw
 *     layer_windows.c    the windows that these belong to
 *     layer_programs.c   programs that are left alone
 *     layer_dump.c       for tests: frames as files, before and after
 *
 * Whatever goes wrong, the program's own frame is presented; why is logged once. An inert instance,
 * device or swapchain passes everything through. */
#pragma once

#include "config/settings.h"
#include "core/said.h"
#include "fovea_present.h"
#include "fovea_vulkan.h"

#include <pthread.h>
#include <stdatomic.h>
#include <vulkan/vk_layer.h>

#define LAYER_NAME "VK_LAYER_FOVEA_foveation"
#define LAYER_MAX_QUEUES 64
#define LAYER_MAX_VIEW_FORMATS 16

/* ---- The next layer's functions -------------------------------------------------------------- */

/* All are looked up while the instance is made, also those that only Fovea calls (vk_functions.h):
 * asked later, the loader's end of the chain gives its beginning, which leads through every layer
 * again (1.3.239), and into a lock that vkBasalt holds meanwhile. */
#define LAYER_INSTANCE_FUNCTIONS(X)                                                                \
    X(DestroyInstance)                                                                             \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetDeviceProcAddr)                                                                           \
    X(GetPhysicalDeviceCalibrateableTimeDomainsEXT)                                                \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceFormatProperties)                                                           \
    X(GetPhysicalDeviceImageFormatProperties2)                                                     \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(GetPhysicalDeviceSurfaceCapabilitiesKHR)                                                     \
    X(GetPhysicalDeviceSurfaceFormatsKHR)                                                          \
    X(CreateXcbSurfaceKHR)                                                                         \
    X(CreateXlibSurfaceKHR)                                                                        \
    X(DestroySurfaceKHR)

#define LAYER_DEVICE_FUNCTIONS(X)                                                                  \
    X(AllocateCommandBuffers)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(CreateCommandPool)                                                                           \
    X(CreateImage)                                                                                 \
    X(CreateImageView)                                                                             \
    X(CreateSemaphore)                                                                             \
    X(CreateSwapchainKHR)                                                                          \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyImage)                                                                                \
    X(DestroyImageView)                                                                            \
    X(DestroySemaphore)                                                                            \
    X(DestroySwapchainKHR)                                                                         \
    X(EndCommandBuffer)                                                                            \
    X(GetDeviceQueue)                                                                              \
    X(GetDeviceQueue2)                                                                             \
    X(GetSwapchainImagesKHR)                                                                       \
    X(QueuePresentKHR)                                                                             \
    X(QueueSubmit)

/* The types of two platforms without their headers, which define macros for half the alphabet. */
struct layer_xcb_surface_info {
    VkStructureType type;
    const void *next;
    VkFlags flags;
    void *connection;
    uint32_t window;
};
struct layer_xlib_surface_info {
    VkStructureType type;
    const void *next;
    VkFlags flags;
    void *display;
    unsigned long window;
};
typedef VkResult(VKAPI_PTR *PFN_vkCreateXcbSurfaceKHR)(VkInstance,
                                                       const struct layer_xcb_surface_info *,
                                                       const VkAllocationCallbacks *,
                                                       VkSurfaceKHR *);
typedef VkResult(VKAPI_PTR *PFN_vkCreateXlibSurfaceKHR)(VkInstance,
                                                        const struct layer_xlib_surface_info *,
                                                        const VkAllocationCallbacks *,
                                                        VkSurfaceKHR *);

#define LAYER_MEMBER(name) PFN_vk##name name;

struct layer_instance_functions {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
    LAYER_INSTANCE_FUNCTIONS(LAYER_MEMBER)
};

struct layer_device_functions {
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
    LAYER_DEVICE_FUNCTIONS(LAYER_MEMBER)
#ifdef VK_EXT_swapchain_maintenance1
    /* By its name of VK_KHR_swapchain_maintenance1 or its older one, which headers of then lack;
     * NULL where the extension is off. */
    PFN_vkReleaseSwapchainImagesEXT ReleaseSwapchainImages;
#endif
};

/* ---- Objects --------------------------------------------------------------------------------- */

/* Returns what all dispatchable handles of one instance, or of one device, begin with. */
static inline void *layer_key(const void *handle)
{
    return *(void *const *)handle;
}

struct layer_window {
    VkSurfaceKHR surface;
    uint32_t window; /* X11; 0: another system's */
    struct layer_window *next;
};

struct layer_instance {
    pid_t process; /* that has made it */
    void *key;
    VkInstance handle;
    uint32_t version; /* of Vulkan, that the layers below and the driver were asked for */
    atomic_bool of_openxr; /* a session of OpenXR is bound to a device of it */
    struct layer_instance_functions vk;
    bool inert;
    struct layer_window *windows; /* under the registry's lock */
    struct layer_instance *next;
};

struct layer_queue {
    VkQueue handle;
    uint32_t family;
    bool usable; /* unprotected, and its family can compute */
};

/* Why presents of a device are passed through. */
enum layer_said {
    LAYER_SAID_QUEUE_UNKNOWN,
    LAYER_SAID_QUEUE_UNFIT,
    LAYER_SAID_CONTEXTS,
    LAYER_SAID_OPENXR,
    LAYER_SAID_MANY,
    LAYER_SAID_MEMORY,
};

/* How frames of a device are watched, for the record. */
struct layer_timing {
    enum fovea_present_way way; /* UNKNOWN: they are not */
    bool has_ids; /* the program gives presents numbers of its own, */
    bool has_waits; /* and may wait for them */
};

struct layer_device {
    void *key;
    VkDevice handle;
    VkPhysicalDevice physical;
    struct layer_instance *instance;
    struct layer_device_functions vk;
    PFN_vkSetDeviceLoaderData set_loader_data;
    bool inert;
    bool timeline; /* the device was made with the feature */
    struct layer_timing timing; /* and with what this needs */
    const char **extensions; /* all that it was made with; the names are copies */
    uint32_t extension_count;
    struct said said; /* of enum layer_said */
    bool not_direct; /* kernels are not to see its swapchains' images */
    bool has_stranger; /* a layer that Fovea does not know stands below */
    atomic_bool backend_lost; /* that layer.frozen holds fast: no frame is made any more */
    atomic_bool has_alias; /* or had one */
    struct layer_alias *aliases; /* under the registry's lock */
    atomic_bool has_unpresented; /* an image of it is or was unpresented */
    struct layer_queue queues[LAYER_MAX_QUEUES]; /* under the registry's lock */
    uint32_t queue_count;
    struct layer_swapchain *swapchains; /* likewise */
    struct layer_swapchain *gone; /* likewise; presents may still wait for their semaphores */
    atomic_uint_fast64_t presents; /* that wait for semaphores of Fovea's; their number */
    struct layer_context *spares; /* likewise; of swapchains that are gone, one a queue */
    struct layer_device *next;
};

/* An image of the program's in a swapchain's memory, and what it has asked for. */
struct layer_alias {
    VkImage image;
    VkImageUsageFlags usage;
    struct layer_alias *next;
};

/* How a swapchain's images are seen. */
struct layer_seen {
    VkFormat format; /* 0: nothing was said */
    VkColorSpaceKHR color_space;
    bool by_kernels; /* else they are copied */
};

/* Fovea for one queue. It outlives its swapchain, because a window that is resized has a new one
 * each time and a context is dear: pipelines, CUDA's modules, perhaps a measurement. */
struct layer_context {
    VkQueue queue;
    uint32_t queue_family;
    struct fovea_vk *fovea; /* NULL: it cannot be had, */
    int64_t again_ns; /* and is tried again then, for there was no memory; 0: with other settings */
    uint32_t frames_in_flight; /* of that fovea */
    bool is_signalled_by_host; /* its frames wait for a thread of Fovea's, or did */
    struct fovea_settings settings; /* that it was given last */
    uint64_t settings_serial; /* of those, which fovea has taken; 0: none */
    VkCommandPool gather_pool; /* layer_gather.c; NULL until it is needed */
    VkCommandBuffer gather_commands;
    struct fovea_gaze_source *asked; /* layer_session.c: that fovea was to follow; NULL: none */
    bool follows; /* and does: its GPU reads the source itself */
    struct layer_context *next_asked;
    struct layer_context *next;
    struct layer_seen seen; /* what the log has said last, and so of frames */
    uint64_t frames_said, passed_said;
    uint32_t frames_until_look; /* at its backend; layer.frozen */
};

/* An image's present ran out of memory. */
struct layer_unpresented {
    bool is_made; /* Fovea's frame is in it */
    bool waits_for_frame; /* the program's semaphores could not be given back; `presentable` is
                             signalled */
    uint64_t waits; /* what the present waited for: a hash */
};

/* The last present that waits for an image's `presentable`. No two wait for it at once. */
struct layer_presented {
    uint64_t number; /* on its device; 0: there was none, or it is over */
    VkQueue queue;
    bool is_made; /* it shows a frame of Fovea's that was made for it */
};

struct layer_swapchain {
    VkSwapchainKHR handle;
    struct layer_device *device;
    VkFormat format;
    VkColorSpaceKHR color_space;
    VkPresentModeKHR present_mode;
    struct fovea_present *present; /* NULL: its frames are not watched */
    bool present_over; /* nor will they be */
    uint32_t width_px, height_px;
    uint32_t window; /* X11; 0: unknown */
    uint32_t image_count;
    VkImage *images;
    VkSemaphore *presentable; /* for each image: its frame is in it */
    struct layer_presented *presented; /* for each image */
    struct layer_unpresented *unpresented; /* for each image */
    /* For each image, for kernels; NULL: images are copied by vkCmdCopyImage. */
    VkImageView *raw_views;
    VkImageUsageFlags usage; /* what the program has asked for */
    VkImageUsageFlags added_usage; /* what its images can do besides */
    VkFormat made_format; /* of its images, which layer_direct.c may make of another one */
    uint32_t format_count; /* 0: they were not made for kernels to see */
    VkFormat formats[LAYER_MAX_VIEW_FORMATS]; /* that they may be seen in */
    struct layer_context *contexts; /* one for each queue that it was presented from */
    bool watched; /* its window has had its turn with pointer and keys */
    /* The settings' with which its last frame had no gaze and passed through; 0: it did not. */
    uint64_t blind_serial;
    bool failed; /* its frames are passed through from now on */
    bool retired; /* another one was made out of it */
    struct said said; /* results: why a frame was not foveated */
    uint64_t frame;
    struct layer_swapchain *next;
};

/* ---- The registry (layer_registry.c): what there is, behind one lock that is held for a search
 * ---- */

void layer_registry_add_instance(struct layer_instance *instance);
void layer_registry_add_device(struct layer_device *device);
struct layer_instance *layer_registry_instance(const void *handle);
struct layer_device *layer_registry_device(const void *handle);
struct layer_instance *layer_registry_take_instance(const void *handle);
struct layer_device *layer_registry_take_device(const void *handle);
struct layer_device *layer_registry_take_device_of(const struct layer_instance *instance);
void layer_registry_add_swapchain(struct layer_device *device, struct layer_swapchain *swapchain);
struct layer_swapchain *layer_registry_swapchain(struct layer_device *device,
                                                 VkSwapchainKHR handle);
struct layer_swapchain *layer_registry_take_swapchain(struct layer_device *device,
                                                      VkSwapchainKHR handle);
/* Swapchains that are destroyed, but for their semaphores, and presents that may not be over. The
 * swapchain that went last so stays until another one that had frames goes, or the device: these
 * few semaphores are kept on purpose, since else each present would have to look whether they can
 * go. */
void layer_registry_add_gone(struct layer_device *device, struct layer_swapchain *swapchain);
/* Strikes out presents of these that are over: those that lie before a frame of `later` on the same
 * queue, whose frames must be over; all where `later` is NULL. */
void layer_registry_strike_presents(struct layer_device *device,
                                    const struct layer_swapchain *later);
/* Takes one of these that has no presents left. NULL: there is none. */
struct layer_swapchain *layer_registry_take_gone(struct layer_device *device);
/* The usage that the program asked for, of an image that can do more; 0: it is no such image. */
VkImageUsageFlags layer_registry_image_usage(struct layer_device *device, VkImage image);
void layer_registry_add_alias(struct layer_device *device, struct layer_alias *alias);
/* Any where image is VK_NULL_HANDLE; NULL: there is none. */
struct layer_alias *layer_registry_take_alias(struct layer_device *device, VkImage image);
void layer_registry_add_queue(struct layer_device *device, const struct layer_queue *queue);
void layer_registry_add_spare(struct layer_device *device, struct layer_context *context);
/* Takes that queue's; any queue's where it is NULL. */
struct layer_context *layer_registry_take_spare(struct layer_device *device, VkQueue queue);
/* A program for headsets has a session on that device, and Fovea's layer for OpenXR is in it. */
void layer_registry_bind_openxr(struct layer_device *device);
/* Such a program is this process, and the device is of an instance that is none of its sessions':
 * the runtime's, as far as anybody can tell. */
bool layer_registry_beside_openxr(const struct layer_device *device);
bool layer_registry_queue(struct layer_device *device, VkQueue handle,
                          struct layer_queue *out_queue);
void layer_registry_add_window(struct layer_instance *instance, struct layer_window *window);
struct layer_window *layer_registry_take_window(struct layer_instance *instance,
                                                VkSurfaceKHR surface);
uint32_t layer_registry_window(struct layer_instance *instance, VkSurfaceKHR surface);

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* They are declared as Vulkan declares its own. */
#define LAYER_HOOK(name) __typeof__(*(PFN_vk##name)NULL) layer_##name
LAYER_HOOK(GetInstanceProcAddr);
LAYER_HOOK(GetDeviceProcAddr);
LAYER_HOOK(CreateInstance);
LAYER_HOOK(DestroyInstance);
LAYER_HOOK(CreateDevice);
LAYER_HOOK(DestroyDevice);
LAYER_HOOK(GetDeviceQueue);
LAYER_HOOK(GetDeviceQueue2);
LAYER_HOOK(DestroySurfaceKHR);
LAYER_HOOK(CreateSwapchainKHR);
LAYER_HOOK(DestroySwapchainKHR);
LAYER_HOOK(CreateImage);
LAYER_HOOK(DestroyImage);
LAYER_HOOK(CreateImageView);
LAYER_HOOK(QueuePresentKHR);
#ifdef VK_EXT_swapchain_maintenance1
__typeof__(*(PFN_vkReleaseSwapchainImagesEXT)NULL) layer_ReleaseSwapchainImages;
#endif
VKAPI_ATTR VkResult VKAPI_CALL layer_CreateXcbSurfaceKHR(VkInstance handle,
                                                         const struct layer_xcb_surface_info *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkSurfaceKHR *out_surface);
VKAPI_ATTR VkResult VKAPI_CALL
layer_CreateXlibSurfaceKHR(VkInstance handle, const struct layer_xlib_surface_info *info,
                           const VkAllocationCallbacks *allocator, VkSurfaceKHR *out_surface);

/* ---- Between the files ----------------------------------------------------------------------- */

/* The function by which fovea_vulkan.h looks functions up. Command buffers that it allocates get
 * the loader's dispatch pointer, without which any layer below crashes. */
PFN_vkVoidFunction VKAPI_CALL layer_proc_addr_for_fovea(VkInstance handle, const char *name);

/* layer_device.c: before the instance goes, devices that the program has not destroyed. */
void layer_devices_leave(const struct layer_instance *instance);
/* In the child of a fork: what its parent has made goes down and is not touched otherwise. */
bool layer_instance_is_parents(const struct layer_instance *instance);

/* layer_features.c: a chain of VkDeviceCreateInfo with a feature switched on whose structure has
 * one bit: timelineSemaphore, presentId, presentWait. Bits in structures of the program's are
 * patched, and put back by layer_feature_restore. */
struct layer_feature_bit {
    VkStructureType type;
    void *next;
    VkBool32 on;
};
struct layer_feature {
    struct layer_feature_bit own;
    VkBool32 *patched;
    bool on;
};
void layer_feature_apply(struct layer_feature *feature, VkStructureType type,
                         VkDeviceCreateInfo *info);
void layer_feature_restore(struct layer_feature *feature);

/* layer_timing.c. How frames of a device with that create info will be watched; and the extensions
 * that it is made with for that. */
#define LAYER_MAX_TIMING_NAMES 2
void layer_timing_choose(const struct layer_instance *instance, VkPhysicalDevice physical,
                         const VkDeviceCreateInfo *info, struct layer_timing *out_timing);
uint32_t layer_timing_names(const struct layer_timing *timing,
                            const char *out_names[LAYER_MAX_TIMING_NAMES]);
/* A function that the device has, and that the program has not asked for. */
bool layer_timing_hides(const struct layer_device *device, const char *name);
/* Before the swapchain goes, is replaced, or its contexts leave. */
void layer_timing_leave(struct layer_swapchain *swapchain);

/* layer_direct.c: finds out whether kernels may see images of swapchains on that device at all. The
 * link is the layer's own. */
void layer_direct_note(struct layer_device *device, const VkDeviceCreateInfo *info,
                       const VkLayerDeviceLink *link);
/* A swapchain's create info with what lets kernels see its images. False: it cannot be, and the
 * info is as it was. `asked` is the usage that the program has asked for. */
struct layer_direct {
    bool on; /* kernels may see the images; else there is no list */
    VkFormat format; /* of the images */
    VkImageFormatListCreateInfo list;
    VkFormat formats[LAYER_MAX_VIEW_FORMATS];
};
bool layer_direct_apply(const struct layer_device *device, VkImageUsageFlags asked,
                        struct layer_direct *direct, VkSwapchainCreateInfoKHR *info);
/* Call it when that was done and the images are there. If one of them gets no view, none is seen.
 */
void layer_direct_open(struct layer_swapchain *swapchain);
/* No frame uses the images any more. */
void layer_direct_close(struct layer_swapchain *swapchain);

void layer_swapchain_free(struct layer_swapchain *swapchain);
/* layer_swapchain.c: frees the semaphores of those that are gone: before the device goes. */
void layer_swapchains_finish(struct layer_device *device);

/* layer_alias.c: before the device goes. */
void layer_aliases_finish(struct layer_device *device);

/* layer_made.c. An image of that device; VK_NULL_HANDLE: all that it has. */
void layer_made_note(VkDevice device, const VkImageCreateInfo *info, VkImage image);
void layer_made_forget(VkDevice device, VkImage image);
/* No names of Vulkan's, as that of the instance's version (layer_entry.c). Between two calls of the
 * first one images are noted; the second one says what a view of that format of an image may be
 * used for. 0: for nothing, or nobody has noted it. */
VKAPI_ATTR void VKAPI_CALL layer_FoveaWatchImages(VkBool32 on);
VKAPI_ATTR VkImageUsageFlags VKAPI_CALL layer_FoveaViewUsage(VkDevice device, VkImage image,
                                                             VkFormat format);

/* layer_log.c. A line in the log, once on that device. */
void layer_say_once(struct layer_device *device, enum layer_said what, const char *reason);

/* layer_context.c. The context for that queue, made when it is first needed; NULL: there is
 * none. */
struct layer_context *layer_context_find(struct layer_swapchain *swapchain,
                                         const struct layer_queue *queue);
/* Whether a frame may be made: what is frozen has the backend that its settings name, or none. That
 * it is lost is seen within 32 frames, said, and so for good, also in the device's other windows
 * and in contexts that are made later. */
bool layer_context_is_as_named(struct layer_device *device, struct layer_context *context);
/* Waits for the swapchain's frames and keeps its contexts for the next one. */
void layer_contexts_leave(struct layer_swapchain *swapchain);
/* Before the device goes. */
void layer_contexts_finish(struct layer_device *device);

/* layer_gather.c. Submits a batch with nothing but semaphores. On failure nothing was submitted. */
struct layer_batch {
    uint32_t wait_count;
    const VkSemaphore *waits;
    uint32_t signal_count;
    const VkSemaphore *signals;
};
VkResult layer_gather_submit(const struct layer_device *device, struct layer_context *context,
                             const struct layer_batch *batch);
void layer_gather_finish(const struct layer_device *device, struct layer_context *context);

/* layer_present.c: one call of vkQueuePresentKHR. The first image that is foveated takes over what
 * the program waits for; the others lie behind it on the queue. */
#define LAYER_MAX_PRESENTED                                                                        \
    16 /* swapchains of one present; those beyond are presented as they are */
struct layer_taken {
    struct layer_swapchain *swapchain;
    uint32_t image;
    bool is_made; /* its frame was submitted */
    const struct layer_context *made_by; /* for this present; NULL: it was not */
};
struct layer_presentation {
    struct layer_device *device;
    struct layer_queue queue;
    struct layer_context *context; /* of an image that was taken */
    const VkPresentInfoKHR *info;
    bool waits_taken;
    bool has_made; /* Fovea's frame is in an image since a present that was in vain */
    bool gathered; /* the frame's semaphore stands for all that the program's present waits for */
    struct layer_taken taken[LAYER_MAX_PRESENTED]; /* the present that goes down waits for them */
    uint32_t taken_count;
};

/* layer_retry.c. What is to be done with an image that was presented in vain. */
enum layer_retry {
    LAYER_RETRY_NONE, /* it was not, or has another picture by now */
    /* nothing: Fovea's frame is in it, and the program's semaphores stand for that */
    LAYER_RETRY_MADE,
    LAYER_RETRY_FOR_FRAME, /* the present waits for `presentable` instead of these */
};
enum layer_retry layer_retry_of(struct layer_swapchain *swapchain, uint32_t index,
                                const VkPresentInfoKHR *info);
/* How the present went down. */
void layer_retry_note(const struct layer_presentation *p, VkResult result);

/* Around the present that goes down, which gets numbers in its chain. */
struct layer_timing_chain {
    bool any;
    uint64_t ids[LAYER_MAX_PRESENTED]; /* of each swapchain; 0: it is not watched */
    VkPresentTimeGOOGLE times[LAYER_MAX_PRESENTED];
    VkPresentIdKHR id;
    VkPresentTimesInfoGOOGLE time;
};
void layer_timing_begin(const struct layer_presentation *p, VkPresentInfoKHR *info,
                        struct layer_timing_chain *out_chain);
/* After every present, also one that passes through. */
void layer_timing_end(const struct layer_presentation *p, VkResult result);

/* layer_chain.c. Manifests that give this library several names give it as many places in the
 * loader's chain, and one set of functions, which would call itself. The upper place takes the
 * lower ones out. A link has the functions of the layer behind it; `link` is the layer's own. */
void layer_leave_out_instance_twins(VkLayerInstanceLink *link);
void layer_leave_out_device_twins(VkLayerDeviceLink *link);

/* layer_chain.c: the first structure of a type in a chain; NULL if there is none. */
const void *layer_find(const void *chain, VkStructureType type);
/* Whether a list of extensions' names has one. */
bool layer_lists(const char *const *names, uint32_t count, const char *name);

/* A chain of VkPresentInfoKHR without the regions that have changed
 * (VkPresentRegionsKHR), since with the gaze everything does. What precedes them is copied; the
 * rest is the program's. Where something unknown precedes them they stay: they are a hint. */
#define LAYER_MAX_PRESENT_CHAIN 8
struct layer_present_chain {
    union {
        VkBaseInStructure base;
        VkPresentIdKHR id;
        VkPresentTimesInfoGOOGLE times;
        VkDisplayPresentInfoKHR display;
        VkDeviceGroupPresentInfoKHR group;
        void *room[8];
    } copies[LAYER_MAX_PRESENT_CHAIN];
};
void layer_present_chain_without_regions(struct layer_present_chain *chain, VkPresentInfoKHR *info);
