/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "measure.h"

#include "memory.h"
#include "say.h"

#include <pthread.h>
#include <stdio.h>
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

static void do_job(struct crew *crew, size_t job)
{
    struct measurement *m = crew->m;
    const size_t gaze = job % GAZE_COUNT;
    const size_t c = m->cases[job / GAZE_COUNT % m->case_count];
    const struct sample *sample = &m->samples[job / GAZE_COUNT / m->case_count];
    const struct fovea_image *src = &sample->image.view;
    const struct fovea_point_uv point = quality_gazes[gaze].point;
    const struct fovea_foveation foveation = quality_foveation(&quality_cases[c]);
    const double tie_levels =
        foveation.method == FOVEA_METHOD_BLOCKWISE ? EXACT_TIE_LEVELS_BLOCKWISE : EXACT_TIE_LEVELS;
    OWNED_IMAGE exact = image_make_packed(src->width_px, src->height_px, src->format);
    struct test_image actual[BACKENDS_MAX];
    OWNED(owned_free) double *levels = exact_levels(&foveation, src, point);
    pthread_mutex_lock(&crew->turn);
    for (size_t b = 0; b < m->backend_count; b++) {
        actual[b] = image_make_packed(src->width_px, src->height_px, src->format);
        m->backends[b].run(&m->backends[b], &foveation, src, point, &actual[b].view);
    }
    pthread_mutex_unlock(&crew->turn);
    for (size_t b = 0; b < m->backend_count; b++) {
        const size_t ties = exact_round(levels, &actual[b].view, tie_levels, &exact.view);
        struct score *score = &m->scores[job * BACKENDS_MAX + b];
        *score = metrics_score(&exact.view, &actual[b].view);
        score->ties = (double)ties / (3.0 * src->width_px * src->height_px);
    }
    for (size_t b = 0; b < m->backend_count; b++) {
        image_free(&actual[b]);
    }
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

/* ---- The paper's protocol */

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

static bool is_chosen(const struct measurement *m, size_t index)
{
    bool chosen = false;
    for (size_t i = 0; i < m->sample_count; i++) {
        chosen = chosen || strcmp(m->samples[i].name, sample_name(index)) == 0;
    }
    return chosen;
}

static void add_paper(struct measurement *m, const struct fovea_image *src, bool landscape)
{
    static const size_t cases[] = {CASE_PAPER_32, CASE_PAPER_ENCODED};
    struct test_image made[2];
    for (size_t b = 0; b < m->backend_count; b++) {
        for (size_t i = 0; i < 2; i++) {
            const struct fovea_foveation foveation = quality_foveation(&quality_cases[cases[i]]);
            made[i] = image_make_packed(src->width_px, src->height_px, src->format);
            m->backends[b].run(&m->backends[b], &foveation, src, quality_gazes[0].point,
                               &made[i].view);
        }
        struct ssim_map map = metrics_ssim_map(&made[1].view, &made[0].view);
        for (size_t set = landscape ? 0 : 1; set < PAPER_SETS; set++) {
            add_map(&m->paper_sum[set][b], &map);
        }
        free(map.values);
        image_free(&made[0]);
        image_free(&made[1]);
    }
    m->paper_count[0] += landscape;
    m->paper_count[1]++;
}

void measure_paper(struct measurement *m)
{
    struct sample sample;
    if (!measure_has(m, CASE_PAPER_32) || !measure_has(m, CASE_PAPER_ENCODED)) {
        return;
    }
    for (size_t i = 0; i < samples_count(false); i++) {
        if (is_chosen(m, i) &&
            sample_draw(i, m->paper_size.width_px, m->paper_size.height_px, &sample)) {
            add_paper(m, &sample.image.view, strncmp(sample.name, "landscape", 9) == 0);
            sample_free(&sample);
        }
    }
}
