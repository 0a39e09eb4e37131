# Installs the runtime, builds the program of docs/runtime.md against it with CMake and with pkg-config, and runs both.
# cmake -DBUILD=... -DDOC=... -DWRITER=... -DWORK=... -DC_COMPILER=... -DLIBDIR=... -DGENERATOR=... -P InstallTest.cmake

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/source")
set(prefix "${WORK}/prefix")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The text between ```LANGUAGE and ```.
function(extract language target)
  file(READ "${DOC}" text)
  string(FIND "${text}" "```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${DOC} has no ${language} block")
  endif()
  string(LENGTH "```${language}\n" skip)
  math(EXPR begin "${begin} + ${skip}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  file(WRITE "${target}" "${text}")
endfunction()

function(check program)
  set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBDIR}")
  run("${program}" "${WORK}/add.spvpack")
  if(NOT output MATCHES "11 22 33 44")
    message(FATAL_ERROR "${program} printed: ${output}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --component Runtime)
run("${WRITER}" add "${WORK}/add.spvpack")
extract(c "${WORK}/source/add.c")
extract(cmake "${WORK}/source/CMakeLists.txt")
extract(sh "${WORK}/source/build.sh")

run("${CMAKE_COMMAND}" -S "${WORK}/source" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_C_COMPILER=${C_COMPILER}"
  "-DCMAKE_PREFIX_PATH=${prefix}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
check("${WORK}/build/add")

# The prefix may be moved.
file(RENAME "${prefix}" "${WORK}/moved")
set(prefix "${WORK}/moved")
find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message(STATUS "no pkg-config: not tested")
  return()
endif()
set(ENV{CC} "${C_COMPILER}")
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
run("${CMAKE_COMMAND}" -E chdir "${WORK}/source" sh -e build.sh)
check("${WORK}/source/add")
