/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void must(long result, const char *call)
{
    if (result < 0) {
        fprintf(stderr, "openxr_program: %s: %ld\n", call, result);
        exit(1);
    }
}

PFN_xrVoidFunction function_of(XrInstance instance, const char *name)
{
    PFN_xrVoidFunction function = NULL;
    MUST(xrGetInstanceProcAddr(instance, name, &function));
    return function;
}

bool program_is(const struct program *program, const char *kind)
{
    return strcmp(program->kind, kind) == 0;
}

static bool looks(const struct program *program)
{
    return program_is(program, "looks") || program_is(program, "glances");
}

static void make_and_drop_a_set(const struct program *program)
{
    const XrActionSetCreateInfo info = {.type = XR_TYPE_ACTION_SET_CREATE_INFO,
                                        .actionSetName = "short-lived",
                                        .localizedActionSetName = "Short-lived"};
    XrActionSet set = XR_NULL_HANDLE;
    MUST(xrCreateActionSet(program->instance, &info, &set));
    MUST(xrDestroyActionSet(set));
}

/* An action of the program's own for the gaze. */
static void look(struct program *program)
{
    const XrActionCreateInfo info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                                     .actionName = "look",
                                     .actionType = XR_ACTION_TYPE_POSE_INPUT,
                                     .localizedActionName = "Look"};
    XrActionSuggestedBinding binding = {XR_NULL_HANDLE, XR_NULL_PATH};
    XrInteractionProfileSuggestedBinding bindings = {
        .type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING,
        .countSuggestedBindings = 1,
        .suggestedBindings = &binding};
    MUST(xrCreateAction(program->set, &info, &binding.action));
    MUST(xrStringToPath(program->instance, "/user/eyes_ext/input/gaze_ext/pose", &binding.binding));
    MUST(xrStringToPath(program->instance, "/interaction_profiles/ext/eye_gaze_interaction",
                        &bindings.interactionProfile));
    MUST(xrSuggestInteractionProfileBindings(program->instance, &bindings));
    program->look = binding.action;
    make_and_drop_a_set(program);
}

/* Says where the eyes are while a frame is on its way; a thread may ask while another one ends it.
 */
void program_look(const struct program_session *session, XrTime time)
{
    XrEyeGazeSampleTimeEXT sample = {.type = XR_TYPE_EYE_GAZE_SAMPLE_TIME_EXT};
    XrSpaceLocation place = {.type = XR_TYPE_SPACE_LOCATION, .next = &sample};
    if (session->eyes) {
        MUST(xrLocateSpace(session->eyes, session->space, time, &place));
        printf("the gaze: %d\n", (int)place.locationFlags);
    }
}

static void make_actions(struct program *program)
{
    const XrActionSetCreateInfo set = {.type = XR_TYPE_ACTION_SET_CREATE_INFO,
                                       .actionSetName = "program",
                                       .localizedActionSetName = "Program",
                                       .priority = looks(program) ? 7 : 0};
    const XrActionCreateInfo info = {.type = XR_TYPE_ACTION_CREATE_INFO,
                                     .actionName = "press",
                                     .actionType = XR_ACTION_TYPE_BOOLEAN_INPUT,
                                     .localizedActionName = "Press"};
    XrAction action = XR_NULL_HANDLE;
    MUST(xrCreateActionSet(program->instance, &set, &program->set));
    MUST(xrCreateAction(program->set, &info, &action));
    if (looks(program)) {
        look(program);
    }
}

void program_start(struct program *program)
{
    program->gpu.least = program_is(program, "modest");
    program->gpu.old =
        program->gpu.least || program_is(program, "old") || program_is(program, "oldest");
    program->gpu.version = program_is(program, "old") ? VK_API_VERSION_1_1 : VK_API_VERSION_1_0;
    const char *extensions[2] = {program->gpu.old ? XR_KHR_VULKAN_ENABLE_EXTENSION_NAME
                                                  : XR_KHR_VULKAN_ENABLE2_EXTENSION_NAME,
                                 looks(program) ? XR_EXT_EYE_GAZE_INTERACTION_EXTENSION_NAME
                                 : program_is(program, "quad")
                                     ? XR_VARJO_QUAD_VIEWS_EXTENSION_NAME
                                     : XR_KHR_COMPOSITION_LAYER_DEPTH_EXTENSION_NAME};
    const XrInstanceCreateInfo info = {
        .type = XR_TYPE_INSTANCE_CREATE_INFO,
        .applicationInfo = {.applicationName = "program", .apiVersion = XR_CURRENT_API_VERSION},
        .enabledApiLayerCount = program->layer ? 1 : 0,
        .enabledApiLayerNames = &program->layer,
        .enabledExtensionCount = 2,
        .enabledExtensionNames = extensions};
    const XrSystemGetInfo system = {.type = XR_TYPE_SYSTEM_GET_INFO,
                                    .formFactor = XR_FORM_FACTOR_HEAD_MOUNTED_DISPLAY};
    MUST(xrCreateInstance(&info, &program->instance));
    MUST(xrGetSystem(program->instance, &system, &program->system));
    make_actions(program);
    gpu_make(program->instance, program->system, &program->gpu);
}

static void make_chain(const struct program_session *session, int64_t format,
                       XrSwapchainUsageFlags usage, uint32_t width_px, uint32_t height_px,
                       uint32_t layers, struct program_chain *chain)
{
    const XrSwapchainCreateInfo info = {.type = XR_TYPE_SWAPCHAIN_CREATE_INFO,
                                        .createFlags = program_is(session->program, "static")
                                                           ? XR_SWAPCHAIN_CREATE_STATIC_IMAGE_BIT
                                                           : 0,
                                        .usageFlags = usage,
                                        .format = format,
                                        .sampleCount = 1,
                                        .width = width_px,
                                        .height = height_px,
                                        .faceCount = 1,
                                        .arraySize = layers,
                                        .mipCount = program_is(session->program, "mips") ? 2 : 1};
    XrSwapchainImageVulkanKHR images[PROGRAM_IMAGES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < PROGRAM_IMAGES; i++) {
        images[i] = (XrSwapchainImageVulkanKHR){.type = XR_TYPE_SWAPCHAIN_IMAGE_VULKAN_KHR};
    }
    MUST(xrCreateSwapchain(session->handle, &info, &chain->handle));
    MUST(xrEnumerateSwapchainImages(chain->handle, PROGRAM_IMAGES, &count,
                                    (XrSwapchainImageBaseHeader *)images));
    for (uint32_t i = 0; i < count; i++) {
        chain->images[i] = images[i].image;
    }
}

static XrFovf part_of(XrFovf fov, float part)
{
    return (XrFovf){fov.angleLeft * part, fov.angleRight * part, fov.angleUp * part,
                    fov.angleDown * part};
}

static void make_chains(struct program_session *session)
{
    const struct program *program = session->program;
    const bool array = program_is(program, "array");
    const bool inset = program_is(program, "inset");
    const bool atlas = program_is(program, "atlas") || inset;
    const bool lapped = program_is(program, "lapped");
    const char *format = getenv("FOVEA_TEST_XR_FORMAT");
    XrViewConfigurationView sizes[PROGRAM_VIEWS];
    for (uint32_t i = 0; i < PROGRAM_VIEWS; i++) {
        sizes[i] = (XrViewConfigurationView){.type = XR_TYPE_VIEW_CONFIGURATION_VIEW};
    }
    MUST(xrEnumerateViewConfigurationViews(program->instance, program->system, session->type,
                                           PROGRAM_VIEWS, &session->view_count, sizes));
    session->format = program_is(program, "foreign") ? VK_FORMAT_R16G16B16A16_UNORM
                      : format                       ? strtol(format, NULL, 10)
                                                     : VK_FORMAT_R8G8B8A8_SRGB;
    session->texel_bytes = session->format == VK_FORMAT_R16G16B16A16_UNORM ||
                                   session->format == VK_FORMAT_R16G16B16A16_SFLOAT
                               ? 8
                               : 4;
    session->frusta_part = 1;
    session->whole = (XrExtent2Di){(int32_t)sizes[0].recommendedImageRectWidth,
                                   (int32_t)sizes[0].recommendedImageRectHeight};
    session->chain_count = array || atlas || lapped ? 1 : session->view_count;
    for (uint32_t i = 0; i < session->view_count; i++) {
        const uint32_t width_px = sizes[i].recommendedImageRectWidth;
        const uint32_t height_px = sizes[i].recommendedImageRectHeight;
        const uint32_t of = session->chain_count == 1 ? 0 : i;
        const uint32_t beside_px = inset ? 9 : 0;
        const uint32_t above_px = inset ? 7 : 0;
        const uint32_t apart_px = atlas ? width_px + beside_px : lapped ? width_px / 2 : 0;
        const XrRect2Di rect = {{(int32_t)(beside_px + i * apart_px), (int32_t)above_px},
                                {(int32_t)width_px, (int32_t)height_px}};
        const uint32_t whole_px = (atlas || lapped ? 2 * width_px : width_px) + 3 * beside_px;
        const uint32_t layers = array ? 2 : 1;
        if (i < session->chain_count) {
            make_chain(
                session, session->format,
                XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT |
                    (program_is(program, "uploaded") ? 0 : XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT),
                whole_px, height_px + 2 * above_px, layers, &session->chains[i]);
        }
        session->places[i] = (XrSwapchainSubImage){session->chains[of].handle, rect, array ? i : 0};
        if (program_has_depths(program)) {
            if (i < session->chain_count) {
                make_chain(session, program_depth_format(),
                           XR_SWAPCHAIN_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                               XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT,
                           whole_px, height_px + 2 * above_px, layers, &session->depths[i]);
            }
            session->depth_places[i] = session->places[i];
            session->depth_places[i].swapchain = session->depths[of].handle;
        }
    }
}

void program_begin(struct program *program, struct program_session *session)
{
    const struct gpu *gpu = &program->gpu;
    session->program = program;
    session->type = program_is(program, "quad") ? XR_VIEW_CONFIGURATION_TYPE_PRIMARY_QUAD_VARJO
                                                : XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO;
    const XrGraphicsBindingVulkanKHR binding = {.type = XR_TYPE_GRAPHICS_BINDING_VULKAN_KHR,
                                                .instance = gpu->instance,
                                                .physicalDevice = gpu->physical_device,
                                                .device = gpu->device};
    const XrSessionCreateInfo info = {
        .type = XR_TYPE_SESSION_CREATE_INFO, .next = &binding, .systemId = program->system};
    const XrReferenceSpaceCreateInfo space = {
        .type = XR_TYPE_REFERENCE_SPACE_CREATE_INFO,
        .referenceSpaceType = XR_REFERENCE_SPACE_TYPE_LOCAL,
        .poseInReferenceSpace = {.orientation = program_is(program, "rotated")
                                                    ? (XrQuaternionf){0.36f, -0.48f, 0, 0.8f}
                                                    : (XrQuaternionf){0, 0, 0, 1}}};
    const XrSessionActionSetsAttachInfo attach = {.type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO,
                                                  .countActionSets = 1,
                                                  .actionSets = &program->set};
    MUST(xrCreateSession(program->instance, &info, &session->handle));
    MUST(xrCreateReferenceSpace(session->handle, &space, &session->space));
    if (!program_is(program, "silent")) {
        MUST(xrAttachSessionActionSets(session->handle, &attach));
    }
    if (program->look) {
        const XrActionSpaceCreateInfo eyes = {.type = XR_TYPE_ACTION_SPACE_CREATE_INFO,
                                              .action = program->look,
                                              .poseInActionSpace = {.orientation = {0, 0, 0, 1}}};
        MUST(xrCreateActionSpace(session->handle, &eyes, &session->eyes));
    }
    make_chains(session);
    XrEventDataBuffer event = {.type = XR_TYPE_EVENT_DATA_BUFFER};
    while (xrPollEvent(program->instance, &event) == XR_SUCCESS) {
        event = (XrEventDataBuffer){.type = XR_TYPE_EVENT_DATA_BUFFER};
    }
    const XrSessionBeginInfo run = {.type = XR_TYPE_SESSION_BEGIN_INFO,
                                    .primaryViewConfigurationType = session->type};
    MUST(xrBeginSession(session->handle, &run));
}

XrTime program_wait_frame(const struct program_session *session)
{
    const XrActiveActionSet active = {.actionSet = session->program->set};
    const bool idle = program_is(session->program, "idle");
    const XrActionsSyncInfo sync = {.type = XR_TYPE_ACTIONS_SYNC_INFO,
                                    .countActiveActionSets = idle ? 0 : 1,
                                    .activeActionSets = idle ? NULL : &active};
    XrFrameState state = {.type = XR_TYPE_FRAME_STATE};
    if (!program_is(session->program, "silent")) {
        MUST(xrSyncActions(session->handle, &sync));
    }
    MUST(xrWaitFrame(session->handle, NULL, &state));
    program_look(session, state.predictedDisplayTime);
    return state.predictedDisplayTime;
}

XrTime program_begin_frame(const struct program_session *session)
{
    const XrTime time = program_wait_frame(session);
    MUST(xrBeginFrame(session->handle, NULL));
    return time;
}

/* Colours are multiplied with their alpha where that is blended by. Halves are 0.5 to 1. */
static void put(const struct program_session *session, uint32_t colour, uint8_t *texel)
{
    uint8_t bytes[4] = {(uint8_t)colour, (uint8_t)(colour >> 8), (uint8_t)(colour >> 16), 255};
    if (session->program->blended || program_is(session->program, "double")) {
        bytes[3] = (uint8_t)(colour >> 24);
        for (int i = 0; i < 3; i++) {
            bytes[i] = (uint8_t)(bytes[i] * bytes[3] / 255);
        }
    }
    memset(texel, 255, session->texel_bytes);
    memcpy(texel, bytes, 4);
    for (int i = 0; i < 4 && session->format == VK_FORMAT_R16G16B16A16_SFLOAT; i++) {
        const uint16_t half = (uint16_t)(i < 3 ? 0x3800 + 4 * bytes[i] : 0x3c00);
        memcpy(texel + 2 * (size_t)i, &half, sizeof half);
    }
}

void program_paint(const struct program_session *session, uint32_t frame, uint32_t view)
{
    const XrExtent2Di size = session->places[view].imageRect.extent;
    uint8_t *texel = session->program->gpu.texels;
    for (int32_t y = 0; y < size.height; y++) {
        for (int32_t x = 0; x < size.width; x++, texel += session->texel_bytes) {
            const uint32_t block = ((uint32_t)x / 8 + 1) * 73856093u ^
                                   ((uint32_t)y / 8 + 1) * 19349663u ^
                                   (frame * PROGRAM_VIEWS + view + 1) * 83492791u;
            put(session, (block ^ block >> 13) * 2654435761u, texel);
        }
    }
}

void program_acquire(struct program_chain *chain)
{
    if (!chain->acquired) {
        MUST(xrAcquireSwapchainImage(chain->handle, NULL, &chain->image));
    }
    chain->acquired = true;
}

void program_wait(struct program_chain *chain)
{
    const XrSwapchainImageWaitInfo wait = {.type = XR_TYPE_SWAPCHAIN_IMAGE_WAIT_INFO,
                                           .timeout = XR_INFINITE_DURATION};
    program_acquire(chain);
    if (!chain->waited) {
        MUST(xrWaitSwapchainImage(chain->handle, &wait));
    }
    chain->waited = true;
}

uint32_t program_next_image(XrSwapchain handle)
{
    struct program_chain chain = {.handle = handle};
    program_wait(&chain);
    return chain.image;
}

void program_end_frame(const struct program_session *session, XrTime time)
{
    XrViewState state = {.type = XR_TYPE_VIEW_STATE};
    const XrViewLocateInfo locate = {.type = XR_TYPE_VIEW_LOCATE_INFO,
                                     .viewConfigurationType = session->type,
                                     .displayTime = time,
                                     .space = session->space};
    XrView seen[PROGRAM_VIEWS];
    XrCompositionLayerProjectionView views[PROGRAM_VIEWS];
    XrCompositionLayerDepthInfoKHR depths[PROGRAM_VIEWS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < PROGRAM_VIEWS; i++) {
        seen[i] = (XrView){.type = XR_TYPE_VIEW};
    }
    MUST(xrLocateViews(session->handle, &locate, &state, session->view_count, &count, seen));
    for (uint32_t i = 0; i < count; i++) {
        const bool depth = program_say_depths(session, i, &depths[i]);
        views[i] =
            (XrCompositionLayerProjectionView){.type = XR_TYPE_COMPOSITION_LAYER_PROJECTION_VIEW,
                                               .next = depth ? &depths[i] : NULL,
                                               .pose = seen[i].pose,
                                               .fov = part_of(seen[i].fov, session->frusta_part),
                                               .subImage = session->places[i]};
    }
    const XrCompositionLayerProjection layer = {
        .type = XR_TYPE_COMPOSITION_LAYER_PROJECTION,
        .layerFlags =
            session->program->blended ? XR_COMPOSITION_LAYER_BLEND_TEXTURE_SOURCE_ALPHA_BIT : 0,
        .space = session->space,
        .viewCount = count,
        .views = views};
    const XrCompositionLayerQuad panel = {.type = XR_TYPE_COMPOSITION_LAYER_QUAD,
                                          .space = session->space,
                                          .eyeVisibility = XR_EYE_VISIBILITY_BOTH,
                                          .subImage = session->places[0],
                                          .pose = {.orientation = {0, 0, 0, 1}},
                                          .size = {1, 1}};
    const bool many = program_is(session->program, "many");
    const bool twice = many || program_is(session->program, "double");
    XrCompositionLayerProjection again = layer;
    again.layerFlags = XR_COMPOSITION_LAYER_BLEND_TEXTURE_SOURCE_ALPHA_BIT;
    const XrCompositionLayerBaseHeader *layers[1 + PROGRAM_QUADS];
    layers[0] = (const XrCompositionLayerBaseHeader *)&layer;
    for (uint32_t i = 1; i <= PROGRAM_QUADS; i++) {
        layers[i] = twice ? (const XrCompositionLayerBaseHeader *)&again
                          : (const XrCompositionLayerBaseHeader *)&panel;
    }
    const XrSecondaryViewConfigurationLayerInfoMSFT seconds = {
        .type = XR_TYPE_SECONDARY_VIEW_CONFIGURATION_LAYER_INFO_MSFT,
        .viewConfigurationType =
            XR_VIEW_CONFIGURATION_TYPE_SECONDARY_MONO_FIRST_PERSON_OBSERVER_MSFT,
        .environmentBlendMode = XR_ENVIRONMENT_BLEND_MODE_OPAQUE,
        .layerCount = 1,
        .layers = layers};
    const XrSecondaryViewConfigurationFrameEndInfoMSFT secondary = {
        .type = XR_TYPE_SECONDARY_VIEW_CONFIGURATION_FRAME_END_INFO_MSFT,
        .viewConfigurationCount = 1,
        .viewConfigurationLayersInfo = &seconds};
    const XrFrameEndInfo info = {
        .type = XR_TYPE_FRAME_END_INFO,
        .next = program_is(session->program, "secondary") ? &secondary : NULL,
        .displayTime = time,
        .environmentBlendMode = XR_ENVIRONMENT_BLEND_MODE_OPAQUE,
        .layerCount = many                                             ? 5
                      : twice || program_is(session->program, "panel") ? 2
                      : program_is(session->program, "crowd")          ? 1 + PROGRAM_QUADS
                                                                       : 1,
        .layers = layers + session->quad_alone};
    const XrResult result = xrEndFrame(session->handle, &info);
    if (XR_FAILED(result) && program_is(session->program, "stubborn")) {
        fprintf(stderr, "xrEndFrame has failed: %d\n", result);
    } else {
        MUST(result);
    }
}

void program_finish(const struct program_session *session)
{
    MUST(xrRequestExitSession(session->handle));
    MUST(xrEndSession(session->handle));
    for (uint32_t i = 0; i < session->chain_count; i++) {
        MUST(xrDestroySwapchain(session->chains[i].handle));
    }
    for (uint32_t i = 0; i < session->view_count && session->depths[i].handle; i++) {
        MUST(xrDestroySwapchain(session->depths[i].handle));
    }
    MUST(xrDestroySpace(session->space));
    MUST(xrDestroySession(session->handle));
}
