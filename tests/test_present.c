/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* When frames were on the screen, by a driver of the test's own and a journal that keeps what it is
 * told. */
#include "cmocka_all.h"
#include "plugin/fovea_present.h"
#include "plugin/record/record.h"

#include <stdatomic.h>
#include <sys/wait.h>

#define FRAMES 8
#define REFRESH_NS 10000000
#define LATEST_READY ((VkPresentModeKHR)1000361000) /* which older headers do not have */

/* ---- The journal ----------------------------------------------------------------------------- */

struct fovea_vk {
    uint64_t frame;
};

static struct {
    struct record_shown shown[FRAMES];
    atomic_int times[FRAMES];
} told;

uint64_t frame_journal_frame(const struct fovea_vk *fovea);
void frame_journal_expect(struct fovea_vk *fovea, enum record_shown_by by);
void frame_journal_shown(struct fovea_vk *fovea, uint64_t frame, const struct record_shown *shown);

uint64_t frame_journal_frame(const struct fovea_vk *fovea)
{
    return fovea->frame;
}

void frame_journal_expect(struct fovea_vk *fovea, enum record_shown_by by)
{
}

void frame_journal_shown(struct fovea_vk *fovea, uint64_t frame, const struct record_shown *shown)
{
    told.shown[frame] = *shown;
    atomic_fetch_add(&told.times[frame], 1);
}

/* ---- The driver ------------------------------------------------------------------------------ */

static struct {
    uint32_t id; /* of the present that it tells of next; 0: of none */
    int64_t t_ns; /* that it tells */
    uint32_t calls;
    _Atomic uint64_t shown; /* waits for numbers up to this one end */
} driver;

static VKAPI_ATTR VkResult VKAPI_CALL past(VkDevice device, VkSwapchainKHR swapchain,
                                           uint32_t *count, VkPastPresentationTimingGOOGLE *out)
{
    driver.calls++;
    *count = driver.id != 0;
    if (driver.id != 0) {
        driver.t_ns = fovea_time_ns();
        out[0] = (VkPastPresentationTimingGOOGLE){.presentID = driver.id,
                                                  .actualPresentTime = (uint64_t)driver.t_ns};
    }
    driver.id = 0;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL refresh(VkDevice device, VkSwapchainKHR swapchain,
                                              VkRefreshCycleDurationGOOGLE *out)
{
    driver.calls++;
    out->refreshDuration = REFRESH_NS;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for(VkDevice device, VkSwapchainKHR swapchain,
                                               uint64_t id, uint64_t timeout_ns)
{
    if (atomic_load(&driver.shown) >= id) {
        return VK_SUCCESS;
    }
    usleep(1000);
    return VK_TIMEOUT;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find(VkDevice device, const char *name)
{
    return strcmp(name, "vkGetPastPresentationTimingGOOGLE") == 0 ? (PFN_vkVoidFunction)past
           : strcmp(name, "vkGetRefreshCycleDurationGOOGLE") == 0 ? (PFN_vkVoidFunction)refresh
           : strcmp(name, "vkWaitForPresentKHR") == 0             ? (PFN_vkVoidFunction)wait_for
                                                                  : NULL;
}

static struct fovea_present *open(enum fovea_present_way way, VkPresentModeKHR mode)
{
    struct fovea_present_desc desc;
    struct fovea_present *present = NULL;
    memset(&told, 0, sizeof told);
    memset(&driver, 0, sizeof driver);
    fovea_present_desc_init(&desc);
    desc.device = (VkDevice)&driver;
    desc.get_device_proc_addr = find;
    desc.swapchain = (VkSwapchainKHR)1;
    desc.mode = mode;
    desc.way = way;
    assert_ok(fovea_present_create(&desc, &present));
    return present;
}

static uint64_t show(struct fovea_present *present, struct fovea_vk *fovea, uint64_t own_id)
{
    const uint64_t id = fovea_present_begin(present, fovea, own_id);
    fovea_present_end(present, VK_SUCCESS);
    return id;
}

static bool is_told(uint64_t frame)
{
    for (int i = 0; i < 2000 && atomic_load(&told.times[frame]) == 0; i++) {
        usleep(1000);
    }
    return atomic_load(&told.times[frame]) == 1;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

/* A program presents its picture all the same where a frame could not be made. */
TEST(a_frame_is_watched_once_and_other_pictures_are_noted)
{
    struct fovea_present *present =
        open(FOVEA_PRESENT_DISPLAY_TIMING, VK_PRESENT_MODE_FIFO_RELAXED_KHR);
    struct fovea_vk fovea = {.frame = 1};
    const uint64_t first = show(present, &fovea, 0);
    assert_true(first != 0);
    assert_true(show(present, &fovea, 0) == 0);
    driver.id = (uint32_t)first;
    fovea.frame = 2;
    driver.id = (uint32_t)show(present, &fovea, 0);
    const int64_t first_ns = driver.t_ns;
    fovea.frame = 3;
    driver.id = (uint32_t)show(present, &fovea, 0);
    fovea_present_end(present, VK_SUCCESS); /* of a picture that nobody has begun */
    fovea.frame = 4;
    assert_true(show(present, &fovea, 0) != 0);
    fovea_present_destroy(&present);
    for (uint64_t i = 1; i <= 4; i++) {
        assert_int_equal(told.times[i], 1);
    }
    assert_true(told.shown[1].t_ns == first_ns && told.shown[1].refresh_ns == REFRESH_NS);
    assert_true(told.shown[2].t_ns > first_ns && told.shown[3].t_ns > told.shown[2].t_ns);
    assert_true(told.shown[1].after_others && told.shown[2].after_others &&
                !told.shown[3].after_others && told.shown[4].after_others);
}

TEST(numbers_of_the_programs_own_may_be_high)
{
    OWNED(fovea_present_destroy)
    struct fovea_present *present = open(FOVEA_PRESENT_DISPLAY_TIMING, VK_PRESENT_MODE_MAILBOX_KHR);
    struct fovea_vk fovea = {.frame = 1};
    assert_true(show(present, &fovea, 0xfffffff0) == 0xfffffff0);
    fovea.frame = 2;
    assert_true(show(present, &fovea, 0xfffffff1) == 0xfffffff1);
    assert_int_equal(told.times[1], 0);
    driver.id = 0xfffffff1;
    fovea.frame = 3;
    assert_true(show(present, &fovea, 0xfffffff2) == 0xfffffff2);
    assert_true(told.times[2] == 1 && told.shown[2].t_ns != 0);
    fovea.frame = 4;
    assert_true(show(present, &fovea, 0xfffffff3) == 0xfffffff3);
    assert_true(told.times[1] == 1 && told.shown[1].dropped && told.times[3] == 0);
}

/* How a picture gets another one after it before the thread wakes. */
enum next { NEXT_ENDED, NEXT_BEGUN, NEXT_NO_FRAME, NEXT_COUNT };

static bool is_known_before(VkPresentModeKHR mode, enum next next)
{
    struct fovea_present *present = open(FOVEA_PRESENT_WAIT, mode);
    struct fovea_vk fovea = {.frame = 1};
    const uint64_t id = show(present, &fovea, 0);
    if (next == NEXT_NO_FRAME) {
        fovea_present_end(present, VK_SUCCESS);
    } else {
        fovea.frame = 2;
        assert_true(fovea_present_begin(present, &fovea, 0) == id + 1);
    }
    if (next == NEXT_ENDED) {
        fovea_present_end(present, VK_SUCCESS);
    }
    atomic_store(&driver.shown, id);
    assert_true(is_told(1));
    const bool known = told.shown[1].t_ns != 0;
    if (next == NEXT_BEGUN) {
        fovea_present_end(present, VK_SUCCESS);
    }
    atomic_store(&driver.shown, id + 1);
    assert_true(next == NEXT_NO_FRAME || (is_told(2) && told.shown[2].t_ns != 0));
    fovea_present_destroy(&present);
    return known;
}

TEST(a_picture_that_may_have_been_replaced_is_not_called_shown)
{
    static const VkPresentModeKHR all[] = {
        VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_FIFO_RELAXED_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR};
    for (int next = NEXT_ENDED; next < NEXT_COUNT; next++) {
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            assert_true(is_known_before(all[i], (enum next)next));
        }
        assert_false(is_known_before(VK_PRESENT_MODE_MAILBOX_KHR, (enum next)next));
        assert_false(is_known_before(LATEST_READY, (enum next)next));
    }
}

TEST(in_the_child_of_a_fork_nothing_is_asked)
{
    OWNED(fovea_present_destroy)
    struct fovea_present *present = open(FOVEA_PRESENT_DISPLAY_TIMING, VK_PRESENT_MODE_FIFO_KHR);
    struct fovea_vk fovea = {.frame = 1};
    assert_true(fovea_present_begin(present, &fovea, 0) != 0);
    const pid_t child = fork();
    if (child == 0) {
        fovea_present_end(present, VK_SUCCESS); /* what the parent has begun */
        fovea.frame = 2;
        _exit(show(present, &fovea, 0) == 0 && driver.calls == 0 ? 0 : 1);
    }
    int status = -1;
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    fovea_present_end(present, VK_SUCCESS);
    assert_true(driver.calls > 0);
}
