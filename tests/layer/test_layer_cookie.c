/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The cookie for an X server: found by ourselves, in files of all kinds, and never by libXau, which
 * the program may be in at the same time. */
#include "input_rig.h"

#include "plugin/layer/input/layer_input_cookie.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* ---- libXau, as libxcb finds it in this program ---------------------------------------------- */

static atomic_uint xau_calls;

__attribute__((visibility("default"))) void *XauGetBestAuthByAddr(void);
__attribute__((visibility("default"))) char *XauFileName(void);

void *XauGetBestAuthByAddr(void)
{
    atomic_fetch_add(&xau_calls, 1);
    return NULL;
}

char *XauFileName(void)
{
    atomic_fetch_add(&xau_calls, 1);
    return NULL;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

struct list {
    uint8_t bytes[4096];
    size_t count;
};

static void put_number(struct list *list, unsigned number)
{
    assert_true(list->count + 2 <= sizeof list->bytes);
    list->bytes[list->count++] = (uint8_t)(number >> 8);
    list->bytes[list->count++] = (uint8_t)number;
}

static void put(struct list *list, const void *data, size_t bytes)
{
    put_number(list, (unsigned)bytes);
    assert_true(list->count + bytes <= sizeof list->bytes);
    memcpy(list->bytes + list->count, data, bytes);
    list->count += bytes;
}

struct line {
    unsigned family;
    const char *address, *number, *name, *data;
};

static void put_line(struct list *list, struct line line)
{
    put_number(list, line.family);
    put(list, line.address, strlen(line.address));
    put(list, line.number, strlen(line.number));
    put(list, line.name, strlen(line.name));
    put(list, line.data, strlen(line.data));
}

static const char *this_machine(void)
{
    static char name[300];
    assert_int_equal(gethostname(name, sizeof name - 1), 0);
    return name;
}

static struct cookie_server server_at(const char *host, int display)
{
    struct cookie_server found;
    cookie_server_find(host, display, &found);
    return found;
}

/* Returns it as text; "" where there is none. */
static const char *find(const struct list *list, const struct cookie_server *wanted)
{
    static char text[COOKIE_BYTES_MAX + 1];
    struct cookie cookie;
    const bool found = cookie_find(list->bytes, list->count, wanted, &cookie);
    assert_true(found || cookie.bytes == 0);
    memcpy(text, cookie.data, cookie.bytes);
    text[cookie.bytes] = 0;
    return text;
}

TEST(an_entry_fits_by_machine_display_and_kind)
{
    const char *here = this_machine();
    const struct cookie_server local = server_at("", 7);
    const struct {
        struct line line;
        bool fits;
    } cases[] = {
        {{COOKIE_LOCAL, here, "7", COOKIE_NAME, "good"}, true},
        {{COOKIE_LOCAL, here, "", COOKIE_NAME, "good"}, true},
        {{COOKIE_WILD, "", "7", COOKIE_NAME, "good"}, true},
        {{COOKIE_WILD, "elsewhere", "", COOKIE_NAME, "good"}, true},
        {{COOKIE_LOCAL, here, "70", COOKIE_NAME, "good"}, false},
        {{COOKIE_LOCAL, here, "0", COOKIE_NAME, "good"}, false},
        {{COOKIE_LOCAL, "elsewhere", "7", COOKIE_NAME, "good"}, false},
        {{COOKIE_INTERNET, here, "7", COOKIE_NAME, "good"}, false},
        {{COOKIE_LOCAL, here, "7", "XDM-AUTHORIZATION-1", "good"}, false},
        {{COOKIE_LOCAL, here, "7", COOKIE_NAME "0", "good"}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct list list = {.count = 0};
        put_line(&list, (struct line){COOKIE_LOCAL, "elsewhere", "7", COOKIE_NAME, "wrong"});
        put_line(&list, cases[i].line);
        put_line(&list, (struct line){COOKIE_LOCAL, here, "8", COOKIE_NAME, "wrong"});
        assert_string_equal(find(&list, &local), cases[i].fits ? "good" : "");
    }
}

TEST(the_first_that_fits_is_taken)
{
    const struct cookie_server local = server_at("unix", 3);
    struct list list = {.count = 0};
    put_line(&list, (struct line){COOKIE_WILD, "", "3", "XDM-AUTHORIZATION-1", "other kind"});
    put_line(&list, (struct line){COOKIE_WILD, "", "3", COOKIE_NAME, "first"});
    put_line(&list, (struct line){COOKIE_WILD, "", "3", COOKIE_NAME, "second"});
    assert_string_equal(find(&list, &local), "first");
}

TEST(a_server_elsewhere_has_its_own_address)
{
    const uint8_t four[] = {192, 0, 2, 33};
    const uint8_t six[] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    struct list list = {.count = 0};
    put_number(&list, COOKIE_INTERNET);
    put(&list, four, sizeof four);
    put(&list, "1", 1);
    put(&list, COOKIE_NAME, strlen(COOKIE_NAME));
    put(&list, "four", 4);
    put_number(&list, COOKIE_INTERNET6);
    put(&list, six, sizeof six);
    put(&list, "1", 1);
    put(&list, COOKIE_NAME, strlen(COOKIE_NAME));
    put(&list, "six", 3);
    put_line(&list, (struct line){COOKIE_LOCAL, this_machine(), "1", COOKIE_NAME, "local"});
    const struct {
        const char *host, *data;
    } cases[] = {{"192.0.2.33", "four"},
                 {"::ffff:192.0.2.33", "four"},
                 {"2001:db8::1", "six"},
                 {"127.0.0.1", "local"},
                 {"::1", "local"},
                 {"", "local"},
                 {"/tmp/.X11-unix/X1", "local"},
                 {"192.0.2.34", ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct cookie_server wanted = server_at(cases[i].host, 1);
        assert_string_equal(find(&list, &wanted), cases[i].data);
    }
}

/* Copies of the very length, so that a sanitizer sees a byte too many. */
TEST(a_list_that_is_cut_off_ends_there)
{
    const struct cookie_server local = server_at("", 0);
    struct list list = {.count = 0};
    put_line(&list, (struct line){COOKIE_WILD, "somebody", "9", COOKIE_NAME, "wrong"});
    put_line(&list, (struct line){COOKIE_WILD, "", "0", COOKIE_NAME, "good"});
    for (size_t bytes = 0; bytes <= list.count; bytes++) {
        OWNED(owned_free) uint8_t *copy = malloc(bytes ? bytes : 1);
        assert_non_null(copy);
        memcpy(copy, list.bytes, bytes);
        struct cookie cookie;
        assert_int_equal(cookie_find(copy, bytes, &local, &cookie), bytes == list.count);
        assert_int_equal(cookie.bytes, bytes == list.count ? 4 : 0);
    }
}

TEST(a_cookie_that_is_too_long_is_passed_over)
{
    const struct cookie_server local = server_at("", 0);
    char data[COOKIE_BYTES_MAX + 2];
    memset(data, 'x', sizeof data);
    data[COOKIE_BYTES_MAX + 1] = 0;
    struct list list = {.count = 0};
    put_line(&list, (struct line){COOKIE_WILD, "", "0", COOKIE_NAME, data});
    put_line(&list, (struct line){COOKIE_WILD, "", "0", COOKIE_NAME, data + 1});
    assert_int_equal(strlen(find(&list, &local)), COOKIE_BYTES_MAX);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const struct list *list, off_t length)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, list->bytes, list->count), list->count);
    assert_int_equal(ftruncate(file, length ? length : (off_t)list->count), 0);
    close(file);
}

TEST(only_regular_files_of_sane_length_are_read)
{
    const struct cookie_server local = server_at("", 0);
    struct list list = {.count = 0};
    struct cookie cookie;
    put_line(&list, (struct line){COOKIE_WILD, "", "0", COOKIE_NAME, "good"});
    write_file(in_folder("good"), &list, 0);
    assert_true(cookie_read(in_folder("good"), &local, &cookie));
    write_file(in_folder("good"), &list, COOKIE_FILE_BYTES_MAX);
    assert_true(cookie_read(in_folder("good"), &local, &cookie));
    write_file(in_folder("good"), &list, COOKIE_FILE_BYTES_MAX + 1);
    assert_false(cookie_read(in_folder("good"), &local, &cookie));
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    assert_false(cookie_read(in_folder("fifo"), &local, &cookie)); /* and returns */
    assert_false(cookie_read(folder, &local, &cookie));
    assert_false(cookie_read(in_folder("missing"), &local, &cookie));
    assert_false(cookie_read("/dev/zero", &local, &cookie));
    assert_false(cookie_read(NULL, &local, &cookie));
    list.count = 0;
    write_file(in_folder("good"), &list, 0);
    assert_false(cookie_read(in_folder("good"), &local, &cookie));
    unlink(in_folder("fifo"));
    unlink(in_folder("good"));
}

TEST(the_file_is_named_by_the_environment)
{
    static const struct {
        const char *authority, *home, *file;
    } cases[] = {{"/a/b", "/home/x", "/a/b"},
                 {"", "/home/x", "/home/x/.Xauthority"},
                 {NULL, "/y", "/y/.Xauthority"},
                 {NULL, "", NULL},
                 {NULL, NULL, NULL}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(cases[i].authority ? setenv("XAUTHORITY", cases[i].authority, 1)
                                            : unsetenv("XAUTHORITY"),
                         0);
        assert_int_equal(cases[i].home ? setenv("HOME", cases[i].home, 1) : unsetenv("HOME"), 0);
        OWNED(owned_free) char *file = cookie_file();
        if (cases[i].file) {
            assert_string_equal(file, cases[i].file);
        } else {
            assert_null(file);
        }
    }
}

/* ---- A server that demands one --------------------------------------------------------------- */

static void create_input(enum fovea_result wanted)
{
    const struct layer_input_desc desc = {
        .display = server.display, .wait_ns = 5000 * MS, .log = rig_log()};
    assert_int_equal(layer_input_create(&desc, &input), wanted);
    layer_input_destroy(&input);
}

TEST(a_server_that_demands_a_cookie_lets_us_in_without_libxau)
{
    struct list list = {.count = 0};
    put_line(&list, (struct line){COOKIE_WILD, "", "", COOKIE_NAME, "0123456789abcdef"});
    write_file(in_folder("authority"), &list, 0);
    assert_true(x_server_start_locked(&server, in_folder("authority")));
    setenv("XAUTHORITY", in_folder("authority"), 1);
    create_input(FOVEA_OK);

    list.bytes[list.count - 1] ^= 1;
    write_file(in_folder("wrong"), &list, 0);
    setenv("XAUTHORITY", in_folder("wrong"), 1);
    create_input(FOVEA_ERROR_UNSUPPORTED);
    assert_contains(rig_said(FOVEA_LOG_WARNING), "nobody answers");
    unsetenv("XAUTHORITY");
    setenv("HOME", folder, 1);
    create_input(FOVEA_ERROR_UNSUPPORTED);
    assert_int_equal(rename(in_folder("authority"), test_text("%s/.Xauthority", folder)), 0);
    create_input(FOVEA_OK);
    assert_int_equal(atomic_load(&xau_calls), 0);

    xcb_disconnect(xcb_connect(server.display, NULL));
    assert_true(atomic_load(&xau_calls) > 0); /* whoever asks libXau is seen here */
    x_server_stop(&server);
    unlink(in_folder("wrong"));
    unlink(in_folder(".Xauthority"));
}

static int make_folder(void **unused)
{
    strcpy(folder, "/tmp/fovea-cookie-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    return rmdir(folder);
}

int main(void)
{
    return rig_has_server() ? tests_run(make_folder, remove_folder) : 77;
}
