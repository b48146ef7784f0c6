# Plants one breach of each kind and expects the check to name it; a clean tree passes.
# Usage: cmake -DROOT=<project> -DSCRATCH=<dir> -P run.cmake
set(breaches
  "device/a.h|#include \"reference/formats/codec.h\"|may not include reference/formats/codec.h"
  "reference/a.h|#include \"conformance/run/run.h\"|may not include conformance/run/run.h"
  "reference/spec/a.h|#include \"reference/ops/matrix.h\"|may not include reference/ops/matrix.h"
  "conformance/run/a.h|#include \"device/moe/plan.h\"|may not include device/moe/plan.h"
  "reports/a.h|#include \"conformance/run/run.h\"|may not include conformance/run/run.h"
  "fuzz/a.h|#include \"device/abi/implementation.h\"|may not include device/abi/implementation.h"
  "reports/b.h|#include \"../conformance/record/record.h\"|climbs"
  "conformance/run/b.h|#include <reference/spec/format.h>|write it in quotes"
  "device/b.h|#include \"plan.h\"|is not written from the root")
foreach(breach ${breaches})
  string(REPLACE "|" ";" parts "${breach}")
  list(GET parts 0 file)
  list(GET parts 1 line)
  list(GET parts 2 message)
  file(REMOVE_RECURSE ${SCRATCH})
  file(WRITE ${SCRATCH}/${file} "${line}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${ROOT}/.ci/CheckLayers.cmake
                  RESULT_VARIABLE code ERROR_VARIABLE errors OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  string(FIND "${errors}" "${message}" at)
  if(code EQUAL 0 OR at EQUAL -1)
    message(SEND_ERROR "not caught: ${file} with ${line}\n${errors}")
  endif()
endforeach()
file(REMOVE_RECURSE ${SCRATCH})
file(WRITE ${SCRATCH}/device/a.h "#include <vector>\n#include \"reference/spec/format.h\"\n")
execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${ROOT}/.ci/CheckLayers.cmake
                RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(SEND_ERROR "a clean tree was refused")
endif()
