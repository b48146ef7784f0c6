# Debian 12's HIP 5.2 with clang-19, which knows today's chips; its device libraries stop at gfx940
# and gfx1030, and newer chips lack one tiny file each, which is made here.
find_program(PLUMBLINE_AMD_CLANG clang++-19 REQUIRED)
find_program(PLUMBLINE_LLVM_AS llvm-as-15 REQUIRED)
set(architectures gfx906 gfx90a gfx942 gfx1100 gfx1201)

set(bitcode ${CMAKE_BINARY_DIR}/bitcode)
file(MAKE_DIRECTORY ${bitcode})
file(GLOB given /usr/lib/x86_64-linux-gnu/amdgcn/bitcode/*.bc)
foreach(file ${given})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${bitcode}/${name} SYMBOLIC)
endforeach()
foreach(pair 942:9402 1100:11000 1201:12001)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 chip)
  list(GET pair 1 version)
  file(WRITE ${bitcode}/${chip}.ll "target triple = \"amdgcn-amd-amdhsa\"\n"
       "@__oclc_ISA_version = linkonce_odr hidden addrspace(4) constant i32 ${version}\n")
  execute_process(COMMAND ${PLUMBLINE_LLVM_AS} ${bitcode}/${chip}.ll
                          -o ${bitcode}/oclc_isa_version_${chip}.bc COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(stack_flags --rocm-path=/usr --hip-version=5.2.21153 --hip-device-lib-path=${bitcode}
    -mcode-object-version=4)
