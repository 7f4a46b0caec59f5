/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cases.h"

#include "kernels/blur/blur.h"
#include "kernels/lens/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#define CORNER_PX 16.0

static const struct bench_size sizes[] = {
    {"720p", 1280, 720}, {"1080p", 1920, 1080}, {"1440p", 2560, 1440},
    {"4K", 3840, 2160},  {"8K", 7680, 4320},
};
static const struct bench_size quick_sizes[] = {{"180p", 320, 180}};

#define SMOOTH FOVEA_METHOD_SMOOTH
#define BLOCKWISE FOVEA_METHOD_BLOCKWISE
#define PAPER FOVEA_MODEL_PAPER
#define ENCODED FOVEA_LIGHT_ENCODED
#define RGBA8 FOVEA_FORMAT_RGBA8
#define FOVEATE FOVEA_OPERATOR_foveate, 0.0, BENCH_ALONE

/* These are of a lens: places a pixel, 2x2, 3x3, 4x4 and 2x2 for each colour; bicubic; nearest;
 * points at 4K, from GRID on: 16 px apart; the same for each colour; 32 px apart, quadratic; one a
 * pixel. */
#define APART -0.01 /* red is so much other than green, and blue likewise */
#define SAMPLES 0.5
#define SAMPLES_3X3 0.6
#define SAMPLES_4X4 0.7
#define SAMPLES_OF_COLORS 0.8
#define BICUBIC 0.9
#define NEAREST 1.0
#define GRID 2.0
#define GRID_OF_COLORS 3.0
#define GRID_QUADRATIC 4.0
#define DENSE 5.0

/* The operator blur has that radius by the engine fft. */
#define FFT(radius_px) (-(radius_px))
/* It has that sigma by another engine. */
#define ENGINE_STEP 1000
#define ENGINE(engine, sigma_px) (ENGINE_STEP * BLUR_##engine + (sigma_px))
#define SIGMA_OF_50_STEPS 4.08

#define OTHER(name, words, light, op, of_operator)                                                 \
    {                                                                                              \
        name, words, SMOOTH, PAPER, light, 1.0, 32, RGBA8, true, FOVEA_OPERATOR_##op, of_operator, \
            BENCH_ALONE                                                                            \
    }
#define FOVEATED(name, words, model, of_lens)                                                      \
    {name,    words,    SMOOTH, model, FOVEA_LIGHT_LINEAR,                                         \
     1.0,     32,       RGBA8,  false, FOVEA_OPERATOR_lens,                                        \
     of_lens, BENCH_ROW},                                                                          \
    {                                                                                              \
        name "-apart", "the same by each operator", SMOOTH, model, FOVEA_LIGHT_LINEAR, 1.0, 32,    \
            RGBA8, false, FOVEA_OPERATOR_lens, of_lens, BENCH_APART                                \
    }
#define OF_DISCS 0.5
#define DEPTHS(name, words, depths, row)                                                           \
    {                                                                                              \
        name, words, SMOOTH, PAPER, FOVEA_LIGHT_LINEAR, 1.0, 32, RGBA8, true, FOVEA_OPERATOR_dof,  \
            depths, row                                                                            \
    }

const struct bench_mode bench_modes[] = {
    {"smooth", "the paper's sigma", SMOOTH, PAPER, ENCODED, 1.0, 32, RGBA8, false, FOVEATE},
    {"smooth-linear", "the paper's sigma in linear light", SMOOTH, PAPER, FOVEA_LIGHT_LINEAR, 1.0,
     32, RGBA8, false, FOVEATE},
    {"smooth-mild", "a desktop seen as it is: model physical, default geometry", SMOOTH,
     FOVEA_MODEL_PHYSICAL, ENCODED, 1.0, 32, RGBA8, false, FOVEATE},
    {"smooth-strong", "the paper's sigma doubled", SMOOTH, PAPER, ENCODED, 2.0, 32, RGBA8, false,
     FOVEATE},
    {"blockwise-32", "fragments of 32 px", BLOCKWISE, PAPER, ENCODED, 1.0, 32, RGBA8, false,
     FOVEATE},
    {"blockwise-16", "fragments of 16 px", BLOCKWISE, PAPER, ENCODED, 1.0, 16, RGBA8, false,
     FOVEATE},
    {"blockwise-8", "fragments of 8 px", BLOCKWISE, PAPER, ENCODED, 1.0, 8, RGBA8, false, FOVEATE},
    {"smooth-rgba16f", "the paper's sigma, half floats", SMOOTH, PAPER, ENCODED, 1.0, 32,
     FOVEA_FORMAT_RGBA16F, false, FOVEATE},
    {"smooth-x0.5", "half of the paper's sigma", SMOOTH, PAPER, ENCODED, 0.5, 32, RGBA8, true,
     FOVEATE},
    {"smooth-x4", "four times the paper's sigma", SMOOTH, PAPER, ENCODED, 4.0, 32, RGBA8, true,
     FOVEATE},
    OTHER("blur-4", "one Gaussian of 4 px over the whole picture", ENCODED, blur, 4.0),
    OTHER("blur-4-linear", "the same in linear light", FOVEA_LIGHT_LINEAR, blur, 4.0),
    OTHER("blur-32", "one Gaussian of 32 px", ENCODED, blur, 32.0),
    OTHER("blur-32-linear", "the same in linear light", FOVEA_LIGHT_LINEAR, blur, 32.0),
    OTHER("blur-fft-24", "a disc of a radius of 24 px, by transforms", ENCODED, blur, FFT(24.0)),
    OTHER("blur-fft-24-linear", "the same in linear light", FOVEA_LIGHT_LINEAR, blur, FFT(24.0)),
    OTHER("blur-fft-200", "a disc of 200 px", ENCODED, blur, FFT(200.0)),
    OTHER("blur-quasi-20", "sigma 20 by quasi", ENCODED, blur, ENGINE(QUASI, 20.0)),
    OTHER("blur-box-20", "sigma 20 by box", ENCODED, blur, ENGINE(BOX, 20.0)),
    OTHER("blur-diffusion-50", "50 steps of diffusion", ENCODED, blur,
          ENGINE(DIFFUSION, SIGMA_OF_50_STEPS)),
    OTHER("lens", "a display behind a lens, bilinear", ENCODED, lens, 0.0),
    OTHER("lens-linear", "the same in linear light", FOVEA_LIGHT_LINEAR, lens, 0.0),
    OTHER("lens-colors", "a place for each colour, bilinear", ENCODED, lens, APART),
    OTHER("lens-colors-linear", "the same in linear light", FOVEA_LIGHT_LINEAR, lens, APART),
    OTHER("lens-2x2", "the mean of 2x2 places", ENCODED, lens, SAMPLES),
    OTHER("lens-2x2-linear", "the same in linear light", FOVEA_LIGHT_LINEAR, lens, SAMPLES),
    OTHER("lens-2x2-colors", "the same for each colour", ENCODED, lens, SAMPLES_OF_COLORS),
    OTHER("lens-3x3", "the mean of 3x3 places", ENCODED, lens, SAMPLES_3X3),
    OTHER("lens-4x4", "the mean of 4x4 places", ENCODED, lens, SAMPLES_4X4),
    OTHER("lens-bicubic", "bicubic", ENCODED, lens, BICUBIC),
    OTHER("lens-nearest", "the nearest pixel", ENCODED, lens, NEAREST),
    OTHER("lens-grid", "places from 241 x 136 points, bilinear", ENCODED, lens, GRID),
    OTHER("lens-grid-colors", "the same for each colour", ENCODED, lens, GRID_OF_COLORS),
    OTHER("lens-grid-quadratic", "121 x 69 points, quadratic", ENCODED, lens, GRID_QUADRATIC),
    OTHER("lens-dense", "a point for each pixel", ENCODED, lens, DENSE),
    FOVEATED("foveate-lens", "foveated, then a lens, in linear light", PAPER, 0.0),
    FOVEATED("foveate-lens-colors", "then a place for each colour", PAPER, APART),
    FOVEATED("foveate-lens-grid", "then places from 241 x 136 points", PAPER, GRID),
    FOVEATED("foveate-lens-2x2", "then the mean of 2x2 places", PAPER, SAMPLES),
    FOVEATED("foveate-lens-mild", "model physical, then a lens", FOVEA_MODEL_PHYSICAL, 0.0),
    DEPTHS("dof", "depth of field, things before the focus", BENCH_DEPTHS_NEAR, BENCH_ALONE),
    DEPTHS("dof-far", "nothing is before it", BENCH_DEPTHS_FAR, BENCH_ALONE),
    DEPTHS("dof-disc", "dof with dof.bokeh disc", BENCH_DEPTHS_NEAR + OF_DISCS, BENCH_ALONE),
    DEPTHS("dof-disc-far", "nothing is before it", BENCH_DEPTHS_FAR + OF_DISCS, BENCH_ALONE),
    DEPTHS("dof-in-focus", "all is in focus", BENCH_DEPTHS_IN_FOCUS, BENCH_ALONE),
    DEPTHS("dof-foveate", "dof, then foveated, in linear light", BENCH_DEPTHS_NEAR, BENCH_BEFORE),
    DEPTHS("dof-foveate-far", "nothing is before the focus", BENCH_DEPTHS_FAR, BENCH_BEFORE),
    DEPTHS("foveate-dof", "foveated, then dof", BENCH_DEPTHS_NEAR, BENCH_ROW),
};
const size_t bench_mode_count = COUNT(bench_modes);

const struct bench_gaze bench_gazes[] = {{"centre", true}, {"corner", false}};
const size_t bench_gaze_count = COUNT(bench_gazes);

const struct bench_size *bench_sizes(bool quick, size_t *out_count)
{
    *out_count = quick ? COUNT(quick_sizes) : COUNT(sizes);
    return quick ? quick_sizes : sizes;
}

const struct bench_size *bench_size_named(const char *name)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        if (strcmp(sizes[i].name, name) == 0) {
            return &sizes[i];
        }
    }
    return NULL;
}

bool bench_case_exists(const struct bench_case *c)
{
    const bool dense = c->mode->op == FOVEA_OPERATOR_lens && c->mode->of_operator == DENSE;
    const bool quick = c->mode->op == FOVEA_OPERATOR_dof && c->size == &quick_sizes[0];
    const bool usual = strcmp(c->size->name, "4K") == 0 ||
                       (strcmp(c->size->name, "1080p") == 0 && !dense) || quick;
    return !c->mode->series || (usual && c->gaze->centre);
}

bool bench_is_fft(const struct bench_mode *mode)
{
    return mode->op == FOVEA_OPERATOR_blur && mode->of_operator < 0.0;
}

struct fovea_foveation bench_foveation(const struct bench_mode *mode)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    foveation.method = mode->method;
    foveation.model = mode->model;
    foveation.light = mode->light;
    foveation.strength = mode->strength;
    foveation.paper.fragment_px = mode->fragment_px;
    return foveation;
}

struct grid {
    uint32_t columns, rows;
    double start;
    bool quadratic, colored;
};

/* The default lens, and for red and blue others. */
static void put_places(const struct grid *grid, const double step_uv[2], int color, float *places)
{
    for (size_t i = 0; i < (size_t)grid->columns * grid->rows; i++) {
        const double x = 2.0 * ((double)(i % grid->columns) + grid->start) * step_uv[0] - 1;
        const double y = 2.0 * ((double)(i / grid->columns) + grid->start) * step_uv[1] - 1;
        const double r2 = x * x + y * y * 9.0 / 16.0 * 9.0 / 16.0;
        const double factor = 1.0 + (0.2054 + 0.01 * (color - LENS_AXIS)) * r2;
        places[2 * i] = (float)(0.5 + 0.5 * x * factor);
        places[2 * i + 1] = (float)(0.5 + 0.5 * y * factor);
    }
}

static struct shared_data *make_grid(const struct grid *grid)
{
    const double between = 1.0 - 2.0 * grid->start; /* points of a dense map have no edge */
    const size_t count = 2 * (size_t)grid->columns * grid->rows;
    struct lens_points points = {
        .columns = grid->columns,
        .rows = grid->rows,
        .quadratic = grid->quadratic,
        .step_uv = {1.0 / (grid->columns - between), 1.0 / (grid->rows - between)},
        .start = grid->start,
        .memory = malloc(LENS_COLORS * count * sizeof(float))};
    char problem[LENS_PROBLEM_BYTES];
    struct lens_calibration *made = lens_calibration_make();
    struct shared_data *data = NULL;
    for (int color = 0; points.memory && color < LENS_COLORS; color++) {
        const int own = grid->colored ? color : LENS_AXIS;
        float *places = points.memory + (size_t)own * count;
        put_places(grid, points.step_uv, own, places);
        points.places_uv[color] = places;
    }
    if (made) {
        made->eyes[0].points = points;
    }
    return lens_calibration_finish(made, points.memory, problem, &data) < 0 ? NULL : data;
}

/* NULL: there is no memory. */
static struct shared_data *grid_of(double which)
{
    static const struct grid grids[] = {{241, 136, 0.0, false, false},
                                        {241, 136, 0.0, false, true},
                                        {121, 69, 0.0, true, false},
                                        {3840, 2160, 0.5, false, false}};
    static struct shared_data *made[COUNT(grids)]; /* to the end of the process */
    const size_t i = (size_t)(which - GRID);
    if (!made[i]) {
        made[i] = make_grid(&grids[i]);
    }
    return made[i];
}

static void set_lens(double of_operator, struct fovea_operator_settings *own)
{
    static const struct {
        double kind;
        uint32_t samples; /* the setting's word */
        double apart;
    } samples[] = {{SAMPLES, 1, 0.0},
                   {SAMPLES_3X3, 2, 0.0},
                   {SAMPLES_4X4, 3, 0.0},
                   {SAMPLES_OF_COLORS, 1, APART}};
    double apart = of_operator < 0.0 ? of_operator : 0.0;
    for (size_t i = 0; i < COUNT(samples); i++) {
        if (samples[i].kind == of_operator) {
            own->lens_samples = samples[i].samples;
            apart = samples[i].apart;
        }
    }
    if (of_operator >= GRID) {
        own->lens_file_data = grid_of(of_operator);
    }
    if (of_operator == BICUBIC || of_operator == NEAREST) {
        own->lens_filter = of_operator == BICUBIC ? LENS_BICUBIC : LENS_NEAREST;
    }
    own->lens_red_r2 = apart;
    own->lens_blue_r2 = -apart;
}

struct fovea_settings bench_settings(const struct bench_mode *mode)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation = bench_foveation(mode);
    settings.operators.order[0] = mode->op;
    if (mode->row != BENCH_ALONE) {
        settings.operators = (struct fovea_operators){2, {FOVEA_OPERATOR_foveate, mode->op}};
    }
    if (mode->row == BENCH_BEFORE) {
        settings.operators = (struct fovea_operators){2, {mode->op, FOVEA_OPERATOR_foveate}};
    }
    if (bench_is_fft(mode)) {
        settings.own.blur_engine = BLUR_FFT;
        settings.own.blur_radius_px = -mode->of_operator;
    } else if (mode->op == FOVEA_OPERATOR_blur) {
        settings.own.blur_engine = (uint32_t)(mode->of_operator / ENGINE_STEP);
        settings.own.blur_sigma_px = fmod(mode->of_operator, ENGINE_STEP);
    }
    if (mode->op == FOVEA_OPERATOR_dof) {
        settings.own.dof_bokeh = fmod(mode->of_operator, 1.0) == OF_DISCS;
    }
    if (mode->op == FOVEA_OPERATOR_lens) {
        set_lens(mode->of_operator, &settings.own);
    }
    return settings;
}

struct fovea_point_uv bench_gaze_uv(const struct bench_gaze *gaze, const struct bench_size *size)
{
    if (gaze->centre) {
        return (struct fovea_point_uv){0.5, 0.5};
    }
    return (struct fovea_point_uv){CORNER_PX / size->width_px, CORNER_PX / size->height_px};
}

const char *bench_format_name(enum fovea_format format)
{
    static const char *const names[] = {
        [FOVEA_FORMAT_RGBA8] = "RGBA8",
        [FOVEA_FORMAT_RGB8] = "RGB8",
        [FOVEA_FORMAT_R8] = "R8",
        [FOVEA_FORMAT_R16F] = "R16F",
        [FOVEA_FORMAT_R32F] = "R32F",
        [FOVEA_FORMAT_A2B10G10R10] = "A2B10G10R10",
        [FOVEA_FORMAT_B10G11R11F] = "B10G11R11F",
        [FOVEA_FORMAT_RGB16F] = "RGB16F",
        [FOVEA_FORMAT_RGB32F] = "RGB32F",
        [FOVEA_FORMAT_RGBA16F] = "RGBA16F",
        [FOVEA_FORMAT_RGBA32F] = "RGBA32F",
    };
    return names[format];
}

size_t bench_image_bytes(const struct bench_size *size, enum fovea_format format)
{
    return (size_t)size->width_px * size->height_px * fovea_format_bytes(format);
}

struct fovea_image bench_image(const struct bench_size *size, enum fovea_format format,
                               enum fovea_memory memory, void *data)
{
    return (struct fovea_image){
        .data = data,
        .width_px = size->width_px,
        .height_px = size->height_px,
        .format = format,
        .memory = memory,
        .row_stride_bytes = (ptrdiff_t)(size->width_px * fovea_format_bytes(format)),
    };
}

/* 2 m away in the middle, where the gaze is. */
static double distance_at(const struct bench_size *size, enum bench_depths depths, uint32_t x,
                          uint32_t y)
{
    const double down = (y + 0.5) / size->height_px;
    const bool has_thing = x * 16 / size->width_px % 4 == 1 && down > 0.3;
    switch (depths) {
    case BENCH_DEPTHS_NEAR:
        return has_thing ? 1.1 : down < 0.3 ? 30.0 : 1.0 / (0.1 + 0.4 * (down - 0.3) / 0.2);
    case BENCH_DEPTHS_FAR:
        return down < 0.3 ? 30.0 : 1.0 / (0.1 + 0.4 * (down < 0.5 ? down - 0.3 : 0.2) / 0.2);
    case BENCH_DEPTHS_IN_FOCUS:
    case BENCH_DEPTHS_KINDS:
        break;
    }
    return 2.0;
}

void bench_draw_depths(const struct bench_size *size, enum bench_depths depths, float *out)
{
    for (uint32_t y = 0; y < size->height_px; y++) {
        for (uint32_t x = 0; x < size->width_px; x++) {
            *out++ = (float)(BENCH_NEAR_M / distance_at(size, depths, x, y));
        }
    }
}

/* An additive recurrence of two irrational steps. */
void bench_place_gazes(float *gazes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const double x = 0.7548776662 * i;
        const double y = 0.5698402910 * i;
        gazes[2 * i] = (float)(x - (double)(uint32_t)x);
        gazes[2 * i + 1] = (float)(y - (double)(uint32_t)y);
    }
}

static bool alpha_varies;

void bench_draw_alpha(bool varies)
{
    alpha_varies = varies;
}

static void draw_floats(float *out, size_t count)
{
    uint32_t noise = 1;
    for (size_t i = 0; i < count; i++) {
        noise = noise * 1664525u + 1013904223u;
        out[i] = (float)(noise >> 8) * 0x1p-24f;
    }
}

/* Exponents of small floats, the highest bit of each cleared: they are below 2. */
static void draw_small_floats(uint32_t *out, size_t count)
{
    uint32_t noise = 1;
    for (size_t i = 0; i < count; i++) {
        noise = noise * 1664525u + 1013904223u;
        out[i] = noise & ~(1u << 10 | 1u << 21 | 1u << 31);
    }
}

/* A half is below 1 where its upper byte is below 0x3c. */
void bench_draw(void *pixels, size_t bytes, enum fovea_format format)
{
    unsigned char *out = pixels;
    uint32_t noise = 1;
    if (format == FOVEA_FORMAT_RGBA32F) {
        draw_floats(pixels, bytes / sizeof(float));
        return;
    }
    if (format == FOVEA_FORMAT_B10G11R11F) {
        draw_small_floats(pixels, bytes / sizeof(uint32_t));
        return;
    }
    for (size_t i = 0; i < bytes; i++) {
        noise = noise * 1664525u + 1013904223u;
        const unsigned shade = (unsigned)(i >> 8 & 0x7f) + (noise >> 25);
        out[i] = (unsigned char)(format == FOVEA_FORMAT_RGBA16F && i % 2 ? shade % 0x3c : shade);
    }
    for (size_t i = 3; !alpha_varies && format == FOVEA_FORMAT_RGBA8 && i < bytes; i += 4) {
        out[i] = 255;
    }
}
