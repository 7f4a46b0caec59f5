/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_foveation.h"

#include <math.h>
#include <stdio.h>

#define STEP_PX 13 /* between the pixels that are looked at; each lane of a warp is among them */
#define MOST_SHARED_BYTES (227u * 1024)
#define OFF_BY_BLOCKS 0.51 /* levels: rounding */
#define OFF_BY_PIXELS 1.0 /* exponentials are approximate */

/* ---- Cases ----------------------------------------------------------------------------------- */

const char *foveation_gaze_name(int gaze)
{
    static const char *const names[FOVEATION_GAZES] = {"centre", "edge", "corner"};
    return names[gaze];
}

int32_t foveation_pixel_bytes(const struct cuda_foveation *own)
{
    return own->ways.b->pictures.format == FOVEA_FORMAT_RGB8 ? 3 : 4;
}

struct foveation_plan_desc foveation_desc_of(const struct cuda_foveation *own,
                                             const struct foveation_case *c)
{
    const struct bench_size *size = own->ways.b->pictures.size;
    return (struct foveation_plan_desc){.width_px = (int32_t)size->width_px,
                                        .height_px = (int32_t)size->height_px,
                                        .fragment_px = c->fragment_px,
                                        .strength = c->strength,
                                        .gaze_px = {c->gaze == 0 ? size->width_px / 2.0 : 16.0,
                                                    c->gaze == 2 ? 16.0 : size->height_px / 2.0},
                                        .shuffled = c->shuffled,
                                        .fixed = c->fixed};
}

/* ---- The paper's kernel ---------------------------------------------------------------------- */

static void upload_constants(struct foveation_kernel *kernel)
{
    struct cuda_bench *b = kernel->own->ways.b;
    const struct foveation_plan *plan = &kernel->plan;
    size_t bytes = 0;
    const CUdeviceptr weights =
        cuda_ways_constant(b, kernel->own->module, "foveation_paper_weights", &bytes);
    const CUdeviceptr starts =
        cuda_ways_constant(b, kernel->own->module, "foveation_paper_starts", &bytes);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    CUDA_MUST(b, b->cu->MemcpyHtoD(weights, plan->weights, sizeof plan->weights));
    CUDA_MUST(b, b->cu->MemcpyHtoD(starts, plan->starts, sizeof plan->starts));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static void upload(struct foveation_kernel *kernel, bool scratch)
{
    struct cuda_bench *b = kernel->own->ways.b;
    const struct foveation_plan *plan = &kernel->plan;
    const size_t fragments = (size_t)plan->columns * (size_t)plan->rows;
    kernel->memory[0] = cuda_ways_upload(b, plan->grid, fragments * sizeof *plan->grid);
    kernel->memory[1] = cuda_ways_upload(b, plan->weights, sizeof plan->weights);
    kernel->memory[2] = cuda_ways_upload(b, plan->starts, sizeof plan->starts);
    if (scratch) {
        kernel->memory[3] = cuda_ways_upload(b, NULL, fragments * foveation_result_bytes(plan));
    }
    upload_constants(kernel);
}

static struct foveation_paper_params params_of(const struct foveation_kernel *kernel)
{
    const struct foveation_plan *plan = &kernel->plan;
    return (struct foveation_paper_params){
        .grid = kernel->memory[0],
        .weights = kernel->memory[1],
        .starts = kernel->memory[2],
        .scratch = kernel->memory[3],
        .width_px = plan->desc.width_px,
        .height_px = plan->desc.height_px,
        .pixel_bytes = foveation_pixel_bytes(kernel->own),
        .fragment_px = plan->desc.fragment_px,
        .first_x_px = plan->first_x_px,
        .first_y_px = plan->first_y_px,
        .columns = plan->columns,
        .longest = plan->longest,
    };
}

static bool fits(struct foveation_kernel *kernel, const char *name)
{
    const struct foveation_plan *plan = &kernel->plan;
    const bool tile = !strstr(name, "pixels") && !strstr(name, "both") && !strstr(name, "none");
    const bool result = !strstr(name, "global_result") && !strstr(name, "both") &&
                        !strstr(name, "none") && !strstr(name, "separable");
    const size_t bytes =
        (tile ? foveation_tile_bytes(plan) : 0) + (result ? foveation_result_bytes(plan) : 0);
    kernel->shared_bytes = (unsigned)bytes;
    if (bytes > MOST_SHARED_BYTES) {
        snprintf(kernel->words, sizeof kernel->words, "a block would need %zu KB of shared memory",
                 bytes / 1024);
    }
    return bytes <= MOST_SHARED_BYTES;
}

void foveation_kernel_make(struct cuda_foveation *own, const char *name, unsigned width,
                           unsigned height, const struct foveation_case *c,
                           struct foveation_kernel *out)
{
    struct cuda_bench *b = own->ways.b;
    const struct foveation_plan_desc desc = foveation_desc_of(own, c);
    memset(out, 0, sizeof *out);
    out->own = own;
    if (!foveation_plan_make(&desc, &out->plan)) {
        snprintf(out->words, sizeof out->words, "its weights do not fit into constant memory");
        return;
    }
    if (!fits(out, name)) {
        return;
    }
    CUDA_MUST(b, b->cu->ModuleGetFunction(&out->function, own->module, name));
    CUDA_MUST(b, b->cu->FuncSetAttribute(out->function,
                                         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                         (int)out->shared_bytes));
    upload(out, strstr(name, "global_result") || strstr(name, "both") || strstr(name, "none"));
    out->params = params_of(out);
    out->block[0] = width;
    out->block[1] = height;
    out->grid[0] = (unsigned)out->plan.columns;
    out->grid[1] = (unsigned)out->plan.rows;
    out->ready = true;
}

void foveation_kernel_free(struct foveation_kernel *kernel)
{
    struct cuda_bench *b = kernel->own->ways.b;
    for (size_t i = 0; i < sizeof kernel->memory / sizeof kernel->memory[0]; i++) {
        if (kernel->memory[i]) {
            CUDA_MUST(b, b->cu->MemFree(kernel->memory[i]));
        }
    }
    foveation_plan_free(&kernel->plan);
}

enum fovea_result foveation_kernel_enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct foveation_kernel *kernel = user;
    struct foveation_paper_params params = kernel->params;
    params.src = b->pictures.src[picture];
    params.dst = b->pictures.dst[picture];
    return cuda_ways_launch(b, kernel->function, kernel->grid, kernel->block, kernel->shared_bytes,
                            &params);
}

/* ---- Whether it made what it was to make ----------------------------------------------------- */

typedef double (*exact_fn)(const struct foveation_plan *plan, const uint8_t *src,
                           int32_t pixel_bytes, int32_t x, int32_t y, int channel);

double foveation_off_levels(const struct foveation_kernel *kernel, bool pixelwise,
                            const uint8_t *made)
{
    const exact_fn exact = pixelwise ? foveation_exact_pixelwise : foveation_exact;
    const struct foveation_plan *plan = &kernel->plan;
    const int32_t pixel_bytes = foveation_pixel_bytes(kernel->own);
    double worst = 0.0;
    for (int32_t y = 0; y < plan->desc.height_px; y += STEP_PX) {
        for (int32_t x = y % STEP_PX; x < plan->desc.width_px; x += STEP_PX) {
            const size_t i =
                ((size_t)y * (size_t)plan->desc.width_px + (size_t)x) * (size_t)pixel_bytes;
            const int channel = (x / STEP_PX + y / STEP_PX) % 3;
            const double is = exact(plan, kernel->own->src, pixel_bytes, x, y, channel);
            worst = fmax(worst, fabs(made[i + (size_t)channel] - is));
        }
    }
    return worst;
}

bool foveation_judge(double worst, double most, char *words, size_t bytes)
{
    snprintf(words, bytes, "%s%.2f levels off at most", worst <= most ? "" : "WRONG: ", worst);
    return worst <= most;
}

bool foveation_check_blocks(void *user, const void *made, char *words, size_t bytes)
{
    return foveation_judge(foveation_off_levels(user, false, made), OFF_BY_BLOCKS, words, bytes);
}

bool foveation_check_pixels(void *user, const void *made, char *words, size_t bytes)
{
    return foveation_judge(foveation_off_levels(user, true, made), OFF_BY_PIXELS, words, bytes);
}

/* ---- Each pixel by itself -------------------------------------------------------------------- */

struct foveation_pixelwise foveation_pixelwise_make(struct cuda_foveation *own,
                                                    const struct foveation_case *c)
{
    struct cuda_bench *b = own->ways.b;
    const struct foveation_plan_desc desc = foveation_desc_of(own, c);
    const struct foveation_law law = foveation_law_of(desc.width_px, desc.height_px, desc.strength);
    struct foveation_pixelwise out = {.params = {.width_px = desc.width_px,
                                                 .height_px = desc.height_px,
                                                 .pixel_bytes = foveation_pixel_bytes(own),
                                                 .gaze_x_px = (float)desc.gaze_px[0],
                                                 .gaze_y_px = (float)desc.gaze_px[1],
                                                 .sigma_at_gaze_px = (float)law.at_gaze_px,
                                                 .slope = (float)law.slope,
                                                 .least_px = (float)law.least_px,
                                                 .most_px = (float)law.most_px}};
    CUDA_MUST(b, b->cu->ModuleGetFunction(&out.function, own->module, "foveation_paper_pixelwise"));
    return out;
}

enum fovea_result foveation_pixelwise_enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct foveation_pixelwise *pixelwise = user;
    struct foveation_pixelwise_params params = pixelwise->params;
    params.src = b->pictures.src[picture];
    params.dst = b->pictures.dst[picture];
    static const unsigned block[] = {FOVEATION_PAPER_SIDE, FOVEATION_PAPER_SIDE};
    return cuda_ways_launch_over(b, pixelwise->function, params.width_px, params.height_px, block,
                                 &params);
}

/* ---- Fovea's --------------------------------------------------------------------------------- */

void foveation_ours_make(struct cuda_foveation *own, const struct foveation_case *c,
                         struct foveation_ours *out)
{
    const struct foveation_plan_desc desc = foveation_desc_of(own, c);
    *out = (struct foveation_ours){
        .settings = fovea_settings_default().foveation,
        .gaze = {desc.gaze_px[0] / desc.width_px, desc.gaze_px[1] / desc.height_px}};
    out->settings.model = FOVEA_MODEL_PAPER;
    out->settings.light = FOVEA_LIGHT_ENCODED;
    out->settings.strength = c->strength;
    out->settings.method = c->fragment_px ? FOVEA_METHOD_BLOCKWISE : FOVEA_METHOD_SMOOTH;
    out->settings.paper.filter_length = FOVEA_FILTER_LENGTH_PRINTED;
    if (c->fragment_px) {
        out->settings.paper.fragment_px = (uint32_t)c->fragment_px;
    }
    bench_must(cuda_prepare(own->ways.b, &out->settings, out->gaze, &out->prepared), "Fovea");
}

void foveation_ours_free(struct cuda_bench *b, struct foveation_ours *ours)
{
    cuda_unprepare(b, &ours->prepared);
}

void foveation_ours_renew(struct cuda_bench *b, void *prepared)
{
    struct foveation_ours *ours =
        (struct foveation_ours *)((char *)prepared - offsetof(struct foveation_ours, prepared));
    cuda_unprepare(b, &ours->prepared);
    bench_must(cuda_prepare(b, &ours->settings, ours->gaze, &ours->prepared), "Fovea");
}
