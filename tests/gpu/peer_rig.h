/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A CUDA peer with a driver that only keeps books, and what its jobs need. */
#pragma once

#include "fake_cuda_control.h"
#include "vulkan/interop/peer_cuda.h"

#define SLOTS 2

extern struct fake_cuda *fake;

/* Opens a peer in the primary context, or in one of its own with a log. */
struct peer *peer_open(void);
struct peer *peer_open_in(enum fovea_cuda_context context, struct fovea_log log);
/* Nothing of it may be left in the driver. */
void peer_close(struct peer *peer);

int new_descriptor(void);
bool is_open(int fd);
/* Descriptors of this process, to find those that somebody forgot. */
int count_descriptors(void);
struct peer_image_desc image_desc(int fd);
struct operator_plan *make_plan(enum fovea_method method);

/* A peer with everything that a job needs. */
struct setup {
    struct peer *peer;
    struct operator_plan *plan;
    struct peer_job job;
};

struct setup set_up_for(enum fovea_method method);
struct setup set_up_with(struct peer *peer, enum fovea_method method);
/* Blockwise. */
struct setup set_up(void);
void forget(struct setup *s);
void tear_down(struct setup *s);

/* All of main. */
int peer_run_tests(void);
