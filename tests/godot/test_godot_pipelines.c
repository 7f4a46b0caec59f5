/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pipelines of Godot's extension over a long run: more kinds are asked for than there are places.
 * The extension is linked into this program, as no settings have so many kinds. */

#include "cmocka_all.h"
#include "host.h"

#include "plugin/godot/godot_render.h"

#define SIDE_PX 32
#define IN_A_VIEW 10
#define KINDS 200
#define VIEWS 400

struct run {
    struct godot_render *render;
    struct godot_rid colour;
    struct godot_rid words;
};

static void open_run(struct run *run)
{
    const struct godot_vector2i size = {SIDE_PX, SIDE_PX};
    assert_true(host_open(&(struct host_options){0}));
    assert_true(host_load(NULL, "fovea_godot_init"));
    run->render = godot_render_create();
    assert_non_null(run->render);
    assert_ok(godot_render_ready(run->render));
    run->colour = godot_device_texture(run->render->device, size, GODOT_FORMAT_RGBA16_SFLOAT,
                                       GODOT_USAGE_STORAGE | GODOT_USAGE_SAMPLING);
    run->words = godot_device_texture(run->render->device, size, GODOT_FORMAT_RGBA16_UINT,
                                      GODOT_USAGE_STORAGE | GODOT_USAGE_SAMPLING);
    assert_true(run->colour.id && run->words.id);
}

static void close_run(struct run *run)
{
    godot_device_free(run->render->device, &run->colour);
    godot_device_free(run->render->device, &run->words);
    godot_render_destroy(run->render);
    assert_int_equal(host_counts().rids, 0);
    host_expect_clean();
    host_unload();
    assert_int_equal(host_close(), 0);
}

static const struct godot_pipeline *find(struct run *run, uint32_t kind)
{
    const struct operator_shader wanted = {.shader = &godot_shader_from_colour,
                                           .special = {(int32_t)kind}};
    return godot_shaders_find(&run->render->shaders, run->render->device, &wanted);
}

/* A view's own kinds, and one that all views have. */
static uint32_t kind_of(uint32_t view, uint32_t i)
{
    return i == 0 ? KINDS : (7 * view + i) % KINDS;
}

static void record_view(struct run *run, uint32_t view)
{
    const struct godot_pipeline *pipelines[IN_A_VIEW];
    struct godot_rid sets[IN_A_VIEW];
    const struct godot_rid bound[GODOT_SPIRV_BINDINGS] = {run->colour, run->words};
    run->render->shaders.view++;
    run->render->frame++;
    for (uint32_t i = 0; i < IN_A_VIEW; i++) {
        pipelines[i] = find(run, kind_of(view, i));
        assert_non_null(pipelines[i]);
        sets[i] = godot_render_set(run->render, pipelines[i], bound);
    }
    /* A view evicts none of its own pipelines. */
    for (uint32_t i = 0; i < IN_A_VIEW; i++) {
        assert_int_equal(pipelines[i]->special[1], kind_of(view, i));
        assert_ptr_equal(find(run, kind_of(view, i)), pipelines[i]);
        assert_true(godot_device_set_is_valid(run->render->device, sets[i]));
    }
}

TEST(a_long_run_keeps_so_many_pipelines)
{
    OWNED(close_run) struct run run;
    open_run(&run);
    const uint32_t before = host_counts().rids;
    record_view(&run, 0);
    const struct godot_pipeline *common = find(&run, KINDS);
    const uint64_t common_rid = common->rid.id;
    uint32_t most = 0;
    for (uint32_t view = 1; view < VIEWS; view++) {
        record_view(&run, view);
        const uint32_t rids = host_counts().rids - before;
        most = rids > most ? rids : most;
    }
    /* A shader, a pipeline and a uniform set each. */
    assert_int_equal(most, 3 * GODOT_PIPELINES_MAX);
    assert_int_equal(host_counts().rids - before, most);
    assert_ptr_equal(find(&run, KINDS), common);
    assert_int_equal(common->rid.id, common_rid); /* what is always used is never made again */
}

TEST(a_view_of_too_many_is_refused)
{
    OWNED(close_run) struct run run;
    open_run(&run);
    const uint32_t before = host_counts().rids;
    run.render->shaders.view++;
    for (uint32_t i = 0; i < GODOT_PIPELINES_MAX; i++) {
        assert_non_null(find(&run, i));
    }
    assert_null(find(&run, GODOT_PIPELINES_MAX));
    assert_non_null(find(&run, 0));
    run.render->shaders.view++;
    assert_non_null(find(&run, GODOT_PIPELINES_MAX));
    assert_int_equal(host_counts().rids - before, 2 * GODOT_PIPELINES_MAX);
}

static bool refuse(void *user)
{
    return false;
}

/* Its place is free; those behind it are found, and end with the others. */
TEST(a_pipeline_that_cannot_be_made_leaves_a_place)
{
    OWNED(close_run) struct run run;
    open_run(&run);
    run.render->shaders.view++;
    for (uint32_t i = 0; i < GODOT_PIPELINES_MAX; i++) {
        assert_non_null(find(&run, i));
    }
    run.render->shaders.view++;
    host_at("RenderingDevice.compute_pipeline_create", refuse, NULL);
    assert_null(find(&run, KINDS));
    host_at(NULL, NULL, NULL);
    host_clear();
    const struct godot_pipeline *last = find(&run, GODOT_PIPELINES_MAX - 1);
    assert_ptr_equal(last, &run.render->shaders.pipelines[GODOT_PIPELINES_MAX - 1]);
    assert_ptr_equal(find(&run, KINDS), &run.render->shaders.pipelines[0]);
}
