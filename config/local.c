/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "local.h"

#include "words.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *config_local_distrust(const struct stat *status)
{
    if (status->st_uid != geteuid() && status->st_uid != 0) {
        return "it belongs to somebody else";
    }
    return status->st_mode & S_IWOTH ? "everybody may write it" : NULL;
}

static bool is_loopback(const char *address)
{
    struct in_addr ip4;
    struct in6_addr ip6;
    if (inet_pton(AF_INET, address, &ip4) == 1) {
        return ntohl(ip4.s_addr) >> 24 == 127;
    }
    return inet_pton(AF_INET6, address, &ip6) == 1 && IN6_IS_ADDR_LOOPBACK(&ip6);
}

static bool lies_in(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && !strstr(path + length, "../");
}

/* Links are followed; what is not there is not read either. */
bool config_local_is_of_folder(const char *directory, const char *path)
{
    if (!lies_in(path, directory)) {
        return false;
    }
    char *real = realpath(path, NULL);
    char *folder = realpath(directory, NULL);
    const size_t length = folder ? strlen(folder) : 0;
    const bool inside =
        !real || (folder && strncmp(real, folder, length) == 0 &&
                  (real[length] == '/' || (length > 0 && folder[length - 1] == '/')));
    free(real);
    free(folder);
    return inside;
}

/* Asks about every setting that names a file, an operator's too; foveation.display.table has been
 * read by now, where it may (table.c). */
static bool allows_paths(const struct config_file *file, const struct fovea_settings *before,
                         const struct fovea_settings *after, struct config_words *complaint)
{
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        const char *path = (const char *)after + key->offset;
        if (key->type != CONFIG_PATH || !path[0] ||
            strcmp((const char *)before + key->offset, path) == 0 ||
            config_local_is_of_folder(file->directory, path)) {
            continue;
        }
        config_words_add(complaint->text, sizeof complaint->text, "%s: " CONFIG_LOCAL_FILES_ONLY,
                         key->path);
        return false;
    }
    return true;
}

static bool allows_addresses(const struct fovea_settings *before,
                             const struct fovea_settings *after, struct config_words *complaint)
{
    const struct {
        const char *path;
        const char *before;
        const char *after;
    } addresses[] = {
        {"gaze.udp.bind", before->gaze.udp_bind, after->gaze.udp_bind},
        {"gaze.pupil.address", before->gaze.pupil_address, after->gaze.pupil_address},
        {"gaze.neon.address", before->gaze.neon_address, after->gaze.neon_address},
        {"gaze.opengaze.address", before->gaze.opengaze_address, after->gaze.opengaze_address}};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        if (strcmp(addresses[i].before, addresses[i].after) != 0 &&
            !is_loopback(addresses[i].after)) {
            config_words_add(complaint->text, sizeof complaint->text,
                             "%s: a fovea.json that nobody has named may open no port to other "
                             "machines and speaks with none",
                             addresses[i].path);
            return false;
        }
    }
    return true;
}

bool config_local_allows(const struct config_file *file, const struct fovea_settings *before,
                         const struct fovea_settings *after, struct config_words *complaint)
{
    complaint->text[0] = '\0';
    if (!allows_addresses(before, after, complaint)) {
        return false;
    }
    if (strcmp(before->record.file, after->record.file) != 0) {
        config_words_add(
            complaint->text, sizeof complaint->text,
            "record.file: a fovea.json that nobody has named may have no files written");
        return false;
    }
    if (after->gaze.kind == FOVEA_GAZE_LSL && before->gaze.kind != FOVEA_GAZE_LSL) {
        config_words_add(
            complaint->text, sizeof complaint->text,
            "gaze.source: a fovea.json that nobody has named may not ask other machines "
            "for an LSL stream");
        return false;
    }
    return allows_paths(file, before, after, complaint);
}
