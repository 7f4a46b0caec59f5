/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The OpenXR layer. It stands between a program and its runtime, holds a program's release of a
 * swapchain image back until the program's xrEndFrame, foveates the image into one of a swapchain
 * of its own there, and hands that on in the projection layers. What the runtime is told is in the
 * order that the specification wants: an image is the layer's to read for as long as the runtime
 * has not been told of its release, and the queue is used only in calls that may use it, but for
 * the first release of a swapchain whose program waits for its next image before xrEndFrame. */
#pragma once

#include "plugin/fovea_vulkan.h"
#include "plugin/gaze/gaze_switch.h"
#include "plugin/gaze/gaze_vergence.h"
#include "plugin/openxr/openxr_eye_tracking.h"
#include "plugin/openxr/openxr_loader.h"

#include <pthread.h>

#define OPENXR_IMAGES 16 /* of a swapchain */
#define OPENXR_VIEWS 8 /* of one swapchain in a frame */
#define OPENXR_COPIED 8 /* formats of a session's */
#define OPENXR_ARRAY 4 /* layers of an image that kernels see where they are */
#define OPENXR_LAYERS 16 /* of a frame */
#define OPENXR_PROJECTIONS 4 /* of those */
#define OPENXR_EYES_SETS 16 /* of a synchronization */
#define OPENXR_RAISED 8 /* instances of Vulkan */
#define OPENXR_INSTANCES 8 /* at once: layers above make some of their own */

/* The functions below the layer that it calls or stands in front of. */
#define OPENXR_FUNCTIONS(X)                                                                        \
    X(DestroyInstance)                                                                             \
    X(StringToPath)                                                                                \
    X(CreateSession)                                                                               \
    X(BeginSession)                                                                                \
    X(DestroySession)                                                                              \
    X(CreateSwapchain)                                                                             \
    X(DestroySwapchain)                                                                            \
    X(EnumerateSwapchainImages)                                                                    \
    X(EnumerateViewConfigurations)                                                                 \
    X(EnumerateViewConfigurationViews)                                                             \
    X(AcquireSwapchainImage)                                                                       \
    X(WaitSwapchainImage)                                                                          \
    X(ReleaseSwapchainImage)                                                                       \
    X(EndFrame)                                                                                    \
    X(PollEvent)                                                                                   \
    X(GetSystem)                                                                                   \
    X(GetSystemProperties)                                                                         \
    X(CreateActionSet)                                                                             \
    X(CreateAction)                                                                                \
    X(DestroyAction)                                                                               \
    X(DestroyActionSet)                                                                            \
    X(SuggestInteractionProfileBindings)                                                           \
    X(AttachSessionActionSets)                                                                     \
    X(SyncActions)                                                                                 \
    X(GetActionStatePose)                                                                          \
    X(GetActionStateBoolean)                                                                       \
    X(GetActionStateFloat)                                                                         \
    X(GetActionStateVector2f)                                                                      \
    X(ApplyHapticFeedback)                                                                         \
    X(StopHapticFeedback)                                                                          \
    X(GetCurrentInteractionProfile)                                                                \
    X(EnumerateBoundSourcesForAction)                                                              \
    X(GetInputSourceLocalizedName)                                                                 \
    X(CreateReferenceSpace)                                                                        \
    X(CreateActionSpace)                                                                           \
    X(DestroySpace)                                                                                \
    X(LocateSpace)                                                                                 \
    X(LocateViews)

struct openxr_below {
    PFN_xrGetInstanceProcAddr get;
#define OPENXR_MEMBER(name) PFN_xr##name name;
    OPENXR_FUNCTIONS(OPENXR_MEMBER)
#undef OPENXR_MEMBER
};

struct openxr_vector {
    double x;
    double y;
    double z;
};

/* The direction of an eye in the space of the frame's layer. */
struct openxr_look {
    bool known;
    struct openxr_vector to;
};

/* It stands in for an eye's gaze while the runtime does not tell it. */
struct openxr_held {
    bool any; /* the runtime has told it once */
    XrTime told_at;
    /* On a plane before the eye, in its own frame: the tangents to the right and upwards, each with
     * 0.5 more, so that straight ahead is where a picture's middle is. */
    struct fovea_point_uv last;
    struct fovea_gaze gaze; /* for this frame's layer, likewise */
};

/* The state of the runtime's gaze that the log was told last. */
enum openxr_told {
    OPENXR_TOLD_NOTHING,
    OPENXR_TOLD_NONE, /* there is none */
    OPENXR_TOLD_UNATTACHED, /* there is none, as the program attaches no actions */
    OPENXR_TOLD_BOTH, /* one of both eyes */
    OPENXR_TOLD_EACH, /* one of each eye, or at least of one */
    OPENXR_TOLD_CENTERS, /* where each eye looks in its view */
};

/* The foveation of one view of a frame. */
struct openxr_view {
    XrRect2Di rect;
    uint32_t layer;
    uint32_t index; /* of the projection layer's views */
    bool blended; /* the runtime blends it by its alpha, which its colours are multiplied with */
    struct fovea_geometry geometry;
    struct fovea_gaze gaze;
    struct fovea_vk_depth depth; /* without its values; no view: there is none */
    struct fovea_depth depth_values;
};

struct openxr_session;
struct provided_set; /* openxr_provide.h */

/* The interaction profile that a session with a provided gaze was told. */
enum openxr_profile {
    OPENXR_PROFILE_NONE,
    OPENXR_PROFILE_ATTACHED, /* an action of its sets is bound to the eyes */
    OPENXR_PROFILE_CHANGED, /* they were synchronized; the event is still to come */
    OPENXR_PROFILE_TOLD,
};

/* The layer's own, which stands for one of the program's. */
struct openxr_layer_swapchain {
    XrSwapchain handle; /* XR_NULL_HANDLE: not made yet */
    bool acquired; /* and not released: the runtime was too slow once */
    bool waited;
    bool failed; /* it could not be made, or the runtime names an image that it has not */
    uint32_t index; /* of the image that was acquired */
    uint32_t count;
    VkImage images[OPENXR_IMAGES];
    VkImageView views[OPENXR_IMAGES][OPENXR_ARRAY]; /* of words; none: they are copied */
};

/* Members from `layer_swapchain` on belong to a frame alone and are used under the session's
 * frame_lock, the others under its lock; foveation, which reads both, holds both. */
struct openxr_swapchain {
    struct openxr_swapchain *next; /* of the session's */
    struct openxr_session *session;
    XrSwapchain program;
    XrSwapchainCreateInfo info;
    bool can_foveate; /* its images can be foveated */
    bool depths; /* its images are depths; direct: which can be read */
    bool unread; /* the newest one was released before the settings came to need it */
    bool waited; /* the program has waited for the oldest image that it acquired */
    bool held; /* the release of that image is held back */
    bool owed; /* the runtime has refused it once, and the program was told that it is done */
    bool shown; /* the newest image of `layer_swapchain` is the program's newest one, foveated */
    bool unreleased; /* the runtime has refused it in this frame */
    bool elsewhere; /* this frame shows it in a layer that is no projection */
    uint32_t acquired_first;
    uint32_t acquired_count;
    uint32_t acquired[OPENXR_IMAGES];
    bool waits_early; /* the program has waited for an image before the former one's xrEndFrame */
    bool warned_going_on; /* of images that the program goes on from */
    bool warned_chain; /* of releases with a structure of an extension */
    uint32_t image_count; /* of the program's */
    VkImage program_images[OPENXR_IMAGES];
    struct openxr_layer_swapchain layer_swapchain;
    bool direct; /* both were made such that kernels may see them where they are */
    VkImageView program_views[OPENXR_IMAGES][OPENXR_ARRAY]; /* of words; none: they are copied */
    struct fovea_vk *fovea;
    bool contextless; /* it could not be made with those settings, */
    int64_t again_ns; /* and is tried again then, for there was no memory; 0: with other settings */
    uint32_t settings_serial; /* of the settings that it has */
    bool blended; /* those are for such views */
    bool depthless; /* and are without operators that need depths, as a view has none */
    uint32_t view_count; /* of this frame */
    struct openxr_view views[OPENXR_VIEWS];
    uint32_t made_count; /* of the newest image of `layer_swapchain` */
    struct openxr_view made[OPENXR_VIEWS];
};

/* The runtime's foveation, of which nothing but its centres is used. */
struct openxr_foveation {
    bool asked; /* for all of this */
    bool refused; /* the runtime tells no centres */
    bool told; /* it has told some: frames without are blinks */
    XrSwapchain swapchain; /* that the profile is for, shown nowhere; XR_NULL_HANDLE: none */
    XrFoveationProfileFB profile;
};

struct openxr_session {
    struct openxr_session *next;
    struct openxr_instance *instance;
    pthread_mutex_t frame_lock; /* one frame at a time: held over its wait and its xrEndFrame */
    /* It guards the swapchains and new settings; taken after frame_lock, not held in a wait. */
    pthread_mutex_t lock;
    /* Changed under both this lock and openxr.lock, read under one. */
    struct openxr_swapchain *swapchains;
    XrSession handle;
    bool foveates; /* false: it is not of Vulkan, and is here for the gaze that it is provided */
    XrGraphicsBindingVulkanKHR binding;
    VkQueue queue;
    bool has_settings; /* set once */
    bool direct; /* layer.direct, of those that it began with, and somebody sees images made */
    /* They belong to Fovea's layer for Vulkan, which sees images made; NULL: it is not there. */
    void(VKAPI_PTR *watch_images)(VkBool32 on);
    VkImageUsageFlags(VKAPI_PTR *view_usage)(VkDevice device, VkImage image, VkFormat format);
    /* Those that the runtime has made no images of for kernels, under lock; the rest is not asked
     * for again either. */
    int64_t copied_formats[OPENXR_COPIED];
    uint32_t copied_count;
    int64_t format; /* of the newest swapchain that may be foveated; under lock */
    XrViewConfigurationType views_type; /* that it was begun with; 0: not yet */
    XrExtent2Di eye_px; /* as the runtime recommends it; 0: it does not */
    struct fovea_config *config; /* this and what follows of it: under frame_lock */
    /* Those in force: changed under both locks, read under one. */
    struct fovea_settings *settings;
    uint32_t settings_serial; /* grows with each change of the files; likewise */
    /* Guards gaze_switch where other threads read its source, as programs that are provided a gaze
     * do; taken last. Frames may look at gaze_switch without it. */
    pthread_mutex_t gaze_lock;
    struct gaze_switch gaze_switch; /* without a source the gaze is the runtime's */
    struct fovea_gaze source_gaze; /* of this frame's layer */
    double vergence_m; /* where both eyes' lines of sight cross in it; 0: not known */
    struct gaze_vergence vergence; /* of the runtime's gazes */
    XrSpace view_space; /* of a session that is provided a gaze; openxr.lock guards this and */
    const struct provided_set *eyes_sets[OPENXR_EYES_SETS]; /* those active with the eyes, */
    uint32_t eyes_set_count;
    enum openxr_profile profile; /* and this */
    bool attached; /* action sets; openxr.lock guards it and the next two */
    XrSpace gaze; /* XR_NULL_HANDLE: there is none */
    XrSpace program_gaze; /* of the program's own action for the eyes; likewise */
    bool eyes_asked; /* the runtime was asked for the tracker */
    xr_eye_tracker eyes; /* XR_NULL_HANDLE: the runtime tells no gaze of each eye */
    struct openxr_foveation foveation;
    struct openxr_look looks[XR_EYES]; /* the runtime's gaze for this frame's layer */
    bool sees_both; /* each eye's gaze is its own */
    struct openxr_held held[XR_EYES];
    enum openxr_told found_gaze; /* this frame's best, of its layers */
    enum openxr_told told_gaze;
    uint32_t told_before; /* which of them were ever told, by bits */
    enum openxr_told next_gaze; /* what may be told next, and since when it has been so */
    int64_t next_gaze_ns;
    bool is_vulkan_1_0; /* or not known to be 1.1: nothing is foveated */
    bool warned_layers; /* of a frame with more layers than there is room for */
    bool warned_lens; /* of the operator that is left out */
    bool warned_frustum; /* of a view whose frustum is none */
    bool warned_views; /* of views that overlap, or are too many */
    bool warned_backend; /* of the one that is left out */
    bool told_backend; /* that contexts have; under lock */
    bool warned_secondary; /* of layers of a secondary view configuration */
    bool warned_made; /* of images that were not made as they were asked for; under lock */
    bool warned_release; /* of one that the runtime refuses at the end of a frame */
    uint32_t warned_depths; /* of what is wrong with depths, by bits */
    XrTime depth_time; /* of display, of the newest frame that may have had depths; 0: none yet */
    double elapsed_s; /* since the one before it */
    struct openxr_swapchain *leader; /* of the view whose gaze moves this frame's focus */
    bool focus_tried; /* to make it: */
    VkBuffer focus; /* both eyes', what it is; none: each swapchain has its own */
    VkDeviceMemory focus_memory;
    const XrCompositionLayerBaseHeader *layers[OPENXR_LAYERS];
    XrCompositionLayerProjection projections[OPENXR_PROJECTIONS];
    XrCompositionLayerProjectionView views[OPENXR_PROJECTIONS][FOVEA_VK_MAX_VIEWS];
};

/* These tell a gaze. */
enum openxr_extension {
    OPENXR_GAZE = 1, /* of both eyes */
    OPENXR_EYES = 2, /* of each */
    OPENXR_FOVEATION = 4, /* where each looks in its view */
    OPENXR_FOVEATION_FB = 8, /* what that needs: profiles, */
    OPENXR_FOVEATION_LEVELS = 16, /* their levels, */
    OPENXR_FOVEATION_VULKAN = 32, /* images that they are for, */
    OPENXR_SWAPCHAIN_STATE = 64, /* and the swapchain that has them */
    OPENXR_DEPTHS = 128, /* no gaze: the program may give depths */
    OPENXR_TIMESPEC = 256, /* nor this: times of the runtime's clock */
};

struct timespec;
typedef XrResult(XRAPI_PTR *openxr_to_xr_time)(XrInstance instance, const struct timespec *time,
                                               XrTime *out_time);

struct openxr_instance {
    XrInstance handle; /* XR_NULL_HANDLE: there is none */
    uint32_t extensions; /* of enum openxr_extension, by bits */
    xr_create_eye_tracker create_eye_tracker; /* NULL: there is none */
    xr_destroy_eye_tracker destroy_eye_tracker;
    xr_get_eye_gazes get_eye_gazes;
    xr_get_foveation_state get_foveation_state; /* NULL: there is none */
    PFN_xrCreateFoveationProfileFB create_profile; /* this and the next two: NULL: likewise */
    PFN_xrDestroyFoveationProfileFB destroy_profile;
    PFN_xrUpdateSwapchainFB update_swapchain;
    XrActionSet gaze_set;
    XrAction gaze_action;
    XrAction program_gaze; /* the program's own action for the eyes; XR_NULL_HANDLE: it has none */
    bool warned_actions; /* of those of the layer's that the runtime refuses; lock guards it */
    XrPath gaze_profile;
    XrPath gaze_path;
    bool provides; /* the layer has the extension for the eyes, not the runtime; and then: */
    bool offers; /* a source is named, and the settings want it told */
    bool forgetful; /* there was no memory for an action or a set; openxr.lock guards it */
    XrPath eyes_path;
    openxr_to_xr_time to_xr_time; /* NULL: nobody tells when samples were on the runtime's clock */
};

struct openxr {
    /* It guards the lists of instances, sessions and swapchains, and program_gaze. It is taken last
     * and held shortly. */
    pthread_mutex_t lock;
    /* A program has one, and a layer above may make others for itself. All come by one loader: what
     * lies below is the same for all of them. */
    struct openxr_instance instances[OPENXR_INSTANCES];
    struct openxr_below below;
    VkInstance raised[OPENXR_RAISED]; /* the newest ones that were made for Vulkan 1.1 or later */
    uint32_t raised_count;
    struct openxr_session *sessions;
};

extern struct openxr openxr;

/* ---- openxr_entry.c ---- */
struct fovea_log openxr_log(void);
void openxr_say(enum fovea_log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* NULL: it is none of the layer's. A program destroys none that a call of its own still uses. */
struct openxr_instance *openxr_instance_of(XrInstance handle);
/* NULL: what lies below has no such function for that instance. */
PFN_xrVoidFunction openxr_find(XrInstance instance, const char *name);

/* ---- openxr_extensions.c ---- */
/* The program has asked for XR_EXT_eye_gaze_interaction. */
bool openxr_extensions_ask_gaze(const XrInstanceCreateInfo *info);
/* Makes the instance below with extensions of the layer's own beside the program's, and says which
 * of enum openxr_extension it has. The extension for the eyes that the program has asked for is
 * withheld from a runtime that lacks it, and from any if `always`; out_withheld says so. */
XrResult openxr_extensions_create(const XrInstanceCreateInfo *info,
                                  const struct xr_layer_create_info *layer, bool always,
                                  XrInstance *out, uint32_t *out_extensions, bool *out_withheld);

/* ---- openxr_actions.c ---- */
void openxr_actions_start(struct openxr_instance *instance);
/* After the last instance. */
void openxr_actions_stop(void);
/* The spaces of the layer's own action for the eyes and of the program's. XR_NULL_HANDLE: there is
 * none. */
XrSpace openxr_actions_gaze(const struct openxr_session *session);
XrSpace openxr_actions_program_gaze(const struct openxr_session *session);
/* The program has attached action sets to the session. */
bool openxr_actions_attached(const struct openxr_session *session);
XrResult openxr_suggest(XrInstance handle, const XrInteractionProfileSuggestedBinding *info);
XrResult openxr_create_action(XrActionSet set, const XrActionCreateInfo *info, XrAction *out);
XrResult openxr_destroy_action(XrAction action);
XrResult openxr_destroy_action_set(XrActionSet set);
XrResult openxr_attach(XrSession handle, const XrSessionActionSetsAttachInfo *info);
XrResult openxr_sync(XrSession handle, const XrActionsSyncInfo *info);

/* ---- openxr_gaze.c ---- */
/* The unit vector along which that orientation looks. False: it is none, as after NaN. */
bool openxr_direction(const XrQuaternionf *orientation, struct openxr_vector *out);
/* Likewise, where a direction in its frame is. */
bool openxr_turned(const XrQuaternionf *orientation, struct openxr_vector to,
                   struct openxr_vector *out);
/* False: pictures are the same wherever the eyes look, and no record says where. */
bool openxr_gaze_needed(const struct fovea_settings *settings);
/* Reads where the eyes look, before the first view of that layer that is foveated; the session has
 * settings. Nothing is read, and no eye is tracked, where the settings make nothing of it. */
void openxr_gaze_read(struct openxr_session *session, const XrCompositionLayerProjection *layer,
                      XrTime time);
/* Comes after all layers of a frame: says where the gaze comes from, if that is another than
 * before. */
void openxr_gaze_tell(struct openxr_session *session);
/* The direction of both eyes by a source with those settings, at one place far away. Its numbers
 * count over a picture in the middle between those two views, with the mean of their frusta; or, in
 * degrees, over a screen of gaze.screen_deg whose middle is straight ahead. */
struct openxr_vector openxr_gaze_between(const XrQuaternionf *left_eye, const XrFovf *left_fov,
                                         const XrQuaternionf *right_eye, const XrFovf *right_fov,
                                         const struct fovea_gaze_settings *settings,
                                         struct fovea_point_uv point);
/* Fills gaze and geometry of a view, the layer's one at view->index. False: its frustum is none
 * that the settings take. */
bool openxr_gaze_view(const struct openxr_session *session,
                      const XrCompositionLayerProjection *layer, struct openxr_view *view);

/* ---- openxr_eyes.c ---- */
void openxr_eyes_start(struct openxr_instance *instance);
/* Fills XR_EYES of them; true: one at least is known. The first call has the eyes tracked. */
bool openxr_eyes_read(struct openxr_session *session, XrSpace space, XrTime time,
                      struct openxr_look *out_eyes);
/* The same by the centres of the runtime's foveation; out_blink: they were told before, and are not
 * now. */
bool openxr_foveation_read(struct openxr_session *session, XrSpace space, XrTime time,
                           struct openxr_look *out_eyes, bool *out_blink);
void openxr_foveation_start(struct openxr_instance *instance);
void openxr_foveation_end(struct openxr_session *session);
/* Has them tracked no longer, until they are read again. */
void openxr_eyes_end(struct openxr_session *session);
/* Only the tracker, where their centres are told. */
void openxr_tracker_end(struct openxr_session *session);

/* ---- openxr_source.c ---- */
/* standard: settings that leave the gaze to the runtime. */
void openxr_source_begin(struct openxr_session *session,
                         const struct fovea_gaze_settings *standard);
/* Opens what the settings name, unless it is open. */
void openxr_source_take(struct openxr_session *session);
/* Takes what has been opened since. */
void openxr_source_poll(struct openxr_session *session);
/* Reads the source's gaze over a view of that size into source_gaze. */
void openxr_source_read(struct openxr_session *session, const XrExtent2Di *size);
/* The swapchain's next frame, to a source that looks at pictures. */
void openxr_source_show(const struct openxr_swapchain *swapchain);
/* The source's gaze is over the picture that it was shown: the first view's. */
bool openxr_source_saw(const struct openxr_session *session);

/* ---- openxr_provide.c: programs of a runtime without a gaze get the source's ---- */
/* Reads the setting, and says whether the settings name a source that the gaze can come from. */
enum fovea_provide_gaze openxr_provide_wanted(bool *out_source);
/* Comes before openxr_actions_start; withheld: the runtime knows nothing of the extension. */
void openxr_provide_start(struct openxr_instance *instance, bool withheld,
                          enum fovea_provide_gaze wanted, bool source);
void openxr_provide_end(const struct openxr_instance *instance);
/* NULL: it is no function that such an instance has an own one of. */
PFN_xrVoidFunction openxr_provide_function(const char *wanted);

/* ---- openxr_provide_actions.c: of instances that are provided for ---- */
XrResult openxr_provide_suggest(struct openxr_instance *instance,
                                const XrInteractionProfileSuggestedBinding *info);
/* These take actions that it knows, or such sets; other calls go to the runtime as they are. */
bool openxr_provide_has_set(XrActionSet handle);
XrResult openxr_provide_create_action(XrActionSet handle, const XrActionCreateInfo *info,
                                      XrAction *out);
/* Forgets what was destroyed; XR_NULL_HANDLE: nothing. */
void openxr_provide_forget(XrAction action, XrActionSet set);
void openxr_provide_attached(struct openxr_session *session,
                             const XrSessionActionSetsAttachInfo *info);
XrResult openxr_provide_sync(struct openxr_session *session, const XrActionsSyncInfo *info);

/* ---- openxr_session.c ---- */
/* The defaults of this layer's sessions. NULL: there is no memory. */
struct fovea_settings *openxr_session_defaults(void);
/* NULL for those that are not foveated, too. */
struct openxr_session *openxr_session_foveated(XrSession handle);
/* A program destroys nothing that a call of its own still uses: what is found stays. */
struct openxr_session *openxr_session_of(XrSession handle);
XrResult openxr_create_session(XrInstance handle, const XrSessionCreateInfo *info, XrSession *out);
XrResult openxr_begin_session(XrSession handle, const XrSessionBeginInfo *info);
XrResult openxr_destroy_session(XrSession handle);
/* Takes what has changed in the files, for the frames from this one on; with frame_lock held. */
void openxr_session_poll(struct openxr_session *session);
/* Those of an instance that goes. */
void openxr_sessions_gone(const struct openxr_instance *instance);
/* Forgets which instances of Vulkan were made for 1.1: after the last one of OpenXR. */
void openxr_versions_gone(void);
XrResult openxr_requirements(XrInstance instance, XrSystemId system,
                             XrGraphicsRequirementsVulkanKHR *requirements);
XrResult openxr_requirements2(XrInstance instance, XrSystemId system,
                              XrGraphicsRequirementsVulkanKHR *requirements);
XrResult openxr_create_vulkan(XrInstance instance, const XrVulkanInstanceCreateInfoKHR *info,
                              VkInstance *vulkan, VkResult *out_result);

/* ---- openxr_swapchain.c ---- */
/* The session's lock is held. */
struct openxr_swapchain *openxr_swapchain_of(const struct openxr_session *session,
                                             XrSwapchain handle);
void openxr_swapchains_gone(struct openxr_session *session);
/* Returns it with its session locked; NULL: it is not of ours, and nothing is locked. */
struct openxr_swapchain *openxr_swapchain_lock(XrSwapchain handle);
void openxr_swapchain_unlock(const struct openxr_swapchain *swapchain);
/* Waits for an image of its own; the session's lock is not held. */
void openxr_swapchain_wait(struct openxr_swapchain *swapchain);
/* Its views are shown as drawn from now on, and the log says why. */
void openxr_swapchain_give_up(struct openxr_swapchain *swapchain, const char *why);
/* Foveates the held image into that one for swapchain->views; swapchain->shown says whether. */
void openxr_swapchain_foveate(struct openxr_swapchain *swapchain);
XrResult openxr_create_swapchain(XrSession handle, const XrSwapchainCreateInfo *info,
                                 XrSwapchain *out);
XrResult openxr_destroy_swapchain(XrSwapchain handle);

/* Says whose view that is. */
static inline enum fovea_map_eye openxr_eye(uint32_t index)
{
    return index % 2 == 0 ? FOVEA_MAP_EYE_LEFT : FOVEA_MAP_EYE_RIGHT;
}
/* Describes what the frames of a swapchain's context read or write. */
struct fovea_vk_frame_target openxr_target(const struct openxr_swapchain *swapchain, VkImage image);

/* Says whether that rectangle and layer are inside its images. */
bool openxr_swapchain_has(const struct openxr_swapchain *swapchain,
                          const XrSwapchainSubImage *image);

/* ---- openxr_depth.c: depths of a program's, for operators that need them ---- */
bool openxr_depth_needed(const struct fovea_settings *settings);
/* Leaves out the operators that need them; where nothing else is left pictures stay as drawn. */
FOVEA_MUST_CHECK enum fovea_result openxr_depth_leave_out(struct fovea_settings *settings);
/* False: images of such a swapchain need not, or cannot, be read, and the log says why. */
bool openxr_depth_can_read(struct openxr_session *session, const XrSwapchainCreateInfo *info);
/* Makes views of a new swapchain's images; it is direct then. */
void openxr_depth_open(struct openxr_swapchain *swapchain);
/* Waits for the frames that may read them, before images of depths go. Takes both locks. */
void openxr_depth_wait(struct openxr_session *session);
/* The release of its images is to be held back; its session is locked. */
bool openxr_depth_holds(const struct openxr_swapchain *swapchain);
/* NULL: the view has none. */
const XrCompositionLayerDepthInfoKHR *openxr_depth_info(
    const XrCompositionLayerProjectionView *view);
/* Comes before the views of a frame. */
void openxr_depth_begin(struct openxr_session *session, XrTime time);
/* All views of the layer have depths that can be read; else the log says once what is wrong. */
bool openxr_depth_all(struct openxr_session *session, const XrCompositionLayerProjection *layer);
/* Those of one of its views, whose colours that swapchain has. The first one's gaze moves the focus
 * of all views of the frame. */
void openxr_depth_take(struct openxr_session *session, struct openxr_swapchain *colours,
                       const XrCompositionLayerProjectionView *seen, struct openxr_view *view);
/* For a frame that is prepared: of a view as large as the images, and with those values. */
struct fovea_vk_depth openxr_depth_any(const XrSwapchainCreateInfo *colours,
                                       const struct fovea_depth *values);
/* No frame that uses the focus is on the GPU any more. */
void openxr_depth_end(struct openxr_session *session);

/* ---- openxr_context.c ---- */
/* Makes swapchain->fovea with these settings, which it copies. Negative: it cannot be made, and the
 * log says why. It takes the session's lock for a moment. */
enum fovea_result openxr_context_make(struct openxr_swapchain *swapchain,
                                      const struct fovea_settings *settings);
/* Makes that of a new swapchain that may be an eye's, and compiles its kernels; what fails, the
 * first frame tries again.
 * Takes the session's lock for a moment, and no queue. */
void openxr_context_prepare(struct openxr_swapchain *swapchain);

/* ---- openxr_images.c ---- */
static inline bool openxr_waited(XrResult result)
{
    return XR_SUCCEEDED(result) && result != XR_TIMEOUT_EXPIRED;
}

/* Tells the runtime of the release that is held back, if one is. The session's lock is held. An
 * error: it is held back for another time, which is the last one. */
XrResult openxr_swapchain_let_go(struct openxr_swapchain *swapchain);
XrResult openxr_acquire(XrSwapchain handle, const XrSwapchainImageAcquireInfo *info,
                        uint32_t *index);
XrResult openxr_wait(XrSwapchain handle, const XrSwapchainImageWaitInfo *info);
XrResult openxr_release(XrSwapchain handle, const XrSwapchainImageReleaseInfo *info);

/* ---- openxr_direct.c: kernels see images where they are ---- */
/* vkGetInstanceProcAddr of the loader that the program has; NULL: there is none. */
PFN_vkGetInstanceProcAddr openxr_instance_get(void);
PFN_vkVoidFunction openxr_of_device(const XrGraphicsBindingVulkanKHR *binding, const char *name);
/* Finds out whether the session's images may be seen where they are at all, and says why not. */
void openxr_direct_begin(struct openxr_session *session);
/* The program's swapchain, with images that kernels may see. An error: none was made. */
XrResult openxr_direct_create(struct openxr_session *session, const XrSwapchainCreateInfo *info,
                              XrSwapchain *out);
/* The runtime's, while Fovea's layer for Vulkan, if it is there, watches how images are made. */
XrResult openxr_direct_create_watched(const struct openxr_session *session,
                                      const XrSwapchainCreateInfo *info, XrSwapchain *out);
/* The layer's own, for kernels if the program's is; else the swapchain is not direct. */
XrResult openxr_direct_create_own(struct openxr_swapchain *swapchain);
/* Both make views of a swapchain that is direct, of the program's images and of the layer's own;
 * without them, or where the images were made otherwise, it is not. */
void openxr_direct_open(struct openxr_swapchain *swapchain);
void openxr_direct_open_own(struct openxr_swapchain *swapchain);
/* False: not all of them could be made. Those that were, openxr_direct_close destroys. */
bool openxr_direct_make_views(const struct openxr_swapchain *swapchain, const VkImage *images,
                              uint32_t count, VkImageUsageFlags usage,
                              VkImageView views[][OPENXR_ARRAY]);
void openxr_direct_close(struct openxr_swapchain *swapchain);

/* ---- openxr_frame.c ---- */
XrResult openxr_end_frame(XrSession handle, const XrFrameEndInfo *info);
