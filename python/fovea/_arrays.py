# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Arrays of other libraries as an address, a shape and strides, without a copy.

NumPy and PyTorch are asked directly; everything else by `__cuda_array_interface__` (version 3) or DLPack. None of
them is imported here: who has an array has its library.
"""

import contextlib
import ctypes
import dataclasses
import functools
import sys
from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from . import _numbers

CPU, CUDA = "cpu", "cuda"
Dims = tuple[int, ...]

# DLPack: DLDeviceType
_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED = 1, 2, 3, 13
_DL_READ_ONLY = 1
_DL_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}


@dataclasses.dataclass
class View:
    """Where an array lies. `owner` keeps its memory."""

    pointer: int
    shape: Dims
    strides: Dims  # bytes
    dtype: np.dtype[Any]
    device: str
    ordinal: int
    read_only: bool
    stream: Optional[int]  # CUDA: what its producer works on, as a CUstream; None: nobody said
    owner: Any

    @property
    def is_packed(self) -> bool:
        """Whether it has no gaps. Where a dimension has one value, its stride means nothing."""
        wanted = packed_strides(self.shape, self.dtype.itemsize)
        return all(size <= 1 or step == next_ for size, step, next_ in zip(self.shape, self.strides, wanted))

    @property
    def is_aligned(self) -> bool:
        """Whether all of its values lie where the library reads them at once."""
        size = self.dtype.itemsize
        return self.pointer % size == 0 and all(count <= 1 or step % size == 0 for count, step in zip(self.shape, self.strides))


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


class _ArrayStruct(ctypes.Structure):
    """PyArrayInterface of NumPy's `__array_struct__`, which tells an address in half the time of `__array_interface__`."""

    _fields_ = [
        ("two", ctypes.c_int),
        ("nd", ctypes.c_int),
        ("typekind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
    ]


_DATA_AT = _ArrayStruct.data.offset


def packed_strides(shape: Dims, itemsize: int) -> Dims:
    strides, next_bytes = [], itemsize
    for size in reversed(shape):
        strides.append(next_bytes)
        next_bytes *= max(size, 1)
    return tuple(reversed(strides))


def _of_numpy(array: np.ndarray[Any, Any]) -> View:
    return View(
        pointer_of(array), array.shape, array.strides, array.dtype, CPU, 0, not array.flags.writeable, None, array
    )


def takes(what: str) -> str:
    """What is said of an array of another type."""
    return "Fovea takes float32" if what == "gaze" else "Fovea takes uint8, uint16, float16 and float32"


@functools.lru_cache(maxsize=64)
def _dtype_of_torch(dtype: Any, what: str) -> np.dtype[Any]:
    name = str(dtype).rpartition(".")[2]
    try:
        return np.dtype(name)
    except TypeError:
        raise TypeError(f"{what} of {name}: {takes(what)}") from None


def check_strided(tensor: Any) -> None:
    """TypeError: a torch tensor is sparse, nested or the like."""
    if tensor.layout is not sys.modules["torch"].strided or tensor.is_nested:
        raise TypeError(f"a torch tensor of layout {'nested' if tensor.is_nested else tensor.layout}: Fovea takes strided ones")


def _of_torch(tensor: Any, what: str) -> View:
    if tensor.device.type not in (CPU, CUDA):
        raise TypeError(f"a torch tensor on {tensor.device}: Fovea takes cpu and cuda")
    check_strided(tensor)
    is_negated = tensor.is_neg()  # of a conjugate: its memory holds the opposite of its values
    if is_negated:
        tensor = tensor.resolve_neg()
    size = tensor.element_size()
    dtype = _dtype_of_torch(tensor.dtype, what)
    is_cuda = tensor.device.type == CUDA
    ordinal = (tensor.device.index or 0) if is_cuda else 0
    stream = current_stream(ordinal) if is_cuda else None
    strides = tuple(step * size for step in tensor.stride())
    return View(tensor.data_ptr(), tuple(tensor.shape), strides, dtype, tensor.device.type, ordinal, is_negated, stream, tensor)


def current_stream(ordinal: int) -> int:
    """The stream that torch works on, as a CUstream."""
    torch = sys.modules["torch"]
    try:
        return torch._C._cuda_getCurrentRawStream(ordinal)
    except AttributeError:  # the public way takes 2 us more
        return torch.cuda.current_stream(ordinal).cuda_stream


def place_of(array: Any) -> Optional[tuple[Any, ...]]:
    """All that a View says beside the address, as a key; None for what is no array of NumPy's or torch's own."""
    if type(array) is np.ndarray:
        return (array.shape, array.strides, array.dtype, array.flags.writeable)
    torch = sys.modules.get("torch")
    if torch is not None and type(array) is torch.Tensor and array.layout is torch.strided and not array.is_nested:
        return (array.shape, array.stride(), array.dtype, array.device, array.is_neg())
    return None


def pointer_of(array: Any) -> int:
    """The address of an array of NumPy's or torch's."""
    if isinstance(array, np.ndarray):
        capsule = array.__array_struct__  # keeps what it points to
        return ctypes.c_void_p.from_address(_capsule_pointer(capsule, None) + _DATA_AT).value or 0
    return array.data_ptr()


def _of_cuda_interface(array: Any) -> View:
    said = array.__cuda_array_interface__
    dtype = np.dtype(said["typestr"])
    pointer, read_only = said["data"]
    shape = tuple(said["shape"])
    strides = said.get("strides") or packed_strides(shape, dtype.itemsize)
    device = getattr(getattr(array, "device", None), "id", 0)
    return View(pointer, shape, tuple(strides), dtype, CUDA, device, read_only, said.get("stream"), array)


def _dlpack_capsule(array: Any, device_type: int, stream: Optional[int]) -> Any:
    # The producer makes that stream wait for what it has under way; 1 is the legacy default stream.
    named = {"stream": stream or 1} if device_type in (_DL_CUDA, _DL_CUDA_MANAGED) else {}
    try:
        return array.__dlpack__(max_version=(1, 0), **named)
    except TypeError:
        return array.__dlpack__(**named)


def _of_dlpack(array: Any, what: str, stream: Optional[int]) -> View:
    device_type, ordinal = array.__dlpack_device__()
    device_type = int(device_type)
    if device_type not in (_DL_CPU, _DL_CUDA, _DL_CUDA_HOST, _DL_CUDA_MANAGED):
        raise TypeError(f"{type(array).__name__} on DLPack device {device_type}: Fovea takes cpu and cuda")
    capsule = _dlpack_capsule(array, device_type, stream)
    name = _capsule_name(capsule)
    if name == b"dltensor_versioned":
        versioned = _DLManagedVersioned.from_address(_capsule_pointer(capsule, name))
        tensor, read_only = versioned.tensor, bool(versioned.flags & _DL_READ_ONLY)
    elif name == b"dltensor":
        tensor = _DLManaged.from_address(_capsule_pointer(capsule, name)).tensor
        read_only = is_jax(array)
    else:
        raise TypeError(f"{type(array).__name__}.__dlpack__ gave no DLPack capsule")
    kind = _DL_KINDS.get(tensor.code)
    if kind is None or tensor.lanes != 1 or tensor.bits % 8:
        raise TypeError(f"{what}: {type(array).__name__} of DLPack type {tensor.code}, {tensor.bits} bits: {takes(what)}")
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


def is_torch(array: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def is_jax(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] in ("jax", "jaxlib")


def has_arithmetic(array: Any) -> bool:
    """Whether it is of a library that this package computes with: NumPy, torch, CuPy."""
    cupy = sys.modules.get("cupy")
    return isinstance(array, np.ndarray) or is_torch(array) or (cupy is not None and isinstance(array, cupy.ndarray))


def torch_compiles() -> bool:
    """Whether torch.compile or torch.export reads this code."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def arrays_in(parts: Any) -> Iterator[Any]:
    """What is no number in a sequence and its sequences; the thing itself where it is no sequence."""
    for part in parts if isinstance(parts, (tuple, list)) else (parts,):
        if isinstance(part, (tuple, list)):
            yield from arrays_in(part)
        elif not isinstance(part, (float, int)):
            yield part


def stacked(gaze: Any) -> Any:
    """A sequence that holds tensors of torch as one tensor, whose gradient is theirs; everything else as it is. TypeError: it is an array of
    numpy.ma, or has one."""
    if not isinstance(gaze, (tuple, list)):
        check_unmasked(gaze, "gaze")
        return gaze
    torch = sys.modules.get("torch")
    first = None
    for part in arrays_in(gaze):
        check_unmasked(part, "gaze")
        if first is None and torch is not None and isinstance(part, torch.Tensor):
            first = part
    if first is None:
        return gaze
    try:
        return _stack(gaze, first)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"gaze is x and y for each image, not {_numbers.said(gaze)}: {error}") from None


def _stack(parts: Any, like: Any) -> Any:
    torch = sys.modules["torch"]
    found = (_stack(part, like) if isinstance(part, (tuple, list)) else part for part in parts)
    return torch.stack([torch.as_tensor(part, device=like.device) for part in found])


def has_tangent(array: Any) -> bool:
    """Whether it is a tensor of torch's forward mode."""
    forward = sys.modules["torch"].autograd.forward_ad
    return forward._current_level >= 0 and is_torch(array) and forward.unpack_dual(array).tangent is not None


def mark_written(array: Any) -> None:
    """Tells torch that a tensor has other values, so that gradients which want those of before are refused."""
    if is_torch(array) and not array.is_inference():
        sys.modules["torch"].autograd.graph.increment_version(array)


def torch_wants_operator(images: Any, gaze: Any, out: Any, sigma: Any = None) -> bool:
    """Whether a plain call will not do: tensors that are traced, mapped over or of subclasses, and gradients."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(images, torch.Tensor):
        return False
    if torch.compiler.is_compiling() or type(images) not in (torch.Tensor, torch.nn.Parameter):
        return True
    if torch._C._get_tracing_state() is not None:
        return True  # torch.jit.trace: shapes are tensors, and what is no operator would be a constant
    if torch._C._functorch.maybe_current_level() is not None or torch._C._len_torch_dispatch_stack():
        return True  # torch.func (vmap, grad); make_fx and others that look at operators
    if torch.autograd.forward_ad._current_level >= 0 and any(map(has_tangent, (images, gaze, out, sigma))):
        return True
    wanted = any(getattr(array, "requires_grad", False) for array in (images, gaze, out, sigma))
    return wanted and torch.is_grad_enabled()


def check_unmasked(array: Any, what: str) -> None:
    """TypeError: it is an array of numpy.ma, some of whose values count for nothing; the memory has some others there. Gazes are looked at by
    `stacked`, pictures by `view_of`."""
    module = sys.modules.get("numpy.ma")  # not np.ma: NumPy imports that where it is first named, which a signal may interrupt
    if module is not None and isinstance(array, getattr(module, "MaskedArray", ())):
        raise TypeError(f"{what} is a masked array, and a mask counts for nothing here: give its filled(value), or its data")


def view_of(array: Any, what: str, stream: Optional[int] = None) -> View:
    """The View of an array, for work on that stream. TypeError: it is none that Fovea can read where it lies."""
    if isinstance(array, np.ndarray):
        check_unmasked(array, what)
        return _of_numpy(array)
    if is_torch(array):
        return _of_torch(array, what)
    if hasattr(array, "__cuda_array_interface__"):
        return _of_cuda_interface(array)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(array, what, stream)
    if hasattr(array, "__array_interface__"):
        return _of_numpy(np.asarray(array))
    stack = "; np.stack makes one of it" if isinstance(array, (tuple, list)) else ""
    raise TypeError(f"{what}: {type(array).__name__} is no array (NumPy, PyTorch, CuPy, JAX, DLPack, __cuda_array_interface__){stack}")


def empty_like(array: Any, view: Optional[View] = None) -> Any:
    """A new array of the same library, shape, type and device, without gaps. What it returns can be written to.

    view: of the array, where it is neither NumPy's nor torch's.
    """
    if is_torch(array):
        torch = sys.modules["torch"]
        return torch.empty_like(array, memory_format=torch.contiguous_format)
    if view is None or view.device == CPU:
        described = view or array
        return np.empty(described.shape, described.dtype)
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        with cupy.cuda.Device(view.ordinal):
            return cupy.empty(view.shape, view.dtype)
    raise TypeError(f"{type(array).__module__}.{type(array).__name__} on CUDA: give `out`, an array that can be written to")


def empty(array: Any, view: View, shape: Dims, dtype: np.dtype[Any]) -> Any:
    """A new array of the same library and device, without gaps."""
    if is_torch(array):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, str(dtype)), device=array.device)
    if view.device == CPU:
        return np.empty(shape, dtype)
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        with cupy.cuda.Device(view.ordinal):
            return cupy.empty(shape, dtype)
    raise TypeError(f"{type(array).__module__}.{type(array).__name__} on CUDA: PyTorch's and CuPy's arrays are taken there")


@contextlib.contextmanager
def on_stream(array: Any, view: View, stream: Optional[int]) -> Iterator[None]:
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


def packed(array: Any) -> Any:
    """A copy without gaps, made on the stream that the array's library works on."""
    if is_torch(array):
        return array.contiguous()
    if isinstance(array, np.ndarray):
        return np.require(array, None, ["C_CONTIGUOUS", "ALIGNED"])
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        return cupy.ascontiguousarray(array)
    raise ValueError(f"{type(array).__name__} with these strides: make a copy without gaps first")
