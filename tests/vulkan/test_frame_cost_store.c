/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Measured costs are kept; above all, wrong ones are not believed. */

#include "cache_folder.h"
#include "cmocka_all.h"
#include "plugin/frame/create/frame_cost.h"

#include <sys/stat.h>
#include <time.h>

#define DAY_S 86400
#define HEAD "fovea: what a frame costs 1\n"

static int messages;

static void count_message(void *user, enum fovea_log_level level, const char *message)
{
    assert_int_equal(level, FOVEA_LOG_DEBUG);
    assert_null(strchr(message, '\n'));
    messages++;
}

static struct fovea_log counting(void)
{
    messages = 0;
    return (struct fovea_log){.fn = count_message, .min_level = FOVEA_LOG_DEBUG};
}

static struct frame_cost_key key_named(int number)
{
    struct frame_cost_key key;
    snprintf(key.text, sizeof key.text, "device %d driver 1 method 1", number);
    return key;
}

static struct frame_cost cost_of(double peer_us, double vulkan_us)
{
    return (struct frame_cost){.peer = FOVEA_BACKEND_CUDA,
                               .peer_us = peer_us,
                               .vulkan_us = vulkan_us,
                               .width_px = 1280,
                               .height_px = 720,
                               .when_s = (int64_t)time(NULL)};
}

static void keep(int number, double peer_us, double vulkan_us)
{
    const struct frame_cost_key key = key_named(number);
    const struct frame_cost cost = cost_of(peer_us, vulkan_us);
    frame_cost_keep(&key, counting(), &cost);
}

static bool recalls(int number, struct frame_cost *out_cost)
{
    const struct frame_cost_key key = key_named(number);
    return frame_cost_recall(&key, counting(), out_cost);
}

/* By another process, so to say. */
static bool recalls_from_file(int number, struct frame_cost *out_cost)
{
    frame_cost_forget();
    return recalls(number, out_cost);
}

static void put_file(const char *text)
{
    cache_folder_write(CACHE_FILE, text, strlen(text));
}

/* The line of key_named(1), measured so many seconds ago. */
static void put_line(int64_t age_s)
{
    put_file(test_text(HEAD "%lld cuda 540100 310200 1280 720 %s\n",
                       (long long)(time(NULL) - age_s), key_named(1).text));
}

#define IN_FOLDER(test) TEST_AROUND(test, cache_folder_enter, cache_folder_leave)

/* ---- Tests ---- */

IN_FOLDER(what_was_kept_comes_back_in_this_process_and_in_others)
{
    struct frame_cost cost;
    assert_false(recalls(1, &cost));
    keep(1, 540.125, 310.25);
    keep(2, 7.0, 9.0);
    for (int i = 0; i < 2; i++) {
        assert_true(i ? recalls_from_file(1, &cost) : recalls(1, &cost));
        assert_int_equal(cost.peer, FOVEA_BACKEND_CUDA);
        assert_true(cost.peer_us > 540.12 && cost.peer_us < 540.13);
        assert_true(cost.vulkan_us == 310.25);
        assert_int_equal(cost.width_px, 1280);
        assert_int_equal(cost.height_px, 720);
        assert_in_range(time(NULL) - cost.when_s, 0, 60);
        assert_int_equal(messages, 0);
    }
    assert_false(recalls_from_file(3, &cost));
}

IN_FOLDER(the_newest_counts_and_takes_one_line)
{
    struct frame_cost cost;
    char text[4096];
    keep(1, 5, 6);
    keep(1, 7, 8);
    for (int i = 0; i < 2; i++) {
        assert_true(i ? recalls_from_file(1, &cost) : recalls(1, &cost));
        assert_true(cost.peer_us == 7);
    }
    cache_folder_read(CACHE_FILE, text, sizeof text);
    assert_ptr_equal(strstr(text, "device 1"), strstr(text, key_named(1).text));
    assert_null(strstr(strstr(text, "device 1") + 1, "device 1"));
}

IN_FOLDER(sixteen_are_kept_and_the_oldest_goes)
{
    struct frame_cost cost;
    for (int i = 0; i < 40; i++) {
        keep(i, i + 1, i + 2);
    }
    for (int i = 0; i < 40; i++) {
        assert_int_equal(recalls_from_file(i, &cost), i >= 24);
    }
    assert_false(recalls(0, &cost));
}

IN_FOLDER(old_and_future_costs_do_not_count)
{
    static const struct {
        int64_t age_s;
        bool counts;
    } cases[] = {{0, true},
                 {29 * DAY_S, true},
                 {31 * DAY_S, false},
                 {400 * DAY_S, false},
                 {-2 * (int64_t)DAY_S, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame_cost cost;
        put_line(cases[i].age_s);
        assert_int_equal(recalls_from_file(1, &cost), cases[i].counts);
        assert_int_equal(recalls(1, &cost), cases[i].counts);
    }
}

IN_FOLDER(a_broken_file_is_ignored_and_replaced)
{
    static const char *const files[] = {
        "",
        "\n",
        "garbage",
        "{\"version\": 1}",
        "fovea: what a frame costs 2\n1 cuda 1 1 1 1 key\n",
        HEAD "1795278310 cuda 540100 310200 1280 720 no newline",
        HEAD "1795278310 cuda 540100 310200 1280 720 \n",
        HEAD "1795278310 vulkan 540100 310200 1280 720 key\n",
        HEAD "1795278310 cudas 540100 310200 1280 720 key\n",
        HEAD "1795278310 cuda -540100 310200 1280 720 key\n",
        HEAD "1795278310 cuda 540.1 310200 1280 720 key\n",
        HEAD "1795278310 cuda 0 310200 1280 720 key\n",
        HEAD "1795278310 cuda 99999999999999999999999999 310200 1280 720 key\n",
        HEAD "99999999999999999999999999 cuda 540100 310200 1280 720 key\n",
        HEAD "1795278310 cuda 540100 310200 1280 99999 key\n",
        HEAD "1795278310 cuda 540100 310200 1280\n",
        HEAD "1795278310 cuda 540100 310200 1280 720 key\nmore\n",
        HEAD "\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct frame_cost cost;
        put_file(files[i]);
        assert_false(recalls_from_file(1, &cost));
        assert_int_equal(messages, 1);
        keep(1, 3, 4);
        assert_true(recalls_from_file(1, &cost));
        assert_int_equal(messages, 0);
    }
}

IN_FOLDER(links_are_not_followed)
{
    struct frame_cost cost;
    char target[512];
    char text[512];
    put_line(0);
    snprintf(target, sizeof target, "%s", cache_folder_path("elsewhere"));
    assert_int_equal(rename(cache_folder_path(CACHE_FILE), target), 0);
    assert_int_equal(symlink(target, cache_folder_path(CACHE_FILE)), 0);
    assert_false(recalls_from_file(1, &cost));
    /* The link is replaced, what it leads to stays. */
    keep(2, 3, 4);
    assert_true(recalls_from_file(2, &cost));
    assert_true(cache_folder_read("elsewhere", text, sizeof text) > 0);
    assert_non_null(strstr(text, "device 1"));
    struct stat about;
    assert_int_equal(lstat(cache_folder_path(CACHE_FILE), &about), 0);
    assert_true(S_ISREG(about.st_mode));
}

IN_FOLDER(a_directory_that_is_a_link_is_not_followed)
{
    struct frame_cost cost;
    char target[512];
    char text[64];
    put_line(0);
    snprintf(target, sizeof target, "%s", cache_folder_path("elsewhere"));
    assert_int_equal(rename(cache_folder_path("fovea"), target), 0);
    assert_int_equal(symlink(target, cache_folder_path("fovea")), 0);
    assert_int_equal(unlink(cache_folder_path("elsewhere/backends")), 0);
    assert_false(recalls_from_file(1, &cost));
    keep(2, 3, 4);
    assert_int_equal(messages, 1);
    assert_int_equal(cache_folder_read("elsewhere/backends", text, sizeof text), 0);
}

IN_FOLDER(what_others_may_write_is_not_believed)
{
    struct frame_cost cost;
    put_line(0);
    assert_true(recalls_from_file(1, &cost));
    assert_int_equal(chmod(cache_folder_path(CACHE_FILE), 0620), 0);
    assert_false(recalls_from_file(1, &cost));
    assert_int_equal(chmod(cache_folder_path(CACHE_FILE), 0644), 0);
    assert_true(recalls_from_file(1, &cost));
    assert_int_equal(chmod(cache_folder_path("fovea"), 0777), 0);
    assert_false(recalls_from_file(1, &cost));
    assert_int_equal(chmod(cache_folder_path("fovea"), 0755), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(cache_folder_path(CACHE_FILE), 12345, 12345), 0);
        assert_false(recalls_from_file(1, &cost));
        assert_int_equal(chown(cache_folder_path(CACHE_FILE), 0, 0), 0);
        assert_int_equal(chown(cache_folder_path("fovea"), 12345, 12345), 0);
        assert_false(recalls_from_file(1, &cost));
        assert_int_equal(chown(cache_folder_path("fovea"), 0, 0), 0);
    }
    assert_true(recalls_from_file(1, &cost));
}

IN_FOLDER(a_pipe_or_a_directory_of_that_name_stops_nobody)
{
    struct frame_cost cost;
    assert_int_equal(mkdir(cache_folder_path("fovea"), 0700), 0);
    assert_int_equal(mkfifo(cache_folder_path(CACHE_FILE), 0600), 0);
    assert_false(recalls_from_file(1, &cost));
    assert_int_equal(unlink(cache_folder_path(CACHE_FILE)), 0);
    assert_int_equal(mkdir(cache_folder_path(CACHE_FILE), 0700), 0);
    assert_false(recalls_from_file(1, &cost));
    keep(1, 3, 4);
    assert_int_equal(messages, 1);
    assert_true(recalls(1, &cost));
    assert_false(recalls_from_file(1, &cost));
}

/* Each leaves the process with what it knows. */
IN_FOLDER(without_a_place_for_it_nothing_is_kept_in_files)
{
    static const char *const places[] = {NULL, "", "relative", "/proc/fovea-has-no-place-here",
                                         "/dev/null"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct frame_cost cost;
        if (places[i]) {
            setenv("XDG_CACHE_HOME", places[i], 1);
        } else {
            unsetenv("XDG_CACHE_HOME");
        }
        keep((int)i, 3, 4);
        assert_int_equal(messages, 1);
        assert_true(recalls((int)i, &cost));
        assert_false(recalls_from_file((int)i, &cost));
    }
    assert_int_equal(access("relative", F_OK), -1);
    setenv("XDG_CACHE_HOME", cache_folder(), 1);
}

IN_FOLDER(home_stands_in_for_a_cache_directory)
{
    struct frame_cost cost;
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", cache_folder(), 1);
    keep(1, 3, 4);
    assert_int_equal(messages, 0);
    assert_true(recalls_from_file(1, &cost));
    assert_int_equal(access(cache_folder_path(".cache/fovea/backends"), F_OK), 0);
    struct stat about;
    assert_int_equal(stat(cache_folder_path(".cache"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    unsetenv("HOME");
}

static void *keep_many(void *user)
{
    const int first = *(const int *)user;
    for (int i = 0; i < 200; i++) {
        const struct frame_cost_key key = key_named(first + i % 4);
        const struct frame_cost cost = cost_of(1 + i, 2 + i);
        const struct fovea_log silent = {0};
        struct frame_cost found;
        frame_cost_keep(&key, silent, &cost);
        if (!frame_cost_recall(&key, silent, &found) || found.vulkan_us != found.peer_us + 1) {
            return user;
        }
    }
    return NULL;
}

/* Whatever the file says in the end, it is a whole one, and nothing else is left. */
IN_FOLDER(threads_may_keep_at_once)
{
    pthread_t threads[3];
    int first[3] = {0, 4, 8};
    for (int i = 0; i < 3; i++) {
        threads[i] = test_thread(keep_many, &first[i]);
    }
    for (int i = 0; i < 3; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    char text[FRAME_COST_FILE_BYTES];
    assert_true(cache_folder_read(CACHE_FILE, text, sizeof text) > strlen(HEAD));
    assert_memory_equal(text, HEAD, strlen(HEAD));
    assert_int_equal(unlink(cache_folder_path(CACHE_FILE)), 0);
    assert_int_equal(rmdir(cache_folder_path("fovea")), 0);
}
