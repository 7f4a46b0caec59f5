/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header of version 0.2 without its comments: programs that were built with it still run.
 * It stays as it is (tests/test_abi.py). */
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
FOVEA_API uint32_t fovea_version(void);
enum fovea_result {
    FOVEA_OK = 0,
    FOVEA_NOT_READY = 1,
    FOVEA_PASSED_THROUGH = 2,
    FOVEA_ERROR_INVALID_ARGUMENT = -1,
    FOVEA_ERROR_INVALID_STATE = -2,
    FOVEA_ERROR_UNSUPPORTED = -3,
    FOVEA_ERROR_OUT_OF_MEMORY = -4,
    FOVEA_ERROR_DEVICE_LOST = -5,
    FOVEA_ERROR_CONFIG = -6,
    FOVEA_ERROR_IO = -7,
    FOVEA_ERROR_INTERNAL = -8,
    FOVEA_ERROR_FRAME_LOST = -9,
};
FOVEA_API const char *fovea_result_name(enum fovea_result result);
enum fovea_log_level {
    FOVEA_LOG_DEBUG = 0,
    FOVEA_LOG_INFO = 1,
    FOVEA_LOG_WARNING = 2,
    FOVEA_LOG_ERROR = 3,
};
struct fovea_log {
    void (*fn)(void *user, enum fovea_log_level level, const char *message);
    void *user;
    enum fovea_log_level min_level;
};
FOVEA_API int64_t fovea_time_ns(void);
struct fovea_point_uv {
    double x_uv;
    double y_uv;
};
#ifdef __cplusplus
}
#endif
#endif
