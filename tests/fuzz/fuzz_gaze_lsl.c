/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Lines of text as gaze.lsl.channels and the labels of a stream: what is chosen is among them. */
#include "plugin/gaze/sources/gaze_lsl_channels.h"
#include "require.h"

#include <stdio.h>
#include <string.h>

#define LABELS_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)size, (const char *)data);
    char *rest = text;
    const char *wanted = strsep(&rest, "\n");
    struct lsl_label labels[LABELS_MAX] = {0};
    size_t count = 0;
    while (rest && count < LABELS_MAX) {
        snprintf(labels[count].label, LSL_LABEL_BYTES, "%s", strsep(&rest, "\n"));
        snprintf(labels[count].type, LSL_LABEL_BYTES, "%s", rest ? strsep(&rest, "\n") : "");
        count++;
    }
    char why[64];
    struct lsl_channels out;
    if (!lsl_channels_choose(wanted, labels, count, why, sizeof why, &out)) {
        REQUIRE(out.eyes >= 1 && out.eyes <= 2 && out.confidence < count);
        for (size_t eye = 0; eye < out.eyes; eye++) {
            REQUIRE(out.x[eye] < count && out.y[eye] < count);
        }
    }
    return 0;
}
