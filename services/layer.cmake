include(${CMAKE_SOURCE_DIR}/services/dashboard/dashboard.cmake)
