# check_stats.py - checks conditions on what `nxv-compile --stats` prints.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: nxv-compile ... --stats | check_stats.py 'dispatches <= 10' 'arena_bytes * 2 < intermediate_bytes'"""

import re
import sys


def main(conditions):
    text = sys.stdin.read()
    stats = {name: int(value) for name, value in re.findall(r"^(\w+): (\d+)$", text, re.MULTILINE)}
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
