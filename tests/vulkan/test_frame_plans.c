/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Plans that frames make, and how long they are kept, are counted by what the log says of each. */

#include "plugin/frame/frame_image.h"
#include "stereo.h"
#include "test_with.h"

struct bench {
    struct rig rig;
    struct stereo_end src, dst; /* of run */
    int told; /* plans that INFO told of */
    int made; /* plans that were told of at all */
    int warnings;
};

static void count_log(void *user, enum fovea_log_level level, const char *message)
{
    struct bench *bench = user;
    if (strstr(message, "sigma with the gaze")) {
        bench->made++;
        bench->told += level == FOVEA_LOG_INFO;
    }
    bench->warnings += level >= FOVEA_LOG_WARNING;
}

static void open_bench(struct bench *bench)
{
    *bench = (struct bench){0};
    struct engine_options options = {.host_signals = true};
    assert_true(engine_open(&bench->rig.engine, &options));
    bench->rig.settings = rig_settings();
    bench->rig.settings.foveation.model = FOVEA_MODEL_PHYSICAL;
    bench->rig.settings.foveation.method = FOVEA_METHOD_SMOOTH;
    struct fovea_vk_desc desc = engine_fovea_desc(&bench->rig.engine, &bench->rig.settings);
    desc.log = (struct fovea_log){count_log, bench, FOVEA_LOG_DEBUG};
    assert_ok(fovea_vk_create(&desc, &bench->rig.fovea));
    bench->made = 0;
    bench->told = 0;
}

static void close_bench(struct bench *bench)
{
    rig_close(&bench->rig);
}

#define BENCH_TEST(name) TEST_WITH(name, struct bench, bench, open_bench(&made), close_bench)

static uint32_t count_plans(const struct bench *bench)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FRAME_MAX_PLANS; i++) {
        count += bench->rig.fovea->plans[i].plan != NULL;
    }
    return count;
}

/* The caller frees what it has made. */
static enum fovea_result run_into(struct bench *bench, const struct stereo *scene,
                                  enum rig_path path, struct test_image *out_dst)
{
    OWNED_IMAGE src = stereo_picture(scene, IMAGE_RANDOM, 1);
    *out_dst = stereo_picture(scene, IMAGE_RANDOM, 2);
    const enum fovea_result result =
        stereo_run(&bench->rig, scene, path, &src.view, &out_dst->view);
    return result;
}

static void open_ends(struct bench *bench, const struct stereo *scene)
{
    OWNED_IMAGE pixels = stereo_picture(scene, IMAGE_RANDOM, 1);
    struct stereo_end *const ends[] = {&bench->src, &bench->dst};
    for (int i = 0; i < 2; i++) {
        *ends[i] = stereo_end_open(&bench->rig, scene, RIG_MADE);
        stereo_fill(&bench->rig, ends[i], &pixels.view);
    }
}

/* Runs a frame of images that stay, as all scenes of a bench have one size: nobody looks at what is
 * made. */
static enum fovea_result run(struct bench *bench, const struct stereo *scene)
{
    VkImageLayout layout;
    if (!bench->src.made) {
        open_ends(bench, scene);
    }
    assert_ok(fovea_vk_image_acquire(bench->src.made, &layout));
    struct fovea_vk_frame frame = stereo_frame(scene, &bench->src, &bench->dst);
    frame.src.layout_after = frame.dst.layout_after = VK_IMAGE_LAYOUT_GENERAL;
    const enum fovea_result result = rig_foveate(&bench->rig, &frame);
    engine_idle(&bench->rig.engine);
    assert_ok(fovea_vk_image_release(bench->dst.made, VK_IMAGE_LAYOUT_GENERAL));
    return result;
}

static struct fovea_geometry frustum(int i)
{
    return (struct fovea_geometry){
        .tan_left = 0.10 + 0.001 * i, .tan_right = 0.05, .tan_up = 0.04, .tan_down = 0.06};
}

/* Six targets of two frustums each, one after the other: twelve plans, each made once. */
BENCH_TEST(targets_by_turns_keep_their_plans)
{
    struct fovea_geometry frustums[12];
    for (int i = 0; i < 12; i++) {
        frustums[i] = frustum(i);
    }
    for (int i = 0; i < 24; i++) {
        struct stereo scene = stereo_side_by_side();
        scene.views[0].geometry = &frustums[2 * (i % 6)];
        scene.views[1].geometry = &frustums[2 * (i % 6) + 1];
        assert_ok(run(bench, &scene));
    }
    assert_int_equal(bench->made, 12);
    assert_int_equal(count_plans(bench), 12);
    assert_int_equal(bench->told, 1);
    /* Told again once settings are set. */
    bench->rig.settings.foveation.strength = 0.5;
    assert_ok(fovea_vk_set_settings(bench->rig.fovea, &bench->rig.settings));
    struct stereo scene = stereo_side_by_side();
    bench->told = 0;
    assert_ok(run(bench, &scene));
    assert_int_equal(bench->told, 1);
}

/* A plan that no frame has used for long goes where the next one is made. */
BENCH_TEST(old_plans_go)
{
    struct fovea_geometry first = frustum(0);
    struct fovea_geometry second = frustum(1);
    struct stereo scene = stereo_side_by_side();
    scene.views[0].geometry = &first;
    scene.views[1].geometry = &second;
    assert_ok(run(bench, &scene));
    scene.views[1].geometry = &first;
    for (int i = 0; i < FRAME_PLAN_KEPT_FRAMES; i++) {
        assert_ok(run(bench, &scene));
    }
    assert_int_equal(count_plans(bench), 2);
    struct fovea_geometry third = frustum(2);
    scene.views[1].geometry = &third;
    assert_ok(run(bench, &scene));
    /* the first, which was always used, and the third */
    assert_int_equal(count_plans(bench), 2);
    assert_int_equal(bench->made, 3);
}

/* A window that was dragged rests: nothing new is made, and its former sizes go all the same. */
BENCH_TEST(old_plans_go_where_no_new_ones_come)
{
    struct fovea_geometry frustums[10];
    struct stereo scene = stereo_side_by_side();
    for (int i = 0; i < 10; i++) {
        frustums[i] = frustum(i);
        scene.views[0].geometry = scene.views[1].geometry = &frustums[i];
        assert_ok(run(bench, &scene));
    }
    assert_int_equal(count_plans(bench), 10);
    for (int i = 0; i < FRAME_PLAN_KEPT_FRAMES + 10 * FRAME_FORGET_EVERY; i++) {
        assert_ok(run(bench, &scene));
    }
    assert_int_equal(count_plans(bench), 1);
    assert_int_equal(bench->made, 10);
    assert_int_equal(bench->warnings, 0);
}

/* A tracker that is lost: frames pass for so long that the plan is old, and then the gaze is
 * back. */
BENCH_TEST(a_gaze_that_comes_back_finds_its_plan)
{
    struct fovea_geometry geometry = frustum(0);
    struct stereo scene = stereo_side_by_side();
    scene.views[0].geometry = scene.views[1].geometry = &geometry;
    for (uint32_t phase = 0; phase <= FRAME_FORGET_EVERY; phase++) {
        scene.views[0].gaze.usable = scene.views[1].gaze.usable = false;
        for (uint32_t i = 0; i < FRAME_PLAN_KEPT_FRAMES + phase; i++) {
            assert_int_equal(run(bench, &scene), FOVEA_PASSED_THROUGH);
        }
        scene.views[0].gaze.usable = scene.views[1].gaze.usable = true;
        assert_ok(run(bench, &scene));
        assert_ok(run(bench, &scene));
    }
    assert_int_equal(bench->made, 1);
}

/* The place of a new plan; -1: there was none for it. */
static int place_of_new(struct bench *bench, int number)
{
    struct fovea_vk *fovea = bench->rig.fovea;
    const struct fovea_geometry geometry = frustum(number);
    struct fovea_point_uv gaze;
    struct fovea_vk_view view;
    fovea_vk_view_init(&view);
    view.width_px = view.height_px = 16;
    view.geometry = &geometry;
    for (int i = 0; i < FRAME_MAX_PLANS; i++) {
        fovea->plans[i].described = true;
    }
    if (fovea_vk_gaze_at(fovea, &view, (struct fovea_point_uv){0.5, 0.5}, &gaze) != FOVEA_OK) {
        return -1;
    }
    for (int i = 0; i < FRAME_MAX_PLANS; i++) {
        if (fovea->plans[i].plan && !fovea->plans[i].described) {
            return i;
        }
    }
    return -1;
}

/* All places are taken here, in any order. */
BENCH_TEST(a_new_plan_has_the_place_that_is_unused_longest)
{
    struct fovea_vk *fovea = bench->rig.fovea;
    struct frame_plan *plans = fovea->plans;
    const uint64_t now = 2000;
    const uint64_t old = now - FRAME_PLAN_KEPT_FRAMES;
    int number = 0;
    for (; number < FRAME_MAX_PLANS; number++) {
        assert_int_equal(place_of_new(bench, number), number);
        plans[number].last_frame = now - 1;
    }
    fovea->frame = now;
    plans[50].last_frame = old + 2;
    plans[90].last_frame = old + 1;
    plans[20].last_frame = old + 3;
    assert_int_equal(place_of_new(bench, number++), 90);
    assert_int_equal(place_of_new(bench, number++), 50);
    assert_int_equal(place_of_new(bench, number++), 20);
    /* A frame that is not over has them all but one, or all. */
    fovea->slots[0].frame = now - 2;
    fovea->slots[0].pending = fovea->slots[0].recorded = true;
    fovea->slots[0].engines_frame = 1;
    assert_int_equal(place_of_new(bench, number++), -1);
    plans[33].last_frame = now - 3;
    assert_int_equal(place_of_new(bench, number++), 33);
    fovea->slots[0].pending = false;
    /* Old ones go at once, and their places are taken in that order. */
    plans[10].last_frame = plans[40].last_frame = old;
    plans[11].last_frame = old + 1;
    assert_int_equal(place_of_new(bench, number++), 10);
    assert_true(!plans[40].plan && plans[11].plan);
    fovea->frame++;
    plans[12].last_frame = old;
    assert_int_equal(place_of_new(bench, number++), 40);
    assert_null(plans[12].plan);
}

static uint32_t count_scratch(const struct bench *bench)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FRAME_MAX_SCRATCH; i++) {
        count += bench->rig.fovea->scratch[i].dst.image.handle != VK_NULL_HANDLE;
    }
    return count;
}

BENCH_TEST(old_scratch_goes_where_no_new_one_comes)
{
    struct vk_image_desc desc = {
        .format = vk_format_find(STEREO_FORMAT), .raw = true, .width_px = 16, .height_px = 16};
    for (uint32_t i = 0; i < 5; i++) {
        struct frame_scratch *scratch = NULL;
        desc.width_px = 16 + i; /* none of them is as large as another */
        desc.height_px = 16 - i;
        assert_ok(frame_scratch_find(bench->rig.fovea, &desc, 0, &scratch));
        scratch->last_frame = 1; /* as if the first frame had used it */
    }
    struct frame_scratch *used = NULL;
    for (uint32_t i = 0; i < FRAME_PLAN_KEPT_FRAMES + 7 * FRAME_FORGET_EVERY; i++) {
        struct stereo scene = stereo_side_by_side();
        assert_ok(run(bench, &scene));
        assert_ok(frame_scratch_find(bench->rig.fovea, &desc, 0, &used));
        used->last_frame = bench->rig.fovea->frame;
        assert_true(count_scratch(bench) == 5 || i >= FRAME_PLAN_KEPT_FRAMES);
    }
    assert_int_equal(count_scratch(bench), 1);
}

/* A resolution that changes: images that are larger serve, and one that grows has some more made.
 */
BENCH_TEST(scratch_serves_smaller_pictures)
{
    struct vk_image_desc desc = {.format = vk_format_find(STEREO_FORMAT), .raw = true};
    uint32_t made = 0;
    VkImage newest = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < 96; i++) {
        struct frame_scratch *scratch = NULL;
        desc.width_px = 64 + (i < 48 ? i : 96 - i);
        desc.height_px = 32 + (i < 48 ? i : 96 - i) / 2;
        assert_ok(frame_scratch_find(bench->rig.fovea, &desc, 0, &scratch));
        const struct vk_image_desc *got = &scratch->src.image.desc;
        assert_in_range(got->width_px, desc.width_px, 2 * desc.width_px);
        assert_in_range(got->height_px, desc.height_px, 2 * desc.height_px);
        scratch->last_frame = ++bench->rig.fovea->frame;
        made += scratch->dst.image.handle != newest;
        newest = scratch->dst.image.handle;
    }
    assert_in_range(made, 2, 9);
    /* One that is much larger is left alone. */
    struct frame_scratch *small = NULL;
    desc.width_px = desc.height_px = 16;
    assert_ok(frame_scratch_find(bench->rig.fovea, &desc, 0, &small));
    assert_int_equal(small->src.image.desc.width_px, 16);
    desc.height_px = 24; /* no wider, and higher */
    assert_ok(frame_scratch_find(bench->rig.fovea, &desc, 0, &small));
    assert_int_equal(small->src.image.desc.height_px, 24);
}

BENCH_TEST(views_that_are_copied_need_no_plan)
{
    struct fovea_geometry own[2] = {frustum(0), frustum(1)};
    struct stereo scene = stereo_side_by_side();
    scene.views[0].geometry = &own[0];
    scene.views[1].geometry = &own[1];
    scene.views[0].gaze.usable = false;
    assert_ok(run(bench, &scene));
    assert_int_equal(bench->made, 1);
    /* The HUD is drawn with the first view's. */
    bench->rig.settings.overlay.hud = true;
    assert_ok(fovea_vk_set_settings(bench->rig.fovea, &bench->rig.settings));
    assert_ok(run(bench, &scene));
    assert_int_equal(bench->made, 2);
}

static uint64_t pass_scratch_bytes(const struct bench *bench)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        bytes += bench->rig.fovea->pass_scratch[i].buffer.bytes;
    }
    return bytes;
}

static uint32_t count_pass_scratch(const struct bench *bench)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FRAME_MAX_PASS_SCRATCH; i++) {
        count += bench->rig.fovea->pass_scratch[i].buffer.handle != VK_NULL_HANDLE;
    }
    return count;
}

static void assert_as_in_a_new_context(const struct stereo *scene, enum rig_path path,
                                       const struct test_image *shown)
{
    OWNED(close_bench) struct bench other;
    OWNED_IMAGE wanted;
    open_bench(&other);
    assert_ok(run_into(&other, scene, path, &wanted));
    const size_t bytes = (size_t)wanted.view.row_stride_bytes * wanted.view.height_px;
    assert_memory_equal(shown->view.data, wanted.view.data, bytes);
}

/* Returns what a frame by nodes takes. */
static uint64_t scratch_bytes_of(VkFormat format, enum fovea_light light)
{
    OWNED(close_bench) struct bench bench;
    struct stereo scene = stereo_side_by_side();
    open_bench(&bench);
    stereo_set_format(format);
    bench.rig.settings.foveation.method = FOVEA_METHOD_BLOCKWISE;
    bench.rig.settings.foveation.light = light;
    assert_ok(fovea_vk_set_settings(bench.rig.fovea, &bench.rig.settings));
    assert_ok(run(&bench, &scene));
    stereo_set_format(STEREO_FORMAT);
    return pass_scratch_bytes(&bench);
}

/* For others nodes make samples of the picture's pixels. */
TEST(floats_alone_keep_samples_of_the_picture_itself)
{
    const struct stereo scene = stereo_side_by_side();
    const struct fovea_vk_view *view = &scene.views[0];
    const uint64_t encoded = scratch_bytes_of(STEREO_FORMAT, FOVEA_LIGHT_ENCODED);
    const uint64_t linear = scratch_bytes_of(STEREO_FORMAT, FOVEA_LIGHT_LINEAR);
    const uint64_t floats = scratch_bytes_of(VK_FORMAT_R16G16B16A16_SFLOAT, FOVEA_LIGHT_ENCODED);
    assert_int_equal(linear, encoded);
    if (encoded > 0) { /* no peer's */
        assert_int_equal(floats, encoded + 8 * (uint64_t)view->width_px * view->height_px);
    }
}

static PFN_vkCreateBuffer create_buffer;
static uint32_t buffers_made;

static VKAPI_ATTR VkResult VKAPI_CALL count_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkBuffer *out)
{
    buffers_made++;
    return create_buffer(device, info, allocator, out);
}

/* Both views' frusta are others in every frame, or one's is, or theirs are by turns. */
enum turns { BOTH, ONE, BY_TURNS };

static void set_frusta(enum turns turns, int i, struct fovea_geometry own[2])
{
    own[0] = frustum(turns == BOTH ? 2 * i : turns == ONE || i % 2 ? 0 : i);
    own[1] = frustum(turns == BOTH || turns == ONE ? 2 * i + 1 : i % 2 ? i : 1);
}

static void run_with_changing_frusta(enum turns turns)
{
    OWNED(close_bench) struct bench bench;
    open_bench(&bench);
    struct vk_functions *vk = &bench.rig.fovea->device.vk;
    create_buffer = vk->CreateBuffer;
    vk->CreateBuffer = count_buffer;
    const int settled = FRAME_PLAN_KEPT_FRAMES + 8;
    struct stereo scene = stereo_side_by_side();
    for (int i = 0; i < settled + 24; i++) {
        struct fovea_geometry own[2];
        set_frusta(turns, i, own);
        scene.views[0].geometry = &own[0];
        scene.views[1].geometry = &own[1];
        buffers_made = i <= settled ? 0 : buffers_made;
        if (i < settled + 23) {
            assert_ok(run(&bench, &scene));
            continue;
        }
        OWNED_IMAGE shown;
        assert_ok(run_into(&bench, &scene, RIG_MADE_TO_MADE, &shown));
        assert_int_equal(buffers_made, 0);
        assert_as_in_a_new_context(&scene, RIG_MADE_TO_MADE, &shown);
    }
    assert_int_equal(count_pass_scratch(&bench),
                     bench.rig.fovea->peer ? 0 : 1); /* which has memory of its own */
    assert_int_equal(bench.warnings, 0);
}

/* A frustum that follows the gaze: after a while frames make no memory of the device's, and all of
 * them leave their levels in one place. */
TEST(frusta_that_are_others_in_every_frame_allocate_nothing)
{
    run_with_changing_frusta(BOTH);
    run_with_changing_frusta(ONE);
    run_with_changing_frusta(BY_TURNS);
}

/* Find in frame after frame. */
static uint64_t find_pass_scratch(struct bench *bench, uint64_t bytes)
{
    struct frame_pass_scratch *scratch = NULL;
    assert_ok(frame_pass_scratch_find(bench->rig.fovea, bytes, &scratch));
    assert_true(scratch->buffer.handle && scratch->buffer.bytes >= bytes);
    frame_pass_scratch_forget(bench->rig.fovea);
    bench->rig.fovea->frame++;
    return scratch->buffer.bytes;
}

/* A picture that grows by a little in every frame, one that is small again, and two by turns. */
BENCH_TEST(pass_scratch_is_as_large_as_pictures_are)
{
    const uint64_t mb = 1 << 20;
    uint32_t made = 0;
    uint64_t newest = 0;
    for (uint64_t i = 0; i < 64; i++) {
        const uint64_t bytes = find_pass_scratch(bench, 4 * mb + i * (mb >> 4));
        made += bytes != newest;
        newest = bytes;
        assert_true(bytes <= 10 * mb + (mb >> 1));
        assert_int_equal(pass_scratch_bytes(bench), bytes);
    }
    assert_in_range(made, 3, 5);
    for (uint32_t i = 0; i < FRAME_PLAN_KEPT_FRAMES + FRAME_FORGET_EVERY; i++) {
        assert_true(find_pass_scratch(bench, mb) < 2 * mb);
    }
    assert_true(pass_scratch_bytes(bench) < 2 * mb);
    assert_int_equal(count_pass_scratch(bench), 1);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(find_pass_scratch(bench, i % 2 ? mb : 3 * mb), 3 * mb);
    }
    assert_true(pass_scratch_bytes(bench) > 0);
    assert_int_equal(count_pass_scratch(bench), 1);
}

/* Frames that were recorded and are not said to be finished: what they use stays, and as many more
 * are made as pictures need meanwhile. */
BENCH_TEST(pass_scratch_of_unfinished_frames_stays)
{
    struct fovea_vk *fovea = bench->rig.fovea;
    const uint64_t mb = 1 << 20;
    VkBuffer used[4];
    for (uint32_t i = 0; i < 4; i++) {
        struct frame_pass_scratch *scratch = NULL;
        assert_ok(frame_pass_scratch_find(fovea, (2 + 2 * i) * mb, &scratch));
        used[i] = scratch->buffer.handle;
        fovea->slots[i].frame = ++fovea->frame;
        fovea->slots[i].pending = fovea->slots[i].recorded = true;
        fovea->slots[i].engines_frame = i + 1;
        assert_false(frame_pass_scratch_give_up(fovea));
        frame_pass_scratch_forget(fovea);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(fovea->pass_scratch[i].buffer.handle, used[i]);
    }
    fovea->engines_finished = 4;
    (void)find_pass_scratch(bench, 16 * mb);
    assert_int_equal(count_pass_scratch(bench),
                     2); /* 2 MB is too little less, and goes when it is old */
    for (uint32_t i = 0; i <= FRAME_PLAN_KEPT_FRAMES; i++) {
        (void)find_pass_scratch(bench, 16 * mb);
    }
    assert_int_equal(count_pass_scratch(bench), 1);
}

/* Settings whose kernels need none: it goes like that of a size that is gone. */
BENCH_TEST(pass_scratch_goes_where_none_is_needed)
{
    struct stereo scene = stereo_side_by_side();
    assert_ok(run(bench, &scene));
    bench->rig.settings.operators = (struct fovea_operators){1, {FOVEA_OPERATOR_lens}};
    assert_ok(fovea_vk_set_settings(bench->rig.fovea, &bench->rig.settings));
    for (uint32_t i = 0; i < FRAME_PLAN_KEPT_FRAMES + 2 * FRAME_FORGET_EVERY; i++) {
        assert_ok(run(bench, &scene));
    }
    assert_int_equal(count_pass_scratch(bench), 0);
}

/* The images between a program's own and the kernels. */
BENCH_TEST(pictures_in_larger_scratch_are_as_in_their_own)
{
    struct stereo scene = stereo_side_by_side();
    const struct vk_image_desc desc = {.format = vk_format_find(STEREO_FORMAT),
                                       .raw = true,
                                       .width_px = scene.width_px + 13,
                                       .height_px = scene.height_px + 9};
    struct frame_scratch *larger = NULL;
    OWNED_IMAGE shown;
    assert_ok(frame_scratch_find(bench->rig.fovea, &desc, 0, &larger));
    assert_ok(run_into(bench, &scene, RIG_ENGINE_TO_ENGINE, &shown));
    assert_int_equal(larger->last_frame, bench->rig.fovea->frame);
    assert_as_in_a_new_context(&scene, RIG_ENGINE_TO_ENGINE, &shown);
}

/* Frames by turns with a frustum that cannot be done: the others go on, and it is said once. */
BENCH_TEST(a_frustum_of_too_much_blur_keeps_nobody_else)
{
    const struct fovea_geometry narrow = {.ppd = 1000};
    const struct fovea_geometry wide = {.ppd = 8};
    bench->rig.settings.foveation.model = FOVEA_MODEL_CURVE;
    bench->rig.settings.foveation.curve =
        (struct fovea_curve){.count = 1, .eccentricity_deg = {5}, .cutoff_cpd = {0.05}};
    assert_ok(fovea_vk_set_settings(bench->rig.fovea, &bench->rig.settings));
    for (int i = 0; i < 6; i++) {
        struct stereo scene = stereo_side_by_side();
        scene.views[0].geometry = &wide;
        scene.views[1].geometry = i % 2 == 0 ? &narrow : &wide;
        assert_int_equal(run(bench, &scene), i % 2 == 0 ? FOVEA_PASSED_THROUGH : FOVEA_OK);
    }
    assert_int_equal(bench->warnings, 1);
}
