/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A whole program: a picture in CUDA memory, foveated left of the middle on the program's own
 * stream. The copy in, the foveation and the copy out are enqueued one after the other, and the
 * program waits once. CUDA's runtime goes as well: memory of cudaMalloc and a cudaStream_t are the
 * same things.
 *
 *     cc minimal_cuda.c -I/usr/local/cuda/include $(pkg-config --cflags --libs fovea) -lcuda \
 *         -o minimal_cuda && ./minimal_cuda foveated.ppm */
#include <fovea.h>

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH_PX 640
#define HEIGHT_PX 480
#define BYTES ((size_t)WIDTH_PX * HEIGHT_PX * 3)

struct program {
    CUdevice device;
    CUcontext cuda;
    CUstream stream;
    CUdeviceptr drawn; /* what a simulator or a decoder would have left there */
    CUdeviceptr foveated;
    struct fovea_context *fovea;
};

/* An example ends where a program would clean up. */
static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

static void say(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

/* Fovea's kernels run in the device's primary context, so the memory must be of that one. */
static void open_cuda(struct program *p)
{
    must(cuInit(0) == CUDA_SUCCESS, "cuInit");
    must(cuDeviceGet(&p->device, 0) == CUDA_SUCCESS, "cuDeviceGet");
    must(cuDevicePrimaryCtxRetain(&p->cuda, p->device) == CUDA_SUCCESS, "cuDevicePrimaryCtxRetain");
    must(cuCtxPushCurrent(p->cuda) == CUDA_SUCCESS, "cuCtxPushCurrent");
    must(cuStreamCreate(&p->stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS, "cuStreamCreate");
    must(cuMemAlloc(&p->drawn, BYTES) == CUDA_SUCCESS, "cuMemAlloc");
    must(cuMemAlloc(&p->foveated, BYTES) == CUDA_SUCCESS, "cuMemAlloc");
}

static void open_fovea(struct program *p)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.cuda_device = 0;
    desc.log = (struct fovea_log){.fn = say, .min_level = FOVEA_LOG_WARNING};
    must(fovea_context_create(&desc, &p->fovea) == FOVEA_OK, "fovea_context_create");
}

/* A chequered picture shows blur well. */
static void draw(unsigned char *pixels)
{
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
        const int x = i % WIDTH_PX;
        const int y = i / WIDTH_PX;
        const unsigned char value = (x / 8 + y / 8) % 2 ? 255 : 0;
        pixels[3 * i] = value;
        pixels[3 * i + 1] = pixels[3 * i + 2] = (unsigned char)(255 - value);
    }
}

/* Returns when everything is enqueued. Frames after the first of this size allocate nothing. */
static void foveate(struct program *p, struct fovea_point_uv gaze)
{
    const struct fovea_image src = {.data = (void *)(uintptr_t)p->drawn,
                                    .width_px = WIDTH_PX,
                                    .height_px = HEIGHT_PX,
                                    .format = FOVEA_FORMAT_RGB8,
                                    .memory = FOVEA_MEMORY_CUDA,
                                    .row_stride_bytes = WIDTH_PX * 3};
    struct fovea_image dst = src;
    dst.data = (void *)(uintptr_t)p->foveated;
    must(fovea_context_run(p->fovea, &src, &dst, gaze, p->stream) == FOVEA_OK, "fovea_context_run");
}

static void close_all(struct program *p)
{
    CUcontext popped;
    fovea_context_destroy(&p->fovea);
    must(cuMemFree(p->foveated) == CUDA_SUCCESS, "cuMemFree");
    must(cuMemFree(p->drawn) == CUDA_SUCCESS, "cuMemFree");
    must(cuStreamDestroy(p->stream) == CUDA_SUCCESS, "cuStreamDestroy");
    must(cuCtxPopCurrent(&popped) == CUDA_SUCCESS, "cuCtxPopCurrent");
    must(cuDevicePrimaryCtxRelease(p->device) == CUDA_SUCCESS, "cuDevicePrimaryCtxRelease");
}

static int write_picture(const char *path, const unsigned char *pixels)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return 1;
    }
    fprintf(file, "P6\n%d %d\n255\n", WIDTH_PX, HEIGHT_PX);
    const size_t written = fwrite(pixels, 1, BYTES, file);
    return fclose(file) != 0 || written != BYTES;
}

int main(int argc, char **argv)
{
    static unsigned char pixels[BYTES];
    struct program p = {0};
    open_cuda(&p);
    open_fovea(&p);
    draw(pixels);
    must(cuMemcpyHtoDAsync(p.drawn, pixels, BYTES, p.stream) == CUDA_SUCCESS, "cuMemcpyHtoDAsync");
    foveate(&p, (struct fovea_point_uv){0.25, 0.5});
    must(cuMemcpyDtoHAsync(pixels, p.foveated, BYTES, p.stream) == CUDA_SUCCESS,
         "cuMemcpyDtoHAsync");
    must(cuStreamSynchronize(p.stream) == CUDA_SUCCESS, "cuStreamSynchronize");
    close_all(&p);
    return write_picture(argc > 1 ? argv[1] : "foveated.ppm", pixels);
}
