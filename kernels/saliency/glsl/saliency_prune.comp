#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Leaves out candidates that overlap a stronger one that stays. A candidate stays when every stronger one that it
 * overlaps has been left out. What a thread sees of others' states may be old: then it is decided later. Some rounds of
 * many workgroups decide nearly all; one workgroup goes through the rest in order, and writes the list.
 *
 * Workgroup: 256 threads: 32 for each of eight candidates. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int LAST = 0; /* 1: the last round, of one workgroup */
const int EACH = 32;
const int AT_ONCE = 4; /* that a thread asks for before it looks at the first */
const int THREADS = BLOCK * EACH;
const int OVERLAPS = 1024; /* SALIENCY_GLSL_OVERLAPS */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 7) writeonly buffer List {
    uint list_count;
    uint list_unused[3];
    vec4 list[];
};

const uint OPEN = 0u;
const uint STAYS = 1u;
const uint GONE = 2u;

shared uint seen[BLOCK]; /* bits: it overlaps one that stays; one that is open */
shared int open;
shared int kept[THREADS];

vec4 blob_at(int number)
{
    int at = sorted + BLOB_INTS * number;
    return vec4(uintBitsToFloat(work[at]), uintBitsToFloat(work[at + 1]), uintBitsToFloat(work[at + 2]),
                uintBitsToFloat(work[at + 3]));
}

uint state_of(int number)
{
    return atomicOr(work[states + number], 0u);
}

/* The table has how far from each other's centres two discs have the part in common, by the ratio of their radii: in
 * radii of the smaller one from the edge of the larger. */
bool overlap_more(vec4 a, vec4 b)
{
    float large = sqrt(2.0) * max(a.z, b.z);
    float small = sqrt(2.0) * min(a.z, b.z);
    vec2 away = a.xy - b.xy;
    float square = dot(away, away);
    if (square >= (large + small) * (large + small)) {
        return false;
    }
    float place = small / large * float(OVERLAPS);
    int at = min(int(place), OVERLAPS - 1);
    float reach = large + small * mix(intBitsToFloat(table[overlaps + at]), intBitsToFloat(table[overlaps + at + 1]),
                                      place - float(at));
    return reach > 0.0 && square < reach * reach;
}

/* Decides the open ones of eight; all threads. */
void decide(int first, int count, int thread)
{
    int number = first + thread / EACH;
    bool is = number < count && state_of(min(number, count - 1)) == OPEN;
    if (thread < BLOCK) {
        seen[thread] = 0u;
    }
    barrier();
    if (is) {
        vec4 own = blob_at(number);
        uint found = 0u;
        for (int i = thread % EACH; i < number; i += AT_ONCE * EACH) {
            uint others[AT_ONCE];
            vec4 blobs[AT_ONCE];
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                int other = i + n * EACH;
                others[n] = other < number ? state_of(other) : GONE;
                blobs[n] = blob_at(min(other, number - 1));
            }
            [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
                if (others[n] != GONE && overlap_more(own, blobs[n])) {
                    found |= others[n] == STAYS ? 1u : 2u;
                }
            }
        }
        atomicOr(seen[thread / EACH], found);
    }
    barrier();
    if (is && thread % EACH == 0 && seen[thread / EACH] != 2u) {
        atomicExchange(work[states + number], seen[thread / EACH] == 0u ? STAYS : GONE);
    }
    memoryBarrierBuffer();
    barrier();
}

/* Returns the first from `first` on that is open; count: none is. */
int next_open(int first, int count, int thread)
{
    for (; first < count; first += THREADS) {
        barrier();
        if (thread == 0) {
            open = count;
        }
        barrier();
        int own = first + thread;
        if (own < count && state_of(own) == OPEN) {
            atomicMin(open, own);
        }
        barrier();
        if (open < count) {
            return open;
        }
    }
    return count;
}

/* Each time the first that is open is decided, and maybe others behind it. */
void decide_open(int count, int thread)
{
    for (int first = next_open(0, count, thread); first < count; first = next_open(first, count, thread)) {
        decide(first, count, thread);
    }
}

void write_list(int count, int thread)
{
    int each = (count + THREADS - 1) / THREADS;
    int first = min(thread * each, count);
    int end = min(first + each, count);
    int own = 0;
    for (int i = first; i < end; i++) {
        own += state_of(i) == STAYS ? 1 : 0;
    }
    kept[thread] = own;
    barrier();
    int before = 0;
    for (int i = 0; i < thread; i++) {
        before += kept[i];
    }
    for (int i = first; i < end && before < blob_max; i++) {
        if (state_of(i) == STAYS) {
            list[before++] = blob_at(i);
        }
    }
    if (thread == THREADS - 1) {
        list_count = uint(min(before, blob_max));
        list_unused = uint[3](0u, 0u, 0u);
    }
}

void main()
{
    int thread = int(gl_LocalInvocationID.x);
    int count = min(min(int(work[counts]), candidate_capacity), candidate_most);
    if (LAST == 0) {
        for (int first = int(gl_WorkGroupID.x) * BLOCK; first < count; first += int(gl_NumWorkGroups.x) * BLOCK) {
            decide(first, count, thread);
        }
        return;
    }
    decide_open(count, thread);
    write_list(count, thread);
}
