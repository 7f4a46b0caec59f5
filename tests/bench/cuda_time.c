/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A measurement is a row of rounds, an event between each two. A round is as many pictures as a
 * graph holds, enough that launching the graph and recording the event vanish in it. Rounds follow
 * each other without a pause, so that clocks stay up. */

#include "cuda_bench.h"

#define ROUNDS 40
#define ROUNDS_DOMAIN 9 /* many points rather than sharp ones */
#define ROUNDS_LENS 15 /* many ways */
#define ROUNDS_PAPER 7 /* hundreds of ways */
#define ROUNDS_QUICK 5
#define ROUNDS_LONG_LEAST 2
#define WARM_UP_ROUNDS 3
#define PICTURES_AT_MOST 64
#define ROUND_US 20000.0
#define ROUND_THESIS_US 5000.0 /* so that a size of two hundred ways takes half a minute */
#define SLOW_US 100000.0
/* Some of the theses' ways take milliseconds a picture. A way that takes longer than the first has
 * rounds of one picture, for as long as the second. */
#define LONG_US 1000.0
#define LONG_WAY_US 100000.0

struct round {
    CUgraphExec graph; /* NULL: separate launches */
    cuda_enqueue_fn enqueue;
    void *user;
    uint32_t pictures;
};

/* Work before the capture is over, because nothing in it waits for that. */
static CUgraph capture_all(struct cuda_bench *b, const struct round *round)
{
    CUgraph graph = NULL;
    bool enqueued = true;
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    if (b->cu->StreamBeginCapture(b->stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS) {
        return NULL;
    }
    b->device->capturing = true;
    for (uint32_t i = 0; enqueued && i < round->pictures; i++) {
        enqueued = round->enqueue(b, round->user, i % BENCH_PICTURES) == FOVEA_OK;
    }
    b->device->capturing = false;
    const bool ended = b->cu->StreamEndCapture(b->stream, &graph) == CUDA_SUCCESS;
    if (graph && !(enqueued && ended)) {
        CUDA_MUST(b, b->cu->GraphDestroy(graph));
        graph = NULL;
    }
    return graph;
}

/* NULL, and nothing enqueued, where it cannot be captured. */
static CUgraphExec capture(struct cuda_bench *b, const struct round *round)
{
    CUgraphExec exec = NULL;
    CUgraph graph = capture_all(b, round);
    if (!graph) {
        return NULL;
    }
    if (b->cu->GraphInstantiateWithFlags(&exec, graph, 0) != CUDA_SUCCESS) {
        exec = NULL;
    }
    CUDA_MUST(b, b->cu->GraphDestroy(graph));
    return exec;
}

static void play(struct cuda_bench *b, const struct round *round)
{
    if (round->graph) {
        CUDA_MUST(b, b->cu->GraphLaunch(round->graph, b->stream));
        return;
    }
    for (uint32_t i = 0; i < round->pictures; i++) {
        bench_must(round->enqueue(b, round->user, i % BENCH_PICTURES), "launch");
    }
}

/* us of each round for a picture. */
static void play_all(struct cuda_bench *b, const struct round *round, uint32_t count, double *us)
{
    CUevent events[ROUNDS + 1];
    for (uint32_t i = 0; i <= count; i++) {
        CUDA_MUST(b, b->cu->EventCreate(&events[i], CU_EVENT_DEFAULT));
    }
    CUDA_MUST(b, b->cu->EventRecord(events[0], b->stream));
    for (uint32_t i = 0; i < count; i++) {
        play(b, round);
        CUDA_MUST(b, b->cu->EventRecord(events[i + 1], b->stream));
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    for (uint32_t i = 0; i < count; i++) {
        float ms = 0.0f;
        CUDA_MUST(b, b->cu->EventElapsedTime(&ms, events[i], events[i + 1]));
        us[i] = (double)ms * 1e3 / round->pictures;
    }
    for (uint32_t i = 0; i <= count; i++) {
        CUDA_MUST(b, b->cu->EventDestroy(events[i]));
    }
}

/* All pictures, as often as fit into ROUND_US. *out_us: what one takes. */
static uint32_t pictures_of_a_round(struct cuda_bench *b, const struct round *once, double *out_us)
{
    double us[2];
    play_all(b, once, 2, us);
    *out_us = us[1];
    uint32_t pictures = BENCH_PICTURES;
    const uint32_t most = b->bench->wishes.quick ? 2 * BENCH_PICTURES : PICTURES_AT_MOST;
    const double round_us = b->bench->wishes.blur_thesis ? ROUND_THESIS_US : ROUND_US;
    while (2 * pictures <= most && 2.0 * pictures * us[1] < round_us) {
        pictures *= 2;
    }
    return pictures;
}

/* A paper's slow ways take few rounds: they are sharp enough. */
static uint32_t rounds_of(const struct wishes *wishes, double round_us)
{
    const uint32_t most = wishes->quick               ? ROUNDS_QUICK
                          : wishes->domain_points > 0 ? ROUNDS_DOMAIN
                          : wishes->lens_paper        ? ROUNDS_LENS
                          : wishes_paper(wishes)      ? ROUNDS_PAPER
                                                      : ROUNDS;
    return wishes_paper(wishes) && round_us > SLOW_US ? ROUNDS_QUICK : most;
}

/* Whether a picture takes long: then these are its times. */
static bool time_long(struct cuda_bench *b, struct round round, struct bench_times *out)
{
    double us[ROUNDS_PAPER];
    const struct wishes *wishes = &b->bench->wishes;
    if (!(wishes->csdd_thesis || wishes->blur_thesis) || wishes->quick) {
        return false;
    }
    round.pictures = 1;
    play_all(b, &round, 1, us);
    if (us[0] < LONG_US) {
        return false;
    }
    uint32_t count = ROUNDS_LONG_LEAST;
    while (count < ROUNDS_PAPER && (count + 1) * us[0] <= LONG_WAY_US) {
        count++;
    }
    play_all(b, &round, count, us);
    *out = bench_times_of(us, count);
    return true;
}

struct bench_times cuda_time(struct cuda_bench *b, cuda_enqueue_fn enqueue, void *user,
                             const char **out_way)
{
    struct round round = {.enqueue = enqueue, .user = user, .pictures = BENCH_PICTURES};
    struct bench_times long_times;
    double us[ROUNDS];
    double once_us = 0.0;
    *out_way = "launches";
    if (time_long(b, round, &long_times)) {
        return long_times;
    }
    round.pictures = pictures_of_a_round(b, &round, &once_us);
    const uint32_t rounds = rounds_of(&b->bench->wishes, once_us * round.pictures);
    if (!b->bench->wishes.launches) {
        round.graph = capture(b, &round);
    }
    for (uint32_t i = 0; i < WARM_UP_ROUNDS; i++) {
        play(b, &round);
    }
    play_all(b, &round, rounds, us);
    if (round.graph) {
        CUDA_MUST(b, b->cu->GraphExecDestroy(round.graph));
    }
    *out_way = round.graph ? "graph" : "launches";
    return bench_times_of(us, rounds);
}
