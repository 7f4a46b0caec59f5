#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Candidates in their order: each goes to the place of as many as come before it. A workgroup has eight of them at
 * once, each with 32 threads that go through all; some thousands of candidates are less than the way of one dispatch.
 *
 * Workgroup: 256 threads. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

const int EACH = 32;

layout(local_size_x = BLOCK * EACH) in;

shared uint ranks[BLOCK];

struct key {
    float strength;
    uint scale, place;
};

key key_of(int number)
{
    int at = candidates + CANDIDATE_INTS * number;
    return key(uintBitsToFloat(work[at + 3]), work[at + 4], work[at + 5]);
}

bool is_before(key a, key b)
{
    if (a.strength != b.strength) {
        return a.strength > b.strength;
    }
    return a.scale != b.scale ? a.scale < b.scale : a.place < b.place;
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int own = thread / EACH;
    int count = min(int(work[counts]), candidate_capacity);
    for (int first = int(gl_WorkGroupID.x) * BLOCK; first < count; first += int(gl_NumWorkGroups.x) * BLOCK) {
        int number = first + own;
        bool is = number < count;
        if (thread < BLOCK) {
            ranks[thread] = 0u;
        }
        barrier();
        key its = key_of(is ? number : first);
        uint before = 0u;
        for (int i = thread % EACH; i < count; i += EACH) {
            before += is_before(key_of(i), its) ? 1u : 0u;
        }
        atomicAdd(ranks[own], before);
        barrier();
        int rank = int(ranks[own]);
        if (is && rank < candidate_most && thread % EACH < BLOB_INTS) {
            int i = thread % EACH;
            work[sorted + BLOB_INTS * rank + i] = work[candidates + CANDIDATE_INTS * number + i];
            work[states + rank] = 0u;
        }
        barrier();
    }
}
