/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Foveation of the images of a Vulkan program, each frame, on the GPU.
 *
 * The engine keeps its instance, device and queue and hands over two images a frame: src, which it
 * has drawn, and dst, which it will show. Fovea submits its work to the engine's queue between the
 * two. With the cuda backend the images are shared with CUDA through external memory and
 * semaphores; with the vulkan backend compute shaders do the work in the engine's own device. The
 * engine sees no difference.
 *
 * Fovea creates no instance, no device and no swapchain here, never waits for the GPU within a
 * frame, allocates only in the first frame of a size or format (or before: fovea_vk_prepare), and
 * never touches a queue but the one it was given. An engine that records whole frames into command
 * buffers of its own may have Fovea record into them, too (fovea_vk_record).
 *
 * Usage, without error checks:
 *
 *     // once, before vkCreateDevice: what to enable
 *     struct fovea_vk_requirements needs;
 *     fovea_vk_requirements_init(&needs);
 *     fovea_vk_query(instance, physical_device, vkGetInstanceProcAddr, &needs);
 *     ... add needs.device_extensions and, where needs.timeline_semaphore says so, that feature ...
 *
 *     struct fovea_vk_desc desc;
 *     fovea_vk_desc_init(&desc);
 *     desc.instance = instance;  desc.physical_device = physical_device;  desc.device = device;
 *     desc.get_instance_proc_addr = vkGetInstanceProcAddr;
 *     desc.queue = queue;  desc.queue_family = family;
 *     fovea_vk_desc_use(&desc, &needs);
 *     struct fovea_vk *fovea = NULL;
 *     fovea_vk_create(&desc, &fovea);
 *
 *     // each frame, after the engine has submitted its drawing
 *     struct fovea_vk_frame frame = {
 *         .struct_bytes = sizeof frame,
 *         .src = {.image = color, .format = VK_FORMAT_B8G8R8A8_SRGB, .width_px = w, .height_px = h,
 *                 .layout_before = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
 *                 .layout_after = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
 *         .dst = {.image = swapchain_image, ...
 *                 .layout_before = VK_IMAGE_LAYOUT_UNDEFINED,
 *                 .layout_after = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR},
 *         .waits = &drawn, .wait_count = 1, .signals = &presentable, .signal_count = 1,
 *         .gaze = gaze};
 *     fovea_vk_foveate(fovea, &frame);
 *
 *     vkDeviceWaitIdle(device);
 *     fovea_vk_destroy(&fovea);
 *
 * Three ways in:
 *
 * - Any image of the engine's, with usage TRANSFER_SRC for src and TRANSFER_DST for dst: one copy
 *   on the GPU in, one out. src and dst may be the same image.
 * - One that kernels may see as well (raw_view of struct fovea_vk_frame_target): the vulkan backend
 *   reads it and writes to it where it is, so that only a frame in place needs a copy, back; with
 *   cuda both copies are made by kernels. On some GPUs either is many times as fast as
 *   vkCmdCopyImage.
 * - An image that Fovea made for the engine (fovea_vk_image_create): no copy. It is the engine's
 *   between fovea_vk_image_acquire and the frame that takes it as src, and again after the frame
 *   that gave it out as dst.
 *
 * Threads: as in fovea.h; and fovea_vk_foveate uses that VkQueue, which Vulkan wants from one
 * thread at a time, as does fovea_vk_create where it measures backends. No other call does.
 *
 * fork: in the child everything that the parent has made is the parent's. Frames, settings,
 * gazes of places and images are refused with FOVEA_ERROR_INVALID_STATE there, destroying and
 * waiting do nothing, and no driver is called.
 *
 * Formats: R8G8B8A8 and B8G8R8A8 in UNORM and SRGB, A8B8G8R8_PACK32 in both, A2B10G10R10_UNORM,
 * A2R10G10B10_UNORM, B10G11R11_UFLOAT, R16G16B16A16_SFLOAT. Two-dimensional, one sample, level 0.
 * The two images of a frame have the same format class and size.
 *
 * CUDA: with the cuda backend frames run in the device's primary context, which the program's own
 * CUDA uses too (fovea.h says what is shared), or with cuda_context OWN in one of Fovea's, made by
 * fovea_vk_create and destroyed by fovea_vk_destroy: then an error of either's kernels does not
 * reach the other. A context that is lost is logged once, as an error; the frame that meets it
 * passes through or shows what was shown before, the vulkan backend makes those after it, and
 * fovea_vk_get_stats says so. No error of CUDA's is FOVEA_ERROR_DEVICE_LOST here. Jobs go on one
 * stream of Fovea's, of the highest priority, which does not wait for the legacy default stream.
 *
 * Stereo: a frame may have several views, each with a gaze of its own: the halves of one image, or
 * the layers of an array (struct fovea_vk_view).
 */
#ifndef FOVEA_VULKAN_H
#define FOVEA_VULKAN_H

#include "fovea.h"

#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Before the device is made --------------------------------------------------------------- */

#define FOVEA_VK_MAX_EXTENSIONS 8

/* A device offers this to Fovea. Everything here is optional: a device without any of it runs the
 * vulkan backend. */
struct fovea_vk_requirements {
    size_t struct_bytes; /* fovea_vk_requirements_init */
    /* Device extensions to enable, those that the device has. Names are static strings. */
    const char *device_extensions[FOVEA_VK_MAX_EXTENSIONS];
    uint32_t device_extension_count;
    /* The device has the feature timelineSemaphore (Vulkan 1.2, or VK_KHR_timeline_semaphore, which
     * is then in the list): enable it. Without it CUDA is synchronised with binary semaphores. */
    bool timeline_semaphore;
    /* A CUDA device with this device's UUID is there and this build can use it. False where it was
     * not asked for. */
    bool cuda;
    uint8_t reserved[2]; /* 0 */
};

static inline void fovea_vk_requirements_init(struct fovea_vk_requirements *requirements)
{
    memset(requirements, 0, sizeof *requirements);
    requirements->struct_bytes = sizeof *requirements;
}

/* Changes nothing, but loads and starts CUDA's driver, if there is one, to find the answer, which
 * takes some tenths of a second. *out_requirements must have its struct_bytes. The instance
 * must be of Vulkan 1.1 or later: FOVEA_ERROR_UNSUPPORTED. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_query(
    VkInstance instance, VkPhysicalDevice physical_device,
    PFN_vkGetInstanceProcAddr get_instance_proc_addr,
    struct fovea_vk_requirements *out_requirements);

/* The same without CUDA: `cuda` is false, and fovea_vk_create starts CUDA only if the settings may
 * use it. The extensions and features to enable are the same. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_query_vulkan(
    VkInstance instance, VkPhysicalDevice physical_device,
    PFN_vkGetInstanceProcAddr get_instance_proc_addr,
    struct fovea_vk_requirements *out_requirements);

/* ---- The context ----------------------------------------------------------------------------- */

struct fovea_vk_desc {
    size_t struct_bytes; /* fovea_vk_desc_init */
    VkInstance instance; /* of Vulkan 1.1 or later; the four handles are required */
    VkPhysicalDevice physical_device;
    VkDevice device;
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    /* A queue of queue_family, which must have COMPUTE (and so TRANSFER). A family without graphics
     * may be faster, if the engine can present from it: an H200 takes half as long for the same
     * frames (docs/benchmarks.md). */
    VkQueue queue;
    uint32_t queue_family;
    uint32_t frames_in_flight; /* how many frames the engine keeps unfinished, 1..32; 0: 3 */
    const char *const *device_extensions; /* all that the device was made with; may be NULL */
    uint32_t device_extension_count;
    bool timeline_semaphore; /* the device was made with the feature */
    uint8_t reserved[3]; /* 0 */
    const struct fovea_settings *settings; /* NULL: the defaults; "gaze.": only late and over */
    struct fovea_log log;
    /* For all Vulkan objects that Fovea makes; NULL: the driver's allocator. The struct is copied;
     * its functions and pUserData must outlive the context. They are called on the threads that
     * call Fovea. */
    const VkAllocationCallbacks *allocator;
    /* Fovea takes pipelines from it and adds its own, so that the program can save them for its
     * next start; NULL: each context compiles its own. It must outlive the context, and must not
     * have VK_PIPELINE_CACHE_CREATE_EXTERNALLY_SYNCHRONIZED, since the first frame of a kind makes
     * pipelines. */
    VkPipelineCache pipeline_cache;
};

static inline void fovea_vk_desc_init(struct fovea_vk_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

/* For a device that was made with everything that the requirements name; they must outlive the
 * desc. */
static inline void fovea_vk_desc_use(struct fovea_vk_desc *desc,
                                     const struct fovea_vk_requirements *requirements)
{
    desc->device_extensions = requirements->device_extensions;
    desc->device_extension_count = requirements->device_extension_count;
    desc->timeline_semaphore = requirements->timeline_semaphore;
}

struct fovea_vk;

/* Allocates, and loads CUDA's kernels where that is the backend; pipelines are made by the first
 * frame, or before it by fovea_vk_prepare. Chooses the backend and logs which and why. Settings
 * that name a backend this device cannot have: FOVEA_ERROR_UNSUPPORTED; auto finds one on every
 * device. Where auto has a choice and does not know yet what each costs, it submits frames of its
 * own to the queue and waits for them, about 0.1 s ("backend_measure"). */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_create(const struct fovea_vk_desc *desc,
                                                             struct fovea_vk **out_fovea);

/* Waits for the frames that are still on the queue, then frees everything, including images made
 * with fovea_vk_image_create. Besides this call, only fovea_vk_wait, fovea_vk_image_destroy and a
 * fovea_vk_create that measures wait. If Vulkan lacks memory to say whether those frames are over,
 * their resources stay until the process ends. */
FOVEA_API void fovea_vk_destroy(struct fovea_vk **fovea);

/* Waits for the frames that are still on the queue. An engine without fences of its own calls it
 * before it destroys an image that one of them uses. Uses no queue. */
FOVEA_API void fovea_vk_wait(struct fovea_vk *fovea);

/* Settings for the frames after this call: "operators" and what is below their names,
 * "foveation." and "overlay.", "gaze.late" and "gaze.over"; the rest counts at creation. The next
 * frame makes what depends on them, which allocates and takes some milliseconds. On failure the old
 * ones stay in force. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_set_settings(
    struct fovea_vk *fovea, const struct fovea_settings *settings);

/* ---- Images made for the engine -------------------------------------------------------------- */

struct fovea_vk_image_desc {
    size_t struct_bytes; /* fovea_vk_image_desc_init */
    VkFormat format;
    uint32_t width_px; /* 1 to 16384, or what the device takes */
    uint32_t height_px;
    VkImageUsageFlags usage; /* what the engine does with it: COLOR_ATTACHMENT, SAMPLED, TRANSFER_*;
                                Fovea adds what it needs itself */
};

static inline void fovea_vk_image_desc_init(struct fovea_vk_image_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_vk_image;

/* Allocates memory on the device. The image is Fovea's until it is acquired or given out as dst.
 * FOVEA_ERROR_UNSUPPORTED: format, usage, or too large. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_image_create(
    struct fovea_vk *fovea, const struct fovea_vk_image_desc *desc,
    struct fovea_vk_image **out_image);

/* The GPU must be done with it, as for vkDestroyImage; the call waits for frames of Fovea's in
 * flight that use it. */
FOVEA_API void fovea_vk_image_destroy(struct fovea_vk_image **image);

/* The VkImage, for views, framebuffers and barriers. Never destroy it. */
FOVEA_API VkImage fovea_vk_image_handle(const struct fovea_vk_image *image);

/* A view of it in its own format for the usage it was made with: framebuffers, descriptors. Views
 * of your own need a VkImageViewUsageCreateInfo, since the image has usages that its format may
 * lack. */
FOVEA_API VkImageView fovea_vk_image_view(const struct fovea_vk_image *image);

/* Takes the image for drawing. *out_layout is its layout: UNDEFINED the first time, then the
 * layout_after of its last frame. If the engine has it already: FOVEA_ERROR_INVALID_STATE. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_image_acquire(struct fovea_vk_image *image,
                                                                    VkImageLayout *out_layout);

/* Gives it back without a frame, in this layout. If the engine does not have it:
 * FOVEA_ERROR_INVALID_STATE. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_image_release(struct fovea_vk_image *image,
                                                                    VkImageLayout layout);

/* ---- A frame --------------------------------------------------------------------------------- */

struct fovea_vk_frame_target {
    struct fovea_vk_image *made; /* an image of Fovea's; or NULL and the four below */
    VkImage image;
    VkFormat format;
    uint32_t width_px; /* 1 to 16384 */
    uint32_t height_px;
    /* when the waits are over; dst: UNDEFINED if its content is old */
    VkImageLayout layout_before;
    VkImageLayout layout_after; /* when the signals come; not UNDEFINED or PREINITIALIZED */
    /* False: the image belongs to Fovea's queue's family, or is of concurrent sharing. True: it
     * belongs to queue_family. The engine has released it to Fovea's family from layout_before to
     * layout_before (not if that is UNDEFINED: then nothing is kept), and acquires it back from
     * Fovea's family from layout_after to layout_after. */
    bool transfer_ownership;
    /* One of the device's, VK_QUEUE_FAMILY_EXTERNAL or, with its extension, _FOREIGN_EXT; another
     * one is FOVEA_ERROR_INVALID_ARGUMENT. Ignored without transfer_ownership. */
    uint32_t queue_family;
    /* All layers of an array have the layouts and the owner above. 0 counts as 1; images that
     * Fovea made have 1 layer. In a frame in place, src and dst have the same number. */
    uint32_t layer_count;
    /* An image that Fovea did not make has a view of its layer 0 for kernels, of the format
     * fovea_vk_raw_format(format), with usage SAMPLED for src, STORAGE for dst and both in place;
     * it must last as long as the image. Such an image was made with those usages and with flags
     * MUTABLE_FORMAT and EXTENDED_USAGE; TRANSFER usages are wanted all the same, for what passes
     * through. NULL: there is none. Views of other layers bring their own (struct
     * fovea_vk_view). */
    VkImageView raw_view;
};

/* R32_UINT or R16G16B16A16_UINT: all formats of frames have one of their size; UNDEFINED for
 * others. */
FOVEA_API VkFormat fovea_vk_raw_format(VkFormat format);

struct fovea_vk_semaphore {
    VkSemaphore semaphore;
    uint64_t value; /* for timeline semaphores; 0 for binary ones */
};

/* A picture of sigmas: for each pixel of a view the standard deviation in pixels of the Gaussian
 * that blurs it. For the operator blur, which then takes it instead of "blur.sigma_px": values
 * above "blur.sigma_max_px" count as that, negative ones and NaN as 0, which leaves a pixel as it
 * is. Compute shaders make such frames, whatever backend others have. */
struct fovea_vk_sigmas {
    /* It has one layer and mip, and at least the size of the view (of the image if there are no
     * views): its pixel 0, 0 is the view's first. R32_SFLOAT or R16_SFLOAT, or another format whose
     * red is a float; usage SAMPLED. The image belongs to Fovea's queue's family, or is of
     * concurrent sharing; what wrote it is visible to compute shaders when the waits are over, by a
     * wait's semaphore or a barrier of the engine's. It is read until the signals come. NULL: there
     * is none. */
    VkImageView view;
    /* which it is in, and stays: GENERAL, SHADER_READ_ONLY_OPTIMAL or READ_ONLY_OPTIMAL */
    VkImageLayout layout;
};

/* A picture of depths, for "operators" that need one (dof): the engine's own depth image, which
 * Fovea reads where it is. Compute shaders make such frames, whatever backend others have.
 *
 *     struct fovea_depth values;
 *     fovea_depth_init(&values);
 *     fovea_depth_set_projection(&values, projection[2][2], projection[3][2]);
 *     values.elapsed_s = seconds_since_the_last_frame;
 *     frame.depth = (struct fovea_vk_depth){
 *         .view = depth_view, .format = VK_FORMAT_D32_SFLOAT,
 *         .layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
 *         .width_px = w, .height_px = h, .values = &values};
 */
struct fovea_vk_depth {
    /* It has one layer and mip, the depth aspect alone, one sample; usage SAMPLED. The image
     * belongs to Fovea's queue's family, or is of concurrent sharing. What wrote it has come before
     * the frame on Fovea's queue, or is over when the waits are. It is read until the signals
     * come. NULL: there is none. */
    VkImageView view;
    /* D16_UNORM, X8_D24_UNORM_PACK32, D24_UNORM_S8_UINT, D32_SFLOAT, D32_SFLOAT_S8_UINT,
     * R32_SFLOAT or R16_SFLOAT */
    VkFormat format;
    /* The layout that it is in, and stays in: GENERAL, SHADER_READ_ONLY_OPTIMAL, READ_ONLY_OPTIMAL,
     * DEPTH_STENCIL_READ_ONLY_OPTIMAL, DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL or
     * DEPTH_READ_ONLY_OPTIMAL; with `image`, DEPTH_STENCIL_ATTACHMENT_OPTIMAL or
     * ATTACHMENT_OPTIMAL. */
    VkImageLayout layout;
    uint32_t x_px; /* the view's first pixel in it */
    uint32_t y_px;
    uint32_t width_px; /* of the part from there; the view's size (the image's without views) */
    uint32_t height_px;
    /* It says what values mean, what is in focus, and the time since the frame before: kind,
     * zero_m, one_m, focus_m, elapsed_s and vergence_m count, which fovea_image.h explains, and
     * nothing else of it. Copied. The focus is kept for each view by its number. */
    const struct fovea_depth *values;
    /* The image of `view`, if its layout is that of an attachment: Fovea brings `layer` to
     * DEPTH_STENCIL_READ_ONLY_OPTIMAL for its shaders and back again. NULL: it changes no layout.
     */
    VkImage image;
    uint32_t layer;
    /* True: the focus is what another view has left, and this one does not move it. So both eyes
     * have one: the first view's of this context, or that of `focus`. The other view comes first in
     * the frame, or in a frame before it. */
    bool focus_stays;
    uint8_t reserved[3]; /* 0 */
    /* Keeps the focus: FOVEA_VK_FOCUS_BYTES of a buffer of the engine's, usage
     * STORAGE_BUFFER, all 0 at first, at a multiple of 256. Views of several contexts may share it,
     * whose frames are on one queue; it lasts until those are over. NULL: the context keeps it. */
    VkBuffer focus;
    VkDeviceSize focus_offset;
};

#define FOVEA_VK_FOCUS_BYTES 32

#define FOVEA_VK_MAX_SEMAPHORES 8
#define FOVEA_VK_MAX_VIEWS 4

/* One eye sees this part of a frame: a rectangle of a layer, in src and dst alike. */
struct fovea_vk_view {
    size_t struct_bytes; /* fovea_vk_view_init; of all views of a frame the same */
    uint32_t x_px;
    uint32_t y_px;
    uint32_t width_px; /* of all views the same; inside the image; views do not overlap */
    uint32_t height_px;
    uint32_t layer; /* below both images' layer_count; 0 for images that Fovea made */
    /* FOVEA_MAP_EYE_LEFT or _RIGHT: selects the eye of the human map, whose temporal sides differ,
     * and of a lens.file with a lens for each eye; 0: the settings' map.eye. Otherwise it has no
     * effect. */
    enum fovea_map_eye eye;
    struct fovea_gaze gaze; /* uv over the view; not usable: as the frame's below */
    /* This eye's own frustum; NULL: the settings'. If the screen's width and distance are both 0,
     * those of the settings are used. Checked like settings; a new frustum needs a new plan, which
     * takes some 0.2 ms of the calling thread. */
    const struct fovea_geometry *geometry;
    /* As raw_view of src and dst, but of this view's layer; NULL: in layer 0 raw_view counts, in
     * others there is none. Where a view of a frame lacks one that its layer needs, all of them are
     * copied; so is a frame in place whose views are not all in layer 0. */
    VkImageView src_raw_view;
    VkImageView dst_raw_view;
    struct fovea_vk_sigmas sigmas;
    struct fovea_vk_depth depth; /* of this eye */
};

static inline void fovea_vk_view_init(struct fovea_vk_view *view)
{
    memset(view, 0, sizeof *view);
    view->struct_bytes = sizeof *view;
}

struct fovea_vk_frame {
    size_t struct_bytes; /* fovea_vk_frame_init */
    struct fovea_vk_frame_target src;
    struct fovea_vk_frame_target dst;
    /* Waited for before src is read and dst written; none are needed if both were last used on
     * Fovea's queue. */
    const struct fovea_vk_semaphore *waits;
    const struct fovea_vk_semaphore *signals; /* when both are in layout_after */
    uint32_t wait_count; /* at most FOVEA_VK_MAX_SEMAPHORES */
    uint32_t signal_count; /* likewise */
    /* Not usable, or not finite: nothing is foveated. "operators" that do not look at the gaze (all
     * but foveate) are at work all the same; without one the frame is passed through. */
    struct fovea_gaze gaze;
    /* NULL: one view, all of layer 0, with the gaze above, which views ignore. Pixels of dst that
     * no view covers stay as they were. The overlay is drawn over every view that is foveated;
     * the HUD over the first view. All of them must fit into one image of the device, in a row, a
     * column or two by two: FOVEA_ERROR_UNSUPPORTED (views of one layer always do). */
    const struct fovea_vk_view *views;
    uint32_t view_count; /* 1 to FOVEA_VK_MAX_VIEWS; 0 where views is NULL */
    uint32_t reserved; /* 0 */
    /* Used if views is NULL; else each view has its own. FOVEA_ERROR_INVALID_ARGUMENT: none of
     * "operators" takes sigmas. */
    struct fovea_vk_sigmas sigmas;
    /* Likewise. FOVEA_ERROR_INVALID_ARGUMENT: one of "operators" needs depths, and they are missing
     * or described wrongly; src is then as it was drawn. If no operator needs depths they are
     * ignored, so an engine may always give them. */
    struct fovea_vk_depth depth;
    /* Foveas beside the gaze, at most FOVEA_FOVEAS_MAX - 1, in uv like the gaze; for every view
     * that has a gaze. One that is not finite is ignored. NULL: those of the source that is shown
     * the frames (fovea_vk_show_frames), if it has any. A late gaze moves only the gaze. */
    const struct fovea_point_uv *other_foveas;
    uint32_t other_fovea_count;
    uint32_t reserved_2; /* 0 */
    /* The distance at which both lines of sight cross (fovea_gaze_source_vergence_m), possibly
     * infinity; 0: not known. For the record, the HUD, and depths without a vergence_m. */
    double vergence_m;
};

static inline void fovea_vk_frame_init(struct fovea_vk_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    frame->struct_bytes = sizeof *frame;
}

/* Foveates src into dst. Takes some 20 us of the calling thread, waits for nothing, and allocates
 * in the first frame of a size or format (enum fovea_backend says what the GPU takes). Everything
 * is submitted to the queue before it returns; work that is submitted to the queue later finds both
 * images ready without a semaphore.
 *
 * FOVEA_OK; also where no view has a usable gaze, but "operators" have one that does not look at
 * it. FOVEA_PASSED_THROUGH: dst gets src as it is, in every view; waits, signals, layouts and
 * owners are as for OK. FOVEA_NOT_READY: more frames are unfinished than frames_in_flight, or
 * exit() has begun; nothing was submitted and the waits are untouched. FOVEA_ERROR_FRAME_LOST: the
 * frame was submitted in part and its rest was refused, for want of memory or because the device
 * was lost, which only backends other than vulkan can meet. The waits are taken: nothing else may
 * wait for their binary semaphores. Nothing will be signalled. The content and layout of src and
 * dst are undefined; images of Fovea's stay whose they are. fovea_vk_wait waits for what was
 * submitted. FOVEA_ERROR_DEVICE_LOST: as Vulkan says of a lost device; nothing was submitted, and
 * nothing that was made from it can be relied on, its semaphores included. Other
 * negative results: nothing was submitted, the waits are untouched and nothing will be signalled;
 * src and dst are unchanged. Show src. The log says why, as an error; it repeats the same message
 * only at level debug until settings are set. After a lost frame or device the context takes only
 * fovea_vk_wait and destroy; further frames get FOVEA_ERROR_DEVICE_LOST after a lost device, else
 * FOVEA_ERROR_INVALID_STATE. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_foveate(struct fovea_vk *fovea,
                                                              const struct fovea_vk_frame *frame);

/* Makes while the program loads what the first frame of a kind would make: images, plans and
 * pipelines, which may take a second if the driver has not cached their shaders. Uses no queue.
 * Frames are of the same kind if they have the same format, sizes, number and eyes of views, frusta
 * and raw views, all have sigmas or none, likewise depths, and all are in place or none.
 *
 * `frame` is the frame of a later fovea_vk_foveate or, with the backend vulkan, fovea_vk_record.
 * Gazes, semaphores and the holder of an image are ignored. An image that Fovea did not make may be
 * VK_NULL_HANDLE, except in frames in place, which name it as src and dst; of raw views, sigmas and
 * depths only their presence matters. Layouts are checked as in a frame.
 *
 * Pipelines stay as long as the context. Images and plans are freed after 16 to 120 frames without
 * them; before the first frame, the oldest are freed if there are more than a hundred sizes.
 *
 * FOVEA_OK; FOVEA_PASSED_THROUGH: frames like this one pass through, as an operator refuses such
 * views (more blur than there is, a lens that folds); the first of them says so in the log.
 * FOVEA_NOT_READY: exit() has begun. Negative: as fovea_vk_foveate; such frames may come all the
 * same, and try again. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_prepare(struct fovea_vk *fovea,
                                                              const struct fovea_vk_frame *frame);

/* For engines that end and submit their command buffers themselves. */
struct fovea_vk_recording {
    size_t struct_bytes; /* fovea_vk_recording_init */
    /* In the recording state, outside of render passes, primary or secondary, of a pool of Fovea's
     * queue family. */
    VkCommandBuffer commands;
    uint64_t frame; /* the engine's own number of the frame that it submits them with; from 1 on */
    /* The GPU has finished the engine's frames up to this number, which is below `frame`; 0: none
     * yet. Fovea reuses what these frames used. */
    uint64_t finished_frame;
};

static inline void fovea_vk_recording_init(struct fovea_vk_recording *recording)
{
    memset(recording, 0, sizeof *recording);
    recording->struct_bytes = sizeof *recording;
}

/* Records a frame into commands of the engine's instead of submitting it: no queue is used. Compute
 * shaders do it, whatever backend the frames of fovea_vk_foveate have. The engine submits what was
 * recorded to Fovea's queue, once, in the order of these calls, or drops it; it binds its own
 * compute pipeline, descriptor sets and push constants again.
 *
 * Barriers are recorded too: whatever came before on the queue has written what Fovea reads, and
 * whatever comes after reads what Fovea wrote, at any stage. Images are in layout_before where the
 * commands begin and in layout_after where they end. The frame has no waits and no signals.
 *
 * Results are those of fovea_vk_foveate with "recorded" for "submitted": after a negative one and
 * FOVEA_NOT_READY nothing was recorded, and images stay in layout_before. FOVEA_NOT_READY:
 * frames_in_flight + 1 calls are not said to be finished, or exit() has begun.
 *
 * fovea_vk_wait does not wait for recorded frames. Before fovea_vk_destroy, and
 * fovea_vk_image_destroy of an image of theirs, the engine has waited for them. A program that only
 * records sets the backend to vulkan: auto may measure others at creation, on the queue. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_record(
    struct fovea_vk *fovea, const struct fovea_vk_frame *frame,
    const struct fovea_vk_recording *recording);

/* From now on, where the setting gaze.late is on, frames of one view whose gaze is tracked are
 * foveated around the newest valid sample of that source at the moment the GPU starts on them: read
 * once, the same for all of the frame. Sources whose samples come from outside (mouse, udp, osc and
 * those of trackers); FOVEA_ERROR_UNSUPPORTED for others. NULL: no longer. Source and
 * context may be destroyed in any order: a source that is destroyed is followed no longer, which
 * counts as a call of the contexts that follow it. Samples may go on arriving from any thread
 * meanwhile. Any number of contexts may follow one source, each of a window or device of its
 * own. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_follow_gaze(struct fovea_vk *fovea,
                                                                  struct fovea_gaze_source *source);

/* From now on a source that looks at pictures (fovea_gaze_source_show) sees frames of this context
 * as the engine has drawn them: now and then one makes a picture of its first view some 160 pixels
 * wide, on the queue, beside its own work (bottom_up: its rows count from the lower edge), and a
 * thread of the source examines it after the frame. No frame waits for it. If
 * "gaze.saliency.foveas" is above 1, frames that name no other foveas have those that the source
 * had when its gaze was last read. Any number of contexts may show frames to one source, which sees
 * those of one at a time. NULL, and a source that looks at none: it is shown nothing, which is no
 * error. The same source again costs nothing, so that an engine may say it in each frame; another
 * one allocates, and may wait until the former has copied a picture. Source and context may be
 * destroyed in any order, on any threads; during this call the source is there. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_show_frames(struct fovea_vk *fovea,
                                                                  struct fovea_gaze_source *source,
                                                                  bool bottom_up);

/* Converts a place in the shown picture to a gaze, both in uv over a view with the size, eye and
 * frustum of `view`, whose other members are ignored. The two differ if an operator after foveate
 * moves places, as lens does. Positions of a pointer, or of an eye tracker that knows only the
 * display, need this conversion; a gaze relative to a frustum, as a headset gives it, does not.
 * Without such an operator the gaze is the place, to the bit. A place outside
 * the view counts as the nearest one inside; one that is not finite is
 * FOVEA_ERROR_INVALID_ARGUMENT, as is what a frame's view would be refused for. Needs no frame and
 * no queue; FOVEA_ERROR_DEVICE_LOST and FOVEA_ERROR_INVALID_STATE as for frames. The first call for
 * a kind of view makes its plan, as a frame does, or finds it. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_gaze_at(struct fovea_vk *fovea,
                                                              const struct fovea_vk_view *view,
                                                              struct fovea_point_uv place,
                                                              struct fovea_point_uv *out_gaze);

/* Text for the HUD ("overlay.hud") of the frames after this call; the HUD is updated four times a
 * second. `lines` are extra lines, with '\n' between them. `gaze` replaces "gaze tracked", "gaze
 * held", "gaze lost" or "gaze none", for an engine that knows more, such as "pointer outside". Both
 * are copied, as far as the HUD has room; NULL: no lines, and one of these four. */
FOVEA_API void fovea_vk_set_hud_text(struct fovea_vk *fovea, const char *lines, const char *gaze);

/* ---- What it costs and does ------------------------------------------------------------------ */

struct fovea_vk_stats {
    size_t struct_bytes; /* fovea_vk_stats_init */
    enum fovea_backend backend; /* in use now */
    bool gpu_time_known; /* the device has timestamps and a frame has finished */
    /* The gpu times below are those of a CPU's cores: of the cpu backend, or of a device that is a
     * CPU. */
    bool gpu_is_cpu;
    uint8_t reserved[2]; /* 0 */
    const char *backend_reason; /* why, in words; lives as long as the context */
    const char *device_name; /* of the Vulkan device; likewise */
    const char *sync; /* "timeline", "binary" or "queue": how the two sides wait for each other */
    uint64_t frames; /* foveated */
    uint64_t frames_passed_through;
    /* of late gazes: from the sample to the GPU's start; 0 where unknown */
    double late_age_p50_ms;
    double late_age_p99_ms;
    /* Foveation alone, over the last frames, at most 256; cuda times every eighth. */
    double gpu_p50_us;
    double gpu_p99_us;
    double cpu_p50_us; /* spent in fovea_vk_foveate by the calling thread */
    double cpu_p99_us;
};

static inline void fovea_vk_stats_init(struct fovea_vk_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    stats->struct_bytes = sizeof *stats;
}

/* *out_stats has its struct_bytes. Sorts some hundred numbers. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_vk_get_stats(const struct fovea_vk *fovea,
                                                                struct fovea_vk_stats *out_stats);

#ifdef __cplusplus
}
#endif

#endif
