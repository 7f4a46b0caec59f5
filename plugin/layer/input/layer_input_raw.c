/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input_raw.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

/* XI2proto.txt: requests, events and the device that stands for all keyboards in use. */
#define XI_SELECT_EVENTS 46
#define XI_QUERY_VERSION 47
#define XI_RAW_KEY_PRESS 13
#define XI_RAW_KEY_RELEASE 14
#define XI_ALL_MASTER_DEVICES 1

struct version_request {
    uint8_t major_opcode, minor_opcode;
    uint16_t length;
    uint16_t major, minor;
};

struct version_reply {
    uint8_t type, padding;
    uint16_t sequence;
    uint32_t length;
    uint16_t major, minor;
    uint8_t rest[20];
};

struct select_request {
    uint8_t major_opcode, minor_opcode;
    uint16_t length;
    uint32_t window;
    uint16_t mask_count, padding;
    uint16_t device, mask_words;
    uint32_t mask;
};

struct raw_event {
    uint8_t type, extension;
    uint16_t sequence;
    uint32_t length;
    uint16_t event_type, device;
    uint32_t time_ms;
    uint32_t keycode;
    uint16_t source, valuator_words;
    uint32_t flags;
    uint32_t padding;
};

_Static_assert(sizeof(struct version_reply) == 32 && sizeof(struct raw_event) == 32 &&
                   sizeof(struct select_request) == 20,
               "as they are on the wire");

/* libxcb writes the length, and uses the two places before the request for itself. */
static unsigned send(const struct x11 *x11, uint8_t opcode, void *request, size_t bytes, bool reply)
{
    struct iovec parts[3] = {{0}, {0}, {.iov_base = request, .iov_len = bytes}};
    const xcb_protocol_request_t protocol = {.count = 1, .opcode = opcode, .isvoid = !reply};
    return x11->send_request(x11->connection, reply ? XCB_REQUEST_CHECKED : 0, parts + 2,
                             &protocol);
}

static uint8_t find_extension(const struct x11 *x11)
{
    static const char name[] = "XInputExtension";
    xcb_query_extension_reply_t *reply =
        x11_reply(x11, x11->query_extension(x11->connection, sizeof name - 1, name).sequence);
    const uint8_t opcode = reply && reply->present ? reply->major_opcode : 0;
    free(reply);
    return opcode;
}

/* In 2.0 who grabs a keyboard keeps its raw events, too. */
void raw_keys_open(struct raw_keys *raw, const struct x11 *x11)
{
    *raw = (struct raw_keys){0};
    const uint8_t opcode = find_extension(x11);
    struct version_request request = {
        .major_opcode = opcode, .minor_opcode = XI_QUERY_VERSION, .major = 2, .minor = 1};
    if (opcode == 0) {
        return;
    }
    struct version_reply *reply = x11_reply(x11, send(x11, opcode, &request, sizeof request, true));
    if (reply && (reply->major > 2 || (reply->major == 2 && reply->minor >= 1))) {
        raw->opcode = opcode;
    }
    free(reply);
}

static void ask_for(const struct raw_keys *raw, const struct x11 *x11, xcb_window_t root,
                    uint32_t mask)
{
    struct select_request request = {.major_opcode = raw->opcode,
                                     .minor_opcode = XI_SELECT_EVENTS,
                                     .window = root,
                                     .mask_count = 1,
                                     .device = XI_ALL_MASTER_DEVICES,
                                     .mask_words = 1,
                                     .mask = mask};
    (void)send(x11, raw->opcode, &request, sizeof request, false);
    (void)x11->flush(x11->connection);
}

void raw_keys_hear(struct raw_keys *raw, const struct x11 *x11, xcb_window_t root)
{
    if (raw->opcode == 0 || raw->root == root) {
        return;
    }
    if (raw->root != 0) {
        ask_for(raw, x11, raw->root, 0);
    }
    if (root != 0) {
        ask_for(raw, x11, root, 1u << XI_RAW_KEY_PRESS | 1u << XI_RAW_KEY_RELEASE);
    }
    raw->root = root;
}

bool raw_keys_event(const struct raw_keys *raw, const xcb_generic_event_t *event,
                    struct raw_key *out_key)
{
    struct raw_event known;
    if (raw->opcode == 0 || (event->response_type & 0x7f) != XCB_GE_GENERIC) {
        return false;
    }
    memcpy(&known, event, sizeof known);
    if (known.extension != raw->opcode ||
        (known.event_type != XI_RAW_KEY_PRESS && known.event_type != XI_RAW_KEY_RELEASE)) {
        return false;
    }
    *out_key = (struct raw_key){.keycode = known.keycode,
                                .time_ms = known.time_ms,
                                .down = known.event_type == XI_RAW_KEY_PRESS};
    return true;
}
