/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Places of a workgroup's columns and rows in the lenses around, of one patch size: each is worked out once, and pixels
 * share them. Conversions of numbers are what costs most. */

/* The part of a place along columns or along rows. */
struct place_part {
    bool counts; /* a lens is there, and the rest is known */
    ivec2 place;
    float apart_px; /* from the middle of the weights */
};
const int NOWHERE = 1 << 31; /* x of a shared place whose lens does not count */

/* Says whether a lens so far away counts. */
bool does_count(int away, float patch_px);

/* Memory that is not shared is left to the cache. */
const int KINDS = HEXAGONAL ? 2 : 1; /* of rows: straight ones, and shifted ones */
const int SHARED_WIDTH = PATCHES ? 1 : GROUP_WIDTH;
const int SHARED_HEIGHT = PATCHES ? 1 : GROUP_HEIGHT;
shared ivec2 column_places[KINDS][STEPS][SHARED_WIDTH];
shared ivec2 row_places[STEPS][SHARED_HEIGHT];
shared float column_aparts[KINDS][STEPS][SHARED_WIDTH];
shared float row_aparts[STEPS][SHARED_HEIGHT];

place_part make_column(ivec4 column, int right, float patch_px)
{
    int lens = column.x + right;
    float from_px = along_columns(column, right, patch_px);
    bool counts = lens >= 0 && lens < lenses.x && does_count(right, patch_px);
    return place_part(counts, column_place(column, right, from_px), from_px - view_px.x);
}

place_part make_row(ivec4 row, int down, float patch_px)
{
    int lens = row.x + down;
    float from_px = along_rows(row, down, patch_px);
    bool counts = lens >= 0 && lens < lenses.y && does_count(down, patch_px);
    return place_part(counts, row_place(row, down, from_px), from_px - view_px.y);
}

/* first: the workgroup's first pixel. */
void share_parts(ivec2 first, float patch_px)
{
    int thread = int(gl_LocalInvocationIndex);
    int steps = 2 * all_range + 1;
    barrier();
    for (int item = thread; item < KINDS * steps * GROUP_WIDTH; item += GROUP_WIDTH * GROUP_HEIGHT) {
        int x = item % GROUP_WIDTH;
        int step = item / GROUP_WIDTH % steps;
        int kind = item / GROUP_WIDTH / steps;
        ivec4 column = table[STEPS + kind * size_px.x + min(first.x + x, size_px.x - 1)];
        place_part part = make_column(column, step - all_range, patch_px);
        column_places[kind][step][x] = part.counts ? part.place : ivec2(NOWHERE);
        column_aparts[kind][step][x] = part.apart_px;
    }
    for (int item = thread; item < steps * GROUP_HEIGHT; item += GROUP_WIDTH * GROUP_HEIGHT) {
        int y = item % GROUP_HEIGHT;
        int step = item / GROUP_HEIGHT;
        ivec4 row = table[STEPS + 2 * size_px.x + min(first.y + y, size_px.y - 1)];
        place_part part = make_row(row, step - all_range, patch_px);
        row_places[step][y] = part.counts ? part.place : ivec2(NOWHERE);
        row_aparts[step][y] = part.apart_px;
    }
    barrier();
}

/* Those of a thread's pixel. */
place_part shared_column(int kind, int right)
{
    uint x = gl_LocalInvocationID.x;
    ivec2 place = column_places[kind][all_range + right][x];
    return place_part(place.x != NOWHERE, place, column_aparts[kind][all_range + right][x]);
}

place_part shared_row(int down)
{
    uint y = gl_LocalInvocationID.y;
    ivec2 place = row_places[all_range + down][y];
    return place_part(place.x != NOWHERE, place, row_aparts[all_range + down][y]);
}
