# A million mutated messages per kind, under ASan in a build with OA_SANITIZE=address: ctest -C Slow -L slow
add_test(NAME net.fuzz_million CONFIGURATIONS Slow COMMAND test_core_net --gtest_filter=*Fuzz*Mutated*)
set_tests_properties(net.fuzz_million PROPERTIES LABELS slow TIMEOUT 3600 ENVIRONMENT "OA_FUZZ_COUNT=1000000")
