/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "unity.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#define MESSAGES 64
#define MESSAGE_BYTES 512

struct message {
    enum fovea_log_level level;
    char text[MESSAGE_BYTES];
};

/* Messages come once for each change of state, and whoever holds the lock copies one. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct message messages[MESSAGES];
static uint32_t first;
static uint32_t count;

static void keep(void *user, enum fovea_log_level level, const char *text)
{
    (void)user;
    pthread_mutex_lock(&lock);
    if (count == MESSAGES) {
        first++;
        count--;
    }
    struct message *message = &messages[(first + count++) % MESSAGES];
    message->level = level;
    snprintf(message->text, sizeof message->text, "%s", text);
    pthread_mutex_unlock(&lock);
}

struct fovea_log unity_log(void)
{
    return (struct fovea_log){.fn = keep, .min_level = FOVEA_LOG_INFO};
}

void unity_say(enum fovea_log_level level, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(NULL, level, text);
}

UNITY_EXPORT int32_t fovea_unity_log(char *out_text, int32_t bytes)
{
    int32_t level = -1;
    pthread_mutex_lock(&lock);
    if (count > 0 && out_text && bytes > 0) {
        const struct message *message = &messages[first++ % MESSAGES];
        count--;
        level = (int32_t)message->level;
        snprintf(out_text, (size_t)bytes, "%s", message->text);
    }
    pthread_mutex_unlock(&lock);
    return level;
}
