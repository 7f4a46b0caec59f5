#version 450
/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Candidates in their order: a merge sort of their numbers. The first pass sorts runs of 1,024, a workgroup each; each
 * pass after it makes one run of sixteen, where a candidate's place is how many of the other fifteen come before it:
 * n log n comparisons whatever is equal. The pass that has all in one run writes blobs; those after it have nothing to
 * do.
 *
 * Workgroup: 256 threads, 16 KiB. */

#extension GL_GOOGLE_include_directive : require
#include "kernels/saliency/glsl/saliency.glsl"

layout(constant_id = 1) const int SORTS = 0; /* 1: the first pass */
const int THREADS = 256;
const int RUN = 1024; /* SALIENCY_GLSL_RUN */
const int RUNS = 16; /* SALIENCY_GLSL_RUNS */

layout(local_size_x = THREADS) in;

struct key {
    float strength;
    uint scale, place;
};

shared key keys[RUN];
shared uint numbers[RUN];

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
        work[states + rank] = 0u;
    }
}

/* ---- The first pass */

/* Two that are `apart`, within a bitonic sequence of `size`. */
void exchange(int pair, int size, int apart)
{
    int a = 2 * pair - (pair & (apart - 1));
    int b = a + apart;
    if (is_before(keys[b], keys[a]) == ((a & size) == 0)) {
        key its = keys[a];
        uint number = numbers[a];
        keys[a] = keys[b];
        numbers[a] = numbers[b];
        keys[b] = its;
        numbers[b] = number;
    }
}

void sort_run(int first, int count, int thread)
{
    int length = min(count - first, RUN);
    int all = 2 << findMSB(max(length - 1, 1));
    barrier();
    for (int i = thread; i < all; i += THREADS) {
        numbers[i] = uint(first + i);
        keys[i] = i < length ? key_of(numbers[i]) : key(-1.0, 0u, uint(i)); /* after all that are there */
    }
    for (int size = 2; size <= all; size *= 2) {
        for (int apart = size / 2; apart > 0; apart /= 2) {
            barrier();
            for (int pair = thread; pair < all / 2; pair += THREADS) {
                exchange(pair, size, apart);
            }
        }
    }
    barrier();
    for (int i = thread; i < length; i += THREADS) {
        if (count <= RUN) {
            put_blob(i, numbers[i]);
        } else {
            work[orders + first + i] = numbers[i];
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
    for (int first = int(gl_WorkGroupID.x) * RUN; first < count; first += int(gl_NumWorkGroups.x) * RUN) {
        sort_run(first, count, int(gl_LocalInvocationID.x));
    }
}
