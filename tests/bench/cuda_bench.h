/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The measurements on a CUDA device share this. The device stays pushed. */
#pragma once

#include "bench.h"
#include "kernels/foveate/operator/foveate_operator.h"
#include "kernels/operator/operator_cuda.h"

#define CUDA_COPY_SHAPES 3

/* bench_kernels.cu and the kernels of lens_paper/, for ModuleLoadData. */
extern const char bench_kernels_ptx[];
extern const char bench_lens_paper_ptx[];
extern const char bench_lens_peers_ptx[];
extern const char bench_foveation_paper_ptx[];
extern const char bench_foveation_mips_ptx[];
extern const char bench_blur_thesis_ptx[];
extern const char bench_blur_tables_ptx[];
extern const char bench_blur_textures_ptx[];
extern const char bench_lightfield_render_ptx[];
extern const char bench_lightfield_depth_ptx[];
extern const char bench_csdd_thesis_ptx[];

/* A picture in an array, as surface object. */
struct cuda_array {
    CUarray array;
    CUsurfObject surface;
};

/* Pictures in device memory that take turns. */
struct cuda_pictures {
    const struct bench_size *size;
    enum fovea_format format;
    uint32_t images; /* of a picture: more than 1 in batches, one behind the other */
    CUdeviceptr src[BENCH_PICTURES];
    CUdeviceptr dst[BENCH_PICTURES];
    bool surfaces; /* what is timed lies in these instead: */
    struct cuda_array src_arrays[BENCH_PICTURES];
    struct cuda_array dst_arrays[BENCH_PICTURES];
    double copy_us;
    const char *copy_way;
};

struct cuda_bench {
    struct bench *bench;
    struct cuda_device *device; /* NULL: not open yet */
    const struct cuda_driver *cu;
    struct operator_cuda *foveate; /* of gauss_operator_cuda */
    CUstream stream;
    CUmodule copy_module;
    CUfunction copies[CUDA_COPY_SHAPES];
    struct cuda_pictures pictures;
};

#define CUDA_MUST(b, call) bench_must(CU_CHECK((b)->device->log, (b)->cu, call), #call)

/* ---- cuda_time.c ---- */

/* Enqueues one picture's work on the stream. */
typedef enum fovea_result (*cuda_enqueue_fn)(struct cuda_bench *b, void *user, uint32_t picture);

/* Returns the time for one picture. The pictures take turns; the device never idles. *out_way:
 * "graph" or "launches". */
struct bench_times cuda_time(struct cuda_bench *b, cuda_enqueue_fn enqueue, void *user,
                             const char **out_way);

/* ---- cuda_prepare.c ---- */

/* Foveation of the pictures that are there, one or as many as a batch has. */
struct cuda_prepared {
    struct gauss_plan *plan;
    struct operator_cuda_plan *tables;
    struct operator_frame frame;
    CUdeviceptr gazes; /* of a batch */
};

/* FOVEA_ERROR_INVALID_ARGUMENT: more blur than there is. */
FOVEA_MUST_CHECK enum fovea_result cuda_prepare(struct cuda_bench *b,
                                                const struct fovea_foveation *foveation,
                                                struct fovea_point_uv gaze,
                                                struct cuda_prepared *out);
/* A cuda_enqueue_fn; user: what cuda_prepare made. */
enum fovea_result cuda_enqueue(struct cuda_bench *b, void *user, uint32_t picture);
void cuda_unprepare(struct cuda_bench *b, struct cuda_prepared *p);

/* ---- cuda_depth.c ---- */

/* For modes whose operator needs them; else nothing. */
struct cuda_depths {
    CUdeviceptr memory; /* 0: there are none */
    CUdeviceptr focuses;
    size_t picture_bytes;
    struct fovea_depth depth;
};
struct cuda_depths cuda_depths_make(struct cuda_bench *b, const struct bench_mode *mode);
/* The depths of one of the pictures until the next is asked for; NULL: there are none. */
const struct fovea_depth *cuda_depths_of(struct cuda_depths *depths, uint32_t picture);
struct operator_focus *cuda_depths_focuses(const struct cuda_depths *depths);
void cuda_depths_free(struct cuda_bench *b, struct cuda_depths *depths);

/* ---- cuda_operator.c ---- */

/* An operator, ready for the pictures that are there. */
struct cuda_operator {
    const struct operator_api *api;
    struct operator_plan *plan;
    struct operator_cuda *cuda;
    struct operator_cuda_plan *cuda_plan;
    struct operator_frame frame;
    struct cuda_depths depths; /* what an operator needs of them, of a mode's alone */
};
struct cuda_operator cuda_operator_make(struct cuda_bench *b, enum fovea_operator op,
                                        const struct fovea_settings *settings);
/* A cuda_enqueue_fn; user: a struct cuda_operator. */
enum fovea_result cuda_operator_enqueue(struct cuda_bench *b, void *user, uint32_t picture);
void cuda_operator_free(struct cuda_operator *own);
/* Times the pictures that are there through the mode's operator. */
struct bench_times cuda_time_operator(struct cuda_bench *b, const struct bench_mode *mode,
                                      const char **out_way);

/* ---- cuda_row.c ---- */

/* Times the pictures that are there through the mode's row. */
struct bench_times cuda_time_row(struct cuda_bench *b, const struct bench_case *c,
                                 const char **out_way);

/* ---- cuda_copy.c ---- */

void cuda_copy_load(struct cuda_bench *b);
/* New ones where something changes, and the time of a copy of them as a row. */
void cuda_need_pictures(struct cuda_bench *b, const struct bench_size *size,
                        enum fovea_format format, uint32_t images);
/* New ones, of which nothing is measured. */
void cuda_make_pictures(struct cuda_bench *b, const struct bench_size *size,
                        enum fovea_format format, uint32_t images);
/* Times a copy of them, by the fastest of three kernels. */
struct bench_times cuda_time_copy(struct cuda_bench *b, const char **out_way);
void cuda_free_pictures(struct cuda_bench *b);
/* Returns how long a copy of them took; 0: it was timed in another way. */
double cuda_copy_us(const struct cuda_bench *b, const char *way);
struct fovea_image cuda_image(const struct cuda_bench *b, CUdeviceptr memory);

/* ---- cuda_surfaces.c ---- */

bool cuda_format_has_surfaces(enum fovea_format format);
/* An array for one of the pictures that are there. */
struct cuda_array cuda_array_make(struct cuda_bench *b);
/* Fills it with packed pixels of the host's. */
void cuda_array_fill(struct cuda_bench *b, const struct cuda_array *array, const void *pixels);
void cuda_array_free(struct cuda_bench *b, struct cuda_array *array); /* sets NULL */

/* ---- cuda_batch.c, domain_cuda.c ---- */

/* False: there is no device. */
bool cuda_batch(struct cuda_bench *b);
bool cuda_blobs(struct cuda_bench *b); /* cuda_blobs.c */
bool cuda_lightfield(struct cuda_bench *b); /* cuda_lightfield.c */
bool cuda_domain(struct cuda_bench *b);
bool cuda_lens_paper(struct cuda_bench *b); /* lens_paper/ */
bool cuda_foveation_paper(struct cuda_bench *b); /* foveation_paper/ */
bool cuda_blur_thesis(struct cuda_bench *b); /* blur_thesis/ */
bool cuda_lightfield_paper(struct cuda_bench *b); /* lightfield_paper/ */
bool cuda_csdd_thesis(struct cuda_bench *b); /* csdd_thesis/ */

/* Opens the device where it is not open yet; false: there is none. */
bool cuda_open(struct cuda_bench *b);
