# graph_builder.py - writes graphs in the graph format.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph is built as a front-end traces one: calls on a Graph add nodes to the scope that is being built.

    g = Graph("twice")
    x = g.input("f64", [4])
    g.finish([x + x])

Operators take a Value or a number; a number is a scalar constant of the other side's type. Operands need not agree in type
or shape, the format casts and broadcasts them. Nothing is folded and nothing is merged but equal constants of a scope.
"""

PREDICATE_OPS = (
    "equal not_equal greater less greater_equal less_equal logical_and logical_or logical_xor is_nan is_infinity all any"
).split()
FLOAT_OPS = "exp expm1 log log1p sigmoid cos sin tan tanh sqrt rsqrt erf divide atan2".split()
COMPLEX_PARTS = {"c64": "f32", "c128": "f64"}


def width(type):
    return int(type[1:])


def merge(left, right):
    """The type that operands of these types are cast to (docs/graph-format.md)."""
    if left == right:
        return left
    rank = {"u": 0, "s": 1, "f": 2, "c": 3}
    low, high = sorted((left, right), key=lambda type: (rank[type[0]], width(type)))
    if low[0] == "u" and high[0] == "s":
        return f"s{min(64, max(width(high), 2 * width(low)))}"
    if low[0] == "f" and high[0] == "c":
        return f"c{max(width(high), 2 * width(low))}"
    return high


def to_floating(type):
    return type if type[0] in "fc" else "f32"


def stretch(left, right):
    """The shape that both shapes broadcast to."""
    rank = max(len(left), len(right))
    left, right = ([1] * (rank - len(shape)) + list(shape) for shape in (left, right))
    shape = [b if a == 1 else a for a, b in zip(left, right)]
    if any(b not in (1, size) for b, size in zip(right, shape)):
        raise ValueError(f"{left} and {right} do not broadcast")
    return shape


class Value:
    def __init__(self, graph, id, type, shape):
        self.graph, self.id, self.type, self.shape = graph, id, type, list(shape)

    def __add__(self, other):
        return self.graph.op("add", self, other)

    def __sub__(self, other):
        return self.graph.op("subtract", self, other)

    def __mul__(self, other):
        return self.graph.op("multiply", self, other)

    def __truediv__(self, other):
        return self.graph.op("divide", self, other)

    def __neg__(self):
        return self.graph.op("negate", self)


class Scope:
    def __init__(self, params):
        self.params = params
        self.nodes = []
        self.constants = {}
        self.parameters = {}

    def json(self, results):
        params = [{"type": type, "shape": shape} for type, shape in self.params]
        return {"params": params, "nodes": self.nodes, "results": [value.id for value in results]}


class Graph:
    def __init__(self, name):
        self.name = name
        self.inputs = []
        self.scopes = [Scope([])]
        self.count = 0

    # Nodes

    def node(self, op, args, type, shape, attrs=None, **more):
        """Adds a node and returns its value; its attributes may be filled in later."""
        node = {"id": self.count, "op": op, "args": [arg.id for arg in args], "type": type}
        self.count += 1
        if shape is not None:
            node["shape"] = list(shape)
        node.update(more)
        if attrs is not None:
            node["attrs"] = attrs
        self.scopes[-1].nodes.append(node)
        return Value(self, node["id"], type, shape or [])

    def op(self, op, *args, type=None, shape=None, attrs=None):
        """An element-wise operation."""
        like = next(arg for arg in args if isinstance(arg, Value))
        args = [self.value(arg, like.type) for arg in args]
        if type is None:
            numbers = args[1:] if op == "select" else args
            type = numbers[0].type
            for arg in numbers[1:]:
                type = merge(type, arg.type)
            if op in PREDICATE_OPS:
                type = "u8"
            elif op in FLOAT_OPS:
                type = to_floating(type)
            elif op in ("abs", "real", "imag"):
                type = COMPLEX_PARTS.get(type, type)
        if shape is None:
            shape = []
            for arg in args:
                shape = stretch(shape, arg.shape)
        return self.node(op, args, type, shape, attrs)

    def value(self, number, type):
        return number if isinstance(number, Value) else self.constant(number, type)

    def constant(self, number, type, shape=()):
        constants = self.scopes[-1].constants
        key = (repr(number), type, tuple(shape))
        if key not in constants:
            constants[key] = self.node("constant", [], type, shape, {"value": number})
        return constants[key]

    def iota(self, type, shape, axis=None):
        return self.node("iota", [], type, shape, {"axis": axis})

    def input(self, type, shape, name=None, donatable=False):
        """With `donatable` the input's memory may be used for an output."""
        more = {**({"name": name} if name else {}), **({"donatable": True} if donatable else {})}
        self.inputs.append({"type": type, "shape": list(shape), **more})
        self.scopes[0].params.append((type, list(shape)))
        return self.node("parameter", [], type, shape, {"index": len(self.inputs) - 1})

    # Movement

    def cast(self, value, type):
        return self.node("as_type", [value], type, value.shape)

    def reshape(self, value, shape):
        return self.node("reshape", [value], value.type, shape)

    def squeeze(self, value, axes):
        shape = [size for axis, size in enumerate(value.shape) if axis not in axes]
        return self.node("squeeze", [value], value.type, shape, {"axes": list(axes)})

    def broadcast(self, value, shape, axes):
        return self.node("broadcast", [value], value.type, shape, {"shape": list(shape), "axes": list(axes)})

    def transpose(self, value, axes):
        return self.node("transpose", [value], value.type, [value.shape[axis] for axis in axes], {"axes": list(axes)})

    def slice(self, value, starts, lengths):
        """Starts are numbers, or values."""
        dynamic = [start for start in starts if isinstance(start, Value)]
        attrs = {
            "lengths": list(lengths),
            "starts": [None if isinstance(start, Value) else start for start in starts],
            "strides": [1] * len(lengths),
        }
        return self.node("slice", [value, *dynamic], value.type, lengths, attrs)

    def put_slice(self, target, piece, starts):
        type = merge(target.type, piece.type)
        return self.node("put_slice", [target, piece, *[self.value(start, "s32") for start in starts]], type, target.shape)

    def concatenate(self, values, axis):
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        return self.node("concatenate", values, values[0].type, shape, {"axis": axis})

    # Reductions and contractions

    def reduce(self, op, value, axes=None, keep=False):
        all_axes = range(len(value.shape)) if axes is None else axes
        shape = [1 if axis in all_axes else size for axis, size in enumerate(value.shape) if keep or axis not in all_axes]
        type = "u8" if op in ("all", "any") else value.type
        attrs = {"axes": axes if axes is None else list(axes), "keep_axes": keep}
        return self.node(op, [value], type, shape, attrs)

    def sum(self, value, axes=None, keep=False):
        return self.reduce("sum", value, axes, keep)

    def dot(self, left, right, contract=None):
        lhs, rhs = contract or ([len(left.shape) - 1], [0])
        shape = [size for axis, size in enumerate(left.shape) if axis not in lhs]
        shape += [size for axis, size in enumerate(right.shape) if axis not in rhs]
        attrs = {"contract": [list(lhs), list(rhs)], "batch": [[], []]}
        return self.node("dot", [left, right], merge(left.type, right.type), shape, attrs)

    # Control

    def build(self, scope, body, *values):
        self.scopes.append(scope)
        results = body(*values)
        self.scopes.pop()
        return scope.json(results)

    def closed(self, state, body):
        """The scope of a loop: `body` gets parameters like `state` and returns the results."""
        scope = Scope([(value.type, value.shape) for value in state])

        def with_parameters():
            parameters = [
                self.node("parameter", [], type, shape, {"index": index})
                for index, (type, shape) in enumerate(scope.params)
            ]
            return body(*parameters)

        return self.build(scope, with_parameters)

    def while_loop(self, state, condition, body):
        """`condition` and `body` get the state; a body returns the next one as a list."""
        one = len(state) == 1
        attrs = {}
        if one:
            result = self.node("while", state, state[0].type, state[0].shape, attrs)
        else:
            result = self.node("while", state, "tuple", None, attrs, arity=len(state))
        attrs["cond"] = self.closed(state, lambda *values: [condition(*values)])
        attrs["body"] = self.closed(state, body)
        return [result] if one else self.elements(result, state)

    def cond(self, branches, default):
        """`branches`: pairs of a predicate and a function without arguments, that returns the results as a list."""
        predicates = [predicate for predicate, _ in branches]
        # Like the format's readers, the node needs the types of the results before the branches are there.
        attrs = {}
        place = len(self.scopes[-1].nodes)
        result = self.node("cond", predicates, "tuple", None, attrs)
        kept = []

        def keep(branch):
            def body():
                kept[:] = branch()
                return kept

            return body

        attrs["branches"] = [self.build(Scope([]), keep(branch)) for _, branch in branches]
        attrs["default"] = self.build(Scope([]), keep(default))
        node = self.scopes[-1].nodes[place]
        if len(kept) == 1:
            node.update(type=kept[0].type, shape=kept[0].shape)
            return [Value(self, result.id, kept[0].type, kept[0].shape)]
        node["arity"] = len(kept)
        return self.elements(result, kept)

    def elements(self, result, like):
        return [self.node("elem", [result], each.type, each.shape, {"index": i}) for i, each in enumerate(like)]

    def tap(self, value, name):
        return self.node("io_call", [value], value.type, value.shape, {"name": name})

    # The file

    def finish(self, results):
        leaves = [{"leaf": {"type": value.type, "shape": value.shape}} for value in results]
        scope = self.scopes[0].json(results)
        return {
            "format": "nxv-graph",
            "version": 1,
            "producer": {"name": "nxv-tests", "version": "1"},
            "name": self.name,
            "inputs": self.inputs,
            "outputs": {"tuple": leaves},
            "graph": scope,
        }
