/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* gzip (RFC 1952) of stored blocks (RFC 1951): it costs no time and no library. The file is one
 * member, which some readers want, and is whole after each part: a part is written over the end of
 * the member that the one before has left, and brings its own. */
#include "record_state.h"

#include <string.h>

static uint32_t crc32_more(uint32_t crc, const char *text, size_t count)
{
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0u);
        }
    }
    return ~crc;
}

static unsigned char *put(unsigned char *out, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (unsigned char)(value >> 8 * i);
    }
    return out + bytes;
}

static unsigned char *put_block(unsigned char *out, bool last, size_t count)
{
    *out++ = last ? 1 : 0;
    out = put(out, (uint32_t)count, 2);
    return put(out, (uint32_t)~count & 0xffffu, 2);
}

size_t record_gzip_head(unsigned char *out)
{
    /* deflate, no name, no time, no system */
    static const unsigned char head[RECORD_GZIP_HEAD_BYTES] = {0x1f, 0x8b, 8, 0, 0,
                                                               0,    0,    0, 0, 0xff};
    memcpy(out, head, sizeof head);
    return sizeof head;
}

size_t record_gzip_end(const struct record_gzip *gzip, unsigned char *out)
{
    unsigned char *end = put_block(out, true, 0);
    end = put(end, gzip->crc, 4);
    end = put(end, gzip->text_bytes, 4);
    return (size_t)(end - out);
}

size_t record_gzip_part(struct record_gzip *gzip, const char *text, size_t count,
                        unsigned char *out)
{
    unsigned char *end = put_block(out, false, count);
    memcpy(end, text, count);
    end += count;
    gzip->crc = crc32_more(gzip->crc, text, count);
    gzip->text_bytes += (uint32_t)count;
    return (size_t)(end - out);
}
