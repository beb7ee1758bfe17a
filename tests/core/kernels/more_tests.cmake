# The kernels for AVX2 also where the processor has AVX-512: each instruction set has its own packing and blocks.
add_test(NAME kernels.v3 COMMAND test_core_kernels --gtest_filter=-Isa*)
set_tests_properties(kernels.v3 PROPERTIES ENVIRONMENT OA_CPU_ISA=v3 LABELS kernels TIMEOUT 600)
