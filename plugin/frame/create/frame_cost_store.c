/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A line of the file, newest first:
 *
 *     <seconds since 1970> <cuda or cpu> <its ns> <vulkan's ns> <width> <height> <key>
 *
 * Whole numbers, so that no locale changes them. A file with a line that is anything else is not
 * believed at all. */

#include "frame_cost.h"

#include "core/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD "fovea: what a frame costs 1\n"
#define KEPT 16
#define STALE_AFTER_S (30 * INT64_C(86400))
#define LONGEST_NS UINT64_C(1000000000000)

struct known {
    struct frame_cost_key key; /* "": the place is free */
    struct frame_cost cost;
};

static struct known process_knows[KEPT]; /* newest first */
static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Text ---- */

static bool take_number(const char **at, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        value = value * 10 + (uint64_t)(*digit - '0');
        if (value > most) {
            return false;
        }
    }
    if (digit == *at || *digit != ' ') {
        return false;
    }
    *out = value;
    *at = digit + 1;
    return true;
}

static bool take_peer(const char **at, enum fovea_backend *out)
{
    static const enum fovea_backend peers[] = {FOVEA_BACKEND_CUDA, FOVEA_BACKEND_CPU};
    for (int i = 0; i < 2; i++) {
        const char *name = fovea_backend_name(peers[i]);
        const size_t length = strlen(name);
        if (strncmp(*at, name, length) == 0 && (*at)[length] == ' ') {
            *at += length + 1;
            *out = peers[i];
            return true;
        }
    }
    return false;
}

static bool take_key(const char **at, struct frame_cost_key *out)
{
    const size_t length = strcspn(*at, "\n");
    if (length == 0 || length >= sizeof out->text || (*at)[length] != '\n') {
        return false;
    }
    memcpy(out->text, *at, length);
    out->text[length] = '\0';
    *at += length + 1;
    return true;
}

static bool take_line(const char **at, struct known *out)
{
    uint64_t when = 0;
    uint64_t peer_ns = 0;
    uint64_t vulkan_ns = 0;
    uint64_t width = 0;
    uint64_t height = 0;
    if (!take_number(at, INT64_MAX / 2, &when) || !take_peer(at, &out->cost.peer) ||
        !take_number(at, LONGEST_NS, &peer_ns) || !take_number(at, LONGEST_NS, &vulkan_ns) ||
        !take_number(at, 16384, &width) || !take_number(at, 16384, &height) ||
        !take_key(at, &out->key)) {
        return false;
    }
    out->cost.when_s = (int64_t)when;
    out->cost.peer_us = (double)peer_ns * 1e-3;
    out->cost.vulkan_us = (double)vulkan_ns * 1e-3;
    out->cost.width_px = (uint32_t)width;
    out->cost.height_px = (uint32_t)height;
    return peer_ns > 0 && vulkan_ns > 0 && width > 0 && height > 0;
}

/* Returns how many there are; 0 also if it is not a text of ours. */
static size_t parse(const char *text, struct known known[KEPT])
{
    if (strncmp(text, HEAD, strlen(HEAD)) != 0) {
        return 0;
    }
    size_t count = 0;
    for (const char *at = text + strlen(HEAD); *at;) {
        if (count == KEPT || !take_line(&at, &known[count])) {
            return 0;
        }
        count++;
    }
    return count;
}

static size_t print_line(char *out, size_t bytes, const struct known *known)
{
    const struct frame_cost *cost = &known->cost;
    const int length =
        snprintf(out, bytes, "%" PRId64 " %s %.0f %.0f %u %u %s\n", cost->when_s,
                 fovea_backend_name(cost->peer), cost->peer_us * 1e3, cost->vulkan_us * 1e3,
                 cost->width_px, cost->height_px, known->key.text);
    return length > 0 && (size_t)length < bytes ? (size_t)length : 0;
}

_Static_assert(KEPT *(sizeof(struct frame_cost_key) + 120) + sizeof HEAD < FRAME_COST_FILE_BYTES,
               "all of them fit into the file");

static void print(char text[FRAME_COST_FILE_BYTES], const struct known *known, size_t count)
{
    size_t length = strlen(HEAD);
    memcpy(text, HEAD, length + 1);
    for (size_t i = 0; i < count; i++) {
        length += print_line(text + length, FRAME_COST_FILE_BYTES - length, &known[i]);
        text[length] = '\0';
    }
}

/* ---- What is known ---- */

static const struct frame_cost *find(const struct known *known, size_t count,
                                     const struct frame_cost_key *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(known[i].key.text, key->text) == 0) {
            return &known[i].cost;
        }
    }
    return NULL;
}

/* Puts it in front; the old result of the key goes, or else the oldest. */
static void insert(struct known known[KEPT], const struct frame_cost_key *key,
                   const struct frame_cost *cost)
{
    size_t place = 0;
    while (place < KEPT - 1 && known[place].key.text[0] &&
           strcmp(known[place].key.text, key->text) != 0) {
        place++;
    }
    memmove(&known[1], &known[0], place * sizeof known[0]);
    known[0] = (struct known){.key = *key, .cost = *cost};
}

/* A driver, a kernel or a hypervisor may have changed in ways that no key shows. */
static bool fresh(const struct frame_cost *cost)
{
    const int64_t now_s = (int64_t)time(NULL);
    return cost->when_s <= now_s && now_s - cost->when_s <= STALE_AFTER_S;
}

static bool recall_here(const struct frame_cost_key *key, struct frame_cost *out_cost)
{
    pthread_mutex_lock(&process_lock);
    const struct frame_cost *cost = find(process_knows, KEPT, key);
    const bool found = cost && fresh(cost);
    if (found) {
        *out_cost = *cost;
    }
    pthread_mutex_unlock(&process_lock);
    return found;
}

static void keep_here(const struct frame_cost_key *key, const struct frame_cost *cost)
{
    pthread_mutex_lock(&process_lock);
    insert(process_knows, key, cost);
    pthread_mutex_unlock(&process_lock);
}

struct file {
    char text[FRAME_COST_FILE_BYTES];
    struct known known[KEPT]; /* zeroed but for what the file has */
};

static size_t read_file(struct fovea_log log, struct file *file)
{
    if (!frame_cost_file_read(log, file->text)) {
        return 0;
    }
    const size_t count = parse(file->text, file->known);
    if (count == 0) {
        log_debug(log, "the file of backend costs is not what Fovea wrote; it does not count");
        memset(file->known, 0, sizeof file->known);
    }
    return count;
}

bool frame_cost_recall(const struct frame_cost_key *key, struct fovea_log log,
                       struct frame_cost *out_cost)
{
    if (recall_here(key, out_cost)) {
        return true;
    }
    struct file *file = calloc(1, sizeof *file);
    if (!file) {
        return false;
    }
    const struct frame_cost *cost = find(file->known, read_file(log, file), key);
    const bool found = cost && fresh(cost);
    if (found) {
        *out_cost = *cost;
        keep_here(key, cost);
    }
    free(file);
    return found;
}

/* Two processes at once: the later one wins, and the other measures again some day. */
void frame_cost_keep(const struct frame_cost_key *key, struct fovea_log log,
                     const struct frame_cost *cost)
{
    keep_here(key, cost);
    struct file *file = calloc(1, sizeof *file);
    if (!file) {
        return;
    }
    const struct fovea_log silent = {0}; /* recalling has said what there is to say */
    const size_t count = read_file(silent, file);
    const bool again = find(file->known, count, key) != NULL;
    insert(file->known, key, cost);
    const size_t now = again || count == KEPT ? count : count + 1;
    print(file->text, file->known, now);
    frame_cost_file_write(log, file->text);
    free(file);
}

void frame_cost_forget(void)
{
    pthread_mutex_lock(&process_lock);
    memset(process_knows, 0, sizeof process_knows);
    pthread_mutex_unlock(&process_lock);
}
