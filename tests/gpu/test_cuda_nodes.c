/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method by nodes of sigma (foveate/cuda/nodes/): its whole domain against the
 * definition in double precision, at some pixels of each picture. Batches of them are in
 * test_cuda_batch.c. */

#include "kernels/foveate/cuda/ways.h"
#include "kernels/image/pixel.h"
#include "smooth_scene.h"

/* No law is flat enough for tiles. */
static struct cuda_fixture fixture = {.tile_slope = 1e-9};

#define TOP 254.0 /* of 255: what blurs to the middle lies on a level */
#define REACH 4.5 /* of sigma, as foveate_reference_smooth has it */
#define MOST_LEVELS 3.0 /* of 8 bits, beside the rounded reference */

/* ---- The definition, at a pixel -------------------------------------------------------------- */

static double to_light(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double from_light(double light)
{
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

/* What is averaged, all channels of a pixel side by side. */
struct picture {
    double *values;
    uint32_t width, height, channels;
    bool light;
    enum fovea_format format;
};

static bool is_light(const struct picture *picture, uint32_t channel)
{
    return picture->light && channel < 3;
}

static struct picture read_picture(const struct fovea_image *src, bool light)
{
    struct picture picture = {.width = src->width_px,
                              .height = src->height_px,
                              .channels = image_channels(src->format),
                              .light = light,
                              .format = src->format};
    picture.values =
        calloc((size_t)picture.width * picture.height * picture.channels, sizeof(double));
    assert_non_null(picture.values);
    double *value = picture.values;
    for (uint32_t y = 0; y < picture.height; y++) {
        for (uint32_t x = 0; x < picture.width; x++) {
            for (uint32_t c = 0; c < picture.channels; c++) {
                const double stored = image_get(src, x, y, c);
                *value++ =
                    is_light(&picture, c) ? to_light(stored / image_white(src->format, c)) : stored;
            }
        }
    }
    return picture;
}

/* Weights of an axis' pixels for one of them: beyond the ends is what is there. */
static double *axis_weights(uint32_t size, uint32_t at, double sigma)
{
    double *weights = calloc(size, sizeof *weights);
    assert_non_null(weights);
    const int reach = (int)floor(REACH * sigma);
    double sum = 0.0;
    for (int k = -reach; k <= reach; k++) {
        const int place = (int)at + k;
        const int last = (int)size - 1;
        const double weight = exp(-0.5 * k * k / (sigma * sigma));
        weights[place < 0 ? 0 : place > last ? last : place] += weight;
        sum += weight;
    }
    for (uint32_t i = 0; i < size; i++) {
        weights[i] /= sum;
    }
    return weights;
}

static void add_row(const struct picture *picture, uint32_t row, const double *weights,
                    double weight, double sums[4])
{
    const double *value = picture->values + (size_t)row * picture->width * picture->channels;
    for (uint32_t x = 0; x < picture->width; x++, value += picture->channels) {
        for (uint32_t c = 0; weights[x] != 0.0 && c < picture->channels; c++) {
            sums[c] += weight * weights[x] * value[c];
        }
    }
}

/* In the format's levels. */
static void blurred_pixel(const struct picture *picture, uint32_t x, uint32_t y, double sigma,
                          double out[4])
{
    double *across = axis_weights(picture->width, x, sigma);
    double *down = axis_weights(picture->height, y, sigma);
    double sums[4] = {0.0};
    for (uint32_t row = 0; row < picture->height; row++) {
        if (down[row] != 0.0) {
            add_row(picture, row, across, down[row], sums);
        }
    }
    for (uint32_t c = 0; c < picture->channels; c++) {
        out[c] =
            is_light(picture, c) ? from_light(sums[c]) * image_white(picture->format, c) : sums[c];
    }
    free(across);
    free(down);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static double worst; /* of a test, in levels of 8 bits beside the rounded reference */

static double half_step(enum fovea_format format, double value)
{
    return !image_is_float(format) ? 0.5 : format == FOVEA_FORMAT_B10G11R11F ? value / 64.0 : 0.0;
}

static void check_pixel(const struct scene *scene, const struct picture *picture, double sigma,
                        const struct fovea_image *src, const struct fovea_image *dst, uint32_t x,
                        uint32_t y)
{
    double expected[4] = {0.0};
    if (sigma > 0.0) {
        blurred_pixel(picture, x, y, sigma, expected);
    }
    for (uint32_t c = 0; c < picture->channels; c++) {
        const bool kept = sigma <= 0.0 || (c == 3 && scene->foveation.alpha == FOVEA_ALPHA_KEEP);
        const double actual = image_get(dst, x, y, c);
        const double wanted = kept ? image_get(src, x, y, c) : expected[c];
        const double off = fabs(actual - wanted) - (kept ? 0.0 : half_step(scene->format, wanted));
        const double error = off * 255.0 / image_white(scene->format, c);
        worst = error > worst ? error : worst;
        if (!(error <= (kept ? 0.0 : MOST_LEVELS))) {
            fail_msg(
                "%ux%u, format %d, model %d, light %d, strength %g, gaze %g %g, %s: x %u, y %u, "
                "channel %u is %g, expected %g (sigma %g)",
                scene->width_px, scene->height_px, (int)scene->format, (int)scene->foveation.model,
                (int)scene->foveation.light, scene->foveation.strength, scene->gaze.x_uv,
                scene->gaze.y_uv, image_pattern_name(scene->pattern), x, y, c, actual, wanted,
                sigma);
        }
    }
}

/* Some pixels, other ones in each picture: every row and column of a tile, corners, the gaze. */
static void check_picture(const struct scene *scene, const struct prepared *p,
                          const struct picture *picture, const struct fovea_image *src,
                          const struct fovea_image *dst)
{
    const uint32_t count = fixture.quick ? 150 : 300;
    uint32_t word = scene->width_px + (uint32_t)(100.0 * scene->foveation.strength);
    for (uint32_t i = 0; i < count; i++) {
        word = word * 1664525u + 1013904223u;
        uint32_t x = (uint32_t)(((uint64_t)word * scene->width_px) >> 32);
        word = word * 1664525u + 1013904223u;
        uint32_t y = (uint32_t)(((uint64_t)word * scene->height_px) >> 32);
        if (i < 4) {
            x = i % 2 ? scene->width_px - 1 : 0;
            y = i / 2 ? scene->height_px - 1 : 0;
        }
        const double sigma = (double)foveate_sigma_at(p->plan, &p->frame, (int32_t)x, (int32_t)y);
        check_pixel(scene, picture, sigma, src, dst, x, y);
    }
}

static void draw(const struct fovea_image *image, enum image_pattern pattern)
{
    image_draw(image, pattern, 7);
    for (uint32_t y = 0; y < image->height_px; y++) {
        for (uint32_t x = 0; x < image->width_px; x++) {
            for (uint32_t c = 0; c < image_channels(image->format); c++) {
                const double top = image_white(image->format, c) * TOP / 255.0;
                const double most = image_is_float(image->format) ? top : floor(top);
                image_set(image, x, y, c, fmin(image_get(image, x, y, c), most));
            }
        }
    }
}

static void assert_by_nodes(const struct prepared *p, enum fovea_format format)
{
    const enum foveate_cuda_way_name name =
        pixel_has_32_bit_floats(format) ? FOVEATE_CUDA_WIDE : FOVEATE_CUDA_NODES;
    assert_ptr_equal(foveate_cuda_plan_of(p->tables)->ways[format], &foveate_cuda_ways[name]);
}

/* In linear memory, by blocks that share the picture and by a block alone, and through surfaces.
 * How often. */
static int check(const struct scene *scene)
{
    struct prepared p = {0};
    struct test_image src =
        image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    struct test_image dst =
        image_make(scene->width_px, scene->height_px, scene->format, scene->layout);
    struct test_image packed = image_make_packed(scene->width_px, scene->height_px, scene->format);
    struct test_image shown = image_make_packed(scene->width_px, scene->height_px, scene->format);
    int count = 0;
    scene_prepare(&fixture, &p, scene);
    draw(&src.view, scene->pattern);
    struct picture picture =
        read_picture(&src.view, p.frame.light != 0 && !image_is_float(scene->format));
    assert_by_nodes(&p, scene->format);
    for (int whole = 0; whole < 2; whole++) {
        struct foveate_nodes_kernels *kernels = &foveate_cuda_of(fixture.foveate)->nodes;
        foveate_nodes_make_whole(kernels, whole != 0);
        const struct foveate_cuda_plan *tables = foveate_cuda_plan_of(p.tables);
        if (!whole || foveate_nodes_are_whole(kernels, &tables->nodes, scene->format,
                                              tables->blurs_alpha, 1)) {
            scene_run_linear(&fixture, &p, &src, &dst, scene->shift);
            check_picture(scene, &p, &picture, &src.view, &dst.view);
            assert_true(image_guards_intact(&dst));
            count++;
        }
        foveate_nodes_make_whole(kernels, false);
    }
    if (scene_has_surface(scene->format)) {
        image_mirror(&src.view, &packed.view, false, false);
        scene_run_surface(&fixture, &p, &packed.view, &shown.view);
        check_picture(scene, &p, &picture, &packed.view, &shown.view);
        count++;
    }
    free(picture.values);
    scene_finish(&fixture, &p);
    image_free(&src);
    image_free(&dst);
    image_free(&packed);
    image_free(&shown);
    return count;
}

static void report(const char *what)
{
    fprintf(stderr, "%s: at most %.2f levels of 8 bits beside the rounded reference\n", what,
            worst);
    worst = 0.0;
}

/* ---- The domain ------------------------------------------------------------------------------ */

static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB8, FOVEA_FORMAT_RGBA8, FOVEA_FORMAT_R8,
                                            FOVEA_FORMAT_A2B10G10R10};
static const enum fovea_light lights[] = {FOVEA_LIGHT_ENCODED, FOVEA_LIGHT_LINEAR};
static const struct fovea_point_uv gazes[] = {
    {0.5, 0.5}, {0.41, 0.58}, {0.0, 1.0}, {0.98, 0.03}, {1.3, -0.2}};

static const float map_samples[] = {
    3,  1, 0,  2, 5, 1, 0.5f, 2, 4, 6,  9, 7, 2, 1, 1, 5, 9, 20,
    12, 8, 11, 0, 2, 5, 8,    7, 9, 14, 1, 0, 1, 3, 2, 6, 8,
};

/* Wide views, so that there is something to blur in a small picture. */
static void set_law(struct scene *scene, int law)
{
    struct fovea_foveation *f = &scene->foveation;
    if (law == FOVEA_MODEL_PAPER) {
        return;
    }
    f->model = (enum fovea_model)law;
    f->geometry =
        (struct fovea_geometry){.tan_left = 0.7, .tan_right = 1.1, .tan_up = 0.8, .tan_down = 0.4};
    f->cutoff_gain = 0.1;
    if (law == FOVEA_MODEL_MAP) {
        f->map.kind = FOVEA_MAP_ARRAY;
        f->map.degrees = scene->width_px % 2 ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER;
        f->map.values = map_samples;
        f->map.width = 7;
        f->map.height = 5;
        f->map.width_deg = 70.0;
        f->map.cutoff_cpd = scene->width_px % 2 ? 4.0 : 0.0;
    }
}

static const uint32_t sizes[][2] = {{84, 84}, {160, 120}, {97, 61}, {224, 224}, {640, 360}};
static const double strengths[] = {0.5, 1.0, 2.0, 4.0, 8.0};
static const int laws[] = {FOVEA_MODEL_PAPER, FOVEA_MODEL_PHYSICAL, FOVEA_MODEL_MAP,
                           FOVEA_MODEL_CURVE, FOVEA_MODEL_RELATIVE};

/* A point of the domain: its number counts sizes, strengths and lights, and turns all else. */
static struct scene domain_scene(int i, int turn)
{
    struct scene scene = smooth_scene_default();
    const int size = i % (int)COUNT(sizes);
    const int strength = i / (int)COUNT(sizes) % (int)COUNT(strengths);
    const int k = size + strength + turn;
    scene.width_px = sizes[size][0];
    scene.height_px = sizes[size][1];
    scene.foveation.strength = strengths[strength];
    scene.foveation.light = lights[i / (int)(COUNT(sizes) * COUNT(strengths)) % 2];
    scene.format = formats[(k + strength) % (int)COUNT(formats)];
    scene.gaze = gazes[(k + i) % (int)COUNT(gazes)];
    scene.pattern = (enum image_pattern)((2 * k + i / 25) % IMAGE_PATTERN_COUNT);
    return scene;
}

static void laws_of_the_paper_are_right(void **state)
{
    int count = 0;
    for (int i = 0; i < 50; i++) {
        for (int turn = 0; turn < (fixture.quick ? 1 : 3); turn++) {
            const struct scene scene = domain_scene(i, turn);
            if (!fixture.quick || (scene.width_px < 200 && i % 3 == 0)) {
                count += check(&scene);
            }
        }
    }
    report("the paper's law");
    assert_true(count > 5);
}

static void laws_of_views_and_maps_are_right(void **state)
{
    int count = 0;
    for (int i = 0; i < 50; i++) {
        for (size_t law = 1; law < COUNT(laws); law++) {
            struct scene scene = domain_scene(i, (int)law);
            set_law(&scene, laws[law]);
            if (fixture.quick ? scene.width_px < 100 && i % 3 == 0 : i % 2 == 0) {
                count += check(&scene);
            }
        }
    }
    report("views and maps");
    assert_true(count > 5);
}

static void floats_are_right(void **state)
{
    static const enum fovea_format floats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_RGBA32F,
                                               FOVEA_FORMAT_B10G11R11F};
    int count = 0;
    for (int i = 0; i < 50; i++) {
        struct scene scene = domain_scene(i, 0);
        scene.format = floats[i % 3];
        set_law(&scene, laws[i / 2 % 4]);
        if (!fixture.quick || (scene.width_px < 200 && i % 4 == 0)) {
            count += check(&scene);
        }
    }
    report("floats");
    assert_true(count > 5);
}

static void every_pattern_format_and_light_is_right(void **state)
{
    for (int i = 0; i < (int)(COUNT(formats) * COUNT(lights)) * IMAGE_PATTERN_COUNT; i++) {
        struct scene scene = smooth_scene_default();
        scene.width_px = i % 2 ? 84 : 97;
        scene.height_px = i % 2 ? 84 : 61;
        scene.format = formats[i % (int)COUNT(formats)];
        scene.foveation.light = lights[i / (int)COUNT(formats) % 2];
        scene.pattern =
            (enum image_pattern)(i / (int)(COUNT(formats) * COUNT(lights)) % IMAGE_PATTERN_COUNT);
        scene.foveation.strength = 1.0 + i % 3;
        if (!fixture.quick || i % 3 == 0) {
            check(&scene);
        }
    }
    report("patterns and formats");
}

static void alpha_layouts_and_sizes_are_respected(void **state)
{
    static const uint32_t odd[][2] = {{1, 1},   {2, 1},   {1, 70},  {15, 17},
                                      {33, 31}, {130, 5}, {16, 48}, {203, 117}};
    static const struct image_layout layouts[] = {
        {.row_gap = 3}, {.bottom_up = true}, {.pixel_gap = 1}, {true, 5, 3}};
    for (size_t i = 0; i < COUNT(odd) * COUNT(formats); i++) {
        struct scene scene = smooth_scene_default();
        scene.width_px = odd[i % COUNT(odd)][0];
        scene.height_px = odd[i % COUNT(odd)][1];
        scene.format = formats[i / COUNT(odd)];
        scene.layout = layouts[i % COUNT(layouts)];
        scene.foveation.strength = 2.0;
        scene.foveation.light = lights[i % COUNT(lights)];
        scene.foveation.alpha =
            i / COUNT(layouts) % 2 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        check(&scene);
    }
    report("alpha, layouts, sizes");
}

/* ---- Floats far above white, and none -------------------------------------------------------- */

static const enum fovea_format half_floats[] = {FOVEA_FORMAT_RGBA16F, FOVEA_FORMAT_B10G11R11F};

enum bright {
    BRIGHT_NOISE, /* of all powers of two up to the largest */
    BRIGHT_BINARY, /* nothing or the largest */
    BRIGHT_CHECKER,
    BRIGHT_FLAT,
    BRIGHT_SPOTS, /* one in 400, of 1 to the largest */
    BRIGHT_COUNT,
};

static double bright_at(enum bright kind, double largest, uint32_t x, uint32_t y, uint32_t channel)
{
    const uint32_t word =
        (((x * 1949u + y * 24593u + channel * 7919u + 1u) * 2654435761u) ^ (x * y)) * 2246822519u;
    const double share = (word >> 8) / 16777216.0;
    switch (kind) {
    case BRIGHT_NOISE:
        return largest * exp2(-24.0 * share);
    case BRIGHT_BINARY:
        return share < 0.5 ? 0.0 : largest;
    case BRIGHT_CHECKER:
        return (x + y) % 2 ? largest : 0.0;
    case BRIGHT_FLAT:
        return largest;
    default:
        return share < 1.0 / 400.0 ? pow(largest, share * 400.0) : 0.0;
    }
}

/* Three levels, or of what is far above white a five hundredth, are 1. */
static double part_of_budget(enum fovea_format format, uint32_t channel, double actual,
                             double exact)
{
    const double budget =
        fmax(MOST_LEVELS / 255.0 * image_white(format, channel), fabs(exact) / 500.0);
    return (fabs(actual - exact) - half_step(format, exact)) / budget;
}

/* The largest part of the budget. The largest number is of the shortest mantissa of a `half`
 * format. */
static double worst_part(struct scene scene, enum fovea_format format, enum fovea_format half,
                         enum bright kind)
{
    const double largest = half == FOVEA_FORMAT_B10G11R11F ? 64512.0 : 65504.0;
    struct prepared p = {0};
    double most = 0.0;
    scene.format = format;
    struct test_image src = image_make_packed(scene.width_px, scene.height_px, format);
    struct test_image dst = image_make_packed(scene.width_px, scene.height_px, format);
    scene_prepare(&fixture, &p, &scene);
    for (uint32_t i = 0; i < 3 * scene.width_px * scene.height_px; i++) {
        const uint32_t x = i / 3 % scene.width_px;
        const uint32_t y = i / 3 / scene.width_px;
        image_set(&src.view, x, y, i % 3, bright_at(kind, largest, x, y, i % 3));
    }
    struct picture picture = read_picture(&src.view, false);
    scene_run_linear(&fixture, &p, &src, &dst, 0);
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t x = i * 7919u % scene.width_px;
        const uint32_t y = i * 104729u / 7u % scene.height_px;
        const double sigma = (double)foveate_sigma_at(p.plan, &p.frame, (int32_t)x, (int32_t)y);
        double exact[4];
        blurred_pixel(&picture, x, y, fmax(sigma, 1e-3), exact);
        for (uint32_t c = 0; c < 3; c++) {
            const double actual = image_get(&dst.view, x, y, c);
            assert_true(isfinite(actual));
            most = fmax(most, part_of_budget(format, c, actual, exact[c]));
        }
    }
    free(picture.values);
    scene_finish(&fixture, &p);
    image_free(&src);
    image_free(&dst);
    return most;
}

/* Beside nothing a tail of what is brightest is off by more than the budget, whatever nodes are
 * multiplied in: halves are to be no worse than floats. */
static void floats_far_above_white_are_right(void **state)
{
    for (int i = 0; i < BRIGHT_COUNT * 3; i++) {
        const enum bright kind = (enum bright)(i % BRIGHT_COUNT);
        struct scene scene = smooth_scene_default();
        scene.width_px = 160;
        scene.height_px = 97;
        scene.foveation.strength = strengths[1 + i / BRIGHT_COUNT];
        for (size_t k = 0; k < COUNT(half_floats); k++) {
            const enum fovea_format half = half_floats[k];
            const double of_floats = worst_part(scene, FOVEA_FORMAT_RGBA32F, half, kind);
            const double of_halves = worst_part(scene, half, half, kind);
            if (of_halves > (kind == BRIGHT_FLAT ? 1e-6 : fmax(1.0, 1.25 * of_floats))) {
                fail_msg("format %d, strength %g, kind %d: %.3f budgets off, floats %.3f",
                         (int)half, scene.foveation.strength, (int)kind, of_halves, of_floats);
            }
        }
    }
}

/* A value that is not finite is seen as far as samples reach, and not in all of a tile. */
static void what_is_not_finite_stays_within_reach(void **state)
{
    for (size_t i = 0; i < 2 * COUNT(half_floats); i++) {
        struct scene scene = smooth_scene_default();
        scene.format = half_floats[i / 2];
        scene.foveation.strength = 4.0;
        scene.foveation.alpha = i % 2 ? FOVEA_ALPHA_PREMULTIPLIED : FOVEA_ALPHA_KEEP;
        scene.no_reference = true;
        struct test_image src = image_make_packed(scene.width_px, scene.height_px, scene.format);
        image_draw(&src.view, IMAGE_PHOTO, 3);
        image_set(&src.view, 20, 30, 0, NAN);
        image_set(&src.view, 150, 90, 1, INFINITY);
        image_set(&src.view, 202, 116, 2, NAN);
        smooth_assert_picture(&fixture, &scene, &src);
        struct prepared p = {0};
        struct test_image dst = image_make_packed(scene.width_px, scene.height_px, scene.format);
        scene_prepare(&fixture, &p, &scene);
        assert_by_nodes(&p, scene.format);
        scene_run_linear(&fixture, &p, &src, &dst, 0);
        assert_true(isnan(image_get(&dst.view, 20, 30, 0)));
        assert_true(isinf(image_get(&dst.view, 150, 90, 1)));
        assert_true(isnan(image_get(&dst.view, 202, 116, 2)));
        scene_finish(&fixture, &p);
        image_free(&src);
        image_free(&dst);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_of_the_paper_are_right),
        cmocka_unit_test(laws_of_views_and_maps_are_right),
        cmocka_unit_test(floats_are_right),
        cmocka_unit_test(floats_far_above_white_are_right),
        cmocka_unit_test(what_is_not_finite_stays_within_reach),
        cmocka_unit_test(every_pattern_format_and_light_is_right),
        cmocka_unit_test(alpha_layouts_and_sizes_are_respected),
    };
    return CUDA_RUN(&fixture, tests);
}
