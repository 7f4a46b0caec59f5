/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The Companion app of Neon sends these, without a socket. */
#include "plugin/gaze/sources/gaze_neon_message.h"
#include "plugin/gaze/sources/gaze_neon_time.h"
#include "plugin/gaze/sources/gaze_rtsp.h"
#include "test_gaze_support.h"

/* Payloads of Neon: 400, 300, worn or not, and 1, 2, 3 ... behind that. */
static const struct {
    size_t bytes;
    uint8_t worn;
    enum fovea_gaze_eye eye;
    double closed_mm;
    double x;
    double y;
    double confidence;
    bool blink;
} LOOKS[] = {
    {9, 255, FOVEA_GAZE_EYE_BOTH, 0, 400, 300, 1, false},
    {9, 255, FOVEA_GAZE_EYE_LEFT, 0, 400, 300, 1, false}, /* no eye alone is told */
    {9, 0, FOVEA_GAZE_EYE_BOTH, 0, 0, 0, 0, false},
    {17, 255, FOVEA_GAZE_EYE_BOTH, 0, 200.5, 151, 1, false}, /* the middle of 400, 300 and 1, 2 */
    {17, 255, FOVEA_GAZE_EYE_RIGHT, 0, 1, 2, 1, false},
    {25, 255, FOVEA_GAZE_EYE_BOTH, 0, 400, 300, 1, false},
    {25, 255, FOVEA_GAZE_EYE_LEFT, 0, 1, 2, 1, false},
    {65, 255, FOVEA_GAZE_EYE_BOTH, 20, 400, 300, 1, false},
    {89, 255, FOVEA_GAZE_EYE_BOTH, 19.9, 400, 300, 1, false}, /* apertures are 17 and 20 */
    {89, 255, FOVEA_GAZE_EYE_BOTH, 20, 400, 300, 1, true},
    {89, 255, FOVEA_GAZE_EYE_LEFT, 17, 400, 300, 1, true},
    {89, 255, FOVEA_GAZE_EYE_RIGHT, 19.9, 400, 300, 1, false},
    {89, 255, FOVEA_GAZE_EYE_BOTH, 0, 400, 300, 1, false},
    {89, 0, FOVEA_GAZE_EYE_BOTH, 20, 0, 0, 0, false}, /* what nobody wears has no lids */
    {105, 255, FOVEA_GAZE_EYE_RIGHT, 0, 23, 24, 1, false},
};

static void put_float(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(bits >> (24 - 8 * i));
    }
}

TEST(payloads_of_neon_say_where_eyes_look)
{
    struct gaze_neon_datum datum;
    uint8_t bytes[106] = {0};
    put_float(bytes, 400);
    put_float(bytes + 4, 300);
    for (int i = 0; i < 24; i++) {
        put_float(bytes + 9 + 4 * i, (float)(i + 1));
    }
    for (size_t i = 0; i < COUNT_OF(LOOKS); i++) {
        struct fovea_gaze_sample sample;
        bytes[8] = LOOKS[i].worn;
        assert_null(gaze_neon_parse(bytes, LOOKS[i].bytes, &datum));
        gaze_neon_sample(&datum, LOOKS[i].eye, LOOKS[i].closed_mm, &sample);
        assert_that(sample.x == LOOKS[i].x && sample.y == LOOKS[i].y &&
                        sample.confidence == LOOKS[i].confidence && sample.blink == LOOKS[i].blink,
                    "payload %zu: %g, %g, %g, %d", i, sample.x, sample.y, sample.confidence,
                    sample.blink);
    }
    for (size_t count = 0; count < sizeof bytes; count++) {
        const bool is_one =
            count == 9 || count == 17 || count == 25 || count == 65 || count == 89 || count == 105;
        assert_int_equal(!gaze_neon_parse(bytes, count, &datum), is_one);
    }
    put_float(bytes, NAN);
    struct fovea_gaze_sample sample;
    assert_null(gaze_neon_parse(bytes, 9, &datum));
    gaze_neon_sample(&datum, FOVEA_GAZE_EYE_BOTH, 0, &sample);
    assert_true(sample.confidence == 0 && sample.x == 0);
}

static const struct {
    const char *bytes;
    size_t count;
    enum gaze_rtsp_kind kind;
    size_t taken;
    uint32_t status;
} MESSAGES[] = {
#define RTSP(text, kind, taken, status)                                                            \
    {                                                                                              \
        text, sizeof(text) - 1, kind, taken, status                                                \
    }
    RTSP("", GAZE_RTSP_NOTHING, 0, 0),
    RTSP("RTSP/1.0 200 OK\r\nCSeq: 7\r\n\r\n$", GAZE_RTSP_REPLY, 28, 200),
    RTSP("RTSP/1.0 461 No\r\ncseq:7\r\n\r\n", GAZE_RTSP_REPLY, 27, 461),
    RTSP("RTSP/1.0 200 OK\r\nCSeq: 7\r\n", GAZE_RTSP_NOTHING, 0, 0),
    RTSP("RTSP/1.0 200 OK\r\nCSeq: 7\r\nContent-Length: 3\r\n\r\nab", GAZE_RTSP_NOTHING, 0, 0),
    RTSP("RTSP/1.0 200 OK\r\nCSeq: 7\r\nContent-Length: 2\r\n\r\nab", GAZE_RTSP_REPLY, 49, 200),
    RTSP("RTSP/1.0 200 OK\r\nContent-Length: 65530\r\n\r\n", GAZE_RTSP_GARBAGE, 0, 0),
    RTSP("RTSP/1.0 200 OK\r\nContent-Length: x\r\n\r\n", GAZE_RTSP_GARBAGE, 0, 0),
    RTSP("ANNOUNCE rtsp://a RTSP/1.0\r\nCSeq: 1\r\n\r\n", GAZE_RTSP_REPLY, 39, 0),
    RTSP("RTSP/1.0 200 OK\r\nContent-Base: rtsp://a\1/\r\n\r\n", GAZE_RTSP_REPLY, 45, 200),
    RTSP("HTTP/1.1 200 OK\r\n\r\n", GAZE_RTSP_GARBAGE, 0, 0),
    RTSP("garbage\n", GAZE_RTSP_GARBAGE, 0, 0),
    RTSP("$\1\0\2ab$", GAZE_RTSP_PACKET, 6, 0),
    RTSP("$\1\0\2a", GAZE_RTSP_NOTHING, 0, 0),
    RTSP("$\1\xff\xff", GAZE_RTSP_GARBAGE, 0, 0),
};

TEST(messages_of_rtsp_are_told_from_each_other_and_from_garbage)
{
    for (size_t i = 0; i < COUNT_OF(MESSAGES); i++) {
        struct gaze_rtsp_message message;
        const enum gaze_rtsp_kind kind =
            gaze_rtsp_next(MESSAGES[i].bytes, MESSAGES[i].count, 4096, &message);
        const bool is_one = kind == GAZE_RTSP_REPLY || kind == GAZE_RTSP_PACKET;
        assert_that(kind == MESSAGES[i].kind && (!is_one || message.bytes == MESSAGES[i].taken) &&
                        (!is_one || message.reply.status == MESSAGES[i].status),
                    "message %zu: kind %d, %zu bytes, status %u", i, kind, message.bytes,
                    message.reply.status);
    }
}

TEST(a_reply_and_a_description_say_where_the_gaze_is)
{
    static const char reply[] =
        "RTSP/1.0 200 OK\r\nCSeq: 3\r\nSession: 11d; timeout=20\r\nPublic: PLAY, get_parameter\r\n"
        "Content-Base: rtsp://a:1/x/\r\n"
        "Transport: RTP/AVP;client_port=1-2;server_port=5000-5001;interleaved=2-3\r\n\r\n";
    static const char sdp[] =
        "v=0\na=control:*\nm=video 0 RTP/AVP 97\na=rtpmap:97 H264/90000\na=control:trackID=1\n"
        "m=application 0 RTP/AVP 96\r\na=rtpmap:96 "
        "COM.pupillabs.gaze1/1000\r\na=control:trackID=2\r\n"
        "m=audio 0 RTP/AVP 98\na=control:trackID=3\n";
    struct gaze_rtsp_message message;
    struct gaze_rtsp_media media;
    char url[GAZE_RTSP_URL_BYTES];
    assert_int_equal(gaze_rtsp_next(reply, sizeof reply - 1, 4096, &message), GAZE_RTSP_REPLY);
    assert_string_equal(message.reply.session, "11d");
    assert_int_equal(message.reply.timeout_s, 20);
    assert_int_equal(message.reply.server_ports[0] + message.reply.server_ports[1], 10001);
    assert_true(message.reply.has_channels && message.reply.knows_get_parameter);
    assert_int_equal(message.reply.channels[0] + message.reply.channels[1], 5);
    assert_true(gaze_rtsp_find_media(sdp, sizeof sdp - 1, "com.pupillabs.gaze1", &media));
    assert_true(media.payload_type == 96 && media.clock_hz == 1000);
    assert_true(gaze_rtsp_url(message.reply.base, media.session_control, url));
    assert_string_equal(url, "rtsp://a:1/x/");
    assert_true(gaze_rtsp_url("rtsp://a:1/x/", media.control, url));
    assert_string_equal(url, "rtsp://a:1/x/trackID=2");
    assert_true(gaze_rtsp_url("rtsp://a/?b=c", "trackID=0", url));
    assert_string_equal(url, "rtsp://a/?b=c/trackID=0");
    assert_true(gaze_rtsp_url("rtsp://a", "RTSP://b/1", url));
    assert_string_equal(url, "RTSP://b/1");
    assert_false(gaze_rtsp_find_media(sdp, sizeof sdp - 1, "com.pupillabs.imu1", &media));
}

TEST(packets_and_reports_are_read_within_their_bytes)
{
    /* an extension of one word, a contributing source, two bytes of padding; payload "ab" */
    static const uint8_t packet[] = {0xb1, 0xe0, 1,    2, 0, 1, 0, 0, 0, 0, 0,   9,   1, 1,
                                     1,    1,    0xbe, 0, 0, 1, 7, 7, 7, 7, 'a', 'b', 0, 2};
    /* 2208988801.5 s since 1900 is 1.5 s since 1970; then the sender's farewell */
    static const uint8_t report[] = {0x80, 200, 0, 6, 0,    0,   0, 9, 0x83, 0xaa, 0x7e, 0x81,
                                     0x80, 0,   0, 0, 0,    0,   0, 5, 0,    0,    0,    0,
                                     0,    0,   0, 0, 0x81, 203, 0, 1, 0,    0,    0,    9};
    struct gaze_rtp_packet out;
    struct gaze_rtcp_report told;
    assert_null(gaze_rtp_parse(packet, sizeof packet, &out));
    assert_true(out.payload_type == 0x60 && out.sequence == 258 && out.time == 65536);
    assert_true(out.source == 9 && out.payload_bytes == 2 && out.payload[1] == 'b');
    assert_null(gaze_rtcp_parse(report, sizeof report, &told));
    assert_true(told.is_sent && told.source == 9 && told.time == 5 && told.is_over);
    assert_int_equal(told.unix_ns, 1500000000);
    assert_null(gaze_rtcp_parse(report, 28, &told));
    assert_false(told.is_over);
    for (size_t count = 0; count < 24; count++) {
        assert_non_null(gaze_rtp_parse(packet, count, &out));
        assert_non_null(gaze_rtcp_parse(report, count, &told));
    }
}

/* The phone's clock is 100 s ahead of 1970 when ours is at 40 s, and its packets' goes round. */
TEST(times_of_neon_are_ours_once_reports_and_echo_have_told)
{
    const uint32_t hz = 1000;
    struct gaze_neon_time time = {.echo = -1};
    gaze_neon_time_begin(&time, hz);
    /* Nothing is known: the quickest is taken as just measured, a slower one as what lies between.
     */
    assert_int_equal(gaze_neon_time_place(&time, UINT32_MAX - 9, 40000 * MS), 40000 * MS);
    assert_int_equal(gaze_neon_time_place(&time, 0, 40030 * MS), 40010 * MS);
    /* A report alone: the same again. */
    gaze_neon_time_report(&time, 10, 100020 * MS);
    assert_int_equal(gaze_neon_time_place(&time, 20, 40040 * MS), 40040 * MS);
    assert_int_equal(gaze_neon_time_place(&time, 30, 40060 * MS), 40050 * MS);
    /* The echo says: asked at 40000, answered at 40004, in whole milliseconds. */
    gaze_neon_time_answer(&time, 100002, 40000 * MS, 40004 * MS);
    assert_int_equal(gaze_neon_time_place(&time, 100, 40150 * MS), 40110 * MS - MS / 2);
    gaze_neon_time_answer(&time, 101000, 40000 * MS, 40104 * MS); /* a slow answer does not count */
    assert_int_equal(gaze_neon_time_place(&time, 110, 40150 * MS), 40120 * MS - MS / 2);
    /* Not before the last, and not after it came. */
    assert_int_equal(gaze_neon_time_place(&time, 90, 40150 * MS), 40120 * MS - MS / 2);
    assert_int_equal(gaze_neon_time_place(&time, 500, 40151 * MS), 40151 * MS);
}
