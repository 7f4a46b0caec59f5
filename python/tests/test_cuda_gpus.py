# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Several GPUs in one process. Skipped where torch sees fewer than two."""

import threading

import pytest

import fovea

torch = pytest.importorskip("torch")
if torch.cuda.device_count() < 2:
    pytest.skip(f"torch sees {torch.cuda.device_count()} GPUs", allow_module_level=True)
try:
    fovea.Foveator({"backend": "cuda"}).open()
except fovea.FoveaError as error:
    pytest.skip(f"no backend cuda: {error}", allow_module_level=True)

DEVICES = ["cuda:0", "cuda:1"]


def batch(*shape, dtype=torch.uint8):
    """The same on each device, from the CPU's memory."""
    generator = torch.Generator().manual_seed(11)
    images = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    images = images if dtype == torch.uint8 else images.to(dtype) / 255
    gazes = torch.rand((shape[0], 2), generator=generator)
    return [(images.to(device), gazes.to(device)) for device in DEVICES]


@pytest.mark.parametrize("size", [(84, 84), (128, 128), (120, 160), (300, 400)])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_one_foveator_gives_the_same_pixels_on_each(size, layout):
    foveator = fovea.Foveator()
    seen = []
    for images, gazes in batch(9, *size, 3) if layout == "NHWC" else batch(9, 3, *size):
        for _ in range(2):  # the second one is the call that is kept
            seen.append(foveator(images, gazes, layout=layout))
        assert seen[-1].device == images.device and not torch.equal(seen[-1], images)
        seen.append(foveator(images, gazes.cpu(), layout=layout))
    assert torch.cuda.current_device() == 0
    assert all(torch.equal(one.cpu(), seen[0].cpu()) for one in seen)


def test_both_work_by_turns_and_from_threads():
    foveator = fovea.Foveator()
    both = batch(32, 96, 96, 3)
    expected = fovea.foveate(*both[0]).cpu()
    outs = [[torch.empty_like(images) for _ in range(20)] for images, _ in both]
    for i in range(20):
        for (images, gazes), out in zip(both, outs):
            foveator(images, gazes, out=out[i])
    assert all(torch.equal(one.cpu(), expected) for out in outs for one in out)

    def work(images, gazes, out):
        for one in out:
            foveator(images, gazes, out=one.zero_())

    threads = [threading.Thread(target=work, args=(*pair, out)) for pair, out in zip(both, outs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(torch.equal(one.cpu(), expected) for out in outs for one in out)


@pytest.mark.parametrize("current", [0, 1])
def test_each_has_its_streams_and_nobody_waits(current):
    foveator = fovea.Foveator()
    both = batch(64, 128, 128, 3)
    expected = [foveator(*pair).cpu() for pair in both]
    seen, sides = [], [torch.cuda.Stream(device) for device in DEVICES]
    for side, (images, gazes) in zip(sides, both):
        side.wait_stream(torch.cuda.current_stream(images.device))
        with torch.cuda.stream(side):
            torch.cuda._sleep(200_000_000)
            late = images.clone()
            with torch.cuda.device(current):
                seen.append(foveator(late, gazes, stream=side))
            assert not side.query(), "the call waited for its stream"
    for side in sides:
        side.synchronize()
    assert all(torch.equal(one.cpu(), wanted) for one, wanted in zip(seen, expected))


def test_gradients_are_the_same_on_each():
    found = []
    for images, gazes in batch(5, 64, 72, 3, dtype=torch.float32):
        images, gazes = images.requires_grad_(), gazes.requires_grad_()
        (fovea.foveate(images, gazes) ** 2).sum().backward()
        found.append((images.grad.cpu(), gazes.grad.cpu()))
        assert images.grad.device == images.device and gazes.grad.device == images.device
    assert torch.allclose(found[0][0], found[1][0], rtol=1e-5) and torch.allclose(found[0][1], found[1][1], rtol=1e-4)


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda a, b, gaze_b: fovea.foveate(a, gaze_b), "gaze lies on cuda:1, the images on cuda:0"),
        (lambda a, b, gaze_b: fovea.foveate(a, out=torch.empty_like(b)), "out lies on cuda:1, the images on cuda:0"),
        (lambda a, b, gaze_b: fovea.foveate(a.float().requires_grad_(), gaze_b), "cuda:1"),
    ],
)
def test_devices_are_not_mixed(call, text):
    (a, _), (b, gaze_b) = batch(2, 32, 32, 3)
    with pytest.raises(ValueError, match=text):
        call(a, b, gaze_b)
    assert torch.equal(fovea.foveate(a).cpu(), fovea.foveate(b).cpu())  # both go on
