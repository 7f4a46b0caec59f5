/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_on_cuda.h"

#include "core/log.h"

#if FOVEA_HAVE_CUDA
#include "context_place.h"
#include "kernels/lightfield/cuda/lightfield_cuda.h"

static enum fovea_result open_device(const struct lightfield_on_cuda *of,
                                     const struct context_place *place)
{
    struct lightfield_cuda **cuda = of->cuda;
    enum fovea_result result = FOVEA_OK;
    if (*cuda && (*cuda)->device->ordinal != place->ordinal) {
        log_error(
            of->log,
            "light field: raw.data is on CUDA device %d, and this light field works on device "
            "%d, where its first raw picture was: make one for each device",
            place->ordinal, (*cuda)->device->ordinal);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!*cuda) {
        result = lightfield_cuda_create(of->geometry, place->ordinal, of->log, cuda);
    }
    if (result < 0) {
        log_error(of->log, "light field: CUDA device %d cannot be used: %s", place->ordinal,
                  fovea_result_name(result));
    }
    return result;
}

static enum fovea_result check_place(const struct lightfield_on_cuda *of, const char *name,
                                     const struct context_place *place)
{
    const struct cuda_device *device = (*of->cuda)->device;
    if (place->ordinal != device->ordinal ||
        (place->context && place->context != device->context)) {
        log_error(of->log,
                  "light field: %s is on another device than the raw picture, or of another CUDA "
                  "context than the primary one",
                  name);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

static enum fovea_result find_raw(const struct lightfield_on_cuda *of,
                                  const struct fovea_lightfield_raw *raw)
{
    struct context_place place;
    FOVEA_TRY(context_place_find(of->log, "light field: raw.data", raw->data, &place));
    FOVEA_TRY(open_device(of, &place));
    return check_place(of, "raw.data", &place);
}

/* NULL is none. */
static enum fovea_result find_image(const struct lightfield_on_cuda *of, const char *name,
                                    const struct fovea_image *image)
{
    struct context_place place;
    if (!image) {
        return FOVEA_OK;
    }
    FOVEA_TRY(context_place_find(of->log, name, image->data, &place));
    return check_place(of, name, &place);
}

enum fovea_result lightfield_on_cuda_run(const struct lightfield_on_cuda *of,
                                         const struct lightfield_work *work)
{
    const struct fovea_lightfield_raw *raw = &work->raw;
    const struct fovea_image *dst = &work->dst;
    FOVEA_TRY(find_raw(of, raw));
    FOVEA_TRY(
        find_image(of, work->matching ? "light field: depth.data" : "light field: dst.data", dst));
    FOVEA_TRY(find_image(of,
                         work->matching     ? "light field: confidence.data"
                         : work->refocusing ? "light field: focus.data"
                                            : "light field: patches.data",
                         work->beside));
    if (work->rendering) {
        return lightfield_cuda_render(*of->cuda, raw, work->rendering, dst, of->cuda_stream);
    }
    if (work->matching) {
        return lightfield_cuda_depth(*of->cuda, raw, work->matching, dst, work->beside,
                                     of->cuda_stream);
    }
    return work->refocusing ? lightfield_cuda_refocus(*of->cuda, raw, work->refocusing, dst,
                                                      work->beside, of->cuda_stream)
                            : lightfield_cuda_sum(*of->cuda, raw, work->sum, dst, of->cuda_stream);
}

void lightfield_on_cuda_destroy(struct lightfield_cuda **cuda)
{
    lightfield_cuda_destroy(cuda);
}

#else

enum fovea_result lightfield_on_cuda_run(const struct lightfield_on_cuda *of,
                                         const struct lightfield_work *work)
{
    (void)work;
    log_error(of->log,
              "light field: this build reads pictures in CPU memory alone: it has no CUDA");
    return FOVEA_ERROR_UNSUPPORTED;
}

void lightfield_on_cuda_destroy(struct lightfield_cuda **cuda)
{
    (void)cuda;
}
#endif
