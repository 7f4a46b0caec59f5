/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "viridis.h"

#include "vec.h"

static const uint8_t colors[17][3] = {
    {68, 1, 84},    {72, 20, 103},  {71, 37, 117},  {68, 53, 127},  {61, 68, 135},  {53, 82, 139},
    {46, 95, 141},  {40, 108, 142}, {35, 121, 141}, {31, 134, 139}, {30, 147, 135}, {40, 160, 128},
    {63, 173, 115}, {98, 185, 96},  {141, 197, 69}, {193, 217, 37}, {253, 231, 37},
};

struct color viridis(float t)
{
    float place = clamp_f(t, 0.0f, 1.0f) * 16.0f;
    int low = place >= 16.0f ? 15 : (int)place;
    float rest = place - (float)low;
    uint8_t out[3];
    for (int c = 0; c < 3; c++) {
        out[c] = (uint8_t)(mix_f(colors[low][c], colors[low + 1][c], rest) + 0.5f);
    }
    return (struct color){out[0], out[1], out[2]};
}
