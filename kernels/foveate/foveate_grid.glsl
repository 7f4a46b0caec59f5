/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The plan's rings and filters, and the exact search for a fragment's ring. The C twin is
 * foveate_grid.h. After foveate_pixel.glsl. */

/* struct foveate_ring of foveate.h. */
struct foveate_ring {
    uint bound_sq_low;
    uint bound_sq_high;
    uint radius_px;
    uint first_tap;
    float sigma_px;
    float reserved0;
    float reserved1;
    float reserved2;
};

layout(set = 0, binding = 2, std430) readonly buffer Rings { foveate_ring rings[]; };
layout(set = 0, binding = 3, std430) readonly buffer Taps { float taps[]; };

/* ---- The fragment grid, centred on the gaze (Malkin, Deza and Poggio 2020) ---- */

/* By how many pixels the grid is shifted left or up, so that the gaze is in a fragment's middle. */
int grid_shift(int gaze_q8, int fragment_px)
{
    int side = fragment_px * 256;
    int rest = gaze_q8 % side;
    rest = rest < 0 ? rest + side : rest;
    int middle = side / 2;
    return (rest <= middle ? middle - rest : middle + side - rest) >> 8;
}

int fragment_centre(int index, int fragment_px, int shift)
{
    return (2 * index * fragment_px + fragment_px - 2 * shift) / 2;
}

/* dx^2 + dy^2 as two words: (low, high). */
uvec2 square_sum(int dx, int dy)
{
    uint x_high, x_low, y_high, y_low, carry;
    umulExtended(uint(abs(dx)), uint(abs(dx)), x_high, x_low);
    umulExtended(uint(abs(dy)), uint(abs(dy)), y_high, y_low);
    uint low = uaddCarry(x_low, y_low, carry);
    return uvec2(low, x_high + y_high + carry);
}

bool inside_bound(uvec2 distance_sq, int i)
{
    uint high = rings[i].bound_sq_high;
    return distance_sq.y < high || (distance_sq.y == high && distance_sq.x < rings[i].bound_sq_low);
}

/* 0: copied; v: filter v - 1, for the smallest v whose bound is beyond the distance, the last filter
 * where there is none. Exact: floats only guess where to start. */
int ring_at(foveate_frame frame, ivec2 centre)
{
    if (frame.ring_count == 0) {
        return 0;
    }
    ivec2 d = centre * 256 - ivec2(frame.gaze_x_q8, frame.gaze_y_q8);
    uvec2 distance_sq = square_sum(d.x, d.y);
    float fragments = length(vec2(d)) / (256.0 * float(frame.fragment_px));
    int v = clamp(int((fragments - 0.5) / 1.4), 0, frame.ring_count - 1);
    while (v > 0 && inside_bound(distance_sq, v - 1)) {
        v--;
    }
    while (v < frame.ring_count && !inside_bound(distance_sq, v)) {
        v++;
    }
    return v;
}

int ring_of_pixel(foveate_frame frame, ivec2 pixel)
{
    ivec2 shift = ivec2(grid_shift(frame.gaze_x_q8, frame.fragment_px),
                        grid_shift(frame.gaze_y_q8, frame.fragment_px));
    ivec2 index = (pixel + shift) / frame.fragment_px;
    return ring_at(frame, ivec2(fragment_centre(index.x, frame.fragment_px, shift.x),
                                fragment_centre(index.y, frame.fragment_px, shift.y)));
}
