# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports, exports and imports again every graph of a folder; compares the modules."""

import pathlib
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True)
    if done.returncode != 0:
        print("differs:", *command, done.stderr.decode(errors="replace"))
        sys.exit(1)
    return done.stdout


def main():
    tool, folder, scratch = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    count = 0
    for graph in sorted(pathlib.Path(folder).rglob("*.json")):
        if graph.name.endswith(".io.json"):
            continue
        module, exported = scratch / "module.mlir", scratch / graph.name
        module.write_bytes(run(tool, "--import-graph", str(graph)))
        exported.write_bytes(run(tool, "--export-graph", str(module)))
        if run(tool, "--import-graph", str(exported)) != module.read_bytes():
            print("differs:", graph)
            sys.exit(1)
        count += 1
    print(count, "graphs")


main()
