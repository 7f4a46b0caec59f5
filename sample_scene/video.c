/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "video.h"

#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct video {
    pid_t child;
    int pipe; /* -1: broken */
};

bool video_available(void)
{
    const char *path = getenv("PATH");
    for (const char *folder = path; folder && *folder;) {
        size_t length = strcspn(folder, ":");
        char file[4096];
        int written = snprintf(file, sizeof file, "%.*s/ffmpeg", (int)length, folder);
        if (written > 0 && (size_t)written < sizeof file && access(file, X_OK) == 0) {
            return true;
        }
        folder += length + (folder[length] == ':');
    }
    return false;
}

/* In a process group of its own, so that Ctrl-C does not end it before its file is whole. */
static int spawn_child(struct video *video, int read_end, int write_end, char *const arguments[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        posix_spawn_file_actions_adddup2(&actions, read_end, STDIN_FILENO);
        posix_spawn_file_actions_addclose(&actions, write_end);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        error =
            posix_spawnp(&video->child, arguments[0], &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool start(struct video *video, char *const arguments[])
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        say_error("no pipe for ffmpeg: %s", strerror(errno));
        return false;
    }
    int error = spawn_child(video, ends[0], ends[1], arguments);
    close(ends[0]);
    if (error) {
        say_error("ffmpeg cannot be started: %s", strerror(error));
        close(ends[1]);
        return false;
    }
    video->pipe = ends[1];
    return true;
}

bool video_open(const char *path, int width_px, int height_px, struct video **out_video)
{
    char size[32];
    char file[4096];
    snprintf(size, sizeof size, "%dx%d", width_px, height_px);
    /* A name that begins with a dash or holds a colon is a file all the same. */
    snprintf(file, sizeof file, "file:%s", path);
    /* Sides of the common pixel format are even. Without -xerror ffmpeg 5 ends with 0 where the
     * disk is full at the end. */
    char *const arguments[] = {
        "ffmpeg",   "-xerror",  "-nostdin", "-nostats",  "-an",
        "-v",       "error",    "-y",       "-f",        "rawvideo",
        "-pix_fmt", "rgba",     "-s",       size,        "-r",
        "60",       "-i",       "pipe:0",   "-vf",       "pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-c:v",     "libx264",  "-preset",  "veryfast",  "-crf",
        "20",       "-pix_fmt", "yuv420p",  "-movflags", "+faststart",
        file,       NULL};
    struct video *video = calloc(1, sizeof *video);
    *out_video = NULL;
    if (!video || !start(video, arguments)) {
        free(video);
        return false;
    }
    *out_video = video;
    return true;
}

bool video_add(struct video *video, const struct picture *picture)
{
    const uint8_t *from = picture->rgba;
    size_t left = (size_t)picture->width_px * (size_t)picture->height_px * 4;
    while (left > 0 && video->pipe >= 0) {
        ssize_t written = write(video->pipe, from, left);
        if (written > 0) {
            from += written;
            left -= (size_t)written;
        } else if (written < 0 && errno != EINTR) {
            say_error("ffmpeg does not take frames any more: %s", strerror(errno));
            close(video->pipe);
            video->pipe = -1;
        }
    }
    return video->pipe >= 0;
}

bool video_close(struct video **video)
{
    if (!*video) {
        return true;
    }
    int status = 0;
    if ((*video)->pipe >= 0) {
        close((*video)->pipe);
    }
    while (waitpid((*video)->child, &status, 0) < 0 && errno == EINTR) {
    }
    free(*video);
    *video = NULL;
    bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!whole) {
        say_error("ffmpeg failed; there is no video");
    }
    return whole;
}
