/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "costs.h"

#include "tests/support/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool costs_arguments(int count, char **arguments, bool *out_quick)
{
    *out_quick = count >= 2 && strcmp(arguments[1], "--quick") == 0;
    const bool needs_gpu = count == 3 && strcmp(arguments[2], "gpu") == 0;
    if (*out_quick && needs_gpu && access("/dev/nvidiactl", F_OK)) {
        exit(77); /* ctest reports it as skipped */
    }
    return count == 1 || (*out_quick && (count == 2 || needs_gpu));
}

const struct costs_size *costs_sizes(bool quick)
{
    static const struct costs_size tiny[] = {{128, 96}, {0, 0}};
    static const struct costs_size all[] = {{1920, 1080}, {3840, 2160}, {0, 0}};
    return quick ? tiny : all;
}

uint32_t costs_frames(bool quick)
{
    return quick ? 8 : COSTS_FRAMES;
}

void costs_head(VkPhysicalDevice device)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    printf("%s\n\n", properties.deviceName);
    printf("| adapter | picture | CPU, us | CPU, 99 of 100 below | GPU, us | of it kernels |\n");
    printf("|---|---|---|---|---|---|\n");
}

double costs_percentile(double *values, uint32_t count, uint32_t percent)
{
    return quantile(values, count, percent / 100.0);
}

void costs_print(struct costs *costs)
{
    const uint32_t count = costs->frames;
    printf("| %s | %ux%u | %.1f | %.1f | %.1f | %.1f |\n", costs->way, costs->size.width_px,
           costs->size.height_px, costs_percentile(costs->cpu_us, count, 50),
           costs_percentile(costs->cpu_us, count, 99), costs_percentile(costs->gpu_us, count, 50),
           costs_percentile(costs->kernels_us, count, 50));
    fflush(stdout);
}
