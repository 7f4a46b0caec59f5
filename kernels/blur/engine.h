/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The table of engines: each another way to blur a picture, with the backends that it has. The plan
 * chooses one by the setting "blur.engine". A new engine is an entry here, its numbers in plan.h,
 * its definition in reference/ and a file a backend. */
#pragma once

#include "passes.h"
#include "plan.h"

struct blur_cpu_engine;

struct blur_engine {
    /* Makes of the numbers what the engine works with. */
    enum fovea_result (*fill)(struct blur_plan *plan);
    const struct blur_cpu_engine *cpu; /* all have one */
    /* On GPUs; NULL: on CUDA it has kernels of its own (cuda/blur_fft.h), and it has none on
     * Vulkan. */
    const struct blur_passes_engine *passes;
};

/* Finds an engine by the word's number; NULL: the machine, which is no entry. */
const struct blur_engine *blur_engine_at(uint32_t word);
