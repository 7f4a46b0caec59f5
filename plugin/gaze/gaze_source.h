/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This is what the common pipeline knows of a gaze source. A new source is one file with one
 * struct gaze_source_api and one line of config/gaze_sources.def; gaze_fixed.c is the file to copy,
 * and docs/gaze.md says what else there is to do. */
#pragma once

#include "config/settings.h"
#include "gaze_settings.h"

#include <stdatomic.h>
#include <sys/types.h>

#define GAZE_NS_PER_MS INT64_C(1000000)
#define GAZE_NS_PER_S INT64_C(1000000000)

/* Silence that is longer than this is noticed: a tracker of 30 Hz may miss two samples. */
#define GAZE_SILENCE_NS (100 * GAZE_NS_PER_MS)

/* A source's answer for the time asked for. */
struct gaze_observation {
    double x; /* of the last valid sample */
    double y;
    int64_t valid_t_ns; /* when it was measured */
    int64_t missing_since_ns; /* from here on there is no valid sample; read only when missing */
    bool any; /* there has been a valid sample; else only the counters count */
    bool missing;
    bool closed; /* the eye, while missing */
    uint8_t movement; /* enum gaze_movement of the last valid sample */
    double rate_hz;
    uint64_t sample_count;
    uint64_t rejected_count; /* what the source itself turned away */
};

struct gaze_intake;
struct gaze_wander;
struct gaze_watch;

/* Hears of every valid sample once it is published: in order, on the thread that delivers it, and
 * before the next one is taken in. It must be short, wait for nobody and allocate nothing. It is
 * its owner's, and stays where it is while it listens. */
struct gaze_listener {
    void (*heard)(void *user, const struct fovea_gaze_sample *sample);
    /* The source is about to go and does not call again. On the thread that destroys it. NULL:
     * whoever listens does not mind. */
    void (*gone)(void *user);
    void *user;
    struct gaze_listener *next; /* the intake's */
};

struct gaze_source_api {
    const char *name; /* as the configuration spells it */
    size_t bytes; /* of the source's struct, whose first member is struct fovea_gaze_source */
    bool in_uv; /* x and y of the observation are uv, else in the settings' space and origin */
    bool opens_slowly; /* init asks a file system or a network: no frame waits for it */
    /* One line for a person. NULL: the name. */
    void (*describe)(const struct fovea_gaze_settings *settings, char *out, size_t bytes);

    /* The object is zeroed but for its base. On failure finish is called. NULL: nothing to do. */
    enum fovea_result (*init)(struct fovea_gaze_source *source);
    /* Accepts a half-made object. NULL: nothing to do. */
    void (*finish)(struct fovea_gaze_source *source);
    /* The sample is not NULL; everything else is checked here. NULL: the source takes none. */
    enum fovea_result (*push)(struct fovea_gaze_source *source,
                              const struct fovea_gaze_sample *sample);
    /* aspect is the image's height over its width. Takes no lock, allocates nothing. */
    void (*observe)(struct fovea_gaze_source *source, int64_t t_ns, double aspect,
                    struct gaze_observation *out);
    /* All of what fovea_gaze_source_read says, in place of `observe`, which is then NULL. */
    void (*answer)(struct fovea_gaze_source *source, int64_t t_ns, struct fovea_gaze *out_gaze);
    /* Answers fovea_gaze_source_vergence_m. NULL: the source tells no lines of sight of two
     * eyes. */
    double (*vergence_m)(struct fovea_gaze_source *source, int64_t t_ns);
    /* Samples from outside arrive here. NULL: none do. */
    struct gaze_intake *(*intake)(struct fovea_gaze_source *source);
    /* NULL: 0 */
    uint16_t (*udp_port)(const struct fovea_gaze_source *source);
};

struct fovea_gaze_source {
    const struct gaze_source_api *api;
    struct fovea_gaze_settings settings; /* checked */
    struct fovea_log log;
    pid_t process; /* that made it */
    struct gaze_wander *wander; /* NULL: it needs no pictures */
    atomic_bool said_far; /* a sample that cannot be uv */
    bool tells_movements; /* whoever reads it knows all states */
};

#define GAZE_SOURCE(kind, name) extern const struct gaze_source_api gaze_##name;
#include "config/gaze_sources.def"
#undef GAZE_SOURCE

/* fovea_gaze_source_create with nothing but what counts; it tells movements. */
FOVEA_MUST_CHECK enum fovea_result gaze_source_open(const struct fovea_gaze_settings *settings,
                                                    struct fovea_log log,
                                                    struct fovea_gaze_source **out_source);

/* The name of a kind as the configuration spells it: "fixed", "mouse", ... Never NULL. */
const char *gaze_kind_name(enum fovea_gaze_kind kind);
bool gaze_kind_opens_slowly(enum fovea_gaze_kind kind);
/* Two sources of such kinds cannot have one port at a time. */
bool gaze_kind_has_port(enum fovea_gaze_kind kind);
/* One line on the source that the settings name, for a person. */
void gaze_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes);

/* Takes a sample into the source's intake: gaze_intake_add. Warns of the first that cannot be uv
 * while gaze.space is. */
bool gaze_source_add(struct fovea_gaze_source *source, const struct fovea_gaze_sample *sample);

/* Any number may listen, each once. FOVEA_ERROR_UNSUPPORTED: samples of this source do not come
 * from outside. After gaze_source_unlisten returns, the listener is not called any more: it waits
 * for the call that is under way, if any. Any thread, while samples arrive. */
FOVEA_MUST_CHECK enum fovea_result gaze_source_listen(struct fovea_gaze_source *source,
                                                      struct gaze_listener *listener);
void gaze_source_unlisten(struct fovea_gaze_source *source, struct gaze_listener *listener);

/* Each reading takes the next answer, so that one thread alone may read. */
bool gaze_source_counts_reads(const struct fovea_gaze_source *source);
/* Returns what somebody needs who shows it pictures; NULL: it looks at none. Who keeps it leaves it
 * (gaze_watch.h). */
struct gaze_watch *gaze_source_watch(const struct fovea_gaze_source *source);

/* Returns where a valid sample is in an image of that size: what fovea_gaze_source_read says at its
 * instant. */
struct fovea_point_uv gaze_source_point(const struct fovea_gaze_source *source, uint32_t width_px,
                                        uint32_t height_px, const struct fovea_gaze_sample *sample);

/* Times come from outside; their differences must not overflow. */
static inline int64_t gaze_time_add(int64_t a, int64_t b)
{
    int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        return a < 0 ? INT64_MIN : INT64_MAX;
    }
    return sum;
}

static inline int64_t gaze_time_sub(int64_t a, int64_t b)
{
    int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) {
        return a < 0 ? INT64_MIN : INT64_MAX;
    }
    return difference;
}
