/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blobs_check.h"

#include "core/log.h"
#include "core/struct_bytes.h"

STRUCT_ENDS_WITH(struct fovea_blobs_desc, log);

#define BLOB_MOST 65536
#define SCALES_DEFAULT 19
#define SIGMA_DEFAULT_PX 2.0
#define THRESHOLD_DEFAULT 0.15
#define OVERLAP_DEFAULT 0.5

static bool in_range(double value, double low, double high)
{
    return value >= low && value <= high;
}

/* NULL: all of them can be taken. */
static const char *refusal(const struct fovea_blobs_desc *desc)
{
    if (desc->scale_count != 0 &&
        !in_range(desc->scale_count, SALIENCY_SCALES_MIN, SALIENCY_SCALES_MAX)) {
        return "scale_count is not 3 .. 25";
    }
    if (desc->blob_max > BLOB_MOST) {
        return "blob_max is more than 65536";
    }
    if (desc->sigma_min_px != 0.0 && !in_range(desc->sigma_min_px, 1.0, 64.0)) {
        return "sigma_min_px is not 1 .. 64";
    }
    if (!(desc->threshold <= SALIENCY_CHANNELS)) {
        return "threshold is more than 3";
    }
    if (!in_range(desc->overlap, 0.0, 1.0)) {
        return "overlap is not 0 .. 1";
    }
    return desc->reserved != 0 ? "reserved is not 0" : NULL;
}

static struct saliency_numbers numbers_of(const struct fovea_blobs_desc *desc)
{
    return (struct saliency_numbers){
        .scale_count = desc->scale_count ? desc->scale_count : SCALES_DEFAULT,
        .blob_max = desc->blob_max ? desc->blob_max : FOVEA_BLOBS_DEFAULT,
        .sigma_min_px = desc->sigma_min_px != 0.0 ? desc->sigma_min_px : SIGMA_DEFAULT_PX,
        .threshold = desc->threshold != 0.0 ? desc->threshold : THRESHOLD_DEFAULT,
        .overlap = desc->overlap != 0.0 ? desc->overlap : OVERLAP_DEFAULT,
    };
}

enum fovea_result blobs_take_desc(const struct fovea_blobs_desc *given, const struct fovea_log *log,
                                  struct fovea_blobs_desc *out,
                                  struct saliency_numbers *out_numbers)
{
    if (!given || !struct_take(out, sizeof *out, given)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const char *why = refusal(out);
    if (why) {
        log_error(log ? *log : out->log, "fovea_blobs_desc: %s", why);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_numbers = numbers_of(out);
    return FOVEA_OK;
}
