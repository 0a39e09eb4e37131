# check_stats.py - checks conditions on what `nxv-compile --stats` prints.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: nxv-compile ... --stats | check_stats.py [--graph=GRAPH.json] 'dispatches <= 10' 'arena_bytes * 2 < node_bytes'

With --graph there is also node_bytes: the bytes of all nodes' values, without inputs, constants and outputs.
"""

import json
import math
import re
import sys

NOT_COMPUTED = ("parameter", "constant", "tensor", "elem", "fun")


def width(type):
    return max(1, int(re.search(r"\d+", type).group()) // 8)


def node_bytes(path):
    with open(path, encoding="utf-8") as file:
        scope = json.load(file)["graph"]
    return sum(
        width(node["type"]) * math.prod(node["shape"])
        for node in scope["nodes"]
        if "shape" in node and node["op"] not in NOT_COMPUTED and node["id"] not in scope["results"]
    )


def main(arguments):
    graphs = [argument[len("--graph=") :] for argument in arguments if argument.startswith("--graph=")]
    conditions = [argument for argument in arguments if not argument.startswith("--")]
    text = sys.stdin.read()
    stats = {name: int(value) for name, value in re.findall(r"^(\w+): (\d+)$", text, re.MULTILINE)}
    for graph in graphs:
        stats["node_bytes"] = node_bytes(graph)
    failed = False
    for condition in conditions:
        unknown = [name for name in re.findall(r"[a-z_]+", condition) if name not in stats]
        if unknown:
            print(f"no '{unknown[0]}' in the statistics:\n{text}", file=sys.stderr)
            return 1
        if not eval(condition, {"__builtins__": {}}, stats):
            print(f"not so: {condition}, with {stats}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
