# The daemon's outside: the rooms config and rpc, cuzk-daemon, cuzk-bench and their tests.
# The C++ compiler is the C compiler's sister (clang-14: clang++-14), or sanitizers and fuzzers would meet another's runtime.
if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  string(REGEX REPLACE "clang([-0-9]*)$" "clang++\\1" sister ${CMAKE_C_COMPILER})
  string(REGEX REPLACE "gcc([-0-9]*)$" "g++\\1" sister ${sister})
  if(NOT sister STREQUAL CMAKE_C_COMPILER AND EXISTS ${sister})
    set(CMAKE_CXX_COMPILER ${sister} CACHE FILEPATH "C++ compiler")
  endif()
endif()
enable_language(CXX)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
find_program(PROTOC_C protoc-c REQUIRED)
find_program(PROTOC protoc REQUIRED)
find_path(GRPC_PROTO_DIR grpc/health/v1/health.proto PATHS /usr/share/grpc-proto REQUIRED)
# By name: pkg-config's list for grpc names 60 libraries that nothing here calls.
find_library(GRPC_LIBRARY grpc REQUIRED)
find_library(GPR_LIBRARY gpr REQUIRED)

# The one C++ file: toml++ behind a C header. Exceptions stay inside it.
add_library(cuzk_toml STATIC ${CMAKE_SOURCE_DIR}/src/config/toml.cpp)
set_target_properties(cuzk_toml PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
target_compile_definitions(cuzk_toml PRIVATE _GNU_SOURCE)
target_compile_options(cuzk_toml PRIVATE -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<BOOL:${CUZK_WERROR}>:-Werror>)
target_include_directories(cuzk_toml PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(cuzk_toml PUBLIC cuzk_base PRIVATE PkgConfig::TOMLPLUSPLUS)

cuzk_room(config cuzk_toml cuzk_base)

# Messages: C code and one descriptor set (for reflection), made from the .proto files in the build folder.
set(proto_output ${CMAKE_BINARY_DIR}/proto)
set(proto_files proving.proto grpc/health/v1/health.proto grpc/reflection/v1/reflection.proto)
file(MAKE_DIRECTORY ${proto_output})
set(proto_sources "")
foreach(file ${proto_files})
  string(REGEX REPLACE "\\.proto$" ".pb-c" base ${file})
  add_custom_command(OUTPUT ${proto_output}/${base}.c ${proto_output}/${base}.h
    COMMAND ${PROTOC_C} -I ${CMAKE_SOURCE_DIR}/proto -I ${GRPC_PROTO_DIR} --c_out=${proto_output} ${file}
    DEPENDS ${CMAKE_SOURCE_DIR}/proto/proving.proto VERBATIM)
  list(APPEND proto_sources ${proto_output}/${base}.c)
endforeach()
add_custom_command(OUTPUT ${proto_output}/services.pb
  COMMAND ${PROTOC} -I ${CMAKE_SOURCE_DIR}/proto -I ${GRPC_PROTO_DIR} --include_imports
    --descriptor_set_out=${proto_output}/services.pb ${proto_files}
  DEPENDS ${CMAKE_SOURCE_DIR}/proto/proving.proto VERBATIM)

# A file as the bytes symbol .. symbol_end of the program.
function(cuzk_embed output symbol file)
  file(CONFIGURE OUTPUT ${output} CONTENT ".section .rodata
.global ${symbol}
.global ${symbol}_end
${symbol}: .incbin \"${file}\"
${symbol}_end: .byte 0
.section .note.GNU-stack,\"\",@progbits
")
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS ${file})
endfunction()
cuzk_embed(${proto_output}/services.S embedded_services ${proto_output}/services.pb)
cuzk_embed(${proto_output}/dashboard.S embedded_dashboard ${CMAKE_SOURCE_DIR}/web/dashboard.html)

add_library(cuzk_proto STATIC ${proto_sources} ${proto_output}/services.S ${proto_output}/dashboard.S)
target_include_directories(cuzk_proto SYSTEM PUBLIC ${proto_output})
target_link_libraries(cuzk_proto PUBLIC PkgConfig::PROTOBUF_C)

cuzk_room(rpc cuzk_engine cuzk_config cuzk_proto ${GRPC_LIBRARY} ${GPR_LIBRARY} PkgConfig::MICROHTTPD)

# The daemon but for its engine, which tests replace; then the daemon.
file(GLOB daemon_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmd/cuzk-daemon/*.c)
list(FILTER daemon_sources EXCLUDE REGEX "/main\\.c$")
add_library(cuzk_daemon_parts STATIC ${daemon_sources})
target_link_libraries(cuzk_daemon_parts PRIVATE cuzk_options PUBLIC cuzk_rpc)
target_include_directories(cuzk_daemon_parts PUBLIC ${CMAKE_SOURCE_DIR}/cmd/cuzk-daemon)

add_executable(cuzk-daemon ${CMAKE_SOURCE_DIR}/cmd/cuzk-daemon/main.c)
target_link_libraries(cuzk-daemon PRIVATE cuzk_options cuzk_daemon_parts)
set_target_properties(cuzk-daemon PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

file(GLOB bench_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmd/cuzk-bench/*.c)
add_executable(cuzk-bench ${bench_sources})
target_link_libraries(cuzk-bench PRIVATE cuzk_options cuzk_rpc)
set_target_properties(cuzk-bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(BUILD_TESTING)
  add_executable(fake_daemon ${CMAKE_SOURCE_DIR}/tests/daemon/fake_daemon.c)
  target_link_libraries(fake_daemon PRIVATE cuzk_daemon_parts cuzk_test_support)
  set_target_properties(fake_daemon PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

  # gRPC and libmicrohttpd are not instrumented: without this ThreadSanitizer reports what they do.
  set(daemon_test_environment "TSAN_OPTIONS=ignore_noninstrumented_modules=1" "CUZK_SANITIZED=${CUZK_SANITIZE}"
    "CUZK_SOURCE_DIR=${CMAKE_SOURCE_DIR}" "CUZK_BUILD_DIR=${CMAKE_BINARY_DIR}" "CUZK=${CMAKE_BINARY_DIR}/cuzk"
    "CUZK_DAEMON=$<TARGET_FILE:cuzk-daemon>" "CUZK_FAKE_DAEMON=$<TARGET_FILE:fake_daemon>" "CUZK_BENCH=$<TARGET_FILE:cuzk-bench>")

  foreach(room config rpc)
    file(GLOB test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${room}/test_*.c)
    foreach(source ${test_sources})
      get_filename_component(name ${source} NAME_WE)
      add_executable(${name}_${room} ${source})
      target_link_libraries(${name}_${room} PRIVATE cuzk_daemon_parts cuzk_test_support)
      set_target_properties(${name}_${room} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
      string(REPLACE "test_" "" short ${name})
      add_test(NAME ${room}/${short} COMMAND ${name}_${room} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      set_tests_properties(${room}/${short} PROPERTIES TIMEOUT 300 ENVIRONMENT "${daemon_test_environment}")
    endforeach()
  endforeach()

  # The daemon from outside, by a gRPC client that is not ours: tests/daemon/test_NAME.mjs under Node.
  file(GLOB daemon_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/daemon/test_*.mjs)
  foreach(script ${daemon_tests})
    get_filename_component(name ${script} NAME_WE)
    string(REPLACE "test_" "" short ${name})
    add_test(NAME daemon/${short} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/daemon/run.sh ${script} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(daemon/${short} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 LABELS large ENVIRONMENT "${daemon_test_environment}")
  endforeach()
endif()

if(TARGET fuzz_request)
  target_link_libraries(fuzz_request PRIVATE cuzk_rpc)
endif()
