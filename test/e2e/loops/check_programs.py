# check_programs.py - compares iterative programs with the interpreter.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check_programs.py FOLDER THEME [NAME...]

Compiles each program of the theme (of these names), runs it with each of its inputs, and compares with the interpreter and,
where a program says what it gives, with that. Then it is run with the inputs in reverse order, and gives the same bits."""

import importlib
import sys

from programs import theme
from session import Device, Session
from tools import Failure, Runner, Tensor, check_all, compare, differ


def check(runner, device, program):
    session = Session(device, runner.compile(program.file), program.file)
    if program.taps is not None:
        session.watch_taps()
    try:
        first = [check_run(runner, session, program, number) for number in range(len(program.runs))]
        for number in reversed(range(len(first))):
            again = session.run(program.runs[number])
            if [tensor.data for tensor in again] != [tensor.data for tensor in first[number]]:
                raise Failure(f"inputs {number}: other bits after other inputs")
    finally:
        session.close()


def check_run(runner, session, program, number):
    inputs, expected = program.runs[number], program.expected[number]
    try:
        reference = runner.interpret(program.file, inputs)
        if expected is not None:
            compare_numbers(reference, expected, program.tolerance)
        results = session.run(inputs)
        compare(results, reference, program.tolerance)
        if program.taps is not None:
            compare_taps(session.taps, program.taps[number])
    except Failure as failure:
        raise Failure(f"inputs {number}: {failure}") from None
    return results


def compare_numbers(reference, expected, tolerance):
    for i, (tensor, numbers) in enumerate(zip(reference, expected)):
        if numbers is not None:
            difference = differ(tensor, Tensor.of(tensor.type, tensor.shape, numbers), tolerance, 0.0)
            if difference:
                raise Failure(f"the interpreter's output {i} {difference}")


def compare_taps(taps, expected):
    """`expected`: pairs of a name and numbers."""
    found = [(name, list(tensor.numbers())) for name, tensor in taps]
    if found != expected:
        raise Failure(f"taps are {found}, expected {expected}")


def main():
    folder, name, *chosen = sys.argv[1:]
    importlib.import_module(name)
    runner, device = Runner(folder), Device()
    programs = [program for program in theme(name) if not chosen or program.name in chosen]
    status = check_all([(program.name, lambda program=program: check(runner, device, program)) for program in programs])
    device.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
