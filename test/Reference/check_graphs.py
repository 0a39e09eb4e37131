#!/usr/bin/env python3
# check_graphs.py - the reference interpreter against recorded graphs.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every NAME.json with a NAME.io.json in libnxvReference.so and compares.

    check_graphs.py build/lib/libnxvReference.so FOLDER-OR-GRAPH... [--jobs=2]

Prints a line for each graph that does not pass, and a count of each outcome. Traits of an audit.jsonl in the
graph's folder, which say why a recording may be no oracle, are printed with a mismatch. Exit code 0 if all pass.
"""

import argparse
import base64
import collections
import concurrent.futures
import ctypes
import json
import math
import os
import struct
import subprocess
import sys

EMIT = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_int64),
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_size_t,
)

CODES = {"s8": "b", "u8": "B", "s16": "h", "u16": "H", "s32": "i", "u32": "I", "s64": "q", "u64": "Q"}
CODES.update({"f16": "e", "f32": "f", "f64": "d", "c64": "f", "c128": "d"})
CODES.update({"s2": "b", "s4": "b", "u2": "B", "u4": "B"})


def small_float(bits, mantissa, bias, infinity):
    """An 8-bit float from its bits."""
    sign = -1.0 if bits & 0x80 else 1.0
    exponent, fraction = (bits & 0x7F) >> mantissa, bits & ((1 << mantissa) - 1)
    top = (1 << (7 - mantissa)) - 1
    if exponent == top and (infinity or fraction == (1 << mantissa) - 1):
        return math.nan if fraction or not infinity else sign * math.inf
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - mantissa)
    return sign * (fraction + (1 << mantissa)) * 2.0 ** (exponent - bias - mantissa)


def decode(kind, data):
    if kind == "bf16":
        words = struct.unpack(f"<{len(data) // 2}H", data)
        return list(struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *(w << 16 for w in words))))
    if kind in ("f8", "f8_e5m2"):
        return [small_float(b, 2, 15, True) for b in data]
    if kind == "f8_e4m3fn":
        return [small_float(b, 3, 7, False) for b in data]
    code = CODES[kind]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def is_float(kind):
    return kind[0] in "fbc"


def largest(values):
    return max((abs(v) for v in values if math.isfinite(v)), default=0.0)


def compare(expected, actual, tolerance, scale):
    """None where they agree, else what differs."""
    for index, (want, have) in enumerate(zip(expected["outputs"], actual)):
        kind, shape, data = have
        if (kind, shape) != (want["type"].replace("f8_e5m2", "f8"), want["shape"]):
            return f"output {index} is {kind}{shape}, expected {want['type']}{want['shape']}"
        a, b = want["values"], decode(kind, data)
        if not is_float(kind) or tolerance == 0:
            wrong = [i for i, (x, y) in enumerate(zip(a, b)) if x != y and not (x != x and y != y)]
            if wrong:
                i = wrong[0]
                return f"output {index}[{i}] is {b[i]}, expected {a[i]} ({len(wrong)} of {len(a)})"
            continue
        limit = tolerance * max(largest(a), 1e-3 * scale)
        for i, (x, y) in enumerate(zip(a, b)):
            same = (x != x and y != y) or x == y
            if not same and not (math.isfinite(x) and math.isfinite(y) and abs(x - y) <= limit):
                return f"output {index}[{i}] is {y}, expected {x} within {limit:.3g}"
    if len(actual) != len(expected["outputs"]):
        return f"{len(actual)} outputs, expected {len(expected['outputs'])}"
    return None


def run_graph(library, graph):
    with open(graph[: -len(".json")] + ".io.json", encoding="utf-8") as file:
        io = json.load(file)
    if "outputs" not in io:
        return "no recording", ""
    inputs = [base64.b64decode(tensor["data"]) for tensor in io["inputs"]]
    for tensor in io["outputs"]:
        tensor["values"] = decode(tensor["type"], base64.b64decode(tensor["data"]))
    scale = max((largest(t["values"]) for t in io["outputs"] if is_float(t["type"])), default=0.0)
    outputs = []

    def emit(_, index, kind, shape, rank, data, size):
        name = kind.decode().replace("f8_e5m2", "f8")
        outputs.append((name, list(shape[:rank]), ctypes.string_at(data, size) if size else b""))

    error = ctypes.create_string_buffer(4096)
    pointers = (ctypes.c_char_p * len(inputs))(*inputs)
    sizes = (ctypes.c_size_t * len(inputs))(*map(len, inputs))
    status = library.nxv_reference_run(
        graph.encode(), ctypes.c_size_t(len(inputs)), pointers, sizes, EMIT(emit), None, error, ctypes.c_size_t(4096)
    )
    if status:
        return "error", error.value.decode()
    difference = compare(io, outputs, io["tolerance"], scale)
    return ("mismatch", difference) if difference else ("pass", "")


def run_worker(path):
    """Reads graphs from stdin, a line each, and answers with a line of JSON."""
    library = ctypes.CDLL(path)
    for line in sys.stdin:
        print(json.dumps(run_graph(library, line.rstrip("\n"))), flush=True)


class Worker:
    """A process, so that a crash costs one graph only."""

    def __init__(self, library, timeout):
        self.library, self.timeout, self.process = library, timeout, None

    def run(self, graph):
        if self.process is None:
            command = [sys.executable, __file__, self.library, "--worker"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(graph + "\n")
        self.process.stdin.flush()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(self.process.stdout.readline)
            try:
                line = answer.result(self.timeout)
            except concurrent.futures.TimeoutError:
                self.process.kill()
                line = None
        if line:
            return tuple(json.loads(line))
        status = self.process.wait()
        self.process = None
        return ("timeout", "") if line is None else ("crash", f"exit status {status}")


def find_graphs(paths):
    for path in paths:
        if path.endswith(".json"):
            yield path
            continue
        for folder, _, files in sorted(os.walk(path)):
            for file in sorted(files):
                if file.endswith(".io.json"):
                    yield os.path.join(folder, file[: -len(".io.json")] + ".json")


def read_traits(folders):
    traits = {}
    for folder in folders:
        audit = os.path.join(folder, "audit.jsonl")
        if os.path.exists(audit):
            with open(audit, encoding="utf-8") as lines:
                for line in map(json.loads, lines):
                    traits[os.path.join(folder, line["hash"] + ".json")] = line["traits"]
    return traits


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--worker", action="store_true")
    options = parser.parse_args()
    if options.worker:
        return run_worker(options.library)
    graphs = list(find_graphs(options.paths))
    traits = read_traits({os.path.dirname(graph) for graph in graphs})
    counts = collections.Counter()

    def run_share(share):
        worker = Worker(options.library, options.timeout)
        for graph in share:
            outcome, detail = worker.run(graph)
            tags = ",".join(traits.get(graph, []))
            counts[outcome + (" (trait)" if outcome == "mismatch" and tags else "")] += 1
            if outcome not in ("pass", "no recording"):
                print(f"{outcome}: {graph}: {detail} {'[' + tags + ']' if tags else ''}", flush=True)
        if worker.process:
            worker.process.stdin.close()
            worker.process.wait()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run_share, [graphs[i :: options.jobs] for i in range(options.jobs)]))
    print(dict(counts))
    return 0 if counts["pass"] + counts["no recording"] == len(graphs) else 1


if __name__ == "__main__":
    sys.exit(main())
