# run_readme.py README TOOLS - runs the commands of the readme and compares what they print with what stands there.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands are the indented lines that start with `$ build/bin/`; the indented lines below are their output, all numbers
standing for any number. A command shown with an error must fail, all others must succeed."""

import os
import re
import subprocess
import sys


def commands(text):
    """[(command, lines of output)]"""
    found = []
    for line in text.splitlines():
        if line.startswith("    $ build/bin/"):
            found.append((line[6:], []))
        elif line.startswith("    ") and found:
            found[-1][1].append(line[4:])
        elif found:
            found.append(("", []))
    return [(command, output) for command, output in found if command]


def normal(lines):
    device = [re.sub(r"^device: .*", "device", line) for line in lines]
    return [re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "N", line) for line in device]


def main(readme, tools):
    root = os.path.dirname(os.path.abspath(readme))
    with open(readme, encoding="utf-8") as file:
        listed = commands(file.read())
    assert listed, "no commands in the readme"
    for command, expected in listed:
        words = command.replace("build/bin/", tools + "/", 1).replace("test/e2e/", root + "/test/e2e/").split()
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        printed = done.stdout.replace(root + "/", "").splitlines()
        fails = any("error:" in line for line in expected)
        if bool(done.returncode) != fails:
            sys.exit(f"{command}: exit code {done.returncode}\n{done.stdout}")
        if expected and normal(printed) != normal(expected):
            sys.exit(f"{command}: printed\n{done.stdout}\nthe readme says\n" + "\n".join(expected))


if __name__ == "__main__":
    main(*sys.argv[1:])
