include(${CMAKE_SOURCE_DIR}/services/dashboard/dashboard.cmake)
oa_dependency(oa_xxhash xxhash.h "" libxxhash-dev)
target_link_libraries(oa_services PRIVATE oa_xxhash)
