/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "digest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* SHA-256 of FIPS 180-4. */

#define BLOCK_BYTES 64
#define LENGTH_BYTES 8 /* at the end of the last block, in bits */
#define ROUNDS 64

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static void expand(const unsigned char *block, uint32_t words[ROUNDS])
{
    for (int i = 0; i < 16; i++) {
        const unsigned char *at = block + 4 * i;
        words[i] =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
    }
    for (int i = 16; i < ROUNDS; i++) {
        const uint32_t a = words[i - 15];
        const uint32_t b = words[i - 2];
        words[i] = words[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[ROUNDS];
    uint32_t s[8];
    expand(block, words);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t e = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        const uint32_t a = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        const uint32_t chosen = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t first = s[7] + e + chosen + constants[i] + words[i];
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + a + most;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

/* Adds the last bytes, fewer than a block, and how many there were of all. */
static void finish(uint32_t state[8], unsigned char *block, size_t count, uint64_t bytes)
{
    memset(block + count, 0, BLOCK_BYTES - count);
    block[count] = 0x80;
    if (count + 1 > BLOCK_BYTES - LENGTH_BYTES) {
        add_block(state, block);
        memset(block, 0, BLOCK_BYTES);
    }
    for (int i = 0; i < LENGTH_BYTES; i++) {
        block[BLOCK_BYTES - 1 - i] = (unsigned char)(bytes * 8 >> 8 * i);
    }
    add_block(state, block);
}

static bool add_file(uint32_t state[8], FILE *file)
{
    unsigned char block[BLOCK_BYTES];
    uint64_t bytes = 0;
    size_t count;
    while ((count = fread(block, 1, BLOCK_BYTES, file)) == BLOCK_BYTES) {
        add_block(state, block);
        bytes += BLOCK_BYTES;
    }
    finish(state, block, count, bytes + count);
    return !ferror(file);
}

void digest_of_file(const char *path, char out[DIGEST_SIZE])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    struct stat status;
    out[0] = '\0';
    if (stat(path, &status) || !S_ISREG(status.st_mode)) {
        return; /* a pipe would keep us waiting, and a device has no end */
    }
    FILE *file = fopen(path, "rbe");
    if (file && add_file(state, file)) {
        snprintf(out, DIGEST_SIZE, "%08x%08x%08x%08x", (unsigned)state[0], (unsigned)state[1],
                 (unsigned)state[2], (unsigned)state[3]);
    }
    if (file) {
        (void)fclose(file);
    }
}
