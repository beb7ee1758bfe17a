include(${CMAKE_SOURCE_DIR}/services/dashboard/dashboard.cmake)
oa_dependency(oa_xxhash xxhash.h "" libxxhash-dev)
target_link_libraries(oa_services PRIVATE oa_xxhash)
# Loops over all bytes of a chunk, and the actor's and the evaluator's stepping.
file(GLOB OA_HOT_SERVICE_SOURCES services/replay/checksum.cc services/replay/chunk_codec.cc services/actor/rollout.cc services/learner/assemble.cc services/acting.cc)
set_source_files_properties(${OA_HOT_SERVICE_SOURCES} PROPERTIES COMPILE_OPTIONS "-O3" SKIP_PRECOMPILE_HEADERS ON)
