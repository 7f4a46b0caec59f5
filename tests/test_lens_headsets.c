/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Values that others have of headsets, against the formulas of those who wrote them, in double
 * precision: Monado's, OpenHMD's and Vive's. */

#include "cmocka_all.h"
#include "test_lens_places.h"

/* ---- Monado and OpenHMD */

struct headset {
    double k[5]; /* factor = k0 + k1 r + k2 r^2 + k3 r^3 + k4 r^4 */
    double aberration[3], scale, center[2], viewport[2];
};

static void place_of_headset(const struct headset *headset, int color, const double uv[2],
                             double out_uv[2])
{
    double from[2];
    for (int axis = 0; axis < 2; axis++) {
        from[axis] = (uv[axis] * headset->viewport[axis] - headset->center[axis]) / headset->scale;
    }
    const double r = hypot(from[0], from[1]);
    double factor = 0.0;
    for (int power = 4; power >= 0; power--) {
        factor = factor * r + headset->k[power];
    }
    for (int axis = 0; axis < 2; axis++) {
        out_uv[axis] = (from[axis] * factor * headset->scale * headset->aberration[color] +
                        headset->center[axis]) /
                       headset->viewport[axis];
    }
}

static void assert_headset(const struct headset *headset, const struct lens_plan *plan)
{
    const double size[] = {plan->shape.width_px, plan->shape.height_px};
    for (int32_t at = 0; at < 3 * 33 * 33; at++) {
        const int32_t color = at % 3;
        const int32_t pixel[] = {at / 3 % 33 * (plan->shape.width_px / 33),
                                 at / 99 * (plan->shape.height_px / 33)};
        const double uv[] = {(pixel[0] + 0.5) / size[0], (pixel[1] + 0.5) / size[1]};
        double place[2];
        double expected_uv[2];
        place_of_headset(headset, color, uv, expected_uv);
        lens_place_at(plan, color, pixel[0], pixel[1], place);
        for (int axis = 0; axis < 2; axis++) {
            const double expected = expected_uv[axis] * size[axis];
            assert_that(fabs(place[axis] - expected) < 0.004 + 1e-5 * fabs(expected),
                        "color %d, (%d, %d): %g, not %g", color, pixel[0], pixel[1], place[axis],
                        expected);
        }
    }
}

/* Over all pixels whose source is in the picture; a pixel that the formula leaves blank must be. */
static double most_off_headset(const struct headset *headset, const struct lens_plan *plan)
{
    const double size[] = {plan->shape.width_px, plan->shape.height_px};
    double most = 0.0;
    for (int32_t at = 0; at < 3 * plan->shape.width_px * plan->shape.height_px; at += 5) {
        const int32_t pixel[] = {at / 3 % plan->shape.width_px, at / 3 / plan->shape.width_px};
        const double uv[] = {(pixel[0] + 0.5) / size[0], (pixel[1] + 0.5) / size[1]};
        double place[2];
        double right[2];
        bool near = true;
        bool beside = false;
        place_of_headset(headset, at % 3, uv, right);
        lens_place_at(plan, at % 3, pixel[0], pixel[1], place);
        for (int axis = 0; axis < 2; axis++) {
            right[axis] *= size[axis];
            near = near && right[axis] >= 0.0 && right[axis] <= size[axis];
            beside = beside || right[axis] < -0.03 || right[axis] > size[axis] + 0.03;
        }
        assert_true(!beside || place[0] < 0.0 || place[0] > size[0] || place[1] < 0.0 ||
                    place[1] > size[1]);
        most = near ? fmax(most, hypot(place[0] - right[0], place[1] - right[1])) : most;
    }
    return most;
}

static uint32_t height_of(const struct headset *headset, uint32_t width_px)
{
    return (uint32_t)lround(width_px * headset->viewport[1] / headset->viewport[0]);
}

/* They are PlayStation VR's, and Rift S's in metres. */
static const struct headset headsets[] = {
    {{0.75, -0.01, 0.75, 0.0, 3.8}, {0.999, 1.008, 1.018}, 1188, {990, 1020}, {1980, 2040}},
    {{0.819, -0.241, 0.324, 0.098, 0.0},
     {0.995242, 1.0, 1.0008074},
     0.03788,
     {0.03788, 0.0468},
     {0.07488, 0.0936}},
};

static void write_headset(const struct headset *h, char *text, size_t bytes)
{
    char last[32] = ""; /* older files have no fourth power */
    if (h->k[4] != 0.0) {
        snprintf(last, sizeof last, ", %.17g", h->k[4]);
    }
    snprintf(text, bytes,
             "{\"distortion_k\": [%.17g, %.17g, %.17g, %.17g%s],\n"
             " \"aberration_k\": [%.17g, %.17g, %.17g], \"scale\": %.17g,\n"
             " \"lens_center\": [%.17g, %.17g], \"viewport_size\": [%.17g, %.17g]}",
             h->k[0], h->k[1], h->k[2], h->k[3], last, h->aberration[0], h->aberration[1],
             h->aberration[2], h->scale, h->center[0], h->center[1], h->viewport[0],
             h->viewport[1]);
}

TEST(monados_values_are_its_formula)
{
    for (size_t i = 0; i < sizeof headsets / sizeof headsets[0]; i++) {
        const struct headset *h = &headsets[i];
        char text[512];
        write_headset(h, text, sizeof text);
        OWNED_LENS calibration = lens_read_text(text);
        OWNED_LENS_PLAN plan = lens_plan_for(calibration, 792, height_of(h, 792));
        assert_headset(h, plan);
    }
}

/* The viewport is all of the picture, whatever the picture's aspect is. */
TEST(monados_values_are_its_formula_at_any_aspect)
{
    static const uint32_t sizes[][2] = {{1280, 1440}, {320, 240},   {792, 817},
                                        {2064, 2208}, {2400, 1600}, {700, 1900}};
    for (size_t i = 0; i < 6 * sizeof headsets / sizeof headsets[0]; i++) {
        const struct headset *h = &headsets[i / 6];
        const uint32_t *size = sizes[i % 6];
        char text[512];
        write_headset(h, text, sizeof text);
        OWNED_LENS calibration = lens_read_text(text);
        OWNED_LENS_PLAN plan = lens_plan_for(calibration, size[0], size[1]);
        const double most = most_off_headset(h, plan);
        print_message("headset %zu at %u x %u: %.4f px\n", i / 6, size[0], size[1], most);
        assert_true(most < 0.03);
    }
}

/* Whatever the corners of the viewport show is far outside of the picture, and no reason to refuse
 * the lens. */
TEST(monados_values_may_grow_beyond_all)
{
    OWNED_LENS calibration = lens_read_text(
        "{\"distortion_k\": [1, 0, 0, 0, 500], \"scale\": 1, \"lens_center\": [1, 1], "
        "\"viewport_size\": [2, 2]}");
    OWNED_LENS_PLAN plan = lens_plan_for(calibration, 90, 60);
    double place[2];
    lens_place_at(plan, LENS_AXIS, 0, 0, place);
    assert_true(place[0] < 0.0 && place[1] < 0.0);
}

/* OpenHMD's a, b, c, d as the docs' table turns them into settings, with a centre of their own. */
static struct fovea_settings settings_of_openhmd(const double abcd[4], const struct headset *h)
{
    struct fovea_settings settings = fovea_settings_default();
    struct fovea_operator_settings *own = &settings.own;
    const double s = 0.5 * h->viewport[0] / h->scale; /* of half the width */
    const double green = h->aberration[1];
    const double red = h->aberration[0] / green - 1.0;
    const double blue = h->aberration[2] / green - 1.0;
    own->lens_r0 = abcd[3] * green;
    own->lens_r1 = abcd[2] * green * s;
    own->lens_r2 = abcd[1] * green * s * s;
    own->lens_r3 = abcd[0] * green * s * s * s;
    own->lens_r4 = 0.0;
    own->lens_red_r0 = own->lens_r0 * red;
    own->lens_red_r1 = own->lens_r1 * red;
    own->lens_red_r2 = own->lens_r2 * red;
    own->lens_red_r3 = own->lens_r3 * red;
    own->lens_blue_r0 = own->lens_r0 * blue;
    own->lens_blue_r1 = own->lens_r1 * blue;
    own->lens_blue_r2 = own->lens_r2 * blue;
    own->lens_blue_r3 = own->lens_r3 * blue;
    own->lens_shift_x = h->center[0] / h->viewport[0] - 0.5;
    own->lens_shift_y = h->center[1] / h->viewport[1] - 0.5;
    return settings;
}

/* They are Rift CV1's, and no headset's: all numbers, and a centre far from the middle. */
TEST(openhmds_values_are_its_formula)
{
    static const struct {
        double abcd[4];
        struct headset own;
    } known[] = {{{0.098, 0.324, -0.241, 0.819},
                  {.aberration = {0.9952420, 1.0, 1.0008074},
                   .scale = 0.0352,
                   .center = {0.0352, 0.0468},
                   .viewport = {0.0736, 0.092}}},
                 {{0.11, 0.21, 0.05, 0.9},
                  {.aberration = {0.99, 1.02, 1.04},
                   .scale = 0.041,
                   .center = {0.031, 0.042},
                   .viewport = {0.0736, 0.092}}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct headset headset = known[i].own;
        for (int power = 0; power < 4; power++) {
            headset.k[power] = known[i].abcd[3 - power];
        }
        const struct fovea_settings settings = settings_of_openhmd(known[i].abcd, &headset);
        const struct operator_plan_desc desc = {
            .settings = &settings, .width_px = 792, .height_px = height_of(&headset, 792)};
        OWNED_LENS_PLAN plan = lens_plan_made(&desc);
        assert_headset(&headset, plan);
    }
}

/* ---- Vive */

struct distortion {
    double center[2], c[4];
};

struct vive {
    const char *type;
    double aspect, grow, cutoff[2];
    struct distortion colors[2][3]; /* of eyes; red, green, blue */
};

/* The first one of a Vive, the others of no headset. */
static const struct vive vives[] = {
    {"DISTORT_DPOLY3",
     0.8999999761581421,
     0.6000000238418579,
     {1.11622154712677, 1.101870775222778},
     {{{{0.08946027017045266, -0.009002181016260827},
        {-0.188236068524731, -0.07316590815739493, -0.02223805567703767}},
       {{0.08946027017045266, -0.009002181016260827},
        {-0.221086205321053, -0.02332400789561968, -0.04931309279533211}},
       {{0.08946027017045266, -0.009002181016260827},
        {-0.2537849057915209, 0.02469959434698275, -0.07862881939243466}}},
      {{{-0.08933516629552526, -0.006014565287238661},
        {-0.1906209981894497, -0.07346071902951497, -0.01755850332081247}},
       {{-0.08933516629552526, -0.006014565287238661},
        {-0.2248896677207884, -0.02189527566250131, -0.04517245633373419}},
       {{-0.08933516629552526, -0.006014565287238661},
        {-0.2721364516782803, 0.0581378652359256, -0.0928909347763}}}}},
    {"DISTORT_POLY3",
     0.9,
     0.5,
     {1.2, 1.2},
     {{{{0.07, 0.01}, {0.1, 0.05, 0.02}},
       {{0.08, 0.0}, {0.12, 0.05, 0.02}},
       {{0.09, 0.0}, {0.14, 0.05, 0.03}}},
      {{{-0.07, 0.0}, {0.1, 0.05, 0.02}},
       {{-0.08, 0.0}, {0.12, 0.04, 0.02}},
       {{-0.09, 0.0}, {0.14, 0.05, 0.03}}}}},
    {"DISTORT_DPOLY3_SCALED",
     1.1,
     0.2,
     {1.3, 1.3},
     {{{{0.0, 0.0}, {-0.2, 0.02, 0.0, 0.05}},
       {{0.0, 0.0}, {-0.22, 0.02, 0.0, 0.04}},
       {{0.0, 0.0}, {-0.23, 0.02, 0.0, 0.03}}},
      {{{0.0, 0.02}, {-0.2, 0.02, 0.0, 0.05}},
       {{0.0, 0.02}, {-0.22, 0.02, 0.0, 0.04}},
       {{0.0, 0.02}, {-0.23, 0.02, 0.0, 0.03}}}}},
};

static size_t put_distortion(char *text, size_t bytes, const char *name,
                             const struct distortion *own, const char *type)
{
    return (size_t)snprintf(
        text, bytes,
        "\"%s\": {\"center_x\": %.17g, \"center_y\": %.17g, \"coeffs\": [%.17g, %.17g, %.17g, "
        "%.17g, 0, 0, 0, 0], \"type\": \"%s\"},\n",
        name, own->center[0], own->center[1], own->c[0], own->c[1], own->c[2], own->c[3], type);
}

/* With members that do not count, as such a file has them. */
static void write_vive(const struct vive *vive, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(
        text, bytes,
        "{\"lighthouse_config\": {\"channelMap\": [17, 15], \"modelNormals\": [[0, 0, -1]], \"x\": "
        "{}, "
        "\"y\": [], \"Stra\xc3\x9f"
        "e \\\"\\u0031\\\\\": 0},\n"
        "\"Stra\xc3\x9f"
        "e \\\"\\u0031\\\\\": 0, "
        "\"a_name_with_more_letters_than_any_that_counts_does_have_or_will_have\": \"\\\"{\\\\\", "
        "\"b\": [true, false, null, -1.5e-3],\n\"tracking_to_eye_transform\": [");
    for (int eye = 0; eye < 2; eye++) {
        static const char *const names[] = {"distortion_red", "distortion", "distortion_blue"};
        used += (size_t)snprintf(text + used, bytes - used, "%s{", eye ? ", " : "");
        for (int color = 0; color < 3; color++) {
            used += put_distortion(text + used, bytes - used, names[color],
                                   &vive->colors[eye][color], vive->type);
        }
        used += (size_t)snprintf(text + used, bytes - used,
                                 "\"extrinsics\": [[1, 0, 0, 0.03], [0, 1, 0, 0], [0, 0, 1, 0]], "
                                 "\"grow_for_undistort\": %.17g, \"undistort_r2_cutoff\": %.17g}",
                                 vive->grow, vive->cutoff[eye]);
    }
    snprintf(text + used, bytes - used,
             "],\n\"device\": {\"first_eye\": \"eEYE_LEFT\", \"physical_aspect_x_over_y\": %.17g}, "
             "\"type\": \"Lighthouse_HMD\"}\n",
             vive->aspect);
}

/* Finds the place in the picture that is shown at uv, in uv. */
static void place_of_vive(const struct vive *vive, int eye, int color, const double uv[2],
                          double out_uv[2])
{
    const struct distortion *own = &vive->colors[eye][color];
    const double x = 2.0 * uv[0] - 1.0 - own->center[0];
    const double y = (2.0 * uv[1] - 1.0) / vive->aspect - own->center[1];
    const double r2 = x * x + y * y;
    const double sum = 1.0 + own->c[0] * r2 + own->c[1] * pow(r2, 2) + own->c[2] * pow(r2, 3);
    const double factor = strcmp(vive->type, "DISTORT_POLY3") == 0 ? sum : 1.0 / sum + own->c[3];
    out_uv[0] = 0.5 + 0.5 * (own->center[0] + x * factor) / (1.0 + vive->grow);
    out_uv[1] = 0.5 + 0.5 * (own->center[1] + y * factor) * vive->aspect / (1.0 + vive->grow);
}

#define VIVE_WIDTH 2160
#define VIVE_HEIGHT 2400

static double most_off(const struct vive *vive, const struct lens_plan *plan, int eye)
{
    double most = 0.0;
    for (int32_t at = 0; at < VIVE_WIDTH * VIVE_HEIGHT; at += 7) {
        const int32_t pixel[] = {at % VIVE_WIDTH, at / VIVE_WIDTH};
        const int32_t color = at % 3;
        const double uv[] = {(pixel[0] + 0.5) / VIVE_WIDTH, (pixel[1] + 0.5) / VIVE_HEIGHT};
        double place[2];
        double right[2];
        place_of_vive(vive, eye, color, uv, right);
        if (right[0] > 0.0 && right[0] < 1.0 && right[1] > 0.0 && right[1] < 1.0) {
            lens_place_at(plan, color, pixel[0], pixel[1], place);
            most = fmax(most,
                        hypot(place[0] - right[0] * VIVE_WIDTH, place[1] - right[1] * VIVE_HEIGHT));
        }
    }
    return most;
}

/* The grid's error at twice a Vive's pixels each way is what the docs state. */
TEST(vives_values_are_its_formula)
{
    for (size_t i = 0; i < sizeof vives / sizeof vives[0]; i++) {
        char text[4096];
        write_vive(&vives[i], text, sizeof text);
        OWNED_LENS calibration = lens_read_text(text);
        assert_int_equal(calibration->eye_count, LENS_EYES);
        for (int eye = 0; eye < 2; eye++) {
            OWNED_LENS_PLAN plan =
                lens_plan_of_eye(calibration, eye ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_LEFT,
                                 VIVE_WIDTH, VIVE_HEIGHT);
            const double most = most_off(&vives[i], plan, eye);
            print_message("%s, eye %d: %.4f px\n", vives[i].type, eye, most);
            assert_true(most < 0.03);
        }
    }
}

/* The left eye's green stands for all three: the last red and blue of it may be left out. */
TEST(colours_that_are_left_out_are_greens)
{
    char text[4096];
    write_vive(&vives[1], text, sizeof text);
    for (char *at = strstr(text, "\"distortion_"); at; at = strstr(at + 1, "\"distortion_")) {
        memcpy(at, "\"nothing____", 12); /* which does not count */
    }
    OWNED_LENS calibration = lens_read_text(text);
    OWNED_LENS_PLAN plan = lens_plan_of_eye(calibration, FOVEA_MAP_EYE_LEFT, 90, 100);
    for (int32_t at = 0; at < 9000; at++) {
        double places[2][2];
        lens_place_at(plan, 0, at % 90, at / 90, places[0]);
        lens_place_at(plan, LENS_AXIS, at % 90, at / 90, places[1]);
        assert_memory_equal(places[0], places[1], sizeof places[0]);
    }
}

/* An Index gives no aspect; its pixels are square. */
TEST(an_index_has_the_aspect_of_its_pixels)
{
    static const char aspect[] = "\"physical_aspect_x_over_y\": 0.9";
    char text[4096];
    char index[5000];
    double places[2][2];
    write_vive(&vives[1], text, sizeof text);
    const char *at = strstr(text, aspect);
    assert_non_null(at);
    snprintf(index, sizeof index,
             "%.*s\"eye_target_height_in_pixels\": 1600, \"eye_target_width_in_pixels\": 1440%s",
             (int)(at - text), text, strchr(at, '}'));
    for (int i = 0; i < 2; i++) {
        OWNED_LENS calibration = lens_read_text(i ? index : text);
        OWNED_LENS_PLAN plan = lens_plan_of_eye(calibration, FOVEA_MAP_EYE_RIGHT, 144, 160);
        lens_place_at(plan, 2, 100, 130, places[i]);
    }
    assert_float_equal(places[0][0], places[1][0], 1e-5);
    assert_float_equal(places[0][1], places[1][1], 1e-5);
}

/* ---- What is wrong with a Vive's */

/* The text with a part of it exchanged for another. */
static void wrong_vive(const char *part, const char *other, const char *words)
{
    char text[4096];
    char changed[5000];
    write_vive(&vives[0], text, sizeof text);
    char *at = strstr(text, part);
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, other, at + strlen(part));
    lens_assert_wrong(changed, strlen(changed), words);
}

TEST(what_is_wrong_is_said_with_its_place)
{
    wrong_vive("DISTORT_DPOLY3", "DISTORT_SPLINE",
               "3:239: there is no \"DISTORT_SPLINE\"; there are DISTORT_POLY3, DISTORT_DPOLY3, "
               "DISTORT_DPOLY3_SCALED");
    wrong_vive(", 0, 0, 0, 0]", "]", "there are 4 numbers; there must be 8");
    wrong_vive(", 0, 0, 0, 0]", ", 0, 0, 1, 0]",
               "only the first 3 of \"coeffs\" may be other than 0");
    wrong_vive("\"type\": \"DISTORT_DPOLY3\"", "\"t\": 0", "a distortion has no \"type\"");
    wrong_vive("\"coeffs\"", "\"factors\"", "a distortion has no \"coeffs\"");
    wrong_vive("\"distortion\"", "\"green\"", "an eye has no \"distortion\"");
    wrong_vive("\"grow_for_undistort\"", "\"grow\"", "an eye has no \"grow_for_undistort\"");
    wrong_vive("\"undistort_r2_cutoff\"", "\"cutoff\"", "an eye has no \"undistort_r2_cutoff\"");
    wrong_vive("\"grow_for_undistort\": 0", "\"grow_for_undistort\": -1",
               "\"grow_for_undistort\" is 0 to 10");
    wrong_vive("\"center_x\": 0", "\"center_x\": 3", "\"center_x\" is -2 to 2");
    wrong_vive("_aspect_x_over_y\": 0", "_aspect_x_over_y\": -0",
               "\"physical_aspect_x_over_y\" is 0.1 to 10");
    wrong_vive("\"device\"", "\"devices\"", "there is no \"physical_aspect_x_over_y\"");
    wrong_vive("\"type\": \"Lighthouse_HMD\"", "\"tracking_to_eye_transform\": []",
               "\"tracking_to_eye_transform\" is there twice");
    wrong_vive("}, {\"distortion_red\"", "}], \"distortion_red\"", "there must be two eyes");
    wrong_vive("[17, 15]", "[17, 15", "1:61: expected a comma or ]; found ");
    wrong_vive("[17, 15]", "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "at most 16 levels of nesting");
    wrong_vive("null", "nil", "expected a value as JSON writes it; found nil");
    wrong_vive("HMD\"}", "HMD\"} {}", "expected nothing more");
    wrong_vive("-0.18823606852473099", "2", "the left eye's red folds back from r = ");
    wrong_vive("-0.18823606852473099", "1.5",
               "folds back from r = 0.89"); /* before the cutoff, 1.06 */
}
