/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_log.h"
#include "layer_session.h"

#include "core/descriptor.h"
#include "core/log.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES 2304

static atomic_int file = -1;
static atomic_int least = FOVEA_LOG_INFO;

static const char *name_of(enum fovea_log_level level)
{
    switch (level) {
    case FOVEA_LOG_ERROR:
        return "error: ";
    case FOVEA_LOG_WARNING:
        return "warning: ";
    case FOVEA_LOG_INFO:
        return "";
    case FOVEA_LOG_DEBUG:
        break;
    }
    return "debug: ";
}

/* stderr may be a pipe that nobody reads, which would stop the program, or one whose reader has
 * gone, which would end it. */
static bool takes_a_line(int to)
{
    struct pollfd ready = {.fd = to, .events = POLLOUT};
    return poll(&ready, 1, 0) == 1 && ready.revents == POLLOUT;
}

/* If stderr is closed, the next file that the program opens gets its number, an X connection for
 * example. Such a file is closed on exec as a rule, and stderr never is. */
static bool is_stderr(void)
{
    const int flags = fcntl(STDERR_FILENO, F_GETFD);
    return flags >= 0 && !(flags & FD_CLOEXEC);
}

/* One call of write for a line, so that lines of several threads do not mix; what cannot be written
 * is lost. */
static void write_line(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    char line[LINE_BYTES];
    const int length = snprintf(line, sizeof line, "fovea: %s%.2200s\n", name_of(level), message);
    const int opened = atomic_load(&file);
    const int to = opened < 0 ? STDERR_FILENO : opened;
    const bool wanted = opened >= 0 || (level >= FOVEA_LOG_WARNING && is_stderr());
    if (!wanted || !takes_a_line(to)) {
        return;
    }
    const ssize_t written = write(to, line, (size_t)length);
    (void)written;
}

struct fovea_log layer_log(void)
{
    return (struct fovea_log){.fn = write_line,
                              .min_level = (enum fovea_log_level)atomic_load(&least)};
}

void layer_log_set_level(enum fovea_log_level level)
{
    atomic_store(&least, level);
}

/* Regular files only: a pipe that nobody reads would stop the program. */
static int open_file(const char *name)
{
    const int opened = descriptor_above_standard(
        open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
    struct stat status;
    if (opened >= 0 && (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(opened);
        return -1;
    }
    return opened;
}

void layer_log_open(void)
{
    const char *name = secure_getenv("FOVEA_LOG_FILE");
    if (!name || !*name) {
        return;
    }
    const int opened = strcmp(name, "stderr") != 0 ? open_file(name)
                       : is_stderr()               ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
                                                   : -1;
    if (opened < 0) {
        write_line(NULL, FOVEA_LOG_WARNING,
                   "FOVEA_LOG_FILE is not a file that can be written; only warnings are shown");
    }
    atomic_store(&file, opened);
}

void layer_log_close(void)
{
    const int opened = atomic_exchange(&file, -1);
    if (opened >= 0) {
        close(opened);
    }
    atomic_store(&least, FOVEA_LOG_INFO);
}

void layer_say_once(struct layer_device *device, enum layer_said what, const char *reason)
{
    log_once(&device->said, what, FOVEA_LOG_INFO, layer_log(), "presents are passed through: %s",
             reason);
}
