# graph_format.py - the lit format that runs real graphs end to end.
# Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One test a graph: the interpreter, then the compiled pack on a device, must both give the recorded outputs.

graphs.txt lists every graph with what runs it:

    basic/softmax   device
    basic/fft       reference   no FFT kernels yet
    NAME            none        REASON

A graph that is not listed, or a listed one that is not there, fails the discovery, so that coverage is never a guess.
"""

import os

import lit.formats
import lit.Test
import lit.TestRunner

REFERENCE = ["nxv-run %s --reference --io=%io"]
DEVICE = [
    "nxv-compile %s -o %t.spvpack",
    "env NXV_VALIDATE=1 nxv-run %t.spvpack --io=%io",
]
COMMANDS = {"device": REFERENCE + DEVICE, "reference": REFERENCE, "none": None}


def read_list(folder):
    """{graph name: what runs it}; raises ValueError where the list and the folder disagree."""
    listed = {}
    with open(os.path.join(folder, "graphs.txt"), encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split(None, 2)
            if not words:
                continue
            name, runs, reason = (words + ["", ""])[:3]
            if runs not in COMMANDS or (runs == "device") == bool(reason):
                raise ValueError(f"graphs.txt: {line.strip()!r}: expected 'NAME device' or 'NAME reference|none REASON'")
            if name in listed:
                raise ValueError(f"graphs.txt: {name} stands there twice")
            listed[name] = runs
    present = {
        f"{kind}/{file[:-5]}"
        for kind in ("basic", "corpus", "regressions", "workloads")
        for file in os.listdir(os.path.join(folder, kind))
        if file.endswith(".json") and not file.endswith(".io.json")
    }
    if present != set(listed):
        raise ValueError(f"graphs.txt and the folder disagree about {sorted(present ^ set(listed))}")
    return listed


class GraphFormat(lit.formats.ShTest):
    def __init__(self, folder, execute_external):
        super().__init__(execute_external)
        self.listed = read_list(folder)

    def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
        name = "/".join(path_in_suite[-2:])[: -len(".json")]
        if COMMANDS.get(self.listed.get(name, "none")):
            yield lit.Test.Test(testSuite, path_in_suite, localConfig)

    def execute(self, test, litConfig):
        name = "/".join(test.path_in_suite[-2:])[: -len(".json")]
        missing = {"nxv-compile", "nxv-run"} - test.config.available_features
        if missing:
            return lit.Test.Result(lit.Test.UNSUPPORTED, f"this build has no {', '.join(sorted(missing))}")
        io = test.getSourcePath()[: -len(".json")] + ".io.json"
        return lit.TestRunner.executeShTest(
            test,
            litConfig,
            self.execute_external,
            extra_substitutions=[("%io", io)],
            preamble_commands=COMMANDS[self.listed[name]],
        )
