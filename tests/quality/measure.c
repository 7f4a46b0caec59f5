/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "measure.h"

#include "memory.h"
#include "say.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct crew {
    struct measurement *m;
    pthread_mutex_t turn; /* of backends, progress and next */
    size_t next;
    size_t done;
    size_t count;
    time_t start;
};

const struct score *measure_score(const struct measurement *m, size_t sample, size_t place,
                                  size_t gaze, size_t backend)
{
    const size_t job = (sample * m->case_count + place) * GAZE_COUNT + gaze;
    return &m->scores[job * BACKENDS_MAX + backend];
}

bool measure_has(const struct measurement *m, size_t quality_case)
{
    bool has = false;
    for (size_t i = 0; i < m->case_count; i++) {
        has = has || m->cases[i] == quality_case;
    }
    return has;
}

static void add_map(struct ssim_map *sum, const struct ssim_map *map)
{
    if (!sum->values) {
        *sum = *map;
        sum->values = memory_make((size_t)map->width * map->height, sizeof *sum->values);
    }
    for (size_t i = 0; i < (size_t)map->width * map->height; i++) {
        sum->values[i] += map->values[i];
    }
}

/* Of the turn. */
static void run_paper(struct measurement *m, const struct sample *sample,
                      struct fovea_point_uv gaze, const struct fovea_image *exact,
                      const struct fovea_image *actual)
{
    const struct fovea_image *src = &sample->image.view;
    if (src->width_px != m->width_px || src->height_px != m->height_px) {
        return;
    }
    const struct fovea_foveation foveation = quality_foveation(&quality_cases[CASE_PAPER_32]);
    for (size_t b = 0; b < m->backend_count; b++) {
        m->backends[b].run(&m->backends[b], &foveation, src, gaze, actual);
        struct ssim_map map = metrics_ssim_map(exact, actual);
        add_map(&m->paper_sum[b], &map);
        free(map.values);
    }
    m->paper_count++;
}

static void do_job(struct crew *crew, size_t job)
{
    struct measurement *m = crew->m;
    const size_t gaze = job % GAZE_COUNT;
    const size_t c = m->cases[job / GAZE_COUNT % m->case_count];
    const struct sample *sample = &m->samples[job / GAZE_COUNT / m->case_count];
    const struct fovea_image *src = &sample->image.view;
    const struct fovea_point_uv point = quality_gazes[gaze].point;
    const struct fovea_foveation foveation = quality_foveation(&quality_cases[c]);
    struct test_image exact = image_make_packed(src->width_px, src->height_px, src->format);
    struct test_image actual[BACKENDS_MAX];
    double *levels = exact_levels(&foveation, src, point);
    pthread_mutex_lock(&crew->turn);
    for (size_t b = 0; b < m->backend_count; b++) {
        actual[b] = image_make_packed(src->width_px, src->height_px, src->format);
        m->backends[b].run(&m->backends[b], &foveation, src, point, &actual[b].view);
    }
    pthread_mutex_unlock(&crew->turn);
    for (size_t b = 0; b < m->backend_count; b++) {
        const size_t ties = exact_round(levels, &actual[b].view, &exact.view);
        struct score *score = &m->scores[job * BACKENDS_MAX + b];
        *score = metrics_score(&exact.view, &actual[b].view);
        score->ties = (double)ties / (3.0 * src->width_px * src->height_px);
    }
    if (c == CASE_PAPER_ENCODED && gaze == 0 && measure_has(m, CASE_PAPER_32)) {
        exact_round(levels, NULL, &exact.view);
        pthread_mutex_lock(&crew->turn);
        run_paper(m, sample, point, &exact.view, &actual[0].view);
        pthread_mutex_unlock(&crew->turn);
    }
    for (size_t b = 0; b < m->backend_count; b++) {
        image_free(&actual[b]);
    }
    image_free(&exact);
    free(levels);
}

static void show_progress(const struct crew *crew)
{
    const long seconds = (long)(time(NULL) - crew->start);
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r  %zu of %zu comparisons, %ld s%s", crew->done, crew->count, seconds,
                crew->done == crew->count ? "\n" : " ");
    } else if (crew->done * 10 / crew->count != (crew->done - 1) * 10 / crew->count) {
        say_note("%zu of %zu comparisons, %ld s", crew->done, crew->count, seconds);
    }
}

static void *work(void *user)
{
    struct crew *crew = user;
    pthread_mutex_lock(&crew->turn);
    while (crew->next < crew->count) {
        const size_t job = crew->next++;
        pthread_mutex_unlock(&crew->turn);
        do_job(crew, job);
        pthread_mutex_lock(&crew->turn);
        crew->done++;
        show_progress(crew);
    }
    pthread_mutex_unlock(&crew->turn);
    return NULL;
}

#define WORKERS_MAX 256

void measure_all(struct measurement *m)
{
    struct crew crew = {
        .m = m, .count = m->sample_count * m->case_count * GAZE_COUNT, .start = time(NULL)};
    say_note("%zu pictures of %ux%u pixels, %zu cases", m->sample_count, m->width_px, m->height_px,
             m->case_count);
    pthread_t workers[WORKERS_MAX];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t wanted = cores < 1 ? 1 : cores > WORKERS_MAX ? WORKERS_MAX : (size_t)cores;
    size_t started = 0;
    m->scores = memory_make(crew.count * BACKENDS_MAX, sizeof *m->scores);
    pthread_mutex_init(&crew.turn, NULL);
    while (started + 1 < wanted && pthread_create(&workers[started], NULL, work, &crew) == 0) {
        started++;
    }
    work(&crew);
    for (size_t i = 0; i < started; i++) {
        pthread_join(workers[i], NULL);
    }
    pthread_mutex_destroy(&crew.turn);
}
