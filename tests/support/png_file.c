/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "png_file.h"
#include "cmocka_all.h"

#define STORED_MAX 65535

struct writer {
    unsigned char *bytes;
    size_t count;
};

static void put(struct writer *to, const void *bytes, size_t count)
{
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

static void put_u32(struct writer *to, uint32_t value)
{
    const unsigned char bytes[] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                   (unsigned char)(value >> 8), (unsigned char)value};
    put(to, bytes, sizeof bytes);
}

static uint32_t crc_of(const unsigned char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

static void put_chunk(struct writer *to, const char type[5], const void *data, size_t count)
{
    put_u32(to, (uint32_t)count);
    const size_t start = to->count;
    put(to, type, 4);
    put(to, data, count);
    put_u32(to, crc_of(to->bytes + start, count + 4));
}

static uint32_t adler_of(const unsigned char *bytes, size_t count)
{
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* A zlib stream of blocks that are stored as they are. */
static struct writer store(const unsigned char *bytes, size_t count)
{
    struct writer to = {.bytes = malloc(count + count / STORED_MAX * 5 + 64)};
    assert_non_null(to.bytes);
    put(&to, "\x78\x01", 2);
    for (size_t at = 0; at < count; at += STORED_MAX) {
        const size_t size = count - at < STORED_MAX ? count - at : STORED_MAX;
        const unsigned char head[] = {at + size == count, (unsigned char)size,
                                      (unsigned char)(size >> 8), (unsigned char)~size,
                                      (unsigned char)(~size >> 8)};
        put(&to, head, sizeof head);
        put(&to, bytes + at, size);
    }
    put_u32(&to, adler_of(bytes, count));
    return to;
}

/* Rows with the filter 0 before each. */
static struct writer rows_of(const struct png_picture *picture)
{
    const size_t samples = (size_t)picture->width * picture->channels;
    struct writer to = {.bytes = malloc((samples * 2 + 1) * picture->height + 1)};
    assert_non_null(to.bytes);
    for (uint32_t y = 0; y < picture->height; y++) {
        put(&to, "", 1);
        for (size_t i = 0; i < samples; i++) {
            const uint16_t value = picture->samples[y * samples + i];
            const unsigned char bytes[] = {(unsigned char)(value >> 8), (unsigned char)value};
            put(&to, picture->depth == 16 ? bytes : bytes + 1, picture->depth / 8);
        }
    }
    return to;
}

unsigned char *png_file_bytes(const struct png_picture *picture, size_t *out_count)
{
    static const unsigned char colour_types[] = {0, 0, 4, 2, 6};
    struct writer rows = rows_of(picture);
    struct writer stored = store(rows.bytes, rows.count);
    struct writer file = {.bytes = malloc(stored.count + 128)};
    assert_non_null(file.bytes);
    put(&file, "\x89PNG\r\n\x1a\n", 8);
    unsigned char head_bytes[13];
    struct writer head = {.bytes = head_bytes};
    put_u32(&head, picture->width);
    put_u32(&head, picture->height);
    const unsigned char rest[] = {(unsigned char)picture->depth, colour_types[picture->channels], 0,
                                  0, 0};
    put(&head, rest, sizeof rest);
    put_chunk(&file, "IHDR", head_bytes, head.count);
    put_chunk(&file, "IDAT", stored.bytes, stored.count);
    put_chunk(&file, "IEND", "", 0);
    free(rows.bytes);
    free(stored.bytes);
    *out_count = file.count;
    return file.bytes;
}

void png_file_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}
