/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a list of cookies for X servers: what is found lies within them. */
#include "plugin/layer/input/layer_input_cookie.h"

#include "require.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cookie_server server = {.place_count = 1, .number = "0"};
    server.places[0] = (struct cookie_place){.family = COOKIE_LOCAL, .bytes = 4};
    memcpy(server.places[0].address, "host", 4);
    struct cookie cookie;
    const bool found = cookie_find(data, size, &server, &cookie);
    REQUIRE(found || cookie.bytes == 0);
    REQUIRE(cookie.bytes == 0 ||
            (size > cookie.bytes && memmem(data, size, cookie.data, cookie.bytes)));
    return 0;
}
