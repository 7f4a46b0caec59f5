/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "progress.h"

#include "fovea.h"

#include <stdio.h>
#include <unistd.h>

#define BAR_CELLS 32
#define REDRAW_NS 50000000

struct progress progress_start(uint64_t total, bool shown)
{
    return (struct progress){.shown = shown,
                             .terminal = isatty(STDERR_FILENO),
                             .what = "frame",
                             .total = total,
                             .last_tenth = -1,
                             .start_ns = fovea_time_ns()};
}

static const char *say_count(const struct progress *progress, uint64_t done, char *out, size_t size)
{
    out[0] = '\0';
    if (progress->what) {
        snprintf(out, size, "%s %llu of %llu, ", progress->what, (unsigned long long)done,
                 (unsigned long long)progress->total);
    }
    return out;
}

static void draw_bar(const struct progress *progress, uint64_t done, double left_s)
{
    char bar[BAR_CELLS + 1];
    uint64_t full = done * BAR_CELLS / progress->total;
    for (uint64_t i = 0; i < BAR_CELLS; i++) {
        bar[i] = i < full ? '#' : '.';
    }
    bar[BAR_CELLS] = '\0';
    char count[64];
    fprintf(stderr, "\r  [%s] %3llu %%  %s%.0f s to go   ", bar,
            (unsigned long long)(done * 100 / progress->total),
            say_count(progress, done, count, sizeof count), left_s);
    fflush(stderr);
}

void progress_update(struct progress *progress, uint64_t done)
{
    if (!progress->shown || progress->total == 0) {
        return;
    }
    int64_t now_ns = fovea_time_ns();
    double passed_s = (double)(now_ns - progress->start_ns) * 1e-9;
    int tenth = (int)(done * 10 / progress->total);
    if (progress->terminal && (now_ns - progress->last_ns > REDRAW_NS || done == progress->total)) {
        double left_s = done ? passed_s * (double)(progress->total - done) / (double)done : 0.0;
        draw_bar(progress, done, left_s);
        progress->last_ns = now_ns;
    } else if (!progress->terminal && tenth > progress->last_tenth) {
        char count[64];
        fprintf(stderr, "%3llu %%  %s%.1f s\n", (unsigned long long)(done * 100 / progress->total),
                say_count(progress, done, count, sizeof count), passed_s);
    }
    progress->last_tenth = tenth;
}

void progress_end(struct progress *progress)
{
    if (progress->shown && progress->terminal && progress->last_ns) {
        fputc('\n', stderr);
    }
    progress->shown = false;
}
