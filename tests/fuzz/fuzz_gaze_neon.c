/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as what the Companion app sends: on its connection, as a packet, as a report. What is
 * handed over lies in the bytes and is usable. */
#include "plugin/gaze/gaze_intake.h"
#include "plugin/gaze/sources/gaze_neon_message.h"
#include "plugin/gaze/sources/gaze_neon_time.h"
#include "plugin/gaze/sources/gaze_rtsp.h"
#include "require.h"

#include <string.h>

static void check_description(const struct gaze_rtsp_reply *reply)
{
    struct gaze_rtsp_media media;
    char url[GAZE_RTSP_URL_BYTES];
    if (gaze_rtsp_find_media(reply->body, reply->body_bytes, "com.pupillabs.gaze1", &media)) {
        REQUIRE(media.clock_hz > 0 && media.payload_type < 128);
        REQUIRE(!gaze_rtsp_url(reply->base, media.control, url) || strlen(url) < sizeof url);
    }
}

static void check_connection(const uint8_t *data, size_t size)
{
    struct gaze_rtsp_message message;
    enum gaze_rtsp_kind kind = GAZE_RTSP_REPLY;
    for (size_t at = 0; kind == GAZE_RTSP_REPLY || kind == GAZE_RTSP_PACKET; at += message.bytes) {
        kind = gaze_rtsp_next((const char *)data + at, size - at, 4096, &message);
        if (kind == GAZE_RTSP_REPLY || kind == GAZE_RTSP_PACKET) {
            REQUIRE(message.bytes > 0 && message.bytes <= size - at);
        }
        if (kind == GAZE_RTSP_REPLY) {
            check_description(&message.reply);
        }
        REQUIRE(kind != GAZE_RTSP_NOTHING || size - at < 4096);
    }
}

static void check_packet(const uint8_t *data, size_t size)
{
    struct gaze_rtp_packet packet;
    struct gaze_neon_datum datum;
    struct fovea_gaze_sample sample;
    struct gaze_neon_time time = {.echo = -1};
    if (gaze_rtp_parse(data, size, &packet)) {
        return;
    }
    gaze_neon_time_begin(&time, 90000);
    REQUIRE(gaze_neon_time_place(&time, packet.time, 1000) <= 1000);
    if (!gaze_neon_parse(packet.payload, packet.payload_bytes, &datum)) {
        gaze_neon_sample(&datum, packet.sequence % 3, 2, &sample);
        REQUIRE(gaze_intake_understands(&sample));
    }
}

static void check_report(const uint8_t *data, size_t size)
{
    struct gaze_rtcp_report report;
    struct gaze_neon_time time = {.echo = -1};
    if (!gaze_rtcp_parse(data, size, &report) && report.is_sent) {
        gaze_neon_time_begin(&time, 1);
        gaze_neon_time_report(&time, report.time, report.unix_ns);
        gaze_neon_time_answer(&time, (uint64_t)report.unix_ns, 5, 6);
        REQUIRE(gaze_neon_time_place(&time, report.source, 1000) <= 1000);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_connection(data, size);
    check_packet(data, size);
    check_report(data, size);
    return 0;
}
