/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host itself: an effect of ours inverts pictures in it, and each rule of the engine's that is
 * broken on purpose is reported. */

#include "cmocka_all.h"
#include "host.h"
#include "mini_effect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_PX 37
#define HEIGHT_PX 21
#define VIEWS_AT_MOST 2

static const uint16_t half_0 = 0, half_quarter = 0x3400, half_3_quarters = 0x3a00, half_1 = 0x3c00;
static uint16_t in[WIDTH_PX * HEIGHT_PX * 4 * VIEWS_AT_MOST], out[sizeof in / 2];

static void open_with(const struct host_options *options)
{
    assert_true(host_open(options));
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++) {
        in[i] = i % 4 == 3 ? half_1 : i % 3 ? half_quarter : half_1;
        out[i] = 0xffff;
    }
    assert_true(host_load(MINI_EFFECT, "mini_effect_init"));
}

static struct host_frame frame_of(uint32_t width_px, uint32_t views)
{
    return (struct host_frame){
        .width_px = width_px, .height_px = HEIGHT_PX, .views = views, .pixels = in, .out = out};
}

static void expect_inverted(const struct host_frame *frame)
{
    const uint32_t count =
        frame->width_px * frame->height_px * 4 * (frame->views ? frame->views : 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t inverted = in[i] == half_1 ? half_0 : half_3_quarters;
        assert_int_equal(out[i], i % 4 == 3 ? in[i] : inverted);
    }
}

static void expect_clean(void)
{
    const struct host_counts counts = host_counts();
    if (counts.engine_errors + counts.extension_errors + counts.refused_hashes + counts.messages) {
        fail_msg("%u messages of validation; console:\n%s", counts.messages, host_console());
    }
}

TEST(a_picture_is_inverted_and_nothing_is_left)
{
    for (uint32_t minor = 4; minor <= 7; minor++) {
        open_with(&(struct host_options){.minor = minor});
        struct object *effect = host_construct("InvertEffect");
        assert_non_null(effect);
        const struct host_frame frame = frame_of(WIDTH_PX, 1);
        for (int i = 0; i < 3; i++) {
            memset(out, 0xff, sizeof out);
            assert_true(host_frame(effect, &frame));
            expect_inverted(&frame);
        }
        expect_clean();
        assert_int_equal(host_counts().callbacks, 3);
        assert_int_equal(host_counts().dispatches, 3);
        assert_int_equal(host_counts().rids, 6);
        host_release(effect);
        assert_int_equal(host_counts().rids, 0);
        host_unload();
        expect_clean();
        assert_int_equal(host_close(), 0);
    }
}

TEST(sizes_and_views_change_between_frames)
{
    open_with(&(struct host_options){.render_thread = true});
    struct object *effect = host_construct("InvertEffect");
    static const uint32_t widths[] = {WIDTH_PX, 8, 8, 0, 20};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        for (uint32_t views = 1; views <= VIEWS_AT_MOST; views++) {
            struct host_frame frame = frame_of(widths[i], views);
            frame.msaa = i == 2;
            assert_true(host_frame(effect, &frame));
            if (widths[i]) {
                expect_inverted(&frame);
            }
        }
    }
    expect_clean();
    host_release(effect);
    host_unload();
    expect_clean();
    assert_int_equal(host_close(), 0);
}

TEST(properties_are_set_by_name)
{
    open_with(&(struct host_options){0});
    struct object *effect = host_construct("InvertEffect");
    assert_string_equal(host_property("InvertEffect", 0), "scale:3:0:");
    assert_string_equal(host_property("InvertEffect", 1), "fault:2:0:");
    assert_null(host_property("InvertEffect", 2));
    assert_true(host_get(effect, "scale").d == 1);
    assert_true(host_set(effect, "scale", host_int(2))); /* becomes a float */
    assert_true(host_get(effect, "scale").d == 2);
    assert_false(host_set(effect, "no_such", host_int(1)));
    const struct host_frame frame = frame_of(WIDTH_PX, 1);
    assert_true(host_frame(effect, &frame));
    assert_int_equal(out[1], 0x3e00); /* (1 - 0.25) 2 */
    assert_true(host_set(effect, "scale", host_float(1)));
    assert_true(host_frame(effect, &frame));
    expect_inverted(&frame);
    expect_clean();
    host_release(effect);
    host_unload();
    assert_int_equal(host_close(), 0);
}

TEST(a_library_that_is_loaded_again_finds_other_names)
{
    open_with(&(struct host_options){0});
    const struct host_frame frame = frame_of(WIDTH_PX, 1);
    for (int i = 0; i < 2; i++) {
        struct object *effect = host_construct("InvertEffect");
        memset(out, 0xff, sizeof out);
        assert_true(host_frame(effect, &frame));
        expect_inverted(&frame);
        host_release(effect);
        host_unload();
        assert_int_equal(host_counts().names, 0);
        assert_null(host_construct("InvertEffect"));
        if (i == 0) {
            assert_true(host_load(MINI_EFFECT, "mini_effect_init"));
        }
    }
    expect_clean();
    assert_int_equal(host_close(), 0);
}

TEST(no_device_means_no_frames)
{
    open_with(&(struct host_options){.headless = true});
    struct object *effect = host_construct("InvertEffect");
    const struct host_frame frame = frame_of(WIDTH_PX, 1);
    assert_false(host_frame(effect, &frame));
    host_release(effect);
    host_unload();
    assert_int_equal(host_counts().engine_errors, 0);
    assert_int_equal(host_close(), 0);
}

TEST(an_old_engine_and_missing_files_are_refused)
{
    assert_true(host_open(&(struct host_options){.minor = 3, .headless = true}));
    assert_false(host_load(MINI_EFFECT, "mini_effect_init"));
    assert_false(host_load(MINI_EFFECT, "no_such_entry"));
    assert_false(host_load("/no/such/library.so", "mini_effect_init"));
    assert_int_equal(host_close(), 0);
}

/* The engine is as far as main.cpp says; a library that comes later finds everything. */
TEST(what_a_level_has_not_got_is_refused)
{
    static const struct {
        const char *said;
        uint32_t times[2]; /* as the engine starts, and while it runs */
    } cases[] = {{"non-existent singleton 'Engine'", {0, 0}},
                 {"non-existent singleton 'RenderingServer'", {4, 0}},
                 {"non-existent singleton 'RenderingDevice'", {4, 4}},
                 {"class EarlyEffect: wrong token, no parent CompositorEffect", {1, 0}},
                 {"Method 'RenderingDevice.limit_get'", {1, 0}}};
    assert_true(host_open(&(struct host_options){.headless = true}));
    for (int run = 0; run < 2; run++) {
        assert_true(host_load(MINI_EFFECT, "mini_early_init"));
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            uint32_t times = 0;
            for (const char *at = host_console(); (at = strstr(at, cases[i].said)); at++) {
                times++;
            }
            assert_int_equal(times, cases[i].times[run]);
        }
        host_unload();
        host_clear();
    }
    assert_int_equal(host_close(), 0);
}

TEST(what_the_host_lacks_is_counted)
{
    open_with(&(struct host_options){.refused = "RenderingDevice.sampler_create"});
    assert_int_equal(host_counts().unexpected_lookups, 1);
    assert_true(host_said("no_such_function"));
    struct object *effect = host_construct("InvertEffect");
    const struct host_frame frame = frame_of(WIDTH_PX, 1);
    assert_true(host_frame(effect, &frame));
    assert_int_equal(host_counts().refused_hashes, 1);
    assert_true(host_said("Method 'RenderingDevice.sampler_create' with hash 2327892535"));
    host_clear();
    assert_false(host_said("Method"));
    host_release(effect);
    host_unload();
    assert_int_equal(host_close(), 0);
}

/* ---- Rules that are broken on purpose ---- */

TEST(broken_rules_are_reported)
{
    static const struct {
        enum mini_fault fault;
        const char *said;
        bool when_freed, leaves; /* objects behind */
    } cases[] = {
        {FAULT_HASH, "shader_create_from_spirv' with hash 342949006 is not found", false, false},
        {FAULT_BINDING, "Binding (1), set (0) was not provided", false, false},
        {FAULT_PUSH, "requires (16) bytes of push constant data, supplied: (12)", false, false},
        {FAULT_COPY_FROM, "texture_get_data: the texture was not made for it", false, false},
        {FAULT_FREED_TWICE, "Attempted to free invalid ID", true, false},
        {FAULT_OPEN_LIST, "the frame ends while a compute list is recorded", false, false},
        {FAULT_KEPT_BUFFERS, "the effect keeps 1 references", false, false},
        {FAULT_WRONG_THREAD, "free_rid is called outside the render thread", true, true},
        {FAULT_USAGE, "more than one type of usage in the same compute list", false, false},
        {FAULT_CONSTANT_TYPE, "specialization constant 5 is of the wrong type", false, false},
        {FAULT_UNIFORM_BYTES, "size (8) is smaller than size of shader uniform: (16)", false,
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_with(&(struct host_options){.render_thread = cases[i].fault == FAULT_WRONG_THREAD});
        struct object *effect = host_construct("InvertEffect");
        host_set(effect, "fault", host_int(cases[i].fault));
        const struct host_frame frame = frame_of(WIDTH_PX, 1);
        assert_int_equal(host_counts().engine_errors, 0);
        assert_true(host_frame(effect, &frame));
        assert_int_equal(host_said(cases[i].said), !cases[i].when_freed);
        host_release(effect);
        if (!host_said(cases[i].said)) {
            fail_msg("fault %d; console:\n%s", cases[i].fault, host_console());
        }
        host_unload();
        assert_int_equal(host_close() > 0, cases[i].leaves);
    }
}

int main(void)
{
    if (!host_open(&(struct host_options){0})) {
        return 77;
    }
    assert_int_equal(host_close(), 0);
    return tests_run(NULL, NULL);
}
