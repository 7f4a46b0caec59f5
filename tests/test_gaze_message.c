/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The datagrams of the udp source, without a socket. */
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
