/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gl_shared.h"

#include "fovea_present.h"
#include "gl_vulkan.h"

#include "core/log.h"
#include "plugin/frame/frame_journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FRAMES_IN_FLIGHT 8
/* A picture that went through both sides may be off by so many levels of 255, which is what the
 * coarsest format keeps of one. */
#define TOLERANCE 4

enum { IN, OUT };

/* An image on both sides. */
struct both {
    struct gl_vulkan_image vulkan;
    uint32_t memory;
    uint32_t texture;
};

struct gl_shared {
    const struct gl_api *api;
    struct gl_vulkan vulkan;
    struct fovea_vk *fovea;
    void *context; /* of GL's, whose objects these are */
    uint32_t framebuffers[2]; /* to read and to draw */
    struct both images[2];
    VkFormat format;
    uint32_t width_px;
    uint32_t height_px;
    bool with_semaphores;
    VkSemaphore drawn; /* GL has written IN */
    VkSemaphore made; /* Vulkan has written OUT */
    uint32_t gl_drawn;
    uint32_t gl_made;
    uint64_t shown; /* the newest frame of which it was told when */
    char words[96];
};

static const struct kind {
    enum fovea_format format;
    VkFormat vulkan;
    uint32_t gl;
} KINDS[] = {
    {FOVEA_FORMAT_RGBA8, VK_FORMAT_R8G8B8A8_UNORM, GL_RGBA8},
    {FOVEA_FORMAT_A2B10G10R10, VK_FORMAT_A2B10G10R10_UNORM_PACK32, GL_RGB10_A2},
    {FOVEA_FORMAT_B10G11R11F, VK_FORMAT_B10G11R11_UFLOAT_PACK32, GL_R11F_G11F_B10F},
    {FOVEA_FORMAT_RGBA16F, VK_FORMAT_R16G16B16A16_SFLOAT, GL_RGBA16F},
    {FOVEA_FORMAT_RGBA32F, VK_FORMAT_R16G16B16A16_SFLOAT, GL_RGBA16F},
};

static const struct kind *kind_of(enum fovea_format format)
{
    const struct kind *kind = KINDS;
    while (kind->format != format) {
        kind++;
    }
    return kind;
}

/* ---- Create and destroy */

static bool import_semaphore(struct gl_shared *shared, VkSemaphore *out, uint32_t *out_gl)
{
    int fd = -1;
    if (!gl_vulkan_semaphore_open(&shared->vulkan, out, &fd)) {
        return false;
    }
    shared->api->GenSemaphoresEXT(1, out_gl);
    shared->api->ImportSemaphoreFdEXT(*out_gl, GL_HANDLE_TYPE_OPAQUE_FD, fd);
    if (shared->api->GetError() != GL_NO_ERROR) {
        close(fd); /* GL takes what it imports, and nothing else */
        return false;
    }
    return true;
}

static enum fovea_result make_fovea(const struct gl_vulkan *vulkan,
                                    const struct fovea_settings *settings, struct fovea_log log,
                                    struct fovea_vk **out)
{
    struct fovea_vk_desc desc;
    fovea_vk_desc_init(&desc);
    desc.instance = vulkan->instance;
    desc.physical_device = vulkan->physical_device;
    desc.device = vulkan->device;
    desc.get_instance_proc_addr = vulkan->get_proc_address;
    desc.queue = vulkan->queue;
    desc.queue_family = vulkan->queue_family;
    desc.frames_in_flight = FRAMES_IN_FLIGHT;
    desc.device_extensions = vulkan->extensions;
    desc.device_extension_count = vulkan->extension_count;
    desc.timeline_semaphore = vulkan->needs.timeline_semaphore;
    desc.settings = settings;
    desc.log = log;
    return fovea_vk_create(&desc, out);
}

static const char *open_device(struct gl_shared *shared)
{
    const struct gl_api *api = shared->api;
    uint8_t device[VK_UUID_SIZE] = {0};
    uint8_t driver[VK_UUID_SIZE] = {0};
    int32_t devices = 0;
    const char *why = NULL;
    api->GetIntegerv(GL_NUM_DEVICE_UUIDS, &devices);
    api->GetUnsignedBytei_vEXT(GL_DEVICE_UUID, 0, device);
    api->GetUnsignedBytevEXT(GL_DRIVER_UUID, driver);
    if (api->GetError() != GL_NO_ERROR || devices != 1) {
        return "OpenGL does not say which device it draws with";
    }
    (void)gl_vulkan_open(device, driver, shared->with_semaphores, &shared->vulkan, &why);
    return why;
}

static const char *open_parts(struct gl_shared *shared, const struct fovea_gl_desc *desc)
{
    const char *why = open_device(shared);
    if (why) {
        return why;
    }
    if (shared->with_semaphores && (!import_semaphore(shared, &shared->drawn, &shared->gl_drawn) ||
                                    !import_semaphore(shared, &shared->made, &shared->gl_made))) {
        return "OpenGL does not take Vulkan's semaphores";
    }
    shared->api->GenFramebuffers(2, shared->framebuffers);
    return make_fovea(&shared->vulkan, desc->settings, desc->log, &shared->fovea) < 0
               ? "Fovea's context of Vulkan failed"
               : NULL;
}

static void find_words(struct gl_shared *shared)
{
    struct fovea_vk_stats stats;
    fovea_vk_stats_init(&stats);
    const bool known = fovea_vk_get_stats(shared->fovea, &stats) >= 0;
    snprintf(shared->words, sizeof shared->words, "%s backend, %s",
             !known                                  ? "its"
             : stats.backend == FOVEA_BACKEND_CUDA   ? "cuda"
             : stats.backend == FOVEA_BACKEND_VULKAN ? "vulkan"
                                                     : "cpu",
             shared->with_semaphores ? "semaphores" : "each frame waits");
}

const char *gl_shared_create(const struct gl_api *api, const struct fovea_gl_desc *desc, bool waits,
                             struct gl_shared **out)
{
    *out = NULL;
    if (!api->shares) {
        return "OpenGL has no GL_EXT_memory_object_fd";
    }
    if (!api->shares_semaphores && !waits) {
        return "OpenGL has no GL_EXT_semaphore_fd";
    }
    struct gl_shared *shared = calloc(1, sizeof *shared);
    if (!shared) {
        return "there is no memory";
    }
    shared->api = api;
    shared->with_semaphores = api->shares_semaphores;
    shared->context = api->current_context ? api->current_context() : NULL;
    shared->images[IN].vulkan.fd = shared->images[OUT].vulkan.fd = -1;
    const char *why = open_parts(shared, desc);
    if (why) {
        gl_shared_destroy(&shared);
        return why;
    }
    find_words(shared);
    *out = shared;
    return NULL;
}

static bool has_context(const struct gl_shared *shared)
{
    return !shared->api->current_context || shared->api->current_context() == shared->context;
}

static void close_images(struct gl_shared *shared)
{
    for (int i = IN; i <= OUT; i++) {
        struct both *both = &shared->images[i];
        if (has_context(shared) && both->texture) {
            shared->api->DeleteTextures(1, &both->texture);
        }
        if (has_context(shared) && both->memory) {
            shared->api->DeleteMemoryObjectsEXT(1, &both->memory);
        }
        gl_vulkan_image_close(&shared->vulkan, &both->vulkan);
        both->texture = both->memory = 0;
    }
    shared->width_px = 0;
}

static void close_objects_of_gl(struct gl_shared *shared)
{
    if (!has_context(shared)) {
        return;
    }
    shared->api->Finish();
    if (shared->gl_drawn) {
        shared->api->DeleteSemaphoresEXT(1, &shared->gl_drawn);
    }
    if (shared->gl_made) {
        shared->api->DeleteSemaphoresEXT(1, &shared->gl_made);
    }
    if (shared->framebuffers[0]) {
        shared->api->DeleteFramebuffers(2, shared->framebuffers);
    }
}

void gl_shared_destroy(struct gl_shared **own)
{
    struct gl_shared *shared = *own;
    if (!shared) {
        return;
    }
    close_objects_of_gl(shared);
    fovea_vk_destroy(&shared->fovea);
    close_images(shared);
    if (shared->vulkan.device) {
        (void)shared->vulkan.DeviceWaitIdle(shared->vulkan.device);
        shared->vulkan.DestroySemaphore(shared->vulkan.device, shared->drawn, NULL);
        shared->vulkan.DestroySemaphore(shared->vulkan.device, shared->made, NULL);
    }
    gl_vulkan_close(&shared->vulkan);
    free(shared);
    *own = NULL;
}

enum fovea_result gl_shared_set_settings(struct gl_shared *shared,
                                         const struct fovea_settings *settings)
{
    return fovea_vk_set_settings(shared->fovea, settings);
}

const char *gl_shared_words(const struct gl_shared *shared)
{
    return shared->words;
}

/* ---- A frame */

/* IN to OUT, by a context of Fovea's. GL has written IN, and may read OUT when this returns. */
static enum fovea_result run_vulkan(struct gl_shared *shared, struct fovea_vk *fovea,
                                    const struct fovea_gaze *gaze)
{
    const struct gl_api *api = shared->api;
    const uint32_t textures[] = {shared->images[IN].texture, shared->images[OUT].texture};
    const uint32_t layouts[] = {GL_LAYOUT_GENERAL, GL_LAYOUT_GENERAL};
    const struct fovea_vk_semaphore wait = {.semaphore = shared->drawn};
    const struct fovea_vk_semaphore signal = {.semaphore = shared->made};
    const struct fovea_vk_frame_target target = {
        .format = shared->format,
        .width_px = shared->width_px,
        .height_px = shared->height_px,
        .layout_before = VK_IMAGE_LAYOUT_GENERAL,
        .layout_after = VK_IMAGE_LAYOUT_GENERAL,
        .transfer_ownership = true,
        .queue_family = VK_QUEUE_FAMILY_EXTERNAL,
    };
    struct fovea_vk_frame frame;
    fovea_vk_frame_init(&frame);
    frame.src = frame.dst = target;
    frame.src.image = shared->images[IN].vulkan.image;
    frame.src.raw_view = shared->images[IN].vulkan.raw_view;
    frame.dst.image = shared->images[OUT].vulkan.image;
    frame.dst.raw_view = shared->images[OUT].vulkan.raw_view;
    frame.dst.layout_before = VK_IMAGE_LAYOUT_UNDEFINED;
    frame.gaze = *gaze;
    if (shared->with_semaphores) {
        frame.waits = &wait;
        frame.signals = &signal;
        frame.wait_count = frame.signal_count = 1;
        api->SignalSemaphoreEXT(shared->gl_drawn, 0, NULL, 2, textures, layouts);
        api->Flush();
    } else {
        api->Finish();
    }
    const uint64_t refusals = frame_journal_refusals(fovea);
    enum fovea_result result = fovea_vk_foveate(fovea, &frame);
    if (result == FOVEA_NOT_READY) { /* nobody else holds back a program that presents nothing */
        fovea_vk_wait(fovea);
        frame_journal_again(fovea, refusals);
        result = fovea_vk_foveate(fovea, &frame);
    }
    const bool submitted = result == FOVEA_OK || result == FOVEA_PASSED_THROUGH;
    if (!shared->with_semaphores) {
        fovea_vk_wait(fovea);
    } else if (submitted) {
        api->WaitSemaphoreEXT(shared->gl_made, 0, NULL, 2, textures, layouts);
    } else if (result != FOVEA_ERROR_FRAME_LOST && result != FOVEA_ERROR_DEVICE_LOST) {
        /* This takes back the signal, so that the next frame can signal it. */
        api->WaitSemaphoreEXT(shared->gl_drawn, 0, NULL, 2, textures, layouts);
    }
    return result == FOVEA_NOT_READY ? FOVEA_ERROR_INVALID_STATE : result;
}

/* ---- Images of a size */

static bool import_image(struct gl_shared *shared, uint32_t gl_format, struct both *both)
{
    const struct gl_api *api = shared->api;
    const int32_t dedicated = 1;
    if (!gl_vulkan_image_open(&shared->vulkan, shared->format, shared->width_px, shared->height_px,
                              &both->vulkan)) {
        return false;
    }
    api->CreateMemoryObjectsEXT(1, &both->memory);
    api->MemoryObjectParameterivEXT(both->memory, GL_DEDICATED_MEMORY_OBJECT, &dedicated);
    api->ImportMemoryFdEXT(both->memory, both->vulkan.bytes, GL_HANDLE_TYPE_OPAQUE_FD,
                           both->vulkan.fd);
    if (api->GetError() != GL_NO_ERROR) {
        return false;
    }
    both->vulkan.fd = -1; /* GL's now */
    api->GenTextures(1, &both->texture);
    api->BindTexture(GL_TEXTURE_2D, both->texture);
    api->TexStorageMem2DEXT(GL_TEXTURE_2D, 1, gl_format, (int32_t)shared->width_px,
                            (int32_t)shared->height_px, both->memory, 0);
    return api->GetError() == GL_NO_ERROR;
}

/* The upper bits of a product, which no pattern of memory repeats. */
static void fill(uint8_t *pixels, size_t bytes)
{
    uint32_t value = 1;
    for (size_t i = 0; i < bytes; i++) {
        value = value * 1664525U + 1013904223U;
        pixels[i] = (uint8_t)(value >> 24);
    }
}

/* Alpha has other bits than colours in some formats. */
static bool are_alike(const uint8_t *a, const uint8_t *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (i % 4 != 3 && abs(a[i] - b[i]) > TOLERANCE) {
            return false;
        }
    }
    return true;
}

static bool send_picture(struct gl_shared *shared, struct fovea_vk *through, uint8_t *sent,
                         uint8_t *got, size_t bytes)
{
    const struct gl_api *api = shared->api;
    const struct fovea_gaze none = {0};
    fill(sent, bytes);
    api->BindTexture(GL_TEXTURE_2D, shared->images[IN].texture);
    api->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, (int32_t)shared->width_px,
                       (int32_t)shared->height_px, GL_RGBA, GL_UNSIGNED_BYTE, sent);
    if (run_vulkan(shared, through, &none) != FOVEA_PASSED_THROUGH) {
        return false;
    }
    api->BindTexture(GL_TEXTURE_2D, shared->images[OUT].texture);
    api->GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got);
    return api->GetError() == GL_NO_ERROR && are_alike(sent, got, bytes);
}

/* Drivers may lay out such an image differently on the two sides and say nothing: a picture goes
 * from GL through Vulkan to GL, once for each size. */
static bool is_really_shared(struct gl_shared *shared)
{
    const struct fovea_log silent = {0};
    const size_t bytes = (size_t)shared->width_px * shared->height_px * 4;
    uint8_t *pixels = malloc(2 * bytes);
    struct fovea_settings *settings = NULL;
    struct fovea_vk *through = NULL;
    const bool same = pixels && fovea_settings_create(&settings) == FOVEA_OK &&
                      fovea_settings_set(settings, "backend", "vulkan", silent) == FOVEA_OK &&
                      make_fovea(&shared->vulkan, settings, silent, &through) == FOVEA_OK &&
                      send_picture(shared, through, pixels, pixels + bytes, bytes);
    fovea_vk_destroy(&through);
    fovea_settings_destroy(&settings);
    free(pixels);
    return same;
}

static enum fovea_result open_images(struct gl_shared *shared, const struct gl_texture *like,
                                     const char **out_why)
{
    const struct kind *kind = kind_of(like->format);
    if (shared->width_px == like->width_px && shared->height_px == like->height_px &&
        shared->format == kind->vulkan) {
        return FOVEA_OK;
    }
    shared->api->Finish();
    fovea_vk_wait(shared->fovea);
    close_images(shared);
    shared->format = kind->vulkan;
    shared->width_px = like->width_px;
    shared->height_px = like->height_px;
    *out_why = "OpenGL and Vulkan do not share an image of this size and format";
    if (!import_image(shared, kind->gl, &shared->images[IN]) ||
        !import_image(shared, kind->gl, &shared->images[OUT])) {
        close_images(shared);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    *out_why = "what OpenGL writes into a shared image is not what Vulkan reads there";
    if (!is_really_shared(shared)) {
        close_images(shared);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return FOVEA_OK;
}

/* ---- From and to the program's textures */

struct blit_state {
    int32_t read;
    int32_t draw;
    unsigned char scissor;
    unsigned char srgb;
};

static void take_blit_state(const struct gl_shared *shared, struct blit_state *out)
{
    const struct gl_api *api = shared->api;
    api->GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &out->read);
    api->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &out->draw);
    out->scissor = api->IsEnabled(GL_SCISSOR_TEST);
    out->srgb = api->IsEnabled(GL_FRAMEBUFFER_SRGB);
    api->Disable(GL_SCISSOR_TEST);
    api->Disable(GL_FRAMEBUFFER_SRGB);
    api->BindFramebuffer(GL_READ_FRAMEBUFFER, shared->framebuffers[0]);
    api->BindFramebuffer(GL_DRAW_FRAMEBUFFER, shared->framebuffers[1]);
}

static void attach(const struct gl_shared *shared, uint32_t framebuffer, uint32_t target,
                   uint32_t texture)
{
    shared->api->FramebufferTexture2D(framebuffer, GL_COLOR_ATTACHMENT0, target, texture, 0);
}

static void give_back_blit_state(const struct gl_shared *shared, const struct blit_state *state)
{
    const struct gl_api *api = shared->api;
    attach(shared, GL_READ_FRAMEBUFFER, GL_TEXTURE_2D, 0);
    attach(shared, GL_DRAW_FRAMEBUFFER, GL_TEXTURE_2D, 0);
    api->BindFramebuffer(GL_READ_FRAMEBUFFER, (uint32_t)state->read);
    api->BindFramebuffer(GL_DRAW_FRAMEBUFFER, (uint32_t)state->draw);
    if (state->scissor) {
        api->Enable(GL_SCISSOR_TEST);
    }
    if (state->srgb) {
        api->Enable(GL_FRAMEBUFFER_SRGB);
    }
}

/* Copies `from` to `to`, of its size; row 0 of Vulkan's images is the picture's topmost. */
static bool blit(const struct gl_shared *shared, const struct fovea_gl_texture *from,
                 const struct fovea_gl_texture *to, bool turned)
{
    const struct gl_api *api = shared->api;
    const int32_t width = (int32_t)shared->width_px;
    const int32_t height = (int32_t)shared->height_px;
    attach(shared, GL_READ_FRAMEBUFFER, from->target, from->name);
    attach(shared, GL_DRAW_FRAMEBUFFER, to->target, to->name);
    if (api->CheckFramebufferStatus(GL_READ_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE ||
        api->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        return false;
    }
    api->BlitFramebuffer(0, 0, width, height, 0, turned ? height : 0, width, turned ? 0 : height,
                         GL_COLOR_BUFFER_BIT, GL_NEAREST);
    return api->GetError() == GL_NO_ERROR;
}

static enum fovea_result run(struct gl_shared *shared, const struct gl_texture *src,
                             const struct gl_texture *dst, const struct fovea_gaze *gaze,
                             bool top_down, const char **out_why)
{
    const struct fovea_gl_texture in = {shared->images[IN].texture, GL_TEXTURE_2D};
    const struct fovea_gl_texture out = {shared->images[OUT].texture, GL_TEXTURE_2D};
    *out_why = "OpenGL cannot draw into or from a texture of this format";
    if (!blit(shared, &src->given, &in, !top_down)) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    *out_why = "the frame of Vulkan failed";
    const enum fovea_result result = run_vulkan(shared, shared->fovea, gaze);
    if (result < 0) {
        return result;
    }
    *out_why = "OpenGL cannot draw into a texture of this format";
    if (!blit(shared, &out, &dst->given, !top_down)) {
        shared->shown = fovea_present_frame(shared->fovea); /* nobody will see this one */
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return result;
}

enum fovea_result gl_shared_foveate(struct gl_shared *shared, const struct gl_texture *src,
                                    const struct gl_texture *dst, const struct fovea_gaze *gaze,
                                    bool top_down, const char **out_why)
{
    *out_why = "another context of OpenGL is current than when this was made";
    if (!has_context(shared)) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    FOVEA_TRY(open_images(shared, src, out_why));
    struct blit_state state;
    take_blit_state(shared, &state);
    const enum fovea_result result = run(shared, src, dst, gaze, top_down, out_why);
    give_back_blit_state(shared, &state);
    return result;
}

uint64_t gl_shared_refusals(const struct gl_shared *shared)
{
    return frame_journal_refusals(shared->fovea);
}

void gl_shared_refused(struct gl_shared *shared, uint64_t before)
{
    if (gl_shared_refusals(shared) <= before) {
        frame_journal_refused(shared->fovea);
    }
}

enum fovea_result gl_shared_shown(struct gl_shared *shared, int64_t t_ns, int64_t refresh_ns)
{
    const uint64_t frame = fovea_present_frame(shared->fovea);
    struct fovea_present_shown shown;
    fovea_present_shown_init(&shown);
    shown.t_ns = t_ns;
    shown.refresh_ns = refresh_ns;
    if (frame <= shared->shown) {
        return FOVEA_OK; /* there is no record, or the frame was refused and src is shown */
    }
    shared->shown = frame;
    return fovea_present_tell(shared->fovea, frame, &shown);
}
