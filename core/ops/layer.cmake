# core/ops/ops.h, the header with all ops, is made from the folder.
file(GLOB OA_OP_HEADERS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/core/ops/*.h)
set(OA_OPS_TEXT "// Generated from the headers of core/ops/; do not edit.\n#pragma once\n\n")
foreach(header ${OA_OP_HEADERS})
  if(NOT header MATCHES "core/ops/op(_support)?.h")
    string(APPEND OA_OPS_TEXT "#include \"${header}\"\n")
  endif()
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/core/ops/ops.h CONTENT "${OA_OPS_TEXT}")
