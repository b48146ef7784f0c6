# The embedded implementation for NVIDIA: kernels by nvcc through the thin mapping of HIP on CUDA in
# include/, everything else by the host compiler with the same mapping.
find_program(PLUMBLINE_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT PLUMBLINE_NVCC)
  message(FATAL_ERROR "PLUMBLINE_NVIDIA: nvcc is neither on PATH nor in /usr/local/cuda/bin")
endif()
get_filename_component(cuda ${PLUMBLINE_NVCC} REALPATH)
get_filename_component(cuda ${cuda}/../.. ABSOLUTE)
set(PLUMBLINE_NVIDIA_ARCHITECTURES sm_90 CACHE STRING "architectures for nvcc, as sm_90;sm_100")

get_property(kernels GLOBAL PROPERTY PLUMBLINE_DEVICE_KERNELS)
get_property(sources GLOBAL PROPERTY PLUMBLINE_DEVICE_SOURCES)

foreach(architecture ${PLUMBLINE_NVIDIA_ARCHITECTURES})
  string(REPLACE "sm_" "" number ${architecture})
  list(APPEND code -gencode arch=compute_${number},code=${architecture})
endforeach()
# Products and sums are two roundings, as on the host: bits are compared.
set(flags -x cu ${code} -std=c++20 -O3 -fmad=false --expt-relaxed-constexpr -Xcompiler
    -fPIC,-fvisibility=hidden -I${PROJECT_SOURCE_DIR}/device/hip/nvidia/include
    -I${PROJECT_SOURCE_DIR})
foreach(kernel ${kernels})
  get_filename_component(name ${kernel} NAME_WE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/nvidia/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/nvidia
    COMMAND ${PLUMBLINE_NVCC} ${flags} -MD -MF ${object}.d -c ${kernel} -o ${object}
    DEPENDS ${kernel}
    DEPFILE ${object}.d
    COMMENT "nvcc ${name}.hip")
  list(APPEND objects ${object})
endforeach()

plumbline_target_library(nvidia ${sources} ${objects})
set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON)
target_include_directories(plumbline_nvidia BEFORE PRIVATE
                           ${PROJECT_SOURCE_DIR}/device/hip/nvidia/include)
target_include_directories(plumbline_nvidia SYSTEM PRIVATE ${cuda}/include)
# The runtime is linked in: a library for another machine needs the driver alone.
target_link_libraries(plumbline_nvidia PRIVATE plumbline_options plumbline_spec
                      ${cuda}/lib64/libcudart_static.a Threads::Threads ${CMAKE_DL_LIBS} rt)
