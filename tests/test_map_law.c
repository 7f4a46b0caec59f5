/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The map model's law: sigma of pixels against the formula in double precision, and what a map
 * is. */

#include "test_foveate_support.h"

#include "kernels/foveate/model/map_ready.h"
#include "kernels/foveate/model/model.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const enum fovea_map_kind kinds[] = {FOVEA_MAP_HUMAN, FOVEA_MAP_STREAK,   FOVEA_MAP_ARRAY,
                                            FOVEA_MAP_HAWK,  FOVEA_MAP_KANGAROO, FOVEA_MAP_DOG};

/* ---- Against the formula */

struct size {
    uint32_t width_px, height_px;
};

static void check_pixel(const struct fovea_foveation *f, const struct gauss_plan *plan,
                        struct foveate_reference_places at)
{
    const struct gauss_frame frame = frame_at(plan, at.gaze_x_px, at.gaze_y_px);
    const double got =
        (double)gauss_sigma_at(plan, &frame, (int32_t)floor(at.x_px), (int32_t)floor(at.y_px));
    const double expected = foveate_reference_sigma(f, plan->width_px, plan->height_px, at);
    /* Just beyond the cutoff sigma rises from 0, where the smallest error counts. */
    assert_that(fabs(got - expected) <= 2e-4 * expected + 2e-4 * f->strength,
                "map %d, law %d, degrees %d, eye %d, %ux%u, gaze %g %g: pixel %g %g has %.6f, "
                "expected %.6f",
                (int)f->map.kind, (int)f->map.law, (int)f->map.degrees, (int)f->map.eye,
                plan->width_px, plan->height_px, at.gaze_x_px, at.gaze_y_px, at.x_px, at.y_px, got,
                expected);
}

/* Corners, and anywhere else. */
static void check_picture(const struct fovea_foveation *f, struct size size)
{
    static const double gazes[][2] = {{0.5, 0.5}, {0, 0},      {1, 1},       {0.25, 0.875},
                                      {1.5, 0.5}, {-0.5, 1.5}, {0.5, -3.75}, {4.5, 4.5}};
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(f, size.width_px, size.height_px);
    for (size_t g = 0; g < COUNT(gazes); g++) {
        for (uint32_t i = 0; i < 12; i++) {
            const uint32_t x = i < 4 ? (i & 1) * (size.width_px - 1) : (uint32_t)rand();
            const uint32_t y = i < 4 ? (i >> 1) * (size.height_px - 1) : (uint32_t)rand();
            check_pixel(f, plan,
                        (struct foveate_reference_places){
                            .x_px = x % size.width_px + 0.5,
                            .y_px = y % size.height_px + 0.5,
                            .gaze_x_px = gazes[g][0] * size.width_px,
                            .gaze_y_px = gazes[g][1] * size.height_px,
                        });
        }
    }
}

TEST(sigma_follows_the_formula)
{
    static const struct fovea_geometry views[] = {
        {.screen_width_m = 0.53, .distance_m = 0.3},
        {.ppd = 3.0},
        {.tan_left = 1.4, .tan_right = 0.7, .tan_up = 1.0, .tan_down = 1.2},
    };
    static const struct size sizes[] = {{640, 360}, {200, 300}, {33, 21}};
    srand(5);
    for (size_t i = 0; i < COUNT(kinds) * 4 * COUNT(views); i++) {
        struct fovea_foveation f = map_settings(kinds[i % COUNT(kinds)]);
        f.map.law = (enum fovea_map_law)(i / COUNT(kinds) % 2);
        f.map.degrees = (enum fovea_map_degrees)(i / COUNT(kinds) / 2 % 2);
        f.map.eye = (enum fovea_map_eye)(i / COUNT(kinds) / 4);
        f.geometry = views[i / COUNT(kinds) / 4];
        f.map.cutoff_cpd = i % 5 == 4 ? 12.5 : 0.0;
        f.strength = 0.5 + 0.25 * (double)(i % 7);
        check_picture(&f, sizes[i % COUNT(sizes)]);
    }
}

/* ---- The human map */

struct meridian {
    const char *name;
    double right_x, right_y; /* for the right eye, down positive */
    double cpd[6];
};

/* ON cells' limit at 2, 5, 10, 20, 30 and 40 degrees; the table of the measurements, by where they
 * lie in the visual field. */
TEST(human_has_watsons_densities)
{
    static const double degrees[] = {2, 5, 10, 20, 30, 40};
    static const struct meridian meridians[] = {
        {"temporal", 1, 0, {23.2, 12.6, 8.0, 4.9, 3.5, 2.6}},
        {"lower", 0, 1, {22.2, 11.4, 6.5, 3.5, 2.3, 1.6}},
        {"nasal", -1, 0, {24.0, 13.1, 7.6, 3.6, 2.1, 1.3}},
        {"upper", 0, -1, {21.5, 10.7, 5.8, 2.9, 1.8, 1.3}},
    };
    for (size_t i = 0; i < COUNT(meridians) * COUNT(degrees); i++) {
        const struct meridian *m = &meridians[i / COUNT(degrees)];
        const double e = degrees[i % COUNT(degrees)];
        const double x = m->right_x * e;
        const double y = m->right_y * e;
        const double density = foveate_map_human(FOVEA_MAP_EYE_RIGHT, x, y);
        const double cpd = sqrt(density / 2.0 / (2.0 * sqrt(3.0)));
        assert_that(fabs(cpd - m->cpd[i % COUNT(degrees)]) <= 0.051,
                    "%s at %g degrees: %.3f cycles a degree", m->name, e, cpd);
        assert_true(foveate_map_human(FOVEA_MAP_EYE_LEFT, -x, y) == density);
        assert_true(foveate_map_human(FOVEA_MAP_EYE_BOTH, x, y) >= density);
    }
    const double peak = sqrt(foveate_map_human(FOVEA_MAP_EYE_BOTH, 0, 0) / 2.0 / (2.0 * sqrt(3.0)));
    assert_true(fabs(peak - FOVEATE_MAP_HUMAN_CPD) < 0.05);
}

/* The nasal side of one eye sees what the temporal side of the other does, too. */
TEST(both_eyes_see_what_the_better_sees)
{
    for (double x = -60; x <= 60; x += 7.5) {
        for (double y = -60; y <= 60; y += 7.5) {
            const double left = foveate_map_human(FOVEA_MAP_EYE_LEFT, x, y);
            const double right = foveate_map_human(FOVEA_MAP_EYE_RIGHT, x, y);
            assert_true(foveate_map_human(FOVEA_MAP_EYE_BOTH, x, y) == fmax(left, right));
            assert_true(foveate_map_human(FOVEA_MAP_EYE_LEFT, -x, y) == right);
        }
    }
}

TEST(streak_is_wide_and_low)
{
    assert_true(foveate_map_streak(0, 0) == 1.0);
    assert_true(fabs(foveate_map_streak(0, 8) - 0.5) < 1e-12);
    assert_true(foveate_map_streak(60, 0) > 0.4);
    assert_true(foveate_map_streak(0, 60) < 0.02);
    assert_true(foveate_map_streak(-20, 3) == foveate_map_streak(20, -3));
}

/* The numbers that docs/models.md has them from. */
TEST(animals_have_the_published_densities)
{
    static const enum fovea_map_eye right = FOVEA_MAP_EYE_RIGHT;
    for (int i = 0; i < 3; i++) {
        const enum fovea_map_kind kind = (enum fovea_map_kind)(FOVEA_MAP_KANGAROO + i);
        assert_true(fabs(foveate_map_animal(kind, right, 0, 0) - 1.0) < 1e-12);
        assert_true(foveate_map_animal(kind, FOVEA_MAP_EYE_LEFT, 30, 7) ==
                    foveate_map_animal(kind, right, -30, 7));
    }
    assert_true(fabs(5000 * foveate_map_animal(FOVEA_MAP_KANGAROO, right, 90, 0) - 2000) < 20);
    assert_true(fabs(13000 * foveate_map_animal(FOVEA_MAP_DOG, right, 0, 90) - 1000) < 70);
    assert_true(fabs(2640 * foveate_map_animal(FOVEA_MAP_DOG, right, 90, 0) - 880) < 10);
    assert_true(fabs(foveate_map_animal(FOVEA_MAP_HAWK, right, -30, 0) - 0.5) < 1e-12);
    assert_true(foveate_map_animal(FOVEA_MAP_HAWK, right, 30, 0) < 0.21);
    /* A possum's: 280,000 cells in a circle of 260 mm2, 0.136 mm a degree. */
    double cells = 0.0;
    const double radius_mm = sqrt(260.0 / 3.14159265358979);
    for (double y = -9.15; y < 9.2; y += 0.1) {
        for (double x = -9.15; x < 9.2; x += 0.1) {
            const bool inside = x * x + y * y < radius_mm * radius_mm;
            cells += inside
                         ? 0.01 * 5000.0 *
                               foveate_map_animal(FOVEA_MAP_KANGAROO, right, x / 0.136, y / 0.136)
                         : 0.0;
        }
    }
    assert_that(fabs(cells - 280e3) < 5e3, "%g cells", cells);
}

/* ---- Samples */

static void check_smallest(const struct foveate_map *map, double reach_deg)
{
    double smallest = HUGE_VAL;
    const double middle_x = 0.5 * (map->width - 1);
    const double middle_y = 0.5 * (map->height - 1);
    const double reach = reach_deg / map->deg_per_sample;
    for (int32_t j = 0; j < map->height; j++) {
        for (int32_t i = 0; i < map->width; i++) {
            if (fabs(i - middle_x) < reach + 1.0 && fabs(j - middle_y) < reach + 1.0) {
                smallest = fmin(smallest, foveate_map_sample(map, i, j));
            }
            assert_true(foveate_map_sample(map, i, j) <= map->largest);
            assert_true(foveate_map_sample(map, i, j) >= map->smallest);
        }
    }
    if (reach > fmin(middle_x, middle_y)) {
        smallest = fmin(smallest, map->smallest);
    }
    assert_that(foveate_map_smallest_within(map, reach_deg, reach_deg) == smallest,
                "map %d: %g within %g degrees, not %g", (int)map->kind, smallest, reach_deg,
                foveate_map_smallest_within(map, reach_deg, reach_deg));
}

TEST(the_smallest_is_found)
{
    for (size_t i = 0; i < COUNT(kinds) * 3; i++) {
        struct fovea_foveation f = map_settings(kinds[i / 3]);
        f.map.floor = 1e-9;
        f.map.eye = (enum fovea_map_eye)(i % 3);
        struct foveate_map map;
        assert_true(foveate_map_init(&map, &f.map));
        check_smallest(&map, 0.0);
        check_smallest(&map, 7.3);
        check_smallest(&map, 26.0);
        check_smallest(&map, 500.0);
    }
}

/* Blocks that are whole, and parts of them: sides that are no multiple of theirs. */
static struct fovea_foveation speckled_map(enum fovea_map_law law, enum fovea_map_degrees degrees)
{
    enum { WIDTH = 119, HEIGHT = 85 };
    static float values[WIDTH * HEIGHT];
    struct fovea_foveation f = map_settings(FOVEA_MAP_ARRAY);
    srand(7);
    for (size_t i = 0; i < COUNT(values); i++) {
        values[i] = 0.25f + (float)(rand() % 1000);
    }
    f.map.values = values;
    f.map.width = WIDTH;
    f.map.height = HEIGHT;
    f.map.serial = 77;
    f.map.law = law;
    f.map.degrees = degrees;
    return f;
}

static void check_same_plan(const struct gauss_plan *plan, const struct gauss_plan *other)
{
    const struct gauss_slope slope = gauss_slope_of(plan);
    const struct gauss_slope of_other = gauss_slope_of(other);
    assert_memory_equal(&slope, &of_other, sizeof slope);
    assert_true(plan->sigma_max_px == other->sigma_max_px);
    assert_memory_equal(&plan->law, &other->law, sizeof plan->law);
    assert_memory_equal(plan->levels, other->levels, sizeof plan->levels);
    assert_memory_equal(plan->law_table, other->law_table,
                        (size_t)plan->law.table_count * sizeof *plan->law_table);
}

/* Too small a strength limits nothing, a large one what lies far outside. */
static void check_ready(struct fovea_foveation f, struct fovea_map_ready *ready, double strength)
{
    f.strength = strength;
    OWNED(foveate_plan_destroy) struct gauss_plan *plain = plan_of(&f, 1920, 1080);
    f.map.ready = ready;
    OWNED(foveate_plan_destroy) struct gauss_plan *quick = plan_of(&f, 1920, 1080);
    assert_true(foveate_plan_shares_table(quick) && !foveate_plan_shares_table(plain));
    check_same_plan(quick, plain);
}

TEST(what_is_ready_makes_the_same_plans)
{
    for (int i = 0; i < 4; i++) {
        struct fovea_foveation f =
            speckled_map(i / 2 ? FOVEA_MAP_LAW_LINEAR : FOVEA_MAP_LAW_SQRT,
                         i % 2 ? FOVEA_MAP_DEGREES_VIEW : FOVEA_MAP_DEGREES_PAPER);
        OWNED(foveate_map_ready_release) struct fovea_map_ready *ready = NULL;
        assert_ok(foveate_map_ready_make(&f, &ready));
        check_ready(f, ready, 1.0);
        check_ready(f, ready, 0.25);
        struct foveate_map map;
        f.map.ready = ready;
        assert_true(foveate_map_init(&map, &f.map));
        assert_ptr_equal(map.ready, ready);
        for (double reach_deg = 0.0; reach_deg < 60.0; reach_deg += 1.7) {
            check_smallest(&map, reach_deg);
        }
    }
}

TEST(what_is_ready_fits_its_own_law_and_samples)
{
    struct fovea_foveation f = speckled_map(FOVEA_MAP_LAW_SQRT, FOVEA_MAP_DEGREES_PAPER);
    struct fovea_map_ready *ready = NULL;
    assert_ok(foveate_map_ready_make(&f, &ready));
    f.map.ready = ready;
    assert_true(foveate_map_ready_fits(ready, &f));
    assert_false(foveate_map_ready_fits(NULL, &f));
    f.cutoff_gain = 0.4;
    assert_false(foveate_map_ready_fits(ready, &f));
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 640, 480);
    assert_false(foveate_plan_shares_table(plan));
    foveate_plan_destroy(&plan);
    f.cutoff_gain = speckled_map(f.map.law, f.map.degrees).cutoff_gain;
    f.map.serial++;
    assert_false(foveate_map_ready_fits(ready, &f));
    /* Plans have a share. */
    f.map.serial--;
    plan = plan_of(&f, 640, 480);
    foveate_map_ready_release(&ready);
    assert_true(foveate_plan_shares_table(plan));
    assert_true(plan->law_table[0] > 0.0f);
}

TEST(beyond_its_edge_a_map_is_its_smallest_without_a_step)
{
    struct fovea_foveation f = map_settings(FOVEA_MAP_ARRAY);
    struct foveate_map map;
    assert_true(foveate_map_init(&map, &f.map));
    assert_true(fabs(map.smallest - 0.02) < 1e-12); /* the floor; 20 is the largest */
    /* Ten degrees a sample, seven columns: the last lies at 30 degrees. */
    assert_true(foveate_map_at(&map, 30.0, 0.0) == 11.0);
    assert_true(fabs(foveate_map_at(&map, 35.0, 0.0) - 5.51) < 1e-9);
    assert_true(fabs(foveate_map_at(&map, 40.0, 0.0) - 0.02) < 1e-12);
    assert_true(fabs(foveate_map_at(&map, 1e9, -1e9) - 0.02) < 1e-12);
    for (double x = -60.0; x < 60.0; x += 0.01) {
        assert_true(fabs(foveate_map_at(&map, x + 0.01, 4.0) - foveate_map_at(&map, x, 4.0)) <
                    0.03);
    }
}

/* ---- Pictures */

/* The published program reads a picture of the law that is centred on the image, and clamps there:
 * to it no pixel is farther away than half the image. */
TEST(sigma_follows_the_distance_to_the_far_corner)
{
    static float values[801 * 3];
    for (int i = 0; i < 801 * 3; i++) {
        values[i] = (float)(500 - abs(i % 801 - 400));
    }
    for (int law = 0; law < 2; law++) {
        struct fovea_foveation f = map_settings(FOVEA_MAP_ARRAY);
        f.map.law = (enum fovea_map_law)law;
        f.map.cutoff_cpd = 3.0;
        f.map.values = values;
        f.map.width = 801;
        f.map.height = 3;
        f.map.width_deg = 500.0;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 300, 200);
        const struct gauss_frame frame = frame_at(plan, 0, 100);
        float last = -1.0f;
        for (int32_t x = 10; x < 300; x++) {
            const float sigma = gauss_sigma_at(plan, &frame, x, 99);
            assert_that(sigma > last, "law %d: sigma at %d is %f, not above %f", law, x,
                        (double)sigma, (double)last);
            last = sigma;
        }
    }
}

static void mirror(const float *from, float *to, int width, int height, bool across, bool down)
{
    for (int j = 0; j < height; j++) {
        for (int i = 0; i < width; i++) {
            to[j * width + i] =
                from[(down ? height - 1 - j : j) * width + (across ? width - 1 - i : i)];
        }
    }
}

/* A map mirrored with the gaze and the picture says the same; not mirrored, something else. */
TEST(directions_are_the_pictures)
{
    for (int i = 0; i < 12; i++) {
        struct fovea_foveation f = map_settings(FOVEA_MAP_ARRAY);
        f.map.law = (enum fovea_map_law)(i % 2);
        f.map.degrees = (enum fovea_map_degrees)(i / 2 % 2);
        f.geometry = (struct fovea_geometry){
            .tan_left = 1.2, .tan_right = 1.2, .tan_up = 0.9, .tan_down = 0.9};
        const bool across = i / 4 != 1;
        const bool down = i / 4 != 0;
        float values[35];
        mirror(f.map.values, values, 7, 5, across, down);
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 1000, 800);
        f.map.values = values;
        OWNED(foveate_plan_destroy) struct gauss_plan *mirrored = plan_of(&f, 1000, 800);
        const struct gauss_frame frame = frame_at(plan, 300, 600);
        const struct gauss_frame other = frame_at(mirrored, across ? 700 : 300, down ? 200 : 600);
        bool lopsided = false;
        for (int32_t k = 0; k < 800000; k += 97) {
            const int32_t x = k % 1000;
            const int32_t y = k / 1000;
            const float a = gauss_sigma_at(plan, &frame, x, y);
            const float b =
                gauss_sigma_at(mirrored, &other, across ? 999 - x : x, down ? 799 - y : y);
            assert_true(fabsf(a - b) <= 1e-3f * a + 1e-3f);
            lopsided |= fabsf(a - gauss_sigma_at(mirrored, &frame, x, y)) > 0.2f * a;
        }
        assert_true(lopsided);
    }
}

/* Two peaks, a valley between them: nothing is monotone. */
TEST(plan_knows_the_largest_sigma)
{
    for (size_t i = 0; i < COUNT(kinds) * 4; i++) {
        struct fovea_foveation f = map_settings(kinds[i / 4]);
        f.map.law = (enum fovea_map_law)(i % 2);
        f.map.degrees = (enum fovea_map_degrees)(i / 2 % 2);
        f.map.cutoff_cpd = 2.0; /* far beyond the ramp */
        f.geometry.distance_m = 0.2;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 160, 90);
        float largest = 0.0f;
        for (int g = 0; g < 35; g++) {
            const struct gauss_frame frame =
                frame_at(plan, 160.0 * (g % 7) / 6, 90.0 * (g / 7) / 4);
            for (int32_t k = 0; k < 160 * 90; k++) {
                largest = fmaxf(largest, gauss_sigma_at(plan, &frame, k % 160, k / 160));
            }
        }
        assert_that(largest <= plan->sigma_max_px * 1.001f && largest >= plan->sigma_max_px * 0.7f,
                    "map %d law %d degrees %d: up to %f, the plan says %f", (int)f.map.kind,
                    (int)f.map.law, (int)f.map.degrees, (double)largest,
                    (double)plan->sigma_max_px);
    }
}

TEST(a_gaze_outside_has_its_levels_too)
{
    for (size_t i = 0; i < COUNT(kinds) * 2; i++) {
        struct fovea_foveation f = map_settings(kinds[i / 2]);
        f.map.degrees = (enum fovea_map_degrees)(i % 2);
        f.strength = 2.0;
        OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 320, 180);
        for (int k = 0; k < 500; k++) {
            const struct gauss_frame frame =
                frame_at(plan, rand() % 3200 - 1400.0, rand() % 1800 - 800.0);
            const float sigma = gauss_sigma_at(plan, &frame, rand() % 320, rand() % 180);
            assert_true(gauss_level_for(sigma, GAUSS_MAX_LEVELS) < (int32_t)plan->level_count);
        }
    }
}

/* ---- Settings */

TEST(fits_what_it_was_made_for)
{
    struct fovea_foveation of_view = map_settings(FOVEA_MAP_ARRAY);
    of_view.map.degrees = FOVEA_MAP_DEGREES_VIEW;
    struct fovea_foveation of_paper = of_view;
    of_paper.map.degrees = FOVEA_MAP_DEGREES_PAPER;
    struct fovea_foveation human = map_settings(FOVEA_MAP_HUMAN);
    human.map.degrees = FOVEA_MAP_DEGREES_VIEW;
    FIT(false, of_view, f.map.serial = 2);
    FIT(false, of_view, f.map.law = FOVEA_MAP_LAW_LINEAR);
    FIT(false, of_view, f.map.degrees = FOVEA_MAP_DEGREES_PAPER);
    FIT(false, of_view, f.map.width_deg = 71.0);
    FIT(false, of_view, f.map.cutoff_cpd = 20.0);
    FIT(false, of_view, f.map.floor = 0.002);
    FIT(false, of_view, f.paper.f_max_cpd = 31.0);
    FIT(false, of_view, f.geometry.ppd = 20.0);
    FIT(true, of_view, f.physical.ct0 = 0.02);
    FIT(true, of_paper, f.geometry.ppd = 20.0);
    FIT(false, human, f.map.eye = FOVEA_MAP_EYE_LEFT);
    FIT(true, human, f.map.width_deg = 9.0);
}

#define REFUSE_ARRAY(...)                                                                          \
    do {                                                                                           \
        float values[35];                                                                          \
        memcpy(values, image_map, sizeof values);                                                  \
        REFUSE(map_settings(FOVEA_MAP_ARRAY), f.map.values = values; __VA_ARGS__);                 \
    } while (0)

TEST(maps_that_are_none_are_refused)
{
    REFUSE_ARRAY(values[17] = -1.0f);
    REFUSE_ARRAY(values[34] = NAN);
    REFUSE_ARRAY(values[0] = INFINITY);
    REFUSE_ARRAY(memset(values, 0, sizeof values));
    REFUSE_ARRAY(memset(values, 0x11, sizeof values); f.map.law = FOVEA_MAP_LAW_LINEAR);
    REFUSE_ARRAY(f.map.values = NULL);
    REFUSE_ARRAY(f.map.width = 1);
    REFUSE_ARRAY(f.map.height = 0);
    REFUSE_ARRAY(f.map.width = 4097);
    REFUSE_ARRAY(f.map.height = 0xffffffffu);
    REFUSE_ARRAY(f.map.width_deg = 0.0);
    REFUSE_ARRAY(f.map.width_deg = (double)NAN);
    REFUSE_ARRAY(f.map.kind = FOVEA_MAP_FILE);
    REFUSE_ARRAY(f.map.kind = (enum fovea_map_kind)7);
    REFUSE_ARRAY(f.map.law = (enum fovea_map_law)2);
    REFUSE_ARRAY(f.map.degrees = (enum fovea_map_degrees)2);
    REFUSE_ARRAY(f.map.kind = FOVEA_MAP_HUMAN; f.map.eye = (enum fovea_map_eye)3);
    REFUSE_ARRAY(f.map.floor = 0.0);
    REFUSE_ARRAY(f.map.floor = 1.5);
    REFUSE_ARRAY(f.map.cutoff_cpd = -1.0);
    REFUSE_ARRAY(f.paper.e2_deg = 0.0);
    REFUSE_ARRAY(f.map.degrees = FOVEA_MAP_DEGREES_VIEW; f.geometry.distance_m = 0.0);
    REFUSE_ARRAY(f.map.cutoff_cpd = 1e-4); /* a sigma of more than 1024 px */
}

TEST(the_same_everywhere_is_a_map_where_roots_are_taken)
{
    static const float values[] = {7, 7, 7, 7};
    struct fovea_foveation f = map_settings(FOVEA_MAP_ARRAY);
    f.map.values = values;
    f.map.width = f.map.height = 2;
    f.map.cutoff_cpd = 3.0;
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = plan_of(&f, 64, 48);
    const struct gauss_frame frame = frame_at(plan, 10, 60);
    for (int32_t i = 0; i < 64; i++) {
        /* 3 of 30 cycles a degree: a twentieth of a cycle a pixel. */
        const double sigma = (double)gauss_sigma_at(plan, &frame, i, i % 48);
        assert_true(fabs(sigma - 20.0 / (2.0 * acos(-1.0))) < 1e-4);
    }
}

TEST(description_names_the_map_and_its_directions)
{
    struct fovea_foveation f = map_settings(FOVEA_MAP_HUMAN);
    f.map.eye = FOVEA_MAP_EYE_RIGHT;
    char words[OPERATOR_DESCRIPTION_BYTES];
    struct foveate_model model;
    assert_true(foveate_model_init(&model, &f, 1920, 1080));
    foveate_model_describe(&model, words, sizeof words);
    print_message("%s\n", words);
    assert_non_null(strstr(words, "model map human, 801x801 samples of 0.25 degrees: 100 degrees "
                                  "over half the diagonal of 1920x1080 px"));
    assert_non_null(strstr(words, "; left: "));
    assert_non_null(strstr(words, "; up: "));
    assert_non_null(strstr(words, "; down: "));
    f.map.kind = FOVEA_MAP_STREAK;
    f.map.degrees = FOVEA_MAP_DEGREES_VIEW;
    assert_true(foveate_model_init(&model, &f, 1920, 1080));
    foveate_model_describe(&model, words, sizeof words);
    print_message("%s\n", words);
    assert_non_null(
        strstr(words, "map streak, 801x801 samples of 0.25 degrees: a screen of 0.53 m"));
    assert_null(strstr(words, "left"));
    f = map_settings(FOVEA_MAP_ARRAY);
    memset(f.map.file, 'x', sizeof f.map.file - 1);
    assert_true(foveate_model_init(&model, &f, 16384, 16384));
    foveate_model_describe(&model, words, sizeof words);
    assert_true(strlen(words) < sizeof words - 1);
}
