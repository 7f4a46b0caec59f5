/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All operators have this in common on the processor: their structs begin with it. */
#pragma once

#include "operator.h"
#include "worker_floats.h"

struct operator_host {
    const struct operator_host_kind *kind;
    const struct operator_plan *plan;
    struct thread_pool *pool;
    struct worker_floats workers; /* freed with it */
};
