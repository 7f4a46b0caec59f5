/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lens_scenes.h"

#include "kernels/lens/calibration.h"
#include "kernels/lens/lens.h"
#include "kernels/lens/read/read.h"

/* A number of the random ones, from -1 to 1. */
static double part_of(uint64_t *random)
{
    *random = scene_mixed(*random);
    return (double)(*random % 2001) / 1000.0 - 1.0;
}

/* Barrels, cushions, all powers, colours apart, centres anywhere, units and filters. None folds:
 * the farthest corner is at r = 6 or nearer, and mostly at 1 to 2. */
static void choose_lens(uint64_t i, uint64_t random, struct fovea_operator_settings *own)
{
    own->lens_filter = (uint32_t)(i % 7 % 3);
    own->lens_samples = i % 16 == 5 ? (uint32_t)(i / 16 % 2) + 1 : 0;
    own->lens_unit = (uint32_t)(random % 2) * 2; /* half the width, half the diagonal */
    own->lens_r0 = 1.0 + 0.2 * part_of(&random);
    own->lens_r1 = i % 5 == 1 ? 0.1 * fabs(part_of(&random)) : 0.0;
    own->lens_r2 = 0.4 * fabs(part_of(&random));
    own->lens_r3 = i % 5 == 2 ? 0.1 * fabs(part_of(&random)) : 0.0;
    own->lens_r4 = i % 5 < 3 ? 0.1 * fabs(part_of(&random)) : 0.0;
    if (i % 2) {
        own->lens_red_r0 = 0.01 * part_of(&random);
        own->lens_red_r2 = 0.02 * fabs(part_of(&random));
        own->lens_blue_r1 = 0.01 * fabs(part_of(&random));
        own->lens_blue_r4 = 0.02 * fabs(part_of(&random));
    }
    own->lens_shift_x = i % 3 ? 0.2 * part_of(&random) : 0.0;
    own->lens_shift_y = i % 3 ? 0.2 * part_of(&random) : 0.0;
    /* Not half way between two levels. */
    own->lens_blank_red = 0.9973 * fabs(part_of(&random));
    own->lens_blank_green = 0.9973 * fabs(part_of(&random));
    own->lens_blank_blue = 0.9973 * fabs(part_of(&random));
}

static void choose(uint64_t i, struct operator_scene *scene)
{
    choose_lens(i, scene->random, &scene->settings.own);
    if (i % 4 == 1) {
        struct fovea_geometry *geometry = &scene->settings.foveation.geometry;
        geometry->tan_left = 1.19;
        geometry->tan_right = 0.9;
        geometry->tan_up = 0.8;
        geometry->tan_down = 1.1;
    }
}

struct operator_scene lens_scene_of(uint64_t i)
{
    return operator_scene_of(&lens_under_test, i);
}

/* ---- Grids */

#define GRIDS 8

static const struct {
    uint32_t columns, rows;
    double step_u, step_v; /* 0: points lie on the picture's edges */
    double start;
    bool quadratic;
    bool colored;
} grids[GRIDS] = {{2, 2, 0, 0, 0, false, false},
                  {9, 5, 0, 0, 0, false, true},
                  {257, 257, 0, 0, 0, true, false},
                  {14, 8, 0.08, 0.15, 0, false, false},
                  {257, 513, 0, 0, 0, true, true},
                  {129, 129, 0, 0, 0, false, true},
                  {75, 55, 1 / 75.0, 1 / 55.0, 0.5, false, true},
                  {75, 55, 1 / 75.0, 1 / 55.0, 0.5, false, false}};

/* A pillow with a wave in it, which no polynomial of the distance is. */
static void bend(double u, double v, int color, float *out_uv)
{
    const double x = 2.0 * u - 1.05;
    const double y = 2.0 * v - 0.97;
    const double factor = 1.0 + (0.15 + 0.02 * color) * (x * x + y * y);
    out_uv[0] = (float)(0.525 + 0.5 * x * factor + 0.006 * sin(9.0 * v));
    out_uv[1] = (float)(0.485 + 0.5 * y * factor + 0.006 * sin(7.0 * u + color));
}

static struct lens_calibration *make_points(int which)
{
    const uint32_t columns = grids[which].columns;
    const uint32_t rows = grids[which].rows;
    const size_t count = 2 * (size_t)columns * rows;
    const double step_u = grids[which].step_u > 0 ? grids[which].step_u : 1.0 / (columns - 1);
    const double step_v = grids[which].step_v > 0 ? grids[which].step_v : 1.0 / (rows - 1);
    struct lens_calibration *made = lens_calibration_make();
    struct shared_data *data = NULL;
    char problem[LENS_PROBLEM_BYTES] = "";
    float *places = calloc(3 * count, sizeof *places);
    assert_true(made && places);
    struct lens_points points = {.columns = columns,
                                 .rows = rows,
                                 .quadratic = grids[which].quadratic,
                                 .step_uv = {step_u, step_v},
                                 .start = grids[which].start,
                                 .memory = places};
    for (int color = 0; color < LENS_COLORS; color++) {
        for (size_t i = 0; i < count; i += 2) {
            bend(((double)(i / 2 % columns) + points.start) * step_u,
                 ((double)(i / 2 / columns) + points.start) * step_v, color,
                 places + (size_t)color * count + i);
        }
        const bool own = grids[which].colored || color == LENS_AXIS;
        points.places_uv[color] = places + (size_t)(own ? color : LENS_AXIS) * count;
    }
    made->eyes[0].points = points;
    assert_ok(lens_calibration_finish(made, true, problem, &data));
    return made;
}

void lens_scene_use_points(uint64_t i, struct operator_scene *scene)
{
    static struct lens_calibration *made[GRIDS]; /* to the end of the process */
    const int which = (int)(i % GRIDS);
    if (!made[which]) {
        made[which] = make_points(which);
    }
    scene->settings.own.lens_file_data = &made[which]->base;
}

static struct lens_map *map_of(const struct operator_scene *scene)
{
    struct lens_calibration *calibration =
        (struct lens_calibration *)scene->settings.own.lens_file_data;
    return &calibration->eyes[0];
}

/* ---- One for each eye */

/* A cushion whose middle is not the picture's, and colours apart. */
static struct lens_calibration *make_polynomial(void)
{
    static const double terms[LENS_COLORS][LENS_POWERS] = {
        {1.01, 0.0, 0.2, 0.02, 0.06}, {1.02, 0.01, 0.22, 0.0, 0.08}, {1.03, 0.0, 0.25, 0.0, 0.1}};
    struct lens_calibration *made = lens_calibration_make();
    assert_non_null(made);
    struct lens_polynomial *polynomial = &made->eyes[0].polynomial;
    for (int i = 0; i < LENS_COLORS * LENS_POWERS; i++) {
        polynomial->terms[i / LENS_POWERS][i % LENS_POWERS] =
            terms[i / LENS_POWERS][i % LENS_POWERS];
    }
    polynomial->centered = true;
    polynomial->center_uv[0] = 0.58;
    polynomial->center_uv[1] = 0.46;
    return made;
}

void lens_scene_use_polynomial(struct operator_scene *scene)
{
    static struct lens_calibration *made; /* to the end of the process */
    if (!made) {
        made = make_polynomial();
    }
    scene->settings.own.lens_file_data = &made->base;
}

/* Does as make_points, but for both eyes: the left one has the polynomial, the right one points. */
static struct lens_calibration *make_eyes(void)
{
    struct lens_calibration *left = make_polynomial();
    struct lens_calibration *right = make_points(1);
    left->eye_count = LENS_EYES;
    left->eyes[1] = right->eyes[0];
    right->eyes[0].points.memory = NULL; /* the left one's now */
    struct shared_data *gone = &right->base;
    shared_data_release(&gone);
    return left;
}

/* Gives each eye a lens of its own, a polynomial and points, of which that eye's counts. */
static void use_eyes(enum fovea_map_eye eye, struct operator_scene *scene)
{
    static struct lens_calibration *made; /* to the end of the process */
    if (!made) {
        made = make_eyes();
    }
    scene->settings.own.lens_file_data = &made->base;
    scene->settings.foveation.map.eye = eye;
}

/* ---- A headset's values */

/* Gives the scene Monado's values of a headset, whose viewport has another aspect than it. */
static void use_headset(struct operator_scene *scene)
{
    static const char text[] =
        "{\"distortion_k\": [0.819, -0.241, 0.324, 0.098, 0], \"aberration_k\": [0.995, 1, 1.003], "
        "\"scale\": 3.8, \"lens_center\": [3.6, 4.8], \"viewport_size\": [7.5, 9.4]}";
    static struct shared_data *made; /* to the end of the process */
    char problem[LENS_PROBLEM_BYTES];
    if (!made) {
        assert_ok(lens_read_file(text, sizeof text - 1, problem, &made));
    }
    scene->settings.own.lens_file_data = made;
    assert_true(lens_map_is_grid(map_of(scene), scene->width_px, scene->height_px));
}

/* ---- Files */

static void write_points(FILE *file, const struct lens_points *points)
{
    static const char *const names[] = {"red", "green", "blue"};
    fprintf(file, "\"grid\": {\"points\": [%u, %u], \"between\": \"%s\"", points->columns,
            points->rows, points->quadratic ? "quadratic" : "linear");
    for (int color = 0; color < LENS_COLORS; color++) {
        fprintf(file, ",\n\"%s\": [", names[color]);
        for (size_t i = 0; i < 2 * (size_t)points->columns * points->rows; i++) {
            fprintf(file, "%s%.9g", i ? ", " : "", (double)points->places_uv[color][i]);
        }
        fprintf(file, "]");
    }
    fprintf(file, "}");
}

static void write_polynomial(FILE *file, const struct lens_polynomial *polynomial)
{
    static const char *const names[] = {"red", "green", "blue"};
    fprintf(file, "\"polynomial\": {\"center\": [%.17g, %.17g]", polynomial->center_uv[0],
            polynomial->center_uv[1]);
    for (int color = 0; color < LENS_COLORS; color++) {
        const double *r = polynomial->terms[color];
        fprintf(file, ", \"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g]", names[color], r[0], r[1],
                r[2], r[3], r[4]);
    }
    fprintf(file, "}");
}

static void write_map(FILE *file, const struct lens_map *map)
{
    if (map->points.memory) {
        write_points(file, &map->points);
    } else {
        write_polynomial(file, &map->polynomial);
    }
}

void lens_scene_write_points(const struct operator_scene *scene, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"fovea-lens\": 1, ");
    write_map(file, map_of(scene));
    fprintf(file, "}\n");
    assert_int_equal(fclose(file), 0);
}

void lens_scenes_write_eyes(const struct operator_scene eyes[2], const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"fovea-lens\": 1, \"right\": {");
    write_map(file, map_of(&eyes[1]));
    fprintf(file, "},\n\"left\": {");
    write_map(file, map_of(&eyes[0]));
    fprintf(file, "}}\n");
    assert_int_equal(fclose(file), 0);
}

/* ---- The bound */

/* A float has 24 bits, and the way from a pixel to its source is worked out in about ten steps. */
double lens_scene_off_px(const struct operator_scene *scene)
{
    const double r = scene->width_px + scene->height_px;
    const double unit = scene->settings.own.lens_unit ? 1.0 : scene->width_px / r;
    return 2e-6 * r * fmax(1.0, pow(1.0 / unit, 2.0) * 0.05);
}

struct range {
    double least, most;
};

struct by {
    struct lens_reference reference;
    bool light;
    bool *outside; /* a flag for each value: its place lies outside of the picture */
};

static void by_reference(const void *user, const struct fovea_image *src, const double *in,
                         double *out)
{
    const struct by *by = user;
    lens_reference(&by->reference, in, out, by->outside);
    for (size_t i = 0; i < (size_t)src->width_px * src->height_px * by->reference.channels; i++) {
        out[i] = by->light ? fmax(out[i], 0.0) : out[i]; /* no light is negative */
    }
}

static double blank_of(const struct operator_scene *scene, uint32_t channel, uint32_t channels)
{
    const struct fovea_operator_settings *own = &scene->settings.own;
    const double colors[] = {own->lens_blank_red, own->lens_blank_green, own->lens_blank_blue};
    const double white = image_is_float(scene->format) ? 1.0 : image_white(scene->format, channel);
    if (channel == 3) {
        return white;
    }
    const uint32_t color = channels == 1 ? 1 : scene->blue_first ? 2 - channel : channel;
    return image_is_float(scene->format) ? colors[color] : floor(colors[color] * white + 0.5);
}

static void put_blanks(const struct operator_scene *scene, uint32_t channels, const bool *outside,
                       double *values)
{
    const size_t count = (size_t)scene->width_px * scene->height_px * channels;
    for (size_t i = 0; i < count; i++) {
        values[i] = outside[i] ? blank_of(scene, (uint32_t)(i % channels), channels) : values[i];
    }
}

/* Returns what the format can hold of a value that overshoots. */
static double held(enum fovea_format format, uint32_t channel, double value)
{
    if (!image_is_float(format)) {
        return fmin(fmax(value, 0.0), image_white(format, channel));
    }
    return format == FOVEA_FORMAT_B10G11R11F ? fmax(value, 0.0) : value;
}

static double slack_of(enum fovea_format format, double levels, double value)
{
    if (!image_is_float(format)) {
        return 0.5 + levels;
    }
    const double relative = pixel_has_32_bit_floats(format)     ? 1e-5
                            : format == FOVEA_FORMAT_B10G11R11F ? 1.0 / 32
                                                                : 1e-3;
    return 1e-5 * image_white(format, 0) + relative * fabs(value);
}

static struct range *ranges_of(const struct operator_scene *scene, double off_px,
                               const struct fovea_image *src)
{
    const struct fovea_foveation *foveation = &scene->settings.foveation;
    const uint32_t channels = image_channels(src->format);
    const size_t count = (size_t)src->width_px * src->height_px * channels;
    const bool nearest = scene->settings.own.lens_filter == 0;
    int32_t light = pixel_light_of(foveation->light, foveation->transfer);
    light = nearest ? IMAGE_LIGHT_STORED : image_light_in_order(light, scene->blue_first);
    struct range *ranges = calloc(count, sizeof *ranges);
    OWNED(owned_free) bool *outside = calloc(count, sizeof *outside);
    assert_true(ranges && outside);
    for (int place = 0; place < 9; place++) {
        const struct lens_reference reference = {.own = &scene->settings.own,
                                                 .view = &scene->settings.foveation.geometry,
                                                 .eye = scene->settings.foveation.map.eye,
                                                 .averages_alpha =
                                                     foveation->alpha == FOVEA_ALPHA_PREMULTIPLIED,
                                                 .blue_first = scene->blue_first,
                                                 .off_x_px = off_px * (place % 3 - 1),
                                                 .off_y_px = off_px * (place / 3 - 1),
                                                 .width_px = src->width_px,
                                                 .height_px = src->height_px,
                                                 .channels = channels};
        OWNED(owned_free)
        double *values = compare_expected_by(
            foveation, src, light, by_reference,
            &(struct by){reference, light != IMAGE_LIGHT_STORED && pixel_light_known(src->format),
                         outside});
        put_blanks(scene, channels, outside, values);
        for (size_t i = 0; i < count; i++) {
            const double value = held(src->format, (uint32_t)(i % channels), values[i]);
            ranges[i].least = place ? fmin(ranges[i].least, value) : value;
            ranges[i].most = place ? fmax(ranges[i].most, value) : value;
        }
    }
    return ranges;
}

/* Fails the running test unless every value is within the bound. Returns by how many levels at most
 * one is beyond rounding; 0 for floats. */
static double assert_within(const struct operator_scene *scene, struct lens_bound bound,
                            const struct fovea_image *src, const struct fovea_image *actual)
{
    const uint32_t channels = image_channels(src->format);
    OWNED(owned_free) struct range *ranges = ranges_of(scene, bound.off_px, src);
    double most = 0.0;
    size_t i = 0;
    for (uint32_t y = 0; y < src->height_px; y++) {
        for (uint32_t x = 0; x < src->width_px; x++) {
            for (uint32_t c = 0; c < channels; c++, i++) {
                const double value = image_get(actual, x, y, c);
                const struct range range = ranges[i];
                const double below =
                    range.least - slack_of(src->format, bound.levels, range.least) - value;
                const double above =
                    value - range.most - slack_of(src->format, bound.levels, range.most);
                most = fmax(most, fmax(below, above) + bound.levels);
                assert_that(below <= 0.0 && above <= 0.0,
                            "%ux%u, format %d, light %d %d, alpha %d, filter %u, unit %u, picture "
                            "%d, blue first %d: (%u, %u) %u is %.9g, not %.9g to %.9g",
                            scene->width_px, scene->height_px, (int)scene->format,
                            (int)scene->settings.foveation.light,
                            (int)scene->settings.foveation.transfer,
                            (int)scene->settings.foveation.alpha, scene->settings.own.lens_filter,
                            scene->settings.own.lens_unit, scene->picture, scene->blue_first, x, y,
                            c, value, range.least, range.most);
            }
        }
    }
    return image_is_float(src->format) ? 0.0 : most;
}

static void assert_exact(const struct operator_scene *scene, const struct fovea_image *src,
                         const struct fovea_image *actual)
{
    (void)assert_within(scene, (struct lens_bound){lens_scene_off_px(scene), 0.25}, src, actual);
}

/* ---- Places */

double *lens_scene_places(const struct operator_scene *scene)
{
    const size_t pixels = (size_t)scene->width_px * scene->height_px;
    struct fovea_operator_settings own = scene->settings.own;
    own.lens_filter = 1; /* bilinear, which gives back a ramp */
    own.lens_samples = 0;
    const struct lens_reference reference = {.own = &own,
                                             .view = &scene->settings.foveation.geometry,
                                             .eye = scene->settings.foveation.map.eye,
                                             .width_px = scene->width_px,
                                             .height_px = scene->height_px,
                                             .channels = 3};
    OWNED(owned_free) double *in = calloc(3 * pixels, sizeof *in);
    OWNED(owned_free) double *out = calloc(3 * pixels, sizeof *out);
    OWNED(owned_free) bool *outside = calloc(3 * pixels, sizeof *outside);
    double *places = calloc(2 * pixels, sizeof *places);
    assert_true(in && out && outside && places);
    for (int axis = 0; axis < 2; axis++) {
        const double most_px = (axis ? scene->height_px : scene->width_px) - 0.500001;
        for (size_t i = 0; i < pixels; i++) {
            const size_t at = axis ? i / scene->width_px : i % scene->width_px;
            in[3 * i + 1] = (double)at + 0.5;
        }
        lens_reference(&reference, in, out, outside);
        for (size_t i = 0; i < pixels; i++) {
            const double value = out[3 * i + 1];
            const bool known = !outside[3 * i + 1] && value > 0.500001 && value < most_px;
            places[2 * i + (size_t)axis] = known ? value : (double)NAN;
        }
    }
    return places;
}

struct fovea_settings lens_scenes_of_eyes(const struct fovea_settings *settings,
                                          struct operator_scene out_eyes[2], const char *path)
{
    struct fovea_settings both = *settings;
    both.own.lens_blank_green = 0.5;
    for (int i = 0; i < 2; i++) {
        out_eyes[i] = (struct operator_scene){.of = &lens_under_test,
                                              .settings = both,
                                              .format = FOVEA_FORMAT_RGBA8,
                                              .blue_first = true};
    }
    lens_scene_use_polynomial(&out_eyes[0]);
    lens_scene_use_points(1, &out_eyes[1]);
    lens_scenes_write_eyes(out_eyes, path);
    snprintf(both.own.lens_file, sizeof both.own.lens_file, "%s", path);
    return both;
}

/* ---- The table */

static void choose_grid(uint64_t i, struct operator_scene *scene)
{
    lens_scene_use_points(i / 2, scene);
}

static void choose_headset(uint64_t i, struct operator_scene *scene)
{
    use_headset(scene);
}

static void choose_eye(uint64_t i, struct operator_scene *scene)
{
    use_eyes(i % 2 ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_LEFT, scene);
}

void lens_scene_use_bytes(uint64_t i, struct operator_scene *scene)
{
    scene->format = FOVEA_FORMAT_RGBA8;
    scene->settings.foveation.transfer = FOVEA_TRANSFER_SRGB;
    scene->settings.foveation.light = i / 2 % 2 ? FOVEA_LIGHT_LINEAR : FOVEA_LIGHT_ENCODED;
    scene->settings.own.lens_filter = i % 6 < 4;
    scene->settings.own.lens_samples = i / 8 % 2 ? 1 + (uint32_t)(i % 3) : 0;
}

/* Places far from the picture's corner are as exact as those near it. */
static void choose_wide(uint64_t i, struct operator_scene *scene)
{
    scene->width_px = 601;
    scene->height_px = 263;
}

static void choose_none(uint64_t i, struct operator_scene *scene)
{
    struct fovea_operator_settings *own = &scene->settings.own;
    const double blank = own->lens_blank_red;
    *own = fovea_settings_default().own;
    own->lens_r2 = 0.0;
    own->lens_blank_red = blank;
    own->lens_filter = (uint32_t)(i / 11);
}

/* Each filter, for colours that lie together and apart. */
static void choose_of_view(uint64_t i, struct operator_scene *scene)
{
    *scene = lens_scene_of(i / 3);
    scene->format = FOVEA_FORMAT_RGBA8;
    scene->settings.own.lens_filter = (uint32_t)(i % 3);
}

static void set(struct fovea_settings *settings)
{
    settings->own = fovea_settings_default().own;
    settings->own.lens_r2 = 0.3;
}

static void change(struct fovea_settings *settings)
{
    settings->own.lens_r2 += 1e-6;
}

/* Test, kind, scenes; how many on the processor, on CUDA, on CUDA when it is quick, in frames;
 * shifts, each. */
static const struct scene_set sets[] = {
    {"images_are_the_reference", SCENES_ALONE, NULL, 165, 110, 55, 48, 11, false},
    {"grids_are_the_reference", SCENES_ALONE, choose_grid, 132, 88, 33, 0, 11, false},
    {"headsets_are_the_reference", SCENES_ALONE, choose_headset, 33, 33, 11, 12, 11, false},
    {"each_eye_has_a_lens_of_its_own", SCENES_ALONE, choose_eye, 0, 22, 6, 0, 0, false},
    {"bytes_are_the_reference", SCENES_ALONE, lens_scene_use_bytes, 0, 72, 24, 0, 4, false},
    {"wide_pictures_are_the_reference", SCENES_ALONE, choose_wide, 0, 22, 4, 7, 0, false},
    {"layouts_do_not_matter", SCENES_LAID_OUT, NULL, 44, 0, 0, 0, 0, false},
    {"no_lens_copies_every_bit", SCENES_COPIED, choose_none, 33, 33, 33, 7, 0, true},
    {"a_view_is_a_picture_of_its_own", SCENES_OF_VIEWS, choose_of_view, 0, 6, 6, 6, 0, false},
    {"a_batch_is_its_images", SCENES_OF_BATCHES, NULL, 14, 8, 4, 0, 0, false},
};

const struct operator_under_test lens_under_test = {
    .name = "lens",
    .api = &lens_operator,
    .id = FOVEA_OPERATOR_lens,
    .choose = choose,
    .assert_exact = assert_exact,
    .sets = sets,
    .set_count = sizeof sets / sizeof sets[0],
    .setting = "lens.r2",
    .value = "0.3",
    .set = set,
    .change = change,
    .change_of = 1,
    .batch_count = 12,
};
