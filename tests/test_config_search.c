/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* These say which files count, in what order, and what happens to those that cannot be read. */
#include "test_config_support.h"

#include "core/program.h"

#include <sys/prctl.h>
#include <sys/stat.h>

#define TRUSTED "trusted"

static int fresh_folder(void **state)
{
    int entered = enter_folder(state);
    mkdir("xdg", 0755);
    mkdir("xdg/fovea", 0755);
    mkdir(".config", 0755);
    mkdir(".config/fovea", 0755);
    setenv("XDG_CONFIG_HOME", test_text("%s/xdg", folder()), 1);
    return entered;
}

static struct recorded recorded;

static struct fovea_config_desc search(void)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.program_name = "scene";
    recorded_clear(&recorded);
    desc.log = recorded_log(&recorded);
    return desc;
}

static struct fovea_settings load(const struct fovea_config_desc *desc)
{
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    recorded_clear(&recorded);
    enum fovea_result result = fovea_config_create(desc, &config);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
    assert_int_equal(recorded.count[FOVEA_LOG_INFO], 1);
    struct fovea_settings settings = *fovea_config_settings(config);
    return settings;
}

static void assert_fails(const struct fovea_config_desc *desc, enum fovea_result wanted,
                         const char *message)
{
    struct fovea_config *config = NULL;
    recorded_clear(&recorded);
    assert_result(fovea_config_create(desc, &config), wanted);
    assert_null(config);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], message);
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
}

/* Three settings, so that each place shows which of them it has the last word on. */
static void write_three(const char *path, double strength, int threads, int fragment)
{
    write_text(path,
               test_text("{\"foveation\": {\"strength\": %g, \"paper\": {\"fragment_px\": %d}}, "
                         "\"cpu_threads\": %d}",
                         strength, fragment, threads));
}

#define IN_FOLDER(test) TEST_AROUND(test, fresh_folder, leave_folder)

IN_FOLDER(without_files_the_defaults_hold)
{
    struct fovea_config_desc desc = search();
    struct fovea_settings settings = load(&desc);
    struct fovea_settings defaults = fovea_settings_default();
    assert_same_settings(&settings, &defaults);
    assert_string_equal(recorded.last[FOVEA_LOG_INFO], "configuration: defaults");
}

IN_FOLDER(files_merge_key_by_key)
{
    write_three("xdg/fovea/fovea.json", 2, 3, 8);
    write_text("fovea.json", "{\"foveation\": {\"strength\": 4}}");
    struct fovea_config_desc desc = search();
    struct fovea_settings settings = load(&desc);
    assert_float_equal(settings.foveation.strength, 4, 0);
    assert_int_equal(settings.cpu_threads, 3);
    assert_int_equal(settings.foveation.paper.fragment_px, 8);
    assert_string_equal(
        recorded.last[FOVEA_LOG_INFO],
        test_text("configuration: defaults, %s/xdg/fovea/fovea.json, ./fovea.json", folder()));
}

/* In a program that has more rights than who started it: none of the environment counts. Returns
 * the exit status of such a process. */
static int threads_of_trusted(void)
{
    struct fovea_config_desc desc = search();
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    if (fovea_config_create(&desc, &config) < 0) {
        return 100;
    }
    const int threads = fovea_config_settings(config)->cpu_threads;
    return threads;
}

static int exec_trusted(char *const *arguments)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(setresuid(65534, 0, 0) == 0 ? execv("/proc/self/exe", arguments) : 100);
    }
    return test_status_of(child);
}

/* Root's rights with another user's number are what a setuid program has, without its file. */
IN_FOLDER(a_setuid_program_has_no_users_files)
{
    char *arguments[] = {"test_config_search", TRUSTED, NULL};
    if (geteuid() != 0) {
        skip();
    }
    write_text(".config/fovea/fovea.json", "{\"cpu_threads\": 5}");
    write_text("xdg/fovea/fovea.json", "{\"cpu_threads\": 5}");
    assert_int_equal(exec_trusted(arguments), 0);
    unsetenv("XDG_CONFIG_HOME");
    assert_int_equal(exec_trusted(arguments), 0);
}

IN_FOLDER(home_stands_in_for_xdg)
{
    write_three(".config/fovea/fovea.json", 5, 5, 5);
    write_three("xdg/fovea/fovea.json", 2, 3, 8);
    struct fovea_config_desc desc = search();
    assert_int_equal(load(&desc).cpu_threads, 3);
    unsetenv("XDG_CONFIG_HOME");
    assert_int_equal(load(&desc).cpu_threads, 5);
    setenv("XDG_CONFIG_HOME", "xdg", 1); /* relative: to be ignored */
    assert_int_equal(load(&desc).cpu_threads, 5);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(load(&desc).cpu_threads, 0);
}

IN_FOLDER(a_named_file_ends_the_search)
{
    write_three("fovea.json", 2, 3, 8);
    write_text("named.json", "{\"cpu_threads\": 7}");
    write_text("other.json", "{\"cpu_threads\": 9}");
    setenv("FOVEA_CONFIG", "named.json", 1);
    struct fovea_config_desc desc = search();
    struct fovea_settings settings = load(&desc);
    assert_int_equal(settings.cpu_threads, 7);
    assert_float_equal(settings.foveation.strength, 1, 0);
    assert_string_equal(recorded.last[FOVEA_LOG_INFO], "configuration: defaults, named.json");

    desc.file = "other.json";
    assert_int_equal(load(&desc).cpu_threads, 9);

    desc.file = NULL;
    desc.ignore_environment = true;
    assert_int_equal(load(&desc).cpu_threads, 3);

    desc.ignore_environment = false;
    setenv("FOVEA_CONFIG", "", 1);
    assert_int_equal(load(&desc).cpu_threads, 3);
}

IN_FOLDER(overrides_have_the_last_word_in_order)
{
    write_text("fovea.json",
               "{\"cpu_threads\": 1, \"watchdog_ms\": 11, \"overlay\": {\"wipe\": 0.1},"
               "\"foveation\": {\"strength\": 0.1},"
               "\"apps\": {\"exe:sc*\": {\"watchdog_ms\": 12, \"overlay\":"
               "{\"wipe\": 0.2}, \"foveation\": {\"strength\": 0.2}}}}");
    setenv("FOVEA_SET", "overlay.wipe=0.3,foveation.strength=0.3", 1);
    const char *const sets[] = {"foveation.strength=0.5", "foveation.strength=0.4"};
    struct fovea_config_desc desc = search();
    desc.sets = sets;
    desc.set_count = 2;
    struct fovea_settings settings = load(&desc);
    assert_int_equal(settings.cpu_threads, 1);
    assert_float_equal(settings.watchdog_ms, 12, 0);
    assert_float_equal(settings.overlay.wipe_uv, 0.3, 0);
    assert_float_equal(settings.foveation.strength, 0.4, 0);
    assert_string_equal(recorded.last[FOVEA_LOG_INFO],
                        "configuration: defaults, ./fovea.json, 1 entry of apps for \"scene\", "
                        "FOVEA_SET, 2 of --set");
    desc.ignore_environment = true;
    assert_float_equal(load(&desc).overlay.wipe_uv, 0.2, 0);
}

IN_FOLDER(entries_of_apps_follow_all_files_and_the_later_wins)
{
    write_text("xdg/fovea/fovea.json",
               "{\"apps\": {\"exe:sc*\": {\"cpu_threads\": 2, \"watchdog_ms\": 20},"
               "\"exe:[a-s]cen?\": {\"cpu_threads\": 3}, \"exe:Scene\": {\"cpu_threads\": 4}}}");
    write_text("fovea.json", "{\"cpu_threads\": 9, \"watchdog_ms\": 90}");
    struct fovea_config_desc desc = search();
    static const struct {
        const char *program;
        uint32_t threads;
    } cases[] = {{"scene", 3},
                 {"/usr/games/scene", 3},
                 {"C:\\games\\scene", 3},
                 {"scene/other", 9},
                 {"screen", 2},
                 {"Scene", 4},
                 {"./sc", 2},
                 {"", 9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        desc.program_name = cases[i].program;
        print_message("%s\n", cases[i].program);
        assert_int_equal(load(&desc).cpu_threads, cases[i].threads);
    }
    write_text("fovea.json", "{\"apps\": {\"exe:test_config_search\": {\"cpu_threads\": 11}}}");
    desc.program_name = NULL; /* this test's own */
    assert_int_equal(load(&desc).cpu_threads, 11);
}

/* The kernel tells of them so; Wine's were looked up with Wine 8.0. */
TEST(a_program_has_its_own_name_in_whatever_runs_it)
{
    static const struct {
        const char *file, *short_name, *arguments[5];
        const char *name, *script;
    } cases[] = {
        {"/usr/bin/vkcube", "vkcube", {"vkcube", "--c"}, "vkcube", ""},
        {"/usr/lib/wine/wine64", "d9.exe", {"progs/d9.exe", "", ""}, "d9.exe", ""},
        {"/p/wine64-preloader", "My.exe", {"C:\\Long Folder\\My.exe", "-a"}, "My.exe", ""},
        {"/usr/lib/wine/wine64", "explorer.exe", {"C:\\explorer.exe"}, "explorer.exe", ""},
        {"/usr/lib/wine/wine64",
         "AWordOf15Bytes.",
         {"Z:\\AWordOf15Bytes.exe"},
         "AWordOf15Bytes.exe",
         ""},
        {"/usr/lib/wine/wine64", "game.exe", {"/usr/lib/wine/wine64", "x"}, "game.exe", ""},
        {"/usr/lib/wine/wine64", "wine64", {"wine64", "C:\\a\\b.exe"}, "b.exe", ""},
        {NULL, NULL, {"/bin/sh", "/usr/bin/wine", "games/b.exe", "-w"}, "b.exe", ""},
        {NULL, "bash", {"bash", "/bin/python3", "-u", "/me/tool.py"}, "python3", "tool.py"},
        {NULL, "python3", {"python3", "-u", "/me/tool.py", "lutris"}, "python3", "tool.py"},
        {NULL, "python3", {"python3", "-c", "import tool"}, "python3", ""},
        {NULL, "python3", {"python3"}, "python3", ""},
        {"/usr/bin/vkcube", "vkcube", {""}, "vkcube", ""},
        {"/usr/bin/wineserver64", NULL, {"wineserver"}, "wineserver", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct program_facts facts = {cases[i].file, cases[i].short_name, cases[i].arguments, 0};
        while (facts.arguments[facts.argument_count]) {
            facts.argument_count++;
        }
        struct program_names names;
        print_message("%s\n", facts.arguments[0]);
        program_names_from(&facts, &names);
        assert_string_equal(names.name, cases[i].name);
        assert_string_equal(names.script, cases[i].script);
    }
}

/* Acts as Wine's loader, which the kernel knows by the name that Wine gives it. */
static bool is_known_as_a(void)
{
    struct program_names names;
    prctl(PR_SET_NAME, "a");
    program_names_find(&names);
    return strcmp(names.name, "a") == 0;
}

TEST(a_name_of_one_letter_is_a_name)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(execl("/proc/self/exe", "wine64", NULL));
    }
    assert_int_equal(test_status_of(child), 0);
}

IN_FOLDER(scanpaths_are_relative_to_the_file_that_names_them)
{
    const char *text = "{\"gaze\": {\"scanpath\": {\"file\": \"data/gaze.csv\"}}}";
    char wanted[600];
    struct fovea_config_desc desc = search();
    write_text("xdg/fovea/fovea.json", text);
    struct fovea_settings settings = load(&desc);
    snprintf(wanted, sizeof wanted, "%s/xdg/fovea/data/gaze.csv", folder());
    assert_string_equal(settings.gaze.scanpath_file, wanted);

    write_text("named.json", text);
    desc.file = "named.json";
    settings = load(&desc);
    snprintf(wanted, sizeof wanted, "%s/data/gaze.csv", folder());
    assert_string_equal(settings.gaze.scanpath_file, wanted);

    const char *const set = "gaze.scanpath.file=data/gaze.csv";
    desc.sets = &set;
    desc.set_count = 1;
    assert_string_equal(load(&desc).gaze.scanpath_file, "data/gaze.csv");
}

IN_FOLDER(long_scanpaths_are_refused)
{
    write_text("fovea.json",
               test_text("{\"gaze\": {\"scanpath\": {\"file\": \"%0*d\"}}}", 1020, 0));
    struct fovea_config_desc desc = search();
    assert_fails(
        &desc, FOVEA_ERROR_CONFIG,
        "./fovea.json:1:32: gaze.scanpath.file: expected a string, at most 1023 bytes; found "
        "\"00000000000000000000000000000000000000000000000000000000000...");
}

#define TABLE(file) "{\"foveation\": {\"display\": {\"table\": \"" file "\"}}}"
#define OUTSIDE "may name files of its own folder only"

/* Nobody has named the file, and the folder may be somebody else's work. */
IN_FOLDER(a_file_of_the_working_directory_may_not_reach_beyond_it)
{
    assert_int_equal(mkdir("data", 0755), 0);
    write_text("outside.csv", "t,x,y\n");
    write_text("outside.table", "0 0.25 1\n");
    assert_int_equal(chdir("data"), 0);
    assert_int_equal(symlink("../outside.csv", "link.csv"), 0);
    assert_int_equal(symlink("../outside.table", "link.table"), 0);
    write_text("own.table", "0 0.5 1\n");
    static const struct {
        const char *text;
        const char *complaint; /* NULL: it may */
    } cases[] = {
        {"{\"gaze\": {\"udp\": {\"bind\": \"0.0.0.0\"}}}", "gaze.udp.bind"},
        {"{\"gaze\": {\"udp\": {\"bind\": \"::\"}}}", "gaze.udp.bind"},
        {"{\"apps\": {\"exe:*\": {\"gaze\": {\"udp\": {\"bind\": \"10.0.0.1\"}}}}}",
         "gaze.udp.bind"},
        {"{\"gaze\": {\"udp\": {\"bind\": \"::1\", \"port\": 7000}}}", NULL},
        {"{\"gaze\": {\"udp\": {\"bind\": \"127.0.0.2\"}}}", NULL},
        {"{\"gaze\": {\"source\": \"lsl\"}}", "gaze.source"},
        {"{\"gaze\": {\"pupil\": {\"address\": \"10.0.0.1\"}}}", "gaze.pupil.address"},
        {"{\"gaze\": {\"neon\": {\"address\": \"10.0.0.1\"}}}", "gaze.neon.address"},
        {"{\"record\": {\"file\": \"of_this_folder\"}}", "record.file"},
        {"{\"gaze\": {\"opengaze\": {\"address\": \"10.0.0.1\"}}}", "gaze.opengaze.address"},
        {"{\"gaze\": {\"scanpath\": {\"file\": \"/etc/passwd\"}}}", "gaze.scanpath.file"},
        {"{\"gaze\": {\"scanpath\": {\"file\": \"../outside.csv\"}}}", "gaze.scanpath.file"},
        {"{\"gaze\": {\"scanpath\": {\"file\": \"link.csv\"}}}", "gaze.scanpath.file"},
        {"{\"gaze\": {\"scanpath\": {\"file\": \"own.csv\"}}}", NULL},
        {"{\"foveation\": {\"map\": {\"file\": \"/etc/passwd\"}}}", "foveation.map.file"},
        {"{\"foveation\": {\"map\": {\"file\": \"maps/own.png\"}}}", NULL},
        {"{\"lens\": {\"file\": \"/etc/passwd\"}}", "lens.file"},
        {"{\"lens\": {\"file\": \"../outside.csv\"}}", "lens.file"},
        {"{\"lens\": {\"file\": \"own.json\"}}", NULL},
        {TABLE("../outside.table"), OUTSIDE},
        {TABLE("link.table"), OUTSIDE},
        {"{\"apps\": {\"exe:*\": " TABLE("../outside.table") "}}", OUTSIDE},
        {"{\"apps\": {\"exe:no such program\": " TABLE("../outside.table") "}}", OUTSIDE},
        {TABLE("own.table"), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fovea_config_desc desc = search();
        OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
        write_text("fovea.json", cases[i].text);
        print_message("%s\n", cases[i].text);
        assert_result(fovea_config_create(&desc, &config),
                      cases[i].complaint ? FOVEA_ERROR_CONFIG : FOVEA_OK);
        if (cases[i].complaint) {
            assert_non_null(strstr(recorded.last[FOVEA_LOG_ERROR], cases[i].complaint));
        }
        fovea_config_destroy(&config);
        /* One that is named may. */
        desc.file = "fovea.json";
        assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    }
}

static uint32_t load_threads(void)
{
    const struct fovea_config_desc desc = search();
    return load(&desc).cpu_threads;
}

IN_FOLDER(a_file_of_the_working_directory_that_is_not_trusted_is_not_read)
{
    write_text("fovea.json", "{\"cpu_threads\": 3}");
    assert_int_equal(load_threads(), 3);
    assert_int_equal(chmod("fovea.json", 0666), 0);
    assert_int_equal(load_threads(), 0);
    assert_string_equal(recorded.last[FOVEA_LOG_WARNING],
                        "./fovea.json is not read: everybody may write it; FOVEA_CONFIG can name "
                        "it");
    assert_int_equal(chmod("fovea.json", 0644), 0);
    if (chown("fovea.json", geteuid() + 1, (gid_t)-1) == 0) { /* root alone can */
        assert_int_equal(load_threads(), 0);
        assert_non_null(strstr(recorded.last[FOVEA_LOG_WARNING], "belongs to somebody else"));
    }
    /* A secret that a link names would be quoted as wrong JSON. */
    assert_int_equal(unlink("fovea.json"), 0);
    write_text("secret", "a word that nobody shall read");
    assert_int_equal(symlink("secret", "fovea.json"), 0);
    assert_int_equal(load_threads(), 0);
    assert_string_equal(recorded.last[FOVEA_LOG_WARNING],
                        "./fovea.json is not read: it is a link; FOVEA_CONFIG can name it");
    assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 0);
}

IN_FOLDER(missing_named_files_are_an_error)
{
    struct fovea_config_desc desc = search();
    desc.file = "missing.json";
    assert_fails(&desc, FOVEA_ERROR_IO, "missing.json: No such file or directory");
    desc.file = NULL;
    setenv("FOVEA_CONFIG", "missing2.json", 1);
    assert_fails(&desc, FOVEA_ERROR_IO, "missing2.json: No such file or directory");
    desc.file = "";
    assert_fails(&desc, FOVEA_ERROR_IO,
                 "expected the name of a configuration file; found an empty one");
    char name[2000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    desc.file = name;
    assert_fails(
        &desc, FOVEA_ERROR_IO,
        "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...: the path is too long");
}

IN_FOLDER(things_that_are_no_file_are_refused_without_waiting)
{
    assert_int_equal(mkdir("directory.json", 0755), 0);
    assert_int_equal(mkfifo("pipe.json", 0644), 0);
    assert_int_equal(symlink("loop.json", "loop.json"), 0);
    static const struct {
        const char *file;
        const char *message;
    } cases[] = {
        {"directory.json", "directory.json: expected a file; found a directory"},
        {"pipe.json", "pipe.json: expected a file; found a pipe, socket or device"},
        {"/dev/zero", "/dev/zero: expected a file; found a pipe, socket or device"},
        {"loop.json", "loop.json: Too many levels of symbolic links"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fovea_config_desc desc = search();
        desc.file = cases[i].file;
        assert_fails(&desc, FOVEA_ERROR_IO, cases[i].message);
    }
    assert_int_equal(rename("pipe.json", "fovea.json"), 0);
    struct fovea_config_desc desc = search();
    assert_fails(&desc, FOVEA_ERROR_IO,
                 "./fovea.json: expected a file; found a pipe, socket or device");
}

IN_FOLDER(a_gigabyte_is_refused_by_its_size)
{
    write_text("big.json", "{}");
    assert_int_equal(truncate("big.json", 1024 * 1024 * 1024), 0);
    struct fovea_config_desc desc = search();
    desc.file = "big.json";
    assert_fails(&desc, FOVEA_ERROR_CONFIG,
                 "big.json: expected at most 1048576 bytes; found 1073741824");
    assert_int_equal(truncate("big.json", 1024 * 1024 + 1), 0);
    assert_fails(&desc, FOVEA_ERROR_CONFIG,
                 "big.json: expected at most 1048576 bytes; found 1048577");
    assert_int_equal(truncate("big.json", 1024 * 1024), 0);
    assert_fails(&desc, FOVEA_ERROR_CONFIG,
                 "big.json:1:3: expected text in UTF-8; found the byte 0x00");
}

/* Root may read everything, so the test becomes somebody else for a moment. */
IN_FOLDER(unreadable_files_are_an_error_and_closed_folders_are_not)
{
    write_three("fovea.json", 1, 1, 4);
    write_three("xdg/fovea/fovea.json", 2, 2, 8);
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(chmod("fovea.json", 0), 0);
    bool root = geteuid() == 0;
    if (root) {
        assert_int_equal(seteuid(65534), 0);
    }
    struct fovea_config_desc desc = search();
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    enum fovea_result unreadable = fovea_config_create(&desc, &config);
    if (root) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_result(unreadable, FOVEA_ERROR_IO);
    assert_null(config);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "./fovea.json: Permission denied");

    assert_int_equal(unlink("fovea.json"), 0);
    assert_int_equal(chmod("xdg", 0), 0);
    if (root) {
        assert_int_equal(seteuid(65534), 0);
    }
    recorded_clear(&recorded);
    enum fovea_result closed = fovea_config_create(&desc, &config);
    if (root) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(chmod("xdg", 0755), 0);
    assert_result(closed, FOVEA_OK);
    assert_int_equal(fovea_config_settings(config)->cpu_threads, 0);
}

IN_FOLDER(names_of_files_are_printable_in_messages)
{
    struct fovea_config_desc desc = search();
    desc.file = "a\nb\xff\x1b.json";
    assert_fails(&desc, FOVEA_ERROR_IO, "a?b??.json: No such file or directory");
}

IN_FOLDER(a_moved_working_directory_does_not_move_the_file)
{
    write_text("fovea.json", "{\"cpu_threads\": 3}");
    struct fovea_config_desc desc = search();
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    assert_int_equal(chdir("xdg"), 0);
    usleep(210000);
    assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    usleep(210000);
    assert_result(fovea_config_poll(config), FOVEA_NOT_READY);
    assert_int_equal(recorded.count[FOVEA_LOG_WARNING], 0);
}

IN_FOLDER(wrong_arguments_are_refused)
{
    struct fovea_config_desc desc = search();
    OWNED(fovea_config_destroy) struct fovea_config *config = (struct fovea_config *)&desc;
    assert_result(fovea_config_create(NULL, &config), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(config);
    assert_result(fovea_config_create(&desc, NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    desc.set_count = 1;
    assert_result(fovea_config_create(&desc, &config), FOVEA_ERROR_INVALID_ARGUMENT);
    const char *const sets[] = {"cpu_threads=1", NULL};
    desc.sets = sets;
    desc.set_count = 2;
    assert_result(fovea_config_create(&desc, &config), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_result(fovea_config_poll(NULL), FOVEA_ERROR_INVALID_ARGUMENT);
    assert_null(fovea_config_settings(NULL));
    fovea_config_destroy(NULL);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], TRUSTED) == 0) {
        return threads_of_trusted();
    }
    if (strcmp(arguments[0], "wine64") == 0) {
        return is_known_as_a() ? 0 : 1;
    }
    return tests_run(NULL, NULL);
}
