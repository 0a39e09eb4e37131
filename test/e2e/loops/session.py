# session.py - runs a pack many times in one process.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that is loaded once and run with other inputs each time, by the runtime's C interface: what a run leaves behind must
not show in the next one. Outputs lie between bytes that no run may change."""

import ctypes
import os
import shutil

from tools import Failure, Tensor

GUARD = 256
MARK = b"\xa5"

TAP = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_uint64,
)


class Library:
    """libnxv-runtime, which lies where nxv-run is."""

    def __init__(self):
        tool = shutil.which("nxv-run")
        if tool is None:
            raise Failure("there is no nxv-run in PATH")
        folder = os.path.join(os.path.dirname(os.path.dirname(tool)), "lib")
        self.library = ctypes.CDLL(os.path.join(folder, "libnxv-runtime.so"))
        self.library.nxv_last_error.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise Failure(f"{name}: {self.library.nxv_last_error().decode()}")

    def make(self, name, *arguments):
        """Calls a function whose last argument is a place for a handle."""
        handle = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle

    def destroy(self, name, handle):
        function = getattr(self.library, name)
        function.restype = None
        function(handle)


class Device:
    def __init__(self):
        self.library = Library()
        self.handle = self.library.make("nxv_device_open", None)

    def close(self):
        self.library.destroy("nxv_device_close", self.handle)


class Session:
    """An invocation with buffers for the inputs and outputs of a graph."""

    def __init__(self, device, pack, graph):
        self.library = device.library
        self.inputs = graph["inputs"]
        self.outputs = [leaf["leaf"] for leaf in graph["outputs"]["tuple"]]
        self.taps = []
        self.tap = TAP(self.keep_tap)
        self.program = self.library.make("nxv_program_load_file", device.handle, os.fsencode(pack))
        self.invocation = self.library.make("nxv_invocation_create", self.program)
        self.buffers = []
        for kind, tensors in (("input", self.inputs), ("output", self.outputs)):
            for index, like in enumerate(tensors):
                size = ctypes.c_uint64(len(blank(like).data) + 2 * GUARD)
                buffer = self.library.make("nxv_buffer_create", device.handle, size)
                self.buffers.append(buffer)
                offset = ctypes.c_uint64(GUARD)
                self.library.call(
                    f"nxv_invocation_bind_{kind}", self.invocation, ctypes.c_size_t(index), buffer, offset
                )

    def close(self):
        self.library.destroy("nxv_invocation_destroy", self.invocation)
        self.library.destroy("nxv_program_destroy", self.program)
        for buffer in self.buffers:
            self.library.destroy("nxv_buffer_destroy", buffer)

    def keep_tap(self, _, name, type, shape, rank, data, size):
        tensor = Tensor(type.decode(), shape[:rank], ctypes.string_at(data, size))
        self.taps.append((name.decode(), tensor))

    def watch_taps(self):
        self.library.call("nxv_invocation_set_tap", self.invocation, self.tap, None)

    def run(self, inputs):
        outputs = [Tensor(like["type"], like["shape"], MARK * len(blank(like).data)) for like in self.outputs]
        for buffer, tensor in zip(self.buffers, [*inputs, *outputs]):
            self.write(buffer, MARK * GUARD + tensor.data + MARK * GUARD)
        self.taps.clear()
        self.library.call("nxv_invocation_run", self.invocation)
        read = [self.read(buffer, tensor) for buffer, tensor in zip(self.buffers, [*inputs, *outputs])]
        for number, (like, tensor, kept) in enumerate(zip(self.inputs, inputs, read)):
            if kept.data != tensor.data and not like.get("donatable"):
                raise Failure(f"input {number} was changed")
        return read[len(inputs) :]

    def write(self, buffer, data):
        self.library.call("nxv_buffer_write", buffer, ctypes.c_uint64(0), data, ctypes.c_uint64(len(data)))

    def read(self, buffer, like):
        size = len(like.data) + 2 * GUARD
        data = ctypes.create_string_buffer(size)
        self.library.call("nxv_buffer_read", buffer, ctypes.c_uint64(0), data, ctypes.c_uint64(size))
        if data.raw[:GUARD] != MARK * GUARD or data.raw[size - GUARD :] != MARK * GUARD:
            raise Failure("bytes beside a tensor were changed")
        return Tensor(like.type, like.shape, data.raw[GUARD : size - GUARD])


def blank(like):
    """A tensor of zeros, of a type and shape as graphs have them."""
    return Tensor.zeros(like["type"], like["shape"])
