/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "report.h"

#include "bench.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

static void add_number(cJSON *object, const char *name, double value)
{
    cJSON_AddNumberToObject(object, name, value);
}

static void add_times(cJSON *object, const struct bench_times *times)
{
    add_number(object, "us", times->median_us);
    add_number(object, "us_p10", times->p10_us);
    add_number(object, "us_p90", times->p90_us);
    add_number(object, "repetitions", (double)times->count);
}

static void add_size(cJSON *object, const struct bench_size *size)
{
    cJSON_AddStringToObject(object, "size", size->name);
    add_number(object, "width_px", size->width_px);
    add_number(object, "height_px", size->height_px);
}

static const char *const kinds[RESULT_KIND_COUNT] = {
    [RESULT_PICTURE] = "picture",    [RESULT_BATCH] = "batch",
    [RESULT_LENS] = "lens",          [RESULT_FOVEATION] = "foveation-paper",
    [RESULT_THESIS] = "blur-thesis", [RESULT_LIGHTFIELD] = "lightfield-paper",
    [RESULT_CSDD] = "csdd-thesis"};

static void add_bandwidth(cJSON *object, const struct results *results, const struct result *row)
{
    const double copy_gb_per_s = results_copy_gb_per_s(results, row->backend);
    add_number(object, "gb_per_s", result_gb_per_s(row));
    if (copy_gb_per_s > 0.0) {
        add_number(object, "percent_of_copy", 100.0 * result_gb_per_s(row) / copy_gb_per_s);
    }
}

static void add_row(cJSON *rows, const struct results *results, const struct result *row)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, object);
    cJSON_AddStringToObject(object, "table", kinds[row->kind]);
    cJSON_AddStringToObject(object, "backend", row->backend);
    add_size(object, row->size);
    cJSON_AddStringToObject(object, "mode", row->what);
    if (row->gaze) {
        cJSON_AddStringToObject(object, "gaze", row->gaze);
    }
    cJSON_AddStringToObject(object, "format", bench_format_name(row->format));
    add_times(object, &row->times);
    if (row->reference_us > 0.0) {
        add_number(object, "x_copy", row->times.median_us / row->reference_us);
    }
    if (row->warm.median_us > 0.0) {
        add_number(object, "us_warm", row->warm.median_us);
    }
    if (row->ours_us > 0.0) {
        add_number(object, "x_fovea", row->times.median_us / row->ours_us);
    }
    add_bandwidth(object, results, row);
    add_number(object, "ps_per_pixel", result_ps_per_pixel(row));
    add_number(object, "pictures", row->images);
    add_number(object, "pictures_per_s", row->images / row->times.median_us * 1e6);
    cJSON_AddStringToObject(object, "timed_by", row->way);
    if (row->note[0]) {
        cJSON_AddStringToObject(object, "note", row->note);
    }
}

static void add_domain(cJSON *rows, const struct domain_result *row)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, object);
    cJSON_AddStringToObject(object, "backend", row->backend);
    add_number(object, "point", row->number);
    cJSON_AddStringToObject(object, "words", row->words);
    add_number(object, "width_px", row->size.width_px);
    add_number(object, "height_px", row->size.height_px);
    add_number(object, "pictures", row->images);
    add_number(object, "strength", row->strength);
    if (!row->bound_words) {
        cJSON_AddBoolToObject(object, "refused", true);
        return;
    }
    add_times(object, &row->times);
    add_number(object, "copy_us", row->copy_us);
    add_number(object, "x_copy", row->times.median_us / row->copy_us);
    cJSON_AddStringToObject(object, "bound", row->bound_words);
    add_number(object, "bound_us", row->bound_us);
    add_number(object, "of_bound", row->times.median_us / row->bound_us);
}

static void add_notes(cJSON *root, const char *name, const struct result_note *notes, size_t count)
{
    cJSON *object = cJSON_AddObjectToObject(root, name);
    for (size_t i = 0; i < count; i++) {
        cJSON_AddStringToObject(object, notes[i].what, notes[i].why);
    }
}

static cJSON *make_json(const struct results *results)
{
    cJSON *root = cJSON_CreateObject();
    add_notes(root, "machine", results->machine, results->machine_count);
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    for (size_t i = 0; i < results->row_count; i++) {
        add_row(rows, results, &results->rows[i]);
    }
    cJSON *domain = cJSON_AddArrayToObject(root, "domain");
    for (size_t i = 0; i < results->domain_count; i++) {
        add_domain(domain, &results->domain[i]);
    }
    add_notes(root, "absent", results->absent, results->absent_count);
    return root;
}

bool report_json(const struct results *results, const char *path)
{
    cJSON *root = make_json(results);
    OWNED(owned_free) char *text = cJSON_Print(root);
    FILE *file = fopen(path, "w");
    bool written = text && file && fputs(text, file) >= 0 && fputc('\n', file) != EOF;
    if (file && fclose(file) != 0) {
        written = false;
    }
    if (!written) {
        bench_say("cannot write %s: %s", path, strerror(errno));
    }
    cJSON_Delete(root);
    return written;
}

bool report_json_so_far(const struct results *results, const char *path)
{
    struct stat status;
    sigset_t ends;
    sigset_t before;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        return true;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    const bool written = report_json(results, path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return written;
}
