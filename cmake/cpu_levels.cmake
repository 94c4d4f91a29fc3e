# The kernels of levels avx2 and ifma (src/algebra/avx2_*.c, ifma_*.c), compiled for the CPUs that have them; those of ifma once
# more over a model of the instructions (ifma_vector.h), for tests on any CPU. Nothing else is compiled for more than the base
# instruction set.
file(GLOB avx2_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/algebra/avx2_*.c)
file(GLOB ifma_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/algebra/ifma_*.c)
file(GLOB avx2_probe CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/algebra/avx2/*.c)
set(ifma_probe ${CMAKE_SOURCE_DIR}/tests/algebra/ifma/probe.c)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # -O3: with less, gcc leaves the limbs in memory. The tuning is for scheduling alone.
  set(ifma_flags -O3 -mavx512f -mavx512dq -mavx512ifma -mavx512vbmi2 -mtune=icelake-server)
  # -O2: more unrolls what is better left to the caller.
  set(avx2_flags -O2 -mavx2 -mfma -mtune=znver2)
  if(CUZK_SANITIZE)
    list(APPEND avx2_flags -fno-sanitize=all) # it leaves the compiler too few registers for its assembly
    list(APPEND ifma_flags -fno-sanitize=all) # straight-line code of this length takes minutes; the model is instrumented
  endif()
  set_source_files_properties(${ifma_sources} ${ifma_probe} PROPERTIES COMPILE_OPTIONS "${ifma_flags}")
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    # So that products of two butterflies are done side by side, not one after the other.
    set(ifma_ntt_flags ${ifma_flags} -fschedule-insns -fsched-pressure)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/algebra/ifma_ntt.c PROPERTIES COMPILE_OPTIONS "${ifma_ntt_flags}")
  endif()
  set_source_files_properties(${avx2_sources} ${avx2_probe} PROPERTIES COMPILE_OPTIONS "${avx2_flags}")
else()
  set_source_files_properties(${avx2_sources} ${ifma_sources} PROPERTIES HEADER_FILE_ONLY ON)
endif()

if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  # Through copies, since flags belong to a file: those above are not for these.
  set(model_sources "")
  foreach(source ${ifma_sources} ${ifma_probe})
    get_filename_component(name ${source} NAME_WE)
    set(copy ${CMAKE_BINARY_DIR}/ifma_model/${name}_model.c)
    file(CONFIGURE OUTPUT ${copy} CONTENT "#include \"${source}\"\n")
    list(APPEND model_sources ${copy})
  endforeach()
  # The model in tests, and the probe that lets them see into either.
  add_library(cuzk_ifma_model STATIC EXCLUDE_FROM_ALL ${model_sources})
  target_compile_definitions(cuzk_ifma_model PRIVATE CUZK_IFMA_MODEL)
  target_compile_options(cuzk_ifma_model PRIVATE -O2)
  target_include_directories(cuzk_ifma_model PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(cuzk_ifma_model PRIVATE cuzk_options PUBLIC cuzk_algebra)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_library(cuzk_avx2_probe STATIC EXCLUDE_FROM_ALL ${avx2_probe})
    target_include_directories(cuzk_avx2_probe PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(cuzk_avx2_probe PRIVATE cuzk_options cuzk_algebra)
    add_library(cuzk_ifma_probe STATIC EXCLUDE_FROM_ALL ${ifma_probe})
    target_include_directories(cuzk_ifma_probe PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(cuzk_ifma_probe PRIVATE cuzk_options cuzk_algebra)
    target_link_libraries(cuzk_ifma_model PUBLIC cuzk_ifma_probe cuzk_avx2_probe)
  endif()
endif()
