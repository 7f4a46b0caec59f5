# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A call that is made again does what the first did, and says what the first said."""

import os
import random
import threading

import numpy as np
import pytest

import fovea

RNG = np.random.default_rng(17)
READ_ONLY = np.zeros((3, 10, 12, 3), np.uint8)
READ_ONLY.flags.writeable = False


def pictures(*shape, dtype=np.uint8):
    return RNG.integers(0, 256, shape, dtype=np.uint8) if dtype == np.uint8 else RNG.random(shape, np.float32).astype(dtype)


def is_kept(foveator):
    return len(foveator._calls._of)


WHOLE = pictures(4, 3, 10, 12, 4)
IMAGES = [WHOLE[0, ..., :3], WHOLE[1, ..., :3], WHOLE[0, ..., ::-1], WHOLE[:2, :, ..., :3], pictures(3, 10, 12, 3), pictures(3, 3, 10, 12),
          READ_ONLY, pictures(3, 10, 12, 4, dtype=np.float32), pictures(10, 12, 3), np.zeros((0, 10, 12, 3), np.uint8)]  # fmt: skip
OUTS = [None, WHOLE[2, ..., :3], WHOLE[3, ..., :3], np.zeros((3, 10, 12, 3), np.uint8), READ_ONLY, WHOLE[0, ..., :3], IMAGES[4],
        np.zeros((3, 3, 10, 12), np.uint8), np.zeros((2, 3, 10, 12, 3), np.uint8)]  # fmt: skip
ONES = RNG.random((3, 2), np.float32)
GAZES = [(0.5, 0.5), (0.25, np.float32(0.75)), (0.5, float("nan")), [0.1, 0.2], ONES, ONES.astype(np.float64), ONES[:, ::-1], ONES * np.inf,
         np.float32([0.3, 0.4]), np.float64([0.3, 0.4]), RNG.random((2, 3, 2), np.float32), ONES[:2], (1, 0), "left", np.array(["x", "y"])]  # fmt: skip


def outcome(foveator, images, gaze, out, layout):
    """What a call gives or raises, and how all that may be written is left."""
    before = [array.copy() for array in (WHOLE, *OUTS[3:]) if array is not None and array is not READ_ONLY]
    try:
        said = foveator(images, gaze, out=out, layout=layout).copy()
    except (TypeError, ValueError, fovea.FoveaError) as error:
        said = type(error)
    left = [array for array in (WHOLE, *OUTS[3:]) if array is not None and array is not READ_ONLY]
    found = [array.copy() for array in left]
    for array, was in zip(left, before):
        array[...] = was
    return said, found


def test_calls_in_any_order_do_what_each_does_alone():
    rng, foveator, other, repeated = random.Random(5), fovea.Foveator(), fovea.Foveator(), 0
    for _ in range(2000):
        arguments = (rng.choice(IMAGES), rng.choice(GAZES[:6] * 2 + GAZES), rng.choice(OUTS[:4] * 3 + OUTS), rng.choice(["NHWC"] * 4 + ["NCHW", "HW", 3]))
        kept = is_kept(foveator)
        (said, left), (expected, expected_left) = outcome(foveator, *arguments), outcome(other, *arguments)
        other._calls.clear()
        repeated += is_kept(foveator) == kept and isinstance(said, np.ndarray)
        assert np.array_equal(said, expected) if isinstance(expected, np.ndarray) else said is expected, arguments[1:]
        assert all(map(np.array_equal, left, expected_left))
    assert repeated > 200


@pytest.mark.parametrize("layout, shape", [("NHWC", (3, 8, 8, 3)), ("NCHW", (3, 4, 8, 8))])
def test_an_out_that_overlaps_is_refused_in_a_call_that_is_made_again(layout, shape):
    foveator, memory = fovea.Foveator(), pictures(2 * np.prod(shape))
    images, out = (memory[at : at + memory.size // 2].reshape(shape) for at in (0, memory.size // 2))
    foveator(images, out=out, layout=layout)
    assert is_kept(foveator) == 1
    for at in (0, 8, memory.size // 2 - 8):
        with pytest.raises(ValueError, match="overlap"):
            foveator(images, out=memory[at : at + memory.size // 2].reshape(shape), layout=layout)


def test_threads_make_the_same_call_of_arrays_of_their_own():
    foveator, wrong = fovea.Foveator(), []
    batches = [(pictures(4, 20, 20, 3), RNG.random((4, 2))) for _ in range(4)]
    expected = [foveator(*batch) for batch in batches]

    def work(batch, seen):
        for _ in range(100):
            if not np.array_equal(foveator(*batch), seen):
                wrong.append(1)

    threads = [threading.Thread(target=work, args=arguments) for arguments in zip(batches, expected)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and is_kept(foveator) == 1


def test_a_call_is_made_again_after_close_and_fork():
    foveator, images = fovea.Foveator(), pictures(2, 16, 16, 3)
    expected = foveator(images)
    foveator.close()
    assert is_kept(foveator) == 0 and np.array_equal(foveator(images), expected)
    child = os.fork()
    if child == 0:
        os._exit(7 if np.array_equal(foveator(images), expected) and np.array_equal(foveator(images), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert np.array_equal(foveator(images), expected)


def test_the_calls_that_are_kept_are_bounded():
    foveator = fovea.Foveator({"cpu_threads": 1})
    for width in range(4, 204):
        foveator(np.zeros((1, 4, width, 3), np.uint8))
        assert 1 <= is_kept(foveator) <= fovea._calls._MOST
    foveator(np.zeros((200, 2, 4, 4), np.uint8)[::2, :1], layout="NCHW")
    before = is_kept(foveator)
    foveator(np.zeros((2, 4, 4, 80), np.uint8))  # eighty batches
    assert is_kept(foveator) == before


def test_an_out_is_as_it_was_where_a_gaze_is_not_finite():
    """Images that the library takes in several batches, each with its part of the gazes."""
    foveator, images, places = fovea.Foveator(), pictures(4, 5, 8, 8, 3)[:, ::3], np.full((4, 2, 2), 0.5, np.float32)
    out = np.zeros(images.shape, np.uint8)
    foveator(images, places, out=out)
    out[:], places[3, 1, 0] = 0, np.nan
    with pytest.raises(ValueError, match="finite"):
        foveator(images, places, out=out)
    assert not out.any()


GAZES_OF = {
    "pair": lambda x: (x, 0.5),
    "float32": lambda x: np.full((2, 2), x, np.float32),
    "float64": lambda x: np.full((2, 2), x),
    "tensor": lambda x: pytest.importorskip("torch").full((2, 2), x),
}


@pytest.mark.parametrize("kind", GAZES_OF)
@pytest.mark.parametrize("operators", [["foveate"], ["lens"], ["lens", "foveate"], ["blur"]])
def test_every_call_refuses_gazes_that_are_no_places(operators, kind):
    foveator, images, gaze = fovea.Foveator({"operators": operators}), pictures(2, 8, 8, 3), GAZES_OF[kind]
    if kind == "tensor":
        images = pytest.importorskip("torch").from_numpy(images)
    for _ in range(2):
        for wrong, text in ((np.nan, "not finite"), (np.inf, "not finite"), (320.0, r"gaze \(320, .*looks like pixels"), (-1.1, "pixels")):
            with pytest.raises(ValueError, match=text):
                foveator(images, gaze(wrong))
        foveator(images, gaze(0.5))
        foveator(images, gaze(-1.0))
    assert is_kept(foveator) == 1


def misaligned(array):
    memory = np.zeros(array.nbytes + 8, np.uint8)
    found = np.ndarray(array.shape, array.dtype, memory.data, -memory.ctypes.data % 4 + 1)
    found[...] = array
    return found


@pytest.mark.parametrize("which", range(3))
def test_arrays_at_odd_addresses_are_copied(which):
    arrays = [pictures(2, 8, 8, 3, dtype=np.float32), RNG.random((2, 2), np.float32), np.zeros((2, 8, 8, 3), np.float32)]
    expected = fovea.foveate(*arrays[:2])
    odd = [misaligned(array) if i == which else array for i, array in enumerate(arrays)]
    for order in ((odd, arrays), (arrays, odd)):
        foveator = fovea.Foveator()
        for images, gaze, out in order:
            assert np.array_equal(foveator(images, gaze, out=out), expected) and np.array_equal(out, expected)
            out[...] = 0


def test_tensors_make_calls_again():
    torch = pytest.importorskip("torch")
    foveator = fovea.Foveator()
    places = torch.rand((3, 2))
    for round_ in range(3):
        images, out = torch.from_numpy(pictures(3, 10, 12, 4, dtype=np.float32)), torch.zeros(3, 10, 12, 4)
        expected = torch.from_numpy(fovea.Foveator()(images.numpy(), places.numpy()))
        version = out._version
        assert torch.equal(foveator(images, places, out=out), expected) and out._version > version
        assert torch.equal(foveator(images, places), expected)
        assert torch.equal(foveator(images, places.double()), expected)
        opposite = torch._neg_view(-images)
        assert opposite.is_neg() and torch.equal(foveator(opposite, places), expected)
        learnt = foveator(images.clone().requires_grad_(), places)
        assert learnt.requires_grad and torch.equal(learnt, expected)
        with torch.no_grad():
            assert torch.equal(foveator(images.clone().requires_grad_(), places), expected)
        with torch.inference_mode():
            assert torch.equal(foveator(images, places), expected)
        with pytest.raises(ValueError, match="finite"):
            foveator(images, places / 0)
        with pytest.raises(TypeError):
            foveator(images.to_sparse(), places)
    assert 2 <= is_kept(foveator) <= 4


def test_gazes_in_lists_are_the_same_and_their_calls_are_kept():
    foveator = fovea.Foveator({"foveation.strength": 2})
    image = np.random.default_rng(1).integers(0, 256, (2, 40, 48, 3), dtype=np.uint8)
    places = [[0.25, 0.5], [1, 0]]
    for gaze in (places, places[0], tuple(map(tuple, places)), (0, 1), [np.float32(0.25), 1], np.array(places).tolist()):
        expected = fovea.Foveator({"foveation.strength": 2})(image, np.array(gaze, np.float32))
        for _ in range(2):
            assert np.array_equal(foveator(image, gaze), expected)
    kept = dict(foveator._calls._of)
    assert np.array_equal(foveator(image, [[0.75, 0.5], [0.5, 0.125]]), foveator(image, np.array([[0.75, 0.5], [0.5, 0.125]])))
    assert foveator._calls._of == kept
    with pytest.raises(ValueError, match="pixels"):
        foveator(image, [[0.5, 0.5], [0.5, 24]])
