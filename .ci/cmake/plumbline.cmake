# What every target shares: the standard, warnings as errors, sanitizers; and the two functions that
# folders use to declare their library and its tests.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# Everything may end up in a shared library, which shows its C ABI and nothing else.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(plumbline_options INTERFACE)
target_include_directories(plumbline_options INTERFACE ${PROJECT_SOURCE_DIR})
# No contraction: where bits are compared, a·b + c must be two roundings on every machine.
target_compile_options(plumbline_options INTERFACE -Wall -Wextra -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports overlapping copies inside std::string's own operator+ (GCC bug 105329).
  target_compile_options(plumbline_options INTERFACE -Wno-restrict)
  # g++ 12 tuned for processors with AVX-512 FP16 vectorises straight-line code wrongly: the two
  # best scores of a group of experts came from another group (route_test.cpp sees it).
  target_compile_options(plumbline_options INTERFACE -fno-tree-slp-vectorize)
endif()
if(PLUMBLINE_NATIVE AND NOT CMAKE_CROSSCOMPILING AND PLUMBLINE_SANITIZE STREQUAL "")
  target_compile_options(plumbline_options INTERFACE -march=native)
elseif(NOT PLUMBLINE_NATIVE)
  target_compile_options(plumbline_options INTERFACE -march=x86-64-v3)
endif()

if(PLUMBLINE_SANITIZE STREQUAL "address")
  target_compile_options(plumbline_options INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(plumbline_options INTERFACE -fsanitize=address,undefined)
elseif(PLUMBLINE_SANITIZE STREQUAL "thread")
  target_compile_options(plumbline_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(plumbline_options INTERFACE -fsanitize=thread)
elseif(NOT PLUMBLINE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "PLUMBLINE_SANITIZE is empty, address or thread, not ${PLUMBLINE_SANITIZE}")
endif()

if(PLUMBLINE_FUZZ)
  # libFuzzer is led by the coverage of the libraries, not of its one-page targets.
  target_compile_options(plumbline_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_package(Threads REQUIRED)
# Headers only; as SYSTEM, so that their warnings are not ours.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
add_library(plumbline_eigen INTERFACE)
target_link_libraries(plumbline_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(plumbline_eigen INTERFACE EIGEN_DONT_PARALLELIZE)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 takes the undefined registers of its own AVX-512 headers for a mistake (GCC bug 105593).
  target_compile_options(plumbline_eigen INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
endif()

# For folders that move text and never numbers: the optimiser would be a third of their build.
set(PLUMBLINE_TEXT_ONLY $<$<CONFIG:Release>:-O1>)

# plumbline_library(NAME SOURCES a.cpp b.cpp DEPENDS plumbline_spec …)
function(plumbline_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC plumbline_options ${ARG_DEPENDS})
endfunction()

# plumbline_device_library(NAME KERNELS a.hip … SOURCES b.cpp … DEPENDS …): a part of the embedded
# implementation. Here it is built for the host target, its kernels as C++; device/hip builds the
# same files for the GPU targets.
function(plumbline_device_library name)
  cmake_parse_arguments(ARG "" "" "KERNELS;SOURCES;DEPENDS" ${ARGN})
  set_source_files_properties(${ARG_KERNELS} PROPERTIES LANGUAGE CXX)
  plumbline_library(${name} SOURCES ${ARG_KERNELS} ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS})
  list(TRANSFORM ARG_KERNELS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY PLUMBLINE_DEVICE_KERNELS ${ARG_KERNELS})
  set_property(GLOBAL APPEND PROPERTY PLUMBLINE_DEVICE_SOURCES ${ARG_SOURCES})
endfunction()

# plumbline_test(NAME SOURCES a_test.cpp DEPENDS plumbline_spec …): one program a folder; CTest runs
# each GoogleTest case of it.
if(PLUMBLINE_TESTS)
  find_package(GTest REQUIRED)
  find_library(PLUMBLINE_RAPIDCHECK rapidcheck REQUIRED)
  include(GoogleTest)
endif()
function(plumbline_test name)
  if(NOT PLUMBLINE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE plumbline_options ${ARG_DEPENDS} GTest::gtest_main
                        ${PLUMBLINE_RAPIDCHECK})
  target_compile_definitions(${name} PRIVATE PLUMBLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
endfunction()
