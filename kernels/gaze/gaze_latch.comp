#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One thread, first in a frame's commands, reads the block that the gaze thread keeps up to date, and leaves the
 * gaze for everything that follows in the frame, so that all of it sees the same. Bound by one or two round trips
 * to the host's memory. */

#extension GL_GOOGLE_include_directive : require
#include "late.h"

layout(local_size_x = 1) in;

layout(push_constant) uniform Constants { late_own own; };
layout(set = 0, binding = 2, std430) coherent volatile readonly buffer Block { uint block[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Latched { uint latched[]; };
/* The same again, where the host can read it. */
layout(set = 0, binding = 4, std430) writeonly buffer Report { uint report[]; };

void leave(int word, uint value)
{
    latched[word] = value;
    report[word] = value;
}

void main()
{
    uint words[LATE_WORDS];
    bool whole = false;
    for (int i = 0; i < LATE_TRIES && !whole; i++) {
        words[LATE_SEQUENCE] = block[LATE_SEQUENCE];
        memoryBarrierBuffer();
        for (int word = LATE_SEQUENCE + 1; word < LATE_WORDS; word++) {
            words[word] = block[word];
        }
        memoryBarrierBuffer();
        whole = block[LATE_SEQUENCE] == words[LATE_SEQUENCE] &&
                late_is_whole(words);
    }
    bool taken = whole && late_is_for(words, own);
    leave(LATCHED_GAZE_X, taken ? words[LATE_GAZE_X] : uint(own.gaze_x_q8));
    leave(LATCHED_GAZE_Y, taken ? words[LATE_GAZE_Y] : uint(own.gaze_y_q8));
    leave(LATCHED_T_LOW, taken ? words[LATE_T_LOW] : own.t_low);
    leave(LATCHED_T_HIGH, taken ? words[LATE_T_HIGH] : own.t_high);
    leave(LATCHED_CLOCK_LOW, 0u); /* the queue's timestamps tell when */
    leave(LATCHED_CLOCK_HIGH, 0u);
    leave(LATCHED_TAKEN, taken ? 1u : 0u);
}
