/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "machine.h"

#include "bench_commit.h"
#include "core/thread_pool.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void note_date(struct results *results)
{
    char text[64];
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc) > 0) {
        results_machine(results, "date", text);
    }
}

/* The first line of a file that begins with `start`, from behind the first `after` in it. */
static bool find_line(const char *path, const char *start, const char *after, char out[128])
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = strstr(line, after);
        found = strncmp(line, start, strlen(start)) == 0 && value;
        if (found) {
            snprintf(out, 128, "%.100s", value + strlen(after));
            out[strcspn(out, "\n")] = '\0';
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

static void note_processor(struct results *results)
{
    char name[128] = "unknown";
    char text[RESULT_TEXT_BYTES];
    find_line("/proc/cpuinfo", "model name", ": ", name);
    snprintf(text, sizeof text, "%s, %u cores", name, thread_pool_core_count());
    results_machine(results, "processor", text);
}

/* "... Kernel Module  580.159.04  Release Build ..." */
static void note_driver(struct results *results)
{
    char text[128];
    if (find_line("/proc/driver/nvidia/version", "NVRM", "  ", text)) {
        text[strcspn(text, " ")] = '\0';
        results_machine(results, "NVIDIA driver", text);
    }
}

void machine_note(struct results *results)
{
    note_date(results);
    results_machine(results, "commit", BENCH_COMMIT);
    note_processor(results);
    note_driver(results);
}
