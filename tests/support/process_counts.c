/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "process_counts.h"

#include "sanitized.h"

#include <dirent.h>
#include <unistd.h>

#if TEST_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

/* The kernel's PF_EXITING. */
#define TASK_EXITING 0x4

static bool counts_always(const char *name)
{
    return true;
}

/* The system lists a thread for some moments after it was joined. */
static bool task_goes_on(const char *name)
{
    char path[64];
    char text[512] = "";
    unsigned flags = TASK_EXITING;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", name);
    FILE *file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    const char *after_name = strrchr(text, ')'); /* which may hold anything */
    return after_name && sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           !(flags & TASK_EXITING);
}

static long count_entries(const char *path, bool (*counts)(const char *name))
{
    DIR *folder = opendir(path);
    if (!folder) {
        return -1;
    }
    long count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        count += entry->d_name[0] != '.' && counts(entry->d_name);
    }
    closedir(folder);
    return count;
}

static long memory_kb(void)
{
#if TEST_SANITIZED
    return (long)(__sanitizer_get_current_allocated_bytes() / 1024);
#else
    long pages = 0;
    long resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    const bool known = file && fscanf(file, "%ld %ld", &pages, &resident) == 2;
    if (file) {
        fclose(file);
    }
    return known ? resident * (sysconf(_SC_PAGESIZE) / 1024) : -1;
#endif
}

struct process_counts process_count(void)
{
    return (struct process_counts){.threads = count_entries("/proc/self/task", task_goes_on),
                                   .descriptors = count_entries("/proc/self/fd", counts_always),
                                   .memory_kb = memory_kb()};
}

bool process_counts_hold(struct process_counts before, struct process_counts now, long more_kb,
                         char text[200])
{
    snprintf(text, 200, "threads %ld -> %ld, descriptors %ld -> %ld, memory %ld -> %ld KiB",
             before.threads, now.threads, before.descriptors, now.descriptors, before.memory_kb,
             now.memory_kb);
    const bool known = now.threads > 0 && now.descriptors > 0 && now.memory_kb > 0;
    return known && now.threads <= before.threads && now.descriptors <= before.descriptors &&
           now.memory_kb <= before.memory_kb + more_kb;
}
