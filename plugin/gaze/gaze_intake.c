/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_intake.h"

#include "gaze_settings.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(struct gaze_track) == GAZE_SLOT_WORDS * sizeof(uint64_t),
               "a track fills the words of the slot");

/* A waiting thread lends its priority: a real-time thread gets past one below it that adds. Systems
 * without such locks have others, which sleep as well. */
void gaze_intake_init(struct gaze_intake *intake)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    if (pthread_mutex_init(&intake->adding, &attributes) != 0) {
        pthread_mutex_init(&intake->adding, NULL);
    }
    pthread_mutexattr_destroy(&attributes);
}

void gaze_intake_finish(struct gaze_intake *intake)
{
    pthread_mutex_destroy(&intake->adding);
}

bool gaze_intake_understands(const struct fovea_gaze_sample *sample)
{
    const bool placed = sample->blink || (isfinite(sample->x) && isfinite(sample->y));
    return placed && sample->confidence >= 0.0 && sample->confidence <= 1.0;
}

static void take_in(struct gaze_track *track, bool valid, enum gaze_movement movement,
                    const struct fovea_gaze_sample *sample)
{
    if (valid) {
        track->movement = (uint8_t)movement;
        track->x = sample->x;
        track->y = sample->y;
        track->valid_t_ns = sample->t_ns;
        track->any_valid = 1;
    } else if (!track->missing) {
        track->missing_since_ns = sample->t_ns;
    }
    track->missing = !valid;
    track->closed = sample->blink;
    track->newest_t_ns = sample->t_ns;
    track->count++;
}

static void publish(struct gaze_intake *intake)
{
    uint64_t words[GAZE_SLOT_WORDS];
    memcpy(words, &intake->track, sizeof words);
    gaze_slot_publish(&intake->slot, words);
}

/* A valid sample is filtered, and the filter tells what the eye does. */
static enum gaze_movement pass(struct gaze_intake *intake,
                               const struct fovea_gaze_settings *settings, bool valid,
                               struct fovea_gaze_sample *sample)
{
    if (!gaze_filter_is_wanted(settings)) {
        return GAZE_NOT_TOLD;
    }
    if (valid) {
        return gaze_filter_pass(&intake->filter, settings, sample);
    }
    gaze_filter_restart(&intake->filter);
    return GAZE_NOT_TOLD;
}

static bool add_in_order(struct gaze_intake *intake, const struct fovea_gaze_settings *settings,
                         const struct fovea_gaze_sample *raw)
{
    if (intake->track.count > 0 && raw->t_ns < intake->track.newest_t_ns) {
        return false;
    }
    struct fovea_gaze_sample sample = *raw;
    const bool valid = !raw->blink && gaze_settings_is_sure(settings, raw->confidence);
    take_in(&intake->track, valid, pass(intake, settings, valid, &sample), &sample);
    gaze_rate_add(&intake->rate, sample.t_ns);
    publish(intake);
    for (struct gaze_listener *l = intake->listeners; l && valid; l = l->next) {
        l->heard(l->user, &sample);
    }
    return true;
}

static bool is_of_the_future(int64_t t_ns)
{
    return t_ns > gaze_time_add(fovea_time_ns(), GAZE_AHEAD_NS);
}

bool gaze_intake_add(struct gaze_intake *intake, const struct fovea_gaze_settings *settings,
                     const struct fovea_gaze_sample *sample)
{
    bool added = false;
    if (gaze_intake_understands(sample) && !is_of_the_future(sample->t_ns)) {
        pthread_mutex_lock(&intake->adding);
        added = add_in_order(intake, settings, sample);
        pthread_mutex_unlock(&intake->adding);
    }
    if (!added) {
        gaze_intake_count_rejected(intake);
    }
    return added;
}

void gaze_intake_add_eyes(struct gaze_intake *intake, const struct fovea_gaze_settings *settings,
                          const struct gaze_sight eyes[2], double confidence, int64_t t_ns)
{
    if (!gaze_settings_is_sure(settings, confidence) || is_of_the_future(t_ns)) {
        return;
    }
    pthread_mutex_lock(&intake->adding);
    if (gaze_vergence_pass(&intake->vergence, settings, eyes, t_ns)) {
        intake->track.vergence_diopters = intake->vergence.diopters;
        intake->track.vergence_t_ns = intake->vergence.t_ns;
        intake->track.any_vergence = 1;
        publish(intake);
    }
    pthread_mutex_unlock(&intake->adding);
}

void gaze_intake_listen(struct gaze_intake *intake, struct gaze_listener *listener)
{
    pthread_mutex_lock(&intake->adding);
    listener->next = intake->listeners;
    intake->listeners = listener;
    pthread_mutex_unlock(&intake->adding);
}

void gaze_intake_unlisten(struct gaze_intake *intake, struct gaze_listener *listener)
{
    pthread_mutex_lock(&intake->adding);
    struct gaze_listener **at = &intake->listeners;
    while (*at && *at != listener) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = listener->next;
    }
    pthread_mutex_unlock(&intake->adding);
}

static struct gaze_listener *take_listener(struct gaze_intake *intake)
{
    pthread_mutex_lock(&intake->adding);
    struct gaze_listener *listener = intake->listeners;
    intake->listeners = listener ? listener->next : NULL;
    pthread_mutex_unlock(&intake->adding);
    return listener;
}

void gaze_intake_let_go(struct gaze_intake *intake)
{
    for (struct gaze_listener *l = take_listener(intake); l; l = take_listener(intake)) {
        if (l->gone) {
            l->gone(l->user);
        }
    }
}

void gaze_intake_count_rejected(struct gaze_intake *intake)
{
    atomic_fetch_add_explicit(&intake->rejected, 1, memory_order_relaxed);
}

static void observe_track(const struct gaze_track *track, int64_t t_ns,
                          struct gaze_observation *out)
{
    out->any = track->any_valid;
    out->x = track->x;
    out->y = track->y;
    out->valid_t_ns = track->valid_t_ns;
    out->sample_count = track->count;
    /* Silence that began before an invalid sample came is the older reason. */
    const int64_t silent_since_ns = gaze_time_add(track->valid_t_ns, GAZE_SILENCE_NS);
    const bool silent = t_ns > silent_since_ns;
    const bool silence_first = !track->missing || silent_since_ns < track->missing_since_ns;
    out->missing = track->missing || silent;
    out->closed = track->missing && track->closed;
    out->movement = track->movement;
    out->missing_since_ns = silence_first ? silent_since_ns : track->missing_since_ns;
}

void gaze_intake_observe(struct gaze_intake *intake, int64_t t_ns, struct gaze_observation *out)
{
    uint64_t words[GAZE_SLOT_WORDS];
    if (gaze_slot_read(&intake->slot, words)) {
        struct gaze_track track;
        memcpy(&track, words, sizeof track);
        observe_track(&track, t_ns, out);
        out->rate_hz = gaze_rate_hz(&intake->rate, t_ns);
    }
    out->rejected_count = atomic_load_explicit(&intake->rejected, memory_order_relaxed);
}

double gaze_intake_vergence_m(struct gaze_intake *intake,
                              const struct fovea_gaze_settings *settings, int64_t t_ns)
{
    uint64_t words[GAZE_SLOT_WORDS];
    if (!gaze_slot_read(&intake->slot, words)) {
        return 0.0;
    }
    struct gaze_track track;
    memcpy(&track, words, sizeof track);
    const struct gaze_vergence vergence = {track.vergence_diopters, track.vergence_t_ns,
                                           track.any_vergence != 0};
    return gaze_vergence_m(&vergence, settings, t_ns);
}
