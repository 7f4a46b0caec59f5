/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A program may have closed its standard streams. Then the next file that anybody opens gets the
 * number of one of them, and what the program prints is written there: an event is told so, too. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The open file under a number that is no standard stream's; closed on exec. -1, and it is closed:
 * no number is left, or it was -1. errno says why. */
static inline int descriptor_above_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO) {
        return file;
    }
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    close(file);
    errno = error;
    return moved;
}
