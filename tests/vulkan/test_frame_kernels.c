/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels of Vulkan's that cannot be made. A frame does without the one that copies and the one
 * that draws the overlay; without one that foveates it passes through. None of them is the peer's,
 * and the log says what happened. */

#include "calls.h"
#include "cmocka_all.h"
#include "compare.h"
#include "kernels/foveate/overlay/overlay.h"
#include "kernels/gauss/glsl/gauss_shaders.h"
#include "rig.h"

#define WIDTH_PX 48
#define HEIGHT_PX 40
#define FRAMES 3
static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;

enum kernel { NONE, COPY, OVERLAY, FOVEATES, KERNEL_COUNT };

static enum kernel broken;
static VkResult failure;
static VkShaderModule module_of[KERNEL_COUNT]; /* the newest */
static int failures;
static int made[KERNEL_COUNT];

static bool is_of(const VkShaderModuleCreateInfo *info, const struct shader *shader)
{
    const struct shader_code *code = &shader->words[0];
    return info->codeSize == code->bytes && memcmp(info->pCode, code->code, code->bytes) == 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL
shim_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *info,
                        const VkAllocationCallbacks *allocator, VkShaderModule *out_module)
{
    const VkResult result = vkCreateShaderModule(device, info, allocator, out_module);
    const enum kernel kernel = is_of(info, &shader_copy)              ? COPY
                               : is_of(info, &foveate_shader_overlay) ? OVERLAY
                               : is_of(info, &gauss_shader_nodes)     ? FOVEATES
                                                                      : NONE;
    module_of[kernel] = *out_module;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL
shim_CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                            const VkComputePipelineCreateInfo *infos,
                            const VkAllocationCallbacks *allocator, VkPipeline *out_pipelines)
{
    if (broken != NONE && infos->stage.module == module_of[broken]) {
        failures++;
        *out_pipelines = VK_NULL_HANDLE;
        return failure;
    }
    for (int i = 0; i < KERNEL_COUNT; i++) {
        made[i] += infos->stage.module == module_of[i];
    }
    return vkCreateComputePipelines(device, cache, count, infos, allocator, out_pipelines);
}

static const struct shim shims[] = {SHIM(CreateShaderModule), SHIM(CreateComputePipelines),
                                    NO_MORE_SHIMS};

/* ---- The log --------------------------------------------------------------------------------- */

static int warnings; /* of the frames: those of calls that fail name the call */
static char words[512];

static void keep_words(void *user, enum fovea_log_level level, const char *message)
{
    if (level >= FOVEA_LOG_WARNING && strncmp(message, "frame: ", 7) == 0) {
        warnings++;
        snprintf(words, sizeof words, "%s", message);
    }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* One device for all runs: a process can open NVIDIA's driver anew only so often. */
static struct engine engine;

static void open_rig(struct rig *rig, bool overlay)
{
    *rig = (struct rig){.engine = engine, .settings = rig_settings()};
    rig->settings.overlay.marker = overlay;
    struct fovea_vk_desc desc = engine_fovea_desc(&rig->engine, &rig->settings);
    desc.get_instance_proc_addr = shims_first(shims);
    desc.log = (struct fovea_log){keep_words, NULL, FOVEA_LOG_INFO};
    failures = warnings = 0;
    words[0] = '\0';
    assert_ok(fovea_vk_create(&desc, &rig->fovea));
}

struct outcome {
    enum fovea_result results[FRAMES];
    struct test_image last;
    struct fovea_vk_stats stats;
    int failures, warnings;
    char words[512];
};

static int open_engine(void **state)
{
    const struct engine_options options = {.host_signals = true,
                                           .nvidia = rig_backend() == FOVEA_BACKEND_CUDA};
    return engine_open(&engine, &options) ? 0 : -1;
}

static int close_engine(void **state)
{
    engine_close(&engine);
    return 0;
}

static void run(enum kernel kernel, VkResult code, bool overlay, enum rig_path path,
                struct outcome *out)
{
    struct rig rig;
    broken = kernel;
    failure = code;
    open_rig(&rig, overlay);
    OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
    out->last = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
    for (int i = 0; i < FRAMES; i++) {
        out->results[i] =
            rig_frame(&rig, path, format, &src.view, rig_gaze(0.3, 0.6), &out->last.view);
    }
    fovea_vk_stats_init(&out->stats);
    assert_ok(fovea_vk_get_stats(rig.fovea, &out->stats));
    out->stats.backend_reason = out->stats.device_name = NULL; /* they go with the context */
    out->failures = failures;
    out->warnings = warnings;
    snprintf(out->words, sizeof out->words, "%s", words);
    broken = NONE;
    engine_idle(&rig.engine);
    fovea_vk_destroy(&rig.fovea);
    engine_expect_silence(&engine);
}

static const VkResult codes[] = {VK_ERROR_OUT_OF_HOST_MEMORY,    VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                 VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_FEATURE_NOT_PRESENT,
                                 VK_ERROR_INVALID_SHADER_NV,     VK_ERROR_UNKNOWN};
#define CODE_COUNT (sizeof codes / sizeof codes[0])

static bool is_memory(VkResult code)
{
    return code == VK_ERROR_OUT_OF_HOST_MEMORY || code == VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* Every frame is foveated, by the backend that was asked for, and looks as in a run without the
 * fault. */
static void expect_all_foveated(const struct outcome *is, const struct outcome *good, bool memory,
                                const char *says)
{
    for (int i = 0; i < FRAMES; i++) {
        assert_ok(is->results[i]);
    }
    compare_assert_all_same(&is->last.view, &good->last.view, "without the kernel");
    assert_int_equal(is->stats.backend, rig_backend());
    assert_int_equal(is->stats.frames, FRAMES);
    assert_int_equal(is->stats.frames_passed_through, 0);
    assert_true(is->failures == 1 || (memory && is->failures > 0)); /* that is asked for again */
    assert_int_equal(is->warnings, 1);
    assert_non_null(strstr(is->words, says));
    assert_null(strstr(is->words, "passed through"));
}

static void frames_do_without(enum kernel kernel, bool overlay, enum rig_path path,
                              const char *says)
{
    struct outcome good, bad;
    run(NONE, VK_SUCCESS, overlay && kernel != OVERLAY, path, &good);
    for (size_t i = 0; i < CODE_COUNT; i++) {
        run(kernel, codes[i], overlay, path, &bad);
        expect_all_foveated(&bad, &good, is_memory(codes[i]), says);
        image_free(&bad.last);
    }
    image_free(&good.last);
}

TEST(without_the_kernel_that_copies_commands_copy)
{
    frames_do_without(COPY, false, RIG_SEEN_IN_PLACE, "vkCmdCopyImage");
    frames_do_without(COPY, true, RIG_SEEN_IN_PLACE, "vkCmdCopyImage");
    if (rig_backend() !=
        FOVEA_BACKEND_VULKAN) { /* whose own kernels see both images where they are */
        frames_do_without(COPY, false, RIG_SEEN_TO_SEEN, "vkCmdCopyImage");
    }
}

TEST(without_the_overlays_kernel_frames_are_foveated)
{
    frames_do_without(OVERLAY, true, RIG_SEEN_IN_PLACE, "overlay");
    frames_do_without(OVERLAY, true, RIG_ENGINE_TO_ENGINE, "overlay");
    frames_do_without(OVERLAY, true, RIG_MADE_TO_MADE, "overlay");
}

/* Whatever the failure was: it is the program that says that something has changed. */
TEST(new_settings_ask_for_kernels_again)
{
    static const enum kernel kernels[] = {COPY, OVERLAY};
    for (int i = 0; i < 2; i++) {
        struct rig rig;
        broken = kernels[i];
        failure = VK_ERROR_UNKNOWN;
        open_rig(&rig, true);
        OWNED_IMAGE src = image_drawn(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, 9);
        OWNED_IMAGE dst = image_make_packed(WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGBA8);
        for (int k = 0; k < 3; k++) {
            made[kernels[i]] = 0;
            assert_ok(rig_frame(&rig, RIG_SEEN_IN_PLACE, format, &src.view, rig_gaze(0.3, 0.6),
                                &dst.view));
            assert_int_equal(made[kernels[i]], k == 2);
            broken = NONE;
            if (k == 1) {
                assert_ok(fovea_vk_set_settings(rig.fovea, &rig.settings));
            }
        }
        assert_int_equal(failures, 1);
        engine_idle(&rig.engine);
        fovea_vk_destroy(&rig.fovea);
        engine_expect_silence(&engine);
    }
}

/* This is the vulkan backend's; the others' work is done by their peers. Frames are as they were
 * drawn, and the log says so once. */
TEST(without_a_kernel_that_foveates_frames_pass)
{
    for (size_t i = 0; i < CODE_COUNT; i++) {
        struct outcome bad;
        run(FOVEATES, codes[i], false, RIG_SEEN_IN_PLACE, &bad);
        for (int k = 0; k < FRAMES; k++) {
            assert_int_equal(bad.results[k], FOVEA_PASSED_THROUGH);
        }
        assert_int_equal(bad.stats.frames, 0);
        assert_int_equal(bad.stats.frames_passed_through, FRAMES);
        assert_int_equal(bad.warnings, 1);
        assert_non_null(
            strstr(bad.words, is_memory(codes[i]) ? "not enough memory" : "cannot be made"));
        image_free(&bad.last);
    }
}

int main(int argc, char **argv)
{
    if (!rig_choose_backend(argc, argv)) {
        return 2;
    }
    if (!rig_available()) {
        return 77;
    }
    const size_t count = test_list.count;
    const bool by_kernels = rig_backend() == FOVEA_BACKEND_VULKAN;
    return _cmocka_run_group_tests(rig_backend_name(), test_list.tests,
                                   by_kernels ? count : count - 1, open_engine, close_engine);
}
