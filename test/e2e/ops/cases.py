# cases.py - the table of all cases.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case is a function of (graph, random source) that adds inputs, nodes and outputs to the graph.

A typed case is made for each element type and tests one operation. Whether the operation takes the type, the importer
says: if it rejects that very node, the case is illegal and its answer the reason.
"""

from graph_builder import KINDS

# name -> function of (graph, random source)
CASES = {}
# name of a typed case -> (operation, type)
TYPED = {}


def case(name):
    def add(function):
        assert name not in CASES, name
        CASES[name] = function
        return function

    return add


def typed(family, *operations):
    """Decorates a function of (graph, random source, operation, type): a case for each operation and type."""

    def add(function):
        for operation in operations:
            for kind in KINDS:
                name = f"{family}/{operation}/{kind}"
                case(name)(lambda g, r, operation=operation, kind=kind: function(g, r, operation, kind))
                TYPED[name] = (operation, kind)
        return function

    return add
