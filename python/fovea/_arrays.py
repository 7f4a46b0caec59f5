# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Arrays of other libraries as an address, a shape and strides, without a copy.

NumPy and PyTorch are asked directly; everything else by `__cuda_array_interface__` (version 3) or DLPack. None of
them is imported here: who has an array has its library.
"""

import contextlib
import ctypes
import dataclasses
import sys
from typing import Any, Optional

import numpy as np

CPU, CUDA = "cpu", "cuda"

# DLPack: DLDeviceType
_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED = 1, 2, 3, 13
_DL_READ_ONLY = 1
_DL_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}


@dataclasses.dataclass
class View:
    """Where an array lies. `owner` keeps its memory."""

    pointer: int
    shape: tuple
    strides: tuple  # bytes
    dtype: np.dtype
    device: str
    ordinal: int
    read_only: bool
    stream: Optional[int]  # CUDA: what its producer works on, as a CUstream; None: nobody said
    owner: Any


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _DLManaged(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _DLManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def packed_strides(shape, itemsize):
    strides, next_bytes = [], itemsize
    for size in reversed(shape):
        strides.append(next_bytes)
        next_bytes *= max(size, 1)
    return tuple(reversed(strides))


def _of_numpy(array):
    pointer = array.__array_interface__["data"][0]
    return View(
        pointer, array.shape, array.strides, array.dtype, CPU, 0, not array.flags.writeable, None, array
    )


def _of_torch(tensor):
    torch = sys.modules["torch"]
    if tensor.device.type not in (CPU, CUDA):
        raise TypeError(f"a torch tensor on {tensor.device}: Fovea takes cpu and cuda")
    if tensor.layout is not torch.strided:
        raise TypeError(f"a torch tensor of layout {tensor.layout}: Fovea takes strided ones")
    size = tensor.element_size()
    name = str(tensor.dtype).rpartition(".")[2]
    try:
        dtype = np.dtype(name)
    except TypeError:
        raise TypeError(f"images of {name}: Fovea takes uint8, float16 and float32") from None
    is_cuda = tensor.device.type == CUDA
    ordinal = (tensor.device.index or 0) if is_cuda else 0
    stream = torch.cuda.current_stream(tensor.device).cuda_stream if is_cuda else None
    strides = tuple(step * size for step in tensor.stride())
    return View(tensor.data_ptr(), tuple(tensor.shape), strides, dtype, tensor.device.type, ordinal, False, stream, tensor)


def _of_cuda_interface(array):
    said = array.__cuda_array_interface__
    dtype = np.dtype(said["typestr"])
    pointer, read_only = said["data"]
    shape = tuple(said["shape"])
    strides = said.get("strides") or packed_strides(shape, dtype.itemsize)
    device = getattr(getattr(array, "device", None), "id", 0)
    return View(pointer, shape, tuple(strides), dtype, CUDA, device, read_only, said.get("stream"), array)


def _dlpack_capsule(array, device_type, stream):
    # The producer makes that stream wait for what it has under way; 1 is the legacy default stream.
    stream = {"stream": stream or 1} if device_type in (_DL_CUDA, _DL_CUDA_MANAGED) else {}
    try:
        return array.__dlpack__(max_version=(1, 0), **stream)
    except TypeError:
        return array.__dlpack__(**stream)


def _of_dlpack(array, stream):
    device_type, ordinal = array.__dlpack_device__()
    device_type = int(device_type)
    if device_type not in (_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED):
        raise TypeError(f"{type(array).__name__} on DLPack device {device_type}: Fovea takes cpu and cuda")
    capsule = _dlpack_capsule(array, device_type, stream)
    name = _capsule_name(capsule)
    if name == b"dltensor_versioned":
        managed = _DLManagedVersioned.from_address(_capsule_pointer(capsule, name))
        read_only = bool(managed.flags & _DL_READ_ONLY)
    elif name == b"dltensor":
        managed = _DLManaged.from_address(_capsule_pointer(capsule, name))
        read_only = "jax" in type(array).__module__
    else:
        raise TypeError(f"{type(array).__name__}.__dlpack__ gave no DLPack capsule")
    tensor = managed.tensor
    kind = _DL_KINDS.get(tensor.code)
    if kind is None or tensor.lanes != 1 or tensor.bits % 8:
        raise TypeError(f"{type(array).__name__} of DLPack type {tensor.code}, {tensor.bits} bits: Fovea takes uint8, float16, float32")
    dtype = np.dtype(f"{kind}{tensor.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    if tensor.strides:
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    else:
        strides = packed_strides(shape, dtype.itemsize)
    on_device = device_type in (_DL_CUDA, _DL_CUDA_MANAGED)
    # The capsule was not taken over: its own destructor gives the memory back once nobody holds it.
    return View(
        (tensor.data or 0) + tensor.byte_offset, shape, strides, dtype, CUDA if on_device else CPU,
        int(ordinal) if on_device else 0, read_only, (stream or 1) if on_device else None, (array, capsule),
    )


def is_torch(array):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def view_of(array, what, stream=None):
    """The View of an array, for work on that stream. TypeError: it is none that Fovea can read where it lies."""
    if isinstance(array, np.ndarray):
        return _of_numpy(array)
    if is_torch(array):
        return _of_torch(array)
    if hasattr(array, "__cuda_array_interface__"):
        return _of_cuda_interface(array)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(array, stream)
    if hasattr(array, "__array_interface__"):
        return _of_numpy(np.asarray(array))
    raise TypeError(f"{what}: {type(array).__name__} is no array (NumPy, PyTorch, CuPy, JAX, DLPack, __cuda_array_interface__)")


def empty_like(array, view):
    """A new array of the same library, shape, type and device, without gaps. What it returns can be written to."""
    if is_torch(array):
        torch = sys.modules["torch"]
        return torch.empty(view.shape, dtype=array.dtype, device=array.device)
    if view.device == CPU:
        return np.empty(view.shape, view.dtype)
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        with cupy.cuda.Device(view.ordinal):
            return cupy.empty(view.shape, view.dtype)
    raise TypeError(f"{type(array).__module__}.{type(array).__name__} on CUDA: give `out`, an array that can be written to")


@contextlib.contextmanager
def on_stream(array, view, stream):
    """Makes the stream the current one of the array's library, so that what it allocates belongs to that stream."""
    cupy = sys.modules.get("cupy")
    if view.device == CUDA and stream is not None and is_torch(array):
        torch = sys.modules["torch"]
        if torch.cuda.current_stream(array.device).cuda_stream != stream:
            with torch.cuda.stream(torch.cuda.ExternalStream(stream, device=array.device)):
                yield
            return
    elif view.device == CUDA and stream is not None and cupy is not None and isinstance(array, cupy.ndarray):
        with cupy.cuda.ExternalStream(stream, view.ordinal):
            yield
        return
    yield


def packed(array):
    """A copy without gaps, made on the stream that the array's library works on."""
    if is_torch(array):
        return array.contiguous()
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(array)
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        return cupy.ascontiguousarray(array)
    raise ValueError(f"{type(array).__name__} with these strides: make a copy without gaps first")


def as_given(result, array):
    """What is handed out for an image array of a library whose arrays cannot be written to."""
    if isinstance(result, np.ndarray) and type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
        return sys.modules["jax"].numpy.asarray(result)
    return result
