/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* EyeLink's ASC, as edf2asc writes it: samples and events by lines, each begun by a time or a word.
 * Without samples, fixations are the rows. */
#include "recording.h"

#include <string.h>

#define LEFT 0
#define RIGHT 1

struct eyelink {
    struct recording *recording;
    bool has_eye[2];
    bool blinks[2];
    bool has_samples;
    bool has_gaze_coords;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool knows(const struct recording *recording)
{
    struct recording_text text = recording->text;
    if (!recording_next_line(&text)) {
        return false;
    }
    struct span rest = text.line;
    const struct span word = recording_next_word(&rest);
    return recording_span_is(word, "**") || recording_span_is(word, "MSG") ||
           recording_span_is(word, "START");
}

static bool has_samples(const struct recording *recording)
{
    struct recording_text text = recording->text;
    while (recording_next_line(&text)) {
        if (is_digit(*text.line.begin)) {
            return true;
        }
    }
    return false;
}

static enum fovea_result take_number(const struct eyelink *eyelink, struct span *words,
                                     const char *name, struct span *out_word, double *out)
{
    *out_word = recording_next_word(words);
    if (!recording_number(&eyelink->recording->text, *out_word, out)) {
        return recording_wrong_field(&eyelink->recording->text, *out_word, name, "a finite number");
    }
    return FOVEA_OK;
}

/* x and y, of which either may be a point. */
static enum fovea_result take_place(const struct eyelink *eyelink, struct span *words,
                                    struct recording_eye *out_eye)
{
    double *const axes[] = {&out_eye->x, &out_eye->y};
    static const char *const names[] = {"x", "y"};
    const struct recording_text *text = &eyelink->recording->text;
    out_eye->seen = true;
    for (int axis = 0; axis < 2; axis++) {
        const struct span word = recording_next_word(words);
        if (recording_span_is(word, ".")) {
            out_eye->seen = false;
        } else if (!recording_number(text, word, axes[axis])) {
            return recording_wrong_field(text, word, names[axis],
                                         "a finite number, or a point for a lost sample");
        }
    }
    return FOVEA_OK;
}

/* ---- Lines that say how the others are to be read */

/* "left top right bottom" of pixels, the last ones included; some programs write a = before. */
static void take_coords(struct eyelink *eyelink, struct span words, bool of_gaze)
{
    struct recording *recording = eyelink->recording;
    double edges[4];
    for (int i = 0; i < 4; i++) {
        struct span word = recording_next_word(&words);
        if (recording_span_is(word, "=")) {
            word = recording_next_word(&words);
        }
        if (!recording_number(&recording->text, word, &edges[i])) {
            return;
        }
    }
    const bool is_screen = edges[2] > edges[0] && edges[3] > edges[1];
    if (is_screen && (of_gaze || !eyelink->has_gaze_coords)) {
        eyelink->has_gaze_coords |= of_gaze;
        for (int axis = 0; axis < 2; axis++) {
            recording->corner_px[axis] = edges[axis];
            recording->screen_px[axis] = edges[axis + 2] - edges[axis] + 1.0;
        }
    }
}

static void read_message(struct eyelink *eyelink, struct span words)
{
    (void)recording_next_word(&words); /* its time */
    for (int i = 0; i < 3; i++) { /* an offset and a sign may come before */
        const struct span word = recording_next_word(&words);
        const bool of_gaze = recording_span_is(word, "GAZE_COORDS");
        if (of_gaze || recording_span_is(word, "DISPLAY_COORDS")) {
            take_coords(eyelink, words, of_gaze);
            return;
        }
    }
}

static void read_eyes(struct eyelink *eyelink, struct span words)
{
    bool found[2] = {false, false};
    for (struct span word = recording_next_word(&words); recording_span_bytes(word) > 0;
         word = recording_next_word(&words)) {
        found[LEFT] |= recording_span_is(word, "LEFT");
        found[RIGHT] |= recording_span_is(word, "RIGHT");
    }
    if (found[LEFT] || found[RIGHT]) {
        memcpy(eyelink->has_eye, found, sizeof found);
        memset(eyelink->blinks, 0, sizeof eyelink->blinks);
    }
}

static enum fovea_result read_kind(struct eyelink *eyelink, struct span words)
{
    struct span rest = words;
    const struct span kind = recording_next_word(&rest);
    if (!recording_span_is(kind, "GAZE")) {
        return recording_wrong_field(&eyelink->recording->text, kind, "what positions are",
                                     "GAZE; convert the EDF again with gaze positions");
    }
    read_eyes(eyelink, words);
    return FOVEA_OK;
}

/* ---- Samples and events */

static enum fovea_result check_eyes(const struct eyelink *eyelink)
{
    const struct recording_text *text = &eyelink->recording->text;
    const enum fovea_gaze_eye eye = eyelink->recording->settings->scanpath_eye;
    if (!eyelink->has_eye[LEFT] && !eyelink->has_eye[RIGHT]) {
        return recording_wrong(text, text->line.begin,
                               "no line START or SAMPLES before it says which eyes these are");
    }
    if (eye == FOVEA_GAZE_EYE_LEFT && !eyelink->has_eye[LEFT]) {
        return recording_wrong(text, text->line.begin,
                               "the left eye is not recorded; set gaze.scanpath.eye=both");
    }
    if (eye == FOVEA_GAZE_EYE_RIGHT && !eyelink->has_eye[RIGHT]) {
        return recording_wrong(text, text->line.begin,
                               "the right eye is not recorded; set gaze.scanpath.eye=both");
    }
    return recording_check_space(eyelink->recording, text->line.begin);
}

static enum fovea_result read_sample(struct eyelink *eyelink)
{
    struct recording *recording = eyelink->recording;
    struct recording_eye eyes[2] = {{0}};
    struct span words = recording->text.line;
    struct span time;
    double t = 0.0;
    FOVEA_TRY(check_eyes(eyelink));
    FOVEA_TRY(take_number(eyelink, &words, "the time", &time, &t));
    for (int eye = LEFT; eye <= RIGHT; eye++) {
        if (eyelink->has_eye[eye]) {
            FOVEA_TRY(take_place(eyelink, &words, &eyes[eye]));
            (void)recording_next_word(&words); /* the pupil */
            eyes[eye].closed = eyelink->blinks[eye];
            eyes[eye].seen = eyes[eye].seen && !eyelink->blinks[eye];
        }
    }
    return recording_add(recording, time, t, recording_both(recording, eyes[LEFT], eyes[RIGHT]),
                         1.0);
}

/* One of the eyes that count has the events that do: those of two eyes overlap. */
static bool is_events_eye(const struct eyelink *eyelink, struct span eye)
{
    const bool wants_right = eyelink->recording->settings->scanpath_eye == FOVEA_GAZE_EYE_RIGHT;
    const bool left = eyelink->has_eye[LEFT] && !wants_right;
    return recording_span_is(eye, left ? "L" : "R");
}

/* eye, start, end, duration, x, y */
static enum fovea_result read_event(struct eyelink *eyelink, struct span words, bool is_fixation)
{
    const struct span eye = recording_next_word(&words);
    struct recording_eye gaze = {.closed = !is_fixation};
    struct span time;
    double t = 0.0;
    if (eyelink->has_samples || !is_events_eye(eyelink, eye)) {
        return FOVEA_OK;
    }
    FOVEA_TRY(check_eyes(eyelink));
    FOVEA_TRY(take_number(eyelink, &words, "the time", &time, &t));
    if (is_fixation) {
        (void)recording_next_word(&words);
        (void)recording_next_word(&words);
        FOVEA_TRY(take_place(eyelink, &words, &gaze));
    }
    return recording_add(eyelink->recording, time, t, gaze, 1.0);
}

static void read_blink(struct eyelink *eyelink, struct span words, bool begins)
{
    const struct span eye = recording_next_word(&words);
    if (recording_span_is(eye, "L") || recording_span_is(eye, "R")) {
        eyelink->blinks[recording_span_is(eye, "L") ? LEFT : RIGHT] = begins;
    }
}

/* Between two recordings of a file there is no gaze. */
static enum fovea_result read_end(struct eyelink *eyelink, struct span words)
{
    const struct recording_eye nowhere = {0};
    struct span time;
    double t = 0.0;
    FOVEA_TRY(take_number(eyelink, &words, "the time", &time, &t));
    if (eyelink->recording->rows->count == 0) {
        return FOVEA_OK;
    }
    return recording_add(eyelink->recording, time, t, nowhere, 0.0);
}

static enum fovea_result read_line(struct eyelink *eyelink)
{
    struct span words = eyelink->recording->text.line;
    if (is_digit(*words.begin)) {
        return read_sample(eyelink);
    }
    const struct span word = recording_next_word(&words);
    if (recording_span_is(word, "MSG")) {
        read_message(eyelink, words);
    } else if (recording_span_is(word, "START")) {
        read_eyes(eyelink, words);
    } else if (recording_span_is(word, "SAMPLES") ||
               (recording_span_is(word, "EVENTS") && !eyelink->has_samples)) {
        return read_kind(eyelink, words);
    } else if (recording_span_is(word, "SBLINK") || recording_span_is(word, "EBLINK")) {
        read_blink(eyelink, words, recording_span_is(word, "SBLINK"));
        return recording_span_is(word, "EBLINK") ? read_event(eyelink, words, false) : FOVEA_OK;
    } else if (recording_span_is(word, "EFIX")) {
        return read_event(eyelink, words, true);
    } else if (recording_span_is(word, "END")) {
        return read_end(eyelink, words);
    }
    return FOVEA_OK;
}

static enum fovea_result read(struct recording *recording)
{
    struct eyelink eyelink = {.recording = recording, .has_samples = has_samples(recording)};
    recording->text.delimiter = ' ';
    recording->space = RECORDING_PIXELS_DOWN;
    recording->ns_per_unit = recording_ns_per_unit(recording, RECORDING_NS_PER_MS);
    while (recording_next_line(&recording->text)) {
        FOVEA_TRY(read_line(&eyelink));
    }
    return FOVEA_OK;
}

const struct recording_reader recording_eyelink = {"EyeLink ASC", knows, read};
