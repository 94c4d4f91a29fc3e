# One program for each tests/ROOM/test_NAME.c, linked with the room it tests (and those below it).
find_package(PkgConfig REQUIRED)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

file(GLOB support_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/support/*.c)
add_library(cuzk_test_support STATIC ${support_sources})
target_link_libraries(cuzk_test_support PUBLIC cuzk_options cuzk_groth16 cuzk_filecoin PkgConfig::CMOCKA)
target_include_directories(cuzk_test_support PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_compile_definitions(cuzk_test_support PUBLIC CUZK_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

foreach(room base algebra r1cs groth16 gadgets filecoin engine)
  file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${room}/test_*.c)
  # Other files there are what the room's tests share.
  file(GLOB shared_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${room}/*.c)
  list(FILTER shared_sources EXCLUDE REGEX "/test_[^/]*$")
  foreach(source ${test_sources})
    get_filename_component(name ${source} NAME_WE)
    set(target ${name}_${room})
    add_executable(${target} ${source} ${shared_sources})
    target_link_libraries(${target} PRIVATE cuzk_${room} cuzk_test_support)
    if(room STREQUAL algebra OR target STREQUAL test_cpu_levels_groth16)
      target_link_libraries(${target} PRIVATE cuzk_ifma_model)
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    string(REPLACE "test_" "" short ${name})
    add_test(NAME ${room}/${short} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${room}/${short} PROPERTIES TIMEOUT 900)
  endforeach()
endforeach()

# Tests of the command line as a user sees it: tests/cli/test_NAME.sh, with the binary in $CUZK.
if(TARGET cuzk)
  file(GLOB cli_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cli/test_*.sh)
  foreach(script ${cli_tests})
    get_filename_component(name ${script} NAME_WE)
    string(REPLACE "test_" "" short ${name})
    add_test(NAME cli/${short} COMMAND bash ${script} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(cli/${short} PROPERTIES TIMEOUT 900
      ENVIRONMENT "CUZK=$<TARGET_FILE:cuzk>;CUZK_SOURCE_DIR=${CMAKE_SOURCE_DIR};CUZK_BUILD_DIR=${CMAKE_BINARY_DIR}")
  endforeach()
endif()

# Left out where every instruction is instrumented: minutes of circuits, transforms and sums whose code the other tests run too.
foreach(name filecoin/porep_circuit filecoin/update_circuit groth16/published_proof groth16/cpu_levels groth16/prove_scratch
        algebra/ntt algebra/ntt_matrix algebra/msm_g2 engine/scratch_files cli/porep cli/digest)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES LABELS slow)
  endif()
endforeach()
