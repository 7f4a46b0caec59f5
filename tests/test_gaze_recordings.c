/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Recordings in the formats of trackers and laboratories: a small file of each, beside numbers that
 * were computed by hand. */
#include "plugin/gaze/sources/gaze_scanpath_file.h"
#include "test_gaze_support.h"

struct row {
    int64_t t_ns;
    double x;
    double y;
    double confidence;
};

struct recorded {
    const char *what;
    const char *text;
    const char *sidecar;
    const char *columns;
    enum fovea_time_unit time_unit;
    enum fovea_gaze_eye eye;
    enum fovea_gaze_space space;
    uint32_t screen_px[2];
    double screen_deg[2];
    bool are_uv;
    size_t count;
    struct row rows[6];
    const char *wrong; /* what the error begins with, instead of rows */
};

#define LOST 0, 0, 0
#define TEN ",,,,,,,,,,"
#define ASC_HEAD "** CONVERTED FROM a.edf using edfapi\n** DATE: Mon\n\n"
#define ASC_ONE                                                                                    \
    "MSG\t2154555 GAZE_COORDS 0.00 0.00 1279.00 1023.00\nSTART\t2154556 \tLEFT\tSAMPLES\tEVENTS\n" \
    "PRESCALER\t1\nPUPIL\tAREA\nEVENTS\tGAZE\tLEFT\tRATE\t1000.00\n"                               \
    "SAMPLES\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\tINPUT\n"
#define ASC_TWO                                                                                    \
    "MSG\t15000100 DISPLAY_COORDS = 0 0 1279 1023\n"                                               \
    "START\t15021400 \tLEFT\tRIGHT\tSAMPLES\tEVENTS\n"                                             \
    "EVENTS\tGAZE\tLEFT\tRIGHT\tRATE\t 500.00\n"
#define ASC_TWO_SAMPLES                                                                            \
    "15021600\t  640.0\t  512.0\t 1183.0\t  704.0\t  256.0\t 1105.0\t...\n"                        \
    "15021602\t   .\t   .\t    0.0\t  960.0\t  768.0\t 1105.0\t...\n"                              \
    "15021604\t   .\t   .\t    0.0\t   .\t   .\t    0.0\t...\n"
#define ASC_ONE_SAMPLES                                                                            \
    "2154557\t  320.0\t  256.0\t  784.0\t    0.0\t...\n"                                           \
    "SBLINK L 2154558\n"                                                                           \
    "2154558\t  640.0\t  512.0\t  784.0\t    0.0\t...\n"                                           \
    "EBLINK L 2154558\t2154558\t1\n"                                                               \
    "2154559\t   .\t   .\t    0.0\t    0.0\t...\n"                                                 \
    "2154560\t  960.0\t  768.0\t  784.0\t    0.0\t...\n"                                           \
    "END\t2154561 \tSAMPLES\tEVENTS\tRES\t  27.27\t  27.27\n"
#define ASC_FIXATIONS                                                                              \
    "SFIX L   2154600\nEFIX L   2154600\t2154700\t101\t  320.0\t  256.0\t   784\n"                 \
    "EBLINK L 2154710\t2154790\t81\nEFIX L   2154800\t2154900\t101\t  960.0\t  768.0\t   784\n"
#define PUPIL_HEAD "gaze_timestamp,world_index,confidence,norm_pos_x,norm_pos_y,base_data\n"
#define SURFACE_HEAD                                                                               \
    "world_timestamp,world_index,gaze_timestamp,x_norm,y_norm,x_scaled,on_surf,confidence\n"
#define NEON_HEAD                                                                                  \
    "section id,recording id,timestamp [ns],gaze x [px],gaze y [px],worn,fixation id,blink id,"    \
    "azimuth [deg]\n"
#define NEON_ROWS                                                                                  \
    "a,b,1000000000,400,300,1,1,,0.3\na,b,1005000000,800,900,0,1,,0.4\n"                           \
    "a,b,1010000000,800,900,1,,7,0.4\na,b,1015000000,1200,900,1,,,0.4\n"
#define TOBII_HEAD                                                                                 \
    "Recording timestamp [\xCE\xBCs]\tSensor\tRecording resolution height [px]\t"                  \
    "Recording resolution width [px]\tEvent\tGaze point X [DACS px]\tGaze point Y [DACS px]\t"     \
    "Gaze point left X [DACS px]\tGaze point left Y [DACS px]\tGaze point right X [DACS px]\t"     \
    "Gaze point right Y [DACS px]\tValidity left\tValidity right\n"
#define TOBII_ROWS                                                                                 \
    "0\t\t1080\t1920\tRecordingStart\t\t\t\t\t\t\t\t\n"                                            \
    "1000\tEye Tracker\t1080\t1920\t\t480\t270\t470\t260\t490\t280\tValid\tValid\n"                \
    "2000\tMouse\t1080\t1920\t\t\t\t\t\t\t\t\t\n"                                                  \
    "9000\tEye Tracker\t1080\t1920\t\t\t\t\t\t\t\tInvalid\tInvalid\n"                              \
    "17000\tEye Tracker\t1080\t1920\t\t960,0\t540,0\t960\t540\t1\t1\tValid\tInvalid\n"
#define BIDS_PX                                                                                    \
    "{\"PhysioType\": \"eyetrack\", \"RecordedEye\": \"left\", \"SamplingFrequency\": 500,"        \
    " \"StartTime\": 0, \"Columns\": [\"timestamp\", \"x_coordinate\", \"y_coordinate\","          \
    " \"pupil_size\"], \"timestamp\": {\"Units\": \"ms\"},"                                        \
    " \"x_coordinate\": {\"LongName\": \"Gaze (x)\", \"Units\": \"pixel\"},"                       \
    " \"y_coordinate\": {\"Units\": \"pixel\"}}"
#define BIDS_RATE                                                                                  \
    "{\"SamplingFrequency\": 250.0, \"StartTime\": -1, \"Columns\": [\"x_coordinate\","            \
    " \"y_coordinate\"]}"
#define GAZEBASE                                                                                   \
    "n,x,y,val,xT,yT,dP,lab\n0,0,0,0,1,1,900,1\n1,10,-5,0,1,1,900,1\n2,NaN,NaN,0,,,,\n"            \
    "3,2,2,4,1,1,0,5\n"

#define PX .space = FOVEA_GAZE_SPACE_PIXELS
#define DEG .space = FOVEA_GAZE_SPACE_DEGREES
#define LEFT_EYE .eye = FOVEA_GAZE_EYE_LEFT
#define RIGHT_EYE .eye = FOVEA_GAZE_EYE_RIGHT

static const struct recorded RECORDED[] = {
    {"EyeLink, one eye", ASC_HEAD ASC_ONE ASC_ONE_SAMPLES, .are_uv = true, .count = 5,
     .rows = {{0, 0.25, 0.25, 1},
              {1 * MS, LOST},
              {2 * MS, LOST},
              {3 * MS, 0.75, 0.75, 1},
              {4 * MS, LOST}}},
    {"EyeLink, two eyes", ASC_HEAD ASC_TWO ASC_TWO_SAMPLES, .are_uv = true, .count = 3,
     .rows = {{0, 0.525, 0.375, 1}, {2 * MS, 0.75, 0.75, 1}, {4 * MS, LOST}}},
    {"EyeLink, the left of two", ASC_HEAD ASC_TWO ASC_TWO_SAMPLES, LEFT_EYE, .are_uv = true,
     .count = 3, .rows = {{0, 0.5, 0.5, 1}, {2 * MS, LOST}, {4 * MS, LOST}}},
    {"EyeLink, the right of two", ASC_HEAD ASC_TWO ASC_TWO_SAMPLES, RIGHT_EYE, .are_uv = true,
     .count = 3, .rows = {{0, 0.55, 0.25, 1}, {2 * MS, 0.75, 0.75, 1}, {4 * MS, LOST}}},
    {"EyeLink, a corner that is not 0",
     ASC_HEAD "MSG 1 GAZE_COORDS 100 50 299 149\n"
              "START 2 RIGHT SAMPLES\n2 150 75 1\n",
     .are_uv = true, .count = 1, .rows = {{0, 0.25, 0.25, 1}}},
    {"EyeLink, events alone", ASC_HEAD ASC_ONE ASC_FIXATIONS, .are_uv = true, .count = 3,
     .rows = {{0, 0.25, 0.25, 1}, {110 * MS, LOST}, {200 * MS, 0.75, 0.75, 1}}},
    {"EyeLink, size from the settings", ASC_HEAD "START 1 LEFT SAMPLES\n1 320 256 1\n",
     .screen_px = {1280, 1024}, .are_uv = true, .count = 1, .rows = {{0, 0.25, 0.25, 1}}},
    {"EyeLink without a size", ASC_HEAD "START 1 LEFT SAMPLES\n1 320 256 1\n",
     .wrong = "a.x:5:1: positions are in pixels and nothing says of how many; write "
              "gaze.screen_px=[width,height]"},
    {"a table in pixels without a size", "t,x,y\n0,100,200\n", PX,
     .wrong = "a.x:2:1: positions are in pixels and nothing says of how many; write "
              "gaze.screen_px=[width,height]"},
    {"EyeLink without eyes", ASC_HEAD "1 320 256 1\n",
     .wrong = "a.x:4:1: no line START or SAMPLES before it says which eyes"},
    {"EyeLink of HREF", ASC_HEAD "SAMPLES\tHREF\tLEFT\n",
     .wrong = "a.x:4:9: what positions are is \"HREF\"; it must be GAZE; convert the EDF again"},
    {"EyeLink, the eye that is not there", ASC_HEAD ASC_ONE ASC_ONE_SAMPLES, RIGHT_EYE,
     .wrong = "a.x:10:1: the right eye is not recorded; set gaze.scanpath.eye=both"},
    {"EyeLink, the other one", ASC_HEAD "START 1 RIGHT SAMPLES\n1 320 256 1\n", LEFT_EYE,
     .wrong = "a.x:5:1: the left eye is not recorded"},
    {"EyeLink, a wrong number", ASC_HEAD ASC_ONE "2154557\t  32x\t  256.0\t  784.0\n",
     .wrong = "a.x:10:11: x is \"32x\"; it must be a finite number, or a point"},
    {"EyeLink, a wrong time", ASC_HEAD ASC_ONE "21545.5.7\t 3\t 2\t 7\n",
     .wrong = "a.x:10:1: the time is \"21545.5.7\""},
    {"EyeLink, nothing in it", ASC_HEAD "MSG 1 !CMD 0\n",
     .wrong = "a.x:4:13: there are no samples"},

    {"Pupil Core",
     PUPIL_HEAD "218210.5,0,0.97,0.25,0.75,218210.5-0 218210.5-1\n"
                "218210.504,0,0.5,0.5,0,218210.504-0\n",
     .are_uv = true, .count = 2, .rows = {{0, 0.25, 0.25, 0.97}, {4 * MS, 0.5, 1, 0.5}}},
    {"Pupil Core on a surface", SURFACE_HEAD "9,0,10,0.25,0.75,1,True,1\n9,0,10.5,1,1,1,True,0.9\n",
     .are_uv = true, .count = 2, .rows = {{0, 0.25, 0.25, 1}, {500 * MS, 1, 0, 0.9}}},
    {"Neon", NEON_HEAD NEON_ROWS, .screen_px = {1600, 1200}, .are_uv = true, .count = 4,
     .rows = {{0, 0.25, 0.25, 1}, {5 * MS, LOST}, {10 * MS, LOST}, {15 * MS, 0.75, 0.75, 1}}},
    {"Neon without a size", NEON_HEAD NEON_ROWS,
     .wrong = "a.x:2:1: positions are in pixels and nothing says of how many; write "
              "gaze.screen_px=[width,height] of the screen, or of the scene camera"},
    {"Tobii", TOBII_HEAD TOBII_ROWS, .are_uv = true, .count = 3,
     .rows = {{0, 0.25, 0.25, 1}, {8 * MS, LOST}, {16 * MS, 0.5, 0.5, 1}}},
    {"Tobii, the left eye", TOBII_HEAD TOBII_ROWS, LEFT_EYE, .are_uv = true, .count = 3,
     .rows = {{0, 470.0 / 1920, 260.0 / 1080, 1}, {8 * MS, LOST}, {16 * MS, 0.5, 0.5, 1}}},
    {"Tobii, the right eye", TOBII_HEAD TOBII_ROWS, RIGHT_EYE, .are_uv = true, .count = 3,
     .rows = {{0, 490.0 / 1920, 280.0 / 1080, 1}, {8 * MS, LOST}, {16 * MS, LOST}}},
    {"Tobii, fractions of the medium",
     "Recording timestamp\tGaze point X (MCSnorm)\tGaze point Y (MCSnorm)\n5\t0.25\t0.75\n",
     .time_unit = FOVEA_TIME_UNIT_MS, .are_uv = true, .count = 1, .rows = {{0, 0.25, 0.75, 1}}},
    {"Tobii without a unit of time",
     "Recording timestamp\tGaze point X (MCSnorm)\tGaze point Y (MCSnorm)\n5\t0.25\t0.75\n",
     .wrong = "a.x:1:66: the time's name has no unit; write gaze.scanpath.time_unit=s, ms, us"},
    {"Tobii without an eye's columns",
     "Recording timestamp [ms]\tGaze point X\tGaze point Y\n5\t1\t1\n", LEFT_EYE,
     .wrong = "a.x:1:51: there are no columns of the left eye; set gaze.scanpath.eye=both"},
    {"the same for the right one",
     "Recording timestamp [ms]\tGaze point X\tGaze point Y\n5\t1\t1\n", RIGHT_EYE,
     .wrong = "a.x:1:51: there are no columns of the right eye"},

    {"BIDS in pixels", "10\t480\t270\t900\nn/a\tn/a\tn/a\tn/a\n12\tn/a\tn/a\tn/a\n14\t1\t2\t3\n",
     BIDS_PX, PX, .screen_px = {1920, 1080}, .count = 3,
     .rows = {{0, 480, 270, 1}, {2 * MS, LOST}, {4 * MS, 1, 2, 1}}},
    {"BIDS in pixels that the settings do not know", "10\t480\t270\t900\n", BIDS_PX,
     .wrong = "a.x:1:1: positions are in pixels; write gaze.space=pixels, gaze.screen_px"},
    {"BIDS by its rate", "0.25\t0.5\nn/a\tn/a\n1\t1\n", BIDS_RATE, .count = 3,
     .rows = {{0, 0.25, 0.5, 1}, {4 * MS, LOST}, {8 * MS, 1, 1, 1}}},
    {"BIDS without columns", "0\t0\n", "{\"SamplingFrequency\": 1}",
     .wrong = "a.x:1:1: the first column's name is \"0\"; it must be a name, as in t,x,y; BIDS"},
    {"a table beside other JSON", "t,x,y\n0,0.25,0.5\n", "{\"name\": 1}", .count = 1,
     .rows = {{0, 0.25, 0.5, 1}}},
    {"BIDS, a broken side-car", "0\t0\n", "{\"Columns\": [1]}",
     .wrong = "a.x: the side-car: 1:14: "},
    {"BIDS in feet", "0\t0\n",
     "{\"Columns\": [\"x_coordinate\"], \"x_coordinate\": {\"Units\": \"feet\"}}",
     .wrong = "a.x: the side-car: \"Units\" of x_coordinate and y_coordinate must be"},
    {"BIDS in hours", "0\t0\n", "{\"Columns\": [\"timestamp\"], \"timestamp\": {\"Units\": \"h\"}}",
     .wrong = "a.x: the side-car: \"Units\" of timestamp must be"},

    {"GazeBase", GAZEBASE, DEG, .screen_deg = {46.6, 30.2}, .count = 4,
     .rows = {{0, 0, 0, 1}, {1 * MS, 10, -5, 1}, {2 * MS, LOST}, {3 * MS, LOST}}},
    {"GazeBase without angles", GAZEBASE,
     .wrong = "a.x:2:1: positions are in degrees; write gaze.space=degrees, gaze.screen_deg="},

    {"two eyes of a table", "t,x_left,y_left,x_right,y_right\n0,0.25,0.5,0.75,1\n1,,,0.5,0.5\n",
     .count = 2, .rows = {{0, 0.5, 0.75, 1}, {S, 0.5, 0.5, 1}}},
    {"named columns", "when,gx,gy,sure,t\n1000,0.25,0.5,0.75,0\n1500,,,1,0\n",
     .columns = "when,gx,gy,sure", .time_unit = FOVEA_TIME_UNIT_MS, .count = 2,
     .rows = {{0, 0.25, 0.5, 0.75}, {500 * MS, LOST}}},
    {"numbered columns", "7\t0.25\t0.5\n8\t0.5\t1\n", .columns = "1,3,2",
     .time_unit = FOVEA_TIME_UNIT_S, .count = 2, .rows = {{0, 0.5, 0.25, 1}, {S, 1, 0.5, 1}}},
    {"numbers with decimal commas", "0,5;0,25;0,5\n1,5;0,5;1,0\n", .columns = "1,2,3",
     .time_unit = FOVEA_TIME_UNIT_S, .count = 2, .rows = {{0, 0.25, 0.5, 1}, {S, 0.5, 1, 1}}},
    {"named columns without a unit", "when,gx,gy\n1,2,3\n", .columns = "when,gx,gy",
     .wrong = "a.x:1:11: the time's name has no unit"},
    {"numbers without a unit", "0,0.1,0.2\n", .columns = "1,2,3",
     .wrong = "a.x: the time's name has no unit"},
    {"two named columns", "when,gx\n1,2\n", .columns = "when,gx",
     .wrong = "gaze.scanpath.columns is \"when,gx\"; it must name the columns of time, x, y"},
    {"73 columns", "0,0.5" TEN TEN TEN TEN TEN TEN TEN ",0.25\n", .columns = "1,2,73",
     .time_unit = FOVEA_TIME_UNIT_S, .count = 1, .rows = {{0, 0.5, 0.25, 1.0}}},
    {"a column beyond the last", "1,2,3\n", .columns = "1,2,4", .time_unit = FOVEA_TIME_UNIT_S,
     .wrong = "a.x:1: gaze.scanpath.columns wants column 4; there are 3"},
};

static enum fovea_result read_case(const struct recorded *recorded, struct gaze_logged *logged,
                                   struct gaze_scanpath_rows *out)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    settings.scanpath_time_unit = recorded->time_unit;
    settings.scanpath_eye = recorded->eye;
    settings.space = recorded->space;
    memcpy(settings.screen_px, recorded->screen_px, sizeof settings.screen_px);
    memcpy(settings.screen_deg, recorded->screen_deg, sizeof settings.screen_deg);
    snprintf(settings.scanpath_columns, sizeof settings.scanpath_columns, "%s",
             recorded->columns ? recorded->columns : "");
    const struct gaze_recording in = {.text = recorded->text,
                                      .bytes = strlen(recorded->text),
                                      .name = "a.x",
                                      .sidecar = recorded->sidecar,
                                      .sidecar_bytes =
                                          recorded->sidecar ? strlen(recorded->sidecar) : 0,
                                      .settings = &settings,
                                      .log = gaze_logged_log(logged)};
    return gaze_scanpath_parse(&in, out);
}

static void assert_rows(const struct recorded *recorded, const struct gaze_scanpath_rows *file)
{
    assert_that(file->count == recorded->count && file->are_uv == recorded->are_uv,
                "%s: %zu rows, %d", recorded->what, file->count, file->are_uv);
    for (size_t i = 0; i < file->count; i++) {
        const struct gaze_scanpath_row *row = &file->rows[i];
        const struct row *wanted = &recorded->rows[i];
        assert_that(row->t_ns == wanted->t_ns && fabs(row->x - wanted->x) <= 1e-12 &&
                        fabs(row->y - wanted->y) <= 1e-12 && row->confidence == wanted->confidence,
                    "%s, row %zu: %lld ns, %.15g, %.15g, confidence %g", recorded->what, i,
                    (long long)row->t_ns, row->x, row->y, row->confidence);
    }
}

static void assert_refused(const struct recorded *recorded, enum fovea_result result,
                           const struct gaze_logged *logged)
{
    const char *said = logged->last[FOVEA_LOG_ERROR];
    assert_that(result == FOVEA_ERROR_CONFIG && logged->count[FOVEA_LOG_ERROR] == 1 &&
                    strncmp(said, recorded->wrong, strlen(recorded->wrong)) == 0,
                "%s: %d, %u errors, \"%s\" does not begin with \"%s\"", recorded->what, result,
                (unsigned)logged->count[FOVEA_LOG_ERROR], said, recorded->wrong);
}

TEST(recordings_of_every_kind_are_read_or_refused)
{
    for (size_t i = 0; i < COUNT_OF(RECORDED); i++) {
        struct gaze_logged logged;
        struct gaze_scanpath_rows file;
        const enum fovea_result result = read_case(&RECORDED[i], &logged, &file);
        if (RECORDED[i].wrong) {
            assert_refused(&RECORDED[i], result, &logged);
            continue;
        }
        assert_that(result == FOVEA_OK && logged.count[FOVEA_LOG_WARNING] <= 0, "%s: %d: %s%s",
                    RECORDED[i].what, result, logged.last[FOVEA_LOG_ERROR],
                    logged.last[FOVEA_LOG_WARNING]);
        assert_rows(&RECORDED[i], &file);
        gaze_scanpath_rows_finish(&file);
    }
}

TEST(pixels_that_are_taken_for_uv_are_warned_of_once)
{
    static const struct recorded pixels = {.text = "t,x,y\n0,0.5,0.5\n1,640,360\n2,650,360\n"};
    struct gaze_logged logged;
    struct gaze_scanpath_rows file;
    assert_ok(read_case(&pixels, &logged, &file));
    assert_int_equal(logged.count[FOVEA_LOG_WARNING], 1);
    assert_contains(logged.last[FOVEA_LOG_WARNING], "a.x:3: this cannot be uv");
    assert_contains(logged.last[FOVEA_LOG_WARNING], "gaze.space=pixels");
    gaze_scanpath_rows_finish(&file);
}

/* Opens a recording with a side-car as a program does. */
static struct fovea_gaze gaze_of_files(struct fovea_gaze_settings *settings, const char *text,
                                       const char *sidecar)
{
    char beside[sizeof settings->scanpath_file];
    snprintf(settings->scanpath_file, sizeof settings->scanpath_file, "%s",
             gaze_temporary("rec.tsv"));
    gaze_write_file(settings->scanpath_file, text);
    const int stem = (int)strlen(settings->scanpath_file) - 4;
    snprintf(beside, sizeof beside, "%.*s.json", stem, settings->scanpath_file);
    if (sidecar) {
        gaze_write_file(beside, sidecar);
    }
    struct fovea_gaze_source *source = gaze_open(settings);
    const struct fovea_gaze gaze = gaze_at(source, 0);
    fovea_gaze_source_destroy(&source);
    assert_int_equal(unlink(settings->scanpath_file), 0);
    if (sidecar) {
        assert_int_equal(unlink(beside), 0);
    }
    return gaze;
}

TEST(a_side_car_beside_the_file_is_read)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    settings.space = FOVEA_GAZE_SPACE_PIXELS;
    settings.screen_px[0] = 1920;
    settings.screen_px[1] = 1080;
    const struct fovea_gaze gaze = gaze_of_files(&settings, "10\t480\t270\t900\n", BIDS_PX);
    assert_near(gaze.point.x_uv, 0.25, 1e-12);
    assert_near(gaze.point.y_uv, 0.25, 1e-12);
}

/* A file that knows its space wins over settings that are for other files. */
TEST(what_a_file_says_of_its_space_counts)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    settings.space = FOVEA_GAZE_SPACE_NDC;
    settings.origin = FOVEA_GAZE_ORIGIN_CENTER;
    const struct fovea_gaze gaze =
        gaze_of_files(&settings, PUPIL_HEAD "1,0,1,0.25,0.75,1-0\n", NULL);
    assert_near(gaze.point.x_uv, 0.25, 1e-12);
    assert_near(gaze.point.y_uv, 0.25, 1e-12);
}

/* 45 degrees of a screen of 90 are its edge; y runs up from the center. */
TEST(degrees_lie_as_tangents_from_the_middle)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_SCANPATH);
    settings.space = FOVEA_GAZE_SPACE_DEGREES;
    settings.origin = FOVEA_GAZE_ORIGIN_CENTER;
    settings.screen_deg[0] = settings.screen_deg[1] = 90;
    const struct fovea_gaze gaze =
        gaze_of_files(&settings, "n,x,y,val\n0,45,26.56505117707799,0\n", NULL);
    assert_near(gaze.point.x_uv, 1.0, 1e-12);
    assert_near(gaze.point.y_uv, 0.25, 1e-12);
}

TEST(degrees_without_a_screen_are_refused)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_FIXED);
    settings.space = FOVEA_GAZE_SPACE_DEGREES;
    struct gaze_logged logged;
    struct fovea_gaze_source *source = NULL;
    assert_int_equal(gaze_source_open(&settings, gaze_logged_log(&logged), &source),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_contains(logged.last[FOVEA_LOG_ERROR], "gaze.screen_deg is 0, 0");
}
