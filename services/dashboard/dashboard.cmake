# The dashboard's files become part of the library: built from their sources when npm and node_modules are there (or
# OA_DASHBOARD=build), and otherwise taken from the checked-in build in dist/.
set(OA_DASHBOARD AUTO CACHE STRING "Dashboard: AUTO (build when npm and services/dashboard/node_modules exist), build, checked-in")
set_property(CACHE OA_DASHBOARD PROPERTY STRINGS AUTO build checked-in)

set(dashboard ${CMAKE_SOURCE_DIR}/services/dashboard)
set(dashboard_files index.html favicon.svg assets/dashboard.js assets/dashboard.css)
set(dashboard_dist ${dashboard}/dist)
find_program(OA_NPM npm)

set(dashboard_build OFF)
if(OA_DASHBOARD STREQUAL "build" OR (OA_DASHBOARD STREQUAL "AUTO" AND OA_NPM AND EXISTS ${dashboard}/node_modules/vite))
  if(NOT OA_NPM OR NOT EXISTS ${dashboard}/node_modules/vite)
    message(FATAL_ERROR "OA_DASHBOARD=build needs npm (package nodejs) and its packages: run npm ci in services/dashboard")
  endif()
  set(dashboard_build ON)
endif()

if(dashboard_build)
  set(dashboard_dist ${CMAKE_BINARY_DIR}/dashboard)
  file(GLOB_RECURSE dashboard_sources CONFIGURE_DEPENDS ${dashboard}/src/* ${dashboard}/public/*)
  list(TRANSFORM dashboard_files PREPEND ${dashboard_dist}/ OUTPUT_VARIABLE dashboard_outputs)
  add_custom_command(OUTPUT ${dashboard_outputs}
    COMMAND ${OA_NPM} run --silent build:into -- ${dashboard_dist}
    DEPENDS ${dashboard_sources} ${dashboard}/index.html ${dashboard}/package-lock.json ${dashboard}/vite.config.js
    WORKING_DIRECTORY ${dashboard} COMMENT "Building the dashboard" VERBATIM)
endif()

# generated/dashboard_table.cc: each file by .incbin, and a table of path, type, SHA-256 and bytes. The hash is made at build
# time, by dashboard_table.cmake, because the files may be built then.
set(dashboard_table ${CMAKE_BINARY_DIR}/generated/dashboard_table.cc)
list(TRANSFORM dashboard_files PREPEND ${dashboard_dist}/ OUTPUT_VARIABLE dashboard_inputs)
add_custom_command(OUTPUT ${dashboard_table}
  COMMAND ${CMAKE_COMMAND} -DDIST=${dashboard_dist} "-DFILES=${dashboard_files}" -DOUTPUT=${dashboard_table}
    -P ${dashboard}/dashboard_table.cmake
  DEPENDS ${dashboard_inputs} ${dashboard}/dashboard_table.cmake VERBATIM)
target_sources(${target} PRIVATE ${dashboard_table})
