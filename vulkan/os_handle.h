/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An operating system's handle of memory or of a semaphore, as Vulkan exports it. A type of its
 * own, so that another system's handles are one file to add. */
#pragma once

#include <stdbool.h>

struct os_handle {
    int fd;
};

#define OS_HANDLE_INVALID ((struct os_handle){.fd = -1})

/* Accepts an invalid one; makes it invalid. */
void os_handle_close(struct os_handle *handle);
