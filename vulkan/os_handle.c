/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "os_handle.h"

#include <unistd.h>

static bool is_valid(struct os_handle handle)
{
    return handle.fd >= 0;
}

void os_handle_close(struct os_handle *handle)
{
    if (is_valid(*handle)) {
        close(handle->fd);
    }
    *handle = OS_HANDLE_INVALID;
}
