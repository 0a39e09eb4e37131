# programs.py - what the generated loop programs share.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program is a graph with some sets of inputs. Modules list theirs with the decorator `@programs(name)`, whose function
gives the Program or several."""

import math
import random

from graph_builder import Graph, Value
from tools import Tensor

THEMES = {}


class Program:
    def __init__(self, name, tolerance=0.0):
        self.name = name
        self.graph = Graph(name)
        self.tolerance = tolerance
        self.runs = []
        # What is known without the interpreter: for each run a list of numbers for each output, or None.
        self.expected = []
        self.taps = None

    def input(self, type, shape, donatable=False):
        return self.graph.input(type, shape, donatable=donatable)

    def finish(self, results):
        self.file = self.graph.finish(results)
        return self

    def run(self, *values, expect=None):
        """One more set of inputs, as lists of numbers, or numbers for scalars."""
        tensors = []
        for like, numbers in zip(self.graph.inputs, values):
            if not isinstance(numbers, (list, tuple)):
                numbers = [numbers]
            size = math.prod(like["shape"]) * (2 if like["type"][0] == "c" else 1)
            if len(numbers) != size:
                raise ValueError(f"{self.name}: {len(numbers)} numbers for {like}")
            tensors.append(Tensor.of(like["type"], like["shape"], numbers))
        if len(values) != len(self.graph.inputs):
            raise ValueError(f"{self.name}: {len(values)} inputs of {len(self.graph.inputs)}")
        self.runs.append(tensors)
        self.expected.append(expect)
        return self


def programs(theme):
    def register(function):
        THEMES.setdefault(theme, []).append(function)
        return function

    return register


def theme(name):
    return [program for function in THEMES[name] for program in function()]


def counted(graph, turns, state, body):
    """The state after `turns` (a number or a value) times `body(turn, *state)`, a list."""
    count = len(state)
    limit = [turns] if isinstance(turns, Value) else []
    type = turns.type if limit else "s32"

    def goes_on(turn, *rest):
        return graph.op("less", turn, rest[-1] if limit else turns)

    def turned(turn, *rest):
        return [turn + 1, *body(turn, *rest[:count]), *rest[count:]]

    return graph.while_loop([graph.constant(0, type), *state, *limit], goes_on, turned)[1 : count + 1]


def row(graph, value, turn, axis=0):
    """The part of `value` at `turn` of an axis, without the axis."""
    starts = [0] * len(value.shape)
    lengths = list(value.shape)
    if isinstance(turn, Value):
        starts = [graph.constant(0, turn.type) for _ in starts]
    starts[axis], lengths[axis] = turn, 1
    return graph.squeeze(graph.slice(value, starts, lengths), [axis])


def put_row(graph, target, value, turn, axis=0):
    """`target` with its part at `turn` of an axis replaced."""
    shape = list(target.shape)
    shape[axis] = 1
    starts = [graph.constant(0, turn.type if isinstance(turn, Value) else "s32") for _ in shape]
    starts[axis] = turn
    return graph.put_slice(target, graph.reshape(value, shape), starts)


def reals(seed, count, low=-1.0, high=1.0):
    chance = random.Random(seed)
    return [chance.uniform(low, high) for _ in range(count)]


def integers(seed, count, low, high):
    chance = random.Random(seed)
    return [chance.randint(low, high) for _ in range(count)]


def complex_parts(type):
    return 2 if type[0] == "c" else 1
