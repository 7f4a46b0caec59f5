/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* gauss/grid.h in GLSL says which fragment a pixel belongs to, and its ring. gauss/glsl/law.glsl includes it. */

/* The grid is centred on the gaze (Malkin, Deza and Poggio 2020). Returns how many pixels it is shifted left or up, so
 * that the gaze is in a fragment's middle. GLSL leaves % of a negative number open: NVIDIA's shaders divide 2^32
 * more. */
int grid_shift(int gaze_q8, int fragment_px)
{
    int side = fragment_px * 256;
    int residual = abs(gaze_q8) % side;
    residual = gaze_q8 < 0 && residual > 0 ? side - residual : residual;
    int middle = side / 2;
    return (residual <= middle ? middle - residual : middle + side - residual) >> 8;
}

ivec2 grid_shifts(gauss_frame frame)
{
    return ivec2(grid_shift(frame.gaze_x_q8, frame.fragment_px),
                 grid_shift(frame.gaze_y_q8, frame.fragment_px));
}

/* Returns the middle of a fragment. */
ivec2 grid_middle_of(ivec2 index, ivec2 shift, int fragment_px)
{
    return (2 * index * fragment_px + fragment_px - 2 * shift) / 2;
}

/* Returns the middle of the fragment that holds a pixel. */
ivec2 grid_middle(gauss_frame frame, ivec2 pixel)
{
    ivec2 shift = grid_shifts(frame);
    return grid_middle_of((pixel + shift) / frame.fragment_px, shift, frame.fragment_px);
}

/* Returns a^2 + b^2 as two words: (low, high). */
uvec2 square_sum(uint a, uint b)
{
    uint a_high, a_low, b_high, b_low, carry;
    umulExtended(a, a, a_high, a_low);
    umulExtended(b, b, b_high, b_low);
    uint low = uaddCarry(a_low, b_low, carry);
    return uvec2(low, a_high + b_high + carry);
}

/* Whether a place lies within bound i, F/2 + 1.4 F i, given (5 d)^2. */
bool inside_bound(uvec2 distance_sq, int fragment_px, int i)
{
    uvec2 bound_sq = square_sum(uint(128 * fragment_px * (5 + 14 * i)), 0u);
    return distance_sq.y < bound_sq.y ||
           (distance_sq.y == bound_sq.y && distance_sq.x < bound_sq.x);
}

/* Returns 0 for a copy, or 1 + the ring around fovea k of the fragments with that middle: the last whose inner bound is
 * not beyond it. Exact: floats find it but for places that lie nearly on a bound (gauss_grid_ring). */
int ring_at(gauss_frame frame, int k, ivec2 middle)
{
    ivec2 d = middle * 256 - fovea_q8(frame, k);
    float fragments = length(vec2(d)) / (256.0 * float(frame.fragment_px));
    float place = (fragments - 0.5) / 1.4;
    int v = int(clamp(place + 1.0, 0.0, float(law.table_count)));
    if (abs(place - round(place)) > (abs(place) + 1.0) / 262144.0) {
        return v;
    }
    uvec2 distance_sq = square_sum(5u * uint(abs(d.x)), 5u * uint(abs(d.y)));
    while (v > 0 && inside_bound(distance_sq, frame.fragment_px, v - 1)) {
        v--;
    }
    while (v < law.table_count && !inside_bound(distance_sq, frame.fragment_px, v)) {
        v++;
    }
    return v;
}
