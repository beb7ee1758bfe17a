# The CPU kernels are compiled twice from the same sources, for AVX2 (x86-64-v3) and AVX-512 (x86-64-v4), each in its own namespace;
# core/kernels/cpu/isa.h chooses at run time.
file(GLOB OA_CPU_KERNELS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/kernels/cpu/*.cc)
get_target_property(OA_KERNEL_SOURCES oa_core_kernels SOURCES)
list(FILTER OA_KERNEL_SOURCES EXCLUDE REGEX "kernels/cpu/")
foreach(OA_ISA v3 v4)
  add_library(oa_cpu_${OA_ISA} OBJECT ${OA_CPU_KERNELS})
  target_include_directories(oa_cpu_${OA_ISA} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(oa_cpu_${OA_ISA} PRIVATE OA_ISA=${OA_ISA} OA_ISA_VEC="core/kernels/cpu/vec_${OA_ISA}.h")
  list(APPEND OA_KERNEL_SOURCES $<TARGET_OBJECTS:oa_cpu_${OA_ISA}>)
endforeach()
target_compile_options(oa_cpu_v4 PRIVATE -march=x86-64-v4 -mprefer-vector-width=512)
set_target_properties(oa_core_kernels PROPERTIES SOURCES "${OA_KERNEL_SOURCES}")
