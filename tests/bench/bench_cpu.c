/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The cpu backend through the public API and a copy by the same threads. */

#include "bench.h"
#include "cpu_copy.h"

#include "core/thread_pool.h"
#include "settings_for.h"

#include <stdio.h>

#define REPETITIONS_AT_LEAST 10
#define REPETITIONS_AT_MOST 200
#define ENOUGH_NS 1500000000

struct cpu_state {
    struct bench *bench;
    struct fovea_context *context;
    struct cpu_copy *copy;
    const struct bench_size *size;
    enum fovea_format format;
    struct fovea_image src[BENCH_PICTURES];
    struct fovea_image dst;
    double copy_us;
    uint32_t threads;
};

/* ---- Timing ---------------------------------------------------------------------------------- */

typedef void (*cpu_fn)(struct cpu_state *state, uint32_t picture, struct fovea_point_uv gaze);

static struct bench_times time_it(struct cpu_state *state, cpu_fn fn, struct fovea_point_uv gaze)
{
    double us[REPETITIONS_AT_MOST];
    const bool quick = state->bench->wishes.quick;
    const size_t least = quick ? 3 : REPETITIONS_AT_LEAST;
    const int64_t enough_ns = quick ? 0 : ENOUGH_NS;
    size_t count = 0;
    fn(state, 0, gaze);
    const int64_t begin_ns = fovea_time_ns();
    while (count < least ||
           (count < REPETITIONS_AT_MOST && fovea_time_ns() - begin_ns < enough_ns)) {
        const int64_t before_ns = fovea_time_ns();
        fn(state, (uint32_t)(count + 1) % BENCH_PICTURES, gaze);
        us[count++] = (double)(fovea_time_ns() - before_ns) * 1e-3;
    }
    return bench_times_of(us, count);
}

static void run_fovea(struct cpu_state *state, uint32_t picture, struct fovea_point_uv gaze)
{
    bench_must(fovea_context_run(state->context, &state->src[picture], &state->dst, gaze, NULL),
               "cpu");
}

static void run_copy(struct cpu_state *state, uint32_t picture, struct fovea_point_uv gaze)
{
    cpu_copy_run(state->copy, state->src[picture].data,
                 bench_image_bytes(state->size, state->format));
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void free_pictures(struct cpu_state *state)
{
    for (int i = 0; i < BENCH_PICTURES; i++) {
        free(state->src[i].data);
        state->src[i].data = NULL;
    }
    free(state->dst.data);
    state->dst.data = NULL;
    state->size = NULL;
}

static struct fovea_image make_picture(const struct cpu_state *state)
{
    const size_t bytes = bench_image_bytes(state->size, state->format);
    void *pixels = bench_memory(bytes, 1);
    bench_draw(pixels, bytes, state->format);
    return bench_image(state->size, state->format, FOVEA_MEMORY_CPU, pixels);
}

static struct result *add_row(struct cpu_state *state, const char *what,
                              const struct bench_times *times)
{
    struct result *row = results_add(&state->bench->results);
    row->kind = RESULT_PICTURE;
    row->backend = "cpu";
    row->size = state->size;
    row->what = what;
    row->format = state->format;
    row->way = "clock";
    row->times = *times;
    row->reference_us = state->copy_us;
    return row;
}

/* New ones where size or format change, and the time of a copy of them. */
static void need_pictures(struct cpu_state *state, const struct bench_size *size,
                          enum fovea_format format)
{
    if (state->size == size && state->format == format) {
        return;
    }
    free_pictures(state);
    state->size = size;
    state->format = format;
    for (int i = 0; i < BENCH_PICTURES; i++) {
        state->src[i] = make_picture(state);
    }
    state->dst = make_picture(state);
    const struct bench_times times = time_it(state, run_copy, (struct fovea_point_uv){0.0, 0.0});
    state->copy_us = times.median_us;
    add_row(state, "copy", &times);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void open_context(struct cpu_state *state)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CPU;
    settings.cpu_threads = state->bench->wishes.threads;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.log = bench_log();
    state->threads = settings.cpu_threads ? settings.cpu_threads : thread_pool_core_count();
    bench_must(fovea_context_create(&desc, &state->context), "cpu");
    state->copy = cpu_copy_create(state->threads);
    char text[RESULT_TEXT_BYTES];
    snprintf(text, sizeof text, "%u threads", state->threads);
    results_machine(&state->bench->results, "cpu backend", text);
}

static void run_case(struct cpu_state *state, const struct bench_case *c)
{
    if (!state->context) {
        open_context(state);
    }
    need_pictures(state, c->size, c->mode->format);
    const struct fovea_foveation foveation = bench_foveation(c->mode);
    bench_must(fovea_context_set_settings(state->context, settings_for(&foveation)), c->mode->name);
    const struct bench_times times = time_it(state, run_fovea, bench_gaze_uv(c->gaze, c->size));
    add_row(state, c->mode->name, &times)->gaze = c->gaze->name;
}

static void run_size(struct cpu_state *state, const struct bench_size *size)
{
    for (size_t m = 0; m < bench_mode_count; m++) {
        for (size_t g = 0; g < bench_gaze_count; g++) {
            const struct bench_case c = {size, &bench_modes[m], &bench_gazes[g]};
            char name[RESULT_NAME_BYTES];
            bench_case_name("cpu", &c, name);
            if (bench_case_exists(&c) && c.mode->op == FOVEA_OPERATOR_foveate &&
                bench_wants(state->bench, name)) {
                bench_say("%s", name);
                run_case(state, &c);
            }
        }
    }
}

void bench_cpu(struct bench *bench)
{
    static const char *const names[] = {"720p", "1080p"};
    struct cpu_state state = {.bench = bench};
    size_t count = 0;
    if (bench->wishes.domain_points > 0) {
        domain_cpu(bench);
        return;
    }
    if (bench->wishes.foveation_paper || bench->wishes.blur_thesis ||
        bench->wishes.lightfield_paper) {
        return; /* those ways are kernels of CUDA */
    }
    if (bench->wishes.csdd_thesis) {
        cpu_csdd_thesis(bench);
        return;
    }
    if (bench->wishes.lens_paper) {
        cpu_lens_paper(bench);
        return;
    }
    const struct bench_size *quick = bench_sizes(true, &count);
    for (size_t i = 0; i < (bench->wishes.quick ? count : sizeof names / sizeof names[0]); i++) {
        run_size(&state, bench->wishes.quick ? &quick[i] : bench_size_named(names[i]));
    }
    free_pictures(&state);
    fovea_context_destroy(&state.context);
    cpu_copy_destroy(&state.copy);
}
