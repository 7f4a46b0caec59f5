/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This makes our times of those of RTP packets, in two steps. Sender reports say what they are on
 * the phone's clock; its time echo says how far that is from ours (a TCP server: 8 bytes of our
 * milliseconds are answered with them and 8 bytes of its own, big-endian). Where one of the two is
 * missing, the quickest packets of the last seconds say it (gaze_clock.h). */
#pragma once

#include "gaze_address.h"
#include "plugin/gaze/gaze_clock.h"

#include <stddef.h>

/* Zeroed but for echo, which is -1: nothing is known. One thread's. */
struct gaze_neon_time {
    uint32_t clock_hz; /* of the packets */
    bool has_first; /* a packet or report */
    uint32_t at; /* times count from here, as they go round every 13 hours at 90 kHz */
    int64_t at_ns; /* it is on the clock of the sender */
    bool is_unix; /* at_ns is of a report: since 1970 */
    struct gaze_clock clock;
    int64_t last_ns;

    int echo; /* the connection; -1: none */
    bool is_asked; /* and has not answered */
    int64_t asked_ns;
    int64_t ask_ns; /* next */
    uint8_t answer[16];
    size_t answer_bytes;
    bool knows_apart;
    int64_t apart_ns; /* our clock less the phone's */
    int64_t quickest_ns;
};

/* A new stream. What the echo has said stays. */
void gaze_neon_time_begin(struct gaze_neon_time *time, uint32_t clock_hz);
void gaze_neon_time_report(struct gaze_neon_time *time, uint32_t at, int64_t unix_ns);
/* When what a packet says was measured, on our clock: not after its arrival, not before the one
 * before. */
int64_t gaze_neon_time_place(struct gaze_neon_time *time, uint32_t at, int64_t arrival_ns);

/* Connects, and asks the echo once a second. Waits for nothing. Port 0: there is none. */
void gaze_neon_time_ask(struct gaze_neon_time *time, const struct gaze_address *address,
                        int64_t now_ns);
/* Its connection has something. */
void gaze_neon_time_read(struct gaze_neon_time *time);
/* An answer: the phone's clock said this at some time between the two. */
void gaze_neon_time_answer(struct gaze_neon_time *time, uint64_t phone_ms, int64_t asked_ns,
                           int64_t answered_ns);
void gaze_neon_time_end(struct gaze_neon_time *time);
