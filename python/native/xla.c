/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea as functions of XLA programs, for JAX: no Python runs when they are called, and results are
 * XLA's own buffers. fovea/jax.py registers the two handlers and brings arrays into the one form
 * that is known here: images (..., height, width, 1, 3 or 4 colours) without gaps, gazes (..., 2)
 * of float32. Programs are kept in caches and run in other processes, so settings come as text and
 * not as an address; contexts are opened with the first call, and those that were used last are
 * kept. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "fovea_image.h"
#include "xla_ffi.h"

#define MAX_IMAGES 65535 /* of one batch */
#define PROBLEM_BYTES 1024
#define EXPORTED __attribute__((visibility("default")))

/* Called by Python before the handlers are registered. Returns the name of what the library at that
 * path lacks, or NULL. */
EXPORTED const char *fovea_xla_open(const char *path);
EXPORTED struct xla_error *fovea_xla_cpu(struct xla_call *call);
EXPORTED struct xla_error *fovea_xla_cuda(struct xla_call *call);

/* ---- The library: the one that Python has loaded, wherever that was */

#define FUNCTIONS(X)                                                                               \
    X(settings_create)                                                                             \
    X(settings_set)                                                                                \
    X(settings_get)                                                                                \
    X(settings_check)                                                                              \
    X(settings_destroy)                                                                            \
    X(context_create)                                                                              \
    X(context_destroy)                                                                             \
    X(context_run_batch)                                                                           \
    X(context_run_batch_gradient)                                                                  \
    X(format_bytes)                                                                                \
    X(result_name)

static struct {
#define X(name) __typeof__(&fovea_##name) name;
    FUNCTIONS(X)
#undef X
} library;

const char *fovea_xla_open(const char *path)
{
    void *opened = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!opened) {
        return path;
    }
#define X(name)                                                                                    \
    *(void **)&library.name = dlsym(opened, "fovea_" #name);                                       \
    if (!library.name) {                                                                           \
        return "fovea_" #name;                                                                     \
    }
    FUNCTIONS(X)
#undef X
    return NULL;
}

/* ---- Contexts: one for each text of settings and device */

struct opened {
    struct opened *next; /* used before this one */
    int ordinal; /* of the CUDA device; CPU_DEVICE */
    unsigned users; /* calls that have it; under all_lock */
    pthread_mutex_t lock; /* of what follows; a context is for one thread at a time */
    struct fovea_context *context;
    char problem[PROBLEM_BYTES]; /* logged last: the library says the same one once */
    char settings[]; /* path=value with tabs between; #path=digest, for what is in a file */
};

enum {
    CPU_DEVICE = -1,
    MOST_OPEN = 16, /* each has threads and memory of its own; more where more are in use */
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct opened *all; /* the one that was used last is the first */

static void keep_problem(void *user, enum fovea_log_level level, const char *message)
{
    (void)level;
    struct opened *opened = user;
    snprintf(opened->problem, sizeof opened->problem, "%s", message);
}

static struct fovea_log log_of(struct opened *opened)
{
    return (struct fovea_log){.fn = keep_problem, .user = opened, .min_level = FOVEA_LOG_WARNING};
}

static bool is_of(const struct opened *opened, struct xla_text text, int ordinal)
{
    return opened->ordinal == ordinal && strlen(opened->settings) == text.len &&
           memcmp(opened->settings, text.ptr, text.len) == 0;
}

static struct opened *make(struct xla_text text, int ordinal)
{
    struct opened *made = calloc(1, sizeof *made + text.len + 1);
    if (made) {
        memcpy(made->settings, text.ptr, text.len);
        made->ordinal = ordinal;
        pthread_mutex_init(&made->lock, NULL);
    }
    return made;
}

/* Takes the one that nobody uses and that was used before all others out of the list; NULL where
 * there are not too many. Under all_lock. */
static struct opened *take_oldest(void)
{
    unsigned count = 0;
    struct opened **oldest = NULL;
    for (struct opened **at = &all; *at; at = &(*at)->next) {
        count++;
        oldest = (*at)->users == 0 ? at : oldest;
    }
    if (count <= MOST_OPEN || !oldest) {
        return NULL;
    }
    struct opened *taken = *oldest;
    *oldest = taken->next;
    return taken;
}

static void destroy(struct opened *opened)
{
    if (opened) {
        library.context_destroy(&opened->context);
        pthread_mutex_destroy(&opened->lock);
        free(opened);
    }
}

/* The caller gives it back. NULL: no memory. */
static struct opened *take_opened(struct xla_text text, int ordinal)
{
    pthread_mutex_lock(&all_lock);
    struct opened **at = &all;
    while (*at && !is_of(*at, text, ordinal)) {
        at = &(*at)->next;
    }
    struct opened *found = *at;
    if (found) {
        *at = found->next;
    } else {
        found = make(text, ordinal);
    }
    struct opened *oldest = NULL;
    if (found) {
        found->users++;
        found->next = all;
        all = found;
        oldest = take_oldest();
    }
    pthread_mutex_unlock(&all_lock);
    destroy(oldest); /* waits for what is under way on its device */
    return found;
}

static void give_back(struct opened *opened)
{
    pthread_mutex_lock(&all_lock);
    opened->users--;
    pthread_mutex_unlock(&all_lock);
}

static enum fovea_result set_line(struct opened *opened, struct fovea_settings *settings,
                                  const char *line, size_t length)
{
    char *path = strndup(line, length);
    char *value = path ? strchr(path, '=') : NULL;
    enum fovea_result result = path ? FOVEA_ERROR_CONFIG : FOVEA_ERROR_OUT_OF_MEMORY;
    if (value) {
        *value++ = '\0';
        result = library.settings_set(settings, path, value, log_of(opened));
    }
    free(path);
    return result;
}

static enum fovea_result set_lines(struct opened *opened, struct fovea_settings *settings)
{
    enum fovea_result result = FOVEA_OK;
    for (const char *line = opened->settings; *line && result >= 0;) {
        const size_t length = strcspn(line, "\t");
        result = *line == '#' ? result : set_line(opened, settings, line, length);
        line += length + (line[length] == '\t');
    }
    return result < 0 ? result : library.settings_check(settings, log_of(opened));
}

/* Whether the line is not of a setting's file, "#path=digest", or that file is what it was. */
static bool file_is_same(struct opened *opened, const struct fovea_settings *settings,
                         const char *line, size_t length)
{
    char file[FOVEA_SETTING_TEXT_MAX];
    char digest[DIGEST_SIZE];
    char *path = strndup(line + 1, length - 1);
    char *value = path ? strchr(path, '=') : NULL;
    bool is_same = path != NULL;
    if (value) {
        *value++ = '\0';
        if (library.settings_get(settings, path, file, sizeof file) == FOVEA_OK) {
            digest_of_file(file, digest);
            is_same = strcmp(value, digest) == 0;
        }
    }
    if (path && !is_same) {
        snprintf(opened->problem, sizeof opened->problem,
                 "%s: %.800s has changed since the Foveator was made: make a new one", path, file);
    }
    free(path);
    return is_same;
}

/* Programs may run long after their Foveator was made, and again after their context was closed. */
static enum fovea_result check_files(struct opened *opened, const struct fovea_settings *settings)
{
    bool are_same = true;
    for (const char *line = opened->settings; *line && are_same;) {
        const size_t length = strcspn(line, "\t");
        are_same = *line != '#' || file_is_same(opened, settings, line, length);
        line += length + (line[length] == '\t');
    }
    return are_same ? FOVEA_OK : FOVEA_ERROR_CONFIG;
}

static enum fovea_result open_context(struct opened *opened)
{
    struct fovea_settings *settings = NULL;
    enum fovea_result result = library.settings_create(&settings);
    if (result >= 0) {
        result = set_lines(opened, settings);
    }
    if (result >= 0) {
        struct fovea_context_desc desc;
        fovea_context_desc_init(&desc);
        desc.settings = settings;
        desc.cuda_device = opened->ordinal == CPU_DEVICE ? 0 : opened->ordinal;
        desc.log = log_of(opened);
        result = library.context_create(&desc, &opened->context);
    }
    if (result >= 0) {
        result = check_files(opened, settings); /* now that they have been read */
    }
    if (result < 0) {
        library.context_destroy(&opened->context);
    }
    library.settings_destroy(&settings);
    return result;
}

/* ---- What XLA hands over */

static struct xla_error *fail(const struct xla_call *call, int code, const char *message)
{
    struct xla_error_args args = {.struct_size = sizeof args, .message = message, .code = code};
    return call->api->error_create(&args);
}

static struct xla_error *fail_by(const struct xla_call *call, enum fovea_result result,
                                 const char *problem)
{
    char text[PROBLEM_BYTES + 64];
    snprintf(text, sizeof text, "foveate: %s", *problem ? problem : library.result_name(result));
    switch (result) {
    case FOVEA_ERROR_INVALID_ARGUMENT:
    case FOVEA_ERROR_CONFIG:
        return fail(call, XLA_INVALID_ARGUMENT, text);
    case FOVEA_ERROR_UNSUPPORTED:
        return fail(call, XLA_UNIMPLEMENTED, text);
    case FOVEA_ERROR_OUT_OF_MEMORY:
        return fail(call, XLA_RESOURCE_EXHAUSTED, text);
    default:
        return fail(call, XLA_INTERNAL, text);
    }
}

static const void *attribute(const struct xla_call *call, const char *name, int type)
{
    const struct xla_attributes *all_of_call = &call->attributes;
    for (int64_t i = 0; i < all_of_call->size; i++) {
        if (all_of_call->types[i] == type && all_of_call->names[i]->len == strlen(name) &&
            memcmp(all_of_call->names[i]->ptr, name, strlen(name)) == 0) {
            return all_of_call->items[i];
        }
    }
    return NULL;
}

/* XLA has compared nothing: what a program of another version asks for is refused here. */
static enum fovea_format format_of(int type, int64_t colours)
{
    static const struct {
        int type;
        enum fovea_format of[5]; /* by colours */
    } formats[] = {
        {XLA_U8, {[1] = FOVEA_FORMAT_R8, [3] = FOVEA_FORMAT_RGB8, [4] = FOVEA_FORMAT_RGBA8}},
        {XLA_U16, {[1] = FOVEA_FORMAT_R16, [3] = FOVEA_FORMAT_RGB16, [4] = FOVEA_FORMAT_RGBA16}},
        {XLA_F16, {[1] = FOVEA_FORMAT_R16F, [3] = FOVEA_FORMAT_RGB16F, [4] = FOVEA_FORMAT_RGBA16F}},
        {XLA_F32, {[1] = FOVEA_FORMAT_R32F, [3] = FOVEA_FORMAT_RGB32F, [4] = FOVEA_FORMAT_RGBA32F}},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].type == type && colours >= 0 && colours <= 4) {
            return formats[i].of[colours];
        }
    }
    return FOVEA_FORMAT_NONE;
}

struct images {
    struct fovea_image first;
    int64_t count;
    ptrdiff_t next_bytes;
};

static bool take_images(const struct xla_buffer *buffer, enum fovea_memory memory,
                        struct images *out)
{
    if (buffer->rank < 3) {
        return false;
    }
    const int64_t *size = buffer->dims + buffer->rank - 3; /* height, width, colours */
    const enum fovea_format format = format_of(buffer->type, size[2]);
    if (format == FOVEA_FORMAT_NONE || size[0] < 1 || size[0] > 16384 || size[1] < 1 ||
        size[1] > 16384) {
        return false;
    }
    const ptrdiff_t row = (ptrdiff_t)(library.format_bytes(format) * (size_t)size[1]);
    *out = (struct images){.first = {.data = buffer->data,
                                     .width_px = (uint32_t)size[1],
                                     .height_px = (uint32_t)size[0],
                                     .format = format,
                                     .memory = memory,
                                     .row_stride_bytes = row},
                           .count = 1,
                           .next_bytes = row * size[0]};
    for (int64_t i = 0; i < buffer->rank - 3; i++) {
        out->count *= buffer->dims[i];
    }
    return true;
}

/* A pair for each image, in the dimensions of images that have so many; or several, in one more. */
static bool take_gazes(const struct xla_buffer *buffer, int64_t dimensions, int64_t count,
                       uint32_t *out_foveas)
{
    const bool several = buffer->rank == dimensions + 2;
    const int64_t foveas = several ? buffer->dims[dimensions] : 1;
    int64_t values = 1;
    for (int64_t i = 0; i < buffer->rank; i++) {
        values *= buffer->dims[i];
    }
    *out_foveas = (uint32_t)foveas;
    return buffer->type == XLA_F32 && (several || buffer->rank == dimensions + 1) && foveas >= 1 &&
           foveas <= FOVEA_FOVEAS_MAX && values == 2 * foveas * count;
}

static bool alike(const struct images *a, const struct images *b)
{
    return a->count == b->count && a->next_bytes == b->next_bytes &&
           a->first.format == b->first.format && a->first.width_px == b->first.width_px;
}

/* ---- The call */

/* A call makes this: its attribute "wanted", and its arguments and result. */
enum wanted {
    SEEN = 0, /* of images and gazes */
    D_IMAGES = 1, /* of the derivatives of what was seen, and gazes */
    D_GAZES = 2, /* of images, the derivatives of what was seen, and gazes */
};

struct work {
    enum wanted wanted;
    struct images images; /* read, or written for D_IMAGES */
    struct images seen; /* written for SEEN; else its derivatives, read */
    float *gazes;
    float *d_gazes;
    uint32_t foveas; /* pairs of both for each image */
    enum fovea_memory memory;
    void *stream;
};

static void *part(const struct images *images, int64_t first)
{
    return (char *)images->first.data + first * images->next_bytes;
}

static enum fovea_result run_batch(struct fovea_context *context, const struct work *work,
                                   int64_t first, uint32_t count)
{
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = count;
    batch.src = work->images.first;
    batch.src.data = part(&work->images, first);
    batch.src_next_bytes = work->images.next_bytes;
    batch.dst = work->seen.first;
    batch.dst.data = part(&work->seen, first);
    batch.dst_next_bytes = work->seen.next_bytes;
    batch.gazes_memory = work->memory;
    batch.gazes_uv = work->gazes + 2 * first * work->foveas;
    batch.fovea_count = work->foveas;
    return library.context_run_batch(context, &batch, work->stream);
}

static enum fovea_result run_gradient(struct fovea_context *context, const struct work *work,
                                      int64_t first, uint32_t count)
{
    struct fovea_batch_gradient batch;
    fovea_batch_gradient_init(&batch);
    batch.count = count;
    batch.src = batch.d_src = work->images.first;
    batch.src.data = work->wanted == D_GAZES ? part(&work->images, first) : NULL;
    batch.d_src.data = work->wanted == D_IMAGES ? part(&work->images, first) : NULL;
    batch.src_next_bytes = batch.d_src_next_bytes = work->images.next_bytes;
    batch.d_dst = work->seen.first;
    batch.d_dst.data = part(&work->seen, first);
    batch.d_dst_next_bytes = work->seen.next_bytes;
    batch.gazes_memory = work->memory;
    batch.gazes_uv = work->gazes + 2 * first * work->foveas;
    batch.fovea_count = work->foveas;
    batch.d_gazes_uv = work->wanted == D_GAZES ? work->d_gazes + 2 * first * work->foveas : NULL;
    return library.context_run_batch_gradient(context, &batch, work->stream);
}

static enum fovea_result foveate(struct fovea_context *context, const struct work *work)
{
    enum fovea_result result = FOVEA_OK;
    for (int64_t first = 0; first < work->images.count && result >= 0; first += MAX_IMAGES) {
        const int64_t left = work->images.count - first;
        const uint32_t count = (uint32_t)(left < MAX_IMAGES ? left : MAX_IMAGES);
        result = work->wanted == SEEN ? run_batch(context, work, first, count)
                                      : run_gradient(context, work, first, count);
    }
    return result;
}

static bool take(const struct xla_call *call, struct work *out)
{
    const struct xla_scalar *wanted = attribute(call, "wanted", XLA_ATTRIBUTE_SCALAR);
    if (!wanted || wanted->type != XLA_S64 || *(const int64_t *)wanted->value < SEEN ||
        *(const int64_t *)wanted->value > D_GAZES || call->results.size != 1 ||
        call->arguments.size != (*(const int64_t *)wanted->value == D_GAZES ? 3 : 2)) {
        return false;
    }
    out->wanted = (enum wanted)(*(const int64_t *)wanted->value);
    const struct xla_buffer *first = call->arguments.items[0];
    const struct xla_buffer *second = call->arguments.items[1];
    const struct xla_buffer *result = call->results.items[0];
    const struct xla_buffer *gazes = call->arguments.items[call->arguments.size - 1];
    const struct xla_buffer *images = out->wanted == D_IMAGES ? result : first;
    const int64_t dimensions = images->rank - 3; /* whose product is their number */
    const struct xla_buffer *seen = out->wanted == SEEN       ? result
                                    : out->wanted == D_IMAGES ? first
                                                              : second;
    if (!take_images(images, out->memory, &out->images) ||
        !take_images(seen, out->memory, &out->seen) || !alike(&out->images, &out->seen) ||
        !take_gazes(gazes, dimensions, out->images.count, &out->foveas)) {
        return false;
    }
    out->gazes = gazes->data;
    out->d_gazes = result->data;
    uint32_t written = out->foveas;
    return out->wanted != D_GAZES ||
           (take_gazes(result, dimensions, out->images.count, &written) && written == out->foveas);
}

static struct xla_error *run(const struct xla_call *call, int ordinal, struct work *work)
{
    const struct xla_text *text = attribute(call, "settings", XLA_ATTRIBUTE_STRING);
    if (!text || !take(call, work)) {
        return fail(call, XLA_INVALID_ARGUMENT,
                    "foveate: a program of another version of Fovea's Python package");
    }
    struct opened *opened = take_opened(*text, ordinal);
    if (!opened) {
        return fail(call, XLA_RESOURCE_EXHAUSTED, "foveate: out of memory");
    }
    pthread_mutex_lock(&opened->lock);
    enum fovea_result result = opened->context ? FOVEA_OK : open_context(opened);
    if (result >= 0) {
        result = foveate(opened->context, work);
    }
    struct xla_error *error = result < 0 ? fail_by(call, result, opened->problem) : NULL;
    pthread_mutex_unlock(&opened->lock);
    give_back(opened);
    return error;
}

/* XLA refuses a handler that is newer than itself; what is read here is the same since 0.1. */
static bool answers_metadata(const struct xla_call *call)
{
    const struct xla_extension *extension = call->extensions;
    if (!extension || extension->type != XLA_EXTENSION_METADATA) {
        return false;
    }
    struct xla_metadata *metadata = ((const struct xla_metadata_extension *)extension)->metadata;
    metadata->version.major = 0;
    metadata->version.minor = call->api ? call->api->version.minor : 1;
    metadata->traits = 0;
    if (metadata->struct_size > offsetof(struct xla_metadata, state_type)) {
        metadata->state_type = 0;
    }
    return true;
}

struct xla_error *fovea_xla_cpu(struct xla_call *call)
{
    struct work work = {.memory = FOVEA_MEMORY_CPU};
    return answers_metadata(call) ? NULL : run(call, CPU_DEVICE, &work);
}

struct xla_error *fovea_xla_cuda(struct xla_call *call)
{
    if (answers_metadata(call)) {
        return NULL;
    }
    const struct xla_api *api = call->api;
    if (api->struct_size < offsetof(struct xla_api, ordinal_get) + sizeof api->ordinal_get) {
        return fail(call, XLA_UNIMPLEMENTED, "foveate: CUDA needs jaxlib 0.6 or newer");
    }
    struct xla_ordinal_args device = {.struct_size = sizeof device, .execution = call->execution};
    struct xla_stream_args stream = {.struct_size = sizeof stream, .execution = call->execution};
    struct xla_error *error = api->ordinal_get(&device);
    if (!error) {
        error = api->stream_get(&stream);
    }
    struct work work = {.memory = FOVEA_MEMORY_CUDA, .stream = stream.stream};
    return error ? error : run(call, device.ordinal, &work);
}
