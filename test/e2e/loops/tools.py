# tools.py - runs graphs by the interpreter and on a device, and compares the results.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checkers of loops share. Tensors are Tensor: a type, a shape and the bytes of the data."""

import array
import ast
import base64
import json
import math
import os
import subprocess
import sys

CODES = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q", "f32": "f", "f64": "d"}
CODES.update({"c64": "f", "c128": "d"})  # Two numbers an element.
NPY_TYPES = {"s8": "|i1", "u8": "|u1", "c64": "<c8", "c128": "<c16"}


class Failure(Exception):
    """What a tool said, or how results differ."""


class Tensor:
    def __init__(self, type, shape, data):
        self.type, self.shape, self.data = type, list(shape), data

    @staticmethod
    def of(type, shape, numbers):
        return Tensor(type, shape, array.array(CODES[type], numbers).tobytes())

    @staticmethod
    def zeros(type, shape):
        parts = 2 if type[0] == "c" else 1
        return Tensor(type, shape, bytes(array.array(CODES[type]).itemsize * parts * math.prod(shape)))

    def numbers(self):
        """All numbers as they lie; of a complex tensor the parts."""
        values = array.array(CODES[self.type])
        values.frombytes(self.data)
        return values

    def rows(self, first, last):
        """The part of axis 0 from `first` to `last`."""
        size = len(self.data) // max(1, self.shape[0])
        return Tensor(self.type, [last - first, *self.shape[1:]], self.data[first * size : last * size])

    def describe(self):
        return f"{self.type}[{','.join(map(str, self.shape))}]"

    def is_float(self):
        return self.type[0] in "fc"


def npy_type(type):
    return NPY_TYPES.get(type) or f"<{ {'s': 'i', 'u': 'u', 'f': 'f'}[type[0]] }{int(type[1:]) // 8}"


def write_npy(path, tensor):
    shape = "(" + "".join(f"{size}, " for size in tensor.shape) + ")"
    shape = shape.replace(", )", ")" if len(tensor.shape) > 1 else ",)")
    header = f"{{'descr': '{npy_type(tensor.type)}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + tensor.data)


def read_npy(path, type):
    with open(path, "rb") as file:
        start = file.read(10)
        header = ast.literal_eval(file.read(int.from_bytes(start[8:], "little")).decode())
        if header["descr"] != npy_type(type):
            raise Failure(f"{path} has elements {header['descr']}, not {type}")
        return Tensor(type, header["shape"], file.read())


def write_json(value, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def recorded(name, inputs, outputs, tolerance):
    """What stands in NAME.io.json."""

    def tensors(values):
        return [{"type": v.type, "shape": v.shape, "data": base64.b64encode(v.data).decode()} for v in values]

    return {
        "name": name,
        "reference": "nxv-run --reference",
        "tolerance": tolerance,
        "inputs": tensors(inputs),
        "outputs": tensors(outputs),
    }


def run_tool(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}".strip())
    return done.stdout


class Runner:
    """Runs graphs; every file it needs lies in one folder."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, program, graph, inputs, *options):
        """The outputs and what was printed."""
        arguments = []
        for i, tensor in enumerate(inputs):
            write_npy(self.path(f"in{i}.npy"), tensor)
            shape = "".join(f"{size}x" for size in tensor.shape)
            arguments.append(f"--input={shape}{tensor.type}=@{self.path(f'in{i}.npy')}")
        leaves = [leaf["leaf"] for leaf in graph["outputs"]["tuple"]]
        names = [self.path(f"out{i}.npy") for i in range(len(leaves))]
        arguments += [f"--output=@{name}" for name in names]
        text = run_tool("nxv-run", program, *arguments, *options)
        return [read_npy(name, leaf["type"]) for name, leaf in zip(names, leaves)], text

    def save(self, graph):
        path = self.path(f"{graph['name']}.json")
        write_json(graph, path)
        return path

    def interpret(self, graph, inputs):
        return self.run(self.save(graph), graph, inputs, "--reference")[0]

    def compile(self, graph):
        """The path of the pack."""
        pack = self.path(f"{graph['name']}.spvpack")
        run_tool("nxv-compile", self.save(graph), "-o", pack)
        return pack

    def emit(self, graph, level):
        """What a level of the compiler prints."""
        return run_tool("nxv-compile", self.save(graph), f"--emit={level}", "-o", "-")

    def device(self, graph, inputs, *options):
        return self.run(self.compile(graph), graph, inputs, *options)[0]


def differ(result, expected, tolerance, largest):
    """How two tensors differ, or nothing; as `nxv-run --io` compares."""
    if (result.type, result.shape) != (expected.type, expected.shape):
        return f"is {result.describe()}, expected {expected.describe()}"
    if result.data == expected.data:
        return None
    left, right = result.numbers(), expected.numbers()
    if not result.is_float() or tolerance == 0:
        wrong = [i for i, (a, b) in enumerate(zip(left, right)) if a != b and not (a != a and b != b)]
        if not wrong:
            return None
        return f"{len(wrong)} of {len(left)} numbers differ, number {wrong[0]} is {left[wrong[0]]}, expected {right[wrong[0]]}"
    bound = tolerance * max(magnitude(expected), 1e-3 * largest)
    for i, (a, b) in enumerate(zip(left, right)):
        if math.isfinite(a) and math.isfinite(b):
            if abs(a - b) > bound:
                worst = max(abs(a - b) for a, b in zip(left, right))
                return f"number {i} is {a!r}, expected {b!r}; the bound is {bound:.3g}, the worst difference {worst:.3g}"
        elif not (a == b or (a != a and b != b)):
            return f"number {i} is {a!r}, expected {b!r}"
    return None


def magnitude(tensor):
    return max((abs(number) for number in tensor.numbers() if math.isfinite(number)), default=0.0)


def compare(results, expected, tolerance):
    """Raises Failure where outputs differ."""
    largest = max((magnitude(tensor) for tensor in expected if tensor.is_float()), default=0.0)
    for i, (result, wanted) in enumerate(zip(results, expected)):
        difference = differ(result, wanted, tolerance, largest)
        if difference:
            raise Failure(f"output {i} ({wanted.describe()}): {difference}")


def check_all(checks):
    """Runs functions by name; the exit status: 1 if one of them fails."""
    failed = 0
    for name, check in checks:
        try:
            said = check()
            print(f"{name}: ok{f', {said}' if said else ''}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"{name}: failed: {failure}", flush=True)
    if not checks:
        print("there is nothing to check", file=sys.stderr)
        return 1
    return 1 if failed else 0
