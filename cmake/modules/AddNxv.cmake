# Helpers that every library and tool of the compiler is declared with.

set(NXV_COMPILE_OPTIONS -Wall -Wextra -Wno-unused-parameter -fno-exceptions)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # TableGen output and MLIR's own headers.
  list(APPEND NXV_COMPILE_OPTIONS -Wno-deprecated-declarations)
endif()
set(NXV_INCLUDE_DIRS
  "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_BINARY_DIR}/include")
# Includes and definitions of MLIR, as system headers: their warnings are not ours.
set(NXV_SYSTEM_INCLUDE_DIRS ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# One precompiled header, built once and reused by every library with the same flags.
function(nxv_create_pch)
  file(WRITE "${PROJECT_BINARY_DIR}/NxvPch.cpp" "")
  add_library(NxvPch OBJECT "${PROJECT_BINARY_DIR}/NxvPch.cpp")
  nxv_target_defaults(NxvPch)
  target_precompile_headers(NxvPch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/NxvPch.h")
endfunction()

function(nxv_target_defaults target)
  target_include_directories(${target} PUBLIC ${NXV_INCLUDE_DIRS})
  target_include_directories(${target} SYSTEM PUBLIC ${NXV_SYSTEM_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE ${NXV_COMPILE_OPTIONS})
  # Only what MLIR's headers need; never NDEBUG-dependent ABI.
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
endfunction()

# add_nxv_library(NAME sources... [DEPENDS targets...] [LINK_LIBS libs...] [NO_PCH])
function(add_nxv_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  nxv_target_defaults(${name})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM NxvPch)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
endfunction()

# add_nxv_tool(NAME sources... [LINK_LIBS libs...]): an executable linked to MLIR's and LLVM's shared libraries.
# No precompiled header: an executable is compiled with -fPIE, the header with -fPIC, and a main is short.
function(add_nxv_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  nxv_target_defaults(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# nxv_tablegen(TARGET file.td out.inc -gen-option ...): pairs of an output and its generator's flags, collected under TARGET.
function(nxv_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(args ${ARGN})
  list(LENGTH args n)
  math(EXPR last "${n} - 1")
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE mlir_includes)
  set(i 0)
  while(i LESS n)
    list(GET args ${i} out)
    math(EXPR i "${i} + 1")
    list(GET args ${i} flags)
    math(EXPR i "${i} + 1")
    separate_arguments(flags)
    mlir_tablegen(${out} ${flags} "-I${PROJECT_SOURCE_DIR}/include" ${mlir_includes})
  endwhile()
  add_public_tablegen_target(${target})
endfunction()
