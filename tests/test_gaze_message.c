/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Trackers send these, without a socket. */
#include "plugin/gaze/gaze_clock.h"
#include "plugin/gaze/sources/gaze_lsl_channels.h"
#include "plugin/gaze/sources/gaze_opengaze_line.h"
#include "plugin/gaze/sources/gaze_osc_packet.h"
#include "plugin/gaze/sources/gaze_pupil_message.h"
#include "plugin/gaze/sources/gaze_udp_message.h"
#include "test_gaze_support.h"

struct good_message {
    const char *text;
    double x;
    double y;
    double confidence;
    bool blink;
    bool has_time;
    double t_s;
};

static const struct good_message GOOD[] = {
    {"{\"x\":0.25,\"y\":0.75}", 0.25, 0.75, 1, false, false, 0},
    {"{\"x\":-3,\"y\":1e3,\"t\":12.5}", -3, 1000, 1, false, true, 12.5},
    {"{\"t\":-1,\"x\":0,\"y\":0,\"confidence\":0.5,\"blink\":false}", 0, 0, 0.5, false, true, -1},
    {"{\"x\":0,\"y\":0,\"confidence\":0}", 0, 0, 0, false, false, 0},
    {"{\"blink\":true}", 0, 0, 1, true, false, 0},
    {"{\"x\":null,\"y\":null,\"blink\":true}", 0, 0, 1, true, false, 0},
    {"  {\"x\":1,\"y\":2,\"pupil_mm\":[3,4],\"eye\":\"left\"} \r\n", 1, 2, 1, false, false, 0},
    {"{\"x\":1,\"y\":2,\"by\":\"\\u0000 \\udcff \\ud800 \\ud83d\\ude00\"}", 1, 2, 1, false, false,
     0},
};

TEST(messages_of_the_format_are_understood)
{
    for (size_t i = 0; i < COUNT_OF(GOOD); i++) {
        struct gaze_udp_message message;
        const char *why =
            gaze_udp_message_parse(FOVEA_UDP_JSON, GOOD[i].text, strlen(GOOD[i].text), &message);
        assert_that(!why, "%s: %s", GOOD[i].text, why);
        assert_int_equal(message.sample.blink, GOOD[i].blink);
        assert_near(message.sample.confidence, GOOD[i].confidence, 0);
        assert_int_equal(message.has_time, GOOD[i].has_time);
        if (!GOOD[i].blink) {
            assert_near(message.sample.x, GOOD[i].x, 0);
            assert_near(message.sample.y, GOOD[i].y, 0);
        }
        if (GOOD[i].has_time) {
            assert_near(message.t_s, GOOD[i].t_s, 0);
        }
    }
}

TEST(a_nul_at_the_end_is_no_garbage)
{
    static const char text[] = "{\"x\":1,\"y\":2}\n\0";
    struct gaze_udp_message message;
    assert_null(gaze_udp_message_parse(FOVEA_UDP_JSON, text, sizeof text, &message));
}

struct bad_message {
    const char *text;
    const char *why;
};

static const struct bad_message BAD[] = {
    {"", "not JSON"},
    {" ", "not JSON"},
    {"hello", "not JSON"},
    {"0.5 0.5", "more than one"},
    {"{\"x\":0.5,\"y\":0.5", "not JSON"},
    {"{\"x\":0.5,\"y\":0.5}x", "more than one"},
    {"{\"x\":0.5,\"y\":0.5}{\"x\":0.5,\"y\":0.5}", "more than one"},
    {"[0.5,0.5]", "must be a JSON object"},
    {"null", "must be a JSON object"},
    {"{}", "x and y"},
    {"{\"x\":0.5}", "x and y"},
    {"{\"X\":0.5,\"Y\":0.5}", "x and y"},
    {"{\"x\":\"0.5\",\"y\":0.5}", "x and y"},
    {"{\"x\":null,\"y\":null}", "x and y"},
    {"{\"x\":NaN,\"y\":0.5}", "not JSON"},
    {"{\"x\":Infinity,\"y\":0.5}", "not JSON"},
    {"{\"x\":1e999,\"y\":0.5}", "x and y"},
    {"{\"x\":0.5,\"y\":-1e999}", "x and y"},
    {"{\"x\":0.5,\"y\":0.5,\"t\":1e999}", "t must be"},
    {"{\"x\":0.5,\"y\":0.5,\"t\":\"now\"}", "t must be"},
    {"{\"x\":0.5,\"y\":0.5,\"confidence\":1.01}", "confidence must be"},
    {"{\"x\":0.5,\"y\":0.5,\"confidence\":-1}", "confidence must be"},
    {"{\"x\":0.5,\"y\":0.5,\"confidence\":true}", "confidence must be"},
    {"{\"x\":0.5,\"y\":0.5,\"blink\":1}", "blink must be"},
    {"{\"x\":0.5,\"y\":0.5,\"blink\":null}", "blink must be"},
};

TEST(anything_else_is_refused_with_a_reason)
{
    for (size_t i = 0; i < COUNT_OF(BAD); i++) {
        struct gaze_udp_message message;
        const char *why =
            gaze_udp_message_parse(FOVEA_UDP_JSON, BAD[i].text, strlen(BAD[i].text), &message);
        assert_that(why, "%s was understood", BAD[i].text);
        assert_contains(why, BAD[i].why);
    }
}

TEST(length_and_depth_are_bounded)
{
    char text[GAZE_UDP_MESSAGE_BYTES + 1];
    struct gaze_udp_message message;
    memset(text, ' ', sizeof text);
    memcpy(text, "{\"x\":1,\"y\":2}", 13);
    assert_null(gaze_udp_message_parse(FOVEA_UDP_JSON, text, GAZE_UDP_MESSAGE_BYTES, &message));
    assert_contains(
        gaze_udp_message_parse(FOVEA_UDP_JSON, text, GAZE_UDP_MESSAGE_BYTES + 1, &message),
        "longer than 1024");
    memset(text, '[', sizeof text);
    assert_non_null(gaze_udp_message_parse(FOVEA_UDP_JSON, text, GAZE_UDP_MESSAGE_BYTES, &message));
    memset(text + GAZE_UDP_MESSAGE_BYTES / 2, ']', GAZE_UDP_MESSAGE_BYTES / 2);
    assert_non_null(gaze_udp_message_parse(FOVEA_UDP_JSON, text, GAZE_UDP_MESSAGE_BYTES, &message));
}

struct binary {
    enum fovea_udp_format format;
    uint32_t words[12]; /* little-endian, 32 bits each */
    size_t bytes;
    const char *why; /* NULL: understood */
    double x;
    double y;
    double confidence;
};

/* The words are IEEE 754's, by hand: 0.25, 0.75, 0.5, NAN, 2, inf; of 64 bits the low half first.
 */
static const struct binary BINARIES[] = {
    {FOVEA_UDP_FLOATS, {0x3e800000, 0x3f400000}, 8, NULL, 0.25, 0.75, 1},
    {FOVEA_UDP_FLOATS, {0x3e800000, 0x3f400000, 0x3f000000}, 12, NULL, 0.25, 0.75, 0.5},
    {FOVEA_UDP_FLOATS, {0x7fc00000, 0x3f400000}, 8, NULL, NAN, NAN, 0},
    {FOVEA_UDP_FLOATS, {0x7f800000, 0x3f400000}, 8, "finite", 0, 0, 0},
    {FOVEA_UDP_FLOATS, {0x3e800000, 0x3f400000, 0x40000000}, 12, "confidence", 0, 0, 0},
    {FOVEA_UDP_FLOATS, {0x3e800000, 0x3f400000}, 7, "length", 0, 0, 0},
    {FOVEA_UDP_FLOATS, {0x3e800000}, 4, "length", 0, 0, 0},
    {FOVEA_UDP_DOUBLES, {0, 0x3fd00000, 0, 0x3fe80000}, 16, NULL, 0.25, 0.75, 1},
    {FOVEA_UDP_DOUBLES, {0, 0x3fd00000, 0, 0x3fe80000}, 12, "length", 0, 0, 0},
    {FOVEA_UDP_OPENTRACK,
     {1, 2, 3, 4, 5, 6, 0, 0x3fd00000, 0, 0x3fe80000, 0, 0x7ff80000},
     48,
     NULL,
     0.25,
     0.75,
     1},
    {FOVEA_UDP_OPENTRACK, {0}, 16, "length", 0, 0, 0},
};

TEST(binary_datagrams_are_two_or_three_numbers_or_a_pose)
{
    for (size_t i = 0; i < COUNT_OF(BINARIES); i++) {
        const struct binary *binary = &BINARIES[i];
        struct gaze_udp_message message;
        const char *why =
            gaze_udp_message_parse(binary->format, binary->words, binary->bytes, &message);
        if (binary->why) {
            assert_contains(why, binary->why);
            continue;
        }
        assert_that(!why, "number %zu: %s", i, why);
        assert_near(message.sample.confidence, binary->confidence, 0);
        assert_int_equal(message.sample.blink, isnan(binary->x));
        if (!message.sample.blink) {
            assert_near(message.sample.x, binary->x, 0);
            assert_near(message.sample.y, binary->y, 0);
        }
    }
}

static const struct lsl_label LABELS[] = {{.label = "t"},
                                          {.label = "left_x", .type = "ScreenX"},
                                          {.label = "left_y", .type = "ScreenY"},
                                          {.label = "right_x", .type = "ScreenX"},
                                          {.label = "right_y", .type = "ScreenY"},
                                          {.label = "sure", .type = "Confidence"},
                                          {.label = "X"},
                                          {.label = "Y"}};

/* A stream of the labels from `first` on; the numbers of its channels are 0, 1, 2 ... times 0.1. */
static const struct {
    const char *wanted;
    size_t first;
    size_t count;
    const char *why; /* NULL: chosen */
    double x;
    double y;
    double confidence;
} CHOICES[] = {
    {"", 0, 6, NULL, 0.2, 0.3, 0.5}, /* the middle of both eyes */
    {"", 3, 3, NULL, 0.0, 0.1, 0.2},
    {"", 6, 2, NULL, 0.0, 0.1, 1},
    {"", 0, 2, "to two of 1=t, 2=left_x", 0, 0, 0}, /* without y */
    {"left_x,left_y", 0, 6, NULL, 0.1, 0.2, 1},
    {"2, 3 ,6", 0, 6, NULL, 0.1, 0.2, 0.5},
    {"left_x,left_y,right_x,right_y,confidence", 0, 6, NULL, 0.2, 0.3, 0.5},
    {"left_x,left_z", 0, 6, "no channel left_z", 0, 0, 0},
    {"1,9", 0, 8, "no channel 9", 0, 0, 0},
    {"0,1", 0, 8, "no channel 0", 0, 0, 0},
    {"ScreenX,ScreenY", 0, 6, "no channel ScreenX", 0, 0, 0}, /* there are two */
    {"left_x", 0, 6, "names x and y", 0, 0, 0},
    {"1,2,3,4,5,6", 0, 6, "names x and y", 0, 0, 0},
};

TEST(channels_of_a_stream_are_chosen_by_label_type_or_number)
{
    static const double numbers[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    for (size_t i = 0; i < COUNT_OF(CHOICES); i++) {
        char text[128];
        struct lsl_channels channels;
        const char *why = lsl_channels_choose(CHOICES[i].wanted, LABELS + CHOICES[i].first,
                                              CHOICES[i].count, text, sizeof text, &channels);
        if (CHOICES[i].why) {
            assert_contains(why, CHOICES[i].why);
            continue;
        }
        assert_that(!why, "\"%s\": %s", CHOICES[i].wanted, why);
        const struct fovea_gaze_sample sample =
            lsl_channels_sample(&channels, FOVEA_GAZE_EYE_BOTH, numbers);
        assert_near(sample.x, CHOICES[i].x, 1e-12);
        assert_near(sample.y, CHOICES[i].y, 1e-12);
        assert_near(sample.confidence, CHOICES[i].confidence, 0);
        assert_false(sample.blink);
    }
}

TEST(an_eye_without_a_place_leaves_the_other)
{
    const struct lsl_channels both = {.eyes = 2, .x = {0, 2}, .y = {1, 3}};
    const double one[] = {NAN, 0.1, 0.3, 0.4};
    struct fovea_gaze_sample sample = lsl_channels_sample(&both, FOVEA_GAZE_EYE_BOTH, one);
    assert_near(sample.x, 0.3, 0);
    assert_near(sample.y, 0.4, 0);
    assert_false(sample.blink);
    const double none[] = {NAN, 0.1, 0.3, NAN};
    sample = lsl_channels_sample(&both, FOVEA_GAZE_EYE_BOTH, none);
    assert_true(sample.blink);
    assert_true(lsl_channels_sample(&both, FOVEA_GAZE_EYE_LEFT, one).blink);
    assert_near(lsl_channels_sample(&both, FOVEA_GAZE_EYE_RIGHT, one).x, 0.3, 0);
    const double seen[] = {0.1, 0.2, 0.3, 0.4};
    assert_near(lsl_channels_sample(&both, FOVEA_GAZE_EYE_LEFT, seen).x, 0.1, 0);
    assert_near(lsl_channels_sample(&both, FOVEA_GAZE_EYE_RIGHT, seen).y, 0.4, 0);
    const struct lsl_channels alone = {.eyes = 1, .x = {2}, .y = {3}};
    assert_near(lsl_channels_sample(&alone, FOVEA_GAZE_EYE_RIGHT, seen).x, 0.3, 0);
}

TEST(of_two_eyes_over_osc_the_wanted_one_counts)
{
    struct gaze_osc_eyes eyes = {.eye = {{1, 2, 0.2}, {5, 6, 0.9}}};
    struct fovea_gaze_sample sample;
    assert_true(gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_LEFT, &sample));
    assert_near(sample.x, 1, 0);
    assert_near(sample.confidence, 0.2, 0);
    assert_true(gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_RIGHT, &sample));
    assert_near(sample.y, 6, 0);
    assert_true(gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_BOTH, &sample));
    assert_near(sample.x, 5, 0); /* the left one is far more closed */
    eyes.eye[0].open = 0.5;
    assert_true(gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_BOTH, &sample));
    assert_near(sample.x, 3, 0);
    eyes.eye[0].right_deg = NAN;
    assert_false(gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_LEFT, &sample));
}

/* A sender whose clock is 50 millionths fast and began anywhere; samples are under way for 1 ms,
 * and up to 21 ms more. */
TEST(a_senders_clock_is_followed_through_delays_and_drift)
{
    struct gaze_clock clock = {0};
    int64_t last_ns = 0;
    for (int64_t i = 0; i < 30000; i++) {
        const int64_t taken_ns = 5 * S + i * 4 * MS;
        const int64_t arrival_ns = taken_ns + MS + (i * 7919 % 22) * MS;
        const double sender_s = 1e6 + (double)taken_ns * 1.00005e-9;
        int64_t placed_ns = 0;
        assert_true(gaze_clock_place(&clock, sender_s, arrival_ns, &placed_ns));
        assert_true(placed_ns >= last_ns && placed_ns <= arrival_ns);
        last_ns = placed_ns;
        const int64_t late_ns = placed_ns - taken_ns - MS;
        assert_that(i < 22 || llabs(late_ns) < 300000, "sample %lld is %lld ns off", (long long)i,
                    (long long)late_ns);
    }
}

TEST(a_senders_clock_may_be_mad_late_or_set_anew)
{
    struct gaze_clock clock = {0};
    int64_t placed_ns = 0;
    assert_true(gaze_clock_place(&clock, 100.0, 10 * S, &placed_ns));
    assert_int_equal(placed_ns, 10 * S);
    assert_false(gaze_clock_place(&clock, 99.9, 10 * S + MS, &placed_ns));
    static const double mad[] = {NAN, INFINITY, 1e300};
    for (size_t i = 0; i < COUNT_OF(mad); i++) {
        assert_true(gaze_clock_place(&clock, mad[i], 11 * S, &placed_ns));
        assert_int_equal(placed_ns, 11 * S);
    }
    assert_true(gaze_clock_place(&clock, 3.0, 12 * S, &placed_ns)); /* was started again */
    assert_int_equal(placed_ns, 12 * S);
    assert_true(gaze_clock_place(&clock, 3.1, 12 * S + 150 * MS, &placed_ns));
    assert_near((double)placed_ns, (double)(12 * S + 100 * MS), 1000);
}

struct record {
    const char *line;
    enum fovea_opengaze_point point;
    const char *why; /* NULL: understood */
    bool has_gaze;
    double x;
    bool valid;
    double time_s; /* 0: none */
};

static const struct record RECORDS[] = {
    {"<REC TIME=\"8.25\" BPOGX=\"0.5\" BPOGY=\"-0.25\" BPOGV=\"1\" />\r", FOVEA_OPENGAZE_BEST, NULL,
     true, 0.5, true, 8.25},
    {"<REC BPOGX=\"0.50000\" BPOGY=\"-0.25\" BPOGV=\"0\"/>", FOVEA_OPENGAZE_BEST, NULL, true, 0.5,
     false, 0},
    {"<REC FPOGX=\"0.5\" FPOGY=\"-0.25\" FPOGS=\"x\" FPOGV=\"1\" BPOGX=\"9\" />",
     FOVEA_OPENGAZE_FIXATION, NULL, true, 0.5, true, 0},
    {"<REC LPOGX=\"0.5\" LPOGY=\"-0.25\" LPOGV=\"1\" RPOGX=\"0.1\" RPOGY=\"0.2\" RPOGV=\"1\" />",
     FOVEA_OPENGAZE_LEFT, NULL, true, 0.5, true, 0},
    {"<REC BPOGX=\"0.5\" BPOGY=\"0.5\" BPOGV=\"1\" />", FOVEA_OPENGAZE_RIGHT, NULL, false, 0, false,
     0},
    {"<ACK ID=\"ENABLE_SEND_DATA\" STATE=\"1\" />", FOVEA_OPENGAZE_BEST, NULL, false, 0, false, 0},
    {"", FOVEA_OPENGAZE_BEST, NULL, false, 0, false, 0},
    {"GET / HTTP/1.1", FOVEA_OPENGAZE_BEST, "Open Gaze", false, 0, false, 0},
    {"<REC BPOGX=\"0.5\" BPOGY", FOVEA_OPENGAZE_BEST, "<REC NAME", false, 0, false, 0},
    {"<REC BPOGX=0.5 BPOGY=\"1\" />", FOVEA_OPENGAZE_BEST, "<REC NAME", false, 0, false, 0},
    {"<REC BPOGX=\"nan\" BPOGY=\"1\" BPOGV=\"1\" />", FOVEA_OPENGAZE_BEST, "number", false, 0,
     false, 0},
    {"<REC BPOGX=\"0.5q\" BPOGY=\"1\" BPOGV=\"1\" />", FOVEA_OPENGAZE_BEST, "number", false, 0,
     false, 0},
};

TEST(lines_of_open_gaze_are_understood)
{
    for (size_t i = 0; i < COUNT_OF(RECORDS); i++) {
        const struct record *record = &RECORDS[i];
        struct gaze_opengaze_record out;
        const char *why =
            gaze_opengaze_parse(record->line, strlen(record->line), record->point, &out);
        if (record->why) {
            assert_contains(why, record->why);
            continue;
        }
        assert_that(!why, "%s: %s", record->line, why);
        assert_int_equal(out.has_gaze, record->has_gaze);
        assert_int_equal(out.has_time, record->time_s > 0);
        if (record->has_gaze) {
            assert_near(out.x, record->x, 0);
            assert_near(out.y, -0.25, 0);
            assert_int_equal(out.valid, record->valid);
        }
        if (out.has_time) {
            assert_near(out.time_s, record->time_s, 0);
        }
    }
}

#define PITCH_YAW "/tracking/eye/LeftRightPitchYaw\0,ffff\0\0\0"
#define LEFT_X "/avatar/parameters/v2/EyeLeftX\0\0,f\0\0"
#define LEFT_Y "/avatar/parameters/FT/v2/EyeLeftY\0\0\0,f\0\0"
#define LID "/avatar/parameters/v2/EyeLidLeft\0\0\0\0,f\0\0"
#define CLOSED "/tracking/eye/EyesClosedAmount\0\0,f\0\0"
#define AHEAD "/tracking/eye/CenterVec\0,fff\0\0\0\0"
#define F0 "\0\0\0\0"
#define F1 "\x3f\x80\0\0" /* big-endian, by IEEE 754 */
#define F2 "\x40\0\0\0"
#define F4 "\x40\x80\0\0"
#define F8 "\x41\0\0\0"
#define INFINITE "\x7f\x80\0\0"
#define NOW "\0\0\0\0\0\0\0\1"
#define BUNDLE "#bundle\0" NOW

struct packet {
    const char *bytes;
    size_t count;
    const char *why; /* NULL: understood */
    bool known; /* where the eyes look, after it */
    double right_deg;
    double up_deg;
    double open;
};

#define PACKET(text, ...)                                                                          \
    {                                                                                              \
        (text), sizeof(text) - 1, __VA_ARGS__                                                      \
    }

/* One after the other: what was said stays. */
static const struct packet PACKETS[] = {
    PACKET("/avatar/change\0\0,s\0\0avtr\0\0\0\0", NULL, false, 0, 0, 0),
    PACKET(LEFT_X F1, NULL, false, 0, 0, 0),
    PACKET(LEFT_Y F0, NULL, true, 45, 0, 1),
    PACKET(LID F0, NULL, true, 45, 0, 0),
    PACKET(PITCH_YAW F2 F4 F4 F8, NULL, true, 8, -4, 1), /* the right eye alone is open */
    PACKET(CLOSED F1, NULL, true, 6, -3, 0),
    PACKET(BUNDLE "\0\0\0\x28" CLOSED F0 "\0\0\0\x2d" AHEAD F1 F0 F1, "cut off", true, 6, -3, 1),
    PACKET(BUNDLE "\0\0\0\x28" CLOSED F0 "\0\0\0\x2c" AHEAD F1 F0 F1, NULL, true, 45, 0, 1),
    PACKET(AHEAD F0 "\xbf\x80\0\0" F1, NULL, true, 0, -45, 1),
    PACKET(AHEAD F0 F0 INFINITE, "finite", true, 0, -45, 1),
    PACKET(AHEAD F0 F0, "finite", true, 0, -45, 1),
    PACKET("/tracking/eye/CenterVec\0", "types", true, 0, -45, 1),
    PACKET("{\"x\":1}", "not OSC", true, 0, -45, 1),
    PACKET("", "not OSC", true, 0, -45, 1),
    PACKET("/abc", "not OSC", true, 0, -45, 1),
};

TEST(packets_of_osc_say_where_eyes_look)
{
    struct gaze_osc_eyes eyes;
    gaze_osc_eyes_init(&eyes);
    for (size_t i = 0; i < COUNT_OF(PACKETS); i++) {
        const struct packet *packet = &PACKETS[i];
        const char *why = gaze_osc_parse((const uint8_t *)packet->bytes, packet->count, &eyes);
        assert_that(!why == !packet->why && (!why || strstr(why, packet->why)), "packet %zu: %s", i,
                    why ? why : "understood");
        struct fovea_gaze_sample sample;
        assert_int_equal(gaze_osc_sample(&eyes, FOVEA_GAZE_EYE_BOTH, &sample), packet->known);
        if (packet->known) {
            assert_near(sample.x, packet->right_deg, 1e-9);
            assert_near(sample.y, packet->up_deg, 1e-9);
            assert_near(sample.confidence, packet->open, 1e-9);
        }
    }
}

#define HALF "\xcb\x3f\xe0\0\0\0\0\0\0" /* 64 bits */
#define QUARTER "\xca\x3e\x80\0\0" /* 32 bits */
#define PLACE "\xa8norm_pos\x92" QUARTER HALF
#define SURE                                                                                       \
    "\xaa"                                                                                         \
    "confidence\x01"
#define WHEN                                                                                       \
    "\xa9"                                                                                         \
    "timestamp\xd1\xff\xfe" /* -2 */
#define SKIPPED "\xa1q\x82\xc0\xc3\x01\x93\xe0\xc4\x02zz\xd4\x05w"
#define GAZES "\xb0gaze_on_surfaces"

#define MESSAGE(text, ...)                                                                         \
    {                                                                                              \
        (text), sizeof(text) - 1, __VA_ARGS__                                                      \
    }

/* How many gazes are in it, of 0.25, 0.5 at -2 s. */
static const struct {
    const char *bytes;
    size_t count;
    const char *why;
    int gazes;
} SURFACES[] = {
    MESSAGE("\x81" GAZES "\x92\x83" PLACE SURE WHEN "\x84" SKIPPED WHEN SURE PLACE, NULL, 2),
    MESSAGE("\x82" SKIPPED GAZES "\x91\x83" PLACE SURE WHEN, NULL, 1),
    MESSAGE("\x81\xa4name\xa1s", NULL, 0),
    MESSAGE("\x81" GAZES "\x92\x83" PLACE SURE WHEN, "cut off", 1),
    MESSAGE("\x82" SKIPPED, "cut off", 0),
    MESSAGE("\x81\xa1q\xdd\xff\xff\xff\xff\x01", "cut off", 0),
    MESSAGE("\x81\xa1q\xdb\xff\xff\xff\xff\x01", "cut off", 0),
    MESSAGE("\x81" GAZES "\x91\x82" PLACE WHEN, "no norm_pos, confidence", 0),
    MESSAGE("\x81" GAZES "\x91\x01", "no map", 0),
    MESSAGE("\x81" GAZES "\x01", "no list", 0),
    MESSAGE("{}", "not a map", 0),
};

static void count_gaze(void *user, const struct gaze_pupil_datum *datum)
{
    assert_near(datum->x, 0.25, 0);
    assert_near(datum->y, 0.5, 0);
    assert_near(datum->confidence, 1, 0);
    assert_near(datum->time_s, -2, 0);
    ++*(int *)user;
}

TEST(messages_of_surfaces_are_understood)
{
    for (size_t i = 0; i < COUNT_OF(SURFACES); i++) {
        int gazes = 0;
        const char *why = gaze_pupil_parse((const uint8_t *)SURFACES[i].bytes, SURFACES[i].count,
                                           count_gaze, &gazes);
        assert_that(!why == !SURFACES[i].why && (!why || strstr(why, SURFACES[i].why)),
                    "message %zu: %s", i, why ? why : "understood");
        assert_int_equal(gazes, SURFACES[i].gazes);
    }
}
