/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A gaze that moves by a small step: what changes in the picture is what a person may see crawl. */
#include "measure.h"
#include "say.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>

const double measure_step_px[STEPS_MAX] = {0.1, 1.0};
const size_t measure_step_cases[MOVING_CASES] = {
    CASE_PAPER_32, CASE_PAPER_ENCODED, CASE_PAPER_LINEAR, CASE_PHYSICAL_32, CASE_PHYSICAL_SMOOTH};

struct steps *measure_steps(struct measurement *m, size_t method, size_t step, size_t backend)
{
    return &m->steps[(method * STEPS_MAX + step) * BACKENDS_MAX + backend];
}

static void count_step(struct steps *steps, const struct fovea_image *before,
                       const struct fovea_image *after)
{
    const unsigned char *a = before->data;
    const unsigned char *b = after->data;
    const size_t count = (size_t)before->width_px * before->height_px * 4;
    uint64_t sum = 0;
    int largest = 0;
    for (size_t i = 0; i < count; i++) {
        const int apart = abs(a[i] - b[i]);
        largest = apart > largest ? apart : largest;
        sum += (uint64_t)apart;
    }
    const double mean = (double)sum / (double)(count / 4 * 3);
    steps->largest_levels = fmax(steps->largest_levels, largest);
    steps->mean_levels += mean;
    steps->worst_mean_levels = fmax(steps->worst_mean_levels, mean);
}

static void walk(struct backend *backend, const struct fovea_foveation *foveation,
                 const struct fovea_image *src, double step_px, size_t count, struct steps *steps)
{
    struct test_image images[2];
    for (int i = 0; i < 2; i++) {
        images[i] = image_make_packed(src->width_px, src->height_px, src->format);
    }
    for (size_t i = 0; i <= count; i++) {
        const struct fovea_point_uv gaze = {0.5 + ((double)i * step_px + 0.03) / src->width_px,
                                            0.5};
        backend->run(backend, foveation, src, gaze, &images[i % 2].view);
        if (i > 0) {
            count_step(steps, &images[(i + 1) % 2].view, &images[i % 2].view);
        }
    }
    image_free(&images[0]);
    image_free(&images[1]);
}

static void walk_all(struct measurement *m, size_t method, size_t step, size_t b)
{
    const struct quality_case *c = &quality_cases[measure_step_cases[method]];
    const struct fovea_foveation foveation = quality_foveation(c);
    struct steps *steps = measure_steps(m, method, step, b);
    say_note("%s: %s, a gaze in steps of %g px", fovea_backend_name(m->backends[b].kind), c->name,
             measure_step_px[step]);
    for (size_t s = 0; s < m->sample_count; s++) {
        walk(&m->backends[b], &foveation, &m->samples[s].image.view, measure_step_px[step],
             m->step_count, steps);
    }
    steps->mean_levels /= (double)(m->sample_count * m->step_count);
}

/* A backend takes one call at a time; they go beside each other. */
struct walker {
    struct measurement *m;
    size_t backend;
    pthread_t thread;
    bool started;
};

static void *walk_backend(void *user)
{
    const struct walker *walker = user;
    struct measurement *m = walker->m;
    for (size_t method = 0; method < MOVING_CASES; method++) {
        for (size_t step = 0; measure_has(m, measure_step_cases[method]) && step < STEPS_MAX;
             step++) {
            walk_all(m, method, step, walker->backend);
        }
    }
    return NULL;
}

void measure_moving_gaze(struct measurement *m)
{
    struct walker walkers[BACKENDS_MAX];
    for (size_t b = 0; b < m->backend_count; b++) {
        walkers[b] = (struct walker){.m = m, .backend = b};
        walkers[b].started =
            pthread_create(&walkers[b].thread, NULL, walk_backend, &walkers[b]) == 0;
        if (!walkers[b].started) {
            walk_backend(&walkers[b]);
        }
    }
    for (size_t b = 0; b < m->backend_count; b++) {
        if (walkers[b].started) {
            pthread_join(walkers[b].thread, NULL);
        }
    }
}
