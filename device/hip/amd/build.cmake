# The embedded implementation for AMD: kernels as fat objects of all architectures, everything else
# by the host compiler against HIP's headers. It has never run on AMD hardware.
#
# A vendor's own stack comes first (ROCm, or Hygon's DTK, the only one that knows gfx926 to gfx938);
# then PLUMBLINE_AMD_ARCHITECTURES should name the cards at hand. Without one, Debian's packages.
find_path(PLUMBLINE_ROCM include/hip/hip_runtime.h PATHS /opt/rocm /opt/dtk /usr NO_DEFAULT_PATH)
if(NOT PLUMBLINE_ROCM)
  message(FATAL_ERROR "PLUMBLINE_AMD: no hip/hip_runtime.h in /opt/rocm, /opt/dtk or /usr")
endif()
if(PLUMBLINE_ROCM STREQUAL "/usr")
  include(amd/debian.cmake)
else()
  find_program(PLUMBLINE_AMD_CLANG clang++ PATHS ${PLUMBLINE_ROCM}/llvm/bin NO_DEFAULT_PATH REQUIRED)
  set(architectures gfx906)
  set(stack_flags --rocm-path=${PLUMBLINE_ROCM})
endif()
set(PLUMBLINE_AMD_ARCHITECTURES ${architectures} CACHE STRING "architectures, as gfx942;gfx1100")
find_library(PLUMBLINE_AMDHIP amdhip64 PATHS ${PLUMBLINE_ROCM}/lib NO_CACHE REQUIRED)

foreach(architecture ${PLUMBLINE_AMD_ARCHITECTURES})
  list(APPEND code --offload-arch=${architecture})
endforeach()
set(flags -x hip ${code} ${stack_flags} -std=c++20 -O3 -ffp-contract=off -fPIC
    -fvisibility=hidden -Wno-linker-warnings)
plumbline_kernel_objects(amd ${PLUMBLINE_AMD_CLANG} ${flags})

plumbline_target_library(amd ${sources} ${kernel_objects})
target_compile_definitions(plumbline_amd PRIVATE __HIP_PLATFORM_AMD__)
if(NOT PLUMBLINE_ROCM STREQUAL "/usr")
  target_include_directories(plumbline_amd SYSTEM PRIVATE ${PLUMBLINE_ROCM}/include)
endif()
target_link_libraries(plumbline_amd PRIVATE plumbline_options plumbline_spec ${PLUMBLINE_AMDHIP}
                      Threads::Threads)
