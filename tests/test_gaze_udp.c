/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The udp source over the loopback: real sockets, real threads. */
#include "support/clock.h"
#include "test_gaze_support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define PATIENCE_NS (5 * S)
#define CLOSE_LIMIT_NS (100 * MS)
#define CLOSE_LIMIT_BUSY_NS (3 * S) /* whatever else the machine does */
#define FLOODERS 4

static int sender_to(uint16_t port)
{
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(fd >= 0);
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void send_bytes(int fd, const void *bytes, size_t count)
{
    assert_that(send(fd, bytes, count, 0) == (ssize_t)count, "send: %s", strerror(errno));
}

static void send_text(int fd, const char *text)
{
    send_bytes(fd, text, strlen(text));
}

static void sleep_a_little(void)
{
    rest_ms(2);
}

/* Waits until so many datagrams were taken in and turned away. */
static struct fovea_gaze wait_for(struct fovea_gaze_source *source, uint64_t samples,
                                  uint64_t rejected)
{
    const int64_t deadline_ns = fovea_time_ns() + PATIENCE_NS;
    for (;;) {
        const struct fovea_gaze gaze = gaze_at(source, fovea_time_ns());
        if (gaze.sample_count == samples && gaze.rejected_count == rejected) {
            return gaze;
        }
        assert_that(fovea_time_ns() <= deadline_ns,
                    "%llu samples, %llu rejected; wanted %llu, %llu",
                    (unsigned long long)gaze.sample_count, (unsigned long long)gaze.rejected_count,
                    (unsigned long long)samples, (unsigned long long)rejected);
        sleep_a_little();
    }
}

/* -> what it took. */
static int64_t close_quickly(struct fovea_gaze_source **source)
{
    const int64_t before_ns = fovea_time_ns();
    fovea_gaze_source_destroy(source);
    const int64_t took_ns = fovea_time_ns() - before_ns;
    assert_that(took_ns <= CLOSE_LIMIT_BUSY_NS, "closing took %lld ns", (long long)took_ns);
    return took_ns;
}

TEST(datagrams_become_gaze)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    settings.space = FOVEA_GAZE_SPACE_PIXELS;
    settings.origin = FOVEA_GAZE_ORIGIN_BOTTOM_LEFT;
    OWNED(close_quickly) struct fovea_gaze_source *source = gaze_open(&settings);
    const uint16_t port = fovea_gaze_source_udp_port(source);
    assert_int_not_equal(port, 0);
    assert_int_equal(wait_for(source, 0, 0).state, FOVEA_GAZE_LOST);

    const int fd = sender_to(port);
    const int64_t before_ns = fovea_time_ns();
    send_text(fd, "{\"x\":320,\"y\":180,\"t\":1700000000.5,\"confidence\":0.9}");
    struct fovea_gaze gaze = wait_for(source, 1, 0);
    assert_near(gaze.point.x_uv, 0.25, 1e-12);
    assert_near(gaze.point.y_uv, 0.75, 1e-12);
    assert_true(gaze.usable);
    /* stamped when it arrived, not with the sender's clock */
    const struct fovea_gaze later = gaze_at(source, before_ns + 10 * S);
    assert_true(later.age_ns <= 10 * S && later.age_ns > 10 * S - PATIENCE_NS);

    send_text(fd, "{\"blink\":true,\"t\":1700000000.51}");
    gaze = wait_for(source, 2, 0);
    assert_int_not_equal(gaze.state, FOVEA_GAZE_TRACKED);
    send_text(fd, "{\"x\":0,\"y\":0,\"t\":1700000000.52,\"confidence\":0.1}");
    gaze = wait_for(source, 3, 0);
    assert_int_not_equal(gaze.state, FOVEA_GAZE_TRACKED);
    assert_true(gaze.rate_hz > 0);
    close(fd);
}

/* Else what the program prints would end the thread. */
TEST(standard_streams_that_are_closed_are_neither_sockets_nor_events)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    const pid_t child = fork();
    if (child == 0) {
        for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
            close(stream);
        }
        struct fovea_gaze_source *source = gaze_open(&settings);
        int ours = 0;
        for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
            ours += fcntl(stream, F_GETFD) >= 0;
        }
        fovea_gaze_source_destroy(&source);
        _exit(ours);
    }
    assert_int_equal(test_status_of(child), 0);
}

TEST(late_datagrams_are_turned_away_and_a_restart_is_not)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    OWNED(close_quickly) struct fovea_gaze_source *source = gaze_open(&settings);
    const int fd = sender_to(fovea_gaze_source_udp_port(source));
    send_text(fd, "{\"x\":0.1,\"y\":0.5,\"t\":100.0}");
    wait_for(source, 1, 0);
    send_text(fd, "{\"x\":0.2,\"y\":0.5,\"t\":99.9}");
    assert_near(wait_for(source, 1, 1).point.x_uv, 0.1, 0);
    send_text(fd, "{\"x\":0.3,\"y\":0.5,\"t\":100.0}");
    send_text(fd, "{\"x\":0.4,\"y\":0.5}");
    assert_near(wait_for(source, 3, 1).point.x_uv, 0.4, 0);
    send_text(fd, "{\"x\":0.5,\"y\":0.5,\"t\":0.5}"); /* the sender was started again */
    assert_near(wait_for(source, 4, 1).point.x_uv, 0.5, 0);
    send_text(fd, "{\"x\":0.6,\"y\":0.5,\"t\":0.4}");
    wait_for(source, 4, 2);
    send_text(fd, "{\"x\":0.7,\"y\":0.5,\"t\":1e300}");
    send_text(fd, "{\"x\":0.8,\"y\":0.5,\"t\":0.6}"); /* one mad time does not shut out the rest */
    assert_near(wait_for(source, 6, 2).point.x_uv, 0.8, 0);
    close(fd);
}

TEST(garbage_is_counted_said_once_and_changes_nothing)
{
    struct gaze_logged logged;
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    struct fovea_gaze_source *source = NULL;
    assert_ok(gaze_source_open(&settings, gaze_logged_log(&logged), &source));
    const int fd = sender_to(fovea_gaze_source_udp_port(source));
    send_text(fd, "{\"x\":0.25,\"y\":0.25}");
    wait_for(source, 1, 0);

    static char huge[60000];
    memset(huge, ' ', sizeof huge);
    memcpy(huge, "{\"x\":0.9,\"y\":0.9}", 17);
    send_bytes(fd, huge, sizeof huge);
    send_bytes(fd, huge, 1025);
    send_bytes(fd, "", 0);
    send_text(fd, "{\"x\":NaN,\"y\":0.9}");
    send_text(fd, "{\"x\":1e999,\"y\":0.9}");
    const struct fovea_gaze gaze = wait_for(source, 1, 5);
    assert_near(gaze.point.x_uv, 0.25, 0);
    send_bytes(fd, huge, 1024);
    assert_near(wait_for(source, 2, 5).point.x_uv, 0.9, 0);
    close(fd);
    close_quickly(&source);
    assert_int_equal(logged.count[FOVEA_LOG_WARNING], 1);
    assert_contains(logged.last[FOVEA_LOG_WARNING], "longer than 1024 bytes");
    assert_int_equal(logged.count[FOVEA_LOG_ERROR], 0);
}

struct flood {
    int fd;
    atomic_bool stop;
};

/* Garbage and gaze as fast as the kernel takes them. */
static void *flood(void *user)
{
    struct flood *f = user;
    char garbage[200];
    for (unsigned i = 0; !atomic_load(&f->stop); i++) {
        for (size_t j = 0; j < sizeof garbage; j++) {
            garbage[j] = (char)(i * 31 + j * j * 7);
        }
        (void)send(f->fd, garbage, i % sizeof garbage, MSG_DONTWAIT);
        (void)send(f->fd, "{\"x\":0.75,\"y\":0.5}", 18, MSG_DONTWAIT);
    }
    return NULL;
}

TEST(a_flood_delays_neither_reading_nor_closing)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    int64_t quickest_ns = INT64_MAX; /* other programs make some of them slow, a defect all */
    for (int round = 0; round < 5; round++) {
        struct fovea_gaze_source *source = gaze_open(&settings);
        struct flood f = {.fd = sender_to(fovea_gaze_source_udp_port(source))};
        pthread_t threads[FLOODERS];
        for (int i = 0; i < FLOODERS; i++) {
            threads[i] = test_thread(flood, &f);
        }
        const int64_t end_ns = fovea_time_ns() + 60 * MS;
        struct fovea_gaze gaze = {.age_ns = 0};
        while (fovea_time_ns() < end_ns || gaze.sample_count == 0 || gaze.rejected_count == 0) {
            gaze = gaze_at(source, fovea_time_ns());
            assert_true(gaze.sample_count == 0 || gaze.point.x_uv >= 0.5);
        }
        const int64_t took_ns = close_quickly(&source); /* while datagrams still arrive */
        quickest_ns = took_ns < quickest_ns ? took_ns : quickest_ns;
        atomic_store(&f.stop, true);
        for (int i = 0; i < FLOODERS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        }
        close(f.fd);
    }
    assert_that(quickest_ns <= CLOSE_LIMIT_NS, "closing took %lld ns at least",
                (long long)quickest_ns);
}

TEST(a_taken_port_is_an_io_error)
{
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    struct fovea_gaze_source *first = gaze_open(&settings);
    settings.udp_port = fovea_gaze_source_udp_port(first);
    struct gaze_logged logged;
    OWNED(close_quickly) struct fovea_gaze_source *second = NULL;
    assert_int_equal(gaze_source_open(&settings, gaze_logged_log(&logged), &second),
                     FOVEA_ERROR_IO);
    assert_null(second);
    assert_int_equal(logged.count[FOVEA_LOG_ERROR], 1);
    assert_contains(logged.last[FOVEA_LOG_ERROR], "127.0.0.1 port");
    assert_contains(logged.last[FOVEA_LOG_ERROR], "in use");
    close_quickly(&first);
    second = gaze_open(&settings); /* the port is free again at once */
    assert_int_equal(fovea_gaze_source_udp_port(second), settings.udp_port);
}

TEST(only_numeric_addresses_of_this_machine_are_bound)
{
    static const struct {
        const char *bind;
        enum fovea_result result;
        const char *message;
    } cases[] = {
        {"localhost", FOVEA_ERROR_INVALID_ARGUMENT, "gaze.udp.bind is \"localhost\""},
        {"127.0.0.1:5005", FOVEA_ERROR_INVALID_ARGUMENT, "numeric address"},
        {"127.0.0.256", FOVEA_ERROR_INVALID_ARGUMENT, "numeric address"},
        {"203.0.113.1", FOVEA_ERROR_IO, "cannot be bound"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
        snprintf(settings.udp_bind, sizeof settings.udp_bind, "%s", cases[i].bind);
        struct gaze_logged logged;
        struct fovea_gaze_source *source = NULL;
        assert_int_equal(gaze_source_open(&settings, gaze_logged_log(&logged), &source),
                         cases[i].result);
        assert_null(source);
        assert_contains(logged.last[FOVEA_LOG_ERROR], cases[i].message);
    }
}

/* The sender may have another port. */
TEST(a_port_that_nothing_comes_to_is_said_once)
{
    const struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    struct gaze_logged logged[2];
    struct fovea_gaze_source *sources[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        assert_ok(gaze_source_open(&settings, gaze_logged_log(&logged[i]), &sources[i]));
    }
    const int fd = sender_to(fovea_gaze_source_udp_port(sources[1]));
    send_text(fd, "{\"x\":0.5,\"y\":0.5}");
    rest_ms(5300);
    for (int i = 0; i < 2; i++) {
        close_quickly(&sources[i]);
        assert_int_equal(logged[i].count[FOVEA_LOG_WARNING], 1 - i);
    }
    assert_contains(logged[0].last[FOVEA_LOG_WARNING], "nothing has come to UDP 127.0.0.1 port ");
    close(fd);
}

TEST(an_address_open_to_others_warns_once)
{
    static const struct {
        const char *bind;
        unsigned warnings;
    } cases[] = {{"127.0.0.1", 0}, {"127.1.2.3", 0}, {"0.0.0.0", 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
        snprintf(settings.udp_bind, sizeof settings.udp_bind, "%s", cases[i].bind);
        struct gaze_logged logged;
        struct fovea_gaze_source *source = NULL;
        assert_ok(gaze_source_open(&settings, gaze_logged_log(&logged), &source));
        close_quickly(&source);
        assert_int_equal(logged.count[FOVEA_LOG_WARNING], cases[i].warnings);
    }
}

TEST(ipv6_works_where_there_is_ipv6)
{
    const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
    struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    if (fd < 0 || bind(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        if (fd >= 0) {
            close(fd);
        }
        skip();
    }
    struct fovea_gaze_settings settings = gaze_settings(FOVEA_GAZE_UDP);
    snprintf(settings.udp_bind, sizeof settings.udp_bind, "::1");
    struct gaze_logged logged;
    struct fovea_gaze_source *source = NULL;
    assert_ok(gaze_source_open(&settings, gaze_logged_log(&logged), &source));
    to.sin6_port = htons(fovea_gaze_source_udp_port(source));
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    send_text(fd, "{\"x\":0.125,\"y\":0.5}");
    assert_near(wait_for(source, 1, 0).point.x_uv, 0.125, 0);
    close(fd);
    close_quickly(&source);
    assert_int_equal(logged.count[FOVEA_LOG_WARNING], 0);
}
