# Learning is tested over the whole ring: tests/support/local_ring.h.
target_link_libraries(test_algorithms PRIVATE oa_services)
