# No source file over 500 lines. Usage: cmake -DROOT=<dir> -P CheckLengths.cmake
foreach(folder reference device conformance fuzz reports)
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp
       ${ROOT}/${folder}/*.hip ${ROOT}/${folder}/*.py ${ROOT}/${folder}/*.js)
  foreach(source ${sources})
    file(READ ${ROOT}/${source} text)
    string(REGEX MATCHALL "\n" lines "${text}")
    list(LENGTH lines length)
    if(length GREATER 500)
      message(SEND_ERROR "${source} has ${length} lines; 500 is the limit")
    endif()
  endforeach()
endforeach()
