# damage.py PACK PREFIX - writes copies of a pack, each damaged in one way.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys


def flipped(data, at):
    copy = bytearray(data)
    copy[at] ^= 0x40
    return bytes(copy)


def main(path, prefix):
    with open(path, "rb") as file:
        pack = file.read()
    damaged = {
        "empty": b"",
        "magic": b"X" + pack[1:],
        "version": pack[:8] + b"\x63\0\0\0" + pack[12:],
        "short": pack[: len(pack) // 2],
        "header": flipped(pack, 48),
        "blob": flipped(pack, len(pack) - 40),
        "trailing": pack + b"\0" * 64,
    }
    for name, data in damaged.items():
        with open(f"{prefix}.{name}", "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
