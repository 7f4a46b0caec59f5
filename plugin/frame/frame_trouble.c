/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_work.h"

#include "core/log.h"

#include <stdarg.h>

/* FNV-1a. */
static uint32_t hash_of(const char *words)
{
    uint32_t hash = 2166136261u;
    for (; *words; words++) {
        hash = (hash ^ (unsigned char)*words) * 16777619u;
    }
    return hash;
}

/* True the first time. */
static bool is_new(struct fovea_vk *fovea, const char *words)
{
    const uint32_t hash = hash_of(words);
    for (uint32_t i = 0; i < fovea->refusal_count; i++) {
        if (fovea->refusals[i] == hash) {
            return false;
        }
    }
    if (fovea->refusal_count == FRAME_MAX_REFUSALS) {
        return false;
    }
    fovea->refusals[fovea->refusal_count++] = hash;
    return true;
}

enum fovea_result frame_refuse(struct fovea_vk *fovea, enum fovea_result result, const char *format,
                               ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fovea->refusal, sizeof fovea->refusal, format, arguments);
    va_end(arguments);
    const bool is_first = is_new(fovea, fovea->refusal);
    log_write(fovea->log, is_first ? FOVEA_LOG_ERROR : FOVEA_LOG_DEBUG, "frame: %s",
              fovea->refusal);
    return result;
}

void frame_warn(struct fovea_vk *fovea, const char *words)
{
    if (is_new(fovea, words)) {
        log_warning(fovea->log, "frame: %s", words);
    }
}

static void say_trouble(struct fovea_vk *fovea, enum frame_trouble trouble)
{
    static const char *const words[FRAME_TROUBLE_COUNT] = {
        [FRAME_FINE] = "frames are foveated again",
        [FRAME_NO_GAZE] = "no usable gaze; frames pass through",
        [FRAME_BLIND] = "no usable gaze; frames go past the operators that look at it",
        [FRAME_VIEW_WITHOUT_GAZE] =
            "a view has no usable gaze and goes past operators that need one",
        [FRAME_PEER_FAILED] = "a frame was passed through; the vulkan backend takes over",
        [FRAME_PEER_REPLACED] = "the vulkan backend takes over",
        [FRAME_NO_MEMORY] = "not enough memory to foveate; frames pass through",
        [FRAME_CANNOT] = "what foveating needs cannot be made; frames pass through",
    };
    const enum fovea_log_level level = trouble == FRAME_FINE ? FOVEA_LOG_INFO : FOVEA_LOG_WARNING;
    const uint32_t unsaid = fovea->said.unsaid[trouble];
    fovea->said.unsaid[trouble] = 0;
    if (unsaid > 1) {
        log_write(fovea->log, level, "frame: %s (%u times since that was said)", words[trouble],
                  unsaid);
    } else {
        log_write(fovea->log, level, "frame: %s", words[trouble]);
    }
}

void frame_trouble_is(struct fovea_vk *fovea, enum frame_trouble trouble)
{
    struct frame_said *said = &fovea->said;
    if (trouble == FRAME_FINE && fovea->trouble == FRAME_PEER_REPLACED) {
        fovea->trouble = said->last = trouble; /* they always were */
    }
    said->unsaid[trouble] += trouble != fovea->trouble;
    fovea->trouble = trouble;
    if (trouble == said->last) {
        return;
    }
    const int64_t now_ns = fovea_time_ns();
    if (now_ns >= said->next_ns[trouble]) {
        said->last = trouble;
        said->next_ns[trouble] = now_ns + FRAME_SAY_EVERY_NS;
        say_trouble(fovea, trouble);
    }
}
