/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea for Psychtoolbox: a MEX file for Octave or MATLAB. FoveaDemo.m shows its use.
 *
 *     mkoctfile --mex FoveaGL.c $(pkg-config --cflags --libs fovea)
 *
 *     way = FoveaGL('Open', 'foveation.model=physical', ...)   settings, as PATH=VALUE
 *     done = FoveaGL('Foveate', texture, target, x, y)         in place, around x and y in uv
 *     FoveaGL('Close')
 *
 * All three between Screen('BeginOpenGL') and Screen('EndOpenGL') of the same window. `done` is 1;
 * 0: there was no gaze (NaN), and the texture stays. What goes wrong is an error with Fovea's own
 * words. */
#include <fovea.h>
#include <fovea_gl.h>

#include <mex.h>

#include <stdio.h>

static struct fovea_gl *fovea;
static char said[512]; /* the last warning or error */

static void hear(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    snprintf(said, sizeof said, "%s", message);
}

static const struct fovea_log fovea_log = {.fn = hear, .min_level = FOVEA_LOG_WARNING};

/* Leaves the MEX file if the result is an error. */
static void check(enum fovea_result result)
{
    char words[sizeof said];
    memcpy(words, said, sizeof words);
    said[0] = '\0';
    if (result < 0) {
        mexErrMsgIdAndTxt("FoveaGL:failed", "%s: %s", fovea_result_name(result), words);
    }
    if (words[0]) {
        mexWarnMsgIdAndTxt("FoveaGL:warning", "%s", words);
    }
}

static void finish(void)
{
    fovea_gl_destroy(&fovea);
}

/* "foveation.model=physical" */
static enum fovea_result set(struct fovea_settings *settings, const mxArray *argument)
{
    char text[512] = "";
    (void)mxGetString(argument, text, sizeof text);
    char *value = strchr(text, '=');
    if (!value) {
        snprintf(said, sizeof said, "\"%s\" is not PATH=VALUE", text);
        return FOVEA_ERROR_CONFIG;
    }
    *value++ = '\0';
    return fovea_settings_set(settings, text, value, fovea_log);
}

static void open(int count, const mxArray *const *arguments, mxArray **out)
{
    struct fovea_settings *settings = NULL;
    struct fovea_gl_desc desc;
    fovea_gl_desc_init(&desc);
    fovea_gl_destroy(&fovea);
    enum fovea_result result = fovea_settings_create(&settings);
    for (int i = 0; i < count && result >= 0; i++) {
        result = set(settings, arguments[i]);
    }
    if (result >= 0) {
        desc.settings = settings;
        desc.log = fovea_log;
        result = fovea_gl_create(&desc, &fovea);
    }
    fovea_settings_destroy(&settings);
    check(result);
    (void)mexAtExit(finish);
    *out = mxCreateString(fovea_gl_way_reason(fovea));
}

static void foveate(int count, const mxArray *const *arguments, mxArray **out)
{
    if (count != 4 || !fovea) {
        mexErrMsgIdAndTxt("FoveaGL:use",
                          "FoveaGL('Open', ...), then FoveaGL('Foveate', texture, target, x, y)");
    }
    struct fovea_gl_frame frame;
    fovea_gl_frame_init(&frame);
    frame.src.name = (uint32_t)mxGetScalar(arguments[0]);
    frame.src.target = (uint32_t)mxGetScalar(arguments[1]);
    frame.dst = frame.src;
    frame.gaze.point.x_uv = mxGetScalar(arguments[2]);
    frame.gaze.point.y_uv = mxGetScalar(arguments[3]);
    frame.gaze.usable = true;
    const enum fovea_result result = fovea_gl_foveate(fovea, &frame);
    check(result);
    *out = mxCreateDoubleScalar(result == FOVEA_OK);
}

void mexFunction(int out_count, mxArray *out[], int count, const mxArray *arguments[])
{
    char what[16] = "";
    (void)out_count;
    if (count > 0) {
        (void)mxGetString(arguments[0], what, sizeof what);
    }
    if (!strcmp(what, "Open")) {
        open(count - 1, arguments + 1, &out[0]);
    } else if (!strcmp(what, "Foveate")) {
        foveate(count - 1, arguments + 1, &out[0]);
    } else if (!strcmp(what, "Close")) {
        finish();
    } else {
        mexErrMsgIdAndTxt("FoveaGL:use",
                          "FoveaGL: Open, Foveate or Close; the head of FoveaGL.c says more");
    }
}
