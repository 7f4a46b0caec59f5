/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A video through an ffmpeg of the user's, fed by a pipe. */
#pragma once

#include "picture.h"

struct video;

bool video_available(void);
/* 60 frames a second. False with a message. */
bool video_open(const char *path, int width_px, int height_px, struct video **out_video);
/* False with a message, the first time, when ffmpeg has gone. */
bool video_add(struct video *video, const struct picture *picture);
/* Waits until the file is whole. False with a message. */
bool video_close(struct video **video);
