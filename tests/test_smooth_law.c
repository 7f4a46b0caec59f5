/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The smooth method's law against the reference's, in every model and view; known numbers; and
 * formulas of this file for directions. */

#include "test_foveate_support.h"

#include "kernels/foveate/model/model.h"
#include "kernels/foveate/plan/law.h"

static const double pi = 3.14159265358979323846;

/* ---- Against the reference */

static double expected_sigma(const struct gauss_plan *plan, const struct fovea_foveation *f,
                             const struct gauss_frame *frame, double x_px, double y_px)
{
    const struct foveate_reference_places places = {.x_px = x_px,
                                                    .y_px = y_px,
                                                    .gaze_x_px = frame->gaze_x_q8 / 256.0,
                                                    .gaze_y_px = frame->gaze_y_q8 / 256.0};
    return foveate_reference_sigma(f, plan->width_px, plan->height_px, places);
}

static void check(const struct fovea_foveation *f, uint32_t w, uint32_t h, double gx, double gy,
                  const char *what)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(f, w, h);
    const struct gauss_frame frame = frame_at(plan, gx, gy);
    for (uint32_t y = 0; y < h; y += 1 + h / 23) {
        for (uint32_t x = 0; x < w; x += 1 + w / 29) {
            const double expected = expected_sigma(plan, f, &frame, x + 0.5, y + 0.5);
            const float sigma = gauss_sigma_at(plan, &frame, (int32_t)x, (int32_t)y);
            assert_that(fabs((double)sigma - expected) <= 2e-3 * expected + 1e-3 * f->strength,
                        "%s %ux%u gaze %g,%g: sigma at %u,%u is %.6f, expected %.6f", what, w, h,
                        gx, gy, x, y, (double)sigma, expected);
        }
    }
}

static const double gazes_uv[][2] = {{0.5, 0.5},  {0.1, 0.8}, {0.0, 0.0}, {1.0, 0.3},
                                     {-0.7, 0.4}, {1.5, 1.5}, {0.5, -4.0}};

static void check_gazes(const struct fovea_foveation *f, const char *what)
{
    for (size_t i = 0; i < sizeof gazes_uv / sizeof *gazes_uv; i++) {
        check(f, 640, 360, gazes_uv[i][0] * 640, gazes_uv[i][1] * 360, what);
        check(f, 131, 257, gazes_uv[i][0] * 131, gazes_uv[i][1] * 257, what);
    }
}

TEST(paper_follows_its_formula)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PAPER);
    check_gazes(&f, "paper");
    f.paper.f_max_cpd = 50.0;
    f.strength = 1.7;
    f.cutoff_gain = 0.1;
    check_gazes(&f, "paper, other settings");
}

TEST(physical_follows_its_formula_in_every_view)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PHYSICAL);
    check_gazes(&f, "screen");
    f.geometry.ppd = 9.0;
    check_gazes(&f, "pixels a degree");
    f.geometry.tan_left = 1.38;
    f.geometry.tan_right = 0.87;
    f.geometry.tan_up = 0.95;
    f.geometry.tan_down = 1.21;
    f.cutoff_gain = 0.5;
    check_gazes(&f, "asymmetric frustum");
    f.geometry.tan_left = -0.1;
    check_gazes(&f, "frustum beside the axis");
}

TEST(curve_follows_its_points)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_CURVE);
    f.geometry.distance_m = 0.2;
    check_gazes(&f, "curve");
    f.curve.count = 1;
    f.curve.eccentricity_deg[0] = 40.0;
    f.curve.cutoff_cpd[0] = 2.0;
    check_gazes(&f, "one point");
    f = smooth_settings(FOVEA_MODEL_CURVE);
    f.strength = 1.97;
    f.geometry =
        (struct fovea_geometry){.tan_left = 2.6, .tan_right = 2.6, .tan_up = 2.6, .tan_down = 2.6};
    f.curve = (struct fovea_curve){.count = 5,
                                   .eccentricity_deg = {0, 12.6, 15.7, 31.5, 31.8},
                                   .cutoff_cpd = {40.0, 4.0, 4.08, 4.08, 2.04}};
    check_gazes(&f, "a plateau at the limit");
}

/* Every pixel to the right has the law's sigma, or that of a place at most 0.001 degrees away. */
static void check_row(const struct fovea_foveation *f, const char *what)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(f, 1920, 1080);
    const struct gauss_frame frame = frame_at(plan, 960, 540);
    for (int32_t x = 960; x < 1920; x++) {
        double low = INFINITY;
        double high = 0.0;
        for (int i = -1; i <= 1; i++) {
            const double at_px = x + 0.5 + 0.038 * i; /* pixels a degree on the axis: 37.9 */
            const double sigma = expected_sigma(plan, f, &frame, at_px, 540.5);
            low = fmin(low, sigma);
            high = fmax(high, sigma);
        }
        const double sigma = (double)gauss_sigma_at(plan, &frame, x, 540);
        assert_that(sigma >= low - 1e-3 * high - 1e-3 && sigma <= high + 1e-3 * high + 1e-3,
                    "%s: sigma at %d is %.4f, expected %.4f to %.4f", what, x, sigma, low, high);
    }
}

TEST(curve_is_exact_at_its_points)
{
    static const struct {
        const char *what;
        struct fovea_curve curve;
    } curves[] = {
        {"a window", {.count = 4, .eccentricity_deg = {0, 5, 5.01, 90}, {60, 60, 2, 2}}},
        {"a scotoma", {4, {0, 5, 5.2, 90}, {0.5, 0.5, 60, 60}}},
        {"a scotoma between thousandths", {4, {0, 5.00037, 5.2003, 90}, {0.5, 0.5, 60, 60}}},
        {"one point", {1, {0}, {5}}},
    };
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_CURVE);
    check_row(&f, "the default");
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        f.curve = curves[i].curve;
        check_row(&f, curves[i].what);
    }
}

TEST(relative_follows_its_formula_whatever_the_view)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_RELATIVE);
    check_gazes(&f, "relative");
    f.geometry.ppd = -1.0; /* does not count */
    f.relative = (struct fovea_relative){.sharp = 0.0, .halving = 1.5};
    f.strength = 2.5;
    check_gazes(&f, "relative, nothing sharp");
    f.relative = (struct fovea_relative){.sharp = 0.7, .halving = 0.05};
    f.cutoff_gain = 0.3;
    check_gazes(&f, "relative, steep");
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 84, 84);
    assert_true(plan->sigma_max_px > 0.0f);
    const struct gauss_frame frame = frame_at(plan, 42.0, 42.0);
    /* 0.7 of 42 px are 29.4: not a trace of blur in the last pixels within. */
    assert_true(gauss_sigma_at(plan, &frame, 70, 41) == 0.0f);
    assert_true(gauss_sigma_at(plan, &frame, 71, 41) > 0.1f);
    foveate_plan_destroy(&plan);
    f = smooth_settings(FOVEA_MODEL_RELATIVE);
    check(&f, 640, 8, 20.0, 3.0, "relative, long and thin");
    f.strength = 8.0;
    plan = plan_of(&f, 16384, 1);
    assert_in_range((uint64_t)plan->sigma_max_px, 1000, 1025);
}

/* ---- Known numbers */

struct display {
    const char *name;
    uint32_t w, h;
    struct fovea_geometry geometry;
    double corner_sigma_px, sharp_px;
};

#define DIAGONAL_110                                                                               \
    {                                                                                              \
        .tan_left = 0.95532, .tan_right = 0.95532, .tan_up = 1.06147, .tan_down = 1.06147          \
    }
#define ACROSS_100                                                                                 \
    {                                                                                              \
        .tan_left = 1.191754, .tan_right = 1.191754, .tan_up = 0.670361, .tan_down = 0.670361      \
    }

/* Geisler and Perry 1998 with CT0 1/64 on displays as people have them. Pixels a degree are those
 * of the place, across the radius: with those of the axis the headset would be sharp to 152 px,
 * with those along the radius to 146, and its corner have 4.04 px. */
static const struct display displays[] = {
    {"24 inch 1080p", 1920, 1080, {.screen_width_m = 0.5313, .distance_m = 0.6}, 2.19, 93},
    {"27 inch 1440p", 2560, 1440, {.screen_width_m = 0.5977, .distance_m = 0.6}, 2.92, 77},
    {"30 inch 4K", 3840, 2160, {.screen_width_m = 0.6641, .distance_m = 0.747}, 4.38, 7},
    {"headset, 110 degrees diagonal", 1440, 1600, DIAGONAL_110, 2.32, 149},
    {"4K, 100 degrees across", 3840, 2160, ACROSS_100, 4.71, 116},
};

/* How many pixels right of the gaze are copied. */
static double sharp_radius_px(const struct gauss_plan *plan, const struct gauss_frame *frame)
{
    const int32_t x0 = (int32_t)plan->width_px / 2;
    int32_t x = x0;
    while (x < (int32_t)plan->width_px &&
           gauss_sigma_at(plan, frame, x, (int32_t)plan->height_px / 2) == 0.0f) {
        x++;
    }
    return x - x0;
}

TEST(displays_have_their_known_strength)
{
    for (size_t i = 0; i < sizeof displays / sizeof *displays; i++) {
        const struct display *d = &displays[i];
        struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PHYSICAL);
        f.geometry = d->geometry;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, d->w, d->h);
        const struct gauss_frame frame = frame_at(plan, d->w / 2.0, d->h / 2.0);
        const double corner = (double)gauss_sigma_at(plan, &frame, 0, 0);
        const double sharp = sharp_radius_px(plan, &frame);
        assert_that(fabs(corner - d->corner_sigma_px) <= 0.011 && fabs(sharp - d->sharp_px) <= 1.0,
                    "%s: corner %.4f px, expected %.2f; sharp to %.0f px, expected %.0f", d->name,
                    corner, d->corner_sigma_px, sharp, d->sharp_px);
    }
}

TEST(description_says_what_is_used_and_how_strong_it_is)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PHYSICAL);
    char words[OPERATOR_DESCRIPTION_BYTES];
    struct foveate_model model;
    assert_true(foveate_model_init(&model, &f, 1920, 1080));
    foveate_model_describe(&model, words, sizeof words);
    assert_string_equal(words,
                        "model physical: a screen of 0.53 m at 0.6 m, 1920x1080 px, gain at the "
                        "cutoff 0.607, strength 1; sigma with the gaze on the axis at 5, 10, 20, "
                        "40 degrees: 0.34, 0.84, 1.59, 3.69 px");
    f.geometry =
        (struct fovea_geometry){.tan_left = 1.0, .tan_right = 1.5, .tan_up = 1, .tan_down = 1};
    assert_true(foveate_model_init(&model, &f, 1920, 1080));
    foveate_model_describe(&model, words, sizeof words);
    assert_non_null(strstr(words, "tangents left 1 right 1.5 up 1 down 1"));
    assert_true(strlen(words) < sizeof words - 1);
}

/* ---- The law in every direction, by its formula once more */

struct vector {
    double x, y, z;
};

static struct vector vector_to(const struct fovea_foveation *f, double w, double h, double x_px,
                               double y_px)
{
    const struct fovea_geometry *g = &f->geometry;
    if (g->tan_left + g->tan_right != 0.0) {
        return (struct vector){-g->tan_left + x_px / w * (g->tan_left + g->tan_right),
                               -g->tan_up + y_px / h * (g->tan_up + g->tan_down), 1.0};
    }
    const double pitch =
        g->ppd != 0.0 ? 2.0 * tan(pi / 360.0 / g->ppd) : g->screen_width_m / w / g->distance_m;
    return (struct vector){(x_px - w / 2.0) * pitch, (y_px - h / 2.0) * pitch, 1.0};
}

static double length(struct vector a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double degrees_between(struct vector a, struct vector b)
{
    const double dot = (a.x * b.x + a.y * b.y + a.z * b.z) / length(a) / length(b);
    return acos(fmin(dot, 1.0)) * 180.0 / pi;
}

static double cutoff_cpd(const struct fovea_foveation *f, double e)
{
    if (f->model == FOVEA_MODEL_PHYSICAL) {
        return f->physical.e2_deg / f->physical.alpha / (e + f->physical.e2_deg) *
               -log(f->physical.ct0);
    }
    const struct fovea_curve *c = &f->curve;
    for (uint32_t i = 0; i + 1 < c->count; i++) {
        const double a = c->eccentricity_deg[i];
        const double b = c->eccentricity_deg[i + 1];
        if (e >= a && e <= b) {
            return ((b - e) * c->cutoff_cpd[i] + (e - a) * c->cutoff_cpd[i + 1]) / (b - a);
        }
    }
    return e < c->eccentricity_deg[0] ? c->cutoff_cpd[0] : c->cutoff_cpd[c->count - 1];
}

/* The largest angle that a pixel covers there in any direction: what a round blur is worst in. */
static double widest_pixel_deg(const struct fovea_foveation *f, double w, double h, double x,
                               double y)
{
    double widest = 0.0;
    for (int i = 0; i < 180; i++) {
        const double dx = 0.5 * cos(pi * i / 180.0);
        const double dy = 0.5 * sin(pi * i / 180.0);
        widest = fmax(widest, degrees_between(vector_to(f, w, h, x - dx, y - dy),
                                              vector_to(f, w, h, x + dx, y + dy)));
    }
    return widest;
}

/* With an eye so bad that all is beyond the ramp, the widest direction has the law's sigma in
 * degrees: exactly where pixels are square, else no more and not much less. */
static void check_directions(const struct fovea_foveation *f, double square, const char *what)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(f, 320, 240);
    const struct gauss_frame frame = frame_at(plan, 100, 200);
    const struct vector gaze = vector_to(f, 320, 240, 100, 200);
    for (int i = 0; i < 320 * 240; i += 331) {
        const double x = i % 320 + 0.5;
        const double y = (double)(i / 320) + 0.5;
        const double e = degrees_between(vector_to(f, 320, 240, x, y), gaze);
        const double law_deg = 1.0 / (2.0 * pi) / cutoff_cpd(f, e);
        const double sigma = (double)gauss_sigma_at(plan, &frame, i % 320, i / 320);
        const double most_deg = sigma * widest_pixel_deg(f, 320, 240, x, y);
        assert_that(most_deg <= law_deg * 1.003 && most_deg >= law_deg * square * 0.997,
                    "%s at %g,%g: %.5f degrees of sigma where the law has %.5f", what, x, y,
                    most_deg, law_deg);
    }
}

TEST(no_direction_is_blurred_more_than_the_law_has_it)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PHYSICAL);
    f.physical.alpha = 8.0;
    f.geometry.distance_m = 0.2;
    check_directions(&f, 1.0, "a screen");
    f.geometry = (struct fovea_geometry){
        .tan_left = 1.38, .tan_right = 0.87, .tan_up = 1.0, .tan_down = 0.6875};
    check_directions(&f, 1.0, "a headset");
    f.geometry.tan_up = 1.1;
    check_directions(&f, 0.9, "pixels that are not square");
    f.model = FOVEA_MODEL_CURVE;
    f.curve = (struct fovea_curve){.count = 1, .cutoff_cpd = {0.5}};
    check_directions(&f, 0.9, "a curve");
}

/* ---- Largest sigma */

static void check_largest(const struct fovea_foveation *f, const char *what)
{
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(f, 160, 90);
    double largest = 0.0;
    for (int i = 0; i < 35; i++) {
        const struct gauss_frame frame = frame_at(plan, 160.0 * (i % 7) / 6, 90.0 * (i / 7) / 4);
        for (int32_t y = 0; y < 90; y++) {
            for (int32_t x = 0; x < 160; x++) {
                largest = fmax(largest, (double)gauss_sigma_at(plan, &frame, x, y));
            }
        }
    }
    assert_that(largest <= (double)plan->sigma_max_px * 1.001 &&
                    largest >= (double)plan->sigma_max_px * 0.95,
                "%s: sigma goes up to %.4f, the plan says %.4f", what, largest,
                (double)plan->sigma_max_px);
}

TEST(plan_knows_the_largest_sigma_of_gazes_in_the_picture)
{
    struct fovea_foveation f = smooth_settings(FOVEA_MODEL_PAPER);
    check_largest(&f, "paper");
    f = smooth_settings(FOVEA_MODEL_PHYSICAL);
    f.geometry =
        (struct fovea_geometry){.tan_left = 2, .tan_right = 1, .tan_up = 1, .tan_down = 0.3};
    check_largest(&f, "physical");
    f = smooth_settings(FOVEA_MODEL_CURVE);
    f.geometry.ppd = 4.0;
    f.curve = (struct fovea_curve){
        .count = 3, .eccentricity_deg = {0, 12, 25}, .cutoff_cpd = {30.0, 0.4, 10.0}};
    check_largest(&f, "a curve with a dip");
}
