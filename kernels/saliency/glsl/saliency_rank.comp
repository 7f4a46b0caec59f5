#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Candidates in their order: a merge sort of their numbers. The first pass sorts runs of 1,024: a workgroup counts for 32
 * of a run how many of it come before each. Each pass after it makes one run of sixteen, where a candidate's place is how
 * many of the other fifteen come before it, whatever is equal. The pass that has all in one run writes blobs; those after
 * it have nothing to do.
 *
 * Workgroup: 256 threads, 12 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int SORTS = 0; /* 1: the first pass */
const int THREADS = 256;
const int PART = 32; /* of a run, that a workgroup finds the places of */
const int EACH = THREADS / PART; /* threads of a candidate */
const int RUN = 1024; /* SALIENCY_GLSL_RUN */
const int PARTS = RUN / PART;
const int RUNS = 16; /* SALIENCY_GLSL_RUNS */

layout(local_size_x = THREADS) in;

struct key {
    float strength;
    uint scale, place;
};

shared key keys[RUN];
shared int before[PART];

key key_of(uint number)
{
    int at = candidates + CANDIDATE_INTS * int(number);
    return key(uintBitsToFloat(work[at + 3]), work[at + 4], work[at + 5]);
}

bool is_before(key a, key b)
{
    if (a.strength != b.strength) {
        return a.strength > b.strength;
    }
    return a.scale != b.scale ? a.scale < b.scale : a.place < b.place;
}

void put_blob(int rank, uint number)
{
    if (rank < candidate_most) {
        for (int i = 0; i < BLOB_INTS; i++) {
            work[sorted + BLOB_INTS * rank + i] = work[candidates + CANDIDATE_INTS * int(number) + i];
        }
    }
}

/* ---- The first pass */

void sort_part(int first, int part, int count, int thread)
{
    int length = min(count - first, RUN);
    int own = part * PART + thread / EACH;
    barrier();
    for (int i = thread; i < length; i += THREADS) {
        keys[i] = key_of(uint(first + i));
    }
    if (thread < PART) {
        before[thread] = 0;
    }
    barrier();
    int found = 0;
    for (int i = thread % EACH; i < length && own < length; i += EACH) {
        found += is_before(keys[i], keys[own]) ? 1 : 0;
    }
    atomicAdd(before[thread / EACH], found);
    barrier();
    if (thread < PART && part * PART + thread < length) {
        uint number = uint(first + part * PART + thread);
        if (count <= RUN) {
            put_blob(before[thread], number);
        } else {
            work[orders + first + before[thread]] = number;
        }
    }
}

/* ---- The others */

int count_before(key its, int run, int length)
{
    int low = 0;
    int end = length;
    while (low < end) {
        int middle = (low + end) / 2;
        bool is = is_before(key_of(work[run + middle]), its);
        low = is ? middle + 1 : low;
        end = is ? end : middle;
    }
    return low;
}

/* Runs of 1,024 16^slot become one of sixteen times as many; `from` and `to` take turns. */
void merge(int count)
{
    int run = RUN << 4 * slot;
    int from = orders + slot % 2 * candidate_capacity;
    int to = orders + (slot + 1) % 2 * candidate_capacity;
    if (count <= run) {
        return;
    }
    for (int i = int(gl_GlobalInvocationID.x); i < count; i += int(gl_NumWorkGroups.x) * THREADS) {
        int own = i / run;
        int first = own / RUNS * RUNS;
        uint number = work[from + i];
        key its = key_of(number);
        int rank = first * run + i % run;
        for (int other = first; other < first + RUNS && other * run < count; other++) {
            if (other != own) {
                rank += count_before(its, from + other * run, min(run, count - other * run));
            }
        }
        if (count <= RUNS * run) {
            put_blob(rank, number);
        } else {
            work[to + rank] = number;
        }
    }
}

void main()
{
    int count = min(int(work[counts]), candidate_capacity);
    if (SORTS == 0) {
        merge(count);
        return;
    }
    for (int group = int(gl_WorkGroupID.x); group * PART < count; group += int(gl_NumWorkGroups.x)) {
        sort_part(group / PARTS * RUN, group % PARTS, count, int(gl_LocalInvocationID.x));
    }
}
