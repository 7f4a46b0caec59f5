/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cache_folder.h"

#include "cmocka_all.h"
#include "plugin/frame/create/frame_cost.h"

#include <ftw.h>
#include <sys/stat.h>

static char folder[256];

int cache_folder_enter(void **state)
{
    snprintf(folder, sizeof folder, "%s/fovea-test-cache-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("HOME");
    frame_cost_forget();
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    return remove(path);
}

int cache_folder_leave(void **state)
{
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *cache_folder(void)
{
    return folder;
}

const char *cache_folder_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void cache_folder_write(const char *name, const void *bytes, size_t count)
{
    mkdir(cache_folder_path("fovea"), 0700);
    FILE *file = fopen(cache_folder_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fchmod(fileno(file), 0600), 0);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

size_t cache_folder_read(const char *name, char *text, size_t bytes)
{
    FILE *file = fopen(cache_folder_path(name), "rb");
    if (!file) {
        return 0;
    }
    const size_t count = fread(text, 1, bytes - 1, file);
    text[count] = '\0';
    fclose(file);
    return count;
}
