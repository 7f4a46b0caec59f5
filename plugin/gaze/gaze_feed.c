/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_feed.h"

#include "core/descriptor.h"
#include "core/log.h"
#include "core/process.h"
#include "core/thread.h"

#include <poll.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum fovea_result gaze_feed_init(struct gaze_feed *feed)
{
    gaze_intake_init(&feed->intake);
    feed->stop = descriptor_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (feed->stop < 0) {
        log_error(feed->base.log, "gaze: no event for the thread of the %s source",
                  feed->base.api->name);
        return FOVEA_ERROR_IO;
    }
    return FOVEA_OK;
}

enum fovea_result gaze_feed_start(struct gaze_feed *feed, void *(*run)(void *feed))
{
    const int error = thread_start(&feed->thread, run, feed);
    if (error != 0) {
        log_error(feed->base.log, "gaze: the thread of the %s source cannot start: %s",
                  feed->base.api->name, strerrordesc_np(error));
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    feed->running = true;
    char name[16];
    snprintf(name, sizeof name, "fovea-gaze-%s", feed->base.api->name);
    (void)pthread_setname_np(feed->thread, name);
    return FOVEA_OK;
}

/* In a child of fork the thread is the parent's, as is what the event would tell it. */
void gaze_feed_stop(struct gaze_feed *feed)
{
    if (feed->running && !process_is_child_of(feed->base.process)) {
        (void)eventfd_write(feed->stop, 1);
        (void)pthread_join(feed->thread, NULL);
        feed->running = false;
    }
}

void gaze_feed_finish(struct gaze_feed *feed)
{
    if (feed->stop >= 0) {
        close(feed->stop);
    }
    gaze_intake_finish(&feed->intake);
}

bool gaze_feed_wait(struct gaze_feed *feed, int fd, short events, int ms)
{
    struct pollfd fds[] = {{.fd = feed->stop, .events = POLLIN}, {.fd = fd, .events = events}};
    (void)poll(fds, fd >= 0 ? 2 : 1, ms);
    return fds[0].revents == 0;
}

void gaze_feed_add(struct gaze_feed *feed, const struct fovea_gaze_sample *sample)
{
    (void)gaze_source_add(&feed->base, sample);
}

void gaze_feed_add_eyes(struct gaze_feed *feed, const struct gaze_sight eyes[2], double confidence,
                        int64_t t_ns)
{
    gaze_intake_add_eyes(&feed->intake, &feed->base.settings, eyes, confidence, t_ns);
}

void gaze_feed_add_places(struct gaze_feed *feed, double distance_m, const double x[2],
                          const double y[2], const struct fovea_gaze_sample *sample)
{
    struct gaze_sight eyes[2];
    if (feed->base.settings.vergence_ipd_mm > 0.0) {
        gaze_vergence_from_places(&feed->base.settings, distance_m, x, y, eyes);
        gaze_feed_add_eyes(feed, eyes, sample->confidence, sample->t_ns);
    }
}

void gaze_feed_reject(struct gaze_feed *feed, const char *why)
{
    gaze_intake_count_rejected(&feed->intake);
    if (!feed->said_rejected) {
        char name[256];
        gaze_describe(&feed->base.settings, name, sizeof name);
        feed->said_rejected = true;
        log_warning(feed->base.log,
                    "gaze: %s: a message is rejected: %s (said once, counted always)", name, why);
    }
}

void gaze_feed_problem(struct gaze_feed *feed, const char *format, ...)
{
    if (feed->said_problem) {
        return;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    feed->said_problem = true;
    log_warning(feed->base.log, "gaze: %s", text);
}

void gaze_feed_good(struct gaze_feed *feed)
{
    feed->said_problem = false;
}

struct gaze_intake *gaze_feed_intake(struct fovea_gaze_source *source)
{
    return &((struct gaze_feed *)source)->intake;
}

void gaze_feed_observe(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                       struct gaze_observation *out)
{
    (void)aspect;
    gaze_intake_observe(&((struct gaze_feed *)source)->intake, t_ns, out);
}

double gaze_feed_vergence_m(struct fovea_gaze_source *source, int64_t t_ns)
{
    return gaze_intake_vergence_m(&((struct gaze_feed *)source)->intake, &source->settings, t_ns);
}
