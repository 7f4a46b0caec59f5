/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fibers, and where they meet (cuda_host.h). Everything is of one thread of the host, which runs a block at a time. */

#include "cuda_host.h"
#include "cuda_host_ptx.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace {

const int MOST_THREADS = 1024;
const int BARRIERS = 16;
const size_t GUARD_BYTES = 4096;
#ifdef WITH_ASAN
const size_t STACK_BYTES = 512 * 1024; /* what is between variables comes on top */
#else
const size_t STACK_BYTES = 128 * 1024;
#endif

enum fiber_state { READY, AT_BARRIER, IN_WARP, ENDED };

struct fiber {
    cuda_host_place place;
    int number;
    enum fiber_state state;
    int barrier;
    uint32_t mask;
    cuda_host_made made;
    void *brought;
    void *stack_pointer;
    char *stack; /* its lowest byte */
    void *fake_stack; /* AddressSanitizer's */
    struct cuda_host_copy *copies; /* under way */
    int copy_count, copy_room;
    bool has_waited; /* for the kernel ahead */
};

struct barrier {
    int arrived;
    int threads; /* 0: all that have not ended */
    int said;
    int result;
};

const int POISON = 0xff;
const size_t PIECE_BYTES = 4096;
const int MOST_PIECES = 4096;
const int MOST_WRITES = 512;
const int LOOKS = 8;

struct piece {
    char *begin;
    size_t bytes;
};

/* A kernel has a bit for each piece that a block has written. */
struct writes {
    void (*run)(const void *params);
    uint64_t pieces[MOST_PIECES / 64];
    int looks;
};

/* Each thread of the host has its own. */
struct machine {
    struct fiber fibers[MOST_THREADS];
    struct fiber *ready[MOST_THREADS]; /* a ring */
    int first_ready, ready_count;
    struct barrier barriers[BARRIERS];
    const struct cuda_host_launch *launch;
    int count, ended;
    uint32_t in_warp[MOST_THREADS / 32], gone[MOST_THREADS / 32]; /* a bit for each lane */
    uint64_t random; /* 0: in order */
    bool reverse;
    struct piece pieces[MOST_PIECES]; /* of shared memory */
    int piece_count;
    unsigned char poison[PIECE_BYTES];
    struct writes writes[MOST_WRITES];
    char *stacks;
    void *caller; /* its stack pointer */
    void *caller_fake_stack;
    const void *caller_stack;
    size_t caller_stack_bytes;
};

/* Also the place that addresses of shared memory are counted from: it lies beside it. */
thread_local struct {
    struct machine *machine;
    struct fiber *now;
} own;

} // namespace

/* ---- What went wrong */

extern "C" void cuda_host_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "cuda_host: ");
    vfprintf(stderr, format, list);
    va_end(list);
    if (own.now) {
        const cuda_host_place &place = own.now->place;
        fprintf(stderr, " [block (%u, %u, %u), thread (%u, %u, %u)]", place.block.x, place.block.y,
                place.block.z, place.thread.x, place.thread.y, place.thread.z);
    }
    fprintf(stderr, "\n");
    abort();
}

/* ---- Switches between stacks */

#if defined(__x86_64__)
/* Leaves the stack pointer in *from and goes on where that of `to` was left. */
extern "C" void cuda_host_switch(void **from, void *to);
__asm__(".text\n"
        ".type cuda_host_switch, @function\n"
        "cuda_host_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size cuda_host_switch, .-cuda_host_switch\n");

/* A stack whose owner begins with `begin`. */
static void *new_stack(char *stack, void (*begin)(void))
{
    void **top = (void **)(stack + STACK_BYTES);
    *--top = NULL; /* the caller's address of a function that never returns: keeps calls aligned */
    *--top = (void *)begin;
    for (int i = 0; i < 6; i++) {
        *--top = NULL;
    }
    return top;
}
#else
extern "C" void cuda_host_switch(void **from, void *to);
void cuda_host_switch(void **from, void *to)
{
    ucontext_t here;
    *from = &here;
    if (swapcontext(&here, (const ucontext_t *)to) != 0) {
        cuda_host_fail("swapcontext fails");
    }
}

static void *new_stack(char *stack, void (*begin)(void))
{
    ucontext_t *context = (ucontext_t *)stack;
    getcontext(context);
    context->uc_stack.ss_sp = stack + sizeof *context;
    context->uc_stack.ss_size = STACK_BYTES - sizeof *context;
    context->uc_link = NULL;
    makecontext(context, begin, 0);
    return context;
}
#endif

/* to NULL: to who launched. ending: this fiber never comes back. */
static void go_on_with(struct fiber *to, bool ending)
{
    struct machine *machine = own.machine;
    struct fiber *from = own.now;
    own.now = to;
    void **left = from ? &from->stack_pointer : &machine->caller;
    void *next = to ? to->stack_pointer : machine->caller;
#ifdef WITH_ASAN
    void **fake = from ? &from->fake_stack : &machine->caller_fake_stack;
    __sanitizer_start_switch_fiber(ending ? NULL : fake, to ? to->stack : machine->caller_stack,
                                   to ? STACK_BYTES : machine->caller_stack_bytes);
#endif
    cuda_host_switch(left, next);
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(*fake, NULL, NULL);
#endif
}

/* ---- Who is next */

static void make_ready(struct fiber *fiber)
{
    struct machine *machine = own.machine;
    machine->in_warp[fiber->number / 32] &= ~(1u << fiber->number % 32);
    fiber->state = READY;
    machine->ready[(machine->first_ready + machine->ready_count++) % MOST_THREADS] = fiber;
}

static uint64_t next_random(struct machine *machine)
{
    machine->random ^= machine->random << 13;
    machine->random ^= machine->random >> 7;
    machine->random ^= machine->random << 17;
    return machine->random;
}

static struct fiber *take_ready(struct machine *machine)
{
    if (machine->random) {
        const int chosen = (int)(next_random(machine) % (unsigned)machine->ready_count);
        struct fiber **first = &machine->ready[machine->first_ready % MOST_THREADS];
        struct fiber **other = &machine->ready[(machine->first_ready + chosen) % MOST_THREADS];
        struct fiber *fiber = *other;
        *other = *first;
        *first = fiber;
    }
    struct fiber *fiber = machine->ready[machine->first_ready];
    machine->first_ready = (machine->first_ready + 1) % MOST_THREADS;
    machine->ready_count--;
    return fiber;
}

[[noreturn]] static void fail_of_waiting(struct machine *machine)
{
    int at_barriers = 0;
    for (int i = 0; i < machine->count; i++) {
        at_barriers += machine->fibers[i].state == AT_BARRIER;
    }
    for (int i = 0; i < machine->count; i++) {
        if (machine->fibers[i].state != ENDED) {
            own.now = &machine->fibers[i];
            break;
        }
    }
    cuda_host_fail("threads wait for ever: %d at barriers, %d in collectives of their warps, %d "
                   "have ended; the first of them",
                   at_barriers, machine->count - at_barriers - machine->ended, machine->ended);
}

static void run_others(bool ending)
{
    struct machine *machine = own.machine;
    if (machine->ready_count == 0) {
        if (machine->ended < machine->count) {
            fail_of_waiting(machine);
        }
        go_on_with(NULL, ending);
        return;
    }
    struct fiber *next = take_ready(machine);
    if (next != own.now) {
        go_on_with(next, ending);
    }
}

/* ---- Barriers */

static void open_if_full(struct machine *machine, int id)
{
    struct barrier *barrier = &machine->barriers[id];
    const int needed = barrier->threads ? barrier->threads : machine->count - machine->ended;
    if (barrier->arrived == 0 || barrier->arrived < needed) {
        return;
    }
    barrier->result = barrier->said;
    barrier->said = 0;
    barrier->arrived = 0;
    for (int i = 0; i < machine->count; i++) {
        struct fiber *fiber = &machine->fibers[machine->reverse ? machine->count - 1 - i : i];
        if (fiber->state == AT_BARRIER && fiber->barrier == id) {
            make_ready(fiber);
        }
    }
}

extern "C" int cuda_host_barrier(int id, int threads, bool says, bool waits)
{
    struct machine *machine = own.machine;
    struct barrier *barrier = &machine->barriers[id];
    if (barrier->arrived && barrier->threads != threads) {
        cuda_host_fail("barrier %d is of %d threads for some and of %d for others", id,
                       barrier->threads, threads);
    }
    barrier->threads = threads;
    barrier->arrived++;
    barrier->said += says;
    if (waits) {
        own.now->state = AT_BARRIER;
        own.now->barrier = id;
    }
    open_if_full(machine, id);
    if (waits) {
        run_others(false);
    }
    return barrier->result;
}

/* ---- Warps */

static void make_if_together(struct machine *machine, struct fiber *any)
{
    struct fiber *first = &machine->fibers[any->number / 32 * 32];
    const int warp = any->number / 32;
    if (any->mask & ~(machine->in_warp[warp] | machine->gone[warp])) {
        return;
    }
    void *brought[32] = {};
    for (int lane = 0; lane < 32 && first->number + lane < machine->count; lane++) {
        struct fiber *other = first + lane;
        if (!(any->mask >> lane & 1) || other->state == ENDED) {
            continue;
        }
        if (other->mask != any->mask || other->made != any->made) {
            cuda_host_fail("lanes %d and %d of a warp meet in different collectives, of masks "
                           "%08x and %08x",
                           any->number % 32, lane, any->mask, other->mask);
        }
        brought[lane] = other->brought;
    }
    any->made(brought, any->mask);
    for (int i = 0; i < 32; i++) {
        const int lane = machine->reverse ? 31 - i : i;
        if (any->mask >> lane & 1 && first->number + lane < machine->count &&
            first[lane].state == IN_WARP) {
            make_ready(first + lane);
        }
    }
}

extern "C" void cuda_host_warp(uint32_t mask, cuda_host_made made, void *brought)
{
    struct fiber *now = own.now;
    if (!(mask >> now->number % 32 & 1)) {
        cuda_host_fail("a lane is not in the mask %08x of its own collective", mask);
    }
    now->state = IN_WARP;
    own.machine->in_warp[now->number / 32] |= 1u << now->number % 32;
    now->mask = mask;
    now->made = made;
    now->brought = brought;
    make_if_together(own.machine, now);
    run_others(false);
}

extern "C" int cuda_host_lane(void)
{
    return own.now->number % 32;
}

extern "C" void cuda_host_wait_for_kernel_ahead(void)
{
    own.now->has_waited = true;
}

extern "C" const cuda_host_place *cuda_host_where(void)
{
    return &own.now->place;
}

extern "C" uint32_t cuda_host_to_shared(const void *memory)
{
    return (uint32_t)((uintptr_t)memory - (uintptr_t)&own);
}

extern "C" void *cuda_host_from_shared(uint32_t place)
{
    return (char *)&own + (int32_t)place;
}

/* ---- Copies */

extern "C" void cuda_host_copy_begin(void *to, const void *from)
{
    struct fiber *now = own.now;
    if (now->copy_count == now->copy_room) {
        now->copy_room = 2 * now->copy_room + 16;
        now->copies = (struct cuda_host_copy *)realloc(now->copies, (size_t)now->copy_room *
                                                                        sizeof *now->copies);
        if (!now->copies) {
            cuda_host_fail("no memory for a copy");
        }
    }
    now->copies[now->copy_count++] = {to, from};
}

extern "C" void cuda_host_copy_wait(void)
{
    struct fiber *now = own.now;
    for (int i = 0; i < now->copy_count; i++) {
        memcpy(now->copies[i].to, now->copies[i].from, 16);
    }
    now->copy_count = 0;
}

/* ---- A block */

static void end_fiber(struct machine *machine)
{
    struct fiber *now = own.now;
    if (now->copy_count) {
        cuda_host_fail("a thread ends with copies under way");
    }
    if (machine->launch->early && !now->has_waited) {
        cuda_host_fail("a thread ends without having waited for the kernel ahead");
    }
    now->state = ENDED;
    machine->ended++;
    machine->gone[now->number / 32] |= 1u << now->number % 32;
    for (int id = 0; id < BARRIERS; id++) {
        if (machine->barriers[id].arrived && machine->barriers[id].threads == 0) {
            open_if_full(machine, id);
        }
    }
    struct fiber *first = &machine->fibers[now->number / 32 * 32];
    for (int lane = 0; machine->in_warp[now->number / 32] && lane < 32; lane++) {
        if (machine->in_warp[now->number / 32] >> lane & 1) {
            make_if_together(machine, first + lane);
        }
    }
    run_others(true);
}

static void begin_fiber(void)
{
#ifdef WITH_ASAN
    struct machine *begun = own.machine;
    const void *from = NULL;
    size_t from_bytes = 0;
    __sanitizer_finish_switch_fiber(NULL, &from, &from_bytes);
    if (!begun->caller_stack) { /* the first fiber of all comes from who launched */
        begun->caller_stack = from;
        begun->caller_stack_bytes = from_bytes;
    }
#endif
    struct machine *machine = own.machine;
    machine->launch->run(machine->launch->argument);
    end_fiber(machine);
    abort(); /* nobody goes on with a fiber that has ended */
}

/* Shared memory is what this library has of variables of its thread, but for the emulator's own:
 * megabytes, of which a kernel has a few pieces. Poisoned are those that its blocks have been seen
 * to write: the first LOOKS of its blocks, and the last of each launch are looked at. */

static void cut(struct machine *machine, char *begin, const char *end)
{
    memset(begin, POISON, (size_t)(end - begin));
    while (begin < end) {
        const size_t left = (size_t)(end - begin);
        if (machine->piece_count == MOST_PIECES) {
            cuda_host_fail("more shared memory than %d pieces", MOST_PIECES);
        }
        const struct piece piece = {begin, left < PIECE_BYTES ? left : PIECE_BYTES};
        machine->pieces[machine->piece_count++] = piece;
        begin += piece.bytes;
    }
}

static int find_shared(struct dl_phdr_info *info, size_t size, void *user)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        char *begin = (char *)info->dlpi_tls_data;
        char *end = begin + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_TLS && begin && (char *)&own >= begin &&
            (char *)&own < end) {
            cut((struct machine *)user, begin, (char *)&own);
            cut((struct machine *)user, (char *)(&own + 1), end);
            return 1;
        }
    }
    return 0;
}

static struct writes *writes_of(struct machine *machine, void (*run)(const void *))
{
    struct writes *writes = &machine->writes[(uintptr_t)run / 16 % MOST_WRITES];
    if (writes->run != run) {
        *writes = {run, {}, 0};
    }
    return writes;
}

static void note_writes(const struct machine *machine, struct writes *writes)
{
    writes->looks++;
    for (int i = 0; i < machine->piece_count; i++) {
        const struct piece *piece = &machine->pieces[i];
        const bool written = memcmp(piece->begin, machine->poison, piece->bytes) != 0;
        writes->pieces[i / 64] |= (uint64_t)written << i % 64;
    }
}

static void poison_writes(const struct machine *machine, const struct writes *writes)
{
    for (int i = 0; i * 64 < machine->piece_count; i++) {
        for (uint64_t left = writes->pieces[i]; left; left &= left - 1) {
            const struct piece *piece = &machine->pieces[i * 64 + __builtin_ctzll(left)];
            memset(piece->begin, POISON, piece->bytes);
        }
    }
}

static void begin_block(struct machine *machine, uint3 block)
{
    const struct cuda_host_launch *launch = machine->launch;
    const dim3 size(launch->block[0], launch->block[1], launch->block[2]);
    const dim3 grid(launch->grid[0], launch->grid[1], launch->grid[2]);
    machine->count = (int)(size.x * size.y * size.z);
    machine->ended = 0;
    memset(machine->in_warp, 0, sizeof machine->in_warp);
    for (int warp = 0; warp * 32 < machine->count; warp++) {
        const int lanes = machine->count - warp * 32;
        machine->gone[warp] = lanes < 32 ? ~0u << lanes : 0; /* those that there never are */
    }
    machine->first_ready = 0;
    machine->ready_count = 0;
    memset(machine->barriers, 0, sizeof machine->barriers);
    for (int i = 0; i < machine->count; i++) {
        const int number = machine->reverse ? machine->count - 1 - i : i;
        const unsigned thread = (unsigned)number;
        struct fiber *fiber = &machine->fibers[number];
        fiber->place = {{thread % size.x, thread / size.x % size.y, thread / size.x / size.y},
                        block,
                        size,
                        grid};
        fiber->number = number;
        fiber->stack = machine->stacks + (size_t)number * (STACK_BYTES + GUARD_BYTES) + GUARD_BYTES;
        fiber->has_waited = false;
        fiber->fake_stack = NULL;
#ifdef WITH_ASAN
        __asan_unpoison_memory_region(fiber->stack, STACK_BYTES);
#endif
        fiber->stack_pointer = new_stack(fiber->stack, begin_fiber);
        make_ready(fiber);
    }
}

static void run_block(struct machine *machine, uint3 block)
{
#ifdef WITH_ASAN
    char *shared = (char *)machine->launch->shared;
    if (shared) {
        __asan_poison_memory_region(shared, CUDA_HOST_MOST_SHARED);
        __asan_unpoison_memory_region(shared, machine->launch->shared_bytes);
    }
#endif
    begin_block(machine, block);
    run_others(false);
#ifdef WITH_ASAN
    if (shared) {
        __asan_unpoison_memory_region(shared, CUDA_HOST_MOST_SHARED);
    }
#endif
}

static void choose_order(struct machine *machine)
{
    const char *order = getenv("FOVEA_CUDA_HOST_ORDER");
    machine->reverse = order && strcmp(order, "reverse") == 0;
    machine->random =
        order && !machine->reverse ? strtoull(order, NULL, 10) * 0x9e3779b97f4a7c15u : 0;
}

/* The stacks stay as long as the process: pages that no fiber reaches are never there. */
static struct machine *machine_of_thread(void)
{
    if (own.machine) {
        return own.machine;
    }
    const size_t bytes = MOST_THREADS * (STACK_BYTES + GUARD_BYTES);
    void *memory = mmap(NULL, sizeof(struct machine), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *stacks = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || stacks == MAP_FAILED) {
        cuda_host_fail("no memory for the threads' stacks");
    }
    own.machine = (struct machine *)memory;
    own.machine->stacks = (char *)stacks;
    for (int i = 0; i < MOST_THREADS; i++) {
        if (mprotect(own.machine->stacks + (size_t)i * (STACK_BYTES + GUARD_BYTES), GUARD_BYTES,
                     PROT_NONE) != 0) {
            cuda_host_fail("no guard below a stack");
        }
    }
    memset(own.machine->poison, POISON, PIECE_BYTES);
    dl_iterate_phdr(find_shared, own.machine);
    return own.machine;
}

extern "C" void cuda_host_run(const struct cuda_host_launch *launch)
{
    struct machine *machine = machine_of_thread();
    const unsigned *block = launch->block;
    if (block[0] * block[1] * block[2] > MOST_THREADS || block[0] * block[1] * block[2] == 0) {
        cuda_host_fail("a block of %u x %u x %u threads", block[0], block[1], block[2]);
    }
    if (launch->shared_bytes > CUDA_HOST_MOST_SHARED || (launch->shared_bytes && !launch->shared)) {
        cuda_host_fail("%zu bytes of shared memory", launch->shared_bytes);
    }
    machine->launch = launch;
    choose_order(machine);
    struct writes *writes = writes_of(machine, launch->run);
    const unsigned all = launch->grid[0] * launch->grid[1] * launch->grid[2];
    unsigned blocks = 0;
    for (unsigned z = 0; z < launch->grid[2]; z++) {
        for (unsigned y = 0; y < launch->grid[1]; y++) {
            for (unsigned x = 0; x < launch->grid[0]; x++) {
                run_block(machine, {x, y, z});
                blocks++;
                if (writes->looks < LOOKS || blocks == all) {
                    note_writes(machine, writes);
                }
                poison_writes(machine, writes);
            }
        }
    }
}

/* ---- Kernels by name */

static struct cuda_host_kernel *kernels;

extern "C" void cuda_host_register(struct cuda_host_kernel *kernel)
{
    kernel->next = kernels;
    kernels = kernel;
}

extern "C" const struct cuda_host_kernel *cuda_host_find(const char *name)
{
    const struct cuda_host_kernel *kernel = kernels;
    while (kernel && strcmp(kernel->name, name) != 0) {
        kernel = kernel->next;
    }
    return kernel;
}

static struct cuda_host_constant *constants;

extern "C" void cuda_host_register_constant(struct cuda_host_constant *constant)
{
    constant->next = constants;
    constants = constant;
}

extern "C" const struct cuda_host_constant *cuda_host_find_constant(const char *name)
{
    const struct cuda_host_constant *constant = constants;
    while (constant && strcmp(constant->name, name) != 0) {
        constant = constant->next;
    }
    return constant;
}

extern "C" bool cuda_host_run_named(const char *name, const unsigned grid[3],
                                    const unsigned block[3], size_t shared_bytes,
                                    const void *params)
{
    const struct cuda_host_kernel *kernel = cuda_host_find(name);
    if (!kernel) {
        return false;
    }
    const struct cuda_host_launch launch = {{grid[0], grid[1], grid[2]},
                                            {block[0], block[1], block[2]},
                                            kernel->shared(),
                                            shared_bytes,
                                            kernel->run,
                                            params};
    cuda_host_run(&launch);
    return true;
}
