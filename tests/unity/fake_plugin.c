/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* In the native plugin's place, for scripts that run without Unity: its device is there, and its
 * events are printed by whoever gets them. */

#include "plugin/unity/fovea_unity.h"

#include <stdio.h>
#include <stdlib.h>

void *fovea_unity_event_function(void)
{
    return &fovea_unity_event_function;
}

int32_t fovea_unity_event_base(void)
{
    return 700;
}

int32_t fovea_unity_uses_queue(void)
{
    return getenv("FOVEA_TEST_QUEUE") != NULL;
}

int32_t fovea_unity_needs_depth(void)
{
    return getenv("FOVEA_TEST_DEPTH") != NULL;
}

int32_t fovea_unity_configure(const char *json, char *out_error, int32_t bytes)
{
    printf("configure %s\n", json ? json : "");
    fflush(stdout);
    return json && out_error && bytes > 0 ? 0 : -1;
}

int32_t fovea_unity_set(const char *path, const char *value, char *out_error, int32_t bytes)
{
    return path && value && out_error && bytes > 0 ? 0 : -1;
}

int32_t fovea_unity_log(char *out_text, int32_t bytes)
{
    return out_text && bytes > 0 ? -1 : -2;
}
