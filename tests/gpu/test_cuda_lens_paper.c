/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The kernels that bench/lens_paper/ has of a paper's ways, against tables made in double
 * precision: what is timed there makes the picture that it is to make. */

#include "bench/lens_paper/tables.h"
#include "cuda_fixture.h"

extern const char bench_lens_paper_ptx[];

static struct cuda_fixture fixture;

static const struct lens_paper_size sizes[] = {{150, 83}, {64, 64}, {37, 141}};

static CUdeviceptr upload(const void *data, size_t bytes)
{
    CUdeviceptr memory = 0;
    assert_int_equal(fixture.cu->MemAlloc(&memory, bytes), CUDA_SUCCESS);
    cuda_fixture_upload(&fixture, memory, data, bytes);
    return memory;
}

static const unsigned papers_block[2] = {LENS_PAPER_SIDE, LENS_PAPER_SIDE};
static const unsigned blocks[][2] = {{8, 8}, {16, 16}, {32, 8}, {128, 1}, {32, 32}};

/* A picture whose pixels are their own numbers, from 1 on, so that 0 is none. */
static uint32_t *run_table(const char *name, const struct lens_paper_tables *t,
                           const int32_t *table, size_t numbers_each, const unsigned block[2])
{
    const size_t count = (size_t)t->size.width_px * (size_t)t->size.height_px;
    uint32_t *picture = calloc(count, sizeof *picture);
    assert_non_null(picture);
    struct lens_paper_params params = {.size = t->size, .k1 = t->lens.k1, .k2 = t->lens.k2};
    params.dst = upload(picture, count * sizeof *picture);
    for (size_t i = 0; i < count; i++) {
        picture[i] = (uint32_t)i + 1;
    }
    params.src = upload(picture, count * sizeof *picture);
    params.table = upload(table, count * numbers_each * sizeof *table);
    params.table_y = upload(t->y, count * sizeof *table);
    CUmodule module = NULL;
    CUfunction kernel = NULL;
    assert_int_equal(fixture.cu->ModuleLoadData(&module, bench_lens_paper_ptx), CUDA_SUCCESS);
    assert_int_equal(fixture.cu->ModuleGetFunction(&kernel, module, name), CUDA_SUCCESS);
    assert_int_equal(fixture.cu->LaunchKernel(
                         kernel, ((unsigned)t->size.width_px + block[0] - 1) / block[0],
                         ((unsigned)t->size.height_px + block[1] - 1) / block[1], 1, block[0],
                         block[1], 1, 0, fixture.stream, (void *[]){&params}, NULL),
                     CUDA_SUCCESS);
    cuda_fixture_wait(&fixture);
    assert_int_equal(fixture.cu->MemcpyDtoH(picture, params.dst, count * sizeof *picture),
                     CUDA_SUCCESS);
    assert_int_equal(fixture.cu->ModuleUnload(module), CUDA_SUCCESS);
    assert_int_equal(fixture.cu->MemFree(params.src), CUDA_SUCCESS);
    assert_int_equal(fixture.cu->MemFree(params.dst), CUDA_SUCCESS);
    assert_int_equal(fixture.cu->MemFree(params.table), CUDA_SUCCESS);
    assert_int_equal(fixture.cu->MemFree(params.table_y), CUDA_SUCCESS);
    return picture;
}

static uint32_t *run(const char *name, const struct lens_paper_tables *t, const int32_t *table)
{
    return run_table(name, t, table ? table : t->x, 1, papers_block);
}

static uint32_t *run_pairs(const struct lens_paper_tables *t)
{
    int32_t *pairs = lens_paper_pairs(t);
    assert_non_null(pairs);
    uint32_t *picture = run_table("lens_paper_lut_pairs", t, pairs, 2, papers_block);
    free(pairs);
    return picture;
}

static struct lens_paper_tables tables_of(struct lens_paper_size size)
{
    const struct lens_paper_lens lens = {LENS_PAPER_K1, 0.05, size.width_px / 2.0};
    struct thread_pool *pool = NULL;
    struct lens_paper_tables tables;
    assert_int_equal(thread_pool_create(1, &pool), FOVEA_OK);
    assert_true(lens_paper_tables_make(pool, size, &lens, &tables));
    thread_pool_destroy(&pool);
    return tables;
}

static size_t others(const struct lens_paper_tables *t, uint32_t *picture)
{
    size_t count = 0;
    for (int32_t i = 0; i < t->size.width_px * t->size.height_px; i++) {
        const int32_t from = t->address[i];
        count += picture[i] != (from == LENS_PAPER_NOWHERE ? 0 : (uint32_t)from + 1);
    }
    free(picture);
    return count;
}

TEST(backward_ways_make_the_tables_picture)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct lens_paper_tables t = tables_of(sizes[i]);
        assert_int_equal(others(&t, run("lens_paper_lut", &t, NULL)), 0);
        assert_int_equal(others(&t, run_pairs(&t)), 0);
        assert_int_equal(others(&t, run("lens_paper_backward", &t, t.key)), 0);
        for (size_t k = 0; k < COUNT(blocks); k++) {
            assert_int_equal(
                others(&t, run_table("lens_paper_backward_blocks", &t, t.key, 1, blocks[k])), 0);
        }
        assert_int_equal(others(&t, run("lens_paper_by_address", &t, t.address)), 0);
        assert_int_equal(others(&t, run("lens_paper_naive_double", &t, NULL)), 0);
        assert_true(others(&t, run("lens_paper_naive_pow", &t, NULL)) <= 2);
        assert_true(others(&t, run("lens_paper_naive_float", &t, NULL)) <= 20);
        lens_paper_tables_free(&t);
    }
}

/* Which of several sources that meet is shown, nobody says: any of them. */
TEST(forward_shows_a_source_that_is_to_be_shown_there)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct lens_paper_tables t = tables_of(sizes[i]);
        const int32_t count = sizes[i].width_px * sizes[i].height_px;
        uint32_t *picture = run("lens_paper_forward", &t, t.forward);
        int64_t written = 0;
        for (int32_t k = 0; k < count; k++) {
            if (picture[k] > 0) {
                const struct lens_paper_pixel at =
                    lens_paper_pixel_of(sizes[i], t.forward[picture[k] - 1]);
                assert_int_equal(lens_paper_address(sizes[i], at), k);
                written++;
            }
        }
        const struct lens_paper_counts counts = lens_paper_count(&t);
        assert_int_equal(written, counts.inside - counts.holes + counts.strays);
        free(picture);
        lens_paper_tables_free(&t);
    }
}

int main(void)
{
    return cuda_fixture_run_tests(&fixture);
}
