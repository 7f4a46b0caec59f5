/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "process_counts.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

static long count_entries(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        return -1;
    }
    long count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static long resident_kb(void)
{
    long pages = 0;
    long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    const bool known = file && fscanf(file, "%ld %ld", &pages, &resident) == 2;
    if (file) {
        fclose(file);
    }
    return known ? resident * (sysconf(_SC_PAGESIZE) / 1024) : -1;
}

struct process_counts process_count(void)
{
    return (struct process_counts){.threads = count_entries("/proc/self/task"),
                                   .descriptors = count_entries("/proc/self/fd"),
                                   .resident_kb = resident_kb()};
}

bool process_counts_hold(struct process_counts before, struct process_counts now, long more_kb,
                         char text[200])
{
    snprintf(text, 200, "threads %ld -> %ld, descriptors %ld -> %ld, resident %ld -> %ld KiB",
             before.threads, now.threads, before.descriptors, now.descriptors, before.resident_kb,
             now.resident_kb);
    const bool known = now.threads > 0 && now.descriptors > 0 && now.resident_kb > 0;
    return known && now.threads <= before.threads && now.descriptors <= before.descriptors &&
           now.resident_kb <= before.resident_kb + more_kb;
}
