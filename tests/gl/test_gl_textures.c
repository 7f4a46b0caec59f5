/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_gl on whatever OpenGL is here (Mesa's llvmpipe in CI): a texture becomes what
 * fovea_context_run makes of the same picture, bit for bit, and GL's state stays as it was. */

#include "compare.h"
#include "failing.h"
#include "gl_context.h"
#include "test_context_support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define WIDTH_PX 61 /* rows of RGB8 that alignments of 2, 4 and 8 would pad */
#define HEIGHT_PX 47

enum {
    GL_RGB8 = 0x8051,
    GL_RGBA32F = 0x8814,
    GL_SRGB8_ALPHA8 = 0x8C43,
    GL_R8 = 0x8229,
    GL_RED = 0x1903,
    GL_TEXTURE0 = 0x84C0,
    GL_ACTIVE_TEXTURE = 0x84E0,
    GL_STREAM_DRAW = 0x88E0,
    GL_INVALID_ENUM = 0x0500,
};

static const struct format {
    const char *name;
    int32_t internal;
    enum fovea_format format;
    uint32_t gl_format;
    uint32_t gl_type;
} FORMATS[] = {
    {"RGBA8", GL_RGBA8, FOVEA_FORMAT_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, FOVEA_FORMAT_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
    {"RGBA, of the driver's choice", GL_RGBA, FOVEA_FORMAT_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
    {"RGB10_A2", GL_RGB10_A2, FOVEA_FORMAT_A2B10G10R10, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
    {"R11F_G11F_B10F", GL_R11F_G11F_B10F, FOVEA_FORMAT_B10G11R11F, GL_RGB,
     GL_UNSIGNED_INT_10F_11F_11F_REV},
    {"RGBA16F", GL_RGBA16F, FOVEA_FORMAT_RGBA16F, GL_RGBA, GL_HALF_FLOAT},
    {"RGBA32F", GL_RGBA32F, FOVEA_FORMAT_RGBA32F, GL_RGBA, GL_FLOAT},
};

static const struct fovea_gaze GAZE = {
    .point = {0.25, 0.125}, .state = FOVEA_GAZE_TRACKED, .usable = true};
static const struct fovea_gaze NO_GAZE = {.point = {0.5, 0.5}};

/* ---- GL's state, as a program may have it */

static const struct state {
    uint32_t name;
    int32_t value; /* of glPixelStorei */
} STORED[] = {
    {GL_PACK_ALIGNMENT, 8},    {GL_PACK_ROW_LENGTH, 77},   {GL_PACK_SKIP_ROWS, 3},
    {GL_PACK_SKIP_PIXELS, 5},  {GL_PACK_SWAP_BYTES, 1},    {GL_PACK_LSB_FIRST, 1},
    {GL_PACK_SKIP_IMAGES, 2},  {GL_PACK_IMAGE_HEIGHT, 99}, {GL_UNPACK_ALIGNMENT, 2},
    {GL_UNPACK_ROW_LENGTH, 7}, {GL_UNPACK_SKIP_ROWS, 4},   {GL_UNPACK_SKIP_PIXELS, 6},
    {GL_UNPACK_SWAP_BYTES, 1}, {GL_UNPACK_LSB_FIRST, 1},
};
static const uint32_t ASKED[] = {GL_TEXTURE_BINDING_2D,
                                 GL_TEXTURE_BINDING_RECTANGLE,
                                 GL_PIXEL_PACK_BUFFER_BINDING,
                                 GL_PIXEL_UNPACK_BUFFER_BINDING,
                                 GL_ACTIVE_TEXTURE,
                                 GL_READ_FRAMEBUFFER_BINDING,
                                 GL_DRAW_FRAMEBUFFER_BINDING,
                                 GL_SCISSOR_TEST,
                                 GL_FRAMEBUFFER_SRGB};

struct world {
    struct said said;
    struct fovea_gl *fovea;
    uint32_t others[2]; /* textures that stay bound */
    uint32_t buffers[2];
    uint32_t framebuffers[2];
    double tolerance; /* of levels of 255 that the way's backend may differ by */
    int32_t bound[COUNT_OF(ASKED)];
};

/* In old contexts pixels are changed on their way to and from the program. */
static bool transfers(void)
{
    int32_t profile = 0;
    gl.GetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    return !(profile & GL_CONTEXT_CORE_PROFILE_BIT);
}

static void state_set(struct world *world)
{
    if (transfers()) {
        gl.PixelTransferf(GL_RED_SCALE, 2.0f);
    }
    gl.ActiveTexture(GL_TEXTURE0 + 3);
    gl.BindTexture(GL_TEXTURE_2D, world->others[0]);
    gl.BindTexture(GL_TEXTURE_RECTANGLE, world->others[1]);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t target = i ? GL_PIXEL_UNPACK_BUFFER : GL_PIXEL_PACK_BUFFER;
        gl.BindBuffer(target, world->buffers[i]);
        gl.BufferData(target, 64, NULL, GL_STREAM_DRAW);
    }
    for (size_t i = 0; i < COUNT_OF(STORED); i++) {
        gl.PixelStorei(STORED[i].name, STORED[i].value);
    }
    gl.BindFramebuffer(GL_READ_FRAMEBUFFER, world->framebuffers[0]);
    gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, world->framebuffers[1]);
    gl.Enable(GL_SCISSOR_TEST);
    gl.Enable(GL_FRAMEBUFFER_SRGB);
    gl.Scissor(1, 2, 3, 4);
    for (size_t i = 0; i < COUNT_OF(ASKED); i++) {
        gl.GetIntegerv(ASKED[i], &world->bound[i]);
    }
    assert_int_equal(gl.GetError(), GL_NO_ERROR);
}

static void state_assert(const struct world *world)
{
    if (transfers()) {
        int32_t scale = 0;
        gl.GetIntegerv(GL_RED_SCALE, &scale);
        assert_int_equal(scale, 2);
    }
    for (size_t i = 0; i < COUNT_OF(STORED); i++) {
        int32_t value = -1;
        gl.GetIntegerv(STORED[i].name, &value);
        assert_that(value == STORED[i].value, "0x%x is %d", STORED[i].name, value);
    }
    for (size_t i = 0; i < COUNT_OF(ASKED); i++) {
        int32_t value = -1;
        gl.GetIntegerv(ASKED[i], &value);
        assert_that(value == world->bound[i], "0x%x is %d", ASKED[i], value);
    }
    assert_int_equal(gl.GetError(), GL_NO_ERROR);
}

static void state_default(void)
{
    if (transfers()) {
        gl.PixelTransferf(GL_RED_SCALE, 1.0f);
    }
    for (size_t i = 0; i < COUNT_OF(STORED); i++) {
        const bool aligns =
            STORED[i].name == GL_PACK_ALIGNMENT || STORED[i].name == GL_UNPACK_ALIGNMENT;
        gl.PixelStorei(STORED[i].name, aligns ? 1 : 0);
    }
    gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl.BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

/* ---- A context with fovea_gl in it */

static struct fovea_gl_desc desc_of(struct world *world, const struct fovea_settings *settings)
{
    struct fovea_gl_desc desc;
    fovea_gl_desc_init(&desc);
    desc.settings = settings;
    desc.log = said_log(&world->said);
    return desc;
}

/* Whether somebody says that this machine can: "vulkan", or "cuda" too. */
static bool must_share(const char *backend)
{
    const char *named = getenv("FOVEA_TEST_GL_SHARED");
    return named && (strcmp(backend, "cuda") != 0 || !strcmp(named, "cuda"));
}

static struct world *world_make(enum gl_kind kind, enum fovea_gl_way way, const char *backend)
{
    if (!gl_context_make(kind)) {
        skip();
    }
    struct world *world = test_memory(1, sizeof *world);
    const char *words[] = {"backend", backend, NULL};
    struct fovea_settings *settings = settings_with(words, &world->said);
    struct fovea_gl_desc desc = desc_of(world, settings);
    desc.way = way;
    world->tolerance = way == FOVEA_GL_WAY_SHARED ? 2.0 : 0.0;
    const enum fovea_result result = fovea_gl_create(&desc, &world->fovea);
    fovea_settings_destroy(&settings);
    if (way == FOVEA_GL_WAY_SHARED && result == FOVEA_ERROR_UNSUPPORTED && !must_share(backend)) {
        gl_context_drop();
        free(world);
        skip();
    }
    assert_that(result == FOVEA_OK, "%s", world->said.last);
    gl.GenTextures(2, world->others);
    gl.GenBuffers(2, world->buffers);
    gl.GenFramebuffers(2, world->framebuffers);
    state_set(world);
    return world;
}

static void world_end(struct world **own)
{
    OWNED(owned_free) struct world *world = *own;
    assert_silent(&world->said);
    state_assert(world);
    gl.DeleteTextures(2, world->others);
    gl.DeleteBuffers(2, world->buffers);
    gl.DeleteFramebuffers(2, world->framebuffers);
    fovea_gl_destroy(&world->fovea);
    assert_null(world->fovea);
    gl_context_drop();
}

static struct fovea_gl_texture texture_of(const struct format *format, uint32_t target,
                                          uint32_t width_px, const void *pixels)
{
    struct fovea_gl_texture texture = {.target = target};
    gl.GenTextures(1, &texture.name);
    gl.BindTexture(target, texture.name);
    gl.TexImage2D(target, 0, format->internal, (int32_t)width_px, HEIGHT_PX, 0, format->gl_format,
                  format->gl_type, pixels);
    return texture;
}

/* The picture's rows as GL has them. */
static void turn(const struct test_image *from, const struct test_image *to, bool top_down)
{
    const size_t row = (size_t)from->view.row_stride_bytes;
    for (uint32_t y = 0; y < HEIGHT_PX; y++) {
        memcpy((char *)to->view.data + row * (top_down ? y : HEIGHT_PX - 1 - y),
               (char *)from->view.data + row * y, row);
    }
}

/* A case: a picture, what the cpu backend makes of it, and what comes out of GL. */
struct pixels {
    struct test_image src, turned, expected, out;
};

static struct pixels *pixels_make(const struct format *format, bool top_down,
                                  const struct fovea_settings *settings, struct fovea_gaze gaze)
{
    struct said said = {0};
    struct pixels *pixels = test_memory(1, sizeof *pixels);
    struct test_image *images[] = {&pixels->turned, &pixels->expected, &pixels->out};
    for (size_t i = 0; i < COUNT_OF(images); i++) {
        *images[i] = image_make_packed(WIDTH_PX, HEIGHT_PX, format->format);
    }
    pixels->src = image_drawn(WIDTH_PX, HEIGHT_PX, format->format, IMAGE_PHOTO, 3);
    turn(&pixels->src, &pixels->turned, top_down);
    OWNED(fovea_context_destroy) struct fovea_context *context = context_of(settings, &said);
    const struct fovea_point_uv nowhere = {NAN, NAN};
    assert_ok(fovea_context_run(context, &pixels->src.view, &pixels->expected.view,
                                gaze.usable ? gaze.point : nowhere, NULL));
    return pixels;
}

static void pixels_free(struct pixels **own)
{
    OWNED(owned_free) struct pixels *pixels = *own;
    image_free(&pixels->src);
    image_free(&pixels->turned);
    image_free(&pixels->expected);
    image_free(&pixels->out);
}

static void assert_holds(double tolerance, const struct fovea_gl_texture *texture,
                         const struct format *format, const struct test_image *expected,
                         bool top_down, struct pixels *pixels, const char *what)
{
    OWNED_IMAGE raw = image_make_packed(WIDTH_PX, HEIGHT_PX, format->format);
    gl.BindTexture(texture->target, texture->name);
    gl.GetTexImage(texture->target, 0, format->gl_format, format->gl_type, raw.view.data);
    turn(&raw, &pixels->out, top_down);
    if (tolerance == 0.0) {
        compare_assert_all_same(&pixels->out.view, &expected->view, what);
        return;
    }
    struct compare_rect where;
    const double differs = compare_largest(&pixels->out.view, &expected->view, &where);
    const double most = tolerance * image_white(format->format, 0) / 255.0;
    assert_that(differs <= most, "%s: %u, %u is %g beside the cpu backend's; at most %g", what,
                where.x, where.y, differs, most);
}

struct way {
    uint32_t src_target, dst_target;
    bool top_down, in_place;
};

static void run_case(struct world *world, const struct format *format, struct way way,
                     struct pixels *pixels, struct fovea_gaze gaze, enum fovea_result wanted)
{
    struct fovea_gl_frame frame;
    fovea_gl_frame_init(&frame);
    state_default();
    frame.src = texture_of(format, way.src_target, WIDTH_PX, pixels->turned.view.data);
    frame.dst = way.in_place ? frame.src : texture_of(format, way.dst_target, WIDTH_PX, NULL);
    frame.gaze = gaze;
    frame.top_down = way.top_down;
    state_set(world);
    assert_int_equal(fovea_gl_foveate(world->fovea, &frame), wanted);
    state_assert(world);
    state_default();
    assert_holds(world->tolerance, &frame.dst, format,
                 wanted == FOVEA_OK ? &pixels->expected : &pixels->src, way.top_down, pixels,
                 test_text("%s, dst", format->name));
    if (!way.in_place) {
        assert_holds(0.0, &frame.src, format, &pixels->src, way.top_down, pixels,
                     test_text("%s, src", format->name));
        gl.DeleteTextures(1, &frame.dst.name);
    }
    gl.DeleteTextures(1, &frame.src.name);
    state_set(world);
}

static const struct way WAYS[] = {
    {GL_TEXTURE_2D, GL_TEXTURE_2D, false, false},
    {GL_TEXTURE_2D, GL_TEXTURE_2D, true, true},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_RECTANGLE, false, true},
    {GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, true, false},
};

static void formats_are_right(enum gl_kind kind, enum fovea_gl_way way, const char *backend)
{
    OWNED(world_end) struct world *world = world_make(kind, way, backend);
    for (size_t i = 0; i < COUNT_OF(FORMATS); i++) {
        for (size_t k = 0; k < COUNT_OF(WAYS); k++) {
            OWNED(pixels_free)
            struct pixels *pixels = pixels_make(&FORMATS[i], WAYS[k].top_down, NULL, GAZE);
            run_case(world, &FORMATS[i], WAYS[k], pixels, GAZE, FOVEA_OK);
        }
    }
}

TEST(a_texture_becomes_what_its_picture_becomes)
{
    formats_are_right(GL_KIND_CORE, FOVEA_GL_WAY_COPIED, "cpu");
}

TEST(old_contexts_have_it_too)
{
    formats_are_right(GL_KIND_COMPATIBLE, FOVEA_GL_WAY_COPIED, "auto");
}

/* This needs a Vulkan that has the device that GL draws with: lavapipe for llvmpipe. */
TEST(shared_with_vulkan_it_becomes_nearly_the_same)
{
    formats_are_right(GL_KIND_CORE, FOVEA_GL_WAY_SHARED, "vulkan");
}

TEST(shared_with_vulkan_and_cuda_too)
{
    formats_are_right(GL_KIND_CORE, FOVEA_GL_WAY_SHARED, "cuda");
}

/* RGB8 has no alpha, in whatever the driver keeps it. */
TEST(a_texture_without_alpha_is_taken)
{
    static const struct format rgb = {"RGB8", GL_RGB8, FOVEA_FORMAT_RGB8, GL_RGB, GL_UNSIGNED_BYTE};
    OWNED(world_end) struct world *world = world_make(GL_KIND_CORE, FOVEA_GL_WAY_COPIED, "auto");
    OWNED(pixels_free) struct pixels *pixels = pixels_make(&rgb, false, NULL, GAZE);
    run_case(world, &rgb, WAYS[0], pixels, GAZE, FOVEA_OK);
}

TEST(without_a_gaze_the_picture_passes_through)
{
    OWNED(world_end) struct world *world = world_make(GL_KIND_CORE, FOVEA_GL_WAY_COPIED, "auto");
    for (size_t k = 0; k < COUNT_OF(WAYS); k++) {
        OWNED(pixels_free)
        struct pixels *pixels = pixels_make(&FORMATS[0], WAYS[k].top_down, NULL, GAZE);
        run_case(world, &FORMATS[0], WAYS[k], pixels, NO_GAZE, FOVEA_PASSED_THROUGH);
        struct fovea_gaze nan = GAZE;
        nan.point.y_uv = NAN;
        run_case(world, &FORMATS[0], WAYS[k], pixels, nan, FOVEA_PASSED_THROUGH);
    }
}

TEST(operators_that_need_no_gaze_are_at_work_without_one)
{
    static const char *const words[] = {"operators", "[\"foveate\",\"blur\"]", "blur.sigma_px", "2",
                                        NULL};
    struct said said = {0};
    OWNED(fovea_settings_destroy) struct fovea_settings *settings = settings_with(words, &said);
    OWNED(world_end) struct world *world = world_make(GL_KIND_CORE, FOVEA_GL_WAY_COPIED, "auto");
    assert_ok(fovea_gl_set_settings(world->fovea, settings));
    OWNED(pixels_free) struct pixels *pixels = pixels_make(&FORMATS[0], false, settings, NO_GAZE);
    run_case(world, &FORMATS[0], WAYS[0], pixels, NO_GAZE, FOVEA_OK);
}

/* ---- Refusals */

TEST(what_cannot_be_taken_is_named_once_and_dst_stays)
{
    static const struct format red = {"R8", GL_R8, FOVEA_FORMAT_R8, GL_RED, GL_UNSIGNED_BYTE};
    OWNED(world_end) struct world *world = world_make(GL_KIND_CORE, FOVEA_GL_WAY_COPIED, "auto");
    OWNED(pixels_free) struct pixels *pixels = pixels_make(&FORMATS[0], true, NULL, GAZE);
    state_default();
    const struct fovea_gl_texture good =
        texture_of(&FORMATS[0], GL_TEXTURE_2D, WIDTH_PX, pixels->turned.view.data);
    const struct fovea_gl_texture small = texture_of(&FORMATS[0], GL_TEXTURE_2D, 8, NULL);
    const struct fovea_gl_texture half = texture_of(&FORMATS[5], GL_TEXTURE_2D, WIDTH_PX, NULL);
    const struct fovea_gl_texture gray = texture_of(&red, GL_TEXTURE_2D, WIDTH_PX, NULL);
    struct fovea_gl_texture empty = {.target = GL_TEXTURE_2D};
    gl.GenTextures(1, &empty.name);
    gl.BindTexture(GL_TEXTURE_2D, empty.name);
    const struct {
        struct fovea_gl_texture src;
        enum fovea_result wanted;
        const char *word;
    } cases[] = {
        {{.name = 4711}, FOVEA_ERROR_INVALID_ARGUMENT, "src: 4711 is no texture"},
        {{.name = 0}, FOVEA_ERROR_INVALID_ARGUMENT, "src: 0 is no texture"},
        {{good.name, GL_TEXTURE_RECTANGLE}, FOVEA_ERROR_INVALID_ARGUMENT, "of another target"},
        {{good.name, 0x9100}, FOVEA_ERROR_INVALID_ARGUMENT, "resolve them first"},
        {empty, FOVEA_ERROR_INVALID_ARGUMENT, "no level 0"},
        {gray, FOVEA_ERROR_UNSUPPORTED, "internal format 0x8229, of 8, 0, 0 bits"},
        {small, FOVEA_ERROR_INVALID_ARGUMENT, "dst: "},
        {half, FOVEA_ERROR_INVALID_ARGUMENT, "dst: "},
    };
    struct fovea_gl_frame frame;
    fovea_gl_frame_init(&frame);
    frame.dst = good;
    frame.gaze = GAZE;
    uint32_t size_px[2] = {0, 0};
    assert_ok(fovea_gl_size(world->fovea, &good, &size_px[0], &size_px[1]));
    assert_int_equal(size_px[0], WIDTH_PX);
    assert_int_equal(size_px[1], HEIGHT_PX);
    assert_int_equal(fovea_gl_size(world->fovea, &cases[0].src, &size_px[0], &size_px[1]),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_said(&world->said, "4711 is no texture");
    frame.src = good;
    assert_int_equal(fovea_gl_foveate(world->fovea, &frame), FOVEA_OK);
    gl.BindTexture(GL_TEXTURE_2D, good.name);
    gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH_PX, HEIGHT_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                  pixels->turned.view.data);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        frame.src = cases[i].src;
        state_set(world);
        for (int time = 0; time < 3; time++) {
            assert_int_equal(fovea_gl_foveate(world->fovea, &frame), cases[i].wanted);
        }
        state_assert(world);
        assert_said(&world->said, cases[i].word);
        state_default();
        assert_holds(0.0, &good, &FORMATS[0], &pixels->src, true, pixels, "dst");
        /* Right again: the next trouble is said. */
        frame.src = good;
        assert_ok(fovea_gl_foveate(world->fovea, &frame));
        gl.BindTexture(GL_TEXTURE_2D, good.name);
        gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH_PX, HEIGHT_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      pixels->turned.view.data);
    }
    frame.reserved[6] = 1;
    assert_int_equal(fovea_gl_foveate(world->fovea, &frame), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_said(&world->said, "reserved");
    state_set(world);
}

TEST(an_error_that_the_program_left_is_named_and_no_error_of_ours)
{
    OWNED(world_end) struct world *world = world_make(GL_KIND_CORE, FOVEA_GL_WAY_COPIED, "auto");
    OWNED(pixels_free) struct pixels *pixels = pixels_make(&FORMATS[0], true, NULL, GAZE);
    state_default();
    struct fovea_gl_frame frame;
    fovea_gl_frame_init(&frame);
    frame.src = frame.dst =
        texture_of(&FORMATS[0], GL_TEXTURE_2D, WIDTH_PX, pixels->turned.view.data);
    frame.gaze = GAZE;
    state_set(world);
    gl.BindTexture(GL_INVALID_ENUM, 1);
    assert_ok(fovea_gl_foveate(world->fovea, &frame));
    state_assert(world);
    assert_said(&world->said, "left an error before a call of Fovea's: GL_INVALID_ENUM");
}

/* ---- A driver that lays out a shared image differently on either side */

static void storage_of_its_own(uint32_t target, int32_t levels, uint32_t internal, int32_t width,
                               int32_t height, uint32_t memory, uint64_t offset)
{
    gl.TexStorage2D(target, levels, internal, width, height);
}

static fovea_gl_function_fn of_a_wrong_driver(void *user, const char *name)
{
    return strcmp(name, "glTexStorageMem2DEXT") != 0 ? gl_context_function(NULL, name)
                                                     : (fovea_gl_function_fn)storage_of_its_own;
}

TEST(a_picture_that_does_not_arrive_is_not_shared)
{
    if (!gl_context_make(GL_KIND_CORE)) {
        skip();
    }
    OWNED(pixels_free) struct pixels *pixels = pixels_make(&FORMATS[0], true, NULL, GAZE);
    struct world world = {0};
    struct fovea_gl_desc desc = desc_of(&world, NULL);
    struct fovea_gl_frame frame;
    fovea_gl_frame_init(&frame);
    frame.src = frame.dst =
        texture_of(&FORMATS[0], GL_TEXTURE_2D, WIDTH_PX, pixels->turned.view.data);
    frame.gaze = GAZE;
    frame.top_down = true;
    desc.get_proc_address = of_a_wrong_driver;
    desc.way = FOVEA_GL_WAY_SHARED;
    if (fovea_gl_create(&desc, &world.fovea) == FOVEA_OK) {
        assert_int_equal(fovea_gl_foveate(world.fovea, &frame), FOVEA_ERROR_UNSUPPORTED);
        assert_said(&world.said, "what OpenGL writes into a shared image is not");
        assert_holds(0.0, &frame.dst, &FORMATS[0], &pixels->src, true, pixels, "dst");
    }
    fovea_gl_destroy(&world.fovea);
    world.said = (struct said){0};
    desc.way = FOVEA_GL_WAY_AUTO;
    assert_ok(fovea_gl_create(&desc, &world.fovea));
    assert_ok(fovea_gl_foveate(world.fovea, &frame));
    assert_non_null(strstr(fovea_gl_way_reason(world.fovea), "copied through the processor"));
    assert_holds(0.0, &frame.dst, &FORMATS[0], &pixels->expected, true, pixels, "dst");
    fovea_gl_destroy(&world.fovea);
    gl_context_drop();
}

/* ---- Contexts */

TEST(without_a_context_nothing_is_made)
{
    struct world world = {0};
    struct fovea_gl_desc desc = desc_of(&world, NULL);
    desc.way = FOVEA_GL_WAY_COPIED;
    if (!gl_context_make(GL_KIND_CORE)) {
        skip();
    }
    assert_ok(fovea_gl_create(&desc, &world.fovea));
    assert_non_null(strstr(world.said.info, "copied through the processor"));
    assert_non_null(strstr(fovea_gl_way_reason(world.fovea), "copied through the processor"));
    gl_context_drop();
    struct fovea_gl_frame frame;
    fovea_gl_frame_init(&frame);
    assert_int_equal(fovea_gl_foveate(world.fovea, &frame), FOVEA_ERROR_INVALID_STATE);
    assert_said(&world.said, "no context is current");
    fovea_gl_destroy(&world.fovea);
    fovea_gl_destroy(&world.fovea);
    assert_int_equal(fovea_gl_create(&desc, &world.fovea), FOVEA_ERROR_INVALID_STATE);
    assert_said(&world.said, "no context is current");
    assert_null(world.fovea);
    if (gl_context_make(GL_KIND_ES)) {
        assert_int_equal(fovea_gl_create(&desc, &world.fovea), FOVEA_ERROR_UNSUPPORTED);
        assert_said(&world.said, "OpenGL 3.0 or later is needed");
        gl_context_drop();
    }
}

static fovea_gl_function_fn none_of_all(void *user, const char *name)
{
    return strcmp(name, user) != 0 ? gl_context_function(NULL, name) : NULL;
}

TEST(the_programs_own_functions_are_asked)
{
    struct world world = {0};
    struct fovea_gl_desc desc = desc_of(&world, NULL);
    if (!gl_context_make(GL_KIND_CORE)) {
        skip();
    }
    desc.get_proc_address = gl_context_function;
    assert_ok(fovea_gl_create(&desc, &world.fovea));
    fovea_gl_destroy(&world.fovea);
    char missing[] = "glGetTexImage";
    desc.get_proc_address = none_of_all;
    desc.get_proc_address_user = missing;
    assert_int_equal(fovea_gl_create(&desc, &world.fovea), FOVEA_ERROR_UNSUPPORTED);
    assert_said(&world.said, "glGetTexImage");
    gl_context_drop();
}

TEST(memory_that_lacks_is_said_once)
{
    struct world world = {0};
    struct fovea_gl_desc desc = desc_of(&world, NULL);
    if (!gl_context_make(GL_KIND_CORE)) {
        skip();
    }
    desc.way = FOVEA_GL_WAY_COPIED;
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    for (int allowed = 0; result != FOVEA_OK; allowed++) {
        failing_after = allowed;
        result = fovea_gl_create(&desc, &world.fovea);
        failing_after = -1;
        if (result != FOVEA_OK) {
            assert_int_equal(result, FOVEA_ERROR_OUT_OF_MEMORY);
            assert_said(&world.said, "memory");
        }
    }
    fovea_gl_destroy(&world.fovea);
    gl_context_drop();
}

TEST(wrong_descs_are_refused)
{
    struct world world = {0};
    struct fovea_gl_desc desc = desc_of(&world, NULL);
    desc.way = (enum fovea_gl_way)7;
    assert_int_equal(fovea_gl_create(&desc, &world.fovea), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_said(&world.said, "way");
    assert_int_equal(fovea_gl_create(&desc, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gl_create(NULL, &world.fovea), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_gl_foveate(NULL, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_string_equal(fovea_gl_way_reason(NULL), "");
}
