/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_address.h"

#include "core/log.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

int gaze_addresses_find(const char *text, uint16_t port, int flags, struct gaze_addresses *out)
{
    char port_text[8];
    snprintf(port_text, sizeof port_text, "%u", port);
    /* One kind of socket, or each address would be found once for every kind. */
    const struct addrinfo hints = {
        .ai_flags = flags | AI_NUMERICSERV, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int error = getaddrinfo(text, port_text, &hints, &found);
    out->count = 0;
    if (error != 0) {
        return error;
    }
    for (const struct addrinfo *at = found; at && out->count < GAZE_ADDRESSES; at = at->ai_next) {
        struct gaze_address *address = &out->list[out->count++];
        memcpy(&address->storage, at->ai_addr, at->ai_addrlen);
        address->bytes = at->ai_addrlen;
    }
    freeaddrinfo(found);
    return out->count > 0 ? 0 : EAI_NONAME;
}

enum fovea_result gaze_address_parse(const char *setting, const char *text, uint16_t port,
                                     struct fovea_log log, struct gaze_address *out)
{
    struct gaze_addresses found;
    const int error = gaze_addresses_find(text, port, AI_NUMERICHOST, &found);
    if (error != 0) {
        log_error(log, "%s is \"%s\"; it must be a numeric address such as 127.0.0.1", setting,
                  text);
        return error == EAI_MEMORY ? FOVEA_ERROR_OUT_OF_MEMORY : FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out = found.list[0];
    return FOVEA_OK;
}

void gaze_address_set_port(struct gaze_address *address, uint16_t port)
{
    if (address->storage.ss_family == AF_INET) {
        ((struct sockaddr_in *)&address->storage)->sin_port = htons(port);
    } else {
        ((struct sockaddr_in6 *)&address->storage)->sin6_port = htons(port);
    }
}

uint16_t gaze_address_port(const struct gaze_address *address)
{
    return ntohs(address->storage.ss_family == AF_INET
                     ? ((const struct sockaddr_in *)&address->storage)->sin_port
                     : ((const struct sockaddr_in6 *)&address->storage)->sin6_port);
}
