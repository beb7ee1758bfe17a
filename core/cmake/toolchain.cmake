# Flags, compiler cache, linker, sanitizers, code version.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -O2 of g++ 12 leaves loops scalar, so every type with optimisation uses -O3. Contraction is off and fmaf is written out, so that
# results do not depend on how the compiler fuses; x86-64-v3 (AVX2, FMA) is the oldest processor that is served.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g -DNDEBUG")
# The flags are g++'s; nvcc has its own (cuda.cmake).
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror;-Wno-missing-field-initializers;-fno-math-errno;-fno-trapping-math;-ffp-contract=off>")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v3>)
endif()

find_program(OA_CCACHE ccache)
if(OA_CCACHE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # lets the cache see through precompiled headers
endif()
if(OA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${OA_CCACHE})
endif()
find_program(OA_MOLD mold)
find_program(OA_LLD ld.lld)
if(OA_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(OA_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# Sanitized builds are -O1 (a third of the time to compile), check the bounds of the library's containers too, and leave warnings
# to the plain build, as instrumented code confuses g++'s flow analysis.
if(OA_SANITIZE STREQUAL "address")
  set(OA_SANITIZERS -fsanitize=address,undefined)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
elseif(OA_SANITIZE STREQUAL "thread")
  set(OA_SANITIZERS -fsanitize=thread)
elseif(NOT OA_SANITIZE STREQUAL "")
  message(FATAL_ERROR "OA_SANITIZE: expected address, thread or empty, was ${OA_SANITIZE}")
endif()
if(OA_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1 -DNDEBUG")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${OA_SANITIZERS};-D_GLIBCXX_ASSERTIONS;-w>")
  # mold 1.10 starts the read-only part a page early when a program's only thread-local data is zero, and the program does not load.
  add_link_options(${OA_SANITIZERS} -Wl,-z,norelro)
endif()

set(OA_CODE_VERSION "${PROJECT_VERSION}")
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short HEAD OUTPUT_VARIABLE OA_COMMIT
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE OA_GIT_FAILED)
if(NOT OA_GIT_FAILED)
  if(EXISTS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)  # the version follows the next commit
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
  endif()
  string(APPEND OA_CODE_VERSION "+${OA_COMMIT}")
elseif(EXISTS ${CMAKE_SOURCE_DIR}/.code-version)
  file(READ ${CMAKE_SOURCE_DIR}/.code-version OA_COMMIT)
  string(STRIP "${OA_COMMIT}" OA_COMMIT)
  string(APPEND OA_CODE_VERSION "+${OA_COMMIT}")
endif()
set_source_files_properties(core/base/version.cc PROPERTIES COMPILE_DEFINITIONS OA_CODE_VERSION="${OA_CODE_VERSION}")
