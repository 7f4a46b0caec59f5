/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_input_cookie.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Where the server is --------------------------------------------------------------------- */

static void add_place(struct cookie_server *server, enum cookie_family family, const void *address,
                      size_t bytes)
{
    if (server->place_count < COOKIE_PLACES_MAX && bytes <= COOKIE_ADDRESS_MAX) {
        struct cookie_place *place = &server->places[server->place_count++];
        place->family = (uint16_t)family;
        place->bytes = (uint16_t)bytes;
        memcpy(place->address, address, bytes);
    }
}

static void add_this_machine(struct cookie_server *server)
{
    char name[COOKIE_ADDRESS_MAX + 1] = "";
    if (gethostname(name, sizeof name - 1) == 0) {
        add_place(server, COOKIE_LOCAL, name, strlen(name));
    }
}

static void add_internet(struct cookie_server *server, const struct in_addr *address)
{
    if (address->s_addr == htonl(INADDR_LOOPBACK)) {
        add_this_machine(server);
    } else {
        add_place(server, COOKIE_INTERNET, address, sizeof *address);
    }
}

static void add_internet6(struct cookie_server *server, const struct in6_addr *address)
{
    struct in_addr mapped;
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        memcpy(&mapped, address->s6_addr + 12, sizeof mapped);
        add_internet(server, &mapped);
    } else if (IN6_IS_ADDR_LOOPBACK(address)) {
        add_this_machine(server);
    } else {
        add_place(server, COOKIE_INTERNET6, address, sizeof *address);
    }
}

static void add_other_machine(struct cookie_server *server, const char *host)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, NULL, &hints, &found) != 0) {
        return;
    }
    for (const struct addrinfo *one = found; one; one = one->ai_next) {
        if (one->ai_family == AF_INET) {
            add_internet(server,
                         &((const struct sockaddr_in *)(const void *)one->ai_addr)->sin_addr);
        } else if (one->ai_family == AF_INET6) {
            add_internet6(server,
                          &((const struct sockaddr_in6 *)(const void *)one->ai_addr)->sin6_addr);
        }
    }
    freeaddrinfo(found);
}

void cookie_server_find(const char *host, int display, struct cookie_server *out_server)
{
    *out_server = (struct cookie_server){0};
    snprintf(out_server->number, sizeof out_server->number, "%d", display);
    if (!host[0] || host[0] == '/' || strcmp(host, "unix") == 0) {
        add_this_machine(out_server);
    } else {
        add_other_machine(out_server, host);
    }
}

/* ---- The list -------------------------------------------------------------------------------- */

struct reader {
    const uint8_t *at;
    size_t left;
};

struct counted {
    const uint8_t *data;
    uint16_t bytes;
};

struct entry {
    uint16_t family;
    struct counted address, number, name, data;
};

static bool read_number(struct reader *reader, uint16_t *out_number)
{
    if (reader->left < 2) {
        return false;
    }
    *out_number = (uint16_t)(reader->at[0] << 8 | reader->at[1]);
    reader->at += 2;
    reader->left -= 2;
    return true;
}

static bool read_counted(struct reader *reader, struct counted *out)
{
    if (!read_number(reader, &out->bytes) || reader->left < out->bytes) {
        return false;
    }
    out->data = reader->at;
    reader->at += out->bytes;
    reader->left -= out->bytes;
    return true;
}

static bool read_entry(struct reader *reader, struct entry *out)
{
    return read_number(reader, &out->family) && read_counted(reader, &out->address) &&
           read_counted(reader, &out->number) && read_counted(reader, &out->name) &&
           read_counted(reader, &out->data);
}

static bool is(const struct counted *text, const void *wanted, size_t bytes)
{
    return text->bytes == bytes && (bytes == 0 || memcmp(text->data, wanted, bytes) == 0);
}

static bool is_of_place(const struct entry *entry, const struct cookie_server *server)
{
    bool found = entry->family == COOKIE_WILD;
    for (size_t i = 0; i < server->place_count && !found; i++) {
        const struct cookie_place *place = &server->places[i];
        found = entry->family == place->family && is(&entry->address, place->address, place->bytes);
    }
    return found;
}

/* An entry without a number is for every display of its machine. */
static bool fits(const struct entry *entry, const struct cookie_server *server)
{
    return is(&entry->name, COOKIE_NAME, sizeof COOKIE_NAME - 1) &&
           entry->data.bytes <= COOKIE_BYTES_MAX &&
           (entry->number.bytes == 0 ||
            is(&entry->number, server->number, strlen(server->number))) &&
           is_of_place(entry, server);
}

bool cookie_find(const uint8_t *list, size_t bytes, const struct cookie_server *server,
                 struct cookie *out_cookie)
{
    struct reader reader = {list, bytes};
    struct entry entry;
    *out_cookie = (struct cookie){0};
    while (read_entry(&reader, &entry)) {
        if (fits(&entry, server)) {
            out_cookie->bytes = entry.data.bytes;
            memcpy(out_cookie->data, entry.data.data, entry.data.bytes);
            return true;
        }
    }
    return false;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* -> how many bytes; 0: it is empty, no regular file, too long, or cannot be read. */
static size_t read_file(int file, uint8_t **out_bytes)
{
    struct stat status;
    *out_bytes = NULL;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        status.st_size > COOKIE_FILE_BYTES_MAX) {
        return 0;
    }
    *out_bytes = malloc((size_t)status.st_size);
    const ssize_t count = *out_bytes ? read(file, *out_bytes, (size_t)status.st_size) : 0;
    return count > 0 ? (size_t)count : 0;
}

bool cookie_read(const char *file, const struct cookie_server *server, struct cookie *out_cookie)
{
    *out_cookie = (struct cookie){0};
    const int opened = file ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (opened < 0) {
        return false;
    }
    uint8_t *list = NULL;
    const size_t bytes = read_file(opened, &list);
    close(opened);
    const bool found = cookie_find(list, bytes, server, out_cookie);
    free(list);
    return found;
}

char *cookie_file(void)
{
    const char *named = getenv("XAUTHORITY");
    const char *home = getenv("HOME");
    char *path = NULL;
    if (named && named[0]) {
        return strdup(named);
    }
    if (home && home[0] && asprintf(&path, "%s/.Xauthority", home) < 0) {
        path = NULL;
    }
    return path;
}
