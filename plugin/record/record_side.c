/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The JSON files of BIDS beside the tables. Each is written under another name first, so that one
 * that is there is whole. */
#include "record_state.h"

#include "config/words.h"
#include "core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct column {
    const char *name;
    const char *unit;
    const char *description;
};

static const struct column columns[] = {
#define RECORD_COLUMN(NAME, name, unit, description) {#name, unit, description},
#include "record_columns.def"
#undef RECORD_COLUMN
};

static const char *const states[] = {"tracked", "held", "lost", "fixation", "saccade", "blink"};

static void put_states(FILE *file)
{
    fputs("\"Levels\": {", file);
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        fprintf(file, "%s\"%zu\": \"%s\"", i ? ", " : "", i, states[i]);
    }
    fputs("}", file);
}

static void put_columns(FILE *file)
{
    fputs("    \"Columns\": [", file);
    for (size_t i = 0; i < RECORD_COLUMNS; i++) {
        fprintf(file, "%s\"%s\"", i ? ", " : "", columns[i].name);
    }
    fputs("],\n", file);
    for (size_t i = 0; i < RECORD_COLUMNS; i++) {
        fprintf(file, "    \"%s\": {\"Description\": \"%s\", \"Units\": \"%s\"", columns[i].name,
                columns[i].description, columns[i].unit);
        if (i == RECORD_STATE) {
            fputs(", ", file);
            put_states(file);
        }
        fputs("},\n", file);
    }
}

/* Copied under the lock, since a program may be setting others. */
static uint32_t copy_settings(struct record *record, uint32_t index, struct record_settings *out)
{
    pthread_mutex_lock(&record->lock);
    const uint32_t count = record->settings_count;
    *out = record->settings[index < RECORD_MAX_SETTINGS ? index : RECORD_MAX_SETTINGS - 1];
    pthread_mutex_unlock(&record->lock);
    return count < RECORD_MAX_SETTINGS ? count : RECORD_MAX_SETTINGS;
}

static void put_settings(FILE *file, struct record *record)
{
    struct record_settings settings;
    fputs("    \"FoveaSettings\": [", file);
    for (uint32_t i = 0; i < copy_settings(record, i, &settings); i++) {
        fprintf(file, "%s\"%016llx\"", i ? ", " : "", (unsigned long long)settings.hash);
    }
    fputs("],\n", file);
}

/* Lines a second from the first to the newest: frames do not come at a fixed rate. */
static double sampling_hz(const struct record *record)
{
    const double span_s = (double)(record->last.t_ns - record->first_t_ns) * 1e-9;
    return record->taken > 1 && span_s > 0 ? (double)(record->taken - 1) / span_s : 0;
}

/* Returns the time of the first line; 0 as long as there is none. */
static double first_s(const struct record *record)
{
    return record->taken > 0 ? (double)(record->first_t_ns - record->start_ns) / 1e9 : 0;
}

static void put_rows_side(FILE *file, struct record *record)
{
    struct record_settings first = {0};
    (void)copy_settings(record, 0, &first);
    fprintf(file,
            "{\n    \"SamplingFrequency\": %s,\n    \"StartTime\": %s,\n"
            "    \"PhysioType\": \"eyetrack\",\n    \"RecordedEye\": \"%s\",\n"
            "    \"SampleCoordinateSystem\": \"gaze-on-screen\",\n"
            "    \"SoftwareVersions\": \"Fovea %d.%d.%d\",\n",
            config_number(sampling_hz(record)).text, config_number(first_s(record)).text,
            first.eye ? first.eye : "cyclopean", FOVEA_VERSION_MAJOR, FOVEA_VERSION_MINOR,
            FOVEA_VERSION_PATCH);
    put_columns(file);
    put_settings(file, record);
    fprintf(file,
            "    \"FoveaStart\": {\"utc\": \"%s\", \"clock_monotonic_ns\": %lld},\n"
            "    \"FoveaPresented\": \"%s\",\n"
            "    \"FoveaLines\": {\"written\": %llu, \"lost\": %llu}\n}\n",
            record->start_utc, (long long)record->start_ns, record_shown_words(record),
            (unsigned long long)record->row_count,
            (unsigned long long)(atomic_load(&record->lost) + record->unwritten));
}

/* Tangents or pixels a degree say nothing of a width and a distance. */
static bool is_by_screen(const struct fovea_geometry *geometry)
{
    return geometry->ppd == 0 && geometry->tan_left == 0 && geometry->tan_right == 0 &&
           geometry->tan_up == 0 && geometry->tan_down == 0;
}

static void put_screen(FILE *file, struct record *record)
{
    struct record_settings settings = {0};
    const struct record_row *row = &record->last;
    (void)copy_settings(record, 0, &settings);
    const struct fovea_geometry *geometry = &settings.geometry;
    if (row->width_px == 0) {
        return;
    }
    const double height_m = geometry->screen_width_m * row->height_px / row->width_px;
    const bool known = is_by_screen(geometry);
    fprintf(file,
            ",\n    \"StimulusPresentation\": {\"ScreenDistance\": %s, \"ScreenOrigin\": "
            "[\"top\", \"left\"], \"ScreenResolution\": [%u, %u], \"ScreenSize\": ",
            known ? config_number(geometry->distance_m).text : "\"n/a\"", row->width_px,
            row->height_px);
    if (!known) {
        fputs("\"n/a\"}", file);
        return;
    }
    fprintf(file, "[%s, ", config_number(geometry->screen_width_m).text);
    fprintf(file, "%s]}", config_number(height_m).text);
}

static void put_events_side(FILE *file, struct record *record)
{
    fputs("{\n    \"onset\": {\"Description\": \"Since the record began\", \"Units\": \"s\"},\n"
          "    \"trial_type\": {\"Description\": \"What happened\", \"Levels\": {\n"
          "        \"gaze_state\": \"the gaze's state is value from here on\",\n"
          "        \"settings\": \"settings number value are in force from here on\",\n"
          "        \"frames_refused\": \"value frames before this one were not taken\",\n"
          "        \"frame_dropped\": \"this frame was never on the screen\",\n"
          "        \"frame_repeated\": \"the frame before this one was shown value times more\",\n"
          "        \"lines_lost\": \"value lines before this one are missing\"}},\n"
          "    \"value\": {\"Description\": \"A number, as trial_type says\"},\n"
          "    \"frame\": {\"Description\": \"Number of the frame\"}",
          file);
    put_screen(file, record);
    fputs("\n}\n", file);
}

static bool write_side(struct record *record, const char *name,
                       void (*put)(FILE *file, struct record *record))
{
    char other[FOVEA_PATH_MAX + 8];
    snprintf(other, sizeof other, "%s.part", name);
    (void)unlink(other); /* of a program that died */
    const int made = descriptor_above_standard(
        open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    FILE *file = made >= 0 ? fdopen(made, "w") : NULL;
    if (!file) {
        if (made >= 0) {
            close(made);
        }
        return false;
    }
    put(file, record);
    const bool whole = fflush(file) == 0 && !ferror(file);
    const int error = errno;
    if ((fclose(file) == 0 || !whole) && whole && rename(other, name) == 0) {
        return true;
    }
    errno = whole ? errno : error;
    const int why = errno;
    (void)unlink(other); /* what is left of it says nothing */
    errno = why;
    return false;
}

bool record_side_write(struct record *record)
{
    return write_side(record, record->rows_side_name, put_rows_side) &&
           write_side(record, record->events_side_name, put_events_side);
}
