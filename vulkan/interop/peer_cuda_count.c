/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Counts the jobs that are over. The device itself writes the count: the stream's last step of each
 * job stores its number in a page of the process's own. CUDA takes back what it has allocated when
 * it goes, at the end of the program at the latest, but not a page that it was only lent; so a
 * reader of the number need not know whether CUDA is still there. The page is shared, and not
 * copied when the program forks and either side writes. */

#include "peer_cuda_state.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static enum fovea_result lend(struct cuda_peer *peer, void *page)
{
    const struct cuda_driver *cu = peer->cu;
    CU_TRY(peer->log, cu,
           cu->MemHostRegister(page, page_bytes(),
                               CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
    enum fovea_result result =
        CU_CHECK(peer->log, cu, cu->MemHostGetDevicePointer(&peer->count_device, page, 0));
    if (result == FOVEA_OK) { /* not every device can; this one says so now */
        result = CU_CHECK(peer->log, cu,
                          cu->StreamWriteValue32(peer->stream, peer->count_device, 0,
                                                 CU_STREAM_WRITE_VALUE_DEFAULT));
    }
    if (result != FOVEA_OK) {
        CU_WARN(peer->log, cu, cu->MemHostUnregister(page));
    }
    return result;
}

void peer_cuda_count_create(struct cuda_peer *peer)
{
    void *page =
        mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return;
    }
    if (lend(peer, page) != FOVEA_OK) {
        munmap(page, page_bytes());
        return;
    }
    peer->base.over = page;
}

void peer_cuda_count_destroy(struct cuda_peer *peer)
{
    void *page = (void *)(uintptr_t)peer->base.over;
    if (page) {
        CU_WARN(peer->log, peer->cu, peer->cu->MemHostUnregister(page));
        munmap(page, page_bytes());
        peer->base.over = NULL;
    }
}

/* After the signal, which it must not delay. Without it the job is done all the same. */
void peer_cuda_count(struct cuda_peer *peer, const struct peer_job *job)
{
    if (peer->base.over) {
        CU_WARN(peer->log, peer->cu,
                peer->cu->StreamWriteValue32(peer->stream, peer->count_device, job->number,
                                             CU_STREAM_WRITE_VALUE_DEFAULT));
    }
}
