# runner.py - runs graphs of many cases in the interpreter and on a device.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many cases share a graph, so that a process runs dozens; where that fails, each is run alone to find the one."""

import os
import random
import re
import shutil
import subprocess
import tempfile

from cases import CASES, TYPED
from compare import Failure, compare
from graph_builder import Graph, bytes_of

NODE = re.compile(r"node (\d+) \(([a-z_0-9]+)\): error: (.*)")


def write_npy(path, tensor):
    names = dict(f16="<f2", f32="<f4", f64="<f8", c64="<c8", c128="<c16")
    kind = tensor["type"]
    width = bytes_of(kind)
    # Bit patterns where NumPy has no such float.
    name = names.get(kind) or ("|" if width == 1 else "<") + ("i" if kind[0] == "s" else "u") + str(width)
    shape = tuple(tensor["shape"])
    header = f"{{'descr': '{name}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + tensor["data"])


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    return data[10 + int.from_bytes(data[8:10], "little") :]


def run(what, *command, timeout=300):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{what}: no end after {timeout} s") from error
    if done.returncode:
        text = (done.stderr + done.stdout).strip().splitlines()
        raise Failure(f"{what}: status {done.returncode}: " + " | ".join(text[:3])[:600])


class Batch:
    """A graph of several cases, and which nodes are whose."""

    def __init__(self, names, first=0):
        self.graph, self.owners = Graph(), []
        self.graph.next_number = first
        for name, seed in names:
            CASES[name](self.graph, random.Random(f"{seed}/{name}"))
            self.owners.append((self.graph.next_number, name))


class Runner:
    def __init__(self, tools="", keep=""):
        self.tool = lambda name: os.path.join(tools, name) if tools else name
        self.keep = keep
        self.counts, self.illegal = {}, {}

    # What is legal

    def ask_importer(self, names, folder):
        """Notes the typed cases whose own operation the importer rejects, and why."""
        graphs, owners, number = [], [], 0
        for case in names:
            batch = Batch([case], number)
            number = batch.graph.next_number
            graphs.append(batch.graph.json())
            owners += batch.owners
        path = os.path.join(folder, "cases.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n// -----\n".join(graphs))
        command = [self.tool("nxv-translate"), "--import-graph", "--split-input-file", path, "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = NODE.findall(done.stderr)
        for node, operation, reason in found:
            name = next(name for end, name in owners if int(node) < end)
            # The definition of a block may be what does not take the type.
            if TYPED[name][0].split()[0] not in (operation, "block"):
                raise Failure(f"importer: {name}: node {node} ({operation}): {reason}")
            self.illegal[name] = reason
        if done.returncode and not found:
            raise Failure(f"importer: {done.stderr[:600]}")

    def legal(self, names, folder):
        """Those of the cases that the importer takes."""
        typed = [case for case in names if case[0] in TYPED]
        if typed:
            self.ask_importer(typed, folder)
        return [case for case in names if case[0] not in self.illegal]

    # What agrees

    @staticmethod
    def write_graph(graph, folder):
        path = os.path.join(folder, "graph.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(graph.json())
        return path

    @staticmethod
    def write_inputs(graph, folder):
        options = []
        for i, tensor in enumerate(graph.inputs):
            file = os.path.join(folder, f"in{i}.npy")
            write_npy(file, tensor)
            options.append(f"--input={''.join(f'{n}x' for n in tensor['shape'])}{tensor['type']}=@{file}")
        return options

    def execute(self, graph, folder):
        """Raises a Failure unless the compiled graph gives what the interpreter does."""

        def outputs(prefix):
            return [os.path.join(folder, f"{prefix}{i}.npy") for i in range(len(graph.outputs))]

        path, inputs = self.write_graph(graph, folder), self.write_inputs(graph, folder)
        wanted, got = outputs("wanted"), outputs("got")
        run("interpreter", self.tool("nxv-run"), path, "--reference", *inputs, *[f"--output=@{p}" for p in wanted])
        with open(os.path.join(folder, "graph.io.json"), "w", encoding="utf-8") as file:
            file.write(graph.io_json("ops", [read_npy(p) for p in wanted]))
        pack = os.path.join(folder, "graph.spvpack")
        run("compiler", self.tool("nxv-compile"), path, "-o", pack)
        run("device", self.tool("nxv-run"), pack, *inputs, *[f"--output=@{p}" for p in got])
        for i, (tensor, tolerance) in enumerate(graph.outputs):
            try:
                compare(tensor, tolerance, read_npy(got[i]), read_npy(wanted[i]))
            except Failure as failure:
                raise Failure(f"output {i}: {failure}") from None

    def attempt(self, names):
        """The failure of a graph of all these cases, or None."""
        folder = tempfile.mkdtemp(prefix="nxv-ops-")
        try:
            batch = Batch(self.legal(names, folder))
            if batch.owners:
                self.execute(batch.graph, folder)
                self.count(batch.graph)
            return None
        except Failure as failure:
            if self.keep and len(names) == 1:
                kept = os.path.join(self.keep, f"{names[0][0].replace('/', '-')}-{names[0][1]}")
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
            return str(failure)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def failures(self, names):
        """[(name, seed, failure)] of the cases that fail; found by halves."""
        failure = self.attempt(names)
        if failure is None:
            return []
        if len(names) == 1:
            return [(*names[0], failure)]
        middle = len(names) // 2
        found = self.failures(names[:middle]) + self.failures(names[middle:])
        # Where each half succeeds, the whole is the failing case.
        return found or [(f"{names[0][0]} to {names[-1][0]} together", names[0][1], failure)]

    def count(self, graph):
        """All nodes of the graph lead to outputs that were compared."""
        for pair in graph.pairs():
            self.counts[pair] = self.counts.get(pair, 0) + 1
