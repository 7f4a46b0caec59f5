/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blur_cpu.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "kernels/blur/engine.h"
#include "kernels/gauss/cpu/common/picture.h"

/* Workers of an engine that needs much memory are fewer. */
#define MOST_SCRATCH_BYTES ((size_t)512 << 20)

static struct pixel_row row_at(const struct blur_cpu *cpu, const struct fovea_image *image,
                               int32_t y)
{
    return pixel_row_of(image, cpu->codec, 0, y, cpu->width_px);
}

static void decode(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                   float *scratch)
{
    (void)scratch;
    for (int32_t y = chunk * BLUR_STRIP_ROWS; y < blur_strip_end(chunk, cpu->height_px); y++) {
        const struct pixel_row src = row_at(cpu, &cpu->src, y);
        float *row = step->to + (size_t)y * blur_cpu_row(cpu);
        cpu->codec->decode(&src, cpu->channels, row);
        if (cpu->light) {
            pixel_light_from_levels(cpu->light, row, src.count, cpu->channels, cpu->colors);
        }
    }
}

/* In place, as nobody reads the result again. */
static void encode(const struct blur_cpu *cpu, const struct blur_cpu_step *step, int32_t chunk,
                   float *scratch)
{
    (void)scratch;
    for (int32_t y = chunk * BLUR_STRIP_ROWS; y < blur_strip_end(chunk, cpu->height_px); y++) {
        const struct pixel_row src = row_at(cpu, &cpu->src, y);
        const struct pixel_row dst = row_at(cpu, &cpu->dst, y);
        float *row = step->to + (size_t)y * blur_cpu_row(cpu);
        if (cpu->light) {
            pixel_light_to_levels(cpu->light, row, dst.count, cpu->channels, cpu->colors);
        }
        cpu->codec->encode(row, cpu->channels, &src, &dst);
    }
}

/* ---- Steps */

static void make_chunk(void *user, uint32_t worker, int32_t step, int32_t chunk)
{
    const struct blur_cpu *cpu = user;
    cpu->steps[step].make(cpu, &cpu->steps[step], chunk, cpu->base.workers.of[worker]);
}

static void run_steps(struct blur_cpu *cpu)
{
    thread_steps_run(&cpu->chunks, cpu->base.pool, cpu->base.workers.count, make_chunk, cpu);
    thread_steps_clear(&cpu->chunks);
}

void blur_cpu_add(struct blur_cpu *cpu, struct blur_cpu_step step, int32_t chunks)
{
    if (cpu->chunks.count == THREAD_STEPS_MAX) {
        run_steps(cpu);
    }
    cpu->steps[cpu->chunks.count] = step;
    thread_steps_add(&cpu->chunks, chunks);
}

static void run_image(struct blur_cpu *cpu)
{
    thread_steps_clear(&cpu->chunks);
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = decode, .to = cpu->pixels},
                 blur_strips(cpu->height_px));
    float *result = cpu->engine->add(cpu);
    blur_cpu_add(cpu, (struct blur_cpu_step){.make = encode, .to = result},
                 blur_strips(cpu->height_px));
    run_steps(cpu);
}

static float white_of(const struct blur_cpu *cpu, enum fovea_format format)
{
    if (cpu->light || !pixel_light_known(format)) {
        return 1.0f;
    }
    return pixel_white(format);
}

static void run(struct operator_host *host, const struct operator_images *images,
                const struct operator_frame *frame)
{
    struct blur_cpu *cpu = (struct blur_cpu *)host;
    const struct gauss_plan *machine = &cpu->plan->machine;
    const enum fovea_format format = images->src->format;
    const int32_t light = image_light_in_order(gauss_plan_light(machine), frame->blue_first);
    const bool blurs_alpha = machine->foveation.alpha != FOVEA_ALPHA_KEEP;
    pixel_lights_order(&cpu->lights, light);
    cpu->codec = pixel_codec_of(format);
    cpu->light = pixel_lights_get(&cpu->lights, light, format);
    cpu->colors = cpu->codec->color_channels;
    cpu->channels = cpu->colors + (cpu->codec->has_alpha && blurs_alpha ? 1 : 0);
    cpu->white = white_of(cpu, format);
    cpu->sigmas = (struct fovea_image){0};
    for (uint32_t i = 0; i < images->count; i++) {
        cpu->src = pixel_image_after(images->src, (ptrdiff_t)i * images->src_next_bytes);
        cpu->dst = pixel_image_after(images->dst, (ptrdiff_t)i * images->dst_next_bytes);
        if (images->sigmas) {
            cpu->sigmas =
                pixel_image_after(images->sigmas, (ptrdiff_t)i * images->sigmas_next_bytes);
        }
        run_image(cpu);
    }
}

/* ---- Create and destroy */

static enum fovea_result grow(struct blur_cpu *cpu)
{
    const size_t bytes = (cpu->scratch_floats + 1) * sizeof(float);
    uint32_t wanted = (uint32_t)blur_strips(cpu->height_px);
    while (wanted > 1 && wanted * bytes > MOST_SCRATCH_BYTES) {
        wanted--;
    }
    return worker_floats_grow(&cpu->base.workers, cpu->base.pool, wanted, cpu->scratch_floats + 1);
}

static enum fovea_result reserve(struct operator_host *host, const struct operator_images *images)
{
    (void)images; /* one after the other */
    return grow((struct blur_cpu *)host);
}

static void finish(struct operator_host *host)
{
    struct blur_cpu *cpu = (struct blur_cpu *)host;
    large_memory_free(cpu->pixels);
    large_memory_free(cpu->more);
}

static enum fovea_result make(struct operator_host *host)
{
    struct blur_cpu *cpu = (struct blur_cpu *)host;
    const struct blur_plan *plan = cpu->plan = blur_plan_of(host->plan);
    const struct blur_cpu_engine *engine = cpu->engine = plan->engine->cpu;
    const size_t pixels = (size_t)plan->machine.width_px * plan->machine.height_px;
    const size_t more = engine->more_floats ? engine->more_floats(plan) : 0;
    cpu->width_px = (int32_t)plan->machine.width_px;
    cpu->height_px = (int32_t)plan->machine.height_px;
    cpu->scratch_floats = engine->scratch_floats ? engine->scratch_floats(plan) : 0;
    cpu->pixels = large_memory_make(pixels * BLUR_MOST_CHANNELS, sizeof *cpu->pixels);
    cpu->more = large_memory_make(more + 1, sizeof *cpu->more);
    FOVEA_TRY_MEMORY(cpu->pixels && cpu->more);
    gauss_cpu_lights_init(&cpu->lights, &plan->machine);
    FOVEA_TRY(grow(cpu));
    if (engine->begin) {
        engine->begin(cpu);
    }
    return FOVEA_OK;
}

const struct operator_host_api blur_operator_host = {
    .kind = {.bytes = sizeof(struct blur_cpu), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
