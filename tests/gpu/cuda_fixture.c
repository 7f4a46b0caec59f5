/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_fixture.h"

#define EXIT_SKIPPED 77

static void print_line(void *user, enum fovea_log_level level, const char *message)
{
    fprintf(stderr, "%s\n", message);
}

struct cuda_fixture fixture;

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

static enum fovea_result open_device(void)
{
    FOVEA_TRY(cuda_device_create(0, fixture.log, &fixture.device));
    fixture.cu = fixture.device->cu;
    FOVEA_TRY(cuda_device_push(fixture.device));
    FOVEA_TRY(operator_cuda_create(&gauss_operator_cuda.kind, fixture.device, &fixture.foveate));
    return cuda_device_create_stream(fixture.device, &fixture.stream);
}

int cuda_fixture_open(void)
{
    fixture = (struct cuda_fixture){.log = {.fn = print_line, .min_level = FOVEA_LOG_INFO},
                                    .quick = is_set("FOVEA_TEST_QUICK")};
    enum fovea_result result = open_device();
    if (result == FOVEA_OK) {
        return 0;
    }
    if (result == FOVEA_ERROR_UNSUPPORTED && !fixture.device && !is_set("FOVEA_REQUIRE_GPU")) {
        fprintf(stderr, "skipped: no CUDA device\n");
        return EXIT_SKIPPED;
    }
    fprintf(stderr, "no CUDA device that works: %s\n", fovea_result_name(result));
    return EXIT_FAILURE;
}

void cuda_fixture_close(void)
{
    operator_cuda_destroy(&fixture.foveate);
    for (int i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        operator_cuda_destroy(&fixture.operators[i]);
    }
    CU_WARN(fixture.log, fixture.cu, fixture.cu->StreamDestroy(fixture.stream));
    cuda_device_pop(fixture.device);
    cuda_device_destroy(&fixture.device);
}

#define MAX_TESTS 64

/* "2/6": every sixth test, from the second on; several processes then share them out. */
struct part {
    unsigned number, count;
};

static bool choose_part(struct part *part)
{
    *part = (struct part){1, 1};
    const char *words = getenv("FOVEA_TEST_PART");
    if (words && (sscanf(words, "%u/%u", &part->number, &part->count) != 2 || part->number < 1 ||
                  part->number > part->count)) {
        fprintf(stderr, "FOVEA_TEST_PART=%s is no part\n", words);
        return false;
    }
    return true;
}

static int run_part(const struct CMUnitTest *tests, size_t count)
{
    struct CMUnitTest chosen[MAX_TESTS];
    size_t chosen_count = 0;
    struct part part;
    if (!choose_part(&part) || count > MAX_TESTS) {
        return 1;
    }
    for (size_t i = part.number - 1; i < count; i += part.count) {
        chosen[chosen_count++] = tests[i];
    }
    return chosen_count ? _cmocka_run_group_tests("tests", chosen, chosen_count, NULL, NULL) : 0;
}

int cuda_fixture_run(const struct CMUnitTest *tests, size_t count)
{
    const int status = cuda_fixture_open();
    if (status != 0) {
        return status;
    }
    const int failed = run_part(tests, count);
    cuda_fixture_close();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

__attribute__((weak)) int main(void)
{
    return cuda_fixture_run(test_list.tests, test_list.count);
}

struct fovea_context *cuda_fixture_context(const struct fovea_settings *settings)
{
    struct fovea_context_desc desc;
    struct fovea_context *context = NULL;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    desc.log = fixture.log;
    assert_ok(fovea_context_create(&desc, &context));
    return context;
}

enum fovea_result cuda_fixture_run_linear(const struct operator_cuda_run *run,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst)
{
    const struct operator_images images = {.count = 1, .src = src, .dst = dst};
    return gauss_operator_cuda.run_linear(fixture.foveate, run, &images);
}

void cuda_fixture_wait(void)
{
    CU_ASSERT(fixture.cu->StreamSynchronize(fixture.stream));
}

/* A copy from pageable memory may return before it is over, and other streams do not wait for
 * it. */
static void wait_for_upload(void)
{
    CU_ASSERT(fixture.cu->StreamSynchronize(NULL));
}

void cuda_fixture_upload(CUdeviceptr to, const void *from, size_t bytes)
{
    CU_ASSERT(fixture.cu->MemcpyHtoD(to, from, bytes));
    wait_for_upload();
}

struct device_image device_image_make(const struct test_image *host, uint32_t shift)
{
    struct device_image image = {.bytes = host->memory_bytes, .view = host->view};
    CU_ASSERT(fixture.cu->MemAlloc(&image.memory, host->memory_bytes + shift));
    image.copy = image.memory + shift;
    cuda_fixture_upload(image.copy, host->memory, image.bytes);
    const size_t offset = (size_t)((unsigned char *)host->view.data - host->memory);
    image.view.data = (void *)(uintptr_t)(image.copy + offset);
    image.view.memory = FOVEA_MEMORY_CUDA;
    return image;
}

void device_image_download(const struct device_image *image, const struct test_image *host)
{
    CU_ASSERT(fixture.cu->MemcpyDtoH(host->memory, image->copy, image->bytes));
}

void device_image_free(struct device_image *image)
{
    CU_ASSERT(fixture.cu->MemFree(image->memory));
    image->memory = 0;
}

struct device_pair device_pair_make(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                                    enum image_pattern pattern, uint64_t seed)
{
    struct device_pair pair = {.src = image_make_packed(width_px, height_px, format),
                               .dst = image_make_packed(width_px, height_px, format)};
    image_draw(&pair.src.view, pattern, seed);
    pair.device_src = device_image_make(&pair.src, 0);
    pair.device_dst = device_image_make(&pair.dst, 0);
    return pair;
}

void device_pair_free(struct device_pair *pair)
{
    device_image_free(&pair->device_src);
    device_image_free(&pair->device_dst);
    image_free(&pair->src);
    image_free(&pair->dst);
}

static CUDA_ARRAY3D_DESCRIPTOR array_of(const struct fovea_image *image)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {.Width = image->width_px,
                                    .Height = image->height_px,
                                    .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                                    .NumChannels = 1,
                                    .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    if (image->format == FOVEA_FORMAT_RGBA8) {
        desc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
        desc.NumChannels = 4;
    } else if (image->format == FOVEA_FORMAT_RGBA16F) {
        desc.Format = CU_AD_FORMAT_HALF;
        desc.NumChannels = 4;
    }
    return desc;
}

static CUDA_MEMCPY2D copy_of(const struct device_array *array, const struct fovea_image *packed,
                             bool upload)
{
    const size_t row_bytes = (size_t)packed->width_px * image_bytes(packed->format);
    CUDA_MEMCPY2D copy = {.WidthInBytes = row_bytes, .Height = packed->height_px};
    if (upload) {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = packed->data;
        copy.srcPitch = (size_t)packed->row_stride_bytes;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array->array;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array->array;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = packed->data;
        copy.dstPitch = (size_t)packed->row_stride_bytes;
    }
    return copy;
}

struct device_array device_array_make(const struct fovea_image *packed)
{
    struct device_array array = {0};
    const CUDA_ARRAY3D_DESCRIPTOR desc = array_of(packed);
    CU_ASSERT(fixture.cu->Array3DCreate(&array.array, &desc));
    const CUDA_MEMCPY2D copy = copy_of(&array, packed, true);
    CU_ASSERT(fixture.cu->Memcpy2D(&copy));
    wait_for_upload();
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = array.array};
    CU_ASSERT(fixture.cu->SurfObjectCreate(&array.surface, &resource));
    return array;
}

void device_array_download(const struct device_array *array, const struct fovea_image *packed)
{
    const CUDA_MEMCPY2D copy = copy_of(array, packed, false);
    CU_ASSERT(fixture.cu->Memcpy2D(&copy));
}

void device_array_free(struct device_array *array)
{
    CU_ASSERT(fixture.cu->SurfObjectDestroy(array->surface));
    CU_ASSERT(fixture.cu->ArrayDestroy(array->array));
    *array = (struct device_array){0};
}
