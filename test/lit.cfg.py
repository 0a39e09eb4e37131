# Configuration of the nxv tests for lit.

import os

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "nxv"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "CMakeLists.txt", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.nxv_obj_root, "test")

config.substitutions.append(("%{python}", config.python_executable))
config.substitutions.append(("%nxv_src", config.nxv_src_root))

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.nxv_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)

# A tool that this build does not have makes its tests unsupported, not failing.
tools = ["nxv-opt", "nxv-translate", "nxv-compile", "nxv-run", "nxv-fuzz", "nxv-ulp"]
llvm_config.add_tool_substitutions(
    [ToolSubst(tool, unresolved="ignore") for tool in tools],
    [config.nxv_tools_dir, config.llvm_tools_dir],
)
for tool in tools:
    if os.path.exists(os.path.join(config.nxv_tools_dir, tool)):
        config.available_features.add(tool)
