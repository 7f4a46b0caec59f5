/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_lsl_channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* x and y of two eyes, and confidence */
#define WANTED_MAX 5

static bool is_called(const struct lsl_label *label, const char *name)
{
    return strcasecmp(label->label, name) == 0 || strcasecmp(label->type, name) == 0;
}

/* -> how many there are; the first two in `out`. */
static size_t find_called(const struct lsl_label *labels, size_t count, const char *name,
                          size_t out[2])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_called(&labels[i], name)) {
            if (found < 2) {
                out[found] = i;
            }
            found++;
        }
    }
    return found;
}

static void find_confidence(const struct lsl_label *labels, size_t count, struct lsl_channels *out)
{
    size_t found[2] = {0};
    out->has_confidence = find_called(labels, count, "Confidence", found) == 1;
    out->confidence = found[0];
}

static bool choose_known(const struct lsl_label *labels, size_t count, struct lsl_channels *out)
{
    static const char *const known[][2] = {
        {"ScreenX", "ScreenY"}, {"norm_pos_x", "norm_pos_y"}, {"gaze_x", "gaze_y"}, {"x", "y"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t xs = find_called(labels, count, known[i][0], out->x);
        const size_t ys = find_called(labels, count, known[i][1], out->y);
        if (xs == ys && (xs == 1 || xs == 2)) {
            out->eyes = xs;
            find_confidence(labels, count, out);
            return true;
        }
    }
    return false;
}

/* A label, else a type, else a number from 1. */
static bool find_one(const struct lsl_label *labels, size_t count, const char *name, size_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(labels[i].label, name) == 0) {
            *out = i;
            return true;
        }
    }
    size_t found[2] = {0};
    if (find_called(labels, count, name, found) == 1) {
        *out = found[0];
        return true;
    }
    char *end = NULL;
    const unsigned long number = strtoul(name, &end, 10);
    *out = number - 1;
    return name[0] >= '0' && name[0] <= '9' && *end == '\0' && number >= 1 && number <= count;
}

/* Cuts at commas; spaces around a name do not count. -> how many there are, more than WANTED_MAX if
 * there are too many. */
static size_t split(char *text, char *names[WANTED_MAX])
{
    size_t count = 0;
    char *rest = text;
    for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
        name += strspn(name, " ");
        for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--) {
            name[n - 1] = '\0';
        }
        if (count < WANTED_MAX) {
            names[count] = name;
        }
        count++;
    }
    return count;
}

static const char *choose_wanted(const char *wanted, const struct lsl_label *labels, size_t count,
                                 char *why, size_t why_bytes, struct lsl_channels *out)
{
    char text[256];
    snprintf(text, sizeof text, "%s", wanted);
    char *names[WANTED_MAX];
    const size_t names_count = split(text, names);
    if (names_count < 2 || names_count > WANTED_MAX) {
        return "gaze.lsl.channels names x and y, or x and y of the left and of the right eye, and "
               "perhaps confidence";
    }
    size_t at[WANTED_MAX];
    for (size_t i = 0; i < names_count; i++) {
        if (!find_one(labels, count, names[i], &at[i])) {
            snprintf(why, why_bytes, "there is no channel %.80s, which gaze.lsl.channels names",
                     names[i]);
            return why;
        }
    }
    out->eyes = names_count / 2;
    for (size_t eye = 0; eye < out->eyes; eye++) {
        out->x[eye] = at[2 * eye];
        out->y[eye] = at[2 * eye + 1];
    }
    out->has_confidence = names_count % 2 == 1;
    out->confidence = out->has_confidence ? at[names_count - 1] : 0;
    return NULL;
}

/* Names what there is, so that a person can choose. */
static const char *unknown(const struct lsl_label *labels, size_t count, char *why,
                           size_t why_bytes)
{
    size_t used = (size_t)snprintf(why, why_bytes,
                                   "which channels are the gaze is not known: set "
                                   "gaze.lsl.channels to two of");
    for (size_t i = 0; i < count && used < why_bytes; i++) {
        const char *label = labels[i].label[0] ? labels[i].label : labels[i].type;
        used += (size_t)snprintf(why + used, why_bytes - used, "%s %zu%s%s", i > 0 ? "," : "",
                                 i + 1, label[0] ? "=" : "", label);
    }
    return why;
}

const char *lsl_channels_choose(const char *wanted, const struct lsl_label *labels, size_t count,
                                char *why, size_t why_bytes, struct lsl_channels *out)
{
    *out = (struct lsl_channels){0};
    if (wanted[0] != '\0') {
        return choose_wanted(wanted, labels, count, why, why_bytes, out);
    }
    return choose_known(labels, count, out) ? NULL : unknown(labels, count, why, why_bytes);
}

static bool counts(const struct lsl_channels *channels, enum fovea_gaze_eye wanted, size_t eye)
{
    const enum fovea_gaze_eye other = eye == 0 ? FOVEA_GAZE_EYE_RIGHT : FOVEA_GAZE_EYE_LEFT;
    return channels->eyes < 2 || wanted != other;
}

struct fovea_gaze_sample lsl_channels_sample(const struct lsl_channels *channels,
                                             enum fovea_gaze_eye wanted, const double *numbers)
{
    struct fovea_gaze_sample sample = {.confidence = 1.0};
    size_t seen = 0;
    for (size_t eye = 0; eye < channels->eyes; eye++) {
        const double x = numbers[channels->x[eye]];
        const double y = numbers[channels->y[eye]];
        if (counts(channels, wanted, eye) && isfinite(x) && isfinite(y)) {
            sample.x += (x - sample.x) / (double)(seen + 1);
            sample.y += (y - sample.y) / (double)(seen + 1);
            seen++;
        }
    }
    if (channels->has_confidence) {
        const double confidence = numbers[channels->confidence];
        sample.confidence = isnan(confidence) ? 0.0 : confidence;
    }
    sample.blink = seen == 0 || !isfinite(sample.x) || !isfinite(sample.y);
    return sample;
}

bool lsl_channels_places(const struct lsl_channels *channels, const double *numbers,
                         double out_x[2], double out_y[2])
{
    for (size_t eye = 0; eye < 2; eye++) {
        out_x[eye] = numbers[channels->x[eye]];
        out_y[eye] = numbers[channels->y[eye]];
    }
    return channels->eyes == 2;
}
