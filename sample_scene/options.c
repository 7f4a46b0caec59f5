/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "options.h"

#include "say.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE_PX 16384u
/* --gaze begins with this if a file follows. */
#define REPLAY "replay:"
#define SCANPATH "scanpath:"
#define MOST_EYE_HEIGHT 40u /* times its width: to 88.6 degrees up and down */

/* One flag: its name is in the table of getopt, at the same place. */
struct flag {
    const char *expected; /* NULL: it has no argument */
    bool (*take)(struct options *options, const char *text);
};

static bool read_number(const char *text, uint64_t most, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    if (*text < '0' || *text > '9') {
        return false;
    }
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *out <= most;
}

static bool add_set(struct options *options, const char *key, const char *value)
{
    if (options->set_count == OPTIONS_MAX_SETS) {
        return false;
    }
    char *text = options->set_texts[options->set_count];
    int length = snprintf(text, OPTIONS_SET_BYTES, "%s=%s", key, value);
    options->sets[options->set_count++] = text;
    return length > 0 && length < OPTIONS_SET_BYTES;
}

static bool take_window(struct options *options, const char *text)
{
    (void)text;
    return options->window = true;
}

static bool take_fullscreen(struct options *options, const char *text)
{
    (void)text;
    return options->window = options->fullscreen = true;
}

static bool take_hmd(struct options *options, const char *text)
{
    (void)text;
    return options->hmd = true;
}

static bool take_list_devices(struct options *options, const char *text)
{
    (void)text;
    return options->list_devices = true;
}

static bool take_quiet(struct options *options, const char *text)
{
    (void)text;
    return options->quiet = true;
}

static bool take_no_video(struct options *options, const char *text)
{
    (void)text;
    return options->no_video = true;
}

static bool take_validate(struct options *options, const char *text)
{
    (void)text;
    return options->validate = true;
}

static bool take_backend(struct options *options, const char *text)
{
    for (int i = FOVEA_BACKEND_AUTO; i <= FOVEA_BACKEND_CPU; i++) {
        if (strcmp(text, fovea_backend_name((enum fovea_backend)i)) == 0) {
            return add_set(options, "backend", text);
        }
    }
    return false;
}

static bool take_config(struct options *options, const char *text)
{
    options->config = text;
    return *text != '\0';
}

static bool take_set(struct options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    options->gaze_given |= strncmp(text, "gaze.", 5) == 0;
    if (!equals || equals == text || options->set_count == OPTIONS_MAX_SETS) {
        return false;
    }
    options->sets[options->set_count++] = text; /* of any length */
    return true;
}

static bool take_frames(struct options *options, const char *text)
{
    uint64_t value;
    if (!read_number(text, 10000000, &value) || value == 0) {
        return false;
    }
    options->frames = (uint32_t)value;
    return true;
}

static bool take_size(struct options *options, const char *text)
{
    char side[16];
    const char *cross = strchr(text, 'x');
    uint64_t width;
    uint64_t height;
    if (!cross || cross == text || (size_t)(cross - text) >= sizeof side) {
        return false;
    }
    memcpy(side, text, (size_t)(cross - text));
    side[cross - text] = '\0';
    if (!read_number(side, MAX_SIDE_PX, &width) || !read_number(cross + 1, MAX_SIDE_PX, &height) ||
        width == 0 || height == 0) {
        return false;
    }
    options->width_px = (uint32_t)width;
    options->height_px = (uint32_t)height;
    return true;
}

/* The source says later whether it can be had. */
static bool take_source(struct options *options, const char *name)
{
    options->gaze_given = true;
    return add_set(options, "gaze.source", name);
}

/* The whole record, once: frames beyond it have no gaze of its own. */
static bool take_replay(struct options *options, const char *file)
{
    options->gaze_given = options->replay = true;
    return *file && add_set(options, "gaze.source", "replay") &&
           add_set(options, "gaze.scanpath.file", file) &&
           add_set(options, "gaze.scanpath.loop", "false") &&
           add_set(options, "gaze.over", "drawn");
}

static bool take_scanpath(struct options *options, const char *file)
{
    options->gaze_given = true;
    return *file && add_set(options, "gaze.source", "scanpath") &&
           add_set(options, "gaze.scanpath.file", file);
}

static bool take_gaze(struct options *options, const char *text)
{
    char *end = NULL;
    if (strncmp(text, SCANPATH, strlen(SCANPATH)) == 0) {
        return take_scanpath(options, text + strlen(SCANPATH));
    }
    if (strncmp(text, REPLAY, strlen(REPLAY)) == 0) {
        return take_replay(options, text + strlen(REPLAY));
    }
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz") == strlen(text) && text[0]) {
        return take_source(options, text);
    }
    double x = strtod(text, &end);
    if (end == text || *end != ',') {
        return false;
    }
    const char *second = end + 1;
    double y = strtod(second, &end);
    if (end == second || *end != '\0' || !(x >= 0 && x <= 1 && y >= 0 && y <= 1)) {
        return false;
    }
    char number[2][32];
    snprintf(number[0], sizeof number[0], "%.9g", x);
    snprintf(number[1], sizeof number[1], "%.9g", y);
    options->gaze_given = true;
    return add_set(options, "gaze.source", "fixed") && add_set(options, "gaze.space", "uv") &&
           add_set(options, "gaze.origin", "top-left") &&
           add_set(options, "gaze.fixed.x", number[0]) &&
           add_set(options, "gaze.fixed.y", number[1]);
}

static bool take_output(struct options *options, const char *text)
{
    options->output = text;
    return *text != '\0';
}

static bool take_device(struct options *options, const char *text)
{
    uint64_t value;
    if (!read_number(text, 1000, &value)) {
        return false;
    }
    options->device = (int)value;
    return true;
}

static bool take_seed(struct options *options, const char *text)
{
    return read_number(text, UINT32_MAX, &options->seed);
}

static bool take_format(struct options *options, const char *text)
{
    options->format = pixels_find_name(text);
    return options->format != NULL;
}

static bool take_path(struct options *options, const char *text)
{
    options->copy = strcmp(text, "copy") == 0;
    return options->copy || strcmp(text, "made") == 0;
}

static bool take_export(struct options *options, const char *text)
{
    options->export_settings = text;
    return *text != '\0';
}

static bool take_frozen(struct options *options, const char *text)
{
    (void)text;
    return options->frozen = true;
}

static bool take_lightfield(struct options *options, const char *text)
{
    options->lightfield = text;
    return *text != '\0';
}

static bool take_geometry(struct options *options, const char *text)
{
    options->geometry = text;
    return *text != '\0';
}

static bool read_focus(const char *text, char end_of_it, struct options_focus *out,
                       const char **out_end)
{
    char *end = NULL;
    out->value = strtod(text, &end);
    out->unit = *end == 'D' || *end == 'm' ? *end : 'p';
    *out_end = end + (out->unit == 'p' ? 0 : 1);
    return end != text && out->value > 0.0 && out->value <= 1e6 && **out_end == end_of_it;
}

static bool take_focus(struct options *options, const char *text)
{
    const char *comma = NULL;
    const char *end = NULL;
    return read_focus(text, ',', &options->far, &comma) &&
           read_focus(comma + 1, '\0', &options->near, &end);
}

static const struct option names[] = {
    {"window", no_argument, NULL, 0},
    {"list-devices", no_argument, NULL, 1},
    {"quiet", no_argument, NULL, 2},
    {"no-video", no_argument, NULL, 3},
    {"validate", no_argument, NULL, 4},
    {"backend", required_argument, NULL, 5},
    {"config", required_argument, NULL, 6},
    {"set", required_argument, NULL, 7},
    {"frames", required_argument, NULL, 8},
    {"size", required_argument, NULL, 9},
    {"gaze", required_argument, NULL, 10},
    {"output", required_argument, NULL, 11},
    {"device", required_argument, NULL, 12},
    {"seed", required_argument, NULL, 13},
    {"format", required_argument, NULL, 14},
    {"path", required_argument, NULL, 15},
    {"hmd", no_argument, NULL, 16},
    {"fullscreen", no_argument, NULL, 17},
    {"export-settings", required_argument, NULL, 18},
    {"frozen", no_argument, NULL, 19},
    {"lightfield", required_argument, NULL, 20},
    {"geometry", required_argument, NULL, 21},
    {"focus", required_argument, NULL, 22},
    {"help", no_argument, NULL, 23},
    {NULL, 0, NULL, 0},
};

#define HELP 23

static const struct flag flags[] = {
    {NULL, take_window},
    {NULL, take_list_devices},
    {NULL, take_quiet},
    {NULL, take_no_video},
    {NULL, take_validate},
    {"auto, cuda, vulkan or cpu", take_backend},
    {"a file", take_config},
    {"key.path=value, as in foveation.strength=0.5, and 32 of them at most", take_set},
    {"a number from 1 on", take_frames},
    {"a width and a height in pixels, as in 1280x720", take_size},
    {"two numbers, 0 to 1 over the image, as in 0.5,0.5, a source's name, scanpath:FILE or "
     "replay:FILE",
     take_gaze},
    {"a folder", take_output},
    {"a number that --list-devices shows", take_device},
    {"a number from 0 to 4294967295", take_seed},
    {"bgra8-srgb, rgba8-srgb, bgra8, rgba8, rgba16f, rgb10a2, bgr10a2 or rg11b10f", take_format},
    {"made or copy", take_path},
    {NULL, take_hmd},
    {NULL, take_fullscreen},
    {"a file", take_export},
    {NULL, take_frozen},
    {"a raw picture, or \"drawn\"", take_lightfield},
    {"a file", take_geometry},
    {"far and near, as patch sizes, dioptres or metres: 7,14 or 0.5D,2D or 2m,0.5m", take_focus},
};

/* getopt has met something that it does not know, or a flag without its argument. */
static void say_what_is_wrong(char **argv, int choice, int index)
{
    const char *word = argv[optind > 0 ? optind - 1 : 0];
    if (choice == ':' && index >= 0 && index < HELP) {
        say_error("--%s needs %s", names[index].name, flags[index].expected);
    } else if (optopt > 0 && optopt < HELP && strchr(word, '=')) {
        say_error("--%s takes no value", names[optopt].name);
    } else {
        say_error("there is no flag %s; --help lists them", word);
    }
}

/* The sizes that are not given. False: one that is given is no good. */
static bool complete_size(struct options *options)
{
    if (options->width_px == 0) {
        options->width_px = options->hmd ? 1920 : 1280;
        options->height_px = options->hmd ? 1080 : 720;
    }
    if (options->hmd && options->width_px % 2 != 0) {
        say_error("--size %ux%u: with --hmd the width is that of two eyes, and must be even",
                  options->width_px, options->height_px);
        return false;
    }
    if (options->hmd && options->height_px > MOST_EYE_HEIGHT * (options->width_px / 2)) {
        say_error("--size %ux%u: with --hmd an eye's picture is at most %u times as high as wide",
                  options->width_px, options->height_px, MOST_EYE_HEIGHT);
        return false;
    }
    return true;
}

static bool check_lightfield(const struct options *options)
{
    const bool is_file = options->lightfield && strcmp(options->lightfield, OPTIONS_DRAWN) != 0;
    if (is_file != (options->geometry != NULL)) {
        say_error("--lightfield RAW and --geometry FILE go together; './run lightfield calibrate "
                  "WHITE' makes the file, and --lightfield drawn needs none");
        return false;
    }
    if (!options->lightfield && options->near.value > 0.0) {
        say_error("--focus is of a --lightfield");
        return false;
    }
    if (options->lightfield && options->hmd) {
        say_error("--lightfield: not with --hmd; its pictures are seen from one place");
        return false;
    }
    return true;
}

enum options_outcome options_read(int argc, char **argv, struct options *out_options)
{
    *out_options = (struct options){.device = -1, .seed = 1, .output = "out"};
    opterr = 0;
    for (;;) {
        int choice = getopt_long(argc, argv, ":h", names, NULL);
        if (choice == -1) {
            break;
        }
        if (choice == HELP || choice == 'h') {
            options_help();
            return OPTIONS_DONE;
        }
        if (choice == '?' || choice == ':') {
            say_what_is_wrong(argv, choice, optopt);
            return OPTIONS_WRONG;
        }
        if (!flags[choice].take(out_options, optarg)) {
            say_error("--%s %s: expected %s", names[choice].name, optarg ? optarg : "",
                      flags[choice].expected);
            return OPTIONS_WRONG;
        }
    }
    if (optind < argc) {
        say_error("'%s' is not a flag; --help lists them", argv[optind]);
        return OPTIONS_WRONG;
    }
    if (out_options->replay && out_options->hmd) {
        say_error("--gaze replay: not with --hmd, whose gaze lies between the eyes");
        return OPTIONS_WRONG;
    }
    return check_lightfield(out_options) && complete_size(out_options) ? OPTIONS_GO : OPTIONS_WRONG;
}
