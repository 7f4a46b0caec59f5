/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "kernels/blur/engine.h"

#include "kernels/blur/cpu/blur_cpu.h"

#include <math.h>

static enum fovea_result fill_quasi(struct blur_plan *plan)
{
    plan->pyramid = blur_pyramid_of(plan->numbers.sigma_px);
    return FOVEA_OK;
}

static enum fovea_result fill_box(struct blur_plan *plan)
{
    plan->box = blur_box_of(plan->numbers.sigma_px / sqrt((double)plan->numbers.passes));
    return FOVEA_OK;
}

static enum fovea_result fill_diffusion(struct blur_plan *plan)
{
    plan->heat = blur_heat_of(plan->numbers.sigma_px);
    plan->heat.edge = plan->numbers.edge;
    return FOVEA_OK;
}

static enum fovea_result fill_spread(struct blur_plan *plan)
{
    plan->tent = blur_tent_of(plan->numbers.sigma_px);
    return FOVEA_OK;
}

static enum fovea_result fill_fft(struct blur_plan *plan)
{
    FOVEA_TRY(blur_kernel_make(&plan->numbers, &plan->kernel));
    return blur_kernel_fold(plan->machine.width_px, plan->machine.height_px, &plan->kernel);
}

static const struct blur_engine engines[BLUR_ENGINES] = {
    [BLUR_QUASI] = {fill_quasi, &blur_cpu_quasi, &blur_passes_quasi},
    [BLUR_BOX] = {fill_box, &blur_cpu_box, &blur_passes_box},
    [BLUR_DIFFUSION] = {fill_diffusion, &blur_cpu_diffusion, &blur_passes_diffusion},
    [BLUR_SPREAD] = {fill_spread, &blur_cpu_spread, &blur_passes_spread},
    [BLUR_FFT] = {fill_fft, &blur_cpu_fft, NULL},
};

const struct blur_engine *blur_engine_at(uint32_t word)
{
    return word == BLUR_GAUSSIAN ? NULL : &engines[word];
}
