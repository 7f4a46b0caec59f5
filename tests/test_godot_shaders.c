/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Godot takes a uniform set, push constants and specialization constants only if they are exactly
 * what it reads in a shader's SPIR-V: what is read there here, of every shader that a frame may
 * take. */

#include "cmocka_all.h"
#include "kernels/chain/chain.h"
#include "plugin/godot/device/godot_shaders.h"

struct setting {
    const char *path;
    const char *value;
};

/* Plans that take every shader of half floats. */
static const struct setting cases[][3] = {
    {{"foveation.method", "smooth"}},
    {{"foveation.method", "blockwise"}},
    {{"foveation.model", "physical"}},
    {{"foveation.model", "curve"}, {"foveation.method", "blockwise"}},
    {{"foveation.strength", "0"}},
    {{"operators", "foveate,blur"}},
    {{"operators", "blur"}, {"foveation.alpha", "premultiplied"}},
    {{"operators", "foveate,lens"}},
    {{"operators", "dof,foveate"}},
    {{"operators", "dof"}, {"dof.bokeh", "disc"}},
    {{"operators", "lens"}, {"lens.filter", "nearest"}, {"lens.red_r0", "0.01"}},
};

static struct fovea_settings *make_settings(const struct setting *list)
{
    const struct fovea_log silent = {0};
    struct fovea_settings *settings = NULL;
    assert_ok(fovea_settings_create(&settings));
    for (int i = 0; i < 3 && list[i].path; i++) {
        assert_ok(fovea_settings_set(settings, list[i].path, list[i].value, silent));
    }
    return settings;
}

/* Godot 4.6 and later simplify shaders by a reader of their own, which prints a line for each
 * shader that has an instruction it does not know, and leaves that one as it is. */
static void check_instructions(const struct shader_code *code)
{
    static const uint32_t unknown[] = {51 /* OpSpecConstantComposite */,
                                       77 /* OpVectorExtractDynamic */,
                                       78 /* OpVectorInsertDynamic */};
    for (uint32_t at = 5; at < code->bytes / 4; at += code->code[at] >> 16) {
        for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
            assert_int_not_equal(code->code[at] & 0xffffu, unknown[i]);
        }
        assert_int_not_equal(code->code[at] >> 16, 0);
    }
}

/* They also rewrite those without a specialization constant, and leave some of them broken. */
static void check_specials(const struct godot_spirv *declared)
{
    bool any = false;
    for (int i = 0; i < GODOT_SPIRV_SPECIALS; i++) {
        assert_true(i <= SHADER_SPECIAL_COUNT || !declared->specials[i].declared);
        any = any || declared->specials[i].declared;
    }
    assert_true(any);
}

static void check_pass(const struct operator_pass *pass)
{
    const struct shader_code *code = &pass->shader.shader->words[1];
    struct godot_spirv declared;
    check_instructions(code);
    assert_true(godot_spirv_read(code->code, code->bytes, &declared));
    assert_int_equal(declared.constant_bytes, (pass->constant_bytes + 15) / 16 * 16);
    assert_true(declared.constant_bytes <= OPERATOR_CONSTANT_BYTES);
    /* The compiler leaves out what a shader does not use. */
    assert_true(declared.bindings[0].type == GODOT_UNIFORM_TEXTURE ||
                declared.bindings[0].type == GODOT_UNIFORM_NONE);
    assert_true(declared.bindings[1].type == GODOT_UNIFORM_IMAGE ||
                declared.bindings[1].type == GODOT_UNIFORM_NONE);
    assert_true(declared.bindings[6].type == GODOT_UNIFORM_TEXTURE ||
                declared.bindings[6].type == GODOT_UNIFORM_NONE);
    assert_true(declared.bindings[7].type == GODOT_UNIFORM_STORAGE ||
                declared.bindings[7].type == GODOT_UNIFORM_NONE);
    check_specials(&declared);
}

static void check_plan(const struct operator_plan *plan, uint32_t shared_bytes)
{
    const struct operator_glsl_limits limits = {shared_bytes, UINT32_C(1) << 27};
    const struct fovea_point_uv gaze = {0.4, 0.6};
    const struct operator_depths depths = {
        .values = {.kind = FOVEA_DEPTH_PERSPECTIVE, .zero_m = 4000, .one_m = 0.05}};
    struct operator_frame frame = operator_frame_make(300, 200, gaze);
    frame.depths = &depths;
    const struct operator_marks marks = {.marker = true, .heatmap = true, .text_scale = 1};
    struct operator_pass passes[OPERATOR_CHAIN_PASSES + 1];
    struct operator_glsl *glsl = NULL;
    assert_ok(chain_operator.glsl->create(plan, &limits, &glsl));
    uint32_t count = chain_operator.glsl->passes(glsl, &frame, FOVEA_FORMAT_RGBA16F, passes);
    if (chain_operator.glsl->draws(glsl)) {
        chain_operator.glsl->draw(glsl, &frame, &marks, &passes[count++]);
    }
    for (uint32_t i = 0; i < count; i++) {
        check_pass(&passes[i]);
    }
    struct operator_frame blind = frame;
    blind.blind = true;
    count = chain_operator.glsl->passes(glsl, &blind, FOVEA_FORMAT_RGBA16F, passes);
    for (uint32_t i = 0; i < count; i++) {
        check_pass(&passes[i]);
    }
    chain_operator.glsl->destroy(&glsl);
}

/* Passes of such plans have no levels to write to. */
TEST(a_plan_that_blurs_nothing_copies)
{
    static const struct setting none[][3] = {{{"foveation.strength", "0"}},
                                             {{"operators", "blur"}, {"blur.sigma_px", "0"}}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        const struct operator_glsl_limits limits = {49152, UINT32_C(1) << 27};
        OWNED(fovea_settings_destroy) struct fovea_settings *settings = make_settings(none[i]);
        const struct operator_plan_desc desc = {
            .settings = settings, .width_px = 300, .height_px = 200};
        const struct operator_frame frame =
            operator_frame_make(300, 200, (struct fovea_point_uv){0.4, 0.6});
        struct operator_pass passes[OPERATOR_CHAIN_PASSES];
        struct operator_plan *plan = NULL;
        struct operator_glsl *glsl = NULL;
        assert_ok(chain_operator.plan_create(&desc, &plan));
        assert_ok(chain_operator.glsl->create(plan, &limits, &glsl));
        assert_int_equal(chain_operator.glsl->passes(glsl, &frame, FOVEA_FORMAT_RGBA16F, passes),
                         1);
        assert_ptr_equal(passes[0].shader.shader, &shader_copy);
        chain_operator.glsl->destroy(&glsl);
        chain_operator.plan_destroy(&plan);
    }
}

TEST(shaders_declare_what_passes_bring)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(fovea_settings_destroy) struct fovea_settings *settings = make_settings(cases[i]);
        const struct operator_plan_desc desc = {
            .settings = settings, .width_px = 300, .height_px = 200};
        struct operator_plan *plan = NULL;
        assert_ok(chain_operator.plan_create(&desc, &plan));
        check_plan(plan, 16384);
        check_plan(plan, 49152);
        chain_operator.plan_destroy(&plan);
    }
}

TEST(copies_bind_an_image_that_is_read_and_one_that_is_written)
{
    const struct shader *const copies[] = {&godot_shader_from_colour, &godot_shader_to_colour};
    for (int i = 0; i < 2; i++) {
        const struct shader_code *code = &copies[i]->words[1];
        struct godot_spirv declared;
        assert_true(godot_spirv_read(code->code, code->bytes, &declared));
        assert_int_equal(declared.bindings[0].type, GODOT_UNIFORM_IMAGE);
        assert_false(declared.bindings[0].writable);
        assert_int_equal(declared.bindings[1].type, GODOT_UNIFORM_IMAGE);
        assert_true(declared.bindings[1].writable);
        assert_int_equal(declared.bindings[2].type, GODOT_UNIFORM_NONE);
        assert_int_equal(declared.constant_bytes, 0);
        check_specials(&declared);
    }
}

TEST(tables_are_read_and_samples_are_written)
{
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = make_settings(cases[0]);
    const struct operator_plan_desc desc = {
        .settings = settings, .width_px = 300, .height_px = 200};
    const struct operator_glsl_limits limits = {16384, UINT32_C(1) << 27};
    const struct operator_frame frame = operator_frame_make(300, 200, (struct fovea_point_uv){0});
    static struct operator_pass passes[OPERATOR_CHAIN_PASSES];
    struct operator_plan *plan = NULL;
    struct operator_glsl *glsl = NULL;
    bool tables = false;
    bool samples = false;
    assert_ok(chain_operator.plan_create(&desc, &plan));
    assert_ok(chain_operator.glsl->create(plan, &limits, &glsl));
    const uint32_t count = chain_operator.glsl->passes(glsl, &frame, FOVEA_FORMAT_RGBA16F, passes);
    for (uint32_t i = 0; i < count; i++) {
        const struct shader_code *code = &passes[i].shader.shader->words[1];
        struct godot_spirv declared;
        assert_true(godot_spirv_read(code->code, code->bytes, &declared));
        assert_false(declared.bindings[2].writable);
        tables |= declared.bindings[2].type == GODOT_UNIFORM_STORAGE;
        samples |=
            declared.bindings[3].type == GODOT_UNIFORM_STORAGE && declared.bindings[3].writable;
    }
    assert_true(tables && samples);
    chain_operator.glsl->destroy(&glsl);
    chain_operator.plan_destroy(&plan);
}

TEST(what_is_no_spirv_is_refused)
{
    const struct shader_code *code = &godot_shader_from_colour.words[1];
    uint32_t words[4096];
    struct godot_spirv declared;
    assert_true(code->bytes <= sizeof words);
    memcpy(words, code->code, code->bytes);
    assert_false(godot_spirv_read(words, 16, &declared));
    assert_false(godot_spirv_read(words, 24, &declared));
    words[5] = 0; /* an instruction of no words */
    assert_false(godot_spirv_read(words, code->bytes, &declared));
    memset(words, 0xff, sizeof words);
    assert_false(godot_spirv_read(words, sizeof words, &declared));
}
