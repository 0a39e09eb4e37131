# gen.py - compares compiled graphs with the interpreter, an operation at a time.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates graphs of few operations over all types, shapes and attributes; runs each in the interpreter and compiled
on a device; compares.

    gen.py                                 one instance of every case
    gen.py --fixed                         those of the test suite
    gen.py --only=reduce/ --seed=7         those whose name starts so, other random choices
    gen.py --cases=500 --seed=7            500 random chains and cases
    gen.py --only=move/pad/f32 --keep=DIR  leaves graph and tensors of what fails in DIR
"""

import argparse
import concurrent.futures
import json
import os
import random
import sys

import chain_cases
import contraction_cases  # noqa: F401, these add their cases
import control_cases  # noqa: F401
import elementwise_cases  # noqa: F401
import movement_cases  # noqa: F401
import order_cases  # noqa: F401
import reduction_cases  # noqa: F401
from cases import CASES, TYPED
from runner import Runner


# Of the cases of larger graphs, the test suite runs each n-th.
EVERY = 31


def chosen(options):
    """[(name, seed)] of what to run."""
    if options.cases:
        source = random.Random(options.seed)
        pool = [n for n in chain_cases.RANDOM if n.startswith(options.only)] or [n for n in CASES if n.startswith(options.only)]
        return [(source.choice(pool), f"{options.seed}.{i}") for i in range(options.cases)]
    names = [n for n in CASES if n.startswith(options.only)]
    if options.typed:
        names = [n for n in names if n in TYPED]
    elif options.fixed:
        # Every operation with every type, and some of what is large.
        names = [n for n in names if n in TYPED] + [n for n in names if n not in TYPED][::EVERY]
    return [(n, options.seed) for n in names]


def uncovered(runner):
    """The legal pairs of an operation and a type that nothing compared."""
    illegal = {TYPED[name] for name in runner.illegal}
    return sorted(set(TYPED.values()) - illegal - set(runner.counts))


def report(runner):
    """Counts and reasons by operation and type."""
    compared, illegal = {}, {}
    for (operation, kind), count in sorted(runner.counts.items()):
        compared.setdefault(operation, {})[kind] = count
    for name, reason in sorted(runner.illegal.items()):
        operation, kind = TYPED[name]
        illegal.setdefault(operation, {})[kind] = reason
    return {"compared": compared, "illegal": illegal}


def run_all(runner, work, options):
    """The number of cases that failed."""
    batches = [work[i : i + options.batch] for i in range(0, len(work), options.batch)]
    count = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(runner.failures, batches):
            for name, seed, failure in found:
                count += 1
                print(f"FAIL {name} --seed={seed}: {failure}", flush=True)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", default="1", help="of the random choices")
    parser.add_argument("--cases", type=int, default=0, help="that many random ones instead of one of each")
    parser.add_argument("--only", default="", help="those whose name starts so")
    parser.add_argument("--fixed", action="store_true", help="those of the test suite")
    parser.add_argument("--typed", action="store_true", help="those of one operation and one type")
    parser.add_argument("--batch", type=int, default=24, help="cases in a graph")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tools", default="", help="where nxv-compile and nxv-run are")
    parser.add_argument("--keep", default="", help="where to leave what fails")
    parser.add_argument("--report", default="", help="where to write what was compared")
    parser.add_argument("--list", action="store_true", help="list the cases")
    options = parser.parse_args()
    work = chosen(options)
    if options.list:
        print(*[name for name, _ in work], sep="\n")
        return 0
    if not work:
        print("error: no case is called so", file=sys.stderr)
        return 1
    os.environ.setdefault("LP_NUM_THREADS", "0")
    runner = Runner(options.tools, options.keep)
    count = run_all(runner, work, options)
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump(report(runner), file, indent=1, sort_keys=True)
    print(f"{len(work)} cases: {count} failed, {len(runner.illegal)} are not legal")
    print(f"{len(runner.counts)} pairs of an operation and a type compared")
    if options.fixed and not options.only:
        for operation, kind in uncovered(runner):
            count += 1
            print(f"FAIL {operation} of {kind} was not compared")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
