/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The host as a device (support/cuda_host/cuda_host.h): fragments of matrices, collectives,
 * barriers, and what it finds wrong. Expected are the tables of the PTX ISA, worked out here the
 * other way about: from an element to its lane. */

#include "cmocka_all.h"
#include "core.h"
#include "cuda_host_launch.h"

#include <signal.h>
#include <sys/wait.h>

static const unsigned one[3] = {1, 1, 1};

static _Alignas(16) uint32_t in[32][8];
static _Alignas(16) uint32_t out[32][8];
static int32_t numbers[1024];

static const struct core_params params = {
    .in = (const uint32_t (*)[8])in, .out = out, .numbers = numbers};

static void run(const char *kernel, unsigned threads, size_t shared_bytes,
                const struct core_params *own)
{
    const unsigned block[3] = {threads, 1, 1};
    assert_true(cuda_host_run_named(kernel, one, block, shared_bytes, own));
}

/* ---- Whole numbers from -4 to 4, which halves have and whose products and sums are exact */

static int number_of(int i)
{
    return (int)((unsigned)i * 2654435761u >> 13) % 9 - 4;
}

static uint16_t half_of(int number)
{
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    return (uint16_t)(halves[abs(number)] | (number < 0 ? 0x8000 : 0));
}

/* The half is a whole number below 2048. */
static int number_of_half(uint32_t half)
{
    const int exponent = (int)(half >> 10 & 31);
    const int value = exponent ? (int)(1024 | (half & 1023)) >> (25 - exponent) : 0;
    return half & 0x8000 ? -value : value;
}

static void put_half(uint32_t *word, int part, int number)
{
    *word |= (uint32_t)half_of(number) << (16 * part);
}

static int a_at(int row, int column)
{
    return number_of(100 * row + column);
}

static int b_at(int row, int column)
{
    return number_of(5000 + 100 * row + column);
}

static int tile_mma_at(int row, int column, int depth)
{
    int sum = 0;
    for (int k = 0; k < depth; k++) {
        sum += a_at(row, k) * b_at(k, column);
    }
    return sum;
}

/* PTX ISA, m16n8k16: where element (row, column) of A lies, and (row, column) of B. */
static void put_matrices(void)
{
    memset(in, 0, sizeof in);
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 16; column++) {
            const int lane = row % 8 * 4 + column % 8 / 2;
            put_half(&in[lane][row / 8 + column / 8 * 2], column % 2, a_at(row, column));
        }
    }
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 8; column++) {
            put_half(&in[column * 4 + row % 8 / 2][4 + row / 8], row % 2, b_at(row, column));
        }
    }
}

TEST(products_of_halves_in_floats)
{
    const float c0 = 0.5f;
    const float c1 = -3.0f;
    put_matrices();
    for (int lane = 0; lane < 32; lane++) {
        memcpy(&in[lane][6], &c0, sizeof c0);
        memcpy(&in[lane][7], &c1, sizeof c1);
    }
    run("core_mma_floats", 32, 0, &params);
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 8; column++) {
            float d;
            memcpy(&d, &out[row % 8 * 4 + column / 2][row / 8 * 2 + column % 2], sizeof d);
            assert_true(d == (float)tile_mma_at(row, column, 16) + (row < 8 ? c0 : c1));
        }
    }
}

TEST(products_of_halves_in_halves)
{
    put_matrices();
    for (int lane = 0; lane < 32; lane++) {
        in[lane][6] = half_of(1) | (uint32_t)half_of(2) << 16;
        in[lane][7] = half_of(3) | (uint32_t)half_of(4) << 16;
    }
    run("core_mma_halves", 32, 0, &params);
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 8; column++) {
            const uint32_t *words = out[row % 8 * 4 + column / 2];
            const int c = 1 + row / 8 * 2 + column % 2;
            for (int i = 0; i < 2; i++) {
                const uint32_t half = words[2 * i + row / 8] >> (16 * (column % 2)) & 65535;
                assert_int_equal(number_of_half(half), tile_mma_at(row, column, i ? 8 : 16) + c);
            }
        }
    }
}

static uint32_t bits_of(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Columns of A and rows of B 2t and 2t + 1 are a lane's. The first factor has a bit that products
 * of 11 bits leave out. */
TEST(products_of_floats)
{
    const float bit = 1.0f / 2048.0f;
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < 4; i++) {
            const int row = lane / 4 + i % 2 * 8;
            const int column = lane % 4 * 2 + i / 2;
            in[lane][i] = bits_of((float)(1 + row) + (row == 0 && column == 0 ? bit : 0.0f));
        }
        for (int i = 0; i < 2; i++) {
            in[lane][4 + i] = bits_of((float)(lane % 4 * 2 + i + 10 * (lane / 4)));
        }
    }
    in[0][4] = bits_of(2.0f);
    run("core_mma_of_floats", 32, 0, &params);
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < 4; i++) {
            const int row = lane / 4 + i / 2 * 8;
            const int column = lane % 4 * 2 + i % 2;
            const float sum = (float)(28 + 80 * column + (column == 0 ? 2 : 0));
            const float first = column == 0 ? 2.0f : 10.0f * (float)column;
            const float product = 1.0f + (float)(1 + row) * sum;
            assert_int_equal(out[lane][i], bits_of(product));
            assert_int_equal(out[lane][4 + i], bits_of(product + (row == 0 ? bit * first : 0.0f)));
        }
    }
}

static uint32_t byte_of_a(int row, int column)
{
    return (uint32_t)(3 * row + 7 * column) & 255;
}

static uint32_t byte_of_b(int row, int column)
{
    return (uint32_t)(5 * row + column + 90) & 255;
}

TEST(products_of_bytes)
{
    memset(in, 0, sizeof in);
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 32; column++) {
            const int lane = row % 8 * 4 + column % 16 / 4;
            in[lane][row / 8 + column / 16 * 2] |= byte_of_a(row, column) << (8 * (column % 4));
        }
    }
    for (int row = 0; row < 32; row++) {
        for (int column = 0; column < 8; column++) {
            in[column * 4 + row % 16 / 4][4 + row / 16] |= byte_of_b(row, column)
                                                           << (8 * (row % 4));
        }
    }
    run("core_mma_bytes", 32, 0, &params);
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 8; column++) {
            uint32_t sum = 0;
            for (int k = 0; k < 32; k++) {
                sum += byte_of_a(row, k) * byte_of_b(k, column);
            }
            assert_int_equal(out[row % 8 * 4 + column / 2][row / 8 * 2 + column % 2], 7 + 2 * sum);
        }
    }
}

TEST(squares_lie_and_turn)
{
    const struct core_params own = params;
    uint16_t halves[4][8][8];
    for (int i = 0; i < 256; i++) {
        (&halves[0][0][0])[i] = (uint16_t)(i * 257);
    }
    memcpy(in, halves, sizeof halves);
    run("core_squares", 32, 512, &own);
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < 4; i++) {
            const uint16_t *row = &halves[i][lane / 4][lane % 4 * 2];
            assert_int_equal(out[lane][i], row[0] | (uint32_t)row[1] << 16);
            assert_int_equal(out[lane][4 + i], 0);
        }
    }
}

/* ---- Meetings */

TEST(every_order_gives_the_same_sum)
{
    static const char *const orders[] = {"0", "reverse", "1", "2", "12345"};
    const unsigned grid[3] = {5, 1, 1};
    const unsigned block[3] = {224, 1, 1};
    struct core_params own = params;
    own.count = 1000;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        setenv("FOVEA_CUDA_HOST_ORDER", orders[i], 1);
        numbers[0] = 0;
        assert_true(cuda_host_run_named("core_sum", grid, block, 0, &own));
        assert_int_equal(numbers[0], 999 * 1000 / 2);
        run("core_meeting", 128, 0, &own);
        for (int thread = 0; thread < 128; thread++) {
            assert_int_equal(numbers[thread], 42);
        }
    }
    unsetenv("FOVEA_CUDA_HOST_ORDER");
}

/* What lacks a barrier reads what nobody wrote yet. */
TEST(a_missing_barrier_shows)
{
    struct core_params own = params;
    own.count = 64;
    run("core_race", 64, 0, &own);
    assert_int_equal(numbers[0], -1);
    assert_int_equal(numbers[63], 0);
    setenv("FOVEA_CUDA_HOST_ORDER", "reverse", 1);
    run("core_race", 64, 0, &own);
    unsetenv("FOVEA_CUDA_HOST_ORDER");
    assert_int_equal(numbers[0], 63);
    assert_int_equal(numbers[63], -1);
}

/* Ends the process with a message. */
static void assert_fails(const char *kernel)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        const unsigned block[3] = {64, 1, 1};
        cuda_host_run_named(kernel, one, block, 0, &params);
        _exit(0);
    }
    assert_int_equal(test_status_of(child), -SIGABRT);
}

TEST(who_never_comes_is_found)
{
    assert_fails("core_never");
}

TEST(a_kernel_that_is_not_there_is_not_run)
{
    assert_false(cuda_host_run_named("core_nobody", one, one, 0, &params));
}
