# The methods of Tensor are written from the headers of core/ops (core/ops/methods.py).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB OA_METHOD_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/ops/*.h)
set(OA_METHOD_FILES core/tensor/tensor_methods.h core/ops/in_place.h core/ops/out_forms.h core/ops/special_ns.h core/ops/methods.cc)
list(TRANSFORM OA_METHOD_FILES PREPEND ${CMAKE_BINARY_DIR}/generated/)
add_custom_command(OUTPUT ${OA_METHOD_FILES}
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/core/ops/methods.py ${CMAKE_SOURCE_DIR}/core/ops ${CMAKE_BINARY_DIR}/generated
  DEPENDS ${CMAKE_SOURCE_DIR}/core/ops/methods.py ${OA_METHOD_HEADERS} VERBATIM)
add_custom_target(oa_methods DEPENDS ${OA_METHOD_FILES})
add_dependencies(oa_core_tensor oa_methods)
