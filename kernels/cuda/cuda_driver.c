/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_driver.h"

#include "core/process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static const char driver_library[] = "libcuda.so.1";

struct symbol {
    const char *name;
    int since;
    size_t offset;
};

static const struct symbol symbols[] = {
#define SYMBOL(name, since) {"cu" #name, since, offsetof(struct cuda_driver, name)},
    CUDA_DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

/* One driver a process: CUDA itself has no other notion of it. */
static struct {
    pthread_mutex_t mutex;
    bool loaded;
    bool initialised;
    pid_t process;
    struct cuda_driver driver;
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

enum fovea_result cuda_result(CUresult result)
{
    switch ((int)result) {
    case CUDA_SUCCESS:
        return FOVEA_OK;
    case CUDA_ERROR_NOT_READY:
        return FOVEA_NOT_READY;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return FOVEA_ERROR_OUT_OF_MEMORY;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_NOT_PERMITTED:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return FOVEA_ERROR_UNSUPPORTED;
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return FOVEA_ERROR_DEVICE_LOST;
    default:
        return FOVEA_ERROR_INTERNAL;
    }
}

/* Says what the loss of a context means, for whoever reads the log; "" if none is lost. The first
 * call that fails so sets the level, and is the one that counts. */
static const char *take_loss(const struct cuda_driver *cu, CUresult result,
                             enum fovea_log_level *out_level)
{
    *out_level = FOVEA_LOG_ERROR;
    if (!cu->loss) {
        return "";
    }
    const bool losing = cuda_result(result) == FOVEA_ERROR_DEVICE_LOST;
    if (losing ? atomic_exchange(&cu->loss->lost, true) : atomic_load(&cu->loss->lost)) {
        *out_level = FOVEA_LOG_DEBUG;
        return "";
    }
    if (!losing) {
        return "";
    }
    return cu->loss->own
               ? "; Fovea's own CUDA context is lost, the program's is not touched"
               : "; the device's primary CUDA context is lost, and every call in it fails "
                 "from now on, the program's own too, until the program ends or resets "
                 "the device";
}

void cuda_warn(struct fovea_log log, const struct cuda_driver *cu, CUresult result,
               const char *call, const char *file, int line)
{
    if (cuda_result(result) >= 0) {
        return;
    }
    enum fovea_log_level level;
    const char *loss = take_loss(cu, result, &level);
    const char *name = NULL;
    const char *meaning = NULL;
    if (cu->GetErrorName(result, &name) != CUDA_SUCCESS || !name) {
        name = "unknown error";
    }
    if (cu->GetErrorString(result, &meaning) != CUDA_SUCCESS || !meaning) {
        meaning = "";
    }
    const char *slash = strrchr(file, '/');
    log_write(log, level, "cuda: %s: %s (%d) %s [%s:%d]%s", call, name, (int)result, meaning,
              slash ? slash + 1 : file, line, loss);
}

enum fovea_result cuda_check(struct fovea_log log, const struct cuda_driver *cu, CUresult result,
                             const char *call, const char *file, int line)
{
    cuda_warn(log, cu, result, call, file, line);
    return cuda_result(result);
}

static enum fovea_result load_symbols(void *library, struct fovea_log log,
                                      struct cuda_driver *driver)
{
    PFN_cuGetProcAddress_v12000 get_address = NULL;
    void *entry = dlsym(library, "cuGetProcAddress_v2");
    if (!entry) {
        log_info(log, "cuda: the driver is older than CUDA 12 (no cuGetProcAddress_v2)");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    memcpy(&get_address, &entry, sizeof entry);

    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *function = NULL;
        CUresult result = get_address(symbols[i].name, &function, symbols[i].since,
                                      CU_GET_PROC_ADDRESS_DEFAULT, NULL);
        if (result != CUDA_SUCCESS || !function) {
            log_info(log, "cuda: the driver has no %s of CUDA %d.%d", symbols[i].name,
                     symbols[i].since / 1000, symbols[i].since % 1000 / 10);
            return FOVEA_ERROR_UNSUPPORTED;
        }
        memcpy((char *)driver + symbols[i].offset, &function, sizeof function);
    }
    return FOVEA_OK;
}

enum fovea_result cuda_driver_load(const char *library, struct fovea_log log,
                                   struct cuda_driver *out_driver)
{
    memset(out_driver, 0, sizeof *out_driver);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        log_info(log, "cuda: no driver: %s", dlerror());
        return FOVEA_ERROR_UNSUPPORTED;
    }
    enum fovea_result result = load_symbols(handle, log, out_driver);
    if (result != FOVEA_OK) {
        memset(out_driver, 0, sizeof *out_driver);
        dlclose(handle);
    }
    return result;
}

static enum fovea_result initialise(struct fovea_log log, struct cuda_driver *driver)
{
    CUresult status = driver->Init(0);
    if (status != CUDA_SUCCESS) {
        const char *name = NULL;
        driver->GetErrorName(status, &name);
        log_info(log, "cuda: the driver does not start: %s", name ? name : "unknown error");
        return FOVEA_ERROR_UNSUPPORTED;
    }
    CU_TRY(log, driver, driver->DriverGetVersion(&driver->version));
    return FOVEA_OK;
}

static enum fovea_result open_locked(struct fovea_log log)
{
    if (shared.initialised) {
        if (process_is_child_of(shared.process)) {
            log_info(log, "cuda: a forked process cannot use the CUDA that its parent opened");
            return FOVEA_ERROR_UNSUPPORTED;
        }
        return FOVEA_OK;
    }
    if (!shared.loaded) {
        FOVEA_TRY(cuda_driver_load(driver_library, log, &shared.driver));
        shared.loaded = true;
    }
    FOVEA_TRY(initialise(log, &shared.driver));
    shared.process = getpid();
    shared.initialised = true;
    return FOVEA_OK;
}

enum fovea_result cuda_driver_get(struct fovea_log log, const struct cuda_driver **out_driver)
{
    pthread_mutex_lock(&shared.mutex);
    enum fovea_result result = open_locked(log);
    pthread_mutex_unlock(&shared.mutex);
    *out_driver = result == FOVEA_OK ? &shared.driver : NULL;
    return result;
}
