# Programs that measure and print; not run by the tests. Build with -DCUZK_BENCH=ON.
add_executable(bench_algebra ${CMAKE_SOURCE_DIR}/bench/algebra.c)
target_link_libraries(bench_algebra PRIVATE cuzk_options cuzk_algebra)
set_target_properties(bench_algebra PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
