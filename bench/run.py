#!/usr/bin/env python3
# run.py - times nxv's packs on a Vulkan device.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the graphs of graphs.py and times them on a device; needs nothing but Python's standard library.

On one machine:            bench/run.py --build=build
Compile here ...:          bench/run.py --build=build --packs=packs --compile-only
... and run there:         bench/run.py --packs=packs --run=./nxv-run

A time is the median of the device's own timestamps over many runs of a warm device. The floor of a memory-bound case is
what the device needs for its bytes at the rate of the `copy` case (or --bandwidth); the floor of a matmul is what it
needs for its operations at --tflops-f32 or --tflops-f64. `share` is floor / time. Bytes are those of the inputs and the
output, once each: what an implementation moves beyond them counts against it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import graphs

HERE = os.path.dirname(os.path.abspath(__file__))
REAL = {"mnist_mlp_step": os.path.join(HERE, "..", "test", "e2e", "graphs", "workloads", "mnist_mlp_step.json")}
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TIME = r"([\d.]+(?:e[+-]?\d+)?)\s*(ns|us|ms|s)\b"


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(1)


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1])
    return done.stdout + done.stderr


def write_graphs(folder, cases):
    for name, (graph, _) in cases.items():
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(graph, file)
    for name, path in REAL.items():
        if os.path.exists(path):
            shutil.copy(path, os.path.join(folder, name + ".json"))


def compile_packs(compiler, folder, names):
    for name in names:
        graph = os.path.join(folder, name + ".json")
        if not os.path.exists(graph):
            continue
        try:
            call([compiler, graph, "-o", os.path.join(folder, name + ".spvpack")])
        except RuntimeError as error:
            print(f"{name}: does not compile: {error}", file=sys.stderr)


def parse_times(text):
    """{"device": (minimum, median), "call": ...} in seconds, of nxv-run's report."""
    times = {}
    for line in text.splitlines():
        found = re.match(rf"(device|call): min\s+{TIME}, median\s+{TIME}", line)
        if found:
            which, low, low_unit, middle, middle_unit = found.groups()
            times[which] = (float(low) * UNITS[low_unit], float(middle) * UNITS[middle_unit])
    return times


def measure(options, name, work):
    pack = os.path.join(options.packs, name + ".spvpack")
    if not os.path.exists(pack):
        raise RuntimeError("no pack")
    command = [options.run, pack, "--random-inputs", f"--benchmark={options.runs}" if options.runs else "--benchmark"]
    if options.device:
        command.append(f"--device={options.device}")
    text = call(command)
    times = parse_times(text)
    if "device" not in times or "call" not in times:
        raise RuntimeError(f"nxv-run's report has no times:\n{text}")
    device = times["device"][1]
    row = {"name": name, "device_s": device, "device_min_s": times["device"][0], "call_s": times["call"][1]}
    if "bytes" in work:
        row.update(bytes=work["bytes"], gb_per_s=work["bytes"] / device / 1e9)
    if "flops" in work:
        row.update(flops=work["flops"], tflop_per_s=work["flops"] / device / 1e12, type=work["type"])
    return row


def add_shares(rows, options):
    copied = next((row["gb_per_s"] for row in rows if row["name"] == "copy"), None)
    bandwidth = options.bandwidth or copied
    peaks = {"f32": options.tflops_f32, "f64": options.tflops_f64}
    for row in rows:
        if "bytes" in row and bandwidth:
            row["share"] = row["gb_per_s"] / bandwidth
        elif "flops" in row and peaks.get(row["type"]):
            row["share"] = row["tflop_per_s"] / peaks[row["type"]]


def show_rate(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def show_time(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-2 else f"{seconds * 1e3:.1f} ms"


def table(rows):
    lines = ["| case | device time | whole call | work | rate | share of the floor |", "|---|---|---|---|---|---|"]
    for row in rows:
        work, rate = "", ""
        if "bytes" in row:
            work, rate = f"{row['bytes'] / 1e6:.1f} MB", f"{show_rate(row['gb_per_s'])} GB/s"
        if "flops" in row:
            work, rate = f"{show_rate(row['flops'] / 1e9)} GFLOP", f"{show_rate(row['tflop_per_s'])} TFLOP/s"
        share = f"{100 * row['share']:.0f} %" if "share" in row else ""
        lines.append(
            f"| {row['name']} | {show_time(row['device_s'])} | {show_time(row['call_s'])} | {work} | {rate} | {share} |"
        )
    return "\n".join(lines)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="build folder with bin/nxv-compile and bin/nxv-run")
    parser.add_argument("--packs", help="where the packs are or go (default: BUILD/bench)")
    parser.add_argument("--run", help="path of nxv-run (default: BUILD/bin/nxv-run)")
    parser.add_argument("--compile-only", action="store_true", help="make the packs and stop")
    parser.add_argument("--only", help="comma-separated names of cases")
    parser.add_argument("--small", action="store_true", help="small sizes, to try the script on a CPU device")
    parser.add_argument("--runs", type=int, help="timed runs a case (default: nxv-run's)")
    parser.add_argument("--device", help="as nxv-run's --device")
    parser.add_argument("--bandwidth", type=float, help="memory rate of the floor, GB/s (default: that of the copy case)")
    parser.add_argument("--tflops-f32", type=float, help="f32 peak of the floor")
    parser.add_argument("--tflops-f64", type=float, help="f64 peak of the floor")
    parser.add_argument("--json", help="write the figures to this file too")
    options = parser.parse_args()
    if not options.build and not (options.packs and options.run):
        fail("expected --build, or --packs and --run")
    options.packs = options.packs or os.path.join(options.build, "bench")
    options.run = options.run or os.path.join(options.build, "bin", "nxv-run")
    return options


def main():
    options = parse_options()
    cases = graphs.cases(options.small)
    names = [*cases, *REAL]
    if options.only:
        unknown = set(options.only.split(",")) - set(names)
        if unknown:
            fail(f"no case named {sorted(unknown)[0]}; there are {', '.join(names)}")
        names = [name for name in names if name in options.only.split(",")]
    if options.build:
        os.makedirs(options.packs, exist_ok=True)
        write_graphs(options.packs, cases)
        compile_packs(os.path.join(options.build, "bin", "nxv-compile"), options.packs, names)
    if options.compile_only:
        return
    rows, failed = [], False
    for name in names:
        try:
            rows.append(measure(options, name, cases[name][1] if name in cases else {}))
        except (RuntimeError, OSError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    add_shares(rows, options)
    print(table(rows))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
