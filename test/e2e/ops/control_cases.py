# control_cases.py - graphs of loops and branches.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds to CASES; see cases.py."""

from cases import case, typed
from chain_cases import chain_of, tame
from graph_builder import KINDS
from reduction_cases import reduce_op
from values import mixes, shape_of, small, smalls, some_shapes


def scope(g, specs, build):
    """A closed scope: `build(graph, parameters)` gives its results."""
    outer, g.nodes = g.nodes, []
    params = [g.op("parameter", [], kind, shape, bound, index=i) for i, (kind, shape, bound) in enumerate(specs)]
    results = build(g, params)
    made = {"params": [{"type": k, "shape": list(s)} for k, s, _ in specs], "nodes": g.nodes, "results": [t.number for t in results]}
    g.nodes = outer
    return made, results


def loop(g, state, condition, body):
    """The values that a while loop ends with."""
    specs = [(t.kind, t.shape, t.bound) for t in state]
    test, _ = scope(g, specs, lambda h, p: [condition(h, p)])
    again, _ = scope(g, specs, body)
    return values_of(g, "while", state, state, cond=test, body=again)


def values_of(g, op, args, results, **attrs):
    if len(results) == 1:
        return [g.op(op, args, results[0].kind, results[0].shape, results[0].bound, **attrs)]
    node = g.op(op, args, "tuple", (), **attrs)
    del g.nodes[-1]["shape"]
    g.nodes[-1]["arity"] = len(results)
    return [g.op("elem", [node], t.kind, t.shape, t.bound, index=i) for i, t in enumerate(results)]


def choose(g, predicates, branches):
    """A cond; each branch sees this scope and gives values of the same types."""
    made = [scope(g, [], lambda h, p, branch=branch: branch(h)) for branch in branches]
    *some, (default, results) = made
    return values_of(g, "cond", predicates, results, branches=[s for s, _ in some], default=default)


@typed("control", "while")
def typed_while(g, r, op, kind):
    """Two values change places a number of times."""
    for shape in some_shapes(r):
        state = [mixes(g, r, kind, shape), mixes(g, r, kind, shape), g.input("s32", (), [r.choice([0, 1, 4, 5])])]
        again = lambda h, p: [p[1], p[0], h.op("subtract", [p[2], h.constant("s32", 1)], "s32", ())]
        for t in loop(g, state, lambda h, p: h.op("greater", [p[2], h.constant("s32", 0)], "u8", ()), again):
            g.output(t)


@typed("control", "cond")
def typed_cond(g, r, op, kind):
    for shape in some_shapes(r):
        x, y = mixes(g, r, kind, shape), mixes(g, r, kind, shape)
        predicate = smalls(g, r, r.choice(KINDS), (), 1)
        for t in choose(g, [predicate], [lambda h: [x, y], lambda h: [y, x]]):
            g.output(t)


@typed("control", "io_call")
def typed_io_call(g, r, op, kind):
    for shape in some_shapes(r):
        g.output(g.op(op, [mixes(g, r, kind, shape)], kind, shape, name="seen"))


@typed("control", "runtime_call")
def typed_runtime_call(g, r, op, kind):
    g.output(g.op(op, [mixes(g, r, kind, (3,))], kind, (3,)))


@case("control/count")
def count_up(g, r):
    for turns in (0, 1, 5, 40):
        shape = shape_of(r, r.randint(0, 3), most=300)
        x, y = smalls(g, r, "f32", shape), smalls(g, r, "f32", shape)
        i = g.constant("s32", 0)
        end = g.input("s32", (), [turns])
        one = lambda h: h.constant("s32", 1)
        step = lambda h, p: [h.op("add", [p[0], one(h)], "s32", ()), p[1], h.op("subtract", [p[3], p[2]], "f32", shape), h.op("max", [p[2], p[3]], "f32", shape)]
        for t in loop(g, [i, end, x, y], lambda h, p: h.op("less", [p[0], p[1]], "u8", ()), step):
            g.output(t)


@case("control/until")
def until(g, r):
    """The number of turns depends on what a reduction of the state gives."""
    for shape in ((7,), (3, 40), (300, 5)):
        x = smalls(g, r, "f32", shape, 9)

        def grow(h, p):
            return [h.op("add", [p[0], h.constant("f32", 1.0)], "f32", shape)]

        def below(h, p):
            return h.op("less", [reduce_op(h, "sum", p[0], None, False), h.constant("f32", 5000.0)], "u8", ())

        g.output(loop(g, [x], below, grow)[0])


@case("control/fibonacci")
def fibonacci(g, r):
    for kind in ("s32", "u8", "s64", "u32", "f64"):
        state = [g.constant("s32", 0), g.constant(kind, 0), g.constant(kind, 1)]
        step = lambda h, p, kind=kind: [h.op("add", [p[0], h.constant("s32", 1)], "s32", ()), p[2], h.op("add", [p[1], p[2]], kind, ())]
        for t in loop(g, state, lambda h, p: h.op("less", [p[0], h.constant("s32", 40)], "u8", ()), step):
            g.output(t)


@case("control/body")
def long_bodies(g, r):
    """A chain of operations in a loop, its result made as small and of the same shape again."""
    shape = shape_of(r, r.randint(1, 3), most=200)
    kind = r.choice(["f32", "s32", "f64"])
    x = smalls(g, r, kind, shape, 3)

    def body(h, p):
        end = tame(h, r, chain_of(h, r, p[1], 4))
        if end.kind != kind:
            end = h.op("as_type", [end], kind, end.shape, end.bound)
        total = reduce_op(h, "reduce_max", end, None, False) if end.rank else end
        if total.kind != kind:
            total = h.op("as_type", [total], kind, ())
        changed = h.op("add", [p[1], total], kind, shape, 6)
        return [h.op("add", [p[0], h.constant("s32", 1)], "s32", ()), tame(h, r, changed)]

    # New tensors inside a loop can only be literals.
    was = type(g).input
    try:
        type(g).input = lambda self, k, s, values, bound=0: self.literal(k, s, values, bound)
        made = loop(g, [g.constant("s32", 0), x], lambda h, p: h.op("less", [p[0], h.constant("s32", r.choice([1, 3, 10]))], "u8", ()), body)
    finally:
        type(g).input = was
    g.output(made[0])
    g.output(made[1])


@case("control/nested")
def nested(g, r):
    shape = (r.choice([1, 5, 33]),)
    x = smalls(g, r, "s32", shape)

    def inner(h, p):
        return [h.op("add", [p[0], h.constant("s32", 1)], "s32", ()), h.op("add", [p[1], p[0]], "s32", shape)]

    def outer(h, p):
        turned = loop(h, [h.constant("s32", 0), p[1]], lambda q, s: q.op("less", [s[0], q.constant("s32", 3)], "u8", ()), inner)
        return [h.op("add", [p[0], turned[0]], "s32", ()), h.op("multiply", [turned[1], h.constant("s32", -1)], "s32", shape)]

    for t in loop(g, [g.constant("s32", 0), x], lambda h, p: h.op("less", [p[0], h.constant("s32", 12)], "u8", ()), outer):
        g.output(t)


@case("control/branches")
def branches(g, r):
    for kind in ("f32", "s32", "u8", "f16", "s64"):
        shape = shape_of(r, r.randint(0, 3), most=200)
        x, y = smalls(g, r, kind, shape), smalls(g, r, kind, shape)
        for count in (1, 2, 3):
            predicates = [g.input(k, (), small(r, k, 1, 1)) for k in r.choices(["u8", "f32", "s64"], k=count)]
            made = [lambda h, op=op: [h.op(op, [x, y], kind, shape), h.op("max", [y, x], kind, shape)] for op in ("add", "subtract", "multiply", "min")[: count + 1]]
            for t in choose(g, predicates, made):
                g.output(t)


@case("control/branch-reductions")
def branch_reductions(g, r):
    shape = (r.choice([3, 64]), r.choice([5, 300]))
    x = smalls(g, r, "f32", shape)
    predicate = g.op("greater", [reduce_op(g, "sum", x, None, False), g.constant("f32", 0.0)], "u8", ())
    result = choose(g, [predicate], [lambda h: [reduce_op(h, "sum", x, [1], False)], lambda h: [reduce_op(h, "reduce_max", x, [1], False)]])[0]
    g.output(g.op("add", [result, result], "f32", result.shape))


@case("control/loop-of-branches")
def loop_of_branches(g, r):
    """3n + 1."""
    x = g.input("s32", (), [r.randint(1, 60)])

    def body(h, p):
        odd = h.op("bitwise_and", [p[0], h.constant("s32", 1)], "s32", ())
        up = lambda q: [q.op("add", [q.op("multiply", [p[0], q.constant("s32", 3)], "s32", ()), q.constant("s32", 1)], "s32", ())]
        down = lambda q: [q.op("right_shift", [p[0], q.constant("s32", 1)], "s32", ())]
        return [choose(h, [odd], [up, down])[0], h.op("add", [p[1], h.constant("s32", 1)], "s32", ())]

    for t in loop(g, [x, g.constant("s32", 0)], lambda h, p: h.op("greater", [p[0], h.constant("s32", 1)], "u8", ()), body):
        g.output(t)
