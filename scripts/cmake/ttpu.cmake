# CMake functions of the project:
#   ttpu_library(NAME ttpu_x SOURCES ... [LIBS ...])          a C++ library with our warnings
#   ttpu_config_params(OUT CONFIG PARAM...)                   -G options of a configuration
#   ttpu_verilate(TARGET ... TOP ... SOURCES ... PARAMS ...)  a model library from SystemVerilog
#   ttpu_verilate_board(TARGET ... BOARD ... PINS ...)        a model of a board's top as its bitstream has it
#   ttpu_add_test(NAME ... SOURCES ... VERILATED ... LIBS ...) a GoogleTest run by ctest

find_program(VERILATOR verilator REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

execute_process(COMMAND "${VERILATOR}" --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

set(TTPU_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." CACHE INTERNAL "")
get_filename_component(TTPU_ROOT "${TTPU_ROOT}" ABSOLUTE)
# -Wno-restrict: g++ 12 raises it falsely for "text" + std::string at -O3 (GCC bug 105651).
set(TTPU_WARNINGS -Wall -Wextra -Werror -Wno-restrict)

# The file of every package in rtl/, found by its name.
file(GLOB TTPU_PACKAGE_FILES CONFIGURE_DEPENDS "${TTPU_ROOT}/rtl/*/*_pkg.sv")

# _ttpu_add_packages(list file): append the packages that a file uses, each after those it uses itself.
function(_ttpu_add_packages list file)
  set(result "${${list}}")
  get_property(uses GLOBAL PROPERTY "ttpu_uses_${file}")
  if(NOT uses)
    # An edit may add an import: look again then.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" text)
    string(REGEX MATCHALL "[A-Za-z0-9_]+_pkg::" uses "${text}")
    list(REMOVE_DUPLICATES uses)
    list(APPEND uses end::)
    set_property(GLOBAL PROPERTY "ttpu_uses_${file}" "${uses}")
  endif()
  foreach(use ${uses})
    string(REPLACE "::" "" package "${use}")
    foreach(candidate ${TTPU_PACKAGE_FILES})
      get_filename_component(name "${candidate}" NAME_WE)
      if(name STREQUAL package AND NOT candidate STREQUAL file AND NOT candidate IN_LIST result)
        _ttpu_add_packages(result "${candidate}")
        list(APPEND result "${candidate}")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES result)
  set(${list} "${result}" PARENT_SCOPE)
endfunction()

# Headers by their name from the top: "isa/...", "golden/...", "tb/...".
add_library(ttpu_headers INTERFACE)
target_include_directories(ttpu_headers INTERFACE
  "${TTPU_ROOT}/sw" "${TTPU_ROOT}/sim" "${TTPU_ROOT}")

# Verilator's run-time library, with FST; compiled once for all models.
add_library(ttpu_verilated_rt STATIC
  "${VERILATOR_ROOT}/include/verilated.cpp"
  "${VERILATOR_ROOT}/include/verilated_threads.cpp"
  "${VERILATOR_ROOT}/include/verilated_fst_c.cpp")
target_include_directories(ttpu_verilated_rt SYSTEM PUBLIC
  "${VERILATOR_ROOT}/include" "${VERILATOR_ROOT}/include/vltstd")
target_compile_definitions(ttpu_verilated_rt PUBLIC VL_TIME_CONTEXT VM_COVERAGE=0 VM_SC=0)
target_compile_options(ttpu_verilated_rt PRIVATE -w)
target_link_libraries(ttpu_verilated_rt PUBLIC Threads::Threads ZLIB::ZLIB)

# ttpu_library(NAME name SOURCES a.cpp ... [LIBS ...])
function(ttpu_library)
  cmake_parse_arguments(P "" "NAME" "SOURCES;LIBS" ${ARGN})
  add_library(${P_NAME} STATIC ${P_SOURCES})
  target_compile_options(${P_NAME} PRIVATE ${TTPU_WARNINGS})
  target_link_libraries(${P_NAME} PUBLIC ttpu_headers ${P_LIBS})
endfunction()

# ttpu_config_params(out core16 N HasFp ...): the -G options with these names (all, if none is named).
function(ttpu_config_params out config)
  if(NOT DEFINED TTPU_PARAMS_${config})
    message(FATAL_ERROR "ttpu_config_params: no configuration '${config}' (have: ${TTPU_CONFIGS})")
  endif()
  set(result "")
  foreach(option ${TTPU_PARAMS_${config}})
    string(REGEX MATCH "^-G([A-Za-z0-9_]+)=" _ "${option}")
    if(NOT ARGN OR CMAKE_MATCH_1 IN_LIST ARGN)
      list(APPEND result "${option}")
    endif()
  endforeach()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()

# One Verilator call as a library. Two translation units: what runs each cycle at full
# optimisation, what runs once (constructors, trace set-up) at -O1.
function(_ttpu_model_library lib prefix top traced)
  cmake_parse_arguments(P "" "" "SOURCES;FLAGS" ${ARGN})
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/verilated/${lib}")
  add_custom_command(
    OUTPUT "${dir}/${prefix}.h" "${dir}/${prefix}__fast.cpp" "${dir}/${prefix}__slow.cpp"
    COMMAND "${TTPU_ROOT}/scripts/cmake/verilate.sh" "${dir}" "${prefix}" "${top}"
            ${P_FLAGS} ${P_SOURCES}
    DEPENDS ${P_SOURCES} "${TTPU_ROOT}/scripts/lint/waivers.vlt"
            "${TTPU_ROOT}/scripts/cmake/verilate.sh"
    COMMENT "Verilating ${lib}"
    VERBATIM)
  add_library(${lib} STATIC "${dir}/${prefix}__fast.cpp" "${dir}/${prefix}__slow.cpp"
              "${dir}/${prefix}.h")
  target_include_directories(${lib} SYSTEM PUBLIC "${dir}")
  target_link_libraries(${lib} PUBLIC ttpu_verilated_rt)
  # Generated code has its own habits; -O3 stands in the directory's options.
  target_compile_options(${lib} PRIVATE -w -fno-strict-aliasing)
  set_source_files_properties("${dir}/${prefix}__slow.cpp" PROPERTIES COMPILE_OPTIONS -O1)
  if(traced)
    # Writing waves takes most of the time of a run: what counts is to have them soon.
    target_compile_options(${lib} PRIVATE -O1)
    target_compile_definitions(${lib} PUBLIC TTPU_TRACED=1)
    set_target_properties(${lib} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# ttpu_verilate(TARGET name TOP module SOURCES files... [PARAMS -GN=16 ...]
#               [CONFIG core16 [USE N HasFp ...]] [NO_ASSERT] [TRACE] [OPTIONS ...])
#
# Gives library `name` with class V<name> in "V<name>.h", and `name_trace`, the same class with FST
# waves (built only where a traced test wants it; TRACE puts it in `all`). The packages that the
# sources use come first by themselves. SOURCES are relative to the repository's root or absolute.
# CONFIG adds the parameters of a named configuration (all, or those of USE).
function(ttpu_verilate)
  cmake_parse_arguments(P "TRACE;NO_ASSERT" "TARGET;TOP;CONFIG" "SOURCES;PARAMS;USE;OPTIONS" ${ARGN})
  if(P_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ttpu_verilate(${P_TARGET}): not understood: ${P_UNPARSED_ARGUMENTS}")
  endif()
  set(sources "")
  foreach(source ${P_SOURCES})
    if(NOT IS_ABSOLUTE "${source}")
      if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
        set(source "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
      else()
        set(source "${TTPU_ROOT}/${source}")
      endif()
    endif()
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "ttpu_verilate(${P_TARGET}): no file ${source}")
    endif()
    list(APPEND sources "${source}")
  endforeach()
  set(packages "")
  foreach(source ${sources})
    _ttpu_add_packages(packages "${source}")
  endforeach()
  set(sources ${packages} ${sources})
  list(REMOVE_DUPLICATES sources)
  if(P_CONFIG)
    ttpu_config_params(config_params ${P_CONFIG} ${P_USE})
    list(APPEND P_PARAMS ${config_params})
  endif()
  set(flags ${P_PARAMS} ${P_OPTIONS})
  if(NOT P_NO_ASSERT)
    list(APPEND flags --assert)
  endif()
  _ttpu_model_library(${P_TARGET} V${P_TARGET} ${P_TOP} FALSE SOURCES ${sources} FLAGS ${flags})
  _ttpu_model_library(${P_TARGET}_trace V${P_TARGET} ${P_TOP} TRUE SOURCES ${sources}
    FLAGS ${flags} --trace-fst --trace-structs --trace-max-array 64)
  if(P_TRACE)
    set_target_properties(${P_TARGET}_trace PROPERTIES EXCLUDE_FROM_ALL OFF)
  endif()
endfunction()

# _ttpu_board_sources(list BOARD VARIANT): what `fpga.py sources` says of a board: files, packages first, and
# -G options. Asked again when something that it depends on is newer than the answer.
function(_ttpu_board_sources list board variant)
  set(answer "${CMAKE_BINARY_DIR}/boards/${board}-${variant}.txt")
  file(GLOB flow CONFIGURE_DEPENDS "${TTPU_ROOT}/fpga/flow/*.py")
  list(APPEND flow "${TTPU_ROOT}/fpga/${board}/board.yaml" "${TTPU_ROOT}/scripts/cmake/configs.cmake"
       "${TTPU_ROOT}/sw/isa/configs.yaml")
  set(lines "")
  if(EXISTS "${answer}")
    file(STRINGS "${answer}" lines)
  endif()
  set(inputs ${lines})
  list(FILTER inputs EXCLUDE REGEX "^-G")
  set(old FALSE)
  foreach(input ${flow} ${inputs})
    if("${input}" IS_NEWER_THAN "${answer}")
      set(old TRUE)
    endif()
  endforeach()
  if(old OR NOT lines)
    execute_process(COMMAND /usr/bin/python3 -B "${TTPU_ROOT}/fpga/flow/fpga.py" sources "${board}" --variant "${variant}"
      OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE "${answer}" "${text}")
    file(STRINGS "${answer}" lines)
    set(inputs ${lines})
    list(FILTER inputs EXCLUDE REGEX "^-G")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${flow} ${inputs})
  set(${list} "${lines}" PARENT_SCOPE)
endfunction()

# ttpu_verilate_board(TARGET name BOARD board [VARIANT v] [PINS file.sv] [PARAMS Div=4 ...] [OPTIONAL])
#
# The top of a board of fpga/ with the sources and parameters of its bitstream, but for PARAMS. PINS: a
# module of the file's name round the top, which takes the top's parameters from the macro
# TTPU_BOARD_PARAMETERS. Sets name_DIV (clocks a bit of the serial line), name_PS (the clock's period) and
# name_LINKS (1 = there is a link for the self-test). OPTIONAL: built only where it is wanted.
function(ttpu_verilate_board)
  cmake_parse_arguments(P "OPTIONAL" "TARGET;BOARD;VARIANT;PINS" "PARAMS" ${ARGN})
  _ttpu_board_sources(lines ${P_BOARD} "${P_VARIANT}")
  set(sources "")
  set(params "")
  set(given ${P_PARAMS})
  foreach(line ${lines})
    if(NOT line MATCHES "^-G([A-Za-z0-9_]+)=(.*)$")
      list(APPEND sources "${line}")
      continue()
    endif()
    set(name "${CMAKE_MATCH_1}")
    set(own ${given})
    list(FILTER own INCLUDE REGEX "^${name}=")
    if(NOT own)
      list(APPEND params "${name}=${CMAKE_MATCH_2}")
    endif()
  endforeach()
  list(APPEND params ${given})
  set(options ${params})
  set(module top)
  if(P_PINS)
    get_filename_component(module "${P_PINS}" NAME_WE)
    list(APPEND sources "${CMAKE_CURRENT_SOURCE_DIR}/${P_PINS}")
    list(TRANSFORM options REPLACE "^([^=]*)=(.*)$" ".\\1(\\2)")
    list(JOIN options "," options)
    set(options "-DTTPU_BOARD_PARAMETERS=${options}")
  else()
    list(TRANSFORM options PREPEND "-G")
  endif()
  ttpu_verilate(TARGET ${P_TARGET} TOP ${module} SOURCES ${sources} PARAMS ${options})
  if(P_OPTIONAL)
    set_target_properties(${P_TARGET} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set(khz 100000)
  set(links 0)
  foreach(param ${params})
    if(param MATCHES "^Div=(.*)$")
      set(${P_TARGET}_DIV ${CMAKE_MATCH_1} PARENT_SCOPE)
    elseif(param MATCHES "^ClkKhz=(.*)$")
      set(khz ${CMAKE_MATCH_1})
    elseif(param MATCHES "^Links=(.*)$")
      set(links ${CMAKE_MATCH_1})
    endif()
  endforeach()
  math(EXPR ps "1000000000 / ${khz}")
  set(${P_TARGET}_PS ${ps} PARENT_SCOPE)
  set(${P_TARGET}_LINKS ${links} PARENT_SCOPE)
endfunction()

# ttpu_limit(test seconds): how long a test may take. TTPU_TEST_TIMEOUT (scripts/sim.py --timeout) replaces it: ctest's
# own --timeout is only for tests that have no limit.
set(TTPU_TEST_TIMEOUT 0 CACHE STRING "seconds for every test; 0: each its own")
function(ttpu_limit test seconds)
  if(TTPU_TEST_TIMEOUT GREATER 0)
    set(seconds ${TTPU_TEST_TIMEOUT})
  endif()
  set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()

# ttpu_add_test(NAME x SOURCES ... [VERILATED model...] [LIBS ...] [LABEL block] [TIMEOUT s]
#               [SHARDS n] [ARGS ...] [DEPENDS target...] [DEFINES ...] [NIGHTLY])
#
# A GoogleTest executable `x` with tb's main, registered with ctest through scripts/run_test.sh with
# label LABEL (the folder's name if not given) and a timeout (300 s). With VERILATED also `x_trace`,
# the same test with waves, built on demand when x fails. SHARDS splits the cases over n ctest
# entries that run in parallel. No Verilator needed: leave VERILATED out. NIGHTLY: built and run by
# `make nightly` (ctest -C long) only.
function(ttpu_add_test)
  cmake_parse_arguments(P "NIGHTLY" "NAME;LABEL;TIMEOUT;SHARDS" "SOURCES;VERILATED;LIBS;ARGS;DEPENDS;DEFINES"
    ${ARGN})
  if(P_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ttpu_add_test(${P_NAME}): not understood: ${P_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT P_LABEL)
    get_filename_component(P_LABEL "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  endif()
  if(NOT P_TIMEOUT)
    set(P_TIMEOUT 300)
  endif()
  if(NOT P_SHARDS)
    set(P_SHARDS 1)
  endif()
  set(variants ${P_NAME})
  if(P_VERILATED)
    list(APPEND variants ${P_NAME}_trace)
  endif()
  foreach(exe ${variants})
    add_executable(${exe} ${P_SOURCES})
    # Models and libraries are what takes time in a run; a test's own code, in compilation.
    target_compile_options(${exe} PRIVATE ${TTPU_WARNINGS} -O1)
    target_compile_definitions(${exe} PRIVATE ${P_DEFINES})
    if(exe STREQUAL P_NAME)
      set(models ${P_VERILATED})
    else()
      list(TRANSFORM P_VERILATED APPEND _trace OUTPUT_VARIABLE models)
      set_target_properties(${exe} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    target_link_libraries(${exe} PRIVATE ttpu_headers ${models} ${P_LIBS} tb_main GTest::gtest)
    set_target_properties(${exe} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    if(P_DEPENDS)
      add_dependencies(${exe} ${P_DEPENDS})
    endif()
    if(P_NIGHTLY)
      set_target_properties(${exe} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
  set(configurations "")
  if(P_NIGHTLY)
    set(configurations CONFIGURATIONS long)
  endif()
  math(EXPR last "${P_SHARDS} - 1")
  foreach(shard RANGE ${last})
    if(P_SHARDS EQUAL 1)
      set(test ${P_NAME})
    else()
      set(test ${P_NAME}.${shard})
    endif()
    add_test(NAME ${test} ${configurations} COMMAND "${TTPU_ROOT}/scripts/run_test.sh" "${CMAKE_BINARY_DIR}" ${P_NAME}
      ${shard} ${P_SHARDS} ${P_ARGS} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}")
    set_tests_properties(${test} PROPERTIES LABELS "${P_LABEL}")
    ttpu_limit(${test} ${P_TIMEOUT})
  endforeach()
endfunction()

# ttpu_add_script_test(NAME x COMMAND ... [DEPENDS target...] [LABEL block] [TIMEOUT s])
#
# A test that is a program of its own. DEPENDS are built before it runs (target x_needs).
function(ttpu_add_script_test)
  cmake_parse_arguments(P "" "NAME;LABEL;TIMEOUT" "COMMAND;DEPENDS" ${ARGN})
  if(NOT P_LABEL)
    get_filename_component(P_LABEL "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  endif()
  if(NOT P_TIMEOUT)
    set(P_TIMEOUT 300)
  endif()
  add_custom_target(${P_NAME}_needs)
  if(P_DEPENDS)
    add_dependencies(${P_NAME}_needs ${P_DEPENDS})
  endif()
  add_test(NAME ${P_NAME} COMMAND ${P_COMMAND} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}")
  set_tests_properties(${P_NAME} PROPERTIES LABELS "${P_LABEL}")
  ttpu_limit(${P_NAME} ${P_TIMEOUT})
endfunction()
