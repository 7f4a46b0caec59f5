/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* All of Fovea's headers share this: version, results, log and clock. fovea.h says the rules. */
#ifndef FOVEA_BASE_H
#define FOVEA_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FOVEA_VERSION_MAJOR 0
#define FOVEA_VERSION_MINOR 2
#define FOVEA_VERSION_PATCH 0

/* Programs that compile Fovea's sources into themselves define FOVEA_STATIC. FOVEA_BUILDING is for
 * the build of the library alone. */
#if defined(FOVEA_STATIC)
#define FOVEA_API
#elif defined(_WIN32) && defined(FOVEA_BUILDING)
#define FOVEA_API __declspec(dllexport)
#elif defined(_WIN32)
#define FOVEA_API __declspec(dllimport)
#else
#define FOVEA_API __attribute__((visibility("default")))
#endif

#if defined(_WIN32)
#define FOVEA_MUST_CHECK
#else
#define FOVEA_MUST_CHECK __attribute__((warn_unused_result))
#endif

/* The version of the library that is loaded, as major * 1000000 + minor * 1000 + patch. */
FOVEA_API uint32_t fovea_version(void);

/* ---- Results --------------------------------------------------------------------------------- */

enum fovea_result {
    FOVEA_OK = 0,
    /* Nothing was done because nothing is there yet, or everything is still in use. Ask again. */
    FOVEA_NOT_READY = 1,
    /* The frame was handed back as the engine drew it, not foveated; the log says why, once. */
    FOVEA_PASSED_THROUGH = 2,
    /* An argument is NULL, out of range or does not fit another one. Nothing was changed. */
    FOVEA_ERROR_INVALID_ARGUMENT = -1,
    /* The call came at the wrong time: an image acquired twice, a source that was never opened. */
    FOVEA_ERROR_INVALID_STATE = -2,
    /* This machine, device, format or build cannot do it. */
    FOVEA_ERROR_UNSUPPORTED = -3,
    FOVEA_ERROR_OUT_OF_MEMORY = -4,
    /* The GPU is gone. Destroy everything that was made from it and start again. */
    FOVEA_ERROR_DEVICE_LOST = -5,
    /* A configuration file or setting is wrong; the log says where and what was expected. */
    FOVEA_ERROR_CONFIG = -6,
    /* A file or socket could not be read, written or bound. */
    FOVEA_ERROR_IO = -7,
    /* A driver or library answered what it must not. */
    FOVEA_ERROR_INTERNAL = -8,
    /* A Vulkan frame was abandoned half way: its waits are consumed, and it will signal nothing. Go
     * on without it, and destroy its context (fovea_vk_foveate). */
    FOVEA_ERROR_FRAME_LOST = -9,
};

/* The name of a result, "FOVEA_OK" and so on; "unknown result" for other numbers. Never NULL. */
FOVEA_API const char *fovea_result_name(enum fovea_result result);

/* ---- Log ------------------------------------------------------------------------------------- */

enum fovea_log_level {
    FOVEA_LOG_DEBUG = 0,
    FOVEA_LOG_INFO = 1,
    FOVEA_LOG_WARNING = 2,
    FOVEA_LOG_ERROR = 3,
};

/* Receives messages. Passed by value; fn NULL is silence. A message is one line of UTF-8 without a
 * newline, valid during the call. fn may be called from any thread, several at a time, and must not
 * call Fovea. Nothing above DEBUG is logged more often than once for each change of state. */
struct fovea_log {
    void (*fn)(void *user, enum fovea_log_level level, const char *message);
    void *user;
    enum fovea_log_level min_level;
};

/* Nanoseconds of the monotonic clock that gaze samples are stamped with. Any thread. */
FOVEA_API int64_t fovea_time_ns(void);

/* ---- Places ---------------------------------------------------------------------------------- */

struct fovea_point_uv {
    double x_uv;
    double y_uv;
};

/* The most foveas of a picture: its gaze, and further places that the model keeps sharp. Each pixel
 * has the least blur that any of them asks for. */
#define FOVEA_FOVEAS_MAX 4

#ifdef __cplusplus
}
#endif

#endif
