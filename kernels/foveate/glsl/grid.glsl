/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The plan's filters, and the exact search for a fragment's filter. The C twin is foveate/grid.h. Include it after
 * image/pixel.glsl and foveate/glsl/law.glsl. */

/* struct foveate_ring of foveate.h, eight words each, as many as the plan has; then the taps, and what
 * struct foveate_shader_fragments adds. */
layout(set = 0, binding = 6, std430) readonly buffer Filters { uint filter_words[]; };

const int RING_WORDS = 8;
const int RING_BOUND_SQ_LOW = 0;
const int RING_BOUND_SQ_HIGH = 1;
const int RING_RADIUS_PX = 2;
const int RING_FIRST_TAP = 3;
const int RING_SIGMA_PX = 4;

uint ring_word(int ring, int word)
{
    return filter_words[ring * RING_WORDS + word];
}

float ring_sigma_px(int ring)
{
    return uintBitsToFloat(ring_word(ring, RING_SIGMA_PX));
}

/* The place of a ring's taps, as an index for tap_at. */
int ring_taps(foveate_frame frame, int ring)
{
    return frame.ring_count * RING_WORDS + int(ring_word(ring, RING_FIRST_TAP));
}

float tap_at(int index)
{
    return uintBitsToFloat(filter_words[index]);
}

/* ---- The fragment grid, centred on the gaze (Malkin, Deza and Poggio 2020) ---- */

/* Returns how many pixels the grid is shifted left or up, so that the gaze is in a fragment's middle. GLSL leaves %
 * of a negative number open: NVIDIA's shaders divide 2^32 more. */
int grid_shift(int gaze_q8, int fragment_px)
{
    int side = fragment_px * 256;
    int residual = abs(gaze_q8) % side;
    residual = gaze_q8 < 0 && residual > 0 ? side - residual : residual;
    int middle = side / 2;
    return (residual <= middle ? middle - residual : middle + side - residual) >> 8;
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
    uint high = ring_word(i, RING_BOUND_SQ_HIGH);
    return distance_sq.y < high ||
           (distance_sq.y == high && distance_sq.x < ring_word(i, RING_BOUND_SQ_LOW));
}

/* Returns the law's filter: the one of the bank nearest to sigma, of the length that sigma asks for. */
int bank_at(foveate_frame frame, ivec2 centre)
{
    ivec2 place = clamp(centre, ivec2(0), ivec2(frame.width_px, frame.height_px));
    float sigma_px = law_sigma_at(frame, vec2(place));
    if (!(sigma_px > 0.0)) {
        return 0;
    }
    float index = (log2(sigma_px) - law.bank_log2_first) * law.bank_per_octave;
    int nearest = int(floor(index + 0.5));
    if (nearest < 0 || nearest >= frame.ring_count) {
        return nearest < 0 ? 0 : frame.ring_count;
    }
    int radius_px = int(law.bank_taps_per_sigma * sigma_px + 0.5);
    int longer = radius_px - int(ring_word(nearest, RING_RADIUS_PX));
    return min(nearest + sign(longer) + 1, frame.ring_count);
}

/* Returns 0 for a copy, or 1 + the filter. Of the paper's rings it is the smallest whose bound is beyond the
 * distance, or the last. Exact: floats only guess where to start. */
int ring_at(foveate_frame frame, ivec2 centre)
{
    if (frame.ring_count == 0) {
        return 0;
    }
    if (law.bank_per_octave > 0.0) {
        return bank_at(frame, centre);
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
