/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* gzip (RFC 1952) of one stored block (RFC 1951): it costs no time and no library, and what was
 * written before a crash can be read. A file of several members is their texts one after the
 * other. */
#include "record_state.h"

#include <string.h>

static uint32_t crc32_of(const char *text, size_t count)
{
    uint32_t crc = UINT32_MAX;
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

size_t record_gzip(const char *text, size_t count, unsigned char *out)
{
    /* deflate, no name, no time, no system */
    static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    memcpy(out, head, sizeof head);
    unsigned char *end = out + sizeof head;
    *end++ = 1; /* the last block, stored */
    end = put(end, (uint32_t)count, 2);
    end = put(end, (uint32_t)~count & 0xffffu, 2);
    memcpy(end, text, count);
    end = put(end + count, crc32_of(text, count), 4);
    end = put(end, (uint32_t)count, 4);
    return (size_t)(end - out);
}
