#A CUDA backend is compiled by nvcc, apart from the layer's precompiled header and its flags for g++.
if (OA_HAS_CUDA)
  file(GLOB OA_CUDA_BACKENDS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/backends/*.cu)
  add_library(oa_cuda_backends OBJECT ${OA_CUDA_BACKENDS})
  target_include_directories(oa_cuda_backends PRIVATE ${CMAKE_SOURCE_DIR})
  target_sources(oa_core_backends PRIVATE $<TARGET_OBJECTS:oa_cuda_backends>)
  target_link_libraries(oa_core_backends PUBLIC CUDA::cudart_static)
endif()
