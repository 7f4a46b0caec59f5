/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This is common to sources that a thread of their own feeds from outside: the thread, how it is
 * told to end, and where its samples go. A frame reads the intake and waits for nothing here. */
#pragma once

#include "gaze_intake.h"

/* The first member of such a source's struct. */
struct gaze_feed {
    struct fovea_gaze_source base;
    struct gaze_intake intake;
    int stop; /* readable when the thread shall end */
    pthread_t thread;
    bool running;
    bool said_rejected; /* the thread's own, as what follows */
    bool said_problem;
};

/* Comes before anything else, in init. */
enum fovea_result gaze_feed_init(struct gaze_feed *feed);
/* The last thing in init. The thread ends when gaze_feed_wait says so. */
enum fovea_result gaze_feed_start(struct gaze_feed *feed, void *(*run)(void *feed));
/* The first thing in finish: the thread has ended when it returns. */
void gaze_feed_stop(struct gaze_feed *feed);
/* The last thing in finish. */
void gaze_feed_finish(struct gaze_feed *feed);

/* The thread calls it. Waits until the descriptor (-1: none) has one of the events or the time is
 * over; ms below 0: for ever. False: the thread shall end. */
FOVEA_MUST_CHECK bool gaze_feed_wait(struct gaze_feed *feed, int fd, short events, int ms);
void gaze_feed_add(struct gaze_feed *feed, const struct fovea_gaze_sample *sample);
/* gaze_intake_add_eyes */
void gaze_feed_add_eyes(struct gaze_feed *feed, const struct gaze_sight eyes[2], double confidence,
                        int64_t t_ns);
/* The same of where both eyes look in the source's space and origin; gaze_vergence_from_places. */
void gaze_feed_add_places(struct gaze_feed *feed, double distance_m, const double x[2],
                          const double y[2], const struct fovea_gaze_sample *sample);
/* Counts what is not understood, and says the first. */
void gaze_feed_reject(struct gaze_feed *feed, const char *why);
/* Warns of a connection that is not there, once until gaze_feed_good. */
__attribute__((format(printf, 2, 3))) void gaze_feed_problem(struct gaze_feed *feed,
                                                             const char *format, ...);
void gaze_feed_good(struct gaze_feed *feed);

/* They are members of struct gaze_source_api. */
struct gaze_intake *gaze_feed_intake(struct fovea_gaze_source *source);
void gaze_feed_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                       struct gaze_observation *out);
double gaze_feed_vergence_m(struct fovea_gaze_source *source, int64_t t_ns);
