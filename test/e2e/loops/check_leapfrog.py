# check_leapfrog.py - compares leapfrog steps with the interpreter, at many sizes.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check_leapfrog.py FOLDER recorded|sizes|counts|chains|evaluations... [--all]

recorded     the graphs of leapfrog.py are the traced ones, and give the recorded results
sizes        results are those of the interpreter; --all: at all 60 sizes, which takes minutes
counts       the number of steps is an input: shorter runs have the same first rows, to the bit
chains       each chain of a batch has the bits of the chain alone
evaluations  K steps evaluate the density and its gradient K + 1 times
"""

import argparse
import base64
import itertools
import json
import os
import re
import sys

from leapfrog import density_graph, leapfrog, make_inputs, step_size
from tools import Failure, Runner, Tensor, check_all, compare, differ

WORKLOADS = os.path.join(os.path.dirname(__file__), "..", "graphs", "workloads")
TOLERANCE = 1e-11

# Steps, parameters, observations and chains: every size of each with small ones of the others, the largest together.
SIZES = [
    (1, 8, 1, 0, "regime"),
    (1, 256, 1, 0, "scales"),
    (16, 8, 600, 0, "regime"),
    (1024, 1, 1, 0, "regime"),
    (1024, 8, 200, 0, "scales"),
    (16, 13, 200, 0, "regime"),
    (16, 13, 6000, 0, "scales"),
    (1024, 64, 1, 0, "scales"),
    (16, 64, 600, 0, "scales"),
    (32, 256, 200, 0, "scales"),
    (2, 256, 6000, 0, "regime"),
    (16, 13, 200, 4, "scales"),
    (16, 64, 200, 5, "scales"),
]
ALL_STEPS, ALL_PARAMETERS, ALL_OBSERVATIONS = (1, 16, 32, 1024), (1, 8, 13, 64, 256), (1, 200, 600, 6000)


class Run:
    """A graph with inputs and what it gives."""

    def __init__(self, runner, steps, parameters, observations, chains=0, density="regime"):
        self.runner = runner
        self.size = (steps, parameters, observations, chains, density)
        self.graph = leapfrog(*self.size)
        self.eps = step_size(steps)
        self.inputs = make_inputs(*self.size)

    def name(self):
        return "steps {}, parameters {}, observations {}, chains {}, {}".format(*self.size)

    def with_count(self, count):
        return [*self.inputs[:5], Tensor.of("s32", [], [count])]

    def check(self):
        results = self.runner.device(self.graph, self.inputs)
        compare(results, self.runner.interpret(self.graph, self.inputs), TOLERANCE)
        self.check_states(results)
        self.check_steps(results)

    def check_states(self, results):
        """Position, gradient and density of a row belong together."""
        steps, parameters, observations, chains, density = self.size
        positions, _, slopes, densities = results
        rows = max(1, chains) * steps
        obs = b"".join(row * steps for row in split(self.inputs[3].data, max(1, chains)))
        graph = density_graph(parameters, observations, rows, density)
        inputs = [
            Tensor("f64", [rows, parameters], positions.data),
            Tensor("f64", [rows, observations], obs),
        ]
        expected = self.runner.interpret(graph, inputs)
        try:
            flat = [Tensor("f64", [rows], densities.data), Tensor("f64", [rows, parameters], slopes.data)]
            compare(flat, expected, TOLERANCE)
        except Failure as failure:
            raise Failure(f"densities (0) and gradients (1) of the rows' positions: {failure}") from None

    def check_steps(self, results):
        """Momentum and position of a row come from the row before."""
        steps, parameters, _, chains, _ = self.size
        for chain in range(max(1, chains)):
            q, p, slopes = (Chain(tensor, chain, chains) for tensor in results[:3])
            masses = Chain(self.inputs[2], chain, chains)
            scale_q, scale_p = q.magnitude(), p.magnitude()
            for k, i in itertools.product(range(1, steps), range(parameters)):
                before, now = (k - 1) * parameters + i, k * parameters + i
                half = p.numbers[before] + self.eps / 2 * slopes.numbers[before]
                place = q.numbers[before] + self.eps * masses.numbers[i] * half
                momentum = half + self.eps / 2 * slopes.numbers[now]
                if abs(place - q.numbers[now]) > 1e-12 * scale_q or abs(momentum - p.numbers[now]) > 1e-12 * scale_p:
                    raise Failure(f"row {k} of chain {chain} is not one step from the row before, parameter {i}")


class Chain:
    """What a tensor holds for one chain."""

    def __init__(self, tensor, chain, chains):
        numbers = tensor.numbers()
        size = len(numbers) // max(1, chains)
        self.numbers = numbers[chain * size : (chain + 1) * size]

    def magnitude(self):
        return max(abs(number) for number in self.numbers)


def split(data, parts):
    size = len(data) // parts
    return [data[i * size : (i + 1) * size] for i in range(parts)]


# Recorded graphs


def canonical(scope, numbers):
    """The results of a scope as numbers that are equal where all that is computed is; `numbers` collects nodes."""
    known = {}
    for node in scope["nodes"]:
        attrs = {
            key: canonical(value, numbers) if isinstance(value, dict) else value
            for key, value in node.get("attrs", {}).items()
        }
        args = [known[arg] for arg in node["args"]]
        key = json.dumps([node["op"], args, node["type"], node.get("shape"), attrs], sort_keys=True)
        known[node["id"]] = numbers.setdefault(key, len(numbers))
    return [known[result] for result in scope["results"]]


def count_nodes(scope):
    """How many nodes there are of each operation, with those of inner scopes; but those that pick, and may be unused."""
    counts = {}
    for node in scope["nodes"]:
        if node["op"] in ("parameter", "elem"):
            continue
        counts[node["op"]] = counts.get(node["op"], 0) + 1
        for inner in node.get("attrs", {}).values():
            if isinstance(inner, dict):
                for op, count in count_nodes(inner).items():
                    counts[op] = counts.get(op, 0) + count
    return counts


def check_recorded(runner, name, chains):
    with open(os.path.join(WORKLOADS, f"{name}.json"), encoding="utf-8") as file:
        traced = json.load(file)
    built = json.loads(json.dumps(leapfrog(32, 8, 200, chains)))
    if (built["inputs"], built["outputs"]) != (traced["inputs"], traced["outputs"]):
        raise Failure("other inputs or outputs")
    numbers = {}
    if canonical(built["graph"], numbers) != canonical(traced["graph"], numbers):
        raise Failure("another computation")
    if count_nodes(built["graph"]) != count_nodes(traced["graph"]):
        raise Failure("other nodes")
    with open(os.path.join(WORKLOADS, f"{name}.io.json"), encoding="utf-8") as file:
        recorded = json.load(file)
    inputs, outputs = (
        [Tensor(each["type"], each["shape"], base64.b64decode(each["data"])) for each in recorded[which]]
        for which in ("inputs", "outputs")
    )
    compare(runner.interpret(built, inputs), outputs, TOLERANCE)
    compare(runner.device(built, inputs), outputs, TOLERANCE)


# Properties


def check_counts(runner):
    long, short = Run(runner, 32, 8, 200), Run(runner, 16, 8, 200)
    rows = runner.device(long.graph, long.inputs)
    expect_first_rows(rows, runner.device(short.graph, short.inputs), 16)
    for count in (16, 1, 0):
        rest = runner.device(long.graph, long.with_count(count))
        expect_first_rows(rows, [tensor.rows(0, count) for tensor in rest], count)
        for i, tensor in enumerate(rest):
            if any(tensor.rows(count, 32).data):
                raise Failure(f"{count} steps: output {i} has more rows than steps")


def expect_first_rows(rows, first, count):
    for i, (tensor, start) in enumerate(zip(rows, first)):
        if tensor.rows(0, count).data != start.data:
            raise Failure(f"output {i}: {count} steps have other bits: {differ(tensor.rows(0, count), start, 0, 0)}")


def check_chains(runner, chains, density="regime"):
    together = Run(runner, 16, 8, 200, chains, density)
    results = runner.device(together.graph, together.inputs)
    alone = Run(runner, 16, 8, 200, 0, density)
    for chain in range(chains):
        inputs = [
            Tensor(tensor.type, tensor.shape[1:], split(tensor.data, chains)[chain]) if tensor.shape else tensor
            for tensor in together.inputs
        ]
        for i, (whole, one) in enumerate(zip(results, runner.device(alone.graph, inputs))):
            part = Tensor(whole.type, whole.shape[1:], split(whole.data, chains)[chain])
            if part.data != one.data:
                raise Failure(f"chain {chain}, output {i} has other bits alone: {differ(part, one, 0, 0)}")


def count_sums(text, observations):
    """Sums over the observations outside of the steps' loop and inside, of what --emit=groups prints. The loop of the
    host that starts a kernel again is none of the steps."""
    counts = [0, 0]
    depth = None
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if "nxv.while" in line and "nxv.post_test" not in line and depth is None:
            depth = indent
        elif depth is not None and indent == depth and line.strip().startswith("}") and " do " not in line:
            depth = None
        if re.search(r"linalg\.generic.*\"reduction\"", line) and f"tensor<{observations}xf64>" in line:
            counts[depth is not None] += 1
    return counts


def check_evaluations(runner):
    """What is compiled sums over the observations as often as the graph says: once for the first state, before the loop,
    and once in a turn."""
    graph = leapfrog(32, 8, 200)
    nodes = graph["graph"]["nodes"]
    body = next(node["attrs"]["body"]["nodes"] for node in nodes if node["op"] == "while")
    expected = [sum(node["op"] == "sum" for node in scope) for scope in (nodes, body)]
    counts = count_sums(runner.emit(graph, "groups"), 200)
    if counts != expected:
        raise Failure(f"{counts} sums over the observations before the loop and in a turn, not {expected}")
    return "{} sums before the loop, {} in a turn".format(*counts)


def all_sizes():
    for steps, parameters, observations in itertools.product(ALL_STEPS, ALL_PARAMETERS, ALL_OBSERVATIONS):
        yield steps, parameters, observations, 0, "regime"
        yield steps, parameters, observations, 0, "scales"


def make_checks(runner, name, everything):
    if name == "recorded":
        for graph, chains in (("leapfrog_k32", 0), ("leapfrog_batch16", 16)):
            yield graph, lambda graph=graph, chains=chains: check_recorded(runner, graph, chains)
    elif name == "sizes":
        for size in all_sizes() if everything else SIZES:
            run = Run(runner, *size)
            yield run.name(), run.check
    elif name == "counts":
        yield name, lambda: check_counts(runner)
    elif name == "chains":
        for chains, density in itertools.product((4, 16), ("regime", "scales")):
            yield f"{chains} chains, {density}", lambda chains=chains, density=density: check_chains(runner, chains, density)
    elif name == "evaluations":
        yield name, lambda: check_evaluations(runner)
    else:
        sys.exit(f"there is no check {name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("checks", nargs="+")
    parser.add_argument("--all", action="store_true")
    chosen = parser.parse_args()
    runner = Runner(chosen.folder)
    return check_all([check for name in chosen.checks for check in make_checks(runner, name, chosen.all)])


if __name__ == "__main__":
    sys.exit(main())
