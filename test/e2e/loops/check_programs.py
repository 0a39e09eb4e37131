# check_programs.py - compares iterative programs with the interpreter.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: check_programs.py FOLDER THEME [NAME...]

Compiles each program of the theme (of these names), runs it with each of its inputs, and compares with the interpreter and,
where a program says what it gives, with that."""

import importlib
import sys

from programs import theme
from tools import Failure, Runner, Tensor, check_all, compare, differ


def check(runner, program):
    pack = runner.compile(program.file)
    for number, (inputs, expected) in enumerate(zip(program.runs, program.expected)):
        try:
            reference = runner.interpret(program.file, inputs)
            if expected is not None:
                compare_numbers(reference, expected, program.tolerance)
            options = ["--taps"] if program.taps is not None else []
            results, text = runner.run(pack, program.file, inputs, *options)
            compare(results, reference, program.tolerance)
            if program.taps is not None:
                compare_taps(text, program.taps[number])
        except Failure as failure:
            raise Failure(f"inputs {number}: {failure}") from None


def compare_numbers(reference, expected, tolerance):
    for i, (tensor, numbers) in enumerate(zip(reference, expected)):
        if numbers is not None:
            difference = differ(tensor, Tensor.of(tensor.type, tensor.shape, numbers), tolerance, 0.0)
            if difference:
                raise Failure(f"the interpreter's output {i} {difference}")


def compare_taps(text, expected):
    """`expected`: what nxv-run --taps prints, but for the shapes."""
    lines = [line for line in text.splitlines() if line.startswith("tap ")]
    found = [line.split(":")[0][len("tap ") :] + " " + line.split("= ")[1] for line in lines]
    if found != expected:
        raise Failure(f"taps are {found}, expected {expected}")


def main():
    folder, name, *chosen = sys.argv[1:]
    importlib.import_module(name)
    runner = Runner(folder)
    programs = [program for program in theme(name) if not chosen or program.name in chosen]
    return check_all([(program.name, lambda program=program: check(runner, program)) for program in programs])


if __name__ == "__main__":
    sys.exit(main())
