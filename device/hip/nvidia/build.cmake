# The embedded implementation for NVIDIA: kernels by nvcc through the thin mapping of HIP on CUDA in
# include/, everything else by the host compiler with the same mapping.
find_program(PLUMBLINE_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT PLUMBLINE_NVCC)
  message(FATAL_ERROR "PLUMBLINE_NVIDIA: nvcc is neither on PATH nor in /usr/local/cuda/bin")
endif()
get_filename_component(cuda ${PLUMBLINE_NVCC} REALPATH)
get_filename_component(cuda ${cuda}/../.. ABSOLUTE)
set(PLUMBLINE_NVIDIA_ARCHITECTURES sm_90 CACHE STRING "architectures for nvcc, as sm_90;sm_100")

foreach(architecture ${PLUMBLINE_NVIDIA_ARCHITECTURES})
  string(REPLACE "sm_" "" number ${architecture})
  list(APPEND code -gencode arch=compute_${number},code=${architecture})
endforeach()
# Products and sums are two roundings, as on the host: bits are compared.
set(flags -x cu ${code} -std=c++20 -O3 -fmad=false --expt-relaxed-constexpr -Xcompiler
    -fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR}/device/hip/nvidia/include)
plumbline_kernel_objects(nvidia ${PLUMBLINE_NVCC} ${flags})

plumbline_target_library(nvidia ${sources} ${kernel_objects})
target_include_directories(plumbline_nvidia BEFORE PRIVATE
                           ${PROJECT_SOURCE_DIR}/device/hip/nvidia/include)
target_include_directories(plumbline_nvidia SYSTEM PRIVATE ${cuda}/include)
# The runtime is linked in: a library for another machine needs the driver alone.
target_link_libraries(plumbline_nvidia PRIVATE plumbline_options plumbline_spec
                      ${cuda}/lib64/libcudart_static.a Threads::Threads ${CMAKE_DL_LIBS} rt)
