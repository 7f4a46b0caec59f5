/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_vk_prepare: what it has made, the first frame does not make. */

#include "calls.h"
#include "cmocka_all.h"
#include "compare.h"
#include "plugin/frame/frame_image.h"
#include "stereo.h"

static unsigned made; /* of what a frame may make of the device */
static unsigned submits;
static bool memory_fails;

#define COUNT(name, parameters, arguments)                                                         \
    static PFN_vk##name below_##name;                                                              \
    static VKAPI_ATTR VkResult VKAPI_CALL count_##name parameters                                  \
    {                                                                                              \
        made++;                                                                                    \
        return below_##name arguments;                                                             \
    }
CALLS_THAT_MAKE(COUNT)
CALLS_THAT_MAKE_VIEWS(COUNT)
#undef COUNT

static PFN_vkQueueSubmit below_QueueSubmit;

static VKAPI_ATTR VkResult VKAPI_CALL count_submit(VkQueue queue, uint32_t count,
                                                   const VkSubmitInfo *infos, VkFence fence)
{
    submits++;
    return below_QueueSubmit(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL fail_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkDeviceMemory *out)
{
    return memory_fails ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                        : count_AllocateMemory(device, info, allocator, out);
}

static void watch(struct fovea_vk *fovea)
{
    struct vk_functions *vk = &fovea->device.vk;
#define WATCH(name, parameters, arguments)                                                         \
    below_##name = vk->name;                                                                       \
    vk->name = count_##name;
    CALLS_THAT_MAKE(WATCH)
    CALLS_THAT_MAKE_VIEWS(WATCH)
#undef WATCH
    vk->AllocateMemory = fail_memory;
    below_QueueSubmit = vk->QueueSubmit;
    vk->QueueSubmit = count_submit;
    made = submits = 0;
}

/* A frame from one of the engine's images to another, which do not exist yet. */
static struct fovea_vk_frame without_images(const struct stereo *scene)
{
    const struct stereo_end none = {0};
    return stereo_frame(scene, &none, &none);
}

static void use(struct rig *rig, const char *name, const char *value)
{
    assert_ok(fovea_settings_set(&rig->settings, name, value, (struct fovea_log){0}));
}

static void open_with(struct rig *rig, const char *const (*settings)[2])
{
    rig_open(rig, NULL);
    for (uint32_t i = 0; settings[i][0]; i++) {
        use(rig, settings[i][0], settings[i][1]);
    }
    assert_ok(fovea_vk_set_settings(rig->fovea, &rig->settings));
    watch(rig->fovea);
}

/* Two views, from images of the engine's that do not exist when their frames are prepared. */
static void prepare_and_run(struct rig *rig, const char *const (*settings)[2])
{
    open_with(rig, settings);
    const struct stereo scene = stereo_side_by_side();
    OWNED_IMAGE pixels = stereo_picture(&scene, IMAGE_RANDOM, 1);
    struct stereo_end src = stereo_end_open(rig, &scene, RIG_ENGINES);
    struct stereo_end dst = stereo_end_open(rig, &scene, RIG_ENGINES);
    stereo_fill(rig, &src, &pixels.view);
    stereo_fill(rig, &dst, &pixels.view);
    const struct fovea_vk_frame frame = stereo_frame(&scene, &src, &dst);
    const struct fovea_vk_frame later = without_images(&scene);
    made = submits = 0;
    assert_ok(fovea_vk_prepare(rig->fovea, &later));
    assert_true(made > 0);
    assert_int_equal(submits, 0);
    made = 0;
    assert_ok(fovea_vk_prepare(rig->fovea, &later));
    assert_int_equal(made, 0);
    assert_ok(rig_foveate(rig, &frame));
    assert_int_equal(made, 0);
    engine_idle(&rig->engine);
    stereo_end_close(rig, &src);
    stereo_end_close(rig, &dst);
    rig_close(rig);
}

TEST(a_frame_that_was_prepared_makes_nothing)
{
    static const char *const cases[][4][2] = {
        {{"foveation.model", "paper"}},
        {{"foveation.model", "physical"}},
        {{"foveation.method", "blockwise"}, {"foveation.light", "encoded"}},
        {{"operators", "foveate,lens"}},
        {{"overlay.rings", "true"}, {"overlay.hud", "true"}},
        {{"gaze.over", "shown"}, {"operators", "foveate,lens"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig rig;
        prepare_and_run(&rig, cases[i]);
    }
}

/* One view, on every way from an image to another. */
TEST(every_path_is_prepared)
{
    const struct stereo scene = {67, 45, 1, {stereo_view(0, 0, 0, 0.2, 0.4)}, 1};
    for (enum rig_path path = 0; path < RIG_PATH_COUNT; path++) {
        OWNED(rig_close) struct rig rig;
        open_with(&rig, (const char *const[][2]){{NULL}});
        OWNED_IMAGE pixels = stereo_picture(&scene, IMAGE_RANDOM, 1);
        struct stereo_end src = stereo_end_open(&rig, &scene, rig_src(path));
        struct stereo_end dst =
            rig_in_place(path) ? src : stereo_end_open(&rig, &scene, rig_dst(path));
        stereo_fill(&rig, &src, &pixels.view);
        const struct fovea_vk_frame frame = stereo_frame(&scene, &src, &dst);
        assert_ok(fovea_vk_prepare(rig.fovea, &frame));
        if (src.made) {
            VkImageLayout layout;
            assert_ok(fovea_vk_image_acquire(src.made, &layout));
        }
        if (!rig_in_place(path)) {
            stereo_fill(&rig, &dst, &pixels.view);
        }
        made = 0;
        assert_ok(rig_foveate(&rig, &frame));
        engine_idle(&rig.engine);
        assert_that(made <= 0, "%s: the frame made %u objects", rig_path_name(path), made);
        if (!rig_in_place(path)) {
            stereo_end_close(&rig, &dst);
        }
        stereo_end_close(&rig, &src);
    }
}

/* More sizes than there is room for: the oldest go, and a frame of the last one has what it needs.
 */
TEST(sizes_without_end_are_prepared)
{
    struct rig rig;
    open_with(&rig, (const char *const[][2]){{"operators", "foveate,lens"}, {NULL}});
    struct stereo scene = {67, 45, 1, {stereo_view(0, 0, 0, 0.2, 0.4)}, 1};
    for (uint32_t i = 0; i < 2 * FRAME_MAX_PLANS; i++) {
        scene.width_px = scene.views[0].width_px = 16 + i % 200;
        scene.height_px = scene.views[0].height_px = 16 + i / 200;
        const struct fovea_vk_frame frame = without_images(&scene);
        assert_ok(fovea_vk_prepare(rig.fovea, &frame));
    }
    OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 1);
    OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_RANDOM, 2);
    OWNED_IMAGE alone = stereo_picture(&scene, IMAGE_RANDOM, 2);
    assert_ok(stereo_run(&rig, &scene, RIG_ENGINE_TO_ENGINE, &src.view, &dst.view));
    rig_close(&rig);
    open_with(&rig, (const char *const[][2]){{"operators", "foveate,lens"}, {NULL}});
    assert_ok(stereo_run(&rig, &scene, RIG_ENGINE_TO_ENGINE, &src.view, &alone.view));
    compare_assert_all_same(&dst.view, &alone.view, "after many sizes");
    rig_close(&rig);
}

/* So many that any place has been given away, if that is possible. */
static void prepare_many(struct rig *rig)
{
    struct stereo scene = {16, 16, 1, {stereo_view(0, 0, 0, 0.2, 0.4)}, 1};
    for (uint32_t i = 0; i < FRAME_MAX_PLANS + FRAME_MAX_SCRATCH; i++) {
        scene.width_px = scene.views[0].width_px = 400 - i; /* none serves for another */
        scene.height_px = scene.views[0].height_px = 16 + i;
        const struct fovea_vk_frame frame = without_images(&scene);
        assert_ok(fovea_vk_prepare(rig->fovea, &frame));
    }
}

/* Frame 1 was recorded and is not said to be finished, frame 2 is over: what is prepared takes from
 * neither of them what frame 1 uses, and finds room all the same. */
TEST(unfinished_frames_keep_what_they_use)
{
    OWNED(rig_close) struct rig rig;
    open_with(&rig, (const char *const[][2]){{"operators", "foveate,lens"}, {NULL}});
    struct fovea_vk *fovea = rig.fovea;
    const struct stereo scene = {67, 45, 1, {stereo_view(0, 0, 0, 0.2, 0.4)}, 1};
    const struct fovea_vk_frame frame = without_images(&scene);
    assert_ok(fovea_vk_prepare(fovea, &frame));
    const VkImage used = fovea->scratch[0].src.image.handle;
    assert_true(used != VK_NULL_HANDLE);
    fovea->frame = 2;
    fovea->slots[1].frame = 1;
    fovea->slots[1].pending = fovea->slots[1].recorded = true;
    fovea->slots[1].engines_frame = 1;
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        fovea->scratch[i].last_frame = fovea->scratch[i].src.image.handle ? 1 : 0;
    }
    assert_ok(fovea_vk_prepare(fovea, &frame));
    prepare_many(&rig);
    assert_true(fovea->scratch[0].src.image.handle == used);
    /* Now it is the newest one. */
    fovea->slots[1].frame = 2;
    prepare_many(&rig);
    assert_true(fovea->scratch[0].src.image.handle == used);
    fovea->slots[1].pending = fovea->slots[1].recorded = false;
}

/* The gaze is not tracked yet, and the frame's is. */
TEST(late_gazes_are_prepared)
{
    static const char *const settings[][2] = {
        {"gaze.late", "true"}, {"gaze.source", "mouse"}, {NULL}};
    OWNED(rig_close) struct rig rig;
    open_with(&rig, settings);
    struct fovea_gaze_source_desc desc;
    OWNED(fovea_gaze_source_destroy) struct fovea_gaze_source *source = NULL;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = &rig.settings;
    assert_ok(fovea_gaze_source_create(&desc, &source));
    const enum fovea_result follows = fovea_vk_follow_gaze(rig.fovea, source);
    assert_true(follows == FOVEA_OK || follows == FOVEA_ERROR_UNSUPPORTED);
    const struct stereo scene = {67, 45, 1, {stereo_view(0, 0, 0, 0.2, 0.4)}, 1};
    OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 1);
    struct stereo_end from = stereo_end_open(&rig, &scene, RIG_ENGINES);
    struct stereo_end to = stereo_end_open(&rig, &scene, RIG_ENGINES);
    stereo_fill(&rig, &from, &src.view);
    stereo_fill(&rig, &to, &src.view);
    const struct fovea_vk_frame frame = stereo_frame(&scene, &from, &to);
    const struct fovea_vk_frame later = without_images(&scene);
    assert_ok(fovea_vk_prepare(rig.fovea, &later));
    made = 0;
    assert_ok(rig_foveate(&rig, &frame));
    engine_idle(&rig.engine);
    assert_int_equal(made, 0);
    stereo_end_close(&rig, &from);
    stereo_end_close(&rig, &to);
}

/* Gazes and semaphores are not known yet. */
TEST(what_is_not_known_yet_does_not_count)
{
    OWNED(rig_close) struct rig rig;
    open_with(&rig, (const char *const[][2]){{NULL}});
    struct stereo scene = stereo_side_by_side();
    struct fovea_vk_frame frame = without_images(&scene);
    for (uint32_t i = 0; i < scene.view_count; i++) {
        scene.views[i].gaze = (struct fovea_gaze){0};
    }
    frame.waits = frame.signals = NULL;
    frame.wait_count = frame.signal_count = 3;
    assert_ok(fovea_vk_prepare(rig.fovea, &frame));
    struct fovea_vk_stats stats;
    fovea_vk_stats_init(&stats);
    assert_ok(fovea_vk_get_stats(rig.fovea, &stats));
    assert_int_equal(stats.frames, 0);
    assert_int_equal(stats.frames_passed_through, 0);
}

TEST(what_no_frame_may_be_is_refused)
{
    OWNED(rig_close) struct rig rig;
    open_with(&rig, (const char *const[][2]){{NULL}});
    const struct stereo scene = stereo_side_by_side();
    const struct fovea_vk_frame right = without_images(&scene);
    struct fovea_vk_frame frame = right;
    assert_int_equal(fovea_vk_prepare(NULL, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_vk_prepare(rig.fovea, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    frame.src.format = frame.dst.format = VK_FORMAT_D16_UNORM;
    assert_int_equal(fovea_vk_prepare(rig.fovea, &frame), FOVEA_ERROR_UNSUPPORTED);
    frame = right;
    frame.dst.width_px++;
    assert_int_equal(fovea_vk_prepare(rig.fovea, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    frame = right;
    frame.struct_bytes = 0;
    assert_int_equal(fovea_vk_prepare(rig.fovea, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(made, 0);
}

/* Want of memory while the program loads: frames ask again, at once. */
TEST(a_failure_keeps_no_frame_from_trying)
{
    OWNED(rig_close) struct rig rig;
    open_with(&rig, (const char *const[][2]){{NULL}});
    const struct stereo scene = stereo_side_by_side();
    const struct fovea_vk_frame frame = without_images(&scene);
    memory_fails = true;
    assert_int_equal(fovea_vk_prepare(rig.fovea, &frame), FOVEA_ERROR_OUT_OF_MEMORY);
    memory_fails = false;
    OWNED_IMAGE src = stereo_picture(&scene, IMAGE_RANDOM, 1);
    OWNED_IMAGE dst = stereo_picture(&scene, IMAGE_RANDOM, 2);
    assert_ok(stereo_run(&rig, &scene, RIG_ENGINE_TO_ENGINE, &src.view, &dst.view));
}

/* A frustum that asks for more blur than there is. The log hears of it when a frame has it. */
TEST(frames_that_would_pass_through_are_said_to)
{
    OWNED(rig_close) struct rig rig;
    open_with(&rig, (const char *const[][2]){{NULL}});
    const struct fovea_geometry narrow = {.ppd = 1000};
    rig.settings.foveation.model = FOVEA_MODEL_CURVE;
    rig.settings.foveation.curve =
        (struct fovea_curve){.count = 1, .eccentricity_deg = {5}, .cutoff_cpd = {0.05}};
    assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
    struct stereo scene = stereo_side_by_side();
    scene.views[0].geometry = scene.views[1].geometry = &narrow;
    const struct fovea_vk_frame frame = without_images(&scene);
    assert_int_equal(fovea_vk_prepare(rig.fovea, &frame), FOVEA_PASSED_THROUGH);
    assert_false(rig.fovea->plan_refused);
}
