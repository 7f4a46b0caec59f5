/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int runtime_lock(void)
{
    return pthread_mutex_lock(&lock);
}

void runtime_unlock(const int *locked)
{
    pthread_mutex_unlock(&lock);
}

const char *runtime_out(void)
{
    return getenv("FOVEA_TEST_XR_OUT");
}

void runtime_say(const char *format, ...)
{
    char path[1024];
    const char *folder = runtime_out();
    snprintf(path, sizeof path, "%s/calls.txt", folder ? folder : "");
    FILE *file = folder ? fopen(path, "a") : NULL;
    if (!file) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
}

XrResult runtime_refuse(XrResult result, const char *function, const char *why)
{
    runtime_say("refused %s %d %s", function, result, why);
    return result;
}

#define SCRIPTED 16 /* functions */

static uint32_t newest_call;

static uint32_t count_call(const char *function, size_t length)
{
    static struct {
        char name[64];
        uint32_t calls;
    } counted[SCRIPTED];
    for (size_t i = 0; i < SCRIPTED; i++) {
        if (counted[i].calls == 0) {
            snprintf(counted[i].name, sizeof counted[i].name, "%.*s", (int)length, function);
        }
        if (strncmp(counted[i].name, function, length) == 0 && counted[i].name[length] == '\0') {
            newest_call = ++counted[i].calls;
            return newest_call;
        }
    }
    abort();
}

/* Returns what a variable says of that call; NULL: nothing. */
static const char *find_script(const char *variable, const char *function, uint32_t call)
{
    const size_t length = strlen(function) - 1; /* without the _ */
    const char *at = getenv(variable);
    for (; at && *at; at += strcspn(at, ";"), at += *at == ';') {
        char *end = NULL;
        if (strncmp(at, function, length) == 0 && at[length] == ':' &&
            strtoul(at + length + 1, &end, 10) == call && *end == ':') {
            runtime_say("scripted %.*s %u %.*s", (int)length, function, call,
                        (int)strcspn(end + 1, ";"), end + 1);
            return end + 1;
        }
    }
    return NULL;
}

XrResult runtime_scripted(const char *function)
{
    static bool lost;
    const uint32_t call = count_call(function, strlen(function) - 1);
    const char *text = find_script("FOVEA_TEST_XR_RESULT", function, call);
    const XrResult result = text ? (XrResult)strtol(text, NULL, 10) : XR_SUCCESS;
    lost |= result == XR_ERROR_SESSION_LOST;
    return !text && lost ? XR_ERROR_SESSION_LOST : result;
}

const char *runtime_answer(const char *function)
{
    return find_script("FOVEA_TEST_XR_ANSWER", function, newest_call);
}

uint32_t runtime_number(const char *name, uint32_t otherwise)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 0) : otherwise;
}

void runtime_size(uint32_t *out_width_px, uint32_t *out_height_px)
{
    const char *text = getenv("FOVEA_TEST_XR_SIZE");
    char *end = NULL;
    *out_width_px = text ? (uint32_t)strtoul(text, &end, 10) : 320;
    *out_height_px = end && *end == 'x' ? (uint32_t)strtoul(end + 1, NULL, 10) : 352;
}

bool runtime_gaze_is(const char *word)
{
    const char *text = getenv("FOVEA_TEST_XR_GAZE");
    return text && strcmp(text, word) == 0;
}

bool runtime_gaze(uint32_t frame, double *out_yaw_deg, double *out_pitch_deg)
{
    const char *text = getenv("FOVEA_TEST_XR_GAZE");
    for (const char *next; text && frame > 0 && (next = strchr(text, ';')); frame--) {
        text = next + 1;
    }
    char *comma = NULL;
    *out_yaw_deg = text ? strtod(text, &comma) : 0;
    if (!text || comma == text || *comma != ',') {
        return false;
    }
    *out_pitch_deg = strtod(comma + 1, NULL);
    return true;
}

#define FUNCTIONS 128

static struct {
    const char *name;
    PFN_xrVoidFunction function;
    const bool *when;
} functions[FUNCTIONS];
static size_t function_count;

void runtime_add(const char *name, PFN_xrVoidFunction function, const bool *when)
{
    if (function_count == FUNCTIONS) {
        abort();
    }
    functions[function_count].name = name;
    functions[function_count].function = function;
    functions[function_count++].when = when;
}

PFN_xrVoidFunction runtime_find(const char *name)
{
    for (size_t i = 0; i < function_count; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return !functions[i].when || *functions[i].when ? functions[i].function : NULL;
        }
    }
    return NULL;
}
