/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_host.h"

#include "core/descriptor.h"
#include "core/log.h"
#include "core/thread.h"

#include <netdb.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The last of the two that have it frees it. */
struct question {
    atomic_int owners; /* who asked, and the thread */
    int answered; /* readable once the rest is there */
    char text[FOVEA_NAME_MAX];
    uint16_t port;
    struct gaze_addresses found;
    atomic_int error; /* stored behind them */
};

/* Digits and dots, or a colon, are no name. */
static bool can_be_name(const char *text)
{
    const size_t bytes = strlen(text);
    return strspn(text, "0123456789.") < bytes &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
               bytes;
}

enum fovea_result gaze_host_check(const char *setting, const char *text, struct fovea_log log)
{
    struct gaze_addresses found;
    if (can_be_name(text) || gaze_addresses_find(text, 0, AI_NUMERICHOST, &found) == 0) {
        return FOVEA_OK;
    }
    log_error(log,
              "%s is \"%s\"; it must be an address, such as 192.168.1.20, or the name of a "
              "machine, without a port",
              setting, text);
    return FOVEA_ERROR_INVALID_ARGUMENT;
}

static void let_go(struct question *question)
{
    if (atomic_fetch_sub(&question->owners, 1) == 1) {
        close(question->answered);
        free(question);
    }
}

static void *answer(void *user)
{
    struct question *question = user;
    const int error = gaze_addresses_find(question->text, question->port, 0, &question->found);
    atomic_store(&question->error, error);
    (void)eventfd_write(question->answered, 1);
    let_go(question);
    return NULL;
}

/* NULL: for want of memory, descriptors or threads. */
static struct question *ask(const char *text, uint16_t port)
{
    pthread_t thread;
    struct question *question = calloc(1, sizeof *question);
    if (!question) {
        return NULL;
    }
    atomic_store(&question->owners, 2);
    atomic_store(&question->error, EAI_AGAIN); /* there is no answer yet */
    snprintf(question->text, sizeof question->text, "%s", text);
    question->port = port;
    question->answered = descriptor_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (question->answered < 0 || thread_start(&thread, answer, question) != 0) {
        if (question->answered >= 0) {
            close(question->answered);
        }
        free(question);
        return NULL;
    }
    (void)pthread_setname_np(thread, "fovea-gaze-name");
    (void)pthread_detach(thread); /* it comes back to our code one day: that stays (-z nodelete) */
    return question;
}

const char *gaze_host_find(struct gaze_feed *feed, const char *text, uint16_t port,
                           struct gaze_addresses *out)
{
    if (gaze_addresses_find(text, port, AI_NUMERICHOST, out) == 0) {
        return NULL;
    }
    struct question *question = ask(text, port);
    const char *why = "no thread can look for its name";
    if (question) {
        why = "the source is closed";
        if (gaze_feed_wait(feed, question->answered, POLLIN, -1)) {
            const int error = atomic_load(&question->error);
            why = error != 0 ? gai_strerror(error) : NULL;
            *out = question->found;
        }
        let_go(question);
    }
    return why;
}
