# The protocol's model, checked by spin.
add_test(NAME runtime.protocol COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/core/runtime/protocol_test.sh)
set_tests_properties(runtime.protocol PROPERTIES LABELS runtime TIMEOUT 300)
