/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_config_support.h"

#include "config/value.h"

#include <ctype.h>
#include <ftw.h>
#include <sys/stat.h>

static char folder_path[256];

int enter_folder(void **state)
{
    snprintf(folder_path, sizeof folder_path, "%s/fovea-test-config-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    bool entered = mkdtemp(folder_path) && chdir(folder_path) == 0;
    unsetenv("FOVEA_CONFIG");
    unsetenv("FOVEA_SET");
    setenv("HOME", folder_path, 1);
    setenv("XDG_CONFIG_HOME", folder_path, 1);
    return entered ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    return remove(path);
}

int leave_folder(void **state)
{
    return chdir("/") == 0 ? nftw(folder_path, remove_entry, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

const char *folder(void)
{
    return folder_path;
}

void write_bytes(const char *path, const char *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

char *json(const char *text)
{
    char *out = strdup(text);
    assert_non_null(out);
    for (char *at = out; *at; at++) {
        const bool apostrophe =
            at > out && isalpha((unsigned char)at[-1]) && isalpha((unsigned char)at[1]);
        *at = *at == '\'' && !apostrophe ? '"' : *at;
    }
    return out;
}

void write_json(const char *path, const char *text)
{
    OWNED(owned_free) char *bytes = json(text);
    write_text(path, bytes);
}

struct fovea_config_desc only_file(const char *file, struct recorded *recorded)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.file = file;
    desc.ignore_environment = true;
    desc.program_name = "scene";
    recorded_clear(recorded);
    desc.log = recorded_log(recorded);
    return desc;
}

void assert_same_settings(const struct fovea_settings *a, const struct fovea_settings *b)
{
    for (size_t i = 0; i < config_key_count; i++) {
        print_message("%s\n", config_keys[i].path);
        assert_string_equal(config_value_words(&config_keys[i], a).text,
                            config_value_words(&config_keys[i], b).text);
    }
    /* Words may be cut. */
    const struct fovea_curve *curve_a = &a->foveation.curve;
    const struct fovea_curve *curve_b = &b->foveation.curve;
    assert_memory_equal(curve_a->eccentricity_deg, curve_b->eccentricity_deg,
                        sizeof curve_a->eccentricity_deg);
    assert_memory_equal(a->foveation.display.table, b->foveation.display.table,
                        sizeof a->foveation.display.table);
    assert_memory_equal(curve_a->cutoff_cpd, curve_b->cutoff_cpd, sizeof curve_a->cutoff_cpd);
}

/* fovea_result_name lives in a library that these tests do without. */
const char *fovea_test_result(enum fovea_result result)
{
    switch (result) {
    case FOVEA_OK:
        return "FOVEA_OK";
    case FOVEA_NOT_READY:
        return "FOVEA_NOT_READY";
    case FOVEA_ERROR_INVALID_ARGUMENT:
        return "FOVEA_ERROR_INVALID_ARGUMENT";
    case FOVEA_ERROR_OUT_OF_MEMORY:
        return "FOVEA_ERROR_OUT_OF_MEMORY";
    case FOVEA_ERROR_CONFIG:
        return "FOVEA_ERROR_CONFIG";
    case FOVEA_ERROR_IO:
        return "FOVEA_ERROR_IO";
    default:
        return "another result";
    }
}

__attribute__((weak)) int main(void)
{
    return tests_run(enter_folder, leave_folder);
}
