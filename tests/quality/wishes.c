/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "wishes.h"

#include "say.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_gaze(const char *text, struct fovea_point_uv *out_gaze)
{
    char *end = NULL;
    out_gaze->x_uv = strtod(text, &end);
    if (end != text && *end == ',') {
        const char *second = end + 1;
        out_gaze->y_uv = strtod(second, &end);
        const double farthest = fmax(fabs(out_gaze->x_uv - 0.5), fabs(out_gaze->y_uv - 0.5));
        const bool is_finite = isfinite(out_gaze->x_uv) && isfinite(out_gaze->y_uv);
        if (end != second && *end == '\0' && is_finite && farthest <= 1.5) {
            return true;
        }
    }
    say_error("--gaze is x,y, 0 to 1 over the picture (-1 to 2 is taken), not '%s'", text);
    return false;
}

bool picture_wishes_read(int argc, char **argv, struct picture_wishes *out)
{
    static const struct option options[] = {{"gaze", required_argument, NULL, 'g'},
                                            {"set", required_argument, NULL, 's'},
                                            {"output", required_argument, NULL, 'o'},
                                            {NULL, 0, NULL, 0}};
    const bool is_engines = strcmp(argv[0], "engines") == 0;
    const char *command = is_engines ? "compare --blur" : argv[0]; /* as ./run has it */
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'g' && read_gaze(optarg, &out->gaze)) {
            continue;
        }
        if (option == 's' && strncmp(optarg, "operators", strlen("operators")) == 0) {
            say_error("--set operators: %s has %s alone", command, is_engines ? "blur" : "foveate");
            return false;
        }
        if (option == 's' && out->set_count < SETS_MAX) {
            out->sets[out->set_count++] = optarg;
        } else if (option == 'o') {
            out->output = optarg;
        } else {
            return false;
        }
    }
    if (optind + 1 != argc) {
        say_error("%s needs one picture, a PNG or JPEG file", command);
        return false;
    }
    out->picture = argv[optind];
    return true;
}

bool picture_wishes_all(const struct picture_wishes *wishes, struct fovea_settings *out)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.sets = wishes->sets;
    desc.set_count = wishes->set_count;
    desc.ignore_changes = true;
    desc.log = say_log(FOVEA_LOG_WARNING);
    struct fovea_config *config = NULL;
    if (fovea_config_create(&desc, &config) != FOVEA_OK) {
        return false;
    }
    *out = *fovea_config_settings(config);
    fovea_config_destroy(&config);
    return true;
}

bool picture_wishes_settings(const struct picture_wishes *wishes, struct fovea_foveation *out)
{
    struct fovea_settings all;
    if (!picture_wishes_all(wishes, &all)) {
        return false;
    }
    *out = all.foveation;
    return true;
}

bool picture_wishes_folder(const struct picture_wishes *wishes)
{
    char part[FOVEA_PATH_MAX];
    snprintf(part, sizeof part, "%s", wishes->output);
    for (char *c = part + 1; *c; c++) {
        if (*c == '/') {
            *c = '\0';
            mkdir(part, 0777);
            *c = '/';
        }
    }
    struct stat found;
    if (mkdir(part, 0777) != 0 && errno != EEXIST) {
        say_error("cannot make the folder %s: %s", wishes->output, strerror(errno));
        return false;
    }
    if (stat(part, &found) != 0 || !S_ISDIR(found.st_mode)) {
        say_error("--output: %s is not a folder", wishes->output);
        return false;
    }
    if (access(part, W_OK | X_OK) != 0) {
        say_error("cannot write into the folder %s: %s", wishes->output, strerror(errno));
        return false;
    }
    return true;
}

bool picture_wishes_spare(const struct picture_wishes *wishes, const char *path)
{
    struct stat picture;
    struct stat written;
    if (stat(wishes->picture, &picture) != 0 || stat(path, &written) != 0 ||
        picture.st_dev != written.st_dev || picture.st_ino != written.st_ino) {
        return true;
    }
    say_error("%s is the picture itself: give another --output", path);
    return false;
}
