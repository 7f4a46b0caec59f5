/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "rig.h"

#include "cmocka_all.h"

#include <dlfcn.h>

static enum fovea_backend backend = FOVEA_BACKEND_VULKAN;
static bool binary;
static bool nvidia; /* the vulkan backend on an NVIDIA GPU */
static bool recorded; /* frames go into commands of the engine's */

bool rig_choose_backend(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "vulkan";
    binary = strcmp(name, "binary") == 0;
    recorded = strcmp(name, "recorded") == 0;
    if (strcmp(name, "cpu") == 0) {
        backend = FOVEA_BACKEND_CPU;
    } else if (strcmp(name, "cuda") == 0 || binary) {
        backend = FOVEA_BACKEND_CUDA;
    } else if (strcmp(name, "nvidia") == 0) {
        nvidia = true;
    } else if (strcmp(name, "vulkan") != 0 && !recorded) {
        fprintf(stderr, "%s: the argument is vulkan, recorded, nvidia, cpu, cuda or binary\n",
                argv[0]);
        return false;
    }
    return true;
}

enum fovea_backend rig_backend(void)
{
    return backend;
}

const char *rig_backend_name(void)
{
    return binary     ? "binary"
           : nvidia   ? "nvidia"
           : recorded ? "recorded"
                      : fovea_backend_name(backend);
}

struct engine_options rig_engine_options(void)
{
    return (struct engine_options){.nvidia = backend == FOVEA_BACKEND_CUDA || nvidia,
                                   .no_timeline = binary,
                                   .host_signals = backend == FOVEA_BACKEND_CPU};
}

bool rig_available(void)
{
    struct engine engine;
    struct engine_options wanted = rig_engine_options();
    if (!engine_open(&engine, &wanted)) {
        return false;
    }
    engine_close(&engine);
    return true;
}

int rig_run(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    if (!rig_available()) {
        return 77;
    }
    return _cmocka_run_group_tests(rig_backend_name(), tests, count, NULL, NULL);
}

void rig_keep_cuda(void)
{
    void *driver = backend == FOVEA_BACKEND_CUDA ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
    int (*init)(unsigned) = NULL;
    int (*retain)(void **, int) = NULL;
    if (driver) {
        *(void **)&init = dlsym(driver, "cuInit");
        *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
    }
    void *context = NULL;
    if (init && retain && (init(0) != 0 || retain(&context, 0) != 0)) {
        print_message("no CUDA context is kept, so each test makes its own\n");
    }
}

int rig_run_tests(int argc, char **argv)
{
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    rig_keep_cuda();
    return rig_run(argc, argv, test_list.tests, test_list.count);
}

struct fovea_settings rig_settings(void)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = backend;
    settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
    settings.foveation.paper.fragment_px = 16;
    settings.watchdog_ms = 60000; /* the cpu backend is slow on 8K under a sanitizer */
    return settings;
}

void rig_open(struct rig *rig, const struct fovea_settings *settings)
{
    struct engine_options wanted = rig_engine_options();
    assert_true(engine_open(&rig->engine, &wanted));
    rig->recordings = 0;
    rig->settings = settings ? *settings : rig_settings();
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    assert_ok(fovea_vk_create(&desc, &rig->fovea));
}

void rig_close(struct rig *rig)
{
    engine_idle(&rig->engine);
    fovea_vk_destroy(&rig->fovea);
    engine_expect_silence(&rig->engine);
    engine_close(&rig->engine);
}

struct fovea_vk_stats rig_stats(const struct rig *rig)
{
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    assert_ok(fovea_vk_get_stats(rig->fovea, &stats));
    return stats;
}

struct fovea_gaze rig_gaze(double x_uv, double y_uv)
{
    return (struct fovea_gaze){.point = {x_uv, y_uv}, .usable = true};
}

struct fovea_vk_frame rig_frame_in_place(const struct engine_image *image)
{
    const struct fovea_vk_frame_target end = {.image = image->image,
                                              .format = image->format,
                                              .width_px = image->width_px,
                                              .height_px = image->height_px,
                                              .layout_before = VK_IMAGE_LAYOUT_GENERAL,
                                              .layout_after = VK_IMAGE_LAYOUT_GENERAL,
                                              .queue_family = VK_QUEUE_FAMILY_IGNORED};
    return (struct fovea_vk_frame){.struct_bytes = sizeof(struct fovea_vk_frame),
                                   .src = end,
                                   .dst = end,
                                   .gaze = rig_gaze(0.5, 0.5)};
}

static const struct {
    const char *name;
    enum rig_owner src, dst;
} paths[RIG_PATH_COUNT] = {
    [RIG_ENGINE_TO_ENGINE] = {"engine to engine", RIG_ENGINES, RIG_ENGINES},
    [RIG_MADE_TO_MADE] = {"made to made", RIG_MADE, RIG_MADE},
    [RIG_MADE_TO_ENGINE] = {"made to engine", RIG_MADE, RIG_ENGINES},
    [RIG_ENGINE_TO_MADE] = {"engine to made", RIG_ENGINES, RIG_MADE},
    [RIG_ENGINE_IN_PLACE] = {"engine in place", RIG_ENGINES, RIG_ENGINES},
    [RIG_MADE_IN_PLACE] = {"made in place", RIG_MADE, RIG_MADE},
    [RIG_SEEN_TO_SEEN] = {"seen to seen", RIG_SEEN, RIG_SEEN},
    [RIG_SEEN_TO_ENGINE] = {"seen to engine", RIG_SEEN, RIG_ENGINES},
    [RIG_ENGINE_TO_SEEN] = {"engine to seen", RIG_ENGINES, RIG_SEEN},
    [RIG_SEEN_IN_PLACE] = {"seen in place", RIG_SEEN, RIG_SEEN},
};

const char *rig_path_name(enum rig_path path)
{
    return paths[path].name;
}

enum rig_owner rig_src(enum rig_path path)
{
    return paths[path].src;
}

enum rig_owner rig_dst(enum rig_path path)
{
    return paths[path].dst;
}

bool rig_in_place(enum rig_path path)
{
    return path == RIG_ENGINE_IN_PLACE || path == RIG_MADE_IN_PLACE || path == RIG_SEEN_IN_PLACE;
}

enum fovea_format rig_pixel_format(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
    case VK_FORMAT_A2R10G10B10_UNORM_PACK32:
        return FOVEA_FORMAT_A2B10G10R10;
    case VK_FORMAT_B10G11R11_UFLOAT_PACK32:
        return FOVEA_FORMAT_B10G11R11F;
    case VK_FORMAT_R16G16B16A16_SFLOAT:
        return FOVEA_FORMAT_RGBA16F;
    default:
        return FOVEA_FORMAT_RGBA8;
    }
}

/* One side of a frame. */
struct end {
    struct fovea_vk_image *made;
    struct engine_image own;
    VkImage handle;
};

static struct end end_open(struct rig *rig, enum rig_owner owner, VkFormat format,
                           uint32_t width_px, uint32_t height_px)
{
    struct end end = {0};
    if (owner == RIG_MADE) {
        struct fovea_vk_image_desc desc = {.struct_bytes = sizeof desc,
                                           .format = format,
                                           .width_px = width_px,
                                           .height_px = height_px};
        assert_ok(fovea_vk_image_create(rig->fovea, &desc, &end.made));
        end.handle = fovea_vk_image_handle(end.made);
    } else {
        end.own = owner == RIG_SEEN
                      ? engine_seen_create(&rig->engine, format, width_px, height_px, 1)
                      : engine_image_create(&rig->engine, format, width_px, height_px);
        end.handle = end.own.image;
    }
    return end;
}

static void end_close(struct rig *rig, struct end *end)
{
    fovea_vk_image_destroy(&end->made);
    engine_image_destroy(&rig->engine, &end->own);
}

static struct fovea_vk_frame_target frame_image(const struct end *end, VkFormat format,
                                                const struct fovea_image *like,
                                                VkImageLayout before, VkImageLayout after)
{
    return (struct fovea_vk_frame_target){.made = end->made,
                                          .image = end->own.image,
                                          .format = format,
                                          .width_px = like->width_px,
                                          .height_px = like->height_px,
                                          .layout_before = before,
                                          .layout_after = after,
                                          .queue_family = VK_QUEUE_FAMILY_IGNORED,
                                          .raw_view = end->own.raw_view};
}

/* Every frame of the engine's has one recording, and it waits for each. */
static enum fovea_result record(struct rig *rig, const struct fovea_vk_frame *frame)
{
    const struct fovea_vk_recording recording = {.struct_bytes = sizeof recording,
                                                 .commands = engine_begin(&rig->engine),
                                                 .frame = rig->recordings + 1,
                                                 .finished_frame = rig->recordings};
    const enum fovea_result result = fovea_vk_record(rig->fovea, frame, &recording);
    engine_submit(&rig->engine, recording.commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    engine_idle(&rig->engine);
    rig->recordings++;
    return result;
}

enum fovea_result rig_foveate(struct rig *rig, const struct fovea_vk_frame *frame)
{
    return recorded ? record(rig, frame) : fovea_vk_foveate(rig->fovea, frame);
}

static struct fovea_vk_sigmas frames_sigmas;
static struct fovea_vk_depth frames_depth;
static const struct fovea_point_uv *frames_others;
static uint32_t frames_other_count;

void rig_set_sigmas(struct fovea_vk_sigmas sigmas)
{
    frames_sigmas = sigmas;
}

void rig_set_others(const struct fovea_point_uv *places, uint32_t count)
{
    frames_others = places;
    frames_other_count = count;
}

void rig_set_depth(struct fovea_vk_depth depth)
{
    frames_depth = depth;
}

static enum fovea_result run(struct rig *rig, const struct end *src, const struct end *dst,
                             VkFormat format, const struct fovea_image *like,
                             struct fovea_gaze gaze)
{
    VkImageLayout drawn = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    struct fovea_vk_frame frame = {
        .struct_bytes = sizeof frame,
        .src = frame_image(src, format, like, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, drawn),
        .dst = frame_image(dst, format, like, VK_IMAGE_LAYOUT_UNDEFINED, drawn),
        .gaze = gaze,
        .sigmas = frames_sigmas,
        .depth = frames_depth,
        .other_foveas = frames_others,
        .other_fovea_count = frames_other_count};
    if (src == dst) {
        frame.dst.layout_before = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    }
    return rig_foveate(rig, &frame);
}

static void read_back(struct rig *rig, const struct end *end, VkFormat format,
                      const struct fovea_image *out)
{
    engine_read(&rig->engine, end->handle, out->width_px, out->height_px, format, out->data,
                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
}

static void expect_unchanged(struct rig *rig, const struct end *src, VkFormat format,
                             const struct fovea_image *pixels)
{
    size_t bytes = (size_t)pixels->width_px * pixels->height_px * engine_pixel_bytes(format);
    struct fovea_image now = *pixels;
    now.data = malloc(bytes);
    read_back(rig, src, format, &now);
    assert_memory_equal(now.data, pixels->data, bytes);
    free(now.data);
}

enum fovea_result rig_frame(struct rig *rig, enum rig_path path, VkFormat format,
                            const struct fovea_image *src, struct fovea_gaze gaze,
                            const struct fovea_image *dst)
{
    bool in_place = rig_in_place(path);
    struct end a = end_open(rig, rig_src(path), format, src->width_px, src->height_px);
    struct end b = {0};
    if (!in_place) {
        b = end_open(rig, rig_dst(path), format, src->width_px, src->height_px);
    }
    if (a.made) {
        VkImageLayout layout;
        assert_ok(fovea_vk_image_acquire(a.made, &layout));
    }
    engine_write(&rig->engine, a.handle, src->width_px, src->height_px, format, src->data,
                 VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    enum fovea_result result = run(rig, &a, in_place ? &a : &b, format, src, gaze);
    if (result >= 0 && result != FOVEA_NOT_READY) {
        read_back(rig, in_place ? &a : &b, format, dst);
        if (!in_place) {
            expect_unchanged(rig, &a, format, src);
        }
    }
    engine_idle(&rig->engine);
    end_close(rig, &a);
    end_close(rig, &b);
    return result;
}
