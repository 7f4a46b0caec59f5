/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_neon_time.h"

#include "core/descriptor.h"
#include "plugin/gaze/gaze_source.h"

#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#define ASK_EVERY_NS GAZE_NS_PER_S
#define AGAIN_NS (10 * GAZE_NS_PER_S) /* after an echo that is not there, or that is silent */
#define ANSWER_NS (2 * GAZE_NS_PER_S)
/* An answer that was longer under way than others says little of the clock. */
#define QUICK_NS (5 * GAZE_NS_PER_MS)
#define OLD_NS (5 * GAZE_NS_PER_S)
#define PHONE_MAX_MS UINT64_C(4000000000000) /* so many are nanoseconds that can be added */

void gaze_neon_time_begin(struct gaze_neon_time *time, uint32_t clock_hz)
{
    time->clock_hz = clock_hz;
    time->has_first = false;
    time->is_unix = false;
    time->clock = (struct gaze_clock){0};
}

static int64_t since_ns(const struct gaze_neon_time *time, uint32_t at)
{
    return (int64_t)(int32_t)(at - time->at) * GAZE_NS_PER_S / time->clock_hz;
}

void gaze_neon_time_report(struct gaze_neon_time *time, uint32_t at, int64_t unix_ns)
{
    if (!time->is_unix) {
        time->clock = (struct gaze_clock){0};
    }
    time->has_first = true;
    time->is_unix = true;
    time->at = at;
    time->at_ns = unix_ns;
}

/* Returns the time on the clock of the sender. */
static int64_t sender_ns_of(struct gaze_neon_time *time, uint32_t at)
{
    if (!time->has_first) {
        time->has_first = true;
        time->at = at;
        time->at_ns = 0;
    }
    const int64_t ns = gaze_time_add(time->at_ns, since_ns(time, at));
    if (!time->is_unix) {
        time->at = at;
        time->at_ns = ns;
    }
    return ns;
}

int64_t gaze_neon_time_place(struct gaze_neon_time *time, uint32_t at, int64_t arrival_ns)
{
    const int64_t sender_ns = sender_ns_of(time, at);
    int64_t t_ns = gaze_time_add(sender_ns, time->apart_ns);
    const int64_t age_ns = gaze_time_sub(arrival_ns, t_ns);
    const bool is_told = time->is_unix && time->knows_apart && age_ns > -OLD_NS && age_ns < OLD_NS;
    if (!is_told && !gaze_clock_place(&time->clock, (double)sender_ns * 1e-9, arrival_ns, &t_ns)) {
        t_ns = time->last_ns;
    }
    t_ns = t_ns > time->last_ns ? t_ns : time->last_ns;
    time->last_ns = t_ns < arrival_ns ? t_ns : arrival_ns;
    return time->last_ns;
}

/* ---- The echo */

static uint64_t big_endian(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static void wait_with_echo(struct gaze_neon_time *time, int64_t now_ns)
{
    if (time->echo >= 0) {
        close(time->echo);
    }
    time->echo = -1;
    time->is_asked = false;
    time->ask_ns = gaze_time_add(now_ns, AGAIN_NS);
}

static void send_time(struct gaze_neon_time *time, int64_t now_ns)
{
    const uint64_t ms = (uint64_t)now_ns / (uint64_t)GAZE_NS_PER_MS;
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(ms >> (56 - 8 * i));
    }
    time->asked_ns = now_ns;
    time->ask_ns = gaze_time_add(now_ns, ASK_EVERY_NS);
    time->is_asked =
        send(time->echo, bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof bytes;
    time->answer_bytes = 0;
}

void gaze_neon_time_ask(struct gaze_neon_time *time, const struct gaze_address *address,
                        int64_t now_ns)
{
    const struct sockaddr *to = (const struct sockaddr *)&address->storage;
    const bool has_port = ((const struct sockaddr_in *)to)->sin_port != 0; /* as of sockaddr_in6 */
    if (!has_port || now_ns < time->ask_ns) {
        return;
    }
    if (time->echo >= 0) {
        if (!time->is_asked) {
            send_time(time, now_ns);
        }
        if (!time->is_asked || now_ns > gaze_time_add(time->asked_ns, ANSWER_NS)) {
            wait_with_echo(time, now_ns);
        }
        return;
    }
    /* It is asked in a moment, when the connection is there. */
    time->echo = descriptor_above_standard(
        socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    time->ask_ns = gaze_time_add(now_ns, ASK_EVERY_NS / 4);
    if (time->echo >= 0) {
        (void)connect(time->echo, to, address->bytes);
    }
}

/* Half of the time that the question and its answer took lies before the answer; the phone says
 * whole milliseconds, so it is half of one later on average. What counts as quick grows from answer
 * to answer, so that a link that became slower is followed too. */
void gaze_neon_time_answer(struct gaze_neon_time *time, uint64_t phone_ms, int64_t asked_ns,
                           int64_t answered_ns)
{
    const int64_t took_ns = gaze_time_sub(answered_ns, asked_ns);
    if (phone_ms > PHONE_MAX_MS || took_ns < 0) {
        return;
    }
    if (!time->knows_apart || took_ns <= QUICK_NS || took_ns <= time->quickest_ns) {
        const int64_t phone_ns = (int64_t)phone_ms * GAZE_NS_PER_MS + GAZE_NS_PER_MS / 2;
        time->apart_ns = asked_ns + took_ns / 2 - phone_ns;
        time->quickest_ns = took_ns;
        time->knows_apart = true;
    }
    time->quickest_ns += time->quickest_ns / 8;
}

void gaze_neon_time_read(struct gaze_neon_time *time)
{
    const int64_t now_ns = fovea_time_ns();
    const ssize_t count = recv(time->echo, time->answer + time->answer_bytes,
                               sizeof time->answer - time->answer_bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        wait_with_echo(time, now_ns);
        return;
    }
    time->answer_bytes += (size_t)count;
    if (time->answer_bytes < sizeof time->answer) {
        return;
    }
    if (!time->is_asked ||
        big_endian(time->answer) != (uint64_t)time->asked_ns / (uint64_t)GAZE_NS_PER_MS) {
        wait_with_echo(time, now_ns);
        return;
    }
    gaze_neon_time_answer(time, big_endian(time->answer + 8), time->asked_ns, now_ns);
    time->is_asked = false;
    time->answer_bytes = 0;
}

void gaze_neon_time_end(struct gaze_neon_time *time)
{
    wait_with_echo(time, 0);
    time->ask_ns = 0;
    time->knows_apart = false;
}
