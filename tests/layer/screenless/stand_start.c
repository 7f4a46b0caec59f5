/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cmocka_all.h"

#include "stand.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define FOVEA_LIBRARY "libVkLayer_fovea.so"
#define SCREENLESS_LIBRARY "VkLayer_fovea_screenless.so"
#define SCREENLESS "VK_LAYER_FOVEA_screenless"
#define VALIDATION "VK_LAYER_KHRONOS_validation"
#define SYSTEMS_LAYERS "/usr/share/vulkan/explicit_layer.d"

/* A folder of one run: manifests, logs and dumps. */
struct place {
    char folder[64];
    char fovea[PATH_MAX], screenless[PATH_MAX]; /* the libraries */
};

static void must(bool good, const char *what)
{
    assert_that(good, "%s: %s", what, strerror(errno));
}

/* ---- Libraries and manifests ----------------------------------------------------------------- */

static void find_library(const char *name, char *out_path)
{
    static const char *const beside[] = {".", "../lib", "../plugin/layer"};
    char program[PATH_MAX] = "", path[PATH_MAX + 64];
    must(readlink("/proc/self/exe", program, sizeof program - 1) > 0, "/proc/self/exe");
    const char *folder = dirname(program);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", folder, beside[i], name);
        if (realpath(path, out_path)) {
            return;
        }
    }
    fail_msg("%s is not beside %s", name, folder);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    const char *path = test_text("%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    must(file && fputs(text, file) >= 0 && fclose(file) == 0, path);
}

static void write_manifests(const struct place *place)
{
    static const char head[] = "{\"file_format_version\": \"1.2.0\", \"layer\": {\"name\": \"%s\", "
                               "\"type\": \"GLOBAL\", \"library_path\": \"%s\", "
                               "\"api_version\": \"1.3.239\", \"implementation_version\": \"1\", "
                               "\"description\": \"for tests\", %s}}\n";
    char text[PATH_MAX + 1024], folder[PATH_MAX];
    snprintf(text, sizeof text, head, SCREENLESS, place->screenless,
             "\"instance_extensions\": [{\"name\": \"VK_KHR_surface\", \"spec_version\": \"25\"}, "
             "{\"name\": \"VK_EXT_headless_surface\", \"spec_version\": \"1\"}, "
             "{\"name\": \"VK_EXT_swapchain_colorspace\", \"spec_version\": \"4\"}], "
             "\"device_extensions\": [{\"name\": \"VK_KHR_swapchain\", \"spec_version\": \"70\", "
             "\"entrypoints\": []}, {\"name\": \"VK_KHR_present_id\", \"spec_version\": \"1\", "
             "\"entrypoints\": []}, {\"name\": \"VK_KHR_present_wait\", \"spec_version\": \"1\", "
             "\"entrypoints\": []}, {\"name\": \"VK_KHR_swapchain_mutable_format\", "
             "\"spec_version\": \"1\", \"entrypoints\": []}]");
    write_file(place->folder, "screenless.json", text);
    snprintf(folder, sizeof folder, "%s/vulkan", place->folder);
    must(mkdir(folder, 0700) == 0, folder);
    strcat(folder, "/implicit_layer.d");
    must(mkdir(folder, 0700) == 0, folder);
    snprintf(text, sizeof text, head, "VK_LAYER_FOVEA_foveation", place->fovea,
             "\"enable_environment\": {\"FOVEA_ENABLE\": \"1\"}, "
             "\"disable_environment\": {\"FOVEA_DISABLE\": \"1\"}");
    write_file(folder, "fovea.json", text);
}

static void open_place(struct place *place)
{
    *place = (struct place){.folder = "/tmp/fovea-stand-XXXXXX"};
    must(mkdtemp(place->folder) != NULL, place->folder);
    find_library(FOVEA_LIBRARY, place->fovea);
    find_library(SCREENLESS_LIBRARY, place->screenless);
    write_manifests(place);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    return remove(path);
}

/* ---- The environment ------------------------------------------------------------------------- */

static const char *layer_path(void)
{
    const char *path = getenv("VK_LAYER_PATH");
    return path ? path : SYSTEMS_LAYERS;
}

bool stand_has_validation(void)
{
    return access(test_text("%s/VkLayer_khronos_validation.json", layer_path()), R_OK) == 0;
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0) {
        _exit(126);
    }
}

/* In the child, which is to be the program. */
static void set_environment(const struct place *place, const struct stand_start *start)
{
    char text[2 * PATH_MAX];
    snprintf(text, sizeof text, "%s:%s", place->folder, layer_path());
    set("VK_LAYER_PATH", text);
    set("VK_INSTANCE_LAYERS", start->validate ? VALIDATION ":" SCREENLESS : SCREENLESS);
    if (start->layer != STAND_NO_LAYER) {
        set("XDG_DATA_HOME", place->folder);
    }
    set("STAND_SCREENLESS", place->screenless);
    set("SCREENLESS_TIMES", start->times ? "1" : "0");
    set("SCREENLESS_COPY", start->costs ? "0" : "1");
    set("SCREENLESS_CLOCK", start->clock ? start->clock : "");
    unsetenv("FOVEA_CONFIG");
    set("XDG_CONFIG_HOME", "/nowhere");
    /* The library's own model, as the operator beside the layer has it. */
    snprintf(text, sizeof text, "foveation.model=paper%s%s", start->sets ? "," : "",
             start->sets ? start->sets : "");
    set("FOVEA_SET", text);
    if (start->layer == STAND_FOVEA) {
        set("FOVEA_ENABLE", "1");
        snprintf(text, sizeof text, "%s/fovea.log", place->folder);
        set("FOVEA_LOG_FILE", text);
    } else {
        unsetenv("FOVEA_ENABLE");
    }
    if (start->logged) {
        set("FOVEA_LAYER_DUMP", place->folder);
        set("FOVEA_LAYER_DUMP_PICTURES", "0");
    }
}

static void become(const struct place *place, const struct stand_start *start)
{
    char options[512], *arguments[40] = {"stand", "program"};
    char path[PATH_MAX];
    int count = 2;
    snprintf(options, sizeof options, "%s validate=%d logged=%d", start->options, start->validate,
             start->logged);
    for (char *word = strtok(options, " "); word && count < 39; word = strtok(NULL, " ")) {
        arguments[count++] = word;
    }
    snprintf(path, sizeof path, "%s/output.txt", place->folder);
    const int output = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0) {
        _exit(126);
    }
    set_environment(place, start);
    execv("/proc/self/exe", arguments);
    _exit(127);
}

/* ---- What came of it ------------------------------------------------------------------------- */

static void read_all(const struct place *place, const char *name, char *out_text, size_t size)
{
    FILE *file = fopen(test_text("%s/%s", place->folder, name), "r");
    const size_t length = file ? fread(out_text, 1, size - 1, file) : 0;
    out_text[length] = '\0';
    if (file) {
        fclose(file);
    }
}

void stand_run(const struct stand_start *start, struct stand_result *out_result)
{
    struct place place;
    open_place(&place);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        become(&place, start);
    }
    int status = 0;
    must(child > 0 && waitpid(child, &status, 0) == child, "fork");
    out_result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    read_all(&place, "output.txt", out_result->output, sizeof out_result->output);
    read_all(&place, "fovea.log", out_result->log, sizeof out_result->log);
    nftw(place.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

double stand_number(const struct stand_result *result, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = result->output; at && *at; at = strchr(at, '\n'), at += at != NULL) {
        if (strncmp(at, name, length) == 0 && at[length] == ' ') {
            return strtod(at + length, NULL);
        }
    }
    fail_msg("the program has not said %s:\n%s%s", name, result->output, result->log);
    return 0.0;
}
