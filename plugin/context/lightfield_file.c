/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fovea_lightfield.h"

#include "config/words.h"
#include "core/log.h"
#include "core/struct_bytes.h"
#include "kernels/lightfield/lightfield.h"
#include "kernels/operator/operator_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX_BYTES 2048 /* a file has some hundred */

static struct fovea_log log_or_none(const struct fovea_log *log)
{
    return log ? *log : (struct fovea_log){0};
}

static enum fovea_result io_failed(struct fovea_log log, const char *path)
{
    log_error(log, "%s: %s", path, strerror(errno));
    return FOVEA_ERROR_IO;
}

enum fovea_result fovea_lightfield_geometry_read(const char *path, const struct fovea_log *log,
                                                 struct fovea_lightfield_geometry *out)
{
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    struct fovea_lightfield_geometry own;
    if (!path || !out || !struct_has_size(out)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const struct operator_file file = {"light field", path, FILE_MAX_BYTES, log_or_none(log)};
    struct stat status;
    int fd;
    char *bytes;
    FOVEA_TRY(operator_file_open(&file, &fd, &status));
    const enum fovea_result result = operator_file_read(&file, fd, &status, &bytes);
    close(fd);
    FOVEA_TRY(result);
    const bool good = lightfield_geometry_parse(bytes, (size_t)status.st_size, &own, problem);
    free(bytes);
    if (!good) {
        log_error(log_or_none(log), "%s:%s", path, problem);
        return FOVEA_ERROR_CONFIG;
    }
    return struct_give(out, &own, sizeof own) ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT;
}

static bool write_optics(FILE *file, const struct fovea_lightfield_geometry *own)
{
    return own->focal_length_m == 0.0 ||
           fprintf(file,
                   ",\n \"optics\": {\"focal_length_mm\": %s, \"main_to_array_mm\": %s,\n"
                   "            \"array_to_sensor_mm\": %s, \"image\": \"%s\"}",
                   config_number(1e3 * own->focal_length_m).text,
                   config_number(1e3 * own->main_to_array_m).text,
                   config_number(1e3 * own->array_to_sensor_m).text,
                   own->image_behind ? "behind" : "before") > 0;
}

static bool write_all(FILE *file, const struct fovea_lightfield_geometry *own)
{
    const bool hexagonal = own->arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL;
    return fprintf(file,
                   "{\"fovea-lightfield\": 1, \"raw\": [%u, %u], \"lenses\": [%u, %u],\n"
                   " \"pitch\": [%s, %s], \"origin\": [%s, %s], \"rotation\": %s,\n"
                   " \"rows\": \"%s\", \"flip\": %s",
                   own->raw_width_px, own->raw_height_px, own->columns, own->rows,
                   config_number(own->pitch_x_px).text, config_number(own->pitch_y_px).text,
                   config_number(own->origin_x_px).text, config_number(own->origin_y_px).text,
                   config_number(own->rotation_deg).text, hexagonal ? "hexagonal" : "rectangular",
                   own->flip ? "true" : "false") > 0 &&
           write_optics(file, own) && fprintf(file, "}\n") > 0;
}

enum fovea_result fovea_lightfield_geometry_write(const char *path, const struct fovea_log *log,
                                                  const struct fovea_lightfield_geometry *geometry)
{
    struct fovea_lightfield_geometry own;
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    if (!path || !geometry || !struct_take(&own, sizeof own, geometry)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!lightfield_geometry_check(&own, problem)) {
        log_error(log_or_none(log), "fovea_lightfield_geometry: %s", problem);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FILE *file = fopen(path, "w");
    if (!file) {
        return io_failed(log_or_none(log), path);
    }
    const bool written = write_all(file, &own);
    return fclose(file) == 0 && written ? FOVEA_OK : io_failed(log_or_none(log), path);
}
