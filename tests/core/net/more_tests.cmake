# A million mutated messages per kind; under ASan as part of tests/system/sanitized_test.sh. ASan's freed memory counts as peak memory.
add_test(NAME net.fuzz_million COMMAND test_core_net --gtest_filter=*Fuzz*Mutated*)
set_tests_properties(net.fuzz_million PROPERTIES LABELS slow TIMEOUT 3600
  ENVIRONMENT "OA_FUZZ_COUNT=1000000;ASAN_OPTIONS=quarantine_size_mb=16")
