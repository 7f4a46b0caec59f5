#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Leaves out candidates that overlap a stronger one that stays. A candidate stays when every stronger one that it
 * overlaps has been left out. One pass of many workgroups lists for each candidate the stronger ones that it overlaps, up
 * to 16, and how many there are. Then one workgroup decides those whose lists are decided, again and again, and writes the
 * list of blobs. A candidate with more than 16, of which all that are listed have been left out, is looked for among all.
 *
 * Workgroup: 256 threads: 32 for each of eight candidates. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int LAST = 0; /* 1: the second pass, of one workgroup */
const int EACH = 32;
const int AT_ONCE = 4; /* that a thread asks for before it looks at the first */
const int THREADS = BLOCK * EACH;
const int OVERLAPS = 1024; /* SALIENCY_GLSL_OVERLAPS */
const uint NEAR = 16; /* SALIENCY_GLSL_NEAR */
const int AT_A_TIME = 8192; /* candidates that the second pass decides before it goes on */

layout(local_size_x = THREADS) in;

layout(std430, set = 0, binding = 7) writeonly buffer List {
    uint list_count;
    uint list_unused[3];
    vec4 list[];
};

const uint OPEN = 0u;
const uint STAYS = 1u;
const uint GONE = 2u;
const uint WAITS = 2u; /* of what is found: one that is open */

shared uint seen[BLOCK]; /* bits: it overlaps one that stays; one that is open. First pass: how many it overlaps */
shared uint decided[AT_A_TIME / 16]; /* states of those from `first_at_once` on, two bits each */
shared int first_at_once;
shared bool has_changed;
shared int open;
shared int kept[THREADS];

vec4 blob_at(int number)
{
    int at = sorted + BLOB_INTS * number;
    return vec4(uintBitsToFloat(work[at]), uintBitsToFloat(work[at + 1]), uintBitsToFloat(work[at + 2]),
                uintBitsToFloat(work[at + 3]));
}

/* An atomic sees what other threads of the workgroup have kept. */
uint kept_state_of(int number)
{
    return atomicOr(work[states + number], 0u);
}

/* The state of one that is decided at once with others, or has been before. */
uint state_of(int number)
{
    int at = number - first_at_once;
    return at < 0 ? kept_state_of(number) : decided[at / 16] >> 2 * (at % 16) & 3u;
}

void decide_one(int number, uint state)
{
    int at = number - first_at_once;
    atomicOr(decided[at / 16], state << 2 * (at % 16));
    has_changed = true;
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

/* ---- First pass */

/* Lists what each of eight overlaps; all threads. Those before come first, roughly. */
void list_overlaps(int first, int count, int thread)
{
    int number = first + thread / EACH;
    barrier();
    if (thread < BLOCK) {
        seen[thread] = 0u;
    }
    barrier();
    vec4 own = blob_at(min(number, count - 1));
    for (int i = thread % EACH; i < number && number < count; i += AT_ONCE * EACH) {
        vec4 blobs[AT_ONCE];
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            blobs[n] = blob_at(min(i + n * EACH, number - 1));
        }
        [[unroll]] for (int n = 0; n < AT_ONCE; n++) {
            if (i + n * EACH < number && overlap_more(own, blobs[n])) {
                uint place = atomicAdd(seen[thread / EACH], 1u);
                if (place < NEAR) {
                    work[near + number * int(NEAR) + int(place)] = uint(i + n * EACH);
                }
            }
        }
    }
    barrier();
    if (thread % EACH == 0 && number < count) {
        work[states + number] = seen[thread / EACH];
    }
}

/* ---- Second pass. Until a candidate is decided its state is how many it overlaps. */

/* Decides an open one if those of its list are decided. */
void decide_by_list(int number)
{
    uint count = work[states + number];
    uint found = 0u;
    for (uint i = 0; i < min(count, NEAR) && (found & STAYS) == 0u; i++) {
        uint state = state_of(int(work[near + number * int(NEAR) + int(i)]));
        found |= state == OPEN ? WAITS : state & STAYS;
    }
    if ((found & STAYS) != 0u) {
        decide_one(number, GONE);
    } else if (found == 0u && count <= NEAR) {
        decide_one(number, STAYS);
    }
}

void decide_by_lists(int first, int end, int thread)
{
    do {
        barrier();
        if (thread == 0) {
            has_changed = false;
        }
        barrier();
        for (int i = first + thread; i < end; i += THREADS) {
            if (state_of(i) == OPEN) {
                decide_by_list(i);
            }
        }
        barrier();
    } while (has_changed);
}

/* Decides the open ones of eight by all others; all threads. */
void decide_by_all(int first, int end, int thread)
{
    int number = first + thread / EACH;
    bool is = number < end && state_of(min(number, end - 1)) == OPEN;
    barrier();
    if (thread < BLOCK) {
        seen[thread] = 0u;
    }
    barrier();
    if (is) {
        vec4 own = blob_at(number);
        uint found = 0u;
        for (int i = thread % EACH; i < number; i += EACH) {
            uint other = state_of(i);
            if (other != GONE && overlap_more(own, blob_at(i))) {
                found |= other == OPEN ? WAITS : STAYS;
            }
        }
        atomicOr(seen[thread / EACH], found);
    }
    barrier();
    if (is && thread % EACH == 0 && seen[thread / EACH] != WAITS) {
        decide_one(number, seen[thread / EACH] == 0u ? STAYS : GONE);
    }
    barrier();
}

/* Returns the first from `first` on that is open; end: none is. */
int next_open(int first, int end, int thread)
{
    for (; first < end; first += THREADS) {
        barrier();
        if (thread == 0) {
            open = end;
        }
        barrier();
        int own = first + thread;
        if (own < end && state_of(own) == OPEN) {
            atomicMin(open, own);
        }
        barrier();
        if (open < end) {
            return open;
        }
    }
    return end;
}

/* Those before are decided. */
void decide_at_once(int first, int end, int thread)
{
    barrier();
    for (int i = thread; i < AT_A_TIME / 16; i += THREADS) {
        decided[i] = 0u;
    }
    first_at_once = first;
    decide_by_lists(first, end, thread);
    for (int next = next_open(first, end, thread); next < end; next = next_open(next, end, thread)) {
        decide_by_all(next, end, thread);
        decide_by_lists(next, end, thread);
    }
    for (int i = first + thread; i < end; i += THREADS) {
        atomicExchange(work[states + i], state_of(i));
    }
    memoryBarrierBuffer();
    barrier();
}

void write_list(int count, int thread)
{
    int each = (count + THREADS - 1) / THREADS;
    int first = min(thread * each, count);
    int end = min(first + each, count);
    int own = 0;
    for (int i = first; i < end; i++) {
        own += kept_state_of(i) == STAYS ? 1 : 0;
    }
    kept[thread] = own;
    barrier();
    int before = 0;
    for (int i = 0; i < thread; i++) {
        before += kept[i];
    }
    for (int i = first; i < end && before < blob_max; i++) {
        if (kept_state_of(i) == STAYS) {
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
            list_overlaps(first, count, thread);
        }
        return;
    }
    for (int first = 0; first < count; first += AT_A_TIME) {
        decide_at_once(first, min(first + AT_A_TIME, count), thread);
    }
    write_list(count, thread);
    if (thread < 3 * BINS / 32) { /* for the next picture, whose first pass adds bits of many workgroups */
        work[counts + 1 + thread] = 0u;
    }
}
