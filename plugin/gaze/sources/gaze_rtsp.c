/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_rtsp.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *at;
    const char *end;
};

static size_t span_bytes(struct span span)
{
    return (size_t)(span.end - span.at);
}

/* Up to the first of the character, which is passed, or to the end. */
static struct span take_until(struct span *rest, char c)
{
    const char *found = memchr(rest->at, c, span_bytes(*rest));
    const struct span taken = {.at = rest->at, .end = found ? found : rest->end};
    rest->at = found ? found + 1 : rest->end;
    return taken;
}

static struct span trim(struct span span)
{
    while (span.at < span.end && (*span.at == ' ' || *span.at == '\t')) {
        span.at++;
    }
    while (span.at < span.end &&
           (span.end[-1] == ' ' || span.end[-1] == '\t' || span.end[-1] == '\r')) {
        span.end--;
    }
    return span;
}

static bool begins_with(struct span span, const char *word)
{
    const size_t bytes = strlen(word);
    return span_bytes(span) >= bytes && strncasecmp(span.at, word, bytes) == 0;
}

static bool is_word(struct span span, const char *word)
{
    return span_bytes(span) == strlen(word) && begins_with(span, word);
}

/* "": it does not fit, or has what a line cannot have. */
static void copy(struct span span, char *out, size_t bytes)
{
    const size_t count = span_bytes(span);
    bool fits = count < bytes;
    for (size_t i = 0; i < count && fits; i++) {
        fits = span.at[i] > ' ' && span.at[i] <= '~';
    }
    memcpy(out, span.at, fits ? count : 0);
    out[fits ? count : 0] = '\0';
}

/* The decimal number that it begins with, which is passed. False: there is none, or it is above. */
static bool take_number(struct span *rest, uint32_t max, uint32_t *out)
{
    const char *begin = rest->at;
    uint64_t number = 0;
    while (rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9' && number <= max) {
        number = number * 10 + (uint64_t)(*rest->at++ - '0');
    }
    *out = (uint32_t)number;
    return rest->at > begin && number <= max;
}

/* ---- Replies */

/* "4001-4002" */
static bool take_pair(struct span span, uint32_t max, uint32_t out[2])
{
    return take_number(&span, max, &out[0]) && span.at < span.end && *span.at++ == '-' &&
           take_number(&span, max, &out[1]);
}

static void read_transport(struct span value, struct gaze_rtsp_reply *out)
{
    while (value.at < value.end) {
        struct span parameter = take_until(&value, ';');
        const struct span name = trim(take_until(&parameter, '='));
        uint32_t pair[2];
        if (is_word(name, "server_port") && take_pair(trim(parameter), UINT16_MAX, pair)) {
            out->server_ports[0] = (uint16_t)pair[0];
            out->server_ports[1] = (uint16_t)pair[1];
        } else if (is_word(name, "interleaved") && take_pair(trim(parameter), UINT8_MAX, pair)) {
            out->has_channels = true;
            out->channels[0] = (uint8_t)pair[0];
            out->channels[1] = (uint8_t)pair[1];
        }
    }
}

static void read_session(struct span value, struct gaze_rtsp_reply *out)
{
    copy(trim(take_until(&value, ';')), out->session, sizeof out->session);
    while (value.at < value.end) {
        struct span parameter = take_until(&value, ';');
        const struct span name = trim(take_until(&parameter, '='));
        uint32_t timeout_s = 0;
        parameter = trim(parameter);
        if (is_word(name, "timeout") && take_number(&parameter, 86400, &timeout_s) &&
            timeout_s > 0) {
            out->timeout_s = timeout_s;
        }
    }
}

static void read_methods(struct span value, struct gaze_rtsp_reply *out)
{
    while (value.at < value.end) {
        if (is_word(trim(take_until(&value, ',')), "GET_PARAMETER")) {
            out->knows_get_parameter = true;
        }
    }
}

/* False: without it nothing that follows can be read. */
static bool read_header(struct span line, struct gaze_rtsp_reply *out)
{
    const struct span name = trim(take_until(&line, ':'));
    struct span value = trim(line);
    uint32_t number = 0;
    if (is_word(name, "CSeq")) {
        return take_number(&value, UINT32_MAX, &out->cseq);
    }
    if (is_word(name, "Content-Length")) {
        const bool understood = take_number(&value, UINT16_MAX, &number);
        out->body_bytes = number;
        return understood;
    }
    if (is_word(name, "Content-Base")) {
        copy(value, out->base, sizeof out->base);
    } else if (is_word(name, "Transport")) {
        read_transport(value, out);
    } else if (is_word(name, "Session")) {
        read_session(value, out);
    } else if (is_word(name, "Public")) {
        read_methods(value, out);
    }
    return true;
}

/* RTSP/1.0 200 OK, or a request of the server's: ANNOUNCE rtsp://... RTSP/1.0 */
static bool read_first_line(struct span line, struct gaze_rtsp_reply *out)
{
    line = trim(line);
    if (begins_with(line, "RTSP/")) {
        (void)take_until(&line, ' ');
        return take_number(&line, 999, &out->status) && out->status >= 100;
    }
    return line.at < line.end && *line.at >= 'A' && *line.at <= 'Z' &&
           span_bytes(line) > sizeof "RTSP/1.0" &&
           begins_with((struct span){line.end - (sizeof "RTSP/1.0" - 1), line.end}, "RTSP/1.0");
}

/* Finds where the empty line after the headers ends; NULL: it is not there yet. */
static const char *end_of_headers(const char *bytes, size_t count)
{
    const char *found = memmem(bytes, count, "\r\n\r\n", 4);
    return found ? found + 4 : NULL;
}

static enum gaze_rtsp_kind read_reply(const char *bytes, size_t count, size_t limit,
                                      struct gaze_rtsp_message *out)
{
    struct gaze_rtsp_reply *reply = &out->reply;
    const char *end = end_of_headers(bytes, count);
    struct span rest = {.at = bytes, .end = end ? end : bytes + count};
    if (!end) {
        const bool ended = memchr(bytes, '\n', count) != NULL;
        const bool is_one = !ended || read_first_line(take_until(&rest, '\n'), reply);
        return is_one && count < limit ? GAZE_RTSP_NOTHING : GAZE_RTSP_GARBAGE;
    }
    bool understood = read_first_line(take_until(&rest, '\n'), reply);
    while (rest.at < rest.end && understood) {
        understood = read_header(take_until(&rest, '\n'), reply);
    }
    out->bytes = (size_t)(end - bytes) + reply->body_bytes;
    if (!understood || out->bytes > limit) {
        return GAZE_RTSP_GARBAGE;
    }
    reply->body = end;
    return out->bytes <= count ? GAZE_RTSP_REPLY : GAZE_RTSP_NOTHING;
}

static uint32_t big_endian(const uint8_t *bytes, size_t count)
{
    uint32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/* $, the channel, two bytes of length, a packet. */
static enum gaze_rtsp_kind read_packet(const uint8_t *bytes, size_t count, size_t limit,
                                       struct gaze_rtsp_message *out)
{
    if (count < 4) {
        return GAZE_RTSP_NOTHING;
    }
    out->channel = bytes[1];
    out->packet = bytes + 4;
    out->packet_bytes = big_endian(bytes + 2, 2);
    out->bytes = 4 + out->packet_bytes;
    if (out->bytes > limit) {
        return GAZE_RTSP_GARBAGE;
    }
    return out->bytes <= count ? GAZE_RTSP_PACKET : GAZE_RTSP_NOTHING;
}

enum gaze_rtsp_kind gaze_rtsp_next(const char *bytes, size_t count, size_t limit,
                                   struct gaze_rtsp_message *out)
{
    *out = (struct gaze_rtsp_message){.reply.timeout_s = GAZE_RTSP_TIMEOUT_S};
    if (count == 0) {
        return GAZE_RTSP_NOTHING;
    }
    return bytes[0] == '$' ? read_packet((const uint8_t *)bytes, count, limit, out)
                           : read_reply(bytes, count, limit, out);
}

/* ---- Descriptions */

/* a=rtpmap:96 com.pupillabs.gaze1/90000 */
static bool read_rtpmap(struct span value, const char *encoding, struct gaze_rtsp_media *out)
{
    uint32_t type = 0;
    value = trim(value);
    if (!take_number(&value, 127, &type)) {
        return false;
    }
    value = trim(value);
    const struct span name = take_until(&value, '/');
    out->payload_type = (uint8_t)type;
    return is_word(name, encoding) && take_number(&value, UINT32_MAX, &out->clock_hz) &&
           out->clock_hz > 0;
}

bool gaze_rtsp_find_media(const char *sdp, size_t bytes, const char *encoding,
                          struct gaze_rtsp_media *out)
{
    struct span rest = {.at = sdp, .end = sdp + bytes};
    bool in_media = false;
    bool found = false;
    *out = (struct gaze_rtsp_media){0};
    while (rest.at < rest.end) {
        struct span line = trim(take_until(&rest, '\n'));
        if (begins_with(line, "m=")) {
            if (found) {
                break;
            }
            in_media = true;
            out->control[0] = '\0';
        } else if (begins_with(line, "a=control:")) {
            line.at += sizeof "a=control:" - 1;
            copy(trim(line), in_media ? out->control : out->session_control, sizeof out->control);
        } else if (begins_with(line, "a=rtpmap:") && in_media && !found) {
            line.at += sizeof "a=rtpmap:" - 1;
            found = read_rtpmap(line, encoding, out);
        }
    }
    return found;
}

/* Appended to what there is, as clients do, rather than resolved as RFC 3986 would: what it is
 * relative to may end in a query. */
bool gaze_rtsp_url(const char *base, const char *control, char out[GAZE_RTSP_URL_BYTES])
{
    const bool nothing = control[0] == '\0' || strcmp(control, "*") == 0;
    const bool whole = strncasecmp(control, "rtsp://", 7) == 0;
    const size_t base_bytes = strlen(base);
    const bool has_slash = control[0] == '/' || (base_bytes > 0 && base[base_bytes - 1] == '/');
    const int bytes = snprintf(out, GAZE_RTSP_URL_BYTES, "%s%s%s", whole ? "" : base,
                               nothing || whole || has_slash ? "" : "/", nothing ? "" : control);
    return bytes >= 0 && bytes < GAZE_RTSP_URL_BYTES;
}

/* ---- Packets and reports */

#define RTP_HEAD_BYTES 12

const char *gaze_rtp_parse(const uint8_t *bytes, size_t count, struct gaze_rtp_packet *out)
{
    if (count < RTP_HEAD_BYTES || bytes[0] >> 6 != 2) {
        return "it is not a packet of RTP";
    }
    size_t head = RTP_HEAD_BYTES + 4 * (bytes[0] & 0x0fu);
    if ((bytes[0] & 0x10) != 0) { /* an extension, whose length is in it */
        head += 4;
        head += head <= count ? 4 * (size_t)big_endian(bytes + head - 2, 2) : 0;
    }
    const size_t padding = bytes[0] & 0x20 ? bytes[count - 1] : 0;
    if (head + padding > count) {
        return "a packet of RTP is cut off";
    }
    *out = (struct gaze_rtp_packet){
        .payload_type = bytes[1] & 0x7f,
        .sequence = (uint16_t)big_endian(bytes + 2, 2),
        .time = big_endian(bytes + 4, 4),
        .source = big_endian(bytes + 8, 4),
        .payload = bytes + head,
        .payload_bytes = count - head - padding,
    };
    return NULL;
}

#define RTCP_SENDER_REPORT 200
#define RTCP_BYE 203
#define SECONDS_1900_TO_1970 INT64_C(2208988800)
#define NS_PER_S INT64_C(1000000000)

static int64_t unix_ns_of(uint32_t ntp_s, uint32_t ntp_fraction)
{
    return ((int64_t)ntp_s - SECONDS_1900_TO_1970) * NS_PER_S +
           (int64_t)(((uint64_t)ntp_fraction * (uint64_t)NS_PER_S) >> 32);
}

static void read_report(const uint8_t *bytes, struct gaze_rtcp_report *out)
{
    out->is_sent = true;
    out->source = big_endian(bytes + 4, 4);
    out->unix_ns = unix_ns_of(big_endian(bytes + 8, 4), big_endian(bytes + 12, 4));
    out->time = big_endian(bytes + 16, 4);
}

const char *gaze_rtcp_parse(const uint8_t *bytes, size_t count, struct gaze_rtcp_report *out)
{
    *out = (struct gaze_rtcp_report){0};
    if (count < 4) {
        return "it is not a report of RTCP";
    }
    while (count > 0) {
        if (count < 4 || bytes[0] >> 6 != 2) {
            return "it is not a report of RTCP";
        }
        const size_t part_bytes = 4 + 4 * (size_t)big_endian(bytes + 2, 2);
        if (part_bytes > count) {
            return "a report of RTCP is cut off";
        }
        if (bytes[1] == RTCP_SENDER_REPORT && part_bytes >= 28) {
            read_report(bytes, out);
        }
        out->is_over = out->is_over || bytes[1] == RTCP_BYE;
        bytes += part_bytes;
        count -= part_bytes;
    }
    return NULL;
}
