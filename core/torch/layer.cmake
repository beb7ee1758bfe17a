# What user programs see: build/include, where <oneagent/torch.h> and all that it reaches is staged, and the package that
# find_package(OneAgent) finds after an install.
set(OA_PUBLIC_INCLUDE ${CMAKE_BINARY_DIR}/include)
add_custom_target(oa_public_headers ALL
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/core/torch/stage_headers.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated ${OA_PUBLIC_INCLUDE}
  COMMENT "Staging the public headers" VERBATIM)
add_dependencies(oa_public_headers oa_methods)
add_dependencies(oa_core_torch oa_public_headers)
install(DIRECTORY ${OA_PUBLIC_INCLUDE}/ DESTINATION include)

include(CMakePackageConfigHelpers)
configure_package_config_file(${CMAKE_SOURCE_DIR}/core/torch/OneAgentConfig.cmake.in ${CMAKE_BINARY_DIR}/OneAgentConfig.cmake
  INSTALL_DESTINATION lib/cmake/OneAgent)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OneAgentConfigVersion.cmake VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/OneAgentConfig.cmake ${CMAKE_BINARY_DIR}/OneAgentConfigVersion.cmake DESTINATION lib/cmake/OneAgent)
