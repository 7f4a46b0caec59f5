/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calibrations of lenses from files: what they mean, against the formulas of those who write them,
 * and what is said of those that are wrong. */

#include "cmocka_all.h"
#include "test_lens_places.h"

#include "kernels/lens/place.h"
#include "kernels/lens/read/read.h"

/* ---- Known lenses */

/* Fractions of 1920 x 1080 that have a source, with r over half the width, half the diagonal and
 * half the height: numbers that were worked out elsewhere. */
TEST(known_lenses_leave_as_much_blank_as_is_known)
{
    static const char *const units[] = {"half-width", "half-diagonal", "half-height"};
    static const struct {
        double k1, k2, inside[3];
    } known[] = {{0.441, 0.156, {0.624, 0.677, 0.397}}, {0.34, 0.55, {0.596, 0.657, 0.349}},
                 {0.22, 0.24, {0.689, 0.744, 0.434}},   {0.1, 0.1, {0.803, 0.847, 0.555}},
                 {0.2, 0.0, {0.782, 0.819, 0.590}},     {0.15, 0.05, {0.792, 0.833, 0.569}}};
    for (size_t i = 0; i < 3 * sizeof known / sizeof known[0]; i++) {
        const char *text = test_text(
            "{\"fovea-lens\": 1, \"polynomial\": {\"unit\": \"%s\", \"green\": [1, 0, %g, 0, "
            "%g]}}",
            units[i % 3], known[i / 3].k1, known[i / 3].k2);
        OWNED_LENS calibration = lens_read_text(text);
        OWNED_LENS_PLAN plan = lens_plan_for(calibration, 1920, 1080);
        int inside = 0;
        for (int y = 0; y < 1080; y++) {
            for (int x = 0; x < 1920; x++) {
                const struct lens_place place = lens_source_beside(
                    &plan->shape, NULL, LENS_AXIS, x, y, (struct lens_offset){0.0f, 0.0f});
                inside += !lens_is_outside(&plan->shape, &place);
            }
        }
        assert_that(fabs(inside / (1920.0 * 1080.0) - known[i / 3].inside[i % 3]) < 0.001,
                    "%s: %g of the picture, not %g", text, inside / (1920.0 * 1080.0),
                    known[i / 3].inside[i % 3]);
    }
}

/* ---- Calibrations of others, at places that their own programs print */

struct known {
    int32_t x, y, color;
    double at[2];
};

#define MOST_KNOWN 6

/* OpenCV 5.0.0's maps for 1280x720, with the middle of a pixel at 0.5. */
static const struct known opencv_5[MOST_KNOWN] = {
    {0, 0, 0, {163.6176, 87.2926}},      {1279, 719, 1, {1114.7775, 621.9026}},
    {640, 0, 2, {640.6595, 28.7103}},    {0, 360, 0, {141.0330, 356.4926}},
    {300, 200, 1, {333.0704, 213.9932}}, {1000, 650, 2, {949.7337, 606.7773}}};
static const struct known opencv_8[MOST_KNOWN] = {
    {0, 0, 0, {217.9866, 115.4706}},     {1279, 719, 1, {1061.3987, 589.4699}},
    {640, 0, 2, {640.8121, 41.0631}},    {0, 360, 0, {190.2153, 354.6765}},
    {300, 200, 1, {347.4119, 219.7537}}, {1000, 650, 2, {930.1559, 589.5463}}};
static const struct known opencv_12[MOST_KNOWN] = {
    {0, 0, 0, {184.3310, 94.2029}},      {1279, 719, 1, {1097.2921, 607.2822}},
    {640, 0, 2, {642.1243, 29.5411}},    {0, 360, 0, {157.2677, 353.8411}},
    {300, 200, 1, {336.0732, 213.1434}}, {1000, 650, 2, {947.3622, 600.6030}}};
static const struct known opencv_4[MOST_KNOWN] = {
    {0, 0, 0, {5.1083, 2.9482}},         {1279, 719, 1, {1276.6185, 717.7766}},
    {640, 0, 2, {640.5500, 2.6775}},     {0, 360, 0, {7.1696, 360.3860}},
    {300, 200, 1, {303.0379, 201.5566}}, {1000, 650, 2, {997.3032, 647.7220}}};
static const struct known opencv_fisheye[MOST_KNOWN] = {
    {0, 0, 0, {198.4511, 105.9175}},     {1279, 719, 1, {1078.5077, 600.5231}},
    {640, 0, 2, {640.6490, 37.3674}},    {0, 360, 0, {172.1779, 355.5650}},
    {300, 200, 1, {342.4878, 217.9114}}, {1000, 650, 2, {936.4189, 595.3859}}};

static const struct {
    const char *what, *text;
    uint32_t size_px[2];
    double most_px; /* off the other program's */
    const struct known *places; /* up to the first without a place */
} known_files[] = {
    {"OpenCV, YAML",
     "%YAML:1.0\n---\nimage_width: 1280\nimage_height: 720\n# camera_matrix: [ 1 ]\n"
     "camera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ "
     "5.61607e+02, 0.,\n           641.381, 0., 562.915, 341.563, 0., 0., 1. ]\n"
     "distortion_coefficients: !!opencv-matrix\n   rows: 1\n   cols: 5\n   dt: d\n   data: [ "
     "-0.25303, 0.083509, 3.77e-05,\n       2.20e-04, -1.365e-02 ]\n",
     {1280, 720},
     0.002,
     opencv_5},
    {"OpenCV, JSON of lists",
     "{\"camera_matrix\": [[561.607, 0.0, 641.381], [0.0, 562.915, 341.563], [0.0, 0.0, 1.0]],\n"
     "\"distortion_coefficients\": [[-0.25303, 0.083509, 0.0000377, 0.000220, -0.01365]],\n"
     "\"image_size\": [1280, 720]}",
     {1280, 720},
     0.002,
     opencv_5},
    {"OpenCV, JSON of FileStorage",
     "{ \"image_width\": 1280, \"image_height\": 720, \"camera_matrix\": { \"type_id\": "
     "\"opencv-matrix\", \"rows\": 3, \"cols\": 3, \"dt\": \"d\", \"data\": [ 561.607, 0.0, "
     "641.381, 0.0, 562.915, 341.563, 0.0, 0.0, 1.0 ] }, \"distortion_coefficients\": { "
     "\"type_id\": \"opencv-matrix\", \"data\": [ -0.25, 0.08, 0.001, -0.002, -0.01, 0.01, 0.02, "
     "-0.003, 0.01, -0.002, -0.008, 0.003 ] } }",
     {1280, 720},
     0.002,
     opencv_12},
    {"ROS, a file",
     "image_width: 1280\r\nimage_height: 720\r\ncamera_name: narrow\r\ncamera_matrix:\r\n  rows: "
     "3\r\n  cols: 3\r\n  data:\r\n  - 561.607\r\n  - 0\r\n  - 641.381\r\n  - 0\r\n  - 562.915\r\n "
     " - 341.563\r\n  - 0\r\n  - 0\r\n  - 1\r\ndistortion_model: rational_polynomial\r\n"
     "distortion_coefficients:\r\n  rows: 1\r\n  cols: 8\r\n  data: [0.929988, 0.165923, "
     "-0.000524, 0.000714, 0.002886, 1.331432, 0.435830, 0.027607]\r\n",
     {1280, 720},
     0.002,
     opencv_8},
    {"ROS, a message",
     "header:\n  seq: 1\nheight: 720\nwidth: 1280\ndistortion_model: \"equidistant\"\nD: [-0.0291, "
     "0.0208, -0.0319, 0.0166]\nK: [561.607, 0.0, 641.381, 0.0, 562.915, 341.563, 0.0, 0.0, "
     "1.0]\n",
     {1280, 720},
     0.002,
     opencv_fisheye},
    {"Kalibr",
     "cam0:\n  cam_overlaps: [1]\n  camera_model: pinhole\n  distortion_coeffs: [-0.0204997, "
     "0.01,\n"
     "    0.0001, 0.0002]\n  distortion_model: radtan\n  intrinsics: [561.607, 562.915, 641.381, "
     "341.563]\n  resolution: [1280, 720]\ncam1:\n  camera_model: omni\n",
     {1280, 720},
     0.002,
     opencv_4},
    {"COLMAP",
     "# Camera list with one line of data per camera:\n#   CAMERA_ID, MODEL, WIDTH, HEIGHT, "
     "PARAMS[]\n1 OPENCV_FISHEYE 1280 720 561.607 562.915 641.881 342.063 -0.0291 0.0208 -0.0319 "
     "0.0166\n2 FOV 8 8 1 1 1 1 1\n",
     {1280, 720},
     0.002,
     opencv_fisheye},
    {"COLMAP, a picture of half the size",
     "3 OPENCV 1280 720 561.607 562.915 641.881 342.063 -0.0204997 0.01 0.0001 0.0002",
     {640, 360},
     0.002,
     (const struct known[MOST_KNOWN]){{0, 0, 0, {2.8150, 1.7291}},
                                      {639, 359, 1, {638.0455, 358.6307}}}},
    /* lensfun 0.3.4, whose r counts half of the rows less one */
    {"lensfun, ptlens with lateral colour",
     "<lensdatabase version=\"2\">\n<lens><model>Nikkor 28mm</model><cropfactor>1.0</cropfactor>\n"
     "<!-- <distortion model=\"poly3\" focal=\"24\" k1=\"1\" /> --><calibration>\n"
     "<distortion model=\"ptlens\" focal=\"28\" a=\"0\" b=\"0.025773\" c=\"-0.085777\" />\n"
     "<tca model=\"poly3\" focal=\"28\" br=\"-0.0000336\" cr=\"0.0003\" vr=\"1.0011673\" "
     "bb=\"-0.0000857\" cb=\"-0.0002\" vb=\"1.0001820\"/></calibration></lens></lensdatabase>",
     {1200, 800},
     0.08,
     (const struct known[MOST_KNOWN]){{0, 0, 0, {6.0687, 4.2109}},
                                      {0, 0, 1, {7.0147, 4.8516}},
                                      {1199, 799, 2, {1192.7225, 794.9788}},
                                      {1000, 650, 0, {998.9398, 649.5226}},
                                      {300, 200, 2, {299.4292, 199.7836}}}},
    {"lensfun, poly3 with linear lateral colour",
     "<lensdatabase><lens><calibration><distortion model=\"poly3\" focal=\"28\" k1=\"-0.02\"/>"
     "<tca model=\"linear\" kr=\"1.001\"/></calibration></lens></lensdatabase>",
     {1200, 800},
     0.08,
     (const struct known[MOST_KNOWN]){{0, 0, 1, {27.4775, 18.4176}},
                                      {1000, 650, 2, {997.3167, 648.4822}}}},
    {"lensfun, poly5",
     "<lensdatabase><distortion model=\"poly5\" focal=\"28\" k1=\"-0.03\" k2=\"0.004\"/>",
     {1200, 800},
     0.08,
     (const struct known[MOST_KNOWN]){{0, 0, 1, {33.6224, 22.5724}},
                                      {1000, 650, 2, {986.8383, 641.9536}}}},
    {"lensfun, ptlens: what is not said is 0",
     "<lensdatabase><distortion model=\"ptlens\" focal=\"28\"/>",
     {1200, 800},
     0.001,
     (const struct known[MOST_KNOWN]){{300, 200, 1, {300.5, 200.5}}, {0, 799, 2, {0.5, 799.5}}}},
    {"lensfun, poly5: what is not said is 0",
     "<lensdatabase><distortion model=\"poly5\" focal=\"28\"/>",
     {1200, 800},
     0.001,
     (const struct known[MOST_KNOWN]){{300, 200, 1, {300.5, 200.5}}, {0, 799, 2, {0.5, 799.5}}}},
    {"OpenCV, a picture of one pixel",
     "K: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nD: [0, 0, 0, 0]\nwidth: 1\nheight: 1\n",
     {640, 480},
     0.001,
     (const struct known[MOST_KNOWN]){{300, 200, 1, {300.5, 200.5}}, {0, 479, 2, {0.5, 479.5}}}},
    /* nona of hugin 2022.0, which is 0.06 px off its formula */
    {"hugin, moved and sheared",
     "# a project\np f2 w3000\r\no w1 h1 a9\ni w640 h480 n\"my a0.9 d40.jpg\" f0 v50 Ra0 a0.02 "
     "b-.05 "
     "c0.03 d25 e-18 g30 t-20 n\"e50 a1\"\r\ni a1\n",
     {640, 480},
     0.07,
     (const struct known[MOST_KNOWN]){{70, 70, 0, {84.152, 59.818}},
                                      {560, 400, 1, {594.033, 373.980}},
                                      {320, 240, 2, {344.370, 221.751}},
                                      {100, 300, 1, {128.029, 288.652}},
                                      {500, 120, 0, {517.068, 95.956}}}},
    {"PTGui, as hugin has a, b and c",
     "# ptGui project file\n#-dummyimage\no w1 h1 y0 r0 p0 v50 a0.02 b-0.05 c0.03 f0 d0 e0 g0 t0\n"
     "#-imgfile 640 480 \"a.jpg\"\no f0 y0 r0 p0 v=0 a=0 b=0 c=0\n",
     {640, 480},
     0.001,
     (const struct known[MOST_KNOWN]){{320, 240, 1, {320.5, 240.5}},
                                      {639, 0, 1, {640.6555, -0.3662}}}},
};

TEST(calibrations_of_others_are_as_their_programs_have_them)
{
    for (size_t i = 0; i < sizeof known_files / sizeof known_files[0]; i++) {
        OWNED_LENS calibration = lens_read_text(known_files[i].text);
        OWNED_LENS_PLAN plan =
            lens_plan_for(calibration, known_files[i].size_px[0], known_files[i].size_px[1]);
        double most = 0.0;
        for (int k = 0; k < MOST_KNOWN && known_files[i].places[k].at[0] > 0.0; k++) {
            const struct known *known = &known_files[i].places[k];
            double place[2];
            lens_place_at(plan, known->color, known->x, known->y, place);
            most = fmax(most, hypot(place[0] - known->at[0], place[1] - known->at[1]));
        }
        print_message("%s: %.4f px\n", known_files[i].what, most);
        assert_that(most <= known_files[i].most_px, "%s: %.4f px off, at most %.4f",
                    known_files[i].what, most, known_files[i].most_px);
    }
}

TEST(nothing_behind_a_file_counts)
{
    static const char text[] = "i a0 b0 c-0.15";
    struct shared_data *data = NULL;
    char problem[LENS_PROBLEM_BYTES];
    assert_ok(lens_read_file(text, sizeof text - 2, problem, &data));
    OWNED_LENS made = (struct lens_calibration *)data;
    assert_true(made->eyes[0].polynomial.terms[LENS_AXIS][1] == -0.1);
}

/* Its centre is the picture's: neither the frustum nor the settings' shift moves it. */
TEST(a_panotools_project_has_a_center)
{
    static const char *const texts[] = {"i w800 h600 a0 b-.05 c0\n",
                                        "i w800 h600 a0 b-.05 c0 d0 e0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        OWNED_LENS calibration = lens_read_text(texts[i]);
        struct fovea_settings settings = fovea_settings_default();
        settings.foveation.geometry.tan_left = 1.2;
        settings.foveation.geometry.tan_right = 0.8;
        settings.own.lens_shift_y = 0.1;
        settings.own.lens_file_data = &calibration->base;
        const struct operator_plan_desc desc = {
            .settings = &settings, .width_px = 400, .height_px = 300};
        OWNED_LENS_PLAN plan = lens_plan_made(&desc);
        assert_true(plan->shape.center_x_px == 200.0f && plan->shape.center_y_px == 150.0f);
    }
}

/* ---- Numbers */

/* All but the last digits of a double, however the number is written. */
TEST(numbers_are_as_json_has_them)
{
    char digits[700];
    char zeros[700];
    memset(digits, '3', sizeof digits);
    memset(zeros, '0', sizeof zeros);
    digits[500] = zeros[500] = '\0';
    const struct {
        const char *before, *many, *after;
        double value;
    } numbers[] = {
        {"0e400", "", "", 0.0},        {"-0.0E999", "", "", 0.0},
        {"0e-400", "", "", 0.0},       {"0.", digits, "", 1.0 / 3},
        {"-0.", digits, "", -1.0 / 3}, {"", digits, "e-500", 1.0 / 3},
        {"0.", zeros, "25e501", 2.5},  {"25", zeros, "e-501", 2.5},
        {"0.", zeros, "1", 0.0},       {"", zeros, "1.25", 1.25},
        {"1e-400", "", "", 0.0},       {"12345678901234567890e-19", "", "", 1.2345678901234567},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const char *text =
            test_text("{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0, 0, %s%s%s]}}",
                      numbers[i].before, numbers[i].many, numbers[i].after);
        OWNED_LENS calibration = lens_read_text(text);
        const double got = calibration->eyes[0].polynomial.terms[LENS_AXIS][4];
        assert_that(fabs(got - numbers[i].value) <= 1e-15 * fabs(numbers[i].value), "%s: %.17g",
                    text, got);
    }
}

/* ---- Grids */

TEST(a_grid_is_its_points)
{
    static const char *const texts[] = {
        "{\"fovea-lens\": 1, \"grid\": {\"points\": [3, 2], \"green\": "
        "[[[0, 0.1], [0.5, 0], [1, 0.1]], [[0, 0.9], [0.5, 1], [1, 0.9]]]}}",
        " {\"fovea-lens\":1,\"grid\":{\"size\":[200,100],\"spacing\":100,\"in\":\"pixels\",\n"
        "\"green\":[0,10,100,0,200,10,0,90,100,100,200,90],\"red\":[0,10,100,0,200,10,\n"
        "0,90,100,100,200,90]}}",
    };
    for (int i = 0; i < 2; i++) {
        OWNED_LENS calibration = lens_read_text(texts[i]);
        OWNED_LENS_PLAN plan = lens_plan_for(calibration, 200, 100);
        assert_int_equal(calibration->eyes[0].points.columns, 3);
        assert_int_equal(calibration->eyes[0].points.rows, 2);
        assert_int_equal(plan->colored, i == 1);
        for (int32_t x = 0; x < 200; x++) {
            for (int32_t y = 0; y < 100; y++) {
                double place[2];
                const double fold = fabs((x + 0.5) / 100.0 - 1.0); /* 0 in the middle */
                lens_place_at(plan, i == 1 ? x % 3 : LENS_AXIS, x, y, place);
                assert_true(fabs(place[0] - (x + 0.5)) < 1e-3);
                assert_true(fabs(place[1] -
                                 (10.0 * fold + (y + 0.5) / 100.0 * (100.0 - 20.0 * fold))) < 1e-3);
            }
        }
    }
}

/* A lens of Kim's formula at 4K by points so far apart. */
static struct lens_calibration *points_of(double k1, double k2, uint32_t step_px, bool quadratic)
{
    struct lens_points points = {.columns = 3840 / step_px + 1,
                                 .rows = (2160 + step_px - 1) / step_px + 1,
                                 .quadratic = quadratic,
                                 .step_uv = {step_px / 3840.0, step_px / 2160.0}};
    float *places = test_memory(2 * (size_t)points.columns * points.rows, sizeof *places);
    for (size_t i = 0; i < (size_t)points.columns * points.rows; i++) {
        const double x = (double)(i % points.columns) * step_px - 1920.0;
        const double y = (double)(i / points.columns) * step_px - 1080.0;
        const double r2 = (x * x + y * y) / (1920.0 * 1920.0);
        const double factor = 1.0 + k1 * r2 + k2 * r2 * r2;
        places[2 * i] = (float)((1920.0 + x * factor) / 3840.0);
        places[2 * i + 1] = (float)((1080.0 + y * factor) / 2160.0);
    }
    points.memory = places;
    points.places_uv[0] = points.places_uv[1] = points.places_uv[2] = places;
    return lens_of_points(&points);
}

/* The largest error inside the picture, which the docs state: linear ones are another program's
 * numbers. */
TEST(a_grid_is_as_exact_as_is_stated)
{
    static const struct {
        uint32_t step_px;
        bool quadratic;
        double most_px[2]; /* of k = (0.22, 0.24) and (0.34, 0.55) */
    } known[] = {{8, false, {0.022, 0.036}},
                 {16, false, {0.089, 0.144}},
                 {32, false, {0.355, 0.581}},
                 {32, true, {0.008, 0.0144}}};
    static const double k[2][2] = {{0.22, 0.24}, {0.34, 0.55}};
    for (size_t i = 0; i < 2 * sizeof known / sizeof known[0]; i++) {
        const double *k12 = k[i % 2];
        OWNED_LENS calibration =
            points_of(k12[0], k12[1], known[i / 2].step_px, known[i / 2].quadratic);
        OWNED_LENS_PLAN plan = lens_plan_for(calibration, 3840, 2160);
        double most = 0.0;
        for (int32_t y = 0; y < 2160; y += 3) {
            for (int32_t px = 0; px < 3840; px++) {
                double place[2];
                const double x = px + 0.5 - 1920.0;
                const double from_y = y + 0.5 - 1080.0;
                const double r2 = (x * x + from_y * from_y) / (1920.0 * 1920.0);
                const double factor = 1.0 + k12[0] * r2 + k12[1] * r2 * r2;
                const double right[] = {1920.0 + x * factor, 1080.0 + from_y * factor};
                if (right[0] < 0 || right[1] < 0 || right[0] > 3840 || right[1] > 2160) {
                    continue;
                }
                lens_place_at(plan, LENS_AXIS, px, y, place);
                most = fmax(most, hypot(place[0] - right[0], place[1] - right[1]));
            }
        }
        const double stated = known[i / 2].most_px[i % 2];
        print_message("%u px%s: %.4f px\n", known[i / 2].step_px,
                      known[i / 2].quadratic ? ", quadratic" : "", most);
        assert_true(most < stated * 1.1 + 0.001);
        assert_true(most > stated * 0.5);
    }
}

/* ---- One for each eye */

/* Whatever each of them is given as; the same as it would be alone. */
TEST(each_eye_has_its_own)
{
    static const char *const lenses[] = {
        "\"polynomial\": {\"green\": [1, 0, 0.3, 0, 0]}",
        "\"grid\": {\"points\": [3, 2], \"green\": [0, 0.1, 0.5, 0, 1, 0.1, 0, 0.9, 0.5, 1, 1, "
        "0.9]}",
        "\"scale\": 2, \"distortion_k\": [0.9, 0, 0.1, 0, 0], \"lens_center\": [1.2, 1], "
        "\"viewport_size\": [2, 2]",
    };
    for (int i = 0; i < 9; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"fovea-lens\": 1, \"left\": {%s}, \"right\": {%s}}",
                 lenses[i / 3], lenses[i % 3]);
        OWNED_LENS both = lens_read_text(text);
        assert_int_equal(both->eye_count, 2);
        assert_null(lens_calibration_map(both, FOVEA_MAP_EYE_BOTH));
        for (int eye = 0; eye < 2; eye++) {
            snprintf(text, sizeof text, "{\"fovea-lens\": 1, %s}", lenses[eye ? i % 3 : i / 3]);
            OWNED_LENS one = lens_read_text(text);
            struct lens_plan *plans[] = {
                lens_plan_of_eye(both, eye ? FOVEA_MAP_EYE_RIGHT : FOVEA_MAP_EYE_LEFT, 90, 60),
                lens_plan_for(one, 90, 60)};
            for (int32_t at = 0; at < 90 * 60; at++) {
                double places[2][2];
                for (int p = 0; p < 2; p++) {
                    lens_place_at(plans[p], LENS_AXIS, at % 90, at / 90, places[p]);
                }
                assert_memory_equal(places[0], places[1], sizeof places[0]);
            }
            lens_plan_release(&plans[0]);
            lens_plan_release(&plans[1]);
        }
    }
}

/* A plan for one eye is none for the other, and there is none for an eye that is not named. */
TEST(plans_are_of_an_eye)
{
    OWNED_LENS both = lens_read_text(
        "{\"fovea-lens\": 1, \"left\": {\"polynomial\": {\"green\": [1, 0, 0.3, 0, 0]}}, "
        "\"right\": {\"polynomial\": {\"green\": [1, 0, 0.2, 0, 0]}}}");
    OWNED_LENS_PLAN left = lens_plan_of_eye(both, FOVEA_MAP_EYE_LEFT, 90, 60);
    struct fovea_settings settings = fovea_settings_default();
    const struct operator_plan_desc desc = {.settings = &settings, .width_px = 90, .height_px = 60};
    char words[OPERATOR_DESCRIPTION_BYTES];
    struct operator_plan *none = NULL;
    /* by the settings, whose shape an unnamed eye would have */
    OWNED_LENS_PLAN alone = lens_plan_made(&desc);
    settings.own.lens_file_data = &both->base;
    assert_false(lens_plan_fits(&alone->base, &desc));
    assert_false(lens_plan_fits(&left->base, &desc));
    assert_int_equal(lens_plan_create(&desc, &none), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    assert_true(lens_complain(&desc, words, sizeof words));
    assert_non_null(strstr(words, "a lens for each eye; a view's eye says"));
    settings.foveation.map.eye = FOVEA_MAP_EYE_RIGHT;
    assert_false(lens_plan_fits(&left->base, &desc));
    settings.foveation.map.eye = FOVEA_MAP_EYE_LEFT;
    assert_true(lens_plan_fits(&left->base, &desc));
    lens_release(&both); /* the plan has its share */
    assert_true(left->map->polynomial.terms[LENS_AXIS][2] == 0.3);
}

/* ---- What is wrong */

static const struct {
    const char *text, *words;
} wrong[] = {
    {"", "1:1: expected a calibration: JSON, or as hugin, PTGui, OpenCV, ROS, Kalibr, COLMAP"},
    {"[]", "lensfun write it; docs/lens.md says how a grid is made of all else"},
    {"\xef\xbb\xbf{\"fovea-lens\": 1}", "1:1: expected UTF-8 without a byte order mark"},
    {"p f2\no a0\n", "1:1: expected a calibration"},
    {"i", "1:1: expected a calibration"},
    {"{\"screen_to_lens_distance\":0.042,\"distortion_coefficients\":[0.441,0.156]}",
     "how large the screen is: write a polynomial, \"green\": [1, 0, k1 s^2, 0, k2 s^4], s half an "
     "eye's width over screen_to_lens_distance"},
    {"{\"DistortionMeshes\":[{\"Verts\":[]}]}", "1:1: a mesh of vertices is not read"},
    {"<?xml version=\"1.0\"?>\n<opencv_storage>", "OpenCV's XML is not read: save it as .yml"},
    {"{\"a\":0,\"b\":0.025773}", "docs/lens.md says what is read, and how a grid is made of all"},
    {"i w8 h8 f3 a0 b-.02 c0\n",
     "1:1: the image's f is 3: of images that are not rectilinear (f0)"},
    {"# ptGui project file\no v=0 a=0 b=0 c=0\n", "a= takes the number of another image"},
    {"# ptGui project file\no a0 b0 c.1 d.1\n", "2:1: d, e, g and t of PTGui are not read"},
    {"# ptGui project file\n", "there is no line that begins with o"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\n", "add image_width and image_height"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\nwidth: 8\n",
     "add image_width and image_height"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\nheight: 8\n",
     "add image_width and image_height"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0]\nD: [0, 0, 0, 0]\n", "the camera matrix has 8 numbers"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1, 1]\nD: [0, 0, 0, 0]\n", "1:32: there are more than 9 numbers"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1\nD: [0, 0, 0, 0]\n", "expected numbers in brackets"},
    {"K: [1, 2, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\n", "a camera matrix with a skew"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0]\n", "there must be 4, 5, 8, 12 or 14"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 1e999, 0]\n", "finite numbers at most"},
    {"K: 0\nD: 0\ndistortion_model: fov\n", "a distortion_model \"fov\" is not read: make a grid"},
    {"K: [1, 0, 1, 0, 0, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\nwidth: 8\nheight: 8\n",
     "the picture's sides and the focal lengths must be above 0"},
    {"K: [1, 0, 99, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\nwidth: 8\nheight: 8\n",
     "the centre is at 12.4375 of the picture; it must be -1.5 to 2.5"},
    {"K: [1, 0, 1, 0, 1, 1, 0, 0, 1]\nD: [0, 0, 0, 0]\nwidth: 8\nheight: 0\n",
     "the picture's sides and the focal lengths must be above 0"},
    {"K: [1,0,1,0,1,1,0,0,1]\nD: [0,0,0,0,0,0,0,0,0,0,0,0,1,0]\nwidth: 8\nheight: 8\n",
     "a tilted sensor is not read"},
    {"camera_model: omni\ndistortion_coeffs: [1]\nintrinsics: [1]\n",
     "a camera_model \"omni\" is not read"},
    {"camera_model: pinhole\ndistortion_model: radtan\ndistortion_coeffs: [1]\nintrinsics: [1]\n",
     "there are 1 coefficients; there must be 4, 5, 8, 12 or 14"},
    {"1 FOV 8 8 1 1 1 1 1\n", "1:6: a camera of model \"FOV\" is not read: make a grid of its map"},
    {"1 PINHOLE 8 8 1 1 1\n", "there are 5 numbers; PINHOLE has 6"},
    {"<distortion model=\"ptlens\" a=\"0\"/><distortion model=\"ptlens\" a=\"0\"/>",
     "there are several <distortion ...>: leave the one of your lens and focal length"},
    {"<lensdatabase/>", "there is no <distortion ...>"},
    {"<distortion model=\"acm\"/>", "expected a distortion of model ptlens, poly3 or poly5"},
    {"<distortion model=\"poly3\" k1=\"x\"/>", "1:31: expected a finite number"},
    {"<center x=\"1\"/><distortion model=\"poly3\"/>", "a lens with a <center> is not read"},
    {"<distortion model=\"ptlens\" a=\".1\" b=\".2\" c=\".1\"/><tca model=\"poly3\" br=\".1\"/>",
     "the lateral colour is too strong for five powers"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"center\": [50, 0.5], \"green\": [1, 0, 0, 0, 0]}}",
     "\"center\" is -1.5 to 2.5"},
    {"i w8 h6 ax b0\n", "1:9: expected a finite number after a"},
    {"p f2\ni w8 h6 a=0 b=0 c=0\n",
     "2:9: a= takes the number of another image; the first image needs its own"},
    {"p f2\ni w8 h6 v50 d0 e0\n",
     "2:1: the first image has none of a, b and c, which are the lens"},
    {"i a0 b0 c0 d5\n", "d, e, g and t, which are pixels, need w and h"},
    {"i a1e9 b0 c0\n", "a value is beyond all lenses"},
    {"{", "1:2: the text ends, but the { of line 1, column 1 has no }"},
    {"{}", "1:3: there is no lens; expected \"polynomial\" or \"grid\""},
    {"{\"fovea-lens\": 1, \"polynomial\": {}}", "the polynomial has no \"green\""},
    {"{\"fovea-lens\": 1, // a lens\n \"polynomial\": {}}",
     "1:19: expected a key in double quotes; found /; JSON has no comments here"},
    {"{\"fovea-lens\": 1}", "expected \"polynomial\" or \"grid\""},
    {"{\"fovea-lens\": 2, \"polynomial\": {}}", "1:17: version 1 is the only one"},
    {"{\"\xc3\xa4\\\"\": 1}", "there is no \"???\" in the lens; docs/lens.md says"},
    {"{\"\n\": 1}", "1:2: the string has no closing \" on its line"},
    {"{\"lens", "1:2: the string has no closing \" on its line"},
    {"{\"lens\\", "1:7: unknown escape in a string"},
    {"{\"lens\": 1}", "1:9: there is no \"lens\" in the lens"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"red\": [1, 0, 0, 0, 0]}}", "has no \"green\""},
    {"{\"fovea-lens\": 1,\n  \"polynomial\": {\"green\": [1, 0, 0, 0]}}",
     "2:39: there are 4 numbers; there must be 5"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0, 0, 0, 0]}}",
     "there are more than 5 numbers"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, NaN, 0, 0, 0]}}",
     "1:47: expected a finite number"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1e999, 0, 0, 0, 0]}}",
     "expected a finite number"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1e40, 0, 0, 0, 0]}}", "beyond all lenses"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"unit\": \"metre\"}}",
     "there is no \"metre\"; there are half-width, half-height, half-diagonal, half-short"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0, 0, 0], \"green\": [1, 0, 0, 0, "
     "0]}}",
     "\"green\" is there twice"},
    {"{\"fovea-lens\": 1, \"grid\": {\"green\": [0, 0]}}", "come before \"green\""},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [1, 2], \"green\": [0, 0, 1, 1]}}",
     "1 columns of points; there must be 2 to 16385"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [20000, 2]}}",
     "\"points\" is 1 to 16385, whole numbers"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"between\": \"quadratic\", "
     "\"green\": [0, 0, 1, 0, 0, 1, 1, 1]}}",
     "2 columns of points; there must be 3 to 16385"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"green\": [0, 0, 1, 0, 0, 1]}}",
     "there are 6 numbers; there must be 8"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"green\": "
     "[0, 0, 1, 0, 0, 1, 1, 1e39]}}",
     "green: column 1 of row 1 is (1, inf) pictures"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"green\": "
     "[0, 0, 1, 0, 0, 1, 1, 1], \"blue\": [1, 0, 0, 0, 1, 1, 0, 1]}}",
     "blue: the picture folds over between column 0 of row 0 and column 1 of row 1; x is "
     "mirrored: it must grow to the right"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"green\": "
     "[0, 1, 1, 1, 0, 0, 1, 0]}}",
     "column 1 of row 1; y is mirrored: it must grow downward"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"in\": \"pixels\", \"green\": "
     "[0, 0, 1, 0, 0, 1, 1, 1]}}",
     "places in pixels need \"size\""},
    {"{\"fovea-lens\": 1, \"grid\": {\"spacing\": 8, \"green\": []}}", "come before \"green\""},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [2, 2], \"green\": "
     "[0, 0, 1, 0, 0, 1, 1, 1], \"points\": [2000, 2000]}}",
     "\"points\" is there twice"},
    {"{\"fovea-lens\": 1, \"grid\": {\"points\": [16385, 16385], \"green\": [0, 0]}}",
     "the file cannot hold 536936450 numbers"},
    {"{\"scale\": 1, \"lens_center\": [1, 1], \"viewport_size\": [2, 2]}",
     "the lens has no \"distortion_k\""},
    {"{\"distortion_k\": [1, 0, 0, 0, 0], \"lens_center\": [1, 1], \"viewport_size\": [2, 2]}",
     "the lens has no \"scale\""},
    {"{\"distortion_k\": [1, 0, 0, 0, 0], \"scale\": 1, \"viewport_size\": [2, 2]}",
     "the lens has no \"lens_center\""},
    {"{\"distortion_k\": [1, 0, 0, 0, 0], \"scale\": 1, \"lens_center\": [1, 1]}",
     "the lens has no \"viewport_size\""},
    {"{\"distortion_k\": [1, 0, 0, 0, 0], \"scale\": 0, \"lens_center\": [1, 1], "
     "\"viewport_size\": [2, 2]}",
     "must be above 0"},
    {"{\"distortion_k\": [1, 0, 0, 0, 0], \"scale\": 1, \"lens_center\": [1, -4], "
     "\"viewport_size\": [2, 2]}",
     "the centre is at -2 of the picture; it must be -1.5 to 2.5"},
    {"{\"distortion_k\": [1, 0, 0, 0, 0], \"scale\": 1, \"lens_center\": [1, 1], "
     "\"viewport_size\": [2, 2], \"aberration_k\": [1, 1, 0]}",
     "\"aberration_k\" must be above 0"},
    {"{\"distortion_k\": [1, 0, -0.25, 0, 0], \"scale\": 1, \"lens_center\": [1, 1], "
     "\"viewport_size\": [2, 2]}",
     "the lens folds back from r = 1.155 of \"scale\" on; the farthest corner of the viewport "
     "is "
     "at r = 1.414"},
    {"{\"fovea-lens\": 1, \"scale\": 1, \"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}",
     "these are two lenses"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0, 0, 0]}} x",
     "expected nothing more"},
    {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [[[[[1]]]]]}}", "more than 4 brackets"},
};

TEST(what_is_wrong_is_said_with_its_place)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        lens_assert_wrong(wrong[i].text, strlen(wrong[i].text), wrong[i].words);
    }
}

TEST(what_is_wrong_with_eyes_is_said)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}", "comes before \"polynomial\""},
        {"{\"left\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}}",
         "1:9: \"fovea-lens\": 1 comes before \"left\""},
        {"{\"fovea-lens\": 1, \"left\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}}",
         "the right eye has no lens"},
        {"{\"fovea-lens\": 1, \"left\": {}}",
         "1:29: there is no lens; expected \"polynomial\" or \"grid\""},
        {"{\"fovea-lens\": 1,\n\"right\": {\"unit\": 1}}", "2:18: there is no \"unit\""},
        {"{\"fovea-lens\": 1, \"left\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}, \"left\": "
         "{\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}}",
         "\"left\" is there twice"},
        {"{\"fovea-lens\": 1, \"left\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}, \"grid\": "
         "{}}",
         "a lens for both eyes beside one for one"},
        {"{\"fovea-lens\": 1, \"polynomial\": {\"green\": [1, 0, 0, 0, 0]}, \"right\": {}}",
         "a lens for both eyes beside one for one"},
        {"{\"fovea-lens\": 1, \"left\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}, \"right\": "
         "{\"polynomial\": {\"green\": [1e7, 0, 0, 0, 0]}}}",
         "right eye: a value is beyond all lenses"},
        {"{\"fovea-lens\": 1, \"left\": {\"grid\": {\"points\": [2, 2], \"green\": "
         "[1, 0, 0, 0, 1, 1, 0, 1]}}, \"right\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}}",
         "left eye: green: the picture folds over between column 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lens_assert_wrong(cases[i].text, strlen(cases[i].text), cases[i].words);
    }
}

/* No terms nearer to 0 help a map that folds in its centre. */
TEST(a_polynomial_may_fold_in_the_centre)
{
    OWNED_LENS calibration =
        lens_read_text("{\"fovea-lens\": 1, \"polynomial\": {\"green\": [0, 1, 0, 0, 0]}}");
    struct fovea_settings settings = fovea_settings_default();
    char words[OPERATOR_DESCRIPTION_BYTES];
    settings.own.lens_file_data = &calibration->base;
    const struct operator_plan_desc desc = {.settings = &settings, .width_px = 64, .height_px = 48};
    assert_true(lens_complain(&desc, words, sizeof words));
    assert_non_null(strstr(words, "lens: from r = 0 half widths on the map folds back"));
    assert_non_null(strstr(words, "at r = 0 that is r0 alone"));
    assert_null(strstr(words, "nearer to 0"));
}

/* The complaint says whose lens folds, where each eye has its own. */
TEST(an_eyes_polynomial_may_fold)
{
    OWNED_LENS calibration = lens_read_text(
        "{\"fovea-lens\": 1, \"left\": {\"polynomial\": {\"green\": [1, 0, -0.5, 0, 0], "
        "\"red\": [1, 0, 0, 0, 0]}}, \"right\": {\"polynomial\": {\"green\": [1, 0, 0, 0, 0]}}}");
    struct fovea_settings settings = fovea_settings_default();
    char words[OPERATOR_DESCRIPTION_BYTES];
    settings.own.lens_file_data = &calibration->base;
    settings.foveation.map.eye = FOVEA_MAP_EYE_LEFT;
    const struct operator_plan_desc desc = {.settings = &settings, .width_px = 64, .height_px = 48};
    assert_true(lens_complain(&desc, words, sizeof words));
    assert_non_null(strstr(words, "on the left eye's green folds back"));
    settings.foveation.map.eye = FOVEA_MAP_EYE_RIGHT;
    assert_false(lens_complain(&desc, words, sizeof words));
}
