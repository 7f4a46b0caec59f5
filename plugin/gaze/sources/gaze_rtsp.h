/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An RTSP server sends replies (RFC 2326), descriptions (SDP, RFC 4566), packets of RTP and reports
 * of RTCP (RFC 3550). Reads bytes and allocates nothing. */
#pragma once

#include "fovea.h"

#define GAZE_RTSP_URL_BYTES 256
/* A server may not mean to be heard from more seldom than this. */
#define GAZE_RTSP_TIMEOUT_S 60

struct gaze_rtsp_reply {
    uint32_t status; /* 200: it went well; 0: this is a request of the server's */
    uint32_t cseq; /* of the request that it answers */
    char session[64]; /* "": not said */
    uint32_t timeout_s; /* of the session; GAZE_RTSP_TIMEOUT_S where it is not said */
    char base[GAZE_RTSP_URL_BYTES]; /* Content-Base; "": not said */
    uint16_t server_ports[2]; /* that RTP and RTCP come from; 0: not said */
    bool has_channels;
    uint8_t channels[2]; /* of RTP and RTCP on this connection */
    bool knows_get_parameter; /* of an answer to OPTIONS */
    const char *body; /* in the bytes that were read */
    size_t body_bytes;
};

enum gaze_rtsp_kind {
    GAZE_RTSP_NOTHING, /* it is not there as a whole yet */
    GAZE_RTSP_REPLY,
    GAZE_RTSP_PACKET,
    GAZE_RTSP_GARBAGE, /* where the next one begins cannot be known */
};

struct gaze_rtsp_message {
    size_t bytes; /* that it took */
    struct gaze_rtsp_reply reply;
    uint8_t channel; /* of a packet */
    const uint8_t *packet;
    size_t packet_bytes;
};

/* Says what a connection's bytes begin with. A message that is longer than `limit` is garbage. */
enum gaze_rtsp_kind gaze_rtsp_next(const char *bytes, size_t count, size_t limit,
                                   struct gaze_rtsp_message *out);

struct gaze_rtsp_media {
    uint8_t payload_type; /* of its packets, 0..127 */
    uint32_t clock_hz; /* of their times; above 0 */
    char session_control[GAZE_RTSP_URL_BYTES];
    char control[GAZE_RTSP_URL_BYTES];
};

/* The first medium of the encoding, in any case of letters. False: there is none. */
bool gaze_rtsp_find_media(const char *sdp, size_t bytes, const char *encoding,
                          struct gaze_rtsp_media *out);
/* Writes what a control attribute names, seen from `base`; both may be "". False: it is too long.
 */
bool gaze_rtsp_url(const char *base, const char *control, char out[GAZE_RTSP_URL_BYTES]);

struct gaze_rtp_packet {
    uint8_t payload_type;
    uint16_t sequence;
    uint32_t time; /* on the medium's clock */
    uint32_t source;
    const uint8_t *payload;
    size_t payload_bytes;
};

/* NULL: understood. Else why not. */
const char *gaze_rtp_parse(const uint8_t *bytes, size_t count, struct gaze_rtp_packet *out);

struct gaze_rtcp_report {
    bool is_sent; /* there is a sender report: `time` is `unix_ns` */
    uint32_t source;
    uint32_t time; /* on the medium's clock */
    int64_t unix_ns; /* on the sender's, since 1970 */
    bool is_over; /* the sender says that it ends */
};

/* Likewise. */
const char *gaze_rtcp_parse(const uint8_t *bytes, size_t count, struct gaze_rtcp_report *out);
