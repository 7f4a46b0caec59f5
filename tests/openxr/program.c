/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/*     openxr_program [KIND]     without one, separate
 *
 * separate: a swapchain for each eye; array: one of two layers; atlas: two rectangles of one image;
 * inset: with margins around them; lapped: of which one lies half over the other; panel: as
 * separate, and a quad layer shows the left eye's image; menu: alone, in the first frame; twice: as
 * separate, releases each image twice; quad: four views of two sizes; depth: a depth image is
 * handed over with each; foreign: 16 bits a channel; after: two sessions, one after the other;
 * beside: two at once; old: as separate, with XR_KHR_vulkan_enable and Vulkan 1.1; oldest: and
 * Vulkan 1.0; modest: and the least version that it is told; silent: as separate, with no actions;
 * idle: with no active ones; looks: with one for the eyes, in a set of higher priority than others,
 * and another set that goes before they are attached; rotated: as separate, in a space that is
 * rotated; zooms: with narrower frusta in each frame; leaves: the left eye's image alone in the
 * second frame, as menu has it, and nothing new in the third; again: with nothing new in every
 * second frame, static: in all but the first; blended: with alpha; double: and two projection
 * layers that show the same, of which the second is blended; many: and five of them; crowd: as
 * separate, with sixteen quad layers more; mips: with mip levels; pipelined: as separate, a thread
 * draws and ends frames while another one waits for the next and loads; glances: and looks, too;
 * early: as separate, the next image is acquired before the frame ends; eager: and waited for;
 * ahead: and acquired before this one is released; stubborn: as separate, goes on after an
 * xrEndFrame that has failed; chained: as separate, releases with a structure that nobody knows;
 * uploaded: as separate, in swapchains that are no colour attachments; nulls: as separate, and
 * hands over nothing where a call needs something; secondary: as separate, and shows the views in a
 * secondary configuration too; steps: as separate, the same picture for each line that it reads,
 * and a line when the runtime has it; as blended from the line "blended" on. */

#include "program.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 3

/* A program that is early has its next image before its frame ends. */
static void release(const struct program *program, struct program_chain *chain)
{
    chain->acquired = false;
    if (program_is(program, "ahead")) {
        program_acquire(chain);
    }
    const XrBaseInStructure more = {.type = XR_TYPE_UNKNOWN};
    const XrSwapchainImageReleaseInfo info = {.type = XR_TYPE_SWAPCHAIN_IMAGE_RELEASE_INFO,
                                              .next =
                                                  program_is(program, "chained") ? &more : NULL};
    MUST(xrReleaseSwapchainImage(chain->handle, &info));
    if (program_is(program, "twice") &&
        xrReleaseSwapchainImage(chain->handle, NULL) != XR_ERROR_CALL_ORDER_INVALID) {
        fprintf(stderr, "a second release was taken\n");
        exit(1);
    }
    chain->waited = false;
    if (program_is(program, "early")) {
        program_acquire(chain);
    } else if (program_is(program, "eager") || program_is(program, "ahead")) {
        program_wait(chain);
    }
}

static void draw(struct program_session *session, uint32_t frame)
{
    const bool one = session->chain_count == 1;
    for (uint32_t c = 0; c < session->chain_count; c++) {
        struct program_chain *chain = &session->chains[c];
        program_wait(chain);
        for (uint32_t v = one ? 0 : c; v < (one ? session->view_count : c + 1); v++) {
            const XrSwapchainSubImage *place = &session->places[v];
            program_paint(session, program_is(session->program, "steps") ? 0 : frame, v);
            gpu_draw(&session->program->gpu, chain->images[chain->image], &place->imageRect,
                     place->imageArrayIndex);
        }
        release(session->program, chain);
    }
    program_draw_depths(session, frame);
}

/* Whether the frame shows what the one before has shown. */
static bool is_old(const struct program *program, uint32_t frame)
{
    return (program_is(program, "again") && frame % 2 == 1) ||
           (program_is(program, "static") && frame > 0) ||
           (program_is(program, "leaves") && frame == 2);
}

static void show(struct program_session *session, uint32_t frame)
{
    const XrTime time = program_begin_frame(session);
    if (program_is(session->program, "zooms")) {
        session->frusta_part = 1 - 0.1f * (float)frame;
    }
    session->quad_alone = (program_is(session->program, "menu") && frame == 0) ||
                          (program_is(session->program, "leaves") && frame == 1);
    if (!is_old(session->program, frame)) {
        draw(session, frame);
    }
    program_end_frame(session, time);
}

/* A runtime refuses what is not there; so must whoever stands before it. */
static void hand_over_nothing(const struct program_session *session)
{
    const struct program *program = session->program;
    const XrFrameEndInfo frame = {.type = XR_TYPE_FRAME_END_INFO, .layerCount = 1};
    const XrSessionActionSetsAttachInfo sets = {.type = XR_TYPE_SESSION_ACTION_SETS_ATTACH_INFO,
                                                .countActionSets = 1};
    const XrActionsSyncInfo active = {.type = XR_TYPE_ACTIONS_SYNC_INFO,
                                      .countActiveActionSets = 1};
    XrInteractionProfileSuggestedBinding bindings = {
        .type = XR_TYPE_INTERACTION_PROFILE_SUGGESTED_BINDING, .countSuggestedBindings = 1};
    MUST(xrStringToPath(program->instance, "/interaction_profiles/ext/eye_gaze_interaction",
                        &bindings.interactionProfile));
    PFN_xrCreateVulkanInstanceKHR create =
        (PFN_xrCreateVulkanInstanceKHR)function_of(program->instance, "xrCreateVulkanInstanceKHR");
    XrSwapchain swapchain;
    VkInstance vulkan;
    VkResult result;
    const XrResult results[] = {
        xrEndFrame(session->handle, NULL),
        xrEndFrame(session->handle, &frame),
        xrAttachSessionActionSets(session->handle, NULL),
        xrAttachSessionActionSets(session->handle, &sets),
        xrSyncActions(session->handle, NULL),
        xrSyncActions(session->handle, &active),
        xrSuggestInteractionProfileBindings(program->instance, NULL),
        xrSuggestInteractionProfileBindings(program->instance, &bindings),
        xrCreateSwapchain(session->handle, NULL, &swapchain),
        create(program->instance, NULL, &vulkan, &result),
    };
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        if (results[i] != XR_ERROR_VALIDATION_FAILURE) {
            fprintf(stderr, "nothing was taken by call %zu: %d\n", i, (int)results[i]);
            exit(1);
        }
    }
}

/* False: the program has shown its frames. */
static bool goes_on(struct program *program, uint32_t frame)
{
    char line[16];
    if (!program_is(program, "steps")) {
        return frame < FRAMES;
    }
    printf("frames: %u\n", frame);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) {
        return false;
    }
    program->blended = program->blended || strcmp(line, "blended\n") == 0;
    return true;
}

/* ---- Frames that overlap ---- */

struct pipeline {
    struct program_session *session;
    XrTime time; /* of the frame that was waited for */
    sem_t waited;
    sem_t begun;
};

static void *draw_frames(void *user)
{
    struct pipeline *pipeline = user;
    struct program_session *session = pipeline->session;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        MUST(sem_wait(&pipeline->waited));
        const XrTime time = pipeline->time;
        MUST(xrBeginFrame(session->handle, NULL));
        MUST(sem_post(&pipeline->begun));
        draw(session, frame);
        program_end_frame(session, time);
    }
    return NULL;
}

/* A program that loads the next scene does this. */
static void load(const struct program_session *session)
{
    const XrSwapchainCreateInfo info = {.type = XR_TYPE_SWAPCHAIN_CREATE_INFO,
                                        .usageFlags = XR_SWAPCHAIN_USAGE_COLOR_ATTACHMENT_BIT |
                                                      XR_SWAPCHAIN_USAGE_TRANSFER_DST_BIT,
                                        .format = session->format,
                                        .sampleCount = 1,
                                        .width = 64,
                                        .height = 48,
                                        .faceCount = 1,
                                        .arraySize = 1,
                                        .mipCount = 1};
    for (int i = 0; i < 3; i++) {
        XrSwapchain swapchain;
        MUST(xrCreateSwapchain(session->handle, &info, &swapchain));
        MUST(xrDestroySwapchain(swapchain));
    }
}

/* Engines with a thread for the game and one for rendering do so. Only the latter uses the queue.
 */
static void show_pipelined(struct program_session *session)
{
    struct pipeline pipeline = {.session = session};
    pthread_t renderer;
    MUST(sem_init(&pipeline.waited, 0, 0));
    MUST(sem_init(&pipeline.begun, 0, 0));
    MUST(-pthread_create(&renderer, NULL, draw_frames, &pipeline));
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        pipeline.time = program_wait_frame(session);
        MUST(sem_post(&pipeline.waited));
        MUST(sem_wait(&pipeline.begun));
        load(session);
        program_look(session, pipeline.time);
    }
    MUST(-pthread_join(renderer, NULL));
    MUST(sem_destroy(&pipeline.waited));
    MUST(sem_destroy(&pipeline.begun));
}

static const char *const kinds[] = {
    "separate", "array", "atlas", "inset",   "lapped",   "panel",   "pipelined", "menu",
    "twice",    "quad",  "depth", "foreign", "after",    "beside",  "old",       "oldest",
    "silent",   "idle",  "looks", "rotated", "zooms",    "again",   "static",    "blended",
    "double",   "many",  "crowd", "mips",    "early",    "nulls",   "modest",    "leaves",
    "uploaded", "eager", "ahead", "steps",   "stubborn", "chained", "secondary", "glances"};

static bool is_a_kind(const char *word)
{
    bool is = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        is = is || strcmp(word, kinds[i]) == 0;
    }
    return is;
}

static void say_kinds(void)
{
    fprintf(stderr, "openxr_program [KIND], which tests/openxr/program.c describes:");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fprintf(stderr, "%s%s", i % 8 == 0 ? "\n    " : " ", kinds[i]);
    }
    fprintf(stderr, "\n");
}

int main(int argc, char **argv)
{
    struct program program = {.kind = argc == 2 ? argv[1] : "separate"};
    if (argc > 2 || !is_a_kind(program.kind)) {
        say_kinds();
        return 2;
    }
    program.blended = program_is(&program, "blended");
    program_start(&program);
    const uint32_t rounds = program_is(&program, "after") ? 2 : 1;
    const uint32_t at_once = program_is(&program, "beside") ? 2 : 1;
    for (uint32_t round = 0; round < rounds; round++) {
        struct program_session sessions[2] = {0};
        for (uint32_t i = 0; i < at_once; i++) {
            program_begin(&program, &sessions[i]);
        }
        if (program_is(&program, "nulls")) {
            hand_over_nothing(&sessions[0]);
        }
        const bool pipelined = program_is(&program, "pipelined") || program_is(&program, "glances");
        if (pipelined) {
            show_pipelined(&sessions[0]);
        }
        for (uint32_t frame = 0; !pipelined && goes_on(&program, frame); frame++) {
            for (uint32_t i = 0; i < at_once; i++) {
                show(&sessions[i], frame);
            }
        }
        for (uint32_t i = 0; i < at_once; i++) {
            program_finish(&sessions[i]);
        }
    }
    MUST(xrDestroyInstance(program.instance));
    gpu_drop(&program.gpu);
    puts("all frames were shown");
    return 0;
}
