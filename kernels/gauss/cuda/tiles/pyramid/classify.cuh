/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first kernel's classifier warp finds out which levels its block makes, and puts a tile into
 * the list of the second kernel. */
#pragma once

#include "kernels/gauss/cuda/tiles/common/sigma.cuh"

/* These levels are made by the block. */
struct tile_needs {
    int level_1;
    int level_2;
};

/* If a batch shares one picture, the first image's blocks make all levels. */
DEVICE bool may_need_levels(const tile_law &law)
{
    return law.tiles.level_count > 1 && (law.tiles.next_samples == 0 ? blockIdx.z == 0 : law.blurs);
}

/* Returns the square of pixels whose tiles may read this block's samples. The block's 64 x 64
 * pixels begin a margin of level 2 before a tile's; tiles read no farther than a tile's side and
 * their support. */
DEVICE tile_square square_of_block(int x, int y)
{
    const float margin = (float)(GAUSS_TILE_PX + GAUSS_TILE_SUBTILE_PX);
    const int before_px = 4 * GAUSS_MARGIN;
    return {(float)(x * GAUSS_TILE_MADE_PX - before_px) - margin,
            (float)(y * GAUSS_TILE_MADE_PX - before_px) - margin,
            GAUSS_TILE_MADE_PX + 2.0f * margin};
}

/* Returns the levels that the range asks for. Their sigma begins a little below the level's own
 * (0.92, 0.97), because pixels that are gathered one by one may take a level earlier; and a range
 * is known at a few places of its square, so that a tile's may begin a little below its block's.
 * Level 3 is made from all of level 2. */
DEVICE tile_needs needs_of_range(const tile_law &law, const tile_range &range)
{
    const gauss_tiles &tiles = law.tiles;
    const bool may = may_need_levels(law);
    const bool all = tiles.next_samples == 0 && gridDim.z > 1;
    const bool reads_1 = level_of_range(law, {0.97f * range.low, range.high}) == 0;
    const bool wants_1 = range.high >= 0.92f * GAUSS_TILE_SIGMA_1 && reads_1;
    const bool wants_2 = range.high >= 0.97f * GAUSS_TILE_SIGMA_2 || law.level_count > 3;
    return {may && (all || wants_1), tiles.level_count > 2 && may && (all || wants_2)};
}

/* The classifier warp's tile; there are at least as many blocks as tiles. */
struct tile_index {
    int x;
    int y;
    bool exists;

    MEMBER explicit tile_index(const gauss_tile_grid &grid)
    {
        const int index = (int)(blockIdx.y * gridDim.x + blockIdx.x);
        x = index % grid.columns;
        y = index / grid.columns;
        exists = y < grid.rows;
    }
};

/* The classifier finds this for its block and its tile at once: asking for both together saves one
 * wait for the law's table. */
struct tile_classified {
    tile_needs needs;
    tile_range tile;
};

DEVICE tile_classified classify_around(const tile_law &law, const tile_index &tile_at)
{
    const bool asks_for_block = threadIdx.x % 32 < 16;
    const tile_range range =
        range_over_lanes<16>(law, asks_for_block ? square_of_block((int)blockIdx.x, (int)blockIdx.y)
                                                 : square_of_tile(tile_at.x, tile_at.y));
    const tile_range block = {__shfl_sync(~0u, range.low, 0), __shfl_sync(~0u, range.high, 0)};
    const tile_range tile = {__shfl_sync(~0u, range.low, 16), __shfl_sync(~0u, range.high, 16)};
    return {needs_of_range(law, block), tile};
}

/* Reserves so many more entries and returns whether the list has the capacity. The whole warp calls
 * it and gets the answer. */
DEVICE bool has_capacity(uint32_t *counter, int entries, int capacity)
{
    const bool asks = threadIdx.x % 32 == 0;
    const uint32_t before = asks ? atomicAdd(counter, (uint32_t)entries) : 0;
    return (int)__shfl_sync(~0u, before, 0) + entries <= capacity;
}

/* Counts lanes: those before this one, and all. */
struct tile_sum {
    int before;
    int all;

    MEMBER explicit tile_sum(bool own)
    {
        const uint32_t lanes = __ballot_sync(~0u, own);
        before = __popc(lanes & ((1u << threadIdx.x % 32) - 1u));
        all = __popc(lanes);
    }
};

/* Returns the entry of the lane's subtile, or none. */
DEVICE uint32_t find_subtiles(const tile_law &law, const gauss_frame &frame, int x, int y)
{
    const int across = GAUSS_TILE_ACROSS;
    const int lane = (int)threadIdx.x % 32;
    const tile_range range = ranges_of_subtiles(law, x, y);
    const int subtile_x = across * x + lane % across;
    const int subtile_y = across * y + lane / across;
    const bool inside = lane < GAUSS_TILE_SUBTILES &&
                        subtile_x * GAUSS_TILE_SUBTILE_PX < frame.width_px &&
                        subtile_y * GAUSS_TILE_SUBTILE_PX < frame.height_px;
    return inside ? entry_of_range(law, range, subtile_x, subtile_y) : GAUSS_TILE_NONE;
}

/* Lists the tile's subtiles. Those of level 1 and up take no longer than tiles and are listed with
 * them, from the end; those of the picture take long and come first. */
DEVICE void list_subtiles(const tile_law &law, const gauss_frame &frame, const tile_list &list,
                          int x, int y)
{
    const gauss_tile_grid &grid = law.tiles.grid;
    const int lane = (int)threadIdx.x % 32;
    if (!has_capacity(&list.counts->split, GAUSS_TILE_SUBTILES - 1, grid.split_count)) {
        if (lane == 0) {
            list.entries[atomicAdd(&list.counts->subtiles, 1u)] =
                tile_entry(GAUSS_TILE_IN_SUBTILES, 0, GAUSS_TILE_ACROSS * x, GAUSS_TILE_ACROSS * y);
        }
        return;
    }
    const uint32_t own = find_subtiles(law, frame, x, y);
    const int kind = kind_of_entry(own);
    const bool last = kind > GAUSS_TILE_LEVEL_0 && kind < GAUSS_TILE_MIXED;
    const bool first = own != GAUSS_TILE_NONE && !last;
    const tile_sum from_first(first);
    const tile_sum from_last(last);
    uint32_t place = 0;
    if (lane < 2) {
        place = atomicAdd(lane == 0 ? &list.counts->subtiles : &list.counts->tiles,
                          (uint32_t)(lane == 0 ? from_first.all : from_last.all));
    }
    const uint32_t begin = __shfl_sync(~0u, place, 0);
    const uint32_t end = (uint32_t)grid.entry_count - 1u - __shfl_sync(~0u, place, 1);
    if (first) {
        list.entries[begin + (uint32_t)from_first.before] = own;
    }
    if (last) {
        list.entries[end - (uint32_t)from_last.before] = own;
    }
}

/* Lists the quadrants of a tile of level 1 that lie in the picture. Returns false if the list
 * lacks the capacity. */
DEVICE bool list_quadrants(const gauss_frame &frame, const gauss_tile_grid &grid,
                           const tile_list &list, uint32_t entry)
{
    if (!has_capacity(&list.counts->split, 3, grid.split_count)) {
        return false;
    }
    const int lane = (int)threadIdx.x % 32;
    const int x =
        column_of_entry(entry) * GAUSS_TILE_SUBTILE_PX + lane % 2 * GAUSS_TILE_QUADRANT_PX;
    const int y = row_of_entry(entry) * GAUSS_TILE_SUBTILE_PX + lane / 2 * GAUSS_TILE_QUADRANT_PX;
    const bool listed = lane < 4 && x < frame.width_px && y < frame.height_px;
    const tile_sum sum(listed);
    const uint32_t place = lane == 0 ? atomicAdd(&list.counts->tiles, (uint32_t)sum.all) : 0;
    const uint32_t end = (uint32_t)grid.entry_count - 1u - __shfl_sync(~0u, place, 0);
    if (listed) {
        list.entries[end - (uint32_t)sum.before] = entry | (uint32_t)lane << GAUSS_TILE_PART_SHIFT;
    }
    return true;
}

DEVICE void list_tile(const tile_law &law, const gauss_frame &frame, const tile_range &range,
                      const tile_index &tile)
{
    if (!tile.exists) {
        return;
    }
    const gauss_tile_grid &grid = law.tiles.grid;
    const tile_list list(law.tiles);
    const uint32_t entry = entry_of_tile(law, range, tile.x, tile.y);
    const bool in_quadrants = kind_of_entry(entry) == GAUSS_TILE_WHOLE_0 + 1;
    if (in_quadrants && list_quadrants(frame, grid, list, entry)) {
        return;
    }
    if (entry == GAUSS_TILE_NONE || in_quadrants) {
        list_subtiles(law, frame, list, tile.x, tile.y);
    } else if (threadIdx.x % 32 == 0) {
        const uint32_t from_end = atomicAdd(&list.counts->tiles, 1u);
        list.entries[(uint32_t)grid.entry_count - 1u - from_end] = entry;
    }
}
