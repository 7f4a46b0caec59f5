/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* `auto` with a choice. CUDA's kernels are faster than compute shaders, but handing an image over
 * and back takes two submits and, on virtual machines, more time than the kernels; threads beat
 * shaders that a CPU runs, mostly. So the two are timed on the device itself. */

#include "frame_cost.h"

#include "core/log.h"
#include "core/thread_pool.h"
#include "plugin/frame/frame_link.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* The usual order is not left for less than noise. */
#define WORTH_IT 0.95

static bool vulkan_costs_less(const struct frame_cost *cost)
{
    return cost->vulkan_us < WORTH_IT * cost->peer_us;
}

/* ---- The key ---- */

static void print_hex(char *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    }
}

/* Threads: of a device whose kernels and whose peer run on the host. */
static uint32_t threads_of(const struct fovea_vk *fovea)
{
    if (fovea->device.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) {
        return 0;
    }
    const uint32_t asked_for = fovea->settings.cpu_threads;
    return asked_for ? asked_for : thread_pool_core_count();
}

/* Raised when kernels or frames cost something else than before: what was measured then counts no
 * longer. */
#define FRAME_COST_GENERATION 2

static void add_number(struct frame_cost_key *key, long number)
{
    const size_t used = strlen(key->text);
    snprintf(key->text + used, sizeof key->text - used, " %ld", number);
}

/* How many, which, and what operators have of settings of their own. */
static void add_operators(const struct fovea_settings *settings, struct frame_cost_key *key)
{
    add_number(key, settings->operators.count);
    for (uint32_t i = 0; i < settings->operators.count; i++) {
        add_number(key, settings->operators.order[i]);
    }
#define OPERATOR_NUMBER(name, setting, standard, least, most, help)                                \
    add_number(key, lround(1000 * settings->own.name##_##setting));
#define OPERATOR_WORD(name, setting, standard, help, ...)                                          \
    add_number(key, (long)settings->own.name##_##setting);
#define OPERATOR_FILE(name, setting, help) add_number(key, settings->own.name##_##setting[0] != 0);
#include "kernels/operators.def"
}

void frame_cost_key_make(const struct fovea_vk *fovea, struct frame_cost_key *out_key)
{
    const struct vk_device *device = &fovea->device;
    const VkPhysicalDeviceProperties *properties = &device->properties;
    const struct fovea_foveation *foveation = &fovea->settings.foveation;
    char uuid[2 * VK_UUID_SIZE + 1];
    char driver[2 * VK_UUID_SIZE + 1];
    print_hex(uuid, device->uuid, VK_UUID_SIZE);
    print_hex(driver, properties->pipelineCacheUUID, VK_UUID_SIZE);
    snprintf(out_key->text, sizeof out_key->text,
             "device %s driver %x %s queue %u threads %u fovea %d.%d.%d-%d "
             "model %d method %d light %d.%d alpha %d strength %ld fragment %u operators",
             uuid, properties->driverVersion, driver, device->queue_family, threads_of(fovea),
             FOVEA_VERSION_MAJOR, FOVEA_VERSION_MINOR, FOVEA_VERSION_PATCH, FRAME_COST_GENERATION,
             (int)foveation->model, (int)foveation->method, (int)foveation->light,
             (int)foveation->transfer, (int)foveation->alpha, lround(1000 * foveation->strength),
             foveation->paper.fragment_px);
    add_operators(&fovea->settings, out_key);
}

/* ---- Words ---- */

/* " on 2026-11-21"; nothing for what was measured just now. */
static void say_when(char *out, size_t bytes, int64_t when_s)
{
    const time_t when = (time_t)when_s;
    struct tm utc;
    out[0] = '\0';
    if (when_s + 60 < (int64_t)time(NULL) && gmtime_r(&when, &utc) &&
        strftime(out, bytes, " on %Y-%m-%d", &utc) == 0) {
        out[0] = '\0';
    }
}

static void explain(struct fovea_vk *fovea, const struct frame_cost *cost)
{
    const bool vulkan = vulkan_costs_less(cost);
    char when[32];
    say_when(when, sizeof when, cost->when_s);
    snprintf(fovea->reason, sizeof fovea->reason,
             "measured%s: %.0f us a frame of %ux%u, %s %.0f us", when,
             vulkan ? cost->vulkan_us : cost->peer_us, cost->width_px, cost->height_px,
             fovea_backend_name(vulkan ? cost->peer : FOVEA_BACKEND_VULKAN),
             vulkan ? cost->peer_us : cost->vulkan_us);
}

/* ---- Choosing ---- */

bool frame_cost_known_for_vulkan(struct fovea_vk *fovea)
{
    const struct fovea_log silent = {0}; /* the log speaks when there is a peer */
    struct frame_cost_key key;
    struct frame_cost cost;
    if (fovea->settings.backend_measure != FOVEA_MEASURE_CACHED) {
        return false;
    }
    frame_cost_key_make(fovea, &key);
    if (!frame_cost_recall(&key, silent, &cost) || !vulkan_costs_less(&cost)) {
        return false;
    }
    fovea->backend = FOVEA_BACKEND_VULKAN;
    explain(fovea, &cost);
    return true;
}

static bool recall(struct fovea_vk *fovea, const struct frame_cost_key *key,
                   struct frame_cost *out_cost)
{
    return fovea->settings.backend_measure == FOVEA_MEASURE_CACHED &&
           frame_cost_recall(key, fovea->log, out_cost) && out_cost->peer == fovea->backend;
}

/* The frames of a trial say at level debug what they would say otherwise. */
static void demote(void *user, enum fovea_log_level level, const char *message)
{
    const struct fovea_log *log = user;
    (void)level;
    log_debug(*log, "measuring: %s", message);
}

static enum frame_trial_result measure(struct fovea_vk *fovea, struct frame_cost *out_cost)
{
    const struct fovea_log log = fovea->log;
    struct fovea_log said = log;
    fovea->log = (struct fovea_log){.fn = log.fn ? demote : NULL, .user = &said};
    fovea->device.log = fovea->log;
    const int64_t start_ns = fovea_time_ns();
    const enum frame_trial_result result = frame_trial(fovea, out_cost);
    const double ms = (double)(fovea_time_ns() - start_ns) * 1e-6;
    fovea->log = log;
    fovea->device.log = log;
    log_debug(log, "measuring backends took %.0f ms%s", ms,
              result == FRAME_TRIAL_FAILED ? " and failed" : "");
    return result;
}

void frame_cost_choose(struct fovea_vk *fovea)
{
    struct frame_cost_key key;
    struct frame_cost cost;
    if (!fovea->peer || fovea->settings.backend != FOVEA_BACKEND_AUTO ||
        fovea->settings.backend_measure == FOVEA_MEASURE_NEVER) {
        return;
    }
    frame_cost_key_make(fovea, &key);
    if (!recall(fovea, &key, &cost)) {
        const enum frame_trial_result result = measure(fovea, &cost);
        if (result == FRAME_TRIAL_PEER_BROKEN) {
            log_warning(fovea->log,
                        "backend: %s when it was measured; the vulkan backend takes over",
                        fovea->reason);
            frame_peer_drop(fovea);
        }
        if (result != FRAME_TRIAL_DONE) {
            return;
        }
        frame_cost_keep(&key, fovea->log, &cost);
    }
    if (vulkan_costs_less(&cost)) {
        frame_peer_drop(fovea);
    }
    explain(fovea, &cost);
}
