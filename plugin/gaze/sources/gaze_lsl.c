/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A stream of the Lab Streaming Layer. liblsl is opened at run time. A thread looks for the stream,
 * takes its samples, and looks again when it has ended. */
#include "gaze_lsl_channels.h"
#include "gaze_lsl_library.h"
#include "plugin/gaze/gaze_clock.h"
#include "plugin/gaze/gaze_feed.h"

#include "core/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 100
#define LOOK_FOR_MS 5000 /* then a person is told that there is no stream */
#define PAUSE_MS 1000
#define FORGET_S 2.0
#define BUFFER_S 2
#define OPEN_S 0.3 /* so long a call may wait, so that the thread hears that it shall end */
#define OPEN_TRIES 10
#define PULL_S 0.05
#define SAMPLES_A_TURN 64
#define SILENCE_NS (5 * GAZE_NS_PER_S) /* then the stream is looked for again: it may be gone */
#define CORRECT_NS GAZE_NS_PER_S
#define STREAMS_MAX 8
/* A stream's times are on LSL's clock if samples are no older than this when they come. */
#define OLD_NS (5 * GAZE_NS_PER_S)
#define PREDICATE_BYTES 768

struct lsl {
    struct gaze_feed feed;
    struct lsl_library library;

    /* The thread's own. */
    lsl_resolver resolver;
    lsl_inlet inlet;
    struct lsl_channels channels;
    double *numbers; /* of one sample */
    int32_t count;
    bool corrected;
    double correction_s; /* from the sender's clock to ours */
    int64_t corrected_ns;
    int64_t heard_ns;
    bool heard; /* something, since the stream was opened */
    struct gaze_clock clock; /* where the stream's times are not LSL's */
    bool said_clock;
    bool said_several;
    bool said_stream; /* since it was last there */
    char text[LSL_CHANNELS_MAX]; /* of messages */
};

/* ---- The stream */

/* XPath has no escapes: a text is between the marks that it does not have (gaze_settings_check). */
static void add_test(char *predicate, const char *property, const char *value)
{
    const size_t used = strlen(predicate);
    const char mark = strchr(value, '\'') ? '"' : '\'';
    if (value[0] != '\0') {
        snprintf(predicate + used, PREDICATE_BYTES - used, "%s%s=%c%s%c", used > 0 ? " and " : "",
                 property, mark, value, mark);
    }
}

static void write_predicate(const struct fovea_gaze_settings *settings, char *out)
{
    out[0] = '\0';
    add_test(out, "name", settings->lsl_name);
    add_test(out, "type", settings->lsl_type);
    add_test(out, "source_id", settings->lsl_source_id);
    if (out[0] == '\0') {
        add_test(out, "type", "Gaze");
    }
}

/* Names come from outside: what could move a terminal's cursor is left out. */
static void copy_label(char out[LSL_LABEL_BYTES], const char *text)
{
    snprintf(out, LSL_LABEL_BYTES, "%s", text ? text : "");
    for (char *c = out; *c; c++) {
        *c = *c >= ' ' && *c < 127 ? *c : '?';
    }
}

/* The first of those that answer. */
static lsl_info take_first(struct lsl *lsl)
{
    lsl_info found[STREAMS_MAX] = {NULL};
    const int32_t count = lsl->library.resolver_results(lsl->resolver, found, STREAMS_MAX);
    char name[LSL_LABEL_BYTES];
    char source_id[LSL_LABEL_BYTES];
    for (int32_t i = 1; i < count; i++) {
        lsl->library.destroy_info(found[i]);
    }
    if (count > 1 && !lsl->said_several) {
        lsl->said_several = true;
        copy_label(name, lsl->library.get_name(found[0]));
        copy_label(source_id, lsl->library.get_source_id(found[0]));
        log_warning(lsl->feed.base.log,
                    "gaze: %d LSL streams match; \"%s\" of source_id \"%s\" is taken: set "
                    "gaze.lsl.name or gaze.lsl.source_id",
                    count, name, source_id);
    }
    return count > 0 ? found[0] : NULL;
}

/* NULL: the thread shall end, or there is no memory. */
static lsl_info look_for(struct lsl *lsl)
{
    char predicate[PREDICATE_BYTES];
    write_predicate(&lsl->feed.base.settings, predicate);
    lsl->resolver = lsl->library.create_resolver(predicate, FORGET_S);
    lsl_info info = NULL;
    int looked_ms = 0;
    while (lsl->resolver && !info && gaze_feed_wait(&lsl->feed, -1, 0, LOOK_MS)) {
        info = take_first(lsl);
        looked_ms += LOOK_MS;
        if (!info && looked_ms >= LOOK_FOR_MS) {
            gaze_feed_problem(&lsl->feed, "there is no LSL stream with %s yet; it is waited for",
                              predicate);
        }
    }
    if (lsl->resolver) {
        lsl->library.destroy_resolver(lsl->resolver);
    }
    return info;
}

static bool may_go_on(struct lsl *lsl, int tries)
{
    return tries < OPEN_TRIES && gaze_feed_wait(&lsl->feed, -1, 0, 0);
}

/* With what the resolver leaves out: the description. */
static lsl_info get_whole_info(struct lsl *lsl)
{
    lsl_info info = NULL;
    for (int tries = 0; !info && may_go_on(lsl, tries); tries++) {
        int32_t error = LSL_NO_ERROR;
        info = lsl->library.get_fullinfo(lsl->inlet, OPEN_S, &error);
        if (error != LSL_NO_ERROR && error != LSL_TIMEOUT) {
            return NULL;
        }
    }
    return info;
}

static bool open_stream(struct lsl *lsl)
{
    int32_t error = LSL_TIMEOUT;
    for (int tries = 0; error == LSL_TIMEOUT && may_go_on(lsl, tries); tries++) {
        error = LSL_NO_ERROR;
        lsl->library.open_stream(lsl->inlet, OPEN_S, &error);
    }
    return error == LSL_NO_ERROR;
}

static lsl_xml first_channel(struct lsl *lsl, lsl_info info)
{
    const struct lsl_library *library = &lsl->library;
    return library->child(library->child(library->get_desc(info), "channels"), "channel");
}

static void read_labels(struct lsl *lsl, lsl_info info, struct lsl_label *labels, size_t count)
{
    const struct lsl_library *library = &lsl->library;
    lsl_xml channel = first_channel(lsl, info);
    for (size_t i = 0; i < count && !library->is_empty(channel); i++) {
        copy_label(labels[i].label, library->child_value(channel, "label"));
        copy_label(labels[i].type, library->child_value(channel, "type"));
        channel = library->next_sibling(channel, "channel");
    }
}

/* Says so where the stream names a unit that is not the one of the settings. */
static void compare_unit(struct lsl *lsl, lsl_info info)
{
    static const struct {
        const char *in_unit;
        enum fovea_gaze_space space;
        const char *name;
    } units[] = {{"pix", FOVEA_GAZE_SPACE_PIXELS, "pixels"},
                 {"norm", FOVEA_GAZE_SPACE_UV, "uv"},
                 {"deg", FOVEA_GAZE_SPACE_DEGREES, "degrees"}};
    const struct lsl_library *library = &lsl->library;
    lsl_xml channel = first_channel(lsl, info);
    for (size_t i = 0; i < lsl->channels.x[0]; i++) {
        channel = library->next_sibling(channel, "channel");
    }
    char unit[LSL_LABEL_BYTES];
    copy_label(unit, library->child_value(channel, "unit"));
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcasestr(unit, units[i].in_unit) && lsl->feed.base.settings.space != units[i].space) {
            log_warning(lsl->feed.base.log,
                        "gaze: the unit of the LSL stream's x is \"%s\", and gaze.space is not %s",
                        unit, units[i].name);
        }
    }
}

/* NULL: they are chosen. Else why not. */
static const char *choose_channels(struct lsl *lsl, lsl_info info)
{
    lsl->count = lsl->library.get_channel_count(info);
    if (lsl->count < 1 || lsl->count > LSL_CHANNELS_MAX ||
        lsl->library.get_channel_format(info) == LSL_FORMAT_STRING) {
        return "it has no numbers, or too many channels";
    }
    const size_t count = (size_t)lsl->count;
    struct lsl_label *labels = calloc(count, sizeof *labels);
    free(lsl->numbers);
    lsl->numbers = calloc(count, sizeof *lsl->numbers);
    const char *why = "out of memory";
    if (labels && lsl->numbers) {
        read_labels(lsl, info, labels, count);
        why = lsl_channels_choose(lsl->feed.base.settings.lsl_channels, labels, count, lsl->text,
                                  sizeof lsl->text, &lsl->channels);
    }
    free(labels);
    return why;
}

/* Says so once: a stream that is there and sends nothing is opened again and again. */
static void say_stream(struct lsl *lsl, lsl_info info, const char *name)
{
    if (lsl->said_stream) {
        return;
    }
    lsl->said_stream = true;
    compare_unit(lsl, info);
    log_info(lsl->feed.base.log, "gaze: LSL stream \"%s\", channels %zu and %zu of %d", name,
             lsl->channels.x[0] + 1, lsl->channels.y[0] + 1, lsl->count);
}

static bool understand(struct lsl *lsl, lsl_info info)
{
    char name[LSL_LABEL_BYTES];
    copy_label(name, lsl->library.get_name(info));
    const char *why = choose_channels(lsl, info);
    if (why) {
        gaze_feed_problem(&lsl->feed, "LSL stream \"%s\": %s", name, why);
        return false;
    }
    say_stream(lsl, info, name);
    return true;
}

/* ---- Its samples */

/* liblsl measures how far the two machines' clocks are apart, and is asked once a second: so a
 * drift is followed. */
static void correct(struct lsl *lsl, int64_t now_ns)
{
    if (now_ns < gaze_time_add(lsl->corrected_ns, lsl->corrected ? CORRECT_NS : 0)) {
        return;
    }
    int32_t error = LSL_NO_ERROR;
    const double correction_s = lsl->library.time_correction(lsl->inlet, 0.0, &error);
    if (error == LSL_NO_ERROR && isfinite(correction_s)) {
        const double apart_s = (double)fovea_time_ns() / 1e9 - lsl->library.local_clock();
        lsl->correction_s = correction_s + apart_s;
        lsl->corrected = true;
    }
    lsl->corrected_ns = now_ns;
}

/* When it was measured, on our clock, or false: it came late. */
static bool place(struct lsl *lsl, double sender_s, int64_t arrival_ns, int64_t *out_t_ns)
{
    const double age_s = (double)arrival_ns / 1e9 - (sender_s + lsl->correction_s);
    *out_t_ns = arrival_ns;
    if (!lsl->corrected) {
        return true; /* within the first second */
    }
    if (age_s >= -(double)GAZE_AHEAD_NS / 1e9 && age_s <= (double)OLD_NS / 1e9) {
        *out_t_ns -= age_s > 0 ? llround(age_s * 1e9) : 0;
        return true;
    }
    if (!lsl->said_clock) {
        lsl->said_clock = true;
        log_warning(
            lsl->feed.base.log,
            "gaze: the LSL stream's times are not on LSL's clock (%g s apart); the quickest "
            "of its samples count as just measured",
            age_s);
    }
    return gaze_clock_place(&lsl->clock, sender_s, arrival_ns, out_t_ns);
}

static void take_eyes(struct lsl *lsl, const struct fovea_gaze_sample *sample)
{
    double x[2];
    double y[2];
    if (lsl_channels_places(&lsl->channels, lsl->numbers, x, y)) {
        gaze_feed_add_places(&lsl->feed, lsl->feed.base.settings.vergence_distance_m, x, y, sample);
    }
}

static void take(struct lsl *lsl, double sender_s, int64_t now_ns)
{
    struct fovea_gaze_sample sample =
        lsl_channels_sample(&lsl->channels, lsl->feed.base.settings.filter_eye, lsl->numbers);
    lsl->heard_ns = now_ns;
    lsl->heard = true;
    gaze_feed_good(&lsl->feed);
    if (!gaze_intake_understands(&sample)) {
        gaze_feed_reject(&lsl->feed, "its confidence is not 0 to 1");
    } else if (!place(lsl, sender_s, now_ns, &sample.t_ns)) {
        gaze_feed_reject(&lsl->feed, "it is older than the one before");
    } else {
        gaze_feed_add(&lsl->feed, &sample);
        take_eyes(lsl, &sample);
    }
}

/* False: the stream is over. */
static bool pull(struct lsl *lsl)
{
    for (int i = 0; i < SAMPLES_A_TURN; i++) {
        int32_t error = LSL_NO_ERROR;
        const double sender_s = lsl->library.pull_sample(lsl->inlet, lsl->numbers, lsl->count,
                                                         i == 0 ? PULL_S : 0.0, &error);
        const int64_t now_ns = fovea_time_ns();
        if (error != LSL_NO_ERROR && error != LSL_TIMEOUT) {
            return false;
        }
        if (error == LSL_TIMEOUT || !(sender_s > 0.0 || sender_s < 0.0)) {
            return now_ns <= gaze_time_add(lsl->heard_ns, SILENCE_NS);
        }
        take(lsl, sender_s, now_ns);
    }
    return true;
}

static void follow(struct lsl *lsl)
{
    lsl->corrected = false;
    lsl->clock = (struct gaze_clock){0};
    lsl->heard_ns = fovea_time_ns();
    lsl->heard = false;
    while (gaze_feed_wait(&lsl->feed, -1, 0, 0)) {
        correct(lsl, fovea_time_ns());
        if (!pull(lsl)) {
            lsl->said_stream = !lsl->heard;
            gaze_feed_problem(&lsl->feed, "the LSL stream %s; it is waited for",
                              lsl->heard ? "has ended, or fallen silent" : "sends nothing");
            return;
        }
    }
}

static void use_stream(struct lsl *lsl)
{
    lsl_info whole = get_whole_info(lsl);
    const bool understood = whole && understand(lsl, whole);
    if (whole) {
        lsl->library.destroy_info(whole);
    }
    if (understood && open_stream(lsl)) {
        follow(lsl);
    } else {
        if ((!whole || understood) && gaze_feed_wait(&lsl->feed, -1, 0, 0)) {
            gaze_feed_problem(&lsl->feed, "an LSL stream is seen, and its machine does not answer: "
                                          "a firewall may be between; it is tried again");
        }
        (void)!gaze_feed_wait(&lsl->feed, -1, 0, PAUSE_MS);
    }
}

static void *receive(void *user)
{
    struct lsl *lsl = user;
    while (gaze_feed_wait(&lsl->feed, -1, 0, 0)) {
        lsl_info info = look_for(lsl);
        lsl->inlet = info ? lsl->library.create_inlet(info, BUFFER_S, 0, 0) : NULL;
        if (info) {
            lsl->library.destroy_info(info);
        }
        if (lsl->inlet) {
            use_stream(lsl);
            lsl->library.destroy_inlet(lsl->inlet);
        }
    }
    return NULL;
}

/* ---- The source */

static enum fovea_result lsl_init(struct fovea_gaze_source *source)
{
    struct lsl *lsl = (struct lsl *)source;
    FOVEA_TRY(gaze_feed_init(&lsl->feed));
    const char *why = NULL;
    if (!lsl_library_open(&lsl->library, &why)) {
        log_error(
            source->log,
            "gaze: gaze.source is lsl, and liblsl is not here (%s): install it, or pip install "
            "pylsl and set PYLSL_LIB to pylsl/lib/liblsl.so",
            why);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    return gaze_feed_start(&lsl->feed, receive);
}

static void lsl_finish(struct fovea_gaze_source *source)
{
    struct lsl *lsl = (struct lsl *)source;
    gaze_feed_stop(&lsl->feed);
    free(lsl->numbers);
    gaze_feed_finish(&lsl->feed);
}

static void lsl_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    char predicate[PREDICATE_BYTES];
    write_predicate(settings, predicate);
    snprintf(out, bytes, "LSL stream with %s", predicate);
}

const struct gaze_source_api gaze_lsl = {
    .name = "lsl",
    .bytes = sizeof(struct lsl),
    .opens_slowly = true,
    .describe = lsl_describe,
    .init = lsl_init,
    .finish = lsl_finish,
    .intake = gaze_feed_intake,
    .observe = gaze_feed_observe,
    .vergence_m = gaze_feed_vergence_m,
};
