# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea.bench --gpus [N]: images a second on 1 GPU and on N.

`threads`: one process, one Foveator, a thread for each GPU. `processes`: one spawned process for each GPU. Both foveate a
batch of torch tensors, which lies on the GPU, again and again. `ray`: fovea.ray.FoveateBatch in an actor for each GPU
(num_gpus=1) of a local cluster; a batch goes from Ray's shared memory to the GPU, and back. All begin at the same time;
each one's images over its own seconds count, summed over the GPUs. `of_one` is that over the rate of one GPU times their
number: 1 where GPUs do not hinder each other.
"""

import multiprocessing
import queue
import sys
import threading
import time
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy as np

import fovea

SIZES = [(84, 84), (128, 128), (224, 224)]
CALLS_BETWEEN_WAITS = 10  # so that the GPU does not wait for Python, nor Python run ahead for seconds
_FAILED_AFTER_S = 120.0

Job = tuple[str, int, tuple[int, int], float]  # device, images of a batch, their size, seconds
Start = Callable[[], Any]


def devices_of(gpus: Optional[int]) -> list[str]:
    """Of torch: as many as are asked for, or all. RuntimeError: there are not so many."""
    try:
        import torch
    except ImportError:
        raise RuntimeError("--gpus needs PyTorch, which is not installed here") from None
    if not torch.cuda.is_available():
        raise RuntimeError("--gpus needs a PyTorch that sees a GPU; here it sees none")
    found = torch.cuda.device_count()
    if gpus is not None and not 1 <= gpus <= found:
        raise RuntimeError(f"--gpus {gpus}: PyTorch sees {found} here")
    return [f"cuda:{i}" for i in range(gpus or found)]


def _name_of(device: str) -> str:
    import torch

    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def _wait_for(device: str) -> None:
    import torch

    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def _foveate_for(foveator: fovea.Foveator, job: Job, start: Start) -> float:
    """Images a second, from when `start` returns on."""
    import torch

    device, count, size, seconds = job
    generator = torch.Generator(device).manual_seed(7)
    images = torch.randint(0, 256, (count, *size, 3), dtype=torch.uint8, device=device, generator=generator)
    gazes = torch.rand((count, 2), device=device, generator=generator)
    out = torch.empty_like(images)
    for _ in range(3):
        foveator(images, gazes, out=out)
    _wait_for(device)
    start()
    calls, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in range(CALLS_BETWEEN_WAITS):
            foveator(images, gazes, out=out)
        _wait_for(device)
        calls += CALLS_BETWEEN_WAITS
    return calls * count / (time.perf_counter() - begin)


def of_threads(jobs: Sequence[Job]) -> list[float]:
    foveator = fovea.Foveator("paper")
    barrier = threading.Barrier(len(jobs))
    rates: list[Any] = [None] * len(jobs)

    def work(i: int) -> None:
        try:
            rates[i] = _foveate_for(foveator, jobs[i], lambda: barrier.wait(_FAILED_AFTER_S))
        except Exception as error:  # noqa: BLE001: raised below, in the thread that asked
            rates[i] = error
            barrier.abort()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _without_errors(rates)


def _in_process(job: Job, barrier: Any, said: Any) -> None:
    try:
        said.put(_foveate_for(fovea.Foveator("paper"), job, lambda: barrier.wait(_FAILED_AFTER_S)))
    except Exception as error:  # noqa: BLE001: raised in the process that asked
        said.put(RuntimeError(f"{type(error).__name__}: {error}"))
        barrier.abort()


def of_processes(jobs: Sequence[Job]) -> list[float]:
    context = multiprocessing.get_context("spawn")
    barrier, said = context.Barrier(len(jobs)), context.Queue()
    processes = [context.Process(target=_in_process, args=(job, barrier, said), daemon=True) for job in jobs]
    for process in processes:
        process.start()
    try:
        rates = [said.get(timeout=_FAILED_AFTER_S + jobs[0][3]) for _ in jobs]
    except queue.Empty:
        raise RuntimeError("a process for a GPU has said nothing") from None
    finally:
        for process in processes:
            process.join(5)
            process.kill()
    return _without_errors(rates)


def _without_errors(rates: Sequence[Any]) -> list[float]:
    errors = [rate for rate in rates if isinstance(rate, Exception)]
    for error in sorted(errors, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error  # the others only waited for it
    return list(rates)


class _Actor:
    """In a process of Ray's, with its GPU alone."""

    def __init__(self, device: str) -> None:
        import fovea.ray

        self.foveate = fovea.ray.FoveateBatch(gaze_column="gaze", device=device)

    def run(self, batch: Any, begin_at: float, seconds: float) -> float:
        """Images a second. begin_at: of the machine's clock; seconds 0: one call, to warm up."""
        time.sleep(max(0.0, begin_at - time.time()))
        images, begin = 0, time.perf_counter()
        while not images or time.perf_counter() - begin < seconds:
            images += len(self.foveate(batch)["image"])
        return images / (time.perf_counter() - begin)


def of_ray(jobs: Sequence[Job]) -> list[float]:
    """A cluster has been started (`_ray_rows`)."""
    import ray

    device, count, size, seconds = jobs[0]
    kind = device.split(":", maxsplit=1)[0]
    rng = np.random.default_rng(7)
    batch = {"image": rng.integers(0, 256, (count, *size, 3), dtype=np.uint8), "gaze": rng.random((count, 2), np.float32)}
    shared = ray.put(batch)
    make: Any = ray.remote(num_gpus=1 if kind == "cuda" else 0)(_Actor)  # which types of Ray do not follow
    actors = [make.remote(kind) for _ in jobs]
    try:
        ray.get([actor.run.remote(shared, 0.0, 0.0) for actor in actors], timeout=_FAILED_AFTER_S)
        begin_at = time.time() + 0.2
        return ray.get([actor.run.remote(shared, begin_at, seconds) for actor in actors], timeout=_FAILED_AFTER_S + seconds)
    finally:
        for actor in actors:
            ray.kill(actor)


def _rows(way: str, of: Callable[[Sequence[Job]], list[float]], jobs: Sequence[Job]) -> Iterator[dict[str, Any]]:
    device, count, (height, width), _ = jobs[0]
    one = 0.0
    for gpus in sorted({1, len(jobs)}):
        rate = sum(of(jobs[:gpus]))
        one = one or rate
        yield {
            "device": _name_of(device),
            "way": way,
            "images": f"{count} x {width}x{height}x3",
            "gpus": gpus,
            "images_a_second": rate,
            "of_one": rate / (one * gpus),
        }


def _ray_rows(batches: Sequence[Sequence[Job]]) -> Iterator[dict[str, Any]]:
    """Through a local cluster; none where Ray is not installed, which is said on stderr."""
    try:
        import ray
    except ImportError:
        print("Ray is not installed here: no rows of it", file=sys.stderr)
        return
    jobs = batches[0]
    mine = not ray.is_initialized()
    if mine:
        gpus = len(jobs) if jobs[0][0].startswith("cuda") else 0
        ray.init(num_cpus=len(jobs) + 1, num_gpus=gpus, include_dashboard=False, log_to_driver=False)
    try:
        for jobs in batches:
            yield from _rows("ray", of_ray, jobs)
    finally:
        if mine:
            ray.shutdown()


def rows(devices: Sequence[str], count: int, sizes: Sequence[tuple[int, int]] = SIZES, seconds: float = 1.0) -> Iterator[dict[str, Any]]:
    """devices: of torch, of one kind; "cpu" stands in for a GPU in tests."""
    batches = [[(device, count, size, seconds) for device in devices] for size in sizes]
    for way, of in (("threads", of_threads), ("processes", of_processes)):
        for jobs in batches:
            yield from _rows(way, of, jobs)
    yield from _ray_rows(batches)
