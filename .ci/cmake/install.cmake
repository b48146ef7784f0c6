# What an installed Plumbline is: the program, its libraries, and the header with a CMake package
# and a pkg-config file for those who write a library of their own.
include(CMakePackageConfigHelpers)

install(TARGETS plumbline_program RUNTIME DESTINATION bin)
install(FILES device/abi/plumbline.h DESTINATION include)

add_library(plumbline_c_abi INTERFACE)
set_target_properties(plumbline_c_abi PROPERTIES EXPORT_NAME abi)
target_include_directories(plumbline_c_abi INTERFACE $<INSTALL_INTERFACE:include>)
install(TARGETS plumbline_c_abi EXPORT plumbline)
install(EXPORT plumbline NAMESPACE plumbline:: DESTINATION lib/cmake/plumbline
        FILE plumblineConfig.cmake)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/plumblineConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/plumblineConfigVersion.cmake DESTINATION lib/cmake/plumbline)

configure_file(.ci/cmake/plumbline.pc.in ${CMAKE_BINARY_DIR}/plumbline.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/plumbline.pc DESTINATION lib/pkgconfig)
